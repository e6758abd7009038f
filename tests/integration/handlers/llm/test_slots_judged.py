"""Scheduled digests with a model: per channel in its language, on its account, on time, kept."""

from __future__ import annotations

import io
from dataclasses import replace
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

from structlog.testing import capture_logs

from bot.config.channel_section import ChannelConfig, Quiet
from bot.config.repository_section import RepositoryConfig
from bot.delivery.delivery import Delivered
from bot.delivery.part_sender import Target
from bot.delivery.payload import thaw
from bot.platforms.console import Console
from bot.publishing.slots import Slots
from bot.scheduler.schedule import Slot, Spec
from bot.store.analyses import SqlCalls
from bot.subscriptions.channel_registry import subscriptions_of
from bot.util.machine import FixedClock
from digest.answer.buttons import without_buttons
from digest.core.enums import Language
from digest.core.grade import Level
from digest.markdown import markdown
from tests.integration.handlers.llm.conftest import Bench
from tests.integration.handlers.llm.day import CALLS, DAY, EVENING, JUDGED
from tests.servers.model import Fails, Hangs
from tests.support import model_replies
from tests.support.channels import at_target

ZONE = ZoneInfo("UTC")

AT = datetime(2026, 3, 5, tzinfo=UTC)


class Channels:
    """Two channels of one repository, one English and one Chinese."""

    def __init__(self, one: Bench, **settings) -> None:
        self.one = one
        repository = RepositoryConfig(place=str(one.project.path), name="octo/project", **settings)
        self.configs = {
            name: ChannelConfig(
                name=name,
                platform="console",
                zone=ZONE,
                language=language,
                least=Level.MEDIUM,
                quiet=Quiet.LINE,
                output=one.app.data / name,
            )
            for name, language in (("team", Language.EN), ("团队", Language.ZH))
        }
        one.app = one.app.at(FixedClock(EVENING))
        self.served = {n: subscriptions_of(c, [repository])[0] for n, c in self.configs.items()}
        self.slots = Slots(one.app)

    async def build(self, name: str):
        target = Target(name=name, sender=Console(io.StringIO()))
        schedule = replace(self.served[name], spec=Spec(at=time(0), zone=ZONE))
        post = at_target(target, schedule)
        slot = Slot(day=AT.date(), at=AT)
        ready = await self.slots.build(post, slot)
        await self.slots.finish(post, slot, [Delivered(key=one.key) for one in ready])
        return ready


async def channels(one: Bench, settings: dict | None = None, **more) -> Channels:
    await one.context(**more)  # opens the model
    return Channels(one, **(settings or {}))


async def test_each_channel_gets_its_language_and_pays_for_its_own(serve, bench) -> None:
    server = serve(answer=model_replies.mixed)
    both = await channels(await bench(server))
    (english,) = await both.build("team")
    (chinese,) = await both.build("团队")
    assert "behaves in another way" in markdown(english.document)
    assert "此提交修改了" in markdown(chinese.document)
    assert "--workers" in markdown(chinese.document)
    assert len(server.asked) == 2 * CALLS
    ledger = SqlCalls(both.one.app.database)
    spent = [await ledger.spent(DAY.since, channel=name) for name in both.configs]
    assert [usage.calls for usage in spent] == [CALLS, CALLS]
    await both.build("team")
    assert len(server.asked) == 2 * CALLS
    kept = [await both.one.app.digests.get(ready.digest) for ready in (english, chinese)]
    posted = [without_buttons(thaw(k.document).document) for k in kept]
    assert posted == [english.document, chinese.document]
    assert kept[0].heading.counts == kept[1].heading.counts


async def test_a_model_that_hangs_does_not_make_a_digest_late(serve, bench) -> None:
    import asyncio

    server = serve(answer=lambda sent: Hangs())
    both = await channels(await bench(server), digest_patience=1.0, timeout=60)
    began = asyncio.get_running_loop().time()
    with capture_logs() as logs:
        (ready,) = await both.build("team")
    assert asyncio.get_running_loop().time() - began < 45
    text = markdown(ready.document)
    assert "`--workers` was removed" in text
    assert text.count("from facts alone") == 5  # each line of the channel's level
    assert "timeout" not in text
    told = [line for line in logs if line["event"] == "analysis.missed"]
    assert len(told) == JUDGED
    assert {line["channel"] for line in told} == {"team"}
    kept = await both.one.app.digests.get(ready.digest)
    assert sum(outcome.why == "no model: timeout" for outcome in kept.outcomes) == JUDGED


async def test_a_channels_cap_is_its_own(serve, bench) -> None:
    server = serve(answer=model_replies.truthful)
    both = await channels(await bench(server), caps={"channel": {"tokens": 100}})
    (english,) = await both.build("team")
    (chinese,) = await both.build("团队")
    assert server.asked == []
    assert "from facts alone" in markdown(english.document)
    assert "仅据事实" in markdown(chinese.document)


async def test_a_private_repository_is_never_shown(serve, bench) -> None:
    server = serve(answer=model_replies.truthful)
    both = await channels(await bench(server), {"privacy": "none"})
    (ready,) = await both.build("team")
    assert server.asked == []
    assert "from facts alone" not in markdown(ready.document)


async def test_a_server_that_is_down_leaves_the_digest_as_without_a_model(serve, bench) -> None:
    server = serve(answer=lambda sent: Fails(503, "down"))
    both = await channels(await bench(server))
    (with_model,) = await both.build("team")
    lines = markdown(with_model.document)
    assert "`--workers` was removed" in lines
    assert "503" not in lines
    assert "down" not in lines.lower().split()
