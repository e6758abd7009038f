"""Public symbols and fields of Python, each told with the line that shows it."""

import pytest

from digest.core.facts import Area
from digest.facts import code
from digest.facts.side_text import FileContext
from tests.unit.digest.facts.changes import file, scene, told

ENGINE = '''\
"""An engine."""
from base import Base


def load(path, *, limit: int = 10, strict=True) -> str:
    """Load.

    def not_a_definition(): in prose
    """
    return path


class Engine(Base):
    """Runs."""

    depth: int = 3

    def __init__(self, name: str):
        self.name = name

    def step(
        self,
        count: int,
        timeout: float = 1.5,
    ) -> None:
        def inner():
            pass

    def _hidden(self):
        pass


def _private(): ...
'''


def find(path, old, new):
    return sorted(told(code.find(scene(path, old, new))))


def changed(before, after, text=ENGINE):
    assert before in text
    return find("engine.py", text, text.replace(before, after))


@pytest.mark.parametrize(
    ("before", "after", "facts"),
    [
        ("limit: int = 10", "limit: int = 20", ["changed load.limit 10 -> 20 @5n"]),
        ("limit: int = 10, ", "", ["changed load (path, *, limit: int = 10, strict=True) -> str -> (path, *, strict=True) -> str @5o"]),
        ("(path, *,", "(path, mode, *,", ["changed load (path, *, limit: int = 10, strict=True) -> str -> (path, mode, *, limit: int = 10, strict=True) -> str @5n"]),
        ("-> str:", "-> bytes:", ["changed load (path, *, limit: int = 10, strict=True) -> str -> (path, *, limit: int = 10, strict=True) -> bytes @5n"]),
        ("def load(path, *, limit: int = 10, strict=True)", "def load(\n    path,\n    *,\n    limit: int = 10,\n    strict=True,\n)", []),
        ("timeout: float = 1.5", "timeout: float = 2.5", ["changed Engine.step.timeout 1.5 -> 2.5 @24n"]),
        ("        timeout: float = 1.5,\n", "        timeout: float = 1.5,\n        retry: bool = False,\n", ["changed Engine.step (count: int, timeout: float = 1.5) -> None -> (count: int, timeout: float = 1.5, retry: bool = False) -> None @25n"]),
        ("name: str)", "name: str = 'x')", []),
        ("class Engine(Base)", "class Engine(Base, Other)", ["changed Engine (Base) -> (Base, Other) @13n"]),
        ("def step(", "async def step(", ["changed Engine.step (count: int, timeout: float = 1.5) -> None -> async (count: int, timeout: float = 1.5) -> None @21n"]),
        ("def not_a_definition", "def still_none", []),
        ("def inner", "def outer", []),
        ("def _hidden(self)", "def _hidden(self, a)", []),
        ("def _private()", "def _other()", []),
        ("self.name = name", "self.name = name or 'x'", []),
    ],
)  # fmt: skip
def test_change_of_a_header_is_told_as_what_it_is(before, after, facts):
    assert changed(before, after) == facts


def test_parameter_far_below_the_name_of_its_function_is_told_with_it():
    rows = "".join(f"    # {n}\n" for n in range(8))
    text = f"def load(\n    path,\n{rows}    limit=10,\n):\n    return 1\n"
    assert changed("limit=10", "limit=20", text) == ["changed load.limit 10 -> 20 @11n"]


def test_definition_that_comes_or_goes_is_told_with_its_signature():
    without = ENGINE.replace(
        ENGINE[ENGINE.index("    def step(") : ENGINE.index("    def _hid")], ""
    )
    assert find("engine.py", ENGINE, without) == [
        "removed Engine.step (count: int, timeout: float = 1.5) -> None -> None @21o"
    ]
    assert find("engine.py", without, ENGINE) == [
        "added Engine.step None -> (count: int, timeout: float = 1.5) -> None @21n"
    ]


def test_class_that_comes_or_goes_speaks_for_its_members():
    assert find("engine.py", None, ENGINE) == [
        "added Engine None -> (Base) @13n",
        "added load None -> (path, *, limit: int = 10, strict=True) -> str @5n",
    ]
    assert find("engine.py", ENGINE, None) == [
        "removed Engine (Base) -> None @13o",
        "removed load (path, *, limit: int = 10, strict=True) -> str -> None @5o",
    ]


def test_file_that_comes_or_goes_needs_no_text():
    change = file("engine.py", None, ENGINE)
    assert not code.wants(change, Area.CORE, "python")
    bare = FileContext(file=change, area=Area.CORE, language="python")
    assert len(list(code.find(bare))) == 2


def test_nothing_is_told_without_the_texts_that_were_wanted():
    change = scene(
        "engine.py", ENGINE, ENGINE.replace("limit: int = 10", "limit: int = 20"), whole=False
    )
    assert code.wants(change.file, change.area, change.language)
    assert list(code.find(change)) == []


@pytest.mark.parametrize("path", ["tests/test_engine.py", "docs/conf.py", "examples/a.py"])  # fmt: skip
def test_nobodys_contract_is_not_told(path):
    assert find(path, ENGINE, ENGINE.replace("limit: int = 10", "limit: int = 20")) == []


def test_rename_is_told_when_the_body_stays():
    assert changed("def load(", "def read(") == ["renamed read load -> read @5n"]
    other = ENGINE.replace("def load(", "def read(").replace(
        "return path", "x = 1\n    y = 2\n    return 3"
    )
    assert {f.split()[0] for f in find("engine.py", ENGINE, other.replace("Load.\n\n    def not_a_definition(): in prose", "Other"))} == {"added", "removed"}  # fmt: skip


def test_definition_that_only_moved_within_its_file_is_no_fact():
    start, end = ENGINE.index("def load("), ENGINE.index("class Engine")
    moved = ENGINE[:start] + ENGINE[end:] + "\n\n" + ENGINE[start:end]
    assert find("engine.py", ENGINE, moved) == []


def test_dunder_all_says_what_is_public():
    listed = '__all__ = ["load"]\n' + ENGINE
    assert find("engine.py", listed, listed.replace("class Engine(Base)", "class Engine")) == []
    assert len(find("engine.py", listed, listed.replace("= 10", "= 11"))) == 1


def test_definition_in_a_block_at_the_margin_belongs_to_the_module():
    old = "class A:\n    def m(self): ...\n\nif True:\n    def f(a): ...\n"
    assert find("a.py", old, old.replace("f(a)", "f(a, b)")) == [
        "changed f (a) -> (a, b) @5n",
    ]


def test_method_that_a_base_in_the_file_has_is_neither_new_nor_gone():
    base = "class A:\n    def run(self): ...\n\n\nclass B(A):\n    x = 1\n"
    with_it = base + "\n    def run(self): ...\n"
    assert find("a.py", with_it, base) == []
    assert find("a.py", base, with_it) == []


def test_header_of_later_python_is_read():
    old = "def f[T: int](a: T) -> T:\n    return a\n"
    assert find("a.py", old, old.replace("(a: T)", "(a: T, b: int = 0)")) == [
        "changed f (a: T) -> T -> (a: T, b: int = 0) -> T @1n"
    ]


def test_long_signatures_are_cut_to_what_differs():
    names = ", ".join(f"parameter_number_{i}: int" for i in range(30))
    old = f"def f({names}, last: str): ...\n"
    fact = next(iter(code.find(scene("a.py", old, old.replace("last: str", "last: bytes")))))
    assert (fact.before, fact.after) == ("(…, last: str)", "(…, last: bytes)")
    assert fact.detail == "types"


@pytest.mark.parametrize(
    ("before", "after", "detail"),
    [
        ("a, b=1", "a, c, b=1", "required parameter added"),
        ("a, b=1", "a, b=1, c=2", "parameter added"),
        ("a, b=1", "a", "parameter removed"),
        ("a, b=1", "z, b=1", "parameter renamed"),
        ("a, b=1", "b, a", "signature"),
        ("a, b=1", "a, *, b=1", "signature"),
        ("a, b=1", "a: int, b=1", "types"),
        ("a, b=1", "a, b=2", "default"),
        ("a, b=1", "a, b=1, *args", "parameter added"),
        ("a, b=1", "a, b=1, *, c", "required parameter added"),
    ],
)
def test_detail_names_what_sets_two_signatures_apart(before, after, detail):
    old = f"def f({before}):\n    return 1\n"
    facts = list(code.find(scene("a.py", old, f"def f({after}):\n    return 1\n")))
    assert facts[0].detail == detail


CONFIG = '''\
from dataclasses import dataclass, field


@dataclass
class CacheConfig:
    """Settings.

    note: this is prose
    """

    size: int = 16
    names: list[str] = field(
        default_factory=list,
    )
    mode: str
    """What it does."""
    _hidden: int = 1

    def check(self):
        local: int = 3


class Point(NamedTuple):
    x: int = 0


class Plain:
    y: int = 0
'''


@pytest.mark.parametrize(
    ("before", "after", "facts"),
    [
        ("size: int = 16", "size: int = 32", ["changed CacheConfig.size 16 -> 32 @11n"]),
        ("size: int = 16", "size: float = 16", ["changed CacheConfig.size int -> float @11n"]),
        ("    mode: str\n", "    mode: str\n    depth: int = 2\n", ["added CacheConfig.depth None -> 2 @16n"]),
        ("    mode: str\n", "", ["removed CacheConfig.mode @15o"]),
        ("default_factory=list", "default_factory=dict", ["changed CacheConfig.names list() -> dict() @12n"]),
        ("    names: list", "    renames: list", ["renamed CacheConfig.renames names -> renames @12n"]),
        ("size: int = 16", "size: int = (16)", []),
        ("size: int = 16", "size: (int) = 16", []),
        ("size: int = 16", "size: int = (16, 1)", ["changed CacheConfig.size 16 -> (16, 1) @11n"]),
        ("note: this", "note: that", []),
        ("_hidden: int = 1", "_hidden: int = 2", []),
        ("local: int = 3", "local: int = 4", []),
        ("y: int = 0", "y: int = 1", []),
    ],
)  # fmt: skip
def test_fields_of_classes_that_are_made_of_them(before, after, facts):
    assert changed(before, after, CONFIG) == facts


def test_field_of_a_class_that_only_carries_data_is_a_symbol():
    facts = list(code.find(scene("a.py", CONFIG, CONFIG.replace("x: int = 0", "x: int = 1"))))
    assert [(f.kind, f.name, f.detail) for f in facts] == [("symbol", "Point.x", "default")]


def test_fields_through_a_base_in_the_same_file_are_found():
    old = "class Root(BaseModel):\n    a: int = 1\n\n\nclass Leaf(Root):\n    b: int = 1\n"
    assert find("a.py", old, old.replace("b: int = 1", "b: int = 2")) == [
        "changed Leaf.b 1 -> 2 @6n"
    ]
