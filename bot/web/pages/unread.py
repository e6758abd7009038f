"""Unread parts of a period: how a page shows them, and how reading them is started."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from bot.util.page_links import path_of
from bot.web.pages.page_request import PageRequest
from bot.web.pages.page_text import PHRASES, period_words
from bot.web.pages.response import headers_of
from bot.web.pages.session import Sessions, form_of
from bot.web.pages.site import NotThere
from digest.errors import UserError
from digest.i18n.labels import SEPARATOR
from digest.question.commit_range import Span, refs_named
from digest.window import Window, days_window, parse_date

_NAMED = 3  # gaps that are listed; a page with more only says that there are some


class Unread:
    """The gaps of a window as its page shows them."""

    def __init__(self, asked: PageRequest, window: Window, gaps: Sequence[Window]) -> None:
        self._asked, self._window, self._gaps = asked, window, gaps
        last = (window.until - timedelta(microseconds=1)).astimezone(window.zone).date()
        self.span = f"{window.since.astimezone(window.zone).date()}...{last}"

    @property
    def words(self) -> str:
        """The unread parts; empty if everything that has passed was read."""
        shelf, language = self._asked.shelf, self._asked.language
        if not self._gaps:
            return ""
        past = min(self._window.until, shelf.clock.now())
        if (self._gaps[0].since, self._gaps[0].until) == (self._window.since, past):
            return PHRASES["unread_all"].template(language)
        named = SEPARATOR.template(language).join(
            period_words(one, shelf.zone) for one in self._gaps[:_NAMED]
        )
        more = "" if len(self._gaps) <= _NAMED else " …"
        return PHRASES["unread_parts"].text(language, spans=named + more)

    @property
    def quiet(self) -> str:
        """The text shown in place of changes; empty if nothing can be said."""
        now, language = self._asked.shelf.clock.now(), self._asked.language
        if self._gaps:
            return ""
        if self._window.since >= now:
            return PHRASES["not_begun"].template(language)
        name = "quiet" if self._window.until <= now else "quiet_so_far"
        return PHRASES[name].template(language)


async def searched_periods(asked: PageRequest) -> str:
    """The periods that a search looks through, in words; empty if nothing was read."""
    zone, language = asked.shelf.zone, asked.language
    periods = await asked.covered(asked.shown())
    named = [period_words(replace(one, zone=zone), zone) for one in periods[-_NAMED:]]
    more = "… " if len(periods) > _NAMED else ""
    return more + SEPARATOR.template(language).join(named)


async def begin(asked: PageRequest, request: Request, sessions: Sessions) -> Response:
    """Start reading the span that a form names, and redirect to its page. Raises ``NotThere``."""
    shown, histories = asked.shown(), asked.shelf.histories
    form = await form_of(request)
    allowed = asked.shelf.may_read(signed_in=asked.signed_in) and sessions.from_here(request)
    if histories is None or not allowed:
        raise NotThere
    span, path = _span(form.get("span", ""), asked)
    histories.read(shown, span)
    return RedirectResponse(path, HTTPStatus.SEE_OTHER, headers_of(kept=False))


def _span(text: str, asked: PageRequest) -> tuple[Span, str]:
    """The span of a form, and the page that shows it. Raises ``NotThere``."""
    refs = refs_named(text)
    if refs is None:
        raise NotThere
    name = asked.shown().repository.name
    try:
        first, last = parse_date(refs.base), parse_date(refs.tip)
        window = days_window(first, last, asked.shelf.zone)
    except UserError:
        return refs, path_of(name, compare=(refs.base, refs.tip))
    path = path_of(name, day=first) if first == last else path_of(name, week=first)
    return window, path
