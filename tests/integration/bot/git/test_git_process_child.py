"""Children of a process: read to their end, and seen gone, whichever the event loop is."""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import uvloop

from bot.git.git_process import Child

LOOPS = {"asyncio": asyncio.new_event_loop, "uvloop": uvloop.new_event_loop}


@pytest.fixture(params=LOOPS)
def run(request):
    """Runs a coroutine on each of the loops that the program runs on."""

    def running(work: Callable[[], Awaitable[object]]) -> object:
        with asyncio.Runner(loop_factory=LOOPS[request.param]) as runner:
            return runner.run(work())

    return running


def started(program: str, said: bytes = b"") -> Child:
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as complaints:
        source.write(said)
        source.seek(0)
        command = (sys.executable, "-S", "-c", program)
        return Child(command, {}, folder="/", source=source, complaints=complaints)


async def told(child: Child) -> tuple[bytes, int]:
    output = b""
    try:
        while chunk := await child.read():
            output += chunk
        return output, await child.wait()
    finally:
        await child.end()


def test_all_output_is_read_and_then_the_status(run) -> None:
    program = (
        "import sys, time; "
        "sys.stdout.write(sys.stdin.read() * 100000); sys.stdout.flush(); "
        "time.sleep(0.1); print('end'); raise SystemExit(3)"
    )

    async def work() -> tuple[bytes, int]:
        return await told(started(program, b"0123456789"))

    assert run(work) == (b"0123456789" * 100000 + b"end\n", 3)


def test_a_status_that_comes_after_the_output_is_waited_for(run) -> None:
    program = "import os, time; os.close(1); time.sleep(0.2); os._exit(4)"

    async def work() -> tuple[bytes, int]:
        return await told(started(program))

    assert run(work) == (b"", 4)


def test_a_status_is_waited_for_without_descriptors_of_processes(run, monkeypatch) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    program = "import os, time; os.close(1); time.sleep(0.2); os._exit(5)"

    async def work() -> tuple[bytes, int]:
        return await told(started(program))

    assert run(work) == (b"", 5)


def runs(process: Path) -> bool:
    """Whether there is more of it than a status that nobody has read."""
    try:
        return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
def test_an_end_takes_what_the_child_started_with_it(run) -> None:
    program = (
        "import subprocess, sys; "
        "child = subprocess.Popen(['sleep', '60']); print(child.pid, flush=True); child.wait()"
    )

    async def work() -> Path:
        child = started(program)
        grandchild = Path("/proc") / (await child.read()).decode().strip()
        assert grandchild.exists()
        await child.end()
        assert await child.wait() < 0
        return grandchild

    grandchild = run(work)
    assert isinstance(grandchild, Path)
    # A busy machine takes a moment to carry out a signal.
    end = time.monotonic() + 30
    while runs(grandchild):
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for processes in /proc")
def test_an_end_that_is_cancelled_leaves_no_zombie(run) -> None:
    async def work() -> Path:
        child = started("import os, time; print(os.getpid(), flush=True); time.sleep(60)")
        process = Path("/proc") / (await child.read()).decode().strip()
        ending = asyncio.create_task(child.end())
        await asyncio.sleep(0)
        ending.cancel()
        with pytest.raises(asyncio.CancelledError):
            await ending
        return process

    process = run(work)
    assert isinstance(process, Path)
    assert not process.exists()


def test_many_at_once_are_read_side_by_side(run) -> None:
    async def work() -> set[tuple[bytes, int]]:
        children = [started(f"print({number})") for number in range(20)]
        return set(await asyncio.gather(*map(told, children)))

    assert run(work) == {(f"{number}\n".encode(), 0) for number in range(20)}


def test_a_program_that_is_not_there_is_told(run) -> None:
    async def work() -> None:
        with tempfile.TemporaryFile() as complaints, pytest.raises(FileNotFoundError):
            Child(("no-such-program",), {}, folder="/", source=None, complaints=complaints)

    run(work)
