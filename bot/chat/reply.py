"""One answer as a message: a placeholder at first, edited until it is the answer.

If a platform cannot edit there is no placeholder, only the answer. Charts are posted as pictures
below it where the platform supports that. The answer has each chart as text too, so a picture is
tried only once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace

import structlog

from bot.delivery.part_sender import Patience
from bot.messaging import sender as messages
from bot.store.replies import MessageKey, Records, Stage
from bot.util.chart_image import picture_of
from digest.document import Chart, Document

log = structlog.get_logger(__name__)

_AGAIN = 3  # attempts at an edit whose outcome is unknown: repeating the same content does no harm


class ReplyMessage:
    """The message that answers one question."""

    # ``receipt`` is its proof once it is posted; ``answered`` says that it holds the answer,
    # ``told_before`` that it replaces an earlier answer.

    def __init__(
        self,
        sender: messages.Sender,
        key: MessageKey,
        records: Records,
        patience: Patience,
        reply_to: messages.Receipt | None = None,
        *,
        opens_thread: bool = False,
    ) -> None:
        """``opens_thread``: further parts go below the first, not below what is answered."""
        self.receipt: messages.Receipt | None = None
        self.answered = False
        self.told_before = False
        self._sender = sender
        self._key = key
        self._records = records
        self._patience = patience
        self._reply_to = reply_to
        self._opens_thread = opens_thread
        self._text = ""
        self._doubtful: messages.Part | None = None
        self._given_up = messages.Ability.EDIT not in sender.abilities

    @property
    def standing(self) -> bool:
        """Whether any of it is visible."""
        return self.receipt is not None

    def stands(self, receipt: messages.Receipt, *, told: bool = False) -> None:
        """Record that it was posted before, by any process; ``told`` says that it was an answer."""
        self.receipt, self.told_before = receipt, told

    async def show(self, document: Document) -> None:
        """Show progress. After a refusal by the platform it is not tried again."""
        part = self._sender.render(document)[0]
        if self._given_up or part.text == self._text:
            return
        self._text = part.text
        try:
            if self.receipt is None:
                await self._post(part, Stage.HOLDING)
            else:
                async with asyncio.timeout(self._patience.answer):
                    await self._sender.edit(self._key.chat, self.receipt, part)
        except (messages.SendError, TimeoutError) as error:
            self._given_up = True
            lost = (
                isinstance(error, messages.SendError)
                and error.reason is messages.SendReason.NO_ANSWER
            )
            self._doubtful = part if lost and self.receipt is None else None
            log.info("message.no_placeholder", error=str(error), id=self._key.message)

    async def become(
        self, document: Document, then: Callable[[], Awaitable[None]] | None = None
    ) -> messages.Receipt:
        """Show the answer, further parts of it in the thread. May raise ``SendError``."""
        # ``then`` is called as soon as the first part is posted and recorded.
        first, *rest = self._sender.render(document)
        if self._doubtful is not None and await self.find() and self.receipt is None:
            # Either nothing was posted, or the platform itself recognises the repeat.
            await self._repeatedly(self._doubtful, Stage.HOLDING)
        if self.receipt is not None and await self._try_edit(self.receipt, first):
            self.answered = True
            await self._records.mark(self._key, Stage.TOLD, self.receipt)
        else:
            await self._repeatedly(first, Stage.TOLD)
            self.answered = True
        assert self.receipt is not None
        if then is not None:
            await then()
        await self._follow(rest)
        return self.receipt

    async def find(self) -> bool:
        """Find what a dead process may have posted, if that is possible. Raises ``SendError``."""
        if messages.Ability.FIND not in self._sender.abilities:
            return False
        part = messages.Part(text="", body="", identity=self._key.identity)
        try:
            self.receipt = await self._sender.find(self._key.chat, part, self._reply_to)
        except messages.SendError as error:
            if error.reason is messages.SendReason.UNSUPPORTED:
                return False
            raise
        return True

    async def _try_edit(self, receipt: messages.Receipt, part: messages.Part) -> bool:
        try:
            for attempt in range(_AGAIN):
                try:
                    async for repeated in self._patience.repeated():
                        with repeated:
                            await self._edit(receipt, part)
                except messages.SendError as error:
                    if error.reason is not messages.SendReason.NO_ANSWER or attempt == _AGAIN - 1:
                        raise
                else:
                    return True
        except messages.SendError as error:
            log.warning("message.not_edited", error=str(error), id=self._key.message)
        return False

    async def _edit(self, receipt: messages.Receipt, part: messages.Part) -> None:
        try:
            async with asyncio.timeout(self._patience.answer):
                await self._sender.edit(self._key.chat, receipt, part)
        except TimeoutError as error:
            raise messages.SendError(messages.SendReason.NO_ANSWER, "nothing came back") from error

    async def _repeatedly(self, part: messages.Part, then: Stage) -> None:
        async for attempt in self._patience.repeated():
            with attempt:
                await self._post(part, then)

    async def _follow(self, parts: Sequence[messages.Part]) -> None:
        below = self.receipt if self._opens_thread else self._reply_to or self.receipt
        for part in parts:
            async for attempt in self._patience.repeated():
                with attempt:
                    await self._send(part, below)

    async def _post(self, part: messages.Part, then: Stage) -> None:
        """Post and save the receipt, both or neither: a cancelling task waits for it."""
        posting = asyncio.create_task(self._post_with_identity(part, then))
        try:
            await asyncio.shield(posting)
        except asyncio.CancelledError:
            # A cancelling task may cancel again: the post continues, and its time is bounded.
            while not posting.done():
                with suppress(asyncio.CancelledError):
                    await asyncio.wait({posting})
            if not posting.cancelled():
                posting.exception()  # retrieved, so that asyncio does not report it as unhandled
            raise

    async def _post_with_identity(self, part: messages.Part, then: Stage) -> None:
        """Post the message, with an identity to find it by if the receipt is lost."""
        # The receipt and the following stage are saved together.
        await self._records.mark(self._key, Stage.SENDING)
        # If an earlier message could not be edited, this is a second one with another identity.
        identity = "" if self.receipt else self._key.identity
        try:
            below = self._reply_to or self.receipt
            receipt = await self._send(replace(part, identity=identity), below)
        except messages.SendError as error:
            if error.reason is not messages.SendReason.NO_ANSWER:
                before = Stage.HOLDING if self.receipt else Stage.HEARD
                await self._records.mark(self._key, before)
            raise
        self.receipt = receipt
        await self._records.mark(self._key, then, receipt)

    async def _send(self, part: messages.Part, below: messages.Receipt | None) -> messages.Receipt:
        chat = self._key.chat
        if isinstance(self._sender, messages.Paced):
            await self._sender.ready(chat, answer=True)
        try:
            async with asyncio.timeout(self._patience.answer):
                return await self._sender.send(chat, part, below)
        except TimeoutError as error:
            raise messages.SendError(messages.SendReason.NO_ANSWER, "nothing came back") from error


_MOST = 2  # pictures below one answer
_LONGEST = 60.0  # seconds for one picture: it is a few kilobytes, sent in up to three calls


async def show_charts(
    sender: messages.Sender, chat: str, document: Document, below: messages.Receipt
) -> None:
    """Post the charts of a posted answer. Raises nothing."""
    charts = [block for block in document.blocks if isinstance(block, Chart)]
    if not isinstance(sender, messages.Pictured):
        return
    for chart in charts[:_MOST]:
        try:
            async with asyncio.timeout(_LONGEST):
                picture = await asyncio.to_thread(picture_of, chart)
                if picture is None:
                    continue
                if isinstance(sender, messages.Paced):
                    await sender.ready(chat, answer=True)
                await sender.show(chat, picture, below)
        except (messages.SendError, TimeoutError, OSError, ValueError) as error:
            log.warning("picture.not_shown", platform=sender.name, error=str(error))
