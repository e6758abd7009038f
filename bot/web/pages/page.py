"""What a page is before it takes a form: data for the template, a document, and JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from digest.document import Document

Json = dict[str, Any]


class NotThere(Exception):
    """Nothing to show: it does not exist, or this reader may not know of it."""


class Moved(Exception):
    """What is asked for stands at another ``path``."""

    def __init__(self, path: str) -> None:
        super().__init__(path)
        self.path = path


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page in all of its forms; what only one form needs is made when that is asked for.

    ``values`` are the template's. Generators among them are used up once, while the page is sent.
    ``ready`` reads what is not needed for its head: it is awaited once, when that is under way.
    ``rests_on`` names what the page is made of beside the archive: what a reader has is right as
    long as both are the same.
    """

    template: str
    title: str
    values: Mapping[str, Any] = field(default_factory=dict)
    document: Callable[[], Document]
    json: Callable[[], Json]
    ready: Callable[[], Awaitable[None]] | None = None
    rests_on: str = ""
    status: HTTPStatus = HTTPStatus.OK
