"""What a second call may see: no secret, and no more than the repository's privacy lets out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from digest.analysis.analyse import analyse
from digest.core.change import Change, Side
from digest.core.enums import Language, Privacy
from digest.core.facts import Evidence, Facts
from digest.core.grade import Graded
from digest.core.statement import Analysis, Statement
from digest.document import Code, Text, plain
from digest.llm.day_summary import changes_for_model, read_day
from digest.llm.model_input import Masked, mask_change
from tests.support.fakes import graded

TOKEN = "tok_51f6c2d9"
PLACE = Evidence(path="src/a.py", line=1, side=Side.NEW)


@dataclass(frozen=True)
class Told:
    graded: Graded
    analysis: Analysis


def redactor(change: Change, facts: Facts) -> Masked:
    shown, known = mask_change(change, facts, lambda text: text.replace(TOKEN, "[secret]"))
    return Masked(change=shown, facts=known, secrets=1)


def told(title: str = "Use tok_51f6c2d9 (#1)") -> Told:
    one = graded("abc", f"{title}\n\nAsk ada@example.org.", {"src/a.py": 3})
    said = Statement(
        spans=(Text(f"It asks ada@example.org for {TOKEN} at "), Code("10.1.2.3"), Text(".")),
        evidence=(PLACE,),
    )
    analysis = replace(analyse(one, Language.EN), summary=(said, said), risks=(said,))
    return Told(one, analysis)


def texts(one) -> str:
    analysis = one.analysis
    sections = (analysis.summary, analysis.impact, analysis.insights, analysis.risks)
    return "\n".join([one.graded.title, *(s.text for section in sections for s in section)])


@pytest.mark.parametrize("privacy", [Privacy.FULL, Privacy.REDACTED, Privacy.METADATA])
def test_secrets_are_masked_in_every_mode(privacy: Privacy) -> None:
    (one,) = changes_for_model([told()], privacy, redactor)
    assert TOKEN not in texts(one)
    assert one.graded.title == "Use [secret] (#1)"


def test_redacted_lets_no_address_out_and_full_does() -> None:
    (redacted,) = changes_for_model([told()], Privacy.REDACTED, redactor)
    (full,) = changes_for_model([told()], Privacy.FULL, redactor)
    assert "ada@example.org" in texts(full)
    assert "10.1.2.3" in texts(full)
    assert "ada@" not in texts(redacted)
    assert "10.1.2.3" not in texts(redacted)


def test_metadata_leaves_titles_alone() -> None:
    (one,) = changes_for_model([told()], Privacy.METADATA, redactor)
    assert texts(one) == "Use [secret] (#1)"


def test_lines_stay_with_their_changes_whatever_they_hold() -> None:
    many = [told(f"Title {n}\tof many") for n in range(5)]
    seen = changes_for_model(many, Privacy.FULL, redactor)
    assert [one.graded.title for one in seen] == [f"Title {n} of many" for n in range(5)]
    assert all(len(one.analysis.summary) == 2 for one in seen)
    assert all(one.analysis.summary[0].evidence == (PLACE,) for one in seen)


def test_share_of_a_lead_that_nothing_proves_is_counted_by_its_sentences() -> None:
    changes = [told("Add --pool-size (#1)")]
    shas = [changes[0].graded.sha]
    said = [
        "The option `--pool-size` was added.",
        "The option `--never-there` was added.",
        "It is 40 times faster.",
    ]
    value = {"lead": [{"text": text, "cites": ["C1"]} for text in said], "themes": []}
    day = read_day(value, changes, shas, Language.EN)
    assert [plain(one.spans) for one in day.lead] == ["The option --pool-size was added."]
    assert day.rejected == pytest.approx(2 / 3, abs=0.001)


@pytest.mark.parametrize("title", ["Changes of `--pool-size` here", "Changes of `--pool-size`"])
def test_title_of_a_theme_keeps_its_names_and_has_no_full_stop(title: str) -> None:
    changes = [
        Told(graded=one, analysis=analyse(one, Language.EN))
        for one in (graded("abc", "Add --pool-size (#1)"), graded("bcd", "Fix --pool-size (#2)"))
    ]
    value = {"themes": [{"title": f"{title}.", "changes": ["C1", "C2"]}]}
    shas = [one.graded.sha for one in changes]
    (theme,) = read_day(value, changes, shas, Language.EN).themes
    assert plain(theme.title) == title.replace("`", "")
    assert Code("--pool-size") in theme.title
