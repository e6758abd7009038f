"""Public declarations of the languages that are read through a syntax tree."""

import pytest

from digest.core.facts import OVERLOAD, Action, FactKind
from digest.facts import code
from tests.unit.digest.facts.changes import facts_of, scene, told

RUST = """\
pub struct Config {
    pub depth: u32,
    inner: u8,
}

impl Config {
    pub fn new(depth: u32) -> Self {
        Config { depth, inner: 0 }
    }

    fn hidden(&self) {}
}

pub trait Store {
    fn get(&self, key: &str) -> Option<u8>;
}

pub(crate) fn within() {}
"""
GO = """\
package engine

type Options struct {
\tDepth int `json:"depth"`
\tinner int
}

type Store interface {
\tGet(key string) (int, error)
}

func (o *Options) Run(count int) error {
\treturn nil
}

func New(depth int) *Options { return nil }

func hidden() {}
"""
TYPESCRIPT = """\
export interface ServerOptions {
  port?: number;
}

export function start(host: string, options: ServerOptions = {}): void {
  run();
}

export class Server<T> {
  private secret = 1;
  listen(port: number): void {}
}

function run() {}
"""
JAVASCRIPT = """\
var app = exports = module.exports = {};

app.use = function use(fn) {
  return fn;
};

exports.load = (path, mode = 'r') => path;

function hidden(a) {}
"""
JAVA = """\
public class Engine {
    private int secret;

    public Engine(int depth) {}

    public void run(String name) {}

    void within() {}
}
"""
HEADER = """\
#pragma once
namespace app {
class Engine {
  void secret();
 public:
  int run(int count, float rate = 1.0f);
};
__device__ void launch(int blocks);
}
"""
FILES = {
    "a.rs": RUST,
    "a.go": GO,
    "a.ts": TYPESCRIPT,
    "a.js": JAVASCRIPT,
    "Engine.java": JAVA,
    "a.cuh": HEADER,
}


@pytest.mark.parametrize(
    ("path", "before", "after", "facts"),
    [
        ("a.rs", "depth: u32)", "depth: u32, wide: bool)", ["changed Config::new (depth: u32) -> Self -> (depth: u32, wide: bool) -> Self @7n"]),
        ("a.rs", "pub depth: u32,", "pub depth: u64,", ["changed Config.depth u32 -> u64 @2n"]),
        ("a.rs", "    inner: u8,\n", "    inner: u8,\n    pub wide: bool,\n", ["added Config.wide @4n"]),
        ("a.rs", "key: &str)", "key: &[u8])", ["changed Store::get (key: &str) -> Option<u8> -> (key: &[u8]) -> Option<u8> @15n"]),
        ("a.rs", "pub(crate) fn within", "pub fn within", ["changed within private -> public @18n"]),
        ("a.rs", "fn hidden(&self)", "fn hidden(&self, a: u8)", []),
        ("a.go", "count int)", "count int, fast bool)", ["changed Options.Run (count int) error -> (count int, fast bool) error @12n"]),
        ("a.go", "depth int)", "deep int)", []),
        ("a.go", "depth int)", "depth int64)", ["changed New (depth int) *Options -> (depth int64) *Options @16n"]),
        ("a.go", "\tDepth int", '\tWidth string `json:"width"`\n\tDepth int', ["added Options.width @4n"]),
        ("a.go", "Get(key string)", "Find(key string)", ["added Store.Find None -> (key string) (int, error) @9n", "removed Store.Get (key string) (int, error) -> None @9o"]),
        ("a.go", "func hidden()", "func other()", []),
        ("a.ts", "  port?: number;\n", "  port?: number;\n  host: string;\n", ["added ServerOptions.host @3n"]),
        ("a.ts", "port?: number", "port: number", ["changed ServerOptions.port optional number -> number @2n"]),
        ("a.ts", "host: string, ", "host: string, tls: boolean, ", ["changed start (host: string, options: ServerOptions = {}): void -> (host: string, tls: boolean, options: ServerOptions = {}): void @5n"]),
        ("a.ts", "listen(port: number)", "listen(port: number, host?: string)", ["changed Server.listen (port: number): void -> (port: number, host?: string): void @11n"]),
        ("a.ts", "secret = 1", "secret = 2", []),
        ("a.ts", "function run()", "function run(a)", []),
        ("a.js", "function use(fn)", "function use(path, fn)", ["changed app.use (fn) -> (path, fn) @3n"]),
        ("a.js", "function use(fn)", "function use(callback)", []),
        ("a.js", "mode = 'r'", "mode = 'w'", ["changed load.mode 'r' -> 'w' @7n"]),
        ("a.js", "exports.load =", "exports.read =", ["added read None -> (path, mode = 'r') @7n", "removed load (path, mode = 'r') -> None @7o"]),
        ("a.js", "hidden(a)", "hidden(a, b)", []),
        ("Engine.java", "run(String name)", "run(String name, int times)", ["changed Engine.run (String name): void -> (String name, int times): void @6n"]),
        ("Engine.java", "void within()", "void elsewhere()", []),
        ("a.cuh", "int count,", "long count,", ["changed app::Engine::run (int count, float rate = 1.0f) -> int -> (long count, float rate = 1.0f) -> int @6n"]),
        ("a.cuh", "1.0f", "2.0f", ["changed app::Engine::run.rate 1.0f -> 2.0f @6n"]),
        ("a.cuh", "int blocks", "int grids", []),
        ("a.cuh", "void secret()", "void secret(int a)", []),
    ],
)  # fmt: skip
def test_changes_in_other_languages(path, before, after, facts):
    old = FILES[path]
    assert before in old
    assert sorted(told(code.find(scene(path, old, old.replace(before, after))))) == facts


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("a.rs", {"Config", "Store"}),
        ("a.go", {"Options", "Store", "New"}),
        ("a.ts", {"ServerOptions", "start", "Server"}),
        ("a.js", {"app.use", "load"}),
        ("Engine.java", {"Engine"}),
        ("a.cuh", {"app::Engine", "app::launch"}),
    ],
)
def test_new_file_adds_its_public_names(path, names):
    facts = code.find(scene(path, None, FILES[path]))
    assert {f.name for f in facts} == names


def test_source_of_c_declares_nothing_for_others():
    assert list(code.find(scene("a.cc", HEADER, HEADER.replace("int count", "long count")))) == []


def test_go_that_nobody_can_import_is_not_told():
    changed = GO.replace("depth int)", "depth int64)")
    assert list(code.find(scene("internal/a.go", GO, changed))) == []
    main = GO.replace("package engine", "package main")
    assert list(code.find(scene("a.go", main, main.replace("depth int)", "d, e int)")))) == []


def test_name_in_text_that_cannot_be_parsed_is_not_said_to_be_gone():
    old = "pub fn run() {}\npub fn stay() {}\n"
    broken = "pub fn stay() {}\n@@@ pub run {{{{ (\n"
    assert list(code.find(scene("a.rs", old, broken))) == []


def test_change_inside_a_body_parses_nothing(monkeypatch):
    def parse(*_given):
        raise AssertionError("parsed")

    old = "pub fn run(a: u8) -> u8 {\n    fn_of(a);\n    a\n}\n\npub struct A {}\n"
    monkeypatch.setattr(code, "parse", parse)
    new = old.replace("fn_of(a)", "pub(a); fn go() {}")
    assert list(code.find(scene("src/a.rs", old, new))) == []
    with pytest.raises(AssertionError, match="parsed"):
        list(code.find(scene("src/a.rs", old, old.replace("a: u8", "b: u8"))))


def test_a_file_that_is_too_long_to_parse_on_either_side_is_named():
    longer = GO.replace("depth int)", "depth int64)") + f"// {'x' * 400_000}\n"
    for old, new in ((GO, longer), (longer, GO)):
        facts = facts_of("Widen it", ("a.go", old, new))
        assert [file.unparsed for file in facts.files] == [True]
        assert facts.items == ()


GO_FEATURES = """package main

func (c *flagConfig) setFeatureListOptions() error {
\tfor _, o := range c.featureList {
\t\tswitch o {
\t\tcase "duration-expr":
\t\t\tc.expr = true
\t\t}
\t}
\treturn nil
}

func main() {
\ta.Flag("enable-feature", "Features.").StringsVar(&c)
}
"""


def test_a_feature_that_must_be_switched_on_again_is_off_by_default() -> None:
    on = GO_FEATURES.replace("c.expr = true", 'log("now permanently enabled and a no-op")')
    (fact,) = facts_of("Revert it", ("cmd/p/main.go", on, GO_FEATURES)).items
    assert (fact.name, fact.before, fact.after) == ("--enable-feature=duration-expr", "on", "off")


def test_flags_of_own_types_and_of_optparse_are_read() -> None:
    go = 'package l\n\nfunc (l *Limits) Register(f *flag.FlagSet) {\n\tf.Var(&l.P, "limits.period", "Help.")\n}\n'
    python = "def options(parser):\n    parser.add_option('--autoscale')\n    return parser\n"
    for path, text, line, name in (
        ("pkg/limits.go", go, '\tf.Var(&l.P, "limits.period", "Help.")\n', "-limits.period"),
        ("app/worker.py", python, "    parser.add_option('--autoscale')\n", "--autoscale"),
    ):
        (fact,) = facts_of("Remove it", (path, text, text.replace(line, ""))).items
        assert (fact.kind, fact.action, fact.name) == (FactKind.FLAG, Action.REMOVED, name)


OVERLOADS = """\
namespace app {

class Engine {
 public:
  virtual int Open(const std::string& name, int mode = 0);
  virtual int Open(const Options& options, const std::string& name, Env* env);
  virtual int Open(Env* env);
};

}
"""
JAVA_OVERLOAD = """\
  public static void open(String path, Env env) {
    open(path, env, false);
  }

"""
JAVA_OVERLOADS = f"""\
public class Engine {{
{JAVA_OVERLOAD}\
  public static void open(Options options, String path) {{
    run(options, path);
  }}
}}
"""


@pytest.mark.parametrize(
    ("path", "text", "gone", "shown"),
    [
        ("include/a.h", OVERLOADS, "  virtual int Open(Env* env);\n", "(Env* env) -> int"),
        (
            "src/main/java/Engine.java",
            JAVA_OVERLOADS,
            JAVA_OVERLOAD,
            "(String path, Env env): void",
        ),
    ],
)
def test_an_overload_that_goes_is_removed_though_others_stay(path, text, gone, shown) -> None:
    assert gone in text
    (fact,) = facts_of("Remove it", (path, text, text.replace(gone, ""))).items
    assert (fact.action, fact.before, fact.detail) == (Action.REMOVED, shown, OVERLOAD)
    assert fact.name.endswith(("Engine::Open", "Engine.open"))


def test_a_function_that_goes_or_comes_with_all_its_overloads_is_one_fact() -> None:
    rest = "  virtual int Close();\n };\n"
    whole = OVERLOADS.replace("};\n", rest)
    without = "".join(line for line in whole.splitlines(keepends=True) if "Open(" not in line)
    for old, new, action in ((whole, without, Action.REMOVED), (without, whole, Action.ADDED)):
        (fact,) = facts_of("Change it", ("include/a.h", old, new)).items
        assert (fact.action, fact.detail == OVERLOAD) == (action, False)
        assert fact.name.endswith("Engine::Open")


@pytest.mark.parametrize(
    ("gone", "come"),
    [
        # What remains takes the same calls.
        ("(Env* env);", "(Env* env);\n  virtual int Open(Slice name);"),
        ("(Env* env);", "(Env* env);\n  virtual int Open(const char* name, size_t mode);"),
        ("(Env* env);", "(Env* env);\n  virtual int Open(const Env* env) const;"),
        ("(Env* env);", "(Env* env);\n  virtual int Open(DerivedEnv* env);"),
        # A base has it.
        ("(Env* env);", "(Env* env);\n  int Open(const Other& other) override;"),
    ],
)
def test_an_overload_whose_calls_another_takes_is_not_removed(gone, come) -> None:
    facts = facts_of("Remove it", ("include/a.h", OVERLOADS.replace(gone, come), OVERLOADS)).items
    assert [f for f in facts if f.action is Action.REMOVED] == []


def test_an_overload_that_becomes_another_is_not_removed() -> None:
    new = OVERLOADS.replace("  virtual int Open(Env* env);\n", "").replace("Env* env", "Env& env")
    facts = facts_of("Change it", ("include/a.h", OVERLOADS, new)).items
    assert [f for f in facts if f.action is Action.REMOVED] == []


MACROS = """\
#[macro_export]
macro_rules! shop {
    ($x:expr) => { $x };
}

/// Logs.
#[macro_export]
macro_rules! shop_log {
    ($x:expr) => { $x };
}

macro_rules! inner {
    () => {};
}

pub fn open() {}
"""


@pytest.mark.parametrize(
    ("old", "new", "facts"),
    [
        (MACROS[: MACROS.index("/// Logs")], "", ["removed shop @2o"]),
        ("rules! shop_log", "rules! shop_print", ["renamed shop_print shop_log -> shop_print @8n"]),
        ("macro_rules! inner {\n    () => {};\n}\n", "", []),
        ("() => {};", "() => { 1 };", []),
        ("macro_rules! shop {", "doc! {macro_rules! shop {", []),  # another macro makes it
    ],
)
def test_macros_of_rust_that_a_crate_exports(old, new, facts):
    assert old in MACROS
    found = facts_of("Change things", ("src/lib.rs", MACROS, MACROS.replace(old, new)))
    assert told(found.of(FactKind.SYMBOL)) == facts
