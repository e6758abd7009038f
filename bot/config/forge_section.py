"""The sections ``[forges.<name>]``: the forges to query, and their accounts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, SecretStr, model_validator

from bot.config.repository_section import RepositoryConfig
from bot.git.address import forge_of, read_address
from bot.util.section import SectionContext, Settings, must, read_section

Kind = Literal["github", "gitlab", "gitea"]
HOSTS: Mapping[str, str] = {"github": "github.com", "gitlab": "gitlab.com", "gitea": "gitea.com"}
"""The public host of each kind."""

_HOST = re.compile(r"[a-z0-9.-]+(?::\d{1,5})?")
_LOOPBACK = {"127.0.0.1", "::1", "localhost"}
_LEAST_SECRET = 8


def checked(api: str) -> str:
    """The API's address without a trailing slash; ``ValueError`` if secrets would leak."""
    parts = urlsplit(api)
    sealed = parts.scheme == "https" or (
        parts.scheme == "http" and (parts.hostname or "") in _LOOPBACK
    )
    if not sealed or not parts.hostname or parts.query or parts.fragment:
        raise ValueError("write api as an address such as https://git.example.org/api/v3")
    return api.rstrip("/")


class ForgeConfig(Settings):
    """A forge and its account: a token, or for GitHub an app."""

    # Without an account, public repositories are queried only to answer questions.

    kind: Kind  # by default the name of the section
    # As in addresses of its repositories; by default the public one of the kind.
    host: Annotated[str, must(_HOST.fullmatch, "write host as a name such as git.example.org")] = ""
    api: Annotated[str, AfterValidator(checked)] = ""  # by default the usual one of the software
    token: SecretStr | None = None  # an account, unless there is an app
    app_id: str = Field(default="", pattern=r"^[A-Za-z0-9._-]*$")
    app_key: SecretStr | None = None  # PEM
    installation: int = Field(default=0, ge=0)  # looked up for each repository if 0
    webhook_secret: SecretStr | None = None  # enables ``/hooks/<name>``

    @model_validator(mode="before")
    @classmethod
    def _with_defaults(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        kind = data.get("kind")
        host = data.get("host") or HOSTS.get(str(kind), "")
        if not isinstance(host, str) or not isinstance(kind, str):
            return data
        return {**data, "host": host.lower(), "api": data.get("api") or api_of(kind, host.lower())}

    @model_validator(mode="after")
    def _whole(self) -> ForgeConfig:
        # Not checked by a field validator, whose error would show the value.
        if "@" in urlsplit(self.api).netloc:
            raise ValueError("api must not contain a user name; set a token instead")
        if bool(self.app_id) != (self.app_key is not None):
            raise ValueError("an app needs both app_id and app_key_file")
        if self.app_id and self.kind != "github":
            raise ValueError("app_id is only for GitHub; set a token")
        if self.app_id and self.token is not None:
            raise ValueError("both a token and an app are given; keep one")
        if self.installation and not self.app_id:
            raise ValueError("installation needs app_id and app_key_file")
        secret = self.webhook_secret
        if secret is not None and len(secret.get_secret_value()) < _LEAST_SECRET:
            raise ValueError(f"webhook_secret needs at least {_LEAST_SECRET} characters")
        return self


def api_of(kind: str, host: str) -> str:
    """The address of the API of a host's software.

    https://docs.github.com/en/enterprise-server/rest, https://docs.gitlab.com/api/rest/,
    https://docs.gitea.com/development/api-usage.
    """
    if kind == "github":
        return "https://api.github.com" if host == "github.com" else f"https://{host}/api/v3"
    return f"https://{host}/api/v4" if kind == "gitlab" else f"https://{host}/api/v1"


def on_forge(repository: RepositoryConfig, forges: Mapping[str, ForgeConfig]) -> RepositoryConfig:
    """The repository with its pages and their form, where the section of its forge tells them."""
    kinds = {forge.host: forge.kind for forge in forges.values()}
    web, address = repository.web, read_address(repository.place)
    if not web and address is not None:
        port = f":{address.port}" if address.port and address.transport == "https" else ""
        if (host := f"{address.host}{port}") in kinds:
            web = f"https://{host}/{address.path}"
    host = urlsplit(web).netloc.lower()
    forge = repository.forge or kinds.get(host) or forge_of(host)
    return repository.model_copy(update={"web": web, "forge": forge})


def read_forges(
    file: Path, tables: Mapping[str, dict[str, Any]], reading: SectionContext
) -> dict[str, ForgeConfig]:
    """The forges of the file by name. Raises ``InvalidConfig``."""
    return {
        name: read_section(
            ForgeConfig,
            {"kind": name, **table},
            file,
            reading,
            f"forges.{name}",
            name=name,
        )
        for name, table in tables.items()
    }
