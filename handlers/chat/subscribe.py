"""A chat's subscriptions: adding, removing, listing, pausing and resuming them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, time
from difflib import get_close_matches
from typing import Any

from digest.answer.answers import Answer
from digest.chat.chat_intents import Managing, Pause, Resume, Subscribe, Subscriptions, Unsubscribe
from digest.chat.chat_settings import ChatSettings, DigestTiming, Subscribed
from digest.chat.schedule_parser import WEEKDAY_NAMES
from digest.core.enums import Frequency, Language
from digest.document import Code, Item, Listing, Paragraph, Spans, Text
from digest.errors import UserError
from digest.i18n import chat_text as words
from digest.i18n.phrase import Part, join
from digest.i18n.statement_text import LEVELS, SEPARATOR
from handlers.chat import settings as chat_settings
from handlers.chat.filter_preview import FILTER_HANDLERS
from handlers.context import Context
from handlers.ports.chat_port import ChatDigest, Room

_EXAMPLE = {
    Language.EN: "subscribe {name} daily 09:00 Europe/Berlin",
    Language.ZH: "订阅 {name} 每天 09:00 Asia/Shanghai",
}
_HAN_DAYS = "一二三四五六日"


async def manage(intent: Managing, ctx: Context) -> Answer:
    """Carry out a command about the chat; only admins change anything. Raises ``UserError``."""
    if ctx.room is None:
        raise UserError(words.NO_ROOM.text(ctx.language))
    handler = _HANDLERS[type(intent)]
    if handler not in {subscriptions, chat_settings.show_settings}:
        chat_settings.require_permission(ctx.room, ctx.language)
    return await handler(intent, ctx, ctx.room)


async def subscribe(intent: Subscribe, ctx: Context, room: Room) -> Answer:
    """Subscribe the chat to one repository, or to all that it may see."""
    names = [_find_repository(intent.repository, room, ctx.language)] if intent.repository else None
    timing = _of_kind(intent, room, ctx.language)
    settings = await room.chats.settings(room.chat)
    branch = timing.over(settings.timing).branch
    for name in names or room.repositories:
        if branch and room.check is not None:
            await room.check(name, branch)
    for name in names or room.repositories:
        subscription = Subscribed(
            repository=name, kind=intent.kind, timing=timing, person=room.person
        )
        await room.chats.subscribe(room.chat, subscription)
    room.tell()
    whole = timing.over(settings.timing).over(room.defaults)
    said = words.SUBSCRIBED(
        ctx.language,
        names=", ".join(names or room.repositories),
        when=_when(whole, ctx.language, intent.kind),
    )
    notes = [Paragraph(words.ONLY_HERE(ctx.language))] if room.here else []
    return chat_settings.settings_answer(ctx, [Paragraph(said), *notes])


def _of_kind(intent: Subscribe, room: Room, language: Language) -> DigestTiming:
    """The timing of a subscription; one of weeks has one weekday, Monday by default."""
    days = intent.timing.weekdays
    if not intent.kind.one_day:
        return intent.timing
    if days is not None and len(days) != 1:
        raise UserError(words.ONE_DAY.text(language))
    usual = room.defaults.weekdays or frozenset({0})
    return replace(intent.timing, weekdays=days or frozenset({min(usual)}))


def _find_repository(name: str, room: Room, language: Language, also: Sequence[str] = ()) -> str:
    """A repository by its name or its last part, ``also`` unlisted. Raises ``UserError``."""
    wanted = name.casefold()
    known = {one.casefold(): one for one in (*room.repositories, *also)}
    short = [one for full, one in known.items() if full.rpartition("/")[2] == wanted]
    if wanted in known:
        return known[wanted]
    if len(short) == 1:
        return short[0]
    open_ = [repository.casefold() for repository in room.repositories]
    near = get_close_matches(wanted, open_, n=3, cutoff=0.6) or open_[:5]
    shown = ", ".join(known[one] for one in near)
    raise UserError(words.UNKNOWN_REPOSITORY.text(language, name=name, known=shown))


async def unsubscribe(intent: Unsubscribe, ctx: Context, room: Room) -> Answer:
    """Remove subscriptions that the chat made; those in the configuration stay."""
    asked = await room.chats.subscribed(room.chat)
    name = ""
    if intent.repository:
        also = [subscription.repository for subscription in asked]
        name = _find_repository(intent.repository, room, ctx.language, also)
    count = await room.chats.unsubscribe(room.chat, name, intent.kind)
    room.tell()
    fixed = any(
        run.fixed and (not name or name in run.repositories) and intent.kind in {None, run.kind}
        for run in await room.runs()
    )
    said = (
        words.UNSUBSCRIBED(ctx.language, n=count) if count else words.NOT_SUBSCRIBED(ctx.language)
    )
    return chat_settings.settings_answer(
        ctx, [Paragraph(said), *([Paragraph(words.STILL_FIXED(ctx.language))] if fixed else [])]
    )


async def subscriptions(_intent: Subscriptions, ctx: Context, room: Room) -> Answer:
    """The chat's digests, and when the next one is due."""
    language, runs = ctx.language, await room.runs()
    if not runs:
        name = room.repositories[0] if room.repositories else "owner/name"
        example = (Code(_EXAMPLE[language].format(name=name)),)
        return chat_settings.settings_answer(
            ctx, [Paragraph(words.NONE(language, command=example))]
        )
    rows = Listing(tuple(Item(_row(run, language)) for run in runs))
    return chat_settings.settings_answer(ctx, [rows], words.LIST)


def _row(run: ChatDigest, language: Language) -> Spans:
    parts: list[Spans] = [
        (Text(", ".join(run.repositories)),),
        _when(run.timing, language, run.kind),
    ]
    if run.timing.least is not None:
        level = LEVELS[run.timing.least].template(language)
        parts.append(words.FROM_LEVEL(language, level=level))
    if run.timing.branch:
        parts.append(words.ON_BRANCH(language, branch=(Code(run.timing.branch),)))
    if run.paused_until is not None:
        until = chat_settings.minute(run.paused_until, run.timing.zone)
        parts.append(words.HELD_UNTIL(language, moment=until))
    if run.following is None:
        parts.append(words.HELD(language))
    else:
        following = chat_settings.minute(run.following, run.timing.zone)
        parts.append(words.NEXT(language, moment=following))
    if run.fixed:
        parts.append(words.BY_CONFIG(language))
    row: list[Part] = []
    for part in parts:
        row += [*(SEPARATOR(language) if row else ()), *part]
    return join(row)


def _when(timing: DigestTiming, language: Language, kind: Frequency) -> Spans:
    at, days = timing.at or time(9), timing.weekdays or frozenset(range(7))
    any_day = len(days) == 7
    phrase = words.EVERY_DAY_AT if any_day and kind is Frequency.DAILY else words.COMES[kind]
    named = words.ANY_DAY.template(language) if any_day else days_of(days, language)
    if kind in {Frequency.MONTHLY, Frequency.MONTH_END} and 1 < len(days) < 7:
        named = words.OF_THESE.text(language, days=named)
    zone = timing.zone.key if timing.zone else "UTC"
    return phrase(language, days=named, time=f"{at:%H:%M}", zone=zone)


def days_of(days: frozenset[int], language: Language) -> str:
    """Weekdays in words, in order from Monday."""
    if language is Language.ZH:
        return "、".join(f"周{_HAN_DAYS[day]}" for day in sorted(days))
    return ", ".join(WEEKDAY_NAMES[day].capitalize() for day in sorted(days))


async def pause(intent: Pause, ctx: Context, room: Room) -> Answer:
    """Stop posting to the chat, for good or until an end; questions are still answered."""
    if intent.until is None:
        return await _save_change(ctx, room, words.PAUSED(ctx.language), _pause)
    now = ctx.clock.now().replace(microsecond=0)
    until, zone = await chat_settings.end_of(intent.until, ctx, room)
    said = words.PAUSED_UNTIL(ctx.language, moment=chat_settings.minute(until, zone), zone=zone.key)
    return await _save_change(ctx, room, said, lambda kept: _paused_until(kept, now, until))


async def resume(_intent: Resume, ctx: Context, room: Room) -> Answer:
    """Resume posting to the chat."""
    now = ctx.clock.now().replace(microsecond=0)
    return await _save_change(
        ctx, room, words.RESUMED(ctx.language), lambda kept: _resume(kept, now)
    )


async def _save_change(
    ctx: Context, room: Room, said: Spans, change: Callable[[ChatSettings], ChatSettings]
) -> Answer:
    await room.chats.change(room.chat, change)
    room.tell()
    return chat_settings.settings_answer(ctx, [Paragraph(said)])


def _pause(settings: ChatSettings) -> ChatSettings:
    return replace(settings, paused=True, paused_since=None, paused_until=None)


def _paused_until(settings: ChatSettings, now: datetime, until: datetime) -> ChatSettings:
    """A pause under way goes on from its beginning."""
    since = settings.paused_since if settings.paused_by(now) else now
    return replace(settings, paused=False, paused_since=since, paused_until=until)


def _resume(settings: ChatSettings, now: datetime) -> ChatSettings:
    """A pause with an end has been up to now: the slots in it stay held."""
    under_way = settings.paused_by(now) is not None
    return replace(settings, paused=False, paused_until=now if under_way else settings.paused_until)


_HANDLERS: Mapping[type[Any], Callable[[Any, Context, Room], Awaitable[Answer]]] = {
    Subscribe: subscribe,
    Unsubscribe: unsubscribe,
    Subscriptions: subscriptions,
    Pause: pause,
    Resume: resume,
    **chat_settings.SETTING_HANDLERS,
    **FILTER_HANDLERS,
}
