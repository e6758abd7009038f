"""All facts of a change, put together from the finders, which look at one file at a time.

This module handles what one file cannot show, such as a thing that moved from one file to another.
If the lines of a change cannot be read, its message and paths still give facts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter

from digest.core.change import Change, FileChange, FileStatus, Side
from digest.core.facts import (
    Action,
    Area,
    Fact,
    FactKind,
    Facts,
    FileFacts,
    Note,
    Subject,
)
from digest.facts import (
    change_notes,
    code,
    dependencies,
    deprecations,
    exposure,
    help_text,
    renames,
    routes,
    schema,
    security,
)
from digest.facts.clues import clues
from digest.facts.clues import wants as wants_clues
from digest.facts.languages import language_of
from digest.facts.message import (
    co_authors,
    find_deprecations,
    read_issues,
    read_note,
    read_paragraphs,
    split_trailers,
)
from digest.facts.named_settings import is_same_default
from digest.facts.paths import area_of, of_tools
from digest.facts.reverts import find_undone
from digest.facts.side_text import FileContext, FileSide
from digest.facts.similarity import last
from digest.facts.subject import read_subject, strip_numbers, unwrap_message, with_sign
from digest.facts.syntax.grammar import ParseBudget


def bare(change: Change) -> Facts:
    """Facts without items: the subject as written, and the files with their areas.

    Their version is older than any, so that the change is read again at the next opportunity.
    """
    subject = change.commit.subject
    return Facts(
        subject=Subject(title=subject, words=subject),
        files=tuple(_file_facts(file, ()) for file in change.files),
        merge=len(change.commit.parents) > 1,
        version=0,
    )


Finder = Callable[[FileContext], Iterable[Fact]]
Wants = Callable[[FileChange, Area, str], bool]

_FINDERS: tuple[Finder, ...] = (
    code.find,
    dependencies.find,
    deprecations.find,
    help_text.find_defaults,
    schema.find,
    security.find,
)
_WANTS: tuple[Wants, ...] = (
    code.wants,
    dependencies.wants,
    deprecations.wants,
    help_text.wants,
    schema.wants,
    change_notes.wants,
    wants_clues,
)

_CLOSED = frozenset([Area.GENERATED, Area.VENDORED, Area.LOCKFILE])
"""Areas whose contents are not written in this project: only their paths are facts."""

_TALK = frozenset([Area.TESTS, Area.DOCS, Area.EXAMPLES, Area.BENCHMARKS, Area.CI])
_MOVABLE = frozenset([FactKind.DEPRECATION, FactKind.SECURITY, FactKind.DEPENDENCY])
_PINNED = frozenset([FactKind.DEPENDENCY, FactKind.TOOLCHAIN])
_STEPS = frozenset([Action.ADDED, Action.REMOVED])
_MOST_FILES = 64
"""Maximum files of a change whose whole texts are read, those with most changed lines first. Larger
changes are read from their hunks; 99 of 100 changes touch fewer."""

_LONGEST_NAME = 300  # maximum characters of a name meant to be used; longer ones flood a reader
_LONGEST_TEXT = 1 << 20  # maximum characters of a text; a longer file is data, whatever its name
_TEXT_MODES = frozenset(["100644", "100755", "100664"])
_Clock = Callable[[], float]


def extract(
    change: Change, texts: Mapping[str, str], clock: _Clock | None = None, forge: str = ""
) -> Facts:
    """Read a change; never fails, though ``texts`` may lack some of :func:`wanted_blobs`.

    ``clock`` returns processor time, which bounds the parsing of text made to be slow.
    """
    commit = change.commit
    message = unwrap_message(commit)
    subject = with_sign(read_subject(message.title, message.body, message.number), commit, forge)
    body, trailers = split_trailers(message.body)
    reverts, relands = find_undone(subject, message.body)
    bare, _ = strip_numbers(subject.title[:1000])
    budget = ParseBudget(clock=clock)
    scenes = _scenes(change, texts, budget)
    found = _consistent((*_items(change, scenes), *_of_message(change, subject)), scenes)
    found = exposure.with_kept_flags(found, scenes.values())
    items = exposure.with_headings(deprecations.with_announced(found), scenes.values())
    # The other authors: those of a merged branch, and those named in the message.
    others = [name for name in commit.writers if name != commit.author]
    others += co_authors(message.body.splitlines(), commit.author, commit.email)
    own = (subject.number, reverts and reverts.number, relands and relands.number)
    return Facts(
        subject=subject,
        files=tuple(_file_facts(file, budget.unparsed) for file in change.files),
        items=items,
        clues=clues([*scenes.values()], items, subject.words),
        paragraphs=read_paragraphs(body, (subject.title, subject.words, bare)),
        trailers=trailers,
        co_authors=tuple(dict.fromkeys(others)),
        issues=read_issues(commit.message, frozenset(n for n in own if isinstance(n, int))),
        reverts=reverts,
        relands=relands,
        merge=len(commit.parents) > 1,
        notes=_notes(scenes, subject, commit.message),
    )


def wanted_blobs(change: Change) -> tuple[str, ...]:
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
    """Whether both sides are texts, unlike the blob of a link or submodule."""
    if file.omitted or file.binary:
        return False
    old = file.status is FileStatus.ADDED or file.old_mode in _TEXT_MODES
    new = file.status is FileStatus.DELETED or file.new_mode in _TEXT_MODES
    return old and new


def _scenes(
    change: Change, texts: Mapping[str, str], budget: ParseBudget
) -> dict[str, FileContext]:
    """The files that can be read, by path, with the texts that are available."""
    return {
        file.path: FileContext(
            file=file,
            area=area_of(file.path),
            language=language_of(file.path),
            old=_text(texts, file.old_id),
            new=_text(texts, file.new_id),
            budget=budget,
        )
        for file in change.files
        if _is_legible(file) and area_of(file.path) not in _CLOSED
    }


def _items(change: Change, scenes: Mapping[str, FileContext]) -> tuple[Fact, ...]:
    found: list[Fact] = []
    for file in change.files:
        if not _is_legible(file):
            found.extend(dependencies.submodule(file))
        if (scene := scenes.get(file.path)) is None:
            continue
        facts = [f for find in _FINDERS for f in find(scene) if len(f.name) <= _LONGEST_NAME]
        facts += _module(file, area_of(file.path), change.files)
        found.extend(sorted(facts, key=_place))
    found = schema.no_longer_read(exposure.with_schemas(found), scenes.values())
    found = routes.mounted(found, lambda: (s.changed_text for s in scenes.values()))
    found = help_text.borne_out(_newly_told(change, _new_flags(found, scenes), scenes), scenes)
    found = help_text.effective(found, change.commit.subject, list(scenes.values()))
    found = renames.forwarded(found, (h for s in scenes.values() for h in s.file.hunks))
    settled = _settled(renames.reconcile(found, change.commit.message, partial(_beside, scenes)))
    # A nested manifest that is deleted takes a part of the project with it.
    gone = {f.path for f in change.files if f.status is FileStatus.DELETED and "/" in f.path}
    gone = {path for path in gone if not path.endswith((".txt", ".in"))}
    kept = (f for f in settled if not is_same_default(f, change.commit.subject))
    return tuple(f for f in kept if f.evidence.path not in gone or f.kind not in _PINNED)


def _beside(scenes: Mapping[str, FileContext], fact: Fact) -> tuple[str, str]:
    """The changed lines around a fact, and the text of its file before the change."""
    scene, line = scenes.get(fact.evidence.path), fact.evidence.line
    lines = scene.lines[fact.evidence.side is Side.NEW].changed if scene else ()
    first = bisect_left(lines, line - _NEAR, key=itemgetter(0))
    near = "\n".join(t for n, t in lines[first : first + 2 * _NEAR + 1] if n <= line + _NEAR)
    return near, (scene.old or "") if scene else ""


_NEAR = 4  # lines


def _new_flags(found: Sequence[Fact], scenes: Mapping[str, FileContext]) -> list[Fact]:
    """The facts without flags as new for which a removed line looked."""
    if not any((f.kind, f.action) == (FactKind.FLAG, Action.ADDED) for f in found):
        return list(found)
    core = [s for s in scenes.values() if s.area is Area.CORE and s.language]
    removed = "\n".join(line for scene in core for _, line in scene.lines[0].changed)
    return [
        f
        for f in found
        if (f.kind, f.action) != (FactKind.FLAG, Action.ADDED)
        or not renames.is_quoted(f.name, removed)
    ]


def _newly_told(
    change: Change, found: Sequence[Fact], scenes: Mapping[str, FileContext]
) -> list[Fact]:
    """The facts without deprecations that a document or a moved file only repeats.

    A document that names a new replacement does not merely repeat.
    """
    if "deprecat" in change.commit.message.lower():
        return list(found)
    own = [s for s in scenes.values() if s.area is Area.CORE and not _repeats(s)]
    new = {last(f.name) for f in found if f.action is Action.ADDED}
    new -= {last(f.name) for f in found if f.kind is FactKind.DEPRECATION}
    code = [text for s in own if "deprecat" in (text := s.changed_text.lower())]
    gone = [text for s in own for _, line in s.lines[0].changed if (text := line.lower())]
    return [
        f
        for f in found
        if f.kind is not FactKind.DEPRECATION
        or not ((scene := scenes.get(f.evidence.path)) and _repeats(scene))
        or any(last(f.name).lower() in text for text in (code if scene.area is Area.DOCS else gone))
        or (f.replacement and last(f.replacement) in new)
    ]


def _repeats(scene: FileContext) -> bool:
    return scene.area is Area.DOCS or scene.file.status is FileStatus.ADDED


def _notes(scenes: Mapping[str, FileContext], subject: Subject, text: str) -> tuple[Note, ...]:
    """The changelog entries of a change and its note for users; none if it prepares a release."""
    read = (change_notes.find(s) for p, s in scenes.items() if change_notes.is_change_note(p))
    found = change_notes.own([note for notes in read for note in notes], subject.number)
    prepares = change_notes.RELEASES.match(subject.words) or len(found) > change_notes.MOST
    return () if prepares else found or change_notes.tagged(read_note(text))


def _module(file: FileChange, area: Area, files: Sequence[FileChange]) -> list[Fact]:
    """The rename or removal of a Python module that others import."""
    old, new = file.old_path or file.path, file.path
    names = [path.removesuffix(".py").replace("/", ".") for path in (old, new)]
    python = old.endswith(".py") and new.endswith(".py") and not any("._" in n for n in names)
    if not python or area is not Area.CORE or area_of(old) is not area:
        return []
    if file.status is FileStatus.RENAMED:
        side = FileSide(path=new, side=Side.NEW)
        values = names[0], names[1]
        return [side.fact(FactKind.SYMBOL, Action.RENAMED, names[1], 1, values, detail="module")]
    package = f"{old.removesuffix('.py')}/"
    if file.status is not FileStatus.DELETED or any(f.path.startswith(package) for f in files):
        return []
    side = FileSide(path=old, side=Side.OLD)
    return [side.fact(FactKind.SYMBOL, Action.REMOVED, names[0], 1, detail="module")]


def _of_message(change: Change, subject: Subject) -> Iterator[Fact]:
    """Facts in the message about the code; none for changes to tests, docs and tools alone.

    What an update of a dependency quotes as deprecated is the other project's.
    """
    paths = [file.path for file in change.files]
    told = [] if of_tools(paths) else [p for p in paths if area_of(p) not in _TALK]
    if any(area_of(p) not in _CLOSED and not dependencies.reader_of(p) for p in told):
        yield from find_deprecations(change.commit.message, subject)
    if told:
        yield from security.find_in_message(change.commit.message, subject)


def _consistent(facts: tuple[Fact, ...], scenes: Mapping[str, FileContext]) -> tuple[Fact, ...]:
    """The facts without those that another one of the change makes untrue or says better.

    What the change removes is not deprecated, unless something else of that name stays; what it
    deprecates loses its default with that. One name is deprecated once, preferably where its
    replacement is named.
    """
    removed = (f for f in facts if f.action is Action.REMOVED)
    gone = {
        (last(f.name), f.evidence.path)
        for f in removed
        if not (f.evidence.path.endswith(".py") and exposure.is_private_module(f.evidence.path))
    }
    # What its new name calls deprecated is what users know by the old one.
    renamed = (
        f for f in facts if f.action is Action.RENAMED and "deprecated" in (f.after or "").lower()
    )
    olds = {last(f.after or ""): f.before for f in renamed}
    notices = FactKind.DEPRECATION
    facts = tuple(
        replace(f, name=olds.get(f.name) or f.name) if f.kind is notices else f for f in facts
    )
    best: dict[str, Fact] = {}
    facts = deprecations.of_known_names(_as_users_write(_without_retold(facts)), scenes)
    for fact in facts:
        if fact.kind is FactKind.DEPRECATION and fact.action is Action.ADDED:
            key = _spoken(fact.name)
            if key not in best or _weight(fact) > _weight(best[key]):
                best[key] = fact
    going = {last(f.name) for f in best.values()}
    lost = {name for name, _ in gone}
    kept = {
        last(f.name)
        for f in best.values()
        if (last(f.name), f.evidence.path) not in gone
        and (scene := scenes.get(f.evidence.path))
        and exposure.has_field(scene, last(f.name))
    }
    return tuple(f for f in facts if _holds(f, lost - kept, going, best))


def _without_retold(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """The facts without members that a message calls deprecated by another owner than the code."""
    new = [f for f in facts if f.kind is FactKind.DEPRECATION and f.action is Action.ADDED]
    coded = {last(f.name): f.name for f in new if f.detail != "message"}
    marked = {f.name.rpartition("::")[2] for f in new if "::" in f.name}
    facts = tuple(f for f in facts if f.kind is not FactKind.DEPRECATION or f.name not in marked)
    return tuple(
        f
        for f in facts
        if f.kind is not FactKind.DEPRECATION
        or f.detail != "message"
        or "." not in f.name
        or coded.get(last(f.name), f.name) == f.name
    )


def _as_users_write(facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
    """The facts without marks of members that are also reported as a deprecated setting's path.

    The setting's replacement is the one in the mark, which is at the member itself.
    """
    new = [f for f in facts if f.kind is FactKind.DEPRECATION and f.action is Action.ADDED]
    paths = {last(f.name): f for f in new if "." in f.name and f.name[0].islower()}
    marked = (f for f in new if f.detail == "mark")
    marks = {last(f.name): f for f in marked if "." not in f.name or f.name[0].isupper()}
    both = paths.keys() & marks.keys()
    return tuple(
        replace(f, replacement=marks[last(f.name)].replacement or f.replacement)
        if any(f is paths[name] for name in both)
        else f
        for f in facts
        if not any(f is marks[name] for name in both)
    )


def _holds(
    fact: Fact, gone: Collection[str], going: Collection[str], best: Mapping[str, Fact]
) -> bool:
    if fact.kind is FactKind.DEPRECATION and fact.action is not Action.REMOVED:
        told = fact.action is Action.CHANGED or best[_spoken(fact.name)] is fact
        return told and last(fact.name) not in gone
    ends = fact.detail == "default" and fact.after in {None, "None"}
    return not (ends and last(fact.name) in going)


def _spoken(name: str) -> str:
    """A name as sentences may write it: a member of a class also as one of its instance."""
    bare = name.removesuffix("()")
    return bare.casefold() if "." in bare else bare


def _weight(fact: Fact) -> tuple[bool, bool, bool]:
    return fact.replacement is not None, fact.when is not None, fact.detail != "message"


def _settled(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts without those added as often as removed elsewhere, which only moved.

    A dependency that one more part of the project drops is still one.
    """
    steps = Counter((f.action, _identity(f)) for f in facts if f.kind in _MOVABLE)
    moved = {
        key
        for (action, key), count in steps.items()
        if action is Action.ADDED
        and (gone := steps[Action.REMOVED, key])
        and (gone == count or key[0] == FactKind.DEPENDENCY)
    }
    return tuple(f for f in facts if f.action not in _STEPS or _identity(f) not in moved)


def _identity(fact: Fact) -> tuple[str, str, str]:
    value = (fact.after or fact.before or "") if fact.kind is FactKind.DEPENDENCY else ""
    return (fact.kind, fact.name, value)


def _text(texts: Mapping[str, str], blob: str) -> str | None:
    text = texts.get(blob) if blob else None
    return text if text is not None and len(text) <= _LONGEST_TEXT else None


def _place(fact: Fact) -> tuple[int, str, str, str, str]:
    return (fact.evidence.line, fact.evidence.side, fact.kind, fact.name, fact.detail)


def _file_facts(file: FileChange, unparsed: Collection[str]) -> FileFacts:
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
        unparsed=file.path in unparsed,
    )
