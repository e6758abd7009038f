"""The pages of a real archive over real HTTP: time to the first byte and to the last, and weight.

    python -m benchmarks.pages CLONE [--days 3650] [--data FOLDER]

``digestbot serve`` runs in a process of its own and is asked over one connection, as browsers ask,
for pages squeezed. Every kind is asked of many addresses: first with nothing known of them, then
once more, then by a reader who has the page (``If-None-Match``). What has a few addresses only is
asked for after a write to the archive, so that nothing that was kept holds. Times are medians and
p99; the processor's is the server's alone, which other programs do not prolong much. Beside it
``python -m http.server`` gives the bytes of one such page from a file. The archive is filled first
(minutes; kept in FOLDER where one is named).
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import date, timedelta
from http.client import HTTPConnection, RemoteDisconnected
from pathlib import Path
from urllib.parse import quote, urlsplit

from benchmarks.timing import Row, show
from bot.store.sqlite import FILE

ASKED = 100
"""Addresses per kind, or as many as there are."""

TIMES = 30
"""How often pages with few addresses are requested."""

GOAL = "first byte p99 <= 50 ms, 100 ms of a patch; <= 100 KB"

_GRACE = 30.0
"""Seconds that a process gets to end."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One response: seconds to the first and the last byte of its body, and the body.

    ``busy`` are the seconds that the server computed until the first byte.
    """

    first: float
    last: float
    busy: float
    status: int
    body: bytes
    tag: str
    encoding: str

    @property
    def plain(self) -> bytes:
        """The body, decompressed."""
        return gzip.decompress(self.body) if self.encoding == "gzip" else self.body


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of page: its name, its paths, and what is done before one is requested first."""

    name: str
    paths: Sequence[str]
    before: Callable[[], None] = lambda: None


def rows(clone: str, data: str = "", days: int = 3650) -> list[Row]:
    """A row for each kind of page, for the last days of a clone.

    ``data`` is the folder of the archive; a temporary one if empty.
    """
    with (
        nullcontext(data) if data else tempfile.TemporaryDirectory() as folder,
        served(clone, folder, days) as (site, server),
        closing(_connected(site)) as reader,
    ):
        return [_row(kind, reader, server) for kind in _kinds(reader, Path(folder))]


def _connected(site: str) -> HTTPConnection:
    return HTTPConnection(urlsplit(site).netloc, timeout=30)


def ask(reader: HTTPConnection, path: str, known: str = "", server: int = 0) -> Answer:
    """GET a path; ``known`` is the ETag that the reader has. Raises if it does not exist."""
    headers = {"accept-encoding": "gzip", **({"if-none-match": known} if known else {})}
    try:
        busy, began = _busy(server), time.perf_counter()
        reader.request("GET", path, headers=headers)
        answer = reader.getresponse()
    except RemoteDisconnected:  # the server closes a connection that was idle for seconds
        reader.close()
        return ask(reader, path, known, server)
    body = answer.read(1)
    first, busy = time.perf_counter() - began, _busy(server) - busy
    body += answer.read()
    last = time.perf_counter() - began
    if answer.status not in {200, 304}:
        raise RuntimeError(f"{path}: {answer.status}")
    told = answer.headers
    tag, encoding = told.get("etag", ""), told.get("content-encoding", "")
    return Answer(first, last, busy, answer.status, body, tag, encoding)


def _row(kind: Kind, reader: HTTPConnection, server: int) -> Row:
    fresh, busy = [], _busy(server)
    for path in kind.paths:
        kind.before()
        fresh.append(ask(reader, path, server=server))
    busy = (_busy(server) - busy) / len(fresh)
    again = [ask(reader, path) for path in kind.paths]
    held = [ask(reader, path, one.tag).first for path, one in zip(kind.paths, again, strict=True)]
    plain = [one.plain for one in fresh]
    heaviest = max(range(len(plain)), key=lambda n: len(plain[n]))
    beside = _static(plain[heaviest])
    middle = statistics.median(one.first for one in fresh)
    return Row(
        f"{kind.name} ({len(kind.paths)})",
        f"first byte {_spread([one.first for one in fresh])}, "
        f"of which the processor {_spread([one.busy for one in fresh])}; "
        f"again {_spread([one.first for one in again])}; "
        f"held {_spread(held)}; "
        f"whole {_spread([one.last for one in fresh])}; "
        f"processor {busy * 1000:.0f} ms; "
        f"{_weight(plain)}, squeezed {_weight([one.body for one in fresh])}",
        f"http.server: {_spread(beside)}",
        f"{middle / statistics.median(beside):.1f}x",
        GOAL,
    )


def _busy(process: int) -> float:
    """Seconds of processor time of a process, which other programs do not affect; 0 for none."""
    tasks = Path(f"/proc/{process}/task").glob("*/schedstat") if process else ()
    return sum(int(task.read_text().split()[0]) for task in tasks) / 1e9


def _spread(taken: Sequence[float]) -> str:
    late = sorted(taken)[int(len(taken) * 0.99)]
    return f"{statistics.median(taken) * 1000:.1f}/{late * 1000:.1f} ms"


def _weight(bodies: Sequence[bytes]) -> str:
    sizes = [len(body) / 1000 for body in bodies]
    return f"{statistics.median(sizes):.0f}/{max(sizes):.0f} KB"


def _kinds(reader: HTTPConnection, folder: Path) -> Iterator[Kind]:
    """The pages to request, found by requests."""
    chance = random.Random(0)
    (about,) = json.loads(ask(reader, "/index.json").plain)["repositories"]
    base, first, last = (about[key] for key in ("path", "first", "last"))
    days = _days(date.fromisoformat(first[:10]), date.fromisoformat(last[:10]))
    recent, names, words, folders = days[-2 * ASKED :], *_of_changes(folder, chance)
    weeks = list(dict.fromkeys("{}-W{:02d}".format(*day.isocalendar()) for day in days))

    def written() -> None:
        _write(folder)

    yield Kind("index", [f"/?lang={one}" for one in ("en", "zh")] * (TIMES // 2), written)
    yield Kind("repository", [f"{base}?lang={one}" for one in ("en", "zh")] * (TIMES // 2), written)
    for name, paths in (
        ("day", [f"{base}/-/days/{day}" for day in chance.sample(recent, min(ASKED, len(recent)))]),
        ("week", [f"{base}/-/weeks/{week}" for week in weeks[-ASKED:]]),
        ("change", [f"{base}/-/changes/{name}" for name in names]),
        ("patch", [f"{base}/-/changes/{name}/diff" for name in names]),
        ("topic", [f"{base}/-/topics/{quote(one)}" for one in folders]),
        ("search", [f"{base}/-/search?q={quote(word)}" for word in words]),
        ("search as you type", [f"{base}/-/search.json?q={quote(w[:4])}" for w in words]),
    ):
        yield Kind(name, paths)
    levels = [f"level={level}" for level in ("low", "medium", "high")]
    topics = [f"topic={quote(one)}" for one in folders]
    yield Kind("feed", [f"{base}/-/feed.atom?{asked}" for asked in (*levels, *topics)])


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=n) for n in range((last - first).days + 1)]


def _of_changes(folder: Path, chance: random.Random) -> tuple[list[str], list[str], list[str]]:
    """Numbers or hashes of changes, words of their titles, and their topics."""
    with closing(sqlite3.connect(_archive(folder))) as archive:
        named = archive.execute("SELECT coalesce(number, sha) FROM changes ORDER BY id").fetchall()
        subjects = archive.execute("SELECT subject FROM contents ORDER BY change_id").fetchall()
        topics = archive.execute(
            "SELECT topic FROM change_topics GROUP BY topic ORDER BY count(*) DESC, topic LIMIT 300"
        ).fetchall()
    words = [word for (one,) in subjects for word in json.loads(one)["title"].split()]
    wanted = sorted({word.lower() for word in words if word.isascii() and word.isalpha()})
    longer = [word for word in wanted if len(word) > 3]
    return (
        [str(name) for (name,) in chance.sample(named, min(ASKED, len(named)))],
        chance.sample(longer, min(ASKED, len(longer))),
        [topic for (topic,) in chance.sample(topics, min(ASKED, len(topics)))],
    )


def _archive(folder: Path) -> Path:
    return folder / FILE


def _write(folder: Path) -> None:
    """Raise the revision from which every page's ETag is made, as any write about a repository."""
    with closing(sqlite3.connect(_archive(folder), timeout=30)) as archive, archive:
        archive.execute("UPDATE repositories SET revision = revision + 1")


@contextmanager
def served(clone: str, folder: str, days: int, name: str = "") -> Iterator[tuple[str, int]]:
    """The address and the process of ``digestbot serve``, once its archive is filled."""
    command = [Path(sys.executable).parent / "digestbot", "serve", clone]
    options = ["--port", "0", "--days", str(days), "--tz", "UTC"]
    options += ["--name", name] if name else []
    environment = {**os.environ, "DIGESTBOT_DATA": folder}
    with _process([*map(str, command), *options], environment) as started:
        assert started.stdout
        told = started.stdout.readline()
        if not (address := re.search(r"http://\S+", told)):
            raise RuntimeError(f"digestbot serve said {told!r}")
        yield address[0], started.pid


def _static(body: bytes) -> list[float]:
    """Seconds to the first byte of the same, served from a file by Python's own server."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "page.html").write_bytes(body)
        command = [sys.executable, "-u", "-m", "http.server", "0", "-b", "127.0.0.1", "-d", folder]
        with _process(command, dict(os.environ)) as started:
            assert started.stdout
            port = started.stdout.readline().split(" port ")[1].split()[0]
            return [_once(f"http://127.0.0.1:{port}") for _ in range(ASKED + 1)][1:]


def _once(site: str) -> float:
    with closing(_connected(site)) as reader:
        return ask(reader, "/page.html").first


@contextmanager
def _process(
    command: Sequence[str], environment: dict[str, str]
) -> Iterator[subprocess.Popen[str]]:
    """A process whose output is read; it ends with the block."""
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=environment,
    ) as started:
        try:
            yield started
        finally:
            started.terminate()
            started.wait(_GRACE)


def main() -> None:
    """Measure and print the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone")
    parser.add_argument("--days", type=int, default=3650)
    parser.add_argument("--data", default="", help="folder of the archive; default: temporary")
    args = parser.parse_args()
    show(rows(str(Path(args.clone).resolve()), args.data, args.days))


if __name__ == "__main__":
    main()
