"""Arbitrary facts, to test that they survive storage."""

from __future__ import annotations

from hypothesis import strategies as st

from digest.core.change import FileStatus, Side
from digest.core.facts import (
    FACTS_VERSION,
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

_counts = st.integers(0, 10**6)
_numbers = st.none() | st.integers(1, 10**9)


def facts_of(
    texts: st.SearchStrategy[str],
    paths: st.SearchStrategy[str],
    *,
    versions: st.SearchStrategy[int] = st.just(FACTS_VERSION),  # noqa: B008  # a value that stays
) -> st.SearchStrategy[Facts]:
    """Facts with these texts and paths; without ``versions`` they have the newest version."""
    undone = st.none() | st.builds(Undone, sha=texts, number=_numbers, title=texts)
    return st.builds(
        Facts,
        subject=_subjects(texts),
        files=_some(_files(texts, paths)),
        items=_some(_items(texts, paths)),
        clues=_some(_clues(texts, paths)),
        paragraphs=_some(texts),
        trailers=_some(st.tuples(texts, texts)),
        co_authors=_some(texts),
        issues=_some(st.integers(1, 10**9)),
        reverts=undone,
        relands=undone,
        merge=st.booleans(),
        notes=_some(
            st.builds(
                Note,
                mark=st.sampled_from(["", "breaking", "fixed"]),
                text=texts,
                evidence=st.builds(Evidence, path=paths, line=_counts, side=st.sampled_from(Side)),
            )
        ),
        version=versions,
    )


def _some(values: st.SearchStrategy) -> st.SearchStrategy[tuple]:
    return st.lists(values, max_size=3).map(tuple)


def _subjects(texts: st.SearchStrategy[str]) -> st.SearchStrategy[Subject]:
    return st.builds(
        Subject,
        title=texts,
        words=texts,
        tags=_some(texts),
        type=texts,
        scope=texts,
        breaking=st.booleans(),
        number=_numbers,
        series=st.none() | st.builds(Series, part=st.integers(1, 99), total=_numbers),
    )


def _files(
    texts: st.SearchStrategy[str], paths: st.SearchStrategy[str]
) -> st.SearchStrategy[FileFacts]:
    return st.builds(
        FileFacts,
        path=paths,
        status=st.sampled_from(FileStatus),
        area=st.sampled_from(Area),
        language=texts,
        old_path=st.none() | paths,
        added=_counts,
        deleted=_counts,
        omitted=st.booleans(),
        binary=st.booleans(),
    )


def _items(texts: st.SearchStrategy[str], paths: st.SearchStrategy[str]) -> st.SearchStrategy[Fact]:
    return st.builds(
        Fact,
        kind=st.sampled_from(FactKind),
        action=st.sampled_from(Action),
        name=texts,
        evidence=st.builds(Evidence, path=paths, line=_counts, side=st.sampled_from(Side)),
        before=st.none() | texts,
        after=st.none() | texts,
        detail=texts,
        elsewhere=st.none() | paths,
        in_file=st.booleans(),
        condition=st.none() | texts,
        replacement=st.none() | texts,
        when=st.none() | texts,
        public=st.none() | st.booleans(),
    )


def _clues(texts: st.SearchStrategy[str], paths: st.SearchStrategy[str]) -> st.SearchStrategy[Clue]:
    return st.builds(
        Clue,
        kind=st.sampled_from(ClueKind),
        evidence=st.builds(Evidence, path=paths, line=_counts, side=st.sampled_from(Side)),
        text=texts,
        name=texts,
        before=st.none() | texts,
        after=st.none() | texts,
    )
