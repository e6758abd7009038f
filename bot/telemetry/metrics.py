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
from collections.abc import Callable, Mapping
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector
from structlog.typing import EventDict, WrappedLogger

from bot.messaging.sender import SendReason
from bot.store.job_queue import Depth

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4
_LATE = (1, 5, 15, 30, 60, 120, 300, 900, 3600, 4 * 3600, 24 * 3600)
_ANSWER = (0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120)
_CALL = (0.5, 1, 2, 5, 10, 20, 40, 80, 160, 320)
_REQUEST = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 3, 10)
_SWEPT = "digestbot_last_sweep_timestamp_seconds"
_REASONS = frozenset(SendReason)
_RESULTS = {
    "message.answered": "answered",
    "message.unanswered": "unanswered",
    "message.repeated": "repeated",
    "message.refused": "refused",
    "message.broken": "broken",
}

Count = Callable[[EventDict], object]  # counts one event


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
        self._pending = Gauge(
            "digestbot_pending_deliveries", "Unfinished deliveries", registry=registry
        )
        self._hears = Gauge(
            "digestbot_receiver_up", "Whether a receiver hears", ["account"], registry=registry
        )
        self._archive = Gauge(
            "digestbot_archive_up",
            "Whether the archive could be queried for these metrics",
            registry=registry,
        )
        self._jobs = _Jobs(registry)
        subjects = (_Deliveries, _Slots, _Parsing, _Messages, _ModelCalls, _Requests, _Shared)
        self._counted: dict[str, Count] = {}
        for subject in subjects:
            self._counted |= subject(registry).counts()

    def __call__(self, _logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
        """Count the event, and return it unchanged."""
        counted = self._counted.get(event.get("event", ""))
        if counted is not None:
            counted(event)
        return event

    def text(
        self, *, deaf: Mapping[str, str], pending: int | None, jobs: Mapping[str, Depth]
    ) -> bytes:
        """The metrics in Prometheus' text format.

        ``pending`` counts the deliveries that are not done; ``deaf`` gives, by account, the reason
        why a receiver does not receive, empty if it does; ``jobs`` are those of all processes
        together, by kind. While the archive is unavailable, ``pending`` is ``None`` and there are
        no jobs, and the last values stay.
        """
        self._archive.set(pending is not None)
        if pending is not None:
            self._pending.set(pending)
            self._jobs.set(jobs)
        for account, trouble in deaf.items():
            self._hears.labels(account).set(not trouble)
        return generate_latest(self.registry)

    @property
    def swept_ago(self) -> float | None:
        """Seconds since the last sweep; ``None`` before the first."""
        at = self.registry.get_sample_value(_SWEPT)
        return time.time() - at if at else None


class _Deliveries:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._ended = Counter(
            "digestbot_deliveries",
            "Attempts to deliver digests, by outcome",
            ["platform", "result"],
            registry=registry,
        )
        self._refusals = Counter(
            "digestbot_refusals",
            "Platform calls that failed, by reason",
            ["platform", "reason"],
            registry=registry,
        )

    def counts(self) -> Mapping[str, Count]:
        return {
            "delivery.sent": lambda event: self._ended.labels(_name(event), "sent").inc(),
            "delivery.held": lambda event: self._ended.labels(_name(event), "held").inc(),
            "delivery.refused": self._refused,
        }

    def _refused(self, event: EventDict) -> None:
        reason = str(event.get("error", "")).partition(":")[0]
        self._refusals.labels(_name(event), reason if reason in _REASONS else "other").inc()


class _Slots:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._ended = Counter("digestbot_slots", "Slots, by outcome", ["result"], registry=registry)
        # Present from the first scrape: Prometheus sees no increase if a counter starts at one.
        for result in ("finished", "failed"):
            self._ended.labels(result)
        self._late = Histogram(
            "digestbot_delivery_lag_seconds",
            "Time from when a slot is due to its digests being posted or recorded",
            buckets=_LATE,
            registry=registry,
        )
        self._swept = Gauge(
            _SWEPT, "Time of the last sweep for unfinished deliveries", registry=registry
        )

    def counts(self) -> Mapping[str, Count]:
        return {
            "slot.finished": self._finished,
            "slot.failed": lambda _: self._ended.labels("failed").inc(),
            "sweep.done": lambda _: self._swept.set_to_current_time(),
        }

    def _finished(self, event: EventDict) -> None:
        self._ended.labels("finished").inc()
        if event.get("digests"):
            self._late.observe(_number(event.get("late")))


class _Messages:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._ended = Counter(
            "digestbot_messages",
            "Messages to the bot, by outcome",
            ["platform", "result"],
            registry=registry,
        )
        self._answers = Histogram(
            "digestbot_answer_seconds",
            "Time from receiving a message to posting its answer",
            ["platform"],
            buckets=_ANSWER,
            registry=registry,
        )
        self._broken = Counter(
            "digestbot_receivers_broken",
            "Errors that interrupted listening",
            ["platform"],
            registry=registry,
        )

    def counts(self) -> Mapping[str, Count]:
        return {
            **dict.fromkeys(_RESULTS, self._heard),
            "listen.broken": lambda event: self._broken.labels(_name(event)).inc(),
        }

    def _heard(self, event: EventDict) -> None:
        self._ended.labels(_name(event), _RESULTS[event["event"]]).inc()
        if "seconds" in event:
            self._answers.labels(_name(event)).observe(_number(event["seconds"]))


class _ModelCalls:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._ended = Counter(
            "digestbot_model_calls", "Calls to the model", ["kind", "outcome"], registry=registry
        )
        self._tokens = Counter(
            "digestbot_model_tokens", "Tokens by direction", ["direction"], registry=registry
        )
        self._cost = Counter(
            "digestbot_model_cost", "Cost in the model's currency", registry=registry
        )
        self._took = Histogram(
            "digestbot_model_call_seconds", "Calls to the model", buckets=_CALL, registry=registry
        )

    def counts(self) -> Mapping[str, Count]:
        return {"model.call": self._called}

    def _called(self, event: EventDict) -> None:
        self._ended.labels(str(event.get("kind")), str(event.get("outcome"))).inc()
        self._took.observe(_number(event.get("seconds")))
        for direction in ("input", "cached", "output"):
            self._tokens.labels(direction).inc(_number(event.get(direction)))
        self._cost.inc(_number(event.get("cost")))


class _Requests:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._took = Histogram(
            "digestbot_http_seconds",
            "Requests to the web server, by status",
            ["status"],
            buckets=_REQUEST,
            registry=registry,
        )

    def counts(self) -> Mapping[str, Count]:
        return {"web.answered": self._answered}

    def _answered(self, event: EventDict) -> None:
        self._took.labels(str(event.get("status"))).observe(_number(event.get("seconds")))


class _Parsing:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._unparsed = Counter(
            "digestbot_unparsed_files",
            "Files that were too large or too complex to parse",
            registry=registry,
        )

    def counts(self) -> Mapping[str, Count]:
        return {"change.unparsed": lambda event: self._unparsed.inc(_number(event.get("files")))}


class _Shared:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._up = Gauge(
            "digestbot_shared_up",
            "Whether Redis answered the last call; 1 if Redis is not configured",
            registry=registry,
        )
        self._up.set(1)

    def counts(self) -> Mapping[str, Count]:
        return {"shared.lost": lambda _: self._up.set(0), "shared.found": lambda _: self._up.set(1)}


class _Jobs:
    """Jobs that wait for workers, which any process can report."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._waiting = Gauge(
            "digestbot_jobs_waiting", "Jobs waiting for a worker", ["kind"], registry=registry
        )
        self._doing = Gauge(
            "digestbot_jobs_doing", "Jobs being processed", ["kind"], registry=registry
        )
        self._oldest = Gauge(
            "digestbot_jobs_oldest_seconds",
            "Age of the oldest waiting job",
            ["kind"],
            registry=registry,
        )

    def set(self, jobs: Mapping[str, Depth]) -> None:
        for kind, depth in jobs.items():
            self._waiting.labels(kind).set(depth.waiting)
            self._doing.labels(kind).set(depth.doing)
            self._oldest.labels(kind).set(depth.oldest)


def _name(event: EventDict) -> str:
    """The platform; refused messages name it before their chat."""
    return str(event.get("platform") or str(event.get("chat", "")).partition(":")[0])


def _number(value: Any) -> float:
    """A number of an event; nothing if it is none, as counting must not break logging."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        return 0.0
    return number if math.isfinite(number) and number >= 0 else 0.0
