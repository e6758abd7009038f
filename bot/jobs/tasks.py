"""What kinds of jobs there are, in which queues they wait, and what those who do them promise."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Protocol


class Kind(StrEnum):
    """What is to be done. The values stand in the database, and in figures as labels."""

    CHANNEL = "channel"
    ANSWER = "answer"
    CHANGE = "change"
    ARRIVED = "arrived"
    ALERT = "alert"
    AMEND = "amend"
    FORGES = "forges"
    SWEEP = "sweep"
    RESCUE = "rescue"


CHANNELS, ANSWERS, REPOSITORIES, SWEEPS = "channels", "answers", "repositories", "sweeps"
"""The queues."""

WORKED = (CHANNELS, ANSWERS, REPOSITORIES)
"""The queues that workers take from; schedulers have the other."""

QUEUES: Mapping[Kind, str] = {
    Kind.CHANNEL: CHANNELS,
    Kind.ANSWER: ANSWERS,
    Kind.CHANGE: ANSWERS,
    Kind.ARRIVED: REPOSITORIES,
    Kind.ALERT: REPOSITORIES,
    Kind.AMEND: CHANNELS,
    Kind.FORGES: REPOSITORIES,
    Kind.SWEEP: SWEEPS,
    Kind.RESCUE: SWEEPS,
}

PERIODIC: Mapping[Kind, str] = {
    Kind.SWEEP: "*/5 * * * *",
    Kind.RESCUE: "* * * * *",
    Kind.FORGES: "*/5 * * * *",
}
"""What the library puts down by itself, as cron writes it. Where nobody does it, one waits."""

_PREFIX = "digestbot."


def task_of(kind: Kind) -> str:
    """The name under which the library knows a kind."""
    return f"{_PREFIX}{kind}"


def kind_of(task: str) -> str:
    """The kind of a task by its name, also of one that this program does not know."""
    return task.removeprefix(_PREFIX)


class Duties(Protocol):
    """What workers do. Each does it or raises, and then the library tries again.

    Jobs name what they are given, so the names are part of the promise.
    """

    async def channel(self, name: str, left: bool) -> None:  # by its name
        """Bring a channel up to date; with ``left``, what is left of older deliveries first."""

    async def answer(self, account: str, chat: str, message: str) -> None:
        """Answer a message."""

    async def change(self, account: str, incoming: str) -> None:
        """Deal with a message, as text, that was edited or deleted."""

    async def arrived(self, host: str, repository: str, moved: bool) -> None:  # by its name
        """Read what a forge told of; see :class:`bot.forges.arrivals.Arrived`."""

    async def alert(self, repository: str) -> None:
        """Tell those who want to know what may break them in a repository."""

    async def amend(self) -> None:
        """Carry out the amendments that are planned."""

    async def forges(self) -> None:
        """Read what forges say of the repositories that are watched."""
