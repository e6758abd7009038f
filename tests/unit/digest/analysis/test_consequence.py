"""What a change means for a reader: sources in their order, names of users' things first."""

from __future__ import annotations

import pytest

from digest.analysis.analyse import acts, analyse, gist
from digest.core.change import Side
from digest.core.enums import Language
from digest.core.facts import Action, Area, Clue, ClueKind, Fact, FactKind
from digest.core.grade import Level
from digest.core.statement import Aspect
from digest.document import plain
from digest.report.condensed import consequence, why
from tests.support import samples

CLI = "src/config/cli.py"


def change(words, *items, clues=(), level=Level.HIGH, files=(), **more):
    return samples.change(
        1, words, level, files=files or [samples.file(CLI)], items=items, clues=tuple(clues), **more
    )


def fact(kind, action, name, line=3, **more):
    side = Side.OLD if action is Action.REMOVED else Side.NEW
    return samples.fact(kind, action, name, samples.at(CLI, line, side), **more)


def clue(kind, side=Side.NEW, path=CLI, line=3, **more):
    return Clue(kind=kind, evidence=samples.at(path, line, side), **more)


def lines(graded, language=Language.EN):
    return [s.text for s in gist(graded, language).summary]


CONTRACTS = {
    "removed": (
        fact(FactKind.FLAG, Action.REMOVED, "--fast"),
        "--fast was removed.",
        "移除了 --fast。",
    ),
    "read no more": (
        fact(FactKind.ENVIRONMENT, Action.REMOVED, "TPU_ARGS", detail="read"),
        "TPU_ARGS is no longer read.",
        "不再读取 TPU_ARGS。",
    ),
    "renamed": (
        fact(FactKind.ENVIRONMENT, Action.RENAMED, "APP_SIZE", before="APP_POOL"),
        "APP_POOL is now APP_SIZE.",
        "APP_POOL 更名为 APP_SIZE。",
    ),
    "default": (
        fact(FactKind.FLAG, Action.CHANGED, "--n", before="1", after="2", detail="default"),
        "--n now defaults to 2 (was 1).",
        "--n 的默认值由 1 改为 2。",
    ),
    "default that is computed": (
        fact(FactKind.FLAG, Action.CHANGED, "--n", before="1", after="None", detail="default"),
        "--n no longer defaults to 1.",
        "--n 的默认值不再是 1。",
    ),
    "new default": (
        fact(FactKind.FLAG, Action.CHANGED, "--n", before="None", after="2", detail="default"),
        "--n now defaults to 2.",
        "--n 的默认值现为 2。",
    ),
    "deprecated": (
        fact(FactKind.DEPRECATION, Action.ADDED, "--fast", after="v2.0"),
        "--fast is deprecated; removal is planned for v2.0.",
        "--fast 已弃用，计划在 v2.0 移除。",
    ),
    "gone with a substitute": (
        fact(FactKind.FLAG, Action.REMOVED, "--fast", replacement="--mode fast"),
        "--fast was removed; use --mode fast.",
        "移除了 --fast，请改用 --mode fast。",
    ),
    "gone as far as one file shows": (
        fact(FactKind.FLAG, Action.REMOVED, "--fast", in_file=True),
        f"--fast was removed from {CLI}.",
        f"移除了 --fast（位于 {CLI}）。",
    ),
    "default on a condition": (
        fact(
            FactKind.CONFIG,
            Action.CHANGED,
            "Config.aot",
            before="False",
            after="True",
            detail="default",
            condition="torch >= 2.10",
        ),
        "Config.aot now defaults to True (was False) where torch >= 2.10.",
        "Config.aot 的默认值由 False 改为 True（条件：torch >= 2.10）。",
    ),
    "deprecated with a substitute": (
        fact(FactKind.DEPRECATION, Action.ADDED, "--fast", when="v2.0", replacement="--mode"),
        "--fast is deprecated; use --mode; removal is planned for v2.0.",
        "--fast 已弃用，请改用 --mode，计划在 v2.0 移除。",
    ),
    "metric": (
        fact(FactKind.METRIC, Action.REMOVED, "app_busy"),
        "app_busy was removed.",
        "移除了 app_busy。",
    ),
}


@pytest.mark.parametrize(("item", "english", "chinese"), CONTRACTS.values(), ids=CONTRACTS)
def test_contracts_come_before_the_title(item, english, chinese):
    graded = change("Tidy up the pool of workers", item)
    assert lines(graded)[0] == english
    assert lines(graded, Language.ZH)[0] == chinese
    assert gist(graded, Language.EN).summary[0].aspect is Aspect.COMPATIBILITY
    assert acts(graded)


def test_title_that_tells_the_new_default_is_told_with_the_old_one():
    item = fact(
        FactKind.FLAG, Action.CHANGED, "--pool-size", before="8", after="None", detail="default"
    )
    graded = change("Default pool_size to the number of cards", item)
    assert lines(graded)[0] == "Defaults pool_size to the number of cards (--pool-size was 8)."


def test_minimum_version_is_raised_only_in_a_manifest():
    raised = {"before": "1.95", "after": "1.96"}
    where = samples.at("Cargo.toml", 3)
    item = samples.fact(FactKind.TOOLCHAIN, Action.CHANGED, "rust", where, **raised)
    manifest = [samples.file("Cargo.toml", Area.BUILD)]
    graded = change("Use let chains in the parser", item, files=manifest)
    assert lines(graded)[0] == "Minimum Rust version raised from 1.95 to 1.96."
    image = samples.fact(
        FactKind.TOOLCHAIN, Action.CHANGED, "rust", samples.at("Dockerfile", 3), **raised
    )
    graded = change(
        "Use let chains in the parser", image, files=[samples.file("Dockerfile", Area.BUILD)]
    )
    assert lines(graded)[0] == "Uses let chains in the parser."
    assert not acts(graded)


def test_announced_removal_says_so():
    graded = change(
        "Remove it at last",
        fact(FactKind.FLAG, Action.REMOVED, "--fast"),
        fact(FactKind.DEPRECATION, Action.REMOVED, "--fast", before="v0.19"),
    )
    assert lines(graded)[0] == "--fast was removed, as announced for v0.19."


def test_new_flag_is_told_with_its_help_and_its_field_is_not_told_again():
    graded = change(
        "Add choice of the pool for workers",
        fact(FactKind.CONFIG, Action.ADDED, "PoolConfig.kind", 9, detail="field"),
        fact(FactKind.FLAG, Action.ADDED, "--pool-kind", 4),
        clues=[
            clue(
                ClueKind.HELP,
                name="PoolConfig.kind",
                text="Which pool of workers is used here. It is new.",
            )
        ],
    )
    assert lines(graded)[1:] == ["New flag --pool-kind: Which pool of workers is used here."]


@pytest.mark.parametrize(
    ("words", "switched"),
    [
        ("enable prefix cache by default", True),
        ("Change the default backend of decoding", True),
        ("Describe what happens by default", False),
        ("Fix a crash of the default backend", False),
    ],
)
def test_title_that_tells_of_a_switched_default_is_to_be_acted_on(words, switched):
    assert acts(change(words)) is switched


def test_what_is_known_to_be_internal_is_not_told():
    inner = fact(FactKind.CONFIG, Action.REMOVED, "Config.size", public=False)
    assert not acts(change("Plan the work of pools ahead", inner))


def test_contract_that_moved_to_another_file_is_no_news():
    moved = fact(FactKind.FLAG, Action.CHANGED, "--fast", detail="moved", elsewhere="src/b.py")
    graded = change("Split the command line in two", moved)
    assert lines(graded) == ["Internal: splits the command line in two."]
    assert not acts(graded)


def test_fields_of_internal_classes_are_not_told():
    inner = samples.fact(
        FactKind.CONFIG, Action.REMOVED, "Plan.size", samples.at("src/plan.py", 3, Side.OLD)
    )
    graded = change("Plan the work of pools ahead", inner, files=[samples.file("src/plan.py")])
    assert lines(graded) == ["Plan the work of pools ahead."]
    assert not acts(graded)


def test_entries_values_and_tests_explain_a_title():
    graded = change(
        "Support the model Gamma on all cards",
        clues=[
            clue(ClueKind.ENTRY, name="Gamma", text="_TEXT_MODELS"),
            clue(ClueKind.LITERAL, name="max_size", before="75", after="80"),
            clue(ClueKind.TEST, path="tests/t.py", name="test_gamma_is_loaded_without_a_peer"),
            clue(ClueKind.TEST, path="tests/t.py", name="test_gamma"),
        ],
    )
    assert lines(graded) == [
        "Supports the model Gamma on all cards.",
        "Gamma joins the text models.",
        "max_size is now 80 (was 75).",
        "A new test covers: gamma is loaded without a peer.",
    ]


def test_key_that_only_changed_its_case_neither_joins_nor_leaves():
    graded = change(
        "Rename the model in the registry of models",
        clues=[
            clue(ClueKind.ENTRY, name="GammaMoE", text="_MODELS", side=Side.OLD),
            clue(ClueKind.ENTRY, name="GammaMoe", text="_MODELS"),
        ],
    )
    assert len(lines(graded)) == 1


def test_error_that_is_gone_is_a_limit_lifted_only_where_something_is_supported():
    gone = clue(ClueKind.REFUSED, side=Side.OLD, text="int4 is not supported on {device}")
    told = "No longer refused: “int4 is not supported on …”."
    assert told in lines(change("Support int4 on all cards", clues=[gone]))
    assert told not in lines(change("Remove the old int4 path", clues=[gone]))


def test_changelog_entry_is_told_before_the_title_but_not_for_a_merge():
    entry = clue(
        ClueKind.CHANGELOG,
        text="[CHANGE] Tokens are counted per request now. #12",
        path="CHANGELOG.md",
    )
    assert (
        lines(change("Count tokens anew", clues=[entry]))[0]
        == "Tokens are counted per request now."
    )
    assert lines(change("Count tokens anew", clues=[entry], merge=True))[0] == "Counts tokens anew."


def test_security_fix_is_said_to_be_one():
    graded = change(
        "enforce limits of pixels in frames", subject={"type": "fix", "scope": "security"}
    )
    assert lines(graded)[0] == "Security: enforces limits of pixels in frames."
    assert acts(graded)


def test_vague_title_is_explained_by_what_it_changes():
    graded = change("Update it", clues=[clue(ClueKind.SCOPE, name="schedule")])
    assert lines(graded) == ["Updates it.", f"Changes schedule in {CLI}."]


@pytest.mark.parametrize("graded", samples.everything(), ids=lambda g: g.title[:20])
@pytest.mark.parametrize("language", Language)
def test_line_is_one_sentence_without_internal_names_first(graded, language):
    analysis = gist(graded, language)
    line = plain(consequence(graded, analysis))
    assert line
    assert not line.endswith(".") or line.endswith("…")
    symbols = {f.name for f in graded.facts.items if f.kind is FactKind.SYMBOL}
    assert not any(line.startswith(name) for name in symbols)
    assert plain(why(graded, analyse(graded, language), language)) != line


def test_facts_hold_each_kind_that_is_told():
    assert isinstance(CONTRACTS["removed"][0], Fact)
