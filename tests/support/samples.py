"""Hand-made graded changes: one of every kind in a report, including hostile ones.

They have only the facts that they name; nothing is read from a repository.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from digest.core.change import Commit, FileStatus, Side
from digest.core.facts import (
    Action,
    Area,
    Evidence,
    Fact,
    FactKind,
    Facts,
    FileFacts,
    Series,
    Subject,
    Undone,
)
from digest.core.grade import Grade, Graded, Level, Reason, Repository
from digest.window import day_window

BERLIN = ZoneInfo("Europe/Berlin")
DAY = day_window(date(2026, 3, 10), BERLIN)
REPOSITORY = Repository(name="acme/engine", web="https://github.com/acme/engine", forge="github")
PLAIN = Repository(name="engine")
SCORES = {Level.HIGH: 0.81, Level.MEDIUM: 0.34, Level.LOW: 0.07}


def at(path: str, line: int, side: Side = Side.NEW) -> Evidence:
    return Evidence(path=path, line=line, side=side)


def fact(kind: FactKind, action: Action, name: str, where: Evidence, **more: str | None) -> Fact:
    return Fact(kind=kind, action=action, name=name, evidence=where, **more)


def file(path: str, area: Area = Area.CORE, added: int = 4, deleted: int = 2, **more) -> FileFacts:
    more.setdefault("status", FileStatus.MODIFIED)
    return FileFacts(path=path, area=area, added=added, deleted=deleted, **more)


def change(
    n: int,
    title: str,
    level: Level,
    *,
    files: Sequence[FileFacts] = (),
    items: Sequence[Fact] = (),
    paragraphs: Sequence[str] = (),
    author: str = "Ada Lovelace",
    words: str = "",
    hour: int = 0,
    reasons: Sequence[Reason] = (),
    subject: dict | None = None,
    **facts,
) -> Graded:
    """The ``n``-th change of the day: later numbers are older."""
    body = "\n\n".join(paragraphs)
    return Graded(
        commit=Commit(
            sha=hashlib.sha1(title.encode()).hexdigest(),
            parents=(hashlib.sha1(f"before {n}".encode()).hexdigest(),),
            author=author,
            email="ada@example.org",
            authored_at=datetime(2026, 3, 10, 20, 0, tzinfo=UTC),
            committed_at=datetime(2026, 3, 10, 20, 0, tzinfo=UTC)
            - timedelta(minutes=37 * n, hours=hour),
            message=f"{title}\n\n{body}" if body else title,
        ),
        facts=Facts(
            subject=Subject(title=title, words=words or title, **(subject or {"number": 100 + n})),
            files=tuple(files),
            items=tuple(items),
            paragraphs=tuple(paragraphs),
            **facts,
        ),
        grade=Grade(score=SCORES[level], level=level, reasons=tuple(reasons)),
    )


def flag_change() -> Graded:
    """A feature with everything: body, flags, environment, defaults, metrics, symbols, tests."""
    cli = "engine/cli.py"
    return change(
        1,
        "[Frontend][2/3] Add `--pool-size` and drop the old pool switches (#101)",
        Level.HIGH,
        words="Add `--pool-size` and drop the old pool switches",
        subject={
            "number": 101,
            "tags": ("Frontend",),
            "series": Series(part=2, total=3),
            "breaking": True,
        },
        reasons=(
            Reason(rule="flag_added", weight=0.9, subject="--pool-size"),
            Reason(rule="flag_removed", weight=0.6, subject="--use-pool"),
            Reason(rule="title_chore", weight=-0.4, subject="misc"),
        ),
        files=[
            file(cli, added=120, deleted=30),
            file("engine/core/pool.py", added=210, deleted=0, status=FileStatus.ADDED),
            file("engine/core/legacy.py", added=0, deleted=80, status=FileStatus.DELETED),
            file("tests/test_pool.py", Area.TESTS, added=60, deleted=0),
            file("docs/pool.md", Area.DOCS, added=12, deleted=3),
        ],
        items=[
            fact(FactKind.FLAG, Action.ADDED, "--pool-size", at(cli, 41), after="8"),
            fact(FactKind.FLAG, Action.REMOVED, "--use-pool", at(cli, 38, Side.OLD)),
            fact(
                FactKind.FLAG,
                Action.CHANGED,
                "--workers",
                at(cli, 52),
                before="1",
                after="auto",
                detail="default",
            ),
            fact(
                FactKind.ENVIRONMENT,
                Action.RENAMED,
                "ENGINE_POOL_SIZE",
                at(cli, 60),
                before="ENGINE_POOL",
                after="ENGINE_POOL_SIZE",
            ),
            fact(FactKind.METRIC, Action.ADDED, "engine_pool_busy", at("engine/core/pool.py", 12)),
            fact(FactKind.ROUTE, Action.REMOVED, "GET /pool", at(cli, 90, Side.OLD)),
            fact(FactKind.CONFIG, Action.REMOVED, "pool.mode", at(cli, 95, Side.OLD)),
            fact(
                FactKind.SYMBOL,
                Action.ADDED,
                "Pool",
                at("engine/core/pool.py", 20),
                detail="class",
                after="class Pool(Base)",
            ),
            fact(
                FactKind.SYMBOL,
                Action.REMOVED,
                "OldPool",
                at("engine/core/legacy.py", 4, Side.OLD),
                detail="class",
                before="class OldPool",
            ),
            fact(
                FactKind.SYMBOL,
                Action.CHANGED,
                "start",
                at(cli, 110),
                before="def start(host, port=80)",
                after="def start(host, pool, port=80)",
                detail="required parameter added",
            ),
            fact(FactKind.DEPRECATION, Action.ADDED, "serve_forever", at(cli, 130)),
        ],
        paragraphs=[
            (
                "The pool is now sized by one flag. Before, `--use-pool` and two settings had to "
                "agree, e.g. on every restart. On an idle machine the start takes 40 % less time."
            ),
            "BREAKING: set `--pool-size` instead of `--use-pool`.",
        ],
        issues=(77,),
        co_authors=("Grace Hopper",),
    )


def refactoring() -> Graded:
    """A refactoring with moves, renames and changed methods of one name in many classes."""
    kernels = [f"engine/kernels/k{i}.py" for i in range(5)]
    return change(
        2,
        "refactor(kernels)!: hand the plan to `apply` | part of the split (#102)",
        Level.HIGH,
        words="hand the plan to `apply` | part of the split",
        subject={"number": 102, "type": "refactor", "scope": "kernels"},
        author="Grace | Hopper",
        files=[
            *(file(path, added=20 + i, deleted=9) for i, path in enumerate(kernels)),
            file(
                "engine/plan/plan.py",
                added=3,
                deleted=3,
                status=FileStatus.RENAMED,
                old_path="engine/plan.py",
            ),
            file("engine/api/serve.py", added=8, deleted=8),
            file("bench/bench_apply.py", Area.BENCHMARKS, added=30, deleted=0),
        ],
        items=[
            *(
                fact(
                    FactKind.SYMBOL,
                    Action.CHANGED,
                    f"K{i}.apply",
                    at(path, 14 + i),
                    before="def apply(self, x, router)",
                    after="def apply(self, x, plan)",
                    detail="required parameter added",
                )
                for i, path in enumerate(kernels)
            ),
            *(
                fact(
                    FactKind.SYMBOL,
                    Action.ADDED,
                    f"K{i}.planned",
                    at(path, 30),
                    detail="method",
                    after="def planned(self)",
                )
                for i, path in enumerate(kernels)
            ),
            fact(
                FactKind.SYMBOL,
                Action.REMOVED,
                "K0.route",
                at(kernels[0], 8, Side.OLD),
                detail="method",
                before="def route(self)",
            ),
            fact(
                FactKind.SYMBOL,
                Action.CHANGED,
                "Planner",
                at("engine/plan/plan.py", 3),
                before="engine/kernels/k1.py",
                after="engine/plan/plan.py",
                detail="moved",
            ),
            fact(
                FactKind.SYMBOL,
                Action.CHANGED,
                "K1",
                at(kernels[1], 5),
                before="class K1(Base)",
                after="class K1(Planned)",
                detail="bases",
            ),
            fact(
                FactKind.SYMBOL,
                Action.CHANGED,
                "launch.depth",
                at("engine/api/serve.py", 9),
                before="2",
                after="4",
                detail="default",
            ),
            fact(
                FactKind.SYMBOL,
                Action.RENAMED,
                "K2.run_planned",
                at(kernels[2], 44),
                before="K2.run",
                after="K2.run_planned",
                detail="method",
            ),
        ],
    )


def versions() -> Graded:
    """A raised dependency, reported by two manifests."""
    return change(
        3,
        "Bump torch to 2.10 (#103)",
        Level.MEDIUM,
        words="Bump torch to 2.10",
        author="renovate[bot]",
        files=[
            file("requirements.txt", Area.BUILD, 1, 1),
            file("docker/Dockerfile", Area.BUILD, 1, 1),
        ],
        items=[
            fact(
                FactKind.DEPENDENCY,
                Action.CHANGED,
                "torch",
                at("requirements.txt", 3),
                before="2.9.1",
                after="2.10.0",
                detail="pip",
            ),
            fact(
                FactKind.DEPENDENCY,
                Action.CHANGED,
                "torch",
                at("docker/Dockerfile", 9),
                before="2.9.1",
                after="2.10.0",
                detail="pip",
            ),
            fact(
                FactKind.TOOLCHAIN,
                Action.CHANGED,
                "cuda",
                at("docker/Dockerfile", 2),
                before=">=12.8",
                after=">=13.0",
            ),
        ],
    )


def faster() -> Graded:
    """A performance change whose author gives figures in a list."""
    return change(
        4,
        "[Perf] Fuse the scale into the copy (#104)",
        Level.MEDIUM,
        words="Fuse the scale into the copy",
        subject={"number": 104, "tags": ("Perf",)},
        files=[file("engine/kernels/copy.cu", added=44, deleted=31)],
        paragraphs=["Measured on one card:\n- throughput rises by 12.5 %\n- no change in accuracy"],
    )


def undoing() -> Graded:
    """A revert."""
    return change(
        5,
        'Revert "Fuse the scale into the copy" (#105)',
        Level.MEDIUM,
        files=[file("engine/kernels/copy.cu", added=31, deleted=44)],
        reverts=Undone(number=104, sha="c" * 40, title="Fuse the scale into the copy"),
    )


def guarded() -> Graded:
    """A change of security-related code, with a schema."""
    return change(
        6,
        "fix: check the peer's certificate (#106)",
        Level.MEDIUM,
        words="check the peer's certificate",
        subject={"number": 106, "type": "fix"},
        files=[file("engine/net.py"), file("proto/peer.proto", added=6, deleted=1)],
        items=[
            fact(
                FactKind.SECURITY, Action.REMOVED, "verify=False", at("engine/net.py", 18, Side.OLD)
            ),
            fact(
                FactKind.SCHEMA,
                Action.CHANGED,
                "Peer.certificate",
                at("proto/peer.proto", 7),
                before="string",
                after="bytes",
            ),
        ],
    )


def partial() -> Graded:
    """A change with one file that could not be read, with a path that is not UTF-8."""
    return change(
        7,
        "Update assets",
        Level.LOW,
        subject={},
        author="Zoë",
        files=[
            file("assets/caf\udce9\t.bin", Area.CORE, 0, 0, omitted=True),
            file("assets/logo.png", Area.CORE, 0, 0, binary=True),
        ],
    )


def documents() -> Graded:
    """A low change with one sentence by its author."""
    return change(
        8,
        "docs: say how to size the pool (#108)",
        Level.LOW,
        words="say how to size the pool",
        subject={"number": 108, "type": "docs"},
        hour=60,
        files=[file("docs/pool.md", Area.DOCS, 9, 1)],
        paragraphs=["Says what `--pool-size` means and when to leave it alone. A second sentence."],
    )


HOSTILE = (
    "@everyone <script>alert(1)</script> [x](javascript:alert(1)) ![i](http://evil/i.png) "
    "**b** _e_ ~~s~~ `tick | pipe` <!-- c --> &lt; https://evil.example www.evil.example "
    "a@b.example # h > q $x$ \\| \u202eevil"
)


def hostile() -> Graded:
    """A change in which every text tries to be markup."""
    return change(
        9,
        HOSTILE,
        Level.MEDIUM,
        author="@admin](https://evil.example) | <b>",
        files=[file("engine/`x`|<img src=x>.py"), file("a\nb.py", added=1, deleted=0)],
        items=[
            fact(
                FactKind.FLAG,
                Action.ADDED,
                "--`x`|@y",
                at("engine/`x`|<img src=x>.py", 1),
                after="<b>`|",
            )
        ],
        paragraphs=["# Not a heading\n" + HOSTILE, "1. not a list\n---\n[x]: https://evil.example"],
    )


def everything() -> list[Graded]:
    """All sample changes, newest first."""
    return [
        flag_change(),
        refactoring(),
        versions(),
        faster(),
        undoing(),
        guarded(),
        partial(),
        documents(),
        hostile(),
    ]
