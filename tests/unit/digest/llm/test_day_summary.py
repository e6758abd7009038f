"""What a second call may see: no secret, and no more than the repository's privacy lets out."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from digest.analysis.analyse import analyse
from digest.core.change import Change, Side
from digest.core.enums import Language, Privacy
from digest.core.facts import Evidence, Facts
from digest.core.grade import Graded, Level
from digest.core.statement import Analysis, Origin, Statement
from digest.document import Code, Text, plain
from digest.llm.day_summary import changes_for_model, day_prompt, day_reader, read_day
from digest.llm.model_input import Masked, mask_change
from digest.llm.packing import NoRoom
from digest.llm.prompt import PromptKind, room_for_material
from digest.report.themes import MOST
from tests.support import samples
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


def statement(text: str) -> Statement:
    return Statement(spans=(Text(text),), evidence=(PLACE,))


def change(n: int, title: str, level: Level = Level.HIGH, score: float = 0.5, **more) -> Told:
    one = samples.change(n, title, level, files=[samples.file("src/a.py")], **more)
    one = replace(one, grade=replace(one.grade, score=score))
    said = [statement(f"Row {m} of many things") for m in range(5)]
    summary = (statement(f"{title}."), *said)
    risks = tuple(statement(f"Danger {m} of {title}") for m in range(4))
    analysis = Analysis(language=Language.EN, summary=summary, risks=risks)
    return Told(one, analysis)


def shown(prompt) -> list[str]:
    """The rows of the changes in a prompt."""
    return [row for row in prompt.user.splitlines() if row.startswith(("#", ">", "*"))]


def count(text: str) -> int:
    return len(text) // 4 + 1


def test_prompt_of_a_day_tells_more_of_important_changes_and_nothing_twice() -> None:
    changes = [
        change(1, "Tidy pools", Level.LOW, 0.9),
        change(2, "Count cards", Level.MEDIUM),
        change(3, "Drop pools", Level.HIGH, 0.6),
        change(4, "Drop cards", Level.HIGH, 0.8),
    ]
    prompt = day_prompt(changes, Language.EN, count, 100_000)
    assert prompt.shas == tuple(changes[at].graded.sha for at in (3, 2, 1, 0))
    titles = ["Drop cards", "Drop pools", "Count cards", "Tidy pools"]
    rows = []
    for at, (title, level) in enumerate(
        zip(titles, ["high", "high", "medium", "low"], strict=True)
    ):
        most, dangers = {"high": (3, 2), "medium": (2, 1), "low": (1, 0)}[level]
        rows += [f"# C{at + 1}, importance {level}", f"> {title}"]
        rows += [f"* Row {n} of many things" for n in range(most)]
        rows += [f"* risk: Danger {n} of {title}" for n in range(dangers)]
    assert shown(prompt) == rows


def test_changes_of_one_effort_are_together_in_the_prompt_of_a_day() -> None:
    changes = [
        change(1, "Drop cards", score=0.9, subject={"number": 1}),
        change(2, "Count cards", score=0.8, subject={"number": 2}),
        change(3, "Drop more cards", score=0.7, subject={"number": 3}, issues=(1,)),
        change(4, "Count more cards", score=0.6, subject={"number": 4}, issues=(2,)),
        change(5, "Paint cards", score=0.5, subject={"number": 5}),
    ]
    rows = [row for row in shown(day_prompt(changes, Language.EN, count, 100_000)) if row[0] == "#"]
    high = ", importance high"
    assert rows == [
        "# Effort E1", f"# C1{high}", f"# C3{high}", "# End of E1",
        "# Effort E2", f"# C2{high}", f"# C4{high}", "# End of E2",
        f"# C5{high}",
    ]  # fmt: skip


def test_prompt_of_a_day_has_the_weightiest_changes_that_fit_and_one_at_least() -> None:
    changes = [change(n, f"Drop card {n}", score=1 - n / 100) for n in range(60)]
    around = 10_000 - room_for_material(PromptKind.DAY, count, 10_000)
    for extra in (70, 700, 2000):
        prompt = day_prompt(changes, Language.EN, count, around + extra)
        assert prompt.shas == tuple(one.graded.sha for one in changes[: len(prompt.shas)])
        material = "\n".join(shown(prompt))
        assert len(prompt.shas) == 1 or count(material) <= extra
    assert 2 < len(prompt.shas) < 60
    with pytest.raises(NoRoom):
        day_prompt(changes, Language.EN, count, around + 63)
    assert day_prompt(changes, Language.EN, count, around + 64)


def test_lead_has_two_sentences_and_cites_known_changes_alone() -> None:
    changes = [change(n, f"Drop --card-{n}") for n in range(1, 4)]
    shas = [one.graded.sha for one in changes]
    lead = [
        {"text": "`--card-1` was dropped.", "cites": ["C9"]},
        "`--card-1` was dropped.",
        {"text": 7, "cites": ["C1"]},
        {"text": "`--card-2` was dropped.", "cites": [" [c2] ", "C9", "C2"]},
        {"text": "`--card-3` was dropped.", "cites": ["C3"]},
        {"text": "`--card-1` was dropped.", "cites": ["C1"]},
    ]
    day = read_day({"lead": lead}, changes, shas, Language.EN)
    assert [plain(one.spans) for one in day.lead] == [f"--card-{n} was dropped." for n in (2, 3)]
    assert [one.shas for one in day.lead] == [(shas[1],), (shas[2],)]
    assert day.source is Origin.MODEL
    assert day.rejected == 0.25  # one of four texts: it cited nothing that there is
    assert day_reader(changes, shas, Language.EN)({"lead": lead}) == day
    for value in ({"lead": lead[:3]}, {"lead": 4, "themes": 5}, None):
        assert read_day(value, changes, shas, Language.EN).source is Origin.FACTS
        with pytest.raises(ValueError, match="borne out"):
            day_reader(changes, shas, Language.EN)(value)
    # An id is that of the prompt, even if a change that it named is gone since.
    day = read_day({"lead": lead[4:5]}, changes[2:], shas, Language.EN)
    assert [one.shas for one in day.lead] == [(shas[2],)]


def test_theme_has_at_least_two_changes_and_whole_efforts_and_none_is_in_two() -> None:
    changes = [
        change(1, "Drop --card-1", subject={"number": 1}),
        change(2, "Drop --card-2", subject={"number": 2}),
        change(3, "Drop --card-3", subject={"number": 3}, issues=(1,)),
        change(4, "Drop --card-4", subject={"number": 4}),
        change(5, "Drop --card-5", subject={"number": 5}),
    ]
    shas = [one.graded.sha for one in changes]
    value = {
        "themes": [
            {"title": "Cards", "changes": ["C2"]},
            {"title": "", "changes": ["C2", "C4"]},
            {"title": "Dropped cards and " * 5 + "cards", "changes": ["C2", "C4"]},
            {"title": 7, "changes": ["C2", "C4"]},
            {"title": "Cards that 7 went", "changes": ["C2", "C4"]},
            {"title": "Dropped `--card-1` and more.", "changes": ["C1"], "text": "`--card-3` was dropped."},
            {"title": "Cards", "changes": ["C3", "C4"]},
            {"title": "Dropped cards。", "changes": ["C5", "C2", "C1"], "text": "`--card-9` was dropped."},
        ]
    }  # fmt: skip
    day = read_day(value, changes, shas, Language.EN)
    assert [(plain(one.title), one.shas) for one in day.themes] == [
        ("Dropped --card-1 and more", (shas[0], shas[2])),
        ("Dropped cards", (shas[4], shas[1])),
    ]
    first, second = (one.sentence for one in day.themes)
    assert plain(first.spans) == "--card-3 was dropped."
    assert first.shas == (shas[0], shas[2])
    assert second is None
    assert day.source is Origin.MODEL
    many = [{"title": "Cards", "changes": [f"C{2 * n + 1}", f"C{2 * n + 2}"]} for n in range(8)]
    more = [change(n, f"Drop --card-{n}") for n in range(16)]
    day = read_day({"themes": many}, more, [one.graded.sha for one in more], Language.EN)
    assert len(day.themes) == MOST
