"""What follows a digest in its thread."""

from __future__ import annotations

from dataclasses import replace

import pytest

from digest.analysis.analyse import analyse
from digest.core.enums import Language
from digest.core.grade import Level
from digest.document import Heading, Listing, Paragraph, plain
from digest.i18n.labels import TO_DO
from digest.report.blocks import advice
from digest.report.condensed import MOST, details_document
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
