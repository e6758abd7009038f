"""Spans, seen through OpenTelemetry's own exporter in memory."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import structlog
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from bot.util.tracing import exporting, span, traced_by
from tests.servers.collector import collecting


@pytest.fixture
def told():
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with traced_by(provider.get_tracer("test")):
        yield exporter
    provider.shutdown()


def test_spans_lie_in_each_other_and_bear_the_id_of_the_logs(told):
    with (
        structlog.contextvars.bound_contextvars(trace="abc"),
        span("slot", channel="team"),
        span("fetch", repository="owner/name"),
    ):
        pass
    inner, outer = told.get_finished_spans()
    assert (inner.name, outer.name) == ("fetch", "slot")
    assert inner.parent.span_id == outer.context.span_id
    assert dict(inner.attributes) == {
        "digestbot.repository": "owner/name",
        "digestbot.trace": "abc",
    }
    assert dict(outer.attributes) == {"digestbot.channel": "team", "digestbot.trace": "abc"}


def test_of_an_error_its_class_alone_is_told(told):
    with pytest.raises(ValueError, match="secret"), span("post", platform="slack"):
        raise ValueError("the secret of the matter")
    (one,) = told.get_finished_spans()
    assert (one.status.status_code, one.status.description) == (StatusCode.ERROR, "ValueError")
    assert one.events == ()


def test_without_a_tracer_nothing_is_told_and_nothing_in_the_way():
    with span("slot", channel="team"):
        pass


def test_without_an_address_nothing_is_imported(tmp_path):
    code = (
        "import sys\n"
        "from bot.util.tracing import exporting, span\n"
        "with exporting('1'), span('slot'): pass\n"
        "assert not any(name.startswith('opentelemetry') for name in sys.modules)\n"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OTEL_")}
    environment["PYTHONPATH"] = str(Path(__file__).parents[4])
    subprocess.run([sys.executable, "-c", code], check=True, env=environment, cwd=tmp_path)


def test_spans_are_sent_to_where_the_environment_says(monkeypatch):
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        with exporting("1.2.3"), span("answer", platform="slack"):
            pass
    ((path, body),) = collector.received
    assert path == "/v1/traces"
    assert all(word in body for word in (b"answer", b"digestbot.platform", b"slack", b"1.2.3"))


def test_a_missing_library_is_told_with_the_way_out(monkeypatch):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setitem(
        sys.modules, "opentelemetry.sdk.trace", None
    )  # as where it is not installed
    with structlog.testing.capture_logs() as logs, exporting("1"), span("slot"):
        pass
    assert [(one["event"], one["install"]) for one in logs] == [
        ("telemetry.missing", "digestbot[otel]")
    ]
