"""The forge of a repository: the configured one of its host, or its public one without account."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from digest.core.grade import Repository
from handlers.ports.forge_port import Forge
from handlers.ports.storage import Clock

if TYPE_CHECKING:
    from bot.config.forge_section import ForgeConfig
    from bot.forges.forge_client import Credentials, ForgeClient
    from bot.forges.gitea import Gitea
    from bot.forges.github import GitHub
    from bot.forges.gitlab import GitLab
    from bot.store.forge_records import SqlPages

_ANONYMOUS = {
    "github.com": "https://api.github.com",
    "gitlab.com": "https://gitlab.com/api/v4",
    "gitea.com": "https://gitea.com/api/v1",
    "codeberg.org": "https://codeberg.org/api/v1",
}
"""Forges that answer about public repositories without an account."""


class Forges:
    """The connections to all forges of a program, opened when first needed."""

    def __init__(
        self, settings: Mapping[str, ForgeConfig], clock: Clock, pages: SqlPages | None = None
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._pages = pages
        self._wires: dict[tuple[str, str], ForgeClient] = {}
        self._asking: list[ForgeClient] = []

    def of(self, repository: Repository) -> Forge | None:
        """The forge of a repository; ``None`` if it has no page on a supported forge."""
        parts = urlsplit(repository.web)
        host, path = parts.netloc.lower(), parts.path.strip("/")
        if not host or not path:
            return None
        for name, settings in self._settings.items():
            if settings.host == host:
                return make(settings.kind, self.wire(name, path), path)
        api = _ANONYMOUS.get(host)
        if api is None or not repository.forge or parts.scheme != "https":
            return None
        return make(repository.forge, self._client_of(("", host), api, repository.forge, ""), path)

    def wire(self, name: str, home: str) -> ForgeClient:
        """The client of a configured forge; an app may have several installations."""
        settings = self._settings[name]
        apart = home if settings.app_id and not settings.installation else ""
        return self._client_of((name, apart), settings.api, settings.kind, home, settings)

    def credentials(self, settings: ForgeConfig, home: str) -> Credentials:
        """The credentials for requests about a repository."""
        from bot.forges.forge_client import ForgeClient, Token

        if settings.app_key is not None:
            from bot.forges.github import HEADERS, GitHubApp

            asking = ForgeClient(settings.api, Token(), self._clock, headers=HEADERS)
            self._asking.append(asking)
            app, key = settings.app_id, settings.app_key.get_secret_value()
            installation = settings.installation
            return GitHubApp(app, key, asking, self._clock, installation=installation, home=home)
        token = settings.token.get_secret_value() if settings.token else ""
        if settings.kind == "gitlab":
            return Token(token, header="private-token")
        return Token(token, scheme="Bearer" if settings.kind == "github" else "token")

    async def aclose(self) -> None:
        """Close all connections."""
        for wire in (*self._wires.values(), *self._asking):
            await wire.aclose()

    def _client_of(
        self,
        key: tuple[str, str],
        api: str,
        kind: str,
        home: str,
        settings: ForgeConfig | None = None,
    ) -> ForgeClient:
        if key not in self._wires:
            from bot.forges.forge_client import ForgeClient, Token
            from bot.forges.github import HEADERS

            self._wires[key] = ForgeClient(
                api,
                self.credentials(settings, home) if settings else Token(),
                self._clock,
                pages=self._pages,
                headers=HEADERS if kind == "github" else {},
            )
        return self._wires[key]


_KINDS = {"github": "GitHub", "gitlab": "GitLab", "gitea": "Gitea"}
"""The class of each kind of forge, in the module of its name, imported when it is needed."""


def make(kind: str, wire: ForgeClient, path: str) -> GitHub | GitLab | Gitea:
    """The forge of a kind for one repository."""
    made: type[GitHub] = getattr(import_module(f"bot.forges.{kind}"), _KINDS[kind])
    return made(wire, path)
