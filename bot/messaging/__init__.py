"""What a platform is to the rest of the program, and the tools that platforms share.

A platform is a module or a package in ``bot.platforms``, found by its name: ``kind = "console"`` in
the configuration imports ``bot.platforms.console``. It holds

- ``Config``: a :class:`bot.util.section.Settings` model, the platform's own settings;
- ``create(config) -> Sender``: called by ``digestbot run``; a sender that also has ``listen`` is a
  :class:`Receiver` too.

Nothing outside a platform's module names the platform, and one platform does not know another.
``tests/contract/test_platforms.py`` runs the same checks against each of them. Platforms from
other packages import the names below from here.
"""

from __future__ import annotations

from bot.messaging.receiver import (
    Asgi,
    AsgiReceive,
    AsgiScope,
    AsgiSend,
    Attentive,
    Called,
    Ear,
    Incoming,
    MessageEvent,
    Receiver,
)
from bot.messaging.sender import (
    CHAIN,
    Ability,
    Bounded,
    Counted,
    Discerning,
    Hosted,
    Limit,
    Paced,
    Part,
    Pictured,
    Receipt,
    Sender,
    SendError,
    SendReason,
    Unit,
)
from bot.util.tracing import trace

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
    "Hosted",
    "Incoming",
    "Limit",
    "MessageEvent",
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
