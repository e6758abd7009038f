"""Names that a change touches, looked up in the whole trees before and after it.

A finder sees one file. Whether a name is new to the project, or removed from it, depends on the
rest of the tree: files that mention the name are searched by the same rules as the changed file.
The caller finds the mentions (one search for many changes) and reads the files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from digest.core.change import Change, Hunk
from digest.core.facts import Action, Area, Fact, FactKind, Facts
from digest.facts import env_variables, flags, metrics, routes
from digest.facts.languages import language_of, words
from digest.facts.paths import area_of
from digest.facts.side_text import block, whole
from digest.facts.similarity import last, last_part
from digest.frozen import frozen

Place = tuple[str, str]  # a file in a tree: the full name of a commit, and the path
_MOST_FILES = 24  # maximum files that are read for one name; those near the changed file come first
_MOST_TYPES = 20
"""Maximum declarations of one type that are read in a file: its parts, or its implementations."""

_SETTABLE = {
    FactKind.FLAG: flags.defined,
    FactKind.ENVIRONMENT: env_variables.defined,
    FactKind.METRIC: metrics.defined,
    FactKind.ROUTE: routes.defined,
}

_SHARED = frozenset({FactKind.ENVIRONMENT, FactKind.METRIC})
"""Kinds that belong to no file: one more reader or maker is nothing new."""

_LISTED_ONLY = frozenset({"alias", "command", "export", "module", "overload"})
"""Names of things that may well stay elsewhere, but are not offered here any more."""

_KEY = "key"
"""The detail of a setting that is defined by a text, wherever that is the value of a constant."""

_VALUE = "value"
"""The detail of a value of a Helm chart, which lives on where a template reads it."""

_CODE = frozenset({FactKind.SYMBOL, FactKind.CONFIG})
_AREAS = frozenset({Area.CORE, Area.BUILD})
_DEFINED_BY = words("declared_by")
_LISTED = {
    "go": r"|^\t(?:\w+, ){0,8}NAME\b[^(:\n]*=|^func \(\w* ?\*?OWNER(?:\[\w+\])?\) NAME\(",
    "cpp": r"|^[ \t]*(?!return\b)[\w:<>*&~,][\w:<>*&~, \t]*[ \t*&]NAME\(",
}
"""Definitions that begin with another word: members of a Go list, functions of C++."""

_IN_FOLDER = frozenset({"go"})
"""Languages whose names belong to a folder: what another folder defines is another thing."""

_SHORTEST = 3  # minimum characters of a name that is looked up; shorter ones are everywhere


@frozen
class Question:
    """Whether the name of a fact is defined in another file of a tree."""

    index: int
    name: str
    commit: str
    words: tuple[str, ...]
    near: str = ""
    """The part of the name that files of the same folder write, with constants before it."""


def questions(change: Change, facts: Facts) -> tuple[Question, ...]:
    """The questions of a change about public names; most have none, and so has a root commit."""
    parents = change.commit.parents
    asked: list[Question] = []
    kept = {last(f.name) for f in facts.of(FactKind.DEPRECATION, Action.ADDED)}
    for index, fact in enumerate(facts.items):
        before = fact.action is Action.ADDED and (fact.kind in _SHARED or _may_be_known(fact))
        after = fact.action in {Action.REMOVED, Action.RENAMED} and fact.public is not False
        if after and _is_alias(fact) and asked and asked[-1].index == index - 1:
            # Another name of the flag before it is looked for where that flag is.
            asked.append(replace(asked[-1], index=index, name=fact.name))
            continue
        if (before and not parents) or not (before or after) or fact.detail in _LISTED_ONLY:
            continue
        if after and fact.evidence.path.rpartition("/")[2].startswith("index.") and fact.public:
            continue  # declared by an index of exports itself
        name = fact.before or "" if fact.action is Action.RENAMED else fact.name
        if fact.kind is FactKind.CONFIG and after and name != fact.name and last(name) in kept:
            continue  # the old name stays for a while
        if words := _words(fact, name):
            commit = parents[0] if before else change.sha
            near = _written(change, fact) if fact.kind is FactKind.METRIC else ""
            words += (f'"{near}"',) if near else ()
            asked.append(Question(index=index, name=name, commit=commit, words=words, near=near))
    return tuple(asked)


def _is_alias(fact: Fact) -> bool:
    return fact.kind is FactKind.FLAG and fact.detail == "alias" and fact.action is Action.REMOVED


def _is_known(fact: Fact) -> bool:
    """Whether another program's thing of the same name makes a new one no less new."""
    return fact.action is Action.ADDED and fact.kind not in _SHARED


def _is_apart(fact: Fact) -> bool:
    """Whether a changed file may have had a new thing for another purpose: not so a route."""
    return _is_known(fact) and fact.kind is not FactKind.ROUTE


def _may_be_known(fact: Fact) -> bool:
    """Whether a new flag or route may be one that another program of the project has already.

    A short word, as the name of a flag, means something else to every program.
    """
    return fact.kind is FactKind.ROUTE or (
        fact.kind is FactKind.FLAG and "-" in fact.name.lstrip("-") and "=" not in fact.name
    )


def _written(change: Change, fact: Fact) -> str:
    for file in change.files:
        if fact.evidence.path in {file.path, file.old_path}:
            lines = "\n".join(line for hunk in file.hunks for line in hunk.removed)
            return metrics.written(fact.before or fact.name, lines)
    return ""


def _words(fact: Fact, name: str) -> tuple[str, ...]:
    """How texts that define a name spell it."""
    if fact.kind in _SETTABLE:
        spelled: tuple[str, ...] = _SPELLINGS[fact.kind](name)
        bare = name.lstrip("-")
        match language_of(fact.evidence.path) if fact.kind is FactKind.FLAG else "":
            case "rust":
                spelled += (f"{bare.replace('-', '_')}: ", f'.long("{bare}")')
            case "ruby":
                spelled += (f":{bare.replace('-', '_')}",)
            case "javascript" | "typescript":
                spelled += (f"{bare}: {{",)
            case _:
                pass
    elif fact.detail == _VALUE:
        return (f".{last_part(name)}",)
    elif fact.detail == _KEY:
        return (name if name.isidentifier() else f'"{name}"',)
    elif fact.kind in _CODE:
        language, last = language_of(fact.evidence.path), last_part(name)
        spelled = tuple(f"{w} {_owner(fact, name)}" for w in _DEFINED_BY.get(language, ()))
        if language == "python":  # a base of its class may have it
            spelled += {"method": (f"def {last}",), "field": (f"{last}:",)}.get(fact.detail, ())
        if _is_rust_setting(fact):
            spelled += (f"{last.replace('-', '_')}: Option",)
        return (*spelled, last) if language in _LISTED else spelled
    else:
        return ()
    return tuple(w for w in spelled if len(w.strip('"-:/')) >= _SHORTEST - w.startswith("--"))


def _is_rust_setting(fact: Fact) -> bool:
    """Whether a fact is about a field that other structures, read from the same files, may have."""
    rust = fact.detail == "field" and language_of(fact.evidence.path) == "rust"
    return rust and bool(fact.public) and len(last_part(fact.name)) >= _TELLING


_TELLING = 10  # characters of a setting that another structure hardly has for another thing


_SPELLINGS = {
    FactKind.FLAG: flags.spellings,
    FactKind.ENVIRONMENT: lambda name: (name.removesuffix("*"),),
    FactKind.METRIC: metrics.spellings,
    FactKind.ROUTE: routes.spellings,
}


def _owner(fact: Fact, name: str) -> str:
    """The declaration that owns a name: the class of a method or field, or itself."""
    parts = re.split(r"[.:]+", name)
    member = fact.detail in {"method", "field"} or (
        fact.detail == "function" and len(parts) > 1 and not parts[-2].isupper()
    )
    return parts[-2] if len(parts) > 1 and member else parts[-1]


def without_lines(change: Change) -> Change:
    """The change with all that a search reads of it: its removed lines, as one text a file."""
    files = []
    for file in change.files:
        removed = [line for hunk in file.hunks for line in hunk.removed if _counts(file.path)]
        one = Hunk(old_start=0, new_start=0, removed=("\n".join(removed),), added=())
        files.append(replace(file, hunks=(one,) if removed else ()))
    return replace(change, files=tuple(files))


def places(
    changes: Sequence[Change],
    asked: Sequence[Sequence[Question]],
    mentions: Mapping[str, Iterable[str]],
    evidence: Mapping[tuple[int, int], str],
) -> dict[tuple[int, int], list[Place]]:
    """The files to read for each question, by the index of its change and of its fact.

    ``changes`` are a line of commits, newest first, and ``mentions`` the paths by word in the tree
    of the first. The removed lines of a newer change show what it removed from the tree.
    """
    known: dict[str, set[str]] = {word: set(paths) for word, paths in mentions.items()}
    words = {w for those in asked for q in those for w in q.words}
    names: dict[str, set[str]] = {}
    found: dict[tuple[int, int], list[Place]] = {}
    for number, (change, those) in enumerate(zip(changes, asked, strict=True)):
        _take_back(change, words, known, names)
        for question in those:
            here = evidence[number, question.index]
            paths = {p for w in question.words for p in known.get(w, ())}
            paths |= {old for path in paths for old in names.get(path, ())}
            # Where many files have a word, those that declare it as a flag come first.
            sure = {p for w in question.words if w.startswith(".long(") for p in known.get(w, ())}
            near = sorted((p for p in {*paths, here} if _counts(p)), key=_nearness(here))
            near = [*(p for p in near if p in sure), *(p for p in near if p not in sure)]
            found[number, question.index] = [(question.commit, p) for p in near[:_MOST_FILES]]
    return found


def _take_back(
    change: Change, words: Iterable[str], known: dict[str, set[str]], names: dict[str, set[str]]
) -> None:
    """Add what was in the tree before a change to what is known of the tree after it."""
    for file in change.files:
        if file.old_path is not None:
            names.setdefault(file.path, set()).add(file.old_path)
    texts = {
        file.old_path or file.path: "\n".join(line for h in file.hunks for line in h.removed)
        for file in change.files
        if _counts(file.path)
    }
    joined = "\n".join(texts.values())
    for word in words if joined else ():
        if word in joined:
            known.setdefault(word, set()).update(p for p, text in texts.items() if word in text)


def _counts(path: str) -> bool:
    return area_of(path) in _AREAS and bool(language_of(path))


def _nearness(here: str) -> Callable[[str], tuple[bool, int, str]]:
    """The distance of files from another: other languages last, near folders first."""
    parts = here.split("/")

    def key(path: str) -> tuple[bool, int, str]:
        shared = 0
        for one, other in zip(parts, path.split("/"), strict=False):
            if one != other:
                break
            shared += 1
        return language_of(path) != language_of(here), -shared, path

    return key


def apply_lookup(
    facts: Facts,
    asked: Sequence[Question],
    where: Mapping[int, Sequence[Place]],
    texts: Mapping[Place, str],
) -> Facts:
    """The facts with what the trees show about them."""
    touched = {file.path for file in facts.files}
    before = touched | {file.old_path for file in facts.files if file.old_path}
    answers = {
        q.index: _found(
            fact,
            q,
            [p for p in where.get(q.index, ()) if p[1] not in before or not _is_apart(fact)],
            texts,
        )
        for q in asked
        for fact in (facts.items[q.index],)
    }
    items = [
        told
        for index, fact in enumerate(facts.items)
        if (told := _told(fact, answers.get(index), touched, asked=index in answers)) is not None
    ]
    return replace(facts, items=tuple(items)) if items != list(facts.items) else facts


def _found(
    fact: Fact, question: Question, where: Iterable[Place], texts: Mapping[Place, str]
) -> str | None:
    """The first path at which a name is defined, or from which its class inherits it."""
    own = texts.get((question.commit, fact.evidence.path), "")
    names = [question.name]
    if fact.detail in {"method", "field"} and language_of(fact.evidence.path) == "python":
        owner = re.escape(_owner(fact, question.name))
        bases = re.search(rf"^class {owner}\(([^()]*)\)", own, re.MULTILINE)
        listed = re.findall(r"\w+(?=\s*(?:,|\[|$))", bases[1]) if bases else []
        names += [f"{base}.{last_part(question.name)}" for base in listed]
    for place in where:
        text = texts.get(place)
        # A changed file may still define a setting in a way that its finder does not know.
        may_stay = fact.action is Action.REMOVED and fact.kind in _SETTABLE
        if place[1] == fact.evidence.path and not may_stay:
            continue
        nearby = [question.near] if question.near and _is_beside(place[1], fact) else []
        if text and any(_defines(fact, name, place[1], text) for name in (*names, *nearby)):
            return place[1]
    return None


def _is_beside(path: str, fact: Fact) -> bool:
    return path.rpartition("/")[0] == fact.evidence.path.rpartition("/")[0]


def _defines(fact: Fact, name: str, path: str, text: str) -> bool:
    language = language_of(path)
    if (settable := _SETTABLE.get(fact.kind)) is not None:
        return settable(whole(path, text), language, name)
    if fact.detail == _VALUE:
        used = rf"\.{re.escape(last_part(name))}\b"
        chart = fact.evidence.path.rpartition("/")[0]
        return path.startswith(f"{chart}/templates/") and re.search(used, text) is not None
    if fact.detail == _KEY:
        used = rf"\.define\(\s*(?:\w+\.)*{name}\b" if name.isidentifier() else "(?!)"
        return f'"{name}"' in text or re.search(used, text) is not None
    words = "|".join(_DEFINED_BY.get(language, ()))
    here = fact.evidence.path
    if not words or language != language_of(here):
        return False
    if language in _IN_FOLDER and not _is_beside(path, fact):
        return False
    owner, last = _owner(fact, name), last_part(name)
    if _is_rust_setting(fact) and "Deserialize" in text:
        field = rf"^ +pub(?:\([^)\n]*\))? {re.escape(last.replace('-', '_'))}: Option<"
        return re.search(field, text, re.MULTILINE) is not None
    indent = "" if language == "python" else r"[ \t]*(?:#[ \t]*)?"
    defined = rf"^{indent}(?:[\w()<>]+ ){{0,4}}(?:{words}) {re.escape(owner)}\b"
    listed = _LISTED.get(language, "").replace("NAME", re.escape(last))
    if last == owner:
        return re.search(defined + listed, text, re.MULTILINE) is not None
    if language == "go" and re.search(
        listed.replace("OWNER", re.escape(owner)).rpartition("|")[2], text, re.MULTILINE
    ):
        return True
    member = re.compile(
        rf"^[ \t]+(?:[\w()<>]+ ){{0,6}}{re.escape(last)}\??[ \t]*[:=(<;]", re.MULTILINE
    )
    tops = islice(re.finditer(defined, text, re.MULTILINE), _MOST_TYPES)
    return any(member.search(block(text, top.start())) for top in tops)


_OWN = frozenset(
    {"class", "function", "interface", "constant", "type", "struct", "enum", "trait", "union"}
)
"""Details of declarations at the top level of a module."""

_TOP = _OWN - {"constant"}
"""Those that are declared by a word of the language, with which a release is searched."""


def _told(
    fact: Fact, elsewhere: str | None, touched: Collection[str], *, asked: bool
) -> Fact | None:
    if not asked or elsewhere is None:
        return fact
    if _is_known(fact):
        return replace(fact, elsewhere=elsewhere)
    if fact.action is Action.REMOVED and (elsewhere == fact.evidence.path or fact.detail == _VALUE):
        return None  # the file still defines it in another way, or a template still reads it
    if fact.action is Action.REMOVED and fact.detail in _OWN and elsewhere not in touched:
        return fact  # another thing of the same name was there before
    if fact.kind in _SHARED:
        # Read or created in one more place, or in one less.
        return _as_added(fact, elsewhere) if fact.action is Action.RENAMED else None
    if fact.action is Action.RENAMED:
        return _as_added(fact, elsewhere)
    return replace(
        fact,
        action=Action.CHANGED,
        detail="moved",
        before=fact.evidence.path,
        after=elsewhere,
        elsewhere=elsewhere,
    )


def _as_added(fact: Fact, elsewhere: str) -> Fact:
    """A new name beside the old one, which remains in another file."""
    return replace(fact, action=Action.ADDED, before=None, after=None, elsewhere=elsewhere)


def unreleased(facts: Facts, asked: Sequence[Question], held: frozenset[str]) -> Facts:
    """The facts with names that went and that no release had marked.

    ``held`` are the words of the questions that a release before the change has.
    """
    words = {q.index: q.words for q in asked}
    items = tuple(
        replace(fact, unreleased=True)
        if is_gone(fact) and index in words and held.isdisjoint(words[index])
        else fact
        for index, fact in enumerate(facts.items)
    )
    return replace(facts, items=items)


def is_gone(fact: Fact) -> bool:
    """Whether a flag, variable, route, metric or type went, or a function outside of types.

    A value of a setting stands apart from its name, and so does a member from its type.
    """
    apart = fact.detail in _TOP and fact.public is not False and last_part(fact.name) == fact.name
    named = fact.kind in _SETTABLE or (fact.kind is FactKind.SYMBOL and apart)
    return named and fact.action is Action.REMOVED and "=" not in fact.name


def mark_unsearched(facts: Facts, asked: Sequence[Question]) -> Facts:
    """The facts if the trees could not be searched: they hold for their file only."""
    alone = {q.index for q in asked}
    if not alone:
        return facts
    items = tuple(replace(f, in_file=True) if n in alone else f for n, f in enumerate(facts.items))
    return replace(facts, items=items)


def runs(changes: Sequence[Change]) -> Iterator[range]:
    """The ranges of changes in which each is the first parent of the one before it."""
    start = 0
    for number in range(1, len(changes) + 1):
        follows = (
            number < len(changes)
            and changes[number - 1].commit.parents[:1] == (changes[number].sha,)
            and not changes[number - 1].omitted
        )
        if not follows and number > start:
            yield range(start, number)
            start = number
