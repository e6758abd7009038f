import json
from datetime import UTC, datetime

import pytest

from bot.llm.transport_values import Scrub, of_status, retry_after
from handlers.ports.model_port import ModelReason

R = ModelReason


@pytest.mark.parametrize(
    ("status", "body", "reason"),
    [
        (400, {"error": {"message": "x", "code": "context_length_exceeded"}}, R.CONTEXT_LENGTH),
        (
            400,
            {"error": {"message": "the request exceeds the available context size"}},
            R.CONTEXT_LENGTH,
        ),
        (400, {"message": "This model's maximum context length is 4096 tokens."}, R.CONTEXT_LENGTH),
        (
            400,
            {"error": {"message": "Range of input length should be [1, 129024]"}},
            R.CONTEXT_LENGTH,
        ),
        (413, "", R.CONTEXT_LENGTH),
        (400, {"error": {"message": "Arrearage: overdue payment"}}, R.NO_CREDIT),
        (402, {"error": {"message": "Insufficient Balance"}}, R.NO_CREDIT),
        (429, {"error": {"message": "slow", "code": "rate_limit_exceeded"}}, R.RATE_LIMITED),
        (429, {"error": {"message": "no", "code": "insufficient_quota"}}, R.NO_CREDIT),
        (401, {"error": "no key"}, R.UNAUTHORIZED),
        (403, {"error": {"message": "country not supported"}}, R.UNAUTHORIZED),
        (404, {"error": {"message": "The model `gpt` does not exist"}}, R.UNKNOWN_MODEL),
        (404, {"detail": "Not Found"}, R.REJECTED),
        (404, "<html>", R.REJECTED),
        (400, {"error": {"message": "bad", "param": "model"}}, R.UNKNOWN_MODEL),
        (408, "", R.UNAVAILABLE),
        (500, "", R.UNAVAILABLE),
        (529, {"error": {"type": "overloaded_error"}}, R.UNAVAILABLE),
        (
            422,
            {"detail": [{"msg": "field required", "loc": ["body", "x"], "input": "S3CRET"}]},
            R.REJECTED,
        ),
        (307, "", R.REJECTED),
        (400, [1], R.REJECTED),
        (400, {"error": {"message": None, "code": 7, "param": []}}, R.REJECTED),
    ],
)
def test_of_status(status, body, reason):
    data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
    fault = of_status(status, {}, data, Scrub(""))
    assert fault.reason is reason
    assert str(status) in fault.detail
    assert "S3CRET" not in fault.detail
    assert not fault.charged


@pytest.mark.parametrize(
    ("status", "body", "hint"),
    [
        (404, "<html>", "ends in /v1"),
        (405, "", "ends in /v1"),
        (404, '{"error": {"message": "The model `x` does not exist"}}', ""),
        (300, "", "the server redirects"),
        (399, "", "the server redirects"),
        (400, "", ""),
    ],
)
def test_a_wrong_address_is_blamed_on_base_url(status, body, hint):
    detail = of_status(status, {}, body.encode(), Scrub("")).detail
    assert ("base_url" in detail) == bool(hint)
    assert hint in detail


def test_scrub_makes_one_short_line_without_the_key():
    said = Scrub("k-123")("a\x1b[31m\n\u202eb " + "k-123 " * 100)
    assert "k-123" not in said
    assert len(said) <= 300
    assert said.isprintable()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x" * 300, "x" * 300),
        ("x" * 301, "x" * 297 + "..."),
        (f" {'x' * 300} ", "x" * 300),
        ("a \t b", "a b"),
    ],
)
def test_scrub_cuts_only_what_is_longer_than_a_line(text, line):
    assert Scrub("")(text) == line


NOW = datetime(2026, 1, 23, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Fri, 23 Jan 2026 12:00:30 GMT"}, 30),
        ({"retry-after": "Fri, 23 Jan 2026 11:00:00 GMT"}, 0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-1"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after(headers, NOW) == seconds
