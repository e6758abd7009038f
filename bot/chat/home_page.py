"""The bot's home page, on platforms that have one: its chats' digests and their next times."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime

from bot.access.gate import may_see
from bot.access.permissions import Policy
from bot.messaging.sender import Hosted, Sender
from bot.scheduler.schedule import next_run
from bot.subscriptions.channel_registry import Subscription, SubscriptionSource
from digest.core.enums import Language
from digest.document import Block, Document, Heading, Item, Listing, Paragraph, Strong, Text
from digest.i18n.chat_text import HOME, HOME_ASK, HOME_NONE, HOME_RUN
from digest.i18n.phrase import joined
from handlers.ports.storage import Clock


def offer_pages(
    senders: Mapping[str, Sender], subscribed: SubscriptionSource, policy: Policy, clock: Clock
) -> None:
    """Give every platform with a home page the function that makes its content."""
    for account, sender in senders.items():
        if isinstance(sender, Hosted):
            sender.page = page_for(account, sender.name, subscribed, policy, clock)


def page_for(
    account: str, kind: str, subscribed: SubscriptionSource, policy: Policy, clock: Clock
) -> Callable[[str], Awaitable[Document | None]]:
    """Makes the home page of an account for a person, by the person's id."""

    async def page(person: str) -> Document | None:
        mine = [one for one in await subscribed.subscriptions() if one.platform == account]
        told = [one for one in mine if _may_see(one, kind, person, policy)]
        return home_document(told, clock.now())

    return page


def home_document(subscriptions: Sequence[Subscription], now: datetime) -> Document:
    """The page: a line per subscription, the next one due first."""
    language = subscriptions[0].language if subscriptions else Language.EN
    coming = sorted((next_run(one.spec, now), one.name, one) for one in subscriptions)
    title = HOME.template(language)
    blocks: list[Block] = [Heading(1, (Text(title),))]
    if coming:
        blocks.append(Listing(tuple(_line(one, at, language) for at, _, one in coming)))
    else:
        blocks.append(Paragraph((Text(HOME_NONE.template(language)),)))
    blocks.append(Paragraph((Text(HOME_ASK.template(language)),), aside=True))
    return Document(title=title, blocks=tuple(blocks), language=str(language))


def _line(one: Subscription, at: datetime, language: Language) -> Item:
    zone = one.spec.zone
    when = f"{at.astimezone(zone):%Y-%m-%d %H:%M} ({zone.key})"
    names = ", ".join(settings.name for settings in one.repositories)
    return Item(joined([Strong(one.name), " · ", HOME_RUN(language, names=names, when=when)]))


def _may_see(one: Subscription, kind: str, person: str, policy: Policy) -> bool:
    """Whether a person may see a subscription: private ones are for admins of their chats.

    The page shows nobody what they would not be shown in the chat.
    """
    who, where = f"{kind}:{person}", f"{kind}:{one.chat}"
    named = {settings.name for settings in one.repositories}
    if not named <= {*may_see(policy, where, who)}:
        return False
    if not any(policy.repositories.get(name, True) for name in named):
        return True
    # If no admins are named, all members of a chat are admins; the page cannot know which chats the
    # person is in.
    return policy.appointed(who, where)
