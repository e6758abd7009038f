"""Flags, environment variables, routes and metrics, in the libraries that declare them."""

import pytest

from digest.core.facts import Action, FactKind
from digest.facts import code, env_variables, flags, metrics, routes
from digest.facts.named_settings import is_same_default
from digest.facts.side_text import entire
from tests.support import samples
from tests.unit.digest.facts.changes import facts_of, scene, told

FLAGS = """\
parser.add_argument("-p", "--port", type=int, default=8000, help="a, (b")
parser.add_argument(
    "--mode",
    default="fast",
    choices=["fast", "slow"],
)
parser.add_argument("name")
group.add_argument("--keep", **kwargs["keep"])
"""


def find(path, old, new, kind=None):
    facts = [f for f in code.find(scene(path, old, new)) if kind in {None, f.kind}]
    return sorted(told(facts))


@pytest.mark.parametrize(
    ("before", "after", "facts"),
    [
        ("default=8000", "default=9000", ["changed --port 8000 -> 9000 @1n"]),
        ('default="fast"', 'default="slow"', ['changed --mode "fast" -> "slow" @3n']),
        ('"slow"]', '"slow", "auto"]', ['changed --mode ["fast", "slow"] -> ["fast", "slow", "auto"] @3n']),
        ('"-p", "--port"', '"-p", "--listen"', ["renamed --listen --port -> --listen @1n"]),
        ('"--mode"', '"--speed"', ["renamed --speed --mode -> --speed @3n"]),
        ('"name"', '"title"', []),
        ('help="a, (b"', 'help="c"', []),
        (', **kwargs["keep"]', ", default=1", []),
        ('group.add_argument("--keep", **kwargs["keep"])\n', "", ["removed --keep @8o"]),
        ('"--port"', '"--port", "--listen"', ["added --listen @1n"]),
    ],
)  # fmt: skip
def test_flags_of_argparse(before, after, facts):
    assert before in FLAGS
    assert find("cli.py", FLAGS, FLAGS.replace(before, after)) == facts


def test_flag_that_stands_elsewhere_in_the_file_is_not_new():
    old = FLAGS + "define('--other')\n"
    assert find("cli.py", old, old + 'parser.add_argument("--other")\n') == []


def test_flag_that_only_a_comment_names_is_new():
    old = FLAGS + "# see --other\n"
    assert find("cli.py", old, old + 'parser.add_argument("--other")\n') == ["added --other @10n"]


@pytest.mark.parametrize(
    ("path", "line", "fact"),
    [
        ("a.py", '@click.option("--shout/--no-shout", default=False)', "added --shout None -> False @2n"),
        ("a.py", 'name: str = typer.Option("x", "--name")', 'added --name None -> "x" @2n'),
        ("a.py", 'flags.DEFINE_integer("depth", 3, "help")', "added --depth None -> 3 @2n"),
        ("a.go", 'flag.StringVar(&x, "addr", ":80", "where")', 'added -addr None -> ":80" @2n'),
        ("a.go", 'cmd.Flags().StringVarP(&x, "addr", "a", ":80", "where")', 'added --addr None -> ":80" @2n'),
        ("a.go", 'cmd.PersistentFlags().BoolP("quiet", "q", false, "less")', "added --quiet None -> false @2n"),
        ("a.go", '&cli.StringFlag{Name: "lang", Value: "en"}', 'added --lang None -> "en" @2n'),
        ("a.rs", '#[arg(long = "max-depth", default_value_t = 3)] pub depth: u8,', "added --max-depth None -> 3 @2n"),
        ("a.rs", '#[arg(long, default_value = "x")]\npub out_dir: String,', 'added --out-dir None -> "x" @3n'),
        ("a.rs", 'Arg::new("v").long("verbose").default_value("1")', 'added --verbose None -> "1" @2n'),
        ("a.js", "program.option('-p, --port <n>', 'the port', 80)", "added --port None -> 80 @2n"),
        ("a.ts", "yargs.option('port', { default: 3000, describe: 'x' })", "added --port None -> 3000 @2n"),
        ("a.c", '{"color", required_argument, NULL, 1},', "added --color @2n"),
        ("a.cc", 'DEFINE_int32(depth, 3, "help");', "added --depth None -> 3 @2n"),
        ("a.cc", 'ABSL_FLAG(bool, fast, true, "help");', "added --fast None -> true @2n"),
        ("A.java", '@Option(names = {"-o", "--out"}, defaultValue = "x")', 'added --out None -> "x" @2n'),
        ("A.java", 'Option o = Option.builder("o").longOpt("out").build();', "added --out @2n"),
        ("a.rb", 'opts.on("-o", "--out FILE", "Write - to a file") { |v| v }', "added --out @2n"),
        ("a.rb", "opts.on '-o', '--out FILE',\n  'Write to a file' do |v|\nend", "added --out @2n"),
        ("a.rb", "c.option 'out', '--out DIR[,DIR]', Array, 'Folders'", "added --out @2n"),
        ("a.rb", "method_option :dry_run, default: true, aliases: %w[-n]", "added --dry-run None -> true @2n"),
        ("a.ts", "const args = arg({\n  '--out': String,\n  '-o': '--out',\n});", "added --out @3n"),
        ("a.js", "parseArgs({ options: { out: { type: 'string', default: 'x' } } })", "added --out None -> 'x' @2n"),
        ("a.js", "meow(help, {flags: {\n  dryRun: {type: 'boolean', default: false},\n}})", "added --dry-run None -> false @3n"),
        ("a.js", "yargs.options({ out: { describe: 'Where', default: 'x' } })", "added --out None -> 'x' @2n"),
    ],
)  # fmt: skip
def test_flags_of_other_libraries(path, line, fact):
    assert find(path, "x\n", f"x\n{line}\n", "flag") == [fact]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("a.rb", "bus.on :dry_run, to: :report"),
        ("a.rb", "option :dry_run, default: -> { true }"),
        ("a.js", "parseArgs({ strict: false, options: { out: { type: 'string' } } })"),
        ("a.js", "minimist(argv, { string: ['out'] })"),
        ("a.ts", "request.options({ out: { type: 'string' } })"),
        ("a.ts", "const args = arg({ out: String })"),
    ],
)
def test_other_calls_that_look_like_those_declare_no_flags(path, line):
    assert find(path, "x\n", f"x\n{line}\n", "flag") == []


def test_a_negated_form_of_ruby_is_a_name_of_the_same_flag():
    old = "opts.on('--no-counts', 'Leave counts out')\n"
    assert find("a.rb", old, old.replace("--no-", "--[no-]"), "flag") == ["added --counts @1n"]


@pytest.mark.parametrize(
    ("path", "line", "fact"),
    [
        ("a.py", 'x = os.environ.get("APP_PORT", "80")', 'added APP_PORT None -> "80" @2n'),
        ("a.py", 'x = os.getenv(\n    "APP_PORT", "80"\n)', 'added APP_PORT None -> "80" @3n'),
        ("a.py", 'x = os.environ["APP_PORT"]', "added APP_PORT @2n"),
        ("a.py", 'if "APP_PORT" in os.environ: y()', "added APP_PORT @2n"),
        ("a.py", 'port: int = Field(80, env="APP_PORT")', "added APP_PORT @2n"),
        ("a.js", "const x = process.env.APP_PORT || '80';", "added APP_PORT None -> '80' @2n"),
        ("a.ts", 'const x = process.env["APP_PORT"] ?? 80;', "added APP_PORT None -> 80 @2n"),
        ("a.ts", "const x = process.env.APP_URL ?? `ws:${p}`;", "added APP_URL @2n"),
        ("a.rs", 'let x = env::var("APP_PORT");', "added APP_PORT @2n"),
        ("a.rs", '#[arg(env = "APP_PORT")] x: u8,', "added APP_PORT @2n"),
        ("a.go", 'x := os.Getenv("APP_PORT")', "added APP_PORT @2n"),
        ("A.java", 'String x = System.getenv("APP_PORT");', "added APP_PORT @2n"),
        ("a.c", 'char *x = getenv("APP_PORT");', "added APP_PORT @2n"),
    ],
)
def test_variables_that_are_read(path, line, fact):
    assert find(path, "x\n", f"x\n{line}\n", "environment") == [fact]


@pytest.mark.parametrize(
    "line",
    [
        'os.environ["APP_PORT"] = "1"',
        'x = os.environ["PATH"]',
        'x = os.environ["WORLD_SIZE"]',
        '# os.environ["APP_PORT"]',
        "x = os.environ.get(name)",
        'x = os.environ["VERBOSE"]',
        'x = os.environ["APP_INTERNAL_PORT"]',
    ],
)
def test_variables_that_are_set_or_are_the_systems_are_no_facts(line):
    assert find("a.py", "x\n", f"x\n{line}\n", "environment") == []


def test_variable_that_is_read_in_one_more_place_is_not_new():
    old = 'x = os.environ["APP_PORT"]\n'
    assert find("a.py", old, old + 'y = os.environ["APP_PORT"]\n') == []


@pytest.mark.parametrize(
    ("left", "facts"),
    [
        ('"APP_PORT"\n', []),
        ("APP_PORT = load()\n", []),
        ('x = 1\n"APP_PORT"', []),
        ("x = 1\nAPP_PORT = load()\n", []),
        ('"APP_PORTS"\n', ["removed APP_PORT @1o"]),
        ('"MY_APP_PORT"\n', ["removed APP_PORT @1o"]),
        ("# APP_PORT\n", ["removed APP_PORT @1o"]),
    ],
)
def test_variable_is_removed_where_nothing_but_a_comment_names_it(left, facts):
    assert find("a.py", 'x = os.environ["APP_PORT"]\n', left) == facts


TABLE = """\
environment_variables = {
    # How many.
    "APP_COUNT": lambda: int(os.getenv("APP_COUNT", "4")),
    "APP_MODE": choose(
        "APP_MODE",
        "fast",
    ),
}
"""


@pytest.mark.parametrize(
    ("before", "after", "facts"),
    [
        ('"4"', '"8"', ['changed APP_COUNT "4" -> "8" @3n']),
        ('"APP_COUNT"', '"APP_TOTAL"', ["renamed APP_TOTAL APP_COUNT -> APP_TOTAL @3n"]),
        ("}\n", '    "APP_NEW": lambda: env_bool("APP_NEW", True),\n}\n', ["added APP_NEW None -> True @8n"]),
    ],
)  # fmt: skip
def test_variables_in_a_table(before, after, facts):
    assert find("envs.py", TABLE, TABLE.replace(before, after)) == facts


@pytest.mark.parametrize(
    ("path", "line", "fact"),
    [
        ("a.py", '@router.post("/v1/score")\ndef _f(): ...', "added POST /v1/score @2n"),
        ("a.py", '@app.route("/x", methods=["PUT"])\ndef _f(): ...', "added PUT /x @2n"),
        ("a.py", 'app.router.add_get("/y", handler)', "added GET /y @2n"),
        ("a.py", 'Route("/z", endpoint=f)', "added /z @2n"),
        ("a.py", 'urlpatterns = [path("users/<int:pk>/", view)]', "added users/<int:pk>/ @2n"),
        ("a.py", 'urls = [re_path(r"^users/(?P<pk>\\d+)/?$", view)]', "added users/<pk> @2n"),
        ("a.js", "router.get('/users/:id', show)", "added GET /users/:id @2n"),
        ("a.go", 'mux.HandleFunc("/metrics", serve)', "added /metrics @2n"),
        ("a.go", 'r.Del("/series", api.drop)', "added DELETE /series @2n"),
        ("a.go", 'r.GET("/ping", pong)', "added GET /ping @2n"),
        ("a.rs", 'app.route("/v1", get(list).post(make))', "added POST /v1 @2n"),
        ("a.rs", '#[get("/hello")]', "added GET /hello @2n"),
        ("A.java", '@GetMapping("/users")', "added GET /users @2n"),
    ],
)
def test_routes(path, line, fact):
    assert fact in find(path, "x\n", f"x\n{line}\n", "route")


def test_entry_that_go_deletes_is_no_route():
    assert find("a.go", "x\n", 'x\ncache.Del("/series")\n', "route") == []


def test_prefix_of_a_router_stands_before_its_routes():
    old = 'api = APIRouter(prefix="/v2")\n'
    assert find("a.py", old, old + '@api.get("/models")\ndef _f(): ...\n', "route") == [
        "added GET /v2/models @2n"
    ]


def test_request_of_a_client_is_no_route():
    assert find("a.py", "x\n", 'x\nclient.get("/v1/models")\n') == []


@pytest.mark.parametrize(
    ("path", "line", "fact"),
    [
        ("a.py", 'c = Counter("app_requests_total", "Requests.")', "added app_requests_total @2n"),
        ("a.py", 'self.g = self._gauge_cls(\n    name="app:busy",\n    documentation="Busy.",\n)', "added app:busy @3n"),
        ("a.py", 'meter.create_counter("app.hits", description="Hits")', "added app.hits @2n"),
        ("a.js", "new client.Counter({ name: 'app_hits', help: 'Hits' })", "added app_hits @2n"),
        ("a.go", 'x := prometheus.NewCounterVec(prometheus.CounterOpts{\n\tName: "app_hits",\n\tHelp: "h",\n}, nil)', "added app_hits @3n"),
        ("a.rs", 'counter!("app_hits", 1);', "added app_hits @2n"),
    ],
)  # fmt: skip
def test_metrics(path, line, fact):
    assert find(path, "x\n", f"x\n{line}\n", "metric") == [fact]


def test_counting_things_is_no_metric():
    assert (
        find("a.py", "x\n", 'x\nc = Counter("abracadabra")\nd = collections.Counter(name)\n') == []
    )


@pytest.mark.parametrize(
    ("name", "told"), [("Version", 0), ("SchemaVersion", 0), ("HttpVersion", 1)]
)
def test_number_of_the_form_of_a_file_is_no_default(name, told):
    where, values = samples.at("pool.go", 1), {"before": "5", "after": "6", "detail": "default"}
    fact = samples.fact(FactKind.CONFIG, Action.CHANGED, f"Pool.{name}", where, **values)
    assert is_same_default(fact, "Warn of licences") is not bool(told)


def test_flag_that_becomes_a_field_is_not_gone():
    old = 'class Args:\n    pass\n\n\nparser.add_argument("--max-len", default=1)\n'
    new = "class Args:\n    max_len: int = 1\n"
    assert find("cli.py", old, new, "flag") == []


RUST_COMMANDS = """\
pub enum PipCommand {
    Compile(PipCompileArgs),
    Install(PipInstallArgs),
}

pub struct PipCompileArgs {
    #[arg(long)]
    pub output_file: Option<PathBuf>,
}

pub struct PipInstallArgs {
    #[arg(long)]
    pub output_file: Option<PathBuf>,
    pub packages: Vec<String>,
}
"""
SCRIPT_COMMANDS = """\
cli
  .command('[root]', 'serve')
  .option('--force', 'again')

cli
  .command('build [root]', 'build')
  .option('--force', 'again')
  .option('--outDir <dir>', 'where')
"""
GO_COMMANDS = """\
func main() {
	check := app.Command("check", "Check.")
	a := check.Flag("url", "Address.").String()
	push := app.Command("push", "Push.")
	b := push.Flag("url", "Address.").String()
	app.Flag("quiet", "Say less.").Bool()
}
"""


@pytest.mark.parametrize(
    ("path", "text", "line", "name"),
    [
        (
            "src/cli.rs",
            RUST_COMMANDS,
            "Args {\n    #[arg(long)]\n    pub output_file: Option<PathBuf>,\n    pub",
            "pip install --output-file",
        ),
        (
            "src/cli.ts",
            SCRIPT_COMMANDS,
            "  .option('--force', 'again')\n  .option",
            "build --force",
        ),
        (
            "cmd/main.go",
            GO_COMMANDS,
            '\tb := push.Flag("url", "Address.").String()\n',
            "push --url",
        ),
        ("cmd/main.go", GO_COMMANDS, '\tapp.Flag("quiet", "Say less.").Bool()\n', "--quiet"),
    ],
)
def test_flag_that_one_of_several_commands_has_is_told_with_its_command(path, text, line, name):
    without = {
        "src/cli.rs": text.replace(line, "Args {\n    pub"),
        "src/cli.ts": text.replace(line, "  .option"),
        "cmd/main.go": text.replace(line, ""),
    }[path]
    facts = [f.partition(" @")[0] for f in find(path, text, without, "flag")]
    assert facts == [f"removed {name}"]
    facts = [f.partition(" @")[0] for f in find(path, without, text, "flag")]
    assert facts == [f"added {name}"]


def test_flags_of_one_name_in_two_sets_have_their_own_defaults():
    text = (
        'package main\n\nfunc main() {{\n\tfs.String("url", "{}", "Address.")\n'
        '\tflags.String("url", "{}", "Address.")\n}}\n'
    )
    assert find("a.go", text.format("a", "b"), text.format("c", "d"), "flag") == [
        'changed -url "a" -> "c" @4n',
        'changed -url "b" -> "d" @5n',
    ]


def test_flag_that_a_command_gets_from_a_shared_group_is_not_removed():
    shared = RUST_COMMANDS.replace(
        "    #[arg(long)]\n    pub output_file: Option<PathBuf>,\n    pub packages",
        "    #[command(flatten)]\n    pub output: OutputArgs,\n    pub packages",
    )
    assert find("src/cli.rs", RUST_COMMANDS, shared, "flag") == []


def test_unrelated_flags_of_nearly_the_same_text_are_no_rename():
    text = "struct Args {{\n    #[clap(long)]\n    {}\n}}\n"
    old, new = (text.format(f) for f in ("limit: Option<usize>,", "graphviz: Option<PathBuf>,"))
    facts = [f.partition(" @")[0] for f in find("src/cli.rs", old, new, "flag")]
    assert facts == ["added --graphviz", "removed --limit"]


@pytest.mark.parametrize(
    ("path", "text", "line", "name"),
    [
        (
            "types.go",
            "package a\n\nfunc bind(b Binder) {{\n{}}}\n",
            '\tb.StringVar("api-version", "Version of the API.", defaults.Version, &cfg.Version)\n',
            "--api-version",
        ),
        (
            "app/build.py",
            "from cleo.helpers import option\n\noptions = [\n{}]\n",
            '    option("output", "o", "Where to write.", flag=False),\n',
            "--output",
        ),
        (
            "app/build.py",
            "from cleo.helpers import option\n\noptions = [\n{}]\n",
            '    option("output", None, flag=True),\n',
            "--output",
        ),
        (
            "app/build.py",
            "from cleo.helpers import option\n\noptions = [\n{}]\n",
            '    option("x-forwarded", "x"),\n',
            "--x-forwarded",
        ),
    ],
)
def test_flag_whose_name_comes_first(path: str, text: str, line: str, name: str):
    facts = facts_of("Drop it", (path, text.format(line), text.format(""))).of(FactKind.FLAG)
    assert [(f.action, f.name) for f in facts] == [(Action.REMOVED, name)]


def test_flags_of_a_table_of_a_script():
    text = (
        "const options = [\n  ['-b, --browser <name>', 'browser to use, one of two'],\n{}];\n"
        "spawn('git', ['--no-pager', 'log'])\n"
    )
    line = "  ['--save-trace <file name>', { description: 'record it' }],\n"
    facts = facts_of("Drop it", ("src/program.ts", text.format(line), text.format("")))
    assert [(f.action, f.name) for f in facts.of(FactKind.FLAG)] == [
        (Action.REMOVED, "--save-trace")
    ]
    other = text.format("").replace("--no-pager', 'log", "--paginate', 'log")
    assert facts_of("Page", ("src/program.ts", text.format(""), other)).of(FactKind.FLAG) == ()


def test_variable_whose_name_is_a_constant():
    old = 'package a\n\nconst envMode = "APP_MODE"\n\nfunc f() string {\n\treturn os.Getenv(envMode)\n}\n'
    facts = facts_of("Rename it", ("a.go", old, old.replace("APP_MODE", "APP_KIND")))
    names = [(f.action, f.name) for f in facts.of(FactKind.ENVIRONMENT)]
    assert names == [(Action.RENAMED, "APP_KIND")]


@pytest.mark.parametrize(
    ("path", "text", "line", "name"),
    [
        (
            "cmd/tool/main.go",
            'package main\n\nfunc main() {{\n\ttsdb := app.Command("tsdb", "Run commands.")\n{}}}\n',
            '\tdump := tsdb.Command("dump-series", "Dump the series.")\n',
            "tsdb dump-series",
        ),
        (
            "app/cli.py",
            'sub = parser.add_subparsers()\nrun = sub.add_parser("run", help="Run it.")\n{}',
            'old = sub.add_parser("fetch-all", help="Fetch it.")\n',
            "fetch-all",
        ),
    ],
)
def test_command_that_comes_or_goes(path: str, text: str, line: str, name: str):
    old, new = text.format(line), text.format("")
    for sides, action in (((old, new), Action.REMOVED), ((new, old), Action.ADDED)):
        facts = facts_of("Change it", (path, *sides)).of(FactKind.FLAG)
        assert [(f.action, f.name, f.detail) for f in facts] == [(action, name, "command")]
    kept = text.format("") + '# or "' + name.rsplit(maxsplit=1)[-1] + '"\n'
    assert facts_of("Keep it", (path, old, kept)).of(FactKind.FLAG) == ()


@pytest.mark.parametrize("comments", [3, 60])
def test_name_that_stays_below_many_comments_is_not_removed(comments):
    """Few places are tried one by one, many are looked up among the words of the file."""
    about = '# "--keep" is old\n' * comments
    old = f'parser.add_argument("--keep")\n{about}NAMES = ["--keep"]\n'
    assert find("core/a.py", old, old.partition("\n")[2]) == []
    gone = old.replace('NAMES = ["--keep"]\n', "")
    assert find("core/a.py", gone, about) == ["removed --keep @1o"]


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ('path("items/<int:pk>/", views.item)', "items/<int:pk>/"),
        ('path("all items", views.items)', None),
        ('path("all\\nitems", views.items)', None),
        ('@app.get("/items")', "GET /items"),
        ('@app.get("items")', None),
        ('@app.get("/all items")', None),
        (f'@app.get("/{"a" * 198}")', f"GET /{'a' * 198}"),
        (f'@app.get("/{"a" * 199}")', None),
    ],
)
def test_only_what_has_the_form_of_a_path_is_a_route(call, name):
    new = f"x\n{call}\ndef _f(): ...\n"
    assert find("app/urls.py", "x\n", new, "route") == ([f"added {name} @2n"] if name else [])


DECLARED = """\
parser.add_argument("--app-mode")
os.environ["APP_MODE"]
Gauge("app_mode_total", "Help.")
@app.get("/app/mode")
def _f(): ...
"""


@pytest.mark.parametrize(
    ("finder", "own", "others"),
    [
        (flags, "--app-mode", ["--app-mod", "--mode"]),
        (env_variables, "APP_MODE", ["APP_MOD", "MODE"]),
        (metrics, "app_mode_total", ["app_mod_total", "mode_total"]),
        (routes, "GET /app/mode", ["GET /app/mod", "PUT /app/mode", "GET /mode"]),
    ],
)
def test_file_defines_what_it_declares_in_a_language_that_is_read(finder, own, others):
    source = entire(scene("app/main.py", None, DECLARED).texts[1])
    assert finder.defined(source, "python", own)
    assert not any(finder.defined(source, "python", name) for name in others)
    assert not finder.defined(source, "cobol", own)
