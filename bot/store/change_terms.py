"""What the indexes store of a change: searched texts, paths, topics, and its lines in lists.

Texts are compared without case and with each run of white space as one space, so that a phrase is
found across the lines of a message.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import lru_cache

from bot.store.text_index import TextIndex
from digest.answer.listing import LINES_VERSION, line_of
from digest.core.change import printable
from digest.core.enums import Language
from digest.core.grade import Graded
from digest.core.stored_json import spans_to_json
from digest.topics.index_terms import TOPICS_VERSION


@lru_cache
def index_of(dialect: str) -> TextIndex:
    """The text index of a database, by SQLAlchemy's name of its dialect."""
    if dialect == "postgresql":
        from bot.store.text_index_postgresql import PostgresIndex

        return PostgresIndex()
    from bot.store.text_index_sqlite import SqliteIndex

    return SqliteIndex()


TEXTS_VERSION = 3
"""Raised whenever the texts, paths or area of a change are computed differently."""

INDEXED_BY = f"topics {TOPICS_VERSION}, texts {TEXTS_VERSION}, lines {LINES_VERSION}"
"""Versions that a repository's indexes are built by; if its row differs, they are rebuilt."""

_text = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode
_TAIL = "\n\n"
"""Ends every text, so that its last character also begins a gram of three."""


def folded(text: str) -> str:
    """A text as it is compared: without case, on one line, of characters that can be stored."""
    if not text.isascii():
        text = text.encode("utf-8", "replace").decode("utf-8")
    return " ".join(text.replace("\0", " ").casefold().split())


def texts_of(graded: Graded) -> dict[str, str]:
    """The searched columns of a change; no term spans two lines of a column."""
    commit, facts = graded.commit, graded.facts
    subjects = dict.fromkeys((folded(facts.subject.title), folded(commit.subject)))
    return {
        "subject": _lines(subjects),
        "body": _lines([folded(commit.body)]),
        "paths": _lines(folded(path) for path in paths_of(graded)),
        "names": _lines(dict.fromkeys(folded(item.name) for item in facts.items)),
    }


def paths_of(graded: Graded) -> dict[str, None]:
    """The displayed paths that a change touches, in order; a moved file counts with both paths."""
    files = graded.facts.files
    both = (path for file in files for path in (file.path, file.old_path) if path is not None)
    return dict.fromkeys(printable(path) for path in both)


def lines_of(graded: Graded) -> dict[str, str]:
    """The one-line description of a change by language, as spans in JSON."""
    told = {language: line_of(graded, language) for language in Language}
    return {
        language.value: _text(spans_to_json(spans)) for language, spans in told.items() if spans
    }


def _lines(parts: Iterable[str]) -> str:
    text = "\n".join(part for part in parts if part)
    return text and text + _TAIL
