"""What a platform is to the rest of the program.

A platform is one module beside this package, or a package of its own where a file would be too
long, found by its name: ``kind = "console"`` in the configuration imports
``bot.platforms.console``. It holds

- ``Config``: a :class:`bot.config.settings.Settings` model, the platform's own settings;
- ``create(config) -> Sender``: what ``digestbot run`` calls; a sender that also has ``listen``
  is a :class:`Receiver` too.

Nothing outside it names the platform, and it imports of ours only this package, ``settings``,
``legible``, ``terminal``, ``rates``, ``replays``, ``inbox``, ``called``, ``wire``, ``turns``,
``addressed``, ``remembered``, ``shapes`` and ``digest``; what two platforms of one maker share
stands beside these, as ``feishu_card`` does. ``tests/contract/test_platforms.py`` tries every
platform with the same kit.
"""

from __future__ import annotations

from bot.platforms.base.calling import Asgi, AsgiReceive, AsgiScope, AsgiSend, Called
from bot.platforms.base.failure import SendError, SendReason
from bot.platforms.base.hearing import Attentive, Ear, Fate, Incoming, Receiver, trace
from bot.platforms.base.parts import CHAIN, Counted, Limit, Part, Receipt, Unit
from bot.platforms.base.sending import Ability, Bounded, Discerning, Hosted, Paced, Pictured, Sender

__all__ = [
    "CHAIN",
    "Ability",
    "Asgi",
    "AsgiReceive",
    "AsgiScope",
    "AsgiSend",
    "Attentive",
    "Bounded",
    "Called",
    "Counted",
    "Discerning",
    "Ear",
    "Fate",
    "Hosted",
    "Incoming",
    "Limit",
    "Paced",
    "Part",
    "Pictured",
    "Receipt",
    "Receiver",
    "SendError",
    "SendReason",
    "Sender",
    "Unit",
    "trace",
]
