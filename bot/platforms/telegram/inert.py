"""Text that stays text: Telegram finds mentions, commands, tags and links in plain words by itself.

The server looks for them in every message, whatever markup it came with, except inside links, code
and preformatted text. There is no switch against it, so each place where one could begin gets a
WORD JOINER (U+2060): no width, no meaning, and in none of the server's patterns. The patterns are
those of ``find_entities`` in ``td/telegram/MessageEntity.cpp`` of https://github.com/tdlib/td; they
take joiners U+200C and U+200D for a part of an address, so those would not do. What is written here
is a little wider than each of them, since their tables of letters are not ours.
"""

from __future__ import annotations

import re

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
# Each of the same length as what it stands for, so that no message grows beyond its limit.
_LOOK_ALIKES = {"@": "＠", "/": "∕", "#": "＃", "$": "＄", ":": "：", ".": "․"}

# Servers that Telegram takes as the target of a link: a name with a dot in it, or an address.
# LinkManager::check_link in td/telegram/LinkManager.cpp; anything else refuses the whole message.
_TARGET = re.compile(
    r"https?://(?:[\w-]{1,63}\.)+[\w-]{1,63}(?::\d{1,5})?(?:[/?#]\S*)?", re.IGNORECASE
)


def places(text: str) -> list[int]:
    """Where a joiner belongs: behind each sign with which something would begin to act."""
    return [found.end() for found in _BEGINS.finditer(text)]


def inert(text: str) -> str:
    """The text with a joiner in each of these places; twice is the same as once."""
    # A function: a template would be parsed at each call, which takes longer than the search.
    return _BEGINS.sub(_joined, text)


def _joined(found: re.Match[str]) -> str:
    return found[0] + JOINER


def inert_alike(text: str) -> str:
    """The text as long as before, with look-alikes in the places where something would begin."""
    return _BEGINS.sub(lambda found: _LOOK_ALIKES[found[0]], text)


def is_target(url: str) -> bool:
    """Whether Telegram takes the address for a link or a button."""
    return len(url) <= 2048 and _TARGET.fullmatch(url) is not None
