"""Defaults of settings where functions, tables and attributes set them."""

from __future__ import annotations

import pytest

from digest.core.facts import Action, FactKind
from tests.unit.digest.facts.changes import facts_of

GO = """package frontend

func (cfg *Config) RegisterFlagsAndApplyDefaults(prefix string, f *flag.FlagSet) {
\tcfg.RetryAfter = 0
\tcfg.Metrics = MetricsConfig{
\t\tMaxDuration: 3 * time.Hour,
\t}
}
"""
GO_MAKER = """package client

func DefaultOptions(name string) (*Options, error) {
\treturn &Options{
\t\tWorkers: 4,
\t}, nil
}
"""
RUST = """#[derive(Deserialize)]
pub struct EditorConfig {
    pub idle: Duration,
}

impl Default for EditorConfig {
    fn default() -> Self {
        Self {
            idle: Duration::from_millis(400),
        }
    }
}
"""
RUST_FUNCTION = """#[derive(Deserialize)]
pub struct Server {
    #[serde(default = "default_port")]
    port: u16,
}

fn default_port() -> u16 {
    80
}
"""
CPP = """struct UniversalOptions {
  bool locking;

  UniversalOptions()
      : locking(false) {}
};
"""


@pytest.mark.parametrize(
    ("path", "text", "old", "new", "name"),
    [
        ("mod/config.go", GO, "= 0", "= 5 * time.Second", "Config.RetryAfter"),
        ("mod/config.go", GO, "3 * time.Hour", "24 * time.Hour", "Config.MaxDuration"),
        ("client/options.go", GO_MAKER, "4", "8", "Options.Workers"),
        ("src/editor.rs", RUST, "from_millis(400)", "from_millis(250)", "EditorConfig.idle"),
        ("src/server.rs", RUST_FUNCTION, "    80\n", "    3200\n", "port"),
        ("include/a/universal.h", CPP, "(false)", "(true)", "UniversalOptions.locking"),
    ],
)
def test_another_value_where_a_default_is_set_is_another_default(
    path: str, text: str, old: str, new: str, name: str
) -> None:
    facts = facts_of("Tune it", (path, text, text.replace(old, new))).items
    assert [(f.kind, f.detail, f.name) for f in facts] == [(FactKind.CONFIG, "default", name)]
    before, after = (text.strip("=() \n") for text in (old, new))
    assert before in f"{facts[0].before})"
    assert after in f"{facts[0].after})"


@pytest.mark.parametrize(
    ("path", "text", "old", "new"),
    [
        (
            "mod/config.go",
            GO.replace("ApplyDefaults", "").replace("Register", "Read"),
            "= 0",
            "= 9",
        ),
        (
            "src/server.rs",
            RUST_FUNCTION.replace('"default_port"', '"other"'),
            "    80\n",
            "    1\n",
        ),
        ("src/editor.rs", RUST.replace("Default for ", ""), "400", "250"),
        ("include/a/universal.h", CPP.replace("Options", "Buffer"), "(false)", "(true)"),
    ],
)
def test_a_value_elsewhere_is_no_default(path: str, text: str, old: str, new: str) -> None:
    facts = facts_of("Tune it", (path, text, text.replace(old, new))).items
    assert [f for f in facts if f.detail == "default"] == []


def test_an_enumerator_is_the_default_by_its_name() -> None:
    header = (
        "enum Pri : char {\n  kBySize = 0x0,\n  kMinRatio = 0x3,\n};\n\n"
        "struct ColumnOptions {\n  Pri pri = kBySize;\n};\n"
    )
    (fact,) = facts_of(
        "Other default",
        ("include/db/o.h", header, header.replace("pri = kBySize", "pri = kMinRatio")),
    ).items
    assert (fact.name, fact.before, fact.after) == ("ColumnOptions.pri", "kBySize", "kMinRatio")


def test_a_variable_that_is_unset_gives_what_the_expression_ends_with() -> None:
    table = (
        "import os\n\nvariables = {\n"
        '    "APP_SAMPLER": lambda: (\n'
        '        bool(int(os.environ["APP_SAMPLER"]))\n'
        '        if "APP_SAMPLER" in os.environ\n        else None\n    ),\n}\n'
    )
    (fact,) = facts_of(
        "On by default", ("app/envs.py", table, table.replace("else None", "else True"))
    ).items
    assert (fact.kind, fact.name, fact.before, fact.after) == (
        FactKind.ENVIRONMENT,
        "APP_SAMPLER",
        "None",
        "True",
    )


def test_an_attribute_of_a_class_with_another_base_is_not_removed() -> None:
    old = "class Backend(base.Backend, Mixin):\n    native_join = True\n\n    def get(self):\n        return 1\n"
    new = old.replace("base.Backend, Mixin", "RPCBackend").replace("    native_join = True\n\n", "")
    gone = [
        f.name for f in facts_of("x", ("app/b.py", old, new)).items if f.action is Action.REMOVED
    ]
    assert gone == []
    same = [
        f.name
        for f in facts_of(
            "x", ("app/b.py", old, old.replace("    native_join = True\n\n", ""))
        ).items
    ]
    assert same == ["Backend.native_join"]


def test_a_field_of_what_a_call_is_given_is_no_default_of_the_function_around_it() -> None:
    old = (
        "package ruler\n\nfunc DefaultFactory(r Registerer) Factory {\n"
        '\tn := NewCounter(CounterOpts{\n\t\tName: "app_queries_total",\n\t})\n\treturn n\n}\n'
    )
    facts = facts_of("Rename", ("ruler.go", old, old.replace("app_queries", "queries")))
    assert [f.name for f in facts.items if f.detail == "default"] == []


def test_a_parameter_below_a_table_of_another_function_is_no_default() -> None:
    old = (
        "class Audio:\n    def __init__(self):\n        if self.deep:\n"
        "            default_conv = {\n                'width': 3,\n            }\n\n"
        "    def forward(\n        self,\n        features: torch.FloatTensor,\n    ):\n        pass\n"
    )
    facts = facts_of("Annotate", ("app/audio.py", old, old.replace("FloatTensor", "Tensor")))
    assert [f.name for f in facts.items if f.detail == "default"] == []
    facts = facts_of("Widen", ("app/audio.py", old, old.replace("3", "4")))
    assert [f.name for f in facts.items if f.detail == "default"] == ["default_conv.width"]


def test_a_default_that_is_parsed_from_a_text_changes() -> None:
    old = (
        "package limits\n\nfunc (l *Limits) RegisterFlags(f *flag.FlagSet) {\n"
        '\t_ = l.MaxAge.Set("14d")\n\tf.Var(&l.MaxAge, "limits.max-age", "Oldest.")\n}\n'
    )
    facts = facts_of("Keep less", ("limits.go", old, old.replace("14d", "7d"))).items
    assert [(f.name, f.before, f.after) for f in facts] == [("Limits.MaxAge", '"14d"', '"7d"')]


def test_a_default_given_behind_a_warning_stays() -> None:
    old = (
        '@dataclass\nclass TrainConfig:\n    loss: str = "nll"\n\n    def __post_init__(self):\n'
        "        pass\n"
    )
    new = old.replace('str = "nll"', "str | None = None").replace(
        "        pass\n",
        '        if self.loss is None:\n            warn(\n                "It will change.",\n            )\n            self.loss = "nll"\n',
    )
    facts = facts_of("Announce it", ("train/config.py", old, new)).items
    assert [f.name for f in facts if f.detail == "default"] == []


def test_a_default_of_rust_that_a_function_gives_is_the_value_of_the_function() -> None:
    head = "#[component]\npub struct SinkConfig {\n"
    old = head + "    #[serde(default)]\n    pub codec: Option<Codec>,\n}\n"
    new = head + (
        '    #[serde(default = "default_codec")]\n    pub codec: Option<Codec>,\n}\n\n'
        "const fn default_codec() -> Option<Codec> {\n    Some(Codec::Zstd)\n}\n"
    )
    facts = facts_of("Compress", ("src/sink.rs", old, new)).of(FactKind.CONFIG)
    assert [(f.name, f.before, f.after) for f in facts] == [
        ("SinkConfig.codec", "None", "Some(Codec::Zstd)")
    ]
    lost = facts_of("Drop it", ("src/sink.rs", old, head + "}\n")).of(FactKind.CONFIG)
    assert [(f.action, f.name) for f in lost] == [(Action.REMOVED, "SinkConfig.codec")]


def test_a_setting_of_rust_that_had_to_be_given_had_no_default_before() -> None:
    old = "#[component]\npub struct SinkConfig {\n    pub codec: Codec,\n}\n"
    new = old.replace("    pub", '    #[serde(default = "usual")]\n    pub')
    new += "\nconst fn usual() -> Codec {\n    Codec::Zstd\n}\n"
    facts = facts_of("Compress", ("src/sink.rs", old, new)).of(FactKind.CONFIG)
    assert [(f.name, f.before, f.after) for f in facts] == []


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("1", "1.0", []),
        ("1", "2", ["ping.timeout"]),
        ("1", "1e0", []),
        ("1", "(1)", []),
        ("8_000", "'8000'", []),
        ("'1.1'", "'1.10'", ["ping.timeout"]),
        ("1", "(1,)", ["ping.timeout"]),
        ("(1,)", "( 1, )", []),
        ("(1, 2)", "(1, 2,)", []),
        ("(1 << 20) - 1", "(1 << 20) - 2", ["ping.timeout"]),
    ],
)
def test_a_value_written_in_another_way_is_the_same_default(
    old: str, new: str, names: list[str]
) -> None:
    code = "def ping(timeout={}):\n    return timeout\n"
    facts = facts_of("Tidy", ("app/control.py", code.format(old), code.format(new))).items
    assert [f.name for f in facts if f.detail == "default"] == names


def test_a_default_variant_of_another_name_is_no_other_default() -> None:
    old = "pub enum Preference {\n    #[default]\n    PreferInstalled,\n    OnlySystem,\n}\n"
    facts = facts_of("Rename", ("src/a.rs", old, old.replace("PreferInst", "Inst"))).items
    assert [f.name for f in facts if f.detail == "default"] == []
    new = "pub enum Preference {\n    PreferInstalled,\n    #[default]\n    OnlySystem,\n}\n"
    facts = facts_of("Prefer another", ("src/a.rs", old, new)).items
    assert [f.name for f in facts if f.detail == "default"] == ["Preference"]


def test_a_word_that_may_mean_anything_is_told_with_its_function() -> None:
    text = "export function decrypt(key) {\n  const padding = key.padding || VALUE;\n}\n"
    old, new = text.replace("VALUE", "1"), text.replace("VALUE", "4")
    (fact,) = [f for f in facts_of("Fix it", ("src/a.ts", old, new)).items if f.before == "1"]
    assert (fact.name, fact.after) == ("decrypt.padding", "4")


def test_a_default_that_is_a_list_over_several_lines_changes() -> None:
    one = "const defaultOptions: Options = {\n  extensions: ['js', 'ts'],\n  root: '',\n};\n"
    more = one.replace("['js', 'ts']", "[\n    'js',\n    'mjs',\n    'ts',\n  ]")
    facts = facts_of("Read modules", ("src/Defaults.ts", one, more)).items
    assert [(f.name, f.before, f.after) for f in facts] == [
        ("defaultOptions.extensions", "['js', 'ts']", "['js', 'mjs', 'ts']")
    ]
    most = more.replace("    'ts',\n", "    'mts',\n    'ts',\n")
    facts = facts_of("Read types", ("src/Defaults.ts", more, most)).items
    assert [f.after for f in facts] == ["['js', 'mjs', 'mts', 'ts']"]
    flat = "['js', 'ts']", "[\n    'js',\n    'ts',\n  ]"
    assert facts_of("Format", ("src/Defaults.ts", one, one.replace(*flat))).items == ()
    other = one.replace("defaultOptions", "exampleOptions")
    new = more.replace("defaultOptions", "exampleOptions")
    assert facts_of("Show more", ("src/Example.ts", other, new)).items == ()


def test_a_default_of_an_option_over_several_lines_changes() -> None:
    old = "KEYS = Namespace(\n    retries=Option(\n        3,\n        type='int',\n    ),\n)\n"
    new = old.replace("3", "8").replace("  ),\n)", "  ),\n    pause=Option(1),\n)")
    facts = facts_of("Retry more", ("app/defaults.py", old, new)).items
    assert [(f.name, f.before, f.after) for f in facts if f.before] == [("retries", "3", "8")]


_TABLE = "NAMESPACES = Namespace(\n    app=Namespace(\n        {}=Option(False),\n    ),\n)\n"
_CLASS = "@dataclass\nclass Config:\n    {}: bool = True\n    kept: int = 1\n"


@pytest.mark.parametrize(
    ("path", "declared", "names", "action"),
    [
        ("app/defaults.py", _TABLE, ("use_ssl", "extra_openssl"), "renamed"),
        ("app/defaults.py", _TABLE, ("extra_openssl", "use_ssl"), "renamed"),
        ("app/defaults.py", _TABLE, ("use_ssl", "extra_gssapi"), "removed"),
        ("app/config.py", _CLASS, ("use_ssl", "extra_openssl"), "removed"),
    ],
)
def test_an_option_in_the_place_of_another_that_ends_alike_replaces_it(
    path: str, declared: str, names: tuple[str, str], action: str
) -> None:
    old, new = (declared.format(name) for name in names)
    facts = facts_of("Use another", (path, old, new)).items
    assert [f.action.value for f in facts if f.action is not Action.ADDED] == [action]


@pytest.mark.parametrize(
    ("path", "told"),
    [("src/options.ts", 1), ("src/languages/fa.ts", 0), ("src/locale/fa.ts", 0)],
)
def test_texts_by_language_are_no_defaults(path: str, told: int) -> None:
    old = "export const fa: DefaultTexts = {\n  account: 'a',\n}\n"
    facts = facts_of("Refine", (path, old, old.replace("'a'", "'b'"))).items
    assert len(facts) == told


ZOD = """\
import { z } from 'zod';

export const ConfigSchema = z.object({
  port: z.number().min(1).default(3000),
  build: z
    .object({
      format: z
        .enum(['file', 'folder'])
        .optional()
        .default('file'),
    }),
});

const Reply = z.object({ limit: z.number() });
const Query = z.object({
  limit: z.number().default(10),
});
"""


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        ("3000", "8080", ["port 3000 -> 8080"]),
        (".default('file')", ".default('folder')", ["build.format 'file' -> 'folder'"]),
        (".default('file')", '.default("file")', []),
        (".default(10)", ".default(20)", []),  # what a request may leave out
    ],
)
def test_defaults_in_a_schema_of_zod(old: str, new: str, facts: list[str]) -> None:
    assert old in ZOD
    found = facts_of("Change things", ("src/config.ts", ZOD, ZOD.replace(old, new)))
    changed = found.of(FactKind.CONFIG, Action.CHANGED)
    assert [f"{f.name} {f.before} -> {f.after}" for f in changed] == facts
