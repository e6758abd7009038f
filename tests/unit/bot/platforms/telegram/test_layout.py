"""What Telegram gets of a document: golden files, splitting, entities, buttons.

``python -m tests.unit.bot.platforms.telegram.test_layout`` writes the golden files anew.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bot.platforms.telegram import Config, create
from bot.platforms.telegram.escaping import JOINER
from bot.platforms.telegram.message_parts import _is_blank
from bot.util.sanitize import legible
from digest.core.enums import Language
from digest.core.grade import Level
from digest.document import (
    Actions,
    Button,
    Code,
    CodeBlock,
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
from digest.report.assembly import assemble
from digest.report.condensed import digest_document
from tests.servers.telegram_text import MOST_ENTITIES, taken, units
from tests.support import samples
from tests.support.strategies import HOSTILE, documents

GOLDEN = Path(__file__).parents[4] / "data" / "telegram"
SENDER = create(Config(token="123:abc"))
WEB = "https://forge.example/acme/engine"


def bodies(*blocks, title: str = "t") -> list[dict]:
    parts = SENDER.render(Document(title=title, blocks=blocks))
    return [json.loads(part.body) for part in parts]


def body(*blocks, title: str = "t") -> dict:
    (only,) = bodies(*blocks, title=title)
    return only


def of(content: dict, kind: str) -> list[str]:
    """The words in each entity of a kind, read back by offsets in UTF-16."""
    raw = content["text"].encode("utf-16-le")
    return [
        raw[2 * e["offset"] : 2 * (e["offset"] + e["length"])].decode("utf-16-le")
        for e in content["entities"]
        if e["type"] == kind
    ]


def digest(language: Language, where: str = "https://reports.example.org/1") -> Document:
    report = assemble(samples.REPOSITORY, "main", samples.DAY, samples.everything(), language)
    return digest_document(report, language, where, least=Level.LOW)


def answer() -> Document:
    return Document(
        title="Routing",
        blocks=(
            Heading(2, (Text("Routing: 👩‍👩‍👧 3 changes, see "), Code("router.py"))),
            Table(
                ((Text("When"),), (Text("Change"),), (Text("Level"),)),
                (
                    ((Text("01-23"),), (Text("Drop idle experts"),), (Strong("high"),)),
                    ((Text("01-22"),), (Text("重命名"),), (Text("low"),)),
                ),
            ),
            Paragraph((Strong("Risks"), Text(":"))),
            Listing(
                (
                    Item((Text("callers of "), Code("Router.pin()"), Text(" break"))),
                    Item((Text("@everyone who reads README.md"),), (Item((Emphasis("soon"),)),)),
                ),
                ordered=True,
            ),
            Quote(((Text("Idle experts held 3 GB."),), (Text("So they go."),))),
            Quote(((Text("A long story. " * 60),),)),
            CodeBlock("def f(x):\n    return x @ W\n", "python"),
            Paragraph((Link("Full report", "/srv/reports/1.md"),)),
            Actions(
                (
                    Button("Explain", action="explain", value="#812"),
                    Button("Full report", url=f"{WEB}/report"),
                    Button("Useful", action="useful", value="d1"),
                    Button("Mute", action="mute", value="topic " * 20),
                )
            ),
        ),
    )


def pages() -> dict[str, Document]:
    return {
        "digest_en": digest(Language.EN),
        "digest_zh": digest(Language.ZH),
        "answer": answer(),
    }


def written(document: Document) -> str:
    parts = [
        {"text": part.text.split("\n"), "body": json.loads(part.body)}
        for part in SENDER.render(document)
    ]
    return json.dumps(parts, ensure_ascii=False, indent=1) + "\n"


@pytest.mark.parametrize("name", pages())
def test_render_is_as_the_golden_file(name):
    assert written(pages()[name]) == (GOLDEN / f"{name}.json").read_text(encoding="utf-8")


# Words and their marks


def test_a_heading_is_bold_but_for_code_in_it():
    made = body(Heading(1, (Text("Why "), Code("x.py"), Text(" moved"))))
    assert of(made, "bold") == ["Why ", " moved"]
    assert of(made, "code") == ["x.py"]


def test_offsets_count_utf16_units():
    made = body(Paragraph((Text("👨‍👩‍👧 和 é: "), Strong("b👍old"), Code("x"))))
    assert of(made, "bold") == ["b👍old"]
    assert of(made, "code") == ["x"]


def test_neighbours_with_the_same_mark_are_one_entity():
    made = body(Paragraph((Code("a"), Code("b"), Text("c"))))
    assert made["entities"] == [{"type": "code", "offset": 0, "length": 2}]


def test_a_link_that_telegram_would_refuse_shows_its_address():
    made = body(
        Paragraph(
            (
                Link("local", "http://localhost:8080/r"),
                Link("file", "report.md"),
                Link("mail", "mailto:ada@forge.example"),
                Link("here", "#anchor"),
                Link("bad", "javascript:alert(1)"),
                Link("user", "tg://user?id=42"),
            )
        )
    )
    assert of(made, "text_link") == []
    assert of(made, "code") == ["http://localhost:8080/r", "report.md", "mailto:ada@forge.example"]
    assert "javascript" not in made["text"]
    assert "tg:" not in made["text"]


@pytest.mark.parametrize(
    "url", ["https://a.example", "http://a.example:80/x?y#z", "https://例子.中国/"]
)
def test_a_link_to_a_server_is_a_link(url):
    made = body(Paragraph((Link("there", url),)))
    assert made["entities"] == [{"type": "text_link", "offset": 0, "length": 5, "url": url}]


def test_a_link_without_words_shows_its_address():
    made = body(Paragraph((Link("", f"{WEB}/1"),)))
    assert made["text"].replace(JOINER, "") == f"{WEB}/1"


def test_a_short_quotation_is_open_and_a_long_one_folded():
    made = body(Quote(((Text("short"),), (Text("and sweet"),))), Quote(((Text("long " * 200),),)))
    assert of(made, "blockquote") == ["short\nand sweet"]
    assert len(of(made, "expandable_blockquote")) == 1


def test_quotations_side_by_side_stay_two():
    made = body(Quote(((Text("one"),),)), Quote(((Text("two"),),)))
    assert of(made, "blockquote") == ["one", "two"]


def test_code_keeps_its_lines_and_names_its_language():
    made = body(CodeBlock("a:\n\n    b @c\n", "Python"))
    assert made["text"] == "a:\n\n    b @c"
    assert made["entities"] == [{"type": "pre", "offset": 0, "length": 12, "language": "python"}]
    assert "language" not in body(CodeBlock("x", "py thon<"))["entities"][0]


def test_a_small_table_is_in_columns_and_a_wide_one_in_rows():
    head = ((Text("When"),), (Text("What"),))
    small = body(Table(head, (((Text("1"),), (Text("中文"),)), ((Text("22"),), (Text("b"),)))))
    assert of(small, "pre") == ["When  What\n──────────\n1     中文\n22    b"]
    wide = body(Table(head, tuple(((Text("1"),), (Link("w" * 40, WEB),)) for _ in range(3))))
    assert wide["text"].split("\n")[0] == "When · What"
    assert of(wide, "text_link") == ["w" * 40] * 3
    tall = body(Table(head, tuple(((Text("1"),), (Link("w" * 40, WEB),)) for _ in range(20))))
    (folded,) = of(tall, "expandable_blockquote")
    assert folded.count("\n") == 19


def test_an_item_with_a_sign_of_its_own_has_no_bullet():
    listing = Listing((Item((Text("🔴 one"),)), Item((Text("two"),))))
    assert body(listing)["text"] == "🔴 one\n• two"


def test_each_level_of_a_list_has_its_bullet_and_the_last_stands_for_deeper_ones():
    item = Item((Text("e"),))
    for word in "dcba":
        item = Item((Text(word),), (item, Item((Text("x"),))))
    lines = [line for line in body(Listing((item,)))["text"].splitlines() if "x" not in line]
    assert lines == ["• a", "  ◦ b", "    ▪ c", "    ▪ d", "    ▪ e"]


def test_a_line_below_each_item_needs_no_bullet_and_more_lines_do():
    one = Listing((Item((Text("a"),), (Item((Text("why"),)),)), Item((Text("b"),))))
    assert body(one)["text"] == "• a\nwhy\n\n• b"
    two = Listing((Item((Text("a"),), (Item((Text("c"),)), Item((Text("d"),)))),))
    assert body(two)["text"] == "• a\n  ◦ c\n  ◦ d"


def test_a_picture_is_a_link_with_its_words():
    made = body(Image("https://x.example/i.png", "a graph"))
    assert of(made, "text_link") == ["🖼 a graph"]


@pytest.mark.parametrize(
    "spans",
    [
        (Text("@"), Strong("durov")),
        (Strong("@du"), Text("rov")),
        (Emphasis("/"), Text("start")),
        (Text("#12"), Strong("abc")),
        (Text("$"), Text("A")),
        (Text("README"), Strong(".md")),
        (Text("README."), Strong("md")),
        (Text("https:"), Strong("//evil.zone")),
        (Text("https:/"), Strong("/evil.zone")),
        (Text("tg:"), Emphasis("//resolve")),
        (Text("10.0"), Text(".0.1")),
        (Text("@"), Link("durov", WEB)),
        (Link("@", WEB), Text("durov")),
        (Text("@"), Code("durov")),
        (Code("@"), Text("durov")),
    ],
    ids=str,
)
def test_nothing_acts_that_begins_in_one_span_and_ends_in_the_next(spans):
    for blocks in (
        (Paragraph(spans),),
        (Heading(1, spans),),
        (Listing((Item(spans, (Item(spans),)),)),),
        (Quote((spans, spans)),),
        (Table((spans, spans), ((spans, spans),)),),
    ):
        made = body(*blocks)
        _, entities = taken(made["text"], made["entities"])
        assert len(entities) == len(made["entities"]), blocks


# Buttons


def test_buttons_carry_their_action_or_their_address():
    made = body(
        Paragraph((Text("x"),)),
        Actions((Button("Explain", action="explain", value="#8"), Button("Open", url=WEB))),
    )
    assert made["text"] == "x"
    assert made["buttons"] == [
        [{"text": "Explain", "data": "explain #8"}, {"text": "Open", "url": WEB}]
    ]


@pytest.mark.parametrize(
    "button",
    [
        Button("Mute", action="mute", value="长" * 22),
        Button("Mute", action="two words", value="x"),
        Button("Mute", action="mute", value="a\nb"),
        Button("Open", url="http://localhost/x"),
        Button("L" * 100, action="mute"),
        Button(" ", action="mute", value="x"),
    ],
)
def test_what_cannot_be_a_button_is_words(button):
    made = body(Paragraph((Text("x"),)), Actions((button,)))
    assert made["buttons"] == []
    wanted = [button.label.strip(), button.url or button.value.replace("\n", " ")]
    assert all(word in made["text"] for word in wanted)


def test_a_value_of_64_bytes_still_fits():
    made = body(Actions((Button("M", action="mute", value="x" * 59),)))
    assert len(made["buttons"][0][0]["data"].encode()) == 64


def test_buttons_stand_in_rows_that_a_phone_has_room_for():
    labels = ["Explain", "Full report", "Useful", "Not useful", "A very long label indeed"]
    made = body(Actions(tuple(Button(label, action="a") for label in labels)))
    assert [[key["text"] for key in row] for row in made["buttons"]] == [
        labels[:3],
        labels[3:4],
        labels[4:],
    ]


def test_buttons_without_words_get_the_title():
    made = body(Actions((Button("Go", action="go"),)), title="Pick @one")
    assert made["text"] == f"Pick @{JOINER}one"
    assert body(title=" ")["text"] == "—"


# Splitting


def test_no_text_is_cut_where_a_better_place_is_near():
    items = tuple(Item((Text(f"{n} " + "word " * 30),), (Item((Text("why"),)),)) for n in range(60))
    parts = bodies(Heading(1, (Text("Title"),)), Listing(items))
    assert len(parts) > 2
    for part in parts[1:]:
        assert part["text"].startswith("• ")
    assert all(part["text"].endswith("why") for part in parts)


def test_a_heading_stays_with_what_it_is_about():
    blocks = []
    for n in range(40):
        blocks += [Heading(3, (Text(f"Heading {n}"),)), Paragraph((Text("word " * 50),))]
    for part in bodies(*blocks):
        assert not part["text"].split("\n")[-1].startswith("Heading")


def test_a_message_has_at_most_100_entities():
    parts = bodies(
        Paragraph(tuple(span for n in range(300) for span in (Code(f"c{n}"), Text(" "))))
    )
    assert [len(part["entities"]) <= MOST_ENTITIES for part in parts] == [True] * len(parts)
    assert [word for part in parts for word in of(part, "code")] == [f"c{n}" for n in range(300)]


def test_a_quotation_over_several_messages_is_one_in_each():
    parts = bodies(Quote(tuple((Text(f"paragraph {n} " + "x" * 200),) for n in range(60))))
    assert len(parts) > 2
    for part in parts:
        assert of(part, "expandable_blockquote") == [part["text"]]


def test_a_word_without_end_is_cut_between_symbols():
    parts = bodies(Paragraph((Strong("👍" * 5000),)))
    assert "".join(part["text"] for part in parts) == "👍" * 5000
    assert all(of(part, "bold") == [part["text"]] for part in parts)


HOSTILE_HERE = (
    *HOSTILE,
    "@durov_ and @channel_name",
    "/start /mute@digest_bot now",
    "see README.md, t.me/durov or https://t.me/+abc?x=y",
    "tg://user?id=42 tg:resolve",
    "#security $USD ada@forge.example 10.0.0.1",
    "\u2800\u3000\xa0",
    "\n\n   \n",
)
NOTHING_TO_SEE = Document(title="", blocks=(Heading(1, ()),), language=Language.EN)
texts = st.lists(st.sampled_from(HOSTILE_HERE) | st.text(max_size=20), max_size=6).map(" ".join)


@settings(max_examples=150, deadline=None)
@example(document=NOTHING_TO_SEE, title="\u2800\u3000\xa0", extra="")
@given(document=documents, title=texts, extra=texts)
def test_any_document_is_taken_by_the_server_as_it_is(document, title, extra):
    whole = replace(
        document,
        title=title,
        blocks=(*document.blocks, Paragraph((Text(extra), Strong(extra), Emphasis(extra)))),
    )
    for part in SENDER.render(whole):
        made = json.loads(part.body)
        text, entities = taken(made["text"], made["entities"])
        assert units(text) <= 4096
        assert {e.type for e in entities} <= {
            *("bold", "italic", "code", "pre", "text_link", "blockquote", "expandable_blockquote")
        }
        assert len(entities) == len(made["entities"]) <= MOST_ENTITIES


scraps = st.sampled_from(
    [
        "@",
        "/",
        "#",
        "$",
        ".",
        ":",
        "//",
        "a",
        "bob",
        "USD",
        "9",
        "_",
        "中",
        "http",
        "tg",
        "md",
        "com",
    ]
)
crumbs = st.lists(
    st.one_of(*(st.builds(kind, scraps) for kind in (Text, Strong, Emphasis, Code)))
    | st.builds(Link, scraps, st.sampled_from([WEB, "x.md", "#a"])),
    min_size=1,
    max_size=8,
).map(tuple)


@settings(max_examples=300, deadline=None)
@given(crumbs)
def test_nothing_acts_however_words_are_cut_into_spans(spans):
    for blocks in ((Paragraph(spans),), (Heading(2, spans),), (Table((spans,), ((spans,),)),)):
        made = body(*blocks)
        _, entities = taken(made["text"], made["entities"])
        assert len(entities) == len(made["entities"])


@settings(max_examples=60, deadline=None)
@given(words=st.lists(texts, min_size=1, max_size=40))
def test_splitting_loses_no_text(words):
    items = tuple(Item((Text(word), Code(word)), (Item((Strong(word * 3),)),)) for word in words)
    parts = bodies(Listing(items))
    said = Counter("".join(part["text"] for part in parts))
    wanted = Counter(legible("".join(word * 5 for word in words)))
    # Of blanks alone Telegram makes no message, and those at the end of one are cut off.
    for blank in [char for char in wanted if _is_blank(char)]:
        del wanted[blank]
    assert wanted <= said


# Time


if __name__ == "__main__":
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for page, made in pages().items():
        (GOLDEN / f"{page}.json").write_text(written(made), encoding="utf-8")
