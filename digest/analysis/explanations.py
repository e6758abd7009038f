"""Statements that explain a change beyond its title.

They cover new settings, tables, values, errors, tests and versions. Each function reads one source
of facts and clues and yields nothing if that source has nothing to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from digest.analysis import quotes
from digest.analysis.context import (
    REQUEST,
    VERSIONS,
    ChangeContext,
    called,
    code,
    helps_of,
    make_statement,
    owner_of,
    shown_name,
    with_full_stop,
    without_dashes,
)
from digest.analysis.headline import secures
from digest.analysis.quotes import content, opening
from digest.analysis.wording import COMMIT, NAMES, fitting, is_computed, kind_of, value
from digest.core.authors import code_as_spans
from digest.core.change import FileStatus, Side, printable
from digest.core.enums import Language
from digest.core.facts import Action, Clue, ClueKind, Evidence, Fact, FactKind
from digest.core.grade import Level
from digest.core.patterns import lazy
from digest.core.statement import Aspect, Statement
from digest.document import Spans
from digest.facts.exposure import is_sent
from digest.facts.manifests_python import language_of_version
from digest.i18n import statement_text as words
from digest.i18n.phrase import Part, Phrase, list_in_words

_NONE = frozenset({"", "none", "null", "nil", "undefined", "unset", "<factory>"})
_HOLE = lazy(r"\{[^{}]{0,120}\}|%[-+#]?\d{0,3}\.?\d{0,3}(?:[sdvqrf]|[wTxpgctu]\b)")
_LIMITS = lazy(
    r"not support(?:ed)?\b|unsupported|only support|support(?:s|ed) only|not implemented",
    re.IGNORECASE,
)

_ABOUT_USE = lazy(
    r"--\w|\b(?:not support(?:ed)?|unsupported|only supports?|invalid|specify|incompatible"
    r"|mutually exclusive|not (?:compatible|allowed)"
    r"|(?:must|requires?|cannot|can't|support(?:s|ed)?)\b(?=.*(?:\w_\w|[A-Z]{3}|[=`'\"])))"
)
"""Words of an error about what users may not do or have to set."""

_OF_CODE = lazy(
    r"tensor|\bstrides?\b|\bdtypes?\b|contiguous|pointer|\bnull\b"
    r"|^[a-z]\w? |\bis (?:False|None|True)\b",
    re.IGNORECASE,
)
"""Words of an error that only a mistake in the code can cause."""

_LIFTS = lazy(r"\b(?:add|support|enable|allow)(?:s|ed|ing)?\b", re.IGNORECASE)
INNER = lazy(r"(?:^|_)(?:INTERNAL|TEST|TESTS|TESTING|DEBUG)(?:_|$)|^_")
"""Names that only the project's own developers use."""

_HEADING = frozenset(
    "environment variable config configuration setting option flag parameter argument".split()  # noqa: SIM905
)
"""Words of a heading above several settings, which does not describe any one of them."""

_WHOLE = 220  # maximum length of the text beside a setting, which may describe each of its values

_SENTENCE = 3  # minimum number of spaces in a text for it to count as a sentence
_UNTOLD = {"feature", "read"}  # what has the name of a crate's feature is another thing
_NEW = {
    FactKind.FLAG: words.NEW_FLAG,
    FactKind.ENVIRONMENT: words.NEW_ENVIRONMENT,
    FactKind.CONFIG: words.NEW_CONFIG,
    FactKind.ROUTE: words.NEW_ROUTE,
    FactKind.METRIC: words.NEW_METRIC,
    FactKind.SCHEMA: words.NEW_SCHEMA,
    FactKind.SYMBOL: words.NEW_FIELD,
}


def is_known(text: str | None) -> bool:
    """Whether a value is known and does not mean "none"."""
    return (text or "").strip("\"' ").casefold() not in _NONE and not is_computed(text)


def name_list(facts: Sequence[Fact], language: Language) -> Spans:
    """``--a``, ``--b`` and 2 more, each name once."""
    names = list(dict.fromkeys(map(shown_name, facts)))
    parts: list[Part] = [code(name) for name in names[: fitting(names[:NAMES])]]
    return list_in_words(parts, language, limit=NAMES, total=len(names))


def news(reading: ChangeContext) -> tuple[list[Statement], list[Statement]]:
    """New settings with the text beside them, and the others; fields only with a text."""
    explained, others = list[Statement](), list[Statement]()
    helps, language = helps_of(reading.facts.clues), reading.language
    title = reading.facts.subject.words.replace("`", " ")
    told: set[str] = set()
    for kind, phrase in _NEW.items():
        found = reading.told(kind, Action.ADDED)
        if kind is FactKind.SYMBOL:
            found = tuple(f for f in reading.named(Action.ADDED) if is_sent(f))
        facts = [f for f in found if f.detail not in _UNTOLD and not INNER.search(f.name)]
        alone, again = list[Fact](), list[Statement]()
        for f in facts:
            text = text_beside(f.name, helps)
            longer = kind is FactKind.ROUTE and f"{f.name.rpartition(' ')[2]} " in f"{title} "
            if (
                kind in {FactKind.CONFIG, FactKind.SCHEMA} and (not text or text in told)
            ) or longer:
                continue
            if not (text or f.elsewhere or is_known(f.after)):
                alone += [f] * (kind is not FactKind.SYMBOL)
            elif f.elsewhere:
                again.append(_inner(_new(f, phrase, text, reading)))
            elif len(explained) < 2 * NAMES:
                told.add(text)
                explained.append(_new(f, phrase, text, reading))
        if len(alone) > 1:
            kinds, listed = kind_of(alone, language), name_list(alone, language)
            spans = words.NEW_THING(language, kind=kinds, names=listed)
            others.append(make_statement(spans, alone))
        else:
            others += [_new(f, phrase, "", reading) for f in alone]
        others += again[:NAMES]
    return explained, others


def sent_fields(reading: ChangeContext) -> Iterator[Statement]:
    """New fields of requests and responses without a description beside them."""
    helps = helps_of(reading.facts.clues)
    found = (f for f in reading.named(Action.ADDED) if is_sent(f) and f.name not in helps)
    yield from (_new(f, words.NEW_FIELD, "", reading) for f in islice(found, 1))


_CODE = {
    "class": words.NEW_CLASS,
    "field": words.NEW_FIELD,
    "function": words.NEW_FUNCTION,
    "method": words.NEW_METHOD,
}
_WORDS = lazy(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])")
_MAKES = lazy(
    r"(?:[^:]{1,60}: )?(?:add|create|expose|implement|introduce|new|provide|support)"
    r"(?:s|ed|ing)?\b",
    re.IGNORECASE,
)
"""Beginnings of titles for new things, as opposed to existing things that are used more."""


def introduced(reading: ChangeContext) -> Iterator[Statement]:
    """A new class, function or method that the title names, with the text beside it."""
    helps, made = _documented(reading)
    title = reading.facts.subject.words
    named = [f for f in made if _MAKES.match(title) and owner_of(f.name)[1] in title]
    named = [f for f in named if f.detail != "field" or not owner_of(f.name)[1].isupper()]
    for f in sorted(named, key=lambda f: owner_of(f.name)[0] not in title)[:1]:
        yield _new(f, _CODE[f.detail], helps[f.name], reading)


def _documented(reading: ChangeContext) -> tuple[dict[str, str], list[Fact]]:
    """The texts beside things, and the new code that has one."""
    helps = helps_of(reading.facts.clues)
    return helps, [f for f in reading.named(Action.ADDED) if f.detail in _CODE and f.name in helps]


def described(reading: ChangeContext) -> Iterator[Statement]:
    """New functions, methods and classes whose names share words with the title, most of all."""
    helps, made = _documented(reading)
    title = content(reading.facts.subject.words)
    named = reading.facts.subject.words.replace("`", " ").split()
    alone: dict[str, Fact] = {}
    for f in (f for f in made if f.detail != "field"):
        about = content(f"{' '.join(_WORDS.findall(f.name))} {helps[f.name]}") & title
        if owner_of(f.name)[1] not in named and about:
            alone.setdefault(owner_of(f.name)[1], f)
    ranked = sorted(alone.values(), key=lambda f: -len(title & content(helps[f.name])))
    for f in ranked[: 2 if reading.graded.grade.level is Level.HIGH else 1]:
        yield _inner(_new(f, _CODE[f.detail], helps[f.name], reading))


def _inner(statement: Statement) -> Statement:
    """A statement for the full report, which digests for channels leave out."""
    return replace(statement, aspect=Aspect.ARCHITECTURE)


def setting_descriptions(reading: ChangeContext) -> Iterator[Statement]:
    """Descriptions of settings whose defaults or choices changed, from the text beside them."""
    for kind in (FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG):
        for f in reading.told(kind, Action.CHANGED):
            text = help_of(f, reading)
            if text and f.detail in {"default", "choices"} and not is_computed(f.after):
                whole = text if len(text) <= _WHOLE else opening(text)
                what, said_of_it = (code(owner_of(f.name)[1]),), code_as_spans(whole)
                spans = words.EXPLAINED(reading.language, what=what, words=said_of_it)
                yield make_statement(with_full_stop(spans, reading), [f])


def text_beside(name: str, helps: Mapping[str, str]) -> str:
    """The text that describes a thing, or the field whose name is the end of the flag's name."""
    mine = f"_{without_dashes(owner_of(name)[1])}"
    ends = {
        one: text for one, text in helps.items() if mine.endswith(f"_{one}") and "=" not in mine
    }
    field = (text for one, text in ends.items() if not mine.endswith(f"_no_{one}"))
    text = helps.get(name) or next(field, "")
    if text.startswith("CREATE "):
        return ""  # the statement that makes a table
    return text if content(text) - content(name.replace("_", " ")) - _HEADING else ""


def _new(f: Fact, phrase: Phrase, text: str, reading: ChangeContext) -> Statement:
    language = reading.language
    phrase = words.NEW_TABLE if f.kind is FactKind.SCHEMA and f.detail == "table" else phrase
    what = phrase(language, name=code(called(f, reading)))
    switch = f.kind is FactKind.FLAG and (f.after or "").strip("\"'").lower() == "false"
    if (
        is_known(f.after)
        and not switch
        and f.kind in {FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG}
    ):
        # In a shell every value is a string; its quotes mean nothing.
        after = (f.after or "").strip("\"'") if f.kind is not FactKind.CONFIG else f.after
        what = words.WITH_DEFAULT(language, what=what, value=value(after or f.after, language))
    if f.elsewhere:
        here, there = (code(printable(path)) for path in (f.evidence.path, f.elsewhere))
        what = words.NEW_HERE(language, what=what, path=here, elsewhere=there)
    if text:
        what = words.EXPLAINED(language, what=what, words=code_as_spans(opening(text, f.name)))
    return make_statement(with_full_stop(what, reading), [f])


_DEFAULTS_TO = lazy(
    r"\b[Dd]efaults? to (?:the value of )?(?P<value>`[^`]{1,60}`|[\w.-]+(?: [\w.-]+){0,5}?)(?<!\.)"
    r"(?=[.;,](?:\s|$)|\s*\(|\s(?:if|when|unless|in|for|on)\s|$)"
)


def help_of(f: Fact, reading: ChangeContext) -> str:
    """The text beside a setting, or nothing."""
    return helps_of(reading.facts.clues).get(f.name, "")


def said_default(f: Fact, reading: ChangeContext) -> Spans:
    """The default according to the text beside a setting, if code computes it."""
    match = _DEFAULTS_TO.search(help_of(f, reading))
    said = match["value"].strip("`") if match else ""
    if not is_known(said):
        return ()
    return (code(said),) if "_" in said or said[:2] == "--" else code_as_spans(said)


def release_note(reading: ChangeContext) -> Iterator[Statement]:
    """The author's text for users: a release note or the entries of a changelog."""
    description, language = reading.graded.description, reading.language
    if description and (note := quotes.entry(description.note)):
        yield make_statement(with_full_stop(code_as_spans(note), reading), [REQUEST])
    told = [(mark, one) for mark in _OTHERS for one in quotes.marked_notes(reading, mark)]
    for mark, (text, place) in told:
        spans, label, whole = code_as_spans(text), _NOTED.get(mark), quotes.acts(text)
        if label and not whole:
            spans = words.LABELLED(language, label=label.template(language), what=spans)
        if label or whole:
            yield make_statement(with_full_stop(spans, reading), [place])


_NOTED = {"removed": words.REMOVED, "added": words.NEW, "fixed": words.FIX}
"""What is said of an entry that only names a thing, which the heading above it explains."""
_OTHERS = (*_NOTED, "deprecated", "changed", "")


def values(reading: ChangeContext) -> Iterator[Statement]:
    """A constant, or a number that the title names, that is the only change on its line."""
    title = reading.facts.subject.words
    told = {owner_of(f.name)[1] for f in reading.contracts if f.action is Action.CHANGED}
    for clue in reading.facts.clues:
        if (
            clue.name in told
            or clue.kind is not ClueKind.LITERAL
            or not clue.before
            or not clue.after
            or max(len(clue.before), len(clue.after)) > _LONGEST_VALUE
        ):
            continue
        constant = clue.name.isupper() and "_" in clue.name and not INNER.search(clue.name)
        constant &= "version" in title.lower() or not clue.name.endswith("_VERSION")
        word = clue.name.isalpha() and clue.name.islower()  # its meaning is unknown
        meant = (f"`{clue.name}" if word else clue.name) in title and len(clue.name) > 3
        if constant or meant:
            name, before, after = code(clue.name), code(clue.before), code(clue.after)
            spans = words.VALUE(reading.language, name=name, before=before, after=after)
            yield make_statement(with_full_stop(spans, reading), [clue.evidence])
            return


_LONGEST_VALUE = 40  # characters; longer ones may look the same once cut
_FORBIDS = lazy(
    r"\b(?:incompatible|mutually exclusive|conflicts?|cannot|can't|must|requires?|only|unsupported"
    r"|not (?:yet |currently )?(?:compatible|allowed|supported))\b"
)

_REMEDY = lazy(
    r"[;.] |(?<![\w-])(?:requires?|must|only|needs?|pass|set|remove|specify|enable|without|unless"
    r"|supports?)(?![\w-])"
)

_FLAG = lazy(r"(?<![\w-])--[a-z][a-z0-9]*(?:[-_][a-z0-9]+){0,12}")


def _is_of_new_thing(text: str, title: str) -> bool:
    """Whether an error begins with a thing that the title adds, so nobody used it before."""
    owner, colon, _ = text.partition(": ")
    names = content(owner) if colon and "--" not in owner else frozenset()
    return bool(names) and _LIFTS.search(title) is not None and names <= content(title)


def refused_flags(reading: ChangeContext) -> tuple[Clue, list[str]] | None:
    """A new error in code that was there before, and the known flags that it refuses.

    Flags after words such as "requires" are the way out, so they do not count.
    """
    new = {
        without_dashes(owner_of(f.name)[1]) for f in reading.facts.items if f.action is Action.ADDED
    }
    made = {f.path for f in reading.facts.files if f.status is FileStatus.ADDED}
    for clue in reading.facts.clues if not reading.facts.reverts else ():
        at = clue.evidence
        if clue.kind is not ClueKind.REFUSED or at.side is not Side.NEW or at.path in made:
            continue
        if _is_of_new_thing(text := opening(clue.text), reading.facts.subject.words):
            continue
        named = _FLAG.findall(_REMEDY.split(text)[0])
        known = [name for name in named if without_dashes(name) not in new]
        if len(known) == 1 < len(named):
            continue  # nobody gave it together with a new flag before
        if known and _FORBIDS.search(text) and not _HOLE.search(clue.text):
            return clue, list(dict.fromkeys(known))
    return None


def refusals(reading: ChangeContext) -> Iterator[Statement]:
    """The text of a usage error, which may be raised elsewhere too, or of a limit that went.

    Nobody could do before what a new file refuses, so only its limits are told; none has gaps.
    """
    lifts = _LIFTS.search(reading.facts.subject.words)
    told, _ = refused_flags(reading) or (None, None)
    added = {owner_of(f.name)[1] for f in reading.facts.items if f.action is Action.ADDED}
    made = {f.path for f in reading.facts.files if f.status is FileStatus.ADDED}
    for clue in reading.facts.clues:
        new = clue.evidence.side is Side.NEW
        broken = _HOLE.search(clue.text) or clue.text.rstrip()[-1:] in {",", ":"}
        if clue.kind is not ClueKind.REFUSED or not (new or lifts) or broken or clue is told:
            continue
        text = opening(clue.text).rstrip(".")
        if new and _OF_CODE.search(text):
            continue
        fresh = bool(added.intersection(_NAMES.findall(text)))  # nobody used it before
        use = new and not fresh and clue.evidence.path not in made
        if (_ABOUT_USE if use else _LIMITS).search(text) and text.count(" ") >= _SENTENCE:
            phrase = words.REFUSED if new else words.ALLOWED
            yield make_statement(
                phrase(reading.language, words=code_as_spans(text)), [clue.evidence]
            )
            return


_NAMES = lazy(r"[A-Za-z_]\w{2,80}|--[a-z][\w-]{1,80}")


def built_with(reading: ChangeContext) -> Iterator[Statement]:
    """The version that the title raises, with the one before it."""
    title = reading.facts.subject.words.replace("`", "")
    language, words_of_title = reading.language, re.split(r":?\s+", title.casefold())
    for f in reading.told(FactKind.TOOLCHAIN, Action.CHANGED):
        name = language_of_version(f.name)
        numbers = [_RELEASE.search(one or "") for one in (f.before, f.after)]
        before, after = (match[0] if match else "" for match in numbers)
        own = name.casefold()
        named = own in words_of_title or own.removesuffix(".js") in words_of_title
        numbers_told = {n for w in words_of_title if _RELEASE.fullmatch(n := w.strip("v,."))}
        told = named and before and numbers_told - {before} == {after}
        if name and told and [*map(int, before.split("."))] < [*map(int, after.split("."))]:
            spans = words.BUILT_WITH(language, name=name, before=before, after=after)
            yield make_statement(spans, [f])
            return
    match = None if secures(reading.facts) else _RAISES.fullmatch(title)
    if not match:
        return
    said = match["name"].lower().replace("_", "-")
    for name, old, new, place in _raised(reading):
        own = name.lower().replace("_", "-")
        same = f"{new.strip(_MARKS)}.".startswith(f"{match['version']}.")
        if same and (own in said or said in own):
            values = {"before": code(old.strip("\"'=")), "after": code(new.strip("\"'="))}
            spans = words.VALUE(language, name=code(match["name"]), **values)
            yield make_statement(with_full_stop(spans, reading), [place])
            return


_MARKS = "\"'v="


def _raised(reading: ChangeContext) -> Iterator[tuple[str, str, str, Fact | Evidence]]:
    """Name, old and new version of dependencies, and of constants, which may have any name."""
    for f in (f for kind in VERSIONS for f in reading.told(kind, Action.CHANGED)):
        if f.before and f.after:
            yield f.name, f.before, f.after, f
    literals = (c for c in reading.facts.clues if c.kind is ClueKind.LITERAL)
    for c in literals:
        if c.name.endswith(("TAG", "VERSION")) and c.before and c.after:
            yield "", c.before, c.after, c.evidence


_RAISES = lazy(
    r"(?:bump(?: up)?|downgrade|update|upgrade) (?:to )?(?:(?:dependency|module|rust crate) )?"
    r"(?P<name>(?!(?:for|in|of|the|to)\b)[\w@./-]{2,80})(?: docker tag| version)?"
    r"(?: from \S{1,40})? (?:to )?v?(?P<version>\d[\w.+-]{0,40})(?: in \S{1,80})?",
    re.IGNORECASE,
)
_FEW_VERSIONS = 3
_RELEASE = lazy(r"\d{1,4}(?:\.\d{1,4}){1,3}")


def versions(reading: ChangeContext) -> Iterator[Statement]:
    """The changed versions, unless there are too many, or the title names another one."""
    language, title = reading.language, reading.facts.subject.words.casefold().replace("`", "")
    said, named = _RELEASE.findall(title), title.split()
    changed = (f for kind in VERSIONS for f in reading.told(kind, Action.CHANGED))
    facts = [f for f in changed if f.before and f.after not in {None, f"{f.before}.0"}]
    others = {f for f in facts if said and f.name.casefold() in named}
    facts = [f for f in facts if f not in others or any(n in (f.after or "") for n in said)]
    if len(facts) > _FEW_VERSIONS:  # of many, those that did not only loosen a pin
        facts = [f for f in facts if (f.before or "").strip("=~^") != (f.after or "").strip("=~^")]
    for f in facts if len(facts) <= _FEW_VERSIONS else ():
        sides = (f.before or "", f.after or "")
        exact = all(one[:1] == "=" for one in sides)
        before, after = (value(one.lstrip("=") if exact else one, language) for one in sides)
        spans = words.VALUE(language, name=code(f.name), before=before, after=after)
        told = make_statement(with_full_stop(spans, reading), [f])
        yield _inner(told) if COMMIT.fullmatch(f.after or "") else told
