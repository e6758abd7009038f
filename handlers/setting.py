"""Settings, filters and muted topics of a chat."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from digest.answer import Answer
from digest.chat import MOST_TOPICS, ChatSettings
from digest.document import (
    Actions,
    Block,
    Button,
    Code,
    Document,
    Heading,
    Item,
    Listing,
    Paragraph,
    Spans,
    Text,
    plain,
)
from digest.errors import UserError
from digest.filtering import MOST_RULES, Filters, counted
from digest.grade import Level
from digest.language import Language
from digest.managing import (
    Filter,
    Mute,
    Set,
    Setting,
    ShowSettings,
    Unfilter,
    Unmute,
    Value,
    format_managing,
    spelled,
)
from digest.terms import term
from digest.words import chats as words
from digest.words.labels import COMMA, LEVELS
from digest.words.phrase import Phrase, between
from handlers.chats import Room
from handlers.context import Context
from handlers.trying import Tried, Week, last_week

SAVE_ACTION = "save"
"""The name of a button: with its value behind it, it is the command that saves a filter."""

_WEEK = 7
_LONGEST_VALUE = 50
"""Bytes that the value of a button may have on the tightest platform, its name aside."""


def allowed(room: Room, language: Language) -> None:
    """Raises ``UserError`` for somebody who may not change the settings of the chat."""
    if not room.admin:
        raise UserError(words.ONLY_ADMINS.text(language))


def told(ctx: Context, blocks: Sequence[Block], title: Phrase | None = None) -> Answer:
    """An answer of a few blocks; without a title, its first paragraph is its title as well."""
    heads = [Heading(1, title(ctx.language))] if title else []
    first = title.template(ctx.language) if title else ""
    for block in blocks:
        if not first and isinstance(block, Paragraph):
            first = plain(block.spans)
    document = Document(title=first, blocks=(*heads, *blocks), language=str(ctx.language))
    return Answer(intent="chat", document=document)


async def show_settings(_intent: ShowSettings, ctx: Context, room: Room) -> Answer:
    """Everything that the chat set, and what holds where it set nothing."""
    language, kept = ctx.language, await room.chats.settings(room.chat)
    rows = [
        _line(name.template(language), value, language)
        for name, value in _values(kept, room, language)
    ]
    for phrase, entries in (
        (words.REPOSITORIES, room.repositories),
        (words.INCLUDED, [str(rule) for rule in kept.filters.include]),
        (words.EXCLUDED, [str(rule) for rule in kept.filters.exclude]),
        (words.TOPICS, kept.muted),
    ):
        if entries:
            named = between([Code(one) for one in entries], COMMA.template(language))
            rows.append(_line(phrase.template(language), named, language))
    if kept.paused:
        rows.append(Item(words.HELD(language)))
    return told(ctx, [Listing(tuple(rows))], words.SETTINGS)


def _values(kept: ChatSettings, room: Room, language: Language) -> list[tuple[Phrase, Spans]]:
    own, usual = kept.timing, room.defaults
    pairs: dict[Setting, tuple[Value | None, Value | None]] = {
        Setting.LANGUAGE: (kept.language, room.language),
        Setting.ZONE: (own.zone, usual.zone),
        Setting.TIME: (own.at, usual.at),
        Setting.WEEKDAYS: (own.weekdays, usual.weekdays),
        Setting.LEVEL: (own.least, usual.least),
        Setting.BRANCH: (own.branch or None, usual.branch or None),
    }
    found: list[tuple[Phrase, Spans]] = []
    for setting, (mine, default) in pairs.items():
        if mine is not None:
            found.append((words.NAMES[setting], _said(mine, language)))
        elif default is not None:
            said = words.AS_USUAL(language, value=_said(default, language))
            found.append((words.NAMES[setting], said))
    found.append((words.NAMES[Setting.BOTS], _said(kept.filters.bots, language)))
    if kept.private:
        found.append((words.NAMES[Setting.PRIVATE], _said(kept.private, language)))
    return found


def _said(value: Value, language: Language) -> Spans:
    """A value as people read it: what has a word of its own by that, the others as written."""
    match value:
        case bool() | Language():
            return words.VALUES[value](language)
        case Level():
            return LEVELS[value](language)
        case frozenset() if len(value) == _WEEK:
            return words.EVERY_DAY(language)
        case _:
            return (Code(spelled(value)),)


def _line(name: str, value: Spans, language: Language) -> Item:
    return Item(words.SET(language, name=name, value=value))


async def set_value(intent: Set, ctx: Context, room: Room) -> Answer:
    """Set something. Private repositories for outsiders are allowed by a named admin alone."""
    allowed(room, ctx.language)
    if intent.setting is Setting.PRIVATE and intent.value and not room.appointed:
        raise UserError(words.APPOINTED_ONLY.text(ctx.language))
    if intent.setting is Setting.BRANCH and intent.value and room.check is not None:
        for name in room.repositories:
            await room.check(name, str(intent.value))
    await room.chats.change(room.chat, lambda kept: _with(kept, intent.setting, intent.value))
    room.tell()
    value = spelled(intent.value) or words.DEFAULT_BRANCH.template(ctx.language)
    name = words.NAMES[intent.setting].template(ctx.language)
    return told(ctx, [Paragraph(words.DONE(ctx.language, name=name, value=(Code(value),)))])


def _with(kept: ChatSettings, setting: Setting, value: Any) -> ChatSettings:
    match setting:
        case Setting.LANGUAGE:
            return replace(kept, language=value)
        case Setting.BOTS:
            return replace(kept, filters=replace(kept.filters, bots=value))
        case Setting.PRIVATE:
            return replace(kept, private=value)
        case _:
            field = {
                Setting.ZONE: "zone",
                Setting.TIME: "at",
                Setting.WEEKDAYS: "weekdays",
                Setting.LEVEL: "least",
                Setting.BRANCH: "branch",
            }[setting]
            return replace(kept, timing=replace(kept.timing, **{field: value}))


async def mute(intent: Mute, ctx: Context, room: Room) -> Answer:
    """Leave a topic out of the chat's posts."""
    return told(ctx, [Paragraph((Text(await mute_topic(room, intent.topic, ctx.language)),))])


async def mute_topic(room: Room, topic: str, language: Language) -> str:
    """Leave a topic out of the posts of a chat; what is said of it. Raises ``UserError``."""
    allowed(room, language)

    def muted(kept: ChatSettings) -> ChatSettings:
        rest = tuple(one for one in kept.muted if term(one) != term(topic))
        if len(rest) >= MOST_TOPICS:
            raise UserError(words.TOO_MANY.text(language, n=MOST_TOPICS))
        return replace(kept, muted=(*rest, topic))

    await room.chats.change(room.chat, muted)
    room.tell()
    return words.MUTED.text(language, topic=topic)


async def unmute(intent: Unmute, ctx: Context, room: Room) -> Answer:
    """Show a topic in the chat's posts again."""
    allowed(room, ctx.language)
    before = (await room.chats.settings(room.chat)).muted
    gone = [one for one in before if term(one) == term(intent.topic)]
    if not gone:
        said = words.NOT_MUTED(ctx.language, topic=intent.topic)
        return told(ctx, [Paragraph(said)])
    await room.chats.change(
        room.chat,
        lambda kept: replace(kept, muted=tuple(one for one in kept.muted if one not in gone)),
    )
    room.tell()
    return told(ctx, [Paragraph(words.UNMUTED(ctx.language, topic=intent.topic))])


async def filter_changes(intent: Filter, ctx: Context, room: Room) -> Answer:
    """Show what a rule would keep of the last week; with ``save``, keep the rule."""
    allowed(room, ctx.language)
    before = (await room.chats.settings(room.chat)).filters
    after = before.given(intent.rule, include=intent.include)
    if after.size > MOST_RULES:
        raise UserError(words.TOO_MANY.text(ctx.language, n=MOST_RULES))
    tried = await last_week(ctx, room)
    if intent.save:
        return await _saved(intent, ctx, room, tried)
    command = format_managing(replace(intent, save=True))
    blocks: list[Block] = [
        *_preview(intent, before, after, tried, ctx.language),
        Paragraph(words.SAVE_WITH(ctx.language, command=(Code(command),))),
    ]
    value = command.removeprefix(f"{SAVE_ACTION} ")
    if len(value.encode()) <= _LONGEST_VALUE:
        button = Button(words.SAVE.template(ctx.language), action=SAVE_ACTION, value=value)
        blocks.append(Actions((button,)))
    return told(ctx, blocks)


def _preview(
    intent: Filter, before: Filters, after: Filters, tried: Tried, language: Language
) -> list[Block]:
    kept, rules = tried.kept(after), tried.rules(after)
    said = words.PREVIEW(
        language,
        rule=(Code(_ruled(intent)),),
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
    blocks += [Paragraph(words.UNREAD(language, repository=one)) for one in tried.unread]
    return blocks


def _of_one(week: Week, kept: int, language: Language) -> Item:
    total = len(week.changes)
    return Item(words.OF_ONE(language, repository=week.repository, kept=kept, total=total))


def rules_of(rules: Iterable[str]) -> str:
    """Rules with how often each left a change out."""
    return ", ".join(f"{rule} {count}" for rule, count in counted(rules))


def _ruled(intent: Filter) -> str:
    return format_managing(replace(intent, save=False))


async def _saved(intent: Filter, ctx: Context, room: Room, tried: Tried) -> Answer:
    fresh = await room.chats.change(
        room.chat,
        lambda kept: replace(kept, filters=kept.filters.given(intent.rule, include=intent.include)),
    )
    room.tell()
    said = words.SAVED(
        ctx.language,
        rule=(Code(_ruled(intent)),),
        kept=sum(tried.kept(fresh.filters)),
        total=tried.total,
        repository=tried.names,
    )
    return told(ctx, [Paragraph(said)])


async def unfilter(intent: Unfilter, ctx: Context, room: Room) -> Answer:
    """Take a rule away, or all of them; bots are a setting of their own."""
    allowed(room, ctx.language)
    before, rule = (await room.chats.settings(room.chat)).filters, intent.rule
    if rule is not None and rule not in (*before.include, *before.exclude):
        said = words.NO_RULE(ctx.language, rule=(Code(str(rule)),))
        return told(ctx, [Paragraph(said)])
    await room.chats.change(
        room.chat,
        lambda kept: replace(
            kept,
            filters=kept.filters.without(rule) if rule else Filters(bots=kept.filters.bots),
        ),
    )
    room.tell()
    gone = (
        words.REMOVED(ctx.language, rule=(Code(str(rule)),))
        if rule
        else words.CLEARED(ctx.language)
    )
    return told(ctx, [Paragraph(gone)])


SETTING_HANDLERS: Mapping[type[Any], Callable[[Any, Context, Room], Awaitable[Answer]]] = {
    ShowSettings: show_settings,
    Set: set_value,
    Mute: mute,
    Unmute: unmute,
    Filter: filter_changes,
    Unfilter: unfilter,
}
