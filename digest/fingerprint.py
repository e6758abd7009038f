"""What makes two changes the same for a reader: their words and their lines. Imports ``change``."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

from digest.change import Change


def fingerprint(change: Change) -> str:
    """32 hex digits, the same for the same message, files and lines at the same places.

    A commit that was rebased over unrelated work keeps it, since neither its name, its dates nor
    the rest of its files count.
    """
    sum_ = blake2b(digest_size=16)
    for part in _parts(change):
        text = part.encode("utf-8", "surrogatepass")
        # With its length in front, no part can run into the next.
        sum_.update(b"%d:" % len(text) + text)
    return sum_.hexdigest()


def _parts(change: Change) -> Iterator[str]:
    yield change.commit.message
    yield str(change.omitted)
    for file in change.files:
        yield file.path
        yield file.old_path or ""
        yield f"{file.status} {file.added} {file.deleted} {file.omitted}"
        yield f"{file.old_mode} {file.new_mode}"
        # What git shows no lines of is told apart by its content's name alone.
        yield f"{file.old_id} {file.new_id}" if file.binary else ""
        for hunk in file.hunks:
            yield f"{hunk.old_start} {hunk.new_start} {len(hunk.removed)} {hunk.section}"
            yield "\n".join(hunk.removed)
            yield "\n".join(hunk.added)
