"""The section ``[web]``."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from bot.config.file_model import Listen, WebSettings
from bot.config.reader import read
from digest.errors import InvalidConfig


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("127.0.0.1:8080", Listen("127.0.0.1", 8080)),
        ("[::1]:80", Listen("::1", 80)),
        (":0", Listen("", 0)),
        ("web.internal:65535", Listen("web.internal", 65535)),
    ],
)
def test_an_address_is_read(written, meant):
    assert WebSettings.model_validate({"listen": written}).listen == meant


@pytest.mark.parametrize(
    "wrong",
    [
        {"listen": "8080"},
        {"listen": "127.0.0.1:65536"},
        {"listen": "::1:80"},
        {"listen": "a b:80"},
        {"public_url": "digest.example"},
        {"public_url": "https://user:word@digest.example"},
        {"public_url": "https://digest.example/?a"},
        {"token": "short"},
        {"proxies": ["everybody"]},
        {"proxies": ["10.0.0.1/8"]},
        {"max_body": 1023},
        {"max_body": 2**30 + 1},
        {"max_connections": 0},
        {"body_seconds": 0},
        {"body_seconds": 600.5},
        {"port": 80},
    ],
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValidationError):
        WebSettings.model_validate(wrong)


@pytest.mark.parametrize(
    "limits",
    [
        {"max_body": 1024, "max_connections": 1, "body_seconds": 0.5},
        {"max_body": 2**30, "max_connections": 10**6, "body_seconds": 600},
    ],
)
def test_limits_may_be_as_narrow_or_as_wide_as_documented(limits):
    assert WebSettings.model_validate(limits).model_dump(include=set(limits)) == limits


def test_the_public_address_has_no_slash_at_its_end():
    url = "https://digest.example/bot/"
    assert WebSettings(public_url=url).public_url == "https://digest.example/bot"


def test_there_is_no_server_without_the_section(tmp_path):
    file = tmp_path / "digestbot.toml"
    file.write_text("")
    assert read(file).web is None


def test_the_token_is_found_in_its_file_or_the_environment_and_kept_out_of_logs(
    tmp_path, monkeypatch
):
    file = tmp_path / "digestbot.toml"
    secret = tmp_path / "token"
    secret.write_text("0123456789abcdef0\n")
    secret.chmod(0o600)
    file.write_text('[web]\ntoken_file = "token"\n')
    assert read(file).secrets() == ("0123456789abcdef0",)
    file.write_text("[web]\n")
    monkeypatch.setenv("DIGESTBOT_WEB_TOKEN", "fedcba9876543210")
    assert read(file).secrets() == ("fedcba9876543210",)


def test_a_mistake_names_the_section_and_not_the_secret(tmp_path):
    file = tmp_path / "digestbot.toml"
    file.write_text('[web]\ntoken = "hush"\n')
    with pytest.raises(InvalidConfig, match=r"web\.token.*16 characters") as raised:
        read(file)
    assert "hush" not in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        '[web]\ntoken = "0123456789abcdef"\n',
        '[[repositories]]\nplace = "https://ada:s3cret@git.example.org/o/n"\n',
    ],
)
def test_a_token_in_a_file_that_others_can_read_is_warned_of(tmp_path, text):
    file = tmp_path / "digestbot.toml"
    file.write_text(text)
    file.chmod(0o644)
    assert any("chmod 600" in warning for warning in read(file).warnings)
