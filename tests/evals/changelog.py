"""Generates a release file from a clone with a changelog: which requests it names, and as what.

    python -m tests.evals.changelog CLONE SINCE UNTIL PATH [PATH ...] > NAME.json

``PATH`` are changelog files, or folders of them, at the clone's HEAD. Choose a window whose
releases the files cover. Besides ``noted``, every request that is named, the file lists those whose
entry is marked as breaking, deprecated, removed, security or changed, by a heading (``### Breaking
changes``), a tag (``[SECURITY]``) or bold text (``**Breaking**``).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator

NUMBER = re.compile(r"(?:#|/pull/|/issues/)(\d{1,6})\b")
HEADING = re.compile(r"#{1,6} (.+)|\*\*([^*]{3,60})\*\*:?$|([A-Z][\w ]{3,40}):$")
LINK = re.compile(r" {0,3}\[[^\]]{1,80}\]: *\S")  # where the text ``[#12]`` leads
BULLET = re.compile(r"\s{0,8}[-*+] ")
MARKS = {
    "breaking": re.compile(r"break(?:s|ing)|incompatib|:boom:|:warning:|⚠|💥", re.IGNORECASE),
    "security": re.compile(r"(?<!step)security|vulnerab|\bCVE-|GHSA-", re.IGNORECASE),
    "deprecated": re.compile(r"(?<!no-)deprecat", re.IGNORECASE),
    "removed": re.compile(r"remov(?:ed|als?)\b", re.IGNORECASE),
    "changed": re.compile(r"^\W*chang(?:ed?|es)\W*$", re.IGNORECASE),
}
TAG = re.compile(r"\s{0,8}[-*+] +((?:\[[^\]]{2,40}\](?!\() ?|\*\*[^*]{2,40}\*\*:? ?|:\w+: ?){1,4})")


def mark_of(text: str) -> str:
    """The first mark in a heading or a tag, or empty."""
    return next((name for name, rule in MARKS.items() if rule.search(text)), "")


def entries(text: str) -> Iterator[tuple[int, str]]:
    """Each number that a changelog names, with the mark of its entry."""
    section = entry = ""
    for line in text.splitlines():
        if LINK.match(line):
            continue  # it belongs to no entry
        if found := HEADING.match(line.strip()):
            section = mark_of(next(filter(None, found.groups())))
            entry = ""
            continue
        if BULLET.match(line):
            tags = TAG.match(line)
            entry = next((m for m in map(mark_of, _parts(tags[1]) if tags else ()) if m), "")
        for number in NUMBER.findall(line):
            yield int(number), entry or section


def _parts(tags: str) -> list[str]:
    return [part for part in re.split(r"[\[\]*]+|\s", tags) if part] + [tags]


def texts(clone: str, paths: list[str]) -> Iterator[str]:
    """The contents of the files, including those in folders."""
    git = ["git", "-C", clone]
    listed = subprocess.run(
        [*git, "ls-tree", "-r", "-z", "--name-only", "HEAD", *paths],
        capture_output=True,
        check=True,
    )
    for path in filter(None, listed.stdout.decode().split("\0")):
        shown = subprocess.run([*git, "show", f"HEAD:{path}"], capture_output=True, check=True)
        yield shown.stdout.decode("utf-8", "replace")


def main() -> None:
    """Print the release file."""
    clone, since, until, *paths = sys.argv[1:]
    marked: dict[str, set[int]] = {name: set() for name in MARKS}
    noted: set[int] = set()
    for text in texts(clone, paths):
        for number, mark in entries(text):
            noted.add(number)
            if mark:
                marked[mark].add(number)
    name = clone.rstrip("/").removesuffix("/repo").rsplit("/", 1)[-1]
    found = {"release": name, "since": since, "until": until, "noted": sorted(noted)}
    json.dump(found | {name: sorted(numbers) for name, numbers in marked.items()}, sys.stdout)


if __name__ == "__main__":
    main()
