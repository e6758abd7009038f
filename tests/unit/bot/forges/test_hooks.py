"""Deliveries of forges: which are accepted, what they say has happened, and waiting for the work."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr
from structlog.testing import capture_logs

from bot.forges.hooks import Arrived, AtOnce, Hooks
from tests.support.fakes_delivery import FakeLedger

SECRET = "s3cret"
HOME = {"repository": {"full_name": "a/b"}}
MERGED = {"action": "closed", "pull_request": {"merged": True}}


class Taken:
    """What was accepted; a delivery is accepted once."""

    def __init__(self) -> None:
        self.events: list[Arrived] = []
        self.deliveries: list[str] = []

    async def take(self, forge: str, delivery: str, arrived: Arrived) -> bool:
        self.events.append(arrived)
        self.deliveries.append(f"{forge} {delivery}")
        return self.deliveries.count(f"{forge} {delivery}") == 1


async def delivered(
    taken: Taken, body: object, *, kind: str = "github", event: str = "push", **more: Any
) -> int:
    """The status of the answer to one delivery."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    signature = hmac.new(SECRET.encode(), data, hashlib.sha256).hexdigest()
    headers = {
        "github": {"x-github-event": event, "x-hub-signature-256": f"sha256={signature}"},
        "gitea": {"x-gitea-event": event, "x-gitea-signature": signature.upper()},
        "gitlab": {"x-gitlab-event": event, "x-gitlab-token": SECRET},
    }[kind] | {"x-github-delivery": "d1"}
    headers = {name: value for name, value in (headers | more.get("headers", {})).items() if value}
    settings = SimpleNamespace(kind=kind, host="h", webhook_secret=SecretStr(SECRET))
    silent = SimpleNamespace(kind=kind, host="h", webhook_secret=None)
    scope = {
        "type": "http",
        "path": f"/hooks/{more.get('forge', 'mine')}",
        "method": more.get("method", "POST"),
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
    }
    pieces = [{"body": data[:5], "more_body": True}, {"body": data[5:]}]
    sent: list[dict[str, Any]] = []

    async def receive() -> dict[str, Any]:
        if more.get("breaks_off") and len(pieces) == 1:
            return {"type": "http.disconnect"}
        return {"type": "http.request", **pieces.pop(0)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    await Hooks({"mine": settings, "silent": silent}, taken)(scope, receive, send)  # type: ignore[dict-item, arg-type]
    return int(sent[0]["status"])


@pytest.mark.parametrize(
    ("kind", "event", "body", "moved"),
    [
        ("github", "push", HOME, True),
        ("gitea", "push", HOME, True),
        ("gitlab", "Push Hook", {"project": {"path_with_namespace": "a/b"}}, True),
        ("github", "pull_request", HOME | MERGED, True),
        ("github", "pull_request", HOME | MERGED | {"action": "edited"}, False),
        ("github", "pull_request", HOME | {"action": "closed", "pull_request": {}}, False),
        ("github", "pull_request_review", HOME | {"pull_request": None}, False),
        (
            "gitlab",
            "Merge Request Hook",
            {"project": {"path_with_namespace": "a/b"}, "object_attributes": {"action": "merge"}},
            True,
        ),
        (
            "gitlab",
            "Merge Request Hook",
            {"project": {"path_with_namespace": "a/b"}, "object_attributes": {"action": "open"}},
            False,
        ),
        ("github", "star", HOME, None),
        ("github", "push", {"repository": {"full_name": ""}}, None),
        ("github", "push", {"repository": {"full_name": 5}}, None),
        ("github", "push", {}, None),
        ("github", "push", b"no json", None),
    ],
)
async def test_delivery_says_where_something_happened_and_whether_code_moved(
    kind: str, event: str, body: object, moved: bool | None
) -> None:
    taken = Taken()
    assert await delivered(taken, body, kind=kind, event=event) == 202
    arrived = [] if moved is None else [Arrived(host="h", repository="a/b", moved=moved)]
    assert taken.events == arrived


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"forge": "other"}, 404),
        ({"forge": "silent"}, 404),
        ({"method": "GET"}, 405),
        ({"headers": {"x-hub-signature-256": ""}}, 401),
        ({"headers": {"x-hub-signature-256": "sha256=00"}}, 401),
        ({"kind": "gitlab", "headers": {"x-gitlab-token": "guessed"}}, 401),
        ({"breaks_off": True}, 413),
    ],
)
async def test_delivery_that_is_not_proven_or_whole_is_refused(
    more: dict[str, Any], status: int
) -> None:
    taken = Taken()
    with capture_logs() as logs:
        assert await delivered(taken, HOME, **more) == status
    assert taken.events == []
    told = [(line["event"], line["status"]) for line in logs]
    assert told == [("hook.refused", status)] * (status in {401, 413})


async def test_delivery_of_the_most_that_github_sends_is_read_and_a_longer_one_refused():
    most = json.dumps(HOME).encode().ljust(25 * 2**20)
    assert await delivered(Taken(), most) == 202
    assert await delivered(Taken(), most + b" ") == 413


async def test_delivery_that_came_before_is_told_as_repeated() -> None:
    taken = Taken()
    with capture_logs() as logs:
        for _ in range(2):
            await delivered(taken, HOME)
    assert [line["event"] for line in logs] == ["hook.heard", "hook.repeated"]
    assert taken.deliveries == ["mine d1"] * 2


async def test_work_on_deliveries_is_waited_for_and_breaks_nothing() -> None:
    done: list[str] = []

    async def tell(arrived: Arrived) -> None:
        await asyncio.sleep(0.01)
        done.append(arrived.repository)
        if arrived.repository == "broken":
            raise ZeroDivisionError

    taking = AtOnce(FakeLedger(), tell)
    with capture_logs() as logs:
        accepted = [
            await taking.take("f", delivery, Arrived(host="h", repository=name, moved=True))
            for delivery, name in (("1", "a"), ("1", "a"), ("", "broken"), ("", "b"))
        ]
        async with asyncio.timeout(60):
            await taking.settle()
    assert accepted == [True, False, True, True]
    assert done == ["a", "broken", "b"]
    assert [line["event"] for line in logs] == ["hook.broken"]
