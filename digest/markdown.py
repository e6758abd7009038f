"""A document as GitHub-flavoured Markdown (https://github.github.com/gfm/).

Words cannot produce markup, HTML, links, images, table cells or mentions. GitHub finds mentions in
the finished page, where no escape helps, so a zero-width space separates ``@`` from the name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from unicodedata import category
from urllib.parse import quote, urlsplit

from digest import document as doc

GAP = "\u200b"  # an invisible zero-width space that separates characters

# Line breaks and tabs are blanks; other control characters, bidirectional overrides (which can
# make text read as another, CVE-2021-42574) and lone surrogates (bytes that were no UTF-8) are
# shown as U+FFFD.
_BLANK = re.compile(r"[\s\x1c-\x1f\x85\u2028\u2029]+")
_UNSEEN = re.compile(
    r"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)

_SPECIAL = re.compile(
    r"[\\`*\[\]<~$]"  # markup at any position
    r"|(?<![^\W_])_|_(?![^\W_])"  # an underscore inside a word is no markup
    r"|!(?=\[)|&(?=[#\w])"  # images and entities
    r"|(?<=[A-Za-z]):(?=//)"  # bare addresses: https://, ftp://
    r"|(?<=www)\.|(?<=mailto):|(?<=xmpp):",
    re.IGNORECASE,
)
_MENTION = re.compile(r"@(?=[\w-])")
_START = re.compile(r"(?:[-+=#>]|\d{1,9}(?=[.)]))")
_TICKS = re.compile(r"`+")
_URL_SAFE = "/:?#@!$&'*+,;=%~-._"


def markdown(document: doc.Document) -> str:
    """The document as Markdown text that ends with a line feed; an empty document is empty."""
    parts: list[str] = []
    before: doc.Block | None = None
    for block in document.blocks:
        render = _BLOCKS[type(block)]
        text = render(block)
        if not text:
            continue
        if isinstance(before, doc.Listing) and isinstance(block, doc.Listing):
            parts.append("<!-- -->")  # otherwise the two lists would become one
        parts.append(text)
        before = block
    return "\n\n".join(parts) + "\n" if parts else ""


def clean(text: str) -> str:
    """The text on one line, with what cannot be shown made visible."""
    if text.isprintable():  # nearly all texts, and none of those that need care
        return text
    return _UNSEEN.sub("\ufffd", _BLANK.sub(" ", text))


@lru_cache(maxsize=4096)
def escape(text: str) -> str:
    """Words escaped for any position except the start of a line."""
    text = _SPECIAL.sub(r"\\\g<0>", clean(text))
    return _MENTION.sub("@" + GAP, text) if "@" in text else text


def inline(spans: Sequence[doc.Span], *, cell: bool = False) -> str:
    """Spans on one line, for the inside of a block; ``cell`` for a table's cell."""
    # A table takes every bare ``|`` as its own, in code too (GFM, section 4.10).
    out = ""
    for at, span in enumerate(spans):
        if isinstance(span, doc.Text):
            piece = escape(span.text)
        elif isinstance(span, doc.Code):
            piece = code(span.text)
        elif isinstance(span, doc.Link):
            piece = _link(span)
        else:
            after = next(filter(None, (clean(_words(one))[:1] for one in spans[at + 1 :])), "")
            piece = _weighty(span, out[-1:], after)
        if cell:
            piece = piece.replace("|", "\\|")
        joined = out[-1:] + piece[:1]
        if joined in {"``", "**", "!["}:
            out += GAP  # runs of the same mark would be read as one, "!" and a link as an image
        out += piece
    return out


def _parts(neighbour: str) -> bool:
    """Whether a mark beside punctuation works next to this character, or next to nothing."""
    return not neighbour or neighbour.isspace() or category(neighbour)[0] == "P"


def _weighty(span: doc.Strong | doc.Emphasis, before: str, after: str) -> str:
    """Bold or italic words: by asterisks if the flanking rules allow it, otherwise by a tag."""
    # Asterisks inside a word, or beside punctuation that touches one (as Chinese often has it), are
    # read as literal asterisks (GFM, section 6.4).
    mark, tag = ("**", "strong") if isinstance(span, doc.Strong) else ("*", "em")
    words = clean(span.text)
    inner = words.strip()
    if not inner:
        return " " if words else ""
    lead, trail = words[: len(words) - len(words.lstrip())], words[len(words.rstrip()) :]
    opens = inner[0].isalnum() or bool(lead) or _parts(before)
    closes = inner[-1].isalnum() or bool(trail) or _parts(after)
    inner = escape(inner)
    if opens and closes and before != "*" and after != "*":
        return f"{lead}{mark}{inner}{mark}{trail}"
    return f"{lead}<{tag}>{inner}</{tag}>{trail}"


@lru_cache(maxsize=4096)
def code(text: str) -> str:
    """Text as a code span, fenced by more backticks than it has in a row."""
    text = clean(text)
    if not text.strip():
        return text
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * (longest + 1)
    pad = " " if text[0] == "`" or text[-1] == "`" or (text[0] == text[-1] == " ") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _words(span: doc.Span) -> str:
    return span.text or (span.url if isinstance(span, doc.Link) else "")


def _link(link: doc.Link) -> str:
    url = address(link.url)
    words = escape(_words(link))
    return f"[{words}]({url})" if url else words


@lru_cache(maxsize=4096)
def address(url: str) -> str:
    """An address that is safe in a link, or empty: ``https``, ``http``, relative or anchor."""
    url = _UNSEEN.sub("", url.strip())
    try:
        scheme = urlsplit(url).scheme.lower()
    except ValueError:
        return ""
    if scheme not in {"", "http", "https"} or url.startswith("//"):
        return ""
    return quote(url, safe=_URL_SAFE)


def _line(spans: Sequence[doc.Span]) -> str:
    """Spans as a block's only line: what would begin another kind of block is escaped."""
    text = inline(spans).strip()
    begin = _START.match(text)
    if begin and isinstance(next((span for span in spans if span.text.strip()), None), doc.Text):
        digits = begin[0].isdigit()
        text = f"{begin[0]}\\{text[begin.end() :]}" if digits else "\\" + text
    return text


def _heading(block: doc.Heading) -> str:
    level = min(max(block.level, 1), 6)
    text = inline(block.spans).strip()
    bare = text.rstrip("#")
    if bare != text and isinstance(block.spans[-1], doc.Text):
        text = bare + "\\#" * (len(text) - len(bare))  # a run of # at the end would be dropped
    line = f"{'#' * level} {text}"
    anchor = re.sub(r"[^\w.-]", "-", block.anchor)
    return f'<a id="{anchor}"></a>\n\n{line}' if anchor else line


def _items(items: Sequence[doc.Item], *, ordered: bool, indent: str = "") -> list[str]:
    out = []
    for number, item in enumerate(items, 1):
        mark = f"{number}. " if ordered else "- "
        out.append(f"{indent}{mark}{_line(item.spans)}".rstrip())
        out += _items(item.children, ordered=False, indent=indent + " " * len(mark))
    return out


def _table(block: doc.Table) -> str:
    rows = [_row(block.header), "|" + " --- |" * len(block.header)]
    rows += [_row(row) for row in block.rows]
    return "\n".join(rows)


def _row(cells: Sequence[doc.Spans]) -> str:
    return "| " + " | ".join(inline(cell, cell=True).strip() for cell in cells) + " |"


def _quote(block: doc.Quote) -> str:
    return "\n>\n".join(f"> {_line(spans)}" for spans in block.paragraphs)


def _code_block(block: doc.CodeBlock) -> str:
    text = _UNSEEN.sub("\ufffd", block.text.replace("\r\n", "\n"))
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    language = re.sub(r"[^\w+#.-]", "", block.language)
    return f"{fence}{language}\n{text.rstrip(chr(10))}\n{fence}"


def _actions(block: doc.Actions) -> str:
    """Buttons with addresses as links; a page has no use for the others."""
    return " · ".join(_link(doc.Link(b.label, b.url)) for b in block.buttons if b.url)


def _image(block: doc.Image) -> str:
    url = address(block.url)
    return f"![{escape(block.alt)}]({url})" if url else escape(block.alt)


_BLOCKS: dict[type, Callable[..., str]] = {
    doc.Heading: _heading,
    doc.Paragraph: lambda block: _line(block.spans),
    doc.Listing: lambda block: "\n".join(_items(block.items, ordered=block.ordered)),
    doc.Table: _table,
    doc.Quote: _quote,
    doc.CodeBlock: _code_block,
    doc.Divider: lambda _: "---",
    doc.Actions: _actions,
    doc.Image: _image,
    doc.Chart: lambda block: _code_block(doc.CodeBlock(doc.chart_text(block))),
}
