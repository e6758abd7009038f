"""The author's own words as statements, marked as quotes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice, takewhile

from digest.analysis.change_types import change_types
from digest.analysis.context import REQUEST, ChangeContext, make_statement, owner_of
from digest.analysis.headline import BEGINS, DOES, bare_title
from digest.core.authors import STOPS, code_as_spans, excerpt, sentences
from digest.core.change import Side
from digest.core.enums import Language
from digest.core.facts import Action, Area, Clue, ClueKind, Evidence
from digest.core.grade import Graded, Level
from digest.core.patterns import lazy
from digest.core.statement import Aspect, ChangeType, Statement
from digest.facts.subject import PRIVATE_FORK, strip_numbers
from digest.i18n import statement_text as words
from digest.i18n.statement_text import STOP

_FIGURE = lazy(
    r"(?<![\d.,])\d[\d.,]{0,30}\s{0,4}(?:%|x\b|×|ms\b|us\b|µs\b|ns\b|s\b|sec|min\b|tok|token|req|it/s|qps|rps|[KMGT]i?B|fps"
    r"|倍|毫秒|秒|个百分点)|[x×]\s*\d",
    re.IGNORECASE,
)
_SPEED = lazy(
    r"perf|fast|slow|speed|latenc|throughput|memory|overhead|tok(?:en)?s?/s|ttft|tpot|qps"
    r"|regress|improv|reduc|\bsav(?:e|es|ing)\b|optimi|bench|\bsmaller\b|shrink|\bshrunk\b"
    r"|\bfrom \d[\d.,]{0,20} ?\w{1,4} to \d|性能|延迟|吞吐|内存|加速|提升|降低|体积",
    re.IGNORECASE,
)
_BOUND = lazy(r"\b(?:deadline|time-?outs?|timed? out|time limit)\b", re.IGNORECASE)
"""Words of a sentence whose figure is a limit, not a measurement."""

_WORD = lazy(r"[^\W_]+")
_ENOUGH = 24  # characters by which a paragraph is found again in its message
_ADDRESS = lazy(r"(?:[\w-]+:? ){0,3}https?://\S+", re.IGNORECASE)
_POINTER = lazy(
    r"(?:(?:this|it) (?:(?:pr|change|commit|patch) )?(?:is|was) )?(?:an? )?"
    r"(?:part of|part \d{1,3} of|follow[- ]?up (?:of|to|for|on)|based on|related to|relates to"
    r"|see|split (?:out )?(?:from|of)|cc|ref(?:s|erences)?|tracked (?:in|by)|closes|fix(?:es)?"
    r"|partial(?:ly)? fix(?:es)?(?: for)?|resolves):? (?:pr |issue )?"
    r"(?:[\w./-]{0,80}#(?:\d{1,9}|[NXnx]{1,5})|[A-Z]{3,15}-\d{1,7})\.?"
    r"|continues the .{1,80} (?:begun|started) in #.*",
    re.IGNORECASE,
)
_TEMPLATE = lazy(
    r"\b(?:your (?:changes|pr|pull request)|this pr using|are you proposing"
    r"|please (?:call|describe|explain|include|link|provide) |we (?:generally|typically) require"
    r"|no need to duplicate)\b",
    re.IGNORECASE,
)
"""What the template of a pull request says to its author."""

_LEANS = lazy(
    r"(?:(?:and|but|or|so|first|next|finally|hello|hi|thanks|assume|basically|ideally"
    r"|namely|these|those|it|they|that|however|also|rather(?=,)|similar(?:ly)?|same|automated|see|i"
    r"|additionally|as a result|conversely|furthermore|hence|inversely|moreover|otherwise|then"
    r"|therefore|thus|we (?:also|could|might)|the stacked"
    r"|(?:before|currently|now|previously),? (?:it|that|they|this)|now, we"
    r"|[a-z]{3,12}ing (?:it|that|them|this)|this (?:will )?means?|this is the (?:equivalent|same)"
    r"|obviously|clearly|the reason (?:for (?:it|that|this)|is)|note there"
    r"|(?:this )?(?:builds|relies) on"
    r"|the (?:caller|former|function|helper|latter|method))\b"
    r"|(?:this|it) (?:also|basically|should|would|(?:is|was) (?:not|to))\b"
    r"|this is (?:basically |just |simply )?an? (?!regression\b)|disappears\b"
    r"|used (?:by|for|in) an? (?:later|next|upcoming)\b"
    r"|(?:this|the) (?:change|commit|pr) (?:adds|contains|does|fixes|has|includes|makes)"
    r" (?:an? (?:bunch|couple|few|number)|multiple|several|some|two|three|various)\b"
    r"|(?:(?:this|the) (?:change|commit|pr) )?(?:tries|attempts?|trying) to"
    r" (?:implement|re-?land|land)\b"
    r"|(?:almost all|follows (?:the|what)|in the same vein|just|my|once .{1,40} lands"
    r"|reported (?:by|in)|root cause|the (?:idea|issue here)|to narrow)\b"
    r"|(?:an? )?(?:common|frequent|known|recurring) (?:\w{1,20} ){0,3}\w{1,20}\.$"
    r"|this (?:is|was) (?:\w{1,9}ly )?(?:authored|inspired|proposed|recommended|reported|requested"
    r"|suggested|written)\b"
    r"|(?:abstract|clean|consolidate|deduplicate|extract|factor|hide|inline|move|refactor|reorganize"
    r"|restructure|simplify|split|tidy|unify)(?:s|es)? (?!up to\b)"
    r"|`?\w{1,40}(?:::\w|\(\))"
    r"|(?:this|it) (?:(?:pr|change|commit|patch) )?(?:is|was) (?:an? )?"
    r"(?:part|continuation|follow|based|related|split|stacked|generated)"
    r"|(?:stacked|based|built) on (?:top of )?\S{0,60}#\d|split (?:out )?(?:from|of)\b"
    r"|(?:this|it|here) (?:is|was) (?:my|our|an?|the) (?:\w{1,12} )?"
    r"(?:solution|attempt|approach|proposal|try|take|stab)\b"
    r"|(?:fix|clos|resolv|address|part of|follow(?:s|ing)?[- ]?up|to help with)\w{0,4}[^.]{0,40}"
    r"(?:#\d|https?://))",
    re.IGNORECASE,
)
"""Beginnings of sentences that need the sentence before, or only refer to another place."""

POINTS = lazy(
    r"\b(?:the|see|as|is|are) (?:[\w-]+ ){0,5}(?:above|below)\b|\b(?:above|below)\W*$"
    r"|\bthat (?:change|commit|pr)\b"
    r"|\battempt (?:at|to) fix|^in the (?:previous|last|earlier) (?:iteration|version|pr)\b"
    r"|^in (?:this|that|these|such) (?:case|situation)s?\b"
    r"|^(?:also )?(?:(?:re-?)?enables?|fix(?:es)?|unskips?|passes) (?:the |an? )?"
    r"(?:tests?\b|\S*\btest-)|~~|: - "
    r"|^(?:alternatively|for (?:example|instance|this reason)|in addition)\b"
    r"|^use .{1,80} instead\.$",
    re.IGNORECASE,
)
"""Words of a sentence that needs its neighbours, or that is about the project's tests."""

_DIFFERS = lazy(
    r"\b(?:prior to this|previously|before this|now|no longer|could|would|cause[sd]?|causing"
    r"|result(?:s|ed|ing)? in|lead(?:s|ing)? to|panic|crash|hang|fail|wrong|incorrect|miss|leak)",
    re.IGNORECASE,
)
"""Words of a sentence that says what was wrong, or what is different now."""

_CONTRASTS = lazy(
    r"\b(?:previously|prior to (?:this|that|the)|before (?:this|that)|no longer|any ?more|until now"
    r"|gone|from now on|formerly|originally|(?:after|with) this (?:change|commit|fix|patch|pr))\b"
    r"|\bnow\b(?! that|,)|(?<!\bare )(?<!\bbe )(?<!\bis )(?<!\bwas )\bused to\b"
    r"|不再|以前|此前|原先",
    re.IGNORECASE,
)
"""Words of a sentence that tells what was from what is."""

_ABOUT_CHANGE = lazy(
    r"(?:this|the) (?:change|commit|fix|mr|patch|pr|pull request) (?!closes\b)"
    r"|this (?:\w{2,12}ly |also )?(?:will (?:\w{2,12}ly )?[a-z]"
    r"|(?!(?:alias|bus|does|focus|has|is|looks|previous|scratches|seems|status|uses|was)\b)"
    r"[a-z]{2,14}[^s\W]s\b)",
    re.IGNORECASE,
)
_OF_PAST = lazy(
    r"(?:definition|discovered|found|failed|failing|given|introduced in|new expected|only)\b",
    re.IGNORECASE,
)

_WAS = lazy(
    r"\b(?:was|were|did|didn't|had|would|wouldn't|could|couldn't|led|made|ran|told|lost|threw|broke)\b"
    r"|(?<!\bbe )(?<!\bbeen )(?<!\bget )(?<!\bgets )(?<!\bnot )\b[a-z]{2,16}ed\b"
)
_IS = lazy(
    r"\b(?:is|are|does|do|don't|doesn't|has|have|can|cannot|can't|may|might|will|should|must)\b"
)
"""Words of a sentence that is not, or not only, about what was."""

_UNSURE = lazy(
    r"\b(?i:current(?:ly)?|right now|at (?:present|the moment|some point)|as of (?:now|today)|today"
    r"|nowadays|for now|hopefully|unfortunately|todo|trouble|let's|this should"
    r"|can (?:cause|lead|result)|may (?:cause|impact|lead)|(?:could|might|may) (?:easily|later)"
    r"|we (?:also )?(?:could|decided|discussed|may|might|plan|should|think)"
    r"|(?:discovered|introduced) in|review(?:ed|s)?|feedback|tests look(?:ed)?|says on the tin)\b"
    r"|^(?:If|When) .{1,200} will no longer\b|目前|当前"
    r"|\bI(?:'m|'ve|'d)?\b(?!\.)|\b(?:[Mm]y|me)\b"
)
"""Words of a sentence about the state before the change, which a reader would take for the new one,
or about what somebody thinks or plans."""

_RESULTS = lazy(r"(?:this|which) (?:caus|happen|led\b|meant\b|occur|produc|result)", re.IGNORECASE)
"""The beginning of a sentence about what the one before it says."""

_STANDS_ALONE = lazy(r"[\"'`]?[^\W_a-z].{0,400}[ \u4e00-\u9fff]", re.DOTALL)
ENDS = (".", "!", "?", ".)", "。", "！", "？")
_GOES_ON = ("e.g.", "i.e.", "cf.", "vs.")
_SAME = 0.75  # minimum share of a paragraph's words in the title for it to count as a repetition

_SUBJECT = lazy(
    r"(?:feat|fix|docs|test|chore|refactor|perf|ci|build|style)(?:\([^()]{1,40}\))?!?: ",
    re.IGNORECASE,
)
"""The start of the subject of a squashed commit that was left in the body."""

_BINDS = lazy(
    r"\b(?:requires?|required|must|only|cannot|can't|not supported|unsupported|needs? to"
    r"|when enabled|deprecated|instead|by default)\b",
    re.IGNORECASE,
)
"""Words of a sentence that says what a reader needs or may not do."""

_WHY = lazy(
    r"\b(?:would|otherwise|because|so that|to avoid|rather than|without which|since)\b",
    re.IGNORECASE,
)
"""Words of a comment that says why."""

_SHORT = 30
_LONG = 120  # characters of a description from which on what is in brackets is left out
_EXAMPLE = lazy(r" \([^()]{16,300}\)(?! [A-Z])|(?: by)?: \(?[1a][.)]$")
_SECOND = 90  # maximum characters of a sentence that is told after a very short one
_LEAST = 12  # minimum characters; shorter paragraphs ("cc someone", "WIP", "see below") say nothing


def description_quotes(reading: ChangeContext) -> Iterator[Statement]:
    """Sentences of the request's description, or else of the message's body.

    They begin with the first one that says what was wrong or is different now, or else with the
    first of all.
    """
    told = (*_description_paragraphs(reading), *reading.facts.paragraphs)
    told = tuple(p for p in told if len(p) >= _LEAST and not _says_nothing(p, reading))[:2]
    for paragraph, differs in (*((p, True) for p in told), *((p, False) for p in told[:1])):
        if text := _quotable(paragraph, reading, differs=differs):
            yield _quote(reading, paragraph, text)
            return


def stated_reason(reading: ChangeContext) -> str:
    """What the author writes about the reason: a paragraph that says why, or else the first one.

    Empty if the message and the request's description say nothing beyond the title.
    """
    told = (*reading.facts.paragraphs, *_description_paragraphs(reading))
    told = tuple(p for p in told if len(p) >= _LEAST and not _says_nothing(p, reading))
    said = next((p for p in told if _WHY.search(p) or _DIFFERS.search(p)), next(iter(told), ""))
    return excerpt(" ".join(said.split()), reading.bounds.quote)[0]


def _quotable(paragraph: str, reading: ChangeContext, *, differs: bool) -> str:
    """The whole sentences of a paragraph that stand on their own: no list, no reference elsewhere.

    With ``differs`` they begin with one that says what is different, without it with the first one
    that does not repeat the title.
    """
    longest, title = reading.bounds.quote, reading.graded.title
    said = sentences(paragraph)
    new = [s for s in said if not repeats(s, title)]
    fit = [s for s in new if len(s) <= longest and _is_whole(s)]
    fit = [s for s in fit if s == said[0] or not _RESULTS.match(s)]
    if not fit or (fit[0] != said[0] and _LEANS.match(said[0])):
        return ""
    fit = [s for s in fit if not _UNSURE.search(s)]
    begin = next(filter(_CONTRASTS.search, fit), "")
    if not differs:
        begin = next((s for s in fit if s == new[0] and _is_clear(s, reading)), "")
    told = said[said.index(begin) :] if begin else []
    told = list(takewhile(lambda s: not (_POINTER.fullmatch(s) or _UNSURE.search(s)), told))
    text = excerpt(" ".join(told), longest)[0] if told else ""
    return text if _is_whole(text) else ""


def _is_clear(sentence: str, reading: ChangeContext) -> bool:
    """Whether it is clear if a sentence is about the state before a change or after it.

    In the present, authors tell what is new, and also what was wrong. A name that the change adds
    is in what is new.
    """
    types = change_types(reading)
    if types[0] is ChangeType.DEPRECATION or _CHINESE.search(sentence):
        return True  # Chinese verbs have no tense
    names = (owner_of(f.name)[1] for f in reading.facts.items if f.action is Action.ADDED)
    if any(len(name) > _LEAST_NAME and name in sentence for name in names):
        return True
    acts = BEGINS.match(sentence.lower()) and not _OF_PAST.match(sentence)
    was = _WAS.search(sentence) and not _IS.search(sentence)
    return bool(acts or was or _ABOUT_CHANGE.match(sentence))


_CHINESE = lazy(r"[\u4e00-\u9fff]")
_LEAST_NAME = 5  # characters of a name that is no word of another meaning


def _is_whole(text: str) -> bool:
    """Whether a text consists of whole sentences that need no other ones."""
    closed = text.count("(") == text.count(")")
    whole = text.endswith(ENDS) and not text.endswith(_GOES_ON) and closed
    leans = "::" in text or _LEANS.match(text) or POINTS.search(text)
    return bool(whole and not leans and _STANDS_ALONE.match(text))


def _description_paragraphs(reading: ChangeContext) -> tuple[str, ...]:
    """The paragraphs of the request's description that are not in the message."""
    description = reading.graded.description
    told = description.paragraphs if description else ()
    return tuple(p for p in told if p not in reading.facts.paragraphs)


def _says_nothing(paragraph: str, reading: ChangeContext) -> bool:
    """Whether a paragraph is a reference, a template, the title again or a squashed subject."""
    return (
        _ADDRESS.match(paragraph) is not None
        or _TEMPLATE.search(paragraph) is not None
        or _SUBJECT.match(paragraph) is not None
        or _POINTER.fullmatch(paragraph.strip()) is not None
        or repeats(paragraph, reading.graded.title)
        or _is_squashed(paragraph, reading.graded)
    )


def _is_squashed(paragraph: str, graded: Graded) -> bool:
    """Whether a paragraph is the subject of one of the commits that were squashed.

    GitHub writes each of them as a list entry: between empty lines, or beside the one that became
    the title.
    """
    begin = f"* {paragraph[:_ENOUGH]}"
    lines = ["", *graded.commit.body.splitlines(), ""]
    found = next((at for at, line in enumerate(lines) if line.startswith(begin)), 0)
    if not found:
        return False
    apart = not lines[found - 1].strip() and not lines[found + 1].strip()
    return apart or any(line.startswith("* ") and repeats(line, graded.title) for line in lines)


_LITTLE = frozenset(
    "a an the of for in on to from and or with by is are was now it its prs".split()  # noqa: SIM905
)


def repeats(text: str, known: str, *names: str) -> bool:
    """Whether a text says little more than another, which has all of its names."""
    said = content(text)
    return len(said & content(known)) >= _SAME * len(said) and all(n in known for n in names)


@lru_cache(maxsize=1024)  # a title is compared with everything else that is said of a change
def content(text: str) -> frozenset[str]:
    """The words of a text in the singular, without function words."""
    words = _WORD.findall(text.casefold())
    return frozenset(w.rstrip("s") if len(w) > 3 else w for w in words if w not in _LITTLE)


def restates(statement: Statement, graded: Graded) -> bool:
    """Whether a statement only rephrases the title."""
    title = bare_title(graded.facts.subject)
    return title == PRIVATE_FORK or repeats(title.partition(" ")[2] or title, statement.text)


def opening(text: str, name: str = "") -> str:
    """The first sentence of a text that does not point elsewhere, or two if it is very short.

    The text begins later if that says more of the words of a name than its first sentence.
    """
    own = content(name.replace("_", " ").replace("-", " "))
    said = sentences(text)
    later = opening(" ".join(said[1:])) if own else ""
    fuller = len(own & content(later)) > len(own & content(" ".join(said[:1]))) + 1
    if fuller and not _LEANS.match(later):
        said = said[1:]
    found = [s for s in said if not POINTS.search(s)]
    found = [
        s for s in found if s == said[0] or not s.startswith(("It ", "These ", "This "))
    ] or said
    more = len(found) > 1 and len(found[0]) < _SHORT and len(found[1]) < _SECOND
    told = " ".join(found[: 1 + more])
    return told if len(told) <= _LONG and told[-2:] != "1." else _EXAMPLE.sub("", told)


def marked_notes(reading: ChangeContext, mark: str) -> list[tuple[str, Evidence]]:
    """The entries of a mark that the change adds to a changelog, the title's subject first."""
    noted = [n for n in reading.facts.notes if n.mark == mark]
    if not noted or not any(f.area in {Area.CORE, Area.BUILD} for f in reading.facts.files):
        return []
    names = (reading.graded.commit.author, *reading.facts.co_authors)
    told = ((entry(n.text, names), n.evidence) for n in noted)
    said = reading.facts.subject.words
    title, chinese = content(said), _CHINESE.search(said) or reading.language is Language.ZH
    found = [(t, place) for t, place in told if t and (chinese or not _CHINESE.search(t))]
    return sorted(found, key=lambda one: -len(title & content(one[0])))


def entry(text: str, authors: Sequence[str] = ()) -> str:
    """What an entry for users says, without its mark, number and authors."""
    from digest.facts.change_notes import NUMBER, without_mark

    told = without_mark(text, authors)
    sort = _SUBJECT.match(told)
    told = told[sort.end() :] if sort and BEGINS.match(told[sort.end() :].lower()) else told
    told = NUMBER.sub("", strip_numbers(opening(told))[0]).rstrip(".")
    plain = sort or told.partition(" ")[0].isalpha()
    return told[:1].upper() + told[1:] if plain else told


def acts(text: str) -> bool:
    """Whether an entry, after the part that it is about, says what is done or different."""
    said = _ABOUT_PART.sub("", text)
    begins = BEGINS.match(said.lower()) or BEGINS.match(text.lower())
    told = begins or DOES.match(said) or _CONTRASTS.search(said)
    return bool(told or _SUBJECT.match(text) or _CHINESE.search(said))


def says_more(noted: Sequence[Statement], title: str) -> bool:
    """Whether the only entry, or the first if a title says little, fits a line and says more."""
    silent = len(noted) == 1 or not acts(title) or len(content(title)) <= _FEW
    text = noted[0].text if noted and silent else title
    lacks = any(found[0] not in text for found in _FIGURE.finditer(title))
    return len(text) <= _LINE and not lacks and not repeats(text, title)


_ABOUT_PART = lazy(r"^[^:]{1,60}: ")
_FEW, _LINE = 2, 200  # words of a title that says little, and characters of a line
_NUMBERED = lazy(r" \d{1,2}\.$")  # the next item of a list


def documentation_sentences(reading: ChangeContext) -> Iterator[Statement]:
    """A sentence of the documentation about a new name."""
    found = (c for c in reading.facts.clues if c.kind is ClueKind.DOCS and c.name)
    for text, clue in islice(((opening(c.text), c) for c in found), 1):
        leans = text.startswith(("Please ", "Such ", "These ", "This ")) or _NUMBERED.search(text)
        if _is_whole(text) and not leans and not any(m in text for m in ("**", "</", "](")):
            spans = words.DOCUMENTED(reading.language, words=code_as_spans(text))
            yield make_statement(spans, [clue.evidence])


def remarks(reading: ChangeContext, *, documents: bool) -> Iterator[Statement]:
    """Sentences of new documentation, or of new comments, about what the title names.

    Those that say what is required come first, then those that share most words with the title.
    Comments are quoted only where there is no such documentation.
    """
    places = {f.path for f in reading.facts.files if f.area is Area.DOCS}
    told = [c for c in reading.facts.clues if c.kind is ClueKind.REMARK]
    told = [c for c in told if "](" not in c.text and _is_whole(c.text)]
    written = [c for c in told if c.evidence.path in places]
    why = [c for c in told if _BINDS.search(c.text) or _WHY.search(c.text)]
    title = content(reading.facts.subject.words)

    def rank(clue: Clue) -> tuple[bool, int]:
        return not _BINDS.search(clue.text), -len(title & content(clue.text))

    most = 2 if reading.graded.grade.level is Level.HIGH else 1
    own = written if documents else [c for c in why if c not in written]
    phrase = words.DOCUMENTED if documents else words.REMARKED
    for clue in sorted(own, key=rank)[: most if documents else max(0, most - len(written))]:
        quote = phrase(reading.language, words=code_as_spans(clue.text))
        aspect = Aspect.NONE if documents else Aspect.ARCHITECTURE
        yield make_statement(quote, [clue.evidence], aspect)


def figure_quotes(reading: ChangeContext, most: int) -> Iterator[Statement]:
    """Sentences of the author about performance that give figures."""
    found = 0
    for paragraph in (*reading.facts.paragraphs, *_description_paragraphs(reading)):
        for quote in sentences(paragraph):
            fits = len(quote) <= reading.bounds.quote and not _BOUND.search(quote)
            if fits and quote[-1] not in ":：" and _FIGURE.search(quote) and _SPEED.search(quote):
                yield _quote(reading, paragraph, quote, aspect=Aspect.PERFORMANCE)
                found += 1
            if found == most:
                return


def _quote(
    reading: ChangeContext, paragraph: str, text: str, *, aspect: Aspect = Aspect.NONE
) -> Statement:
    quote = words.AUTHOR_WRITES(reading.language, words=code_as_spans(text))
    quote += STOP(reading.language) if text[-1] not in STOPS else ()
    if paragraph in _description_paragraphs(reading):
        return make_statement(quote, [REQUEST], aspect)
    lines = reading.graded.commit.message.lstrip("\n").splitlines()  # counted from the subject
    begins = (text[:_ENOUGH], paragraph[:_ENOUGH])
    found = (at for begin in begins for at, line in enumerate(lines, 1) if begin in line)
    place = Evidence(path="", line=next(found, 1), side=Side.MESSAGE)
    return make_statement(quote, [place], aspect)
