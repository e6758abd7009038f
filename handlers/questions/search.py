"""``search``: full text search in the archive, or in a window, which is read first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

from digest.answer.answers import (
    Answer,
    AnswerRow,
    foot,
    lines_document,
    listing_document,
    title_of,
)
from digest.core.change import printable
from digest.core.enums import Language
from digest.core.grade import Graded
from digest.document import Code
from digest.i18n.answer_text import IN_BODY, IN_NAME, IN_PATH, IN_SUBJECT, NOT_FOUND
from digest.i18n.phrase import Phrase, list_in_words
from digest.question.intent import Search
from digest.topics.matching import Resolved, restrict
from handlers.context import Context
from handlers.digests.ingest import tip_of
from handlers.questions.scope import newest, reach, run_query, viewpoint


async def search(intent: Search, ctx: Context) -> Answer:
    """The changes whose text holds every term; without a window, those archived so far."""
    tip = await tip_of(ctx)
    reached = await reach(intent.window, ctx, tip)
    narrow = restrict(Resolved(), intent.kinds, intent.label)
    query = replace(
        reached.query,
        terms=intent.terms,
        topics=narrow.topics,
        about=narrow.alternatives,
        author=intent.author,
        paths=(intent.path,) if intent.path else (),
        level=intent.level,
    )
    held = await run_query(ctx, query, ctx.page, lambda g, _: _row(g, intent.terms, ctx.language))
    topic = " ".join(intent.terms)
    at = viewpoint(ctx, tip)
    if held.rows:
        document = listing_document(
            title_of(intent, ctx.language), held.survey, held.why, intent.window, at
        )
    else:
        terms = list_in_words(
            [Code(t) for t in intent.terms], ctx.language, limit=len(intent.terms)
        )
        lines = [NOT_FOUND(ctx.language, terms=terms), *await newest(intent, ctx, tip)]
        lines.append(foot(intent.window, at))
        document = lines_document(topic, lines, at)
    return Answer(
        intent="search",
        document=document,
        window=reached.window,
        topic=topic,
        total=held.survey.total,
        rows=held.rows,
    )


def _row(graded: Graded, terms: Sequence[str], language: Language) -> AnswerRow:
    """A change with the places that match, the strongest first, and the terms it contains."""
    gap = "；" if language is Language.ZH else "; "
    texts = _Texts(graded)
    places: dict[tuple[Phrase, str], list[str]] = {}
    for term in terms:
        places.setdefault(texts.place(term), []).append(term)
    told = [
        (phrase, phrase.text(language, shown=shown or " ".join(held)))
        for (phrase, shown), held in places.items()
    ]
    unseen = gap.join(words for phrase, words in told if phrase is not IN_SUBJECT)
    return AnswerRow(graded=graded, why=gap.join(words for _, words in told), unseen=unseen)


class _Texts:
    """The searchable texts of a change, each prepared once."""

    def __init__(self, graded: Graded) -> None:
        self._facts = graded.facts
        self._subjects = (graded.title.casefold(), graded.commit.subject.casefold())

    @cached_property
    def _paths(self) -> Sequence[str]:
        return self._facts.paths

    @cached_property
    def _names(self) -> Sequence[str]:
        return self._facts.names

    def place(self, term: str) -> tuple[Phrase, str]:
        """The first place of a term, with the path or identifier if it is one."""
        wanted = term.casefold()
        if any(wanted in subject for subject in self._subjects):
            return IN_SUBJECT, ""
        for path in self._paths:
            if wanted in path.casefold():
                return IN_PATH, printable(path)
        for name in self._names:
            if wanted in name.casefold():
                return IN_NAME, name
        return IN_BODY, ""
