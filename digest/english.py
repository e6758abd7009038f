"""The English grammar: command words, frames of questions, and what is no topic.

A question comes tidied (single spaces, no closing marks) and without its period.
"""

from __future__ import annotations

import re

from digest.english_frames import (
    BY,
    CHANGED,
    DID,
    DIGEST,
    DIGEST_DAYS,
    EXPLAIN,
    EXPLAIN_WORD,
    HELP,
    LEVEL,
    PATH,
    POLITE_BEGIN,
    POLITE_END,
    SEARCH,
    TERM,
)
from digest.errors import InvalidReference
from digest.grade import Level
from digest.reference import parse_reference
from digest.spelling import nearest
from digest.wish import Verb, Wish


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


COMMANDS = _words("""
    explain describe summarize summarise analyze analyse digest summary report recap overview
    changed changes change updates commits search find grep lookup help usage commands happened
    touched modified merged anything what who show list compare status privacy shorter longer
    reviewed reviewers
    """)
"""Words that a question may begin with, and that a misspelt one is mended to."""
_KNOWN = COMMANDS | _words("""
    what's whats is has been the a an in on to for with about of new any all did does do this
    that last week weekly daily monthly month day please me my you can could path level by merge
    chance charge changing exchange export explore reach whats finds chunk whom whose while lint
    bind fine mind kind private fund held heap hello stats state computer compared company
    """)
_FUZZY_WORDS = 3
"""Command words stand among so many first words of a question."""

_LEADING = re.compile(
    r"(?:the|a|an|any|our|all|everything|stuff|things|new|latest|recent|about|regarding) ",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r" (?:module|area|part|component|code|stuff|things|side|subsystem|related|folder|directory|area"
    r"|changes?|work|front)$",
    re.IGNORECASE,
)
_EVERYTHING = _words("""
    repo repository project codebase code it main master everything here there general the-repo
    tree all branch things this stuff
    """)
_NO_TOPIC = _words("""
    i you me my mine we us our your yours he she they him his her their it its who whom whose what
    when where why how which is are was were am be been being do does did done have has had will
    would should shall could can cannot must might since until till before after tomorrow yesterday
    today now mind life weather joke lunch dinner please thanks thank hello hi hey bye delete drop
    merge close open approve deploy install run write make create send remove rebase push pull that
    these those than if because so but not don't dont isn't let's there here explain describe search
    find help tell show give most und nicht ist das die der was hat les des est une qui que los las
    del el en una por y para con ich wer wie le la et sur dans pour il lo di che
    """)
"""Words that no name of a topic holds: a question with one of them was read wrongly."""

_TOPIC_WORDS = 6
_TOPIC_LENGTH = 80
_BARE_WORDS = 3


def read(question: str) -> Wish | None:
    """The wish of an English question; ``None`` where the grammar has no place for it.

    A misspelt command word is read as the nearest one, only where the words as written make no
    question.
    """
    plain = POLITE_END.sub("", POLITE_BEGIN.sub("", question)).strip(" ,")
    wish = _read(plain)
    if wish is None or wish.bare:
        better = mended(plain)
        if better != plain:
            return _read(better) or wish
    return wish


def mended(text: str) -> str:
    """The text with its first words mended where they misspell command words."""
    words = text.split(" ")
    for place, word in enumerate(words[:_FUZZY_WORDS]):
        lower = word.lower()
        if word.isalpha() and lower not in _KNOWN:
            words[place] = nearest(lower, COMMANDS) or word
    return " ".join(words)


def _read(text: str) -> Wish | None:
    if HELP.fullmatch(text):
        return Wish(verb=Verb.HELP)
    if wish := _read_explain(text):
        return wish
    if found := EXPLAIN_WORD.match(text):
        path = text[found.end() :]
        return Wish(verb=Verb.CHANGED, path=path) if _is_path(path) else None
    if found := DIGEST.fullmatch(text):
        return Wish(verb=Verb.DIGEST, days=DIGEST_DAYS.get((found[1] or "").lower(), 0))
    if found := SEARCH.fullmatch(text):
        terms = tuple(a or b for a, b in TERM.findall(next(g for g in found.groups() if g)))
        return Wish(verb=Verb.SEARCH, terms=terms) if terms else None
    return _read_changed(text)


def _read_explain(text: str) -> Wish | None:
    found = EXPLAIN.fullmatch(text)
    if not found:
        return None
    try:
        return Wish(verb=Verb.EXPLAIN, reference=parse_reference(found[1].strip(",.;:()\"'")))
    except InvalidReference:
        return None


def _read_changed(text: str) -> Wish | None:
    text, level = _cut(LEVEL, text)
    text, path = _cut(PATH, text)
    text, author = _cut(BY, text)
    if author.lower() in _NO_TOPIC:
        return None
    if did := DID.fullmatch(text):
        author, topic = did[1], did[2] or ""
        return None if author.lower() in _NO_TOPIC else _changed(topic, author, path, level)
    for pattern in CHANGED:
        if found := pattern.fullmatch(text):
            wish = _changed(found[1] if found.re.groups and found[1] else "", author, path, level)
            if wish is not None:
                return wish
    if not text and (level or path or author):
        return _changed("", author, path, level)
    bare = _changed(text, author, path, level) if len(text.split()) <= _BARE_WORDS else None
    if bare is None or not (bare.topic or bare.path):
        return None
    return Wish(
        verb=bare.verb,
        topic=bare.topic,
        author=bare.author,
        path=bare.path,
        level=bare.level,
        bare=True,
    )


def _cut(pattern: re.Pattern[str], text: str) -> tuple[str, str]:
    """The text without the first thing of that form, and the thing."""
    found = pattern.search(text)
    if not found:
        return text, ""
    rest = f"{text[: found.start()]} {text[found.end() :]}"
    return " ".join(rest.split()), next(g for g in found.groups() if g)


def _changed(topic: str, author: str, path: str, level: str) -> Wish | None:
    name = _topic(topic)
    if name is None:
        return None
    if not path and _is_path(name):
        name, path = "", name
    return Wish(verb=Verb.CHANGED, topic=name, author=author, path=path, level=_level(level))


def _level(word: str) -> Level | None:
    if not word:
        return None
    return Level(word.lower()) if word.lower() in {"medium", "low"} else Level.HIGH


def _is_path(name: str) -> bool:
    if ".." in name.split("/") or not re.fullmatch(r"[\w.@+~][\w.@+~-]*(?:/[\w.@+~-]+)*/?", name):
        return False
    return name.count("/") > 1 or name.endswith("/") or bool(re.search(r"/.*\.[a-z]{1,5}$", name))


def _topic(written: str) -> str | None:
    """The name of the topic; empty for everything, ``None`` where the words cannot name one."""
    name = written.strip(" ,.;:\"'`“”‘’()[]")
    while found := _LEADING.match(name):
        name = name[found.end() :]
    name = _TRAILING.sub("", name)
    words = name.lower().split()
    if not words or (len(words) == 1 and words[0] in _EVERYTHING):
        return ""
    if (
        "#" in name
        or len(words) > _TOPIC_WORDS
        or len(name) > _TOPIC_LENGTH
        or _NO_TOPIC.intersection(words)
    ):
        return None
    # A number alone is a count, a date or an age, and part of a great many names.
    return name if any(c.isalnum() for c in name) and not name.isdecimal() else None
