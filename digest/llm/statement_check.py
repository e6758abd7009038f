"""Checks each sentence of a reply against the change: a statement with evidence, or an error.

Sentences that the change supports are kept; the others are dropped, with the reason.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from digest.analysis.context import EVIDENCE
from digest.core.change import FileStatus, Hunk, Side
from digest.core.enums import Language
from digest.core.facts import Evidence
from digest.core.statement import Aspect, Statement
from digest.document import Spans
from digest.frozen import frozen
from digest.i18n.phrase import with_spaces
from digest.llm.before_after import wrong_shift
from digest.llm.change_index import ChangeIndex, occurs
from digest.llm.format_check import Failed, Rejection, check_form, normal, speaks
from digest.llm.model_input import Cited, Material
from digest.llm.model_input import find_target as cited_by
from digest.llm.name_check import check_name
from digest.llm.number_check import wrong_number
from digest.llm.tokens import Wording, take_apart

_COPY = 24  # characters from which on a sentence does not occur in a diff by chance
MOST_CITES = 16  # ids that a statement may cite; one that cites everything cites nothing


def judge(
    text: str,
    cites: Sequence[str],
    ground: ChangeIndex,
    language: Language,
    aspect: Aspect = Aspect.NONE,
) -> Statement | Failed:
    """The statement that a sentence makes, if the change supports all that it names."""
    places = _resolve(cites, ground)
    wording = judge_words(text, ground, language, [p.hunk for p in places or () if p.hunk])
    if isinstance(wording, Failed):
        return wording
    if places is None:
        return Failed(fault=Rejection.CITATION, about=", ".join(cites)[:60])
    evidence = tuple(dict.fromkeys(_evidence(places, wording, ground)))[:EVIDENCE]
    return Statement(spans=spans_of(wording, language), evidence=evidence, aspect=aspect)


def judge_words(
    text: str, ground: ChangeIndex, language: Language, cited: Collection[Hunk] = ()
) -> Wording | Failed:
    """A sentence resting on hunks ``cited``, if its form is right and all it names is supported."""
    text = normal(text)
    failed = check_form(text)
    if failed is None and not speaks(text, language):
        failed = Failed(fault=Rejection.LANGUAGE)
    if failed is not None:
        return failed
    if _is_copied(text, ground):
        return Failed(fault=Rejection.COPIED)
    wording = take_apart(text)
    return false(wording, ground, cited) or wording


def _is_copied(text: str, ground: ChangeIndex) -> bool:
    """Whether a sentence is word for word in the lines, or between quotes in the message."""
    # The author's own sentences may be repeated; an answer offered by a diff may not.
    bare = text.rstrip(".!。！ ")
    if len(bare) < _COPY:
        return False
    return bare in ground.added or bare in ground.removed or f'"{bare}' in ground.message


def spans_of(wording: Wording, language: Language) -> Spans:
    """The spans of a sentence, with code spaced as the language requires."""
    return with_spaces(wording.spans) if language is Language.ZH else wording.spans


def false(wording: Wording, ground: ChangeIndex, cited: Collection[Hunk] = ()) -> Failed | None:
    """A claim of a sentence that the change does not support, if any."""
    for atom in dict.fromkeys(wording.atoms):
        if failed := check_name(atom, ground):
            return failed
    return wrong_number(wording, ground) or wrong_shift(wording, ground, cited)


def _resolve(cites: Sequence[str], ground: ChangeIndex) -> list[Cited] | None:
    """The targets of the ids; ``None`` if one has no target, or there are none."""
    if not cites or len(cites) > MOST_CITES:
        return None
    places = [cited_by(cite, ground.change) for cite in dict.fromkeys(cites)]
    return None if None in places else [cite for cite in places if cite is not None]


def _evidence(places: Iterable[Cited], wording: Wording, ground: ChangeIndex) -> Iterator[Evidence]:
    """The cited places, each at the line that contains what the sentence names."""
    # If none of its hunks contains any, the first hunk that does comes first: evidence must show
    # what is said.
    names = [name for name in wording.names if name]
    places = list(places)
    hunks = [(place.file, place.hunk) for place in places if place.file and place.hunk]
    if names and hunks and not any(_holds(hunk.removed + hunk.added, names) for _, hunk in hunks):
        for stretch in ground.stretches:
            if _holds(stretch.hunk.removed + stretch.hunk.added, names):
                yield ground.locate(names, stretch.file, stretch.hunk)
                break
    for place in places:
        if place.file is None:
            yield Evidence(path="", line=_line(names, ground.message), side=Side.MESSAGE)
        elif place.hunk is None:
            gone = place.file.status is FileStatus.DELETED
            yield Evidence(path=place.file.path, line=0, side=Side.OLD if gone else Side.NEW)
        else:
            yield ground.locate(names, place.file, place.hunk)


def _holds(lines: Iterable[str], names: Sequence[str]) -> bool:
    return any(name in line and occurs(name, line) for line in lines for name in names)


def _line(names: Sequence[str], message: str) -> int:
    """The line of the message that contains one of the names, otherwise its first."""
    for at, line in enumerate(message.lstrip("\n").splitlines(), 1):
        if any(occurs(name, line) for name in names):
            return at
    return 1


_TOLD = 6  # the number of errors that a model is told when it is asked again


@frozen
class Dropped:
    """A sentence that was not kept, and why. ``section`` is the one that it was meant for."""

    section: str
    text: str
    failed: Failed


class StatementFilter:
    """Keeps the sentences that a change supports, and counts the others."""

    def __init__(self, material: Material, language: Language) -> None:
        self._ground = ChangeIndex(material.change, material.facts)
        self._language = language
        self._kept = 0
        self._seen: set[str] = set()
        self.dropped: list[Dropped] = []

    @property
    def share(self) -> float:
        """The share of sentences that were dropped for their content, in [0, 1]."""
        all_ = self._kept + len(self.dropped)
        return round(len(self.dropped) / all_, 4) if all_ else 0.0

    def section(self, name: str, value: object) -> list[Statement]:
        """The statements of a section that are kept, in their order."""
        entries = value if isinstance(value, list) else []
        found = (self.one(name, entry) for entry in entries)
        return [statement for statement in found if statement is not None]

    def one(self, section: str, entry: object) -> Statement | None:
        """The statement of an entry ``{"text", "cites", "aspect"}``, if it is kept."""
        table: Mapping[str, Any] = entry if isinstance(entry, Mapping) else {}
        text = table.get("text")
        text = text.strip() if isinstance(text, str) else ""
        if not text or text in self._seen:
            return None
        self._seen.add(text)
        aspect = _aspect(table.get("aspect")) if section == "insights" else Aspect.NONE
        verdict = judge(text, strings(table.get("cites")), self._ground, self._language, aspect)
        if isinstance(verdict, Failed):
            self.dropped.append(Dropped(section=section, text=text, failed=verdict))
            return None
        self._kept += 1
        return verdict


def complaint(dropped: Sequence[Dropped]) -> str:
    """What to correct in a reply of which nothing could be kept."""
    if not dropped:
        return "it holds no statement"
    faults = "; ".join(f"{d.text[:80]!r} ({d.failed})" for d in dropped[:_TOLD])
    return (
        "no statement in it is borne out by the commit. Use only names, numbers and values that "
        f"stand there, letter for letter, and ids that exist: {faults}"
    )


def strings(value: object) -> list[str]:
    """The texts of a list, or of a text that lists them."""
    if isinstance(value, str):
        return [part for part in value.replace(",", " ").split() if part]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _aspect(value: object) -> Aspect:
    return next((aspect for aspect in Aspect if aspect == value), Aspect.NONE)
