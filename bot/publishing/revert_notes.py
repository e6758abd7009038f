"""Amends posts whose changes were reverted: marks the change and adds a note, once.

When a slot is finished, its reverts are looked up, and an amendment of each digest of the last
weeks that listed what they undo in the same channel is planned in the archive. The next sweep edits
the post, if the platform can, and posts a note in its thread; a process that dies in between does
it again without harm.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby

import structlog

from bot.config.channel_section import subscription_name
from bot.config.repository_section import RepositoryConfig
from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Target
from bot.delivery.payload import thaw
from bot.messaging.sender import Ability, Part, Receipt, SendError
from bot.publishing.digest_builder import SingleFlight
from bot.store.deliveries import Amendment, SqlAmendments
from bot.store.digests import KeptDigest
from bot.subscriptions.channel_registry import Subscription
from bot.workspace.workspace import Workspace
from digest.core.enums import Frequency, Language
from digest.core.grade import Graded, Repository
from digest.document import Document
from digest.frozen import frozen
from digest.report.condensed import RevertedChange, mark_reverted, revert_note
from handlers.ports.status_port import undone_by
from handlers.ports.storage import DeliveryKey, DeliveryRecord, State

log = structlog.get_logger(__name__)

_WEEKS = timedelta(days=56)
"""How far back digests are amended; platforms let bots edit for months, people read for days."""

NameOf = Callable[[str, RepositoryConfig, str, str], str]
"""The name of a digest, from its kind, repository, slot, and the name of a subscription."""


@frozen
class _Case:
    """A posted digest with all reverts of its changes."""

    target: Target
    record: DeliveryRecord
    repository: Repository
    reverts: Sequence[RevertedChange]

    @property
    def document(self) -> Document:
        return thaw(self.record.content).document


class RevertNotes:
    """Plans amendments and carries them out."""

    def __init__(self, app: Workspace, delivery: Delivery, name_of: NameOf) -> None:
        self._app = app
        self._delivery = delivery
        self._name_of = name_of
        self._kept = SqlAmendments(app.database)
        self._undoings = SingleFlight(256)

    async def plan(
        self, channel: Subscription, settings: RepositoryConfig, kept: KeptDigest
    ) -> None:
        """Plan amendments of earlier digests in the same channel for the reverts of a digest."""
        shas = [outcome.sha for outcome in kept.outcomes if outcome.state is not State.FAILED]
        named = Repository(name=settings.name)
        # Channels with the same changes in a slot look up the same reverts.
        subject = (settings.name, kept.tip, kept.heading.window, tuple(shas))
        undoings = await self._undoings.get(subject, lambda: self._undo_pairs(named, shas))
        plans: list[Amendment] = []
        for by, undone in undoings:
            for change in undone:
                names = dict(self._names(channel, settings, change, kept.heading.window.until))
                names.pop(kept.heading.name, None)
                plans += [
                    Amendment(
                        key=DeliveryKey(
                            platform=channel.target.sender.name,
                            channel=names[digest],
                            digest=digest,
                        ),
                        sha=change.sha,
                        by_sha=by.sha,
                        by_name=by.name,
                        at=self._app.clock.now(),
                    )
                    for digest in await self._app.digests.posted(list(names), change.sha)
                ]
        await self._kept.plan(plans)

    async def _undo_pairs(
        self, named: Repository, shas: Sequence[str]
    ) -> Sequence[tuple[Graded, Sequence[Graded]]]:
        """The commits that undo others, with what they undo."""
        changes = (await self._app.archive.load(named, shas)).values()
        pairs = [(by, await undone_by(self._app.archive, named, by)) for by in changes]
        return [(by, undone) for by, undone in pairs if undone]

    async def carry_out(self, channels: Mapping[str, Subscription]) -> None:
        """Carry out the amendments planned in these channels; failures are independent."""
        planned = [
            amendment
            for amendment in await self._kept.planned()
            if amendment.key.channel in channels
        ]
        by_channel = groupby(
            sorted(planned, key=lambda amendment: amendment.key.channel), lambda o: o.key.channel
        )
        await asyncio.gather(
            *(self._of_channel(channels[name], list(amendments)) for name, amendments in by_channel)
        )

    async def _of_channel(self, channel: Subscription, plans: Sequence[Amendment]) -> None:
        for amendment in plans:
            try:
                if await self._tell(channel, amendment):
                    await self._kept.done(amendment)
            except SendError as error:
                log.warning("amendment.refused", channel=channel.name, error=str(error))
            except Exception:
                log.exception("amendment.broken", channel=channel.name, digest=amendment.key.digest)

    async def _tell(self, channel: Subscription, amendment: Amendment) -> bool:
        """Edit the post and add the note; whether nothing is left to do. Raises ``SendError``."""
        record = await self._app.ledger.record(amendment.key)
        if record is None or not record.content:
            return True  # the digest was never posted here, or too long ago
        if not record.done:
            return False
        case = await self._case(channel, record, amendment)
        if case is None:
            return True
        await _edit(case)
        reverted = next(
            r for r in case.reverts if (r.change.sha, r.by.sha) == (amendment.sha, amendment.by_sha)
        )
        note = revert_note(reverted, case.repository, Language(case.document.language))
        posting = Posting(
            target=case.target,
            digest=f"revert:{amendment.key.digest}:{amendment.sha[:12]}:{amendment.by_sha[:12]}",
            document=note,
            reply_to=_first(record),
            repository=case.repository.name,
        )
        result = await self._delivery.deliver(posting)
        if result.done:
            log.info(
                "digest.amended",
                channel=channel.name,
                digest=amendment.key.digest,
                by=amendment.by_name,
            )
        # Once frozen, it is completed by the delivery, like any digest.
        return result.frozen and not result.busy

    async def _case(
        self, channel: Subscription, record: DeliveryRecord, amendment: Amendment
    ) -> _Case | None:
        """What to amend; ``None`` if the channel or the archive no longer has it."""
        digest = await self._app.digests.get(record.key.digest)
        settings = next(
            (r for r in channel.repositories if digest and r.name == digest.heading.repository),
            None,
        )
        if settings is None:
            return None
        repository = (await self._app.watch_configured(settings)).repository
        every = await self._kept.of(record.key)
        shas = [sha for other in every for sha in (other.sha, other.by_sha)]
        changes = await self._app.archive.load(repository, shas)
        if amendment.sha not in changes or amendment.by_sha not in changes:
            return None
        reverts = [
            RevertedChange(change=changes[other.sha], by=changes[other.by_sha])
            for other in every
            if other.sha in changes and other.by_sha in changes
        ]
        return _Case(target=channel.target, record=record, repository=repository, reverts=reverts)

    def _names(
        self, channel: Subscription, settings: RepositoryConfig, change: Graded, until: datetime
    ) -> Iterator[tuple[str, str]]:
        """Digests that may list a change, by name, with the subscription of each."""
        zone = channel.spec.zone
        last = until.astimezone(zone).date()
        first = max(change.commit.committed_at.astimezone(zone).date(), last - _WEEKS)
        for day in _days(first, last):
            for kind in Frequency:
                for name in {channel.name, subscription_name(channel.channel, kind)}:
                    yield self._name_of(str(kind), settings, day.isoformat(), name), name


async def _edit(case: _Case) -> None:
    """Write the marked lines into the posts. Raises ``SendError`` if it may be retried."""
    sender = case.target.sender
    document = mark_reverted(case.document, case.reverts, case.repository)
    if document is None or Ability.EDIT not in sender.abilities:
        return
    frozen, after = thaw(case.record.content), sender.render(document)
    before = frozen.parts[: frozen.own]
    if len(before) != len(after):
        log.info("amendment.too_long", channel=case.target.name, digest=case.record.key.digest)
        return
    for part, receipt in _changed_parts(before, after, case.record):
        try:
            await sender.edit(case.target.chat, receipt, part)
        except SendError as error:
            if error.retry:
                raise
            # The note is posted all the same.
            log.warning("amendment.not_edited", channel=case.target.name, error=str(error))


def _changed_parts(
    before: Sequence[Part], after: Sequence[Part], record: DeliveryRecord
) -> Iterator[tuple[Part, Receipt]]:
    """The parts that differ, with their messages."""
    for entry in record.parts[: len(after)]:
        old, new = before[entry.part], after[entry.part]
        receipt = Receipt.parse(entry.receipt)
        if receipt is not None and (old.text, old.body) != (new.text, new.body):
            yield new, receipt


def _first(record: DeliveryRecord) -> Receipt | None:
    return next(filter(None, (Receipt.parse(part.receipt) for part in record.parts)), None)


def _days(first: date, last: date) -> Iterator[date]:
    # A slot is at the earliest on the day of the change; one more for dates ahead of the clock.
    for back in range((last - first).days + 2):
        yield last - timedelta(days=back)
