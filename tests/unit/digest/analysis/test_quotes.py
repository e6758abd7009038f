"""Which of the author's sentences are quoted, and from where."""

from __future__ import annotations

from dataclasses import replace

import pytest

from digest.analysis import quotes
from digest.analysis.context import REQUEST, read
from digest.core.change import Side
from digest.core.enums import Language
from digest.core.facts import Area, Clue, ClueKind
from digest.core.grade import Description, Level
from digest.core.statement import Aspect
from tests.support import samples

SLOW = "Memory was 12 MB for each of the cards."


def context(title, *paragraphs, body="", described=(), level=Level.HIGH, **more):
    files = more.pop("files", [samples.file("src/pool.py")])
    graded = samples.change(1, title, level, files=files, paragraphs=paragraphs, **more)
    if body:
        graded = replace(graded, commit=replace(graded.commit, message=f"{title}\n\n{body}"))
    if described:
        graded = replace(graded, description=Description(paragraphs=tuple(described)))
    return read(graded, Language.EN)


def quoted(statements):
    return [one.text.partition("“")[2].rstrip("”.") for one in statements]


@pytest.mark.parametrize(
    ("paragraphs", "reason"),
    [
        (["WIP.", "Pools wait for cards.", "They wait because none is left."], 2),
        (["Pools wait for cards.", "Users would not see it."], 1),
        (["Pools wait for cards.", "Users read what they want."], 0),
        (["Part of #12345", "Mend the pool", "Users read what they want."], 2),
        (["Part of #12345", "Mend the pool."], None),
        ([], None),
    ],
)
def test_reason_is_the_paragraph_that_says_why_or_else_the_first_that_says_something(
    paragraphs, reason
):
    told = quotes.stated_reason(context("Mend the pool", *paragraphs))
    assert told == ("" if reason is None else paragraphs[reason])


@pytest.mark.parametrize(
    ("body", "squashed"),
    [
        ("* Wait for the last of the cards\n\n* Tidy up", True),
        ("* Mend the pool\n* Wait for the last of the cards", True),
        ("* Wait for the last of the cards\n* Tidy up\n* Write tests", False),
        ("What users get:\n* Wait for the last of the cards\n\nAnd more.", False),
        ("And more.\n\n* Wait for the last of the cards\n* Tidy up", False),
        ("Wait for the last of the cards", False),
    ],
)
def test_entry_of_a_list_is_the_subject_of_a_squashed_commit_if_it_stands_alone_or_by_the_title(
    body, squashed
):
    text = "Wait for the last of the cards"
    assert (quotes.stated_reason(context("Mend the pool", text, body=body)) == "") is squashed


@pytest.mark.parametrize(
    ("paragraph", "told"),
    [
        # What cannot be quoted is passed over, and so is what it leads to.
        ("Cards wait in `pool::Pool`. They were asked for. Now none is lost.", "Now none is lost."),
        ("However it stalls. The pool no longer fails when it is empty.", ""),
        ("Cards go through pool::take in it. This caused counts to no longer add up.", ""),
        ("Cards go through pool::take in it. Counts no longer add up.", "Counts no longer add up."),
        # In the present only the first new sentence may be quoted.
        ("Cards wait in pool::Pool. This will print the state to a file.", ""),
        ("Mend the pool. This will print the state to a file.", "This will print the state to a file."),
        ("This will print the state to a file. See #123.", "This will print the state to a file."),
        ("This will print the state. Hopefully it is read.", "This will print the state."),
    ],
)  # fmt: skip
def test_quote_begins_with_a_sentence_that_stands_on_its_own(paragraph, told):
    found = quoted(quotes.description_quotes(context("Mend the pool", paragraph)))
    assert found == ([told.rstrip(".")] if told else [])


def test_only_the_first_paragraph_is_quoted_in_the_present_and_no_third_one_at_all():
    announced, new = "What follows is the plan of it:", "This will print the state to a file."
    late = "The table of names no longer holds all of the lamps."
    for paragraphs, told in (
        ([new], [new]),
        ([announced, new], []),
        ([announced, late], [late]),
        ([announced, new, late], []),
        ([new, late], [late]),
    ):
        found = quoted(quotes.description_quotes(context("Read names", *paragraphs)))
        assert found == [one.rstrip(".") for one in told]


def test_quote_cites_its_line_of_the_message_or_the_request():
    second = "The pool no longer fails when it is empty."
    for paragraph, body, line in (
        (second, second, 3),
        (f"Some cards wait. {second}", f"Some cards wait.\n{second}", 4),
        (f"Some cards wait. {second}", "Some cards wait. The pool\nno longer fails.", 3),
        (second, "It says\nsomething else.", 1),
    ):
        (told,) = quotes.description_quotes(context("Mend it", paragraph, body=body))
        assert [(one.line, one.side) for one in told.evidence] == [(line, Side.MESSAGE)]
    told = quotes.description_quotes(context("Mend it", "A plan.", described=["A plan.", second]))
    assert [one.evidence for one in told] == [(REQUEST,)]
    told = quotes.description_quotes(context("Mend it", second, described=[second]))
    assert [one.evidence[0].side for one in told] == [Side.MESSAGE]


def test_at_most_so_many_sentences_with_figures_are_quoted():
    first, second = (f"{SLOW} Pools were {n} % slower." for n in (4, 7))
    for most in (1, 3):
        told = quoted(quotes.figure_quotes(context("Mend it", first, second), most))
        assert len(told) == most
    limits = ["Memory is 4 MB with a time limit of 10 s.", "Latency fell from 4 ms to this:"]
    assert not list(quotes.figure_quotes(context("Mend it", *limits), 3))
    told = quoted(quotes.figure_quotes(context("Mend it", "Latency fell by 4 ms"), 3))
    assert told == ["Latency fell by 4 ms"]


def test_texts_repeat_one_another_in_the_singular_or_the_plural():
    assert quotes.content("The jobs of a bus, its pools") == {"job", "bus", "pool"}
    assert quotes.repeats("Adds jobs to pools", "Add a job to the pool")
    assert not quotes.repeats("Adds buses to jobs of pools", "Add a job")


@pytest.mark.parametrize(
    ("text", "name", "told"),
    [
        # One more word of the name is not enough to begin later, two are.
        ("Limit of a pool. The size of a pool.", "POOL_SIZE", "Limit of a pool. The size of a pool."),
        ("Set at the start by whoever runs it. The size of a pool.", "POOL_SIZE", "The size of a pool."),
        ("Set at the start by whoever runs it. The size of a pool.", "", "Set at the start by whoever runs it."),
        ("Set at the start by whoever runs it.", "POOL_SIZE", "Set at the start by whoever runs it."),
        ("", "POOL_SIZE", ""),
        # Only the first sentence may begin with what is described.
        ("This keeps cards. Cards wait.", "", "This keeps cards. Cards wait."),
        ("Keeps cards. It waits for them.", "", "Keeps cards."),
    ],
)  # fmt: skip
def test_description_begins_with_its_first_sentence_or_the_one_about_the_name(text, name, told):
    assert quotes.opening(text, name) == told


def remark(text, path="src/pool.py", kind=ClueKind.REMARK):
    return Clue(kind=kind, name="pool", text=text, evidence=samples.at(path, 3))


def test_first_sentence_of_the_documentation_about_a_new_name_is_quoted_if_it_is_plain():
    for texts, told in (
        (["The pool waits for its workers.", "A pool has workers."], ["The pool waits for its workers"]),
        (["This pool waits for its workers.", "A pool has workers."], []),
        (["The pool waits for its workers 3."], []),
        (["The **pool** waits for its workers."], []),
        (["When the pool is kept,"], []),
    ):  # fmt: skip
        clues = tuple(remark(text, kind=ClueKind.DOCS) for text in texts)
        found = quotes.documentation_sentences(context("Keep it", clues=clues))
        assert quoted(found) == told


NEEDS, WHY = "A pool requires two of the cards.", "Without a pool the workers would be new."
SAYS = "The pool keeps its workers for one day."


@pytest.mark.parametrize(
    ("level", "pages", "comments", "of_pages", "of_comments"),
    [
        (Level.HIGH, [SAYS, NEEDS, "A pool has a name."], [WHY], [NEEDS, SAYS], []),
        (Level.MEDIUM, [SAYS, NEEDS], [WHY], [NEEDS], []),
        (Level.HIGH, [SAYS], [WHY, NEEDS], [SAYS], [NEEDS]),
        (Level.HIGH, [], [SAYS, WHY, NEEDS], [], [NEEDS, WHY]),
        (Level.MEDIUM, [SAYS], [WHY], [SAYS], []),
        (Level.HIGH, ["See [the pool](a.md) for why it must wait.", "Part of it:"], [SAYS], [], []),
    ],
)
def test_documentation_is_quoted_before_comments_that_say_why_or_what_is_required(
    level, pages, comments, of_pages, of_comments
):
    docs = samples.file("docs/pool.md", area=Area.DOCS)
    clues = (*(remark(one, docs.path) for one in pages), *map(remark, comments))
    files = [samples.file("src/pool.py"), docs]
    reading = context("Keep a pool of workers", files=files, clues=clues, level=level)
    for documents, texts in ((True, of_pages), (False, of_comments)):
        told = [*quotes.remarks(reading, documents=documents)]
        assert quoted(told) == [one.rstrip(".") for one in texts]
        assert all(("documentation" in one.text) is documents for one in told)
        inner = [one.aspect is Aspect.ARCHITECTURE for one in told]  # for the full report alone
        assert inner == [not documents] * len(told)
