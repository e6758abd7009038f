"""The small changes that tests are tried on."""

from __future__ import annotations

from benchmarks.mutants import EQUAL, equal, mutants
from benchmarks.mutate import ROOT, chosen, distance

SOURCE = b'''\
"""A module."""
LIMIT = 3
READ_PATIENCE = 30.0


@lru_cache(maxsize=9)
def run(a: int = 1) -> bool:
    """Runs."""
    assert a > 0
    if a < LIMIT and not done(a):
        log(a)  # said once
    return min(a - 1, LIMIT) in {2, 4}
'''


def test_every_sort_of_change_is_made_where_it_has_a_meaning():
    made = {one.name for one in mutants("a.py", SOURCE)}
    assert made == {
        "3 -> 4",
        "1 -> 2",
        "a < LIMIT and not done(a) -> (a < LIMIT or not done(a))",
        "a < LIMIT and not done(a) -> (not (a < LIMIT and (not done(a))))",
        "a < LIMIT -> (a <= LIMIT)",
        "not done(a) -> bool(done(a))",
        "log(a) -> pass",
        "min -> max",
        "min(a - 1, LIMIT) in {2, 4} -> (min(a - 1, LIMIT) not in {2, 4})",
        "a - 1 -> (a + 1)",
        "2 -> 3",
        "4 -> 5",
    }


def test_change_is_applied_where_it_stands_and_keeps_the_rest():
    (one,) = (one for one in mutants("a.py", SOURCE) if one.name == "log(a) -> pass")
    assert (one.line, one.text, one.function) == (11, "log(a)", "run")
    assert one.applied(SOURCE) == SOURCE.replace(b"log(a) ", b"pass ")


def test_change_belongs_to_the_function_whose_run_executes_it():
    functions = {one.line: one.function for one in mutants("a.py", SOURCE)}
    assert functions == {2: "", 7: "", 10: "run", 11: "run", 12: "run"}


def test_mutants_listed_as_equal_are_of_lines_that_exist():
    listed = EQUAL.read_text(encoding="utf-8")
    paths = {line.partition('"')[2].rstrip('"') for line in listed.splitlines() if "path =" in line}
    for path in paths:
        found = {(m.text, m.name) for m in mutants(path, (ROOT / path).read_bytes())}
        assert equal(path) <= found, path


def test_same_seed_chooses_the_same_mutants_of_a_line_or_a_folder():
    assert chosen(["bot/access"], 5, 1) == chosen(["bot/access"], 5, 1)
    assert chosen(["bot/access"], 5, 1) != chosen(["bot/access"], 5, 2)
    line = next(iter(chosen(["bot/access/gate.py"], 1, 1)))
    assert {one.line for one in chosen([f"{line.path}:{line.line}"], 99, 1)} == {line.line}


def test_paths_are_left_out_with_everything_below_them():
    left = {one.path for one in chosen(["bot/jobs"], 9999, 1, ["bot/jobs/loop.py", "bot/jobs/ro"])}
    assert "bot/jobs/roles.py" in left
    assert "bot/jobs/loop.py" not in left
    assert chosen(["bot/jobs"], 9999, 1, ["bot/jobs/"]) == []


def test_own_tests_of_a_module_are_nearest_and_those_of_its_package_next():
    tests = ["unit/bot/jobs/test_loop_late.py", "integration/bot/jobs/test_engine.py"]
    tests += ["unit/bot/delivery/test_loop.py", "contract/test_loop.py"]
    assert [distance(f"tests/{one}", "bot/jobs/loop.py") for one in tests] == [0, 1, 2, 2]
