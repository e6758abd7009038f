"""An answer as JSON: what ``ask`` and ``explain`` print with ``--format json``.

Keys never change their meaning within a schema; new keys may come.
"""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from digest.answer import Answer, Row
from digest.report.form import SCHEMA, window_to_json


def answer_to_json(answer: Answer, text: str, zone: ZoneInfo) -> dict[str, Any]:
    """The answer with its rows, newest first; ``text`` is its document as it was shown.

    Every match is listed only where the answer was made with all of them.

    Times are ISO 8601 in ``zone``. ``window`` and ``topic`` are ``null`` where the
    question has none; ``understood`` where its own words were understood.
    """
    return {
        "schema": SCHEMA,
        "intent": answer.intent,
        "understood": answer.understood or None,
        "window": window_to_json(answer.window) if answer.window else None,
        "topic": answer.topic or None,
        "total": answer.total,
        "changes": [_row(row, zone) for row in answer.rows],
        "text": text,
    }


def _row(row: Row, zone: ZoneInfo) -> dict[str, Any]:
    graded = row.graded
    return {
        "sha": graded.sha,
        "pr": graded.number,
        "subject": graded.commit.subject,
        "level": str(graded.grade.level),
        "score": graded.grade.score,
        "committed_at": graded.commit.committed_at.astimezone(zone).isoformat(),
        "why": row.why,
    }
