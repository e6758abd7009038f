"""What a page is before it takes a form: data for the template, a document, and JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from digest.document import Document

Json = dict[str, Any]


class NotThere(Exception):
    """Nothing to show: it does not exist, or this reader may not know of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page in all of its forms; what only one form needs is made when that is asked for.

    ``values`` are the template's. Generators among them are used up once, while the page is sent.
    ``ready`` reads what is not needed for its head: it is awaited once, when that is under way.
    """

    template: str
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)
    document: Callable[[], Document]
    json: Callable[[], Json]
    ready: Callable[[], Awaitable[None]] | None = None
