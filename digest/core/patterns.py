"""Patterns that people write, for paths and between slashes; and :func:`lazy` for our own.

A path pattern with a slash is read as in ``.gitignore``: ``*`` and ``?`` stay within a segment,
``**`` crosses them; a pattern without wildcards is a file, or a folder with everything below it;
one without a slash is matched against every segment. From ``_FEW`` wildcards on, where Python's
expressions backtrack too long, all possible matches are tracked in parallel (Baeza-Yates and
Gonnet, "A new approach to text searching", 1992), in time linear in the length of the path.
Expressions such as ``/^fix(es)?:/``, without case, are matched by RE2 in linear time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
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


_TOKEN = re.compile(r"(?P<all>\*\*/?)|(?P<some>\*+)|(?P<one>\?)|(?P<other>[^*?]+)")
_FEW = 3  # wildcards from which on matches are tracked in parallel


def matches(pattern: str, path: str) -> bool:
    """Whether a path, without a leading slash, matches the pattern."""
    return _matcher(pattern)(path)


@lru_cache(maxsize=1024)
def _matcher(pattern: str) -> Callable[[str], bool]:
    tokens = list(_TOKEN.finditer(pattern.strip("/")))
    anywhere = "/" not in pattern.rstrip("/")
    if sum(1 for token in tokens if token["all"] or token["some"]) < _FEW:
        expression = _compile(tokens, anywhere=anywhere)
        return lambda path: expression.fullmatch(path) is not None
    return _Readings(tokens, anywhere=anywhere)


def _compile(tokens: list[re.Match[str]], *, anywhere: bool) -> re.Pattern[str]:
    body = "".join(map(_token, tokens))
    # A pattern that names a folder matches everything below it.
    return re.compile(f"{'(?:.*/)?' if anywhere else ''}{body}(?:/.*)?", re.DOTALL)


def _token(match: re.Match[str]) -> str:
    if match["all"]:
        return "(?:.*/)?" if match["all"].endswith("/") else ".*"
    if match["some"]:
        return "[^/]*"
    if match["one"]:
        return "[^/]"
    return re.escape(match["other"])


class _Readings:
    """A pattern as states, a bit each; each partial match of a path is in one of them."""

    # ``**/`` has two states: one before it, from which it may be skipped, and one within it, which
    # only a slash leaves.

    def __init__(self, tokens: list[re.Match[str]], *, anywhere: bool) -> None:
        self._letters: dict[str, int] = {}
        self._any = self._segment = self._within = self._one = 0
        self._skip = self._skip_two = 0
        self._end = 1
        if anywhere:
            self._folders()
        for token in tokens:
            self._add(token)

    def _add(self, token: re.Match[str]) -> None:
        if token["all"] and token["all"].endswith("/"):
            self._folders()
        elif token["all"] or token["some"]:
            if token["all"]:
                self._any |= self._end
            else:
                self._segment |= self._end
            self._skip |= self._end
            self._end <<= 1
        elif token["one"]:
            self._one |= self._end
            self._end <<= 1
        else:
            for letter in token["other"]:
                self._letters[letter] = self._letters.get(letter, 0) | self._end
                self._end <<= 1

    def _folders(self) -> None:
        self._skip_two |= self._end
        self._within |= self._end << 1
        self._end <<= 2

    def __call__(self, path: str) -> bool:
        """Whether a match reaches the end of the pattern, at the path's end or a folder's."""
        at = self._past_wildcards(1)
        for letter in path:
            if letter == "/":
                if at & self._end:
                    return True
                into = at & self._letters.get("/", 0)
                into |= (at & self._skip_two) << 1 | at & self._within
            else:
                into = at & (self._letters.get(letter, 0) | self._one)
            fresh = into << 1 | at & (self._any | self._within) | (at & self._skip_two) << 1
            if letter != "/":
                fresh |= at & self._segment
            at = self._past_wildcards(fresh)
            if not at:
                return False
        return bool(at & self._end)

    def _past_wildcards(self, at: int) -> int:
        """The states, with those after wildcards that match nothing."""
        while True:
            more = at | (at & self._skip) << 1 | (at & self._skip_two) << 2
            if more == at:
                return at
            at = more


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

    options = re2.Options()
    options.case_sensitive = False
    options.log_errors = False
    try:
        return re2.compile(_encodable(expression), options)
    except re2.error as error:
        (reason,) = error.args
        problem = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise UsageError(
            f"/{expression}/ is not a valid RE2 regular expression ({problem}); "
            "see https://github.com/google/re2/wiki/Syntax"
        ) from None


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def within(pattern: str, *texts: str) -> bool:
    """Whether one of the texts contains the pattern, in any case."""
    sought = pattern.casefold()
    return any(sought in text.casefold() for text in texts)
