"""The reader of git's stream: what it makes of each kind of record, wherever chunks end."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from digest.core.change import Change, FileStatus, Hunk
from digest.diff.git_log import PatchReader
from digest.diff.unified_diff import unquote

A, B, C = "a" * 40, "b" * 40, "c" * 40

NONE = "0" * 40


def header(
    sha: str = A,
    *,
    parents: str = B,
    author: bytes = b"Ada",
    email: bytes = b"ada@example.org",
    authored: bytes = b"1767225600",
    committed: bytes = b"1767225660",
    message: bytes = b"Do it\n",
) -> bytes:
    fields = [sha.encode(), parents.encode(), author, email, authored, committed, message]
    return b"\0" + b"\0".join(fields) + b"\0\n"


def raw(
    status: str, *paths: str, old: str = A, new: str = B, modes: str = "100644 100644"
) -> bytes:
    return f":{modes} {old} {new} {status}\t{chr(9).join(paths)}\n".encode()


def section(*lines: bytes) -> bytes:
    return b"diff --git a/x b/x\n" + b"\n".join(lines) + b"\n"


def record(head: bytes, listing: bytes = b"", *sections: bytes) -> bytes:
    return head + (b"\n" + listing + b"\n" + b"".join(sections) if listing else b"")


def read(stream: bytes, size: int = 1 << 20, **limits: int) -> list[Change]:
    reader = PatchReader(**limits)
    changes = [c for at in range(0, len(stream), size) for c in reader.feed(stream[at : at + size])]
    return changes + reader.finish()


MODIFIED = section(
    b"index 1..2 100644",
    b"--- a/x",
    b"+++ b/x",
    b"@@ -3 +3,2 @@ def run():",
    b"-    old",
    b"+    new",
    b"+    newer",
    b"@@ -9,2 +9,0 @@",
    b"-one",
    b"-two",
)


def test_record_with_hunks_gives_commit_and_lines() -> None:
    [change] = read(record(header(), raw("M", "x"), MODIFIED))

    assert change.commit.sha == A
    assert change.commit.parents == (B,)
    assert change.commit.author == "Ada"
    assert change.commit.email == "ada@example.org"
    assert change.commit.authored_at == datetime(2026, 1, 1, tzinfo=UTC)
    assert change.commit.committed_at == datetime(2026, 1, 1, 0, 1, tzinfo=UTC)
    assert change.commit.message == "Do it"
    [file] = change.files
    assert (file.path, file.status, file.added, file.deleted) == ("x", FileStatus.MODIFIED, 2, 3)
    assert (file.old_id, file.new_id, file.old_mode) == (A, B, "100644")
    assert file.hunks == (
        Hunk(
            old_start=3,
            new_start=3,
            removed=("    old",),
            added=("    new", "    newer"),
            section="def run():",
        ),
        Hunk(old_start=9, new_start=9, removed=("one", "two"), added=()),
    )


def test_commit_without_files_between_others_is_a_change() -> None:
    stream = record(header(A), raw("M", "x"), MODIFIED) + header(B, parents="") + header(C)

    changes = read(stream)

    assert [c.sha for c in changes] == [A, B, C]
    assert [len(c.files) for c in changes] == [1, 0, 0]
    assert changes[1].commit.parents == ()


def test_empty_stream_has_no_changes() -> None:
    assert read(b"") == []


def test_record_that_broke_off_is_not_returned() -> None:
    reader = PatchReader()

    changes = reader.feed(record(header(A)) + record(header(B), raw("M", "x"), MODIFIED))

    assert [c.sha for c in changes] == [A]


def test_message_that_looks_like_a_patch_stays_a_message() -> None:
    message = b"Do it\n\ndiff --git a/x b/x\n@@ -1 +1 @@\n-a\n+b\n:100644 100644 1 2 M\ty"

    [change] = read(record(header(message=message), raw("M", "x"), MODIFIED))

    assert change.commit.message == message.decode()
    assert [f.path for f in change.files] == ["x"]


def test_lines_that_look_like_marks_of_git_stay_lines() -> None:
    patch = section(
        b"--- a/x", b"+++ b/x", b"@@ -1,3 +1,3 @@",
        b"-@@ -1 +1 @@", b"--- a/y", b"-diff --git a/y b/y",
        b"+@@ -2 +2 @@", b"+++ b/y", b"+\0binary record",
    )  # fmt: skip

    [change] = read(record(header(), raw("M", "x"), patch))

    [hunk] = change.files[0].hunks
    assert hunk.removed == ("@@ -1 +1 @@", "-- a/y", "diff --git a/y b/y")
    assert hunk.added == ("@@ -2 +2 @@", "++ b/y", "\0binary record")


def test_missing_line_end_is_no_line() -> None:
    remark = b"\\ No newline at end of file"
    patch = section(b"--- a/x", b"+++ b/x", b"@@ -1 +1 @@", b"-a", remark, b"+b", remark)

    [change] = read(record(header(), raw("M", "x"), patch))

    assert change.files[0].hunks[0].removed == ("a",)
    assert change.files[0].hunks[0].added == ("b",)


def test_carriage_returns_are_no_part_of_lines_but_inside_them() -> None:
    patch = section(b"--- a/x", b"+++ b/x", b"@@ -1,2 +1 @@", b"-a\r", b"-b\r\r", b"+a\rb")

    [change] = read(record(header(), raw("M", "x"), patch))

    assert change.files[0].hunks[0].removed == ("a", "b\r")
    assert change.files[0].hunks[0].added == ("a\rb",)


def test_bytes_that_are_no_text_are_replaced_in_texts_and_kept_in_paths() -> None:
    patch = section(b"--- a/x", b"+++ b/x", b"@@ -0,0 +1 @@", b"+caf\xe9")
    head = header(author=b"Jos\xe9", message=b"caf\xe9\n")

    [change] = read(record(head, raw("A", '"caf\\351"', old=NONE), patch))

    assert change.commit.author == "Jos�"
    assert change.commit.message == "caf�"
    assert change.files[0].path.encode("utf-8", "surrogateescape") == b"caf\xe9"
    assert change.files[0].hunks[0].added == ("caf�",)


def test_names_of_people_are_cut_where_somebody_wrote_a_page() -> None:
    [change] = read(record(header(author=b"N" * 5000)))

    assert change.commit.author == "N" * 200


@pytest.mark.parametrize(
    ("listed", "status", "old_path", "ids"),
    [
        (raw("A", "x", old=NONE), FileStatus.ADDED, None, ("", B)),
        (raw("D", "x", new=NONE), FileStatus.DELETED, None, (A, "")),
        (raw("R087", "old", "x"), FileStatus.RENAMED, "old", (A, B)),
        (raw("C100", "old", "x"), FileStatus.COPIED, "old", (A, B)),
    ],
)
def test_listing_tells_what_happened(listed, status, old_path, ids) -> None:
    [change] = read(record(header(), listed, section(b"similarity index 100%")))

    [file] = change.files
    assert (file.status, file.old_path, file.path) == (status, old_path, "x")
    assert (file.old_id, file.new_id) == ids


def test_changed_type_has_two_patches_of_one_file() -> None:
    deleted = section(
        b"deleted file mode 100644", b"--- a/x", b"+++ /dev/null", b"@@ -1 +0,0 @@", b"-a"
    )
    created = section(
        b"new file mode 120000", b"--- /dev/null", b"+++ b/x", b"@@ -0,0 +1 @@", b"+b"
    )
    listing = raw("T", "x", modes="100644 120000") + raw("M", "y")

    [change] = read(record(header(), listing, deleted, created, MODIFIED))

    first, second = change.files
    assert (first.status, first.added, first.deleted) == (FileStatus.RETYPED, 1, 1)
    assert first.new_mode == "120000"
    assert (second.path, second.added, second.deleted) == ("y", 2, 3)


def test_binary_file_has_no_lines() -> None:
    patch = section(b"index 1..2 100644", b"Binary files a/x and b/x differ")

    [change] = read(record(header(), raw("M", "x") + raw("M", "y"), patch, MODIFIED))

    assert [f.binary for f in change.files] == [True, False]
    assert change.files[0].hunks == ()


@pytest.mark.parametrize("seconds", [b"", b"99999999999999999999", b"-99999999999999"])
def test_date_that_no_calendar_holds_is_the_epoch(seconds) -> None:
    [change] = read(header(committed=seconds))

    assert change.commit.committed_at == datetime(1970, 1, 1, tzinfo=UTC)


def test_hunk_beyond_the_limit_is_counted_but_not_kept() -> None:
    large = section(
        b"--- a/x", b"+++ b/x",
        b"@@ -1 +1 @@", b"-a", b"+b",
        b"@@ -5,0 +6,900 @@", *[b"+%0100d" % n for n in range(900)],
        b"@@ -9 +909 @@", b"-c", b"+d",
    )  # fmt: skip
    stream = record(header(), raw("M", "x") + raw("M", "y"), large, MODIFIED) + header(B)

    for size in (7, 1000, 1 << 20):
        change, last = read(stream, size, file_limit=400)
        first, second = change.files
        assert (first.added, first.deleted) == (902, 2)
        assert [h.old_start for h in first.hunks] == [1]
        assert len(second.hunks) == 2
        assert last.sha == B


def test_change_beyond_its_limit_keeps_the_first_files_only() -> None:
    listing = b"".join(raw("M", name) for name in ("x", "y", "z"))

    [change] = read(record(header(), listing, *[MODIFIED] * 3), change_limit=100)

    assert [len(f.hunks) for f in change.files] == [2, 0, 0]
    assert [f.added for f in change.files] == [2, 2, 2]


@pytest.mark.parametrize("limit", ["change_limit", "file_limit"])
@pytest.mark.parametrize(("size", "kept"), [(69, 1), (70, 2)])
def test_hunks_are_kept_up_to_the_last_byte_of_a_limit(limit: str, size: int, kept: int) -> None:
    """The two hunks have 70 bytes after the marks that begin them."""
    [change] = read(record(header(), raw("M", "x"), MODIFIED), **{limit: size})
    assert len(change.files[0].hunks) == kept


def test_memory_stays_flat_in_a_large_file() -> None:
    reader = PatchReader(file_limit=1000)
    reader.feed(record(header(), raw("A", "x", old=NONE), section(b"--- /dev/null", b"+++ b/x")))
    reader.feed(b"@@ -0,0 +1,100000 @@\n")
    held = 0
    for n in range(100):
        reader.feed(b"".join(b"+%d\n" % i for i in range(1000 * n, 1000 * n + 1000)))
        held = max(held, len(reader._rest))
    [change] = reader.finish()

    assert held < 10_000
    assert change.files[0].added == 100_000
    assert change.files[0].hunks == ()


TEXT = st.binary(max_size=12).map(lambda b: b.replace(b"\n", b"").replace(b"\r", b""))


@st.composite
def hunks(draw) -> tuple[bytes, tuple[bytes, ...], tuple[bytes, ...]]:
    removed = tuple(draw(st.lists(TEXT, max_size=3)))
    added = tuple(draw(st.lists(TEXT, max_size=3, min_size=0 if removed else 1)))
    lines = [b"-" + line for line in removed] + [b"+" + line for line in added]
    ranges = b"@@ -1,%d +1,%d @@" % (len(removed), len(added))
    return b"\n".join([ranges, *lines]), removed, added


_EXACT = (b"@@ -1 +1 @@\n-" + b"\0" * 14 + b"\n+" + b"0" * 15, (b"\0" * 14,), (b"0" * 15,))
"""A hunk of forty bytes, which is a limit below."""


@example(files=[[_EXACT], []], message=b"", size=1, limit=40)
@given(
    files=st.lists(st.lists(hunks(), max_size=3), max_size=3),
    message=st.binary(max_size=30).map(lambda b: b.replace(b"\0", b"").strip(b"\n")),
    size=st.integers(1, 60),
    limit=st.sampled_from([10, 40, 1 << 20]),
)
def test_result_does_not_depend_on_chunks_and_loses_no_line(files, message, size, limit) -> None:
    sections = [section(b"--- a/x", b"+++ b/x", *[h for h, _, _ in file]) for file in files]
    listing = b"".join(raw("M", f"f{n}") for n in range(len(files)))
    stream = record(header(message=message), listing, *sections) + record(header(B))

    whole = read(stream, file_limit=limit)

    assert read(stream, size, file_limit=limit) == whole
    assert [c.sha for c in whole] == [A, B]
    assert whole[0].commit.message == message.decode("utf-8", "replace")
    for read_file, file in zip(whole[0].files, files, strict=True):
        assert read_file.added == sum(len(added) for _, _, added in file)
        assert read_file.deleted == sum(len(removed) for _, removed, _ in file)
        if limit > 40:
            kept = [(h.removed, h.added) for h in read_file.hunks]
            assert kept == [
                tuple(
                    tuple(t.decode("utf-8", "replace") for t in side) for side in (removed, added)
                )
                for _, removed, added in file
            ]


@given(st.binary(min_size=1, max_size=20))
def test_unquote_undoes_the_quoting_of_any_bytes(path) -> None:
    quoted = '"' + "".join(f"\\{byte:03o}" for byte in path) + '"'

    assert unquote(quoted).encode("utf-8", "surrogateescape") == path


@pytest.mark.parametrize(
    ("quoted", "path"),
    [
        ("plain name", "plain name"),
        ('"tab\\tquote\\"back\\\\slash\\nline"', 'tab\tquote"back\\slash\nline'),
        ('"\\a\\b\\f\\r\\v"', "\a\b\f\r\v"),
        ('"\\303\\251t\\303\\251"', "été"),
        ('"\\\\101"', "\\101"),
    ],
)
def test_unquote_reads_every_escape(quoted, path) -> None:
    assert unquote(quoted) == path
