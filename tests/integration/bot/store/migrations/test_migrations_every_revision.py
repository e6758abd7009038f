"""An archive of every earlier revision, with a row in every table, keeps all of it.

The program of a revision is not here any more; its migrations are, so the tables are as it had them.
What the rows mean is the business of ``test_upgrades``: here none may be lost, in either database.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import (
    Boolean,
    Connection,
    Engine,
    Float,
    Integer,
    MetaData,
    Table,
    create_engine,
    func,
    inspect,
    select,
)
from sqlalchemy.pool import NullPool

from bot.store import migrations
from bot.store.migrations import HEAD, REVISIONS
from bot.store.sqlite import FILE, open_archive
from tests.servers.postgresql import Postgres

# Made of the rest: the full-text index with its own tables, and Alembic's mark.
_DERIVED = (
    "change_search",
    "change_pairs",
    "topic_search",
    "change_grams",
    "topic_grams",
    "alembic",
)

# Whose columns have a meaning that a migration or an opening reads.
_TOLD = {"subject": "A title (#1)", "facts": "{}", "document": "{}", "sha": "a" * 40}

Rows = dict[str, list[Mapping[str, Any]]]

_NEWEST: dict[str, list[Table]] = {}


def to_revision(connection: Connection, revision: str) -> None:
    config = Config()
    config.set_main_option("script_location", str(next(iter(migrations.__path__))))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def tables_of(connection: Connection) -> list[Table]:
    metadata = MetaData()
    names = [one for one in inspect(connection).get_table_names() if not one.startswith(_DERIVED)]
    metadata.reflect(connection, only=names)
    return metadata.sorted_tables


def filled(table: Table) -> dict[str, Any]:
    """A row: every number is 1, as what refers to another row has to be."""
    row: dict[str, Any] = {}
    for column in table.columns:
        match column.type:
            case Boolean():
                row[column.name] = False
            case Integer():
                row[column.name] = 1
            case Float():
                row[column.name] = 0.5
            case _:
                row[column.name] = _TOLD.get(column.name, f"some {column.name}")
    return row


def fill(connection: Connection) -> dict[str, dict[str, Any]]:
    rows = {}
    for table in tables_of(connection):
        if not connection.scalar(select(func.count()).select_from(table)):
            rows[table.name] = filled(table)
            connection.execute(table.insert().values(**rows[table.name]))
    return rows


def held(connection: Connection) -> Rows:
    """The rows of an archive of the newest revision, whose tables are described once."""
    dialect = connection.dialect.name
    if dialect not in _NEWEST:
        _NEWEST[dialect] = tables_of(connection)
    return {
        table.name: [dict(row._mapping) for row in connection.execute(select(table))]
        for table in _NEWEST[dialect]
    }


def moved(revision: str, table: str) -> frozenset[str]:
    """Columns whose content a later revision puts elsewhere or makes anew."""
    if table == "digests" and revision < "0013":
        return frozenset({"markdown"})
    return frozenset({"area"}) if table == "changes" else frozenset()


@pytest.fixture(scope="module")
def server_url(postgres: Postgres) -> str:
    """The address of a database that is emptied for each test: making one takes longer."""
    postgres.run("CREATE DATABASE revisions")
    return postgres.url("revisions")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest) -> str:
    """The address of a database without a table; empty for a file."""
    if request.param == "sqlite":
        return ""
    address: str = request.getfixturevalue("server_url")
    with engine_of(address, Path()).begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE")
        connection.exec_driver_sql("CREATE SCHEMA public")
    return address


def engine_of(url: str, folder: Path) -> Engine:
    """What works on the archive as it is, without bringing it up to date."""
    driver = url.replace("postgresql:", "postgresql+psycopg:") or f"sqlite:///{folder / FILE}"
    return create_engine(driver, poolclass=NullPool)


def written(url: str, folder: Path, revision: str) -> dict[str, dict[str, Any]]:
    """Make an archive of a revision; its rows."""
    with engine_of(url, folder).begin() as connection:
        to_revision(connection, revision)
        return fill(connection)


@pytest.mark.parametrize("revision", REVISIONS[:-1])
async def test_every_row_of_an_earlier_revision_is_kept(url: str, tmp_path: Path, revision: str):
    rows = written(url, tmp_path, revision)
    assert len(rows) >= 10
    async with await open_archive(tmp_path, url):
        pass
    # Every table is described anew, which the archive's own driver is slower at.
    with engine_of(url, tmp_path).connect() as connection:
        found = held(connection)
        version = connection.exec_driver_sql("SELECT version_num FROM alembic_version")
        assert version.scalar_one() == HEAD
    for table, row in rows.items():
        kept = {name: row[name] for name in row.keys() - moved(revision, table)}
        assert any(kept.items() <= one.items() for one in found[table]), (table, found[table])
    if revision < "0013":
        (report,) = found["reports"]
        assert report["markdown"] == "some markdown"
        assert found["digests"][0]["report"] == report["key"]


async def test_claims_of_an_earlier_revision_count_from_the_upgrade_on(url: str, tmp_path: Path):
    written(url, tmp_path, "0014")
    async with await open_archive(tmp_path, url):
        pass
    with engine_of(url, tmp_path).connect() as connection:
        (slot,) = held(connection)["slots"]
    assert slot["at"] > 1_700_000_000
