"""The first line of a message, parsed, and the real title of a merge.

Conventional commits are read as https://www.conventionalcommits.org/en/v1.0.0/ defines them, with
two common habits: a lower-case prefix that is no known type names the part of the program (``net:
fix a leak``, ``cmd/go: ...``) and is a scope, and the capitals of the scientific Python projects
(``ENH:``, ``BUG:``) are types. Types are given by their usual short names.

A merge commit's own subject names branches. A reader wants the title of the request, which every
forge puts somewhere else:

- GitHub: ``Merge pull request #N from owner/branch``, the title opens the body.
- GitLab: ``Merge branch 'x' into 'y'``, the title opens the body, ``See merge request g/p!N`` ends
  it. Squashed requests keep only that last line.
- Bitbucket: ``Merged in branch (pull request #N)``, the title opens the body; its server edition
  writes ``Pull request #N: title``. Azure DevOps: ``Merged PR N: title``.
- Gitea: ``Merge pull request 'title' (#N) from x into y``.
- Homu and bors: ``Auto merge of #N - ...``, ``Rollup merge of #N - ...``, the title opens the body;
  bors-ng: ``Merge #N`` with a body of ``N: title r=... a=...``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from digest.core.authors import sentences
from digest.core.change import Commit
from digest.core.facts import Series, Subject
from digest.core.patterns import lazy, read_table
from digest.frozen import frozen

_TYPES: dict[str, str] = {
    written: name
    for name, many in read_table("digest.facts", "words.toml")["titles"].items()
    for written in many.split()
}

_TAG = lazy(r"\s*(?:\[([^\[\]]{1,80})\]|【([^【】]{1,80})】)(?!\()\s*[:：]?")
_STRAY = re.compile(r"\s*(?:\[\s*(?=\[)|\]\s*)")
_VERSION = lazy(
    r"\((v?\d{1,3}(?:\.\d{1,3}){1,2}|(?:JEP|KIP|PEP|RFC)-\d{1,6}(?: pt\. ?\d{1,3})?)\)\s*"
    r"(?=\[|[A-Z][a-z])"
)
_EMOJI = lazy(r"(?::[a-z0-9_+-]{2,40}:|[\u2190-\u2bff\U0001f000-\U0001faff\ufe0f\u200d]{1,9})\s*")
_CONVENTIONAL = lazy(
    r"(?P<type>[A-Za-z][\w-]{0,30})(?P<early>!(?=\())?\s?"
    r"(?:\((?P<scope>(?:[^()]|\([^()]{0,40}\)){1,80})\))?"
    r"(?:\[[^\[\]]{1,40}\])?(?P<mark>!)?\s?[:：](?![/:])\s*"
)
_UNDIVIDED = lazy(r"(?P<type>[a-z]{3,11})\((?P<scope>[^()]{1,60})\) (?=[A-Za-z`])")
"""The type and scope of a title whose author left the colon out."""

_ROUND_TYPE = lazy(r"\(([A-Za-z]{2,16})\)\s?[:：]?\s*")
_SUBSYSTEM = lazy(r"([a-z0-9_][\w./*+-]{0,60}(?:, ?[a-z0-9_][\w./*+-]{0,60}){0,3})(!)?: +")
_VERBS = frozenset(["add", "update", "remove", "change", "note", "use", "make", "bump", "also"])
_NAMED_KEY = r"(?!(?:BIP|CVE|CWE|EIP|FIPS|IEC|IEEE|ISO|KB|KIP|PEP|RFC|SEP|SHA)-)[A-Z]{3,15}-\d{3,7}"
_KEY = lazy(rf"{_NAMED_KEY}(?:, ?{_NAMED_KEY}){{0,5}}")
_TICKET = lazy(
    r"(?i:(?:gh|bpo|issue|bug)-?\d{1,9}[: ]\s*)"
    r"|(?:[A-Z][A-Z0-9]{1,15}-\d{1,7}, ?){0,5}[A-Z][A-Z0-9]{1,15}-\d{1,7}(?:[:;,.]\s+|\s+[-–]\s+)"
    rf"|{_NAMED_KEY}\s+(?=\S)"
    r"|(?:[\w-]{1,39}/[\w.-]{1,99}#\d{1,9}(?::|\s-)?|#\d{1,9}(?::|\s-))\s+(?=[A-Za-z`])"
)
"""The key of an issue, in front of a title: ``gh-12``, ``KAFKA-12345:``, ``owner/name#12``."""

_CLOSES = lazy(r"(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?) #\d{1,9}", re.IGNORECASE)
_ADDS = lazy(r"(?:add|allow|introduce|support)(?:s|ed|ing)?\b", re.IGNORECASE)
_BREAKING_FOOTER = lazy(r"^BREAKING[ -]CHANGE:", re.MULTILINE)
_BREAKING_SECTION = lazy(
    r"^#{1,4}[^\w\n]{0,6}breaking changes?\b[^\w\n]{0,4}\n\s*(?:[-*>][ \t]*)?(?P<said>)",
    re.MULTILINE | re.IGNORECASE,
)
_BEFORE = lazy(r"(?:Before|Previously|Until now)\b.{1,300}?[\w)`]\. (?=[A-Z`])")
_NEXT = lazy(r"\n[ \t]*(?:\n|[-*>#|]|```)")
_PASTED = lazy(
    r"<details>|^#{1,4} release notes\b|^release notes sourced", re.MULTILINE | re.IGNORECASE
)
"""Where the notes of a dependency begin."""

_NOTHING = lazy(
    r"$|[#<]|\[ \]|\W{0,3}(?:there )?(?:are|is|has|does)?\b ?"
    r"(?:none|no(?! longer)|not|nothing|nope|n/?a|tbd)\b",
    re.IGNORECASE,
)
_NUMBERS = lazy(r"(?:(?:#|!|GH-|gh-|PR ?#?)\d{1,9}(?:\s*(?:,|&|and\b)\s*|$)){1,9}")
_LAST_NUMBER = lazy(r"(\d{1,9})$")
_OPEN_NUMBER = lazy(r"\s+\((?:#|!|GH-)(\d{1,9})$")
_QUOTED = lazy(r"^`(?=[^`]{1,400} )([^`]{1,900})`$")
"""A title that is quoted as a whole, as code never is."""

_BREAK = lazy(r"(?<![\"'`])\\n(?![\"'`])")
"""A line break that a tool wrote as text, unlike one that the title is about."""

_BRANCHED = lazy(
    r"(?P<kind>feature|feat|bugfix|hotfix|chore|refactor|fix(?=/\d))/(?:\d{2,6}[ -])?"
    r"(?=[\w-]{1,40} )",
    re.IGNORECASE,
)
"""The kind of change in front of a branch name that became the title."""
_BORROWED = lazy(r"(?:cherry[ -]?pick|backport|from upstream|picked from)", re.IGNORECASE)

_SERIES = lazy(
    r"(?:part|pt\.?|patch(?: v\d{1,2})?|step|pr)?\s*#?(\d{1,3})\s*(?:/|of)\s*(\d{1,3}|[nNxX?])",
    re.IGNORECASE,
)
_PART = lazy(r"(?:part|pt\.?)\s*#?(\d{1,3})", re.IGNORECASE)
_PLAIN_PART = lazy(
    r"[\s,:-]+\(?part\s#?(\d{1,3})(?:\s?(?:/|of)\s?(\d{1,3}|[nNxX]))?\)?$", re.IGNORECASE
)
_ROUND_SERIES = lazy(r"\s*\((?:part\s)?(\d{1,3})/(\d{1,3}|[nNxX])\)", re.IGNORECASE)
PRIVATE_FORK = "Merge commit from fork"
"""The subject of a commit from the private fork in which GitHub lets an advisory be fixed."""

_LONGEST = 1000  # maximum characters of a first line that are read: far more than any real subject


def read_subject(title: str, body: str = "", number: int | None = None) -> Subject:
    """Parse a title; ``number`` is the request that the message names elsewhere.

    Without it the request is the last ``(#N)`` at the end of the title, since a squash merge adds
    its own after those of the commits before; the number of a cherry-pick's origin does not count.
    """
    words, numbers = strip_numbers(title[:_LONGEST].strip().removeprefix("* ").removeprefix("*: "))
    if cut := _BREAK.search(words):
        words, own = strip_numbers(words[: cut.start()])
        numbers = numbers or own
    words, tags, series = strip_tags(_QUOTED.sub(r"\1", words))
    words = words.removeprefix("- ")
    if key := _TICKET.match(words):
        words, more, later = strip_tags(words[key.end() :])
        tags, series = tags + more, series or later
    kind, scope, breaking, words = _strip_prefix(words)
    if kind or scope:
        words, more, later = strip_tags(words)
        tags, series = tags + more, series or later
    words, later = _strip_series(words)
    if _ADDS.match(words):  # the issue asked for something new
        tags = tuple(tag for tag in tags if not _CLOSES.fullmatch(tag))
    return Subject(
        title=title,
        words=words or title.strip(),
        tags=tags,
        type=kind,
        scope=scope,
        breaking=breaking or bool(_BREAKING_FOOTER.search(body)) or any(breaking_sections(body)),
        number=number if number is not None else (numbers[-1] if numbers else None),
        series=series or later,
    )


_SIGNS = {"github": "#", "gitea": "#", "gitlab": "!"}
"""How a forge writes requests. On GitLab ``#12`` is an issue; elsewhere ``!12`` is a request of
another forge, whose history was copied."""


def with_sign(subject: Subject, commit: Commit, forge: str) -> Subject:
    """The subject with the sign of requests; without a number that has another sign."""
    number, title = subject.number, commit.subject
    merged = number is not None and _merge_request(commit.body) == number
    written = "!" if merged or (f"!{number}" in title and f"#{number}" not in title) else "#"
    sign = _SIGNS.get(forge, written)
    return replace(subject, number=number if written == sign else None, sign=sign)


def strip_numbers(text: str) -> tuple[str, list[int]]:
    """Remove ``(#1) (#2)`` from the end; the numbers are in the order they are written."""
    numbers: list[int] = []
    borrowed = ""
    if cut := _OPEN_NUMBER.search(text):
        text, numbers = text[: cut.start()], [int(cut[1])]
    while (end := text.rstrip(" .")).endswith(")"):
        start = end.rfind("(")
        inner = end[start + 1 : -1].strip()
        if start < 0:
            break
        if _NUMBERS.fullmatch(inner):
            match = _LAST_NUMBER.search(inner)
            assert match is not None
            numbers.insert(0, int(match[1]))
        elif not numbers and not borrowed and _BORROWED.match(inner):
            borrowed = f" ({inner})"
        else:
            break
        text = end[:start].rstrip()
    return text + borrowed, numbers


def strip_tags(text: str) -> tuple[str, tuple[str, ...], Series | None]:
    """Remove ``[Bugfix][3/n]`` from the front: the rest, the tags and the place in a series."""
    tags: list[str] = []
    series: Series | None = None
    text = _EMOJI.sub("", text, count=1) if _EMOJI.match(text) else text
    if match := _VERSION.match(text):
        tags, text = [match[1]], text[match.end() :]
    while match := _TAG.match(text) or (_STRAY.match(text) if tags else None):
        if match.re is _STRAY:
            text = text[match.end() :]
            continue
        tag = (match[1] or match[2]).strip()
        place = _series_of(tag)
        if place is not None:
            series = series or place
        elif tag and not _KEY.fullmatch(tag):
            tags.append(tag)
        text = text[match.end() :]
    return text.strip(), tuple(tags), series


def breaking_sections(body: str) -> Iterator[tuple[int, str]]:
    """Where a section about breaking changes begins, with its first paragraph or item."""
    own = _PASTED.split(body, maxsplit=1)[0] if "reaking" in body.lower() else ""
    for match in _BREAKING_SECTION.finditer(own):
        start = match.start("said")
        said = " ".join(_NEXT.split(own[start : start + _LONGEST], maxsplit=1)[0].split())
        said = _BEFORE.sub("", said) if _BEFORE.match(said) else said
        if not _NOTHING.match(said):
            yield start, said


def _strip_prefix(text: str) -> tuple[str, str, bool, str]:
    """Type, scope, whether it is breaking, and the words after ``type(scope)!:``."""
    if match := _BRANCHED.match(text):
        kind = _TYPES.get(match["kind"].lower(), "")
        return kind, "", False, text[match.end() :]
    if match := _CONVENTIONAL.match(text):
        written, scope = match["type"].lower(), (match["scope"] or "").strip().lower()
        mark = match["mark"] or match["early"]
        rest = text[match.end() :].strip()
        kind = _TYPES.get(written, written if (scope or mark) and match["type"].islower() else "")
        if kind and rest:
            return kind, scope, bool(mark) or kind == "breaking", rest
    if (match := _UNDIVIDED.match(text)) and match["type"] in _TYPES:
        return _TYPES[match["type"]], match["scope"].strip().lower(), False, text[match.end() :]
    if match := _ROUND_TYPE.match(text):
        kind, rest = _TYPES.get(match[1].lower(), ""), text[match.end() :].strip()
        if kind and rest:
            return kind, "", False, rest
    if (match := _SUBSYSTEM.match(text)) and match[1] not in _VERBS:
        rest = text[match.end() :].strip()
        return "", match[1], bool(match[2]), rest
    return "", "", False, text


def _strip_series(text: str) -> tuple[str, Series | None]:
    """Remove ``(3/n)`` or a final ``part 2/3`` from the words."""
    if (match := _ROUND_SERIES.search(text)) and (series := _series(match[1], match[2])):
        return (text[: match.start()] + text[match.end() :]).strip(), series
    if (match := _PLAIN_PART.search(text)) and (series := _series(match[1], match[2])):
        return text[: match.start()].strip(), series
    return text, None


def _series_of(tag: str) -> Series | None:
    if match := _SERIES.fullmatch(tag):
        return _series(match[1], match[2])
    if match := _PART.fullmatch(tag):
        return _series(match[1], None)
    return None


def _series(part: str, total: str | None) -> Series | None:
    count = int(total) if total and total.isdigit() else None
    if int(part) == 0 or (count is not None and int(part) > count):
        return None
    return Series(part=int(part), total=count)


_TITLE_IN_BODY = lazy(
    r"(?:Merge pull request #(?P<github>\d{1,9}) (?:from|in) (?:[\w.-]{1,80}/(?P<from>\S{3,120})$)?"
    r"|Merge (?:pull request from GHSA-|commit from fork$)"
    r"|Merged in .{1,250} \(pull request #(?P<bitbucket>\d{1,9})\)$"
    r"|(?:Auto|Rollup) merge of #(?P<homu>\d{1,9})\b"
    r"|Merge (?:branch|remote-tracking branch|tag) '(?P<branch>[^']{1,250})'(?: of \S{1,250})?"
    r"(?: into '?[^' ]{1,250}'?)?$)"
)
_TITLE_IN_SUBJECT = lazy(
    r"(?:Merge pull request '(?P<gitea_title>.{1,500})' \(#(?P<gitea>\d{1,9})\) from "
    r"|Merged PR (?P<azure>\d{1,9}): (?P<azure_title>\S.{0,500})"
    r"|Pull request #(?P<server>\d{1,9}): (?P<server_title>\S.{0,500})"
    r"|Merged? (?:pull request|merge request|PR|MR) [#!](?P<hand>\d{1,9}): "
    r"(?P<hand_title>\S.{0,500}))"
)

_MERGED_BY_HAND = lazy(
    r"Merged? (?:(?:pull request|merge request|PR|MR) )?[#!](\d{1,9})"
    r"(?:$| (?:into|from|in|to|by|onto)\b)"
)

_BORS = lazy(r"Merge #(\d{1,9})(?: #\d{1,9}){0,20}$")
_BORS_TITLE = lazy(r"(\d{1,9}): (\S.{0,500})")
_BORS_REVIEWERS = lazy(r"\s+r=\S{0,100}(?:\s+a=\S{0,100})?$")
_MERGE_REQUEST = lazy(
    r"See merge request (?:\S{0,250}!|https?://\S{1,250}/merge_requests/)(\d{1,9})\.?\s*$"
)


@frozen
class UnwrappedMessage:
    """A message without the wrapping that a forge added.

    ``body`` starts after the title, wherever that was. ``number`` is the request that the wrapping
    names; a number at the end of ``title`` is left there.
    """

    title: str
    body: str
    number: int | None = None


_TITLE_OF_SERIES = lazy(r"Merge '(?P<title>[^']{1,500}(?:'[^']{1,300}){0,4})' from [A-Z]")
"""A merge by hand that quotes what a series does, and whose it is."""


def unwrap_message(commit: Commit) -> UnwrappedMessage:
    """The author's message: the real title and the text below it."""
    subject, body = _rejoined(commit.subject, commit.body)
    number = _merge_request(body)
    if match := _TITLE_IN_SUBJECT.match(subject):
        told_number, title = filter(None, match.groups())
        if match["gitea"]:
            told_number, title = title, told_number
        return UnwrappedMessage(title=title.strip(), body=body, number=int(told_number))
    if (match := _TITLE_OF_SERIES.match(subject)) and " " in match["title"].strip():
        return UnwrappedMessage(title=match["title"].strip(), body=body, number=number)
    if match := _TITLE_IN_BODY.match(subject):
        request = match["github"] or match["bitbucket"] or match["homu"]
        number = int(request) if request else number
        # Below a branch merged by hand there are prose or conflict notes, not a title.
        if number is not None or not match["branch"]:
            title, rest = _first_line(body)
            named = title or _words_of(match["from"] or "") or subject
            return UnwrappedMessage(title=named, body=rest if title else body, number=number)
    if (match := _BORS.match(subject)) and (inner := _BORS_TITLE.match(body)):
        title = _BORS_REVIEWERS.sub("", inner[2].strip())
        return UnwrappedMessage(title=title, body=_first_line(body)[1], number=int(inner[1]))
    if number is None and (match := _MERGED_BY_HAND.match(subject)):
        number = int(match[1])
    return UnwrappedMessage(title=subject, body=body, number=number)


def _words_of(branch: str) -> str:
    """The name of a branch as a title, if it has enough words and no codes."""
    words = re.split(r"[-_]", branch.rpartition("/")[2])
    named = len(words) >= _ENOUGH_WORDS and not any(map(str.isdigit, words))
    readable = named and all(word[1:].islower() or len(word) == 1 for word in words)
    return " ".join((words[0].capitalize(), *words[1:])) if readable else ""


_ENOUGH_WORDS = 4


def _rejoined(subject: str, body: str) -> tuple[str, str]:
    """Subject and body without the cut that forges make in a long title."""
    words, _ = strip_numbers(subject)
    line, _, rest = body.lstrip().partition("\n")
    if words[-1:] != "…" or line[:1] != "…":
        return subject, body
    more, _ = strip_numbers(line[1:].rstrip())
    return f"{words[:-1]}{more}{subject[len(words) :]}", rest.lstrip("\n")


def _merge_request(body: str) -> int | None:
    # The line is near the end, at most followed by trailers; long bodies are not searched whole.
    for line in reversed(body[-4000:].splitlines()):
        if line.startswith("See merge request ") and (match := _MERGE_REQUEST.match(line)):
            return int(match[1])
    return None


def _first_line(body: str) -> tuple[str, str]:
    line, _, rest = body.partition("\n")
    line = line.strip()
    if line.startswith(_NO_TITLES):
        return "", body
    lines = rest.split("\n")
    while len(line) > _WRAPPED and lines and _GOES_ON.match(lines[0]):
        line = f"{line} {lines.pop(0).strip()}"  # a sentence that is wrapped
    if len(line) > _SENTENCE:
        line = next(iter(sentences(line)), line)
    return line[:_LONGEST], "\n".join(lines).strip("\n")


_NO_TITLES = (
    *("See merge request ", "* commit '", "# Conflicts", "Conflicts:"),
    *("Signed-off-by: ", "Co-authored-by: "),
)
_SENTENCE = 160  # characters of a line from which on only its first sentence is the title
_WRAPPED = 40  # characters of a line that has no room for another word
_GOES_ON = lazy(r"(?![A-Z][\w-]{2,30}: |Closes |Fixes |See )[\w(`\"']")
