"""Which parts of a file are bodies of functions, and so are not parsed."""

from __future__ import annotations

import tracemalloc

import pytest

from digest.facts.syntax import grammar
from digest.facts.syntax.grammar import bodies, parse, without
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
