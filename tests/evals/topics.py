"""How well topic questions find what release notes list under the same name.

    python -m tests.evals.topics CLONE SECTIONS.json

``SECTIONS.json`` holds ``since`` and ``until`` (days) and ``sections``: names of sections of release
notes with the numbers of the requests listed there. Each name is asked for as a topic. *Recall* is
the share of a section's requests among the answer's; *precision* is the share of the section's among
those of the answer that any section lists: of the others the notes say nothing. A request may belong
to a topic without being listed there, so precision is a lower bound. Requests that the clone has not
merged in these days, such as backports, are left out.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.table import Table

from bot.app import open_workspace
from handlers.router import ask


@dataclass(frozen=True)
class Section:
    """A section's requests, and those of the answer that any section lists."""

    name: str
    listed: frozenset[int]
    answered: int
    found: frozenset[int]

    @property
    def hits(self) -> int:
        return len(self.listed & self.found)


def recall(sections: Sequence[Section]) -> float:
    return sum(s.hits for s in sections) / max(1, sum(len(s.listed) for s in sections))


def precision(sections: Sequence[Section]) -> float:
    return sum(s.hits for s in sections) / max(1, sum(len(s.found) for s in sections))


async def measure(clone: str, notes: Mapping[str, Any]) -> list[Section]:
    """Ask for every section by its name."""
    days = f"{notes['since']}..{notes['until']}"
    sections = []
    async with open_workspace() as app:
        ctx = replace(app.context(await app.watch(clone), zone=ZoneInfo("UTC")), every=True)
        merged = {row.graded.number for row in (await ask(f"list all changes {days}", ctx)).rows}
        listed = {name: merged.intersection(of) for name, of in notes["sections"].items()}
        known = frozenset().union(*listed.values())
        for name, numbers in listed.items():
            rows = (await ask(f"what changed in {name} {days}", ctx)).rows
            found = known.intersection(row.graded.number for row in rows)
            sections.append(Section(name, frozenset(numbers), len(rows), found))
    return sections


def show(sections: Sequence[Section]) -> None:
    """Print a row per section, and a total."""
    table = Table("section", "listed", "answered", "recall", "precision")
    for one in sections:
        shares = (f"{share([one]):.2f}" for share in (recall, precision))
        table.add_row(one.name, str(len(one.listed)), str(one.answered), *shares)
    table.add_row("all", "", "", f"{recall(sections):.2f}", f"{precision(sections):.2f}")
    Console().print(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone")
    parser.add_argument("sections", type=Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["DIGESTBOT_DATA"] = folder
        show(
            asyncio.run(
                measure(str(Path(args.clone).resolve()), json.loads(args.sections.read_text()))
            )
        )


if __name__ == "__main__":
    main()
