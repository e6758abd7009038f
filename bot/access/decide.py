"""Whether a message is answered: a pure function of the message, the policy and the load.

The rules, the first that refuses wins:

1. *Workspace.* A platform of which workspaces are listed is answered in those alone.
2. *Person.* Where people are listed, nobody else is answered, admins aside.
3. *Chat.* A channel of the configuration, a listed chat, this machine's terminal, any chat where
   ``anyone`` is set, and the direct chat of a listed person or an admin.
4. *Load.* So many questions of one person in a minute and in an hour; admins are people, too.
5. *Repositories.* A chat is told of those of its channel, else of all. What is private is left out
   where people of other organisations read along, unless an admin trusts the chat. Where nothing
   is left the message is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from bot.access.policy import LOCAL, Policy, Role
from bot.platforms.base import Incoming


class Reason(StrEnum):
    """Why a message is not answered. A closed set: metrics and tests count on it."""

    WORKSPACE = "workspace"
    PERSON = "person"
    CHAT = "chat"
    MINUTE = "minute"
    HOUR = "hour"
    PRIVATE = "private"


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What a person asked before, in the last minute and in the last hour."""

    minute: int = 0
    hour: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What becomes of a message.

    ``reason`` is ``None`` where it is answered, about ``repositories``, in the policy's order;
    ``withheld`` are those that this chat is not told of because outsiders read along. ``chat`` and
    ``person`` are the names that the policy knows them by. ``silent`` says that a refusal is not
    told either: nobody addressed the bot, or it was told a moment ago.
    """

    chat: str
    person: str
    role: Role
    reason: Reason | None = None
    repositories: tuple[str, ...] = ()
    withheld: tuple[str, ...] = ()
    silent: bool = False

    @property
    def allowed(self) -> bool:
        """Whether the message is answered."""
        return self.reason is None


def decide(incoming: Incoming, policy: Policy, load: Load = Load()) -> Verdict:
    """What becomes of a message, by the rules on top of this module."""
    chat = f"{incoming.platform}:{incoming.chat}"
    person = f"{incoming.platform}:{incoming.person}"
    seen = _seen(policy, chat)
    told = may_tell(policy, chat, seen, external=incoming.external)
    withheld = tuple(name for name in seen if name not in told)
    reason = _refusal(incoming, policy, chat, person) or _overload(policy, load)
    if reason is None and withheld and not told:
        reason = Reason.PRIVATE
    return Verdict(
        chat=chat,
        person=person,
        role=policy.role(person, chat),
        reason=reason,
        repositories=told if reason is None else (),
        withheld=withheld,
        silent=not incoming.addressed,
    )


def may_tell(policy: Policy, chat: str, names: Iterable[str], *, external: bool) -> tuple[str, ...]:
    """Those of the repositories that a chat may be told of, in answers as in posts.

    ``external`` is what the platform says of the chat; one that is not configured is private.
    """
    open_ = chat in policy.trusted or not policy.shared.get(chat, external)
    return tuple(name for name in names if open_ or not policy.repositories.get(name, True))


def trust_matters(policy: Policy, chat: str, *, external: bool) -> bool:
    """Whether a chat is told of more where an admin allowed private repositories in it."""
    seen = _seen(policy, chat)
    return len(may_tell(policy, chat, seen, external=external)) < len(seen)


def may_see(policy: Policy, chat: str, person: str) -> tuple[str, ...]:
    """The repositories of which a chat may get digests that a person once asked for there.

    None where the chat, or the person in it, would not be answered any more.
    """
    if policy.people and person not in policy.people and not policy.appointed(person, chat):
        return ()
    known = policy.anyone or chat.startswith(LOCAL) or chat in policy.channels
    if known or chat in policy.chats or person in policy.people or person in policy.admins:
        return _seen(policy, chat)
    return ()


def may_hear(policy: Policy, chat: str) -> tuple[str, ...]:
    """The repositories that may be told of in a chat unasked, whoever once wanted that there.

    None where nobody would be answered any more. Whose a direct chat is cannot be told from its
    name: where people or admins are listed, it may be one of theirs.
    """
    known = policy.anyone or chat.startswith(LOCAL) or chat in policy.channels
    if known or chat in policy.chats or policy.people or policy.admins:
        return _seen(policy, chat)
    return ()


def _seen(policy: Policy, chat: str) -> tuple[str, ...]:
    return policy.channels.get(chat, tuple(policy.repositories))


def _refusal(incoming: Incoming, policy: Policy, chat: str, person: str) -> Reason | None:
    prefix = f"{incoming.platform}:"
    listed = {one for one in policy.workspaces if one.startswith(prefix)}
    if listed and f"{prefix}{incoming.workspace}" not in listed:
        return Reason.WORKSPACE
    admin = policy.appointed(person, chat)
    local = chat.startswith(LOCAL)
    if policy.people and person not in policy.people and not admin and not local:
        return Reason.PERSON
    known = policy.anyone or local or chat in policy.channels or chat in policy.chats
    if known or (incoming.direct and (admin or person in policy.people)):
        return None
    return Reason.CHAT


def _overload(policy: Policy, load: Load) -> Reason | None:
    limits = policy.limits
    if limits.minute and load.minute >= limits.minute:
        return Reason.MINUTE
    return Reason.HOUR if limits.hour and load.hour >= limits.hour else None
