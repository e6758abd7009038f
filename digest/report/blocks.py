"""One change as blocks, for reports and answers, with citations of its evidence.

Citations follow a statement and are links if the repository has web pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from urllib.parse import quote
from zoneinfo import ZoneInfo

from digest import document
from digest.core.authors import code_as_spans, without_backticks
from digest.core.change import Side, printable
from digest.core.enums import Language
from digest.core.facts import Evidence
from digest.core.grade import Grade, Graded, Level, Repository
from digest.core.statement import Analysis, Aspect, Origin, Statement
from digest.grading.importance import PREFIX
from digest.i18n import answer_text as words
from digest.i18n import statement_text as labels
from digest.i18n.answer_text import FAINT, reason_words
from digest.i18n.phrase import Part, Phrase, between, join
from digest.window import minute

_PLACES = 2  # maximum number of places shown after a statement


class Citations:
    """Shows the evidence of statements, linked if the repository has web pages."""

    def __init__(self, graded: Graded, repository: Repository, language: Language) -> None:
        self._graded = graded
        self._repository = repository
        self._language = language

    def cited(self, statement: Statement) -> document.Spans:
        """The statement and its first places; whole files are left out, since it names them."""
        return self.behind(statement.spans, statement.evidence)

    def behind(self, spans: document.Spans, evidence: Sequence[Evidence]) -> document.Spans:
        """Words followed by the first places that support them."""
        places = [e for e in evidence if e.line and e.side in {Side.OLD, Side.NEW}]
        if not places:
            return spans
        shown: list[Part] = []
        before = ""
        for place in places[:_PLACES]:
            shown.append(self._place(place, again=place.path == before))
            before = place.path
        return join([*spans, *words.CITED(self._language, places=between(shown, ", "))])

    def _place(self, evidence: Evidence, *, again: bool) -> document.Span:
        """A place; after another one of the same file only its line."""
        path = printable(evidence.path)
        url = self.address_of(evidence)
        name = path.rpartition("/")[2] if url else path
        text = f":{evidence.line}" if again else f"{name}:{evidence.line}"
        return document.Link(text, url) if url else document.Code(text)

    def address_of(self, evidence: Evidence) -> str:
        """The URL of the line on its side of the change; empty without web pages."""
        sha = self._graded.sha
        if evidence.side is Side.OLD:
            parents = self._graded.commit.parents
            sha = parents[0] if parents else ""
        if not sha:
            return ""
        return self._repository.file_url(sha, quote_path(evidence.path), evidence.line)


@lru_cache(maxsize=1024)
def quote_path(path: str) -> str:
    """A path as part of a URL, with the bytes that git has."""
    return quote(path.encode("utf-8", "surrogateescape"))


def change_blocks(
    graded: Graded,
    analysis: Analysis,
    repository: Repository,
    zone: ZoneInfo,
    language: Language,
    *,
    level: int = 4,
    late: bool = False,
    missed: bool = False,
    whole: bool = False,
    related: document.Spans = (),
) -> tuple[document.Block, ...]:
    """A change with its whole analysis, below a heading of ``level`` with its anchor.

    A low change takes three lines unless ``whole`` is set; empty sections are left out. ``related``
    names its follow-ups, or what it follows up.
    """
    return (
        document.Heading(
            level,
            code_as_spans(graded.title) or (document.Code(graded.sha[:10]),),
            anchor_of(graded),
        ),
        document.Paragraph(_reference(graded, repository, zone, language)),
        *((document.Paragraph(related),) if related else ()),
        *_remarks(graded, analysis, zone, language, late=late, missed=missed),
        document.Paragraph(_judgement(graded.grade, analysis, language)),
        *_sections(graded, analysis, repository, language, whole=whole),
    )


def anchor_of(graded: Graded) -> str:
    """The anchor of a change within a page."""
    return f"c-{graded.sha[:12]}"


def label(mark: str, phrase: Phrase, language: Language) -> document.Spans:
    """A bold label with its colon."""
    return (document.Strong(f"{mark} {phrase.template(language)}"), *labels.COLON(language))


def title_link(graded: Graded, repository: Repository) -> document.Span:
    """The title linked to the request or the commit, or the title alone."""
    title = without_backticks(graded.title) or graded.sha[:10]
    url = repository.request_url(graded.number) if graded.number is not None else ""
    url = url or repository.commit_url(graded.sha)
    return document.Link(title, url) if url else document.Text(title)


def author_link(name: str, repository: Repository) -> document.Span:
    """The name of an author, linked if the repository has pages of its authors."""
    name = " ".join(name.split())
    url = repository.author_url(name) if name else ""
    return document.Link(name, url) if url else document.Text(name)


def name_link(graded: Graded, repository: Repository) -> document.Span:
    """The number or name of a change, linked if the repository has web pages."""
    if graded.number is not None:
        name, url = graded.name, repository.request_url(graded.number)
        return document.Link(name, url) if url else document.Text(name)
    name, url = graded.sha[:10], repository.commit_url(graded.sha)
    return document.Link(name, url) if url else document.Code(name)


def _reference(
    graded: Graded, repository: Repository, zone: ZoneInfo, language: Language
) -> document.Spans:
    """Sha, links, author and time on one line."""
    parts: list[Part] = [
        (document.Strong("SHA"), *labels.COLON(language), document.Code(graded.sha[:10]))
    ]
    if url := repository.commit_url(graded.sha):
        parts.append((document.Text("🔗 "), document.Link(words.COMMIT.template(language), url)))
    if graded.number is not None:
        parts.append(name_link(graded, repository))
    parts.append(author_link(graded.commit.author, repository))
    parts.append(minute(graded.commit.committed_at, zone))
    return between(parts, " | ")


def _remarks(
    graded: Graded,
    analysis: Analysis,
    zone: ZoneInfo,
    language: Language,
    *,
    late: bool,
    missed: bool,
) -> Iterator[document.Block]:
    """What a reader has to know before reading on."""
    if late:
        at = minute(graded.commit.committed_at, zone)
        yield document.Paragraph((document.Emphasis(words.LATE_NOTE.text(language, moment=at)),))
    if missed:
        yield document.Paragraph((document.Emphasis(words.MISSED_NOTE.template(language)),))
    if analysis.partial:
        yield document.Paragraph((document.Emphasis(analysis.partial),))


def _judgement(grade: Grade, analysis: Analysis, language: Language) -> document.Spans:
    """Types and level on one line, with the reasons of the grade unless it is low."""
    kinds = labels.COMMA.template(language).join(
        labels.CHANGE_TYPES[kind].template(language) for kind in analysis.change_types
    )
    level = words.LEVEL_SCORE.text(
        language, level=labels.level_words(grade.level, language), score=f"{grade.score:.2f}"
    )
    reasons = grade_reasons(grade, language) if grade.level is not Level.LOW else ""
    tail = (*labels.COLON(language), document.Text(reasons)) if reasons else ()
    return join(
        [
            *label("🎯", labels.TYPES, language),
            kinds,
            " | ",
            *label("⚡", labels.IMPORTANCE, language),
            level,
            *tail,
        ]
    )


def grade_reasons(grade: Grade, language: Language) -> str:
    """The interesting reasons that raised the grade, largest weight first, in words."""
    raised = [r for r in grade.reasons if r.weight >= 0 or r.rule.startswith(PREFIX)]
    telling = [r for r in raised if r.rule not in FAINT] or raised
    words = dict.fromkeys(reason_words(reason, language) for reason in telling)
    return labels.SEPARATOR.template(language).join(words)


def _sections(
    graded: Graded, analysis: Analysis, repository: Repository, language: Language, *, whole: bool
) -> Iterator[document.Block]:
    """The sections that have something to say, each a label and its statements."""
    where = Citations(graded, repository, language)
    if analysis.summary:
        first, *further = analysis.summary
        yield document.Paragraph((*label("📋", labels.SUMMARY, language), *where.cited(first)))
        if further:
            yield _list(document.Item(where.cited(s)) for s in further)
    if graded.grade.level is Level.LOW and not whole:
        return
    if analysis.impact:
        yield document.Paragraph(label("🗂️", labels.IMPACT, language))
        yield _list(document.Item(s.spans) for s in analysis.impact)
    if analysis.insights:
        yield document.Paragraph(label("🔍", labels.INSIGHTS, language))
        yield _list(_by_aspect(analysis.insights, where, language))
    for mark, phrase, statements in advice(analysis):
        yield document.Paragraph(label(mark, phrase, language))
        yield _list(document.Item(where.cited(s)) for s in statements)


def advice(analysis: Analysis) -> Iterator[tuple[str, Phrase, tuple[Statement, ...]]]:
    """What readers have to know and do, as sections: of facts one, without repetitions."""
    if analysis.source is Origin.FACTS:
        told = {place for one in analysis.suggestions for place in one.evidence}
        risks = [one for one in analysis.risks if not told.issuperset(one.evidence)]
        sections = [("👉", labels.TO_DO, (*risks, *analysis.suggestions))]
    else:
        sections = [
            ("⚠️", labels.RISKS, analysis.risks),
            ("💡", labels.SUGGESTIONS, analysis.suggestions),
        ]
    yield from (section for section in sections if section[2])


def run(statements: Iterable[Statement], language: Language) -> document.Spans:
    """Statements as running text, with a space between sentences if the language uses one."""
    parts: list[Part] = []
    for statement in statements:
        if parts:
            ends = document.plain(parts[-1]) if isinstance(parts[-1], tuple) else ""
            wide = ends[-1:] in _WIDE_STOPS and not (
                ends[-1] == "”" and statement.text[:1].isascii()
            )
            parts.append("" if language is Language.ZH and wide else " ")
        parts.append(statement.spans)
    return join(parts)


_WIDE_STOPS = tuple("。！？”；")


def _list(items: Iterable[document.Item]) -> document.Listing:
    return document.Listing(tuple(items))


def _by_aspect(
    statements: Sequence[Statement], where: Citations, language: Language
) -> Iterator[document.Item]:
    """One item per aspect, in the order of the statements, with its statements below."""
    for aspect in dict.fromkeys(s.aspect for s in statements):
        items = tuple(document.Item(where.cited(s)) for s in statements if s.aspect is aspect)
        if aspect is Aspect.NONE:
            yield from items
        else:
            yield document.Item(
                (document.Strong(labels.ASPECTS[aspect].template(language)),), items
            )
