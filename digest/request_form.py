"""A request as a JSON value and back, exactly. Imports ``request`` only."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from digest.request import PullRequest, RequestState, Reviewer, Verdict

Json = dict[str, Any]


def request_to_json(request: PullRequest) -> Json:
    """A value that ``json.dumps`` takes; moments are seconds since 1970."""
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
            Reviewer(name=name, verdict=Verdict(verdict)) for name, verdict in value["reviewers"]
        ),
        reviewed=value["reviewed"],
        files=value["files"],
    )


def _seconds(moment: datetime) -> int:
    return int(moment.timestamp())


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
