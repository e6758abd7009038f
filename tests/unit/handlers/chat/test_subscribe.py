"""Subscriptions of a chat: to which repository, on which days, and what is told of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from digest.chat.chat_intents import Subscribe, Unsubscribe
from digest.chat.chat_settings import ChatSettings, DigestTiming
from digest.core.enums import Frequency, Language
from digest.document import plain
from digest.errors import UserError
from handlers.chat.subscribe import days_of, manage
from handlers.ports.chat_port import ChatDigest, ChatKey, Room
from tests.support.fakes import FakeSource, context

NAMES = ("acme/engine", "acme/web", "other/web", "acme/docs", "acme/tools", "acme/site")


class Chats:
    """What one chat subscribed to."""

    def __init__(self) -> None:
        self.kept = []

    async def settings(self, chat):
        return ChatSettings()

    async def subscribe(self, chat, subscription):
        self.kept.append(subscription)

    async def subscribed(self, chat):
        return self.kept

    async def unsubscribe(self, chat, name, kind):
        gone = [
            one for one in self.kept
            if (not name or one.repository == name) and kind in {None, one.kind}
        ]  # fmt: skip
        self.kept = [one for one in self.kept if one not in gone]
        return len(gone)


def room(**more) -> Room:
    given = {"repositories": NAMES, "chats": Chats(), **more}
    return Room(chat=ChatKey(platform="slack", chat="C1"), person="slack:U1", **given)


async def told(intent, where: Room) -> list[str]:
    answer = await manage(intent, replace(context(FakeSource([])), room=where))
    return [plain(block.spans) for block in answer.document.blocks]


@pytest.mark.parametrize("name", ["acme/engine", "Acme/Engine", "engine", "ENGINE"])
async def test_repository_is_known_by_its_name_or_by_its_last_part(name):
    where = room()
    (said,) = await told(Subscribe(repository=name), where)
    assert "acme/engine" in said
    assert [(one.repository, one.person) for one in where.chats.kept] == [
        ("acme/engine", "slack:U1")
    ]


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("acme/engin", "acme/engine, acme/web, acme/site"),
        ("web", "acme/engine, acme/web, other/web, acme/docs, acme/tools"),
        ("zzzzzz", "acme/engine, acme/web, other/web, acme/docs, acme/tools"),
    ],
)
async def test_unknown_or_ambiguous_repository_is_refused_with_those_that_are_like_it(name, near):
    where = room()
    with pytest.raises(UserError) as refused:
        await told(Subscribe(repository=name), where)
    assert str(refused.value).endswith(f"it can subscribe to {near}.")
    assert where.chats.kept == []


async def test_chat_without_a_name_gets_all_that_it_may_see_and_the_loop_is_told():
    rang: list[str] = []
    where = room(tell=lambda: rang.append("now"))
    await told(Subscribe(), where)
    assert [one.repository for one in where.chats.kept] == list(NAMES)
    assert rang == ["now"]


async def test_place_where_nothing_is_posted_says_so():
    for here, count in ((False, 1), (True, 2)):
        assert len(await told(Subscribe(repository="engine"), room(here=here))) == count


async def test_branch_is_looked_up_before_anything_is_subscribed():
    asked: list[tuple[str, str]] = []

    async def check(name: str, branch: str) -> None:
        asked.append((name, branch))
        raise UserError("there is no such branch")

    where = room(check=check)
    intent = Subscribe(repository="engine", timing=DigestTiming(branch="next"))
    with pytest.raises(UserError, match="no such branch"):
        await told(intent, where)
    assert (asked, where.chats.kept) == ([("acme/engine", "next")], [])
    await told(Subscribe(repository="engine"), where)
    assert len(asked) == 1, "without a branch there is nothing to look up"


@pytest.mark.parametrize(
    ("kind", "usual", "given", "days"),
    [
        (Frequency.WEEKLY, None, None, {0}),
        (Frequency.WEEKLY, {4, 2}, None, {2}),
        (Frequency.WEEKLY, {4, 2}, {3}, {3}),
        (Frequency.DAILY, {4, 2}, {1, 3}, {1, 3}),
        (Frequency.DAILY, None, None, None),
    ],
)
async def test_digest_of_weeks_comes_on_one_day(kind, usual, given, days):
    defaults = DigestTiming(weekdays=None if usual is None else frozenset(usual))
    timing = DigestTiming(weekdays=None if given is None else frozenset(given))
    where = room(defaults=defaults)
    await told(Subscribe(repository="engine", kind=kind, timing=timing), where)
    (one,) = where.chats.kept
    assert one.timing.weekdays == days


@pytest.mark.parametrize("days", [{1, 2}, {0, 1, 2, 3, 4, 5, 6}])
async def test_digest_of_weeks_on_several_days_is_refused(days):
    intent = Subscribe(kind=Frequency.WEEKLY, timing=DigestTiming(weekdays=frozenset(days)))
    with pytest.raises(UserError):
        await told(intent, room())


@pytest.mark.parametrize(
    ("intent", "left", "blocks"),
    [
        (Unsubscribe(), [], 2),
        (Unsubscribe(repository="engine"), ["acme/web"], 2),
        (Unsubscribe(repository="acme/web"), ["acme/engine"], 1),
        (Unsubscribe(kind=Frequency.WEEKLY), ["acme/engine", "acme/web"], 1),
        (Unsubscribe(kind=Frequency.DAILY), [], 2),
    ],
)
async def test_what_the_chat_made_ends_and_what_the_configuration_has_stays(intent, left, blocks):
    async def runs():
        fixed = {"kind": Frequency.DAILY, "timing": DigestTiming(), "following": None}
        return [
            ChatDigest(repositories=("acme/engine",), fixed=True, **fixed),
            ChatDigest(repositories=("acme/web",), fixed=False, **fixed),
        ]

    where = room(runs=runs)
    for name in ("acme/engine", "acme/web"):
        await told(Subscribe(repository=name), where)
    assert len(await told(intent, where)) == blocks
    assert [one.repository for one in where.chats.kept] == left


async def test_repository_that_the_chat_may_no_longer_see_can_be_unsubscribed():
    where = room()
    await told(Subscribe(repository="engine"), where)
    fewer = replace(where, repositories=("acme/web",))
    await told(Unsubscribe(repository="acme/engine"), fewer)
    assert where.chats.kept == []


def test_days_are_named_in_their_order():
    assert days_of(frozenset({4, 0}), Language.EN) == "Mon, Fri"
    assert days_of(frozenset({6, 0}), Language.ZH) == "周一、周日"
