"""What is logged: events with fields, and never a secret."""

from __future__ import annotations

import io
import json
import logging

import pytest
import structlog
from pydantic import SecretStr

from bot.telemetry.logs import LOG, Redaction, configure, keep_traceback


@pytest.fixture
def logged():
    """Configures logging to memory, and puts everything back."""
    root = logging.getLogger()
    before = root.handlers[:], root.level
    stream = io.StringIO()
    yield stream
    structlog.reset_defaults()
    root.handlers[:], level = before[0], before[1]
    root.setLevel(level)
    for name in ("bot", "handlers"):
        logging.getLogger(name).setLevel(logging.NOTSET)


def lines(stream):
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_json_has_the_event_its_level_time_and_fields(logged):
    configure("json", stream=logged)
    structlog.get_logger("bot.x").info("delivery.sent", channel="团队", parts=2)
    (line,) = lines(logged)
    assert line.pop("timestamp").endswith("Z")
    assert line == {"event": "delivery.sent", "level": "info", "channel": "团队", "parts": 2}


def test_auto_is_json_where_there_is_no_terminal(logged):
    configure("auto", stream=logged)
    structlog.get_logger("bot.x").info("a.b")
    assert lines(logged)[0]["event"] == "a.b"


def test_human_is_a_line_for_people(logged):
    configure("human", stream=logged)
    structlog.get_logger("bot.x").warning("delivery.held", channel="team")
    assert "delivery.held" in logged.getvalue()
    assert "channel=team" in logged.getvalue()
    assert "\x1b" not in logged.getvalue()


def test_level_is_ours_and_libraries_speak_from_warnings_up(logged):
    configure("json", "debug", stream=logged)
    structlog.get_logger("bot.x").debug("ours")
    logging.getLogger("apscheduler").info("silent")
    logging.getLogger("apscheduler").warning("loud %s", 1)
    assert [line["event"] for line in lines(logged)] == ["ours", "loud 1"]


def test_secrets_are_hidden_everywhere(logged):
    configure("json", secrets=["xoxb-123", ""], stream=logged)
    log = structlog.get_logger("bot.x")
    log.info("a.b", bot_token="t", url="https://me:pw@host/?k=xoxb-123", nested={"password": "p"})
    log.info("a.b", items=["xoxb-123"], wrapped=SecretStr("xoxb-123"), thing=ValueError("xoxb-123"))
    logging.getLogger("lib").warning("xoxb-123")
    log.error("a.broken", exc_info=ValueError("xoxb-123"))
    told = logged.getvalue()
    assert "xoxb-123" not in told
    assert "me:pw" not in told
    assert lines(logged)[0]["url"] == "https://***@host/?k=***"
    assert lines(logged)[0]["nested"] == {"password": "***"}
    assert "ValueError: ***" in lines(logged)[3]["exception"]


def test_longer_secret_is_hidden_whole():
    assert Redaction(["abc", "abcdef"]).text("abcdef abc") == "*** ***"


def test_counts_named_like_secrets_are_shown():
    assert Redaction()(None, "", {"tokens": 12, "token": "x"}) == {"tokens": 12, "token": "***"}


def test_hostile_text_does_not_act_on_the_terminal():
    assert Redaction().text("a\x1b[2Jb\u202ec\nnext") == "a␛[2Jb�c\nnext"


def broken(words):
    with pytest.raises(ValueError, match="invalid literal") as raised:
        int(words)
    return raised.value


def test_tracebacks_are_appended_to_a_file_under_the_shown_number(tmp_path, monkeypatch):
    file = tmp_path / "not" / "made" / "yet" / LOG
    monkeypatch.setenv("DIGESTBOT_DATA", str(file.parent))
    shown = [keep_traceback(broken(words)) for words in ("first", "second")]
    entries = file.read_text(encoding="utf-8")
    for line, words in zip(shown, ("first", "second"), strict=True):
        number = line.removeprefix("internal error ").partition(":")[0]
        assert line == f"internal error {number}: ValueError; the traceback is in {file}"
        entry = entries.partition(f" {number}\n")[2]
        assert entry.startswith("Traceback (most recent call last)")
        assert f"base 10: '{words}'\n" in entry


def test_error_is_shown_also_where_its_traceback_cannot_be_written(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("DIGESTBOT_DATA", str(tmp_path / "file" / "data"))
    shown = keep_traceback(broken("x"))
    assert shown.startswith("internal error ")
    assert shown.endswith(": ValueError")
