"""What cannot be read is told as ``run`` begins, not only when its digest is due."""

from pathlib import Path

from structlog.testing import capture_logs

from bot.app import open_workspace
from bot.cli.run_service import warn_of_unreadable
from bot.config.repository_section import RepositoryConfig
from tests.support.builders import RepositoryBuilder


async def test_each_repository_that_cannot_be_read_is_warned_of_once(tmp_path: Path) -> None:
    file = tmp_path / "digestbot.toml"
    file.write_text(f"data = {str(tmp_path / 'data')!r}\n", encoding="utf-8")
    made = RepositoryBuilder(tmp_path / "project.git", bare=True)
    made.commit("Begin", {"a.txt": "1"})
    place = str(made.path)
    async with open_workspace(file) as app:
        with capture_logs() as logs:
            await warn_of_unreadable(
                app,
                [
                    RepositoryConfig(place=str(tmp_path / "nowhere"), name="ada/gone"),
                    RepositoryConfig(place=place, name="ada/branch", branch="release"),
                    RepositoryConfig(place=place, name="ada/fine"),
                ],
            )
    told = [(one["repository"], one["log_level"]) for one in logs]
    assert told == [("ada/gone", "warning"), ("ada/branch", "warning")]
    assert all(one["error"] for one in logs)
