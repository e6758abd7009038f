"""Spans for OpenTelemetry, where that is installed (``digestbot[otel]``) and told where they go.

Where to is said as for every other program that exports traces, by ``OTEL_EXPORTER_OTLP_ENDPOINT``
and its like (https://opentelemetry.io/docs/specs/otel/protocol/exporter/); without it nothing is
imported and a span costs a look at a variable. Names of spans are a closed set; attributes are
names of channels, repositories and platforms, and the id under which the logs tell of the same.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal

import structlog

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Tracer


def trace() -> str:
    """The id under which the logs tell what goes on here; a new one where nothing has one yet."""
    bound = structlog.contextvars.get_contextvars().get("trace")
    return bound if isinstance(bound, str) else uuid.uuid4().hex[:12]


log = structlog.get_logger(__name__)

Name = Literal["slot", "fetch", "analyse", "post", "answer"]

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")

_FLUSH = 3.0
"""Seconds at the end in which what is left is sent; a collector that is down holds nobody up."""

# Set before the loop begins, so that every task of it has it.
_tracer: ContextVar[Tracer | None] = ContextVar("tracer", default=None)


@contextmanager
def span(name: Name, **attributes: str) -> Iterator[None]:
    """Tell a tracer what goes on inside, where there is one.

    Of an error its class alone is told: a message may quote what nobody else is to see.
    """
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
    """Hand spans to this tracer, in whatever is begun inside."""
    token = _tracer.set(tracer)
    try:
        yield
    finally:
        _tracer.reset(token)


@contextmanager
def exporting(version: str) -> Iterator[None]:
    """Export spans for as long as the block lasts, if the environment says where to."""
    if not any(os.environ.get(name) for name in _ENDPOINTS):
        yield
        return
    try:
        provider = _provider(version)
    except ModuleNotFoundError as error:
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
