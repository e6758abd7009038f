"""The connection to a server, through the ``openai`` library; it is named nowhere else.

The library is given what is configured and nothing of its own: no key, address or header of the
environment (but proxies and certificates, which are the machine's), no repeating, no redirect that
would carry a diff to another host. Importing it takes more than a second, so that happens in a
thread, at the first use or when :meth:`OpenAITransport.warm` says.
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


# At the level of debugging these log whole requests, and with them other people's code.
_TALKATIVE = ("openai", "httpx2", "httpcore2")

# All that a request carries beside the key. The library adds what machine it runs on, and whatever
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
        "x-stainless-raw-response",  # by it the library knows what to make of the answer
    }
)


class OpenAITransport:
    """Implements ``Transport``."""

    def __init__(self, config: ModelConfig) -> None:
        self._config = config
        self._key = config.key.get_secret_value() if config.key else ""
        self._scrub = Scrub(self._key)
        self._client: AsyncOpenAI | None = None
        self._opening = asyncio.Lock()

    async def warm(self) -> None:
        """Have the library ready before it is needed."""
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
        # Raised out here, since the library's error carries the request, and that the key.
        raise fault

    async def models(self) -> Sequence[str]:
        """The names of the models that the server lists; none where it keeps no list."""
        client = await self._opened()
        try:
            raw = await client.models.with_raw_response.list()
            return completion.names(raw.http_response.content)
        except _expected() as error:
            fault = self._fault(error)
        raise fault

    async def aclose(self) -> None:
        """Let go of connections."""
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
        # One more than the slots, for a probe beside them.
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
        """Leave a request the headers that it needs, and the key where there is one."""
        for name in [*request.headers]:
            if name not in _HEADERS:
                del request.headers[name]
        request.headers["user-agent"] = "digestbot"
        if self._key:
            request.headers["authorization"] = f"Bearer {self._key}"

    def body(self, ask: Ask) -> dict[str, Any]:
        """The fields of a request, the same ones in the same order for the same ask."""
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
                # The server does not stream, and did not say so.
                return completion.answer(await raw.read(), self._scrub)
            async for chunk in await raw.parse():
                # Chunks of another shape are no news worth a warning: the gathering sorts them out.
                is_table = hasattr(chunk, "to_dict")
                if piece := gathering.add(chunk.to_dict(warnings=False) if is_table else chunk):
                    hear(piece)
        return gathering.close()

    def _fault(self, error: Exception) -> ModelFault:
        """What an error of the library means."""
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
    """What the library raises: errors of its own, and of its parts that it lets through."""
    import httpx2
    import openai

    return (openai.OpenAIError, httpx2.HTTPError, httpx2.StreamError, ValueError)


def _turn(message: ModelMessage) -> dict[str, str]:
    return {"role": message.role.value, "content": message.text}
