"""The pages of one change: its description and its patch."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Sequence
from itertools import chain, islice

from bot.store.browsing import ChangeLine
from bot.util.page_links import digest_path, path_of
from bot.web.pages.diffs import FileDiff, change_of, patch_of, patch_pages, texts_of
from bot.web.pages.entries import ChangeView, entry_of, fix_of, line_of, released_of
from bot.web.pages.page_request import PageRequest
from bot.web.pages.page_text import PHRASES, STATES, day_words
from bot.web.pages.rows import title_of
from bot.web.pages.site import Json, NotThere, Page, with_heading
from bot.workspace.workspace import day_of
from digest.answer.excerpt import lines_of
from digest.core.authors import without_backticks
from digest.core.change import Change, FileStatus, printable
from digest.core.facts import Area, FileFacts, Undone
from digest.core.grade import Graded
from digest.core.reference import Query
from digest.document import CodeBlock, Document, plain
from digest.grading.outcomes import beside, lowered_by
from digest.i18n.answer_text import BESIDE_OTHERS, reason_words
from digest.i18n.statement_text import LEVELS
from digest.report.assembly import ReportEntry
from digest.report.blocks import change_blocks, quote_path
from digest.report.report_json import SCHEMA, entry_to_json
from handlers.ports.status_port import undoings_of

_NAME = re.compile(r"[0-9a-f]{7,64}")
_NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)
_FILES = 50
_FILE = 520  # bytes of a file in the list, about
_MENTIONS = 10
_MARKDOWN_LINES = 1500  # lines of a patch in Markdown
_LONGEST_MESSAGE = 20_000  # characters of a message that are shown; a few merges hold whole logs
State = tuple[str, ChangeLine]
"""Another change in the fate of this one, after the name of the phrase that introduces it."""


async def change_page(asked: PageRequest) -> Page:
    """The page of a change: advice, summary, reasons for its grade, and files.

    If a request has several commits, the newest is shown. Raises ``NotThere``.
    """
    site, shown, language = asked.site, asked.shown(), asked.language
    found = await _found(asked)
    graded = found[0]
    told = await site.browsing.told(shown.repository, [graded.sha], language)
    entry = entry_of(graded, told, shown, language)
    at = graded.commit.committed_at
    day = at.astimezone(site.zone).date()
    view = ChangeView(entry, shown, language)
    files = graded.facts.files
    code_first = sorted(enumerate(files), key=lambda one: one[1].area is not Area.CORE)
    message = _message(graded)[:_LONGEST_MESSAGE]
    view.left -= _FILE * len(files[:_FILES]) + len(message.encode("utf-8", "replace"))
    digest = await site.digests.announced(shown.repository.name, graded.sha, at)
    lowered = await _lowered(asked, entry.graded)
    releases: list[str] = []
    pages: dict[int, int] = {}

    async def read() -> None:
        # Git reads the changed lines and the tags: the reader has the head by then.
        view.change, found = await asyncio.gather(
            change_of(asked, graded.sha), released_of(asked, shown, graded)
        )
        view.texts = await texts_of(asked, view.change, view.paths)
        releases.extend(found)
        parts = await asyncio.to_thread(patch_pages, view.change.files if view.change else ())
        for page, files_of_page in reversed([*enumerate(parts, 1)]):
            pages.update((number, page) for number, *_ in files_of_page)
        named = not any(releases)
        view.take_fix(await fix_of(asked, shown, graded, view.todo, named=named))

    return Page(
        template="change.html",
        title=f"{_title(graded)} · {shown.repository.name}",
        values={
            "shown": shown,
            "about": plain(view.gist) or _title(graded),
            "heading": title_of(line_of(graded)),
            "view": view,
            "files": [
                (number, *_file(file, graded, asked)) for number, file in code_first[:_FILES]
            ],
            "total_files": len(files),
            "pages": pages,
            "message": message if message != graded.title else "",
            "day": (path_of(shown.repository.name, day=day), day_words(day, language, short=True)),
            "announced": (day_of(digest), digest_path(digest.mark)) if digest else None,
            "lowered": lowered,
            "stray": graded.sha in await asked.strays(shown),
            "state": await _state(asked, graded, found[1:]),
            "title_of": title_of,
            "releases": releases,
            "beside": await site.browsing.beside(shown.repository, graded),
            "size": (sum(file.added for file in files), sum(file.deleted for file in files)),
        },
        document=lambda: _document(asked, entry),
        json=lambda: _json(asked, entry),
        ready=read,
    )


async def _lowered(asked: PageRequest, graded: Graded) -> str:
    """How the digest that covered a change grades it, if it does so lower than the change alone."""
    site, shown, language = asked.site, asked.shown(), asked.language
    at = graded.commit.committed_at
    names = await site.digests.covered_with(shown.repository.name, graded.sha, at)
    others = await site.archive.load(shown.repository, names) if names else {}
    among = beside(graded, names, others, shown.thresholds)
    alone, level = (LEVELS[one.grade.level].text(language).lower() for one in (graded, among))
    said = (reason_words(reason, language) for reason in lowered_by(graded, among))
    return " ".join(BESIDE_OTHERS.text(language, alone=alone, level=level, why=why) for why in said)


def _title(graded: Graded) -> str:
    return without_backticks(graded.title) or graded.sha[:10]


def _message(graded: Graded) -> str:
    tokens = {token.lower() for token, _ in graded.facts.trailers}
    lines = graded.commit.message.strip().split("\n")
    while lines and (not lines[-1].strip() or _is_trailer(lines[-1], tokens)):
        lines.pop()
    return "\n".join(lines)


def _is_trailer(line: str, tokens: Collection[str]) -> bool:
    token, colon, _ = line.partition(":")
    return bool(colon) and (token.strip().lower() in tokens or line.startswith(" "))


async def _state(asked: PageRequest, graded: Graded, others: Sequence[Graded]) -> list[State]:
    """Reverts and re-landings of a change, then other changes that mention it."""
    repository = asked.shown().repository
    reverts, relands = await undoings_of(asked.site.archive, repository, graded)
    mentions = await mentions_of(asked, graded)
    # What names a reverted change and has its title lands it again.
    if reverts and not relands:
        words = graded.facts.subject.words
        relands = [one for one in mentions if one.facts.subject.words == words]
    found = [("same_request", line_of(one)) for one in others]
    found += [("reverted_by", line_of(one)) for one in reverts]
    found += [("relanded_as", line_of(one)) for one in relands]
    told = {one.sha for one in (*others, *reverts, *relands)}
    found += [("named_by", line_of(one)) for one in mentions if one.sha not in told]
    for undone, name in ((graded.facts.reverts, "reverts"), (graded.facts.relands, "relands")):
        if undone is not None:
            found += [(name, line_of(one)) for one in (await _undone(asked, undone))[:1]]
    return sorted(found, key=lambda state: list(STATES).index(state[0]))


async def _undone(asked: PageRequest, undone: Undone) -> Sequence[Graded]:
    if undone.number is None and not undone.sha:
        return ()
    number = None if undone.sha else undone.number
    return await asked.site.archive.find(asked.shown().repository, number, undone.sha)


async def diff_page(asked: PageRequest) -> Page:
    """The whole patch of a change. Raises ``NotThere`` if its lines cannot be read here."""
    graded = (await _found(asked))[0]
    shown = asked.shown()
    change = await change_of(asked, graded.sha)
    if change is None:
        raise NotThere
    title = _title(graded)
    files: list[FileDiff] = []
    pages = await asyncio.to_thread(patch_pages, change.files)
    page = min(asked.page, len(pages))

    async def read() -> None:
        files.extend(await asyncio.to_thread(patch_of, pages[page - 1]))

    return Page(
        template="diff.html",
        title=f"{title} · {PHRASES['diff'].template(asked.language)} · {shown.repository.name}",
        values={
            "shown": shown,
            "graded": graded,
            "heading": title_of(line_of(graded)),
            "change_path": path_of(shown.repository.name, change=graded.sha[:12]),
            "commit_url": shown.repository.commit_url(graded.sha),
            "files": files,
            "page": page,
            "pages": len(pages),
        },
        document=lambda: with_heading(
            title,
            asked.language,
            CodeBlock(
                "\n".join(islice(chain(*map(lines_of, change.files)), _MARKDOWN_LINES)), "diff"
            ),
        ),
        json=lambda: _diff_json(graded.sha, change, asked),
        ready=read,
    )


async def _found(asked: PageRequest) -> Sequence[Graded]:
    """The commits named by the path, at least one; see :func:`found_by`. Raises ``NotThere``."""
    found = await found_by(asked, asked.part("change").lower())
    if not found:
        raise NotThere
    return found


async def found_by(asked: PageRequest, name: str) -> Sequence[Graded]:
    """The commits of a request's number or a name, first those of the branch, newest first."""
    archive, shown = asked.site.archive, asked.shown()
    found: Sequence[Graded] = ()
    if _NUMBER.fullmatch(name):
        found = await archive.find(shown.repository, int(name))
    if not found and _NAME.fullmatch(name):
        found = await archive.find(shown.repository, None, name)
    strays = await asked.strays(shown)
    return sorted(found, key=lambda one: one.sha in strays)


async def mentions_of(asked: PageRequest, graded: Graded) -> Sequence[Graded]:
    """Archived changes whose text mentions this one, including reverts."""
    name = graded.name
    query = Query(terms=(name,), limit=_MENTIONS + 1)
    found = await asked.site.archive.select(asked.shown().repository, query)
    own = {graded.number} - {None}  # the other commits of its request
    return [one for one in found if one.sha != graded.sha and one.number not in own]


def _file(file: FileFacts, graded: Graded, asked: PageRequest) -> tuple[FileFacts, str, str]:
    """A file, its path as shown, and its page, which is empty for a deleted file."""
    gone = file.status is FileStatus.DELETED
    url = asked.shown().repository.file_url(graded.sha, quote_path(file.path), 1)
    return file, printable(file.path), "" if gone else url


def _document(asked: PageRequest, entry: ReportEntry) -> Document:
    graded = entry.graded
    blocks = change_blocks(
        graded, entry.analysis, asked.shown().repository, asked.site.zone, asked.language, level=1
    )
    return Document(
        title=graded.title or graded.sha[:10], blocks=blocks, language=str(asked.language)
    )


def _json(asked: PageRequest, entry: ReportEntry) -> Json:
    name = asked.shown().repository.name
    return {
        "schema": SCHEMA,
        "repository": name,
        "path": path_of(name, change=entry.graded.sha[:12]),
        "change": entry_to_json(entry, asked.site.zone, asked.language),
    }


def _diff_json(sha: str, change: Change, asked: PageRequest) -> Json:
    return {
        "schema": SCHEMA,
        "repository": asked.shown().repository.name,
        "sha": sha,
        "files": [
            {
                "path": printable(file.path),
                "added": file.added,
                "deleted": file.deleted,
                "hunks": [
                    {
                        "old_start": hunk.old_start,
                        "new_start": hunk.new_start,
                        "removed": list(hunk.removed),
                        "added": list(hunk.added),
                    }
                    for hunk in file.hunks
                ],
            }
            for file in change.files
        ],
    }
