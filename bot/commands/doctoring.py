"""``digestbot doctor``: the findings, a line each, with the way out below what needs one."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from bot.app import configuration
from bot.check.finding import Weight
from bot.commands import emit, finish
from bot.doctor import Finding, examine, ill
from bot.doctor.finding import fault
from bot.folders import data_folder
from bot.showing.forms import AnswerFormat
from bot.showing.legible import legible
from digest.errors import InvalidConfig, UserError

_MARKS = {Weight.OK: "ok     ", Weight.WARNING: "warning", Weight.ERROR: "ERROR  "}


def run(form: AnswerFormat, file: Path | None) -> None:
    """Print what was found. Raises ``UserError`` where something is broken."""
    broken: list[Finding] = []
    try:
        config = configuration(file)
    except InvalidConfig as error:
        # The rest can still be looked at, where the data folder is the usual one.
        config = None
        broken.append(fault("configuration", str(error), "correct the file, or: digestbot init"))
    data = config.data if config else data_folder()
    looked = finish(examine(data, config))
    findings = [*broken, *(one for one in looked if not broken or one.subject != "configuration")]
    emit(_json(findings) if form is AnswerFormat.JSON else _lines(findings))
    if ill(findings):
        raise UserError("something is broken; the findings say what, and the way out")


def _lines(findings: Sequence[Finding]) -> str:
    lines = []
    for one in findings:
        lines.append(f"{_MARKS[one.weight]} {one.subject}: {one.text}")
        if one.cure:
            lines.append(f"        -> {one.cure}")
    return "\n".join(map(legible, lines))


def _json(findings: Sequence[Finding]) -> str:
    told = [
        {"weight": one.weight, "subject": one.subject, "text": one.text, "cure": one.cure}
        for one in findings
    ]
    return json.dumps(
        {"schema": 1, "healthy": not ill(findings), "findings": told}, ensure_ascii=False, indent=1
    )
