"""What members of a chat may not do there, and what a chat is not told of by its own commands."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from digest.chat.chat_intents import Unsubscribe
from digest.chat.chat_settings import ChatSettings, Subscribed
from digest.core.enums import Alerts
from digest.core.profile import Profile, parse_entry
from digest.core.request import RequestState
from digest.errors import UserError
from digest.impact.impact_report import alert_document
from digest.markdown import markdown
from digest.question.intent import Alert, EditProfile, ProfileFrom
from handlers.chat.subscribe import manage
from handlers.ports.chat_port import ChatKey, ConversationKey, Room, StoredProfile
from handlers.ports.forge_port import KeptRequest
from handlers.ports.storage import Tip
from handlers.questions.impact import alert, edit_profile, profile_from, unannounced
from handlers.questions.scope import viewpoint
from handlers.router import ask
from tests.support.fakes import FakeSource, change, context
from tests.unit.handlers.questions.test_pull_request import REQUEST, Requests

ENTRY = parse_entry("--workers")
HERE = ConversationKey(platform="slack", chat="C1", person="U1")


@dataclass
class Profiles:
    kept: dict[str, StoredProfile] = field(default_factory=dict)

    async def load(self, owner, repository):
        return self.kept.get(owner, StoredProfile(owner=owner, profile=Profile(entries=(ENTRY,))))

    async def change(self, owner, repository, change):
        fresh = self.kept[owner] = change(await self.load(owner, repository))
        return fresh


def asked(profiles, *, admin: bool):
    room = Room(
        chat=ChatKey(platform="slack", chat="C1"),
        chats=Chats(),
        repositories=("acme/engine",),
        admin=admin,
    )
    plain = context(FakeSource([]))
    return replace(plain, room=room, profiles=profiles, conversation=HERE)


@dataclass
class Chats:
    asked: list[Subscribed] = field(default_factory=list)

    async def settings(self, chat):
        return ChatSettings()

    async def subscribed(self, chat):
        return self.asked

    async def unsubscribe(self, chat, repository="", kind=None):
        before = len(self.asked)
        self.asked = [one for one in self.asked if repository not in {"", one.repository}]
        return before - len(self.asked)


@pytest.mark.parametrize(
    ("handler", "intent"),
    [
        (alert, Alert(alerts=Alerts.BREAKING)),
        (alert, Alert(alerts=Alerts.OFF)),
        (edit_profile, EditProfile(clear=True)),
        (edit_profile, EditProfile(add=(ENTRY,))),
        (profile_from, ProfileFrom(place="acme/other")),
    ],
)
async def test_member_changes_nothing_that_all_in_a_chat_share(handler, intent):
    profiles = Profiles()
    with pytest.raises(UserError, match="admin"):
        await handler(intent, asked(profiles, admin=False))
    assert profiles.kept == {}


async def test_question_from_no_conversation_changes_no_profile():
    here = replace(asked(Profiles(), admin=True), conversation=None)
    with pytest.raises(UserError, match="cannot be stored here"):
        await edit_profile(EditProfile(add=(ENTRY,)), here)


async def test_member_changes_a_profile_of_their_own():
    profiles = Profiles()
    await edit_profile(EditProfile(clear=True, mine=True), asked(profiles, admin=False))
    assert list(profiles.kept) == ["slack@U1"]


async def test_admin_turns_alerts_on():
    profiles = Profiles()
    await alert(Alert(alerts=Alerts.BREAKING), asked(profiles, admin=True))
    assert profiles.kept["slack:C1"].alerts


async def test_what_is_put_in_while_another_repository_is_read_stays():
    other, third = parse_entry("--rate"), parse_entry("--host")
    profiles = Profiles()
    ctx = asked(profiles, admin=True)

    async def used(place, packages, upstream, tip):
        await edit_profile(EditProfile(add=(other,)), ctx)
        return frozenset({third})

    await profile_from(ProfileFrom(place="acme/other"), replace(ctx, usage=used))
    assert set(profiles.kept["slack:C1"].profile.entries) == {ENTRY, other, third}


async def test_the_names_that_packages_declare_are_looked_for_too():
    ctx, tip = asked(Profiles(), admin=True), Tip(branch="main", sha="a" * 40)

    async def at_tip(branch=None):
        return tip

    async def used(place, packages, upstream, tip):
        assert packages >= {"engine", "fast-router", "fast_router"}
        return frozenset({ENTRY})

    declared = {(tip.sha, "pyproject.toml"): '[project]\nname = "fast-router"\n'}
    source = FakeSource([], trees=declared)
    source.tip = at_tip
    ctx = replace(ctx, watched=replace(ctx.watched, source=source))
    answer = await profile_from(ProfileFrom(place="acme/other"), replace(ctx, usage=used))
    assert answer.total == 1


async def test_alerts_of_an_empty_profile_are_refused():
    profiles = Profiles({"slack:C1": StoredProfile(owner="slack:C1")})
    with pytest.raises(UserError, match="empty"):
        await alert(Alert(alerts=Alerts.BREAKING), asked(profiles, admin=True))
    assert not profiles.kept["slack:C1"].alerts


async def test_what_a_chat_may_no_longer_see_is_dropped_by_name_and_named_by_nobody():
    chats = Chats([Subscribed(repository="acme/secret")])
    ctx = asked(Profiles(), admin=True)
    assert ctx.room is not None
    ctx = replace(ctx, room=replace(ctx.room, chats=chats))
    with pytest.raises(UserError) as refused:
        await manage(Unsubscribe(repository="acme/wrong"), ctx)
    assert "engine" in str(refused.value)
    assert "secret" not in str(refused.value)
    await manage(Unsubscribe(repository="acme/secret"), ctx)
    assert chats.asked == []


class Configured(Profiles):
    """A profile with a file, or without any entry."""

    def __init__(self, *entries: str) -> None:
        super().__init__()
        self._profile = Profile(entries=tuple(map(parse_entry, entries)))

    async def load(self, owner, repository):
        return StoredProfile(owner=owner, profile=self._profile)


@pytest.mark.parametrize(
    ("entries", "path", "total", "said"),
    [
        (["src/workers.py"], "src/workers.py", 1, "- `src/workers.py` is changed"),
        (["src/workers.py"], "src/other.py", 0, "No change in this period affects your profile"),
        ([], "src/workers.py", 0, "profile"),
    ],
)
async def test_what_affects_the_asker_is_told_with_its_reason_or_that_nothing_does(
    entries, path, total, said
):
    made = change("aaaaaaa1", "Rework the pool (#2)", {path: 9})
    ctx = replace(context(FakeSource([made])), profiles=Configured(*entries), conversation=HERE)
    answer = await ask("what affects us?", ctx)
    assert (answer.intent, answer.total, len(answer.rows)) == ("affected", total, total)
    assert [row.why for row in answer.rows] == [f"path:{path}"] * total
    shown = markdown(answer.document)
    assert said in shown
    assert ("1 change was checked" in shown) is (bool(entries) and not total)


@pytest.mark.parametrize(("entry", "total"), [("topic:quantization", 1), ("topic:router", 0)])
async def test_topic_that_only_a_label_of_the_request_names_affects_the_asker(entry, total):
    request = replace(REQUEST, number=2, state=RequestState.MERGED, labels=("quantization",))
    made = change("aaaaaaa1", "Rework the pool (#2)", {"src/workers.py": 9})
    ctx = replace(context(FakeSource([made])), profiles=Configured(entry), conversation=HERE)
    ctx = replace(
        ctx, requests=Requests({2: KeptRequest(request=request, seen_at=ctx.clock.now())})
    )
    answer = await ask("what affects us?", ctx)
    assert answer.total == total
    assert ("label" in markdown(answer.document)) is bool(total)


async def test_changes_of_a_watched_author_are_alerted_and_others_only_if_they_may_break():
    old, *new = [
        change("aaaaaaa1", "Begin (#1)"),
        change("bbbbbbb2", "Tidy (#2)", {"docs/a.md": 1}, author="Ada Lovelace"),
        change("ccccccc3", "Tidy more (#3)", {"src/workers.py": 1}, author="Bob"),
    ]
    source = FakeSource([*reversed(new), old])
    ctx = replace(context(source), conversation=HERE)
    tip = Tip(branch="main", sha=new[-1].sha)
    entries = [parse_entry('author:"ada love"'), parse_entry("src/workers.py")]
    kept = StoredProfile(
        owner="slack:C1",
        profile=Profile().with_(entries),
        alerts=Alerts.BREAKING,
        tip=old.sha,
    )
    [one] = await unannounced(ctx, kept, tip)
    assert one.graded.number == 2
    said = markdown(alert_document([one], viewpoint(ctx, tip)))
    assert "by ada love" in said
    both = await unannounced(ctx, replace(kept, alerts=Alerts.ALL), tip)
    assert {one.graded.number for one in both} == {2, 3}


async def test_watching_adds_to_the_profile_and_keeps_alerts_that_are_on():
    profiles = Profiles({"slack:C1": StoredProfile(owner="slack:C1")})
    ctx = asked(profiles, admin=True)
    shown = markdown((await ask("tell me at once when Ada Lovelace commits", ctx)).document)
    assert "Ada Lovelace" in shown
    assert "everything by these authors" in shown
    kept = profiles.kept["slack:C1"] = replace(profiles.kept["slack:C1"], tip="a" * 40)
    assert kept.alerts is Alerts.BREAKING
    await ask("watch src/core/", ctx)
    kept = profiles.kept["slack:C1"]
    assert (kept.alerts, kept.tip, len(kept.profile.entries)) == (Alerts.ALL, "a" * 40, 2)
    await ask("watch author:Bob", ctx)
    assert profiles.kept["slack:C1"].alerts is Alerts.ALL
    refused = await ask("watch author:Eve", asked(profiles, admin=False))
    assert "admin" in str(refused.error)
