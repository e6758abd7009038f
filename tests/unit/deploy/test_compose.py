"""``deploy/compose.yaml``: every key is one that Compose knows, every name one that is there.

https://github.com/compose-spec/compose-spec/blob/main/spec.md says which keys there are; those that
the file uses are spelt out here, so that a mistyped one, which Compose would refuse, fails a test.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

DEPLOY = Path(__file__).parents[3] / "deploy"

Duration = Annotated[str, StringConstraints(pattern=r"^(\d+h)?(\d+m)?(\d+s)?$", min_length=2)]
Size = Annotated[str, StringConstraints(pattern=r"^\d+[kmg]$")]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Build(Strict):
    context: str
    dockerfile: str


class Condition(Strict):
    condition: Literal["service_healthy", "service_started", "service_completed_successfully"]


class Healthcheck(Strict):
    test: list[str] = Field(min_length=2)
    interval: Duration
    timeout: Duration
    retries: int


class Service(Strict):
    image: str
    build: Build | None = None
    command: list[str] | None = None
    restart: Literal["no", "always", "on-failure", "unless-stopped"]
    depends_on: dict[str, Condition] = {}
    environment: dict[str, str] = {}
    ports: list[str] = []
    volumes: list[str] = []
    networks: list[str]
    healthcheck: Healthcheck | None = None
    user: str = ""
    init: bool = False
    read_only: bool = False
    tmpfs: list[str] = []
    cap_drop: list[str] = []
    security_opt: list[str] = []
    stop_grace_period: Duration | None = None
    mem_limit: Size | None = None
    shm_size: Size | None = None
    pids_limit: int | None = None


class Network(Strict):
    internal: bool = False


class Compose(Strict):
    name: str
    services: dict[str, Service]
    volumes: dict[str, None]
    networks: dict[str, Network | None]


class NoRepeats(yaml.SafeLoader):
    """YAML's own rule, which the loader does not keep: no key twice in a mapping."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        assert len(keys) == len(set(keys)), f"a key is given twice: {keys}"
        return super().construct_mapping(node, deep)


@pytest.fixture(scope="module")
def compose() -> Compose:
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    return Compose.model_validate(yaml.load(text, NoRepeats))  # a SafeLoader


def test_whatever_is_named_is_there(compose):
    for service in compose.services.values():
        assert set(service.depends_on) <= set(compose.services)
        assert set(service.networks) <= set(compose.networks)
        named = {one.partition(":")[0] for one in service.volumes if one[0] not in "./"}
        assert named <= set(compose.volumes)
    used = {one.partition(":")[0] for s in compose.services.values() for one in s.volumes}
    assert set(compose.volumes) <= used


def test_what_is_waited_for_says_whether_it_is_well(compose):
    for service in compose.services.values():
        for name, condition in service.depends_on.items():
            if condition.condition == "service_healthy":
                assert compose.services[name].healthcheck is not None


def test_every_variable_is_demanded_and_in_the_example(compose):
    text = (DEPLOY / "compose.yaml").read_text(encoding="utf-8")
    asked = set(re.findall(r"\$\{(\w+):\?[^}]+\}", text))
    assert text.count("${") == len(re.findall(r"\$\{\w+:\?", text))
    given = re.findall(r"^(\w+)=(.*)$", (DEPLOY / "env.example").read_text(), re.MULTILINE)
    assert dict(given) == dict.fromkeys(asked, "")


def test_files_that_are_built_from_are_there(compose):
    build = compose.services["digestbot"].build
    assert build is not None
    context = (DEPLOY / build.context).resolve()
    assert (context / build.dockerfile).is_file()


def test_only_the_bot_can_be_reached_and_only_from_this_machine(compose):
    published = [port for service in compose.services.values() for port in service.ports]
    assert published == ["127.0.0.1:8080:8080"]
    for name in ("postgres", "redis"):
        networks = compose.services[name].networks
        assert [compose.networks[one].internal for one in networks] == [True]


def test_the_bot_may_do_no_more_than_it_has_to(compose):
    bot = compose.services["digestbot"]
    assert (bot.read_only, bot.cap_drop, bot.security_opt) == (
        True, ["ALL"], ["no-new-privileges:true"]
    )  # fmt: skip
    mounted = {one.split(":")[1]: one.split(":")[2:] for one in bot.volumes}
    assert mounted["/data"] == []
    assert mounted["/config/digestbot.toml"] == mounted["/config/secrets"] == ["ro"]


def test_the_end_is_waited_for(compose):
    from bot.runner import GRACE
    from bot.web.server import DRAIN

    grace = compose.services["digestbot"].stop_grace_period
    assert grace is not None
    assert int(grace.removesuffix("s")) > GRACE + DRAIN
