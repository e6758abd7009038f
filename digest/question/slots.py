"""The slots of a question: parts with a form of their own, taken out before the words are read.

Each finder takes what it recognises (quoted text, filters, references, ranges, periods, releases,
paths, names of code) and leaves a mark in its place; the rest are words with their tags.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from digest.core.patterns import lazy
from digest.core.reference import Reference, parse_reference
from digest.core.release import LATEST
from digest.errors import InvalidReference
from digest.question import lexicon, slot_values
from digest.question.commit_range import (
    PLANNED,
    VAGUE,
    Refs,
    ascending,
    find_refs,
    with_releases,
)
from digest.question.lexicon import PHRASES
from digest.question.periods import FoundPeriod, Now, find_periods
from digest.question.repository_names import without_own

_MARK = 0xE000  # the first of the characters that mark slots; no text has them (private use)


@dataclass(slots=True)
class _Masked:
    """A text in which slots are replaced by marks."""

    text: str
    found: list[slot_values.Slot] = field(default_factory=list)

    def take(self, begin: int, end: int, slot: slot_values.Slot) -> None:
        """Replace a slot by a mark."""
        mark = chr(_MARK + len(self.found))
        self.found.append(slot)
        self.text = " ".join(f"{self.text[:begin]} {mark} {self.text[end:]}".split())

    def sub(
        self, pattern: re.Pattern[str], read: Callable[[re.Match[str]], slot_values.Slot | None]
    ) -> None:
        """Replace every match of a pattern that is read as a slot."""

        def mark(match: re.Match[str]) -> str:
            slot = read(match)
            if slot is None:
                return match[0]
            self.found.append(slot)
            return f" {chr(_MARK + len(self.found) - 1)} "

        self.text = " ".join(pattern.sub(mark, self.text).split())


_ASSIGNED = lazy(r"(?<![\w.=-])([A-Z][A-Z0-9]*_[A-Z0-9_]+)=[\w./:-]*\w", re.ASCII)
_QUOTED = lazy(r"[\"“「『]([^\"”」』]{1,200})[\"”」』]")
_URL = lazy(r"<?https?://[^\s，。]+")
_ADVISORY = lazy(r"\b(?:CVE-\d{4}-\d{3,8}|GHSA(?:-[a-z0-9]{4}){3})\b", re.IGNORECASE)
_UNIT = r"(?:day|week|month|year|period|one|个?(?:天|日|周|星期|礼拜|月|年))"
_STEP = lazy(
    r"\b(?:(?:the|a|one|another|more) )*"
    rf"(?:{_UNIT} (?:before|after) (?:that|it|this)(?: {_UNIT})?\b"
    rf"|(?:before|after) (?:that|this)(?: {_UNIT})?(?=$|[,.?])"
    rf"|{_UNIT} (?:before|earlier|prior|back|after|later)(?=$|[,.?]))"
    r"|\b(?:the )?(?:previous|preceding|following) (?:period|one)\b|\bearlier(?=$|[,.?])"
    rf"|(?:再|更|再?[往向]|在?那)之?[前后早]面?(?:一?点|推|数|看|些)?的?(?:[一1]?{_UNIT})?"
    rf"|[前后下]一{_UNIT}(?=呢$)",
    re.IGNORECASE,
)
"""The period before or after another one, which the question does not name."""

_ORDINAL = lazy(r"(?<=第) ?([1-9]) ?(?=[个条项])")
_REFERENCE = lazy(
    r"(?:(?:issue|ticket|bug|问题|工单)[: ]? ?)?(?<![\w./#&-])"
    r"(?:(?:[A-Za-z0-9][\w.-]*(?:/[\w.-]+){1,4})?[#!]0*[1-9][0-9]{0,8}(?![\w.]\w|\w)"
    r"|GH-[0-9]{1,9}\b|[A-Za-z0-9][\w.-]*(?:/[\w.-]+){1,4}@[0-9a-fA-F]{7,40}\b)",
    re.ASCII | re.IGNORECASE,
)

_CALLED = lazy(
    r"(?<![\w-])(?:(?:(?P<issue>issue|ticket)|pr|pull(?: request)?|mr|merge request|合并请求)"
    r" ?(?:no\.?|number|[:#])? ?0*(?P<number>[1-9][0-9]{0,8}))(?![\w:%/-]|\.\d)",
    re.ASCII | re.IGNORECASE,
)

_AFTER = re.compile(
    r"(?:(?<=commit )|(?<=change )|(?<=patch )|(?<=revision )|(?<=sha )|(?<=提交 )|(?<=变更 )"
    r"|(?<=改动 )|(?<=explain )|(?<=describe )|(?<=why )|(?<=why is )|(?<=why was )|(?<=diff )"
    r"|(?<=解释)|(?<=解释 )|(?<=一下 )|(?<=说明 )|(?<=介绍 )|(?<=为什么 )|(?<=is )|(?<=wrote )"
    r"|(?<=reviewed ))(?P<number>[1-9][0-9]{2,8}|[0-9a-fA-F]{7,40})(?P<issue>)"
    r"(?![\w:%/-]|\.\d| ?[*+/])",
    re.ASCII | re.IGNORECASE,
)

# One or two digits are more often a count, unless they are all that is to be explained.
_ALONE = lazy(
    r"(?:(?<=\A/explain )|(?<=\Aexplain )|(?<=\A解释)|(?<=\A解释 ))(?P<number>[1-9][0-9]?)"
    r"(?P<issue>)\Z",
    re.ASCII | re.IGNORECASE,
)

_SHA = lazy(r"(?<![\w./#@-])(?=[0-9a-fA-F]*[0-9])[0-9a-fA-F]{7,40}(?![\w/@-]|\.\w)", re.ASCII)

_NUMBER = lazy(
    r"(?<![\w.:/#+*$-])(?<!last )(?<!top )(?<!latest )(?<!past )(?<!first )(?<!recent )"
    r"[1-9][0-9]{3,5}(?![\w%/*+-]|:\S|\.\d| [*+/=]"
    r"| ?(?:commits?|changes|prs|lines|files|days|tokens|年|条|个|行|次|天))",
    re.ASCII | re.IGNORECASE,
)

_YEAR = lazy(r"(?:19|20)[0-9]{2}")

_VERSION = lazy(
    r"(?<![\w./@=-])(?:[A-Za-z][\w+]*[/@-])?(?:[vV][0-9]+(?:\.[0-9]+){1,3}|[0-9]+(?:\.[0-9]+){2,3}"
    r"|(?:(?<=version )|(?<=release )|(?<=版本 )|(?<=版本))[0-9]+(?:\.[0-9]+)?"
    r"|(?:\A|(?<=\bin )|(?<=\bof )|(?<=\bdoes )|(?<=\bdid )|(?<=\bwith )|(?<=\bto )"
    r"|(?<=[相对]比 )|(?<=[相对]比)|(?<=进 )|(?<=进)|(?<=升级到 )|(?<=升到 )|(?<=升级到)|(?<=升到))"
    r"[0-9]{1,2}\.[0-9]{1,3}(?! ?(?:%|x\b|times|percent|[smgkb]+\b))"
    r"|[vV]?[0-9]+(?:\.[0-9]+){0,2}\.x)"
    rf"(?:[-.+]?(?:rc|a|b|alpha|beta|post|dev)\.?[0-9]*)?(?![\w-]|\.[\w.])|(?<![\w-]){LATEST}(?:s-[2-9])?(?![\w-])",
    re.ASCII,
)

_PATH = lazy(
    r"(?<![\w./@~$-])(?:[\w@+~.-]{1,80}/){1,20}[\w@+~.*-]{0,80}(?![\w/])|(?<![\w./-])/[\w./-]+",
    re.ASCII,
)

_VERB = lazy(r"\b(?:GET|POST|PUT|PATCH|DELETE|HEAD) (?=/)")
"""The verb before a route, which a question hardly means to tell from others of its path."""

_FILE = lazy(
    r".*\.(?:py|pyi|md|rst|txt|json|toml|ya?ml|c|h|cc|cpp|cu|cuh|js|jsx|ts|tsx|rs|go|java|sh|cfg|ini"
    r"|lock|proto|rb|kt|sql|html|css|mk|cmake|in|mod|sum)"
)

_SYMBOL = lazy(
    r"(?<![\w./-])(?:(?P<flag>--[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*(?:=[\w-]+)?)"
    r"|(?P<snake>[A-Za-z_]\w*_\w+(?:\.[A-Za-z_]\w*)*(?:\(\))?|\w+\(\))"
    r"|(?P<hyphened>[A-Za-z]\w*(?:\.\w+)*(?:-\w+(?:\.[A-Za-z]\w*)*)+(?![\w-]))"
    r"|(?P<dotted>[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+(?:\(\))?)"
    r"|(?P<camel>\w*(?:[a-z0-9][A-Z]|[A-Z][a-z]\w*[A-Z])\w*))(?![\w/=]|-\w)",
    re.ASCII,
)

_TAIL = lazy(r"(?<=[a-z0-9])-(?:related|wise|specific)\b", re.IGNORECASE)
"""Endings that only say that a word is a topic."""


_PLATFORM = lazy(
    r"\b(?:for|on) (?:the )?(?P<a>{0})(?: (?:builds?|images?|wheels?|backend|users?))?(?!\w)"
    r"|(?<!\w)(?P<b>{0}) ?(?:(?:版本?|用|上|下)?的 ?(?=[a-z])"
    r"|上?[用装] ?(?=(?:哪个|什么)版本))".format(
        "cuda|rocm|cpu|xpu|tpu|hpu|npu|gpu|arm64|aarch64|x86|s390x|ppc64le|windows|linux|macos"
    ),
    re.IGNORECASE,
)


_COMMA = lazy(r" ?[,，、] ?(?:and |or )?")

_STRAY = lazy(
    r"(?<!\S)(?:\d+ ?[+*×] ?\d+(?!\S)|-{1,2}\S+|\S*\$[({]\S*|\S*\.\.\S*|#\S*|\S*[<>|\\^~]\S+)"
)


def slots_of(text: str, now: Now, background: slot_values.Background) -> list[slot_values.Token]:
    """The words and slots of a normalised question, in order.

    Raises ``InvalidDate``, ``InvalidWindow`` and ``FutureWindow`` for a period that has the right
    form but is not valid.
    """
    text = _TAIL.sub("", PHRASES["aside"].sub("", text))
    text = PHRASES["none_of"].sub(lambda found: f" without {found[1] or found[2]}; ", text)
    masked = _Masked(PHRASES["left_out"].sub(lambda found: _COMMA.sub(" and ", found[0]), text))
    masked.text, conditions = slot_values.filters_in(masked.text)
    if conditions:
        masked.take(len(masked.text), len(masked.text), conditions)
    masked.sub(_QUOTED, _quoted)
    masked.sub(_ASSIGNED, lambda found: slot_values.Symbol(found[1], sure=True))
    masked.sub(_URL, _address)
    masked.sub(_ADVISORY, lambda found: slot_values.Quote(found[0]))
    for own in background.own:
        masked.text = without_own(masked.text, own)
    masked.text = _ORDINAL.sub(lambda found: "零一二三四五六七八九"[int(found[1])], masked.text)
    masked.text = lexicon.correct(masked.text, background.known or lexicon.NONE)
    masked.text = lexicon.in_usual_words(masked.text)
    masked.text = with_releases(masked.text)
    masked.sub(_REFERENCE, lambda found: _reference(found[0]))
    masked.sub(_CALLED, _called)
    masked.sub(_AFTER, _called)
    masked.sub(_ALONE, _called)
    if lexicon.says(masked.text, "versioned"):
        masked.sub(_PLATFORM, lambda found: slot_values.Platform(found["a"] or found["b"]))
    masked.sub(_STEP, _step)
    if (lengths := lexicon.list_lengths(masked.text)) is not None:
        masked.sub(lengths, lexicon.list_length)
    _spans(masked, now)
    masked.sub(_VERSION, lambda found: slot_values.Release(found[0]))
    masked.sub(_SHA, lambda found: _reference(found[0]))
    masked.sub(_NUMBER, lambda f: None if _YEAR.fullmatch(f[0]) else _reference(f[0]))
    masked.text = _VERB.sub("", masked.text)
    masked.sub(_PATH, _path)
    masked.sub(
        _SYMBOL, lambda found: None if found[0].lower() in background.own else _symbol(found)
    )
    story, masked.text = _story(masked)
    masked.sub(_STRAY, lambda found: slot_values.Stray(found[0]))
    told = [one for one in _tokens(_Masked(story, masked.found), background) if one.is_slot_or_cue]
    return [*told, *_tokens(masked, background)]


def words_of(text: str) -> list[slot_values.Token]:
    """The words of a text with their tags, without any slots."""
    return list(_tokens(_Masked(text), slot_values.Background()))


def _quoted(match: re.Match[str]) -> slot_values.Slot | None:
    """A quotation, or the name of code that it is, or that it has as an error message."""
    quoted = match[1].strip()
    names = set(_NAME_IN_ERROR.findall(quoted)) if _ERROR.search(quoted) else set()
    if len(names) == 1:
        return slot_values.Symbol(names.pop(), sure=True)
    name = _SYMBOL.fullmatch(quoted)
    return (name and _symbol(name)) or (slot_values.Quote(quoted) if quoted else None)


_ERROR = lazy(
    r"\b(?:error|unrecogni[sz]ed|unknown|unexpected|invalid|unsupported|not (?:found|a valid))\b",
    re.IGNORECASE,
)
_NAME_IN_ERROR = lazy(r"(?<![\w-])(?:--[a-z][\w-]+|[A-Z][A-Z0-9]*_[A-Z0-9_]+)(?![\w-])", re.ASCII)


def _story(masked: _Masked) -> tuple[str, str]:
    """What someone tells before asking about an upgrade, and the question itself.

    *Our CI still pins 1.2. What breaks if we move to 1.3?* gives the releases, not a topic.
    """
    between = any(isinstance(one, Refs) for one in masked.found)
    if not between and sum(isinstance(one, slot_values.Release) for one in masked.found) < 2:
        return "", masked.text
    *stories, asked = _SENTENCES.split(masked.text)
    told = _tokens(_Masked(asked, masked.found), slot_values.Background())
    if all(token.tags & _MANNERS for token in told):
        return "", masked.text
    return " ".join(stories), asked


_MANNERS = frozenset({"noise", "thanks", "greet"})


_SENTENCES = lazy(r"[.!;。！；]+ (?=\S)| -+ ")


def _address(match: re.Match[str]) -> slot_values.Slot:
    written = match[0].rstrip(".,;:!?)")
    if (between := find_refs(written)) is not None:
        return between.refs
    return _reference(written) or slot_values.Stray(written)


def _reference(written: str) -> Reference | None:
    try:
        return parse_reference(written)
    except InvalidReference:
        return None


def _called(match: re.Match[str]) -> slot_values.Slot | None:
    number = match["number"]
    if match.re is _AFTER and _YEAR.fullmatch(number):
        return None
    return _reference(f"issue #{number}" if match["issue"] else number)


def _spans(masked: _Masked, now: Now) -> None:
    """Take references of a range, and periods; two of them are already one too many."""
    taken, masked.text = 0, lexicon.with_days(masked.text)
    while taken < _MOST_SPANS and (refs := find_refs(masked.text)) is not None:
        spoken = ".." not in masked.text[slice(*refs.at)]
        masked.take(*refs.at, ascending(refs.refs) if spoken else refs.refs)
        taken += 1
    periods: list[FoundPeriod] = []
    for period in find_periods(masked.text, now):
        said = masked.text[slice(*period.at)]
        if taken and (VAGUE.fullmatch(said) or PLANNED.fullmatch(said)):
            continue
        if taken == _MOST_SPANS:
            break
        periods.append(period)
        taken += 1
    dated = [one for one in periods if _DATED.search(masked.text[slice(*one.at)])]
    # A weekday beside a date is that day, or when the asker needs the answer.
    beside = len(periods) > len(dated) == 1 and not lexicon.says(masked.text, "compares")
    for period in sorted(periods, key=lambda one: one.at, reverse=True):
        if beside and period not in dated:
            masked.text = f"{masked.text[: period.at[0]]} {masked.text[period.at[1] :]}"
        else:
            masked.take(*period.at, period.window)
    if taken:
        masked.text = " ".join(VAGUE.sub(" ", masked.text).split())
    if any(isinstance(one, Refs) for one in masked.found):
        masked.text = " ".join(PLANNED.sub(" ", masked.text).split())


_MOST_SPANS = 2
_DATED = lazy(r"\d")  # the days of months and of dates, unlike those of weeks


def _step(match: re.Match[str]) -> slot_values.Step:
    said = match[0].lower()
    unit = next((unit for word, unit in _LENGTHS.items() if word in said), "period")
    return slot_values.Step(unit, later=re.search("after|later|following|[后下]", said) is not None)


_LENGTHS = {
    "day": "day", "week": "week", "month": "month", "year": "year", "天": "day", "日": "day",
    "周": "week", "星期": "week", "礼拜": "week", "月": "month", "年": "year",
}  # fmt: skip
"""Words for lengths of time, with their units."""


def _path(match: re.Match[str]) -> slot_values.Slot | None:
    path = match[0].rstrip(".,")
    if path in {"w/", "w/o"}:
        return None
    if (match.start() > 0 or path.count("/") > 1) and _ROUTE.fullmatch(path):
        placed = match.string[: match.start()].endswith((" in ", " under "))
        return slot_values.Path(path[1:]) if placed else slot_values.Symbol(path, sure=True)
    if ".." in path.split("/") or path.startswith("/"):
        return slot_values.Stray(path)
    if _MODULE.match(path):
        return slot_values.Symbol(path, sure=True)
    if path.count("/") > 1 or path.endswith("/") or _FILE.fullmatch(path):
        return slot_values.Path(path)
    return None


_ROUTE = lazy(
    r"/(?!(?:etc|tmp|home|usr|var|root|dev|proc|opt|mnt|bin|lib|sys)\b)[a-z][\w-]*(?:/[\w{}-]+)*",
    re.ASCII,
)
"""The path of an HTTP route: *the /v1/models endpoint*; at the start */health* is a command."""

_MODULE = lazy(r"[\w-]+\.(?:com|org|io|dev|in|net)/[\w./-]+\Z", re.ASCII)
"""A module named by its location: *golang.org/x/text*."""


def _symbol(match: re.Match[str]) -> slot_values.Slot | None:
    name = match[0].removesuffix("()")
    if _FILE.fullmatch(name):
        return None
    if match["hyphened"] and lexicon.is_cue(name.lower()):
        return None
    return slot_values.Symbol(name, sure=bool(match["flag"] or match["snake"]))


_WORD = lazy(r"[^\s,，.。;；:：!?！？、()（）\[\]{}…*\"“”【】《》]+(?:[.:;][\w-]+)*")


def _tokens(masked: _Masked, background: slot_values.Background) -> Iterator[slot_values.Token]:
    """The words with their tags and the slots, in order."""
    words: list[str] = []
    for raw in re.split(f"([{chr(_MARK)}-\uf8ff])", masked.text):
        if len(raw) == 1 and _MARK <= ord(raw) < _MARK + len(masked.found):
            yield from _tagged(words, background)
            words = []
            yield slot_values.Token(text=raw, slot=masked.found[ord(raw) - _MARK])
            continue
        for begin, end, han in lexicon.runs(raw):
            if not han:
                words += _WORD.findall(raw[begin:end])
                continue
            yield from _tagged(words, background)
            words, glued = [], begin > 0 and raw[begin - 1] != " "
            for text, tags in lexicon.chinese(raw[begin:end]):
                yield slot_values.Token(text, tags, glued=glued)
                glued = True
    yield from _tagged(words, background)


def _tagged(words: list[str], background: slot_values.Background) -> Iterator[slot_values.Token]:
    words = [word.lstrip("@") for word in words if word.lower() not in lexicon.ADVERBS]
    lower = [word.lower() for word in words]
    at = 0
    while at < len(words):
        if lower[at] in background.own:
            yield slot_values.Token(words[at], frozenset({"own"}))
            at += 1
            continue
        tags, size = lexicon.english(lower, at)
        last = at + size == len(words)
        if lower[at : at + size] == ["short"] and not (last or lexicon.english(lower, at + 1)[0]):
            tags = lexicon.NONE  # "short prompts" are no short answer
        text = " ".join(words[at : at + size])
        if not tags and lower[at].endswith(("'s", "s'")):
            bare = words[at][:-2] if lower[at].endswith("'s") else words[at][:-1]
            known = frozenset({"own"}) if bare.lower() in background.own else lexicon.NONE
            yield slot_values.Token(bare, known, owns=True)
        else:
            yield slot_values.Token(text, tags)
        at += size
