"""The configuration as a whole, and whether a process is at work with the data folder."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from bot import platforms
from bot.config.reading import Config
from bot.doctor.finding import Finding, fault, well, worry
from bot.platforms.base import Called, SendError


def setup(config: Config | None) -> Sequence[Finding]:
    """What the file says, and what in it does not fit together."""
    if config is None:
        cure = "nothing, for digests and questions on the terminal; for posting: digestbot init"
        return [well("configuration", f"no file; {cure}")]
    counts = (
        f"{config.file}: {len(config.repositories)} repositories, {len(config.channels)} channels"
    )
    found = [well("configuration", counts)]
    found += [worry("secrets", one, "take the rights of others away") for one in config.warnings]
    return [*found, *_called(config)]


def _called(config: Config) -> Iterator[Finding]:
    """Accounts that are to be called, and whether the call would arrive."""
    for name, account in config.platforms.items():
        try:
            sender = platforms.load(account.kind).create(account.settings)
        except (SendError, ModuleNotFoundError) as error:
            yield fault(f"platform {name}", str(error), "see docs/ on this platform")
            continue
        if not isinstance(sender, Called) or sender.web is None:
            continue
        where = f"platform {name}"
        if config.web is None:
            cure = "add a section [web] with listen and public_url"
            yield fault(where, "is to be called over HTTP, and there is no web server", cure)
            continue
        path = f"/events/{name}"
        said = str(getattr(account.settings, "webhook", "") or "")
        if said and not said.endswith(path):
            cure = f"let it end in {path}, where the program's web server answers it"
            yield fault(where, f"its address is {said}", cure)
        elif not config.web.public_url.startswith("https://"):
            cure = "set [web] public_url to the https:// address of the proxy in front"
            yield worry(where, f"is called at <public_url>{path}", cure)
        else:
            yield well(where, f"is called at {config.web.public_url}{path}")


def work(data: Path) -> Sequence[Finding]:
    """Whether a process holds a lease: the lock is asked for, and given back at once."""
    file = data / "leases"
    if not file.exists():
        return [well("leases", "nobody works with this data folder")]
    descriptor = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return [well("leases", "a process is at work on a slot or a delivery")]
    finally:
        os.close(descriptor)
    return [well("leases", "none is held")]
