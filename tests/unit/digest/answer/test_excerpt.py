"""Parts of a change's lines: files, areas, names in the code."""

from __future__ import annotations

from dataclasses import replace

from digest.answer.excerpt import files_about, lines_of
from digest.core.change import Hunk
from tests.support.fakes import change

MADE = change("aaaaaaa1", "Add a flag", {"tests/test_run.py": 1, "src/run.py": 2})
HUNK = Hunk(old_start=1, new_start=1, removed=("x = 1",), added=("slow_start = 2", "y = 3"))
CHANGE = replace(MADE, files=tuple(replace(file, hunks=(HUNK,)) for file in MADE.files))


def test_a_path_or_an_area_is_shown_whole():
    (file,) = files_about(CHANGE, "tests")
    assert (file.path, file.hunks) == ("tests/test_run.py", (HUNK,))


def test_a_name_in_the_lines_is_shown_with_its_hunks_code_first():
    files = files_about(CHANGE, "--slow-start")
    assert [file.path for file in files] == ["src/run.py", "tests/test_run.py"]
    assert list(lines_of(files[0]))[3:] == ["-x = 1", "+slow_start = 2", "+y = 3"]
    long = replace(HUNK, added=(*HUNK.added, *["z = 4"] * 40))
    (file,) = files_about(
        replace(CHANGE, files=(replace(MADE.files[1], hunks=(long,)),)), "slow_start"
    )
    assert list(lines_of(file))[3:] == ["+slow_start = 2"]


def test_what_no_line_has_is_no_part():
    assert files_about(CHANGE, "other_name") == ()
