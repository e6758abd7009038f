"""Changes as a second call may see them: masked once more, since facts quote their author.

Imports ``privacy``, ``theme`` and values.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from digest.change import Change, Commit
from digest.document import Text
from digest.facts.model import Facts, Subject
from digest.graded import Graded
from digest.privacy import Privacy, Redactor, impersonal
from digest.statement import Analysis, Statement
from digest.themes.theme import Told

_SECTIONS = ("summary", "impact", "insights", "risks", "suggestions")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NO_FACTS = Facts(subject=Subject(title="", words=""), files=())


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """A change as it may be seen; implements ``Told``. A statement is words without roles."""

    graded: Graded
    analysis: Analysis


def shown(told: Sequence[Told], privacy: Privacy, redactor: Redactor) -> tuple[Shown, ...]:
    """The changes as their repository's privacy lets them be shown, without secrets.

    Where no line and no word of a message may be seen, titles alone are left: what is said of a
    change may rest on either.
    """
    if privacy is Privacy.METADATA:
        bare = Analysis
        told = [Shown(graded=o.graded, analysis=bare(language=o.analysis.language)) for o in told]
    lines = [line for one in told for line in _lines(one)]
    clean = iter(masked(lines, privacy, redactor))
    return tuple(_respelt(one, clean) for one in told)


def _lines(one: Told) -> Iterator[str]:
    """The title, then each statement, a line each."""
    yield _line(one.graded.title)
    for name in _SECTIONS:
        for statement in getattr(one.analysis, name):
            yield _line(statement.text)


def _line(text: str) -> str:
    return " ".join(text.split())


def masked(lines: Sequence[str], privacy: Privacy, redactor: Redactor) -> Sequence[str]:
    """The lines without secrets and, where the privacy asks for it, without people's addresses."""
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


def _respelt(one: Told, lines: Iterator[str]) -> Shown:
    """The change with the next lines in the place of its own."""
    graded, analysis = one.graded, one.analysis
    subject = replace(graded.facts.subject, title=next(lines))
    summary, impact, insights, risks, suggestions = (
        tuple(_statement(next(lines), was) for was in getattr(analysis, name)) for name in _SECTIONS
    )
    return Shown(
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
