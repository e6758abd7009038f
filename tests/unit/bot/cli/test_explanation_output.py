"""What ``digestbot explain --prompt`` prints of a request."""

from __future__ import annotations

from bot.cli.explanation_output import _lines


def test_messages_are_printed_as_they_are_and_other_fields_as_json() -> None:
    body = {
        "model": "m",
        "extra": {"a": None, "über": "…"},
        "messages": [{"role": "user", "content": "a\nb"}],
    }
    assert [*_lines(2, body, "https://llm.example/v1")] == [
        "=== request 2: POST https://llm.example/v1",
        'model: "m"',
        'extra: {"a": null, "über": "…"}',
        "--- user",
        "a\nb",
    ]
