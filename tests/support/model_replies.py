"""A scripted model that reads its prompt and says something true about it, or something false.

It finds the paths in the prompt, as a model would, so its replies fit any commits.
"""

from __future__ import annotations

import json
import re
from typing import Any

from digest.core.enums import Language
from digest.core.statement import Analysis
from digest.llm.model_input import Material
from digest.llm.reply import judge_reply
from tests.servers.model import Says, Sent


def parse_reply(value: object, material: Material, language: Language) -> Analysis:
    """The analysis in a reply; see :func:`judge_reply`."""
    return judge_reply(value, material, language).analysis


_COMMIT = re.compile(r"^# Commit(?: (C\d+))?, importance (\w+)", re.MULTILINE)

_FILE = re.compile(r"^# (F\d+) (\S+) \|", re.MULTILINE)

_LISTED = re.compile(r"^# (C\d+), importance \w+\n> .*\n\* (.*)", re.MULTILINE)

FALSE = "It also renames `never_heard_of_it` to `made_up_name`."

NOTHING = {"move": "none", "rule": "none", "cites": []}


def chinese(sent: Sent) -> bool:
    return "Simplified Chinese" in sent.text


def kind(sent: Sent) -> str:
    """The kind of a request: analysis, lines, notes or day."""
    asked = sent.body.get("response_format", {}).get("json_schema", {}).get("name")
    if asked:
        return str(asked)
    user = sent.body["messages"][1]["content"]
    words = {"one entry for each": "lines", "object of notes": "notes", "lead and themes": "day"}
    return next((name for mark, name in words.items() if mark in user), "analysis")


def commits(sent: Sent) -> list[tuple[str, list[tuple[str, str]]]]:
    """Each commit's id with its files' ids and paths."""
    user = sent.body["messages"][1]["content"]
    heads = [*_COMMIT.finditer(user)]
    ends = [*(head.start() for head in heads[1:]), len(user)]
    return [
        (head[1] or "", _FILE.findall(user, head.end(), end))
        for head, end in zip(heads, ends, strict=True)
    ]


def statement(sent: Sent, file: tuple[str, str], words: str = "") -> dict[str, Any]:
    id_, path = file
    if chinese(sent):
        text = f"此提交修改了 `{path}` 的行为{words}。"
    else:
        text = f"The code in `{path}` behaves in another way now{words}."
    return {"text": text, "cites": [id_]}


def reply(sent: Sent, **more: Any) -> dict[str, Any]:
    """A true reply; ``more`` replaces keys of an analysis."""
    match kind(sent):
        case "lines":
            return {"changes": [_line(sent, name, files) for name, files in commits(sent)]}
        case "notes":
            notes = [
                {"about": "summary", **statement(sent, file)}
                for _, files in commits(sent)
                for file in files[:5]
            ]
            return {"notes": notes}
        case "day":
            return _day(sent)
        case _:
            return _analysis(sent) | more


def _analysis(sent: Sent) -> dict[str, Any]:
    (_, files), *_ = commits(sent)
    first = files[0]
    return {
        "change_types": ["fix"],
        "summary": [statement(sent, first)],
        "impact": [statement(sent, file, _WHO[chinese(sent)]) for file in files[:2]],
        "insights": [],
        "risks": [statement(sent, first, _RISK[chinese(sent)])],
        "suggestions": [],
        "importance": NOTHING,
    }


_WHO = {False: " for those who call it", True: "，调用方会受到影响"}

_RISK = {False: " and may surprise those who rely on it", True: "，可能让依赖它的用户感到意外"}


def _day(sent: Sent) -> dict[str, Any]:
    """Two sentences and a theme, in accepted words."""
    listed = _LISTED.findall(sent.body["messages"][1]["content"])
    theme = {
        "title": "改动" if chinese(sent) else "Code that behaves in another way",
        "text": listed[0][1],
        "changes": [name for name, _ in listed[:3]],
    }
    return {
        "lead": [{"text": text, "cites": [name]} for name, text in listed[:2]],
        "themes": [theme],
    }


def _line(sent: Sent, name: str, files: list[tuple[str, str]]) -> dict[str, Any]:
    return {"id": name, **statement(sent, files[0]), "importance": NOTHING}


def truthful(sent: Sent) -> Says:
    """Answer every request truthfully."""
    return Says(text=json.dumps(reply(sent), ensure_ascii=False))


def mixed(sent: Sent) -> Says:
    """Like :func:`truthful`, with one false statement in every analysis."""
    made = reply(sent)
    if "risks" in made:
        made["risks"].append({"text": FALSE, "cites": ["F1"]})
    return Says(text=json.dumps(made, ensure_ascii=False))
