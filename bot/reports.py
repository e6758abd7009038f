"""Full reports as Markdown files."""

from __future__ import annotations

import re
from pathlib import Path

from bot.files import write_whole
from digest.graded import Repository
from digest.markdown import markdown
from digest.report import report_document
from digest.report.moments import span_of
from digest.window import Window
from handlers.daily import Daily


def keep_report(folder: Path, daily: Daily, variant: str = "") -> Path:
    """Write the full report into the folder, under the repository, window and language.

    ``variant`` tells apart the reports of one window that do not hold the same.
    """
    report = daily.report
    name = ".".join(filter(None, (_stem(report.window), variant, str(report.language), "md")))
    file = folder / slug(report.repository) / name
    write_whole(file, markdown(report_document(report, report.language)))
    return file


def slug(repository: Repository) -> str:
    """The repository's name as a folder's: letters, digits, dot, dash, underscore."""
    return re.sub(r"[^\w.-]+", "_", repository.name).strip(".") or "repository"


def _stem(window: Window) -> str:
    return re.sub(r"[^\w.+-]+", "_", span_of(window)).strip("_")
