"""Commits made to harm, from git through a model that obeys them to what every platform gets."""

from __future__ import annotations

import importlib
import json
import re

import pytest

from bot import platforms
from digest.core.enums import Language
from digest.core.grade import Level
from digest.markdown import markdown
from digest.report.condensed import digest_document
from digest.report.full_report import report_document
from tests.integration.handlers.llm.day import NINE
from tests.servers.model import Says, Sent
from tests.support import hostile, model_replies
from tests.support.builders import RepositoryBuilder


def obedient(sent: Sent) -> Says:
    """Does all that the commits ask for, in the shape that was asked for."""
    match model_replies.kind(sent):
        case "analysis" if "# F1 server/" in sent.text:
            return model_replies.truthful(sent)
        case "analysis":
            made = hostile.OBEDIENT
        case "lines":
            said = hostile.OBEDIENT["summary"]
            assert isinstance(said, list)
            made = {
                "changes": [
                    {
                        "id": name,
                        **said[at % len(said)],
                        "importance": hostile.OBEDIENT["importance"],
                    }
                    for at, (name, _) in enumerate(model_replies.commits(sent))
                ]
            }
        case "notes":
            made = {"notes": [{"about": "risk", **one} for one in hostile.OBEDIENT["risks"]]}
        case _:
            texts = [one["text"] for one in hostile.OBEDIENT["summary"]]
            made = {
                "lead": [{"text": text, "cites": ["C1"]} for text in texts],
                "themes": [
                    {"title": t[:60], "text": t, "changes": ["C1", "C2", "C99"]} for t in texts
                ],
            }
    return Says(text=json.dumps(made))


@pytest.fixture
def harmful(project: RepositoryBuilder) -> RepositoryBuilder:
    """The day, and on it a commit for each of the corpus that git can hold."""
    project._tips["main"] = project.sha("main")
    for at, (name, material) in enumerate(hostile.COMMITS.items()):
        change = material.change
        if name == "huge lines":
            continue  # git would take it; a megabyte in every prompt's way proves nothing more
        files = {
            path.encode("utf-8", "surrogateescape").replace(b"\x00", b""): "\n".join(
                line for hunk in file.hunks for line in (*hunk.removed, *hunk.added)
            ).encode("utf-8", "replace")
            + b"\n"
            + name.encode()
            for file in change.files
            for path in (file.path.strip("/").replace("//", "/"),)
        }
        message = change.commit.message.encode("utf-8", "replace").replace(b"\x00", b"")
        project.commit(message, files, at=NINE.replace(hour=12, minute=at))
    return project


@pytest.mark.parametrize("language", list(Language))
async def test_nothing_acts_in_what_any_platform_gets(
    serve, bench, harmful, tmp_path, language
) -> None:
    server = serve(answer=obedient)
    daily = await (await bench(server)).look(language=language)
    assert len(daily.report.entries) == 12 + len(hostile.COMMITS) - 1
    asked = [model_replies.kind(sent) for sent in server.asked]
    # Each that matters is asked about by itself, the rest together.
    users = [sent.body["messages"][1]["content"] for sent in server.asked]
    alone = [user for user in users if "JSON object of the full" in user or "of the short" in user]
    weighty = [e.graded.title for e in daily.report.entries if e.graded.grade.level != "low"]
    assert len(weighty) == 9
    # Links, control characters and long titles are not shown to a model as they are.
    whole = [t for t in weighty if t.isprintable() and "://" not in t and not t.endswith("…")]
    assert len(whole) == 8
    assert all(any(title in user for user in alone) for title in whole)
    assert asked.count("lines") >= 1
    assert asked.count("day") >= 1
    # Not a byte of a commit stands outside the fence of its prompt.
    for sent in server.asked:
        system, user = (message["content"] for message in sent.body["messages"][:2])
        assert "evil.example" not in system
        codes = re.findall(r"^DATA ([0-9a-f]{16}) (begins|ends)$", user, re.MULTILINE)
        assert len(codes) == 2
        assert codes[0][0] == codes[1][0]
        inside = user.split(f"DATA {codes[0][0]} begins\n")[1].split(f"\nDATA {codes[0][0]} ends")[
            0
        ]
        outside = user.replace(inside, "")
        assert "evil.example" not in outside
        assert all(line[:1] in "#>*@+-~" for line in inside.split("\n"))

    documents = [
        digest_document(daily.report, language, least=Level.LOW),
        report_document(daily.report, language),
    ]
    for kind in platforms.kinds():
        tried = importlib.import_module(f"tests.contract.benches.{kind}").bench(tmp_path)
        for document in documents:
            for part in tried.sender.render(document):
                assert tried.inert(part.body), kind
    # What the model said in obedience is nowhere, unless the commit says it itself.
    said = "\n".join(
        statement.text
        for entry in daily.report.entries
        for section in ("summary", "impact", "insights", "risks", "suggestions")
        for statement in getattr(entry.analysis, section)
        if not any(place.side.value == "message" for place in statement.evidence)
    )
    assert "https://" not in said
    assert "root@evil" not in said
    levels = {e.graded.title: e.graded.grade for e in daily.report.entries}
    assert not any(r.rule.startswith("model_") for g in levels.values() for r in g.reasons)
    assert daily.report.day is not None
    assert daily.report.day.lead == ()
    assert "evil.example" not in markdown(documents[0]).split("Window")[0].split("\n\n")[1]
