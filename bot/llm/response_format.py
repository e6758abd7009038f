"""The dialects of servers, from the best to what every server understands.

Servers refuse a way of keeping to a schema with status 400, 404 or 422 and name the field, so that
the first real request is also the probe and costs nothing if it fails:

- DeepSeek knows JSON mode alone: https://api-docs.deepseek.com/guides/json_mode
- DashScope's support for schemas differs by model:
  https://help.aliyun.com/zh/model-studio/json-mode
- some models take ``max_completion_tokens`` only, or no ``temperature``:
  https://developers.openai.com/api/docs/guides/reasoning

Servers that accept a schema and break it are detected by checking every reply.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any

from bot.util.files import write_whole
from digest.errors import UnwritableFolder
from digest.frozen import frozen
from handlers.ports.storage import Clock


class Rung(StrEnum):
    """How a server is made to answer in JSON, best first."""

    STRICT = "json_schema"
    OBJECT = "json_object"
    TEXT = "text"

    @property
    def below(self) -> Rung | None:
        """The next rung down; ``None`` from the lowest."""
        rungs = list(Rung)
        place = rungs.index(self) + 1
        return rungs[place] if place < len(rungs) else None


@frozen
class Dialect:
    """What a server was found to support. The defaults are the best case."""

    rung: Rung = Rung.STRICT
    limit: str = "max_tokens"  # the name of the field that limits the reply
    temperature: bool = True
    stream: bool = True
    usage: bool = True  # a stream may be asked to end with its token counts
    context: int = 0  # tokens of question and reply, where the server refused more; otherwise 0


_STATUSES = frozenset({400, 404, 405, 415, 422, 501})

# Names of the fields in servers' error messages. The last are a router's words for "no server of
# this model takes these fields", and llama.cpp's for a schema that it cannot turn into a grammar.
_FORMAT = re.compile(
    r"response_?format|json_?schema|json_object|structured.?output|guided|grammar"
    r"|json mode|requested parameters",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"max_(completion_)?tokens", re.IGNORECASE)
_UNKNOWN_FIELD = re.compile(
    r"unsupported|not support|unrecogni[sz]ed|unknown|unexpected|extra|not permitted|not allowed"
    r"|invalid (param|field|arg)|instead|does not accept",
    re.IGNORECASE,
)
_OTHER_LIMIT = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}

# The limit in an error message: "maximum context length is 8192 tokens", "context size (4096
# tokens)", "n_ctx = 2048", "maximum of 32768 tokens", "maximum 8192 tokens allowed".
_CONTEXT_LIMIT = re.compile(
    r"(?:context[ _](?:length|size|window)|n_ctx|max_model_len|maximum(?: of)?)"
    r"[^0-9.;]{0,30}?(\d{3,8})(?![\d.])",
    re.IGNORECASE,
)

LEAST_CONTEXT = 512  # tokens; a smaller limit is taken for another number


def context_limit(words: str) -> int | None:
    """The tokens that a context may have, from an error message; ``None`` if it does not say."""
    numbers = [int(number) for number in _CONTEXT_LIMIT.findall(words)]
    return next((number for number in numbers if number >= LEAST_CONTEXT), None)


def about_format(words: str) -> bool:
    """Whether an error message is about the requested response format."""
    return bool(_FORMAT.search(words))


def simpler(
    dialect: Dialect, status: int | None, parameter: str, detail: str, *, shaped: bool
) -> Dialect | None:
    """The dialect to try after an error, or ``None``; ``shaped``: a format was asked for."""
    if status not in _STATUSES:
        return None
    words = f"{parameter} {detail}"
    if "stream_options" in words or "include_usage" in words:
        return replace(dialect, usage=False) if dialect.usage else None
    if shaped and about_format(words):
        return next_lower(dialect)
    if not (parameter or _UNKNOWN_FIELD.search(words)):
        return None
    if "temperature" in words:
        return replace(dialect, temperature=False) if dialect.temperature else None
    if _LIMIT.search(words) and _UNKNOWN_FIELD.search(words):
        # The message may name both fields, so only the one that was sent is surely refused.
        return replace(dialect, limit=_OTHER_LIMIT[dialect.limit])
    if re.search(r"\bstream(ing)?\b", words, re.IGNORECASE):
        return replace(dialect, stream=False) if dialect.stream else None
    return None


def next_lower(dialect: Dialect) -> Dialect | None:
    """The same dialect one rung down; ``None`` from the lowest."""
    below = dialect.rung.below
    return None if below is None else replace(dialect, rung=below)


def response_format(rung: Rung, name: str, schema: Mapping[str, Any]) -> dict[str, Any] | None:
    """The field ``response_format`` of a request; ``None`` leaves it out."""
    match rung:
        case Rung.STRICT:
            wanted = {"name": name, "strict": True, "schema": schema}
            return {"type": "json_schema", "json_schema": wanted}
        case Rung.OBJECT:
            return {"type": "json_object"}
        case Rung.TEXT:
            return None


FILE = "model-dialects.json"
_KEPT = timedelta(days=30)  # after this time a server is probed again, because it may have improved


class DialectFile:
    """Stores the dialect of each model on each server, in a file of the data folder."""

    # A damaged or unwritable file costs a few refused requests, which are free: it is no error.

    def __init__(self, folder: Path, clock: Clock) -> None:
        self._file = folder / FILE
        self._clock = clock

    def recall(self, server: str, model: str) -> Dialect | None:
        """The dialect found in the last 30 days."""
        entry: Any = self._read().get(_key(server, model))
        try:
            stored_at = datetime.fromisoformat(entry["at"])
            if self._clock.now() - stored_at > _KEPT:
                return None
            fields = dict(entry["dialect"])
            return Dialect(**{**fields, "rung": Rung(fields["rung"])})
        except (KeyError, TypeError, ValueError):
            return None

    def keep(self, server: str, model: str, dialect: Dialect) -> None:
        """Add it to the file, which is complete at every moment."""
        entry = {"at": self._clock.now().isoformat(), "dialect": asdict(dialect)}
        text = json.dumps({**self._read(), _key(server, model): entry}, indent=1, sort_keys=True)
        with suppress(UnwritableFolder):
            write_whole(self._file, text)

    def _read(self) -> Mapping[str, Any]:
        try:
            data = json.loads(self._file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return data if isinstance(data, dict) else {}


def _key(server: str, model: str) -> str:
    return f"{server} {model}"
