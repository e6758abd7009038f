"""Who is answered, about what, and who is told so."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.access import gate as gate_module
from bot.access.gate import (
    AccessGate,
    DenialReason,
    Policy,
    QuestionCounts,
    QuestionNumbers,
    decide,
    policy_of,
    refusal,
)
from bot.config.reader import read
from bot.messaging.receiver import Incoming
from digest.core.enums import Language

POLICY = Policy(
    channels={"slack:C1": ("ada/open", "ada/secret"), "slack:C2": ("ada/secret",)},
    repositories={"ada/open": False, "ada/secret": True, "ada/other": True},
)


def message(chat: str = "C1", person: str = "U1", **more: object) -> Incoming:
    plain = Incoming(
        platform="slack", chat=chat, person=person, text="help", id="1", at=datetime.now(UTC)
    )
    return replace(plain, **more)  # type: ignore[arg-type]  # fields by name


def test_channel_is_told_of_its_repositories_in_the_order_of_the_file() -> None:
    verdict = decide(message(), POLICY)
    assert verdict.allowed
    assert verdict.repositories == ("ada/open", "ada/secret")


def test_listed_chat_is_told_of_every_repository() -> None:
    verdict = decide(message("C9"), replace(POLICY, chats=frozenset({"slack:C9"})))
    assert verdict.repositories == ("ada/open", "ada/secret", "ada/other")


def test_unknown_chat_is_refused_and_told_of_nothing() -> None:
    verdict = decide(message("C9"), POLICY)
    assert (verdict.reason, verdict.repositories, verdict.silent) == (DenialReason.CHAT, (), False)


def test_refusal_is_silent_where_nobody_addressed_the_bot() -> None:
    assert decide(message("C9", addressed=False), POLICY).silent


def test_chat_of_another_platform_with_the_same_id_is_refused() -> None:
    assert decide(message(platform="telegram"), POLICY).reason is DenialReason.CHAT


def test_other_workspaces_are_refused_where_some_are_listed() -> None:
    policy = replace(POLICY, workspaces=frozenset({"slack:T1"}), anyone=True)
    assert decide(message(workspace="T1"), policy).allowed
    assert decide(message(workspace="T2"), policy).reason is DenialReason.WORKSPACE
    assert decide(message(), policy).reason is DenialReason.WORKSPACE
    assert decide(message(platform="telegram"), policy).allowed


def test_nobody_but_the_listed_people_and_admins_is_answered() -> None:
    policy = replace(
        POLICY, people=frozenset({"slack:U1"}), channel_admins={"slack:C1": frozenset({"slack:U2"})}
    )
    assert decide(message(person="U1"), policy).allowed
    assert decide(message(person="U2"), policy).allowed
    assert decide(message(person="U3"), policy).reason is DenialReason.PERSON
    assert decide(message("C2", person="U2"), policy).reason is DenialReason.PERSON


def test_listed_person_is_answered_in_direct_chats_alone() -> None:
    policy = replace(POLICY, people=frozenset({"slack:U1"}))
    assert decide(message("D1", direct=True), policy).allowed
    assert decide(message("C9"), policy).reason is DenialReason.CHAT


def test_external_chat_is_told_of_public_repositories_alone() -> None:
    verdict = decide(message(external=True), POLICY)
    assert verdict.repositories == ("ada/open",)


def test_external_chat_of_private_repositories_is_refused() -> None:
    assert decide(message("C2", external=True), POLICY).reason is DenialReason.PRIVATE


def test_external_chat_that_an_admin_trusts_is_told_of_everything() -> None:
    policy = replace(POLICY, trusted=frozenset({"slack:C2"}))
    assert decide(message("C2", external=True), policy).repositories == ("ada/secret",)


@pytest.mark.parametrize(("said", "told"), [(True, False), (False, True)])
def test_configuration_knows_better_than_the_platform_who_reads(said: bool, told: bool) -> None:
    policy = replace(POLICY, shared={"slack:C2": said})
    assert decide(message("C2", external=not said), policy).allowed is told


def test_repository_that_no_policy_knows_is_private() -> None:
    policy = replace(POLICY, channels={"slack:C1": ("ada/new",)})
    assert decide(message(external=True), policy).reason is DenialReason.PRIVATE


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        (QuestionNumbers(minute=2, hour=2), None),
        (QuestionNumbers(minute=3, hour=3), DenialReason.MINUTE),
        (QuestionNumbers(minute=0, hour=9), DenialReason.HOUR),
    ],
)
def test_limits_of_a_person_hold(load: QuestionNumbers, reason: DenialReason | None) -> None:
    policy = replace(POLICY, limits=QuestionNumbers(minute=3, hour=9))
    assert decide(message(), policy, load).reason is reason
    assert decide(message(), POLICY, load).allowed


def test_roles_are_by_name_for_all_chats_or_for_one() -> None:
    policy = replace(
        POLICY,
        admins=frozenset({"slack:U1"}),
        channel_admins={"slack:C2": frozenset({"slack:U2"})},
    )
    assert decide(message("C2", "U1"), policy).admin
    assert decide(message("C2", "U2"), policy).admin
    assert not decide(message("C1", "U2"), policy).admin
    assert not decide(message("C1", "U2"), replace(policy, channel_admins={})).admin
    assert not decide(message("C1", "U2"), replace(policy, admins=frozenset())).admin


def test_without_roles_everybody_who_is_answered_may_change_settings() -> None:
    assert decide(message(), POLICY).admin


async def test_gate_counts_minutes_and_tells_a_person_once_a_minute() -> None:
    now = [0.0]
    gate = AccessGate(
        replace(POLICY, limits=QuestionNumbers(minute=2)), asked=QuestionCounts(lambda: now[0])
    )
    told = [await gate.admit("slack", message()) for _ in range(4)]
    assert [one.allowed for one in told] == [True, True, False, False]
    assert [one.silent for one in told] == [False, False, False, True]
    assert (await gate.admit("slack", message(person="U2"))).allowed
    now[0] = 61.0
    assert (await gate.admit("slack", message())).allowed


async def test_refused_questions_keep_nobody_waiting_longer() -> None:
    now = [0.0]
    gate = AccessGate(
        replace(POLICY, limits=QuestionNumbers(minute=1)), asked=QuestionCounts(lambda: now[0])
    )
    allowed = []
    with capture_logs() as logs:
        for at in (0.0, 30.0, 50.0, 61.0):
            now[0] = at
            allowed.append((await gate.admit("slack", message())).allowed)
    assert allowed == [True, False, False, True]
    refused = [(one["event"], one["person"], one["reason"]) for one in logs]
    assert refused == [("message.refused", "slack:U1", "minute")] * 2


@pytest.mark.parametrize("reason", DenialReason)
def test_refusal_is_told_in_words_that_name_no_repository(reason: DenialReason) -> None:
    verdict = replace(decide(message("C9"), POLICY), reason=reason)
    english, chinese = (refusal(verdict, language) for language in Language)
    assert english != chinese
    assert "ada/" not in english + chinese


def test_rules_are_those_of_the_configuration(tmp_path: Path) -> None:
    file = tmp_path / "digestbot.toml"
    file.write_text(
        """
        access = {per_minute = 3, per_hour = 9, chats = ["slack:C9"], admins = ["slack:U1"]}
        platforms.slack = {bot_token = "xoxb-1"}
        repositories = [{place = "/a", name = "ada/a", visibility = "private"}]
        channels = [
          {name = "one", platform = "slack", chat = "C1", external = false},
          {name = "two", platform = "slack", chat = "C2", external = true},
          {name = "three", platform = "slack", chat = "C3", allow_private = true, admins = ["slack:U2"]},
        ]
        """
    )
    file.chmod(0o600)
    policy = policy_of(read(file, {}), {"slack": "slack"})
    assert policy == Policy(
        channels={f"slack:C{n}": ("ada/a",) for n in (1, 2, 3)},
        chats=frozenset({"slack:C9"}),
        admins=frozenset({"slack:U1"}),
        channel_admins={"slack:C3": frozenset({"slack:U2"})},
        repositories={"ada/a": True},
        trusted=frozenset({"slack:C3"}),
        shared={"slack:C1": False, "slack:C2": True},
        limits=QuestionNumbers(minute=3, hour=9),
    )


async def test_gate_asks_what_admins_allowed_at_every_message() -> None:
    trusted: set[str] = set()

    async def trust(_account: str, chat: str) -> bool:
        return chat in trusted

    gate = AccessGate(POLICY, trust)
    assert await gate.tellable("slack", "slack:C2", ["ada/secret"], external=True) == ()
    trusted.add("slack:C2")
    assert await gate.tellable("slack", "slack:C2", ["ada/secret"], external=True) == (
        "ada/secret",
    )
    assert (await gate.admit("slack", message("C2", external=True))).allowed


async def test_gate_lets_nothing_be_posted_where_nobody_is_answered_any_more() -> None:
    gate = AccessGate(POLICY)
    assert await gate.tellable("slack", "slack:C9", ["ada/open"], external=False) == ()


async def test_gate_lets_a_chat_be_posted_its_own_repositories_alone() -> None:
    both = Policy(channels={"slack:C1": ("a",)}, repositories={"a": False, "b": False})
    assert await AccessGate(both).tellable("slack", "slack:C1", ["a", "b"], external=False) == (
        "a",
    )


async def test_gate_lets_be_posted_what_the_person_who_asked_may_still_see() -> None:
    listed = Policy(
        chats=frozenset({"slack:C1"}),
        people=frozenset({"slack:U1"}),
        repositories={"a": False},
    )
    gate = AccessGate(listed)
    for person, told in (("slack:U1", ("a",)), ("slack:U2", ()), ("", ("a",))):
        got = await gate.tellable("slack", "slack:C1", ["a"], external=False, person=person)
        assert got == told


async def test_gate_trusts_an_account_and_not_another_in_the_same_chat() -> None:
    async def trust(account: str, chat: str) -> bool:
        return (account, chat) == ("first", "slack:C2")

    gate = AccessGate(POLICY, trust)
    for account, told in (("first", ("ada/secret",)), ("second", ())):
        assert await gate.tellable(account, "slack:C2", ["ada/secret"], external=True) == told


@pytest.mark.parametrize(
    "policy",
    [
        Policy(anyone=True),
        Policy(channels={"slack:C1": ("a",)}),
        Policy(chats=frozenset({"slack:C1"})),
        Policy(people=frozenset({"slack:U1"})),
        Policy(admins=frozenset({"slack:U1"})),
    ],
)
async def test_subscription_of_a_person_is_posted_where_one_rule_lets_them_ask(policy) -> None:
    gate = AccessGate(replace(policy, repositories={"a": False}))
    for person, told in (("slack:U1", ("a",)), ("slack:U2", ())):
        got = await gate.tellable("slack", "slack:C1", ["a"], external=False, person=person)
        open_ = not policy.people and not policy.admins
        assert got == (("a",) if open_ else told)
    elsewhere = await gate.tellable("slack", "slack:C2", ["a"], external=False, person="slack:U2")
    assert elsewhere == (("a",) if policy.anyone else ())


async def test_subscription_on_this_machine_is_always_posted() -> None:
    gate = AccessGate(Policy(repositories={"a": False}))
    for person in ("", "console:me"):
        got = await gate.tellable("console", "console:1", ["a"], external=False, person=person)
        assert got == ("a",)


async def test_admin_of_a_chat_is_posted_there_although_others_are_listed() -> None:
    policy = Policy(
        people=frozenset({"slack:U9"}),
        channels={"slack:C1": ("a",)},
        channel_admins={"slack:C1": frozenset({"slack:U1"})},
        repositories={"a": False},
    )
    gate = AccessGate(policy)
    for person, told in (("slack:U1", ("a",)), ("slack:U2", ())):
        got = await gate.tellable("slack", "slack:C1", ["a"], external=False, person=person)
        assert got == told


@pytest.mark.parametrize(
    ("policy", "told"),
    [
        (Policy(), ()),
        (Policy(anyone=True), ("a",)),
        (Policy(chats=frozenset({"slack:D1"})), ("a",)),
        (Policy(people=frozenset({"slack:U1"})), ("a",)),
        (Policy(admins=frozenset({"slack:U1"})), ("a",)),
    ],
)
async def test_chat_is_posted_to_unprompted_where_somebody_in_it_may_be_answered(policy, told):
    gate = AccessGate(replace(policy, repositories={"a": False}))
    assert await gate.tellable("slack", "slack:D1", ["a"], external=False) == told


def private(text: str, **more: object) -> Incoming:
    return message("C2", external=True, **{"text": text, **more})


GRANTING = replace(POLICY, channel_admins={"slack:C2": frozenset({"slack:U1"})})


async def test_admin_of_a_chat_that_may_see_nothing_can_allow_it_to() -> None:
    verdict = await AccessGate(GRANTING).admit("slack", private("settings private on"))
    assert (verdict.allowed, verdict.repositories) == (True, ("ada/secret",))


@pytest.mark.parametrize(
    "refused",
    [
        private("settings private on", person="U2"),
        private("settings private on", action="b1"),
        private("settings private off"),
        private("settings bots on"),
        private("settings zone Nowhere/Nothing"),
        private("what changed today"),
    ],
    ids=lambda one: f"{one.person} {one.text} {one.action}",
)
async def test_nothing_else_works_in_a_chat_that_may_see_nothing(refused) -> None:
    verdict = await AccessGate(GRANTING).admit("slack", refused)
    assert verdict.reason is DenialReason.PRIVATE
    assert verdict.repositories == ()


async def test_permission_is_not_a_way_into_a_chat_that_is_not_answered() -> None:
    policy = replace(GRANTING, workspaces=frozenset({"slack:T9"}))
    verdict = await AccessGate(policy).admit("slack", private("settings private on"))
    assert verdict.reason is DenialReason.WORKSPACE


async def test_trust_is_not_looked_up_where_it_changes_nothing() -> None:
    asked: list[str] = []

    async def trust(_account: str, chat: str) -> bool:
        asked.append(chat)
        return True

    gate = AccessGate(POLICY, trust)
    await gate.admit("slack", message("C2"))
    await gate.tellable("slack", "slack:C2", ["ada/secret"], external=False)
    assert asked == []
    await gate.admit("slack", message("C2", external=True))
    assert asked == ["slack:C2"]


async def test_questions_count_for_a_minute_and_for_an_hour() -> None:
    now = [0.0]
    counts = QuestionCounts(lambda: now[0])
    assert await counts.count("slack:U1") == QuestionNumbers()
    now[0] = 59.0
    assert await counts.count("slack:U1") == QuestionNumbers(minute=1, hour=1)
    now[0] = 60.0
    assert await counts.count("slack:U1") == QuestionNumbers(minute=1, hour=2)
    now[0] = 3600.0
    assert await counts.count("slack:U1") == QuestionNumbers(minute=0, hour=2)
    assert await counts.count("slack:U2") == QuestionNumbers()


async def test_refused_question_does_not_count() -> None:
    counts = QuestionCounts(lambda: 1.0)
    await counts.count("slack:U1")
    await counts.count("slack:U1")
    await counts.uncount("slack:U1")
    await counts.uncount("slack:U2")
    assert await counts.count("slack:U1") == QuestionNumbers(minute=1, hour=1)


async def test_refusal_is_told_again_after_a_minute() -> None:
    now = [0.0]
    counts = QuestionCounts(lambda: now[0])
    told = []
    for at in (0.0, 59.0, 60.0, 61.0):
        now[0] = at
        told.append(await counts.told_lately("slack:U1"))
    assert told == [False, True, False, True]


async def test_people_who_were_silent_for_longest_are_forgotten_first(monkeypatch) -> None:
    monkeypatch.setattr(gate_module, "_MOST", 2)
    counts = QuestionCounts(lambda: 1.0)
    for person in ("a", "b", "a", "c"):
        await counts.count(person)
    assert await counts.count("a") == QuestionNumbers(minute=2, hour=2)
    assert await counts.count("b") == QuestionNumbers()
    for person in ("a", "b", "c"):
        await counts.told_lately(person)
    assert not await counts.told_lately("a")
