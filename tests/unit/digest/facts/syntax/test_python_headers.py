"""Headers of classes: those that are read without a parser say the same as those read by one."""

from __future__ import annotations

import random

import pytest

from digest.core.facts import Action
from digest.facts.syntax.python_headers import PythonModule, signature
from digest.facts.syntax.python_outline import Outline
from tests.unit.digest.facts.changes import facts_of, scene


@pytest.mark.parametrize(
    ("header", "bases"),
    [
        ("class A:", ()),
        ("class A():", ()),
        ("class A( ):", ()),
        ("class A(B):", ("B",)),
        ("class A( b.B , c.d.C, ):", ("b.B", "c.d.C")),
        ("class _A(B):", ("B",)),
        ("class A(B, metaclass=M):", ("B", "metaclass=M")),
        ("class A(B[int], C):", ("B[int]", "C")),
        ("class A(  # as ever\n    B,\n):", ("B",)),
    ],
)
def test_bases_of_a_class_however_it_is_written(header: str, bases: tuple[str, ...]) -> None:
    read = signature(f"import b\n{header}\n    x = 1\n", len("import b\n"))
    assert read is not None
    assert read.bases == bases
    assert read.text == (f"({', '.join(bases)})" if bases else "")


@pytest.mark.parametrize("header", ["class A(B C):", "class A(B:"])
def test_header_that_is_no_python_says_nothing(header: str) -> None:
    assert signature(header, 0) is None


def test_function_whose_header_changes_in_two_places_is_read_once() -> None:
    old = "def run(\n    first,\n    second,\n    third,\n):\n    return 1\n"
    for new in (
        old.replace("run", "go").replace("third", "last"),  # on its first line and below it
        old.replace("first", "one").replace("third", "last"),  # below it only
    ):
        sides = scene("app/a.py", old, new).texts
        assert sides is not None
        for side in sides:
            assert len([*PythonModule(side).entries()]) == 1


def test_field_of_a_class_too_long_to_be_read_whole_is_not_lost() -> None:
    head = (
        "from dataclasses import dataclass\n\n\n@dataclass\nclass PoolArgs:\n    seed: int = 1\n\n"
    )
    methods = (
        f'    @staticmethod\n    def m{n}():\n        call(\n            x="""a\n{n}""",\n        )\n\n'
        for n in range(1000)
    )
    old = head + "".join(methods)
    new = old.replace("seed: int = 1", "seed: int = 2")
    for pad in range(1, 90, 4):  # the place where the text is cut
        later = new.replace("    def m0", f"    # {'x' * pad}\n    def m0")
        found = facts_of("Move it", ("app/config/args.py", old, later)).items
        assert [(f.action, f.name) for f in found] == [(Action.CHANGED, "PoolArgs.seed")]


LINES = (
    "class A(B):", "    def m(self):", "        def inner():", "        return 1", "def f():", "",
    "async def g(a):", "if x:", "    class C:", "    a: int = 1", '    """', '    """A note."""',
    "    x = '''", '"""', "# a \\", "    text = '\"\"\"'", '    # say """ here', "else:",
)  # fmt: skip


@pytest.mark.parametrize("last", ["", "\n"])
def test_outline_is_the_same_when_made_from_that_of_the_other_side(last: str) -> None:
    chosen = random.Random(7)
    moved = 0
    for _ in range(400):
        kept = [chosen.choices(LINES, k=chosen.randrange(9)) for _ in range(chosen.randrange(1, 5))]
        old, new, places = "", "", []
        for lines in kept:
            gone, come = (chosen.choices(LINES, k=chosen.randrange(3)) for _ in range(2))
            old, new = (side + "".join(f"{one}\n" for one in lines) for side in (old, new))
            ends = (
                side + "".join(f"{one}\n" for one in more)
                for side, more in ((old, gone), (new, come))
            )
            a, b = ends
            places.append(((len(old), len(a)), (len(new), len(b))))
            old, new = a, b
        old, new = f"{old}x = 1{last}", f"{new}x = 1{last}"
        beside, alone = Outline(old), Outline(new)
        made = Outline(new, beside, places)
        assert made.scan(0, len(new)) == alone.scan(0, len(new)), (old, new)
        moved += beside.text != made.text and made._moved(beside) is not None
    assert moved > 100


def test_method_below_a_condition_of_its_class_is_one_of_the_class() -> None:
    old = "class Pool:\n    def a(self):\n        pass\n\n    def get(self, n):\n        return n\n"
    new = old.replace(
        "    def get(self, n):\n        return n\n",
        "    if TYPED:\n\n        def get(self, n): ...\n\n    else:\n\n"
        "        def get(self, n):\n            return n\n",
    )
    names = [header.name for header in Outline(new).scan(0, len(new))]
    assert names == ["Pool", "Pool.a", "Pool.get", "Pool.get"]
    found = facts_of("Type it", ("src/pool.py", old, new)).items
    assert not any(f.action is Action.REMOVED for f in found)
    inner = "def a():\n    if 1:\n        pass\n    def b():\n        pass\n"
    assert [header.name for header in Outline(inner).scan(0, len(inner))] == ["a", "a.b"]


@pytest.mark.parametrize("line", ['quotes = \'"""\'', '# as in """', 'a = b\'"""\'; c = 1'])
def test_quotes_that_are_quoted_or_in_a_comment_open_no_text(line: str) -> None:
    text = f"{line}\n\n\nclass Pool:\n    def take(self):\n        pass\n"
    assert [one.name for one in Outline(text).scan(0, len(text))] == ["Pool", "Pool.take"]


def test_text_that_begins_with_a_quoted_word_is_a_text() -> None:
    text = 'def take():\n    """\'fast\' is usual, as in\n\ndef none():\n    """\n'
    assert [one.name for one in Outline(text).scan(0, len(text))] == ["take"]
