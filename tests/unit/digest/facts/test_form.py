import json

from hypothesis import given, settings
from hypothesis import strategies as st

from digest.change import FileStatus, Side
from digest.facts import (
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
    from_json,
    to_json,
)

# Paths may hold lone surrogates, for bytes that are no UTF-8.
TEXT = st.text(max_size=20)
MAYBE = st.none() | TEXT
NUMBER = st.none() | st.integers(min_value=1, max_value=10**9)
UNDONE = st.none() | st.builds(Undone, sha=TEXT, number=NUMBER, title=TEXT)
FACTS = st.builds(
    Facts,
    subject=st.builds(
        Subject,
        title=TEXT,
        words=TEXT,
        tags=st.lists(TEXT, max_size=3).map(tuple),
        type=TEXT,
        scope=TEXT,
        breaking=st.booleans(),
        number=NUMBER,
        series=st.none() | st.builds(Series, part=st.integers(1, 99), total=NUMBER),
    ),
    files=st.lists(
        st.builds(
            FileFacts,
            path=TEXT,
            status=st.sampled_from(FileStatus),
            area=st.sampled_from(Area),
            language=TEXT,
            old_path=MAYBE,
            added=st.integers(0, 10**6),
            deleted=st.integers(0, 10**6),
            omitted=st.booleans(),
            binary=st.booleans(),
        ),
        max_size=3,
    ).map(tuple),
    items=st.lists(
        st.builds(
            Fact,
            kind=st.sampled_from(FactKind),
            action=st.sampled_from(Action),
            name=TEXT,
            evidence=st.builds(
                Evidence, path=TEXT, line=st.integers(0, 10**6), side=st.sampled_from(Side)
            ),
            before=MAYBE,
            after=MAYBE,
            detail=TEXT,
        ),
        max_size=3,
    ).map(tuple),
    paragraphs=st.lists(TEXT, max_size=3).map(tuple),
    trailers=st.lists(st.tuples(TEXT, TEXT), max_size=3).map(tuple),
    co_authors=st.lists(TEXT, max_size=3).map(tuple),
    issues=st.lists(st.integers(1, 10**6), max_size=3).map(tuple),
    reverts=UNDONE,
    relands=UNDONE,
    merge=st.booleans(),
    version=st.integers(1, 9),
)


@given(FACTS)
@settings(max_examples=60)
def test_facts_survive_json(facts):
    assert from_json(json.loads(json.dumps(to_json(facts)))) == facts


def test_path_of_undecodable_bytes_survives_json():
    path = b"caf\xe9.txt".decode("utf-8", "surrogateescape")
    facts = Facts(
        subject=Subject(title="x", words="x"),
        files=(FileFacts(path=path, status=FileStatus.ADDED, area=Area.CORE),),
    )
    assert from_json(json.loads(json.dumps(to_json(facts)))) == facts


def test_keys_of_the_documented_form():
    facts = Facts(
        subject=Subject(title="x", words="x", series=Series(part=1)),
        files=(FileFacts(path="a", status=FileStatus.ADDED, area=Area.CORE),),
        items=(
            Fact(
                kind=FactKind.FLAG,
                action=Action.ADDED,
                name="--x",
                evidence=Evidence(path="a", line=1, side=Side.NEW),
            ),
        ),
        reverts=Undone(),
    )
    value = to_json(facts)
    assert set(value) == {
        "version",
        "subject",
        "files",
        "items",
        "paragraphs",
        "trailers",
        "co_authors",
        "issues",
        "reverts",
        "relands",
        "merge",
    }
    assert set(value["items"][0]) == {
        "kind",
        "action",
        "name",
        "before",
        "after",
        "detail",
        "evidence",
    }
    assert value["items"][0]["evidence"] == {"path": "a", "line": 1, "side": "new"}
    assert value["subject"]["series"] == {"part": 1, "total": None}
