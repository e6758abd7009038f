"""One sentence of a model against a change: a statement with evidence, or what is wrong with it.

Imports the checks of this package, ``material`` and values.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

from digest.analysis.bounds import EVIDENCE
from digest.change import FileStatus, Hunk, Side
from digest.document import Spans
from digest.evidence.fault import Failed, Fault
from digest.evidence.form import malformed, normal
from digest.evidence.ground import Ground, occurs
from digest.evidence.names import unknown
from digest.evidence.numbers import wrong_number
from digest.evidence.shifts import wrong_shift
from digest.evidence.tongue import speaks
from digest.evidence.wording import Wording, take_apart
from digest.facts.model import Evidence
from digest.language import Language
from digest.material import Cited
from digest.material import cited as cited_by
from digest.statement import Aspect, Statement
from digest.words.phrase import spaced

_COPY = 24
"""Characters from which on a sentence is not met in a diff by chance."""

MOST_CITES = 16
"""Ids that a statement may cite; one that cites everything cites nothing."""


def judge(
    text: str,
    cites: Sequence[str],
    ground: Ground,
    language: Language,
    aspect: Aspect = Aspect.NONE,
) -> Statement | Failed:
    """The statement that a sentence makes, if the change bears out all that it names."""
    places = _resolved(cites, ground)
    wording = judge_words(text, ground, language, [p.hunk for p in places or () if p.hunk])
    if isinstance(wording, Failed):
        return wording
    if places is None:
        return Failed(fault=Fault.CITATION, about=", ".join(cites)[:60])
    evidence = tuple(dict.fromkeys(_evidence(places, wording, ground)))[:EVIDENCE]
    return Statement(spans=spans_of(wording, language), evidence=evidence, aspect=aspect)


def judge_words(
    text: str, ground: Ground, language: Language, cited: Collection[Hunk] = ()
) -> Wording | Failed:
    """A sentence taken apart, if its form is right and the ground bears out all that it names.

    ``cited`` are the hunks that it rests on.
    """
    text = normal(text)
    failed = malformed(text)
    if failed is None and not speaks(text, language):
        failed = Failed(fault=Fault.LANGUAGE)
    if failed is not None:
        return failed
    if _copied(text, ground):
        return Failed(fault=Fault.COPIED)
    wording = take_apart(text)
    return false(wording, ground, cited) or wording


def _copied(text: str, ground: Ground) -> bool:
    """Whether a sentence stands word for word in the lines, or between quotes in the message.

    The author's own sentences may be repeated; what a diff offers as an answer may not.
    """
    bare = text.rstrip(".!。！ ")
    if len(bare) < _COPY:
        return False
    return bare in ground.added or bare in ground.removed or f'"{bare}' in ground.message


def spans_of(wording: Wording, language: Language) -> Spans:
    """The spans of a sentence, set as the language sets code."""
    return spaced(wording.spans) if language is Language.ZH else wording.spans


def false(wording: Wording, ground: Ground, cited: Collection[Hunk] = ()) -> Failed | None:
    """What a sentence says that the change does not, if anything."""
    for atom in dict.fromkeys(wording.atoms):
        if failed := unknown(atom, ground):
            return failed
    return wrong_number(wording, ground) or wrong_shift(wording, ground, cited)


def _resolved(cites: Sequence[str], ground: Ground) -> list[Cited] | None:
    """What the ids stand for; ``None`` where one stands for nothing, or there are none."""
    if not cites or len(cites) > MOST_CITES:
        return None
    found = [cited_by(one, ground.change) for one in dict.fromkeys(cites)]
    return None if None in found else [one for one in found if one is not None]


def _evidence(places: Iterable[Cited], wording: Wording, ground: Ground) -> Iterator[Evidence]:
    """The places that are cited, each at the line that holds what the sentence names.

    Where the sentence names things and none of its hunks holds any, the first hunk that does comes
    first: evidence has to show what is said.
    """
    names = [name for name in wording.names if name]
    places = list(places)
    hunks = [(one.file, one.hunk) for one in places if one.file and one.hunk]
    if names and hunks and not any(_holds(hunk.removed + hunk.added, names) for _, hunk in hunks):
        for stretch in ground.stretches:
            if _holds(stretch.hunk.removed + stretch.hunk.added, names):
                yield ground.locate(names, stretch.file, stretch.hunk)
                break
    for one in places:
        if one.file is None:
            yield Evidence(path="", line=_line(names, ground.message), side=Side.MESSAGE)
        elif one.hunk is None:
            gone = one.file.status is FileStatus.DELETED
            yield Evidence(path=one.file.path, line=0, side=Side.OLD if gone else Side.NEW)
        else:
            yield ground.locate(names, one.file, one.hunk)


def _holds(lines: Iterable[str], names: Sequence[str]) -> bool:
    return any(name in line and occurs(name, line) for line in lines for name in names)


def _line(names: Sequence[str], message: str) -> int:
    """The line of the message that holds one of the names, else its first."""
    for at, line in enumerate(message.lstrip("\n").splitlines(), 1):
        if any(occurs(name, line) for name in names):
            return at
    return 1
