from dataclasses import replace
from datetime import timedelta

import pytest

from bot.llm.response_format import FILE, Dialect, DialectFile, Rung, context_limit, simpler
from tests.support.fakes import FakeClock

FOUND = Dialect(rung=Rung.OBJECT, limit="max_completion_tokens", stream=False)


def test_what_is_kept_is_recalled_by_another_run(tmp_path):
    DialectFile(tmp_path / "data", FakeClock()).keep("http://a/v1", "m", FOUND)
    memory = DialectFile(tmp_path / "data", FakeClock())
    assert memory.recall("http://a/v1", "m") == FOUND
    assert memory.recall("http://a/v1", "n") is None
    assert memory.recall("http://b/v1", "m") is None


def test_each_server_and_model_is_kept_apart(tmp_path):
    memory = DialectFile(tmp_path, FakeClock())
    memory.keep("http://a/v1", "m", FOUND)
    memory.keep("http://a/v1", "n", Dialect())
    assert (memory.recall("http://a/v1", "m"), memory.recall("http://a/v1", "n")) == (
        FOUND,
        Dialect(),
    )


def test_what_was_found_long_ago_is_found_out_anew(tmp_path):
    clock = FakeClock()
    memory = DialectFile(tmp_path, clock)
    memory.keep("http://a/v1", "m", FOUND)
    clock.advance(timedelta(days=31))
    assert memory.recall("http://a/v1", "m") is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"http://a/v1 m": 7}',
        '{"http://a/v1 m": {"at": "x", "dialect": {}}}',
        '{"http://a/v1 m": {"at": "2026-01-23T12:00:00+00:00", "dialect": {"rung": "up"}}}',
        '{"http://a/v1 m": {"at": "2026-01-23T12:00:00", "dialect": {"rung": "text"}}}',
        '{"http://a/v1 m": {"at": "2026-01-23T12:00:00+00:00", "dialect": {"rung": "text", "x": 1}}}',
    ],
)
def test_damaged_file_is_as_none(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    memory = DialectFile(tmp_path, FakeClock())
    assert memory.recall("http://a/v1", "m") is None
    memory.keep("http://a/v1", "m", FOUND)
    assert memory.recall("http://a/v1", "m") == FOUND
    assert [file.name for file in tmp_path.iterdir()] == [FILE]


def test_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("")
    DialectFile(tmp_path / "file" / "data", FakeClock()).keep("http://a/v1", "m", FOUND)


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        ("This model's maximum context length is 8192 tokens. However, you requested 9000", 8192),
        ("the request exceeds the available context size (4096 tokens), try increasing it", 4096),
        ("prompt is too long: n_ctx = 2048, n_prompt = 3000", 2048),
        ("max_model_len=32768 but 40000 tokens were given", 32768),
        ("input length 9000 exceeds maximum of 8000", 8000),
        ("context_length_exceeded: your messages resulted in 9000 tokens", None),
        ("context length exceeded", None),
        ("maximum context length is 12 tokens", None),
    ],
)
def test_limit_of_the_context_is_read_from_an_error(words, limit):
    assert context_limit(words) == limit


@pytest.mark.parametrize("status", [400, 404, 405, 415, 422, 501])
def test_server_that_refuses_a_field_is_asked_without_it(status):
    first = Dialect()
    for words, change in (
        ("response_format is not supported", {"rung": Rung.OBJECT}),
        ("unknown field temperature", {"temperature": False}),
        ("unknown field max_tokens", {"limit": "max_completion_tokens"}),
        ("unknown field stream", {"stream": False}),
        ("unknown field stream_options", {"usage": False}),
    ):
        simple = replace(first, **change)
        assert simpler(first, status, "", words, shaped=True) == simple
        if "limit" not in change and "rung" not in change:
            assert simpler(simple, status, "", words, shaped=True) is None


@pytest.mark.parametrize(
    ("status", "words", "shaped"),
    [
        (None, "unknown field temperature", True),
        (401, "unknown field temperature", True),
        (406, "unknown field temperature", True),
        (429, "unknown field temperature", True),
        (500, "unknown field temperature", True),
        (503, "unknown field temperature", True),
        (400, "the temperature of the room is high", True),
        (400, "response_format is not supported", False),
        (400, "unknown field seed", True),
    ],
)
def test_other_errors_make_no_request_simpler(status, words, shaped):
    assert simpler(Dialect(), status, "", words, shaped=shaped) is None


def test_field_that_the_server_names_apart_is_left_out():
    found = simpler(Dialect(), 400, "temperature", "it must be 1", shaped=True)
    assert found == Dialect(temperature=False)
    assert simpler(Dialect(rung=Rung.TEXT), 400, "", "response_format is bad", shaped=True) is None
