"""Of a server's address the host and the database are told, and no password."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.config.file_model import DatabaseSettings, SharedSettings
from bot.telemetry.logs import Redaction
from bot.util.sanitize import secrets_in, without_secrets

_ADDRESS = "postgresql://digest:hunter22@db.example.org:5432/digests_of_team"


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        (_ADDRESS, "postgresql://digest@db.example.org:5432/digests_of_team"),
        ("postgresql://digest@/digests?host=/run/pg", "postgresql://digest@/digests?host=/run/pg"),
        (
            "postgresql://h/d?sslmode=require&password=hush-hush&sslpassword=hush",
            "postgresql://h/d?sslmode=require&password=***&sslpassword=***",
        ),
        ("postgresql://u:pw@one:1,two:2/d", "postgresql://u@one:1,two:2/d"),
        ("postgresql://u:p@ss/w#rd@h/d", "postgresql://u@h/d"),
        ("postgresql://h/d?application_name=a@b", "postgresql://h/d?application_name=a@b"),
        ("redis://:hush-hush@cache:6379/0", "redis://cache:6379/0"),
        ("unix:///run/redis.sock?password=hush-hush", "unix:///run/redis.sock?password=***"),
    ],
)
def test_address_is_shown_without_what_is_secret(address: str, shown: str) -> None:
    assert without_secrets(address) == shown


def test_password_is_known_as_it_is_written_and_as_servers_repeat_it() -> None:
    assert {"p%40ss word", "p@ss word"} <= set(secrets_in("postgresql://u:p%40ss word@h/d"))
    assert {"hush%20hush", "hush hush"} <= set(secrets_in("postgresql://h/d?password=hush%20hush"))


def test_common_word_for_a_password_is_blotted_out_only_beside_its_user() -> None:
    assert secrets_in("postgresql://digestbot:digestbot@h/digestbot") == (
        "digestbot:digestbot@",
        ":digestbot@",
    )
    assert secrets_in("postgresql://u:pw@h/d") == ("u:pw@", ":pw@")
    assert secrets_in("postgresql://u@h/d") == ()


@given(st.text(min_size=1).filter(lambda one: one not in {"user", "host", "base"}))
def test_no_password_is_ever_shown(password: str) -> None:
    address = f"postgresql://user:{quote(password, safe='')}@host/base?password={quote(password)}"
    assert without_secrets(address) == "postgresql://user@host/base?password=***"


def test_log_tells_host_and_database_and_no_password() -> None:
    sections = (
        DatabaseSettings.model_validate({"url": _ADDRESS}),
        SharedSettings.model_validate({"redis_url": "redis://:opensesame@cache.example.org/0"}),
    )
    redaction = Redaction(secret for one in sections for secret in one.secrets())
    error = "digests_of_team at db.example.org refuses hunter22, cache.example.org opensesame"
    assert redaction(None, "", {"error": error, "address": _ADDRESS}) == {
        "error": "digests_of_team at db.example.org refuses ***, cache.example.org ***",
        "address": "postgresql://***@db.example.org:5432/digests_of_team",
    }


def test_password_of_six_characters_is_masked_wherever_it_stands() -> None:
    assert "secret" in secrets_in("postgresql://u:secret@h/d")
    assert "sesam" not in secrets_in("postgresql://u:sesam@h/d")
