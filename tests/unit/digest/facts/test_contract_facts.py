"""Facts that were told wrong or not at all: each a small change of the same shape."""

from __future__ import annotations

from dataclasses import replace

import pytest

from digest.core.facts import Action, Fact, FactKind
from digest.facts.exposure import with_exposure
from digest.facts.tree_lookup import Question, unreleased
from tests.unit.digest.facts.changes import facts_of


def told(path: str, before: str, after: str, message: str = "Change") -> list[Fact]:
    return list(facts_of(message, (path, before, after)).items)


def shown(facts: list[Fact], kind: FactKind) -> list[tuple[str, str, str | None, str | None]]:
    return [(f.action.value, f.name, f.before, f.after) for f in facts if f.kind is kind]


def test_field_that_replaces_a_deprecated_flag_is_not_deprecated():
    flag = 'a.Flag("storage.time", "{}How long to keep.{}").StringVar(&b)'
    said = " This flag has been deprecated, use the `storage.new.time` field instead."
    head = "package main\n\nfunc main() {\n\t"
    facts = told(
        "app/main.go",
        head + flag.format("", "") + "\n}\n",
        head + flag.format("[DEPRECATED] ", said) + "\n}\n",
    )
    found = [f for f in facts if f.kind is FactKind.DEPRECATION]
    assert [(f.name, f.replacement) for f in found] == [("--storage.time", "storage.new.time")]


def test_deprecation_names_its_subject_replacement_and_end():
    warning = (
        'warn("The `--old-tls` flag is deprecated and will be removed in 2.0. Use `--tls`.");\n'
    )
    facts = told("src/settings.rs", "fn a() {\n}\n", "fn a() {\n    " + warning + "}\n")
    found = [f for f in facts if f.kind is FactKind.DEPRECATION]
    assert [(f.name, f.replacement, f.when) for f in found] == [("--old-tls", "--tls", "2.0")]


def test_text_that_mentions_something_deprecated_in_passing_names_nothing():
    old = "def is_double(dt):\n    pass\n"
    new = 'def is_double(dt):\n    """We ask for it, as pytz is deprecated."""\n    pass\n'
    assert [f for f in told("app/time.py", old, new) if f.kind is FactKind.DEPRECATION] == []


@pytest.mark.parametrize("name", ["HF_TOKEN", "NCCL_MAX_CTAS", "DATABRICKS_HOST", "OMP_PLACES"])
def test_variable_of_somebody_else_is_no_fact(name):
    facts = told("app/run.py", "x = 1\n", f'x = os.environ.get("{name}")\n')
    assert shown(facts, FactKind.ENVIRONMENT) == []


def test_default_of_a_field_far_below_the_name_of_its_class_is_of_that_class():
    told_of = "".join(f"    n_{n} (`int`):\n        {'Text. ' * 14}\n" for n in range(450))
    others = "".join(f"    other_size_{n}: int = {n}\n" for n in range(900))
    text = (
        f'@dataclass\nclass PoolConfig:\n    """\n    Sizes.\n\n{told_of}    """\n\n'
        '    size: int = field(\n        default={},\n        metadata={{"help": "Sizes."}},\n    )\n'
        f"{others}"
    )
    (fact,) = told("app/pool_config.py", text.format(256), text.format(512))
    assert (fact.name, fact.before, fact.after) == ("PoolConfig.size", "256", "512")


def test_variable_of_the_project_of_that_name_is_a_fact():
    facts = told("src/cargo/run.py", "x = 1\n", 'x = os.environ.get("CARGO_JOBS")\n')
    assert shown(facts, FactKind.ENVIRONMENT) == [("added", "CARGO_JOBS", None, None)]
    facts = told("src/cargo_utils/run.py", "x = 1\n", 'x = os.environ.get("CARGO_JOBS")\n')
    assert shown(facts, FactKind.ENVIRONMENT) == []


def test_default_of_a_deprecated_variable_is_that_of_its_reader():
    entry = 'variables = {\n    "APP_FAST": deprecated_env(\n        "APP_FAST",\n        "v0.23",\n        lambda: os.getenv("APP_FAST", "0"),\n    ),\n}\n'
    facts = told("app/envs.py", entry, "variables = {\n}\n")
    assert shown(facts, FactKind.ENVIRONMENT) == [("removed", "APP_FAST", '"0"', None)]


def test_default_of_an_option_of_a_class_is_told():
    text = "class Task:\n    acks_late = {}\n    limit = 3\n"
    (fact,) = told("app/task.py", text.format(True), text.format(False))
    assert (fact.name, fact.before, fact.after) == ("Task.acks_late", "True", "False")


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("include/db/env.h", "void f(int* p = 0);\n", "void f(int* p = nullptr);\n"),
        ("app/run.py", 'x = os.getenv("APP_X", 0)\n', 'x = os.getenv("APP_X", False)\n'),
        ("app/run.py", 'x = os.getenv("APP_X", 9)\n', 'x = os.getenv("APP_X") or load()\n'),
        (
            "app/run.py",
            "def f(a, keys=KEYS):\n    return a\n",
            "def f(a, keys=None):\n    keys = KEYS if not keys else keys\n    return a\n",
        ),
        (
            "cmd/main.go",
            'func main() {\n\ta.Flag("wait", "Time.").Default("5m").DurationVar(&w)\n}\n',
            'func main() {\n\ta.Flag("wait", "Time.").DurationVar(&w)\n}\n',
        ),
        (
            "cmd/main.go",
            'func main() {\n\tfs.Duration("wait", 1 * time.Minute, "Time.")\n}\n',
            'func main() {\n\tfs.Duration("wait", "1m", "Time.")\n}\n',
        ),
        (
            "mod/config.go",
            "package mod\n\nvar DefaultConfig = Config{\n\tMax: 3 * time.Hour,\n}\n",
            'package mod\n\nvar DefaultConfig = Config{\n\tMax: "3h",\n}\n',
        ),
        ("app/run.py", "def f(_loc=loc):\n    pass\n", "def f(_loc=None):\n    pass\n"),
    ],
)
def test_default_that_is_written_in_another_way_did_not_change(path, old, new):
    assert [f for f in told(path, old, new) if f.detail == "default"] == []


STRUCT = "{}pub struct InstallOptions {{\n    pub index: String,\n{}}}\n"


@pytest.mark.parametrize(
    ("derive", "public"),
    [
        ("#[derive(Debug, Clone)]\n", False),
        ("#[derive(Debug, Deserialize)]\n", True),
        ("#[derive(clap::Args, Deserialize)]\n", None),
    ],
)
def test_structure_of_rust_is_configuration_only_if_it_is_read(derive, public):
    field = "    pub find_links: String,\n"
    path = "crates/app/src/settings.rs"
    old, new = STRUCT.format(derive, field), STRUCT.format(derive, "")
    (fact,) = [f for f in told(path, old, new) if f.kind is FactKind.CONFIG]
    assert fact.action is Action.REMOVED
    assert with_exposure(fact, {path: old}).public is (bool(public))


@pytest.mark.parametrize(("kept", "public"), [("pub ", True), ("pub(crate) ", True), ("", False)])
def test_structure_of_rust_that_keeps_its_fields_to_itself_is_no_configuration(kept, public):
    text = STRUCT.replace("    pub ", f"    {kept}").format("#[derive(Deserialize)]\n", "")
    path = "app/src/model.rs"
    lost = text.replace("\n}", f"\n    {kept}find_links: String,\n}}")
    (found,) = [f for f in told(path, lost, text) if f.kind is FactKind.CONFIG]
    assert with_exposure(found, {path: text}).public is public


@pytest.mark.parametrize(
    ("path", "action", "public"),
    [
        ("app/config/cache.py", "removed", True),
        ("app/core/cache_config.py", "removed", True),
        ("app/core/config/cache.py", "removed", True),
        ("app/core/parser/cache_config.py", "removed", False),
        ("app/core/parser/cache_config.py", "added", False),
        ("app/core/parser/cache_args.py", "added", False),
    ],
)
def test_settings_of_an_inner_part_are_not_those_of_users(path, action, public):
    text = "class CacheConfig(BaseModel):\n    size: int = 8\n"
    sides = (text, f"{text}    name: str = 'x'\n")
    old, new = sides if action == "added" else sides[::-1]
    (found,) = [f for f in told(path, old, new) if f.kind is FactKind.CONFIG]
    texts = {"app/__init__.py": "from app.main import run\n", path: new}
    assert with_exposure(replace(found, public=None), texts).public is public


def test_default_that_only_moved_into_a_constant_did_not_change():
    old = "@dataclass\nclass CacheConfig:\n    size: int = 8\n"
    new = "SIZE = 8\n\n\n@dataclass\nclass CacheConfig:\n    size: int = SIZE\n"
    assert shown(told("app/config.py", old, new), FactKind.CONFIG) == []


def test_default_behind_a_constant_that_is_not_known_is_not_told():
    old = "@dataclass\nclass CacheConfig:\n    size: int = 8\n"
    assert shown(told("app/config.py", old, old.replace("8", "SIZE")), FactKind.CONFIG) == []


def test_default_is_told_as_the_value_of_its_constant():
    old = "@dataclass\nclass CacheConfig:\n    size: int = 8\n"
    new = "SIZE = 16\n\n\n@dataclass\nclass CacheConfig:\n    size: int = SIZE\n"
    assert shown(told("app/config.py", old, new), FactKind.CONFIG) == [
        ("changed", "CacheConfig.size", "8", "16")
    ]


def test_flag_that_takes_the_place_of_another_is_renamed():
    old = "struct A {\n    /// Does it.\n    #[arg(long)]\n    pub no_fast_path: bool,\n}\n"
    facts = told("src/cli.rs", old, old.replace("no_fast_path", "force_build"))
    assert shown(facts, FactKind.FLAG) == [
        ("renamed", "--force-build", "--no-fast-path", "--force-build")
    ]


def test_constants_of_variables_are_renamed_together():
    line = '    pub const {0}: &\'static str = "{0}";\n'
    old = "impl EnvVars {\n" + line.format("APP_WORKING_DIRECTORY") + "}\n"
    facts = told("src/env_vars.rs", old, old.replace("DIRECTORY", "DIR"))
    assert shown(facts, FactKind.ENVIRONMENT) == [
        ("renamed", "APP_WORKING_DIR", "APP_WORKING_DIRECTORY", "APP_WORKING_DIR")
    ]


def test_table_of_options_names_settings_by_all_their_keys():
    old = "NAMES = Namespace(\n    broker=Namespace(\n        beat=Option(None, type='int'),\n    ),\n)\n"
    facts = told("app/defaults.py", old, old.replace("None", "120"))
    assert shown(facts, FactKind.CONFIG) == [("changed", "broker_beat", "None", "120")]


def test_section_of_options_that_is_renamed_renames_its_settings():
    old = "N = Namespace(\n    sqlbase=Namespace(\n        names=Option(type='dict'),\n    ),\n)\n"
    facts = told("app/defaults.py", old, old.replace("sqlbase", "database"))
    assert shown(facts, FactKind.CONFIG) == [
        ("renamed", "database_names", "sqlbase_names", "database_names")
    ]


def test_fields_of_structures_in_public_headers_are_read():
    old = "struct DBOptions {\n  // How much.\n  bool verify = false;\n  int level = 2;\n};\n"
    new = old.replace("false", "true").replace("  int level = 2;\n", "")
    assert shown(told("include/db/options.h", old, new), FactKind.CONFIG) == [
        ("changed", "DBOptions.verify", "false", "true"),
        ("removed", "DBOptions.level", "2", None),
    ]
    assert shown(told("db/internal.h", old, new), FactKind.CONFIG) == []


def test_member_of_a_table_of_defaults_is_a_default():
    old = "var DefaultSenderConfig = SenderConfig{\n\tVersion: VersionOne,\n}\n"
    facts = told("config/config.go", old, old.replace("VersionOne", "VersionTwo"))
    assert ("changed", "SenderConfig.Version", "VersionOne", "VersionTwo") in shown(
        facts, FactKind.CONFIG
    )


def test_value_of_a_feature_flag_that_no_case_knows_is_removed():
    head = 'package main\n\nfunc main() {\n\ta.Flag("enable-feature", "Names.").StringsVar(&f)\n'
    case = '\tcase "at-modifier", "offset":\n\t\tlog()\n'
    facts = told("app/main.go", f"{head}\tswitch o {{\n{case}\t}}\n}}\n", f"{head}}}\n")
    assert [n for _, n, *_ in shown(facts, FactKind.FLAG)] == [
        "--enable-feature=at-modifier",
        "--enable-feature=offset",
    ]


def test_name_that_stays_as_another_name_is_not_removed():
    old = "class Task:\n    def subtask(self, args):\n        return run(args)\n"
    new = (
        "class Task:\n    def signature(self, args):\n        return run(args)\n"
        "    subtask = signature\n"
    )
    facts = shown(told("app/task.py", old, new), FactKind.SYMBOL)
    assert [(action, name) for action, name, *_ in facts] == [("added", "Task.signature")]


def test_attribute_of_a_class_that_went_is_told():
    old = "class Task:\n    limit = 3\n    automatic = True\n"
    facts = told("app/task.py", old, "class Task:\n    limit = 3\n")
    assert shown(facts, FactKind.SYMBOL) == [("removed", "Task.automatic", None, None)]


def test_requirement_that_becomes_one_of_developers_is_removed():
    old = '{\n  "dependencies": {\n    "a": "1.0"\n  }\n}\n'
    new = '{\n  "devDependencies": {\n    "a": "1.0"\n  }\n}\n'
    facts = told("package.json", old, new)
    assert all(f.detail.endswith("dev") for f in facts if f.action is Action.ADDED)


@pytest.mark.parametrize(
    ("listed", "root", "public"),
    [
        ('__all__ = ["Task"]\n', "", True),
        ("", "from app.task import Task\n", True),
        ("", "from app.other import Other\n", False),
        ("", "", None),
    ],
)
def test_public_name_of_python_is_listed_or_imported_by_its_package(listed, root, public):
    old = f"{listed}class Task:\n    def run(self): ...\n    def stop(self): ...\n"
    (fact,) = told("app/task.py", old, old.replace("    def stop(self): ...\n", ""))
    found = with_exposure(fact, {"app/task.py": old, **({"app/__init__.py": root} if root else {})})
    assert found.public is public


ACTIVE = '\t\tcase "fast":\n\t\t\tc.fast = true\n'
SWITCH = (
    'package main\n\nfunc main() {{\n\ta.Flag("enable-feature", "Names.").StringsVar(&c)\n'
    '\tswitch o {{\n{}\t\tcase "slow":\n\t\t\tc.slow = true\n\t}}\n\tmode = "fast"\n}}\n'
)


def test_value_of_a_feature_flag_is_removed_though_the_word_stays():
    facts = told("app/main.go", SWITCH.format(ACTIVE), SWITCH.format(""))
    assert shown(facts, FactKind.FLAG) == [("removed", "--enable-feature=fast", None, None)]


def test_feature_that_is_permanently_enabled_is_on_by_default():
    always = ACTIVE.replace("c.fast = true", 'log.Warn("Now permanently enabled.")')
    facts = told("app/main.go", SWITCH.format(ACTIVE), SWITCH.format(always))
    assert shown(facts, FactKind.FLAG) == [("changed", "--enable-feature=fast", "off", "on")]


def test_default_of_a_flag_that_is_converted_is_its_constant():
    line = 'package main\n\nfunc main() {{\n\ta.Flag("wal.type", "Kind.").Default({}).EnumVar(&b)\n}}\n'
    one = line.format("string(wlog.Snappy)")
    assert told("app/main.go", one, line.format("compression.Snappy")) == []


SERDE = (
    '#[derive(Deserialize)]\n#[serde(rename_all = "kebab-case")]\npub struct Settings {{\n{}}}\n'
)


@pytest.mark.parametrize(
    ("before", "after", "facts"),
    [
        ("    pub dev_mode: bool,\n", "    pub(crate) dev_mode: bool,\n", []),
        ("    dev_mode: bool,\n", "", [("removed", "Settings.dev-mode", None, None)]),
        (
            "    dev_mode: bool,\n",
            "    #[serde(flatten)]\n    dev_mode: DevOptions,\n",
            [],
        ),
        (
            '    #[serde(rename = "one")]\n    a: bool,\n',
            '    #[serde(rename = "ones")]\n    a: bool,\n',
            [("renamed", "Settings.ones", "one", "ones")],
        ),
    ],
)
def test_key_of_a_rust_setting_is_what_files_write(before, after, facts):
    both = [SERDE.format("    kept: u8,\n" + text) for text in (before, after)]
    assert shown(told("src/settings.rs", *both), FactKind.CONFIG) == facts


def test_field_of_go_is_a_setting_only_if_files_name_it():
    text = "package a\n\ntype Options struct {{\n\tKept int\n{}}}\n"
    tagged, bare = '\tMaxAge int `yaml:"max_age,omitempty"`\n', "\tMaxAge int\n"
    facts = told("a.go", text.format(tagged), text.format(""))
    assert shown(facts, FactKind.CONFIG) == [("removed", "Options.max_age", None, None)]
    facts = told("a.go", text.format(bare), text.format(""))
    assert [f.name for f in facts if f.kind is FactKind.SYMBOL] == ["Options.MaxAge"]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (
            "a.go",
            "package a\n\ntype Appender interface {\n\tCommit() error\n\tKeep()\n}\n",
            "package a\n\ntype Appender interface {\n\tTransaction\n\tKeep()\n}\n",
        ),
        (
            "include/a.h",
            "struct BackupOptions {\n  int kept = 1;\n  int limit = 2;\n};\n",
            "struct BackupOptions : public SharedOptions {\n  int kept = 1;\n};\n",
        ),
    ],
)
def test_member_that_a_new_base_may_have_is_not_removed(path, before, after):
    assert [f for f in told(path, before, after) if f.action is Action.REMOVED] == []


def test_method_of_an_interface_that_took_the_place_of_another_is_renamed():
    text = "package a\n\ntype Parser interface {{\n\t{}() int64\n\tNext() bool\n}}\n"
    facts = told("a.go", text.format("CreatedTimestamp"), text.format("StartTimestamp"))
    names = ("Parser.CreatedTimestamp", "Parser.StartTimestamp")
    assert shown(facts, FactKind.SYMBOL) == [("renamed", names[1], *names)]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.ts", "export class A {\n  seen = new Map<string, B>()\n}\n", "new Map()"),
        ("a.ts", "export class A {\n  seen = 1\n}\n", "2"),
        ("a.py", "class AConfig:\n    seen: int = first()\n", "second()"),
    ],
)
def test_value_that_users_cannot_know_is_no_default(path, before, after):
    head, _, value = before.partition(" = ")
    now = f"{head} = {after}\n" + value.partition("\n")[2]
    assert [f for f in told(path, before, now) if f.detail == "default"] == []


@pytest.mark.parametrize(
    "line",
    [
        '// warn for any other value: fmt.Errorf("unsupported value %q is deprecated", v)',
        "// The v1.Endpoints API is deprecated in Kubernetes.",
        "// This feature might be deprecated and removed once it is done.",
        "\tre := regexp.MustCompile(`\\S+ \\S+ is deprecated in v\\d+`)",
    ],
)
def test_sentence_without_a_name_of_the_project_deprecates_nothing(line):
    text = "package a\n\n{}\nfunc (a *head) best() {{\n}}\n"
    facts = told("a.go", text.format("// best does it."), text.format(line))
    assert [f for f in facts if f.kind is FactKind.DEPRECATION] == []


def test_default_in_a_chain_below_the_flag_is_read():
    flag = 'package main\n\nfunc main() {{\n\ta.Flag("wal.zip", "Zip.").\n\t\tDefault("{}").BoolVar(&b)\n}}\n'
    facts = told("app/main.go", flag.format("false"), flag.format("true"))
    assert shown(facts, FactKind.FLAG) == [("changed", "--wal.zip", '"false"', '"true"')]


CLI = (
    "#[derive(Args)]\npub struct SyncArgs {{\n    #[arg(long)]\n    pub force: bool,\n\n"
    "    #[arg(long)]\n    pub reinstall: bool,\n}}\n\n"
    "#[derive(Args)]\npub struct InstallArgs {{\n    #[arg(long, short)]\n    pub {}: bool,\n}}\n"
)


def test_flag_that_moves_from_below_a_prefix_is_not_new():
    old = (
        'package ha\n\nfunc reg(f F) {\n\tf.DurationVar(&c.T, prefix+"pool.wait", 30, "Wait.")\n}\n'
    )
    new = 'package limits\n\nfunc reg(f F) {\n\tf.Var(&l.T, "app.pool.wait", "Wait.")\n}\n'
    bare = (old.replace('\tf.DurationVar(&c.T, prefix+"pool.wait", 30, "Wait.")\n', ""), "")
    facts = facts_of("Move it", ("pkg/ha.go", old, bare[0]), ("pkg/limits.go", bare[1], new))
    assert [f.name for f in facts.of(FactKind.FLAG, Action.ADDED)] == []


def test_flag_is_renamed_in_one_command_though_another_has_both_names():
    facts = told("src/cli.rs", CLI.format("force"), CLI.format("reinstall"))
    assert shown(facts, FactKind.FLAG) == [
        ("renamed", "--reinstall", "--force", "--reinstall"),
        ("added", "-r", None, None),
        ("removed", "-f", None, None),
    ]


def test_variable_that_takes_the_place_of_another_is_renamed():
    line = '    #[arg(long, env = "{}_CACHE_DIR")]\n    pub dir: String,\n'
    text = "pub struct CacheArgs {{\n{}}}\n"
    facts = told("src/cli.rs", *(text.format(line.format(n)) for n in ("OLD", "APP")))
    names = ("OLD_CACHE_DIR", "APP_CACHE_DIR")
    assert shown(facts, FactKind.ENVIRONMENT) == [("renamed", names[1], *names)]


def test_counter_that_loses_the_suffix_clients_add_keeps_its_name():
    made = """\
self.drafts = prometheus_client.Counter(
    name="app:drafts{}", documentation="Number of drafts."
)
self.tokens = prometheus_client.Counter(
    name="app:draft_tokens{}", documentation="Number of draft tokens."
)
"""
    before, after = (f"class A:\n{made.format(end, end)}" for end in ("_total", ""))
    assert shown(told("app/metrics.py", before, after), FactKind.METRIC) == []
    gauges = (text.replace("Counter", "Gauge") for text in (before, after))
    assert shown(told("app/metrics.py", *gauges), FactKind.METRIC)


def test_metric_whose_name_stands_alone_on_a_line_is_renamed():
    text = 'package a\n\nvar d = prometheus.NewDesc(\n\t"{}",\n\t"Time.",\n\tnil,\n)\n'
    facts = told("a.go", text.format("app_sd_timestamp"), text.format("app_sd_mtime_seconds"))
    names = ("app_sd_timestamp", "app_sd_mtime_seconds")
    assert shown(facts, FactKind.METRIC) == [("renamed", names[1], *names)]


@pytest.mark.parametrize(
    ("path", "line", "names"),
    [
        ("docs/a.md", "The `--old-a`, `--old-b`, and `--old-c` flags are deprecated.", "a b c"),
        ("docs/a.md", "`--old-a` and `--old-b` are deprecated. Use `--new`.", "a b"),
        ("docs/a.md", "Pass `--new`, because `--old-a` is deprecated.", "a"),
    ],
)
def test_every_name_before_is_deprecated_is_told(path, line, names):
    facts = told(path, "# A\n", f"# A\n\n{line}\n", "Deprecate flags")
    found = {f.name for f in facts if f.kind is FactKind.DEPRECATION and f.detail != "message"}
    assert found == {f"--old-{name}" for name in names.split()}


def test_names_that_a_message_deprecates_are_all_told():
    facts = told("a.rs", "fn a() {}\n", "fn b() {}\n", "Deprecate `--system` and `--no-system`")
    found = [f.name for f in facts if f.kind is FactKind.DEPRECATION]
    assert found == ["--system", "--no-system"]


def test_member_that_a_constructor_initialises_has_a_new_default():
    text = "ReadOptions::ReadOptions()\n    : snapshot(nullptr),\n      use_io({}) {{}}\n"
    facts = told("options/options.cc", text.format("false"), text.format("true"))
    assert shown(facts, FactKind.CONFIG) == [("changed", "ReadOptions.use_io", "false", "true")]


def test_default_that_depends_on_a_version_is_told_with_its_condition():
    text = (
        "import os\n\n\ndef use_aot():\n    value = (\n        '1'\n"
        "        if is_torch_equal_or_newer(\"{}\")\n        else '0'\n    )\n"
        '    return os.environ.get("APP_USE_AOT", value) == "1"\n'
    )
    (fact,) = told("app/envs.py", text.format("2.11.0.dev"), text.format("2.10.0"))
    assert (fact.name, fact.after, fact.condition) == ("APP_USE_AOT", '"1"', "torch >= 2.10.0")


@pytest.mark.parametrize(
    ("before", "after", "told_as"),
    [
        ("'a'", '"b" if fast() else "a"', ('"a"', '"b"', "fast()")),
        ("'b'", '"b" if fast() else "a"', ('"b"', '"a"', "not (fast())")),
        ('"b" if fast() else "a"', "'b'", ('"a"', '"b"', "not (fast())")),
        ('"b" if fast() else "a"', "'a'", ('"b"', '"a"', "fast()")),
        ("'a'", "'b'", ("'a'", "'b'", None)),
    ],
)
def test_conditional_default_is_told_for_those_whom_it_concerns(before, after, told_as):
    text = "@dataclass\nclass AppConfig:\n    mode: str = {}\n"
    (fact,) = told("app/config.py", text.format(before), text.format(after))
    assert (fact.before, fact.after, fact.condition) == told_as


def test_default_that_goes_with_a_deprecation_is_not_told_beside_it():
    old = 'package main\n\nfunc main() {\n\ta.Flag("old.wait", "Wait.").Default("10s").IntVar(&b)\n}\n'
    new = old.replace("Wait.", "[DEPRECATED] This flag has been deprecated.")
    facts = told("app/main.go", old, new.replace('.Default("10s")', ".Hidden()"))
    assert [(f.kind, f.name) for f in facts] == [(FactKind.DEPRECATION, "--old.wait")]


def test_this_flag_in_documentation_is_that_of_the_section():
    text = "## Chunks\n\n`--enable-feature=xor2`\n\n{}\n"
    said = "> **Note:** This flag is deprecated. Select it with the `chunks.floats` field instead."
    sides = text.format("It is fast."), text.format(said)
    facts = told("docs/flags.md", *sides, "Select chunks by setting, deprecate the flag")
    assert [f.name for f in facts] == ["--enable-feature=xor2"]


def test_what_a_renamed_type_owns_and_what_is_named_after_it_is_renamed_with_it():
    text = (
        "package a\n\ntype {0} struct {{\n\tKept int\n\tOther string\n}}\n\n"
        "func New{0}() *{0} {{\n\treturn nil\n}}\n\nfunc (h *{0}) Run() {{\n\trun()\n}}\n"
    )
    facts = told("a.go", text.format("StaleHead"), text.format("SelectedHead"))
    names = [(f.action.value, f.before, f.after) for f in facts if f.kind is FactKind.SYMBOL]
    assert ("renamed", "StaleHead", "SelectedHead") in names
    assert not {"removed", "added"} & {action for action, *_ in names}


@pytest.mark.parametrize(
    ("path", "line", "name"),
    [
        ("cmd/a.go", '\tfs.MarkDeprecated("old-way", "use new-way")', "--old-way"),
        ("app/a.py", '    old: int = Field(default=1, deprecated="use new")', "old"),
        ("include/a.h", "  // DEPRECATED - set new_way.\n  bool old_way = false;", "old_way"),
    ],
)
def test_marks_among_arguments_and_in_capitals_deprecate(path, line, name):
    head = {"cmd/a.go": "func main() {\n", "app/a.py": "class A:\n"}.get(path, "struct A {\n")
    tail = "" if path.endswith("py") else "}\n"
    facts = told(path, f"{head}{tail}", f"{head}{line}\n{tail}")
    assert [f.name for f in facts if f.kind is FactKind.DEPRECATION] == [name]


DOCS = "## server.port\n\n- **Type:** `number`\n- **Default:** `{}`\n"


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        (
            "const port = options.port ?? fallback(3)\n",
            "const port = options.port ?? fallback(5)\n",
            [("changed", "server.port", "3000", "5173")],
        ),
        ("// The port is open.\n", "// The port is closed.\n", []),
    ],
)
def test_default_of_documentation_is_told_if_code_bears_it_out(old, new, facts):
    change = facts_of(
        "Change",
        ("src/server.ts", old, new),
        ("docs/config.md", DOCS.format(3000), DOCS.format(5173)),
    )
    assert shown(list(change.items), FactKind.CONFIG) == facts


@pytest.mark.parametrize(
    ("path", "told_"), [("docs/config.md", 1), ("tests/config.md", 0), ("docs/conf.py", 0)]
)
def test_default_is_told_by_documentation_for_users_alone(path, told_):
    code = "const port = options.port ?? fallback({})\n"
    change = facts_of(
        "Change",
        ("src/server.ts", code.format(3), code.format(5)),
        (path, DOCS.format(3000), DOCS.format(5173)),
    )
    assert len(shown(list(change.items), FactKind.CONFIG)) == told_


@pytest.mark.parametrize(
    ("old", "new", "values"),
    [
        ('"\\"py38\\""', '"\\"py39\\""', ('"py38"', '"py39"')),
        ('r#"["."]"#', 'r#"[".", "src"]"#', ('["."]', '[".", "src"]')),
        ('r"3"', 'r"5"', ("3", "5")),
    ],
)
def test_default_that_an_attribute_documents_is_that_of_the_setting(old, new, values):
    text = (
        "#[derive(Deserialize, OptionsMetadata)]\npub struct Options {{\n    #[option(\n"
        '        default = {},\n        value_type = "str"\n    )]\n'
        "    pub target_version: Option<String>,\n}}\n"
    )
    settings = ("crates/x/src/options.rs", text.format(old), text.format(new))
    assert facts_of("Fix the documentation", settings).items == ()
    code = ("crates/x/src/lib.rs", "fn f() { g(1) }\n", "fn f() { g(2) }\n")
    (fact,) = facts_of("Change the default", settings, code).items
    assert (fact.name, fact.detail) == ("Options.target_version", "default")
    assert (fact.before, fact.after) == values


def test_default_of_a_structure_that_a_function_makes_is_told():
    text = "package a\n\nfunc DefaultConfig() Config {{\n\treturn Config{{\n\t\tVersion: {},\n\t}}\n}}\n"
    facts = told("a.go", text.format("V1"), text.format("V2"))
    assert shown(facts, FactKind.CONFIG) == [("changed", "Config.Version", "V1", "V2")]


def test_variant_that_becomes_the_default_of_a_setting_is_told():
    text = "#[derive(Clone, Deserialize)]\npub enum LinkMode {{\n{}}}\n"
    old = text.format("    /// Clones.\n    #[default]\n    Clone,\n    Copy,\n")
    new = text.format("    /// Clones.\n    Clone,\n    #[default]\n    Copy,\n")
    (fact,) = told("crates/x/src/lib.rs", old, new)
    assert (fact.name, fact.before, fact.after) == ("LinkMode", "Clone", "Copy")
    assert with_exposure(fact, {"crates/x/src/lib.rs": new}).public is True
    assert (
        with_exposure(fact, {"crates/x/src/lib.rs": new.replace("Deserialize", "Debug")}).public
        is False
    )


@pytest.mark.parametrize(("derived", "public"), [("Deserialize", True), ("Debug", False)])
def test_new_field_of_a_structure_that_is_not_read_from_files_is_no_setting(derived, public):
    text = (
        f"#[derive(Clone, {derived})]\npub struct PoolOptions {{{{\n    pub size: u8,\n{{}}}}}}\n"
    )
    new = text.format("    pub depth: u8,\n")
    (fact,) = told("crates/x/src/lib.rs", text.format(""), new)
    assert (fact.kind, fact.action, fact.name) == (
        FactKind.CONFIG,
        Action.ADDED,
        "PoolOptions.depth",
    )
    assert with_exposure(fact, {"crates/x/src/lib.rs": new}).public is public


def test_fallback_inside_of_a_function_is_no_setting():
    text = 'def get(op):\n    if op == "x":\n        default = {{\n            "block": {},\n        }}\n    return default\n'
    facts = told("app/ops/utils.py", text.format(16), text.format(32))
    assert shown(facts, FactKind.CONFIG) == []


def test_field_that_becomes_a_deprecated_property_is_not_removed():
    old = "@dataclass\nclass ServerArgs:\n    no_tracing: bool = False\n"
    new = (
        "@dataclass\nclass ServerArgs:\n    trace_calls: bool = True\n\n    @property\n"
        '    @deprecated("`no_tracing` is deprecated. It will be removed in v2.1. "\n'
        '                "Use `trace_calls` instead.")\n'
        "    def no_tracing(self) -> bool:\n        return not self.trace_calls\n"
    )
    facts = told("app/args.py", old, new)
    assert shown(facts, FactKind.CONFIG) == [("added", "ServerArgs.trace_calls", None, "True")]
    (fact,) = [f for f in facts if f.kind is FactKind.DEPRECATION]
    assert (fact.name, fact.replacement, fact.when) == (
        "ServerArgs.no_tracing",
        "trace_calls",
        "v2.1",
    )


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("busy = None", "occupied = None", ("renamed", "Pool.occupied", "Pool.busy")),
        ("busy = None", "occupied = 3", ("removed", "Pool.busy", None)),
        ("start = None", "stop = None", ("removed", "Pool.start", None)),
        ("busy = None", "occupied = None\n    idle = None", ("removed", "Pool.busy", None)),
    ],
)
def test_attribute_in_the_place_of_another_is_its_new_name(old, new, expected):
    text = "class Pool:\n    size = 1\n    {}\n\n    def run(self):\n        pass\n"
    facts = told("app/pool.py", text.format(old), text.format(new))
    assert [fact[:3] for fact in shown(facts, FactKind.SYMBOL)] == [expected]


def test_name_that_one_place_renames_and_another_drops_is_renamed():
    flag = "    #[arg(long{}, hide = true)]\n    pub {}: bool,\n"
    text = "pub struct A {{\n{}    pub a: u8,\n}}\npub struct B {{\n    pub b: u8,\n{}}}\n"
    old = text.format(flag.format("", "no_pack"), flag.format("", "no_pack"))
    new = text.format(flag.format(', alias = "no-pack"', "no_pack_files"), "")
    facts = told("src/cli.rs", old, new)
    assert ("renamed", "--no-pack-files", "--no-pack", "--no-pack-files") in shown(
        facts, FactKind.FLAG
    )
    assert not [f for f in facts if f.action is Action.REMOVED and f.name == "--no-pack"]


def test_metric_is_renamed_as_the_message_calls_its_variable():
    text = (
        "package a\n\nvar x = prometheus.NewGauge(prometheus.GaugeOpts{{\n"
        '\tNamespace: "shop",\n\tName: "{}",\n\tHelp: "{}",\n}})\n'
    )
    facts = told(
        "a.go",
        text.format("cart_limit", "The most that all carts may hold."),
        text.format("basket_limit", "How much fits into each basket used by visitors of a day."),
        "Improve limits\n\n* Rename cartLimit to basketLimit",
    )
    assert shown(facts, FactKind.METRIC) == [
        ("renamed", "shop_basket_limit", "shop_cart_limit", "shop_basket_limit")
    ]


def test_member_of_an_enumeration_is_renamed_where_the_title_says_so():
    text = "enum class Step : int {{\n  kNone = 0,\n  {} = 1,\n}};\n"
    old, new = text.format("kLoad"), text.format("kFetchSumsFromHeader")
    facts = told("include/a.h", old, new, "Rename Step::kLoad")
    assert shown(facts, FactKind.SYMBOL)[0][:3] == (
        "renamed",
        "Step.kFetchSumsFromHeader",
        "Step.kLoad",
    )


@pytest.mark.parametrize(
    ("title", "actions"),
    [("Rename the loader", {"renamed"}), ("Tidy the loader", {"added", "removed"})],
)
def test_name_that_alone_takes_the_place_of_another_is_renamed_if_the_title_tells_of_one(
    title, actions
):
    old = "def load_table(path):\n    return open(path)\n"
    new = "def fetch_sums(host, port):\n    yield host + str(port)\n"
    facts = told("engine/api.py", old, new, title)
    assert {fact[0] for fact in shown(facts, FactKind.SYMBOL)} == actions


def test_constant_tells_the_defaults_that_use_it():
    text = 'DEFAULT_FORMATS = [{}]\n\nNAMESPACES = Namespace(\n    formats=Option(DEFAULT_FORMATS, type="list"),\n)\n'
    facts = told("app/defaults.py", text.format("'json', 'yaml'"), text.format("'json'"))
    assert shown(facts, FactKind.CONFIG) == [("changed", "formats", "['json', 'yaml']", "['json']")]


@pytest.mark.parametrize(
    ("kind", "line", "expected"),
    [
        ("string", '\t\tServer: "here:80",\n', [("changed", "Config.Server", '""', '"here:80"')]),
        ("bool", "\t\tServer: true,\n", [("changed", "Config.Server", "false", "true")]),
        ("bool", "\t\tServer: false,\n", []),
        ("Mode", "\t\tServer: ModeFast,\n", []),
        ("*string", '\t\tServer: "x",\n', []),
    ],
)
def test_member_that_a_table_gains_or_loses_is_a_default(kind, line, expected):
    text = (
        "package a\n\nvar DefaultConfig = Config{{\n\t\tPort: 80,\n{}}}\n\n"
        "type Config struct {{\n\tPort int\n\tServer {}\n}}\n"
    )
    old, new = text.format("", kind), text.format(line, kind)
    assert shown(told("a.go", old, new), FactKind.CONFIG) == expected
    given = text.format("\t\tServer: other.Name,\n", kind)
    assert not shown(told("a.go", given, new), FactKind.CONFIG)
    late = "\nfunc load(c *Config) {\n\tc.Server = find()\n}\n"
    assert not shown(told("a.go", new, old + late), FactKind.CONFIG)
    inner = text.format("", kind).replace("\n\ntype", "\n\tcount = Opts{\n\t}\n\ntype")
    assert not shown(
        told("a.go", inner, inner.replace("{\n\t}", "{\n" + line + "\t}")), FactKind.CONFIG
    )
    fresh = old.replace("\tServer " + kind + "\n", "")
    facts = shown(
        told("a.go", fresh + "type Other struct {\n\tServer bool\n}\n", new), FactKind.CONFIG
    )
    assert not [fact for fact in facts if fact[0] == "changed"]
    back = [("changed", name, after, before) for _, name, before, after in expected]
    assert shown(told("a.go", new, old), FactKind.CONFIG) == back


def test_list_of_a_table_of_defaults_is_told_but_not_where_a_name_spreads_in_it():
    text = "export const configDefaults = Object.freeze({{\n  endings: [{}],\n}})\n"
    old, new = text.format("'.js'"), text.format("'.js', '.ts'")
    assert shown(told("src/config.ts", old, new), FactKind.CONFIG) == [
        ("changed", "configDefaults.endings", "['.js']", "['.js', '.ts']")
    ]
    assert not shown(told("src/config.ts", old, text.format("...ENDINGS")), FactKind.CONFIG)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("3", "4", [("changed", "configDefaults.limit", "3", "4")]),
        ("30", "30.0", []),
        ("3", "f(4)", []),
    ],
)
def test_member_of_a_table_of_defaults_changes_with_the_constant_it_names(old, new, expected):
    text = (
        "const LIMIT = {}\n\nexport const configDefaults = Object.freeze({{\n  limit: LIMIT,\n}})\n"
    )
    facts = told("src/config.ts", text.format(old), text.format(new))
    assert shown(facts, FactKind.CONFIG) == expected


def test_alias_of_a_flag_counts_as_its_name():
    text = "pub struct A {{\n    #[arg(long{})]\n    pub {}: bool,\n}}\n"
    plain, other = text.format("", "fast"), text.format(', alias = "quick"', "fast")
    assert shown(told("src/cli.rs", plain, other), FactKind.FLAG) == [
        ("added", "--quick", None, None)
    ]
    assert shown(told("src/cli.rs", other, plain), FactKind.FLAG) == [
        ("removed", "--quick", None, None)
    ]
    hyphens = text.format(', alias = "no-wait"', "fast")
    facts = told("src/cli.rs", hyphens.replace("-w", "_w"), hyphens)
    assert not [f for f in facts if f.action is Action.REMOVED]
    demoted = text.format(', alias = "fast"', "rapid")
    assert shown(told("src/cli.rs", plain, demoted), FactKind.FLAG) == [
        ("renamed", "--rapid", "--fast", "--rapid")
    ]


def test_variable_that_a_call_deprecates_has_its_end_and_its_replacement():
    call = (
        "def _interval() -> int:\n    value = get_deprecated_env(\n"
        '        "SHOP_CART_INTERVAL",\n        "v0.29",\n        "cart_interval",\n    )\n'
        "    return 5 if value is None else int(value)\n\n\n"
    )
    text = "{}@dataclass\nclass CartConfig:\n    size: int = 1\n{}"
    field = "    cart_interval: int = Field(default_factory=_interval)\n"
    facts = told("app/config.py", text.format("", ""), text.format(call, field))
    (fact,) = [f for f in facts if f.kind is FactKind.DEPRECATION]
    assert (fact.name, fact.when, fact.replacement) == (
        "SHOP_CART_INTERVAL",
        "v0.29",
        "cart_interval",
    )
    assert shown(facts, FactKind.CONFIG) == [("added", "CartConfig.cart_interval", None, "5")]


def test_entries_of_a_table_that_a_call_deprecates_are_each_told():
    entry = (
        '    # Deprecated: use --{0}-mode.\n    "SHOP_{0}": deprecated_env(\n        "SHOP_{0}",\n'
        '        "v2",\n        "Use --{0}-mode fast.",\n        lambda: os.getenv("SHOP_{0}"),\n    ),\n'
    )
    plain = '    "SHOP_{0}": lambda: os.getenv("SHOP_{0}"),\n'
    text = "variables = {{\n{}}}\n"
    old = text.format("".join(plain.format(n) for n in ("A", "B")))
    new = text.format("".join(entry.format(n) for n in ("A", "B")))
    found = [f for f in told("app/envs.py", old, new) if f.kind is FactKind.DEPRECATION]
    assert [(f.name, f.when) for f in found] == [("SHOP_A", "v2"), ("SHOP_B", "v2")]


def test_mark_of_another_spelling_is_not_a_new_deprecation():
    text = "class A:\n    @{}(4, 5)\n    def host(self):\n        return 1\n"
    old, new = text.format("deprecated_property"), text.format("deprecated.Property")
    assert not [f for f in told("app/a.py", old, new) if f.kind is FactKind.DEPRECATION]


def test_default_of_the_title_is_told_where_the_code_has_its_value():
    text = "def pick(memory):\n    max_batch = {}\n    return max_batch\n"
    old, new = text.format("8192"), text.format("16384 if memory > 9 else 8192")
    title = "[Config] Update default `_max_batch` from 8192 to 16384 (#7)"
    (fact,) = [f for f in told("app/pick.py", old, new, title) if f.detail == "default"]
    assert (fact.name, fact.before, fact.after) == ("max_batch", "8192", "16384")
    assert fact.condition == "memory > 9"
    assert not told("app/pick.py", old, new.replace("16384", "100"), title)


def test_default_of_the_title_that_the_code_tells_as_well_is_told_once():
    title = "Update default `max_batch` from 8192 to 16384"
    pool = '@dataclass\nclass PoolConfig:\n    max_batch: int = {}\n    kind: str = "{}"\n'
    pick = "def pick(memory):\n    max_batch = {}\n    return max_batch\n"
    old, new = (
        ("app/config.py", pool.format(8192, "a"), pool.format(16384, "a")),
        ("app/pick.py", pick.format(8192), pick.format("16384 if memory > 9 else 8192")),
    )
    assert [f.name for f in facts_of(title, old, new).items] == ["PoolConfig.max_batch"]
    other = ("app/config.py", pool.format(8192, "a"), pool.format(8192, "b"))
    names = [f.name for f in facts_of(title, other, new).items]
    assert names == ["PoolConfig.kind", "max_batch"]


@pytest.mark.parametrize(
    ("line", "condition"),
    [("elif memory > 9:", "memory > 9"), ("else:", "..."), ("for n in it:", None)],
)
def test_default_of_the_title_that_holds_in_a_branch_is_told_with_its_condition(line, condition):
    text = (
        "def pick(memory):\n    if memory > 90:\n        max_batch = {0: 8192}\n"
        "    LINE\n        max_batch = {\n            'max_batch': VALUE,\n        }\n    return max_batch\n"
    ).replace("LINE", line)
    old, new = text.replace("VALUE", "8192"), text.replace("VALUE", "16384")
    title = "Update default `_max_batch` from 8192 to 16384"
    (fact,) = [f for f in told("app/pick.py", old, new, title) if f.detail == "default"]
    assert fact.condition == condition


def test_default_that_is_chosen_as_before_is_no_change():
    text = '@dataclass\nclass CacheConfig:\n    kind: str = "{}"\n    """{}"""\n'
    old = text.format("plain", "How it is kept.")
    new = text.format("auto", 'How it is kept; "auto" is the default of the model (plain).')
    assert shown(told("app/config.py", old, new), FactKind.CONFIG) == []
    other = text.format("auto", "How it is kept.")
    assert shown(told("app/config.py", old, other), FactKind.CONFIG) == [
        ("changed", "CacheConfig.kind", '"plain"', '"auto"')
    ]


@pytest.mark.parametrize("new", ["extra_samples", "more_samples"])
def test_document_that_names_a_new_replacement_tells_a_deprecation(new):
    text = (
        "## Extra samples\n\n`--enable-feature=extra-samples`\n\n{}When it is on, more is kept.\n"
    )
    note = (
        "> **Note:** This feature flag is deprecated. Please use the `extra_samples` option instead."
        " The feature flag will be removed in a future version.\n\n"
    )
    doc = ("docs/flags.md", text.format(""), text.format(note))
    code = "@dataclass\nclass StoreConfig:\n    size: int = 1\n{}"
    field = ("app/config.py", code.format(""), code.format(f"    {new}: bool = False\n"))
    facts = facts_of("Add an option", doc, field).items
    found = [f.name for f in facts if f.kind is FactKind.DEPRECATION]
    assert found == ["--enable-feature=extra-samples"] * (new == "extra_samples")


def test_variable_below_a_table_of_defaults_is_not_of_the_table():
    text = (
        "package a\n\nvar (\n\tDefaultConfig = Config{{\n\t\tPort: 80,\n\t}}\n"
        '\n\tcount = Opts{{\n\t\tName: "{}",\n\t}}\n)\n'
    )
    assert not shown(told("a.go", text.format("hits"), text.format("all_hits")), FactKind.CONFIG)


def defaults(facts: list[Fact]) -> list[tuple[str, str | None, str | None]]:
    return [(f.name, f.before, f.after) for f in facts if f.detail == "default"]


def test_constant_of_go_that_is_chosen_elsewhere_now_is_no_other_default():
    old = (
        "package c\n\nvar DefaultConfig = Config{\n\tProtocols: DefaultProtocols,\n\tLimit: 5,\n}\n"
    )
    assert (
        defaults(told("c/c.go", old, old.replace("Protocols: DefaultProtocols", "Protocols: nil")))
        == []
    )
    assert defaults(told("c/c.go", old, old.replace("Limit: 5", "Limit: 6"))) == [
        ("Config.Limit", "5", "6")
    ]


def test_placeholder_of_documentation_is_no_default():
    page = "## `protocols`\n\n[ protocols: list | default = VALUE ]\n"
    facts = facts_of(
        "Change",
        (
            "docs/c.md",
            page.replace("VALUE", "<global.protocols>"),
            page.replace("VALUE", "<dynamic>"),
        ),
        ("c/c.go", "package c\n", "package c\n\nvar protocols = 1\n"),
    )
    assert defaults(list(facts.items)) == []


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a/cli.py", 'p.add_argument("--quiet-mode", help=argparse.SUPPRESS)\n'),
        ("a/cli.py", '@click.option("--quiet-mode", hidden=True)\n'),
        ("src/cli.rs", "struct Args {\n    #[arg(long, hide = true)]\n    quiet_mode: bool,\n}\n"),
        ("cmd/main.go", 'a.Flag("quiet-mode", "Be quiet.").Hidden().BoolVar(&q)\n'),
    ],
)
def test_hidden_flag_is_internal(path, line):
    flags = [f for f in told(path, "\n", "\n" + line) if f.kind is FactKind.FLAG]
    assert [(f.name, f.public) for f in flags] == [("--quiet-mode", False)]
    shown_ = line.replace("argparse.SUPPRESS", '"No output."').replace(", hidden=True", "")
    shown_ = shown_.replace(", hide = true", "").replace(".Hidden()", "")
    flags = [f for f in told(path, "\n", "\n" + shown_) if f.kind is FactKind.FLAG]
    assert [(f.name, f.public) for f in flags] == [("--quiet-mode", None)]


def test_none_that_the_same_file_fills_is_told_as_what_fills_it():
    old = '@dataclass\nclass TransferConfig:\n    device: str = "cuda"\n\n    def check(self):\n        self.run()\n'
    new = old.replace('str = "cuda"', "str | None = None").replace(
        "        self.run()\n",
        "        if self.device is None:\n            from p import platform\n\n"
        "            self.device = platform.device_type\n        self.run()\n",
    )
    assert defaults(told("p/config/transfer.py", old, new)) == [
        ("TransferConfig.device", '"cuda"', "platform.device_type")
    ]


def test_last_of_several_overloads_is_what_callers_use():
    new = "class LLM:\n    def generate(self, prompts, params=None):\n        return self.run(prompts)\n"
    old = (
        "class LLM:\n    @overload\n    def generate(self, prompts, /): ...\n\n"
        "    @overload\n    def generate(self, *, token_ids): ...\n\n"
        "    def generate(self, prompts, params=None, token_ids=None):\n        return self.run(prompts)\n"
    )
    (fact,) = (f for f in told("p/llm.py", old, new) if f.kind is FactKind.SYMBOL)
    assert (fact.name, fact.detail) == ("LLM.generate", "parameter removed")


def test_values_that_differ_where_nobody_is_shown_are_no_other_default():
    names = [f'"benchmark_number_{n}," ' for n in range(20)]
    old = f'DEFINE_string(benchmarks, {"".join(names)}, "What to run");\n'
    new = old.replace("number_18", "number_99")
    assert defaults(told("tools/bench.cc", old, new)) == []
    assert len(defaults(told("tools/bench.cc", old, old.replace("number_1,", "number_99,")))) == 1


def test_constant_behind_its_mark_is_deprecated_not_the_next():
    old = "public enum T {\n  WRITE_INLINED((byte) -3),\n\n  WRITE_BLOB((byte) -4);\n}\n"
    facts = told(
        "src/main/java/T.java", old, old.replace("WRITE_INLINED", "@Deprecated WRITE_INLINED")
    )
    names = [f.name for f in facts if f.kind is FactKind.DEPRECATION]
    assert names == ["WRITE_INLINED"]


def test_one_line_more_about_a_requirement_changes_it():
    old = "pymongo[srv]>=4.0.2\n"
    new = (
        "pymongo[srv]>=4.0.2; python_version > '3.10'\npymongo[srv]<4.7; python_version <= '3.10'\n"
    )
    assert shown(told("requirements/extras/mongodb.txt", old, new), FactKind.DEPENDENCY) == [
        ("changed", "pymongo", ">=4.0.2", "<4.7")
    ]


def test_new_route_is_told_with_the_prefix_that_documentation_writes():
    code = 'func (a *API) Register(r *Router) {\n\tr.Get("/alerts", a.alerts)\n}\n'
    new = code.replace("}\n", '\tr.Get("/status/blocks", a.blocks)\n}\n')
    page = "# API\n\n```\nGET /api/v1/status/blocks\n```\n"
    for text, name in (
        (page, "GET /api/v1/status/blocks"),
        (page + "GET /api/v2/status/blocks\n", "GET /status/blocks"),
        (page.replace("blocks", "blockset"), "GET /status/blocks"),
    ):
        facts = facts_of("Add", ("web/api.go", code, new), ("docs/api.md", "# API\n", text))
        assert shown(list(facts.items), FactKind.ROUTE) == [("added", name, None, None)]


def test_route_that_went_is_told_with_the_prefix_that_tests_write():
    old = 'func (a *API) Register(r *Router) {\n\tr.Del("/status/blocks", a.drop)\n}\n'
    facts = facts_of(
        "Remove it",
        ("web/api.go", old, old.replace('\tr.Del("/status/blocks", a.drop)\n', "")),
        ("web/api_test.go", "package web\n", 'package web\n\n// "/api/v1/status/blocks" is gone\n'),
    )
    told = shown(list(facts.items), FactKind.ROUTE)
    assert told == [("removed", "DELETE /api/v1/status/blocks", None, None)]


def test_new_route_without_a_verb_is_told_with_its_prefix():
    new = 'from django.urls import path\nurls = [\n    path("/status/blocks", view),\n]\n'
    facts = facts_of(
        "Add",
        ("web/urls.py", new.replace('    path("/status/blocks", view),\n', ""), new),
        ("docs/api.md", "# API\n", "# API\n\nAsk for `/v1/status/blocks`.\n"),
    )
    assert shown(list(facts.items), FactKind.ROUTE) == [("added", "/v1/status/blocks", None, None)]


def test_value_that_is_used_where_an_option_of_rust_is_not_given_is_its_default():
    old = "fn run(args: Args) {\n    let n = args.retries.unwrap_or(3);\n    let m = found.unwrap_or(3);\n}\n"
    assert defaults(told("src/run.rs", old, old.replace("(3)", "(5)"))) == [("retries", "3", "5")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('get_field(CacheConfig, "offload")', 'get_field(OffloadConfig, "offload")'),
        ("None", "CacheConfig.offload"),
        ("None", "PydanticUndefined"),
    ],
)
def test_what_another_class_gives_is_no_other_default(before, after):
    old = f"@dataclass\nclass EngineConfig:\n    offload: int = {before}\n"
    assert defaults(told("p/config/engine.py", old, old.replace(before, after))) == []


def test_call_with_another_literal_is_another_default():
    old = "@dataclass\nclass EngineConfig:\n    wait: int = seconds(5, unit)\n"
    assert defaults(told("p/config/engine.py", old, old.replace("5", "9"))) == [
        ("EngineConfig.wait", "seconds(5, unit)", "seconds(9, unit)")
    ]


def test_second_name_that_a_package_keeps_for_importers_is_offered():
    head = "from p.app.base import Celery\n\n__all__ = ['Celery']\n\n"
    old = f"{head}App = Celery  # XXX Compat\n\nx = Celery()\n"
    facts = told("p/app/__init__.py", old, f"{head}x = Celery()\n")
    shown_ = [with_exposure(f, {"p/app/__init__.py": head}) for f in facts]
    assert [(f.name, f.action, f.public) for f in shown_] == [("App", Action.REMOVED, True)]


def test_attribute_of_an_example_in_a_docstring_is_none_of_the_class():
    old = 'class Wrap:\n    """Wraps.\n\n    class Event:\n    dt = make()\n    """\n\n    size = 3\n    kept = 4\n'
    new = old.replace("    dt = make()\n", "").replace("    size = 3\n", "")
    assert [f.name for f in told("p/wrap.py", old, new)] == ["Wrap.size"]


MAKEFILE = """\
CXXFLAGS += -O2

ifdef LUA_PATH
ifndef LUA_INCLUDE
LUA_INCLUDE=$(LUA_PATH)/include
endif
endif

lib: a.cc
\t$(CXX) $(CXXFLAGS) a.cc
"""


def test_variables_that_a_makefile_asks_for_are_removed_with_the_question() -> None:
    new = MAKEFILE[: MAKEFILE.index("ifdef")] + MAKEFILE[MAKEFILE.index("lib:") :]
    found = [(f.kind, f.name) for f in facts_of("Remove Lua", ("Makefile", MAKEFILE, new)).items]
    assert found == [(FactKind.ENVIRONMENT, "LUA_PATH"), (FactKind.ENVIRONMENT, "LUA_INCLUDE")]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("CXXFLAGS += -O2", "CXXFLAGS += -O2\nLUA_PATH := /usr"),  # its own value
        ("$(CXX) $(CXXFLAGS)", "go build"),  # users of programs in Go do not run it
        ("lib: a.cc", "lib: a.cc $(LUA_PATH)"),  # still read
        ("LUA_PATH", "TEST_PATH"),  # of developers
    ],
)
def test_variables_of_makefiles_that_users_do_not_set_are_not_told(old: str, new: str) -> None:
    before = MAKEFILE.replace(old, new)
    after = before[: before.index("ifdef")] + before[before.index("lib:") :]
    found = {f.name for f in facts_of("Remove Lua", ("Makefile", before, after)).items}
    assert not found & {"LUA_PATH", "TEST_PATH"}


FEATURES = """\
package main

func (c *flagConfig) setFeatureListOptions() error {
\tfor _, o := range c.featureList {
\t\tswitch o {
\t\tcase "native-histograms":
\t\t\tc.histograms = true
\t\tcase "extra-metrics":
\t\t\tc.metrics = true
\t\t}
\t}
\treturn nil
}

func main() {
\ta.Flag("enable-feature", "Features.").StringsVar(&c)
}
"""


def test_a_feature_whose_case_says_to_stop_using_it_is_deprecated() -> None:
    said = 'log.Warn("This option is being phased out. Stop using it.")'
    new = FEATURES.replace("c.histograms = true", said)
    found = [
        f.name
        for f in facts_of("Phase it out", ("cmd/p/main.go", FEATURES, new)).items
        if f.kind is FactKind.DEPRECATION
    ]
    assert found == ["--enable-feature=native-histograms"]


def test_a_deprecated_feature_is_told_with_the_flag_that_takes_its_place() -> None:
    said = 'log.Warn("This is being phased out. Use --scrape.histograms instead.")'
    new = FEATURES.replace("c.histograms = true", said)
    (fact,) = facts_of("Promote it", ("cmd/p/main.go", FEATURES, new)).of(FactKind.DEPRECATION)
    assert (fact.name, fact.replacement) == (
        "--enable-feature=native-histograms",
        "--scrape.histograms",
    )


CLAP = """\
#[derive(Parser)]
#[command(name = "uv")]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Commands,

    /// Avoid discovering files.
    #[arg(long)]
    pub(crate) isolated: bool,
}

#[derive(Subcommand)]
pub(crate) enum Commands {
    Run(RunArgs),
}

#[derive(Args)]
pub(crate) struct RunArgs {
    #[arg(long)]
    pub(crate) isolated: bool,
}
"""


def test_a_flag_of_a_command_that_its_program_takes_too_is_not_removed() -> None:
    end = CLAP.index("pub(crate) struct RunArgs")
    new = CLAP[:end] + CLAP[end:].replace("    #[arg(long)]\n    pub(crate) isolated: bool,\n", "")
    other = new.replace("derive(Parser)", "derive(Args)")
    told_of = [
        [
            f.name
            for f in facts_of("Use it", ("crates/a/src/cli.rs", *sides)).items
            if f.kind is FactKind.FLAG
        ]
        for sides in ((CLAP, new), (CLAP.replace("derive(Parser)", "derive(Args)"), other))
    ]
    assert told_of == [[], ["run --isolated"]]


def test_a_constant_of_a_class_that_goes_is_removed() -> None:
    old = "class LLM:\n    DEPRECATE_LEGACY: bool = True\n\n    def run(self):\n        pass\n"
    new = old.replace("    DEPRECATE_LEGACY: bool = True\n\n", "")
    names = [f.name for f in facts_of("Remove it", ("vllm/llm.py", old, new)).items]
    assert names == ["LLM.DEPRECATE_LEGACY"]


PREVIEW = """\
pub enum PreviewFeature {
    JsonOutput,
    Pylock,
}

impl FromStr for PreviewFeature {
    type Err = Error;

    fn from_str(s: &str) -> Result<Self, Self::Err> {
        Ok(match s {
            "json-output" => Self::JsonOutput,
            "pylock" => Self::Pylock,
            _ => return Err(Error),
        })
    }
}
"""


def test_a_feature_that_no_text_names_any_more_is_removed() -> None:
    new = PREVIEW.replace('            "json-output" => Self::JsonOutput,\n', "")
    flags = shown(told("crates/p/src/lib.rs", PREVIEW, new), FactKind.FLAG)
    assert flags == [("removed", "--preview-features=json-output", None, None)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("PreviewFeature", "PreviewMode"),
        ("FromStr for", "Debug for"),
        ("Ok(match", '"json-output"; Ok(match'),
    ],
)
def test_texts_of_other_types_and_texts_that_stay_are_no_removed_features(old, new) -> None:
    before = PREVIEW.replace(old, new)
    after = before.replace('            "json-output" => Self::JsonOutput,\n', "")
    assert shown(told("crates/p/src/lib.rs", before, after), FactKind.FLAG) == []


CHOICE = """\
export function plugin(config) {
  return {
    fileName:
      typeof config.build.manifest === 'string'
        ? config.build.manifest
        : 'manifest.json',
  }
}
"""


def test_the_name_used_for_a_setting_that_is_no_text_is_its_default() -> None:
    new = CHOICE.replace("'manifest.json'", "'.out/manifest.json'")
    (fact,) = told("src/plugin.ts", CHOICE, new)
    assert (fact.name, fact.before, fact.after) == (
        "build.manifest",
        "'manifest.json'",
        "'.out/manifest.json'",
    )
    assert fact.condition == "typeof build.manifest !== 'string'"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("? config.build.manifest", "? config.build.outDir"),  # another one is chosen
        ("config.build", "chunk.build"),  # no setting
        ("=== 'string'", "=== 'number'"),
    ],
)
def test_a_choice_that_is_not_about_a_setting_tells_no_default(old: str, new: str) -> None:
    before = CHOICE.replace(old, new)
    assert told("src/plugin.ts", before, before.replace("'manifest.json'", "'b.json'")) == []


LISTED = """\
__all__ = ('Context',)


class Context:
    timelimit = None
    utc = None


class Other:
    utc = None
"""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (LISTED, ["Context.time_limit"]),
        (LISTED.replace("__all__ = ('Context',)", "x = 1"), []),  # nothing is said to be public
        (LISTED.replace("('Context',)", "('Other',)"), []),
        (LISTED.replace("    utc", "    time_limit = 1\n    utc", 1), []),  # had it before
    ],
)
def test_a_new_attribute_of_a_class_that_its_module_exports_is_added(text, found) -> None:
    new = text.replace("timelimit = None\n", "timelimit = None\n    time_limit = None\n")
    facts = told("app/task.py", text, new)
    assert [f.name for f in facts if f.action is Action.ADDED] == found


def test_variable_that_a_script_only_sets_is_not_read():
    facts = told("src/config.ts", "let x\n", "process.env.APP_MODE = mode\n")
    assert shown(facts, FactKind.ENVIRONMENT) == []
    facts = told("src/config.ts", "let x\n", "x = process.env.APP_MODE === mode\n")
    assert shown(facts, FactKind.ENVIRONMENT) == [("added", "APP_MODE", None, None)]


def test_documented_default_was_before_what_the_code_had():
    docs = "### build.target\n\n- **Default:** `es2020`\n"
    code = "const resolved = {\n  target: 'es2019',\n}\n"
    facts = facts_of(
        "feat: another target",
        ("docs/config.md", docs, docs.replace("es2020", "modules")),
        ("src/build.ts", code, code.replace("es2019", "modules")),
    )
    (fact,) = facts.items
    assert (fact.name, fact.before, fact.after) == ("build.target", "es2019", "modules")


@pytest.mark.parametrize(
    ("path", "line", "old", "new"),
    [
        (
            "src/settings.rs",
            "            dev: flag(dev, no_dev).unwrap_or(VALUE),",
            "false",
            "true",
        ),
        ("src/app.py", "    dev = parsed.dev or VALUE", "'off'", "'on'"),
    ],
)
@pytest.mark.parametrize(
    ("title", "count"),
    [("Set `--dev` to default", 1), ("Set `--all` to default", 0), ("Improve `--dev`", 0)],
)
def test_value_for_what_users_leave_out_is_a_default_if_the_title_says_so(
    path, line, old, new, title, count
):
    before = f"x\n{line.replace('VALUE', old)}\ny\n"
    facts = told(path, before, before.replace(old, new), title)
    defaults = [(f.name, f.before, f.after) for f in facts if f.detail == "default"]
    assert defaults == [("dev", old, new)] * count


COUNTED = """\
@dataclass
class PlanConfig:
    size: int = VALUE

    def __post_init__(self):
        if self.size is None:
            self.size = int(os.environ.get("PLAN_SIZE", "1"))
"""


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (
            "src/index.ts",
            "export const options = {\n  dynamic: esmIsAvailable,\n};\n",
            "export const options = {\n  dynamic: runtimeHasModules,\n};\n",
        ),
        ("config/plan.py", COUNTED.replace("VALUE", "1"), COUNTED.replace("VALUE", "None")),
        (
            "src/cli.ts",
            "cli.option('--lang <name>', 'one of them', parser.bind(null, ['a']))\n",
            "cli.option('--lang <name>', 'one of them', parser.bind(null, ['a', 'b']))\n",
        ),
        (
            "Cargo.toml",
            '[dependencies]\ntokio = { version = "1.44", optional = true }\n',
            '[target.x.dependencies]\ntokio = "1.44"\n\n[target.y.dependencies]\ntokio = "1.44"\n',
        ),
    ],
)
def test_value_that_is_the_same_or_unknown_did_not_change(path, before, after) -> None:
    facts = told(path, before, after)
    assert [f.name for f in facts if f.detail in {"default", "cargo"}] == []


@pytest.mark.parametrize(
    ("package", "public"), [({}, False), ({"crawler/__init__.py": "x = 1\n"}, None)]
)
def test_program_outside_any_package_is_not_imported(package, public) -> None:
    main = "if __name__ == '__main__':\n    print(1)\n"
    text = f"def fetch(name):\n    return name\n\n\n{main}"
    (fact,) = told("crawler/get.py", text, main)
    assert with_exposure(fact, {"crawler/get.py": text, **package}).public is public


MAIL = "__all__ = ['Mailer']\n\n\nclass Mailer:\n    pass\n"


@pytest.mark.parametrize(
    ("path", "text", "public"),
    [("app/mail.py", MAIL, True), ("app/mail.py", MAIL.replace("__all__", "names"), False)],
)
def test_module_that_lists_its_exports_is_removed_with_its_file(path, text, public) -> None:
    facts = facts_of("Remove mails", (path, text, None)).items
    (module,) = (f for f in facts if f.detail == "module")
    assert (module.action, module.name) == (Action.REMOVED, "app.mail")
    assert with_exposure(module, {path: text}).public is public


def test_module_that_becomes_a_package_is_not_removed() -> None:
    files = (("app/mail.py", MAIL, None), ("app/mail/__init__.py", None, MAIL + "\nx = 1\n"))
    facts = facts_of("Split mails", *files).items
    assert [f.name for f in facts if f.detail == "module" and f.action is Action.REMOVED] == []


def test_documented_list_is_a_default_if_code_has_what_is_new_in_it() -> None:
    docs = "## resolve.mainFields\n\n- **Default:** `['module', 'jsnext']`\n"
    code = "export const FIELDS = [\n  'module',\n  'jsnext',\n]\nuse(mainFields)\n"
    files = (
        ("docs/config.md", docs, docs.replace("['module'", "['browser', 'module'")),
        (
            "src/constants.ts",
            code,
            code.replace("[\n", "[\n  'browser',\n").replace("use(m", "use(now.m"),
        ),
    )
    facts = facts_of("feat: prefer browsers", *files).items
    assert [f.name for f in facts if f.detail == "default"] == ["resolve.mainFields"]


@pytest.mark.parametrize(
    ("one", "other", "told_as"),
    [
        ("LogSettings", "models.LogSettings", 0),
        ("str", 'Annotated[str, must("write a host")]', 0),
        ("str", "int", 1),
    ],
)
def test_type_that_only_has_another_path_or_a_note_did_not_change(one, other, told_as):
    old = f"class CacheConfig(BaseModel):\n    logs: {one}\n"
    assert len(told("app/config.py", old, old.replace(one, other))) == told_as


@pytest.mark.parametrize(("flag", "public"), [("--pool-size", False), ("--pools", None)])
def test_field_with_another_name_behind_its_old_flag_concerns_no_user(flag, public):
    old = "class PoolConfig(BaseModel):\n    pool_size: int = 8\n"
    new = old.replace("pool_size", "pool_count")
    flags = f'group.add_argument("{flag}", **pool["{{}}"])\n'
    found = facts_of(
        "Rename it",
        ("app/core.py", old, new),
        ("app/flags.py", flags.format("pool_size"), flags.format("pool_count")),
    ).items
    assert [(f.action.value, f.public) for f in found if f.kind is FactKind.CONFIG] == [
        ("renamed", public)
    ]


def test_setting_below_a_method_of_its_class_is_told() -> None:
    head = "from pydantic_settings import BaseSettings\n\n\nclass Settings(BaseSettings):\n"
    method = '    def get(self):\n        """Get.\n\n        It.\n        """\n        return 1\n\n'
    old = f"{head}    home: str = 'a'\n\n{method}    mode: str = 'b'\n    size: int = 1\n"
    for new, expected in (
        (old.replace("    mode: str = 'b'\n", ""), [("removed", "Settings.mode")]),
        (old.replace("size: int = 1", "size: int = 2"), [("changed", "Settings.size")]),
        (old.replace("return 1", "mode: str = 'c'\n        return 1"), []),
    ):
        found = facts_of("Change it", ("shop/settings.py", old, new)).of(FactKind.CONFIG)
        assert [(f.action.value, f.name) for f in found] == expected


HELPER = "def _option(spec, text, **more):\n    return spec, text, more\n\n\nALL = [\n    LINE\n]\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('_option("--tz ZONE", "Zone."),', "", [("removed", "--tz")]),
        ('_option("--tz ZONE", "Zone."),', '_option("--tz2 ZONE", "Zone."),', [("renamed", "--tz2")]),
        ('_option("--n -n N", "N", default=1),', '_option("--n -n N", "N", default=2),', [("changed", "--n")]),
        ('has_flag("--tz", "x"),', "", []),
        ('option_of("--tz", "x"),', "", []),
    ],
)  # fmt: skip
def test_flags_that_a_function_of_the_project_declares(old: str, new: str, expected) -> None:
    files = ("shop/cli.py", HELPER.replace("LINE", old), HELPER.replace("LINE", new))
    found = facts_of("Change options", files).of(FactKind.FLAG)
    assert [(f.action.value, f.name) for f in found] == expected


def test_flags_that_a_function_of_a_script_declares() -> None:
    head = "function addOption(spec: string, text: string) {}\n\n"
    old = f'{head}addOption("--tz <zone>", "Zone.");\naddOption("--lang <l>", "Language.");\n'
    new = f'{head}addOption("--lang <l>", "Language.");\n'
    found = facts_of("Drop it", ("src/cli.ts", old, new)).of(FactKind.FLAG)
    assert [(f.action.value, f.name) for f in found] == [("removed", "--tz")]


def test_variable_that_may_replace_a_default_of_go_is_renamed_and_the_default_stays() -> None:
    line = 'cmd.Flags().StringToStringVar(&h, "headers", env.ParseMapFromEnv("SHOP_HEADERS", m, ","), "Extra headers")\n'
    old = f"package commands\n\nfunc run() {{\n\t{line}}}\n"
    new = old.replace("SHOP_HEADERS", "SHOP_SERVER_HEADERS")
    items = facts_of("Honor it", ("cmd/server/run.go", old, new)).items
    assert [(f.kind, f.action, f.before, f.name) for f in items] == [
        (FactKind.ENVIRONMENT, Action.RENAMED, "SHOP_HEADERS", "SHOP_SERVER_HEADERS")
    ]


def test_flag_of_go_that_a_variable_may_replace_has_the_default_behind_it() -> None:
    line = 'fs.StringVar(&o.Level, "log-level", env.WithDefaultString("SHOP_LOG_LEVEL", "info"), "How much is logged")\n'
    old = "package options\n\nfunc (o *Options) Add(fs *flag.FlagSet) {\n}\n"
    items = facts_of("Log", ("pkg/options.go", old, old.replace("{\n", f"{{\n\t{line}"))).items
    assert {(f.kind, f.name, f.after) for f in items} == {
        (FactKind.FLAG, "-log-level", '"info"'),
        (FactKind.ENVIRONMENT, "SHOP_LOG_LEVEL", '"info"'),
    }


def test_variable_in_code_that_a_program_writes_is_not_its_own() -> None:
    old = (
        "export const adapters = {\n  shop: {\n    template: () => `shop({\n"
        "    token: process.env.SHOP_SECRET || '',\n  })`,\n  },\n}\n"
    )
    assert facts_of("Drop it", ("src/ast.ts", old, "export const adapters = {\n}\n")).items == ()
    own = old.replace("template: () => `shop({", "make: () => shop({").replace("})`,", "}),")
    found = facts_of("Drop it", ("src/ast.ts", own, "export const adapters = {\n}\n"))
    assert [f.name for f in found.of(FactKind.ENVIRONMENT)] == ["SHOP_SECRET"]


@pytest.mark.parametrize("path", ["agent/internal/config/config.go", "cmd/agent/main.go"])
def test_key_of_a_file_is_a_setting_even_if_nobody_can_import_the_package(path):
    text = 'package main\n\ntype Config struct {{\n\tKept int `yaml:"kept"`\n\t{}\n}}\n'
    tagged = 'Dir string `yaml:"{}"`'.format
    facts = told(path, text.format(tagged("spool_dir")), text.format(tagged("spool_path")))
    assert [(f.action, f.before, f.name, f.public) for f in facts] == [
        ("renamed", "spool_dir", "Config.spool_path", None)
    ]
    assert told(path, text.format("Dir string"), text.format("Other int")) == []


PREFIXED = 'class Store(BaseSettings):\n    model_config = SettingsConfigDict(env_prefix="{}")\n'


def test_variables_of_settings_are_renamed_with_their_prefix():
    facts = told("app/settings.py", PREFIXED.format("APP_STORAGE_"), PREFIXED.format("APP_STORE_"))
    shown = [(f.action, f.before, f.name) for f in facts if f.kind is FactKind.ENVIRONMENT]
    assert shown == [("renamed", "APP_STORAGE_*", "APP_STORE_*")]


def test_prefix_that_moved_to_another_file_is_still_read():
    moved = (
        ("app/a.py", PREFIXED.format("APP_STORE_"), "x = 1\n"),
        ("app/b.py", "x = 2\n", PREFIXED.format("APP_STORE_")),
    )
    facts = facts_of("Move it", *moved).of(FactKind.ENVIRONMENT)
    assert all(f.action not in {Action.REMOVED, Action.ADDED} for f in facts)


def test_class_that_no_release_has_is_not_missed_but_a_member_of_one_is():
    text = "public class Pool {\n    public int size() {\n        return 1;\n    }\n}\n"
    path = "core/src/main/java/Pool.java"
    gone = facts_of("Drop it", (path, text, None))
    (asked,) = ((Question(index=0, name="Pool", commit="1", words=("class Pool",)),),)
    assert [f.unreleased for f in unreleased(gone, asked, frozenset()).items][:1] == [True]
    assert unreleased(gone, asked, frozenset({"class Pool"})) == gone
    less = facts_of("Drop it", (path, text, "public class Pool {\n}\n"))
    assert [(f.detail, f.name) for f in less.items] == [("method", "Pool.size")]
    assert unreleased(less, asked, frozenset()) == less
    constant = replace(gone.items[0], name="Pool.LIMIT", detail="constant")
    kept = replace(gone, items=(constant,))
    assert unreleased(kept, asked, frozenset()) == kept


def test_value_of_a_flag_is_not_looked_for_in_releases():
    line = 'p.add_argument("--codec", choices={})\n'
    facts = facts_of("Drop a", ("app/cli.py", line.format('["a", "b"]'), line.format('["b"]')))
    (fact,) = facts.items
    assert (fact.action, fact.name) == (Action.REMOVED, "--codec=a")
    asked = (Question(index=0, name=fact.name, commit="1", words=("--codec=a",)),)
    assert unreleased(facts, asked, frozenset()) == facts


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ('parser.accepts("bootstrap-servers", "The servers.")', "--bootstrap-servers"),
        ('parser.addArgument("--throughput").help("Messages.")', "--throughput"),
    ],
)
def test_options_of_programs_in_java(call: str, name: str) -> None:
    old = f"class Tool {{\n    void run() {{\n        option = {call};\n        go();\n    }}\n}}\n"
    new = old.replace(f"        option = {call};\n", "")
    found = facts_of("Drop it", ("tools/src/main/java/a/Tool.java", old, new)).of(FactKind.FLAG)
    assert [(f.action, f.name) for f in found] == [(Action.REMOVED, name)]


def test_setter_of_a_property_is_no_signature_of_it() -> None:
    getter = "class Client:\n    @property\n    def loop(self):\n        return 1\n"
    setter = "\n    @loop.setter\n    def loop(self, value):\n        self._loop = value\n"
    rest = f"\n\nNOTE = '{'x' * 2_000}'\n"
    file = ("shop/client.py", getter + setter + rest, getter + rest)
    assert facts_of("Clean up", file).of(FactKind.SYMBOL) == ()


@pytest.mark.parametrize(
    ("before", "after", "changed"),
    [
        ("5", "None", True),
        ("None", "Pool()", True),
        ("Pool(1)", "Pool(2)", True),
        # The body makes the same for whoever gives none.
        ("Pool()", "None", False),
        ("{}", "None", False),
        # What a name of another module or a call stands for is not known.
        ("5", "other.limit", False),
        ('make("a")', "5", False),
    ],
)
def test_default_of_a_parameter_is_changed_if_both_values_are_known_and_differ(
    before, after, changed
):
    old, new = (f"def run(pool={value}):\n    return pool.run()\n" for value in (before, after))
    found = shown(told("app/task.py", old, new), FactKind.SYMBOL)
    assert found == ([("changed", "run.pool", before, after)] if changed else [])


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("    second: int,\n", "    second: str,\n", 3),
        ("    third: int,\n", "    third: str,\n", 4),
        ("    third: int,\n", "", 4),
        (") -> int:", ") -> str:", 5),
        ("def run(", "async def run(", 1),
    ],
)
def test_changed_signature_is_told_at_the_line_that_differs(old, new, line):
    text = "def run(\n    first: int,\n    second: int,\n    third: int,\n) -> int:\n    return 1\n"
    facts = [f for f in told("app/api.py", text, text.replace(old, new)) if f.name == "run"]
    assert [f.evidence.line for f in facts] == [line]
