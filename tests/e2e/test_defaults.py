"""Which defaults changed: net, with the old and the new value, the change and the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Digestbot
from tests.support.builders import RepositoryBuilder


def _flags(seqs: int, wait: str, back: int) -> str:
    return (
        "import argparse\n\nparser = argparse.ArgumentParser()\n"
        f'parser.add_argument("--max-seqs", type=int, default={seqs}, help="Sequences.")\n\n'
        f'parser.add_argument("--wait", default="{wait}", help="How to wait.")\n\n'
        f'parser.add_argument("--back", type=int, default={back}, help="Comes back.")\n'
    )


@pytest.fixture
def tuned(tmp_path: Path) -> RepositoryBuilder:
    """A repository whose defaults go up in two steps, one of them back again."""
    built = RepositoryBuilder(tmp_path / "tuned")
    built.commit("Add flags (#1)", {"tuned/scheduler/cli.py": _flags(64, "poll", 1)})
    built.git("tag", "v1.0.0", "main")
    built.commit("Take more (#2)", {"tuned/scheduler/cli.py": _flags(128, "poll", 2)})
    built.commit("Take even more (#3)", {"tuned/scheduler/cli.py": _flags(256, "poll", 1)})
    built.commit("Wait by events (#4)", {"tuned/scheduler/cli.py": _flags(256, "event", 1)})
    return built


def test_defaults_are_told_net_with_their_places(
    digestbot: Digestbot, tuned: RepositoryBuilder
) -> None:
    at = ("--repo", str(tuned.path), "--now", "2026-01-09")
    done = digestbot("ask", "which defaults changed since v1.0.0", *at)
    assert done.returncode == 0, done.stderr
    told = " ".join(done.stdout.split())
    assert "2 defaults changed" in told
    assert "--max-seqs now defaults to 256, was 64 (#3) · tuned/scheduler/cli.py:4" in told
    assert '--wait now defaults to "event", was "poll" (#4) · tuned/scheduler/cli.py:6' in told
    assert "--back" not in told


def test_defaults_are_told_in_chinese_and_of_a_topic(
    digestbot: Digestbot, tuned: RepositoryBuilder
) -> None:
    at = ("--repo", str(tuned.path), "--now", "2026-01-09")
    told = digestbot("ask", "v1.0.0 以来哪些默认值变了", *at).stdout
    assert "2 个默认值有变化" in told
    assert "--max-seqs 的默认值由 64 改为 256（#3）" in told
    told = digestbot("ask", "which defaults of the scheduler changed since v1.0.0", *at).stdout
    assert "scheduler: 2 defaults changed" in told
    follow = digestbot("ask", "and since 2026-01-08", *at).stdout
    assert "No default of a flag, a variable or a setting changed in scheduler" in follow


def test_no_changed_default_is_said_to_be_none(
    digestbot: Digestbot, project: RepositoryBuilder
) -> None:
    at = ("--repo", str(project.path), "--now", "2026-03-05")
    assert (
        "No default of a flag" in digestbot("ask", "which defaults changed this week", *at).stdout
    )
    assert (
        "没有参数、变量或配置的默认值发生变化" in digestbot("ask", "本周哪些默认值变了", *at).stdout
    )


def test_latest_release_is_told_with_its_day(
    digestbot: Digestbot, tuned: RepositoryBuilder
) -> None:
    tuned.git("tag", "v1.1.0", "main~1")
    tuned.git("tag", "v1.2.0rc1", "main")
    at = ("--repo", str(tuned.path), "--now", "2026-01-09")
    told = " ".join(digestbot("ask", "what is the latest release?", *at).stdout.split())
    assert "Changes in v1.1.0, the latest release, since the previous release, v1.0.0." in told
    assert "It was tagged on 2026-01-01." in told
    assert "(#3)" in told
    assert "(#4)" not in told
    told = digestbot("ask", "最新版本以来有哪些变更", *at).stdout
    assert "Wait by events (#4)" in told
    assert "(#3)" not in told
