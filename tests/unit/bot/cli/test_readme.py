"""README's tables, held against the program: they were once overwritten, and nothing noticed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from typer.main import get_command

from bot.cli import app

README = (Path(__file__).parents[4] / "README.md").read_text(encoding="utf-8")
GROUP = get_command(app)
SHOWN = sorted(name for name, one in GROUP.commands.items() if not one.hidden)


def commands_told() -> set[str]:
    """The commands in the first column of the table of commands."""
    table = README.partition("| command |")[2].partition("\n\n")[0]
    cells = [line.split("|")[1] for line in table.splitlines()[2:]]
    return {name for cell in cells for name in re.findall(r"`([a-z]+)\b", cell)}


@pytest.mark.parametrize("name", SHOWN)
def test_every_command_of_help_is_in_the_table(name: str) -> None:
    assert name in commands_told()


def test_every_command_of_the_table_is_one() -> None:
    assert commands_told() <= set(SHOWN)


def test_parts_of_archive_are_told() -> None:
    row = next(line for line in README.splitlines() if line.startswith("| `archive`"))
    assert set(GROUP.commands["archive"].commands) <= set(re.findall(r"`([a-z]+)`", row))


def test_every_file_that_is_linked_is_there() -> None:
    links = re.findall(r"\]\(([^)#:]+)(?:#[\w-]*)?\)", README)
    assert links
    assert [link for link in links if not (Path(__file__).parents[4] / link).exists()] == []
