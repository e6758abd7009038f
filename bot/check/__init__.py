"""``digestbot check``: looks at everything that the configuration names, and sends nothing.

:mod:`~bot.check.looking` goes through the configuration, :mod:`~bot.check.forge` and
:mod:`~bot.check.model` ask what answers at an address.
"""

from __future__ import annotations

from bot.check.finding import Finding, Weight
from bot.check.looking import Probes, check, failed

__all__ = ["Finding", "Probes", "Weight", "check", "failed"]
