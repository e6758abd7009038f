"""Why a statement is not kept."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Rejection(StrEnum):
    """What is wrong with a statement. A closed set, so that it can be counted."""

    CITATION = "citation"  # it cites nothing, or something that the change does not have
    PATH = "path"  # it names a file or folder that the change does not
    NAME = "name"  # it names an identifier that the change does not
    FLAG = "flag"  # it names a flag that the change does not
    NUMBER = "number"  # it gives a number that the change does not
    SHIFT = "shift"  # it claims a value before and after that the change does not show
    SIDE = "side"  # it says added of what was removed, or the other way round
    MARKUP = "markup"  # it contains a link, a mention, an image, HTML or other markup
    HIDDEN = "hidden"  # it contains control characters, invisible ones or look-alikes
    ADDRESS = "address"  # it gives orders or mentions itself, as a manipulated model does
    COPIED = "copied"  # it is word for word in the diff: no sentence about it, perhaps a bait
    BROKEN = "broken"  # it breaks off, or is no sentence
    LONG = "long"  # it is longer than a statement may be
    LANGUAGE = "language"  # it is in another language


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """A rejection, and the words that caused it."""

    fault: Rejection
    about: str = ""

    def __str__(self) -> str:
        return f"{self.fault}: {self.about}" if self.about else str(self.fault)
