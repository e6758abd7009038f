"""Addresses of the web pages, for links to them. Uses the standard library only.

A repository's name contains slashes, so ``/-/`` separates it from the rest of the path, as in
GitLab: no forge allows a part of a name to be a dash.
"""

from __future__ import annotations

from datetime import date
from urllib.parse import quote, urlencode

REPOSITORIES = "/r"
DIGESTS = "/digests"
WITHIN = "/-"


def path_of(
    repository: str,
    *,
    day: date | None = None,
    week: date | None = None,
    change: str = "",
    topic: str = "",
    author: str = "",
    compare: tuple[str, str] = ("", ""),
    rest: str = "",
) -> str:
    """The path only; ``rest`` is one of another kind; ``compare`` is two points, in order."""
    base = f"{REPOSITORIES}/{quote(repository)}"
    if day is not None:
        return f"{base}{WITHIN}/days/{day.isoformat()}"
    if week is not None:
        return f"{base}{WITHIN}/weeks/{week_name(week)}"
    if change:
        return f"{base}{WITHIN}/changes/{quote(change.lstrip('#'), safe='')}"
    if topic:
        return f"{base}{WITHIN}/topics/{quote(topic, safe='')}"
    if author:
        return f"{base}{WITHIN}/authors/{quote(author, safe='', errors='replace')}"
    if all(compare):
        return f"{base}{WITHIN}/compare/{'...'.join(map(quote, compare))}"
    return f"{base}{WITHIN}/{rest}" if rest else base


def digest_path(mark: str) -> str:
    """The page of a digest as it was posted, by its mark."""
    return f"{DIGESTS}/{mark}"


def page_of_digest(public_url: str, mark: str, language: str) -> str:
    """The address of a digest's page; empty without a public URL."""
    if not public_url:
        return ""
    return f"{public_url.rstrip('/')}{digest_path(mark)}?{urlencode({'lang': language})}"


def week_name(day: date) -> str:
    """The ISO 8601 week of a day, such as ``2026-W04``; it begins on Monday."""
    year, week, _ = day.isocalendar()
    return f"{year}-W{week:02d}"


def within(name: str) -> str:
    """What the paths of all other pages of a repository begin with."""
    return f"{path_of(name)}{WITHIN}/"
