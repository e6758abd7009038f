"""The connection to a server, through the ``openai`` library, which is used nowhere else.

The library gets the configuration and nothing else: no key, address or header from the environment
(except proxies and certificates, which belong to the machine), no retries, and no redirect that
would send a diff to another host. Importing it takes over a second, so that is done in a thread, at
the first use or by :meth:`OpenAITransport.warm`.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bot.config.model_section import ModelConfig
from bot.llm import completion
from bot.llm.response_format import response_format
from bot.llm.transport_values import Ask, Hear, ModelFault, ModelResponse, Scrub, of_status
from handlers.ports.model_port import ModelMessage, ModelReason

if TYPE_CHECKING:
    from httpx2 import Request
    from openai import AsyncOpenAI


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
    """Implements ``ModelTransport``."""

    def __init__(self, config: ModelConfig) -> None:
        self._config = config
        self._key = config.key.get_secret_value() if config.key else ""
        self._scrub = Scrub(self._key)
        self._client: AsyncOpenAI | None = None
        self._opening = asyncio.Lock()

    async def warm(self) -> None:
        """Load the library before it is needed."""
        await self._opened()

    async def send(self, ask: Ask, hear: Hear | None = None) -> ModelResponse:
        """Ask once."""
        client = await self._opened()
        try:
            if hear is not None and ask.dialect.stream:
                return await self._streamed(client, ask, hear)
            raw = await client.chat.completions.with_raw_response.create(**self.body(ask))
            return completion.answer(raw.http_response.content, self._scrub)
        except _expected() as error:
            fault = self._fault(error)
        # Raised outside the handler: the library's error holds the request, and that holds the key.
        raise fault

    async def models(self) -> Sequence[str]:
        """The names of the models that the server lists; empty if it has no list."""
        client = await self._opened()
        try:
            raw = await client.models.with_raw_response.list()
            return completion.names(raw.http_response.content)
        except _expected() as error:
            fault = self._fault(error)
        raise fault

    async def aclose(self) -> None:
        """Close connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _opened(self) -> AsyncOpenAI:
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
            "messages": [_turn(message) for message in ask.messages],
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

    async def _streamed(self, client: AsyncOpenAI, ask: Ask, hear: Hear) -> ModelResponse:
        body = self.body(ask) | {"stream": True}
        if ask.dialect.usage:
            body["stream_options"] = {"include_usage": True}
        gathering = completion.Gathering(self._scrub)
        completions = client.chat.completions.with_streaming_response
        async with completions.create(**body) as raw:
            if "json" in raw.headers.get("content-type", ""):
                # The server answered without streaming.
                return completion.answer(await raw.read(), self._scrub)
            async for chunk in await raw.parse():
                # Chunks of another shape need no warning: the parser handles them.
                is_table = hasattr(chunk, "to_dict")
                if piece := gathering.add(chunk.to_dict(warnings=False) if is_table else chunk):
                    hear(piece)
        return gathering.close()

    def _fault(self, error: Exception) -> ModelFault:
        """The fault for an error of the library."""
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
        return completion.broken(words)


def _expected() -> tuple[type[Exception], ...]:
    """The exceptions of the library: its own, and those of its dependencies that it passes on."""
    import httpx2
    import openai

    return (openai.OpenAIError, httpx2.HTTPError, httpx2.StreamError, ValueError)


def _turn(message: ModelMessage) -> dict[str, str]:
    return {"role": message.role.value, "content": message.text}
