"""Names that an index of a package offers, whether it declares them or passes them on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from digest.core.facts import Action, FactKind
from digest.facts.call_arguments import breaks_code
from digest.facts.exposure import files_around, with_exposure
from tests.unit.digest.facts.changes import facts_of

INDEX = "export { split, join } from './split'\nexport { load as read } from './load'\n"


def offered(old: str, new: str, path: str = "src/index.ts") -> list[tuple[str, str]]:
    facts = facts_of("Change the interface", (path, old, new)).of(FactKind.SYMBOL)
    return sorted((f.action.value, f.name) for f in facts)


def test_index_of_one_part_does_not_say_that_users_import_it() -> None:
    for path, public in (
        ("packages/ui/src/elements/Group/index.tsx", None),
        ("packages/ui/src/index.tsx", True),
        ("packages/ui/src/exports/client/index.ts", True),
    ):
        file = (path, "export const Group = () => 1\nexport const b = 1\n", "export const b = 1\n")
        fact = next(f for f in facts_of("Drop it", file).of(FactKind.SYMBOL))
        text = {"packages/ui/package.json": "{}", path: file[1]}
        assert with_exposure(fact, text).public is public


def test_packages_of_java_that_call_themselves_internal_offer_nothing() -> None:
    for path, public in (
        ("a/internals/b/C.java", False),
        ("a/impl/C.java", False),
        ("a/C.java", True),
    ):
        file = (f"streams/src/main/java/{path}", "public class C {\n}\n", None)
        (fact,) = facts_of("Drop it", file).of(FactKind.SYMBOL)
        assert with_exposure(fact, {}).public is public


def test_module_is_named_as_importers_write_it_without_folders_around_its_package() -> None:
    path = "shop_slim/shop/server/app.py"
    fact = next(
        f for f in facts_of("Drop it", (path, "x = 1\n", None)).items if f.detail == "module"
    )
    shown = with_exposure(fact, {"shop_slim/shop/__init__.py": "", path: "__all__ = ['x']\n"})
    assert (shown.name, shown.public) == ("shop.server.app", True)
    known = replace(fact, public=True)
    assert with_exposure(known, {"shop_slim/shop/__init__.py": ""}).name == "shop.server.app"


def test_a_name_that_leaves_a_list_of_exports_is_removed_by_the_name_it_had_there():
    assert offered(INDEX, INDEX.replace("split, join", "join")) == [("removed", "split")]
    assert offered(INDEX, INDEX.partition("\n")[0] + "\n") == [("removed", "read")]
    assert offered(INDEX.replace("split, ", ""), INDEX) == [("added", "split")]


def test_a_name_of_a_list_over_several_lines_is_read():
    old = "export {\n  split,\n  join,\n} from './split'\n"
    assert offered(old, old.replace("  split,\n", "")) == [("removed", "split")]


def test_a_list_that_becomes_an_export_of_everything_removes_nothing():
    assert offered(INDEX, "export * from './split'\nexport { load as read } from './load'\n") == []


def test_exports_of_another_package_are_not_the_own_interface():
    old = "export { transform } from 'builder'\n" + INDEX
    assert offered(old, INDEX) == []
    aliased = INDEX.replace("split, ", "") + "export { cut as split } from 'builder'\n"
    assert offered(INDEX, aliased) == []


def test_an_imported_name_that_is_exported_is_added():
    old = "import type { Options } from './types'\nexport const a = 1\n"
    new = old + "export type { Options }\n"
    assert offered(old, new) == [("added", "Options")]


def test_two_names_of_a_list_are_no_rename():
    assert offered(
        "export { createFilter } from './utils'\n", "export { createFilters } from './utils'\n"
    ) == [("added", "createFilters"), ("removed", "createFilter")]


def test_a_function_and_its_export_are_one_removal_told_where_it_was_offered():
    rest = "export const a = 1\n"
    facts = facts_of(
        "Drop it",
        ("src/split.ts", "export function split(): void {\n  run()\n}\n" + rest, rest),
        ("src/index.ts", "export { split, a } from './split'\n", "export { a } from './split'\n"),
    )
    (fact,) = facts.of(FactKind.SYMBOL, Action.REMOVED)
    assert (fact.detail, fact.before, fact.evidence.path) == (
        "function",
        "(): void",
        "src/index.ts",
    )


def test_what_an_index_only_uses_is_internal():
    old = "export function compile(): void {\n  run()\n}\n\nexport const a = 1\n"
    (fact,) = facts_of("Drop it", ("lib/src/compile.ts", old, "export const a = 1\n")).items
    used = "import { compile } from './compile'\nexport const b = compile()\n"
    listed = "export { compile } from './compile'\n"
    assert with_exposure(fact, {"lib/src/index.ts": used}).public is False
    assert with_exposure(fact, {"lib/src/index.ts": listed}).public is True


MANIFEST = """\
{
  "name": "vite",
  "exports": {
    "./client": {
      "types": "./client.d.ts"
    },
    "./terser": {
      "require": "./dist/terser.cjs"
    }
  }
}
"""


def test_a_path_that_leaves_the_exports_of_a_package_is_removed():
    lost = MANIFEST.replace(',\n    "./terser": {\n      "require": "./dist/terser.cjs"\n    }', "")
    assert offered(MANIFEST, lost, "package.json") == [("removed", "vite/terser")]
    assert offered(lost, MANIFEST, "package.json") == [("added", "vite/terser")]
    wide = lost.replace('"./client"', '"./*": "./dist/*",\n    "./client"')
    assert offered(MANIFEST, wide, "package.json") == [("added", "vite/*")]
    private = [t.replace("{\n", '{\n  "private": true,\n', 1) for t in (MANIFEST, lost)]
    assert offered(*private, "package.json") == []


def test_declarations_that_a_package_publishes_as_they_are_belong_to_its_interface():
    old = "export interface HotContext {\n  prune(): void\n  decline(): void\n}\n"
    path = "packages/vite/types/hot.d.ts"
    (fact,) = facts_of("Drop it", (path, old, old.replace("  decline(): void\n", ""))).items
    index = {"packages/vite/src/index.ts": "export const a = 1\n"}
    shipped = '{\n  "files": [\n    "dist",\n    "./types"\n  ]\n}\n'
    around = index | {"packages/vite/types/package.json": "{}\n"}
    assert with_exposure(fact, around | {"packages/vite/package.json": shipped}).public is True
    kept = shipped.replace("./types", "typesets")
    assert with_exposure(fact, around | {"packages/vite/package.json": kept}).public is False
    private = shipped.replace("{", '{\n  "private": true,', 1)
    assert with_exposure(fact, {"packages/vite/package.json": private}).public is False
    (whole,) = facts_of("Drop it", (path, old, "export const a = 1\n")).of(
        FactKind.SYMBOL, Action.REMOVED
    )
    assert with_exposure(whole, index | {"packages/vite/package.json": shipped}).public is False


def test_declarations_that_a_package_calls_internal_belong_to_no_interface():
    old = "export interface State {\n  prune(): void\n  tracing: boolean\n}\n"
    shipped = {"packages/kit/package.json": '{\n  "files": [\n    "src"\n  ]\n}\n'}
    for name, public in (("internal.d.ts", False), ("public.d.ts", True), ("intern.d.ts", True)):
        path = f"packages/kit/src/types/{name}"
        (fact,) = facts_of("Drop it", (path, old, old.replace("  tracing: boolean\n", ""))).items
        assert with_exposure(fact, shipped).public is public


def test_an_index_that_exports_all_types_under_a_name_can_be_read():
    head = "export type * as Proxy from './proxy'\nexport type * from './types'\n"
    old = head + "export { split } from './split'\nexport { load, loadAll } from './load'\n"
    new = old.replace("load, loadAll", "load")
    assert offered(old, new) == [("removed", "loadAll")]


def test_a_module_with_a_page_in_the_reference_is_public_unless_the_name_is_private():
    old = "class Command:\n    def prepare(self, options):\n        pass\n\n    def run(self):\n        pass\n"
    new = old.replace("    def prepare(self, options):\n        pass\n\n", "")
    (fact,) = facts_of("Tidy up", ("celery/bin/base.py", old, new)).items
    package = {"celery/__init__.py": "from .app import Celery\n"}
    page = "docs/reference/celery.bin.base.rst"
    assert with_exposure(fact, package).public is False
    shown = with_exposure(
        fact, {**package, page: ".. automodule:: celery.bin.base\n    :members:\n"}
    )
    assert shown.public is True
    other = with_exposure(fact, {**package, page: ".. automodule:: celery.bin.basement\n"})
    assert other.public is False
    assert page in set(files_around(fact))


CRATE = {
    "pool/Cargo.toml": "[package]\nname = 'pool'\n",
    "pool/src/lib.rs": "pub mod page;\nmod inner;\npub use inner::{Heap, Slot};\n",
    "pool/src/page/mod.rs": "mod table;\npub use self::table::*;\npub(crate) mod hidden;\n",
}


@pytest.mark.parametrize(
    ("path", "name", "public"),
    [
        ("page/mod.rs", "Book", True),
        ("page/table.rs", "Row", True),
        ("page/hidden.rs", "Row", None),
        ("inner.rs", "Heap", True),
        ("inner.rs", "Stack", None),
        ("lib.rs", "Pool", True),
    ],
)
def test_library_of_rust_offers_what_its_modules_pass_on(path, name, public):
    old = f"pub struct {name};\nimpl {name} {{\n    pub fn take(&self, n: u32) -> u32 {{\n"
    new = old.replace("n: u32", "n: u64")
    file = (f"pool/src/{path}", f"{old}        1\n    }}\n}}\n", f"{new}        1\n    }}\n}}\n")
    (fact,) = facts_of("Take more", file).of(FactKind.SYMBOL)
    assert set(CRATE) & set(files_around(fact)) >= {"pool/Cargo.toml", "pool/src/lib.rs"}
    texts = {p: t for p, t in CRATE.items() if p in set(files_around(fact))}
    shown = with_exposure(fact, texts)
    assert shown.public is public
    assert breaks_code(shown) is bool(public)
    for program in (
        {"pool/src/main.rs": "fn main() {}\n"},
        {"Cargo.toml": '[workspace]\ndefault-members = ["app"]\n'},
    ):
        assert with_exposure(fact, {**texts, **program}).public is None


def test_only_rust_counts_removed_names_as_broken_code():
    for path, broken in (("pool/src/lib.rs", True), ("pool/lib.py", False)):
        text = "pub fn take() {}\n" if broken else "def take():\n    pass\n"
        (fact,) = (f for f in facts_of("Drop it", (path, text, "\n")).of(FactKind.SYMBOL))
        assert breaks_code(replace(fact, public=True)) is broken
        assert not breaks_code(replace(fact, public=None))


def test_program_that_takes_another_argument_breaks_no_code():
    old = "def main(path):\n    pass\n\n\ndef take(path):\n    pass\n"
    new = old.replace("(path)", "(path, options)")
    found = facts_of("Give it", ("pool/run.py", old, new)).of(FactKind.SYMBOL)
    broken = {f.name: breaks_code(replace(f, public=True)) for f in found}
    assert broken == {"main": False, "take": True}
