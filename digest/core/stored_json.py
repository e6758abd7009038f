"""Facts, analyses and requests as JSON values and back, exactly.

The keys of facts are part of the documented output and of the archive: they are added to, never
renamed. Defaults are written too, so that a reader need not know them. Unlike the JSON that the
program prints (:mod:`digest.report.report_json`), that of an analysis keeps the roles of words, so
that a stored analysis looks the same as a new one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from digest.core.change import FileStatus, Side
from digest.core.enums import Language
from digest.core.facts import (
    Action,
    Area,
    Clue,
    ClueKind,
    Evidence,
    Fact,
    FactKind,
    Facts,
    FileFacts,
    Note,
    Series,
    Subject,
    Undone,
)
from digest.core.request import PullRequest, RequestState, Reviewer, ReviewVerdict
from digest.core.statement import Analysis, Aspect, ChangeType, Origin, Statement
from digest.document import Code, Emphasis, Link, Span, Spans, Strong, Text

Json = dict[str, Any]

# Calling an enumeration with a value takes ten times as long as looking it up.
_STATUSES = {status.value: status for status in FileStatus}
_AREAS = {area.value: area for area in Area}
_KINDS = {kind.value: kind for kind in FactKind}
_ACTIONS = {action.value: action for action in Action}
_SIDES = {side.value: side for side in Side}
_CLUES = {kind.value: kind for kind in ClueKind}


def facts_to_json(facts: Facts) -> Json:
    """A value for ``json.dumps``; :func:`facts_from_json` returns equal ``Facts`` from it.

    Undecodable bytes of paths stay lone surrogates: dump with ``ensure_ascii`` (the default).
    """
    return {
        "version": facts.version,
        "subject": _subject_out(facts.subject),
        "files": [_file_out(file) for file in facts.files],
        "items": [_fact_out(fact) for fact in facts.items],
        "paragraphs": list(facts.paragraphs),
        "trailers": [list(pair) for pair in facts.trailers],
        "co_authors": list(facts.co_authors),
        "issues": list(facts.issues),
        "reverts": _undone_out(facts.reverts),
        "relands": _undone_out(facts.relands),
        "merge": facts.merge,
        "clues": [_clue_out(clue) for clue in facts.clues],
        "notes": [
            {"mark": n.mark, "text": n.text, "evidence": _evidence_out(n.evidence)}
            for n in facts.notes
        ],
    }


def facts_from_json(value: Mapping[str, Any]) -> Facts:
    """The facts that :func:`facts_to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: The value was not written by ``facts_to_json``.
    """
    return Facts(**{name: read(value[name]) for name, read in READ.items() if name in value})


def _subject_out(subject: Subject) -> Json:
    series = subject.series
    return {
        "title": subject.title,
        "words": subject.words,
        "tags": list(subject.tags),
        "type": subject.type,
        "scope": subject.scope,
        "breaking": subject.breaking,
        "number": subject.number,
        "series": None if series is None else {"part": series.part, "total": series.total},
    }


def _subject_in(value: Mapping[str, Any]) -> Subject:
    series = value["series"]
    return Subject(
        title=value["title"],
        words=value["words"],
        tags=tuple(value["tags"]),
        type=value["type"],
        scope=value["scope"],
        breaking=value["breaking"],
        number=value["number"],
        series=None if series is None else Series(part=series["part"], total=series["total"]),
    )


def _file_out(file: FileFacts) -> Json:
    return {
        "path": file.path,
        "old_path": file.old_path,
        "status": file.status.value,
        "added": file.added,
        "deleted": file.deleted,
        "area": file.area.value,
        "language": file.language,
        "omitted": file.omitted,
        "binary": file.binary,
        "unparsed": file.unparsed,
    }


def _file_in(value: Mapping[str, Any]) -> FileFacts:
    return FileFacts(
        path=value["path"],
        old_path=value["old_path"],
        status=_STATUSES[value["status"]],
        added=value["added"],
        deleted=value["deleted"],
        area=_AREAS[value["area"]],
        language=value["language"],
        omitted=value["omitted"],
        binary=value["binary"],
        unparsed=value.get("unparsed", False),
    )


def _fact_out(fact: Fact) -> Json:
    return {
        "kind": fact.kind.value,
        "action": fact.action.value,
        "name": fact.name,
        "before": fact.before,
        "after": fact.after,
        "detail": fact.detail,
        "evidence": _evidence_out(fact.evidence),
        "elsewhere": fact.elsewhere,
        "in_file": fact.in_file,
        "condition": fact.condition,
        "replacement": fact.replacement,
        "when": fact.when,
        "public": fact.public,
    }


def _evidence_out(evidence: Evidence) -> Json:
    return {"path": evidence.path, "line": evidence.line, "side": evidence.side.value}


def _evidence_in(value: Mapping[str, Any]) -> Evidence:
    return Evidence(path=value["path"], line=value["line"], side=_SIDES[value["side"]])


def _note_in(value: Mapping[str, Any]) -> Note:
    return Note(mark=value["mark"], text=value["text"], evidence=_evidence_in(value["evidence"]))


def _fact_in(value: Mapping[str, Any]) -> Fact:
    return Fact(
        kind=_KINDS[value["kind"]],
        action=_ACTIONS[value["action"]],
        name=value["name"],
        before=value["before"],
        after=value["after"],
        detail=value["detail"],
        evidence=_evidence_in(value["evidence"]),
        # Facts before version 3 have none of these.
        elsewhere=value.get("elsewhere"),
        in_file=value.get("in_file", False),
        condition=value.get("condition"),
        replacement=value.get("replacement"),
        when=value.get("when"),
        public=value.get("public"),
    )


def _clue_out(clue: Clue) -> Json:
    return {
        "kind": clue.kind.value,
        "text": clue.text,
        "name": clue.name,
        "before": clue.before,
        "after": clue.after,
        "evidence": _evidence_out(clue.evidence),
    }


def _clue_in(value: Mapping[str, Any]) -> Clue:
    return Clue(
        kind=_CLUES[value["kind"]],
        text=value["text"],
        name=value["name"],
        before=value["before"],
        after=value["after"],
        evidence=_evidence_in(value["evidence"]),
    )


def _undone_out(undone: Undone | None) -> Json | None:
    if undone is None:
        return None
    return {"sha": undone.sha, "number": undone.number, "title": undone.title}


def _undone_in(value: Mapping[str, Any] | None) -> Undone | None:
    if value is None:
        return None
    return Undone(sha=value["sha"], number=value["number"], title=value["title"])


READ: Mapping[str, Callable[[Any], Any]] = {
    "version": int,
    "subject": _subject_in,
    "files": lambda files: tuple(map(_file_in, files)),
    "items": lambda items: tuple(map(_fact_in, items)),
    "clues": lambda clues: tuple(map(_clue_in, clues)),
    "paragraphs": tuple,
    "trailers": lambda pairs: tuple((token, text) for token, text in pairs),
    "co_authors": tuple,
    "issues": tuple,
    "reverts": _undone_in,
    "relands": _undone_in,
    "merge": bool,
    "notes": lambda notes: tuple(map(_note_in, notes)),
}
"""The parsers of the fields of ``Facts`` from JSON: one field can be read without the others."""

_MARKS: dict[type[Span], str] = {Text: "t", Strong: "s", Emphasis: "e", Code: "c", Link: "l"}
_STATEMENT_FORM_KINDS = {mark: kind for kind, mark in _MARKS.items()}
_SECTIONS = ("summary", "impact", "insights", "risks", "suggestions")


def analysis_to_json(analysis: Analysis) -> dict[str, Any]:
    """The analysis as a value of dicts, lists, texts and numbers."""
    return {
        "language": analysis.language.value,
        "source": analysis.source.value,
        "types": [kind.value for kind in analysis.change_types],
        **{name: [statement_to_json(one) for one in getattr(analysis, name)] for name in _SECTIONS},
        "rejected": analysis.rejected,
        "partial": analysis.partial,
    }


def analysis_from_json(value: dict[str, Any]) -> Analysis:
    """The analysis that :func:`analysis_to_json` was given."""
    sections = {name: tuple(statement_from_json(one) for one in value[name]) for name in _SECTIONS}
    return Analysis(
        language=Language(value["language"]),
        source=Origin(value["source"]),
        change_types=tuple(ChangeType(kind) for kind in value["types"]),
        **sections,
        rejected=value["rejected"],
        partial=value["partial"],
    )


def statement_to_json(statement: Statement) -> list[Any]:
    """A statement as its spans, its evidence and its aspect."""
    return [
        spans_to_json(statement.spans),
        [[place.path, place.line, place.side.value] for place in statement.evidence],
        statement.aspect.value,
    ]


def statement_from_json(value: list[Any]) -> Statement:
    """The statement that :func:`statement_to_json` was given."""
    spans, evidence, aspect = value
    return Statement(
        spans=spans_from_json(spans),
        evidence=tuple(Evidence(path=p, line=n, side=Side(side)) for p, n, side in evidence),
        aspect=Aspect(aspect),
    )


def spans_to_json(spans: Spans) -> list[list[str]]:
    """Each span as its mark and its texts."""
    return [
        [_MARKS[type(span)], span.text, *([span.url] if isinstance(span, Link) else [])]
        for span in spans
    ]


def spans_from_json(value: list[list[str]]) -> Spans:
    """The spans that :func:`spans_to_json` was given."""
    return tuple(_STATEMENT_FORM_KINDS[mark](*texts) for mark, *texts in value)


def request_to_json(request: PullRequest) -> Json:
    """A value for ``json.dumps``; moments are seconds since 1970."""
    return {
        "number": request.number,
        "title": request.title,
        "state": request.state.value,
        "author": request.author,
        "created_at": _seconds(request.created_at),
        "updated_at": _seconds(request.updated_at),
        "body": request.body,
        "draft": request.draft,
        "base": request.base,
        "head": request.head,
        "merge_commit": request.merge_commit,
        "merged_at": None if request.merged_at is None else _seconds(request.merged_at),
        "labels": list(request.labels),
        "issues": list(request.issues),
        "reviewers": [[one.name, one.verdict.value] for one in request.reviewers],
        "reviewed": request.reviewed,
        "files": request.files,
    }


def request_from_json(value: Mapping[str, Any]) -> PullRequest:
    """The request that :func:`request_to_json` wrote.

    Raises ``KeyError``, ``TypeError`` and ``ValueError`` for anything else.
    """
    merged_at = value["merged_at"]
    return PullRequest(
        number=value["number"],
        title=value["title"],
        state=RequestState(value["state"]),
        author=value["author"],
        created_at=_moment(value["created_at"]),
        updated_at=_moment(value["updated_at"]),
        body=value["body"],
        draft=value["draft"],
        base=value["base"],
        head=value["head"],
        merge_commit=value["merge_commit"],
        merged_at=None if merged_at is None else _moment(merged_at),
        labels=tuple(value["labels"]),
        issues=tuple(value["issues"]),
        reviewers=tuple(
            Reviewer(name=name, verdict=ReviewVerdict(verdict))
            for name, verdict in value["reviewers"]
        ),
        reviewed=value["reviewed"],
        files=value["files"],
    )


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
