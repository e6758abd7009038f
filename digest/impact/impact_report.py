"""Changes that affect a profile, as a document: possible breakage first, with evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from digest.analysis.wording import kind_of, name_with_values
from digest.answer.answers import Seen, as_of, because, entry_of, foot
from digest.answer.listing import PAGE, first_of
from digest.core.change import FileStatus, printable
from digest.core.enums import Alerts, Effect, Language
from digest.core.facts import Action, Fact, FactKind
from digest.core.grade import Graded
from digest.core.profile import ALL_LINES, EntryKind, PatchedFile, Profile
from digest.document import Block, Code, Document, Heading, Item, Listing, Paragraph, Spans, Strong
from digest.document import Text as Words
from digest.frozen import frozen
from digest.i18n import chat_text as words
from digest.i18n.phrase import Part, between, join, list_in_words
from digest.i18n.statement_text import SEPARATOR
from digest.impact.impact_rules import Hit
from digest.report.blocks import Citations, name_link
from digest.window import Window

_PARAMETERS = 4  # parameters of a signature that are named
_HITS = 4  # lines of evidence that are shown of a change
_ENTRIES = 100  # entries of a kind of a profile
_FILES = 25  # files that a fork changes too
_NAMED = 5  # changes of such a file
_RUNS = 3  # runs of its lines


@frozen
class Affecting:
    """A change that affects a profile, with its hits, the most severe first."""

    graded: Graded
    hits: tuple[Hit, ...]

    @property
    def effect(self) -> Effect:
        """The most severe effect of its hits."""
        return self.hits[0].effect


def hardest_first(changes: Sequence[Affecting]) -> list[Affecting]:
    """Possible breakage before the rest; within each the higher grade, then the newer first."""
    newest = sorted(
        changes, key=lambda a: (a.graded.commit.committed_at, a.graded.sha), reverse=True
    )
    return sorted(newest, key=lambda a: (a.effect, -a.graded.grade.score))


def affected_document(
    changes: Sequence[Affecting],
    page: int,
    window: Window | None,
    seen: Seen,
    patched: Sequence[PatchedFile] = (),
) -> Document:
    """A page of affecting changes, which are given the most severe first.

    The first page begins with the files that a fork changes too.
    """
    language = seen.language
    broken = sum(affecting.effect is Effect.MAY_BREAK for affecting in changes)
    head = affected_title(broken, len(changes) - broken, language)
    first = first_of(page, len(changes))
    shown = changes[first : first + PAGE]
    blocks: list[Block] = [Heading(1, (Words(head),))]
    if not first:
        blocks += patched_blocks(patched, seen)
    for effect in Effect:
        items = tuple(item_of(affecting, seen) for affecting in shown if affecting.effect is effect)
        if items:
            blocks.append(Paragraph((Strong(words.EFFECTS[effect].template(language)),)))
            blocks.append(Listing(items))
    counted = words.SHOWN.text(
        language, first=first + 1, last=first + len(shown), total=len(changes)
    )
    blocks.append(Paragraph(foot(window, seen, counted), aside=True))
    return Document(title=head, blocks=tuple(blocks), language=str(language))


def affected_title(broken: int, touched: int, language: Language) -> str:
    """How many changes may break what somebody uses, and how many only touch it."""
    phrase = words.AFFECTED if broken and touched else words.ONLY_BROKEN
    if not broken:
        phrase = words.ONLY_TOUCHED
    return phrase.text(language, broken=broken, touched=touched)


def item_of(affecting: Affecting, seen: Seen) -> Item:
    """A change, and below it what it has in common with the profile, with the places."""
    graded = affecting.graded
    return Item(entry_of(graded, seen.repository), tuple(_evidence(affecting, seen)))


def _evidence(affecting: Affecting, seen: Seen) -> Iterator[Item]:
    places = Citations(affecting.graded, seen.repository, seen.language)
    for hit in affecting.hits[:_HITS]:
        yield Item(places.behind(hit_in_words(hit, seen.language), [hit.evidence]))
    more = len(affecting.hits) - _HITS
    if more > 0:
        yield Item(words.MORE_HITS(seen.language, n=more))


def hit_in_words(hit: Hit, language: Language) -> Spans:
    """A hit in words."""
    if hit.fact is not None:
        return _fact_said(hit, language)
    if hit.entry.kind is EntryKind.PATCH:
        beside = hit.effect is Effect.TOUCHES
        phrase = words.FILE_BESIDE if beside else words.FILE_PATCHED
        return phrase(language, path=Code(hit.entry.name))
    if hit.entry.kind is EntryKind.AUTHOR:
        return words.AUTHORED(language, name=hit.entry.name)
    if hit.file is not None:
        phrase = {
            FileStatus.DELETED: words.FILE_DELETED,
            FileStatus.RENAMED: words.FILE_RENAMED,
            FileStatus.ADDED: words.FILE_ADDED,
        }.get(hit.file.status, words.FILE_CHANGED)
        return phrase(language, path=Code(hit.file.path), old=Code(hit.file.old_path or ""))
    return words.PROFILE_ABOUT(
        language, entry=Code(hit.entry.name), why=because(hit.bearings, language)
    )


def patched_blocks(patched: Sequence[PatchedFile], seen: Seen) -> Iterator[Block]:
    """Files that a fork changes too, those with a conflict first, with the changes behind it."""
    if not patched:
        return
    language = seen.language
    yield Paragraph((Strong(words.PATCHED_FILES.text(language, n=len(patched))),))
    yield Listing(tuple(Item(_patched_in_words(one, seen)) for one in patched[:_FILES]))
    if len(patched) > _FILES:
        yield Paragraph(words.MORE_FILES(language, n=len(patched) - _FILES))


def _patched_in_words(one: PatchedFile, seen: Seen) -> Spans:
    language = seen.language
    file: Spans = (Code(printable(one.entry.name)),)
    if one.file.status is FileStatus.RENAMED:
        new = Code(printable(one.file.path))
        file = words.FILE_NOW(language, path=file, new=new)
    if one.file.status is FileStatus.DELETED:
        told = words.REMOVED_FILE(language)
    elif one.conflict is None:
        told = words.UNKNOWN_LINES(language)
    elif one.conflict:
        told = words.SAME_LINES(language, lines=_runs_in_words(one.lines, language))
    else:
        told = (words.OTHER_LINES if one.file.hunks else words.AS_BEFORE)(language)
    named = [name_link(graded, seen.repository) for graded in one.changes]
    changes = list_in_words(named, language, limit=_NAMED)
    return words.PATCHED(language, file=file, told=told, changes=changes)


def _runs_in_words(runs: Sequence[tuple[int, int]], language: Language) -> Spans:
    if ALL_LINES in runs:
        return words.ALL_LINES(language)
    told = [f"{first}–{last}" if last > first else str(first) for first, last in runs]
    return list_in_words(told, language, limit=_RUNS)


_DONE = {
    Action.ADDED: words.ADDED,
    Action.REMOVED: words.PROFILE_REMOVED,
    Action.RENAMED: words.RENAMED,
    Action.CHANGED: words.CHANGED,
}


def _signature_said(fact: Fact, language: Language) -> Spans:
    """What happened to a callable's parameters; empty if unknown."""
    if fact.kind is not FactKind.SYMBOL or fact.action is not Action.CHANGED:
        return ()
    from digest.analysis.signatures import differences  # most questions meet no signature

    changed = differences(fact.before, fact.after)
    optional = tuple(parameter for parameter in changed.added if parameter not in changed.required)
    told = [
        phrase(language, names=list_in_words([Code(n) for n in names], language, limit=_PARAMETERS))
        for phrase, names in (
            (words.NEEDS, changed.required),
            (words.LOST, changed.lost),
            (words.TAKES, optional),
        )
        if names
    ]
    if not told:
        return ()
    told_in_words = between(told, SEPARATOR.template(language))
    return words.SIGNATURE(language, name=Code(fact.name), told=told_in_words)


def _fact_said(hit: Hit, language: Language) -> Spans:
    assert hit.fact is not None
    if signature := _signature_said(hit.fact, language):
        return signature
    kind, named = kind_of([hit.fact], language), name_with_values(hit.fact, language)
    phrase = words.DEPRECATED if hit.fact.kind is FactKind.DEPRECATION else _DONE[hit.fact.action]
    return phrase(language, kind=kind, named=named)


def profile_document(profile: Profile, seen: Seen, *, alerts: Alerts) -> Document:
    """The entries of a profile, by kind."""
    language = seen.language
    name = seen.repository.name
    title = words.PROFILE.text(language, repository=name, n=len(profile.entries))
    blocks: list[Block] = [Heading(1, (Words(title),))]
    rows = [
        Item(
            join(
                [
                    (Strong(words.KINDS[kind].template(language)),),
                    ": " if language is Language.EN else "：",
                    between(_named(profile.of(kind), language), ", "),
                ]
            )
        )
        for kind in EntryKind
        if profile.of(kind)
    ]
    blocks.append(Listing(tuple(rows)) if rows else Paragraph(words.EMPTY(language)))
    alerted = words.ALERTS[alerts]
    if alerts is Alerts.BREAKING and profile.of(EntryKind.AUTHOR):
        alerted = words.ALERTS_AUTHORS
    blocks += [
        Paragraph(alerted(language)),
        Paragraph(words.HOW(language), aside=True),
    ]
    return Document(title=title, blocks=tuple(blocks), language=str(language))


def _named(names: Sequence[str], language: Language) -> list[Part]:
    """The first names of a kind, and how many more there are."""
    more = len(names) - _ENTRIES
    counted = [words.MORE_ENTRIES(language, n=more)] if more > 0 else []
    return [*(Code(printable(name)) for name in names[:_ENTRIES]), *counted]


def alert_document(changes: Sequence[Affecting], seen: Seen) -> Document:
    """Changes merged just now that affect what somebody uses."""
    language = seen.language
    breaks = all(affecting.effect is Effect.MAY_BREAK for affecting in changes)
    phrase = words.ALERT if breaks else words.ALERT_TOUCHED
    title = phrase.text(language, n=len(changes), repository=seen.repository.name)
    items = tuple(item_of(affecting, seen) for affecting in changes[:PAGE])
    blocks: list[Block] = [Paragraph((Strong(title),)), Listing(items)]
    if more := len(changes) - len(items):
        blocks.append(Paragraph(words.MORE_CHANGES(language, n=more)))
    blocks.append(Paragraph(as_of(seen), aside=True))
    return Document(title=title, blocks=tuple(blocks), language=str(language))
