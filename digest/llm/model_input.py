"""A change as a model may see it, by the repository's privacy.

Files and hunks have ids that do not depend on what fits into a prompt: ``F2`` is the second file in
git's order, ``F2.H3`` its third hunk, ``M`` the message. Models cite them and code looks them up.

=========  ====================================================================================
full       title, message, paths and diff
redacted   the same with people, addresses and machines masked
metadata   title, paths, counts, and the kinds and names of facts; no line of code, no value,
           no word of the message's body
none       nothing: no model is asked
=========  ====================================================================================

Secrets are masked in every mode, by the :class:`Redactor` that the edge provides. Names of authors
and trailers are sent in no mode, since no statement needs them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from digest.core.change import Change, FileChange, Hunk, without_hunks
from digest.core.enums import Privacy
from digest.core.facts import Fact, Facts, FileFacts
from digest.core.grade import Graded
from digest.core.patterns import lazy
from digest.frozen import frozen

MESSAGE = "M"  # the id of the commit's message
_ID = lazy(r"F([1-9]\d{0,5})(?:\.H([1-9]\d{0,6}))?", re.ASCII)


@frozen
class Material:
    """The visible form of a change, and the original."""

    change: Change  # what the repository's privacy lets out, without secrets
    facts: Facts  # as ``change``, with the files in the same order
    graded: Graded  # everything that is known, and never leaves the machine
    secrets: int  # how many were masked
    bare: bool = False  # privacy keeps all lines back

    @property
    def sha(self) -> str:
        """The full name of the commit."""
        return self.change.sha

    def files(self) -> list[tuple[str, FileChange, FileFacts]]:
        """Each file with its id."""
        pairs = zip(self.change.files, self.facts.files, strict=True)
        return [(file_id(at), file, facts) for at, (file, facts) in enumerate(pairs)]


@frozen
class Cited:
    """The target of an id: a hunk, a file as a whole, or (both ``None``) the message."""

    file: FileChange | None = None
    hunk: Hunk | None = None


def file_id(at: int) -> str:
    """The id of the file at an index."""
    return f"F{at + 1}"


def hunk_id(at: int, hunk: int) -> str:
    """The id of a hunk by the indexes of its file and of itself."""
    return f"F{at + 1}.H{hunk + 1}"


def find_target(reference: str, change: Change) -> Cited | None:
    """The target of an id in a change, or ``None`` if there is none."""
    reference = reference.strip().strip("[]()`").upper()
    if reference == MESSAGE:
        return Cited()
    match = _ID.fullmatch(reference)
    if match is None or int(match[1]) > len(change.files):
        return None
    file = change.files[int(match[1]) - 1]
    if match[2] is None:
        return Cited(file=file)
    at = int(match[2]) - 1
    return Cited(file=file, hunk=file.hunks[at]) if at < len(file.hunks) else None


@frozen
class Masked:
    """A change and its facts without their secrets; ``secrets`` counts the different ones."""

    change: Change
    facts: Facts
    secrets: int


class Redactor(Protocol):
    """Finds secrets and masks them."""

    def __call__(self, change: Change, facts: Facts) -> Masked:
        """The same change, line by line, with every occurrence of a secret masked."""


def material(
    change: Change, graded: Graded, privacy: Privacy, redactor: Redactor
) -> Material | None:
    """The part of a change that a model may see, or ``None`` if that is nothing."""
    if privacy is Privacy.NONE:
        return None
    shown, facts = change, graded.facts
    if privacy is Privacy.METADATA:
        shown, facts = _bare(change), _nameless(facts)
    masked = redactor(shown, facts)
    shown, facts = masked.change, masked.facts
    if privacy is Privacy.REDACTED:
        shown, facts = mask_change(shown, facts, impersonal)
    return Material(
        change=shown,
        facts=facts,
        graded=graded,
        secrets=masked.secrets,
        bare=privacy is Privacy.METADATA,
    )


def mask_change(change: Change, facts: Facts, mask: Callable[[str], str]) -> tuple[Change, Facts]:
    """The change and its facts with every text masked; paths, ids and line numbers stay."""
    commit = replace(change.commit, message=mask(change.commit.message))
    files = tuple(_mapped_file(file, mask) for file in change.files)
    return replace(change, commit=commit, files=files), _mapped_facts(facts, mask)


def _mapped_file(file: FileChange, mask: Callable[[str], str]) -> FileChange:
    hunks = tuple(_mapped_hunk(hunk, mask) for hunk in file.hunks)
    return file if hunks == file.hunks else replace(file, hunks=hunks)


def _mapped_hunk(hunk: Hunk, mask: Callable[[str], str]) -> Hunk:
    removed, added = _lines(hunk.removed, mask), _lines(hunk.added, mask)
    section = mask(hunk.section)
    same = removed is hunk.removed and added is hunk.added and section == hunk.section
    return hunk if same else replace(hunk, removed=removed, added=added, section=section)


def _lines(lines: tuple[str, ...], mask: Callable[[str], str]) -> tuple[str, ...]:
    """Masked as one text, which is far faster; a mask keeps the number of lines."""
    text = "\n".join(lines)
    masked = mask(text)
    return lines if masked == text else tuple(masked.split("\n"))


def _mapped_facts(facts: Facts, mask: Callable[[str], str]) -> Facts:
    subject = facts.subject
    return replace(
        facts,
        subject=replace(subject, title=mask(subject.title), words=mask(subject.words)),
        items=tuple(_mapped_fact(item, mask) for item in facts.items),
        paragraphs=tuple(mask(paragraph) for paragraph in facts.paragraphs),
    )


def _mapped_fact(fact: Fact, mask: Callable[[str], str]) -> Fact:
    return replace(
        fact,
        name=mask(fact.name),
        before=None if fact.before is None else mask(fact.before),
        after=None if fact.after is None else mask(fact.after),
    )


def _bare(change: Change) -> Change:
    """The subject, the paths and the counts."""
    commit = replace(change.commit, message=change.commit.subject)
    return replace(change, commit=commit, files=without_hunks(change.files))


def _nameless(facts: Facts) -> Facts:
    """Facts by kind, action and name, without values and without the author's paragraphs."""
    items = tuple(replace(item, before=None, after=None) for item in facts.items)
    return replace(facts, items=items, paragraphs=())


_EMAIL = r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
_IPV4 = r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?!\.?\d)"
_IPV6 = r"(?<![\w:])(?:[0-9a-fA-F]{1,4}:){4,7}[0-9a-fA-F]{1,4}(?![\w:])"
_URL = r"(?<=://)(?:\[[\w:.]{0,45}\]|[^\s/\"'`<>)\]}])+"  # brackets: a mask, an IPv6 address
_HOME = r"(?<=/home/)[\w.-]+|(?<=/Users/)[\w.-]+|(?<=\\Users\\)[\w.-]+"
_PERSONAL = lazy(rf"(?P<url>{_URL})|(?P<email>{_EMAIL})|(?P<ip>{_IPV4}|{_IPV6})|(?P<home>{_HOME})")

# A cheap check first: few lines match anything of the kind, and no match spans lines.
_MAYBE = lazy(r"://|@[\w-]|/home/|[/\\]Users[/\\]|\d\.\d{1,3}\.\d|[0-9a-fA-F]:[0-9a-fA-F]{1,4}:")
_BLOT = {"url": "[host]", "email": "[address]", "ip": "[ip]", "home": "[user]"}


def impersonal(text: str) -> str:
    """The text without mail addresses, hosts of addresses, IP addresses and users' folders."""
    done: list[str] = []
    at = 0
    for hint in _MAYBE.finditer(text):
        if hint.start() < at:
            continue
        start = text.rfind("\n", at, hint.start()) + 1 or at
        end = text.find("\n", hint.end())
        end = len(text) if end < 0 else end
        line = _PERSONAL.sub(lambda match: _BLOT[str(match.lastgroup)], text[start:end])
        done += text[at:start], line
        at = end
    return "".join(done) + text[at:] if done else text
