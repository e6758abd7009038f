"""Words in which nothing begins to act."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.platforms.telegram.escaping import JOINER, inert, inert_alike, is_target, runs, still
from digest.document import Code, Strong, Text
from tests.servers.telegram_text import found

ACTING = [
    ("@durov", "mention"),
    ("(@digest_bot)", "mention"),
    ("中@durov", None),  # a letter before it
    ("/start", "bot_command"),
    ("或/start@digest_bot", None),
    ("“/start@digest_bot now", "bot_command"),
    ("#security", "hashtag"),
    ("#安全", "hashtag"),
    ("$USD", "cashtag"),
    ("README.md", "url"),
    ("t.me/durov", "url"),
    ("见setup.py （新）", "url"),
    ("https://evil.example/a.b?c=d.e", "url"),
    ("HTTP://evil.anything", "url"),
    ("http://10.0.0.1:80/x", "url"),
    ("10.0.0.1", "url"),
    ("tg://user?id=42", "url"),
    ("ton://transfer/x", "url"),
    ("ada@forge.example", "email"),
    ("mailto:ada@forge.example", "email"),
]
STILL = ["#123", "a/b/c", "v0.15.0", "x @ W", "1/2", "50 %, $5", "and so on... yes", "--flag=/ 3"]


@pytest.mark.parametrize(("text", "kind"), ACTING)
def test_the_server_of_the_tests_finds_what_acts(text, kind):
    kinds = {entity.type for entity in found(text, [])}
    assert kinds == ({kind} if kind else set())


@pytest.mark.parametrize("text", [text for text, _ in ACTING])
def test_nothing_acts_any_more_and_every_letter_is_there(text):
    assert found(inert(text), []) == []
    assert inert(text).replace(JOINER, "") == text
    assert found(inert_alike(text), []) == []
    assert len(inert_alike(text)) == len(text)


@pytest.mark.parametrize("text", STILL)
def test_what_does_not_act_stays_as_it_is(text):
    assert inert(text) == text


signs = st.sampled_from(["@", "/", "#", "$", ".", ":", "//", "_", "-", "<", "(", " ", "\n", "·"])
words = st.sampled_from(["a", "bob", "USD", "9", "10", "中", "é", "http", "tg", "com", "md", "👍"])
wholes = st.sampled_from(["x.y", "@durov", "/start", "\u200c"])
pieces = signs | words | wholes


@settings(max_examples=500)
@given(st.lists(pieces, max_size=14).map("".join) | st.text(max_size=30))
def test_no_text_acts(text):
    assert found(inert(text), []) == []
    assert found(inert_alike(text), []) == []
    assert inert(inert(text)) == inert(text)
    assert inert_alike(inert(text)) == inert(text)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.example/x",
        "http://a-b.example:8080/x?y=z#w",
        "https://例子.中国",
        "https://10.0.0.1/x",
    ],
)
def test_a_server_with_a_dot_can_be_a_target(url):
    assert is_target(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/x",
        "https://a",
        "tg://user?id=1",
        "ftp://a.example",
        "https://a.example/ x",
        "https://user@a.example",
        "https://.example",
        "report.md",
        "https://a.example/" + "x" * 3000,
    ],
)
def test_others_are_none(url):
    assert not is_target(url)


@pytest.mark.parametrize(
    ("spans", "told"),
    [
        ((Text("ask @"), Strong("durov")), ["ask @|", "durov"]),
        ((Strong("a."), Text("md and b."), Strong("md")), ["a.|", "md and b.|", "md"]),
        ((Text("run "), Code("x.py"), Text(" in t.me/x")), ["run ", "x.py", " in t.|me/x"]),
        ((Code("x."), Text("py by @ada")), ["x.", "py by @|ada"]),
        ((Text("#"), Code("1"), Text(".md")), ["#", "1", ".|md"]),
        ((Text("nothing "), Strong("here")), ["nothing ", "here"]),
    ],
)
def test_words_that_begin_in_one_run_and_go_on_in_the_next_do_not_act(spans, told):
    assert [run.text.replace(JOINER, "|") for run in still(runs(spans))] == told
