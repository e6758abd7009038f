"""Commands and the functions that they run."""

import importlib
import inspect
import sys
from dataclasses import fields

import pytest
from typer.testing import CliRunner

from bot.cli import app, archive
from bot.cli.commands import commands

COMMANDS = [command for group in (commands, archive) for command in group.registered_commands]


def _name(command) -> str:
    return command.name


@pytest.mark.parametrize("command", COMMANDS, ids=_name)
def test_a_command_and_the_function_that_it_runs_have_the_same_parameters(command) -> None:
    module, _, names = command.callback.target.partition(".")
    work = importlib.import_module(f"bot.cli.{module}")
    name, _, gathered = names.partition(" ")
    function = getattr(work, gathered or name)
    given = inspect.signature(command.callback).parameters
    taken = (
        {f.name for f in fields(function)} if gathered else inspect.signature(function).parameters
    )
    assert {*given} == {*taken}
    assert callable(getattr(work, name))


def test_every_command_has_a_name_of_its_own_and_help() -> None:
    assert app.registered_callback is not None
    assert len({_name(command) for command in COMMANDS}) == len(COMMANDS) == 22
    assert all(command.help.endswith(".") for command in COMMANDS)


def test_the_parameters_of_a_command_are_passed_on_by_name(monkeypatch) -> None:
    told = []
    monkeypatch.setattr("bot.cli.run_archive.vacuum", lambda **given: told.append(given))
    monkeypatch.delenv("DIGESTBOT_CONFIG", raising=False)
    assert CliRunner().invoke(app, ["archive", "vacuum"]).exit_code == 0
    assert told == [{"config": None}]


def test_the_parameters_of_a_command_are_passed_on_as_one_object(monkeypatch) -> None:
    told = []
    monkeypatch.setattr("bot.cli.run_setup.init", told.append)
    given = ["init", "--repo", "a", "--repo", "b", "--time", "07:30", "--set", "k=v"]
    assert CliRunner().invoke(app, given).exit_code == 0
    assert sys.modules["bot.cli.run_setup"].InitOptions is type(told[0])
    assert (told[0].repositories, told[0].time, told[0].settings) == (["a", "b"], "07:30", ["k=v"])
    assert (told[0].platform, told[0].file) == ("", None)
