"""Fields of a forge's JSON, taken out with their kind checked and their length bounded.

A forge is somebody else's program: what is missing or of another kind is a ``ValueError``, which
:mod:`bot.forges.wire` turns into ``ForgeDown``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

Json = Mapping[str, Any]

TITLE = 1_000
BODY = 65_536
"""Characters of a title and of a body that are kept; GitHub allows 256 and 65,536."""

NAME = 200
_MOST_NAMES = 100

_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def table(value: object) -> Json:
    """An object. Raises ``ValueError``, as all of these do."""
    if not isinstance(value, Mapping):
        raise ValueError("not an object")  # noqa: TRY004 - of what a stranger sent
    return value


def tables(value: object) -> Sequence[Json]:
    """A list of objects."""
    if not isinstance(value, list):
        raise ValueError("not a list")  # noqa: TRY004 - of what a stranger sent
    return [table(one) for one in value]


def text(of: Json, key: str, longest: int = NAME) -> str:
    """A text, cut to its longest; empty for one that is missing or null."""
    value = of.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{key} is no text")  # noqa: TRY004 - of what a stranger sent
    return value[:longest].replace("\0", "")


def line(of: Json, key: str, longest: int = NAME) -> str:
    """A text on one line."""
    return " ".join(text(of, key, longest).split())


def number(of: Json, key: str) -> int:
    """A whole number that is not negative."""
    value = of.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise ValueError(f"{key} is no number")
    return value


def count(of: Json, key: str) -> int:
    """A whole number, 0 where it is missing."""
    return number(of, key) if of.get(key) is not None else 0


def flag(of: Json, key: str) -> bool:
    """Whether a field is set."""
    return of.get(key) is True


def inner(of: Json, key: str) -> Json:
    """An object within; an empty one where it is missing or null: accounts get deleted."""
    value = of.get(key)
    return {} if value is None else table(value)


def sha(of: Json, key: str) -> str:
    """The full name of a commit; empty for none."""
    value = text(of, key).lower()
    if value and not _SHA.fullmatch(value):
        raise ValueError(f"{key} is no commit")
    return value


def moment(of: Json, key: str) -> datetime:
    """An aware moment in UTC."""
    found = moment_or_none(of, key)
    if found is None:
        raise ValueError(f"{key} is missing")
    return found


def moment_or_none(of: Json, key: str) -> datetime | None:
    """A moment, where there is one."""
    written = text(of, key)
    if not written:
        return None
    found = datetime.fromisoformat(written)
    try:
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{key} is no moment") from error


def names(of: Json, key: str, inside: str = "name") -> tuple[str, ...]:
    """The names in a list of texts or of objects, such as labels; a missing list is empty."""
    value = of.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ValueError(f"{key} is no list")  # noqa: TRY004 - of what a stranger sent
    found = (
        line({"": one}, "") if isinstance(one, str) else line(table(one), inside) for one in value
    )
    return tuple(dict.fromkeys(name for name in found if name))[:_MOST_NAMES]
