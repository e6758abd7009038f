"""Posting with the real library against a strict server: what stands, and what failed how."""

from __future__ import annotations

import asyncio
import json
import traceback
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.config.channel_section import Promise
from bot.delivery.delivery import Delivery, Posting
from bot.delivery.part_sender import Patience, Target
from bot.messaging.sender import Part, Receipt, SendError, SendReason
from bot.platforms.telegram.escaping import JOINER
from bot.platforms.telegram.sender import RATES, Telegram, TelegramAccount
from digest.document import (
    Actions,
    Button,
    Code,
    Document,
    Heading,
    Link,
    Paragraph,
    Quote,
    Strong,
    Text,
)
from handlers.ports.storage import PartState
from tests.contract.benches.telegram import BRISK, sender
from tests.servers.telegram import CHANNEL, FORUM, GROUP, PRIVATE, TOKEN, Limits, TelegramServer
from tests.servers.telegram_http import Drops, Fails, Garbled, Hangs, too_many
from tests.support.fakes_delivery import FakeLeases, FakeLedger, paragraphs
from tests.support.virtual import VirtualLoop, run_in_virtual_time, timeless


@pytest.fixture
def server() -> Iterator[TelegramServer]:
    with TelegramServer() as one:
        yield one


@pytest.fixture
async def telegram(server) -> AsyncIterator[Telegram]:
    one = sender(server.url)
    yield one
    await one.aclose()


def part_of(*blocks) -> Part:
    one = sender("http://127.0.0.1:9")
    (part,) = one.render(Document(title="t", blocks=blocks))
    return part


def words(text: str) -> Part:
    return part_of(Paragraph((Text(text),)))


RICH = part_of(
    Heading(1, (Text("👍 Title "), Code("x.py"))),
    Paragraph(
        (Strong("bold"), Text(" by @durov, see README.md "), Link("#8", "https://f.example/8"))
    ),
    Quote(((Text("quoted"),),)),
    Actions(
        (Button("Explain", action="explain", value="#8"), Button("Open", url="https://f.example"))
    ),
)


async def test_a_person_sees_the_words_their_marks_and_the_buttons(server, telegram):
    receipt = await telegram.send(str(GROUP), RICH)
    (shown,) = server.screen(GROUP)
    assert receipt == Receipt(message=str(shown.id), thread=f"re:{shown.id}")
    assert shown.text == json.loads(RICH.body)["text"]
    assert shown.of("bold") == ["👍 Title ", "bold"]
    assert shown.of("code") == ["x.py"]
    assert shown.of("text_link") == ["#8"]
    assert shown.of("blockquote") == ["quoted"]
    assert shown.of("mention") == shown.of("url") == []
    assert shown.keyboard == [
        [
            {"text": "Explain", "callback_data": "explain #8"},
            {"text": "Open", "url": "https://f.example"},
        ]
    ]
    assert server.refused == []


@pytest.mark.parametrize("chat", [str(GROUP), str(PRIVATE), "@engine_news", str(CHANNEL)])
async def test_a_chat_is_a_group_a_person_or_a_channel(server, telegram, chat):
    await telegram.send(chat, words("hello"))
    assert [one.text for one in server.shown.values()] == ["hello"]


async def test_only_posts_of_a_silent_channel_make_no_sound(server, telegram):
    for name, silent in (("loud", False), ("night", True)):
        target = Target(name=name, sender=telegram, chat=str(GROUP), silent=silent)
        delivery = Delivery(FakeLedger(), FakeLeases(), [target])
        posting = Posting(target=target, digest="d", document=paragraphs(name))
        assert (await delivery.deliver(posting)).done
    assert [(one.text, one.silent) for one in server.screen(GROUP)] == [
        ("loud", False),
        ("night", True),
    ]


async def test_a_topic_of_a_forum_is_a_place_of_its_own(server, telegram):
    await telegram.send(f"{FORUM}/5", words("in five"))
    await telegram.send(f"{FORUM}/1", words("in general"))
    assert [one.text for one in server.screen(FORUM, 5)] == ["in five"]
    assert [one.text for one in server.screen(FORUM)] == ["in general"]
    with pytest.raises(SendError) as raised:
        await telegram.send(f"{FORUM}/6", words("nowhere"))
    assert raised.value.reason is SendReason.NO_CHANNEL


async def test_an_answer_shows_what_it_answers_even_if_that_is_gone(server, telegram):
    first = await telegram.send(str(GROUP), words("question"))
    await telegram.send(str(GROUP), words("answer"), first)
    await telegram.send(str(GROUP), words("late"), Receipt(message="999"))
    await telegram.send(str(GROUP), words("odd"), Receipt(message="of another platform"))
    assert [one.reply_to for one in server.screen(GROUP)] == [None, int(first.message), None, None]


async def test_an_edit_takes_the_place_of_the_message(server, telegram):
    receipt = await telegram.send(str(GROUP), words("Looking…"))
    assert await telegram.edit(str(GROUP), receipt, RICH) == receipt
    (shown,) = server.screen(GROUP)
    assert shown.edits == 1
    assert shown.keyboard
    await telegram.edit(str(GROUP), receipt, words("short"))
    assert server.screen(GROUP)[0].keyboard == []


async def test_an_edit_that_changes_nothing_is_a_success(server, telegram):
    receipt = await telegram.send(str(GROUP), RICH)
    assert await telegram.edit(str(GROUP), receipt, RICH) == receipt
    assert "message is not modified" in server.refused[0][1]
    assert server.screen(GROUP)[0].edits == 0


async def test_an_edit_of_nothing_is_rejected(server, telegram):
    for receipt in (Receipt(message="999"), Receipt(message="x")):
        with pytest.raises(SendError) as raised:
            await telegram.edit(str(GROUP), receipt, RICH)
        assert raised.value.reason is SendReason.REJECTED


# Failures

FAILURES = [
    (Fails(400, "Bad Request: chat not found"), SendReason.NO_CHANNEL),
    (Fails(400, "Bad Request: TOPIC_CLOSED"), SendReason.NO_CHANNEL),
    (Fails(400, "Bad Request: PEER_ID_INVALID"), SendReason.NO_CHANNEL),
    (Fails(400, "Bad Request: not enough rights to send text messages"), SendReason.UNAUTHORIZED),
    (Fails(400, "Bad Request: CHAT_WRITE_FORBIDDEN"), SendReason.UNAUTHORIZED),
    (Fails(400, "Bad Request: message is too long"), SendReason.REJECTED),
    (Fails(400, "Bad Request: message text is empty"), SendReason.REJECTED),
    (Fails(401, "Unauthorized"), SendReason.UNAUTHORIZED),
    (Fails(403, "Forbidden: bot was blocked by the user"), SendReason.NO_CHANNEL),
    (Fails(403, "Forbidden: user is deactivated"), SendReason.NO_CHANNEL),
    (Fails(404, "Not Found"), SendReason.UNAUTHORIZED),
    (Fails(413, html=True), SendReason.REJECTED),
    (Fails(500, "Internal Server Error: restart"), SendReason.UNAVAILABLE),
    (Fails(503, html=True), SendReason.UNAVAILABLE),
    (Fails(502, html=True), SendReason.NO_ANSWER),
    (Fails(504, html=True), SendReason.NO_ANSWER),
    (Fails(302, html=True), SendReason.BROKEN),
    (Garbled(), SendReason.BROKEN),
    (Garbled("[]"), SendReason.NO_ANSWER),
    (Garbled('{"ok": true}'), SendReason.NO_ANSWER),
    (Garbled('{"ok": true, "result": 5}'), SendReason.NO_ANSWER),
    (Hangs(), SendReason.NO_ANSWER),
    (Hangs(taken=True), SendReason.NO_ANSWER),
    (Drops(), SendReason.NO_ANSWER),
    (Drops(taken=False), SendReason.NO_ANSWER),
]


@pytest.mark.parametrize(("act", "reason"), FAILURES, ids=str)
async def test_a_failure_is_classified_without_a_second_call_or_a_secret(server, act, reason):
    telegram = sender(server.url, answer=2.0 if isinstance(act, Hangs) else 20.0)
    server.will("sendMessage", act)
    with pytest.raises(SendError) as raised:
        await telegram.send(str(GROUP), RICH)
    await telegram.aclose()
    assert raised.value.reason is reason
    assert raised.value.retry is (reason is SendReason.UNAVAILABLE)
    assert len(server.called("sendMessage")) == 1
    assert TOKEN not in "".join(traceback.format_exception(raised.value))
    assert raised.value.__cause__ is None


async def test_where_nobody_listens_nothing_was_handed_over():
    telegram = sender("http://127.0.0.1:9")
    with pytest.raises(SendError) as raised:
        await telegram.send(str(GROUP), RICH)
    assert raised.value.reason is SendReason.UNAVAILABLE
    await telegram.aclose()


async def test_a_wrong_token_is_unauthorized_and_not_told(server):
    wrong = "123456:AAwrongWRONGwrong-0123456789abcdefg"
    telegram = sender(server.url, wrong)
    for call in (telegram.send(str(GROUP), RICH), telegram.probe(str(GROUP))):
        with pytest.raises(SendError) as raised:
            await call
        assert raised.value.reason is SendReason.UNAUTHORIZED
        assert wrong not in "".join(traceback.format_exception(raised.value))
    await telegram.aclose()


def test_a_rate_limit_names_its_time_and_the_chat_is_left_alone():
    async def post(loop: VirtualLoop) -> None:
        with limited(loop) as (server, telegram):
            server.will("sendMessage", too_many(3))
            with pytest.raises(SendError) as raised:
                await telegram.send(str(GROUP), RICH)
            assert (raised.value.reason, raised.value.retry) == (SendReason.RATE_LIMITED, True)
            assert raised.value.retry_after == pytest.approx(3)
            begin = loop.time()
            await telegram.send(str(PRIVATE), RICH)
            assert loop.time() - begin < 0.1
            await telegram.send(str(GROUP), RICH)
            assert loop.time() - begin == pytest.approx(3, abs=0.1)
            await telegram.aclose()

    run_in_virtual_time(post)


async def test_a_long_rate_limit_is_told_at_once_to_who_comes_next(server, telegram):
    server.will("sendMessage", too_many(900))
    for _ in range(2):
        with pytest.raises(SendError) as raised:
            await telegram.send(str(GROUP), RICH)
        assert raised.value.retry_after == pytest.approx(900, abs=1)
    assert len(server.called("sendMessage")) == 1


async def test_a_group_that_became_a_supergroup_is_followed_and_told(server, telegram):
    server.add(-5, "group", title="Old")
    server.moved[-5] = GROUP
    with capture_logs() as logs:
        receipt = await telegram.send("-5", words("one"))
        await telegram.send("-5", words("two"))
        await telegram.edit("-5", receipt, words("one, edited"))
    assert server.texts(GROUP) == ["one, edited", "two"]
    assert len(server.called("sendMessage")) == 3
    (line,) = [one for one in logs if one["event"] == "telegram.chat_moved"]
    assert (line["chat"], line["now"]) == ("-5", str(GROUP))


@pytest.mark.parametrize(
    "said",
    [
        "Bad Request: can't parse entities: unsupported",
        "Bad Request: entity Wrong HTTP URL",
        "Bad Request: BUTTON_DATA_INVALID",
        "Bad Request: inline keyboard button URL is invalid",
    ],
)
async def test_refused_markup_becomes_plain_words_in_which_nothing_acts(server, telegram, said):
    part = part_of(Paragraph((Code("@durov"), Text(" "), Link("t.me/durov", "https://f.example"))))
    server.will("sendMessage", Fails(400, said))
    with capture_logs() as logs:
        await telegram.send(str(GROUP), part)
    (shown,) = server.screen(GROUP)
    assert shown.entities == []
    assert shown.text == f"＠durov t.{JOINER}me/durov"
    assert [one["event"] for one in logs] == ["telegram.markup_refused"]


async def test_plain_words_that_are_refused_are_rejected_once(server, telegram):
    server.will("sendMessage", Fails(400, "Bad Request: can't parse entities"))
    with pytest.raises(SendError) as raised:
        await telegram.send(str(GROUP), words("plain"))
    assert raised.value.reason is SendReason.REJECTED
    assert len(server.called("sendMessage")) == 1


# Probing


async def test_probe_names_the_bot_and_the_chat_and_sends_nothing(server, telegram):
    assert await telegram.probe(str(GROUP)) == "@digest_bot in 'Engine room' (supergroup)"
    assert await telegram.probe("@engine_news") == "@digest_bot in 'News' (channel)"
    assert await telegram.probe(str(PRIVATE)) == "@digest_bot in 'Ada' (private)"
    assert "topic 5 not checked" in await telegram.probe(f"{FORUM}/5")
    assert server.shown == {}


async def test_probe_reads_what_an_older_server_answers(server, telegram):
    server.lacks = frozenset({"max_reaction_count", "accepted_gift_types", "can_post_stories"})
    assert await telegram.probe("@engine_news") == "@digest_bot in 'News' (channel)"
    assert await telegram.external("@engine_news")
    assert not await telegram.external(str(GROUP))


async def test_probe_refuses_a_server_that_posts_no_replies(server, telegram):
    server.lacks = frozenset({"accent_color_id"})
    with pytest.raises(SendError, match=r"older than Bot API 7\.0.*update it"):
        await telegram.probe(str(GROUP))


async def test_probe_tells_why_it_could_not_be_done(server, telegram):
    server.add(-6, "channel", title="Read only")
    server.add(-7, "supergroup", title="Left")
    server.members[-7] = {"status": "left", "user": server.members[GROUP]["user"]}
    server.add(-8, "supergroup", title="Kicked")
    server.members[-8]["status"] = "kicked"
    for chat, reason, remedy in (
        ("-6", SendReason.UNAUTHORIZED, "; make it an administrator who may post"),
        ("-7", SendReason.NO_CHANNEL, "; add it"),
        ("-8", SendReason.NO_CHANNEL, "; add the bot again"),
        ("-9", SendReason.NO_CHANNEL, "begins with -100"),
        ("nonsense", SendReason.NO_CHANNEL, "write an id such as"),
    ):
        with pytest.raises(SendError) as raised:
            await telegram.probe(chat)
        assert raised.value.reason is reason, chat
        assert remedy in raised.value.detail


# Delivery


def delivery(ledger: FakeLedger, **more) -> Delivery:
    patience = Patience(first=0.01, answer=more.pop("answer", 1.0), **more)
    return Delivery(ledger, FakeLeases(), patience=patience)


@pytest.mark.parametrize(
    ("promise", "stand"), [(Promise.AT_MOST_ONCE, 1), (Promise.AT_LEAST_ONCE, 2)]
)
async def test_the_ambiguous_call_ends_as_the_channel_was_promised(
    server, telegram, promise, stand
):
    server.will("sendMessage", Drops(taken=True))
    ledger = FakeLedger()
    target = Target(name="c", sender=telegram, chat=str(GROUP), promise=promise)
    result = await delivery(ledger).deliver(
        Posting(target=target, digest="d", document=paragraphs("the digest"))
    )
    assert result.done
    assert server.texts(GROUP) == ["the digest"] * stand
    assert ledger.states() == [PartState.SENT]


async def test_what_was_surely_not_taken_is_repeated_once_it_can_be(server, telegram):
    server.will("sendMessage", Fails(500, "Internal Server Error"), too_many(0.05))
    target = Target(name="c", sender=telegram, chat=str(GROUP))
    result = await delivery(FakeLedger()).deliver(
        Posting(target=target, digest="d", document=paragraphs("the digest"))
    )
    assert result.done
    assert result.new == 1
    assert server.texts(GROUP) == ["the digest"]


async def test_a_long_digest_comes_in_order_each_part_below_the_first(server, telegram):
    document = paragraphs(*(f"{n} " + "word " * 190 for n in range(12)))
    target = Target(name="c", sender=telegram, chat=str(GROUP))
    result = await delivery(FakeLedger()).deliver(
        Posting(target=target, digest="d", document=document)
    )
    assert result.done
    shown = server.screen(GROUP)
    assert len(shown) == 3
    assert [one.reply_to for one in shown] == [None, shown[0].id, shown[0].id]
    assert [line[:2] for one in shown for line in one.text.split("\n\n")] == [
        f"{n} "[:2] for n in range(12)
    ]


# Limits


@contextmanager
def limited(loop: VirtualLoop) -> Iterator[tuple[TelegramServer, Telegram]]:
    """A server with Telegram's limits and a sender with ours, both by the time of the loop."""
    with TelegramServer(limits=Limits()) as server:
        server._count_clock = loop.time
        telegram = Telegram(TelegramAccount(token=TOKEN, api=server.url, answer=5.0))
        client = telegram._client
        client.post = timeless(loop, client.post)
        yield server, telegram


def test_many_chats_get_theirs_within_the_limits_and_near_their_minimum():
    chats = range(1, 121)

    async def deliver(loop: VirtualLoop) -> None:
        with limited(loop) as (server, telegram):
            for chat in chats:
                server.add(-chat, "group", title=str(chat))
            # Some calls are refused all the same; the delivery repeats them.
            server.will("sendMessage", *[too_many(0.3), Fails(500, "Internal Server Error")] * 3)
            postings = [
                Posting(
                    target=Target(name=str(chat), sender=telegram, chat=str(-chat)),
                    digest="d",
                    document=paragraphs(f"for {chat}"),
                )
                for chat in chats
            ]
            begin = loop.time()
            results = await delivery(FakeLedger(), answer=20.0).deliver_all(postings)
            spent = loop.time() - begin
            await telegram.aclose()
            assert all(result.done for result in results)
            assert {c: server.texts(-c) for c in chats} == {c: [f"for {c}"] for c in chats}
            late = [said for _, said in server.refused if said.startswith("Too Many")]
            assert len(late) == 3
            assert spent < 1.3 * len(chats) / 30

    run_in_virtual_time(deliver)


def test_answers_and_posts_share_the_limit_of_a_chat():
    async def deliver(loop: VirtualLoop) -> None:
        with limited(loop) as (server, telegram):
            target = Target(name="c", sender=telegram, chat=str(GROUP))

            async def answer(number: int) -> None:
                """One answer, as the conversation gives it."""
                (part,) = telegram.render(paragraphs(f"answer {number}"))
                await telegram.ready(str(GROUP), answer=True)
                await telegram.send(str(GROUP), part)

            posting = Posting(target=target, digest="d", document=paragraphs("digest"))
            await asyncio.gather(
                delivery(FakeLedger(), answer=20.0).deliver(posting),
                *(answer(number) for number in range(5)),
            )
            await telegram.aclose()
            assert len(server.texts(GROUP)) == 6
            assert server.refused == []

    run_in_virtual_time(deliver)


def test_the_limits_are_those_of_telegram():
    assert RATES.posts.count / RATES.posts.seconds + RATES.answers.count <= 30
    assert RATES.chat.seconds >= RATES.chat.count
    assert RATES.group.seconds * 20 >= RATES.group.count * 60
    assert BRISK != RATES


def test_a_turn_taken_ahead_is_used_by_the_next_send():
    async def post(loop: VirtualLoop) -> float:
        with limited(loop) as (_, telegram):
            await telegram.ready(str(GROUP))
            await telegram.ready(str(PRIVATE), answer=True)
            begin = loop.time()
            await telegram.send(str(GROUP), words("one"))
            await telegram.send(str(PRIVATE), words("two"))
            await telegram.send(str(GROUP), words("three"))
            await telegram.aclose()
            return loop.time() - begin

    # One turn was waited for, and not two.
    assert run_in_virtual_time(post) == pytest.approx(RATES.chat.seconds)


def test_golden_bodies_are_taken_by_the_server():
    folder = Path(__file__).parents[4] / "data" / "telegram"
    bodies = [one["body"] for file in folder.glob("*.json") for one in json.loads(file.read_text())]
    assert bodies

    async def post() -> list[tuple[str, str]]:
        with TelegramServer() as server:
            telegram = sender(server.url)
            for body in bodies:
                await telegram.send(str(GROUP), Part(text="", body=json.dumps(body)))
            await telegram.aclose()
            return server.refused

    assert asyncio.run(post()) == []


@pytest.mark.parametrize(
    ("chat", "kind", "names", "public"),
    [
        (-1005, "supergroup", {"username": "engine_room"}, True),
        (-1005, "supergroup", {"active_usernames": ["engine_room"]}, True),
        (-1005, "supergroup", {}, False),
        (55, "private", {"first_name": "Ada", "username": "ada"}, False),
    ],
)
async def test_outsiders_read_groups_with_a_public_name(
    server, telegram, chat, kind, names, public
) -> None:
    server.add(chat, kind, **names)
    assert await telegram.external(str(chat)) is public


async def test_long_quote_is_one_of_the_entities_that_a_message_may_have(server, telegram) -> None:
    quote = Quote(tuple((Text(f"line {number}"),) for number in range(150)))
    (part,) = telegram.render(Document(title="t", blocks=(quote,)))
    await telegram.send(str(GROUP), part)
    assert [one["type"] for one in json.loads(part.body)["entities"]] == ["expandable_blockquote"]
