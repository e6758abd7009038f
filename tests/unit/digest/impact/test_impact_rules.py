import pytest

from digest.core.change import FileStatus
from digest.core.enums import Effect, Language
from digest.core.facts import Action, Area, Fact, FactKind
from digest.core.grade import Level
from digest.core.profile import Profile, parse_entry
from digest.document import plain
from digest.impact.impact_report import hit_in_words
from digest.impact.impact_rules import affects
from tests.support.samples import at, change, fact, file

ARGS = "engine/config/args.py"


def _effects(entry: str, *items: Fact, files=(), title: str = "Change it") -> list[Effect]:
    graded = change(1, title, Level.LOW, files=files or (file(ARGS),), items=items)
    return [hit.effect for hit in affects(graded, Profile().with_([parse_entry(entry)]))]


def _fact(kind: FactKind, action: Action, name: str, path: str = ARGS, **more) -> Fact:
    return fact(kind, action, name, at(path, 3), **more)


FLAG, VARIABLE, SYMBOL = FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.SYMBOL


def _chosen(before: str, after: str) -> Fact:
    return _fact(FLAG, Action.CHANGED, "--pool", before=before, after=after, detail="choices")


BREAKS, TOUCHES = [Effect.MAY_BREAK], [Effect.TOUCHES]


@pytest.mark.parametrize(
    ("entry", "item", "effects"),
    [
        ("--max-len", _fact(FLAG, Action.REMOVED, "--max-len"), BREAKS),
        ("--max-len", _fact(FLAG, Action.CHANGED, "--max-len", before="1", after="2"), BREAKS),
        ("--max-len", _fact(FLAG, Action.RENAMED, "--length", before="--max-len"), BREAKS),
        ("--max-len", _fact(FLAG, Action.ADDED, "--max-len"), TOUCHES),
        ("--max-len", _fact(FactKind.CONFIG, Action.REMOVED, "Args.max_len"), BREAKS),
        ("--max-len", _fact(FLAG, Action.REMOVED, "--max-length"), []),
        ("--pool", _chosen('["a"]', '["a", "b"]'), TOUCHES),
        ("--pool", _chosen('["a", "b"]', '["a", "c"]'), BREAKS),
        ("APP_PORT", _fact(VARIABLE, Action.REMOVED, "APP_PORT"), BREAKS),
        ("APP_PORT", _fact(VARIABLE, Action.REMOVED, "APP_PORTS"), []),
        ("symbol:Engine", _fact(SYMBOL, Action.REMOVED, "Engine.step"), BREAKS),
        ("Engine.step", _fact(SYMBOL, Action.REMOVED, "Engine.step"), BREAKS),
        ("Engine.step", _fact(SYMBOL, Action.REMOVED, "Engine.stop"), []),
        ("engine.config.args.Args", _fact(SYMBOL, Action.REMOVED, "Args"), BREAKS),
        ("engine.other.Args", _fact(SYMBOL, Action.REMOVED, "Args"), []),
        ("engine.Args", _fact(SYMBOL, Action.REMOVED, "Args"), BREAKS),
        (
            "engine.Args",
            _fact(SYMBOL, Action.CHANGED, "Args", before="(a)", after="(a, b=1)"),
            TOUCHES,
        ),
        (
            "engine.Args",
            _fact(SYMBOL, Action.CHANGED, "Args", before="(a)", after="(a, b)"),
            BREAKS,
        ),
        (
            "engine.Args",
            _fact(SYMBOL, Action.CHANGED, "Args", before="(a, b)", after="(a)"),
            BREAKS,
        ),
        ("topic:torch", _fact(FactKind.DEPENDENCY, Action.CHANGED, "torch"), BREAKS),
    ],
)
def test_a_fact_of_the_same_name_is_a_hit(entry: str, item: Fact, effects: list[Effect]) -> None:
    assert _effects(entry, item) == effects


@pytest.mark.parametrize(
    ("entry", "changed", "old", "effects"),
    [
        (ARGS, ARGS, None, BREAKS),
        (ARGS, "engine/new.py", ARGS, BREAKS),
        ("engine", ARGS, None, []),
        ("tests/test_args.py", "tests/test_args.py", None, BREAKS),
    ],
)
def test_change_to_a_file_that_a_fork_changes_may_conflict(entry, changed, old, effects) -> None:
    files = (file("engine/other.py"), file(changed, old_path=old))
    assert _effects(f"patch:{entry}", files=files) == effects
    graded = change(1, "Change it", Level.LOW, files=files)
    for hit in affects(graded, Profile().with_([parse_entry(f"patch:{entry}")])):
        said = plain(hit_in_words(hit, Language.EN))
        assert said == f"{entry} is changed by your fork too: a merge may conflict"


def test_what_tests_do_with_a_symbol_reaches_nobody() -> None:
    path = "tests/test_args.py"
    item = _fact(SYMBOL, Action.REMOVED, "Args", path)
    assert _effects("Args", item, files=(file(path, Area.TESTS),)) == []


@pytest.mark.parametrize(
    ("status", "old", "effects"),
    [
        (FileStatus.MODIFIED, None, TOUCHES),
        (FileStatus.DELETED, None, BREAKS),
        (FileStatus.RENAMED, "lib/old.py", BREAKS),
    ],
)
def test_a_file_under_a_path_is_a_hit(status: FileStatus, old: str | None, effects) -> None:
    files = (file(ARGS, status=status, old_path=old), file("README.md", Area.DOCS))
    assert _effects("engine/config/", files=files) == effects
    assert _effects("other/", files=files) == []
    if old:
        assert _effects("lib/", files=files) == effects


def test_a_topic_is_a_hit_where_more_than_tests_and_documents_change() -> None:
    assert _effects("rocm", title="[ROCm] Change it") == TOUCHES
    tests_only = (file("tests/test_it.py", Area.TESTS),)
    assert _effects("rocm", title="[ROCm] Change it", files=tests_only) == []


def test_the_hardest_hit_comes_first_and_an_empty_profile_has_none() -> None:
    items = (_fact(FLAG, Action.ADDED, "--new"), _fact(VARIABLE, Action.REMOVED, "APP_PORT"))
    graded = change(1, "Change it", Level.LOW, files=(file(ARGS),), items=items)
    profile = Profile().with_(map(parse_entry, ("--new", "APP_PORT")))
    assert [hit.effect for hit in affects(graded, profile)] == [*BREAKS, *TOUCHES]
    assert affects(graded, Profile()) == ()


def _hits(graded, labels=()):
    return affects(graded, Profile().with_([parse_entry("topic:quantization")]), {}, labels)


def test_label_of_the_forge_bears_a_topic_of_the_profile():
    graded = change(1, "Change it", Level.LOW, files=(file("engine/a.py"),))
    assert _hits(graded) == ()
    (hit,) = _hits(graded, ["quantization"])
    assert hit.effect is Effect.TOUCHES
    assert plain(hit_in_words(hit, Language.EN)) == "about quantization (label quantization)"


def test_label_of_what_only_tests_touch_reaches_nobody():
    graded = change(1, "Change it", Level.LOW, files=(file("tests/a.py", Area.TESTS),))
    assert _hits(graded, ["quantization"]) == ()


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (Language.EN, "calls of Engine.step: now need plan; can no longer pass depth; may pass n"),
        (Language.ZH, "调用 Engine.step：现在必须传入 plan；不能再传入 depth；可以传入 n"),
    ],
)
def test_changed_signature_is_told_by_its_parameters(language, words):
    item = _fact(
        SYMBOL,
        Action.CHANGED,
        "Engine.step",
        before="(self, depth=1)",
        after="(self, plan, n=2)",
    )
    graded = change(1, "Change it", Level.LOW, files=(file(ARGS),), items=[item])
    (hit,) = affects(graded, Profile().with_([parse_entry("Engine.step")]))
    assert plain(hit_in_words(hit, language)) == words
