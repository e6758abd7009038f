"""The manifests: valid by Kubernetes' own schemas, fitting together, and no more than is needed."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import kubernetes_validate
import pytest
import yaml

from bot.config import read
from bot.runner import GRACE
from bot.web.server import DRAIN

FOLDER = Path(__file__).parents[3] / "deploy" / "kubernetes"


def loaded(name: str) -> dict:
    return yaml.safe_load((FOLDER / name).read_text(encoding="utf-8"))


KUSTOMIZATION = loaded("kustomization.yaml")
NAMES = [*KUSTOMIZATION["resources"], "secret.example.yaml"]


@pytest.fixture(scope="module")
def pod() -> dict:
    return loaded("deployment.yaml")["spec"]["template"]["spec"]


@pytest.mark.parametrize("name", NAMES)
def test_a_manifest_is_valid_and_says_nothing_that_is_not_known(name):
    kubernetes_validate.validate(loaded(name), "1.37", strict=True)


def test_every_file_is_applied_or_an_example():
    assert {one.name for one in FOLDER.iterdir()} == {*NAMES, "kustomization.yaml"}


@pytest.mark.skipif(
    shutil.which("kubectl") is None,
    reason="no kubectl; see https://kubernetes.io/docs/tasks/tools/",
)
def test_they_can_be_put_together():
    built = subprocess.run(
        ["kubectl", "kustomize", FOLDER], capture_output=True, text=True, check=True
    )
    parts = list(yaml.safe_load_all(built.stdout))
    assert {one["kind"] for one in parts} == {
        "Namespace", "ConfigMap", "PersistentVolumeClaim", "Deployment", "Service"
    }  # fmt: skip
    assert all(
        one["metadata"].get("namespace") == "digestbot"
        for one in parts
        if one["kind"] != "Namespace"
    )


def test_names_and_labels_fit_together(pod):
    deployment, service = loaded("deployment.yaml"), loaded("service.yaml")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert deployment["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert service["spec"]["selector"].items() <= labels.items()
    volumes = {one["name"]: one for one in pod["volumes"]}
    assert {one["name"] for one in pod["containers"][0]["volumeMounts"]} == set(volumes)
    claim = volumes["data"]["persistentVolumeClaim"]["claimName"]
    assert claim == loaded("storage.yaml")["metadata"]["name"]
    assert (
        volumes["secrets"]["secret"]["secretName"]
        == loaded("secret.example.yaml")["metadata"]["name"]
    )
    ports = {one["name"] for one in pod["containers"][0]["ports"]}
    assert {one["targetPort"] for one in service["spec"]["ports"]} <= ports


def test_it_runs_restricted(pod):
    (container,) = pod["containers"]
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    assert pod["automountServiceAccountToken"] is False
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }


def test_probes_ask_for_life_and_for_readiness_and_the_end_is_waited_for(pod):
    (container,) = pod["containers"]
    asked = {
        name: container[name]["httpGet"]["path"]
        for name in ("livenessProbe", "startupProbe", "readinessProbe")
    }
    assert asked == {
        "livenessProbe": "/healthz", "startupProbe": "/healthz", "readinessProbe": "/readyz"
    }  # fmt: skip
    assert pod["terminationGracePeriodSeconds"] > GRACE + DRAIN


def test_the_configuration_can_be_read_with_the_secrets_of_the_example(pod, tmp_path):
    text = loaded("configuration.yaml")["data"]["digestbot.toml"]
    secrets = tmp_path / "secrets"
    secrets.mkdir()
    for name, value in loaded("secret.example.yaml")["stringData"].items():
        (secrets / name).write_text(value)
        (secrets / name).chmod(0o600)
    file = tmp_path / "digestbot.toml"
    file.write_text(text.replace("/config/secrets", str(secrets)))
    config = read(file)
    (container,) = pod["containers"]
    assert config.web is not None
    assert config.web.listen.port == container["ports"][0]["containerPort"]
    assert config.web.public_url.startswith("https://")
