"""``[[repositories]]``: the watched repositories."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

from pydantic import Field, ValidationInfo, field_validator, model_validator

from bot.git.address import is_open, read_address
from bot.util.section import SectionContext, Settings
from digest.core.enums import Privacy
from digest.core.grade import Repository, Thresholds

_ADDRESS = re.compile(r"[a-z][a-z0-9+.-]*://|[\w.-]+@[\w.-]+:", re.IGNORECASE)


class ThresholdSettings(Settings):
    """The lowest scores of the levels of a repository."""

    high: float = Field(default=Thresholds().high, ge=0, le=1)
    medium: float = Field(default=Thresholds().medium, ge=0, le=1)

    @model_validator(mode="after")
    def _in_order(self) -> ThresholdSettings:
        if self.medium > self.high:
            raise ValueError(f"medium ({self.medium}) is above high ({self.high}); swap them")
        return self


class RepositoryConfig(Settings):
    """A repository to watch. ``place`` is a folder, a bundle, or an address that git clones."""

    place: str = Field(min_length=1)
    name: str = ""
    branch: str | None = None
    branches: tuple[str, ...] = ()
    """Further branches that get digests of their own, by name or pattern, such as ``release/*``."""
    web: str = ""
    forge: Literal["", "github", "gitlab", "gitea", "bitbucket"] = ""
    thresholds: ThresholdSettings | None = None
    aliases: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    privacy: Privacy = Privacy.REDACTED
    """What a model may see of the repository."""
    visibility: Literal["", "public", "private"] = ""
    """Who may see it; by default as :attr:`private` guesses."""
    descriptions: bool = True
    """Whether the forge is asked for the descriptions of merged requests."""

    @field_validator("place")
    @classmethod
    def _resolve_place(cls, place: str, info: ValidationInfo) -> str:
        if place.startswith("-") or any(ord(char) < 32 for char in place):
            raise ValueError("write a folder or an address such as https://host/owner/name")
        if _ADDRESS.match(place) or not isinstance(info.context, SectionContext):
            return place
        return str(info.context.folder / Path(place).expanduser())

    @field_validator("branch")
    @classmethod
    def _no_option(cls, branch: str | None) -> str | None:
        if branch is not None and (not branch or branch.startswith("-")):
            raise ValueError("write a branch's name, or leave it out for the default branch")
        return branch

    @field_validator("branches")
    @classmethod
    def _no_options(cls, branches: tuple[str, ...]) -> tuple[str, ...]:
        if not all(name and not name.startswith("-") for name in branches):
            raise ValueError("write branches by name or pattern, such as release/*")
        return branches

    @field_validator("web")
    @classmethod
    def _a_page(cls, web: str) -> str:
        if web and not web.startswith(("https://", "http://")):
            raise ValueError("write the address of the repository's pages, https://...")
        return web.rstrip("/")

    @field_validator("aliases")
    @classmethod
    def _fold_aliases(cls, aliases: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        return {name.casefold(): topics for name, topics in aliases.items()}

    @model_validator(mode="after")
    def _with_name(self) -> RepositoryConfig:
        return self if self.name else self.model_copy(update={"name": _name_of(self.place)})

    @property
    def private(self) -> bool:
        """Whether it is hidden from people of other organisations.

        If the file does not say, a repository is public if it can be cloned from a well-known forge
        over https without a user name; folders, ssh addresses and all other hosts are private.
        """
        return self.visibility != "public" if self.visibility else not is_open(self.place)

    def secrets(self) -> tuple[str, ...]:
        """The user information before the host of the address, and the password in it."""
        address = read_address(self.place)
        if address is None or not address.secret:
            return ()
        given = urlsplit(self.place)
        return tuple(filter(None, (given.netloc.rpartition("@")[0], given.password)))

    @property
    def repository(self) -> Repository:
        """The repository as the rest of the program knows it."""
        return Repository(name=self.name, web=self.web, forge=self.forge)

    @property
    def levels(self) -> Thresholds | None:
        """The thresholds, if the file sets them."""
        if self.thresholds is None:
            return None
        return Thresholds(high=self.thresholds.high, medium=self.thresholds.medium)


def _name_of(place: str) -> str:
    """``owner/name`` of an address; a folder's own name."""
    cleaned = place.rstrip("/").removesuffix(".bundle").removesuffix(".git").rstrip("/")
    if not (match := _ADDRESS.match(place)):
        return Path(cleaned).name or cleaned
    path = (
        cleaned[match.end() :] if "://" not in place else cleaned[match.end() :].partition("/")[2]
    )
    return "/".join(path.strip("/").split("/")[-2:]) or cleaned
