"""The sections of the configuration file, as pydantic models: what each key means and may be.

Sections of one subsystem, such as ``[web]``, stand with it.
"""

from __future__ import annotations

from bot.config.sections.channels import ChannelConfig, Preferences, Quiet, ScheduleConfig
from bot.config.sections.repositories import RepositoryConfig, ThresholdSettings
from bot.config.sections.written import (
    AccessSettings,
    AdminSettings,
    ArchiveSettings,
    LogSettings,
    Written,
)

__all__ = [
    "AccessSettings",
    "AdminSettings",
    "ArchiveSettings",
    "ChannelConfig",
    "LogSettings",
    "Preferences",
    "Quiet",
    "RepositoryConfig",
    "ScheduleConfig",
    "ThresholdSettings",
    "Written",
]
