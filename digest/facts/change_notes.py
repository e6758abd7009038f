"""Entries that a change adds to the project's own changelog, with the mark above them.

In projects that ask for an entry with the code, it says what the change means to users. Files are a
changelog (``CHANGELOG.md``, ``HISTORY.rst``) or fragments in a folder
(``newsfragments/12.removal.rst``, ``.changeset/x.md``). A commit with many entries prepares a
release and yields none.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from digest.core.change import FileChange, FileStatus, Side
from digest.core.facts import Area, Evidence, Note
from digest.core.patterns import lazy, read_patterns
from digest.core.release import VERSION_NUMBER, version_number
from digest.facts.help_text import clean
from digest.facts.similarity import Worded

if TYPE_CHECKING:
    from digest.facts.side_text import FileContext, SideLines

_FILE = lazy(
    r"(?:^|/)(?:change[-_]?logs?|changes|history|news|release[-_]?notes|releases)"
    r"(?:[-_.][\w.-]{1,20})?\.(?:md|rst|txt|adoc|markdown)$",
    re.IGNORECASE,
)

_FRAGMENT = lazy(
    r"(?:^|/)(?:changelog\.d|changelogs?|newsfragments|changes|\.changesets?|unreleased\w{0,20}"
    r"|\.chloggen|releasenotes/notes)/(?:[\w.-]{1,80}/){0,2}[\w.+-]{1,80}\.(?:md|rst|txt|ya?ml|toml)$"
    r"|(?:^|/)(?:changelog\.d|changes|newsfragments)/[\w+-]{1,40}\.[a-z]{3,12}(?:\.\d)?$",
    re.IGNORECASE,
)

_GUIDE = lazy(
    r"(?:^|/)(?:upgrad(?:e|ing)|breaking[-_]changes?|porting[-_]guides?)(?:[-_/][\w./-]{1,80})?"
    r"\.(?:md|mdx|rst|txt|adoc)$|(?:^|/)(?:UPDATING|MIGRAT(?:ING|ION))(?:\.(?:md|rst|txt))?$"
    r"|^(?:[\w.-]{1,40}/){0,2}migration(?:[-_]guide)?\.(?:md|mdx|rst)$",
)
_PLANNED = lazy(r"(?:^|/)openspec/|/(?:design|proposal|spec|tasks)\.md$")
"""Files about a change that is to be made, in folders that look like those of a changelog."""

_NOT_OURS = lazy(r"(?:^|/)(?:vendor|node_modules|third[-_]party|tests?|testdata)/")

INTERNAL = "internal"
"""The mark of entries that are meant for the project's own developers or users of its code."""

_AUDIENCE = lazy(
    r"(?:audience|change_logs?): *\[? *[\"']?(?:api|developers?|internal)[\"']? *\]? *"
)
"""The line of a fragment that only concerns those who write code."""
_FOR_ALL = frozenset({"breaking", "deprecated", "removed", "security"})
"""Marks that count for them as well, and for which a line of words is a heading."""


_MARKS = read_patterns("digest.facts", "words.toml", "change_notes")

_BULLET = lazy(r" {0,6}[-*+•] +(?=\S)")
_HEADING = lazy(r" {0,3}(?:#{1,6} +|\*\*(?=[^*]{3,60}\*\*:? *$))(?P<text>.{1,120})")

_PLAIN_HEADING = lazy(r"(?P<text>[A-Z][a-z]+(?: [a-z]+){0,3}):\s*")
"""A line of words before entries, which is a heading if it says what they are."""

_TAG = lazy(
    r"(?:\[[A-Za-z /_-]{2,40}\]|\*\*[^*]{2,40}\*\*:?|:\w{2,30}:|⚠️?|💥|BREAKING[ :A-Z]{0,20}"
    r"|\*[A-Z][a-z]{2,20}\*:|(?:Potential(?:ly)? b|B)reaking(?: change)?:|(?i:action required):)"
)

_FRONT = lazy(
    r"(?:change_type|kind|type|[\"']?[\w@/.-]{1,80}[\"']?): *[\"']?(?P<mark>\w{3,20})[\"']?"
)

_KEY = lazy(r"(?P<key>[a-z_]{2,30}): +[\"']?(?P<value>\S.{0,500}?)[\"']?")
_TEXTS = frozenset({"body", "description", "note", "summary", "text"})
"""Keys of fragments in YAML under which the entry is; others say where it belongs."""

_EVERYWHERE = frozenset({"*", "all", "any", "general", "other"})
"""Names of a component that are none."""

_OTHER = lazy(r"\s*[a-z_]{2,30}:(?:\s|$)|#|By \[")
"""Lines that do not go on with the text above: another key, a comment, or whose entry it is."""

_TITLE = lazy(r"\*\*[^*.]{12,120}\*\*")
_SECTION = lazy(r"(?P<mark>[a-z]{3,20}(?:_[a-z]{3,20})?):")
_SECTIONS = {"minor_changes": "added", "known_issues": ""}
"""Sections of fragments whose names say something else than their words."""

MOST = 4  # maximum entries of one change; a commit with more prepares a release
RELEASES = lazy(
    r"(?:(?:bump|cut|tag) (?:the )?(?:release|version)|cut v?\d|version packages)\b"
    r"|prepar(?:e|ing) (?:(?:for|next|the|v?\d[\w.]{0,20}) ){0,3}(?:development|release|version)\b"
    r"|version bump\b|bump (?:main|master|trunk)(?: branch)? to v?\d"
    r"|releases?$|releases? (?:[\w@/-]{1,40} )?v?\d{1,5}\.\d|v?\d{1,5}(?:\.\d{1,5}){1,3}\S{0,10}$"
    r"|(?!(?:add|allow|drop|require|support|update|upgrade|use) )"
    r"[\w@/-]{1,40} v?\d{1,5}(?:\.\d{1,5}){2}(?:-\S{1,10})?$",
    re.IGNORECASE,
)
"""Titles of changes that prepare a release, whose entries are those of others."""

_LONGEST = 400  # maximum characters of an entry
_MOST_LINES = 8


def is_change_note(path: str) -> bool:
    """Whether the file is a changelog or a fragment of one."""
    found = _FILE.search(path) or _FRAGMENT.search(path)
    return found is not None and not _PLANNED.search(path)


def is_upgrade_guide(path: str) -> bool:
    """Whether the file tells what users have to change for a new version."""
    return bool(_GUIDE.search(path)) and not _NOT_OURS.search(path)


def is_keyed(path: str) -> bool:
    """Whether the file is a fragment in YAML, which names the text for users."""
    return path.endswith((".yaml", ".yml")) and bool(_FRAGMENT.search(path))


def wants(file: FileChange, area: Area, language: str) -> bool:  # noqa: ARG001 - the finders' protocol
    """Whether the heading above an added entry is needed."""
    return file.status is FileStatus.MODIFIED and file.added > 0 and bool(_FILE.search(file.path))


def find(scene: FileContext) -> Iterator[Note]:
    """The entries that a changelog or a fragment gains."""
    _, new = scene.lines
    if not _FILE.search(scene.file.path):
        if scene.file.status is FileStatus.MODIFIED:
            return iter(())  # the entry of an earlier change, worded better
        aside = any(_AUDIENCE.fullmatch(line) for _, line in new.changed)
        notes = _fragment(scene.file, new)
        return (replace(n, mark=INTERNAL) if aside and n.mark not in _FOR_ALL else n for n in notes)
    return entries(new, [line for hunk in scene.file.hunks for line in hunk.removed])


def entries(new: SideLines, removed: Sequence[str] = ()) -> Iterator[Note]:
    """The entries among the changed lines of a changelog, without those that were there before."""
    heading, last, gone, worded = "", 0, {bare(line) for line in removed}, Worded(removed)
    above = _Above(new)
    for number, line in new.changed:
        if text := _heading(line):
            heading = text
        elif (bullet := _BULLET.match(line)) and bare(line) not in gone:
            if line.startswith("  ") and number == last + 1:
                last = number
                continue  # a point of the entry above
            if worded.has(line):
                continue
            text, last = _paragraph(new, number, line[bullet.end() :]), number
            mark = _tagged(text) or mark_of(heading or above.heading(number))
            yield _note(new, number, mark, text)
        elif number == last + 1 and not line[:2].strip():
            last = number


class _Above:
    """The headings above lines; each line of a file is looked at once."""

    def __init__(self, lines: SideLines) -> None:
        self._lines = lines
        self._text, self._at, self._seen = "", -_REACH, 0

    def heading(self, number: int) -> str:
        """The nearest heading above a line; the lines come in order."""
        above = enumerate(self._lines.above(number, min(number - self._seen, _REACH)), 1)
        for far, line in above:
            if told := _heading(line):
                self._text, self._at = told, number - far
                break
        self._seen = number
        return self._text if number - self._at <= _REACH else ""


_REACH = 200  # lines between a heading and its entry


def tagged(notes: Sequence[Note]) -> tuple[Note, ...]:
    """The notes with the marks that the tags at their beginnings give."""
    return tuple(replace(note, mark=note.mark or _tagged(note.text)) for note in notes)


def own(notes: Sequence[Note], number: int | None) -> tuple[Note, ...]:
    """The entries of a request: if some name it, those that name others came with a merge."""
    named = [_REQUESTS.findall(note.text) for note in notes]
    if number is None or not any(str(number) in those for those in named):
        return tuple(notes)
    known = zip(notes, named, strict=True)
    return tuple(note for note, those in known if not those or str(number) in those)


_REQUESTS = lazy(r"(?:(?<![\w/])#|/(?:pull|issues|merge_requests)/|/commit/(?=\w))(\d{1,9}\b|)")
"""The numbers that an entry refers to; a commit has none."""


def _heading(line: str) -> str:
    """The text of a heading, or nothing."""
    plain = _PLAIN_HEADING.fullmatch(line)
    match = _HEADING.match(line) or (
        plain if plain and mark_of(plain["text"]) in _FOR_ALL else None
    )
    return match["text"] if match else ""


def _paragraph(new: SideLines, number: int, text: str, *, apart: bool = False) -> str:
    """The text of an entry with the lines below it that continue it.

    Those of an entry in a file of its own, which stands ``apart``, may begin at the margin.
    """
    for at in range(number + 1, number + _MOST_LINES):
        line = new.whole[at - 1] if at <= len(new.whole) else new.texts.get(at, "")
        other = _BULLET.match(line) or (apart and _OTHER.match(line))
        begins = line[:1].strip() and not (line[0].islower() or line[0] in "`(")
        code = line.lstrip().startswith("```")
        if not line.strip() or other or code or (begins and not apart):
            break
        text += f" {line.strip()}"
    return text


def _fragment(file: FileChange, new: SideLines) -> Iterator[Note]:
    """One entry, with its mark from the file's name, its front matter or its folder's name."""
    parts = [_sort_in(part) for part in re.split(r"[/.]", file.path)[::-1]]
    mark = next((m for m in map(mark_of, parts) if m), "")
    keyed, part, above = is_keyed(file.path), "", ""
    for number, line in new.changed:
        text = line[bullet.end() if (bullet := _BULLET.match(line)) else 0 :].strip()
        key = _KEY.fullmatch(line.rstrip()) if keyed else None
        if key and key["key"] == "component":
            part = "" if key["value"] in _EVERYWHERE else f"{key['value']}: "
        elif match := _FRONT.fullmatch(text):
            named = match["mark"].lower().replace("_", " ")
            mark = {"major": "breaking"}.get(named, mark_of(named)) or mark
        elif match := _SECTION.fullmatch(line.rstrip()):
            section = match["mark"].replace("_", " ")
            mark = _SECTIONS.get(match["mark"], mark_of(section))
        elif not key or key["key"] in _TEXTS:
            text = key["value"].strip("|>+-") if key else text
            if line.startswith("#"):
                text = text.lstrip("#") if not keyed and text.count(" ") > _MOST_WORDS else ""
            elif text and (above or not _TITLE.fullmatch(text)):
                text = _paragraph(new, number, text, apart=True).rstrip("\"'" if key else "")
            elif text:  # more about it follows
                above = f"{text.strip('*')}: "
                continue
            if len(text) > 12 and not line.startswith(("---", ":", "..")):
                text = above + text
                yield _note(new, number, _tagged(text) or mark, part + text)
                return


def _sort_in(name: str) -> str:
    """What may name the sort of an entry in a part of a path: a title says it in its first word."""
    words = re.split(r"[_-]", name)
    return words[0] if len(words) > _MOST_WORDS else " ".join(words)


_MOST_WORDS = 3  # words of a name that is no title


def with_breaks(new: SideLines) -> Iterator[Note]:
    """The entries, and the paragraphs below them that begin by saying that something breaks."""
    told = {note.evidence.line: note for note in entries(new)}
    for number, line in new.changed:
        if number not in told and _BREAKS.match(line):
            told[number] = _note(new, number, "breaking", line)
    return map(told.__getitem__, sorted(told))


_BREAKS = lazy(r"\W{0,9}BREAKING(?: CHANGES?)?\b\W{1,9}\w")


def _note(new: SideLines, number: int, mark: str, text: str) -> Note:
    return Note(mark=mark, text=" ".join(text.split())[:_LONGEST], evidence=new.evidence(number))


def guides(files: Collection[str], first: tuple[int, ...], last: tuple[int, ...]) -> list[str]:
    """The guides on upgrading and notes on some releases among files, nearest to the root first."""
    notes = {one: own for one in files if (own := _version_of(one))}
    found = [one for one, own in notes.items() if first < version_number(own) <= last]
    found += [one for one in files if one not in notes and _is_guide(one)]
    return sorted(found, key=lambda path: (path not in notes, path.count("/"), path))


_NOTES = lazy(
    r"(?:^|/)(?:releases?/v?(\d+(?:\.\d+)+)|upgrading/(?:\d+[-_]to[-_]v?)(\d+))\.(?:md|rst|txt)$"
)


def _is_guide(path: str) -> bool:
    return is_upgrade_guide(path) or is_upgrade_guide(path.lower())


def _version_of(path: str) -> str:
    """The release that a page is about: *releases/7.4.md*, *upgrading/3-to-4.md*."""
    match = _NOTES.search(path)
    return "" if match is None else match[1] or f"{match[2]}.0"


_ACTS = lazy(r"upgrade considerations|incompatib|\bbreaking\b|\bdeprecat|\bremov", re.IGNORECASE)
"""Headings of notes on a release above what users have to act on."""


def guided(
    path: str, text: str, first: tuple[int, ...], last: tuple[int, ...]
) -> Iterator[tuple[str, Note]]:
    """The headings of a guide on upgrading below those of some releases, with the release."""
    own, fenced = _version_of(path), False
    whole = _is_guide(path)  # all of it is about what to act on
    release, level = (own, 1) if own and whole else ("", 0)
    lines = text.split("\n")
    for number, (line, under) in enumerate(zip(lines, [*lines[1:], ""], strict=True), 1):
        fenced ^= line.lstrip().startswith("```")
        marked = _MARKED.match(line)
        depth = len(marked[1]) if marked else 2 if line.strip() and _UNDER.fullmatch(under) else 0
        fenced = fenced and depth <= _COMMENTS  # a fence may not have been closed
        if fenced or not depth:
            continue
        if release and (depth > level or (own and whole)):
            if depth == level + 1:
                at = Evidence(path=path, line=number, side=Side.NEW)
                yield release, Note(mark="", text=marked["text"] if marked else line, evidence=at)
            continue
        named = VERSION_NUMBER.findall(line[:80])
        found, level = ([own] if _ACTS.search(line) else []) if own else named, depth
        release = found[-1] if found and first < version_number(found[-1]) <= last else ""


_MARKED = lazy(r"(#{1,6}) +(?P<text>.{1,200})")
_UNDER = lazy(r"-{4,}\s*")
_COMMENTS = 2  # signs before comments in code, as before headings


def mark_of(text: str) -> str:
    """The mark that a heading, a tag or a name gives, the most important first; or empty."""
    return next((name for name, rule in _MARKS.items() if rule.search(text[:200])), "")


def without_mark(text: str, authors: Collection[str] = ()) -> str:
    """An entry without its mark, links, number and authors; the part that it is about stays."""
    text = _TAGGED.sub("", text)
    if (named := _NAMED.search(text)) and any(" " in a and a in named[1] for a in authors):
        text = text[: named.start()]
    if part := _PART.match(text):
        own = mark_of(part[1]) or part[1].casefold() in _EVERYWHERE
        text = f"{'' if own else f'{part[1]}: '}{text[part.end() :]}"
    text = _LED.sub("", _WEB.sub(r"\1", text))
    text = _CREDIT.sub("", text)
    told = NUMBER.sub("", clean(text) or (text if _UNSPACED.search(text) else ""))
    return "" if told.endswith(":") else told  # before code


_TAGGED = lazy(
    r"^[⚠️💥 ]{0,4}(?:(?:`?\[?[A-Z][A-Z/ -]{2,30}(?:[\]:]+`?|`)|[A-Za-z]{2,20}:\*\*"
    r"|\*[A-Z][a-z]{2,20}\*:|Breaking(?: change)?:|\[?(?i:action required)[\]:]{1,2})\s*){0,4}"
)
_NAMED = lazy(r"\s*\(([^()]{3,200})\)\.?$")
_UNSPACED = lazy(r"[\u4e00-\u9fff]{6}")
"""A text in Chinese, of which words are not counted."""
_PART = lazy(r"\*\*([^*]{2,60}?):?\*\*:?\s+")
_WEB = lazy(r"\[([^\[\]]{1,80})\]\(https?:[^()\s]{1,300}\)")
_LED = lazy(r"^(?:#\d{1,9}(?=[: ]))?[:*\s]{0,6}|\*breaking[^*]{0,20}\*\s{0,4}")
"""The number of an entry before it, and a mark inside it."""
_CREDIT = lazy(
    r" \(\[?#\d{1,9}\]?\)(?=\. )|"
    r"\s*\((?:,? ?\[@[\w-]{1,40}\]\[\]){1,9}\)$"
    r"|(?:(?<! at)(?<! for)(?<! from)(?<! in)(?<! of)(?<! on)(?<! to)(?<! with)"
    r"\.?\s{1,4}(?:- |by |in |see )?(?:#[\d?]{1,9}|\(?@[\w-]{1,40}[,)]?|https?://\S{1,200})){1,9}\.?$"
)
"""Whose entry it is, and where it was discussed."""
NUMBER = lazy(
    r"[ (\[]*(?:(?:,|and|&)? {0,2}(?:(?:issue|pr|pull request)s? )?#\d{1,9}\s?){1,5}[\]).:]*$",
    re.IGNORECASE,
)


def _tagged(text: str) -> str:
    """The mark among the tags at the start of an entry."""
    tags: list[str] = []
    while len(tags) < 4 and (match := _TAG.match(text)):
        tags.append(match[0])
        text = text[match.end() :].lstrip(" :-")
    return mark_of(" ".join(tags))


def bare(line: str) -> str:
    """The letters with which an entry begins; one that is only worded better keeps them."""
    return re.sub(r"[^a-z]+", "", line[:_LONGEST].lower())[:40] or line.strip()


_GROUP = lazy(r"[*-] (?P<text>[A-Z][a-z]+(?: [a-z]+){0,2}):?\s*")
"""An item of a list that is a heading of the items below it: *Breaking changes*."""
_NESTED = lazy(r" {2,4}(?=[*-] )")


def sections(
    text: str, first: tuple[int, ...], last: tuple[int, ...]
) -> Iterator[tuple[str, str, tuple[tuple[int, str], ...]]]:
    """The numbered lines of the releases, with the release and the heading above them."""
    part: list[tuple[int, str]] = []
    release, heading, inside, indent = "", "", False, 0
    lines = text.split("\n")
    for number, (line, below) in enumerate(zip(lines, [*lines[1:], ""], strict=True), 1):
        if (group := _GROUP.fullmatch(line)) and (nested := _NESTED.match(below)):
            line, indent = f"### {group['text']}", nested.end()  # noqa: PLW2901 - a heading
        elif line[:indent].strip():
            indent = 0
        else:
            line = line[indent:]  # noqa: PLW2901 - an entry below a heading in a list
        if line.startswith("#"):
            yield release, heading, tuple(part)
            heading, part = line, []
            if match := VERSION_NUMBER.search(line[:80]):
                release = match[0]
                inside = first < version_number(release) <= last
            item = next((one for one in lines[number : number + 2] if one.strip()), "")
            indent = nested.end() if indent == 0 and (nested := _NESTED.match(item)) else indent
        if inside:
            part.append((number, line))
    yield release, heading, tuple(part)
