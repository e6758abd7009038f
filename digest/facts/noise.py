"""Lines of a message that no author wrote for a reader.

They are forms, test reports, logs, trailers in the middle and fix-up commits, all of which
``message`` leaves out.
"""

from __future__ import annotations

import re

from digest.core.patterns import lazy, read_table

_NOISE = read_table("digest.facts", "words.toml")["noise"]
_SECTIONS, _FORM, _MACHINE, _FIXUP = (
    tuple(_NOISE[key]) for key in ("sections", "form", "machine", "fixup")
)
_ALONE = frozenset(_NOISE["alone"])
_FIRST_OF_FIXUP = frozenset(_NOISE["first_of_fixup"].split())
_LINKING = frozenset(_NOISE["linking"].split())

_CHECKBOX = re.compile(r"\s{0,12}(?:[*+-]|\d{1,3}[.)])?\s{0,4}\[[ xX✓-]?\](?:\s|$)")
_TRAILER, _LOG = (lazy("|".join(_NOISE[key])) for key in ("trailer", "log"))
_BLOB = re.compile(r"[A-Za-z0-9+/=_]{48,}")
_WORD = re.compile(r"[^\W\d_]{2,}")
_REFERENCES = re.compile(r"https?://\S+|[\w./-]{0,120}#\d{1,9}|\bGH-\d{1,9}|\b[0-9a-f]{7,40}\b")


def forms_of(text: str) -> tuple[str, ...]:
    """The form phrases that a text contains; if there are none, as usual, no line is searched."""
    low = text.lower()
    return tuple(form for form in _FORM if form in low)


def is_machine_line(line: str, forms: tuple[str, ...] = _FORM) -> bool:
    """Whether the line is from a form, a machine or a log, or is a tick box or a trailer."""
    line = line.strip()
    low = line[:400].lower()
    return (
        low.startswith(_MACHINE)
        or low.rstrip(".:") in _ALONE
        or low.endswith(" |")
        or any(form in low for form in forms)
        or _CHECKBOX.match(line) is not None
        or _TRAILER.match(line) is not None
        or _LOG.match(line) is not None
    )


def is_fixup(item: str) -> bool:
    """Whether a list item is the title of an intermediate commit, as squashing lists them."""
    low = item.strip().lower()
    if any(words in low[:200] for words in _FIXUP):
        return True
    words = low[:200].split()
    return len(words) <= 4 and bool(words) and words[0].strip(".:,!") in _FIRST_OF_FIXUP


def is_unwanted_section(name: str) -> bool:
    """Whether the section below this heading reports tests, ticks boxes or fills in a form."""
    low = name.strip().strip("*_#:").lower()
    while low and not low[0].isalpha():
        low = low[1:].lstrip()
    return low.startswith(_SECTIONS)


def is_empty(text: str) -> bool:
    """Whether a paragraph has no words: only links, numbers, encoded data or marks."""
    if any(not word.islower() or len(word) > 80 for word in _BLOB.findall(text)):
        text = _BLOB.sub(" ", text)
    if text.strip(" .:").lower() in _ALONE:
        return True
    words = _WORD.findall(_REFERENCES.sub(" ", text))
    return len(words) < 2 or all(word.lower() in _LINKING for word in words)
