"""Changes made by programs, recognised by the names they use."""

from __future__ import annotations

import re

from digest.core.change import Commit
from digest.core.facts import FactKind, Facts

_NAME = re.compile(r"\[bot\]|(?:^|[\s_-])(?:ro)?bot$", re.IGNORECASE)

_KNOWN = re.compile(
    r"(?:dependabot|renovate|github-actions|pre-commit-ci|mergify|pyup|greenkeeper|snyk"
    r"|allcontributors|weblate|codecov|semantic-release|imgbot)\b",
    re.IGNORECASE,
)

_BRANCH = re.compile(
    r"\b(?:from|branch '?) ?\S{0,80}(?:dependabot|renovate|\bbot)\b", re.IGNORECASE
)
"""The first line of a merge of a bot's branch."""

_WEAKNESS = frozenset({"advisory", "words"})


def is_bot(author: str, email: str = "") -> bool:
    """Whether a commit was made by a program, by its author's name and email."""
    name = " ".join(author.split())
    return bool(_NAME.search(name) or "[bot]" in email.lower() or _KNOWN.match(name))


def made_by_bot(commit: Commit, facts: Facts) -> bool:
    """Whether a change is a bot's own, and not one that a bot landed for a person."""
    if not is_bot(commit.author, commit.email):
        return False
    if any(not is_bot(name) for name in facts.co_authors):
        return False
    return not (facts.merge and not _BRANCH.search(commit.subject))


def fixes_weakness(facts: Facts) -> bool:
    """Whether the message names an advisory or mentions a vulnerability."""
    return any(fact.detail in _WEAKNESS for fact in facts.of(FactKind.SECURITY))
