"""Charts as geometry, drawn by the templates as SVG: every chart has its figures as a table beside.

A library would bring styles or scripts into the page, which its policy does not let in; these are
two kinds of bars.

The marks of a pulse: what a template would write rectangle by rectangle, written at once.

A quarter has hundreds of them, of numbers, dates and names of levels alone; of what a stranger
wrote there is the repository's path, which is escaped.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta

from markupsafe import Markup, escape

from bot.store.browsing import Counts
from bot.util.page_links import path_of
from digest.core.grade import Level, Repository
from digest.document import Chart

WIDTH = 900
HEIGHT = 150
_GAP = 0.22
"""The share of a bar's place that is left free."""
_FORTNIGHT = 14
_LABELS = 4
"""Labels below a chart of a document: as many as a phone has room for."""
_LEAST = 1.5
"""Pixels that the smallest number is high, so that it is seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BarPiece:
    """A rectangle of a level."""

    level: Level
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A day: its pieces from the ground up, high ones at the ground, and its counts.

    ``read`` says whether all of it was read.
    """

    day: date
    counts: tuple[int, int, int]
    pieces: tuple[BarPiece, ...]
    x: float
    width: float
    read: bool = True

    @property
    def total(self) -> int:
        """All changes of the day."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """Changes a day by level.

    ``marks`` are words below the bars, with how far from the left they stand in percent: days of a
    fortnight, the months of a longer time.
    """

    bars: tuple[Bar, ...]
    marks: tuple[tuple[float, str], ...]
    most: int

    @property
    def total(self) -> int:
        """All changes of all days."""
        return sum(bar.total for bar in self.bars)

    @property
    def high(self) -> int:
        """All changes of high importance."""
        return sum(bar.counts[0] for bar in self.bars)

    @property
    def unread(self) -> int:
        """How many days were not read, or not to their end."""
        return sum(not bar.read for bar in self.bars)

    @property
    def busiest(self) -> Bar:
        """The first day with most changes."""
        return max(self.bars, key=lambda bar: bar.total)


def pulse(rows: Sequence[Counts], first: date, unread: Collection[date] = ()) -> Pulse:
    """A bar for each day from the first on, of how many changes it saw by level.

    ``unread`` are days of which it is not known whether there were more.
    """
    days = len(rows)
    dates = [first + timedelta(days=n) for n in range(days)]
    most = max((sum(row) for row in rows), default=0)
    step = WIDTH / max(days, 1)
    bars = tuple(
        replace(_bar(day, row, n * step, step, most), read=day not in unread)
        for n, (day, row) in enumerate(zip(dates, rows, strict=True))
    )
    if days <= _FORTNIGHT:
        named = [(bar, bar.day.strftime("%m-%d")) for bar in bars]
    else:
        named = [(bar, bar.day.strftime("%Y-%m")) for bar in bars if bar.day.day == 1]
    marks = tuple((round(100 * bar.x / WIDTH, 2), words) for bar, words in named)
    return Pulse(bars=bars, marks=marks, most=most)


def _bar(day: date, counts: tuple[int, int, int], x: float, step: float, most: int) -> Bar:
    pieces = []
    ground = float(HEIGHT)
    for level, count in zip(Level, counts, strict=True):
        if count:
            height = max(count / most * HEIGHT, _LEAST)
            ground -= height
            piece = BarPiece(
                level=level,
                x=round(x + step * _GAP / 2, 2),
                y=round(max(ground, 0), 2),
                width=round(step * (1 - _GAP), 2),
                height=round(height, 2),
            )
            pieces.append(piece)
    return Bar(day=day, counts=counts, pieces=tuple(pieces), x=round(x, 2), width=round(step, 2))


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A number of a chart as a rectangle that stands on the ground."""

    label: str
    value: int
    x: float
    y: float
    width: float
    height: float


def columns(chart: Chart) -> Columns:
    """A chart of a document as geometry; of many labels some are written below it."""
    most, count = max(chart.values, default=0), len(chart.values)
    step = WIDTH / max(count, 1)
    made = []
    for n, (label, value) in enumerate(zip(chart.labels, chart.values, strict=True)):
        height = max(value / most * HEIGHT, _LEAST) if value else 0.0
        column = Column(
            label=label,
            value=value,
            x=round((n + _GAP / 2) * step, 2),
            y=round(HEIGHT - height, 2),
            width=round(step * (1 - _GAP), 2),
            height=round(height, 2),
        )
        made.append(column)
    every = -(-count // _LABELS) or 1
    marks = tuple((round(100 * n / count, 2), chart.labels[n]) for n in range(0, count, every))
    return Columns(title=chart.title, columns=tuple(made), marks=marks, most=most)


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """A chart of a document. ``marks`` are labels below, as those of :class:`Pulse`."""

    title: str
    columns: tuple[Column, ...]
    marks: tuple[tuple[float, str], ...]
    most: int

    @property
    def total(self) -> int:
        """The sum of all numbers."""
        return sum(one.value for one in self.columns)

    @property
    def peak(self) -> str:
        """The label of the first of the greatest numbers; empty where there is none."""
        return max(self.columns, key=lambda one: one.value).label if self.columns else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A name with a number, and the number's share of the greatest in percent."""

    name: str
    number: int
    percent: float


def shares(counted: Sequence[tuple[str, int]]) -> list[Share]:
    """Named numbers as bars, in the order given."""
    most = max((number for _, number in counted), default=0)
    return [
        Share(name=name, number=number, percent=round(100 * number / most, 1))
        for name, number in counted
    ]


def bars(drawn: Pulse) -> Markup:
    """The pieces of every day, with nothing to be told or followed."""
    return _safe("".join(map(_pieces, drawn.bars)))


def linked_bars(drawn: Pulse, repository: Repository, unread: str) -> Markup:
    """The days that saw changes, each with its counts as a title and its page behind it.

    So are days that were not read, which ``unread`` says in words.
    """
    base = _days(repository)
    told = (bar for bar in drawn.bars if bar.pieces or not bar.read)
    return _safe("\n".join(_linked(bar, base, str(escape(unread))) for bar in told))


def rows(drawn: Pulse, repository: Repository, unread: str) -> Markup:
    """The days that saw changes or were not read as rows of a table, the newest first."""
    base = _days(repository)
    told = (bar for bar in reversed(drawn.bars) if bar.total or not bar.read)
    return _safe("\n".join(_row(bar, base, str(escape(unread))) for bar in told))


def _linked(bar: Bar, base: str, unread: str) -> str:
    high, medium, low = bar.counts
    counts = f"{bar.total} ({high} / {medium} / {low})" if bar.read or bar.total else ""
    words = ", ".join(filter(None, (counts, "" if bar.read else unread)))
    return (
        f'<a href="{base}{bar.day}" tabindex="-1">'
        f"<g><title>{bar.day}: {words}</title>"
        f'<rect class="back" x="{bar.x}" y="0" width="{bar.width}" height="{HEIGHT}"/>'
        f"{_pieces(bar)}</g></a>"
    )


def _pieces(bar: Bar) -> str:
    ground = f'<rect class="unread" x="{bar.x}" y="0" width="{bar.width}" height="{HEIGHT}"/>'
    return ("" if bar.read else ground) + "".join(
        f'<rect class="{one.level}" x="{one.x}" y="{one.y}"'
        f' width="{one.width}" height="{one.height}"/>'
        for one in bar.pieces
    )


def _row(bar: Bar, base: str, unread: str) -> str:
    cells = "".join(f"<td>{count}</td>" for count in (*bar.counts, bar.total))
    if not bar.read:
        cells = f'<td colspan="4">{f"{bar.total}, " if bar.total else ""}{unread}</td>'
    return f'<tr><th scope="row"><a href="{base}{bar.day}">{bar.day}</a></th>{cells}</tr>'


def _days(repository: Repository) -> str:
    """What the pages of days begin with, as it may stand in an attribute."""
    path = path_of(repository.name, day=date.min)
    return str(escape(path.removesuffix(date.min.isoformat())))


def _safe(text: str) -> Markup:
    # Made above of numbers, dates and levels, and of a path that is escaped.
    return Markup(text)  # noqa: S704
