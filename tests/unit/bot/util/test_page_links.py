from datetime import date

import pytest

from bot.util.page_links import page_of_digest, path_of, week_name


@pytest.mark.parametrize(
    ("asked", "path"),
    [
        ({}, ""),
        ({"day": date(2026, 1, 23)}, "/-/days/2026-01-23"),
        ({"week": date(2026, 1, 23)}, "/-/weeks/2026-W04"),
        ({"change": "#32905"}, "/-/changes/32905"),
        ({"change": "9ef3b718d9"}, "/-/changes/9ef3b718d9"),
        ({"topic": "c++/moe?"}, "/-/topics/c%2B%2B%2Fmoe%3F"),
    ],
)
def test_path_of_each_kind(asked, path):
    assert path_of("owner/name", **asked) == f"/r/owner/name{path}"


def test_page_of_a_digest_has_its_language():
    page = page_of_digest("https://digest.example/", "9ef3b718", "zh")
    assert page == "https://digest.example/digests/9ef3b718?lang=zh"


def test_page_of_a_digest_without_a_public_address():
    assert page_of_digest("", "9ef3b718", "zh") == ""


def test_path_of_a_name_that_is_no_address():
    assert path_of("a b/<c>?#") == "/r/a%20b/%3Cc%3E%3F%23"


def test_week_name_at_the_turn_of_a_year():
    assert week_name(date(2027, 1, 1)) == "2026-W53"


@pytest.mark.parametrize("compare", [("v1", ""), ("", "v2")])
def test_one_point_of_history_is_no_comparison(compare):
    assert path_of("owner/name", compare=compare) == "/r/owner/name"


def test_two_points_of_history_are_one_address():
    path = path_of("owner/name", compare=("release/1.0", "v1.1"))
    assert path == "/r/owner/name/-/compare/release/1.0...v1.1"
