"""Paths by pattern, as ``.gitignore`` reads them where the pattern has a slash.

``*`` and ``?`` stay within a segment, ``**`` crosses them; a pattern without wildcards is a file,
or a folder with all below it; one without a slash is looked for in every segment.
"""

from __future__ import annotations

import re
from functools import lru_cache

_TOKEN = re.compile(r"(?P<all>\*\*/?)|(?P<some>\*+)|(?P<one>\?)|(?P<other>[^*?]+)")


def matches(pattern: str, path: str) -> bool:
    """Whether a path, which has no leading slash, meets the pattern."""
    return _compiled(pattern).fullmatch(path) is not None


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    rooted = pattern.strip("/")
    body = "".join(map(_token, _TOKEN.finditer(rooted)))
    anywhere = "" if "/" in pattern.rstrip("/") else "(?:.*/)?"
    # What names a folder holds what is below it.
    return re.compile(f"{anywhere}{body}(?:/.*)?", re.DOTALL)


def _token(found: re.Match[str]) -> str:
    if found["all"]:
        return "(?:.*/)?" if found["all"].endswith("/") else ".*"
    if found["some"]:
        return "[^/]*"
    if found["one"]:
        return "[^/]"
    return re.escape(found["other"])
