"""Filters of a chat, tried on the last week of its repositories, saved and removed."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from digest.chat.chat_intents import Filter, Unfilter
from digest.chat.chat_settings import (
    MOST_RULES,
    ChatSettings,
    DigestTiming,
    Filters,
    Rule,
    RuleField,
)
from digest.core.enums import Frequency
from digest.core.grade import Repository
from digest.document import Actions, Listing, Paragraph, plain
from digest.errors import SourceUnavailable, UserError
from handlers.chat.filter_preview import FILTER_HANDLERS
from handlers.ports.chat_port import ChatDigest, ChatKey, Room
from tests.support.fakes import FakeClock, FakeSource, change, context

NOW = FakeClock().now()
DOCS = Rule(field=RuleField.PATH, pattern="docs/*")
SOURCES = Rule(field=RuleField.PATH, pattern="src/*")


def change_of(sha: str, path: str, days: float):
    return change(sha * 40, f"Touch {path}", {path: 3}, NOW - timedelta(days=days))


ENGINE = [
    change_of("a", "src/a.py", 1),
    change_of("b", "docs/b.md", 2),
    change_of("c", "docs/c.md", 6.9),
    change_of("d", "docs/d.md", 7.1),
]
WEB = [change_of("e", "docs/e.md", 1), change_of("f", "src/f.py", 3)]


class Chat:
    """The settings of one chat, and how often its digests were told of a change."""

    def __init__(self, filters: Filters, branches: dict[str, str]) -> None:
        self.owners: dict[str, str] = {}
        self.kept, self.told, self.watched = ChatSettings(filters=filters), 0, []
        self._branches = branches

    async def settings(self, chat):
        return self.kept

    async def change(self, chat, change):
        self.kept = change(self.kept)
        return self.kept

    async def runs(self):
        return [
            ChatDigest(
                repositories=(name,),
                kind=kind,
                timing=DigestTiming(branch=branch if kind is Frequency.DAILY else "weekly"),
            )
            for name, branch in self._branches.items()
            for kind in (Frequency.WEEKLY, Frequency.DAILY)
            if branch or kind is Frequency.WEEKLY
        ]

    async def watch(self, name, branch):
        self.watched.append((name, branch))
        source = FakeSource(WEB if name == "acme/web" else ENGINE, branch=branch)
        if text := self.owners.get(name):
            tip = await source.tip()
            source.trees = {(tip.sha, ".github/CODEOWNERS"): text}
        source.failure = SourceUnavailable("no server") if name == "acme/gone" else None
        return replace(context(source).watched, repository=Repository(name=name), branch=branch)

    def tell(self):
        self.told += 1

    async def did(self, intent) -> list[str]:
        """The lines of the answer; buttons as their values."""
        room = Room(
            chat=ChatKey(platform="slack", chat="C1"),
            chats=self,
            repositories=("octo/engine", *self._branches),
            runs=self.runs,
            tell=self.tell,
            watch=self.watch,
        )
        answer = await FILTER_HANDLERS[type(intent)](intent, context(FakeSource(ENGINE)), room)
        said = []
        for block in answer.document.blocks:
            match block:
                case Paragraph(spans):
                    said.append(plain(spans))
                case Listing(items):
                    said += [plain(item.spans) for item in items]
                case Actions(buttons):
                    said += [button.value for button in buttons]
        return said


def chat(filters: Filters = Filters(), **branches: str) -> Chat:  # noqa: B008  # is frozen
    return Chat(filters, {f"acme/{name}": branch for name, branch in branches.items()})


async def test_rule_is_tried_on_the_last_week_and_not_saved():
    where = chat()
    assert await where.did(Filter(rule=DOCS, include=True)) == [
        "include path docs/* would keep 2 of the 3 changes of the last 7 days in octo/engine.",
        "Without it, 3 are kept.",
        "Left out: include path 1.",
        "To save it: save include path docs/*",
        "include path docs/*",
    ]
    assert (where.kept, where.told) == (ChatSettings(), 0)


async def test_rule_on_owners_is_tried_with_the_owners_of_each_repository():
    where = chat(web="")
    where.owners = {"acme/web": "docs/ @octo/writers\n"}
    rule = Rule(field=RuleField.OWNER, pattern="writers")
    lines = await where.did(Filter(rule=rule, include=True))
    assert lines[0].startswith("include owner writers would keep 1 of the 2 changes")
    assert await chat(web="").did(Filter(rule=rule, include=True)) != lines


async def test_rule_is_tried_together_with_those_that_are_saved():
    where = chat(Filters(include=(DOCS,)))
    told = await where.did(Filter(rule=replace(DOCS, pattern="docs/b*"), include=False))
    assert "keep 1 of the 3 changes" in told[0]
    assert told[1] == "Without it, 2 are kept."


async def test_rule_is_tried_on_each_repository_that_the_chat_follows():
    where = chat(web="dev", engine="")
    told = await where.did(Filter(rule=DOCS, include=False))
    assert "would keep 2 of the 5 changes of the last 7 days in acme/engine, acme/web." in told[0]
    assert told[2:4] == ["acme/engine: 1 of 3", "acme/web: 1 of 2"]
    assert where.watched == [("acme/engine", "weekly"), ("acme/web", "dev")]


async def test_repository_that_cannot_be_read_is_named_unless_it_is_the_only_one():
    told = await chat(gone="", web="").did(Filter(rule=SOURCES, include=True))
    assert "would keep 1 of the 2 changes of the last 7 days in acme/web." in told[0]
    assert "acme/gone cannot be read now." in told
    with pytest.raises(SourceUnavailable):
        await chat(gone="").did(Filter(rule=SOURCES, include=True))


async def test_rule_is_saved_with_what_it_keeps():
    where = chat()
    told = await where.did(Filter(rule=SOURCES, include=False, save=True))
    assert told == [
        "Saved: exclude path src/*. It keeps 2 of the 3 changes of the last 7 days in octo/engine."
    ]
    assert (where.kept.filters, where.told) == (Filters(exclude=(SOURCES,)), 1)


@pytest.mark.parametrize("save", [False, True])
async def test_last_rule_that_a_chat_may_have_is_taken_and_one_more_refused(save):
    rules = [Rule(field=RuleField.KEYWORD, pattern=f"word{n}") for n in range(MOST_RULES)]
    where = chat(Filters(exclude=tuple(rules[1:])))
    await where.did(Filter(rule=rules[0], include=False, save=True))
    assert where.kept.filters.size == MOST_RULES
    with pytest.raises(UserError, match=str(MOST_RULES)):
        await where.did(Filter(rule=DOCS, include=True, save=save))
    assert where.kept.filters.size == MOST_RULES


async def test_only_a_rule_that_fits_into_a_button_has_one():
    for length, shown in ((37, True), (38, False)):
        rule = Rule(field=RuleField.PATH, pattern="x" * length)
        told = await chat().did(Filter(rule=rule, include=True))
        assert (told[-1] == f"include path {'x' * length}") is shown


async def test_rules_are_removed_one_by_one_or_all_and_bots_stay_hidden_or_shown():
    where = chat(Filters(include=(DOCS,), exclude=(SOURCES,), bots=True))
    assert "path bots" in (await where.did(Unfilter(rule=replace(DOCS, pattern="bots"))))[0]
    assert where.told == 0
    await where.did(Unfilter(rule=DOCS))
    assert (where.kept.filters, where.told) == (Filters(exclude=(SOURCES,), bots=True), 1)
    await where.did(Unfilter())
    assert (where.kept.filters, where.told) == (Filters(bots=True), 2)
