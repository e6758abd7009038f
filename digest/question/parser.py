"""A question in words, read as an intent by a fixed grammar; no guess is made.

What the grammar cannot place is ``Unknown``, with examples of what it can.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from difflib import get_close_matches
from zoneinfo import ZoneInfo

from digest.chat.chat_commands import read_managing
from digest.core.enums import Language
from digest.core.reference import parse_reference
from digest.errors import InvalidReference
from digest.question import grammar_en, grammar_zh
from digest.question.commit_range import Refs, Span, find_refs, two_refs
from digest.question.examples import EXAMPLES
from digest.question.filters import Narrowing, kind_of_noun, kind_of_topic, narrowing
from digest.question.impact_questions import Affected, read_profiling
from digest.question.intent import (
    Again,
    Changed,
    Compare,
    DigestOf,
    Explain,
    Help,
    Intent,
    Search,
    Touched,
    Unknown,
)
from digest.question.periods import default_period, find_period
from digest.question.phrases import reworded
from digest.question.question_parts import QuestionParts, Verb
from digest.question.short_forms import read_aside, read_symbol
from digest.topics.terms import HAN
from digest.window import Window

LONGEST = 2_048
"""Characters; what is longer is no question that this grammar knows."""

MOST_TERMS = 12
"""Search terms of one question."""

_MENTION = re.compile(r"(?:<@[^>\s]{1,64}>|@[\w.-]{1,64})[,:，：]? ?")

_SLASH = re.compile(r"/([A-Za-z]+)(?:@\w+)?(?= |$)")

_ANSWER_IN = re.compile(
    r" in (english|chinese)$|[,，]?(?:请?用|以)?(英文|英语|中文|汉语)(?:回答|说明|说|输出)$",
    re.IGNORECASE,
)

_COMPARE = re.compile(
    r"(?:compare|comparison of|release notes|changelog|difference between|what(?:'s| is) (?:the )?"
    r"(?:difference|different) between|对比|比较|发布说明|更新日志)(?: (?:of|for))?:? ?",
    re.IGNORECASE,
)

_NOTES = re.compile(
    r"(?:(?:show|give me|make|write|the|a) )*(?:release notes|changelog|comparison)(?: (?:of|for))?"
    r"|(?:what(?:'s| is) )?(?:the )?(?:differences?|different)"
    r"|的?(?:发布说明|更新日志|对比|比较)|(?:的?|有(?:什么|哪些))(?:差异|区别|不同)",
    re.IGNORECASE,
)

_EXPLAIN_RANGE = re.compile(
    r"(?:explain|describe|summari[sz]e|解释|说明|介绍|总结)(?:一下)?(?: (?:the )?(?:range"
    r"|changes))?",
    re.IGNORECASE,
)

_AND = re.compile(
    r"(?:and|what about|how about|same for|same)(?: (?:for|in|the))*|那么?|(?:那么?)? ?呢|换成",
    re.IGNORECASE,
)

_AND_ZH = re.compile(r"^那|呢$")

_AND_TOPIC = re.compile(
    r"(?:and|same)(?: (?:for|in|about|of|on))+ (.+)|那么?(.+?)呢", re.IGNORECASE
)

# Kana, Hangul, Cyrillic, Greek, Arabic, Hebrew, Thai, Devanagari, and Latin letters with marks.
_FOREIGN = re.compile(
    r"[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u05ff\u0600-\u06ff\u0900-\u097f"
    r"\u0e00-\u0e7f\u3040-\u30ff\uac00-\ud7a3]"
)

_WHO = re.compile(
    r"^who (?:has |have |is )?(?:touch|chang|modif|edit|updat|work|contribut|committ)"
    r"|谁(?:最近)?(?:改|动|修改|更新|碰|提交|参与|负责|维护)",
    re.IGNORECASE,
)

_MOST = re.compile(
    r"who (?:has |have )?(?:touched|changed|committed|contributed|merged|did|made|wrote|worked)"
    r"(?: (?:the )?most)?(?: (?:changes|commits|prs|work))?"
    r"|(?:the |our |list |show )*(?:top|main|most active|biggest|active)? ?"
    r"(?:contributors?|committers?|authors)"
    r"|谁(?:提交|改|贡献|合并|做)(?:得|的|了)?(?:东西)?(?:最多|最活跃)"
    r"|(?:最活跃的?|主要的?)?(?:贡献者|提交者|作者)(?:排行榜?|排名|列表|有哪些|是谁)?",
    re.IGNORECASE,
)

_MARKS = " ?!.。！？~～;；…,，"

_SIGNS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "`": '"', " ": " "})


def parse(text: str, now: datetime, zone: ZoneInfo) -> Intent:
    """The intent of a question, its period read in ``zone`` as seen from ``now``.

    Raises ``InvalidDate``, ``InvalidWindow`` and ``FutureWindow`` for a period that is written
    like one and cannot be meant.
    """
    asked = tidy(text)
    question = _ANSWER_IN.sub("", asked)
    if not asked or len(asked) > LONGEST:
        return Unknown(near=_near("", language_of(text)), too_long=len(asked) > LONGEST)
    if (told := read_managing(asked) or read_profiling(question)) is not None:
        return told
    try:
        return Explain(reference=parse_reference(question))
    except InvalidReference:
        pass
    if (told_so := reworded(question)) != question:
        asked = question = told_so
    intent = read_aside(asked) or _read(question, now, zone) or _mended(asked, question, now, zone)
    if isinstance(intent, Changed) and intent.topic and _WHO.search(question):
        return replace(intent, people=True)
    return intent or Unknown(near=_near(question, language_of(text)), foreign=_is_foreign(asked))


def _mended(asked: str, question: str, now: datetime, zone: ZoneInfo) -> Intent | None:
    """The intent of a question whose first words misspell command words."""
    better = grammar_en.mended(question)
    return read_aside(grammar_en.mended(asked)) or (
        _read(better, now, zone) if better != question else None
    )


def tidy(text: str) -> str:
    """The question in single spaces, without mentions, slash and closing marks; NFKC.

    Text far longer than a question is returned cut off, still longer than ``LONGEST``.
    """
    flat = " ".join(unicodedata.normalize("NFKC", text[: 2 * LONGEST + 1]).split())
    flat = flat.translate(_SIGNS)
    if len(text) > 2 * LONGEST:
        return flat.ljust(LONGEST + 1)
    while found := _MENTION.match(flat):
        flat = flat[found.end() :]
    flat = _SLASH.sub(r"\1", flat, count=1) if flat.startswith("/") else flat
    return flat.rstrip(_MARKS) or ("?" if "?" in flat else "")


def language_of(text: str) -> Language | None:
    """The language of a question: the one it asks for, else the one it is written in.

    ``None`` where it holds no word of either.
    """
    if asked := _ANSWER_IN.search(tidy(text)):
        english_words = (asked[1] or "").lower() == "english" or asked[2] in {"英文", "英语"}
        return Language.EN if english_words else Language.ZH
    if HAN.search(text):
        return Language.ZH
    words = re.findall(r"[A-Za-z]{2,}", text[:LONGEST])
    return Language.EN if words and not _is_reference(text) else None


def _is_foreign(text: str) -> bool:
    """Whether a question is in a script, or with letters, of neither language."""
    return _FOREIGN.search(text) is not None


def _is_reference(text: str) -> bool:
    try:
        parse_reference(tidy(text))
    except InvalidReference:
        return False
    return True


def _read(question: str, now: datetime, zone: ZoneInfo) -> Intent | None:
    """Without a period first: an address may hold what looks like a date."""
    filters = narrowing(question)
    if filters is None or not question:
        return None
    wish = None if filters.any or not filters.rest else _wish(filters.rest)
    if wish is not None and wish.verb in {Verb.EXPLAIN, Verb.HELP}:
        return _intent(wish, None, filters, now, zone)
    found = _span(filters.rest, now, zone)
    rest = found.rest.strip(f"{_MARKS}:：") if found else filters.rest
    if found is not None and (special := _special(question, rest, found.window)):
        return special
    if found is None and (special := _special(question, rest, None)):
        return special
    words, kind = kind_of_noun(rest)
    if kind is not None:
        filters = replace(filters, kinds=(*filters.kinds, kind))
    if (found or filters.any) and _MOST.fullmatch(words):
        window = found.window if found else default_period(now, zone)
        return replace(_changed(QuestionParts(verb=Verb.CHANGED), window, filters), people=True)
    if not words:
        bare = (
            Verb.CHANGED
            if filters.any or isinstance(found and found.window, Refs)
            else (Verb.DIGEST)
        )
        wish = QuestionParts(verb=bare) if found or filters.any else None
    else:
        wish = _wish(words)
    if wish is None or (wish.bare and found is None and not filters.any):
        return None
    return _intent(wish, found, filters, now, zone)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spanned:
    """A stretch of time or of history, and the question without it."""

    window: Span
    rest: str


def _special(question: str, rest: str, span: Span | None) -> Intent | None:
    """What asks with a stretch of history, or without, for something of its own."""
    if span is not None and isinstance(affected := read_profiling(rest), Affected):
        return replace(affected, window=span)
    if found := _COMPARE.match(question):
        refs = span if isinstance(span, Refs) else two_refs(question[found.end() :])
        exact = span is None or _NOTES.fullmatch(rest) or _COMPARE.fullmatch(f"{rest} ")
        return Compare(refs=refs) if refs and exact else None
    if isinstance(span, Refs) and (_EXPLAIN_RANGE.fullmatch(rest) or _NOTES.fullmatch(rest)):
        return Compare(refs=span)
    if symbol := read_symbol(rest):
        return Touched(name=symbol.name, window=span)
    if span is not None and (_AND.fullmatch(rest) or (not rest and _AND_ZH.search(question))):
        return Again(window=span)
    if found := _AND_TOPIC.fullmatch(rest):
        name = next(g for g in found.groups() if g).strip('" ')
        wish = _wish(f"changes in {name}") if name.isascii() else _wish(f"{name}的变更")
        if wish and wish.topic and wish.verb is Verb.CHANGED:
            return Again(window=span, topic=wish.topic)
    return None


def _span(question: str, now: datetime, zone: ZoneInfo) -> _Spanned | None:
    """The references or the period of a question, but not what stands in quotation marks."""
    hidden = re.sub(r'"[^"]*"', lambda m: "\0" * len(m[0]), question)
    if named := find_refs(hidden):
        return _Spanned(window=named.refs, rest=_shown(named.rest, question))
    found = find_period(hidden, now, zone)
    return _Spanned(window=found.window, rest=_shown(found.rest, question)) if found else None


def _shown(rest: str, question: str) -> str:
    """What is left of a question, with its terms in quotation marks again."""
    quoted = iter(re.findall(r'"[^"]*"', question))
    return re.sub("\0+", lambda _: next(quoted), rest)


def _wish(words: str) -> QuestionParts | None:
    if not HAN.search(words):
        return grammar_en.read(words)
    wish = grammar_zh.read(words)
    if (wish is None or wish.bare) and words[0].isascii():
        return _framed(grammar_en.read(words)) or wish
    return wish


def _framed(wish: QuestionParts | None) -> QuestionParts | None:
    """English words around a Chinese name make a question only where a frame holds them."""
    return None if wish is None or wish.bare else wish


def _intent(
    wish: QuestionParts, found: _Spanned | None, filters: Narrowing, now: datetime, zone: ZoneInfo
) -> Intent | None:
    window = found.window if found else None
    match wish.verb:
        case Verb.EXPLAIN:
            return Explain(reference=wish.reference) if wish.reference else None
        case Verb.HELP:
            return Help()
        case Verb.SEARCH:
            return Search(
                terms=wish.terms[:MOST_TERMS],
                window=window,
                author=filters.author,
                path=filters.path,
                level=filters.level,
                kinds=filters.kinds,
                label=filters.label,
            )
        case Verb.DIGEST if not filters.any:
            return DigestOf(window=window or _last_days(wish.days or 1, now, zone))
        case Verb.CHANGED | Verb.DIGEST:
            return _changed(wish, window or default_period(now, zone), filters)


def _changed(wish: QuestionParts, window: Span, filters: Narrowing) -> Changed:
    topic, kind = kind_of_topic(wish.topic)
    kinds = (*filters.kinds, kind) if kind else filters.kinds
    return Changed(
        window=window,
        topic=topic,
        author=filters.author or wish.author,
        path=filters.path or wish.path,
        level=filters.level or wish.level,
        kinds=tuple(dict.fromkeys(kinds)),
        label=filters.label,
        daily=filters.daily,
        files=filters.files,
        defaults=filters.defaults,
    )


def _last_days(days: int, now: datetime, zone: ZoneInfo) -> Window:
    """A digest without a period is of the last 24 hours, a weekly one of the last 7 x 24."""
    until = now.replace(microsecond=0)
    return Window(since=until - timedelta(days=days), until=until, zone=zone)


def _near(question: str, language: Language | None) -> tuple[str, ...]:
    examples = EXAMPLES[language or Language.EN]
    texts = [text for _, text in examples]
    lowered = {t.lower(): t for t in texts}
    near = get_close_matches(question[:100].lower(), lowered, n=2, cutoff=0.5)
    return tuple(dict.fromkeys([*(lowered[n] for n in near), *texts]))[:3]
