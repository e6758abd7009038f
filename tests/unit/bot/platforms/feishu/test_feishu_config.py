"""Where Feishu is called, with as little configured as its guide asks for."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from bot.platforms.feishu import Config

APP = {"app_id": "cli_0123456789abcdef", "app_secret": "x"}


@pytest.mark.parametrize(
    ("given", "address"),
    [
        ({}, "https://open.feishu.cn"),
        ({"domain": "feishu"}, "https://open.feishu.cn"),
        ({"domain": "lark"}, "https://open.larksuite.com"),
        ({"domain": "https://open.corp.example/"}, "https://open.corp.example"),
    ],
)
def test_an_app_is_called_at_its_open_platform(given, address):
    assert Config.model_validate(APP | given).domain == address


@pytest.mark.parametrize("domain", ["", "feishu.cn", "http://open.feishu.cn", "https://a.b/c"])
def test_what_is_no_open_platform_is_refused(domain):
    with pytest.raises(ValidationError):
        Config.model_validate(APP | {"domain": domain})
