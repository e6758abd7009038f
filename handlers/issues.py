"""``explain issue #N``: its state and labels from the forge, what names and closed it from git."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from digest.answer import Answer, Row, as_of
from digest.document import Block, Code, Document, Heading, Link, Paragraph, Spans, Strong, Text
from digest.errors import ForgeFailed, NotOnForge, UnknownChange
from digest.facts.message import read_paragraphs
from digest.graded import Graded
from digest.query import Query
from digest.report import title_link
from digest.request import Issue, closing
from digest.request_words import issue_url, request_link
from digest.words import forge as words
from digest.words.phrase import Part, between, listed
from handlers.context import Context
from handlers.looking import seen, tip_of

_MOST_CHANGES = 50
"""Changes that are looked at for naming an issue, the newest."""

_MOST_TOLD = 10
_MOST_PARAGRAPHS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Named:
    """Archived changes that close an issue, and others that name it, newest first."""

    closing: tuple[Graded, ...]
    naming: tuple[Graded, ...]


async def explain_issue(number: int, ctx: Context) -> Answer:
    """What is known of an issue.

    Raises ``UnknownChange`` where neither the forge nor any change knows it, and what a forge
    raises where no change does either.
    """
    issue: Issue | None = None
    failure: ForgeFailed | None = None
    if (forge := ctx.watched.forge) is not None:
        try:
            issue = await forge.issue(number)
        except NotOnForge:
            pass
        except ForgeFailed as error:
            failure = error
    named = await _named(number, issue, ctx)
    if issue is None and not (named.closing or named.naming):
        unknown = UnknownChange(f"issue #{number}", ctx.watched.repository.name)
        raise failure if failure is not None and forge and forge.eager else unknown
    rows = tuple(Row(graded=one, why="") for one in (*named.closing, *named.naming))
    document = await _document(number, issue, named, ctx)
    return Answer(intent="explain", document=document, total=len(rows), rows=rows)


async def _named(number: int, issue: Issue | None, ctx: Context) -> _Named:
    repository = ctx.watched.repository
    query = Query(terms=(f"#{number}",), limit=_MOST_CHANGES)
    found = await ctx.archive.select(repository, query)
    naming = [one for one in found if number in one.facts.issues and one.number != number]
    closers = [one for one in naming if number in closing(one.commit.message, repository.name)]
    if issue is not None and issue.closed_by:
        closers += (await ctx.archive.load(repository, issue.closed_by)).values()
    shas = {one.sha for one in closers}
    return _Named(
        closing=tuple({one.sha: one for one in closers}.values())[:_MOST_TOLD],
        naming=tuple(one for one in naming if one.sha not in shas)[:_MOST_TOLD],
    )


async def _document(number: int, issue: Issue | None, named: _Named, ctx: Context) -> Document:
    language, repository = ctx.language, ctx.watched.repository
    at = seen(ctx, await tip_of(ctx))
    title = issue.title if issue else ""
    title = title or words.ISSUE_TITLE.text(language, number=str(number))
    blocks: list[Block] = [Heading(1, (Text(title),)), Paragraph(_state(number, issue, ctx))]
    if issue is not None:
        if issue.labels:
            labels = listed([Code(one) for one in issue.labels], language, limit=_MOST_TOLD)
            blocks.append(Paragraph(words.LABELS(language, labels=labels)))
        paragraphs = read_paragraphs(issue.body, [issue.title])[:_MOST_PARAGRAPHS]
        blocks += [Paragraph((Text(one),)) for one in paragraphs]
    for phrase, changes in ((words.CLOSED_BY, named.closing), (words.NAMED_BY, named.naming)):
        blocks += [
            Paragraph(phrase(language, change=title_link(one, repository))) for one in changes
        ]
    if issue is not None and (others := _others(issue, named)):
        links: list[Part] = [request_link(one, repository) for one in others]
        requests = listed(links, language, limit=_MOST_TOLD)
        blocks.append(Paragraph(words.NAMED_BY_REQUESTS(language, requests=requests)))
    if not (named.closing or named.naming):
        blocks.append(Paragraph(words.NOTHING_NAMES_IT(language)))
    blocks.append(Paragraph(as_of(at)))
    return Document(title=title, blocks=tuple(blocks), language=str(language))


def _others(issue: Issue, named: _Named) -> Sequence[int]:
    """Requests that name it and are told of by no change."""
    told = {one.number for one in (*named.closing, *named.naming)}
    return [number for number in issue.mentions if number not in told]


def _state(number: int, issue: Issue | None, ctx: Context) -> Spans:
    url = issue_url(ctx.watched.repository, number)
    parts: list[Part] = [Link(f"#{number}", url) if url else Text(f"#{number}")]
    if issue is not None:
        parts.insert(0, Strong(words.ISSUE_STATES[issue.state].template(ctx.language)))
        parts.append(words.BY(ctx.language, name=issue.author))
    return between(parts, " · ")
