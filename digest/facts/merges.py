"""Messages that a forge writes around a request: the real title, its number and the rest.

A merge commit's own subject names branches; what a reader wants is the request's title, which
every forge puts somewhere else:

- GitHub: ``Merge pull request #N from owner/branch``, the title opens the body.
- GitLab: ``Merge branch 'x' into 'y'``, the title opens the body, ``See merge request g/p!N`` ends
  it. Squashed requests keep only that last line.
- Bitbucket: ``Merged in branch (pull request #N)``, the title opens the body; its server edition
  writes ``Pull request #N: title``. Azure DevOps: ``Merged PR N: title``.
- Gitea: ``Merge pull request 'title' (#N) from x into y``.
- Homu and bors: ``Auto merge of #N - ...``, ``Rollup merge of #N - ...``, the title opens the body;
  bors-ng: ``Merge #N`` with a body of ``N: title r=... a=...``.

Imports ``change`` only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from digest.change import Commit

_TITLE_IN_BODY = re.compile(
    r"(?:Merge pull request #(?P<github>\d{1,9}) (?:from|in) "
    r"|Merge (?:pull request from GHSA-|commit from fork$)"
    r"|Merged in .{1,250} \(pull request #(?P<bitbucket>\d{1,9})\)$"
    r"|(?:Auto|Rollup) merge of #(?P<homu>\d{1,9})\b"
    r"|Merge (?:branch|remote-tracking branch|tag) '(?P<branch>[^']{1,250})'(?: of \S{1,250})?"
    r"(?: into '?[^' ]{1,250}'?)?$)"
)
_TITLE_IN_SUBJECT = re.compile(
    r"(?:Merge pull request '(?P<gitea_title>.{1,500})' \(#(?P<gitea>\d{1,9})\) from "
    r"|Merged PR (?P<azure>\d{1,9}): (?P<azure_title>\S.{0,500})"
    r"|Pull request #(?P<server>\d{1,9}): (?P<server_title>\S.{0,500}))"
)
_BORS = re.compile(r"Merge #(\d{1,9})(?: #\d{1,9}){0,20}$")
_BORS_TITLE = re.compile(r"(\d{1,9}): (\S.{0,500})")
_BORS_REVIEWERS = re.compile(r"\s+r=\S{0,100}(?:\s+a=\S{0,100})?$")
_MERGE_REQUEST = re.compile(
    r"See merge request (?:\S{0,250}!|https?://\S{1,250}/merge_requests/)(\d{1,9})\.?\s*$"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A message without what a forge wrapped it in.

    ``body`` starts after the title, wherever that stood. ``number`` is the request that the
    wrapping names; a number at the end of ``title`` is left there.
    """

    title: str
    body: str
    number: int | None = None


def told(commit: Commit) -> Told:
    """What the author tells: the real title and the text below it."""
    subject, body = commit.subject, commit.body
    number = _merge_request(body)
    if found := _TITLE_IN_SUBJECT.match(subject):
        title = found["gitea_title"] or found["azure_title"] or found["server_title"]
        told_number = found["gitea"] or found["azure"] or found["server"]
        return Told(title=title.strip(), body=body, number=int(told_number))
    if found := _TITLE_IN_BODY.match(subject):
        named = found["github"] or found["bitbucket"] or found["homu"]
        number = int(named) if named else number
        # A branch merged by hand has prose or conflict notes below, not a title.
        if number is not None or not found["branch"]:
            title, rest = _first_line(body)
            return Told(title=title or subject, body=rest if title else body, number=number)
    if (found := _BORS.match(subject)) and (inner := _BORS_TITLE.match(body)):
        title = _BORS_REVIEWERS.sub("", inner[2].strip())
        return Told(title=title, body=_first_line(body)[1], number=int(inner[1]))
    return Told(title=subject, body=body, number=number)


def _merge_request(body: str) -> int | None:
    # The line is near the end, before trailers at most; long bodies are not searched whole.
    for line in reversed(body[-4000:].splitlines()):
        if line.startswith("See merge request ") and (found := _MERGE_REQUEST.match(line)):
            return int(found[1])
    return None


def _first_line(body: str) -> tuple[str, str]:
    line, _, rest = body.partition("\n")
    line = line.strip()
    if line.startswith(("See merge request ", "* commit '", "# Conflicts", "Conflicts:")):
        return "", body
    return line, rest.strip("\n")
