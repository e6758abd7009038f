"""Huge code, in the language of its path or not: read in time, with a bound on steps alone."""

from dataclasses import replace

import pytest

from digest.core.change import Hunk
from digest.core.facts import Area
from digest.facts import code
from tests.support.speed import within
from tests.unit.digest.facts.changes import scene

HUGE = {
    "one long line": "x = [" + "1, " * 300_000 + "]",
    "open brackets": "parser.add_argument(" * 30_000,
    "nested calls": "f(" * 100_000,
    "nested braces": "{" * 200_000,
    "nested functions": "".join(" " * i + f"def f{i}():\n" for i in range(300)),
    "deep classes": "".join(" " * i + f"class C{i}:\n" for i in range(300)),
    "quotes": "'\"" * 200_000,
    "open strings": '"""' + "a\n" * 100_000 + "'''" * 20_000,
    "many headers": "def f(a, b=1): ...\n" * 20_000,
    "same methods": "class A:\n" + "    def run(self): ...\n" * 8_000,
    "many fields": "@dataclass\nclass C:\n"
    + "".join(f"    a{i}: int = {i}\n" for i in range(8_000)),
    "variables": 'os.environ.get("X", \n' * 20_000,
    "table": "t = {\n" + "".join(f'    "A_{i}": lambda: env(\n' for i in range(10_000)),
    "routes": '@a.get("/' * 40_000,
    "counters": "Counter(" * 40_000,
    "mixed tabs": "\tdef f(a):\n        \tpass\n" * 10_000,
    "carriage returns": "def f(a):\r" * 40_000,
    "colons": "a: " * 200_000,
    "commas": "def f(" + "a," * 200_000,
    "nulls": "\0" * 500_000,
    "arrows": ") -> " * 100_000,
    "receivers of flags": "fF" * 24_000 + '.f.String("x")',
    "blank defaults": ('a.long("x").default_value(' + " " * 550 + "\n") * 80,
    "raw strings without an end": "#" + 'r#"' * 16_000,
    "raw strings of many sorts": "".join(f'r{"#" * n}" ' for n in range(1, 255)) + "a\n" * 5_000,
    "slashes below attributes": "#[arg(long)]\n" + "/" * 500 + "\n!\n",
    "attributes without a field": "#[arg(long)]\n" + "#[]" * 150 + "\n!\n",
    "structures in structures": "struct A { int x = 1;\n" * 10_000,
    "words of structures": "struct " * 60_000,
    "escaped quotes": '"' + '\\"' * 200_000,
    "a field without an end": "struct A {\n" + "int a1 = " * 40_000,
    "members of an enumeration": "enum A {\n" + "B1 = 1,\n" * 40_000 + "};\n",
    "defaults": "var DefaultX = T{\n" + "\tA: 1,\n" * 40_000,
    "tables of options": "N = dict(\n" + "".join(f"a{i}=Option(1),\n" for i in range(10_000)) + ")",
    "attributes of classes": "class A:\n" + "    a = 1\n" * 30_000,
    "fields of constants": "@dataclass\nclass C:\n"
    + "".join(f"    a{i}: int = B1\n" for i in range(8_000)),
    "features": 'f("enable-features")\n' + 'case "a1", "b":\n' * 20_000,
    "fallbacks": "x.a ?? 1\n" * 30_000,
}


@pytest.mark.parametrize("path", ["a.py", "a.rs", "a.ts", "a.go", "include/a.h"])
@pytest.mark.parametrize("name", HUGE)
def test_huge_input_is_read_in_time(path, name):
    old = HUGE[name][: 200_000 if path == "a.py" else 25_000]
    new = old.replace("1", "2") + "\ndef last(): ...\n"

    def read() -> None:
        one = whole(path, old, new)
        code.wants(one.file, Area.CORE, one.language)
        list(code.find(one))

    assert within(2, read)


def whole(path, old, new):
    """The whole text as one hunk: aligning such texts would take longer than what is tested."""
    one = scene(path, "a\n", "b\n")
    hunk = Hunk(
        old_start=1, new_start=1, removed=tuple(old.split("\n")), added=tuple(new.split("\n"))
    )
    return replace(one, file=replace(one.file, hunks=(hunk,)), old=old, new=new)
