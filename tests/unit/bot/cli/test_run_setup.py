"""What ``digestbot doctor`` prints about a configuration that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.cli.commands import AnswerFormat
from bot.cli.run_setup import doctor
from digest.errors import UserError


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DIGESTBOT_DATA", str(tmp_path / "data"))
    file = tmp_path / "digestbot.toml"
    file.write_text("nonsense = 1\n")
    return file


def test_doctor_names_the_broken_file_once_with_its_cure_and_looks_at_the_rest(broken, capsys):
    with pytest.raises(UserError, match="some checks failed"):
        doctor(AnswerFormat.TEXT, broken, json=False)
    lines = capsys.readouterr().out.splitlines()
    (place,) = (n for n, line in enumerate(lines) if "configuration:" in line)
    assert lines[place].startswith("ERROR")
    assert "nonsense" in lines[place]
    assert lines[place + 1].strip() == "-> correct the file, or run digestbot init"
    assert any("git: " in line for line in lines)


@pytest.mark.parametrize(("form", "flag"), [(AnswerFormat.TEXT, True), (AnswerFormat.JSON, False)])
def test_doctor_tells_programs_what_fails(broken, capsys, form, flag):
    with pytest.raises(UserError):
        doctor(form, broken, json=flag)
    told = json.loads(capsys.readouterr().out)
    assert told["healthy"] is False
    assert [one["subject"] for one in told["findings"] if one["weight"] == "error"] == [
        "configuration"
    ]
