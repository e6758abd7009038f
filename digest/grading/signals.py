"""Signals: the numbers that a grade weighs, read from the facts of a change; absent ones are 0.

Sizes enter by their logarithm; a removal or change of a contract counts once. The weights are in
``importance.json``, for every project. Parts of names are no words: ``split_k`` splits nothing. A
fix that "adds a check" announces no feature, and a revert is read by the title it undoes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from math import log1p, log2

from digest.core.authors import made_by_bot, names_code, without_presented
from digest.core.change import Commit, FileStatus
from digest.core.facts import (
    Action,
    Area,
    Fact,
    FactKind,
    Facts,
    Note,
    Subject,
    is_branch_merge,
    is_for_tests,
    sure_deprecations,
    unregistered,
)
from digest.core.patterns import read_table
from digest.facts.call_arguments import breaks_code
from digest.facts.change_notes import INTERNAL, RELEASES, is_change_note, is_upgrade_guide
from digest.facts.manifests_python import raised_minimums
from digest.facts.paths import is_script, of_tools, pins_only, removed_programs
from digest.facts.similarity import last
from digest.facts.subject import read_subject
from digest.frozen import frozen

_BOUND = 400  # characters; longer subjects are pasted bodies
_MOST_BODY = 4_000  # characters

_TABLE = read_table("digest.grading", "signals.toml")


def _patterns(section: str, frame: str) -> dict[str, re.Pattern[str]]:
    """The expressions of a section of ``signals.toml`` by name, each within the frame."""
    parts: dict[str, str] = _TABLE["parts"]
    return {
        name: re.compile(
            frame.format(re.sub(r"<<(\w+)>>", lambda part: parts[part[1]], "".join(words))),
            re.IGNORECASE,
        )
        for name, words in _TABLE[section].items()
    }


_TITLE = _patterns("title", r"(?<![\w/.-])(?:{})(?![\w-])")  # no part of a name or a path
_DEMANDED = _patterns("demands", r"(?<![\w`-])(?:{})")
_SAID = _patterns("body", "{}")

_REMOVALS = frozenset(
    {"contract_removed", "deprecated_removed", "deprecation", "rename", "support_dropped"}
)
"""Demands that housekeeping also looks like."""
_GONE = frozenset({"says_contract_removed", "says_deprecated_removed", "says_support_dropped"})
"""Demands that still concern users when they are undone: what went is back."""
_INSIDE = frozenset("behaviour contract_removed default deprecation instead rename".split())  # noqa: SIM905
"""Demands that a refactoring looks like."""

_SHOWN = frozenset({"behaviour", "format", "instead", "shipped"})
"""Demands that a title about what a program shows can make."""

_HOUSEKEEPING = re.compile(
    r"(?<![\w-])(?:unused|unreachable|dead|redundant|unnecessary|duplicated?|internal|stale|leftover|extra|useless"
    r"|debug|todo|temporary|workaround|comments?|imports?|prints?|tests?|flaky|mentions?|docs?"
    r"|clarif\w{1,5}|explains?|flatten\w{0,3}|hoist\w{0,3}|centrali[sz]\w{1,4}|pre-?allocat\w{1,3}"
    r"|rework\w{0,3}|plumb\w{0,3}|typos?|broken links?"
    r"|unneeded|private|local variables?|lint\w{0,3}|ci"
    r"|special[- ]cas(?:es?|ed|ing)"
    r"|warnings?)(?![\w-])",
    re.IGNORECASE,
)

_ASIDES = re.compile(
    r"(?:document|describe|explain|clarify|mention|postpone|delay|test|deduplicate|dedupe|review)"
    r"\w{0,3} |(?:[^:]{1,60}: )?(?:align|updat|improv|fix|add|rewrit)\w{0,3} (?:\w+ )?"
    r"(?:docs|documentation|docstrings?|readme|changelog)\b"
    r"|(?:remove|drop|lift) (?:the )?(?:limit(?:ation)?|need|requirement|restriction|usage|use)s?\b"
    r"|(?:remove|drop|delete|clean up) .{0,40}\b(?:todos?|comments?)\b",
    re.IGNORECASE,
)
"""How titles begin that speak of a demand and make none."""

_REFACTORING = re.compile(
    r"(?:\[[^\[\]]{1,40}\] ?){0,4}(?:[\w ./-]{1,40}: |\[[^\[\]]{0,30})?refactor", re.IGNORECASE
)
_OWN = re.compile(
    r"\W?(?:bug)?fix\b.{0,60}[\]:)] ?(?:require|enforce|error|fail|validate)", re.IGNORECASE
)
_BY = re.compile(r"us(?:e|es|ing) .{1,80} (?:instead of|rather than) ", re.IGNORECASE)
"""What a fix was made with."""
_STATE = re.compile(r"(?:is|are|be|as|now) deprecated$", re.IGNORECASE)
"""A deprecation by somebody else, in the title of a fix."""
_REMOVES = re.compile(r"(?:[\w/-]{1,20}: )?(?:remov|drop|delet|deprecat)\w{0,4}\b", re.IGNORECASE)
_DESCRIBES = frozenset({"doc", "docs", "test", "tests"})  # nothing changes but words or tests
_DECLARES = re.compile(
    r"(?:^|/)(?:go\.mod|cargo\.toml|pyproject\.toml|setup\.(?:cfg|py)|package\.json|pom\.xml"
    r"|build\.gradle(?:\.kts)?|composer\.json|[\w-]{1,80}\.(?:gemspec|csproj))$",
    re.IGNORECASE,
)
"""Files in which a project declares what it requires."""

_WITHOUT_CODE = frozenset({"support_dropped", "requirement", "security"})
_FILED = frozenset({"tests", "docs", "ci", "chore", "benchmark"})
_FIGURE = re.compile(r"(?<![\w.#-])~?\d{1,4}(?:\.\d{1,3})?(?: ?%|x\b)")
_NAMED = re.compile(r"(?<![\w`/.-])(?=[A-Za-z-]{0,20}\d)[A-Z][A-Za-z]{0,20}-?\d[\w.-]{0,20}")
_TICKET = re.compile(
    r"^[A-Za-z]{2,10}-\d{2,6}:? |[(\[][A-Za-z]{2,10}-\d{2,6}[)\]]|\bCVE-[\d-]{6,14}"
)
"""The key of a ticket or of a weakness, which looks like the name of a product."""

_UNSHIPPED = frozenset({Area.TESTS, Area.DOCS, Area.EXAMPLES, Area.BENCHMARKS})
_HEADER = re.compile(r"(?:^|/)include/")
_CODE = re.compile(
    r"`[^`\n]{2,80}`|(?<![\w-])--[a-z][\w-]{2,40}|\b[A-Z][A-Z0-9]+_[A-Z0-9_]{2,40}"
    r"|\b\w{1,40}::\w{1,40}"
)
_VALUE = re.compile(r"[`'\"]default[`'\"]")
"""A value that is called so, such as a reporter of a test runner."""
_QUOTED = re.compile(r"`[^`\n]{1,80}`|(?<![\w`])[a-z]{2,30}[A-Z]\w{0,60}")
_SHIPPED = re.compile(
    r"docker|containerfile|(?:^|/)(?:charts?|helm|packaging|pkg|installers?|snap|nix)/|nfpm|goreleaser"
    r"|(?:^|/)install\.(?:sh|ps1)$|^\.github/workflows/[\w.-]{0,40}(?:release|publish|build|image)",
    re.IGNORECASE,
)
"""Paths of files that build the images, packages and installers that users get."""


@frozen(kw_only=False)
class Title:
    """A title to read; ``undone`` says whether it is the title of a change that another undoes.

    ``shipped``: the change concerns images, packages or installers, if not code. ``declares``: it
    touches a file that declares what the project requires.
    """

    subject: Subject
    undone: bool
    shipped: bool = False
    declares: bool = False

    @staticmethod
    def of(facts: Facts) -> Title:
        """The title of a change; for a revert, the title it undoes if the message has it."""
        undone = facts.reverts
        if undone is None or not undone.title:
            paths = [f.path for f in facts.files if f.area not in _UNSHIPPED]
            marks = [any(map(known.search, paths)) for known in (_SHIPPED, _DECLARES)]
            marks[0] &= facts.subject.type != "ci"
            named = undone is not None and "revert" in facts.subject.title.lower()
            return Title(facts.subject, named, *marks)  # others say what is there again
        return Title(read_subject(undone.title), undone=True)


@lru_cache(maxsize=1_024)
def read_title(title: Title, *, core: bool) -> tuple[tuple[str, str], ...]:
    """The names of the signals in a title, with the words that match."""
    return tuple(_in_title(title, core=core))


def _in_title(title: Title, *, core: bool) -> Iterator[tuple[str, str]]:
    text = title.subject.title[:_BOUND]
    words = _QUOTED.sub("``", text)
    seen = {name: match[0] for name, rule in _TITLE.items() if (match := rule.search(words))}
    if title.undone:
        seen.setdefault("revert", "")
    if "fix" in seen or title.subject.type == "fix" or _REMOVES.match(title.subject.words):
        seen.pop("feature", None)
    if "fix" in seen or title.subject.type == "fix":  # what broke something was another change
        seen.pop("breaking", None)
    if core and title.subject.type == "feat":  # some programs run tests for their users
        seen.pop("tests", None)
    if core and (aside := _FILED.intersection(seen)):
        yield "title_aside", seen[min(aside)]
        seen = {name: words for name, words in seen.items() if name not in aside}
    for name, words in seen.items():
        yield f"title_{name}", words
    if figure := _FIGURE.search(text):
        yield "title_figure", figure[0]
    if named := _NAMED.search(_TICKET.sub(" ", title.subject.words[:_BOUND])):
        yield "title_name", named[0]
    if code := _CODE.search(text):
        yield "title_code", code[0].strip("`")
    if housekeeping := _HOUSEKEEPING.search(title.subject.words[:_BOUND]):
        yield "title_housekeeping", housekeeping[0]
    demands = _demands(title, text, core=core)
    yield from ((n, w) for n, w in demands if not title.undone or n in _GONE)


def _demands(title: Title, text: str, *, core: bool) -> Iterator[tuple[str, str]]:
    """What a user may have to react to; without core code only ``_WITHOUT_CODE`` counts."""
    kinds = {title.subject.type, *map(str.lower, title.subject.tags)}
    if _ASIDES.match(title.subject.words) or kinds & _DESCRIBES:
        return
    inner = _INSIDE if _REFACTORING.match(text) else frozenset()
    inner |= _REMOVALS if _HOUSEKEEPING.search(text) else frozenset()
    if "removed" in map(str.lower, title.subject.tags):
        text = f"Removed {title.subject.words}"[:_BOUND]
    kept = without_presented(title.subject.words)
    kept = text if kept == title.subject.words else kept
    built = not core and _DEMANDED["shipped"].search(text)  # one more image is no other default
    for name, rule in _DEMANDED.items():
        if name == "default" and built:
            continue
        if not (title.shipped or (core and name != "shipped") or name in _WITHOUT_CODE):
            continue
        told = text if name in _SHOWN or (name == "default" and "by default" in text) else kept
        told = _VALUE.sub("``", told) if name == "default" else told
        if (match := rule.search(told)) and name not in inner:
            declared = core or title.declares or not _REMOVES.match(match[0])
            fixes = title.subject.type == "fix"
            inside = title.subject.type == "chore" or _OWN.match(text) or names_code(text)
            symptom = (name == "refusal" and inside) or (
                fixes
                and (
                    _STATE.fullmatch(match[0])
                    or (name == "behaviour" and _BY.match(title.subject.words))
                )
            )
            if (declared or name != "requirement") and not symptom:
                yield f"says_{name}", " ".join(match[0].split())


@frozen(kw_only=False)
class Signal:
    """A named number; ``subject`` is what it was read from, for the wording of the reason."""

    name: str
    value: float
    subject: str = ""


_SPECIAL_AREAS = (Area.TESTS, Area.DOCS, Area.CI, Area.BUILD, Area.BENCHMARKS, Area.EXAMPLES)
_ASIDE = frozenset({Area.TESTS, Area.DOCS, Area.EXAMPLES, Area.BENCHMARKS, Area.CI})
"""Areas whose flags and variables do not concern users."""

_CONTRACT = {
    FactKind.FLAG: "flag",
    FactKind.ENVIRONMENT: "environment",
    FactKind.CONFIG: "config",
    FactKind.ROUTE: "route",
    FactKind.METRIC: "metric",
    FactKind.SYMBOL: "symbol",
}

_BREAKING = re.compile(
    r"(?:type|kind|impact|semver|change|api)?[/: -]{0,2}(?:breaking(?:[ _-]?changes?)?|change|major"
    r"|backwards?[ -]incompatible|break(?:s|ing)?[ _-]api)",
    re.IGNORECASE,
)
"""A tag or a label that declares a breaking change."""

_MARKED = re.compile(r"[a-z]{2,20}!\([^()]{1,80}\):")  # the ! before the scope, not after it
_LABELS = {
    "security": re.compile(r"\bsecurity\b|\bvulnerab|\bCVE\b", re.IGNORECASE),
    "deprecation": re.compile(r"\bdeprecat", re.IGNORECASE),
}
_WITH_DEFAULT = frozenset({FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG})


def signals(
    facts: Facts, commit: Commit | None = None, labels: Collection[str] = ()
) -> tuple[Signal, ...]:
    """The signals of a change and its request's labels that are not 0, in a stable order."""
    found = (
        *_title(facts),
        *_spread(facts),
        *_message(facts),
        *_contract(facts),
        *_items(facts),
        *_notes(facts),
        *_declarations(facts, labels),
    )
    bot = commit is not None and made_by_bot(commit, facts)
    return tuple(s for s in (*found, Signal("bot", float(bot))) if s.value)


def _title(facts: Facts) -> Iterator[Signal]:
    """Signals of the title; for a revert, of the title that it undoes."""
    core = any(f.area is Area.CORE for f in facts.files)
    title = Title.of(facts)
    tools = of_tools(f.path for f in facts.files)
    aside = (tools or set(facts.areas) <= _ASIDE) and not title.shipped
    pinned = pins_only(f.path for f in facts.files)
    renamed = facts.of(FactKind.SYMBOL, Action.RENAMED)
    inner = any(f.public is False and (f.before or "-") in facts.subject.words for f in renamed)
    for name, seen in read_title(title, core=core):
        unsaid = aside or (inner and name == "says_rename") or (pinned and name == "says_security")
        if not (name.startswith("says_") and unsaid):
            yield Signal(name, 1.0, seen)
    yield Signal("title_length", log1p(len(facts.subject.title[:400])))
    yield Signal("title_release", float(bool(RELEASES.match(facts.subject.words))))
    yield Signal("branch_merge", float(is_branch_merge(facts)))


def _spread(facts: Facts) -> Iterator[Signal]:
    core = [f for f in facts.files if f.area is Area.CORE]
    added, deleted = sum(f.added for f in core), sum(f.deleted for f in core)
    areas = {f.area for f in facts.files}
    written = [f for f in facts.files if f.area is Area.DOCS and "test" not in f.path]
    docs = [f for f in written if not is_change_note(f.path)]
    tests = [f for f in facts.files if f.area is Area.TESTS]
    yield Signal("core", float(bool(core)))
    yield Signal("core_added", log1p(added), str(added))
    yield Signal("core_deleted", log1p(deleted), str(deleted))
    yield Signal("core_files", log1p(len(core)), str(len(core)))
    yield Signal("files", log1p(len(facts.files)), str(len(facts.files)))
    fresh = sum(f.status is FileStatus.ADDED for f in core)
    yield Signal("core_new_files", log1p(fresh), str(fresh))
    for area in _SPECIAL_AREAS:
        yield Signal(f"area_{area}", float(area in areas and not core), area)
    yield Signal("tests_with_core", float(bool(core) and Area.TESTS in areas))
    for name, files in (("tests", tests), ("docs", docs)) if core else ():
        fresh, gone = sum(f.added for f in files), sum(f.deleted for f in files)
        yield Signal(f"{name}_added", log1p(fresh), str(fresh))
        yield Signal(f"{name}_changed", log1p(gone), str(gone))
    headers = sum(f.deleted for f in core if _HEADER.search(f.path))
    yield Signal("header_changed", log1p(headers), str(headers))
    yield Signal("mostly_removed", float(deleted > 20 and deleted > 1.5 * added), str(deleted))


def _message(facts: Facts) -> Iterator[Signal]:
    words = sum(map(len, facts.paragraphs))
    yield Signal("explained", log1p(words))
    if any(f.area is Area.CORE for f in facts.files) and not facts.reverts:
        body = "\n".join(facts.paragraphs)[:_MOST_BODY]
        for name, rule in _SAID.items():
            if match := rule.search(body):
                yield Signal(f"body_{name}", 1.0, " ".join(match[0].split()))
    yield Signal("co_authors", float(bool(facts.co_authors)))


def _contract(facts: Facts) -> Iterator[Signal]:
    aside = {f.path for f in facts.files if f.area in _ASIDE or is_script(f.path)}
    switched: list[Fact] = []
    actions = dict.fromkeys(f.action for f in facts.items)
    for (kind, name), action in product(_CONTRACT.items(), filter(actions.__contains__, Action)):
        hits = [h for h in _of(kind, action, facts) if _counts(h, aside)]
        changed = action is Action.CHANGED and kind in _WITH_DEFAULT
        switched += [h for h in hits if changed and h.detail == "default"]
        yield _count_signal(f"{name}_{action}", hits, once=action is not Action.ADDED)
    yield _count_signal("default_changed", switched, once=True)
    used = (f for f in facts.of(FactKind.SYMBOL) if breaks_code(f) and _counts(f, aside))
    if _REFACTORING.match(facts.subject.title):  # it says itself whether users call what it moves
        used = (f for f in used if last(f.name).rpartition("::")[2] in facts.subject.words)
    yield _count_signal("code_broken", used, once=True)


def _of(kind: FactKind, action: Action, facts: Facts) -> Sequence[Fact]:
    """The facts of a kind; new flags that are made of fields count as settings."""
    if action is not Action.ADDED or kind not in {FactKind.FLAG, FactKind.CONFIG}:
        return facts.of(kind, action)
    both = (*facts.of(FactKind.CONFIG, action), *facts.of(FactKind.FLAG, action))
    return [f for f in both if (f.kind if f.detail != "field" else FactKind.CONFIG) is kind]


def _counts(fact: Fact, aside: Collection[str]) -> bool:
    """Whether outsiders may rely on the thing and it did not merely move."""
    internal = fact.public is False or fact.unreleased or is_for_tests(fact)
    internal = internal or fact.evidence.path in aside
    return not internal and fact.detail != "moved"


def _declarations(facts: Facts, labels: Collection[str]) -> Iterator[Signal]:
    """What the authors declared by a mark in the subject, a tag, or a label of the request."""
    said = (*facts.subject.tags, *labels)
    mark = next((text for text in said if _BREAKING.fullmatch(text.strip())), "")
    breaking = facts.subject.breaking or bool(mark) or bool(_MARKED.match(facts.subject.title))
    yield Signal("breaking", float(breaking), mark)
    for name, rule in _LABELS.items():
        if label := next((text for text in labels if rule.search(text)), ""):
            yield Signal(f"label_{name}", 1.0, label)


def _items(facts: Facts) -> Iterator[Signal]:
    aside = {f.path for f in facts.files if f.area in _ASIDE}
    yield _count_signal("dependency", facts.of(FactKind.DEPENDENCY))
    tools = [f for f in facts.of(FactKind.TOOLCHAIN) if f.evidence.path not in aside]
    yield _count_signal("toolchain", tools)
    run = {"Python", "Node.js", "Java"}  # what users run a project with
    raised = (f for name, those in raised_minimums(facts).items() if name in run for f in those)
    yield _count_signal("minimum_raised", raised, once=True)
    yield _count_signal("schema", facts.of(FactKind.SCHEMA, Action.ADDED))
    programs = removed_programs(facts.files)
    yield Signal("program_removed", float(bool(programs)), ", ".join(programs[:2]))
    keys = unregistered(facts)
    yield Signal("registered_removed", float(bool(keys)), ", ".join(keys[:2]))
    lost = facts.of(FactKind.SCHEMA, Action.REMOVED, Action.RENAMED, Action.CHANGED)
    yield _count_signal("schema_changed", lost, once=True)
    yield _count_signal("deprecation", facts.of(FactKind.DEPRECATION))
    begun = (f for f in sure_deprecations(facts) if f.evidence.path not in aside)
    yield _count_signal("deprecation_added", begun, once=True)
    security = facts.of(FactKind.SECURITY)
    pinned = pins_only(f.path for f in facts.files)
    advisories = [f.name for f in security if f.detail == "advisory" and not pinned]
    yield Signal("advisory", float(bool(advisories)), *advisories[:1])
    said = [f for f in security if f.detail in {"advisory", "words"}]
    sure = bool(advisories) or (not pinned and any(f.evidence.line == 1 for f in said))
    yield _count_signal("security" if sure else "security_named", said, once=True)
    yield _count_signal("security_code", (f for f in security if f not in said))


def _notes(facts: Facts) -> Iterator[Signal]:
    """Changelog entries that come with code; without code the changelog itself is being edited.

    A merged branch brings entries of releases, of which security fixes count.
    """
    if is_branch_merge(facts):
        yield Signal("note_security", float(any(n.mark == "security" for n in facts.notes)))
        return
    built = any(f.area in {Area.CORE, Area.BUILD} and f.added + f.deleted for f in facts.files)
    if not built or re.match(_TABLE["parts"]["release"], facts.subject.words, re.IGNORECASE):
        return
    listed = [note for note in facts.notes if note.evidence.path or not note.mark]
    given = dict.fromkeys("" if _is_faster(note) else note.mark for note in listed)
    marks = [mark for mark in given if mark != INTERNAL]
    yield Signal("note", float(bool(marks)))
    yield Signal("note_internal", float(bool(given) and not marks))
    for mark in filter(None, marks):
        yield Signal(f"note_{mark}", 1.0)
    guides = [f for f in facts.files if f.added > f.deleted and is_upgrade_guide(f.path)]
    section = any(f.added >= _SECTION and not f.deleted for f in guides)
    yield Signal("note_upgrade", len(guides[:1]) * (1.0 + section), *(f.path for f in guides[:1]))


_SECTION = 4  # lines that a guide on upgrading gains; fewer complete what it has


def _is_faster(note: Note) -> bool:
    """Whether an entry among changes says that a program does the same with less."""
    return note.mark == "changed" and _TITLE["performance"].search(note.text) is not None


def _count_signal(name: str, hits: Iterable[Fact], *, once: bool = False) -> Signal:
    """A signal for the distinct names among the facts: their number, or with ``once`` just 1."""
    names = list(dict.fromkeys(h.name for h in hits))
    subject = names[0] if len(names) == 1 else f"{names[0]} +{len(names) - 1}" if names else ""
    return Signal(name, float(bool(names)) if once else log2(1 + len(names)), subject)
