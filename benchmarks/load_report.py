"""The tables of the load run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.load_world import Process, Usage
from benchmarks.timing import Row, milliseconds


def outcomes(
    told: Mapping[str, Any], rate: float, channels: int, due: Sequence[float]
) -> list[Row]:
    """What became of questions and digests; ``due`` are the waves, in seconds of the run."""
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


def costs(before: Mapping[str, Usage], after: Mapping[str, Usage]) -> list[Row]:
    """What each process held, and its processor time while questions were asked."""
    return [
        Row(
            name,
            f"{held.resident:.0f} MB resident",
            f"{held.proportional:.0f} MB proportional",
            f"{max(0.0, held.seconds - before[name].seconds):.1f} s of processor",
            "",
        )
        for name, held in after.items()
    ]


_OF_DIGESTS = "slots", "deliveries", "delivery_parts", "digests", "reports", "outcomes", "tips"
_OF_QUESTIONS = "heard", "conversations", "looks"


def sizes(held: Mapping[str, int], digests: int, questions: int) -> list[Row]:
    """What one more digest and one more question take in the database, with their indexes."""
    found = []
    for what, names, count in (
        ("digest", _OF_DIGESTS, digests),
        ("question, for two days", _OF_QUESTIONS, questions),
    ):
        size = sum(held[name] for name in names) / max(1, count)
        found.append(Row(f"in the database: a {what}", f"{size / 1024:.1f} kB", "", "", ""))
    return found


def troubles(run: Sequence[Process], told: Mapping[str, Any]) -> list[str]:
    """What the processes warned of, and what happened to deliveries."""
    counted = Counter(
        f"{event.get('level')} {event['event']}"
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
    """Seconds since the wave before a moment."""
    return at - max((one for one in due if one <= at), default=due[0])
