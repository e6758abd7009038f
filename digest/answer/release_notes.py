"""Release notes: the changes between two points of history in groups, counted and cited.

Each change is in one group, the most important of its kinds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from digest.answer.answers import Seen, as_of, entry_of, people_words, window_words
from digest.answer.listing import line_of, weightiest_first
from digest.answer.upgrade_notes import UpgradeItem
from digest.core.enums import ChangeKind, Language
from digest.core.facts import Action, FactKind
from digest.core.grade import Graded
from digest.core.request import Release
from digest.document import (
    Block,
    Code,
    Document,
    Heading,
    Item,
    Link,
    Listing,
    Paragraph,
    Span,
    Spans,
    Strong,
    Text,
    plain,
)
from digest.i18n import answer_text as words
from digest.i18n.answer_text import GROUP
from digest.i18n.labels import KINDS as KIND_NAMES
from digest.question.commit_range import Span as Stretch
from digest.question.intent import Changed, More, format_intent
from digest.topics.terms import kinds_of

PEOPLE = 12
"""Contributors that are named, those with most changes; the others are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
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
) -> Document:
    """The notes as a document with ``most`` changes of each group; the others are counted.

    Each ``page``, from 1, has the next ones; a page beyond the last is the last. ``releases`` are
    the forge's data on the references, the oldest first; ``upgrade`` lists what an upgrade meets
    and comes before the groups.
    """
    page = min(page, -(-max(map(len, notes.groups.values()), default=1) // most))
    language = seen.language
    between = plain(window_words(span, language))
    title = words.NOTES.text(language, name=seen.repository.name, range=between)
    people = len(notes.people)
    blocks: list[Block] = [
        Heading(1, (Text(title),)),
        Paragraph(words.NOTES_COUNTS(language, n=notes.total, people=people)),
        *(Paragraph(_release(release, seen)) for release in releases),
        *_met(upgrade, seen),
        *_groups(notes, span, seen, most, page),
        Paragraph(
            words.CONTRIBUTORS(language, people=people_words(notes.people, language, PEOPLE))
        ),
        Paragraph(as_of(seen), aside=True),
    ]
    return Document(title=title, blocks=tuple(blocks), language=str(language))


def _release(release: Release, seen: Seen) -> Spans:
    """When a release was published, and its name if it has one of its own."""
    name = " ".join(release.name.split())
    told = f"{release.tag} ({name})" if name and name != release.tag else release.tag
    day = release.published_at.astimezone(seen.zone).date().isoformat()
    return words.PUBLISHED(seen.language, name=told, day=day)


def _met(upgrade: Sequence[UpgradeItem], seen: Seen) -> Iterator[Block]:
    """What an upgrade meets, one item each."""
    if upgrade:
        name = words.UPGRADE.text(seen.language)
        yield Paragraph((Strong(GROUP.text(seen.language, name=name, n=len(upgrade))),))
        yield Listing(tuple(Item(_thing(one, seen)) for one in upgrade))


def _thing(one: UpgradeItem, seen: Seen) -> Spans:
    repository = seen.repository
    if one.number is None:
        name, url = one.sha[:10], repository.commit_url(one.sha)
    else:
        name, url = f"#{one.number}", repository.request_url(one.number)
    return met_words(one, Link(name, url) if url else Code(name), seen.language)


def met_words(one: UpgradeItem, ref: Span, language: Language) -> Spans:
    """The change to an interface, with ``ref`` for the change that made it."""
    kind = KIND_NAMES[one.kind].text(language)
    match one.action:
        case Action.RENAMED:
            phrase = words.RENAMED
        case Action.CHANGED:
            phrase = words.REQUIRED if one.kind is FactKind.TOOLCHAIN else words.DEFAULT
        case _:
            phrase = words.GONE
    return phrase(
        language,
        kind=kind[:1].upper() + kind[1:],
        name=Code(one.name),
        before=Code(one.before),
        after=Code(one.after),
        ref=ref,
    )


def _groups(
    notes: ReleaseNotes, span: Stretch, seen: Seen, most: int, page: int
) -> Iterator[Block]:
    first = most * (page - 1)
    for kind, members in notes.groups.items():
        shown = members[first : first + most]
        if not shown:
            continue
        phrase = words.KINDS[kind] if kind else words.OTHER_KINDS
        name = phrase.text(seen.language)
        yield Paragraph((Strong(GROUP.text(seen.language, name=name, n=len(members))),))
        yield Listing(tuple(_item(change, seen) for change in shown))
        if left := len(members) - first - len(shown):
            yield Paragraph(_rest(kind, left, span, seen), aside=True)


def _item(change: Graded, seen: Seen) -> Item:
    line = line_of(change, seen.language)
    return Item(entry_of(change, seen.repository), (Item(line),) if line else ())


def _rest(kind: ChangeKind | None, number: int, span: Stretch, seen: Seen) -> Spans:
    """How many more there are, with the question that lists them.

    Changes of no kind cannot be asked for by kind: the next page has more of them.
    """
    wanted = Changed(window=span, kinds=(kind,)) if kind else More()
    return words.REST_OF_GROUP(seen.language, n=number, question=Code(format_intent(wanted)))
