"""Checks the form and the language of a statement: no markup, hidden characters or half sentences.

Scripts distinguish Chinese from English and both from most other languages; among languages in
Latin letters small words do, since every sentence of some length has them. What a check finds is a
:class:`Rejection`, here and in the other checks.
"""

from __future__ import annotations

import re
import unicodedata
from enum import StrEnum

from digest.core.enums import Language
from digest.frozen import frozen

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

_WORDS = 6  # with fewer words the small ones prove nothing
_MOST_LATIN = 3.0  # this many English words per pair of Han characters make a sentence English


def speaks(text: str, language: Language) -> bool:
    """Whether the words of a sentence, apart from code, are in the language."""
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


LONGEST = 600  # characters of a statement; the prompt asks for less than half
_SHORTEST = 3
_SHORTEST_HAN = 2

_SCHEME = re.compile(
    r"[a-z][a-z0-9+.-]{1,20}://|\bwww\.\w|\b(?:mailto|javascript|vbscript):\S|\bdata:\w+/"
    r"|\bfile:/|\btel:\+?\d|\b(?:t\.me|bit\.ly|goo\.gl)/",
    re.IGNORECASE,
)

_BRACKETS = re.compile(r"\]\s?[(\[]")

# Endings that chat programs turn into links by themselves and that no name of code has; those of
# files and modules (py, rs, md, io, info) are left to the name check, which makes them code.
_DOMAIN = re.compile(
    r"(?<![\w./-])(?:[\w-]+\.)+(?:com|net|org|biz|xyz|top|online|shop|gg|ru|cn|tk)\b(?![\w(])",
    re.IGNORECASE,
)

_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.\w")
_MENTION = re.compile(r"(?<![\w`])[@＠](?=\w)|<[@!#]|<at\b", re.IGNORECASE)

_CALL_ALL = re.compile(
    r"[@＠<!](?:everyone|here|channel|all|room|group|所有人|全体)\b", re.IGNORECASE
)

_TAG = re.compile(r"<[/!?]?[a-zA-Z][^<>]*>|&(?:#\d+|#x[0-9a-f]+|[a-z]{2,8});", re.IGNORECASE)

_BLOCK = re.compile(
    r"^\s*(?:#{1,6}\s|>|[-*+•]\s|\d{1,3}[.)]\s|\||={3,}|-{3,})|```|~~|\|\||!\[|\$\$"
)

_FORM_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")

# Words that no sentence about a change contains, but that a commit may have injected.
_ADDRESS_TO = re.compile(
    r"\b(?:ignor|disregard|forget|overrid)\w*\s+(?:all|any|every|previous|prior|earlier|your|these"
    r"|those|the (?:above|previous))\b.{0,40}\b(?:instructions?|guidelines?|system prompts?)\b"
    r"|\byou are (?:now|no longer|hereby)\b|\bas an? (?:ai|(?:large )?language) model\b"
    r"|^(?:I|I'm|I’m|We|Sorry|Sure|Certainly)\b(?!/)"
    r"|(?:忽略|无视|忘记).{0,16}(?:指令|指示|提示词)"
    r"|你(?:现在)?(?:已经)?(?:是一个|不再是)|作为(?:一个|一名)?(?:AI|人工智能|语言模型)"
    r"|^我(?:们)?(?:无法|不能|是)",
    re.IGNORECASE,
)

# Categories of characters that are invisible or unassigned.
_UNSEEN = frozenset(["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Mn", "Me", "Mc", "So", "Sk", "Lm"])
_SYMBOLS = frozenset("×÷±−→←↔⇒≤≥≠≈∞µμ°·…–—‘’“”«»§©®™•")
_PAIRS = {")": "(", "]": "[", "}": "{", "）": "（", "】": "【", "」": "「", "》": "《", "”": "“"}
_OPENING = frozenset(_PAIRS.values())
_STOP = re.compile(r"[.!?。！？](?:[\"'”’」）)\]*_`]*)$")
_TRAILING_DOTS = re.compile(r"(?:\.\.\.?|…+|。。+)[\"'”’」）)*]*$")

# Words that no sentence ends with: one that does was cut off and closed.
_DANGLING = re.compile(
    r"\b(?:the|a|an|and|or|but|than|which|whose|because|while|its|their|e\.g|i\.e|such as|due to)"
    r"[.!?]$"
    r"|(?:以及|并且|或者|因为|由于|通过|使得|和|与|或|从|将|把|被)[。！？.]$",
    re.IGNORECASE,
)


def normal(text: str) -> str:
    """The text with plain blanks, composed characters, and no blanks around."""
    return (
        " ".join(unicodedata.normalize("NFC", text).split()) if "\n" not in text else text.strip()
    )


def check_form(text: str) -> Failed | None:
    """What is wrong with the form of a statement, if anything."""
    if len(text) > LONGEST:
        return Failed(fault=Rejection.LONG)
    if "\n" in text or "\r" in text:
        return Failed(fault=Rejection.MARKUP, about="several lines")
    return _hidden(text) or _markup(text) or _address_fault(text) or _broken(text)


def _hidden(text: str) -> Failed | None:
    if text.isascii():
        bad = next((c for c in text if not c.isprintable()), "")
        return Failed(fault=Rejection.HIDDEN, about=_code_point(bad)) if bad else None
    for char in text:
        if char.isascii() or char in _SYMBOLS:
            if not char.isprintable():
                return Failed(fault=Rejection.HIDDEN, about=_code_point(char))
        elif unicodedata.category(char) in _UNSEEN or not _plain(char):
            return Failed(fault=Rejection.HIDDEN, about=_code_point(char))
    return None


def _plain(char: str) -> bool:
    """Whether a character outside ASCII is what it looks like: Han, kana, or accented Latin."""
    # Letters of other scripts, full-width and mathematical ones can pose as ASCII letters
    # (https://www.unicode.org/reports/tr39/); the language check rejects scripts that do not.
    category = unicodedata.category(char)
    if category[0] == "N":
        return unicodedata.normalize("NFKC", char) == char
    if category[0] != "L":
        return True
    if category == "Lo":
        return unicodedata.normalize("NFKC", char) == char
    return unicodedata.normalize("NFD", char)[0].isascii()


def _code_point(char: str) -> str:
    return f"U+{ord(char):04X}"


def _markup(text: str) -> Failed | None:
    bare = _FORM_CODE.sub(" ", text)
    for rule, source in (
        (_SCHEME, text),
        (_ADDRESS, text),
        (_CALL_ALL, text),
        (_BRACKETS, bare),
        (_DOMAIN, bare),
        (_MENTION, bare),
        (_TAG, bare),
        (_BLOCK, bare),
    ):
        if match := rule.search(source):
            return Failed(fault=Rejection.MARKUP, about=match[0].strip()[:40])
    return None


def _address_fault(text: str) -> Failed | None:
    match = _ADDRESS_TO.search(_FORM_CODE.sub("x", text))
    return Failed(fault=Rejection.ADDRESS, about=match[0][:40]) if match else None


def _broken(text: str) -> Failed | None:
    if text.count("`") % 2:
        return Failed(fault=Rejection.BROKEN, about="an open backtick")
    bare = _FORM_CODE.sub("x", text)
    letters = sum(char.isalpha() for char in bare)
    least = _SHORTEST if bare.isascii() else _SHORTEST_HAN
    if letters < least:
        return Failed(fault=Rejection.BROKEN, about="no sentence")
    if not _STOP.search(bare) or _TRAILING_DOTS.search(bare) or _DANGLING.search(bare):
        return Failed(fault=Rejection.BROKEN, about=text[-20:])
    if not _is_balanced(bare):
        return Failed(fault=Rejection.BROKEN, about="an open bracket")
    return None


def _is_balanced(text: str) -> bool:
    """Whether every opening bracket and curly quote is closed, in order."""
    open_: list[str] = []
    for char in text:
        if char in _OPENING:
            open_.append(char)
        elif char in _PAIRS and (not open_ or open_.pop() != _PAIRS[char]):
            return False
    return not open_


class Rejection(StrEnum):
    """What is wrong with a statement. A closed set, so that it can be counted."""

    CITATION = "citation"  # it cites nothing, or something that the change does not have
    PATH = "path"  # it names a file or folder that the change does not
    NAME = "name"  # it names an identifier that the change does not
    FLAG = "flag"  # it names a flag that the change does not
    NUMBER = "number"  # it gives a number that the change does not
    SHIFT = "shift"  # it claims a value before and after that the change does not show
    SIDE = "side"  # it says added of what was removed, or the other way round
    MARKUP = "markup"  # it contains a link, a mention, an image, HTML or other markup
    HIDDEN = "hidden"  # it contains control characters, invisible ones or look-alikes
    ADDRESS = "address"  # it gives orders or mentions itself, as a manipulated model does
    COPIED = "copied"  # it is word for word in the diff: no sentence about it, perhaps a bait
    BROKEN = "broken"  # it breaks off, or is no sentence
    LONG = "long"  # it is longer than a statement may be
    LANGUAGE = "language"  # it is in another language


@frozen
class Failed:
    """A rejection, and the words that caused it."""

    fault: Rejection
    about: str = ""

    def __str__(self) -> str:
        return f"{self.fault}: {self.about}" if self.about else str(self.fault)
