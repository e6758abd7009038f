import subprocess

import pytest

from digest.facts.message import co_authors, split_trailers
from tests.support.builders import environment

BODIES = [
    "Why.\n\nSigned-off-by: Ada <a@x>\nCo-authored-by: Bob <b@x>",
    "Signed-off-by: Ada <a@x>",
    "Why.\n\nReviewed-by: Ada\n  and friends\nFixes: #12",
    "Why: because\nof this.\n\nNo trailers here: at all, a sentence.\nSecond line.",
    "Why.\n\nA sentence\nSigned-off-by: Ada <a@x>\nFixes: x\nAnother sentence",
    "Why.\n\none\ntwo\nthree\nfour\nfive\nsix\nSigned-off-by: Ada <a@x>",
    "Why.\n\none\ntwo\nthree\nSigned-off-by: Ada <a@x>",
    "Why.\n\none\ntwo\nthree\nfour\nSigned-off-by: Ada <a@x>",
    "Why.\n\nSigned-off-by: Ada <a@x>\n\nCo-authored-by: Bob <b@x>",
    "Why.\n\nKey : value\nOther-Key:value",
    "",
    "Only words.",
    "Why.\n\n(cherry picked from commit 0123456789)",
]


@pytest.mark.parametrize("body", BODIES)
def test_trailers_are_those_that_git_finds(body):
    listed = subprocess.run(
        ["git", "interpret-trailers", "--only-trailers", "--only-input", "--unfold"],
        input=f"Subject\n\n{body}\n",
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    ).stdout
    expected = tuple(
        (key.strip(), value.strip())
        for key, _, value in (line.partition(":") for line in listed.splitlines())
    )
    assert split_trailers(body)[1] == expected


def test_text_above_the_block_is_kept():
    assert split_trailers("Why.\n\nMore.\n\nFixes: #1")[0] == "Why.\n\nMore."


def test_co_authors_are_named_once_and_without_the_author():
    lines = [
        "Co-authored-by: Bob <bob@x>",
        "co-authored-by: Bob <bob@x>",
        "Co-Authored-By: Robert <BOB@x>",
        "Co-authored-by: Ada Lovelace <other@x>",
        "Co-authored-by: <carol@x>",
        "Co-authored-by:",
        "Signed-off-by: Dave <d@x>",
    ]
    assert co_authors(lines, "Ada Lovelace", "ada@example.org") == ("Bob", "carol@x")
