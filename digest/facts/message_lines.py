"""The message as numbered lines, for finders that look at words. Imports ``model``, ``rubbish``."""

from __future__ import annotations

from collections.abc import Iterator

from digest.change import Side
from digest.facts.model import Evidence
from digest.facts.rubbish import forms_of, is_machine_line

_MOST = 80  # lines of a message that are looked at: what is told further down is no point of it
_FOREIGN = ("release notes", "details", "changelog", "commits", "summary>")
"""What opens the words of another project, which bots copy below an update of a dependency."""

_LONGEST = 600  # characters of a line that are looked at


def message_lines(message: str) -> Iterator[tuple[int, str]]:
    """(Number, text) of the lines that somebody wrote; the subject is line 1."""
    fenced, forms = False, forms_of(message)
    for number, line in enumerate(message.lstrip("\n").split("\n")[:_MOST], start=1):
        text = line.strip()
        if text.lower().strip("#*<> ").startswith(_FOREIGN):
            break
        if text.startswith(("```", "~~~")):
            fenced = not fenced
        elif text and not fenced and (number == 1 or not is_machine_line(line, forms)):
            yield number, text[:_LONGEST]


def message_evidence(line: int) -> Evidence:
    """A line of the message as evidence."""
    return Evidence(path="", line=line, side=Side.MESSAGE)
