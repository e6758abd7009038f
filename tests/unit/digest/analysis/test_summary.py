"""The order of a summary's statements, and what each of them leaves out."""

from __future__ import annotations

import pytest

from digest.analysis.analyse import acts, gist
from digest.core.change import FileStatus, Side
from digest.core.enums import Language
from digest.core.facts import Action, Clue, ClueKind, FactKind, Note, Undone
from digest.core.grade import Level
from tests.support import samples

CLI, OTHER = "src/config/cli.py", "src/config/other.py"
QUOTE = "Pools no longer fail when they are empty."


def fact(kind, action, name, path=CLI, **more):
    side = Side.OLD if action is Action.REMOVED else Side.NEW
    return samples.fact(kind, action, name, samples.at(path, 3, side), **more)


def default(name, before="1", after="2", kind=FactKind.FLAG, **more):
    more = {"before": before, "after": after, "detail": "default"} | more
    return fact(kind, Action.CHANGED, name, **more)


def clue(kind, **more):
    return Clue(kind=kind, evidence=samples.at(CLI, 3), **more)


def change(title, *items, clues=(), **more):
    more = {"files": [samples.file(path) for path in (CLI, OTHER)]} | more
    more |= {"items": items, "clues": tuple(clues)}
    return samples.change(1, title, Level.HIGH, **more)


def lines(*given, **more):
    return [one.text for one in gist(change(*given, **more), Language.EN).summary]


def test_two_consequences_and_what_describes_them_come_before_the_title():
    told = lines(
        "Count cards at night",
        fact(FactKind.FLAG, Action.REMOVED, "--fast"),
        default("--size"),
        default("--depth"),
        clues=[clue(ClueKind.HELP, name="--size", text="Workers of one pool.")],
    )
    assert told == [
        "--fast was removed.",
        "--size now defaults to 2 (was 1).",
        "--size: Workers of one pool.",
        "Count cards at night.",
    ]


def test_title_that_says_little_comes_after_the_author_s_words():
    quote = f"In the author's words: “{QUOTE}”"
    assert lines("Update docs", paragraphs=[QUOTE]) == [quote, "Update docs."]
    assert lines("Count cards at night", paragraphs=[QUOTE]) == ["Count cards at night.", quote]
    new = fact(FactKind.FLAG, Action.ADDED, "--night")
    note = Note(mark="", text="Cards are now counted at night.", evidence=new.evidence)
    files = [samples.file(CLI, status=FileStatus.ADDED, added=90)]
    assert lines("Pools", new, files=files) == ["New flag --night.", "New: Pools."]
    told = lines("Pools", new, notes=(note,))
    assert told == ["Cards are now counted at night.", "New flag --night.", "Pools."]


def test_two_defaults_that_changed_alike_are_both_told():
    items = [
        default(name, "False", "True")
        for name in ("--card-pool-exclusive", "--deck-pool-exclusive")
    ]
    assert lines("Compatible pools", *items)[:2] == [
        "--card-pool-exclusive now defaults to True (was False).",
        "--deck-pool-exclusive now defaults to True (was False).",
    ]


def test_revert_tells_no_new_thing_and_quotes_no_comment():
    new = [
        fact(FactKind.SYMBOL, Action.ADDED, "Pool.take", detail="method"),
        fact(FactKind.SYMBOL, Action.ADDED, "PoolRequest.size", "app/api/protocol.py", detail="field"),
    ]  # fmt: skip
    clues = [
        clue(ClueKind.HELP, name="Pool.take", text="Takes a card of the pool."),
        clue(ClueKind.REMARK, text="A pool must have one card of its own."),
        clue(ClueKind.DOCS, name="pool", text="The pool waits for its workers."),
        clue(ClueKind.REFUSED, text="Cards of the pool are not supported by it"),
    ]
    undone = Undone(title="Add take of a pool")
    told = lines('Revert "Add take of a pool"', *new, clues=clues, reverts=undone)
    assert told == ["Undoes an earlier change (“Add take of a pool”)."]
    assert len(lines("Add take of a pool", *new, clues=clues)) > 3


def test_variables_that_are_no_longer_read_are_told_together():
    unread = [
        fact(FactKind.ENVIRONMENT, Action.REMOVED, name, detail="read")
        for name in ("CARD_POOL", "CARD_DEBUG", "CARD_SIZE")
    ]
    assert lines("Count at night", *unread)[1] == "CARD_POOL and CARD_SIZE are no longer read."
    assert lines("Count at night", unread[0])[1] == "CARD_POOL is no longer read."


@pytest.mark.parametrize(
    ("places", "line"),
    [
        ([(CLI, True), (CLI, True)], f"--a and --b were removed from {CLI}."),
        ([(CLI, True), (OTHER, True)], "--a and --b were removed."),
        ([(CLI, True), (CLI, False)], "--a and --b were removed."),
        ([(CLI, False), (CLI, False)], "--a and --b were removed."),
    ],
)
def test_file_is_named_of_what_went_from_it_alone(places, line):
    gone = [
        fact(FactKind.FLAG, Action.REMOVED, name, path, in_file=here)
        for name, (path, here) in zip(("--a", "--b"), places, strict=True)
    ]
    assert lines("Count at night", *gone)[0] == line


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Choose a strategy at night", "--load-strategy no longer defaults to lazy."),
        ("Choose how to load a strategy", "Choose how to load a strategy (--load-strategy defaulted to lazy)."),
        ("Default load_strategy to all if asked", "--load-strategy now defaults to all (was lazy)."),
    ],
)  # fmt: skip
def test_default_that_is_now_computed_is_told_by_a_title_about_it(title, line):
    assert lines(title, default("--load-strategy", '"lazy"', "None"))[0] == line


@pytest.mark.parametrize(
    ("title", "name", "own"),
    [
        ("Set the default cards of a pool", "--size-limit", True),
        ("Set the default cards of a pool", "--card-limit", True),
        ("Set the default tokens", "--card-pool-size", True),
        ("Set the cards of a size by default", "--card-pool-size", True),
        ("Set the default cards of a size", "--card-pool-size", False),
        ("Set the default card_pool_size", "--card-pool-size", False),
    ],
)
def test_title_of_a_default_comes_first_if_it_is_about_another_one(title, name, own):
    told = f"{title}." if own else f"{name} now defaults to 2 (was 1)."
    assert lines(title, default(name))[0] == told


def deprecated(*others):
    return [
        fact(FactKind.DEPRECATION, Action.ADDED, f"APP_{n}", replacement=other, detail="docstring")
        for n, other in enumerate(others)
    ]


@pytest.mark.parametrize(
    ("others", "line"),
    [
        (["--a", "--b"], "APP_0 and APP_1 are deprecated; use --a and --b."),
        (["--a", None], "APP_0 and APP_1 are deprecated."),
        (["--a", "--b", "--c"], "APP_0, APP_1 and APP_2 are deprecated."),
        (["--a"], "APP_0 is deprecated; use --a."),
    ],
)
def test_replacements_of_what_is_deprecated_are_told_if_they_are_few_and_all_known(others, line):
    assert lines("Count at night", *deprecated(*others))[0] == line


@pytest.mark.parametrize(
    ("title", "due"),
    [
        ("Deprecate the old pool of cards", True),
        ("Deprecate OldPool for cards", False),
        ("Change the default OldPool of cards", True),
        ("Count the old pool of cards", False),
    ],
)
def test_title_asks_users_to_act_unless_it_is_about_a_class_of_the_code(title, due):
    assert acts(gist(change(title), Language.EN)) is due
