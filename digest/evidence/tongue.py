"""Whether one sentence is in the language that was asked for. Imports ``language`` only.

Scripts tell Chinese from English and both from most others; among languages in Latin letters the
small words tell, since every sentence of some length has them.
"""

from __future__ import annotations

import re

from digest.language import Language

_CODE = re.compile(r"`[^`]*`")
_WORD = re.compile(r"(?<![\w./:-])[A-Za-zÀ-ÿ][a-zà-ÿ']+(?![\w./:-]*[\w/])")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_OTHER = re.compile(r"[\u0370-\u1cff\ua000-\uabff]")

_ENGLISH = frozenset(
    """
    the a an of to and is are was were it its this that these for in on with by as from at
    be been has have had not no now only when where which who if or but so than then they
    their can could may might must should will would do does each every all any some both
    new more less before after into out over under without instead through whether still
    also there
    """.split()  # noqa: SIM905 - a list a word a line would take a page
)
_FOREIGN = frozenset(
    """
    der die das und ist nicht ein eine einen mit für auf den dem wird werden von zu im nur
    durch le la les des est une pour dans qui que sur avec pas par du au aux sont cette ce
    el los las una para con por del se al como más su esta este il lo gli che di per non nel
    della sono viene il o os as um uma não em dos das pelo pela é
    """.split()  # noqa: SIM905 - a list a word a line would take a page
)
_WORDS = 6
"""Below so many words the small ones do not tell."""

_MOST_LATIN = 3.0
"""So many English words to a pair of Han characters make a sentence English."""


def speaks(text: str, language: Language) -> bool:
    """Whether the words of a sentence, its code aside, are in the language."""
    bare = _CODE.sub(" ", text)
    if _OTHER.search(bare) or _KANA.search(bare):
        return False
    han = len(_HAN.findall(bare))
    words = [word.lower() for word in _WORD.findall(bare)]
    if language is Language.ZH:
        return han >= 2 and len(words) <= _MOST_LATIN * han / 2
    if han:
        return False
    if len(words) < _WORDS:
        return bool(words)
    english = sum(word in _ENGLISH for word in words)
    foreign = sum(word in _FOREIGN for word in words)
    return english > foreign
