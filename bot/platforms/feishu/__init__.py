"""Feishu and Lark, as an app with a bot: groups, threads and direct messages.

``sender`` posts cards through ``api``, and ``history`` finds them again. ``receiver`` hears
through ``connection`` (whose frames are in ``frames``), reads with ``heard``, and asks
``surroundings`` what an event does not tell. ``faults`` says what an answer means.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, SecretStr, field_validator

from bot.platforms.feishu.api import Api
from bot.platforms.feishu.receiver import Feishu
from bot.platforms.feishu.sender import FeishuSender
from bot.settings import Settings
from bot.wire import Wire

_DOMAINS = {"feishu": "https://open.feishu.cn", "lark": "https://open.larksuite.com"}
_HERE = ("http://127.0.0.1:", "http://localhost:", "http://[::1]:")


class Config(Settings):
    """An app of one's own organisation, made at https://open.feishu.cn/app; see docs/feishu.md.

    ``domain`` is ``feishu``, ``lark``, or the address of an open platform of one's own.
    ``listen = false`` is for a process that only posts.
    """

    kind: Literal["feishu"] = "feishu"
    app_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    app_secret: SecretStr
    domain: str = "feishu"
    listen: bool = True

    @field_validator("domain")
    @classmethod
    def _address(cls, domain: str) -> str:
        address = _DOMAINS.get(domain, domain).rstrip("/")
        if not address.startswith(("https://", *_HERE)):
            raise ValueError("write feishu, lark, or an address https://...")
        if address.count("/") != 2:
            raise ValueError("write the address without a path, such as https://open.feishu.cn")
        return address


def create(config: Config) -> FeishuSender:
    """The app that the configuration names; nothing is called yet."""
    api = Api(config.domain, config.app_id, config.app_secret, Wire())
    return Feishu(api) if config.listen else FeishuSender(api)
