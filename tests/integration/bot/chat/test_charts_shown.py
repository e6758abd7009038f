"""Pictures below answers: after the answer stands, once, and never in its way."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from bot.chat.responder import AnswerProgress
from bot.messaging.receiver import Incoming, MessageEvent
from bot.messaging.sender import Receipt, SendError, SendReason
from bot.util.chart_image import Picture
from digest.document import Chart, Document, Paragraph, Text
from tests.integration.bot.chat.talk import Board, Slowly, Talk, said

CHART = Chart(title="Changes by day", labels=("2026-01-01", "2026-01-02"), values=(1, 2))


@dataclass
class Gallery(Board):
    """A platform that shows pictures; ``refuses`` is raised first."""

    shown: list[tuple[str, str, str]] = field(default_factory=list)
    refuses: SendError | None = None
    turns: list[str] = field(default_factory=list)

    async def ready(self, chat: str, *, answer: bool = False) -> None:
        self.turns.append(chat)

    async def show(self, chat: str, picture: Picture, below: Receipt) -> None:
        if self.refuses:
            raise self.refuses
        assert self.stands  # the answer comes first
        assert self.turns.pop() == chat  # a picture waits for a turn as a message does
        self.shown.append((chat, picture.title, below.message))


@dataclass
class Charting(Slowly):
    """Answers with a chart, and with more of them than anybody wants to see."""

    async def answer(self, account: str, asked: Incoming, watch: AnswerProgress) -> Document | None:
        watch.admit(addressed=True)
        charts = (CHART,) * (9 if asked.text == "many" else 1)
        return Document(title="t", blocks=(Paragraph((Text(f"about {asked.text}"),)), *charts))


@pytest.fixture
def talk(database) -> Talk:
    return Talk(database, sender=Gallery(), answers=Charting())


async def test_a_chart_is_shown_below_its_answer(talk):
    await talk.start().hear(talk.sender, said("days"))
    ((chat, title, below),) = talk.sender.shown
    assert (chat, title) == ("C9", CHART.title)
    assert below


async def test_an_answer_that_is_told_anew_has_its_picture_already(talk):
    conversation = talk.start()
    await conversation.hear(talk.sender, said("days"))
    await conversation.hear(talk.sender, said("weeks", fate=MessageEvent.EDITED))
    assert len(talk.sender.shown) == 1


async def test_of_many_charts_the_first_are_shown(talk):
    await talk.start().hear(talk.sender, said("many"))
    assert len(talk.sender.shown) == 2


async def test_a_picture_that_is_refused_leaves_the_answer(talk):
    talk.sender.refuses = SendError(SendReason.REJECTED, "no pictures")
    await talk.start().hear(talk.sender, said("days"))
    assert "about days" in talk.sender.texts()[0]
    assert talk.sender.shown == []


async def test_a_platform_without_pictures_gets_none(database):
    talk = Talk(database, answers=Charting())
    await talk.start().hear(talk.sender, said("days"))
    assert "about days" in talk.sender.texts()[0]
