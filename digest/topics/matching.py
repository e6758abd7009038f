"""From a topic in a reader's words to the changes about it, with the reason for each.

A topic is looked up as a whole phrase first, then by its parts, each with its synonyms. If the
repository has no term for it nothing is guessed: similar terms are suggested instead.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from digest.core.change import FileStatus, Side
from digest.core.enums import ChangeKind
from digest.core.facts import Action, Area, ClueKind, FileFacts
from digest.core.grade import Graded
from digest.core.patterns import lazy
from digest.frozen import frozen
from digest.topics.index_terms import LEAST, Bearing, bearings, label_bearings, subject_bearings
from digest.topics.synonyms import CHINESE, SHORTENED, is_whole, kin, terms_meant
from digest.topics.terms import (
    HAN,
    MARK,
    STOP_WORDS,
    initials,
    is_name,
    kind_term,
    label_term,
    pieces,
    stems,
    term,
)

Aliases = Mapping[str, Sequence[str]]
"""Other names of topics, lower case, with the topics that each stands for."""

NEAR = 5  # the number of similar topics to suggest
_LIKENESS = 0.75  # the lowest similarity (of 1) of a suggested topic
_OR = lazy(r" ?(?:[,，、;&/|+]|\b(?:and|or|vs|versus)\b|和|与|或者?|以及|及) ?", re.IGNORECASE)
_ASCII_RUN = lazy(r"[^\s㐀-䶿一-鿿]+")


@frozen
class Resolved:
    """A topic as index terms."""

    # Of which one is enough: of every set of terms, one.
    alternatives: tuple[tuple[frozenset[str], ...], ...] = ()
    topics: tuple[str, ...] = ()  # terms to look up: every match has one of them
    near: tuple[str, ...] = ()  # similar known terms, if nothing was found


def resolve(text: str, vocabulary: Mapping[str, int], aliases: Aliases) -> Resolved:
    """Look a topic up in the repository's terms, which come with their numbers of changes."""
    names = _renamed(aliases)
    whole = _known(term(text), vocabulary, names)
    parts = [text] if whole else _OR.split(text)
    ways = [way for part in parts for way in _ways(part, vocabulary, names)]
    if not ways:
        return Resolved(near=near_topics(text, vocabulary))
    rarest = (min(sets, key=lambda s: sum(vocabulary[t] for t in s)) for sets in ways)
    topics = frozenset().union(*rarest)
    return Resolved(alternatives=tuple(dict.fromkeys(ways)), topics=tuple(sorted(topics)))


_KIND_NAMES = {
    # Not its synonyms, nor the word alone: a title with "incompatible" or "breaking" is as often
    # about what was fixed or refused as about what is done.
    ChangeKind.BREAKING: frozenset({term("breaking change"), label_term("breaking")}),
    ChangeKind.DEPRECATIONS: kin("deprecate"),
    ChangeKind.REVERTS: kin("revert"),
    ChangeKind.DEPENDENCIES: kin("dependency"),
}
"""Topics that mean the same as a kind."""


def named_in(text: str) -> list[str]:
    """The topics that a text joins: *rocm vs tpu*, *A and B*."""
    return [part for part in _OR.split(text) if part]


def restrict(resolved: Resolved, kinds: Sequence[ChangeKind], label: str) -> Resolved:
    """A topic, or none, limited to changes of one of the kinds and with the label."""
    extra: list[frozenset[str]] = []
    if kinds:
        names = {kind_term(kind) for kind in kinds}
        names = names.union(*(_KIND_NAMES.get(kind, ()) for kind in kinds))
        extra.append(frozenset(names))
    if label:
        extra.append(frozenset({label_term(label)}))
    if not extra:
        return resolved
    ways = resolved.alternatives or ((),)
    return Resolved(
        alternatives=tuple((*way, *extra) for way in ways),
        topics=resolved.topics or tuple(sorted(extra[-1])),
        near=resolved.near,
    )


def candidates(text: str, aliases: Aliases) -> frozenset[str]:
    """Every term that :func:`resolve` may look for, except similar ones."""
    names = _renamed(aliases)
    parts = [p for some in _OR.split(text) for p in (term(some), *_parts(some, names))]
    wanted = {term(text), term(text.lower()), *parts, *_pairs(text)}
    wanted |= {*map(initials, _OR.split(text)), *(bare for part in wanted for bare in stems(part))}
    wanted |= {SHORTENED[part] for part in _pairs(text) if part in SHORTENED}
    wanted = wanted.union(*(names.get(w, frozenset()) for w in wanted))
    return frozenset(k for m in wanted if m for k in terms_meant(m))


def _ways(
    text: str, vocabulary: Mapping[str, int], names: Mapping[str, frozenset[str]]
) -> Iterator[tuple[frozenset[str], ...]]:
    """The alternatives for one name: as a phrase, by its words, and by its adjacent words."""
    whole = _known(term(text), vocabulary, names) | _known(term(text.lower()), vocabulary, names)
    whole |= {initials(text)} & vocabulary.keys()
    if whole:
        yield (whole,)
    # Separate words are tried separately too, but a name with synonyms is not two words.
    apart = [_known(part, vocabulary, names) for part in _parts(text, names)]
    if apart and all(apart) and not (whole and (len(apart) == 1 or is_whole(term(text)))):
        yield tuple(dict.fromkeys(apart))
    pairs = [
        _known(part, vocabulary, names) | _known(SHORTENED.get(part, part), vocabulary, names)
        for part in _pairs(text)
    ]
    if len(pairs) > 1 and all(pairs):
        yield tuple(dict.fromkeys(pairs))


def _pairs(text: str) -> tuple[str, ...]:
    """The parts of a topic, adjacent ones joined if they have synonyms; empty if none do."""
    words = [p for p in pieces(text) if is_name(p, STOP_WORDS)]
    parts: list[str] = []
    joined = False
    for word in words:
        if parts and len(terms_meant(parts[-1] + word)) > 1:
            parts[-1] += word
            joined = True
        else:
            parts.append(word)
    return tuple(parts) if joined else ()


def _known(
    name: str, vocabulary: Mapping[str, int], names: Mapping[str, frozenset[str]]
) -> frozenset[str]:
    """The repository's terms for a term; for an unknown one, those of its stem."""
    asked = names.get(name, frozenset()) | {name}
    known = frozenset(k for m in asked for k in terms_meant(m) if k in vocabulary)
    return known or frozenset(k for m in stems(name) for k in terms_meant(m) if k in vocabulary)


def _renamed(aliases: Aliases) -> dict[str, frozenset[str]]:
    return {term(name): frozenset(term(t) for t in topics) for name, topics in aliases.items()}


def _parts(text: str, names: Mapping[str, frozenset[str]]) -> Iterator[str]:
    for run in _ASCII_RUN.findall(text):
        if term(run) in names:
            yield term(run)
            continue
        if inside := _NAMESPACED.fullmatch(run):
            yield term(inside[1])
            continue
        yield from (p for p in pieces(run) if is_name(p, STOP_WORDS))
    for run in HAN.findall(text):
        yield from _chinese_parts(run, (*(n for n in names if HAN.fullmatch(n)), *CHINESE))


_NAMESPACED = lazy(r"(?:\w+(?:/|::))+([A-Z]\w*[a-z][A-Z]\w*)", re.ASCII)
"""A name of the code with its namespace: the words in it do not stand for it one by one."""


def topic_parts(text: str) -> list[str]:
    """The parts of a topic that have a meaning alone: its words, and names of several words."""
    words = [word for word in text.split() if term(word) not in STOP_WORDS]
    parts: list[str] = []
    while words:
        longest = min(len(words), _NAME_WORDS)
        sizes = range(longest, 1, -1)
        size = next((n for n in sizes if len(kin(term(" ".join(words[:n])))) > 1), 1)
        parts.append(" ".join(words[:size]))
        words = words[size:]
    return parts


_NAME_WORDS = 3  # words of a name with synonyms, at most


def topic_words(text: str) -> list[str]:
    """The words of a topic without *and*, Chinese ones split at the known names."""
    words: list[str] = []
    for part in _SCRIPTS.sub(" ", text).split():
        words += _chinese_parts(part, CHINESE) if HAN.fullmatch(part) else [part]
    return [word for word in words if word.lower() not in {"and", "or"}]


_SCRIPTS = lazy(r"(?<=[A-Za-z\d])(?=[\u4e00-\u9fff])|(?<=[\u4e00-\u9fff])(?=[A-Za-z\d])")


def _chinese_parts(run: str, known: Sequence[str]) -> Iterator[str]:
    """Known names in a run, from the left and the longest first, and what is between them."""
    rest, between = run.replace("的", ""), ""
    while rest:
        name = max((k for k in known if rest.startswith(k)), key=len, default="")
        if name and between:
            yield between
            between = ""
        if name:
            yield name
        else:
            between += rest[0]
        rest = rest[len(name) or 1 :]
    if between:
        yield between


def is_general(text: str) -> bool:
    """Whether a topic is a general one of software, known whatever a repository contains."""
    return len(kin(term(text))) > 1


def sought(text: str) -> tuple[str, ...]:
    """What similar topics are compared with: the text as one term, and every part of it."""
    return tuple(p for p in dict.fromkeys([term(text), *pieces(text)]) if len(p) > 1)


def near_topics(text: str, vocabulary: Mapping[str, int]) -> tuple[str, ...]:
    """Known terms similar to the text or to a part of it, the most similar first."""
    likest: dict[str, float] = {}
    names = [known for known in vocabulary if MARK not in known]
    for part in sought(text):
        matcher = SequenceMatcher(None, "", part, autojunk=False)
        for known in names:
            likeness = _likeness(part, known, matcher)
            if likeness > likest.get(known, _LIKENESS):
                likest[known] = likeness
    return tuple(sorted(likest, key=lambda k: (-likest[k], -vocabulary[k], k))[:NEAR])


def numbered(text: str, vocabulary: Mapping[str, int]) -> Resolved | None:
    """The documents of a series that a plural stands for: *RFCs* for ``rfc12`` and ``rfc345``."""
    prefix = term(text) if _ABBREVIATIONS.fullmatch(text) else ""
    known = frozenset(k for k in vocabulary if prefix and k.removeprefix(prefix).isdecimal())
    return Resolved(alternatives=((known,),), topics=tuple(sorted(known))) if known else None


_ABBREVIATIONS = lazy(r"[A-Z]{2,5}s")


def _likeness(part: str, known: str, matcher: SequenceMatcher[str]) -> float:
    """A name that contains the other is similar; otherwise difflib's ratio, at similar lengths.

    The matcher has indexed the part: that is done once for all known names.
    """
    short, long = sorted((part, known), key=len)
    if len(short) > (2 if short == part else 3) and short in long:
        return 0.75 + 0.2 * len(short) / len(long)
    if len(long) > 1.5 * len(short) or not set(short[:2]) & set(long[:3]):
        return 0.0
    matcher.set_seq1(known)
    if matcher.real_quick_ratio() < _LIKENESS or matcher.quick_ratio() < _LIKENESS:
        return 0.0
    return matcher.ratio()


def bears(graded: Graded, resolved: Resolved, labels: Sequence[str] = ()) -> tuple[Bearing, ...]:
    """Why a change is about a topic: the strongest bearing for every set that it meets.

    Empty if it is not: every set of one alternative must be met with ``LEAST`` strength. ``labels``
    are those from the forge; they count if the change's own words do not suffice.
    """
    asked = frozenset().union(*(terms for sets in resolved.alternatives for terms in sets))
    # Nothing is stronger than the subject: if it contains all, the rest need not be read.
    said = _best(subject_bearings(graded, asked), resolved)
    if said:
        return said
    own = {
        name: bearing
        for name, bearing in bearings(graded, asked).items()
        if bearing.strength >= LEAST
    }
    return _best({**label_bearings(labels, asked), **own}, resolved)


def _best(held: Mapping[str, Bearing], resolved: Resolved) -> tuple[Bearing, ...]:
    """The strongest bearings that meet one alternative, of the first among equals."""
    best: tuple[Bearing, ...] = ()
    for sets in resolved.alternatives:
        row = tuple(b for b in (_strongest(held, terms) for terms in sets) if b is not None)
        if len(row) == len(sets) and _strength(row) > _strength(best):
            best = row
    return tuple(dict.fromkeys(best))


def _strongest(held: Mapping[str, Bearing], terms: frozenset[str]) -> Bearing | None:
    borne = [held[t] for t in sorted(terms) if t in held and held[t].strength >= LEAST]
    return max(borne, key=lambda b: b.strength, default=None)


def _strength(row: Sequence[Bearing]) -> float:
    return min((b.strength for b in row), default=0.0)


_TITLE_TAG = lazy(r"\[([^\]\[]{1,60})\]")


def things_named(
    changes: Iterable[Graded], terms: Collection[str], action: Action
) -> tuple[dict[str, Sequence[str]], bool]:
    """By the SHA of a change, the topic's things that it adds or removes.

    They are keys of a registry (``True``), or if there are none the files of a folder.
    """
    came = action is Action.ADDED
    status, side = (FileStatus.ADDED, Side.NEW) if came else (FileStatus.DELETED, Side.OLD)
    found = {g.sha: names for g in changes if (names := _keys_of(g, terms, side))}
    if found:
        return found, True
    return {g.sha: names for g in changes if (names := files_of(g, terms, status))}, False


def _keys_of(graded: Graded, terms: Collection[str], side: Side) -> Sequence[str]:
    """Keys on one side of the tables of a registry that is called, or lies in a folder called, so.

    A key on both sides went from one table to another, but not into one of what is gone.
    """
    here, there = set[str](), set[str]()
    for clue in graded.facts.clues:
        if clue.kind is ClueKind.REGISTERED and not _FORMER.intersection(pieces(clue.text)):
            folders = [term(folder) for folder in clue.evidence.path.split("/")[:-1]]
            if any(name in terms for name in (*pieces(clue.text), *folders[-2:])):
                (here if clue.evidence.side is side else there).add(clue.name)
    return sorted(here - there)


_FORMER = frozenset({"previously", "removed", "unsupported"})


def files_of(graded: Graded, terms: Collection[str], status: FileStatus) -> Sequence[str]:
    """The program files that a change adds to or removes from a folder with one of these names."""
    moved = [_stem(f) for f in graded.facts.files if f.status not in {status, FileStatus.MODIFIED}]
    names = [_stem(f) for f in _inside(graded, terms) if f.status is status]
    return [name for name in names if name not in moved and not name.startswith("_")]


def _inside(graded: Graded, terms: Collection[str]) -> Iterator[FileFacts]:
    """The program files in a folder with one of these names."""
    for file in graded.facts.files:
        folders = file.path.split("/")[:-1]
        if file.area is Area.CORE and any(term(f) in terms for f in folders[-2:]):
            yield file


def _stem(file: FileFacts) -> str:
    return file.path.rpartition("/")[2].partition(".")[0]


def is_listed(graded: Graded, terms: Collection[str]) -> bool:
    """Whether a change has the topic as its tag, or changes the registry of the topic's things."""
    if any(term(tag) in terms for tag in _TITLE_TAG.findall(graded.title[:300])):
        return True
    return any(_stem(file) == "registry" for file in _inside(graded, terms))
