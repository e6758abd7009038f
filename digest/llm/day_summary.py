"""The lead and the themes of a period by a model, from stored statements only.

The changes are masked once more, since facts quote their author. The model names changes by the ids
of the prompt; what it says about them must be in their titles or in their stored statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from digest.analysis.quotes import restates
from digest.core.change import Change, Commit
from digest.core.enums import Language, Privacy
from digest.core.facts import Facts, Subject
from digest.core.grade import Graded, Level
from digest.core.statement import Analysis, Origin, Statement
from digest.document import Spans, Text
from digest.frozen import frozen
from digest.llm.change_index import ChangeIndex
from digest.llm.change_sheet import Count
from digest.llm.format_check import Failed
from digest.llm.model_input import Redactor, impersonal
from digest.llm.packing import NoRoom
from digest.llm.prompt import Prompt, PromptKind, prompt, room_for_material
from digest.llm.prompt_text import visible
from digest.llm.statement_check import judge_words, spans_of, strings
from digest.report.themes import MOST, DaySummary, Sentence, Theme, ToldChange, efforts, themes

_SECTIONS = ("summary", "impact", "insights", "risks", "suggestions")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NO_FACTS = Facts(subject=Subject(title="", words=""), files=())


@frozen
class SummarisedChange:
    """A change of a summary; implements ``ToldChange``. For a model, statements are plain text."""

    graded: Graded
    analysis: Analysis


def changes_for_model(
    changes: Sequence[ToldChange], privacy: Privacy, redactor: Redactor
) -> tuple[SummarisedChange, ...]:
    """The changes as their repository's privacy allows, without secrets."""
    # Only titles are left if either lines or a message's words may not be seen: statements may rest
    # on both.
    if privacy is Privacy.METADATA:
        bare = Analysis
        changes = [
            SummarisedChange(graded=o.graded, analysis=bare(language=o.analysis.language))
            for o in changes
        ]
    lines = [line for change in changes for line in _lines(change)]
    clean = iter(mask_lines(lines, privacy, redactor))
    return tuple(_respelt(change, clean) for change in changes)


def _lines(change: ToldChange) -> Iterator[str]:
    """The title, then each statement, one line each."""
    yield _line(change.graded.title)
    for name in _SECTIONS:
        for statement in getattr(change.analysis, name):
            yield _line(statement.text)


def _line(text: str) -> str:
    return " ".join(text.split())


def mask_lines(lines: Sequence[str], privacy: Privacy, redactor: Redactor) -> Sequence[str]:
    """The lines without secrets and, if the privacy requires it, without people's addresses."""
    commit = Commit(
        sha="",
        parents=(),
        author="",
        email="",
        authored_at=_EPOCH,
        committed_at=_EPOCH,
        message="\n".join(lines),
    )
    message = redactor(Change(commit=commit, files=()), _NO_FACTS).change.commit.message
    return (message if privacy is Privacy.FULL else impersonal(message)).split("\n")


def _respelt(change: ToldChange, lines: Iterator[str]) -> SummarisedChange:
    """The change with its texts replaced by the next lines."""
    graded, analysis = change.graded, change.analysis
    subject = replace(graded.facts.subject, title=next(lines))
    summary, impact, insights, risks, suggestions = (
        tuple(_statement(next(lines), was) for was in getattr(analysis, name)) for name in _SECTIONS
    )
    return SummarisedChange(
        graded=replace(graded, facts=replace(graded.facts, subject=subject)),
        analysis=replace(
            analysis,
            summary=summary,
            impact=impact,
            insights=insights,
            risks=risks,
            suggestions=suggestions,
        ),
    )


def _statement(words: str, was: Statement) -> Statement:
    return replace(was, spans=(Text(words),))


_SENTENCES = 2  # the sentences of a lead
_LEAST = 64  # tokens below which not even one change fits
_TITLE = 80  # characters of a theme's title
_KEPT = {Level.HIGH: (3, 2), Level.MEDIUM: (2, 1), Level.LOW: (1, 0)}
"""Summary statements and risks that are shown of a change, by its level."""


def plain_day(changes: Sequence[ToldChange], language: Language) -> DaySummary:
    """The summary without a model: themes by rule, no lead."""
    return DaySummary(lead=(), themes=themes(changes, language))


def day_prompt(
    changes: Sequence[ToldChange], language: Language, count: Count, budget: int
) -> Prompt:
    """The prompt for a lead and themes, the weightiest changes first. Raises ``NoRoom``."""
    # ``Prompt.shas`` says which change is ``C1``, ``C2`` and so on.
    left = float(room_for_material(PromptKind.DAY, count, budget))
    if left < _LEAST:
        raise NoRoom(
            f"{budget} tokens leave no room for changes beside the prompt {PromptKind.DAY}"
        )
    included: list[ToldChange] = []
    for one in sorted(
        changes, key=lambda one: (one.graded.grade.level.rank, -one.graded.grade.score)
    ):
        left -= count("\n".join(_rows(one, len(included) + 1))) + 8  # and a heading of its effort
        if left < 0 and included:
            break
        included.append(one)
    shas = tuple(one.graded.sha for one in included)
    return prompt(PromptKind.DAY, language, _material(included), shas=shas)


def _material(changes: Sequence[ToldChange]) -> str:
    """The changes; those of one effort are together, at the place of the first."""
    names = {change.graded.sha: at for at, change in enumerate(changes, 1)}
    by_sha = {change.graded.sha: change for change in changes}
    joint = {g.sha: effort for effort in efforts([o.graded for o in changes]) for g in effort}
    rows: list[str] = []
    done: set[str] = set()
    number = 0
    for sha, at in names.items():
        if sha in done:
            continue
        effort = joint.get(sha)
        if effort is None:
            rows += _rows(by_sha[sha], at)
            continue
        number += 1
        rows.append(f"# Effort E{number}")
        for graded in effort:
            done.add(graded.sha)
            rows += _rows(by_sha[graded.sha], names[graded.sha])
        rows.append(f"# End of E{number}")
    return "\n".join(rows)


def _rows(change: ToldChange, at: int) -> list[str]:
    graded, analysis = change.graded, change.analysis
    first, risks = _KEPT[graded.grade.level]
    rows = [f"# C{at}, importance {graded.grade.level}", f"> {_day_line(graded.title)}"]
    fresh = [s for s in analysis.summary if not restates(s, graded)]
    rows += [f"* {_day_line(s.text)}" for s in fresh[:first]]
    rows += [f"* risk: {_day_line(s.text)}" for s in analysis.risks[:risks]]
    return rows


def _day_line(text: str) -> str:
    return " ".join(visible(text).split())


def day_reader(
    changes: Sequence[ToldChange], shas: Sequence[str], language: Language
) -> Callable[[object], DaySummary]:
    """The reader of the reply on ``shas``; ``ValueError`` if no sentence or theme is kept."""

    def read(value: object) -> DaySummary:
        day = read_day(value, changes, shas, language)
        if day.source is not Origin.MODEL:
            raise ValueError(
                "nothing in it is borne out by the changes; use only their ids, and only names and "
                "numbers that stand in their titles and statements"
            )
        return day

    return read


def read_day(
    value: object, changes: Sequence[ToldChange], shas: Sequence[str], language: Language
) -> DaySummary:
    """Read a reply of the shape ``DAY``, whatever it contains."""
    # Unknown ids are dropped, and sentences without any other id. A theme includes all changes of
    # an effort if it names one of them. Without a theme, themes are made by rule.
    reply: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    reading = _Reading(changes, shas, language)
    lead = tuple(reading.lead(reply.get("lead")))[:_SENTENCES]
    found = tuple(reading.themes(reply.get("themes")))[:MOST]
    spoken = bool(lead or found)
    return DaySummary(
        lead=lead,
        themes=found or themes(changes, language),
        rejected=reading.share,
        source=Origin.MODEL if spoken else Origin.FACTS,
    )


class _Reading:
    """Checks sentences one by one and counts the dropped ones."""

    def __init__(
        self, changes: Sequence[ToldChange], shas: Sequence[str], language: Language
    ) -> None:
        self._language = language
        self._told = {change.graded.sha: change for change in changes}
        listed = [sha for sha in shas if sha in self._told]
        self._ids = {f"C{at}": sha for at, sha in enumerate(shas, 1) if sha in self._told}
        groups = efforts([self._told[sha].graded for sha in listed])
        self._efforts = {g.sha: tuple(o.sha for o in group) for group in groups for g in group}
        self._kept = self._dropped = 0

    @property
    def share(self) -> float:
        """The share of sentences that were dropped."""
        all_ = self._kept + self._dropped
        return round(self._dropped / all_, 4) if all_ else 0.0

    def lead(self, value: object) -> Iterator[Sentence]:
        """The sentences of the lead that are kept."""
        for entry in value if isinstance(value, list) else []:
            table: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {}
            shas = self._listed_changes(table.get("cites"))
            if sentence := self._sentence(table.get("text"), shas):
                yield sentence

    def themes(self, value: object) -> Iterator[Theme]:
        """The themes that are kept; a change is in one at most."""
        taken: set[str] = set()
        for entry in value if isinstance(value, list) else []:
            table: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {}
            named = [sha for sha in self._listed_changes(table.get("changes")) if sha not in taken]
            whole = dict.fromkeys(o for sha in named for o in self._efforts.get(sha, (sha,)))
            shas = tuple(sha for sha in whole if sha not in taken)
            title = self._title(table.get("title"), shas)
            if len(shas) < 2 or not title:
                continue
            taken.update(shas)
            yield Theme(
                title=title,
                shas=shas,
                sentence=self._sentence(table.get("text"), shas),
                source=Origin.MODEL,
            )

    def _listed_changes(self, value: object) -> tuple[str, ...]:
        shas = (self._ids.get(name.strip().strip("[]").upper()) for name in strings(value))
        return tuple(dict.fromkeys(sha for sha in shas if sha))

    def _sentence(self, text: object, shas: tuple[str, ...]) -> Sentence | None:
        spans = self._spans(text, shas)
        return Sentence(spans=spans, shas=shas) if spans else None

    def _title(self, text: object, shas: tuple[str, ...]) -> Spans:
        """The checked title; it has no full stop, but is checked with one."""
        if not isinstance(text, str) or not text.strip() or len(text) > _TITLE:
            return ()
        stop = "。" if self._language is Language.ZH else "."
        bare = text.strip().rstrip(".。 ")
        spans = self._spans(bare + stop, shas)
        if not spans:
            return ()
        last = spans[-1]
        rest = last.text.removesuffix(stop)
        return (*spans[:-1], type(last)(rest)) if rest else spans[:-1]  # type: ignore[call-arg]  # the last span ends in a stop, so it is no link

    def _spans(self, text: object, shas: tuple[str, ...]) -> Spans:
        """The words as spans if the changes support them, otherwise empty."""
        if not isinstance(text, str) or not text.strip():
            return ()
        verdict = judge_words(text, self._ground(shas), self._language) if shas else None
        if verdict is None or isinstance(verdict, Failed):
            self._dropped += 1
            return ()
        self._kept += 1
        return spans_of(verdict, self._language)

    def _ground(self, shas: Sequence[str]) -> ChangeIndex:
        """The titles of changes and their stored statements."""
        texts = []
        for sha in shas:
            change = self._told[sha]
            analysis = change.analysis
            texts += [change.graded.title, change.graded.name]
            for section in (analysis.summary, analysis.impact, analysis.insights, analysis.risks):
                texts += [statement.text for statement in section]
        return ChangeIndex.of_texts(texts)
