"""Merges are the work of the people of their branch, whoever merged it."""

from __future__ import annotations

import pytest

from digest.facts.extract import extract
from tests.integration.bot.git.test_git_source import builder, opened, read

__all__ = ["builder"]

GRACE, LIN = "Grace Hopper <grace@example.org>", "Lin <lin@example.org>"
BOT = "renovate[bot] <29139614+renovate[bot]@users.noreply.github.com>"


async def test_a_merge_has_the_author_who_wrote_most_of_its_branch(builder) -> None:
    base = builder.commit("Begin", {"a": "x\n"})
    builder.commit("One", {"b": "1\n"}, branch="side", author=GRACE, parents=[base])
    builder.commit("Two", {"b": "2\n"}, branch="side", author=LIN)
    builder.commit("Three", {"b": "3\n"}, branch="side", author=GRACE)
    builder.commit("Meanwhile", {"c": "x\n"}, author=LIN)
    merge = builder.merge("side", files={"b": "3\n"}, message="Merge pull request #7 from x/side")
    (change,) = await read(await opened(builder), [merge])
    assert change.commit.author == "Grace Hopper"
    assert change.commit.writers == ("Grace Hopper", "Lin")
    assert extract(change, {}).co_authors == ("Lin",)


async def test_a_merge_of_a_merge_has_its_own_people_alone(builder) -> None:
    base = builder.commit("Begin", {"a": "x\n"})
    builder.commit("One", {"b": "1\n"}, branch="first", author=GRACE, parents=[base])
    builder.commit("Two", {"c": "1\n"}, branch="second", author=LIN, parents=[base])
    first = builder.merge("first", files={"b": "1\n"})
    second = builder.merge("second", files={"c": "1\n"})
    changes = {change.sha: change for change in await read(await opened(builder), [second, first])}
    assert changes[first].commit.writers == ("Grace Hopper",)
    assert changes[second].commit.writers == ("Lin",)


async def test_a_bot_is_no_author_beside_a_person(builder) -> None:
    base = builder.commit("Begin", {"a": "x\n"})
    for number in range(3):
        builder.commit(f"Bump {number}", {"b": f"{number}\n"}, branch="side", author=BOT,
                       parents=[base] if not number else None)  # fmt: skip
    builder.commit("Adapt", {"c": "1\n"}, branch="side", author=GRACE)
    merge = builder.merge("side", files={"b": "2\n", "c": "1\n"})
    (change,) = await read(await opened(builder), [merge])
    assert change.commit.author == "Grace Hopper"


async def test_a_merge_has_the_text_of_its_only_commit(builder) -> None:
    base = builder.commit("Begin", {"a": "x\n"})
    text = "Mend it\n\nTwo targets shared one connection.\n\nSigned-off-by: Lin <lin@example.org>\n"
    builder.commit(text, {"b": "1\n"}, branch="side", author=LIN, parents=[base])
    told = "Merge pull request #7 from x/side\n\nscrape: mend it\n"
    merge = builder.merge("side", files={"b": "1\n"}, message=told)
    (change,) = await read(await opened(builder), [merge])
    assert change.commit.message.strip() == (told + text.partition("\n")[2]).strip()
    facts = extract(change, {})
    assert (facts.subject.words, facts.subject.number) == ("mend it", 7)


async def test_a_merge_without_a_title_has_the_one_of_its_only_commit(builder) -> None:
    base = builder.commit("Begin", {"a": "x\n"})
    text = "Close idle pools\n\nIn some places, pools stayed open.\n"
    builder.commit(text, {"b": "1\n"}, branch="side", parents=[base])
    merge = builder.merge("side", files={"b": "1\n"}, message="Merge pull request #7 from x/side")
    (change,) = await read(await opened(builder), [merge])
    facts = extract(change, {})
    assert (facts.subject.words, facts.subject.number) == ("Close idle pools", 7)
    assert facts.paragraphs == ("In some places, pools stayed open.",)


async def test_a_merge_of_several_commits_has_the_text_of_the_one_with_its_title(builder) -> None:
    base = builder.commit("Begin", {"a": "x\n"})
    builder.commit("Try\n\nA first try.\n", {"b": "1\n"}, branch="side", parents=[base])
    builder.commit("Mend it\n\nConnections were shared.\n", {"b": "2\n"}, branch="side")
    merge = builder.merge("side", files={"b": "2\n"}, message="Merge #7\n\nMend it\n")
    (change,) = await read(await opened(builder), [merge])
    assert change.commit.message.strip() == "Merge #7\n\nMend it\n\nConnections were shared."


async def test_a_merge_of_steps_keeps_its_own_text(builder) -> None:
    base = builder.commit("Begin", {"a": "x\n"})
    builder.commit("One\n\nA first try.\n", {"b": "1\n"}, branch="side", parents=[base])
    builder.commit("Two\n\nTakes it back.\n", {"b": "2\n"}, branch="side")
    merge = builder.merge("side", files={"b": "2\n"}, message="Merge #7\n\nMend it\n")
    (change,) = await read(await opened(builder), [merge])
    assert change.commit.message.strip() == "Merge #7\n\nMend it"


@pytest.mark.parametrize(
    ("branch", "title", "words"),
    [
        ("mend-4817-pool-of-targets", "Mend 4817 pool of targets", "Close idle pools"),
        ("side", "", "Close idle pools"),
        ("mend-the-pool-of-targets", "Mend the pool of targets", "Mend the pool of targets"),
        ("side-4817", "Mend the pool", "Mend the pool"),
    ],
)
async def test_a_merge_that_only_names_its_branch_has_the_title_with_which_that_begins(
    builder, branch: str, title: str, words: str
) -> None:
    base = builder.commit("Begin", {"a": "x\n"})
    builder.commit("Close idle pools", {"b": "1\n"}, branch=branch, parents=[base])
    builder.commit("Fix lint", {"b": "2\n"}, branch=branch)
    told = f"Merge pull request #7 from x/{branch}\n\n{title}".strip()
    merge = builder.merge(branch, files={"b": "2\n"}, message=told)
    (change,) = await read(await opened(builder), [merge])
    subject = extract(change, {}).subject
    assert (subject.words, subject.number) == (words, 7)


async def test_a_commit_that_is_no_merge_keeps_its_author(builder) -> None:
    sha = builder.commit("Begin", {"a": "x\n"}, author=LIN)
    (change,) = await read(await opened(builder), [sha])
    assert (change.commit.author, change.commit.writers) == ("Lin", ())
