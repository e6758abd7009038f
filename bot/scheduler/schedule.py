"""When a channel's digest is due: arithmetic only; the clock that calls is in ``timetable``.

A slot is a local date on which a digest is due, with the instant it is due at. The instant follows
the rules at the top of :mod:`digest.window`: inside a gap the first instant after it, inside an
overlap the first occurrence. A date that a zone skipped altogether (Pacific/Apia, 2011-12-30) has
no slot, nor has one whose instant is in the channel's rest (:mod:`bot.scheduler.rest`). So every
other date of the weekdays has exactly one slot, and slots are strictly increasing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from functools import lru_cache
from zoneinfo import ZoneInfo

from bot.scheduler.rest import NEVER, Rest
from digest.window import Window, instant

_DAY = timedelta(days=1)

# A slot's instant is on its date, or past a gap on a later one; the widest gap is a day.
_LOOK_BACK = 2 * _DAY
LONGEST_REACH = 35 * _DAY
"""How far one digest reaches back over held slots: five weeks, so that a weekly one can miss a

month. Earlier commits are included too, by ancestry, and marked as late.
"""


class Frequency(StrEnum):
    """How often a digest comes."""

    DAILY = "daily"
    WEEKLY = "weekly"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A schedule: a local time on some weekdays (0 is Monday, at least one) of a zone.

    A weekly one has one weekday. ``rest`` is when nothing is posted to the channel.
    """

    at: time
    zone: ZoneInfo
    weekdays: frozenset[int] = frozenset(range(7))
    kind: Frequency = Frequency.DAILY
    rest: Rest = NEVER

    def __post_init__(self) -> None:
        if not self.weekdays or not self.weekdays <= frozenset(range(7)):
            raise ValueError("weekdays are numbers from 0 (Monday) to 6, at least one")
        if self.at.tzinfo is not None:
            raise ValueError("the time of a schedule is local to its zone")
        if self.kind is Frequency.WEEKLY and len(self.weekdays) != 1:
            raise ValueError("a weekly digest comes on one weekday")
        if self.rest.always(self.at, self.weekdays):
            raise ValueError("quiet hours hold every digest of the schedule; change its time")

    def resting(self, moment: datetime) -> bool:
        """Whether an aware moment is in the channel's rest."""
        return self.rest.holds(moment.astimezone(self.zone))


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Slot:
    """A local date and the instant, in UTC, at which its digest is due."""

    at: datetime
    day: date

    @property
    def name(self) -> str:
        """The slot's name in the ledger; names sort as slots do."""
        return self.day.isoformat()


def slots_after(spec: Spec, after: datetime) -> Iterator[Slot]:
    """The endless sequence of slots whose instants are after ``after``, which is aware."""
    day = after.astimezone(spec.zone).date() - _LOOK_BACK
    while True:
        if day.weekday() in spec.weekdays:
            slot = _slot(day, spec.at, spec.zone)
            if slot is not None and slot.at > after and not spec.resting(slot.at):
                yield slot
        day += _DAY


def next_slot(spec: Spec, after: datetime) -> Slot:
    """The first slot after an instant."""
    return next(slots_after(spec, after))


def next_run(spec: Spec, after: datetime) -> datetime:
    """The instant, in UTC, of the first slot after an instant."""
    return next_slot(spec, after).at


def slots_between(spec: Spec, since: datetime, until: datetime) -> tuple[Slot, ...]:
    """The slots after ``since``, up to and including ``until``, in order."""
    found: list[Slot] = []
    for slot in slots_after(spec, since):
        if slot.at > until:
            break
        found.append(slot)
    return tuple(found)


def slot_before(spec: Spec, moment: datetime) -> Slot | None:
    """The newest slot before a moment; ``None`` if there is none within the longest reach."""
    before = slots_between(spec, moment - LONGEST_REACH, moment - timedelta(microseconds=1))
    return before[-1] if before else None


def window(spec: Spec, slot: Slot) -> Window:
    """The time that a slot's digest covers: from the previous slot that was not held to this one.

    The windows of consecutive slots tile time: none is counted twice and none is left out, unless
    slots are further apart than the longest reach.
    """
    before = slot_before(spec, slot.at)
    since = before.at if before else slot.at - LONGEST_REACH
    return Window(since=since, until=slot.at, zone=spec.zone)


def missed(spec: Spec, last: str | None, now: datetime, catch_up: timedelta) -> Slot | None:
    """The newest slot that is due and was not claimed; of several missed ones only this one.

    ``last`` is the name of the newest claimed slot; ``None`` (a new channel) has missed nothing.
    Slots that have been due for longer than ``catch_up`` are dropped.
    """
    if last is None:
        return None
    due = [slot for slot in slots_between(spec, now - catch_up, now) if slot.name > last]
    return due[-1] if due else None


# Thousands of channels share a few times, and each looks weeks back.
@lru_cache(maxsize=4096)
def _slot(day: date, at: time, zone: ZoneInfo) -> Slot | None:
    return Slot(day=day, at=instant(day, at, zone)) if _exists(day, zone) else None


def _exists(day: date, zone: ZoneInfo) -> bool:
    return instant(day, time(0), zone) < instant(day + _DAY, time(0), zone)
