"""The loop of ``digestbot run``: slots that are due, deliveries that are left, questions.

A slot goes through the ledger in three steps, so that no crash loses or doubles it::

    claimed      one process has it; the newest claimed slot of a channel is what was last due
    frozen       its documents are in the ledger, and the delivery brings them to an end
    finished     marked once everything is frozen; until then the slot is built again

A sweep at the start, and then every few minutes, takes up what is left: pending deliveries, the
newest slot that was missed, a slot that was claimed and not finished. A channel that was never
seen begins with its next slot; channels may come, change and go while the loop runs. In a channel's
rest nothing is posted. Exceptions end at this loop: they are logged, the rest goes on.

What the loop is given is in :mod:`~bot.runner.work`; each of its duties is a module: which channels
are served, one channel's slots, what receivers hear, what is under way at a stop. The processes
that share the work (:mod:`bot.jobs`) are made of the same.
"""

from __future__ import annotations

from bot.runner.attending import NOTES
from bot.runner.loop import Runner, run, stop_on_signals
from bot.runner.underway import GRACE
from bot.runner.work import Alerts, Build, Finish, Hearing, Ready, Work

__all__ = [
    "GRACE",
    "NOTES",
    "Alerts",
    "Build",
    "Finish",
    "Hearing",
    "Ready",
    "Runner",
    "Work",
    "run",
    "stop_on_signals",
]
