"""Sign-in with the token: a signed cookie, and forms that only our own pages can send.

The cookie holds its expiry and a random number, signed with the token: no sessions are stored, and
a new token ends them all. The rules are those of
https://cheatsheetseries.owasp.org/cheatsheets/Session_Management_Cheat_Sheet.html and
.../Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import time
from urllib.parse import parse_qs, urlsplit

from pydantic import SecretStr
from starlette.requests import Request
from starlette.responses import Response

from bot.messaging.rates import Rate, RateWindow

COOKIE = "digestbot_session"
LASTS = 12 * 3600  # seconds that a reader stays signed in
_EACH = Rate(count=5, seconds=60)
_ALL = Rate(count=60, seconds=60)
_MOST_CLIENTS = 1024
_LARGEST_FORM = 4096


class Sessions:
    """Signed-in readers. Without a token nobody is signed in."""

    def __init__(self, token: SecretStr | None, public_url: str = "") -> None:
        self._key = token.get_secret_value().encode() if token else b""
        self._public = urlsplit(public_url).netloc
        self._secure = public_url.startswith("https://")

    @property
    def possible(self) -> bool:
        """Whether anybody can sign in."""
        return bool(self._key)

    def right(self, given: str) -> bool:
        """Whether this is the token; compared in constant time."""
        return self.possible and hmac.compare_digest(_hashed(given.encode()), _hashed(self._key))

    def signed_in(self, request: Request) -> bool:
        """Whether the request comes from a signed-in reader whose session has not expired."""
        ends, _, rest = request.cookies.get(COOKIE, "").partition(".")
        number, _, signature = rest.partition(".")
        if not (self.possible and ends.isascii() and ends.isdigit()):
            return False
        right = hmac.compare_digest(signature.encode(), self._sign(f"{ends}.{number}").encode())
        return right and time.time() < int(ends[:12])

    def sign_in(self, response: Response) -> None:
        """Sign the reader in.

        The cookie is sent when a link in a chat is followed (``lax``), but not with other sites'
        forms.
        """
        told = f"{int(time.time()) + LASTS}.{secrets.token_urlsafe(16)}"
        response.set_cookie(
            COOKIE,
            f"{told}.{self._sign(told)}",
            max_age=LASTS,
            secure=self._secure,
            httponly=True,
            samesite="lax",
        )

    def sign_out(self, response: Response) -> None:
        """Sign the reader out."""
        response.delete_cookie(COOKIE, secure=self._secure, httponly=True, samesite="lax")

    def form_token(self, request: Request) -> str:
        """The secret that forms of this session contain."""
        return self._sign("form " + request.cookies.get(COOKIE, ""))

    def own_form(self, request: Request, form: dict[str, str]) -> bool:
        """Whether a form was sent by one of our pages in the same session."""
        given = form.get("form", "").encode()
        return self.from_here(request) and hmac.compare_digest(
            given, self.form_token(request).encode()
        )

    def from_here(self, request: Request) -> bool:
        """Whether a request was not initiated by another site."""
        origin = request.headers.get("origin")
        if origin is None:
            return request.headers.get("sec-fetch-site", "same-origin") in {"same-origin", "none"}
        host = urlsplit(origin).netloc
        return bool(host) and host in {request.headers.get("host", ""), self._public}

    def _sign(self, text: str) -> str:
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()


class Attempts:
    """Recent failed sign-ins, for each client and in total."""

    def __init__(self) -> None:
        self._all = RateWindow(_ALL)
        self._clients: dict[str, RateWindow] = {}

    def too_many(self, client: str) -> bool:
        """Whether the client has to wait."""
        now = time.monotonic()
        mine = self._clients.get(client)
        return self._all.free_at() > now or (mine is not None and mine.free_at() > now)

    def failed(self, client: str) -> None:
        """Count an attempt; if there are too many clients, the oldest are dropped."""
        now = time.monotonic()
        self._all.take(now)
        self._clients.setdefault(client, RateWindow(_EACH)).take(now)
        while len(self._clients) > _MOST_CLIENTS:
            del self._clients[next(iter(self._clients))]


async def form_of(request: Request) -> dict[str, str]:
    """The fields of a form, the last of each name; empty if it is too large to be ours."""
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > _LARGEST_FORM:
            return {}
    fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20)
    return {name: values[-1] for name, values in fields.items()}


def _hashed(text: bytes) -> bytes:
    return hashlib.sha256(text).digest()
