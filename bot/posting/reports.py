"""Full reports as Markdown files."""

from __future__ import annotations

import re
from pathlib import Path
from zoneinfo import ZoneInfo

from bot.files import write_whole
from digest.errors import UnknownBranch
from digest.graded import Repository
from digest.markdown import markdown
from digest.report import Report, report_document
from digest.report.moments import span_of
from digest.window import Window
from handlers.daily import Daily
from handlers.ports import Source


def keep_report(folder: Path, daily: Daily, variant: str = "") -> Path:
    """Write the full report into the folder, under the repository, window and language.

    ``variant`` tells apart the reports of one window that do not hold the same.
    """
    report = daily.report
    name = ".".join(filter(None, (_stem(report.window), variant, str(report.language), "md")))
    file = folder / slug(report.repository) / name
    write_whole(file, markdown(report_document(report, report.language)))
    return file


def aside(report: Report, branch: str, zone: ZoneInfo) -> str:
    """What tells a report from that of the usual branch, and of days in the usual zone, if any."""
    parts = [report.branch] if branch and report.branch != branch else []
    if report.window.zone.key != zone.key:
        parts.append(report.window.zone.key)
    return ".".join(re.sub(r"[^\w.+-]+", "_", part).strip("._") for part in parts)


async def usual_branch(source: Source) -> str:
    """The branch that a repository is on by itself; empty where it is on none."""
    try:
        return (await source.tip()).branch
    except UnknownBranch:
        return ""


def slug(repository: Repository) -> str:
    """The repository's name as a folder's: letters, digits, dot, dash, underscore."""
    return re.sub(r"[^\w.-]+", "_", repository.name).strip(".") or "repository"


def _stem(window: Window) -> str:
    return re.sub(r"[^\w.+-]+", "_", span_of(window)).strip("_")
