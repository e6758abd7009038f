"""Follow-ups are named with the first change, where the author says that they are."""

from __future__ import annotations

import pytest

from digest.core.enums import Language
from digest.core.facts import Action, FactKind, Series
from digest.core.grade import Level
from digest.document import Listing, plain
from digest.markdown import markdown
from digest.report.condensed import digest_document, posted_commits, shown_entries
from digest.report.full_report import report_document
from digest.report.themes import follow_ups
from tests.support import samples
from tests.unit.digest.report.test_full_report import report

CODE = [samples.file("src/pool.py")]


def first(level=Level.HIGH):
    return samples.change(9, "Add a pool of workers", level, files=CODE)


def later(text, level=Level.MEDIUM, **more):
    return samples.change(2, "Size the pool", level, files=CODE, paragraphs=[text], **more)


def pairs(changes):
    return {
        sha: [one.graded.sha for one in rest]
        for sha, rest in follow_ups(report(changes=changes).entries).items()
    }


@pytest.mark.parametrize(
    "text",
    [
        "This is a follow-up to #109.",
        "Follow up on #77 and #109: sizes.",
        "Fixes a race introduced in #109.",
        "Fixes #109.",
        "It builds on #109 by adding sizes.",
    ],
)
def test_reference_by_the_author_makes_a_follow_up(text):
    assert pairs([later(text), first()]) == {first().sha: [later(text).sha]}


@pytest.mark.parametrize(
    "text",
    ["Similar to #109.", "See #109 for the design.", "Follow-up to #1090.", "Fix 109 typos."],
)
def test_mere_mention_makes_none(text):
    assert pairs([later(text), first()]) == {}


def test_what_matters_more_or_asks_for_action_keeps_its_own_line():
    text = "Follow-up to #109."
    assert pairs([later(text, Level.HIGH), first(Level.MEDIUM)]) == {}
    gone = samples.fact(FactKind.FLAG, Action.REMOVED, "--pool", samples.at("src/pool.py", 3))
    assert pairs([later(text, items=[gone]), first()]) == {}


def test_parts_of_a_series_belong_together_and_those_of_another_do_not():
    def part(n, title):
        told = {"number": 100 + n, "series": Series(part=9 - n)}
        return samples.change(n, title, Level.HIGH, files=CODE, subject=told)

    one, two = part(8, "Unify requests of pools | Chat"), part(7, "Unify requests of pools | Text")
    other = part(6, "Split the attention of pools")
    assert pairs([other, two, one]) == {one.sha: [two.sha]}


def test_chain_of_follow_ups_is_told_with_its_first_change():
    last = samples.change(1, "Trim", Level.LOW, files=CODE, paragraphs=["Follow-up to #102."])
    middle = later("Follow-up to #109.")
    assert pairs([last, middle, first()]) == {first().sha: [middle.sha, last.sha]}


@pytest.mark.parametrize("language", Language)
def test_digest_names_follow_ups_and_counts_them_as_shown(language):
    changes = [later("Follow-up to #109.", Level.HIGH), first()]
    found = report(language, changes)
    assert [entry.graded.sha for entry in shown_entries(found)] == [first().sha]
    assert posted_commits(found) == {change.sha for change in changes}
    document = digest_document(found, language)
    (line,) = next(b for b in document.blocks if isinstance(b, Listing)).items
    assert "#102" in plain(line.spans)
    assert "2 / 2" in markdown(document) or "2 of 2" in markdown(document)


def test_full_report_tells_both_of_each_other():
    text = markdown(
        report_document(report(changes=[later("Follow-up to #109."), first()]), Language.EN)
    )
    assert "1 follow-up: [#102]" in text
    assert "Follow-up to [#109]" in text
