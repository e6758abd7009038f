"""The admin pages: sign-in, channels, deliveries, costs, masked configuration, resending."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from bot.scheduler.schedule import next_run
from bot.store.analyses import Cost, SqlCalls
from bot.store.digests import mark_of
from bot.telemetry.logs import Redaction
from bot.util.page_links import digest_path
from bot.web.pages.page_request import PageRequest
from bot.web.pages.response import headers_of
from bot.web.pages.session import Attempts, Sessions, form_of
from bot.web.pages.templating import render_pieces
from digest.frozen import frozen
from handlers.ports.storage import Clock

if TYPE_CHECKING:
    from bot.config.reader import Config
    from bot.delivery.delivery import Wake
    from bot.store.deliveries import SqlDeliveries, SqlUncertainDeliveries
    from bot.subscriptions.channel_registry import ChannelRegistry, Subscription

_SHOWN = 50
_DAYS = 30
_SLOT = 3  # the position of the slot in a digest's name; see bot.publishing.slots.name_of
_PLAIN_LIST = re.compile(r"\[\n[^\[\]{}]*\]")
"""A JSON list without nested lists or objects, and without strings that hold such brackets."""


@frozen
class AdminData:
    """The data of the admin pages; ``wake`` has a channel served at once."""

    channels: ChannelRegistry
    deliveries: SqlDeliveries
    doubts: SqlUncertainDeliveries
    calls: SqlCalls
    clock: Clock
    config: Config
    wake: Wake | None = None

    async def due(self) -> list[tuple[datetime, Subscription]]:
        """The active channels with their next run in their own zone, the next due first."""
        now = self.clock.now()
        posts = [(next_run(one.spec, now), one) for one in await self.channels.current()]
        posts.sort(key=lambda due: (due[0], due[1].name))
        return [(at.astimezone(post.spec.zone), post) for at, post in posts]

    async def again(self, delivery: int) -> int:
        """Resend the uncertain parts of a delivery; returns their number."""
        count = await self.doubts.again(delivery)
        if count and self.wake is not None:
            await self.wake(await self.doubts.channel_of(delivery))
        return count

    async def costs(self) -> Sequence[Cost]:
        """Recent model costs, the latest day first."""
        now = self.clock.now()
        costs = await self.calls.costs(now - timedelta(days=_DAYS), now + timedelta(seconds=1))
        return sorted(costs, key=lambda cost: cost.day, reverse=True)

    def configuration(self) -> str:
        """The configuration in effect as JSON text, with every secret masked."""
        told = json.dumps(_told(self.config), indent=2, ensure_ascii=False, default=str)
        return Redaction(self.config.secrets()).text(_PLAIN_LIST.sub(_in_a_line, told))


def _in_a_line(match: re.Match[str]) -> str:
    return re.sub(r"\n\s*", " ", match[0]).replace("[ ", "[").replace(" ]", "]")


def digest_words(name: str) -> tuple[str, str]:
    """What a digest is called, such as ``owner/name 2026-03-02``, and the path of its page."""
    parts = name.split(":")
    words = f"{parts[1]} {parts[3]}" if len(parts) > _SLOT else name
    return words, digest_path(mark_of(name))


def _told(config: Config) -> dict[str, Any]:
    sections = {
        "logs": config.logs,
        "defaults": config.defaults,
        "model": config.model,
        "access": config.access,
        "web": config.web,
    }
    return {
        "file": str(config.file),
        "data": str(config.data),
        **{name: one.model_dump(mode="json") for name, one in sections.items() if one is not None},
        "repositories": [one.model_dump(mode="json") for one in config.repositories],
        "platforms": {
            name: {"kind": one.kind, **one.settings.model_dump(mode="json")}
            for name, one in config.platforms.items()
        },
        "channels": [one.model_dump(mode="json") for one in config.channels],
    }


PATH = "/admin"
SIGN_IN = f"{PATH}/sign-in"
Read = Callable[[Request], PageRequest]
_Answer = Callable[[Request], Awaitable[Response]]


class Admin:
    """The admin pages of a site."""

    def __init__(self, sessions: Sessions, read: Read, office: AdminData | None) -> None:
        """``read`` parses a request. Without ``office`` only signing in is possible."""
        self._sessions = sessions
        self._read = read
        self._office = office
        self._attempts = Attempts()

    def routes(self) -> list[BaseRoute]:
        """The routes of the admin pages; none if nobody can sign in."""
        if not self._sessions.possible:
            return []
        return [
            Route(SIGN_IN, self._door, methods=["GET"]),
            Route(SIGN_IN, self._sign_in, methods=["POST"]),
            Route(f"{PATH}/sign-out", self._guarded(self._sign_out), methods=["POST"]),
            Route(f"{PATH}/again", self._guarded(self._again), methods=["POST"]),
            Route(PATH, self._look, methods=["GET"]),
        ]

    async def _door(self, request: Request) -> Response:
        return self._page(request, "sign_in.html", error="")

    async def _sign_in(self, request: Request) -> Response:
        client = request.client.host if request.client else ""
        if self._attempts.too_many(client):
            return self._page(
                request, "sign_in.html", HTTPStatus.TOO_MANY_REQUESTS, error="too_often"
            )
        form = await form_of(request)
        if not (self._sessions.from_here(request) and self._sessions.right(form.get("token", ""))):
            self._attempts.failed(client)
            return self._page(request, "sign_in.html", HTTPStatus.FORBIDDEN, error="wrong_token")
        response = _seen_other("/" if self._office is None else PATH)
        self._sessions.sign_in(response)
        return response

    async def _sign_out(self, _: Request, __: dict[str, str]) -> Response:
        response = _seen_other("/")
        self._sessions.sign_out(response)
        return response

    async def _look(self, request: Request) -> Response:
        if not self._sessions.signed_in(request):
            return _seen_other(SIGN_IN)
        if self._office is None:
            return _seen_other("/")
        office = self._office
        return self._page(
            request,
            "admin.html",
            due=await office.due(),
            delivered=await office.deliveries.newest(_SHOWN),
            failed=await office.doubts.newest(_SHOWN),
            digest_words=digest_words,
            costs=await office.costs(),
            configuration=office.configuration(),
            done="again" in request.query_params,
        )

    async def _again(self, _: Request, form: dict[str, str]) -> Response:
        number = form.get("delivery", "")
        if self._office is None or not (number.isascii() and number.isdigit()):
            return Response(status_code=HTTPStatus.BAD_REQUEST, headers=headers_of(kept=False))
        await self._office.again(int(number[:18]))
        return _seen_other(f"{PATH}?again=1")

    def _guarded(self, answer: Callable[[Request, dict[str, str]], Awaitable[Response]]) -> _Answer:
        """Restrict an endpoint to signed-in readers and to our own forms."""

        async def answered(request: Request) -> Response:
            form = await form_of(request)
            if not self._sessions.signed_in(request):
                return _seen_other(SIGN_IN)
            if not self._sessions.own_form(request, form):
                return self._page(request, "sign_in.html", HTTPStatus.FORBIDDEN, error="expired")
            return await answer(request, form)

        return answered

    def _page(
        self, request: Request, template: str, status: int = HTTPStatus.OK, **values: object
    ) -> Response:
        # Not compressed: in a page that holds both a secret and text of others, the compressed
        # length would reveal the secret (https://www.breachattack.com/).
        asked = self._read(request)
        pieces = render_pieces(
            template, asked, title=PATH, form_token=self._sessions.form_token(request), **values
        )
        body = "".join(pieces).encode("utf-8", "replace")
        return Response(body, status, headers_of(kept=False), "text/html; charset=utf-8")


def _seen_other(path: str) -> RedirectResponse:
    return RedirectResponse(path, HTTPStatus.SEE_OTHER, headers_of(kept=False))
