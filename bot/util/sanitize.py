"""Makes text from outside safe to display: nothing in it is active or hidden."""

from __future__ import annotations

import unicodedata

# One character for one character, so that offsets stay: C0 and DEL become their pictures
# (U+2400..2421); what reorders, hides or breaks lines becomes the replacement character. Bidi
# controls: Unicode TR36 section 2.5 and https://trojansource.codes. Joiners stay: emoji need them.
_PICTURES = {c: 0x2400 + c for c in range(0x20)} | {0x7F: 0x2421}
_HIDDEN = dict.fromkeys(
    [
        *range(0x80, 0xA0),
        0x061C,
        0x200E,
        0x200F,
        *range(0x2028, 0x202F),
        *range(0x2060, 0x2070),
        *range(0xD800, 0xE000),
        0xFEFF,
        *range(0xFFF9, 0xFFFC),
        *range(0xE0000, 0xE0080),
    ],
    0xFFFD,
)
_LEGIBLE = str.maketrans(_PICTURES | _HIDDEN)
_INLINE = str.maketrans(_PICTURES | _HIDDEN | dict.fromkeys(map(ord, "\t\n\r\v\f\x85"), " "))


def legible(text: str) -> str:
    """One line of text that controls no terminal and hides nothing.

    Line ends and tabs become spaces; control characters become their pictures; bidirectional
    controls, invisible tags and lone surrogates become U+FFFD. The length stays the same.
    """
    return text if text.isascii() and text.isprintable() else text.translate(_INLINE)


def legible_lines(text: str) -> list[str]:
    """The lines of a text as written, each as in :func:`legible`, with tabs as four spaces."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return [line.replace("\t", "    ").translate(_LEGIBLE) for line in lines]


def address(url: str) -> str:
    """A link's target that is safe to show and to open: no spaces, controls or odd schemes.

    Empty if the scheme is not http, https or mailto; relative paths and anchors pass.
    """
    cleaned = (
        url
        if url.isascii() and url.isprintable() and " " not in url
        else "".join(
            char for char in url if not char.isspace() and unicodedata.category(char)[0] != "C"
        )
    )
    scheme, colon, _ = cleaned.partition(":")
    relative = not colon or any(mark in scheme for mark in "/?#")
    return cleaned if relative or scheme.lower() in {"http", "https", "mailto"} else ""
