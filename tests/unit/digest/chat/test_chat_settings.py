"""Which changes a chat hears of, and by which rule it does not."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import time
from zoneinfo import ZoneInfo

import pytest

from digest.chat.chat_settings import (
    AS_USUAL,
    BOT,
    DigestTiming,
    Filters,
    Rule,
    RuleField,
    count_rules,
    left_out,
)
from digest.core.authors import is_bot
from digest.core.change import Side
from digest.core.facts import Action, Evidence, Fact, FactKind
from digest.core.grade import Level
from tests.support import samples

CHANGE = samples.flag_change()


def rule(text: str) -> Rule:
    field, _, pattern = text.partition(" ")
    return Rule(field=RuleField(field), pattern=pattern)


def by(author: str, email: str = "a@example.org"):
    return replace(
        CHANGE,
        commit=replace(CHANGE.commit, author=author, email=email),
        facts=replace(CHANGE.facts, co_authors=()),
    )


PATH = CHANGE.facts.files[0].path


def test_without_rules_everything_by_people_is_kept() -> None:
    assert Filters().rejection(CHANGE) == ""


@pytest.mark.parametrize(
    ("author", "email", "bot"),
    [
        ("dependabot[bot]", "", True),
        ("Renovate Bot", "", True),
        ("k8s-ci-robot", "", True),
        ("github-actions", "", True),
        ("Deploys", "49699333+x[bot]@users.noreply.github.com", True),
        ("Ada Lovelace", "ada@example.org", False),
        ("Abbot", "abbot@example.org", False),
        ("Renovated House", "", False),
    ],
)
def test_bots_are_known_by_the_names_they_give_themselves(
    author: str, email: str, bot: bool
) -> None:
    assert is_bot(author, email) is bot
    assert Filters().rejection(by(author, email)) == (BOT if bot else "")
    assert Filters(bots=True).rejection(by(author, email)) == ""


def test_what_a_bot_lands_for_a_person_is_kept() -> None:
    landed = by("merge-queue[bot]")
    told = replace(landed, facts=replace(landed.facts, co_authors=("Ada Lovelace",)))
    assert Filters().rejection(told) == ""
    two = replace(landed, facts=replace(landed.facts, co_authors=("renovate[bot]",)))
    assert Filters().rejection(two) == BOT


@pytest.mark.parametrize(
    ("branch", "rule"), [("ada/cache", ""), ("dependabot/npm/x", BOT), ("renovate/serde", BOT)]
)
def test_a_merge_by_a_bot_is_a_persons_unless_the_branch_is_a_bots(branch: str, rule: str) -> None:
    message = f"Merge pull request #7 from {branch}"
    made = by("merge-queue[bot]")
    merge = replace(
        made,
        commit=replace(made.commit, message=message),
        facts=replace(made.facts, merge=True),
    )
    assert Filters().rejection(merge) == rule


def test_a_bots_update_against_a_weakness_is_kept() -> None:
    update = by("renovate[bot]")
    item = Fact(
        kind=FactKind.SECURITY,
        action=Action.CHANGED,
        name="CVE-2026-1",
        detail="advisory",
        evidence=Evidence(path="", line=1, side=Side.MESSAGE),
    )
    told = replace(update, facts=replace(update.facts, items=(item,)))
    assert Filters().rejection(told) == ""


def test_exclusion_wins_over_inclusion_and_is_named() -> None:
    filters = Filters(include=(rule(f"path {PATH}"),), exclude=(rule(f"path {PATH}"),))
    assert filters.rejection(CHANGE) == f"exclude path {PATH}"


def test_of_each_kind_that_is_included_one_is_enough_and_every_kind_must_be_met() -> None:
    here, elsewhere = rule(f"path {PATH}"), rule("path nowhere/**")
    ada, bob = rule(f"author {CHANGE.commit.author.upper()}"), rule("author nobody at all")
    assert Filters(include=(here, elsewhere)).rejection(CHANGE) == ""
    assert Filters(include=(here, ada)).rejection(CHANGE) == ""
    assert Filters(include=(here, bob)).rejection(CHANGE) == "include author"
    assert Filters(include=(elsewhere,)).rejection(CHANGE) == "include path"


def test_labels_are_the_subjects_tags_and_those_of_the_forge() -> None:
    tagged = replace(
        CHANGE,
        facts=replace(CHANGE.facts, subject=replace(CHANGE.facts.subject, tags=("CI/Build",))),
    )
    filters = Filters(include=(rule("label ci/build"),))
    assert filters.rejection(tagged) == ""
    assert filters.rejection(CHANGE) == "include label"
    assert filters.rejection(CHANGE, ["CI/Build"]) == ""


def test_keyword_is_sought_in_the_title_and_the_message_without_case() -> None:
    assert Filters(exclude=(rule(f"keyword {CHANGE.title[:12].upper()}"),)).rejection(CHANGE)
    assert Filters(exclude=(rule("keyword never said"),)).rejection(CHANGE) == ""


@pytest.mark.parametrize(
    ("text", "met"),
    [
        (f"path /^{PATH[:3]}.*$/", True),
        ("path /^nowhere/", False),
        ("label /^ci[/-]/", True),
        ("author /^[A-Z]\\w+/", True),
        ("author /^$/", False),
        (f"keyword /^{re.escape(CHANGE.title[:5].upper())}/", True),
        ("keyword /never (said|told)/", False),
    ],
)
def test_an_expression_between_slashes_is_matched_anywhere_without_case(text, met) -> None:
    assert rule(text).meets(CHANGE, ["CI/Build"]) is met


def test_an_expression_takes_linear_time_on_hostile_text() -> None:
    long = replace(CHANGE, commit=replace(CHANGE.commit, message="a" * 50_000 + "\udcff!"))
    assert not rule("keyword /(a+)+(a|a)*(a?){30}$/").meets(long)


def test_rule_is_added_once_and_taken_away() -> None:
    first = Filters(bots=True).given(rule("path a"), include=True)
    assert first.given(rule("path a"), include=True) == first
    assert first.without(rule("path a")) == Filters(bots=True)


def test_what_is_left_out_and_what_is_kept_are_everything() -> None:
    changes = samples.everything()
    filters = Filters(exclude=(rule("keyword a"),), include=(rule("path src/**"),))
    kept, rules = left_out(filters, changes, {})
    assert {one.sha for one in changes} == {one.sha for one in kept} | set(rules)
    assert not {one.sha for one in kept} & set(rules)
    assert sum(count for _, count in count_rules(rules.values())) == len(rules)


OWN = DigestTiming(
    at=time(0, 0),
    weekdays=frozenset(),
    zone=ZoneInfo("Asia/Shanghai"),
    least=Level.LOW,
    branch="stable",
)
BELOW = DigestTiming(
    at=time(9, 30),
    weekdays=frozenset({0}),
    zone=ZoneInfo("UTC"),
    least=Level.HIGH,
    branch="main",
)


def test_what_is_set_here_stands_over_what_is_set_above():
    assert OWN.over(BELOW) == OWN
    assert AS_USUAL.over(BELOW) == BELOW
    assert BELOW.over(AS_USUAL) == BELOW
