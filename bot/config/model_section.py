"""The section ``[model]`` of the configuration file: the model, its price and its limits.

The key is given as ``key``, as ``key_file``, or in the environment as ``DIGESTBOT_MODEL_KEY``; a
server on this machine may need none. Without the section, ``DIGESTBOT_MODEL`` may name a model and
``DIGESTBOT_MODEL_URL`` its server; without either, no model is used. ``[model.fallback]`` is a
second model with a key of its own, which answers what the first one cannot.
"""

from __future__ import annotations

import ipaddress
import zlib
from decimal import Decimal
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator, model_validator

from bot.util.section import SectionContext, Settings
from digest.llm import prompt
from handlers.ports.model_port import ModelProfile, Usage

_MILLION = 1_000_000

# Fields that the client sets itself, or whose effect on an answer it could not handle.
_RESERVED = frozenset(
    {
        "max_completion_tokens",
        "max_tokens",
        "messages",
        "model",
        "n",
        "response_format",
        "stream",
        "stream_options",
        "temperature",
        "tools",
        "tool_choice",
    }
)


class PriceSettings(Settings):
    """The price of a million tokens. ``cached`` is input that the server had in its cache."""

    input: Decimal = Field(default=Decimal(0), ge=0)
    cached: Decimal | None = Field(default=None, ge=0)
    output: Decimal = Field(default=Decimal(0), ge=0)
    currency: str = Field(default="USD", pattern=r"^[A-Z]{3}$")

    def cost(self, usage: Usage) -> Decimal:
        """The price of a usage; ``usage.cost`` is ignored."""
        cached = self.input if self.cached is None else self.cached
        return (
            (usage.input_tokens - usage.cached_tokens) * self.input
            + usage.cached_tokens * cached
            + usage.output_tokens * self.output
        ) / _MILLION


class CapSettings(Settings):
    """The limits of a day (in UTC); ``None`` is no limit. Money is in the currency above."""

    tokens: int | None = Field(default=None, ge=0)
    money: Decimal | None = Field(default=None, ge=0)


class CapsSettings(Settings):
    """Daily limits: in total, for any one channel, for any one person."""

    day: CapSettings = CapSettings()
    channel: CapSettings = CapSettings()
    person: CapSettings = CapSettings()


class ModelConfig(Settings):
    """A model and its server. Times are in seconds."""

    # Without ``temperature`` the server's own applies: some models loop at 0, some refuse the
    # field.

    name: str = Field(min_length=1)
    base_url: str = "https://api.openai.com/v1"
    key: SecretStr | None = None
    context: int = Field(default=32_768, ge=2_048)  # tokens that question and reply share
    max_output: int = Field(default=4_096, ge=64)  # the most that one reply may take
    price: PriceSettings = PriceSettings()
    caps: CapsSettings = CapsSettings()
    concurrency: int = Field(default=8, ge=1, le=256)
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    digest_patience: float = Field(default=300, gt=0)  # for all questions about a digest
    timeout: float = Field(default=180, gt=0)  # for one request
    connect_timeout: float = Field(default=10, gt=0)  # for one request
    patience: float = Field(default=600, gt=0)  # for everything about one question
    temperature: float | None = Field(default=None, ge=0, le=2)
    output_limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    # Added to every request: {reasoning_effort = "low"}.
    extra: dict[str, Any] = Field(default_factory=dict)
    # What a team wishes about the words and the emphasis of analyses.
    instructions: str = Field(default="", max_length=2_000)
    fallback: FallbackConfig | None = None

    @field_validator("base_url")
    @classmethod
    def _an_address(cls, address: str) -> str:
        parts = urlsplit(address)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError("write the address of the server, such as https://api.openai.com/v1")
        if parts.username or parts.password:
            raise ValueError(
                "the address must not contain a key; set key_file or DIGESTBOT_MODEL_KEY"
            )
        if parts.query or parts.fragment:
            raise ValueError("write the address up to /v1, without ? and #")
        return address.rstrip("/")

    @field_validator("extra")
    @classmethod
    def _only_more(cls, extra: dict[str, Any]) -> dict[str, Any]:
        if taken := sorted(_RESERVED & extra.keys()):
            raise ValueError(f"{taken[0]} is set by digestbot itself; remove it from extra")
        return extra

    @model_validator(mode="after")
    def _makes_sense(self, info: ValidationInfo) -> ModelConfig:
        if self.max_output > self.context // 2:
            raise ValueError(
                f"max_output ({self.max_output}) leaves less than half of context ({self.context}) "
                "for the question; lower it, or raise context to the model's limit"
            )
        priced = self.fallback and "price" in self.fallback.model_fields_set
        if self.fallback and priced and self.fallback.price.currency != self.price.currency:
            raise ValueError("price and fallback.price must be in the same currency")
        if self.key and isinstance(info.context, SectionContext) and self._in_the_clear():
            section = f"model.{self.within}".rstrip(".")
            line = f"{section}.base_url = {self.base_url!r} sends the key without encryption; "
            if (line := f"{line}use https://") not in info.context.warnings:
                info.context.warnings.append(line)
        return self

    def secrets(self) -> tuple[str, ...]:
        """The keys of the model and of its fallback."""
        return (*super().secrets(), *(self.fallback.secrets() if self.fallback else ()))

    @property
    def reserve(self) -> ModelConfig | None:
        """The fallback, with what applies to both models."""
        given = {"instructions": self.instructions}
        return self.fallback.model_copy(update=given) if self.fallback else None

    @property
    def profile(self) -> ModelProfile:
        """What callers must know of the model."""
        return ModelProfile(
            name=self.name,
            server=self.base_url,
            context=self.context,
            max_output=self.max_output,
            currency=self.price.currency,
            slots=self.concurrency,
            wording=f"{prompt.VERSION}{self._instructed}",
            instructions=self.instructions,
            reserve=self.fallback.name if self.fallback else "",
        )

    @property
    def _instructed(self) -> str:
        """Distinguishes analyses made with other instructions."""
        return f"-{zlib.crc32(self.instructions.encode()):08x}" if self.instructions else ""

    def _in_the_clear(self) -> bool:
        parts = urlsplit(self.base_url)
        return parts.scheme == "http" and not _on_this_machine(parts.hostname or "")


class FallbackConfig(ModelConfig):
    """The model that answers what the first one cannot."""

    within: ClassVar[str] = "fallback"

    @model_validator(mode="after")
    def _only_a_server(self) -> FallbackConfig:
        shared = {"caps", "digest_patience", "fallback", "instructions"} & self.model_fields_set
        if shared:
            raise ValueError(f"{min(shared)} applies to both models; set it in [model]")
        return self


ModelConfig.model_rebuild()


def _on_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
