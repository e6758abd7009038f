"""What stands on the bot's own page, and who sees what of it."""

from __future__ import annotations

from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

from bot.access.gate import Policy
from bot.config.channel_section import Quiet
from bot.config.repository_section import RepositoryConfig
from bot.scheduler.schedule import Spec
from bot.subscriptions.channel_registry import Subscription, page_for
from bot.util.terminal import lay_out, plain_text
from tests.support.channels import Configured
from tests.support.fakes_delivery import FakeClock

CLOCK = FakeClock(datetime(2026, 1, 23, 12, tzinfo=UTC))


def subscription(name: str, repository: str, hour: int, **more) -> Subscription:
    given = {"platform": "acme", "chat": "C1", **more}
    return Subscription(
        name=name,
        channel=name,
        spec=Spec(at=time(hour), zone=ZoneInfo("Europe/Berlin")),
        repositories=(RepositoryConfig(place=repository, name=repository),),
        quiet=Quiet.SILENT,
        **given,
    )


async def seen(
    person: str, *subscriptions: Subscription, admins=("slack:UBOSS",), people=()
) -> str:
    policy = Policy(
        channels={"slack:C1": ("acme/open", "acme/secret")},
        admins=frozenset(admins),
        people=frozenset(people),
        repositories={"acme/open": False, "acme/secret": True},
    )
    page = page_for("acme", "slack", Configured(subscriptions), policy, CLOCK)
    return plain_text(lay_out(await page(person), 100, urls=False))


async def test_subscriptions_of_the_account_stand_in_the_order_of_their_next_runs():
    text = await seen(
        "U1",
        subscription("late", "acme/open", 9),
        subscription("soon", "acme/open", 14),
        subscription("elsewhere", "acme/open", 9, platform="other"),
    )
    assert "soon · acme/open, next on 2026-01-23 14:00 (Europe/Berlin)" in text
    assert "late · acme/open, next on 2026-01-24 09:00 (Europe/Berlin)" in text
    assert text.index("soon") < text.index("late")
    assert "elsewhere" not in text


async def test_private_repositories_are_shown_to_admins_alone():
    secret = subscription("inner", "acme/secret", 9)
    assert "acme/secret" not in await seen("U1", secret)
    assert "acme/secret" in await seen("UBOSS", secret)


async def test_without_admins_nobody_is_shown_private_repositories_of_chats_they_may_not_be_in():
    assert "acme/secret" not in await seen("U1", subscription("inner", "acme/secret", 9), admins=())


async def test_who_is_not_answered_is_shown_nothing():
    outer = subscription("outer", "acme/open", 9)
    assert "acme/open" not in await seen("U1", outer, people=("slack:U2",))
    assert "acme/open" in await seen("U2", outer, people=("slack:U2",))


async def test_page_without_subscriptions_says_so():
    assert "There are no digests that I can show you here." in await seen("U1")
