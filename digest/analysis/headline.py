"""The title of a change as a line for readers: the author's words without tags and noise.

"[ROCm][Bugfix] Handle an empty batch (#12)" becomes "Fix (ROCm): Handle an empty batch". The words
stay as the author wrote them, in every language; only what the tags, the scope and the paths say is
put before them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from digest.core.authors import code_as_spans
from digest.core.enums import Language
from digest.core.facts import Action, Area, FactKind, Facts, Subject
from digest.document import Spans, Text
from digest.facts.subject import strip_numbers, strip_tags
from digest.i18n import statement_text as words
from digest.i18n.phrase import Phrase, join

_SCOPED = re.compile(r"([\w ./+-]{2,48}?)\s?:\s+(?=\S)")
_LONG_SCOPE = 4  # maximum words of a scope; more of them are a sentence that has a colon

_SAYS_SORT = re.compile(
    r"(?:bug|hot)?[- ]?fix(?:es)?|perf(?:ormance)?|refactor(?:ing)?", re.IGNORECASE
)

_WORD = re.compile(r"[^\W_]+")

_SORT = re.compile(
    r"(?<=\w)[ -](?:refactor(?:ing)?|perf(?:ormance)?|bugfix|clean-?up)$", re.IGNORECASE
)

_SPLIT = re.compile(r"[/,&|+ -]+")

_TAIL = re.compile(
    r"\s*(?:\[security\]|\[#\d{1,9}\]"
    r"|\((?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|see) #\d{1,9}\)"
    r"|[(\[](?:part\s?)?\d{1,3}\s?(?:/|of)\s?(?:\d{1,3}|[nNxX])[)\]])\s*$",
    re.IGNORECASE,
)

# Tags and scopes that only give the sort of change or say nothing; others say where it matters.
_TOLD_ELSEWHERE = frozenset(
    """
    feat feature features new fix fixes bugfix bug hotfix perf performance optimization
    optimisation refactor refactoring cleanup chore chores misc minor small core doc docs
    documentation test tests testing ci build style deps dependency dependencies enhancement
    improvement revert wip be ux rfc easy nit nfc internal typo lint typing security breaking
    release follow up followup hardware change model models newmodel kernel kernels dev meta other
    trivial update upgrade
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
    Area.BENCHMARKS: words.BENCHMARKS_ONLY,
    Area.EXAMPLES: words.EXAMPLES_ONLY,
}

_SORTS = (
    (words.FIX, frozenset({"fix", "bugfix", "bug", "hotfix"}), ("fix", "bugfix", "hotfix")),
    (
        words.PERFORMANCE,
        frozenset({"perf", "performance", "optimization"}),
        ("perf", "optimi", "speed", "accelerat"),
    ),
    (words.REFACTORING, frozenset({"refactor", "refactoring", "cleanup"}), ("refactor", "clean")),
)
"""Labels, the types and tags for which they stand, and how titles begin that need no label."""

_VERBS = tuple(
    """
    accept add allow always avoid bound build bump cache call change check clean compile convert
    correct creat default defer deprecat detect disabl do don't drop emit enabl ensur exclud
    expos extend fall fetch fix forward give guard handl hide honor honour ignor implement
    improv includ integrat introduc keep let limit load log make mark migrat minif mov never
    only optimi order pass pin port prefer preserv prevent print provid publish re record rout
    select set show simplif skip sort speed split stabili start stop stream support switch sync
    track treat turn unify updat upgrad us valid wait warn wrap write
    """.split()  # noqa: SIM905 - a list of quoted words would not be read
)
"""How titles begin that say what is done; others name a thing."""

_MOSTLY = 5
_FEATURES = frozenset({"feat", "feature", "features"})

_SET = frozenset(
    {FactKind.CONFIG, FactKind.ENVIRONMENT, FactKind.FLAG, FactKind.METRIC, FactKind.ROUTE}
)

_LEAST = 2  # minimum number of words of content in a title that says what is different


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """A title without its full stop; ``telling`` if it says what is different."""

    spans: Spans
    telling: bool


def headline(facts: Facts, language: Language, labels: Sequence[str] = ()) -> Headline:
    """The author's title, after what sort of change it is and what it concerns."""
    scope, text = _split_scope(facts.subject)
    where = _where(facts, text, labels)
    label = _label(facts, scope, text)
    content = {w.casefold() for w in _WORD.findall(text)} - _TOLD_ELSEWHERE
    return Headline(
        spans=_with_label(label, where, code_as_spans(text), language),
        telling=len(content) >= _LEAST and not text.lower().startswith("merge "),
    )


def _split_scope(subject: Subject) -> tuple[str, str]:
    """The scope that the title itself begins with, or nothing, and the rest."""
    text = _TAIL.sub("", title_text(subject)).rstrip(" .:;,…")
    match = _SCOPED.match(text)
    most = _LONG_SCOPE - 2 * bool(subject.type)
    short = match and len(_WORD.findall(match[1])) <= most
    return (match[1], text[match.end() :]) if match and short else ("", text)


def subject_tags(subject: Subject, told: Collection[str] = ()) -> tuple[str, ...]:
    """What tags and scopes say a change is about, each once; ``told`` are known words."""
    given = (*subject.tags, subject.scope, _split_scope(subject)[0])
    kept = [_SORT.sub("", one) for one in given if one]
    names = {one.casefold(): one for one in kept if _says(one, told)}
    return tuple(_PLATFORMS.get(low, one) for low, one in names.items())


def title_text(subject: Subject) -> str:
    """The words of a title on one line; its place in a series if nothing else is left."""
    text = " ".join(subject.words.split())
    if len(_WORD.findall(text)) > 1:
        return text
    whole, _ = strip_numbers(subject.title)
    return " ".join(strip_tags(whole)[0].split()) or text


def _with_label(label: Phrase | None, where: str, title: Spans, language: Language) -> Spans:
    if label and where:
        return words.LABELLED_WHERE(
            language, label=label.template(language), where=where, what=title
        )
    if label:
        return words.LABELLED(language, label=label.template(language), what=title)
    return join([f"{where}: ", *title]) if where else _capital(title)


def _label(facts: Facts, scope: str, text: str) -> Phrase | None:
    """What the author declares, or that only tests, CI or docs change, or the sort of change."""
    subject = facts.subject
    kinds = _kinds(subject)
    if _SAYS_SORT.fullmatch(scope):
        kinds |= set(_SPLIT.split(scope.casefold()))
    if secures(facts):
        return words.SECURITY
    if subject.breaking:
        return words.BREAKING
    areas = {f.area for f in facts.files}
    if len(areas) == 1 and (phrase := _ALONE.get(next(iter(areas)))):
        return phrase
    if subject.scope.startswith("dep"):
        return None
    begin = text.lower()
    if begin.startswith("fus"):
        return words.PERFORMANCE
    sort = next(
        (p for p, names, known in _SORTS if kinds & names and not begin.startswith(known)), None
    )
    return sort or (words.NEW if not begin.startswith(_VERBS) and _is_new(facts) else None)


def _is_new(facts: Facts) -> bool:
    """Whether a change is a feature, by its author or its settings, and nearly all code is new."""
    core = [f for f in facts.files if f.area is Area.CORE]
    more = sum(f.added for f in core) > _MOSTLY * sum(f.deleted for f in core)
    made = {f.kind for f in facts.items if f.action is Action.ADDED and f.public is not False}
    return more and bool(made & _SET or _kinds(facts.subject) & _FEATURES)


def _kinds(subject: Subject) -> set[str]:
    return {subject.type, *(word for tag in subject.tags for word in _SPLIT.split(tag.casefold()))}


def secures(facts: Facts) -> bool:
    """Whether the author calls it a security fix: by type, scope, tag or an advisory."""
    advisory = any(f.detail == "advisory" for f in facts.of(FactKind.SECURITY))
    if facts.subject.type in {"doc", "docs"}:
        return False
    return advisory or "security" in {facts.subject.scope, *_kinds(facts.subject)}


def _where(facts: Facts, text: str, labels: Sequence[str]) -> str:
    """What a title concerns: the tags and scope that say so, else the platform of all its code."""
    told = {w.strip("\"'`.,;()").casefold() for w in text.split()}
    if names := subject_tags(facts.subject, told):
        return ", ".join(names)
    paths = [f.path.casefold() for f in facts.files if f.area is Area.CORE]
    common = set.intersection(*({*_WORD.findall(p)} for p in paths)) if paths else set()
    named = (common | {label.casefold() for label in labels}) - told
    return next((name for low, name in _PLATFORMS.items() if low in named), "")


def _says(tag: str, told: Collection[str]) -> bool:
    """Whether a tag names something that the title does not."""
    mine = {w.casefold() for w in _WORD.findall(tag)}
    return bool(mine - _TOLD_ELSEWHERE) and not mine.issubset(told) and not tag.isdigit()


def _capital(spans: Spans) -> Spans:
    """The spans with a capital letter if they begin with a lower-case word of plain English."""
    first = spans[0] if spans else None
    if not isinstance(first, Text) or not first.text[:1].islower():
        return spans
    word = first.text.split(maxsplit=1)[0].rstrip(":,")
    if not (word.replace("-", "").isalpha() and word.islower()):
        return spans  # a name as it is written
    return (Text(first.text[0].upper() + first.text[1:]), *spans[1:])
