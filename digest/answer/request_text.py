"""A forge's data on a request, in lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from digest.core.enums import Language
from digest.core.grade import Repository
from digest.core.request import PullRequest, RequestState
from digest.document import Code, Link, Span, Spans, Strong, Text
from digest.i18n import labels as words
from digest.i18n.phrase import Part, between, list_in_words

_MOST = 12
"""Labels, issues or reviewers that are named; the others are counted."""


def request_lines(
    request: PullRequest, repository: Repository, language: Language
) -> Iterator[Spans]:
    """State, labels, issues and reviews, a line each; empty ones are left out."""
    yield _state(request, repository, language)
    if request.labels:
        labels = list_in_words([Code(label) for label in request.labels], language, limit=_MOST)
        yield words.LABELS(language, labels=labels)
    if request.issues:
        issues = list_in_words(issue_links(request.issues, repository), language, limit=_MOST)
        yield words.CLOSES(language, issues=issues)
    if request.reviewed:
        yield review_line(request, language)


def review_line(request: PullRequest, language: Language) -> Spans:
    """The reviewers and their verdicts."""
    if not request.reviewers:
        return words.NO_REVIEWS(language)
    said = [words.VERDICTS[one.verdict](language, name=one.name) for one in request.reviewers]
    return words.REVIEWS(language, reviews=list_in_words(said, language, limit=_MOST))


def issue_links(numbers: Sequence[int], repository: Repository) -> list[Part]:
    """Issues by number, linked if the repository has pages."""
    return [_linked(f"#{number}", issue_url(repository, number)) for number in numbers]


def request_link(number: int, repository: Repository) -> Span:
    """A request by number, linked if the repository has pages."""
    mark = "!" if repository.forge == "gitlab" else "#"
    return _linked(f"{mark}{number}", repository.request_url(number))


def issue_url(repository: Repository, number: int) -> str:
    """The page of an issue, or empty."""
    if not repository.web:
        return ""
    return f"{repository.web}/{'-/' if repository.forge == 'gitlab' else ''}issues/{number}"


def _linked(text: str, url: str) -> Span:
    return Link(text, url) if url else Text(text)


def _state(request: PullRequest, repository: Repository, language: Language) -> Spans:
    parts: list[Part] = [
        Strong(words.STATES[request.state].template(language)),
        request_link(request.number, repository),
    ]
    if request.draft and request.state is RequestState.OPEN:
        parts.append(words.DRAFT(language))
    if request.base:
        parts.append(words.FOR_BRANCH(language, branch=Code(request.base)))
    parts.append(words.BY(language, name=request.author))
    return between(parts, " · ")
