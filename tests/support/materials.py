"""Hand-made changes as a model may see them, for tests of prompts and the check of evidence."""

from __future__ import annotations

import dataclasses
import hashlib

from digest.core.change import Change, FileChange, FileStatus
from digest.core.enums import Language
from digest.core.grade import Grade, Graded, Level, Reason
from digest.facts.extract import extract
from digest.llm.change_sheet import Count
from digest.llm.model_input import Material
from digest.llm.packing import prompts_for
from digest.llm.prompt import Prompt
from tests.unit.digest.facts.changes import blob, commit, file


def prompt_for(material: Material, language: Language, count: Count, budget: int) -> Prompt:
    """One prompt for a high or medium change, with as much of it as fits ``budget`` tokens.

    ``count`` estimates tokens; ``budget`` covers system, user and schema. Raises ``NoRoom``.
    """
    return prompts_for(material, language, count, budget, parts=1)[0]


SCORES = {Level.HIGH: 0.8, Level.MEDIUM: 0.4, Level.LOW: 0.1}


def material(
    message: str,
    *files: tuple[str, str | None, str | None] | FileChange,
    level: Level = Level.HIGH,
) -> Material:
    """A change with its facts. A file is ``(path, old text, new text)`` or a ready value."""
    made = tuple(f if isinstance(f, FileChange) else file(*f) for f in files)
    sha = hashlib.sha1(message.encode("utf-8", "surrogatepass")).hexdigest()
    change = Change(commit=dataclasses.replace(commit(message), sha=sha), files=made)
    texts = {
        blob(text): text
        for f in files
        if not isinstance(f, FileChange)
        for text in f[1:]
        if text is not None
    }
    facts = extract(change, texts)
    reasons = (Reason(rule="core_added", weight=0.4, subject="12"),)
    graded = Graded(
        commit=change.commit,
        facts=facts,
        grade=Grade(score=SCORES[level], level=level, reasons=reasons),
    )
    return Material(change=change, facts=facts, graded=graded, secrets=0)


OLD_CLI = """\
import argparse
import os

LIMIT = 128


class Pool:
    def start(self, size):
        return size

    def stop(self):
        return None


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pool-size", type=int, default=4)
    parser.add_argument("--use-pool", action="store_true")
    return parser
"""

NEW_CLI = """\
import argparse
import os

LIMIT = 256
TIMEOUT_SECONDS = 30


class Pool:
    def start(self, size, retries=3):
        return size * retries

    def drain(self):
        return os.environ.get("ENGINE_DRAIN_URL")


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pool-size", type=int, default=8)
    return parser
"""

BODY = """\
[Frontend] Size the pool by one flag (#4711)

The pool is now sized by `--pool-size` alone. On an idle machine the start takes 40 % less time,
12.5 ms instead of 21 ms.

Signed-off-by: Ada Lovelace <ada@example.org>
"""


def pool(level: Level = Level.HIGH) -> Material:
    """A feature: a flag and a method removed, a default and a limit raised, a new variable."""
    return material(
        BODY,
        ("engine/cli.py", OLD_CLI, NEW_CLI),
        ("tests/test_cli.py", "", "def test_pool():\n    assert True\n"),
        ("docs/pool.md", "# Pool\nold\n", "# Pool\nThe pool has 8 workers.\n"),
        ("poetry.lock", "a\n", "b\nc\n"),
        level=level,
    )


def versions() -> Material:
    """An upgrade."""
    return material(
        "Bump torch to 2.9.1",
        ("requirements.txt", "torch==2.8.0\nnumpy<3\n", "torch==2.9.1\nnumpy<3\n"),
        level=Level.MEDIUM,
    )


def renamed() -> Material:
    """A file that moved, and a renamed class."""
    moved = FileChange(
        path="engine/core/pool.py",
        old_path="engine/pool.py",
        status=FileStatus.RENAMED,
        old_id="1" * 40,
        new_id="1" * 40,
    )
    return material(
        "Rename OldPool to WorkerPool",
        moved,
        ("engine/api.py", "class OldPool:\n    pass\n", "class WorkerPool:\n    pass\n"),
        level=Level.MEDIUM,
    )


def words(text: str) -> int:
    """A token count that tests can follow: four characters are one token."""
    return len(text) // 4 + 1
