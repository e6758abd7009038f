"""What a release or an upgrade brings: removed interfaces, and the project's own changelog."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import cast

from digest.answer.answers import (
    Answer,
    AnswerRow,
    foot,
    graded_because,
    lines_document,
    listing_document,
)
from digest.answer.release_notes import UpgradeItem, met, upgrade_blocks
from digest.core.authors import code_as_spans
from digest.core.change import FileChange, FileStatus, Side, printable
from digest.core.enums import ChangeKind, Language
from digest.core.facts import Action, Area, Note
from digest.core.grade import Graded
from digest.core.patterns import lazy
from digest.core.profile import EntryKind, PatchedFile, Profile
from digest.core.release import version_number
from digest.document import (
    Block,
    Code,
    Document,
    Heading,
    Item,
    Listing,
    Paragraph,
    Spans,
    Strong,
    Text,
    plain,
)
from digest.frozen import frozen
from digest.i18n import answer_text as words
from digest.i18n.answer_text import ANNOUNCED_IN, GROUP
from digest.i18n.phrase import Phrase, join
from digest.impact.impact_report import patched_blocks
from digest.impact.impact_rules import touching
from digest.question.commit_range import Refs
from digest.question.intent import Changed, Intent, is_everything
from digest.question.questions import QUESTIONS
from digest.report.blocks import title_link
from digest.topics.matching import Resolved
from digest.topics.synonyms import kin
from digest.topics.terms import MARK, joins, kinds_of, pieces, roots, term
from digest.window import Window
from handlers.context import Context
from handlers.digests.ingest import ensure, tip_of
from handlers.ports.storage import Range, Tip
from handlers.questions.list_reading import Meant, listed_result, selected
from handlers.questions.named_history import OPEN
from handlers.questions.scope import Reach, commit_of, profile_here, range_of, viewpoint

_SAVED = 3  # if this many files still have a removed name, it still exists
_WARNING = frozenset({"breaking", "removed", "deprecated"})


def _warns(_heading: str, note: Note) -> bool:
    return note.mark in _WARNING or _WARNS.search(note.text) is not None


_WARNS = lazy(
    r"(?i)^(?:\[CHANGE\]|\W*(?:breaking|drop(?:s|ped)?|remov\w+ (?:\w+ ){0,2}support)\b)"
    r"|\b(?:drop(?:s|ped)|remove[sd]) support\b"
)

_MOST = 25  # the most lines of each group
_FILES = 8  # the most changelogs to read, those nearest to the root first
LINK = lazy(r"\[([^\]]{1,200})\]\([^)\s]{1,300}\)")
REQUEST = lazy(r"#(\d{1,9})\b")
_ADVISED = r"^\W*security|\bCVE-\d|\bGHSA-"
_OF_KIND = {
    ChangeKind.BREAKING: lazy(r"^\W*(?:breaking|change\b)", re.IGNORECASE),
    ChangeKind.SECURITY: lazy(
        rf"{_ADVISED}|\bredact|\bvulnerab|\bXSS\b"
        r"|\b(?:leak|expos)\w{0,4}\b[^.]{0,60}\b(?:secret|credential|token|password)"
        r"|\b(?:secret|credential|token|password)s?\b[^.]{0,60}\b(?:leak|expos)",
        re.IGNORECASE,
    ),
    ChangeKind.DEPRECATIONS: lazy(r"\bdeprecat", re.IGNORECASE),
    ChangeKind.FEATURE: lazy(r"^\W*(?:feat|enhanc|new\b|added\b|preview)", re.IGNORECASE),
    ChangeKind.PERFORMANCE: lazy(r"^\W*perf", re.IGNORECASE),
    ChangeKind.FIX: lazy(rf"^\W*(?:bug|fix)|{_ADVISED}", re.IGNORECASE),
}
"""Headings and beginnings of entries, by kind of change."""


async def upgrade(intent: Changed, reached: Reach, ctx: Context, tip: Tip) -> Answer:
    """Removed and renamed names, changed defaults, raised requirements, and what is announced.

    The announcements come from the project's own changelog at the later release.
    """
    refs = cast("Refs", intent.window)
    changes = await ctx.archive.select(ctx.watched.repository, reached.query)
    between = await range_of(refs, ctx, tip)
    items = await _gone(await asyncio.to_thread(met, changes), between, ctx)
    notes = await _announced(refs, between.tip, _warns, ctx, tip)
    listed = _numbers(notes)
    patched = await patched_files(await profile_here(ctx), changes, between.tip, ctx, tip)
    marked = [g for g in changes if ChangeKind.BREAKING in kinds_of(g) and g.facts.subject.breaking]
    names = {*(item.sha for item in items), *(g.sha for g in marked)}
    names |= {g.sha for one in patched for g in one.changes if one.conflict is not False}
    told = [g for g in changes if g.sha in names or g.number in listed]
    blocks = (
        *patched_blocks(patched, viewpoint(ctx, tip)),
        *upgrade_blocks(items, viewpoint(ctx, tip)),
        *_group(ANNOUNCED_IN, [_said(note) for note in notes], ctx.language),
        *_group(words.GUIDED_IN, await _guided(refs, between.tip, ctx, tip), ctx.language),
        *_group(
            words.KINDS[ChangeKind.BREAKING],
            [(title_link(g, ctx.watched.repository),) for g in marked],
            ctx.language,
        ),
    )
    title = words.UPGRADE_TITLE.text(
        ctx.language, base=refs.base or "…", tip=refs.tip or tip.branch, n=len(changes)
    )
    document = Document(
        title=title,
        blocks=(
            Heading(1, (Text(title),)),
            *(blocks or (Paragraph(words.NO_UPGRADE(ctx.language)),)),
            Paragraph(foot(intent.window, viewpoint(ctx, tip)), aside=True),
        ),
        language=str(ctx.language),
    )
    return Answer(
        intent="changed",
        document=document,
        topic=intent.topic,
        total=len(told),
        rows=tuple(AnswerRow(graded=g, why=graded_because(g, ctx.language)) for g in told),
        patched=tuple(patched),
    )


async def _guided(refs: Refs, sha: str, ctx: Context, tip: Tip) -> list[Spans]:
    """The points of the project's guides on upgrading for the releases between two."""
    from digest.facts.change_notes import guided, guides

    first, last = version_number(refs.base), version_number(refs.tip) or (10**6,)
    files = await ctx.watched.source.files(replace(tip, sha=sha)) if first else ()
    paths = guides(files, first, last)[:_FILES]
    texts = await ctx.watched.source.contents([(sha, path) for path in paths])
    return [
        _said(_Announced(release=release, note=note))
        for (_, path), text in texts.items()
        for release, note in guided(path, text, first, last)
    ]


async def patched_files(
    profile: Profile, changes: Sequence[Graded], end: str | None, ctx: Context, tip: Tip
) -> Sequence[PatchedFile]:
    """The files that a fork changes and that the changes (newest first) touch, conflicts first.

    Lines are compared from the commit that the fork left up to ``end``; changes that the fork has
    are left out.
    """
    entries = [entry for entry in profile.entries if entry.kind is EntryKind.PATCH]
    if not entries or not changes or end is None:
        return ()
    source, found = ctx.watched.source, list[PatchedFile]()
    for base in sorted({entry.base for entry in entries}):
        exists = bool(base) and bool(await source.find(tip, sha=base))
        if exists and await source.is_ancestor(end, base):
            continue  # the fork has all of it
        new = {*await source.names(tip, Range(base=base, tip=end))} if exists else set[str]()
        later = [graded for graded in changes if graded.sha in new or not exists]
        touched = {entry: touching(later, entry) for entry in entries if entry.base == base}
        paths = {path for some, names in touched.values() if some for path in names}
        if not paths:
            continue
        known = exists and await source.is_ancestor(base, end)
        start = base if known else next(iter(later[-1].commit.parents), "")
        files = await source.difference(start, end, paths) if start else ()
        net = {file.old_path or file.path: file for file in files}
        found += [
            PatchedFile(
                entry=entry,
                file=net.get(entry.name) or FileChange(path=entry.name, status=FileStatus.MODIFIED),
                changes=tuple(some),
                known=known or bool(start and entry.name not in net),
            )
            for entry, (some, _) in touched.items()
            if some
        ]
    return sorted(found, key=lambda one: (_EXPECTED.index(one.conflict), one.entry.name))


_EXPECTED = (True, None, False)


async def _gone(items: Sequence[UpgradeItem], between: Range, ctx: Context) -> list[UpgradeItem]:
    """The items whose names went between two releases.

    A name that several files of the later one still contain is not removed. One that the earlier
    one lacks went before it, by a copy of the change on its branch.
    """
    went, mentions = {Action.REMOVED, Action.RENAMED}, ctx.watched.source.mentions
    old = {one.name: _spellings(one.name) for one in items if one.action in went}
    words = frozenset[str]().union(*old.values())
    began = await mentions(between.base, words) if between.base and words else None
    new = {name for name, ways in old.items() if began and ways and not any(map(began.get, ways))}
    removed = {one.name for one in items if one.action is Action.REMOVED} - new
    there = (await mentions(between.tip, removed) if removed else None) or {}
    left = {name for name in removed if len(there.get(name, ())) >= _SAVED}
    return [one for one in items if one.action not in went or one.name not in new | left]


def _spellings(name: str) -> frozenset[str]:
    """How code may spell the last part of a name: *audit --all-extras*, *Pool.max-size*."""
    last = "" if "*" in name else re.split(r"[\s.=]", name)[-1].strip("-")
    return frozenset({last, last.replace("-", "_"), last.replace("_", "-")} - {""})


async def with_announced(asked: Meant, ctx: Context, tip: Tip) -> tuple[Meant, Sequence[Block]]:
    """The answer with changelog entries of the requested kinds, and lines that quote them.

    For kinds that need action and for topics, a period stands for the releases made in it; a
    question about a topic without a period covers those of a year. Other questions are unchanged.
    """
    intent = asked.intent
    patterns = [_OF_KIND[kind] for kind in intent.kinds if kind in _OF_KIND]
    every = is_everything(intent)
    narrower = intent.author or intent.path or intent.label or intent.level or intent.without
    if not (patterns or every) or narrower:
        return asked, ()
    refs: Window | Refs | None = intent.window
    over = announced_over(intent).window
    if isinstance(refs, Window) and patterns and (intent.topic or {*intent.kinds} <= _ACTED_ON):
        refs = await _released_in(cast("Window", over), ctx, young=over != refs)
    if not isinstance(refs, Refs):
        return asked, ()
    topic = set(pieces(intent.topic))

    def fits(heading: str, note: Note) -> bool:
        words = pieces(f"{note.text} {heading}")  # "preview features" may be a heading
        terms = {*words, *joins(words, 3), *roots(note.text)}
        about = all(kin(term(one)) & terms or one in terms for one in topic) or any(
            all(one & terms for one in way if MARK not in "".join(one))
            for way in asked.resolved.alternatives
        )
        return every or (about and any(p.search(heading) or p.search(note.text) for p in patterns))

    end = (await range_of(refs, ctx, tip)).tip if refs is intent.window else tip.sha or ""
    notes = await _announced(refs, end, fits, ctx, tip)
    told = _group(ANNOUNCED_IN, [_said(note) for note in notes], ctx.language, ctx.page)
    if every:
        return asked, told
    listed = _numbers(notes)
    select, repository = ctx.archive.select, ctx.watched.repository
    found = {g.sha for g in await selected(asked, ctx)} if asked.held.rows else set[str]()
    changes = await select(repository, asked.reached.query)
    more = [g for g in changes if g.sha in found or g.number in listed]
    if refs is intent.window:  # a release in a period also announces what landed before it
        more += await _numbered(listed - {graded.number for graded in changes}, ctx, tip)
    if len(more) > len(found):
        asked = replace(asked, held=await listed_result(more, asked.resolved, ctx), only=more)
    return asked, told


async def _numbered(numbers: frozenset[int], ctx: Context, tip: Tip) -> Sequence[Graded]:
    """The changes of the first few request numbers, wherever in the history they are."""
    source = ctx.watched.source
    shas = [sha for n in sorted(numbers)[:_MOST_READ] for sha in await source.find(tip, number=n)]
    return await ensure(ctx, shas, tip) if shas else ()


_MOST_READ = 9  # changes that a changelog names and that are older than the period


def announced_over(intent: Changed) -> Changed:
    """The question for the period of the releases whose changelogs are read."""
    if not (intent.topic and intent.anytime and isinstance(intent.window, Window)):
        return intent
    year = intent.window.until - timedelta(days=365)
    return replace(intent, window=replace(intent.window, since=year))


_ACTED_ON = frozenset({ChangeKind.BREAKING, ChangeKind.SECURITY, ChangeKind.DEPRECATIONS})


async def _released_in(window: Window, ctx: Context, *, young: bool) -> Refs | None:
    """The releases made in a period, from the highest before it; ``None`` if there are none.

    For a ``young`` project, whose first release may be in the period, they start with that one.
    """
    made = {tag: at for tag, at in (await ctx.watched.source.releases()).items() if at}
    inside = [tag for tag, at in made.items() if at in window and version_number(tag)]
    before = [tag for tag, at in made.items() if at < window.since and version_number(tag)]
    before = before or (sorted(inside, key=version_number)[:1] if young else [])
    if not inside or not before:
        return None
    return Refs(base=max(before, key=version_number), tip=max(inside, key=version_number))


@frozen(kw_only=False)
class _Announced:
    """An entry of a changelog, with its release."""

    release: str
    note: Note
    heading: str = ""


def _numbers(notes: Sequence[_Announced]) -> frozenset[int]:
    """The numbers of requests that entries mention."""
    return frozenset(int(n) for note in notes for n in REQUEST.findall(note.note.text))


async def _announced(
    refs: Refs, sha: str, fits: Callable[[str, Note], bool], ctx: Context, tip: Tip
) -> Sequence[_Announced]:
    """The matching changelog entries of the releases between two, by heading and text."""
    from digest.facts.change_notes import sections, with_breaks
    from digest.facts.side_text import SideLines

    first, last = version_number(refs.base), version_number(refs.tip)
    if not first:
        return ()
    texts = await changelogs(sha, ctx, tip)
    # A package of the repository may have had a release of the same number long before.
    base = await commit_of(refs.base, ctx.watched.source)
    old = await changelogs(base, ctx, tip)
    before = {path: {*map(str.strip, text.split("\n"))} for path, text in old.items()}
    found = [
        _Announced(release, note)
        for path, text in texts.items()
        for release, heading, part in sections(text, first, last or (10**6,))
        for note in with_breaks(SideLines(path=path, side=Side.NEW, changed=part, text=text))
        if fits(heading, note)
        and dict(part)[note.evidence.line].strip() not in before.get(path, ())
    ]
    return list({one.note.text: one for one in found}.values())


async def with_entries(found: Answer, words: Sequence[str], intent: Intent, ctx: Context) -> Answer:
    """The answer with the newest changelog entries that have all of some words, if they are few.

    The changes that they name replace an answer of another kind. Of a thing whose state is asked
    for, the newest are told even of many, and a yes or no by another change is not.
    """
    tip = await tip_of(ctx)
    texts = await changelogs(tip.sha or "", ctx, tip) if words else {}
    notes = await asyncio.to_thread(lambda: [*_having(words, texts)])
    if not notes and (names := [word for word in words if _NAME.search(word)]):
        notes = [*_having(names, texts)]
    claim = getattr(intent, "claim", "")
    stated = claim in {"stable", "experimental"}
    if not notes or (len(notes) > _MOST_SAID and not stated):
        return found
    notes.sort(key=lambda one: version_number(one.release), reverse=True)
    document, at = found.document, viewpoint(ctx, tip)
    if found.intent in {"search", "unknown"} or found.intent != QUESTIONS[type(intent)].name:
        changes = await _numbered(_numbers(notes[:_SHOWN]), ctx, tip)
        held, title = await listed_result(changes, Resolved(), ctx), " ".join(words)
        document = listing_document(title, held.survey, held.why, None, at)
        document = document if changes else lines_document(title, [foot(None, at)], at)
        found = replace(found, rows=held.rows, total=len(changes))
    told = _group(ANNOUNCED_IN, [_said(note) for note in notes[:_SHOWN]], ctx.language)
    blocks = document.blocks
    first = next((n for n, block in enumerate(blocks, 1) if isinstance(block, Heading)), 0)
    verdict = blocks[first] if first and claim not in OPEN else None
    first += isinstance(verdict, Paragraph)
    said = REQUEST.findall(plain(verdict.spans)) if isinstance(verdict, Paragraph) else ()
    denied = stated and said and _numbers(notes).isdisjoint(map(int, said))  # by newer entries
    blocks = (*blocks[: first - bool(denied)], *told, *blocks[first:])
    return replace(found, document=replace(document, blocks=blocks))


_NAME = lazy(r"\w[._-]\w|\d|[a-z][A-Z]")  # a word that alone says what is meant
_MOST_SAID = 8  # entries with some words, more of which are about something wider
_SHOWN = 3


def _having(wanted: Sequence[str], texts: Mapping[str, str]) -> Iterator[_Announced]:
    """The entries of changelogs with all of some words, each with what stands below it."""
    from digest.facts.change_notes import entries, sections
    from digest.facts.side_text import SideLines

    for path, text in texts.items():
        if not _has_words(text, wanted):
            continue
        for release, heading, part in sections(text, (0, 0, 0, 0), (10**6,)):
            if not (release and _has_words("\n".join(line for _, line in part), wanted)):
                continue
            notes = [*entries(SideLines(path=path, side=Side.NEW, changed=part, text=text))]
            ends = [*(note.evidence.line for note in notes[1:]), 10**9][: len(notes)]
            for note, end in zip(notes, ends, strict=True):
                lines = (line for n, line in part if note.evidence.line <= n < end)
                if _has_words("\n".join(lines), wanted):
                    yield _Announced(release=release, note=note, heading=heading.strip("# "))


def _has_words(text: str, words: Sequence[str]) -> bool:
    """Whether a text has all of some words; of a long one, the beginning is enough."""
    lowered = text.lower()
    return all(
        re.search(re.escape(w) if len(w) > _SHORT else rf"\b{re.escape(w)}\b", lowered)
        for w in (_ENDING.sub("", word.lower().strip(".-")) for word in words)
    )


_SHORT = 4  # letters of a word that may be a part of any other
_ENDING = lazy(r"(?<=\w{4})(?:s|ed|ing)$")


async def changelogs(sha: str, ctx: Context, tip: Tip) -> Mapping[str, str]:
    """The texts of a commit's changelogs by path."""
    from digest.facts.change_notes import is_change_note
    from digest.facts.paths import area_of

    files = await ctx.watched.source.files(replace(tip, sha=sha))
    found = (one for one in files if is_change_note(one) and area_of(one) is not Area.VENDORED)
    # Folders such as docs/changes/ hold pages about changes, beside the changelogs.
    paths = sorted(
        found, key=lambda p: ("CHANGE" not in p[p.rfind("/") + 1 :].upper(), p.count("/"), p)
    )
    texts = await ctx.watched.source.contents([(sha, path) for path in paths[:_FILES]])
    return {path: text for (_, path), text in texts.items()}


def _said(one: _Announced) -> Spans:
    """An entry as the project wrote it, with its release and place."""
    note = one.note
    text = LINK.sub(r"\1", note.text).replace("**", "")
    place = Code(f"{printable(note.evidence.path)}:{note.evidence.line}")
    under = f" ({printable(one.heading)})" if one.release not in one.heading else ""
    return join(
        [*code_as_spans(text), " · ", Code(one.release), under if one.heading else "", " · ", place]
    )


def _group(
    name: Phrase, lines: Sequence[Spans], language: Language, page: int = 1
) -> Sequence[Block]:
    """A heading with the number of lines, and those of a page; nothing without lines."""
    shown = lines[(page - 1) * _MOST : page * _MOST]
    head = GROUP.text(language, name=name.text(language), n=len(lines))
    return (Paragraph((Strong(head),)), Listing(tuple(map(Item, shown)))) if shown else ()
