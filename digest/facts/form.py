"""Facts as JSON values and back, exactly. Imports ``model`` and ``change`` only.

The keys are part of the documented output and of the archive: they are added to, never renamed.
What holds its default is written too, so that a reader needs no knowledge of defaults.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from digest.change import FileStatus, Side
from digest.facts.model import (
    Action,
    Area,
    Evidence,
    Fact,
    FactKind,
    Facts,
    FileFacts,
    Series,
    Subject,
    Undone,
)

Json = dict[str, Any]

# Calling an enumeration with a value takes ten times as long as looking it up.
_STATUSES = {status.value: status for status in FileStatus}
_AREAS = {area.value: area for area in Area}
_KINDS = {kind.value: kind for kind in FactKind}
_ACTIONS = {action.value: action for action in Action}
_SIDES = {side.value: side for side in Side}


def to_json(facts: Facts) -> Json:
    """A value that ``json.dumps`` takes; `from_json` returns an equal `Facts` from it.

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
    }


def from_json(value: Mapping[str, Any]) -> Facts:
    """The facts that `to_json` wrote.

    Raises:
        KeyError, TypeError, ValueError: The value was not written by `to_json`.
    """
    return Facts(**{name: read(value[name]) for name, read in READ.items()})


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
    )


def _fact_out(fact: Fact) -> Json:
    evidence = fact.evidence
    return {
        "kind": fact.kind.value,
        "action": fact.action.value,
        "name": fact.name,
        "before": fact.before,
        "after": fact.after,
        "detail": fact.detail,
        "evidence": {
            "path": evidence.path,
            "line": evidence.line,
            "side": evidence.side.value,
        },
        "elsewhere": fact.elsewhere,
        "in_file": fact.in_file,
        "condition": fact.condition,
        "replacement": fact.replacement,
        "when": fact.when,
    }


def _fact_in(value: Mapping[str, Any]) -> Fact:
    evidence = value["evidence"]
    return Fact(
        kind=_KINDS[value["kind"]],
        action=_ACTIONS[value["action"]],
        name=value["name"],
        before=value["before"],
        after=value["after"],
        detail=value["detail"],
        evidence=Evidence(
            path=evidence["path"],
            line=evidence["line"],
            side=_SIDES[evidence["side"]],
        ),
        # Facts before version 3 have none of these.
        elsewhere=value.get("elsewhere"),
        in_file=value.get("in_file", False),
        condition=value.get("condition"),
        replacement=value.get("replacement"),
        when=value.get("when"),
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
    "paragraphs": tuple,
    "trailers": lambda pairs: tuple((token, text) for token, text in pairs),
    "co_authors": tuple,
    "issues": tuple,
    "reverts": _undone_in,
    "relands": _undone_in,
    "merge": bool,
}
"""What makes each field of `Facts` of its value in JSON: one can be read without the others."""
