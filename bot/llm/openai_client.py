"""The connection to a server, through the ``openai`` library, which is used nowhere else.

The library gets the configuration and nothing else: no key, address or header from the environment
(except proxies and certificates), no retries, and no redirect that would send a diff to another
host. Importing it takes over a second, so that is done in a thread. Replies are read from the JSON,
field by field: servers that call themselves compatible omit fields, fill them with another type, or
answer 200 with an error inside, and the library accepts all of that silently.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bot.config.model_section import ModelConfig
from bot.llm.response_format import response_format
from bot.llm.transport_values import (
    Ask,
    Finish,
    Hear,
    Metered,
    ModelFault,
    ModelResponse,
    Scrub,
    of_status,
    word,
)
from handlers.ports.model_port import ModelReason

if TYPE_CHECKING:
    from httpx2 import Request
    from openai import AsyncOpenAI

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
        model=word(_table(data).get("model")),
        refusal=word(message.get("refusal")),
        metered=metered(_table(data).get("usage")),
    )


def names(body: bytes) -> tuple[str, ...]:
    """The names in a list of models; empty if it is no such list."""
    try:
        listed = _table(json.loads(body)).get("data")
    except (ValueError, RecursionError):
        return ()
    ids = (word(_table(entry).get("id")) for entry in (listed if isinstance(listed, list) else ()))
    return tuple(name for name in ids if name)


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
        self._model = word(chunk.get("model")) or self._model
        self._metered = metered(chunk.get("usage")) or self._metered
        choice = _table(_first(chunk.get("choices")))
        delta = _table(choice.get("delta"))
        self._refusals.append(word(delta.get("refusal")))
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
        return "".join(word(_table(part).get("text")) for part in content)
    return word(content)


def finish(reason: Any, scrub: Scrub) -> Finish:
    """Why the server stopped. Raises :class:`ModelFault` if it reports an abort."""
    name = word(reason).lower()
    if name not in _FINISHES:
        # Such as DeepSeek's insufficient_system_resource, vLLM's abort, a router's error.
        raise broken(scrub(f"the server stopped writing: {name}"))
    return _FINISHES[name]


def metered(usage: Any) -> Metered | None:
    """The tokens that a server reports, if they are plausible."""
    fields = _table(usage)
    counted = _count(fields.get("prompt_tokens"))
    written = _count(fields.get("completion_tokens"))
    if counted is None or written is None or counted + written == 0:
        return None
    # DeepSeek has its own field for cached tokens.
    cached = _count(_table(fields.get("prompt_tokens_details")).get("cached_tokens"))
    cached = _count(fields.get("prompt_cache_hit_tokens")) if cached is None else cached
    return Metered(input=counted, output=written, cached=min(counted, cached or 0))


def _error(data: Any, scrub: Scrub) -> str:
    error = _table(data).get("error")
    words = _table(error).get("message") or error
    return scrub(f": {words}") if words else ""


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, list) and value else None


def _table(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: Any) -> int | None:
    plausible = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**40
    return value if plausible else None


# At debug level these log whole requests, and with them other people's code.
_TALKATIVE = ("openai", "httpx2", "httpcore2")

# All headers of a request besides the key. The library adds data about the machine and whatever
# OPENAI_CUSTOM_HEADERS, OPENAI_ORG_ID and OPENAI_PROJECT_ID say, which is meant for another server.
_HEADERS = frozenset(
    {
        "accept",
        "accept-encoding",
        "connection",
        "content-length",
        "content-type",
        "host",
        "transfer-encoding",
        "x-stainless-raw-response",  # tells the library how to treat the answer
    }
)


class OpenAITransport:
    """A connection to one server. Every method raises only :class:`ModelFault`."""

    def __init__(self, config: ModelConfig) -> None:
        self._config = config
        self._key = config.key.get_secret_value() if config.key else ""
        self._scrub = Scrub(self._key)
        self._client: AsyncOpenAI | None = None
        self._opening = asyncio.Lock()

    async def warm(self) -> None:
        """Load the library before it is needed."""
        await self._client_of_loop()

    async def send(self, ask: Ask, hear: Hear | None = None) -> ModelResponse:
        """Ask once. With ``hear``, if the dialect streams, pieces are passed on as they arrive."""
        client = await self._client_of_loop()
        try:
            if hear is not None and ask.dialect.stream:
                return await self._stream(client, ask, hear)
            raw = await client.chat.completions.with_raw_response.create(**self.body(ask))
            return answer(raw.http_response.content, self._scrub)
        except _known_errors() as error:
            fault = self._fault(error)
        # Raised outside the handler: the library's error holds the request, and that holds the key.
        raise fault

    async def models(self) -> Sequence[str]:
        """The names of the models that the server lists; empty if it has no list."""
        client = await self._client_of_loop()
        try:
            raw = await client.models.with_raw_response.list()
            return names(raw.http_response.content)
        except _known_errors() as error:
            fault = self._fault(error)
        raise fault

    async def aclose(self) -> None:
        """Close connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _client_of_loop(self) -> AsyncOpenAI:
        async with self._opening:
            if self._client is None:
                await asyncio.to_thread(importlib.import_module, "openai.resources.chat")
                self._client = self._open()
            return self._client

    def _open(self) -> AsyncOpenAI:
        import httpx2
        from openai import AsyncOpenAI

        for name in _TALKATIVE:
            logging.getLogger(name).setLevel(logging.WARNING)
        config = self._config
        timeout = httpx2.Timeout(config.timeout, connect=config.connect_timeout)
        # One more than the slots, for a concurrent probe.
        most = config.concurrency + 1
        return AsyncOpenAI(
            # The library insists on a key, and would look for one in the environment.
            api_key=self._key or "none",
            base_url=config.base_url,
            timeout=timeout,
            max_retries=0,
            http_client=httpx2.AsyncClient(
                timeout=timeout,
                limits=httpx2.Limits(max_connections=most, max_keepalive_connections=most),
                follow_redirects=False,
                event_hooks={"request": [self._dress]},
            ),
        )

    async def _dress(self, request: Request) -> None:
        """Leave only the necessary headers on a request, and the key if there is one."""
        for name in [*request.headers]:
            if name not in _HEADERS:
                del request.headers[name]
        request.headers["user-agent"] = "digestbot"
        if self._key:
            request.headers["authorization"] = f"Bearer {self._key}"

    def body(self, ask: Ask) -> dict[str, Any]:
        """The fields of a request; equal asks give the same fields in the same order."""
        config = self._config
        body: dict[str, Any] = {
            "model": config.name,
            "messages": [{"role": m.role.value, "content": m.text} for m in ask.messages],
            ask.dialect.limit: ask.output_tokens,
        }
        if config.temperature is not None and ask.dialect.temperature:
            body["temperature"] = config.temperature
        if ask.schema is not None:
            wanted = response_format(ask.dialect.rung, ask.name, ask.schema)
            if wanted is not None:
                body["response_format"] = wanted
        if config.extra:
            body["extra_body"] = config.extra
        return body

    async def _stream(self, client: AsyncOpenAI, ask: Ask, hear: Hear) -> ModelResponse:
        body = self.body(ask) | {"stream": True}
        if ask.dialect.usage:
            body["stream_options"] = {"include_usage": True}
        gathering = Gathering(self._scrub)
        completions = client.chat.completions.with_streaming_response
        async with completions.create(**body) as raw:
            if "json" in raw.headers.get("content-type", ""):
                # The server answered without streaming.
                return answer(await raw.read(), self._scrub)
            async for chunk in await raw.parse():
                # Chunks of another shape need no warning: the parser handles them.
                is_table = hasattr(chunk, "to_dict")
                if piece := gathering.add(chunk.to_dict(warnings=False) if is_table else chunk):
                    hear(piece)
        return gathering.close()

    def _fault(self, error: Exception) -> ModelFault:
        import httpx2
        import openai

        if isinstance(error, openai.APIStatusError):
            response = error.response
            return of_status(response.status_code, response.headers, response.content, self._scrub)
        cause = error.__cause__ or error
        words = self._scrub(f"{type(cause).__name__}: {cause}")
        unsent = (
            httpx2.ConnectError,
            httpx2.ConnectTimeout,
            httpx2.PoolTimeout,
            httpx2.ProxyError,
            httpx2.UnsupportedProtocol,
        )
        if isinstance(cause, unsent):
            return ModelFault(reason=ModelReason.UNAVAILABLE, detail=words)
        if isinstance(error, openai.APITimeoutError):
            return ModelFault(reason=ModelReason.TIMEOUT, detail=words, charged=True)
        return broken(words)


def _known_errors() -> tuple[type[Exception], ...]:
    """The exceptions of the library: its own, and those of its dependencies that it passes on."""
    import httpx2
    import openai

    return (openai.OpenAIError, httpx2.HTTPError, httpx2.StreamError, ValueError)
