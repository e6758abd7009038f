"""The normal form of a question, its language, and the cue words in it.

Unusual wordings are replaced first (``wordings.toml``). Another table (``cues.toml``) lists the
wordings of each tag; the longest known wording at a place counts. English is matched by words,
Chinese by characters. An unknown word counts as the known one that it misspells by a letter or two.
The same table lists phrases, expressions that are sought in the whole question.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from digest.chat.schedule_parser import WEEKDAY_NAMES
from digest.core.enums import Language
from digest.core.patterns import lazy, read_table
from digest.core.reference import Reference, parse_reference
from digest.errors import InvalidReference
from digest.question.dates import SPELT, WEEKDAY, number
from digest.question.intent import Top
from digest.topics.synonyms import CHINESE as NAMES
from digest.topics.terms import HAN

LONGEST = 2_048  # maximum characters of a question; longer texts are not read
_MENTION = lazy(r"(?:<@[^>\s]{1,64}>|@[\w.-]{1,64})[,:，：]? ?")
_SLASH = lazy(r"\A/([A-Za-z]+)(?:@\w+)?(?= |$)")

_ANSWER_IN = lazy(
    r"(?:[,;]? (?:and |please )?(?:answer|reply|respond))? in (english|chinese)(?: please)?$"
    r"|[,，]?(?:请?用|以)?(英文|英语|中文|汉语)(?:回答|说明|说|输出)$",
    re.IGNORECASE,
)

# Kana, Hangul, Cyrillic, Greek, Arabic, Hebrew, Thai, Devanagari, and Latin letters with marks.
_FOREIGN = lazy(
    r"[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u05ff\u0600-\u06ff\u0900-\u097f"
    r"\u0e00-\u0e7f\u3040-\u30ff\uac00-\ud7a3]"
)

_MARKS = " ?!.。！？~～;；…,，"

_SIGNS = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "`": '"', "\xa0": " "}
    | {chr(code): " " for code in range(0xE000, 0xF900)}
)

_OPEN_RANGE = lazy(r"\d\.\.$")
_SMILEY = lazy(r"(?<!\S)[:;]-?[)(DPp](?!\S)|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]")


def tidy(text: str) -> str:
    """The question in single spaces, without mentions, slash and closing marks; NFKC.

    Text far longer than a question is truncated, but stays longer than ``LONGEST``.
    """
    flat = unicodedata.normalize("NFKC", text[: 2 * LONGEST + 1]).translate(_SIGNS)
    flat = " ".join(_SMILEY.sub(" ", _DRAWN.sub(",", flat)).split())
    flat = _ONE_DASH.sub("--", _DOTS.sub(";", _DASH.sub("-", flat)))
    if len(text) > 2 * LONGEST:
        return flat.ljust(LONGEST + 1)
    while match := _MENTION.match(flat):
        flat = flat[match.end() :]
    flat = _SLASH.sub(r"\1", flat)
    if _OPEN_RANGE.search(flat):
        return flat
    flat = _OF_PERSON.sub(r"\2\1", PHRASES["not_asked"].sub("", flat))
    flat = _ABBREVIATED.sub(_abbreviation, flat)
    return flat.rstrip(_MARKS) or ("?" if "?" in flat else "")


_DOTS = lazy(r"(?<=[A-Za-z])\.{2,}(?=\s)")  # a pause, not a range
_ONE_DASH = lazy(r"(?:(?<=[\s\"'`(])|^)-(?=[a-z]\w*(?:[.-][a-z]\w*)+)")  # -web.api of Go
_DASH = lazy(r"(?<=\s)(?:-{2,3}|[–—])(?=\s)")
_DRAWN = lazy(r"(?<=[啦呀哦哈吧呢嘛啊喽])~+")  # a friendly tone, not a range
_OF_PERSON = lazy(
    r"^(?:(?i:and|also|what about|how about|then) )?([A-Z][\w-]{1,30}(?: [A-Z][\w-]{1,30})?)"
    r"(?:[?,:]| -+) (.{1,80}?)\b(?i:(?:of )?(?:his|hers|theirs)|he|she|they)\b",
)
"""A person named ahead of the question: *and Ada? did she push anything*."""

_ABBREVIATED = lazy(r"((?:\w{1,30}[ -]){2,6})\(([A-Za-z]{2,7})\)", re.ASCII)


def _abbreviation(match: re.Match[str]) -> str:
    """The abbreviation alone where words before it spell it out: *gated delta net (GDN)*."""
    words, short = re.findall(r"\w+", match[1]), match[2].lower()
    own = words[-len(short) :]
    if [word[0].lower() for word in own] != [*short]:
        return match[0]
    return " ".join([*words[: -len(short)], match[2]])


def without_tail(question: str) -> str:
    """The question without a reason, an example or a courtesy at its end."""
    match = PHRASES["tail"].search(question)
    head = question[: match.start()].rstrip(" ,?") if match else ""
    return question if head.lower() in _OPENERS else head


_OPENERS = frozenset({"", "and", "but", "so", "then", "ok", "okay", "well"})
"""Words before a question, which ask nothing by themselves: *and who wrote it*."""


_USUAL = read_table("digest.question", "wordings.toml")["usual"]
_PLAINER = tuple((lazy(pattern), plain) for pattern, plain in _USUAL)
"""Unusual wordings, each with the usual one."""


def in_usual_words(question: str) -> str:
    """A normalised question in which unusual wordings are replaced by the usual ones."""
    for pattern, plain in _PLAINER:
        question = pattern.sub(plain, question)
    return question


_DAYS_OF_WEEK = lazy(
    rf"\b(?:(?P<week>last|this|previous) week,? (?:on |from )?)?(?P<a>{WEEKDAY})"
    rf"(?:(?P<to> (?:to|and|till|until|through) | ?- ?)(?P<b>{WEEKDAY}))?"
    r"(?(week)|,? (?:of )?(?P<later>last|this|the previous) week\b)",
    re.IGNORECASE,
)
"""Days of a named week: *Monday to Wednesday last week*."""


def _day_names(match: re.Match[str]) -> str:
    """The days as Chinese writes them, with the week in the name of each day."""
    week = "本周" if (match["week"] or match["later"]).lower() == "this" else "上周"
    names = [one and one.lower()[:3] for one in (match["a"], match["b"])]
    first, *rest = [f"{week}{_WEEKDAYS_ZH[WEEKDAY_NAMES.index(name)]}" for name in names if name]
    return f"{first} to {rest[0]}" if rest else first


_WEEKDAYS_ZH = "一二三四五六日"


def with_days(text: str) -> str:
    """The text with the days of a named week as periods are read: *上周一 to 上周三*."""
    return _DAYS_OF_WEEK.sub(_day_names, text)


def without_language(question: str) -> str:
    """A normalised question without a request for an answer language at its end."""
    rest, times = _ANSWER_IN.subn("", question)
    return rest.rstrip(_MARKS) if times else question


def language_of(text: str) -> Language | None:
    """The language that a question asks for or is written in; ``None`` if it has no word."""
    if match := _ANSWER_IN.search(tidy(text)):
        english_words = (match[1] or "").lower() == "english" or match[2] in {"英文", "英语"}
        return Language.EN if english_words else Language.ZH
    if HAN.search(text):
        return Language.ZH
    words = re.findall(r"[A-Za-z]{2,}", text[:LONGEST])
    return Language.EN if words and reference_of(tidy(text)) is None else None


def is_foreign(text: str) -> bool:
    """Whether a question uses a script or letters of neither language."""
    return _FOREIGN.search(text) is not None


def reference_of(question: str) -> Reference | None:
    """The change that a normalised question consists of, if it names nothing else."""
    try:
        return parse_reference(question)
    except InvalidReference:
        return None


NONE: frozenset[str] = frozenset()  # the tags of a word that is in no table

_TABLE: dict[str, dict[str, str]] = read_table("digest.question", "cues.toml")

PHRASES = {name: lazy("|".join(some), re.IGNORECASE) for name, some in _TABLE["phrases"].items()}
"""The expressions of the table by name; any case matches."""

_WORDS = _TABLE["words"]
_MISSPELT = dict(pair.split(maxsplit=1) for pair in _WORDS["misspelt"].split(","))
ADVERBS = frozenset(_WORDS["adverbs"].split())
"""Words that may occur inside any wording without changing its meaning."""

_SHORTEST, _LONG, _LONGEST = 5, 8, 16
"""Minimum letters of a misspelt word, of one with two mistakes, and the maximum letters."""


def _tagged(tables: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Every wording in lower case with its tags, of which a table may give several: ``a & b``."""
    tags: dict[str, frozenset[str]] = {}
    for names, wordings in tables.items():
        own = frozenset(names.split(" & "))
        for wording in " ".join(wordings.lower().split()).split(","):
            stem, _, endings = wording.strip().removesuffix(")").partition("(")
            for ending in endings.split("/"):
                tags[stem + ending] = tags.get(stem + ending, NONE) | own
    return tags


def _is_english(wording: str) -> bool:
    return wording.isascii() or not HAN.search(wording)


_CUES = _tagged(_TABLE["cues"])
_ENGLISH = {tuple(one.split()): tags for one, tags in _CUES.items() if _is_english(one)}
_CHINESE = dict.fromkeys(NAMES, NONE) | {one: _CUES[one] for one in _CUES if not _is_english(one)}


def _longest(wordings: Iterable[Sequence[str]]) -> dict[str, int]:
    """The length of the longest wording that begins with a word or a character."""
    found: dict[str, int] = {}
    for one in wordings:
        found[one[0]] = max(found.get(one[0], 0), len(one))
    return found


_LONGEST_ZH, _LONGEST_EN = _longest(_CHINESE), _longest(_ENGLISH)
_PERIODS = frozenset(_WORDS["periods"].split())
_KNOWN = frozenset(word for words in _ENGLISH for word in words) | _PERIODS
_CORE = frozenset(_WORDS["commands"].split()) | _PERIODS
_ALIKE: dict[str, list[str]] = defaultdict(list)

for _word in sorted(_CORE):
    if len(_word) >= _SHORTEST:
        _ALIKE[_word[0]].append(_word)


_BEFORE_TOPICS = frozenset({"in", "of", "to", "on", "about", "the", "our", "a", "with", "for"})


def english(words: Sequence[str], at: int) -> tuple[frozenset[str], int]:
    """The tags of the longest wording that begins at a word, and its number of words.

    ``words`` are lower case. There are no tags if no wording begins there.
    """
    before, after = words[at - 1] if at else "", words[at + 1] if at + 1 < len(words) else ""
    asks = at == 1 or after == "" or not _ENGLISH.get((words[0],), NONE).isdisjoint({"ask", "aux"})
    noun = before in _BEFORE_TOPICS or (before and asks and not is_cue(before))
    if words[at] == "search" and noun and after not in {"for", "the"}:
        return NONE, 1  # "what changed in the search API", "beam search"
    for size in range(min(_LONGEST_EN.get(words[at], 0), len(words) - at), 0, -1):
        tags = _ENGLISH.get(tuple(words[at : at + size]))
        if tags is not None:
            return tags, size
    return NONE, 1


def says(text: str, phrase: str) -> bool:
    """Whether a text contains a phrase of the table, given by its name."""
    return PHRASES[phrase].search(text) is not None


def wants_one_line(question: str) -> bool:
    """Whether a question asks for a single sentence."""
    return says(tidy(question), "one_line")


def is_cue(word: str) -> bool:
    """Whether a lower-case word is a wording, or begins one."""
    return word in _LONGEST_EN


def chinese(run: str) -> list[tuple[str, frozenset[str]]]:
    """A run of Chinese characters split into known wordings with their tags and the rest."""
    found: list[tuple[str, frozenset[str]]] = []
    rest, at = "", 0
    while at < len(run):
        size = _LONGEST_ZH.get(run[at], 0)
        while size and run[at : at + size] not in _CHINESE:
            size -= 1
        wording = run[at : at + size]
        if not size or not _CHINESE[wording]:
            rest += wording or run[at]
        else:
            found += [(rest, NONE)] if rest else []
            found.append((wording, _CHINESE[wording]))
            rest = ""
        at += size or 1
    return [*found, (rest, NONE)] if rest else found


_STRETCHED = re.compile(r"(\w)\1+$")  # "junee", "todayyy"


@lru_cache(maxsize=4096)
def correct_word(word: str) -> str:
    """The cue word that a lower-case word misspells; itself if it is known or matches none.

    A word of five letters may have one mistake, from eight letters on two: an extra, missing or
    wrong letter, or two neighbours swapped. The first letter must be right.
    """
    if word in _MISSPELT:
        return _MISSPELT[word]
    if word in _KNOWN:
        return word
    if (short := _STRETCHED.sub(r"\1", word)) in _CORE:
        return short
    if not _SHORTEST <= len(word) <= _LONGEST or not (word.isascii() and word.isalpha()):
        return word
    most = 1 if len(word) < _LONG else 2
    # A mistake changes two letters at most. Most words have no rival: the library is large.
    letters = set(word)
    rivals = [
        one
        for one in _ALIKE[word[0]]
        if abs(len(one) - len(word)) <= most and len(letters ^ set(one)) <= 2 * most
    ]
    if not rivals:
        return word
    from rapidfuzz.distance import OSA
    from rapidfuzz.process import extractOne

    near = extractOne(word, rivals, scorer=OSA.distance, score_cutoff=most)
    return near[0] if near else word


def misspelt(text: str) -> frozenset[str]:
    """The words of a question that look like misspelt cue words."""
    words = re.findall(r"[a-z]{4,16}", tidy(text[:LONGEST]))
    return frozenset(word for word in words if correct_word(word) != word)


def correct(text: str, known: frozenset[str]) -> str:
    """A text with misspelt cue words corrected; words that are ``known`` are kept."""

    def put(match: re.Match[str]) -> str:
        return match[0] if match[0] in known else correct_word(match[0])

    text = re.sub(r"(?<![\w./@:'-])[a-z0-9]{1,16}(?![\w./@:'-])", put, text)
    return re.sub(r"\b(last|this|past|next) weak\b", r"\1 week", text)


def runs(text: str) -> list[tuple[int, int, bool]]:
    """The runs of a text, Chinese and other: start, end, whether Chinese."""
    found, end = [], 0
    for run in HAN.finditer(text):
        found += [(end, run.start(), False)] if run.start() > end else []
        found.append((run.start(), run.end(), True))
        end = run.end()
    return [*found, (end, len(text), False)] if end < len(text) else found


# --- The requested length of a list --------------------------------------------------------------


def list_lengths(text: str) -> re.Pattern[str] | None:
    """The pattern of requested lengths, if a text has a number or a superlative at all."""
    return _TOP if _NUMBERED_LIST.search(text) else None


def list_length(match: re.Match[str]) -> Top:
    """The length and the order that such a match requests."""
    said = match[0].lower()
    by = next((by for words, by in _BY if words.search(said)), "top")
    return Top(number(next(filter(None, match.groups()), "1").lower()), by)


_COUNT = rf"(?:[1-9][0-9]{{0,2}}|(?!one){SPELT})(?![\w.:/%-])"
_COUNT_ZH = r"(?!一[个条项位])[0-9一二三四五六七八九十两]{1,3}"
_BEST = (
    r"(?:top|best|main|key|biggest|largest|smallest|oldest|last|latest|newest"
    r"|most(?: (?!of\b)\w+)?)"
)
_NOUN = r"(?:prs|pull requests|commits|changes|fixes|features|things|items|people|authors)"
_TOP = lazy(
    r"\b(?:biggest|largest|longest|smallest|oldest|newest|latest|(?<!top )most recent)"
    r"(?= (?:\w+ )?(?:pr|commit|pull request|change|merge|fix|patch|revert)\b(?! message)| one ?$)"
    r"|\blast(?= (?:change|commit|pr|merge|fix) (?:to|in|on|of|for|by|that)\b)"
    r"|(?<=when was the )last(?= (?:\w+ ){0,2}(?:fix|change|commit|merge|removal|revert)\b)"
    r"|上一次(?=[^，。]{1,9}(?:什么时候|哪一?天|何时))"
    r"|(?:\A|\b(?:which|what)(?:'?s)?(?: one)?(?: of (?:them|these|those))?(?: is| was| looks)? )"
    r"(?:the )?(?:riskiest|biggest|largest|smallest"
    r"|most (?:risky|dangerous|important|critical|serious))(?: one)?(?= ?$)"
    r"|哪一?[个条项](?:改动|变更|提交)?最(?:危险|重要|关键|严重|要紧)(?= ?$)"
    rf"|\b{_BEST} (?P<a>{_COUNT})"
    r"(?! (?:\w+ )?(?:hour|day|week|month|year|quarter|release|version)s?\b)"
    rf"|(?<![\w.#/+-])(?<!than )(?P<b>{_COUNT}) {_BEST}\b"
    rf"|(?:\A|\b(?:me|us|the|show|list|name|pick|give) )(?P<c>{_COUNT})"
    rf"(?! (?:smallest|oldest|latest|newest)\b)(?= (?:\w+ )?{_NOUN}\b)"
    r"|最(?:[大小早]的?(?:一[个条次])?|新的?一[个条次])的?(?= ?(?:PR|提交|改动|变更|合并|commit))"
    r"(?!.{0,12}(?:哪些|什么|几))"
    rf"|(?:前|最[近新大]的?|最[^的\d]{{1,4}}的前?)(?P<d>{_COUNT_ZH}) ?[大个条项名位次]"
    r"(?!月|周|星期|礼拜|版本|发布|季度|小时)"
    rf"|(?<![第这那哪几\d])(?P<e>{_COUNT_ZH}) ?[大个条项位]"
    r"(?=.{0,8}(?:最|变更|改动|提交|修复|PR|commit))(?:最大的)?",
    re.IGNORECASE,
)
"""The requested length of a list: *the 3 most interesting*, *latest 5*, *前五名*."""
_NUMBERED_LIST = lazy(
    rf"[0-9]|(?-i:[\u4e00-\u9fff])|\b{SPELT}\b|est\b|\b(?:most|last)\b", re.IGNORECASE
)
_BY = (
    (lazy(r"last|latest|newest|recent|最近|最新|上一次"), "latest"),
    (lazy(r"gest\b|最大"), "largest"),
    (lazy(r"smallest|最小"), "smallest"),
    (lazy(r"oldest|最早"), "oldest"),
)
