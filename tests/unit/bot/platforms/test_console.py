"""The terminal as a platform."""

from __future__ import annotations

import io
import sys
from datetime import UTC
from pathlib import Path

import pytest

from bot.messaging.sender import Part, SendError, SendReason
from bot.platforms.console import Config, Console, Keyboard, console_of, create
from tests.support.samples_documents import answer_en, answer_zh, digest_en, digest_zh

GOLDEN = Path(__file__).parents[3] / "data" / "console"


@pytest.mark.parametrize("make", [digest_en, digest_zh, answer_en, answer_zh])
@pytest.mark.parametrize(("styled", "ending"), [(False, "txt"), (True, "ansi")])
def test_render_is_as_the_golden_file(make, styled, ending):
    (part,) = Console(io.StringIO(), width=72, styled=styled).render(make())
    golden = GOLDEN / f"{make.__name__}.{ending}"
    assert part.body == golden.read_text(encoding="utf-8")


def test_styled_body_says_the_words_of_its_text_side():
    (part,) = Console(io.StringIO(), width=72, styled=True).render(digest_en())
    assert "\x1b" not in part.text
    assert "\x1b]8;;https://forge.example/acme/engine/pull/812\x1b\\" in part.body
    assert "\x1b[5m" not in part.body


async def test_send_writes_the_body_and_flushes():
    stream = io.StringIO()
    receipt = await Console(stream).send("", Part(text="a\n", body="a\n", identity="ab12"))
    assert stream.getvalue() == "a\n\n"
    assert receipt.message == "ab12"


async def test_send_to_a_stream_of_another_encoding_replaces_what_it_lacks():
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii")
    await Console(stream).send("", Part(text="", body="中 a"))
    assert raw.getvalue() == b"? a\n"


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (BrokenPipeError(), SendReason.NO_CHANNEL),
        (ValueError("I/O operation on closed file"), SendReason.NO_CHANNEL),
        (OSError(28, "No space left on device"), SendReason.UNAVAILABLE),
    ],
)
async def test_send_classifies_what_a_stream_raises(error, reason):
    class Stream(io.StringIO):
        def write(self, text):
            raise error

    with pytest.raises(SendError) as raised:
        await Console(Stream()).send("", Part(text="", body=""))
    assert raised.value.reason is reason
    assert not raised.value.retry


def test_attached_to_a_file_is_plain(monkeypatch):
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    (part,) = console_of(io.StringIO()).render(digest_en())
    assert "\x1b" not in part.body


def test_attached_to_a_terminal_is_styled_unless_colour_is_refused(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in console_of(Terminal()).render(digest_en())[0].body
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in console_of(Terminal()).render(digest_en())[0].body


async def test_create_appends_to_a_file(tmp_path):
    file = tmp_path / "deep" / "posts.txt"
    for text in ("one\n", "two\n"):
        console = create(Config(output=file))
        await console.send("", Part(text=text, body=text))
        await console.aclose()
    assert file.read_text() == "one\n\ntwo\n\n"


async def test_create_names_a_file_that_cannot_be_opened(tmp_path):
    with pytest.raises(SendError, match="directory"):
        create(Config(output=tmp_path))


async def test_probe_finds_a_closed_stream():
    stream = io.StringIO()
    console = Console(stream, width=66)
    assert await console.probe("") == "66 columns"
    stream.close()
    with pytest.raises(SendError):
        await console.probe("")


async def test_keyboard_hears_lines_until_the_end():
    heard = [
        message async for message in Keyboard(io.StringIO("explain #1\n\n  帮助 \nlast")).listen()
    ]
    assert [message.text for message in heard] == ["explain #1", "帮助", "last"]
    assert len({message.id for message in heard}) == 3
    assert all(message.direct and message.at.tzinfo is UTC for message in heard)


async def test_keyboard_reads_the_next_line_only_when_asked():
    stream = io.StringIO("one\ntwo\n")
    listening = Keyboard(stream).listen()
    await anext(listening)
    assert stream.tell() == len("one\n")
    await listening.aclose()


async def test_keyboard_ends_where_the_stream_is_closed(monkeypatch):
    stream = io.StringIO()
    stream.close()
    monkeypatch.setattr(sys, "stdin", stream)
    assert [message async for message in Keyboard(stream).listen()] == []
