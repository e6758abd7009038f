"""Authors: their own words as spans and sentences, whether they are programs, and what they own.

Commit messages are data: only the backticks of Markdown are interpreted, to mark identifiers;
everything else stays plain text. Programs are recognised by the names they use.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce

from digest.core.change import Commit
from digest.core.facts import FactKind, Facts
from digest.core.patterns import lazy, matches
from digest.document import Code, Span, Spans, Text
from digest.frozen import frozen

# A match starts where a run of marks starts, and has a bounded length: otherwise a message of only
# backticks, asterisks or blanks would be scanned once for each of its characters.
_CODE = lazy(r"(?<!`)(`{1,9})(?!`)(.+?)(?<!`)\1(?!`)")
_BOLD = lazy(r"(?<![\w*])\*\*(?=\S)(.{1,300}?)(?<=\S)\*\*(?![\w*])")
_BREAK = lazy(r"(?<!\s)\s*[^\S ]\s*")
_END = lazy(
    r"(?:(?<=[.!?])|(?<=[.!?][\"')\]]))\s+(?=[\"'(\[`*A-Z0-9\u4e00-\u9fff-])|(?<=[。！？])\s*(?=\S)"
)
_BULLET = lazy(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
_TITLE = 400
"""Characters of a title that are shown; of 60,000 titles of busy projects four are longer."""

STOPS = ".!?:;,。！？：；，"
_ABBREVIATION = lazy(
    r"(?:\b(?:e\.?g|i\.?e|etc|vs|cf|resp|approx|incl|no|fig|sec|dr|mr|ms|al)|\b[A-Za-z]|^\d+)\.$",
    re.IGNORECASE,
)


def flat(text: str) -> str:
    """The text on one line; doubled blanks of the author stay."""
    return _BREAK.sub(" ", text).strip()


def code_as_spans(text: str) -> Spans:
    """The words on one line with their backticked parts as code."""
    text = flat(text)
    if "`" not in text:
        return (Text(_BOLD.sub(r"\1", text)),) if text else ()
    out: list[Span] = []
    at = 0
    for match in _CODE.finditer(text):
        if match.start() > at:
            before = _BOLD.sub(r"\1", text[at : match.start()])
            glued = before[-1].isascii() and before[-1].isalnum()
            out.append(Text(f"{before} " if glued else before))
        code = match[2].strip()
        out.append(Code(code) if code else Text(match[0]))
        at = match.end()
    if at < len(text):
        out.append(Text(_BOLD.sub(r"\1", text[at:])))
    return tuple(out)


def without_backticks(text: str) -> str:
    """The words on one line without the backticks around code, for places without spans."""
    return flat(_CODE.sub(lambda match: match[2].strip(), text))


def clip_title(text: str, limit: int = _TITLE) -> str:
    """At most ``limit`` characters of a title; a longer one ends at a word with an ellipsis."""
    if len(text) <= limit:
        return text
    head = text[: limit - 1]
    cut = head.rfind(" ")
    return (head[:cut] if cut > limit // 2 else head).rstrip() + "…"


def sentences(text: str) -> list[str]:
    """The sentences of a paragraph in order, each on one line, list items without their marks.

    A sentence ends at a full stop, a question or exclamation mark before something that can begin a
    sentence, or at the end of a list item; abbreviations, initials, "1." and text between backticks
    do not end one.
    """
    out: list[str] = []
    for entry in _entries(text):
        whole = len(out)
        for piece in _END.split(entry):
            if len(out) > whole and _goes_on(out[-1], piece):
                out[-1] += " " + piece
            elif piece:
                out.append(piece)
    return out


def _goes_on(text: str, piece: str) -> bool:
    """Whether an apparent end of a sentence is an abbreviation, or is inside code."""
    inside = "`" in piece and text.count("`") % 2 == 1
    return inside or _ABBREVIATION.search(text) is not None


def _entries(text: str) -> list[str]:
    """The items of a paragraph that is a list, or the paragraph, each on one line."""
    entries: list[list[str]] = []
    for line in text.splitlines():
        bullet = _BULLET.match(line)
        if bullet or not entries:
            entries.append([])
        entries[-1].append(line[bullet.end() :] if bullet else line)
    return [entry for lines in entries if (entry := flat("\n".join(lines)))]


def excerpt(paragraph: str, limit: int) -> tuple[str, bool]:
    """As many whole sentences from the start as fit ``limit``, and whether that is all."""
    # Sentences are never cut. One that announces something not shown ("This fixes:") is left out.
    kept: list[str] = []
    length = 0
    pieces = sentences(paragraph)
    for piece in pieces:
        length += len(piece) + 2
        if length > limit + 2:
            break
        kept.append(piece)
    whole = len(kept) == len(pieces)
    while kept and kept[-1][-1] in ":：":
        kept.pop()
    return reduce(_append_sentence, kept, ""), whole


def _append_sentence(text: str, piece: str) -> str:
    """The text with a sentence appended; items without a full stop are joined by a semicolon."""
    if not text:
        return piece
    if text[-1] in "。！？":
        return text + piece
    return f"{text} {piece}" if text[-1] in STOPS or text[-1] in "\"')]" else f"{text}; {piece}"


_NAME = lazy(r"\[bot\]|(?i:(?:^|[\s_-])(?:ro)?bot$)|^[a-z0-9]{4,}bot$")

_KNOWN = lazy(
    r"(?:dependabot|renovate|github-actions|pre-commit-ci|mergify|pyup|greenkeeper|snyk"
    r"|allcontributors|weblate|codecov|semantic-release|imgbot)\b"
    r"|(?:claude(?: (?:code|\w{3,12} \d).{0,30})?|(?:openai )?codex"
    r"|(?:github )?copilot(?: autofix.{0,30})?|cursor(?: (?:agent|\w{2,12} \d[\d.]{0,5}))?"
    r"|devin ai.{0,20}|gemini(?:[ -]code[ -]assist)?|gpt-\d[\w. -]{0,20}"
    r"|(?:qwen|kimi|glm|deepseek)[ -](?:coder?|[a-z]?\d[\d.]{0,5}))$",
    re.IGNORECASE,
)

_BRANCH = lazy(r"\b(?:from|branch '?) ?\S{0,80}(?:dependabot|renovate|\bbot)\b", re.IGNORECASE)
"""The first line of a merge of a bot's branch."""

_WEAKNESS = frozenset({"advisory", "words"})


def is_bot(author: str, email: str = "") -> bool:
    """Whether a commit was made by a program, by its author's name and email."""
    name = " ".join(author.split())
    return bool(_NAME.search(name) or "[bot]" in email.lower() or _KNOWN.match(name))


def made_by_bot(commit: Commit, facts: Facts) -> bool:
    """Whether a change is a bot's own, and not one that a bot landed for a person."""
    if not is_bot(commit.author, commit.email):
        return False
    if any(not is_bot(name) for name in facts.co_authors):
        return False
    return not (facts.merge and not _BRANCH.search(commit.subject))


def fixes_weakness(facts: Facts) -> bool:
    """Whether the message names an advisory or mentions a vulnerability."""
    return any(fact.detail in _WEAKNESS for fact in facts.of(FactKind.SECURITY))


_PART = lazy(r"[,;] (?:and |but )?| (?:and|but) ")
_SHOWS = lazy(
    r"(?:advise|call|count|display|explain|grade|highlight|list|mention|name|print|quote|render"
    r"|say|show|surface|tell)(?P<form>s|ing|)\b|no (?!longer\b)\w{1,30} (?:about|of)\b"
    r"|leave out of\b",
    re.IGNORECASE,
)
_ALTERS = lazy(
    r"(?:add|allow|block|bump|chang|den[iy]|deprecat|disabl|disallow|drop|enabl|enforc|fix|forbid|mak"
    r"|mov|patch|prevent|rais|refus|reject|remov|renam|replac|requir|set|stop|support|switch|turn"
    r"|updat|upgrad|us)(?P<form>e?s|p?ing|e?)\b(?! (?:by|for|in|of|on|with)\b)",
    re.IGNORECASE,
)


def without_presented(title: str) -> str:
    """The title without its parts about what a program shows.

    *Show advisories of a package* fixes none, and neither does what follows such a part, until a
    verb in the same form says what else is changed.
    """
    parts = _PART.split(title[:_TITLE])
    kept: list[str] = []
    form: str | None = None
    for part in parts:
        if match := _SHOWS.match(part):
            form = (match["form"] or "")[-1:]
        elif (match := _ALTERS.match(part)) and match["form"].rstrip("e")[-1:] == form:
            form = None
        kept += [part] if form is None else []
    return title if len(kept) == len(parts) else ", ".join(kept)


_CAMEL = lazy(r"(?<![\w`./-])[A-Z][a-z]{2,20}[A-Z][a-z]\w{0,40}(?![\w`./-])")


def names_code(title: str) -> bool:
    """Whether a title names a class in plain words, which only those who write the code know."""
    return _CAMEL.search(title[:_TITLE]) is not None


OWNER_FILES = tuple(f"{folder}CODEOWNERS" for folder in (".github/", "", "docs/", ".gitlab/"))
"""Where GitHub and GitLab look for the owners of files; the first file counts."""

_OWNER_SECTION = lazy(r"\^?\[([^\]]{1,200})\](?:\[\d+\])?")
_OWNER_WORD = lazy(r"(?:\\.|[^\s\\])+")
_MOST_OWNED, _LONGEST_OWNED = 2_000, 2_000  # lines of one file, and characters of a line


@frozen
class CodeOwners:
    """Who owns which files by the text of a CODEOWNERS file, as GitHub and GitLab read it."""

    text: str = ""

    def of(self, paths: Iterable[str]) -> tuple[str, ...]:
        """The owners of files, each once, those of most files first."""
        found: Counter[str] = Counter()
        for path in paths:
            for rules in _sections(self.text):
                found.update(next((w for p, w in rules if _covers(p, path)), ()))
        return tuple(owner for owner, _ in found.most_common())


@lru_cache(maxsize=8)
def _sections(text: str) -> Sequence[Sequence[tuple[str, tuple[str, ...]]]]:
    """The patterns of each section with their owners, the last pattern, which counts, first.

    GitHub's files are one section.
    """
    sections: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    section, default = "", ()
    for whole in text.splitlines()[:_MOST_OWNED]:
        line = whole[:_LONGEST_OWNED]
        header = _OWNER_SECTION.match(line.lstrip())
        pattern, *words = _OWNER_WORD.findall(line[header.end() :] if header else line) or [""]
        listed = (pattern, *words) if header else words
        told = listed[: next((at for at, one in enumerate(listed) if one.startswith("#")), None)]
        owners = tuple(one for one in told if "@" in one and len(one) <= 100)
        if header:
            section, default = header[1].casefold(), owners
        elif pattern and pattern[0] != "#":
            owned = re.sub(r"\\(.)", r"\1", pattern.removeprefix("!"))
            named = () if pattern[0] == "!" else owners or default
            sections.setdefault(section, []).insert(0, (owned, named))
    return tuple(sections.values())


def _covers(pattern: str, path: str) -> bool:
    """Whether a pattern of CODEOWNERS matches; there ``docs/*`` does not reach into folders."""
    shallow = pattern.endswith("/*") and "**" not in pattern
    return matches(pattern, path) and not (
        shallow and path.count("/") > pattern.lstrip("/").count("/")
    )


def is_owner(name: str, owner: str) -> bool:
    """Whether a person means the owner: with or without ``@``, a team also without its group."""
    meant, full = name.lstrip("@").casefold(), owner.lstrip("@").casefold()
    return bool(meant) and (full == meant or full.endswith(f"/{meant}"))
