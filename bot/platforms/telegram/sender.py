"""Telegram as a platform: posting, and receiving by polling or by webhook calls.

A call without the secret that the webhook was set with is not read. A call is acknowledged once it
is stored; Telegram repeats a call that was not answered with 2xx.
https://core.telegram.org/bots/api#setwebhook
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections import Counter
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import aclosing
from dataclasses import field
from http import HTTPStatus
from typing import TYPE_CHECKING

import structlog

from bot.messaging.inbox import Arrival, Inbox, Keep, Unkept, hearing
from bot.messaging.rates import Pace, Rate, TooBusy
from bot.messaging.receiver import AsgiReceive, AsgiScope, AsgiSend, Ear, Incoming, body_of, reply
from bot.messaging.sender import CHAIN, Ability, Part, Receipt, SendError, SendReason
from bot.platforms.telegram.escaping import inert
from bot.platforms.telegram.layout import lay_out
from bot.platforms.telegram.menu import ChatPlace, place_of
from bot.platforms.telegram.message_parts import LIMIT, pack
from bot.util.sanitize import legible
from digest.document import Document
from digest.frozen import frozen

if TYPE_CHECKING:
    from bot.platforms.telegram.client import Client
    from bot.platforms.telegram.receiver import PollTiming
    from bot.util.chart_image import Picture

log = structlog.get_logger(__name__)

# The longest wait for the rate limit, in seconds: before a call is begun, and within one, whose
# caller takes a long silence for a platform that does not answer.
_PATIENT, _SOON = 60.0, 10.0


@frozen
class Rates:
    """Telegram's rate limits: https://core.telegram.org/bots/faq (broadcasting, limits)."""

    # 30 messages a second in total, of which answers may take two beside the posts; one a second to
    # a chat; 20 a minute to a group. Each leaves a small margin for requests that overtake others.

    posts: Rate
    answers: Rate
    chat: Rate
    group: Rate


RATES = Rates(
    posts=Rate(count=1, seconds=1 / 27),
    answers=Rate(count=2, seconds=1.0),
    chat=Rate(count=1, seconds=1.05),
    group=Rate(count=20, seconds=60.5),
)


@frozen
class TelegramAccount:
    """How to reach the account."""

    token: str = field(repr=False)
    api: str
    listens: bool = True  # whether this process receives; a token has one receiver
    webhook: str = ""  # where Telegram reaches it, empty for long polling
    answer: float = 20.0  # the wait for the answer to a call, in seconds
    rates: Rates = RATES
    rhythm: PollTiming | None = None


_CAPTION = 200
"""Characters; https://core.telegram.org/bots/api#sendphoto takes 1024, and a title is a line."""


class Telegram:
    """One bot account."""

    # A bot cannot read a chat's history, and no call takes an idempotency key. If the answer to a
    # call is lost, it is therefore unknown whether the message was posted: the delivery treats it
    # as sent, or sends it again, as the channel's ``promise`` says.

    name = "telegram"
    limit = LIMIT
    abilities = frozenset({Ability.EDIT})

    def __init__(self, account: TelegramAccount) -> None:
        self._account = account
        hooked = account.listens and account.webhook
        self.inbox = Inbox()
        self.web = TelegramWebhook(secret_of(account.token), self._keep) if hooked else None
        self.ear = Ear()
        self._pace = Pace(account.rates.posts, account.rates.answers)
        self._turns: Counter[int | str] = Counter()
        self._opened: Client | None = None
        self._background: set[asyncio.Task[None]] = set()

    @property
    def paces(self) -> Mapping[str, Pace]:
        """As :class:`bot.messaging.Bounded`."""
        return {"": self._pace}

    def render(self, document: Document) -> tuple[Part, ...]:
        """Messages of text and entities, each with its buttons below it."""
        title = inert(legible(document.title)).strip()
        return pack(lay_out(document), title[:200] or "—")

    async def ready(self, chat: str, *, answer: bool = False) -> None:
        """Wait for the rate limit; the next ``send`` to the chat uses the turn."""
        place, _ = place_of(chat), self._client  # slow steps come before the turn
        await self._turn(place, answer=answer, longest=_PATIENT)
        self._turns[place.chat] += 1

    async def send(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt:
        """Post once. If the markup is refused, the plain text is sent.

        A refused message does not exist.

        ``reply_to`` quotes the message that is answered.
        """
        from bot.platforms.telegram.client import Content

        place, client = place_of(chat), self._client
        if self._turns[place.chat]:
            self._turns[place.chat] -= 1
        else:
            await self._turn(place, answer=True)
        answered = _message(reply_to) if reply_to else None
        try:
            content = Content.parse(part.body)
            posted = await client.post(place, content, answered, silent=part.silent)
        except SendError as error:
            self._slow_down(place, error)
            raise
        return Receipt(message=str(posted), thread=f"{CHAIN}{posted}")

    async def edit(self, chat: str, receipt: Receipt, part: Part) -> Receipt:
        """Replace the content of our message; unchanged content is no error."""
        from bot.platforms.telegram.client import Content

        place, message = place_of(chat), _message(receipt)
        if message is None:
            raise SendError(SendReason.REJECTED, "the message has no number")
        await self._turn(place, answer=True, edit=True)
        try:
            await self._client.edit(place, message, Content.parse(part.body))
        except SendError as error:
            self._slow_down(place, error)
            raise
        return receipt

    async def show(self, chat: str, picture: Picture, below: Receipt) -> None:
        """As :class:`bot.messaging.Pictured`: a photo that answers the message."""
        place, client = place_of(chat), self._client
        if self._turns[place.chat]:
            self._turns[place.chat] -= 1
        else:
            await self._turn(place, answer=True)
        caption = inert(legible(picture.title)).strip()[:_CAPTION]
        await client.post_photo(place, picture.png, caption, _message(below))

    async def find(self, chat: str, part: Part, reply_to: Receipt | None = None) -> Receipt | None:  # noqa: ARG002  # not possible at all
        """Not possible."""
        raise SendError(SendReason.UNSUPPORTED, "a bot cannot read a chat back")

    async def probe(self, chat: str) -> str:
        """Check that the token is valid, the chat exists, and the bot may post in it."""
        return await self._client.look(place_of(chat))

    async def external(self, chat: str) -> bool:
        """Whether everybody can read the chat; true if Telegram does not tell."""
        try:
            return await self._client.is_public(place_of(chat))
        except SendError:
            return True

    async def aclose(self) -> None:
        """Close the connections."""
        for task in [*self._background]:
            task.cancel()
        await asyncio.gather(*self._background, return_exceptions=True)
        if self._opened is not None:
            await self._opened.aclose()

    async def listen(self) -> AsyncIterator[Incoming]:
        """Messages and button presses. Ends at once if listening is disabled."""
        if not self._account.listens:
            return
        from bot.platforms.telegram.client import update_of
        from bot.platforms.telegram.receiver import incoming

        me = await self._client.me()
        bringing = await self._bringing()
        self._behind(self._client.set_menus(), "telegram.no_menus")
        log.info("telegram.listening", bot=me.name, by="webhook" if self.web else "polling")
        # With a webhook, receiving works from now on; with polling, once the first request is under
        # way.
        self.ear.hears()

        async def read(arrival: Arrival) -> Incoming | None:
            update = update_of(arrival.content)
            if update is None:
                return None
            # Answer a press at once, since the app shows it as waiting; follow a group that moved.
            if press := update.callback_query:
                self._behind(self._client.acknowledge(press.id), "telegram.press_unanswered")
            message = update.message
            if message and message.migrate_to_chat_id:
                self._client.follow(message.chat.id, message.migrate_to_chat_id)
            return incoming(update, me, arrival.at)

        async with aclosing(hearing(self.inbox, read, bringing, self.ear)) as heard:
            async for one in heard:
                yield one

    async def _keep(self, content: str) -> None:
        """Store an update. Raises ``Unkept``."""
        await self.inbox.put(content)

    async def _bringing(self) -> Coroutine[None, None, None] | None:
        """The task that fetches updates; ``None`` if Telegram calls us."""
        from bot.platforms.telegram.receiver import Poller
        from bot.platforms.telegram.receiver import PollTiming as Rhythm

        if self.web is not None:
            await self._client.set_webhook(self._account.webhook, secret_of(self._account.token))
            return None
        if host := await self._client.drop_webhook():
            log.warning("telegram.webhook_removed", host=host)
        rhythm = self._account.rhythm or Rhythm()
        return Poller(self._client, rhythm, self._keep, self.ear).run()

    def _behind(self, call: Coroutine[None, None, None], event: str) -> None:
        """Start a call that nobody waits for; log ``event`` if it fails."""

        async def guarded() -> None:
            try:
                await call
            except SendError as error:
                log.warning(event, error=str(error))

        task = asyncio.create_task(guarded())
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    @property
    def _client(self) -> Client:
        """The library's client, made at the first call: a command that only renders needs none."""
        if self._opened is None:
            from bot.platforms.telegram.client import Client

            account = self._account
            self._opened = Client(account.token, account.api, account.answer)
        return self._opened

    async def _turn(
        self, place: ChatPlace, *, answer: bool, edit: bool = False, longest: float = _SOON
    ) -> None:
        """Wait for the rate limit. Edits are no new messages, so a group's limit ignores them."""
        rates = self._account.rates
        limits = [rates.chat, rates.group] if place.is_group and not edit else [rates.chat]
        try:
            await self._pace.turn(str(place.chat), limits, answer=answer, longest=longest)
        except TooBusy as busy:
            detail = "the chat has reached its message limit for now"
            raise SendError(SendReason.RATE_LIMITED, detail, retry_after=busy.wait) from None

    def _slow_down(self, place: ChatPlace, error: SendError) -> None:
        if error.retry_after:
            self._pace.hold(str(place.chat), error.retry_after)


def _message(receipt: Receipt) -> int | None:
    """The number of a message; old or foreign receipts may have none."""
    return int(receipt.message) if receipt.message.isdecimal() else None


_HEADER = b"x-telegram-bot-api-secret-token"


def secret_of(token: str) -> str:
    """64 letters that only Telegram knows, the same in every process of the account."""
    return hmac.new(token.encode(), b"digestbot webhook", hashlib.sha256).hexdigest()


class TelegramWebhook:
    """Receives calls and stores their updates."""

    def __init__(self, secret: str, keep: Keep) -> None:
        self._secret = secret.encode()
        self._keep = keep

    async def __call__(self, scope: AsgiScope, receive: AsgiReceive, send: AsgiSend) -> None:
        """Answer one call: 401 and nothing else if Telegram did not send it."""
        if scope["type"] == "http":
            await reply(send, await self._status(scope, receive))

    async def _status(self, scope: AsgiScope, receive: AsgiReceive) -> HTTPStatus:
        given = [value for name, value in scope["headers"] if name.lower() == _HEADER]
        if len(given) != 1 or not hmac.compare_digest(given[0], self._secret):
            return HTTPStatus.UNAUTHORIZED
        if scope["method"] != "POST":
            return HTTPStatus.METHOD_NOT_ALLOWED
        body = await body_of(receive)
        if body is None:
            return HTTPStatus.REQUEST_ENTITY_TOO_LARGE
        try:
            text = body.decode()
            json.loads(text)
        except ValueError:
            return HTTPStatus.BAD_REQUEST
        try:
            await self._keep(text)
        except Unkept:
            return HTTPStatus.SERVICE_UNAVAILABLE
        return HTTPStatus.OK
