"""What answers have in common: where the branch stands, and what the archive holds of a query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from digest.answer import Row, Seen
from digest.graded import Graded
from digest.query import Query
from digest.survey import Survey, survey_of
from handlers.context import Context
from handlers.labelling import Labels, labels_of
from handlers.ports import Tip


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What meets a query, counted, and rows of it, newest first.

    They are every match where the asker wants all, else those of the survey's page.
    """

    survey: Survey
    rows: tuple[Row, ...]

    @property
    def why(self) -> dict[str, str]:
        """Why each row is there beside its title, by the full name of its change."""
        return {row.graded.sha: row.beside for row in self.rows}


async def tip_of(ctx: Context) -> Tip:
    """Where the watched branch stands now."""
    return await ctx.watched.source.tip(ctx.watched.branch)


def seen(ctx: Context, tip: Tip) -> Seen:
    """The place and time of an answer, told in the asker's language and zone."""
    return Seen(
        repository=ctx.watched.repository,
        tip=tip.sha,
        at=ctx.clock.now(),
        zone=ctx.zone,
        language=ctx.language,
    )


async def found(
    ctx: Context, query: Query, page: int, row: Callable[[Graded, Sequence[str]], Row]
) -> Found:
    """What the archive holds of a query; ``row`` puts in words what selected a change.

    It is given the labels of the forge as well, where the query asks for terms of the index.
    """
    repository = ctx.watched.repository
    if ctx.every:
        changes = await ctx.archive.select(repository, query)
        survey = survey_of(changes, page, ctx.language)
    else:
        survey = await ctx.archive.survey(repository, query, page, ctx.language)
        shown = (s.graded for s in survey.page)
        changes = sorted(shown, key=lambda g: (g.commit.committed_at, g.sha), reverse=True)
    labels: Labels = {}
    if query.about:
        labels = await labels_of(ctx.requests, repository, changes)
    rows = tuple(row(g, labels.get(g.sha, ())) for g in changes)
    return Found(survey=survey, rows=rows)


async def count(ctx: Context, query: Query) -> int:
    """How many archived changes meet a query."""
    return (await ctx.archive.survey(ctx.watched.repository, query, 0, ctx.language)).total
