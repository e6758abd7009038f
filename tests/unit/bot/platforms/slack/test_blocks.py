"""Documents as Slack's blocks: golden files, limits and what must not happen to text.

``python -m tests.unit.bot.platforms.slack.test_blocks`` writes the golden files anew; look at them.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.platforms.slack.blocks import LIMIT, MOST_ROWS, home_blocks, render
from bot.platforms.slack.rich_text import (
    LONGEST,
    LONGEST_LINE,
    element,
    elements,
    escape,
    fallback,
    lines_of,
    list_frame,
    weight,
)
from digest.document import (
    Actions,
    Button,
    Code,
    CodeBlock,
    Divider,
    Document,
    Emphasis,
    Heading,
    Image,
    Item,
    Link,
    Listing,
    Paragraph,
    Quote,
    Strong,
    Table,
    Text,
)
from tests.servers.slack_blocks import check_blocks, shown, units
from tests.support.strategies import HOSTILE, documents, texts

GOLDEN = Path(__file__).parents[4] / "data" / "slack"
WEB = "https://forge.example/acme/engine"


def everything() -> Document:
    """One of each kind of block."""
    return Document(
        title="All of it",
        blocks=(
            Heading(1, (Text("Every kind of block & <mark>"),)),
            Paragraph(
                (
                    Text("Words, "),
                    Strong("strong"),
                    Text(", "),
                    Emphasis("emphasis"),
                    Text(", "),
                    Code("code()"),
                    Text(" and "),
                    Link("a link", WEB),
                    Text("; <!channel> and @here are words."),
                )
            ),
            Heading(2, (Text("A list with "), Link("a link", WEB))),
            Listing(
                (
                    Item((Text("with one below"),), (Item((Text("in the same entry"),)),)),
                    Item((Text("with two"),), (Item((Text("one"),)), Item((Text("two"),)))),
                    Item((Text("third"),)),
                ),
                ordered=True,
            ),
            Table(
                ((Text("Level"),), (Text("Changes"),)),
                (((Strong("High"),), (Text("3"),)), ((Text("Low"),), ())),
            ),
            Quote(((Text("Somebody's words"),), (Text("in two paragraphs"),))),
            CodeBlock("def f():\n\treturn '<&>'", "python"),
            Divider(),
            Image("https://example.org/p.png", "A picture"),
            Actions(
                (
                    Button("Explain", "explain", "#7"),
                    Button("Full report", url=f"{WEB}/report"),
                    Button("No use " * 20, "useless"),
                )
            ),
        ),
    )


def digest(title: str, lead: str, why: str, foot: str, more: str) -> Document:
    """A post of a quiet day."""
    change = Link("[Router] Drop idle experts (#812)", f"{WEB}/pull/812")
    reason = Item((Text(why), Code("Router.pin()"), Text("。" if "由" in why else ".")))
    return Document(
        title=title,
        blocks=(
            Heading(1, (Text(title),)),
            Paragraph((Text(lead), Code("engine/router/"))),
            Listing((Item((Text("🔴 "), change, Text(" · Ada Lovelace")), (reason,)),)),
            Paragraph((Text(foot),), aside=True),
            Paragraph((Link(more, f"{WEB}/report"),)),
        ),
    )


SAMPLES = {
    "everything": everything,
    "digest_en": lambda: digest(
        "acme/engine: 2026-03-10",
        "1 change of high importance among 31 commits, mainly in ",
        "Removes ",
        "1 of 31 shown · Window: 2026-03-10 00:00 +01:00 – 2026-03-11 00:00 +01:00",
        "Full report",
    ),
    "digest_zh": lambda: digest(
        "acme/engine：2026-03-10",
        "31 个提交中有 1 个高重要度变更，主要涉及 ",
        "路由器变更，移除由调用方使用的 ",
        "显示 1 / 31 · 时段：2026-03-10 00:00 +01:00 – 2026-03-11 00:00 +01:00",
        "完整报告",
    ),
}


def written(name: str) -> str:
    """A sample's messages as its golden file has them: the words, then the blocks."""
    parts = [
        {"text": part.text.splitlines(), "blocks": json.loads(part.body)}
        for part in render(SAMPLES[name]())
    ]
    return json.dumps(parts, ensure_ascii=False, indent=1) + "\n"


@pytest.mark.parametrize("name", SAMPLES)
def test_a_rendering_is_as_the_golden_file(name):
    assert written(name) == (GOLDEN / f"{name}.json").read_text(encoding="utf-8")


def test_a_digest_is_one_message():
    for name in ("digest_en", "digest_zh"):
        assert len(render(SAMPLES[name]())) == 1


@settings(max_examples=200, deadline=None)
@given(document=documents)
def test_slack_takes_whatever_is_rendered(document):
    for part in render(document):
        blocks = json.loads(part.body)
        check_blocks(blocks)
        assert shown(blocks, "").split() or part.text == "—"
        assert units(fallback(part.text)) <= LONGEST
    check_blocks(home_blocks(document), home=True)


@pytest.mark.parametrize("character", ["a", "字", "😀", '"', "\\", "<", " ", "\x00"])
@pytest.mark.parametrize("count", [149, 3_000, 12_001, 40_000])
def test_no_length_is_too_much(character, count):
    text = character * count
    document = Document(
        title="t",
        blocks=(
            Heading(1, (Text(text),)),
            Paragraph((Code(text), Link(text, f"https://example.org/{'x' * 1500}"))),
            Listing((Item((Text(text),), (Item((Text(text),)),)),)),
            Table(((Text("a"),),), (((Text(text),),),)),
            Quote(((Text(text),),)),
            CodeBlock(text),
            Actions(
                (Button(text, "a"), Button("b", "b", text), Button("c", url="https://x/" + text))
            ),
        ),
    )
    parts = render(document)
    for part in parts:
        assert LIMIT.holds(part)
        check_blocks(json.loads(part.body))
    if character not in {" ", "\x00"}:
        assert sum(part.text.count(character) for part in parts) >= 8 * count


def test_many_blocks_make_many_messages():
    blocks = tuple(Paragraph((Text(f"p{number}"),)) for number in range(120))
    parts = render(Document(title="t", blocks=blocks))
    assert [len(json.loads(part.body)) for part in parts] == [50, 50, 20]


def test_many_buttons_make_many_rows():
    buttons = tuple(Button(f"b{number}", "explain", str(number)) for number in range(60))
    (part,) = render(Document(title="t", blocks=(Actions(buttons),)))
    assert [len(block["elements"]) for block in json.loads(part.body)] == [25, 25, 10]


def test_a_second_table_begins_a_second_message():
    table = Table(((Text("a"),),), (((Text("1"),),),))
    assert len(render(Document(title="t", blocks=(table, table)))) == 2


def test_a_long_table_goes_on_with_its_header():
    rows = tuple(((Text(f"row {number}"),), (Text("x" * 100),)) for number in range(150))
    parts = render(Document(title="t", blocks=(Table(((Text("name"),), (Text("v"),)), rows),)))
    tables = [json.loads(part.body)[0] for part in parts]
    assert len(tables) > 1
    assert all("name" in json.dumps(table["rows"][0]) for table in tables)
    assert sum(len(table["rows"]) - 1 for table in tables) == 150


def test_table_that_is_too_wide_is_a_list_of_rows_with_the_other_cells_below_the_first():
    cells = tuple((Text(f"c{number}"),) for number in range(21))
    (part,) = render(Document(title="t", blocks=(Table(cells, (cells,)),)))
    lists = [one for block in json.loads(part.body) for one in block["elements"]]
    words = [(one.get("indent", 0), json.dumps(item)) for one in lists for item in one["elements"]]
    assert len(words) == 42
    assert [depth for depth, _ in words] == [0, *[1] * 20] * 2


@pytest.mark.parametrize("length", range(40, 52))
def test_table_that_goes_on_was_as_long_as_slack_takes(length):
    rows = tuple(((Text(f"{number:03}" + "x" * length),),) for number in range(400))
    parts = render(Document(title="t", blocks=(Table(((Text("name"),),), rows),)))
    tables = [json.loads(part.body)[0]["rows"] for part in parts]
    assert len(tables) > 1
    for held, following in pairwise(tables):
        # Without the brackets around all rows.
        assert weight(held) - 2 <= LONGEST_LINE < weight([*held, following[1]]) - 2
        assert len(held) < MOST_ROWS


def test_a_line_of_many_short_pieces_is_split_where_it_is_full():
    spans = tuple(one for n in range(300) for one in (Text(f"text {n} "), Code(f"code{n}")))
    lines = [
        line.elements for line in lines_of(list_frame(ordered=False, depth=0), elements(spans))
    ]
    assert len(lines) > 1
    for line, following in pairwise(lines):
        assert weight(line) - 1 <= LONGEST_LINE < weight([*line, following[0]]) - 1


def test_an_aside_is_small_unless_it_has_a_link():
    spans = (Text("See "), Link("#1", f"{WEB}/pull/1"), Text("."))
    for said, kind in ((spans[::2], "context"), (spans, "rich_text")):
        (part,) = render(Document(title="t", blocks=(Paragraph(said, aside=True),)))
        assert [block["type"] for block in json.loads(part.body)] == [kind]


def test_a_list_gets_no_deeper_than_slack_shows_it():
    item = Item((Text("last"),))
    for _ in range(11):
        item = Item((Text("a"),), (item,))
    (part,) = render(Document(title="t", blocks=(Listing((item,)),)))
    depths = [one["indent"] for block in json.loads(part.body) for one in block["elements"]]
    assert (len(depths), max(depths)) == (9, 8)


def test_a_heading_goes_with_what_it_leads_to():
    filler = Paragraph((Text("word " * 2100),))
    last = Paragraph((Text("body " * 500),))
    blocks = (filler, Heading(2, (Text("Lead"),)), last)
    first, second = render(Document(title="t", blocks=blocks))
    assert "Lead" not in first.text
    assert second.text.startswith("Lead")


def test_an_entry_keeps_its_reason_where_a_list_is_split():
    items = tuple(
        Item((Text(f"change {n} "), Text("x" * 200)), (Item((Text(f"reason {n}."),)),))
        for n in range(80)
    )
    parts = render(Document(title="t", blocks=(Listing(items),)))
    assert len(parts) > 1
    for n in range(80):
        (where,) = [part for part in parts if f"change {n} " in part.text]
        assert f"reason {n}." in where.text


def test_an_ordered_list_goes_on_counting_where_it_is_split():
    items = tuple(Item((Text(f"entry {n} " + "x" * 300),)) for n in range(60))
    parts = render(Document(title="t", blocks=(Listing(items, ordered=True),)))
    lines = [line for part in parts for line in part.text.splitlines()]
    assert [line.split(".")[0] for line in lines] == [str(n + 1) for n in range(60)]


def test_an_empty_document_is_its_title():
    (part,) = render(Document(title="nothing happened", blocks=(Paragraph(()),)))
    assert part.text == "nothing happened"


@given(text=st.one_of(texts, st.text(min_size=3000, max_size=9000)))
def test_the_words_of_a_notification_are_escaped_whole(text):
    made = fallback(text.encode("utf-8", "replace").decode())
    assert "<" not in made
    assert ">" not in made
    assert made.count("&") == sum(made.count(one) for one in ("&amp;", "&lt;", "&gt;"))


def test_exactly_three_characters_are_escaped():
    assert escape("&<>\"'`*_~|@#") == "&amp;&lt;&gt;\"'`*_~|@#"


def test_a_page_that_is_too_long_says_so():
    blocks = tuple(Paragraph((Text(f"p{number}"),)) for number in range(300))
    made = home_blocks(Document(title="t", blocks=blocks))
    assert len(made) <= 100
    assert made[-1]["elements"][0]["text"] == "…"


def test_hostile_text_stays_as_it_is_written():
    for text in HOSTILE[5:7]:
        (part,) = render(Document(title="t", blocks=(Paragraph((Text(text),)),)))
        assert json.loads(part.body)[0]["elements"][0]["elements"] == [
            {"type": "text", "text": text}
        ]


if __name__ == "__main__":
    GOLDEN.mkdir(exist_ok=True)
    for sample in SAMPLES:
        (GOLDEN / f"{sample}.json").write_text(written(sample), encoding="utf-8")


@pytest.mark.parametrize(
    ("action", "url", "shown_"),
    [
        ("a" * 200, "", True),
        ("a" * 201, "", False),
        ("", "", False),
        ("", WEB, True),
        ("", "https://a.example/".ljust(2900, "b"), True),
        ("", "https://a.example/".ljust(3001, "b"), False),
    ],
)
def test_button_needs_an_address_or_an_action_that_fits(action, url, shown_):
    made = element(Button(label="Go", url=url, action=action), 1)
    assert (made is not None) is shown_
