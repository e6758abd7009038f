"""Which parts of a file are bodies of functions, and so are not parsed."""

from __future__ import annotations

import tracemalloc

import pytest
from tree_sitter import Node

from digest.facts.syntax import grammar
from digest.facts.syntax.grammar import Known, ParseBudget, bodies, parse, without
from tests.support.speed import within

GO = """\
func (s *Server) Run(a int) error {
\tif a > 1 {
\t\treturn nil
\t}
\treturn s.run(a)
}

type Server struct {
\tRun func(a int) error
}
"""

RUST = """\
impl Server<fn(u8) -> u8> {
    pub fn run(
        &self,
        a: u8,
    ) -> Result<()> {
        self.go(a)
    }
}
"""


def emptied(text: str, *, values: bool = False) -> str:
    return without(text, bodies(text, values=values))


def test_body_of_a_function_is_left_out_and_lines_keep_their_numbers():
    short = emptied(GO)
    assert "return" not in short
    assert short.split("\n")[5:] == GO.split("\n")[5:]


def test_members_of_a_type_stay_without_their_bodies():
    short = emptied(RUST)
    assert short == RUST.replace("        self.go(a)", "")


@pytest.mark.parametrize(
    "text",
    [
        'void f() {\n  x = R"(\n}\n)";\n}\n',  # a string that holds what looks like the end
        "void f() {\n  x; }\nvoid g() {\n  y;\n}\n",  # closed elsewhere than at its indentation
        "void f() {\n  /* \n}\n*/\n}\n",
        "void f() {\n#if A\n  x;\n}\n#else\n  y;\n}\n#endif\n",
        "#define F(a) {\n  a;\n}\n",
        "void f() {\n  x;\n",
    ],
)
def test_what_may_be_no_body_stays(text):
    assert "f() {\n\n}" not in emptied(text)
    assert all(line in emptied(text) for line in text.split("\n") if "y;" not in line)


def test_function_that_is_the_value_of_a_field_stays_where_values_are_compared():
    text = "class A {\n  go = (a) => {\n    return a;\n  };\n  run(a) {\n    return 2;\n  }\n}\n"
    assert emptied(text) == text.replace("    return a;", "").replace("    return 2;", "")
    assert emptied(text, values=True) == text.replace("    return 2;", "")


@pytest.mark.parametrize(
    "text",
    [
        "".join(" " * n + "f() {\n" for n in range(1_000)) + "}\n",
        "".join(" " * n + "f() {\n" for n in range(900)) + '"\n'
        + "".join(" " * n + "}\n" for n in reversed(range(900))),
        "f() {\n" * 150_000,
        ("(" * 300 + "\n") * 1_000 + "f() {\n" * 50_000,
        (")" * 390 + "{\n") * 2_000,
    ],
)  # fmt: skip
def test_hostile_text_is_searched_in_time(text):
    assert within(1, lambda: bodies(text))


def test_type_that_a_function_returns_is_no_body():
    text = "export function f(): {\n  x: string\n} {\n  return g()\n}\n"
    assert "x: string" in emptied(text)


OPEN = {
    "python": "class A:\n    def run(self):\n        return [1,\n                {2}]\n\n"
    + "(" * 3,
    "go": "func f(a int) {\n\tb := []int{1, 2}\n}\n\nfunc g() {\n",
    "javascript": "const f = (a) => {\n  return `x\n${a}`;\n};\nclass B {\n  go = {\n",
}


@pytest.mark.parametrize("name", OPEN)
def test_text_that_is_parsed_in_stages_has_the_tree_of_one_that_is_parsed_at_once(
    name, monkeypatch
):
    def nodes(tree):
        found = [tree.root_node]
        for node in found:
            found += node.children
        return [(n.type, n.byte_range, n.start_point, n.end_point) for n in found]

    text = OPEN[name] * 120
    in_stages = nodes(parse(text, name))
    monkeypatch.setattr(grammar, "_STAGE", len(text))
    assert in_stages == nodes(parse(text, name))


def test_texts_that_were_parsed_are_not_kept() -> None:
    texts = [f"fn name_{n}() {{}}\n" * 200 for n in range(50)]
    parse(texts[0], "rust")
    tracemalloc.start()
    try:
        for text in texts:
            assert parse(text, "rust").root_node.children[3].text == text.split("\n")[3].encode()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < sum(map(len, texts)) / 5


SHORT = "struct A {\n    a: u8,\n}\n\nfn b(x: u8);\n\nfn é() -> u8;\n\nfn last();"


def _nodes(node: Node) -> list[object]:
    here = (node.type, node.start_byte, node.end_byte, node.start_point, node.end_point, node.text)
    return [here, *(one for child in node.children for one in _nodes(child))]


def _read(text: str, known: Known | None = None) -> tuple[list[object], int]:
    budget = ParseBudget()
    nodes = _nodes(parse(text, "rust", budget, known).root_node)
    return nodes, ParseBudget().steps - budget.steps


@pytest.mark.parametrize(
    ("text", "places"),
    [
        (SHORT, []),
        (SHORT.replace("b(", "bee(").replace("()", "(y: u16)"), [((4, 5),) * 2, ((6, 9),) * 2]),
        (SHORT.replace("    a", "    pub z: u8,\n    a"), [((1, 1), (1, 2))]),
        (SHORT.replace("fn b(x: u8);\n", ""), [((4, 5), (4, 4))]),
        (SHORT.replace("\n\nfn last();", "\n"), [((7, 9), (7, 8))]),
        (SHORT + "\nfn more();\n", [((8, 9), (8, 11))]),
        (SHORT.replace("u8", "u16"), [((4, 5),) * 2]),  # also where no place says so
        (SHORT.replace("b(", "b<("), [((4, 5),) * 2]),  # with an error
        ("", [((0, 9), (0, 1))]),
    ],
)
def test_a_text_read_from_the_tree_of_another_has_the_tree_of_its_own(text, places) -> None:
    known = Known(SHORT, parse(SHORT, "rust"), places)
    assert _read(text, known)[0] == _read(text)[0]


def test_reading_from_the_tree_of_another_text_takes_fewer_steps() -> None:
    text = "".join(f"struct Thing{n} {{\n    pub member: u{n},\n}}\n" for n in range(800))
    other = text.replace("member: u400", "member: i400")
    known = Known(text, parse(text, "rust"), [((1201, 1202), (1201, 1202))])
    assert _read(other, known)[0] == _read(other)[0]
    assert _read(other, known)[1] < _read(other)[1] / 4
