"""What is asked of a release by its name: the range from the release before it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from digest.document import Code, Spans
from digest.intent import Changed, Intent
from digest.period import default_period
from digest.release import Release, asked_release
from digest.span import Refs
from digest.words.replies import OF_FIRST_RELEASE, OF_RELEASE
from handlers.context import Context

_NOW = timedelta(minutes=1)
"""A period that ends so long ago at most, and begins where the default does, is the default."""


async def of_release(intent: Intent, ctx: Context) -> tuple[Intent, Spans]:
    """The intent with the range of the release that its topic names, and a line that says so.

    That is so of a topic with the form of a version, which is a tag of the repository, in a
    question that names no period. Every other intent stays, without a line.
    """
    if not isinstance(intent, Changed) or not _names_no_period(intent, ctx):
        return intent, ()
    asked = asked_release(intent.topic)
    release = await ctx.watched.source.release(asked.name) if asked else None
    if asked is None or release is None:
        return intent, ()
    refs = Refs(base=release.before, tip=release.tag)
    return replace(intent, window=refs, topic=asked.topic), _line(release, ctx)


def _names_no_period(intent: Changed, ctx: Context) -> bool:
    usual = default_period(ctx.clock.now(), ctx.zone)
    if isinstance(intent.window, Refs):
        return False
    return intent.window.since == usual.since and usual.until - intent.window.until < _NOW


def _line(release: Release, ctx: Context) -> Spans:
    tag = Code(release.tag)
    if not release.before:
        return OF_FIRST_RELEASE(ctx.language, tag=tag)
    return OF_RELEASE(ctx.language, tag=tag, before=Code(release.before))
