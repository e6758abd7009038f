"""The state of a name: its value, the changes that added or removed it, and answers to claims."""

from __future__ import annotations

import re
from collections.abc import Sequence

from digest.analysis.context import VERSIONS, without_dashes
from digest.answer.listing import line_of
from digest.answer.tallies import people_of
from digest.core.change import FileStatus, printable
from digest.core.enums import Language
from digest.core.facts import Action, Area, Fact, FactKind
from digest.core.grade import Graded
from digest.core.release import latest
from digest.document import Code, Spans, plain
from digest.i18n import answer_text
from digest.i18n.answer_text import NOT_RELEASED, RELEASED_IN
from digest.i18n.phrase import Part, Phrase, list_in_words
from digest.question.intent import Touched
from digest.report.blocks import title_link
from digest.topics.terms import is_code_name, pieces, term
from handlers.context import Context
from handlers.ports.storage import Tip, names_of
from handlers.questions import declared_names
from handlers.questions.named_history import (
    OPEN,
    NamedHistory,
    Verdict,
    committed,
    is_whole,
    removes,
)
from handlers.questions.requirements import (
    Requirement,
    find_requirements,
    is_bump,
    pins,
    required_line,
)


async def state_lines(
    history: NamedHistory, intent: Touched, ctx: Context, tip: Tip
) -> list[Spans]:
    """Lines on the state of a name and the changes behind it; the requested one comes first."""
    name, aspects = history.name, dict[str, list[Spans]]()
    pins = any(fact.kind in VERSIONS for _, fact in history.facts)
    versioned = history.pinned or intent.claim == "value" or (pins and not intent.claim)
    versioned = versioned and name.partition(" ")[0].lower() not in names_of(ctx.watched)
    needs = await find_requirements(name, ctx, tip) if versioned and tip.sha else ()
    if platform := intent.platform.lower():
        needs = [one for one in needs if platform in pieces(one.path)] or needs
    stands, aspects["there"] = await _presence(history, needs, ctx, tip)
    renamed = history.renamed
    if renamed:
        line = _line(answer_text.IS_RENAMED, renamed[0], name, ctx, other=Code(renamed[1]))
        aspects["renamed"] = [line]
    old = next((one for one in history.facts if one[1].kind is FactKind.DEPRECATION), None)
    if old and not renamed and old[1].action is not Action.REMOVED:
        aspects["deprecated"] = [_line(answer_text.IS_DEPRECATED, old[0], old[1].name, ctx)]
    elif stands and not (old or renamed or needs) and intent.claim in _OF_WORTH:
        aspects["deprecated"] = await _marked(name, ctx, tip)
    if intent.claim == "instead" and history.replacement is None and aspects.get("deprecated"):
        aspects["instead"] = aspects.pop("deprecated")
    elif not renamed:
        aspects["instead"] = _instead(history, intent.claim, ctx, stands=stands is True)
    is_open = intent.claim in OPEN or (stands is not None and intent.claim in {"there", "gone"})
    if is_open and not renamed and not (history.facts and history.pinned):
        aspects |= _last_said(history, needs, ctx)
    asks = not (intent.claim or needs or stands is False)
    about, at = (await declared_names.described_now(name, ctx, tip) if asks else None) or ("", None)
    if at is not None:
        place = Code(f"{printable(at.path)}:{at.line}")
        aspects["about"] = [answer_text.DESCRIBED(ctx.language, text=about, place=place)]
    valued, now = _newest_value(history, needs), list[Fact]()
    if valued is not None and history.sure and history.contract[0][1].action is not Action.REMOVED:
        # Most questions ask for the value, but a call does not reveal it.
        aspect = "set" if needs or (valued[1].after or "").endswith(")") else "value"
        aspects[aspect] = [_valued(*valued, ctx)]
    elif stands is not False and not needs and intent.claim in OF_VALUE:
        now = await declared_names.defaults_now(name, ctx, tip)
        told = [_default(fact, ctx) for fact in now[:_DEFAULTS]]
        if intent.claim == "value" and stands:
            told = told or aspects.get("value") or await _undeclared(name, ctx, tip)
        aspects["value"] = told or aspects.get("value", [])
    for phrase, action in ((answer_text.WENT, Action.REMOVED), (answer_text.CAME, Action.ADDED)):
        if not needs and (action is Action.REMOVED or not renamed):
            gone = stands is False and action is Action.REMOVED
            aspects[action.value] = await _done(phrase, action, history, tip, ctx, gone=gone)
    if intent.claim == "removed" and not (stands is False or aspects.get("removed")):
        removals = [graded for graded, _ in history.found if removes(graded.title, name)]
        if removals:
            last = [_line(answer_text.LAST_SAID, removals[0], name, ctx)]
            aspects["removed"] = aspects.pop("said", last)
        elif not history.replacement:
            aspects["removed"] = [answer_text.NO_REMOVAL(ctx.language, name=Code(name))]
    if intent.claim in {"added", "release"}:
        if aspects.get("added"):
            aspects.pop("said", None)  # the question is when it was added, not what happened later
        elif came := await _came_before(history, ctx, tip):
            line = _line(answer_text.CAME, came, name, ctx, author=_author(came))
            aspects["added"] = [line, *await release_lines(came, tip, ctx)]
        elif oldest := history.oldest:
            line = _line(answer_text.OLDEST, oldest, name, ctx, author=_author(oldest))
            aspects["added"] = [line, *await release_lines(oldest, tip, ctx)]
    if intent.claim == "release" and history.found and not aspects.get("added"):
        aspects["added"] = await released_in(history.found[0][0], tip, ctx)
    value = (valued[1].after or "") if valued else now[0].after if now else None
    value = None if value in declared_names.UNSET else value  # computed later, neither on nor off
    shown = intent.claim in {"renamed", "deprecated"} and aspects.get(intent.claim)
    settled = shown or (needs and intent.claim == "needed")
    claim = "yes" if settled else intent.claim
    first = ["set", "there"] if claim == "value" and needs else [intent.claim]
    order = ["about", *(_AS.get(aspect, aspect) for aspect in first), "value", *aspects]
    lines = [line for aspect in dict.fromkeys(order) for line in aspects.get(aspect, ())]
    if about:  # the change that added it usually says the same
        lines = [line for n, line in enumerate(lines) if n == 0 or about not in plain(line)]
    verdict = history.verdict(claim, stands=stands, value=value)
    if verdict and verdict.said_by and claim in {"there", "gone"} and not stands:
        kept = verdict.holds == (claim == "gone") or await _left(verdict.said_by, ctx, tip)
        verdict = verdict if kept else None
    return [*_verdict(claim, history, verdict, ctx), *lines]


async def _left(graded: Graded, ctx: Context, tip: Tip) -> bool:
    """Whether a file that a change added is still there, in any folder: else its title is old."""
    files = graded.facts.files
    added = {_name(f.path) for f in files if f.status is FileStatus.ADDED and f.area is Area.CORE}
    there = await ctx.watched.source.files(tip) if added else ()
    return not there or not added.isdisjoint(map(_name, there))


def _name(path: str) -> str:
    return path.rpartition("/")[2]


async def _marked(name: str, ctx: Context, tip: Tip) -> list[Spans]:
    """That the code marks a name as deprecated, with the place and what to use instead."""
    fact = await declared_names.deprecated_now(name, ctx, tip)
    at = fact.evidence if fact else await declared_names.said_deprecated(name, ctx, tip)
    if at is None:
        return []
    place = Code(f"{printable(at.path)}:{at.line}")
    other = (fact.replacement if fact else None) or ""
    phrase = answer_text.MARKED_INSTEAD if other else answer_text.MARKED_DEPRECATED
    return [phrase(ctx.language, name=Code(name), place=place, other=Code(other))]


async def _undeclared(name: str, ctx: Context, tip: Tip) -> list[Spans]:
    """That no default is declared for a name, with what stands beside it, which may tell one."""
    lines = [answer_text.DEFAULT_UNKNOWN(ctx.language, name=Code(name))]
    lines = lines if is_code_name(name) else []  # a plain word that the code has declares nothing
    if described := await declared_names.described_now(name, ctx, tip):
        text, at = described
        place = Code(f"{printable(at.path)}:{at.line}")
        beside = answer_text.DESCRIBED(ctx.language, text=text, place=place)
        lines = [beside] if "default" in text.lower() else [beside, *lines]
    return lines


def _instead(history: NamedHistory, claim: str, ctx: Context, *, stands: bool) -> list[Spans]:
    """The replacement of a name, which may still exist."""
    if (told := history.replacement) is not None:
        graded, name, other = told
        phrase = answer_text.REPLACES if stands else answer_text.REPLACED
        phrase = answer_text.INSTEAD if name else phrase
        return [_line(phrase, graded, name or history.name, ctx, other=Code(other))]
    unknown = answer_text.NO_REPLACEMENT(ctx.language, name=Code(history.name))
    return [unknown] if claim == "instead" and history.found else []


_DEFAULTS = 3  # the most declarations of one name whose defaults are shown


def _default(fact: Fact, ctx: Context) -> Spans:
    place = Code(f"{printable(fact.evidence.path)}:{fact.evidence.line}")
    value = Code(fact.after or "")
    return answer_text.DEFAULT_NOW(ctx.language, name=Code(fact.name), value=value, place=place)


OF_VALUE = frozenset({"", "value", "default", "off", "revalued"})
"""Questions about a name that its default answers."""

_OF_WORTH = frozenset({"", "there", "gone", "deprecated", "instead", "needed"})
"""Questions about a name to which it matters that the code calls it deprecated."""

_AS = {"release": "added", **dict.fromkeys(("revalued", "off", "default"), "value")}
"""The kind of line that answers each kind of question."""


async def _presence(
    history: NamedHistory, needs: Sequence[Requirement], ctx: Context, tip: Tip
) -> tuple[bool | None, list[Spans]]:
    """Whether a name exists now (``None`` if unknown), and lines that say where."""
    language, name, facts = ctx.language, history.name, history.facts
    if needs:
        lines = [await required_line(needs, ctx, tip)]
        if bump := history.bumped_beside(lambda fact: pins(fact, needs[0])):
            values = {"value": Code(bump[1].after or ""), "before": Code(bump[1].before or "")}
            place = Code(printable(bump[1].evidence.path))
            lines.append(_line(answer_text.BUMPED, bump[0], name, ctx, place=place, **values))
        newest, versions = history.found[0] if history.found else (None, ())
        if newest and is_bump(newest, versions, needs[0]):
            value = Code(needs[0].version)
            since = _line(answer_text.IS_NOW, newest, needs[0].name, ctx, value=value)
            lines += [] if versions else [since]
            lines += await release_lines(newest, tip, ctx)
        return True, lines
    if facts and history.pinned:
        if any(term(fact.name) != term(name) for _, fact in facts):
            return None, []  # a part of names, such as that of an organisation, goes with none
        removed = facts[0][1].action is Action.REMOVED
        return False if removed else None, [answer_text.NOT_REQUIRED(language, name=Code(name))]
    there = await declared_names.files_with(name, ctx, tip.sha) if tip.sha is not None else None
    for other in sorted(history.spellings) if there == [] else ():
        there = there or await declared_names.files_with(other, ctx, tip.sha or "")
    route = name.startswith("/")
    if "/" in name and not route and tip.sha is not None:
        below = f"{name.strip('/')}/"
        every = await ctx.watched.source.files(tip)
        there = [path for path in every if f"{path}/".startswith(below)]
        if not there and below.partition("/")[0] not in {path.partition("/")[0] for path in every}:
            return None, []  # no path, but a name with a slash: "Style/Name"
    if there is None:
        return None, []
    is_flag = name.startswith("--")
    declared = await declared_names.flags_now(name, ctx, tip) if is_flag else []
    there = declared or there
    files = list_in_words([Code(printable(path)) for path in there], language, limit=3)
    gone = not declared and _went(history, there)
    stands = bool(declared) or (not gone and any("test" not in path for path in there))
    whole = any(is_whole(fact.name, name) for _, fact in facts)
    last = re.split(r"(?=/)" if route else r"\.|::", name)[-1]
    parted = last != name and not (there or gone)  # the code, or a router, may assemble it
    if parted and not (whole and not await declared_names.files_with(last, ctx, tip.sha or "")):
        return None, []
    field = name.removeprefix("--").replace("-", "_")
    if (
        not (stands or gone)
        and is_flag
        and await declared_names.files_with(field, ctx, tip.sha or "")
    ):
        return None, []  # a flag may be derived from the name of a field
    adds = history.verdict("there", stands=None, value=None)
    if not (stands or gone or is_code_name(name)) and (there or (adds and adds.holds)):
        return None, []  # a plain word may be anywhere but in the code of programs
    if history.found and not (there or gone or whole) and _WORDS.fullmatch(name):
        return None, []  # titles have words that the code never had, such as "multi-lora"
    phrase = answer_text.STANDS if stands else answer_text.IS_LEFT_IN
    if not there:
        phrase = answer_text.STANDS_NOT if history.found else answer_text.NOWHERE
    return stands, [phrase(language, name=Code(name), files=files)]


_WORDS = re.compile(r"[a-z]{1,40}(?:-[a-z]{1,40}){1,5}")
"""Words joined by hyphens, which few languages allow in a name."""


def _last_said(
    history: NamedHistory, needs: Sequence[Requirement], ctx: Context
) -> dict[str, list[Spans]]:
    """The newest change whose title describes the name's state, with the value if it has one."""
    said, newest = history.said, history.contract[0] if history.contract else None
    gone = newest is not None and newest[1].action is Action.REMOVED
    if said is None or (gone and newest and committed(newest[0]) >= committed(said)):
        return {}
    if (to := history.said_default) and not needs:
        line = _line(answer_text.IS_NOW, said, history.name, ctx, value=Code(to))
    else:
        line = _line(answer_text.LAST_SAID, said, history.name, ctx)
    return {"value" if "default" in said.title.lower() and not needs else "said": [line]}


def _newest_value(
    history: NamedHistory, needs: Sequence[Requirement]
) -> tuple[Graded, Fact] | None:
    """The newest value in a fact, unless a newer title describes the state of the name."""
    said = history.said
    valued = (
        (graded, fact)
        for graded, fact in history.contract
        if fact.after not in {None, "", fact.name}
        and fact.detail not in {"type", "moved"}  # a moved name has paths in place of values
        and not (fact.after or "").startswith("(")  # a signature is not a value
        and (not needs or pins(fact, needs[0]))
    )
    newest = next(valued, None)
    return newest if newest and (said is None or committed(newest[0]) >= committed(said)) else None


async def _done(
    phrase: Phrase, action: Action, history: NamedHistory, tip: Tip, ctx: Context, *, gone: bool
) -> list[Spans]:
    """The last change that removed a name, or the first that added it, with its release.

    If the name is ``gone``, all of its parts are.
    """
    oldest = history.found[-1][0] if history.found else None
    bare, adds = without_dashes(history.name), action is Action.ADDED
    some = [
        (graded, fact)
        for graded, fact in history.contract
        if fact.action is action
        and (gone or is_whole(fact.name, history.name) or (adds and graded is oldest))
    ]
    brought = history.brought if adds else None
    named = any(is_whole(fact.name, history.name) for _, fact in history.contract)
    if brought and (committed(brought) < committed(some[-1][0]) if named and some else not named):
        line = _line(phrase, brought, history.name, ctx, author=_author(brought))
        return [line, *await release_lines(brought, tip, ctx)]
    if not some:
        return []
    graded, fact = some[-1 if adds else 0]
    whole = (one for one in some if one[0] is graded and without_dashes(one[1].name) == bare)
    fact = next((own for _, own in whole), fact)
    if adds and await _had(history.name, graded, fact, ctx):
        first = next(iter(await declared_names.introduced(history.name, ctx, tip)), graded)
        if committed(first) < committed(graded):
            line = _line(phrase, first, history.name, ctx, author=_author(first))
            return [line, *await release_lines(first, tip, ctx)]
    lines = [_line(phrase, graded, fact.name, ctx, author=_author(graded))]
    lines += await release_lines(graded, tip, ctx, gone=action is Action.REMOVED)
    if adds:
        lines += _purpose(some[-1], ctx.language)
    return lines


async def _came_before(history: NamedHistory, ctx: Context, tip: Tip) -> Graded | None:
    """The change that added a name of code that another change removed."""
    name = history.name if is_code_name(history.name) else ""
    removals = (one for one in history.contract if one[1].action is Action.REMOVED)
    for graded, fact in removals if name else ():
        path = fact.evidence.path
        if is_whole(fact.name, name):
            came = await declared_names.introduced_before(name, graded, path, ctx, tip)
            return next(iter(came), None)
    return None


async def _had(name: str, graded: Graded, fact: Fact, ctx: Context) -> bool:
    """Whether the program had a name before a change that adds it to another file of it."""
    parent = next(iter(graded.commit.parents), "")
    coded = bool(parent) and is_code_name(name)
    there = await declared_names.files_with(name, ctx, parent) if coded else ()
    program = f"{fact.evidence.path.partition('/')[0]}/"
    return any(path.startswith(program) and "test" not in path for path in there or ())


async def required_since(
    graded: Graded, needs: Sequence[Requirement], least: str, ctx: Context, tip: Tip
) -> list[Spans]:
    """That a change raised what is required at least, in which release, and what is required."""
    since = _line(answer_text.LEAST_SINCE, graded, needs[0].name, ctx, value=Code(least))
    now = await required_line(needs, ctx, tip)
    return [since, *await release_lines(graded, tip, ctx), now]


def _valued(graded: Graded, fact: Fact, ctx: Context) -> Spans:
    value = Code(fact.after or "")
    if fact.before is None or fact.before == fact.after:
        return _line(answer_text.IS_NOW, graded, fact.name, ctx, value=value)
    before = Code(fact.before)
    return _line(answer_text.WAS_BEFORE, graded, fact.name, ctx, value=value, before=before)


def _author(graded: Graded) -> str:
    return printable(people_of(graded)[0])


async def release_lines(
    graded: Graded, tip: Tip, ctx: Context, *, gone: bool = False
) -> list[Spans]:
    """The first release that has a change, or a copy of it; ``gone`` if that removes a name."""
    tag, tags = await _first_tag(graded, tip, ctx), await ctx.watched.source.releases()
    if not tags:
        return []
    phrase = answer_text.FIRST_IN if tag else answer_text.IN_NO_RELEASE
    if gone:
        phrase = answer_text.GONE_IN if tag else answer_text.GONE_IN_NO_RELEASE
    return [phrase(ctx.language, tag=Code(tag or latest(tags, ctx.watched.repository.name)))]


async def released_in(graded: Graded, tip: Tip, ctx: Context) -> list[Spans]:
    """The same with the title of the change."""
    tag, tags = await _first_tag(graded, tip, ctx), await ctx.watched.source.releases()
    shown = Code(tag or latest(tags, ctx.watched.repository.name))
    return [_line(RELEASED_IN if tag else NOT_RELEASED, graded, "", ctx, tag=shown)] if tags else []


async def _first_tag(graded: Graded, tip: Tip, ctx: Context) -> str:
    first, copies = await ctx.watched.source.released(tip, graded.sha, graded.commit.subject)
    return first or next(iter(copies), "")


def _purpose(came: tuple[Graded, Fact], language: Language) -> list[Spans]:
    """The purpose of a name, according to the change that added it."""
    graded, fact = came
    line = line_of(graded, language)
    return [line] if fact.name in plain(line) else []


def _went(history: NamedHistory, there: Sequence[str]) -> bool:
    """Whether the newest change about a name, or about a flag itself, removed it."""
    told = [fact for _, fact in history.facts]
    if history.name.startswith("--"):  # a flag of the same name may be left in a script
        told = [fact for fact in told if fact.name.split()[-1:] == [history.name]]
        told = [f for f in told if f.action in {Action.ADDED, Action.REMOVED}] or told
        return bool(told) and told[0].action is Action.REMOVED
    last = told[0] if told else None
    if history.dropped is not None:
        return True
    return bool(last and last.action is Action.REMOVED and _is_gone(last.name, history.name, there))


def _is_gone(known: str, name: str, there: Sequence[str]) -> bool:
    """Whether a removal concerns the name, even if other files still mention it."""
    owned = known.rpartition(".")[2] == name and len(there) <= _LEFT
    return owned or is_whole(known, name)


_LEFT = 3  # the most files that may merely mention a name


def _verdict(
    claim: str, history: NamedHistory, verdict: Verdict | None, ctx: Context
) -> list[Spans]:
    """Yes or no to a claim about a name, with the change whose title says it."""
    if verdict is None:
        undecided = history.found and claim not in OPEN
        return [answer_text.UNDECIDED(ctx.language)] if undecided else []
    if verdict.said_by is None:
        return [(answer_text.YES if verdict.holds else answer_text.NO)(ctx.language)]
    phrase = answer_text.YES_BY if verdict.holds else answer_text.NO_BY
    return [_line(phrase, verdict.said_by, "", ctx)]


def _line(phrase: Phrase, graded: Graded, name: str, ctx: Context, **more: Part) -> Spans:
    change = title_link(graded, ctx.watched.repository)
    day = graded.commit.committed_at.astimezone(ctx.zone).date().isoformat()
    return phrase(ctx.language, name=Code(name), change=change, day=day, **more)
