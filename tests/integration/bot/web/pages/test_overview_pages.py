"""Digests have pages of their own: exactly what was posted, and all that they are about."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import feedparser
import httpx
import pytest
from jsonschema import Draft202012Validator
from markupsafe import Markup

from bot.delivery.part_sender import Target
from bot.publishing.slots import Slots
from bot.scheduler.schedule import Slot
from bot.util.machine import FixedClock
from bot.web.pages.page_table import schemas
from bot.web.pages.routes import routes
from bot.web.pages.templating import fragment
from bot.web.server import application
from digest.answer.buttons import without_buttons
from digest.core.enums import Frequency, Language
from digest.core.grade import Level
from digest.document import Listing, Paragraph, plain
from digest.markdown import markdown
from tests.servers.pages import MONDAY, TOKEN, fill_archive, shelved
from tests.support.builders import RepositoryBuilder
from tests.support.channels import at_target
from tests.support.fakes_delivery import FakeSender

OPEN = "/r/owner/open"

AT = MONDAY + timedelta(hours=30)


class Site:
    """The pages, and a channel that digests are made for."""

    def __init__(self, app, reader: httpx.AsyncClient) -> None:
        self.app, self.reader = app, reader

    async def post(self, kind: str = "daily", name: str = "owner/open"):
        """What a channel is posted at three on Tuesday: windows that no calendar day holds."""
        from bot.config.channel_section import ChannelConfig
        from bot.subscriptions.channel_registry import subscriptions_of

        settings = next(one for one in self.app.config.repositories if one.name == name)
        given = {"kind": "weekly", "weekdays": ["tue"]} if kind == "weekly" else {}
        channel = ChannelConfig(
            name="team", platform="fake", time="15:00", least=Level.MEDIUM, **given
        )
        (served,) = subscriptions_of(channel, [settings])
        app = replace(self.app, clock=FixedClock(AT))
        post = at_target(Target(name="team", sender=FakeSender()), served)
        (ready,) = await Slots(app).build(post, Slot(day=AT.date(), at=AT))
        (heading,) = [one for one in await app.digests.list(9) if one.name == ready.digest]
        return ready, heading


@pytest.fixture
async def site(configuration) -> AsyncIterator[Site]:
    async with shelved(configuration) as (app, site):
        transport = httpx.ASGITransport(app=application({"/": routes(site)}))
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            yield Site(app, reader)


def texts(document) -> list[str]:
    """What a document says, piece by piece."""
    found: list[str] = [document.title]
    for block in document.blocks:
        if isinstance(block, Paragraph):
            found.append(plain(block.spans))
        elif isinstance(block, Listing):
            found += [plain(item.spans) for item in block.items]
    return found


async def test_page_of_a_digest_shows_what_was_posted_and_every_change_of_it(site):
    ready, heading = await site.post()
    page = await site.reader.get(f"/digests/{heading.mark}")
    assert page.status_code == 200
    told = (await site.reader.get(f"/digests/{heading.mark}.json")).json()
    schema = {"$ref": "#/components/schemas/Digest", "components": {"schemas": schemas()}}
    Draft202012Validator(schema).validate(told)
    kept = await site.app.digests.marked(heading.mark)
    assert [one["sha"] for one in told["changes"]] == [one.sha for one in kept.outcomes]
    assert len(told["changes"]) == heading.counts["total"] > 0
    assert page.text.count('id="c-') == heading.counts["total"]
    posted = without_buttons(ready.document)
    assert told["posted"] == markdown(posted)
    shown = fragment("blocks.html", "blocks", Language.EN, posted.blocks)
    assert str(shown) in page.text


async def test_digest_that_no_calendar_day_holds_is_told_whole(site):
    _, heading = await site.post()
    first = heading.window.since.date()
    assert heading.window.until - heading.window.since == timedelta(days=1)
    assert heading.window.since.hour == 15
    on_day = (await site.reader.get(f"{OPEN}/-/days/{first}.json")).json()["counts"]["total"]
    page = await site.reader.get(f"/digests/{heading.mark}")
    # The day that its window begins in is another page, with other changes.
    assert page.text.count('id="c-') != on_day


async def test_weekly_digest_has_a_page_that_leads_to_its_week(site):
    _, heading = await site.post("weekly")
    assert heading.kind is Frequency.WEEKLY
    page = (await site.reader.get(f"/digests/{heading.mark}")).text
    assert f"{OPEN}/-/weeks/" in page


async def test_digest_of_a_private_repository_is_not_there_for_strangers(site):
    _, heading = await site.post(name="owner/closed")
    path = f"/digests/{heading.mark}"
    assert (await site.reader.get(path)).status_code == 404
    assert (await site.reader.get("/r/owner/closed/-/digests.atom")).status_code == 404
    await site.reader.post("/admin/sign-in", data={"token": TOKEN})
    assert (await site.reader.get(path)).status_code == 200


@pytest.mark.parametrize("mark", ["0" * 16, "nothing", "daily:owner/open"])
async def test_digest_that_never_was_is_not_there(site, mark):
    assert (await site.reader.get(f"/digests/{mark}")).status_code == 404


async def test_feed_of_digests_holds_what_was_posted(site):
    ready, heading = await site.post()
    feed = feedparser.parse((await site.reader.get(f"{OPEN}/-/digests.atom")).content)
    assert not feed.bozo
    (entry,) = feed.entries
    assert entry.link == f"http://pages/digests/{heading.mark}"
    assert entry.title == ready.document.title
    shown = Markup(entry.content[0].value).striptags()
    for said in texts(without_buttons(ready.document))[1:]:
        assert " ".join(said.replace("`", "").split()) in shown
    told = (await site.reader.get(f"{OPEN}/-/digests.json")).json()
    schema = {"$ref": "#/components/schemas/Feed", "components": {"schemas": schemas()}}
    Draft202012Validator(schema).validate(told)


async def test_feed_of_all_repositories_holds_those_that_the_reader_may_see(site):
    feed = feedparser.parse((await site.reader.get("/feed.atom?level=medium")).content)
    assert not feed.bozo
    assert feed.entries
    assert {one.title.partition(":")[0] for one in feed.entries} == {"owner/open"}
    assert {one.tags[0].term for one in feed.entries} <= {"high", "medium"}
    await site.reader.post("/admin/sign-in", data={"token": TOKEN})
    told = (await site.reader.get("/feed.json?level=high")).json()
    titles = {one["title"].partition(":")[0] for one in told["items"]}
    assert titles == {"owner/open", "owner/closed"}


async def test_feeds_of_changes_carry_the_consequence(site):
    told = (await site.reader.get(f"{OPEN}/-/feed.json?level=high")).json()
    (wait,) = [one for one in told["items"] if "Remove the wait" in one["title"]]
    assert "<code>--pool-size</code>" in wait["content_html"]
    assert "Remove the wait" not in wait["content_html"]


async def test_lead_of_an_earlier_day_does_not_say_what_its_rows_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    flag = "parser.add_argument('--{}', default=1)\n"
    places = {}
    for name, day in (("busy", 1), ("calm", 0)):
        made = RepositoryBuilder(tmp_path / name)
        made.commit("Begin", {"a.py": flag.format(name)}, at=MONDAY - timedelta(days=1))
        at = MONDAY + timedelta(days=day)
        made.commit("Go on without the option (#2)", {"a.py": "a = 1\n"}, at=at)
        places[name] = made.path
    repositories = "\n".join(
        f'[[repositories]]\nplace = "{place}"\nname = "owner/{name}"\nvisibility = "public"'
        for name, place in places.items()
    )
    file = tmp_path / "digestbot.toml"
    file.write_text(f'[defaults]\nzone = "UTC"\n[web]\n{repositories}\n', encoding="utf-8")
    monkeypatch.setenv("DIGESTBOT_DATA", str(tmp_path / "data"))
    await fill_archive(file)
    async with shelved(file) as (_, site):
        transport = httpx.ASGITransport(app=application({"/": routes(site)}))
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            page = (await reader.get("/")).text
    leads = page.split('class="lines leads"')[1].split("</ul>")[0]
    assert page.count("Replace or drop") == 2
    assert leads.count("1 commit") == 2
    assert "--" not in leads
