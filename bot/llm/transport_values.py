"""Values that pass between exchange and transport: a request, a response, a fault.

Statuses alone do not suffice to classify errors: an unknown model is 404 on one server and 400 on
another, an empty account 402, 429 or 400. Codes and messages:
https://developers.openai.com/api/docs/guides/error-codes,
https://api-docs.deepseek.com/quick_start/error_codes,
https://help.aliyun.com/zh/model-studio/error-code
"""

from __future__ import annotations

import email.utils
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from bot.llm.response_format import Dialect, about_format
from digest.frozen import frozen
from handlers.ports.model_port import ModelMessage, ModelReason


class Finish(StrEnum):
    """Why the server stopped writing."""

    STOP = "stop"
    LENGTH = "length"
    FILTER = "content_filter"
    NONE = ""  # not stated by the server


@frozen
class Ask:
    """One request, ready to be sent."""

    messages: tuple[ModelMessage, ...]
    output_tokens: int  # the most that the reply may take
    dialect: Dialect
    estimated: float  # uncorrected tokens of the messages, see :mod:`bot.llm.calls`
    name: str = "reply"
    schema: Mapping[str, Any] | None = None


@frozen
class Metered:
    """The tokens that a server reports. ``output`` includes thinking, ``input`` cached tokens."""

    input: int
    output: int
    cached: int = 0


@frozen
class ModelResponse:
    """A response, complete as far as is known. ``metered`` is ``None`` if not reported."""

    text: str
    finish: Finish
    model: str = ""
    refusal: str = ""
    metered: Metered | None = None


@dataclass(slots=True)
class ModelFault(Exception):
    """A request that got no answer."""

    reason: ModelReason
    detail: str = ""  # one line without the key
    status: int | None = None
    retry_after: float | None = None  # in seconds, if the server gives a time
    parameter: str = ""  # the field that the server rejects, if it names one
    charged: bool = False  # the server may have worked on it and may charge for it
    final: bool = False  # nothing was sent, and retrying is useless for now

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


Hear = Callable[[str], None]  # called with each piece of text as it arrives


_LONGEST = 300

_CONTEXT = re.compile(
    r"context_length|maximum context|context (window|length|size)|exceed_context|too many tokens"
    r"|prompt is too long|reduce the length|input length|range of input"
    r"|maximum.{0,20}tokens allowed",
    re.IGNORECASE,
)
_FILTER = re.compile(
    r"content_?filter|content management policy|data_?inspection|content exists risk"
    r"|inappropriate content|safety|moderation|sensitive",
    re.IGNORECASE,
)
_CREDIT = re.compile(
    r"insufficient.{0,10}(quota|balance|credit|fund)|exceeded your current quota|billing|arrear",
    re.IGNORECASE,
)
_MODEL = re.compile(
    r"model_not_found|model.{0,120}(not (exist|found|available)|does not exist|unknown)"
    r"|(unknown|invalid|no such) model|not a valid model",
    re.IGNORECASE | re.DOTALL,
)


class Scrub:
    """Turns a server's message into one short line without the key."""

    def __init__(self, key: str) -> None:
        self._key = key

    def __call__(self, text: str) -> str:
        """The line. A server may echo the key that it refuses."""
        if self._key:
            text = text.replace(self._key, "***")
        line = "".join(char if char.isprintable() else " " for char in text)
        line = " ".join(line.split())
        return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 3]}..."


def of_status(status: int, headers: Mapping[str, str], body: bytes, scrub: Scrub) -> ModelFault:
    """The fault for an answer with an error status."""
    words, code, parameter = _error_fields(body)
    known = f"{code} {words}"
    reason = _reason(status, known, parameter)
    detail = f"{status}: {known.strip()}" if known.strip() else f"{status}"
    if 300 <= status < 400:
        detail = f"{status}: the server redirects; check base_url"
    elif status in {404, 405} and reason is ModelReason.REJECTED:
        detail += " (not found; check that base_url ends in /v1)"
    return ModelFault(
        reason=reason,
        detail=scrub(detail),
        status=status,
        retry_after=retry_after(headers),
        parameter=parameter,
    )


def _reason(status: int, words: str, parameter: str) -> ModelReason:
    match status:
        case 401 | 403:
            return ModelReason.FILTERED if _FILTER.search(words) else ModelReason.UNAUTHORIZED
        case 402:
            return ModelReason.NO_CREDIT
        case 429:
            return ModelReason.NO_CREDIT if _CREDIT.search(words) else ModelReason.RATE_LIMITED
        case 408 | 409 | 425:
            return ModelReason.UNAVAILABLE
        case _ if status >= 500:
            # Some versions of llama.cpp answer a prompt that is too long with 500.
            too_long = _CONTEXT.search(words)
            return ModelReason.CONTEXT_LENGTH if too_long else ModelReason.UNAVAILABLE
        case 413:
            return ModelReason.CONTEXT_LENGTH
    if about_format(words):
        # "This model does not ..." does not mean that the model does not exist.
        return ModelReason.REJECTED
    for pattern, reason in (
        (_CREDIT, ModelReason.NO_CREDIT),
        (_CONTEXT, ModelReason.CONTEXT_LENGTH),
        (_FILTER, ModelReason.FILTERED),
        (_MODEL, ModelReason.UNKNOWN_MODEL),
    ):
        if pattern.search(words):
            return reason
    return ModelReason.UNKNOWN_MODEL if parameter == "model" else ModelReason.REJECTED


def _error_fields(body: bytes) -> tuple[str, str, str]:
    """Message, code and field of an error, in any of the forms that servers use."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return "", "", ""
    inner = data.get("error", data) if isinstance(data, dict) else data
    if isinstance(inner, str):
        return inner, "", ""
    if not isinstance(inner, dict):
        return "", "", ""
    words = inner.get("message") or inner.get("detail") or inner.get("msg") or ""
    if isinstance(words, list):
        # FastAPI lists validation errors with the input itself, which must not be repeated.
        words = "; ".join(
            f"{field.get('msg')} at {field.get('loc')}"
            for field in words
            if isinstance(field, dict)
        )
    return str(words), word(inner.get("code")), word(inner.get("param"))


def word(value: Any) -> str:
    """A text; empty if it is none."""
    return value if isinstance(value, str) else ""


def retry_after(headers: Mapping[str, str], now: datetime | None = None) -> float | None:
    """The seconds that a server asks to wait, from milliseconds, seconds or a date."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if 0 <= seconds < float("inf"):
            return seconds
    try:
        moment = email.utils.parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())
