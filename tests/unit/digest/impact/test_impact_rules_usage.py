import pytest

from digest.core.profile import EntryKind, ProfileEntry
from digest.impact.impact_rules import declared_packages, find_usage, packages_of

_PLUGIN = """
import os
import engine.config as config, json
from engine import (
    LLM,  # the front door
    SamplingParams as Params,
)
from engine.worker.base import Worker
from other.engine import Nothing

PORT = os.environ["ENGINE_PORT"]
LEVEL = os.environ["OTHER_LEVEL"]
"""
_SCRIPT = """
engine serve model --max-len 4096 \\
    --dtype=auto
ls --color
"""


def _names(found: frozenset[ProfileEntry], kind: EntryKind) -> set[str]:
    return {entry.name for entry in found if entry.kind is kind}


def test_imports_variables_and_flags_of_a_project_are_found() -> None:
    found = find_usage(_PLUGIN, frozenset({"engine"}))
    assert _names(found, EntryKind.SYMBOL) == {
        "engine.config",
        "engine.LLM",
        "engine.SamplingParams",
        "engine.worker.base.Worker",
    }
    assert _names(found, EntryKind.VARIABLE) == {"ENGINE_PORT"}
    assert _names(find_usage(_SCRIPT, frozenset({"engine"})), EntryKind.FLAG) == {
        "--max-len",
        "--dtype",
    }


def test_rust_paths_are_found() -> None:
    found = find_usage("use tokio::sync::Mutex;\nuse std::fs::File;", frozenset({"tokio"}))
    assert _names(found, EntryKind.SYMBOL) == {"tokio::sync::Mutex"}


def test_a_text_that_does_not_name_the_project_uses_nothing_of_it() -> None:
    assert find_usage("from other import x\nrun --fast", frozenset({"engine"})) == frozenset()


def test_a_repository_goes_by_the_names_of_its_package() -> None:
    assert packages_of("owner/my-engine") == {"my-engine", "my_engine"}
    assert packages_of("owner/lib-rs") >= {"lib"}


@pytest.mark.parametrize(
    ("path", "text", "names"),
    [
        ("pyproject.toml", '[project]\nname = "Fast-Router"', {"fast-router", "fast_router"}),
        ("pyproject.toml", '[tool.poetry]\nname = "router"', {"router"}),
        ("Cargo.toml", '[package]\nname = "router-rs"', {"router-rs", "router_rs", "router"}),
        ("package.json", '{"name": "@acme/router"}', {"router"}),
        ("go.mod", "module example.org/acme/router/v3\n\ngo 1.26\n", {"router"}),
        ("pyproject.toml", "[project\nname", set()),
        ("package.json", "[" * 100_000, set()),
        ("package.json", '["name"]', set()),
        ("Cargo.toml", "[package]\nname = 3", set()),
    ],
)
def test_names_that_a_repository_declares_are_read(path, text, names) -> None:
    assert declared_packages(path, text) == names
