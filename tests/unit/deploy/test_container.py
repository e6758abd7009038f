"""The container file: what it copies is there, what it installs is locked, what it runs is nobody."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bot.config.file_model import Listen
from bot.config.reader import read

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "deploy" / "container"


@pytest.fixture(scope="module")
def instructions() -> list[tuple[str, str]]:
    """Each instruction with its words, continued lines joined and comments left out."""
    text = (FOLDER / "Containerfile").read_text(encoding="utf-8")
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    joined = re.sub(r"\\\n\s*", " ", lines)
    found = [line.split(maxsplit=1) for line in joined.splitlines() if line.strip()]
    return [(name, words.strip()) for name, words in found]


def words(instructions, name: str) -> list[str]:
    return [rest for found, rest in instructions if found == name]


def test_the_last_stage_has_nothing_that_builds(instructions):
    stages = [at for at, (name, _) in enumerate(instructions) if name == "FROM"]
    last = instructions[stages[-1] :]
    assert " AS " not in last[0][1]
    assert "COPY" in {name for name, _ in last}
    assert all("pip" not in rest for name, rest in last if name == "RUN")
    assert "ADD" not in {name for name, _ in instructions}


def test_everything_that_is_copied_is_there_and_not_kept_out(instructions):
    ignored = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    let_in = {line[1:] for line in ignored if line.startswith("!")}
    for rest in words(instructions, "COPY"):
        if rest.startswith("--from="):
            continue
        *sources, _ = rest.split()
        for source in sources:
            assert (ROOT / source).exists()
            assert source in let_in
    assert ignored[1] == "*"


def test_dependencies_are_held_against_their_hashes_and_nothing_of_them_is_run(instructions):
    installs = [rest for rest in words(instructions, "RUN") if "pip install" in rest]
    assert "--require-hashes --only-binary=:all: -r /src/requirements.lock" in installs[0]
    assert "--no-deps --no-build-isolation" in installs[1]
    locked = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    assert "setuptools==" in locked


def test_an_upgrade_changes_the_layer_of_the_program_alone(instructions):
    """What changes with every commit is copied into a stage that nothing else is taken from."""
    stage, changed, taken = "", set(), {}
    for name, rest in instructions:
        if name == "FROM":
            stage = rest.partition(" AS ")[2]
        elif name == "COPY" and rest.startswith("--from="):
            source, _, words = rest.removeprefix("--from=").partition(" ")
            taken[source] = words.split()[-1]
        elif name == "COPY" and not rest.startswith("requirements.lock"):
            changed.add(stage)
    assert changed == {"program"}
    assert taken == {"dependencies": "/opt/digestbot", "program": "/opt/program"}


def test_it_runs_as_nobody_in_particular(instructions):
    (user,) = words(instructions, "USER")
    assert re.fullmatch(r"[1-9]\d{3,}:[1-9]\d{3,}", user)
    after = [name for name, _ in instructions][[n for n, _ in instructions].index("USER") :]
    assert "RUN" not in after


def test_no_secret_is_in_it(instructions):
    settings = " ".join(words(instructions, "ENV") + words(instructions, "ARG"))
    assert not re.search(r"token|secret|password|key", settings, re.IGNORECASE)


def test_the_health_check_asks_where_the_configuration_beside_it_listens(instructions, monkeypatch):
    (check,) = words(instructions, "HEALTHCHECK")
    command = json.loads(check.partition("CMD ")[2])
    assert command[:2] == ["python", "-c"]
    port = int(re.search(r"http://127\.0\.0\.1:(\d+)/healthz", command[2]).group(1))
    config = read(FOLDER / "digestbot.toml")
    assert config.web is not None
    assert config.web.listen == Listen("", port)
    compile(command[2], "healthcheck", "exec")
    assert words(instructions, "EXPOSE") == [str(port)]
