"""The title of a change as a readable sentence: no tags or noise, its verb in the present tense.

"[ROCm][Bugfix] fix wrong argument passed to `f`" becomes "ROCm: fixes ...". In Chinese the verb is
translated and the rest stays as the author wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from digest.core.author_text import authored
from digest.core.enums import Language
from digest.core.facts import Action, Area, FactKind, Facts, Subject
from digest.document import Spans, Text
from digest.facts.subject import strip_numbers, strip_tags
from digest.i18n import consequence_text as words
from digest.i18n.phrase import Phrase, joined


class Deed(StrEnum):
    """The action that a title states, as far as it matters to a reader."""

    FIX = "fix"
    ADD = "add"
    SUPPORT = "support"
    ENABLE = "enable"
    DISABLE = "disable"
    REMOVE = "remove"
    IMPROVE = "improve"
    SPEED = "speed"
    UPDATE = "update"
    RENAME = "rename"
    INTERNAL = "internal"
    OTHER = "other"


_VERBS = {
    Deed.FIX: "fix correct resolve repair restore prevent avoid handle guard harden",
    Deed.ADD: "add introduce implement expose provide create include register export",
    Deed.SUPPORT: "support allow accept permit extend",
    Deed.ENABLE: "enable activate turn",
    Deed.DISABLE: "disable deactivate skip block reject forbid deny ban",
    Deed.REMOVE: "remove drop delete deprecate discard strip",
    Deed.IMPROVE: "improve enhance clarify validate check warn report log show render print display"
    " emit raise ensure make keep retry limit respect preserve propagate return detect use"
    " store populate set require constrain enforce",
    Deed.SPEED: "speed optimize optimise accelerate reduce cache fuse precompute vectorize"
    " parallelize eliminate defer overlap shrink",
    Deed.UPDATE: "update bump upgrade pin downgrade unpin sync",
    Deed.RENAME: "rename replace switch promote change convert migrate default",
    Deed.INTERNAL: "refactor move extract simplify consolidate restructure unify reorganize"
    " reorganise deduplicate split clean tidy reuse inline annotate format lint relocate decouple"
    " separate isolate centralize rework cleanup",
    Deed.OTHER: "apply stop start pass load read write run build test document compute align cap"
    " bound treat bind wait send count pad map route parse infer fall fallback bypass"
    " publish gate tune adjust shard pack share stage capture call compile dispatch clear"
    " reset release close flush trim sort record track throw surface hide point override"
    " initialize upload download install port backport group mention describe explain"
    " adopt attach pick select serialize honor tolerate ignore normalize generate manage"
    " refine refresh classify flatten filter prune stabilize fail force alias mark hoist"
    " fetch expand tighten relax lower bring poll cancel drain free allocate merge"
    " segregate plumb hand say tell serve minimize discover intern continue encode decode"
    " recommend factor consume borrow recognize safeguard rewrite lock unlock adapt"
    " postpone prefer request query collect follow await preload prefetch warm mount"
    " bundle embed wrap unwrap swap wire rely reorder resume pause retain rotate shorten"
    " suppress terminate truncate trust verify walk widen yield assert assign bail"
    " delegate derive detach distinguish emulate encapsulate enqueue escape estimate evict"
    " expire fold forward freeze gather grant guarantee halve increase inherit inject"
    " insert inspect instrument interpret invalidate invoke launch listen localize lift"
    " modify narrow notify offer omit open persist prepare produce protect prove quote"
    " rebuild recompute reconcile redirect refuse reinstate reload repeat reserve reshape"
    " retire revise sanitize save shut silence specify spawn spread strengthen submit"
    " substitute take teach transform translate traverse unblock undo vendor visit weaken"
    " error volunteer propose complete copy watch cover",
}

_DEEDS = {verb: deed for deed, verbs in reversed(_VERBS.items()) for verb in verbs.split()}
_NOUNS = {"bugfix": "fix", "hotfix": "fix"}

_AGAIN = frozenset(
    """
    use add remove fix enable disable enforce warn make reuse skip drop replace improve allow raise
    fail restore prevent avoid move migrate simplify propagate expose switch reject re-enable
    """.split()  # noqa: SIM905 - a list of quoted words would not be read
)
"""Verbs that are also recognised after "and"."""

_DOUBLED = re.compile(r"([bdglmnprt])\1(?=ed$|ing$)")

_FIRST = re.compile(
    r"((?:[A-Za-z]{2,20}ly|[Aa]lways|[Oo]nly|[Aa]lso|[Jj]ust) )?"
    r"((?:[Rr]e-)?[A-Za-z]{2,24})(?=[\s:,]|$)"
)

_SECOND = re.compile(r"(^| )and ((?:[Rr]e-)?[A-Za-z]{3,12}) (?!of\b|for\b)")
_TRIED = re.compile(r"(?:try|attempt)(?: to)? (?=[a-z])", re.IGNORECASE)
_NEGATED = re.compile(r"(?:do not|don['’]?t|never)\s+([A-Za-z]+)\b", re.IGNORECASE)

_UNUSED = re.compile(
    r"\b(?:unused|dead|redundant|obsolete|outdated|leftover|stale|duplicated?|unnecessary|todo)\b",
    re.IGNORECASE,
)

_SCOPED = re.compile(r"([\w ./+-]{2,48}?)\s?:\s+(?=\S)")

_NAMED = re.compile(
    r"([A-Z][\w.-]{1,30}) (?=(?:Fix|Add|Support|Enable|Use|Remove|Improve|Update|Optimize)\b)"
)

_WORD = re.compile(r"[^\W_]+")
_SPLIT = re.compile(r"[/,&|+ ]+")

_TAIL = re.compile(
    r"\s*\[security\]$|\s*[(\[](?:part\s?)?\d{1,3}\s?(?:/|of)\s?(?:\d{1,3}|[nNxX])[)\]]\s*$",
    re.IGNORECASE,
)

# Tags and scopes that only give the sort of change or say nothing; others say where it matters.
_TOLD_ELSEWHERE = frozenset(
    """
    feat feature features new fix fixes bugfix bug hotfix perf performance optimization
    optimisation refactor refactoring cleanup chore chores misc minor small core doc docs
    documentation test tests testing ci build style deps dependency dependencies enhancement
    improvement revert wip be ux rfc easy nit nfc internal typo lint typing security breaking
    release follow up followup hardware change model models kernel kernels dev meta
    """.split()  # noqa: SIM905 - a list of quoted words would not be read
)

_PLATFORMS = {
    one.casefold(): one
    for one in """
    ROCm CUDA XPU TPU HPU NPU CPU Metal Vulkan Windows macOS Linux Android iOS Arm s390x ppc64le
    RISC-V Helm Docker Kubernetes
    """.split()  # noqa: SIM905 - a list of quoted words would not be read
}

_ALONE = {
    Area.TESTS: words.TESTS_ONLY,
    Area.CI: words.CI_ONLY,
    Area.DOCS: words.DOCS_ONLY,
    Area.BUILD: words.BUILD_ONLY,
    Area.BENCHMARKS: words.BENCHMARKS_ONLY,
    Area.EXAMPLES: words.EXAMPLES_ONLY,
    Area.LOCKFILE: words.BUILD_ONLY,
}

_INSIDE = frozenset({"refactor", "refactoring", "chore", "cleanup", "internal"})
"""Types, tags and labels of changes that do not affect users."""

_SAID = {
    "ci": words.CI_ONLY,
    "test": words.TESTS_ONLY,
    "tests": words.TESTS_ONLY,
    "doc": words.DOCS_ONLY,
    "docs": words.DOCS_ONLY,
}

_MADE = re.compile(r"[a-z]{3,16}(?:ali[sz]e|eri[sz]e|oni[sz]e|ify)")
"""Words recognised as verbs by their ending."""

_STATED = re.compile(
    r" (?:is|are|was|were|should|must|fails?|does|do|can|cannot|has|have|now|supports?) ",
    re.IGNORECASE,
)
"""Words that make a title without a leading verb a sentence."""

_FASTER = re.compile(
    r"\b(?:latency|performance|throughput|speed-?up|optimi[sz]ations?)\b", re.IGNORECASE
)
_GROWS = 3
_MUCH = 20
"""Minimum added lines, and minimum ratio of added to deleted lines, for something new."""

_ARTICLE = re.compile(r"^(?:an?|the) ")
_MERGE = re.compile(r"merg(?:e|es|ed|ing) ", re.IGNORECASE)
_SHIPPED = (FactKind.DEPENDENCY, FactKind.TOOLCHAIN)
_LEAST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """A title as a sentence without its full stop; ``telling`` if it says what is different.

    ``deed`` is the action that the title states; ``inner`` is the sentence for use after a label.
    """

    spans: Spans
    inner: Spans
    deed: Deed
    telling: bool


def headline(facts: Facts, language: Language, labels: Sequence[str] = ()) -> Headline:
    """The title as a sentence, prefixed with what it concerns if tags or paths say so."""
    subject = facts.subject
    text = _TAIL.sub("", title_text(subject)).rstrip(" .:;,")
    text = _TRIED.sub("", text, count=1) if _TRIED.match(text) else text
    scope = ""
    found = _SCOPED.match(text) or _NAMED.match(text)
    if found and _verb_at(text[found.end() :]):
        scope, text = found[1], text[found.end() :]
    told = _told(text, subject)
    where = _concerned(facts, scope, text, labels)
    alone = _alone(facts, told.deed, text, labels)
    sort = None if told.verb or alone else _sort(facts, told.deed, text)
    prefix = [phrase(language) for phrase in (alone, sort) if phrase]
    prefix.append(_before(where, language))
    content = {w.casefold() for w in _WORD.findall(text)} - _TOLD_ELSEWHERE
    clear = len(content) >= _LEAST and (bool(told.verb) or len(content) > _LEAST + 1)
    sentence = _sentence(told, language)
    return Headline(
        spans=_capital(joined([*prefix, *sentence]), bare=not where),
        inner=joined([_before(where, language), *sentence]),
        deed=told.deed,
        telling=(clear or (bool(alone or sort) and len(content) > 1)) and not _MERGE.match(text),
    )


def title_text(subject: Subject) -> str:
    """The words of a title on one line; its place in a series if nothing else is left."""
    text = " ".join(subject.words.split())
    if len(_WORD.findall(text)) > 1:
        return text
    whole, _ = strip_numbers(subject.title)
    return " ".join(strip_tags(whole)[0].split()) or text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """A parsed title: adverb, verb in its base form, and the words after them."""

    verb: str
    deed: Deed
    rest: str
    negated: bool = False
    adverb: str = ""


def _verb_at(text: str) -> str:
    """The base form of the verb at the start of a title, or an empty string."""
    found = _FIRST.match(text)
    return _plain(found[2]) if found else ""


def _plain(word: str) -> str:
    """The base form of a word that may be any form of a verb."""
    low = word.lower()
    forms = [_NOUNS.get(low, low)]
    for ending in ("es", "s", "ed", "d", "ing"):
        if low.endswith(ending) and len(low) > len(ending) + 2:
            stem = low.removesuffix(ending)
            forms += [stem, stem + "e", _DOUBLED.sub(r"\1", low).removesuffix(ending)]
    if low.endswith(("ies", "ied")):
        forms.append(low[:-3] + "y")
    known = next((form for form in forms if form.removeprefix("re-") in _DEEDS), "")
    return known or (low if _MADE.fullmatch(low) else "")


def _told(text: str, subject: Subject) -> _Told:
    if (found := _NEGATED.match(text)) and (verb := _plain(found[1])):
        rest = text[found.end() :].strip()
        return _Told(verb=verb, deed=Deed.FIX, rest=rest, negated=True)
    found = _FIRST.match(text)
    verb = _plain(found[2]) if found else ""
    if found is None or not verb:
        return _Told(verb="", deed=Deed.FIX if _fixes(subject) else Deed.OTHER, rest=text)
    rest = text[found.end() :].lstrip(" :,").strip()
    if verb == "fix":
        rest = rest.removeprefix("for ")
    if verb == "fallback" or (verb == "fall" and rest.lower().startswith("back ")):
        rest = rest.removeprefix("back ")
        verb = "fall back"
    return _Told(
        verb=verb, deed=_DEEDS.get(verb, Deed.OTHER), rest=rest, adverb=(found[1] or "").lower()
    )


def _fixes(subject: Subject) -> bool:
    tags = {one for tag in subject.tags for one in _SPLIT.split(tag.casefold())}
    return subject.type == "fix" or bool(tags & {"bugfix", "fix", "bug", "hotfix"})


def third(verb: str) -> str:
    """The third person of a verb: fixes, applies, falls back."""
    head, _, tail = verb.partition(" ")
    if head == "cleanup":
        return "cleans up"
    if head.endswith(("s", "x", "z", "ch", "sh")):
        head += "es"
    elif head.endswith("y") and head[-2] not in "aeiou":
        head = head[:-1] + "ies"
    else:
        head += "s"
    return f"{head} {tail}".strip()


def _sentence(told: _Told, language: Language) -> Spans:
    """The words of the title after its verb, with the verb in the language."""
    if not told.verb:
        return authored(told.rest)
    if language is Language.ZH:
        name = words.VERBS_ZH.get(told.verb)
        verb = name or f"{told.adverb}{told.verb}"
        rest = _ARTICLE.sub("", told.rest.removeprefix("up ")) if name else told.rest
        return joined(["不再" if told.negated else "", verb, " ", *authored(rest)])
    rest = _SECOND.sub(_conjugated, told.rest)
    head = f"no longer {third(told.verb)}" if told.negated else f"{told.adverb}{third(told.verb)}"
    return joined([f"{head} " if rest else head, *authored(rest)])


def _conjugated(found: re.Match[str]) -> str:
    return f"{found[1]}and {third(found[2].lower())} " if found[2].lower() in _AGAIN else found[0]


def _concerned(facts: Facts, scope: str, text: str, labels: Sequence[str]) -> str:
    """What a title concerns: the tags and scope that say so, else the platform of all its code."""
    subject = facts.subject
    told = {w.casefold() for w in _WORD.findall(text)}
    kept = [_bare(one) for one in (*subject.tags, subject.scope, scope) if one and _says(one, told)]
    if kept:
        return ", ".join(dict.fromkeys(kept))
    paths = [f.path.casefold() for f in facts.files if f.area is Area.CORE]
    common = set.intersection(*({*_WORD.findall(p)} for p in paths)) if paths else set()
    named = (common | {label.casefold() for label in labels}) - told
    return next((name for low, name in _PLATFORMS.items() if low in named), "")


def _bare(tag: str) -> str:
    """A tag without the words for the sort of change: "MoE Refactor" as "MoE"."""
    kept = [word for word in tag.split() if word.casefold() not in _TOLD_ELSEWHERE]
    return " ".join(kept) or tag


def _says(tag: str, told: set[str]) -> bool:
    """Whether a tag names something that the title does not."""
    mine = {w.casefold() for w in _WORD.findall(tag)}
    return bool(mine - _TOLD_ELSEWHERE) and not mine <= told and not tag.isdigit()


def _alone(facts: Facts, deed: Deed, text: str, labels: Sequence[str]) -> Phrase | None:
    """A phrase if only tests, CI or docs change, or if the change is internal."""
    areas = {f.area for f in facts.files}
    ships = any(f.kind in _SHIPPED and not f.detail.endswith(" dev") for f in facts.items)
    if (
        len(areas) == 1
        and not (ships and Area.BUILD in areas)
        and (phrase := _ALONE.get(next(iter(areas))))
    ):
        return phrase
    subject = facts.subject
    kinds = {subject.type, *(t.casefold() for t in (*subject.tags, *labels))}
    if deed is Deed.REMOVE:
        return words.INTERNAL if _UNUSED.search(text) else None
    said = _SAID.keys() & kinds
    if said and Area.CORE not in areas:
        return _SAID[min(said)]
    declared = (
        kinds & {"refactor", "chore", "cleanup", "refactoring", "internal"}
        and subject.scope != "deps"
    )
    return words.INTERNAL if deed is Deed.INTERNAL or declared else None


def _sort(facts: Facts, deed: Deed, text: str) -> Phrase | None:
    """The sort of change of a title without a verb, according to its author or the diff."""
    if _STATED.search(text):
        return words.FIX if deed is Deed.FIX else None
    subject = facts.subject
    kinds = {subject.type, *(w for t in subject.tags for w in _SPLIT.split(t.casefold()))}
    if deed is Deed.FIX or kinds & {"fix", "bugfix"}:
        return words.FIX
    if _FASTER.search(text) or kinds & {"perf", "performance", "optimization"}:
        return words.PERFORMANCE
    core = [f for f in facts.files if f.area is Area.CORE]
    added, deleted = sum(f.added for f in core), sum(f.deleted for f in core)
    grows = added >= max(_GROWS * deleted, _MUCH)
    new = grows or _only_adds(facts) or kinds & {"feat", "feature"}
    return words.NEW if core and new else None


def _only_adds(facts: Facts) -> bool:
    """Whether public names are added and none removed."""
    actions = {f.action for f in facts.items if f.kind is FactKind.SYMBOL}
    return Action.ADDED in actions and not actions & {Action.REMOVED, Action.RENAMED}


def _before(where: str, language: Language) -> Spans:
    return words.CONCERNED(language, where=where) if where else ()


def _capital(spans: Spans, *, bare: bool) -> Spans:
    """The spans with a capital letter if they begin with a lower-case word of plain English."""
    first = spans[0] if spans else None
    if not bare or not isinstance(first, Text) or not first.text[:1].islower():
        return spans
    word = first.text.split(maxsplit=1)[0].rstrip(":,")
    if not (word.replace("-", "").isalpha() and word.islower()):
        return spans  # a name as it is written
    return (Text(first.text[0].upper() + first.text[1:]), *spans[1:])
