"""Which part of the program a process is."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """A part of the work. All but ``ALL`` need an archive in PostgreSQL."""

    ALL = "all"
    WEB = "web"
    """Pages, and what platforms tell; others answer."""
    WORKER = "worker"
    """Builds, posts and answers what others found to be done."""
    SCHEDULER = "scheduler"
    """Finds what is due."""

    @property
    def hosts(self) -> bool:
        """Whether it serves what the outside calls."""
        return self in {Role.ALL, Role.WEB}

    @property
    def sweeps(self) -> bool:
        """Whether it may be held against it that nothing was taken up for long."""
        return self is Role.ALL
