"""Questions about what somebody uses: the profile, and the changes that affect it.

Everybody in a chat shares its profile, and each person has one of their own; a change that affects
either affects the asker.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from digest.answer.answers import Answer, AnswerRow, foot, lines_document
from digest.core.enums import Alerts, ChangeKind, Effect
from digest.core.grade import Graded
from digest.core.profile import EntryKind, PatchedFile, Profile
from digest.core.reference import Query
from digest.document import Paragraph
from digest.errors import UserError
from digest.i18n import chat_text as words
from digest.impact.impact_report import (
    Affecting,
    affected_document,
    hardest_first,
    profile_document,
)
from digest.impact.impact_rules import (
    DECLARING,
    affects,
    declared_packages,
    packages_of,
    softened,
)
from digest.question.commit_range import Refs
from digest.question.intent import Affected, Alert, Changed, EditProfile, ProfileFrom, ShowProfile
from digest.question.periods import default_period
from digest.topics.matching import Aliases
from handlers.chat.settings import require_permission
from handlers.context import Context
from handlers.digests.ingest import Labels, fill, labels_of, tip_of
from handlers.ports import chat_port
from handlers.ports.storage import Range, Tip
from handlers.questions.changed import list_changes
from handlers.questions.scope import profile_here, range_of, reach, viewpoint
from handlers.questions.upgrade import patched_files


async def affected(intent: Affected, ctx: Context) -> Answer:
    """The changes of a window, or between references, that affect the asker's profiles.

    Raises ``UserError`` if profiles cannot be kept, and the errors of reading the window.
    """
    tip = await tip_of(ctx)
    _kept_here(ctx)
    repository, profile = ctx.watched.repository, await profile_here(ctx)
    at = viewpoint(ctx, tip)
    if not profile.entries:
        line = words.NO_PROFILE(ctx.language, repository=repository.name)
        if intent.window is not None:
            breaking = Changed(window=intent.window, kinds=(ChangeKind.BREAKING,))
            listed = await list_changes(breaking, ctx)
            blocks = (Paragraph(line), *listed.document.blocks)
            return replace(listed, document=replace(listed.document, blocks=blocks))
        return Answer(intent="affected", document=lines_document(repository.name, [line], at))
    span = intent.window or default_period(ctx.clock.now(), ctx.zone)
    reached = await reach(span, ctx, tip)
    changes = await ctx.archive.select(repository, reached.query)
    labels = await _labels(ctx, profile, changes)
    end = (await range_of(span, ctx, tip)).tip if isinstance(span, Refs) else tip.sha
    patched = await patched_files(profile, changes, end, ctx, tip)
    given = (changes, profile, ctx.watched.aliases, labels, patched)
    found = await ctx.workers.few(_affecting, given)
    if found:
        document = affected_document(found, ctx.page, reached.window, at, patched)
    else:
        lines = [words.UNAFFECTED(ctx.language, n=len(changes)), foot(reached.window, at)]
        document = lines_document(repository.name, lines, at)
    return Answer(
        intent="affected",
        document=document,
        window=reached.window,
        total=len(found),
        rows=tuple(AnswerRow(graded=one.graded, why=_why(one)) for one in found),
        patched=tuple(patched),
    )


async def _labels(ctx: Context, profile: Profile, changes: Sequence[Graded]) -> Labels:
    """The labels of requests, which only topics need."""
    if not profile.of(EntryKind.TOPIC):
        return {}
    return await labels_of(ctx.requests, ctx.watched.repository, changes)


def _affecting(
    given: tuple[Sequence[Graded], Profile, Aliases, Labels, Sequence[PatchedFile]],
) -> list[Affecting]:
    changes, profile, aliases, labels, patched = given
    reached = (
        (graded, softened(affects(graded, profile, aliases, labels.get(graded.sha, ())), patched))
        for graded in changes
    )
    return hardest_first([Affecting(graded=g, hits=hits) for g, hits in reached if hits])


def _why(one: Affecting) -> str:
    """The entries that a change affects, as they are written."""
    return ", ".join(dict.fromkeys(str(hit.entry) for hit in one.hits))


async def show_profile(intent: ShowProfile, ctx: Context) -> Answer:
    """The entries of a profile."""
    profiles, key = _kept_here(ctx)
    kept = await profiles.load(_owner(key, mine=intent.mine), ctx.watched.repository)
    return await _shown(kept, ctx)


async def edit_profile(intent: EditProfile, ctx: Context) -> Answer:
    """Add entries, or remove some or all, and show the result."""
    _permitted(ctx, mine=intent.mine)

    def edited(kept: chat_port.StoredProfile) -> chat_port.StoredProfile:
        if intent.clear:
            return replace(kept, profile=Profile())
        return replace(kept, profile=kept.profile.without(intent.remove).with_(intent.add))

    return await _changed(ctx, edited, mine=intent.mine)


async def profile_from(intent: ProfileFrom, ctx: Context) -> Answer:
    """Add what another repository's code uses of the watched one, or what a fork of it changes.

    Raises ``UserError`` if the place may not be read, or uses nothing.
    """
    _permitted(ctx, mine=intent.mine)
    _kept_here(ctx)
    name = ctx.watched.repository.name
    if ctx.usage is None:
        raise UserError("other repositories cannot be read here; add entries one by one")
    entries = await ctx.usage(
        intent.place, await _packages(ctx), ctx.watched.source, await tip_of(ctx)
    )
    if not entries:
        raise UserError(f"the code at {intent.place} uses nothing of {name}")
    # Reading may have taken minutes: entries added meanwhile are kept.
    return await _changed(
        ctx, lambda kept: replace(kept, profile=kept.profile.with_(entries)), mine=intent.mine
    )


async def _packages(ctx: Context) -> frozenset[str]:
    """The possible package names of the watched repository: its own and the declared ones."""
    tip = (await tip_of(ctx)).sha
    places = [(tip, path) for path in DECLARING] if tip else []
    texts = await ctx.watched.source.contents(places)
    declared = (declared_packages(path, text) for (_, path), text in texts.items())
    return packages_of(ctx.watched.repository.name).union(*declared)


async def alert(intent: Alert, ctx: Context) -> Answer:
    """Turn alerts on, starting at the branch's current tip, or off."""
    _permitted(ctx, mine=intent.mine)
    if intent.mine:
        raise UserError("alerts are posted in chats; turn them on in a direct chat with me")
    tip = ((await tip_of(ctx)).sha or "") if intent.alerts else ""
    person = ctx.room.person if ctx.room and intent.alerts else ""

    def turned(kept: chat_port.StoredProfile) -> chat_port.StoredProfile:
        profile = kept.profile.with_(intent.add)
        if intent.alerts and not profile.entries:
            raise UserError("the profile is empty; first add what you use: profile add --flag ...")
        if intent.add and kept.alerts:
            return replace(kept, profile=profile, alerts=max(kept.alerts, intent.alerts))
        return replace(kept, profile=profile, alerts=intent.alerts, tip=tip, person=person)

    return await _changed(ctx, turned, mine=False)


def _permitted(ctx: Context, *, mine: bool) -> None:
    """Raises ``UserError`` if the person may not change what the chat shares."""
    if ctx.room is not None and not mine:
        require_permission(ctx.room, ctx.language)


async def _changed(
    ctx: Context,
    change: Callable[[chat_port.StoredProfile], chat_port.StoredProfile],
    *,
    mine: bool,
) -> Answer:
    profiles, key = _kept_here(ctx)
    kept = await profiles.change(_owner(key, mine=mine), ctx.watched.repository, change)
    return await _shown(kept, ctx)


def _owner(key: chat_port.ConversationKey, *, mine: bool) -> str:
    return chat_port.person_owner(key) if mine else chat_port.chat_owner(key)


async def _shown(kept: chat_port.StoredProfile, ctx: Context) -> Answer:
    at = viewpoint(ctx, await tip_of(ctx))
    document = profile_document(kept.profile, at, alerts=kept.alerts)
    return Answer(intent="profile", document=document, total=len(kept.profile.entries))


def _kept_here(ctx: Context) -> tuple[chat_port.Profiles, chat_port.ConversationKey]:
    if ctx.profiles is None or ctx.conversation is None:
        raise UserError("profiles cannot be stored here; ask in a chat or in the terminal")
    return ctx.profiles, ctx.conversation


async def unannounced(ctx: Context, kept: chat_port.StoredProfile, tip: Tip) -> Sequence[Affecting]:
    """Changes merged since a profile's last alert that its owner wants to be told of.

    The most severe come first. Raises the errors of reading the range.
    """
    if tip.sha is None or not kept.tip or tip.sha == kept.tip:
        return ()
    source = ctx.watched.source
    if not await source.is_ancestor(kept.tip, tip.sha) and not await source.find(tip, sha=kept.tip):
        # The branch was rewritten and the old commits are gone: what is new is unknown.
        return ()
    names, _ = await fill(ctx, Range(base=kept.tip, tip=tip.sha), tip)
    query = Query(among=tuple(names))
    changes = await ctx.archive.select(ctx.watched.repository, query)
    labels: Labels = {}
    if kept.alerts is Alerts.ALL:  # a label alone never makes a change breaking
        labels = await _labels(ctx, kept.profile, changes)
    given = (changes, kept.profile, ctx.watched.aliases, labels, ())
    found = await ctx.workers.few(_affecting, given)
    return [one for one in found if kept.alerts is Alerts.ALL or _is_wanted(one)]


def _is_wanted(one: Affecting) -> bool:
    """Whether a change may break something or has an author who is watched."""
    by_author = any(hit.entry.kind is EntryKind.AUTHOR for hit in one.hits)
    return by_author or one.effect is Effect.MAY_BREAK
