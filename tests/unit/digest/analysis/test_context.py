"""What counts of a change, and how its names, texts and places are told."""

from __future__ import annotations

from dataclasses import replace

import pytest

from digest.analysis.context import (
    Bounds,
    brief,
    called,
    code,
    helps_of,
    is_relied_on,
    make_statement,
    read,
    shown_name,
)
from digest.core.change import FileStatus, Side
from digest.core.enums import Language
from digest.core.facts import Action, Area, Clue, ClueKind, FactKind
from digest.core.grade import Level
from tests.support import samples

CLI = "src/config/cli.py"


def fact(kind=FactKind.FLAG, name="--pool", action=Action.ADDED, path=CLI, line=3, **more):
    return samples.fact(kind, action, name, samples.at(path, line), **more)


def context(*items, title="Do it", area=Area.CORE, **more):
    files = [samples.file(one, area) for one in sorted({item.evidence.path for item in items})]
    graded = samples.change(1, title, Level.HIGH, files=files, items=items, **more)
    return read(graded, Language.EN)


@pytest.mark.parametrize(
    ("path", "area", "settings", "versions"),
    [
        (CLI, Area.CORE, True, True),
        (".github/run.yml", Area.CI, True, False),
        ("gen/cli.py", Area.GENERATED, False, True),
        ("tests/cli.py", Area.TESTS, False, False),
        ("scripts/cli.py", Area.CORE, False, True),
    ],
)
def test_settings_and_versions_count_by_where_they_are(path, area, settings, versions):
    for kind, told in ((FactKind.FLAG, settings), (FactKind.DEPENDENCY, versions)):
        item = fact(kind, path=path)
        assert bool(context(item, area=area).contracts) is told
        # What builds or checks the project is no version that users rely on.
        inner = replace(item, detail="pip dev")
        assert bool(context(inner, area=area).contracts) is (told and kind is FactKind.FLAG)


@pytest.mark.parametrize(
    ("name", "path", "clue", "relied"),
    [
        ("Plan.size", CLI, None, True),
        ("Plan.size", "pkg/plan.go", None, True),
        ("Plan.size", "src/plan.py", None, False),
        ("PlanArgs.size", "src/plan.py", None, True),
        ("Plan.size", "src/plan.py", (ClueKind.DOCS, "size"), True),
        ("Plan.size", "src/plan.py", (ClueKind.HELP, "size"), False),
        ("Plan.size", "src/plan.py", (ClueKind.DOCS, "count"), False),
    ],
)
def test_field_is_a_setting_where_its_file_its_class_or_a_document_says_so(
    name, path, clue, relied
):
    where = samples.at(path, 3)
    clues = (Clue(kind=clue[0], name=clue[1], text="The size.", evidence=where),) if clue else ()
    item = fact(FactKind.CONFIG, name, path=path)
    assert is_relied_on(item, context(item, clues=clues).facts) is relied
    for public in (True, False):
        assert is_relied_on(replace(item, public=public), context(item).facts) is public


def test_fact_that_says_most_of_a_thing_is_kept_and_else_the_first():
    changed = fact(action=Action.CHANGED, before="1", after="2", detail="default", line=5)
    typed = fact(action=Action.CHANGED, before="int", after="str", detail="type", line=4)
    bare = fact(action=Action.CHANGED, line=3)
    gone = fact(action=Action.CHANGED, before="1", line=6)
    for items, kept in (
        ((bare, typed, changed), changed),
        ((changed, typed, bare), changed),
        ((bare, typed), typed),
        ((bare, gone), gone),
        ((typed, replace(typed, evidence=samples.at(CLI, 9))), typed),
    ):
        assert context(*items).contracts == (kept,)


def test_symbols_are_the_public_names_of_the_code_without_members_of_new_classes():
    pool = fact(FactKind.SYMBOL, "Pool", detail="class")
    method = fact(FactKind.SYMBOL, "Pool.take", detail="method")
    typed = fact(FactKind.SYMBOL, "Rack.take", Action.CHANGED, detail="types")
    assert context(pool, method, typed, fact()).symbols == (pool,)
    assert context(method).symbols == (method,)
    assert context(method, area=Area.TESTS).symbols == ()


def test_one_line_names_at_most_three_things():
    reading = context(fact())
    assert [reading.bounds.names, brief(reading).bounds.names] == [6, 3]
    assert brief(reading).bounds.quote < reading.bounds.quote
    few = replace(reading.bounds, names=2)
    assert isinstance(few, Bounds)
    assert brief(replace(reading, bounds=few)).bounds.names == 2


def test_text_beside_a_field_is_found_by_the_name_of_its_flag():
    clues = [
        Clue(kind=kind, name=name, text=text, evidence=samples.at(CLI, 3))
        for kind, name, text in (
            (ClueKind.HELP, "PoolArgs.Pool_Size", "The size."),
            (ClueKind.HELP, "Other.pool_size", "Another one."),
            (ClueKind.DOCS, "limit", "The limit."),
        )
    ]
    assert helps_of(clues) == {
        "PoolArgs.Pool_Size": "The size.",
        "pool_size": "The size.",
        "Other.pool_size": "Another one.",
    }


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("DryRun", "DryRun skips it.", "skips it."),
        ("dry_run", "DryRun skip of it.", "skip of it."),
        ("DryRun", "`DryRun` If true, it waits.", "If true, it waits."),
        ("DryRun", "DryRun eBPF is not read.", "eBPF is not read."),
        ("aB", "aB when it is due.", "when it is due."),
        ("run", "Run skips it.", "skips it."),
        ("run", "Run, when it is due.", "when it is due."),
        ("run", "Run when it is due.", "Run when it is due."),
        ("run", "Runs when it is due.", "Runs when it is due."),
        ("DryRun", "DryRun Skips it.", "DryRun Skips it."),
        ("DryRun", "DryRun is the way.", "the way."),
        ("DryRun", "DryRun is used.", "DryRun is used."),
    ],
)
def test_comment_is_told_without_the_name_before_its_verb(name, text, told):
    helped = Clue(kind=ClueKind.HELP, name=name, text=text, evidence=samples.at(CLI, 3))
    assert helps_of([helped])[name] == told


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("command/operator_get.go", "operator-get --pool"),
        ("command/operator_pool_get.go", "--pool"),
        ("cli/src/commands/pool_cards/upload.rs", "--pool"),
        ("cli/src/commands/pool/upload_cards.rs", "pool upload-cards --pool"),
    ],
)
def test_flag_is_told_with_its_command_where_the_words_of_its_file_are_clear(path, name):
    flag = fact(path=path)
    assert shown_name(flag) == name
    assert called(flag, context(flag, title="Tell it in `app operator-get`")) == (
        f"app {name}" if name.startswith("operator") else name
    )


def test_route_is_told_without_a_word_before_it_in_the_title():
    route = fact(FactKind.ROUTE, "GET /pool")
    assert called(route, context(route, title="api GET /pool for cards")) == "GET /pool"


def test_statement_cites_so_many_places_and_what_is_gone_where_it_was():
    places = [fact(line=n) for n in range(12)]
    for count, cited in ((3, 3), (8, 8), (12, 8)):
        found = make_statement(("x",), places[:count]).evidence
        assert found == tuple(one.evidence for one in places[:cited])
    for status, side in ((FileStatus.DELETED, Side.OLD), (FileStatus.ADDED, Side.NEW)):
        (place,) = make_statement(("x",), [samples.file("a.py", status=status)]).evidence
        assert (place.path, place.line, place.side) == ("a.py", 0, side)


def test_long_value_is_cut_and_one_that_fits_is_not():
    for text, limit, shown in (
        ("a\n  b", 0, "a b"), ("abcd", 4, "abcd"), ("abcde", 4, "abc…"), ("abcde", 0, "abcde")
    ):  # fmt: skip
        assert code(text, limit).text == shown


def test_class_that_went_before_any_release_had_it_is_missed_by_nobody():
    gone = fact(FactKind.SYMBOL, "Pool", Action.REMOVED, "src/pool.py", public=True, detail="class")
    assert context(gone).named(Action.REMOVED) == (gone,)
    assert context(replace(gone, unreleased=True)).named(Action.REMOVED) == ()
