"""What a judgement took and lacked: for the log, and for the person at the terminal.

Why a change was not judged is told here and nowhere else: a report only says that it was not.
"""

from __future__ import annotations

from collections import Counter

import structlog

from handlers.judgement import Judgement

log = structlog.get_logger(__name__)


def note(judgement: Judgement, repository: str, *, channel: str) -> None:
    """Log what was judged and what was not."""
    about = {"repository": repository, "channel": channel}
    for missed in judgement.missed.values():
        log.warning(
            "analysis.missed", sha=missed.sha, reason=missed.reason, detail=missed.detail, **about
        )
    if judgement.unled is not None:
        unled = judgement.unled
        log.warning("lead.missed", reason=unled.reason.value, detail=unled.detail, **about)
    spent = judgement.spent
    log.info(
        "changes.judged",
        judged=len(judgement.analyses),
        missed=len(judgement.missed),
        secrets=judgement.secrets,
        calls=spent.calls,
        tokens=spent.tokens,
        cost=str(spent.cost),
        **about,
    )


def shortfall(judgement: Judgement) -> str:
    """What the model did not tell of and why, in a line; empty where nothing is missing."""
    reasons = Counter(missed.reason for missed in judgement.missed.values())
    if not reasons:
        unled = judgement.unled
        return f"the lead is made by rule ({unled.reason.value})" if unled else ""
    told = ", ".join(f"{reason} {count}" for reason, count in reasons.most_common())
    every = len(judgement.missed) + len(judgement.analyses)
    return f"{len(judgement.missed)} of {every} changes are told from facts alone ({told})"
