"""A search for input that holds a finder up: units repeated, nested and left open, in every grammar.

Each input is held to a multiple of what a plain file of the same size takes, in processor time, so
that the outcome does not depend on the machine. What no plain file needs, the search may find
tomorrow with another seed: ``SEED=7 pytest tests/hostile/test_code.py``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import count
from random import Random
from statistics import median
from time import process_time, thread_time

import pytest

from digest.core.change import Change, FileChange, FileStatus, Hunk, Side
from digest.core.facts import Action, Evidence, Fact, FactKind
from digest.facts.exposure import files_around, with_exposure
from digest.facts.extract import extract
from digest.facts.syntax import grammar
from digest.facts.syntax.grammar import ParseBudget, TooComplex, parse
from digest.grading.policy import Batch, grade_batch
from tests.support.speed import slowness
from tests.unit.digest.facts.changes import blob, commit, facts_of

SIZE = 12_000

LARGE = 199_000
BOUND = 399_000
"""Characters: that of most inputs, of the hardest, and just below the bound of what is parsed."""

MOST = 20
"""Times the processor time of a plain file."""

SEED = int(os.environ.get("SEED", "1"))

INPUTS = 40

GO = """\
// Run{n} runs.
func (s *Server) Run{n}(a int, b string) error {{
	if a > {n} {{
		return fmt.Errorf("no %d", a)
	}}
	return nil
}}

"""

PYTHON = """\
class Engine{n}(Base):
    size: int = {n}

    def run(self, a: int, b: str = "x") -> None:
        return self.go(a, b)


"""

RUST = """\
pub fn run_{n}(a: u32, b: &str) -> Result<(), Error> {{
    if a > {n} {{
        return Err(Error::new(format!("no {{}}", a)));
    }}
    Ok(())
}}

pub struct S{n} {{
    pub a: u8,
}}

"""

SCRIPT = """\
export function run{n}(a, b = "x") {{
  if (a > {n}) {{
    throw new Error(`no ${{a}}`);
  }}
  return go(a, b);
}}

export class S{n} {{ go(a) {{ return [1, 2, a]; }} }}

"""

JAVA = """\
public class C{n} extends Base {{
    private final int a = {n};

    public void run(int a, String b) throws Exception {{
        go(a, b);
    }}
}}

"""
HEADER = """\
namespace n {{
class C{n} : public Base {{
 public:
  explicit C{n}(int a);
  void run(int a, const std::string& b) const;

 private:
  int a_ = {n};
}};
}}  // namespace n

"""

PLAIN = {
    "a.go": GO,
    "a.py": PYTHON,
    "a.rs": RUST,
    "a.ts": SCRIPT,
    "a.tsx": SCRIPT,
    "a.js": SCRIPT,
    "A.java": JAVA,
    "a.h": HEADER,
    "a.cuh": HEADER,
    "requirements.txt": "a{n}==1.{n}\n",
    "go.mod": "require example.org/a{n} v1.{n}.0\n",
    "pyproject.toml": '[tool.a{n}]\nname = "x{n}"\ndependencies = [\n  "a>=2.{n}",\n]\n\n',
    "Cargo.toml": '[dependencies.a{n}]\nversion = "1.{n}"\n\n',
    "package.json": '  "dependencies": {{"a{n}": "1.{n}"}},\n',
    "pom.xml": "<dependency><artifactId>a{n}</artifactId><version>{n}</version></dependency>\n",
    "build.gradle": "implementation 'org.a:a{n}:1.{n}'\n",
    "Dockerfile": "FROM a{n}:1.{n}\nRUN make a{n}\n",
    "CMakeLists.txt": "find_package(A{n} 1.{n} REQUIRED)\n",
    ".github/workflows/a.yml": "      - uses: a/b{n}@v{n}\n",
    "a.proto": "message A{n} {{\n  string a = {n};\n}}\n",
    "a.graphql": "type A{n} {{\n  a: String!\n}}\n",
    "a.thrift": "struct A{n} {{\n  {n}: string a\n}}\n",
    "a.sql": "CREATE TABLE a{n} (a INT, b TEXT);\n",
}

WORDS = {
    "a.go": "package func type struct{ interface{ var const case a: switch select default: map[ go",
    "a.py": "def class async lambda with if: try: @a \"\"\" ''' f\" f'{ \\\n __all__ x:int=1 match",
    "a.rs": "fn pub struct trait impl mod use match &' 'a r#\" b' ' => :: ..= #[ macro_rules! <T>",
    "a.ts": "function class interface type enum export import from => ?. case ${ `${ /a/ <a> get",
    "A.java": 'class interface enum record public static void -> @A @interface case default """',
    "a.h": 'class template< public: using operator #if #define decltype( [[ ]] R"( int* && sizeof(',
}

WORDS |= {"a.tsx": WORDS["a.ts"], "a.js": WORDS["a.ts"], "a.cuh": WORDS["a.h"]}

MANIFEST = (
    "dependencies [tool. [[ == >= {{ FROM message deprecated type <version> gem uses: a==1 ,<2"
)

MARKS = [
    *"([{<)]}>,;:=.\"'`#@\\|&!?*+-~^%0a$\n\t \0\ré", "=>", "->", "/*", "//", "*/", "a.", "a: a,", "a(",
    "a[", "a{", "a<", "a=", "a ", "%s",
]  # fmt: skip

HARDEST = {
    "a.go": ["case a:", "case a:\n", "var %s", "var é"],
    "a.rs": ["^modaa(", 'pub"', 'impl "', "fn;", 'r#"', "pub a{", "#" + 'r#"'],
    "a.ts": ["0a(", " a: a,", "interface !"],
    "a.tsx": ["abstract a: a,", "<a "],
    "a.js": ["0a(", "${ `"],
    "A.java": ["%sa=", '=>"""*a\n', 'record "', " a,", "case a:"],
    "a.h": ["%s(", "a( ^", "[[new", "[[$", "| a: a,", "a\\", "]]0"],
    "a.cuh": ["[[new"],
    "a.py": ["@dataclass\nclass for", "class é", "def f(a,"],
}
"""What earlier searches found: without a budget the worst of them take minutes at the bound."""


def plain(path: str, size: int) -> str:
    return "".join(PLAIN[path].format(n=n) for n in range(size // 10))[:size]


def repeated(unit: str, size: int, path: str = "") -> str:
    """A unit again and again, below a plain beginning that makes finders look closer."""
    start = plain(path, 300) + "\n" if path else ""
    return start + (unit * (size // len(unit) + 1))[: size - len(start)]


def inputs(path: str) -> Iterator[tuple[str, str]]:
    """Named texts of ``SIZE`` characters."""
    chance = Random(f"{SEED} {path}")
    words = WORDS.get(path, MANIFEST).split(" ")
    for _ in range(INPUTS):
        first = chance.choice([*words, *MARKS])
        unit = first + chance.choice(["", " ", ""]) + chance.choice([*words, *MARKS, ""])
        yield repr(unit), repeated(unit + chance.choice(["", "", " ", "\n"]), SIZE, path)
    for opening, closing in ("()", "[]", "{}", "<>"):
        before = chance.choice(["", "a", "a=", *words])
        depth = SIZE // 2 // (len(before) + 1)
        text = (before + opening) * depth + closing * depth
        yield f"nested {before}{opening}", plain(path, 300) + "\n" + text


def added(path: str, text: str) -> Change:
    """A change that brings a file."""
    lines = tuple(text.split("\n"))
    return Change(
        commit=commit("Add it"),
        files=(
            FileChange(
                path=path,
                status=FileStatus.ADDED,
                added=len(lines),
                deleted=0,
                hunks=(Hunk(old_start=0, new_start=1, removed=(), added=lines),),
                new_id="1" * 40,
                new_mode="100644",
            ),
        ),
    )


def seconds(path: str, text: str) -> float:
    change = added(path, text)
    start = process_time()
    extract(change, {}, thread_time)
    return process_time() - start


@cache
def plain_seconds(path: str) -> float:
    """What a character of a plain file takes, whose time grows as its length."""
    seconds(path, plain(path, 2_000))
    return max(min(seconds(path, plain(path, SIZE)) for _ in range(3)), 0.001) / SIZE


def slow(path: str, texts: list[tuple[str, str]], size: int) -> dict[str, float]:
    """The inputs that take too long, with the multiple of a plain file's time."""
    usual = plain_seconds(path) * size
    found = {}
    for name, text in texts:
        if seconds(path, text) > MOST * usual:
            # Once more, as others may have had the processor's caches.
            ratio = min(seconds(path, text) for _ in range(3)) / usual
            if ratio > MOST:
                found[name] = ratio
    return found


@pytest.mark.parametrize("path", PLAIN)
def test_no_input_takes_much_longer_than_a_plain_file(path):
    assert not slow(path, list(inputs(path)), SIZE)


@pytest.mark.parametrize("path", HARDEST)
def test_hardest_inputs_are_bounded_up_to_the_largest_file(path):
    texts = [(unit, repeated(unit, LARGE, path)) for unit in HARDEST[path]]
    assert not slow(path, texts, LARGE)
    unit = HARDEST[path][0]
    assert not slow(path, [(unit, repeated(unit, BOUND, path))], BOUND)


@pytest.mark.parametrize("path", ["a.go", "a.rs", "a.h"])
def test_plain_file_is_parsed_up_to_the_largest(path):
    facts = extract(added(path, plain(path, BOUND)), {}, thread_time)
    assert not facts.files[0].unparsed
    assert len(facts.of(FactKind.SYMBOL)) > 300


NAMES = {
    "a.py": [
        "def f{n}(a, b=K{n}):\n    return a\n\n",
        "class C{n}(C{m}):\n    def run(self, a=1):\n        return a\n",
        "@dataclass\nclass C{n}(C{m}):\n    size{n}: int = 1\n",
        "def f{n}(\n",
        "@app.get('/v1/m{n}')\ndef g(): ...\n",
        "x = os.environ.get('A{n}_URL', '{n}')\n",
        "p.add_argument('--flag-{n}', default={n}, help='do {n}')\n",
        "C = Counter('a{n}_total', 'Help {n}')\n",
        "def f{n}(a):\n    warnings.warn('f{n} is deprecated, use g{n}', DeprecationWarning)\n",
    ],
    "a.go": [
        GO,
        'type S{n} struct {{\n\tS{m}\n\tA{n} int `json:"a"`\n}}\n',
        'var x = app.Flag("a{n}", "help").Default("{n}").Int()\n',
        'var C = prometheus.CounterOpts{{Namespace: n{n}, Name: "a{n}_total"}}\n',
    ],
    "a.rs": [
        RUST,
        '#[arg(long = "flag-{n}", default_value_t = {n})]\npub flag_{n}: u8,\n',
        "impl S{n} {{ pub fn run(&self) {{}} }}\npub enum E{n} {{ A, B{n}, C(u8) }}\n",
        'app.route("/v1/m{n}", get(h{n}));\n',
    ],
    "a.ts": [
        SCRIPT,
        "export interface I{n} extends I{m} {{\n  a{n}: string\n}}\n",
        "export {{ a{n} as b{n} }} from './x{n}';\n",
        "/** @deprecated use g{n} */\nexport function f{n}() {{}}\n",
    ],
    "A.java": [JAVA, '@GetMapping("/v1/m{n}") public void f{n}() {{}}\n'],
    "a.h": [HEADER, "struct S{n} : S{m} {{\n  int a{n} = 1;\n}};\n", "#define K{n} {n}\n"],
    "README.md": [
        "# H{n}\n\n`a{n}` is deprecated, use `b{n}`.\n",
        "| `flag_{n}` | int | `{n}` |\n",
    ],
    "CHANGELOG.md": ["## v1.{n}\n\n- **Breaking**: remove a{n} (#{n})\n"],
    "docker-compose.yml": ["  a{n}:\n    image: a/b{n}:1.{n}\n"],
    "gradle/libs.versions.toml": ['a{n} = {{ module = "a:b{n}", version = "1.{n}" }}\n'],
}
"""Units of which each has another name, in a file that has all of them."""

NAMES |= {path: [PLAIN[path]] for path in (*list(PLAIN)[9:], "a.cuh")}

STEEP = 9
"""Times as long four times as many names may take; what compares each with each takes sixteen."""

PRIVATE = [
    ("def ", "def _"),
    ("class C", "class _C"),
    ("pub ", ""),
    ("export ", ""),
    ("public ", ""),
]

FEW = 5_000
"""Characters of the file with a quarter of the names."""


def numbered(unit: str, first: int, number: int) -> list[str]:
    return [unit.format(n=n, m=n - 1) for n in range(first, first + number)]


def replacing(path: str, pairs: list[tuple[str, str]]) -> tuple[Change, dict[str, str]]:
    """A change of a file in which each text of some lines became another one."""
    before, after, hunks, rows = "# x\n", "# x\n", [], [2, 2]
    for old, new in pairs:
        removed, fresh = tuple(old.splitlines()), tuple(new.splitlines())
        starts = rows[0] - (not removed), rows[1] - (not fresh)
        hunks.append(Hunk(old_start=starts[0], new_start=starts[1], removed=removed, added=fresh))
        rows = [rows[0] + len(removed) + 1, rows[1] + len(fresh) + 1]
        before, after = f"{before}{old}\n", f"{after}{new}\n"
    file = replace(added(path, "").files[0], status=FileStatus.MODIFIED, hunks=tuple(hunks))
    file = replace(file, old_id=blob(before), new_id=blob(after), old_mode="100644")
    change = Change(commit=commit("Rename a1 to b1"), files=(file,))
    return change, {blob(before): before, blob(after): after}


def replaced(path: str, pairs: list[tuple[str, str]]) -> float:
    change, texts = replacing(path, pairs)
    start = process_time()
    extract(change, texts, thread_time)
    return process_time() - start


def names_replaced(path: str, unit: str, size: int, kind: str) -> float:
    """The seconds that a file takes in which each unit has become another one, or none is left."""
    number = size // len(unit.format(n=1000, m=1000)) + 2
    old = numbered(unit, 0, number)
    if kind == "removed":
        return replaced(path, [("".join(old), "")])
    for public, private in PRIVATE if kind == "hidden" else ():
        unit = unit.replace(public, private)
    new = numbered(unit, 0 if kind == "hidden" else 10 * number, number)
    return replaced(path, list(zip(old, new, strict=True)))


@pytest.mark.parametrize("kind", ["renamed", "hidden", "removed"])
@pytest.mark.parametrize("path", NAMES)
def test_time_grows_as_the_number_of_names(path, kind):
    names_replaced(path, NAMES[path][0], FEW, kind)
    steep = {}
    for unit in NAMES[path]:
        if kind == "hidden" and not any(public in unit for public, _ in PRIVATE):
            continue
        few = max(min(names_replaced(path, unit, FEW, kind) for _ in range(3)), 0.004)
        if names_replaced(path, unit, 4 * FEW, kind) > STEEP * few:
            ratio = median(growth(path, unit, kind) for _ in range(5))
            if ratio > STEEP:
                steep[unit] = ratio
    assert not steep


def growth(path: str, unit: str, kind: str) -> float:
    """How much longer four times as many names take, both measured one after the other.

    What else the machine does lengthens processor time too, but seldom that of one of them alone.
    """
    few = max(names_replaced(path, unit, FEW, kind), 0.004)
    return names_replaced(path, unit, 4 * FEW, kind) / few


def test_bodies_with_common_lines_are_compared_in_time():
    old, new = (
        "".join(
            f"def {name}{n}():\n" + "".join(f"    x\n    {name}{k}\n" for k in range(140))
            for n in range(4)
        )
        for name in "fg"
    )
    assert replaced("a.py", [(old, new)]) < MOST * max(seconds("a.py", plain("a.py", 9_000)), 0.01)


def test_help_texts_of_many_signs_are_compared_in_time():
    chance = Random(1)
    texts = ("".join(chr(0x4E00 + chance.randrange(110)) for _ in range(3_800)) for _ in range(10))
    flags = [f"p.add_argument('--flag-{n}', help='{text}')\n" for n, text in enumerate(texts)]
    took = replaced("a.py", [("".join(flags[:5]), "".join(flags[5:]))])
    assert took < MOST * seconds("a.py", plain("a.py", 20_000))


def test_classes_that_inherit_from_each_other_are_read_in_time():
    bases = ", ".join(f"C{n}" for n in range(20))
    unit = f"class C{{n}}({bases}):\n    def {{name}}(self): ...\n    x: int\n"
    pairs = [(unit.format(n=n, name="f"), unit.format(n=n, name="g")) for n in range(20)]
    assert replaced("a.py", pairs) < MOST * max(seconds("a.py", plain("a.py", 2_000)), 0.01)


def test_every_method_of_a_long_class_keeps_its_name():
    """Searching for the class above each of them took more steps than one file had."""
    head, ends = "class A(B):\n    x = 1\n\n", [f"{n}(self):\n        ...\n" for n in range(600)]
    pairs = [(f"    def f{end}", f"    def g{end}") for end in ends]
    pairs[0] = (head + pairs[0][0], head + pairs[0][1])
    facts = extract(*replacing("a.py", pairs))
    assert {fact.name for fact in facts.items} == {f"A.{c}{n}" for c in "fg" for n in range(600)}


OPTIONS = "N{n} = Namespace(\n    a=Option({n}, type='int'),\n)\n"
VALUES = [
    "-", "~-", "not ", "a.", "a+", "a**", "a if b else ", "lambda:", "await ", "(", "[", "{", "f(", "a[",
    "{a:", "f'{", "a,", "*a,", "a for a in ", "'a' ", "b'a' ", "\\\n", "1_", "0x", "a:=", "yield ",
]  # fmt: skip


@pytest.mark.parametrize("unit", VALUES)
@pytest.mark.parametrize("times", [300, 2_000, 15_000])
def test_no_value_of_an_option_takes_longer_than_plain_options(unit, times):
    hostile = f"N0 = Namespace(\n    a=Option({unit * times}1, type='int'),\n)\n"
    usual = "".join(OPTIONS.format(n=n) for n in range(len(hostile) // 50 + 2))
    took = min(seconds("a.py", hostile) for _ in range(2))
    assert took < MOST * max(seconds("a.py", usual), 0.01)


def test_option_nested_too_deep_hides_no_other_file():
    old, new = OPTIONS.format(n=1), OPTIONS.format(n="-" * 2_000 + "1")
    found = facts_of("Add it", ("a.py", old, new), ("b.py", "", "def run(a): ...\n"))
    assert {fact.name for fact in found.items} == {"run"}


def test_file_that_is_too_complex_is_told_by_path_and_leaves_others_alone():
    hostile = repeated("case a:", 20_000, "a.go")
    facts = facts_of("Add it", ("a/x.go", None, hostile), ("b/y.go", None, plain("a.go", 2_000)))
    assert [file.unparsed for file in facts.files] == [True, False]
    assert {f.evidence.path for f in facts.items} == {"b/y.go"}
    assert facts_of("Add it", ("a/x.go", None, hostile)) == facts_of(
        "Add it", ("a/x.go", None, hostile)
    )


def test_file_beyond_the_bound_is_told_as_not_parsed():
    facts = extract(added("a.go", plain("a.go", 401_000)), {})
    assert facts.files[0].unparsed
    assert not facts.items


def test_change_of_many_hostile_files_ends_with_its_budget():
    hostile = repeated("[[new", 60_000, "a.h")
    files = [added(f"a{n}.h", hostile).files[0] for n in range(40)]
    change = Change(commit=commit("Add it"), files=tuple(files))
    start = process_time()
    # By this clock a tenth of the budget's seconds are its end.
    batch = grade_batch(Batch(changes=(change,), texts={}, clock=lambda: 10 * thread_time()))
    assert process_time() - start < 6 * slowness()  # some 1.2 seconds; without an end, minutes
    assert batch.failures == {}
    assert all(file.unparsed for file in batch.changes[0].facts.files)


def test_budget_counts_steps_the_same_whatever_the_time():
    spent = []
    for _ in range(2):
        budget = ParseBudget()
        with pytest.raises(TooComplex):
            parse(repeated("case a:", 8_000), "go", budget)
        spent.append(budget.steps)
    assert spent[0] == spent[1] < ParseBudget().steps


def test_budget_ends_with_the_time_where_steps_are_slow():
    ticks = count()
    budget = ParseBudget(clock=lambda: float(next(ticks)), seconds=5.0)
    with pytest.raises(TooComplex):
        parse(plain("a.go", 50_000), "go", budget)
    assert budget.seconds < 5.0
    assert budget.steps > ParseBudget().steps - 50  # of 594 for the whole file


@pytest.mark.parametrize(("path", "unit"), [("a.h", "&&;"), ("a.py", "\\\n;")])
def test_parser_is_stopped_within_a_text_that_is_parsed_at_once(path, unit):
    text = repeated(unit, 20_000, path)
    usual = max(min(seconds(path, plain(path, 20_000)) for _ in range(2)), 0.005)
    took = min(seconds(path, text) for _ in range(2))
    assert took < MOST * usual


def test_change_without_steps_parses_nothing_more():
    budget = ParseBudget(steps=0)
    with pytest.raises(TooComplex):
        parse("package p\n" * 200, "go", budget)


def test_lexer_that_looks_through_the_rest_of_the_text_is_counted():
    opened = "".join(f'r{"#" * n}" ' for n in range(1, 255)) * 2
    with pytest.raises(TooComplex):
        parse(opened + "a\n" * 30_000, "rust", ParseBudget())


def test_every_grammar_is_searched():
    parsed = {"a.go", "a.py", "a.rs", "a.ts", "a.tsx", "a.js", "A.java", "a.h"}
    assert len(grammar._GRAMMARS) - 1 == len(parsed)  # C is read by that of C++
    assert parsed <= set(HARDEST)


AROUND = [
    ("pkg/a.py", "__all__ = [\n", "function"),
    ("lib/a.d.ts", '"files": [', "field"),
    ("src/a.rs", "pub(\n", "field"),
]
"""Lists and brackets that nothing closes, in the files that show whether a name is public."""


@pytest.mark.parametrize(("path", "unit", "detail"), AROUND)
def test_files_around_a_name_are_read_in_time_that_grows_as_their_length(path, unit, detail):
    place = Evidence(path=path, line=1, side=Side.OLD)
    lost = Fact(
        kind=FactKind.SYMBOL,
        action=Action.REMOVED,
        name="T.x",
        evidence=place,
        detail=detail,
    )

    turns = count()

    def taken(size: int) -> float:
        text = f"{unit * (size // len(unit))} {next(turns)}"  # another text, as readers keep some
        start = process_time()
        with_exposure(lost, dict.fromkeys(files_around(lost), text))
        return process_time() - start

    assert min(taken(40_000) for _ in range(3)) < STEEP * max(
        min(taken(10_000) for _ in range(3)), 0.004
    )
