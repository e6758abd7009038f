"""Why there is no reply."""

from __future__ import annotations

from enum import StrEnum

from digest.errors import DigestbotError
from handlers.model_port.usage import Usage


class ModelReason(StrEnum):
    """Why there is no reply. A closed set: metrics, the run's record and tests count on it."""

    RATE_LIMITED = "rate_limited"  # too many requests or tokens, for longer than the caller waits
    UNAVAILABLE = "unavailable"  # no connection, 5xx, or gone a moment ago and not yet tried again
    TIMEOUT = "timeout"  # no answer in time, or no turn in time
    BROKEN = "broken"  # the answer broke off, or is none that the protocol knows
    UNAUTHORIZED = "unauthorized"  # the key is wrong or may not do this
    NO_CREDIT = "no_credit"  # the account has nothing left
    UNKNOWN_MODEL = "unknown_model"  # the server has no such model
    REJECTED = "rejected"  # the server does not take this request
    CONTEXT_LENGTH = "context_length"  # the request is longer than the model's context
    CUT_OFF = "cut_off"  # the reply stopped at the length limit, every time
    EMPTY = "empty"  # the reply is blank, also when asked again
    NOT_JSON = "not_json"  # no JSON object in the reply, also when asked to repair it
    WRONG_SHAPE = "wrong_shape"  # JSON of another shape, also when asked to repair it
    WRONG_LANGUAGE = "wrong_language"  # words in another language, also when asked to repair it
    REFUSED = "refused"  # the model declines
    FILTERED = "filtered"  # the server's content filter stopped question or reply
    BUDGET = "budget"  # a cap on tokens or money is reached


class ModelError(DigestbotError):
    """There is no reply. ``usage`` is what was spent all the same.

    ``detail`` is one line for logs and the run's record, never for a report. It holds no key; a
    server's own words in it are cut to 300 characters.
    """

    def __init__(
        self, reason: ModelReason, detail: str = "", *, usage: Usage | None = None
    ) -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail
        self.usage = usage or Usage()


class BudgetSpent(ModelError):
    """A cap would be passed. ``cap`` names it, such as ``tokens a day of channel 'team'``."""

    def __init__(self, cap: str) -> None:
        super().__init__(ModelReason.BUDGET, cap)
        self.cap = cap
