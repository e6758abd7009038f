"""Which releases there are, with their dates.

A release that is asked about by its name is the range from the one before it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from digest.core.request import Release
from digest.errors import NoRelease, NothingNewer, UnknownBranch
from digest.markdown import markdown
from handlers.router import ask
from tests.support.fakes import FakeSource, change, context

NOW = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)

CHANGES = [change("aaaaaaa1", "Two (#2)", at=NOW), change("bbbbbbb2", "One (#1)", at=NOW)]


@pytest.fixture
def ctx():
    tags = {"v2.0.0": CHANGES[0].sha, "v1.0.0": CHANGES[1].sha}
    return context(FakeSource(CHANGES, tags=tags, tagged=NOW - timedelta(days=2)))


@pytest.mark.parametrize(
    "question", ["list all releases", "which versions were released this year"]
)
async def test_releases_are_listed_with_their_dates(ctx, question):
    answer = await ask(question, ctx)
    assert answer.intent == "releases"
    shown = markdown(answer.document)
    assert "`v2.0.0`, tagged on 2026-01-21" in shown
    assert "`v1.0.0`" in shown


async def test_tags_of_libraries_beside_the_program_are_not_listed():
    tags = {"v0.302.0": CHANGES[0].sha, "v3.2.0": CHANGES[0].sha, "v3.1.0": CHANGES[1].sha}
    ctx = context(FakeSource(CHANGES, tags=tags, tagged=NOW))
    shown = markdown((await ask("newest version and what came before it", ctx)).document)
    assert shown.startswith("# 2 releases")
    assert shown.index("`v3.2.0`") < shown.index("`v3.1.0`")


async def test_a_period_without_a_release_names_the_latest(ctx):
    shown = markdown((await ask("which releases were made in December?", ctx)).document)
    assert "the latest is `v2.0.0`" in shown


async def test_releases_of_two_periods_are_compared_by_their_number(ctx):
    answer = await ask("how many releases this month compared to last month", ctx)
    assert "More releases: 2, compared to 0." in markdown(answer.document)


async def test_a_repository_without_releases_says_so():
    answer = await ask("list all releases", context(FakeSource(CHANGES)))
    assert isinstance(answer.error, NoRelease)


async def test_a_change_names_the_first_release_that_has_it(ctx):
    shown = markdown((await ask("which release has #1", ctx)).document)
    assert "was released in `v1.0.0`" in shown


async def test_a_change_after_every_release_is_not_released():
    source = FakeSource(CHANGES, tags={"v1.0.0": CHANGES[1].sha}, tagged=NOW)
    shown = markdown((await ask("is #2 released yet", context(source))).document)
    assert "is not in a release yet; the latest is `v1.0.0`" in shown


@dataclass(eq=False)
class Backporting(FakeSource):
    """A branch of which one change has a copy in each of some releases, tagged where it says."""

    copies: tuple[str, ...] = ()

    async def released(self, branch, sha, subject):
        first, _ = await super().released(branch, sha, subject)
        return first, self.copies if sha == CHANGES[0].sha else ()


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        ("is #1 in v1.0.0", ["Yes: ", "is in `v1.0.0`. It was tagged"]),
        ("is #1 in 1.0.0", ["Yes: ", "is in `v1.0.0`. It was tagged"]),
        ("is #2 in v1.0.0", ["No: ", "is not in `v1.0.0`.", "was released in `v2.0.0`"]),
        ("#2 进 v1.0.0 了吗", ["否：", "已在 `v2.0.0` 中发布", "`v1.0.1` 中也有它"]),
        ("is the fix #2 in v1.0.1", ["Yes: ", "in `v1.0.1`", "was released in `v2.0.0`"]),
        ("which release has #2", ["was released in `v2.0.0`", "It is also in `v1.0.1`"]),
        ("is #2 in v9.0.0", ["No release is tagged `v9.0.0`", "was released in `v2.0.0`"]),
    ],
)
async def test_a_release_has_a_change_also_as_a_backport(question, lines):
    patch = change("ddddddd4", "Backport of two (#4)", at=NOW)
    source = Backporting(
        [CHANGES[0], patch, CHANGES[1]],
        tags={"v2.0.0": CHANGES[0].sha, "v1.0.1": patch.sha, "v1.0.0": CHANGES[1].sha},
        tagged=NOW - timedelta(days=2),
        copies=("v1.0.1",),
    )
    shown = markdown((await ask(question, context(source))).document)
    assert all(line in shown for line in lines), shown


async def test_a_version_is_that_of_the_package_with_the_shortest_name():
    tags = {"kite-macros-1.0.0": CHANGES[0].sha, "kite-1.0.0": CHANGES[1].sha}
    ctx = context(FakeSource(CHANGES, tags=tags, tagged=NOW))
    assert "not in `kite-1.0.0`" in markdown((await ask("is #2 in v1.0.0", ctx)).document)
    assert "No release is tagged" in markdown((await ask("is #2 in v1.0", ctx)).document)


async def test_a_version_that_no_tag_has_is_not_out_although_a_title_names_it():
    changes = [*CHANGES, change("ccccccc3", "Volunteer to release 3.1 (#3)", at=NOW)]
    source = FakeSource(changes, tags={"v2.0.0": CHANGES[0].sha}, tagged=NOW)
    shown = markdown((await ask("is 3.1 out yet", context(source))).document)
    assert "No release is tagged `3.1`; the latest is `v2.0.0`" in shown
    assert "Yes" not in shown


CHANGES_compare = [
    change(f"{n}" * 8, title, {path: 9}, NOW - timedelta(days=90 + 10 * n))
    for n, (title, path) in enumerate(
        (
            ("Later (#15)", "src/later.py"),
            ("[MoE] Fuse the experts (#14)", "src/moe.py"),
            ("Fix the scheduler (#13)", "src/scheduler.py"),
            ("Begin (#12)", "src/begin.py"),
            ("First (#11)", "src/first.py"),
        )
    )
]

TAGS = {
    "v0.1.0": CHANGES_compare[3].sha,
    "v0.2.0": CHANGES_compare[1].sha,
    "v0.2.0rc1": CHANGES_compare[2].sha,
}


@pytest.fixture
def source():
    return FakeSource(CHANGES_compare, tags=TAGS)


def shas(answer):
    return [row.graded.sha[0] for row in answer.rows]


@pytest.mark.parametrize(
    "question",
    ["what changed in v0.2.0", "what's new in 0.2.0", "changes in release v0.2.0"],
)
async def test_a_tag_means_the_range_from_the_tag_before_it(source, question):
    answer = await ask(question, context(source))
    assert shas(answer) == ["1", "2"]
    shown = markdown(answer.document)
    assert "Changes in `v0.2.0` since the previous release, `v0.1.0`." in shown
    assert "`v0.1.0` to `v0.2.0`" in shown


async def test_a_tag_is_told_in_chinese(source):
    answer = await ask("v0.2.0 有什么变化", context(source))
    assert shas(answer) == ["1", "2"]
    assert "上一个发布 `v0.1.0`" in markdown(answer.document)


async def test_a_topic_of_a_release_is_looked_for_in_its_range(source):
    answer = await ask("what changed in MoE in v0.2.0", context(source))
    assert (answer.topic, shas(answer)) == ("MoE", ["1"])


async def test_the_first_release_has_everything_up_to_it(source):
    answer = await ask("what changed in v0.1.0", context(source))
    assert shas(answer) == ["3", "4"]
    assert "has no release before it" in markdown(answer.document)


@pytest.mark.parametrize("question", ["what changed in 0.3 so far", "what is new in v1.0"])
async def test_the_next_release_has_what_came_since_the_latest(source, question):
    answer = await ask(question, context(source))
    assert shas(answer) == ["0"]
    assert "No release is tagged" in markdown(answer.document)


async def test_a_series_beside_a_period_is_no_topic(source):
    answer = await ask("fixes in 0.x in the last 200 days", context(source))
    assert answer.topic == ""


async def test_a_version_that_only_one_package_has_is_the_start_of_a_range():
    tags = {"kite-server-80.0.0": CHANGES_compare[2].sha, "kite-cli-3.1.0": CHANGES_compare[1].sha}
    ctx = context(FakeSource(CHANGES_compare, tags=tags, tagged=NOW))
    assert shas(await ask("what changed since 80.0", ctx)) == ["0", "1"]


@pytest.mark.parametrize("question", ["when is the next release", "下一个版本什么时候发布"])
async def test_the_next_release_is_not_foretold(question):
    tags = {f"v1.{n}.0": one.sha for n, one in enumerate(CHANGES_compare)}
    answer = await ask(question, context(FakeSource(CHANGES_compare, tags=tags, tagged=NOW)))
    shown = markdown(answer.document)
    assert "does not say when the next one comes" in shown or "没有写明下一个何时发布" in shown


async def test_what_is_no_tag_or_has_a_period_stays_a_topic(source):
    for question in ("what changed in v7.0", "what changed in v0.2.0 in January"):
        answer = await ask(question, context(source))
        assert answer.window is not None
        assert answer.topic in {"v7.0", "v0.2.0"}


@pytest.mark.parametrize(
    "question",
    [
        "what is the latest release?",
        "what is new in the latest release",
        "when was the last release",
        "compare the last two releases",
        "最新版本是什么",
        "最新发布有什么变化？",
        "最近一次发布是什么时候",
    ],
)
async def test_the_latest_release_is_told_with_its_changes(source, question):
    answer = await ask(question, context(source))
    assert shas(answer) == ["1", "2"]
    shown = markdown(answer.document)
    assert "Changes in `v0.2.0`, the latest release" in shown or "`v0.2.0` 是最新的发布：" in shown
    assert "`v0.1.0`" in shown
    assert "rc1" not in shown


@pytest.mark.parametrize(
    "question", ["what changed since the last release", "最新版本以来有哪些变更"]
)
async def test_what_came_since_the_latest_release_is_told_with_its_name(source, question):
    answer = await ask(question, context(source))
    assert shas(answer) == ["0"]
    assert "`v0.2.0`" in markdown(answer.document)


@pytest.mark.parametrize(
    "question",
    ["what breaks from 0.2.0 to the latest release", "从 v0.2.0 升级到最新版要注意什么"],
)
async def test_upgrade_from_the_latest_release_to_itself_is_told_as_such(source, question):
    answer = await ask(question, context(source))
    assert isinstance(answer.error, NothingNewer)
    assert "v0.2.0 is the latest release here" in str(answer.error)


async def test_the_latest_release_is_an_end_of_a_comparison(source):
    answer = await ask("compare v0.1.0 to the latest release", context(source))
    assert (answer.intent, shas(answer)) == ("compare", ["1", "2"])


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what is the latest release", "has no release tags here; use a tag"),
        ("最新版本有什么变化", "没有发布的标签"),
    ],
)
async def test_without_a_release_none_is_the_latest(question, said):
    answer = await ask(
        question, context(FakeSource(CHANGES_compare, tags={"nightly": CHANGES_compare[0].sha}))
    )
    assert isinstance(answer.error, NoRelease)
    assert said in markdown(answer.document)


async def test_day_of_a_release_is_told_in_the_zone_of_the_asker(source):
    source.tagged = datetime(2026, 1, 1, 23, 30, tzinfo=UTC)
    at = replace(context(source), zone=ZoneInfo("Asia/Tokyo"))
    assert "It was tagged on 2026-01-02." in markdown(
        (await ask("when was v0.2.0 released", at)).document
    )
    assert "打标签于 2026-01-02" in markdown((await ask("v0.2.0 什么时候发布的", at)).document)


async def test_a_version_without_its_last_zero_is_the_release(ctx):
    answer = await ask("any fixes in 2.0", ctx)
    assert "v1.0.0 to v2.0.0" in markdown(answer.document)


async def test_what_is_in_no_release_is_told_with_the_latest_one_by_number():
    changes = [change("ccccccc3", "Three (#3)", at=NOW), *CHANGES]
    tags = {"v0.314.0": CHANGES[0].sha, "v3.14.0": CHANGES[0].sha}
    answer = await ask("is #3 released", context(FakeSource(changes, tags=tags, tagged=NOW)))
    assert "`v3.14.0`" in markdown(answer.document)


async def test_comparison_names_the_published_releases_at_its_two_ends(ctx):
    class Forge:
        fails = False

        async def releases(self, limit=30):
            if self.fails:
                raise TimeoutError
            tags = ("v3.0.0", "v2.0.0", "v1.0.0", "v0.9.0")
            return [
                Release(tag=tag, name=f"Name {n}", published_at=NOW - timedelta(days=n))
                for n, tag in enumerate(tags)
            ]

        async def compare(self, base, head):
            raise AssertionError("the clone has both")

    forge = Forge()
    watched = replace(ctx, watched=replace(ctx.watched, forge=forge))
    told = []
    for forge.fails in (False, True):
        answer = await ask("compare v1.0.0 and v2.0.0", watched)
        lines = markdown(answer.document).splitlines()
        told.append([line for line in lines if "published on" in line])
    assert told == [
        [
            "v1.0.0 (Name 2), published on 2026-01-21",
            "v2.0.0 (Name 1), published on 2026-01-22",
        ],
        [],
    ]


async def test_a_series_is_told_from_before_its_first_release_to_its_latest():
    changes = [change(f"{n}" * 8, f"Step {n} (#{n})", at=NOW) for n in (4, 3, 2, 1)]
    tags = dict(
        zip(("v1.2.1", "v1.2.0", "v1.1.0", "v1.0.0"), (c.sha for c in changes), strict=True)
    )
    answer = await ask("what changed in 1.2.x", context(FakeSource(changes, tags=tags)))
    assert [row.graded.number for row in answer.rows] == [4, 3]


SERIES = [change(f"{n}aaaaaa{n}", f"Change {n} (#{n})", at=NOW) for n in range(6, 0, -1)]


@pytest.mark.parametrize(
    ("question", "tags"),
    [
        ("how many releases were there in 1.2.x", ["v1.2.1", "v1.2.0"]),
        ("which releases are in the 1.2 series?", ["v1.2.1", "v1.2.0"]),
        ("how many releases since v1.1.0", ["v2.0.0", "v1.2.1", "v1.2.0", "v1.1.1"]),
    ],
)
async def test_the_releases_of_a_series_or_after_one_are_counted(question, tags):
    names = ["v2.0.0", "v1.2.1", "v1.2.0", "v1.1.1", "v1.1.0", "v1.0.0"]
    source = FakeSource(SERIES, tags=dict(zip(names, (one.sha for one in SERIES), strict=True)))
    source.tagged = NOW
    answer = await ask(question, context(source))
    shown = markdown(answer.document)
    assert shown.startswith(f"# {len(tags)} releases")
    assert [name for name in names if f"`{name}`, tagged" in shown] == tags


async def test_a_series_without_a_release_is_named(ctx):
    answer = await ask("how many releases in 9.9.x", ctx)
    assert isinstance(answer.error, UnknownBranch)
    assert answer.error.name == "9.9.x"


async def test_the_release_of_the_only_change_is_told_before_it():
    fix = change("5aaaaaa5", "Fix the launcher of Windows (#5)", at=NOW - timedelta(days=3))
    ctx = context(FakeSource([fix], tags={"v1.0.0": fix.sha}, tagged=NOW))
    answer = await ask("which release has the fix for the windows launcher", ctx)
    assert "was released in `v1.0.0`" in markdown(answer.document).partition("# Fix")[0]
