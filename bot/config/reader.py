"""Reads the configuration, one TOML file, and reports every mistake with its place.

It also checks that what one section names exists in another. All settings from the environment are
in :class:`Environment`, apart from secrets, which :mod:`bot.util.section` reads. Everything else is
in the file; ``deploy/bot.example.toml`` explains each key.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import field
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from bot import platforms
from bot.config import file_model
from bot.config.channel_section import ChannelConfig, Preferences, subscription_name
from bot.config.forge_section import ForgeConfig, on_forge, read_forges
from bot.config.model_section import ModelConfig
from bot.config.repository_section import RepositoryConfig
from bot.util.files import Environment, data_folder
from bot.util.section import SectionContext, Settings, complain, near, open_to_others, read_section
from digest.errors import InvalidConfig
from digest.frozen import frozen


def check_names(file: Path, written: file_model.Written) -> None:
    """Check that names are unique and that references exist. Raises ``InvalidConfig``."""
    if written.channels and not written.repositories:
        raise InvalidConfig(f"{file}: no [[repositories]]; add at least one with its place")
    repositories = [repository.name for repository in written.repositories]
    for section, names in (
        ("repositories", repositories),
        ("channels", [one.name for one in written.channels]),
    ):
        for name in names:
            if names.count(name) > 1:
                raise InvalidConfig(f"{file}: {section}: the name {name!r} is given twice")
    for channel in written.channels:
        for name in channel.repositories:
            if name not in repositories:
                guess = near(name, repositories) or f"; known: {', '.join(repositories)}"
                raise InvalidConfig(
                    f"{file}: channels {channel.name!r}, repositories: unknown {name!r}{guess}"
                )


def check_schedules(file: Path, channels: Iterable[ChannelConfig]) -> None:
    """Check that schedules have slots and names of their own. Raises ``InvalidConfig``."""
    names: set[str] = set()
    for channel in channels:
        try:
            plans = channel.plans
        except ValueError as error:
            raise InvalidConfig(f"{file}: channels {channel.name!r}: {error}") from None
        for spec, _ in plans:
            name = subscription_name(channel.name, spec.kind)
            if name in names:
                raise InvalidConfig(f"{file}: channels: the name {name!r} is given twice")
            names.add(name)


def admin_of(
    file: Path, written: file_model.Written, accounts: Collection[str]
) -> tuple[str, str] | None:
    """The account and chat of the admin, by channel or directly. Raises ``InvalidConfig``."""
    if written.admin is None:
        return None
    wanted = written.admin.channel
    for channel in written.channels:
        if channel.name == wanted:
            return channel.platform, channel.chat
    platform, colon, chat = wanted.partition(":")
    if colon and platform in accounts:
        return platform, chat
    names = [channel.name for channel in written.channels]
    raise InvalidConfig(
        f"{file}: admin.channel = {wanted!r} is neither a channel nor a chat such as "
        f"telegram:12345{near(wanted, names)}"
    )


S = TypeVar("S", bound=Settings)


@frozen
class PlatformConfig:
    """An account of a platform; ``settings`` is the ``Config`` of the module ``kind``."""

    name: str
    kind: str
    settings: Settings


@frozen
class Config:
    """A configuration whose references are all valid."""

    file: Path
    data: Path
    logs: file_model.LogSettings
    defaults: Preferences
    repositories: tuple[RepositoryConfig, ...]
    platforms: Mapping[str, PlatformConfig]  # by name, used or set
    channels: tuple[ChannelConfig, ...]
    model: ModelConfig | None = None  # of the file or environment
    access: file_model.AccessSettings = field(default_factory=file_model.AccessSettings)
    admin: tuple[str, str] | None = None
    web: file_model.WebSettings | None = None  # ``None`` for no server
    forges: Mapping[str, ForgeConfig] = field(default_factory=dict)
    database: file_model.DatabaseSettings | None = None
    shared: file_model.SharedSettings | None = None
    archive: file_model.ArchiveSettings = field(default_factory=file_model.ArchiveSettings)
    grading: file_model.GradingSettings = field(default_factory=file_model.GradingSettings)
    warnings: tuple[str, ...] = ()  # lines on what works but should be changed

    @property
    def database_url(self) -> str:
        """The address of the archive's database, empty for a file in ``data``."""
        return self.database.url.get_secret_value() if self.database else ""

    @property
    def redis_url(self) -> str:
        """The address of the shared Redis server, empty if there is none."""
        return self.shared.redis_url.get_secret_value() if self.shared else ""

    def watched(self, channel: ChannelConfig) -> tuple[RepositoryConfig, ...]:
        """The repositories of a channel, in the order of the file."""
        wanted = channel.repositories
        return tuple(
            repository
            for repository in self.repositories
            if not wanted or repository.name in wanted
        )

    def secrets(self) -> tuple[str, ...]:
        """Every secret that was read, to be masked in logs."""
        optional = (self.model, self.web, self.database, self.shared)
        sections = [
            *(platform.settings for platform in self.platforms.values()),
            *self.repositories,
            *(section for section in optional if section is not None),
            *self.forges.values(),
        ]
        return tuple(secret for section in sections for secret in section.secrets())


def read(file: Path, environment: Environment | None = None) -> Config:
    """The configuration of a file. Raises ``InvalidConfig``."""
    environment = environment or Environment.read()
    data = _parse(file)
    reading = SectionContext(folder=file.absolute().parent, environment=os.environ)
    try:
        written = file_model.Written.model_validate(data, context=reading)
    except ValidationError as error:
        raise complain(file, error, file_model.Written, data) from None
    channels = tuple(_with_defaults(channel, written.defaults) for channel in written.channels)
    check_names(file, written)
    check_schedules(file, channels)
    accounts = _accounts(file, written, reading)
    _check_silent(file, channels, accounts)
    model = _model(file, written.model, environment, reading)
    database = _or_named(written.database, "url", environment.database)
    shared = _or_named(written.shared, "redis_url", environment.redis)
    logs = written.logs
    if environment.log_format:
        logs = logs.model_copy(update={"format": environment.log_format})
    addressed = any(repository.secrets() for repository in written.repositories)
    forges = read_forges(file, written.forges, reading)
    if open_to_others(file) and (addressed or _holds_secrets(data, accounts.values())):
        reading.warnings.append(
            f"{file} contains secrets and can be read by others; run chmod 600 on it"
        )
    return Config(
        file=file,
        data=environment.data or written.data or data_folder(environment),
        logs=logs,
        defaults=written.defaults,
        repositories=tuple(on_forge(one, forges) for one in written.repositories),
        platforms=accounts,
        channels=channels,
        model=model,
        access=written.access,
        admin=admin_of(file, written, accounts),
        web=_optional(file_model.WebSettings, written.web, file, reading, "web"),
        database=_optional(file_model.DatabaseSettings, database, file, reading, "database"),
        shared=_optional(file_model.SharedSettings, shared, file, reading, "shared"),
        forges=forges,
        archive=written.archive,
        grading=written.grading,
        warnings=tuple(reading.warnings),
    )


def _parse(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InvalidConfig(
            f"{file}: no such file; create one with digestbot init, "
            "or name another with --config or DIGESTBOT_CONFIG"
        ) from None
    except OSError as error:
        raise InvalidConfig(f"{file}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise InvalidConfig(f"{file}: is not UTF-8 text (byte {error.start})") from error
    except tomllib.TOMLDecodeError as error:
        raise InvalidConfig(f"{file}: is not TOML: {error}") from error


def _with_defaults(channel: ChannelConfig, defaults: Preferences) -> ChannelConfig:
    left = Preferences.model_fields.keys() - channel.model_fields_set
    return channel.model_copy(update={name: getattr(defaults, name) for name in left})


def _accounts(
    file: Path, written: file_model.Written, reading: SectionContext
) -> dict[str, PlatformConfig]:
    """The platforms by name. One that only channels name has default settings."""
    tables = {name: dict(table) for name, table in written.platforms.items()}
    for channel in written.channels:
        if channel.platform not in tables and not platforms.known(channel.platform):
            known = [*tables, *platforms.kinds()]
            guess = near(channel.platform, known)
            raise InvalidConfig(
                f"{file}: channels {channel.name!r}, platform = {channel.platform!r} is unknown"
                f"{guess}; known: {', '.join(sorted(set(known)))}"
            )
        tables.setdefault(channel.platform, {})
    return {name: _account(file, name, table, reading) for name, table in tables.items()}


def _check_silent(
    file: Path, channels: Iterable[ChannelConfig], accounts: Mapping[str, PlatformConfig]
) -> None:
    for channel in channels:
        account = accounts[channel.platform]
        if channel.silent and not getattr(account.settings, "posts_silently", False):
            raise InvalidConfig(
                f"{file}: channels {channel.name!r}, silent = true: {account.kind} cannot post "
                "without a notification; remove it"
            )


def _account(
    file: Path, name: str, table: dict[str, Any], reading: SectionContext
) -> PlatformConfig:
    kind = str(table.setdefault("kind", name))
    try:
        model: type[Settings] = platforms.load(kind).Config
    except KeyError:
        known = platforms.kinds()
        raise InvalidConfig(
            f"{file}: platforms.{name}.kind = {kind!r} is unknown{near(kind, known)}"
            f"; known: {', '.join(known)}"
        ) from None
    except ModuleNotFoundError as error:
        raise InvalidConfig(
            f"{file}: platforms.{name}: kind {kind!r} needs {error.name!r}, which is not installed"
        ) from error
    settings = read_section(model, table, file, reading, f"platforms.{name}", name=name)
    return PlatformConfig(name=name, kind=kind, settings=settings)


def _model(
    file: Path, table: dict[str, Any] | None, environment: Environment, reading: SectionContext
) -> ModelConfig | None:
    """The model of the file, or else the one named by the environment."""
    if table is None:
        return environment_model(environment, reading)
    return read_section(ModelConfig, table, file, reading, "model")


def _or_named(table: dict[str, Any] | None, key: str, named: str) -> dict[str, Any] | None:
    """A section of the file, or else one with the value from the environment, if any."""
    return {key: named} if table is None and named else table


def _optional(
    model: type[S], table: dict[str, Any] | None, file: Path, reading: SectionContext, section: str
) -> S | None:
    return None if table is None else read_section(model, table, file, reading, section)


def environment_model(
    environment: Environment | None = None, reading: SectionContext | None = None
) -> ModelConfig | None:
    """The model named by the environment, if any. Raises ``InvalidConfig``."""
    environment = environment or Environment.read()
    if not environment.model:
        return None
    table = {"name": environment.model, "base_url": environment.model_url}
    given = {key: value for key, value in table.items() if value}
    reading = reading or SectionContext(folder=Path(), environment=os.environ)
    return read_section(ModelConfig, given, Path("the environment"), reading, "model")


def _holds_secrets(data: Mapping[str, Any], accounts: Iterable[PlatformConfig]) -> bool:
    tables = data.get("platforms", {})
    model = data.get("model", {})
    if "key" in {*model, *model.get("fallback", {})} or "url" in data.get("database", {}):
        return True
    if "redis_url" in data.get("shared", {}):
        return True
    if {"token", "metrics_token"} & data.get("web", {}).keys():
        return True
    forges = (table for table in data.get("forges", {}).values() if isinstance(table, Mapping))
    if any({"token", "app_key", "webhook_secret"} & table.keys() for table in forges):
        return True
    return any(
        secret in tables.get(account.name, {})
        for account in accounts
        for secret in account.settings.secret_fields()
    )
