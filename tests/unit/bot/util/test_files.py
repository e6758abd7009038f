"""Files are written whole, and what is no file of its own is left in its place."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from bot.util.files import Environment, write_whole
from digest.errors import UnwritableFolder


def test_a_file_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "new" / "report.md"
    write_whole(file, "one\n")
    write_whole(file, "two\n")
    assert file.read_text(encoding="utf-8") == "two\n"
    assert list(file.parent.iterdir()) == [file]


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    real, link = tmp_path / "real.md", tmp_path / "link.md"
    real.write_text("old", encoding="utf-8")
    link.symlink_to(real)
    write_whole(link, "new")
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "new"


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    """As ``/dev/null`` is a device: root may replace it by a file, which breaks the machine."""
    pipe, read = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    write_whole(pipe, "through")
    reader.join(60)
    assert read == ["through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize(
    ("mask", "mode", "given"),
    [(0o022, 0o666, 0o644), (0o077, 0o666, 0o600), (0, 0o666, 0o666), (0o022, 0o600, 0o600)],
)
def test_a_file_may_be_read_by_whom_the_mask_lets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mask: int, mode: int, given: int
) -> None:
    """Other threads make files meanwhile, so the mask is not changed even for a moment."""
    change_mask = os.umask
    before = change_mask(mask)
    monkeypatch.setattr(os, "umask", pytest.fail)
    try:
        usual = {} if mode == 0o666 else {"mode": mode}
        write_whole(tmp_path / "a.md", "", **usual)
    finally:
        change_mask(before)
    assert stat.S_IMODE((tmp_path / "a.md").stat().st_mode) == given


def test_a_folder_that_is_a_file_is_said_to_be_unwritable(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UnwritableFolder, match="file"):
        write_whole(tmp_path / "file" / "report.md", "text")


def test_a_data_folder_is_relative_to_where_the_program_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git is run in another folder, in which a relative path names something else."""
    monkeypatch.chdir(tmp_path)
    assert Environment.read({"DIGESTBOT_DATA": "data"}).data == tmp_path / "data"
    assert Environment.read({"DIGESTBOT_DATA": ""}).data is None
