"""Settings modules, tables of options in scripts, and features of crates."""

from __future__ import annotations

import pytest

from digest.facts.exposure import with_exposure
from tests.unit.digest.facts.changes import facts_of


def told(path: str, old: str | None, new: str | None) -> list[str]:
    return [
        f"{f.action} {f.name} {f.before} -> {f.after}"
        for f in facts_of("Change things", (path, old, new)).items
    ]


SETTINGS = (
    '__all__ = [\n    "SPOOL_LIMIT",\n    "USE_SPOOL",\n]\n\nSPOOL_LIMIT = 10\nUSE_SPOOL = True\n'
)


def test_settings_of_a_module_go_change_and_get_other_names() -> None:
    path = "shop/settings/default_settings.py"
    assert told(path, SETTINGS, SETTINGS.replace("10", "20")) == ["changed SPOOL_LIMIT 10 -> 20"]
    less = SETTINGS.replace('    "SPOOL_LIMIT",\n', "").replace("SPOOL_LIMIT = 10\n", "")
    assert told(path, SETTINGS, less) == ["removed SPOOL_LIMIT 10 -> None"]
    new = SETTINGS.replace("USE_SPOOL", "USE_SPOOL_FILES")
    assert told(path, SETTINGS, new) == ["renamed USE_SPOOL_FILES USE_SPOOL -> USE_SPOOL_FILES"]


def test_constants_of_other_modules_are_no_settings() -> None:
    assert told("shop/limits.py", SETTINGS, SETTINGS.replace("10", "20")) == []


TABLE = """\
const poolOptions = {
  lowest: {
    description: 'Least number of workers',
    argument: '<n>',
  },
  size: {
    description: 'Number of workers',
    argument: '<n>',
  },
}

export const options = {
  watch: {
    description: 'Watch files',
    type: 'boolean',
  },
  pool: {
    description: 'Workers',
    argument: '<name>',
    subcommands: {
      threads: {
        description: 'Threads',
        subcommands: poolOptions,
      },
      forks: {
        description: 'Processes',
        subcommands: {
          ...poolOptions,
        },
      },
    },
  },
}
"""
WATCH = "  watch: {\n    description: 'Watch files',\n    type: 'boolean',\n  },\n"
LOWEST = "  lowest: {\n    description: 'Least number of workers',\n    argument: '<n>',\n  },\n"


def test_options_of_a_table_are_flags_by_their_whole_names() -> None:
    path = "src/cli/options.ts"
    assert told(path, TABLE, TABLE.replace(WATCH, "")) == ["removed --watch None -> None"]
    assert told(path, TABLE, TABLE.replace(LOWEST, "")) == [
        "removed --pool.forks.lowest None -> None",
        "removed --pool.threads.lowest None -> None",
    ]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("src/rules/meta.ts", TABLE, TABLE.replace(WATCH, "")),  # no program
        (
            "src/cli/schema.ts",
            TABLE.replace("options = {", "schema = {\n  properties: {").replace(WATCH, WATCH),
            TABLE.replace("options = {", "schema = {\n  properties: {").replace(WATCH, ""),
        ),
        ("src/cli/options.ts", TABLE, TABLE.replace("type: 'boolean'", "type: 'flag'")),
    ],
)
def test_other_tables_and_changes_of_an_option_remove_no_flag(
    path: str, old: str, new: str
) -> None:
    text = (old, new)
    if "schema" in path:  # members of a schema stand one step deeper
        text = tuple(
            t.replace(WATCH, "".join(f"  {x}\n" for x in WATCH.splitlines())) for t in text
        )
    assert [one for one in told(path, *text) if one.startswith("removed")] == []


CRATE = """\
[package]
name = "spool"

[features]
default = ["application"]
application = [
    "less",
    "git",
]
less = ["dep:run"]
git = []
colour = ["dep:term"]  # "git"
"""


def test_features_of_a_crate_go_or_are_no_longer_on() -> None:
    less = CRATE.replace('colour = ["dep:term"]  # "git"\n', "")
    assert told("Cargo.toml", CRATE, less) == ["removed colour None -> None"]
    assert told("Cargo.toml", CRATE, CRATE.replace('    "less",\n', "")) == [
        "changed less on -> off"
    ]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("crates/spool/Cargo.toml", CRATE),
        ("Cargo.toml", CRATE.replace("[features]", "publish = false\n\n[features]")),
    ],
)
def test_features_of_parts_and_of_unpublished_crates_are_internal(path: str, text: str) -> None:
    assert told(path, text, text.replace('    "less",\n', "")) == []


OPTION = """\
from functools import partial

progress = partial(
    Option,
    "--progress",
    choices=["on", "off", "raw"],
    default="on",
)
"""


def test_options_that_are_made_later_are_flags() -> None:
    path = "shop/cli/options.py"
    assert told(path, OPTION, OPTION.replace('="on"', '="off"')) == [
        'changed --progress "on" -> "off"'
    ]
    gone = OPTION.partition("progress")[0]
    assert told(path, OPTION, gone) == ['removed --progress "on" -> None']


def test_a_value_that_a_flag_no_longer_takes_is_removed() -> None:
    path = "shop/cli/options.py"
    assert told(path, OPTION, OPTION.replace(', "raw"', "")) == [
        "removed --progress=raw None -> None"
    ]
    others = OPTION.replace('"raw"', '"plain"')
    assert told(path, OPTION, others) == [
        'changed --progress ["on", "off", "raw"] -> ["on", "off", "plain"]'
    ]


RUST = """\
const SPOOL_LIMIT: &str = "SPOOL_LIMIT";
const SPOOL_LONG_NAME: &str =
    "SPOOL_LONG_NAME";
const SPOOL_KEY: &str = "SPOOL_KEY";

#[derive(Parser)]
pub struct Opt {
    #[clap(env = SPOOL_LIMIT)]
    pub limit: u8,
    #[clap(env = SPOOL_LONG_NAME)]
    pub long: u8,
}
"""


def test_variables_of_rust_may_stand_in_constants() -> None:
    assert told("src/option.rs", "fn f() {}\n", RUST) == [
        "added SPOOL_LIMIT None -> None",
        "added SPOOL_LONG_NAME None -> None",
        "added Opt None -> ",
    ]


OLD = """\
import warnings


class Spool:
    def __init__(self):
        warnings.warn("shop.spool.Spool is deprecated", DeprecationWarning)


class Heap:
    pass
"""


def test_what_was_deprecated_before_it_went_is_public() -> None:
    gone = facts_of("Clean up", ("shop/spool.py", OLD, "")).items
    assert {f.name: f.public for f in gone if f.kind == "symbol"} == {"Spool": True, "Heap": None}
    marked = "export interface Options {\n  /** @deprecated */\n  a?: 1\n  b?: 1\n}\n"
    less = marked.replace("  /** @deprecated */\n  a?: 1\n", "")
    gone = facts_of("Clean up", ("src/types.ts", marked, less)).items
    assert [(f.name, f.public) for f in gone if f.kind == "config"] == [("Options.a", True)]


def test_what_had_a_heading_in_documents_is_public() -> None:
    code = "export interface PoolOptions {\n  size?: number\n  least?: number\n}\n"
    page = "# Options\n\n### pool.least {#least}\n\nThe least number.\n\n### pool.size\n"
    found = facts_of(
        "Clean up",
        ("src/types.ts", code, code.replace("  least?: number\n", "")),
        (
            "docs/config.md",
            page,
            page.replace("### pool.least {#least}\n\nThe least number.\n", ""),
        ),
    ).items
    assert [(f.name, f.public) for f in found if f.kind == "config"] == [
        ("PoolOptions.least", True)
    ]


def test_a_script_beside_the_packages_is_internal() -> None:
    old = "class Bench:\n    limit = 3\n\n    def run(self): ...\n"
    new = old.replace("    limit = 3\n\n", "")
    assert told("extras/bench.py", old, new) == []
    assert told("shop/bench.py", old, new) == ["removed Bench.limit None -> None"]


def test_a_second_export_of_what_an_index_offers_is_internal() -> None:
    old = "export { Spool } from './spool'\n"
    (fact,) = facts_of("Clean up", ("src/entry.ts", old, "")).items
    assert (
        with_exposure(fact, {"src/index.ts": "export { Spool } from './spool'\n"}).public is False
    )


TYPES = """\
export interface Old<T> {
  lastCall: () => void
  called: () => void
}

export interface Chained {
  lastCall: () => void
}

export interface Assertion<T>
  extends Old<T>,
  Chained {
  check: () => void
}
"""


def test_a_member_that_another_base_of_the_same_type_has_is_not_removed() -> None:
    less = TYPES.replace("  lastCall: () => void\n  called", "  called")
    assert told("src/index.ts", TYPES, less) == []
    apart = TYPES.replace("  Chained {", "  Other {")
    gone = apart.replace("  lastCall: () => void\n  called", "  called")
    assert told("src/index.ts", apart, gone) == ["removed Old.lastCall None -> None"]
