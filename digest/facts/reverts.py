"""Reverts and relands, with the change that they revert or apply again.

Known forms: git's ``Revert "title"`` with ``This reverts commit <sha>.``, git's ``Reapply`` (since
2.43), ``revert: title`` of conventional commits, ``[Revert]``, GitHub's ``Reverts owner/repo#N``,
GitLab's ``This reverts merge request !N``
and the habits of large projects (``Reland``, ``Back out``). A revert of a revert brings back. A
partial revert, or one that resets a value (``Revert X to Y``), does not name an undone change.
"""

from __future__ import annotations

import re

from digest.core.facts import Subject, Undone
from digest.core.patterns import lazy
from digest.facts.subject import strip_numbers, strip_tags

_REVERT = lazy(
    r"(?:revert(?:s|ed|ing)?|back(?:s|ed|ing)?[ -]?out|roll(?:s|ed|ing)?[ -]?back)(?: of)?"
    r"(?=[\s:\"“'`#\[]|$)\s*:?\s*",
    re.IGNORECASE,
)
RELANDED = lazy(
    r"(?:re-?land(?:s|ed|ing)?|re-?appl(?:y|ies|ied|ying)|un-?revert(?:s|ed|ing)?)(?: of)?"
    r"(?=[\s:\"“'`#\[]|$)\s*:?\s*",
    re.IGNORECASE,
)
_REVERT_TAGS = frozenset(["revert", "reverts"])
_RELAND_TAGS = frozenset(["reland", "re-land", "reapply", "unrevert", "redo"])
_WHAT = lazy(
    r"(?:the )?(?:(?:pull request|changeset|commit|change|prs?) ?)?"
    r"(?:#|\b(?=\d{3,9}\b))(\d{1,9})\b[:,]?\s*",
    re.IGNORECASE,
)
_MERGE = lazy(r"Merge pull request #(\d{1,9})\b")
_REDO = lazy(r"redo\s+(?=[\"“\[#])", re.IGNORECASE)
_SHA_FIRST = lazy(r"(?:commit |changeset )?([0-9a-f]{7,40})\b:?\s*")
_PARTIAL = lazy(r"(?:\S{1,40} ){0,3}?(?:parts? of|partly|partial(?:ly)?)\b", re.IGNORECASE)
_SET_BACK = lazy(
    r"(?:.{0,200}\s)?(?:back|to)\s"
    r"(?!avoid|fix|prevent|unblock|make|resolve|reduce|allow|keep|pass)",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "“": "”", "'": "'", "`": "`"}
_NUMBER = lazy(r"#(\d{1,9})\b")
_BODY_SHA = lazy(r"This (?:commit )?reverts (?:commits? |changeset )?([0-9a-f]{7,40})\b")
_BODY_NUMBER = lazy(
    r"(?:This )?[Rr]everts?:? (?:PR |(?:pull|merge) request )?"
    r"(?:[\w.-]{1,60}(?:/[\w.-]{1,60}){1,9})?[#!](\d{1,9})\b"
)
_BODY_RELAND = lazy(
    r"(?:This )?(?:is a )?(?:[Rr]e-?[Ll]and|[Rr]eappl)\w{0,4} (?:of )?(?:commit |PR )?"
    r"(?:(?:[\w.-]{1,60}/[\w.-]{1,60})?#(?P<number>\d{1,9})|(?P<sha>[0-9a-f]{7,40}))\b"
)
_DEEPEST = 8  # reverts of reverts in one title; nobody has written more


def find_undone(subject: Subject, body: str) -> tuple[Undone | None, Undone | None]:
    """The change that is reverted and the one that is re-landed; at most one is set."""
    reverts, relands, target = _peel(subject)
    sha, number = _of_body(body, trust=reverts > 0 or relands)
    if reverts == 0 and not relands:
        return (Undone(sha=sha, number=number), None) if sha or number else (None, None)
    if target is None:
        return None, None
    if reverts % 2 == 1:
        return (
            Undone(sha=sha or target.sha, number=target.number or number, title=target.title),
            None,
        )
    # The body of a revert of a revert names the revert, which is not what is brought back.
    sha, number = _brought_back(body)
    return None, Undone(sha=sha or target.sha, number=target.number or number, title=target.title)


def _peel(subject: Subject) -> tuple[int, bool, Undone | None]:
    """Count the reverts around a title: (reverts, whether it re-lands, the change inside).

    The change is ``None`` if the words do not undo a change as a whole.
    """
    tags = {tag.lower() for tag in subject.tags}
    reverts, relands = int(bool(tags & _REVERT_TAGS)), bool(tags & _RELAND_TAGS)
    reverts = max(reverts, int(subject.type == "revert"))
    marked = reverts > 0 or relands
    text, numbers = strip_numbers(subject.title[:1000].strip())
    if numbers and numbers[-1] == subject.number:
        numbers.pop()
    if several := _SEVERAL.search(subject.title[:1000]):  # the first has the title
        numbers = [int(several[1])]
    text = strip_tags(text)[0]
    # The prefix of a conventional commit was already read; continue with the words.
    if subject.type or subject.scope:
        text = subject.words
    quoted = marked and subject.type == "revert"
    for depth in range(_DEEPEST):
        again, back = _REVERT.match(text), RELANDED.match(text) or _REDO.match(text)
        if not (found := again or back):
            break
        if not (depth == 0 and marked):
            reverts, relands = reverts + int(again is not None), relands or back is not None
        text, quoted = _unquote(text[found.end() :])
        inner, more = strip_numbers(text)
        text, numbers = (inner, more or numbers) if quoted else (text, numbers)
    return reverts, relands, _target(text, numbers, quoted=quoted)


_SEVERAL = lazy(r"\(#(\d{2,9})(?:(?:,| and|, and| &) #\d{2,9}){1,8}\)")


def _target(text: str, numbers: list[int], *, quoted: bool) -> Undone | None:
    if not quoted and _PARTIAL.match(text):
        return None
    text, more = strip_numbers(text)
    numbers = more or numbers
    if (match := _WHAT.match(text)) and (not quoted or match.end() == len(text)):
        title, closed = _unquote(text[match.end() :])
        return Undone(number=int(match[1]), title=title if closed else "")
    if (match := _SHA_FIRST.match(text)) and any(c.isdigit() for c in match[1]):
        return Undone(sha=match[1], number=numbers[-1] if numbers else None)
    if merged := _MERGE.match(text):
        return Undone(number=int(merged[1]))
    number = numbers[-1] if numbers else None
    if quoted or text.startswith("["):
        return Undone(number=number, title=text)
    if _SET_BACK.match(text):
        return None
    named = _NUMBER.search(text)
    return Undone(number=number or (int(named[1]) if named else None))


def _unquote(text: str) -> tuple[str, bool]:
    """The text in the quotes at its start; a truncated end is accepted."""
    text = text.strip()
    if not text or text[0] not in _QUOTES:
        return text, False
    end = text.rfind(_QUOTES[text[0]])
    if text[0] in "'`" and end < len(text) - 1:
        return text, False  # a quoted word, not a quoted title
    return (text[1:end] if end > 0 else text[1:]).strip(), True


def _of_body(body: str, *, trust: bool) -> tuple[str, int | None]:
    """The commit or request that the body says is reverted.

    Unless the subject says that it is a revert, only the start of a body counts, and not that of a
    list of squashed commits, whose lines describe intermediate steps.
    """
    lines = [line for line in body[:20_000].splitlines() if line.strip()]
    if not trust:
        lines = [] if any(line.startswith("* ") for line in lines) else lines[:2]
    for line in lines:
        if match := _BODY_SHA.match(line.strip()):
            return match[1], None
    if trust:
        for line in lines:
            if match := _BODY_NUMBER.match(line.strip()):
                return "", int(match[1])
    return "", None


def _brought_back(body: str) -> tuple[str, int | None]:
    for line in body[:20_000].splitlines():
        if match := _BODY_RELAND.match(line.strip()):
            return match["sha"] or "", int(match["number"]) if match["number"] else None
    return "", None
