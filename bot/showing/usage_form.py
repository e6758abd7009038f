"""What models took, as JSON. See ``docs/json.md``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from handlers.model_port import Usage

if TYPE_CHECKING:
    from handlers.judgement import Judgement


def with_usage(
    report: Mapping[str, Any], judgement: Judgement | None, currency: str
) -> dict[str, Any]:
    """A report's JSON with what its analyses took, each when it was made, and this run in all."""
    spent = judgement.spent if judgement else Usage()
    commits = [commit_with_usage(commit, judgement, currency) for commit in report["commits"]]
    return {**report, "usage": usage_to_json(spent, currency), "commits": commits}


def commit_with_usage(
    commit: Mapping[str, Any], judgement: Judgement | None, currency: str
) -> dict[str, Any]:
    """A commit's JSON with what its analysis took when it was made."""
    made = judgement.made.get(commit["sha"]) if judgement else None
    return {**commit, "usage": usage_to_json(made, currency) if made is not None else None}


def usage_to_json(usage: Usage, currency: str) -> dict[str, Any]:
    """A usage by its parts; ``cost`` is in the currency of the configuration."""
    return {
        "calls": usage.calls,
        "input_tokens": usage.input_tokens,
        "cached_tokens": usage.cached_tokens,
        "output_tokens": usage.output_tokens,
        "cost": float(usage.cost),
        "currency": currency,
        "estimated": usage.estimated,
    }
