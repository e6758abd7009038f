import pytest

from digest.core.facts import Action, FactKind
from digest.facts.deprecations import find
from digest.facts.message import find_deprecations
from digest.facts.subject import read_subject
from tests.unit.digest.facts.changes import facts_of, scene, told


def added(path, new, old=""):
    return told(find(scene(path, old, new)))


@pytest.mark.parametrize(
    ("path", "text", "facts"),
    [
        (
            "a.py",
            "@deprecated(\n    'use `b`, it will be removed in v0.13'\n)\n@other\ndef fast_path(x):\n    pass\n",
            ["added fast_path None -> v0.13 @1n"],
        ),
        (
            "a.py",
            (
                "def f():\n    warnings.warn(\n        '`old_name` is deprecated and will be removed in '\n"
                "        'v1.2. Use new_name.',\n        DeprecationWarning,\n    )\n"
            ),
            ["added old_name None -> v1.2 @3n"],
        ),
        ("a.py", "def go_slow():\n    warnings.warn('no', FutureWarning)\n", ["added go_slow @2n"]),
        ("a.py", "x = 1  # --old-flag is deprecated in favor of --new\n", ["added --old-flag @1n"]),
        (
            "lib.rs",
            '#[deprecated(since = "1.2", note = "use b")]\npub fn old() {}\n',
            ["added old @1n"],
        ),
        (
            "a.go",
            "// Old does it.\n//\n// Deprecated: use New.\nfunc Old() {}\n",
            ["added Old @3n"],
        ),
        ("A.java", "@Deprecated\npublic static void oldWay(int x) {}\n", ["added oldWay @1n"]),
        ("a.ts", "/**\n * @deprecated use b\n */\nexport function a() {}\n", ["added a @2n"]),
        (
            "a.py",
            '_create_option(\n    "app.fast_mode",\n    description="x",\n    deprecated=True,\n)\n',
            ["added app.fast_mode @4n"],
        ),
        (
            "a.py",
            'parser.add_argument("-f", "--fast",\n    help="x",\n    deprecated=True)\n',
            ["added --fast @3n"],
        ),
        ("a.py", 'make(\n    "app.fast_mode",\n    deprecated=True,\n)\n', []),
        ("a.cpp", "[[deprecated]] int f();\nint old_f(int);\n", ["added f @1n"]),
        ("docs/a.md", "The `--x-flag` option is deprecated since 1.4.\n", ["added --x-flag @1n"]),
        (
            "a.py",
            (
                "def spread(p, q):\n    warn(\n        'The order in metric `spread` is set to be "
                "deprecated in v1.4 and changed in v1.5.'\n        ' `p` will be renamed to `target`.',\n"
                "        DeprecationWarning,\n    )\n"
            ),
            [],
        ),
    ],
)
def test_marks_name_what_they_mark(path, text, facts):
    assert added(path, text) == facts


def test_a_member_is_named_with_its_type_unless_nobody_else_can_use_it():
    text = "struct POOL_API Pool {{\npublic:\n\tint n;\n{}\t[[deprecated]] int size();\n}};\n"
    (open_,), (hidden,) = (
        find(scene("a.hpp", "", text.format(part))) for part in ("", "private:\n")
    )
    assert (open_.name, open_.public) == ("Pool::size", None)
    assert hidden.public is False
    script = "{}type Pool = {{\n  /** @deprecated */\n  size: number\n}}\n{}"
    for head, end, public in (
        ("", "", False),
        ("export ", "", None),
        ("", "export type { Card, Pool }\n", None),
    ):
        (mark,) = find(scene("a.ts", "", script.format(head, end)))
        assert mark.public is public
    trait = 'pub trait Source {\n    #[deprecated(note = "use b")]\n    fn take(&self) {}\n}\n'
    (mark,) = find(scene("a.rs", "", trait))
    assert mark.name == "Source::take"
    for head in ("impl Pool", "impl<T: Item> Pool<T>", "impl Source for Pool"):
        (mark,) = find(scene("a.rs", "", trait.replace("pub trait Source", head)))
        assert mark.name == "Pool::take"


def test_what_comes_into_the_project_deprecated_is_not_announced():
    new = "import warnings\n\n\n@deprecated('use take')\ndef fetch(): ...\n"
    old = new.replace("@deprecated('use take')\n", "")
    core = ("relay/core.py", None, new)

    def announced(*files):
        return [f.name for f in facts_of("Change it", *files).of(FactKind.DEPRECATION)]

    assert announced(core) == []
    assert announced(("relay/core.py", old, new)) == ["fetch"]


def test_key_of_a_reference_ends_what_a_mark_is_about():
    text = (
        "# Deprecated: Use -pool.on instead.\n# CLI flag: -x.on\n[on: <boolean> | default = false]"
    )
    assert added("docs/reference.md", f"{text}\n\npool_client:\n  [timeout: <duration>]\n") == []


@pytest.mark.parametrize(
    ("words", "new"),
    [
        ("b_in and b_out", None),
        ("b_in and try again", "b_in"),
        ("b_in or b_out", "b_in"),
        ("app.org/pools/b_in instead", "app.org/pools/b_in"),
        ("b_in/b_out instead", None),
    ],
)
def test_two_names_that_replace_one_together_are_no_replacement(words, new):
    (mark,) = find(scene("a.py", "", f"# `a_both` is deprecated, use {words}\na_both = 1\n"))
    assert mark.replacement == new


def test_docstring_of_a_field_that_opens_with_the_word_is_told_from_other_notices():
    text = 'class Config:\n    warm: bool = True\n    """{} run the old warm-up."""\n'
    (mark,) = find(scene("a.py", text.format("If set,"), text.format("Deprecated:")))
    assert (mark.name, mark.detail) == ("Config.warm", "docstring")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "from typing_extensions import deprecated\n"),
        ("a.py", "warnings.filterwarnings('ignore', category=DeprecationWarning)\n"),
        ("a.py", "value = get_from_deprecated_env_if_set(name)\n"),
        ("lib.rs", "#[allow(deprecated)]\nfn f() {}\n"),
        ("tests/test_a.py", "def f():\n    warnings.warn('x', DeprecationWarning)\n"),
        ("CHANGELOG.md", "- `old_name` is deprecated\n"),
        ("docs/a.md", "It is deprecated since long.\n"),
        ("a.py", "# Setting the size of `pool_limit` is deprecated.\n"),
        ("a.rb", "# A deprecated alias. Prefer PoolKit.\nif defined?(::Poolkit)\n  x = 1\nend\n"),
    ],
)
def test_mentions_are_no_marks(path, text):
    assert added(path, text) == []


def test_mark_on_something_that_the_hunk_does_not_show_is_named_from_the_whole():
    old = "import x\n\n\ndef slow():\n    pass\n"
    assert added("a.py", old.replace("def", "@deprecated('x')\ndef"), old) == ["added slow @4n"]


def test_removed_mark_is_told_on_the_old_side():
    old = "a = 1\nlog('`k` and `old_key` is deprecated and will be removed in v2')\n"
    assert added("a.py", "a = 1\n", old) == ["removed old_key v2 -> None @2o"]


def test_another_version_is_a_change():
    old = "log('`old_key` is deprecated and will be removed in v2.0')\n"
    assert added("a.py", old.replace("v2.0", "v3.0"), old) == ["changed old_key v2.0 -> v3.0 @1n"]


def test_what_its_file_already_calls_deprecated_is_no_news():
    far = "".join(f"row {n}\n" for n in range(30))
    warning = "log('`old_key` is deprecated')\n"
    for said, news in (("# `old_key` is deprecated\n", []), ("# `old_key`\n", [32])):
        told = added("a.py", said + far + warning, said + far)
        assert told == [f"added old_key @{line}n" for line in news]


def test_directive_in_the_description_of_a_parameter_deprecates_the_parameter():
    text = (
        'def read_rows(\n    path,\n    chunk=None,\n):\n    """\n    Read rows.\n\n    Parameters\n'
        '    ----------\n    chunk\n        How many at a time.\n\n{}    """\n'
    )
    mark = "        .. deprecated:: 1.43\n            Cut them afterwards.\n"
    assert added("a.py", text.format(mark), text.format("")) == ["added chunk @13n"]
    google = text.replace("    chunk\n", "    chunk (int): Some.\n")
    assert added("a.py", google.format(mark), google.format("")) == ["added chunk @13n"]
    note = text.replace("    chunk\n", "    Returns:\n")
    assert added("a.py", note.format(mark), note.format("")) == []
    of_all = mark.replace("        .. ", "    .. ")
    assert added("a.py", text.format(of_all), text.format("")) == ["added read_rows @13n"]


def test_comment_above_a_mark_on_the_line_of_a_member_is_about_that_member():
    text = "class Pool {{\n{}  private static final Logger LOG = get(Pool.class);\n\n  private String name;\n}}\n"
    mark = (
        "  /**\n   * @deprecated will be removed in 2.0; use B#ID\n   *     instead.\n   */\n"
        '  @Deprecated public static final String ID = "id";\n\n'
    )
    assert added("A.java", text.format(""), text.format(mark)) == [
        "removed Pool.ID 2.0 -> None @3o"
    ]


def test_mark_that_moved_to_another_file_is_no_fact():
    line = "log('`old_key` is deprecated')\n"
    assert (
        facts_of("Move", ("a.py", f"x\n{line}", "x\n"), ("b.py", "y\n", f"y\n{line}")).items == ()
    )


@pytest.mark.parametrize(
    ("message", "facts"),
    [
        ("[UX] Deprecate `--swap` in favor of nothing (#1)", ["added --swap @1m"]),
        ("Remove deprecated pooling parameters (#1)", ["removed pooling parameters @1m"]),
        ("Drop support for Python 3.8 (#1)", ["removed Python 3.8 @1m"]),
        ("Deprecate support for X v4", ["added X v4 @1m"]),
        ("Fix\n\n- Deprecates `old_name` since it is slow", ["added old_name @3m"]),
        ("Remove dead code", []),
        ("Remove obsolete `allow(deprecated)` from `is_old`", []),
        ("Deprecate and tidy", []),
        ("Add `swap`\n\nDeprecating `export const swap` is a separate change.", []),
        ("Add `swap`\n\nDeprecating `swap_all` in favour of it.", ["added swap_all @3m"]),
        ("Remove old members\n\nDeprecated for removal in 1.12.0:\n- `Pool.of`", []),
        ("Fix the deprecated path", []),
        ("Update x\n\n### Release notes\n\nDeprecate `y_z`", []),
    ],
)
def test_message_says_what_is_deprecated_or_gone(message, facts):
    subject = read_subject(message.split("\n", 1)[0])
    assert told(find_deprecations(message, subject)) == facts


def test_a_comment_below_a_finished_call_does_not_speak_of_what_the_call_names():
    call = '        self.decoding = histogram(\n            name="app:decode_seconds",\n            buckets=latency)\n'
    mark = "        # Deprecated in 0.8 - duplicates app:queue_seconds:\n"
    shown = '        self.waiting = histogram(name="app:waiting", buckets=latency)\n'
    hidden = (
        "        # Hidden in 0.9, due to be removed in 0.10\n"
        "        if self.show_hidden:\n    " + shown
    )
    assert not [
        f for f in added("metrics.py", call + mark + hidden, call + mark + shown) if "decode" in f
    ]


def test_a_help_text_speaks_of_the_option_whose_call_is_still_open():
    text = (
        "p.add_argument(\n    '--old-way',\n    type=choice(\n        1),\n"
        "    help='DEPRECATED: it has no effect',\n)\n"
    )
    assert added("cli.py", text) == ["added --old-way @5n"]


def test_a_replacement_is_read_across_the_lines_of_a_text():
    text = (
        "p.add_argument(\n    '--old-way',\n    help='[DEPRECATED] Please use the '\n"
        "    '--new-way option instead.',\n)\n"
    )
    [fact] = find(scene("cli.py", "", text))
    assert fact.replacement == "--new-way"


CPP = """#pragma once

enum Tickers {{
  OPENED,{0}
  CLOSED,{0}
  {1}STALLS,
}};

{2}inline std::shared_ptr<Cache> NewCache(int size);

class Registry {{
  {2}template <typename T>
  const T& Register(int x);
  {3}Status Add(int key);
}};
"""


def test_members_wrappers_and_overloads_of_cpp_are_deprecated_where_their_comment_says_so() -> None:
    new = CPP.format(
        "  // DEPRECATED / unused",
        "// DEPRECATED time of stalls\n  ",
        "// DEPRECATED wrapper\n",
        "[[deprecated]] ",
    )
    facts = facts_of("Deprecate", ("include/a/r.h", CPP.format("", "", "", ""), new)).of(
        FactKind.DEPRECATION, Action.ADDED
    )
    assert [f.name for f in facts] == ["OPENED", "CLOSED", "STALLS", "NewCache", "Register", "Add"]


def test_a_warning_of_a_private_function_deprecates_no_name() -> None:
    old = "def _inner(name):\n    return load(name)\n"
    new = old.replace("    return", "    warnings.warn(GONE, DeprecationWarning)\n    return")
    assert not facts_of("Warn", ("app/base.py", old, new)).of(FactKind.DEPRECATION, Action.ADDED)


CONFIG = '''class PassConfig:
    enable_fusion: bool = False
    """{0}Fuse norm and quantisation."""
    enable_noop: bool = True
    """{0}Leave out what does nothing."""


def on_online(self):
    """{1}Do it."""
    return 1


def __getattr__(name):
    if name == "OldOutput":
{2}        return NewOutput
'''
WARNING = """        warnings.warn(
            "`app.outputs.OldOutput` has been "
            "renamed to `NewOutput`. "
            "The old name will be removed in v0.13.",
        )
"""


def test_docstrings_deprecate_what_is_above_them_and_warnings_what_was_renamed() -> None:
    old = CONFIG.format("", "", "")
    new = CONFIG.format("Deprecated in: v0.12. ", "Deprecated, to be removed in 3.1. ", WARNING)
    facts = facts_of("Deprecate", ("app/config.py", old, new)).of(
        FactKind.DEPRECATION, Action.ADDED
    )
    assert [f.name for f in facts] == [
        "PassConfig.enable_fusion",
        "PassConfig.enable_noop",
        "on_online",
        "OldOutput",
    ]


def test_an_option_that_moved_into_a_section_and_an_exported_constant_are_deprecated() -> None:
    old = (
        "export interface UserConfig {\n  alias?: string\n}\n\nexport const parseAst: Ast = parse\n"
    )
    new = old.replace(
        "  alias", "  /** @deprecated use `resolve.alias` instead */\n  alias"
    ).replace("export const", "/** @deprecated - use `parse` instead */\nexport const")
    facts = facts_of("Deprecate", ("src/config.ts", old, new)).of(
        FactKind.DEPRECATION, Action.ADDED
    )
    assert [(f.name, f.replacement) for f in facts] == [
        ("UserConfig.alias", "resolve.alias"),
        ("parseAst", "parse"),
    ]


def test_a_hidden_option_of_clap_is_deprecated_by_its_comment() -> None:
    old = "pub struct InitArgs {\n    /// Make it virtual.\n    #[arg(long)]\n    pub r#virtual: bool,\n}\n"
    new = old.replace("Make it virtual.", "This option is deprecated and will be removed.")
    (fact,) = facts_of("Add --app", ("crates/cli/src/lib.rs", old, new)).of(
        FactKind.DEPRECATION, Action.ADDED
    )
    assert fact.name == "virtual"


def test_warning_names_the_first_thing_and_not_what_to_use():
    line = 'warnings.warn("`old_name`: `other_name` takes its place", DeprecationWarning)'
    found = facts_of("Tell it", ("a.py", "def f():\n    pass\n", f"def f():\n    {line}\n")).items
    assert [fact.name for fact in found if fact.kind is FactKind.DEPRECATION] == ["old_name"]


MARKED = """\
@deprecated("use `find` instead")
def look_up(key):
    return find(key)


def drop(key):
    pass
"""
WARNED = """\
def start(engine, verbose_start: bool = False):
    if verbose_start:
        warnings.warn("`verbose_start` is deprecated.", DeprecationWarning)
    engine.start()
"""


def test_what_was_announced_to_go_was_public_and_its_neighbours_are_not_known_to_be() -> None:
    facts = facts_of("Tidy up", ("app/core/inner/util.py", MARKED, "x = 1\n")).items
    symbols = {f.name: f.public for f in facts if f.kind is FactKind.SYMBOL}
    assert symbols == {"look_up": True, "drop": None}


@pytest.mark.parametrize(
    ("name", "public"), [("verbose_start", True), ("other_parameter", None), ("verbose", None)]
)
def test_a_parameter_that_was_announced_to_go_is_known_wherever_it_is_taken(name, public) -> None:
    new = "def start(engine):\n    engine.start()\n"
    other = f"def run(engine, {name}=False):\n    engine.start()\n"
    facts = facts_of(
        "Tidy up",
        ("app/core/start.py", WARNED, new),
        ("app/core/run.py", other, "def run(engine):\n    engine.start()\n"),
    ).items
    symbols = {f.name: f.public for f in facts if f.kind is FactKind.SYMBOL}
    assert symbols == {"start": True, "run": public}


def test_a_short_word_that_a_function_is_called_by_says_nothing_of_another_file() -> None:
    facts = facts_of(
        "Tidy up",
        ("app/core/a.py", MARKED, "x = 1\n"),
        ("app/core/b.py", "def look_up(key):\n    pass\n", ""),
    ).items
    there = [f for f in facts if f.kind is FactKind.SYMBOL and f.evidence.path == "app/core/b.py"]
    assert [f.public for f in there] == [None]


LOOP = """\
class Task:
    def bind(cls, app):
        for attr in ('queue', 'exchange',
                     'priority'):
            if attr in cls.__dict__:
                deprecated.warn(
                    description=f'The {attr!r} task attribute',
                    removal='6.0',
                    alternative='Use the task_routes setting instead.',
                )
        return app
"""


def test_each_name_of_a_loop_that_warns_is_deprecated() -> None:
    start = LOOP.index("        for")
    old = LOOP[:start] + LOOP[LOOP.index("        return") :]
    found = [
        (f.name, f.when, f.replacement)
        for f in facts_of("Warn", ("celery/app/task.py", old, LOOP)).items
        if f.kind is FactKind.DEPRECATION
    ]
    names = ("Task.exchange", "Task.priority", "Task.queue")
    assert sorted(found) == [(name, "6.0", "task_routes") for name in names]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("deprecated.warn(", "registry.declare("),  # no warning
        ("{attr!r}", "{app!r}"),  # not about the names
        ("'queue', 'exchange',", "*names, other,"),  # not known
    ],
)
def test_a_loop_that_does_not_warn_about_its_names_deprecates_nothing(old: str, new: str) -> None:
    start = LOOP.index("        for")
    before = LOOP[:start] + LOOP[LOOP.index("        return") :]
    items = facts_of("Do it", ("celery/app/task.py", before, LOOP.replace(old, new))).items
    assert not {"Task.queue", "Task.exchange"} & {f.name for f in items}


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("`db_role='both'` is deprecated for Replica.", ["db_role=both"]),
        ("Using db_role='both' with Replica is deprecated.", ["db_role=both"]),
        ("Setting cache_mode to 'html' is deprecated, use cache_mode true", ["cache_mode=html"]),
        ("`--old-dir=DIR` is deprecated.", ["--old-dir"]),
    ],
)
def test_one_deprecated_value_of_a_setting_is_told_with_the_value(line: str, names: list[str]):
    old = "def run(db_role=None, cache_mode=None):\n    '--old-dir'\n"
    new = f'{old}    warn("{line}")\n'
    found = facts_of("Warn", ("app/run.py", old, new)).of(FactKind.DEPRECATION, Action.ADDED)
    assert [(f.name, f.replacement) for f in found] == [(name, None) for name in names]


def test_comment_that_calls_another_thing_deprecated_in_passing_names_nothing():
    new = (
        "def run(data):\n    # Prefer `upper` over the (deprecated)\n    # `exact` property.\n"
        "    first_rows = data.rows\n    return first_rows\n"
    )
    assert added("app/run.py", new, "def run(data):\n    return data.rows\n") == []


def test_marked_member_is_told_by_the_path_that_users_write():
    member = "  /**\n   * @deprecated Use `server.ws.{0}` instead.\n   */\n  {0}?: string\n"
    old = "export interface HmrOptions {\n  host?: string\n  port?: string\n}\n"
    new = f"export interface HmrOptions {{\n{member.format('host')}{member.format('port')}}}\n"
    before = "const keys = ['host', 'port']\nexport function warn() {\n}\n"
    after = "const keys = ['host', 'port']\nexport function warn() {\n  log('`server.hmr.host/port` are deprecated')\n}\n"
    marked = ("src/hmr.ts", old, new)
    for said, owner in ((before, "HmrOptions"), (after, "server.hmr")):
        found = facts_of("Deprecate", marked, ("src/utils.ts", before, said)).of(
            FactKind.DEPRECATION, Action.ADDED
        )
        assert sorted((f.name, f.replacement) for f in found) == [
            (f"{owner}.host", "server.ws.host"),
            (f"{owner}.port", "server.ws.port"),
        ]


def test_comment_that_documents_an_attribute_deprecates_it():
    old = "class Task:\n    #: Acknowledge late.\n    acks_late = None\n    retries = 3\n"
    new = old.replace(
        "late.\n",
        "late.\n    #:\n    #: .. deprecated:: 6.0\n    #:     Use :attr:`acks` instead.\n",
    )
    (fact,) = facts_of("Decouple", ("app/task.py", old, new)).of(FactKind.DEPRECATION)
    assert fact.name == "Task.acks_late"


def test_member_is_deprecated_once_however_sentences_write_it():
    old = "class LLM:\n    def reward(self, x):\n        return x\n"
    new = old.replace(
        "        return",
        '        log.warn("`llm.reward` api is deprecated, use `LLM.encode`.")\n        return',
    )
    facts = facts_of(
        "Deprecate LLM.reward offline api, use LLM.encode instead", ("app/llm.py", old, new)
    )
    (fact,) = facts.of(FactKind.DEPRECATION)
    assert (fact.name, fact.replacement) == ("llm.reward", "LLM.encode")


def test_help_of_a_flag_deprecates_the_flag_and_not_what_it_mentions():
    line = (
        '    .help("Deprecated. The `setTimeout` globals are always on, so this has no effect.")\n'
    )
    new = f'  ArgDef::new("node-globals")\n    .long("node-globals")\n    .hidden()\n{line}'
    old = new.replace(line, '    .help("Use the globals")\n')
    (fact,) = facts_of("Deprecate it", ("src/defs.rs", old, new)).of(FactKind.DEPRECATION)
    assert fact.name == "--node-globals"


def test_sentence_about_what_is_passed_does_not_deprecate_what_takes_it():
    new = (
        "class Trainer:\n    def fit(self, rows):\n        warnings.warn(\n"
        '            "Passing a `messages`-format (conversational) dataset to "\n'
        '            "`Trainer` is deprecated and will be removed. Use a dataset with a `prompt`.",\n'
        "            FutureWarning,\n        )\n"
    )
    old = "class Trainer:\n    def fit(self, rows):\n        pass\n"
    facts = facts_of("Prepare the formats", ("app/fit.py", old, new))
    assert [f.name for f in facts.of(FactKind.DEPRECATION)] == []


def test_what_may_no_longer_come_from_a_function_does_not_deprecate_it():
    said = '  warn "Returning a Hash from before_pool is deprecated and will be removed in 2.0."\n'
    old = "def run\n  @before_pool.call\nend\n"
    facts = facts_of("Warn", ("app/run.rb", old, old.replace("end\n", f"{said}end\n")))
    assert facts.of(FactKind.DEPRECATION) == ()


def test_comment_above_a_call_deprecates_no_function_that_is_called():
    said = "    // This method is deprecated and is only used in `old_pool`.\n"
    call = '    my_assert(false, "not implemented");\n'
    facts = facts_of(
        "Change it", ("app/a.cc", "int f() {\n    return 1;\n}\n", f"int f() {{\n{said}{call}}}\n")
    )
    assert facts.of(FactKind.DEPRECATION) == ()


def test_argument_of_what_takes_it_is_named_with_it():
    old = "class RowPool:\n    def fit(self, row_args=None):\n        pass\n"
    said = (
        '        log.warning(\n            "Passing row_args to RowPool is deprecated "\n'
        '            "and will be removed in v0.18. You should pass them to Row.make()."\n        )\n'
    )
    new = old.replace("        pass\n", said)
    facts = facts_of("Prepare", ("app/fit.py", old, new)).of(FactKind.DEPRECATION)
    assert [f.name for f in facts] == ["RowPool.row_args"]


def test_flag_that_its_help_and_a_warning_deprecate_is_told_once():
    old = 'package x\n\nfunc f(b B) {\n\tb.BoolVar("tsig-axfr", "Transfer zones", false, &c.T)\n}\n'
    new = old.replace('"Transfer', '"[DEPRECATED: use --axfr] Transfer').replace(
        "}\n", '\tlog.Warn("--tsig-axfr is deprecated, use --axfr instead")\n}\n'
    )
    facts = facts_of("Add --axfr", ("pkg/types.go", old, new)).of(FactKind.DEPRECATION)
    assert [(f.name, f.replacement) for f in facts] == [("--tsig-axfr", "--axfr")]


def test_variable_that_a_warning_names_is_known_from_where_it_is_read():
    warning = 'warn("APP_POOL is deprecated and will be removed in v0.21. Use --pool instead.")'
    new = f"if {{0}}.APP_POOL:\n    {warning}\n"
    for owner, names in (("envs", ["APP_POOL"]), ("other", [])):
        facts = facts_of("Add --pool", ("app/pool.py", "x = 1\n", new.format(owner)))
        assert [f.name for f in facts.of(FactKind.DEPRECATION)] == names


def test_variant_of_rust_is_named_with_its_type() -> None:
    old = "pub enum ShopError {\n    /// Left early.\n    Return { at: u8 },\n}\n"
    new = old.replace(
        "    Return {", '    #[deprecated(\n        since = "1.2"\n    )]\n    Return {'
    )
    new += "\nfn f() {\n    // `Return` is deprecated but still matched here.\n}\n"
    facts = facts_of("Go on after an early return", ("src/error.rs", old, new))
    assert [f.name for f in facts.of(FactKind.DEPRECATION)] == ["ShopError::Return"]


def test_option_is_named_as_users_type_it_and_not_by_its_variable() -> None:
    made = '        topicsOption = parser.accepts("topics", "List of topics")'
    said = '        System.out.println("topicsOption is deprecated and will be removed soon");'
    head = "public class Tool {\n    void run() {\n"
    old, new = (f"{head}{made};\n{line}    }}\n}}\n" for line in ("", f"{said}\n"))
    facts = facts_of("Deprecate it", ("tools/src/main/java/a/Tool.java", old, new))
    assert [f.name for f in facts.of(FactKind.DEPRECATION)] == ["--topics"]


def test_decorator_that_deprecates_an_option_is_a_mark() -> None:
    old = '@click.option("--show/--no-show", default=False)\ndef main(show):\n    pass\n'
    for new in (
        old.replace("@click.option(", "@deprecated_option("),
        old.replace(
            "@click.option(", "@deprecated_option(  # type: ignore[untyped-decorator]\n    "
        ),
    ):
        facts = facts_of("Deprecations in the command line", ("shop/cli.py", old, new))
        assert [f.name for f in facts.of(FactKind.DEPRECATION, Action.ADDED)] == ["--show"]


@pytest.mark.parametrize(
    ("now", "name"), [("pool.readers.Reader", "pool.old.Reader"), ("pool.old.Cards", "Reader")]
)
def test_thing_that_only_moved_is_deprecated_at_its_old_place(now, name):
    new = (
        "def __getattr__(name):\n    warnings.warn(\n"
        f'        "`pool.old.Reader` has been moved to "\n        "`{now}`. "\n'
        '        "The old name will be removed in v2.0.",\n        DeprecationWarning,\n    )\n'
    )
    assert [one.split()[1] for one in added("src/pool/old/__init__.py", new)] == [name]


def test_import_that_is_deprecated_is_named_with_its_module():
    new = (
        "def __getattr__(name):\n    warnings.warn(\n"
        '        "Importing `cards` from `pool.old` is deprecated;"\n'
        '        " use `pool.cards` directly.",\n        DeprecationWarning,\n    )\n'
    )
    assert [one.split()[1] for one in added("src/pool/old.py", new)] == ["pool.old.cards"]


def test_macro_that_marks_what_is_deprecated_marks_nothing_itself():
    mark = '__attribute__((deprecated("It will be removed in a future version.")))'
    for define in (f"#define POOL_OLD \\\n\t{mark}\n", f"#define POOL_OLD {mark}\n"):
        text = f"{define}#define POOL_NEW\n\ntypedef struct _page {{\n\tint a;\n}} page;\n"
        assert added("include/pool.h", text) == []


def test_thing_with_a_deprecated_name_replaces_it():
    for word in ("alias for", "alias of"):
        text = f"// `options.kind` is a deprecated {word} `options.sort`\nread(options)\n"
        (fact,) = find(scene("pool.js", "", text))
        assert (fact.name, fact.replacement) == ("options.kind", "options.sort")


def test_call_around_an_old_line_deprecates_the_name_on_it():
    old = """VARS = {
    "APP_POOL": choose(
        "APP_POOL",
        "latency",
    ),
}
"""
    new = old.replace("choose(", "deprecated_env(").replace(
        '        "latency",\n    ),\n',
        '        "v0.23",\n        "Use --pool-backend.",\n'
        '        choose("APP_POOL", "latency"),\n    ),\n',
    )
    (fact,) = facts_of("Deprecate it", ("app/envs.py", old, new)).of(FactKind.DEPRECATION)
    assert (fact.name, fact.replacement, fact.when) == ("APP_POOL", "--pool-backend", "v0.23")
