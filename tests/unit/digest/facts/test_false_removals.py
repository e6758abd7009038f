"""Names that look removed, renamed or deprecated and are not."""

from __future__ import annotations

import pytest

from digest.core.facts import Action, Fact, FactKind
from digest.facts import env_variables, flags, routes
from digest.facts.metrics import defined
from digest.facts.side_text import whole
from tests.unit.digest.facts.changes import facts_of


def gone(message: str, *files: tuple[str, str | None, str | None]) -> list[str]:
    lost = {Action.REMOVED, Action.RENAMED}
    return [f.name for f in facts_of(message, *files).items if f.action in lost]


def deprecated(message: str, *files: tuple[str, str | None, str | None]) -> list[Fact]:
    return list(facts_of(message, *files).of(FactKind.DEPRECATION, Action.ADDED))


GO_MOD = "module x.org/y\n\nrequire (\n\tgolang.org/x/net v0.27.0\n)\n"


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("go.mod", GO_MOD, GO_MOD.replace("v0.27.0", "v0.27.0 // indirect")),
        ("go.mod", GO_MOD + "replace a.org/b => a.org/c v1.0.0\n", GO_MOD),
        (
            "Dockerfile",
            "FROM gcr.io/distroless/static:nonroot\n",
            "FROM gcr.io/distroless/static:nonroot-${ARCH}\n",
        ),
        (
            "requirements/default.txt",
            "tblib>=1.5; python_version>='3.8'\ntblib>=1.3; python_version<'3.8'\n",
            "tblib==3.1.0\n",
        ),
        (
            "crates/auth/Cargo.toml",
            '[package]\nedition = "2021"\n',
            "[package]\nedition = { workspace = true }\n",
        ),
        (
            "core/Cargo.toml",
            '[dependencies]\ntoml = "0.8"\nurl = "2"\n',
            "[dependencies]\ntoml.workspace = true\nurl = { workspace = true }\n",
        ),
        ("CMakeLists.txt", "set(CMAKE_CXX_STANDARD 17)\n", "include(standard)\n"),
        ("ecosystem/shop/pyproject.toml", '[project]\ndependencies = ["celery"]\n', None),
        (
            "setup.py",
            "setup(\n    entry_points={\n        'pytest11': [\n            'celery = celery.contrib',\n        ],\n    },\n)\n",
            "setup(\n    entry_points={\n    },\n)\n",
        ),
    ],
)
def test_what_is_still_required_or_never_was_is_not_removed(
    path: str, old: str, new: str | None
) -> None:
    assert gone("Change requirements", (path, old, new)) == []


def test_members_of_a_type_that_became_an_alias_are_not_removed() -> None:
    old = "package types\n\ntype Alert struct {\n\tTimeout bool\n}\n\nfunc (a *Alert) Merge() {}\n"
    new = "package types\n\ntype Alert = alert.Alert\n"
    assert gone("Add an alert package", ("types/types.go", old, new)) == []


def test_fields_of_a_base_of_a_base_are_not_removed() -> None:
    old = "export interface UserConfig {\n  define?: string\n  base?: string\n}\n"
    new = (
        "export interface Shared {\n  define?: string\n}\n"
        "export interface Environment extends Shared {\n  dev?: string\n}\n"
        "export interface UserConfig extends Environment {\n  base?: string\n}\n"
    )
    assert gone("Split the interface", ("src/config.ts", old, new)) == []


def test_constants_of_other_values_are_not_renamed() -> None:
    old = "package record\n\nconst (\n\tCustomBucketSamples Type = 9\n)\n"
    new = "package record\n\nconst (\n\tCustomBucketSamplesLegacy Type = 7\n)\n"
    assert gone("Keep old names", ("tsdb/record.go", old, new)) == ["CustomBucketSamples"]


def test_a_variable_of_a_function_is_no_other_name_of_a_removed_method() -> None:
    method = "    def task_name(self):\n        return self._name\n\n"
    rest = "    def apply(self, task):\n        if task:\n            task_name = task.name\n"
    old = f"class TaskSet:\n{method}{rest}"
    assert gone("Drop it", ("shop/sets.py", old, f"class TaskSet:\n{rest}")) == [
        "TaskSet.task_name"
    ]
    aliased = f"class TaskSet:\n{rest}\n    if True:\n        task_name = apply\n"
    assert gone("Drop it", ("shop/sets.py", old, aliased)) == []


def test_flags_and_names_of_scripts_are_not_part_of_the_interface() -> None:
    script = 'parser.add_argument("--logfile")\nif os.environ["CI_HOME"]:\n    pass\n'
    assert gone("Delete a script", ("scripts/migrate.py", script, None)) == []


def test_a_default_that_a_body_fills_in_did_not_change() -> None:
    old = "class Store:\n    def __init__(self, port=9042):\n        self.port = port\n"
    new = "class Store:\n    def __init__(self, port=None):\n        self.port = port or conf or 9042\n"
    items = facts_of("Fix port", ("store/store.py", old, new)).items
    assert not [f for f in items if f.detail == "default"]


def test_a_document_alone_deprecates_nothing_that_the_message_does_not() -> None:
    file = ("docs/api.md", "# API\n", "# API\n\n`RuleSyntax` is deprecated.\n")
    assert deprecated("Replace the reference page", file) == []
    assert [f.name for f in deprecated("Deprecate rule syntax", file)] == ["RuleSyntax"]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("warnings.warn('The `get` method of the `Model` class is deprecated.')", ["get"]),
        ("# raises a `FutureWarning` for `x_y`", []),
        ("'`timeout_mode` will be deprecated in v3.'", []),
    ],
)
def test_a_sentence_names_what_it_deprecates(text: str, names: list[str]) -> None:
    old = "def get():\n    pass\n"
    new = f"def get():\n    {text}\n    pass\n"
    assert [f.name for f in deprecated("Change get", ("app/model.py", old, new))] == names


def test_each_flag_of_a_list_is_deprecated_by_its_own_help() -> None:
    old = 'package main\n\nfunc set(cmd app) {\n\tcmd.Flag("tls-cert", "Certificate")\n\tcmd.Flag("tls-key", "Key")\n}\n'
    new = old.replace('"Certificate"', '"Deprecated after v1: Certificate"').replace(
        '"Key"', '"Deprecated after v1: Use TLS when asked"'
    )
    found = deprecated("Deprecate flags", ("cmd/config.go", old, new))
    assert [(f.name, f.replacement) for f in found if f.detail == "notice"] == [
        ("--tls-cert", None),
        ("--tls-key", None),
    ]


def test_names_with_alternatives_are_deprecated_one_by_one() -> None:
    found = deprecated("Deprecate app_{in,out}_total", ("app/x.py", "a = 1\n", "a = 2\n"))
    assert [f.name for f in found] == ["app_in_total", "app_out_total"]


def test_fields_that_get_an_initialiser_in_brackets_are_not_removed() -> None:
    old = (
        "namespace a {\nstruct Options : Base {\n  size_t timeout;\n  bool verbose;\n"
        "  void stop() noexcept override { run(); }\n  int last;\n};\n}\n"
    )
    new = old.replace("timeout;", "timeout{};").replace("verbose;", "verbose = {true};")
    path = "include/app/options.h"
    assert gone("Initialise members", (path, old, new)) == []
    assert gone("Drop members", (path, new, old.replace("  int last;\n", ""))) == ["Options.last"]


def test_a_build_option_that_another_call_still_names_is_not_removed() -> None:
    old = 'option(WITH_ZIPKIN "Build with it" OFF)\n'
    new = 'renamed_option(APP_WITH_ZIPKIN WITH_ZIPKIN "Build with it" OFF)\n'
    assert gone("Rename options", ("CMakeLists.txt", old, new)) == []


def test_a_name_in_a_comment_of_a_header_is_no_metric() -> None:
    old = '/* {"renamed_to":\n  "network.protocol.name"}\n */\n'
    assert gone("Update", ("api/include/semconv/http.h", old, "/* */\n")) == []


def test_a_field_without_initialiser_on_one_side_has_no_known_default() -> None:
    old = "struct Options {\n  size_t timeout = 8;\n  bool fast{false};\n  int kept = 1;\n};\n"
    new = "struct Options {\n  size_t timeout;\n  bool fast = false;\n  int kept = 2;\n};\n"
    items = facts_of("Use a constructor", ("include/app/options.h", old, new)).items
    assert [f.name for f in items if f.detail == "default"] == ["Options.kept"]


def test_a_hidden_flag_that_becomes_an_alias_of_a_real_one_is_not_removed() -> None:
    compat = "#[derive(Args)]\nstruct {} {{\n    #[clap(long, hide = true)]\n    cert: Option<String>,\n}}\n"
    old = compat.format("CompileArgs") + compat.format("SyncArgs")
    real = "#[derive(Args)]\nstruct PipArgs {\n    #[arg(long)]\n    cert: Option<PathBuf>,\n}\n"
    files = ("crates/cli/src/compat.rs", old, "\n"), ("crates/cli/src/lib.rs", "\n", real)
    assert gone("Support --cert", *files) == []


def test_a_setting_that_moves_to_another_section_of_its_file_is_not_removed() -> None:
    old = (
        "pub struct PipOptions {\n    pub insecure: bool,\n    pub a: bool,\n}\n"
        "pub struct GlobalOptions {\n    pub b: bool,\n}\n"
    )
    new = old.replace("    pub insecure: bool,\n", "").replace(
        "    pub b", "    pub insecure: bool,\n    pub b"
    )
    assert gone("Make it global", ("src/settings.rs", old, new)) == []


@pytest.mark.parametrize(
    ("marks", "told"),
    [
        (["deprecated"], ["getOld"]),
        (["internal", "deprecated"], []),
        (["deprecated", "internal"], []),
    ],
)
def test_an_internal_function_that_is_deprecated_is_not_told(
    marks: list[str], told: list[str]
) -> None:
    text = "/**\n * Old logic\n{} */\nexport function getOld(): void {{\n}}\n"
    old, new = (
        text.format("".join(f" * @{mark}\n" for mark in marks if mark not in left))
        for left in (["deprecated"], [])
    )
    found = deprecated("Tidy the plugin", ("src/plugin.ts", old, new))
    assert [fact.name for fact in found] == told


def test_metrics_whose_prefix_or_whole_name_moved_are_not_removed() -> None:
    made = 'package wal\n\nvar f = prometheus.NewCounter(prometheus.CounterOpts{{\n\tName: {},\n\tHelp: "Flushes.",\n}})\n'
    old = made.format('"app_wal_flushes_total"')
    assert gone("Wrap", ("wal/wal.go", old, made.format('"flushes_total"'))) == []
    assert gone("Use names", ("wal/wal.go", old, made.format("names.Flushes"))) == []
    assert gone("Drop it", ("wal/wal.go", old, "package wal\n")) == ["app_wal_flushes_total"]


def test_variables_of_a_script_for_browsers_are_not_part_of_the_interface() -> None:
    script = "const api = process.env.APP_API\n"
    assert gone("Rewrite the dashboard", ("webui/src/app.js", script, "\n")) == []
    assert gone("Drop it", ("src/app.js", script, "\n")) == ["APP_API"]


def test_a_metric_made_without_its_prefix_in_another_file_may_be_the_same() -> None:
    text = 'package w\n\nvar f = prometheus.NewSummary(prometheus.SummaryOpts{\n\tName: "fsync_duration_seconds",\n\tHelp: "Time.",\n})\n'
    assert defined(whole("w.go", text), "go", "app_wal_fsync_duration_seconds")
    assert not defined(whole("w.go", text), "go", "app_wal_sync_duration_seconds")


def test_routes_in_a_list_that_a_loop_serves_are_not_removed() -> None:
    old = (
        'package web\n\nfunc New() {\n\trouter.Get("/flags", flags)\n\trouter.Get("/old", old)\n}\n'
    )
    new = (
        'package web\n\nvar paths = []string{\n\t"/flags",\n}\n\nfunc New() {\n'
        "\tfor _, p := range paths {\n\t\trouter.Get(p, app)\n\t}\n}\n"
    )
    assert gone("Serve a list", ("web/web.go", old, new)) == ["GET /old"]


def test_cases_of_another_switch_are_not_features() -> None:
    flag = 'package main\n\nfunc main() {\n\ta.Flag("enable-feature", "Names.").StringsVar(&c)\n}\n'
    switch = '\nfunc level() {\n\tswitch name {\n\tcase "debug":\n\t\treturn\n\t}\n}\n'
    assert gone("Drop levels", ("cmd/main.go", flag + switch, flag)) == []
    feature = switch.replace("func level", "func setFeatures")
    assert gone("Drop it", ("cmd/main.go", flag + feature, flag)) == ["--enable-feature=debug"]


def test_settings_that_an_inlined_structure_may_have_are_not_removed() -> None:
    old = 'package consul\n\ntype SDConfig struct {\n\tTLS config.TLS `yaml:"tls_config"`\n}\n'
    new = old.replace(
        'TLS config.TLS `yaml:"tls_config"`', 'HTTP config.HTTPClient `yaml:",inline"`'
    )
    assert gone("Use the common client", ("consul/consul.go", old, new)) == []
    plain = new.replace(",inline", "http")
    assert gone("Nest it", ("consul/consul.go", old, plain)) == ["SDConfig.tls_config"]


def test_a_default_of_rust_that_is_applied_elsewhere_did_not_change() -> None:
    old = "struct Args {\n    #[arg(long, default_value_t = Mode::default())]\n    mode: Mode,\n}\n"
    new = "struct Args {\n    #[arg(long)]\n    mode: Option<Mode>,\n}\n"
    assert facts_of("Merge settings", ("src/cli.rs", old, new)).of(FactKind.FLAG) == ()


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("", "/** @deprecated use `b` */\n  way?: string\n", []),
        ("way?: string\n", "/** @deprecated use `b` */\n  way?: string\n", ["Server.way"]),
        (
            "on(event: string): void\n",
            "/** @deprecated use `b` */\n  on(event: 'x'): void\n  on(event: string): void\n",
            [],
        ),
        (
            "on(event: string): void\n  on(event: 'x'): void\n",
            "on(event: string): void\n  /** @deprecated use `b` */\n  on(event: 'x'): void\n",
            [],
        ),
        (
            "on(event: string): void\n",
            "/** @deprecated use `b` */\n  on(event: string): void\n",
            ["Server.on"],
        ),
    ],
)
def test_what_is_new_or_deprecated_in_one_overload_alone_is_not_deprecated(
    old: str, new: str, names: list[str]
) -> None:
    texts = (f"export interface Server {{\n  b: number\n  {t}}}\n" for t in (old, new))
    assert [f.name for f in deprecated("Change server", ("src/server.ts", *texts))] == names


def test_a_use_that_ends_does_not_deprecate_the_flag_it_is_about() -> None:
    old = "fn warn() {\n}\n"
    new = (
        "fn warn() {\n    warn_user!(\n"
        '        "Paths passed to `--index` should start with a dot. Support for others will be removed in the future"\n'
        "    );\n}\n"
    )
    assert deprecated("Warn about paths", ("src/index_url.rs", old, new)) == []


def test_metrics_that_share_an_end_with_a_new_one_are_renamed() -> None:
    made = (
        '\tm.a = NewCounter(CounterOpts{{\n\t\tName: "{}",\n\t\tHelp: "Samples that {}.",\n\t}})\n'
    )
    texts = (
        "package q\n\nfunc f() {\n"
        + made.format(one, "were sent")
        + "\tx()\n"
        + made.format(other, "failed")
        + "}\n"
        for one, other in (
            ("succeeded_samples_total", "failed_samples_total"),
            ("samples_total", "samples_failed_total"),
        )
    )
    facts = facts_of("Rename metrics", ("q/queue.go", *texts)).of(FactKind.METRIC)
    assert [(f.action, f.before, f.name) for f in facts] == [
        ("renamed", "succeeded_samples_total", "samples_total"),
        ("renamed", "failed_samples_total", "samples_failed_total"),
    ]


def test_a_message_that_renames_one_thing_does_not_rename_another() -> None:
    old = "class Results:\n    def total(self):\n        return 1\n"
    files = (
        ("app/result.py", old, "class Results:\n    x = 1\n"),
        (
            "app/base.py",
            "class App:\n    x = 1\n",
            "class App:\n    def Group(self):\n        return 2\n",
        ),
    )
    actions = {f.action for f in facts_of("Set renamed -> Group", *files).items}
    assert Action.RENAMED not in actions


def test_an_argument_of_an_entry_is_not_what_the_entry_deprecates() -> None:
    entry = (
        "OPTIONS = {\n    'BACKEND': Option(None,\n        type='string', deprecate_by='2.5'),\n}\n"
    )
    old = entry.replace("type='string', deprecate_by='2.5'", "deprecate_by='2.5', type='string'")
    assert deprecated("Break lines", ("app/defaults.py", old, entry)) == []


def test_a_value_of_a_list_is_deprecated_and_not_its_flag() -> None:
    flag = 'package main\n\nfunc main() {{\n\ta.Flag("{}", "Names: agent, receiver{}, other.").StringsVar(&c)\n}}\n'
    for name, told in (("enable-feature", ["--enable-feature=receiver"]), ("log.names", [])):
        texts = (flag.format(name, mark) for mark in ("", " (DEPRECATED)"))
        assert [f.name for f in deprecated("Promote it", ("cmd/main.go", *texts))] == told


def test_metrics_that_share_only_their_beginning_are_no_rename() -> None:
    made = 'package q\n\nvar m = NewGauge(GaugeOpts{{\n\tName: "{}",\n\tHelp: "{}",\n}})\n'
    old = made.format("app_remote_storage_queue_length", "Items in the queue of samples.")
    new = made.format("app_remote_storage_queue_last_send_seconds", "Time of the last send.")
    assert gone("Tail the log", ("q/queue.go", old, new)) == ["app_remote_storage_queue_length"]


def test_a_field_for_unknown_keys_is_not_part_of_the_interface() -> None:
    old = "package config\n\ntype Config struct {\n\tName string\n\tXXX map[string]any\n}\n"
    assert (
        gone("Be strict", ("config/config.go", old, old.replace("\tXXX map[string]any\n", "")))
        == []
    )


def test_a_setting_that_another_type_reads_now_is_not_removed() -> None:
    old = '#[derive(Deserialize)]\n#[serde(rename_all = "kebab-case")]\npub struct Options {\n    '
    old += "pub preview: Option<bool>,\n    pub offline: Option<bool>,\n}\n"
    new = old.replace("pub preview: Option<bool>", "#[serde(flatten)]\n    pub preview: Preview")
    wire = "pub enum Preview {\n    All(bool),\n}\n\n#[derive(Deserialize)]\nstruct OptionsWire {\n    "
    wire += "preview: Option<bool>,\n}\n"
    assert gone("Read it in two forms", ("src/settings.rs", old, new + wire)) == []
    gone_from = old.replace("    pub preview: Option<bool>,\n", "")
    assert gone("Drop it", ("src/settings.rs", old, gone_from)) == ["Options.preview"]


def test_a_setting_that_a_macro_spells_now_is_not_removed() -> None:
    old = '#[derive(Deserialize)]\n#[serde(rename_all = "camelCase")]\npub struct Options {\n'
    old += "    #[serde(default)]\n    pub one_typo: Option<u8>,\n}\n"
    new = "#[request(setting)]\npub struct Options {\n    #[request(default = 5)]\n"
    new += "    pub one_typo: Option<u8>,\n}\n"
    assert gone("Introduce a macro", ("src/settings.rs", old, new)) == []


def test_a_dependency_that_one_of_two_parts_keeps_is_not_removed() -> None:
    part = '[package]\nname = "a"\n\n[dependencies]\nmimalloc = { version = "0.1.43" }\n'
    bare = part.replace('mimalloc = { version = "0.1.43" }\n', "")
    files = (
        ("crates/a/Cargo.toml", part, bare),
        ("crates/b/Cargo.toml", part, bare),
        ("crates/allocator/Cargo.toml", None, part),
    )
    assert gone("Clean up", *files) == []


def test_a_flag_that_another_file_looked_for_is_not_new() -> None:
    launcher = "const index = process.argv.indexOf('--profile')\nrun(index)\n"
    files = (
        ("bin/vite.js", launcher, launcher.replace("indexOf('--profile')", "findIndex(isProfile)")),
        (
            "src/cli.ts",
            "cli\n  .option('--host', `host`)\n",
            "cli\n  .option('--host', `host`)\n  .option('--profile [name]', `profile`)\n",
        ),
    )
    assert [f.name for f in facts_of("Name it", *files).items if f.kind is FactKind.FLAG] == []
    assert [f.name for f in facts_of("Add it", files[1]).items] == ["--profile"]


def test_the_toolchain_of_developers_is_told_as_such() -> None:
    text = '[toolchain]\nchannel = "1.97.0"\n'
    (fact,) = facts_of("Bump", ("rust-toolchain.toml", text, text.replace("97.0", "97.1"))).items
    assert fact.detail == "rustup toolchain"


def test_a_heading_of_a_version_and_a_namespace_are_not_deprecated() -> None:
    breaking = "# Breaking changes\n\n## 0.1.0\n\nThe old spelling{}.\n"
    header = "#pragma once\n{}\nnamespace ROCKS {{\nclass Db {{}};\n}}\n"
    for path, text, mark in (
        ("docs/BREAKING.md", breaking, " is deprecated"),
        ("include/a/b.h", header, "// DEPRECATED: include backup_engine.h instead"),
    ):
        assert deprecated("Deprecate it", (path, text.format(""), text.format(mark))) == []


def test_what_a_macro_or_a_condition_surrounds_is_seen_to_go() -> None:
    member = "  // old\n#ifndef LITE\n  ROCKS_DEPRECATED_FUNC virtual Status AddFile(int a) {\n    return a;\n  }\n#endif\n"
    old = f"class DB {{\n public:\n{member}  virtual void Close();\n}};\n"
    assert gone("Remove it", ("include/a/db.h", old, old.replace(member, ""))) == ["DB::AddFile"]


def test_key_of_a_tag_is_not_what_its_text_calls_deprecated() -> None:
    old = 'package c\n\ntype C struct {\n\tGrace int `short:"g" description:"Time to finish"`\n}\n'
    new = old.replace("Time", "(Deprecated) Time")
    assert [f.name for f in deprecated("Deprecate it", ("c/c.go", old, new))] in ([], ["Grace"])


def test_synonym_that_denies_a_flag_goes_with_the_flag_that_another_structure_takes_over():
    flag = '    #[arg(long, visible_alias = "no-log-requests", num_args = 0..=1)]\n    pub log_requests: {},\n'
    head = "#[derive(Args)]\npub struct {} {{\n    #[arg(long)]\n    pub port: u16,\n"
    unsupported, shared = (head.format(n) for n in ("Unsupported", "Shared"))
    plain = "    #[arg(long, num_args = 0..=1)]\n    pub log_requests: bool,\n"
    facts = facts_of(
        "Support --log-requests",
        ("src/unsupported.rs", f"{unsupported}{flag.format('No')}}}\n", unsupported + "}\n"),
        ("src/cli.rs", shared + "}\n", f"{shared}{plain}}}\n"),
    )
    told = [(f.action, f.name) for f in facts.of(FactKind.FLAG)]
    assert (Action.REMOVED, "--no-log-requests") not in told
    assert any(name == "--log-requests" for _, name in told)


def test_default_that_a_field_gets_from_its_class_in_another_way_is_the_same():
    old = (
        "@dataclass\nclass CacheConfig:\n    DEFAULT: ClassVar[int] = 16\n    size: int = None\n\n"
        "    def fill(self):\n        if self.size is None:\n"
        '            object.__setattr__(self, "size", self.DEFAULT)\n'
    )
    new = old.replace("= None", "= Field(default=None)").replace(
        'object.__setattr__(self, "size", self.DEFAULT)', "self.size = self.DEFAULT"
    )
    facts = facts_of("Validate", ("app/config/cache.py", old, new)).items
    assert [f.name for f in facts if f.detail == "default"] == []
    changed = facts_of("Grow", ("app/config/cache.py", old, new.replace("= 16", "= 32"))).items
    assert [(f.before, f.after) for f in changed if f.detail == "default"] == [("16", "32")]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ('names = kwargs.setdefault("names", [])', []),
        ('names = kwargs["names"]', []),
        ("self.names = ['a']", []),
        ('raise_if("names" in kwargs)', ["ModelConfig.names"]),
    ],
)
def test_field_that_a_class_takes_among_its_keywords_is_not_removed(body: str, names: list[str]):
    old = (
        "class ModelConfig(PretrainedConfig):\n    names: list[str] | None = None\n"
        "    size: int = 1\n\n    def __init__(self, **kwargs):\n        super().__init__(**kwargs)\n"
    )
    new = old.replace("    names: list[str] | None = None\n", "").replace(
        "super", f"{body}\n        super"
    )
    assert gone("Take names", ("app/config/model.py", old, new)) == names


def test_synonym_that_is_the_main_name_of_another_command_makes_no_pair():
    plain = "    #[arg(long{})]\n    pub no_install_package: Vec<String>,\n"
    other = (
        '    #[arg(long, alias = "no-install-package"{})]\n    pub no_emit_package: Vec<String>,\n'
    )
    text = "pub struct SyncArgs {{\n{}}}\n\npub struct ExportArgs {{\n{}}}\n"
    old = text.format("", other.format(""))
    new = text.format(plain.format(""), other.format(', conflicts_with = "all"'))
    assert gone("Forbid both", ("crates/cli/src/lib.rs", old, new)) == []


def test_field_that_is_split_in_two_is_no_rename():
    old = "@dataclass\nclass SpecConfig:\n    mean_rate: float | None = None\n"
    new = (
        "@dataclass\nclass SpecConfig:\n    mean_rates: list[float] | None = None\n"
        "    mean_length: float | None = None\n"
    )
    facts = facts_of("Give a length", ("app/config/spec.py", old, new)).of(FactKind.CONFIG)
    assert ("removed", "SpecConfig.mean_rate") in [(f.action.value, f.name) for f in facts]
    alone = new.replace("    mean_rates: list[float] | None = None\n", "")
    facts = facts_of("Give a length", ("app/config/spec.py", old, alone)).of(FactKind.CONFIG)
    assert [(f.action.value, f.before) for f in facts] == [("renamed", "mean_rate")]


@pytest.mark.parametrize(
    ("mark", "names"), [("@internal", []), ("Its page.", ["BuildOptions.html"])]
)
def test_internal_field_of_an_interface_is_not_told(mark: str, names: list[str]):
    old = f"export interface BuildOptions {{\n  ssr?: boolean\n  /**\n   * {mark}\n   */\n  html?: boolean\n}}\n"
    new = "export interface BuildOptions {\n  ssr?: boolean\n}\n"
    assert gone("Drop it", ("src/build.ts", old, new)) == names


def test_routes_of_the_tests_in_a_file_of_rust_are_not_served() -> None:
    served = "pub fn app() -> Router {{\n    Router::new(){}\n}}\n"
    tests = '\n#[cfg(test)]\nmod tests {\n    fn app() {\n        Router::new().route("/", get(f));\n    }\n}\n'
    route = '.route("/old", get(old))'
    assert gone("Drop it", ("src/host.rs", served.format(route) + tests, served.format(""))) == [
        "GET /old"
    ]


def test_methods_that_a_new_base_of_another_file_may_have_are_not_removed() -> None:
    old = "class Parser({}):\n    def start(self):\n        return 1\n\n    def end(self):\n        return 2\n"
    new = "class Parser({}):\n    def end(self):\n        return 2\n"
    file = "app/parser.py", old.format("Base")
    assert gone("Use the engine", (*file, new.format("Engine"))) == []
    assert gone("Drop it", (*file, new.format("Base"))) == ["Parser.start"]


def test_a_name_that_a_module_gives_on_request_is_not_removed() -> None:
    old = "class Parser:\n    def run(self, x):\n        return x\n"
    new = old.replace("Parser", "_Parser") + (
        "\n\ndef __getattr__(name):\n    if name in {\n        'Parser',\n    }:\n"
        "        return globals()[f'_{name}']\n"
    )
    assert gone("Hide it", ("app/parser.py", old, new)) == []


def test_default_that_a_variable_keeps_is_not_told_by_the_name_of_the_variable() -> None:
    old = 'package a\n\nfunc f(c *C) {\n\tf.IntVar(&c.Most, "most", c.Most, "Most.")\n}\n'
    new = old.replace("&c.Most", "&c.OldMost").replace("c.Most,", "c.OldMost,")
    new = new.replace("}\n", '\tf.IntVar(&c.Many, "many", c.Many, "Many.")\n}\n')
    facts = facts_of("Move it", ("pools/pool.go", old, new)).of(FactKind.FLAG)
    assert [(f.action, f.name, f.after) for f in facts] == [(Action.ADDED, "-many", None)]


def test_flags_whose_beginning_a_library_takes_over_are_not_removed() -> None:
    text = "package ruler\n\nfunc (c *Config) RegisterFlags(f *flag.FlagSet) {{\n{}}}\n"
    old = '\tf.BoolVar(&c.TLS, "ruler.client.tls-enabled", false, "Use TLS.")\n\tf.BoolVar(&c.Old, "ruler.old", false, "Old.")\n'
    new = '\tc.Client.RegisterFlagsWithPrefix("ruler.client", f)\n'
    assert gone("Use the client", ("ruler.go", text.format(old), text.format(new))) == [
        "-ruler.old"
    ]


def test_fields_that_variants_of_an_inlined_enumeration_may_have_are_not_removed() -> None:
    head = "#[component]\npub struct TapConfig {\n"
    old = head + "    #[serde(default)]\n    pub size: u32,\n    pub socket_path: PathBuf,\n}\n"
    new = head + (
        "    #[serde(flatten)]\n    pub mode: Mode,\n    pub size: u32,\n}\n\n"
        "pub enum Mode {\n    Unix(UnixConfig),\n}\n"
    )
    assert gone("Add a mode", ("src/tap.rs", old, new)) == []


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Deprecate string usage for `ref_model`", []),
        ("Deprecate `messages`-format datasets", []),
        ("Deprecate usage of `ref_model`", ["ref_model"]),
        ("cli: add --no-unicode, deprecate --no-pcre-unicode", ["--no-pcre-unicode"]),
        ("Add `from_extractor` and deprecate `middleware`", ["middleware"]),
    ],
)
def test_a_title_deprecates_names_and_not_one_use_of_them(title: str, names: list[str]) -> None:
    assert [f.name for f in deprecated(title, ("src/a.c", "int a;\n", "int b;\n"))] == names


@pytest.mark.parametrize(
    ("path", "line", "names"),
    [
        ("a.js", "  // `option.type` is a deprecated alias for `option.kind`\n", ["option.type"]),
        ("a.go", "func (l *Local) warnings() []*api.DeprecationWarning {\n\treturn nil\n}\n", []),
        ("docs/a.md", "The old names are removed. `v0.28.0` is deprecated.\n", []),
        (
            "a.py",
            'warn("Passing `messages` data to `load_data` is deprecated.", FutureWarning)\n',
            [],
        ),
    ],
)
def test_what_a_line_about_something_else_names_is_not_deprecated(
    path: str, line: str, names: list[str]
) -> None:
    text = "option.type load_data('load_data')\n"
    assert [f.name for f in deprecated("Deprecate", (path, text, text + line))] == names


def test_a_mark_on_a_name_that_go_does_not_export_is_internal() -> None:
    old = "package a\n\nfunc load() {}\n"
    new = old.replace("func", "// Deprecated: use Load.\nfunc")
    assert [f.public for f in deprecated("Mark it", ("a.go", old, new))] == [False]


def test_variables_that_tests_in_a_file_of_rust_read_are_not_part_of_the_interface() -> None:
    read = '    let a = std::env::var("APP_ADDRESS");\n'
    tests = '\n#[cfg(feature = "app-integration-tests")]\nmod integration_tests {\n    fn f() {\n'
    old = f"fn f() {{\n}}\n{tests}{read}    }}\n}}\n"
    assert gone("Drop it", ("src/app.rs", old, old.replace(read, ""))) == []
    own = f"fn f() {{\n{read}}}\n"
    assert gone("Drop it", ("src/app.rs", own, own.replace(read, ""))) == ["APP_ADDRESS"]


def test_a_setting_that_may_no_longer_be_left_out_is_not_deprecated() -> None:
    old = "pub struct A {\n}\n"
    new = (
        "pub struct A {\n    /// The version.\n    ///\n"
        "    /// Omitting this option is deprecated and it will be required.\n"
        "    pub version: Option<u8>,\n}\n"
    )
    assert deprecated("Ask for it", ("src/a.rs", old, new)) == []


def test_a_default_of_rust_that_no_function_gives_any_more_may_stay_elsewhere() -> None:
    old = '#[derive(Deserialize)]\npub struct SinkConfig {{\n{}}}\n\nfn default_site() -> String {{\n    "a.org".into()\n}}\n'
    given = '    #[serde(default = "default_site")]\n    pub site: String,\n'
    new = old.format("    pub site: Option<String>,\n")
    facts = facts_of("Compute it", ("src/sink.rs", old.format(given), new)).items
    assert [f.name for f in facts if f.detail == "default"] == []


def test_methods_of_java_that_a_base_gets_are_not_removed() -> None:
    engine = "package a;\n\npublic class Engine extends Reference {{\n{}}}\n"
    close = "  public void close() {\n    free();\n  }\n"
    base = "package a;\n\npublic abstract class Reference {{\n{}}}\n"
    path = "src/main/java/a/{}.java"
    files = (
        (path.format("Engine"), engine.format(close), engine.format("")),
        (path.format("Reference"), base.format(""), base.format(close)),
    )
    assert gone("Close them all", *files) == []
    assert gone("Drop it", files[0]) == ["Engine.close"]


def test_a_constructor_that_is_deprecated_is_not_its_class() -> None:
    old = "package a;\n\npublic class Log {\n  public Log(final Options o) {\n  }\n}\n"
    new = old.replace("  public Log(", "  @Deprecated\n  public Log(")
    found = deprecated("Deprecate it", ("src/main/java/a/Log.java", old, new))
    assert [f.name for f in found] == ["Log.Log"]


def test_a_route_that_a_macro_of_the_project_makes_is_served() -> None:
    text = 'make_route!(\n    "/settings/words",\n    Vec<String>,\n);\nother("/settings/old");\n'
    assert routes.defined(whole("src/routes/mod.rs", text), "rust", "GET /settings/words")
    assert not routes.defined(whole("src/routes/mod.rs", text), "rust", "GET /settings/old")


def test_constructor_of_a_type_that_became_an_alias_is_not_removed():
    old = "class LogFile {\n public:\n  LogFile() {}\n  virtual ~LogFile() {}\n  virtual int Size() = 0;\n};\n"
    new = old.replace("LogFile", "WalFile") + "\nusing LogFile = WalFile;  // deprecated\n"
    assert gone("Say WAL", ("include/log.h", old, new)) == []


def test_package_that_stays_under_another_name_is_still_required():
    old = '{\n  "dependencies": {\n    "tiny-is": "^18.3.1"\n  }\n}\n'
    new = old.replace('"tiny-is": "^18.3.1"', '"tiny-is-18": "npm:tiny-is@^18.3.1"')
    assert gone("Support both", ("packages/a/package.json", old, new)) == []


ERROR = "class Doubled extends Error {\n  path: string;\n  constructor(path: string) {\n    super(path);\n  }\n}\n"


def test_members_of_a_type_that_an_index_has_from_another_file_now_are_not_removed():
    old = f"export {ERROR}\nexport const map = 1;\n"
    new = "import {Doubled} from './lib/Files';\nexport const map = 1;\nexport {Doubled};\n"
    files = (("src/index.ts", old, new), ("src/lib/Files.ts", None, f"export {ERROR}"))
    assert gone("Split a file", *files) == []


def test_members_of_a_type_that_a_macro_makes_are_not_removed():
    old = "pub enum Rejected {\n    Bad,\n}\n\nimpl Rejected {\n    pub fn status(&self) -> u16 {\n        400\n    }\n}\n"
    new = "composed! {\n    /// Why it was rejected.\n    pub enum Rejected {\n        Bad,\n    }\n}\n"
    assert facts_of("Use the macro", ("src/query.rs", old, new)).items == ()


def test_what_an_update_quotes_is_not_deprecated_here():
    old = "module x.org/y\n\nrequire a.org/log v1.9.4\n"
    message = "vendor: a.org/log v1.10.1\n\n- Deprecate `Entry.HasCaller` and `MutexWrap`\n"
    update = ("go.mod", old, old.replace("v1.9.4", "v1.10.1"))
    assert deprecated(message, update, ("vendor/a.org/log/log.go", "a\n", "b\n")) == []
    assert len(deprecated(message, update, ("log/log.go", "a\n", "b\n"))) == 2


def test_variable_whose_name_is_a_constant_of_another_module_is_not_gone():
    for path, line in (
        ("app/env.py", 'WATCH_ENV: Final[str] = "APP_WATCH"'),
        ("app/env.py", 'WATCH_ENV = "APP_WATCH"'),
        ("app/env.go", 'const watchEnv = "APP_WATCH"'),
        ("app/env.rs", 'const WATCH: &str = "APP_WATCH";'),
    ):
        language = {"py": "python", "go": "go", "rs": "rust"}[path[-2:]]
        assert env_variables.defined(whole(path, f"{line}\n"), language, "APP_WATCH")
        assert not env_variables.defined(whole(path, f"{line}\n"), language, "APP_WAT")
    listed = 'GONE = ["APP_WATCH", "APP_OLD"]\n'
    assert not env_variables.defined(whole("app/a.py", listed), "python", "APP_WATCH")


def test_variable_that_is_read_in_a_folder_of_another_name_is_not_gone():
    text = 'package cmd\n\nfunc quiet() bool {\n\treturn os.Getenv("GH_NO_NEWS") != ""\n}\n'
    assert env_variables.defined(whole("internal/app/cmd.go", text), "go", "GH_NO_NEWS")
    assert not env_variables.defined(whole("internal/app/cmd.go", text), "go", "GH_NO")


def test_one_kind_of_value_that_is_deprecated_is_not_the_thing_itself():
    old = "import warnings\n\n\ndef read(pool):\n    return pool\n"
    for text, names in (
        ("Passing `str` type as `pool_text` is deprecated, use `bytes`", []),
        ("`pool_text` is deprecated, use `pool_bytes`", ["pool_text"]),
    ):
        line = f'    warnings.warn("{text}", DeprecationWarning)\n'
        new = old.replace("    return", f"{line}    return")
        assert [f.name for f in deprecated("Read", ("app/pool.py", old, new))] == names


def test_route_of_all_verbs_is_searched_by_its_path() -> None:
    assert routes.spellings("/debug/vars") == ("/debug/vars", "/vars")
    assert routes.spellings("GET /debug/vars") == ("/debug/vars", "/vars")


@pytest.mark.parametrize(
    ("code", "names"),
    [
        (None, []),
        (("engine/cli.py", "run()\n"), ["--pool-old"]),
        (("tests/test_cli.py", "run()\n"), []),
        (("engine/moved.py", None), []),
    ],
)
def test_page_tells_a_deprecation_only_beside_code_that_begins_to_announce_it(code, names):
    page = ("docs/pool.md", "The pool.\n", "The pool.\nThe `--pool-old` option is deprecated.\n")
    announced = "run()\nhide(deprecated)\nhide(pool_old)\n"
    files = (page, *([(*code, announced)] if code else []))
    assert [f.name for f in deprecated("Describe the pool", *files)] == names


def test_route_that_a_pattern_may_still_serve_did_not_go() -> None:
    path = 'urls = [\n    path("logo/<path:name>", view),\n]\n'
    pattern = 'urls = [\n    re_path(r"^logo(?:/(?P<name>.+))?/?$", view),\n]\n'
    for old, new in ((path, pattern), (pattern, path)):
        assert facts_of("Serve it", ("app/urls.py", old, new)).items == ()


@pytest.mark.parametrize(("path", "names"), [("a/api.py", []), ("a/_api.py", ["Pool.stop"])])
def test_name_that_goes_is_not_deprecated_unless_it_goes_where_nobody_imports_it(path, names):
    run = "def run():\n    pass\n"
    pool = "class Pool:\n    def stop(self):\n        pass\n"
    announced = pool.replace("    def", '    @deprecated("use drain")\n    def')
    files = (path, f"def stop():\n    pass\n\n\n{run}", run), ("a/pool.py", pool, announced)
    assert [f.name for f in deprecated("Tidy the pool", *files)] == names


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ('_form = _option("--format", "Output format.", Form.TEXT)\n', True),
        ('_form = _option(\n    "-f --format FORM",\n    "Output format.",\n)\n', True),
        ('_form = add_flag("--format-all", "Every format.")\n', False),
        ('_form = _option("--style", "Was --format.")\n', False),
        ('print("--format is gone")\n', False),
    ],
)
def test_flag_that_a_function_of_the_project_declares_is_there(text: str, *, there: bool) -> None:
    assert flags.defined(whole("cli/commands.py", text), "python", "--format") is there


GO_CONFIG = (
    "package shop\n\ntype ServerConfig struct {\n"
    '\tEndpoint string `mapstructure:"endpoint,omitempty"`\n'
    '\tMax int `mapstructure:"max"`\n}\n'
)


@pytest.mark.parametrize(
    "embedded",
    [
        '\tNetAddr net.AddrConfig `mapstructure:",squash"`\n',
        '\tNetAddr optional.Optional[net.AddrConfig] `mapstructure:",squash"`\n',
        '\tnet.AddrConfig `mapstructure:",squash"`\n',
        '\tNetAddr *net.AddrConfig `json:",inline"`\n',
    ],
)
def test_settings_that_an_embedded_structure_may_have_are_not_removed(embedded: str) -> None:
    first = '\tEndpoint string `mapstructure:"endpoint,omitempty"`\n'
    file = ("config/server.go", GO_CONFIG, GO_CONFIG.replace(first, embedded))
    assert gone("Embed the address", file) == []
    assert gone("Drop it", (*file[:2], GO_CONFIG.replace(first, ""))) == ["ServerConfig.endpoint"]


def test_constants_of_a_new_base_of_java_are_not_removed() -> None:
    old = "public class Options {\n  public static final int PORT = 1;\n}\n"
    new = "public class Options extends Base {\n}\n"
    path = "src/main/java/shop/Options.java"
    assert gone("Add a base", (path, old, new)) == []
    assert gone("Drop it", (path, old, "public class Options {\n}\n")) == ["Options.PORT"]


def test_setting_is_deprecated_although_a_function_of_its_name_goes() -> None:
    head = "import warnings\n\n\nclass CacheConfig:\n    use_swap: bool = False\n"
    notice = (
        '\n    def check(self):\n        warnings.warn("use_swap is deprecated and will be removed'
        ' in v0.9. Use mode instead.")\n'
    )
    function = "def use_swap() -> bool:\n    return True\n"
    files = (
        ("shop/config/cache.py", head, head + notice),
        ("shop/layers/swap.py", f"import os\n\n\n{function}", "import os\n"),
    )
    assert [f.name for f in deprecated("Split the swap", *files)] == ["use_swap"]
    field = head.replace("    use_swap: bool = False\n", "    mode: str = ''\n")
    files = (("shop/config/cache.py", head, field + notice), files[1])
    assert deprecated("Split the swap", *files) == []


def test_setting_of_go_that_was_embedded_under_its_name_is_not_new() -> None:
    old = 'package otlp\n\ntype Config struct {\n\tProtocols `mapstructure:"protocols"`\n}\n'
    new = old.replace("\tProtocols `", "\tProtocols Protocols `")
    assert facts_of("Name it", ("receiver/config.go", old, new)).of(FactKind.CONFIG) == ()


def test_another_spelling_of_the_same_type_is_no_change() -> None:
    old = 'package shop\n\ntype PluginConfig struct {\n\tConfig map[string]interface{} `hcl:"config"`\n}\n'
    file = ("command/plugins.go", old, old.replace("interface{}", "any"))
    assert facts_of("Modernize it", file).of(FactKind.CONFIG) == ()
    script = "export type WorkflowConfig = {\n  handler: A\n}\nexport interface JobConfig {\n  run:\n    | A\n    | B\n}\n"
    file = ("src/jobs.ts", script, script.replace("run:\n    | A\n    | B", "run: A | B"))
    assert facts_of("Format it", file).of(FactKind.CONFIG) == ()


def test_methods_that_only_return_a_field_are_not_renamed_into_any_other() -> None:
    getter = "    public Serde NAME() {\n        return NAME;\n    }\n\n"
    head = "public class Joined {\n"
    names = (["value", "otherValue"], ["gracePeriod", "leftValue", "rightValue"])
    old, new = (head + "".join(getter.replace("NAME", n) for n in those) + "}\n" for those in names)
    items = facts_of("Clean up", ("src/main/java/a/Joined.java", old, new)).items
    assert [f.name for f in items if f.action is Action.RENAMED] == []
    new = head + getter.replace("NAME", "leftValue") + getter.replace("NAME", "otherValue") + "}\n"
    items = facts_of("Clean up", ("src/main/java/a/Joined.java", old, new)).items
    assert [f.name for f in items if f.action is Action.RENAMED] == ["Joined.leftValue"]


def test_parts_of_a_page_configure_nothing() -> None:
    old = "export class SettingsComponent {\n  zoom = 1\n}\n"
    new = old.replace("  zoom", "  scale = 2\n  zoom")
    assert facts_of("Zoom", ("src/settings.ts", old, new)).of(FactKind.CONFIG) == ()


def test_code_that_begins_a_function_states_no_default() -> None:
    old = "export const factory = {\n  default: async (args: {\n    config: Config\n  }) => 1,\n}\n"
    file = ("src/factory.ts", old, old.replace("async (", "("))
    assert not [f for f in facts_of("Make config synchronous", file).items if f.detail == "default"]


def test_new_file_that_has_deprecated_names_of_others_deprecates_nothing():
    new = (
        "/**\n * @deprecated Replaced by `client.address`.\n */\nexport const ATTR_OLD_IP = 'ip';\n"
    )
    use = "// deprecated attributes\nimport { ATTR_OLD_IP } from './semconv';\nuse(ATTR_OLD_IP);\n"
    files = (("src/semconv.ts", None, new), ("src/utils.ts", "let a = 1;\n", use))
    found = facts_of("Add back support for the old names", *files).items
    assert not any(f.kind is FactKind.DEPRECATION for f in found)


@pytest.mark.parametrize(
    ("line", "there"),
    [
        ('r.Del("/status/blocks", a.drop)', True),
        ('r.Del("/api/v1/status/blocks", a.drop)', True),
        ('r.Get("/status/blocks", a.drop)', False),
        ('r.Del("/blocks", a.drop)', True),
        ('r.Del("/x", a.drop)', False),
    ],
)
def test_route_behind_a_prefix_is_served_where_a_router_has_its_end(line, there):
    text = f"package web\n\nfunc (a *API) Register(r *Router) {{\n\t{line}\n}}\n"
    sheet = whole("web/api.go", text)
    assert routes.defined(sheet, "go", "DELETE /api/v1/status/blocks") is there
