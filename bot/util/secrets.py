"""Addresses of servers, taken apart into what is secret and what operators need to read.

``postgresql://user:password@host/database?sslmode=require`` is one secret only in part: whoever
looks for a fault needs the host and the database's name. Addresses that are secret as a whole, such
as those of webhooks, are no matter of this module.

Every secret that this process has read, so that nothing it prints can hold one.

What reads a secret says so here, once; it stays a secret for as long as the process lives. Servers
repeat tokens in their errors, and libraries repeat those: so whatever leaves by a stream passes
:func:`cleared`, and logs know the same secrets besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import unquote, unquote_plus

_HIDDEN = "***"

_LEAST = 6
"""Characters: a shorter password is looked for only beside its user, as it may be a common word."""

# ``password``, ``sslpassword``; but ``passfile`` and ``sslkey`` name files:
# https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-PARAMKEYWORDS
_SECRET_KEY = re.compile(r"passw|secret|token", re.IGNORECASE)

# A password may hold anything unescaped, as SQLAlchemy takes it, and even an @: the last before a
# question mark ends it, so that of an address which cannot work too much is hidden, not too little.
_USER_INFO = re.compile(r"(?P<user>[^:/?#@]*)(?::(?P<password>[^@]*(?:@[^@?]*(?=@))*))?@")


def secrets_in(address: str) -> tuple[str, ...]:
    """What in an address nobody may see, as it is written and as servers repeat it."""
    user, password, place, query = _apart(address)
    found = [f"{user}:{password}@", f":{password}@"] if password else []
    written = [password, *(value for key, value in query if _SECRET_KEY.search(key))]
    for one in written:
        # What names the user or the place as well would make those unreadable, and hide nothing.
        if one != user and one not in re.split(r"[/:,]", place):
            found += [
                form for form in (one, unquote(one), unquote_plus(one)) if len(form) >= _LEAST
            ]
    return tuple(dict.fromkeys(found))


def without_secrets(address: str) -> str:
    """The address to show: without password, and with no parameter that is secret."""
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
"""Characters: what is shorter would blot out words that merely look like it."""

_known: set[str] = set()


def conceal(secrets: Iterable[str]) -> None:
    """From now on these are secrets."""
    _known.update(secret for secret in secrets if len(secret) >= _SECRECY_LEAST)


def known() -> frozenset[str]:
    """Every secret so far."""
    return frozenset(_known)


def cleared(text: str) -> str:
    """The text with every secret blotted out, the longest first."""
    if not any(secret in text for secret in _known):
        return text
    longest = sorted(_known, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, longest)), HIDDEN, text)
