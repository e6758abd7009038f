"""A search for text from outside that holds a reader up: messages, questions, replies, patches.

Program text is searched in ``test_code``. Here every other reader gets units
repeated, nested and left open, as long as it may get them, and is held to a multiple of what plain
text of the same length takes, in processor time. ``SEED=7`` tries other inputs.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from random import Random
from time import process_time
from zoneinfo import ZoneInfo

import pytest

from bot import platforms
from bot.llm.json_reply import Unthinking, objects
from bot.llm.redaction import Secrets
from bot.platforms.feishu import events as feishu_events
from bot.platforms.slack import events as slack_events
from bot.telemetry.logs import Redaction
from bot.util.sanitize import mask_secrets, without_secrets
from bot.web.pages import diffs
from bot.web.pages.diffs import Colours
from digest.analysis.analyse import analyse_whole
from digest.core.enums import Language
from digest.core.grade import Level
from digest.core.request import closing as closed_by
from digest.diff.git_log import PatchReader
from digest.diff.unified_diff import read_diff
from digest.document import (
    Code,
    CodeBlock,
    Document,
    Item,
    Link,
    Listing,
    Paragraph,
    Quote,
    Strong,
    Text,
)
from digest.errors import UserError
from digest.facts.message import read_description
from digest.impact.impact_rules import declared_packages, find_usage
from digest.llm.packing import lines_prompts
from digest.llm.reply import PartialReply, judge_reply
from digest.markdown import markdown
from digest.question.lexicon import in_usual_words, is_foreign, language_of
from digest.question.parser import read
from digest.report.assembly import assemble
from digest.report.condensed import digest_document
from digest.report.full_report import report_document
from digest.topics.index_terms import bearings, topics_of
from digest.topics.matching import resolve
from tests.contract.bench import bench_of
from tests.support import samples
from tests.support.materials import material, prompt_for, words

MOST = 20
"""Times the processor time of plain text."""

SEED = int(os.environ.get("SEED", "1"))

INPUTS = int(os.environ.get("INPUTS", "12"))

NOW, UTC_ZONE = datetime(2026, 3, 10, 12, tzinfo=UTC), ZoneInfo("UTC")

PLAIN = """\
Size the pool by one flag, so that a start takes 40 % less time. The flag `--pool-size` is new in
v1.2.0 (#4711), see https://example.org/pool and engine/cli.py; `Pool.start` has an argument more.
- It fixes what Ada saw in the last week. What changed in the scheduler since Monday?
"""

PLAIN_JSON = '{"summary": [{"text": "Sizes the pool.", "cites": ["F1.H1"]}]}\n'

MARKS = [
    *"`*_~[]()<>{}|#\"'.:;,/\\@&!?+-=^%$ \t\n\0aA1é中。",
    "```", "**", "](", "![", "<!--", "-->", "</", "<a ", "://", "https://", "http://a", "@a", "#1", "a/b", "a.b",
    "a_b", "aB", "A_", "--a", "1.", "1,", " 1", "- ", "* ", "| a ", "> ", "\n\n", "\n- ", "\n#", "1..", "a:b@", ".a",
    "and ", "or ", "from ", "to ", "what ", "changed in ", "since ", "last ", "week ", "between ", "is not ", "will be ",
    "上周", "最近", "和", "年1月", "subscribe ", "except ", "and 1", "v1.", "fixes #1 ", "Signed-off-by: a <", "password=",
    "secret: ", "eyJa.", "sk-1", "-----BEGIN A PRIVATE KEY-----\n", '{"a":', "[{", '\\"', "\\u", "<think>", "&amp;",
    "<@U1>", "<#C|", "%s", "$a", "${", "@@ -1 +1 @@", "diff --git a/a b/a\n", "\u202e", "\u200b", "e\u0301", "ﷺ", "ff",
]  # fmt: skip


def repeated(unit: str, size: int) -> str:
    return (unit * (size // len(unit) + 1))[:size]


def inputs(name: str, size: int) -> Iterator[tuple[str, str]]:
    """Named texts of a length."""
    chance = Random(f"{SEED} {name}")
    for _ in range(INPUTS):
        unit = "".join(chance.choice(MARKS) for _ in range(chance.choice((1, 1, 2, 2, 3, 4))))
        start, end = chance.choice(("", "", *MARKS)), chance.choice(("", *MARKS))
        text = start + repeated(unit, size - len(start) - len(end)) + end
        yield f"{start!r} {unit!r} {end!r}", text
    pairs = ("()", "[]", "{}", "<>", ("<a>", "</a>"), ("*", "*"), ("> ", "\n"))
    for opening, closing in pairs:
        before = chance.choice(("", *MARKS))
        depth = size // (len(before) + len(opening) + len(closing))
        yield f"nested {before + opening!r}", (before + opening) * depth + closing * depth


def _question(text: str) -> None:
    language_of(text)
    is_foreign(text)
    try:
        read(text, NOW, UTC_ZONE)
    except UserError:
        return


def _subscription(text: str) -> None:
    _question(f"subscribe to acme/engine {text}")


def _change(text: str) -> None:
    made = material(text, ("engine/a.py", "LIMIT = 1\n", f"LIMIT = 2  # {text[:500]}\n"))
    for language in Language:
        analyse_whole(made.graded, language)
    topics_of(made.graded)
    bearings(made.graded)


def _title(text: str) -> None:
    _change(text.replace("\n", " "))


def _reports(text: str) -> None:
    made = material(f"Add it: {text}\n\n{text}", ("a.py", "LIMIT = 1\n", "LIMIT = 2\n"))
    report = assemble(samples.REPOSITORY, "main", samples.DAY, [made.graded], Language.EN)
    markdown(digest_document(report, Language.EN, least=Level.LOW))
    markdown(report_document(report, Language.EN))


def _prompts(text: str) -> None:
    made = material(text, ("engine/a.py", "LIMIT = 1\n", text), ("docs/a.md", text, None))
    prompt_for(made, Language.EN, words, 8_000)
    lines_prompts([made], Language.EN, words, 8_000)


CHANGE = material(PLAIN, ("engine/a.py", "LIMIT = 1\n", "LIMIT = 2\n" + PLAIN * 20))


def _statement(text: str) -> None:
    said = [{"text": text[n : n + 590], "cites": ["F1.H1"]} for n in range(0, len(text), 590)]
    for language in Language:
        judge_reply({"summary": said, "risks": said}, CHANGE, language)


def _reply(text: str) -> None:
    for reply in (text, '{"summary": [' + text, json.dumps({"summary": text}), "<think>" + text):
        try:
            objects(reply)
        except ValueError:
            continue


def _stream(text: str) -> None:
    shown, reply = Unthinking(), PartialReply()
    for whole in ("<think>" + text, "</think>" + '{"summary": [{' + text):
        for at in range(0, len(whole), 8):
            list(reply.feed(shown.feed(whole[at : at + 8])))


def _git(text: str) -> None:
    reader, fields = PatchReader(), ("a" * 40, "b" * 40, "Ada", "a@b", "1", "1")
    bare = text.replace("\0", "")
    stream = "\0" + "\0".join([*fields, bare]) + "\0"
    stream += f":100644 100644 {'a' * 40} {'b' * 40} M\ta\n\ndiff --git a/a b/a\n@@ -1 +1 @@ {bare}"
    data = stream.encode()
    for at in range(0, len(data), 65_536):
        reader.feed(data[at : at + 65_536])
    try:
        reader.finish()
    except (ValueError, IndexError):
        return


def _document(text: str) -> Document:
    spans = (Text(text), Code(text), Strong(text), Link(text, f"https://example.org/{text[:200]}"))
    return Document(
        title=text[:200],
        blocks=(
            Paragraph(spans),
            Listing((Item(spans),)),
            Quote((spans,)),
            CodeBlock(text),
        ),
    )


def _render(sender, text: str) -> None:
    sender.render(_document(text))


def _feishu(text: str) -> None:
    mentions = [{"key": f"@_user_{n}", "name": text[:50]} for n in range(50)]
    feishu_events._without_mentions(text + "@_user_1 " * 50, mentions, "bot")


def _colours(path: str, text: str) -> None:
    Colours().of(path, text.split("\n"))


def _usage(text: str) -> None:
    find_usage(text, frozenset({"engine", "acme"}))
    for path in ("pyproject.toml", "package.json", "Cargo.toml", "go.mod"):
        declared_packages(path, text)


def _topics(text: str) -> None:
    resolve(text, {"scheduler": 3, "pool size": 4, "engine": 2}, {})


READERS: dict[str, tuple[Callable[[str], object], int]] = {
    "question": (_question, 2_000),
    "wordings": (in_usual_words, 4_000),
    "long question": (_question, 40_000),
    "subscription": (_subscription, 1_900),
    "topics": (_topics, 1_000),
    "title": (_title, 16_000),
    "message": (_change, 24_000),
    "description": (lambda text: read_description("Add it", text), 60_000),
    "closing": (lambda text: closed_by(text, "acme/engine"), 60_000),
    "reports": (_reports, 8_000),
    "markdown": (lambda text: markdown(_document(text)), 20_000),
    "prompts": (_prompts, 20_000),
    "statements": (_statement, 2_400),
    "reply": (_reply, 60_000),
    "stream": (_stream, 60_000),
    "usage": (_usage, 60_000),
    "git": (_git, 400_000),
    "diff": (read_diff, 100_000),
    "slack message": (partial(slack_events.words, me="U1"), 40_000),
    "feishu message": (_feishu, 40_000),
    "log": (Redaction(["hidden-word"]).text, 60_000),
    "error": (mask_secrets, 60_000),
    "address": (without_secrets, 4_000),
}

COLOURED = ["a.py", "a.js", "a.ts", "a.c", "a.go", "a.rs", "a.java", "a.json", "a.yaml", "a.toml"]

COLOURED += ["a.sh", "a.sql", "a.html", "a.css", "a.proto"]

PATCH = 20_000
"""Characters of a patch that is highlighted."""


def seconds(work: Callable[[str], object], text: str) -> float:
    began = process_time()
    work(text)
    return process_time() - began


def plain_seconds(work: Callable[[str], object], size: int) -> float:
    plains = [repeated(text, size) for text in (PLAIN, PLAIN.replace("\n", " "), PLAIN_JSON)]
    seconds(work, plains[0])
    return max(0.005, *(min(seconds(work, plain) for _ in range(3)) for plain in plains))


def slow(
    name: str,
    work: Callable[[str], object],
    size: int,
    usual: float = 0.0,
) -> dict[str, float]:
    """The inputs that take too long, with the multiple of plain text's time."""
    usual = usual or plain_seconds(work, size)
    found = {}
    for named, text in inputs(name, size):
        if seconds(work, text) > MOST * usual:
            # Once more, as others may have had the processor's caches.
            ratio = min(seconds(work, text) for _ in range(2)) / usual
            if ratio > MOST:
                found[named] = ratio
    return found


@pytest.mark.parametrize("name", READERS)
def test_no_text_takes_much_longer_than_plain_text(name):
    assert not slow(name, *READERS[name])


@pytest.mark.parametrize("kind", platforms.kinds())
def test_no_text_takes_much_longer_to_render_on_a_platform(kind, tmp_path):
    bench = bench_of(kind, tmp_path)
    try:
        assert not slow(kind, partial(_render, bench.sender), 8_000)
    finally:
        bench.close()


@pytest.fixture(scope="module")
def python_seconds() -> float:
    """What plain text takes as Python; to some other lexers it is a single token."""
    return plain_seconds(partial(_colours, "a.py"), PATCH)


@pytest.mark.parametrize("path", COLOURED)
def test_no_patch_takes_much_longer_to_highlight(path, python_seconds):
    assert not slow(path, partial(_colours, path), PATCH, python_seconds)


def test_patch_whose_highlighting_takes_too_long_is_shown_without_colours(monkeypatch):
    monkeypatch.setattr(diffs, "_SECONDS", 0.0)
    assert Colours().of("a.py", ["def run():", "    return 1"]) == ["def run():", "    return 1"]


def test_no_change_takes_much_longer_to_search_for_secrets(rules):
    assert not slow("secrets", Secrets(rules).find, 60_000)


def test_question_of_numbers_alone_is_read():
    _question("what changed in 1," + "1," * 900)


def test_reply_nested_deep_while_it_arrives_is_no_entry():
    nested = '{"summary": [{"text": ' + "[" * 100_000 + "]" * 100_000 + '}, {"text": "a"}]}'
    assert list(PartialReply().feed(nested)) == [("summary", {"text": "a"})]


def test_thoughts_that_arrive_in_pieces_end_at_a_tag_in_two_of_them():
    shown = Unthinking()
    pieces = ["<think>", "a" * 90, "</thi", "nk> ", '{"a', '": 1}', ""]
    assert "".join(map(shown.feed, pieces)) == '{"a": 1}'
