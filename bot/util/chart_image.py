"""Charts as pictures, for platforms that show them. Pillow is imported at the first picture.

A picture shows numbers, dates and bars: Pillow's own font has Latin letters only, so words of other
scripts are left to the message above the picture.
"""

from __future__ import annotations

import io
from math import ceil
from typing import TYPE_CHECKING

from digest.document import Chart
from digest.frozen import frozen

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw
    from PIL.ImageFont import FreeTypeFont, ImageFont

MOST_BARS = 120  # bars that can be told apart in a chat; a chart with more stays text
WIDTH, HEIGHT = 1200, 600
"""Pixels: twice what a phone shows, so that it is sharp there."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 90, 30, 50, 80
_WIDE = 0.75  # of a bar, as a share of the room that it has
_STEPS = 4
_ROUND = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100)
_LABEL = 150  # pixels between two labels below the bars
_NUMBERED = 31  # up to this many bars have their numbers above them
_PAPER, _LINE, _INK, _BAR = "#ffffff", "#d8dde3", "#3d4651", "#2f6fb2"


@frozen
class Picture:
    """A PNG with its ``title``, and an ``alt`` text with the same content."""

    png: bytes
    title: str
    alt: str


def picture_of(chart: Chart) -> Picture | None:
    """The chart as a picture; ``None`` if text is better. Takes about 30 ms."""
    if not 2 <= len(chart.values) <= MOST_BARS or not max(chart.values):
        return None
    if not all(label.isascii() and label.isprintable() for label in chart.labels):
        return None
    description = ", ".join(
        f"{label}: {n}" for label, n in zip(chart.labels, chart.values, strict=True)
    )
    return Picture(png=_drawn(chart), title=chart.title, alt=description)


def _drawn(chart: Chart) -> bytes:
    from PIL import Image, ImageDraw, ImageFont

    image = Image.new("RGB", (WIDTH, HEIGHT), _PAPER)
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(24)
    step = _step(max(chart.values))
    _lines(draw, font, step)
    _bars(draw, font, chart, step * _STEPS)
    out = io.BytesIO()
    image.quantize(64).save(out, format="PNG", optimize=True)
    return out.getvalue()


def _step(most: int) -> int:
    """A round step; ``_STEPS`` of them reach at least the highest bar."""
    least = ceil(most / _STEPS)
    zeros = "0" * (len(str(least)) - 2)
    return next(step for n in _ROUND if (step := int(f"{n}{zeros}")) >= least)


def _lines(draw: ImageDraw, font: FreeTypeFont | ImageFont, step: int) -> None:
    for n in range(_STEPS + 1):
        y = HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * n / _STEPS
        draw.line((_LEFT, y, WIDTH - _RIGHT, y), fill=_LINE if n else _INK, width=2)
        draw.text((_LEFT - 14, y), str(step * n), fill=_INK, font=font, anchor="rm")


def _bars(draw: ImageDraw, font: FreeTypeFont | ImageFont, chart: Chart, top: int) -> None:
    place = (WIDTH - _LEFT - _RIGHT) / len(chart.values)
    every = ceil(_LABEL / place)
    ground = HEIGHT - _BOTTOM
    for at, (label, value) in enumerate(zip(chart.labels, chart.values, strict=True)):
        x = _LEFT + place * at
        high = ground - (ground - _TOP) * value / top
        middle, half = x + place / 2, place * _WIDE / 2
        if value:
            draw.rectangle((middle - half, high, middle + half, ground), fill=_BAR)
        if value and len(chart.values) <= _NUMBERED:
            draw.text((middle, high - 6), str(value), fill=_INK, font=font, anchor="mb")
        if at % every == 0:
            draw.text((middle, ground + 14), label[:12], fill=_INK, font=font, anchor="mt")
