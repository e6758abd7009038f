"""Settings modules, tables of options in scripts, and features of crates."""

from __future__ import annotations

import pytest

from digest.core.change import Change
from digest.core.facts import Action, FactKind
from digest.facts import tree_lookup
from digest.facts.exposure import with_exposure
from tests.unit.digest.facts.changes import commit, facts_of, file


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


def test_features_of_a_crate_without_its_list_of_defaults_are_off() -> None:
    bare = CRATE.replace('default = ["application"]\n', "")
    names = ("application", "git", "less")
    assert told("Cargo.toml", CRATE, bare) == [f"changed {name} on -> off" for name in names]
    assert told("Cargo.toml", bare, CRATE) == [f"changed {name} off -> on" for name in names]


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


ROWS = """\
static ngx_command_t  ngx_core_commands[] = {

    { ngx_string("worker_threads"),
      NGX_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_num_slot,
      offsetof(ngx_core_conf_t, worker_threads),
      NULL },

    { ngx_string("daemon"),
      NGX_MAIN_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      offsetof(ngx_core_conf_t, daemon),
      NULL },

      ngx_null_command
};

static ngx_conf_enum_t  ngx_levels[] = {
    { ngx_string("low"), 1 },
    { ngx_string("high"), 2 },
};

const std::unordered_map<std::string, Entry> k_config_table =
  {
    {"cache_dir", {ConfigItem::cache_dir}},
    {"compress", {ConfigItem::compress}},
};

static struct command shell_commands[] = {
    { "stop", do_stop, "Stops the server" },
};
"""


@pytest.mark.parametrize(
    ("removed", "expected"),
    [
        (
            ROWS[ROWS.index('    { ngx_string("worker') : ROWS.index('    { ngx_string("daemon')],
            ["removed worker_threads None -> None"],
        ),
        ('    {"compress", {ConfigItem::compress}},\n', ["removed compress None -> None"]),
        ('    { ngx_string("high"), 2 },\n', []),
        ('    { "stop", do_stop, "Stops the server" },\n', []),
    ],
)
def test_rows_of_a_table_of_settings_in_c_are_settings(removed: str, expected: list[str]) -> None:
    assert told("src/core.cpp", ROWS, ROWS.replace(removed, "")) == expected


def test_a_row_of_a_table_may_get_another_name() -> None:
    new = ROWS.replace("worker_threads", "worker_count")
    assert told("src/core.c", ROWS, new) == ["renamed worker_count worker_threads -> worker_count"]


VIPER = 'func load(v *viper.Viper) {\n\tv.SetDefault("rssUri", "index.xml")\n\tv.SetDefault("limit", 10)\n}\n'


def test_settings_that_go_gives_a_default_by_name() -> None:
    gone = VIPER.replace('\tv.SetDefault("rssUri", "index.xml")\n', "")
    assert told("config.go", VIPER, gone) == ['removed rssUri "index.xml" -> None']
    assert told("config.go", VIPER, VIPER.replace("10", "20")) == ["changed limit 10 -> 20"]


READS = """\
package cli

func New() *Settings {
	return &Settings{
		Max:  envIntOr("SHOP_MAX_ITEMS", 10),
		Path: envOr("SHOP_PATH_CONFIG", home.Path("shop.json")),
	}
}
"""


def test_functions_of_a_program_read_variables_with_a_default() -> None:
    assert told("cli/settings.go", READS, READS.replace("shop.json", "shop/a.json")) == [
        'changed SHOP_PATH_CONFIG home.Path("shop.json") -> home.Path("shop/a.json")'
    ]
    gone = READS.replace('\t\tMax:  envIntOr("SHOP_MAX_ITEMS", 10),\n', "")
    assert told("cli/settings.go", READS, gone) == ["removed SHOP_MAX_ITEMS 10 -> None"]
    sets = (
        'func f() {\n\tt.Setenv("SHOP_OTHER_NAME", "1")\n\tc.WithEnv("SHOP_THIRD_NAME", "1")\n}\n'
    )
    assert told("cli/start.go", "func f() {\n}\n", sets) == []


def test_letters_of_flags_of_rust_come_and_go() -> None:
    chain = 'fn app() {\n    Arg::new("strip")\n        .long("strip")\n        .short("P")\n        .help("x");\n}\n'
    new = chain.replace('.long("strip")\n        .short("P")', '.long("strip-all")')
    assert told("src/app.rs", chain, new.replace('"strip"', '"strip-all"')) == [
        "renamed --strip-all --strip -> --strip-all",
        "removed -P None -> None",
    ]
    field = '#[derive(Parser)]\nstruct Opts {\n    #[arg(\n        long,\n        help = "x",\n    )]\n    pub base: u8,\n}\n'
    short = field.replace("        long,\n", "        long,\n        short = 'C',\n")
    assert told("src/cli.rs", field, short) == ["added -C None -> None"]


def test_a_flag_that_keeps_only_its_letter_has_another_name() -> None:
    old = 'parser.add_argument("-d", "--directory", help="x")\n'
    new = 'parser.add_argument("-d", "--dir", help="x")\n'
    assert told("shop/cli.py", old, new) == ["renamed --dir --directory -> --dir"]


SCHEMA = """\
{
  "definitions": {
    "Output": {
      "type": "object",
      "properties": {
        "importName": {"type": "string", "description": "a"},
        "publicPath": {"$ref": "#/definitions/Path"},
        "limit": {"type": "number", "default": 3}
      }
    },
    "Path": {"type": "string"}
  },
  "properties": {
    "output": {"$ref": "#/definitions/Output"}
  }
}
"""


def test_a_json_schema_gives_the_settings_that_it_describes() -> None:
    path = "schemas/Options.json"
    gone = SCHEMA.replace(',\n        "limit": {"type": "number", "default": 3}', "")
    assert told(path, SCHEMA, gone) == ["removed output.limit None -> None"]
    assert told(path, gone, SCHEMA) == ["added output.limit None -> 3"]
    new = SCHEMA.replace('"importName"', '"dynamicImportName"')
    assert told(path, SCHEMA, new) == [
        "renamed output.dynamicImportName importName -> dynamicImportName"
    ]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("tests/schemas/Options.json", SCHEMA, "{}"),
        ("schemas/Options.json", SCHEMA, SCHEMA.replace('"type": "number"', '"type": "integer"')),
        ("schemas/list.json", '["importName"]\n', "[]\n"),
    ],
)
def test_other_json_and_changes_within_a_property_remove_nothing(
    path: str, old: str, new: str
) -> None:
    assert [one for one in told(path, old, new) if one.startswith("removed")] == []


def test_a_setting_of_code_and_schema_is_told_once() -> None:
    code = "#[derive(Deserialize)]\npub struct Options {\n    pub max_items: u8,\n    pub other: u8,\n}\n"
    schema = '{\n  "properties": {\n    "max-items": {},\n    "other": {}\n  }\n}\n'
    found = facts_of(
        "Clean up",
        ("src/settings.rs", code, code.replace("    pub max_items: u8,\n", "")),
        ("shop.schema.json", schema, schema.replace('    "max-items": {},\n', "")),
    ).items
    assert [(f.name, f.public) for f in found if f.action == "removed"] == [
        ("Options.max_items", True)
    ]


def test_what_developers_install_beside_the_project_is_no_dependency() -> None:
    text = "-e .[standard]\nasgiref==3.5.2\nbuild==0.10.0\n"
    found = facts_of("Clean up", ("requirements.txt", text, text.replace("asgiref==3.5.2\n", "")))
    assert [(f.name, f.detail) for f in found.items] == [("asgiref", "pip dev")]


def test_a_list_that_setup_takes_by_name_holds_dependencies() -> None:
    text = 'minimal = [\n    "asgiref>=3.4.0",\n    "click",\n]\nother = [\n    "x>=1",\n]\nsetup(\n    install_requires=minimal,\n)\n'
    new = text.replace('    "asgiref>=3.4.0",\n', "").replace('    "x>=1",\n', "")
    found = facts_of("Clean up", ("setup.py", text, new)).items
    assert [(f.name, f.detail) for f in found] == [("asgiref", "pip")]


def deprecated(message: str, path: str, old: str, new: str) -> list[str]:
    return [f.name for f in facts_of(message, (path, old, new)).items if f.kind == "deprecation"]


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        (
            "cmd/upgrade.go",
            'f.MarkDeprecated("recreate-pods", "no longer needed")',
            "--recreate-pods",
        ),
        ("cmd/run.go", 'helpers.Deprecated("--verbose", "use --level info", false)', "--verbose"),
        (
            "config/load.go",
            'hugo.Deprecate("project config key imaging.quality", "", "1")',
            "imaging.quality",
        ),
        (
            "cmd/gen.go",
            'cmd.Flags().BoolVar(&omitEmpty, "omitEmpty", false, `omit rules (deprecated, not needed)`)',
            "--omitEmpty",
        ),
    ],
)
def test_calls_of_go_name_what_they_deprecate(path: str, line: str, name: str) -> None:
    above = 'func f() {\n\t_ = cmd.RegisterFlagCompletionFunc("style", nil)\n'
    old = f'{above}\tcmd.Flags().StringVar(&style, "style", "", "x")\n}}\n'
    new = f'{above}\t{line}\n\tcmd.Flags().StringVar(&style, "style", "", "x")\n}}\n'
    assert deprecated("Tidy up", path, old, new) == [name]


def test_a_member_is_deprecated_by_the_code_and_not_by_another_name_in_the_message() -> None:
    old = "class Base:\n    @property\n    def fields(self):\n        return 1\n"
    new = old.replace(
        "        return",
        "        warnings.warn('`fields` is deprecated', DeprecationWarning)\n        return",
    )
    assert deprecated("Deprecate Model.fields for Model.all", "shop/main.py", old, new) == [
        "fields"
    ]


def test_exports_may_be_listed_without_brackets() -> None:
    old = "__all__ = 'Config', 'Model'\n\n\nclass Config:\n    limit = 3\n    other = 4\n"
    (fact,) = facts_of("x", ("shop/main.py", old, old.replace("    limit = 3\n", ""))).items
    package = {"shop/main.py": old, "shop/__init__.py": "from .main import *\n"}
    assert with_exposure(fact, package).public is True


DESIGNATED = """\
const struct options_table_entry options_table[] = {
    { .name = "escape-time",
      .type = OPTIONS_TABLE_NUMBER,
      .default_num = 500
    },

    { .name = "quiet",
      .type = OPTIONS_TABLE_FLAG,
      .default_num = 0
    },
};
"""


def test_rows_with_named_members_have_defaults() -> None:
    path = "options-table.c"
    new = DESIGNATED.replace("500", "10")
    assert told(path, DESIGNATED, new) == ["changed escape-time 500 -> 10"]
    gone = DESIGNATED[: DESIGNATED.index('\n    { .name = "quiet"')] + "};\n"
    assert told(path, DESIGNATED, gone) == ["removed quiet 0 -> None"]


CLASSES = """\
class Ciphers(Setting):
    name = "ciphers"
    cli = ["--ciphers"]
    default = "TLSv1"
    desc = "x"


class Other(Helper):
    name = "other"
    default = 1
"""


def test_a_class_of_python_may_be_one_setting() -> None:
    path = "shop/config.py"
    assert told(path, CLASSES, CLASSES.replace('"TLSv1"', "None")) == [
        'changed ciphers "TLSv1" -> None'
    ]
    gone = CLASSES[CLASSES.index("class Other") :]
    assert 'removed ciphers "TLSv1" -> None' in told(path, CLASSES, gone)
    other = told(path, CLASSES, CLASSES.replace("default = 1", "default = 2"))
    assert other == ["changed Other.default 1 -> 2"]


def test_flags_of_rust_may_be_values_of_a_structure() -> None:
    old = (
        "pub static BLOCKS: Arg = Arg { short: Some(b'S'), long: \"blocks\", takes: No };\n"
        'pub static GIT: Arg = Arg { short: None, long: "git", takes: No };\n'
    )
    renamed = told("src/flags.rs", old, old.replace('"blocks"', '"blocksize"'))
    assert renamed == ["renamed --blocksize --blocks -> --blocksize"]
    gone = told("src/flags.rs", old, old[: old.index("pub static GIT")])
    assert "removed --git None -> None" in gone


def test_a_short_flag_is_named_after_its_field() -> None:
    old = "#[derive(Parser)]\nstruct Query {\n    #[clap(long)]\n    pub all: bool,\n}\n"
    assert told("src/cmd.rs", old, old.replace("long", "long, short")) == ["added -a None -> None"]


RENAMED = """\
def send(path, filename=None):
    if filename is not None:
        warnings.warn(
            "The 'filename' parameter has been renamed to 'path'. The"
            " old name will be removed in Shop 2.1.",
            DeprecationWarning,
        )
    return path
"""


def test_a_parameter_of_which_the_text_says_that_it_was_renamed_is_deprecated() -> None:
    old = "def send(path):\n    return path\n"
    assert deprecated("Tidy up", "shop/helpers.py", old, RENAMED) == ["filename"]


def test_nobody_imports_from_a_crate_that_is_only_a_program() -> None:
    old = "pub struct Dir {\n    pub path: u8,\n}\n\nimpl Dir {\n    pub fn go(&self) {}\n}\n"
    (fact,) = facts_of("x", ("src/db.rs", old, old.replace("    pub fn go(&self) {}\n", ""))).items
    crate = {"Cargo.toml": '[package]\nname = "shop"\n', "src/main.rs": "fn main() {}\n"}
    assert with_exposure(fact, crate).public is False
    assert with_exposure(fact, crate | {"src/lib.rs": "pub mod db;\n"}).public is None
    library = {"Cargo.toml": '[package]\nname = "shop"\n'}
    assert with_exposure(fact, library).public is None


@pytest.mark.parametrize(
    ("package", "listed", "public"),
    [
        ("from ._config import Limits\n", "", True),
        ("from ._config import *\n", '__all__ = ["Limits"]\n', True),
        ("from ._config import Other\n", '__all__ = ["Limits"]\n', False),
        ("import os\n", "", False),
    ],
)
def test_a_private_module_offers_what_its_package_passes_on(
    package: str, listed: str, public: bool
) -> None:
    old = f"{listed}class Limits:\n    def __init__(self, soft=None, hard=None): ...\n"
    (fact,) = facts_of("x", ("shop/_config.py", old, old.replace("soft=None, ", ""))).items
    texts = {"shop/_config.py": old, "shop/__init__.py": package}
    assert with_exposure(fact, texts).public is public


@pytest.mark.parametrize("path", ["_engine.py", "a/_b/c.py"])
def test_a_private_module_outside_of_a_package_is_internal(path: str) -> None:
    old = "def load(path, limit=10):\n    return path\n"
    (fact,) = facts_of("x", (path, old, old.replace("10", "20"))).items
    assert with_exposure(fact, {path: old}).public is False


def test_aliases_in_a_chain_of_clap_are_removed_with_their_flag() -> None:
    chain = 'fn app() {\n    Arg::new("fmt")\n        .long("fmt")\n        .alias("format");\n}\n'
    assert told("src/config.rs", chain, "fn app() {\n}\n") == [
        "removed --fmt None -> None",
        "removed --format None -> None",
    ]


def test_a_word_in_italics_is_no_name() -> None:
    page = "# Options\n\n## Same line\n\nPut it on the last line.\n"
    new = page.replace(
        "Put", "_This option has been deprecated in v2.4, use `sameLine` instead._\n\nPut"
    )
    code = ("src/options.js", "const a = 1;\n", "const a = 2; // deprecated\n")
    found = facts_of("Deprecate the old option", ("docs/options.md", page, new), code).items
    assert "_This" not in [f.name for f in found]


def test_a_notice_may_be_a_function_of_a_package() -> None:
    old = "func f() {\n\tx := 1\n}\n"
    new = old.replace("x := 1", 'x := 1\n\tdeprecate.Notice(ctx, "archives.rlcp")')
    assert deprecated("Tidy up", "pipe/archive.go", old, new) == ["archives.rlcp"]


def test_table_of_getopt_has_flags_and_no_settings() -> None:
    row = '    {{"{}", required_argument, 0, 98}},\n'
    table = "#include <getopt.h>\n\nstatic struct option long_options[] = {{\n{}}};\n".format
    old, new = (table(row.format("relay") + row.format(name)) for name in ("batch", "batch-size"))
    found = facts_of("Rename it", ("shim/main.c", old, new)).items
    assert [(f.kind.value, f.action.value, f.name) for f in found] == [
        ("flag", "renamed", "--batch-size")
    ]


DEFINED = """\
public class SpoolConfig extends AbstractConfig {
    public static final String LIMIT_CONFIG = "spool.limit";

    private static final ConfigDef CONFIG = new ConfigDef()
        .define(LIMIT_CONFIG,
                Type.INT,
                10,
                Importance.HIGH,
                "How much")
        .define(Clients.RETRIES_CONFIG, Type.INT, 3, atLeast(0), Importance.LOW, "How often")
        .define("spool.path", ConfigDef.Type.STRING, ConfigDef.Importance.HIGH, "Where");
}
"""


def test_settings_that_a_config_def_defines_go_and_change() -> None:
    path = "core/src/main/java/SpoolConfig.java"

    def settings(new: str) -> list[str]:
        facts = facts_of("Change things", (path, DEFINED, new)).of(FactKind.CONFIG)
        return [f"{f.action} {f.name} {f.before} -> {f.after}" for f in facts]

    assert settings(DEFINED.replace("10,", "20,")) == ["changed spool.limit 10 -> 20"]
    assert settings(DEFINED.replace(" 3,", " 5,")) == ["changed RETRIES_CONFIG 3 -> 5"]
    moved = DEFINED.replace("Clients.", "Common.")
    assert settings(moved) == []
    gone = DEFINED.replace(', "Where");', ", W);").replace("spool.path", "spool.folder")
    assert settings(gone) == ["renamed spool.folder spool.path -> spool.folder"]
    lines = DEFINED.splitlines(keepends=True)
    assert settings("".join([*lines[:1], *lines[2:4], *lines[9:]])) == [
        "removed spool.limit 10 -> None"
    ]
    optional = DEFINED.replace("Type.STRING, ConfigDef.I", 'Type.STRING, "/tmp", ConfigDef.I')
    assert settings(optional) == []


def test_a_setting_of_a_config_def_that_moved_to_another_class_is_not_removed() -> None:
    path = "core/src/main/java/SpoolConfig.java"
    gone = DEFINED.replace(
        "        .define(LIMIT_CONFIG,\n                Type.INT,\n                10,\n"
        '                Importance.HIGH,\n                "How much")\n',
        "",
    ).replace('    public static final String LIMIT_CONFIG = "spool.limit";\n', "")
    facts = facts_of("Move", (path, DEFINED, gone))
    change = Change(commit=commit("Move"), files=(file(path, DEFINED, gone),))
    asked = tree_lookup.questions(change, facts)
    place = (change.sha, "core/src/main/java/Limits.java")
    texts = {place: 'class Limits {\n    static final String LIMIT = "spool.limit";\n}\n'}
    where = {question.index: [place] for question in asked}
    (fact,) = tree_lookup.apply_lookup(facts, asked, where, texts).of(FactKind.CONFIG)
    assert (fact.action, fact.name, fact.detail) == (Action.CHANGED, "spool.limit", "moved")


def test_route_that_a_changed_file_serves_already_is_known_there() -> None:
    new, other = "app/plain/server.py", "app/full/server.py"
    serves = '@router.post("/ping")\nasync def ping():\n    pass\n'
    change = Change(
        commit=commit("Add"), files=(file(new, None, serves), file(other, "a\n", "b\n"))
    )
    facts = facts_of("Add", (new, None, serves), (other, f"{serves}a\n", f"{serves}b\n"))
    asked = tree_lookup.questions(change, facts)
    place = (asked[0].commit, other)
    found = tree_lookup.apply_lookup(facts, asked, {asked[0].index: [place]}, {place: serves})
    (route,) = found.of(FactKind.ROUTE)
    assert (route.name, route.elsewhere) == ("POST /ping", other)
