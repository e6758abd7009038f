"""The wording of things in statements: names with values, places, counts of lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate

from digest.analysis.context import VALUE, ChangeContext, code, owner_of, shown_name
from digest.core.authors import code_as_spans
from digest.core.change import FileStatus, Side, printable
from digest.core.enums import Language
from digest.core.facts import (
    OVERLOAD,
    Action,
    Area,
    Clue,
    ClueKind,
    Evidence,
    Fact,
    FactKind,
    Facts,
    FileFacts,
    Undone,
)
from digest.document import Spans
from digest.facts.manifests_python import of_variable
from digest.frozen import frozen
from digest.i18n import statement_text as words
from digest.i18n.phrase import Part, Phrase, join, list_in_words
from digest.i18n.statement_text import KINDS, KINDS_MANY, PIN, PINS

COMMIT = re.compile(r"[0-9a-f]{40}")
"""A version that is a commit, whose sources the build may fetch."""
_SHA = 10  # digits shown of a commit that is a version
_MUST_BE_GIVEN = {FactKind.SYMBOL, FactKind.CONFIG}  # if they have no default

Clause = tuple[Spans, Sequence[Fact | Evidence]]
"""A sentence without its full stop, and what shows it."""

NAMES = 4  # maximum number of names in a sentence


def value(text: str | None, language: Language) -> Part:
    """A value as code (commit names shortened), or the word for none."""
    if not text:
        return words.NONE.text(language)
    return code(text[:_SHA] if COMMIT.fullmatch(text) else text, VALUE)


def typed(fact: Fact, text: str | None) -> str | None:
    """A value as users write it: in a shell every value is a string, without quotes."""
    bare_text = (text or "").strip("\"'")
    return bare_text if bare_text and fact.kind in {FactKind.FLAG, FactKind.ENVIRONMENT} else text


def name_with_values(fact: Fact, language: Language) -> Spans:
    """A name with its known values: ``--x (default 1 → 2)``."""
    name = code(_shown(fact))
    if fact.action is Action.RENAMED:
        owned = owner_of(fact.before or "")[0]
        name = name if owned else code(owner_of(bare(fact.name))[1])
        return join([code(fact.before), " → ", name]) if fact.before else (name,)
    if fact.action is Action.CHANGED:
        if (fact.before is None and fact.after is None) or (
            is_computed(fact.after) or is_computed(fact.before)
        ):
            return (name,)
        phrase = words.DEFAULT_CHANGED if has_default(fact) else words.VALUE_CHANGED
        before, after = (value(typed(fact, one), language) for one in (fact.before, fact.after))
        if fact.detail == "default" and fact.kind in _MUST_BE_GIVEN:
            needed = words.REQUIRED.text(language)
            before = needed if fact.before is None else before
            after = needed if fact.after is None else after
        return phrase(language, name=name, before=before, after=after)
    known = fact.after if fact.action is Action.ADDED else fact.before
    if not known or known == fact.name or is_computed(known) or fact.kind is FactKind.SYMBOL:
        return (name,)
    if not has_default(fact):
        return words.VALUE_IS(language, name=name, value=code(known, VALUE))
    phrase = words.DEFAULT_IS if fact.action is Action.ADDED else words.DEFAULT_WAS
    return phrase(language, name=name, value=code(known, VALUE))


def is_computed(text: str | None) -> bool:
    """Whether a value is only the call of a function or another setting's, unknown to readers."""
    return _CALL.fullmatch(text or "") is not None


def has_default(fact: Fact) -> bool:
    """Whether the values of a fact are defaults: those of flags, variables and config fields."""
    return fact.kind in {FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG} and (
        fact.detail in {"", "default", "flag", "parameter", "field"}
    )


def choices_of(fact: Fact) -> tuple[list[str], list[str]]:
    """The choices that a setting loses and gains; nothing if they are not all known."""
    told = [
        [one.strip(", \n").strip("\"'") for one in _CHOICE.findall(text or "")]
        for text in (fact.before, fact.after)
    ]
    left = [_CHOICE.sub("", text or "").strip("[](){}, \n") for text in (fact.before, fact.after)]
    if fact.detail != "choices" or not all(told) or any(left):
        return [], []
    old, new = told
    return [one for one in old if one not in new], [one for one in new if one not in old]


_CHOICE = re.compile(r"[\"'][^\"'\n]{1,60}[\"'],?\s*")


def new_choices(reading: ChangeContext) -> Iterator[Clause]:
    """Settings that take further values, which nobody has to react to."""
    for f in (f for f in reading.contracts if f.action is Action.CHANGED):
        lost, gained = choices_of(f)
        if gained and not lost:
            limit = reading.bounds.names
            values = list_in_words([code(one) for one in gained], reading.language, limit=limit)
            yield words.CHOICES_NEW(reading.language, name=code(f.name), values=values), [f]


def kind_of(facts: Sequence[Fact], language: Language) -> str:
    """The kind of facts in words, in singular or plural."""
    if all(map(is_pin, facts)):
        return (PIN if len(facts) == 1 else PINS).template(language)
    table = KINDS if len(facts) == 1 else KINDS_MANY
    said = table[facts[0].kind].template(language)
    # Chinese typography puts a space between Latin words and the verb before a kind.
    return f" {said}" if language is Language.ZH and said[0].isascii() else said


_NOT_INSTALLED = {"submodule", "github-actions", "docker"}


def is_pin(fact: Fact) -> bool:
    """Whether a dependency is only a version given to a build, which users do not install."""
    if fact.kind is not FactKind.DEPENDENCY:
        return False
    built = fact.detail == "cmake" and COMMIT.fullmatch(fact.after or fact.before or "")
    return (
        fact.detail in _NOT_INSTALLED
        or bool(built)
        or fact.detail.endswith(" dev")
        or bool(of_variable(fact.name))
    )


_CALL = re.compile(
    r"[\w.:]{1,120}\(\)|get_\w{1,60}\([^()]{0,120}\)|(?:\w{1,60}\.)?(?:[dD]efault[A-Z]|DEFAULT_)\w{1,60}|\(?[A-Z]\w{0,60}(?:Args|Config|Options|Params|Settings)\.[a-z]\w{0,60}\)?"
)
_TEMPLATE = re.compile(r"<[^<>]*>")


def bare(name: str) -> str:
    """A name without its template arguments: ``a::B<int>::c`` as ``a::B::c``."""
    return _TEMPLATE.sub("", name) if "::" in name else name


def _shown(fact: Fact) -> str:
    """A name as readers see it: an overload, whose name others keep, with its parameters."""
    given = _PARAMETERS.match(fact.before or "") if fact.detail == OVERLOAD else None
    return f"{bare(fact.name)}{given[0]}" if given else bare(shown_name(fact))


_PARAMETERS = re.compile(r"\((?:[^()]|\([^()]*+\))*+\)")


def names(
    facts: Sequence[Fact], reading: ChangeContext, *, values: bool = False, most: int = 0
) -> Spans:
    """The names of facts as a list of ``most``, or as its level bounds it; values on request.

    Methods of one name in several classes are one entry, with the number of classes.
    """
    language, most = reading.language, most or reading.bounds.names
    groups = _alike(facts)
    most = fitting([_shown(group[0]) for group in groups[:most]]) if most <= _FEW else most
    parts: list[Part] = [_entry(group, language, values=values) for group in groups[:most]]
    return list_in_words(parts, language, limit=most, total=len(groups))


def fitting(names: Sequence[str]) -> int:
    """The number of names that fit into a sentence on a small screen."""
    widths = accumulate(map(len, names))
    return max(_PAIR, sum(width <= _ROOM for width in widths))


_ROOM = 80  # characters
_FEW = 3  # names of a list that is to be short
_NAMED_ALONE = frozenset({"default", OVERLOAD})
_MANY = 3  # minimum number of classes for a method to be listed before single names


def _alike(facts: Sequence[Fact]) -> list[list[Fact]]:
    """The facts grouped by their entry in a list: what holds for most classes first."""
    groups: dict[tuple[object, ...], list[Fact]] = {}
    firsts = {f.name: f for f in reversed(facts) if f.kind is FactKind.SYMBOL}  # of overloads
    apart = [f for f in facts if f.detail in _NAMED_ALONE or firsts.get(f.name, f) is f]
    for at, f in enumerate(apart):
        owner, last = owner_of(f.name)
        old = owner_of(f.before or "")[1] if f.action is Action.RENAMED else ""
        method = f.kind is FactKind.SYMBOL and owner and f.detail not in _NAMED_ALONE
        groups.setdefault((last, old) if method else (at,), []).append(f)
    return sorted(groups.values(), key=_standing)


def _standing(group: Sequence[Fact]) -> tuple[int, bool]:
    """The sort key: what holds for many classes first, then what is not a method."""
    fact, many = group[0], len(group) >= _MANY
    method = fact.kind is FactKind.SYMBOL and bool(owner_of(fact.name)[0])
    return -len(group) * many, method


def _entry(group: Sequence[Fact], language: Language, *, values: bool) -> Part:
    fact = group[0]
    if len(group) == 1:
        return name_with_values(fact, language) if values else code(_shown(fact))
    if owner_of(fact.name)[1] == "__init__" and language is Language.EN:
        return words.CONSTRUCTORS(language, n=len(group))
    last = code(owner_of(fact.name)[1])
    name: Part = last
    if values and fact.action is Action.RENAMED and fact.before:
        name = words.NEW_NAME(language, before=code(owner_of(fact.before)[1]), after=last)
    return words.IN_CLASSES(language, name=name, n=len(group))


def lines(added: int, deleted: int) -> str:
    """Counts of lines as they are usually written, with a true minus sign."""
    if not added and not deleted:
        return "±0"
    if not deleted:
        return f"+{added:,}"
    return f"+{added:,} −{deleted:,}" if added else f"−{deleted:,}"


def shared_rename(facts: Sequence[Fact]) -> tuple[str, str]:
    """The old and new start of names of which nothing else changed, if there are several."""
    return shared_start([(f.before or "", f.name) for f in facts])


def shared_start(pairs: Sequence[tuple[str, str]]) -> tuple[str, str]:
    """The old and new start of pairs of names with the same ends, if there are several."""
    olds, news = [old for old, _ in pairs], [new for _, new in pairs]
    if len(pairs) <= _PAIR:
        return "", ""
    # Imported here, because the parsers that come with it are needed by few.
    from digest.facts.similarity import common_start

    starts = (names[0][: common_start(min(names), max(names))] for names in (olds, news))
    before, after = (start[: max(map(start.rfind, "_.")) + 1] for start in starts)
    ends = [name.removeprefix(before) for name in olds]
    alike = before and after and ends == [name.removeprefix(after) for name in news]
    return (f"{before}*", f"{after}*") if alike else ("", "")


_PAIR = 2  # names that are told one by one


def is_named(what: Undone) -> bool:
    """Whether the message names the change that is reverted or applied again."""
    return what.number is not None or bool(what.sha or what.title)


def undone_change(what: Undone, language: Language, sign: str) -> Spans:
    """The change that is reverted or applied again, as far as the message names it."""
    if what.number is not None:
        named: Part = f"{sign}{what.number}"
        if language is Language.ZH:
            named = f" {named}" if what.title else f" {named} "
    elif what.sha:
        named = code(what.sha[:10])
    else:
        named = words.AN_EARLIER_CHANGE.text(language)
    if not what.title:
        return join([named])
    title = " ".join(what.title.split()).strip('"“”')
    return words.TITLED(language, what=named, title=code_as_spans(title))


@frozen
class FilePlace:
    """A file, or a folder that represents several files of a change."""

    path: str
    files: tuple[FileFacts, ...]

    @property
    def added(self) -> int:
        """Lines added in the place."""
        return sum(f.added for f in self.files)

    @property
    def deleted(self) -> int:
        """Lines removed in the place."""
        return sum(f.deleted for f in self.files)

    def described(self, language: Language) -> Spans:
        """The place with what happened there."""
        counts = lines(self.added, self.deleted)
        name = code(self.path)
        if len(self.files) > 1:
            return words.PLACE_COUNT(language, place=name, n=len(self.files), lines=counts)
        file = self.files[0]
        if file.omitted or file.binary:
            return (name,)
        phrase = _HAPPENED.get(file.status)
        if phrase is not None:
            counts = phrase.text(language, lines=counts)
        return words.PLACE_LINES(language, place=name, lines=counts)


_HAPPENED = {
    FileStatus.ADDED: words.NEW_FILE,
    FileStatus.DELETED: words.GONE_FILE,
    FileStatus.RENAMED: words.MOVED_FILE,
}


def places(files: Sequence[FileFacts], most: int) -> list[FilePlace]:
    """The files as about ``most`` places at most, the most changed first.

    A few files are listed singly. Otherwise files are grouped by folder, and folders are joined
    upwards until they are few enough or cannot be joined any further.
    """
    depth = _DEEPEST
    groups = {f.path: [f] for f in files}
    if len(groups) > most:
        groups = _by_folder(files, depth)
    while len(groups) > most and depth > _SHALLOWEST:
        depth -= 1
        groups = _by_folder(files, depth)
    found = [
        FilePlace(path=printable(fs[0].path if len(fs) == 1 else path), files=tuple(fs))
        for path, fs in groups.items()
    ]
    return sorted(found, key=lambda p: (-(p.added + p.deleted), p.path))


_DEEPEST = 8
_SHALLOWEST = 2  # maximum depth of a shown folder; where folders are joined, also the minimum depth


def _by_folder(files: Iterable[FileFacts], depth: int) -> dict[str, list[FileFacts]]:
    groups: dict[str, list[FileFacts]] = {}
    for f in files:
        groups.setdefault(_folder_at(f.path, depth), []).append(f)
    return groups


@lru_cache(maxsize=16_384)
def _folder_at(path: str, depth: int) -> str:
    """The first ``depth`` parts of the folder of a path."""
    return _upper(_folder(path), depth)


def _folder(path: str) -> str:
    """The folder of a path with a trailing slash; a file at the top is its own place."""
    head, slash, _ = path.rpartition("/")
    return head + slash if slash else path


def _upper(folder: str, depth: int) -> str:
    """The first ``depth`` parts of a folder."""
    parts = folder.split("/")
    return "/".join(parts[:depth]) + "/" if len(parts) - 1 > depth else folder


def unread(reading: ChangeContext) -> str:
    """The files that could not be read, in words, or an empty string."""
    files = reading.facts.files
    parts = (
        _naming(words.UNREAD, [f for f in files if f.omitted], reading),
        _naming(words.UNPARSED, [f for f in files if f.unparsed], reading),
    )
    return ("" if reading.language is Language.ZH else " ").join(filter(None, parts))


def _naming(phrase: Phrase, files: Sequence[FileFacts], reading: ChangeContext) -> str:
    if not files:
        return ""
    shown = [printable(f.path) for f in files[: reading.bounds.names]]
    listing = list_in_words(shown, reading.language, limit=len(shown), total=len(files))
    return phrase.text(reading.language, n=len(files), names=listing)


def main_places(changes: Sequence[Facts], most: int) -> list[str]:
    """The code folders that most of the changes touch, two parts deep, most touched first.

    A folder counts once per change, so that one sweeping change does not dominate a day. Left out
    are folders touched by only one of several changes, and folders that contain others.
    """
    return [path for path, _ in hot_places(changes, most)]


def _holds_another(path: str, paths: Iterable[str]) -> bool:
    return any(one != path and one.startswith(path) for one in paths)


def hot_places(changes: Sequence[Facts], most: int) -> list[tuple[str, int]]:
    """The :func:`main_places`, each with the number of changes that touch it."""
    counted: Counter[str] = Counter()
    for facts in changes:
        folders = {_folder_at(f.path, _SHALLOWEST) for f in facts.files if f.area is Area.CORE}
        counted.update(sorted(f for f in folders if f.endswith("/")))
    for path in [one for one in counted if _holds_another(one, counted)]:
        del counted[path]
    least = 2 if len(changes) > 2 else 1
    ranked = sorted(counted.items(), key=lambda item: (-item[1], item[0]))
    return [(printable(path), n) for path, n in ranked[:most] if n >= least]


def registered(reading: ChangeContext) -> tuple[list[Clause], list[Clause]]:
    """Entries that a registry loses, with the place they moved to, and those that it gains."""
    clues = [c for c in reading.facts.clues if c.kind is ClueKind.REGISTERED]
    gone, come = (
        {c.name: c for c in clues if (c.evidence.side is Side.OLD) is old} for old in (True, False)
    )
    moved = [come[name] for name in gone if name in come]
    lost = [c for name, c in gone.items() if name not in come]
    new = [c for name, c in come.items() if name not in gone]
    return (
        [*_listed(words.LISTED, moved, reading), *_listed(words.UNLISTED, lost, reading)],
        [*_listed(words.LISTED, new, reading)],
    )


def _listed(
    phrases: tuple[Phrase, Phrase], clues: Sequence[Clue], reading: ChangeContext
) -> Iterator[Clause]:
    language = reading.language
    for table in dict.fromkeys(c.text for c in clues):
        own = [c for c in clues if c.text == table]
        named: list[Part] = [code(name) for name in dict.fromkeys(c.name for c in own)]
        names = list_in_words(named, language, limit=NAMES)
        parts = table.strip("_").split("_")
        spelled = len(parts) > 1 and table.isupper()
        told: Part = " ".join(parts).lower() if spelled else code(table)
        before = " " * spelled if language is Language.ZH else "" if spelled else "entries of "
        if phrases is words.LISTED and _FORMER.search(" ".join(parts)):
            phrases = words.DROPPED
        spans = phrases[len(named) > 1](language, names=names, table=join([before, told]))
        yield spans, [c.evidence for c in own]


_FORMER = re.compile(r"\b(?:previously supported|removed|unsupported)\b", re.IGNORECASE)
"""Names of tables of what a project had before."""
