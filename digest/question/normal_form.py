"""The normal form of a question, and its language."""

from __future__ import annotations

import re
import unicodedata

from digest.core.enums import Language
from digest.core.reference import Reference, parse_reference
from digest.errors import InvalidReference
from digest.topics.terms import HAN

LONGEST = 2_048
"""Maximum characters of a question; longer texts are not read."""

_MENTION = re.compile(r"(?:<@[^>\s]{1,64}>|@[\w.-]{1,64})[,:，：]? ?")
_SLASH = re.compile(r"/([A-Za-z]+)(?:@\w+)?(?= |$)")
_ANSWER_IN = re.compile(
    r" in (english|chinese)(?: please)?$"
    r"|[,，]?(?:请?用|以)?(英文|英语|中文|汉语)(?:回答|说明|说|输出)$",
    re.IGNORECASE,
)

# Kana, Hangul, Cyrillic, Greek, Arabic, Hebrew, Thai, Devanagari, and Latin letters with marks.
_FOREIGN = re.compile(
    r"[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u05ff\u0600-\u06ff\u0900-\u097f"
    r"\u0e00-\u0e7f\u3040-\u30ff\uac00-\ud7a3]"
)

_MARKS = " ?!.。！？~～;；…,，"
_SIGNS = str.maketrans(
    {"’": "'", "‘": "'", "“": '"', "”": '"', "`": '"', "\xa0": " "}
    | {chr(code): " " for code in range(0xE000, 0xF900)}
)

_OPEN_RANGE = re.compile(r"\d\.\.$")
_SMILEY = re.compile(r"(?<!\S)[:;]-?[)(DPp](?!\S)|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f]")


def tidy(text: str) -> str:
    """The question in single spaces, without mentions, slash and closing marks; NFKC.

    Text far longer than a question is truncated, but stays longer than ``LONGEST``.
    """
    flat = unicodedata.normalize("NFKC", text[: 2 * LONGEST + 1]).translate(_SIGNS)
    flat = " ".join(_SMILEY.sub(" ", flat).split())
    if len(text) > 2 * LONGEST:
        return flat.ljust(LONGEST + 1)
    while found := _MENTION.match(flat):
        flat = flat[found.end() :]
    flat = _SLASH.sub(r"\1", flat, count=1) if flat.startswith("/") else flat
    if _OPEN_RANGE.search(flat):
        return flat
    return flat.rstrip(_MARKS) or ("?" if "?" in flat else "")


def without_language(question: str) -> str:
    """A normalised question without a request for an answer language at its end."""
    rest, times = _ANSWER_IN.subn("", question)
    return rest.rstrip(_MARKS) if times else question


def language_of(text: str) -> Language | None:
    """The language of a question: the one it asks for, else the one it is written in.

    ``None`` if it has no word of either.
    """
    if asked := _ANSWER_IN.search(tidy(text)):
        english_words = (asked[1] or "").lower() == "english" or asked[2] in {"英文", "英语"}
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
