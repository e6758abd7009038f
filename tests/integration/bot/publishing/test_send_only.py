"""What goes where nobody can press a button back: addresses alone, whatever the digest is."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bot import platforms
from bot.app import open_workspace
from bot.config.channel_section import ChannelConfig
from bot.config.repository_section import RepositoryConfig
from bot.delivery.part_sender import Target
from bot.messaging.receiver import Receiver
from bot.publishing.slots import Slots
from bot.scheduler.schedule import Slot
from bot.store.digests import mark_of
from bot.subscriptions.channel_registry import subscriptions_of
from bot.util.machine import FixedClock
from digest.core.grade import Level
from digest.document import Actions
from tests.support.builders import RepositoryBuilder
from tests.support.channels import at_target
from tests.support.fakes_delivery import FakeSender

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)

URLS = {
    "webhook": "https://hook.example/x",
    "discord": "https://discord.com/api/webhooks/123456789012345678/" + "a" * 68,
    "feishu_webhook": "https://open.feishu.cn/open-apis/bot/v2/hook/"
    "11111111-2222-3333-4444-555555555555",
}


def page(ready):
    """The page of the digest itself, whichever hours it is of."""
    return f"https://bot.example/digests/{mark_of(ready.digest)}?lang=en"


class Hearing(FakeSender):
    """A platform whose people can answer."""

    async def listen(self):
        return
        yield


async def posted(tmp_path: Path, sender):
    """What a channel of a platform is posted."""
    builder = RepositoryBuilder(tmp_path / "project")
    flag = "import argparse\np = argparse.ArgumentParser()\np.add_argument('--fast')\n"
    builder.commit("Begin (#1)", {"src/cli.py": "x\n"}, at=NOON - timedelta(days=3))
    builder.commit("[CLI] Add --fast (#2)", {"src/cli.py": flag}, at=NOON - timedelta(hours=20))
    file = tmp_path / "digestbot.toml"
    file.write_text(
        f"data = {str(tmp_path / 'data')!r}\n[web]\npublic_url = 'https://bot.example'\n"
    )
    settings = RepositoryConfig(place=str(builder.path), name="ada/project")
    channel = ChannelConfig(name="team", platform=sender.name, time="12:00", least=Level.LOW)
    (served,) = subscriptions_of(channel, [settings])
    async with open_workspace(file, FixedClock(NOON)) as app:
        post = at_target(Target(name="team", sender=sender), served)
        (ready,) = await Slots(app).build(post, Slot(day=NOON.date(), at=NOON))
    return ready


def buttons(ready):
    documents = filter(None, (ready.document, ready.details))
    rows = (one for document in documents for one in document.blocks if isinstance(one, Actions))
    return [button for row in rows for button in row.buttons]


@pytest.mark.parametrize("kind", URLS)
async def test_send_only_platform_gets_no_button_that_somebody_would_have_to_hear(tmp_path, kind):
    module = platforms.load(kind)
    sender = module.create(module.Config(url=URLS[kind]))
    assert not isinstance(sender, Receiver)
    ready = await posted(tmp_path, sender)
    assert [(one.action, one.url) for one in buttons(ready)] == [("", page(ready))]
    told = json.dumps([[part.text, part.body] for part in sender.render(ready.document)])
    assert page(ready) in told
    assert '"callback' not in told
    assert "Add --fast" in told
    await sender.aclose()


async def test_platform_that_hears_gets_buttons_to_press(tmp_path):
    ready = await posted(tmp_path, Hearing())
    found = buttons(ready)
    assert {one.action for one in found} >= {"explain", "useful"}
    assert page(ready) in [one.url for one in found]
