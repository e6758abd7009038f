"""What a question goes on from, in the words that people use for it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest

from digest.core.enums import ChangeKind
from digest.document import Item, Listing, Text
from digest.errors import NothingBefore
from digest.question.intent import (
    Affected,
    Again,
    More,
    Nth,
    Released,
    Retell,
    Reviewers,
    Risky,
    ShowDiff,
    Top,
    Touched,
)
from digest.question.parser import read
from digest.question.questions import format_intent
from digest.question.slot_values import Background
from handlers.chat.follow_ups import complete_follow_up, last_talk
from handlers.ports.chat_port import Talk
from handlers.questions.openings import with_releases
from tests.support.fakes import FakeClock, FakeSource, change, context
from tests.unit.digest.facts import changes
from tests.unit.handlers.ports.test_conversation_port import (
    CHANGES,
    ME,
    NOW,
    FakeConversations,
    ctx,
    said,
    shas,
    shown,
)

__all__ = ["ctx"]


async def test_a_period_goes_on_with_the_list_behind_the_change_that_was_spoken_of(ctx):
    answer = await said(ctx, "what changed in MoE this week", "the first one", "and last week?")
    assert (answer.topic, shas(answer)) == ("MoE", ["ccccccc3"])


async def test_a_question_about_an_earlier_time_follows_a_list_up_to_now(ctx):
    await said(ctx, "what changed in MoE in the last 7 days")
    earlier = replace(ctx, clock=FakeClock(NOW - timedelta(days=60)))
    assert shas(await said(earlier, "explain #12")) == ["bbbbbbb2"]


async def test_what_is_not_understood_leaves_the_subject(ctx):
    await said(ctx, "explain #12", "blargh foo", "thanks!")
    assert shas(await said(ctx, "who wrote it?")) == ["bbbbbbb2"]


async def test_thanks_are_answered_kindly(ctx):
    assert "You are welcome" in shown(await said(ctx, "thank you!"))
    assert "不客气" in shown(await said(ctx, "谢谢"))


@pytest.mark.parametrize("question", ["第一个是干嘛的", "what does the first one do?", "the first"])
async def test_one_of_a_list_is_explained(ctx, question):
    answer = await said(ctx, "what changed in MoE this week", question)
    assert (answer.intent, shas(answer)) == ("explain", ["aaaaaaa1"])


@pytest.mark.parametrize("question", ["what does it do?", "explain it", "tell me more about it"])
async def test_the_change_that_is_spoken_of_is_explained(ctx, question):
    answer = await said(ctx, "who wrote #12", question)
    assert (answer.intent, shas(answer)) == ("explain", ["bbbbbbb2"])


async def test_a_name_that_was_looked_up_is_spoken_of(ctx):
    flag = 'parser.add_argument("--pool-size", default=4)\n'
    ctx.watched.source.trees = {(ctx.watched.source.branch_changes[0].sha, "src/cli.py"): flag}
    answer = await said(ctx, "is there a flag for the size of the pool", "is it still there?")
    assert (answer.intent, answer.topic) == ("touched", "--pool-size")
    assert "still exists: in" in shown(answer)


async def test_its_lines_are_shown(ctx):
    answer = await said(ctx, "explain #12", "看下代码改动")
    assert (answer.intent, shas(answer)) == ("diff", ["bbbbbbb2"])


async def test_a_list_is_narrowed_to_an_author_and_a_kind(ctx):
    theirs = await said(ctx, "changes last 20 days", "and by Grace?")
    assert shas(theirs) == ["bbbbbbb2"]
    assert shas(await said(ctx, "changes last 20 days", "and the bug fixes?")) == ["bbbbbbb2"]


async def test_a_list_is_counted_otherwise(ctx):
    answer = await said(ctx, "changes last 20 days", "group by author")
    assert answer.total == 4
    assert "By author" in shown(answer)


@pytest.mark.parametrize("question", ["go back to English", "can you say it in English please"])
async def test_the_language_goes_back(ctx, question):
    assert (await said(ctx, "解释 #12", question)).document.language == "en"


async def test_an_answer_says_how_its_question_was_read(ctx):
    answer = await said(ctx, "security fixes since 2026-01-10")
    assert "Read as: Security · 2026-01-10 to today · octo/engine" in shown(answer)


async def test_a_filter_is_taken_back_and_the_period_kept(ctx):
    await said(ctx, "changes last 20 days", "only the MoE ones")
    narrowed = await said(ctx, "changes last 20 days", "only the MoE ones", "and last week?")
    assert shas(narrowed) == ["ccccccc3"]
    assert shas(await said(ctx, "drop that filter")) == ["ccccccc3", "ddddddd4"]
    await said(ctx, "fixes by Grace in the scheduler last 20 days", "drop that filter")
    talk = await last_talk(replace(ctx, conversation=ME))
    assert talk is not None
    assert "kind:fix" not in talk.question
    assert {'author:"Grace"', "scheduler"} <= {*talk.question.split()}


async def test_the_question_about_a_name_before_a_list_comes_back(ctx):
    asked = ("what happened to MoE", "only docs", "back to the list")
    assert (await said(ctx, *asked)).intent == "touched"


async def test_the_week_before_is_that_before_the_list_behind_the_change(ctx):
    asked = ("what changed in MoE this week", "the first one", "why is that", "那前一周呢")
    assert shas(await said(ctx, *asked)) == ["ccccccc3"]


async def test_what_was_meant_replaces_what_was_asked(ctx):
    answer = await said(ctx, "what changed in MoE last month", "sorry, this week I meant")
    assert (answer.topic, shas(answer)) == ("MoE", ["aaaaaaa1"])


async def test_the_two_questions_of_a_message_are_both_answered(ctx):
    answer = await said(ctx, "who wrote #12 and who reviewed it?")
    assert "Grace Hopper" in shown(answer)
    assert "Eve" in shown(answer)


@pytest.mark.parametrize("second", ["who reviewed #999", "what changed in MoE this week"])
async def test_a_second_question_that_adds_nothing_leaves_the_answer_to_the_first(ctx, second):
    first = "what changed in MoE this week?"
    alone = await said(ctx, first)
    both = await said(ctx, f"{first} {second}?")
    assert (both.error, shown(both)) == (None, shown(alone))


async def test_who_and_when_after_a_name_are_of_the_change_that_removed_it(ctx):
    answer = await said(ctx, "is old_api gone?", "who removed it?")
    assert (answer.intent, shas(answer)) == ("author", ["ddddddd4"])


async def test_a_follow_up_that_names_a_language_is_answered_in_it(ctx):
    answer = await said(ctx, "what changed in MoE this week", "and last week, in chinese")
    assert answer.document.language == "zh"


async def test_a_described_change_is_explained_only_if_it_fits_the_whole_description(ctx):
    asked = "what changed last 20 days"
    assert (await said(ctx, asked, "explain the one about MoE zebras")).intent == "changed"
    assert (await said(ctx, asked, "explain the one about the scheduler")).intent == "explain"


async def test_a_description_that_fits_nothing_is_looked_for_in_the_list_that_was_asked_for(ctx):
    asked = ("what changed last 20 days", "explain the first one")
    answer = await said(ctx, *asked, "explain the one about MoE zebras")
    assert answer.intent == "changed"
    assert answer.window is not None
    assert answer.window.until - answer.window.since >= timedelta(days=19)
    asked = ("changes by Ada last 20 days", "explain the first one")
    answer = await said(ctx, *asked, "explain the one about MoE zebras")
    assert answer.document.title.startswith("MoE, by Ada: ")


async def test_one_of_a_list_is_named_by_what_it_is_about(ctx):
    asked = "what changed last 20 days"
    told = await said(ctx, asked, "who wrote the one about the scheduler")
    assert told.intent == "author"


@pytest.mark.parametrize(
    ("first", "then", "question"),
    [
        ("which flags were added in july", "and the env vars?", "thing:environment action:added"),
        ("which flags were added in july", "and removed ones?", "thing:flag action:removed"),
        ("fixes in july", "how many is that", "kind:fix"),
        ("changes in july", "哪些是重要的", "level:high"),
    ],
)
async def test_a_follow_up_keeps_what_it_does_not_name(ctx, first, then, question):
    await said(ctx, first, then)
    talk = await last_talk(replace(ctx, conversation=ME))
    assert talk is not None
    assert question in talk.question


async def test_the_release_before_is_told_after_a_release(ctx):
    days = enumerate(("Four (#4)", "Three (#3)", "Two (#2)", "One (#1)"), 1)
    changes = [change(f"{n}{n}{n}{n}aaaa", title, at=NOW - timedelta(days=n)) for n, title in days]
    tags = {f"v{n}.0.0": changes[-n].sha for n in (1, 2, 3)}
    source = FakeSource(changes, tags=tags, tagged=NOW)
    talking = replace(context(source), conversations=FakeConversations())
    assert shas(await said(talking, "what changed in v3.0.0")) == [changes[1].sha[:8]]
    assert shas(await said(talking, "and the previous release?")) == [changes[2].sha[:8]]


async def test_the_release_of_a_name_is_told_with_its_history(ctx):
    question = format_intent(Touched(name="--slow"))
    repository = ctx.watched.repository.name
    talk = Talk(question=question, repository=repository, at=NOW, subjects=(question,))
    intent, _ = await complete_follow_up(Released(), talk, ctx)
    assert intent == Touched(name="--slow")


@pytest.mark.parametrize(
    "question", ["who wrote it", "is it risky", "show me its diff", "谁写的它"]
)
async def test_a_question_about_one_change_after_a_list_asks_which(ctx, question):
    answer = await said(ctx, "changes last 20 days", question)
    assert isinstance(answer.error, NothingBefore)
    assert "2. [MoE] Fuse the experts" in str(answer.error)
    assert (await said(ctx, "the second one")).intent == "explain"


async def test_a_person_of_a_list_is_pointed_at_by_the_place(ctx):
    told = await said(ctx, "who contributed last 20 days", "what did the second one do?")
    assert shas(told) == ["bbbbbbb2"]
    assert "Grace Hopper" in shown(told)


@pytest.mark.parametrize("question", ["when was it released?", "它是什么时候发布的"])
async def test_a_release_is_told_with_its_day(question):
    changes = [change("aaaaaaa1", "Two (#2)", at=NOW), change("bbbbbbb2", "One (#1)", at=NOW)]
    tags = {"v2.0.0": changes[0].sha, "v1.0.0": changes[1].sha}
    source = FakeSource(changes, tags=tags, tagged=NOW - timedelta(days=2))
    talking = replace(context(source), conversations=FakeConversations())
    told = await said(talking, "compare v1.0.0 v2.0.0", question)
    assert "`v2.0.0`" in shown(told)
    assert "2026-01-21" in shown(told)
    first = await said(talking, "list all releases", "what is in the first one")
    assert shas(first) == ["aaaaaaa1"]


@pytest.mark.parametrize("question", ["when was it added?", "what's its default", "还在吗"])
async def test_a_question_about_the_name_is_told_with_its_history(ctx, question):
    told = await said(ctx, "is old_api gone?", "who removed it?", question)
    assert ("old_api: 1 change" in shown(told)) or ("old_api：1 个变更" in shown(told))


async def test_why_after_a_name_explains_the_change(ctx):
    told = await said(ctx, "is old_api gone?", "and why?")
    assert (told.intent, shas(told)) == ("explain", ["ddddddd4"])


@pytest.mark.parametrize("question", ["does it affect us?", "会影响我们吗", "does this affect me"])
async def test_whether_it_affects_the_asker_is_about_the_subject(ctx, question):
    assert shas(await said(ctx, "explain #12", question)) == ["bbbbbbb2"]
    told = await said(ctx, "explain #12", f"we use run.toml, {question}")
    assert told.intent in {"diff", "risky"}
    await said(ctx, "what changed in January")
    talk = await last_talk(replace(ctx, conversation=ME))
    intent, _ = await complete_follow_up(Affected(its=True), talk, ctx)
    assert "2026-01-01" in format_intent(intent)


async def test_a_change_with_its_own_name_leaves_the_name_that_was_asked_about(ctx):
    told = await said(ctx, "is old_api gone?", "explain #12", "what was it before?")
    assert shas(told) == ["bbbbbbb2"]


async def test_a_chinese_question_after_an_english_answer_is_answered_in_chinese(ctx):
    assert (await said(ctx, "explain #12", "谁写的")).document.language == "zh"


async def test_a_list_of_a_person_is_narrowed_to_a_topic(ctx):
    narrowed = await said(ctx, "what did Ada change last 20 days", "only the docs")
    assert shas(narrowed) == ["ccccccc3"]


async def test_the_one_beside_the_change_is_told(ctx):
    asked = ("changes last 20 days", "the second one")
    assert shas(await said(ctx, *asked, "next one")) == ["bbbbbbb2"]
    assert shas(await said(ctx, *asked, "上一条呢")) == ["ddddddd4"]
    answer = await said(ctx, *asked, "previous one", "the previous one")
    assert isinstance(answer.error, NothingBefore)


async def test_another_release_is_asked_the_same():
    days = enumerate(("Fix four (#4)", "Three (#3)", "Fix two (#2)", "One (#1)"), 1)
    changes = [change(f"{n}{n}{n}{n}aaaa", title, at=NOW - timedelta(days=n)) for n, title in days]
    tags = {f"v{n}.0.0": changes[-n].sha for n in (1, 2, 3, 4)}
    source = FakeSource(changes, tags=tags, tagged=NOW)
    talking = replace(context(source), conversations=FakeConversations())
    assert shas(await said(talking, "fixes in v4.0.0")) == [changes[0].sha[:8]]
    assert shas(await said(talking, "and in v2.0.0?")) == [changes[2].sha[:8]]
    assert "#2" in shown(await said(talking, "which release has it?"))
    assert shas(await said(talking, "and in v3.0.0?")) == [changes[2].sha[:8]]
    told = await said(talking, "who contributed to v3.0.0", "what's in it")
    assert shas(told) == [changes[1].sha[:8]]


async def test_what_they_did_is_asked_of_the_person_of_the_list(ctx):
    narrowed = await said(ctx, "what did Grace Hopper do last 20 days", "their fixes only")
    assert shas(narrowed) == ["bbbbbbb2"]


@pytest.mark.parametrize(
    ("first", "then", "words"),
    [
        ("changes by Ada this week", "this month", 'author:"Ada" 2026-01-01'),
        ("fixes this week", "再看看上个月的", "kind:fix 2025-12-01"),
        ("high changes in july", "who did most of it", "who level:high 2025-07-01"),
        ("fixes in july", "who works on that", "who kind:fix 2025-07-01"),
        ("which flags were removed in july", "added ones", "thing:flag action:added 2025-07-01"),
        ("fixes in july", "only high and medium", "level:medium kind:fix"),
        ("fixes in july", "whats the most important one", "top kind:fix 2025-07-01"),
        ("changes in july", "any MoE fixes?", "MoE kind:fix 2025-07-01"),
        ("changes in july", "有 MoE 的修复吗", "MoE kind:fix 2025-07-01"),
    ],
)
async def test_a_short_question_goes_on_with_the_list(ctx, first, then, words):
    await said(ctx, first, then)
    talk = await last_talk(replace(ctx, conversation=ME))
    assert talk is not None
    assert [word for word in words.split() if word not in talk.question] == []


async def test_the_period_stays_where_another_topic_is_asked_for(ctx):
    await said(ctx, "changes last 20 days")
    assert shas(await said(ctx, "anything about MoE?")) == ["aaaaaaa1", "ccccccc3"]


async def test_what_no_change_of_the_list_is_about_is_asked_for_by_itself(ctx):
    await said(ctx, "which flags were added in July")
    answer = await said(ctx, "any fixes of the scheduler?")
    assert shas(answer) == ["bbbbbbb2"]
    assert "2025" not in shown(answer)


async def test_numbers_of_another_kind_replace_those_before(ctx):
    answer = shown(await said(ctx, "who contributed last 20 days", "which folders"))
    assert "By folder" in answer
    assert "By author" not in answer


@pytest.mark.parametrize("question", ["cool thanks!!", "ok great, thank you", "nice", "好的谢谢"])
async def test_thanks_in_more_words_are_answered_kindly(ctx, question):
    await said(ctx, "explain #12")
    answer = shown(await said(ctx, question))
    assert "You are welcome" in answer or "不客气" in answer
    assert shas(await said(ctx, "and who reviewed it")) == ["bbbbbbb2"]


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("who is the author", "author"),
        ("thanks, and who reviewed it", "reviewers"),
        ("do i need to do anything", "risky"),
        ("tldr", "explain"),
    ],
)
async def test_a_question_about_the_current_change_is_understood(ctx, question, intent):
    answer = await said(ctx, "explain #12", question)
    assert (answer.intent, shas(answer), answer.total) == (intent, ["bbbbbbb2"], 1)


@pytest.mark.parametrize("question", ["最后一个的 diff", "show the diff of the last one"])
async def test_the_diff_of_one_of_a_list_is_shown(ctx, question):
    answer = await said(ctx, "changes last 20 days", question)
    assert (answer.intent, len(shas(answer))) == ("diff", 1)


async def test_when_one_of_a_list_went_is_told(ctx):
    answer = await said(ctx, "changes last 20 days", "when did the first one go")
    assert answer.intent == "released"


async def test_words_that_are_not_understood_leave_the_list(ctx):
    await said(ctx, "what changed in MoE this week", "asdkjh qwe")
    assert (await said(ctx, "and last week?")).topic == "MoE"


async def test_a_part_of_an_author_s_name_is_no_author():
    theirs = change("aaaaaaa1", "Fix it (#1)", at=NOW - timedelta(days=1), author="QWERQWE86")
    talking = replace(context(FakeSource([theirs])), conversations=FakeConversations())
    assert (await said(talking, "asdkjh qwe")).intent == "unknown"


async def test_the_list_before_what_the_author_did_comes_back(ctx):
    asked = ("fixes last 20 days", "the first one", "what else did she do this month")
    assert shas(await said(ctx, *asked)) == ["bbbbbbb2"]
    talk = await last_talk(replace(ctx, conversation=ME))
    assert talk is not None
    assert "Grace" in talk.question
    await said(ctx, "back to the list")
    talk = await last_talk(replace(ctx, conversation=ME))
    assert talk is not None
    assert "kind:fix" in talk.question
    assert "Grace" not in talk.question
    await said(ctx, "what changed in MoE last 20 days", "only docs", *asked[1:])
    assert shas(await said(ctx, "back to the list")) == ["ccccccc3"]


async def test_what_an_author_did_besides_is_not_limited_to_the_day_of_the_list(ctx):
    theirs = await said(ctx, "changes on 2026-01-22", "the first one", "what else did she do")
    assert theirs.window is not None
    assert theirs.window.until - theirs.window.since > timedelta(days=2)


async def test_after_the_list_of_one_day_others_are_of_that_day(ctx):
    theirs = await said(ctx, "changes on 2026-01-22", "what else changed that day")
    assert theirs.window is not None
    assert (theirs.window.since.day, theirs.window.until.day) == (22, 23)


async def test_related_changes_are_those_of_its_main_file(ctx):
    answer = await said(ctx, "explain #12", "anything related?")
    assert (answer.intent, shas(answer)) == ("changed", ["bbbbbbb2"])
    talk = await last_talk(replace(ctx, conversation=ME))
    assert talk is not None
    assert "src/scheduler.py" in talk.question
    assert answer.window is not None
    assert answer.window.until - answer.window.since >= timedelta(days=28)


@pytest.mark.parametrize("question", ["how does that compare to last week?", "跟上周比呢"])
async def test_the_last_list_is_set_beside_another_period(ctx, question):
    answer = await said(ctx, "what changed in MoE this week", question)
    assert "2026-01-12 00:00 – 2026-01-19 00:00" in shown(answer)
    assert shas(answer) == ["aaaaaaa1"]


async def test_what_else_changed_that_day_is_of_the_day_of_the_change(ctx):
    answer = await said(ctx, "explain #12", "what else landed that day")
    assert answer.window is not None
    assert answer.window.until - answer.window.since <= timedelta(days=1)
    assert "bbbbbbb2" in shas(answer)
    asks = await said(ctx, "what changed in MoE last 20 days", "what else landed that day")
    assert isinstance(asks.error, NothingBefore)


async def test_a_list_is_narrowed_and_a_part_left_out(ctx):
    answer = await said(ctx, "changes last 20 days", "only MoE, without docs")
    assert shas(answer) == ["aaaaaaa1"]


async def test_a_name_in_lower_case_stays_a_person_in_what_follows(ctx):
    asked = ("ada 上个月以来合了什么", "那 grace 呢", "哪些是修复")
    assert shas(await said(ctx, *asked)) == ["bbbbbbb2"]
    talk = await last_talk(replace(ctx, conversation=ME))
    assert talk is not None
    assert 'author:"grace"' in talk.question


async def test_a_period_is_set_beside_another_one(ctx):
    none = shown(await said(ctx, "fixes by ada in January", "compared to December?"))
    assert "2025-12-01 00:00" in none


async def test_another_like_it_is_not_the_change_itself(ctx):
    told = shown(await said(ctx, "explain #12", "还有类似的吗"))
    assert "是：" not in told


async def test_the_place_after_a_list_is_one_of_it_whoever_is_asked_for(ctx):
    answer = await said(ctx, "what changed in MoE last 20 days", "第二条是谁做的")
    assert (answer.intent, shas(answer)) == ("author", ["ccccccc3"])


async def test_the_rest_of_the_release_of_a_change_is_listed():
    days = enumerate(("Four (#4)", "Three (#3)", "Two (#2)", "One (#1)"), 1)
    changes = [change(f"{n}{n}{n}{n}aaaa", title, at=NOW - timedelta(days=n)) for n, title in days]
    tags = {f"v{n}.0.0": changes[-n].sha for n in (1, 3)}
    source = FakeSource(changes, tags=tags, tagged=NOW)
    talking = replace(context(source), conversations=FakeConversations())
    told = await said(talking, "explain #2", "what else came with that version")
    assert sorted(shas(told)) == sorted([changes[1].sha[:8], changes[2].sha[:8]])


async def test_numbers_beside_a_list_are_left_when_it_is_filtered(ctx):
    asked = ("what changed in MoE last 20 days", "who works on that", "only docs")
    answer = await said(ctx, *asked)
    assert shas(answer) == ["ccccccc3"]
    assert "By author" not in shown(answer)
    kept = await said(ctx, "who contributed last 20 days", "only docs")
    assert "By author" in shown(kept)


@pytest.mark.parametrize(
    "question",
    [
        *("both", "tell me about the first two", "those two please", "explain 1 and 2"),
        *("the first and the second one", "前两个讲一下", "第一个和第二个"),
        *("those two, what do they do", "first two pls", "那两个是干嘛的"),
    ],
)
async def test_two_of_a_list_are_explained(ctx, question):
    asked = await said(ctx, "changes last 20 days")
    both = asked.rows
    told = await said(ctx, question)
    assert told.intent == "explain"
    assert len(shas(told)) == 2
    assert {*shas(told)} < {row.graded.sha[:8] for row in both}


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("who wrote those two", "author"),
        ("那两个是谁写的", "author"),
        ("are both released", "released"),
        ("are those two risky", "risky"),
    ],
)
async def test_a_question_about_two_of_a_list_is_asked_of_each(ctx, question, intent):
    told = await said(ctx, "changes last 20 days", question)
    assert (told.intent, len(shas(told))) == (intent, 2)


@pytest.mark.parametrize(
    "question",
    ["MoE 这两周改了什么", "what changed in MoE in the last two weeks", "the two biggest PRs"],
)
async def test_two_weeks_or_the_two_biggest_are_not_two_of_the_list(ctx, question):
    told = await said(ctx, "changes last 20 days", question)
    assert (told.intent, len(shas(told))) == ("changed", 2)


async def test_two_without_a_list_are_not_guessed(ctx):
    assert (await said(ctx, "both")).intent == "unknown"


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("whats the reason", "explain"),
        ("what problem does it solve", "explain"),
        ("原因是什么", "explain"),
        ("is it out", "released"),
        ("should i worry", "risky"),
        ("do i have to change anything", "risky"),
        ("who is affected", "risky"),
        ("要改配置吗", "risky"),
        ("被回滚了吗", "explain"),
        ("let me see the diff", "diff"),
        ("can you summarize that", "explain"),
        ("总结一下", "explain"),
    ],
)
async def test_the_current_change_is_asked_about_in_other_words(ctx, question, intent):
    answer = await said(ctx, "explain #12", question)
    assert (answer.intent, shas(answer)) == (intent, ["bbbbbbb2"])


@pytest.mark.parametrize("question", ["ok", "makes sense", "nvm", "明白了", "嗯嗯"])
async def test_an_acknowledgement_is_no_question(ctx, question):
    await said(ctx, "explain #12")
    assert "I do not understand" not in shown(await said(ctx, question))
    assert shas(await said(ctx, "who wrote it?")) == ["bbbbbbb2"]


async def test_a_list_is_asked_for_without_a_part(ctx):
    assert "ccccccc3" not in shas(await said(ctx, "changes last 20 days", "hide the docs"))


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("why tho", "why"),
        ("who did that n when", "author"),
        ("谁修的", "author"),
        ("还有别的相关改动吗", "changed"),
    ],
)
async def test_the_current_change_is_asked_about_in_short(ctx, question, intent):
    answer = await said(ctx, "explain #12", question)
    assert (answer.intent, shas(answer)) == (intent, ["bbbbbbb2"])


async def test_who_fixed_one_of_a_list_is_told(ctx):
    answer = await said(ctx, "changes last 20 days", "who fixed the second")
    assert (answer.intent, len(shas(answer))) == ("author", 1)


async def test_the_author_is_asked_about_after_related_changes(ctx):
    await said(ctx, "explain #12", "any followups", "what else did the author do this week")
    talk = await last_talk(replace(ctx, conversation=ME))
    assert talk is not None
    assert 'author:"Grace Hopper"' in talk.question


async def test_a_list_of_one_is_told_in_detail(ctx):
    answer = await said(ctx, "what changed in MoE this week", "展开说说")
    assert (answer.intent, shas(answer)) == ("explain", ["aaaaaaa1"])


async def test_the_week_before_goes_on_in_more_words(ctx):
    asked = ("what changed in MoE this week", "go on with the week before")
    assert shas(await said(ctx, *asked)) == ["ccccccc3"]


async def test_any_fixes_after_a_list_are_those_of_the_list(ctx):
    assert shas(await said(ctx, "changes last 20 days", "any fixes?")) == ["bbbbbbb2"]
    none = await said(ctx, "what changed in MoE last 20 days", "any fixes?")
    assert "MoE, Fixes" in shown(none)


async def test_a_change_that_is_shown_beside_nothing_is_pointed_at_by_its_place(ctx):
    await said(ctx, "changes in scheduler last 20 days", "what changed in MoE last 20 days")
    assert shas(await said(ctx, "any fixes?", "the second one")) == ["ccccccc3"]


async def test_a_person_named_after_the_contributors_keeps_their_period(ctx):
    told = await said(ctx, "top contributors last 20 days", "what did Ada change")
    assert shas(told) == ["aaaaaaa1", "ccccccc3", "ddddddd4"]
    assert "By author" not in shown(told)


@pytest.mark.parametrize("question", ["他改了啥", "what else did she change"])
async def test_a_pronoun_after_the_contributors_is_the_first_of_them(ctx, question):
    told = await said(ctx, "top contributors last 20 days", question)
    assert shas(told) == ["aaaaaaa1", "ccccccc3", "ddddddd4"]


async def test_a_pronoun_after_a_list_of_changes_is_nobody(ctx):
    told = await said(ctx, "what changed in MoE last 20 days", "他改了啥")
    assert "1. [MoE] Fuse the experts" in str(told.error)
    told = await said(ctx, "what else has he done this month")
    assert isinstance(told.error, NothingBefore)


async def test_names_of_another_kind_are_listed_whatever_their_default(ctx):
    await said(ctx, "new flags this month", "which of them are on by default", "and env vars?")
    talk = await last_talk(replace(ctx, conversation=ME))
    assert talk is not None
    assert "thing:environment" in talk.question
    assert "by default" not in talk.question


async def test_words_after_a_person_s_list_are_a_topic_unless_somebody_is_called_so(ctx):
    await said(ctx, "changes by Ada last 20 days")
    assert shas(await said(ctx, "anything about MoE?")) == ["aaaaaaa1", "ccccccc3"]
    assert shas(await said(ctx, "changes by Ada last 20 days", "same for Grace")) == ["bbbbbbb2"]


async def test_a_list_of_a_folder_is_narrowed_to_a_part_of_it(ctx):
    told = await said(ctx, "what changed in src/moe last 20 days", "which of those touch MoE")
    assert shas(told) == ["aaaaaaa1"]


async def test_the_fixes_after_a_change_are_those_of_its_file(ctx):
    told = await said(ctx, "explain #12", "any follow-up fixes to it?")
    assert "Fixes, in src/scheduler.py" in shown(told)


async def test_more_after_the_last_page_says_that_there_is_none(ctx):
    told = await said(ctx, "changes last 20 days", "go on")
    assert "There is nothing more to show." in shown(told)
    assert "Fuse the experts" not in shown(told)


async def test_after_the_last_page_places_are_still_those_of_the_list(ctx):
    await said(ctx, "changes last 20 days", "more")
    assert shas(await said(ctx, "the second one")) == ["aaaaaaa1"]


async def test_more_after_a_change_of_a_list_goes_on_with_the_list(ctx):
    await said(ctx, "what changed in MoE this week", "who wrote the first one")
    assert "There is nothing more to show." in shown(await said(ctx, "any others?"))


async def test_whose_is_asked_of_a_list_in_short(ctx):
    theirs = await said(ctx, "changes last 20 days", "only grace's")
    assert shas(theirs) == ["bbbbbbb2"]
    assert "By author" in shown(await said(ctx, "changes last 20 days", "by whom"))


async def test_whether_a_list_is_released_asks_which(ctx):
    told = await said(ctx, "changes last 20 days", "is that released yet")
    assert "2. [MoE] Fuse the experts" in str(told.error)


@pytest.mark.parametrize(
    "question", ["the week before, still only the fixes", "and the week before, just fixes"]
)
async def test_the_week_before_is_limited_to_a_kind(ctx, question):
    await said(ctx, "what changed this week", "only fixes", question)
    talk = await last_talk(replace(ctx, conversation=ME))
    assert talk is not None
    assert "kind:fix 2026-01-12" in talk.question


async def test_names_with_what_was_done_to_them_follow_any_list(ctx):
    await said(ctx, "what changed last 20 days", "那环境变量有删的吗")
    talk = await last_talk(replace(ctx, conversation=ME))
    assert talk is not None
    assert "thing:environment action:removed" in talk.question


def _talking(*, adds=(), drops=()):
    """A conversation about a repository of one change, number 21, that adds and drops flags."""
    path, head = "src/cli.py", "import argparse\n\nparser = argparse.ArgumentParser()\n"
    made = [
        head + "".join(f'parser.add_argument("{name}", default=4)\n' for name in names)
        for names in (drops, adds)
    ]
    one = change("abcdeaa1", "Tune the pool (#21)", at=NOW - timedelta(days=1))
    source = FakeSource([replace(one, files=(changes.file(path, *made),))])
    source.blobs = {changes.blob(text): text for text in made}
    source.trees = {(one.sha, path): made[1]}
    return replace(context(source), conversations=FakeConversations())


@pytest.mark.parametrize(
    ("question", "begin"),
    [
        ("is it on by default", "`--pool` has been"),
        ("and its default?", "`--pool` has been"),
        ("默认值是多少", "`--pool`"),
        ("is that flag still there", "Yes."),
        ("那个参数还在吗", "是。"),
    ],
)
async def test_a_question_about_a_name_after_a_change_is_of_its_name(question, begin):
    told = await said(_talking(adds=("--pool",)), "explain #21", question)
    assert (told.intent, told.topic) == ("touched", "--pool")
    assert begin in shown(told)


async def test_a_change_of_several_names_asks_which_and_takes_the_place_for_it():
    ctx = _talking(adds=("--pool", "--depth"))
    asks = await said(ctx, "explain #21", "what is its default")
    assert "1. --pool 2. --depth" in str(asks.error)
    assert (await said(ctx, "the second one")).topic == "--depth"


async def test_a_change_without_names_is_explained_where_a_default_is_asked_for(ctx):
    told = await said(ctx, "explain #12", "is it on by default")
    assert (told.intent, shas(told)) == ("explain", ["bbbbbbb2"])


@pytest.mark.parametrize("question", ["when was it removed?", "什么时候删的", "when did it go"])
async def test_when_a_name_was_removed_is_told_first(question):
    told = await said(_talking(drops=("--pool",)), "what happened to --pool", question)
    assert (told.intent, told.topic) == ("touched", "--pool")
    assert "was removed by" in shown(told).split("\n")[2] or "移除" in shown(told).split("\n")[2]


@pytest.mark.parametrize("question", ["what should I use instead?", "现在应该用什么代替"])
async def test_what_is_used_instead_is_told_of_the_name(question):
    talking = _talking(drops=("--pool",))
    told = await said(talking, "what happened to --pool", question)
    assert (told.intent, told.topic) == ("touched", "--pool")
    assert "replace" in shown(told) or "代替" in shown(told)
    told = await said(talking, "explain #21", question)
    assert (told.intent, told.topic) == ("touched", "--pool")


@pytest.mark.parametrize(
    "question",
    [
        "are these released yet?",
        "which releases are these in",
        "have they shipped",
        "这些都发版了吗",
    ],
)
async def test_whether_several_are_released_is_told_of_each_shown(ctx, question):
    told = await said(ctx, "changes last 20 days", question)
    assert len(shas(told)) == 4
    first, *others = shown(told).split("\n\n")[:3]
    assert "`#11`" in first
    assert any("`v1.0`" in line and "`#13`" in line for line in others)
    assert any("`v0.9`" in line and "`#14`" in line for line in others)
    docs = await said(ctx, "only the docs")
    assert shas(docs) == ["ccccccc3"]
    assert "`v1.0`" not in shown(docs).split("\n")[0]


@pytest.mark.parametrize("question", ["这些 PR 都合了吗", "are all of them merged?", "都合了吗"])
async def test_what_is_listed_is_merged(ctx, question):
    told = shown(await said(ctx, "what changed in MoE this week", question))
    assert "not in a release yet" in told.split("\n")[0] or "还没有发布" in told.split("\n")[0]
    talking = replace(context(FakeSource(CHANGES)), conversations=FakeConversations())
    told = shown(await said(talking, "changes last 20 days", question))
    assert "no release tags" in told.split("\n")[0] or "没有发布标签" in told.split("\n")[0]


async def test_one_of_a_list_of_names_is_the_name():
    ctx = _talking(adds=("--pool", "--depth"))
    told = await said(ctx, "which flags were added this week", "the second one, what does it do")
    assert (told.intent, told.topic) == ("touched", "--depth")
    told = await said(ctx, "and its default?")
    assert (told.intent, told.topic) == ("touched", "--depth")
    told = await said(ctx, "who added the first one")
    assert (told.intent, shas(told)) == ("author", ["abcdeaa1"])
    assert (await said(ctx, "number 1")).topic == "--pool"
    assert (await said(ctx, "next one")).topic == "--depth"
    assert "Flags added: 2" in shown(await said(ctx, "back to the list"))
    asks = await said(ctx, "is it risky")
    assert "1. --pool 2. --depth" in str(asks.error)


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("is it a bugfix or a feature", "explain"),
        ("这个是修复还是新功能", "explain"),
        ("which flags does it touch", "explain"),
        ("and is it back in now?", "explain"),
        ("and why did they do it", "explain"),
        ("can I still turn it off", "explain"),
        ("do we need to change anything on our side", "risky"),
        ("它影响我们吗", "risky"),
    ],
)
async def test_what_is_asked_after_a_change_is_of_that_change(ctx, question, intent):
    answer = await said(ctx, "explain #12", question)
    assert (answer.intent, shas(answer)) == (intent, ["bbbbbbb2"])


@pytest.mark.parametrize("question", ["who reverted it", "什么时候回滚的", "谁回滚的"])
async def test_who_reverted_a_change_and_when_is_told_of_the_revert(question):
    one = change("aaaaaaa1", "Cache the pool (#1)", at=NOW - timedelta(days=3))
    back = f'Revert "Cache the pool" (#2)\n\nThis reverts commit {one.sha}.'
    two = change("bbbbbbb2", back, at=NOW - timedelta(days=1), author="Grace Hopper")
    talking = replace(context(FakeSource([two, one])), conversations=FakeConversations())
    told = shown(await said(talking, "explain #1", question)).split("\n")[0]
    assert "Grace Hopper" in told
    assert "2026-01-22" in told


@pytest.mark.parametrize("question", ["为什么删", "现在应该用什么代替", "why did they do it"])
async def test_why_after_a_list_asks_which(ctx, question):
    told = await said(ctx, "changes last 20 days", question)
    assert "2. [MoE] Fuse the experts" in str(told.error)


async def test_the_next_one_after_a_change_of_a_list_is_told_in_short(ctx):
    asked = ("changes last 20 days", "2")
    assert shas(await said(ctx, *asked, "ok next")) == ["bbbbbbb2"]


async def test_a_list_without_a_part_of_the_project_is_asked_for_in_other_words(ctx):
    told = await said(ctx, "changes last 20 days", "only the ones outside docs")
    assert {*shas(told)} == {"aaaaaaa1", "bbbbbbb2", "ddddddd4"}


async def test_the_one_with_more_risk_is_the_first_of_the_list(ctx):
    assert shas(await said(ctx, "changes last 20 days", "which one is riskier")) == ["ddddddd4"]


async def test_a_topic_that_is_a_word_of_questions_stays_the_topic():
    titles = ("Fix the check command (#3)", "Speed up the check command (#2)", "Fix it (#1)")
    days = enumerate(titles, 1)
    changes = [change(f"{n}{n}{n}{n}aaaa", title, at=NOW - timedelta(days=n)) for n, title in days]
    talking = replace(context(FakeSource(changes)), conversations=FakeConversations())
    await said(talking, 'what changed in "check" last 20 days')
    told = await said(talking, "which of these are fixes")
    assert shas(told) == ["1111aaaa"]


async def test_a_title_with_one_flag_names_the_flag_of_its_change():
    one = change("aaaaaaa1", "Take names by --index (#1)", at=NOW)
    talking = replace(context(FakeSource([one])), conversations=FakeConversations())
    told = await said(talking, "explain #1", "is that flag still there")
    assert told.topic == "--index"


async def test_the_release_of_what_only_a_changelog_names_is_told_if_the_branch_has_it(ctx):
    found = await said(ctx, "changes last 20 days")
    lines = ("Fuse the experts #11 · 1.0 · CHANGELOG.md:5", "Drop it #999 · 1.0 · CHANGELOG.md:6")
    blocks = (Listing(tuple(Item((Text(line),)) for line in lines)),)
    quoted = replace(found, rows=(), document=replace(found.document, blocks=blocks))
    told = await with_releases(quoted, ctx)
    assert shown(told).startswith("1 change is merged, but not in a release yet")


@pytest.mark.parametrize("question", ["is the first one on by default", "第一个默认开着吗"])
async def test_the_default_of_one_of_a_list_is_that_of_its_flag(question):
    talking = _talking(adds=("--pool",))
    told = await said(talking, "what changed this week", question)
    assert (told.intent, told.topic) == ("touched", "--pool")
    told = await said(talking, "which flags were added this week", question)
    assert (told.intent, told.topic) == ("touched", "--pool")


@pytest.mark.parametrize("question", ["which of them are experimental", "哪些是实验性的"])
async def test_a_list_is_narrowed_to_a_state(question):
    days = enumerate(("Add the experimental pool (#2)", "Add a queue (#1)"), 1)
    changes = [change(f"{n}{n}{n}{n}aaaa", title, at=NOW - timedelta(days=n)) for n, title in days]
    talking = replace(context(FakeSource(changes)), conversations=FakeConversations())
    assert shas(await said(talking, "what changed this week", question)) == ["1111aaaa"]


@pytest.mark.parametrize(
    ("question", "part"), [("is it documented", "docs"), ("is it tested", "tests")]
)
def test_whether_a_name_is_documented_is_told_by_its_change(question, part):
    told = read(question, NOW, ZoneInfo("UTC"), Background(follows="name"))
    assert told.intent == ShowDiff(part=part)


async def test_the_commit_of_a_name_is_explained():
    talking = _talking(drops=("--pool",))
    told = await said(talking, "what happened to --pool", "show me the commit")
    assert (told.intent, shas(told)) == ("explain", ["abcdeaa1"])


async def test_what_replaces_one_of_a_list_is_told_of_its_flag():
    talking = _talking(drops=("--pool", "--depth"))
    told = await said(talking, "which flags were removed this week", "what replaces the second one")
    assert told.topic == "--depth"
    assert "names a replacement for `--depth`" in shown(told).split("\n")[2]


def test_words_of_the_repository_s_own_commands_narrow_a_list():
    background = Background(own=frozenset({"uv"}), follows="list")
    asked = read("which of them are for uv check", NOW, ZoneInfo("UTC"), background).intent
    assert (asked.topic, asked.back) == ("check", False)


@pytest.mark.parametrize(
    ("follows", "question", "intent"),
    [
        ("change", "what was the motivation", Nth(place=0)),
        ("change", "got a link to the pr", Nth(place=0)),
        ("change", "链接发我", Nth(place=0)),
        ("change", "how do I turn it off", Nth(place=0)),
        ("change", "怎么关掉", Nth(place=0)),
        ("change", "by when do we have to migrate", Nth(place=0)),
        ("change", "how was it tested", ShowDiff(part="tests")),
        ("change", "what did reviewers say", Reviewers()),
        ("change", "is there a workaround", Risky()),
        ("change", "and the one after?", Nth(place=0, step=1)),
        ("change", "is it merged", Released()),
        ("change", "合了吗", Released()),
        ("change", "any perf impact", Risky()),
        ("change", "does it need a config change", Risky()),
        ("change", "需要改什么吗", Risky()),
        ("change", "what was the old value", Nth(place=0)),
        ("change", "what's the flag called", Touched(name="")),
        ("change", "which env var", Touched(name="")),
        ("change", "新参数叫什么", Touched(name="")),
        ("change", "改了啥配置", Nth(place=0)),
        ("change", "is it only for cuda", Nth(place=0)),
        ("change", "只影响 ROCm 吗", Nth(place=0)),
        ("change", "which team owns it", Nth(place=0)),
        ("name", "哪个文件里定义的", Touched(name="")),
        ("list", "nothing from bots please", Again(without=("bots",))),
        ("list", "what else", More()),
        ("list", "explain all of them", Retell(longer=True)),
        ("list", "explain 3", Nth(place=3)),
        ("list", "which files did the first touch", Nth(place=1)),
        ("list", "哪些要我们处理", Again(kinds=(ChangeKind.ACTION,))),
        ("list", "有多少是修复", Again(kinds=(ChangeKind.FIX,))),
        ("change", "what was the flag called", Touched(name="")),
        ("change", "and those env vars, which ones are gone", Nth(place=0)),
        ("change", "what replaced them", Touched(name="")),
        ("change", "do i have to set it", Touched(name="")),
        ("change", "and is there a doc for it?", ShowDiff(part="doc")),
        ("change", "哪个版本带上了", Released()),
        ("change", "what else came in that one", Again(same="release")),
        ("list", "and rocm fixes?", Again(topic="rocm", kinds=(ChangeKind.FIX,))),
        ("list", "那 MoE 的修复呢", Again(topic="MoE", kinds=(ChangeKind.FIX,))),
        ("list", "what about security", Again(kinds=(ChangeKind.SECURITY,))),
        ("list", "哪些转正了", Again(topic="转正", only=True)),
        ("change", "进版本了吗", Released()),
        ("change", "能关掉吗", Nth(place=0)),
        ("name", "还在实验阶段吗", Touched(name="")),
        ("list", "aws only", Again(topic="aws", only=True)),
        ("list", "which release will have them", Again(shipped=True)),
        ("name", "how do I use it", Touched(name="")),
        ("name", "what does it control", Nth(place=0)),
        ("name", "is it used anywhere", Touched(name="")),
        ("name", "any history?", Nth(place=0)),
        ("list", "oldest first", Again(top=Top(10, "oldest"))),
        ("list", "sort by size", Again(top=Top(10, "largest"))),
        ("list", "just the titles", Retell(longer=False)),
        ("list", "drop the docs", Again(without=("docs",))),
        ("list", "把 CI 的去掉", Again(without=("CI",))),
        ("list", "which one should I look at", Again(top=Top(1))),
        ("list", "group them by area", Again(folders=True)),
        ("list", "which of those need action", Again(kinds=(ChangeKind.ACTION,))),
        ("list", "它进 3.14 了吗", Again(shipped=True)),
        ("list", "are these in 3.14", Again(shipped=True)),
    ],
)
def test_what_people_write_after_an_answer_goes_on_from_it(follows, question, intent):
    assert read(question, NOW, ZoneInfo("UTC"), Background(follows=follows)).intent == intent


async def test_kinds_of_a_topic_after_a_list_are_of_its_period(ctx):
    await said(ctx, "changes in january", "and scheduler fixes?")
    talk = await last_talk(replace(ctx, conversation=ME))
    assert talk is not None
    assert talk.question.startswith("changed scheduler kind:fix 2026-01-01")
