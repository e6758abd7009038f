"""The configuration of Slack, its manifest, and the check of a signature."""

from __future__ import annotations

import hashlib
import hmac
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from bot.platforms.slack import Config
from bot.platforms.slack.oauth import EVENTS, SCOPES, as_yaml, manifest
from bot.platforms.slack.web_events import WINDOW, is_signed
from bot.util.section import SectionContext

ROOT = Path(__file__).parents[5]

NOW = 1_700_000_000.0

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"


def test_three_secrets_come_from_files(tmp_path):
    for name, secret in (("bot", "xoxb-1"), ("app", "xapp-1"), ("sign", "s3")):
        (tmp_path / name).write_text(f"{secret}\n")
        (tmp_path / name).chmod(0o600)
    written = {"bot_token_file": "bot", "app_token_file": "app", "signing_secret_file": "sign"}
    reading = SectionContext(folder=tmp_path)
    config = Config.model_validate(written, context=reading)
    assert config.bot_token.get_secret_value() == "xoxb-1"
    assert config.app_token.get_secret_value() == "xapp-1"
    assert config.signing_secret.get_secret_value() == "s3"
    assert reading.warnings == []
    assert {"bot_token", "app_token", "signing_secret"} < set(Config.secret_fields())


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ({"bot_token": "xapp-1", "app_token": "xoxb-1"}, "exchanged"),
        ({"bot_token": "xapp-1"}, "exchanged"),
        ({"bot_token": "xoxb-1", "app_token": "xoxb-2"}, "exchanged"),
        ({"bot_token": "https://hooks.slack.com/services/T/B/x"}, "xoxb-"),
        ({"bot_token": "xoxb-1", "events": "http"}, "signing_secret"),
        ({"bot_token": "xoxb-1", "events": "pigeon"}, "socket"),
        ({"bot_token": "xoxb-1", "api": "ftp://x"}, "pattern"),
        ({}, "bot_token"),
        ({"bot_token": "xoxb-1", "installations": "x"}, "bot_token"),
        ({"installations": "x", "events": "http", "signing_secret": "s"}, "client_id"),
    ],
)
def test_a_mistake_is_named_without_the_secret(written, told):
    with pytest.raises(ValidationError) as raised:
        Config.model_validate(written)
    assert told in str(raised.value)
    assert not re.search(r"xoxb-\d|xapp-\d|T/B/x", str(raised.value))


def test_the_manifest_beside_the_code_is_current():
    kept = (ROOT / "deploy" / "slack-manifest.yaml").read_text(encoding="utf-8")
    assert kept == as_yaml(manifest())


def test_the_manifest_keeps_slacks_bounds():
    made = manifest()
    shown = made["display_information"]
    assert len(shown["name"]) <= 35
    assert len(shown["description"]) <= 140
    assert 174 <= len(shown["long_description"]) <= 4000
    (command,) = made["features"]["slash_commands"]
    assert len(command["command"]) <= 32
    assert len(command["usage_hint"]) <= 1000
    assert made["settings"]["socket_mode_enabled"]


def test_the_manifest_of_an_app_that_is_called_names_the_address_everywhere():
    made = manifest("https://bot.example.org/slack")
    assert not made["settings"]["socket_mode_enabled"]
    assert as_yaml(made).count("https://bot.example.org/slack") == 4


def test_every_event_has_the_scope_that_it_needs():
    needed = {
        "app_home_opened": None,
        "app_mention": "app_mentions:read",
        "app_uninstalled": None,
        **{f"message.{kind}": f"{kind}:history" for kind in ("channels", "groups", "im", "mpim")},
    }
    assert set(EVENTS) == set(needed)
    assert {scope for scope in needed.values() if scope} <= set(SCOPES)


def test_the_page_for_people_names_every_scope_and_event():
    page = (ROOT / "docs" / "slack.md").read_text(encoding="utf-8")
    assert all(f"`{scope}`" in page for scope in SCOPES)
    assert all(f"`{event}`" in page for event in EVENTS)


def headers(body: bytes, stamp: str = str(int(NOW)), secret: str = SECRET) -> dict[str, str]:
    base = b"v0:" + stamp.encode() + b":" + body
    digest = hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()
    return {"x-slack-request-timestamp": stamp, "x-slack-signature": f"v0={digest}"}


def test_what_slack_signed_is_taken():
    assert is_signed(SECRET, headers(b"x=1"), b"x=1", NOW)
    assert is_signed(SECRET, headers(b"x=1"), b"x=1", NOW + WINDOW)


@pytest.mark.parametrize(
    ("changed", "now"),
    [
        ({}, NOW + WINDOW + 1),
        ({}, NOW - WINDOW - 1),
        ({"x-slack-request-timestamp": str(int(NOW) + 1)}, NOW),
        ({"x-slack-request-timestamp": "soon"}, NOW),
        ({"x-slack-request-timestamp": ""}, NOW),
        ({"x-slack-request-timestamp": "１７０００００００００"}, NOW),
        ({"x-slack-request-timestamp": "nan"}, NOW),
        ({"x-slack-signature": ""}, NOW),
        ({"x-slack-signature": "v0="}, NOW),
        ({"x-slack-signature": "v0=" + "0" * 64}, NOW),
        ({"x-slack-signature": "v0=é"}, NOW),
    ],
)
def test_what_slack_did_not_sign_lately_is_not_taken(changed, now):
    assert not is_signed(SECRET, headers(b"x=1") | changed, b"x=1", now)


def test_another_body_or_another_secret_is_not_taken():
    assert not is_signed(SECRET, headers(b"x=1"), b"x=2", NOW)
    assert not is_signed(SECRET, headers(b"x=1", secret="other"), b"x=1", NOW)
    assert not is_signed(SECRET, {}, b"", NOW)


@given(stamp=st.text(), signature=st.text(), body=st.binary())
def test_no_header_breaks_the_check(stamp, signature, body):
    given_ = {"x-slack-request-timestamp": stamp, "x-slack-signature": signature}
    assert not is_signed(SECRET, given_, body, NOW)
