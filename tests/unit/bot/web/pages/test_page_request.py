from datetime import date

import pytest
from starlette.requests import Request

from bot.web.pages.page_request import day_named, language_of, week_named
from bot.web.pages.site import NotThere
from digest.core.enums import Language


def request(query="", **headers):
    raw = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "query_string": query.encode(), "headers": raw})


@pytest.mark.parametrize(
    ("asked", "language"),
    [
        (request(), Language.EN),
        (request("lang=zh"), Language.ZH),
        (request("lang=xx", accept_language="zh-CN,zh;q=0.9,en;q=0.8"), Language.ZH),
        (request(accept_language="de, en;q=0.5, zh;q=0.7"), Language.ZH),
        (request(accept_language="zh;q=0, en;q=0.1"), Language.EN),
        (request(accept_language="zh;q=x, *;q=0.5"), Language.EN),
        (request("lang=en", accept_language="zh"), Language.EN),
        (request(cookie="digestbot_language=zh", accept_language="en"), Language.ZH),
        (request(cookie="digestbot_language=<x>", accept_language="zh"), Language.ZH),
    ],
)
def test_language_of_a_reader(asked, language):
    assert language_of(asked, Language.EN) is language


def test_week_begins_on_monday():
    assert week_named("2026-W53") == date(2026, 12, 28)


@pytest.mark.parametrize(
    "text", ["2027-W53", "2026-W00", "2026-04", "9999-W52", "x", "２０２６-W01"]
)
def test_week_that_is_none(text):
    with pytest.raises(NotThere):
        week_named(text)


@pytest.mark.parametrize("text", ["2026-02-29", "today", "2026-01-01T00:00", ""])
def test_day_that_is_none(text):
    with pytest.raises(NotThere):
        day_named(text)
