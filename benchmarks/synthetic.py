"""Generated graded changes with the sizes of a busy repository, from a seeded generator.

A change has about five files, four facts, fifteen topics and a short body; a tenth are ten times as
large, like squashed merges. Words follow Zipf's law, so that some terms are in most changes and
most terms in a few.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from random import Random

from digest.core.change import Commit, FileStatus, Side
from digest.core.facts import Action, Area, Evidence, Fact, FactKind, Facts, FileFacts, Subject
from digest.core.grade import Grade, Graded, Level, Reason

FIRST = datetime(2024, 1, 1, tzinfo=UTC)
EVERY = timedelta(minutes=36)
"""Forty changes a day."""

_SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ka",
    "le",
    "mi",
    "no",
    "pu",
    "ra",
    "se",
    "ti",
    "vo",
    "xu",
    "zen",
    "tor",
    "lin",
    "mar",
    "kel",
]
_CHINESE = [
    "内存",
    "优化",
    "调度",
    "缓存",
    "性能",
    "修复",
    "推理",
    "模型",
    "并行",
    "量化",
    "日志",
    "配置",
    "接口",
    "线程",
    "分页",
]
_FOLDERS = ["core", "engine", "models", "kernels", "server", "client", "tests", "docs", "tools"]
_AREAS = {"tests": Area.TESTS, "docs": Area.DOCS, "tools": Area.BUILD}


class _Words:
    """A vocabulary in which the n-th word has a weight of 1/n."""

    def __init__(self, random: Random, count: int) -> None:
        made = ("".join(random.choices(_SYLLABLES, k=random.randint(2, 4))) for _ in range(count))
        self._words = list(dict.fromkeys(made))
        self._weights = list(accumulate(1 / (n + 1) for n in range(len(self._words))))
        self._random = random

    def draw(self, count: int) -> list[str]:
        return self._random.choices(self._words, cum_weights=self._weights, k=count)


def changes(count: int, seed: int = 1) -> Iterator[Graded]:
    """A number of changes of one branch, oldest first; the same for the same seed."""
    random = Random(seed)
    words = _Words(random, 6000)
    parent = ""
    for n in range(count):
        made = _change(random, words, n, parent)
        parent = made.sha
        yield made


def _change(random: Random, words: _Words, n: int, parent: str) -> Graded:
    number = 1000 + n
    title = " ".join(words.draw(random.randint(4, 9)))
    tag = words.draw(1)[0].capitalize()
    if n % 10 == 0:
        title += f" {random.choice(_CHINESE)}{random.choice(_CHINESE)}"
    subject = f"[{tag}] {title} (#{number})"
    large = 10 if random.random() < 0.1 else 1
    body = " ".join(words.draw(random.randint(5, 25) * large))
    at = FIRST + n * EVERY
    files = tuple(_file(random, words) for _ in range(random.randint(1, 5) * (large // 3 + 1)))
    facts = Facts(
        subject=Subject(title=subject, words=title, tags=(tag,), number=number),
        files=files,
        items=tuple(_fact(random, words, files) for _ in range(random.randint(0, 6) * large // 2)),
        paragraphs=(body,),
        trailers=(("Signed-off-by", "Ada <ada@example.org>"),),
    )
    score = random.random()
    return Graded(
        commit=Commit(
            sha=hashlib.sha1(f"{n}".encode()).hexdigest(),
            parents=(parent,) if parent else (),
            author=" ".join(words.draw(2)).title(),
            email="ada@example.org",
            authored_at=at - timedelta(hours=3),
            committed_at=at,
            message=f"{subject}\n\n{body}\n\nSigned-off-by: Ada <ada@example.org>\n",
        ),
        facts=facts,
        grade=Grade(
            score=round(score, 4),
            level=Level.HIGH if score > 0.8 else Level.MEDIUM if score > 0.5 else Level.LOW,
            reasons=tuple(Reason(rule=word, weight=0.5, subject=word) for word in words.draw(3)),
        ),
    )


def _file(random: Random, words: _Words) -> FileFacts:
    folder = random.choice(_FOLDERS)
    parts = words.draw(3)
    return FileFacts(
        path=f"project/{folder}/{parts[0]}/{parts[1]}_{parts[2]}.py",
        status=FileStatus.MODIFIED,
        area=_AREAS.get(folder, Area.CORE),
        language="python",
        added=random.randint(0, 80),
        deleted=random.randint(0, 30),
    )


def _fact(random: Random, words: _Words, files: tuple[FileFacts, ...]) -> Fact:
    owner, method = words.draw(2)
    return Fact(
        kind=FactKind.SYMBOL,
        action=random.choice(list(Action)),
        name=f"{owner.capitalize()}.{method}",
        evidence=Evidence(
            path=random.choice(files).path, line=random.randint(1, 900), side=Side.NEW
        ),
        after=f"def {method}(self, {owner}: int) -> None",
        detail="method",
    )
