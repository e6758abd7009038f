"""Feishu and Lark, as an app with a bot: groups, threads and direct messages.

``sender`` posts cards through ``open_api`` and finds them again. ``receiver`` receives through
``connection`` (its frames are in ``frames``) or ``web_events``, and reads with ``events``.
"""

from __future__ import annotations

import json
from typing import Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator

from bot.messaging.wire import HttpClient
from bot.platforms.feishu.open_api import Api
from bot.platforms.feishu.receiver import Feishu
from bot.platforms.feishu.sender import FeishuSender
from bot.util.section import Settings

_DOMAINS = {"feishu": "https://open.feishu.cn", "lark": "https://open.larksuite.com"}
_HERE = ("http://127.0.0.1:", "http://localhost:", "http://[::1]:")

PERMISSIONS = (
    "im:chat:readonly",
    "im:message.group_at_msg:readonly",
    "im:message.group_msg",
    "im:message.p2p_msg:readonly",
    "im:message:readonly",
    "im:message:send_as_bot",
    "im:resource",
)
"""What the app may do; docs/feishu.md gives the reasons, and says which can be left out."""


class Config(Settings):
    """An app of your own organisation, created at https://open.feishu.cn/app; docs/feishu.md."""

    # The bot listens through a connection that it opens; with ``events`` as ``"http"`` Feishu calls
    # the program's web server instead, and encrypts and signs with ``encrypt_key``.

    kind: Literal["feishu"] = "feishu"
    app_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    app_secret: SecretStr
    # ``feishu``, ``lark``, or the address of a self-hosted open platform.
    domain: str = Field(default="feishu", validate_default=True)
    listen: bool = True  # false for a process that only posts
    events: Literal["connection", "http"] = "connection"
    encrypt_key: SecretStr | None = None
    verification_token: SecretStr | None = None

    @field_validator("domain")
    @classmethod
    def _address(cls, domain: str) -> str:
        address = _DOMAINS.get(domain, domain).rstrip("/")
        if not address.startswith(("https://", *_HERE)):
            raise ValueError("write feishu, lark, or an address https://...")
        if address.count("/") != 2:
            raise ValueError("write the address without a path, such as https://open.feishu.cn")
        return address

    @model_validator(mode="after")
    def _verifiable(self) -> Self:
        if self.events == "http" and self.encrypt_key is None:
            raise ValueError("events over HTTP need the encrypt_key of the app")
        return self


def create(config: Config) -> FeishuSender:
    """The configured app; makes no call yet."""
    api = Api(config.domain, config.app_id, config.app_secret, HttpClient())
    if not config.listen:
        return FeishuSender(api)
    if config.events != "http" or config.encrypt_key is None:
        return Feishu(api)
    token = config.verification_token.get_secret_value() if config.verification_token else ""
    return Feishu(api, config.encrypt_key.get_secret_value(), token)


def app_text(address: str) -> str:
    """What the developer console asks for: the permissions as it imports them, and the events."""
    scopes = json.dumps({"scopes": {"tenant": PERMISSIONS, "user": []}}, indent=2)
    events = "im.message.receive_v1, im.message.recalled_v1"
    called = f"request URL of events and of callbacks: {address}\n" if address else ""
    return f"{scopes}\n\nevents: {events}\ncallbacks: card.action.trigger\n{called}"
