"""Does a test notice a small change? ``make mutate ON="bot/access bot/delivery" COUNT=60``.

``python -m benchmarks.mutate [PATH[:LINE] ...] [--count N] [--seed N]``. Takes mutants at random
out of the paths (see :mod:`benchmarks.mutants`), one at a time, in a copy of the checkout, and runs
the tests that execute the changed function: those that import the module, or else those of the
mirrored folders, or of modules that import it. Which tests execute which function is measured once
for each test file, and again when the file changes. Ends with the share that was noticed, and names
what was not.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from benchmarks.mutants import Mutant, equal, mutants

ROOT = Path(__file__).parents[1]
RINGS = ("digest", "handlers", "bot")

_SECONDS = 8.0
"""Processor time of one mutant's tests: those of the mirrored module, then the quickest others."""

_PATIENCE = 300.0
"""Seconds after which a mutant's tests count as stuck: it was noticed."""

_SLOW = 15.0
"""Seconds from which on a test is left out."""

_PYTEST = ["-q", "-n0", "-W", "ignore::pytest.PytestAssertRewriteWarning", "--no-header"]

_LIBRARIES = (
    "aiohttp aiosqlite alembic apscheduler cryptography hypothesis httpx jinja2 openai "
    "procrastinate psycopg pydantic pydantic_core re2 redis rich rich.console slack_bolt.async_app "
    "slack_sdk sqlalchemy.ext.asyncio starlette structlog telegram.ext tree_sitter typer uvicorn"
)
"""Imported once, and not again for each mutant."""


@dataclass(slots=True, kw_only=True)
class TestFile:
    """What a test file executes: for each test its seconds and its functions, as ``path:name``."""

    seconds: dict[str, float] = field(default_factory=dict)
    functions: dict[str, list[str]] = field(default_factory=dict)
    shared: list[str] = field(default_factory=list)


class _Watching:
    """A plugin that notes which functions of the tree each test calls."""

    def __init__(self, tree: Path) -> None:
        self._tree = f"{tree}/"
        self._seen: set[str] = set()
        self.found = TestFile()

    def _called(self, frame: Any, _event: str, _given: Any) -> None:
        code = frame.f_code
        if code.co_filename.startswith(self._tree):
            self._seen.add(f"{code.co_filename[len(self._tree) :]}:{code.co_qualname}")

    def pytest_sessionstart(self) -> None:
        threading.settrace(self._called)
        sys.settrace(self._called)

    def pytest_collection_finish(self) -> None:
        self._share()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_setup(self) -> Iterator[None]:
        self._seen.clear()
        yield
        self._share()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        began = time.process_time()
        yield
        self.found.seconds[item.nodeid] = time.process_time() - began
        self.found.functions[item.nodeid] = sorted(_of_program(self._seen))

    def _share(self) -> None:
        self.found.shared = sorted({*self.found.shared, *_of_program(self._seen)})
        self._seen.clear()


def _of_program(seen: Iterable[str]) -> Iterator[str]:
    return (one for one in seen if one.startswith(RINGS))


class _Chosen:
    """A plugin that runs the given tests only, in the given order."""

    def __init__(self, tests: Sequence[str]) -> None:
        self._place = {name: place for place, name in enumerate(tests)}

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self._place),
            key=lambda item: self._place[item.nodeid],
        )


class Tree:
    """A copy of the checkout, with forked processes that run its tests."""

    def __init__(self, folder: Path, kept: Path, tests: Sequence[str] = ()) -> None:
        """``kept`` is where measured test files are written down; ``tests`` are those to run."""
        self._only = tests
        self.tree = folder / "tree"
        self._kept = kept
        self._stamp = int(time.time())
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
        if (ROOT.parent / "shared").exists():
            (folder / "shared").symlink_to((ROOT.parent / "shared").resolve())
        self._imports = {
            str(path.relative_to(self.tree)): path.read_text(encoding="utf-8")
            for path in sorted((self.tree / "tests").rglob("test_*.py"))
            if "e2e" not in path.parts and path.name != "test_structure.py"
        }
        self._measured: dict[str, TestFile] = {}

    def candidates(self, path: str) -> list[str]:
        """Test files of the mirrored folders and those that import the module."""
        if self._only:
            return [file for file in self._imports if file.startswith(tuple(self._only))]
        imports = _imports_of(path)
        folders = tuple(
            f"tests/{kind}/{path.rpartition('/')[0]}/" for kind in ("unit", "integration")
        )
        return [
            file
            for file, text in self._imports.items()
            if file.startswith(folders) or imports.search(text)
        ]

    def tests(self, mutant: Mutant) -> list[str]:
        """Names of the tests that execute a mutant, the quickest first.

        Tests that import the module, or if there are none the others of its folder, or those of
        modules that import it.
        """
        near = self.candidates(mutant.path)
        imports = _imports_of(mutant.path)
        own = [file for file in near if imports.search(self._imports[file])]
        return (
            self._running(mutant, own)
            or self._running(mutant, near)
            or self._running(mutant, self._further(mutant.path))
        )

    def _further(self, path: str) -> list[str]:
        """Test files of the modules that import a module."""
        imports = _imports_of(path)
        importers = [
            str(file.relative_to(self.tree))
            for ring in RINGS
            for file in sorted((self.tree / ring).rglob("*.py"))
            if imports.search(file.read_text(encoding="utf-8"))
        ]
        return sorted({file for module in importers for file in self.candidates(module)})

    def _running(self, mutant: Mutant, candidates: Iterable[str]) -> list[str]:
        files = [self._measure(file) for file in candidates]
        wanted = f"{mutant.path}:{mutant.function}"
        seconds = {
            test: one.seconds[test]
            for one in files
            for test, functions in one.functions.items()
            if _any_of(wanted, functions) or _any_of(wanted, one.shared)
        }
        chosen, left = [], _SECONDS
        mirrored = f"tests/unit/{mutant.path.rpartition('/')[0]}/test_{Path(mutant.path).stem}"
        for test in sorted(seconds, key=lambda one: (not one.startswith(mirrored), seconds[one])):
            if seconds[test] > _SLOW or left < 0:
                break
            left -= seconds[test]
            chosen.append(test)
        return chosen

    def _measure(self, file: str) -> TestFile:
        if file in self._measured:
            return self._measured[file]
        digest = hashlib.sha1(self._imports[file].encode(), usedforsecurity=False).hexdigest()
        kept = self._kept / f"{file.replace('/', '.')}.{digest[:12]}.json"
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)

            def work() -> int:
                plugin = _Watching(self.tree)
                pytest.main([*_PYTEST, file], plugins=[plugin])
                sys.settrace(None)
                found = plugin.found
                kept.write_text(
                    json.dumps([found.seconds, found.functions, found.shared]), encoding="utf-8"
                )
                return 0

            if self._forked(work) is None or not kept.exists():
                kept.write_text("[{}, {}, []]", encoding="utf-8")
        seconds, functions, shared = json.loads(kept.read_text(encoding="utf-8"))
        self._measured[file] = TestFile(seconds=seconds, functions=functions, shared=shared)
        return self._measured[file]

    def is_noticed(self, mutant: Mutant, tests: Sequence[str]) -> bool:
        """Whether one of the tests fails, or never ends."""
        files = sorted({test.partition("::")[0] for test in tests})

        def work() -> int:
            return int(pytest.main([*_PYTEST, "-x", *files], plugins=[_Chosen(tests)]))

        with self._applied(mutant):
            return self._forked(work) != 0

    @contextmanager
    def _applied(self, mutant: Mutant) -> Iterator[None]:
        file = self.tree / mutant.path
        source = file.read_bytes()
        self._write(file, mutant.applied(source))
        try:
            yield
        finally:
            self._write(file, source)

    def _write(self, file: Path, source: bytes) -> None:
        # Bytecode is told apart by the second of its source: each writing gets another one.
        file.write_bytes(source)
        self._stamp += 2
        os.utime(file, (self._stamp, self._stamp))

    def _forked(self, work: Callable[[], int]) -> int | None:
        """What work in a process of its own returns; ``None`` if it does not end in time."""
        child = os.fork()
        if child == 0:
            os.setsid()
            self._enter()
            os._exit(work() & 0x7F)
        deadline = time.monotonic() + _PATIENCE
        status = None
        while status is None and time.monotonic() < deadline:
            ended, code = os.waitpid(child, os.WNOHANG)
            status = os.waitstatus_to_exitcode(code) if ended else None
            time.sleep(0.05)
        with suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        if status is None:
            os.waitpid(child, 0)
        return status

    def _enter(self) -> None:
        os.chdir(self.tree)
        os.environ |= {"PYTHONPATH": str(self.tree), "TMPDIR": str(self.tree.parent)}
        sys.path[:] = [str(self.tree), *(one for one in sys.path if one not in {"", str(ROOT)})]
        for name in [one for one in sys.modules if one.partition(".")[0] in {*RINGS, "benchmarks"}]:
            del sys.modules[name]
        sys.dont_write_bytecode = False
        resource.setrlimit(resource.RLIMIT_CPU, (int(_PATIENCE), int(_PATIENCE)))
        with Path(os.environ.get("MUTATE_OUTPUT", os.devnull)).open("a") as nothing:
            os.dup2(nothing.fileno(), 1)
            os.dup2(nothing.fileno(), 2)


def _imports_of(path: str) -> re.Pattern[str]:
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    package, _, name = module.rpartition(".")
    return re.compile(rf"\b{re.escape(module)}\b|from {re.escape(package)} import [^\n]*\b{name}\b")


def _any_of(wanted: str, functions: Iterable[str]) -> bool:
    if wanted.endswith(":"):
        return any(one.startswith(wanted) for one in functions)
    return wanted in functions


def chosen(paths: Sequence[str], count: int, seed: int) -> list[Mutant]:
    """So many mutants at random of all that the paths have, without those listed as equal."""
    every: list[Mutant] = []
    for path in paths:
        name, _, line = path.partition(":")
        for file in (
            sorted((ROOT / name).rglob("*.py")) if (ROOT / name).is_dir() else [ROOT / name]
        ):
            relative = str(file.relative_to(ROOT))
            if "/versions/" in relative:
                continue
            known = equal(relative)
            every += [
                one
                for one in mutants(relative, file.read_bytes())
                if (one.text, one.name) not in known and (not line or one.line == int(line))
            ]
    return random.Random(seed).sample(every, min(count, len(every)))


def main(options: argparse.Namespace) -> None:
    """A line for each mutant that no test noticed, and the share of those noticed."""
    for library in _LIBRARIES.split():
        importlib.import_module(library)
    shutil.rmtree(options.folder / "work", ignore_errors=True)
    tree = Tree(options.folder / "work", options.folder / "measured", options.tests)
    noticed, survived = 0, 0
    for mutant in chosen(options.paths, options.count, options.seed):
        began = time.monotonic()
        tests = tree.tests(mutant)
        outcome = bool(tests) and tree.is_noticed(mutant, tests)
        noticed, survived = noticed + outcome, survived + (not outcome)
        if not outcome or options.verbose:
            word = "noticed " if outcome else "SURVIVED" if tests else "UNTESTED"
            taken = time.monotonic() - began
            print(f"{word} {mutant.path}:{mutant.line}  {mutant.name}", end="")
            print(f"  ({len(tests)} tests, {taken:.0f} s)", flush=True)
    total = noticed + survived
    print(f"noticed {noticed} of {total} ({noticed / max(total, 1):.0%})", flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, prog="python -m benchmarks.mutate")
    parser.add_argument("paths", nargs="*", default=RINGS, help="folders, files, or FILE:LINE")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true", help="name what was noticed as well")
    parser.add_argument("--tests", nargs="+", default=(), help="run no tests but of these paths")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/digestbot-mutants"))
    return parser.parse_args()


if __name__ == "__main__":
    main(_options())
