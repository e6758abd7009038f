"""``explain NAME``: the history of a class, function, flag or variable, and its authors."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from digest.analysis.context import VERSIONS, without_dashes
from digest.answer.answers import Answer, AnswerRow, entry_of, foot, lines_document, people_words
from digest.answer.listing import PAGE, first_of, line_of
from digest.answer.tallies import people_of
from digest.core.change import printable
from digest.core.enums import Language, TopicPlace
from digest.core.facts import Action, Fact, FactKind
from digest.core.grade import Graded
from digest.core.reference import Query
from digest.document import (
    Block,
    Code,
    Document,
    Heading,
    Item,
    Listing,
    Paragraph,
    Spans,
    Text,
    plain,
)
from digest.i18n import answer_text as words
from digest.i18n import names_text
from digest.i18n.answer_text import SHOWN, SHOWN_SO_FAR, WHY
from digest.i18n.phrase import Part, Phrase, join, list_in_words
from digest.question.intent import Changed, Search, Touched
from digest.question.periods import default_period
from digest.report.blocks import title_link
from digest.topics.terms import pieces, roots
from handlers.context import Context
from handlers.digests.ingest import ensure, tip_of
from handlers.ports.storage import Tip
from handlers.questions.changed import list_changes
from handlers.questions.named_changes import line_of as fact_line
from handlers.questions.requirements import (
    Requirement,
    files_with,
    find_requirements,
    introduced,
    is_name,
    revalued,
    taken,
)
from handlers.questions.scope import count, month_back, reach, viewpoint
from handlers.questions.search import search

_READ = 500
"""The newest changes that contain the name, whose facts are searched for it."""

_SAID = 3
"""The most facts to show of one change."""


async def name_history(intent: Touched, ctx: Context) -> Answer:
    """The changes whose facts or titles are about the name, newest first, and how it stands.

    Without a period the whole archive is searched, with the last days read, and then the messages
    of all commits. A name that nothing knows is treated as a topic, unless it is in capitals, where
    the words in it prove nothing. If that fails too, the answer says whether it is mentioned.
    """
    tip = await tip_of(ctx)
    await reach(intent.window or default_period(ctx.clock.now(), ctx.zone), ctx, tip)
    query = replace((await reach(intent.window, ctx, tip)).query, limit=_READ)
    found = await _found(intent.name, query, ctx)
    flag, _, value = intent.name.partition("=")
    if not found and value:
        # Titles mention a value mostly without its flag; if none does, the flag is meant.
        topic = re.sub(r"[-_]", " ", value)
        about = await list_changes(
            Changed(window=intent.window or month_back(ctx), topic=topic), ctx
        )
        if about.rows:
            return about
        if await ctx.archive.select(ctx.watched.repository, replace(query, terms=(value,))):
            return await search(Search(terms=(value,), window=intent.window), ctx)
        return await name_history(replace(intent, name=flag), ctx)
    if intent.window is None:
        if not found:
            await reach(month_back(ctx), ctx, tip)
        if is_name(intent.name) or not found:
            older = await ctx.watched.source.find(tip, text=intent.name)
            await ensure(ctx, older[:_OLDER], tip)
            found = await _found(intent.name, query, ctx)
        if not found and (came := await introduced(intent.name, ctx, tip)):
            found = _told(came, intent.name) or [(graded, []) for graded in came]
    found, sure = await _checked(_pins_first(found), intent, ctx, tip)
    state = await _state(intent, found, ctx, tip, sure=sure)
    if found:
        return _answer(intent, found, state, ctx, foot(intent.window, viewpoint(ctx, tip)))
    if not intent.name.isupper():
        about = await list_changes(
            Changed(window=intent.window or month_back(ctx), topic=intent.name), ctx
        )
        if about.rows:
            return _opened(about, state)
    lines = [*state, words.UNTOUCHED(ctx.language, name=Code(intent.name))]
    if await count(ctx, replace(query, terms=(intent.name,), limit=0)):
        said = await search(Search(terms=(intent.name,), window=intent.window), ctx)
        return _opened(said, lines)
    lines.append(foot(intent.window, viewpoint(ctx, tip)))
    document = lines_document(intent.name, lines, viewpoint(ctx, tip))
    return Answer(intent="touched", document=document, topic=intent.name)


_OLDER = 9
"""Commits that are read because their message has the name."""

Found = Sequence[tuple[Graded, list[Fact]]]
"""Changes with their facts about a name; without facts, the title is about it."""


async def _found(name: str, query: Query, ctx: Context) -> Found:
    """The changes about a name: by a fact, or by all the words of it in the title."""
    select = ctx.archive.select
    held = await select(ctx.watched.repository, replace(query, terms=(name.lstrip("-"),)))
    parts = roots(name)
    if len(parts) > 1:
        more = await select(ctx.watched.repository, replace(query, terms=tuple(parts)))
        known = {graded.sha for graded in held}
        held = [*held, *(graded for graded in more if graded.sha not in known)]
        held.sort(key=lambda g: (g.commit.committed_at, g.sha), reverse=True)
    return await asyncio.to_thread(_told, held, name)


def _opened(found: Answer, lines: Sequence[Spans]) -> Answer:
    blocks = (*map(Paragraph, lines), *found.document.blocks)
    return replace(found, document=replace(found.document, blocks=blocks))


async def _checked(found: Found, intent: Touched, ctx: Context, tip: Tip) -> tuple[Found, bool]:
    """The changes with the one that set the default of today, and whether that one is known."""
    later = () if intent.window else await revalued(found, ctx, tip)
    if is_name(intent.name) and not (intent.window or any(facts for _, facts in found)):
        later = await taken(intent.name, [graded for graded, _ in found], ctx, tip)
    more = _told(later or (), intent.name)
    return [*more, *found], later is not None and len(more) == len(later)


async def _state(
    intent: Touched, found: Found, ctx: Context, tip: Tip, *, sure: bool
) -> list[Spans]:
    """How a name stands now, what it is, and what made it so; the surest first."""
    language, name, lines, stands = ctx.language, intent.name, [], None
    facts = [(graded, fact) for graded, some in found for fact in some]
    gone = facts and facts[0][1].action is Action.REMOVED and _is_whole(facts[0][1].name, name)
    pinned = all(fact.kind in VERSIONS for _, fact in facts)
    needs = await find_requirements(name, ctx, tip) if pinned and tip.sha else ()
    if needs:
        stands = True
        lines += [_required(needs, ctx)]
        if found and _is_bump(*found[0], needs[0]):
            lines += await _first_release(found[0][0], tip, ctx)
    elif facts and pinned:
        lines.append(names_text.NOT_REQUIRED(language, name=Code(name)))
    elif tip.sha is not None and (there := await files_with(name, ctx, tip.sha)) is not None:
        files = list_in_words([Code(printable(path)) for path in there], language, limit=3)
        there = [path for path in there if not (gone and path.startswith("."))]
        stands = bool(there)
        phrase = names_text.STANDS if there else names_text.STANDS_NOT
        lines.append(phrase(language, name=Code(name), files=files))
    if renamed := _renamed(name, found):
        graded, other = renamed
        lines.append(_line(names_text.IS_RENAMED, graded, name, ctx, other=Code(other)))
    contract = [(g, f) for g, f in facts if f.kind is not FactKind.DEPRECATION]
    old = [(g, f) for g, f in facts if f.kind is FactKind.DEPRECATION]
    if old and not renamed and old[0][1].action is not Action.REMOVED:
        lines.append(_line(names_text.IS_DEPRECATED, old[0][0], old[0][1].name, ctx))
    said = next((g for g, _ in found if _OF_STATE.search(g.title)), None)
    wanted = not intent.claim or (stands is not None and intent.claim in {"there", "gone"})
    if said is not None and wanted and not renamed and not (facts and pinned):
        day = said.commit.committed_at.astimezone(ctx.zone).date().isoformat()
        change = title_link(said, ctx.watched.repository)
        line = names_text.LAST_SAID(language, change=change, day=day)
        if (to := _DEFAULT_TO.search(said.title[:_MOST_TITLE])) is not None and not needs:
            line = _line(names_text.IS_NOW, said, name, ctx, value=Code(to[1]))
        place = 0 if "default" in said.title.lower() and not needs else len(lines)
        lines.insert(place, line)
    told = [f for _, f in contract if not needs or _pins(f, needs[0])]
    valued = next(((g, f) for g, f in contract if f.after is not None and f in told), None)
    newer = said is None or (valued and _at(valued[0]) >= _at(said))
    if valued is not None and newer and sure and contract[0][1].action is not Action.REMOVED:
        # The value is what is asked for most, but a call does not say it.
        place = len(lines) if needs or (valued[1].after or "").endswith(")") else 0
        lines.insert(place, _valued(*valued, ctx))
    for phrase, action in ((names_text.WENT, Action.REMOVED), (names_text.CAME, Action.ADDED)):
        oldest = found[-1][0] if found else None
        some = [
            (g, f)
            for g, f in contract
            if f.action is action and (_is_whole(f.name, name) or g is oldest)
        ]
        # What is required now may have come by another name, or to another manifest before.
        if some and not ((renamed or needs) and action is Action.ADDED):
            graded, fact = some[0 if action is Action.REMOVED else -1]
            lines.append(_line(phrase, graded, fact.name, ctx))
            lines += await _first_release(some[-1][0], tip, ctx) if action is Action.ADDED else ()
            lines += _purpose(some[-1], language) if action is Action.ADDED else ()
    value = (valued[1].after or "") if valued else None
    claim = "yes" if renamed and intent.claim == "renamed" else intent.claim
    return [*_verdict(replace(intent, claim=claim), found, stands, value, ctx), *lines]


def _verdict(
    intent: Touched, found: Found, stands: bool | None, value: str | None, ctx: Context
) -> list[Spans]:
    """Yes or no to a claim about a name, with the change whose title says it."""
    claim, name, language = intent.claim, intent.name, ctx.language
    turned = claim in {"gone", "experimental"}
    if claim == "yes" or (claim == "default" and (value or "").strip("\"'").lower() in _ON):
        return [names_text.YES(language)]
    if claim == "needed" and ((value or "").lower() in _ON or stands is False):
        return [names_text.NO(language)]
    if claim in {"there", "gone", "needed"} and stands is not None:
        return [(names_text.YES if stands != turned else names_text.NO)(language)]
    for graded, _ in found if claim in _SAYS else ():
        title = graded.title[:_MOST_TITLE]
        said = next((n for n, words in enumerate(_SAYS[claim]) if words.search(title)), None)
        said = said if _SAYS[claim] is not _EXISTS or roots(name) <= roots(title) else None
        if said is not None:
            phrase = names_text.YES_BY if bool(said) == turned else names_text.NO_BY
            return [_line(phrase, graded, "", ctx)]
    if (value is not None and claim == "default") or (
        stands and claim in {"renamed", "deprecated"}
    ):
        return [names_text.NO(language)]
    return [names_text.UNDECIDED(language)] if claim and found else []


_ON = {"true", "1", "on", "yes", "enabled"}
_HEAD = r"^(?:\[[^\]\[]{0,60}\] ?){0,9}(?:[\w/().,-]{1,60}: ?)?(?:\w+ )?"


def _says(*words: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.IGNORECASE) for one in words)


_EXISTS = _says(
    rf"{_HEAD}(?:add|support|introduc|implement|restor|re-?add|reapply)",
    rf"{_HEAD}(?:remov|drop|delet|disallow)|\b(?:drop|remove)s? support",
)
_STABLE = _says(
    r"stabili[sz]|promot|graduat|\b(?:GA|stable)\b", r"\b(?:experimental|preview|beta|unstable)\b"
)
_SAYS = {
    "there": _EXISTS, "gone": _EXISTS, "stable": _STABLE, "experimental": _STABLE,
    "default": _says(
        r"\b(?:enabl|turn on|on|activat)\w*\b.{0,60}\bby default|default.{0,40}\b(?:true|on)\b"
        r"|\bby default\b(?!.{0,60}\b(?:disabl|off))",
        r"\b(?:disabl|turn off|off)\w*\b.{0,60}\bby default|default.{0,40}\b(?:false|off)\b",
    ),
    "deprecated": _says(r"deprecat", r"undeprecat"),
    "renamed": _says(r"\bre-?nam", r"(?!)"),
}  # fmt: skip
"""By claim, words of titles for it and against it; those of a claim that is turned are swapped."""


_OF_STATE = re.compile(
    r"\b(?:stabili[sz]\w*|stable|promot\w+|graduat\w+|experimental|preview|deprecat\w+|defaults?"
    r"|no-?op|re-?nam\w+|remov\w+|introduc\w+|drop\w*)\b",
    re.IGNORECASE,
)
"""Words of titles that say how a thing stands."""


_DEFAULT_TO = re.compile(
    r"\bdefault(?: value)?(?: of \S{1,60})?(?: from \S{1,40})? to ([\w.\"'-]{1,40})", re.IGNORECASE
)


def _required(needs: Sequence[Requirement], ctx: Context) -> Spans:
    """The versions that are required, each with its manifest; those users need come first."""
    versions: dict[tuple[str, str], Spans] = {}
    for one in needs:
        version = f"{one.name} {one.version}" if one.name != needs[0].name else one.version
        shown = Code(version) if one.version else names_text.ANY_VERSION(ctx.language)
        place = Code(f"{printable(one.path)}:{one.line}")
        versions.setdefault((one.name, one.version), join([shown, " (", place, ")"]))
    value = list_in_words(list(versions.values()), ctx.language, limit=3)
    return names_text.REQUIRED_NOW(ctx.language, name=Code(needs[0].name), value=value)


def _pins_first(found: Found) -> Found:
    """The same with the changes of a version first, where all facts are of versions."""
    every = all(fact.kind in VERSIONS for _, facts in found for fact in facts)
    return sorted(found, key=lambda one: not one[1]) if every else found


def _pins(fact: Fact, needed: Requirement) -> bool:
    """Whether a fact set the version that is required now."""
    return fact.evidence.path == needed.path and (fact.after or "").endswith(needed.version)


def _is_bump(graded: Graded, facts: Sequence[Fact], needed: Requirement) -> bool:
    """Whether a change brought the version that is required now."""
    if facts:
        return any(_pins(fact, needed) for fact in facts)
    return re.search(r"\b(?:bump|updat|upgrad)", graded.title, re.IGNORECASE) is not None


def _valued(graded: Graded, fact: Fact, ctx: Context) -> Spans:
    value = Code(fact.after or "")
    if fact.before is None or fact.before == fact.after:
        return _line(names_text.IS_NOW, graded, fact.name, ctx, value=value)
    before = Code(fact.before)
    return _line(names_text.WAS_BEFORE, graded, fact.name, ctx, value=value, before=before)


async def _first_release(graded: Graded, tip: Tip, ctx: Context) -> list[Spans]:
    """The first release that has a change, or a copy of it."""
    released = ctx.watched.source.released
    first, copies = await released(tip, graded.sha, graded.commit.subject)
    tag = first or next(iter(copies), "")
    if not tag and not await ctx.watched.source.releases():
        return []
    phrase = names_text.FIRST_IN if tag else names_text.IN_NO_RELEASE
    return [phrase(ctx.language, tag=Code(tag))]


def _purpose(came: tuple[Graded, Fact], language: Language) -> list[Spans]:
    """What the change that added a name says that it is for."""
    graded, fact = came
    line = line_of(graded, language)
    return [line] if fact.name in plain(line) else []


def _is_whole(known: str, name: str) -> bool:
    """Whether a fact is about the name itself, not about a field of that name elsewhere."""
    return without_dashes(known) == without_dashes(name) or without_dashes(known).endswith(
        f"/{without_dashes(name)}"
    )


def _renamed(name: str, found: Found) -> tuple[Graded, str] | None:
    """The change that renamed a name, by a fact or its title, and the new name."""
    wanted = pieces(name)
    for graded, facts in found:
        for fact in facts:
            if fact.action is Action.RENAMED and fact.before and pieces(fact.before) == wanted:
                return graded, fact.name
        if (said := _RENAMES.search(graded.title[:_MOST_TITLE])) is not None:
            old, new = said["old"].strip("`"), said["new"].strip("`.,()")
            if pieces(old)[: len(wanted)] == wanted:
                return graded, new
    return None


_RENAMES = re.compile(
    r"\bre-?nam\w+ (?P<old>\S+)(?: \w+)? (?:to|->|→|as|into) (?P<new>\S+)", re.IGNORECASE
)
_MOST_TITLE = 300


def _at(graded: Graded) -> datetime:
    return graded.commit.committed_at


def _line(phrase: Phrase, graded: Graded, name: str, ctx: Context, **more: Part) -> Spans:
    change = title_link(graded, ctx.watched.repository)
    day = graded.commit.committed_at.astimezone(ctx.zone).date().isoformat()
    return phrase(ctx.language, name=Code(name), change=change, day=day, **more)


def _told(held: Sequence[Graded], name: str) -> Found:
    """The changes with facts about the name, with these facts, and those titled with it."""
    bare = re.escape(name.lstrip("-"))
    known = re.compile(rf"(?:^-*|[.:/\s`])_?{bare}(?:$|[.:/@\s(=`,])", re.IGNORECASE)
    parts = roots(name)
    found: list[tuple[Graded, list[Fact]]] = []
    for graded in held:
        facts = [item for item in graded.facts.items if known.search(item.name)]
        titled = known.search(graded.title) or (len(parts) > 1 and parts <= roots(graded.title))
        if facts or titled:
            found.append((graded, facts))
    return found


def _answer(
    intent: Touched,
    found: Found,
    state: Sequence[Spans],
    ctx: Context,
    end: Spans,
) -> Answer:
    language = ctx.language
    first = first_of(ctx.page, len(found))
    page = found[first : first + PAGE]
    title = words.TOUCHED.text(language, name=intent.name, n=len(found))
    people = Counter(people_of(graded)[0] for graded, _ in found)
    shown = str(len(page)) if not first else f"{first + 1}–{first + len(page)}"
    phrase = SHOWN if first + len(page) == len(found) else SHOWN_SO_FAR
    counted = phrase.text(language, shown=shown, total=len(found))
    blocks: list[Block] = [
        Heading(1, (Text(title),)),
        *map(Paragraph, state),
        Paragraph(
            words.PEOPLE(language, people=people_words(people, ctx.watched.repository, language))
        ),
        Listing(tuple(_item(graded, facts, ctx) for graded, facts in page)),
        Paragraph(join([f"{counted} · ", end]), aside=True),
    ]
    listed = found if ctx.every else page
    return Answer(
        intent="touched",
        document=Document(title=title, blocks=tuple(blocks), language=str(language)),
        topic=intent.name,
        total=len(found),
        subject=_decisive(found),
        rows=tuple(
            AnswerRow(graded=g, why=_did(facts, intent.name, language)) for g, facts in listed
        ),
    )


def _decisive(found: Found) -> str:
    """The change that removed, renamed, told of in its title, or added a name, else the newest."""
    did = [(graded, {fact.action for fact in facts}) for graded, facts in found]
    for action in (Action.REMOVED, Action.RENAMED, None, Action.ADDED):
        for graded, actions in did:
            if action in actions or (action is None and _OF_STATE.search(graded.title)):
                return graded.sha
    return found[0][0].sha


def _item(graded: Graded, facts: Sequence[Fact], ctx: Context) -> Item:
    """The change with its effect on the name, each fact with its place."""
    told: dict[Spans, None] = {}
    for fact in facts:
        what = fact_line(fact, ctx)
        place = Code(f"{printable(fact.evidence.path)}:{fact.evidence.line}")
        told.setdefault(words.AT(ctx.language, what=what, place=place))
    day = graded.commit.committed_at.astimezone(ctx.zone).date().isoformat()
    head = (*entry_of(graded, ctx.watched.repository), Text(f" · {day}"))
    return Item(head, tuple(Item(spans) for spans in list(told)[:_SAID]))


def _did(facts: Sequence[Fact], name: str, language: Language) -> str:
    if not facts:
        return WHY[TopicPlace.TITLE].text(language, shown=name)
    return words.ACTIONS[facts[0].action].text(language, name=facts[0].name)
