"""A day's lead and themes as a JSON value and back, exactly. Imports ``day`` and values."""

from __future__ import annotations

from typing import Any

from digest.statement import Origin
from digest.statement_form import spans_from_json, spans_to_json
from digest.themes.day import Day
from digest.themes.theme import Sentence, Theme


def to_json(day: Day) -> dict[str, Any]:
    """The day as a value of dicts, lists, texts and numbers."""
    return {
        "lead": [_sentence(one) for one in day.lead],
        "themes": [
            {
                "title": spans_to_json(theme.title),
                "shas": list(theme.shas),
                "sentence": _sentence(theme.sentence) if theme.sentence else None,
                "source": theme.source.value,
            }
            for theme in day.themes
        ],
        "rejected": day.rejected,
        "source": day.source.value,
    }


def from_json(value: dict[str, Any]) -> Day:
    """The day that :func:`to_json` was given."""
    return Day(
        lead=tuple(_read(one) for one in value["lead"]),
        themes=tuple(
            Theme(
                title=spans_from_json(theme["title"]),
                shas=tuple(theme["shas"]),
                sentence=_read(theme["sentence"]) if theme["sentence"] else None,
                source=Origin(theme["source"]),
            )
            for theme in value["themes"]
        ),
        rejected=value["rejected"],
        source=Origin(value["source"]),
    )


def _sentence(sentence: Sentence) -> list[Any]:
    return [spans_to_json(sentence.spans), list(sentence.shas)]


def _read(value: list[Any]) -> Sentence:
    spans, shas = value
    return Sentence(spans=spans_from_json(spans), shas=tuple(shas))
