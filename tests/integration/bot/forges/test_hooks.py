"""What forges call: only a right signature has an effect, and each delivery has it once."""

from __future__ import annotations

import hashlib
import hmac
import json
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from bot.config.forge_section import ForgeConfig
from bot.forges.hooks import Arrived, AtOnce, Hooks
from bot.store.ledger import SqlLedger
from tests.servers.asgi import served

SECRET = "It's a Secret to Everybody"


def config(kind: str, **more: Any) -> ForgeConfig:
    return ForgeConfig(kind=kind, webhook_secret=SecretStr(SECRET), **more)


@pytest.fixture
def told() -> list[Arrived]:
    return []


@pytest.fixture
def hooks(database, told) -> Hooks:
    async def tell(arrived: Arrived) -> None:
        told.append(arrived)

    forges = {kind: config(kind) for kind in ("github", "gitlab", "gitea")}
    forges["closed"] = ForgeConfig(kind="github")
    return Hooks(forges, AtOnce(SqlLedger(database), tell))


async def post(hooks: Hooks, name: str, body: bytes, headers: dict[str, str], method="POST") -> int:
    async with served(hooks) as url, httpx.AsyncClient() as client:
        answer = await client.request(method, f"{url}/hooks/{name}", content=body, headers=headers)
    await hooks.settle()
    return answer.status_code


def signed(body: bytes, secret: str = SECRET) -> str:
    return hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def github(body: bytes, event: str = "push", delivery: str = "1", signature: str | None = None):
    return {
        "x-github-event": event,
        "x-github-delivery": delivery,
        "x-hub-signature-256": signature or f"sha256={signed(body)}",
    }


def push(name: str = "octo/engine", **more: Any) -> bytes:
    return json.dumps({"repository": {"full_name": name}, **more}).encode()


async def test_signature_is_that_of_github(hooks):
    body = b"Hello, World!"
    right = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    assert await post(hooks, "github", body, github(body, signature=right)) == 202


async def test_push_is_told_with_its_repository(hooks, told):
    assert await post(hooks, "github", push(), github(push())) == 202
    assert told == [Arrived(host="github.com", repository="octo/engine", moved=True)]


@pytest.mark.parametrize(
    ("action", "merged", "moved"),
    [("closed", True, True), ("closed", False, False), ("labeled", False, False)],
)
async def test_request_moves_the_branch_only_when_it_is_merged(hooks, told, action, merged, moved):
    body = push(action=action, pull_request={"merged": merged})
    await post(hooks, "github", body, github(body, "pull_request"))
    assert [one.moved for one in told] == [moved]


async def test_delivery_that_comes_again_is_answered_and_does_nothing(hooks, told):
    for _ in range(3):
        assert await post(hooks, "github", push(), github(push(), delivery="same")) == 202
    assert len(told) == 1
    await post(hooks, "github", push(), github(push(), delivery="another"))
    assert len(told) == 2


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"x-github-event": "push"},
        github(push(), signature="sha256="),
        github(push(), signature="sha256=" + "0" * 64),
        github(push(), signature=signed(push())),
        github(push(), signature="sha256=" + signed(push(), "another secret")),
        github(push(), signature="sha1=" + signed(push())),
        github(push(), signature="sha256=" + "é"),
        {**github(push()), "x-hub-signature-256": "sha256=" + signed(b"another body")},
    ],
)
async def test_what_is_not_signed_is_refused_and_nothing_else_happens(hooks, told, headers):
    raw = {name: value.encode("latin-1") for name, value in headers.items()}
    assert await post(hooks, "github", push(), raw) == 401
    # Not even its id is taken: the real delivery of that id still counts.
    assert told == []
    await post(hooks, "github", push(), github(push()))
    assert len(told) == 1


async def test_gitlab_shows_its_token(hooks, told):
    body = json.dumps(
        {
            "project": {"path_with_namespace": "group/sub/engine"},
            "object_attributes": {"action": "merge"},
        }
    ).encode()
    headers = {"x-gitlab-event": "Merge Request Hook", "x-gitlab-event-uuid": "1"}
    assert await post(hooks, "gitlab", body, {**headers, "x-gitlab-token": "wrong"}) == 401
    assert await post(hooks, "gitlab", body, headers) == 401
    assert await post(hooks, "gitlab", body, {**headers, "x-gitlab-token": SECRET}) == 202
    assert told == [Arrived(host="gitlab.com", repository="group/sub/engine", moved=True)]


async def test_gitea_signs_without_a_prefix(hooks, told):
    body = push()
    headers = {"x-gitea-event": "push", "x-gitea-delivery": "1"}
    assert await post(hooks, "gitea", body, {**headers, "x-gitea-signature": "0" * 64}) == 401
    assert await post(hooks, "gitea", body, {**headers, "x-gitea-signature": signed(body)}) == 202
    assert told == [Arrived(host="gitea.com", repository="octo/engine", moved=True)]


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"nothing",
        b"[]",
        b"{}",
        b'{"repository": 5}',
        b'{"repository": {"full_name": 7}}',
        b"[" * 100_000,
    ],
)
async def test_signed_nonsense_is_answered_and_does_nothing(hooks, told, body):
    assert await post(hooks, "github", body, github(body)) == 202
    assert told == []


@pytest.mark.parametrize("more", [{"pull_request": "closed"}, {"object_attributes": ["merge"]}])
async def test_request_of_another_form_is_answered_and_does_nothing(hooks, told, more):
    body = push(action="closed", **more)
    assert await post(hooks, "github", body, github(body, "pull_request")) == 202
    assert told == []


async def test_events_of_no_concern_do_nothing(hooks, told):
    assert await post(hooks, "github", push(), github(push(), "star")) == 202
    assert told == []


@pytest.mark.parametrize("name", ["closed", "unknown", ""])
async def test_forge_without_a_secret_is_not_found(hooks, name):
    assert await post(hooks, name, push(), github(push())) == 404


async def test_only_posts_are_taken(hooks):
    assert await post(hooks, "github", push(), github(push()), method="PUT") == 405


async def test_body_without_end_is_refused(hooks, told, monkeypatch):
    monkeypatch.setattr("bot.forges.hooks.LARGEST", 1000)
    body = push(padding="x" * 2000)
    assert await post(hooks, "github", body, github(body)) == 413
    assert told == []


async def test_failure_of_the_work_does_not_reach_the_forge(database):
    async def tell(arrived: Arrived) -> None:
        raise RuntimeError("broken")

    hooks = Hooks({"github": config("github")}, AtOnce(SqlLedger(database), tell))
    assert await post(hooks, "github", push(), github(push())) == 202
