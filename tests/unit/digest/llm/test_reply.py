"""Whole replies against a change: what is kept, what falls back to the facts, what is counted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.analysis.analyse import analyse
from digest.analysis.context import BOUNDS
from digest.core.enums import Language
from digest.core.grade import Level
from digest.core.statement import Aspect, ChangeType, Origin
from digest.llm.format_check import Rejection
from digest.llm.prompt import ANALYSIS, DAY, LINES, NOTES, meaning
from digest.llm.reply import (
    SECTIONS,
    judge_reply,
    lines_reader,
    notes_reader,
    read_lines,
    read_notes,
    reader,
)
from tests.support import materials
from tests.support.materials import prompt_for
from tests.support.model_replies import parse_reply

POOL = materials.pool()

TRUE = {"text": "Removes the flag `--use-pool`.", "cites": ["F1.H4"]}

FALSE = {"text": "Removes the flag `--use-ponds`.", "cites": ["F1.H4"]}

NONE = {"move": "none", "rule": "none", "cites": []}


def reply(**sections):
    empty = {"summary": [], "impact": [], "insights": [], "risks": [], "suggestions": []}
    return {"change_types": ["feature"], **empty, "importance": NONE, **sections}


def statements(schema):
    """Every object schema in a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from statements(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from statements(value)


@pytest.mark.parametrize("schema", [ANALYSIS, LINES, NOTES, DAY, None])
def test_schemas_keep_to_what_strict_servers_take(schema):
    schema = schema or meaning("digest", "help")
    assert schema["type"] == "object"
    assert "anyOf" not in schema
    for one in statements(schema):
        assert one["additionalProperties"] is False
        assert one["required"] == list(one["properties"])
    known = {
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
        "$defs",
        "$ref",
    }
    for one in statements(schema):
        assert set(one) <= known
        for inner in one["properties"].values():
            assert set(inner) <= known


def test_what_is_true_is_kept_and_the_rest_told_from_the_facts():
    facts = analyse(POOL.graded, Language.EN)
    found = parse_reply(reply(risks=[TRUE, FALSE]), POOL, Language.EN)
    assert found.source is Origin.MODEL
    assert [s.text for s in found.risks] == ["Removes the flag --use-pool."]
    assert found.summary == facts.summary
    assert found.suggestions == facts.suggestions
    assert found.rejected == 0.5


@pytest.mark.parametrize("section", SECTIONS)
def test_section_is_the_model_s_if_a_sentence_of_it_is_kept_and_else_that_of_the_facts(section):
    facts = analyse(POOL.graded, Language.EN)
    found = parse_reply(reply(**{section: [{**TRUE, "aspect": "none"}]}), POOL, Language.EN)
    for one in SECTIONS:
        kept = getattr(found, one)
        if one == section:
            assert [s.text for s in kept] == ["Removes the flag --use-pool."]
        else:
            assert kept == getattr(facts, one)


def test_a_reply_of_nothing_true_is_the_analysis_of_the_facts():
    judged = judge_reply(reply(summary=[FALSE]), POOL, Language.EN)
    assert judged.analysis.source is Origin.FACTS
    assert judged.analysis.rejected == 1.0
    assert judged.analysis.summary == analyse(POOL.graded, Language.EN).summary
    assert [drop.failed.fault for drop in judged.dropped] == [Rejection.FLAG]


def test_the_reader_says_what_to_mend():
    with pytest.raises(ValueError, match=r"the flag `--use-ponds`.' \(flag: --use-ponds\)$"):
        reader(POOL, Language.EN)(reply(summary=[FALSE]))
    unknown = {**TRUE, "text": "Une option de la ligne de commande est partie pour les pools."}
    with pytest.raises(ValueError, match=r"pools.' \(language\)$"):
        reader(POOL, Language.EN)(reply(summary=[unknown]))
    with pytest.raises(ValueError, match="holds no statement"):
        reader(POOL, Language.EN)({})
    assert reader(POOL, Language.EN)(reply(summary=[TRUE])).analysis.source is Origin.MODEL


def test_what_is_said_twice_is_kept_once_and_no_fault():
    found = parse_reply(reply(summary=[TRUE, TRUE]), POOL, Language.EN)
    assert len(found.summary) == 1
    assert found.rejected == 0.0


def test_sections_keep_to_the_bounds_of_the_level():
    many = [
        {"text": f"The pool, case {'x' * n}, is sized anew.", "cites": ["M"]} for n in range(40)
    ]
    for level in Level:
        change = materials.pool(level)
        found = parse_reply(reply(summary=many, insights=many, risks=many), change, Language.EN)
        for section in ("summary", "insights", "risks"):
            assert len(getattr(found, section)) <= max(
                getattr(BOUNDS[level], section),
                len(getattr(analyse(change.graded, Language.EN), section)),
            )
    raised = reply(
        summary=many, importance={"move": "raise", "rule": "contract", "cites": ["F1.H4"]}
    )
    deep = parse_reply(raised, materials.pool(Level.MEDIUM), Language.EN)
    assert len(deep.summary) == BOUNDS[Level.HIGH].summary


def test_aspects_are_those_of_insights():
    one = {**TRUE, "aspect": "compatibility"}
    found = parse_reply(
        reply(insights=[one], risks=[{**TRUE, "text": "`--use-pool` is gone."}]), POOL, Language.EN
    )
    assert [s.aspect for s in found.insights] == [Aspect.COMPATIBILITY]
    assert [s.aspect for s in found.risks] == [Aspect.NONE]


def test_types_that_nothing_bears_out_are_not_taken():
    value = reply(summary=[TRUE])
    value["change_types"] = ["revert", "security", "dependency", "feature", "nonsense"]
    assert parse_reply(value, POOL, Language.EN).change_types == (ChangeType.FEATURE,)


@pytest.mark.parametrize(
    ("aspect", "named", "types"),
    [
        ("compatibility", ["breaking", "security", "fix"], ["breaking", "fix"]),
        ("security", ["breaking", "security", "security"], ["security"]),
        ("performance", ["performance", "architecture"], ["performance"]),
        ("architecture", ["refactor", "architecture"], ["refactor", "architecture"]),
        ("performance", ["fix", "refactor", "docs", "tests", "build", "ci"],
         ["fix", "refactor", "tests", "build"]),
        ("security", ["dependency"], None),
        ("security", "fix", ["fix"]),
    ],
)  # fmt: skip
def test_types_are_those_that_the_facts_or_kept_insights_support(aspect, named, types):
    value = reply(insights=[{**TRUE, "aspect": aspect}]) | {"change_types": named}
    found = parse_reply(value, POOL, Language.EN)
    facts = analyse(POOL.graded, Language.EN).change_types
    assert [str(one) for one in found.change_types] == (types or [str(one) for one in facts])
    nothing = reply(insights=[{**FALSE, "aspect": aspect}]) | {"change_types": ["fix"]}
    assert parse_reply(nothing, POOL, Language.EN).change_types == facts


def test_what_the_author_calls_breaking_stays_so_whatever_the_model_says():
    made = materials.material("feat!: drop it", ("engine/cli.py", "x = 1\n", "y = 1\n"))
    for named, types in (
        (["fix"], (ChangeType.BREAKING, ChangeType.FIX)),
        (["fix", "breaking"], (ChangeType.BREAKING, ChangeType.FIX)),
    ):
        value = reply(summary=[{"text": "Drops it.", "cites": ["M"]}]) | {"change_types": named}
        assert parse_reply(value, made, Language.EN).change_types == types


def test_what_the_prompt_did_not_show_is_told():
    prompt = prompt_for(POOL, Language.ZH, materials.words, 100_000)
    judged = judge_reply(reply(), POOL, Language.ZH, omitted=prompt.omitted)
    assert judged.analysis.partial == "模型未读取：锁文件：poetry.lock。"


@pytest.mark.parametrize(
    ("level", "proposal", "after"),
    [
        (Level.MEDIUM, {"move": "raise", "rule": "contract", "cites": ["F1.H4"]}, Level.HIGH),
        (Level.MEDIUM, {"move": "lower", "rule": "user-visible", "cites": ["F1"]}, Level.LOW),
        (Level.LOW, {"move": "raise", "rule": "security", "cites": ["F1.H1", "M"]}, Level.MEDIUM),
        (Level.HIGH, {"move": "raise", "rule": "contract", "cites": ["F1.H4"]}, Level.HIGH),
        (Level.LOW, {"move": "lower", "rule": "contract", "cites": ["F1.H4"]}, Level.LOW),
        (Level.MEDIUM, {"move": "raise", "rule": "mood", "cites": ["F1.H4"]}, Level.MEDIUM),
        (Level.MEDIUM, {"move": "raise", "rule": "none", "cites": ["F1.H4"]}, Level.MEDIUM),
        (Level.MEDIUM, {"move": "raise", "rule": "contract", "cites": []}, Level.MEDIUM),
        (Level.MEDIUM, {"move": "raise", "rule": "contract", "cites": ["F9.H4"]}, Level.MEDIUM),
        (Level.MEDIUM, {"move": "raise", "rule": "contract", "cites": ["F1", "F9"]}, Level.MEDIUM),
        (Level.MEDIUM, {"move": "raise", "rule": "contract", "cites": ["M"]}, Level.MEDIUM),
        (Level.MEDIUM, {"move": "raise", "rule": "contract", "cites": "F1"}, Level.MEDIUM),
        (Level.MEDIUM, {"move": "raise", "rule": "contract", "cites": ["M", "F1"]}, Level.HIGH),
        (Level.MEDIUM, {"move": "high", "rule": "contract", "cites": ["F1"]}, Level.MEDIUM),
        (Level.MEDIUM, {"rule": ["contract"], "move": {}, "cites": [1, None]}, Level.MEDIUM),
        (Level.MEDIUM, "high", Level.MEDIUM),
        (Level.MEDIUM, None, Level.MEDIUM),
    ],
)
def test_a_level_moves_one_step_by_a_named_rule_with_a_citation(level, proposal, after):
    change = materials.pool(level)
    before = change.graded.grade
    grade = judge_reply(reply(importance=proposal), change, Language.EN).grade
    assert grade.level is after
    assert grade.reasons[: len(before.reasons)] == before.reasons
    if after is level:
        assert grade == before
    else:
        reason = grade.reasons[-1]
        assert reason.rule == "model_" + proposal["rule"].replace("-", "_")
        assert reason.subject == "engine/cli.py"
        assert (reason.weight > 0) is (proposal["move"] == "raise")


def test_depth_follows_the_moved_level():
    raised = {"move": "raise", "rule": "contract", "cites": ["F1.H4"]}
    judged = judge_reply(
        reply(summary=[TRUE], importance=raised), materials.pool(Level.MEDIUM), Language.EN
    )
    assert judged.grade.level is Level.HIGH
    assert judged.analysis.risks == analyse(POOL.graded, Language.EN).risks


def test_lines_are_read_by_their_ids():
    changes = [materials.pool(Level.LOW), materials.versions(), materials.renamed()]
    value = {
        "changes": [
            {
                "id": "C2",
                "text": "Raises torch from 2.8.0 to 2.9.1.",
                "cites": ["C2.F1.H1"],
                "importance": NONE,
            },
            {"id": " c1 ", "text": "Removes `--use-pool`.", "cites": ["F1"], "importance": NONE},
            {
                "id": "C3",
                "text": "Renames `OldPool` to `Spool`.",
                "cites": ["F2"],
                "importance": NONE,
            },
            {"id": "C9", "text": "Nobody asked.", "cites": ["M"], "importance": NONE},
            {"id": "C2", "text": "Again.", "cites": ["M"], "importance": NONE},
            "nonsense",
        ]
    }
    found = read_lines(value, changes, Language.EN)
    assert list(found) == [c.sha for c in changes]
    first, second, third = found.values()
    assert [s.text for s in first.analysis.summary] == ["Removes --use-pool."]
    assert [s.text for s in second.analysis.summary] == ["Raises torch from 2.8.0 to 2.9.1."]
    assert third.analysis.source is Origin.FACTS
    assert third.analysis.rejected == 1.0
    assert lines_reader(changes, Language.EN)(value).keys() == found.keys()
    with pytest.raises(ValueError, match="no statement"):
        lines_reader(changes, Language.EN)({"changes": []})


def test_notes_are_kept_as_far_as_they_are_true():
    value = {
        "notes": [
            {"about": "risk", **TRUE},
            {"about": "mood", **TRUE, "text": "`LIMIT` is 256."},
            {"about": "risk", **FALSE},
        ]
    }
    found = read_notes(value, POOL, Language.EN)
    assert [(n.about, n.text) for n in found.notes] == [
        ("risk", "Removes the flag `--use-pool`."),
        ("summary", "`LIMIT` is 256."),
    ]
    assert found.share == pytest.approx(1 / 3, abs=1e-3)
    assert notes_reader(POOL, Language.EN)({"notes": []}).notes == ()
    with pytest.raises(ValueError, match="flag"):
        notes_reader(POOL, Language.EN)({"notes": [{"about": "risk", **FALSE}]})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=40),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                ["text", "cites", "summary", "importance", "changes", "notes", "id", "move"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@given(json_values)
def test_no_reply_whatever_its_shape_does_harm(value):
    facts = analyse(POOL.graded, Language.EN)
    found = parse_reply(value, POOL, Language.EN)
    assert found.summary
    assert found.change_types == facts.change_types or found.source is Origin.MODEL
    assert read_notes(value, POOL, Language.EN).share <= 1
    assert set(read_lines(value, [POOL], Language.EN)) == {POOL.sha}
