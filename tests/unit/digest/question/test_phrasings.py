"""What people say beyond one change and one topic: every row parses, every near miss is refused."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(("question", "row"), TABLE["asked"].items(), ids=str)
def test_phrasing_is_read_as_its_intent(question, row):
    assert parse(question, NOW, ZONE) == expected(row)


@pytest.mark.parametrize("row", TABLE["asked"].values(), ids=str)
def test_intent_of_a_phrasing_is_written_so_that_it_is_read_back(row):
    intent = expected(row)
    assert parse(format_intent(intent), NOW, ZONE) == intent


@pytest.mark.parametrize("question", TABLE["refused"]["questions"])
def test_near_miss_is_refused(question):
    assert isinstance(parse(question, NOW, ZONE), Unknown)


def test_table_is_as_large_as_promised():
    assert len(TABLE["asked"]) >= 200
    assert len(TABLE["refused"]["questions"]) >= 60
    assert sum(any("一" <= c <= "鿿" for c in q) for q in TABLE["asked"]) >= 50
