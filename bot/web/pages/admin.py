"""The admin pages: signing in, the office, and sending again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from bot.web.pages.asked import Asked
from bot.web.pages.office import Office
from bot.web.pages.replying import headers_of
from bot.web.pages.session import Attempts, Sessions, form_of
from bot.web.pages.templating import rendered

PATH = "/admin"
SIGN_IN = f"{PATH}/sign-in"

Read = Callable[[Request], Asked]
_Answer = Callable[[Request], Awaitable[Response]]


class Admin:
    """The admin pages of a shelf."""

    def __init__(self, sessions: Sessions, read: Read, office: Office | None) -> None:
        """``read`` makes of a request what is asked for; without an office one only signs in."""
        self._sessions = sessions
        self._read = read
        self._office = office
        self._attempts = Attempts()

    def routes(self) -> list[BaseRoute]:
        """Where they stand; none where nobody can sign in."""
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
            delivered=await office.delivered(),
            failed=await office.failed(),
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
        """Only for those who signed in, and by our own forms."""

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
        # Not compressed: a page that holds a secret and what others wrote would tell the secret by
        # its length (https://www.breachattack.com/).
        asked = self._read(request)
        pieces = rendered(
            template,
            asked,
            title=PATH,
            form_token=self._sessions.form_token(request),
            **values,
        )
        body = "".join(pieces).encode("utf-8", "replace")
        return Response(body, status, headers_of(kept=False), "text/html; charset=utf-8")


def _seen_other(path: str) -> RedirectResponse:
    return RedirectResponse(path, HTTPStatus.SEE_OTHER, headers_of(kept=False))
