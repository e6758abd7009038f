"""How a metric may be written in programs that add a prefix and a suffix to it."""

from __future__ import annotations

import pytest

from digest.core.facts import Action, FactKind
from digest.facts.metrics import spellings, written
from tests.unit.digest.facts.changes import facts_of, told


def test_a_metric_may_lack_up_to_three_parts_and_its_suffix() -> None:
    found = spellings("engine_pool_busy_seconds_total")
    assert found[:2] == ("engine_pool_busy_seconds_total", "engine_pool_busy_seconds")
    assert {"pool_busy_seconds", "busy_seconds_total"} <= set(found)
    shortest = [one for one in found if "seconds" in one and "busy" not in one]
    assert sorted(shortest) == ['"seconds"', "seconds_total"]
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        ('Name: "busy_seconds"', "busy_seconds"),
        ('Subsystem: "pool", Name: "busy_seconds"', "busy_seconds"),
        ('Name: "seconds"', "seconds"),
        ('Name: "engine_pool_busy_seconds"', ""),
        ("Name: busy_seconds", ""),
    ],
)
def test_the_part_that_is_written_as_one_string_is_found(lines: str, part: str) -> None:
    assert written("engine_pool_busy_seconds", lines) == part


def test_a_metric_that_only_gets_another_name_is_renamed() -> None:
    old = 'package m\n\nfunc init() {\n\tprometheus.Register("ops_total", "Operations.", nil, ops)\n}\n'
    new = old.replace('"ops_total"', '"app_ops_total"')
    assert told(facts_of("Change it", ("m/m.go", old, new)).items) == [
        "renamed app_ops_total ops_total -> app_ops_total @4n"
    ]


def test_a_metric_that_moves_into_a_table_of_names_is_not_removed() -> None:
    old = 'from prometheus_client import Gauge\n\nBUSY = Gauge("app_pools_busy", "Pools at work")\n'
    new = """\
from prometheus_client import Gauge

TABLE = ((Gauge, "pools_busy", "Pools at work"),)
MADE = {name: kind(f"app_{name}", about) for kind, name, about in TABLE}
"""
    assert told(facts_of("Change it", ("m/m.py", old, new)).items) == []
    gone = new.replace('((Gauge, "pools_busy", "Pools at work"),)', "()")
    assert "removed app_pools_busy" in told(facts_of("Change it", ("m/m.py", old, gone)).items)[0]


def test_names_in_a_table_of_an_enumeration_are_metrics() -> None:
    old = (
        "static Name names[] = {\n"
        '  {IDLE, "pool.idle.seconds"},\n'
        "  {BUSY,\n"
        '   "pool.busy.seconds"},\n'
        "};\n"
    )
    for name, line in (("pool.idle.seconds", 2), ("pool.busy.seconds", 4)):
        new = old.replace(f'"{name}"', '"pool.of.size"')
        found = facts_of("Change it", ("src/names.cc", old, new)).items
        assert f"removed {name} @{line}o" in told(found)


def test_a_name_that_a_registry_may_complete_is_not_renamed() -> None:
    old = 'package m\n\nfunc init() {\n\tprometheus.Register("ops_total", "Operations.", nil, ops)\n}\n'
    new = old.replace('"ops_total"', '"app_ops_total"').replace(
        "func", "// No prefix any more.\nfunc"
    )
    assert told(facts_of("Change it", ("m/m.go", old, new)).items) == []


NAMESPACE = """\
package web

const (
\tnamespace = "prometheus"
\tsubsystem = "http"
)

var requests = prometheus.NewCounter(prometheus.CounterOpts{
\tNamespace: namespace,
\tSubsystem: subsystem,
\tName:      "requests_total",
\tHelp:      "Requests.",
})
"""


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        ("prometheus", "prom", "prom_http_requests_total"),
        ("http", "web", "prometheus_web_requests_total"),
    ],
)
def test_a_namespace_that_changes_renames_its_metrics(old: str, new: str, name: str) -> None:
    text = NAMESPACE.replace(f'"{old}"', f'"{new}"')
    (fact,) = facts_of("Change it", ("web/web.go", NAMESPACE, text)).items
    assert (fact.before, fact.name) == ("prometheus_http_requests_total", name)


def test_constants_of_python_in_the_form_of_metrics_are_metrics() -> None:
    old = "class PoolMetrics:\n    BUSY = 1\n"
    new = (
        old
        + '    READ = "app:pool_read_bytes"\n    WAITS = (\n        "app:pool_wait_jobs"\n    )\n'
    )
    assert told(facts_of("Count it", ("app/pool.py", old, new)).items) == [
        "added app:pool_read_bytes @3n",
        "added app:pool_wait_jobs @5n",
    ]
    other = old.replace("Metrics", "") + '    READ = "app:pool_read_bytes"\n'
    assert told(facts_of("Add it", ("app/pool.py", old.replace("Metrics", ""), other)).items) == []


def test_metric_whose_beginning_a_method_adds_is_told() -> None:
    old = (
        "class Collector:\n    def collect(self):\n        yield GaugeMetricFamily(\n"
        '            self.build_name("open_requests"),\n            (\n'
        '                "Renamed to incoming_count."\n            ),\n            value=1,\n'
        "        )\n\n        yield 1\n"
    )
    new = "class Collector:\n    def collect(self):\n        yield 1\n"
    found = facts_of("Clean up", ("shop/http/core.py", old, new)).of(FactKind.METRIC)
    assert [(f.action, f.name) for f in found] == [(Action.REMOVED, "open_requests")]
