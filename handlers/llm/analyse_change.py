"""Analyses one change, or several small ones, with a model: packs, asks, checks.

A change that does not fit is analysed in parts, whose checked notes are merged. If the server
reports less room than configured, further prompts are made smaller. A streamed analysis passes on
each statement as soon as it is complete and checked.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from digest.core.enums import Language
from digest.core.grade import Thresholds
from digest.frozen import frozen
from digest.llm.model_input import Material
from digest.llm.packing import NoRoom, lines_prompts, merge_prompt, prompts_for
from digest.llm.prompt import Prompt
from digest.llm.prompt import PromptKind as Asked
from digest.llm.reply import (
    SECTIONS,
    CheckedReply,
    PartialReply,
    PartNotes,
    lines_reader,
    notes_reader,
    reader,
)
from digest.llm.statement_check import StatementFilter
from handlers.ports.analysis_port import Listener
from handlers.ports.model_port import (
    BillingAccount,
    Model,
    ModelError,
    ModelMessage,
    ModelProfile,
    ModelReason,
    ModelReply,
    ModelRequest,
    ReplyPiece,
    Restart,
    Speaker,
    StreamEvent,
    Usage,
)

T = TypeVar("T")
MOST_TOKENS = {Asked.HIGH: 32_000, Asked.MEDIUM: 16_000, Asked.LINES: 16_000}
"""The most tokens of one prompt, whatever the model takes: more costs more than it yields."""

PARTS = {Asked.HIGH: 6, Asked.MEDIUM: 3}  # the most parts that a change is read in, by depth
_OUTPUT = {Asked.HIGH: 3_000, Asked.MEDIUM: 1_600, Asked.LINES: 2_400}
_REFITS = 5
_LESS = 0.6  # the share of a rejected prompt's size that the next, smaller one may have


@frozen
class ModelFindings:
    """Checked findings, the usage of the calls, and the model that answered, as in a reply."""

    judged: CheckedReply
    usage: Usage
    model: str = ""


@dataclass(slots=True, kw_only=True)
class Asker:
    """Asks one model on one account."""

    model: Model
    language: Language
    account: Callable[[Sequence[str]], BillingAccount]  # of a question about these commits
    deadline: float  # in loop time: when replies become useless
    thresholds: Thresholds | None = None
    _cap: int = field(default=1 << 30, init=False)

    async def change(
        self, material: Material, kind: Asked, watch: ReplyListener | None = None
    ) -> ModelFindings:
        """The analysis of one change; ``watch`` gets the raw reply. Raises ``ModelError``."""
        for left in reversed(range(_REFITS)):
            cap = self._cap
            try:
                return await self._change(material, kind, watch)
            except ModelError as error:
                # Only a call refused for its length, which is free, is repeated.
                if not left or error.usage.tokens or self._cap == cap:
                    raise
        raise AssertionError("the last try returns or raises")

    async def lines(
        self, materials: Sequence[Material], left: int = _REFITS
    ) -> dict[str, ModelFindings | ModelError]:
        """One line for each of several changes, by full name; ``ModelError`` for those without.

        Each change is in one call only, so the usage of a call is split among its changes. Calls
        refused for their length are packed again, at most ``left`` times.
        """
        try:
            prompts = await asyncio.to_thread(
                lines_prompts, materials, self.language, self.model.count, self._room(Asked.LINES)
            )
        except NoRoom as error:
            failed = ModelError(ModelReason.CONTEXT_LENGTH, str(error))
            return dict.fromkeys((material.sha for material in materials), failed)
        known = {material.sha: material for material in materials}
        answers = await asyncio.gather(
            *(self._lines(prompt, [known[sha] for sha in prompt.shas], left) for prompt in prompts)
        )
        return {sha: found for answer in answers for sha, found in answer.items()}

    async def _lines(
        self, prompt: Prompt, materials: Sequence[Material], left: int
    ) -> dict[str, ModelFindings | ModelError]:
        read = lines_reader(materials, self.language, thresholds=self.thresholds)
        try:
            reply = await self._ask(prompt, read)
        except ModelError as error:
            if left > 1 and error.reason is ModelReason.CONTEXT_LENGTH and not error.usage.tokens:
                return await self.lines(materials, left - 1)
            shares = split_usage(error.usage, len(materials))
            return {
                material.sha: ModelError(error.reason, error.detail, usage=share)
                for material, share in zip(materials, shares, strict=True)
            }
        shares = split_usage(reply.usage, len(materials))
        return {
            material.sha: ModelFindings(
                judged=reply.value[material.sha], usage=share, model=reply.by
            )
            for material, share in zip(materials, shares, strict=True)
        }

    async def _change(
        self, material: Material, kind: Asked, watch: ReplyListener | None
    ) -> ModelFindings:
        most = self._room(kind)
        try:
            prompts = await asyncio.to_thread(
                prompts_for, material, self.language, self.model.count, most, parts=PARTS[kind]
            )
            if prompts[0].kind is Asked.PART:  # perhaps the only one: its prompt is shorter
                return await self._parts(material, prompts, most, watch)
        except NoRoom as error:
            raise ModelError(ModelReason.CONTEXT_LENGTH, str(error)) from error
        reply = await self._ask(prompts[0], self._reader(material, prompts[0]), watch)
        return ModelFindings(judged=reply.value, usage=reply.usage, model=reply.by)

    async def _parts(
        self, material: Material, prompts: Sequence[Prompt], most: int, watch: ReplyListener | None
    ) -> ModelFindings:
        """The parts in parallel, then their notes together. If one part fails, all fail."""
        read = notes_reader(material, self.language)
        replies = await asyncio.gather(
            *(self._ask(prompt, read) for prompt in prompts), return_exceptions=True
        )
        spent = sum((_usage(reply) for reply in replies), Usage())
        notes: list[PartNotes] = []
        by = ""  # one part by the second model makes it the second's
        for reply in replies:
            if isinstance(reply, ModelError):
                reply.usage = spent
            if isinstance(reply, BaseException):
                raise reply
            notes.append(reply.value)
            by = by or reply.by
        notes_of_parts = [note for part in notes for note in part.notes]
        merge = merge_prompt(
            material,
            notes_of_parts,
            self.language,
            self.model.count,
            most,
            omitted=prompts[0].omitted,
        )
        try:
            merged = await self._ask(merge, self._reader(material, merge), watch)
        except ModelError as error:
            error.usage += spent
            raise
        usage = spent + merged.usage
        return ModelFindings(judged=merged.value, usage=usage, model=by or merged.by)

    def _reader(self, material: Material, prompt: Prompt) -> Callable[[object], CheckedReply]:
        return reader(material, self.language, omitted=prompt.omitted, thresholds=self.thresholds)

    async def _ask(
        self, prompt: Prompt, read: Callable[[object], T], watch: ReplyListener | None = None
    ) -> ModelReply[T]:
        patience = self.deadline - asyncio.get_running_loop().time()
        if patience <= 0:
            raise ModelError(ModelReason.TIMEOUT, "the digest waits no longer")
        request = request_for(prompt, read, self.account(prompt.shas), patience)
        try:
            if watch is None:
                return await self.model.complete(request)
            return await pass_on(self.model.stream(request), watch)
        except ModelError as error:
            if error.reason is ModelReason.CONTEXT_LENGTH:
                size = self.model.count(prompt.system) + self.model.count(prompt.user)
                self._cap = min(self._cap, int(size * _LESS))
            raise

    def _room(self, kind: Asked) -> int:
        return min(self._cap, room(self.model.profile, kind))


@frozen
class ReplyListener:
    """Receives a reply as it arrives: ``piece`` for more of it, ``restart`` when it starts over."""

    piece: Callable[[str], None]
    restart: Callable[[], None]


def room(profile: ModelProfile, kind: Asked) -> int:
    """The tokens that a prompt of a kind may take."""
    return min(MOST_TOKENS[kind], profile.room(_OUTPUT[kind]))


def request_for(
    prompt: Prompt,
    read: Callable[[object], T],
    account: BillingAccount,
    patience: float | None = None,
) -> ModelRequest[T]:
    """The request that sends a prompt."""
    return ModelRequest(
        messages=messages_of(prompt),
        read=read,
        account=account,
        schema=prompt.schema,
        name=prompt.name,
        output_tokens=prompt.output_tokens,
        language=prompt.language,
        patience=patience,
    )


def messages_of(prompt: Prompt) -> tuple[ModelMessage, ModelMessage]:
    """The messages of a prompt: first the part that many prompts share, then the change."""
    return (
        ModelMessage(role=Speaker.SYSTEM, text=prompt.system),
        ModelMessage(role=Speaker.USER, text=prompt.user),
    )


async def pass_on(events: AsyncIterator[StreamEvent[T]], watch: ReplyListener) -> ModelReply[T]:
    """The whole reply of a stream, passed to ``watch`` while it arrives."""
    reply: ModelReply[T] | None = None
    async for event in events:
        match event:
            case ReplyPiece():
                watch.piece(event.text)
            case Restart():
                watch.restart()
            case _:
                reply = event
    if reply is None:
        raise ModelError(ModelReason.BROKEN, "the stream ended without a reply")
    return reply


def split_usage(usage: Usage, count: int) -> list[Usage]:
    """A usage in ``count`` shares that add up to it; the first has the call and the remainder."""
    if count < 2:
        return [usage] * count
    share = Usage(
        input_tokens=usage.input_tokens // count,
        cached_tokens=usage.cached_tokens // count,
        output_tokens=usage.output_tokens // count,
        cost=usage.cost / count,
        estimated=usage.estimated,
    )
    rest = count - 1
    first = Usage(
        calls=usage.calls,
        input_tokens=usage.input_tokens - share.input_tokens * rest,
        cached_tokens=usage.cached_tokens - share.cached_tokens * rest,
        output_tokens=usage.output_tokens - share.output_tokens * rest,
        cost=usage.cost - share.cost * rest,
        estimated=usage.estimated,
    )
    return [first, *[share] * rest]


def _usage(reply: object) -> Usage:
    return reply.usage if isinstance(reply, ModelReply | ModelError) else Usage()


def follow(material: Material, language: Language, listener: Listener) -> ReplyListener:
    """A reply listener that checks the reply on a change and passes on checked statements only."""
    follower = _Follower(material=material, language=language, listener=listener)
    return ReplyListener(piece=follower.piece, restart=follower.restart)


@dataclass(slots=True, kw_only=True)
class _Follower:
    material: Material
    language: Language
    listener: Listener
    _unfolding: PartialReply = field(default_factory=PartialReply)
    _sieve: StatementFilter = field(init=False)

    def __post_init__(self) -> None:
        self._sieve = StatementFilter(self.material, self.language)

    def piece(self, text: str) -> None:
        for section, entry in self._unfolding.feed(text):
            if section not in SECTIONS:
                continue
            statement = self._sieve.one(section, entry)
            if statement is not None:
                self.listener.hear(section, statement)

    def restart(self) -> None:
        self._unfolding = PartialReply()
        self._sieve = StatementFilter(self.material, self.language)
        self.listener.restart()
