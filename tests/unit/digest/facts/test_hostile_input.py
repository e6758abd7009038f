"""Input made to be slow: ten times the length may not take much more than ten times as long."""

from dataclasses import replace
from time import process_time

import pytest

from digest.core.facts import Action, FactKind
from digest.facts.exposure import with_exposure
from digest.facts.languages import language_of
from digest.facts.paths import area_of
from tests.support.speed import slowness, within
from tests.unit.digest.facts.changes import facts_of

SEEDS = {
    "spaces": " ",
    "tabs": "\t ",
    "parentheses": "((",
    "brackets": "[a](",
    "tags": "[a]",
    "numbers": "(#1)",
    "open comment": "<!-",
    "html": "<details ",
    "stars": "**a",
    "ticks": "`a ",
    "quotes": "\"'",
    "dashes": "- ",
    "words": "deprecated a ",
    "removal": "will be removed in the ",
    "injection": "remote code ",
    "equals": "a==1,",
    "dots": "a.b.",
    "slashes": "a/",
    "reverts": 'Revert "',
    "trailers": "Signed-off-by: ",
    "hex": "deadbeef",
    "colons": "a:b::",
    "sql": "CREATE TABLE IF NOT ",
    "decorators": "@a.b.",
    "unicode": "é\u202e【",
    "generics": "pub const async unsafe ",
}
PATHS = [
    "pyproject.toml",
    "requirements.txt",
    "setup.py",
    "setup.cfg",
    "Cargo.toml",
    "package.json",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "Gemfile",
    "Dockerfile",
    "CMakeLists.txt",
    ".github/workflows/a.yml",
    ".pre-commit-config.yaml",
    "a.proto",
    "a.graphql",
    "a.thrift",
    "a.sql",
    "a.py",
    "a.rs",
    "a.go",
    "A.java",
    "a.js",
    "a.c",
    "docs/a.md",
]
BUDGET = 1.5
"""Seconds for a whole change with 50,000 characters in each of its places: far above what any of
them takes (some 0.1), far below what a pattern that goes back and forth would."""


def seconds(work) -> float:
    start = process_time()
    work()
    return (process_time() - start) / slowness()


@pytest.mark.parametrize("seed", SEEDS.values(), ids=SEEDS)
def test_message_of_one_long_line(seed):
    line = (seed * (50_000 // len(seed) + 1))[:50_000]
    message = f"{line}\n\n{line}\n\n- {line}\n\nFixes: {line}"
    assert seconds(lambda: facts_of(message, ("a.py", "a\n", "b\n"))) < BUDGET


@pytest.mark.parametrize("seed", SEEDS.values(), ids=SEEDS)
def test_files_of_long_lines(seed):
    # Below the length from which a line is passed over, many times; and one far beyond it.
    line = (seed * 600)[:590]
    text = "\n".join([line] * 40 + [line * 80])
    files = [(path, "x\n", text) for path in PATHS]
    assert seconds(lambda: facts_of("Change", *files)) < 2 * BUDGET


@pytest.mark.parametrize("seed", SEEDS.values(), ids=SEEDS)
def test_long_paths(seed):
    path = (seed * 50_000)[:50_000]
    assert seconds(lambda: (area_of(path), language_of(path), area_of(f"test_{path}.py"))) < BUDGET


def test_message_of_many_lines_is_read_in_linear_time():
    message = "Fix\n\n" + "\n".join(f"* fix {n} in <details> [a](b) #{n}" for n in range(20_000))
    assert seconds(lambda: facts_of(message, ("a.py", "a\n", "b\n"))) < BUDGET


@pytest.mark.parametrize("unit", ["\n", " \npub use pool::", "pub use a::", "a: "])
@pytest.mark.parametrize("path", ["Cargo.toml", "src/lib.rs"])
def test_whether_a_name_is_offered_is_soon_known(path, unit):
    found = facts_of("Drop it", ("src/pool/mod.rs", "pub fn run(a: u8) {}\n", "// none\n"))
    (gone,) = found.of(FactKind.SYMBOL)
    texts = {"Cargo.toml": "[package]\n", "src/lib.rs": "pub mod pool;\n"}
    texts[path] += unit * (300_000 // len(unit)) + "\ndefault-members = [" * 20_000
    assert within(1, lambda: with_exposure(replace(gone, public=None), texts))


def test_many_tables_written_anew_are_read_in_time():
    old = "".join(f"CREATE TABLE t{n} (a int);\n" for n in range(4_000))
    new = old.replace("CREATE TABLE ", "CREATE TABLE\n  ").replace("int", "bigint")
    gone = []
    assert within(2, lambda: gone.append(facts_of("Reformat it", ("a.sql", old, new))))
    assert not [f for f in gone[0].of(FactKind.SCHEMA) if f.action is Action.REMOVED]
