"""``digestbot archive``: what is kept, one thing of it, made anew, made smaller."""

from __future__ import annotations

from pathlib import Path

from bot.app import App, opened
from bot.commands import emit, finish, print_document
from bot.frozen import thaw
from bot.store import upkeep
from bot.store.reindex import reindex
from digest.analysis import analyse
from digest.document import (
    Block,
    Document,
    Heading,
    Item,
    Listing,
    Paragraph,
    Table,
    Text,
)
from digest.errors import UnknownChange, UserError
from digest.graded import Graded, Repository
from digest.language import Language
from digest.reference import parse_reference
from digest.report import change_blocks

_RECENT = 20  # digests that a listing shows


def show_all(config: Path | None) -> None:
    """Repositories with their extent, then the newest digests."""

    async def work() -> None:
        async with opened(config) as app:
            held = await upkeep.holdings(app.database)
            kept = await app.digests.list(_RECENT)
            if not held and not kept:
                emit(f"nothing is kept in {app.database.path} yet; make a digest first")
                return
            blocks: list[Block] = [Heading(1, (Text(str(app.database.path)),))]
            blocks.append(Paragraph((Text(f"{upkeep.size(app.database) / 1e6:.1f} MB"),)))
            blocks.append(_repositories(held))
            if kept:
                lines = [
                    f"{h.name}  {h.counts['total']} changes, {h.counts['high']} high" for h in kept
                ]
                blocks.append(Heading(2, (Text("Digests"),)))
                blocks.append(Listing(tuple(Item((Text(line),)) for line in lines)))
            print_document(Document(title="Archive", blocks=tuple(blocks)))

    finish(work())


def _repositories(held: object) -> Table:
    rows = []
    assert isinstance(held, tuple | list)
    for one in held:
        extent = f"{one.first:%Y-%m-%d} – {one.last:%Y-%m-%d}" if one.first and one.last else "-"
        rows.append(
            tuple((Text(cell),) for cell in (one.repository.name, str(one.changes), extent))
        )
    header = tuple((Text(name),) for name in ("repository", "changes", "days"))
    return Table(header, tuple(rows))


def show(name: str, config: Path | None) -> None:
    """A digest by its name, else a change by its reference. Raises ``UserError``."""

    async def work() -> None:
        async with opened(config) as app:
            kept = await app.digests.get(name)
            if kept is not None:
                print_document(thaw(kept.document).document)
                return
            repository, graded = await _change(app, name)
            await _print_change(app, repository, graded)

    finish(work())


async def _change(app: App, name: str) -> tuple[Repository, Graded]:
    reference = parse_reference(name)
    for one in await upkeep.holdings(app.database):
        found = await app.archive.find(one.repository, reference.number, reference.sha)
        if found:
            return one.repository, found[0]
    raise UnknownChange(name, "the archive")


async def _print_change(app: App, repository: Repository, graded: Graded) -> None:
    language = app.language(None)
    blocks = change_blocks(graded, analyse(graded, language), repository, app.zone(None), language)
    states = await app.coverage.states(repository, [graded.sha])
    state = states.get(graded.sha)
    lines = [
        f"score {graded.grade.score}, facts version {graded.facts.version}",
        *(f"{r.weight:+.2f} {r.rule} {r.subject}".rstrip() for r in graded.grade.reasons),
        f"state: {state.state.value}{f' ({state.why})' if state.why else ''}"
        if state
        else "state: in no digest yet",
    ]
    kept = Listing(tuple(Item((Text(line),)) for line in lines))
    print_document(Document(title=graded.title, blocks=(*blocks, kept), language=str(Language.EN)))


def rebuild(name: str | None, config: Path | None) -> None:
    """Grades and indexes of one repository or of all, from what is kept. Raises ``UserError``."""

    async def work() -> None:
        async with opened(config) as app:
            held = [
                one.repository
                for one in await upkeep.holdings(app.database)
                if name is None or one.repository.name == name
            ]
            if name is not None and not held:
                raise UserError(
                    f"the archive keeps no repository {name!r}; digestbot archive list names them"
                )
            for repository in held:
                count = await reindex(app.database, repository)
                emit(f"{repository.name}: {count} changes made anew")

    finish(work())


def vacuum(config: Path | None) -> None:
    """Compact the file, after looking whether it is whole. Raises ``UserError``."""

    async def work() -> None:
        async with opened(config) as app:
            faults = await upkeep.check(app.database)
            if faults:
                raise UserError(f"{app.database.path} is damaged: {faults[0]}; restore a copy")
            done = await upkeep.vacuum(app.database)
            emit(f"{done.before / 1e6:.1f} MB before, {done.after / 1e6:.1f} MB after")

    finish(work())
