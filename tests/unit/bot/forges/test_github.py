"""Files of a commit as GitHub tells them."""

from __future__ import annotations

from typing import Any

import pytest

from bot.forges.github import read_file
from digest.core.change import FileStatus

PATCH = "@@ -1 +1 @@\n-a = 1\n+a = 2"


def given(**more: Any) -> dict[str, Any]:
    return {"filename": "src/a.py", "status": "modified", "sha": "1" * 40, **more}


@pytest.mark.parametrize(
    ("told", "omitted"),
    [
        ({"additions": 1, "deletions": 1, "patch": PATCH}, False),
        ({"additions": 9000, "deletions": 0}, True),
        ({"additions": 0, "deletions": 9000}, True),
        ({"additions": 0, "deletions": 0}, False),
    ],
)
def test_lines_without_a_patch_were_left_out(told: dict[str, int | str], omitted: bool) -> None:
    """A file whose mode alone changed has neither lines nor a patch."""
    assert read_file(given(**told)).omitted is omitted


def test_only_a_moved_file_has_an_old_path() -> None:
    before = {"previous_filename": "src/b.py", "additions": 0, "deletions": 0}
    assert read_file(given(status="renamed", **before)).old_path == "src/b.py"
    assert read_file(given(**before)).old_path is None
    assert read_file(given(status="removed", **before)).new_id == ""


@pytest.mark.parametrize("broken", [{"filename": ""}, {"status": "eaten"}])
def test_a_file_without_a_name_or_with_an_unknown_status_is_refused(broken: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="without a name or with an unknown status"):
        read_file(given(**broken))


def test_a_removed_file_is_one() -> None:
    assert read_file(given(status="removed")).status is FileStatus.DELETED
