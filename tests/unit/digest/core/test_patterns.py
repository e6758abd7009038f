import marshal
import re
import sys
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import digest
from digest.core import patterns
from digest.core.patterns import CompiledOnce, lazy, matches


@pytest.mark.parametrize(
    ("pattern", "path", "met"),
    [
        ("src/", "src/a/b.py", True),
        ("src", "src/a/b.py", True),
        ("src", "lib/src/b.py", True),
        ("/src", "lib/src/b.py", False),
        ("src/a", "src/ab/c.py", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/a/b.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/a/b/c.py", True),
        ("src/**", "src/a/b/c.rs", True),
        ("**/tests/**", "a/tests/b.py", True),
        ("*.toml", "a/b/pyproject.toml", True),
        ("*.toml", "a/b/pyproject.tomlx", False),
        ("v?", "v1/x.py", True),
        ("v?", "v12/x.py", False),
        ("a[b].py", "a[b].py", True),
        ("a[b].py", "ab.py", False),
        ("docs/设计.md", "docs/设计.md", True),
    ],
)
def test_a_path_meets_a_pattern(pattern: str, path: str, met: bool) -> None:
    assert matches(pattern, path) is met


_NAME = st.text(st.characters(codec="utf-8", exclude_characters="/*?"), min_size=1, max_size=8)


@given(st.lists(_NAME, min_size=1, max_size=5))
def test_every_path_meets_itself_and_its_folders(parts: list[str]) -> None:
    path = "/".join(parts)
    for end in range(1, len(parts) + 1):
        assert matches("/" + "/".join(parts[:end]), path)
    assert matches("**", path)


@given(
    st.lists(st.sampled_from(["*", "**", "**/", "?", "a", "b", "/"]), min_size=1, max_size=9),
    st.text("ab/", max_size=12),
)
def test_both_engines_find_the_same(pieces, path):
    def met(few: int) -> bool:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(patterns, "_FEW", few)
            return patterns._matcher.__wrapped__("".join(pieces))(path)

    assert met(0) is met(99)


def test_many_wildcards_against_a_long_path_come_to_an_end():
    # Going back at every wildcard would take longer than the test run may.
    assert not matches("*a" * 60 + "c", "a" * 2048 + "b")
    assert not matches("**/a" * 60 + "c", "a/" * 1000 + "b")


def test_an_expression_is_compiled_once_when_it_is_first_used():
    with patch.object(re, "compile", wraps=re.compile) as compiled:
        word = lazy("a(b)", re.IGNORECASE)
        assert not compiled.called
        assert [bool(word.search(text)) for text in ("xAB", "xA", "ab")] == [True, False, True]
    assert compiled.call_count == 1


def _expressions(value):
    if isinstance(value, patterns._Lazy):
        yield value
    elif isinstance(value, dict | tuple | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _expressions(part)


def _of_the_domain():
    root = Path(next(iter(digest.__path__)))
    names = (file.relative_to(root).with_suffix("").parts for file in root.rglob("[a-z]*.py"))
    modules = [import_module(".".join(["digest", *name])) for name in names]
    return [one for module in modules for one in _expressions(vars(module))]


def test_every_expression_of_the_domain_can_be_compiled_and_kept():
    made = [(one.pattern, one._flags) for one in _of_the_domain()]
    assert len(made) > 100
    first = CompiledOnce(bytes)
    compiled = [first.compile(*one) for one in made]
    with patch.object(re, "compile", side_effect=AssertionError):
        later = CompiledOnce(first.dump)
        kept = [later.compile(*one) for one in made]
    assert [_all_of(one) for one in kept] == [_all_of(one) for one in compiled]
    assert not later.dump()


def _all_of(one):
    texts = (
        "Remove --port (#6) and fix #12",
        "把 --port 从 src/main.py 里去掉",
        'A1.b_c = "d"',
        "",
    )
    found = [(m.span(), m.groups(), m.lastgroup) for text in texts for m in one.finditer(text)]
    return one.pattern, one.flags, one.groups, dict(one.groupindex), found


def test_what_is_used_later_is_kept_with_what_was():
    first = CompiledOnce(bytes)
    first.compile("a+", 0)
    second = CompiledOnce(first.dump)
    second.compile("(?P<b>b)", re.IGNORECASE)
    third = CompiledOnce(second.dump)
    with patch.object(re, "compile", side_effect=AssertionError):
        assert third.compile("a+", 0).fullmatch("aa")
        found = third.compile("(?P<b>b)", re.IGNORECASE).fullmatch("B")
    assert found
    assert (found["b"], found.lastgroup) == ("B", "b")


@pytest.mark.parametrize(
    "held",
    [
        b"",
        b"no code",
        marshal.dumps(1),
        marshal.dumps(("3.0", {})),
        marshal.dumps((sys.version, [])),
        marshal.dumps((sys.version, {("a+", 0): (0, b"", 0, {})})),
        marshal.dumps((sys.version, {("a+", 0): (0, b"12345678", 0, {})})),
        marshal.dumps((sys.version, {("a+", 0): (0, b"123", 0, {})})),
        marshal.dumps((sys.version, {("a+", 0): 1})),
    ],
    ids=range(9),
)
def test_what_is_not_an_expression_is_compiled_anew(held):
    assert CompiledOnce(lambda: held).compile("a+", 0).fullmatch("aa")


def test_expressions_of_earlier_releases_are_not_kept_for_ever(monkeypatch):
    monkeypatch.setattr(patterns, "_MOST_HELD", 2)
    first = CompiledOnce(bytes)
    for text in ("a", "b"):
        first.compile(text, 0)
    second = CompiledOnce(first.dump)
    second.compile("c", 0)
    assert CompiledOnce(second.dump)._held.keys() == {("c", 0)}


@pytest.mark.parametrize("failure", [ImportError, AttributeError, TypeError])
def test_nothing_is_kept_in_a_python_that_compiles_otherwise(monkeypatch, failure):
    def absent(name):
        raise failure(name)

    monkeypatch.setattr(patterns, "import_module", absent)
    compiled = CompiledOnce(bytes)
    assert compiled.compile("a+", 0).fullmatch("aa")
    assert not compiled.dump()


def test_an_expression_with_a_mistake_is_refused():
    with pytest.raises(re.error):
        CompiledOnce(bytes).compile("(", 0)
