"""Clones of ours: from a repository next door, over git's own transport for files."""

from __future__ import annotations

import asyncio
import fcntl
import os
import subprocess
from collections.abc import Coroutine
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from bot.git.address import read_address, without_credentials
from bot.git.clones import Clone
from bot.git.git_process import Git
from bot.git.git_source import GitSource
from bot.git.open_source import open_source
from digest.core.change import Change
from digest.core.grade import Repository
from digest.errors import NotARepository, SourceUnavailable, UnknownBranch, UnwritableFolder
from digest.window import Window
from handlers.ports.storage import Range, Tip
from tests.support.builders import START, Moved, RepositoryBuilder, environment


@pytest.fixture
def remote(tmp_path: Path) -> RepositoryBuilder:
    builder = RepositoryBuilder(tmp_path / "remote" / "project")
    builder.git("config", "uploadpack.allowFilter", "true")
    builder.git("config", "uploadpack.allowAnySHA1InWant", "true")
    builder.commit("First", {"a": "0\n", "b": "text\n" * 9})
    builder.commit("Second", {"a": "1\n", "c": Moved("b", "text\n" * 9 + "more\n")})
    return builder


async def opened(remote: RepositoryBuilder, data: Path) -> tuple[Repository, GitSource]:
    return await open_source(f"file://{remote.path}", data, allow_file=True)


async def all_of(source: GitSource) -> list[Change]:
    tip = await source.tip()
    assert tip.sha is not None
    whole = Range(base=None, tip=tip.sha)
    return [c async for batch in source.changes(tip, whole) for c in batch]


def clone_of(data: Path) -> Path:
    [folder] = [p for p in (data / "clones").iterdir() if p.is_dir()]
    return folder


@pytest.fixture
def fetches(monkeypatch) -> list[str]:
    """The commands of git that transfer something, as they begin."""
    begun: list[str] = []
    run = Git.run

    async def counted(self: Git, *arguments: str | bytes, stdin: bytes = b"") -> bytes:
        begun.extend(str(one) for one in arguments if one in {"fetch", "clone"})
        return await run(self, *arguments, stdin=stdin)

    monkeypatch.setattr(Git, "run", counted)
    return begun


def git(folder: Path, *arguments: str) -> str:
    return subprocess.run(
        ["git", f"--git-dir={folder}", *arguments],
        check=True,
        capture_output=True,
        text=True,
        env=environment() | {"GIT_ALLOW_PROTOCOL": "none"},
    ).stdout


def absent(folder: Path) -> list[str]:
    listed = git(folder, "rev-list", "--objects", "--all", "--missing=print")
    return [line for line in listed.splitlines() if line.startswith("?")]


async def test_clone_is_bare_and_partial_with_a_commit_graph(remote, tmp_path) -> None:
    repository, source = await opened(remote, tmp_path / "data")

    folder = clone_of(tmp_path / "data")
    assert repository.name == "project"
    assert git(folder, "rev-parse", "--is-bare-repository").strip() == "true"
    assert (folder / "objects" / "info" / "commit-graph").exists()
    assert len(absent(folder)) == 4
    assert await source.tip() == Tip(branch="main", sha=remote.sha("main"))


async def test_blobs_come_in_one_fetch_before_they_are_read(remote, tmp_path) -> None:
    for n in range(5):
        remote.commit(f"More {n}", {"a": f"more {n}\n"})
    _, source = await opened(remote, tmp_path / "data")
    packs = clone_of(tmp_path / "data") / "objects" / "pack"
    before = len(list(packs.glob("*.pack")))

    changes = await all_of(source)

    assert len(changes) == 7
    assert not any(f.omitted for c in changes for f in c.files)
    assert changes[-2].files[1].old_path == "b"
    assert len(list(packs.glob("*.promisor"))) - before <= 1
    assert absent(clone_of(tmp_path / "data")) == []
    blob = changes[0].files[0].new_id
    assert await source.texts([blob]) == {blob: "more 4\n"}


async def test_files_are_omitted_where_the_remote_is_gone(remote, tmp_path) -> None:
    _, source = await opened(remote, tmp_path / "data")
    remote.path.rename(tmp_path / "elsewhere")

    changes = await all_of(source)

    assert [c.commit.subject for c in changes] == ["Second", "First"]
    assert all(f.omitted for c in changes for f in c.files)
    with pytest.raises(SourceUnavailable, match="could not be fetched"):
        await source.sync()


async def test_sync_brings_what_is_new_and_prunes_what_is_gone(remote, tmp_path) -> None:
    remote.commit("Side", {"s": "x\n"}, branch="side")
    _, source = await opened(remote, tmp_path / "data")
    remote.git("update-ref", "-d", "refs/heads/side")
    forced = remote.commit("Rewritten", {"a": "z\n"}, parents=[remote.sha("main~1")])
    remote.git("tag", "v1", forced)

    await source.sync()

    assert (await source.tip()).sha == forced
    assert (await source.tip("v1")).sha == forced
    references = git(clone_of(tmp_path / "data"), "for-each-ref", "--format=%(refname)").split()
    assert references == ["refs/heads/main", "refs/tags/v1"]


async def test_sync_follows_a_default_branch_that_was_renamed(remote, tmp_path) -> None:
    _, source = await opened(remote, tmp_path / "data")
    remote.git("branch", "-m", "main", "trunk")

    await source.sync()

    assert await source.tip() == Tip(branch="trunk", sha=remote.sha("trunk"))


async def test_second_opening_uses_the_clone_there_is(remote, tmp_path) -> None:
    await opened(remote, tmp_path / "data")
    made = clone_of(tmp_path / "data").stat().st_ctime_ns
    remote.path.rename(tmp_path / "elsewhere")

    _, source = await opened(remote, tmp_path / "data")

    assert (await source.tip()).sha
    assert clone_of(tmp_path / "data").stat().st_ino
    assert made <= clone_of(tmp_path / "data").stat().st_ctime_ns


async def test_failed_clone_leaves_no_folder_and_can_be_repeated(remote, tmp_path) -> None:
    away = remote.path.rename(tmp_path / "elsewhere")
    with pytest.raises(SourceUnavailable, match="check the address"):
        await opened(remote, tmp_path / "data")
    assert not [p for p in (tmp_path / "data" / "clones").iterdir() if p.is_dir()]

    away.rename(remote.path)
    _, source = await opened(remote, tmp_path / "data")

    assert (await source.tip()).sha == remote.sha("main")


async def test_remains_of_a_killed_clone_are_no_clone(remote, tmp_path) -> None:
    address = read_address(f"file://{remote.path}", allow_file=True)
    clone = Clone(address, tmp_path / "data")
    remains = clone.git_dir.with_name(f"{clone.git_dir.name}.unfinished")
    (remains / "objects").mkdir(parents=True)

    await clone.ensure()

    assert not remains.exists()
    assert git(clone.git_dir, "rev-parse", "main").strip() == remote.sha("main")


async def test_clone_of_an_empty_repository_fills_later(tmp_path) -> None:
    remote = RepositoryBuilder(tmp_path / "empty")
    remote.git("config", "uploadpack.allowFilter", "true")
    _, source = await opened(remote, tmp_path / "data")
    assert (await source.tip()).sha is None

    sha = remote.commit("First", {"a": "0\n"})
    await source.sync()

    assert (await source.tip()).sha == sha


async def test_two_at_once_make_one_clone(remote, tmp_path) -> None:
    both = await asyncio.gather(*(opened(remote, tmp_path / "data") for _ in range(2)))

    assert {(await source.tip()).sha for _, source in both} == {remote.sha("main")}
    await asyncio.gather(*(source.sync() for _, source in both))


async def test_fetch_waits_for_another_process(remote, tmp_path) -> None:
    _, source = await opened(remote, tmp_path / "data")
    folder = clone_of(tmp_path / "data")
    with folder.with_name(f"{folder.name}.lock").open("r+") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        waiting = asyncio.create_task(source.sync())
        await asyncio.sleep(0.3)
        assert not waiting.done()
        fcntl.flock(held, fcntl.LOCK_UN)
        await waiting


async def test_what_a_dead_git_left_locked_does_not_keep_names_from_coming(
    remote, tmp_path
) -> None:
    _, source = await opened(remote, tmp_path)
    folder = clone_of(tmp_path)
    left = [folder / "packed-refs.lock", folder / "refs" / "heads" / "main.lock"]
    for lock in left:
        lock.touch()
    new = remote.commit("Third", {"a": "2\n"})
    with pytest.raises(SourceUnavailable, match="stale lock"):
        await source.sync()
    for lock in left:
        os.utime(lock, (1, 1))
    await source.sync()
    assert (await source.tip()).sha == new
    assert not [lock for lock in left if lock.exists()]


async def test_folder_that_cannot_be_written_is_told(remote, tmp_path) -> None:
    (tmp_path / "data").write_text("a file")

    with pytest.raises(UnwritableFolder):
        await opened(remote, tmp_path / "data")


async def test_remote_is_asked_for_its_tip_and_not_cloned(remote, tmp_path) -> None:
    newest = remote.commit("Third", {"a": "2\n"})
    subprocess.run(["git", "-C", remote.path, "tag", "v1", newest], check=True)
    address = read_address(f"file://{remote.path}", allow_file=True)
    assert address is not None
    clone = Clone(address, tmp_path / "data")
    assert await clone.remote_tip(None) == Tip(branch="main", sha=newest)
    assert await clone.remote_tip("main") == Tip(branch="main", sha=newest)
    assert await clone.remote_tip("v1") == Tip(branch="v1", sha=newest)
    with pytest.raises(UnknownBranch, match="main"):
        await clone.remote_tip("maim")
    assert not (tmp_path / "data" / "clones").exists()


@pytest.mark.parametrize(
    ("address", "remedy"),
    [
        ("https://ada:s3cret@example.org/o/n", "the host refuses the credentials in the address"),
        ("https://example.org/o/n", "a token in the address"),
    ],
)
async def test_refused_credentials_are_told_apart_from_absent_ones(
    tmp_path, monkeypatch, address, remedy
) -> None:
    program = tmp_path / "bin" / "git"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho \"fatal: Authentication failed for 'x'\" >&2\nexit 128\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    read = read_address(address)
    assert read is not None
    with pytest.raises(SourceUnavailable, match=remedy):
        await Clone(read, tmp_path / "data").remote_tip(None)


async def test_file_addresses_are_for_the_command_line_alone(remote, tmp_path) -> None:
    with pytest.raises(NotARepository):
        await open_source(f"file://{remote.path}", tmp_path / "data")


async def test_window_of_a_clone_is_read_with_its_own_graph(remote, tmp_path) -> None:
    _, source = await opened(remote, tmp_path / "data")
    hour = Window(since=START, until=START + timedelta(hours=1), zone=ZoneInfo("UTC"))

    assert await source.count(await source.tip(), hour) == 2
    assert not list((tmp_path / "data" / "views").rglob("commit-graph"))


async def test_credentials_reach_git_and_nothing_else(tmp_path, monkeypatch) -> None:
    # A git that says what it was told stands in for the network, which tests do not have.
    folder = tmp_path / "bin"
    folder.mkdir()
    seen = tmp_path / "seen"
    program = folder / "git"
    program.write_text(
        "#!/bin/sh\n"
        'case "$*" in *version) echo git version 2.50.0; exit 0;; esac\n'
        f'echo "ARGUMENTS $*" >> {seen}\n'
        f'echo "ENVIRONMENT $GIT_CONFIG_KEY_0 $GIT_CONFIG_VALUE_0 $GIT_ALLOW_PROTOCOL $GIT_TERMINAL_PROMPT" >> {seen}\n'
        "echo \"fatal: unable to access 'https://ada:s3cret@example.org/o/n/'\" >&2\n"
        "exit 128\n"
    )
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    with pytest.raises(SourceUnavailable) as raised:
        await open_source("https://ada:s3cret@example.org/o/n", tmp_path / "data")

    arguments, given = seen.read_text().splitlines()
    assert "s3cret" not in str(raised.value)
    assert "https://example.org/o/n" in str(raised.value)
    assert "s3cret" not in arguments
    header = "Authorization: Basic YWRhOnMzY3JldA=="
    assert given == f"ENVIRONMENT http.https://example.org/.extraHeader {header} https:ssh 0"
    assert not any("s3cret" in p.name for p in (tmp_path / "data").rglob("*"))
    assert "s3cret" not in repr(read_address("https://ada:s3cret@example.org/o/n"))


class StallingServer:
    """Serves a repository over HTTP; requests after ``stall`` wait for ``go_on``."""

    def __init__(self, folder: Path) -> None:
        self._environment = environment() | {
            "GIT_PROJECT_ROOT": str(folder),
            "GIT_HTTP_EXPORT_ALL": "1",
        }
        self.asked: asyncio.Queue[str] = asyncio.Queue()
        self._going = asyncio.Event()

    def stall(self) -> None:
        self._going.clear()
        self.asked = asyncio.Queue()

    def go_on(self) -> None:
        self._going.set()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.put_nowait(request)
        await self._going.wait()
        method, target, _ = request.split(" ", 2)
        path, _, query = target.removeprefix("/o/n").partition("?")
        headers = dict(line.split(": ", 1) for line in request.splitlines()[1:] if line)
        backend = await asyncio.create_subprocess_exec(
            "git",
            "http-backend",
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=self._environment
            | {
                "REQUEST_METHOD": method,
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "CONTENT_TYPE": headers.get("Content-Type", ""),
                "HTTP_CONTENT_ENCODING": headers.get("Content-Encoding", ""),
                "GIT_PROTOCOL": headers.get("Git-Protocol", ""),
            },
        )
        body = await reader.readexactly(int(headers.get("Content-Length", "0")))
        answered, _ = await backend.communicate(body)
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n" + answered)
        writer.close()


def arguments_of_processes() -> list[str]:
    texts = []
    for one in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it ended meanwhile
            texts.append(one.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
    return texts


async def test_process_list_and_files_of_a_stalled_clone_and_fetch_show_no_credentials(
    remote, tmp_path, monkeypatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "http.userAgent")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", "configured/1")
    stalling = StallingServer(remote.path / ".git")
    server = await asyncio.start_server(stalling.answer, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    data = tmp_path / "data"

    async def stalled(work: Coroutine[object, object, Any]) -> Any:
        stalling.stall()
        working = asyncio.create_task(work)
        try:
            request = await asyncio.wait_for(stalling.asked.get(), 120)
            arguments = arguments_of_processes()
            files = [one.read_bytes() for one in data.rglob("*") if one.is_file()]
        finally:
            stalling.go_on()
            result = await working
        assert "Authorization: Basic YWRhOnMzY3JldEB4" in request
        assert "User-Agent: configured/1" in request
        assert any(f"127.0.0.1:{port}/o/n" in one for one in arguments)
        assert not any("s3cret" in one or "YWRhOnM" in one for one in arguments)
        assert any(b"/o/n" in one for one in files)
        assert not any(b"s3cret" in one or b"YWRhOnM" in one for one in files)
        return result

    async with server:
        _, source = await stalled(open_source(f"http://ada:s3cret%40x@127.0.0.1:{port}/o/n", data))
        newest = remote.commit("Third", {"a": "2\n"})
        await stalled(source.sync())
        assert (await source.tip()).sha == newest


@pytest.mark.parametrize(
    ("text", "url", "transport", "host", "path"),
    [
        ("https://github.com/o/n", "https://github.com/o/n", "https", "github.com", "o/n"),
        (
            "HTTPS://GitHub.com/o/n.git/",
            "https://GitHub.com/o/n.git/",
            "https",
            "github.com",
            "o/n",
        ),
        ("http://u:p@h:81/n", "http://h:81/n", "http", "h", "n"),
        ("ssh://git@h:22/~a/n", "ssh://git@h:22/~a/n", "ssh", "h", "~a/n"),
        ("git://h/n", "git://h/n", "git", "h", "n"),
        ("git@h:o/n.git", "git@h:o/n.git", "ssh", "h", "o/n"),
        ("https://[::1]:8/n", "https://[::1]:8/n", "https", "[::1]", "n"),
    ],
)
def test_addresses_are_read(text, url, transport, host, path) -> None:
    address = read_address(text)

    assert address is not None
    assert (address.url, address.transport, address.host, address.path) == (
        url,
        transport,
        host,
        path,
    )


@pytest.mark.parametrize(
    "text",
    [
        "", "-", "--upload-pack=x", "ext::sh -c x", "ext::sh%20-c%20x", "file:///x", "/x", "x",
        "C:\\x", "https://", "https:///x", "https://h", "https://h/", "https://h/-x", "https://-h/x",
        "ssh://-oProxyCommand=x/y", "ssh://-oProxyCommand=x@h/y", "-u@h:x", "u@-h:x", "u@h:-x",
        "u@h::x", "https://h/x y", "https://h/x\ny", "https://h/x\0y", "https://h/x?y", "rsync://h/x",
        "https://h:99999/x", "https://[h/x", "javascript://h/x",
    ],
)  # fmt: skip
def test_other_texts_are_no_addresses(text) -> None:
    assert read_address(text) is None


def test_folders_of_addresses_are_safe_and_told_apart() -> None:
    texts = [
        "https://h/o/n", "https://h/O/n", "https://h:8/o/n", "http://h/o/n", "https://h/../../n",
        "https://h/" + "x" * 500, "https://h/é/\N{SNOWMAN}",
    ]  # fmt: skip
    folders = [address.folder for text in texts if (address := read_address(text))]

    assert len(set(folders)) == len(texts)
    assert all(len(f) < 100 and f.replace("-", "").replace(".", "").isalnum() for f in folders)
    assert not any(f.startswith(".") or "/" in f for f in folders)
    same = {
        read_address(t).folder for t in ("https://h/o/n", "https://u:p@h/o/n.git", "https://h/o/n/")
    }
    assert len(same) == 1


def test_credentials_are_cut_out_of_any_text() -> None:
    said = "fatal: 'https://a:b@h/x' and ssh://c@h/y, not d@e or https://h/@f"

    assert (
        without_credentials(said) == "fatal: 'https://h/x' and ssh://h/y, not d@e or https://h/@f"
    )


async def test_those_who_want_a_fetch_at_once_share_it(remote, tmp_path, fetches) -> None:
    sources = [(await opened(remote, tmp_path / "data"))[1] for _ in range(4)]
    newest = remote.commit("Third", {"a": "2\n"})
    await asyncio.gather(*(source.sync() for source in sources))
    # The first began before some of the others asked, at most: then one of these fetches for all.
    assert fetches[0] == "clone"
    assert 1 <= fetches.count("fetch") <= 2
    assert {(await source.tip()).sha for source in sources} == {newest}


async def test_what_was_fetched_since_is_not_fetched_again(remote, tmp_path, fetches) -> None:
    (_, first), (_, second) = [await opened(remote, tmp_path / "data") for _ in range(2)]
    due = datetime.now(UTC)
    await first.sync(due)
    await second.sync(due)
    assert fetches.count("fetch") == 1
    newest = remote.commit("Third", {"a": "2\n"})
    await second.sync()
    assert fetches.count("fetch") == 2
    assert (await first.tip()).sha == newest


async def test_a_fetch_that_failed_or_is_yet_to_come_counts_for_nobody(
    remote, tmp_path, fetches
) -> None:
    _, source = await opened(remote, tmp_path / "data")
    due = datetime.now(UTC)
    away = remote.path.rename(tmp_path / "away")
    with pytest.raises(SourceUnavailable):
        await source.sync(due)
    away.rename(remote.path)
    await source.sync(due)
    assert fetches.count("fetch") == 2
    # A clock that was set back: what it says was fetched has yet to happen.
    [lock] = (tmp_path / "data" / "clones").glob("*.lock")
    lock.write_text(f"{(due + timedelta(days=1)).timestamp()}\n")
    await source.sync(due)
    assert fetches.count("fetch") == 3


# Bundles


def bundle(remote: RepositoryBuilder, file: Path, *revisions: str) -> Path:
    remote.git("bundle", "create", "--quiet", str(file), *revisions)
    return file


async def test_bundle_is_read_and_a_newer_one_in_its_place_continues_it(remote, tmp_path) -> None:
    file = bundle(remote, tmp_path / "engine.bundle", "--all")
    repository, source = await open_source(str(file), tmp_path / "data")
    assert repository == Repository(name="engine")
    assert [change.commit.subject for change in await all_of(source)] == ["Second", "First"]
    assert not [file for change in await all_of(source) for file in change.files if file.omitted]
    remote.commit("Third", {"a": "2\n"})
    bundle(remote, file, "main~1..main")
    await source.sync()
    assert [change.commit.subject for change in await all_of(source)][:2] == ["Third", "Second"]


async def test_bundle_of_a_part_is_refused_with_what_to_do(remote, tmp_path) -> None:
    file = bundle(remote, tmp_path / "engine.bundle", "main~1..main")
    with pytest.raises(SourceUnavailable, match=r"prerequisite.*git bundle create --all"):
        await open_source(str(file), tmp_path / "data")
    assert not [path for path in (tmp_path / "data" / "clones").iterdir() if path.is_dir()]


@pytest.mark.parametrize("content", [b"", b"text\n", b"# v2 git bundle", b"\0" * 99])
async def test_file_that_is_no_bundle_is_no_repository(content, tmp_path) -> None:
    (tmp_path / "notes.txt").write_bytes(content)
    with pytest.raises(NotARepository, match="not one that git bundle made"):
        await open_source(str(tmp_path / "notes.txt"), tmp_path / "data")
    assert not (tmp_path / "data" / "clones").exists()
