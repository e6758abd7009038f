"""An article as markup, held against what it was: tests/data/golden/pages/."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.web.pages import templating
from bot.web.pages.entries import Article, Section
from digest.core.enums import Language
from digest.core.grade import Level, Repository
from digest.document import Code, Link, Text

GOLDEN = Path(__file__).parents[4] / "data" / "golden" / "pages"

ARTICLE = Article(
    anchor="c-0123456789ab",
    url="/r/owner/name/-/changes/0123456789ab",
    title=(Text("Raise the "), Code("<limit>")),
    level=Level.HIGH,
    score=0.7321,
    sha="0123456789abcdef0123456789abcdef01234567",
    commit_url="https://github.com/owner/name/commit/0123456789ab",
    number=7,
    request_url="javascript:alert(1)",
    author="Ada <b>",
    at="2026-03-02 09:00:00",
    instant=datetime(2026, 3, 2, 9, tzinfo=UTC),
    types=("feature",),
    reasons=('a flag removed: "--x"',),
    remarks=("Arrived late.",),
    by_model=True,
    summary=(Text("Adds "), Code("--limit"), Text(".")),
    sections=(
        Section(key="impact", title="Impact", groups=(("", ((Text("Code"),),)),)),
        Section(
            key="risks",
            title="Risks",
            groups=(("Security", ((Text("See "), Link("a.py:3", "https://e.example/a#L3")),)),),
        ),
    ),
)


@pytest.mark.parametrize("language", list(Language))
def test_what_is_told_of_a_change(language):
    parts = templating._environment().get_template("parts.html").module
    words = templating._Words(language)
    markup = str(parts.told(ARTICLE, Repository(name="owner/name"), words, 3))
    golden = GOLDEN / f"told.{language}.html"
    assert markup == golden.read_text(encoding="utf-8")
