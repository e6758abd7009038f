"""The OpenAPI 3.1 description of the JSON of all pages, made from the table of pages.

https://spec.openapis.org/oas/v3.1.1
"""

from __future__ import annotations

import re
from importlib.metadata import version
from typing import Any

from bot.web.pages.schemas import SCHEMAS
from bot.web.pages.table import FEED, PAGES, Entry
from digest.grade import Level
from digest.language import Language

_PART = re.compile(r"\{(\w+)(?::\w+)?\}")

_PARTS = {
    "repository": ("The name, such as owner/name; its slashes may be written %2F", {}),
    "day": ("A calendar day in the zone of the pages", {"format": "date"}),
    "week": ("An ISO 8601 week", {"pattern": "^[0-9]{4}-W[0-9]{2}$"}),
    "change": ("A commit's name, at least 7 digits, or a request's number", {}),
    "topic": ("A topic, or another name of one", {}),
    "span": (
        "Two tags, branches, commits or days, such as v1.0...v1.1; one reaches to the tip",
        {},
    ),
}
_ASKED = {
    "q": ("Words that all must be held", {"type": "string"}),
    "path": ("The beginning of a path", {"type": "string"}),
    "author": ("Part of an author's name", {"type": "string"}),
    "topic": ("A topic", {"type": "string"}),
    "level": ("The least importance", {"type": "string", "enum": [str(one) for one in Level]}),
    "page": ("From 1; beyond the last is the last", {"type": "integer", "minimum": 1}),
    "lang": ("The language of what is told", {"type": "string", "enum": [*map(str, Language)]}),
}


def description(public_url: str = "") -> dict[str, Any]:
    """The description; ``public_url`` is where it is served, as far as that is known."""
    paths = {
        _PART.sub(r"{\1}", entry.path_in("json")): {"get": _operation(entry)} for entry in PAGES
    }
    paths[_PART.sub(r"{\1}", f"{FEED}.json")] = {"get": _feed()}
    return {
        "openapi": "3.1.1",
        "info": {
            "title": "digestbot",
            "version": version("digestbot"),
            "summary": "Changes of git repositories, graded and told, with evidence",
            "license": {"name": "MIT", "identifier": "MIT"},
        },
        "servers": [{"url": public_url or "/"}],
        "paths": paths,
        "components": {"schemas": SCHEMAS},
    }


def _operation(entry: Entry) -> dict[str, Any]:
    return {
        "operationId": entry.name,
        "summary": entry.summary,
        "parameters": [*_in_path(entry.path), *_in_query((*entry.asks, "lang"))],
        "responses": _responses(entry.answer, "application/json"),
    }


def _feed() -> dict[str, Any]:
    return {
        "operationId": "feed",
        "summary": "The newest changes as JSON Feed 1.1",
        "parameters": [*_in_path(FEED), *_in_query(("topic", "level", "lang"))],
        "responses": _responses("Feed", "application/feed+json"),
    }


def _in_path(path: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "description": _PARTS[name][0],
            "schema": {"type": "string", **_PARTS[name][1]},
        }
        for name in _PART.findall(path)
    ]


def _in_query(names: tuple[str, ...]) -> list[dict[str, Any]]:
    return [
        {"name": name, "in": "query", "description": _ASKED[name][0], "schema": _ASKED[name][1]}
        for name in names
    ]


def _responses(schema: str, media: str) -> dict[str, Any]:
    answered = {media: {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    missing = {"application/json": {"schema": {"$ref": "#/components/schemas/Missing"}}}
    return {
        "200": {"description": "What was asked for", "content": answered},
        "304": {"description": "What If-None-Match names is still right"},
        "404": {"description": "Not there, or not for this reader", "content": missing},
    }
