"""A name is held by one at a time, and let go by the dead."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from bot.util.locks import FileLeases
from digest.errors import UnwritableFolder

HOLDER = """
import asyncio, sys
from pathlib import Path
from bot.util.locks import FileLeases
async def main():
    async with FileLeases(Path(sys.argv[1])).hold("a") as mine:
        print(mine, flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


async def test_name_is_held_once_and_again_after_it_was_let_go(tmp_path):
    leases = FileLeases(tmp_path / "locks" / "leases")
    async with leases.hold("a") as mine, leases.hold("a") as again, leases.hold("b") as other:
        assert (mine, again, other) == (True, False, True)
    async with leases.hold("a") as mine:
        assert mine


async def test_lease_of_another_process_ends_with_it_however_it_ends(tmp_path):
    file = tmp_path / "leases"
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(file)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout.readline() == "True\n"
        leases = FileLeases(file)
        async with leases.hold("a") as mine, leases.hold("b") as other:
            assert (mine, other) == (False, True)
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
        async with leases.hold("a") as mine:
            assert mine


async def test_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(UnwritableFolder, match="leases"):
        async with FileLeases(tmp_path / "file" / "leases").hold("a"):
            pass
