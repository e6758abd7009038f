"""Where a statement can be checked, shown behind it and linked where there are pages."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import quote

from digest.change import Side, printable
from digest.document import Code, Link, Span, Spans
from digest.facts.model import Evidence
from digest.graded import Graded, Repository
from digest.language import Language
from digest.statement import Statement
from digest.words import pages as words
from digest.words.phrase import Part, between, joined

_PLACES = 2
"""The most places that are shown behind a statement."""


class Places:
    """Shows where a statement can be checked, linked where the repository has pages."""

    def __init__(self, graded: Graded, repository: Repository, language: Language) -> None:
        self._graded = graded
        self._repository = repository
        self._language = language

    def cited(self, statement: Statement) -> Spans:
        """The statement with its first places behind it; whole files are named by it already."""
        return self.behind(statement.spans, statement.evidence)

    def behind(self, spans: Spans, evidence: Sequence[Evidence]) -> Spans:
        """Words with the first places that bear them out behind them."""
        places = [e for e in evidence if e.line and e.side is not Side.MESSAGE]
        if not places:
            return spans
        shown: list[Part] = []
        before = ""
        for place in places[:_PLACES]:
            shown.append(self._place(place, again=place.path == before))
            before = place.path
        return joined([*spans, *words.CITED(self._language, places=between(shown, ", "))])

    def _place(self, evidence: Evidence, *, again: bool) -> Span:
        """A place; behind another one of the same file its line alone."""
        path = printable(evidence.path)
        url = self._address(evidence)
        name = path.rpartition("/")[2] if url else path
        text = f":{evidence.line}" if again else f"{name}:{evidence.line}"
        return Link(text, url) if url else Code(text)

    def _address(self, evidence: Evidence) -> str:
        """The page of the line, on the side of the change that it stands on."""
        sha = self._graded.sha
        if evidence.side is Side.OLD:
            parents = self._graded.commit.parents
            sha = parents[0] if parents else ""
        if not sha:
            return ""
        return self._repository.file_url(sha, quote_path(evidence.path), evidence.line)


@lru_cache(maxsize=1024)
def quote_path(path: str) -> str:
    """A path as part of an address; its bytes as git has them."""
    return quote(path.encode("utf-8", "surrogateescape"))
