"""The secrets that this process has read, masked in everything it prints.

Code that reads a secret registers it here once; it stays a secret for the life of the process.
Servers repeat tokens in their errors, and libraries repeat those: so everything written to a stream
passes :func:`mask_secrets`, and logs mask the same secrets as well.

Of a server's address, such as ``postgresql://user:password@host/database?sslmode=require``, only a
part is secret: the host and the database's name are needed to find faults. Addresses that are
secret as a whole, such as those of webhooks, are not handled here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote, unquote_plus

_HIDDEN = "***"
_LEAST = 6
"""Characters: a shorter password is searched for only beside its user, as it may be a common word.
"""

# ``password``, ``sslpassword``; but ``passfile`` and ``sslkey`` name files:
# https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
_SECRET_KEY = re.compile(r"passw|secret|token", re.IGNORECASE)

# A password may contain anything unescaped, as SQLAlchemy accepts it, even an @: it ends at the
# last one before a question mark. In an invalid address this hides too much rather than too little.
_USER_INFO = re.compile(r"(?P<user>[^:/?#@]*)(?::(?P<password>[^@]*(?:@[^@?]*(?=@))*))?@")


def secrets_in(address: str) -> tuple[str, ...]:
    """The secret parts of an address, as written and as servers repeat them."""
    user, password, place, query = _apart(address)
    found = [f"{user}:{password}@", f":{password}@"] if password else []
    written = [password, *(value for key, value in query if _SECRET_KEY.search(key))]
    for one in written:
        # Masking a part that also names the user or the host would make those unreadable and hide
        # nothing.
        if one != user and one not in re.split(r"[/:,]", place):
            found += [
                form for form in (one, unquote(one), unquote_plus(one)) if len(form) >= _LEAST
            ]
    return tuple(dict.fromkeys(found))


def without_secrets(address: str) -> str:
    """The address to show: without password and secret parameters."""
    user, _, place, query = _apart(address)
    shown = "&".join(
        f"{key}={_HIDDEN if _SECRET_KEY.search(key) else value}" for key, value in query
    )
    scheme, who = address.partition("://")[0], f"{user}@" if user else ""
    return f"{scheme}://{who}{place}{f'?{shown}' if shown else ''}"


def _apart(address: str) -> tuple[str, str, str, list[tuple[str, str]]]:
    """User, password, host with path, and the parameters."""
    rest = address.partition("://")[2]
    who = _USER_INFO.match(rest)
    user, password = (who["user"], who["password"] or "") if who else ("", "")
    place, _, query = rest[who.end() if who else 0 :].partition("?")
    pairs = [one.partition("=") for one in query.split("&") if one]
    return user, password, place, [(key, value) for key, _, value in pairs]


HIDDEN = "***"

_SECRECY_LEAST = 6
"""Characters: masking anything shorter would hide unrelated words."""

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
    return re.sub("|".join(map(re.escape, longest)), HIDDEN, text)
