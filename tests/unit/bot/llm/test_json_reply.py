import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.llm.json_reply import Unthinking, objects, without_thoughts
from tests.support.speed import within

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=5)


def fit(value):
    """What a value becomes once it is fit to be stored."""
    return json.loads(json.dumps(value).replace("\\u0000", "\ufffd"))


@given(OBJECTS, st.booleans(), st.sampled_from([None, 1, 4]))
def test_objects_finds_what_was_written_behind_fences_and_thoughts(value, escaped, indent):
    written = json.dumps(value, ensure_ascii=escaped, indent=indent)
    for reply in (
        written,
        f"```json\n{written}\n```",
        f"<think>Perhaps {{}}?</think>\n{written}",
        f"so {{it}} is\n</think>\n\n{written}",
        f"Here it is: {written} I hope it helps.",
    ):
        assert objects(reply) == [fit(value)]


@given(st.text(alphabet='{}[]",:\\ab1 \n<think>/`', max_size=200))
def test_objects_of_any_text_are_objects_or_an_error(text):
    found = []
    with contextlib.suppress(ValueError):
        found = objects(text)
        assert found
    assert all(isinstance(one, dict) for one in found)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ('{"a": [1, 2,], "b": "x,]",}', [{"a": [1, 2], "b": "x,]"}]),
        ('{"a": "line\nbreak"}', [{"a": "line\nbreak"}]),
        ('{"draft": 1}\nor rather\n{"a": 2}', [{"draft": 1}, {"a": 2}]),
        ('{"s": "takes </think> off"}', [{"s": "takes </think> off"}]),
        ('[{"a": 1}]', [{"a": 1}]),
        ('{"a": "\\ud83d", "b": "\\u0000"}', [{"a": "\ufffd", "b": "\ufffd"}]),
    ],
)
def test_objects_of_replies_as_models_write_them(reply, expected):
    assert objects(reply) == expected


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("", "no JSON object"),
        ("I would rather not.", "no JSON object"),
        ("<think>{}", "no JSON object"),
        ('{"a": "b', "not closed"),
        ('{"a": b}', "not valid JSON"),
        ('{"a": ' * 100_000 + "1" + "}" * 100_000, "nested too deep"),
        ('{"a": ' + "1" * 5000 + "}", "too long a number"),
    ],
)
def test_objects_says_what_is_wrong(reply, why):
    with pytest.raises(ValueError, match=why):
        objects(reply)


@pytest.mark.parametrize(
    ("reply", "near"),
    [
        ('{"a": b}', '{"a": b}'),
        (f'{{"{"a" * 50}": b{" " * 50}}}', f'{"a" * 17}": b{" " * 19}'),
    ],
)
def test_place_that_is_no_json_is_shown_with_what_is_around_it(reply, near):
    with pytest.raises(ValueError, match="not valid JSON") as wrong:
        objects(f"So: {reply} That is all.")
    assert str(wrong.value).endswith(f" near {near!r}")


@pytest.mark.parametrize(
    "reply",
    [
        '{"a":' * 12_000,
        '\\"' * 30_000,
        "<think>" * 9_000,
        "{" * 60_000,
        '","' * 20_000,
        "{" + "," * 60_000,
    ],
)
def test_objects_takes_its_time_in_proportion(reply):
    def read() -> None:
        with pytest.raises(ValueError):
            objects(reply)

    assert within(1, read)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<think>hm</think>\nYes.", "Yes."),
        ("<THINKING>hm</thinking> Yes.", "Yes."),
        ("<think>hm", ""),
        ("hm, hm\n</think>\n\nYes.", "Yes."),
        ("It adds `<think>` and `</think>`.", "It adds `<think>` and `</think>`."),
        ("  Yes.\n", "Yes."),
    ],
)
def test_without_thoughts(text, expected):
    assert without_thoughts(text) == expected


@given(st.text(alphabet="<think>/ ab\n", max_size=60), st.lists(st.integers(1, 9), min_size=1))
def test_unthinking_shows_the_same_in_whatever_pieces_it_comes(text, sizes):
    def shown(pieces):
        unthinking = Unthinking()
        return "".join(map(unthinking.feed, pieces)) + unthinking.close()

    pieces, place, turn = [], 0, 0
    while place < len(text):
        size = sizes[turn % len(sizes)]
        pieces.append(text[place : place + size])
        place, turn = place + size, turn + 1
    assert shown(pieces) == shown([text])


def test_unthinking_shows_what_is_no_thought_at_once():
    unthinking = Unthinking()
    assert unthinking.feed("Ye") == "Ye"
    assert unthinking.feed("<think>s") == "<think>s"


@pytest.mark.parametrize(
    ("pieces", "shown", "rest"),
    [
        (["<think>h", "m</think>", "\n Yes", ".\n"], ["", "", "Yes", ".\n"], ""),
        ([" <thi", "nk>hm</th", "ink>\n", "\n", " Yes"], ["", "", "", "", "Yes"], ""),
        (["<think>", "hm " * 99, "</think> Yes."], ["", "", "Yes."], ""),
        (["<b", ">Yes</b>"], ["", "<b>Yes</b>"], ""),
        (["<think>hm"], [""], ""),
        ([" ", "<thi"], ["", ""], " <thi"),
        (["Yes. ", "</think> No."], ["Yes. ", "</think> No."], ""),
    ],
)
def test_unthinking_shows_what_follows_thoughts_as_it_comes(pieces, shown, rest):
    unthinking = Unthinking()
    assert [*map(unthinking.feed, pieces)] == shown
    assert unthinking.close() == rest
