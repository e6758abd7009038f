"""What follows a digest in its thread."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from digest.analysis.analyse import analyse
from digest.analysis.headline import bare_title
from digest.core.enums import Language
from digest.core.grade import Level
from digest.core.statement import Statement
from digest.document import Heading, Listing, Paragraph, Text, plain
from digest.grading.outcomes import of_window
from digest.i18n.statement_text import TO_DO
from digest.markdown import markdown
from digest.report.blocks import advice, run
from digest.report.condensed import MOST, details_document, digest_document
from tests.support import samples
from tests.unit.digest.report.test_full_report import report


@pytest.mark.parametrize("language", Language)
def test_each_high_change_is_told_with_its_reasons_and_what_to_do(language):
    document = details_document(report(language), language)
    assert document is not None
    headings = [block for block in document.blocks if isinstance(block, Heading)]
    assert 0 < len(headings) <= MOST
    assert len(headings) == report(language).counts.high
    said = " ".join(plain(b.spans) for b in document.blocks if isinstance(b, Paragraph))
    assert TO_DO.template(language) in said
    assert any(isinstance(block, Listing) for block in document.blocks)


def test_advice_of_facts_is_told_once():
    (only,) = advice(analyse(samples.flag_change(), Language.EN))
    texts = [one.text for one in only[2]]
    assert "To keep the old default, set --workers to 1." in texts
    assert not any("instead of" in text for text in texts)


def test_digest_without_high_changes_has_no_details():
    found = report()
    calm = [entry for entry in found.entries if entry.graded.grade.level is not Level.HIGH]
    assert details_document(replace(found, entries=tuple(calm)), Language.EN) is None


@pytest.mark.parametrize("language", Language)
def test_change_that_is_reverted_in_the_same_digest_says_so(language):
    undone, by = samples.faster(), samples.undoing()
    later = undone.commit.committed_at + timedelta(minutes=5)
    by = replace(by, commit=replace(by.commit, committed_at=later))
    changes = of_window([undone, by, samples.documents()])
    told = markdown(digest_document(report(language, changes), language, least=Level.LOW))
    (line,) = [line for line in told.splitlines() if "#104" in line and "↩️" in line]
    assert line.index("#104") < line.index("↩️") < line.index("#105")
    assert told.count("↩️") == 1


def test_chinese_text_has_a_space_between_a_quote_and_a_name_after_it():
    quote = Statement(spans=(Text("作者写道：“It was slow.”"),), evidence=())
    for text, between in (("pool is now 2.", " "), ("移除了它。", "")):
        told = plain(run([quote, Statement(spans=(Text(text),), evidence=())], Language.ZH))
        assert told == f"{quote.text}{between}{text}"


def test_title_that_orders_something_does_not_follow_what_to_do():
    found = report()
    at = next(n for n, one in enumerate(found.entries) if one.acts and one.level is Level.HIGH)
    entry = found.entries[at]
    order = Statement(
        spans=(Text(f"{bare_title(entry.graded.facts.subject)} for good."),), evidence=()
    )
    other = Statement(spans=(Text("It was slow."),), evidence=())
    analysis = replace(entry.analysis, summary=(entry.analysis.summary[0], order, other))
    entries = (*found.entries[:at], replace(entry, analysis=analysis), *found.entries[at + 1 :])
    told = markdown(digest_document(replace(found, entries=entries), Language.EN))
    (line,) = [line for line in told.splitlines() if "It was slow." in line]
    assert "👉" in line
    assert "for good" not in line
