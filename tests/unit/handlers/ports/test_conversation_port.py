"""Questions that go on from an answer, and the answers that came with them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import pytest

from digest.document import Chart, CodeBlock
from digest.errors import EmptyRange, NothingBefore, UnknownBranch
from digest.markdown import markdown
from handlers.ports.chat_port import ConversationKey, Look, Talk
from handlers.router import ask
from tests.support.fakes import FakeSource, change, context

NOW = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)
ME = ConversationKey(platform="slack", chat="C1", thread="1.2", person="U1")
OTHER = replace(ME, person="U2")


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


CHANGES = [
    change("aaaaaaa1", "[MoE] Fuse the experts (#11)", {"src/moe/fuse.py": 90}, ago(1)),
    change(
        "bbbbbbb2",
        "[Bugfix] Fix a crash of the scheduler (#12)\n\nIt raced.\n\nReviewed-by: Eve <e@x.org>",
        {"src/scheduler.py": 5, "config/run.toml": 2},
        ago(2),
        "Grace Hopper",
    ),
    change("ccccccc3", "[Docs] Describe MoE (#13)", {"docs/moe.md": 30}, ago(10)),
    change("ddddddd4", "feat!: drop the old API (#14)", {"src/api.py": 30}, ago(11)),
]


@dataclass
class FakeConversations:
    talks: dict[ConversationKey, Talk] = field(default_factory=dict)
    looks: dict[tuple[str, str, str], Look] = field(default_factory=dict)

    async def talk(self, key, now):
        return self.talks.get(key)

    async def keep(self, key, talk):
        self.talks[key] = talk

    async def last_look(self, key, repository):
        return self.looks.get((key.chat, key.person, repository.name))

    async def looked(self, key, repository, look):
        self.looks[key.chat, key.person, repository.name] = look

    async def forget(self, key):
        self.talks.pop(key, None)


@pytest.fixture
def ctx():
    source = FakeSource(
        CHANGES, tags={"v1.0": "ccccccc3".ljust(40, "0"), "v0.9": "ddddddd4".ljust(40, "0")}
    )
    return replace(context(source), conversations=FakeConversations())


async def said(ctx, *questions, who=ME):
    for question in questions:
        answer = await ask(question, ctx, conversation=who)
    return answer


def shown(answer) -> str:
    return markdown(answer.document)


def shas(answer) -> list[str]:
    return [row.graded.sha[:8] for row in answer.rows]


async def test_followups_are_about_the_change_that_was_explained(ctx):
    risk = await said(ctx, "explain #12", "is it risky?")
    assert risk.intent == "risky"
    assert shas(risk) == ["bbbbbbb2"]
    assert "Eve" in shown(await said(ctx, "who reviewed it?"))
    assert "bug fix (“Bugfix”)" in shown(await said(ctx, "why?"))
    diff = await said(ctx, "show the diff of the config part")
    code = next(b for b in diff.document.blocks if isinstance(b, CodeBlock))
    assert "config/run.toml" in code.text
    assert "scheduler" not in code.text
    assert "lines 1" not in shown(diff)
    assert "lines 1–60 of 93" in shown(await said(ctx, "diff #11"))


async def test_diff_of_a_part_that_is_not_there_names_the_files(ctx):
    answer = await said(ctx, "explain #12", "show the diff of the tests part")
    assert "`src/scheduler.py`" in shown(answer)


async def test_diff_of_a_path_has_its_lines_of_each_change_and_can_be_gone_on_from(ctx):
    answer = await said(ctx, "show the diff of src/ this month")
    pages = [answer, await said(ctx, "more"), await said(ctx, "more")]
    code = "\n".join(
        block.text
        for page in pages
        for block in page.document.blocks
        if isinstance(block, CodeBlock)
    )
    assert [line[2:10] for line in code.splitlines() if line.startswith("# ")] == [
        "aaaaaaa1",
        "bbbbbbb2",
        "ddddddd4",
    ]
    assert code.count("\n+x = 1") == 90 + 5 + 30
    assert "config/run.toml" not in code
    assert "diff of src/" in shown(answer)
    await said(ctx, "show the diff of src/ this month")
    assert shas(await said(ctx, "explain the second")) == ["bbbbbbb2"]


async def test_diff_of_a_file_without_its_folder_and_of_one_that_did_not_change(ctx):
    assert shas(await said(ctx, "git diff scheduler.py this month")) == ["bbbbbbb2"]
    assert "No change" in shown(await said(ctx, "show the diff of src/none.py this month"))


async def test_reviewers_of_a_period_are_those_that_commits_name(ctx):
    answer = shown(await said(ctx, "who reviewed the most this week"))
    assert "Reviews by person (1 person)" in answer
    assert "Eve (1)" in answer
    assert "name no reviewers" in shown(await said(ctx, "who reviewed the most yesterday"))


async def test_who_merged_is_not_told_of_commits_that_do_not_say_it(ctx):
    answer = shown(await said(ctx, "who merged the most this week"))
    assert "do not say who merged" in answer
    assert "By author" not in answer


async def test_language_is_kept_by_what_goes_on(ctx):
    assert (await said(ctx, "explain #12", "中文")).document.language == "zh"
    assert (await said(ctx, "why?")).document.language == "zh"
    assert (await said(ctx, "in English")).document.language == "en"


async def test_period_and_topic_are_exchanged(ctx):
    await said(ctx, "what changed in MoE this week")
    earlier = await said(ctx, "and last week?")
    assert (earlier.topic, shas(earlier)) == ("MoE", ["ccccccc3"])
    assert shas(await said(ctx, "and in the API?")) == ["ddddddd4"]


async def test_more_is_the_next_page(ctx):
    ctx.watched.source.branch_changes = [
        change(f"{n:08x}", f"[MoE] Step {n} (#{n})", at=ago(n / 100)) for n in range(1, 25)
    ]
    await said(ctx, "what changed in MoE since Monday")
    assert "11–20 of 24 shown" in shown(await said(ctx, "more"))
    assert "21–24 of 24 shown" in shown(await said(ctx, "更多"))


async def test_shorter_and_longer_change_how_much_is_said(ctx):
    usual = await said(ctx, "explain #12")
    short = await said(ctx, "shorter")
    assert len(short.document.blocks) < len(usual.document.blocks)
    await said(ctx, "longer")
    assert "It raced." in shown(await said(ctx, "longer"))


async def test_two_people_in_one_channel_do_not_mix(ctx):
    await said(ctx, "explain #12")
    assert isinstance((await said(ctx, "is it risky?", who=OTHER)).error, NothingBefore)
    await said(ctx, "explain #11", who=OTHER)
    assert shas(await said(ctx, "why?")) == ["bbbbbbb2"]


@pytest.mark.parametrize("question", ["more", "中文", "shorter", "why?", "is it risky?", "diff"])
async def test_nothing_before_is_said_in_the_askers_language(ctx, question):
    answer = await said(ctx, question)
    assert isinstance(answer.error, NothingBefore)


async def test_changes_since_a_tag_are_those_that_it_has_not(ctx):
    assert shas(await said(ctx, "changes since v1.0")) == ["aaaaaaa1", "bbbbbbb2"]
    assert shas(await said(ctx, "fixes since v1.0")) == ["bbbbbbb2"]
    assert shas(await said(ctx, "changes label:moe v0.9..main")) == ["aaaaaaa1"]


async def test_compare_groups_by_kind_and_counts_people(ctx):
    ctx.watched.source.tags = {"v0.9": "ddddddd4".ljust(40, "0"), "v1.1": "aaaaaaa1".ljust(40, "0")}
    answer = await said(ctx, "compare v0.9 v1.1")
    text = shown(answer)
    assert shas(answer) == ["aaaaaaa1", "bbbbbbb2", "ccccccc3"]
    assert "3 changes by 2 people" in text
    assert "Fixes (1 change)" in text


async def test_more_of_release_notes_has_the_rest_of_every_group(ctx):
    source = ctx.watched.source
    first = change("0000000f", "Begin (#100)", {"src/a.py": 1}, ago(9))
    others = [
        change(f"{n:07x}a", f"Tidy {n} (#{n})", {"src/a.py": 1}, ago(5)) for n in range(20, 40)
    ]
    source.branch_changes = [*others, first]
    source.tags = {"v1": first.sha, "v2": others[0].sha}
    page = shown(await said(ctx, "compare v1 v2"))
    assert "Other changes (20 changes)" in page
    assert "and 15 more: `more`" in page
    rest = "".join([shown(await said(ctx, "more")) for _ in range(3)])
    assert all((f"#{n})" in page) != (f"#{n})" in rest) for n in range(20, 40))
    assert "more:" not in shown(await said(ctx, "more"))


@pytest.mark.parametrize(
    ("question", "error"),
    [("changes since v7.7", UnknownBranch), ("v1.0..v0.9", EmptyRange), ("v1.0..v1.0", EmptyRange)],
)
async def test_references_that_name_nothing_are_told(ctx, question, error):
    assert isinstance((await said(ctx, question)).error, error)


async def test_breaking_changes_are_found_by_their_kind(ctx):
    answer = await said(ctx, "breaking changes last 30 days")
    assert shas(answer) == ["ddddddd4"]
    assert answer.rows[0].why


async def test_numbers_by_day_come_with_a_chart(ctx):
    answer = await said(ctx, "how many changes a day this week")
    chart = next(b for b in answer.document.blocks if isinstance(b, Chart))
    assert dict(zip(chart.labels, chart.values, strict=True))["2026-01-22"] == 1
    assert sum(chart.values) == 2


@pytest.mark.parametrize(
    ("question", "bars"),
    [
        ("number of commits by month since 2025-12-01", {"2025-12": 0, "2026-01": 4}),
        ("commits per week since 2026-01-05", {"2026-01-05": 0, "2026-01-12": 2, "2026-01-19": 2}),
    ],
)
async def test_numbers_by_week_or_month_are_told_so(ctx, question, bars):
    answer = await said(ctx, question)
    chart = next(b for b in answer.document.blocks if isinstance(b, Chart))
    assert dict(zip(chart.labels, chart.values, strict=True)) == bars
    assert chart.title.split()[-1] in question


async def test_catching_up_begins_at_the_last_look(ctx):
    first = await said(ctx, "catch up")
    assert "I do not know when you last looked" in shown(first)
    assert "Nothing new" in shown(await said(ctx, "what did I miss?"))
    ctx.watched.source.branch_changes = [
        change("eeeeeee5", "[MoE] Late news (#15)", at=ago(30)),
        *CHANGES,
    ]
    assert shas(await said(ctx, "catch up")) == ["eeeeeee5"]
    assert len((await said(ctx, "catch up", who=OTHER)).rows) == 2


async def test_a_named_thing_is_told_with_what_happened_to_it(ctx):
    nothing = await said(ctx, "explain fused_engine")
    assert "`fused_engine`" in shown(nothing)
    assert nothing.rows == ()


async def test_status_and_privacy_are_told_in_both_languages(ctx):
    assert "Of the last 7 days, " in shown(await said(ctx, "status"))
    assert "14" in shown(await said(ctx, "隐私"))


@pytest.mark.parametrize("question", ["今週は何が変わりましたか", "что изменилось"])
async def test_a_third_language_is_told_in_both(ctx, question):
    text = shown(await said(ctx, question))
    assert "I read English and Chinese" in text
    assert "我能看懂英文和中文" in text


async def test_a_question_of_ten_kilobytes_is_told_to_be_too_long(ctx):
    assert "too long" in shown(await said(ctx, "what changed in " + "MoE " * 2560))


@pytest.mark.parametrize(
    ("question", "place"),
    [
        ("the first one", 0),
        ("explain the second", 1),
        ("第二个", 1),
        ("the last one", -1),
        ("number 2", 1),
    ],
)
async def test_a_change_of_the_last_list_is_named_by_its_place(ctx, question, place):
    listed = await said(ctx, "changes last 20 days")
    page = shown(listed)
    shown_in_order = sorted((c.sha for c in CHANGES), key=lambda sha: page.index(page_of(sha)))
    answer = await said(ctx, question)
    assert answer.intent == "explain"
    assert answer.rows[0].graded.sha == shown_in_order[place]


def page_of(sha: str) -> str:
    return f"/pull/{11 + [c.sha for c in CHANGES].index(sha)}"


async def test_places_stay_those_of_the_list_while_its_changes_are_spoken_of(ctx):
    first = await said(ctx, "changes last 20 days", "the first one")
    await said(ctx, "who wrote it", "the second one", "is it risky?")
    assert shas(await said(ctx, "the first one")) == shas(first)


async def test_places_are_known_where_titles_have_no_address(ctx):
    bare = replace(ctx.watched, repository=replace(ctx.watched.repository, web="", forge=""))
    ctx = replace(ctx, watched=bare)
    answer = await said(ctx, "changes in moe last 20 days", "the first one")
    assert answer.intent == "explain"
    assert "MoE" in answer.rows[0].graded.title or "experts" in answer.rows[0].graded.title


@pytest.mark.parametrize("question", ["the ninth one", "第九个", "the last one", "only high"])
async def test_a_place_that_no_list_has_is_nothing_before(ctx, question):
    if question.startswith(("the ninth", "第")):
        await said(ctx, "changes last 20 days")
    assert isinstance((await said(ctx, question)).error, NothingBefore)


async def test_the_last_question_is_narrowed_to_a_level(ctx):
    everything = await said(ctx, "changes last 20 days")
    for question in ("only high", "只看高的", "just the important ones"):
        high = await said(ctx, "changes last 20 days", question)
        assert high.intent == "changed"
        assert 0 < high.total < everything.total
        assert {str(row.graded.grade.level) for row in high.rows} == {"high"}
    assert (await said(ctx, "digest last 20 days", "only high")).total == high.total
    assert (await said(ctx, "digest last 20 days", "the second one", "only high")) == high


@pytest.mark.parametrize("question", ["only bug fixes", "just the fixes please", "只看修复"])
async def test_the_last_question_is_narrowed_to_a_kind(ctx, question):
    asked = await said(ctx, "changes kind:fix last 20 days")
    narrowed = await said(ctx, "changes last 20 days", question)
    assert narrowed.intent == "changed"
    assert shas(narrowed) == shas(asked)
    assert narrowed.total < (await said(ctx, "changes last 20 days")).total
    assert shas(await said(ctx, "digest last 20 days", question)) == shas(asked)


async def test_the_last_question_is_asked_of_another_change(ctx):
    assert shas(await said(ctx, "why #11", "and #12?")) == ["bbbbbbb2"]
    assert (await said(ctx, "why #11", "and #12?")).intent == "why"
    assert (await said(ctx, "changes last 20 days", "那 #12 呢")).intent == "explain"
    assert shas(await said(ctx, "and #12?", who=OTHER)) == ["bbbbbbb2"]


async def test_the_author_of_a_change_is_told(ctx):
    for question in ("who wrote it", "谁写的", "who wrote #12", "#12 是谁写的"):
        assert "Grace Hopper" in shown(await said(ctx, "explain #12", question))


async def test_the_files_that_changed_most_are_told(ctx):
    for question in ("which files changed most in the last 20 days", "最近20天哪些文件改动最多"):
        told = shown(await said(ctx, question))
        assert "`src/moe/fuse.py`" in told
        assert told.index("src/moe/fuse.py") < told.index("config/run.toml")


async def test_who_says_hello_is_shown_what_can_be_asked(ctx):
    for question, word in (("hello", "Hello!"), ("你好", "你好！")):
        answer = await said(ctx, question)
        assert answer.intent == "help"
        assert word in shown(answer)
        assert len(shown(answer)) < 500
    overheard = await said(replace(ctx, overheard=True), "hello")
    assert overheard.intent == "unknown"
    assert ctx.conversations.talks == {}


async def test_what_else_somebody_did_is_asked_of_the_author_of_the_change(ctx):
    answer = await said(ctx, "explain #12", "what else did she change this month")
    assert [row.graded.sha[:8] for row in answer.rows] == ["bbbbbbb2"]
    assert "by Grace Hopper" in shown(answer)
    answer = await said(ctx, "explain #11", "what else changed in that file this month")
    assert [row.graded.sha[:8] for row in answer.rows] == ["aaaaaaa1"]


async def test_the_list_comes_back_with_all_that_was_left_out(ctx):
    everything = await said(ctx, "what changed in January")
    answer = await said(ctx, "what changed in January", "only breaking", "go back to all of them")
    assert answer.total == everything.total == 4
    answer = await said(ctx, "what changed in January", "explain the first", "back to the list")
    assert answer.total == 4


async def test_what_about_a_topic_keeps_the_period_and_the_kind_of_the_list(ctx):
    answer = await said(ctx, "bug fixes in January", "what about MoE")
    assert "MoE, Fixes" in shown(answer)
    assert "2026-01-01" in shown(answer)
    answer = await said(ctx, "what did Grace Hopper change in January", "same for Ada")
    assert "by Ada" in shown(answer)


async def test_one_change_that_is_described_is_explained(ctx):
    answer = await said(ctx, "the fix for the scheduler crash in January")
    assert answer.intent == "explain"
    assert answer.rows[0].graded.sha.startswith("bbbbbbb2")
