"""All facts of a change, put together. Imports the other modules of this package.

The finders look at one file at a time and know nothing of each other; what a single file cannot
show (a deprecation that only moved elsewhere) is settled here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from digest.change import Change, FileChange, FileStatus
from digest.facts import code, dependencies, deprecations, schema, security
from digest.facts.areas import area_of, language_of
from digest.facts.merges import told
from digest.facts.message import read_issues, read_paragraphs
from digest.facts.model import Action, Area, Fact, FactKind, Facts, FileFacts, Subject
from digest.facts.reverts import find_undone
from digest.facts.scene import Scene
from digest.facts.subject import read_subject, strip_numbers
from digest.facts.trailers import co_authors, split_trailers

Finder = Callable[[Scene], Iterable[Fact]]
Wants = Callable[[FileChange, Area, str], bool]

_FINDERS: tuple[Finder, ...] = (
    code.find,
    dependencies.find,
    deprecations.find,
    schema.find,
    security.find,
)
_WANTS: tuple[Wants, ...] = (
    code.wants,
    dependencies.wants,
    deprecations.wants,
    schema.wants,
)

_CLOSED = frozenset([Area.GENERATED, Area.VENDORED, Area.LOCKFILE])
"""Areas whose contents nobody here wrote: their paths are facts, their lines are not."""

_TALK = frozenset([Area.TESTS, Area.DOCS, Area.EXAMPLES, Area.BENCHMARKS])

_MOVABLE = frozenset([FactKind.DEPRECATION, FactKind.SECURITY, FactKind.DEPENDENCY])
_STEPS = {Action.ADDED: 1, Action.REMOVED: -1}

_MOST_FILES = 64
"""Files of a change whose whole texts are read, those with most changed lines first. A change that
touches more is told from its hunks; 99 of 100 touch fewer."""

_LONGEST_NAME = 300
"""Characters of a name that somebody may have written to be used; longer ones flood a reader."""

_LONGEST_TEXT = 1 << 20
"""Characters beyond which a file is data, whatever its name, and its text is left aside."""

_TEXT_MODES = frozenset(["100644", "100755", "100664"])


def extract(change: Change, texts: Mapping[str, str]) -> Facts:
    """Read a change. ``texts`` holds the blobs that `wanted` named, by id, as far as they exist.

    Never fails on what it reads: a text that is absent only makes facts fewer.
    """
    commit = change.commit
    message = told(commit)
    subject = read_subject(message.title, message.body, message.number)
    body, trailers = split_trailers(message.body)
    reverts, relands = find_undone(subject, message.body)
    bare, _ = strip_numbers(subject.title[:1000])
    own = (subject.number, reverts and reverts.number, relands and relands.number)
    return Facts(
        subject=subject,
        files=tuple(_file_facts(file) for file in change.files),
        items=(*_items(change, texts), *_of_message(change, subject)),
        paragraphs=read_paragraphs(body, (subject.title, subject.words, bare)),
        trailers=trailers,
        co_authors=co_authors(message.body.splitlines(), commit.author, commit.email),
        issues=read_issues(commit.message, frozenset(n for n in own if isinstance(n, int))),
        reverts=reverts,
        relands=relands,
        merge=len(commit.parents) > 1,
    )


def wanted(change: Change) -> tuple[str, ...]:
    """Names of the blobs whose texts make the facts complete, in the order of the files."""
    files = [file for file in change.files if _wants(file)]
    if len(files) > _MOST_FILES:
        largest = sorted(range(len(files)), key=lambda n: -(files[n].added + files[n].deleted))
        files = [files[n] for n in sorted(largest[:_MOST_FILES])]
    ids = (blob for file in files for blob in (file.old_id, file.new_id) if blob)
    return tuple(dict.fromkeys(ids))


def _wants(file: FileChange) -> bool:
    if not _is_legible(file) or not file.hunks:
        return False
    area, language = area_of(file.path), language_of(file.path)
    return area not in _CLOSED and any(wants(file, area, language) for wants in _WANTS)


def _is_legible(file: FileChange) -> bool:
    """Whether both sides are texts: a link's or a submodule's blob is none."""
    if file.omitted or file.binary:
        return False
    old = file.status is FileStatus.ADDED or file.old_mode in _TEXT_MODES
    new = file.status is FileStatus.DELETED or file.new_mode in _TEXT_MODES
    return old and new


def _items(change: Change, texts: Mapping[str, str]) -> tuple[Fact, ...]:
    found: list[Fact] = []
    for file in change.files:
        if not _is_legible(file):
            found.extend(dependencies.submodule(file))
            continue
        area = area_of(file.path)
        if area in _CLOSED:
            continue
        scene = Scene(
            file=file,
            area=area,
            language=language_of(file.path),
            old=_text(texts, file.old_id),
            new=_text(texts, file.new_id),
        )
        facts = [f for find in _FINDERS for f in find(scene) if len(f.name) <= _LONGEST_NAME]
        found.extend(sorted(facts, key=_place))
    return _settled(code.reconcile(found))


def _of_message(change: Change, subject: Subject) -> Iterator[Fact]:
    """What the message says of the code; of changes to tests and docs alone it says nothing."""
    if any(area_of(file.path) not in _TALK for file in change.files):
        yield from deprecations.find_in_message(change.commit.message, subject)
        yield from security.find_in_message(change.commit.message, subject)


def _settled(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """Without what came in one file as often as it went in another: that has only moved."""
    balance: dict[tuple[str, str, str], int] = {}
    for fact in facts:
        if fact.kind in _MOVABLE and fact.action in _STEPS:
            key = _identity(fact)
            balance[key] = balance.get(key, 0) + _STEPS[fact.action]
    moved = {key for key, sum_ in balance.items() if sum_ == 0}
    return tuple(f for f in facts if f.action not in _STEPS or _identity(f) not in moved)


def _identity(fact: Fact) -> tuple[str, str, str]:
    value = (fact.after or fact.before or "") if fact.kind is FactKind.DEPENDENCY else ""
    return (fact.kind, fact.name, value)


def _text(texts: Mapping[str, str], blob: str) -> str | None:
    text = texts.get(blob) if blob else None
    return text if text is not None and len(text) <= _LONGEST_TEXT else None


def _place(fact: Fact) -> tuple[int, str, str, str, str]:
    return (fact.evidence.line, fact.evidence.side, fact.kind, fact.name, fact.detail)


def _file_facts(file: FileChange) -> FileFacts:
    return FileFacts(
        path=file.path,
        status=file.status,
        area=area_of(file.path),
        language=language_of(file.path),
        old_path=file.old_path,
        added=file.added,
        deleted=file.deleted,
        omitted=file.omitted,
        binary=file.binary,
    )
