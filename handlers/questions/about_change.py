"""Questions about one change: why its grade, what could go wrong, who reviewed it, its lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice

from digest.analysis.analyse import analyse_whole
from digest.answer.answers import Answer, AnswerRow, foot, graded_because
from digest.answer.excerpt import PAGE_LINES, files_about, is_name_in, lines_of
from digest.answer.listing import line_of
from digest.answer.tallies import people_of, reviewers_of
from digest.core.authors import without_backticks
from digest.core.change import Change, FileChange, printable
from digest.core.enums import Language
from digest.core.grade import Graded, Reason
from digest.core.reference import Reference
from digest.document import (
    Block,
    Code,
    CodeBlock,
    Document,
    Heading,
    Item,
    Link,
    Listing,
    Paragraph,
    Span,
    Spans,
    Strong,
    Text,
    plain,
)
from digest.errors import NothingBefore, UnknownChange
from digest.grading.outcomes import lowered_by
from digest.i18n import answer_text as words
from digest.i18n.answer_text import reason_words
from digest.i18n.phrase import list_in_words
from digest.i18n.statement_text import LEVELS
from digest.question.intent import Author, Explain, PathDiff, Reviewers, Risky, ShowDiff, Why
from digest.question.questions import format_intent
from digest.report.blocks import author_link, title_link
from digest.window import minute
from handlers.context import Context
from handlers.digests.ingest import tip_of
from handlers.questions.explain import beside_others, find, refuse_elsewhere
from handlers.questions.pull_request import closers_of, reviews_of
from handlers.questions.scope import reach, undoings_below, viewpoint

_REASONS = 12  # the most reasons of a grade to show, the weightiest first
_FILES = 8  # the most files to name if none belongs to the requested part


async def why(intent: Why, ctx: Context) -> Answer:
    """The reasons of a grade with their weights, and how the commit ended."""
    graded = await one_change(intent.reference, ctx)
    language, beside = ctx.language, await _beside(graded, ctx)
    alone, level = (LEVELS[g.grade.level].text(language).lower() for g in (graded, beside))
    state = await ctx.coverage.states(ctx.watched.repository, [graded.sha])
    outcome = state.get(graded.sha)
    told = words.ENDED[str(outcome.state) if outcome else ""]
    blocks: list[Block] = [
        Heading(1, (Text(words.WHY_TITLE.text(language, change=graded.name, level=level)),)),
        Paragraph((title_link(graded, ctx.watched.repository),)),
        *(
            Paragraph(
                words.BESIDE_OTHERS(
                    language, alone=alone, level=level, why=reason_words(one, language)
                )
            )
            for one in lowered_by(graded, beside)
        ),
        Paragraph(words.score_words(graded.grade, ctx.watched.thresholds, language)),
        Paragraph(words.WEIGHTS(language)),
        Listing(tuple(Item(one) for one in _weighed(graded.grade.reasons, language))),
        Paragraph(told(language, **({"why": outcome.why} if outcome else {}))),
    ]
    return answer_of("why", beside, blocks, ctx)


async def _beside(graded: Graded, ctx: Context) -> Graded:
    """The change with the grade that it has beside the others of its digest."""
    reverts, _ = await undoings_below(graded, ctx, await tip_of(ctx))
    return await beside_others(graded, ctx, undone=bool(reverts))


async def risky(intent: Risky, ctx: Context) -> Answer:
    """The risks that facts show, and what to check."""
    graded = await one_change(intent.reference, ctx)
    graded = await _beside(graded, ctx)
    language = ctx.language
    analysis, line = analyse_whole(graded, language), line_of(graded, language)
    blocks: list[Block] = [
        Heading(1, (Text(words.RISKS_OF.text(language, change=graded.name)),)),
        Paragraph((title_link(graded, ctx.watched.repository),)),
        *([Paragraph(line)] if line else []),  # its changes are what may cause trouble
    ]
    said = plain(line)
    if more := [s.spans for s in analysis.risks if plain(s.spans) not in said]:
        blocks.append(Listing(tuple(map(Item, more))))
    elif not analysis.risks:
        blocks.append(Paragraph(words.NO_RISK(language)))
        if because := graded_because(graded, language):
            level = LEVELS[graded.grade.level].text(language)
            blocks.append(Paragraph((Text(f"{level}: {because}"),)))
    if analysis.suggestions:
        blocks.append(Paragraph((Strong(words.LOOK_AT.text(language)),)))
        blocks.append(Listing(tuple(Item(s.spans) for s in analysis.suggestions)))
    return answer_of("risky", graded, blocks, ctx)


async def reviewers(intent: Reviewers, ctx: Context) -> Answer:
    """The reviewers, from the forge if it knows, otherwise from the commit."""
    graded = await one_change(intent.reference, ctx)
    if (reviews := await reviews_of(graded, ctx)) is not None:
        return answer_of(
            "reviewers",
            graded,
            [Paragraph((title_link(graded, ctx.watched.repository),)), Paragraph(reviews)],
            ctx,
        )
    line = _reviewed(graded, reviewers_of(graded), ctx)
    return answer_of("reviewers", graded, [Paragraph(line)], ctx)


async def author(intent: Author, ctx: Context) -> Answer:
    """The author, when the change reached the branch, and who merged it as git knows it."""
    graded = await one_change(intent.reference, ctx)
    repository = ctx.watched.repository
    named = [author_link(name, repository) for name in people_of(graded)]
    line = words.WRITTEN_BY(
        ctx.language,
        change=title_link(graded, repository),
        author=list_in_words(named, ctx.language, limit=5),
        at=minute(graded.commit.committed_at, ctx.zone),
    )
    blocks: list[Block] = [Paragraph(line)]
    if len(graded.commit.parents) > 1:
        mainline = await ctx.watched.source.log(await tip_of(ctx), mainline=True)
        merged = next((name for sha, name in mainline if sha == graded.sha), "")
        if merged:
            person = author_link(merged, repository)
            blocks.append(Paragraph(words.MERGED_BY(ctx.language, author=person)))
    return answer_of("author", graded, blocks, ctx)


async def show_diff(intent: ShowDiff, ctx: Context) -> Answer:
    """A page of the changed lines, of all files or of those that match the requested part."""
    graded = await one_change(intent.reference, ctx)
    change = await _change(graded, ctx)
    files = files_about(change, intent.part)
    title = words.DIFF_OF.text(ctx.language, change=graded.name)
    blocks: list[Block] = [
        Heading(1, (Text(title),)),
        Paragraph((title_link(graded, ctx.watched.repository),)),
    ]
    if intent.part and not files:
        named: list[Span] = [Code(printable(f.path)) for f in change.files[:_FILES]]
        there = list_in_words(named, ctx.language, limit=_FILES, total=len(change.files))
        line = words.NO_PART(ctx.language, part=Code(intent.part), files=there)
        blocks.append(Paragraph(line))
    else:
        if intent.part and is_name_in(files, intent.part):
            n, part = len(files), Code(intent.part)
            blocks.append(Paragraph(words.HAS_NAME(ctx.language, part=part, n=n)))
        blocks += _lines(files, [line for file in files for line in lines_of(file)], ctx)
    return answer_of("diff", graded, blocks, ctx)


async def path_diff(intent: PathDiff, ctx: Context) -> Answer:
    """A page of the lines of a path that each change of a period or range touched, newest first.

    The period is read into the archive first. Raises as :func:`handlers.questions.scope.reach`.
    """
    tip = await tip_of(ctx)
    reached, repository = await reach(intent.window, ctx, tip), ctx.watched.repository
    changes = await ctx.archive.select(repository, reached.query)
    found = {g.sha: g for g in changes if any(_is_in(intent.path, p) for p in g.facts.paths)}
    files: list[FileChange] = []
    lines: list[str] = []
    async for batch in ctx.watched.source.changes(tip, list(found)[:_DIFFED]):
        for change in batch:
            of_path = [f for f in change.files if _is_in(intent.path, f.path)]
            day = minute(change.commit.committed_at, ctx.zone)
            name = printable(without_backticks(found[change.sha].title))
            lines += [f"# {change.sha[:10]} {day} {name}", *chain(*map(lines_of, of_path))]
            files += of_path
    title = words.PATH_DIFF.text(ctx.language, path=intent.path, n=len(found))
    told = [*_lines(files, lines, ctx)] if found else [Paragraph(words.NO_CHANGE(ctx.language))]
    if len(found) > _DIFFED:
        told.append(Paragraph(words.NEWEST_DIFFED(ctx.language, n=_DIFFED), aside=True))
    named = tuple(format_intent(Explain(reference=Reference(sha=sha))) for sha in found)
    at = viewpoint(ctx, tip)
    blocks = (Heading(1, (Text(title),)), *told, Paragraph(foot(intent.window, at), aside=True))
    document = Document(title=title, blocks=blocks, language=str(ctx.language))
    return Answer(
        intent="path_diff",
        document=document,
        window=reached.window,
        total=len(found),
        rows=tuple(AnswerRow(graded=one, why="") for one in found.values()),
        listed=named if len(named) > 1 else (),
    )


_DIFFED = 200  # the most changes whose lines are read for one answer, the newest


def _is_in(named: str, path: str) -> bool:
    """Whether a path is the named one or below it; its first folders need not be named."""
    return f"/{named.strip('/')}/" in f"/{path}/"


def _lines(files: Sequence[FileChange], lines: Sequence[str], ctx: Context) -> Iterator[Block]:
    """A page of the lines of some files, and which of the files cannot be shown."""
    first = PAGE_LINES * min(ctx.page - 1, max(len(lines) - 1, 0) // PAGE_LINES)
    shown = lines[first : first + PAGE_LINES]
    if shown:
        yield CodeBlock("\n".join(shown), "diff")
    else:
        yield Paragraph(words.NO_LINES(ctx.language))
    for file in files:
        if file.binary or file.omitted:
            path = Code(printable(file.path))
            yield Paragraph(words.UNREAD(ctx.language, path=path), aside=True)
    if len(lines) > len(shown):
        last = first + len(shown)
        counted = words.LINES_SHOWN(ctx.language, first=first + 1, last=last, total=len(lines))
        yield Paragraph(counted, aside=True)


async def one_change(reference: Reference | None, ctx: Context) -> Graded:
    """The change that is asked about: the newest of its request, or the one that closed the issue.

    Raises ``NothingBefore``, ``UnknownChange`` and ``AmbiguousReference``.
    """
    if reference is None:
        raise NothingBefore
    refuse_elsewhere(reference, ctx)
    try:
        if not reference.issue:
            return (await find(reference, ctx, await tip_of(ctx)))[0]
    except UnknownChange:
        if reference.number is None:
            raise
    closers = await closers_of(reference.number, ctx) if reference.number else ()
    if not closers:
        raise UnknownChange(str(reference), ctx.watched.repository.name)
    return closers[0]


async def _change(graded: Graded, ctx: Context) -> Change:
    tip = await tip_of(ctx)
    async for batch in ctx.watched.source.changes(tip, [graded.sha]):
        for change in batch:
            return change
    return Change(commit=graded.commit, files=())


def _weighed(reasons: Iterable[Reason], language: Language) -> Iterator[Spans]:
    """The reasons with their weights; those in the same words are one."""
    weights = dict[str, float]()
    for reason in reasons:
        said = reason_words(reason, language)
        weights[said] = weights.get(said, 0.0) + reason.weight
    for said, weight in islice(weights.items(), _REASONS):
        signed = f"{weight:+.2f}".replace("-", "−")
        yield words.WEIGHED(language, weight=Code(signed), reason=said)


def _reviewed(graded: Graded, people: Sequence[str], ctx: Context) -> Spans:
    language, repository = ctx.language, ctx.watched.repository
    change = title_link(graded, repository)
    if people:
        named = list_in_words([Text(p) for p in people], language, limit=len(people))
        return words.REVIEWED(language, change=change, people=named)
    page = repository.request_url(graded.number) if graded.number is not None else ""
    if page:
        return words.NO_REVIEWER(language, change=change, page=Link(graded.name, page))
    return words.NO_REVIEWER_NO_PAGE(language, change=change)


def answer_of(intent: str, graded: Graded, blocks: Sequence[Block], ctx: Context) -> Answer:
    """An answer about one change."""
    document = Document(
        title=without_backticks(graded.title) or graded.sha[:10],
        blocks=tuple(blocks),
        language=str(ctx.language),
    )
    row = AnswerRow(graded=graded, why=graded_because(graded, ctx.language))
    return Answer(intent=intent, document=document, total=1, rows=(row,))
