"""However many channels want the same, git is asked and every change is told once."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bot import editions as module
from bot.app import opened
from bot.clock import FixedClock
from bot.courier import Target
from bot.roster import Post
from bot.schedule import Slot
from bot.sections import ChannelConfig, RepositoryConfig
from bot.slots import Slots
from bot.subscription import subscriptions_of
from digest.grade import Level
from digest.language import Language
from digest.markdown import markdown
from handlers.daily import come
from tests.builders import RepositoryBuilder
from tests.fakes_delivery import FakeSender

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


async def test_channels_that_want_the_same_share_one_report(tmp_path: Path, monkeypatch) -> None:
    builder = RepositoryBuilder(tmp_path / "project")
    for n in range(4):
        files = {f"src/part{n}.py": f"def part{n}():\n    return {n}\n"}
        builder.commit(
            f"[Feature] Add part {n} (#{n + 1})", files, at=NOON - timedelta(hours=9 - n)
        )
    asked: Counter[str] = Counter()

    async def counted(ctx, *given):
        asked[str(ctx.language)] += 1
        return await come(ctx, *given)

    # Only the module itself can tell how often it makes a report.
    monkeypatch.setattr(module, "come", counted)
    config = tmp_path / "digestbot.toml"
    config.write_text(f"data = {str(tmp_path / 'data')!r}\n", encoding="utf-8")
    settings = RepositoryConfig(place=str(builder.path), name="ada/project")
    channels = [
        ChannelConfig(
            name=f"team{n}",
            platform="fake",
            time="12:00",
            least=Level.LOW if n % 2 else Level.HIGH,
            language=Language.ZH if n % 5 == 0 else Language.EN,
        )
        for n in range(20)
    ]
    served = {c.name: subscriptions_of(c, [settings])[0] for c in channels}
    async with opened(config, FixedClock(NOON)) as app:
        slots = Slots(app, served.get)
        slot = Slot(day=NOON.date(), at=NOON)
        posts = [
            Post(target=Target(name=name, sender=FakeSender()), spec=one.spec)
            for name, one in served.items()
        ]
        made = await asyncio.gather(*(slots.build(post, slot) for post in posts))
        kept = await app.digests.list(100)
    assert asked == {"en": 1, "zh": 1}
    assert len(kept) == 20
    texts = {
        post.name: markdown(ready[0].document)
        for post, ready in zip(posts, made, strict=True)
        if ready
    }
    assert all("part 3" in texts[name] for name, one in served.items() if one.least is Level.LOW)
