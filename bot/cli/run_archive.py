"""``digestbot archive``: listing, showing, rebuilding, compacting, backup and restore."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bot.app import configuration, open_workspace
from bot.cli.output import ProgressBar, emit, finished, lines_of, print_document, table_of
from bot.delivery.payload import thaw
from bot.ops.retention import BATCH, read_again
from bot.store import backup as copying
from bot.store import maintenance
from bot.store.analyses import SqlAnalyses
from bot.store.digests import KeptDigest
from bot.store.maintenance import reindex
from bot.store.migrations import HEAD
from bot.store.sqlite import FILE, open_database
from bot.util.files import Environment, data_folder
from bot.workspace.workspace import Workspace
from digest.analysis.analyse import analyse
from digest.core.enums import Language
from digest.core.grade import Graded, Repository
from digest.core.reference import parse_reference
from digest.document import Block, Document, Heading, Paragraph, Table, Text
from digest.errors import UnknownChange, UserError
from digest.report.blocks import change_blocks
from handlers.ports.analysis_port import Basis, StoredAnalysis
from handlers.ports.storage import State

_RECENT = 20  # digests that a listing shows


@finished
async def show_all(config: Path | None) -> None:
    """Repositories with their extent, then the newest digests."""
    async with open_workspace(config) as app:
        holdings = await maintenance.holdings(app.database)
        digests = await app.digests.list(_RECENT)
        if not holdings and not digests:
            emit(f"nothing is stored in {app.database.place} yet; create a digest first")
            return
        blocks: list[Block] = [Heading(1, (Text(str(app.database.place)),))]
        blocks.append(Paragraph((Text(f"{await maintenance.size(app.database) / 1e6:.1f} MB"),)))
        blocks.append(_repositories(holdings))
        if digests:
            lines = [
                f"{h.name}  {h.counts['total']} changes, {h.counts['high']} high" for h in digests
            ]
            blocks.append(Heading(2, (Text("Digests"),)))
            blocks.append(lines_of(lines))
        print_document(Document(title="Archive", blocks=tuple(blocks)))


def _repositories(holdings: Sequence[maintenance.Holding]) -> Table:
    rows = []
    for holding in holdings:
        extent = (
            f"{holding.first:%Y-%m-%d} – {holding.last:%Y-%m-%d}"
            if holding.first and holding.last
            else "-"
        )
        rows.append((holding.repository.name, str(holding.changes), extent))
    return table_of(("repository", "changes", "days"), rows)


@finished
async def show(name: str, config: Path | None) -> None:
    """A digest by its name, otherwise a change by its reference. Raises ``UserError``."""
    async with open_workspace(config) as app:
        digest = await app.digests.get(name)
        if digest is not None:
            print_document(thaw(digest.document).document)
            if shares := await _shares(app, digest):
                emit("\n".join(shares))
            return
        repository, graded = await _change(app, name)
        await _print_change(app, repository, graded)


async def _change(app: Workspace, name: str) -> tuple[Repository, Graded]:
    reference = parse_reference(name)
    for holding in await maintenance.holdings(app.database):
        shas = await app.archive.find(holding.repository, reference.number, reference.sha)
        if shas:
            return holding.repository, shas[0]
    raise UnknownChange(name, "the archive")


async def _print_change(app: Workspace, repository: Repository, graded: Graded) -> None:
    language = app.language(None)
    said = await SqlAnalyses(app.database).of_change(repository, graded.sha)
    told = (kept.analysis for basis, kept in said if basis.language is language)
    analysis = next(filter(None, told), None) or analyse(graded, language)
    blocks = change_blocks(graded, analysis, repository, app.zone(None), language)
    states = await app.coverage.states(repository, [graded.sha])
    state = states.get(graded.sha)
    lines = [
        f"score {graded.grade.score}, facts version {graded.facts.version}",
        *(f"{r.weight:+.2f} {r.rule} {r.subject}".rstrip() for r in graded.grade.reasons),
        f"state: {state.state.value}{f' ({state.why})' if state.why else ''}"
        if state
        else "state: in no digest yet",
        *(_analysis_line(basis, kept) for basis, kept in said),
    ]
    shown = (*blocks, lines_of(lines))
    print_document(Document(title=graded.title, blocks=shown, language=str(Language.EN)))


def _analysis_line(basis: Basis, stored: StoredAnalysis) -> str:
    """A model's statements on a change: the share that was rejected, and the usage."""
    about = f"model {basis.model} ({basis.language}, {stored.at:%Y-%m-%d %H:%M} UTC)"
    took = f"{stored.usage.tokens} tokens"
    if stored.failure is not None:
        return f"{about}: {stored.failure}; {took}"
    assert stored.analysis is not None
    rejected = f"{stored.analysis.rejected:.0%} of its statements rejected"
    moved = (
        f"; moved {stored.move.of} to {stored.move.to} ({stored.move.rule})" if stored.move else ""
    )
    masked = f"; {stored.secrets} secrets masked" if stored.secrets else ""
    return f"{about}: {rejected}; {took}{moved}{masked}"


async def _shares(app: Workspace, digest: KeptDigest) -> list[str]:
    """The shares of rejected statements on a digest's changes, and of missing ones."""
    repository = Repository(name=digest.heading.repository)
    store = SqlAnalyses(app.database)
    rejected: list[float] = []
    for outcome in digest.outcomes:
        said = await store.of_change(repository, outcome.sha)
        newest = next((k.analysis for _, k in said if k.analysis is not None), None)
        if newest is not None:
            rejected.append(newest.rejected)
    lines = []
    if rejected:
        share = sum(rejected) / len(rejected)
        lines.append(f"{share:.1%} of model statements were rejected ({len(rejected)} changes)")
    missed = Counter(o.why for o in digest.outcomes if o.why and o.state is not State.FAILED)
    lines += [f"{count} described from facts alone ({why})" for why, count in missed.most_common()]
    return lines


@finished
async def rebuild(name: str | None, config: Path | None) -> None:
    """Recompute grades and indexes of one repository or of all. Raises ``UserError``."""
    # What an older version read is read again if its repository is still known here.
    async with open_workspace(config) as app:
        repositories = [
            one.repository
            for one in await maintenance.holdings(app.database)
            if name is None or one.repository.name == name
        ]
        if name is not None and not repositories:
            raise UserError(f"the archive has no repository {name!r}; see digestbot archive list")
        for repository in repositories:
            count = await reindex(app.database, repository)
            emit(f"{repository.name}: {count} changes recomputed")
            await _read_again(app, repository)


async def _read_again(app: Workspace, repository: Repository) -> None:
    """Read again what an older version read, in batches that are saved one by one."""
    outdated = await app.archive.outdated(repository)
    if not outdated:
        return
    configured = app.config.repositories if app.config else ()
    named = next((one.name for one in configured if one.name == repository.name), None)
    place = named or app.places.place_of(repository.name)
    if place is None:
        emit(f"{repository.name}: {len(outdated)} of an older version stay; its place is not known")
        return
    ctx = app.context(
        await app.watch(place), zone=app.zone(None), progress=ProgressBar(repository.name)
    )
    for first in range(0, len(outdated), BATCH):
        await read_again(ctx, outdated[first : first + BATCH])
    left = len(await app.archive.outdated(repository))
    emit(f"{repository.name}: {len(outdated) - left} changes read again")


@finished
async def vacuum(config: Path | None) -> None:
    """Compact the file after an integrity check. Raises ``UserError``."""
    async with open_workspace(config) as app:
        faults = await maintenance.check(app.database)
        if faults:
            raise UserError(f"{app.database.place} is damaged: {faults[0]}; restore a copy")
        done = await maintenance.vacuum(app.database)
        emit(f"{done.before / 1e6:.1f} MB before, {done.after / 1e6:.1f} MB after")


def backup(file: Path, config: Path | None) -> None:
    """Copy the archive of any revision, without opening it for work. Raises ``UserError``."""
    done = copying.backup(_folder(config), file)
    emit(f"{done.file}: {done.size / 1e6:.1f} MB, revision {done.revision}, verified")


def restore(file: Path, config: Path | None) -> None:
    """Restore a copy into a data folder that has no archive."""
    done = copying.restore(_folder(config), file)
    later = "" if done.revision == HEAD else f"; opening it migrates it to {HEAD}"
    emit(f"{done.file}: {done.size / 1e6:.1f} MB, revision {done.revision}{later}")


@finished
async def copy(url: str, config: Path | None) -> None:
    """Copy the archive of the data folder to an empty database. Raises ``UserError``."""
    from bot.store.backup import copy_archive
    from bot.store.postgresql import open_postgres

    config_file = configuration(config)
    data = config_file.data if config_file else data_folder()
    if not (data / FILE).exists():
        raise UserError(f"{str(data)!r} contains no archive to copy")
    async with await open_database(data) as source, await open_postgres(url) as target:
        counts = await copy_archive(source, target)
        total = sum(counts.values())
        emit(f"{target.place}: {counts['changes']} changes, {total} rows in all")
        emit("name it under [database], or in DATABASE_URL, before the next run")


def _folder(config: Path | None) -> Path:
    """The data folder, as for every other command. Raises ``UserError`` if a server is used."""
    config_file = configuration(config)
    if config_file.database_url if config_file else Environment.read().database:
        raise UserError(
            "the archive is in PostgreSQL, which has its own tools: "
            "pg_dump --format=custom to back it up, pg_restore to restore it"
        )
    return config_file.data if config_file else data_folder()
