"""The languages that the program speaks."""

from __future__ import annotations

from enum import StrEnum


class Language(StrEnum):
    """A language of output: BCP 47 primary tags."""

    EN = "en"
    ZH = "zh"
