"""The made-up project Kite: 85 commits over five weeks, as a repository and as the program sees it.

``tests/data/kite.mbox`` has the patches of all commits but the merge. A header ``X-Kite`` says what
git does around a patch: ``tag NAME`` after it, ``branch NAME`` to apply it to a branch (``from NAME`` is
where that begins), ``merge NAME`` before it. Golden files below ``tests/data/golden/kite`` have what
the program says of them; ``python -m tests.support.kite`` writes those anew.
"""

from __future__ import annotations

import asyncio
import dataclasses
import fcntl
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zoneinfo import ZoneInfo

import httpx
import pytest

from bot.app import open_workspace
from bot.cli.terminal_chat import room_here
from bot.util.machine import FixedClock
from bot.web.pages.routes import routes
from bot.web.server import application
from bot.web.site_factory import alone
from bot.workspace.workspace import Workspace
from digest.core.enums import Language
from digest.core.facts import Evidence
from digest.i18n.answer_text import reason_words
from digest.markdown import markdown
from digest.report.assembly import Report, ReportEntry
from digest.report.condensed import digest_document
from digest.report.full_report import report_document
from digest.window import days_window
from handlers.context import Context, InThreads
from handlers.digests.daily import digest_of_window
from handlers.ports.chat_port import ConversationKey
from handlers.router import ask
from tests.support.builders import RepositoryBuilder, environment

DATA = Path(__file__).parents[1] / "data"
GOLDEN = DATA / "golden" / "kite"
ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 4, 3, 16, tzinfo=UTC)
"""A Friday: 18:00 in Berlin, which went on summer time on Sunday."""
WEEKS = tuple(date(2026, *day) for day in ((3, 2), (3, 9), (3, 16), (3, 23), (3, 30)))
"""The Mondays."""
_PERIODS = (*((str(day), "main", day) for day in WEEKS), ("next", "next", date(2026, 3, 16)))

_MERGE = "Merge pull request #127 from priya/ack-buffer\n\nWrite acknowledgements in batches"
_MERGED_AT = "2026-03-17T10:00:00+0100"
_PATCH = re.compile(rb"^From [0-9a-f]{40} (?=Mon Sep 17 )", re.MULTILINE)
_MARK = re.compile(rb"^X-Kite: (.*)$", re.MULTILINE)
_APPLY = ("am", "--quiet", "--keep", "--committer-date-is-author-date", "--no-gpg-sign")


def build(path: Path) -> RepositoryBuilder:
    """The repository, with the same hashes on every machine."""
    made = RepositoryBuilder(path)
    made.git("remote", "add", "origin", "https://github.com/acme/kite.git")
    mails = (DATA / "kite.mbox").read_bytes()
    starts = [one.start() for one in _PATCH.finditer(mails)]
    waiting: list[bytes] = []

    def apply() -> None:
        if waiting:
            made.git(*_APPLY, stdin=b"".join(waiting))
        waiting.clear()

    for start, end in zip(starts, [*starts[1:], len(mails)], strict=True):
        mail = mails[start:end]
        mark = _MARK.search(mail[: mail.index(b"\n\n")])
        steps = dict(step.split(" ") for step in mark[1].decode().split("; ")) if mark else {}
        if steps:
            apply()
        if name := steps.get("branch"):
            known = made.sha(name)
            made.git("checkout", "--quiet", *(() if known else ("-b",)), name, *_from(steps, known))
        if name := steps.get("merge"):
            _merge(made, name)
        waiting.append(mail)
        if steps:
            apply()
        if name := steps.get("tag"):
            made.git("tag", name)
        if "branch" in steps:
            made.git("checkout", "--quiet", "main")
    apply()
    return made


def _from(steps: dict[str, str], known: str) -> tuple[str, ...]:
    return (steps["from"],) if "from" in steps and not known else ()


def _merge(made: RepositoryBuilder, name: str) -> None:
    given = environment() | {
        "GIT_AUTHOR_NAME": "Priya Raman",
        "GIT_AUTHOR_EMAIL": "priya.raman@example.org",
        "GIT_AUTHOR_DATE": _MERGED_AT,
        "GIT_COMMITTER_DATE": _MERGED_AT,
    }
    words = ["git", "-C", str(made.path), "merge", "--quiet", "--no-ff", "-m", _MERGE, name]
    subprocess.run(words, env=given, check=True, capture_output=True)


_ALL = ("digest 2026-02-01..2026-04-03", "changes up to v1.4.0", "compare v1.4.0 v1.4.1")
"""Questions whose answers read all branches, so that others find the same in any order."""


@contextmanager
def opened(folder: Path) -> Iterator[Kite]:
    """The program with a data folder of its own, on a repository that is read once.

    Another worker of the same run may have built ``folder`` already.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "built").exists():
            build(folder / "project")
            with _program(folder / "data", folder / "project") as kite:
                for question in _ALL:
                    assert kite.answers(question)
            (folder / "built").touch()
    with TemporaryDirectory(dir=folder.parent) as own:
        shutil.copytree(folder / "data", Path(own) / "data")
        with (
            _program(Path(own) / "data", folder / "project") as kite,
            # Answers about one branch would tell what the archive knows of another.
            _program(Path(own) / "next", folder / "project") as kite.other,
        ):
            yield kite


@contextmanager
def _program(data: Path, place: Path) -> Iterator[Kite]:
    with asyncio.Runner() as runner:
        entering = open_workspace(clock=FixedClock(NOW))
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("DIGESTBOT_DATA", str(data))
            app = runner.run(entering.__aenter__())
        try:
            yield Kite(runner, app, place)
        finally:
            runner.run(entering.__aexit__(None, None, None))


@dataclass
class Kite:
    """The opened program, for tests that run one after the other."""

    runner: asyncio.Runner
    app: Workspace
    place: Path
    other: Kite | None = None

    async def context(self, language: Language = Language.EN, branch: str = "main") -> Context:
        watched = await self.app.watch(str(self.place), name="acme/kite", branch=branch)
        made = self.app.context(watched, zone=ZONE, language=language)
        return replace(made, workers=InThreads())

    @cached_property
    def reports(self) -> dict[tuple[str, Language], Report]:
        """The report of each week, and that of the branch ``next``, in each language."""
        assert self.other
        told = self.runner.run(self._reports("main"))
        return told | self.other.runner.run(self.other._reports("next"))

    async def _reports(self, only: str) -> dict[tuple[str, Language], Report]:
        made = {}
        for language in Language:
            for name, branch, monday in (one for one in _PERIODS if one[1] == only):
                ctx = await self.context(language, branch)
                window = days_window(monday, monday + timedelta(days=6), ZONE)
                made[name, language] = (await digest_of_window(ctx, window)).report
        return made

    def answers(self, conversation: str) -> str:
        """The whole answers to the questions of a conversation, which a bar separates."""
        return self.runner.run(self._answers(conversation))

    async def _answers(self, conversation: str) -> str:
        ctx = await self.context()
        room = await room_here(self.app, [ctx.watched.repository.name], Language.EN)
        ctx = replace(ctx, room=room)
        here = ConversationKey(platform="terminal", chat=conversation, person=conversation)
        told = []
        for question in conversation.split(" | "):
            found = await ask(question, ctx, conversation=here)
            told.append(f"> {question}\n\n{_brief(markdown(found.document))}")
        return "\n".join(told).rstrip("\n")

    def site_page(self, path: str) -> str:
        """What ``digestbot serve`` answers at a path: of a page, its main part.

        Pages tell which periods were read, so each is of an archive in which nothing else is asked.
        """
        with TemporaryDirectory(dir=self.place.parent) as own:
            shutil.copytree(self.place.parent / "data", Path(own) / "data")
            with _program(Path(own) / "data", self.place) as apart:
                return apart.runner.run(apart._site_page(path))

    async def _site_page(self, path: str) -> str:
        watched = await self.app.watch(str(self.place), name="acme/kite", branch="main")
        served = application({"/": routes(alone(self.app, [watched], ZONE.key))})
        transport = httpx.ASGITransport(app=served)
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            found = await reader.get(path)
        main = _MAIN.search(found.text)
        text = main[0] if main else found.text
        return _brief("\n".join(line.strip() for line in text.splitlines() if line.strip()))

    @cached_property
    def facts(self) -> dict[str, str]:
        """What is known of each change, oldest first, by its title."""
        return {_title(one): _facts(one) for one in self._entries(Language.EN)}

    @cached_property
    def analyses(self) -> dict[str, str]:
        """What is said of each change in both languages."""
        pairs = zip(*(self._entries(language) for language in Language), strict=True)
        return {_title(en): f"{_analysis(en)}\n\n{_analysis(zh)}" for en, zh in pairs}

    def _entries(self, language: Language) -> list[ReportEntry]:
        reports = (self.reports[name, language] for name, *_ in _PERIODS)
        return [entry for report in reports for entry in reversed(report.entries)]

    @cached_property
    def pages(self) -> dict[str, str]:
        """The digest and the full report of each week, by file."""
        found = {}
        for (name, language), report in self.reports.items():
            digest = digest_document(report, language, "https://example.org/report")
            found[f"digest.{name}.{language}.md"] = _brief(markdown(digest))
            full = _brief(markdown(report_document(report, language)))
            found[f"report.{name}.{language}.md"] = full
        return found


_MAIN = re.compile(r"<main.*</main>", re.DOTALL)
_WEB = "https://github.com/acme/kite/"


def _brief(text: str) -> str:
    """A page with short addresses of commits, requests and files."""
    return text.replace(_WEB, "~/")


def _title(entry: ReportEntry) -> str:
    return f"{entry.graded.name} {entry.graded.facts.subject.words}"


def blocks(name: str) -> dict[str, str]:
    """The blocks of a golden file by their titles."""
    parts = (GOLDEN / name).read_text(encoding="utf-8").split(_MARKED)[1:]
    told = (part.partition("\n\n") for part in parts)
    return {title: text.rstrip("\n") for title, _, text in told}


_MARKED = "\n=== "
_HEAD = "The made-up project Kite, as the program tells it. See tests/support/kite.py.\n"


def _write(name: str, told: dict[str, str]) -> None:
    whole = "".join(f"{_MARKED}{title}\n\n{text}\n" for title, text in told.items())
    (GOLDEN / name).write_text(f"{_HEAD}{whole}", encoding="utf-8")


def _row(value: Any) -> Any:
    """A value of the program's as one for JSON, without what is usual or empty."""
    if isinstance(value, Evidence):
        return f"{value.path}:{value.line} {value.side}"
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        told = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {
            n: _row(one)
            for n, one in told.items()
            if one is not None and (n == "public" or one not in _EMPTY)
        }
    if isinstance(value, tuple):
        return [_row(one) for one in value]
    return value


_EMPTY = (None, "", (), False)


def _lines(of: dict[str, Any]) -> Iterator[str]:
    """A line for each value, or for each member of a list of more than words."""
    for name, value in of.items():
        if isinstance(value, list) and any(isinstance(one, dict) for one in value):
            for one in value:
                yield f"{name}: {json.dumps(one, ensure_ascii=False)}"
        elif isinstance(value, dict):
            yield from (f"{name}.{line}" for line in _lines(value))
        else:
            yield f"{name}: {json.dumps(value, ensure_ascii=False)}"


def _facts(entry: ReportEntry) -> str:
    graded = entry.graded
    told, grade, commit = _row(graded.facts), graded.grade, graded.commit
    del told["version"]
    return "\n".join(
        [
            f"by: {commit.author} {commit.committed_at.isoformat()}{' late' if entry.late else ''}",
            f"grade: {grade.level} {grade.score:.3f}",
            *(
                f"reason: {reason_words(one, Language.EN)} [{one.rule} {one.weight:+.2f}]"
                for one in grade.reasons
            ),
            *_lines(told),
        ]
    )


def _analysis(entry: ReportEntry) -> str:
    found = entry.analysis
    told = [f"types: {', '.join(found.change_types)}"]
    for section in ("summary", "impact", "insights", "risks", "suggestions"):
        for one in getattr(found, section):
            places = ", ".join(_row(place) for place in one.evidence)
            told.append(f"{section}: {one.text} [{one.aspect or '-'}; {places}]")
    return "\n".join(told)


def main() -> None:
    """Write the golden files anew; the questions are those of the old file."""
    with TemporaryDirectory() as folder, opened(Path(folder) / "kite") as kite:
        _write("facts.txt", kite.facts)
        _write("analysis.txt", kite.analyses)
        for name, text in kite.pages.items():
            (GOLDEN / name).write_text(text, encoding="utf-8")
        _write("site.txt", {path: kite.site_page(path) for path in blocks("site.txt")})
        asked = blocks("questions.txt")
        _write("questions.txt", {one: kite.answers(one) for one in asked})


if __name__ == "__main__":
    main()
