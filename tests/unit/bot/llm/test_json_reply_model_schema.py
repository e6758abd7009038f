import pytest

from bot.llm.json_reply import problem

SCHEMA = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["fix", "feature"]},
        "risk": {"type": "integer"},
        "note": {"type": "string"},
        "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
    },
    "required": ["kind", "risk", "note", "items"],
    "additionalProperties": False,
    "$defs": {
        "item": {
            "type": "object",
            "properties": {
                "n": {"type": "integer"},
                "inner": {"type": "array", "items": {"$ref": "#/$defs/item"}},
            },
            "required": ["n"],
            "additionalProperties": False,
        }
    },
}
GOOD = {"kind": "fix", "risk": 2, "note": "", "items": [{"n": 1}]}


def test_problem_of_a_value_that_fits_is_empty():
    assert problem(GOOD, SCHEMA) == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "chore"}, "the reply.kind must be one of 'fix', 'feature', not 'chore'"),
        ({"risk": True}, "the reply.risk must be integer, not boolean"),
        ({"risk": 1.0}, "the reply.risk must be integer, not number"),
        ({"note": None}, "the reply.note must be string, not null"),
        ({"note": 3}, "the reply.note must be string, not integer"),
        ({"items": [{"n": 1}, {}]}, "the reply.items[1] lacks 'n'"),
        (
            {"items": [{"n": 1, "inner": [{"n": "x"}]}]},
            "the reply.items[0].inner[0].n must be integer",
        ),
        ({"more": 1}, "the reply has the unknown key 'more'"),
    ],
)
def test_problem_names_the_place(change, said):
    assert said in problem(GOOD | change, SCHEMA)


@pytest.mark.parametrize("value", [None, [], "x", 1])
def test_problem_of_something_else(value):
    assert "the reply must be object" in problem(value, SCHEMA)


def test_problem_lists_a_missing_key():
    assert problem({}, SCHEMA) == "the reply lacks 'kind'"


def test_rule_that_is_not_known_is_never_skipped():
    with pytest.raises(AssertionError, match="pattern"):
        problem("x", {"type": "string", "pattern": "^a"})
