"""A change with everything the program knows of it before it puts that into words."""

from __future__ import annotations

from dataclasses import dataclass

from digest.authored import clipped
from digest.change import Commit
from digest.facts.model import Facts
from digest.grade import Grade


@dataclass(frozen=True, slots=True, kw_only=True)
class Graded:
    """A commit, its facts and its grade: what the archive keeps, without the lines of the diff."""

    commit: Commit
    facts: Facts
    grade: Grade

    @property
    def sha(self) -> str:
        """The full name of the commit."""
        return self.commit.sha

    @property
    def number(self) -> int | None:
        """The pull or merge request, where the message names one."""
        return self.facts.subject.number

    @property
    def title(self) -> str:
        """The line that a reader should see, cut where somebody wrote a page into it."""
        return clipped(self.facts.subject.title)


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """A watched repository.

    ``name`` is ``owner/name`` or the folder's name. ``web`` is the address of its pages without
    a trailing slash (``https://github.com/owner/name``), or empty where none is known: then
    nothing is linked. ``forge`` is ``github``, ``gitlab``, ``gitea`` or empty.
    """

    name: str
    web: str = ""
    forge: str = ""

    def commit_url(self, sha: str) -> str:
        """The page of a commit, or empty."""
        if not self.web:
            return ""
        return (
            f"{self.web}/-/commit/{sha}" if self.forge == "gitlab" else f"{self.web}/commit/{sha}"
        )

    def file_url(self, sha: str, path: str, line: int) -> str:
        """The page of a line of a file at a commit, or empty; ``path`` is percent-encoded."""
        if not self.web:
            return ""
        if self.forge == "gitea":
            return f"{self.web}/src/commit/{sha}/{path}#L{line}"
        return f"{self.web}/{'-/blob' if self.forge == 'gitlab' else 'blob'}/{sha}/{path}#L{line}"

    def request_url(self, number: int) -> str:
        """The page of a pull or merge request, or empty."""
        if not self.web:
            return ""
        if self.forge == "gitlab":
            return f"{self.web}/-/merge_requests/{number}"
        return f"{self.web}/{'pulls' if self.forge == 'gitea' else 'pull'}/{number}"
