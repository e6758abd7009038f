"""Renames that one file or one declaration does not show."""

from __future__ import annotations

import pytest

from digest.core.facts import Action, Fact, FactKind
from digest.facts.similarity import is_opposite
from tests.unit.digest.facts.changes import facts_of

OLD_FIELD = """package config

type OTLPConfig struct {
\tServiceNameInTargetInfo bool `yaml:"service_name_in_target_info,omitempty"`
}
"""
NEW_FIELD = OLD_FIELD.replace("ServiceNameInTargetInfo", "KeepIdentifying").replace(
    "service_name_in_target_info", "keep_identifying"
)


def told(message: str, *files: tuple[str, str | None, str | None]) -> list[Fact]:
    return [f for f in facts_of(message, *files).items if f.action is not Action.CHANGED]


def test_unlike_fields_are_renamed_where_the_title_says_so() -> None:
    file = ("config/config.go", OLD_FIELD, NEW_FIELD)
    (renamed,) = told("Rename to keep_identifying", file)
    assert renamed.action is Action.RENAMED
    assert (renamed.before, renamed.after) == (
        "OTLPConfig.service_name_in_target_info",
        "OTLPConfig.keep_identifying",
    )
    assert {f.action for f in told("Mend OTLP", file)} == {Action.ADDED, Action.REMOVED}


def test_a_field_that_moves_into_a_section_is_renamed_where_the_message_says_so() -> None:
    old = "export interface UserConfig {\n  force?: boolean\n  base?: string\n}\n"
    new = "export interface UserConfig {\n  base?: string\n}\n"
    section = "export interface DepOptions {\n  entries?: string\n}\n"
    facts = told(
        "refactor: rename `force` to `optimizeDeps.force`",
        ("src/config.ts", old, new),
        ("src/deps.ts", section, section.replace("}", "  force?: boolean\n}")),
    )
    assert [(f.action, f.before, f.after) for f in facts] == [
        (Action.RENAMED, "UserConfig.force", "DepOptions.force")
    ]


def test_a_variable_whose_text_names_an_older_one_of_the_file_is_renamed() -> None:
    old = 'pub struct EnvVars;\nimpl EnvVars {\n    pub const A: &\'static str = "UV_WORKING_DIRECTORY";\n}\n'
    new = old.replace(
        "    pub const A",
        "    /// `UV_WORKING_DIRECTORY` is also supported for backwards compatibility.\n"
        '    pub const B: &\'static str = "UV_WORKING_DIR";\n\n    pub const A',
    )
    (fact,) = told("Add UV_WORKING_DIR", ("crates/static/src/env_vars.rs", old, new))
    assert (fact.kind, fact.action, fact.before) == (
        FactKind.ENVIRONMENT,
        Action.RENAMED,
        "UV_WORKING_DIRECTORY",
    )


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("--enable-feature=new-ui", "--enable-feature=old-ui", True),
        ("UseNewUI", "UseOldUI", True),
        ("--allow-list", "--deny-list", True),
        ("max_len", "max_length", False),
        ("pool_incoming_spans", "pool_outgoing_items", True),
        ("pool_incoming_spans", "pool_incoming_items", False),
    ],
)
def test_words_of_opposite_meaning_are_no_rename(one: str, other: str, *, expected: bool) -> None:
    assert is_opposite(one, other) is expected


GO_TYPES = """package ast

const (
\tADD Op = iota
\tSUB
)

type Postings interface {
\tNext() bool
\tValue() uint32
}

type RuleManager interface {
\tRun()
}
"""


def renamed(
    message: str, *files: tuple[str, str | None, str | None]
) -> list[tuple[str | None, str]]:
    return [(f.before, f.name) for f in told(message, *files) if f.action is Action.RENAMED]


@pytest.mark.parametrize(
    ("title", "swaps", "expected"),
    [
        ("Tidy", {"ADD": "Add", "SUB": "Sub"}, [("ADD", "Add"), ("SUB", "Sub")]),
        (
            "Rename getters to At()",
            {"Value()": "At()"},
            [("Postings.Value", "Postings.At")],
        ),
        (
            "Rename RuleManager to Manager",
            {"RuleManager interface {\n\tRun()": "Manager struct {\n\tdone chan bool"},
            [("RuleManager", "Manager")],
        ),
    ],
)
def test_another_case_a_lone_member_and_another_sort_of_type_are_renames(
    title: str, swaps: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    new = GO_TYPES
    for one, other in swaps.items():
        new = new.replace(one, other)
    assert renamed(title, ("ast/ast.go", GO_TYPES, new)) == expected


def test_a_title_that_swaps_words_renames_whatever_has_them() -> None:
    old = "void leveldb_open(const char* path);\nvoid leveldb_close(int db);\n"
    new = old.replace("leveldb", "rocksdb").replace("(int db)", "(long handle, int flags)")
    assert renamed("Rename leveldb to rocksdb in the C interface", ("include/c.h", old, new)) == [
        ("leveldb_open", "rocksdb_open"),
        ("leveldb_close", "rocksdb_close"),
    ]


def test_methods_of_several_types_that_share_a_new_name_are_renamed_each_in_its_type() -> None:
    text = "package s\n\nfunc (b *{0}) Values() int64 {{\n\treturn b.v\n}}\n"
    files = [
        (f"s/{name.lower()}.go", text.format(name), text.format(name).replace("Values", "At"))
        for name in ("Buffered", "Memoized")
    ]
    message = "Consolidate names (Values -> At)"
    assert renamed(message, *files) == [
        ("Buffered.Values", "Buffered.At"),
        ("Memoized.Values", "Memoized.At"),
    ]


def test_what_moves_under_its_own_name_is_not_renamed() -> None:
    old = "enum FileType : int {\n  kArchived = 0,\n};\n\nclass OldIterator {\n public:\n  void Next();\n};\n"
    message = "Rename OldIterator to NewIterator\n\nFileType moves: `FileType` -> `FileType`."
    files = (
        ("include/a/old.h", old, None),
        ("include/a/new.h", None, old.replace("OldIterator", "NewIterator")),
    )
    assert renamed(message, *files) == [("OldIterator", "NewIterator")]


def test_a_renamed_flag_of_one_command_is_told_with_the_command_and_not_removed_as_well() -> None:
    old = (
        "pub enum Command {\n    Check(CheckArgs),\n    Run(RunArgs),\n}\n\n"
        "pub struct CheckArgs {\n    /// The version.\n    #[arg(long)]\n    pub version: Option<String>,\n}\n\n"
        "pub struct RunArgs {\n    #[arg(long)]\n    pub version: Option<String>,\n}\n"
    )
    new = old.replace("pub version", "pub ty_version", 1)
    facts = told("Name it", ("crates/cli/src/lib.rs", old, new))
    assert [(f.action, f.before, f.name) for f in facts if f.kind is FactKind.FLAG] == [
        (Action.RENAMED, "check --version", "check --ty-version")
    ]


def test_unlike_names_are_renamed_where_the_title_says_so_and_the_old_one_stays_for_a_while() -> (
    None
):
    old = "@dataclass\nclass PassConfig:\n    enable_async_tp: bool = False\n    level: int = 1\n"
    new = old.replace(
        "    level",
        '    """Deprecated in: v0.12. Use fuse_gemm_comms instead."""\n'
        "    fuse_gemm_comms: bool = False\n    level",
    )
    assert renamed("Rename PassConfig flags", ("app/config.py", old, new)) == [
        ("PassConfig.enable_async_tp", "PassConfig.fuse_gemm_comms")
    ]
    assert renamed("Fuse more", ("app/config.py", old, new)) == []


def test_a_flag_that_keeps_its_old_name_as_an_alias_is_renamed() -> None:
    old = (
        'struct Args {\n    #[arg(\n        long,\n        help = "Custom directory of stubs",\n    )]\n'
        "    custom_typeshed_dir: Option<PathBuf>,\n}\n"
    )
    new = (
        "struct Args {\n    /// Other words for it.\n"
        '    #[arg(long, value_name = "PATH", alias = "custom-typeshed-dir")]\n'
        "    typeshed: Option<PathBuf>,\n}\n"
    )
    facts = told("Name it shorter", ("crates/cli/src/main.rs", old, new))
    assert [(f.action, f.before, f.name) for f in facts if f.kind is FactKind.FLAG] == [
        (Action.RENAMED, "--custom-typeshed-dir", "--typeshed")
    ]


GO_PARSER = """package p

type NAME struct{}

// Labels of the last series.
func (p *NAME) Metric(l *Labels) string {
\treturn ""
}
"""


def test_methods_that_several_types_exchange_alike_are_renamed() -> None:
    old = {name: GO_PARSER.replace("NAME", name) for name in ("Prom", "Open", "MetricParser")}
    new = {n: t.replace("Metric(l *Labels) string", "Labels(l *Labels)") for n, t in old.items()}
    bodies = {n: t.replace('\treturn ""', "\tp.read(l)\n\tp.seal()") for n, t in new.items()}
    facts = told("Return labels", *((f"p/{n}.go", old[n], bodies[n]) for n in old))
    assert {(f.action, f.before, f.after) for f in facts} == {
        (Action.RENAMED, f"{name}.Metric", f"{name}.Labels") for name in old
    }


def test_methods_that_two_types_exchange_with_other_parameters_are_not_renamed() -> None:
    old = {name: GO_PARSER.replace("NAME", name) for name in ("Prom", "Open", "Proto")}
    new = {n: t.replace("Metric(l *Labels) string", "Seal(n int)") for n, t in old.items()}
    bodies = {n: t.replace('\treturn ""', "\tp.read(n)\n\tp.seal()") for n, t in new.items()}
    facts = told("Seal", *((f"p/{n}.go", old[n], bodies[n]) for n in old))
    assert {f.action for f in facts} == {Action.ADDED, Action.REMOVED}


def test_a_word_that_all_renames_drop_is_dropped_from_functions_too() -> None:
    old = (
        "struct TieredVolatileOptions {\n  int capacity = 1;\n  int ratio = 2;\n};\n\n"
        "Cache* NewTieredVolatile(TieredVolatileOptions& given);\n"
    )
    new = old.replace("TieredVolatile", "Tiered").replace("NewTiered(", "NewTiered(\n    ")
    facts = told("Stack caches", ("include/x/cache.h", old, new))
    assert {(f.before, f.after) for f in facts if f.action is Action.RENAMED} == {
        ("TieredVolatileOptions", "TieredOptions"),
        ("NewTieredVolatile", "NewTiered"),
    }


KEPT = """class C:
    def __init__(self):
        # Deprecated: use kv_cache_usage instead
        self.a = Gauge(name="app:gpu_cache_usage", documentation="Use. DEPRECATED: Use app:kv_cache_usage instead")
        self.b = Gauge(name="app:kv_cache_usage", documentation="Use.")
"""


def test_a_name_beside_a_deprecated_one_is_new_unless_the_title_tells_a_rename() -> None:
    old = 'class C:\n    def __init__(self):\n        self.a = Gauge(name="app:gpu_cache_usage", documentation="Use.")\n'
    facts = {
        title: [(f.action, f.name) for f in told(title, ("m.py", old, KEPT)) if f.kind == "metric"]
        for title in ("Deprecate metrics", "Rename metrics")
    }
    assert facts["Deprecate metrics"] == [(Action.ADDED, "app:kv_cache_usage")]
    assert facts["Rename metrics"] == [(Action.RENAMED, "app:kv_cache_usage")]


def test_what_its_new_name_calls_deprecated_is_known_by_the_old_name() -> None:
    old = "enum Tickers {\n  // Inlined keys\n  WRITE_INLINED,\n  OTHER,\n};\n"
    new = old.replace(
        "// Inlined keys\n  WRITE_INLINED", "// DEPRECATED\n  WRITE_INLINED_DEPRECATED"
    )
    facts = facts_of("Remove inlining", ("include/x/statistics.h", old, new))
    (deprecated,) = facts.of(FactKind.DEPRECATION, Action.ADDED)
    assert deprecated.name == "WRITE_INLINED"


def test_metrics_that_count_different_things_are_not_renamed() -> None:
    old = 'var m = prometheus.NewCounter(prometheus.CounterOpts{\n\tName: "app_bytes_processed_total",\n\tHelp: "Number of bytes processed.",\n})\n'
    new = old.replace("bytes_processed", "processed_records").replace("bytes", "records")
    facts = told("Count records", ("m/m.go", f"package m\n\n{old}", f"package m\n\n{new}"))
    assert {f.action for f in facts if f.kind is FactKind.METRIC} == {Action.ADDED, Action.REMOVED}


def test_a_setting_that_another_section_gets_in_another_file_is_not_removed() -> None:
    one = 'package a\n\ntype EngineOpts struct {\n\tMulti bool `yaml:"enable_multi_queries"`\n\tOther int `yaml:"other"`\n}\n'
    two = 'package b\n\ntype Limits struct {\n\tOther int `yaml:"other"`\n}\n'
    facts = told(
        "Make it a limit",
        ("a/engine.go", one, one.replace('\tMulti bool `yaml:"enable_multi_queries"`\n', "")),
        ("b/limits.go", two, two.replace("}", '\tMulti bool `yaml:"enable_multi_queries"`\n}')),
    )
    assert [(f.action, f.name) for f in facts] == [(Action.ADDED, "Limits.enable_multi_queries")]


def test_a_flag_of_go_that_another_section_declares_with_its_field_is_not_new() -> None:
    head = "package a\n\ntype Config struct {{\n{}}}\n\nfunc (c *Config) RegisterFlags(f *flag.FlagSet) {{\n{}}}\n"
    field, flag = (
        '\tFast bool `yaml:"fast"`\n',
        '\tf.BoolVar(&c.Fast, "pool.fast", false, "Be fast.")\n',
    )
    facts = told(
        "Read pools",
        ("pool/config.go", head.format(field, flag), head.format("", "")),
        ("limits/limits.go", head.format("", ""), head.format(field, flag)),
    )
    assert [f.name for f in facts if f.kind is FactKind.FLAG] == []


def test_a_setting_that_a_new_type_of_the_file_takes_over_is_not_removed() -> None:
    old = 'package a\n\ntype Provider struct {\n\tSpace string `yaml:"space"`\n\tOther int `yaml:"other"`\n}\n'
    new = old.replace('\tSpace string `yaml:"space"`\n', "").replace(
        "type Provider",
        'type Builder struct {\n\tProvider `yaml:",inline"`\n\tSpace string `yaml:"space"`\n}\n\ntype Provider',
    )
    facts = told("Build providers", ("a/provider.go", old, new))
    assert Action.REMOVED not in {f.action for f in facts}


def test_setting_that_lines_take_from_another_class_is_renamed() -> None:
    cache = "@dataclass\nclass CacheConfig:\n    size: int = 1\n    mamba_rounds: int = 0\n"
    kept = cache.replace("    mamba_rounds: int = 0\n", "")
    args = "@dataclass\nclass Args:\n    rounds: int = CacheConfig.mamba_rounds\n"
    uses = args.replace("CacheConfig.mamba_rounds", "MambaConfig.rounds")
    files = [("app/config.py", cache, kept), ("app/args.py", args, uses)]
    assert renamed("Move it", *files) == [("CacheConfig.mamba_rounds", "MambaConfig.rounds")]
    assert renamed("Move it", files[0], ("app/args.py", args, args + "\n")) == []


def test_fields_of_which_a_file_makes_flags_are_flags() -> None:
    new = (
        "@dataclass\nclass FrontendArgs:\n    port: int = 1\n    use_card: bool = False\n\n"
        "    @classmethod\n    def add(cls, parser):\n        for key in fields(cls):\n"
        "            parser.add_argument(f\"--{key.replace('_', '-')}\")\n"
    )
    old = new.replace("    use_card: bool = False\n", "")
    (gone,) = told("Tidy", ("app/cli_args.py", new, old))
    assert (gone.kind, gone.action, gone.name) == (FactKind.FLAG, Action.REMOVED, "--use-card")
    renamed_field = new.replace("use_card", "use_cards")
    (fact,) = told("Tidy", ("app/cli_args.py", new, renamed_field))
    assert (fact.before, fact.name) == ("--use-card", "--use-cards")


def test_a_name_behind_the_word_deprecated_is_the_old_one() -> None:
    files = (
        ("include/a/c.h", "extern API void a_delete_file(a_db* db);\n", "extern API void DEPRECATED_a_delete_file(a_db* db);\n"),
    )  # fmt: skip
    assert renamed("Deprecate it", *files) == [("a_delete_file", "DEPRECATED_a_delete_file")]


def test_a_setting_that_turns_off_what_another_turned_on_is_no_rename() -> None:
    old = "@dataclass\nclass EngineArgs:\n    cache_preprocessor: bool = False\n"
    new = old.replace("cache_preprocessor", "disable_preprocessor_cache")
    assert renamed("Cache by default", ("app/args.py", old, new)) == []


GATE = (
    "package gate\n\n// Open lets all through.\nfunc (g *Gate) Ready() {\n\tg.once.Do(g.open)\n}\n"
)
GATED = (
    "package gate\n\n// SetReady lets all through or none.\nfunc (g *Gate) SetReady(v bool) {\n"
    "\tif v {\n\t\tg.n.Store(1)\n\t\tg.seen.Set(1)\n\t\treturn\n\t}\n\n\tg.n.Store(0)\n\tg.seen.Set(0)\n}\n"
)


@pytest.mark.parametrize(
    ("called", "found"),
    [
        ("SetReady(true)", [("renamed", "Gate.SetReady")]),
        ("Done()", [("added", "Gate.SetReady"), ("removed", "Gate.Ready")]),
    ],
)
def test_method_whose_calls_became_calls_of_a_longer_name_is_renamed(called, found):
    use = "package main\n\nfunc main() {\n\tgate.Ready()\n}\n"
    facts = facts_of(
        "Move the gauge",
        ("gate/gate.go", GATE, GATED),
        ("cmd/main.go", use, use.replace("Ready()", called)),
    )
    assert sorted((f.action.value, f.name) for f in facts.items) == found


def test_flag_is_renamed_if_the_title_names_its_command_too():
    old = "use clap::Args;\n\n#[derive(Args)]\npub struct SyncArgs {\n    /// Keep the rest.\n    #[arg(long)]\n    pub no_clean: bool,\n}\n"
    new = old.replace("    pub no_clean", '    #[arg(alias = "x")]\n    pub inexact').replace(
        "    #[arg(long)]\n", '    #[arg(long, overrides_with("exact"))]\n'
    )
    new = new.replace("Keep the rest.", "Leave what nothing needs, and say so.")
    new += "\n#[derive(Args)]\npub struct More {\n    #[arg(long)]\n    pub exact: bool,\n}\n"
    facts = facts_of(
        "Rename `app sync --no-clean` to `app sync --inexact`", ("src/cli.rs", old, new)
    )
    flags = {(f.action.value, f.before, f.name) for f in facts.of(FactKind.FLAG)}
    assert ("renamed", "--no-clean", "--inexact") in flags


def test_field_whose_comment_gives_its_old_name_is_renamed_without_its_class():
    head = "from dataclasses import dataclass\n\n\n@dataclass\nclass PoolArgs:\n"
    new = f'{head}    # Formerly "max_limit".\n    limit: int = 1\n'
    (fact,) = facts_of("Tidy", ("app/args.py", f"{head}    max_limit: int = 1\n", new)).items
    assert (fact.name, fact.before, fact.after) == ("PoolArgs.limit", "max_limit", "limit")
