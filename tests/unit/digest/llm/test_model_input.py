"""What of a change may be shown: by mode, and never what is no one's business."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.core.enums import Language, Privacy
from digest.llm.model_input import Masked, find_target, impersonal, mask_change, material
from digest.llm.prompt_text import Cause
from tests.support import materials
from tests.support.materials import prompt_for

NEW = """\
URL = 'https://mirror.corp.example:8443/x'
HOST = '10.1.2.3'
HOME = '/home/grace/cache'
KEY = 'hunter2-hunter2'
LIMIT = 7
"""

LEAKY = materials.material(
    "Fetch from the mirror\n\nAsk ops@corp.example for access.\n\nReviewed-by: Grace Hopper <g@h.example>",
    (
        "engine/fetch.py",
        "URL = 'http://old.corp.example/x'\n",
        NEW,
    ),
)

WORDS = (
    "corp.example",
    "10.1.2.3",
    "grace/cache",
    "LIMIT = 7",
    "hunter2",
    "engine/fetch.py",
    "Grace Hopper",
    "mirror\n",
)


class Masks:
    """A redactor that knows the secrets."""

    def __init__(self, *secrets):
        self.secrets = secrets

    def __call__(self, change, facts):
        def mask(text):
            for secret in self.secrets:
                text = text.replace(secret, "[secret]")
            return text

        change, facts = mask_change(change, facts, mask)
        return Masked(change=change, facts=facts, secrets=len(self.secrets))


def shown(privacy):
    found = material(LEAKY.change, LEAKY.graded, privacy, Masks("hunter2-hunter2"))
    return found, prompt_for(found, Language.EN, materials.words, 100_000)


@pytest.mark.parametrize(
    ("privacy", "words"),
    [
        (
            Privacy.FULL,
            {"corp.example", "10.1.2.3", "grace/cache", "LIMIT = 7", "engine/fetch.py", "mirror\n"},
        ),
        (Privacy.REDACTED, {"LIMIT = 7", "engine/fetch.py", "mirror\n"}),
        (Privacy.METADATA, {"engine/fetch.py", "mirror\n"}),
    ],
)
def test_each_mode_shows_so_much(privacy, words):
    found, prompt = shown(privacy)
    assert {word for word in WORDS if word in prompt.user} == words
    assert found.secrets == 1
    assert found.graded is LEAKY.graded


def test_none_shows_nothing():
    assert material(LEAKY.change, LEAKY.graded, Privacy.NONE, Masks()) is None


def test_what_privacy_keeps_back_is_said():
    _, prompt = shown(Privacy.METADATA)
    assert [o.cause for o in prompt.omitted] == [Cause.PRIVATE]
    assert "+5 -1" in prompt.user


def test_facts_lose_their_values_with_the_lines():
    pool = materials.pool()
    found = material(pool.change, pool.graded, Privacy.METADATA, Masks())
    assert all(item.before is None and item.after is None for item in found.facts.items)
    assert [i.name for i in found.facts.items] == [i.name for i in pool.facts.items]
    assert found.facts.paragraphs == ()


def test_texts_are_masked_wherever_they_are_and_what_has_none_stays_as_it_is():
    pool = materials.pool()
    (change, facts) = mask_change(pool.change, pool.facts, str.upper)
    assert [i.before for i in facts.items] == [
        i.before and i.before.upper() for i in pool.facts.items
    ]
    assert [i.after for i in facts.items] == [i.after and i.after.upper() for i in pool.facts.items]
    assert any(i.before for i in facts.items)
    assert any(i.after for i in facts.items)
    assert change.commit.message == pool.change.commit.message.upper()
    assert facts.paragraphs == tuple(text.upper() for text in pool.facts.paragraphs)
    plain = pool.change.files[0]
    hunk = dataclasses.replace(plain.hunks[0], section="def open_key():")
    for field, lines in (("section", "def [x]():"), ("removed", ("[x]",)), ("added", ("[x]", "b"))):
        secret = {"section": "def key():", "removed": ("key",), "added": ("key", "b")}[field]
        held = dataclasses.replace(
            hunk, **{"section": "", "removed": (), "added": (), field: secret}
        )
        files = (dataclasses.replace(plain, hunks=(held,)),)
        leaky = dataclasses.replace(pool.change, files=files)
        masked, _ = mask_change(leaky, pool.facts, lambda text: text.replace("key", "[x]"))
        assert getattr(masked.files[0].hunks[0], field) == lines


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("mail a.b+c@x-y.example.org now", "mail [address] now"),
        ("see https://host.example:80/a?b", "see https://[host]/a?b"),
        ("git clone https://ada:[secret]@git.corp/x", "git clone https://[host]/x"),
        ("see (http://[fd00::1]:80/x)", "see (http://[host]/x)"),
        ("bind 192.168.0.12:80", "bind [ip]:80"),
        ("v1.2.3.4.5 and 1.2.3", "v1.2.3.4.5 and 1.2.3"),
        ("in /home/ada/x and C:\\Users\\ada\\y", "in /home/[user]/x and C:\\Users\\[user]\\y"),
        ("fe80:0:0:0:1:2:3:4", "[ip]"),
        ("@decorator: x = a @ b", "@decorator: x = a @ b"),
        ("12:34:56", "12:34:56"),
    ],
)
def test_people_and_machines_are_blotted_out(text, after):
    assert impersonal(text) == after


@given(st.text(max_size=300))
def test_blotting_out_keeps_the_number_of_lines(text):
    assert impersonal(text).count("\n") == text.count("\n")


@pytest.mark.parametrize(
    ("reference", "path", "hunk"),
    [
        ("F1", "engine/cli.py", None),
        (" [f2] ", "tests/test_cli.py", None),
        ("F4", "poetry.lock", None),
        ("F1.H1", "engine/cli.py", 0),
        ("F1.H2", "engine/cli.py", 1),
        ("M", None, None),
    ],
)
def test_an_id_stands_for_the_file_and_the_part_that_the_prompt_names_so(reference, path, hunk):
    change = materials.pool().change
    target = find_target(reference, change)
    assert (target.file and target.file.path) == path
    assert target.hunk == (None if hunk is None else target.file.hunks[hunk])


@pytest.mark.parametrize("reference", ["F5", "F1.H99", "G1", ""])
def test_an_id_of_nothing_has_no_target(reference):
    assert find_target(reference, materials.pool().change) is None
