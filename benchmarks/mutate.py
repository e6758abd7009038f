"""Mutation testing: ``make mutate ON="bot/access bot/delivery --count 60"``.

``python -m benchmarks.mutate [PATH[:LINE] ...] [--without PATH ...] [--count N] [--seed N]``.

Takes random mutants from the paths (see :mod:`benchmarks.mutants`), one at a time, in a copy of the
checkout, and runs the tests that call the changed function: those of the mirrored modules and
packages first, and more if these do not notice it, among them those over real archives and loopback
servers. Which tests call which function is measured in one run of the tests and stored; a test file
is measured again when it changes, or when many of the functions that it called no longer exist. The
tests are collected once: a mutant replaces the code of its function in a fork of that process. If
the function was called during an import, or there is none, the tests run in a process that imports
everything again. The result is the share of mutants that were noticed, and a list of the others.
"""

from __future__ import annotations

import argparse
import gc
import hashlib
import importlib
import json
import multiprocessing
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from types import CodeType, FrameType, FunctionType

import pytest

from benchmarks.forks import STUCK, forked, waited
from benchmarks.mutants import Mutant, equal, mutants

ROOT = Path(__file__).parents[1]
RINGS = ("digest", "handlers", "bot")

_SECONDS, _MORE_SECONDS = 20.0, 30.0
"""For the tests of one mutant: those chosen first, and others if these do not notice it."""

_PATIENCE = 20.0
"""Seconds after which tests count as stuck, without those for which they waited for a processor.

For a mutant they are added to five times the usual time; for the measurement of a file they are
fifteen times as many.
"""

_PYTEST = ["-q", "-n0", "-W", "ignore::pytest.PytestAssertRewriteWarning", "--no-header"]

_TESTS = ["tests/unit", "tests/integration", "tests/contract", "tests/e2e"]

_LIBRARIES = (
    "aiohttp aiosqlite alembic apscheduler cryptography hypothesis httpx jinja2 openai "
    "procrastinate psycopg pydantic pydantic_core re2 redis rich rich.console slack_bolt.async_app "
    "slack_sdk sqlalchemy.ext.asyncio starlette structlog telegram.ext tree_sitter typer uvicorn"
)
"""Imported once instead of for each mutant."""

_GONE = 0.05  # share of the called functions that may be gone until a file is measured again

_FAILED = "failed-test"

_UNFIT = 98


class _Calls:
    """Records which functions of the tree are called."""

    def __init__(self, tree: Path) -> None:
        self._tree = f"{tree}/"
        self._codes: dict[int, CodeType] = {}

    def _called(self, frame: FrameType, _event: str, _given: object) -> None:
        self._codes[id(frame.f_code)] = frame.f_code

    def begin(self) -> None:
        threading.settrace(self._called)
        sys.settrace(self._called)

    def so_far(self) -> set[str]:
        """What was called since the start, as ``path:name``."""
        # A list first, because what iterates over it is recorded as well.
        codes = [one for one in [*self._codes.values()] if one.co_filename.startswith(self._tree)]
        names = {f"{code.co_filename[len(self._tree) :]}:{code.co_qualname}" for code in codes}
        return {name for name in names if name.startswith(RINGS)}

    def end(self) -> set[str]:
        """What was called; nothing is noted any longer."""
        sys.settrace(None)
        threading.settrace(lambda *_: None)
        names = self.so_far()
        self._codes.clear()
        return names


class _Session:
    """A plugin that collects tests, and then runs requested ones in forks of its process."""

    def __init__(self, tree: Path, asked: Connection) -> None:
        self._tree, self._asked, self._calls = tree, asked, _Calls(tree)
        self._shared: set[str] = set()

    def pytest_sessionstart(self) -> None:
        self._calls.begin()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            self._asked.send(([], set()))
            return True
        items = {item.nodeid: item for item in session.items}
        gc.unfreeze()
        self._functions = [one for one in gc.get_objects() if isinstance(one, FunctionType)]
        gc.freeze()
        self._asked.send(([*items], self._calls.end()))
        with suppress(EOFError):
            while True:
                mutant, tests, seconds, kept = self._asked.recv()
                work = partial(self._run, mutant) if mutant else partial(self._measure, kept)
                self._asked.send(forked(partial(work, [items[test] for test in tests]), seconds))
        return True

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Iterator[None]:
        yield
        if fixturedef.scope != "function":
            self._shared |= self._calls.so_far()

    def _run(self, mutant: Mutant, items: Sequence[pytest.Item]) -> int:
        try:
            self._replace(mutant)
        except ValueError:  # other variables of the enclosing functions
            return _UNFIT
        for item, after in zip(items, [*items[1:], None], strict=True):
            item.ihook.pytest_runtest_protocol(item=item, nextitem=after)
            if item.session.testsfailed:
                (self._tree / _FAILED).write_text(item.nodeid, encoding="utf-8")
                return 1
        return 0

    def _replace(self, mutant: Mutant) -> None:
        """Give the functions in memory the code that is now in their file."""
        file, around = self._tree / mutant.path, mutant.function.partition(".<locals>")[0]
        changed = {
            (code.co_qualname, code.co_firstlineno): code
            for code in _codes(compile(file.read_bytes(), str(file), "exec", dont_inherit=True))
            if f"{code.co_qualname}.".startswith(f"{around}.")
        }
        for function in self._functions:
            code = function.__code__
            if code.co_filename == str(file) and (
                after := changed.get((code.co_qualname, code.co_firstlineno))
            ):
                function.__code__ = after

    def _measure(self, kept: Path, items: Sequence[pytest.Item]) -> int:
        measured = {}
        for item, after in zip(items, [*items[1:], None], strict=True):
            failed, began = item.session.testsfailed, time.monotonic() - waited()
            self._calls.begin()
            item.ihook.pytest_runtest_protocol(item=item, nextitem=after)
            if item.session.testsfailed == failed:
                seconds = time.monotonic() - waited() - began
                measured[item.nodeid] = seconds, self._calls.end()
        names = sorted(self._shared.union(*(called for _, called in measured.values())))
        numbers = {name: number for number, name in enumerate(names)}
        tests = {
            test: [round(seconds, 4), [numbers[name] for name in called | self._shared]]
            for test, (seconds, called) in measured.items()
        }
        kept.write_text(json.dumps([names, tests]), encoding="utf-8")
        return 0


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


class Tree:
    """A copy of the checkout, and a process that has collected its tests."""

    def __init__(self, folder: Path, kept: Path, paths: Sequence[str]) -> None:
        """``kept`` is where measurements of test files are stored; ``paths`` are those of tests."""
        self.tree, self._kept, self._stamp = folder / "tree", kept, int(time.time())
        listed = subprocess.run(
            ["git", "ls-files", "-z", "-co", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        )
        for name in listed.stdout.decode().split("\0"):
            if name and (ROOT / name).is_file():
                target = self.tree / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(ROOT / name, target)
        (folder / "shared").symlink_to((ROOT.parent / "shared").resolve())
        self._asked, theirs = multiprocessing.Pipe()
        if os.fork() == 0:
            self._asked.close()
            os._exit(self._pytest([*paths], _Session(self.tree, theirs)))
        theirs.close()
        names, self._imported = self._asked.recv()
        if not names:
            raise SystemExit("the tests cannot be collected")
        self._seconds: dict[str, float] = {}
        self._callers: defaultdict[str, set[str]] = defaultdict(set)
        self._measure(names)

    def _measure(self, names: Sequence[str]) -> None:
        files: defaultdict[str, list[str]] = defaultdict(list)
        for name in names:
            files[name.partition("::")[0]].append(name)
        files.pop("tests/unit/test_structure.py", None)
        there = {
            f"{path.relative_to(self.tree)}:{code.co_qualname}"
            for ring in RINGS
            for path in (self.tree / ring).rglob("*.py")
            for code in _codes(compile(path.read_bytes(), str(path), "exec", dont_inherit=True))
        }
        for file, tests in files.items():
            digest = hashlib.sha1((self.tree / file).read_bytes(), usedforsecurity=False)
            kept = self._kept / f"{file.replace('/', '.')}.{digest.hexdigest()[:12]}.json"
            known = json.loads(kept.read_text("utf-8"))[0] if kept.exists() else None
            if known is None or len({*known} - there) > len(known) * _GONE:
                kept.parent.mkdir(parents=True, exist_ok=True)
                print(f"measuring {file}", file=sys.stderr, flush=True)
                self._asked.send((None, tests, 15 * _PATIENCE, kept))
                if self._asked.recv() == STUCK:
                    kept.write_text("[[], {}]", encoding="utf-8")
            called, measured = json.loads(kept.read_text(encoding="utf-8"))
            for test in measured.keys() & tests:
                self._seconds[test], numbers = measured[test]
                for function in (called[number] for number in numbers):
                    self._callers[function].add(test)
                    self._callers[f"{function.partition(':')[0]}:"].add(test)

    def tests(self, mutant: Mutant) -> tuple[list[str], list[str]]:
        """Names of the tests that call a mutant: those to run first, and those to run after them.

        Those of the mirrored modules come first, then others of their packages; of equally near
        ones, the fastest of every file come before the next fastest of any.
        """
        named, any_of_file = f"{mutant.path}:{mutant.function}", f"{mutant.path}:"
        files: Counter[str] = Counter()
        ranked = []
        for test in sorted(
            self._callers[named] or self._callers[any_of_file], key=self._seconds.__getitem__
        ):
            file = test.partition("::")[0]
            far = distance(test, mutant.path)
            ranked.append((far, files[file] if far else 0, self._seconds[test], test))
            files[file] += 1
        first: list[str] = []
        after: list[str] = []
        left = [_SECONDS, _MORE_SECONDS]
        for _, _, seconds, test in sorted(ranked):
            for number, chosen in enumerate((first, after)):
                if seconds <= left[number]:
                    left[number] -= seconds
                    chosen.append(test)
                    break
        return first, after

    def outcome(self, mutant: Mutant) -> str:
        """Whether a test fails or is stuck, all pass, or there are none."""
        first, after = self.tests(mutant)
        if not first:
            return "UNTESTED"
        outcome = self._outcome(mutant, first)
        return self._outcome(mutant, after) if outcome == "SURVIVED" and after else outcome

    def _outcome(self, mutant: Mutant, tests: list[str]) -> str:
        seconds = _PATIENCE + 5 * sum(self._seconds[test] for test in tests)
        file, status = self.tree / mutant.path, 0
        at_import = not mutant.function or f"{mutant.path}:{mutant.function}" in self._imported
        source = file.read_bytes()
        self._write(file, mutant.applied(source))
        if mutant.function:
            self._asked.send((mutant, tests, seconds, None))
            status = self._asked.recv()
        if status == _UNFIT or (not status and at_import):
            files = sorted({test.partition("::")[0] for test in tests})
            status = forked(lambda: self._pytest(["-x", *files], _Chosen(tests)), seconds)
        failed = self._failed()
        by_mutant = not failed or self._fails(mutant, failed, seconds)
        self._write(file, source)
        if failed and (not by_mutant or self._fails(mutant, failed, seconds)):
            others = [test for test in tests if test != failed]
            return self._outcome(mutant, others) if others else "UNTESTED"
        return {0: "SURVIVED", STUCK: "stuck"}.get(status, "noticed")

    def _failed(self) -> str:
        """The test that failed in the last fork, if any."""
        place = self.tree / _FAILED
        name = place.read_text(encoding="utf-8") if place.exists() else ""
        place.unlink(missing_ok=True)
        return name

    def _fails(self, mutant: Mutant, test: str, seconds: float) -> bool:
        """Whether a test fails again, with the file as it is now."""
        self._asked.send((mutant, [test], seconds, None))
        status = self._asked.recv()
        self._failed()
        return bool(status)

    def _write(self, file: Path, source: bytes) -> None:
        # Bytecode is identified by its source's time in seconds, so each write gets another one.
        file.write_bytes(source)
        self._stamp += 2
        os.utime(file, (self._stamp, self._stamp))

    def _pytest(self, words: list[str], plugin: object) -> int:
        os.chdir(self.tree)
        os.environ |= {"PYTHONPATH": str(self.tree), "TMPDIR": str(self.tree.parent)}
        sys.path[:] = [str(self.tree), *(one for one in sys.path if one not in {"", str(ROOT)})]
        for name in [one for one in sys.modules if one.partition(".")[0] in {*RINGS, "benchmarks"}]:
            del sys.modules[name]
        sys.dont_write_bytecode = False
        with Path(os.environ.get("MUTATE_OUTPUT", os.devnull)).open("a") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)
        return int(pytest.main([*_PYTEST, *words], plugins=[plugin]))


def distance(test: str, path: str) -> int:
    """How far a test is from a module: 0 for its own tests, 1 for those of its package."""
    package, module = path.rpartition("/")[0], Path(path).stem
    for far, place in enumerate((f"{package}/test_{module}", f"{package}/")):
        if test.startswith((f"tests/unit/{place}", f"tests/integration/{place}")):
            return far
    return 2


class _Chosen:
    """A plugin that runs only the given tests, in the given order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._place = {name: place for place, name in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self._place),
            key=lambda item: self._place[item.nodeid],
        )


def chosen(
    paths: Sequence[str], count: int, seed: int, without: Sequence[str] = ()
) -> list[Mutant]:
    """A number of random mutants of the paths, without those listed as equivalent."""
    every: list[Mutant] = []
    for path in paths:
        name, _, line = path.partition(":")
        for file in (
            sorted((ROOT / name).rglob("*.py")) if (ROOT / name).is_dir() else [ROOT / name]
        ):
            relative = str(file.relative_to(ROOT))
            if "/versions/" in relative or f"{relative}/".startswith(_folders(without)):
                continue
            known = equal(relative)
            every += [
                one
                for one in mutants(relative, file.read_bytes())
                if (one.text, one.name) not in known and (not line or one.line == int(line))
            ]
    return random.Random(seed).sample(every, min(count, len(every)))


def _folders(paths: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{path.rstrip('/')}/" for path in paths)


def main(options: argparse.Namespace) -> None:
    """Print a line for each mutant that no test noticed, and the share of those noticed."""
    for library in _LIBRARIES.split():
        importlib.import_module(library)
    picked = chosen(options.paths, options.count, options.seed, options.without)
    shutil.rmtree(options.folder / "work", ignore_errors=True)
    tree = Tree(options.folder / "work", options.folder / "measured", options.tests)
    noticed, total = 0, 0
    for mutant in picked:
        began = time.monotonic()
        outcome = tree.outcome(mutant)
        noticed, total = noticed + outcome.islower(), total + 1
        if outcome != "noticed" or options.verbose:
            print(f"{outcome} {mutant.path}:{mutant.line}  {mutant.name}", end="")
            print(f"  ({time.monotonic() - began:.1f} s)", flush=True)
    print(f"noticed {noticed} of {total} ({noticed / max(total, 1):.0%})", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.mutate")
    parser.add_argument("paths", nargs="*", default=RINGS, help="folders, files, or FILE:LINE")
    parser.add_argument("--without", nargs="+", default=(), help="folders or files to leave out")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="also list noticed mutants")
    parser.add_argument("--tests", nargs="+", default=_TESTS, help="folders of tests to run")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/digestbot-mutants"))
    return parser.parse_args()


if __name__ == "__main__":
    main(_options())
