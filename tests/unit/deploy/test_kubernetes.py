"""The manifests: valid by Kubernetes' own schemas, fitting together, and no more than is needed.

What is looked at is what ``kubectl kustomize`` makes of each overlay, which is what is applied.
"""

from __future__ import annotations

import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from bot.config.reader import read
from bot.jobs.roles import ProcessRole
from bot.jobs.services import GRACE
from bot.web.server import DRAIN

FOLDER = Path(__file__).parents[3] / "deploy" / "kubernetes"

SINGLE, ROLES = "single", "roles"

VERSION = "1.37"

Manifest = dict[str, Any]

needs_kubectl = pytest.mark.skipif(
    shutil.which("kubectl") is None,
    reason="no kubectl; see https://kubernetes.io/docs/tasks/tools/",
)
every_overlay = pytest.mark.parametrize("overlay", [SINGLE, ROLES])


def files() -> list[Path]:
    return sorted(FOLDER.rglob("*.yaml"))


def kustomized(folder: Path) -> list[Manifest]:
    built = subprocess.run(
        ["kubectl", "kustomize", folder], capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    return list(yaml.safe_load_all(built.stdout))


@cache
def built(overlay: str) -> list[Manifest]:
    return kustomized(FOLDER / "overlays" / overlay)


def of(overlay: str, kind: str) -> dict[str, Manifest]:
    return {one["metadata"]["name"]: one for one in built(overlay) if one["kind"] == kind}


def pods(overlay: str) -> list[Manifest]:
    """The pods of all deployments, with their labels."""
    return [one["spec"]["template"] for one in of(overlay, "Deployment").values()]


def example() -> Manifest:
    return yaml.safe_load((FOLDER / "secret.example.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("file", files(), ids=lambda file: str(file.relative_to(FOLDER)))
def test_a_file_is_used_or_the_example(file: Path):
    if file.name in {"kustomization.yaml", "secret.example.yaml"}:
        return
    named = yaml.safe_load((file.parent / "kustomization.yaml").read_text(encoding="utf-8"))
    used = [*named.get("resources", ()), *(one.get("path") for one in named.get("patches", ()))]
    assert file.name in used


@needs_kubectl
@every_overlay
def test_what_is_applied_is_valid_and_says_nothing_that_is_not_known(overlay: str):
    for manifest in [*built(overlay), example()]:
        kubernetes_validate.validate(manifest, VERSION, strict=True)
        assert manifest["kind"] == "Namespace" or manifest["metadata"]["namespace"] == "digestbot"


@needs_kubectl
def test_kinds_are_those_that_each_way_needs():
    kinds = {"Namespace", "ConfigMap", "Deployment", "Service", "NetworkPolicy"}
    assert {one["kind"] for one in built(SINGLE)} == kinds | {"PersistentVolumeClaim"}
    more = {"HorizontalPodAutoscaler", "PodDisruptionBudget"}
    assert {one["kind"] for one in built(ROLES)} == kinds | more


@needs_kubectl
@every_overlay
def test_names_and_labels_fit_together(overlay: str):
    labels = [pod["metadata"]["labels"] for pod in pods(overlay)]
    (service,) = of(overlay, "Service").values()
    policies = of(overlay, "NetworkPolicy").values()
    budgets = of(overlay, "PodDisruptionBudget").values()
    selectors = [
        service["spec"]["selector"],
        *(one["spec"]["podSelector"]["matchLabels"] for one in policies),
        *(one["spec"]["selector"]["matchLabels"] for one in budgets),
    ]
    for selector in selectors:
        assert any(selector.items() <= one.items() for one in labels), selector
    for deployment in of(overlay, "Deployment").values():
        chosen = deployment["spec"]["selector"]["matchLabels"]
        assert sum(chosen.items() <= one.items() for one in labels) == 1
    for pod in pods(overlay):
        (container,) = pod["spec"]["containers"]
        volumes = {one["name"]: one for one in pod["spec"]["volumes"]}
        assert {one["name"] for one in container["volumeMounts"]} == set(volumes)
        assert volumes["secrets"]["secret"]["secretName"] == example()["metadata"]["name"]
        assert volumes["configuration"]["configMap"]["name"] in of(overlay, "ConfigMap")
        ports = {one["name"] for one in container["ports"]}
        assert {one["targetPort"] for one in service["spec"]["ports"]} <= ports


@needs_kubectl
def test_the_archive_in_a_file_is_one_process_with_a_volume_that_stays():
    (deployment,) = of(SINGLE, "Deployment").values()
    assert (deployment["spec"]["replicas"], deployment["spec"]["strategy"]) == (
        1, {"type": "Recreate"}
    )  # fmt: skip
    volumes = {one["name"]: one for one in deployment["spec"]["template"]["spec"]["volumes"]}
    claim = volumes["data"]["persistentVolumeClaim"]["claimName"]
    assert set(of(SINGLE, "PersistentVolumeClaim")) == {claim}
    assert "emptyDir" not in volumes["data"]


@needs_kubectl
def test_every_role_is_a_deployment_that_can_be_asked_and_may_lose_a_node():
    roles = {}
    for name, deployment in of(ROLES, "Deployment").items():
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        said = container["args"]
        roles[said[said.index("--role") + 1]] = name
        assert "--listen" in said or said[-1] == "web"
        (source,) = container["envFrom"]
        assert not source["secretRef"].get("optional")
    assert set(roles) == {str(role) for role in ProcessRole if role is not ProcessRole.ALL}
    assert set(of(ROLES, "PodDisruptionBudget")) == set(roles.values())
    (scaler,) = of(ROLES, "HorizontalPodAutoscaler").values()
    assert scaler["spec"]["scaleTargetRef"]["name"] == roles["worker"]
    # Who says how many there are is the scaler alone.
    assert "replicas" not in of(ROLES, "Deployment")[roles["worker"]]["spec"]


@needs_kubectl
def test_workers_can_be_scaled_by_what_waits(tmp_path: Path):
    shutil.copytree(FOLDER, tmp_path / "kubernetes")
    overlay = tmp_path / "kubernetes" / "overlays" / ROLES
    file = overlay / "kustomization.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("# components:\n#   - ", "components:\n  - "))
    found = [one for one in kustomized(overlay) if one["kind"] == "HorizontalPodAutoscaler"]
    (scaler,) = found
    kubernetes_validate.validate(scaler, VERSION, strict=True)
    (metric,) = scaler["spec"]["metrics"]
    assert metric["external"]["metric"]["name"] == "digestbot_jobs_waiting"


@needs_kubectl
@every_overlay
def test_every_pod_runs_restricted(overlay: str):
    for pod in pods(overlay):
        (container,) = pod["spec"]["containers"]
        assert pod["spec"]["securityContext"]["runAsNonRoot"] is True
        assert pod["spec"]["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["spec"]["automountServiceAccountToken"] is False
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {"cpu", "memory"} <= set(container["resources"]["requests"])
        assert "memory" in container["resources"]["limits"]


@needs_kubectl
@every_overlay
def test_probes_ask_for_life_and_for_readiness_and_the_end_is_waited_for(overlay: str):
    for pod in pods(overlay):
        (container,) = pod["spec"]["containers"]
        asked = {
            name: container[name]["httpGet"]["path"]
            for name in ("livenessProbe", "startupProbe", "readinessProbe")
        }
        assert asked == {
            "livenessProbe": "/healthz", "startupProbe": "/healthz", "readinessProbe": "/readyz"
        }  # fmt: skip
        assert pod["spec"]["terminationGracePeriodSeconds"] > GRACE + DRAIN


@needs_kubectl
def test_the_configuration_can_be_read_with_the_secrets_of_the_example(tmp_path: Path):
    text = of(SINGLE, "ConfigMap")["digestbot"]["data"]["digestbot.toml"]
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    for name, value in example()["stringData"].items():
        (secrets / name).write_text(value)
        (secrets / name).chmod(0o600)
    file = tmp_path / "digestbot.toml"
    file.write_text(text.replace("/config/secrets", str(secrets)))
    config = read(file)
    (pod,) = pods(SINGLE)
    assert config.web is not None
    assert config.web.listen.port == pod["spec"]["containers"][0]["ports"][0]["containerPort"]
    assert config.web.public_url.startswith("https://")
