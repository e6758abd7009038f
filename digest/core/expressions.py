"""Regular expressions that people write between slashes, such as ``/^fix(es)?:/``.

Expressions come from chats and texts from whoever commits, so RE2 matches them: its time is linear
in the length of the text, whatever the expression. Upper and lower case are alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from digest.errors import UsageError

_WRITTEN = re.compile(r"/(.+)/", re.DOTALL)


def expression_of(text: str) -> str:
    """The expression between slashes that the text is; empty if it is none."""
    found = _WRITTEN.fullmatch(text)
    return found[1] if found else ""


def check_expression(expression: str) -> None:
    """Raise ``UsageError`` if the expression cannot be used."""
    _compiled(expression)


def found_in(expression: str, texts: Iterable[str]) -> bool:
    """Whether a part of any text matches the expression."""
    search = _compiled(expression).search
    return any(search(_encodable(text)) is not None for text in texts)


@lru_cache(maxsize=1024)
def _compiled(expression: str) -> Any:
    import re2

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        return re2.compile(_encodable(expression), options)
    except re2.error as error:
        (reason,) = error.args
        told = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise UsageError(
            f"/{expression}/ is no regular expression of RE2 ({told}); "
            "see https://github.com/google/re2/wiki/Syntax"
        ) from None


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
