"""``changed``: changes by topic, person or path, within a window or a range."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from digest.answer.answers import Answer, entry_of, foot, lines_document, listing_document, title_of
from digest.core.enums import ChangeKind
from digest.core.facts import Action, FactKind
from digest.core.grade import Graded
from digest.core.reference import Query
from digest.document import Block, Code, Document, Paragraph, Span, Spans, Text
from digest.i18n import answer_text
from digest.i18n.phrase import list_in_words
from digest.question.commit_range import Refs
from digest.question.intent import Changed, Touched
from digest.topics.matching import Resolved, is_general
from digest.topics.synonyms import kin
from digest.topics.terms import is_code_name, term
from handlers.context import Context
from handlers.digests.ingest import tip_of
from handlers.ports.storage import Tip
from handlers.questions import change_selection, other_readings
from handlers.questions.list_reading import (
    Meant,
    by_path,
    is_general_noun,
    query_of,
    read_topic,
    resolved_topic,
    with_folders,
    with_others,
    with_rows,
)
from handlers.questions.named_changes import about, defaults, dependency_blocks, names
from handlers.questions.openings import opened, with_releases
from handlers.questions.requirements import find_requirements
from handlers.questions.scope import (
    DAYS_BACK,
    QueryResult,
    Reach,
    count,
    newest,
    reach,
    viewpoint,
)
from handlers.questions.upgrade import announced_over, upgrade, with_announced


async def list_changes(intent: Changed, ctx: Context) -> Answer:
    """The changes that match the intent, with their releases if it asks for these.

    Raises as :func:`reach` does.
    """
    found = await _found(intent, ctx)
    return await with_releases(found, ctx) if intent.shipped else found


async def _found(intent: Changed, ctx: Context) -> Answer:
    """The changes that match the intent, after reading those that the archive lacks.

    If there are none, the next best readings are tried in turn, and the answer says which it is.
    If numbers are requested, the first page has a few of the changes, and the next page all.
    """
    tip = await tip_of(ctx)
    brief = (
        change_selection.is_counted(intent) or intent.counted or intent.against
    ) and not intent.things
    cut = bool(brief) and ctx.page == 1
    ctx = replace(ctx, page=max(ctx.page - 1, 1)) if brief else ctx
    reached = await reach(intent.window, ctx, tip)
    if (answer := await _otherwise(intent, reached, ctx, tip)) is not None:
        return answer
    if intent.figures:  # ranked by their figures, not by their grades
        intent = replace(intent, level=None)
    asked = await read_topic(Meant(intent=intent, reached=reached), ctx)
    if _lacks_words(asked, intent) and other_readings.is_vague(intent, ctx):
        await other_readings.wider_period(ctx, tip)  # older changes may have the words
        asked = await read_topic(Meant(intent=intent, reached=reached), ctx)
    if intent.things and not intent.defaults:
        asked = asked.noting(answer_text.NONE(ctx.language, names=about(intent, ctx)))
    asked = await other_readings.longer(await _selected(asked, ctx), ctx, tip)
    dropped = asked.resolved.topics and _lacks_words(asked, intent)
    if dropped and not (intent.things or intent.people):
        asked = await other_readings.by_words(asked, intent.topic, ctx) or asked
        if other_readings.is_vague(intent, ctx):
            asked = await other_readings.everywhere(asked, intent.topic, ctx, tip) or asked
    asked, announced = await with_announced(asked, ctx, tip)
    if intent.kinds == (ChangeKind.DEPENDENCIES,) and asked.held.rows and not cut:
        announced = await dependency_blocks(asked, ctx)
    if not asked.held.rows and not announced:
        asked = await other_readings.second_reading(asked, intent.topic, ctx, tip)
        asked = await other_readings.longer(asked, ctx, tip) if asked.held.rows else asked
        named = " " not in intent.topic  # not one word of a description
        if not asked.held.rows and named and (told := await _history(asked.intent, ctx, tip)):
            return told
    kept = asked.intent.topic if asked.held.rows or announced else ""
    if (told := await _of_lost_name(kept, intent, ctx)) is not None:
        return told
    listed: tuple[str, ...] = ()
    if asked.held.rows:
        asked = await _refined(asked, ctx, tip, vague=other_readings.is_vague(intent, ctx))
        shown = _first_few(asked, 0 if _is_about_all(intent) else _EVIDENCE) if cut else asked
        document = await _listing(shown, announced, ctx, tip)
        listed = await change_selection.people_listed(asked, ctx)
    elif announced:
        at, over = viewpoint(ctx, tip), announced_over(asked.intent)
        asked = replace(asked, intent=over, reached=replace(asked.reached, span=over.window))
        document = lines_document(asked.intent.topic, [foot(asked.intent.window, at)], at)
        document = replace(document, blocks=(*announced, *document.blocks))
    elif intent.topic and (
        intent.things or intent.loose or (intent.top and not asked.resolved.topics)
    ):
        if FactKind.DEPENDENCY not in intent.things:
            return await _without_topic(intent, ctx)
        # "was numpy bumped": other packages are no answer.
        if told := await _history(replace(intent, anytime=True), ctx, tip):
            return told
        asked, document, listed = await _none(asked, ctx, tip)
    else:
        asked, document, listed = await _none(asked, ctx, tip)
    if intent.topic and not cut:
        document = await with_others(document, intent, asked, ctx)
    return Answer(
        intent="changed",
        document=document,
        window=asked.reached.window,
        topic=asked.intent.topic,
        total=asked.held.survey.total or len(announced),
        rows=asked.held.rows,
        listed=listed,
    )


def _lacks_words(asked: Meant, intent: Changed) -> bool:
    """Whether the index lacks words of a topic, so that it is looked up without them."""
    kept = {*f"{asked.intent.topic} {asked.intent.author}".split()}
    return bool(intent.topic) and (
        not asked.resolved.topics
        or not all(word in kept or is_general_noun(word) for word in intent.topic.split())
    )


async def _of_lost_name(kept: str, intent: Changed, ctx: Context) -> Answer | None:
    """The history of a code name that no archived change is about: the other words are no answer.

    *Who did the promote pool_size thing* is not about other promotions.
    """
    lost = [
        word for word in intent.topic.split() if word not in kept.split() and is_code_name(word)
    ]
    alone = not kept and " " not in intent.topic  # other readings are tried for it
    if alone or len(lost) != 1 or intent.things or intent.without:
        return None
    window = None if intent.anytime else intent.window
    from handlers.questions.symbol_history import name_history

    told = await name_history(Touched(name=lost[0], window=window), ctx)
    return told if told.total else None


async def _without_topic(intent: Changed, ctx: Context) -> Answer:
    """The answer to a question that makes sense without its topic, which the repository lacks."""
    found = await list_changes(replace(intent, topic=""), ctx)
    line = Paragraph(answer_text.ALL_BUT(ctx.language, words=Code(intent.topic)))
    head, *rest = found.document.blocks
    return replace(found, document=replace(found.document, blocks=(head, line, *rest)))


async def _otherwise(intent: Changed, reached: Reach, ctx: Context, tip: Tip) -> Answer | None:
    """The answer to a question that is not about a list of changes: an upgrade, names."""
    if intent.kinds == (ChangeKind.BREAKING,) and isinstance(intent.window, Refs):
        about_all = not intent.topic or term(intent.topic) in kin("config")
        if about_all and intent == replace(intent, author="", path="", label="", level=None):
            return await upgrade(intent, reached, ctx, tip)
    if (
        ChangeKind.DEPENDENCIES in intent.kinds
        and intent.topic
        and other_readings.is_vague(intent, ctx)
    ):
        from handlers.questions.symbol_history import name_history

        if await find_requirements(intent.topic, ctx, tip):
            return await name_history(Touched(name=intent.topic), ctx)
    if intent.defaults:
        return await _or_wider(_defaults, intent, reached, ctx, tip)
    if intent.things or (intent.actions and not (intent.topic or intent.files)):
        told = await _or_wider(names, intent, reached, ctx, tip)
        if told is None and FactKind.DEPENDENCY in intent.things:
            # A package that is required is no misspelt word.
            return await _history(replace(intent, anytime=True), ctx, tip)
        if told is None and intent.anytime and intent.actions == (Action.ADDED,):
            from handlers.questions.lookup import name_meant
            from handlers.questions.symbol_history import name_history

            if name := await name_meant(intent.topic, intent.things, ctx, tip):
                return await name_history(Touched(name=name, claim="added"), ctx)
        return told
    return None


async def _defaults(intent: Changed, reached: Reach, ctx: Context, tip: Tip) -> Answer | None:
    """The changed defaults of the topic's changes."""
    asked = await read_topic(Meant(intent=intent, reached=reached), ctx)
    if intent.topic and not asked.resolved.topics:
        return None
    return await defaults(asked.intent, query_of(asked), reached, ctx, viewpoint(ctx, tip))


_Telling = Callable[[Changed, Reach, Context, Tip], Awaitable[Answer | None]]


async def _or_wider(
    told: _Telling, intent: Changed, reached: Reach, ctx: Context, tip: Tip
) -> Answer | None:
    """The answer; for a longer period if it would be empty and the question names no period."""
    found = await told(intent, reached, ctx, tip)
    if (found and found.total) or not other_readings.is_vague(intent, ctx):
        return found
    window, wider = await other_readings.wider_period(ctx, tip)
    found = await told(replace(intent, window=window), wider, ctx, tip)
    if found is None or found.total:
        return found
    asked = Meant(intent=intent, reached=wider)
    past = await other_readings.archived(asked, window.until, ctx, tip)
    older = await told(past.intent, past.reached, ctx, tip)
    if older is None or not older.total:
        return found
    return opened(older, answer_text.OLDER(ctx.language, n=DAYS_BACK))


async def _selected(asked: Meant, ctx: Context) -> Meant:
    """The reading with its changes: by path, by topic, by people."""
    intent = asked.intent
    asked = await by_path(asked, ctx) or await with_rows(asked, ctx)
    few = asked.held.survey.total < _FEW_LISTED and not (intent.actions or intent.things)
    words = len(asked.intent.topic.split()) if asked.resolved.topics else 0
    if (words == 1 and (few or intent.people)) or (words == _PHRASE and few):
        asked = await with_folders(asked, ctx)
    return await change_selection.of_people(asked, ctx) if intent.author or intent.people else asked


_FEW_LISTED = 10  # a list with fewer changes about a topic gets those in a folder of it
_PHRASE = 2  # words of a topic of which the last may be the name of a folder


async def _refined(asked: Meant, ctx: Context, tip: Tip, *, vague: bool) -> Meant:
    """The reading narrowed by conditions that no query expresses, with notes on the rest."""
    intent = asked.intent
    if vague:
        asked = replace(asked, held=change_selection.with_dates(asked.held, ctx))
    if intent.newcomers or intent.figures:
        asked = await change_selection.select_by_mark(asked, ctx, tip)
    if intent.actions and (intent.topic or intent.files) and not intent.things:
        asked = await change_selection.select_by_action(asked, ctx)
    if intent.top and not change_selection.is_counted(intent):
        return await change_selection.keep_top(asked, ctx)
    if intent.level and not intent.topic:
        everything = await count(ctx, replace(query_of(asked), level=None))
        asked = asked.noting(answer_text.OF_ALL(ctx.language, n=everything))
    return asked


def _first_few(asked: Meant, few: int) -> Meant:
    """The reading with only its first changes, as examples for the numbers."""
    survey = replace(asked.held.survey, page=asked.held.survey.page[:few], areas={})
    return replace(asked, held=replace(asked.held, survey=survey))


def _is_about_all(intent: Changed) -> bool:
    """Whether files or folders of all changes of a period are counted; examples prove nothing."""
    places = intent.files or intent.folders
    return places and not (intent.topic or intent.author or intent.kinds or intent.level)


_EVIDENCE = 3


async def _listing(asked: Meant, announced: Sequence[Block], ctx: Context, tip: Tip) -> Document:
    """The list of changes, below its notes and numbers."""
    intent = asked.intent
    title, at = title_of(intent, ctx.language), viewpoint(ctx, tip)
    document = listing_document(title, asked.held.survey, asked.held.why, intent.window, at)
    document = await change_selection.with_counts(document, asked, ctx)
    head, *rest = document.blocks
    noted = (head, *map(Paragraph, asked.notes), *announced, *rest)
    return replace(document, blocks=noted)


async def _none(asked: Meant, ctx: Context, tip: Tip) -> tuple[Meant, Document, tuple[str, ...]]:
    """The empty reading, for the longer period that was searched as well.

    Also the full names of the changes that the answer shows although they do not fit.
    """
    intent, at = asked.intent, viewpoint(ctx, tip)
    if other_readings.is_vague(intent, ctx):
        window, reached = await other_readings.wider_period(ctx, tip)
        intent = replace(intent, window=window)
        asked = replace(asked, intent=intent, reached=reached)
    lines, near = await _nothing(asked, ctx, tip)
    if intent.topic and " " not in intent.topic and not (intent.author or intent.path):
        from handlers.questions.requirements import required_line

        needs = await find_requirements(intent.topic, ctx, tip)
        lines += [await required_line(needs, ctx, tip)] if needs else []
    lines += await newest(intent, ctx, tip) or await other_readings.last_before(asked, ctx, tip)
    lines.append(foot(intent.window, at))
    document = lines_document(intent.topic, lines, at)
    if intent.against or (intent.people and (intent.path or intent.keepers)):
        document = await change_selection.with_counts(document, asked, ctx)
    return asked, document, near


async def _history(intent: Changed, ctx: Context, tip: Tip) -> Answer | None:
    """The state and history of a package or code name that no change in a range is about."""
    name = intent.topic or intent.path
    if not (intent.anytime or isinstance(intent.window, Refs)) or not name or " " in name:
        return None
    needs = await find_requirements(name, ctx, tip)
    if not is_code_name(name) and not needs:
        return None
    from handlers.questions.symbol_history import name_history

    told = await name_history(Touched(name=name), ctx)
    line = Paragraph(answer_text.NOTHING(ctx.language, topic=Code(name)))
    blocks = told.document.blocks
    if isinstance(intent.window, Refs):
        blocks = (*blocks[:1], line, *blocks[1:])
    if not told.total and not needs:
        return None
    return replace(told, document=replace(told.document, blocks=blocks))


async def _nothing(asked: Meant, ctx: Context, tip: Tip) -> tuple[list[Spans], tuple[str, ...]]:
    """A note that nothing matches, with suggestions where else to look, and their changes."""
    intent, resolved, reached = asked.intent, asked.resolved, asked.reached
    language, repository = ctx.language, ctx.watched.repository
    if not intent.topic:
        return await _others_of(asked, ctx)
    topic = Code(intent.topic)
    rest = replace(intent, topic="")
    filters = title_of(rest, language)
    bare = replace(intent, author="", level=None, kinds=(), label="", path="")
    about_it, few = asked, list[Graded]()
    if (resolved.topics or "/" in intent.topic) and rest != replace(bare, topic=""):
        plain = replace(asked, intent=bare, resolved=await resolved_topic(bare, ctx))
        about_it = await by_path(plain, ctx) or await with_rows(plain, ctx)
    if about_it.held.rows:
        lines, few = _unfit(about_it.held, topic, filters, ctx)
    elif resolved.topics or is_general(intent.topic):
        lines = [answer_text.NOTHING(language, topic=topic)]
        if elsewhere := await _elsewhere(ctx, resolved):
            lines.append(answer_text.KNOWN_ELSEWHERE(language, n=elsewhere))
    elif await other_readings.mentioning(bare, ctx, tip):
        lines = [answer_text.NOTHING(language, topic=topic)]
    else:
        lines = [answer_text.NO_TOPIC(language, topic=topic, repository=repository.name)]
    if resolved.near:
        near = list_in_words([Code(n) for n in resolved.near], language, limit=len(resolved.near))
        lines.append(answer_text.NEAR(language, topics=near))
    query = replace(reached.query, terms=tuple(intent.topic.split()))
    if mentions := await count(ctx, query):
        question = answer_text.SEARCH_FOR.text(language, terms=intent.topic)
        lines.append(answer_text.MENTIONED(language, n=mentions, question=Code(question)))
    return lines, tuple(graded.sha for graded in few)


async def _others_of(asked: Meant, ctx: Context) -> tuple[list[Spans], tuple[str, ...]]:
    """That nothing matches, and the other changes by the author or in the folder."""
    intent, language = asked.intent, ctx.language
    wider = replace(intent, level=None, kinds=(), label="")
    if wider == intent or not (intent.author or intent.path):
        return [answer_text.NO_CHANGE(language)], ()
    resolved = await resolved_topic(wider, ctx)
    found = (await with_rows(replace(asked, intent=wider, resolved=resolved), ctx)).held
    if not found.rows:
        return [answer_text.NO_CHANGE(language)], ()
    filters = title_of(replace(intent, author="", path=""), language)
    lines, few = _unfit(found, Text(title_of(wider, language)), filters, ctx)
    return lines, tuple(graded.sha for graded in few)


def _unfit(
    found: QueryResult, about: Span, filters: str, ctx: Context
) -> tuple[list[Spans], list[Graded]]:
    """That none of the changes about something fits the filters, with the first few of them."""
    few = [row.graded for row in found.rows[:_EVIDENCE]]
    n, language = found.survey.total, ctx.language
    line = answer_text.NONE_FITS(language, topic=about, n=n, filters=filters)
    return [line, *(entry_of(graded, ctx.watched.repository) for graded in few)], few


async def _elsewhere(ctx: Context, resolved: Resolved) -> int:
    """The number of changes about the topic in any period."""
    if not resolved.topics:
        return 0
    return await count(ctx, Query(topics=resolved.topics, about=resolved.alternatives))
