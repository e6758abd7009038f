"""Grades: the same for the same facts, explained, and never lower for a broken contract."""

from __future__ import annotations

import re
from dataclasses import replace
from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.core.change import FileStatus, Side
from digest.core.enums import Language
from digest.core.facts import (
    Action,
    Area,
    Evidence,
    Fact,
    FactKind,
    Facts,
    FileFacts,
    Note,
    Subject,
    Undone,
)
from digest.core.grade import Level, Thresholds
from digest.facts.subject import read_subject
from digest.grading.importance import RESEMBLES, demands_high, grade, urgency, weights
from digest.grading.signals import _DEMANDED, _TITLE, signals
from digest.i18n.answer_text import reason_words
from tests.unit.digest.facts.changes import commit

TITLES = st.sampled_from(
    [
        "Add a scheduler",
        "[Bugfix] Fix a crash in the scheduler",
        "chore: tidy",
        "Refactor the scheduler",
        "[CI] Run nightly",
        "docs: spelling",
        "Speed up sorting",
        "调度器",
        "",
    ]
)
AREAS = st.sampled_from(list(Area))
CONTRACT = [
    (kind, action)
    for kind in (
        FactKind.FLAG,
        FactKind.ENVIRONMENT,
        FactKind.CONFIG,
        FactKind.ROUTE,
        FactKind.METRIC,
        FactKind.SYMBOL,
    )
    for action in Action
] + [(FactKind.DEPRECATION, Action.ADDED), (FactKind.SCHEMA, Action.CHANGED)]


def file(area: Area, number: int) -> FileFacts:
    return FileFacts(
        path=f"{area}/{number}", status=FileStatus.MODIFIED, area=area, added=number, deleted=1
    )


def fact(kind: FactKind, action: Action, name: str) -> Fact:
    return Fact(
        kind=kind, action=action, name=name, evidence=Evidence(path="a", line=1, side=Side.NEW)
    )


def fact_evidence() -> Evidence:
    return Evidence(path="CHANGELOG.md", line=1, side=Side.NEW)


@st.composite
def facts(draw: st.DrawFn) -> Facts:
    title = draw(TITLES)
    areas = draw(st.lists(AREAS, max_size=6))
    items = draw(st.lists(st.sampled_from(CONTRACT), max_size=4))
    return Facts(
        subject=Subject(title=title, words=title, breaking=draw(st.booleans())),
        files=tuple(file(area, n) for n, area in enumerate(areas)),
        items=tuple(fact(kind, action, f"n{n}") for n, (kind, action) in enumerate(items)),
    )


@given(facts(), st.sampled_from(CONTRACT))
def test_another_contract_fact_never_lowers_a_grade(given_facts: Facts, contract) -> None:
    more = replace(given_facts, items=(*given_facts.items, fact(*contract, "another")))
    assert grade(more).score >= grade(given_facts).score


@given(facts())
def test_grade_is_in_bounds_and_the_same_again(given_facts: Facts) -> None:
    first = grade(given_facts)
    assert 0 <= first.score <= 1
    assert first == grade(given_facts)
    assert list(first.reasons) == sorted(first.reasons, key=lambda r: (-abs(r.weight), r.rule))


@given(facts())
def test_signals_have_distinct_names_and_known_weights(given_facts: Facts) -> None:
    names = [s.name for s in signals(given_facts)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "kind", [FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.ROUTE, FactKind.METRIC]
)
def test_removed_contract_in_a_one_line_change_is_at_least_medium(kind: FactKind) -> None:
    title = "Drop what nobody uses"
    told = Facts(
        subject=Subject(title=title, words=title),
        files=(file(Area.CORE, 1),),
        items=(fact(kind, Action.REMOVED, "x"),),
    )
    assert grade(told).level is not Level.LOW
    assert grade(told).reasons[0].rule.endswith("_removed")


@pytest.mark.parametrize("action", [Action.REMOVED, Action.RENAMED])
@pytest.mark.parametrize("kind", [FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.ROUTE])
def test_what_users_type_going_away_is_high_however_small_it_is_called(
    kind: FactKind, action: Action
) -> None:
    title = "[Misc] Remove what was deprecated"
    told = Facts(
        subject=Subject(title=title, words=title),
        files=(file(Area.CORE, 1), file(Area.CORE, 2)),
        items=(fact(kind, action, "x"), fact(FactKind.CONFIG, action, "x")),
    )
    assert grade(told).level is Level.HIGH


def test_advisory_lifts_an_update_once_however_many_it_names() -> None:
    title = "chore(deps): update x to v2"
    plain = Facts(subject=Subject(title=title, words=title), files=(file(Area.BUILD, 1),))
    named = [
        replace(fact(FactKind.SECURITY, Action.CHANGED, f"CVE-2026-{n}"), detail="advisory")
        for n in range(1000, 1004)
    ]
    one, four = (
        {s.name: s.value for s in signals(replace(plain, items=tuple(named[:n])))} for n in (1, 4)
    )
    assert one["advisory"] == four["advisory"] == 1
    assert grade(replace(plain, items=tuple(named[:1]))).score > 5 * grade(plain).score


def changed(title: str, *items: Fact, notes: tuple[Note, ...] = ()) -> Facts:
    subject = read_subject(title)
    return Facts(subject=subject, files=(file(Area.CORE, 1),), items=items, notes=notes)


@pytest.mark.parametrize(
    ("title", "level"),
    [
        ("Merge v3.7 into main", Level.LOW),
        ("Merge back release 3.7", Level.LOW),
        ("Merge 'pool-1.2' into 'master' (#3)", Level.LOW),
        ("Merge the old and the new pool (#3)", Level.HIGH),
        ("feat: x", Level.HIGH),
    ],
)
def test_merged_branch_is_low_whatever_it_brings(title: str, level: Level) -> None:
    gone = replace(fact(FactKind.FLAG, Action.REMOVED, "--x"))
    assert grade(replace(changed(title, gone), merge=True)).level is level


def test_rename_that_only_the_title_tells_is_high_where_documents_or_users_know_the_name() -> None:
    title = "Rename `old_pool` to `new_pool` in the server"
    assert grade(changed(title)).level is Level.MEDIUM
    assert urgency(grade(changed(title))) == 0
    text = replace(file(Area.DOCS, 1), path="docs/pool.md", deleted=3)
    told = changed(title)
    assert grade(replace(told, files=(*told.files, text))).level is Level.HIGH
    for seen in ("Rename metrics of pools to `pool_a`", "Rename APP_OLD to APP_NEW"):
        assert grade(changed(seen)).level is Level.HIGH


def test_removed_variable_that_nothing_read_asks_for_little() -> None:
    gone = fact(FactKind.ENVIRONMENT, Action.REMOVED, "APP_POOL")
    assert grade(changed("Remove dead APP_POOL", gone)).level is Level.MEDIUM
    assert urgency(grade(changed("Remove dead APP_POOL", gone))) == 0
    assert grade(changed("Remove APP_POOL", gone)).level is Level.HIGH


def test_what_its_author_calls_tests_is_not_news() -> None:
    model = replace(weights(), bias=6.0)
    assert grade(changed("[Tests] Add a check of pools"), model=model).level is Level.MEDIUM
    assert grade(changed("Add a check of pools"), model=model).level is Level.HIGH


def test_merged_branch_is_high_if_the_changelog_names_a_security_fix() -> None:
    place = Evidence(path="CHANGELOG.md", line=3, side=Side.NEW)
    secured, added = (
        Note(mark=mark, text="Escape the names of pools", evidence=place)
        for mark in ("security", "added")
    )
    merged = replace(changed("Merge back release 3.7", notes=(added, secured)), merge=True)
    assert grade(merged).level is Level.HIGH
    assert grade(replace(merged, notes=(added,))).level is Level.LOW


@pytest.mark.parametrize(
    ("name", "path", "level"),
    [
        ("python", "setup.py", Level.HIGH),
        ("node", "package.json", Level.HIGH),
        ("python", "Dockerfile", Level.MEDIUM),
        ("go", "go.mod", Level.MEDIUM),
    ],
)
def test_minimum_of_what_users_run_is_high(name: str, path: str, level: Level) -> None:
    place = Evidence(path=path, line=1, side=Side.NEW)
    item = replace(fact(FactKind.TOOLCHAIN, Action.CHANGED, name), evidence=place)
    facts = changed("Update version requirement", replace(item, before=">=3.9", after=">=3.10"))
    assert grade(facts).level is level
    lower = replace(item, before=">=3.10", after=">=3.9")
    assert grade(changed("Update version requirement", lower)).level is Level.MEDIUM


def test_security_in_a_document_alone_demands_nothing() -> None:
    told = Facts(subject=read_subject("Add security guidance"), files=(file(Area.DOCS, 1),))
    assert grade(told).level is Level.LOW


HIGH = [
    changed("[CLI] Rename `--exclude-deltas`"),
    changed("[Misc] Make the small backend the default"),
    changed("Tidy", replace(fact(FactKind.FLAG, Action.CHANGED, "--x"), detail="default")),
    changed("Tidy", fact(FactKind.CONFIG, Action.REMOVED, "Engine.swap")),
    changed("Tidy", replace(fact(FactKind.DEPRECATION, Action.ADDED, "--x"), after="v2")),
    changed("[Bugfix] Bound an offset (CVE-2026-1)"),
    changed("chore!: drop node 18"),
    changed("feat!(loader): remove the type of exports"),
    changed("[BREAKING] Read headers in lower case"),
    changed("fix: reject names with two dots"),
    changed("Tidy", notes=(Note(mark="breaking", text="x", evidence=fact_evidence()),)),
    changed("Tidy", notes=(Note(mark="security", text="x", evidence=fact_evidence()),)),
]


@pytest.mark.parametrize("told", HIGH, ids=lambda told: told.subject.title)
def test_what_must_be_acted_on_is_high_whatever_its_size(told: Facts) -> None:
    found = grade(told)
    assert found.level is Level.HIGH
    assert found.reasons[0].rule in weights().act


@pytest.mark.parametrize(
    ("path", "detail", "public", "level"),
    [
        ("src/pool.rs", "signature", True, Level.HIGH),
        ("src/pool.py", "parameter removed", True, Level.HIGH),
        ("src/pool.rs", "types", True, Level.MEDIUM),
        ("src/pool.rs", "signature", None, Level.MEDIUM),
        ("src/pool.go", "signature", True, Level.MEDIUM),
    ],
)
def test_signature_that_calls_of_a_library_do_not_fit_is_high(path, detail, public, level) -> None:
    place = Evidence(path=path, line=1, side=Side.NEW)
    item = replace(fact(FactKind.SYMBOL, Action.CHANGED, "Pool::take"), evidence=place)
    found = grade(changed("Take pages by number", replace(item, detail=detail, public=public)))
    assert found.level is level


def test_removed_program_is_high() -> None:
    main = replace(file(Area.CORE, 3), path="cmd/relay/main.go")
    told = changed("Tidy")
    for status, level in ((FileStatus.DELETED, Level.HIGH), (FileStatus.MODIFIED, Level.LOW)):
        assert grade(replace(told, files=(replace(main, status=status),))).level is level


def test_change_like_marked_ones_is_high_and_a_revert_of_it_is_not() -> None:
    told = replace(
        changed("Make relative paths start from the folder of the file by default"),
        paragraphs=("This is a breaking change: existing behaviour is gone.",),
    )
    told = replace(
        told, subject=replace(told.subject, title="Resolve paths", words="Resolve paths")
    )
    plain = replace(told, paragraphs=())
    tidy = replace(told, subject=replace(told.subject, title="Refactor the resolution of paths"))
    assert grade(tidy).level is not Level.HIGH
    assert RESEMBLES in {reason.rule for reason in grade(told).reasons}
    assert grade(told).score > grade(plain).score
    undone = replace(told, reverts=Undone(title="Resolve paths"))
    assert grade(undone).level is not Level.HIGH


@pytest.mark.parametrize(
    ("path", "level"),
    [("pnpm-lock.yaml", Level.MEDIUM), ("package.json", Level.HIGH), ("uv.lock", Level.HIGH)],
)
def test_security_update_of_locks_that_no_user_gets_is_medium(path: str, level: Level) -> None:
    mark = replace(fact(FactKind.SECURITY, Action.CHANGED, "[SECURITY]"), detail="advisory")
    told = changed("Update dependency relay to v5.8.5 [SECURITY]", mark)
    told = replace(told, files=(replace(file(Area.BUILD, 1), path=path),))
    assert grade(told).level is level


def test_security_update_of_what_the_project_requires_is_medium_and_its_own_fix_high() -> None:
    title = "chore(deps): update module example.org/relay to v1.70.0 [security] (#12)"
    mark = replace(fact(FactKind.SECURITY, Action.CHANGED, "[security]"), detail="advisory")
    told = changed(title, mark)
    told = replace(told, files=(replace(file(Area.LOCKFILE, 4), path="go.sum"),))
    by_bot = commit(title, author="renovate[bot]")
    assert grade(told, commit=by_bot).level is Level.MEDIUM
    code = replace(told, files=(*told.files, file(Area.CORE, 4)))
    assert grade(code, commit=by_bot).level is Level.HIGH
    raised = fact(FactKind.DEPENDENCY, Action.CHANGED, "relay")
    assert grade(replace(told, items=(mark, raised))).level is Level.MEDIUM


def test_fix_with_a_new_section_of_the_notes_on_upgrading_is_high() -> None:
    told = changed("fix(server): use symmetric encryption for session tokens")
    guide = replace(file(Area.DOCS, 9), path="docs/upgrading.md", deleted=0)
    more = replace(told, files=(*told.files, guide))
    assert grade(more).level is Level.HIGH
    for less in (replace(guide, added=2), replace(guide, deleted=3)):
        assert grade(replace(told, files=(*told.files, less))).level is not Level.HIGH


def test_refusal_that_names_code_alone_is_not_high() -> None:
    assert grade(changed("Require `Pool.size` to be set")).level is Level.MEDIUM
    assert grade(changed("Require `pool_size` to be set")).level is not Level.LOW
    assert grade(changed("Require a size of pools")).level is Level.HIGH


def test_a_label_of_the_forge_declares_a_breaking_change() -> None:
    told = changed("Link files by name")
    assert grade(told).level is not Level.HIGH
    assert grade(told, labels=["breaking"]).level is Level.HIGH


@pytest.mark.parametrize("high", [0.2, 0.55, 0.99])
def test_a_rule_holds_at_every_threshold(high: float) -> None:
    told = changed("Tidy", fact(FactKind.FLAG, Action.REMOVED, "--x"))
    assert grade(told, Thresholds(high=high, medium=0.1)).level is Level.HIGH
    medium = changed("Tidy", fact(FactKind.SCHEMA, Action.CHANGED, "Point.x"))
    assert grade(medium, Thresholds(high=high, medium=0.1)).level is not Level.LOW


def test_what_a_revert_takes_back_was_just_given() -> None:
    item = fact(FactKind.FLAG, Action.REMOVED, "--x")
    given = changed('Revert "Add a flag"', item)
    assert grade(replace(given, reverts=Undone(title="Add a flag"))).level is Level.MEDIUM


@pytest.mark.parametrize(
    ("title", "level"),
    [("Drop support for pools", Level.MEDIUM), ("Rename cards", Level.LOW)],
)
def test_a_revert_of_a_removal_brings_back_what_users_had_given_up(title, level) -> None:
    undone = replace(changed(f'Revert "{title}"'), reverts=Undone(title=title))
    assert grade(undone).level is level
    assert [r.rule for r in grade(undone).reasons].count("undone_removal") <= 1


@pytest.mark.parametrize("title", ["Add a flag", "[Feature] Support a flag", "Remove a flag"])
def test_a_revert_announces_and_adds_nothing(title: str) -> None:
    told = changed(f'Revert "{title}"', fact(FactKind.FLAG, Action.ADDED, "--x"))
    graded = grade(replace(told, reverts=Undone(title=title)), Thresholds(high=0.9, medium=0.0))
    words = [reason_words(reason, Language.EN) for reason in graded.reasons]
    assert any(text.startswith("undoes ") for text in words)
    assert not any("new " in text or "announces" in text for text in words if "undoes" not in text)


def test_many_names_of_a_contract_weigh_as_much_as_one() -> None:
    one, many = (
        changed("Tidy", *(fact(FactKind.SYMBOL, Action.REMOVED, f"n{n}") for n in range(count)))
        for count in (1, 40)
    )
    assert grade(one).score == grade(many).score


def test_a_bot_is_told_by_its_commit() -> None:
    told = changed("Add a reader")
    bot, person = (
        grade(told, commit=commit("Add a reader", author=author)).score
        for author in ("renovate[bot]", "Ada Lovelace")
    )
    assert bot < person


def test_documentation_alone_is_low() -> None:
    title = "docs: spelling"
    told = Facts(subject=Subject(title=title, words=title), files=(file(Area.DOCS, 3),))
    assert grade(told).level is Level.LOW


def test_thresholds_move_the_level_and_not_the_score() -> None:
    told = Facts(subject=Subject(title="Add x", words="Add x"), files=(file(Area.CORE, 20),))
    low, high = (grade(told, Thresholds(high=h, medium=0.0)) for h in (1.0, 0.0))
    assert (low.level, high.level) == (Level.MEDIUM, Level.HIGH)
    assert low.score == high.score
    assert low.by != high.by


def test_no_signal_knows_a_project() -> None:
    known = re.compile(
        r"vllm|cuda|moe|rocm|torch|kernel|lora|llm|gpu|attention|quant", re.IGNORECASE
    )
    assert not [name for name in weights().weights if known.search(name)]
    rules = (_TITLE | _DEMANDED).items()
    assert not [name for name, rule in rules if known.search(rule.pattern)]


def removed(*kinds: FactKind) -> Facts:
    return changed("Tidy up", *(fact(kind, Action.REMOVED, f"{kind}-a") for kind in kinds))


def test_more_that_must_be_acted_on_is_graded_higher_within_its_level() -> None:
    least = Thresholds(high=0.9, medium=0.5)
    scores = [
        grade(removed(*kinds), least).score
        for kinds in (
            [FactKind.METRIC],
            [FactKind.FLAG],
            [FactKind.FLAG, FactKind.ENVIRONMENT],
            [FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.ROUTE],
        )
    ]
    assert 0.9 < scores[0] < scores[1] < scores[2] == scores[3] == 0.95, (
        "half of the level is left to what is also news"
    )
    narrow = Thresholds(high=0.98, medium=0.5)
    assert 0.98 < grade(removed(FactKind.FLAG, FactKind.ROUTE), narrow).score <= 0.99


def test_urgency_is_of_what_certainly_breaks() -> None:
    def urgent(told: Facts) -> float:
        return urgency(grade(told))

    assert urgent(removed(FactKind.FLAG)) == 3.2
    assert urgent(removed(FactKind.CONFIG)) == 2.0
    assert urgent(removed(FactKind.FLAG, FactKind.CONFIG)) == 5.2
    assert urgent(changed("Tidy up", fact(FactKind.DEPRECATION, Action.ADDED, "a"))) == 0
    assert urgent(changed("Tidy up", fact(FactKind.ROUTE, Action.CHANGED, "a"))) == 0


@pytest.mark.parametrize(
    ("title", "level", "signs"),
    [
        ("Remove the flag --pool", Level.HIGH, {1}),
        ("docs: fix a typo", Level.LOW, {-1}),
    ],
)
def test_reasons_say_what_raised_a_high_grade_and_what_lowered_a_low_one(
    title: str, level: Level, signs: set[int]
) -> None:
    items = [fact(FactKind.FLAG, Action.REMOVED, "--pool")] if level is Level.HIGH else []
    told = grade(changed(title, *items))
    assert told.level is level
    assert told.reasons
    assert {1 if reason.weight > 0 else -1 for reason in told.reasons} == signs
    weighty = [abs(reason.weight) for reason in told.reasons]
    assert weighty == sorted(weighty, reverse=True)
    assert len(told.reasons) <= 5


def test_names_of_facts_are_counted_once_and_told_by_the_first() -> None:
    twice = changed(
        "Raise it",
        *(fact(FactKind.DEPENDENCY, Action.CHANGED, name) for name in ("torch", "torch", "numpy")),
    )
    (found,) = (one for one in signals(twice) if one.name == "dependency")
    assert (found.value, found.subject) == (log2(3), "torch +1")
    schema = changed("Alter", *(fact(FactKind.SCHEMA, Action.CHANGED, name) for name in "ab"))
    (found,) = (one for one in signals(schema) if one.name == "schema_changed")
    assert (found.value, found.subject) == (1.0, "a +1")


def test_links_of_documents_that_an_entry_tells_of_are_not_high() -> None:
    note = Note(mark="changed", text="x", evidence=fact_evidence())
    assert grade(changed("Follow links", notes=(note,))).level is Level.HIGH
    assert grade(changed("Fix links in docs", notes=(note,))).level is Level.MEDIUM


def test_change_described_in_the_notes_on_upgrading_is_high_unless_it_is_a_fix() -> None:
    def with_guide(title: str, path: str, added: int = 6) -> Facts:
        told = changed(title)
        guide = replace(file(Area.DOCS, 2), path=path, added=added, deleted=1)
        return replace(told, files=(*told.files, guide))

    title, guide = "Spread pools over all nodes", "docs/setup/upgrade/_index.md"
    assert grade(changed(title)).level is not Level.HIGH
    assert grade(with_guide(title, guide)).level is Level.HIGH
    assert grade(with_guide(title, "UPDATING.md")).level is Level.HIGH
    assert grade(with_guide("Fix links of pools", guide)).level is Level.MEDIUM
    assert grade(with_guide(title, guide, added=0)).level is not Level.HIGH
    assert grade(with_guide(title, "vendor/x/upgrade.md")).level is not Level.HIGH


@pytest.mark.parametrize(
    ("title", "level"),
    [
        ("Refuse an empty `APP_POOL`", Level.HIGH),
        ("Refuse an empty `pool.toml`", Level.HIGH),
        ("Require the command in `run <name>` to be on the path", Level.HIGH),
        ("Refuse an empty `Pool.size`", Level.MEDIUM),
        ("Refuse an empty `Pool`", Level.MEDIUM),
    ],
)
def test_files_variables_and_commands_in_titles_are_known_to_users(title, level) -> None:
    assert grade(changed(title)).level is level


def test_a_workaround_for_an_old_version_is_no_minimum() -> None:
    told = changed("Remove python 3.2 `Pool` workaround")
    assert not demands_high(told)
    assert not demands_high(changed("ci: remove Rust 1.94.0 workarounds"))
    assert demands_high(changed("Remove Python 3.2"))
    assert not demands_high(changed("Remove image pool dependency from the controller"))
    assert demands_high(changed("Remove image builds of the controller"))


def test_refactoring_that_removes_inner_names_demands_nothing() -> None:
    gone = fact(FactKind.SYMBOL, Action.REMOVED, "Pool.size")
    assert grade(changed("Refactor the pool", gone)).level is Level.LOW
    assert grade(changed("Rework the pool", gone)).level is Level.MEDIUM
    option = fact(FactKind.CONFIG, Action.CHANGED, "Pool.size")
    assert grade(changed("Refactor the pool", gone, option)).level is not Level.LOW


def test_a_removed_name_that_others_call_is_high_if_the_title_removes_it() -> None:
    gone = fact(FactKind.SYMBOL, Action.REMOVED, "Pool.size")
    inner = replace(gone, public=False)
    assert grade(changed("Remove the size of pools", gone)).level is Level.HIGH
    assert grade(changed("Remove the size of pools", inner)).level is not Level.HIGH
    assert grade(changed("Remove the stale size of pools", gone)).level is Level.MEDIUM
    assert grade(changed("Store pools by name", gone)).level is Level.MEDIUM


def test_a_changed_signature_is_at_least_medium_but_in_a_refactoring() -> None:
    other = fact(FactKind.SYMBOL, Action.CHANGED, "Pool.size")
    assert grade(changed("Fix the size of pools")).level is Level.LOW
    assert grade(changed("Fix the size of pools", other)).level is Level.MEDIUM
    assert grade(changed("Review fixes for pools", other)).level is Level.LOW


def test_a_changed_interface_is_high_if_it_resembles_marked_changes() -> None:
    other = fact(FactKind.SYMBOL, Action.CHANGED, "Pool.size")
    title = "Return `Pool::size` in bytes instead of pages"
    assert grade(changed(title)).level is Level.MEDIUM
    assert grade(changed(title, other)).level is Level.HIGH
    update = changed("Update Mio to 2.0", other)
    update = replace(update, files=(file(Area.CORE, 40), file(Area.TESTS, 9)))
    assert RESEMBLES in {reason.rule for reason in grade(update).reasons}
    assert grade(update).level is Level.MEDIUM


def test_entry_for_developers_weighs_nothing() -> None:
    place = Evidence(path="CHANGELOG.md", line=3, side=Side.NEW)
    internal, added = (
        Note(mark=mark, text="Add a pool", evidence=place) for mark in ("internal", "added")
    )
    title = "Add a pool"
    plain = grade(changed(title)).score
    assert grade(changed(title, notes=(internal,))).score == plain
    assert grade(changed(title, notes=(added,))).score > plain
    files = (file(Area.CORE, 400), file(Area.TESTS, 90))
    large = replace(changed("Add support for pools with 40 % fewer reads"), files=files)
    assert grade(large).level is Level.HIGH
    assert grade(replace(large, notes=(internal,))).level is Level.MEDIUM
