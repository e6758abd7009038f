"""How each of some hundred natural questions is read, in full: a golden file.

``python -m tests.unit.digest.question.test_readings`` writes it anew. To add a question, add its
line. Every change to how questions are read shows in the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from zoneinfo import ZoneInfo

from digest.core.reference import Reference
from digest.errors import UserError
from digest.question.parser import read, split
from digest.question.slot_values import Background

GOLDEN = Path(__file__).parents[3] / "data" / "golden" / "readings.txt"
NOW, ZONE = datetime(2026, 8, 17, 20, tzinfo=UTC), ZoneInfo("UTC")
INDENT = "    "


def rows() -> Iterator[tuple[str, str, str]]:
    """What the last answer was about, the question, and its reading."""
    about, question, reading = "", "", []
    for line in [*GOLDEN.read_text("utf-8").splitlines(), "# "]:
        if line.startswith(INDENT):
            reading.append(line.strip())
            continue
        if question:
            yield about, question, "\n".join(reading)
        question, reading = line, []
        if line.startswith("# "):
            about, question = line.removeprefix("# after a "), ""
            about = "" if about.startswith("# ") else about


def shown(value: object) -> str:
    """A value without what is empty or usual in it."""
    if isinstance(value, datetime):
        return value.astimezone(ZONE).strftime("%Y-%m-%dT%H:%M:%S").removesuffix("T00:00:00")
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Reference):
        return str(value)
    if isinstance(value, tuple | frozenset):
        items = map(shown, value if isinstance(value, tuple) else sorted(value))
        return f"[{', '.join(items)}]"
    if hasattr(type(value), "__dataclass_fields__"):
        given = [(one.name, getattr(value, one.name)) for one in fields(value)]
        said = [f"{name}={shown(one)}" for name, one in given if one or one == 0 != one is False]
        return f"{type(value).__name__}({', '.join(said)})"
    return repr(value) if isinstance(value, str) else str(value)


def reading(question: str, about: str) -> str:
    known = Background(own=frozenset({"vllm"}), follows=about)
    try:
        found, parts = read(question, NOW, ZONE, known), split(question, NOW, ZONE, known)
    except UserError as error:
        return f"{type(error).__name__}: {error}"
    told = {one.name: getattr(found, one.name) for one in fields(found)}
    told.pop("intent")
    if told["other"] is None:
        told.pop("other")
    lines = [shown(found.intent)]
    lines += ["; ".join(f"{name} {shown(one)}" for name, one in told.items() if one)]
    if parts:
        lines.append(f"in parts: {' | '.join(parts)}")
    return "\n".join(line for line in lines if line)


def test_questions_are_read_as_before():
    before = {(about, question): expected for about, question, expected in rows()}
    assert len(before) == len([*rows()])
    assert {(about, asked): reading(asked, about) for about, asked in before} == before


def test_there_are_questions_of_every_situation():
    situations = [about for about, _, _ in rows()]
    assert len(situations) > 500
    assert {*situations} == {"", "change", "name", "release", "list", "row"}


def write() -> None:
    """Read every question of the file again."""
    lines, last = [], None
    for about, question, _ in [*rows()]:
        if about != last:
            lines.append(f"# after a {about}" if about else "# first")
            last = about
        lines += [question, *(f"{INDENT}{line}" for line in reading(question, about).split("\n"))]
    GOLDEN.write_text("\n".join([*lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    write()
