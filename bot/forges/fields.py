"""Fields of a forge's JSON, with types checked and lengths bounded, and values built from them.

A forge is somebody else's program: a missing or mistyped field raises ``ValueError``, which
:mod:`bot.forges.forge_client` turns into ``ForgeDown``. GitHub and Gitea share the functions for
requests, changes, issues and releases, because Gitea's API follows GitHub's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from digest.core import request as forge
from digest.core.change import Change, Commit, FileChange

Json = Mapping[str, Any]
TITLE = 1_000
BODY = 65_536  # characters of a title and of a body that are kept; GitHub allows 256 and 65,536
NAME = 200
_MOST_NAMES = 100
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")


def table(value: object) -> Json:
    """An object. Raises ``ValueError``, as all functions here do."""
    if not isinstance(value, Mapping):
        raise ValueError("not an object")  # noqa: TRY004 - invalid input
    return value


def tables(value: object) -> Sequence[Json]:
    """A list of objects."""
    if not isinstance(value, list):
        raise ValueError("not a list")  # noqa: TRY004 - invalid input
    return [table(item) for item in value]


def text(of: Json, key: str, longest: int = NAME) -> str:
    """A text, cut to ``longest``; empty if missing or null."""
    value = of.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{key} is not a string")  # noqa: TRY004 - invalid input
    return value[:longest].replace("\0", "")


def line(of: Json, key: str, longest: int = NAME) -> str:
    """A text on one line."""
    return " ".join(text(of, key, longest).split())


def number(of: Json, key: str) -> int:
    """An integer that is not negative."""
    value = of.get(key)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise ValueError(f"{key} is not a number")
    return value


def count(of: Json, key: str) -> int:
    """An integer, 0 if missing."""
    return number(of, key) if of.get(key) is not None else 0


def flag(of: Json, key: str) -> bool:
    """Whether a field is set."""
    return of.get(key) is True


def inner(of: Json, key: str) -> Json:
    """An inner object; empty if missing or null, since accounts can be deleted."""
    value = of.get(key)
    return {} if value is None else table(value)


def sha_field(of: Json, key: str) -> str:
    """The full sha of a commit; empty for none."""
    value = text(of, key).lower()
    if value and not _SHA.fullmatch(value):
        raise ValueError(f"{key} is not a commit")
    return value


def moment(of: Json, key: str) -> datetime:
    """An aware moment in UTC."""
    value = moment_or_none(of, key)
    if value is None:
        raise ValueError(f"{key} is missing")
    return value


def moment_or_none(of: Json, key: str) -> datetime | None:
    """A moment, if there is one."""
    written = text(of, key)
    if not written:
        return None
    value = datetime.fromisoformat(written)
    try:
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
    except OverflowError as error:
        raise ValueError(f"{key} is not a time") from error


def names(of: Json, key: str, inside: str = "name") -> tuple[str, ...]:
    """The names in a list of texts or of objects, such as labels; empty if missing."""
    value = of.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        raise ValueError(f"{key} is not a list")  # noqa: TRY004 - invalid input
    values = (
        line({"": item}, "") if isinstance(item, str) else line(table(item), inside)
        for item in value
    )
    return tuple(dict.fromkeys(name for name in values if name))[:_MOST_NAMES]


_MOST_NAMED = 100  # the most requests and commits kept of an issue


def request(
    data: Json, repository: str, reviewers: tuple[forge.Reviewer, ...] | None, *, merged: bool
) -> forge.PullRequest:
    """A pull request; ``reviewers`` is ``None`` if they were not requested."""
    is_open = text(data, "state") == "open"
    body = text(data, "body", BODY)
    ended = forge.RequestState.MERGED if merged else forge.RequestState.CLOSED
    return forge.PullRequest(
        number=number(data, "number"),
        title=line(data, "title", TITLE),
        state=forge.RequestState.OPEN if is_open else ended,
        author=author(data),
        created_at=moment(data, "created_at"),
        updated_at=moment(data, "updated_at"),
        body=body,
        draft=flag(data, "draft"),
        base=line(inner(data, "base"), "ref"),
        head=sha_field(inner(data, "head"), "sha"),
        # For an open request this is a trial merge.
        merge_commit=sha_field(data, "merge_commit_sha") if merged else "",
        merged_at=moment_or_none(data, "merged_at") if merged else None,
        labels=names(data, "labels"),
        issues=forge.closing(body, repository),
        reviewers=reviewers or (),
        reviewed=reviewers is not None,
        files=count(data, "changed_files"),
    )


def author(data: Json) -> str:
    """The author; a deleted account is shown as ``ghost``, as GitHub does."""
    return line(inner(data, "user"), "login") or "ghost"


def change(data: Json, files: Sequence[FileChange]) -> Change:
    """A commit with its files."""
    commit = inner(data, "commit")
    written, committed = inner(commit, "author"), inner(commit, "committer")
    sha = sha_field(data, "sha")
    if not sha:
        raise ValueError("a commit without a hash")
    return Change(
        commit=Commit(
            sha=sha,
            parents=tuple(sha_field(parent, "sha") for parent in tables(data.get("parents", []))),
            author=line(written, "name"),
            email=line(written, "email"),
            authored_at=moment(written, "date"),
            committed_at=moment(committed, "date"),
            message=text(commit, "message", BODY),
        ),
        files=tuple(files),
    )


def issue(data: Json, mentions: Iterable[int], closings: Iterable[str] = ()) -> forge.Issue:
    """An issue; ``mentions`` are requests that name it, ``closings`` commits that closed it."""
    closed = text(data, "state") == "closed"
    return forge.Issue(
        number=number(data, "number"),
        title=line(data, "title", TITLE),
        state=forge.IssueState.CLOSED if closed else forge.IssueState.OPEN,
        author=author(data),
        created_at=moment(data, "created_at"),
        body=text(data, "body", BODY),
        labels=names(data, "labels"),
        closed_at=moment_or_none(data, "closed_at"),
        mentions=tuple(dict.fromkeys(mentions))[:_MOST_NAMED],
        closed_by=tuple(dict.fromkeys(closings))[:_MOST_NAMED] if closed else (),
    )


_CHECKS = {
    forge.CheckState.PASSED: {"success", "neutral", "skipped", "warning"},
    forge.CheckState.FAILED: {
        *("failure", "failed", "error", "timed_out", "cancelled", "canceled", "action_required"),
        *("startup_failure", "stale"),
    },
}


def checks(given: Iterable[tuple[str, str]]) -> forge.Checks | None:
    """All checks of a commit, from their names and states in the words of any forge."""
    names: dict[forge.CheckState, dict[str, None]] = {}
    for name, state in given:
        known = (one for one, words in _CHECKS.items() if state in words)
        names.setdefault(next(known, forge.CheckState.RUNNING), {})[name or state] = None
    failed = tuple(names.get(forge.CheckState.FAILED, ()))[:_MOST_NAMES]
    for worst in reversed(forge.CheckState):
        if worst in names:
            return forge.Checks(state=worst, failed=failed)
    return None


def release(data: Json) -> forge.Release:
    """A published release."""
    return forge.Release(
        tag=line(data, "tag_name"),
        name=line(data, "name") or line(data, "tag_name"),
        published_at=moment(data, "published_at"),
        body=text(data, "body", BODY),
        prerelease=flag(data, "prerelease"),
    )
