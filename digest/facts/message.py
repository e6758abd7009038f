"""The text below a message's subject: the author's own words, issues and trailers.

A body on a forge is often a filled-in form around little prose. Removed are trailers, headings,
sections that report tests or tick boxes, HTML comments and folded details, fenced and indented
code, quotations, tables, logs, the titles of fix-up commits in a squash list, and machine-written
lines. What remains are sentences, one paragraph or list item per line.

Trailers follow git-interpret-trailers(1): the block is the last paragraph below the subject; it
must contain only trailers, or a line that git itself writes and at least a quarter of trailers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from digest.core.change import Side
from digest.core.facts import Action, Fact, FactKind, Note, Subject
from digest.core.grade import Description
from digest.core.patterns import lazy, read_patterns
from digest.facts import noise
from digest.facts.noise import forms_of, is_machine_line
from digest.facts.side_text import FileSide
from digest.facts.subject import breaking_sections

_LONGEST = 65_536  # characters of a body that are read; GitHub's own limit for one
_MOST_PARAGRAPHS = 60
_LONGEST_PARAGRAPH = 2000
_COMMENT_OPEN, _COMMENT_CLOSE = "<!--", "-->"
_FENCE = lazy(r"\s{0,12}(`{3,}|~{3,})")
_HEADING = lazy(r"\s{0,3}(#{1,6})\s+(.*)$|\*\*([^*]{1,80}?):?\*\*:?\s*$")
_RULE = lazy(r"\s{0,3}(?:-[ -]{2,}|=[ =]{2,}|\*[ *]{2,}|_[ _]{2,})$")
_BULLET = lazy(r"\s{0,12}(?:[*+•-]|\d{1,3}[.)])\s+(.*)$")
_IMAGE = lazy(r"!\[[^\[\]]{0,300}\]\([^()\s]{0,500}\)")
_LINK = lazy(r"\[([^\[\]]{1,300})\]\((?:[^()\s]|\([^()\s]{0,200}\)){0,500}\)")
_AUTOLINK = lazy(r"<(https?://[^<>\s]{1,500})>")
_TAG = lazy(
    r"(?P<code>`[^`\n]{1,300}`)|</?(?:details|summary|br|img|p|div|span|sub|sup|b|i|em|strong|a|table|tr|td|th|thead|tbody"
    r"|ul|ol|li|code|pre|h[1-6]|hr|kbd|center|picture|source|video)\b[^<>]{0,300}>",
    re.IGNORECASE,
)
_STRONG = lazy(r"\*\*([^*]{1,300})\*\*")
_REVERTS = lazy(r"^This reverts commit [0-9a-f]{7,64}\. +(?=\S)")
"""What git writes before the author's own words in the same line."""
_SPACES = lazy(r"\s+")
_REFERENCE = lazy(r"(?<![\w/&#-])(?:#|GH-|gh-)([1-9]\d{0,6})\b(?![\w-])")
_ADDRESS = lazy(
    r"https?://[\w.-]{1,100}(?:/[\w.~-]{1,100}){2,6}?/(?:issues|pull|merge_requests)/(\d{1,7})\b"
)
_KEYWORD = lazy(
    r"\b(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|references?|see(?: also)?|relate[sd](?: to)?"
    r"|part of"
    r"|follow[- ]?up(?: to| of| on)?|address(?:es)?|implements?|issue)\b[\s:]*$",
    re.IGNORECASE,
)
_COUNTED = lazy(
    r"\b(?:step|option|case|rank|gpu|node|worker|phase|part|item|attempt|run)\s*$", re.IGNORECASE
)
_MOST_ISSUES = 50


def read_paragraphs(body: str, titles: Sequence[str] = ()) -> tuple[str, ...]:
    """The author's own words in ``body`` (without trailers), in order; none repeats a title."""
    found: list[str] = []
    known = {_plain(title) for title in titles}
    own = _of_title(_without_comments(body[:_LONGEST]), " ".join(titles).casefold())
    for text in _paragraphs(own):
        cleaned = _inline(text)[:_LONGEST_PARAGRAPH]
        if noise.is_empty(cleaned) or _plain(cleaned) in known:
            continue
        known.add(_plain(cleaned))
        found.append(cleaned)
        if len(found) == _MOST_PARAGRAPHS:
            break
    return tuple(found)


def _of_title(body: str, title: str) -> str:
    """A body without what explains squashed commits of which the title says nothing.

    A branch that another one was merged into brings the commits of that one, too.
    """
    first, *parts = _SQUASHED.split(body)
    steps = list(zip(parts[::2], parts[1::2], strict=True))
    words = {word.rstrip("s") for word in _TELLING.findall(title)}
    kept = [
        f"\n\n* {head}{text}"
        for head, text in steps
        if any(word.rstrip("s") in words for word in _TELLING.findall(head.casefold()))
    ]
    return "".join((first, *kept)) if kept and len(steps) > _STEPS else body


_SQUASHED = lazy(r"(?:\A|\n\r?\n)\* (\S.{3,200}?)(?=\r?\n\r?\n|\s*\Z)")
_TELLING = lazy(r"[^\W_]{4,}")
_STEPS = 4  # squashed commits that most likely are steps of one change


def read_issues(message: str, own: frozenset[int]) -> tuple[int, ...]:
    """Numbers that the message fixes or refers to, in order, without ``own``.

    A full URL counts only after a word such as ``fixes``: any other may belong to another project,
    as ``owner/name#N`` does.
    """
    numbers: list[int] = []
    for line in message[:_LONGEST].splitlines():
        if "#" in line or "-" in line:
            numbers.extend(
                int(match[1])
                for match in _REFERENCE.finditer(line)
                if not _COUNTED.search(line[max(0, match.start() - 24) : match.start()])
            )
        if "://" in line:
            numbers.extend(
                int(match[1])
                for match in _ADDRESS.finditer(line)
                if _KEYWORD.search(line[max(0, match.start() - 24) : match.start()].rstrip("<( "))
            )
    return tuple(n for n in dict.fromkeys(numbers) if n not in own)[:_MOST_ISSUES]


@dataclass(slots=True)
class _Reading:
    """The state of a pass over the lines of a body."""

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
    state = _Reading(forms=noise.forms_of(text))
    for line in text.splitlines():
        if not _opaque(state, line):
            yield from _read_line(state, _REVERTS.sub("", line))
    yield from state.flush()


def _opaque(state: _Reading, line: str) -> bool:
    """Whether the line is in, opens or closes something whose lines are not prose."""
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
    elif state.skipping or noise.is_machine_line(line, state.forms):
        return
    elif bullet := _BULLET.match(line):
        yield from state.flush()
        state.item = True
        if not noise.is_fixup(bullet[1]) and not noise.is_machine_line(bullet[1], state.forms):
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
    return level if noise.is_unwanted_section(name) else 0


def _without_comments(text: str) -> str:
    parts: list[str] = []
    while (start := text.find(_COMMENT_OPEN)) >= 0:
        parts.append(text[:start])
        end = text.find(_COMMENT_CLOSE, start)
        text = text[end + len(_COMMENT_CLOSE) :] if end >= 0 else ""
    parts.append(text)
    return "".join(parts)


def _inline(text: str) -> str:
    """The text on one line without Markdown markup; the text of links is kept."""
    text = text[: 2 * _LONGEST_PARAGRAPH]
    if "[" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub("", text))
    if "<" in text:
        text = _TAG.sub(_kept, _AUTOLINK.sub(r"\1", text))
    if "**" in text:
        text = _STRONG.sub(r"\1", text)
    return _SPACES.sub(" ", text).strip()


def _kept(tag: re.Match[str]) -> str:
    """What stays of a tag: nothing, unless it is told as code."""
    return tag["code"] or ""


def _plain(text: str) -> str:
    return _SPACES.sub(" ", text).strip(" .").casefold()


_MOST = 80  # lines of a message that are read: later ones are not its point
_FOREIGN = ("release notes", "details", "changelog", "commits", "summary>")
"""Start of another project's text, which bots copy below an update of a dependency."""

_MESSAGE_LINES_LONGEST = 600  # characters of a line that are read


def message_lines(message: str) -> Iterator[tuple[int, str]]:
    """(Number, text) of the lines written by a person; the subject is line 1."""
    fenced, forms = False, forms_of(message)
    for number, line in enumerate(message.lstrip("\n").split("\n")[:_MOST], start=1):
        text = line.strip()
        if text.lower().strip("#*<> ").startswith(_FOREIGN):
            break
        if text.startswith(("```", "~~~")):
            fenced = not fenced
        elif text and not fenced and (number == 1 or not is_machine_line(line, forms)):
            yield number, text[:_MESSAGE_LINES_LONGEST]


MESSAGE = FileSide(path="", side=Side.MESSAGE)
"""The message as the side whose lines show a fact."""

_TRAILER = lazy(r"([A-Za-z0-9-]{1,60})[ \t]*:(?!//)[ \t]*(.*)")
_GITS_OWN = ("Signed-off-by: ", "(cherry picked from commit ")
_PERSON = lazy(r"([^<]*)<([^<>]*)>?")
_TRAILERS_LONGEST = 200  # characters of a person's name; longer ones flood readers
Trailers = tuple[tuple[str, str], ...]


def split_trailers(body: str) -> tuple[str, Trailers]:
    """The text above the block and its (token, value) pairs in order; continuations are joined."""
    lines = body.rstrip().split("\n")
    start = len(lines)
    while start > 0 and lines[start - 1].strip():
        start -= 1
    block = lines[start:]
    pairs = _read(block)
    if not pairs or not _is_block(block):
        return body, ()
    return "\n".join(lines[:start]).rstrip(), tuple(pairs)


def trailer(line: str) -> tuple[str, str] | None:
    """The (token, value) of a line with the form of a trailer."""
    match = _TRAILER.match(line)
    return (match[1], match[2].strip()) if match else None


def co_authors(lines: Iterable[str], author: str, email: str) -> tuple[str, ...]:
    """Names in ``Co-authored-by`` lines, each once, without the author.

    Squashed requests also leave such lines above the last paragraph, so every line counts.
    """
    seen = {author.casefold(), email.casefold()}
    names: list[str] = []
    for line in lines:
        if line[:15].lower() != "co-authored-by:" or not (person := _PERSON.match(line[15:])):
            continue
        name, address = person[1].strip(), person[2].strip()
        name = (name or address)[:_TRAILERS_LONGEST]
        if not name or {name.casefold(), address.casefold()} & seen:
            continue
        seen |= {name.casefold(), address.casefold()} - {""}
        names.append(name)
    return tuple(names)


def _is_block(lines: list[str]) -> bool:
    own = trailers = others = 0
    for line in lines:
        if line.startswith(_GITS_OWN):
            own += 1
        elif _TRAILER.match(line):
            trailers += 1
        elif not line[:1].isspace() and not line.startswith("#"):
            others += 1
    return others == 0 or (own > 0 and (own + trailers) * 3 >= others)


def _read(lines: list[str]) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for line in lines:
        if line[:1].isspace() and pairs:
            token, value = pairs[-1]
            pairs[-1] = (token, f"{value} {line.strip()}"[:1000])
        elif found := trailer(line):
            pairs.append(found)
    return pairs


_NOTE = lazy(
    r"```[ \t]{0,3}release-notes?[ \t]{0,3}\r?\n((?:(?!```).){1,1500})```",
    re.DOTALL | re.IGNORECASE,
)
_NO_NOTE = frozenset({"", "none", "n/a", "na", "no", "nil", "-"})


def read_note(body: str) -> tuple[Note, ...]:
    """The note for users for which many projects ask in the form of a request."""
    match = _NOTE.search(body[:_LONGEST])
    told = [(match.start(1), "", " ".join(match[1].split()))] if match else []
    told += [(start, "breaking", text) for start, text in breaking_sections(body[:_LONGEST])]
    return tuple(
        Note(mark=mark, text=text, evidence=MESSAGE.evidence(body.count("\n", 0, start) + 1))
        for start, mark, text in told
        if text.strip(".").casefold() not in _NO_NOTE
    )


def read_description(title: str, body: str, labels: tuple[str, ...] = ()) -> Description:
    """The author's description of a request, without its form, tests and checklists."""
    note = "".join(note.text for note in read_note(body) if not note.mark)
    return Description(paragraphs=read_paragraphs(body, (title,)), note=note, labels=labels)


INSTEAD = re.compile(
    r"\b(?:[Uu]se|[Pp]refer|[Pp]lease|[Ss]ee|instead|in favou?r of|[Rr]eplaced (?:by|with)"
    r"|[Rr]enamed (?:as|to)|[Ss]witch to|[Mm]igrate to)\b"
)
QUOTED_NAME = re.compile(r"[`'\"](?P<name>-{0,2}[A-Za-z_][\w.:/-]{1,80})(?:\(\))?[`'\"]")
JOINED = re.compile(r"\s*(?:,|/|,?\s+(?:and|or))\s*$")
NO_NAMES = frozenset(["deprecated", "true", "false", "none", "null", "this", "it", "and", "or"])
_SPELLED = lazy(r"[_.:\d]|^-|[a-z][A-Z]|^[A-Z]+_")


def find_deprecations(message: str, subject: Subject) -> Iterator[Fact]:
    """What the message says is deprecated, or removed after it was."""
    low = message.lower()
    told = any(hint in low for hint in ("deprecat", "obsolete", "support for", "support of"))
    for number, line in message_lines(message) if told else ():
        text = subject.words if number == 1 and subject.title.startswith(line[:40]) else line
        match = _SAID.match(text)
        if match is None and number == 1 and (also := _ALSO.search(text)):
            match = _SAID.match(text, also.end())
        if match is None or (number > 1 and not text.lstrip("-*+ ")[:1].isupper()):
            continue  # the middle of a sentence
        for name in chain.from_iterable(
            map(_expanded, _named(INSTEAD.split(match["rest"], maxsplit=1)[0]))
        ):
            if " " not in name and not _SPELLED.search(name) and f"`{name}" not in text:
                continue
            action = Action.ADDED if match["deprecate"] else Action.REMOVED
            own = name.removesuffix("()").replace("#", ".") if "#" in name else name
            yield MESSAGE.fact(FactKind.DEPRECATION, action, own, number, detail="message")


_ALSO = lazy(r"(?:,\s+(?:and\s+)?|\s(?:and|&)\s+)(?=deprecate)", re.IGNORECASE)
"""Where a title goes on to what it deprecates."""


def _expanded(name: str) -> list[str]:
    """The names in a notation with alternatives: ``a_{b,c}`` means ``a_b`` and ``a_c``."""
    start, brace, rest = name.partition("{")
    listed, closed, end = rest.partition("}")
    return [f"{start}{part}{end}" for part in listed.split(",")] if brace and closed else [name]


_SAID = lazy(
    r"(?:[-*+]\s+)?"
    r"(?:(?P<deprecate>deprecat(?:e[sd]?|ing(?!.{1,90} (?:is|are|was|were|will|would|needs?)\b))"
    r"|mark(?:s|ed|ing)?(?=.{3,120}\bas deprecated))"
    r"|(?:remov"
    r"(?:e[sd]?|ing)|drop(?:s|ped|ping)?|delet(?:e[sd]?|ing))\s+"
    r"(?:the\s+|all\s+|some\s+|old\s+)?(?:deprecated|obsolete|(?P<support>support\s+"
    r"(?:for|of))))\s+(?:the\s+|support\s+(?:for|of)\s+)?"
    r"(?P<rest>(?!(?:for|in|by|since|from|as|on|to|with|at)\s)\S.{0,200})",
    re.IGNORECASE,
)
_PHRASES = read_patterns("digest.facts", "words.toml", "message")
_SAID_END, _ONE_NAME, _LINT = (_PHRASES[name] for name in ("said_end", "one_name", "lint"))


_ONE_USE = lazy(
    r"(?!(?:the )?(?:us(?:ag)?e|support) (?:of|for) )(?:[\w-]+ ){1,5}(?:of|for|in|on|with|to|as) "
)
"""The one use of a name that goes, while the name stays."""


def _named(rest: str) -> list[str]:
    """The quoted names at the beginning of a text, else its first words."""
    quoted: list[str] = []
    end = 0
    if _LINT.match(rest):
        return []
    for match in QUOTED_NAME.finditer(rest[:160]):
        if match.start() > end + (0 if not quoted else 8) + (40 if not quoted else 0):
            break
        if not quoted and (
            _ONE_USE.match(rest, 0, match.start()) or rest.startswith("-", match.end())
        ):
            return []
        if not quoted or JOINED.search(rest[end : match.start()]):
            quoted.append(match["name"])
        end = match.end()
    if quoted:
        return quoted
    if rest.split(" ", 1)[0].lower() in NO_NAMES:
        return []
    if whole := _ONE_NAME.match(rest):
        return [whole["quoted"] or whole["bare"]]
    said = _SAID_END.search(rest)
    name = (rest[: said.start()] if said else rest).strip(" `'\".")[:80]
    return [name] if name else []
