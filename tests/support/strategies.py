"""Hypothesis strategies that several tests share."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo, available_timezones

from hypothesis import strategies as st

from bot.scheduler.rest import Dates, Hours, Rest
from bot.scheduler.schedule import Spec
from digest.document import (
    Actions,
    Button,
    Chart,
    Code,
    CodeBlock,
    Divider,
    Document,
    Emphasis,
    Heading,
    Image,
    Item,
    Link,
    Listing,
    Paragraph,
    Quote,
    Strong,
    Table,
    Text,
)

# Text from repositories and people: escape codes, markup of every platform, right-to-left
# overrides, wide and combined characters, mentions, very long words.
HOSTILE = (
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;https://evil.example\x1b\\click\x1b]8;;\x1b\\",
    "\x9b2J",
    "a\u202eb\u2066c",
    "<b>&amp;</b>",
    "<!channel> <@U123> @everyone",
    "**bold** _it_ `code` [x](https://evil.example)",
    "\r\nline\ttab\x00\x07",
    "👨‍👩‍👧 é e\u0301 中文字符，标点。",
    "x" * 300,
    "长" * 200,
    "\ud800",
)

texts = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(max_size=60),
    st.text(alphabet="ab 中文，。(x)\n", max_size=120),
    st.text(alphabet="abcdefg ", min_size=1, max_size=400),
)
urls = st.sampled_from(
    [
        "https://example.org/a?b=c&d=e",
        "report.md",
        "#anchor",
        "javascript:alert(1)",
        "https://e\x1b.x",
    ]
)
spans = st.lists(
    st.one_of(
        st.builds(Text, texts),
        st.builds(Strong, texts),
        st.builds(Emphasis, texts),
        st.builds(Code, texts),
        st.builds(Link, texts, urls),
    ),
    max_size=5,
).map(tuple)
items = st.recursive(
    st.builds(Item, spans),
    lambda children: st.builds(Item, spans, st.lists(children, max_size=3).map(tuple)),
    max_leaves=5,
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    columns = draw(st.integers(1, 6))
    row = st.lists(spans, min_size=columns, max_size=columns).map(tuple)
    return Table(draw(row), tuple(draw(st.lists(row, max_size=4))))


blocks = st.one_of(
    st.builds(Heading, st.integers(1, 4), spans),
    st.builds(Paragraph, spans, st.booleans()),
    st.builds(Listing, st.lists(items, max_size=4).map(tuple), st.booleans()),
    tables(),
    st.builds(Quote, st.lists(spans, max_size=3).map(tuple)),
    st.builds(CodeBlock, texts),
    st.builds(Divider),
    st.builds(
        Actions,
        st.lists(st.builds(Button, texts, st.just("explain"), texts, urls), max_size=3).map(tuple),
    ),
    st.builds(Image, urls, texts),
    st.lists(st.tuples(texts, st.integers(0, 99)), max_size=4).map(
        lambda bars: Chart("bars", tuple(b[0] for b in bars), tuple(b[1] for b in bars))
    ),
)
documents = st.builds(
    Document,
    title=texts,
    blocks=st.lists(blocks, min_size=1, max_size=8).map(tuple),
    language=st.sampled_from(["en", "zh"]),
)

zones = st.sampled_from(sorted(available_timezones() - {"localtime"})).map(ZoneInfo)
specs = st.builds(
    Spec,
    at=st.builds(time, st.integers(0, 23), st.integers(0, 59)),
    zone=zones,
    weekdays=st.frozensets(st.integers(0, 6), min_size=1),
)
rests = st.builds(
    Rest,
    hours=st.lists(
        st.builds(
            Hours,
            since=st.builds(time, st.integers(0, 23)),
            until=st.builds(time, st.integers(0, 23)),
            weekdays=st.frozensets(st.integers(0, 6), max_size=6),
        ),
        max_size=2,
    ).map(tuple),
    dates=st.lists(
        st.tuples(st.dates(date(1972, 1, 1), date(2037, 1, 1)), st.integers(0, 60)).map(
            lambda found: Dates(first=found[0], last=found[0] + timedelta(days=found[1]))
        ),
        max_size=3,
    ).map(tuple),
)
moments = st.datetimes(
    min_value=datetime(1972, 1, 1),
    max_value=datetime(2037, 12, 1),
    timezones=st.just(UTC),
)
stretches = st.timedeltas(min_value=timedelta(days=1), max_value=timedelta(days=40))
