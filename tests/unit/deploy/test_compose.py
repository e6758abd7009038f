"""The compose files: as Compose's own schema has them, every name there, no more than is needed.

The schema is that of https://github.com/compose-spec/compose-spec, which check-jsonschema ships;
where Docker has its plug-in, it is asked as well.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from bot.jobs.roles import ProcessRole
from bot.jobs.services import GRACE
from bot.web.server import DRAIN

DEPLOY = Path(__file__).parents[3] / "deploy"

SINGLE, ROLES = "compose.yaml", "compose.roles.yaml"

FILES = (SINGLE, ROLES)
OURS = {SINGLE: ("digestbot",), ROLES: ("web", "worker", "scheduler")}

every_file = pytest.mark.parametrize("name", FILES)


class NoRepeats(yaml.SafeLoader):
    """YAML's own rule, which the loader does not keep: no key twice in a mapping."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = [key.value for key, _ in node.value]
        assert len(keys) == len(set(keys)), f"a key is given twice: {keys}"
        return super().construct_mapping(node, deep)


@cache
def compose(name: str) -> dict[str, Any]:
    return yaml.load((DEPLOY / name).read_text(encoding="utf-8"), NoRepeats)  # a SafeLoader


def services(name: str) -> dict[str, dict[str, Any]]:
    return compose(name)["services"]


def test_both_are_as_the_schema_of_compose_has_them():
    words = ["-m", "check_jsonschema", "--builtin-schema", "vendor.compose-spec"]
    done = subprocess.run(
        [sys.executable, *words, *(DEPLOY / name for name in FILES)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def has_plugin() -> bool:
    docker = shutil.which("docker")
    if docker is None:
        return False
    asked = subprocess.run([docker, "compose", "version"], capture_output=True, check=False)
    return asked.returncode == 0


@every_file
def test_compose_itself_reads_it(name: str, tmp_path: Path):
    if not has_plugin():
        pytest.skip("no docker compose; see https://docs.docker.com/compose/install/")
    done = subprocess.run(
        ["docker", "compose", "--file", DEPLOY / name, "config", "--quiet"],
        env={
            "PATH": "/usr/bin:/bin:/usr/local/bin",
            "POSTGRES_PASSWORD": "x",
            "HOME": str(tmp_path),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@every_file
def test_whatever_is_named_is_there(name: str):
    told, used = compose(name), set()
    for service in services(name).values():
        assert set(service.get("depends_on", ())) <= set(services(name))
        assert set(service.get("networks", ())) <= set(told.get("networks", ()))
        mounted = [one.partition(":")[0] for one in service.get("volumes", ())]
        used |= {one for one in mounted if one[0] not in "./"}
    assert used == set(told["volumes"])


@every_file
def test_what_is_waited_for_says_whether_it_is_well(name: str):
    for service in services(name).values():
        waited = service.get("depends_on", {})
        for other in waited if isinstance(waited, dict) else ():
            assert "healthcheck" in services(name)[other]


@every_file
def test_every_variable_is_demanded_and_in_the_example(name: str):
    text = (DEPLOY / name).read_text(encoding="utf-8")
    asked = set(re.findall(r"\$\{(\w+):\?[^}]+\}", text))
    assert text.count("${") == len(re.findall(r"\$\{\w+:\?", text))
    given = re.findall(r"^(\w+)=(.*)$", (DEPLOY / "env.example").read_text(), re.MULTILINE)
    assert asked <= {variable for variable, _ in given}
    assert all(value == "" for _, value in given)


@every_file
def test_files_that_are_built_from_or_mounted_are_there(name: str):
    made = {"digestbot.toml", "secrets"}  # by whoever sets it up
    for service in services(name).values():
        if "build" in service:
            context = (DEPLOY / service["build"]["context"]).resolve()
            assert (context / service["build"]["dockerfile"]).is_file()
        for one in service.get("volumes", ()):
            if one.startswith("./"):
                assert (DEPLOY / one.partition(":")[0]).is_file() or one[2:].partition(":")[
                    0
                ] in made


def test_an_image_of_ours_is_built_and_never_fetched():
    for name, ours in OURS.items():
        for one in ours:
            assert "build" in services(name)[one]


@every_file
def test_one_port_can_be_reached_and_only_from_this_machine(name: str):
    published = [port for one in services(name).values() for port in one.get("ports", ())]
    assert published == ["127.0.0.1:8080:8080"]


def test_the_servers_cannot_be_reached_from_outside():
    for name in ("postgres", "redis"):
        assert services(ROLES)[name]["networks"] == ["inside"]
    assert compose(ROLES)["networks"]["inside"] == {"internal": True}


@pytest.mark.parametrize(
    ("name", "service"), [(n, one) for n, ours in OURS.items() for one in ours]
)
def test_a_process_may_do_no_more_than_it_has_to(name: str, service: str):
    bot = services(name)[service]
    assert (bot["read_only"], bot["cap_drop"], bot["security_opt"]) == (
        True, ["ALL"], ["no-new-privileges:true"]
    )  # fmt: skip
    mounted = {one.split(":")[1]: one.split(":")[2:] for one in bot["volumes"]}
    assert mounted["/data"] == []
    assert mounted["/config/digestbot.toml"] == mounted["/config/secrets"] == ["ro"]
    assert int(bot["stop_grace_period"].removesuffix("s")) > GRACE + DRAIN


def test_every_role_has_a_service_that_can_be_asked_whether_it_is_well():
    roles = {}
    for name in OURS[ROLES]:
        said = services(ROLES)[name]["command"]
        roles[said[said.index("--role") + 1]] = said
    assert set(roles) == {str(role) for role in ProcessRole if role is not ProcessRole.ALL}
    # The image's own check asks port 8080; the web process listens there by the configuration.
    assert all("--listen" in said or role == "web" for role, said in roles.items())
    assert services(ROLES)["web"]["scale"] >= 2


@pytest.mark.skipif(shutil.which("nginx") is None, reason="no nginx; Debian has nginx-light")
def test_nginx_reads_the_configuration_of_the_proxy(tmp_path: Path):
    text = (DEPLOY / "container" / "nginx.conf").read_text(encoding="utf-8")
    file = tmp_path / "nginx.conf"
    file.write_text(text.replace("/tmp/", f"{tmp_path}/"))  # the container's own
    done = subprocess.run(["nginx", "-t", "-c", file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
