"""Clues: words and values beside what a change touches."""

from __future__ import annotations

import pytest

from digest.core.change import Side
from digest.core.facts import Action, ClueKind, FactKind
from digest.facts.clues import is_titled
from digest.facts.help_text import beside, clean
from tests.support import samples
from tests.unit.digest.facts.changes import facts_of


def clues(kind, *files, message="Change it"):
    return [c for c in facts_of(message, *files).clues if c.kind is kind]


PYTHON = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument(
    "--old",
    help="The old way.",
)
"""


def test_help_of_a_new_flag_is_found_beside_it():
    new = PYTHON + (
        'parser.add_argument(\n    "--depth",\n    type=int,\n    default=4,\n'
        '    help="How many batches are prepared "\n    "ahead of the model.",\n)\n'
    )
    (clue,) = clues(ClueKind.HELP, ("app/cli.py", PYTHON, new))
    assert clue.name == "--depth"
    assert clue.text == "How many batches are prepared ahead of the model."
    assert clue.evidence.line == 8


ENTRY = '    "{0}": lambda: os.getenv("{0}"),\n'


def test_comment_that_stood_above_another_thing_says_nothing_of_a_new_one():
    head, above, own = (
        "variables = {\n",
        "    # Turns all kernels off.\n",
        "    # Unpacks at load.\n",
    )
    old = f"{head}{above}{ENTRY.format('APP_KERNELS')}}}\n"
    for added, text in ((own, "Unpacks weights at load."), ("", None)):
        between = added.replace("Unpacks", "Unpacks weights") + ENTRY.format("APP_UNPACK")
        new = f"{head}{above}{between}{ENTRY.format('APP_KERNELS')}}}\n"
        found = clues(ClueKind.HELP, ("app/envs.py", old, new))
        assert [(c.name, c.text) for c in found] == ([("APP_UNPACK", text)] if text else [])


def test_long_comment_is_read_from_its_first_line():
    rest = "".join(f"\t// Line {n} tells some more of it.\n" for n in range(20))
    read = f'\t// Replaces the base address of all downloads.\n\t//\n{rest}\tm := os.Getenv("APP_MIRROR")\n'
    texts = ("package a\n\nfunc f() {\n}\n", f"package a\n\nfunc f() {{\n{read}}}\n")
    (clue,) = clues(ClueKind.HELP, ("app/main.go", *texts))
    assert clue.text.startswith("Replaces the base address of all downloads.")


@pytest.mark.parametrize(
    ("path", "owner", "names"),
    [
        ("app/api/protocol.py", "ChatRequest", ["ChatRequest.skip"]),
        ("app/api/protocol.py", "UsageInfo", ["UsageInfo.skip"]),
        ("app/api/state.py", "ChatState", []),
        ("app/worker.py", "ChatRequest", []),
    ],
)
def test_words_beside_a_field_are_read_where_clients_send_it(path, owner, names):
    old = f"class {owner}(BaseModel):\n    model: str\n"
    new = (
        old
        + '    skip: int = Field(\n        0, description="Leaves out the first tokens."\n    )\n'
    )
    assert [c.name for c in clues(ClueKind.HELP, (path, old, new))] == names


@pytest.mark.parametrize(
    ("lines", "row", "text"),
    [
        (["# Waits for the peer before it gives up.", "WAIT = 3"], 1, "Waits for the peer"),
        (["/// Sets the size of the pool.", "#[arg(long)]", "size: u8,"], 2, "Sets the size"),
        (["x: int = 3", '"""How often it is tried again."""'], 0, "How often it is tried"),
        (
            [
                "x: int = 3",
                '"""How often it is',
                "    tried before it fails.",
                '    """',
                "y: int = 4",
            ],
            0,
            "How often it is tried before it fails.",
        ),
        (['app.Flag("path", "Path that is written to.")'], 0, "Path that is written to."),
        (["/// Sets the size of a pool.", "///", "/// Only on Unix.", "X = 1"], 3, "Sets the size"),
        (["# Sizes of all the pools", "#", "# How many wait here.", "X = 1"], 3, "How many wait"),
        (['case "a":', "\tfast = true", 'case "b":', '\tlog("The other way is on.")'], 0, ""),
        (['fail("--fast cannot be used with --slow.")'], 0, "--fast cannot be used"),
        (["# -- Waits for the peer first. --", "WAIT = 3"], 1, "Waits for the peer first."),
        (["a: 1", "b: 2  # noqa"], 1, ""),
        (["# TODO make this go away soon", "X = 1"], 1, ""),
        (["first = 1", "", "second = 2"], 2, ""),
        (["# [Trust in a folder]: https://example.org/docs/trust", "trust: bool = True"], 1, ""),
    ],
)
def test_text_beside_a_line(lines, row, text):
    found = beside(lines, row)
    assert found.startswith(text) if text else found == ""


def test_entry_of_a_neighbour_is_not_taken():
    lines = ['    "A": lambda: 1,', "    # Says what B is about.", '    "B": lambda: 2,']
    assert beside(lines, 0) == ""
    assert beside(lines, 2) == "Says what B is about."


def test_note_that_help_adds_and_addresses_of_links_are_taken_off():
    assert clean("Do not install the project [env: APP_SKIP=] By default, it is installed.") == (
        "Do not install the project. By default, it is installed."
    )
    assert clean("It builds a [Pool][app.pool.Pool] object and is done.") == (
        "It builds a Pool object and is done."
    )
    assert clean("Set the [link mode](../reference.md#mode) to copy and be done.") == (
        "Set the link mode to copy and be done."
    )


def test_tags_of_a_structure_are_no_words_beside_it():
    assert not clean('json:"size,omitempty" toml:"size,omitempty" yaml:"size,omitempty"')


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("docs/pool.md", ["To set how many workers run, use `--pool-size` in the file."]),
        ("docs/pool.yml", []),
    ],
)
def test_sentence_of_a_page_is_read_without_the_title_of_its_box(path, found):
    base = "import argparse\np = argparse.ArgumentParser()\n"
    flag = ("app/cli.py", base, base + 'p.add_argument("--pool-size", type=int)\n')
    text = 'Intro.\n\n!!! note "Not enabled"\n    To set how many workers run,\n'
    text += "    use `--pool-size` in\n    the file.\n"
    told = clues(ClueKind.DOCS, flag, (path, "Intro.\n", text))
    assert [clue.text for clue in told] == found


@pytest.mark.parametrize(
    ("name", "told"),
    [("ages", ["The ages of all pages are read."]), ("age", []), ("limit", []), ("able", [])],
)
def test_sentence_of_a_page_has_the_name_as_a_whole_word_of_some_length(name, told):
    old = "@dataclass\nclass PoolConfig:\n    size: int = 1\n"
    text = "Pages are readable, of any age. The ages of all pages are read. Set the time-limit.\n"
    page = ("docs/pool.md", "Intro.\n", f"Intro.\n\n{text}")
    found = clues(ClueKind.DOCS, ("app/pool.py", old, f"{old}    {name}: int = 2\n"), page)
    assert [clue.text for clue in found] == told


def test_description_ends_before_the_heading_of_its_next_part():
    lines = ["/// Repeats a name some times.", "///", "/// # Panics", "/// When it is long."]
    told = beside([*lines, "pub fn repeat(n: usize) {}"], len(lines), code=True)
    assert told == "Repeats a name some times."
    lines = ["/// Repeats a name", "///", "/// See `once` for the other one."]
    told = beside([*lines, "pub fn repeat(n: usize) {}"], len(lines), code=True)
    assert told == "Repeats a name. See `once` for the other one."


def test_part_of_a_text_that_a_program_fills_in_is_not_read():
    assert clean("nocli|description=List of trackers of series.") == "List of trackers of series."
    linked = "Changes how pools are set - ([guide](https://example.org/v6/#pools))"
    assert clean(linked) == "Changes how pools are set"
    assert (
        clean("Scheme for the names of pools, values are: %s.") == "Scheme for the names of pools"
    )


def test_marks_of_documentation_are_taken_off():
    assert clean("Uses :class:`Pool` and ``size`` always. ") == "Uses `Pool` and `size` always."


def test_value_that_changes_alone_on_its_line_is_told():
    old, new = "def f():\n    limit = 75\n", "def f():\n    limit = 80\n"
    (clue,) = clues(ClueKind.LITERAL, ("app/a.py", old, new))
    assert (clue.name, clue.before, clue.after) == ("limit", "75", "80")
    assert clues(ClueKind.LITERAL, ("app/a.py", old, "def f():\n    other = 80\n")) == []
    pair = "a = F(\n    id=2,\n)\nb = F(\n    id=4,\n)\n"
    assert clues(ClueKind.LITERAL, ("app/a.py", pair, pair.replace("4", "3"))) != []
    other = pair.replace("4", "3").replace("2", "1")
    assert clues(ClueKind.LITERAL, ("app/a.py", pair, other)) == []
    assert clues(ClueKind.LITERAL, ("docs/a.md", "limit = 75", "limit = 80")) == []


def test_new_error_is_found_and_a_reworded_one_is_not():
    base = "def f(x):\n    pass\n"
    raised = 'def f(x):\n    raise ValueError(f"depth must be below {x}")\n'
    (clue,) = clues(ClueKind.REFUSED, ("app/a.py", base, raised))
    assert clue.text == "depth must be below {x}"
    asserted = raised.replace("ValueError", "AssertionError")
    assert clues(ClueKind.REFUSED, ("app/a.py", base, asserted)) == []
    again = raised.replace("must be", "has to be")
    assert clues(ClueKind.REFUSED, ("app/a.py", raised, again)) == []


@pytest.mark.parametrize(
    "line",
    [
        "x = " + "'a' " * 4000,
        "raise E(" * 3000,
        '"' * 9000,
        "# " * 9000,
        "a: 1, " * 3000,
        "((" * 4000,
    ],
)
def test_endless_lines_are_read_at_once(line):
    facts_of("Change it", ("app/a.py", "x = 1\n", f"{line}\n"), ("docs/a.md", "", f"{line}\n"))


WHY = (
    "# Two batches cannot share a graph, because the graph keeps the addresses of the\n"
    "# first batch for as long as it lives.\n"
)


@pytest.mark.parametrize(
    ("path", "added", "found"),
    [
        ("app/pool.py", WHY, True),
        ("docs/pool.md", WHY.replace("# ", ""), True),
        ("tests/test_pool.py", WHY, False),
        ("app/pool.py", WHY.replace("# Two", "# This says that two"), False),
        (
            "app/pool.py",
            "# Capture the graph of the batch and keep it for the next steps.\n",
            False,
        ),
        ("app/pool.py", WHY.replace("graph", "stream").replace("batch", "step"), False),
    ],
)
def test_new_comment_about_the_title_that_says_why_is_a_remark(path, added, found):
    old = "x = 1\n"
    file = (path, old, old + added + "\ny = 2\n")
    remarks = clues(ClueKind.REMARK, file, message="Capture a graph per batch")
    sentence = " ".join(WHY.replace("# ", "").split())
    assert [(r.text, r.evidence.line) for r in remarks] == ([(sentence, 2)] if found else [])


def test_no_comment_is_about_a_title_without_words_of_content():
    page = ("docs/pool.md", "# Pool\n", "# Pool\n\n" + WHY.replace("# ", ""))
    assert not clues(ClueKind.REMARK, page, message="Fix it")


def test_comment_that_only_moved_is_no_remark():
    old = "x = 1\n" + WHY + "y = 2\n"
    new = WHY + "x = 1\ny = 2\n"
    assert not clues(ClueKind.REMARK, ("a.py", old, new), message="Capture a graph per batch")


METHOD = '''\
class Pool:
    size: int = 1

    def discard(
        self,
        tags: tuple[str, ...],
    ) -> None:
        """
        Discard what is mapped, without a copy on the host.

        More words.
        """
        self.size = 0
'''


def test_docstring_of_a_method_is_read_if_the_title_names_it_or_few_are_new():
    old = METHOD.partition("    def")[0]
    more = METHOD + "".join(f"\n    def run_{n}(self):\n        pass\n" for n in range(3))
    for title, text, names in [
        ("Add Pool.discard()", more, ["Pool.discard"]),
        ("Release by tag", METHOD, ["Pool.discard"]),
        ("Release by tag", more, []),
    ]:
        found = clues(ClueKind.HELP, ("app/pool.py", old, text), message=title)
        assert [c.name for c in found] == names
        assert all(c.text == "Discard what is mapped, without a copy on the host." for c in found)


def test_described_values_and_items_are_told_apart():
    text = "What is done with lost blocks.\n'a': they are computed again\n- more\n'b': they fail"
    assert clean(text) == (
        "What is done with lost blocks. 'a': they are computed again; more; 'b': they fail"
    )


def test_description_of_a_route_in_keys_and_values_is_no_prose():
    text = "parameters:\n    - in: header\n      name: Session-Id\n      required: true\n"
    assert clean(text) == ""
    assert clean("Note: use this where a pool may be shared.")


def test_links_to_other_code_are_read_as_code():
    assert clean("Converts the [`GitRef`] to a [Pool] of refs.") == (
        "Converts the `GitRef` to a `Pool` of refs."
    )


def test_bold_words_of_documentation_are_read_without_their_marks():
    line = "- **Offloading of blocks**: blocks of the cache move to the memory of the host if it is full.\n"
    (clue,) = clues(
        ClueKind.REMARK,
        ("docs/a.md", "# A\n", f"# A\n\n{line}"),
        message="Add offloading of blocks",
    )
    assert clue.text.startswith("Offloading of blocks: blocks of the cache move")


def test_keys_that_a_registry_gains_and_loses_are_found_with_their_tables():
    old = (
        '_TEXT_MODELS = {\n    # those of text\n    "OldModel": ("old", "OldModel"),\n'
        '    "KeptModel": ("a", "KeptModel"),\n}\n\n_PAST_MODELS = {\n    "WornModel": "0.1",\n}\n'
    )
    new = old.replace('    "OldModel": ("old", "OldModel"),\n', "").replace('("a",', '("b",')
    new = new.replace('    "WornModel"', '    "OldModel": "0.2",\n    "WornModel"')
    found = clues(ClueKind.REGISTERED, ("app/models/registry.py", old, new))
    assert [(c.name, c.text, c.evidence.side) for c in found] == [
        ("OldModel", "_TEXT_MODELS", Side.OLD),
        ("OldModel", "_PAST_MODELS", Side.NEW),
    ]
    assert clues(ClueKind.REGISTERED, ("app/models/table.py", old, new)) == []


GO = """\
package pool

// NewWorkerPool makes a [Pool] of workers for requests of one kind.
func NewWorkerPool() *Pool {
\treturn &Pool{Help: "Workers of the pool that are there."}
}
"""


@pytest.mark.parametrize(
    ("title", "text", "found"),
    [
        ("Add a pool", GO + "".join(f"\nfunc Run{n}() {{\n}}\n" for n in range(3)), []),
        (
            "Add a pool of workers",
            GO,
            ["NewWorkerPool makes a `Pool` of workers for requests of one kind."],
        ),
        (
            "Add a pool of workers",
            GO.replace("// New", "//\n\n// New").replace("kind.", "kind.\n"),
            [],
        ),
    ],
)
def test_comment_above_a_function_is_read_if_its_name_shares_words_with_the_title(
    title, text, found
):
    new = ("pool/pool.go", "package pool\n", text)
    assert [c.text for c in clues(ClueKind.HELP, new, message=title)] == found


def test_help_of_the_next_call_is_not_that_of_a_flag():
    lines = [
        'f.BoolVar(&c.On, "app.on", false, "Enable it.")',
        'f.IntVar(&c.Trials, "app.trials", 1, "The number of permitted trials while half open.")',
    ]
    assert beside(lines, 0) == ""
    assert beside(lines, 1) == "The number of permitted trials while half open."


def test_comment_of_the_next_field_is_no_help_of_the_one_above_it():
    lines = [
        "    pub unit: Unit,",
        "    /// So `plugin add of_an_example` will work.",
        "    pub b: B,",
    ]
    assert beside(lines, 0) == ""


def test_help_in_a_block_of_text_is_read_from_its_first_word():
    lines = [
        "    enabled: Annotated[",
        "        bool,",
        "        Field(",
        "            description=inspect.cleandoc(",
        '                """',
        "                Whether the shop's own tracing is active.",
    ]
    assert beside(lines, 0) == "Whether the shop's own tracing is active."


def test_text_that_a_program_computes_is_no_help():
    lines = [
        "  config.depth = config.depth ?? 1",
        "  config.file = `${typeof cwd === 'function' ? cwd() : ''} is the place of all of them`",
    ]
    assert beside(lines, 0) == ""


@pytest.mark.parametrize(
    ("name", "title", "said"),
    [
        ("app.pool", "Add a pool", False),
        ("app.pool", "Add `pool`", True),
        ("app.pool", "Add pool()", True),
        ("app.pool", "Add app.pool", True),
        ("app.WorkerPool", "Add WorkerPool", True),
        ("app.worker_pool", "Add worker_pool", True),
        ("app.worker_pool", "Add a worker pool", False),
        ("app.worker_pool", "Add my_worker_pool", False),
        ("app.Add", "Add a pool", False),
        ("app.Pool", "[Pool] Wait for a worker", False),
        ("app.Pool", "fix: Pool of workers", False),
        ("app.Pool", "Add a Pool of workers", True),
        ("app.HTTPPool", "HTTPPool of workers", True),
        ("pool", "Add a pool", False),
        ("pool.run", "Call run in pool.runner", False),
    ],
)
def test_new_function_is_one_of_the_title_where_it_is_spelled_as_code(name, title, said):
    new = samples.fact(
        FactKind.SYMBOL, Action.ADDED, name, samples.at("a.py", 1), detail="function"
    )
    assert is_titled(new, title) is said
