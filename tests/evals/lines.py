"""The share of lines that say what a change means for a reader.

    python -m tests.evals.lines CLONE --since DAY --until DAY [--name OWNER/NAME] [--show]

A line has a *consequence* if a reader who does not know the code learns what is different: what now
works or is rejected, what was removed, renamed or got another value or version, what is new, or
that nobody outside is concerned. :func:`says_consequence` judges only the words, without knowing
how they were made. docs/lines.md says how people judge, and how often both agree.
"""

from __future__ import annotations

import argparse
import asyncio
import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date, datetime
from zoneinfo import ZoneInfo

from rich.console import Console
from rich.table import Table

from bot.app import open_workspace
from digest.analysis.analyse import gist
from digest.analysis.headline import BEGINS
from digest.core.enums import Language
from digest.core.facts import FactKind
from digest.core.grade import Graded, Level
from digest.document import plain
from digest.facts.exposure import is_sent
from digest.report.condensed import consequence
from digest.window import Window
from handlers.digests.ingest import ensure

_EXTENT = re.compile(
    r"changes \d[\d,]* files?\b|(?:adds|removes|changes|renames|moves) [\w.`:, ]{1,120} and \d+ more\b"
    r"|changes [\w./`-]+\.\w{1,5} \(",
    re.IGNORECASE,
)

_LABEL = re.compile(
    r"(?:tests only|ci only|documentation only|benchmarks only|examples only|refactoring|fix"
    r"|performance|new|security|breaking|removed)(?: \([^()]{1,60}\))?: (?=\S)",
    re.IGNORECASE,
)

_SCOPE = re.compile(r"(?!now rejected: )[^:“”]{1,60}(?<!error): (?=\S)", re.IGNORECASE)

_STATE = re.compile(
    r"\b(?:is|are|was|were) (?:now|no longer|removed|deprecated|required|not|a|supported|on|off)\b"
    r"|\bbuilt with\b|\bis now \S{1,40} \(was\b|\bnow among\b|\bnow (?:defaults|(?:also )?takes|requires)\b|\bnow rejected\b|\bno longer\b|\b(?:allowed (?:for|if|when)|falls back|requires|returns)\b|\braised from\b|\bundoes\b|\bbrings back\b",
    re.IGNORECASE,
)

_NEWS = re.compile(
    r"New (?:flag|environment variable|setting|route|metric|field|class|function|method) "
    r"[^:“”]{1,120}: (?=\S)"
)
"""New things, with words that say what they are for."""

_PURPOSE = re.compile(
    r"^(?:before|until) (?:this|the) (?:change|commit|fix)\b|\bso (?:that )?(?:an?|it|the)\b|\bto (?:allow|avoid|enable|prevent)\b"
    r"|\bshould (?:be|honou?r|not|respect|use)\b|^fix(?:e[sd])? .{8,} when .{8,}",
    re.IGNORECASE,
)
"""What a change is for, or when a fault shows, wherever the name of a symbol stands."""

_INSIDE = re.compile(
    r"(?:refactor|move|extract|simplify|consolidate|restructure|unify|reorganize|deduplicate|split"
    r"|clean|tidy|inline|annotate|merge|rework|tweak|adjust|bump|sync|abstract|centrali[sz]e|decouple"
    r"|hoist|plumb|vendor|wire|prepare|migrate|modernize|address|lint|unflake)\w{0,3}\b",
    re.IGNORECASE,
)
"""Verbs about internals: what follows them means nothing to outsiders."""

_EMPTY_VERB = re.compile(r"(?:update|improve|refine|change)[sd]? ", re.IGNORECASE)

_WORD = re.compile(r"[^\W_]{2,}|\d+(?:\.\d+)+")
_LITTLE = frozenset("the a an of for in on to and or with some more few it them code".split())  # noqa: SIM905


_SYMPTOM = re.compile(
    r"crash|hang|deadlock|livelock|race|leak|error|exception|panic|fail|nan\b|wrong|incorrect|corrupt|invalid"
    r"|accuracy|overflow|out of memory|oom\b|timeout|slow|fast|performance|regress|stale"
    r"|mismatch|deprecat",
    re.IGNORECASE,
)

_EXPLAINED = 4
"""The number of words that explain a new thing."""

_NEAR = 1
"""Within this many words after the verb, the name of a symbol comes before the consequence."""


def says_consequence(line: str, internal: Collection[str] = ()) -> bool:
    """Whether an English line says what is different for somebody outside.

    ``internal`` are the names of the functions and classes that the change touches: a line that
    begins with one of them, and names no symptom, says nothing.
    """
    text = line.strip()
    if not text or _EXTENT.match(text):
        return False
    if found := _NEWS.match(text):
        return len(_WORD.findall(text[found.end() :])) >= _EXPLAINED
    labelled = False
    while (found := _LABEL.match(text)) or (found := _scope(text)):
        labelled = labelled or found.re is _LABEL
        text = text[found.end() :]
    content = [w for w in _WORD.findall(text) if w.lower() not in _LITTLE]
    if labelled and len(content) >= 2:
        return True
    if _STATE.search(text):
        return len(content) >= 2
    if _PURPOSE.search(text):
        return len(content) >= _EXPLAINED
    early = text.replace("`", "").split()[1 : 1 + _NEAR]
    if any(word.strip(".,()") in internal for word in early) and not _SYMPTOM.search(text):
        return False
    if _INSIDE.match(text) or not BEGINS.match(text.lower()):
        return False
    return len(content) >= (4 if _EMPTY_VERB.match(text) else 3)


def _scope(text: str) -> re.Match[str] | None:
    """What stands before a colon, unless it is a sentence of several words."""
    found = _SCOPE.match(text)
    acts = found and " " in found[0].strip() and BEGINS.match(text.lower())
    return None if acts else found


def lines(changes: Sequence[Graded]) -> list[tuple[Level, str, bool, str]]:
    """Level, line, whether it says a consequence, and the title, for every change."""
    out = []
    for graded in changes:
        line = plain(consequence(graded, gist(graded, Language.EN)))
        says = says_consequence(line, internal_names(graded))
        out.append((graded.grade.level, line, says, graded.title))
    return out


def internal_names(graded: Graded) -> frozenset[str]:
    """The public functions and classes that a change touches, with and without their owners.

    What clients of a server send and get is known to them.
    """
    symbols = (f for f in graded.facts.items if f.kind is FactKind.SYMBOL)
    named = [f.name for f in symbols if not is_sent(replace(f, detail="field"))]
    return frozenset([*named, *(name.rpartition(".")[2] for name in named)])


async def measure(clone: str, since: date, until: date, name: str | None) -> Sequence[Graded]:
    """The graded changes of a window."""
    zone = ZoneInfo("UTC")
    begin, end = (datetime(d.year, d.month, d.day, tzinfo=zone) for d in (since, until))
    async with open_workspace() as app:
        watched = await app.watch(clone, name=name)
        ctx = app.context(watched, zone=zone)
        tip = await watched.source.tip(watched.branch)
        return await ensure(ctx, Window(since=begin, until=end, zone=zone), tip)


def main() -> None:
    """Measure a window and print the shares by level."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone")
    parser.add_argument("--name")
    parser.add_argument("--since", type=date.fromisoformat, required=True)
    parser.add_argument("--until", type=date.fromisoformat, required=True)
    parser.add_argument("--show", action="store_true", help="print the lines without a consequence")
    given = parser.parse_args()
    found = lines(asyncio.run(measure(given.clone, given.since, given.until, given.name)))
    total, without = Counter(level for level, *_ in found), Counter()
    for level, line, says, title in found:
        without[level] += not says
        if given.show and not says:
            Console().print(f"{level}: {line}   [{title}]", markup=False)
    table = Table("level", "lines", "without consequence", "share")
    for level in Level:
        share = without[level] / max(1, total[level])
        table.add_row(str(level), str(total[level]), str(without[level]), f"{share:.1%}")
    Console().print(table)


if __name__ == "__main__":
    main()
