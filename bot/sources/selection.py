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
        since, until = seconds(selection)
        if branch.sha is None or until <= since:
            return None
        # Its end is part of git's range.
        dates = (f"--since-as-filter=@{since} +0000", f"--until=@{until - 1} +0000")
        return ("--first-parent", *dates), _lines([branch.sha])
    if isinstance(selection, Range):
        excluded = [] if selection.base is None else [f"^{full_name(selection.base)}"]
        return ("--first-parent",), _lines([full_name(selection.tip), *excluded])
    names = dict.fromkeys(full_name(sha) for sha in selection)
    return (("--no-walk=unsorted", "--ignore-missing"), _lines(list(names))) if names else None


def seconds(window: Window) -> tuple[int, int]:
    """The bounds of a window in the whole seconds since 1970 that git's dates are.

    Before 1970 git knows no dates; what has none is shown there.
    """
    return max(math.ceil(window.since.timestamp()), 0), math.ceil(window.until.timestamp())


def full_name(text: str) -> str:
    """The text, which must be a full commit name: nothing else may reach a command line."""
    if not _FULL_NAME.fullmatch(text):
        raise ValueError(f"{text!r} is no full commit name")
    return text


def _lines(words: Sequence[str]) -> bytes:
    return "".join(f"{word}\n" for word in words).encode()
