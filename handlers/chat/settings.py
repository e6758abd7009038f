"""Settings and muted topics of a chat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from digest import document as doc
from digest.answer.answers import Answer
from digest.chat.chat_intents import Mute, Set, ShowSettings, Unmute, Value, format_value
from digest.chat.chat_settings import MOST_TOPICS, ChatSettings, still_muted
from digest.chat.schedule_parser import PauseEnd, pause_end
from digest.core.enums import ChatSetting, Language
from digest.core.grade import Level
from digest.errors import UserError
from digest.i18n import chat_text as words
from digest.i18n.phrase import Phrase, between
from digest.i18n.statement_text import COMMA, LEVELS
from digest.topics.terms import term
from handlers.context import Context
from handlers.ports.chat_port import Room

_WEEK = 7
_LONGEST_PAUSE = timedelta(days=366)


def require_permission(room: Room, language: Language) -> None:
    """Raises ``UserError`` if the person may not change the chat's settings."""
    if not room.admin:
        raise UserError(words.ONLY_ADMINS.text(language))


async def digest_zone(ctx: Context, room: Room) -> ZoneInfo:
    """The zone of the chat's digests if they share one, otherwise the chat's."""
    zones = {run.timing.zone for run in await room.runs()}
    shared = zones.pop() if len(zones) == 1 else None
    return shared or room.zone or ctx.zone


def minute(at: datetime, zone: ZoneInfo | None) -> str:
    """``2026-01-23 08:30`` in the zone."""
    return f"{at.astimezone(zone):%Y-%m-%d %H:%M}"


def settings_answer(
    ctx: Context, blocks: Sequence[doc.Block], title: Phrase | None = None
) -> Answer:
    """An answer of a few blocks; without a title, its first paragraph is the title as well."""
    heads = [doc.Heading(1, title(ctx.language))] if title else []
    first = title.template(ctx.language) if title else ""
    for block in blocks:
        if not first and isinstance(block, doc.Paragraph):
            first = doc.plain(block.spans)
    document = doc.Document(title=first, blocks=(*heads, *blocks), language=str(ctx.language))
    return Answer(intent="chat", document=document)


async def show_settings(_intent: ShowSettings, ctx: Context, room: Room) -> Answer:
    """All settings of the chat, with the defaults for those it has not set."""
    language, settings = ctx.language, await room.chats.settings(room.chat)
    rows = [
        _line(name.template(language), value, language)
        for name, value in _values(settings, room, language)
    ]
    for phrase, entries in (
        (words.REPOSITORIES, room.repositories),
        (words.INCLUDED, [str(rule) for rule in settings.filters.include]),
        (words.EXCLUDED, [str(rule) for rule in settings.filters.exclude]),
        (words.TOPICS, _topics(settings, ctx, room)),
    ):
        if entries:
            named = between([doc.Code(entry) for entry in entries], COMMA.template(language))
            rows.append(_line(phrase.template(language), named, language))
    if settings.paused:
        rows.append(doc.Item(words.HELD(language)))
    elif until := settings.paused_by(ctx.clock.now()):
        said = minute(until, await digest_zone(ctx, room))
        rows.append(doc.Item(words.HELD_UNTIL(language, moment=said)))
    return settings_answer(ctx, [doc.Listing(tuple(rows))], words.SETTINGS)


def _topics(settings: ChatSettings, ctx: Context, room: Room) -> list[str]:
    """The muted topics, with their ends."""
    zone = room.zone or ctx.zone
    topics = still_muted(settings.muted, settings.muted_until, ctx.clock.now())
    ends = {topic: f" (→ {minute(end, zone)})" for topic, end in settings.muted_until.items()}
    return [f"{topic}{ends.get(topic, '')}" for topic in topics]


def _values(
    settings: ChatSettings, room: Room, language: Language
) -> list[tuple[Phrase, doc.Spans]]:
    own, usual = settings.timing, room.defaults
    pairs: dict[ChatSetting, tuple[Value | None, Value | None]] = {
        ChatSetting.LANGUAGE: (settings.language, room.language),
        ChatSetting.ZONE: (own.zone, usual.zone),
        ChatSetting.TIME: (own.at, usual.at),
        ChatSetting.WEEKDAYS: (own.weekdays, usual.weekdays),
        ChatSetting.LEVEL: (own.least, usual.least),
        ChatSetting.BRANCH: (own.branch or None, usual.branch or None),
    }
    rows: list[tuple[Phrase, doc.Spans]] = []
    for setting, (mine, default) in pairs.items():
        if mine is not None:
            rows.append((words.NAMES[setting], _value_text(mine, language)))
        elif default is not None:
            said = words.AS_USUAL(language, value=_value_text(default, language))
            rows.append((words.NAMES[setting], said))
    rows.append((words.NAMES[ChatSetting.BOTS], _value_text(settings.filters.bots, language)))
    if settings.private:
        rows.append((words.NAMES[ChatSetting.PRIVATE], _value_text(settings.private, language)))
    return rows


def _value_text(value: Value, language: Language) -> doc.Spans:
    """A value as people read it: its display name if it has one, otherwise as written."""
    match value:
        case bool() | Language():
            return words.VALUES[value](language)
        case Level():
            return LEVELS[value](language)
        case frozenset() if len(value) == _WEEK:
            return words.EVERY_DAY(language)
        case _:
            return (doc.Code(format_value(value)),)


def _line(name: str, value: doc.Spans, language: Language) -> doc.Item:
    return doc.Item(words.SET(language, name=name, value=value))


async def set_value(intent: Set, ctx: Context, room: Room) -> Answer:
    """Change a setting. Only a named admin may show private repositories to outsiders."""
    if intent.setting is ChatSetting.PRIVATE and intent.value and not room.appointed:
        raise UserError(words.APPOINTED_ONLY.text(ctx.language))
    if intent.setting is ChatSetting.BRANCH and intent.value and room.check is not None:
        for name in room.repositories:
            await room.check(name, str(intent.value))
    await room.chats.change(room.chat, lambda kept: _with(kept, intent.setting, intent.value))
    room.tell()
    value = format_value(intent.value) or words.DEFAULT_BRANCH.template(ctx.language)
    name = words.NAMES[intent.setting].template(ctx.language)
    return settings_answer(
        ctx, [doc.Paragraph(words.DONE(ctx.language, name=name, value=(doc.Code(value),)))]
    )


def _with(settings: ChatSettings, setting: ChatSetting, value: Any) -> ChatSettings:
    match setting:
        case ChatSetting.LANGUAGE:
            return replace(settings, language=value)
        case ChatSetting.BOTS:
            return replace(settings, filters=replace(settings.filters, bots=value))
        case ChatSetting.PRIVATE:
            return replace(settings, private=value)
        case _:
            field = {
                ChatSetting.ZONE: "zone",
                ChatSetting.TIME: "at",
                ChatSetting.WEEKDAYS: "weekdays",
                ChatSetting.LEVEL: "least",
                ChatSetting.BRANCH: "branch",
            }[setting]
            return replace(settings, timing=replace(settings.timing, **{field: value}))


async def end_of(until: PauseEnd, ctx: Context, room: Room) -> tuple[datetime, ZoneInfo]:
    """When something that begins now ends, with the zone to tell it in. Raises ``UserError``."""
    now, zone = ctx.clock.now().replace(microsecond=0), await digest_zone(ctx, room)
    try:
        end = pause_end(until, now, zone)
    except OverflowError:
        end = now
    if not now < end <= now + _LONGEST_PAUSE:
        raise UserError(words.PAUSE_RANGE.text(ctx.language))
    return end, zone


async def mute(intent: Mute, ctx: Context, room: Room) -> Answer:
    """Exclude a topic from the chat's posts."""
    if intent.until is None:
        said = await mute_topic(room, intent.topic, ctx.language)
    else:
        end, zone = await end_of(intent.until, ctx, room)
        said = await mute_topic(room, intent.topic, ctx.language, end)
        said += " " + words.UNTIL.text(ctx.language, moment=minute(end, zone), zone=zone.key)
    return settings_answer(ctx, [doc.Paragraph((doc.Text(said),))])


async def mute_topic(
    room: Room, topic: str, language: Language, end: datetime | None = None
) -> str:
    """Exclude a topic from a chat's posts and return the confirmation. Raises ``UserError``."""

    def muted(settings: ChatSettings) -> ChatSettings:
        settings = _without(
            settings,
            [muted_topic for muted_topic in settings.muted if term(muted_topic) == term(topic)],
        )
        if len(settings.muted) >= MOST_TOPICS:
            raise UserError(words.TOO_MANY.text(language, n=MOST_TOPICS))
        ends = settings.muted_until if end is None else {**settings.muted_until, topic: end}
        return replace(settings, muted=(*settings.muted, topic), muted_until=ends)

    await room.chats.change(room.chat, muted)
    room.tell()
    return words.MUTED.text(language, topic=topic)


def _without(settings: ChatSettings, topics: Sequence[str]) -> ChatSettings:
    ends = {topic: end for topic, end in settings.muted_until.items() if topic not in topics}
    rest = tuple(muted_topic for muted_topic in settings.muted if muted_topic not in topics)
    return replace(settings, muted=rest, muted_until=ends)


async def unmute(intent: Unmute, ctx: Context, room: Room) -> Answer:
    """Show a muted topic in the chat's posts again."""
    before = (await room.chats.settings(room.chat)).muted
    gone = [muted_topic for muted_topic in before if term(muted_topic) == term(intent.topic)]
    if not gone:
        said = words.NOT_MUTED(ctx.language, topic=intent.topic)
        return settings_answer(ctx, [doc.Paragraph(said)])
    await room.chats.change(room.chat, lambda kept: _without(kept, gone))
    room.tell()
    return settings_answer(ctx, [doc.Paragraph(words.UNMUTED(ctx.language, topic=intent.topic))])


SETTING_HANDLERS: Mapping[type[Any], Callable[[Any, Context, Room], Awaitable[Answer]]] = {
    ShowSettings: show_settings,
    Set: set_value,
    Mute: mute,
    Unmute: unmute,
}
