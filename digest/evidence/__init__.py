"""What a model says of a change, kept only as far as the change bears it out.

``judge`` checks one sentence: its form (``form``, ``tongue``), its names (``names``), its numbers
(``numbers``, ``counts``), what it tells of before and after (``shifts``) and its citations;
``reply`` reads whole replies, ``moving`` lets a model move a level.
"""

from digest.evidence.fault import Failed, Fault
from digest.evidence.ground import Ground
from digest.evidence.judge import judge
from digest.evidence.moving import PREFIX, moved
from digest.evidence.reply import (
    Dropped,
    Judged,
    Notes,
    faults,
    judge_reply,
    lines_reader,
    notes_reader,
    parse_reply,
    read_lines,
    read_notes,
    reader,
)

__all__ = [
    "PREFIX",
    "Dropped",
    "Failed",
    "Fault",
    "Ground",
    "Judged",
    "Notes",
    "faults",
    "judge",
    "judge_reply",
    "lines_reader",
    "moved",
    "notes_reader",
    "parse_reply",
    "read_lines",
    "read_notes",
    "reader",
]
