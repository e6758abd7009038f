"""Charts as pictures: well formed, bounded, and only where a picture tells more than text."""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from bot.util.chart_image import HEIGHT, MOST_BARS, WIDTH, _step, picture_of
from digest.document import Chart
from tests.servers.pictures import size_of


def chart(*values: int) -> Chart:
    labels = tuple(f"2026-01-{1 + n % 28:02}" for n in range(len(values)))
    return Chart(title="每日变更数", labels=labels, values=values)


def test_a_picture_is_a_small_png_with_the_text_of_its_chart():
    shown = picture_of(chart(3, 0, 12, 7))
    assert size_of(shown.png) == (WIDTH, HEIGHT)
    assert len(shown.png) < 40_000
    assert shown.title == "每日变更数"
    assert shown.alt == "2026-01-01: 3, 2026-01-02: 0, 2026-01-03: 12, 2026-01-04: 7"


def test_a_higher_number_is_a_higher_bar():
    image = Image.open(io.BytesIO(picture_of(chart(1, 10)).png)).convert("RGB")
    blue = [(x, y) for x in (300, 900) for y in range(HEIGHT) if image.getpixel((x, y))[2] > 160
            and image.getpixel((x, y))[0] < 90]  # fmt: skip
    low, high = (sum(at == x for at, _ in blue) for x in (300, 900))
    assert high > 5 * low > 0


def test_bars_stand_apart_and_above_their_labels():
    image = Image.open(io.BytesIO(picture_of(chart(1, 1, 1, 1)).png)).convert("RGB")
    row = [image.getpixel((x, HEIGHT - 90))[0] < 90 for x in range(WIDTH)]
    ends = [x for x in range(1, WIDTH) if row[x] != row[x - 1]]
    begins, widths = ends[::2], {ends[n + 1] - ends[n] for n in range(0, 8, 2)}
    assert len(ends) == 8
    gaps = {ends[n + 1] - ends[n] for n in range(1, 7, 2)}
    assert max(gaps) < min(widths) / 2
    assert abs((begins[0] + ends[-1]) / 2 - (90 + WIDTH - 30) / 2) < 3  # in the middle of the lines


DRAWN = """\
(1200, 600)
line 90 520 1170 520: fill=#3d4651, width=2
text 76 520: 0, fill=#3d4651, anchor=rm
line 90 402.5 1170 402.5: fill=#d8dde3, width=2
text 76 402.5: 25, fill=#3d4651, anchor=rm
line 90 285 1170 285: fill=#d8dde3, width=2
text 76 285: 50, fill=#3d4651, anchor=rm
line 90 167.5 1170 167.5: fill=#d8dde3, width=2
text 76 167.5: 75, fill=#3d4651, anchor=rm
line 90 50 1170 50: fill=#d8dde3, width=2
text 76 50: 100, fill=#3d4651, anchor=rm
rectangle 135 238 405 520: fill=#2f6fb2
text 270 232: 60, fill=#3d4651, anchor=mb
text 270 534: 2026-01-01, fill=#3d4651, anchor=mt
text 630 534: 2026-01-02, fill=#3d4651, anchor=mt
rectangle 855 50 1125 520: fill=#2f6fb2
text 990 44: 100, fill=#3d4651, anchor=mb
text 990 534: 2026-01-03, fill=#3d4651, anchor=mt
"""


def test_a_chart_is_drawn_as_before(monkeypatch):
    drawn = []

    class Draw:
        def __init__(self, image):
            drawn.append(f"{image.size}")

        def __getattr__(self, shape):
            def draw(at, *words, font=None, **looks):
                places = " ".join(f"{n:g}" for n in at)
                told = [*words, *(f"{name}={look}" for name, look in looks.items())]
                drawn.append(f"{shape} {places}: {', '.join(told)}" if told else shape)

            return draw

    monkeypatch.setattr("PIL.ImageDraw.Draw", Draw)
    picture_of(chart(60, 0, 100))
    assert drawn == DRAWN.splitlines()
    picture_of(chart(*range(32)))
    texts = [line.split()[-3] for line in drawn[len(DRAWN.splitlines()) :] if "text" in line]
    assert texts[5:] == [f"2026-01-{day:02}," for day in (1, 6, 11, 16, 21, 26, 3)]


@pytest.mark.parametrize("values", [(), (5,), (0, 0), (1,) * (MOST_BARS + 1)])
def test_what_text_tells_better_is_no_picture(values):
    assert picture_of(chart(*values)) is None


def test_words_that_the_font_has_not_are_not_drawn():
    assert picture_of(Chart(title="t", labels=("周一", "周二"), values=(1, 2))) is None


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(0, 10**9), min_size=2, max_size=MOST_BARS).filter(any))
def test_any_numbers_make_a_bounded_picture(values):
    assert len(picture_of(chart(*values)).png) < 80_000


@given(st.integers(1, 10**12))
def test_four_steps_hold_the_highest_bar_and_not_much_more(most):
    assert most <= 4 * _step(most) <= max(4, 2 * most)


def test_the_numbers_of_an_axis_are_round():
    steps = {_step(most) for most in range(1, 40_000)}
    leading = {int(f"{step:02}"[:2]) if step > 9 else step for step in steps}
    assert all(one in {1, 2, 3, 4, 6, 8, 12} or one % 5 == 0 for one in leading)
    assert {10, 20, 50, 100, 1000} < steps


def test_the_library_is_not_imported_before_it_is_needed():
    code = "import bot.util.chart_image, sys; sys.exit('PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_every_day_of_a_month_has_its_number_and_more_days_have_none():
    def inked_above_the_bars(days: int) -> bool:
        image = Image.open(io.BytesIO(picture_of(chart(*(50,) * days)).png)).convert("RGB")
        bars = image.crop((120, 60, WIDTH - 40, HEIGHT // 2))
        return any(max(colour) < 130 for _, colour in bars.getcolors(1 << 20))

    assert inked_above_the_bars(31)
    assert not inked_above_the_bars(32)
