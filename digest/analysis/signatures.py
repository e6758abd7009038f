"""Differences between two signatures of a Python callable.

Signatures are read as text, ``(a, b: int = 1, *args, c=None) -> x``. One that cannot be read yields
nothing.
"""

from __future__ import annotations

from digest.frozen import frozen

_OPEN = "([{"
_CLOSE = ")]}"


@frozen
class Differences:
    """Names of parameters in order: ``added``, ``required`` (of those), ``lost``."""

    added: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()


def differences(before: str | None, after: str | None) -> Differences:
    """Compare two signatures; parameters that ``*args`` or ``**kwargs`` may accept are not lost."""
    old, new = parameters(before), parameters(after)
    if old is None or new is None:
        return Differences()
    swallows = any(name.startswith("**") for name in new)
    added = tuple(n for n in new if n not in old and n[0] != "*")
    return Differences(
        added=added,
        required=tuple(n for n in added if new[n] is None),
        lost=() if swallows else tuple(n for n in old if n not in new and n[0] != "*"),
    )


def parameters(signature: str | None) -> dict[str, str | None] | None:
    """The names with their defaults (``None``: required) in order, without ``self`` and ``cls``.

    ``None`` if the text is not a signature in round brackets.
    """
    text = " ".join((signature or "").split())
    start = text.find("(")
    if start < 0:
        return None
    parts = _split(text[start + 1 :])
    if parts is None:
        return None
    found: dict[str, str | None] = {}
    for part in parts:
        head, equals, default = _split_default(part)
        name = head.partition(":")[0].strip()
        # Facts leave out the common beginning of two long signatures.
        if name in {"", "*", "/", "self", "cls", "…"}:
            continue
        if not name.lstrip("*").isidentifier():
            return None
        found[name] = default.strip() if equals else None
    return found


def _split(text: str) -> list[str] | None:
    """The parts between commas up to the closing bracket; ``None`` if it never closes."""
    parts: list[str] = []
    depth, quote, at = 0, "", 0
    for i, c in enumerate(text):
        if quote:
            quote = "" if c == quote and text[i - 1] != "\\" else quote
        elif c in "\"'":
            quote = c
        elif c in _OPEN:
            depth += 1
        elif c in _CLOSE:
            if depth == 0:
                return [*parts, text[at:i]]
            depth -= 1
        elif c == "," and depth == 0:
            parts.append(text[at:i])
            at = i + 1
    return None


def _split_default(part: str) -> tuple[str, str, str]:
    """A parameter split at the equals sign of its default, which is outside of brackets."""
    depth = 0
    for i, c in enumerate(part):
        if c in _OPEN:
            depth += 1
        elif c in _CLOSE:
            depth -= 1
        elif c == "=" and depth == 0:
            return part[:i], "=", part[i + 1 :]
    return part, "", ""
