"""Patterns that people write, for paths and between slashes; and :func:`lazy` for our own.

A path pattern with a slash is read as in ``.gitignore``: ``*`` and ``?`` stay within a segment,
``**`` crosses them; a pattern without wildcards is a file, or a folder with everything below it;
one without a slash is matched against every segment. From ``_FEW`` wildcards on, where Python's
expressions backtrack too long, RE2 matches it, in linear time. So it does expressions such as
``/^fix(es)?:/``, without case.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache
from pkgutil import get_data
from typing import Any, cast

from digest.errors import UsageError


class _Lazy:
    """What a compiled expression has, taken over attribute by attribute when it is first used."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value


def lazy(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """The regular expression, compiled when it is first used.

    A command uses few of the expressions of the modules that it imports, and compiling all of them
    would take a tenth of its time. It has the methods of an expression, but functions of :mod:`re`
    do not accept it, and it is not the ``re`` of its matches.
    """
    return cast("re.Pattern[str]", _Lazy(pattern, flags))


def read_file(package: str, file: str) -> str:
    """A text file that a package holds beside its modules. Raises ``FileNotFoundError``."""
    # ``importlib.resources`` would import ten more modules, for which short commands would wait.
    held = get_data(package, file)
    if held is None:
        raise FileNotFoundError(file)
    return held.decode("utf-8")


@cache
def read_table(package: str, file: str) -> dict[str, Any]:
    """A file of tables that a package holds beside its modules."""
    import tomllib

    return tomllib.loads(read_file(package, file))


def read_patterns(package: str, file: str, section: str) -> dict[str, re.Pattern[str]]:
    """The expressions of a section of a file of tables by name, each a list of alternatives."""
    table = read_table(package, file)[section]
    return {name: lazy("|".join(given)) for name, given in table.items()}


_TOKEN = re.compile(r"(?P<all>\*\*/?)|(?P<some>\*+)|(?P<one>\?)|(?P<other>[^*?]+)")
_FEW = 3  # wildcards from which on a path is matched by RE2, which takes longer to import


def matches(pattern: str, path: str) -> bool:
    """Whether a path, without a leading slash, matches the pattern."""
    return _matcher(pattern)(path)


@lru_cache(maxsize=4096)
def _matcher(pattern: str) -> Callable[[str], bool]:
    tokens = list(_TOKEN.finditer(pattern.strip("/")))
    anywhere = "(?:.*/)?" if "/" not in pattern.rstrip("/") else ""
    # A pattern that names a folder matches everything below it.
    expression = f"(?s:{anywhere}{''.join(map(_token, tokens))}(?:/.*)?)"
    if sum(1 for token in tokens if token["all"] or token["some"]) < _FEW:
        fits = re.compile(expression).fullmatch
        return lambda path: fits(path) is not None
    linear = _compiled(expression, case=True).fullmatch
    return lambda path: linear(_encodable(path)) is not None


def _token(match: re.Match[str]) -> str:
    if match["all"]:
        return "(?:.*/)?" if match["all"].endswith("/") else ".*"
    if match["some"]:
        return "[^/]*"
    if match["one"]:
        return "[^/]"
    return re.escape(match["other"])


_WRITTEN = re.compile(r"/(.+)/", re.DOTALL)


def expression_of(text: str) -> str:
    """The expression between slashes that the text is; empty if it is none."""
    match = _WRITTEN.fullmatch(text)
    return match[1] if match else ""


def check_expression(expression: str) -> None:
    """Raise ``UsageError`` if the expression cannot be used."""
    _expression(expression)


def found_in(expression: str, texts: Iterable[str]) -> bool:
    """Whether a part of any text matches the expression."""
    search = _expression(expression).search
    return any(search(_encodable(text)) is not None for text in texts)


@lru_cache(maxsize=1024)
def _expression(expression: str) -> Any:
    import re2

    try:
        return _compiled(expression, case=False)
    except re2.error as error:
        (reason,) = error.args
        problem = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise UsageError(
            f"/{expression}/ is not a valid RE2 regular expression ({problem}); "
            "see https://github.com/google/re2/wiki/Syntax"
        ) from None


def _compiled(expression: str, *, case: bool) -> Any:
    import re2

    options = re2.Options()
    options.case_sensitive = case
    options.log_errors = False
    return re2.compile(_encodable(expression), options)


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def within(pattern: str, *texts: str) -> bool:
    """Whether one of the texts contains the pattern, in any case."""
    sought = pattern.casefold()
    return any(sought in text.casefold() for text in texts)
