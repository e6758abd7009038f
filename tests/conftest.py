"""What every test shares: no sockets beyond loopback, none of our environment variables."""

from __future__ import annotations

import gc
import os
import socket
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import certifi
import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings

from bot.llm.redaction import Secrets

# A busy machine is slow; how fast something is, benchmarks say.
settings.register_profile("plain", deadline=None)
settings.load_profile("plain")


def pytest_xdist_auto_num_workers() -> int:
    """Three workers for two cores with ``-n auto``, as some tests wait for other processes.

    Four would take a sixth more processor time: each collects all tests and has its own servers.
    """
    return -(-3 * (os.cpu_count() or 1) // 2)


# Collecting makes a million objects that stay: looking through them for garbage finds nothing.
gc.disable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Begin with what needs a processor all the time, so that it fills the pauses of the others."""
    items.sort(key=lambda item: "hostile" not in item.path.parts)


def pytest_collection_finish() -> None:
    """Keep what was collected out of every later search for garbage, and search seldom."""
    gc.freeze()
    gc.set_threshold(50_000)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let a worker of xdist send one message for a test that passes quickly, instead of five."""
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration > _WORTH_TELLING:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


_WORTH_TELLING = 0.1
"""Seconds from which ``--durations`` lists how long a test was prepared or cleaned up after."""

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session", autouse=True)
def _one_authority(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Trust one authority: every client that is opened reads them all, which takes 20 ms."""
    end = "-----END CERTIFICATE-----\n"
    file = tmp_path_factory.mktemp("authorities") / "one.pem"
    file.write_text(certifi.contents().partition(end)[0] + end)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SSL_CERT_FILE", str(file))
        yield


@pytest.fixture(scope="session")
def _data_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Names of folders that are not there yet: most tests need none, and making one takes 2 ms."""
    above = tmp_path_factory.mktemp("data")
    return (above / str(number) for number in count())


@pytest.fixture(autouse=True)
def _closed_world(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, _data_folders: Iterator[Path]
) -> None:
    for name in list(os.environ):
        if name.startswith(("DIGESTBOT_", "GIT_")):
            monkeypatch.delenv(name)
    has_folder = "tmp_path" in request.fixturenames
    data = request.getfixturevalue("tmp_path") / "data" if has_folder else next(_data_folders)
    monkeypatch.setenv("DIGESTBOT_DATA", str(data))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    connect = socket.socket.connect

    def guarded(self: socket.socket, address):
        host = address[0] if isinstance(address, tuple) else "local"
        if host not in {"127.0.0.1", "::1", "localhost", "local"}:
            raise AssertionError(f"a test tried to reach {address!r}")
        return connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(scope="session")
def rules() -> Path:
    """The compiled rules for secrets, kept between runs, as in a data folder: it takes seconds."""
    folder = Path(tempfile.gettempdir()) / "digestbot-test-rules"
    Secrets(folder).load()
    return folder


@pytest.fixture
def shared() -> Path:
    """The folder with samples beside the checkout; the test is skipped, saying so, without it."""
    if not SHARED.is_dir():
        pytest.skip("the folder ../shared with samples is not here")
    return SHARED
