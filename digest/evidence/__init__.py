"""What a model says of a change, kept only as far as the change bears it out.

``judge`` checks one sentence: its form (``form``, ``tongue``), its names (``names``), its numbers
(``numbers``, ``counts``), what it tells of before and after (``shifts``) and its citations;
``sieve`` keeps sentences, ``reply``, ``notes`` and ``lines`` read whole replies, ``moving`` lets a
model move a level.
"""

from digest.evidence.fault import Failed, Fault
from digest.evidence.ground import Ground
from digest.evidence.judge import judge
from digest.evidence.lines import lines_reader, read_lines
from digest.evidence.moving import PREFIX, moved
from digest.evidence.notes import Notes, notes_reader, read_notes
from digest.evidence.reply import Judged, judge_reply, parse_reply, reader
from digest.evidence.sieve import Dropped, faults

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
