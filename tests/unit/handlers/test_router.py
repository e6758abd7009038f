import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from importlib import import_module
from inspect import iscoroutinefunction
from typing import get_args

import pytest

from digest.answer.answers import answer_to_json
from digest.answer.listing import PAGE
from digest.chat.chat_intents import Managing
from digest.core.enums import Language
from digest.core.facts import FACTS_VERSION
from digest.core.grade import Repository
from digest.document import Document, Heading, Listing, Paragraph, plain
from digest.errors import (
    AmbiguousReference,
    FutureWindow,
    NothingBefore,
    SourceUnavailable,
    UnknownChange,
)
from digest.markdown import markdown
from digest.question import intent as intents
from digest.question.intent import Enquiry, Followup
from digest.question.questions import QUESTIONS
from handlers.digests.daily import digest_of_window
from handlers.ports.chat_port import ConversationKey, Length
from handlers.router import ask
from tests.support.fakes import FakeArchive, FakeSource, change, context, graded
from tests.unit.handlers.ports.test_conversation_port import FakeConversations

NOW = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)


def ago(days: float) -> datetime:
    return NOW - timedelta(days=days)


CHANGES = [
    change("aaaaaaa1", "[MoE] Fuse the experts (#11)", {"src/moe/fuse.py": 90}, ago(1)),
    change("bbbbbbb2", "Fix a crash of the scheduler (#12)", {"src/scheduler.py": 5}, ago(2)),
    change("ccccccc3", "[Docs] Describe MoE (#13)", {"docs/moe.md": 30}, ago(3), "Grace Hopper"),
    change("ddddddd4", "Reformat (#14)", {"tests/test_moe.py": 1, "src/core.py": 99}, ago(3)),
    change("eeeeeee5", "[Quantization] Round to even (#15)", {"src/quant.py": 9}, ago(20)),
]


@pytest.fixture
def source() -> FakeSource:
    return FakeSource(CHANGES)


def text(document: Document) -> str:
    return markdown(document)


def shas(answer) -> list[str]:
    return [row.graded.sha[:8] for row in answer.rows]


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("what changed this week", True),
        ("explain #13", True),
        ("digest this week", False),
    ],
)
async def test_long_answers_quote_the_authors_and_digests_have_a_length_of_their_own(
    question, quoted
):
    said = "The experts of a layer are fused into one call."
    changes = [
        change("aaaaaaa1", f"Fuse the experts (#13)\n\n{said}", {"docs/moe.md": 9}, ago(1)),
        change("bbbbbbb2", "Describe MoE (#12)", {"docs/moe.md": 30}, ago(9)),
    ]
    ctx = context(FakeSource(changes))
    long = markdown((await ask(question, replace(ctx, length=Length.LONG))).document)
    plain = markdown((await ask(question, ctx)).document)
    assert (f"**Fuse the experts (#13)**\n\n> {said}" in long) is quoted
    assert f"> {said}" not in plain


async def test_changed_answers_with_the_changes_about_the_topic(source):
    answer = await ask("what changed in MoE this week", context(source))
    assert answer.intent == "changed"
    assert answer.topic == "MoE"
    assert shas(answer) == ["aaaaaaa1", "ccccccc3"]
    shown = text(answer.document)
    assert "MoE: 2 changes" in shown
    assert "2 of 2 shown" in shown
    assert "https://github.com/octo/engine/pull/11" in shown
    assert "2026-01-19 00:00 – 2026-01-23 12:00 (UTC)" in shown
    assert "aaaaaaa100" in shown
    assert answer.rows[0].why == "tag [MoE]"


async def test_changed_answers_in_the_language_of_the_question(source):
    answer = await ask("本周 MoE 有什么变化", context(source))
    assert "MoE：2 个变更" in text(answer.document)
    assert answer.document.language == "zh"
    assert answer.rows[0].why == "标签 [MoE]"
    told = await ask("本周 MoE 有什么变化", context(source), Language.EN)
    assert "MoE: 2 changes" in text(told.document)


async def test_changed_reads_what_the_archive_lacks_and_reads_it_once(source):
    archive = FakeArchive()
    ctx = context(source, archive)
    await ask("what changed in MoE this week", ctx)
    await ask("what changed in MoE this week", ctx)
    read = [call for call in source.calls if call[0] == "changes"]
    assert len(read) == 1
    assert len([s for s in archive.saves if s]) == 1


async def test_changed_takes_author_path_and_level(source):
    ctx = context(source)
    assert shas(await ask("changes by grace this week", ctx)) == ["ccccccc3"]
    assert shas(await ask("changes in src/moe/ this week", ctx)) == ["aaaaaaa1"]
    low = await ask("changes level low this week", ctx)
    assert len(low.rows) == 4


async def test_changed_reads_an_unknown_topic_as_a_name_where_there_is_one(source):
    answer = await ask("Hopper 本周改了什么", context(source))
    assert shas(answer) == ["ccccccc3"]
    assert "作者 Hopper" in text(answer.document)


async def test_changed_without_a_hit_says_so_and_names_near_topics(source):
    ctx = context(source)
    answer = await ask("what changed in schedulable this week", ctx)
    assert answer.rows == ()
    shown = text(answer.document)
    assert "I know of no topic `schedulable`" in shown
    assert "`scheduler`" in shown


async def test_changed_reads_a_misspelt_topic_as_the_one_it_misspells(source):
    answer = await ask("wat changd in teh schedular this week", context(source))
    assert shas(answer) == ["bbbbbbb2"]
    assert "Read `schedular` as `scheduler`." in text(answer.document)


async def test_word_of_a_title_is_not_read_as_a_misspelling():
    changes = [
        change("ccccccc3", "Speed up the SettingPool (#13)", at=NOW),
        change("bbbbbbb2", "Fix scheduler (#2)", at=NOW),
        change("ddddddd4", "chore: ease shutting down (#14)", at=NOW - timedelta(days=300)),
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed this week", ctx)
    shown = text((await ask("what changed in the scheduler shutting this week", ctx)).document)
    assert "Words of the question that were not used: `shutting`" in shown


async def test_changed_looks_up_the_known_words_and_names_the_unknown_ones(source):
    answer = await ask("what changed in the scheduler zeppelin this week", context(source))
    assert shas(answer) == ["bbbbbbb2"]
    assert "Words of the question that were not used: `zeppelin`" in text(answer.document)


async def test_words_that_are_no_topic_are_left_out_and_named(source):
    answer = await ask("what changed this week, one line is plenty", context(source))
    assert len(answer.rows) == len((await ask("what changed this week", context(source))).rows)
    assert "Words of the question that were not used: `plenty`" in text(answer.document)


async def test_changed_leaves_out_what_is_excluded(source):
    ctx = context(source)
    everything = shas(await ask("what changed this week", ctx))
    answer = await ask("everything from this week except MoE", ctx)
    assert set(everything) - set(shas(answer)) == {"aaaaaaa1"} | set(
        shas(await ask("what changed in MoE this week", ctx))
    )
    assert "without MoE" in text(answer.document)
    assert "ccccccc3" not in shas(await ask("what changed this week without grace", ctx))


async def test_changed_drops_the_part_of_a_topic_that_leaves_nothing(source):
    answer = await ask("what changed in the scheduler MoE this week", context(source))
    assert answer.rows
    assert "Nothing matches all of the question" in text(answer.document)


async def test_a_period_that_nobody_gave_is_widened_before_nothing_is_said(source):
    recent = context(source)
    at = recent.clock.now() + timedelta(days=20)
    later = replace(recent, clock=type(recent.clock)(at))
    answer = await ask("any fixes in the scheduler lately", later)
    assert shas(answer) == ["bbbbbbb2"]
    assert "these are from the last 30 days" in text(answer.document)


async def test_changed_without_a_hit_says_where_there_are_some(source):
    ctx = context(source)
    await ask("what changed this month", ctx)
    answer = await ask("what changed in quantization this week", ctx)
    assert answer.rows == ()
    shown = text(answer.document)
    assert "No change in this period is about `quantization`." in shown
    assert "1 change about it outside this period" in shown


async def test_changed_offers_a_search_where_the_word_is_only_mentioned(source):
    source.branch_changes = [
        change("aaaaaaa1", "Speed up (#1)\n\nThis also helps the zeppelin.", at=ago(1))
    ]
    answer = await ask("what changed in zeppelin this week", context(source))
    assert "`search zeppelin`" in text(answer.document)


async def test_changed_reads_the_repositorys_aliases(source):
    ctx = context(source, aliases={"brain": ("scheduler",)})
    assert shas(await ask("what changed in the brain this week", ctx)) == ["bbbbbbb2"]


async def test_changed_shows_a_page_and_keeps_every_match(source):
    source.branch_changes = [
        change(f"{n:08x}", f"[MoE] Step {n} (#{n})", at=ago(n / 100)) for n in range(1, 48)
    ]
    answer = await ask("what changed in MoE since Monday", context(source))
    assert len(answer.rows) == 47
    assert f"{PAGE} of 47 shown" in text(answer.document)
    lists = [b for b in answer.document.blocks if isinstance(b, Listing)]
    assert sum(len(b.items) for b in lists) == PAGE
    committed = [row.graded.commit.committed_at for row in answer.rows]
    assert committed == sorted(committed, reverse=True)


async def test_changed_of_an_empty_branch_says_so():
    answer = await ask("what changed this week", context(FakeSource()))
    assert "the branch has no commit yet" in text(answer.document)


async def test_explain_finds_a_change_in_the_source_and_keeps_it(source):
    archive = FakeArchive()
    ctx = context(source, archive)
    answer = await ask("explain #11", ctx)
    assert shas(answer) == ["aaaaaaa1"]
    assert "Fuse the experts" in text(answer.document)
    source.calls.clear()
    again = await ask("解释 #11", ctx)
    assert again.rows[0].graded == answer.rows[0].graded
    # Whether the change belongs to the branch, what came after it and who owns its files is asked;
    # the change itself is not read again.
    assert [call[0] for call in source.calls] == ["tip", "is_ancestor", "titles", "contents"]


@pytest.mark.parametrize(
    "question",
    [
        "explain #11",
        "11",
        "explain aaaaaaa1",
        "octo/engine#11",
        "https://github.com/octo/engine/pull/11",
        "https://github.com/octo/engine/commit/aaaaaaa1",
        "https://github.com/fork/engine/commit/aaaaaaa1",
    ],
)
async def test_explain_finds_a_change_by_every_reference(source, question):
    assert shas(await ask(question, context(source))) == ["aaaaaaa1"]


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ("explain #999", UnknownChange),
        ("explain 0123456789", UnknownChange),
        ("other/engine#11", UnknownChange),
        ("changes since 2027-01-01", FutureWindow),
    ],
)
async def test_ask_turns_a_users_error_into_a_short_answer(source, question, error):
    answer = await ask(question, context(source))
    assert isinstance(answer.error, error)
    assert answer.rows == ()
    assert plain(answer.document.blocks[0].spans) == str(answer.error)


async def test_ask_tells_errors_in_chinese(source):
    answer = await ask("解释 #999", context(source))
    assert "没有找到 #999" in text(answer.document)
    answer = await ask("明天有什么变化", context(source))
    assert "还没有到" in text(answer.document)


async def test_ask_tells_that_the_source_cannot_be_read(source):
    source.failure = SourceUnavailable("git is gone")
    answer = await ask("what changed this week", context(source))
    assert "git is gone" in text(answer.document)


async def test_ask_lets_other_errors_through(source):
    source.failure = RuntimeError("a bug")
    with pytest.raises(RuntimeError, match="a bug"):
        await ask("what changed this week", context(source))


async def test_explain_refuses_a_sha_of_several_commits():
    source = FakeSource(
        [change("abcdef01", "One", at=ago(1)), change("abcdef02", "Two", at=ago(2))]
    )
    answer = await ask("explain abcdef0", context(source))
    assert isinstance(answer.error, AmbiguousReference)


async def test_explain_takes_the_newest_of_a_request_and_names_the_others():
    source = FakeSource(
        [
            change("ccccccc3", "Speed up (#7)", at=ago(1)),
            change("bbbbbbb2", 'Revert "Speed up (#7)" (#8)', at=ago(2)),
            change("aaaaaaa1", "Speed up (#7)", at=ago(3)),
        ]
    )
    ctx = context(source)
    await ask("what changed this week", ctx)
    answer = await ask("explain #7", ctx)
    assert shas(answer) == ["ccccccc3"]
    shown = text(answer.document)
    assert "Reverted by" in shown
    assert "Also part of this request:" in shown
    assert 'Revert "Speed up' in shown


@pytest.mark.parametrize(
    ("later", "told"),
    [
        pytest.param("Reapply 50869 (#52223)", "Applied again by", id="number-without-mark"),
        pytest.param('Revert "Drop the check"', "Reverted by", id="title-alone"),
        pytest.param(
            "Drop it not\n\nThis reverts commit aaaaaaa1.", "Reverted by", id="name-of-commit"
        ),
        pytest.param('Revert "Drop the checks"', "", id="another-title"),
        pytest.param("Speed up what 50869 made slow (#52223)", "", id="only-mentioned"),
        pytest.param("Reapply 150869 (#52223)", "", id="another-number"),
    ],
)
async def test_explain_tells_what_undoes_a_change_or_brings_it_back(later, told):
    source = FakeSource(
        [
            change("bbbbbbb2", later, at=ago(1)),
            change("aaaaaaa1", "Drop the check (#50869)", at=ago(3)),
        ]
    )
    ctx = context(source)
    await ask("what changed this week", ctx)
    shown = text((await ask("explain #50869", ctx)).document)
    assert [words for words in ("Applied again by", "Reverted by") if words in shown] == (
        [told] if told else []
    )


async def test_explain_a_number_that_is_only_mentioned_is_unknown():
    source = FakeSource([change("bbbbbbb2", 'Revert "Speed up (#7)" (#8)', at=ago(2))])
    answer = await ask("explain #7", context(source))
    assert isinstance(answer.error, UnknownChange)


async def test_explain_takes_any_owner_for_a_clone_known_as_a_folder_only(source):
    ctx = context(source, repository=Repository(name="repo"))
    assert shas(await ask("octo/engine#11", ctx)) == ["aaaaaaa1"]


async def test_explain_refuses_the_number_of_another_repository(source):
    ctx = context(source, repository=Repository(name="octo/engine"))
    assert (await ask("octo/other#11", ctx)).error is not None


async def test_search_finds_text_and_tells_where(source):
    ctx = context(source)
    answer = await ask('search "fix a crash" scheduler this week', ctx)
    assert shas(answer) == ["bbbbbbb2"]
    assert answer.rows[0].why == "subject: fix a crash scheduler"
    nothing = await ask("搜索 不存在 本周", ctx)
    assert "没有包含 `不存在` 的变更" in text(nothing.document)


async def test_search_without_a_period_reads_only_what_messages_of_the_branch_have(source):
    ctx = context(source)
    answer = await ask("search crash", ctx)
    assert [row.graded.title for row in answer.rows] == ["Fix a crash of the scheduler (#12)"]
    assert [call[0] for call in source.calls].count("changes") == 1
    assert (await ask("search xylophone", ctx)).rows == ()


async def test_digest_lists_the_window(source):
    answer = await ask("digest this week", context(source))
    assert answer.intent == "digest"
    assert len(answer.rows) == 4
    assert answer.window is not None
    assert isinstance(answer.document.blocks[0], Heading)


async def test_help_shows_what_can_be_asked_in_the_language(source):
    english = await ask("help", context(source))
    chinese = await ask("帮助", context(source))
    assert "what changed in the scheduler this week" in text(english.document)
    assert "本周调度器有什么变化" in text(chinese.document)
    assert source.calls == []


async def test_unknown_offers_questions_that_are_understood(source):
    answer = await ask("tell me a joke", context(source))
    assert answer.intent == "unknown"
    assert answer.error is None
    assert "`explain #123`" in text(answer.document)
    assert source.calls == []


def test_every_intent_is_declared_as_a_question():
    classes = {one for one in vars(intents).values() if isinstance(one, type)}
    asked = {one for one in classes if issubclass(one, Enquiry)}
    shared = {Enquiry, intents.Filtered, intents.OfCurrent}
    assert set(QUESTIONS) == asked - shared | set(get_args(Managing))


@pytest.mark.parametrize(
    "place",
    sorted({one.answer for kind, one in QUESTIONS.items() if kind not in get_args(Followup)}),
)
def test_every_handler_is_where_its_declaration_says(place):
    module, _, function = place.partition(":")
    assert iscoroutinefunction(getattr(import_module(f"handlers.{module}"), function))


async def test_hostile_words_stay_text(source):
    source.branch_changes = [
        change(
            "aaaaaaa1", "[MoE] <script>alert(1)</script> @everyone [x](http://e.x) (#1)", at=ago(1)
        )
    ]
    answer = await ask("what changed in MoE this week", context(source))
    shown = text(answer.document)
    assert r"\<script>" in shown
    assert "@everyone" not in shown


async def test_answer_as_json_lists_every_match(source):
    ctx = context(source, zone="Asia/Shanghai")
    answer = await ask("what changed in MoE this week", ctx)
    form = answer_to_json(answer, "the page", ctx.zone)
    assert list(form) == [
        "schema",
        "intent",
        "understood",
        "window",
        "topic",
        "total",
        "changes",
        "text",
    ]
    assert form["schema"] == 1
    assert form["window"] == {
        "since": "2026-01-19T00:00:00+08:00",
        "until": "2026-01-23T20:00:00+08:00",
        "tz": "Asia/Shanghai",
    }
    assert form["total"] == 2
    first = form["changes"][0]
    assert list(first) == ["sha", "pr", "subject", "level", "score", "committed_at", "why"]
    assert first["pr"] == 11
    assert first["subject"] == "[MoE] Fuse the experts (#11)"
    assert first["committed_at"] == "2026-01-22T20:00:00+08:00"
    assert form["text"] == "the page"


async def test_answer_as_json_of_an_explanation_has_no_window(source):
    answer = await ask("explain #11", context(source))
    form = answer_to_json(answer, "", context(source).zone)
    assert (form["window"], form["topic"], form["total"]) == (None, None, 1)


async def test_archived_answers_ask_the_archive_alone(source):
    archive = FakeArchive.of(
        Repository(name="octo/engine"),
        [graded("aaaaaaa1", "[MoE] Fuse the experts (#11)", at=ago(1))],
    )
    source.branch_changes = CHANGES[:1]
    answer = await ask("what changed in MoE this week", context(source, archive))
    assert shas(answer) == ["aaaaaaa1"]
    assert "changes" not in [call[0] for call in source.calls]


async def test_documents_hold_nothing_but_blocks_with_words(source):
    for question in ("what changed this week", "explain #11", "help", "nonsense", "search x"):
        answer = await ask(question, context(source))
        assert answer.document.title
        assert all(plain(b.spans) for b in answer.document.blocks if isinstance(b, Paragraph))


async def test_help_tells_of_every_question_with_an_example_each(source):
    (page,) = [b for b in (await ask("help", context(source))).document.blocks
               if isinstance(b, Listing)]  # fmt: skip
    told = [plain(item.spans) for item in page.items]
    helped = [one.help for one in QUESTIONS.values() if one.help and not one.chats]
    assert told == [phrase.text(Language.EN) for phrase in helped]
    assert all(item.children for item in page.items)
    assert any("affected" in plain(child.spans) for item in page.items for child in item.children)


@pytest.mark.parametrize(
    ("question", "head", "ada"),
    [
        ("who touched MoE this week", "By author (2 people)", "Ada (1)"),
        ("本周谁改了 MoE", "按作者（2 人）", "Ada（1）"),
    ],
)
async def test_who_touched_a_topic_is_told_by_author_with_counts(source, question, head, ada):
    answer = await ask(question, context(source))
    shown = text(answer.document)
    assert head in shown
    assert ada in shown
    assert "Grace Hopper" in shown
    assert shas(answer) == ["aaaaaaa1", "ccccccc3"]


@pytest.mark.parametrize(
    "question", ["what changed in MoE this week", "digest today", "本周有什么变化"]
)
async def test_a_period_after_the_newest_commit_is_told_its_date_and_week(question):
    old = [change("aaaaaaa1", "[MoE] Fuse the experts (#11)", {"src/moe/fuse.py": 90}, ago(100))]
    ctx = context(FakeSource(old))
    answer = await ask(question, ctx)
    shown = text(answer.document)
    assert "2025-10-15" in shown
    (offered,) = re.findall(r"`([^`]*2025-10-13\.\.2025-10-19)`", shown)
    assert (await ask(offered, ctx)).total == 1


async def test_a_quiet_period_with_newer_commits_tells_no_date(source):
    assert "newest commit" not in text(
        (await ask("changes in January 2025", context(source))).document
    )


async def read_by_an_older_version(source) -> FakeArchive:
    archive = FakeArchive()
    await ask("explain #11", context(source, archive))
    for mine in archive.kept.values():
        for sha, kept in mine.items():
            facts = replace(kept.facts, version=FACTS_VERSION - 1)
            mine[sha] = replace(kept, facts=facts, grade=replace(kept.grade, by="older"))
    source.calls.clear()
    return archive


async def test_what_an_older_version_read_is_answered_from_and_digests_read_it_again(source):
    archive = await read_by_an_older_version(source)
    ctx = context(source, archive)
    answer = await ask("changes in MoE yesterday", ctx)
    assert shas(answer) == ["aaaaaaa1"]
    assert "changes" not in [call[0] for call in source.calls]
    assert answer.rows[0].graded.facts.version == FACTS_VERSION - 1
    daily = await digest_of_window(ctx, answer.window)
    assert [entry.graded.facts.version for entry in daily.report.entries] == [FACTS_VERSION]


@pytest.mark.parametrize(
    "question", ["which flags were removed this month", "new flags this month"]
)
async def test_names_are_listed_with_a_note_on_what_an_older_version_read(source, question):
    note = "An older version read 1 change of this period, and may have found fewer names."
    archive = await read_by_an_older_version(source)
    assert note in text((await ask(question, context(source, archive))).document)
    await digest_of_window(context(source, archive), (await ask(question, context(source))).window)
    assert note not in text((await ask(question, context(source, archive))).document)


async def test_one_change_that_an_older_version_read_is_read_again(source):
    archive = await read_by_an_older_version(source)
    answer = await ask("explain #11", context(source, archive))
    assert answer.rows[0].graded.facts.version == FACTS_VERSION


@pytest.mark.parametrize("question", ["MoE", "moe experts?", "moe?"])
async def test_a_topic_alone_is_answered_where_the_index_knows_it(source, question):
    source.branch_changes = CHANGES
    ctx = context(source)
    await ask("what changed this month", ctx)
    answer = await ask(question, ctx)
    assert answer.intent == "changed"
    assert answer.topic
    assert (await ask("banana cake", ctx)).intent == "unknown"


async def test_an_empty_list_names_the_filter_that_emptied_it(source):
    source.branch_changes = CHANGES
    answer = await ask("breaking changes in MoE this week", context(source))
    assert "None of them matches: Breaking changes." in text(answer.document)
    assert "misread" not in text(answer.document)


async def test_nothing_is_not_said_flatly_of_a_question_that_may_be_misread(source):
    source.branch_changes = CHANGES
    answer = await ask("security gizmo frobnications this week", context(source))
    assert answer.total == 0
    assert "I may have misread this question" in text(answer.document)
    assert "gizmo" in text(answer.document)


async def test_a_list_of_important_changes_says_how_many_there_are_in_all(source):
    source.branch_changes = CHANGES
    everything = await ask("what changed this week", context(source))
    answer = await ask("important changes this week", context(source))
    assert f"{everything.total} changes in this period in total." in text(answer.document)


SURE = (
    "what changed this week", "#12 what does it do", "security fixes last month", "who wrote #12",
    "which flags were removed this week", "本周有什么变化", "search crash", "help", "only high",
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        *((one, False) for one in SURE),
        *((one, True) for one in ("MoE", "#11 and #12", "hm, gizmos")),
    ],
)
async def test_a_model_is_asked_only_about_what_is_not_read_with_confidence(
    source, monkeypatch, question, asks
):
    sent = []

    async def meaning(words, unread, ctx):
        sent.append(words)

    async def answer(intent, ctx):
        raise NothingBefore

    monkeypatch.setattr("handlers.llm.understand.meaning", meaning)
    monkeypatch.setattr("handlers.router.answer", answer)
    await ask(question, replace(context(source), judging=object()))
    assert sent == [question] * asks


async def test_an_author_whose_name_is_one_chinese_sign_is_found(source):
    source.branch_changes = [*CHANGES, change("fffffff6", "Tidy (#16)", {"a.py": 1}, ago(1), "翠")]
    ctx = context(source)
    await ask("what changed this month", ctx)
    answer = await ask("翠 本周提交了什么", ctx)
    assert shas(answer) == ["fffffff6"]


async def test_a_topic_is_known_once_the_changes_were_read_for_it(source):
    answer = await ask("scheduler - anything since monday?", context(source))
    assert shas(answer) == ["bbbbbbb2"]


async def test_a_number_of_sentences_is_a_short_answer(source):
    source.branch_changes = CHANGES
    whole = await ask("summarize this week", context(source))
    brief = await ask("summarize this week in 2 sentences", context(source))
    assert len(text(brief.document)) < len(text(whole.document))


@pytest.mark.parametrize("asked", ["in one line", "as a single sentence"])
async def test_a_single_sentence_has_no_list(source, asked):
    source.branch_changes = CHANGES
    assert "\n- " in text((await ask("summarize this week", context(source))).document)
    answer = await ask(f"summarize this week {asked}", context(source))
    assert "\n- " not in text(answer.document)
    assert answer.total


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("was #7 reverted?", "Yes: [Revert"),
        ("#7 被回退了吗", "是：[Revert"),
        ("was #3 reverted?", "Yes: [Back out the cache (#6)"),
        ("was #9 reverted?", "No change that I have read reverts it."),
    ],
)
async def test_whether_a_change_was_reverted_is_told_before_it(question, begins):
    gone = "eeeeeee5" * 5
    changes = [
        change("bbbbbbb2", 'Revert "Speed up (#7)" (#8)', at=ago(2)),
        change("ccccccc3", "Tidy (#9)", at=ago(2)),
        change("ddddddd4", f"Back out the cache (#6)\n\nThis reverts commit {gone}.", at=ago(2)),
        change("aaaaaaa1", "Speed up (#7)", at=ago(3)),
        change(gone, "Cache results (#3)", at=ago(4)),
    ]
    ctx = context(FakeSource(changes))
    answer = await ask(question, ctx)
    assert text(answer.document).startswith(begins)


@pytest.mark.parametrize(
    ("question", "begins"),
    [
        ("why was #7 made?", "In the author's words: “Readers waited because the lock"),
        ("#7 为什么要改", "作者写道：“Readers waited because the lock"),
        ("why was #9 needed?", "The author gives no reason in the message."),
        ("explain #9", "<a id="),
    ],
)
async def test_why_a_change_was_made_is_told_in_its_authors_words(question, begins):
    body = "One lock guards the whole pool.\n\nReaders waited because the lock was held too long."
    changes = [
        change("ccccccc3", "Tidy (#9)\n\nSigned-off-by: Ada <ada@example.org>", at=ago(2)),
        change("aaaaaaa1", f"Split the lock (#7)\n\n{body}", at=ago(3)),
    ]
    answer = await ask(question, context(FakeSource(changes)))
    assert text(answer.document).startswith(begins)


async def test_a_revert_that_is_found_answers_whether_its_change_was_reverted():
    undo = change("bbbbbbb2", 'Revert "Fold the lamp queue" (#8)', at=ago(2))
    answer = await ask("was the lamp queue fold reverted? why", context(FakeSource([undo])))
    assert "Yes: [Revert" in text(answer.document)
    assert "No change that I have read" not in text(answer.document)


@pytest.mark.parametrize(("title", "begins"), [("Add", "Yes"), ("Fix", "No change that I have")])
async def test_a_fix_is_no_proof_that_something_is_supported(title, begins):
    ctx = context(FakeSource([change("bbbbbbb2", f"{title} fp8 lamps on Sol (#8)", at=ago(2))]))
    await ask("what changed this month", ctx)
    answer = await ask("are fp8 lamps supported on Sol", ctx)
    assert text(answer.document).startswith(begins)


async def test_what_a_person_removed_is_told_by_titles_where_no_name_is_gone():
    ctx = context(FakeSource([change("bbbbbbb2", "Remove Lamp2 (#8)", at=ago(2), author="Ada")]))
    shown = text((await ask("what did Ada remove lately", ctx)).document)
    assert "By their titles, these may be about it" in shown
    assert "Remove Lamp2" in shown


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("were any of Ada Lamp's changes reverted", ["bbbbbbb2"]),
        ("changes by ada lamp that got reverted", ["bbbbbbb2"]),
        ("Ada Lamp 的哪些改动被回滚了", ["bbbbbbb2"]),
        ("were any of Bo's changes rolled back", []),
        ("reverts by Bo", ["bbbbbbb2"]),
        ("what did Ada Lamp change this month>were any of them reverted", ["bbbbbbb2"]),
    ],
)
async def test_reverts_of_what_a_person_wrote_are_not_those_that_the_person_made(question, found):
    changes = [
        change("bbbbbbb2", 'Revert "Fold the queue (#3)" (#8)', at=ago(2), author="Bo"),
        change("ccccccc3", 'Revert "Dim the cache (#4)" (#7)', at=ago(2), author="Ada Lamp"),
        change("ddddddd4", "Dim the cache (#4)", at=ago(3), author="Cy"),
        change("eeeeeee5", "Fold the queue (#3)", at=ago(3), author="Ada Lamp"),
    ]
    ctx = replace(context(FakeSource(changes)), conversations=FakeConversations())
    for one in ("what changed this month", *question.split(">")):
        answer = await ask(
            one, ctx, conversation=ConversationKey(platform="console", chat="c", person="p")
        )
    assert shas(answer) == found


@pytest.mark.parametrize(
    ("day", "noted"), [(datetime(2026, 1, 19, 9, tzinfo=UTC), True), (NOW, False)]
)
async def test_a_week_that_began_today_is_said_to_have(source, day, noted):
    ctx = context(source, at=day)
    answer = await ask("any fixes this week", ctx)
    assert ("This period began today" in text(answer.document)) is noted


async def test_replacing_something_deprecated_does_not_prove_a_deprecation():
    ctx = context(FakeSource([change("bbbbbbb2", "Replace deprecated calls (#8)", at=ago(2))]))
    answer = await ask("did anything get deprecated this week", ctx)
    assert shas(answer) == ["bbbbbbb2"]
    assert "Yes" not in text(answer.document)
