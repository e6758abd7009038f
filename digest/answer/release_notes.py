"""What changed between two points of history: release notes and upgrade notes.

In release notes each change is in one group, the most important of its kinds. Upgrade notes cover
interfaces that were removed, renamed or given another default; of several steps, the first and the
last count.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from digest import document as doc
from digest.analysis.context import owner_of, read, without_dashes
from digest.answer.answers import Seen, as_of, entry_of, people_words, window_words
from digest.answer.listing import line_of, weightiest_first
from digest.core.enums import ChangeKind, Language
from digest.core.facts import Action, Evidence, Fact, FactKind
from digest.core.grade import Graded
from digest.core.request import Release
from digest.frozen import frozen
from digest.i18n import answer_text as words
from digest.i18n.answer_text import GROUP
from digest.i18n.statement_text import KINDS as KIND_NAMES
from digest.question.commit_range import Span as Stretch
from digest.question.intent import Changed, More
from digest.question.questions import format_intent
from digest.topics.terms import kinds_of

KINDS = (
    FactKind.FLAG,
    FactKind.ENVIRONMENT,
    FactKind.CONFIG,
    FactKind.ROUTE,
    FactKind.METRIC,
    FactKind.TOOLCHAIN,
)
"""What people name in scripts, deployments and requests, in the order of output."""

_ORDER = (Action.REMOVED, Action.RENAMED, Action.CHANGED)


@frozen
class UpgradeItem:
    """One upgrade note."""

    kind: FactKind
    action: Action
    name: str  # the old one
    before: str  # as written
    after: str  # as written; for a renamed thing its new name
    sha: str  # of the last change responsible, as ``number``
    number: int | None
    evidence: Evidence  # its proof


def met(changes: Sequence[Graded]) -> tuple[UpgradeItem, ...]:
    """What an upgrade past ``changes`` (newest first) meets: removals, renames, new defaults."""
    steps: dict[tuple[FactKind, str], list[tuple[Graded, Fact]]] = {}
    for change in reversed(changes):
        for fact in _told(change):
            # A renamed thing is listed under its old name, which the reader knows.
            name = fact.before if fact.action is Action.RENAMED and fact.before else fact.name
            steps.setdefault((fact.kind, name), []).append((change, fact))
    items = [item for (_, name), taken in steps.items() if (item := _net(name, taken))]
    flags = {(m.action, without_dashes(m.name)) for m in items if m.kind is FactKind.FLAG}
    return tuple(
        sorted(
            # The setting behind a flag would be the same thing listed twice.
            (m for m in items if m.kind is not FactKind.CONFIG or _key(m) not in flags),
            key=lambda m: (_ORDER.index(m.action), KINDS.index(m.kind), m.name),
        )
    )


def _key(item: UpgradeItem) -> tuple[Action, str]:
    return item.action, without_dashes(owner_of(item.name)[1])


def _told(change: Graded) -> Iterator[Fact]:
    for fact in read(change, Language.EN).contracts:
        if fact.kind in KINDS and (fact.action is not Action.CHANGED or _is_value(fact)):
            inner = fact.kind is FactKind.TOOLCHAIN and _OWN_TOOLS.search(fact.evidence.path)
            if not inner and not _OF_TESTS.search(fact.name):
                yield fact


_OWN_TOOLS = re.compile(
    r"^\.github/|(?:^|/)(?:rust-toolchain|\.[\w-]+-version|[^/]*dockerfile)[^/]*$", re.IGNORECASE
)
"""Files that name what the project itself is built and tested with, not what it requires."""

_OF_TESTS = re.compile(r"(?:^|_)(?:TESTS?|INTERNAL)_")
"""Variables that only tests and the program itself set."""


def _is_value(fact: Fact) -> bool:
    """Whether the value that applies by default changed; a changed type alone breaks few."""
    return fact.detail == "default" or fact.kind is FactKind.TOOLCHAIN


def _net(name: str, taken: Sequence[tuple[Graded, Fact]]) -> UpgradeItem | None:
    """The net effect of several steps; ``None`` if the end equals the start."""
    first, (change, last) = taken[0][1], taken[-1]
    if Action.ADDED in {first.action, last.action}:
        return None  # it was not there before, or is there again
    if last.action is Action.CHANGED:
        before = (first if first.action is Action.CHANGED else last).before or ""
        after = last.after or ""
        if not _differ(last.kind, before, after):
            return None
    elif last.kind is FactKind.TOOLCHAIN:
        return None  # a file that named it was removed: the requirement is elsewhere, or nowhere
    else:
        renamed = last.action is Action.RENAMED
        # If the old default was no literal, what stood for it means nothing any more.
        value = last.before if _LITERAL.fullmatch(last.before or "") else ""
        before, after = ("", last.name) if renamed else (value or "", "")
    return UpgradeItem(
        kind=last.kind,
        action=last.action,
        name=name,
        before=before,
        after=after,
        sha=change.sha,
        number=change.number,
        evidence=last.evidence,
    )


_LITERAL = re.compile(
    r"[-+]?\d[\w.]*|[Tt]rue|[Ff]alse|[Oo]n|[Oo]ff|ON|OFF|None|null|nil|\"[^\"]*\"|'[^']*'|\[\]|\{\}"
    r"|\(\)|\d{1,9}(?: (?:\*|<<) \d{1,9}){1,3}",
    re.ASCII,
)


def _differ(kind: FactKind, before: str, after: str) -> bool:
    """Whether two values are known to differ: a name or a call may mean the same as before."""
    if kind is FactKind.TOOLCHAIN:
        return bool(before and after) and before != after
    known = _LITERAL.fullmatch(before) and _LITERAL.fullmatch(after)
    return bool(known) and _bare(before) != _bare(after)


def _bare(value: str) -> str:
    """A value in one spelling: with one kind of quotes, and a product as its number."""
    first, *rest = re.split(r" (\*|<<) ", value.replace("'", '"').lower())
    if not rest:
        return re.sub(r"(?<=\d)_(?=\d)", "", first)
    number = int(first)
    for sign, other in zip(rest[::2], rest[1::2], strict=True):
        number *= int(other) if sign == "*" else 1 << min(int(other), 99)
    return str(number)


PEOPLE = 12  # contributors that are named, those with most changes; the others are counted


@frozen
class ReleaseNotes:
    """Changes in groups; ``None`` is the group of changes without a listed kind."""

    groups: Mapping[ChangeKind | None, Sequence[Graded]]
    people: Mapping[str, int]
    total: int


def notes_of(changes: Sequence[Graded]) -> ReleaseNotes:
    """The notes of changes in any order, the most important of each group first."""
    groups: dict[ChangeKind | None, list[Graded]] = {kind: [] for kind in (*ChangeKind, None)}
    for change in weightiest_first(changes):
        kinds = kinds_of(change)
        groups[next((kind for kind in ChangeKind if kind in kinds), None)].append(change)
    people = Counter(
        name
        for change in changes
        for name in {" ".join(change.commit.author.split()), *change.facts.co_authors}
    )
    return ReleaseNotes(
        groups={kind: members for kind, members in groups.items() if members},
        people=people,
        total=len(changes),
    )


def notes_document(
    notes: ReleaseNotes,
    span: Stretch,
    seen: Seen,
    most: int,
    *,
    page: int = 1,
    releases: Sequence[Release] = (),
    upgrade: Sequence[UpgradeItem] = (),
) -> doc.Document:
    """The notes as a document with ``most`` changes of each group; the others are counted.

    Each ``page``, from 1, has the next ones; a page beyond the last is the last. ``releases`` are
    the forge's data on the references, the oldest first; ``upgrade`` lists the upgrade notes, which
    come before the groups.
    """
    page = min(page, -(-max(map(len, notes.groups.values()), default=1) // most))
    language = seen.language
    between = doc.plain(window_words(span, language))
    title = words.NOTES.text(language, name=seen.repository.name, range=between)
    people = len(notes.people)
    blocks: list[doc.Block] = [
        doc.Heading(1, (doc.Text(title),)),
        doc.Paragraph(words.NOTES_COUNTS(language, n=notes.total, people=people)),
        *(doc.Paragraph(_release(release, seen)) for release in releases),
        *upgrade_blocks(upgrade, seen),
        *_groups(notes, span, seen, most, page),
        doc.Paragraph(
            words.CONTRIBUTORS(
                language, people=people_words(notes.people, seen.repository, language, PEOPLE)
            )
        ),
        doc.Paragraph(as_of(seen), aside=True),
    ]
    return doc.Document(title=title, blocks=tuple(blocks), language=str(language))


def _release(release: Release, seen: Seen) -> doc.Spans:
    """When a release was published, and its name if it has one of its own."""
    name = " ".join(release.name.split())
    title = f"{release.tag} ({name})" if name and name != release.tag else release.tag
    day = release.published_at.astimezone(seen.zone).date().isoformat()
    return words.PUBLISHED(seen.language, name=title, day=day)


def upgrade_blocks(upgrade: Sequence[UpgradeItem], seen: Seen) -> Iterator[doc.Block]:
    """What an upgrade meets, one item each."""
    if upgrade:
        name = words.UPGRADE.text(seen.language)
        yield doc.Paragraph((doc.Strong(GROUP.text(seen.language, name=name, n=len(upgrade))),))
        yield doc.Listing(tuple(doc.Item(_thing(item, seen)) for item in upgrade))


def _thing(item: UpgradeItem, seen: Seen) -> doc.Spans:
    repository = seen.repository
    if item.number is None:
        name, url = item.sha[:10], repository.commit_url(item.sha)
    else:
        name, url = repository.request_name(item.number), repository.request_url(item.number)
    return met_words(item, doc.Link(name, url) if url else doc.Code(name), seen.language)


def met_words(item: UpgradeItem, ref: doc.Span, language: Language) -> doc.Spans:
    """The change to an interface, with ``ref`` for the change that made it."""
    kind = KIND_NAMES[item.kind].text(language)
    match item.action:
        case Action.RENAMED:
            phrase = words.RENAMED
        case Action.CHANGED:
            phrase = words.REQUIRED if item.kind is FactKind.TOOLCHAIN else words.DEFAULT
        case _:
            phrase = words.GONE
    return phrase(
        language,
        kind=kind[:1].upper() + kind[1:],
        name=doc.Code(item.name),
        before=doc.Code(item.before),
        after=doc.Code(item.after),
        ref=ref,
    )


def _groups(
    notes: ReleaseNotes, span: Stretch, seen: Seen, most: int, page: int
) -> Iterator[doc.Block]:
    first = most * (page - 1)
    for kind, members in notes.groups.items():
        shown = members[first : first + most]
        if not shown:
            continue
        phrase = words.KINDS[kind] if kind else words.OTHER_KINDS
        name = phrase.text(seen.language)
        yield doc.Paragraph((doc.Strong(GROUP.text(seen.language, name=name, n=len(members))),))
        yield doc.Listing(tuple(_item(change, seen) for change in shown))
        if left := len(members) - first - len(shown):
            yield doc.Paragraph(_rest(kind, left, span, seen), aside=True)


def _item(change: Graded, seen: Seen) -> doc.Item:
    line = line_of(change, seen.language)
    return doc.Item(entry_of(change, seen.repository), (doc.Item(line),) if line else ())


def _rest(kind: ChangeKind | None, number: int, span: Stretch, seen: Seen) -> doc.Spans:
    """How many more there are, with the question that lists them, or the next page."""
    wanted = Changed(window=span, kinds=(kind,)) if kind else More()
    return words.REST_OF_GROUP(seen.language, n=number, question=doc.Code(format_intent(wanted)))
