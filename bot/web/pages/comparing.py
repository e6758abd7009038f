"""The page of a comparison: what lies between two points of history, or two days."""

from __future__ import annotations

from datetime import timedelta
from http import HTTPStatus
from zoneinfo import ZoneInfo

from bot.web.links import path_of
from bot.web.pages.asked import Asked
from bot.web.pages.compared import Comparing
from bot.web.pages.page import NotThere, Page
from bot.web.pages.replying import tag_of
from bot.web.pages.wording import PHRASES
from digest.answer import window_words
from digest.complaint import complaint
from digest.document import Document, Heading, Paragraph, Text, plain
from digest.errors import (
    AmbiguousReference,
    EmptyRange,
    InvalidDate,
    NotARepository,
    RangeTooLarge,
    SourceUnavailable,
    UnknownBranch,
    UserError,
)
from digest.language import Language
from digest.span import Refs, Span, refs_named
from digest.window import days_window, parse_date

_TOLD = (
    *(UnknownBranch, AmbiguousReference, EmptyRange, RangeTooLarge),
    *(NotARepository, SourceUnavailable),
)
"""Why there may be nothing to compare."""


async def compare_page(asked: Asked) -> Page:
    """What lies between two points, or two days. Raises ``NotThere``."""
    shown, histories = asked.shown(), asked.shelf.histories
    if histories is None:
        raise NotThere
    try:
        span = _span(asked.part("span"), asked.shelf.zone)
        stretch = await histories.stretch(shown, span)
    except _TOLD as error:
        return _refused(asked, error)
    if stretch is None:
        raise NotThere
    title = _title(span, asked.language)
    comparing = Comparing(asked, stretch, title)
    return Page(
        template="compare.html",
        title=f"{title} · {shown.repository.name}",
        values={
            "shown": shown,
            "comparing": comparing,
            "refused": "",
            "instead": "",
            "title_words": title,
        },
        document=comparing.document,
        json=comparing.json,
        ready=comparing.read,
        rests_on=tag_of(*stretch.names, stretch.head),
    )


def _span(text: str, zone: ZoneInfo) -> Span:
    """Two days, or else two references. Raises ``NotThere`` and ``EmptyRange``."""
    refs = refs_named(text)
    if refs is None:
        raise NotThere
    try:
        first, last = parse_date(refs.base), parse_date(refs.tip)
    except InvalidDate:
        return refs
    if last < first:
        raise EmptyRange(refs.base, refs.tip, reversed_=True)
    return days_window(first, last, zone)


def _title(span: Span, language: Language) -> str:
    if isinstance(span, Refs):
        return plain(window_words(span, language))
    last = span.until.astimezone(span.zone) - timedelta(days=1)
    return f"{span.since.astimezone(span.zone).date()} – {last.date()} ({span.zone.key})"


def _refused(asked: Asked, error: UserError) -> Page:
    """One clear line in the place of a comparison."""
    said, status, instead = _refusal(asked, error)
    shown, title = asked.shown(), asked.part("span")
    document = Document(
        title=title,
        blocks=(Heading(1, (Text(title),)), Paragraph((Text(said),))),
        language=asked.language,
    )
    return Page(
        template="compare.html",
        title=f"{title} · {shown.repository.name}",
        values={"shown": shown, "refused": said, "instead": instead, "title_words": title},
        document=lambda: document,
        json=lambda: {"error": said},
        rests_on=said,
        status=status,
    )


def _refusal(asked: Asked, error: UserError) -> tuple[str, HTTPStatus, str]:
    """What is said, with which status, and the page that may be meant."""
    language = asked.language
    match error:
        case UnknownBranch(name=name):
            return PHRASES["unknown_ref"].text(language, name=name), HTTPStatus.NOT_FOUND, ""
        case EmptyRange(base=base, tip=tip, reversed=turned):
            said = PHRASES["nothing_between"].text(language, base=base, tip=tip)
            name = asked.shown().repository.name
            return said, HTTPStatus.OK, path_of(name, compare=(tip, base)) if turned else ""
        case AmbiguousReference():
            return complaint(error, language), HTTPStatus.NOT_FOUND, ""
        case RangeTooLarge():
            return complaint(error, language), HTTPStatus.UNPROCESSABLE_ENTITY, ""
        case _:
            # It may name folders of this machine, which are nobody's business.
            said = PHRASES["not_readable"].template(language)
            return said, HTTPStatus.SERVICE_UNAVAILABLE, ""
