"""Hostile commits through every renderer: nothing in them becomes active."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from bot import platforms
from digest.core.enums import Language
from digest.core.grade import Level, Repository
from digest.document import Document, Link, Paragraph
from digest.llm.reply import judge_reply
from digest.markdown import markdown
from digest.report.assembly import assemble
from digest.report.condensed import digest_document
from digest.report.full_report import report_document
from tests.contract.bench import bench_of
from tests.support import hostile, samples

REPOSITORY = Repository(name="acme/engine", web="https://github.com/acme/engine", forge="github")
LEVELS = list(Level)


def changes():
    names = list(hostile.COMMITS)
    return [hostile.at(name, LEVELS[at % 2]) for at, name in enumerate(names)]


def obeyed(report, language):
    """The report with what a model that obeyed every commit would have said."""
    import dataclasses

    by_sha = {m.sha: judge_reply(hostile.OBEDIENT, m, language).analysis for m in changes()}
    entries = tuple(dataclasses.replace(e, analysis=by_sha[e.graded.sha]) for e in report.entries)
    return dataclasses.replace(report, entries=entries)


def documents(language):
    graded = [material.graded for material in changes()]
    report = assemble(REPOSITORY, "main", samples.DAY, graded, language)
    report = obeyed(report, language)
    return [
        digest_document(report, language, least=Level.MEDIUM),
        report_document(report, language),
    ]


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("kind", platforms.kinds())
def test_no_hostile_commit_acts_on_a_platform(kind, language, tmp_path):
    bench = bench_of(kind, tmp_path)
    for document in documents(language):
        parts = bench.sender.render(document)
        assert parts
        assert all(bench.inert(part.body) for part in parts)


@pytest.mark.parametrize("language", Language)
def test_no_hostile_commit_acts_on_a_page(language):
    parser = MarkdownIt("gfm-like", {"html": True, "linkify": False})
    for document in documents(language):
        for token in parser.parse(markdown(document)):
            for inner in [token, *(token.children or [])]:
                assert inner.type != "image"
                if inner.type in {"html_inline", "html_block"}:
                    assert re.fullmatch(
                        r'\s*(?:<a id="[\w.-]+">|</a>|</?(?:strong|em)>|<a id="[\w.-]+"></a>)*\s*',
                        inner.content,
                    )
                if inner.type == "link_open":
                    target = inner.attrs["href"]
                    assert target.startswith(("#", REPOSITORY.web))
                assert not re.search(
                    r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]", inner.content
                )


@pytest.mark.parametrize("kind", platforms.kinds())
@pytest.mark.parametrize(
    "target",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\nscript:alert(1)",
        " \x01javascript:alert(1)",
        "data:text/html,alert(1)",
        "vbscript:alert(1)",
        "file:///alert(1)",
        "tg://user?id=alert(1)",
        "slack://alert(1)",
    ],
)
def test_address_that_would_act_is_no_link_anywhere(kind, target, tmp_path):
    bench = bench_of(kind, tmp_path)
    document = Document(title="x", blocks=(Paragraph((Link("see here", target),)),))
    bodies = [part.body for part in bench.sender.render(document)]
    assert any("see here" in body for body in bodies)
    assert not any("alert" in body for body in bodies)
