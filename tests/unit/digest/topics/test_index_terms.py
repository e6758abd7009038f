from dataclasses import replace

import pytest

from digest.core.change import Side
from digest.core.enums import ChangeKind, TopicPlace
from digest.core.facts import Action, Evidence, Fact, FactKind, Undone
from digest.core.grade import Level
from digest.topics.index_terms import LEAST, bearings, topics_of
from digest.topics.terms import kind_term, undoing_terms
from tests.support.fakes import graded
from tests.support.samples import at, change, fact


def with_symbols(change, *names, path="src/core.py", kind=FactKind.SYMBOL):
    items = tuple(
        Fact(
            kind=kind,
            action=Action.CHANGED,
            name=name,
            evidence=Evidence(path=path, line=1, side=Side.NEW),
        )
        for name in names
    )
    return replace(change, facts=replace(change.facts, items=items))


@pytest.mark.parametrize(
    "message",
    [
        "[MoE] Speed up (#1)",
        "[MoE Refactor] Speed up (#1)",
        "fix(moe): a crash",
        "Fix a crash in FusedMoE (#1)",
        "Support MoE models (#1)",
        "Add fused_moe kernels (#1)",
        "Fix `FusedMoE.forward` (#1)",
    ],
)
def test_topics_of_a_title_are_its_names(message):
    assert "moe" in topics_of(graded("1", message))


def test_topics_of_a_title_leave_out_words_that_name_nothing():
    topics = topics_of(graded("1", "Add support for the new kv cache in all cases (#7)"))
    assert {"kv", "cache", "kvcache"} <= topics
    assert topics.isdisjoint({"add", "support", "for", "the", "new", "in", "all", "case", "7"})


def test_topics_do_not_join_words_that_a_mark_parts():
    topics = topics_of(graded("1", "Scheduler: kernel, cache"))
    assert topics.isdisjoint({"schedulerkernel", "kernelcache"})


def test_topics_of_paths_need_a_share_of_the_changed_lines():
    mostly = graded("1", "Speed up", {"src/layers/fused_moe/config.py": 90, "src/core.py": 10})
    passing = graded("1", "Speed up", {"tests/test_moe_align.py": 3, "src/core.py": 200})
    assert "moe" in topics_of(mostly)
    assert "fusedmoe" in topics_of(mostly)
    assert "moe" not in topics_of(passing)
    assert 0 < bearings(passing)["moe"].strength < LEAST


def test_topics_of_paths_are_not_the_words_that_qualify_a_folder():
    topics = topics_of(graded("1", "Speed up", {"src/model_executor/layers.py": 9}))
    assert {"executor", "modelexecutor", "layer"} <= topics
    assert "model" not in topics
    assert "src" not in topics


def test_topics_of_generated_files_weigh_little():
    files = {"web/bundle.min.js": 5000, "src/scheduler.py": 50}
    assert "scheduler" in topics_of(graded("1", "Speed up", files))


def test_topics_of_identifiers_need_a_share_of_the_changed_names():
    change = graded("1", "Speed up")
    assert "moe" in topics_of(with_symbols(change, "FusedMoEConfig.width"))
    many = with_symbols(change, "FusedMoEConfig", *(f"plain{n}" for n in range(9)))
    assert "moe" not in topics_of(many)
    assert bearings(many)["moe"].place is TopicPlace.IDENTIFIER


def test_topics_of_identifiers_are_not_the_words_lost_in_a_long_one():
    change = with_symbols(graded("1", "Speed up"), "Qwen3OmniMoeAudioAttention")
    assert "moe" not in topics_of(change)


def test_topics_of_identifiers_in_tests_do_not_count():
    change = with_symbols(
        graded("1", "Speed up", {"tests/test_it.py": 9}), "TestFusedMoE", path="tests/test_it.py"
    )
    assert "moe" not in topics_of(change)


@pytest.mark.parametrize(
    ("kind", "name", "term"),
    [
        (FactKind.FLAG, "--moe-backend", "moe"),
        (FactKind.FLAG, "--moe-backend", "flag"),
        (FactKind.ENVIRONMENT, "APP_FUSED_MOE_CHUNK_SIZE", "moe"),
        (FactKind.ENVIRONMENT, "APP_PORT", "environmentvariable"),
        (FactKind.DEPENDENCY, "torch", "torch"),
        (FactKind.DEPENDENCY, "torch", "dependency"),
        (FactKind.ROUTE, "/v1/score", "score"),
        (FactKind.METRIC, "request_latency_seconds", "latency"),
    ],
)
def test_topics_of_public_names_count_in_full(kind, name, term):
    assert term in topics_of(with_symbols(graded("1", "Speed up"), name, kind=kind))


@pytest.mark.parametrize(
    ("files", "term"),
    [
        ({"docs/guide.md": 40}, "doc"),
        ({"tests/test_a.py": 40}, "test"),
        ({".github/workflows/ci.yml": 5}, "ci"),
        ({"benchmarks/run.py": 9}, "benchmark"),
    ],
)
def test_topics_of_areas_are_those_of_most_lines(files, term):
    assert term in topics_of(graded("1", "Speed up", files))
    assert term not in topics_of(graded("1", "Speed up", files | {"src/core.py": 100}))


def test_a_file_counts_as_much_as_a_line_for_the_share_of_its_area():
    a_quarter = bearings(graded("1", "Speed up", {"docs/a.png": 0, "src/core.py": 2}))
    a_half = bearings(graded("1", "Speed up", {"docs/a.md": 1, "src/core.py": 1}))
    assert 2 * a_quarter["doc"].strength == a_half["doc"].strength


def test_topics_of_chinese_titles_are_the_known_names():
    assert {"量化", "内核"} <= topics_of(graded("1", "优化量化内核 (#1)"))


def test_topics_of_reverts_and_breaking_changes():
    assert "revert" in topics_of(graded("1", 'Revert "Speed up (#1)" (#2)'))
    assert "breaking" in topics_of(graded("1", "feat(api)!: drop the old route"))


def test_bearings_add_up_and_name_the_strongest_place():
    change = with_symbols(
        graded("1", "Speed up", {"src/moe/a.py": 20, "src/core.py": 80}), "FusedMoE", "other"
    )
    held = bearings(change)["moe"]
    assert held.place is TopicPlace.IDENTIFIER
    assert held.strength == pytest.approx(0.3 + 0.9 * 21 / 102)


def test_topics_of_a_wide_change_stay_few():
    files = {f"src/part{n}/module{n}.py": 1 for n in range(5000)}
    assert len(topics_of(graded("1", "Reformat everything", files))) < 10


def test_bearings_among_some_terms_are_the_same_as_among_all():
    change = with_symbols(
        graded("1", "[MoE] Tune the scheduler (#1)", {"src/moe/sched.py": 20, "docs/moe.md": 80}),
        "FusedMoE",
        "Scheduler.step",
    )
    every = bearings(change)
    for name, bearing in every.items():
        assert bearings(change, {name}) == {name: bearing}
    assert bearings(change, {"absent"}) == {}


def test_general_words_in_names_of_many_dependencies_are_no_topics():
    names = ("google.org/api", "grpc", "torch", "k8s.io/client")
    many = topics_of(with_symbols(graded("1", "Upgrade"), *names, kind=FactKind.DEPENDENCY))
    assert "grpc" in many
    assert "api" not in many
    one = topics_of(with_symbols(graded("1", "Upgrade"), names[0], kind=FactKind.DEPENDENCY))
    assert "api" in one


def test_a_release_of_a_workspace_is_about_none_of_its_packages():
    names = [f"tool-part{n}x" for n in range(40)]
    bump = with_symbols(graded("1", "Bump version"), *names, kind=FactKind.DEPENDENCY)
    assert not {t for t in topics_of(bump) if t.startswith("part")}
    few = with_symbols(graded("1", "Bump version"), *names[:2], kind=FactKind.DEPENDENCY)
    assert {t for t in topics_of(few) if t.startswith("part")}


@pytest.mark.parametrize(
    ("path", "term", "found"),
    [
        ("tests/test_scheduler_output.py", "scheduler", True),
        ("src/scheduler_output.py", "scheduler", True),
        ("src/scheduler_big_output.py", "big", False),
        ("src/scheduler_output/a.py", "scheduler", False),
    ],
)
def test_terms_of_a_file_are_its_first_and_last_piece_without_test(path, term, found):
    change = graded("1", "Tune it")
    (file, *_) = change.facts.files
    change = replace(change, facts=replace(change.facts, files=(replace(file, path=path),)))
    assert (term in bearings(change)) is found


@pytest.mark.parametrize(
    ("level", "action", "told"),
    [
        (Level.HIGH, Action.REMOVED, True),
        (Level.MEDIUM, Action.REMOVED, True),
        (Level.LOW, Action.REMOVED, False),
        (Level.HIGH, Action.ADDED, False),
    ],
)
def test_change_to_act_on_is_found_as_one_unless_it_is_low(level, action, told):
    flag = fact(FactKind.FLAG, action, "--fast", at("engine/cli.py", 3))
    terms = topics_of(change(1, "Tidy up", level, items=[flag]))
    assert (kind_term(ChangeKind.ACTION) in terms) is told


def test_what_undoes_a_change_is_found_by_its_names():
    undone = Undone(sha="abcdef0123", number=7, title="Speed up (#7)")
    terms = topics_of(change(1, "Put it back", Level.LOW, reverts=undone))
    assert set(undoing_terms("abcdef0", 7, "speed up")) <= terms
    assert not set(undoing_terms("bbbbbbb", 8, "slow down")) & terms
