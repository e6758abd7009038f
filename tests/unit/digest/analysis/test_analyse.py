"""What is said of a change: only what facts and the author say, within bounds."""

from __future__ import annotations

import dataclasses
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digest.analysis import summary
from digest.analysis.analyse import (
    acts,
    analyse,
    analyse_whole,
    descriptions,
    gist,
    insights,
    is_told_by_values,
    must_act,
)
from digest.analysis.context import BOUNDS, CONTRACTS, EVIDENCE, read
from digest.analysis.risks import to_do
from digest.analysis.signatures import differences, parameters
from digest.core.change import FileStatus, Side, printable
from digest.core.enums import Language
from digest.core.facts import (
    OVERLOAD,
    Action,
    Area,
    Clue,
    ClueKind,
    Evidence,
    Fact,
    FactKind,
    FileFacts,
)
from digest.core.grade import Level
from digest.core.statement import Aspect, ChangeType
from digest.document import Code, plain
from tests.support import samples

SECTIONS = ("summary", "impact", "insights", "risks", "suggestions")


def statements(analysis):
    return [s for section in SECTIONS for s in getattr(analysis, section)]


def said(graded, language=Language.EN):
    return "\n".join(s.text for s in statements(analyse(graded, language)))


def known(graded) -> str:
    """Everything that the facts and the message hold, on one line."""
    facts = graded.facts
    texts = [graded.commit.message, *(printable(f.path) for f in facts.files)]
    texts += [printable(f.old_path) for f in facts.files if f.old_path]
    for item in (*facts.items, *facts.clues):
        texts += [item.name, item.before or "", item.after or ""]
    texts += [clue.text for clue in facts.clues]
    if facts.reverts:
        texts.append(facts.reverts.sha)
    return " ".join(" ".join(texts).split())


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("graded", samples.everything(), ids=lambda g: g.title[:20])
def test_every_identifier_stands_in_the_facts_or_the_message(graded, language):
    everything = known(graded)
    for statement in statements(analyse(graded, language)):
        assert statement.evidence
        for span in statement.spans:
            if isinstance(span, Code):
                assert span.text.removesuffix("…") in everything


@pytest.mark.parametrize("graded", samples.everything(), ids=lambda g: g.title[:20])
def test_every_place_is_one_of_the_change(graded):
    paths = {f.path for f in graded.facts.files} | {f.old_path for f in graded.facts.files}
    lines = len(graded.commit.message.splitlines())
    for statement in statements(analyse(graded, Language.EN)):
        assert len(statement.evidence) <= EVIDENCE
        for place in statement.evidence:
            if place.side is Side.MESSAGE:
                assert 1 <= place.line <= lines
            else:
                assert place.path in paths


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("language", Language)
def test_sections_keep_to_the_bounds_of_the_level(level, language):
    for graded in samples.everything():
        at = dataclasses.replace(graded, grade=dataclasses.replace(graded.grade, level=level))
        analysis = analyse(at, language)
        assert analysis.summary
        for section in SECTIONS:
            assert len(getattr(analysis, section)) <= getattr(BOUNDS[level], section)


def test_medium_change_tells_the_first_of_what_a_high_one_tells():
    graded = samples.flag_change()
    high, medium = (
        analyse(
            dataclasses.replace(graded, grade=dataclasses.replace(graded.grade, level=level)),
            Language.EN,
        )
        for level in (Level.HIGH, Level.MEDIUM)
    )
    assert len(high.summary) > 5
    assert [s.text for s in medium.summary] == [s.text for s in high.summary[:5]]
    assert len(high.risks) > 3
    assert [s.text for s in medium.risks] == [s.text for s in high.risks[:3]]


def test_analysis_is_the_same_every_time():
    assert [analyse(g, Language.ZH) for g in samples.everything()] == [
        analyse(g, Language.ZH) for g in samples.everything()
    ]


def test_low_change_is_told_in_one_statement():
    analysis = analyse(samples.documents(), Language.EN)
    assert [len(getattr(analysis, s)) for s in SECTIONS] == [1, 0, 0, 0, 0]
    assert analysis.change_types == (ChangeType.DOCUMENTATION,)


def test_summary_tells_what_went_and_changed_of_what_users_rely_on():
    text = said(samples.flag_change())
    assert "--use-pool, GET /pool and pool.mode were removed." in text
    assert "ENGINE_POOL is now ENGINE_POOL_SIZE." in text


def test_risks_say_what_to_do_about_what_was_removed_renamed_or_changed():
    text = said(samples.flag_change())
    assert "Replace or drop --use-pool in commands, scripts and service files." in text
    assert "Use the new name in deployments: ENGINE_POOL → ENGINE_POOL_SIZE." in text
    assert "Without a value, --workers is now auto instead of 1." in text


@pytest.mark.parametrize(
    ("path", "name", "told"),
    [
        ("pool/old.go", "Pool", 0),
        ("queue/new.go", "Pool", 1),
        ("queue/new.py", "Pool.run", 0),
        ("queue/new.ts", "Pool", 0),
    ],
)
def test_imports_of_go_name_a_folder_and_those_of_members_nothing(path, name, told):
    places = {"before": "pool/new.go", "after": path, "detail": "moved", "public": True}
    moved = samples.fact(FactKind.SYMBOL, Action.CHANGED, name, samples.at(path, 1), **places)
    graded = samples.change(1, "Mark it", Level.HIGH, files=[samples.file(path)], items=[moved])
    assert len(analyse(graded, Language.EN).risks) == told


def test_suggestions_add_what_risks_do_not_say():
    text = said(samples.flag_change())
    assert "To keep the old default, set --workers to 1." in text
    assert "Test with torch 2.10.0 before upgrading." in said(samples.versions())


def advice(*items, level=Level.HIGH):
    graded = samples.change(
        1, "Change it", level, files=[samples.file("engine/cli.py")], items=items
    )
    return [s.text for s in analyse(graded, Language.EN).suggestions]


def flag(action, name="--depth", **more):
    return samples.fact(FactKind.FLAG, action, name, samples.at("engine/cli.py", 3), **more)


def test_advice_about_a_medium_change_is_the_first_of_that_about_a_high_one():
    places = [f"--at-{place}" for place in "abc"]
    defaults = [flag(Action.CHANGED, n, before="1", after="9", detail="default") for n in places]
    updates = samples.versions().facts.items
    high = advice(*defaults, *updates)
    assert len(high) == 5
    assert advice(*defaults, *updates, level=Level.MEDIUM) == high[:3]


@pytest.mark.parametrize("before", ["1", '"fast"', "auto", "1.5", "0.5s", "True"])
def test_old_default_of_the_same_flag_is_advised(before):
    changed = flag(Action.CHANGED, before=before, after="9", detail="default")
    # One of several words may have gone since.
    if_so = ", if that is still accepted" if before in {'"fast"', "auto"} else ""
    bare = before.strip('"')  # in a shell there are no quotes to write
    assert advice(changed) == [f"To keep the old default, set --depth to {bare}{if_so}."]


@pytest.mark.parametrize(
    "items",
    [
        [flag(Action.CHANGED, before="a.py", after="b.py", detail="moved")],
        [flag(Action.CHANGED, before="1, 2", after="2, 3", detail="choices")],
        [flag(Action.RENAMED, before="--deep", after="--depth")],
        [flag(Action.REMOVED, before="1"), flag(Action.ADDED, "--level", after="2")],
        [
            flag(Action.RENAMED, before="--deep", after="--depth"),
            flag(Action.CHANGED, before="1", after="2", detail="default"),
        ],
        [flag(Action.CHANGED, before="None", after="2", detail="default")],
        [flag(Action.CHANGED, before="DEFAULT_DEPTH", after="2", detail="default")],
        [flag(Action.CHANGED, before="cpus() - 1", after="2", detail="default")],
    ],
)
def test_nothing_is_set_back_that_moved_was_renamed_or_has_no_old_value(items):
    assert advice(*items) == []


def test_risks_of_operators_stand_before_those_of_importers():
    risks = [r.text for r in analyse(samples.flag_change(), Language.EN).risks]
    assert risks.index("Stop setting pool.mode in configuration and code.") < 5
    assert not any("OldPool" in text for text in risks[:4])


@pytest.mark.parametrize("graded", samples.everything(), ids=lambda g: g.title[:20])
def test_no_section_says_what_another_has_said(graded):
    analysis = analyse(graded, Language.EN)
    told = [frozenset(s.evidence) for s in (*analysis.summary, *analysis.risks)]
    for insight in analysis.insights:
        assert not any(places.issuperset(insight.evidence) for places in told)


def test_a_change_that_only_adds_has_no_risk():
    graded = samples.change(
        1,
        "Add a thing",
        Level.HIGH,
        files=[samples.file("a.py"), samples.file("tests/test_a.py", Area.TESTS)],
        items=[samples.fact(FactKind.FLAG, Action.ADDED, "--a", samples.at("a.py", 1), after="8")],
    )
    analysis = analyse(graded, Language.EN)
    assert analysis.risks == analysis.suggestions == ()
    assert analysis.change_types[0] is ChangeType.FEATURE


def test_interfaces_of_tests_and_benchmarks_are_not_told():
    graded = samples.change(
        1,
        "Tune the benchmark",
        Level.HIGH,
        files=[samples.file("bench/run.py", Area.BENCHMARKS)],
        items=[samples.fact(FactKind.FLAG, Action.REMOVED, "--a", samples.at("bench/run.py", 1))],
    )
    assert "--a" not in said(graded)


def test_what_only_changed_place_is_neither_new_nor_gone():
    graded = samples.change(
        1,
        "Move the flags",
        Level.HIGH,
        files=[samples.file("a.py"), samples.file("b.py")],
        items=[
            samples.fact(FactKind.FLAG, Action.REMOVED, "--a", samples.at("a.py", 1, Side.OLD)),
            samples.fact(FactKind.FLAG, Action.ADDED, "--a", samples.at("b.py", 1)),
        ],
    )
    assert "--a" not in said(graded)


def exposed(graded, *, public=True):
    items = tuple(dataclasses.replace(item, public=public) for item in graded.facts.items)
    return dataclasses.replace(graded, facts=dataclasses.replace(graded.facts, items=items))


def test_calls_of_what_the_project_exposes_break_and_those_of_insides_are_not_told():
    text = said(exposed(samples.refactoring()))
    assert "Calls of apply (5 classes) now have to pass plan." in text
    assert "Callers of K1" not in text
    for inside in (samples.refactoring(), exposed(samples.refactoring(), public=False)):
        assert not analyse(inside, Language.EN).risks


def symbol(action, name, path="engine/pool.py", detail="method", **more):
    fact = samples.fact(FactKind.SYMBOL, action, name, samples.at(path, 3), **more)
    return dataclasses.replace(fact, detail=detail, public=True)


def risks_of(*items):
    files = [samples.file(path) for path in sorted({i.evidence.path for i in items})]
    graded = samples.change(1, "Change it", Level.HIGH, files=files, items=items)
    return [s.text for s in analyse(graded, Language.EN).risks]


def test_users_of_a_removed_program_are_told_to_check():
    main = samples.file("cmd/relay/main.go", status=FileStatus.DELETED)
    graded = samples.change(1, "Remove what is old", Level.HIGH, files=[main])
    assert plain(to_do(graded, Language.EN)) == "Check if you use relay."
    assert plain(to_do(graded, Language.ZH)) == "请检查是否使用 relay。"


def test_what_developers_of_a_gem_install_asks_nothing_of_its_users():
    for path, risk in (("Gemfile", 0), ("gemfiles/rack_1.gemfile", 0), ("pool.gemspec", 1)):
        place = samples.at(path, 1)
        gone = samples.fact(FactKind.DEPENDENCY, Action.REMOVED, "rack", place, detail="bundler")
        assert len(risks_of(gone)) == risk


def test_methods_that_the_project_offers_break_code_that_uses_them():
    gone = [symbol(Action.REMOVED, name) for name in ("Pool.take", "Pool.drain")]
    told = (
        "Search your code for Pool.take and Pool.drain before upgrading:"
        " code that uses a removed name breaks."
    )
    assert risks_of(*gone) == [told]
    whole = symbol(Action.REMOVED, "Pool", detail="class")
    assert risks_of(whole, *gone) == [told.replace("Pool.take and Pool.drain", "Pool")]
    assert risks_of(symbol(Action.REMOVED, "Pool.take", "src/main/java/a/Pool.java")) == []
    assert risks_of(symbol(Action.REMOVED, "Pool.constructor", "src/index.ts")) == []


def test_deprecated_members_of_java_that_went_are_searched_for():
    path = "src/main/java/a/Pool.java"
    marks = [
        samples.fact(FactKind.DEPRECATION, Action.REMOVED, name, samples.at(path, 3))
        for name in ("Pool.take", "Pool.of")
    ]
    gone = symbol(Action.REMOVED, "Pool.take", path)
    told = "Search your code for Pool.take before upgrading: code that uses a removed name breaks."
    assert risks_of(gone, *marks) == [told]
    overload = symbol(Action.REMOVED, "Pool.of", path, detail="overload")
    assert risks_of(gone, overload, *marks) == [told]


def test_overloads_of_one_function_are_named_once():
    sides = {"before": "(a, b)", "after": "(a)"}
    items = [
        symbol(Action.CHANGED, name, detail="parameter removed", **sides)
        for name in ("Pool.take", "Pool.take", "take", "take", "take")
    ]
    assert risks_of(*items) == ["Calls of take and Pool.take can no longer pass b."]


def default(name, before, after):
    return symbol(Action.CHANGED, name, detail="default", before=before, after=after)


def test_default_of_a_parameter_is_a_risk_where_both_values_are_known():
    told = [f"Calls of load without m{n} now get 2 instead of 1." for n in range(3)]
    assert risks_of(*(default(f"load.m{n}", "1", "2") for n in range(4))) == told
    assert risks_of(default("load.mode", None, "2")) == []
    assert risks_of(default("load.mode", "1", None)) == ["Calls of load now have to pass mode."]
    for after in ("2", None):
        assert risks_of(default("mode", "1", after)) == []


@pytest.mark.parametrize(
    ("detail", "after", "told"),
    [
        ("parameter renamed", "(a, c)", ["Callers that pass b to take by name have to say c."]),
        ("parameter renamed", "(a)", ["Calls of take can no longer pass b."]),
        ("required parameter added", "(a, b, c)", ["Calls of take now have to pass c."]),
        ("required parameter added", "(a, b, c=1)", []),
        (
            "required parameter added",
            "(a, c)",
            ["Calls of take now have to pass c.", "Calls of take can no longer pass b."],
        ),
        ("types", "(a)", []),
        ("signature", "async (a, b)", ["Check calls of take: the signature changed."]),
    ],
)
def test_changed_signature_is_a_risk_by_what_callers_pass(detail, after, told):
    assert (
        risks_of(symbol(Action.CHANGED, "take", detail=detail, before="(a, b)", after=after))
        == told
    )


def test_three_changed_signatures_and_three_moves_are_risks_one_by_one():
    changed = [
        symbol(Action.CHANGED, f"f{n}", detail="parameter removed", before=f"(a{n})", after="()")
        for n in range(4)
    ]
    assert len(risks_of(*changed)) == 3
    moved = [
        symbol(
            Action.CHANGED, f"C{n}", f"new/{n}.py", "moved", before=f"{n}.py", after=f"new/{n}.py"
        )
        for n in range(4)
    ]
    assert len(risks_of(*moved)) == 3


def test_class_that_moves_is_no_new_one_and_may_have_another_signature():
    moved = symbol(Action.CHANGED, "Pool", detail="moved", before="old.py", after="engine/pool.py")
    added = symbol(Action.ADDED, "Pool", detail="class")
    changed = symbol(
        Action.CHANGED, "Pool", detail="required parameter added", before="(a)", after="(a, b)"
    )
    (signature, move) = risks_of(moved, added, changed)
    assert signature == "Calls of Pool now have to pass b."
    assert "old.py" in move
    beside = Clue(kind=ClueKind.HELP, name="Pool", text="Keeps engines warm.", evidence=AT)

    def told(*items):
        files = [samples.file("engine/pool.py")]
        graded = samples.change(
            1, "Add Pool", Level.HIGH, files=files, items=items, clues=(beside,)
        )
        return "New class Pool" in said(graded)

    assert told(added)
    assert not told(added, moved)


def test_impact_is_told_by_area_in_the_order_of_a_reader_and_not_of_a_low_change():
    files = [
        samples.file("docs/a.md", Area.DOCS),
        samples.file("tests/test_a.py", Area.TESTS),
        samples.file("src/a.py"),
    ]
    for level, areas in (
        (Level.MEDIUM, ["src/a.py", "tests/test_a.py", "docs/a.md"]),
        (Level.LOW, []),
    ):
        impact = analyse(samples.change(1, "Do it", level, files=files), Language.EN).impact
        assert [next(s.text for s in one.spans if isinstance(s, Code)) for one in impact] == areas


@pytest.mark.parametrize("graded", samples.everything(), ids=lambda g: g.title[:20])
def test_names_of_functions_and_classes_are_left_to_the_table_of_names(graded):
    symbols = {f.name for f in graded.facts.items if f.kind is FactKind.SYMBOL}
    codes = {
        s.text
        for one in statements(analyse(graded, Language.EN))
        for s in one.spans
        if isinstance(s, Code)
    }
    assert not (codes & symbols) - {*graded.title.split("`")}


def test_performance_comes_from_the_author_alone():
    insights = analyse(samples.faster(), Language.EN).insights
    told = [s.text for s in insights if s.aspect is Aspect.PERFORMANCE]
    assert told == ["In the author's words: “throughput rises by 12.5 %”."]
    assert said(samples.faster()).count("throughput") == 1


@pytest.mark.parametrize(
    ("sentence", "is_quoted"),
    [
        ("It saves 2.5 GB of memory.", True),
        ("It goes from 63.6MB to 53.0MB.", True),
        ("It is much faster.", False),  # no figure
        ("It has 40% of the lines.", False),  # nothing about speed
        ("It reduces the timeout to 30 s.", False),
        ("The deadline of 5 s is kept, and it is faster.", False),
        (f"It is 40% faster than {'a pool of pools ' * 60}.", False),
    ],
)
def test_sentence_is_quoted_as_a_measurement_only_if_it_is_short_and_states_one(
    sentence, is_quoted
):
    files = [samples.file("engine/kernels/copy.cu", added=44, deleted=31)]
    graded = samples.change(4, "[Perf] Fuse", Level.MEDIUM, files=files, paragraphs=[sentence])
    insights = analyse(graded, Language.EN).insights
    assert any(one.aspect is Aspect.PERFORMANCE for one in insights) is is_quoted


def test_nothing_is_said_of_figures_and_tests_that_are_not_there():
    bare = dataclasses.replace(samples.faster().facts, paragraphs=())
    text = said(dataclasses.replace(samples.faster(), facts=bare))
    assert "figures" not in text
    assert "test" not in text


def test_revert_names_what_it_undoes():
    analysis = analyse(samples.undoing(), Language.ZH)
    assert analysis.change_types[0] is ChangeType.REVERT
    assert analysis.summary[0].text == "回退 #104（“Fuse the scale into the copy”）。"


def test_unreadable_files_are_said_to_be_left_out():
    assert analyse(samples.partial(), Language.EN).partial == (
        "The content of 1 file is not in this clone: assets/caf\\xe9\\t.bin."
    )


def test_files_that_were_not_parsed_are_named_beside_those_that_are_absent():
    graded = samples.partial()
    files = tuple(dataclasses.replace(f, unparsed=True) for f in graded.facts.files)
    hard = dataclasses.replace(graded, facts=dataclasses.replace(graded.facts, files=files))
    english, chinese = (analyse(hard, language).partial for language in (Language.EN, Language.ZH))
    assert english.startswith(
        "The content of 1 file is not in this clone: assets/caf\\xe9\\t.bin. "
    )
    assert f"{len(files)} file" in english.partition("bin. ")[2]
    assert "not parsed (too large or too complex): " in english
    assert "未解析" in chinese


def test_change_without_files_says_so():
    graded = samples.change(1, "Empty", Level.HIGH)
    assert analyse(graded, Language.EN).summary[-1].text == "Changes no file."


def test_chinese_keeps_identifiers_and_quotes_and_sets_spaces():
    text = said(samples.flag_change(), Language.ZH)
    assert "移除了 --use-pool、GET /pool 和 pool.mode。" in text
    assert "Add --pool-size" in text
    assert "The pool is now sized by one flag." in text
    assert not re.search(r"[\u4e00-\u9fff]--", text)


def test_long_words_of_the_author_are_cut_between_sentences():
    long = " ".join(f"Sentence number {n} now says a little more." for n in range(60))
    graded = samples.change(
        1, "Say much", Level.HIGH, files=[samples.file("a.py")], paragraphs=[long]
    )
    quote = analyse(graded, Language.EN).summary[-1].text
    assert quote.endswith("a little more.”")
    assert len(quote) < BOUNDS[Level.HIGH].quote + 60


def test_a_sentence_that_announces_a_list_is_not_quoted():
    graded = samples.change(
        1,
        "Read names",
        Level.HIGH,
        files=[samples.file("a.py")],
        paragraphs=["Names may now hold blanks. This fixes:", "A paragraph behind it."],
    )
    assert analyse(graded, Language.EN).summary[1].text == (
        "In the author's words: “Names may now hold blanks.”"
    )


@pytest.mark.parametrize(
    ("second", "quoted"),
    [
        ("The table of names holds all of the lamps.", False),
        ("The table of names no longer holds all of the lamps.", True),
    ],
)
def test_a_second_paragraph_is_quoted_only_if_it_says_what_is_different(second, quoted):
    graded = samples.change(
        1,
        "Read names",
        Level.HIGH,
        files=[samples.file("a.py")],
        paragraphs=["What follows is the plan of it:", second, "Lost names would crash it."],
    )
    told = " ".join(one.text for one in analyse(graded, Language.EN).summary)
    assert (f"“{second}”" in told) == quoted
    assert "Lost names" not in told


@pytest.mark.parametrize(
    "body",
    [
        "* add a benchmark for the pool\n\n* tidy what the pool leaves behind",
        "* bench: measure the pool\n* Add a pool",
        "See https://example.org/pull/12#discussion for the context.",
        "This is part of #14136",
        "Follow-up to owner/name#12.",
        "Add a pool.",
    ],
)
def test_squashed_subjects_addresses_and_the_title_again_are_not_quoted(body):
    paragraphs = [line.removeprefix("* ") for line in body.split("\n") if line]
    graded = samples.change(3, "Add a pool", Level.HIGH, files=[samples.file("src/pool.py")])
    commit = dataclasses.replace(graded.commit, message=f"Add a pool\n\n{body}")
    facts = dataclasses.replace(graded.facts, paragraphs=tuple(paragraphs))
    told = analyse(dataclasses.replace(graded, commit=commit, facts=facts), Language.EN)
    assert not any("In the author's words" in s.text for s in told.summary)


@pytest.mark.parametrize(
    ("name", "detail", "risky"),
    [
        ("numpy", "pip", True),
        ("NUMPY_VERSION", "docker", False),
        ("vendor/kernels", "submodule", False),
        ("ruff", "pre-commit dev", False),
    ],
)
def test_only_what_is_installed_can_be_missed(name, detail, risky):
    where = samples.at("pyproject.toml", 3, Side.OLD)
    gone = samples.fact(FactKind.DEPENDENCY, Action.REMOVED, name, where, detail=detail)
    graded = samples.change(
        3, "Drop it", Level.HIGH, files=[samples.file("pyproject.toml", Area.BUILD)], items=[gone]
    )
    told = analyse(graded, Language.EN)
    assert any("your own requirements" in s.text for s in told.risks) is risky


def test_parameters_that_callables_lost_alike_are_told_together():
    where = samples.at("src/api.py", 3)
    items = [
        samples.fact(
            FactKind.SYMBOL,
            Action.CHANGED,
            f"{function}.{parameter}",
            where,
            before="None",
            detail="default",
            public=True,
        )
        for function in ("load", "save")
        for parameter in ("path", "mode")
    ]
    graded = samples.change(
        3, "Ask for it", Level.HIGH, files=[samples.file("src/api.py")], items=items
    )
    told = [s.text for s in analyse(graded, Language.EN).risks]
    assert told == ["Calls of load and save now have to pass path and mode."]


def test_arguments_of_templates_are_left_out_of_names():
    renamed = samples.fact(
        FactKind.SYMBOL,
        Action.RENAMED,
        "core::Attention<ISA::VXE, T, dim>::run",
        samples.at("a.hpp", 1),
        before="core::Attention::go",
        public=True,
    )
    graded = samples.change(3, "Say it", Level.HIGH, files=[samples.file("a.hpp")], items=[renamed])
    assert "core::Attention::go → core::Attention::run." in said(graded)


def test_change_that_brings_names_and_settings_is_a_feature_first():
    items = [
        samples.fact(FactKind.SYMBOL, Action.ADDED, "Plan", samples.at("src/a.py", 1)),
        samples.fact(FactKind.CONFIG, Action.ADDED, "Run.plan", samples.at("src/cli.py", 2)),
    ]
    graded = samples.change(
        3,
        "[Core] A plan at the start",
        Level.HIGH,
        files=[samples.file("src/a.py"), samples.file("src/cli.py")],
        items=items,
    )
    types = analyse(graded, Language.EN).change_types
    assert types == (ChangeType.FEATURE, ChangeType.CONFIGURATION)


def test_a_sentence_longer_than_the_bound_is_not_quoted():
    graded = samples.change(
        1, "Say it at once", Level.LOW, files=[samples.file("a.py")], paragraphs=["word " * 200]
    )
    assert analyse(graded, Language.EN).summary[0].text == "Say it at once."


@pytest.mark.parametrize(
    ("title", "tags", "kind"),
    [
        ("Fix the thing", (), ChangeType.FIX),
        ("Whatever", ("Bugfix",), ChangeType.FIX),
        ("Whatever", ("Bug Fix",), ChangeType.FIX),
        ("Speed up the copy", (), ChangeType.PERFORMANCE),
        ("Remove the old path", (), ChangeType.REMOVAL),
        ("Deprecate the old path", (), ChangeType.DEPRECATION),
        ("Prefix the names", (), ChangeType.OTHER),
    ],
)
def test_type_follows_tags_and_the_leading_verb(title, tags, kind):
    graded = samples.change(
        1, title, Level.LOW, files=[samples.file("a.py")], subject={"tags": tags, "number": 1}
    )
    assert analyse(graded, Language.EN).change_types[0] is kind


@pytest.mark.parametrize(
    ("signature", "found"),
    [
        ("def f(self, a, b=1, *args, c: int = 2, **kw) -> x", ["a", "b", "*args", "c", "**kw"]),
        ("(a: dict[str, int] = {'x': (1, 2)}, b=',)')", ["a", "b"]),
        ("(a, /, b, *, c)", ["a", "b", "c"]),
        (r"(a='\'', b=',')", ["a", "b"]),
        ("()", []),
        ("int f(int a)", None),
        ("f(a, b", None),
        ("no brackets", None),
        (None, None),
    ],
)
def test_parameters_are_read_or_given_up(signature, found):
    read = parameters(signature)
    assert (None if read is None else list(read)) == found


def test_defaults_of_parameters_are_read_as_written():
    read = parameters("(a=1,b: dict[str, int]={'x': [2]}, c = f(d=3), e: 'str')")
    assert read == {"a": "1", "b": "{'x': [2]}", "c": "f(d=3)", "e": None}


def test_differences_tell_required_from_optional_and_lost():
    found = differences("f(a, b, c=1)", "f(a, d, e=2, c=1)")
    assert (found.required, found.lost, found.added) == (("d",), ("b",), ("d", "e"))
    assert differences("f(a, b)", "f(a, **kw)").lost == ()
    assert differences("f(a", "f(a)") == differences("f(a)", "f(a)")


words = st.text(max_size=40)
paths = st.text(min_size=1, max_size=20).filter(lambda p: p.strip("/"))


@st.composite
def changes(draw):
    files = draw(
        st.lists(
            st.builds(
                FileFacts,
                path=paths,
                status=st.sampled_from(FileStatus),
                area=st.sampled_from(Area),
                old_path=st.none() | paths,
                added=st.integers(0, 9999),
                deleted=st.integers(0, 9999),
                omitted=st.booleans(),
                binary=st.booleans(),
            ),
            max_size=6,
        )
    )
    places = [f.path for f in files] or ["x"]
    items = draw(
        st.lists(
            st.builds(
                Fact,
                kind=st.sampled_from(FactKind),
                action=st.sampled_from(Action),
                name=st.text(min_size=1, max_size=20),
                before=st.none() | words,
                after=st.none() | words,
                detail=st.sampled_from(
                    [
                        "",
                        "default",
                        "bases",
                        "moved",
                        "required parameter added",
                        "parameter renamed",
                    ]
                ),
                evidence=st.builds(
                    Evidence,
                    path=st.sampled_from(places),
                    line=st.integers(0, 99),
                    side=st.sampled_from(Side),
                ),
            ),
            max_size=12,
        )
    )
    return samples.change(
        1,
        draw(words),
        draw(st.sampled_from(Level)),
        files=files,
        items=items,
        paragraphs=draw(st.lists(st.text(max_size=300), max_size=3)),
    )


@settings(max_examples=80, deadline=None)
@given(changes(), st.sampled_from(Language))
def test_any_change_is_told_with_evidence_and_within_bounds(graded, language):
    analysis = analyse(graded, language)
    bounds = BOUNDS[graded.grade.level]
    assert analysis.summary
    assert analysis.change_types
    for section in SECTIONS:
        assert len(getattr(analysis, section)) <= getattr(bounds, section)
    assert all(s.evidence and s.text for s in statements(analysis))


AT = Evidence(path="engine/cli.py", line=3, side=Side.NEW)


def test_descriptions_say_what_a_table_of_names_lacks_and_each_text_once():
    graded = samples.documents()
    helps = [
        Clue(kind=ClueKind.HELP, name=name, text=text, evidence=AT)
        for name, text in (
            ("Config.pool_size", "Engines that are kept warm. See below."),
            ("Config.port", "Port to listen on."),
            ("Config.wait", "Seconds until a request fails."),
        )
    ]
    context = read(
        dataclasses.replace(graded, facts=dataclasses.replace(graded.facts, clues=tuple(helps))),
        Language.EN,
    )
    facts = [
        samples.fact(FactKind.CONFIG, Action.ADDED, "Config.pool_size", AT),
        samples.fact(FactKind.FLAG, Action.ADDED, "--pool-size", AT),
        samples.fact(FactKind.CONFIG, Action.CHANGED, "Config.port", AT, detail="default"),
        samples.fact(FactKind.CONFIG, Action.REMOVED, "Config.wait", AT),
        samples.fact(FactKind.DEPRECATION, Action.ADDED, "Config.old", AT, when="v2.0"),
        samples.fact(FactKind.DEPRECATION, Action.ADDED, "Config.older", AT, when="soon"),
    ]
    assert [plain(spans) for spans in descriptions(facts, context)] == [
        "Engines that are kept warm.",
        "",
        "Port to listen on.",
        "",
        "Removal is planned for v2.0.",
        "",
    ]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"after": "2"}, True),
        ({"after": "2", "condition": "torch >= 2.10"}, False),
        ({"elsewhere": "engine/old.py"}, False),
        ({"in_file": True}, False),
        ({"after": "get_count()"}, False),
        ({"after": "get_count()", "action": Action.ADDED}, True),
        ({"after": None, "action": Action.REMOVED}, False),
    ],
)
def test_table_does_not_tell_a_condition_a_place_an_unknown_value_or_what_was_announced(more, told):
    more = {"action": Action.CHANGED, "before": "1"} | more
    fact = samples.fact(FactKind.FLAG, name="--n", where=AT, **more)
    notice = samples.fact(FactKind.DEPRECATION, Action.REMOVED, "--n", AT)
    facts = dataclasses.replace(samples.documents().facts, items=(notice,))
    assert is_told_by_values(fact, facts) is told
    gone = dataclasses.replace(fact, action=Action.REMOVED)
    unsaid = samples.documents().facts
    assert is_told_by_values(gone, unsaid) is not (fact.condition or fact.elsewhere or fact.in_file)


def test_what_only_the_first_statement_decides_reads_no_further(monkeypatch):
    """Archives keep a line and a kind of every change: the rest would be made in vain."""
    graded = next(g for g in samples.everything() if len(gist(g, Language.EN).summary) > 1)
    first = gist(graded, Language.EN).summary[:1]
    given = []

    def counted(reading):
        for statement in whole(reading):
            given.append(statement)
            yield statement

    whole = summary.consequences
    monkeypatch.setattr(summary, "consequences", counted)
    assert gist(graded, Language.EN, most=1).summary == first
    must_act(graded)
    assert len(given) <= 2


EVERY = {
    Level.HIGH: (7, 7, 12, 6, 5),
    Level.MEDIUM: (5, 4, 4, 3, 3),
    Level.LOW: (1, 0, 0, 0, 0),
}
"""How much is said of a change of which there is more to say, by its level."""


@pytest.mark.parametrize("level", Level)
def test_level_decides_how_much_is_said(level):
    files = [samples.file(f"{area}/a.py", area, omitted=True) for area in Area]
    actions = (Action.REMOVED, Action.RENAMED, Action.CHANGED, Action.ADDED)
    groups = [(kind, action) for kind in CONTRACTS for action in actions]
    groups += [(FactKind.DEPRECATION, Action.ADDED)]
    items = [
        samples.fact(
            kind, action, f"--{action}-{kind}-{n}", samples.at("core/a.py", 10 * at + n),
            detail="default", before="3", after="4", replacement=f"--{n}", when="v2.0",
        )
        for at, (kind, action) in enumerate(groups)
        for n in range(3)
    ]  # fmt: skip
    told = {"files": files, "items": items, "paragraphs": ["Cards are no longer lost."]}
    graded = samples.change(1, "Set pools anew", level, **told)
    analysis = analyse(graded, Language.EN)
    assert tuple(len(getattr(analysis, section)) for section in SECTIONS) == EVERY[level]
    names = {Level.HIGH: 6, Level.MEDIUM: 4, Level.LOW: 3}[level]
    assert analysis.partial.count("/a.py") == names
    deep = analyse_whole(graded, Language.EN)
    whole = level if level is Level.HIGH else Level.MEDIUM
    assert tuple(len(getattr(deep, section)) for section in SECTIONS) == EVERY[whole]


def insights_of(*items, files=("engine/cli.py",), paragraphs=()):
    files = [samples.file(one) if isinstance(one, str) else one for one in files]
    graded = samples.change(
        1, "Change it", Level.HIGH, files=files, items=items, paragraphs=paragraphs
    )
    return [(one.text, one.aspect) for one in insights(read(graded, Language.EN), ())]


def test_insights_tell_values_and_what_is_deprecated():
    assert insights_of(
        flag(Action.REMOVED, before="1"),
        samples.fact(FactKind.DEPRECATION, Action.ADDED, "--old", AT, when="v2.0"),
    ) == [
        ("Removed command-line flag: --depth (default was 1).", Aspect.COMPATIBILITY),
        ("Deprecated: --old.", Aspect.COMPATIBILITY),
    ]


def test_benchmarks_are_told_behind_at_most_three_of_the_figures_that_they_may_explain():
    figures = [f"Memory fell by {n} MB in pool {n}." for n in range(1, 5)]
    measured = samples.file("bench/run.py", Area.BENCHMARKS)
    told = insights_of(files=["a.py", measured], paragraphs=[" ".join(figures)])
    assert [text.partition("“")[2].rstrip("”") for text, _ in told[:-1]] == figures[:3]
    assert "bench/run.py" in told[-1][0]
    assert {aspect for _, aspect in told} == {Aspect.PERFORMANCE}
    assert insights_of(files=["a.py", measured]) == []
    assert len(insights_of(paragraphs=[figures[0]])) == 1


def test_security_is_told_by_advisories_and_by_code_that_is_new_or_gone():
    def about(action, name, detail, side=Side.NEW):
        at = samples.at("engine/cli.py", 3, side)
        return samples.fact(FactKind.SECURITY, action, name, at, detail=detail)

    said = insights_of(
        about(Action.CHANGED, "GHSA-1", "advisory", Side.MESSAGE),
        about(Action.CHANGED, "GHSA-2[bot]", "advisory", Side.MESSAGE),
        about(Action.ADDED, "verify=False", "code"),
        about(Action.REMOVED, "eval", "code", Side.OLD),
    )
    assert [aspect for _, aspect in said] == [Aspect.SECURITY] * 3
    advisory, added, gone = (text for text, _ in said)
    assert "GHSA-1" in advisory
    assert "GHSA-2" not in advisory
    assert "verify=False in engine/cli.py" in added
    assert "eval in engine/cli.py" in gone
    assert insights_of(about(Action.CHANGED, "GHSA-2[bot]", "advisory", Side.MESSAGE)) == []
    assert len(insights_of(about(Action.REMOVED, "eval", "code", Side.OLD))) == 1


def test_no_statement_asks_for_nothing():
    assert not acts(gist(samples.flag_change(), Language.EN, most=0))


def update(name="torch", before="1.0", after="2.0", **more):
    place = samples.at("engine/cli.py", 3)
    given = {"before": before, "after": after, "detail": "pip"}
    return samples.fact(FactKind.DEPENDENCY, Action.CHANGED, name, place, **given | more)


def test_up_to_three_known_versions_are_to_be_tested_and_all_are_told_with_both_values():
    few = [update(f"torch{n}") for n in range(4)]
    assert advice(*few[:3]) == [f"Test with torch{n} 2.0 before upgrading." for n in range(3)]
    assert advice(*few) == []
    for unknown in (update(before=None), update(after=None)):
        assert not any("Test with" in one for one in advice(unknown))
    assert "torch (1.0 → 2.0)" in risks_of(update())[0]


@pytest.mark.parametrize(
    ("title", "detail", "told"),
    [("Drop take", "method", True), ("Drop it", "method", False), ("Drop take", OVERLOAD, False)],
)
def test_method_of_java_is_missed_where_the_title_names_it(title, detail, told):
    gone = symbol(Action.REMOVED, "Pool.take", "src/main/java/a/Pool.java", detail)
    files = [samples.file(gone.evidence.path)]
    graded = samples.change(1, title, Level.HIGH, files=files, items=[gone])
    assert bool(analyse(graded, Language.EN).risks) is told


def test_names_that_moved_are_told_with_both_files():
    sides = {"before": "old.py", "after": "engine/pool.py"}
    moved = symbol(Action.CHANGED, "Pool", detail="moved", **sides)
    (told,) = risks_of(moved)
    assert "old.py" in told
    assert "engine/pool.py" in told


@pytest.mark.parametrize(
    ("words", "areas", "fixes"),
    [
        ([("path traversal", 1)], [Area.CORE, Area.DOCS], True),
        ([("path traversal", 3)], [Area.CORE], False),
        ([("path traversal", 1), ("malicious", 3)], [Area.CORE], True),
        ([("path traversal", 1), ("overflow", 1)], [Area.BUILD], True),
        ([("path traversal", 1)], [Area.DOCS, Area.TESTS], False),
    ],
)
def test_title_that_names_a_weakness_is_a_fix_if_any_code_changes(words, areas, fixes):
    at = [samples.at("", line, Side.MESSAGE) for _, line in words]
    said = [
        samples.fact(FactKind.SECURITY, Action.CHANGED, word, where, detail="words")
        for (word, _), where in zip(words, at, strict=True)
    ]
    files = [samples.file(f"{area}/a.py", area) for area in areas]
    graded = samples.change(1, "Parse it anew", Level.HIGH, files=files, items=said)
    assert bool(to_do(graded, Language.EN)) is fixes
