"""Bar charts as geometry; the templates draw them as SVG with a table of the figures beside.

The marks of days are written here at once, not rectangle by rectangle in a template: a quarter has
hundreds. Their only outside text is the repository's path, which is escaped.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta

from markupsafe import Markup, escape

from bot.store.browsing import Counts
from bot.util.page_links import path_of
from digest.core.grade import Level, Repository
from digest.document import Chart
from digest.frozen import frozen

WIDTH = 900
HEIGHT = 150
_GAP = 0.22  # the share of a bar's slot that is left free
_FORTNIGHT = 14
_LABELS = 4  # labels below a chart of a document: as many as fit on a phone
_LEAST = 1.5  # the height in pixels of the smallest number, so that it stays visible


@frozen
class BarPiece:
    """A rectangle of a level, or of ``bar`` where numbers have no level."""

    kind: str
    x: float
    y: float
    width: float
    height: float


@frozen
class Bar:
    """Numbers above each other, the first at the bottom; ``read``: they are complete."""

    label: str
    counts: tuple[int, ...]
    pieces: tuple[BarPiece, ...]
    x: float
    width: float
    read: bool = True

    @property
    def day(self) -> date:
        """The day of the bar."""
        return date.fromisoformat(self.label)

    @property
    def total(self) -> int:
        """The sum of the numbers."""
        return sum(self.counts)


@frozen
class BarChart:
    """A bar for each label; ``marks`` are labels below, each with its place in percent."""

    bars: tuple[Bar, ...]
    marks: tuple[tuple[float, str], ...] = ()
    most: int
    title: str = ""

    @property
    def total(self) -> int:
        """The sum of all numbers."""
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
    def peak(self) -> Bar | None:
        """The first of the highest bars; ``None`` without bars."""
        return max(self.bars, key=lambda bar: bar.total, default=None)


def pulse(rows: Sequence[Counts], first: date, unread: Collection[date] = ()) -> BarChart:
    """A bar for each day from ``first`` on, with its changes by level.

    ``unread`` are days that may have had more changes. Marks are the days of a fortnight, or the
    months of a longer time.
    """
    days = [first + timedelta(days=n) for n in range(len(rows))]
    drawn = _drawn([str(day) for day in days], rows, [str(level) for level in Level])
    bars = tuple(replace(bar, read=bar.day not in unread) for bar in drawn.bars)
    short = len(rows) <= _FORTNIGHT
    named = [bar for bar in bars if short or bar.day.day == 1]
    marks = tuple((_percent(bar), bar.label[5:] if short else bar.label[:7]) for bar in named)
    return replace(drawn, bars=bars, marks=marks)


def columns(chart: Chart) -> BarChart:
    """A chart of a document; of many labels, only some are written below it."""
    drawn = _drawn(chart.labels, [(value,) for value in chart.values], ["bar"])
    marked = drawn.bars[:: -(-len(drawn.bars) // _LABELS) or 1]
    marks = tuple((_percent(bar), bar.label) for bar in marked)
    return replace(drawn, title=chart.title, marks=marks)


def _percent(bar: Bar) -> float:
    return round(100 * bar.x / WIDTH, 2)


def _drawn(
    labels: Sequence[str], rows: Sequence[tuple[int, ...]], kinds: Sequence[str]
) -> BarChart:
    most = max(map(sum, rows), default=0)
    step = WIDTH / max(len(rows), 1)
    bars = tuple(
        Bar(
            label=label,
            counts=row,
            pieces=tuple(_pieces(row, kinds, n * step, step, most)),
            x=round(n * step, 2),
            width=round(step, 2),
        )
        for n, (label, row) in enumerate(zip(labels, rows, strict=True))
    )
    return BarChart(bars=bars, most=most)


def _pieces(
    counts: tuple[int, ...], kinds: Sequence[str], x: float, step: float, most: int
) -> Iterator[BarPiece]:
    ground = float(HEIGHT)
    for kind, count in zip(kinds, counts, strict=True):
        if count:
            height = max(count / most * HEIGHT, _LEAST)
            ground -= height
            yield BarPiece(
                kind=kind,
                x=round(x + step * _GAP / 2, 2),
                y=round(max(ground, 0), 2),
                width=round(step * (1 - _GAP), 2),
                height=round(height, 2),
            )


@frozen
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


def bars(drawn: BarChart) -> Markup:
    """The rectangles of every day without titles and links."""
    return _safe("".join(map(_rectangles, drawn.bars)))


def linked_bars(drawn: BarChart, repository: Repository, unread: str) -> Markup:
    """The days with changes or unread, each with its counts as title and a link to its page."""
    base, not_read = _days(repository), str(escape(unread))
    told = (bar for bar in drawn.bars if bar.pieces or not bar.read)
    return _safe("\n".join(_linked(bar, base, not_read) for bar in told))


def rows(drawn: BarChart, repository: Repository, unread: str) -> Markup:
    """The days that had changes or were not read as table rows, newest first."""
    base, not_read = _days(repository), str(escape(unread))
    told = (bar for bar in reversed(drawn.bars) if bar.total or not bar.read)
    return _safe("\n".join(_row(bar, base, not_read) for bar in told))


def _linked(bar: Bar, base: str, unread: str) -> str:
    counts = f"{bar.total} ({' / '.join(map(str, bar.counts))})" if bar.read or bar.total else ""
    words = ", ".join(filter(None, (counts, "" if bar.read else unread)))
    return (
        f'<a href="{base}{bar.label}" tabindex="-1">'
        f"<g><title>{bar.label}: {words}</title>"
        f'<rect class="back" x="{bar.x}" y="0" width="{bar.width}" height="{HEIGHT}"/>'
        f"{_rectangles(bar)}</g></a>"
    )


def _rectangles(bar: Bar) -> str:
    ground = f'<rect class="unread" x="{bar.x}" y="0" width="{bar.width}" height="{HEIGHT}"/>'
    return ("" if bar.read else ground) + "".join(
        f'<rect class="{one.kind}" x="{one.x}" y="{one.y}"'
        f' width="{one.width}" height="{one.height}"/>'
        for one in bar.pieces
    )


def _row(bar: Bar, base: str, unread: str) -> str:
    cells = "".join(f"<td>{count}</td>" for count in (*bar.counts, bar.total))
    if not bar.read:
        cells = f'<td colspan="4">{f"{bar.total}, " if bar.total else ""}{unread}</td>'
    return f'<tr><th scope="row"><a href="{base}{bar.label}">{bar.label}</a></th>{cells}</tr>'


def _days(repository: Repository) -> str:
    """The common beginning of the paths of day pages, escaped for an attribute."""
    path = path_of(repository.name, day=date.min)
    return str(escape(path.removesuffix(date.min.isoformat())))


def _safe(text: str) -> Markup:
    # Made of numbers, dates and levels, and of a path that is escaped.
    return Markup(text)  # noqa: S704
