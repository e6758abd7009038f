"""Each message once, acknowledged, edited into its answer, whatever happens in between."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import timedelta

import pytest
import structlog

from bot.chat.message_service import STILL_ANSWERED
from bot.chat.responder import PlaceholderTiming
from bot.messaging.receiver import MessageEvent
from bot.messaging.sender import Receipt, SendError, SendReason
from bot.store.replies import MessageKey, SqlReplies, Stage
from tests.integration.bot.chat.talk import Board, Talk, said
from tests.support.fakes_delivery import Crash, Killed

LOOKING = "Looking at it…"
KEY = MessageKey(account="board", chat="C9", message="m1")


@pytest.fixture
def talk(database):
    return Talk(database)


async def test_quick_answer_is_one_message_without_a_placeholder(talk):
    talk.rhythm = PlaceholderTiming()
    await talk.start().hear(talk.sender, said("hello"))
    ((chat, part, reply),) = talk.sender.stands
    assert (chat, part.text) == ("C9", "answer to hello")
    assert reply == Receipt(message="q1", thread="t1")
    assert talk.sender.edits == []


async def test_slow_answer_takes_the_place_of_its_placeholder(talk):
    hearing = asyncio.create_task(talk.start().hear(talk.sender, said("slow one")))
    await talk.until(lambda: talk.sender.stands)
    assert talk.sender.texts() == [LOOKING]
    talk.answers.go.set()
    await hearing
    assert talk.sender.texts() == ["answer to slow one"]
    assert talk.sender.calls == 1


async def test_placeholder_speaks_the_language_of_the_asker(talk):
    hearing = asyncio.create_task(talk.start().hear(talk.sender, said("慢")))
    await talk.until(lambda: talk.sender.stands)
    assert talk.sender.texts() == ["正在查看…"]
    talk.answers.go.set()
    await hearing


async def test_progress_is_told_in_the_placeholder_and_only_when_it_changes(talk):
    def progress(watch):
        watch.start(900)
        watch.advance(120)

    talk.answers.meanwhile = progress
    hearing = asyncio.create_task(talk.start().hear(talk.sender, said("slow")))
    await talk.until(lambda: talk.sender.stands)
    await asyncio.sleep(0.1)
    assert talk.sender.texts() == ["Reading 120 of 900 changes…"]
    assert talk.sender.edits == []
    talk.answers.go.set()
    await hearing
    assert talk.sender.edits == ["answer to slow"]


async def test_edit_that_is_refused_falls_back_to_a_new_message(talk):
    hearing = asyncio.create_task(talk.start().hear(talk.sender, said("slow")))
    await talk.until(lambda: talk.sender.stands)
    talk.sender.edit_errors = [SendError(SendReason.REJECTED, "too old")]
    with structlog.testing.capture_logs() as logs:
        talk.answers.go.set()
        await hearing
    (told,) = [one for one in logs if one["event"] == "message.not_edited"]
    assert told["error"].endswith("too old")
    assert talk.sender.texts() == [LOOKING, "answer to slow"]


async def test_edit_whose_outcome_is_unknown_is_repeated_not_doubled(talk):
    hearing = asyncio.create_task(talk.start().hear(talk.sender, said("slow")))
    await talk.until(lambda: talk.sender.stands)
    talk.sender.edit_errors = [SendError(SendReason.NO_ANSWER)] * 2
    talk.answers.go.set()
    await hearing
    assert talk.sender.texts() == ["answer to slow"]


async def test_placeholder_that_is_refused_does_not_keep_the_answer_back(talk):
    talk.sender.errors = [SendError(SendReason.REJECTED)]
    hearing = asyncio.create_task(talk.start().hear(talk.sender, said("slow")))
    await talk.until(lambda: talk.sender.calls)
    talk.answers.go.set()
    await hearing
    assert talk.sender.texts() == ["answer to slow"]


async def test_placeholder_whose_outcome_is_unknown_is_found_and_edited(talk):
    talk.sender = Board(can_find=True, taken=True, errors=[SendError(SendReason.NO_ANSWER)])
    hearing = asyncio.create_task(talk.start().hear(talk.sender, said("slow")))
    await talk.until(lambda: talk.sender.calls)
    talk.answers.go.set()
    await hearing
    assert talk.sender.texts() == ["answer to slow"]


async def test_longer_answer_goes_on_in_the_thread(talk):
    talk.answers.words = ("first", "second")
    hearing = asyncio.create_task(talk.start().hear(talk.sender, said("slow")))
    await talk.until(lambda: talk.sender.stands)
    talk.answers.go.set()
    await hearing
    assert talk.sender.texts() == ["first to slow", "second to slow"]
    assert talk.sender.stands[1][2] == Receipt(message="q1", thread="t1")


@pytest.mark.parametrize(("direct", "below"), [(False, "1"), (True, "trigger")])
async def test_longer_answer_to_a_slash_command_goes_on_below_its_first_part(talk, direct, below):
    talk.sender = Board(can_find=True)
    talk.answers.words = ("first", "second")
    command = said("help", receipt=Receipt(message="trigger"), direct=direct)
    await talk.start().hear(talk.sender, command)
    assert talk.sender.texts() == ["first to help", "second to help"]
    assert talk.sender.stands[1][2].message.rpartition("/")[2] == below


async def test_platform_without_edits_gets_the_answer_alone(talk):
    talk.sender = Board(can_edit=False)
    hearing = asyncio.create_task(talk.start().hear(talk.sender, said("slow")))
    await asyncio.sleep(0.05)
    assert talk.sender.stands == []
    talk.answers.go.set()
    await hearing
    assert talk.sender.texts() == ["answer to slow"]


@pytest.mark.parametrize("message", [said("refused"), said("slow nothing", addressed=False)])
async def test_what_is_not_for_the_bot_is_not_acknowledged_either(talk, message):
    talk.answers.go.set()
    await talk.start().hear(talk.sender, message)
    await asyncio.sleep(0.05)
    assert talk.sender.stands == []


async def test_words_in_a_thread_are_acknowledged_once_they_are_worked_on(talk):
    talk.answers.meanwhile = lambda watch: watch.start(10)
    hearing = asyncio.create_task(talk.start().hear(talk.sender, said("slow", addressed=False)))
    await talk.until(lambda: talk.sender.stands)
    talk.answers.go.set()
    await hearing
    assert talk.sender.texts() == ["answer to slow"]


async def test_message_that_is_delivered_again_is_answered_once_also_after_a_restart(talk):
    for _ in range(2):
        conversation = talk.restart()
        await asyncio.gather(*(conversation.hear(talk.sender, said("hello")) for _ in range(3)))
    assert talk.answers.asked == ["hello"]
    assert len(talk.sender.stands) == 1


async def test_records_are_kept_for_a_day_and_forgotten_afterwards(talk):
    conversation, records = talk.start(), SqlReplies(talk.database)
    await conversation.hear(talk.sender, said("hello"))
    talk.clock.time += timedelta(hours=25)
    await conversation.hear(talk.sender, said("hello"))
    assert talk.answers.asked == ["hello"]
    talk.clock.time += timedelta(hours=25)
    await conversation.hear(talk.sender, said("other", "m2"))
    assert await records.get(KEY) is None


async def test_same_message_of_two_accounts_is_answered_by_both(talk):
    conversation, other = talk.start(), Board()
    conversation = talk.start()
    conversation._accounts[id(other)] = "other"
    await conversation.hear(talk.sender, said("hello"))
    await conversation.hear(other, said("hello"))
    assert talk.sender.texts() == other.texts() == ["answer to hello"]


async def test_error_of_the_asker_is_shown_and_ours_has_a_number(talk):
    conversation = talk.start()
    with structlog.testing.capture_logs() as logs:
        await conversation.hear(talk.sender, said("unknown", "1"))
        await conversation.hear(talk.sender, said("bug", "2"))
    first, second = talk.sender.texts()
    assert first.startswith("#1 is not in acme/engine")
    number = next(line["id"] for line in logs if line["event"] == "message.broken")
    assert second == f"Internal error {number}; see the log."


async def test_question_that_is_edited_while_it_is_worked_on_is_answered_as_it_is_now(talk):
    conversation = talk.start()
    hearing = asyncio.create_task(conversation.hear(talk.sender, said("slow")))
    await talk.until(lambda: talk.sender.stands)
    await conversation.hear(talk.sender, said("better", fate=MessageEvent.EDITED))
    await hearing
    assert talk.sender.texts() == ["answer to better"]


async def test_question_that_is_edited_later_has_its_answer_edited(talk):
    conversation = talk.start()
    await conversation.hear(talk.sender, said("hello"))
    await conversation.hear(talk.sender, said("better", fate=MessageEvent.EDITED))
    await conversation.hear(talk.sender, said("better", fate=MessageEvent.EDITED))
    talk.clock.time += timedelta(hours=2)
    await conversation.hear(talk.sender, said("too late", fate=MessageEvent.EDITED))
    assert talk.sender.texts() == ["answer to better"]
    assert talk.answers.asked == ["hello", "better"]


async def test_edit_of_what_was_never_asked_is_nothing(talk):
    await talk.start().hear(talk.sender, said("hello", fate=MessageEvent.EDITED))
    assert talk.answers.asked == []


async def test_question_that_is_deleted_before_its_answer_gets_none(talk):
    conversation = talk.start()
    hearing = asyncio.create_task(conversation.hear(talk.sender, said("slow")))
    await talk.until(lambda: talk.sender.stands)
    await conversation.hear(talk.sender, said("", fate=MessageEvent.DELETED))
    await hearing
    talk.answers.go.set()
    assert talk.sender.texts() == ["The question was withdrawn."]
    assert talk.answers.forgotten == ["slow"]


async def test_deletion_that_comes_before_its_message_wins(talk):
    conversation = talk.start()
    await conversation.hear(talk.sender, said("", fate=MessageEvent.DELETED))
    await conversation.hear(talk.sender, said("hello"))
    assert talk.sender.stands == []


async def test_deletion_after_the_answer_leaves_it(talk):
    conversation = talk.start()
    await conversation.hear(talk.sender, said("hello"))
    await conversation.hear(talk.sender, said("", fate=MessageEvent.DELETED))
    assert talk.sender.texts() == ["answer to hello"]


async def die(talk: Talk, at: int | None) -> Crash:
    """A process that ends at a step of the platform while a slow question is answered."""
    crash = talk.sender.step = Crash(at=at)
    talk.answers.go.clear()
    hearing = asyncio.create_task(talk.start().hear(talk.sender, said("slow")))
    await talk.until(lambda: talk.sender.stands or hearing.done())
    await asyncio.sleep(0.01)
    talk.answers.go.set()
    with contextlib.suppress(Killed):
        await hearing
    return crash


@pytest.mark.parametrize("step", range(4))
async def test_death_at_any_step_is_answered_once_by_the_next_process(talk, step):
    talk.sender = Board(can_find=True)
    await die(talk, step)
    conversation = talk.restart()
    await conversation.recover(talk.sender)
    await conversation.recover(talk.sender)
    await conversation.hear(talk.sender, said("slow"))
    assert talk.sender.texts() == ["answer to slow"]
    assert await SqlReplies(talk.database).left("board") == ()


@pytest.mark.parametrize("step", range(4))
async def test_what_was_left_is_answered_where_the_message_itself_comes_again(talk, step):
    talk.sender = Board(can_find=True)
    await die(talk, step)
    await talk.restart().hear(talk.sender, said("slow"))
    assert talk.sender.texts() == ["answer to slow"]


@pytest.mark.parametrize("first", [0, 1])
async def test_what_was_left_is_answered_once_where_it_comes_again_meanwhile(talk, first):
    talk.sender = Board(can_find=True)
    await die(talk, 0)
    conversation = talk.restart()
    work = [conversation.recover(talk.sender), conversation.hear(talk.sender, said("slow"))]
    await asyncio.gather(work[first], work[1 - first])
    assert talk.sender.texts() == ["answer to slow"]
    assert await SqlReplies(talk.database).left("board") == ()


async def test_deletion_that_a_crash_left_is_no_question(talk):
    await SqlReplies(talk.database).claim(
        KEY, said("", fate=MessageEvent.DELETED), talk.clock.now()
    )
    await talk.start().recover(talk.sender)
    assert talk.answers.asked == []
    assert await SqlReplies(talk.database).left("board") == ()


async def test_message_is_taken_once_it_is_written_down(talk):
    taken = []

    async def records() -> int:
        return len(await SqlReplies(talk.database).left("board"))

    hearing = asyncio.create_task(
        talk.start().hear(talk.sender, said("slow", taken=lambda: taken.append("slow")))
    )
    await talk.until(lambda: talk.sender.stands)
    assert taken == ["slow"]
    assert await records() == 1
    talk.answers.go.set()
    await hearing
    for fate in MessageEvent:
        await talk.restart().hear(
            talk.sender, said("slow", fate=fate, taken=lambda fate=fate: taken.append(fate))
        )
    assert taken == ["slow", *MessageEvent]


async def test_message_that_cannot_be_written_down_is_not_taken(talk):
    taken = []
    conversation = talk.start()
    async with talk.database.writing() as connection:
        await connection.exec_driver_sql("DROP TABLE heard")
    await conversation.hear(talk.sender, said("hello", taken=lambda: taken.append(1)))
    assert taken == []


async def test_platform_that_cannot_look_gets_nothing_twice(talk):
    """Whether the placeholder stands cannot be found out: no second message is risked."""
    await die(talk, 1)
    with structlog.testing.capture_logs() as logs:
        await talk.restart().recover(talk.sender)
    assert talk.sender.texts() == [LOOKING]
    assert "message.doubtful" in [line["event"] for line in logs]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("what?", ["I was interrupted before I could answer; please ask again."]),
        ("refused", []),
    ],
)
async def test_question_of_long_ago_of_which_nothing_stands_is_told_once_to_be_over(
    talk, words, told
):
    await SqlReplies(talk.database).claim(KEY, said(words), talk.clock.time)
    talk.clock.time += STILL_ANSWERED + timedelta(minutes=1)
    conversation = talk.restart()
    assert await conversation.take_up(talk.sender, KEY)
    assert await conversation.take_up(talk.sender, KEY)
    assert talk.sender.texts() == told
    assert not talk.answers.asked


async def test_apology_that_the_platform_refuses_is_told_later(talk):
    await SqlReplies(talk.database).claim(KEY, said("what?"), talk.clock.time)
    talk.clock.time += STILL_ANSWERED + timedelta(minutes=1)
    talk.sender.errors = [SendError(SendReason.UNAVAILABLE, retry=False)]
    conversation = talk.restart()
    assert not await conversation.take_up(talk.sender, KEY)
    assert await conversation.take_up(talk.sender, KEY)
    assert len(talk.sender.texts()) == 1


async def test_placeholder_of_long_ago_is_told_to_be_over(talk):
    await die(talk, 2)
    talk.clock.time += STILL_ANSWERED + timedelta(minutes=1)
    await talk.restart().recover(talk.sender)
    assert talk.sender.texts() == ["I was interrupted before I could answer; please ask again."]
    record = await SqlReplies(talk.database).get(KEY)
    assert record is not None
    assert record.stage is Stage.TOLD
