"""What Feishu's answers mean for a message that was to be sent.

Codes: https://open.feishu.cn/document/server-docs/im-v1/message/create (of the call) and
https://open.feishu.cn/document/ukTMukTMukTM/ugjM14COyUjL4ITN (of every call). An answer with the
status 200 fails all the same where its code is not 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.platforms.base import SendError, SendReason
from bot.transport.wire import Reply

STALE_TOKEN = frozenset({99991661, 99991663, 99991664, 99991665, 99991668, 99991671})
"""The token is not taken (any more): it is fetched again, once."""

NO_THREADS = frozenset({230071, 230072})
"""The chat, or the message, takes no answers in a thread."""

NO_HISTORY = frozenset({230027, 231203, 99991672, 99991676})
"""The app may not read the chat."""

_REASONS: Mapping[SendReason, tuple[int, ...]] = {
    SendReason.RATE_LIMITED: (
        99991400, 230020, 11232, 11233, 11247, 1000004, 1000005,
        230049,  # the same message is being sent just now: a repeat finds it sent
    ),
    SendReason.UNAUTHORIZED: (
        *sorted(STALE_TOKEN),
        10003, 10005, 10012, 10013, 10014, 10015,  # app id and secret
        99991401, 99991403, 99991543, 99991662, 99991672, 99991673, 99991676, 99991679,
        230006, 230027, 232025, 232034, 403, 514, 1000040344, 1000040350,
    ),
    SendReason.NO_CHANNEL: (
        10002, 10004, 10009, 10010, 230002, 230013, 230018, 230019, 230029, 230034, 230035, 230036,
        230038, 230053, 230075, 232006, 232009, 232010, 232011, 232033,
    ),
    SendReason.REJECTED: (
        10001, 230001, 230011, 230015, 230017, 230022, 230025, 230028, 230031, 230050, 230054,
        230055, 230071, 230072, 230099, 230110, 230111,
    ),
    SendReason.UNAVAILABLE: (1, 1500, 2200, 5000, 10500, 55001, 1000040343),  # internal
}  # fmt: skip
_BY_CODE = {code: reason for reason, codes in _REASONS.items() for code in codes}

_RESET = "x-ogw-ratelimit-reset"
"""Seconds until the next call may pass: frequency-control, by the address of generic codes."""


class Refused(SendError):
    """An answer with a code. ``code`` is 0 where there was none."""

    def __init__(self, code: int, reason: SendReason, detail: str, after: float | None) -> None:
        super().__init__(reason, detail, retry_after=after)
        self.code = code


def data_of(reply: Reply) -> dict[str, Any]:
    """What the answer holds. Raises :class:`Refused` where it is a failure.

    ``detail`` has the code and the platform's id of the request, never its words: those may quote
    what was sent.
    """
    answer: Any = reply.json()
    known = isinstance(answer, dict) and isinstance(answer.get("code"), int)
    code: int = answer["code"] if known else 0
    if known and code == 0 and reply.status < 400:
        return dict(answer)
    detail = f"status {reply.status}, code {code}" if known else f"status {reply.status}"
    if log := reply.headers.get("x-tt-logid"):
        detail = f"{detail}, log {log[:64]}"
    raise Refused(code, _reason(reply.status, code), detail, reply.seconds(_RESET))


def _reason(status: int, code: int) -> SendReason:
    if code in _BY_CODE:
        return _BY_CODE[code]
    if status == 429:
        return SendReason.RATE_LIMITED
    if status >= 500:
        return SendReason.UNAVAILABLE
    if status in {401, 403}:
        return SendReason.UNAUTHORIZED
    # 200 without a code, a redirect, a page: somebody else answered.
    return SendReason.REJECTED if status >= 400 and code else SendReason.BROKEN
