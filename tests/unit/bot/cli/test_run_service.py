"""Which senders hold a connection of their own."""

from __future__ import annotations

import pytest

from bot.cli.run_service import _connects
from bot.platforms import feishu, slack

SLACK = {"bot_token": "xoxb-1"}
FEISHU = {"app_id": "cli_a", "app_secret": "x"}


@pytest.mark.parametrize(
    ("platform", "given", "connects"),
    [
        (slack, {**SLACK, "app_token": "xapp-1"}, True),
        (slack, {**SLACK, "events": "http", "signing_secret": "x"}, False),
        (slack, SLACK, False),
        (feishu, FEISHU, True),
        (feishu, {**FEISHU, "events": "http", "encrypt_key": "x"}, False),
        (feishu, {**FEISHU, "listen": False}, False),
    ],
)
async def test_one_process_is_elected_for_each_receiver_that_connects_by_itself(
    platform, given, connects
):
    assert _connects(platform.create(platform.Config.model_validate(given))) is connects
