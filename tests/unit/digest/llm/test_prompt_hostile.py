"""Hostile commits before a model: what they hold stays data, and what they ask for is not kept."""

from __future__ import annotations

import re
import unicodedata

import pytest

from digest.analysis.analyse import analyse
from digest.core.enums import Language
from digest.core.grade import Level
from digest.core.statement import Origin
from digest.document import Code, Emphasis, Strong, Text
from digest.llm.packing import lines_prompts, prompts_for
from digest.llm.prompt import system_of
from digest.llm.reply import SECTIONS, judge_reply, lines_reader, read_notes
from tests.support import hostile
from tests.support.materials import pool, prompt_for, words

LEVELS = [Level.HIGH, Level.MEDIUM]

MARKS = ("# ", ">", "* ", "@ ", "+", "-", "~ ")

OURS = re.compile(
    r"# (?:Commit(?: C\d+)?, importance (?:high|medium|low)|Files|Facts|Diff|Not shown|F\d+ .*\|.*\|.*)"
)

HEAD = re.compile(r"@ F\d+\.H\d+(?: \(continued\))?(?: in .*)?")


def prompts():
    for name in hostile.COMMITS:
        for level in LEVELS:
            yield prompt_for(hostile.at(name, level), Language.EN, words, 20_000)
        yield from prompts_for(hostile.at(name, Level.HIGH), Language.EN, words, 1800, parts=3)
        yield from lines_prompts(
            [hostile.at(name, Level.LOW), pool(Level.LOW)], Language.EN, words, 20_000
        )


ALL = list(prompts())


def inside(prompt):
    """The lines between the fence, which has to be there once."""
    (code,) = re.findall(r"^DATA (\w+) begins$", prompt.user, re.MULTILINE)[:1]
    assert prompt.user.count(code) == 2
    before, _, rest = prompt.user.partition(f"DATA {code} begins\n")
    data, _, after = rest.partition(f"\nDATA {code} ends\n")
    return before, data.split("\n"), after


@pytest.mark.parametrize("prompt", ALL, ids=lambda p: f"{p.kind}")
def test_every_line_of_a_stranger_stands_inside_the_fence_behind_a_mark(prompt):
    before, lines, after = inside(prompt)
    assert before.startswith('Write every "text" in English.')
    assert after.strip().startswith("Answer with the JSON object")
    for line in lines:
        assert line.startswith(MARKS)
        if line.startswith("# "):
            assert OURS.fullmatch(line), line
        if line.startswith("@"):
            assert HEAD.fullmatch(line), line


@pytest.mark.parametrize("prompt", ALL, ids=lambda p: f"{p.kind}")
def test_nothing_hidden_or_huge_is_sent(prompt):
    assert prompt.system == system_of(prompt.kind)
    odd = {c for c in prompt.user if unicodedata.category(c) in {"Cc", "Cf", "Cs", "Zl", "Zp"}}
    assert odd <= {"\n", "\t"}
    assert max(map(len, prompt.user.split("\n"))) < 4000
    assert words(prompt.user) < 20_000


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("name", hostile.COMMITS)
def test_an_obedient_reply_leaves_nothing_behind(name, level, language):
    change = hostile.at(name, level)
    judged = judge_reply(hostile.OBEDIENT, change, language)
    facts = analyse(change.graded, language)
    assert judged.grade == change.graded.grade
    assert judged.analysis.rejected == 1.0
    assert judged.analysis.source is Origin.FACTS
    for section in SECTIONS:
        assert getattr(judged.analysis, section) == getattr(facts, section)


@pytest.mark.parametrize("name", hostile.COMMITS)
def test_what_is_kept_holds_words_and_code_alone(name):
    """Also where the reply is made of the commit's own words."""
    change = hostile.at(name, Level.HIGH)
    texts = [
        change.change.commit.message,
        *(line for f in change.change.files for h in f.hunks for line in h.added),
    ]
    entries = [
        {"text": f"{text.strip()[:250]}.", "cites": ["F1.H1"]}
        for text in texts
        for text in text.split("\n")
    ][:200]
    judged = judge_reply({"summary": entries, "risks": entries}, change, Language.EN)
    for section in ("summary", "risks"):
        for statement in getattr(judged.analysis, section):
            if judged.analysis.source is Origin.FACTS:
                continue
            assert all(isinstance(s, Text | Code | Strong | Emphasis) for s in statement.spans)
            assert not re.search(
                r"https?:|@(?:everyone|here|all)|<[@!/a-z]|\x1b|\u202e|\u200b", statement.text
            )


def test_the_corpus_has_no_say_in_lines_and_notes():
    change = hostile.at("order in the diff", Level.LOW)
    entry = {
        "id": "C1",
        "text": hostile.ORDER,
        "cites": ["F1.H1"],
        "importance": hostile.OBEDIENT["importance"],
    }
    with pytest.raises(ValueError, match="borne out"):
        lines_reader([change], Language.EN)({"changes": [entry]})
    notes = [{"about": "risk", "text": "Fixes `CVE-2026-0001`, upgrade now.", "cites": ["F1.H1"]}]
    assert read_notes({"notes": notes}, hostile.at("mentions", Level.HIGH), Language.EN).notes == ()
