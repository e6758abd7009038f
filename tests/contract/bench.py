"""The bench that a platform provides for the contract tests: one file of its name in ``benches``.

The file defines ``def bench(folder: Path) -> Bench``. A platform with a server starts its loopback
server there and stops it in ``close``. The tests close the senders. The bench of a platform from
another package is a module beside that platform, named with the suffix ``_bench``.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot import platforms
from bot.messaging.sender import Sender


def nothing() -> None:
    """Do nothing."""


@dataclass
class Bench:
    """A platform ready to be tested.

    ``seen`` returns the texts that a person sees in the chat. ``broken`` are senders whose calls
    all fail, one for each way of failing. ``inert`` says whether a part's body is harmless, apart
    from what the adapter itself put there. ``secrets`` must never appear in an error.
    """

    sender: Sender
    chat: str
    seen: Callable[[], Sequence[str]]
    broken: Sequence[Sender]
    inert: Callable[[str], bool]
    secrets: Sequence[str] = ()
    close: Callable[[], None] = nothing


def bench_of(kind: str, folder: Path) -> Bench:
    """The bench of a platform. Raises ``ModuleNotFoundError`` if it has none."""
    name = platforms.load(kind).__name__
    ours = name.startswith(f"{platforms.__name__}.")
    module = importlib.import_module(f"tests.contract.benches.{kind}" if ours else f"{name}_bench")
    made: Bench = module.bench(folder)
    return made
