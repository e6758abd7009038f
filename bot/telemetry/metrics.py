"""Prometheus metrics, counted from log events.

Code that posts, asks or analyses knows nothing of metrics, and a log line and its metric cannot
disagree. :class:`Metrics` is a structlog processor, which sees every event, whatever the level of
the logs is. Labels are of closed sets: names of accounts and channels of the configuration,
reasons, kinds; never text from strangers.
"""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from structlog.typing import EventDict, WrappedLogger

from bot.messaging.sender import SendReason
from bot.store.job_queue import Depth

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_REASONS = frozenset(SendReason)

_METRICS: tuple[tuple[Any, str, str, str], ...] = (
    (Gauge, "pending_deliveries", "", "Unfinished deliveries"),
    (Gauge, "receiver_up", "account", "Whether a receiver hears"),
    (Gauge, "archive_up", "", "Whether the archive could be queried for these metrics"),
    (Gauge, "jobs_waiting", "kind", "Jobs waiting for a worker"),
    (Gauge, "jobs_doing", "kind", "Jobs being processed"),
    (Gauge, "jobs_oldest_seconds", "kind", "Age of the oldest waiting job"),
    (Counter, "deliveries", "platform result", "Attempts to deliver digests, by outcome"),
    (Counter, "refusals", "platform reason", "Platform calls that failed, by reason"),
    (Counter, "slots", "result", "Slots, by outcome"),
    (
        *(Histogram, "delivery_lag_seconds", ""),
        "Time from when a slot is due to its digests being posted or recorded",
    ),
    (Gauge, "last_sweep_timestamp_seconds", "", "Time of the last sweep for unfinished deliveries"),
    (Counter, "unparsed_files", "", "Files that were too large or too complex to parse"),
    (Counter, "messages", "platform result", "Messages to the bot, by outcome"),
    (
        *(Histogram, "answer_seconds", "platform"),
        "Time from receiving a message to posting its answer",
    ),
    (Counter, "receivers_broken", "platform", "Errors that interrupted listening"),
    (Counter, "model_calls", "kind outcome", "Calls to the model"),
    (Counter, "model_tokens", "direction", "Tokens by direction"),
    (Counter, "model_cost", "", "Cost in the model's currency"),
    (Histogram, "model_call_seconds", "", "Calls to the model"),
    (Histogram, "http_seconds", "status", "Requests to the web server, by status"),
    (
        *(Gauge, "shared_up", ""),
        "Whether Redis answered the last call; 1 if Redis is not configured",
    ),
)
"""Metrics with their labels, in the order of the text; their names begin with ``digestbot_``."""

_BUCKETS = {
    "delivery_lag_seconds": (1, 5, 15, 30, 60, 120, 300, 900, 3600, 4 * 3600, 24 * 3600),
    "answer_seconds": (0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120),
    "model_call_seconds": (0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320),
    "http_seconds": (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 3, 10),
}


class Metrics:
    """All metrics of a process, in a registry of its own."""

    def __init__(self, version: str, *, process: bool = True) -> None:
        """``process`` adds memory, descriptors and processor time of the process itself."""
        self.registry = registry = CollectorRegistry()
        if process:
            ProcessCollector(registry=registry)
            PlatformCollector(registry=registry)
        build = Info("digestbot_build", "What is running", registry=registry)
        build.info({"version": version, "python": platform.python_version()})
        self._of: dict[str, Any] = {}
        for kind, name, labels, about in _METRICS:
            buckets = {"buckets": _BUCKETS[name]} if name in _BUCKETS else {}
            self._of[name] = kind(
                f"digestbot_{name}", about, labels.split(), registry=registry, **buckets
            )
        # Present from the first scrape: Prometheus sees no increase if a counter starts at one.
        for result in ("finished", "failed"):
            self._of["slots"].labels(result)
        self._of["shared_up"].set(1)

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        """Count the event, and return it unchanged."""
        self._count(event)
        return event

    def _count(self, event: EventDict) -> None:
        of = self._of
        match event.get("event"):
            case "delivery.sent" | "delivery.held" as ended:
                of["deliveries"].labels(_name(event), _end(ended)).inc()
            case "delivery.refused":
                reason = str(event.get("error", "")).partition(":")[0]
                of["refusals"].labels(_name(event), reason if reason in _REASONS else "other").inc()
            case "slot.finished" | "slot.failed" as ended:
                of["slots"].labels(_end(ended)).inc()
                if ended == "slot.finished" and event.get("digests"):
                    of["delivery_lag_seconds"].observe(_number(event.get("late")))
            case "sweep.done":
                of["last_sweep_timestamp_seconds"].set_to_current_time()
            case "change.unparsed":
                of["unparsed_files"].inc(_number(event.get("files")))
            case (
                "message.answered"
                | "message.unanswered"
                | "message.repeated"
                | "message.refused"
                | "message.broken"
            ) as ended:
                of["messages"].labels(_name(event), _end(ended)).inc()
                if "seconds" in event:
                    of["answer_seconds"].labels(_name(event)).observe(_number(event["seconds"]))
            case "listen.broken":
                of["receivers_broken"].labels(_name(event)).inc()
            case "model.call":
                of["model_calls"].labels(str(event.get("kind")), str(event.get("outcome"))).inc()
                of["model_call_seconds"].observe(_number(event.get("seconds")))
                for direction in ("input", "cached", "output"):
                    of["model_tokens"].labels(direction).inc(_number(event.get(direction)))
                of["model_cost"].inc(_number(event.get("cost")))
            case "web.answered":
                took = of["http_seconds"].labels(str(event.get("status")))
                took.observe(_number(event.get("seconds")))
            case "shared.lost" | "shared.found" as found:
                of["shared_up"].set(found == "shared.found")

    def text(
        self, *, deaf: Mapping[str, str], pending: int | None, jobs: Mapping[str, Depth]
    ) -> bytes:
        """The metrics in Prometheus' text format.

        ``pending`` counts the deliveries that are not done; ``deaf`` gives, by account, the reason
        why a receiver does not receive, empty if it does; ``jobs`` are those of all processes
        together, by kind. While the archive is unavailable, ``pending`` is ``None`` and there are
        no jobs, and the last values stay.
        """
        of = self._of
        of["archive_up"].set(pending is not None)
        if pending is not None:
            of["pending_deliveries"].set(pending)
            for kind, depth in jobs.items():
                of["jobs_waiting"].labels(kind).set(depth.waiting)
                of["jobs_doing"].labels(kind).set(depth.doing)
                of["jobs_oldest_seconds"].labels(kind).set(depth.oldest)
        for account, trouble in deaf.items():
            of["receiver_up"].labels(account).set(not trouble)
        return generate_latest(self.registry)

    @property
    def swept_ago(self) -> float | None:
        """Seconds since the last sweep; ``None`` before the first."""
        at = self.registry.get_sample_value("digestbot_last_sweep_timestamp_seconds")
        return time.time() - at if at else None


def _name(event: EventDict) -> str:
    """The platform; refused messages name it before their chat."""
    return str(event.get("platform") or str(event.get("chat", "")).partition(":")[0])


def _end(event: str) -> str:
    """The outcome that an event is named after: ``sent`` for ``delivery.sent``."""
    return event.partition(".")[2]


def _number(value: Any) -> float:
    """A number of an event; nothing if it is none, as counting must not break logging."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return 0.0
    return number if math.isfinite(number) and number >= 0 else 0.0
