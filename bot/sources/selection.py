"""How a selection is said to git. No I/O."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from digest.window import Window
from handlers.ports import Range, Selection, Tip

_FULL_NAME = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")

Revisions = tuple[tuple[str, ...], bytes]
"""Options of ``git rev-list`` and the revisions for its standard input."""


def revisions(branch: Tip, selection: Selection) -> Revisions | None:
    """What ``git rev-list --stdin`` needs to list the selection, or none where it is empty.

    A window is cut with ``--since-as-filter``: ``--since`` ends the walk at the first commit that
    is too old, and would lose those behind one with a skewed clock.
    """
    if isinstance(selection, Window):
        # git's dates are whole seconds and its end is part of the range.
        since, until = (
            math.ceil(selection.since.timestamp()),
            math.ceil(selection.until.timestamp()),
        )
        if branch.sha is None or until <= max(since, 0):
            return None
        # Before 1970 git knows no dates; what has none is shown there.
        dates = (f"--since-as-filter=@{max(since, 0)} +0000", f"--until=@{until - 1} +0000")
        return ("--first-parent", *dates), _lines([branch.sha])
    if isinstance(selection, Range):
        excluded = [] if selection.base is None else [f"^{full_name(selection.base)}"]
        return ("--first-parent",), _lines([full_name(selection.tip), *excluded])
    names = dict.fromkeys(full_name(sha) for sha in selection)
    return (("--no-walk=unsorted", "--ignore-missing"), _lines(list(names))) if names else None


def full_name(text: str) -> str:
    """The text, which must be a full commit name: nothing else may reach a command line."""
    if not _FULL_NAME.fullmatch(text):
        raise ValueError(f"{text!r} is no full commit name")
    return text


def _lines(words: Sequence[str]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()
