"""The marks of a pulse: what a template would write rectangle by rectangle, written at once.

A quarter has hundreds of them, of numbers, dates and names of levels alone; of what a stranger
wrote there is the repository's path, which is escaped.
"""

from __future__ import annotations

from datetime import date

from markupsafe import Markup, escape

from bot.web.links import path_of
from bot.web.pages.charts import HEIGHT, Bar, Pulse
from digest.graded import Repository


def bars(drawn: Pulse) -> Markup:
    """The pieces of every day, with nothing to be told or followed."""
    return _safe("".join(map(_pieces, drawn.bars)))


def linked_bars(drawn: Pulse, repository: Repository) -> Markup:
    """The days that saw changes, each with its counts as a title and its page behind it."""
    base = _days(repository)
    return _safe("\n".join(_linked(bar, base) for bar in drawn.bars if bar.pieces))


def rows(drawn: Pulse, repository: Repository) -> Markup:
    """The days that saw changes as rows of a table, the newest first."""
    base = _days(repository)
    return _safe("\n".join(_row(bar, base) for bar in reversed(drawn.bars) if bar.total))


def _linked(bar: Bar, base: str) -> str:
    high, medium, low = bar.counts
    return (
        f'<a href="{base}{bar.day}" tabindex="-1">'
        f"<g><title>{bar.day}: {bar.total} ({high} / {medium} / {low})</title>"
        f'<rect class="back" x="{bar.x}" y="0" width="{bar.width}" height="{HEIGHT}"/>'
        f"{_pieces(bar)}</g></a>"
    )


def _pieces(bar: Bar) -> str:
    return "".join(
        f'<rect class="{one.level}" x="{one.x}" y="{one.y}"'
        f' width="{one.width}" height="{one.height}"/>'
        for one in bar.pieces
    )


def _row(bar: Bar, base: str) -> str:
    cells = "".join(f"<td>{count}</td>" for count in (*bar.counts, bar.total))
    return f'<tr><th scope="row"><a href="{base}{bar.day}">{bar.day}</a></th>{cells}</tr>'


def _days(repository: Repository) -> str:
    """What the pages of days begin with, as it may stand in an attribute."""
    path = path_of(repository.name, day=date.min)
    return str(escape(path.removesuffix(date.min.isoformat())))


def _safe(text: str) -> Markup:
    # Made above of numbers, dates and levels, and of a path that is escaped.
    return Markup(text)  # noqa: S704
