"""Alerts and the dashboard ask for figures that the program tells, by labels that these have."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.messaging.sender import SendReason
from bot.store.job_queue import Depth, JobKind
from bot.telemetry.metrics import Metrics

ROOT = Path(__file__).parents[3]
ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yaml"
DASHBOARD = ROOT / "deploy" / "grafana" / "digestbot.json"
CASES = ROOT / "tests" / "data" / "prometheus" / "alerts.test.yaml"

_SELECTOR = re.compile(r"\b((?:digestbot|process)_\w+)\b(?:\{([^}]*)\})?")
_MATCHER = re.compile(r'(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"')
_BY = re.compile(r"\bby \(([^)]*)\)")
_SCRAPED = {"job", "instance"}
"""What Prometheus adds to every figure."""

_TOLD: tuple[Mapping[str, Any], ...] = (
    {"event": "delivery.sent", "platform": "slack"},
    {"event": "delivery.refused", "platform": "slack", "error": "no_channel"},
    {"event": "slot.finished", "digests": 1, "late": 1.0},
    {"event": "sweep.done"},
    {"event": "message.answered", "platform": "slack", "seconds": 1.0},
    {"event": "message.unanswered", "platform": "slack"},
    {"event": "message.broken", "platform": "slack"},
    {"event": "listen.broken", "platform": "slack"},
    {"event": "model.call", "kind": "change", "outcome": "ok", "input": 1, "cost": 1},
    {"event": "web.answered", "status": 500, "seconds": 1.0},
    {"event": "web.answered", "status": 503, "seconds": 1.0},
)


@pytest.fixture(scope="module")
def told() -> Mapping[str, Mapping[str, set[str]]]:
    """Every figure by its name, with the values that each of its labels has."""
    metrics = Metrics("1.2.3")
    for event in _TOLD:
        metrics(None, "info", dict(event))
    depth = {str(kind): Depth(waiting=1, doing=1, oldest=1.0) for kind in JobKind}
    metrics.text(deaf={"slack": ""}, pending=1, jobs=depth)
    found: dict[str, dict[str, set[str]]] = {}
    for family in metrics.registry.collect():
        for sample in family.samples:
            labels = found.setdefault(sample.name, {})
            for name, value in sample.labels.items():
                labels.setdefault(name, set()).add(value)
    found["digestbot_refusals_total"]["reason"] |= set(SendReason)
    return found


def alerts() -> list[dict[str, Any]]:
    (group,) = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return group["rules"]


def panels() -> list[dict[str, Any]]:
    return json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]


def expressions() -> Iterator[Any]:
    for rule in alerts():
        yield pytest.param(rule["expr"], id=rule["alert"])
    for panel in panels():
        for target in panel["targets"]:
            yield pytest.param(target["expr"], id=f"{panel['title']} {target['refId']}")


@pytest.mark.parametrize("expression", [*expressions()])
def test_figures_are_told_by_the_program_under_these_labels(told, expression: str) -> None:
    selectors = _SELECTOR.findall(expression)
    assert selectors
    labels = set(_SCRAPED)
    for name, matchers in selectors:
        assert name in told
        labels |= told[name].keys()
        for label, wanted in _MATCHER.findall(matchers):
            assert label in told[name].keys() | _SCRAPED
            if label not in _SCRAPED:
                assert any(re.fullmatch(wanted, value) for value in told[name][label])
    for group in _BY.findall(expression):
        assert set(re.split(r",\s*", group)) <= labels


def test_each_alert_says_how_bad_it_is_what_it_is_and_what_to_do() -> None:
    names = [rule["alert"] for rule in alerts()]
    assert len(names) == len(set(names))
    for rule in alerts():
        assert rule["labels"]["severity"] in {"critical", "warning"}
        assert rule["annotations"].keys() == {"summary", "action"}


def test_each_alert_has_a_case_in_which_it_fires() -> None:
    tested = yaml.safe_load(CASES.read_text(encoding="utf-8"))["tests"]
    fired = {
        case["alertname"]
        for test in tested
        for case in test["alert_rule_test"]
        if case.get("exp_alerts")
    }
    assert fired == {rule["alert"] for rule in alerts()}


def test_alerts_fire_when_they_should_and_not_before() -> None:
    """Where Prometheus' own tool is installed, as with Debian's package ``prometheus``."""
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("promtool is not installed here")
    for words in (("check", "rules", ALERTS), ("test", "rules", CASES)):
        done = subprocess.run([promtool, *words], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_panels_have_numbers_of_their_own_and_stand_beside_each_other() -> None:
    assert len({panel["id"] for panel in panels()}) == len(panels())
    places = [panel["gridPos"] for panel in panels()]
    assert all(place["x"] + place["w"] <= 24 for place in places)
    rows = sorted(places, key=lambda place: (place["y"], place["x"]))
    for one, other in pairwise(rows):
        if one["y"] == other["y"]:
            assert one["x"] + one["w"] <= other["x"]
        else:
            assert one["y"] + one["h"] <= other["y"]
