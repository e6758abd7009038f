import re
from importlib import import_module
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import digest
from digest.core import patterns
from digest.core.patterns import lazy, matches


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


def test_every_expression_of_the_domain_can_be_compiled():
    root = Path(next(iter(digest.__path__)))
    names = (file.relative_to(root).with_suffix("").parts for file in root.rglob("[a-z]*.py"))
    modules = [import_module(".".join(["digest", *name])) for name in names]
    made = [one for module in modules for one in _expressions(vars(module))]
    assert len(made) > 100
    assert all(one.groups >= 0 for one in made)
