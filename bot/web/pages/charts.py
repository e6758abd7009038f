"""Bar charts as geometry; the templates draw them as SVG with a table of the figures beside.

A chart library would add styles or scripts that the content security policy forbids. The marks of a
pulse are written here at once, not rectangle by rectangle in a template: a quarter has hundreds.
They consist of numbers, dates and level names; the only outside text is the repository's path,
which is escaped.
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
"""The share of a bar's slot that is left free."""
_FORTNIGHT = 14
_LABELS = 4
"""Labels below a chart of a document: as many as fit on a phone."""
_LEAST = 1.5
"""The height in pixels of the smallest number, so that it stays visible."""


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
    """A day with its counts and its pieces from the bottom up, the high ones at the bottom.

    ``read`` tells whether the whole day was read.
    """

    day: date
    counts: tuple[int, int, int]
    pieces: tuple[BarPiece, ...]
    x: float
    width: float
    read: bool = True

    @property
    def total(self) -> int:
        """The number of changes of the day."""
        return sum(self.counts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pulse:
    """Changes per day by level.

    ``marks`` are labels below the bars with their distance from the left in percent: days for a
    fortnight, months for longer periods.
    """

    bars: tuple[Bar, ...]
    marks: tuple[tuple[float, str], ...]
    most: int

    @property
    def total(self) -> int:
        """The number of changes of all days."""
        return sum(bar.total for bar in self.bars)

    @property
    def high(self) -> int:
        """The number of changes of high importance."""
        return sum(bar.counts[0] for bar in self.bars)

    @property
    def unread(self) -> int:
        """The number of days that were not read, or not completely."""
        return sum(not bar.read for bar in self.bars)

    @property
    def busiest(self) -> Bar:
        """The first of the days with the most changes."""
        return max(self.bars, key=lambda bar: bar.total)


def pulse(rows: Sequence[Counts], first: date, unread: Collection[date] = ()) -> Pulse:
    """A bar for each day from ``first`` on, with its changes by level.

    ``unread`` are days that may have had more changes.
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
    """A number of a chart as a rectangle on the baseline."""

    label: str
    value: int
    x: float
    y: float
    width: float
    height: float


def columns(chart: Chart) -> Columns:
    """A chart of a document as geometry; of many labels, only some are written below it."""
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
    """A chart of a document. ``marks`` are labels below it, as in :class:`Pulse`."""

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
        """The label of the first of the greatest numbers; empty if there is none."""
        return max(self.columns, key=lambda one: one.value).label if self.columns else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A named number and its percentage of the greatest number."""

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
    """The pieces of every day without titles and links."""
    return _safe("".join(map(_pieces, drawn.bars)))


def linked_bars(drawn: Pulse, repository: Repository, unread: str) -> Markup:
    """The days with changes, each with its counts as title and a link to its page.

    Days that were not read are included; ``unread`` is their title.
    """
    base = _days(repository)
    told = (bar for bar in drawn.bars if bar.pieces or not bar.read)
    return _safe("\n".join(_linked(bar, base, str(escape(unread))) for bar in told))


def rows(drawn: Pulse, repository: Repository, unread: str) -> Markup:
    """The days that had changes or were not read as table rows, newest first."""
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
    """The common beginning of the paths of day pages, escaped for an attribute."""
    path = path_of(repository.name, day=date.min)
    return str(escape(path.removesuffix(date.min.isoformat())))


def _safe(text: str) -> Markup:
    # Made of numbers, dates and levels, and of a path that is escaped.
    return Markup(text)  # noqa: S704
