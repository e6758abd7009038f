"""``lookup``: the flags, variables, settings, metrics or routes that serve a purpose."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from digest.analysis.context import without_dashes
from digest.answer import answers
from digest.answer.listing import first_of
from digest.core.change import printable
from digest.core.facts import Area, Fact, FactKind
from digest.core.patterns import lazy
from digest.document import Code, Document, Heading, Item, Listing, Paragraph, Spans, Text, plain
from digest.facts.paths import area_of
from digest.frozen import frozen
from digest.i18n import answer_text as words
from digest.i18n.phrase import between
from digest.i18n.statement_text import COMMA
from digest.question.intent import Lookup, Touched
from digest.topics.matching import topic_words
from digest.topics.synonyms import english_of
from digest.topics.terms import pieces, roots, stems
from handlers.context import Context
from handlers.digests.ingest import ensure, tip_of
from handlers.ports.storage import Tip
from handlers.questions.declared_names import UNSET, behind_flag, by_settings_first, names_on
from handlers.questions.scope import viewpoint
from handlers.questions.search import nearest
from handlers.questions.symbol_history import name_history

_SETTINGS = frozenset({FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG})
"""Kinds that may stand for each other: a question for a flag is answered by a variable too."""

_SERVES = lazy(r"metric|stat|monitor|api|rout|server|entry|http|web|handler", re.IGNORECASE)
"""Paths that probably declare metrics and routes."""

_NOUN = lazy(r"(\w{4,}?)(?:at)?ions?$")  # of "compression" and "tokenization", what names have
_CALL = lazy(r"^\(|\w\(")
_LONG = 4  # letters
_APART = 3  # words that are looked for one by one if no name has all
_SHOWN = 6  # names on a page
_READ, _FILES = 60, 12  # the most files that are read, and in which names are looked for
_ABOVE, _BELOW = 8, 4  # lines around one with the words in which the name may be declared
_ROWS = 300  # the most lines of a file that are looked at


@frozen
class _Declared:
    """A name, what is written beside it, and whether the name itself has the words."""

    fact: Fact
    text: str
    named: bool


async def lookup(intent: Lookup, ctx: Context) -> answers.Answer:
    """The names which have all words of the purpose, in themselves or in their descriptions.

    If there is none of the kinds asked for, the answer says so, before names of other kinds or with
    some of the words.
    """
    tip = await tip_of(ctx)
    language, at, topic = ctx.language, viewpoint(ctx, tip), intent.topic
    told = [w if w.isascii() else english_of(w) or w for w in topic_words(topic)]
    named = " ".join(word for word in told if word.isascii())
    sought = frozenset(_NOUN.sub(r"\1", word) for word in roots(named or topic))
    found = await _declared(sought, intent.things, ctx, tip)
    none = Paragraph(words.NO_NAME_FOR(language, kinds=_kinds(intent.things, ctx), topic=topic))
    above = () if any(one.fact.kind in intent.things for one in found) else (none,)
    if not found and len(sought) > 1:
        longest = sorted(sought, key=lambda word: (-len(word), word))[:_APART]
        some = [await _declared(frozenset({word}), intent.things, ctx, tip) for word in longest]
        found = list({one.fact.name: one for near in some for one in near if one.named}.values())
    if not found:
        close = await nearest(told, ctx) if len(told) > 1 else None
        close = close or await name_history(Touched(name=topic), ctx)
        title = plain(none.spans)
        return replace(
            close,
            document=replace(close.document, title=title, blocks=(none, *close.document.blocks)),
        )
    first = first_of(ctx.page, len(found), _SHOWN)
    shown = found[first : first + _SHOWN]
    items = [Item(await _line(one, ctx, tip)) for one in shown]
    shares = intent.things if not above else [one.fact.kind for one in found]
    kinds = _kinds(tuple(dict.fromkeys(shares)), ctx)
    title = words.NAMES_FOR.text(language, kinds=kinds, topic=topic)
    count = answers.shown_words(first, len(shown), len(found), language)
    foot = Paragraph(between([count, answers.as_of(at)], " · "), aside=True)
    blocks = (Heading(1, (Text(title),)), *above, Listing(tuple(items)), foot)
    return answers.Answer(
        intent="lookup",
        document=Document(title=title, blocks=blocks, language=str(language)),
        topic=shown[0].fact.name,
        total=len(found),
    )


async def name_meant(topic: str, kinds: Collection[FactKind], ctx: Context, tip: Tip) -> str:
    """The one name that words describe, such as "prefix caching"; empty unless it is only one.

    It is made of nothing but these words, or else the only one that has all of them.
    """
    sought = roots(topic)
    found = await _declared(sought, kinds, ctx, tip) if topic.isascii() else ()
    some = kinds if _SETTINGS.isdisjoint(kinds) else _SETTINGS.union(kinds)
    own, having = dict[str, str](), set[str]()
    for one in found:
        if one.fact.kind in some:
            bare = without_dashes(one.fact.name).rpartition(".")[2]
            name = one.fact.name if one.fact.kind in kinds else bare  # a setting behind a flag
            if roots(bare) - _SWITCHING <= sought:
                own.setdefault(bare.replace("-", "_"), name)
            if one.named:
                having.add(name)
    likely = [*own.values()] or [*having]
    return likely[0] if len(likely) == 1 else ""


_SWITCHING = roots("enable disable no")
"""Words of a switch that people leave out when they speak of it."""


def _kinds(kinds: Sequence[FactKind], ctx: Context) -> str:
    said = (words.FACT_KINDS[kind].text(ctx.language) for kind in kinds)
    return COMMA.template(ctx.language).join(said)


async def _declared(
    sought: frozenset[str], asked: Collection[FactKind], ctx: Context, tip: Tip
) -> Sequence[_Declared]:
    """The names that have all words, the asked kinds first; else those with such a description."""
    source = ctx.watched.source
    some = await ensure(ctx, [tip.sha], tip) if tip.sha else ()
    parts = {*sought, "/"} if FactKind.ROUTE in asked else sought
    lines = await source.lines_with(tip.sha, sorted(parts)) if tip.sha and sought else None
    if not lines or not some:
        return ()
    settings = not _SETTINGS.isdisjoint(asked)
    core = [path for path in lines if area_of(path) is Area.CORE]
    core.sort(key=lambda path: (not _SERVES.search(path), not _has(path, sought), path))
    core = by_settings_first(core) if settings else core
    texts = await source.contents([(tip.sha or "", path) for path in core[:_READ]])
    chosen = sorted(
        texts.items(), key=lambda item: not _has_name(item[1], lines[item[0][1]], sought)
    )
    kinds = _SETTINGS.union(asked) if settings else frozenset(asked)
    best: dict[str, _Declared] = {}
    for (_, path), text in chosen[:_FILES]:
        rows = _around(lines[path], text.split("\n"))
        facts = await asyncio.to_thread(names_on, path, text, rows, some[0])
        for one in _matching(facts, text.split("\n"), sought, kinds):
            bare = without_dashes(one.fact.name).rpartition(".")[2]
            best[bare] = min(best.get(bare, one), one, key=lambda some: _rank(some, asked))
    named = any(one.named for one in best.values())
    ranked = sorted(best.values(), key=lambda one: _rank(one, asked))
    return [one for one in ranked if one.named or not named]


def _rank(one: _Declared, asked: Collection[FactKind]) -> tuple[bool, bool, int]:
    return not one.named, one.fact.kind not in asked, len(one.fact.name)


def _has_name(text: str, numbers: Sequence[int], sought: frozenset[str]) -> bool:
    """Whether some lines of a file have all words in one name."""
    lines = text.split("\n")
    told = (lines[n - 1] for n in numbers[:_ROWS] if n <= len(lines))
    return any(_has(name, sought) for line in told for name in _NAME.findall(line[:_LONGEST]))


_NAME = lazy(r"[\w./:-]{4,80}")
_LONGEST = 300  # characters of a line


def _around(numbers: Sequence[int], lines: Sequence[str]) -> list[int]:
    """The rows, from 0, of some lines and of those around them, without heads of classes.

    A new class is told as one name, and its fields are not.
    """
    near = {row for n in numbers for row in range(max(0, n - 1 - _ABOVE), n + _BELOW)}
    rows = (row for row in sorted(near) if row < len(lines) and not _HEAD.match(lines[row]))
    return list(rows)[:_ROWS]


_HEAD = lazy(
    r"\s*(?:@[\w.]+(?:\([^\"'()]*\))?\s*$"
    r"|(?:(?:export|pub|public|final|abstract|data|type) )*(?:class|struct|interface|enum|type) \w)"
)


def _matching(
    facts: Sequence[Fact], lines: Sequence[str], sought: frozenset[str], kinds: Collection[FactKind]
) -> Iterator[_Declared]:
    from digest.facts.help_text import beside

    for fact in facts:
        if fact.kind not in kinds or fact.public is False:
            continue
        text = beside(lines, (fact.evidence.line or 0) - 1)
        if (named := _has(fact.name, sought)) or _has(text, sought):
            yield _Declared(fact=fact, text=text, named=named)


def _has(text: str, sought: frozenset[str]) -> bool:
    """Whether a text has all words; of a long one, its beginning will do: *sampl* of "sampler"."""
    own = {one.removesuffix("e") for word in pieces(text) for one in (word, *stems(word))}
    return all(
        word in own or (len(word) >= _LONG and any(one.startswith(word) for one in own))
        for word in sought
    )


async def _line(one: _Declared, ctx: Context, tip: Tip) -> Spans:
    """A name with its default, its description and its place."""
    fact, text = one.fact, one.text
    if fact.kind is FactKind.FLAG and not (text and fact.after):
        value, said = await behind_flag(fact, ctx, tip)
        fact, text = replace(fact, after=value), text or said
    place = Code(f"{printable(fact.evidence.path)}:{fact.evidence.line}")
    parts: list[Spans] = [(Code(fact.name),)]
    computed = fact.after in UNSET or _CALL.search(fact.after or "")
    if fact.kind in _SETTINGS and fact.after and not computed:
        parts.append(words.BY_DEFAULT(ctx.language, value=Code(fact.after)))
    parts += [(Text(text),)] if text else []
    return between([*parts, (place,)], " · ")
