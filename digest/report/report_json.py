"""Reports, changes and daily summaries as JSON; see ``docs/json.md``.

``digestbot digest --format json`` prints a report in this form. Within a schema, keys never change
their meaning, but new keys may be added. A stored day (lead and themes) is read back unchanged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from zoneinfo import ZoneInfo

from digest.core.change import printable
from digest.core.enums import Language
from digest.core.facts import Evidence, Fact, Facts, FileFacts, Note, Undone
from digest.core.grade import Graded
from digest.core.statement import Analysis, Origin, Statement, spans_from_json, spans_to_json
from digest.document import plain
from digest.i18n.answer_text import reason_words
from digest.report.assembly import Coverage, Report, ReportEntry
from digest.report.blocks import run
from digest.report.themes import DaySummary, Sentence, Theme
from digest.window import Window


def day_to_json(day: DaySummary) -> dict[str, Any]:
    """The day as a value of dicts, lists, strings and numbers."""
    return {
        "lead": [_sentence(one) for one in day.lead],
        "themes": [
            {
                "title": spans_to_json(theme.title),
                "shas": list(theme.shas),
                "sentence": _sentence(theme.sentence) if theme.sentence else None,
                "source": theme.source.value,
            }
            for theme in day.themes
        ],
        "rejected": day.rejected,
        "source": day.source.value,
    }


def day_from_json(value: dict[str, Any]) -> DaySummary:
    """The day from a value that :func:`day_to_json` returned."""
    return DaySummary(
        lead=tuple(_read(one) for one in value["lead"]),
        themes=tuple(
            Theme(
                title=spans_from_json(theme["title"]),
                shas=tuple(theme["shas"]),
                sentence=_read(theme["sentence"]) if theme["sentence"] else None,
                source=Origin(theme["source"]),
            )
            for theme in value["themes"]
        ),
        rejected=value["rejected"],
        source=Origin(value["source"]),
    )


def _sentence(sentence: Sentence) -> list[Any]:
    return [spans_to_json(sentence.spans), list(sentence.shas)]


def _read(value: list[Any]) -> Sentence:
    spans, shas = value
    return Sentence(spans=spans_from_json(spans), shas=tuple(shas))


SCHEMA = 1  # the version of all JSON that the program prints


def report_to_json(report: Report) -> dict[str, Any]:
    """The report with its commits in the report's order, newest first, in its language."""
    zone, language = report.window.zone, report.language
    return {
        "schema": SCHEMA,
        "repo": report.repository.name,
        "branch": report.branch,
        "window": window_to_json(report.window),
        "counts": {
            "total": report.counts.total,
            "high": report.counts.high,
            "medium": report.counts.medium,
            "low": report.counts.low,
        },
        "coverage": coverage_to_json(report.coverage),
        "lead": lead_to_json(report),
        "themes": themes_to_json(report),
        "commits": [entry_to_json(entry, zone, language) for entry in report.entries],
    }


def lead_to_json(report: Report) -> str:
    """The lead by a model if there is one, else the one made by code."""
    if report.day is None or not report.day.lead:
        return plain(report.lead)
    gap = "" if report.language is Language.ZH else " "
    return gap.join(plain(sentence.spans) for sentence in report.day.lead)


def themes_to_json(report: Report) -> list[dict[str, Any]]:
    """The themes with the full names of their changes; none without a model."""
    return [
        {
            "title": plain(theme.title),
            "text": plain(theme.sentence.spans) if theme.sentence else "",
            "commits": list(theme.shas),
            "source": str(theme.source),
        }
        for theme in (report.day.themes if report.day else ())
    ]


def window_to_json(window: Window) -> dict[str, str]:
    """``since`` (inclusive) and ``until`` (exclusive) as ISO 8601 in ``tz``, an IANA name."""
    return {
        "since": window.since.astimezone(window.zone).isoformat(),
        "until": window.until.astimezone(window.zone).isoformat(),
        "tz": window.zone.key,
    }


def coverage_to_json(coverage: Coverage | None) -> dict[str, Any]:
    """The counts by state; empty if nothing was recorded."""
    if coverage is None:
        return {}
    return {
        "total": coverage.total,
        "posted": coverage.posted,
        "archived": coverage.archived,
        "filtered": dict(coverage.filtered),
        "failed": dict(coverage.failed),
    }


def entry_to_json(entry: ReportEntry, zone: ZoneInfo, language: Language) -> dict[str, Any]:
    """A commit with its facts, grade and analysis."""
    graded, analysis = entry.graded, entry.analysis
    return {
        **graded_to_json(graded, zone, language),
        "late": entry.late,
        "analysis": {
            "source": str(analysis.source),
            "rejected": analysis.rejected,
            "partial": analysis.partial,
            "missed": entry.missed,
        },
        "change_types": [str(kind) for kind in analysis.change_types],
        **analysis_to_json(analysis, language),
        "files": [file_to_json(f) for f in graded.facts.files],
        "facts": facts_to_json(graded.facts),
    }


def graded_to_json(graded: Graded, zone: ZoneInfo, language: Language) -> dict[str, Any]:
    """The identity and grade of a commit; also one line of ``digestbot score``."""
    return {
        "sha": graded.sha,
        "pr": graded.number,
        "committed_at": graded.commit.committed_at.astimezone(zone).isoformat(),
        "author": graded.commit.author,
        "subject": graded.commit.subject,
        "level": str(graded.grade.level),
        "score": graded.grade.score,
        "reasons": list(dict.fromkeys(reason_words(r, language) for r in graded.grade.reasons)),
    }


def analysis_to_json(analysis: Analysis, language: Language) -> dict[str, Any]:
    """The sections: ``summary`` as text, the others as statements."""
    return {
        "summary": plain(run(analysis.summary, language)),
        "impact": statements_to_json(analysis.impact),
        "insights": statements_to_json(analysis.insights),
        "risks": statements_to_json(analysis.risks),
        "suggestions": statements_to_json(analysis.suggestions),
        "partial": analysis.partial,
    }


def statements_to_json(statements: Sequence[Statement]) -> list[dict[str, Any]]:
    """Each statement with its words, its aspect (may be empty) and the places that support it."""
    return [
        {
            "text": statement.text,
            "aspect": str(statement.aspect),
            "evidence": [_evidence(e) for e in statement.evidence],
        }
        for statement in statements
    ]


def _evidence(evidence: Evidence) -> dict[str, Any]:
    return {"path": printable(evidence.path), "line": evidence.line, "side": str(evidence.side)}


def file_to_json(file: FileFacts) -> dict[str, Any]:
    """A file of a change; ``added`` and ``deleted`` count lines."""
    return {
        "path": printable(file.path),
        "old_path": None if file.old_path is None else printable(file.old_path),
        "status": str(file.status),
        "added": file.added,
        "deleted": file.deleted,
        "area": str(file.area),
        "omitted": file.omitted,
    }


def facts_to_json(facts: Facts) -> dict[str, Any]:
    """What message and diff say, each item with its place."""
    subject = facts.subject
    series = subject.series
    return {
        "tags": list(subject.tags),
        "type": subject.type,
        "scope": subject.scope,
        "breaking": subject.breaking,
        "series": None if series is None else {"part": series.part, "total": series.total},
        "merge": facts.merge,
        "reverts": _undone(facts.reverts),
        "relands": _undone(facts.relands),
        "issues": list(facts.issues),
        "co_authors": list(facts.co_authors),
        "trailers": [{"key": key, "value": value} for key, value in facts.trailers],
        "items": [_item(item) for item in facts.items],
        **_notes(facts.notes),
    }


def _notes(notes: Sequence[Note]) -> dict[str, Any]:
    """The changelog entries of a change, if it has any."""
    told = [{"mark": note.mark, "text": note.text, **_evidence(note.evidence)} for note in notes]
    return {"notes": told} if told else {}


def _undone(undone: Undone | None) -> dict[str, Any] | None:
    if undone is None:
        return None
    return {"sha": undone.sha, "pr": undone.number, "title": undone.title}


def _item(item: Fact) -> dict[str, Any]:
    known = {
        "elsewhere": item.elsewhere and printable(item.elsewhere),
        "in_file": item.in_file,
        "condition": item.condition,
        "replacement": item.replacement,
        "when": item.when,
        "unreleased": item.unreleased,
    }
    return {
        "kind": str(item.kind),
        "action": str(item.action),
        "name": item.name,
        "before": item.before,
        "after": item.after,
        "detail": item.detail,
        **_evidence(item.evidence),
        **{key: value for key, value in known.items() if value},
        **({} if item.public is None else {"public": item.public}),
    }
