"""Prompt files: strict heads, strict variables, versions that follow the words."""

from __future__ import annotations

import hashlib
import json
from importlib.resources import files
from pathlib import Path

import pytest

from digest.llm.prompt import (
    PromptKind,
    fill_template,
    mend,
    read,
    shape,
    shorter,
    system_of,
    texts,
    version_of,
)

NAMES = sorted(
    f.name.removesuffix(".md")
    for f in files("digest.llm.prompts").iterdir()
    if f.name.endswith(".md")
)
KEPT = Path(__file__).resolve().parents[3] / "data" / "prompts" / "versions.json"


def test_a_missing_variable_is_an_error():
    with pytest.raises(KeyError):
        fill_template("in $language: $material", language="English")


def test_a_variable_that_is_not_there_is_an_error():
    with pytest.raises(ValueError, match="no variable typo"):
        fill_template("in $language", language="English", typo="x")


def test_what_is_filled_in_is_not_filled_again():
    assert fill_template("$a", a="$b ${a} $") == "$b ${a} $"


@pytest.mark.parametrize(
    "source",
    ["", "version: 0\n=== user\nx", "version: 1\nx", "=== user\nx", "version: 1\n=== other\nx",
     "version: 1\n=== user\nx\n=== user\ny"],
)  # fmt: skip
def test_a_malformed_file_is_an_error(source):
    with pytest.raises(ValueError, match="a prompt file"):
        read(source)


@pytest.mark.parametrize(("tokens", "words"), [(1001, 500), (40, 20), (30, 20)])
def test_shorter_reply_is_asked_for_in_words(tokens, words):
    assert f"under {words} words" in shorter(tokens)


def test_reply_that_cannot_be_used_is_asked_for_again_with_the_shape_if_the_server_has_none():
    assert mend("it is empty", None) == (
        "That reply cannot be used: it is empty. Send the whole reply again, mended."
    )
    assert mend("it is empty", {"b": "é", "a": 1}).endswith("mended.\n" + shape({"a": 1, "b": "é"}))
    assert shape({"b": "é", "a": 1}).endswith(':\n{"a":1,"b":"é"}')


@pytest.mark.parametrize("name", NAMES)
def test_each_file_is_well_formed(name):
    found = texts(name)
    assert found.system or found.user
    assert found.version >= 1


def test_words_and_version_of_a_file_change_together():
    """Kept analyses are found by the version: after a change of words, raise it and this table."""
    folder = files("digest.llm.prompts")
    now = {
        name: [
            texts(name).version,
            hashlib.sha256(folder.joinpath(f"{name}.md").read_bytes()).hexdigest()[:16],
        ]
        for name in NAMES
    }
    assert now == json.loads(KEPT.read_text())


@pytest.mark.parametrize("kind", PromptKind)
def test_all_prompts_begin_alike_so_that_servers_can_keep_it(kind):
    assert system_of(kind).startswith(texts("system").system.strip())


def test_the_system_text_of_a_kind_is_the_same_every_time():
    assert system_of(PromptKind.MERGE).startswith(system_of(PromptKind.HIGH))
    assert len({version_of(kind) for kind in PromptKind}) == len(PromptKind)
