"""What is told beside a title: new things, values, versions and errors, each by its own source."""

from __future__ import annotations

from dataclasses import replace

import pytest

from digest.analysis import explanations as explain
from digest.analysis.context import read
from digest.core.change import FileStatus, Side
from digest.core.enums import Language
from digest.core.facts import Action, Area, Clue, ClueKind, FactKind, Undone
from digest.core.grade import Level
from digest.core.statement import Aspect
from tests.support import samples

CLI, API = "src/config/cli.py", "app/api/protocol.py"


def fact(kind, name, action=Action.ADDED, path=CLI, **more):
    return samples.fact(kind, action, name, samples.at(path, 3), **more)


def clue(kind, side=Side.NEW, path=CLI, **more):
    return Clue(kind=kind, evidence=samples.at(path, 3, side), **more)


def helped(**texts):
    return [clue(ClueKind.HELP, name=name, text=text) for name, text in texts.items()]


def context(title, *items, clues=(), level=Level.HIGH, files=(CLI, API), **more):
    files = [samples.file(one) if isinstance(one, str) else one for one in files]
    more |= {"files": files, "items": items, "clues": tuple(clues)}
    return read(samples.change(1, title, level, **more), Language.EN)


def texts(statements):
    return [one.text for one in statements]


def test_new_settings_are_told_one_by_one_with_a_text_or_a_default_and_else_together():
    names = [f"--pool-{n}" for n in range(9)]
    explained, others = explain.news(
        context("Add", *(fact(FactKind.FLAG, one, after="4") for one in names))
    )
    assert texts(explained) == [f"New flag {one} (default 4)." for one in names[:8]]
    assert not others
    explained, others = explain.news(
        context("Add", *(fact(FactKind.FLAG, one) for one in names[:2]))
    )
    assert (explained, texts(others)) == ([], ["New command-line flags: --pool-0 and --pool-1."])
    explained, others = explain.news(context("Add", fact(FactKind.FLAG, names[0])))
    assert (explained, texts(others)) == ([], ["New flag --pool-0."])


def test_text_of_a_flag_is_not_told_again_of_a_field_and_a_setting_without_a_text_is_not_told():
    text = "How many workers run."
    flag, field = fact(FactKind.FLAG, "--size"), fact(FactKind.CONFIG, "PoolArgs.count")
    clues = [clue(ClueKind.HELP, name=one.name, text=text) for one in (flag, field)]
    explained, others = explain.news(context("Add", flag, field, clues=clues))
    assert (texts(explained), others) == ([f"New flag --size: {text}"], [])
    explained, others = explain.news(context("Add", field, clues=clues[1:]))
    assert texts(explained) == [f"New setting PoolArgs.count: {text}"]
    assert explain.news(context("Add", field)) == ([], [])


def test_what_another_part_has_already_is_new_in_its_file_and_left_to_the_full_report():
    again = [fact(FactKind.FLAG, f"--port-{n}", elsewhere="server/app.py") for n in range(5)]
    explained, others = explain.news(context("Add", *again, clues=helped(port_0="Where it is.")))
    assert not explained
    assert texts(others)[0] == (
        f"New flag --port-0 in {CLI} (server/app.py already has it): Where it is."
    )
    assert [one.aspect for one in others] == [Aspect.ARCHITECTURE] * 4


@pytest.mark.parametrize(
    ("kind", "detail", "line"),
    [
        (FactKind.SCHEMA, "table", "New database table pool: Where workers wait."),
        (FactKind.SCHEMA, "message", "The protocol gains pool: Where workers wait."),
        (FactKind.ENVIRONMENT, "table", "New environment variable pool: Where workers wait."),
    ],
)
def test_table_of_a_database_is_told_apart_from_what_a_protocol_has(kind, detail, line):
    reading = context(
        "Add", fact(kind, "pool", detail=detail), clues=helped(pool="Where workers wait.")
    )
    assert texts(explain.news(reading)[0]) == [line]


def test_first_new_field_of_a_request_without_a_text_is_told():
    fields = [
        fact(FactKind.SYMBOL, f"ChatRequest.{one}", path=API, detail="field")
        for one in ("skip", "take", "stop")
    ]
    clues = [clue(ClueKind.HELP, name="ChatRequest.skip", text="Leaves some out.")]
    told = texts(explain.sent_fields(context("Add", *fields, clues=clues)))
    assert told == ["New field ChatRequest.take."]


@pytest.mark.parametrize(
    ("title", "names", "line"),
    [
        ("Add Pool.take for cards", ["Rack.take", "Pool.take"], "New method Pool.take: Takes one."),
        ("Add take for cards", ["Rack.take", "Pool.take"], "New method Rack.take: Takes one."),
        ("Add limit", ["Pool.limit"], "New field Pool.limit: Takes one."),
        ("Add LIMIT", ["Pool.LIMIT"], ""),
        ("Use take more", ["Pool.take"], ""),
    ],
)
def test_new_code_that_the_title_names_is_told_that_of_the_named_class_first(title, names, line):
    items = [
        fact(FactKind.SYMBOL, one, detail="field" if "imit" in one.lower() else "method")
        for one in names
    ]
    clues = [clue(ClueKind.HELP, name=one, text="Takes one.") for one in names]
    told = texts(explain.introduced(context(title, *items, clues=clues)))
    assert told == ([line] if line else [])


@pytest.mark.parametrize(("level", "most"), [(Level.HIGH, 2), (Level.MEDIUM, 1)])
def test_new_code_whose_text_has_words_of_the_title_is_described(level, most):
    about = {
        "grow": "Start idle workers.",
        "halve": "Stop every second of the workers when the pool is idle.",
        "shrink": "Let idle workers go.",
        "paint": "Draw it in red.",
        "pool": "Made of idle workers, and named in the title.",
    }
    items = [fact(FactKind.SYMBOL, one, detail="function") for one in about]
    reading = context("Resize the pool if workers idle", *items, clues=helped(**about), level=level)
    told = [*explain.described(reading)]
    names = ["halve", "grow"][:most]
    assert texts(told) == [f"New function {one}: {about[one]}" for one in names]
    assert all(one.aspect is Aspect.ARCHITECTURE for one in told)


@pytest.mark.parametrize(
    ("detail", "after", "text", "told"),
    [
        ("default", "2", "Workers of a pool.", True),
        ("choices", "['a']", "Workers of a pool.", True),
        ("type", "2", "Workers of a pool.", False),
        ("default", "get_count()", "Workers of a pool.", False),
        ("default", "2", "", False),
    ],
)
def test_setting_is_described_if_its_known_default_or_its_choices_changed(
    detail, after, text, told
):
    item = fact(FactKind.FLAG, "--pool", Action.CHANGED, before="1", after=after, detail=detail)
    clues = [clue(ClueKind.HELP, name="--pool", text=text)] if text else []
    found = texts(explain.setting_descriptions(context("Set it", item, clues=clues)))
    assert found == (["--pool: Workers of a pool."] if told else [])


@pytest.mark.parametrize(
    ("title", "name", "told"),
    [
        ("Tune it", "POOL_SIZE", True),
        ("Tune it", "SIZE", False),
        ("Tune it", "POOL_DEBUG", False),
        ("Tune it", "Pool_Size", False),
        ("Tune it", "CACHE_VERSION", False),
        ("Raise the version of it", "CACHE_VERSION", True),
        ("Raise poolSize", "poolSize", True),
        ("Raise pool_2", "pool_2", True),
        ("Raise the size", "size", False),
        ("Raise `size`", "size", True),
        ("Raise Size", "Size", True),
        ("Raise top", "Top", False),
        ("Raise aB", "aB", False),
        ("Raise a_b", "a_b", False),
        ("Raise maxN", "maxN", True),
    ],
)
def test_value_is_told_of_a_constant_or_of_what_the_title_names(title, name, told):
    value = clue(ClueKind.LITERAL, name=name, before="1", after="2")
    line = f"{name} is now 2 (was 1)."
    assert texts(explain.values(context(title, clues=[value]))) == ([line] if told else [])


def test_only_the_first_known_value_is_told():
    known = clue(ClueKind.LITERAL, name="POOL_SIZE", before="1", after="2")
    others = [
        replace(known, before=""),
        replace(known, after=""),
        replace(known, before="1" * 41),
        replace(known, after="1" * 41),
        replace(known, kind=ClueKind.ENTRY),
        replace(known, name="POOL_LIMIT"),
    ]
    limit = fact(FactKind.CONFIG, "POOL_LIMIT", Action.CHANGED, before="1", after="2")
    long = replace(known, name="POOL_LONG", after="1" * 40)  # a commit is shown by its beginning
    for clues, told in (
        (others, []),
        ([*others, known, known], ["POOL_SIZE is now 2 (was 1)."]),
        ([long], [f"POOL_LONG is now {'1' * 40} (was 1)."]),
    ):
        assert texts(explain.values(context("Tune it", limit, clues=clues))) == told


@pytest.mark.parametrize(
    ("title", "text", "flags"),
    [
        ("Check it", "--fast is incompatible with --slow.", ["--fast", "--slow"]),
        ("Check it", "--fast is incompatible with --fast and --new-one.", ["--fast"]),
        ("Check it", "--new-one cannot be used.", None),
        ("Check it", "--fast cannot be {used}.", None),
        ("Check it", "--fast was read.", None),
        ("Support Big Reader", "Big Reader: --fast is not supported.", None),
        ("Support Big Reader of pools", "Big Reader: --fast is not supported.", None),
        ("Support Big Reader", "Reader of cards: --fast is not supported.", ["--fast"]),
        ("Support Big Reader", "Big Reader --fast is not supported.", ["--fast"]),
        ("Read Big Reader", "Big Reader: --fast is not supported.", ["--fast"]),
        ("Add --new-one", "--fast and --new-one cannot be used together.", None),
        ("Support --fast", "--fast: --slow is not supported.", ["--fast", "--slow"]),
    ],
)
def test_error_refuses_the_known_flags_that_it_names(title, text, flags):
    old = fact(FactKind.FLAG, "--slow", Action.CHANGED, before="1", after="2", detail="default")
    error = clue(ClueKind.REFUSED, text=text)
    items = (fact(FactKind.FLAG, "--new-one"), old)
    found = explain.refused_flags(context(title, *items, clues=[error]))
    assert (found and found[1]) == flags


def test_flags_are_refused_by_new_errors_of_code_that_was_there_alone():
    error = clue(ClueKind.REFUSED, text="--fast cannot be used.")
    made = samples.file("src/new.py", status=FileStatus.ADDED)
    for other in (
        replace(error, kind=ClueKind.ENTRY),
        replace(error, evidence=samples.at(CLI, 3, Side.OLD)),
        replace(error, evidence=samples.at(made.path, 3)),
    ):
        assert explain.refused_flags(context("Check", clues=[other], files=[CLI, made])) is None
    assert explain.refused_flags(context("Check", clues=[error])) == (error, ["--fast"])
    undone = context("Check", clues=[error], reverts=Undone(number=1))
    assert explain.refused_flags(undone) is None


USE = "The side of a pool must be 'left' or pool_side"
LIMIT = "Cards of the pool are not supported by it"
TOLD, LIFTED = "Can fail with the error “{}”.", "No longer rejected: “{}”."


@pytest.mark.parametrize(
    ("title", "text", "side", "path", "line"),
    [
        ("Check it", USE, Side.NEW, CLI, TOLD),
        ("Check it", USE, Side.NEW, "src/new.py", ""),
        ("Check it", LIMIT, Side.NEW, "src/new.py", TOLD),
        ("Check it", LIMIT, Side.NEW, CLI, TOLD),
        ("Check it", USE.replace("pool_side", "new_side"), Side.NEW, CLI, ""),
        ("Check it", USE.replace("pool_side", "old_side"), Side.NEW, CLI, TOLD),
        ("Support it", LIMIT, Side.OLD, CLI, LIFTED),
        ("Support it", USE, Side.OLD, CLI, ""),
        ("Check it", LIMIT, Side.OLD, CLI, ""),
        ("Support it", f"{LIMIT}:", Side.OLD, CLI, ""),
        ("Support it", "Cards unsupported", Side.OLD, CLI, ""),
        ("Check it", f"{LIMIT} if a pointer is null", Side.NEW, CLI, ""),
        ("Support it", f"{LIMIT} if a pointer is null", Side.OLD, CLI, LIFTED),
    ],
)
def test_error_is_told_by_what_is_new_and_what_it_limits(title, text, side, path, line):
    files = [CLI, samples.file("src/new.py", status=FileStatus.ADDED)]
    items = (
        fact(FactKind.FLAG, "new_side"),
        fact(FactKind.FLAG, "old_side", Action.CHANGED, before="1", after="2", detail="default"),
    )
    error = clue(ClueKind.REFUSED, side, path, text=text)
    told = texts(explain.refusals(context(title, *items, clues=[error, error], files=files)))
    assert told == ([line.format(text)] if line else [])
    other = replace(error, kind=ClueKind.ENTRY)
    assert not list(explain.refusals(context(title, *items, clues=[other], files=files)))


def toolchain(name, before, after):
    return fact(
        FactKind.TOOLCHAIN, name, Action.CHANGED, "Dockerfile",
        before=before, after=after, detail="docker",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("title", "item", "line"),
    [
        ("Update Go to 1.26.4", ("golang", "1.26.3", "1.26.4"), "Built with Go 1.26.4 instead of 1.26.3."),
        ("Update Node.js to v22.1", ("node", "20.0", "22.1"), "Built with Node.js 22.1 instead of 20.0."),
        ("Update Node to v22.1", ("node", "20.0", "22.1"), "Built with Node.js 22.1 instead of 20.0."),
        ("Update it to 1.26.4", ("golang", "1.26.3", "1.26.4"), ""),
        ("Update Go to 1.26.4", ("golang", "1.26.4", "1.26.4"), ""),
        ("Update Go to 1.26.4", ("golang", None, "1.26.4"), ""),
        ("Update Go to 1.26.4", ("golang", "1.26.9", "1.26.4"), ""),
        ("Update Go to 1.26.4", ("golang", "1.26.3", "1.26.5"), ""),
        ("Update Go from 1.26.3 to 1.26.4", ("golang", "1.26.3", "1.26.4"), "Built with Go 1.26.4 instead of 1.26.3."),
    ],
)  # fmt: skip
def test_language_that_the_title_raises_is_told_with_the_version_before(title, item, line):
    files = [samples.file("Dockerfile", Area.BUILD)]
    told = texts(explain.built_with(context(title, toolchain(*item), files=files)))
    assert [one for one in told if one.startswith("Built")] == ([line] if line else [])


def relay(before="1.2.0", after="1.3.0", name="relay", **more):
    more = {"before": before, "after": after, "detail": "pip"} | more
    return fact(FactKind.DEPENDENCY, name, Action.CHANGED, "pyproject.toml", **more)


@pytest.mark.parametrize(
    ("title", "item", "line"),
    [
        ("Bump relay to 1.3.0", relay(), "relay is now 1.3.0 (was 1.2.0)."),
        ("Bump relay to 1.3", relay(after="=1.3.0"), "relay is now 1.3.0 (was 1.2.0)."),
        ("Bump relay to 1.30", relay(), ""),
        ("Bump relay to 1.3.0", relay(before=None), ""),
        ("Bump relay to 1.3.0", relay(name="other"), ""),
        ("Bump relay_py to 1.3.0", relay(), "relay_py is now 1.3.0 (was 1.2.0)."),
        ("Bump relay to 1.3.0", relay(name="relay-py"), "relay is now 1.3.0 (was 1.2.0)."),
        ("Look at relay to 1.3.0", relay(), ""),
        ("Bump relay to 1.3.0", clue(ClueKind.LITERAL, name="RELAY_TAG", before="1.2.0", after="1.3.0"), "relay is now 1.3.0 (was 1.2.0)."),
        ("Bump relay to 1.3.0", clue(ClueKind.LITERAL, name="RELAY", before="1.2.0", after="1.3.0"), ""),
        ("Bump relay to 1.3.0", clue(ClueKind.ENTRY, name="RELAY_TAG", before="1.2.0", after="1.3.0"), ""),
        ("Bump relay to 1.3.0", clue(ClueKind.LITERAL, name="RELAY_TAG", before="", after="1.3.0"), ""),
        ("Bump relay to 1.3.0", clue(ClueKind.LITERAL, name="RELAY_TAG", before="1.2.0", after=""), ""),
    ],
)  # fmt: skip
def test_dependency_that_the_title_raises_is_told_with_the_version_before(title, item, line):
    is_clue = isinstance(item, Clue)
    items, clues = ((), [item]) if is_clue else ((item,), [])
    files = [samples.file("pyproject.toml", Area.BUILD), CLI]
    reading = context(title, *items, clues=clues, files=files)
    assert texts(explain.built_with(reading)) == ([line] if line else [])
    fixed = context(title, *items, clues=clues, files=files, subject={"scope": "security"})
    assert not list(explain.built_with(fixed))


@pytest.mark.parametrize(
    ("title", "items", "told"),
    [
        ("Update it", [relay()], ["relay is now 1.3.0 (was 1.2.0)."]),
        ("Update it", [relay("=1.2.0", "=1.3.0")], ["relay is now 1.3.0 (was 1.2.0)."]),
        ("Update it", [relay("1.2.0", "=1.3.0")], ["relay is now =1.3.0 (was 1.2.0)."]),
        ("Update it", [relay("~1.2", "~1.3")], ["relay is now ~1.3 (was ~1.2)."]),
        ("Update it", [relay(None, "1.3")], []),
        ("Update it", [relay("1.2", None)], []),
        ("Update it", [relay("1.2", "1.2.0")], []),
        ("Update relay to 1.4.0", [relay()], []),
        ("Update relay to 1.3.0", [relay()], ["relay is now 1.3.0 (was 1.2.0)."]),
        ("Update relay from 1.2.0 to 1.3.0", [relay()], ["relay is now 1.3.0 (was 1.2.0)."]),
        ("Update other to 1.4.0", [relay()], ["relay is now 1.3.0 (was 1.2.0)."]),
        ("Update it", [relay(name=f"r{n}") for n in range(3)],
         [f"r{n} is now 1.3.0 (was 1.2.0)." for n in range(3)]),
        ("Update it", [relay(name=f"r{n}") for n in range(4)], []),
        ("Update it", [relay(), *(relay("=1.2", "~1.2", f"r{n}") for n in range(4))],
         ["relay is now 1.3.0 (was 1.2.0)."]),
    ],
)  # fmt: skip
def test_few_changed_versions_are_told_unless_the_title_names_others(title, items, told):
    files = [samples.file("pyproject.toml", Area.BUILD)]
    assert texts(explain.versions(context(title, *items, files=files))) == told
