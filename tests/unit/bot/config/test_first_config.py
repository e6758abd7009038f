"""A first configuration: it works, its secrets are its owner's, nothing is overwritten."""

from __future__ import annotations

import stat
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.cli import run_setup
from bot.config import first_config
from bot.config.first_config import SetupAnswers, write
from bot.config.reader import read
from digest.errors import InvalidConfig, UnwritableFolder, UsageError, UserError

TOKEN = "123456:ABC-def_0123456789"
TELEGRAM = SetupAnswers(
    repositories=["https://github.com/owner/name", "/srv/project"],
    platform="telegram",
    chat="-1001234567890",
    zone="Europe/Berlin",
    time="18:30",
    language="zh",
    secrets={"token": TOKEN},
)


def test_what_is_written_says_what_was_answered(tmp_path):
    file = tmp_path / "digestbot.toml"
    write(file, TELEGRAM)
    config = read(file)
    (channel,) = config.channels
    assert [one.place for one in config.repositories] == list(TELEGRAM.repositories)
    assert (channel.platform, channel.chat, channel.zone.key) == (
        "telegram", "-1001234567890", "Europe/Berlin"
    )  # fmt: skip
    assert (f"{channel.time:%H:%M}", str(channel.language)) == ("18:30", "zh")
    assert config.secrets() == (TOKEN,)
    assert config.warnings == ()


def test_secrets_are_in_files_that_their_owner_alone_can_read(tmp_path):
    file = tmp_path / "digestbot.toml"
    write(file, TELEGRAM)
    secret = tmp_path / "secrets" / "telegram-token"
    assert secret.read_text() == f"{TOKEN}\n"
    assert [stat.S_IMODE(one.stat().st_mode) for one in (secret, secret.parent, file)] == [
        0o600, 0o700, 0o600
    ]  # fmt: skip
    assert TOKEN not in file.read_text()


@pytest.mark.parametrize("name", ["digestbot.toml", "secrets/telegram-token"])
def test_nothing_is_overwritten_and_nothing_left_behind(tmp_path, name):
    there = tmp_path / name
    there.parent.mkdir(exist_ok=True)
    there.write_text("somebody's")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UserError, match="not overwritten"):
        write(tmp_path / "digestbot.toml", TELEGRAM)
    assert there.read_text() == "somebody's"
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "change",
    [{"zone": "Nowhere"}, {"time": "25:00"}, {"language": "xx"}, {"secrets": {"token": "short"}}],
)
def test_answers_that_would_not_work_leave_nothing_behind(tmp_path, change):
    with pytest.raises(InvalidConfig, match="this configuration is invalid") as raised:
        write(tmp_path / "digestbot.toml", replace(TELEGRAM, **change))
    assert ".new" not in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_written_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UnwritableFolder):
        write(tmp_path / "file" / "digestbot.toml", SetupAnswers(repositories=["."]))


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30))
def test_any_text_is_written_so_that_toml_reads_it_back(text):
    import tomllib

    read_back = tomllib.loads(first_config.config_text(SetupAnswers(repositories=["."], chat=text)))
    assert read_back["channels"][0]["chat"] == text


class Person:
    """Answers questions by their first words."""

    def __init__(self, **said: str) -> None:
        self.said = said
        self.asked: list[tuple[str, bool]] = []

    def __call__(self, question: str, default: str, secret: bool) -> str:
        self.asked.append((question, secret))
        words = question.lower()
        return next((a for key, a in self.said.items() if key in words), default)


def test_a_person_is_asked_for_what_was_not_given(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    person = Person(where="feishu", app_id="cli_a1", app_secret="s3cr3t-value", chat="oc_team")
    run_setup.init(
        run_setup.InitOptions(file=None, repositories=["https://host.example/a/b"]), person
    )
    config = read(tmp_path / "digestbot.toml")
    assert config.platforms["feishu"].settings.app_id == "cli_a1"
    assert config.channels[0].chat == "oc_team"
    assert "s3cr3t-value" in config.secrets()
    hidden = {question for question, secret in person.asked if secret}
    assert hidden
    assert all("feishu: " in question for question in hidden)
    assert "s3cr3t-value" not in capsys.readouterr().out


def test_without_anybody_there_secrets_come_from_the_environment(tmp_path, monkeypatch):
    monkeypatch.setenv("DIGESTBOT_TELEGRAM_TOKEN", TOKEN)
    options = run_setup.InitOptions(
        file=tmp_path / "bot.toml", repositories=["."], platform="telegram", chat="@news"
    )
    run_setup.init(options)
    monkeypatch.delenv("DIGESTBOT_TELEGRAM_TOKEN")
    assert read(tmp_path / "bot.toml").secrets() == (TOKEN,)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"platform": "telegram"}, "DIGESTBOT_TELEGRAM_TOKEN"),
        ({"platform": "telegran"}, "did you mean 'telegram'"),
        ({"platform": "telegram", "settings": ["token=123"]}, "visible to others"),
        ({"platform": "console", "settings": ["width"]}, "key=value"),
    ],
)
def test_what_is_missing_or_wrong_is_told(tmp_path, options, says):
    with pytest.raises(UsageError, match=says):
        run_setup.init(
            run_setup.InitOptions(file=tmp_path / "x.toml", repositories=["."], **options)
        )
    assert list(tmp_path.iterdir()) == []
