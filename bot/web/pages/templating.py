"""The templates: Jinja2 with every value escaped, and the functions they call."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache, lru_cache, partial
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from bot.util.page_links import path_of, week_name, within
from bot.web.pages.charts import bars, columns, linked_bars, rows
from bot.web.pages.page_request import PageRequest
from bot.web.pages.page_text import FREQUENCIES, MARKS, PHRASES, STATES, day_words
from digest.core.enums import Language
from digest.core.facts import Area
from digest.core.grade import Level
from digest.document import Code, Emphasis, Link, Span, Strong, Text
from digest.i18n.statement_text import AREAS, LEVEL_TITLES, LEVELS
from digest.markdown import address, clean
from digest.window import minute

STATIC = "static"
_LONG = 25  # characters of a name that may not fit beside others on a small screen
_JOINT = re.compile(r"([_./]+)(?=\w)")
_FLAG = r"(?<![\w-])--[A-Za-z][\w-]*+(?:=[\w-]++(?:[.,:/][\w-]++)*+)?"
_NAME = r"(?<![\w./:@#-])(?=[\w.]*[^\W_]_[^\W_])[A-Za-z_]\w*+(?:\.\w++)*+(?![/-])"
_DATE = r"(?<![\w-])\d{4}-\d\d-\d\d(?: \d\d:\d\d(?: [A-Z]{3,5})?)?(?![\w-])"
_FLAGS, NAMES = (re.compile(f"({one}|{_DATE})", re.ASCII) for one in (_FLAG, f"{_FLAG}|{_NAME}"))
"""A flag or a name with underscores that its author did not mark as code. As code all names look
alike, and a flag is not broken after its hyphens. In links only flags are: others name files."""

_CODE = "<code>(?:[^<]++|<(?!/code))*+</code>"
OPENING, CLOSING = "“（(《「", "。，、；：！？）”》」.,;:!?)"
_POINTED = re.compile(rf"[{OPENING}]{_CODE}[{CLOSING}]*|{_CODE}[{CLOSING}]+")
"""Code with the punctuation that belongs onto its line."""

_TAGS = {Strong: "strong", Emphasis: "em", Code: "code"}


@cache
def files_by_name() -> dict[str, bytes]:
    """The files that pages load, by name."""
    folder = files(__package__) / STATIC
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def _style() -> str:
    content = b"".join(content for _, content in sorted(files_by_name().items()))
    templates = files(__package__) / "templates"
    for name in sorted(file.name for file in templates.iterdir()):
        content += (templates / name).read_bytes()
    return hashlib.blake2b(content, digest_size=6).hexdigest()


STYLE = _style()
"""A hash of files and templates; it is part of file addresses, so their content never changes."""


def spans_markup(spans: Sequence[Span], words: re.Pattern[str] | None = None) -> Markup:
    """Spans as markup; invisible characters are made visible, and ``words`` are marked.

    No line begins with the full stop after a name.
    """
    text = Markup("").join(_span(span, words) for span in spans)
    return Markup(_POINTED.sub(r'<span class="pointed">\g<0></span>', str(text)))  # noqa: S704 - escaped


@lru_cache(maxsize=8192)
def _span(span: Span, words: re.Pattern[str] | None) -> Markup:
    if isinstance(span, Code):
        text = _name(span.text, words)
    else:
        names = _FLAGS if isinstance(span, Link) else NAMES
        pieces = enumerate(names.split(clean(span.text)))
        text = Markup("").join(
            _whole(one, words) if n % 2 else mark_words(one, words) for n, one in pieces
        )
    if isinstance(span, Link):
        url = address(span.url)
        if not url:
            return text
        return Markup('<a href="{}" rel="noopener nofollow">{}</a>').format(url, text)
    tag = _TAGS.get(type(span))
    # The tag names are ours.
    return Markup(f"<{tag}>{text}</{tag}>") if tag else text  # noqa: S704


def _whole(text: str, words: re.Pattern[str] | None) -> Markup:
    """A name as code, or a date, which is not broken after its hyphens."""
    if text[0].isdigit():
        return Markup('<span class="pointed">{}</span>').format(mark_words(text, words))
    return Markup("<code>{}</code>").format(_name(text, words))


def _name(text: str, words: re.Pattern[str] | None) -> Markup:
    return mark_words(clean(text), words) if words else _with_joints(text)


def mark_words(text: str, words: re.Pattern[str] | None) -> Markup:
    """A text with the words marked; ``words`` has one group around its alternatives."""
    if words is None:
        return escape(text)
    pieces = enumerate(words.split(text))
    mark = Markup("<mark>{}</mark>")
    return Markup("").join(mark.format(one) if n % 2 else escape(one) for n, one in pieces)


def _lines(text: str) -> str:
    margins = ((line, len(line) - len(line.lstrip(" \t"))) for line in text.split("\n"))
    return "\n".join(" " * margin + clean(line.strip()) for line, margin in margins)


def _with_joints(text: str) -> Markup:
    """A name that may be broken where its parts meet, rather than in the middle of a word."""
    text = clean(text)
    if len(text) < _LONG:
        return escape(text)
    return Markup(_JOINT.sub(r"\1<wbr>", str(escape(text))))  # noqa: S704 - it is escaped


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader(__package__),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.filters["spans"] = spans_markup
    environment.filters["seen"] = clean
    environment.filters["words"] = lambda text: spans_markup((Text(text),))
    environment.filters["joints"] = _with_joints
    environment.filters["href"] = address
    # What UTF-8 cannot encode becomes a question mark.
    environment.filters["param"] = partial(quote, safe="", errors="replace")
    environment.filters["kind"] = lambda block: type(block).__name__
    environment.globals.update(
        shownable=_lines,
        columns=columns,
        bars=bars,
        linked_bars=linked_bars,
        bar_rows=rows,
        path_of=path_of,
        within=within,
        week_name=week_name,
        levels=list(Level),
    )
    return environment


_NAMES = {
    str(name): phrase
    for phrases in (LEVELS, MARKS, AREAS, FREQUENCIES, STATES)
    for name, phrase in phrases.items()
}


class _Words:
    """The phrases of one language, called by name."""

    def __init__(self, language: Language) -> None:
        self._language = language

    def __call__(self, name: str, **parts: Any) -> str:
        return PHRASES[name].text(self._language, **parts)

    @property
    def spaced(self) -> bool:
        """Whether a space separates sentences."""
        return self._language is not Language.ZH

    def day(self, day: date, *, whole: bool = False) -> str:
        """A day in short, or with its year."""
        return day_words(day, self._language, short=not whole)

    def name(self, of: str) -> str:
        """A level, a mark, an area, the kind of a digest or the later fate of a change."""
        return _NAMES[of].template(self._language)

    def level_title(self, level: Level) -> str:
        return LEVEL_TITLES[level].template(self._language)

    def areas(self, counted: Mapping[Area, int]) -> list[tuple[str, str]]:
        """Every area as a choice, with its number of changes if it has any."""
        named = [(area, AREAS[area].template(self._language)) for area in Area]
        return [
            (str(one), f"{name} ({n:,})" if (n := counted.get(one, 0)) else name)
            for one, name in named
        ]


def fragment(template: str, macro: str, language: Language, *values: Any) -> Markup:
    """The output of a template's macro for the values and the phrases of a language."""
    module = _environment().get_template(template).module
    made: Markup = getattr(module, macro)(*values, _Words(language))
    return made


def render_pieces(template: str, asked: PageRequest, **values: Any) -> Iterator[str]:
    """A template for the reader's request, in pieces."""
    zone = asked.site.zone
    other = Language.EN if asked.language is Language.ZH else Language.ZH
    return (
        _environment()
        .get_template(template)
        .generate(
            asked=asked,
            t=_Words(asked.language),
            other=other,
            style=STYLE,
            minute=lambda at: minute(at, zone),
            **values,
        )
    )
