"""What a use case asks of a language model, what comes back, and how that can fail.

Three ports: :class:`Model` is asked, :class:`Purse` says whether a call may be paid for, and
:class:`CallLedger` keeps what was called. ``bot.models`` implements the first over any server that
speaks the chat completions of OpenAI.

A caller that gets a :class:`ModelError` goes on without the model. Nothing that a model says is
trusted here: a value is returned once the request's own ``read`` has taken it.
"""

from __future__ import annotations

from handlers.model_port.asking import (
    OVERHEAD,
    Message,
    Model,
    ModelReply,
    ModelRequest,
    Piece,
    Profile,
    Restart,
    Role,
    StreamEvent,
)
from handlers.model_port.failure import BudgetSpent, ModelError, ModelReason
from handlers.model_port.paying import OK, Call, CallLedger, Hold, Purse, Unlimited
from handlers.model_port.usage import Account, Kind, Usage

__all__ = [
    "OK",
    "OVERHEAD",
    "Account",
    "BudgetSpent",
    "Call",
    "CallLedger",
    "Hold",
    "Kind",
    "Message",
    "Model",
    "ModelError",
    "ModelReason",
    "ModelReply",
    "ModelRequest",
    "Piece",
    "Profile",
    "Purse",
    "Restart",
    "Role",
    "StreamEvent",
    "Unlimited",
    "Usage",
]
