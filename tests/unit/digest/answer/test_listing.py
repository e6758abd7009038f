"""What answers show of the changes that a query selects."""

from __future__ import annotations

from dataclasses import replace

import pytest

from digest.answer.answers import beside_title, entry_of, title_of
from digest.answer.listing import area_of, line_of, line_within, listed_in
from digest.core.enums import Language
from digest.core.facts import Action, Area, FactKind
from digest.core.grade import Level, Repository
from digest.core.request import PullRequest, RequestState
from digest.document import Document, Paragraph, Text, plain
from digest.question.intent import Changed
from digest.topics.index_terms import bearings
from handlers.questions.pull_request import request_lines
from tests.support.samples import (
    DAY,
    REPOSITORY,
    at,
    change,
    documents,
    fact,
    file,
    flag_change,
    refactoring,
)


def touching(*files):
    graded = flag_change()
    return replace(graded, facts=replace(graded.facts, files=files))


@pytest.mark.parametrize(
    ("files", "area"),
    [
        ([file("src/a.py"), file("tests/test_a.py", Area.TESTS, 40)], Area.CORE),
        ([file("src/a.py", added=1, deleted=0), file("tests/a.py", Area.TESTS, 90)], Area.TESTS),
        ([file("docs/a.md", Area.DOCS, 40)], Area.DOCS),
        ([], Area.CORE),
    ],
)
def test_change_of_code_with_long_tests_belongs_to_the_code(files, area):
    assert area_of(touching(*files)) is area


def test_line_about_a_path_tells_what_changed_there():
    graded = flag_change()
    everywhere = plain(line_of(graded, Language.EN))
    told = plain(line_within(graded, "engine/core/", Language.EN))
    assert "--pool-size" in everywhere
    assert "--pool-size" not in told
    assert "New metric engine_pool_busy." in told
    assert "engine/core/legacy.py (removed, −80)" in told


@pytest.mark.parametrize(
    ("language", "begin"), [(Language.EN, "👉 Replace --fast with"), (Language.ZH, "👉 将 --fast")]
)
def test_line_of_a_change_to_act_on_begins_with_what_to_do(language, begin):
    renamed = fact(
        FactKind.FLAG, Action.RENAMED, "--quick", at("engine/cli.py", 3), before="--fast"
    )
    line = plain(line_of(change(1, "Rename it", Level.HIGH, items=[renamed]), language))
    assert line.startswith(begin)
    assert "。 " not in line


def test_line_about_a_path_is_there_for_a_low_change_too():
    graded = documents()
    low = replace(graded, grade=replace(graded.grade, level=Level.LOW))
    assert line_of(low, Language.EN) == ()
    assert plain(line_within(low, low.facts.paths[0], Language.EN))


def test_path_that_a_change_does_not_touch_changes_nothing_of_its_line():
    graded = flag_change()
    assert line_within(graded, "nowhere/", Language.EN) == line_of(graded, Language.EN)


def test_commit_is_named_where_the_title_names_no_request():
    graded = flag_change()
    assert f"#{graded.number}" in graded.title
    assert graded.sha[:10] not in plain(entry_of(graded, REPOSITORY))
    subject = replace(graded.facts.subject, title="Raise the limit", number=None)
    direct = replace(graded, facts=replace(graded.facts, subject=subject))
    assert graded.sha[:10] in plain(entry_of(direct, Repository(name="acme/engine")))
    merged = replace(direct, facts=replace(direct.facts, subject=replace(subject, number=12)))
    assert plain(entry_of(merged, REPOSITORY)).endswith("Raise the limit · #12 · Ada Lovelace")


def test_reason_that_the_title_shows_is_not_told_beside_it():
    borne = list(bearings(refactoring()).values())
    told = beside_title(borne, Language.EN)
    assert "tag " not in told
    assert "title: " not in told
    assert "path " in told


def test_a_change_that_a_digest_titles_anew_is_found_by_its_number():
    graded = flag_change()
    line = Paragraph((Text(f"Titled anew (#{graded.number}) · Ada"),))
    document = Document(title="", blocks=(line,))
    assert listed_in(document, [graded], Repository(name="repo")) == (graded.sha,)


@pytest.mark.parametrize("sign", "#!")
def test_entry_of_a_changelog_is_found_by_its_request(sign):
    known = flag_change()
    lines = (
        f"Add --fast ({sign}{known.number}) · CHANGELOG.md:12",
        f"Add --slow ({sign}987654) · CHANGELOG.md:13",
        "Add --plain · CHANGELOG.md:14",
        f"Ada asked for {sign}123456",
    )
    document = Document(title="", blocks=tuple(Paragraph((Text(line),)) for line in lines))
    assert listed_in(document, [known], REPOSITORY) == (known.sha, f"explain {sign}987654")


def test_title_of_a_question_names_all_that_narrows_it():
    intent = Changed(window=DAY, topic="pool", label="bug", author="Ada", path="src/")
    title = title_of(intent, Language.EN)
    assert all(word in title for word in ("pool", "bug", "Ada", "src/"))


def test_labels_beyond_twelve_are_counted():
    request = PullRequest(
        number=1,
        title="Do it",
        state=RequestState.OPEN,
        author="Ada",
        created_at=DAY.since,
        updated_at=DAY.since,
        labels=tuple(f"l{n}" for n in range(14)),
    )
    (_, labels, *_) = map(plain, request_lines(request, REPOSITORY, Language.EN))
    assert "l11" in labels
    assert "l12" not in labels
    assert "2 more" in labels
