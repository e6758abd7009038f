"""Facts settled against whole trees, with git: a name that lives on elsewhere is not removed."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from bot.git.open_source import open_source
from digest.core.facts import Action, Fact, FactKind
from digest.facts.extract import extract, wanted_blobs
from handlers.digests.tree_facts import settle
from tests.support.builders import RepositoryBuilder

Tree = Mapping[str, str | None]


@pytest.fixture
def builder(tmp_path: Path) -> RepositoryBuilder:
    return RepositoryBuilder(tmp_path / "project")


async def told(builder: RepositoryBuilder, *trees: Tree) -> list[tuple[Fact, ...]]:
    """The facts of each tree's commit, oldest first; the trees are differences."""
    names = [builder.commit(f"Step {n}", dict(tree)) for n, tree in enumerate(trees)]
    source = (await open_source(str(builder.path), builder.path.parent / "data"))[1]
    tip = await source.tip()
    changes = [c async for batch in source.changes(tip, names[::-1]) for c in batch]
    texts = await source.texts([b for change in changes for b in wanted_blobs(change)])
    facts = await settle(source, changes, [extract(change, texts) for change in changes])
    return [f.items for f in reversed(facts)]


def seen(items: tuple[Fact, ...], kind: FactKind) -> list[tuple[str, str, str]]:
    return [(i.action.value, i.name, i.detail) for i in items if i.kind is kind]


SERVER = 'app.add_api_route("/health", health, methods=["GET"])\n'


async def test_route_that_another_server_still_serves_is_moved(builder) -> None:
    _, items = await told(
        builder,
        {"proxy/app.py": f"{SERVER}app.go()\n", "server/app.py": SERVER},
        {"proxy/app.py": "app.go()\n"},
    )
    assert seen(items, FactKind.ROUTE) == [("changed", "GET /health", "moved")]
    assert (items[0].before, items[0].after) == ("proxy/app.py", "server/app.py")


async def test_route_that_nobody_else_serves_is_removed(builder) -> None:
    _, items = await told(
        builder,
        {"proxy/app.py": f"{SERVER}app.go()\n", "tests/test_app.py": SERVER, "docs/a.md": SERVER},
        {"proxy/app.py": "app.go()\n"},
    )
    assert seen(items, FactKind.ROUTE) == [("removed", "GET /health", "")]


async def test_variable_that_is_read_in_one_file_less_is_no_fact(builder) -> None:
    read = 'import os\nstart = os.environ.get("APP_START_METHOD")\n'
    _, items = await told(
        builder,
        {"a.py": read + "go(start)\n", "b.py": read},
        {"a.py": "go()\n"},
    )
    assert items == ()


async def test_variable_that_is_read_in_one_file_more_is_not_new(builder) -> None:
    read = 'import os\nstart = os.environ.get("APP_START_METHOD")\n'
    _, items = await told(builder, {"b.py": read}, {"a.py": read})
    assert items == ()


async def test_variable_that_its_last_reader_drops_is_removed(builder) -> None:
    read = 'import os\nstart = os.environ.get("APP_START_METHOD")\n'
    _, _, items = await told(
        builder,
        {"a.py": read + "go(start)\n", "b.py": read},
        {"b.py": None},
        {"a.py": "go()\n"},
    )
    assert seen(items, FactKind.ENVIRONMENT) == [("removed", "APP_START_METHOD", "read")]


METRIC = 'accepted = Counter("app:tokens_accepted_total", "Accepted tokens.")\n'


async def test_metric_that_another_file_makes_without_its_ending_stays(builder) -> None:
    _, items = await told(
        builder,
        {
            "a/metrics.py": METRIC + "go()\n",
            "b/metrics.rs": 'let m = family("app:tokens_accepted", "Accepted tokens.");\n',
        },
        {"a/metrics.py": "go()\n"},
    )
    assert items == ()


async def test_metric_that_is_made_nowhere_else_is_removed(builder) -> None:
    _, items = await told(
        builder,
        {"a/metrics.py": METRIC + "go()\n", "b/other.py": "tokens_accepted_total_seen = 1\n"},
        {"a/metrics.py": "go()\n"},
    )
    assert seen(items, FactKind.METRIC) == [("removed", "app:tokens_accepted_total", "")]


FLAG = 'parser.add_argument("--output-tmp-dir", default=None)\n'


async def test_flag_that_is_made_of_a_field_now_is_no_fact(builder) -> None:
    _, items = await told(
        builder,
        {"run.py": f"def use(\n    output_tmp_dir: str,\n): ...\n{FLAG}"},
        {
            "run.py": "def use(\n    output_tmp_dir: str,\n): ...\n"
            "class RunArgs:\n    output_tmp_dir: str | None = None\n"
        },
    )
    assert seen(items, FactKind.FLAG) == []


async def test_flag_that_a_class_of_arguments_elsewhere_defines_is_moved(builder) -> None:
    _, items = await told(
        builder,
        {
            "run.py": FLAG + "go()\n",
            "args.py": "class FrontendArgs:\n    output_tmp_dir: str = ''\n",
        },
        {"run.py": "go()\n"},
    )
    assert seen(items, FactKind.FLAG) == [("changed", "--output-tmp-dir", "moved")]


async def test_flag_and_route_that_another_program_has_are_new_in_their_file_alone(builder) -> None:
    _, items = await told(
        builder,
        {
            "a.py": "go()\n",
            "b/cli.py": FLAG,
            "b/server.py": SERVER,
            "tests/cli.py": '"--cache-dir"\n',
        },
        {"a.py": f"{FLAG}{FLAG.replace('output-tmp', 'cache')}{SERVER}go()\n"},
    )
    known = {i.name: i.elsewhere for i in items if i.action is Action.ADDED}
    assert known == {
        "--output-tmp-dir": "b/cli.py",
        "--cache-dir": None,
        "GET /health": "b/server.py",
    }


async def test_new_flag_that_its_own_change_takes_from_another_file_is_not_known(builder) -> None:
    field = "class FrontendArgs:\n    output_tmp_dir: str = ''\n"
    _, items = await told(
        builder,
        {"a.py": "go()\n", "args.py": field},
        {"a.py": f"{FLAG}go()\n", "args.py": "class FrontendArgs:\n    size: int = 1\n"},
    )
    (flag,) = [i for i in items if i.kind is FactKind.FLAG]
    assert (flag.action, flag.elsewhere) == (Action.ADDED, None)


async def test_flag_that_only_a_comment_names_is_removed(builder) -> None:
    gone = 'group.add_argument("--device", **kwargs["device"], deprecated=True)\n'
    _, items = await told(
        builder,
        {
            "args.py": gone + "# add new kinds to the --device flag\n",
            "config.py": "class DeviceConfig:\n    device: str = 'auto'\n",
        },
        {"args.py": "# add new kinds to the --device flag\n"},
    )
    assert seen(items, FactKind.FLAG) == [("removed", "--device", "")]


async def test_flag_that_starts_like_another_is_removed(builder) -> None:
    kept = 'a.Flag("storage.retention.time", "How long to keep samples.").StringVar(&b)\n'
    gone = 'a.Flag("storage.retention", "Deprecated.").StringVar(&c)\n'
    head = "package main\n\nfunc main() {\n"
    _, items = await told(
        builder,
        {"cmd/main.go": f"{head}{kept}{gone}}}\n"},
        {"cmd/main.go": f"{head}{kept}}}\n"},
    )
    assert seen(items, FactKind.FLAG) == [("removed", "--storage.retention", "")]


async def test_name_is_looked_up_in_the_tree_of_its_own_commit(builder) -> None:
    """A later change may bring the name back, or take its other place as well."""
    _, gone, _, back = await told(
        builder,
        {"a.py": FLAG + "go()\n"},
        {"a.py": "go()\n"},
        {"b.py": "stop()\n"},
        {"b.py": FLAG + "stop()\n"},
    )
    assert seen(gone, FactKind.FLAG) == [("removed", "--output-tmp-dir", "")]
    assert seen(back, FactKind.FLAG) == [("added", "--output-tmp-dir", "")]
    assert back[0].elsewhere is None


async def test_name_that_a_newer_change_takes_from_the_tree_still_stood_before_it(builder) -> None:
    _, first, second = await told(
        builder,
        {"a.py": FLAG + "go()\n", "b.py": FLAG + "stop()\n"},
        {"a.py": "go()\n"},
        {"b.py": "stop()\n"},
    )
    assert seen(first, FactKind.FLAG) == [("changed", "--output-tmp-dir", "moved")]
    assert seen(second, FactKind.FLAG) == [("removed", "--output-tmp-dir", "")]


async def test_field_of_a_class_that_is_defined_twice_is_moved(builder) -> None:
    head = "@dataclass\nclass CacheConfig:\n    size: int = 1\n"
    config = f"{head}    kind: str = 'a'\n"
    _, items = await told(
        builder,
        {"a/config.py": config, "b/config.py": config},
        {"a/config.py": head},
    )
    assert seen(items, FactKind.CONFIG) == [("changed", "CacheConfig.kind", "moved")]


async def test_without_the_tree_a_fact_holds_for_its_file(builder, monkeypatch) -> None:
    async def absent(*_: object) -> None:
        return None

    monkeypatch.setattr("bot.git.git_source.GitSource.mentions", absent)
    _, items = await told(builder, {"a.py": FLAG + "go()\n"}, {"a.py": "go()\n"})
    assert [(i.name, i.action, i.in_file) for i in items] == [
        ("--output-tmp-dir", Action.REMOVED, True)
    ]


async def test_words_that_look_like_options_or_patterns_are_only_searched_for(builder) -> None:
    builder.commit("Start", {"a.py": "x = '--output=/etc/passwd (a|b)*'\n"})
    source = (await open_source(str(builder.path), builder.path.parent / "data"))[1]
    tip = await source.tip()
    words = ["--output=/etc/passwd", "(a|b)*", "-f", "a\nb", "a.y"]
    found = await source.mentions(tip.sha, words)
    assert found is not None
    assert {w: sorted(p) for w, p in found.items() if p} == {
        "--output=/etc/passwd": ["a.py"],
        "(a|b)*": ["a.py"],
    }


async def test_absent_file_leaves_the_others_readable(builder) -> None:
    sha = builder.commit("Start", {"a.py": "x\n", "b.py": "y\n"})
    source = (await open_source(str(builder.path), builder.path.parent / "data"))[1]
    places = [(sha, "a.py"), (sha, "c.py"), (sha, "b\nc"), (sha, "b.py")]
    assert await source.contents(places) == {(sha, "a.py"): "x\n", (sha, "b.py"): "y\n"}


POOL = "class TaskPool:\n    def start(self):\n        return 1\n"


async def test_class_is_removed_where_another_of_its_name_was_there_before(builder) -> None:
    _, items = await told(
        builder,
        {"app/threads.py": POOL, "app/eventlet.py": POOL.replace("1", "2"), "app/x.py": "y = 1\n"},
        {"app/threads.py": None},
    )
    assert seen(items, FactKind.SYMBOL) == [
        ("removed", "TaskPool", "class"),
        ("removed", "app.threads", "module"),
    ]


async def test_export_of_an_index_is_removed_although_an_inner_file_keeps_the_name(builder) -> None:
    inner = "export interface Descriptor {\n  name: string;\n}\n"
    index = "export { Sum } from './sum';\n"
    _, items = await told(
        builder,
        {
            "pkg/package.json": '{"name": "pkg"}\n',
            "pkg/src/index.ts": f"{index}export type Descriptor = MetricDescriptor;\n",
            "pkg/src/Descriptor.ts": inner,
        },
        {"pkg/src/index.ts": index, "pkg/src/Descriptor.ts": inner.replace("string", "number")},
    )
    gone = [i for i in items if i.action is Action.REMOVED]
    assert [(i.name, i.evidence.path) for i in gone] == [("Descriptor", "pkg/src/index.ts")]


@pytest.mark.parametrize(
    ("path", "text", "public"),
    [
        (
            "app/config/cache.py",
            "class CacheConfig(BaseModel):\n    size: int = 1\n    x: int = 1\n",
            True,
        ),
        (
            "app/executor/layers/moe/config.py",
            "class MoEConfig(BaseModel):\n    size: int = 1\n    x: int = 1\n",
            False,
        ),
        (
            "cmd/server/config.go",
            'package server\n\ntype Config struct {\n\tSize int `yaml:"size"`\n\tX int `yaml:"x"`\n}\n',
            None,
        ),
    ],
)
async def test_settings_are_public_where_users_set_them(builder, path, text, public) -> None:
    lines = [line for line in text.splitlines(keepends=True) if "size" not in line]
    _, items = await told(
        builder,
        {"app/__init__.py": "from app.main import run\n", path: text},
        {path: "".join(lines)},
    )
    assert [i.public for i in items if i.kind is FactKind.CONFIG] == [public]


async def test_internal_type_that_is_exported_under_another_name_is_new(builder) -> None:
    keys = "export type ShortcutsOptions = {\n  print?: boolean\n  custom?: string[]\n}\n"
    index = "export type { Server } from './server'\n"
    _, items = await told(
        builder,
        {"package.json": "{}", "src/node/index.ts": index, "src/node/keys.ts": keys},
        {
            "src/node/index.ts": f"{index}export type {{ CliOptions }} from './keys'\n",
            "src/node/keys.ts": keys.replace("ShortcutsOptions", "CliOptions"),
        },
    )
    assert [(i.action, i.name, i.before) for i in items if i.kind is FactKind.SYMBOL] == [
        (Action.ADDED, "CliOptions", None)
    ]


async def test_rust_setting_that_another_structure_reads_is_moved(builder) -> None:
    head = '#[derive(Deserialize, OptionsMetadata)]\n#[serde(rename_all = "kebab-case")]\npub struct {} {{\n'
    field = "    pub extra_build_variables: Option<Variables>,\n"
    other = "    pub other: Option<bool>,\n}\n"
    tool = head.format("ToolOptions")
    _, items = await told(
        builder,
        {
            "src/tool_options.rs": tool + field + other,
            "src/settings.rs": head.format("ResolverOptions") + field + other,
        },
        {"src/tool_options.rs": tool + other},
    )
    assert [(i.action, i.detail) for i in items] == [(Action.CHANGED, "moved")]


async def test_flag_that_another_parser_takes_is_moved_though_many_files_have_its_word(
    builder,
) -> None:
    flag = '    Arg::new("config")\n        .long("config")\n        .help("The file");\n'
    uses = {f"cli/tools/t{n}.rs": f'let x{n} = args.get("config");\n' for n in range(40)}
    old = f"use clap::Arg;\n\nfn parser() {{\n{flag}}}\n"
    _, items = await told(
        builder,
        {"cli/args.rs": old, "libs/parser/defs.rs": f"fn defs() {{\n{flag}}}\n", **uses},
        {"cli/args.rs": "fn parser() {\n}\n"},
    )
    assert seen(items, FactKind.FLAG) == [("changed", "--config", "moved")]


async def test_flags_that_a_function_of_the_project_declares_elsewhere_are_moved(builder) -> None:
    old = 'parser.add_argument("--output", "-o")\nparser.add_argument("--tz")\n'
    gone = 'parser.add_argument("--at", "-a")\n'
    new = '_output = _option("--output -o FILE", "Where to.")\n_zone = _option("--tz ZONE", "Zone.")\n'
    _, items = await told(
        builder,
        {"cli/old.py": f"{old}{gone}go()\n"},
        {"cli/old.py": "go()\n", "cli/commands.py": new},
    )
    assert {f.name for f in items if f.detail == "moved"} == {"--output", "-o", "--tz"}
    assert {f.name for f in items if f.action is Action.REMOVED} == {"--at", "-a"}


async def test_flags_to_which_another_file_adds_their_beginning_are_moved(builder) -> None:
    file = "package pools\n\nfunc (c *Config) {}(f *flag.FlagSet{}) {{\n{}}}\n"
    flag = '\tf.IntVar(&c.Most, {}most-of-cards", 0, "Most cards.")\n'
    gone = '\tf.IntVar(&c.Least, "pool.least-of-cards", 0, "Fewest cards.")\n'
    old = file.format("RegisterFlags", "", flag.format('"pool.') + gone)
    new = file.format("RegisterWithPrefix", ", prefix string", flag.format('prefix+"'))
    _, items = await told(
        builder,
        {"pools/pool.go": old},
        {"pools/pool.go": file.format("RegisterFlags", "", ""), "pools/limits.go": new},
    )
    assert seen(items, FactKind.FLAG) == [
        ("changed", "-pool.most-of-cards", "moved"),
        ("removed", "-pool.least-of-cards", ""),
    ]


async def test_field_that_a_base_in_another_file_gets_is_moved(builder) -> None:
    head = "from dataclasses import dataclass\n\n\n@dataclass\nclass "
    own = f"{head}ServerConfig(Base):\n    port: int = 1\n"
    base = f"{head}Base:\n    name: str = ''\n"
    field = "    endpoint: str = ''\n"
    _, items = await told(
        builder,
        {"shop/config.py": own + field, "shop/base.py": base},
        {"shop/config.py": own, "shop/base.py": base + field},
    )
    assert ("removed", "ServerConfig.endpoint", "field") not in seen(items, FactKind.CONFIG)


@pytest.mark.parametrize(("days", "marked"), [(0, True), (59, True), (61, False)])
async def test_variable_that_no_release_had_is_marked_if_there_are_recent_ones(
    builder, days, marked
) -> None:
    read = 'import os\nstart = os.environ.get("APP_START_METHOD")\n'
    flag = 'parser.add_argument("--fast")\n'
    builder.commit("First", {"a.py": "go()\n", "b.py": flag})
    builder.git("tag", "v1.0.0")
    builder.clock += timedelta(days=days)
    _, _, items = await told(
        builder, {"a.py": read}, {"c.py": "go()\n"}, {"a.py": "go()\n", "b.py": "go()\n"}
    )
    assert {i.name: i.unreleased for i in items} == {"APP_START_METHOD": marked, "--fast": False}
