"""However many channels want the same, git is asked and every change is told once."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bot.app import open_workspace
from bot.config.channel_section import ChannelConfig
from bot.config.repository_section import RepositoryConfig
from bot.delivery.part_sender import Target
from bot.publishing import digest_builder as module
from bot.publishing.slots import Slots
from bot.scheduler.schedule import Slot
from bot.subscriptions.channel_registry import subscriptions_of
from bot.util.machine import FixedClock
from digest.chat.chat_settings import Filters, Rule, RuleField
from digest.core.enums import Language
from digest.core.grade import Level
from digest.core.request import PullRequest, RequestState
from digest.markdown import markdown
from digest.window import Window
from handlers.digests.daily import digest_since
from handlers.digests.ingest import fill, tip_of
from tests.support.builders import RepositoryBuilder
from tests.support.channels import at_target
from tests.support.fakes_delivery import FakeSender

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


async def test_channels_that_want_the_same_share_one_report(tmp_path: Path, monkeypatch) -> None:
    builder = RepositoryBuilder(tmp_path / "project")
    for n in range(4):
        files = {f"src/part{n}.py": f"def part{n}():\n    return {n}\n"}
        builder.commit(
            f"[Feature] Add module m{n} (#{n + 1})", files, at=NOON - timedelta(hours=9 - n)
        )
    asked: Counter[str] = Counter()

    async def counted(ctx, *given):
        asked[str(ctx.language)] += 1
        return await digest_since(ctx, *given)

    # Only the module itself can tell how often it makes a report.
    monkeypatch.setattr(module, "digest_since", counted)
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
    async with open_workspace(config, FixedClock(NOON)) as app:
        slots = Slots(app)
        slot = Slot(day=NOON.date(), at=NOON)
        posts = [
            at_target(Target(name=name, sender=FakeSender()), one) for name, one in served.items()
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
    assert all("module m3" in texts[name] for name, one in served.items() if one.least is Level.LOW)


async def test_owners_of_files_decide_which_chat_hears_of_a_change(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "project")
    at = NOON - timedelta(hours=9)
    builder.commit("Add owners", {".github/CODEOWNERS": "/core/ @octo/core\n/web/ @ada\n"}, at=at)
    for n, folder in enumerate(("core", "web", "docs")):
        at = NOON - timedelta(hours=8 - n)
        builder.commit(f"Add module {folder}", {f"{folder}/part.py": "x = 1\n"}, at=at)
    file = tmp_path / "digestbot.toml"
    file.write_text(f"data = {str(tmp_path / 'data')!r}\n", encoding="utf-8")
    settings = RepositoryConfig(place=str(builder.path), name="ada/project")
    served = {
        name: subscriptions_of(
            ChannelConfig(
                name=name, platform="fake", time="12:00", least=Level.LOW, include=[f"owner {name}"]
            ),
            [settings],
        )[0]
        for name in ("core", "@ada", "nobody")
    }
    shown = {}
    async with open_workspace(file, FixedClock(NOON)) as app:
        slots = Slots(app)
        for name, one in served.items():
            post = at_target(Target(name=name, sender=FakeSender()), one)
            made = await slots.build(post, Slot(day=NOON.date(), at=NOON))
            text = "".join(markdown(ready.document) for ready in made).casefold()
            shown[name] = [part for part in ("core", "web", "docs") if f"module {part}" in text]
    assert shown == {"core": ["core"], "@ada": ["web"], "nobody": []}


async def test_a_digest_that_is_caught_up_is_dated_up_to_its_newest_commit(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "project")
    for n, hours in enumerate((30, 5, -900)):  # the last one has the date of a wrong clock
        at = NOON - timedelta(hours=hours)
        builder.commit(f"Add module m{n}", {f"part{n}.py": "x = 1\n"}, at=at)
    file = tmp_path / "digestbot.toml"
    file.write_text(f"data = {str(tmp_path / 'data')!r}\n", encoding="utf-8")
    settings = RepositoryConfig(place=str(builder.path), name="ada/project")
    channel = ChannelConfig(name="all", platform="fake", time="12:00", least=Level.LOW)
    post = at_target(
        Target(name="all", sender=FakeSender()), subscriptions_of(channel, [settings])[0]
    )
    missed = NOON - timedelta(days=1)
    async with open_workspace(file, FixedClock(NOON)) as app:
        (made,) = await Slots(app).build(post, Slot(day=missed.date(), at=missed))
    shown = markdown(made.document)
    assert all(f"module m{n}" in shown for n in range(3))
    first = NOON - timedelta(days=2)
    assert f"{first:%Y-%m-%d %H:%M} – {NOON:%Y-%m-%d %H:%M}" in shown


async def test_labels_of_the_forge_filter_and_mute_and_no_report_is_lost(tmp_path: Path) -> None:
    builder = RepositoryBuilder(tmp_path / "project")
    for n in range(4):
        at = NOON - timedelta(hours=9 - n)
        builder.commit(f"Add module m{n} (#{n + 1})", {f"src/part{n}.py": "x = 1\n"}, at=at)
    file = tmp_path / "digestbot.toml"
    file.write_text(f"data = {str(tmp_path / 'data')!r}\n", encoding="utf-8")
    settings = RepositoryConfig(place=str(builder.path), name="ada/project")
    (plain,) = subscriptions_of(
        ChannelConfig(name="all", platform="fake", time="12:00", least=Level.LOW), [settings]
    )
    rule = Rule(field=RuleField.LABEL, pattern="frontend")
    served = {
        "all": plain,
        "some": replace(plain, name="some", filters=Filters(include=(rule,))),
        "others": replace(plain, name="others", muted=("frontend",)),
        "again": replace(plain, name="again", muted=("frontend",), muted_until={"frontend": NOON}),
    }
    async with open_workspace(file, FixedClock(NOON)) as app:
        repository = settings.repository
        request = PullRequest(
            number=2,
            title="Add module m1",
            state=RequestState.MERGED,
            author="ada",
            created_at=NOON,
            updated_at=NOON,
            labels=("Frontend",),
        )
        # A topic can be muted once something bears it.
        watched = await app.watch_configured(settings)
        ctx = app.context(watched, zone=ZoneInfo("UTC"))
        await app.requests.keep(repository, [request], NOON)
        await fill(
            ctx,
            Window(since=NOON - timedelta(days=1), until=NOON, zone=ZoneInfo("UTC")),
            await tip_of(ctx),
        )
        slots = Slots(app)
        slot = Slot(day=NOON.date(), at=NOON)
        told: dict[str, str] = {}
        for name, one in served.items():
            post = at_target(Target(name=name, sender=FakeSender()), one)
            (ready,) = await slots.build(post, slot)
            told[name] = markdown(ready.document)
        reports = sorted((tmp_path / "data" / "reports" / "ada_project").iterdir())
    shown = {
        name: [n for n in range(4) if f"module m{n} (" in text.casefold()]
        for name, text in told.items()
    }
    every = [0, 1, 2, 3]
    assert shown == {"all": every, "some": [1], "others": [0, 2, 3], "again": every}
    assert len(reports) == 3
    assert len({report.read_text(encoding="utf-8") for report in reports}) == 3


@pytest.mark.parametrize("web", ["", '[web]\npublic_url = "https://digest.example"\n'])
async def test_path_of_the_report_is_shown_only_where_no_page_shows_it(
    tmp_path: Path, web: str
) -> None:
    builder = RepositoryBuilder(tmp_path / "project")
    builder.commit("Add module m (#1)", {"src/m.py": "x = 1\n"}, at=NOON - timedelta(hours=9))
    file = tmp_path / "digestbot.toml"
    file.write_text(f"data = {str(tmp_path / 'data')!r}\n[platforms.console]\n{web}")
    settings = RepositoryConfig(place=str(builder.path), name="ada/project")
    channel = ChannelConfig(name="all", platform="console", time="12:00", least=Level.LOW)
    (one,) = subscriptions_of(channel, [settings])
    async with open_workspace(file, FixedClock(NOON)) as app:
        post = at_target(Target(name="all", sender=FakeSender()), one)
        (ready,) = await Slots(app).build(post, Slot(day=NOON.date(), at=NOON))
    told = markdown(ready.document)
    assert (str(tmp_path) in told, "https://digest.example/digests/" in told) == (
        not web,
        bool(web),
    )
