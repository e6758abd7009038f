"""Signed requests, each taken once: what was recorded on its way cannot be played again."""

from __future__ import annotations

from collections import OrderedDict

_MOST = 100_000
"""Signatures of one account: more than a platform sends within any window."""


class Replays:
    """Signatures that were taken within a window.

    A request bears its time under its signature, so that nothing needs to be remembered for longer
    than that time is accepted. Platforms sign anew what they deliver again.
    """

    def __init__(self, window: float) -> None:
        """``window`` is how many seconds a request's time may lie from ours, either way."""
        self._kept = 2 * window
        self._seen: OrderedDict[str, float] = OrderedDict()

    def first(self, signature: str, now: float) -> bool:
        """Whether the signature is new; from now on it is not."""
        while self._seen and (
            next(iter(self._seen.values())) < now - self._kept or len(self._seen) > _MOST
        ):
            self._seen.popitem(last=False)
        if signature in self._seen:
            return False
        self._seen[signature] = now
        return True

    def forget(self, signature: str) -> None:
        """The request was not taken after all, and may come again as it is."""
        self._seen.pop(signature, None)
