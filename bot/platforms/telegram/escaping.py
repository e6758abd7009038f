"""Keeps text inert: Telegram finds mentions, commands, tags and links in plain words by itself.

The server searches every message except inside links, code and preformatted text, so each place
where one could begin gets a WORD JOINER (U+2060): no width, no meaning, and in none of the server's
patterns. Those are in ``find_entities`` in ``td/telegram/MessageEntity.cpp`` of
https://github.com/tdlib/td; they accept joiners U+200C and U+200D as part of an address. The
patterns here are a little wider, because our tables of letters differ.
"""

from __future__ import annotations

import re

from bot.platforms.telegram.message_parts import Mark, TextRun
from bot.util.sanitize import address, legible
from digest.document import Code, Emphasis, Link, Span, Spans, Strong, Text

JOINER = "\u2060"

# In the order of the alternatives: @name; /command, also after a bracket or a Chinese character;
# #tag with a letter, so not #123; $CASH; scheme://; the dot before what may be a top-level domain
# (README.md is an address in Moldova); the dots of an IPv4 address.
_BEGINS = re.compile(
    r"(?<![A-Za-z0-9_])@(?=[A-Za-z0-9_])"
    r"|(?<![A-Za-z0-9_/<>])/(?=[A-Za-z0-9_])"
    r"|#(?=[\w\u200c\u00b7]*[^\W\d_])"
    r"|\$(?=[A-Z1])"
    r"|:(?=//)"
    r"|\.(?=[^\W\d_])"
    r"|(?<=\d)\.(?=\d+\.\d+\.\d)"
)

# Each is as long as the character it replaces, so that no message exceeds its limit.
_LOOK_ALIKES = {"@": "＠", "/": "∕", "#": "＃", "$": "＄", ":": "：", ".": "․"}

# Servers that Telegram accepts in a link: a name with a dot in it, or an address.
# LinkManager::check_link in td/telegram/LinkManager.cpp; anything else makes it refuse the whole
# message.
_TARGET = re.compile(
    r"https?://(?:[\w-]{1,63}\.)+[\w-]{1,63}(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE
)


def places(text: str) -> list[int]:
    """The positions that need a joiner: after each character that could start something active."""
    return [match.end() for match in _BEGINS.finditer(text)]


def inert(text: str) -> str:
    """The text with a joiner at each of these positions; applying it twice changes nothing."""
    # A function: a template would be parsed at each call, which takes longer than the search.
    return _BEGINS.sub(lambda match: match[0] + JOINER, text)


def inert_alike(text: str) -> str:
    """The text at its old length, with look-alikes at the positions where something would begin."""
    return _BEGINS.sub(lambda found: _LOOK_ALIKES[found[0]], text)


def is_target(url: str) -> bool:
    """Whether Telegram accepts the address in a link or a button."""
    return len(url) <= 2048 and _TARGET.fullmatch(url) is not None


_BOLD, _ITALIC, _CODE = Mark("bold"), Mark("italic"), Mark("code")

_MARKS: dict[type[Span], tuple[Mark, ...]] = {
    Text: (),
    Strong: (_BOLD,),
    Emphasis: (_ITALIC,),
    Link: (),
}


def runs(spans: Spans) -> tuple[TextRun, ...]:
    """The words of the spans with their marks, on one line."""
    made: list[TextRun] = []
    for span in spans:
        if isinstance(span, Code):
            text = legible(span.text)
            made.append(TextRun(text, (_CODE,) if text.strip() else ()))
        elif isinstance(span, Link):
            made += _link(span)
        else:
            made.append(TextRun(legible(span.text), _MARKS[type(span)]))
    return tuple([run for run in made if run.text])


def _link(link: Link) -> list[TextRun]:
    """A link if Telegram accepts its address, otherwise words followed by the address."""
    url, text = address(link.url), legible(link.text)
    if is_target(url):
        words = text if text.strip() else text + url
        return [TextRun(words, (Mark("text_link", url=url),))]
    if not url or url.startswith("#") or url == text:
        return [TextRun(text)]
    return [TextRun(f"{text} ("), TextRun(url, (_CODE,)), TextRun(")")]


def bold(spans: Spans) -> tuple[TextRun, ...]:
    """The same in bold, except for code, which cannot be bold."""
    return tuple(
        run if _CODE in run.marks or _BOLD in run.marks else TextRun(run.text, (*run.marks, _BOLD))
        for run in runs(spans)
    )


def still(runs: tuple[TextRun, ...]) -> tuple[TextRun, ...]:
    """The runs of a line with joiners where something would begin, except in code."""
    # A match may begin in one run and continue in the next: the runs are searched together.
    ends = places("".join([run.text for run in runs]))
    if not ends:
        return runs
    made: list[TextRun] = []
    at = 0
    left = iter(ends)
    end = next(left, None)
    for run in runs:
        begin, at = at, at + len(run.text)
        mine = []
        while end is not None and end <= at:
            mine.append(end - begin)
            end = next(left, None)
        if mine and _CODE not in run.marks:
            cuts = zip([0, *mine], [*mine, None], strict=True)
            text = JOINER.join([run.text[start:stop] for start, stop in cuts])
            made.append(TextRun(text, run.marks))
        else:
            made.append(run)
    return tuple(made)
