"""Commands and the functions that they run."""

import importlib
import inspect

import pytest

from bot.cli import app, archive
from bot.cli.change_commands import change_commands
from bot.cli.options import runs
from bot.cli.service_commands import review_commands, service_commands

GROUPS = (change_commands, service_commands, review_commands, archive)
COMMANDS = [command.callback for group in GROUPS for command in group.registered_commands]
LAZY = [command for command in COMMANDS if hasattr(command, "target")]


@pytest.mark.parametrize("command", LAZY, ids=lambda command: command.__name__)
def test_a_command_and_the_function_that_it_runs_have_the_same_parameters(command) -> None:
    module, _, name = command.target.partition(".")
    work = importlib.import_module(f"bot.cli.{module}")
    function = getattr(work, command.gathered or name)
    assert {*inspect.signature(command).parameters} == {*inspect.signature(function).parameters}
    assert callable(getattr(work, name))


def test_most_commands_are_run_by_name() -> None:
    assert app.registered_callback is not None
    assert len(LAZY) >= 18


def test_the_parameters_of_a_command_are_passed_on_by_name(monkeypatch) -> None:
    told = []
    monkeypatch.setattr("bot.cli.run_archive.vacuum", lambda **given: told.append(given))
    runs("run_archive.vacuum")(lambda config: None)(config=None)
    assert told == [{"config": None}]
