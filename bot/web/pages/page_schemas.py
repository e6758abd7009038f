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


_BY_LEVEL = {str(level): _COUNT for level in Level}

_LINE = {
    "sha": _TEXT,
    "pr": _NUMBER,
    "title": _TEXT,
    "author": _TEXT,
    "committed_at": _MOMENT,
    "level": _LEVEL,
    "score": _SHARE,
}

_DIGEST: dict[str, Schema] = {
    "id": _TEXT,
    "path": _TEXT,
    "span": _TEXT,
    "since": _MOMENT,
    "until": _MOMENT,
    "created_at": _MOMENT,
    "weekly": {"type": "boolean"},
    "counts": {"type": "object"},
}

SCHEMAS: dict[str, Schema] = {
    "Missing": _object(error=_TEXT),
    "Window": _object(since=_MOMENT, until=_MOMENT, tz=_TEXT),
    "Statement": _object(
        text=_TEXT,
        aspect=_TEXT,
        evidence=_many(
            _object(
                path=_TEXT,
                line=_COUNT,
                side={"type": "string", "enum": ["old", "new", "message"]},
            )
        ),
    ),
    "Line": _object(**_LINE),
    "Day": _object(day={"type": "string", "format": "date"}, **_BY_LEVEL, read={"type": "boolean"}),
    "Calendar": _object(
        schema=_COUNT, repository=_TEXT, days=_many(_the("Day")), page=_COUNT, pages=_COUNT
    ),
    "Entry": _object(
        sha=_TEXT,
        pr=_NUMBER,
        committed_at=_MOMENT,
        author=_TEXT,
        subject=_TEXT,
        level=_LEVEL,
        score=_SHARE,
        reasons=_many(_TEXT),
        late={"type": "boolean"},
        change_types=_many(_TEXT),
        summary=_TEXT,
        impact=_many(_the("Statement")),
        insights=_many(_the("Statement")),
        risks=_many(_the("Statement")),
        suggestions=_many(_the("Statement")),
        files=_many(
            _object(
                path=_TEXT,
                old_path=_MAYBE,
                status=_TEXT,
                added=_COUNT,
                deleted=_COUNT,
                area=_TEXT,
                omitted={"type": "boolean"},
            )
        ),
        facts={"type": "object"},
    ),
    "Report": _object(
        schema=_COUNT,
        repo=_TEXT,
        branch=_TEXT,
        window=_the("Window"),
        counts=_object(total=_COUNT, **_BY_LEVEL),
        lead=_TEXT,
        commits=_many(_the("Entry")),
        unread=_many(_the("Window")),
        page=_COUNT,
        pages=_COUNT,
    ),
    "Change": _object(schema=_COUNT, repository=_TEXT, path=_TEXT, change=_the("Entry")),
    "Found": _object(
        schema=_COUNT,
        repository=_TEXT,
        total=_COUNT,
        levels=_object(**_BY_LEVEL),
        page=_COUNT,
        pages=_COUNT,
        near=_many(_TEXT),
        changes=_many(_object(**_LINE, area=_TEXT, line=_TEXT, why=_TEXT)),
    ),
    "Compared": _object(
        schema=_COUNT,
        repository=_TEXT,
        title=_TEXT,
        total=_COUNT,
        missing=_COUNT,
        levels=_object(**_BY_LEVEL),
        areas={"type": "object", "additionalProperties": _COUNT},
        people=_COUNT,
        upgrade=_many(
            _object(
                kind=_TEXT,
                action=_TEXT,
                name=_TEXT,
                before=_MAYBE,
                after=_MAYBE,
                sha=_TEXT,
                pr=_NUMBER,
                path=_TEXT,
                line=_COUNT,
            )
        ),
        page=_COUNT,
        pages=_COUNT,
        changes=_many(_object(**_LINE, area=_TEXT, kind=_MAYBE)),
    ),
    "Releases": _object(
        schema=_COUNT,
        repository=_TEXT,
        releases=_many(_object(tag=_TEXT, before=_TEXT, path=_TEXT)),
    ),
    "Diff": _object(
        schema=_COUNT,
        repository=_TEXT,
        sha=_TEXT,
        files=_many(
            _object(
                path=_TEXT,
                added=_COUNT,
                deleted=_COUNT,
                hunks=_many(
                    _object(
                        old_start=_COUNT,
                        new_start=_COUNT,
                        removed=_many(_TEXT),
                        added=_many(_TEXT),
                    )
                ),
            )
        ),
    ),
    "Digest": _object(
        schema=_COUNT,
        repository=_TEXT,
        branch=_TEXT,
        window=_the("Window"),
        **_DIGEST,
        title=_TEXT,
        posted=_TEXT,
        changes=_many(_object(sha=_TEXT, posted={"type": "boolean"}, state=_TEXT)),
    ),
    "Answer": _object(
        schema=_COUNT,
        repository=_TEXT,
        question=_TEXT,
        title=_TEXT,
        answer=_TEXT,
    ),
    "Repository": _object(
        repository=_TEXT,
        web=_TEXT,
        path=_TEXT,
        changes=_COUNT,
        first=_MAYBE,
        last=_MAYBE,
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
        version={"const": "https://jsonfeed.org/version/1.1"},
        title=_TEXT,
        home_page_url=_TEXT,
        feed_url=_TEXT,
        items=_many(
            _object(
                id=_TEXT,
                url=_TEXT,
                title=_TEXT,
                content_html=_TEXT,
                date_published=_MOMENT,
                tags=_many(_TEXT),
            )
        ),
    ),
}
"""Schemas by name; ``Report`` and ``Entry`` are those of ``docs/json.md``."""
