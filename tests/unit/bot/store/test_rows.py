import json

from hypothesis import given, settings
from hypothesis import strategies as st

from bot.store.rows import facts_from_json, facts_to_json
from digest.core.change import FileStatus, Side
from digest.core.facts import (
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
from tests.support.strategies_facts import facts_of

# Paths may hold lone surrogates, for bytes that are no UTF-8.
TEXT = st.text(max_size=20)

FACTS = facts_of(TEXT, TEXT, versions=st.integers(1, 9))


@given(FACTS)
@settings(max_examples=60)
def test_facts_survive_json(facts):
    assert facts_from_json(json.loads(json.dumps(facts_to_json(facts)))) == facts


def test_path_of_undecodable_bytes_survives_json():
    path = b"caf\xe9.txt".decode("utf-8", "surrogateescape")
    facts = Facts(
        subject=Subject(title="x", words="x"),
        files=(FileFacts(path=path, status=FileStatus.ADDED, area=Area.CORE),),
    )
    assert facts_from_json(json.loads(json.dumps(facts_to_json(facts)))) == facts


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
    value = facts_to_json(facts)
    assert set(value) == {
        "version",
        "subject",
        "files",
        "items",
        "clues",
        "paragraphs",
        "trailers",
        "co_authors",
        "issues",
        "reverts",
        "relands",
        "merge",
        "notes",
    }
    assert set(value["items"][0]) == {
        "kind",
        "action",
        "name",
        "before",
        "after",
        "detail",
        "evidence",
        "elsewhere",
        "in_file",
        "condition",
        "replacement",
        "when",
        "public",
        "unreleased",
    }
    assert value["items"][0]["evidence"] == {"path": "a", "line": 1, "side": "new"}
    assert value["subject"]["series"] == {"part": 1, "total": None}
