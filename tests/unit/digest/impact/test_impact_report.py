"""The title of an answer on a profile: what breaks, and what only touches it."""

from __future__ import annotations

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from digest.answer.answers import Seen
from digest.core.enums import Alerts, Language
from digest.core.profile import PatchedFile, Profile, parse_entry
from digest.impact.impact_report import affected_title, patched_blocks, profile_document
from digest.markdown import markdown
from tests.support.fakes import REPOSITORY, change

AT, UTC = datetime(2026, 1, 23, tzinfo=UTC), ZoneInfo("UTC")


@pytest.mark.parametrize(
    ("broken", "touched", "title"),
    [
        (2, 1, "2 changes may break what you use, 1 more touches it"),
        (1, 0, "1 change may break what you use"),
        (0, 1, "Nothing found that breaks what you use; 1 change touches it"),
        (0, 3, "Nothing found that breaks what you use; 3 changes touch it"),
    ],
)
def test_title_counts_only_what_there_is(broken: int, touched: int, title: str) -> None:
    assert affected_title(broken, touched, Language.EN) == title


def test_title_is_in_the_language_of_the_asker() -> None:
    assert affected_title(0, 2, Language.ZH) == "未发现会破坏你所使用内容的变更；2 个变更与之相关"


@pytest.mark.parametrize(("files", "blocks"), [(25, 2), (26, 3)])
def test_files_that_a_fork_changes_too_are_shown_in_part(files: int, blocks: int) -> None:
    (file,) = change("1", "Fix", {"src/a.py": 1}).files
    entry = parse_entry("patch:src/a.py")
    patched = [PatchedFile(entry=entry, file=file, changes=())] * files
    seen = Seen(repository=REPOSITORY, tip=None, at=AT, zone=UTC, language=Language.EN)
    assert len([*patched_blocks(patched, seen)]) == blocks


@pytest.mark.parametrize(("files", "more"), [(100, False), (101, True)])
def test_a_long_profile_is_shown_in_part(files: int, more: bool) -> None:
    profile = Profile().with_(parse_entry(f"patch:src/{n:03}.py") for n in range(files))
    seen = Seen(repository=REPOSITORY, tip=None, at=AT, zone=UTC, language=Language.EN)
    shown = markdown(profile_document(profile, seen, alerts=Alerts.OFF))
    assert "`src/099.py`" in shown
    assert (", 1 more" in shown) is more
