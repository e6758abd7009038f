"""What a chat is not told of: private repositories, where people from outside read along."""

from __future__ import annotations

import structlog

from bot.access import Gate
from bot.platforms.base import Discerning
from bot.posting.courier import Target

log = structlog.get_logger(__name__)


class Discretion:
    """Looks, right before something is posted by itself, who reads the chat now.

    A chat of a platform that cannot tell is read by its own people alone, unless the configuration
    says otherwise.
    """

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    async def withholds(self, target: Target, repository: str) -> bool:
        """Whether a repository is not to be posted to the target."""
        sender = target.sender
        external = isinstance(sender, Discerning) and await sender.external(target.chat)
        told = await self._gate.tellable(
            target.account,
            f"{sender.name}:{target.chat}",
            [repository],
            external=external,
            person=target.person,
        )
        if not told:
            log.warning("repository.withheld", channel=target.name, repository=repository)
        return not told
