"""Lists of which only the first are asked for, counts by folder, and two periods side by side."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from digest.core.change import FileChange, FileStatus
from digest.core.grade import Level
from digest.markdown import markdown
from digest.question.intent import Changed
from digest.question.periods import default_period
from digest.topics.matching import files_of
from handlers.questions.changed import list_changes
from handlers.router import ask
from tests.support import samples
from tests.support.fakes import FakeSource, change, context

NOW, ZONE = datetime(2026, 1, 23, 12, 0, tzinfo=UTC), ZoneInfo("UTC")


def made(sha: str, title: str, days: float, files=None, author="Ada Lovelace"):
    return change(sha, title, files or {"src/app.py": 5}, NOW - timedelta(days=days), author)


@pytest.fixture
def ctx():
    return context(
        FakeSource(
            [
                made("aaaaaaa1", "Tidy (#11)", 1),
                made("bbbbbbb2", "Remove the option --fast (#12)", 2, {"crates/core/a.py": 3}),
                made("ccccccc3", "Rewrite the cache (#13)", 2.5, {"crates/core/b.py": 900}),
                made("ddddddd4", "Fix a typo (#14)", 9, {"crates/cli/a.py": 1}, "Grace Hopper"),
                made("eeeeeee5", "Fix the cache (#15)", 10, None, "Grace Hopper"),
            ]
        )
    )


def shas(answer) -> list[str]:
    return [row.graded.sha[:8] for row in answer.rows]


async def test_the_latest_few_are_the_newest_and_the_others_are_counted(ctx):
    answer = await ask("the latest 2 commits this month", ctx)
    assert shas(answer) == ["aaaaaaa1", "bbbbbbb2"]
    assert "5 changes in this period in total." in markdown(answer.document)


@pytest.mark.parametrize(
    ("question", "listed", "said"),
    [
        ("the 1 biggest PR this month", ["ccccccc3"], "900 ±"),
        ("biggest 2 PRs this month", ["ccccccc3", "aaaaaaa1"], "5 ±"),
        ("the two smallest changes this month", ["ddddddd4", "bbbbbbb2"], "1 ±"),
        ("the 2 oldest commits this month", ["eeeeeee5", "ddddddd4"], "5 changes in this period"),
        ("the 3 latest commits this month", ["aaaaaaa1", "bbbbbbb2", "ccccccc3"], "in total"),
    ],
)
async def test_the_first_few_are_those_of_the_order_asked_for(ctx, question, listed, said):
    answer = await ask(question, ctx)
    assert shas(answer) == listed
    assert said in markdown(answer.document)


async def test_more_are_looked_up_where_nobody_gave_a_period(ctx):
    assert len(shas(await ask("last 4 commits", ctx))) == 4


async def test_people_of_a_ranking_are_as_many_as_asked_for(ctx):
    shown = markdown((await ask("top 1 contributors this month", ctx)).document)
    assert "\n\n**Changes**\n\n- " in shown  # the list of people ends there
    assert "Ada Lovelace" in shown.partition("more person")[0]
    assert "and 1 more person" in shown


async def test_crates_that_change_most_are_folders(ctx):
    shown = markdown((await ask("which crates changed the most this month", ctx)).document)
    assert "`crates/core/`: 2 changes" in shown


async def test_two_periods_are_told_side_by_side(ctx):
    answer = await ask("was there more activity this week than last week", ctx)
    shown = markdown(answer.document)
    assert "More changes: 3, compared to 2." in shown
    assert "2 changes by 1 person" in shown


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("compare changes this week with the week before", "More changes: 3, compared to 2."),
        ("compare changes yesterday with the day before", "Fewer changes: 1, compared to 2."),
        ("compare changes on january 13 with january 14", "As many changes: 1."),
    ],
)
async def test_a_period_is_compared_to_the_one_before_it(ctx, question, said):
    assert said in markdown((await ask(question, ctx)).document)


async def test_code_with_many_tests_is_left_when_tests_are_skipped():
    both = {"src/app.py": 3, "tests/test_app.py": 90}
    changes = [
        made("aaaaaaa1", "Label images", 1, both),
        made("bbbbbbb2", "Try it", 1, {"tests/a.py": 9}),
    ]
    answer = await ask("what changed this month without tests", context(FakeSource(changes)))
    assert shas(answer) == ["aaaaaaa1"]


async def test_changes_of_a_kind_that_is_skipped_are_left_out_and_no_others():
    titles = ("Fix a crash of the pool", "Add a pool", "Speed up the pool")
    changes = [made(f"{n}" * 8, title, n) for n, title in enumerate(titles, 1)]
    answer = await ask("what changed this month without fixes", context(FakeSource(changes)))
    assert sorted(shas(answer)) == ["22222222", "33333333"]


def test_new_files_of_a_folder_are_those_in_it_and_right_below_it():
    paths = ("pool/disk.py", "pool/cache/ram.py", "pool/cache/lru/evict.py", "docs/pool.md")
    files = [samples.file(path, status=FileStatus.ADDED) for path in paths]
    graded = samples.change(1, "Add caches", Level.LOW, files=files)
    assert files_of(graded, {"pool"}, FileStatus.ADDED) == ["disk", "ram"]


@pytest.mark.parametrize(
    ("question", "head", "path", "others"),
    [
        ("which files were deleted this week", "Deleted files (1)", "src/old.py", "new.py"),
        ("what files were added in src/ this week", "Added files (1)", "src/new.py", "docs/new"),
        ("本周删除了哪些文件", "删除的文件（1 个）", "src/old.py", "new.py"),
        ("renamed files this week", "Renamed files (1)", "src/a.py → src/b.py", "new.py"),
    ],
)
async def test_files_that_were_added_or_deleted_are_named(question, head, path, others):
    tidied = made("aaaaaaa1", "Tidy (#11)", 1)
    files = [
        FileChange(path="src/old.py", status=FileStatus.DELETED, deleted=9),
        FileChange(path="src/new.py", status=FileStatus.ADDED, added=9),
        FileChange(path="docs/new.md", status=FileStatus.ADDED, added=9),
        FileChange(path="src/b.py", old_path="src/a.py", status=FileStatus.RENAMED),
    ]
    source = FakeSource([replace(tidied, files=tuple(files)), made("bbbbbbb2", "Fix (#12)", 1)])
    answer = await ask(question, context(source))
    shown = markdown(answer.document)
    assert shas(answer) == ["aaaaaaa1"]
    assert f"**{head}**" in shown
    assert f"`{path}`" in shown
    assert others not in shown


async def test_people_of_a_folder_come_without_titles_that_only_name_it():
    changes = [
        made("aaaaaaa1", "Tidy (#11)", 1, {"src/serve/app.py": 5}),
        made("bbbbbbb2", "Check src/serve (#12)", 90, {"ci.yml": 5}, "Grace Hopper"),
    ]
    shown = markdown(
        (await ask("who changes src/serve the most", context(FakeSource(changes)))).document
    )
    assert "Ada Lovelace (1)" in shown
    assert "Check src/serve" not in shown


async def test_where_nobody_is_new_no_other_person_is_named(ctx):
    answer = await ask("new contributors since yesterday", ctx)
    assert answer.total == 0
    assert "Ada" not in markdown(answer.document)


async def test_a_share_is_told_of_all_changes_of_the_period(ctx):
    shown = markdown(
        (await ask("what percentage of this month's commits were fixes", ctx)).document
    )
    assert "2 of 5 changes of this period: 40 %." in shown


async def test_who_looks_after_a_part_is_told_by_the_commits_of_its_folder():
    files = {"src/cache/disk.py": 5}
    commits = [
        made("aaaaaaa1", "Tidy (#1)", 30, files),
        made("bbbbbbb2", "Rewrite the cache (#2)", 1),
        made("ccccccc3", "Begin (#3)", 365.5, files, "Grace Hopper"),
    ]
    source = FakeSource(commits)
    source.trees[commits[1].sha, "src/cache/disk.py"] = ""
    source.trees[commits[0].sha, "src/cache/disk.py"] = ""
    shown = markdown((await ask("who maintains the cache", context(source))).document)
    assert "`src/cache/`\n\n**Commits by author in the last year (1 person)**" in shown
    assert "Ada Lovelace (1)" in shown
    assert "Grace" not in shown


async def test_folder_of_a_part_may_be_in_one_named_after_the_repository():
    commits = [made("aaaaaaa1", "Tidy (#1)", 30, {"engine/cache/disk.py": 5})]
    source = FakeSource(commits)
    source.trees[commits[0].sha, "engine/cache/disk.py"] = ""
    shown = markdown((await ask("who is the maintainer of the cache", context(source))).document)
    assert "`engine/cache/`\n\n**Commits by author in the last year (1 person)**" in shown


@pytest.mark.parametrize("question", ["cache vs option this month", "本月 cache 和 option 的改动"])
async def test_changes_of_each_of_two_topics_are_counted(ctx, question):
    answer = await ask(question, ctx)
    assert sorted(shas(answer)) == ["bbbbbbb2", "ccccccc3", "eeeeeee5"]
    assert "cache 2 · option 1" in markdown(answer.document)


async def test_that_nothing_was_added_is_said_of_changes_about_a_topic(ctx):
    shown = markdown((await ask("what was added to the cache this month", ctx)).document)
    assert "None of these tells of anything added." in shown
    shown = markdown((await ask("what was removed from the option this month", ctx)).document)
    assert "None of these" not in shown


async def test_each_person_of_a_list_can_be_asked_about_next(ctx):
    answer = await ask("who changed the cache this month", ctx)
    assert [question.partition(" 2026")[0] for question in answer.listed] == [
        'changed cache author:"Ada Lovelace"',
        'changed cache author:"Grace Hopper"',
    ]
    assert [shas(await ask(question, ctx)) for question in answer.listed] == [
        ["ccccccc3"],
        ["eeeeeee5"],
    ]


@pytest.mark.parametrize(
    ("question", "line"),
    [
        ("who owns src/cache/disk.py", "Owners of `src/cache/disk.py` in CODEOWNERS: `@octo/disk`"),
        (
            "src/cache/ 的负责人是谁",
            "CODEOWNERS 中 `src/cache/` 的负责人：`@octo/core` 和 `@octo/disk`",
        ),
        ("code owners of src/cache/", "Owners of `src/cache/` in CODEOWNERS: `@octo/core` and"),
        ("who maintains the cache", "Owners of `src/cache/` in CODEOWNERS: `@octo/core` and"),
        ("who maintains lru.py", "Owners of `src/cache/lru.py` in CODEOWNERS: `@octo/core`"),
        ("who owns setup.py", "CODEOWNERS names no owner of `setup.py`."),
    ],
)
async def test_owners_in_codeowners_come_before_the_authors(question, line):
    files = {"src/cache/disk.py": 5}
    commit = made("bbbbbbb2", "Rewrite the cache (#2)", 1, files)
    source = FakeSource([commit])
    for name in ("disk", "ram", "lru"):
        source.trees[commit.sha, f"src/cache/{name}.py"] = ""
    source.trees[commit.sha, "setup.py"] = ""
    source.trees[commit.sha, "CODEOWNERS"] = "src/ @octo/core\nsrc/cache/disk.py @octo/disk\n"
    shown = markdown((await ask(question, context(source))).document)
    assert line in shown
    assert "CODEOWNERS" in shown.partition("Ada Lovelace")[0]
    source.trees.pop((commit.sha, "CODEOWNERS"))
    assert "CODEOWNERS" not in markdown((await ask(question, context(source))).document)


async def test_two_people_are_counted_side_by_side(ctx):
    shown = markdown((await ask("Ada 和 Grace 本月谁的提交多", ctx)).document)
    assert "Ada Lovelace（3）" in shown
    assert "Grace Hopper（2）" in shown
    shown = markdown((await ask("ada vs grace this month, who did more?", ctx)).document)
    assert "Ada Lovelace (3)" in shown
    assert "Grace Hopper (2)" in shown


async def test_names_of_two_people_alone_are_people_and_no_topic(ctx):
    answer = await ask("ada and grace this month", ctx)
    assert answer.total == 5
    assert "by ada and grace" in markdown(answer.document)


@pytest.mark.parametrize(
    ("topic", "listed", "said"),
    [
        ("cache Grace", ["eeeeeee5"], "# cache, by Grace: 1 change"),
        ("cache grace", ["ccccccc3", "eeeeeee5"], "Nothing here is called `grace`;"),
        ("cache Zorkmid", ["ccccccc3", "eeeeeee5"], "Nothing here is called `Zorkmid`;"),
        ("cache", ["ccccccc3", "eeeeeee5"], "# cache: 2 changes"),
    ],
)
async def test_word_beside_a_topic_is_an_author_or_is_said_to_be_unknown(ctx, topic, listed, said):
    window = replace(default_period(NOW, ZONE), since=NOW - timedelta(days=20))
    answer = await list_changes(Changed(window=window, topic=topic), ctx)
    assert shas(answer) == listed
    shown = markdown(answer.document)
    assert said in shown
    assert ("Nothing here is called" in shown) == (topic in {"cache grace", "cache Zorkmid"})


async def test_several_kinds_are_counted_one_by_one(ctx):
    shown = markdown((await ask("more fixes or features this month?", ctx)).document)
    assert re.search(r"By kind: Fixes \d+ · Features \d+\.", shown)
    assert "By kind" not in markdown((await ask("fixes this month", ctx)).document)
    shown = markdown((await ask("本月修复多还是新功能多", ctx)).document)
    assert re.search(r"按类型：修复 \d+ · 新功能 \d+。", shown)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("was the cache fixed this month", "Yes: [Fix the cache (#15)]("),
        ("本月缓存修了吗", "是：[Fix the cache (#15)]("),
    ],
)
async def test_yes_is_told_with_the_change_that_proves_it(ctx, question, answer):
    assert markdown((await ask(question, ctx)).document).startswith(answer)


@pytest.mark.parametrize("question", ["was the cache fixed this month", "本月缓存修了吗"])
async def test_change_that_only_touches_files_of_the_topic_is_no_yes(question):
    one = change("aaaaaaa1", "Fix the hook (#9)", {"src/cache/pool.py": 5}, NOW - timedelta(days=1))
    answer = await ask(question, context(FakeSource([one])))
    assert answer.total == 1
    assert not markdown(answer.document).startswith(("Yes", "是"))


async def test_the_release_of_a_fix_is_told_first(ctx):
    ctx.watched.source.tags = {"v1.0.0": ctx.watched.source.branch_changes[4].sha}
    shown = markdown((await ask("本月哪个版本修的缓存", ctx)).document)
    assert "（2026-01-13）已在 `v1.0.0` 中发布。" in shown.split("\n")[0]


async def test_numbers_come_with_a_few_changes_and_then_with_all():
    commits = [made(f"{n}aaaaaaa", f"Fix bug {n} (#{n})", n / 10) for n in range(1, 8)]
    changes = context(FakeSource(commits))
    counted = Changed(window=default_period(NOW, ZONE), counted=True)
    first = markdown((await list_changes(counted, changes)).document)
    assert "3 of 7 shown, “more” for the next" in first
    assert "7 of 7 shown" in markdown(
        (await list_changes(counted, replace(changes, page=2))).document
    )


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("did adal commit anything this month", 1),
        ("PRs by aklovelace this month", 1),
        ("did alovelace push something this month", 1),
        ("did alovelace or ghopper touch the loader this month", 1),
        ("did ghopper or ckent touch the loader this month", 0),
        ("PRs about the loader by ada lovelace", 1),
        ("alovelace 的改动，本月", 1),
        ("PRs by ablovelac this month", 0),
        ("PRs by bklovelace this month", 0),
    ],
)
async def test_people_are_known_by_handles_made_of_their_names(question, number):
    tuned = change("0000001a", "Tune the loader (#1)", {"src/app.py": 2}, NOW - timedelta(days=1))
    changes = [
        replace(tuned, commit=replace(tuned.commit, author="Ada Lovelace", email="x@y.org")),
        *(
            change(f"{n:08x}", f"Tune part {n} (#{n})", {"b.py": 1}, NOW - timedelta(days=1))
            for n in range(2, 9)
        ),
    ]
    answer = await ask(question, context(FakeSource(changes)))
    assert [row.graded.number for row in answer.rows] == [1] * number


@pytest.mark.parametrize(
    ("question", "numbers", "said"),
    [
        ("PRs by hop this month", [15], "by hop"),
        ("PRs by gh this month", [15], "by gh"),
        ("PRs by countess this month", [11, 13], "by countess"),
        ("PRs by al this month", [], "No change in this period matches."),
        ("PRs by n coward this month", [16], "by n coward"),
        ("PRs by Noël Coward this month", [16], "by Noël Coward"),
        ("noel coward this month", [16], "by"),
        ("PRs by ada or bob this month", [11, 13], "None of these changes is by `bob`"),
        ('changed author:"hopper, bob, eve" this month', [15], "`bob` and `eve`"),
        ("by ada hopper this month", [11, 13, 15], "by ada, hopper"),
        ("PRs by nobody hopper this month", [], "No change in this period matches."),
        ("PRs merged by ada this month", [11, 13], "do not say who merged"),
    ],
)
async def test_a_person_is_found_under_all_names(question, numbers, said):
    people = [
        made("aaaaaaa1", "Tidy (#11)", 1),
        made("ccccccc3", "Rewrite the cache (#13)", 2.5, author="Countess L."),
        made("eeeeeee5", "Fix the cache (#15)", 10, author="Grace Hopper"),
        made("fffffff6", "Grow (#16)", 11, author="Noël M. Coward"),
        made("0ffffff6", "Grow more (#17)", 11, author="Zoe"),
    ]
    addresses = ["ada@x.org", "ada@x.org", "gh+hop@x.org", "noreply@x.org", "noreply@x.org"]
    changes = [
        replace(one, commit=replace(one.commit, email=email))
        for one, email in zip(people, addresses, strict=True)
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed this month", ctx)  # the people of the archive are known then
    answer = await ask(question, ctx)
    assert [row.graded.number for row in answer.rows] == numbers
    assert said in markdown(answer.document)
