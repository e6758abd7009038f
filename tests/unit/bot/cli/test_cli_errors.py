"""What is mistyped on the command line is told in one line that names it and what there is."""

from __future__ import annotations

import pytest

from bot.cli import app, guarded


@pytest.mark.parametrize(
    ("words", "said", "command"),
    [
        (["digest", ".", "--lang", "fr"], "'fr' is not one of 'en', 'zh'", "digest "),
        (
            ["digest", ".", "--format", "pdf"],
            "'pdf' is not one of 'condensed', 'markdown', 'json'",
            "digest ",
        ),
        (["nosuch"], "No such command 'nosuch'", ""),
        (["digest"], "Missing argument 'REPO'", "digest "),
        (["archive", "show"], "Missing argument 'name'", "archive show "),
    ],
)
def test_mistyped_words_are_named_in_one_line(words, said, command, capsys):
    status = guarded(lambda: app(words, standalone_mode=False))
    told = capsys.readouterr().err
    assert (status, told.count("\n")) == (2, 1)
    assert told.startswith("digestbot: ")
    assert told.endswith(f"{said}; see digestbot {command}--help\n")
    assert "Value error" not in told


def test_internal_error_fails_with_a_line_instead_of_a_traceback(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("DIGESTBOT_DATA", str(tmp_path))

    def broken():
        raise ValueError("odd")

    assert guarded(broken) == 1
    told = capsys.readouterr().err
    assert told.startswith("digestbot: internal error ")
    assert told.count("\n") == 1
    assert guarded(lambda: None) == 0


@pytest.mark.parametrize(
    ("words", "named"), [([], "doctor  "), (["archive"], "vacuum  "), (["-h"], "doctor  ")]
)
def test_a_group_alone_prints_its_help(words, named, capsys):
    status = guarded(lambda: app(words, standalone_mode=False))
    printed = capsys.readouterr()
    assert (status, printed.err) == (0, "")
    assert printed.out.startswith("Usage: ")
    assert any(line.startswith(f"  {named}") for line in printed.out.splitlines())
