import pytest

from bot.llm.json_reply import problem

SCHEMA = {
    "type": "object",
    "properties": {
        "kind": {"type": "string", "enum": ["fix", "feature"]},
        "risk": {"type": "integer", "minimum": 0, "maximum": 5},
        "note": {"type": ["string", "null"], "maxLength": 5},
        "items": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/item"}},
        "either": {"anyOf": [{"type": "string"}, {"type": "null"}]},
    },
    "required": ["kind", "risk", "note", "items", "either"],
    "additionalProperties": False,
    "$defs": {
        "item": {
            "type": "object",
            "properties": {
                "n": {"type": "number"},
                "inner": {"type": "array", "items": {"$ref": "#/$defs/item"}},
            },
            "required": ["n"],
            "additionalProperties": False,
        }
    },
}
GOOD = {"kind": "fix", "risk": 2, "note": None, "items": [{"n": 1.5}], "either": None}


def test_problem_of_a_value_that_fits_is_empty():
    assert problem(GOOD, SCHEMA) == ""


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"kind": "chore"}, "the reply.kind must be one of 'fix', 'feature', not 'chore'"),
        ({"risk": 9}, "the reply.risk is above 5"),
        ({"risk": True}, "the reply.risk must be integer, not boolean"),
        ({"risk": 1.0}, "the reply.risk must be integer, not number"),
        ({"note": "longer"}, "the reply.note is longer than 5"),
        ({"note": 3}, "the reply.note must be string or null, not integer"),
        ({"items": []}, "the reply.items has fewer than 1 items"),
        ({"items": [{"n": 1}, {}]}, "the reply.items[1] lacks 'n'"),
        (
            {"items": [{"n": 1, "inner": [{"n": "x"}]}]},
            "the reply.items[0].inner[0].n must be number",
        ),
        ({"either": 1}, "the reply.either fits none of the forms"),
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


def test_problem_of_endless_nesting_ends():
    value: dict = {"n": 1}
    for _ in range(60):
        value = {"n": 1, "inner": [value]}
    assert "nested too deep" in problem(
        value, {**SCHEMA["$defs"]["item"], "$defs": SCHEMA["$defs"]}
    )


@pytest.mark.parametrize(
    ("rule", "fits", "beyond", "said"),
    [
        ("minimum", 3, 2, "is below 3"),
        ("maximum", 3, 4, "is above 3"),
        ("minLength", "abc", "ab", "is shorter than 3"),
        ("maxLength", "abc", "abcd", "is longer than 3"),
        ("minItems", [1, 2, 3], [1, 2], "has fewer than 3 items"),
        ("maxItems", [1, 2, 3], [1, 2, 3, 4], "has more than 3 items"),
    ],
)
def test_value_at_a_bound_fits_and_the_next_one_does_not(rule, fits, beyond, said):
    assert problem(fits, {rule: 3}) == ""
    assert problem(beyond, {rule: 3}) == f"the reply {said}"


def test_rule_that_is_not_known_is_never_skipped():
    with pytest.raises(AssertionError, match="pattern"):
        problem("x", {"type": "string", "pattern": "^a"})
