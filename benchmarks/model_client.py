"""What the client of a model costs beside the model: a server of fixed latency on loopback.

    python -m benchmarks.model_client

The first table is the time that our side takes for one call after the other, with a server that
answers at once; its own part and the network's are in it. The second is the time from the first
question to the last reply of a day's calls, over the ideal of ``ceil(calls / slots) * latency``.
"""

from __future__ import annotations

import asyncio
import json
import math
import statistics
import time
from typing import cast

import structlog
from rich.console import Console
from rich.table import Table

from bot.config.model_section import ModelConfig
from bot.llm.calls import CappedBudget
from bot.llm.client import ServedModel
from bot.llm.openai_client import OpenAITransport
from bot.llm.response_format import DialectFile
from bot.store.analyses import SqlCalls
from bot.util.machine import SystemClock
from digest.core.enums import Language
from handlers.ports.model_port import (
    BillingAccount,
    CallKind,
    ModelCall,
    ModelMessage,
    ModelRequest,
    Speaker,
    Usage,
)
from tests.servers.model import ModelServer, Says, Sent
from tests.support.fakes_model import FakeMemory

SCHEMA = {
    "type": "object",
    "properties": {
        "summary": {"type": "array", "items": {"type": "string"}},
        "risks": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["summary", "risks"],
    "additionalProperties": False,
}
SENTENCE = "The default of `--max-model-len` is read from the configuration of the model."
REPLY = json.dumps({"summary": [SENTENCE] * 12, "risks": [SENTENCE] * 4})
GOAL_OVERHEAD = 0.015
GOAL_MAKESPAN = 1.15


class NoLedger:
    """A ledger that records nothing."""

    async def add(self, call: ModelCall) -> None:
        """Do nothing."""

    async def spent(self, *_: object, **__: object) -> Usage:
        """Nothing."""
        return Usage()


def question(size: int) -> ModelRequest[object]:
    """A question with a patch of about ``size`` bytes."""
    line = "+        value = config.get_default(name, fallback=None)  # as before\n"
    return ModelRequest(
        messages=(
            ModelMessage(role=Speaker.SYSTEM, text="You analyse one change. " * 100),
            ModelMessage(role=Speaker.USER, text=line * (size // len(line))),
        ),
        schema=SCHEMA,
        read=lambda found: found,
        account=BillingAccount(kind=CallKind.ANALYSIS, repository="a/b"),
        language=Language.EN,
    )


def answer(_: Sent) -> Says:
    """The same reply to everything."""
    return Says(text=REPLY)


async def overhead(size: int, calls: int = 200) -> list[float]:
    """Seconds per call, one after the other."""
    with ModelServer(answer=answer) as server:
        model = served(server, slots=1)
        await model.complete(question(size))
        times = []
        for _ in range(calls):
            began = time.perf_counter()
            await model.complete(question(size))
            times.append(time.perf_counter() - began)
        await model.aclose()
    return times


async def makespan(calls: int, latency: float, slots: int, size: int) -> float:
    """Seconds for all calls in parallel."""
    with ModelServer(answer=answer, latency=latency, slots=slots) as server:
        model = served(server, slots=slots)
        await model.warm()
        began = time.perf_counter()
        await asyncio.gather(*(model.complete(question(size)) for _ in range(calls)))
        took = time.perf_counter() - began
        await model.aclose()
    return took


def served(server: ModelServer, slots: int) -> ServedModel:
    """A model on the server."""
    config = ModelConfig(name="m", base_url=server.url, concurrency=slots, context=131_072)
    ledger = cast("SqlCalls", NoLedger())
    return ServedModel(
        config,
        OpenAITransport(config),
        ledger,
        budget=CappedBudget(config.caps, ledger, SystemClock()),
        memory=cast("DialectFile", FakeMemory()),
    )


def main() -> None:
    """Print both tables."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    console = Console()
    began = time.perf_counter()
    import openai  # noqa: F401 - the time it takes is what is measured

    console.print(f"importing the library, once a process: {time.perf_counter() - began:.2f} s")

    table = Table(title=f"our side of one call (goal {GOAL_OVERHEAD * 1000:.0f} ms)")
    for name in ("patch", "median ms", "95 % ms"):
        table.add_column(name, justify="right")
    for size in (4_000, 35_000, 160_000):
        times = sorted(asyncio.run(overhead(size)))
        median, high = statistics.median(times), times[len(times) * 95 // 100]
        table.add_row(f"{size:,} B", f"{median * 1000:.1f}", f"{high * 1000:.1f}")
    console.print(table)

    table = Table(title=f"a day of calls (goal {GOAL_MAKESPAN} of the ideal)")
    for name in ("calls", "latency s", "slots", "took s", "ideal s", "of the ideal"):
        table.add_column(name, justify="right")
    for calls, latency, slots in ((40, 0.5, 8), (47, 1.0, 8), (64, 1.0, 16), (200, 0.5, 32)):
        took = asyncio.run(makespan(calls, latency, slots, 12_000))
        ideal = math.ceil(calls / slots) * latency
        table.add_row(
            str(calls),
            f"{latency}",
            str(slots),
            f"{took:.2f}",
            f"{ideal:.2f}",
            f"{took / ideal:.3f}",
        )
    console.print(table)


if __name__ == "__main__":
    main()
