"""Alerts end to end: a real repository, the archive, the ledger, a console that posts."""

from __future__ import annotations

import io
from dataclasses import replace
from functools import partial

import pytest
from structlog.testing import capture_logs

from bot.access.gate import AccessGate, Policy
from bot.app import open_workspace
from bot.delivery.delivery import Delivery, Visibility
from bot.platforms.console import Console
from bot.publishing.alerts import ImmediateAlerts, takes_up
from bot.util.locks import FileLeases
from digest.core.enums import Alerts, Language
from digest.core.profile import Profile, parse_entry
from handlers.ports.chat_port import StoredProfile
from handlers.ports.storage import DeliveryKey
from tests.support.builders import RepositoryBuilder

FLAG = 'import argparse\n\np = argparse.ArgumentParser()\np.add_argument("--workers", default=4)\n'


class Told:
    """Withholds what it is told to, and speaks English."""

    def __init__(self) -> None:
        self.withheld = self.resting = False
        self.rule = None

    async def withholds(self, target, repository):
        return await self.rule(target, repository) if self.rule else self.withheld

    async def language(self, account, chat):
        return Language.EN

    async def rests(self, account, chat):
        return self.resting


async def keep(app, repository, kept: StoredProfile) -> None:
    await app.profiles.change(kept.owner, repository, lambda _: kept)


@pytest.fixture
async def made(tmp_path, monkeypatch):
    """A repository with a flag, a profile that names it, and what looks for alerts."""
    monkeypatch.setenv("DIGESTBOT_DATA", str(tmp_path / "data"))
    builder = RepositoryBuilder(tmp_path / "engine")
    first = builder.commit("Add workers", {"src/main.py": FLAG})
    file = tmp_path / "digestbot.toml"
    file.write_text(f'[[repositories]]\nplace = "{builder.path}"\nname = "o/engine"\n')
    async with open_workspace(file) as app:
        out, told = io.StringIO(), Told()
        leases = FileLeases(tmp_path / "leases")
        alerting = ImmediateAlerts(
            app,
            senders={"console": Console(out, width=100)},
            delivery=Delivery(app.ledger, leases),
            leases=leases,
            withholds=told.withholds,
            language_of=told.language,
            rests=told.rests,
        )
        assert app.config is not None
        repository = app.config.repositories[0].repository
        profile = Profile().with_([parse_entry("--workers")])
        kept = StoredProfile(
            owner="console:team", profile=profile, alerts=Alerts.BREAKING, tip=first
        )
        await keep(app, repository, kept)
        yield builder, alerting, out, told, app, repository


async def test_what_may_break_is_told_once(made):
    builder, alerting, out, _, app, repository = made
    await alerting.look()
    assert out.getvalue() == ""
    builder.commit("Tidy up", {"src/other.py": "x = 1\n"})
    tip = builder.commit("Remove workers", {"src/main.py": "p = None\n"})
    for _ in range(3):
        await alerting.look()
    assert out.getvalue().count("Remove workers") == 1
    assert "Tidy up" not in out.getvalue()
    assert (await app.profiles.load("console:team", repository)).tip == tip


async def test_alert_waits_for_the_end_of_a_rest_and_then_tells_everything(made):
    builder, alerting, out, told, *_ = made
    told.resting = True
    builder.commit("Remove workers", {"src/main.py": "p = None\n"})
    await alerting.look()
    builder.commit("Tidy up", {"src/other.py": "x = 1\n"})
    await alerting.look()
    assert out.getvalue() == ""
    told.resting = False
    await alerting.look()
    await alerting.look()
    assert out.getvalue().count("Remove workers") == 1


async def test_what_only_touches_is_no_alert_and_is_looked_at_once(made):
    builder, alerting, out, _, app, repository = made
    tip = builder.commit("Add a flag", {"src/main.py": FLAG + 'p.add_argument("--port")\n'})
    await alerting.look()
    assert out.getvalue() == ""
    assert (await app.profiles.load("console:team", repository)).tip == tip


async def test_every_change_of_a_path_is_told_if_the_chat_wants_it(made):
    builder, alerting, out, _, app, repository = made
    kept = await app.profiles.load("console:team", repository)
    profile = Profile().with_([parse_entry("src/")])
    await keep(app, repository, replace(kept, profile=profile, alerts=Alerts.ALL))
    builder.commit("Tidy up", {"src/other.py": "x = 1\n"})
    builder.commit("Say more", {"docs/a.md": "More.\n"})
    for _ in range(2):
        await alerting.look()
    assert out.getvalue().count("Tidy up") == 1
    assert "1 merged change affects what you use of o/engine" in out.getvalue()
    assert "Say more" not in out.getvalue()


async def test_what_a_chat_may_not_be_told_is_not_posted(made):
    builder, alerting, out, told, *_ = made
    told.withheld = True
    builder.commit("Remove workers", {"src/main.py": "p = None\n"})
    await alerting.look()
    assert out.getvalue() == ""


@pytest.mark.parametrize(("person", "posts"), [("console:ada", 1), ("console:bob", 0), ("", 1)])
async def test_alerts_end_with_what_the_person_who_wanted_them_may_see(made, person, posts):
    builder, alerting, out, told, app, repository = made
    policy = Policy(
        people=frozenset({"console:ada"}), repositories={"o/engine": False}, anyone=True
    )
    told.rule = Visibility(AccessGate(policy)).withholds
    kept = await app.profiles.load("console:team", repository)
    await keep(app, repository, replace(kept, person=person))
    builder.commit("Remove workers", {"src/main.py": "p = None\n"})
    await alerting.look()
    assert out.getvalue().count("Remove workers") == posts


async def test_an_owner_whose_account_is_gone_is_passed_over(made):
    builder, alerting, out, _, app, repository = made
    kept = await app.profiles.load("console:team", repository)
    await keep(app, repository, replace(kept, owner="gone:team"))
    builder.commit("Remove workers", {"src/main.py": "p = None\n"})
    with capture_logs() as logs:
        await alerting.look()
    assert out.getvalue().count("Remove workers") == 1
    assert not [one for one in logs if one["log_level"] in {"warning", "error"}]


class _Died(BaseException):
    """The process ends here."""


async def test_a_process_that_dies_after_freezing_tells_nothing_twice(made, monkeypatch):
    builder, alerting, out, _, app, _ = made
    builder.commit("Remove workers", {"src/main.py": "p = None\n"})

    async def die(*_):
        raise _Died

    with monkeypatch.context() as dying:
        # A kill between two awaits cannot be had otherwise within one process.
        dying.setattr(type(app.profiles), "reached", die)
        with pytest.raises(_Died):
            await alerting.look()
    builder.commit("Tidy up", {"src/other.py": "x = 1\n"})
    for _ in range(2):
        await alerting.look()
    assert out.getvalue().count("Remove workers") == 1


async def test_a_process_that_comes_late_repeats_nothing(made, monkeypatch):
    builder, alerting, out, _, app, repository = made
    builder.commit("Remove workers", {"src/main.py": "p = None\n"})
    stale = await app.profiles.alerted(repository)
    await alerting.look()
    builder.commit("Tidy up", {"src/other.py": "x = 1\n"})

    async def before(*_):
        return stale

    # What another process had read before this one told and let go.
    monkeypatch.setattr(type(app.profiles), "alerted", before)
    await alerting.look()
    assert out.getvalue().count("Remove workers") == 1


async def test_what_is_changed_of_a_profile_while_an_alert_is_made_stays(made):
    builder, alerting, _, told, app, repository = made
    tip = builder.commit("Remove workers", {"src/main.py": "p = None\n"})

    async def withholds(target, name):
        kept = await app.profiles.load("console:team", repository)
        more = kept.profile.with_([parse_entry("--port")])
        await keep(app, repository, replace(kept, profile=more))
        return False

    told.rule = withholds
    await alerting.look()
    kept = await app.profiles.load("console:team", repository)
    assert [entry.name for entry in kept.profile.entries] == ["--port", "--workers"]
    assert kept.tip == tip


async def test_alerts_that_are_turned_off_meanwhile_stay_off(made):
    builder, alerting, _, told, app, repository = made
    builder.commit("Remove workers", {"src/main.py": "p = None\n"})

    async def withholds(target, name):
        kept = await app.profiles.load("console:team", repository)
        await keep(app, repository, replace(kept, alerts=Alerts.OFF, tip=""))
        return True

    told.rule = withholds
    await alerting.look()
    kept = await app.profiles.load("console:team", repository)
    assert (kept.alerts, kept.tip) == (False, "")


async def test_a_rewritten_history_whose_old_tip_is_gone_is_looked_at_anew(made):
    builder, alerting, out, _, app, repository = made
    kept = await app.profiles.load("console:team", repository)
    await keep(app, repository, replace(kept, tip="f" * 40))
    await alerting.look()
    builder.commit("Remove workers", {"src/main.py": "p = None\n"})
    await alerting.look()
    assert out.getvalue().count("Remove workers") == 1


async def test_an_alert_that_is_left_is_orphaned_only_without_its_account(made):
    *_, app, _ = made
    for owner in ("console:team", "gone:team"):
        key = DeliveryKey(platform="console", channel=f"alerts {owner}", digest="alert:x")
        await app.ledger.claim(key, "{}", 1)
    delivery = Delivery(
        app.ledger, FileLeases(app.data / "leases"), elsewhere=partial(takes_up, {"console"})
    )
    with capture_logs() as told:
        assert await delivery.left() == {}
    assert [one["channel"] for one in told if one["event"] == "delivery.orphaned"] == [
        "alerts gone:team"
    ]
