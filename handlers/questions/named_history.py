"""What changes say about a name, by their facts and by the words of their titles."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from digest.analysis.context import VERSIONS, without_dashes
from digest.core.facts import Action, Area, Fact, FactKind
from digest.core.grade import Graded
from digest.core.patterns import lazy
from digest.frozen import frozen
from digest.topics.terms import is_code_name, pieces, roots

Found = Sequence[tuple[Graded, Sequence[Fact]]]
"""Changes with their facts about a name; without facts, the title is about it."""


@frozen(kw_only=False)
class Verdict:
    """Whether a claim ``holds``, and the change whose title says it, if it is one."""

    holds: bool
    said_by: Graded | None = None


@frozen
class NamedHistory:
    """What changes say about a name; ``sure`` if the newest value is known to be current."""

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
        return [fact for fact in self.facts if fact[1].kind is not FactKind.DEPRECATION]

    @property
    def revalued(self) -> frozenset[str]:
        """The changes that gave the name another default, not another type, place or version."""
        told = (one for one in self.contract if one[1].detail not in {"type", "moved"})
        told = (one for one in told if one[1].kind not in VERSIONS)
        return frozenset(g.sha for g, f in told if f.before and f.after and f.after[0] != "(")

    @property
    def pinned(self) -> bool:
        """Whether all facts are of versions."""
        return all(fact.kind in VERSIONS for _, fact in self.facts)

    def bumped_beside(self, is_known: Callable[[Fact], bool]) -> tuple[Graded, Fact] | None:
        """The newest bump of a version of the thing, if no change as new has a known fact."""
        versions = [(g, f) for g, f in self.facts if f.kind in VERSIONS and f.after]
        own = [(g, f) for g, f in versions if pieces(f.name)[-1:] == pieces(self.name)[-1:]]
        last = max(own, key=lambda one: committed(one[0]), default=None)
        known = last and any(is_known(f) for g, f in own if g.sha == last[0].sha)
        return last if last and last[1].before and not known else None

    @property
    def said(self) -> Graded | None:
        """The newest change whose title describes the state of the name."""
        is_code = self.name.startswith("-") or "_" in self.name
        of_code = (g for g, some in self.found if some or Area.CORE in g.facts.areas)
        titles = ((g, g.title[:_MOST_TITLE]) for g in of_code)
        said = (g for g, title in titles if _OF_STATE.search(title))
        said = (g for g in said if not _is_of_another(g.title, self.name))
        return next((g for g in said if not is_code or has_whole(g.title, self.name)), None)

    @property
    def decisive(self) -> str:
        """The full hash of the change that removed, renamed, mentions or added the name.

        Otherwise of the newest; there is at least one change.
        """
        for action in (Action.REMOVED, Action.RENAMED, None, Action.ADDED):
            if action is None and self.said is not None:
                return self.said.sha
            for graded, fact in self.facts:
                if fact.action is action:
                    return graded.sha
        return self.found[0][0].sha

    @property
    def said_default(self) -> str:
        """The default that the newest title about the name's state gives, if it gives one."""
        title = self.said.title[:_MOST_TITLE] if self.said else ""
        to = _DEFAULT_TO.search(title) if has_whole(title, self.name) else None
        return "" if to is None else to[1]

    @property
    def renamed(self) -> tuple[Graded, str] | None:
        """The change that renamed the name, by a fact or its title, and the new name."""
        wanted = pieces(self.name)
        for graded, facts in self.found:
            for fact in facts:
                if fact.action is Action.RENAMED and fact.before and pieces(fact.before) == wanted:
                    return graded, fact.name
            if (match := _RENAMES.search(graded.title[:_MOST_TITLE])) is not None:
                old, new = match["old"].strip("`"), match["new"].strip("`.,()")
                if pieces(old)[: len(wanted)] == wanted:
                    return graded, new
        return None

    @property
    def replacement(self) -> tuple[Graded, str, str] | None:
        """The newest change that names a replacement, the name as written there, the replacement.

        The name is empty if only the title of the change says so.
        """
        for graded, facts in self.found:
            for fact in facts:
                if fact.replacement and fact.replacement != self.name:
                    return graded, fact.name, fact.replacement
            said = "\n".join((graded.title, *(note.text for note in graded.facts.notes)))
            for match in _REPLACES.finditer(said[:_MOST_TITLE]):
                old = match["old"] or match["former"] or match["gone"]
                new = match["new"] or match["later"] or match["given"]
                if pieces(old.strip("`")) == pieces(self.name):
                    return graded, "", new.strip("`.,()")
        return None

    @property
    def brought(self) -> Graded | None:
        """The oldest change whose title says that it adds the thing, if no fact does.

        *Support caching with pools* only adds something to caching, and a thing that changes were
        about long before already existed.
        """
        name = r"\W{1,3}".join(map(re.escape, self.name.split()))
        brings = lazy(
            rf"\w{{0,9}} {_BEFORE_NAME}[`'\"]?(?:\w{{1,20}} )?{name}[`'\"]?"
            rf"(?: (?:{_SORTS}))*\W*(?:$|[(:]|(?:and|from|to|via|using|as) )",
            re.IGNORECASE,
        )
        oldest = self.oldest
        for graded, _ in reversed(self.found):
            if oldest and committed(graded) - committed(oldest) > _PREPARED:
                return None
            title = graded.title[:_MOST_TITLE]
            adds = _EXISTS[0].search(title)
            if adds and brings.match(title, adds.end()):
                return graded
        return None

    @property
    def oldest(self) -> Graded | None:
        """The oldest change whose title contains the whole name."""
        changes = (graded for graded, _ in reversed(self.found))
        return next((change for change in changes if has_whole(change.title, self.name)), None)

    @property
    def spellings(self) -> frozenset[str]:
        """How titles spell a plain word otherwise, as code may: *macOS*."""
        word = re.compile(rf"\b{self.name}\b", re.IGNORECASE) if self.name.isalpha() else None
        found = (word.search(g.title) for g, _ in self.found) if word else ()
        return frozenset(one[0] for one in found if one) - {self.name}

    @property
    def dropped(self) -> Graded | None:
        """The change whose title removes the thing, unless a newer title adds it again.

        Files may still contain the word after the thing was removed.
        """
        if is_code_name(self.name) or not self.name.isascii():
            return None
        name = r"\W{1,3}".join(map(re.escape, self.name.split()))
        whole = lazy(
            rf"\w{{0,9}} {_BEFORE_NAME}[`'\"]?{name}(?-i:[A-Z]\w*)?[`'\"]?"
            rf"(?: (?:{_SORTS}))?\W*(?:$|\(|(?:from|and|in) )",
            re.IGNORECASE,
        )
        for graded, _ in self.found:
            if Area.CORE not in graded.facts.areas:
                continue
            title = graded.title[:_MOST_TITLE]
            for brings, words in zip((True, False), _EXISTS, strict=True):
                does = words.search(title)
                if does and whole.match(title, does.end()):
                    return None if brings else graded
        return None

    def verdict(self, claim: str, *, stands: bool | None, value: str | None) -> Verdict | None:
        """The answer to a claim about the name; ``None`` if it is unknown.

        ``stands`` says whether the name exists now, ``value`` its default.
        """
        turned, off = claim in {"gone", "experimental", "off"}, claim == "off"
        switch = (value or "").strip("\"'").lower()
        if claim in {"default", "off"} and switch in _ON | _OFF:
            return Verdict((switch in _OFF) == off)
        if claim == "yes" or (claim == "revalued" and self.revalued):
            return Verdict(True)
        if claim == "needed" and ((value or "").lower() in _ON or stands is False):
            return Verdict(False)
        if claim == "gone" and not (self.found or stands):
            return None  # what never was is not gone
        if claim in {"there", "gone"} and stands is not None:
            return Verdict(stands != turned)
        for graded, _ in self.found if claim in _SAYS else ():
            title = graded.title[:_MOST_TITLE]
            matches = (words.search(title) for words in _SAYS[claim])
            said, match = next(((n, m) for n, m in enumerate(matches) if m), (None, None))
            if match and _SAYS[claim] is _EXISTS:
                done_to = _OF_ANOTHER.split(_SUPPORT.sub("", title[match.end() :]))[0]
                whole = roots(self.name) <= roots(done_to)
                # "Remove raw URL loading of pools" leaves the pools.
                done_to = re.sub(r"^\w+|\(?#\d+\)?", "", done_to)
                more = roots(done_to) - roots(self.name) - _GENERAL
                part = said == 1 and not is_code_name(self.name) and bool(more)
                said = said if whole and not part else None
            if said is not None and title.lower().startswith("revert"):
                return None  # what it reverts may have been about something else in part
            if said is not None and not (claim == "needed" and _is_of_another(title, self.name)):
                return Verdict(bool(said) == turned, graded)
        if stands and claim in {"needed", "renamed", "deprecated"}:
            return Verdict(claim == "needed")
        return None


def has_whole(title: str, name: str) -> bool:
    """Whether a title contains the whole name, with its words joined in any way."""
    if re.fullmatch(r"--\w+", name):  # "device" alone occurs in many titles
        return re.search(rf"{name}(?!-?\w)|\b{name[2:]} (?:flag|arg|option)", title) is not None
    words = re.sub(r"[\s-]", "_", name.strip("-").lower())
    bare = words.removeprefix("enable_").removeprefix("disable_")
    said = re.sub(r"[\s-]", "_", title[:_MOST_TITLE].lower())
    return (
        bare in said and re.search(rf"(?<![a-z\d]){re.escape(bare)}(?![a-z\d])", said) is not None
    )


def is_whole(known: str, name: str) -> bool:
    """Whether a fact is about the name itself, not about a field of that name elsewhere."""
    known, name = without_dashes(known), without_dashes(name)
    return known == name or known.endswith((f"/{name}", f"={name}"))


def removes(title: str, name: str) -> bool:
    """Whether a title removes something called by the name."""
    found = _REMOVES.search(title[:_MOST_TITLE])
    return found is not None and has_whole(title[found.start() : found.end() + _OBJECT], name)


_REMOVES = re.compile(r"\b(?:remov|drop|delet)(?:e|es|ed|ing|s|ped|ping|al)?\b", re.IGNORECASE)
_OBJECT = 60  # characters behind the verb in which its object stands


def _is_of_another(title: str, name: str) -> bool:
    """Whether a title removes something else, such as a part of the named thing.

    *Remove the fallback in guided_json*, *K3: remove a stall*.
    """
    removes = _REMOVES.search(title[:_MOST_TITLE])
    if removes is None:
        return False
    done_to = _OF_ANOTHER.split(title[removes.end() : _MOST_TITLE])[0]
    return not roots(name) <= roots(done_to)


_REMOVES = lazy(r"\b(?:remov|drop|delet)\w*", re.IGNORECASE)


def committed(graded: Graded) -> datetime:
    """When the change reached the branch."""
    return graded.commit.committed_at


OPEN = frozenset({"", "added", "removed", "value", "release", "instead"})
"""Questions that are not answered by yes or no."""

_BEFORE_NAME = (
    "(?:(?:an?|the|new|initial|basic|minimal|native|hidden|experimental|preview|support|for|of) "
    "){0,6}"
)
"""Words that may stand between a verb and the thing that it adds."""

_PREPARED = timedelta(days=30)
"""How long before a thing is added other changes may prepare it."""

_SORTS = "models?|support|backend|architecture|integration|implementation|code"
"""Nouns after a name that only say what kind of thing it is."""

_GENERAL = roots(_SORTS.replace("?|", " ").replace("|", " ")) | roots("old deprecated unused the")

_ON = {"true", "1", "on", "yes", "enabled"}
_OFF = {"false", "0", "off", "no", "disabled"}
_VERBS = r"add|support|introduc|implement|restor|remov|drop|delet|(?:stop|end)s?\b"
_HEAD = rf"^(?:\[[^\]\[]{{0,60}}\] ?){{0,9}}(?:[\w/().,-]{{1,60}}: ?)?(?:(?!{_VERBS})\w+ )?"


def _says(*words: str) -> tuple[re.Pattern[str], ...]:
    return tuple(lazy(word, re.IGNORECASE) for word in words)


_EXISTS = _says(
    rf"{_HEAD}(?:add|support|introduc|implement|scaffold|restor|re-?add|reapply)",
    rf"{_HEAD}(?:remov|drop|delet|disallow)|\b(?:drop|remove|end|stop)s? support",
)

_SUPPORT = lazy(r"^\w{0,3}(?: (?:\w+ )?support)? for ", re.IGNORECASE)  # "add basic support for X"
_OF_ANOTHER = lazy(r"\b(?:on|from|in|when|of|for)\b")  # "remove the tag on --fast"

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
"""Words of titles that confirm or deny each claim; they are swapped if the claim is negated."""

_OF_STATE = lazy(
    r"\b(?:stabili[sz]\w*|stable|promot\w+|graduat\w+|experimental|preview|deprecat\w+|defaults?"
    r"|no-?op|re-?nam\w+|remov\w+|introduc\w+|drop\w*)\b",
    re.IGNORECASE,
)
"""Words of titles that describe the state of a thing."""

_DEFAULT_TO = lazy(
    r"\bdefault(?: value)?(?: of \S{1,60})?(?: from \S{1,40})? to ([\w.\"'-]{1,40})", re.IGNORECASE
)

_RENAMES = lazy(
    r"\bre-?nam\w+ (?P<old>\S+)(?: \w+)? (?:to|->|→|as|into)"
    r" (?P<new>(?!(?:an?|the|be|avoid|follow|fix|make|match|use|not)\b)\S+)",
    re.IGNORECASE,
)

_REPLACES = lazy(
    r"\b(?:replac|(?P<moves>switch|migrat|mov))\w* (?:from )?(?P<old>`[^`]{1,60}`|[^\s`]+)"
    r"(?: (?:command|flag|option|setting|method|function|class))? "
    r"(?:with|by|(?(moves)to|by)) (?P<new>`[^`]{1,60}`|\S+)"
    r"|`?(?P<gone>\S{1,80}?)`? (?:has been|is|was) (?:dropped|gone|removed)[,:;.] (?:instead,? )?"
    r"(?:pass|set|use) (?P<given>\S+)"
    r"|(?P<former>\S+?)`? (?:and (?:replac\w+|switch|use)(?: it)?(?: with| by| to)?"
    r"|in favou?r of) (?P<later>\S+)",
    re.IGNORECASE,
)
"""*Replace A with B*, *deprecate A and replace with B*, *drop A in favor of B*."""

_MOST_TITLE = 300
