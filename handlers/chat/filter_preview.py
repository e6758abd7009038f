"""Filters of a chat: trying a rule on last week's changes, saving it, removing it.

A rule is tried on the last week of every repository that the chat follows before it is saved.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from digest.answer.answers import Answer
from digest.chat.chat_intents import Filter, Unfilter, format_managing
from digest.chat.chat_settings import (
    MOST_RULES,
    NOBODY,
    ChatSettings,
    Filters,
    count_rules,
    left_out,
)
from digest.core.authors import CodeOwners
from digest.core.enums import Frequency, Language
from digest.core.grade import Graded
from digest.document import Actions, Block, Button, Code, Item, Listing, Paragraph
from digest.errors import SourceUnavailable, UserError
from digest.frozen import frozen
from digest.i18n import chat_text as words
from digest.window import Window
from handlers.chat.settings import settings_answer
from handlers.context import Context
from handlers.digests.ingest import Labels, ensure, labels_of, owners_of
from handlers.ports.chat_port import Room
from handlers.ports.storage import Watched

WEEK = timedelta(days=7)  # the period that a filter is tried on before it is saved


@frozen
class Week:
    """The last week's changes of a repository, with the labels from its forge."""

    repository: str
    changes: Sequence[Graded]
    labels: Labels
    owners: CodeOwners = NOBODY

    def left_out(self, filters: Filters) -> tuple[tuple[Graded, ...], dict[str, str]]:
        """The changes that pass the filters, and the rejecting rules of the others."""
        return left_out(replace(filters, owners=self.owners), self.changes, self.labels)


@frozen
class Tried:
    """The changes to try filters on; ``unread`` are repositories that cannot be read now."""

    weeks: tuple[Week, ...]
    unread: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """The number of changes."""
        return sum(len(week.changes) for week in self.weeks)

    @property
    def names(self) -> str:
        """The names of the repositories that were read."""
        return ", ".join(week.repository for week in self.weeks)

    def kept(self, filters: Filters) -> tuple[int, ...]:
        """How many changes of each week pass the filters."""
        return tuple(len(week.left_out(filters)[0]) for week in self.weeks)

    def rules(self, filters: Filters) -> list[str]:
        """The rule that rejects a change, for each rejected change."""
        return [rule for week in self.weeks for rule in week.left_out(filters)[1].values()]


async def last_week(ctx: Context, room: Room) -> Tried:
    """The last week of every repository that the chat follows, or of the one asked about."""
    # Raises ``SourceUnavailable`` if no repository can be read.
    weeks: list[Week] = []
    unread: list[str] = []
    lost: SourceUnavailable | None = None
    async for watched in _subscribed_repositories(ctx, room):
        try:
            weeks.append(await _week(replace(ctx, watched=watched)))
        except SourceUnavailable as error:
            unread.append(watched.repository.name)
            lost = error
    if lost is not None and not weeks:
        raise lost
    return Tried(weeks=tuple(weeks), unread=tuple(unread))


async def _subscribed_repositories(ctx: Context, room: Room) -> AsyncIterator[Watched]:
    """Each repository of the chat's subscriptions on its branch, those of daily digests first."""
    runs = sorted(await room.runs(), key=lambda run: run.kind is not Frequency.DAILY)
    branches = {name: run.timing.branch for run in reversed(runs) for name in run.repositories}
    if not branches or room.watch is None:
        yield ctx.watched
        return
    for name in sorted(branches):
        yield await room.watch(name, branches[name])


async def _week(ctx: Context) -> Week:
    now, repository = ctx.clock.now(), ctx.watched.repository
    tip = await ctx.watched.source.tip(ctx.watched.branch)
    changes = await ensure(ctx, Window(since=now - WEEK, until=now, zone=ctx.zone), tip)
    labels = await labels_of(ctx.requests, repository, changes)
    owners = await owners_of(ctx.watched, tip)
    return Week(repository=repository.name, changes=changes, labels=labels, owners=owners)


SAVE_ACTION = "save"
"""The name of the save button. With its value appended, it is the command that saves a filter."""

_LONGEST_VALUE = 50
"""The most bytes that a button's value may have on the strictest platform, without its name."""


async def filter_changes(intent: Filter, ctx: Context, room: Room) -> Answer:
    """Show which of last week's changes a rule would keep; with ``save``, save the rule."""
    before = (await room.chats.settings(room.chat)).filters
    after = _with_rule(before, intent, ctx.language)
    tried = await last_week(ctx, room)
    if intent.save:
        return await _save(intent, ctx, room, tried)
    command = format_managing(replace(intent, save=True))
    blocks: list[Block] = [
        *_preview(intent, before, after, tried, ctx.language),
        Paragraph(words.SAVE_WITH(ctx.language, command=(Code(command),))),
    ]
    value = command.removeprefix(f"{SAVE_ACTION} ")
    if len(value.encode()) <= _LONGEST_VALUE:
        button = Button(words.SAVE.template(ctx.language), action=SAVE_ACTION, value=value)
        blocks.append(Actions((button,)))
    return settings_answer(ctx, blocks)


def _with_rule(filters: Filters, intent: Filter, language: Language) -> Filters:
    """The filters with the new rule. Raises ``UserError`` if a chat may not have that many."""
    more = filters.given(intent.rule, include=intent.include)
    if more.size > MOST_RULES:
        raise UserError(words.TOO_MANY.text(language, n=MOST_RULES))
    return more


def _preview(
    intent: Filter, before: Filters, after: Filters, tried: Tried, language: Language
) -> list[Block]:
    kept, rules = tried.kept(after), tried.rules(after)
    said = words.PREVIEW(
        language,
        rule=(Code(_command_of(intent)),),
        kept=sum(kept),
        total=tried.total,
        repository=tried.names,
    )
    more = words.BEFORE(language, kept=sum(tried.kept(before)))
    blocks: list[Block] = [Paragraph(said), Paragraph(more)]
    if len(tried.weeks) > 1:
        blocks.append(
            Listing(tuple(_of_one(*pair, language) for pair in zip(tried.weeks, kept, strict=True)))
        )
    if rules:
        blocks.append(Paragraph(words.LEFT_OUT(language, rules=rules_of(rules))))
    blocks += [
        Paragraph(words.UNREAD(language, repository=repository)) for repository in tried.unread
    ]
    return blocks


def _of_one(week: Week, kept: int, language: Language) -> Item:
    total = len(week.changes)
    return Item(words.OF_ONE(language, repository=week.repository, kept=kept, total=total))


def rules_of(rules: Iterable[str]) -> str:
    """Each rule with the number of changes it rejected."""
    return ", ".join(f"{rule} {count}" for rule, count in count_rules(rules))


def _command_of(intent: Filter) -> str:
    return format_managing(replace(intent, save=False))


async def _save(intent: Filter, ctx: Context, room: Room, tried: Tried) -> Answer:
    def saved(settings: ChatSettings) -> ChatSettings:
        return replace(settings, filters=_with_rule(settings.filters, intent, ctx.language))

    fresh = await room.chats.change(room.chat, saved)
    room.tell()
    said = words.SAVED(
        ctx.language,
        rule=(Code(_command_of(intent)),),
        kept=sum(tried.kept(fresh.filters)),
        total=tried.total,
        repository=tried.names,
    )
    return settings_answer(ctx, [Paragraph(said)])


async def unfilter(intent: Unfilter, ctx: Context, room: Room) -> Answer:
    """Remove one rule, or all of them. Whether bots are hidden is a separate setting."""
    before, rule = (await room.chats.settings(room.chat)).filters, intent.rule
    if rule is not None and rule not in (*before.include, *before.exclude):
        said = words.NO_RULE(ctx.language, rule=(Code(str(rule)),))
        return settings_answer(ctx, [Paragraph(said)])
    await room.chats.change(
        room.chat,
        lambda kept: replace(
            kept, filters=kept.filters.without(rule) if rule else Filters(bots=kept.filters.bots)
        ),
    )
    room.tell()
    gone = (
        words.REMOVED(ctx.language, rule=(Code(str(rule)),))
        if rule
        else words.CLEARED(ctx.language)
    )
    return settings_answer(ctx, [Paragraph(gone)])


FILTER_HANDLERS: Mapping[type[Any], Callable[[Any, Context, Room], Awaitable[Answer]]] = {
    Filter: filter_changes,
    Unfilter: unfilter,
}
