"""The gate that every message passes: the decision, with what is known of the moment.

What people asked lately is counted by :mod:`bot.access.asked`. ``Trust`` is what admins allowed
by a command; it is asked at every message that it may matter to.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace

import structlog

from bot.access.asked import Alone, Asked
from bot.access.decide import Reason, Verdict, decide, may_hear, may_see, may_tell, trust_matters
from bot.access.policy import Policy
from bot.platforms.base import Incoming
from digest.commands import read_managing
from digest.errors import UserError
from digest.managing import Set, Setting
from digest.question import tidy

log = structlog.get_logger(__name__)

Trust = Callable[[str, str], Awaitable[bool]]
"""Whether an admin allowed private repositories to an account in a chat: the account's name in the
configuration, and the chat's, which is ``platform:id``."""


async def nobody(_account: str, _chat: str) -> bool:
    """Trust in no chat."""
    return False


def _grants(incoming: Incoming, policy: Policy) -> bool:
    """Whether an admin of the configuration allows private repositories in the chat."""
    chat, person = f"{incoming.platform}:{incoming.chat}", f"{incoming.platform}:{incoming.person}"
    if incoming.action or not policy.appointed(person, chat):
        return False
    try:
        return read_managing(tidy(incoming.text)) == Set(setting=Setting.PRIVATE, value=True)
    except UserError:
        return False


class Gate:
    """Decides on messages and on posts by one policy."""

    def __init__(
        self,
        policy: Policy,
        trust: Trust = nobody,
        asked: Asked | None = None,
    ) -> None:
        """Without ``asked`` people are counted in this process alone."""
        self._policy = policy
        self._trust = trust
        self._asked = asked or Alone()

    @property
    def policy(self) -> Policy:
        """What the configuration says."""
        return self._policy

    async def admit(self, account: str, incoming: Incoming) -> Verdict:
        """What becomes of a message to an account.

        One that is answered counts for its person's limits; a person is told of a refusal once a
        minute.
        """
        chat = f"{incoming.platform}:{incoming.chat}"
        person = f"{incoming.platform}:{incoming.person}"
        policy = await self._with_trust(account, chat, external=incoming.external)
        load = await self._asked.count(person)
        verdict = decide(incoming, policy, load)
        if verdict.reason is Reason.PRIVATE and _grants(incoming, policy):
            # The one command that is for a chat of which nothing may be told.
            trusting = replace(policy, trusted=policy.trusted | {chat})
            verdict = decide(incoming, trusting, load)
        if verdict.allowed:
            return verdict
        await self._asked.uncount(person)
        log.warning("message.refused", chat=chat, person=person, reason=str(verdict.reason))
        return replace(verdict, silent=verdict.silent or await self._asked.told_lately(person))

    async def tellable(
        self, account: str, chat: str, names: Iterable[str], *, external: bool, person: str = ""
    ) -> tuple[str, ...]:
        """Those of the repositories that an account may post in a chat.

        The chat is named ``platform:id``, and so is the person who asked for it, where it ends with
        what that person may see.
        """
        policy = self._policy
        heard = may_see(policy, chat, person) if person else may_hear(policy, chat)
        wanted = [name for name in names if name in heard]
        policy = await self._with_trust(account, chat, external=external)
        return may_tell(policy, chat, wanted, external=external)

    async def _with_trust(self, account: str, chat: str, *, external: bool) -> Policy:
        # Few chats have outsiders who read along: for the others nobody looks what admins allowed.
        matters = trust_matters(self._policy, chat, external=external)
        if not matters or not await self._trust(account, chat):
            return self._policy
        return replace(self._policy, trusted=self._policy.trusted | {chat})
