"""In which of our languages sentences are, told by their script.

English and Chinese are told apart by it, and both from most others; English from German is not.
Code, paths and names stay as they are in every language, so they do not count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from digest.language import Language

_CODE = re.compile(r"`[^`]*`|https?://\S+")
# Words of a language have letters alone; anything with a digit, underscore, dot, slash or an inner
# capital is a name.
_WORD = re.compile(r"(?<![\w./:-])[A-Za-z][a-z]+(?![\w./:-]*[\w/])")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
# Kana, Hangul, Cyrillic, Greek, Arabic, Hebrew, Thai, Devanagari.
_OTHER = re.compile(
    r"[\u3040-\u30ff\uac00-\ud7af\u0400-\u04ff\u0370-\u03ff\u0600-\u06ff\u0590-\u05ff\u0e00-\u0e7f\u0900-\u097f]"
)

# Two Han characters make about one word. Below this many words a text is too short to be judged.
_LEAST = 8
_HAN_A_WORD = 2


def sentences(value: Any) -> Iterator[str]:
    """The texts in a reply that a person reads: those with more than one word."""
    if isinstance(value, str):
        if " " in value.strip() or _HAN.search(value) or _OTHER.search(value):
            yield value
    elif isinstance(value, list):
        for one in value:
            yield from sentences(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from sentences(one)


def speaks(value: Any, language: Language) -> bool:
    """Whether the sentences in a value are in the language; true where too few words tell."""
    text = _CODE.sub(" ", "\n".join(sentences(value)))
    latin = len(_WORD.findall(text))
    han = len(_HAN.findall(text)) / _HAN_A_WORD
    other = len(_OTHER.findall(text)) / _HAN_A_WORD
    total = latin + han + other
    if total < _LEAST:
        return True
    if other > total / 4:
        return False
    # Chinese about code quotes many English words; English quotes hardly any Chinese.
    return han >= total / 4 if language is Language.ZH else han <= total / 4
