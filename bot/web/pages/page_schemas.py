"""The schemas of the pages' JSON (JSON Schema 2020-12). New keys may be added."""

from __future__ import annotations

from typing import Any

from digest.core.grade import Level

Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_MAYBE: Schema = {"type": ["string", "null"]}
_COUNT: Schema = {"type": "integer", "minimum": 0}
_NUMBER: Schema = {"type": ["integer", "null"]}
_SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
_MOMENT: Schema = {"type": "string", "format": "date-time"}
_LEVEL: Schema = {"type": "string", "enum": [str(level) for level in Level]}


def _object(**properties: Schema) -> Schema:
    """An object whose properties are all required."""
    return {"type": "object", "properties": properties, "required": list(properties)}


def _many(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _the(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _each(of: Schema, *names: str) -> dict[str, Schema]:
    return dict.fromkeys(names, of)


_FLAG: Schema = {"type": "boolean"}
_ANY: Schema = {"type": "object"}
_BY_LEVEL = _each(_COUNT, *map(str, Level))
_HEAD = {"schema": _COUNT, "repository": _TEXT}
_PAGED = _each(_COUNT, "page", "pages")
_LINE = {
    **_each(_TEXT, "sha", "title", "author"),
    "pr": _NUMBER,
    "committed_at": _MOMENT,
    "level": _LEVEL,
    "score": _SHARE,
}
_DIGEST: dict[str, Schema] = {
    **_each(_TEXT, "id", "path", "span"),
    **_each(_MOMENT, "since", "until", "created_at"),
    "kind": _TEXT,
    "weekly": _FLAG,
    "counts": _ANY,
}
_SECTIONS = ("impact", "insights", "risks", "suggestions")

SCHEMAS: dict[str, Schema] = {
    "Missing": _object(error=_TEXT),
    "Window": _object(since=_MOMENT, until=_MOMENT, tz=_TEXT),
    "Evidence": _object(
        path=_TEXT, line=_COUNT, side={"type": "string", "enum": ["old", "new", "message"]}
    ),
    "Statement": _object(text=_TEXT, aspect=_TEXT, evidence=_many(_the("Evidence"))),
    "Line": _object(**_LINE),
    "Day": _object(day={"type": "string", "format": "date"}, **_BY_LEVEL, read=_FLAG),
    "Calendar": _object(**_HEAD, days=_many(_the("Day")), **_PAGED),
    "File": _object(
        **_each(_TEXT, "path", "status", "area"),
        **_each(_COUNT, "added", "deleted"),
        old_path=_MAYBE,
        omitted=_FLAG,
    ),
    "Entry": _object(
        **_each(_TEXT, "sha", "author", "subject", "summary"),
        **_each(_many(_TEXT), "reasons", "change_types"),
        **_each(_many(_the("Statement")), *_SECTIONS),
        pr=_NUMBER,
        committed_at=_MOMENT,
        level=_LEVEL,
        score=_SHARE,
        late=_FLAG,
        files=_many(_the("File")),
        facts=_ANY,
    ),
    "Report": _object(
        **_each(_TEXT, "repo", "branch", "lead"),
        schema=_COUNT,
        window=_the("Window"),
        counts=_object(total=_COUNT, **_BY_LEVEL),
        commits=_many(_the("Entry")),
        unread=_many(_the("Window")),
        **_PAGED,
    ),
    "Change": _object(**_HEAD, path=_TEXT, change=_the("Entry")),
    "Found": _object(
        **_HEAD,
        **_PAGED,
        total=_COUNT,
        levels=_object(**_BY_LEVEL),
        near=_many(_TEXT),
        changes=_many(_object(**_LINE, **_each(_TEXT, "area", "line", "why"))),
    ),
    "Upgrade": _object(
        **_each(_TEXT, "kind", "action", "name", "sha", "path"),
        **_each(_MAYBE, "before", "after"),
        pr=_NUMBER,
        line=_COUNT,
    ),
    "Compared": _object(
        **_HEAD,
        **_PAGED,
        **_each(_COUNT, "total", "missing", "people"),
        title=_TEXT,
        levels=_object(**_BY_LEVEL),
        areas={"type": "object", "additionalProperties": _COUNT},
        upgrade=_many(_the("Upgrade")),
        changes=_many(_object(**_LINE, area=_TEXT, kind=_MAYBE)),
    ),
    "Releases": _object(**_HEAD, releases=_many(_object(**_each(_TEXT, "tag", "before", "path")))),
    "Hunk": _object(
        **_each(_COUNT, "old_start", "new_start"), **_each(_many(_TEXT), "removed", "added")
    ),
    "Diff": _object(
        **_HEAD,
        sha=_TEXT,
        files=_many(
            _object(path=_TEXT, **_each(_COUNT, "added", "deleted"), hunks=_many(_the("Hunk")))
        ),
    ),
    "Digest": _object(
        **_HEAD,
        **_DIGEST,
        **_each(_TEXT, "branch", "title", "posted"),
        window=_the("Window"),
        changes=_many(_object(sha=_TEXT, posted=_FLAG, state=_TEXT)),
    ),
    "Answer": _object(**_HEAD, **_each(_TEXT, "question", "title", "answer")),
    "Repository": _object(
        **_each(_TEXT, "repository", "web", "path"),
        **_each(_MAYBE, "first", "last"),
        changes=_COUNT,
    ),
    "Index": _object(schema=_COUNT, repositories=_many(_the("Repository"))),
    "Overview": {
        "allOf": [
            _the("Repository"),
            _object(
                schema=_COUNT,
                days=_many(_the("Day")),
                places=_many(_object(path=_TEXT, changes=_COUNT)),
                newest=_many(_the("Line")),
                digests=_many(_object(**_DIGEST)),
            ),
        ]
    },
    "Feed": _object(
        **_each(_TEXT, "title", "home_page_url", "feed_url"),
        version={"const": "https://jsonfeed.org/version/1.1"},
        items=_many(
            _object(
                **_each(_TEXT, "id", "url", "title", "content_html"),
                date_published=_MOMENT,
                tags=_many(_TEXT),
            )
        ),
    ),
}
"""Schemas by name; ``Report`` and ``Entry`` are those of ``docs/json.md``."""
