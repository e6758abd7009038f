"""``check`` looks at everything and posts nothing."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from bot.config.reader import read
from bot.git import git_process
from bot.messaging.sender import SendError, SendReason
from bot.ops import check as module
from bot.ops.check import Weight, check, has_failures
from bot.platforms.telegram.sender import Telegram
from bot.store.deliveries import ChatRefusal, SqlRefusals
from bot.store.migrations import HEAD
from bot.store.sqlite import FILE, open_database
from digest.errors import NotARepository, UserError
from handlers.ports.storage import Tip
from tests.support.fakes_delivery import FakeClock

TEXT = """
data = "data"
[[repositories]]
place = "one"
[[repositories]]
place = "two"
[platforms.file]
kind = "console"
output = "posts.txt"
[[channels]]
name = "team"
platform = "file"
zone = "Europe/Berlin"
time = "09:00"
"""

FIVE_DAYS = (
    "Sat 2026-01-24 09:00 +0100, Sun 01-25 09:00, Mon 01-26 09:00, Tue 01-27 09:00, Wed 01-28 09:00"
)


@pytest.fixture
def config(tmp_path, monkeypatch):
    monkeypatch.delenv("DIGESTBOT_DATA")
    (tmp_path / "digestbot.toml").write_text(TEXT)
    return lambda extra="": read(written(tmp_path / "digestbot.toml", extra))


def written(file, extra):
    file.write_text(TEXT + extra)
    return file


@pytest.fixture(autouse=True)
def tips(monkeypatch):
    """The tips of repositories by place, which are on no disk here; errors are raised."""
    tips = {name: Tip(branch="main", sha="0123456789abcdef") for name in ("one", "two")}

    async def tip_of(place, data, branch):
        found = tips.get(Path(place).name, tips["one"])
        if isinstance(found, Exception):
            raise found
        return await found if asyncio.iscoroutine(found) else found

    # Repositories are read by tests of their own; here each kind of answer is wanted at once.
    monkeypatch.setattr(module, "tip_of", tip_of)
    return tips


def looked(config, **named):
    return check(config, FakeClock(), **named)


def told(findings):
    return [(str(one.weight), one.subject, one.text) for one in findings]


async def test_everything_that_is_named_is_looked_at(config, tmp_path):
    findings = await looked(config())
    assert told(findings)[0][:2] == ("ok", "git")
    assert told(findings)[1:] == [
        ("ok", "data folder", f"{tmp_path / 'data'}, will be created"),
        ("ok", "archive", "none yet"),
        ("ok", "repository one", "main at 0123456789ab"),
        ("ok", "repository two", "main at 0123456789ab"),
        ("ok", "platform file, channel team", "80 columns"),
        ("ok", "channel team", f"next digests {FIVE_DAYS} (Europe/Berlin)"),
    ]
    assert not has_failures(findings)


async def test_five_times_of_each_schedule_are_listed_without_held_ones(config):
    rest = 'weekdays = ["mon-fri"]\nholidays = ["2026-01-27", "2026-02-13"]\n'
    daily, weekly = (
        "[[channels.schedules]]\n",
        '[[channels.schedules]]\nkind = "weekly"\nweekdays = ["fri"]\n',
    )
    findings = told(await looked(config(rest + daily + weekly)))
    assert [text for _, subject, text in findings if subject == "channel team"] == [
        (
            "next digests Mon 2026-01-26 09:00 +0100, Wed 01-28 09:00, Thu 01-29 09:00, "
            "Fri 01-30 09:00, Mon 02-02 09:00 (Europe/Berlin)"
        ),
        (
            "next weekly digests Fri 2026-01-30 09:00 +0100, Fri 02-06 09:00, Fri 02-20 09:00, "
            "Fri 02-27 09:00, Fri 03-06 09:00 (Europe/Berlin)"
        ),
    ]


async def test_redis_that_is_away_is_a_warning(config, monkeypatch):
    async def away(url):
        assert url == "redis://cache.example:6379/0"
        raise UserError("does not answer")

    async def there(url):
        return "Redis 7"

    shared = config(extra='[shared]\nredis_url = "redis://cache.example:6379/0"\n')
    # No server of the tests is away at one moment and there at the next.
    monkeypatch.setattr(module, "_redis", away)
    findings = await looked(shared)
    assert ("warning", "redis", "does not answer") in told(findings)
    assert not has_failures(findings)
    monkeypatch.setattr(module, "_redis", there)
    assert ("ok", "redis", "Redis 7") in told(await looked(shared))


async def test_redis_without_an_answer_is_told_with_a_remedy(config):
    shared = config(extra='[shared]\nredis_url = "redis://127.0.0.1:1/0"\n')
    (found,) = [one for one in await looked(shared) if one.subject == "redis"]
    assert found.weight is Weight.WARNING
    assert "each process counts alone; start it" in found.text


async def test_a_model_is_looked_at_where_one_is_configured(config, monkeypatch):
    assert not [one for one in await looked(config()) if "model" in one.subject]

    async def model(settings, clock, data, *, spend):
        if not spend:
            raise UserError(f"{settings.base_url}: unavailable")
        return "has the model"

    # Its server is asked by tests of its own.
    monkeypatch.setattr(module, "look_at_model", model)
    findings = await looked(config('[model]\nname = "m"\n'), spend=True)
    assert ("ok", "model m", "has the model") in told(findings)
    assert has_failures(await looked(config('[model]\nname = "m"\n')))


async def test_an_archive_is_told_by_its_revision_and_its_parked_chats(config, tmp_path):
    at = FakeClock().now()
    async with await open_database(tmp_path / "data") as database:
        refusal = ChatRefusal(
            account="file", chat="C1", reason="no_channel", detail="gone", strikes=3, since=at,
            parked_at=at,
        )  # fmt: skip
        await SqlRefusals(database).keep(refusal)
    findings = told(await looked(config()))
    assert ("ok", "archive", f"revision {HEAD}") in findings
    assert ("warning", "parked chat", "file:C1: no_channel gone") in findings


async def test_nothing_is_sent_and_nothing_made(config, tmp_path):
    await looked(config())
    assert (tmp_path / "posts.txt").read_text() == ""
    assert not (tmp_path / "data").exists()


async def test_what_fails_is_told_and_the_rest_is_looked_at(config, tips):
    tips.update(one=NotARepository("one"), two=Tip(branch="main", sha=None))
    findings = await looked(config())
    assert [one.subject for one in findings if one.weight is Weight.ERROR] == ["repository one"]
    assert ("ok", "repository two", "main, without commits") in told(findings)
    assert has_failures(findings)


async def test_platform_that_cannot_open_is_an_error(config, tmp_path):
    (tmp_path / "posts.txt").mkdir()
    findings = await looked(config())
    (wrong,) = [one for one in findings if one.weight is Weight.ERROR]
    assert wrong.subject == "platform file"
    assert "directory" in wrong.text


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        (SendReason.NO_CHANNEL, "no_channel: unknown (chat -100999)"),
        (
            SendReason.UNAVAILABLE,
            (
                "unavailable: unknown; cannot reach https://api.telegram.org: check the address, "
                "the network and any proxy"
            ),
        ),
        (SendReason.UNAUTHORIZED, "unauthorized: unknown"),
    ],
)
async def test_chat_or_server_that_fails_is_named_once(config, monkeypatch, reason, text):
    async def probe(self, chat):
        raise SendError(reason, "unknown")

    monkeypatch.setattr(Telegram, "probe", probe)
    account = '[platforms.telegram]\ntoken = "123456:ABCDEFGHIJKLMNOPQRSTUVWXYZ"\n'
    channels = [
        f'[[channels]]\nname = "{name}"\nplatform = "telegram"\nchat = "-100999"\n'
        for name in ("a", "b")
    ]
    findings = await looked(config(account + "".join(channels)))
    assert ("error", "platform telegram, channel a, b", text) in told(findings)


async def test_platform_without_a_channel_is_a_warning(config):
    findings = await looked(config('[platforms.spare]\nkind = "console"\n'))
    assert ("warning", "platform spare", "no channel uses it") in told(findings)
    assert not has_failures(findings)


async def test_a_configuration_without_a_channel_posts_only_where_chats_subscribe(config, tmp_path):
    none = tmp_path / "none.toml"
    none.write_text(TEXT.partition("[[channels]]")[0], encoding="utf-8")
    findings = told(await looked(read(none)))
    assert ("warning", "channels", "none: run posts only where chats subscribe") in findings


@pytest.mark.parametrize(
    ("access", "weight", "text"),
    [
        ("", "warning", "no question would be answered"),
        ("[access]\nanyone = true\n", "ok", "may ask and subscribe"),
        ('[access]\nadmins = ["telegram:1"]\n', "ok", "may ask and subscribe"),
    ],
)
async def test_account_that_listens_needs_no_channel_but_somebody_to_answer(
    config, access, weight, text
):
    account = '[platforms.telegram]\ntoken = "123456:ABCDEFGHIJKLMNOPQRSTUVWXYZ"\n'
    findings = await looked(config(account + access))
    (found,) = [one for one in findings if one.subject == "platform telegram"]
    assert (found.weight, text in found.text) == (weight, True)


async def test_data_folder_that_cannot_be_written_is_an_error(config, tmp_path):
    (tmp_path / "data").touch()
    findings = await looked(config())
    (wrong,) = [one for one in findings if one.weight is Weight.ERROR]
    assert wrong.subject == "data folder"
    assert "DIGESTBOT_DATA" in wrong.text


async def test_old_git_is_an_error(config, monkeypatch):
    # Only an older git could show this for real.
    monkeypatch.setattr(git_process, "OLDEST", (999, 0))
    findings = await looked(config())
    assert findings[0].weight is Weight.ERROR
    assert "install git 999.0 or newer" in findings[0].text


async def test_repository_that_hangs_is_an_error(config, monkeypatch, tips):
    tips["one"] = asyncio.sleep(60)
    monkeypatch.setattr(module, "_PATIENCE", 0.05)
    assert ("error", "repository one", "no answer within 0.05 seconds") in told(
        await looked(config())
    )


async def test_warnings_of_the_file_come_first(config, tmp_path):
    findings = await looked(replace(config(), warnings=("open to others",)))
    assert told(findings)[0] == ("warning", "secrets", "open to others")


async def test_the_example_passes(tmp_path):
    """As it stands, in a folder of its own, since it names files beside itself."""
    example = Path(__file__).parents[4] / "deploy" / "bot.example.toml"
    file = tmp_path / "digestbot.toml"
    file.write_text(example.read_text(encoding="utf-8"), encoding="utf-8")
    findings = await looked(read(file))
    assert {one.weight for one in findings} == {Weight.OK}
    assert len([one for one in findings if one.subject.startswith("channel ")]) == 3


async def test_a_platform_that_is_to_call_needs_a_web_server(config):
    called = """
[platforms.telegram]
token = "123456:abcdef"
webhook = "https://bot.example/events/telegram"
api = "http://127.0.0.1:9"
[[channels]]
name = "called"
platform = "telegram"
chat = "@news"
"""
    subject = "platform telegram"
    found = {one.subject: one for one in await looked(config(called))}
    assert found[subject].weight is Weight.ERROR
    assert "no section [web]" in found[subject].text
    found = {one.subject: one for one in await looked(config("[web]\n" + called))}
    assert subject not in found


async def test_an_archive_that_cannot_be_read_hides_nothing_else(config, tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / FILE).write_bytes(b"no database" * 1000)
    findings = await looked(config())
    assert [one.subject for one in findings if one.weight is Weight.ERROR] == ["archive"]
    assert {"git", "repository one", "channel team"} <= {one.subject for one in findings}
