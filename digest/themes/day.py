"""The lead and the themes of a stretch of time by a model, from what was kept and nothing else.

Imports ``theme``, ``efforts``, ``evidence`` and ``prompting``. The model names changes by the ids
of the prompt; what it says of them has to stand in their titles or in what was kept of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from digest.document import Spans
from digest.evidence.fault import Failed
from digest.evidence.ground import Ground
from digest.evidence.judge import judge_words, spans_of
from digest.evidence.sieve import strings
from digest.grade import Level
from digest.language import Language
from digest.prompting.fence import visible
from digest.prompting.fit import NoRoom
from digest.prompting.prompt import Kind, Prompt, prompt, room_for_material
from digest.prompting.sheet import Count
from digest.statement import Origin
from digest.themes.efforts import efforts
from digest.themes.theme import MOST, Sentence, Theme, Told, themes

_SENTENCES = 2
"""The sentences of a lead."""

_LEAST = 64
"""Tokens without which not even one change fits."""

_TITLE = 80
"""Characters of a theme's title."""

_KEPT = {Level.HIGH: (3, 2), Level.MEDIUM: (2, 1), Level.LOW: (1, 0)}
"""Statements of the summary and risks that are shown of a change, by its level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """What is said of a stretch of time. ``lead`` is empty where nothing of it could be kept.

    ``rejected`` is the share of sentences that were dropped, in [0, 1].
    """

    lead: tuple[Sentence, ...]
    themes: tuple[Theme, ...]
    rejected: float = 0.0
    source: Origin = Origin.FACTS


def plain_day(told: Sequence[Told], language: Language) -> Day:
    """The day without a model: themes by rule, no lead of its own."""
    return Day(lead=(), themes=themes(told, language))


def day_prompt(told: Sequence[Told], language: Language, count: Count, budget: int) -> Prompt:
    """The prompt for a lead and themes, with as many changes as fit, the weightiest first.

    ``Prompt.shas`` says which change is ``C1``, ``C2`` and so on. Raises ``NoRoom``.
    """
    left = float(room_for_material(Kind.DAY, count, budget))
    if left < _LEAST:
        raise NoRoom(f"{budget} tokens leave no room for changes beside the prompt {Kind.DAY}")
    kept: list[Told] = []
    for one in sorted(told, key=lambda one: (one.graded.grade.level.rank, -one.graded.grade.score)):
        left -= count("\n".join(_rows(one, len(kept) + 1))) + 8  # and a heading of its effort
        if left < 0 and kept:
            break
        kept.append(one)
    shas = tuple(one.graded.sha for one in kept)
    return prompt(Kind.DAY, language, _material(kept), shas=shas)


def _material(kept: Sequence[Told]) -> str:
    """The changes, those of an effort together where its first one stands."""
    names = {one.graded.sha: at for at, one in enumerate(kept, 1)}
    by_sha = {one.graded.sha: one for one in kept}
    joint = {g.sha: effort for effort in efforts([o.graded for o in kept]) for g in effort}
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


def _rows(one: Told, at: int) -> list[str]:
    graded, analysis = one.graded, one.analysis
    first, risks = _KEPT[graded.grade.level]
    rows = [f"# C{at}, importance {graded.grade.level}", f"> {_line(graded.title)}"]
    rows += [f"* {_line(s.text)}" for s in analysis.summary[:first]]
    rows += [f"* risk: {_line(s.text)}" for s in analysis.risks[:risks]]
    return rows


def _line(text: str) -> str:
    return " ".join(visible(text).split())


def day_reader(
    told: Sequence[Told], shas: Sequence[str], language: Language
) -> Callable[[object], Day]:
    """What reads the reply, for ``ModelRequest.read``; ``shas`` are those of the prompt.

    It raises ``ValueError`` where no sentence of the lead and no theme could be kept.
    """

    def read(value: object) -> Day:
        day = read_day(value, told, shas, language)
        if day.source is not Origin.MODEL:
            raise ValueError(
                "nothing in it is borne out by the changes; use only their ids, and only names and "
                "numbers that stand in their titles and statements"
            )
        return day

    return read


def read_day(value: object, told: Sequence[Told], shas: Sequence[str], language: Language) -> Day:
    """Read a reply of the shape ``schemas.DAY``, whatever it holds.

    Ids that are not listed are dropped, and sentences that are left without one. A theme takes in
    all the changes of an effort that it names one of. Without a theme by the model there are those
    by rule.
    """
    reply: Mapping[str, Any] = value if isinstance(value, Mapping) else {}
    reading = _Reading(told, shas, language)
    lead = tuple(reading.lead(reply.get("lead")))[:_SENTENCES]
    found = tuple(reading.themes(reply.get("themes")))[:MOST]
    spoken = bool(lead or found)
    return Day(
        lead=lead,
        themes=found or themes(told, language),
        rejected=reading.share,
        source=Origin.MODEL if spoken else Origin.FACTS,
    )


class _Reading:
    """Takes sentences one by one and counts those that are dropped."""

    def __init__(self, told: Sequence[Told], shas: Sequence[str], language: Language) -> None:
        self._language = language
        self._told = {one.graded.sha: one for one in told}
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
            shas = self._listed(table.get("cites"))
            if sentence := self._sentence(table.get("text"), shas):
                yield sentence

    def themes(self, value: object) -> Iterator[Theme]:
        """The themes that are kept; a change is in one at most."""
        taken: set[str] = set()
        for entry in value if isinstance(value, list) else []:
            table: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {}
            named = [sha for sha in self._listed(table.get("changes")) if sha not in taken]
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

    def _listed(self, value: object) -> tuple[str, ...]:
        found = (self._ids.get(one.strip().strip("[]").upper()) for one in strings(value))
        return tuple(dict.fromkeys(sha for sha in found if sha))

    def _sentence(self, text: object, shas: tuple[str, ...]) -> Sentence | None:
        spans = self._spans(text, shas)
        return Sentence(spans=spans, shas=shas) if spans else None

    def _title(self, text: object, shas: tuple[str, ...]) -> Spans:
        """A title has no full stop; it is judged with one."""
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
        """The words as spans where the changes bear them out, else nothing."""
        if not isinstance(text, str) or not text.strip():
            return ()
        verdict = judge_words(text, self._ground(shas), self._language) if shas else None
        if verdict is None or isinstance(verdict, Failed):
            self._dropped += 1
            return ()
        self._kept += 1
        return spans_of(verdict, self._language)

    def _ground(self, shas: Sequence[str]) -> Ground:
        """The titles of changes and what was kept of them."""
        texts = []
        for sha in shas:
            one = self._told[sha]
            analysis = one.analysis
            texts += [one.graded.title, f"#{one.graded.number}"]
            for section in (analysis.summary, analysis.impact, analysis.insights, analysis.risks):
                texts += [statement.text for statement in section]
        return Ground.of_texts(texts)
