"""``explain NAME``: the history of a class, function, flag or variable, and its authors."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from digest.analysis.context import VERSIONS
from digest.answer import answers
from digest.answer.listing import PAGE, first_of
from digest.answer.tallies import people_of
from digest.core.change import printable
from digest.core.enums import Language, TopicPlace
from digest.core.facts import Action, Fact, FactKind
from digest.core.grade import Graded
from digest.core.patterns import lazy
from digest.core.reference import Query
from digest.document import Code, Item, Paragraph, Spans, Text
from digest.i18n import answer_text as words
from digest.i18n.answer_text import WHY
from digest.question.intent import Changed, Search, Touched
from digest.question.periods import default_period
from digest.topics.matching import topic_words
from digest.topics.synonyms import english_of
from digest.topics.terms import (
    HAN,
    STOP_WORDS,
    is_code_name,
    is_misspelt,
    pieces,
    roots,
    term,
)
from handlers.context import Context
from handlers.digests.ingest import ensure, tip_of
from handlers.ports.storage import Tip, names_of
from handlers.questions.changed import list_changes
from handlers.questions.declared_names import (
    declaring,
    defaults_now,
    files_with,
    introduced,
    revalued,
    taken,
)
from handlers.questions.name_state import (
    OF_VALUE,
    released_in,
    required_since,
    state_lines,
)
from handlers.questions.named_changes import line_of as fact_line
from handlers.questions.named_history import Found, NamedHistory, has_whole, removes
from handlers.questions.requirements import OTHER_NAMES, find_requirements, pins, raised
from handlers.questions.scope import count, month_back, reach, viewpoint
from handlers.questions.search import nearest, search

_ZH_NOUN = re.compile(r"\s*[\u4e00-\u9fff]{1,6}$")
"""A Chinese noun after a name, such as 编码, which does not occur in its changes."""

_READ = 500  # the newest changes that contain the name, whose facts are searched for it
_SAID = 3  # the most facts to show of one change
_EVIDENCE = 3  # the most changes to list below an answer about a name


async def name_history(intent: Touched, ctx: Context) -> answers.Answer:
    """The changes about the name, newest first, and its present state.

    Without a period, the last days are read and the whole archive is searched, then the messages of
    all commits. An unknown name is treated as a topic, unless it is in capitals, whose words prove
    nothing. If that fails too, the answer says whether it is mentioned.
    """
    tip, tried = await tip_of(ctx), {intent.name}
    while isinstance(found := await _history(intent, ctx, tip), str):
        if found in tried:  # two names that are taken for one another
            line = words.UNTOUCHED(ctx.language, name=Code(intent.name))
            return _untouched([line], intent, ctx, tip)
        tried.add(found)
        intent = replace(intent, name=found)
    return found


async def _history(intent: Touched, ctx: Context, tip: Tip) -> answers.Answer | str:
    """The answer about a name, or another name that is meant by it."""
    if intent.claim == "value" and (other := OTHER_NAMES.get(intent.name.lower())):
        return other
    if required := await _since_required(intent, ctx, tip):
        return required
    if intent.claim in _DATED - {"value"} and (command := await _command(intent.name, ctx, tip)):
        return command
    await reach(intent.window or default_period(ctx.clock.now(), ctx.zone), ctx, tip)
    if intent.claim in _OF_DEFAULT and (name := await _spelled(intent.name, ctx, tip)):
        return name
    if intent.claim == "revalued" and " " in intent.name:  # of an area, not of one setting
        listed = Changed(window=month_back(ctx), topic=intent.name, anytime=True, defaults=True)
        return await list_changes(listed, ctx)
    query = replace((await reach(intent.window, ctx, tip)).query, limit=_READ)
    found = await _found(intent.name, query, ctx)
    flag, _, value = intent.name.partition("=")
    if not found and value:
        # Titles usually mention a value without its flag; if none does, the flag is meant.
        topic = re.sub(r"[-_]", " ", value)
        about = await list_changes(
            Changed(window=intent.window or month_back(ctx), topic=topic), ctx
        )
        if about.rows:
            return about
        if await ctx.archive.select(ctx.watched.repository, replace(query, terms=(value,))):
            return await search(Search(terms=(value,), window=intent.window), ctx)
        return flag
    if intent.window is None:
        if not found:
            await reach(month_back(ctx), ctx, tip)
        if is_code_name(intent.name) or intent.claim in _ENDS or not found:
            older = await ctx.watched.source.find(tip, text=intent.name)
            telling = await _telling(intent, ctx, tip)
            await ensure(ctx, list(dict.fromkeys([*older[:_OLDER], *telling])), tip)
            found = await _found(intent.name, query, ctx)
        if not found and (came := await introduced(intent.name, ctx, tip)):
            found = _told(came, intent.name) or [(graded, []) for graded in came]
    if other := await _in_other_case(found, intent.name, ctx, tip):
        return other
    owner, dot, field = intent.name.rpartition(".")
    if not found and dot and owner.isidentifier() and is_code_name(field):
        return field  # message.reasoning_content
    if not found and (name := _in_english(intent)) != intent.name:
        return name
    if not found and (name := await _spelled(intent.name, ctx, tip)):
        return name
    if intent.claim == "value":
        needs = () if _versions(found) else await find_requirements(intent.name, ctx, tip)
        if needs and term(needs[0].name) != term(intent.name):
            return needs[0].name  # AITER_BRANCH
        found = _versions(found) or found
    found = await _pins_first(found, intent.name, ctx, tip)
    found, sure = await _checked(found, intent, ctx, tip)
    history = NamedHistory(name=intent.name, found=found, sure=sure)
    state = await state_lines(history, intent, ctx, tip)
    if found:
        return _answer(history, state, intent, ctx, tip)
    lines = [*state, words.UNTOUCHED(ctx.language, name=Code(intent.name))]
    if await find_requirements(intent.name, ctx, tip):
        return _untouched(lines, intent, ctx, tip)  # a package that is required is not misspelt
    if known := await _respelt(intent.name, ctx):
        return known
    parts = [word for word in topic_words(intent.name) if term(word) not in STOP_WORDS]
    parts += ["default"] if intent.claim == "value" and parts else []
    if len(parts) > 1 and not intent.window and (near := await nearest(parts, ctx)) is not None:
        dated = intent.claim in {"added", "release"}
        return _opened(near, await _releases(near, tip, ctx) if dated else state)
    if not intent.name.isupper() and not intent.name.startswith("--"):
        about = await list_changes(
            Changed(window=intent.window or month_back(ctx), topic=intent.name), ctx
        )
        if about.rows:
            dated = intent.claim == "release"
            return _opened(about, await _releases(about, tip, ctx) if dated else state)
    # The words of a flag that never was stand in titles about other things.
    worded = intent.name.islower() and not intent.name.startswith("--")
    parts = [*pieces(intent.name)] if worded and not intent.window else []
    if len(parts) > 1 and (near := await nearest(parts, ctx)) is not None:
        dated = intent.claim in {"added", "release"}
        others = await _releases(near, tip, ctx) if dated else []
        return _opened(near, [*state, *others])  # titles have the words of a name
    if await count(ctx, replace(query, terms=(intent.name,), limit=0)):
        said = await search(Search(terms=(intent.name,), window=intent.window), ctx)
        return _opened(said, lines)
    return _untouched(lines, intent, ctx, tip)


async def _command(name: str, ctx: Context, tip: Tip) -> str:
    """The command that a word is a part of, as titles quote it: *uv format*; else empty."""
    if not (name.isalpha() and name.islower() and name.isascii()):
        return ""
    titles = await ctx.watched.source.titles(tip)
    for program in sorted(names_of(ctx.watched)):
        quoted = f"`{program} {name}"
        if any(quoted in one.title and has_whole(one.title, quoted[1:]) for one in titles):
            return quoted[1:]
    return ""


async def _telling(intent: Touched, ctx: Context, tip: Tip) -> Sequence[str]:
    """The oldest commit of the whole history whose title has the name, and the newest removal.

    Only what the question needs; for a name that is still there, only if it is one of the code.
    """
    if intent.claim not in _ENDS or (intent.claim == "there" and not is_code_name(intent.name)):
        return ()
    titles = await ctx.watched.source.titles(tip)
    came = (one.sha for one in reversed(titles) if has_whole(one.title, intent.name))
    went = (one.sha for one in titles if removes(one.title, intent.name))
    found = [] if intent.claim in {"gone", "removed"} else [next(came, "")]
    found += [] if intent.claim in {"added", "release"} else [next(went, "")]
    return [sha for sha in found if sha]


_ENDS = frozenset({"added", "release", "there", "gone", "removed"})
"""Questions about the first or the last change of a name."""


async def _since_required(intent: Touched, ctx: Context, tip: Tip) -> answers.Answer | None:
    """Since when a version of something is required, or no longer enough; ``None`` if unknown."""
    match = _VERSION_OF.fullmatch(intent.name)
    if match is None or intent.window or intent.claim not in _DATED:
        return None
    needs = await find_requirements(match[1], ctx, tip)
    past = intent.claim == "removed"
    sha, least = await raised(needs[0], match[2], ctx, tip, past=past) if needs else ("", "")
    if not sha:
        return None
    name = needs[0].name
    (graded,) = await ensure(ctx, [sha], tip)
    facts = [f for f in graded.facts.items if f.kind in VERSIONS and f.name == name]
    lines = await required_since(graded, needs, least, ctx, tip)
    history = NamedHistory(name=name, found=[(graded, facts)], sure=True)
    return _answer(history, lines, intent, ctx, tip)


_VERSION_OF = lazy(r"([a-z][\w.+-]{0,60}?) ?v?(\d{1,6}(?:\.\d{1,6}){0,2})", re.IGNORECASE)
_DATED = frozenset({"added", "release", "removed", "value"})


def _untouched(lines: Sequence[Spans], intent: Touched, ctx: Context, tip: Tip) -> answers.Answer:
    at = viewpoint(ctx, tip)
    document = answers.lines_document(intent.name, [*lines, answers.foot(intent.window, at)], at)
    return answers.Answer(intent="touched", document=document, topic=intent.name)


async def _releases(found: answers.Answer, tip: Tip, ctx: Context) -> list[Spans]:
    """The first releases with the newest changes of an answer."""
    few = found.rows[:_RELEASED]
    return [line for row in few for line in await released_in(row.graded, tip, ctx)]


_RELEASED = 3  # the most changes whose first release is looked up
_MOST_TITLE = 300
_JOINED = 6  # parts of a name that are looked for in order: ways to match grow with each
_BETWEEN = r"(?:\W\w{1,20})?[\W_]?"  # the parts of a name in a title: at most one word between
_OLDER = 9  # the most commits to read because their message contains the name


async def _respelt(name: str, ctx: Context) -> str:
    """The term of the index that a word misspells; empty for names of code."""
    word = term(name)
    if is_code_name(name) or " " in name or not word.isascii():
        return ""
    alike = await ctx.archive.alike(ctx.watched.repository, (word,))
    near = [one for one in alike if word not in alike and is_misspelt(word, one)]
    return max(near, key=alike.__getitem__, default="")


def _in_english(intent: Touched) -> str:
    """A name whose Chinese nouns are in English where they have a synonym, else left out.

    What is claimed of a name is not claimed of a part of it, so nothing is left out then.
    """
    english = HAN.sub(lambda run: f" {english_of(run[0]) or run[0]}", intent.name)
    name = " ".join(english.split())
    bare = name if intent.claim else _ZH_NOUN.sub("", name)
    return bare if bare and bare.isascii() else intent.name


async def _found(name: str, query: Query, ctx: Context) -> Found:
    """The changes about a name: with a fact about it, or with all of its words in the title."""
    select = ctx.archive.select
    held = await select(ctx.watched.repository, replace(query, terms=(name.lstrip("-"),)))
    parts = roots(name)
    if len(parts) > 1:
        more = await select(ctx.watched.repository, replace(query, terms=tuple(parts)))
        known = {graded.sha for graded in held}
        held = [*held, *(graded for graded in more if graded.sha not in known)]
        held.sort(key=lambda g: (g.commit.committed_at, g.sha), reverse=True)
    now = ctx.clock.now()
    held = [graded for graded in held if graded.commit.committed_at <= now]
    return await asyncio.to_thread(_told, held, name)


def _opened(found: answers.Answer, lines: Sequence[Spans]) -> answers.Answer:
    blocks = (*map(Paragraph, lines), *found.document.blocks)
    return replace(found, document=replace(found.document, blocks=blocks))


async def _checked(found: Found, intent: Touched, ctx: Context, tip: Tip) -> tuple[Found, bool]:
    """The changes, with the one that set the present default, and whether that one is known."""
    name = intent.name if intent.claim in OF_VALUE and is_code_name(intent.name) else ""
    later = () if intent.window else await revalued(found, ctx, tip, name=name)
    asks = intent.claim in {"there", "gone", "removed"} and not _removed(found)
    told = intent.window or later or (any(facts for _, facts in found) and not asks)
    if is_code_name(intent.name) and not told:
        later = await taken(intent.name, [graded for graded, _ in found], ctx, tip)
    more = _told(later or (), intent.name)
    known = {graded.sha for graded, _ in more}
    return [*more, *(one for one in found if one[0].sha not in known)], later is not None and len(
        more
    ) == len(later)


def _removed(found: Found) -> bool:
    """Whether the newest fact about a name removes it."""
    newest = next((fact for _, facts in found for fact in facts), None)
    return newest is not None and newest.action in {Action.REMOVED, Action.RENAMED}


def _versions(found: Found) -> Found:
    """The changes that only changed versions of the name, with these facts."""
    pinned = [(graded, [f for f in facts if f.kind in VERSIONS]) for graded, facts in found]
    return [one for one in pinned if one[1]]


async def _pins_first(found: Found, name: str, ctx: Context, tip: Tip) -> Found:
    """The changes with those of versions first, if all facts are about versions.

    First is the one that set the version that is required now.
    """
    every = all(fact.kind in VERSIONS for _, facts in found for fact in facts)
    if not every or not any(facts for _, facts in found):
        return found
    needed = (await find_requirements(name, ctx, tip))[:1]
    sets = {g.sha for one in needed for g, facts in found if any(pins(f, one) for f in facts)}
    return sorted(found, key=lambda one: (one[0].sha not in sets, not one[1]))


def _told(held: Sequence[Graded], name: str) -> Found:
    """The changes with facts about the name, with these facts, and those titled with it."""
    found = _told_as(held, name, re.escape(name.lstrip("-")))
    if is_code_name(name) and not any(facts for _, facts in found):
        # A flag and the setting behind it differ in hyphens and underscores.
        bare = re.sub(r"\\-|_", "[_-]", re.escape(name.lstrip("-")))
        return _told_as(held, name, bare)
    return found


def _told_as(held: Sequence[Graded], name: str, bare: str) -> Found:
    """The same for a name whose spellings the expression ``bare`` matches."""
    # "Bamba" stands for BambaForCausalLM; in a title "bamba" does too.
    classes = "" if name.isupper() else rf"|(?-i:(?=[A-Z])(?i:{bare})[A-Z][a-z])"
    ends = rf"_?{bare}(?:$|[.:/@\s(=`,])"
    said = re.compile(rf"(?:^-*|[.:/\s`=])(?:{ends}{classes})", re.IGNORECASE)
    named = said if name[:1].isupper() else re.compile(rf"(?:^-*|[.:/\s`=]){ends}", re.IGNORECASE)
    longer = re.compile(r"-.*\." if name.startswith("-") and "." not in name else r"(?!)")
    parts = roots(name)
    joined = lazy(_BETWEEN.join(map(re.escape, pieces(name)[:_JOINED])), re.IGNORECASE)
    found: list[tuple[Graded, Sequence[Fact]]] = []
    for graded in held:
        title = graded.title[:_MOST_TITLE]
        facts = [item for item in graded.facts.items if named.search(item.name)]
        facts = [item for item in facts if not longer.match(item.name)]  # --storage.agent.path
        titled = said.search(title) or (len(parts) > 1 and parts <= roots(title))
        # The words of --swap-space may stand apart in a title that is about something else.
        apart = (
            titled and is_code_name(name) and not said.search(title) and not joined.search(title)
        )
        if facts or (titled and not apart):
            found.append((graded, facts))
    return found


def _answer(
    history: NamedHistory, state: Sequence[Spans], intent: Touched, ctx: Context, tip: Tip
) -> answers.Answer:
    language, found, name = ctx.language, history.found, history.name
    if intent.claim == "revalued":  # what gave it another default comes first
        found = sorted(found, key=lambda one: one[0].sha not in history.revalued)
    people = Counter(people_of(graded)[0] for graded, _ in found)
    who = words.PEOPLE(
        language, people=answers.people_words(people, ctx.watched.repository, language)
    )
    size = _EVIDENCE if intent.claim and not ctx.every else PAGE
    first = first_of(ctx.page, len(found), size)
    return answers.Answer(
        intent="touched",
        document=answers.page_document(
            words.TOUCHED.text(language, name=name, n=len(found)),
            [_item(graded, facts, ctx) for graded, facts in found],
            intent.window,
            viewpoint(ctx, tip),
            above=[*map(Paragraph, state), Paragraph(who)],
            size=size,
            page=ctx.page,
        ),
        cut=size < len(found),
        topic=name,
        total=len(found),
        subject=history.decisive,
        rows=tuple(
            answers.AnswerRow(graded=g, why=_did(facts, name, language))
            for g, facts in (found if ctx.every else found[first : first + size])
        ),
    )


def _item(graded: Graded, facts: Sequence[Fact], ctx: Context) -> Item:
    """The change with its effect on the name, each fact with its place."""
    told: dict[Spans, None] = {}
    for fact in sorted(facts, key=lambda f: f.kind is FactKind.DEPRECATION):
        if told and fact.kind is FactKind.DEPRECATION and fact.action is Action.REMOVED:
            continue  # it is told as removed
        what = fact_line(fact, ctx)
        place = Code(f"{printable(fact.evidence.path)}:{fact.evidence.line}")
        told.setdefault(words.AT(ctx.language, what=what, place=place))
    day = graded.commit.committed_at.astimezone(ctx.zone).date().isoformat()
    head = (*answers.entry_of(graded, ctx.watched.repository), Text(f" · {day}"))
    return Item(head, tuple(Item(spans) for spans in list(told)[:_SAID]))


def _did(facts: Sequence[Fact], name: str, language: Language) -> str:
    if not facts:
        return WHY[TopicPlace.TITLE].text(language, shown=name)
    return words.ACTIONS[facts[0].action].text(language, name=facts[0].name)


async def _in_other_case(found: Found, name: str, ctx: Context, tip: Tip) -> str:
    """The name as changes or the branch spell it, if there is none in the case of the question."""
    told = {fact.name.rpartition(".")[2] for _, facts in found for fact in facts}
    others = {one for one in told if one.lower() == name.lower()}
    if len(others) > 1 or name in others or await files_with(name, ctx, tip.sha or ""):
        return ""
    upper = name.upper() if "_" in name and name.islower() else ""
    upper = upper if not others and upper and await files_with(upper, ctx, tip.sha or "") else ""
    return next(iter(others), upper)


async def _spelled(name: str, ctx: Context, tip: Tip) -> str:
    """The variable or setting that words mean, as ``APP_TIMEOUT`` by *app timeout*; else empty."""
    parts = re.findall(r"[a-z\d]+", name.lower())
    if " " not in name or not name.isascii() or not 1 < len(parts) <= _LONGEST_SPELLED:
        return ""
    joined = "_".join(parts).upper()
    whole = lazy(rf"\b[A-Z][A-Z\d]*_{joined}\b")
    texts = await declaring([joined], ctx, tip)
    found = Counter[str](one for text in texts.values() for one in whole.findall(text))
    if found:
        return max(found, key=lambda one: (-one.count("_"), found[one]))
    named = {fact.name.rpartition(".")[2] for fact in await defaults_now(name, ctx, tip)}
    return named.pop() if len(named) == 1 else ""


_LONGEST_SPELLED = 5  # words
_OF_DEFAULT = frozenset({"value", "revalued"})
