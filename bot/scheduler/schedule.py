"""When a channel's digest is due: arithmetic only; the clock that calls is in ``timetable``.

A slot is a local date on which a digest is due, with the instant it is due at, by the rules at the
top of :mod:`digest.window`. Every second week is counted from the year 1; a monthly digest comes on
the month's first of its weekdays, or on the last. A date that a zone skipped altogether
(Pacific/Apia, 2011-12-30) has no slot, nor has one whose instant is in the channel's rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

from bot.scheduler.rest import NEVER, Rest
from digest.core.enums import Frequency
from digest.frozen import frozen
from digest.window import Window, instant

_DAY = timedelta(days=1)

# A slot's instant is on its date, or past a gap on a later one; the widest gap is a day.
_LOOK_BACK = 2 * _DAY
LONGEST_REACH: Mapping[Frequency, timedelta] = {
    Frequency.DAILY: 35 * _DAY,
    Frequency.WEEKLY: 35 * _DAY,
    Frequency.FORTNIGHTLY: 70 * _DAY,
    Frequency.MONTHLY: 100 * _DAY,
    Frequency.MONTH_END: 100 * _DAY,
}
"""How far one digest reaches back over held slots, so that a weekly one can miss a month. Earlier
commits are included too, by ancestry, and marked as late."""


def _first_of_month(day: date, weekdays: frozenset[int], step: timedelta = -_DAY) -> bool:
    """Whether no day of the month before it, or after it, is one of the weekdays."""
    other = day + step
    while other.month == day.month:
        if other.weekday() in weekdays:
            return False
        other += step
    return True


_COMES: Mapping[Frequency, Callable[[date, frozenset[int]], bool]] = {
    Frequency.FORTNIGHTLY: lambda day, _weekdays: (day.toordinal() - 1) // 7 % 2 == 0,
    Frequency.MONTHLY: _first_of_month,
    Frequency.MONTH_END: lambda day, weekdays: _first_of_month(day, weekdays, _DAY),
}
"""Which of the dates with a weekday of the schedule have a slot; for other kinds all have."""


@frozen
class Spec:
    """A local time on some weekdays (0 is Monday) of a zone; ``rest`` is when nothing is posted."""

    at: time
    zone: ZoneInfo
    weekdays: frozenset[int] = frozenset(range(7))
    kind: Frequency = Frequency.DAILY
    rest: Rest = NEVER

    def __post_init__(self) -> None:
        if not self.weekdays or not self.weekdays <= frozenset(range(7)):
            raise ValueError("weekdays must be one or more numbers from 0 (Monday) to 6")
        if self.at.tzinfo is not None:
            raise ValueError("the time of a schedule must not have a time zone")
        if self.kind.one_day and len(self.weekdays) != 1:
            raise ValueError(f"a {self.kind} digest is sent on one weekday")
        if self.rest.always(self.at, self.weekdays):
            raise ValueError("every digest of this schedule falls in quiet hours; change its time")

    @property
    def reach(self) -> timedelta:
        """How far one digest reaches back."""
        return LONGEST_REACH[self.kind]

    def falls_on(self, day: date) -> bool:
        """Whether a digest comes on a date, unless it is held."""
        comes = _COMES.get(self.kind)
        return day.weekday() in self.weekdays and (comes is None or comes(day, self.weekdays))

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
        if spec.falls_on(day):
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
    slots: list[Slot] = []
    for slot in slots_after(spec, since):
        if slot.at > until:
            break
        slots.append(slot)
    return tuple(slots)


def slot_before(spec: Spec, moment: datetime) -> Slot | None:
    """The newest slot before a moment; ``None`` if there is none within the longest reach."""
    before = slots_between(spec, moment - spec.reach, moment - timedelta(microseconds=1))
    return before[-1] if before else None


def window(spec: Spec, slot: Slot) -> Window:
    """The time that a slot's digest covers: from the previous slot that was not held to this one.

    The windows of consecutive slots tile time: none is counted twice and none is left out, unless
    slots are further apart than the longest reach.
    """
    before = slot_before(spec, slot.at)
    since = before.at if before else slot.at - spec.reach
    return Window(since=since, until=slot.at, zone=spec.zone)


def missed_slot(spec: Spec, last: str | None, now: datetime, catch_up: timedelta) -> Slot | None:
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
