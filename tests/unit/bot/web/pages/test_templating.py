import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.web.pages.page_text import PHRASES
from bot.web.pages.templating import files_by_name, spans_markup
from digest.document import Code, Emphasis, Link, Strong, Text

TEMPLATES = files("bot.web.pages") / "templates"


@pytest.mark.parametrize(
    ("span", "markup"),
    [
        (Text("a <b> & \"c\" 'd'"), "a &lt;b&gt; &amp; &#34;c&#34; &#39;d&#39;"),
        (Code("<script>"), "<code>&lt;script&gt;</code>"),
        (Code("short.name_of"), "<code>short.name_of</code>"),
        (
            Code("Config.cache_retention<interval"),
            "<code>Config.<wbr>cache_<wbr>retention&lt;interval</code>",
        ),
        (Strong("x"), "<strong>x</strong>"),
        (Emphasis("x"), "<em>x</em>"),
        (
            Link("a", "https://e.example/?a=1&b=2"),
            '<a href="https://e.example/?a=1&amp;b=2" rel="noopener nofollow">a</a>',
        ),
        (Link("a", "javascript:alert(1)"), "a"),
        (Link("a", "data:text/html,x"), "a"),
        (Link("a", "//evil.example"), "a"),
        (
            Link("a", 'https://e.example/" onclick="x'),
            '<a href="https://e.example/%22%20onclick=%22x" rel="noopener nofollow">a</a>',
        ),
        (Text("over\u202eride \x1b[2J"), "over\ufffdride \ufffd[2J"),
    ],
)
def test_span_as_markup(span, markup):
    assert spans_markup((span,)) == markup


@given(st.text(), st.text())
def test_no_text_makes_an_element(text, url):
    markup = spans_markup((Text(text), Code(text), Link(text, url)))
    markup = markup.replace("<wbr>", "")
    assert {tag.lower() for tag in re.findall(r"<\s*/?\s*([^\s>]+)", markup)} <= {
        *("a", "code", "/a", "span"),
    }


@pytest.mark.parametrize(
    ("spans", "kept"),
    [
        ([Text("请检查 "), Code("--fast"), Text("。其余不变")], "<code>--fast</code>。"),
        ([Text("New error: “"), Code("--fast"), Text(" goes”.")], "“<code>--fast</code>"),
        ([Code("a<b"), Text("), see")], "<code>a&lt;b</code>),"),
    ],
)
def test_punctuation_stays_on_the_line_of_the_name_it_belongs_to(spans, kept):
    assert f'<span class="pointed">{kept}</span>' in spans_markup(spans)


def test_name_amid_a_sentence_stands_alone():
    assert spans_markup([Code("a"), Text(" is gone. So is "), Code("b")]).count("<span") == 0


def test_every_phrase_is_used_and_every_used_phrase_is_there():
    sources = [file.read_text(encoding="utf-8") for file in TEMPLATES.iterdir()]
    sources += [
        file.read_text(encoding="utf-8")
        for file in files("bot.web.pages").iterdir()
        if file.name.endswith(".py") and file.name != "wording.py"
    ]
    text = "\n".join(sources)
    for name in re.findall(r'\bt\("(\w+)"|\bt\(\'(\w+)\'', text):
        assert name[0] or name[1] in PHRASES
    unused = {name for name in PHRASES if not re.search(rf"""["']{name}["']""", text)}
    assert unused == set()


def test_templates_hold_nothing_that_the_policy_refuses():
    for file in TEMPLATES.iterdir():
        text = file.read_text(encoding="utf-8")
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?! src)|\|\s*safe\b", text), (
            file.name
        )
        assert not re.search(r'(?:src|href)="https?:', text), file.name


def test_files_are_ours_and_small():
    assert set(files_by_name()) == {
        *("style.css", "icon.svg"),
        *("theme.js", "search.js", "live.js", "page.js"),
    }
    assert sum(map(len, files_by_name().values())) < 34_600
    assert not re.search(rb"url\(|@import", files_by_name()["style.css"])


@pytest.mark.parametrize("kind", [Text, Strong])
def test_flag_without_marks_is_code_so_that_it_is_not_broken(kind):
    words = re.compile("(fast)")
    assert "<code>--fast-mode</code>" in spans_markup([kind("Use --fast-mode <now>")])
    marked = spans_markup([kind("Use --fast-mode")], words)
    assert "<code>--<mark>fast</mark>-mode</code>" in marked
    assert "<code>--feature=xor2-encoding</code>." in spans_markup(
        [kind("Use --feature=xor2-encoding.")]
    )
    for text in ("a -- b", "x--fast", "---fast", "--1", "--<b>"):
        assert "<code>" not in spans_markup([kind(text)])
    assert spans_markup([Code("--fast")]) == "<code>--fast</code>"
    for text in ("Unify cache.kv_dtype", "Set kv_dtype.", "使用kv_dtype，", "(__all__x_y)"):
        assert spans_markup([kind(text)]).count("<code>") == 1
    for text in ("a_", "_", "a/b_c.py", "b_c/d", "x.example/a_b", "@a_b", "#a_b", "a.b", "a:b_c"):
        assert "<code>" not in spans_markup([kind(text)])
    assert spans_markup([kind("Set kv_dtype")], re.compile("(kv)")).count("<code><mark>kv") == 1
    assert "<code>" not in spans_markup([Link("a_b.py:1", "/x")])
    link = spans_markup([Link("Add --fast", "/x")])
    assert link == '<a href="/x" rel="noopener nofollow">Add <code>--fast</code></a>'
