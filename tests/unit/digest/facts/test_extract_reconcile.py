"""What only the whole change can tell."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from digest.core.change import Side
from digest.core.facts import Action, Evidence, Fact, FactKind
from digest.facts.renames import reconcile
from tests.unit.digest.facts.changes import facts_of

OLD = Evidence(path="a.py", line=3, side=Side.OLD)
NEW = Evidence(path="b.py", line=7, side=Side.NEW)
GONE = Fact(
    kind=FactKind.SYMBOL,
    action=Action.REMOVED,
    name="f",
    evidence=OLD,
    before="(a)",
    detail="function",
)
COME = Fact(
    kind=FactKind.SYMBOL,
    action=Action.ADDED,
    name="f",
    evidence=NEW,
    after="(a)",
    detail="function",
)


def test_symbol_that_leaves_one_file_for_another_is_moved():
    (fact,) = reconcile([GONE, COME])
    assert (fact.action, fact.detail, fact.before, fact.after) == (
        Action.CHANGED,
        "moved",
        "a.py",
        "b.py",
    )
    assert fact.evidence == NEW


def test_member_of_a_type_that_another_file_declares_is_not_gone():
    made = replace(COME, name="kite::Pool", detail="class")
    gone = replace(GONE, name="kite::Pool::take", detail="method")
    assert reconcile([gone, made]) == (made,)
    assert reconcile([gone, replace(made, name="kite::Tank")])[0] == gone


def test_thing_of_another_kind_with_the_same_name_did_not_move():
    other = replace(COME, detail="class")
    assert reconcile([GONE, other]) == (GONE, other)


def test_flag_that_is_declared_in_another_file_stays_unless_its_default_changed():
    gone = replace(GONE, kind=FactKind.FLAG, name="--x", before="1", detail="")
    come = replace(COME, kind=FactKind.FLAG, name="--x", after="1", detail="")
    assert reconcile([gone, come]) == ()
    (fact,) = reconcile([gone, replace(come, after="2")])
    assert (fact.action, fact.before, fact.after) == (Action.CHANGED, "1", "2")


def test_flag_that_a_benchmark_loses_and_the_program_gains_has_no_changed_default():
    gone = replace(GONE, kind=FactKind.FLAG, name="--x", before="1", detail="")
    gone = replace(gone, evidence=replace(OLD, path="benchmarks/run.py"))
    come = replace(COME, kind=FactKind.FLAG, name="--x", after="2", detail="")
    assert reconcile([gone, come]) == ()


def test_variable_that_is_declared_is_not_told_again_where_it_is_read():
    declared = replace(COME, kind=FactKind.ENVIRONMENT, name="X", detail="")
    read = replace(declared, detail="read", evidence=NEW)
    assert reconcile([read, declared]) == (declared,)


def test_facts_of_other_kinds_are_left_alone():
    facts = [replace(GONE, kind=FactKind.DEPENDENCY), replace(COME, kind=FactKind.DEPENDENCY)]
    assert reconcile(facts) == tuple(facts)


def test_function_that_moves_between_files_of_a_change_is_one_fact():
    body = "def load(path):\n    return path\n"
    items = facts_of("Move", ("a.py", "x = 1\n" + body, "x = 1\n"), ("b.py", None, body)).items
    assert [(f.name, f.detail, f.before, f.after) for f in items] == [
        ("load", "moved", "a.py", "b.py")
    ]


facts = st.builds(
    Fact,
    kind=st.sampled_from(FactKind),
    action=st.sampled_from(Action),
    name=st.sampled_from("abc"),
    evidence=st.just(NEW),
    before=st.sampled_from([None, "1", "2"]),
    after=st.sampled_from([None, "1", "2"]),
    detail=st.sampled_from(["", "read", "class"]),
)


@given(st.lists(facts, max_size=12))
def test_nothing_is_both_gone_and_new(items):
    kept = reconcile(items)
    assert len(kept) <= len(items)
    kinds = {
        FactKind.SYMBOL,
        FactKind.FLAG,
        FactKind.ENVIRONMENT,
        FactKind.CONFIG,
        FactKind.ROUTE,
        FactKind.METRIC,
    }
    gone = {
        (f.kind, f.name, f.detail) for f in kept if f.action is Action.REMOVED and f.kind in kinds
    }
    come = {
        (f.kind, f.name, f.detail) for f in kept if f.action is Action.ADDED and f.kind in kinds
    }
    assert not gone & come


def test_flag_that_becomes_a_field_in_another_file_is_not_gone():
    flag = replace(GONE, kind=FactKind.FLAG, name="--max-len", detail="")
    field = replace(COME, kind=FactKind.CONFIG, name="Args.max_len", detail="field")
    assert reconcile([flag, field]) == (field,)
    assert reconcile([flag]) == (flag,)
