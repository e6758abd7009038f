"""Who is answered, with what rights, and about which repositories.

``policy`` holds what the configuration says, ``decide`` is the pure decision, ``gate`` asks it for
every message, with what people did lately and what admins allowed.
"""

from bot.access.decide import Load, Reason, Verdict, decide, may_see, may_tell
from bot.access.gate import Gate
from bot.access.policy import Limits, Policy, Role
from bot.access.refusal import refusal

__all__ = [
    "Gate",
    "Limits",
    "Load",
    "Policy",
    "Reason",
    "Role",
    "Verdict",
    "decide",
    "may_see",
    "may_tell",
    "refusal",
]
