"""What an author says below the subject, and the issues named. Imports no value of ours.

A body on a forge is often a filled-in form around little prose. What goes: trailers, headings,
sections that report tests or tick boxes, HTML comments and folded details, fenced and indented
code, quotations, tables, logs, the titles of fix-up commits in a squash list, lines that machines
write. What stays are sentences, a paragraph or a list item each, on one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from digest.facts import rubbish

_LONGEST = 65_536  # characters of a body that are read; GitHub's own limit for one
_MOST_PARAGRAPHS = 60
_LONGEST_PARAGRAPH = 2000

_COMMENT_OPEN, _COMMENT_CLOSE = "<!--", "-->"
_FENCE = re.compile(r"\s{0,12}(`{3,}|~{3,})")
_HEADING = re.compile(r"\s{0,3}(#{1,6})\s+(.*)$|\*\*([^*]{1,80}?):?\*\*:?\s*$")
_RULE = re.compile(r"\s{0,3}(?:-[ -]{2,}|=[ =]{2,}|\*[ *]{2,}|_[ _]{2,})$")
_BULLET = re.compile(r"\s{0,12}(?:[*+•-]|\d{1,3}[.)])\s+(.*)$")

_IMAGE = re.compile(r"!\[[^\[\]]{0,300}\]\([^()\s]{0,500}\)")
_LINK = re.compile(r"\[([^\[\]]{1,300})\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,500}\)")
_AUTOLINK = re.compile(r"<(https?://[^<>\s]{1,500})>")
_TAG = re.compile(
    r"</?(?:details|summary|br|img|p|div|span|sub|sup|b|i|em|strong|a|table|tr|td|th|thead|tbody"
    r"|ul|ol|li|code|pre|h[1-6]|hr|kbd|center|picture|source|video)\b[^<>]{0,300}>",
    re.IGNORECASE,
)
_STRONG = re.compile(r"\*\*([^*]{1,300})\*\*")
_SPACES = re.compile(r"\s+")

_REFERENCE = re.compile(r"(?<![\w/&#-])(?:#|GH-|gh-)([1-9]\d{0,6})\b(?![\w-])")
_ADDRESS = re.compile(
    r"https?://[\w.-]{1,100}(?:/[\w.~-]{1,100}){2,6}?/(?:issues|pull|merge_requests)/(\d{1,7})\b"
)
_KEYWORD = re.compile(
    r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|references?|see(?: also)?|relate[sd](?: to)?"
    r"|part of"
    r"|follow[- ]?up(?: to| of| on)?|address(?:es)?|implements?|issue)\b[\s:]*$",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b(?:step|option|case|rank|gpu|node|worker|phase|part|item|attempt|run)\s*$", re.IGNORECASE
)
_MOST_ISSUES = 50


def read_paragraphs(body: str, titles: Iterable[str] = ()) -> tuple[str, ...]:
    """The author's own words in ``body`` (trailers taken off), in order; none repeats a title."""
    found: list[str] = []
    known = {_plain(title) for title in titles}
    for text in _paragraphs(_without_comments(body[:_LONGEST])):
        cleaned = _inline(text)[:_LONGEST_PARAGRAPH]
        if rubbish.is_empty(cleaned) or _plain(cleaned) in known:
            continue
        known.add(_plain(cleaned))
        found.append(cleaned)
        if len(found) == _MOST_PARAGRAPHS:
            break
    return tuple(found)


def read_issues(message: str, own: frozenset[int]) -> tuple[int, ...]:
    """Numbers that the message fixes or refers to, in order, without ``own``.

    A full address counts only behind a word such as ``fixes``: any other may well be of another
    project, as ``owner/name#N`` is.
    """
    numbers: list[int] = []
    for line in message[:_LONGEST].splitlines():
        if "#" in line or "-" in line:
            numbers.extend(
                int(found[1])
                for found in _REFERENCE.finditer(line)
                if not _COUNTED.search(line[max(0, found.start() - 24) : found.start()])
            )
        if "://" in line:
            numbers.extend(
                int(found[1])
                for found in _ADDRESS.finditer(line)
                if _KEYWORD.search(line[max(0, found.start() - 24) : found.start()].rstrip("<( "))
            )
    return tuple(n for n in dict.fromkeys(numbers) if n not in own)[:_MOST_ISSUES]


@dataclass(slots=True)
class _Reading:
    """Where a pass over the lines of a body stands."""

    forms: tuple[str, ...]
    pending: list[str] = field(default_factory=list)
    fence: str = ""
    details: int = 0
    manifest: bool = False
    skipping: int = 0  # level of the heading whose section is left out, 0 for none
    item: bool = False
    blank: bool = True

    def flush(self) -> Iterator[str]:
        if self.pending:
            yield " ".join(self.pending)
        self.pending = []


def _paragraphs(text: str) -> Iterator[str]:
    state = _Reading(forms=rubbish.forms_of(text))
    for line in text.splitlines():
        if not _opaque(state, line):
            yield from _read_line(state, line)
    yield from state.flush()


def _opaque(state: _Reading, line: str) -> bool:
    """Whether the line stands in, opens or closes something whose lines are no prose."""
    low = line.strip().lower()
    if state.fence:
        if low.startswith(state.fence) and not low.strip("`~"):
            state.fence = ""
        return True
    if fence := _FENCE.match(line):
        state.fence = fence[1]
        state.item = state.item and line[0].isspace()
        return True
    if state.manifest:  # the list that Dependabot adds, a YAML document
        state.manifest = low != "..." and (bool(low) and (line[0] in " -" or low.endswith(":")))
        return True
    if low == "updated-dependencies:":
        state.manifest = True
        return True
    if "<details" in low or "</details" in low:
        state.details = max(0, state.details + low.count("<details") - low.count("</details"))
        return True
    return state.details > 0


def _read_line(state: _Reading, line: str) -> Iterator[str]:
    stripped = line.strip()
    blank, state.blank = state.blank, not stripped
    if not stripped:
        yield from state.flush()
    elif _RULE.match(line):
        if len(state.pending) == 1 and abs(len(state.pending[0]) - len(stripped)) <= 3:
            state.skipping = _section(2, state.pending.pop())  # an underlined heading
        else:
            yield from state.flush()
            state.skipping = 0
    elif heading := _HEADING.match(line):
        yield from state.flush()
        _enter(state, heading)
    elif state.skipping or rubbish.is_machine_line(line, state.forms):
        return
    elif bullet := _BULLET.match(line):
        yield from state.flush()
        state.item = True
        if not rubbish.is_fixup(bullet[1]) and not rubbish.is_machine_line(bullet[1], state.forms):
            state.pending.append(bullet[1].strip())
    elif line.startswith(("    ", "\t")) and blank and not state.item:
        state.blank = True  # indented code; the next indented line is code as well
    else:
        state.item = state.item and line[0].isspace()
        state.pending.append(stripped)


def _enter(state: _Reading, heading: re.Match[str]) -> None:
    level = len(heading[1]) if heading[1] else 6
    name = heading[2] or heading[3] or ""
    if not state.skipping or level <= state.skipping:
        state.skipping = _section(level, name)
    state.item = False


def _section(level: int, name: str) -> int:
    return level if rubbish.is_unwanted_section(name) else 0


def _without_comments(text: str) -> str:
    parts: list[str] = []
    while (start := text.find(_COMMENT_OPEN)) >= 0:
        parts.append(text[:start])
        end = text.find(_COMMENT_CLOSE, start)
        text = text[end + len(_COMMENT_CLOSE) :] if end >= 0 else ""
    parts.append(text)
    return "".join(parts)


def _inline(text: str) -> str:
    """Markdown marks off, words of links kept, one line."""
    text = text[: 2 * _LONGEST_PARAGRAPH]
    if "[" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    if "<" in text:
        text = _TAG.sub("", _AUTOLINK.sub(r"\1", text))
    if "**" in text:
        text = _STRONG.sub(r"\1", text)
    return _SPACES.sub(" ", text).strip()


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).strip(" .").casefold()
