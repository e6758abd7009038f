"""The summary of a change: one line that says what is different, then what explains it.

Sources are used in this order: what is reverted, removed or changed contracts, the author's title,
the author's note for users, what is new, refused or set differently, and the author's own words. A
title that says too little comes after what is new. A revert only says what it reverts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice

from digest.analysis import explanations as explain
from digest.analysis import quotes, wording
from digest.analysis.change_types import unnamed_removals
from digest.analysis.context import (
    SUBJECT_LINE,
    VALUE,
    ChangeContext,
    brief,
    called,
    code,
    deprecated,
    make_statement,
    owner_of,
    replacement_of,
    with_full_stop,
    without_dashes,
    without_members,
)
from digest.analysis.explanations import is_known, name_list
from digest.analysis.headline import Headline, bare_title, headline, platforms_of, secures
from digest.analysis.wording import value
from digest.core.authors import code_as_spans, names_code, without_presented
from digest.core.change import printable
from digest.core.facts import Action, Evidence, Fact, FactKind, is_branch_merge
from digest.core.patterns import lazy
from digest.core.statement import Aspect, Statement
from digest.document import Code, Spans, plain
from digest.facts.manifests_python import raised_minimums
from digest.facts.reverts import RELANDED
from digest.i18n import statement_text as words
from digest.i18n.phrase import join, list_in_words

_SETTINGS = (FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.ROUTE, FactKind.METRIC, FactKind.CONFIG)
"""What users set, call and read, in the order it is reported; not the forms of messages."""
_AND = " and "
_CLAUSES = 2  # maximum number of removed or changed things that are mentioned

_SWITCHES = lazy(
    r"^(?:reject|disallow|forbid|refuse)(?:s|ed|ing)?\b(?!.{0,40}\b(?:malformed|invalid)\b)"
    r"|^(?:\w{2,20} ){1,3}by default:"
    r"|\b(?:enable|disable|turn|make|use|set|switch)\w{0,3}\b.{1,120}\bby default\b"
    r"|\b(?:change|switch|flip|set|update|bump|raise|lower|increase|reduce)\w{0,3} .{0,60}"
    r"\bdefault\b"
    r"|\b(?:change|convert|migrate|move|switch)\w{0,3} .{0,80}\bfrom \S{1,40} to \S{1,40}"
    r" (?:encoding|format|serialization)\b",
    re.IGNORECASE,
)
"""Phrases of titles for a behaviour that changes unless it is configured otherwise."""
_DEMANDS = lazy(rf"{_SWITCHES.pattern}|^deprecate[sd]? \S", re.IGNORECASE)


def summary(reading: ChangeContext, most: int | None = None) -> tuple[Statement, ...]:
    """The summary in order of importance, within its bound; one statement for a low change."""
    return tuple(islice(_in_order(reading), reading.bounds.summary if most is None else most))


def _in_order(reading: ChangeContext) -> Iterator[Statement]:
    silent = True  # one at a time, because a line in a list needs only the first
    for statement in consequences(reading):
        silent = False
        yield statement
    if silent or not reading.facts.files:
        yield _extent(reading)


def _extent(reading: ChangeContext) -> Statement:
    """The size of the change, if nothing else can be said."""
    files, language = reading.facts.files, reading.language
    if not files:
        return make_statement(words.EMPTY(language), [SUBJECT_LINE])
    counts = wording.lines(sum(f.added for f in files), sum(f.deleted for f in files))
    return make_statement(words.EXTENT(language, n=len(files), lines=counts), files)


def consequences(reading: ChangeContext) -> Iterator[Statement]:
    """The consequence first, then the statements that explain it, each thing once."""
    at = brief(reading)
    seen: list[str] = []
    for statement in _by_rank(at):
        names = [span.text for span in statement.spans if isinstance(span, Code)][:1]
        names = names if statement.aspect is Aspect.COMPATIBILITY else []
        if not any(quotes.repeats(statement.text, k, *names) for k in seen):
            seen.append(statement.text)
            yield statement


def _by_rank(reading: ChangeContext) -> Iterator[Statement]:
    description = reading.graded.description
    title = headline(reading.facts, reading.language, description.labels if description else ())
    yield from _undoing(reading)
    if is_branch_merge(reading.facts):
        yield from _secured(reading)
        yield from _title(reading, title)
        return
    acts = list(_acts(reading, title))
    changed = [f for kind in _SETTINGS for f in reading.told(kind, Action.CHANGED)]
    switches = title.telling and _SWITCHES.search(reading.facts.subject.words)
    if switches and not any(_speaks_of(title, f) for f in changed):
        yield from _title(reading, title)
    yield from acts
    yield from _secured(reading)
    described = list(explain.setting_descriptions(reading))
    built = [] if acts or reading.facts.reverts else list(explain.built_with(reading))
    yield from described if acts else built
    own = title.telling and not any(quotes.restates(one, reading.graded) for one in (*acts, *built))
    noted = list(explain.release_note(reading))
    made = [f for k in _SETTINGS[:3] for f in reading.told(k, Action.ADDED)] if title.brief else ()
    later = title.inner or bool(made)
    if quotes.says_more(noted, plain(title.spans)):
        yield noted[0]
    if own and not later:
        yield from _title(reading, title)
    yield from _as_statements(wording.new_choices(reading), reading, Aspect.NONE)
    yield from described
    yield from noted
    fresh = not reading.facts.reverts
    explained, others = explain.news(reading) if fresh else ([], [])
    yield from explained
    yield from explain.introduced(reading) if fresh else ()
    if own and later:
        yield from _title(reading, title)
    yield from others
    yield from explain.sent_fields(reading) if fresh else ()
    if not title.telling:
        yield from quotes.description_quotes(reading)
        yield from _title(reading, title)
    yield from _as_statements(_unread(reading), reading)
    for spans, places in chain(*wording.registered(reading)):
        yield make_statement(with_full_stop(spans, reading), places)
    yield from explain.values(reading)
    if fresh:
        yield from explain.refusals(reading)
        yield from quotes.documentation_sentences(reading)
    yield from quotes.description_quotes(reading)
    if fresh:
        yield from quotes.remarks(reading, documents=True)
        yield from explain.described(reading)
        yield from quotes.remarks(reading, documents=False)
    told = {place for one in (*acts, *built) for place in one.evidence}
    yield from (s for s in explain.versions(reading) if not told.issuperset(s.evidence))


def _undoing(reading: ChangeContext) -> Iterator[Statement]:
    """What is reverted or applied again."""
    facts, language, sign = reading.facts, reading.language, reading.facts.subject.sign
    if facts.reverts and wording.is_named(facts.reverts):
        several = _SEVERAL.fullmatch(facts.subject.words)
        numbers = [f"{sign}{n}" for n in re.findall(r"\d{2,9}", several[1])] if several else []
        what = wording.undone_change(facts.reverts, language, sign)
        what = list_in_words(numbers, language, limit=len(numbers)) if numbers else what
        yield make_statement(words.UNDOES(language, what=what), [SUBJECT_LINE])
    if facts.relands and wording.is_named(facts.relands):
        own = RELANDED.sub("", bare_title(facts.subject), count=1)
        relands = replace(facts.relands, title=facts.relands.title or own)
        what = wording.undone_change(relands, language, sign)
        yield make_statement(words.RELANDS(language, what=what), [SUBJECT_LINE])


_SEVERAL = lazy(
    r"reverts?\s+(?:(?:prs?|pull requests?|changes)\s+)?"
    r"(#?\d{2,9}(?:(?:,| and| &)\s+#?\d{2,9}){1,8})",
    re.IGNORECASE,
)

# What a reader may have to act on.


def _acts(reading: ChangeContext, title: Headline) -> Iterator[Statement]:
    """Removals and changes of what users rely on, the most certain consequence first."""
    clauses = [
        *((code_as_spans(text), [at]) for text, at in quotes.marked_notes(reading, "breaking")),
        *_removals(reading),
        *(wording.registered(reading)[0] if _TAKES.search(reading.facts.subject.words) else ()),
        *_renames(reading),
        *_defaults(reading, title),
        *_deprecations(reading),
        *_raised_minimums(reading),
        *_refused(reading),
    ]
    placed = [(_with_platform(spans, facts, reading), facts) for spans, facts in clauses[:_CLAUSES]]
    yield from _as_statements(placed, reading)


def _with_platform(spans: Spans, facts: Sequence[Fact | Evidence], reading: ChangeContext) -> Spans:
    """A clause after the platforms for which alone it holds."""
    paths = [(f.evidence if isinstance(f, Fact) else f).path for f in facts]
    where = platforms_of(reading.facts, paths, plain(spans))
    return join([where, *words.COLON(reading.language), *spans]) if where else spans


def _secured(reading: ChangeContext) -> Iterator[Statement]:
    """Security fixes by the changelog, also those of a release that a merged branch brings."""
    label = words.SECURITY.template(reading.language)
    for text, place in quotes.marked_notes(reading, "security"):
        spans = words.LABELLED(reading.language, label=label, what=code_as_spans(text))
        yield make_statement(with_full_stop(spans, reading), [place], Aspect.SECURITY)


def _as_statements(
    clauses: Iterable[wording.Clause], reading: ChangeContext, aspect: Aspect = Aspect.COMPATIBILITY
) -> Iterator[Statement]:
    for spans, facts in clauses:
        yield make_statement(with_full_stop(spans, reading), facts, aspect)


_TAKES = lazy(r"\b(?:remov|drop|delet|deprecat|obsolet|retir)", re.IGNORECASE)
"""Words of a title for entries that a registry loses."""


def _removals(reading: ChangeContext) -> Iterator[wording.Clause]:
    """What users set, call and read and can no longer."""
    facts = [f for k in _SETTINGS for f in reading.told(k, Action.REMOVED)]
    schema = without_members(reading.told(FactKind.SCHEMA, Action.REMOVED))
    group = [f for f in facts if f.detail != "read"] or list(schema) or unnamed_removals(reading)
    if group:
        phrase = words.REMOVED_MANY if _several(group) else words.REMOVED_ONE
        what = phrase(reading.language, names=name_list(group, reading.language))
        yield join([*what, *_in_file(group, reading), *_after_all(group, reading)]), group
    if schema and group[0] not in schema:
        names = name_list(schema, reading.language)
        yield words.PROTOCOL_LOSES(reading.language, names=names), schema


def _refused(reading: ChangeContext) -> Iterator[wording.Clause]:
    """A new error about flags that were accepted before."""
    if refused := explain.refused_flags(reading):
        text = code_as_spans(quotes.opening(refused[0].text).rstrip("."))
        yield words.NOW_REFUSED(reading.language, words=text), [refused[0].evidence]


def _unread(reading: ChangeContext) -> Iterator[wording.Clause]:
    """Variables that are no longer read; they may be those of another program."""
    facts = reading.told(FactKind.ENVIRONMENT, Action.REMOVED)
    group = [f for f in facts if f.detail == "read" and not explain.INNER.search(f.name)]
    if group:
        phrase = words.UNREAD_MANY if _several(group) else words.UNREAD_ONE
        yield phrase(reading.language, names=name_list(group, reading.language)), group


def _several(facts: Sequence[Fact]) -> bool:
    return len({f.name for f in facts}) > 1


def _in_file(facts: Sequence[Fact], reading: ChangeContext) -> Spans:
    """The file of facts that hold only within it, because the trees could not be searched."""
    paths = {f.evidence.path for f in facts if f.in_file}
    if len(paths) != 1 or not all(f.in_file for f in facts):
        return ()
    return words.IN_FILE(reading.language, path=code(printable(*paths)))


def _after_all(facts: Sequence[Fact], reading: ChangeContext) -> Spans:
    """The version for which the removal was announced, and the replacement."""
    language = reading.language
    notices = reading.facts.of(FactKind.DEPRECATION, Action.REMOVED)
    version = _of_all(facts, [(f, f.when or f.before) for f in notices])
    instead = _of_all(facts, [(f, replacement_of(f, reading)) for f in (*facts, *notices)])
    announced = words.ANNOUNCED(language, version=version) if version else ()
    use = words.USE_INSTEAD(language, replacement=code(instead)) if instead else ()
    return (*announced, *use)


def _of_all(facts: Sequence[Fact], said: Sequence[tuple[Fact, str | None]]) -> str:
    """The text that applies to all of the facts; empty if it applies only to some."""
    by_name = {_own_name(fact): value for fact, value in said if value}
    values = {by_name.get(_own_name(fact), "") for fact in facts}
    return values.pop() if len(values) == 1 else ""


def _own_name(fact: Fact) -> str:
    return without_dashes(owner_of(fact.name)[1])


def _renames(reading: ChangeContext) -> Iterator[wording.Clause]:
    """Renames of what users set, call and read, and of whole services and messages."""
    for kind in (*_SETTINGS, FactKind.SCHEMA):
        found = reading.told(kind, Action.RENAMED)
        before, after = map(code, wording.shared_rename(found))
        if before.text:
            many = words.RENAMED_ALIKE(reading.language, before=before, after=after, n=len(found))
            yield many, found
        for f in found if not before.text else ():
            if f.before and (kind is not FactKind.SCHEMA or f.detail != "field"):
                owned = bool(owner_of(f.before)[0])
                before, after = code(f.before), code(f.name if owned else owner_of(f.name)[1])
                phrase = words.RENAMED_IN_PROTOCOL if f.kind is FactKind.SCHEMA else words.RENAMED
                yield phrase(reading.language, before=before, after=after), [f]


def _defaults(reading: ChangeContext, title: Headline) -> Iterator[wording.Clause]:
    """Changed defaults and choices; a default that is now computed is shown by its old value."""
    for kind in _SETTINGS:
        for f in reading.told(kind, Action.CHANGED):
            lost, gained = wording.choices_of(f)
            if (f.detail == "choices" and (lost or not gained)) or wording.has_default(f):
                spans = _conditional(f, reading, title)
                if spans:
                    yield spans, [f]


def _conditional(f: Fact, reading: ChangeContext, title: Headline) -> Spans:
    """A changed default with its condition, and with the condition before if only that changed."""
    language = reading.language
    spans = _before_and_after(f, reading, title)
    if not (spans and f.condition):
        return spans
    now, same = f.condition.split(_AND), f"{f.after} if "
    then = (f.before or "").removeprefix(same).split(_AND)
    if not (f.before or "").startswith(same):
        long = len(f.condition) > _LONGEST_CONDITION
        if long or "__" in f.condition or f.condition == "...":
            return words.SOMETIMES(language, what=spans)
        return words.WHERE(language, what=spans, condition=f.condition)
    return words.WHERE_NOW(
        language,
        name=code(f.name),
        after=value(f.after, language),
        now=_AND.join([one for one in now if one not in then] or now),
        then=_AND.join([one for one in then if one not in now] or then),
    )


_LONGEST_CONDITION = 80  # maximum characters of code shown beside the values


def _before_and_after(f: Fact, reading: ChangeContext, title: Headline) -> Spans:
    """The old and new value of a default or of choices, as far as they are known."""
    language = reading.language
    name, old, new = code(called(f, reading)), is_known(f.before), is_known(f.after)
    long = max(len(f.before or ""), len(f.after or "")) > VALUE
    if long and title.telling and _mentions(title, f):
        return title.spans
    before, after = (value(wording.typed(f, one), language) for one in (f.before, f.after))
    if lost := wording.choices_of(f)[0]:
        values = list_in_words([code(one) for one in lost], language, limit=wording.NAMES)
        return words.CHOICES_LOST(language, name=name, values=values)
    if f.detail == "choices":
        both = old and new
        return words.CHOICES(language, name=name, before=before, after=after) if both else ()
    if old and new:
        return words.DEFAULT(language, name=name, before=before, after=after)
    if new:
        return words.DEFAULT_NEW(language, name=name, after=after)
    if not old or f.detail != "default":
        return ()
    if said := explain.said_default(f, reading) or _titled_default(f, title):
        return words.DEFAULT(language, name=name, before=before, after=said)
    text = f"{_own_name(f)} {explain.help_of(f, reading)}".replace("_", " ")
    about = len(quotes.content(text) & quotes.content(plain(title.spans))) > 1
    if title.telling and (about or _mentions(title, f)):
        return words.WAS(language, what=title.spans, name=name, before=before)
    return words.DEFAULT_GONE(language, name=name, before=before)


_DEFAULTS = lazy(
    r"(?:\w[\w ()-]{0,30}: )?default (?P<name>\S{2,60}) to (?P<value>\S.{0,60})", re.IGNORECASE
)
_UNLESS = lazy(r"\s(?:if|when|unless|where|by default)\s.*")


def _titled_default(f: Fact, title: Headline) -> Spans:
    """The new default that a title gives in the form "Default X to Y"."""
    match = _DEFAULTS.fullmatch(plain(title.spans))
    if not match or without_dashes(match["name"].strip("`")) != _own_name(f):
        return ()
    return code_as_spans(_UNLESS.sub("", match["value"]))


def _speaks_of(title: Headline, fact: Fact) -> bool:
    """Whether a title mentions a thing, or speaks of its default in most words of its name.

    One that says what is on or off by default needs no name of a setting before it.
    """
    if _mentions(title, fact):
        return True
    text = plain(title.spans)
    own = quotes.content(_own_name(fact).replace("_", " "))
    shared = own & quotes.content(text.replace("_", " "))
    return "by default" not in text.lower() and len(shared) >= max(2, len(own) / 2)


def _mentions(title: Headline, fact: Fact) -> bool:
    """Whether a title mentions the thing, by its name without punctuation."""
    text = without_dashes(plain(title.spans)).replace(" ", "_").replace(".", "_")
    return f"_{_own_name(fact)}_" in f"_{text}_"


def _deprecations(reading: ChangeContext) -> Iterator[wording.Clause]:
    """What is deprecated, if a version or the author says so: a comment may speak of anything."""
    language = reading.language
    facts = deprecated(reading)
    if facts:
        phrase = words.DEPRECATED_MANY if _several(facts) else words.DEPRECATED_ONE
        version = _of_all(facts, [(f, f.when or f.after) for f in facts])
        others = list(dict.fromkeys(replacement_of(f, reading) for f in facts))
        few = len(others) <= _CLAUSES and all(others)
        instead = (
            list_in_words([code(one) for one in others], language, limit=_CLAUSES) if few else ()
        )
        before, after = wording.shared_start([(f.name, f.replacement or "") for f in facts])
        names: Spans = (code(before),) if before else name_list(facts, language)
        instead = (code(after),) if after else instead
        use = words.USE_INSTEAD(language, replacement=instead) if instead else ()
        later = words.GOES if any(c.isdigit() for c in version) else words.GOES_LATER
        goes = later(language, version=version) if version else ()
        yield join([*phrase(language, names=names), *use, *goes]), facts


def _raised_minimums(reading: ChangeContext) -> Iterator[wording.Clause]:
    for name, facts in raised_minimums(reading.facts).items():
        pairs = [
            words.FROM_TO(reading.language, before=before, after=after)
            for before, after in dict.fromkeys((bare(f.before), bare(f.after)) for f in facts)
        ]
        shown = list_in_words(pairs, reading.language, limit=len(pairs))
        yield words.MINIMUM(reading.language, name=name, versions=shown), facts


def bare(version: str | None) -> str:
    """The least version of a requirement, without the operator before it."""
    first = (version or "").partition(" ||")[0]
    return min(first.split(","), key=lambda one: ">" not in one).lstrip("^~>=< ")


def _title(reading: ChangeContext, title: Headline) -> Iterator[Statement]:
    facts = reading.facts
    undone = facts.reverts or facts.relands
    if not title.spans or (undone and wording.is_named(undone)):
        return
    aspect, told = Aspect.NONE, without_presented(facts.subject.words)
    inner = names_code(told) and "default" not in told
    if secures(facts):
        aspect = Aspect.SECURITY
    elif facts.subject.breaking or (reading.core and not inner and _DEMANDS.search(told)):
        aspect = Aspect.COMPATIBILITY
    yield make_statement(with_full_stop(title.spans, reading), [SUBJECT_LINE], aspect)
