"""A sentence taken apart: its spans, and the names and numbers in it.

Names and numbers are :class:`Atom`; the skeleton is the sentence with each atom as one character,
so that patterns such as "from X to Y" can be matched without knowing X and Y.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from digest.document import Code, Emphasis, Span, Spans, Strong, Text
from digest.frozen import frozen

FIRST, LAST = "\ue000", "\uf8ff"
"""The characters that represent atoms in a skeleton; no statement contains them itself."""

ATOM = f"[{FIRST}-{LAST}]"


class Sort(Enum):
    """The kind of an atom."""

    CODE = auto()  # between backticks, whatever it is
    NAME = auto()  # outside of them, looks like the name of something in code
    WORD = auto()  # outside of them, perhaps a name: an acronym, or letters with digits
    NUMBER = auto()
    QUOTE = auto()  # a short text between double quotes


@frozen(kw_only=False)
class Atom:
    """A name or number as in the sentence, without its marks."""

    sort: Sort
    text: str


@frozen(kw_only=False)
class Wording:
    """A sentence taken apart."""

    spans: Spans
    atoms: tuple[Atom, ...]
    skeleton: str

    def atom(self, mark: str) -> Atom:
        """The atom that a character of the skeleton represents."""
        return self.atoms[ord(mark) - ord(FIRST)]

    @property
    def names(self) -> list[str]:
        """The texts of the atoms that name something in code."""
        return [a.text for a in self.atoms if a.sort in {Sort.CODE, Sort.NAME}]


_MARKED = re.compile(
    r"(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)"
    r"|(?<![\w*])\*\*(?=\S)(?P<strong>[^*`]+?)(?<=\S)\*\*(?![\w*])"
    r"|(?<![\w*])\*(?=\S)(?P<emphasis>[^*`]+?)(?<=\S)\*(?![\w*])"
)
_RUN = re.compile(r"[!-~]+")
_QUOTED = re.compile(r"[\"“]([^\"“”\s][^\"“”]{0,38})[\"”]")
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9_.])v?\d[\d_]*(?:,\d{3}(?!\d))*(?:\.\d+)*(?:e[-+]?\d+)?(?![\d_])", re.IGNORECASE
)
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)\b")
_ENUMERATED = re.compile(r"\(\d{1,2}\)|^\d{1,2}[.)](?=\s)")
_ABBREVIATION = re.compile(r"(?:[A-Za-z]\.){1,3}[A-Za-z]?")

# Bold or italics around words that include code, which needs no emphasis.
_MIXED_WEIGHT = re.compile(r"(?<![\w*])(\*\*?)(?=[^\s*])([^*]*`[^*]*)(?<=\S)\1(?![\w*])")
_FLAG = re.compile(r"--[A-Za-z][\w.-]*(?:=\S+)?|-[A-Za-z]{2,}\w*=\S+")
_MIXED = re.compile(r"(?=\w*[A-Za-z])(?=\w*\d)\w+")
_UNIT = re.compile(r"v?\d[\d._]*(?:e[-+]?\d+)?[A-Za-z%µ/]{0,6}")
_ACRONYM = re.compile(r"[A-Z]{2,}s?")
_HUMPED = re.compile(r"[a-z][A-Z]|[A-Z]{2,}(?:[a-rt-z]|s\w)")
_DOTTED = re.compile(r"\.?[A-Za-z_]\w*(?:(?:\.|::|->|#)~?[A-Za-z_]\w*)+(?:\(\))?")
_FILE = re.compile(r"[\w.-]*[A-Za-z_][\w-]*\.[A-Za-z]\w{0,9}(?:\.\w+)*(?::\d+)?")
_CALL = re.compile(r"[A-Za-z_][\w.:]*\(.*\)")
_CALLED = re.compile(r"([A-Za-z_][\w.]*)\((?!e?s\b)")
_PLURAL = re.compile(r"\w+\((?:e?s)\)")
_VARIABLE = re.compile(r"\$\{?\w+\}?|%\(\w+\)s|\*{1,2}[a-z_]\w*")
_ASSIGNED = re.compile(r"[A-Za-z_][\w.-]*={1,2}[^=\s]\S*")

# Word pairs that are no paths; every other pair must occur in the change.
_PAIRED = frozenset(
    """
    and/or read/write on/off input/output client/server yes/no true/false send/receive
    load/store save/load start/stop push/pull request/response add/remove encode/decode
    before/after import/export enable/disable enabled/disabled prefill/decode either/or
    open/close get/set success/failure pass/fail old/new his/her he/she i/o n/a tokens/s
    token/s req/s
    """.split()  # noqa: SIM905 - a list a word a line would take a page
)


def take_apart(text: str) -> Wording:
    """The spans, atoms and skeleton of a sentence."""
    text = _MIXED_WEIGHT.sub(r"\2", text)
    reader = _Reader()
    at = 0
    for match in _MARKED.finditer(text):
        reader.plain(text[at : match.start()])
        if match["code"] is not None:
            reader.code(match["code"].strip())
        elif match["strong"] is not None:
            reader.plain(match["strong"], Strong)
        else:
            reader.plain(match["emphasis"], Emphasis)
        at = match.end()
    reader.plain(text[at:])
    return Wording(tuple(reader.spans), tuple(reader.atoms), reader.skeleton)


class _Reader:
    """Gathers spans and atoms from left to right."""

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self.atoms: list[Atom] = []
        self.skeleton = ""

    def code(self, text: str) -> None:
        """Read text between backticks."""
        self.spans.append(Code(text))
        self._atom(Sort.CODE, text)

    def plain(self, text: str, kind: type[Text | Strong | Emphasis] = Text) -> None:
        """Read words; names among them become code."""
        at = 0
        for start, end, sort in _find(text):
            self._words(text[at:start], kind)
            if sort is Sort.NAME:
                self.spans.append(Code(text[start:end]))
                self._atom(sort, text[start:end])
            elif sort is Sort.QUOTE:
                self._add(text[start:end], kind)
                self._atom(sort, text[start + 1 : end - 1])
            else:
                self._add(text[start:end], kind)
                self._atom(sort, text[start:end])
            at = end
        self._words(text[at:], kind)

    def _words(self, text: str, kind: type[Text | Strong | Emphasis]) -> None:
        self._add(text, kind)
        self.skeleton += text

    def _add(self, text: str, kind: type[Text | Strong | Emphasis]) -> None:
        if not text:
            return
        last = self.spans[-1] if self.spans else None
        if isinstance(last, kind):
            self.spans[-1] = kind(last.text + text)
        else:
            self.spans.append(kind(text))

    def _atom(self, sort: Sort, text: str) -> None:
        self.skeleton += chr(ord(FIRST) + len(self.atoms))
        self.atoms.append(Atom(sort, text))


def _find(text: str) -> list[tuple[int, int, Sort]]:
    """Where names and numbers are in plain words, from left to right."""
    skipped = [match.span() for match in _ENUMERATED.finditer(text)]
    spans: list[tuple[int, int, Sort]] = []
    for run in _RUN.finditer(text):
        spans += _in_run(text, *run.span())
    taken = [(start, end) for start, end, _ in spans] + skipped
    for match in _QUOTED.finditer(text):
        start, end = match.span()
        inner = [span for span in spans if start < span[0] and span[1] < end]
        free = all(end <= a or b <= start or (start < a and b < end) for a, b in taken)
        if free and " " not in match[1]:
            spans = [span for span in spans if span not in inner]
            spans.append((start, end, Sort.QUOTE))
            taken = [(a, b) for a, b, _ in spans] + skipped
    spans += [
        (*match.span(), Sort.NUMBER)
        for match in _NUMBER.finditer(text)
        if not _ORDINAL.match(text, match.start())
        and not any(a < match.end() and match.start() < b for a, b in taken)
    ]
    return sorted(spans)


_LEADING, _TRAILING = "([{\"'<~≈", "\"'>.,;:!?"
_OPENING = {")": "(", "]": "[", "}": "{"}


def _in_run(text: str, start: int, end: int) -> list[tuple[int, int, Sort]]:
    """The names in a run without blanks, such as ``(foo_bar,`` or ``a_b/c_d:``."""
    spans: list[tuple[int, int, Sort]] = []
    for match in re.finditer(r"[^,;→]+", text[start:end]):
        a, b = _strip(text, start + match.start(), start + match.end())
        if a < b:
            spans += _names(text[a:b], a)
    return spans


def _strip(text: str, a: int, b: int) -> tuple[int, int]:
    """Without punctuation around; a bracket that closes one inside stays."""
    while a < b and text[a] in _LEADING:
        a += 1
    if text[a:b].endswith(("'s", "’s")):
        b -= 2
    while a < b and (text[b - 1] in _TRAILING or _is_unopened(text[a:b])):
        b -= 1
    return a, b


def _is_unopened(text: str) -> bool:
    opening = _OPENING.get(text[-1])
    return opening is not None and text.count(opening) < text.count(text[-1])


def _names(run: str, at: int) -> list[tuple[int, int, Sort]]:
    """The names in a run that has no punctuation around it."""
    if _ABBREVIATION.fullmatch(run) or _PLURAL.fullmatch(run) or run.lower() in _PAIRED:
        return []
    if _is_name(run):
        return [(at, at + len(run), Sort.NAME)]
    if "/" in run and re.fullmatch(r"[a-z]+/[a-z]+", run):
        return [(at, at + len(run), Sort.WORD)]
    spans: list[tuple[int, int, Sort]] = []
    if called := _CALLED.match(run):
        spans.append((at, at + called.end(1), Sort.NAME))
    # A run that is no name as a whole may consist of names: "CPU/GPU", "FP8-quantized", "on/off".
    start = called.end(1) if called else 0
    parts = (part for part in re.finditer(r"[A-Za-z0-9_]+", run) if part.start() >= start)
    sorts = ((part, _sort(part[0])) for part in parts)
    spans += [(at + part.start(), at + part.end(), sort) for part, sort in sorts if sort]
    return spans


def _sort(word: str) -> Sort | None:
    """The kind of a word without punctuation, if it may be a name."""
    if _is_name(word):
        return Sort.NAME
    if _HUMPED.search(word) or _ACRONYM.fullmatch(word):
        return Sort.WORD
    return Sort.WORD if _MIXED.fullmatch(word) and not _UNIT.fullmatch(word) else None


def _is_name(run: str) -> bool:
    """Whether a run looks like something in code and like nothing else."""
    if _UNIT.fullmatch(run):
        return False
    if _FLAG.fullmatch(run) or _VARIABLE.fullmatch(run) or _ASSIGNED.fullmatch(run):
        return True
    if _CALL.fullmatch(run):
        return True
    if "/" in run:
        # Whether a run with slashes is a path rather than words side by side.
        parts = [part for part in run.split("/") if part]
        if run[0] == "/" or run[-1] == "/" or len(parts) > 2:
            return not all(part.isupper() or part.isdigit() for part in parts)
        return any("_" in part or "." in part.strip(".") or "-" in part for part in parts)
    if "_" in run and len(run) > 2:
        return bool(re.fullmatch(r"[\w.:\[\]()-]+", run))
    return bool(_DOTTED.fullmatch(run) or (_FILE.fullmatch(run) and not run[0].isdigit()))
