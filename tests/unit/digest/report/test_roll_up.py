"""The roll-up of a week: golden files in both languages, and counts that add up.

``python -m tests.unit.digest.report.test_roll_up`` writes the golden files anew.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digest.core.enums import Language
from digest.document import Link, Listing, Table, plain
from digest.markdown import markdown
from digest.report.assembly import assemble
from digest.report.condensed import RevertedChange, mark_reverted, revert_note, shown_entries
from digest.report.roll_up import roll_up_document
from digest.window import Window
from tests.support import samples

GOLDEN = Path(__file__).parents[3] / "data" / "golden"

ZONE = ZoneInfo("Asia/Shanghai")

WEEK = Window(
    since=datetime(2026, 1, 16, 1, tzinfo=UTC),
    until=datetime(2026, 1, 23, 1, tzinfo=UTC),
    zone=ZONE,
)


def on(graded, at: datetime):
    return replace(graded, commit=replace(graded.commit, committed_at=at))


def week(language: Language, changes=None):
    """A report of a week, its changes a few hours apart, the last one late."""
    if changes is None:
        spread = enumerate(samples.everything())
        changes = [on(g, WEEK.until - timedelta(hours=1 + 20 * n)) for n, g in spread]
    return assemble(samples.REPOSITORY, "main", WEEK, changes, language)


def pages() -> dict[str, str]:
    return {
        f"weekly.{language}.md": markdown(
            roll_up_document(week(language), language, "https://example.org/report")
        )
        for language in Language
    }


@pytest.mark.parametrize("name", sorted(pages()))
def test_page_is_as_the_golden_file(name):
    assert pages()[name] == (GOLDEN / name).read_text(encoding="utf-8")


def table(document) -> list[list[str]]:
    (found,) = [block for block in document.blocks if isinstance(block, Table)]
    return [[plain(cell) for cell in row] for row in found.rows]


@settings(max_examples=30, deadline=None)
@given(hours=st.lists(st.integers(0, 400), max_size=30))
def test_counts_of_days_and_levels_add_up_to_the_commits(hours):
    sample = samples.flag_change()
    changes = [
        replace(on(sample, WEEK.until - timedelta(hours=1 + back)), commit=replace(
            sample.commit, sha=f"{n:040x}", committed_at=WEEK.until - timedelta(hours=1 + back)
        ))
        for n, back in enumerate(hours)
    ]  # fmt: skip
    report = week(Language.EN, changes)
    document = roll_up_document(report, Language.EN)
    if not changes:
        assert not [block for block in document.blocks if isinstance(block, Table)]
        return
    rows = table(document)
    assert sum(int(row[1]) for row in rows) == len(changes)
    assert all(int(row[1]) == sum(map(int, row[2:])) for row in rows)
    days = [row[0] for row in rows if row[0] != "earlier"]
    assert days == ["01-16", "01-17", "01-18", "01-19", "01-20", "01-21", "01-22", "01-23"]


def test_month_is_named_by_its_edges_and_counted_by_week():
    window = replace(WEEK, since=datetime(2025, 12, 31, 16, tzinfo=UTC), until=WEEK.until)
    changes = [on(samples.flag_change(), datetime(2026, 1, 12, 1, tzinfo=UTC))]
    report = assemble(samples.REPOSITORY, "main", window, changes, Language.EN)
    document = roll_up_document(report, Language.EN)
    assert document.title == "acme/engine: 2026-01-01 – 2026-01-23"
    rows = [(row[0], row[1]) for row in table(document)]
    assert rows == [("12-29", "0"), ("01-05", "0"), ("01-12", "1"), ("01-19", "0")]


def test_top_changes_are_those_that_the_digest_counts_as_posted():
    report = week(Language.EN)
    document = roll_up_document(report, Language.EN)
    links = {
        span.text
        for block in document.blocks
        if isinstance(block, Listing)
        for item in block.items
        for span in item.spans
        if isinstance(span, Link)
    }
    assert {f"#{entry.graded.number}" for entry in shown_entries(report)} <= links


@pytest.mark.parametrize("web", ["", samples.REPOSITORY.web])
@pytest.mark.parametrize("language", Language)
def test_reverted_change_is_marked_on_its_line_and_in_the_first_sentence(web, language):
    repository = replace(samples.REPOSITORY, web=web)
    report = replace(week(language), repository=repository)
    document = roll_up_document(report, language)
    change = shown_entries(report)[0].graded
    by = samples.undoing()
    revert = RevertedChange(change=change, by=by)
    marked = mark_reverted(document, [revert], repository)
    assert marked is not None
    before, after = markdown(document).splitlines(), markdown(marked).splitlines()
    gone = [line for line in before if line not in after]
    lead, old, todo = gone
    lead_now, new = [line for line in after if line not in before]
    assert todo.startswith(("  👉 ", "  - 👉 ")), todo
    assert new.startswith(f"{old} · ↩️ ")
    assert f"#{by.number}" in new
    assert f"#{change.number}" in old
    assert lead_now.startswith(f"{lead} ↩️ ")
    assert f"#{change.number}" in lead_now.removeprefix(lead)
    told = markdown(revert_note(revert, repository, language))
    assert f"#{change.number}" in told
    assert f"#{by.number}" in told


def test_digest_that_lists_no_such_change_is_not_amended():
    listed = {entry.graded.sha for entry in shown_entries(week(Language.EN))}
    change = next(g for g in samples.everything() if g.sha not in listed)
    revert = RevertedChange(change=change, by=samples.undoing())
    document = roll_up_document(week(Language.EN), Language.EN)
    assert mark_reverted(document, [revert], samples.REPOSITORY) is None


if __name__ == "__main__":
    for name, page in pages().items():
        (GOLDEN / name).write_text(page, encoding="utf-8")
