"""The example of a configuration: every key of every section is there, and none that is not one."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

import pytest
from pydantic import BaseModel

from bot import platforms
from bot.config.file_model import DatabaseSettings, SharedSettings, WebSettings, Written
from bot.config.forge_section import ForgeConfig
from bot.config.model_section import ModelConfig
from bot.util.section import Settings

EXAMPLE = Path(__file__).parents[3] / "deploy" / "bot.example.toml"
_READ_ELSEWHERE: dict[str, type[Settings]] = {
    "database": DatabaseSettings,
    "shared": SharedSettings,
    "model": ModelConfig,
    "web": WebSettings,
}

# What a section takes from another and can therefore stand there.
_AS_DEFAULT = {"channels": "defaults"}


def whole() -> dict[str, Any]:
    """The example with every "# " taken off that stands before a key or a table."""
    text = EXAMPLE.read_text(encoding="utf-8")
    return tomllib.loads(re.sub(r"^# (?=\[|[a-z_]+ = )", "", text, flags=re.MULTILINE))


def keys_of(model: type[Settings]) -> set[str]:
    """The keys of a section; a secret is shown by its file."""
    secrets = set(model.secret_fields())
    return {f"{name}_file" if name in secrets else name for name in model.model_fields}


def inner(annotation: Any) -> type[BaseModel] | None:
    """The section that a field holds, one or several of it."""
    if get_origin(annotation) in {tuple, Union, UnionType}:
        return next((found for one in get_args(annotation) if (found := inner(one))), None)
    is_model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    return annotation if is_model else None


def sections() -> list[tuple[str, type[Settings], list[dict[str, Any]], set[str]]]:
    """Every section: its place, what reads it, the tables of it, and keys that stand elsewhere."""
    example = whole()
    found: list[tuple[str, type[Settings], list[dict[str, Any]], set[str]]] = []

    def walk(place: str, model: type[Settings], tables: list[dict[str, Any]]) -> None:
        elsewhere = set(example.get(_AS_DEFAULT.get(place, ""), {}))
        found.append((place, model, tables, elsewhere))
        for name, field in model.model_fields.items():
            section = inner(field.annotation)
            # A fallback takes the keys of what it stands in for, which the example shows once.
            alike = section is not None and issubclass(section, model)
            if section and issubclass(section, Settings) and not alike:
                held = [one for table in tables for one in _listed(table.get(name))]
                below = f"{place}.{name}".lstrip(".")
                if issubclass(section, model):  # one more of the same, shown by its own keys
                    found.append((below, section, held, keys_of(model)))
                else:
                    walk(below, section, held)

    walk("", Written, [example])
    for name, model in _READ_ELSEWHERE.items():
        walk(name, model, [example[name]])
    walk("forges", ForgeConfig, list(example["forges"].values()))
    for kind in platforms.kinds():
        named = example["platforms"]
        tables = [one for name, one in named.items() if one.get("kind", name) == kind]
        walk(f"platforms.{kind}", platforms.load(kind).Config, tables)
    return found


def _listed(value: Any) -> list[dict[str, Any]]:
    return value if isinstance(value, list) else [value] if value is not None else []


def test_fallback_of_the_example_has_keys_of_a_model() -> None:
    assert whole()["model"]["fallback"].keys() <= keys_of(ModelConfig)


@pytest.mark.parametrize(
    ("place", "model", "tables", "elsewhere"), [pytest.param(*one, id=one[0]) for one in sections()]
)
def test_section_of_the_example_has_every_key_and_no_other(
    place: str, model: type[Settings], tables: list[dict[str, Any]], elsewhere: set[str]
) -> None:
    shown = {key for table in tables for key in table} | elsewhere
    # The kind of a platform is the name of its table.
    named = {"kind"} if place.startswith("platforms.") else set()
    assert keys_of(model) - shown - named == set(), f"[{place}] lacks keys"
    assert {key for table in tables for key in table} - keys_of(model) == set(), f"[{place}]"
