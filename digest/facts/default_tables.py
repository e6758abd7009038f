"""Defaults that stand as literals in the code that applies them.

Members of a table or literal whose name says that it holds defaults (Go, TypeScript), and the
value behind ``options.port ??``. Both sides of one changed place must name the same member.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from digest.core.change import Hunk
from digest.core.facts import Action, Fact, FactKind
from digest.facts.call_arguments import flat, is_told_apart
from digest.facts.side_text import SideText

_MEMBER = re.compile(
    r"\s+(?P<name>[A-Za-z_]\w*)\s*:\s*(?P<value>[^\s{(\[][^{(\[]{0,120}?),?\s*(?://.*)?$"
)
_FALLBACK = re.compile(
    r"\.(?P<name>[A-Za-z_]\w*)\s*(?:\?\?|\|\|)\s*(?P<value>\d[\w.]*|'[^']*'|\"[^\"]*\"|true|false)"
)
_HEADER = re.compile(
    r"^[^\s/].*?\b(?P<name>[Dd]efault\w*|DEFAULT\w*|\w+Defaults)\b[^=]{0,120}=\s*(?:&?(?P<type>\w+)\{|Object\.freeze\(\{|\{)"
)
_LITERAL = re.compile(r"\d[\w.*]*|true|false|[\"'`].*[\"'`]|[\w.]*[A-Z]\w*|-\d+|nil|null|undefined")
_LANGUAGES = frozenset({"go", "typescript", "javascript"})
_REACH = 400  # lines above a member in which its table begins
_MOST_LINES = 4_000  # changed lines of a file; more are data
_MOST = 40  # changed lines of one place that are compared


def find(before: SideText, after: SideText, language: str) -> Iterator[Fact]:
    """The defaults that changed in one file."""
    if language not in _LANGUAGES:
        return
    olds, news = before.places(), after.places()
    if sum(len(lines) for _, lines in news) > _MOST_LINES:
        return
    for (old_row, old), (new_row, new) in zip(olds, news, strict=False):
        if not old or not new or max(len(old), len(new)) > _MOST:
            continue
        for row, line in enumerate(new, new_row):
            yield from _changed(before, after, (old, line), (old_row, row), language)


def may_change(hunks: Iterable[Hunk], language: str) -> bool:
    """Whether some changed place could give a member of a table another value."""
    if language not in _LANGUAGES:
        return False
    for hunk in hunks:
        if hunk.removed and hunk.added and len(hunk.added) <= _MOST:
            names = {found["name"] for line in hunk.removed if (found := _MEMBER.match(line))}
            if any((f := _MEMBER.match(line)) and f["name"] in names for line in hunk.added):
                return True
            if language != "go" and any(_FALLBACK.search(line) for line in hunk.added):
                return True
    return False


def _changed(
    before: SideText,
    after: SideText,
    lines: tuple[list[str], str],
    rows: tuple[int, int],
    language: str,
) -> Iterator[Fact]:
    olds, line = lines
    if (found := _MEMBER.match(line)) and _LITERAL.fullmatch(found["value"]):
        for old in olds:
            was = _MEMBER.match(old)
            if was and was["name"] == found["name"] and was["value"] != found["value"]:
                owners = {_owner(before, rows[0]), _owner(after, rows[1])}
                owner = owners.pop() if len(owners) == 1 else ""
                if owner and is_told_apart(was["value"], found["value"]):
                    yield _fact(after, f"{owner}.{found['name']}", was, found, rows[1])
    elif language != "go" and (found := _FALLBACK.search(line)):
        for old in olds:
            was = _FALLBACK.search(old)
            if was and _same_but(was, found):
                yield _fact(after, found["name"], was, found, rows[1])


def _same_but(was: re.Match[str], found: re.Match[str]) -> bool:
    """Whether two lines differ in the value alone."""
    one, other = was.string, found.string
    return was["value"] != found["value"] and (
        one[: was.start("value")] + one[was.end("value") :]
        == other[: found.start("value")] + other[found.end("value") :]
    )


def _owner(source: SideText, row: int) -> str:
    """The table of defaults that a line stands in: its type, or its own name."""
    for line in source.above(row, _REACH):
        if line[:1] not in {"", " ", "\t", "/", "*"}:
            found = _HEADER.match(line)
            return (found["type"] or found["name"]) if found else ""
        if found := _NESTED.match(line):
            return found["type"] or found["name"]
    return ""


_NESTED = re.compile(r"\s+(?P<name>[Dd]efault\w*|DEFAULT\w*)\s*=\s*&?(?P<type>\w+)?\{$")


def _fact(after: SideText, name: str, was: re.Match[str], found: re.Match[str], row: int) -> Fact:
    return Fact(
        kind=FactKind.CONFIG,
        action=Action.CHANGED,
        name=name,
        before=flat(was["value"], 120),
        after=flat(found["value"], 120),
        detail="default",
        evidence=after.evidence(row + 1),
        public=True,
    )
