"""The lead's sentences and the themes in reports: linked by code, told in both languages."""

from __future__ import annotations

from dataclasses import replace

import pytest

from digest.core.enums import Language
from digest.core.statement import Origin
from digest.document import Code, Link, Listing, Text, plain
from digest.markdown import markdown
from digest.report.assembly import assemble
from digest.report.condensed import digest_document, opening, theme_list
from digest.report.full_report import report_document
from digest.report.report_json import report_to_json
from digest.report.themes import DaySummary, Sentence, Theme
from tests.support import samples

SHAS = tuple(change.sha for change in samples.everything())


def sentence(text: str, *shas: str) -> Sentence:
    return Sentence(spans=(Text(text),), shas=shas)


def report(day: DaySummary | None, language: Language = Language.EN):
    made = assemble(samples.REPOSITORY, "main", samples.DAY, samples.everything(), language)
    return replace(made, day=day)


DAY = DaySummary(
    lead=(sentence("The flag is gone.", SHAS[0]), sentence("Look at the rest.", *SHAS)),
    themes=(
        Theme(
            title=(Text("Flags"),),
            shas=SHAS[:2],
            sentence=sentence("They are read in another way.", *SHAS[:2]),
            source=Origin.MODEL,
        ),
        Theme(title=(Code("src/"),), shas=(*SHAS, "f" * 40)),
    ),
    source=Origin.MODEL,
)


def test_without_a_day_the_lead_of_code_opens_alone() -> None:
    assert opening(report(None)) == (report(None).lead,)
    assert theme_list(report(None)) is None
    told = report_to_json(report(None))
    assert told["themes"] == []
    assert told["lead"] == plain(report(None).lead)


def test_sentences_link_the_changes_that_they_rest_on() -> None:
    first, second = opening(report(DAY))
    links = [span for span in first if isinstance(span, Link)]
    assert links
    assert all(link.url.startswith(samples.REPOSITORY.web) for link in links)
    assert plain(first).startswith("The flag is gone. (")
    assert f"{len(SHAS) - 3} more" in plain(first)
    assert second == report(DAY).lead


def test_themes_name_their_changes_and_count_the_rest() -> None:
    listing = theme_list(report(DAY))
    assert isinstance(listing, Listing)
    flags, folder = (plain(item.spans) for item in listing.items)
    assert flags.startswith("Flags: They are read in another way. (")
    assert folder.startswith("src/ (")
    assert "ffff" not in folder  # a change that is not listed is not named


def test_without_pages_changes_are_named_and_not_linked() -> None:
    bare = replace(report(DAY), repository=replace(samples.REPOSITORY, web=""))
    assert not any(isinstance(span, Link) for spans in opening(bare) for span in spans)


@pytest.mark.parametrize("language", list(Language))
def test_both_documents_have_lead_and_themes(language: Language) -> None:
    made = report(DAY, language)
    title = {Language.EN: "Themes", Language.ZH: "主题"}[language]
    for document in (digest_document(made, language), report_document(made, language)):
        text = markdown(document)
        assert "The flag is gone." in text
        assert title in text
        assert "They are read in another way." in text


def test_contents_lead_to_the_themes() -> None:
    assert "](#themes)" in markdown(report_document(report(DAY), Language.EN))


def test_json_has_the_lead_and_the_themes_with_their_commits() -> None:
    told = report_to_json(report(DAY))
    assert told["lead"] == "The flag is gone. Look at the rest."
    assert told["themes"][0] == {
        "title": "Flags",
        "text": "They are read in another way.",
        "commits": list(SHAS[:2]),
        "source": "model",
    }
    assert told["themes"][1]["source"] == "facts"


def test_changes_that_no_model_read_are_marked_quietly() -> None:
    missed = assemble(
        samples.REPOSITORY,
        "main",
        samples.DAY,
        samples.everything(),
        Language.EN,
        missed={SHAS[0]},
    )
    assert markdown(report_document(missed, Language.EN)).count("no model has read") == 1
    entry = next(e for e in missed.entries if e.missed)
    assert entry.graded.sha == SHAS[0]
    assert [c["analysis"]["missed"] for c in report_to_json(missed)["commits"]].count(True) == 1
