"""Parses chat completions, checking every field.

Servers that call themselves compatible omit fields, fill them with ``null`` or another type, or
answer 200 with an error inside. The library's own classes accept all of that silently, so the JSON
is read directly.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bot.llm.transport_values import Finish, Metered, ModelFault, ModelResponse, Scrub
from handlers.ports.model_port import ModelReason

_FINISHES = {
    "stop": Finish.STOP,
    "eos": Finish.STOP,
    "end_turn": Finish.STOP,
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "content_filter": Finish.FILTER,
    "safety": Finish.FILTER,
    "sensitive": Finish.FILTER,
    "": Finish.NONE,
}


def answer(body: bytes, scrub: Scrub) -> ModelResponse:
    """The response in the body of a completion. Raises :class:`ModelFault` with ``BROKEN``."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise broken("the answer is not JSON") from None
    choice = _table(_first(_table(data).get("choices")))
    message = _table(choice.get("message"))
    if not message:
        raise broken(f"the response has no message{_error(data, scrub)}")
    return ModelResponse(
        text=text(message.get("content")),
        finish=finish(choice.get("finish_reason"), scrub),
        model=_word(_table(data).get("model")),
        refusal=_word(message.get("refusal")),
        metered=metered(_table(data).get("usage")),
    )


def names(body: bytes) -> tuple[str, ...]:
    """The names in a list of models; empty if it is no such list."""
    try:
        listed = _table(json.loads(body)).get("data")
    except (ValueError, RecursionError):
        return ()
    found = (_word(_table(one).get("id")) for one in (listed if isinstance(listed, list) else ()))
    return tuple(name for name in found if name)


class Gathering:
    """Combines the chunks of a stream into a response."""

    def __init__(self, scrub: Scrub) -> None:
        self._scrub = scrub
        self._pieces: list[str] = []
        self._refusals: list[str] = []
        self._finish = Finish.NONE
        self._model = ""
        self._metered: Metered | None = None

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._pieces)

    def add(self, data: Any) -> str:
        """The text that a chunk adds. Raises :class:`ModelFault`."""
        chunk = _table(data)
        self._model = _word(chunk.get("model")) or self._model
        self._metered = metered(chunk.get("usage")) or self._metered
        choice = _table(_first(chunk.get("choices")))
        delta = _table(choice.get("delta"))
        self._refusals.append(_word(delta.get("refusal")))
        if choice.get("finish_reason"):
            self._finish = finish(choice["finish_reason"], self._scrub)
        piece = text(delta.get("content"))
        self._pieces.append(piece)
        return piece

    def close(self) -> ModelResponse:
        """The complete response. Raises :class:`ModelFault` if the stream ended early."""
        if self._finish is Finish.NONE:
            raise broken("the stream ended early")
        return ModelResponse(
            text=self.text,
            finish=self._finish,
            model=self._model,
            refusal="".join(self._refusals),
            metered=self._metered,
        )


def broken(detail: str) -> ModelFault:
    """A fault of the kind that may have cost money."""
    return ModelFault(reason=ModelReason.BROKEN, detail=detail, charged=True)


def text(content: Any) -> str:
    """The text of a message, which some servers send in parts."""
    if isinstance(content, list):
        return "".join(_word(_table(part).get("text")) for part in content)
    return _word(content)


def finish(reason: Any, scrub: Scrub) -> Finish:
    """Why the server stopped. Raises :class:`ModelFault` if it reports an abort."""
    name = _word(reason).lower()
    if name not in _FINISHES:
        # Such as DeepSeek's insufficient_system_resource, vLLM's abort, a router's error.
        raise broken(scrub(f"the server stopped writing: {name}"))
    return _FINISHES[name]


def metered(usage: Any) -> Metered | None:
    """The tokens that a server reports, if they are plausible."""
    found = _table(usage)
    counted = _count(found.get("prompt_tokens"))
    written = _count(found.get("completion_tokens"))
    if counted is None or written is None or counted + written == 0:
        return None
    # DeepSeek has its own field for cached tokens.
    cached = _count(_table(found.get("prompt_tokens_details")).get("cached_tokens"))
    cached = _count(found.get("prompt_cache_hit_tokens")) if cached is None else cached
    return Metered(input=counted, output=written, cached=min(counted, cached or 0))


def _error(data: Any, scrub: Scrub) -> str:
    error = _table(data).get("error")
    words = _table(error).get("message") or error
    return scrub(f": {words}") if words else ""


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _count(value: Any) -> int | None:
    plausible = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**40
    return value if plausible else None
