"""Text made safe to print: the secrets that this process has read masked, control characters shown.

Spans are made safe too, for the platforms whose messages are cards: with legible words, links that
can be opened, and no line that outgrows a card.

Code that reads a secret registers it here once. Servers repeat tokens in their errors, and
libraries repeat those: so everything written to a stream passes :func:`mask_secrets`, and logs mask
the same secrets. Of an address such as ``postgresql://user:password@host/database?sslmode=require``
only a part is secret: the host and the database's name are needed to find faults.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from urllib.parse import quote, unquote, unquote_plus

from digest.core.patterns import lazy
from digest.document import Link, Span, Text

_HIDDEN = "***"
_LEAST = 6
"""Characters: a shorter password is searched for only beside its user, as it may be a common word.
"""

# ``password``, ``sslpassword``; but ``passfile`` and ``sslkey`` name files:
# https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
_SECRET_KEY = lazy(r"passw|secret|token", re.IGNORECASE)

# A password may contain anything unescaped, as SQLAlchemy accepts it, even an @: it ends at the
# last one before a question mark. In an invalid address this hides too much rather than too little.
_USER_INFO = lazy(r"(?P<user>[^:/?#@]*)(?::(?P<password>[^@]*(?:@[^@?]*(?=@))*))?@")


def secrets_in(address: str) -> tuple[str, ...]:
    """The secret parts of an address, as written and as servers repeat them."""
    user, password, place, query = _apart(address)
    secrets = [f"{user}:{password}@", f":{password}@"] if password else []
    written = [password, *(value for key, value in query if _SECRET_KEY.search(key))]
    for one in written:
        # Masking a part that also names the user or the host would make those unreadable and hide
        # nothing.
        if one != user and one not in re.split(r"[/:,]", place):
            secrets += [
                form for form in (one, unquote(one), unquote_plus(one)) if len(form) >= _LEAST
            ]
    return tuple(dict.fromkeys(secrets))


def without_secrets(address: str) -> str:
    """The address to show: without password and secret parameters."""
    user, _, place, query = _apart(address)
    shown = "&".join(
        f"{key}={_HIDDEN if _SECRET_KEY.search(key) else value}" for key, value in query
    )
    scheme, who = address.partition("://")[0], f"{user}@" if user else ""
    return f"{scheme}://{who}{place}{f'?{shown}' if shown else ''}"


def _apart(address: str) -> tuple[str, str, str, list[tuple[str, str]]]:
    rest = address.partition("://")[2]
    who = _USER_INFO.match(rest)
    user, password = (who["user"], who["password"] or "") if who else ("", "")
    place, _, query = rest[who.end() if who else 0 :].partition("?")
    pairs = [one.partition("=") for one in query.split("&") if one]
    return user, password, place, [(key, value) for key, _, value in pairs]


_SECRECY_LEAST = 6  # characters: masking anything shorter would hide unrelated words
_known: set[str] = set()


def conceal(secrets: Iterable[str]) -> None:
    """Register secrets."""
    _known.update(secret for secret in secrets if len(secret) >= _SECRECY_LEAST)


def known_secrets() -> frozenset[str]:
    """Every secret so far."""
    return frozenset(_known)


def mask_secrets(text: str) -> str:
    """The text with every secret masked, the longest first."""
    if not any(secret in text for secret in _known):
        return text
    longest = sorted(_known, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest)), _HIDDEN, text)


# One character for one character, so that offsets stay: C0 and DEL become their pictures
# (U+2400..2421); what reorders, hides or breaks lines becomes the replacement character. Bidi
# controls: Unicode TR36 section 2.5 and https://trojansource.codes. Joiners stay: emoji need them.
_PICTURES = {c: 0x2400 + c for c in range(0x20)} | {0x7F: 0x2421}

_INVISIBLE = dict.fromkeys(
    [
        *(*range(0x80, 0xA0), 0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), 0xFEFF),
        *(*range(0x2060, 0x2070), *range(0xD800, 0xE000), *range(0xFFF9, 0xFFFC)),
        *range(0xE0000, 0xE0080),
    ],
    0xFFFD,
)

_LEGIBLE = str.maketrans(_PICTURES | _INVISIBLE)
_INLINE = str.maketrans(_PICTURES | _INVISIBLE | dict.fromkeys(map(ord, "\t\n\r\v\f\x85"), " "))


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
    """A link's target that is safe to open, or empty: http, https, mailto or relative."""
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


_WEB = lazy(r"https?://[^/]")
_KEPT_IN_URLS = "/?#&=%:@!,;+~$'-._"
_LONGEST_URL = 1000


def web_url(url: str, longest: int = _LONGEST_URL) -> str:
    """The address for a link, quoted; empty if it is none of the web or longer."""
    cleaned = address(url)
    quoted = quote(cleaned, safe=_KEPT_IN_URLS) if _WEB.match(cleaned) else ""
    return quoted if len(quoted) <= longest else ""


def lines_of(
    spans: Iterable[Span], longest: int, longest_url: int = _LONGEST_URL
) -> Iterator[tuple[Span, ...]]:
    """The spans in legible runs of up to about ``longest`` characters; always at least one."""
    line: list[Span] = []
    weight = 0
    for span in spans:
        shown = _readable(span, longest_url)
        url = shown.url if isinstance(shown, Link) else ""
        for piece in filter(None, split_text(shown.text, longest)):
            if line and weight + len(piece) + len(url) > longest:
                yield tuple(line)
                line, weight = [], 0
            line.append(Link(piece, url) if isinstance(shown, Link) else type(shown)(piece))
            weight += len(piece) + len(url)
    yield tuple(line)


def _readable(span: Span, longest_url: int) -> Span:
    """The span with legible text; a link that cannot be opened becomes text with its address."""
    words = legible(span.text)
    if not isinstance(span, Link):
        return span if words == span.text else type(span)(words)
    if opened := web_url(span.url, longest_url):
        return Link(words, opened)
    url = address(span.url)
    hidden = not url or url.startswith("#") or url == words
    return Text(words if hidden else f"{words} ({url})")


def split_text(text: str, longest: int) -> Iterator[str]:
    """Pieces of at most ``longest`` characters, cut at blanks if possible; nothing is lost."""
    while len(text) > longest:
        blank = text.rfind(" ", longest // 2, longest) + 1
        end = blank or longest
        yield text[:end]
        text = text[end:]
    yield text
