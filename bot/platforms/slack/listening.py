"""A bot that listens, put together as the configuration says."""

from __future__ import annotations

from bot.platforms.base import Ear
from bot.platforms.slack.accounts import Accounts, OneAccount
from bot.platforms.slack.acknowledging import SAYS
from bot.platforms.slack.calls import Calls
from bot.platforms.slack.config import Config
from bot.platforms.slack.installations import Installations, InstalledAccounts
from bot.platforms.slack.installing import Installing
from bot.platforms.slack.receiver import Bring, Slack, TryOut
from bot.platforms.slack.socket_mode import SocketMode
from bot.platforms.slack.web_events import WebEvents
from bot.transport.inbox import Keep


def listening(config: Config, calls: Calls) -> Slack:
    """The bot of one workspace or of many, by Socket Mode or called over HTTP."""
    installing: Installing | None = None
    accounts: Accounts
    if config.installations is not None and config.client_secret is not None:
        store = Installations(config.installations, config.workspaces)
        accounts = InstalledAccounts(store)
        secret = config.client_secret.get_secret_value()
        installing = Installing(
            calls, store, config.client_id, secret, redirect_url=config.redirect_url
        )
    else:
        assert config.bot_token is not None
        accounts = OneAccount(calls, config.bot_token.get_secret_value())
    slack = Slack(calls, accounts, _bring(config, calls), _try_out(config, calls))
    if config.events == "http":
        assert config.signing_secret is not None
        signing = config.signing_secret.get_secret_value()
        slack.web = WebEvents(slack.keep, signing, installing)
    return slack


def _bring(config: Config, calls: Calls) -> Bring | None:
    async def by_socket(keep: Keep, ear: Ear) -> None:
        assert config.app_token is not None
        token = config.app_token.get_secret_value()
        await SocketMode(calls, token, keep, SAYS, ear=ear).run()

    return None if config.events == "http" else by_socket


def _try_out(config: Config, calls: Calls) -> TryOut:
    async def by_socket() -> str:
        assert config.app_token is not None
        # It only asks for an address; nobody connects to it.
        await calls.post("apps.connections.open", config.app_token.get_secret_value())
        return "listens through Socket Mode"

    async def by_calls() -> str:
        return "is called over HTTP"

    return by_calls if config.events == "http" else by_socket
