"""What people say beyond one change and one topic: every row parses, every near miss is refused."""

from __future__ import annotations

import tomllib
from pathlib import Path

from digest.core.enums import ChangeKind, Language
from digest.core.facts import Action, FactKind
from digest.core.grade import Level
from digest.core.reference import parse_reference
from digest.question import intent as intents
from digest.question.commit_range import Refs
from digest.question.intent import Top, Unknown
from digest.question.parser import parse
from digest.question.questions import format_intent
from tests.unit.digest.question.test_parser import NOW, ZONE, period

TABLE = tomllib.loads(
    (Path(__file__).parents[3] / "data" / "phrasings.toml").read_text(encoding="utf-8")
)
READ = {
    "top": lambda count: ("top", Top(count)),
    "latest": lambda count: ("top", Top(count, "latest")),
    "period": lambda name: ("window", period(name)),
    "level": lambda name: ("level", Level(name)),
    "kinds": lambda names: ("kinds", tuple(map(ChangeKind, names))),
    "things": lambda names: ("things", tuple(map(FactKind, names))),
    "actions": lambda names: ("actions", tuple(map(Action, names))),
    "without": lambda words: ("without", tuple(words)),
    "terms": lambda terms: ("terms", tuple(terms)),
    "language": lambda name: ("language", Language(name)),
    "reference": lambda text: ("reference", parse_reference(text)),
}


def expected(row):
    row = dict(row)
    made = getattr(intents, row.pop("is"))
    repository = row.pop("repository", "")
    given = {}
    if "refs" in row:
        base, *tip = row.pop("refs")
        refs = Refs(base=base, tip="".join(tip), repository=repository)
        given["refs" if made is intents.Compare else "window"] = refs
    for name, value in row.items():
        key, read = READ.get(name, lambda value, name=name: (name, value))(value)
        given[key] = read
    return made(**given)


# One test for all questions: a thousand tests take longer than what they test.


def test_phrasings_are_read_as_their_intents():
    read = {question: parse(question, NOW, ZONE) for question in TABLE["asked"]}
    assert read == {question: expected(row) for question, row in TABLE["asked"].items()}


def test_intents_of_phrasings_are_written_so_that_they_are_read_back():
    meant = [expected(row) for row in TABLE["asked"].values()]
    assert [parse(format_intent(one), NOW, ZONE) for one in meant] == meant


def test_near_misses_are_refused():
    read = {question: parse(question, NOW, ZONE) for question in TABLE["refused"]["questions"]}
    assert {asked: intent for asked, intent in read.items() if type(intent) is not Unknown} == {}


def test_table_is_as_large_as_promised():
    assert len(TABLE["asked"]) >= 200
    assert len(TABLE["refused"]["questions"]) >= 60
    assert sum(any("一" <= c <= "鿿" for c in q) for q in TABLE["asked"]) >= 50
