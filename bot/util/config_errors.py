"""Configuration errors in one line that names the file, the key and the remedy."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from bot.util.sanitize import legible
from bot.util.section import SectionContext, Settings
from digest.errors import InvalidConfig

S = TypeVar("S", bound=Settings)

Location = tuple[int | str, ...]


def complain(
    file: Path, error: ValidationError, model: type[Settings], data: Any, section: str = ""
) -> InvalidConfig:
    """The first error that pydantic found, in words, with the number of others.

    An unknown key comes before a missing one: it is mostly that one, misspelled. ``data`` is what
    was read into ``model``, which is in ``section`` of the file.
    """
    found = sorted(error.errors(include_url=False), key=lambda one: one["type"] == "missing")
    first = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    location: Location = first["loc"]
    where = ".".join(filter(None, [section, spell(location, data)])) or "the file"
    match first["type"]:
        case "extra_forbidden":
            words = _unknown(where, str(location[-1]), _model_at(model, location[:-1]))
        case "missing":
            words = f"{where} is missing"
        case _:
            words = f"{where}{_value(model, location, data)}: {_reason(first['msg'])}"
    return InvalidConfig(legible(f"{file}: {words}{more}"))


def validated(
    model: type[S], table: Any, file: Path, reading: SectionContext, section: str, *, name: str = ""
) -> S:
    """A section of the file as its model. Raises ``InvalidConfig``.

    ``name`` is the name of the section's secrets in the environment, if it differs from
    ``section``.
    """
    try:
        return model.model_validate(table, context=replace(reading, section=name or section))
    except ValidationError as error:
        raise complain(file, error, model, table, section) from None


def near(word: str, known: Iterable[str]) -> str:
    """A suggestion of the most similar known word; empty if none is similar."""
    names = {name.casefold(): name for name in known}
    found = difflib.get_close_matches(word.casefold(), names, n=1, cutoff=0.6)
    return f"; did you mean {names[found[0]]!r}?" if found else ""


def spell(location: Location, data: Any) -> str:
    """A location in the file, such as ``channels['team'].zone``.

    An entry of a list is given by its name, or, without one, as ``#1`` for the first.
    """
    words = ""
    for step in location:
        data = _step(data, step)
        if isinstance(step, int):
            name = data.get("name") if isinstance(data, dict) else None
            words += f"[{name!r}]" if isinstance(name, str) else f"[#{step + 1}]"
        else:
            words += f".{step}" if words else step
    return words


def _step(data: Any, step: int | str) -> Any:
    try:
        return data[step]
    except (KeyError, IndexError, TypeError):
        return None


def _unknown(where: str, key: str, model: type[BaseModel] | None) -> str:
    known = _keys(model)
    guess = near(key, known) or f"; known here: {', '.join(sorted(known))}"
    return f"unknown key {where}{guess}"


def _keys(model: type[BaseModel] | None) -> Sequence[str]:
    if model is None:
        return ()
    secrets = model.secret_fields() if issubclass(model, Settings) else ()
    return [*model.model_fields, *(f"{name}_file" for name in secrets)]


def _model_at(model: type[BaseModel] | None, location: Location) -> type[BaseModel] | None:
    for step in location:
        if isinstance(step, str) and model is not None and step in model.model_fields:
            model = _inner(model.model_fields[step].annotation)
    return model


def _inner(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next((found for arg in get_args(annotation) if (found := _inner(arg))), None)


def _value(model: type[BaseModel], location: Location, data: Any) -> str:
    """The value as written, unless it is a section or a secret."""
    owner = _model_at(model, location[:-1])
    if not location or owner is None or not issubclass(owner, Settings):
        return ""
    for step in location:
        data = _step(data, step)
    secret = location[-1] in owner.secret_fields()
    if secret or data is None or isinstance(data, dict):
        return ""
    text = str(data) if not isinstance(data, str) else repr(data)
    return f" = {text if len(text) <= 60 else text[:57] + '...'}"


def _reason(message: str) -> str:
    words = message.removeprefix("Value error, ")
    if words.startswith("Input should be"):
        return words.replace("Input should be", "it should be", 1)
    return words
