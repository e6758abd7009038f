"""Benchmarks run by hand, seldom: what they import is there, and they take their options."""

from __future__ import annotations

import importlib
import re
import runpy
from pathlib import Path

import pytest
import structlog

from benchmarks.answers import rows

ROOT = Path(__file__).parents[3]
MODULES = sorted(file.stem for file in (ROOT / "benchmarks").glob("[!_]*.py"))
ASKED = [
    name for name in MODULES if "ArgumentParser(" in (ROOT / f"benchmarks/{name}.py").read_text()
]
"""Those with options of their own; the others are parts, or take bare words."""


@pytest.fixture
def _logs_as_before():
    before = structlog.get_config()
    yield
    structlog.configure(**before)


def test_every_question_of_the_benchmark_is_answered():
    assert all(row.ours.startswith("p99 ") for row in rows(count=40))


@pytest.mark.parametrize("name", MODULES)
def test_what_a_benchmark_imports_is_there(name):
    assert importlib.import_module(f"benchmarks.{name}").__doc__


@pytest.mark.usefixtures("_logs_as_before")
@pytest.mark.parametrize("name", ASKED)
def test_a_benchmark_tells_its_options(name, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(ROOT / f"benchmarks/{name}.py"), run_name="__main__")
    assert ended.value.code == 0
    assert "usage:" in capsys.readouterr().out


@pytest.mark.parametrize("page", ["Makefile", *(f"docs/{p.name}" for p in ROOT.glob("docs/*.md"))])
def test_benchmarks_are_called_by_names_they_have(page):
    called = re.findall(r"-m benchmarks\.(\w+)", (ROOT / page).read_text(encoding="utf-8"))
    assert [name for name in called if name not in MODULES] == []
