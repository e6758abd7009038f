"""Which files of a change are read whole, judged from their hunks."""

import pytest

from digest.core.change import FileChange, FileStatus, Hunk
from digest.core.facts import Area
from digest.facts import code


def wants(
    path, language, *, removed=(), added=(), section="", area=Area.CORE, status=FileStatus.MODIFIED
):
    hunk = Hunk(
        old_start=9, new_start=9, removed=tuple(removed), added=tuple(added), section=section
    )
    return code.wants(FileChange(path=path, status=status, hunks=(hunk,)), area, language)


@pytest.mark.parametrize(
    ("line", "section"),
    [
        ("def load(path):", ""),
        ("    async def run(self):", "class A:"),
        ("class Engine(Base):", ""),
        ("    limit: int = 3,", "def load("),
        ("        limit: int = 3,", "class Engine:"),
        ("        limit=3,", "class Engine:"),
        ("    size: int = 16", "class Config:"),
        (") -> str:", "def load("),
        ("    def f(self, a, b):", "class A:"),
        ("              b=None):", "class A:"),
        ('    parser.add_argument("--x")', "def main():"),
        ('    "APP_X": lambda: 1,', ""),
        ('@app.get("/x")', ""),
    ],
)
def test_lines_that_may_touch_the_interface_want_the_texts(line, section):
    assert wants("a.py", "python", added=[line], section=section)
    assert wants("a.py", "python", removed=[line], section=section)


@pytest.mark.parametrize(
    ("line", "section"),
    [
        ("        return value", "class A:"),
        ("            size=self.size,", "class A:"),
        ("        value = compute(a, b)", "class A:"),
        ("        for a in (1, 2):", "class A:"),
        ("            if f(a):", "class A:"),
        ("# a comment", ""),
        ("import os", ""),
        ("", ""),
    ],
)
def test_lines_of_bodies_do_not(line, section):
    assert not wants("a.py", "python", added=[line], section=section)


@pytest.mark.parametrize(
    ("path", "language", "line", "section", "wanted"),
    [
        ("a.rs", "rust", "pub fn f() {}", "", True),
        ("a.rs", "rust", "        count: usize,", "impl Engine {", True),
        ("a.rs", "rust", "        count: usize,", "pub fn f() {", False),
        ("a.rs", "rust", "    pub fn f() {}", "mod tests {", False),
        ("a.rs", "rust", "    let a = 1;", "pub fn f() {", False),
        ("a.go", "go", "func Run() {", "", True),
        ("a.go", "go", "\treturn nil", "func Run() {", False),
        ("a.ts", "typescript", "export const a = 1;", "", True),
        ("a.ts", "typescript", "    return a;", "", False),
        ("a.h", "cpp", "int f(int a);", "", True),
        ("a.h", "cpp", "  x += 1;", "inline int f(int a) {", False),
        ("a.cc", "cpp", "int f(int a);", "", False),
        ("a.md", "markdown", "def f(): ...", "", False),
    ],
)
def test_other_languages(path, language, line, section, wanted):
    assert wants(path, language, added=[line], section=section) is wanted


@pytest.mark.parametrize("area", [Area.TESTS, Area.DOCS, Area.EXAMPLES, Area.BENCHMARKS, Area.CI])
def test_areas_without_an_interface_want_nothing(area):
    assert not wants("a.py", "python", added=["def load(path):"], area=area)


def test_flags_of_build_files_count_and_their_symbols_do_not():
    assert wants("setup.py", "python", added=['x = os.environ.get("X_Y")'], area=Area.BUILD)
    assert not wants("setup.py", "python", added=["def load(path):"], area=Area.BUILD)


@pytest.mark.parametrize("status", [FileStatus.ADDED, FileStatus.DELETED])
def test_files_that_come_or_go_are_whole_in_their_hunks(status):
    assert not wants("a.py", "python", added=["def load(path):"], status=status)
