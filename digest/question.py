"""A question in words, read as an intent by a fixed grammar; no guess is made.

What the grammar cannot place is ``Unknown``, with examples of what it can.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from datetime import datetime, timedelta
from difflib import get_close_matches
from zoneinfo import ZoneInfo

from digest import chinese, english
from digest.errors import InvalidReference
from digest.examples import EXAMPLES
from digest.intent import Changed, DigestOf, Explain, Help, Intent, Search, Unknown
from digest.language import Language
from digest.period import Found, default_period, find_period
from digest.reference import parse_reference
from digest.terms import HAN
from digest.window import Window
from digest.wish import Verb, Wish

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
_MARKS = " ?!.。！？~～;；…,，"
_SIGNS = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "`": '"', " ": " "})


def parse(text: str, now: datetime, zone: ZoneInfo) -> Intent:
    """The intent of a question, its period read in ``zone`` as seen from ``now``.

    Raises ``InvalidDate``, ``InvalidWindow`` and ``FutureWindow`` for a period that is written
    like one and cannot be meant.
    """
    question = _ANSWER_IN.sub("", tidy(text))
    if not question or len(question) > LONGEST:
        return Unknown(near=_near("", language_of(text)))
    try:
        return Explain(reference=parse_reference(question))
    except InvalidReference:
        pass
    intent = _read(question, now, zone)
    return intent or Unknown(near=_near(question, language_of(text)))


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


def _is_reference(text: str) -> bool:
    try:
        parse_reference(tidy(text))
    except InvalidReference:
        return False
    return True


def _read(question: str, now: datetime, zone: ZoneInfo) -> Intent | None:
    """Without a period first: an address may hold what looks like a date."""
    wish = _wish(question)
    if wish is not None and wish.verb in {Verb.EXPLAIN, Verb.HELP}:
        return _intent(wish, None, now, zone)
    found = _period(question, now, zone)
    if found is not None:
        wish = _wish(found.rest.strip(f"{_MARKS}:：")) if found.rest else Wish(verb=Verb.DIGEST)
    if wish is None or (wish.bare and found is None):
        return None
    return _intent(wish, found, now, zone)


def _period(question: str, now: datetime, zone: ZoneInfo) -> Found | None:
    """The period of a question, except where it stands in quotation marks: those are terms."""
    hidden = re.sub(r'"[^"]*"', lambda m: "\0" * len(m[0]), question)
    found = find_period(hidden, now, zone)
    if found is None or "\0" not in found.rest:
        return found
    quoted = iter(re.findall(r'"[^"]*"', question))
    return replace(found, rest=re.sub("\0+", lambda _: next(quoted), found.rest))


def _wish(words: str) -> Wish | None:
    if not HAN.search(words):
        return english.read(words)
    wish = chinese.read(words)
    if (wish is None or wish.bare) and words[0].isascii():
        return _framed(english.read(words)) or wish
    return wish


def _framed(wish: Wish | None) -> Wish | None:
    """English words around a Chinese name make a question only where a frame holds them."""
    return None if wish is None or wish.bare else wish


def _intent(wish: Wish, found: Found | None, now: datetime, zone: ZoneInfo) -> Intent | None:
    window = found.window if found else None
    match wish.verb:
        case Verb.EXPLAIN:
            return Explain(reference=wish.reference) if wish.reference else None
        case Verb.HELP:
            return Help()
        case Verb.SEARCH:
            return Search(terms=wish.terms[:MOST_TERMS], window=window)
        case Verb.DIGEST:
            return DigestOf(window=window or _last_days(wish.days or 1, now, zone))
        case Verb.CHANGED:
            return Changed(
                window=window or default_period(now, zone),
                topic=wish.topic,
                author=wish.author,
                path=wish.path,
                level=wish.level,
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
