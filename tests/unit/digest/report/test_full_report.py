"""Reports and digests: golden files in both languages, and what every page keeps to.

``python -m tests.unit.digest.report.test_full_report`` writes the golden files anew.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from digest.analysis.context import SUBJECT_LINE
from digest.analysis.quotes import restates
from digest.core.enums import Language
from digest.core.facts import FactKind
from digest.core.grade import Level
from digest.core.statement import Analysis, Statement
from digest.document import (
    Code,
    Heading,
    Item,
    Link,
    Listing,
    Paragraph,
    Quote,
    Table,
    Text,
    plain,
)
from digest.i18n import statement_text as words
from digest.markdown import markdown
from digest.report.assembly import assemble, tally
from digest.report.blocks import change_blocks
from digest.report.condensed import digest_document, shown_entries, why
from digest.report.full_report import report_document
from digest.report.report_json import report_to_json
from digest.window import Window
from tests.support import samples

GOLDEN = Path(__file__).parents[3] / "data" / "golden"
COVERAGE = tally(
    [("posted", "")] * 2
    + [("archived", "")] * 5
    + [("filtered", "author renovate"), ("failed", "x")],
    9,
)


def report(language: Language = Language.EN, changes=None, **more):
    changes = samples.everything() if changes is None else changes
    coverage = more.pop("coverage", COVERAGE)
    more.setdefault("late", {samples.documents().sha})
    made = assemble(samples.REPOSITORY, "main", samples.DAY, changes, language, **more)
    return replace(made, coverage=coverage)


def pages() -> dict[str, str]:
    """Every golden file by its name."""
    out = {}
    for language in Language:
        r = report(language)
        out[f"report.{language}.md"] = markdown(report_document(r, language))
        digest = digest_document(r, language, "https://example.org/report")
        out[f"digest.{language}.md"] = markdown(digest)
        out[f"report.{language}.json"] = (
            json.dumps(report_to_json(r), ensure_ascii=False, indent=1) + "\n"
        )
    return out


@pytest.mark.parametrize("name", sorted(pages()))
def test_page_is_as_the_golden_file(name):
    assert pages()[name] == (GOLDEN / name).read_text(encoding="utf-8")


def test_a_branch_without_a_name_is_left_out():
    told = replace(report(), branch="")
    for document in (report_document(told, Language.EN), digest_document(told, Language.EN, "")):
        text = markdown(document)
        assert "Europe/Berlin" in text
        assert "branch" not in text.partition("Europe/Berlin")[2].partition("\n")[0]


def links(block):
    def of(items):
        for item in items:
            yield from (s for s in item.spans if isinstance(s, Link))
            yield from of(item.children)

    return list(of(block.items)) if isinstance(block, Listing) else []


@pytest.mark.parametrize("language", Language)
def test_contents_resolve_to_one_anchor_each(language):
    blocks = report_document(report(language), language).blocks
    anchors = [b.anchor for b in blocks if isinstance(b, Heading) and b.anchor]
    inner = [s.url for b in blocks for s in links(b) if s.url.startswith("#")]
    assert len(anchors) == len(set(anchors))
    assert len(inner) == 1 + 1 + 3 + 9
    assert {url[1:] for url in inner} <= set(anchors)


@pytest.mark.parametrize("language", Language)
def test_headings_go_down_one_level_at_a_time(language):
    levels = [
        b.level
        for b in report_document(report(language), language).blocks
        if isinstance(b, Heading)
    ]
    assert levels[0] == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_table_has_every_commit_newest_first_in_the_zone():
    table = next(b for b in report_document(report(), Language.EN).blocks if isinstance(b, Table))
    assert [plain(row[2])[:20] for row in table.rows[:3]] == [
        "[Frontend][2/3] Add ",
        "refactor(kernels)!: ",
        "Bump torch to 2.10 (",
    ]
    assert plain(table.rows[0][0]) == "2026-03-10 20:23 CET"
    assert len(table.rows) == 9


def test_report_counts_add_up():
    counts = report().counts
    assert (counts.high, counts.medium, counts.low) == (2, 5, 2)
    assert counts.total == counts.high + counts.medium + counts.low
    assert COVERAGE.accounted == COVERAGE.total


def test_tally_of_an_unknown_state_is_refused():
    with pytest.raises(ValueError, match="lost"):
        tally([("lost", "")], 1)


def test_digest_without_commits_is_one_line_with_its_window():
    empty = report(changes=[], coverage=None, late=())
    blocks = digest_document(empty, Language.EN, "report.md").blocks
    assert [plain(b.spans) for b in blocks[1:]] == [
        "No commits in this window.",
        "2026-03-10, the whole day (Europe/Berlin) · branch main",
    ]


def test_report_without_commits_has_no_table_and_no_contents():
    blocks = report_document(report(changes=[], late=()), Language.EN).blocks
    assert not any(isinstance(b, Table | Listing) for b in blocks)
    assert any(isinstance(b, Quote) for b in blocks)


def test_digest_without_high_changes_shows_the_top_medium_ones():
    r = report(changes=[c for c in samples.everything() if c.grade.level is not Level.HIGH])
    assert [e.level for e in shown_entries(r)] == [Level.MEDIUM] * 3
    text = markdown(digest_document(r, Language.EN))
    assert "nothing found to act on" in text
    assert "3 of 7 shown" in text


def test_digest_of_low_changes_alone_lists_nothing():
    r = report(changes=[samples.documents()])
    assert shown_entries(r) == ()
    assert "0 of 1 shown" in markdown(digest_document(r, Language.EN))


@pytest.mark.parametrize(("least", "count"), [(Level.HIGH, 3), (Level.MEDIUM, 7), (Level.LOW, 9)])
def test_shown_follows_the_least_level(least, count):
    entries = shown_entries(report(), least)
    assert len(entries) == count
    assert [e.level.rank for e in entries] == sorted(e.level.rank for e in entries)


def test_digest_with_few_high_changes_goes_on_with_medium_ones_up_to_three():
    one = [samples.change(1, "Drop it", Level.HIGH)]
    medium = [samples.change(n, f"Read pool {n}", Level.MEDIUM) for n in range(2, 7)]
    low = [samples.change(9, "Say it", Level.LOW)]
    assert [e.level for e in shown_entries(report(changes=[*medium, *one, *low]))] == [
        *(Level.HIGH, Level.MEDIUM, Level.MEDIUM)
    ]
    assert [e.level for e in shown_entries(report(changes=[*low, *one]))] == [Level.HIGH]


def test_late_change_is_marked_in_both_pages():
    r = report(late={samples.flag_change().sha})
    assert "Arrived late: committed 2026-03-10 20:23 CET" in markdown(
        report_document(r, Language.EN)
    )
    assert "**late**" in markdown(digest_document(r, Language.EN))
    assert "1 commit arrived late" in plain(r.lead)


def test_full_report_at_a_path_is_shown_as_code():
    text = markdown(digest_document(report(), Language.EN, "/data/report's.md"))
    assert text.endswith("Full report: `/data/report's.md`\n")


def test_repository_without_pages_links_nothing_outside():
    r = assemble(samples.PLAIN, "main", samples.DAY, samples.everything(), Language.EN)
    for document in (report_document(r, Language.EN), digest_document(r, Language.EN)):
        assert not re.search(r"(?<!\\)\]\((?!#)", markdown(document))


def test_title_of_a_window_that_is_no_day_names_its_edges():
    zone = ZoneInfo("Asia/Shanghai")
    window = Window(
        since=datetime(2026, 3, 1, 1, 30, tzinfo=UTC),
        until=datetime(2026, 3, 3, 16, tzinfo=UTC),
        zone=zone,
    )
    r = assemble(samples.REPOSITORY, "main", window, [], Language.ZH)
    heading = report_document(r, Language.ZH).blocks[0]
    assert plain(heading.spans) == "更新报告（2026-03-01 09:30 +08:00 – 2026-03-04 00:00 +08:00）"


def test_change_blocks_leave_out_empty_sections():
    graded = samples.documents()
    entry = report(changes=[graded]).entries[0]
    blocks = change_blocks(graded, entry.analysis, samples.REPOSITORY, samples.BERLIN, Language.EN)
    assert [type(b) for b in blocks] == [Heading, Paragraph, Paragraph, Paragraph]


def test_why_is_one_line_of_whole_statements():
    for entry in report().entries:
        line = plain(why(entry.graded, entry.analysis, Language.EN))
        assert line or all(restates(s, entry.graded) for s in entry.analysis.summary)
        assert len(line) < 330
        assert "\n" not in line


OLD, NEW, LISTED = Code("--old"), Code("--new"), (Code("--old"), Text(" and "), Code("--new"))


@pytest.mark.parametrize(
    ("todo", "said", "left"),
    [
        (words.REPLACE, "--old is now --new.", ""),
        (words.REPLACE, "--old is deprecated; use --new.", ""),
        (
            words.REPLACE,
            "--old is deprecated; use --new; removal is planned for v2.",
            "Removal is planned for v2.",
        ),
        (words.REPLACE, "--old is deprecated; use --newer.", "--old is deprecated; use --newer."),
        (words.LEAVE_DEPRECATED, "--old and --new are deprecated.", ""),
        (words.REMOVED_RISKS[FactKind.FLAG], "--old and --new were removed.", ""),
        (words.CHECK_USE, "--old and --new were removed.", "--old and --new were removed."),
    ],
)
def test_why_does_not_say_again_what_to_do(todo, said, left):
    graded = samples.documents()
    statement = Statement(spans=(Text(said),), evidence=(SUBJECT_LINE,))
    analysis = Analysis(language=Language.EN, summary=(statement,))
    advice = todo(Language.EN, names=LISTED, before=OLD, after=NEW)
    assert plain(why(graded, analysis, Language.EN, todo=advice)) == left


def test_old_side_evidence_links_to_the_parent():
    text = markdown(report_document(report(), Language.EN))
    parent = samples.flag_change().commit.parents[0]
    assert f"[cli.py:38](https://github.com/acme/engine/blob/{parent}/engine/cli.py#L38)" in text


def test_json_has_the_promised_keys_newest_first():
    data = report_to_json(report())
    assert list(data) == [
        "schema",
        "repo",
        "branch",
        "window",
        "counts",
        "coverage",
        "lead",
        "themes",
        "commits",
    ]
    assert data["window"] == {
        "since": "2026-03-10T00:00:00+01:00",
        "until": "2026-03-11T00:00:00+01:00",
        "tz": "Europe/Berlin",
    }
    wanted = {
        "sha", "pr", "committed_at", "author", "subject", "level", "score", "reasons", "change_types",
        "summary", "impact", "insights", "risks", "suggestions", "files", "facts", "analysis",
    }  # fmt: skip
    assert all(wanted <= set(c) for c in data["commits"])
    assert [c["sha"] for c in data["commits"]] == [c.sha for c in samples.everything()]
    assert json.loads(json.dumps(data)) == data


def test_item_children_hold_the_why():
    listing = next(
        b for b in digest_document(report(), Language.EN).blocks if isinstance(b, Listing)
    )
    assert all(isinstance(item, Item) and len(item.children) <= 1 for item in listing.items)
    assert any(item.children for item in listing.items)


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (GOLDEN / name).write_text(text, encoding="utf-8")
