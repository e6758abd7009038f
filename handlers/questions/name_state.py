"""How a name stands now: its value, what brought or took it, and yes or no to a claim about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from digest.analysis.context import VERSIONS, without_dashes
from digest.answer.listing import line_of
from digest.core.change import printable
from digest.core.enums import Language
from digest.core.facts import Action, Fact, FactKind
from digest.core.grade import Graded
from digest.core.release import latest
from digest.document import Code, Spans, plain
from digest.i18n import reading_text
from digest.i18n.answer_text import NOT_RELEASED, RELEASED_IN
from digest.i18n.phrase import Part, Phrase, join, list_in_words
from digest.question.intent import Touched
from digest.report.blocks import title_link
from digest.topics.terms import pieces, roots
from handlers.context import Context
from handlers.ports.storage import Tip
from handlers.questions.requirements import (
    UNSET,
    Requirement,
    defaults_now,
    files_with,
    find_requirements,
)

Found = Sequence[tuple[Graded, Sequence[Fact]]]
"""Changes with their facts about a name; without facts, the title is about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedHistory:
    """What the changes about a name say of it; ``sure`` that the newest value still holds."""

    name: str
    found: Found
    sure: bool

    @property
    def facts(self) -> list[tuple[Graded, Fact]]:
        """The facts about the name with their changes, newest first."""
        return [(graded, fact) for graded, some in self.found for fact in some]

    @property
    def contract(self) -> list[tuple[Graded, Fact]]:
        """The same without deprecations."""
        return [one for one in self.facts if one[1].kind is not FactKind.DEPRECATION]

    @property
    def pinned(self) -> bool:
        """Whether all facts are of versions."""
        return all(fact.kind in VERSIONS for _, fact in self.facts)

    @property
    def said(self) -> Graded | None:
        """The newest change whose title says how the name stands."""
        is_code = self.name.startswith("-") or "_" in self.name
        titles = ((g, g.title[:_MOST_TITLE]) for g, _ in self.found)
        said = (g for g, title in titles if _OF_STATE.search(title))
        return next((g for g in said if not is_code or _has_whole(g.title, self.name)), None)

    @property
    def decisive(self) -> str:
        """The change that removed, renamed, told of in its title, or added a name, else the newest.

        Its full name; there is at least one change.
        """
        for action in (Action.REMOVED, Action.RENAMED, None, Action.ADDED):
            if action is None and self.said is not None:
                return self.said.sha
            for graded, fact in self.facts:
                if fact.action is action:
                    return graded.sha
        return self.found[0][0].sha


def _has_whole(title: str, name: str) -> bool:
    """Whether a title has all of a name, its words joined in any way."""
    words = re.sub(r"[\s-]", "_", name.strip("-").lower())
    bare = words.removeprefix("enable_").removeprefix("disable_")
    return bare in re.sub(r"[\s-]", "_", title[:_MOST_TITLE].lower())


async def state_lines(
    history: NamedHistory, intent: Touched, ctx: Context, tip: Tip
) -> list[Spans]:
    """How a name stands now, what it is, and what made it so; what is asked for comes first."""
    name, aspects = history.name, dict[str, list[Spans]]()
    needs = await find_requirements(name, ctx, tip) if history.pinned and tip.sha else ()
    stands, aspects["there"] = await _presence(history, needs, ctx, tip)
    renamed = _renamed(name, history.found)
    if renamed:
        line = _line(reading_text.IS_RENAMED, renamed[0], name, ctx, other=Code(renamed[1]))
        aspects["renamed"] = [line]
    old = next((one for one in history.facts if one[1].kind is FactKind.DEPRECATION), None)
    if old and not renamed and old[1].action is not Action.REMOVED:
        aspects["deprecated"] = [_line(reading_text.IS_DEPRECATED, old[0], old[1].name, ctx)]
    is_open = intent.claim in _OPEN or (stands is not None and intent.claim in {"there", "gone"})
    if is_open and not renamed and not (history.facts and history.pinned):
        aspects |= _last_said(history, needs, ctx)
    valued, now = _newest_value(history, needs), list[Fact]()
    if valued is not None and history.sure and history.contract[0][1].action is not Action.REMOVED:
        # The value is what is asked for most, but a call does not say it.
        aspect = "set" if needs or (valued[1].after or "").endswith(")") else "value"
        aspects[aspect] = [_valued(*valued, ctx)]
    elif stands is not False and not needs and intent.claim in _OF_VALUE:
        now = await defaults_now(name, ctx, tip)
        told = [_default(fact, ctx) for fact in now[:_DEFAULTS]]
        aspects["value"] = told or aspects.get("value", [])
    for phrase, action in ((reading_text.WENT, Action.REMOVED), (reading_text.CAME, Action.ADDED)):
        if not needs and (action is Action.REMOVED or not renamed):
            gone = stands is False and action is Action.REMOVED
            aspects[action.value] = await _done(phrase, action, history, tip, ctx, gone=gone)
    if intent.claim == "release" and history.found and not aspects.get("added"):
        aspects["added"] = await released_in(history.found[0][0], tip, ctx)
    value = (valued[1].after or "") if valued else now[0].after if now else None
    value = None if value in UNSET else value  # computed later, neither on nor off
    claim = "yes" if renamed and intent.claim == "renamed" else intent.claim
    asked = ["set", "there"] if claim == "value" and needs else [_AS.get(claim, claim)]
    order = [*asked, "value", *aspects]
    lines = [line for aspect in dict.fromkeys(order) for line in aspects.get(aspect, ())]
    return [*_verdict(claim, history, stands, value, ctx), *lines]


_DEFAULTS = 3  # declarations of one name that are told with their defaults


def _default(fact: Fact, ctx: Context) -> Spans:
    place = Code(f"{printable(fact.evidence.path)}:{fact.evidence.line}")
    value = Code(fact.after or "")
    return reading_text.DEFAULT_NOW(ctx.language, name=Code(fact.name), value=value, place=place)


_OF_VALUE = frozenset({"", "value", "default", "off", "revalued"})
_AS = {"release": "added", **dict.fromkeys(("revalued", "off", "default"), "value")}
"""By what is asked, the lines that tell it."""

_OPEN = frozenset({"", "added", "removed", "value", "release"})
"""What is asked that yes or no does not answer."""


async def _presence(
    history: NamedHistory, needs: Sequence[Requirement], ctx: Context, tip: Tip
) -> tuple[bool | None, list[Spans]]:
    """Whether a name is there now, ``None`` if nobody knows, and where."""
    language, name, facts = ctx.language, history.name, history.facts
    if needs:
        lines = [_required(needs, ctx)]
        newest, pins = history.found[0] if history.found else (None, ())
        if newest and _is_bump(newest, pins, needs[0]):
            value = Code(needs[0].version)
            since = _line(reading_text.IS_NOW, newest, needs[0].name, ctx, value=value)
            lines += [] if pins else [since]
            lines += await release_lines(newest, tip, ctx)
        return True, lines
    if facts and history.pinned:
        removed = facts[0][1].action is Action.REMOVED
        return False if removed else None, [reading_text.NOT_REQUIRED(language, name=Code(name))]
    there = await files_with(name, ctx, tip.sha) if tip.sha is not None else None
    if there is None:
        return None, []
    files = list_in_words([Code(printable(path)) for path in there], language, limit=3)
    last = facts[0][1] if facts else None
    gone = last and last.action is Action.REMOVED and _is_gone(last.name, name, there)
    stands = not gone and any("test" not in path for path in there)
    if "." in name and not (there or gone):
        return None, []  # the code may put it together of its parts
    field = name.removeprefix("--").replace("-", "_")
    if not there and not gone and field != name and await files_with(field, ctx, tip.sha or ""):
        return None, []  # a flag may be made of the name of a field
    phrase = reading_text.STANDS if stands else reading_text.IS_LEFT_IN
    phrase = phrase if there else reading_text.STANDS_NOT
    return stands, [phrase(language, name=Code(name), files=files)]


def _last_said(
    history: NamedHistory, needs: Sequence[Requirement], ctx: Context
) -> dict[str, list[Spans]]:
    """The newest change whose title says how the name stands; the value, if that is told."""
    said = history.said
    if said is None:
        return {}
    to = _DEFAULT_TO.search(said.title[:_MOST_TITLE])
    if to is not None and not needs and _has_whole(said.title, history.name):
        line = _line(reading_text.IS_NOW, said, history.name, ctx, value=Code(to[1]))
    else:
        line = _line(reading_text.LAST_SAID, said, history.name, ctx)
    return {"value" if "default" in said.title.lower() and not needs else "said": [line]}


def _newest_value(
    history: NamedHistory, needs: Sequence[Requirement]
) -> tuple[Graded, Fact] | None:
    """The newest value by a fact, unless a newer title says how the name stands."""
    said = history.said
    valued = (
        (graded, fact)
        for graded, fact in history.contract
        if fact.after not in {None, fact.name}
        and fact.detail != "type"
        and (not needs or _pins(fact, needs[0]))
    )
    newest = next(valued, None)
    return newest if newest and (said is None or _at(newest[0]) >= _at(said)) else None


async def _done(
    phrase: Phrase, action: Action, history: NamedHistory, tip: Tip, ctx: Context, *, gone: bool
) -> list[Spans]:
    """The last change that removed a name, or the first that added it, with its release.

    Of a name that is ``gone``, every part of it is.
    """
    oldest = history.found[-1][0] if history.found else None
    named = any(_is_whole(fact.name, history.name) for _, fact in history.contract)
    if action is Action.ADDED and not named and (brought := _brought(history)):
        return [_line(phrase, brought, history.name, ctx), *await release_lines(brought, tip, ctx)]
    some = [
        (graded, fact)
        for graded, fact in history.contract
        if fact.action is action
        and (gone or _is_whole(fact.name, history.name) or graded is oldest)
    ]
    if not some:
        return []
    graded, fact = some[0 if action is Action.REMOVED else -1]
    lines = [_line(phrase, graded, fact.name, ctx)]
    if action is Action.ADDED:
        lines += await release_lines(graded, tip, ctx)
        lines += _purpose(some[-1], ctx.language)
    return lines


def _brought(history: NamedHistory) -> Graded | None:
    """The oldest change whose title says that it adds a thing that no fact is about."""
    name = r"\W{1,3}".join(map(re.escape, history.name.split()))
    brings = re.compile(
        rf"\w{{0,9}} {_BEFORE_NAME}[`'\"]?(?:\w{{1,20}} )?{name}(?!\w)", re.IGNORECASE
    )
    for graded, _ in reversed(history.found):
        title = graded.title[:_MOST_TITLE]
        adds = _EXISTS[0].search(title)
        if adds and brings.match(title, adds.end()):
            return graded
    return None


_BEFORE_NAME = (
    "(?:(?:an?|the|new|initial|basic|minimal|native|hidden|experimental|preview|support|for|of) "
    "){0,6}"
)
"""Words between a verb and what it adds."""


def _verdict(
    claim: str, history: NamedHistory, stands: bool | None, value: str | None, ctx: Context
) -> list[Spans]:
    """Yes or no to a claim about a name, with the change whose title says it."""
    name, found, language = history.name, history.found, ctx.language
    turned, off = claim in {"gone", "experimental", "off"}, claim == "off"
    switch = (value or "").strip("\"'").lower()
    if claim in {"default", "off"} and switch in _ON | _OFF:
        return [(reading_text.YES if (switch in _OFF) == off else reading_text.NO)(language)]
    revalued = claim == "revalued" and any(f.before for _, f in history.contract if f.after)
    if claim == "yes" or revalued:
        return [reading_text.YES(language)]
    if claim == "needed" and ((value or "").lower() in _ON or stands is False):
        return [reading_text.NO(language)]
    if claim in {"there", "gone"} and stands is not None:
        return [(reading_text.YES if stands != turned else reading_text.NO)(language)]
    for graded, _ in found if claim in _SAYS else ():
        title = graded.title[:_MOST_TITLE]
        matches = (words.search(title) for words in _SAYS[claim])
        said, match = next(((n, m) for n, m in enumerate(matches) if m), (None, None))
        if match and _SAYS[claim] is _EXISTS:
            done_to = _OF_ANOTHER.split(title[match.end() :])[0]
            said = said if roots(name) <= roots(done_to) else None
        if said is not None:
            phrase = reading_text.YES_BY if bool(said) == turned else reading_text.NO_BY
            return [_line(phrase, graded, "", ctx)]
    if stands and claim == "needed":
        return [reading_text.YES(language)]
    if stands and claim in {"renamed", "deprecated"}:
        return [reading_text.NO(language)]
    return [reading_text.UNDECIDED(language)] if found and claim not in _OPEN else []


_ON = {"true", "1", "on", "yes", "enabled"}
_OFF = {"false", "0", "off", "no", "disabled"}
_HEAD = r"^(?:\[[^\]\[]{0,60}\] ?){0,9}(?:[\w/().,-]{1,60}: ?)?(?:\w+ )?"


def _says(*words: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.IGNORECASE) for one in words)


_EXISTS = _says(
    rf"{_HEAD}(?:add|support|introduc|implement|scaffold|restor|re-?add|reapply)",
    rf"{_HEAD}(?:remov|drop|delet|disallow)|\b(?:drop|remove)s? support",
)

_OF_ANOTHER = re.compile(r"\b(?:on|from|in|when|of)\b")  # "remove the tag on --fast"

_STABLE = _says(
    r"stabili[sz]|promot|graduat|\b(?:GA|stable)\b", r"\b(?:experimental|preview|beta|unstable)\b"
)

_BY_DEFAULT = _says(
    r"\b(?:enabl|turn on|on|activat)\w*\b.{0,60}\bby default|default.{0,40}\b(?:true|on)\b"
    r"|\bby default\b(?!.{0,60}\b(?:disabl|off))",
    r"\b(?:disabl|turn off|off)\w*\b.{0,60}\bby default|default.{0,40}\b(?:false|off)\b",
)

_SAYS = {
    "there": _EXISTS, "gone": _EXISTS, "stable": _STABLE, "experimental": _STABLE,
    "default": _BY_DEFAULT, "off": _BY_DEFAULT,
    "deprecated": _says(r"deprecat", r"undeprecat"),
    "renamed": _says(r"\bre-?nam", r"(?!)"),
    "needed": _says(
        r"(?!)",
        rf"\bno-?op\b|\bphas\w+ out|\bno longer (?:need|requir)|{_HEAD}(?:remov|drop|delet)"
        r"|stabili[sz]|graduat|promot|\bby default\b(?!.{0,60}\b(?:disabl|off))",
    ),
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
        shown = Code(version) if one.version else reading_text.ANY_VERSION(ctx.language)
        place = Code(f"{printable(one.path)}:{one.line}")
        versions.setdefault((one.name, one.version), join([shown, " (", place, ")"]))
    value = list_in_words(list(versions.values()), ctx.language, limit=3)
    return reading_text.REQUIRED_NOW(ctx.language, name=Code(needs[0].name), value=value)


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
        return _line(reading_text.IS_NOW, graded, fact.name, ctx, value=value)
    before = Code(fact.before)
    return _line(reading_text.WAS_BEFORE, graded, fact.name, ctx, value=value, before=before)


async def release_lines(graded: Graded, tip: Tip, ctx: Context) -> list[Spans]:
    """The first release that has a change, or a copy of it."""
    tag = await _first_tag(graded, tip, ctx)
    if not tag and not await ctx.watched.source.releases():
        return []
    phrase = reading_text.FIRST_IN if tag else reading_text.IN_NO_RELEASE
    return [phrase(ctx.language, tag=Code(tag))]


async def released_in(graded: Graded, tip: Tip, ctx: Context) -> list[Spans]:
    """The same with the title of the change."""
    tag, tags = await _first_tag(graded, tip, ctx), list(await ctx.watched.source.releases())
    shown = Code(tag or latest(tags) or "")
    return [_line(RELEASED_IN if tag else NOT_RELEASED, graded, "", ctx, tag=shown)] if tags else []


async def _first_tag(graded: Graded, tip: Tip, ctx: Context) -> str:
    first, copies = await ctx.watched.source.released(tip, graded.sha, graded.commit.subject)
    return first or next(iter(copies), "")


def _purpose(came: tuple[Graded, Fact], language: Language) -> list[Spans]:
    """What the change that added a name says that it is for."""
    graded, fact = came
    line = line_of(graded, language)
    return [line] if fact.name in plain(line) else []


def _is_gone(known: str, name: str, there: Sequence[str]) -> bool:
    """Whether a fact of a removal is about the name, of which mentions may be left."""
    owned = known.rpartition(".")[2] == name and len(there) <= _LEFT
    return owned or _is_whole(known, name)


_LEFT = 3  # files with a name that may do no more than mention it


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
        if (match := _RENAMES.search(graded.title[:_MOST_TITLE])) is not None:
            old, new = match["old"].strip("`"), match["new"].strip("`.,()")
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
