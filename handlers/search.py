"""``search``: full text in what is archived, or in a window, which is read first."""

from __future__ import annotations

from collections.abc import Sequence

from digest.answer import Answer, Row, foot, lines_document, listing_document
from digest.change import printable
from digest.document import Code
from digest.graded import Graded
from digest.intent import Search
from digest.language import Language
from digest.phrases import IN_BODY, IN_NAME, IN_PATH, IN_SUBJECT, NOT_FOUND
from digest.query import Query
from digest.words.phrase import listed
from handlers.context import Context
from handlers.ingest import ensure
from handlers.looking import seen, tip_of


async def search(intent: Search, ctx: Context, page: int = 1) -> Answer:
    """The changes whose text holds every term; without a window those archived so far."""
    tip = await tip_of(ctx)
    if intent.window is not None:
        await ensure(ctx, intent.window, tip)
    query = Query(window=intent.window, terms=intent.terms)
    found = await ctx.archive.select(ctx.watched.repository, query)
    rows = tuple(Row(graded=g, why=_where(g, intent.terms, ctx.language)) for g in found)
    topic = " ".join(intent.terms)
    at = seen(ctx, tip)
    if rows:
        document = listing_document(topic, rows, intent.window, at, page)
    else:
        terms = listed([Code(t) for t in intent.terms], ctx.language, limit=len(intent.terms))
        lines = [NOT_FOUND(ctx.language, terms=terms), foot(intent.window, at)]
        document = lines_document(topic, lines, at)
    return Answer(intent="search", document=document, window=intent.window, topic=topic, rows=rows)


def _where(graded: Graded, terms: Sequence[str], language: Language) -> str:
    """The first place of every term, as words."""
    gap = "；" if language is Language.ZH else "; "
    return gap.join(dict.fromkeys(filter(None, (_place(graded, t, language) for t in terms))))


def _place(graded: Graded, term: str, language: Language) -> str:
    wanted = term.casefold()
    if wanted in graded.title.casefold() or wanted in graded.commit.subject.casefold():
        return IN_SUBJECT.text(language, term=term)
    for file in graded.facts.files:
        if wanted in file.path.casefold():
            return IN_PATH.text(language, shown=printable(file.path))
    for item in graded.facts.items:
        if wanted in item.name.casefold():
            return IN_NAME.text(language, shown=item.name)
    return IN_BODY.text(language, term=term)
