"""The tables of the load run."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.load_usage import Machine, Usage
from benchmarks.load_world import Process
from benchmarks.timing import Row, milliseconds


def outcomes(
    told: Mapping[str, Any], rate: float, channels: int, due: Sequence[float]
) -> list[Row]:
    """The outcome of questions and digests; ``due`` are the waves, in seconds of the run."""
    answers = sorted(took for _, took in told["answered"])
    digests: Mapping[str, Sequence[float]] = told["digests"]
    late = sorted(_late(times[0], due) for times in digests.values())
    twice = told["twice"] + sum(len(times) > 1 for times in digests.values())
    asked = told["asked"]
    return [
        Row(
            f"{asked:,} questions, {rate:g} a second: answered",
            f"{len(answers):,}",
            f"without an answer: {asked - len(answers)}, "
            f"of these yet to be delivered again: {told['undelivered']}",
            f"{len(answers) / max(1, asked):.2%}",
            "all",
        ),
        Row("answers that tell of a trouble", str(told["troubled"]), "", "", "0"),
        _row("from a question to the last word of its answer", answers, "p99 <= 3 s"),
        _row("from a question to its acknowledgement", sorted(told["acknowledged"]), "<= 3 s"),
        Row(
            f"{channels:,} digests due: posted",
            f"{len(digests):,}",
            f"not by the end: {channels - len(digests)}",
            f"twice: {twice}",
            "all, 0 twice",
        ),
        _row("from due to posted", late, ""),
        Row("messages refused for Slack's limits", str(told["limited"]), "", "", "0"),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class Costs:
    """What was used up to a moment, by each process and by the machine."""

    processes: Mapping[str, Usage]
    machine: Machine


COSTS = Row("process", "resident", "proportional", "processor", "of which children")
"""The headings of the result of :func:`costs`."""


def costs(before: Costs, after: Costs) -> list[Row]:
    """The memory of each process, and its processor time between two moments."""
    rows = []
    for name, held in after.processes.items():
        seconds, children = _used(before.processes[name], held)
        rows.append(
            Row(
                name,
                f"{held.resident:.0f} MB",
                f"{held.proportional:.0f} MB",
                f"{seconds:.1f} s",
                f"{children:.1f} s",
            )
        )
    seconds, children = _total(before, after)
    return [*rows, Row("all of these", "", "", f"{seconds:.1f} s", f"{children:.1f} s")]


def drained(
    before: Costs, after: Costs, told: Mapping[str, Any], end: float, due: int
) -> list[str]:
    """The time from the last question, at ``end``, until everything was done, and its cost."""
    answered = [at + took for at, took in told["answered"]]
    posted = [told["began"] + times[0] for times in told["digests"].values()]
    lost = told["asked"] - len(answered), due - len(posted)
    done = len(answered) + len(posted)
    seconds, _ = _total(before, after)
    return [
        (
            f"after the last question: {_after(answered, end)} to the last answer, "
            f"{_after(posted, end)} to the last digest"
        ),
        f"lost: {lost[0]}/{told['asked']} answers, {lost[1]}/{due} digests",
        (
            f"of processor, from the first question to the end: {seconds:.1f} s, "
            f"{seconds / max(1, done) * 1000:.0f} ms for each answer and digest"
        ),
    ]


def spent(before: Machine, after: Machine) -> str:
    """What the machine did while questions were asked."""
    told = after.since(before)
    words = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in told.items())
    return f"all processors together, {sum(told.values()):.0f} s: {words}"


def _total(before: Costs, after: Costs) -> tuple[float, float]:
    used = [_used(before.processes[name], held) for name, held in after.processes.items()]
    return sum(one for one, _ in used), sum(one for _, one in used)


def _used(before: Usage, after: Usage) -> tuple[float, float]:
    """Seconds of processor time with children; a server that was stopped starts at zero again."""
    return (
        max(0.0, after.seconds - before.seconds),
        max(0.0, after.children - before.children),
    )


def _after(moments: Sequence[float], end: float) -> str:
    return milliseconds(max(0.0, max(moments) - end)) if moments else "-"


_OF_DIGESTS = "slots", "deliveries", "delivery_parts", "digests", "reports", "outcomes", "tips"
_OF_QUESTIONS = "heard", "conversations", "looks"


def sizes(held: Mapping[str, int], digests: int, questions: int) -> list[Row]:
    """The size of one more digest and one more question in the database, with indexes."""
    found = []
    for what, names, count in (
        ("digest", _OF_DIGESTS, digests),
        ("question, for two days", _OF_QUESTIONS, questions),
    ):
        size = sum(held[name] for name in names) / max(1, count)
        found.append(Row(f"in the database: a {what}", f"{size / 1024:.1f} kB", "", "", ""))
    return found


def troubles(run: Sequence[Process], told: Mapping[str, Any]) -> list[str]:
    """Warnings of the processes, and what happened to deliveries."""
    counted = Counter(
        re.sub(r" at 0x[0-9a-f]+", "", f"{event.get('level')} {event['event']}")
        for one in run
        for event in one.logged()
        if event.get("level") not in {"info", "debug"}
    )
    warned = ", ".join(f"{n} x {name}" for name, n in counted.most_common()) or "nothing"
    refused = ", ".join(f"{n} x {name}" for name, n in told["refused"].items()) or "none"
    return [
        f"told in the logs: {warned}",
        f"deliveries of events that failed: {refused}; delivered again: {told['again']}",
    ]


def _row(what: str, values: Sequence[float], goal: str) -> Row:
    p50, p99, longest = (_at(values, part) for part in (0.5, 0.99, 1.0))
    return Row(what, f"p50 {p50}", f"p99 {p99}", f"longest {longest}", goal)


def _at(values: Sequence[float], part: float) -> str:
    return milliseconds(values[min(len(values) - 1, int(len(values) * part))]) if values else "-"


def _late(at: float, due: Sequence[float]) -> float:
    """Seconds from the last wave before a moment."""
    return at - max((one for one in due if one <= at), default=due[0])
