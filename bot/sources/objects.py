"""Looks at objects by name, many in one child: which are there, and what texts they hold."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing

from bot.sources.process import Git

TEXT_LIMIT = 1 << 20
"""Bytes above which a text is not read: no source that people write by hand is as large."""

_BINARY_PROBE = 8000
"""Bytes in which a NUL makes a text binary; git's own rule (``buffer_is_binary``)."""


async def present(git: Git, names: Iterable[str]) -> Mapping[str, tuple[str, int]]:
    """Type and size in bytes of each object that is there, by full name."""
    asked = list(dict.fromkeys(names))
    if not asked:
        return {}
    answers = await git.run("cat-file", "--batch-check", "--buffer", stdin=_lines(asked))
    found = {}
    for line in answers.decode().splitlines():
        name, kind, *size = line.split(" ")
        if size:
            found[name] = (kind, int(size[0]))
    return found


async def read_texts(git: Git, names: Iterable[str]) -> Mapping[str, str]:
    """The texts of blobs by name, without those that are absent, binary or above ``TEXT_LIMIT``."""
    there = await present(git, names)
    wanted = [n for n, (kind, size) in there.items() if kind == "blob" and size <= TEXT_LIMIT]
    texts = {}
    async with aclosing(_contents(git, wanted)) as contents:
        async for name, content in contents:
            if b"\0" not in content[:_BINARY_PROBE]:
                texts[name] = content.decode("utf-8", "replace")
    return texts


async def read_places(git: Git, places: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The texts of files by commit and path, without those that are absent or no texts."""
    asked = [place for place in dict.fromkeys(places) if "\n" not in place[1]]
    if not asked:
        return {}
    spelled = [f"{commit}:{path}".encode("utf-8", "surrogateescape") for commit, path in asked]
    answers = await git.run(
        "cat-file", "--batch-check", "--buffer", stdin=b"".join(s + b"\n" for s in spelled)
    )
    blobs = {
        place: line.split(b" ")[0].decode()
        for place, line in zip(asked, answers.splitlines(), strict=True)
        if not line.endswith(b" missing")
    }
    texts = await read_texts(git, blobs.values())
    return {place: texts[blob] for place, blob in blobs.items() if blob in texts}


async def _contents(git: Git, names: list[str]) -> AsyncGenerator[tuple[str, bytes], None]:
    if not names:
        return
    rest = b""
    async with aclosing(git.stream("cat-file", "--batch", "--buffer", stdin=_lines(names))) as out:
        async for chunk in out:
            rest += chunk
            at = 0
            # Each answer is "<name> <type> <size>\n<content>\n".
            while (end := rest.find(b"\n", at)) >= 0:
                name, _, size = rest[at:end].decode().split(" ")
                after = end + 1 + int(size)
                if len(rest) <= after:
                    break
                yield name, rest[end + 1 : after]
                at = after + 1
            rest = rest[at:]


def _lines(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in names).encode()
