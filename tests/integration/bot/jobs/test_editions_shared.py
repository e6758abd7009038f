"""A digest is analysed once however many channels of however many processes want it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.bot.jobs.building import CHANNELS
from tests.integration.handlers.llm.day import CALLS, build
from tests.servers.model import ModelServer
from tests.support import model_replies

KEY = "sk-test-3f9a1c77d2e84b06"


@pytest.mark.parametrize("processes", [1, 2])
def test_a_digest_is_judged_once_whichever_process_wants_it(
    processes: int, address: str, tmp_path: Path, rules: Path
) -> None:
    shutil.copytree(rules, tmp_path / "data" / "secret-rules")
    project = build(tmp_path / "project")
    with ModelServer(key=KEY, answer=model_replies.mixed, latency=0.05) as server:
        config = tmp_path / "digestbot.toml"
        config.write_text(
            f'data = "{tmp_path / "data"}"\n'
            f'[database]\nurl = "{address}"\n'
            f'[model]\nname = "m"\nbase_url = "{server.url}"\nkey = "{KEY}"\n'
        )
        config.chmod(0o600)
        command = [sys.executable, "-m", "tests.integration.bot.jobs.building"]
        children = [
            subprocess.Popen(
                [*command, str(config), str(project.path), str(number)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                cwd=Path(__file__).parents[4],
            )
            for number in range(processes)
        ]
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        told = []
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        for child in children:
            out, _ = child.communicate(timeout=120)
            told.append(out.strip())
    assert told == [str(CHANNELS)] * processes
    assert len(server.asked) == CALLS
