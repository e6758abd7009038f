"""Code that is broken or hostile: never an error, never slow, nothing untrue."""

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digest.core.change import Hunk, Side
from digest.core.facts import Action, FactKind
from digest.facts import code
from digest.facts.call_arguments import split
from digest.facts.similarity import last_part
from tests.support.speed import within
from tests.unit.digest.facts.changes import hunks, scene

PATHS = ["a.py", "a.rs", "a.go", "a.ts", "a.tsx", "a.js", "A.java", "a.h", "a.cuh", "a.c"]
PIECES = [
    "def f(a, b=1):", "    def g(self):", "class A(B):", "    x: int = 1", "@dataclass", '"""', "'''", "#", "\\",
    "(", ")", "[", "]", "{", "}", ",", ":", "=", "->", '"', "'", "`", "\0", "\ud7ff", "é", "\r", "\t", "    ", " ",
    "parser.add_argument('--x', default=1)", 'os.environ.get("X_Y", "1")', '"X_Y": lambda: os.getenv("X_Y", "1"),',
    '@app.get("/x")', 'Counter("x_y", "z")', "pub fn f(a: u8) {", "pub struct S { pub a: u8 }", "impl S {",
    "func F(a int) {", "type T struct {", "export function f(a: string) {", "exports.f = (a) => a;",
    "public class A {", "public void f(int a) {}", "int f(int a);", "template <typename T>", "namespace n {",
    "if x:", "else:", "__all__ = ['f']", "async def h(): ...", "//", "/*", "*/", "#[arg(long)]", "/",
]  # fmt: skip
texts = st.lists(st.sampled_from([*PIECES, "\n", "\n", "\n"]), max_size=40).map("".join)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(PATHS), texts, texts)
def test_any_text_gives_facts_that_point_into_it(path, old, new):
    one = scene(path, old, new)
    code.wants(one.file, one.area, one.language)
    for fact in code.find(one):
        text = old if fact.evidence.side is Side.OLD else new
        assert 1 <= fact.evidence.line <= text.count("\n") + 1
        assert fact.name


LINES = [
    "def load(path, mode='r'):",
    "def load(path, mode='w'):",
    "def store(path):",
    "    return path",
    "class Engine:",
    "class Cache(Engine):",
    "    def run(self, count: int) -> None:",
    "    def run(self, count: int, fast: bool = True) -> None:",
    "    def stop(self):",
    "        pass",
    "    size: int = 1",
    "    size: int = 2",
    "@dataclass",
    "x = os.environ.get('APP_X', '1')",
    "p.add_argument('--fast', default=1)",
    "",
]
modules = st.lists(st.sampled_from(LINES), max_size=25).map(lambda rows: "\n".join(rows) + "\n")


@settings(max_examples=300, deadline=None)
@given(modules, modules)
def test_what_is_new_or_gone_stands_on_a_changed_line_and_not_on_the_other_side(old, new):
    for fact in code.find(scene("a.py", old, new)):
        if fact.action not in {Action.ADDED, Action.REMOVED}:
            continue
        added = fact.action is Action.ADDED
        text, other = (new, old) if added else (old, new)
        assert last_part(fact.name).lstrip("-") in text.split("\n")[fact.evidence.line - 1]
        changed = {
            line
            for h in hunks(old, new)
            for line in (
                range(h.new_start, h.new_start + len(h.added))
                if added
                else range(h.old_start, h.old_start + len(h.removed))
            )
        }
        assert fact.evidence.line in changed
        if fact.kind in {FactKind.FLAG, FactKind.ENVIRONMENT} or "." not in fact.name:
            assert not re.search(rf"^(?:def|class) {re.escape(fact.name)}\b", other, re.MULTILINE)


@settings(max_examples=200, deadline=None)
@given(modules)
def test_nothing_changed_is_nothing_told(text):
    assert list(code.find(scene("a.py", text, text))) == []


@settings(max_examples=200, deadline=None)
@given(modules, modules)
def test_undoing_a_change_takes_away_what_it_brought(old, new):
    forth = scene("a.py", old, new)
    back = replace(
        forth, old=new, new=old, file=replace(forth.file, hunks=turned(forth.file.hunks))
    )
    brought = {(f.kind, f.name) for f in code.find(forth) if f.action is Action.ADDED}
    gone = (f for f in code.find(back) if f.action is Action.REMOVED)
    # Attributes of classes are told where they go; one that comes is nobody's contract yet.
    assert brought == {(f.kind, f.name) for f in gone if f.detail not in {"attribute", "alias"}}


def turned(made):
    return tuple(
        Hunk(old_start=h.new_start, new_start=h.old_start, removed=h.added, added=h.removed)
        for h in made
    )


OPEN = {"python": '"\\', "typescript": "`\\" + '"\\', "rust": 'r#"', "go": '"\\', "java": "/* "}


@pytest.mark.parametrize("language", OPEN)
def test_call_of_open_strings_costs_its_length(language):
    text = "f(" + OPEN[language] * 10_000
    assert split(text, 1, language) is None
    assert within(5, lambda: [split(text, 1, language) for _ in range(20)])


@pytest.mark.parametrize(
    ("text", "language", "parts"),
    [
        ("(s.replace(/\"/g, ''), 2)", "typescript", ["s.replace(/\"/g, '')", "2"]),
        ("(a, `b, \\` ), c`)", "typescript", ["a", "`b, \\` ), c`"]),
        ("(don't, [a, b])", "python", ["don't", "[a, b]"]),
        ('(r#"a, ")"#, b)', "rust", ['r#"a, ")"#', "b"]),
        ("('a, it\\'s', b)", "python", ["'a, it\\'s'", "b"]),
    ],
)
def test_arguments_are_parted_beside_quotes_of_every_sort(text, language, parts):
    assert split(text, 0, language) == (len(text), parts)


def test_flag_is_named_by_the_field_below_its_attributes():
    rows = [
        "struct Args {",
        "    #[arg(long)]",
        "    ////////////////////////////////////////////////////////////",
        "    /// How many.",
        '    #[serde(rename = "n]")] #[allow(unused)]',
        "    pub(crate) max_workers: [u8; 3],",
        "}",
    ]
    found = code.find(scene("a.rs", "struct Args {\n}\n", "\n".join(rows) + "\n"))
    flags = [fact.name for fact in found if fact.kind is FactKind.FLAG]
    assert flags == ["--max-workers"]
