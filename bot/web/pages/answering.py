"""The page of a question: answered as in a chat, told as a page.

Nobody is known on a page, so only what reads is answered: nothing is set, followed or remembered.
"""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import quote

from bot.web.links import path_of
from bot.web.pages.asked import Asked
from bot.web.pages.overview import extent_of
from bot.web.pages.page import Json, NotThere, Page
from bot.web.pages.shelf import Shown
from bot.web.pages.wording import PHRASES
from digest.document import Document, Heading, Text
from digest.markdown import markdown
from digest.report.form import SCHEMA

EXAMPLES = tuple(
    PHRASES[name] for name in ("ask_changed", "ask_breaking", "ask_daily", "ask_people")
)


async def ask_page(asked: Asked) -> Page:
    """The answer to a question. Raises ``NotThere`` where pages answer none."""
    shown, ask = asked.shown(), asked.shelf.ask
    if ask is None:
        raise NotThere
    question, title = asked.word("q"), PHRASES["ask"].template(asked.language)
    found = Document(title=title, blocks=(Heading(1, (Text(title),)),), language=asked.language)
    if question and _from_here(asked):
        found = await ask(shown, question, asked.language)
    return Page(
        template="ask.html",
        title=" · ".join(filter(None, (question or title, shown.repository.name))),
        values={
            "shown": shown,
            "question": question,
            "answer": found if question else None,
            "headed": any(isinstance(one, Heading) and one.level == 1 for one in found.blocks),
            "examples": [(one, _address(shown, one)) for one in await _examples(asked)],
        },
        document=lambda: found,
        json=lambda: _json(shown, question, found),
    )


async def _examples(asked: Asked) -> list[str]:
    """Questions that have an answer: of the last days that are archived."""
    extent = await extent_of(asked, asked.shown())
    if extent is None:
        return []
    last = extent.last.astimezone(asked.shelf.zone).date()
    days = {"last": last, "week": last - timedelta(days=6), "month": last - timedelta(days=29)}
    said = {name: day.isoformat() for name, day in days.items()}
    return [phrase.text(asked.language, **said) for phrase in EXAMPLES]


def _address(shown: Shown, question: str) -> str:
    return f"{path_of(shown.repository.name, rest='ask')}?q={quote(question)}"


def _from_here(asked: Asked) -> bool:
    """Whether no other site led here: it could else have a clone read again and again."""
    return asked.request.headers.get("sec-fetch-site", "none") in {"none", "same-origin"}


def _json(shown: Shown, question: str, found: Document) -> Json:
    return {
        "schema": SCHEMA,
        "repository": shown.repository.name,
        "question": question,
        "title": found.title,
        "answer": markdown(found),
    }
