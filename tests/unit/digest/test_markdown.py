"""Markdown that reads as the document does, whatever its texts are made of.

A second implementation of CommonMark reads what is written; it has raw HTML on, as GitHub has.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from digest.document import (
    Actions,
    Chart,
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
    chart_text,
)
from digest.markdown import GAP, address, clean, inline, markdown
from tests.support import strategies
from tests.support.samples import HOSTILE

PARSER = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
OURS = re.compile(r'<a id="[\w.-]*">|</a>|</?(?:strong|em)>|<!-- -->')


def render(*blocks) -> str:
    return markdown(Document(title="t", blocks=blocks))


def normal(text: str) -> str:
    return " ".join(text.replace(GAP, "").split())


def words_of(spans) -> str:
    return normal("".join(clean(s.text or s.url if isinstance(s, Link) else s.text) for s in spans))


def expected(block) -> list[str]:
    """The texts of a block in reading order."""
    match block:
        case Heading() | Paragraph():
            texts = [words_of(block.spans)]
        case Listing():
            texts = [t for item in block.items for t in _item(item)]
        case Table():
            texts = [words_of(cell) for row in (block.header, *block.rows) for cell in row]
        case Quote():
            texts = [words_of(p) for p in block.paragraphs]
        case CodeBlock():
            texts = [normal(" ".join(clean(line) for line in block.text.splitlines()))]
        case Chart():
            texts = [normal(" ".join(clean(line) for line in chart_text(block).splitlines()))]
        case Actions():
            texts = [normal(" · ".join(clean(b.label or b.url) for b in block.buttons if b.url))]
        case Image():
            texts = [normal(clean(block.alt))]
        case Divider():
            texts = []
    return [t for t in texts if t]


def _item(item: Item):
    yield words_of(item.spans)
    for child in item.children:
        yield from _item(child)


def read(text: str) -> list[str]:
    """The texts that a reader sees, in order."""
    out = []
    for token in PARSER.parse(text):
        if token.type == "inline":
            out.append(normal("".join(_seen(child) for child in token.children)))
        elif token.type in {"fence", "code_block"}:
            out.append(normal(" ".join(clean(line) for line in token.content.splitlines())))
    return [t for t in out if t]


def _seen(token) -> str:
    if token.type == "image":
        return "".join(_seen(child) for child in token.children or ())
    return {"softbreak": " ", "html_inline": ""}.get(token.type, token.content)


def tokens_of(text: str):
    for token in PARSER.parse(text):
        yield token
        yield from token.children or ()


def test_weight_before_a_span_without_words_heeds_what_follows_it():
    text = inline((Strong("on\\"), Text(""), Text("line")))
    assert read(text) == ["on\\line"]
    text = inline((Strong("on\\"), Link("", "javascript:alert(1)")))
    assert read(text) == ["on\\javascript:alert(1)"]


def test_a_link_behind_an_exclamation_mark_is_no_image():
    spans = (Text("Faster!"), Link("see", "https://example.org/"))
    text = markdown(Document(title="", blocks=(Paragraph(spans),)))
    assert [t.type for t in tokens_of(text) if t.type in {"image", "link_open"}] == ["link_open"]


@settings(max_examples=60, deadline=None)
@given(strategies.documents)
def test_any_document_reads_the_same_when_it_is_parsed(document):
    text = markdown(document)
    assert read(text) == [t for block in document.blocks for t in expected(block)]


@settings(max_examples=60, deadline=None)
@given(strategies.documents)
def test_no_markup_comes_out_of_texts(document):
    text = markdown(document)
    text.encode("utf-8")
    images = sum(isinstance(b, Image) for b in document.blocks)
    links = {address(u) for u in _addresses(document)}
    for token in tokens_of(text):
        if token.type in {"html_inline", "html_block"}:
            assert not OURS.sub("", token.content).strip()
        elif token.type == "image":
            images -= 1
        elif token.type == "link_open":
            assert token.attrs["href"] in {PARSER.normalizeLink(u) for u in links}
    assert images >= 0


def _addresses(document):
    def of(value):
        if isinstance(value, Link):
            yield value.url
        elif isinstance(value, tuple):
            for v in value:
                yield from of(v)
        elif isinstance(value, Item):
            yield from of(value.spans)
            yield from of(value.children)
        elif isinstance(value, Actions):
            yield from (b.url for b in value.buttons)
        else:
            for name in ("spans", "items", "header", "rows", "paragraphs"):
                yield from of(getattr(value, name, ()))

    for block in document.blocks:
        yield from of(block)


@pytest.mark.parametrize(
    "block",
    [
        Heading(2, (Text(HOSTILE),), "a b"),
        Paragraph((Text(HOSTILE), Strong(HOSTILE), Code(HOSTILE), Emphasis(HOSTILE))),
        Listing((Item((Text(HOSTILE),), (Item((Code(HOSTILE),)),)),)),
        Table(((Text(HOSTILE),),), (((Code(HOSTILE),),),)),
        Quote(((Text(HOSTILE),), (Text("> " + HOSTILE),))),
    ],
    ids=lambda b: type(b).__name__,
)
def test_hostile_words_stay_words(block):
    text = render(block)
    assert read(text) == expected(block)
    kinds = {t.type for t in tokens_of(text)}
    assert not kinds & {"link_open", "image", "s_open"}
    assert "@everyone" not in re.sub(r"`+.*?`+", "", text)
    assert "\u202e" not in text


@pytest.mark.parametrize(
    "words",
    [
        "# a", "#", "- a", "+ a", "* a", "1. a", "1) a", "> a", "---", "===", "***", "| a | b |",
        "```", "~~~", "    a", "\ta", "[a]: https://evil.example", "[ ] a", "[^1]: a", "<div>",
        "&amp; &#35;", "a\\", "\\", "a  ", "`", "``", "a_b_c", "_a_", "__a__", "http://a.example",
        "1986\\. a", "a\n# b", "a\n\n- b", "-", "+", "=", "1.", "a #", "a ##", "!", "![", ":tada:",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "make",
    [
        lambda s: Paragraph((s,)),
        lambda s: Heading(3, (s,)),
        lambda s: Listing((Item((s,)),)),
        lambda s: Quote(((s,),)),
        lambda s: Table(((s,),), (((s,),),)),
    ],
    ids=["paragraph", "heading", "list", "quote", "table"],
)
def test_what_begins_a_block_begins_none(words, make):
    block = make(Text(words))
    text = render(block)
    assert read(text) == expected(block)
    kinds = [t.type for t in tokens_of(text)]
    assert len([k for k in kinds if k.endswith("_open")]) == len(
        [t.type for t in tokens_of(render(make(Text("a")))) if t.type.endswith("_open")]
    )


@pytest.mark.parametrize(
    ("code", "written"),
    [
        ("a", "`a`"),
        ("`", "`` ` ``"),
        ("a`b", "``a`b``"),
        (" a ", "`  a  `"),
        ("", ""),
        ("a\nb", "`a b`"),
    ],
)
def test_code_keeps_backticks_and_blanks(code, written):
    assert render(Paragraph((Text("x"), Code(code), Text("y")))) == f"x{written}y\n"


def test_code_with_pipes_and_backslashes_stands_in_a_table():
    block = Table(((Text("h"),),), (((Code("a|b"),),), ((Code("a\\|b"), Text("\\|")),)))
    assert read(render(block)) == ["h", "a|b", "a\\|b\\|"]


@pytest.mark.parametrize(
    "spans",
    [
        (Code("a"), Code("b")),
        (Strong("a"), Strong("b")),
        (Emphasis("a"), Strong("b")),
        (Text("字"), Strong("“高”"), Text("字")),
        (Text("a"), Strong("(b)"), Text("c")),
        (Text("`"), Code("a")),
        (Strong(" a "), Text("b")),
        (Text("a*"), Strong("b")),
    ],
)
def test_neighbours_do_not_run_together(spans):
    text = render(Paragraph(spans))
    assert read(text) == [words_of(spans)]
    made = [t for t in tokens_of(text) if t.type in {"code_inline", "strong_open", "em_open"}]
    tags = re.findall(r"<(?:strong|em)>", text)
    assert len(made) + len(tags) == sum(not isinstance(s, Text) for s in spans)


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("https://a.example/b c", "https://a.example/b%20c"),
        ("https://a.example/(b)", "https://a.example/%28b%29"),
        ("report/2026.md", "report/2026.md"),
        ("#anchor", "#anchor"),
        ("javascript:alert(1)", ""),
        ("JavaScript:alert(1)", ""),
        ("java\tscript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("//evil.example", ""),
        ("https://[", ""),
        (" vbscript:x", ""),
    ],
)
def test_only_safe_addresses_are_linked(url, written):
    assert address(url) == written


def test_two_lists_in_a_row_stay_two():
    item = (Item((Text("a"),)),)
    tokens = [t.type for t in tokens_of(render(Listing(item), Listing(item)))]
    assert tokens.count("bullet_list_open") == 2


def test_anchor_stands_before_its_heading():
    assert render(Heading(2, (Text("A"),), "a")) == '<a id="a"></a>\n\n## A\n'


def test_code_block_fence_outgrows_its_text():
    text = render(CodeBlock("```\n````\nx", "py`thon"))
    assert read(text) == ["``` ```` x"]


def test_empty_document_is_empty():
    assert markdown(Document(title="t", blocks=())) == ""


@given(st.text(alphabet="@ab#/ -_", max_size=20))
def test_no_name_is_mentioned(words):
    assert not re.search(r"@[\w-]", render(Paragraph((Text(words),))))
