"""Graded changes for the archive, plain ones and what hypothesis thinks of."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime, timedelta

from hypothesis import strategies as st

from digest.core.change import Commit, FileStatus, Side
from digest.core.facts import (
    FACTS_VERSION,
    Action,
    Area,
    Evidence,
    Fact,
    FactKind,
    Facts,
    FileFacts,
    Subject,
)
from digest.core.grade import Grade, Graded, Level, Reason, Repository
from tests.support.strategies_facts import facts_of

REPOSITORY = Repository(name="owner/name", web="https://forge.example/owner/name", forge="github")
OTHER = Repository(name="owner/other")
START = datetime(2026, 1, 1, tzinfo=UTC)


def sha_of(n: int) -> str:
    return hashlib.sha1(f"sample {n}".encode()).hexdigest()


def made(
    n: int,
    title: str = "Change a thing",
    *,
    body: str = "",
    paths: tuple[str, ...] = ("src/thing.py",),
    names: tuple[str, ...] = (),
    author: str = "Ada Lovelace",
    at: datetime | None = None,
    parents: tuple[str, ...] = (),
    number: int | None = None,
    level: Level = Level.MEDIUM,
    score: float = 0.3,
    version: int = FACTS_VERSION,
    omitted: int = 0,
    tags: tuple[str, ...] = (),
) -> Graded:
    """The n-th sample: one minute after the one before it."""
    moment = at or START + timedelta(minutes=n)
    return Graded(
        commit=Commit(
            sha=sha_of(n),
            parents=parents,
            author=author,
            email="ada@example.org",
            authored_at=moment - timedelta(hours=2),
            committed_at=moment,
            message=f"{title}\n\n{body}" if body else title,
        ),
        facts=Facts(
            subject=Subject(title=title, words=title, tags=tags, number=number),
            files=tuple(
                FileFacts(
                    path=path,
                    status=FileStatus.MODIFIED,
                    area=Area.CORE,
                    added=1,
                    omitted=place < omitted,
                )
                for place, path in enumerate(paths)
            ),
            items=tuple(
                Fact(
                    kind=FactKind.SYMBOL,
                    action=Action.ADDED,
                    name=name,
                    evidence=Evidence(path=paths[0], line=1, side=Side.NEW),
                )
                for name in names
            ),
            version=version,
        ),
        grade=Grade(score=score, level=level, reasons=(Reason(rule="r", weight=0.5, subject="s"),)),
    )


# What a path can hold: any byte but NUL, undecodable ones as lone surrogates.
_bytes = st.binary(min_size=1, max_size=12).filter(lambda b: b"\0" not in b)
paths = _bytes.map(lambda b: b.decode("utf-8", "surrogateescape"))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)

# What git keeps of a commit holds no NUL, and PostgreSQL would not take one.
written = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
moments = st.integers(0, 4_000_000_000).map(lambda s: datetime.fromtimestamp(s, UTC))
facts = facts_of(texts, paths)
changes = st.builds(
    Graded,
    commit=st.builds(
        Commit,
        sha=st.integers(0, 10**9).map(sha_of),
        parents=st.lists(st.integers(0, 10**9).map(sha_of), max_size=2).map(tuple),
        author=written,
        email=written,
        authored_at=moments,
        committed_at=moments,
        message=written,
    ),
    facts=facts,
    grade=st.builds(
        Grade,
        score=st.floats(0, 1),
        level=st.sampled_from(list(Level)),
        reasons=st.lists(
            st.builds(Reason, rule=texts, weight=st.floats(-5, 5), subject=texts), max_size=3
        ).map(tuple),
    ),
)
