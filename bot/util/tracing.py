"""OpenTelemetry spans, if it is installed (``digestbot[otel]``) and an endpoint is configured.

The endpoint is set by ``OTEL_EXPORTER_OTLP_ENDPOINT`` and related variables
(https://opentelemetry.io/docs/specs/otel/protocol/exporter/). Without it nothing is imported, and a
span costs one variable lookup. Names of spans are a closed set.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer


def trace() -> str:
    """The log id of the current work; a new one if there is none yet."""
    from structlog.contextvars import get_contextvars  # slow to import, and rarely needed

    bound = get_contextvars().get("trace")
    return bound if isinstance(bound, str) else uuid.uuid4().hex[:12]


Name = Literal["slot", "fetch", "analyse", "post", "answer"]
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")
_FLUSH = 3.0
"""Seconds at the end for sending the rest; a collector that is down delays nothing longer."""

# Set before the event loop starts, so that every task has it.
_tracer: ContextVar[Tracer | None] = ContextVar("tracer", default=None)


@contextmanager
def span(name: Name, **attributes: str) -> Iterator[None]:
    """Trace the block, if there is a tracer; of an error only the class."""
    tracer = _tracer.get()
    if tracer is None:
        yield
        return
    from opentelemetry.trace import Status, StatusCode

    about = {f"digestbot.{key}": value for key, value in attributes.items()}
    with tracer.start_as_current_span(
        name,
        attributes={**about, "digestbot.trace": trace()},
        record_exception=False,
        set_status_on_exception=False,
    ) as current:
        try:
            yield
        except BaseException as error:
            current.set_status(Status(StatusCode.ERROR, type(error).__name__))
            raise


@contextmanager
def traced_by(tracer: Tracer) -> Iterator[None]:
    """Send spans of everything started inside to this tracer."""
    token = _tracer.set(tracer)
    try:
        yield
    finally:
        _tracer.reset(token)


@contextmanager
def exporting(version: str) -> Iterator[None]:
    """Export spans during the block, if the environment configures an endpoint."""
    if not any(os.environ.get(name) for name in _ENDPOINTS):
        yield
        return
    try:
        provider = _provider(version)
    except ModuleNotFoundError as error:
        import structlog

        log = structlog.get_logger(__name__)
        log.warning("telemetry.missing", module=error.name, install="digestbot[otel]")
        yield
        return
    try:
        with traced_by(provider.get_tracer("digestbot", version)):
            yield
    finally:
        ending = threading.Thread(target=provider.shutdown, daemon=True)
        ending.start()
        ending.join(_FLUSH)


def _provider(version: str) -> TracerProvider:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    about = {"service.version": version}
    if not os.environ.get("OTEL_SERVICE_NAME"):
        about["service.name"] = "digestbot"
    provider = TracerProvider(resource=Resource.create(about), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return provider
