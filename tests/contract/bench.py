"""What a platform brings to the contract test: one file each in ``benches``, named like it.

The file has ``def bench(folder: Path) -> Bench``; a platform with a server starts its loopback
double there, and ends it in ``close``. The kit closes the senders. The bench of a platform that
another package brings stands beside its module, with ``_bench`` behind the name.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot import platforms
from bot.messaging.sender import Sender


def nothing() -> None:
    """There is nothing to end."""


@dataclass
class Bench:
    """A platform ready to be tried.

    ``seen`` gives the texts that a person sees in the chat. ``broken`` are senders whose every
    call fails, one for each way of failing. ``inert`` says whether a part's body holds nothing
    that acts but what the adapter itself put there. ``secrets`` must never be seen in an error.
    """

    sender: Sender
    chat: str
    seen: Callable[[], Sequence[str]]
    broken: Sequence[Sender]
    inert: Callable[[str], bool]
    secrets: Sequence[str] = ()
    close: Callable[[], None] = nothing


def bench_of(kind: str, folder: Path) -> Bench:
    """The bench of a platform. Raises ``ModuleNotFoundError`` where it has none."""
    name = platforms.load(kind).__name__
    ours = name.startswith(f"{platforms.__name__}.")
    module = importlib.import_module(f"tests.contract.benches.{kind}" if ours else f"{name}_bench")
    made: Bench = module.bench(folder)
    return made
