"""Every secret that this process has read, so that nothing it prints can hold one.

What reads a secret says so here, once; it stays a secret for as long as the process lives. Servers
repeat tokens in their errors, and libraries repeat those: so whatever leaves by a stream passes
:func:`cleared`, and logs know the same secrets besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

HIDDEN = "***"
_LEAST = 6
"""Characters: what is shorter would blot out words that merely look like it."""

_known: set[str] = set()


def conceal(secrets: Iterable[str]) -> None:
    """From now on these are secrets."""
    _known.update(secret for secret in secrets if len(secret) >= _LEAST)


def known() -> frozenset[str]:
    """Every secret so far."""
    return frozenset(_known)


def cleared(text: str) -> str:
    """The text with every secret blotted out, the longest first."""
    if not any(secret in text for secret in _known):
        return text
    longest = sorted(_known, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest)), HIDDEN, text)
