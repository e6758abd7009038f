"""Changes by name: flags, variables, settings, routes, metrics, dependencies, and defaults."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from digest.answer.answers import (
    Answer,
    AnswerRow,
    Seen,
    entry_of,
    foot,
    graded_because,
    lines_document,
    page_document,
    title_of,
)
from digest.answer.listing import first_of
from digest.answer.release_notes import UpgradeItem, met, met_words
from digest.core.change import printable
from digest.core.enums import ChangeKind
from digest.core.facts import FACTS_VERSION, Action, Area, Fact, FactKind
from digest.core.grade import Graded
from digest.core.reference import Query
from digest.document import (
    Block,
    Code,
    Document,
    Item,
    Link,
    Listing,
    Paragraph,
    Spans,
    Strong,
    Text,
)
from digest.frozen import frozen
from digest.i18n import answer_text as words
from digest.i18n.phrase import join
from digest.i18n.statement_text import COMMA
from digest.question.intent import Changed
from digest.report.blocks import title_link
from digest.topics.synonyms import kin
from digest.topics.terms import pieces, term
from handlers.context import Context
from handlers.ports.storage import Tip
from handlers.questions.list_reading import Meant, resolved_topic, selected
from handlers.questions.scope import Reach, viewpoint

PUBLIC = (FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG, FactKind.ROUTE, FactKind.METRIC)
"""The kinds that are meant if a question names none."""

_PAGE = 25  # names on a page; each is a line
_ASIDE = frozenset({Area.TESTS, Area.EXAMPLES, Area.BENCHMARKS, Area.VENDORED, Area.GENERATED})
"""Areas whose names do not concern users."""


@frozen(kw_only=False)
class Named:
    """The effect of a change on a name."""

    graded: Graded
    fact: Fact


async def names(intent: Changed, reached: Reach, ctx: Context, tip: Tip) -> Answer | None:
    """The names that an intent asks for, with the changes that added, removed or changed them.

    ``None`` if it names a topic that matches no name: its changes are listed then.
    """
    if ChangeKind.DEPENDENCIES in intent.kinds and not intent.things:
        intent = replace(intent, things=_VERSIONS, kinds=())
    query = replace(
        reached.query,
        author=intent.author,
        level=intent.level,
        paths=(intent.path,) if intent.path else (),
    )
    changes = await ctx.archive.select(ctx.watched.repository, query)
    found = await asyncio.to_thread(lambda: list(_named(changes, intent)))
    back = _restored(changes) if intent.actions else frozenset[tuple[FactKind, str]]()
    found = [one for one in found if (one.fact.kind, one.fact.name) not in back]
    # "rust" is Rust itself, not a package with it in its name.
    same = [one for one in found if one.fact.name.casefold() == intent.topic.casefold()]
    found = same or found
    if not found and intent.topic:
        # A change about the topic may add a name without it.
        topic = await resolved_topic(intent, ctx)
        if topic.topics:
            query = replace(query, topics=topic.topics, about=topic.alternatives)
            changes = await ctx.archive.select(ctx.watched.repository, query)
            bare = replace(intent, topic="")
            found = await asyncio.to_thread(lambda: list(_named(changes, bare)))
        if not found:
            return None
    at = viewpoint(ctx, tip)
    told = list(dict.fromkeys(one.graded.sha for one in found))
    by_name = {one.graded.sha: one for one in found}
    rows = tuple(AnswerRow(graded=by_name[sha].graded, why=_why(by_name[sha], ctx)) for sha in told)
    if found:
        title = words.TITLE.text(
            ctx.language, names=about(intent, ctx), n=len(found), changes=len(told)
        )
        items = [_item(one, ctx) for one in found]
        first = first_of(ctx.page, len(found), _PAGE)
        listed = tuple(_row(one, intent) for one in found[first : first + _PAGE])
        above = [Paragraph(line) for line in _read_before(changes, ctx)]
        document = page_document(
            title, items, intent.window, at, above=above, size=_PAGE, page=ctx.page
        )
    else:
        said, listed = _titled(changes, intent), ()
        rows = tuple(AnswerRow(graded=graded, why="", unseen="") for graded in said)
        told = [graded.sha for graded in said]
        lines = [words.NONE(ctx.language, names=about(intent, ctx))]
        lines += _read_before(changes, ctx)
        lines += [words.TITLES_SAY(ctx.language)] if said else []
        lines += [entry_of(graded, ctx.watched.repository) for graded in said[:_PAGE]]
        document = lines_document(intent.topic, [*lines, foot(intent.window, at)], at)
    return Answer(
        intent="changed",
        document=document,
        window=reached.window,
        topic=intent.topic,
        total=len(told),
        rows=rows,
        listed=listed,
    )


def _row(one: Named, intent: Changed) -> str:
    """The row that a follow-up points at: the change, and the name if it is asked about itself."""
    name = one.fact.name.split()[-1] if " --" in one.fact.name else one.fact.name
    if Action.REMOVED in intent.actions and one.fact.action is Action.RENAMED:
        name = one.fact.before or name
    return f"{one.graded.sha} {name}" if one.fact.kind in PUBLIC else one.graded.sha


def _read_before(changes: Sequence[Graded], ctx: Context) -> list[Spans]:
    """A note on changes whose facts an older version read."""
    n = sum(graded.facts.version != FACTS_VERSION for graded in changes)
    command = Code("digestbot archive rebuild")
    return [words.READ_BEFORE(ctx.language, n=n, command=command)] if n else []


def _titled(changes: Sequence[Graded], intent: Changed) -> list[Graded]:
    """The changes whose titles say it, where no fact shows it: *Add tiering metrics*."""
    nouns = frozenset().union(*(kin(term(_WORD[kind])) for kind in intent.things if kind in _WORD))
    patterns = [SAYS[action] for action in intent.actions]
    patterns += [_DEPRECATES] if ChangeKind.DEPRECATIONS in intent.kinds else []
    return [
        graded
        for graded in changes
        if any(pattern.search(graded.title) for pattern in patterns)
        and (not intent.things or nouns.intersection(pieces(graded.title)))
        and Area.CORE in graded.facts.areas
    ]


_WORD = {
    FactKind.FLAG: "flag",
    FactKind.ROUTE: "endpoint",
    FactKind.METRIC: "metric",
    FactKind.CONFIG: "setting",
}
"""The word by which titles call a kind of name."""

SAYS = {
    Action.ADDED: re.compile(
        r"\b(?:add(?:s|ed|ing)?|support(?:s|ed)?|introduc\w{1,4}|new|implement\w{0,6}|enabl\w{1,4})\b",
        re.IGNORECASE,
    ),
    Action.REMOVED: re.compile(
        r"\b(?:remov\w{1,4}|drop(?:s|ped|ping)?|delet\w{1,4})\b", re.IGNORECASE
    ),
    Action.RENAMED: re.compile(r"\brenam\w{1,4}\b", re.IGNORECASE),
    Action.CHANGED: re.compile(r""),
}
"""Titles that say that something was done."""

_DEPRECATES = re.compile(r"\bdeprecat", re.IGNORECASE)


def _named(changes: Sequence[Graded], intent: Changed) -> Iterator[Named]:
    """The names of the changes, newest first, once per change and action."""
    kinds = frozenset(intent.things or PUBLIC)
    if FactKind.DEPENDENCY in kinds:
        kinds |= {FactKind.TOOLCHAIN}  # "was Rust bumped"
    actions = set(intent.actions)
    if actions & {Action.ADDED, Action.REMOVED}:  # a renamed thing has a new name and lost its old
        actions.add(Action.RENAMED)
    asked, announced = pieces(intent.topic), ChangeKind.DEPRECATIONS in intent.kinds
    for graded in changes:
        partners = _partners(graded, kinds) if intent.actions == (Action.RENAMED,) else frozenset()
        aside = {file.path for file in graded.facts.files if file.area in _ASIDE}
        told: set[tuple[str | None, ...]] = set()
        for fact in graded.facts.items:
            done = not actions or fact.action in actions or fact.name in partners
            fits = _deprecates(fact, kinds) if announced else fact.kind in kinds
            fits = fits and done
            values = (fact.before, fact.after) if fact.kind in _VERSIONS else ()
            key = (fact.name, fact.action, *values)
            if not fits or fact.evidence.path in aside or key in told:
                continue
            if asked and not set(asked) <= {*pieces(fact.name), *pieces(fact.name.lower())}:
                continue
            if intent.switched and _stands(fact) != intent.switched:
                continue
            told.add(key)
            yield Named(graded, fact)


def _deprecates(fact: Fact, kinds: Collection[FactKind]) -> bool:
    """Whether a deprecation is of a name of the kinds, which only the look of the name tells."""
    if fact.kind is not FactKind.DEPRECATION or fact.action is Action.REMOVED:
        return False
    for kind, looks in _LOOKS.items():
        if looks.match(fact.name):
            return kind in kinds
    return bool({FactKind.CONFIG, FactKind.SYMBOL, FactKind.METRIC} & set(kinds))


_LOOKS = {
    FactKind.FLAG: re.compile(r"--?[A-Za-z]"),
    FactKind.ROUTE: re.compile(r"(?:[A-Z]+ )?/"),
    FactKind.ENVIRONMENT: re.compile(r"[A-Z][A-Z0-9]*_[A-Z0-9_]+$"),
}


def _restored(changes: Sequence[Graded]) -> frozenset[tuple[FactKind, str]]:
    """What the changes, newest first, remove and add again, so that it is there as before."""
    steps: dict[tuple[FactKind, str], list[Action]] = {}
    for fact in (fact for graded in changes for fact in graded.facts.items):
        if fact.action in {Action.ADDED, Action.REMOVED} and fact.kind in PUBLIC:
            steps.setdefault((fact.kind, fact.name), []).append(fact.action)
    ends = (Action.ADDED, Action.REMOVED)
    return frozenset(key for key, done in steps.items() if (done[0], done[-1]) == ends)


def _partners(graded: Graded, kinds: Collection[FactKind]) -> frozenset[str]:
    """Removed names paired with an added name that shares most of their words."""
    came, went = (
        [fact.name for fact in graded.facts.items if fact.kind in kinds and fact.action is action]
        for action in (Action.ADDED, Action.REMOVED)
    )
    alike = ((new, old) for new in came for old in went if _share(new, old) > _ALIKE)
    return frozenset(name for pair in alike for name in pair)


def _share(one: str, other: str) -> float:
    first, second = set(pieces(one)), set(pieces(other))
    return len(first & second) / max(len(first), len(second)) if first else 0.0


_ALIKE = 0.5  # the least share of common words for two names to be a rename


def _stands(fact: Fact) -> str:
    """Whether the default of a name is ``on`` or ``off``; empty if the code does not show it."""
    value = (fact.after or "").strip("\"'").casefold()
    return "" if fact.after is None else "off" if value in _OFF else "on"


_OFF = frozenset({"", "0", "false", "off", "no", "none", "null", "disabled"})


async def dependency_blocks(asked: Meant, ctx: Context) -> Sequence[Block]:
    """The dependencies of the listed changes, each once, from its first version to its last."""
    changes = await selected(asked, ctx)
    few = [g for g in changes if len(g.facts.of(FactKind.DEPENDENCY)) <= _MANY]
    versions = replace(asked.intent, topic="", things=_VERSIONS, actions=())
    found = await asyncio.to_thread(lambda: list(_named(few, versions)))
    steps: dict[tuple[str, str], list[Named]] = {}
    for one in found:
        # One manifest may require another version than the next; a workflow uses what others do.
        path = one.fact.evidence.path
        if one.fact.action is Action.CHANGED or not path.startswith(".github/"):
            steps.setdefault((one.fact.name, path), []).append(one)
    last = sorted(
        steps.values(), key=lambda some: some[0].fact.evidence.path.startswith(".github/")
    )
    lines = dict.fromkeys(_line(_whole(some), ctx) for some in last)
    if not lines:
        return ()
    title = words.FACT_KINDS[FactKind.DEPENDENCY].text(ctx.language)
    count = len({one.graded.sha for some in steps.values() for one in some})
    head = words.TITLE.text(ctx.language, names=title, n=len(lines), changes=count)
    shown = list(lines)[:_PAGE]
    if len(lines) > _PAGE:
        shown.append((Text(words.SHOWN.text(ctx.language, shown=str(_PAGE), total=len(lines))),))
    return Paragraph((Strong(head),)), Listing(tuple(map(Item, shown)))


def _whole(steps: Sequence[Named]) -> Named:
    """All steps of one version, newest first, as one; commits are abbreviated."""
    last, first = steps[0].fact, steps[-1].fact
    before = last.before if first.before is None else first.before
    short = [v and (v[:10] if _SHA.fullmatch(v) else v) for v in (before, last.after)]
    return replace(steps[0], fact=replace(last, before=short[0], after=short[1]))


_SHA = re.compile(r"[0-9a-f]{40}")
_VERSIONS = (FactKind.DEPENDENCY, FactKind.TOOLCHAIN)
_MANY = 30  # a change of more versions is a release of a workspace


def about(intent: Changed, ctx: Context) -> str:
    """The subject of the question in words: ``flags removed, MoE``."""
    language = ctx.language
    kinds = COMMA.template(language).join(
        words.FACT_KINDS[kind].text(language) for kind in intent.things
    )
    kinds = kinds or words.ANY.text(language)
    done = COMMA.template(language).join(
        words.DONE[action].text(language) for action in intent.actions
    )
    if ChangeKind.DEPRECATIONS in intent.kinds:
        done = done or words.DEPRECATED.text(language)
    named = words.OF_KIND.text(language, kinds=kinds, done=done) if done else kinds
    kept = tuple(kind for kind in intent.kinds if kind is not ChangeKind.DEPRECATIONS)
    narrower = replace(intent, things=(), actions=(), kinds=kept, window=intent.window)
    more = title_of(narrower, language)
    if intent.switched:
        named = f"{named} ({words.SWITCHED[intent.switched].text(language)})"
    bare = replace(narrower, topic="", author="", path="", level=None)
    return named if narrower == bare else f"{named}, {more}"


def line_of(fact: Fact, ctx: Context) -> Spans:
    """The effect on a name, with its values if it has any."""
    language = ctx.language
    name = Code(fact.name)
    if fact.kind is FactKind.DEPRECATION and fact.action is not Action.REMOVED:
        return words.NAME_DEPRECATED(language, name=name)
    if fact.action is Action.RENAMED and fact.before:
        return words.NAME_RENAMED(language, before=Code(fact.before), name=name)
    if fact.before is not None and fact.after is not None and fact.before != fact.after:
        return words.MOVED(language, name=name, before=Code(fact.before), after=Code(fact.after))
    if fact.action is Action.ADDED and fact.after:
        return words.ADDED_AS(language, name=name, after=Code(fact.after))
    return words.NAME_ACTIONS[fact.action](language, name=name)


def _item(one: Named, ctx: Context) -> Item:
    place = Code(f"{printable(one.fact.evidence.path)}:{one.fact.evidence.line}")
    return Item(_line(one, ctx), (Item((place,)),))


def _line(one: Named, ctx: Context) -> Spans:
    link = title_link(one.graded, ctx.watched.repository)
    return join([line_of(one.fact, ctx), " · ", link])


def _why(one: Named, ctx: Context) -> str:
    return words.NAME_ACTIONS[one.fact.action].text(ctx.language, name=one.fact.name)


# --- Defaults ---------------------------------------------------------------------------


async def defaults(intent: Changed, query: Query, reached: Reach, ctx: Context, at: Seen) -> Answer:
    """The changed defaults of flags, variables and settings, from the changes of a query.

    Of several steps the first value and the last one count; a default that is back at its old value
    has not changed. Values that are no literals are not compared, because they may mean the same as
    before.
    """
    changes = await ctx.archive.select(ctx.watched.repository, query)
    found = [one for one in await asyncio.to_thread(met, changes) if _is_asked(one, intent)]
    by_name = {graded.sha: graded for graded in changes}
    titled = [g for g in changes if _SAID.search(g.title[:_MOST_TITLE]) and _is_code(g)]
    titled = [] if intent.things else titled  # a title does not say what the default belongs to
    names = dict.fromkeys([*(one.sha for one in found), *(g.sha for g in titled)])
    told = [by_name[sha] for sha in names]
    told.sort(key=lambda g: (g.commit.committed_at, g.sha), reverse=True)
    return Answer(
        intent="changed",
        document=_with_titles(_defaults(intent, found, ctx, at), found, titled, ctx),
        window=reached.window,
        topic=intent.topic,
        total=len(told),
        rows=tuple(AnswerRow(graded=g, why=graded_because(g, ctx.language)) for g in told),
    )


_SAID = re.compile(
    r"\b(?:the|its|new|change|raise|lower|increase|decrease|reduce|bump|set|switch)\b.{0,60}"
    r"\bdefaults?\b|\bdefaults?\b(?! to\b)",
    re.IGNORECASE,
)
"""Words of titles about defaults that the code alone does not show."""

_MOST_TITLE = 300


def _is_code(graded: Graded) -> bool:
    return Area.CORE in graded.facts.areas or Area.CONFIG in graded.facts.areas


def _with_titles(
    document: Document, found: Sequence[UpgradeItem], titled: Sequence[Graded], ctx: Context
) -> Document:
    """The document with the changes of which only the title mentions a default."""
    shown = {one.sha for one in found}
    others = [g for g in titled if g.sha not in shown]
    if not others:
        return document
    items = tuple(Item(entry_of(g, ctx.watched.repository)) for g in others[:_PAGE])
    head = Paragraph(words.DEFAULTS_SAID(ctx.language))
    *before, last = document.blocks
    before = before if found else []  # what titles say is no "none"
    return replace(document, blocks=(*before, head, Listing(items), last))


def _is_asked(one: UpgradeItem, intent: Changed) -> bool:
    here = printable(one.evidence.path).startswith(intent.path)
    here = here and (not intent.things or one.kind in intent.things)
    return here and one.action is Action.CHANGED and one.kind is not FactKind.TOOLCHAIN


def _defaults(intent: Changed, found: Sequence[UpgradeItem], ctx: Context, at: Seen) -> Document:
    language = ctx.language
    about_all = title_of(intent, language)
    named = "" if about_all == words.EVERYTHING.text(language) else about_all
    if not found:
        topic = Code(named)
        line = words.NO_DEFAULT_OF(language, topic=topic) if named else words.NO_DEFAULT(language)
        return lines_document(intent.topic, [line, foot(intent.window, at)], at)
    head = words.DEFAULTS.text(language, n=len(found))
    title = words.DEFAULTS_OF.text(language, topic=named, counted=head) if named else head
    items = [_default(one, at) for one in found]
    return page_document(title, items, intent.window, at, size=_PAGE, page=ctx.page)


def _default(one: UpgradeItem, at: Seen) -> Item:
    """The default, with the change that set it and a link to its line."""
    repository = at.repository
    if one.number is None:
        name, url = one.sha[:10], repository.commit_url(one.sha)
    else:
        name, url = repository.request_name(one.number), repository.request_url(one.number)
    place = Code(f"{printable(one.evidence.path)}:{one.evidence.line}")
    line = met_words(one, Link(name, url) if url else Code(name), at.language)
    return Item((*line, Text(" · "), place))
