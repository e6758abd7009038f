"""Cards: what a person sees in them is what the document says, and nothing in it acts."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings

from bot.feishu_card.card import (
    MOST_COMPONENTS,
    Style,
    mark_of,
    pieces,
    render,
    weight,
    with_identity,
)
from bot.feishu_card.card_text import escape
from bot.util.sanitize import web_url
from digest.document import (
    Actions,
    Button,
    Code,
    CodeBlock,
    Divider,
    Document,
    Emphasis,
    Heading,
    Item,
    Link,
    Listing,
    Paragraph,
    Strong,
    Table,
    Text,
)
from tests.contract.test_platforms import letters, words
from tests.servers.feishu_cards import check, see_body
from tests.support.samples_documents import answer_en, answer_zh, digest_en, digest_zh
from tests.support.strategies import documents

APP = Style(size=28_000, interactive=True)
SMALL = Style(size=18_000, interactive=False)
GOLDEN = Path(__file__).parents[3] / "data" / "feishu"


def one(*blocks, style=APP):
    (part,) = render(Document(title="t", blocks=blocks), style)
    return part


def seen(*spans):
    """What a person sees of a paragraph."""
    return see_body(one(Paragraph(spans)).body)


@pytest.mark.parametrize("style", [APP, SMALL])
@settings(max_examples=60, deadline=None)
@given(document=documents)
def test_what_is_seen_is_what_the_document_says(style, document):
    parts = render(document, style)
    shown = [see_body(part.body) for part in parts]
    wanted = letters("".join(words(document)))
    assert Counter(wanted) <= Counter(letters("".join(one.text for one in shown)))
    for part, card in zip(parts, shown, strict=True):
        check(json.loads(part.body), callbacks=style.interactive)
        assert not card.acts
        assert weight(json.loads(part.body)) <= style.size


@settings(max_examples=100, deadline=None)
@given(document=documents)
def test_a_line_of_words_becomes_no_other_block(document):
    for block in document.blocks:
        if isinstance(block, Paragraph):
            card = see_body(one(block).body)
            assert set(card.marks) <= {"strong_open", "em_open"}


@pytest.mark.parametrize(
    "text",
    [
        '<at id="all"></at>',
        "<at user_id='ou_1'>x</at> @all",
        "&lt;at id=all&gt;",
        "**b** _i_ ~~s~~ `c`",
        "[x](https://evil.example) ![y](https://evil.example/p.png)",
        "https://evil.example www.evil.example",
        "# h",
        "- a",
        "+ a",
        "1. a",
        "12) a",
        "> q",
        "---",
        "===",
        "    code",
        "```\ncode",
        "| a | b |\n|---|---|",
        ":OK: std::vector 12:30",
        "snake_case __init__ _x",
        "a\\*b",
        "<font color='red'>x</font><hr><br>",
        "&amp; &#60; &nbsp;",
        "$$x$$ ${name}",
        "!",
    ],
)
@pytest.mark.parametrize("span", [Text, Strong, Emphasis, Code])
def test_text_is_seen_as_written(span, text):
    card = seen(span(text))
    assert letters(card.text) == letters(text)
    assert not card.acts
    assert not card.links


def test_a_link_after_an_exclamation_is_no_image():
    card = seen(Text("look!"), Link("here", "https://x.example/"))
    assert card.text.strip() == "look!here"
    assert card.links == [("here", "https://x.example/")]


@pytest.mark.parametrize(
    ("before", "inside", "after"),
    [("中", "文字。", "文"), ("a", "(b)", "c"), ("x", "`y`", "z"), ("", "*", "a"), ("`", "b", "`")],
)
@pytest.mark.parametrize("span", [Strong, Emphasis])
def test_marks_work_between_any_characters(span, before, inside, after):
    card = seen(Text(before), span(inside), Text(after))
    assert letters(card.text) == letters(before + inside + after)
    assert card.marks == ["strong_open" if span is Strong else "em_open"]


@pytest.mark.parametrize(
    "spans",
    [
        (Strong("a"), Strong("b")),
        (Emphasis("a"), Strong("b")),
        (Strong("a"), Emphasis("b")),
        (Code("a"), Code("b")),
        (Strong("a"), Code("b"), Strong("c")),
    ],
)
def test_neighbours_are_not_read_as_one(spans):
    assert letters(seen(*spans).text) == "".join(span.text for span in spans)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://x.example/a_(b)?c=d&e=f#g", "https://x.example/a_%28b%29?c=d&e=f#g"),
        ("https://x.example/a b", "https://x.example/ab"),
        ("https://x.example/<at>", "https://x.example/%3Cat%3E"),
        ("https://x.example/中", "https://x.example/%E4%B8%AD"),
        ("https://x.example/100%25", "https://x.example/100%25"),
        ("javascript:alert(1)", ""),
        ("report.md", ""),
        ("#anchor", ""),
        ("https:///x", ""),
        ("https://x.example/" + "a" * 2000, ""),
    ],
)
def test_addresses_open_the_web_alone(url, shown):
    assert web_url(url) == shown


def test_an_address_that_cannot_be_opened_is_told():
    card = seen(Link("the report", "reports/2026-01-23.md"))
    assert card.text.strip() == "the report (reports/2026-01-23.md)"


def test_the_first_heading_is_the_header_unless_it_leads_somewhere():
    rest = Paragraph((Text("x"),))
    plain = json.loads(one(Heading(1, (Text("a <b>"),)), rest).body)
    assert plain["header"]["title"] == {"tag": "plain_text", "content": "a <b>"}
    linked = one(Heading(1, (Link("#1", "https://x.example/1"),)), rest)
    assert "header" not in json.loads(linked.body)
    assert see_body(linked.body).links == [("#1", "https://x.example/1")]


def test_list_items_keep_their_depth_below_any_number():
    deep = Item((Text("c"),), (Item((Text("d"),)),))
    items = tuple(Item((Text(f"a{n}"),), (Item((Text("b"),), (deep,)),)) for n in range(120))
    parts = render(Document(title="t", blocks=(Listing(items, ordered=True),)), APP)
    cards = [see_body(part.body) for part in parts]
    assert not [mark for card in cards for mark in card.marks if mark == "code_block"]
    assert sum(card.marks.count("bullet_list_open") for card in cards) == 120 * 3


def test_an_ordered_list_counts_from_one():
    listing = Listing((Item((Text("a"),)), Item((Text("b"),))), ordered=True)
    assert one(listing).text.splitlines() == ["1. a", "2. b"]


def test_buttons_open_or_come_back():
    actions = Actions(
        (
            Button("Explain", action="explain", value="#1"),
            Button("Report", url="https://x.example/r"),
            Button("Nowhere", url="javascript:alert(1)"),
        )
    )
    card = see_body(one(actions).body)
    assert card.buttons == [
        {"label": "Explain", "type": "callback", "value": {"action": "explain", "value": "#1"}},
        {"label": "Report", "type": "open_url", "default_url": "https://x.example/r"},
    ]
    assert "Nowhere" in card.text


def test_only_buttons_that_feishu_takes_whole_come_back():
    """A value that is too long to come back is told in words, and so is a label too long to read."""
    given = [("a" * 60, "1" * 400), ("b" * 61, "#1"), ("c", "2" * 401)]
    buttons = (Button(label, action="explain", value=value) for label, value in given)
    card = see_body(one(Actions(tuple(buttons))).body)
    assert [button["label"] for button in card.buttons] == ["a" * 60, "b" * 59 + "…"]
    assert "b" * 61 in card.text
    assert "2" * 401 in card.text


def test_where_nothing_comes_back_an_action_is_told_in_words():
    card = see_body(one(Actions((Button("Explain", "explain", "#1"),)), style=SMALL).body)
    assert not card.buttons
    assert card.text.split() == ["Explain", "explain", "#1"]


def test_code_that_could_be_a_tag_is_plain_text():
    fenced, plain = one(CodeBlock("a = 1\nb = 2", "python")), one(CodeBlock("<at id=all></at>"))
    assert see_body(fenced.body).marks == ["fence"]
    assert json.loads(plain.body)["body"]["elements"][0]["tag"] == "div"


def test_narrow_table_stands_in_columns():
    table = Table(((Text("Day"),), (Text("All"),)), (((Text("01-23"),), (Text("36"),)),))
    found = see_body(one(table).body)
    assert found.marks == ["fence"]
    assert found.text.split("\n")[:3] == ["Day    All", "──────────", "01-23  36"]


def test_list_of_signed_entries_has_no_bullets():
    entry = Item((Text("🔴 Raise it"),), (Item((Text("Why."),)),))
    found = see_body(one(Listing((entry, entry))).body)
    assert found.marks == []
    assert found.text.split("\n")[:2] == ["🔴 Raise it", "Why."]


def test_entries_below_a_signed_one_have_bullets_where_there_are_several():
    below = (Item((Text("this"),)), Item((Text("that"),)))
    found = see_body(one(Listing((Item((Text("🔴 Raise it"),), below),))).body)
    assert found.marks == ["bullet_list_open"]
    assert found.text.split() == ["🔴", "Raise", "it", "this", "that"]


def test_aside_is_small():
    small = json.loads(one(Paragraph((Text("5 of 36"),), aside=True)).body)
    assert small["body"]["elements"][0]["text_size"] == "notation"


def test_a_wide_table_is_a_line_for_each_row():
    table = Table(
        ((Text("Name"),), (Text("Was"),)), (((Code("a"),), (Link("1", "https://x.org/1"),)),)
    )
    assert see_body(one(table).body).text.split() == ["Name", "·", "Was", "a", "·", "1"]


def test_a_heading_stands_with_what_it_leads_to():
    paragraphs = [Paragraph((Text("x" * 780),)) for _ in range(40)]
    for spare in range(30, 38):
        blocks = [*paragraphs[:spare], Heading(2, (Text("next"),)), *paragraphs[spare:]]
        for part in render(Document(title="t", blocks=tuple(blocks)), APP):
            assert "text_size" not in json.loads(part.body)["body"]["elements"][-1]
            assert not part.text.endswith("next")


def test_headings_of_high_levels_are_large():
    title, *names = "day", "week", "part"
    heads = [Heading(level, (Text(name),)) for level, name in enumerate([title, *names], 1)]
    card = json.loads(one(*heads).body)
    assert card["header"]["title"]["content"] == title
    assert [part.get("text_size") for part in card["body"]["elements"][:2]] == ["heading", None]


def test_many_components_make_several_cards():
    parts = render(Document(title="t", blocks=(Divider(),) * (MOST_COMPONENTS + 1)), APP)
    assert len(parts) == 2


@pytest.mark.parametrize("count", [1, 5, 6, 7, 12])
def test_component_counts_with_every_one_that_it_holds(count):
    def tags(value) -> int:
        if isinstance(value, list):
            return sum(map(tags, value))
        if not isinstance(value, dict):
            return 0
        return ("tag" in value and value["tag"] != "plain_text") + sum(map(tags, value.values()))

    buttons = tuple(Button(f"b{n}", action="explain", value=str(n)) for n in range(count))
    found = list(pieces([Paragraph((Text("a"),)), Divider(), Actions(buttons)], interactive=True))
    assert [piece.places for piece in found] == [tags(piece.component) for piece in found]
    assert max(len(piece.component.get("columns", ())) for piece in found) == min(count, 6)


def test_an_identity_fits_into_the_id_of_a_component():
    identity = "0123456789abcdef" * 2
    mark = mark_of(identity)
    assert len(mark) <= 20
    body = one(Paragraph((Text("x"),))).body
    assert json.loads(with_identity(body, identity))["body"]["elements"][0]["element_id"] == mark
    assert with_identity(body, "") == body


def test_escaped_leaves_no_mark_but_entities():
    assert escape("a<b>&c") == "a&#60;b&#62;&#38;c"


@pytest.mark.parametrize(
    ("name", "document"),
    [
        ("digest_en", digest_en),
        ("digest_zh", digest_zh),
        ("answer_en", answer_en),
        ("answer_zh", answer_zh),
    ],
)
def test_cards_are_as_the_golden_ones(name, document):
    cards = [json.loads(part.body) for part in render(document(), APP)]
    assert json.dumps(cards, ensure_ascii=False, indent=1) + "\n" == (
        GOLDEN / f"{name}.json"
    ).read_text(encoding="utf-8")
