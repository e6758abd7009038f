"""The rows of a page: as many as it may weigh, none lost."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from bot.store.browsing import ChangeLine
from bot.web.pages import rows
from bot.web.pages.entries import differing, line_of
from bot.web.pages.rows import LARGEST, Row, WrittenRows, _pages, by_importance, made_rows, size_of
from bot.web.pages.site import SiteRepository
from bot.web.pages.templating import fragment
from digest.answer.buttons import Mark
from digest.core.enums import Language
from digest.core.grade import Level, Repository
from digest.document import Code, Text, plain
from tests.support.fakes import graded

TITLES = ["Add a pool", "<b>\"'&" * 20, "修复 KV 缓存" * 8, "x" * 300]

AUTHORS = ["Ada Lovelace", "\"' onmouseover=alert(1)", "范裕达", ""]


def made(n: int, title: str, author: str, marks: tuple[Mark, ...] = ()) -> Row:
    line = ChangeLine(
        sha=f"{n:040x}",
        at=datetime(2026, 8, 13, tzinfo=UTC),
        level=Level.LOW,
        score=0.1,
        title=title,
        author=author,
        number=50_000 + n,
    )
    why = (Text("New flag "), Code("--fast"), Text(": go faster."))
    return Row(
        line=line,
        label=(Text("[Core]"),) if n % 2 else (),
        title=(Text(title),),
        why=why,
        marks=marks,
        added=12_345,
        deleted=678,
    )


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("author", AUTHORS)
@pytest.mark.parametrize("marks", [(), tuple(Mark)])
@pytest.mark.parametrize("names", [(), ("--fast", "a_name.of_several/parts_that.is_long")])
def test_size_of_a_row_is_about_that_of_its_markup(title, author, marks, names):
    row = replace(made(1, title, author, marks), acts=bool(names), todo=tuple(map(Code, names)))
    written = len(fragment("parts.html", "row", Language.EN, row, "../").encode())
    assert 0.85 * size_of(row) <= written <= size_of(row)
    after = replace(row, after=made(2, title, author).line)
    more = len(fragment("parts.html", "row", Language.EN, after, "../").encode()) - written
    assert 0.5 * more <= size_of(after) - size_of(row) <= 2 * more


def test_every_row_is_on_one_page_and_no_page_is_too_large():
    rows = [made(n, TITLES[n % 4], AUTHORS[n % 3]) for n in range(1000)]
    pages = list(_pages(rows, LARGEST))
    assert len(pages) > 2
    assert [row for page, _ in pages for row in page] == rows
    assert [size for page, size in pages] == [sum(map(size_of, page)) for page, _ in pages]
    assert max(size for _, size in pages) <= LARGEST
    assert list(_pages([], LARGEST)) == [([], 0)]


@pytest.mark.parametrize("language", list(Language))
def test_follow_up_stands_behind_its_first_change_and_names_it(language):
    texts = ["Add a pool (#11)", "Add a queue (#12)", "Grow the pool (#13)\n\nFollow-up to #11."]
    at = datetime(2026, 8, 13, tzinfo=UTC)
    changes = [graded(f"{n}" * 40, text, {"a.py": 9}, at) for n, text in enumerate(texts, 1)]
    changes = [
        replace(one, commit=replace(one.commit, committed_at=at + timedelta(minutes=n)))
        for n, one in enumerate(changes)
    ]
    lines = [
        replace(line_of(one), level=Level.MEDIUM, score=n / 9) for n, one in enumerate(changes)
    ]
    rows = by_importance(made_rows(changes[::-1], lines, {}, language))
    assert [row.line.number for row in rows] == [12, 11, 13]
    assert rows[2].after == lines[0]
    assert [row.after for row in rows[:2]] == [None, None]
    written = fragment("parts.html", "row", language, rows[2], "../")
    assert {Language.EN: "follow-up to #11", Language.ZH: "#11 的后续"}[language] in written
    lower = replace(lines[2], level=Level.LOW)
    apart = by_importance(made_rows(changes, [*lines[:2], lower], {}, language))
    assert [row.line.number for row in apart] == [12, 11, 13]
    assert [row.level for row in apart] == [Level.MEDIUM, Level.MEDIUM, Level.LOW]


def test_what_else_a_page_holds_leaves_less_room_for_open_rows():
    rows = [made(n, "Add a pool", "Ada") for n in range(50)]
    for taken in (0, 40_000, 90_000):
        found = WrittenRows(SimpleNamespace(page=1, level=None))  # type: ignore[arg-type]
        found.show(rows, taken, "/r/owner/name/-/")
        size = sum(size_of(row) + 2 * len("/r/owner/name/-/") - 6 for row in found.rows)
        assert size + found.left <= max(LARGEST - taken, LARGEST // 4)


@pytest.mark.parametrize(
    ("high", "acts", "close"),
    [
        (9, 2, ("", "", "")),
        (16, 0, ("tight", "dense", "")),
        (11, 6, ("tight", "dense", "")),
        (9, 11, ("dense", "dense", "")),
    ],
)
def test_many_changes_of_high_importance_stand_close(high, acts, close):
    page = SimpleNamespace(page=1, level=None)
    found = WrittenRows(page, daily=True)  # type: ignore[arg-type]
    week = WrittenRows(page)  # type: ignore[arg-type]
    rows = [made(n, "Add a pool", "Ada") for n in range(high + acts)]
    rows = [replace(row, line=replace(row.line, level=Level.HIGH)) for row in rows]
    rows[high:] = [replace(row, acts=True, todo=(Text("Replace it."),)) for row in rows[high:]]
    for one in (found, week):
        one.show(by_importance(rows))
    assert [week.dense(level) for level in (None, Level.HIGH)] == ["", ""]
    assert tuple(found.dense(level) for level in (None, Level.HIGH, Level.MEDIUM)) == close
    assert [count for count, _ in found.acts()] == [acts] * bool(acts)
    assert [(level, count) for level, count, _ in found.levels()] == [(Level.HIGH, high)]


def test_open_row_of_a_security_fix_says_what_the_closed_one_says():
    shown = SiteRepository(repository=Repository(name="owner/open"))
    change = graded("7" * 40, "fix(security): Reject paths outside the folder (#7)")
    todo = (Text("Upgrade to v2.0."),)
    page = SimpleNamespace(page=1, level=None, language=Language.EN, shown=lambda: shown)
    for fixes in (True, False):
        row = replace(made(1, "Reject", "Ada"), acts=True, todo=todo, fixes=fixes)
        found = WrittenRows(page)  # type: ignore[arg-type]
        found.show([replace(row, line=replace(row.line, sha=change.sha))])
        found.changes = [change]
        ((_, rows_to_act_on),) = found.acts()
        ((_, view),) = rows_to_act_on
        assert view
        assert (view.fixes, view.todo == todo) == (fixes, fixes)


def test_what_to_act_on_stands_before_all_else_and_apart_from_its_follow_ups():
    rows = [made(n, "Add a pool", "Ada") for n in range(4)]
    levels = (Level.HIGH, Level.HIGH, Level.MEDIUM, Level.HIGH)
    rows = [
        replace(row, line=replace(row.line, level=level, score=1 - n / 9))
        for n, (row, level) in enumerate(zip(rows, levels, strict=True))
    ]
    rows[2:] = [replace(rows[2], acts=True), replace(rows[3], acts=True)]
    rows[0] = replace(rows[0], after=rows[3].line)
    assert [row.line.number for row in by_importance(rows)] == [50_003, 50_002, 50_000, 50_001]


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        ("8192", "16384", ("8192", "16384")),
        ("a " * 30 + "old)", "a " * 30 + "new)", ("… old)", "… new)")),
        ("a " * 30 + "b", "", ("a " * 30 + "b", "")),
    ],
)
def test_long_values_are_shown_from_where_they_differ(before, after, shown):
    assert differing(before, after) == shown


def test_a_row_without_marks_costs_none(monkeypatch: pytest.MonkeyPatch):
    change = graded("7" * 40, "fix(security): Reject paths outside the folder (#7)", {"a.py": 9})
    (whole,) = made_rows([change], [line_of(change)], {}, Language.EN)
    assert whole.marks
    monkeypatch.setattr(rows, "marks_of", None)
    (bare,) = made_rows([change], [line_of(change)], {}, Language.EN, marked=False)
    assert replace(bare, marks=whole.marks, acts=whole.acts, todo=whole.todo) == whole


@pytest.mark.parametrize(
    ("title", "label", "rest"),
    [
        ("[Core][3/N] Add a pool (#7)", "[Core][3/N]", "Add a pool"),
        ("fix(pool)!: keep the last worker (#7)", "fix(pool)!:", "keep the last worker"),
        ("Add a pool (#7)", "", "Add a pool"),
        ("[WIP] (#7)", "", "[WIP]"),
        ("[Core] Add a pool (#7) (#7)", "[Core]", "Add a pool"),
        ("[Core] Add a pool (#6) (#7)", "[Core]", "Add a pool (#6)"),
        ("[Core] Add a pool (1/2) (#7)", "[Core]", "Add a pool (1/2)"),
        ("`[Core] Add a pool` (#7)", "[Core]", "Add a pool"),
    ],
)
def test_tags_of_a_title_stand_before_it_as_its_label(title, label, rest):
    change = graded("7" * 40, title, {"a.py": 9})
    (row,) = made_rows([change], [line_of(change)], {}, Language.EN)
    assert (plain(row.label), plain(row.title)) == (label, rest)
