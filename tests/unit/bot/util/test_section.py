"""Secrets of a section, and where their files are."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from bot.util.section import SectionContext, Settings


class Section(Settings):
    token: SecretStr


def read(written: str, reading: SectionContext) -> str:
    return Section.model_validate({"token_file": written}, context=reading).token.get_secret_value()


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    file = tmp_path / "token"
    file.write_text("hush\n")
    file.chmod(0o600)
    return file


def test_file_of_a_secret_is_found_beside_the_configuration_or_by_its_path(secret: Path) -> None:
    assert read("token", SectionContext(folder=secret.parent)) == "hush"
    assert read(str(secret), SectionContext(folder=Path("/nowhere"))) == "hush"


def test_credential_of_systemd_is_found_in_the_folder_of_the_unit(secret: Path) -> None:
    reading = SectionContext(
        folder=Path("/nowhere"), environment={"CREDENTIALS_DIRECTORY": str(secret.parent)}
    )
    assert read("$CREDENTIALS_DIRECTORY/token", reading) == "hush"


def test_credential_of_systemd_is_missed_elsewhere_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(ValidationError, match="only inside a systemd unit"):
        read("$CREDENTIALS_DIRECTORY/token", SectionContext(folder=tmp_path))
