"""How a name of the code stands, and what made it so."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from digest.core.change import FileStatus
from digest.markdown import markdown
from digest.question.commit_range import Refs
from digest.question.intent import Changed, Touched
from digest.question.parser import parse
from handlers.questions import symbol_history
from handlers.questions.changed import list_changes
from handlers.questions.symbol_history import name_history
from handlers.router import ask
from tests.support.fakes import FakeSource, change, context
from tests.unit.digest.facts import changes

NOW = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)

CHANGES = [
    change("aaaaaaa1", "Speed up the loader (#19)", {"src/app.py": 5}, NOW - timedelta(days=1)),
    change("bbbbbbb2", "tsdb: stabilize the XOR2 float encoding (#18)", at=NOW - timedelta(days=2)),
    change(
        "ccccccc3", "Rename `server.hmr` options to `server.ws` (#17)", at=NOW - timedelta(days=200)
    ),
    change("ddddddd4", "Replace diskcache (#16)", {"src/app.py": 5}, NOW - timedelta(days=90)),
    change("eeeeeee5", "feat: add closeServer hooks (#15)", at=NOW - timedelta(days=100)),
]
TIP = CHANGES[0].sha


@pytest.fixture
def ctx():
    source = FakeSource(CHANGES)
    source.trees = {
        (
            TIP,
            "go.mod",
        ): "module example.org/a\n\ngo 1.25.10\n\nrequire google.golang.org/grpc v1.82.1\n",
        (TIP, "requirements/cuda.txt"): "flashinfer-python==0.6.16\n",
        (TIP, "tests/requirements.txt"): "flashinfer-python==0.1.0\n",
    }
    return context(source)


async def told(name, ctx):
    answer = await name_history(Touched(name=name), ctx)
    return [row.graded.sha[:8] for row in answer.rows], markdown(answer.document)


async def test_a_name_is_found_in_messages_older_than_any_period(ctx):
    shas, shown = await told("closeServer", ctx)
    assert shas == ["eeeeeee5"]
    assert "feat: add closeServer hooks" in shown


async def test_a_renamed_name_is_told_with_its_new_one(ctx):
    shas, shown = await told("server.hmr", ctx)
    assert shas == ["ccccccc3"]
    assert "`server.hmr` was renamed to `server.ws` by" in shown


async def test_what_a_rename_is_for_is_no_new_name():
    one = change("aaaaaaa1", "docs: rename pool.toml to be more descriptive (#1)", at=NOW)
    _, shown = await told("pool.toml", context(FakeSource([one])))
    assert "was renamed" not in shown


async def test_a_title_with_all_words_of_a_name_says_how_it_stands(ctx):
    shas, shown = await told("xor2-encoding", ctx)
    assert shas == ["bbbbbbb2"]
    assert "The newest change whose title describes its status: [tsdb: stabilize" in shown


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("go", "Required version of `go`: `1.25.10` (`go.mod:3`)."),
        ("golang", "Required version of `go`: `1.25.10` (`go.mod:3`)."),
        ("grpc", "Required version of `google.golang.org/grpc`: `v1.82.1` (`go.mod:5`)."),
        (
            "flashinfer",
            "Required version of `flashinfer-python`: `0.6.16` (`requirements/cuda.txt:1`).",
        ),
    ],
)
async def test_the_version_that_is_required_is_read_from_the_manifests(ctx, name, said):
    assert said in (await told(name, ctx))[1]


@pytest.mark.parametrize("name", ["flashinfer", "golang"])
async def test_the_value_of_a_package_is_its_required_version(ctx, name):
    answer = await name_history(Touched(name=name, claim="value"), ctx)
    assert "Required version of" in markdown(answer.document)


async def test_a_name_that_nothing_has_is_said_to_be_gone(ctx):
    shas, shown = await told("diskcache", ctx)
    assert shas == ["ddddddd4"]
    assert "`diskcache` no longer exists" in shown


async def test_a_flag_that_never_was_is_not_said_to_be_gone(ctx):
    shas, shown = await told("--disk-cache-drop", ctx)
    assert shas == []
    assert "no longer exists" not in shown
    asked = Touched(name="disk-cache-drop", claim="gone")
    assert "Yes." not in markdown((await name_history(asked, ctx)).document)


async def test_field_of_an_object_is_looked_up_alone_where_nothing_names_both(ctx):
    shas, shown = await told("options.closeServer", ctx)
    assert shas == ["eeeeeee5"]
    assert "feat: add closeServer hooks" in shown


async def test_history_of_a_name_is_told_whole_where_the_releases_do_not_exist(ctx):
    answer = await ask("was closeServer removed between 7.1.0 and 7.2.0", ctx)
    shown = markdown(answer.document)
    assert "There is no tag `7.1.0` here" in shown
    assert "feat: add closeServer hooks" in shown


async def test_a_name_that_no_change_told_of_came_with_the_first_text_that_has_it(ctx):
    path, source = "src/app.py", ctx.watched.source
    source.trees |= {(TIP, path): "use_old_path = 1\n", (CHANGES[3].sha, path): "x = 1\n"}
    assert (await told("use_old_path", ctx))[0] == ["aaaaaaa1"]
    source.trees[CHANGES[3].sha, path] = "use_old_path = 0\n"  # perhaps it came with the file
    assert (await told("use_old_path", ctx))[0] == []


async def test_default_of_today_is_that_of_the_tree_and_not_of_the_last_known_change():
    path, old = "src/app.py", 'import os\n\nFAST = os.getenv("APP_FAST", "0")\n'
    new = old.replace('"0"', '"1"')
    came = replace(CHANGES[4], commit=replace(CHANGES[4].commit, message="Add APP_FAST (#15)"))
    came = replace(came, files=(changes.file(path, None, old),))
    later = replace(CHANGES[3], files=(changes.file(path, old, new),))
    source = FakeSource([CHANGES[1], later, came])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(sha, path): new for sha in (CHANGES[1].sha, later.sha)}
    shown = (await told("APP_FAST", context(source)))[1]
    assert "since" not in shown, "nobody knows since when it is another one"
    source.trees[came.sha, path] = old
    shas, shown = await told("APP_FAST", context(source))
    assert shas == ["ddddddd4", "eeeeeee5"]
    assert '`APP_FAST` has been `"1"` since [Replace diskcache (#16)]' in shown
    assert 'before that it was `"0"`' in shown


async def test_default_that_no_change_told_of_is_told_with_the_change_that_set_it():
    path = "src/config.py"
    old = "class CacheConfig(BaseSettings):\n    share_of_memory: float = 0.9\n"
    new = old.replace("0.9", "0.92")
    came = change("eeeeeee5", "Say share_of_memory", {path: 5}, NOW - timedelta(days=100))
    later = replace(CHANGES[3], files=(changes.file(path, old, new),))
    source = FakeSource([CHANGES[1], later, came])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(sha, path): new for sha in (CHANGES[1].sha, later.sha)}
    source.trees[came.sha, path] = old
    for name, claim in (
        ("share_of_memory", "value"),
        ("--share-of-memory", "revalued"),  # the flag of the setting
        ("share of memory", "revalued"),
        ("share of memory", "value"),
    ):
        asked = Touched(name=name, claim=claim)
        shown = markdown((await name_history(asked, context(source))).document)
        since = "`CacheConfig.share_of_memory` has been `0.92` since [Replace diskcache (#16)]"
        assert since in shown
        assert "before that it was `0.9`" in shown


@pytest.mark.parametrize(
    ("new", "turned"),
    [("    share_of_memory: Quota = 1\n", False), ("    share_of_memory: int = 2\n", True)],
)
async def test_another_type_is_no_other_default(new, turned):
    path, head = "src/config.py", "class CacheConfig(BaseSettings):\n"
    old, new = f"{head}    share_of_memory: int = 1\n", head + new
    later = change("aaaaaaa1", "Tune share_of_memory (#1)", {path: 5}, NOW - timedelta(days=1))
    source = FakeSource([replace(later, files=(changes.file(path, old, new),))])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(later.sha, path): new}
    answer = await ask("how did the default of share_of_memory change", context(source))
    assert ("Yes" in markdown(answer.document)) is turned


async def test_newer_version_of_a_package_is_no_other_default():
    old, new = "wheel==1.0\n", "wheel==1.1\n"
    one = change("aaaaaaa1", "Bump wheel (#1)", at=NOW - timedelta(days=1))
    source = FakeSource([replace(one, files=(changes.file("requirements.txt", old, new),))])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    answer = await ask("did the default wheel version change", context(source))
    assert "1.0" in markdown(answer.document)
    assert "Yes." not in markdown(answer.document)


async def test_defaults_that_changed_are_listed_for_words_that_are_no_setting():
    told = change("aaaaaaa1", "Draw the night shift (#1)", {"src/a.py": 2}, NOW - timedelta(1))
    asked = Touched(name="night shift", claim="revalued")
    answer = await name_history(asked, context(FakeSource([told])))
    assert "No default of a flag, a variable or a setting changed" in markdown(answer.document)


REQUIRING = ["3.8", "3.9", "3.10,<3.13", "3.10,<3.14"]


@pytest.mark.parametrize(
    ("question", "since"),
    [
        (
            "since when does it need python 3.10",
            "python` `3.10` or newer",
        ),
        ("since when is python 3.9 required", "python` `3.9` or newer"),
        ("when was python 3.9 dropped", "python` `3.10` or newer"),
        ("python 3.9 什么时候不支持的", "起要求 `python` `3.10` 或更高版本"),
        ("since when does it need python 3.12", ""),  # it does not
        ("since when does it need python 3.8", ""),  # since there is a manifest
        ("when was python 3.10 dropped", ""),
    ],
)
async def test_release_since_which_a_version_is_required_is_told(question, since):
    path = "pyproject.toml"
    texts = [f'[project]\nname = "a"\nrequires-python = ">={one}"\n' for one in REQUIRING]
    made = [
        replace(
            change(f"aaaaaa{n}0", f"Tidy up (#{n})", {path: 1}, NOW - timedelta(days=90 - n)),
            files=(changes.file(path, texts[n - 1] if n else None, text),),
        )
        for n, text in enumerate(texts)
    ]
    source = FakeSource(made[::-1])
    source.blobs = {changes.blob(text): text for text in texts}
    source.trees = {(one.sha, path): text for one, text in zip(made, texts, strict=True)}
    shown = markdown((await ask(question, context(source))).document)
    number = {"3.9": 1, "3.10": 2}.get(since.partition("` `")[2].partition("`")[0])
    assert since in shown
    assert ("newer has been required" in shown or "更高版本" in shown) == bool(since)
    if number:
        assert f"[Tidy up (#{number})]" in shown
        assert "`>=3.10,<3.14`" in shown, "what is required now"


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Replace old-tar with new-tar (#3)", "`old-tar` was replaced with `new-tar` by"),
        ("Deprecate old-tar in favor of new-tar (#3)", "`old-tar` was replaced with `new-tar` by"),
        ("Drop `old-tar` and use `new-tar`", "`old-tar` was replaced with `new-tar` by"),
        ("Replace the loader of old-tar (#3)", "No change that I have read names a replacement"),
    ],
)
async def test_what_replaced_a_name_is_told_from_titles(title, said):
    ctx = context(FakeSource([change("aaaaaaa1", title, {"src/app.py": 5}, NOW)]))
    answer = await name_history(Touched(name="old-tar", claim="instead"), ctx)
    assert said in markdown(answer.document)


async def test_required_package_is_needed_whatever_is_removed_for_it():
    one = change("aaaaaaa1", "Remove the padding for flashinfer (#3)", at=NOW)
    ctx = context(FakeSource([one]))
    ctx.watched.source.trees = {(one.sha, "requirements.txt"): "flashinfer==0.6.16\n"}
    answer = await name_history(Touched(name="flashinfer", claim="needed"), ctx)
    shown = markdown(answer.document)
    assert "Yes." in shown
    assert "No:" not in shown


@pytest.mark.parametrize(
    ("title", "denied"),
    [
        ("Tidy the fast_loader (#3)", True),
        ("Remove the fast_loader for now (#3)", False),
        ("Replace `fast_loader` method with `load` (#3)", False),
    ],
)
async def test_removal_that_no_change_tells_of_is_denied(title, denied):
    one = change("aaaaaaa1", title, at=NOW)
    ctx = context(FakeSource([one]))
    ctx.watched.source.trees = {(one.sha, "src/app.py"): "fast_loader()\n"}
    asked = parse("why did they remove fast_loader?", NOW, UTC)
    shown = markdown((await name_history(asked, ctx)).document)
    assert ("No change that I have read removes `fast_loader`" in shown) is denied


async def test_what_a_replacement_is_for_is_no_replacement():
    one = change("aaaaaaa1", "Replace old-tar to avoid pickles (#3)", {"src/app.py": 5}, NOW)
    ctx = context(FakeSource([one]))
    answer = await name_history(Touched(name="old-tar", claim="instead"), ctx)
    assert "with `avoid`" not in markdown(answer.document)


async def test_what_replaces_a_name_that_is_still_there_replaces_it_in_part():
    one = change("aaaaaaa1", "Replace old-tar with new-tar (#3)", at=NOW)
    ctx = context(FakeSource([one]))
    ctx.watched.source.trees = {(one.sha, "src/app.py"): "load('old-tar')\n"}
    answer = await name_history(Touched(name="old-tar", claim="instead"), ctx)
    assert "replaces `old-tar` with `new-tar`, at least in part" in markdown(answer.document)


async def test_name_that_its_file_lost_is_told_with_the_change_that_took_it():
    path, old, new = "src/app.py", 'import os\n\nFAST = os.getenv("APP_FAST", "0")\n', "import os\n"
    came = replace(CHANGES[4], commit=replace(CHANGES[4].commit, message="Add APP_FAST (#15)"))
    came = replace(came, files=(changes.file(path, None, old),))
    later = replace(CHANGES[3], files=(changes.file(path, old, new),))
    source = FakeSource([CHANGES[1], later, came])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(CHANGES[1].sha, path): new, (later.sha, path): new, (came.sha, path): old}
    shas, shown = await told("APP_FAST", context(source))
    assert shas == ["ddddddd4", "eeeeeee5"]
    assert "`APP_FAST` was removed by [Replace diskcache (#16)]" in shown


async def test_removal_of_a_name_that_only_titles_tell_of_is_found_in_its_file():
    path, old, new = "src/app.py", 'import os\n\nFAST = os.getenv("APP_FAST", "0")\n', "import os\n"
    about = change("eeeeeee5", "Say more of APP_FAST (#15)", {path: 5}, NOW - timedelta(days=100))
    later = replace(CHANGES[3], files=(changes.file(path, old, new),))
    source = FakeSource([CHANGES[1], later, about])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(CHANGES[1].sha, path): new, (later.sha, path): new, (about.sha, path): old}
    assert "`APP_FAST` was removed by [Replace" in (await told("APP_FAST", context(source)))[1]


async def test_comment_about_a_flag_does_not_hide_that_its_file_lost_it():
    path, old, new = "src/app.py", 'parser.add_argument("--fast")\n', "# unlike --fast did\n"
    about = change("eeeeeee5", "Deprecate --fast (#15)", {path: 5}, NOW - timedelta(days=100))
    later = replace(CHANGES[3], files=(changes.file(path, old, new),))
    source = FakeSource([CHANGES[1], later, about])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(CHANGES[1].sha, path): new, (later.sha, path): new, (about.sha, path): old}
    answer = await name_history(Touched(name="--fast", claim="there"), context(source))
    shown = markdown(answer.document)
    assert "\n\nNo.\n\n" in shown
    assert "`--fast` was removed by [Replace diskcache (#16)]" in shown


GO = """package config

import "time"

var DefaultQueueConfig = QueueConfig{
\tMaxShards: 50,
\tDeadline:  model.Duration(5 * time.Second),
}

type QueueConfig struct {
\tMaxShards int `yaml:"max_shards,omitempty"`
\tDeadline model.Duration `yaml:"deadline,omitempty"`
\tMinShards int `yaml:"min_shards,omitempty"`
}
"""


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("max_shards", "`QueueConfig.max_shards` is `50` by default: `config/config.go:6`"),
        (
            "deadline",
            "`QueueConfig.deadline` is `model.Duration(5 * time.Second)` by default",
        ),
        ("MaxShards", "`QueueConfig.MaxShards` is `50` by default: `config/config.go:6`"),
        ("min_shards", "The default of `min_shards` cannot be determined from its declaration"),
    ],
)
async def test_default_of_a_setting_is_read_from_the_table_of_defaults(name, said):
    path = "config/config.go"
    source = FakeSource([change("aaaaaaa1", f"Say more of {name} (#1)", {path: 3}, NOW)])
    source.trees = {(source.branch_changes[0].sha, path): GO}
    answer = await name_history(Touched(name=name, claim="value"), context(source))
    assert said in markdown(answer.document)


async def test_default_that_no_change_told_of_is_that_of_the_table():
    path, old = "config/config.go", GO.replace("50", "20")
    first = change("99999991", "Raise max_shards (#1)", {path: 3}, NOW - timedelta(days=3))
    first = replace(first, files=(changes.file(path, GO.replace("50", "10"), old),))
    later = change("bbbbbbb2", "Tune the queue (#2)", {path: 3}, NOW - timedelta(days=2))
    later = replace(later, files=(changes.file(path, old, GO),))
    source = FakeSource([CHANGES[0], later, first])
    texts = (GO.replace("50", "10"), old, GO)
    source.blobs = {changes.blob(text): text for text in texts}
    shas = (TIP, later.sha, first.sha)
    source.trees = {(sha, path): text for sha, text in zip(shas, (GO, GO, old), strict=True)}
    ctx = context(source)
    await ask("what changed last 2 days", ctx)
    answer = await name_history(Touched(name="MaxShards", claim="value"), ctx)
    assert "`QueueConfig.MaxShards` has been `50` since [Tune the queue" in markdown(
        answer.document
    )


def _flagged(*, gone: bool) -> FakeSource:
    """A program whose flag came long ago and then to a second file, or went from the first."""
    first, second = "cmd/app.py", "cmd/tool.py"
    old, new = "import sys\n", 'import sys\nparser.add_argument("--fast", help="Be fast.")\n'
    days = (300, 200, 100, 1)
    titles = ("Start (#1)", "Parse (#2)", "Give the tool what it lacks (#3)", "Tidy (#4)")
    texts = [
        {first: (None, old)},
        {first: (old, new)},
        {second: (old, new)},
        {second: (new, new + old)},
    ]
    if gone:
        texts[2:] = [{}, {first: (new, old)}]
    made = [change(f"{n:0>8}", title) for n, title in enumerate(titles)]
    source = FakeSource()
    source.blobs = {changes.blob(text): text for text in (old, new, new + old)}
    tree: dict[str, str] = {second: old}
    for n, one in enumerate(made):
        files = tuple(changes.file(path, *sides) for path, sides in texts[n].items())
        parents = (made[n - 1].sha,) if n else ()
        at = NOW - timedelta(days=days[n])
        commit = replace(one.commit, parents=parents, committed_at=at, authored_at=at)
        made[n] = replace(one, commit=commit, files=files)
        tree |= {path: after for path, (_, after) in texts[n].items()}
        source.trees |= {(one.sha, path): text for path, text in tree.items()}
    source.branch_changes = made[::-1]
    return source


@pytest.mark.parametrize(("gone", "days"), [(False, 101), (True, 20)])
async def test_flag_came_with_the_first_change_that_gave_it_to_the_program(gone, days):
    ctx = context(_flagged(gone=gone))
    await ask(f"what changed last {days} days", ctx)
    answer = await name_history(Touched(name="--fast", claim="added"), ctx)
    assert "`--fast` was added by [Parse (#2)]" in markdown(answer.document)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("/v1/run", "Yes.\n\n`/v1/run` still exists: in `app/a.py`."),
        ("/walk", "No.\n\n`/walk` no longer exists in the code of the branch."),
        ("/api/v1/run", "these are about it"),  # a router may serve it behind a prefix
    ],
)
async def test_route_is_there_while_the_code_has_its_path(name, said):
    path = "app/a.py"
    titles = ("Serve /v1/run, /walk and /api/v1/run (#1)", "Tidy (#2)")
    made = [change(f"{n:0>8}", title, {path: 5}, NOW) for n, title in enumerate(titles)]
    source = FakeSource(made[::-1])
    source.trees = {(made[1].sha, path): '@app.get("/v1/run")\ndef run(): ...\n'}
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    shown = markdown((await ask(f"is {name} still there", ctx)).document)
    assert said in shown
    assert ("no longer" in shown) == ("No." in said)


async def test_every_change_of_a_name_is_told_with_its_day(ctx):
    assert "Ada · 2025-10-15" in (await told("closeServer", ctx))[1]


async def test_a_name_that_no_change_of_a_range_is_about_is_told_with_its_history(ctx):
    ctx.watched.source.tags = {"v1.0.0": CHANGES[1].sha}
    asked = Changed(window=Refs(base="v1.0.0", tip=""), topic="closeServer")
    shown = markdown((await list_changes(asked, ctx)).document)
    assert "No change in this period is about `closeServer`" in shown
    assert "feat: add closeServer hooks" in shown


async def test_the_release_of_a_version_is_told_if_a_change_brought_that_version(ctx):
    source = ctx.watched.source
    source.tags = {"v1.0.0": CHANGES[2].sha}
    source.branch_changes[0] = change(
        "aaaaaaa1", "Bump grpc to 1.82.1 (#19)", at=CHANGES[0].commit.committed_at
    )
    assert "No release tag here has it yet; the latest is `v1.0.0`." in (await told("grpc", ctx))[1]
    source.branch_changes[0] = change(
        "aaaaaaa1", "Wait for grpc (#19)", at=CHANGES[0].commit.committed_at
    )
    assert "No release tag" not in (await told("grpc", context(source)))[1]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("is prefix caching on by default?", "Yes: [Enable prefix cache by default"),
        ("do we still support Plamo?", "No.\n\n`Plamo` no longer exists"),
        ("was Plamo dropped?", "Yes.\n\n`Plamo` no longer exists"),
        ("was --pool.no-limit removed?", "No change that I have read answers this clearly"),
        ("is --pool.no-limit still there?", "No change that I have read answers this clearly"),
        ("is remote write still experimental?", "No: [Promote remote write to stable"),
        ("默认开启 prefix caching 了吗", "是：[Enable prefix cache by default"),
        ("is the router on by default?", "No change that I have read answers this clearly"),
    ],
)
async def test_a_question_for_yes_or_no_is_told_so_first(question, said):
    titles = (
        "Enable prefix cache by default (#1)",
        "[Model] Drop Plamo (#2)",
        "Remove the tag on --pool.no-limit (#5)",
        "Promote remote write to stable (#3)",
        "Speed up the router (#4)",
    )
    changes = [
        change(f"{n:0>8}", title, {"src/app.py": 5}, NOW - timedelta(days=n))
        for n, title in enumerate(titles, 1)
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed last 20 days", ctx)
    assert said in markdown((await ask(question, ctx)).document)


async def test_the_release_of_a_described_change_is_told(ctx):
    ctx.watched.source.tags = {"v1.0.0": CHANGES[3].sha}
    shown = markdown((await ask("which release has the XOR2 encoding", ctx)).document)
    assert "of 2026-01-21 is not in a release yet; the latest is `v1.0.0`." in shown


DECLARED = """from dataclasses import dataclass
from typing import ClassVar

@dataclass
class PoolConfig:
    DEFAULT_SIZE: ClassVar[int] = 128
    pool_size: int = Field(default=DEFAULT_SIZE, ge=1)
    pool_mode: str | None = None
    max_pool_size: int = 7
    enable_pool_sharing: bool = True
"""


@pytest.mark.parametrize(
    ("question", "said", "not_said"),
    [
        (
            "pool_size default?",
            "`PoolConfig.pool_size` is `128` by default: `src/config.py:7`",
            "max_",
        ),
        ("what is --pool-size", "`PoolConfig.pool_size` is `128` by default", "max_pool_size"),
        ("how do I turn off the pool mode", "`PoolConfig.pool_mode` is `None` by default", "No."),
        (
            "how do I turn off pool sharing",
            "`PoolConfig.enable_pool_sharing` is `True` by default",
            "No.",
        ),
        ("is pool_mode on by default?", "No change that I have read answers this clearly", "No.\n"),
    ],
)
async def test_default_that_no_change_told_of_is_read_from_the_branch(question, said, not_said):
    told_of = change(
        "eeeeeee5", "Use pool_size, pool sharing and pool mode (#15)", {"src/app.py": 5}, NOW
    )
    source = FakeSource([told_of])
    source.trees = {(told_of.sha, "src/config.py"): DECLARED}
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    shown = markdown((await ask(question, ctx)).document)
    assert said in shown
    assert not_said not in shown


MARKED = """pub struct Variables;

impl Variables {
    /// The address of the pool.
    /// (Deprecated: use `APP_POOL_URL` instead.)
    pub const APP_URL: &'static str = "APP_URL";

    /// The address of the pool.
    pub const APP_POOL_URL: &'static str = "APP_POOL_URL";
}

pub struct Arguments {
    /// (Deprecated: use `--pool-size` instead) How many workers there are.
    #[arg(long = "size-of-pool")]
    pub size_of_pool: u8,
}

pub struct Inner {
    /// (Deprecated: use `new_reach` instead) How far it reaches.
    pub pool_reach: u8,
}

pub struct Outer {
    #[arg(long = "pool-reach")]
    pub pool_reach: u8,
}
"""


async def test_name_that_a_text_of_the_code_calls_deprecated_is_told_as_such():
    told_of = change("eeeeeee6", "Speed up read_pool (#16)", {"src/pool.py": 5}, NOW)
    source = FakeSource([told_of])
    text = "NOTES = ['The `read_pool` method is deprecated.']\n" + "\n" * 40
    text += "def read_pool() -> None: ...\n"
    used = {(told_of.sha, f"src/config_{n}.py"): "read_pool()\n" for n in range(20)}
    source.trees = used | {(told_of.sha, "src/pool.py"): text}
    shown = markdown((await ask("is read_pool deprecated", context(source))).document)
    assert "Yes.\n\n`read_pool` is marked as deprecated: `src/pool.py:1`." in shown


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("lib/pool_extractor.py", "No: [Add pool extractor"),
        ("lib/other.py", "answers this clearly"),
    ],
)
async def test_old_title_does_not_say_that_something_is_there_whose_files_went(path, said):
    added = changes.file("src/pool_extractor.py", "", "class Pool: ...\n")
    added = replace(added, status=FileStatus.ADDED)
    told_of = replace(change("eeeeeee6", "Add pool extractor (#16)", at=NOW), files=(added,))
    source = FakeSource([told_of])
    source.trees = {(told_of.sha, path): "x = 1\n"}
    shown = markdown((await ask("did they remove the pool extractor", context(source))).document)
    assert said in shown


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("poolSelector", "Yes.\n\n`poolSelector` still exists: in `charts/pool/values.yaml`."),
        ("poolChecker", "No.\n\n`poolChecker` does not occur"),  # where the checks of a host set it
    ],
)
async def test_setting_that_no_program_reads_is_looked_for_where_it_is_set(name, said):
    told_of = change("eeeeeee6", "Sort the pool (#16)", {"charts/pool/values.yaml": 5}, NOW)
    source = FakeSource([told_of])
    source.trees = {
        (told_of.sha, "charts/pool/values.yaml"): "poolSelector: {}\n",
        (told_of.sha, ".github/workflows/test.yaml"): "poolChecker: on\n",
    }
    assert said in markdown((await ask(f"is {name} still there", context(source))).document)


@pytest.mark.parametrize(
    ("question", "answer", "marked"),
    [
        ("is APP_URL deprecated", "Yes.", True),
        ("is APP_URL still there", "Yes.", True),
        ("what should I use instead of APP_URL", "", True),
        ("is --size-of-pool deprecated", "use `--pool-size` instead: `src/vars.rs:13`", False),
        ("is --pool-reach deprecated", "No.", False),
        ("is APP_POOL_URL deprecated", "No.", False),
        ("is APP_POOL_URL still there", "Yes.", False),
    ],
)
async def test_name_that_the_code_marks_as_deprecated_is_told_as_such(question, answer, marked):
    title = "Read APP_URL and APP_POOL_URL, add --size-of-pool and --pool-reach (#16)"
    told_of = change("eeeeeee6", title, {"src/vars.rs": 5}, NOW)
    source = FakeSource([told_of])
    source.trees = {(told_of.sha, "src/vars.rs"): MARKED}
    shown = markdown((await ask(question, context(source))).document)
    said = "`APP_URL` is marked as deprecated, use `APP_POOL_URL` instead: `src/vars.rs:5`."
    assert (said in shown) == marked
    assert answer in shown
    assert "names a replacement" not in shown


DESCRIBED = """import argparse


class PoolKeeper:
    \"""Keeps the workers of a pool alive between two calls.\"""

    quiet = 1


# How long a worker may wait for its next task.
LIMIT = os.environ.get("APP_WAIT_LIMIT", "30")

parser.add_argument("--pool-mode", help="How the workers of a pool share what they have read")
"""


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (
            "what does --pool-mode do",
            "“How the workers of a pool share what they have read” (`src/app.py:13`)",
        ),
        (
            "what is APP_WAIT_LIMIT?",
            "“How long a worker may wait for its next task.” (`src/app.py:11`)",
        ),
        (
            "what's PoolKeeper?",
            "“Keeps the workers of a pool alive between two calls.” (`src/app.py:4`)",
        ),
        ("PoolKeeper 是什么", "“Keeps the workers of a pool alive between two calls.”"),
        ("when was PoolKeeper added", ""),
        ("what is PoolSeeker", "`PoolSeeker` does not occur in the code of the branch."),
    ],
)
async def test_what_a_name_is_for_is_read_where_the_branch_defines_it(question, said):
    told_of = change(
        "eeeeeee5", "Add --pool-mode, APP_WAIT_LIMIT and PoolKeeper (#15)", {"src/app.py": 5}, NOW
    )
    source = FakeSource([told_of])
    source.trees = {(told_of.sha, "src/app.py"): DESCRIBED}
    shown = markdown((await ask(question, context(source))).document)
    assert said in shown
    assert ("“" in shown) == ("“" in said)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("is APP_FAST on by default", 'Yes.\n\n`APP_FAST` has been `"1"`'),
        ("is APP_FAST still off by default", 'No.\n\n`APP_FAST` has been `"1"`'),
        ("did the default of APP_FAST change", 'Yes.\n\n`APP_FAST` has been `"1"`'),
    ],
)
async def test_claim_about_a_default_is_judged_by_what_it_says(question, said):
    path, old = "src/app.py", 'import os\n\nFAST = os.getenv("APP_FAST", "0")\n'
    new = old.replace('"0"', '"1"')
    later = change("eeeeeee5", "Switch APP_FAST on (#15)", at=NOW)
    later = replace(later, files=(changes.file(path, old, new),))
    source = FakeSource([later])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(later.sha, path): new}
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    assert said in markdown((await ask(question, ctx)).document)


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Make use_old a no-op (#15)", "No: [Make use_old a no-op"),
        ("Document use_old (#15)", "Yes.\n\n`use_old` still exists"),
    ],
)
async def test_a_name_that_is_there_may_not_be_needed(title, said):
    later = change("eeeeeee5", title, at=NOW)
    source = FakeSource([later])
    source.trees = {(later.sha, "src/app.py"): "use_old = True\n"}
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    assert said in markdown((await ask("is use_old still needed?", ctx)).document)


async def test_mention_in_a_comment_or_a_test_does_not_keep_a_name():
    path, old, new = "src/app.py", 'import os\n\nFAST = os.getenv("APP_FAST", "0")\n', "import os\n"
    gone = change("eeeeeee5", "Tidy (#15)", at=NOW)
    gone = replace(gone, files=(changes.file(path, old, new),))
    source = FakeSource([gone])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(gone.sha, "src/other.py"): "# as APP_FAST did\n", (gone.sha, path): new}
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    shown = markdown((await ask("is APP_FAST still there", ctx)).document)
    assert "No.\n\n`APP_FAST` now occurs only in `src/other.py`." in shown


@pytest.mark.parametrize(
    ("trees", "said"),
    [
        (
            {"cmd/main.go": 'package main\nvar a = app.Flag("agent", "Run as an agent.").Bool()\n'},
            "Yes.",
        ),
        ({"cmd/run.py": 'parser.add_argument("--agent", action="store_true")\n'}, "Yes."),
        ({"benchmarks/run.py": 'parser.add_argument("--agent")\n'}, "No."),
    ],
)
async def test_flag_is_there_where_the_program_declares_it(trees, said):
    path, old, new = "cmd/old.py", 'parser.add_argument("--agent")\n', "\n"
    gone = change("eeeeeee5", "Tidy the agent (#15)", at=NOW)
    gone = replace(gone, files=(changes.file(path, old, new),))
    source = FakeSource([gone])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(gone.sha, place): text for place, text in trees.items()} | {
        (gone.sha, "cmd/main_test.go"): "--agent\n"
    }
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    shown = markdown((await ask("is --agent still there", ctx)).document)
    assert f"{said}\n\n`--agent` {'still exists' if said == 'Yes.' else 'now occurs only'}" in shown
    assert "has been `cmd/" not in shown


@pytest.mark.parametrize(
    ("path", "said"),
    [("setup.py", "Yes.\n\n`macos` still exists: in `setup.py`"), (".github/lint.yaml", "No.")],
)
async def test_plain_word_is_looked_for_as_titles_spell_it_and_not_in_files_of_ci(path, said):
    later = change("eeeeeee5", "Build wheels on macOS (#15)", {"src/a.py": 9}, NOW)
    source = FakeSource([later])
    source.trees = {(later.sha, path): "on macOS: true\n"}
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    shown = markdown((await ask("can it run on macos now", ctx)).document)
    assert said in shown


async def test_plain_word_that_only_tests_have_is_not_denied():
    later = change("eeeeeee5", "Build images on arm64 (#15)", {"src/a.py": 9}, NOW)
    source = FakeSource([later])
    source.trees = {(later.sha, "tests/helper.py"): "arm64 = True\n"}
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    shown = markdown((await ask("is arm64 supported", ctx)).document)
    assert "No." not in shown
    assert "now occurs only" not in shown


async def test_name_with_a_slash_that_is_no_path_is_not_denied():
    later = change("eeeeeee5", "Fix Style/FetchVar (#15)", {"lib/style/fetch_var.rb": 9}, NOW)
    source = FakeSource([later])
    source.trees = {(later.sha, "lib/style/fetch_var.rb"): "class FetchVar\nend\n"}
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    shown = markdown((await ask("is Style/FetchVar still there", ctx)).document)
    assert "no longer exists" not in shown
    assert "No." not in shown


async def test_word_that_was_not_used_leaves_yes_and_no_open():
    later = change("eeeeeee5", "Tune mysql (#15)", {"src/a.py": 9}, NOW)
    source = FakeSource([later])
    source.trees = {(later.sha, "src/db.py"): "mysql = True\n"}
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    assert "Yes." in markdown((await ask("is mysql supported", ctx)).document)
    shown = markdown((await ask("is mysql supported as well as postgres", ctx)).document)
    assert "Yes." not in shown
    assert shown.startswith("Words of the question that were not used: `postgres`.")


async def test_word_of_a_thing_that_is_gone_does_not_keep_it():
    gone = change("eeeeeee5", "[Model] Remove BambaForCausalLM (#15)", {"src/bamba.py": 9}, NOW)
    source = FakeSource([gone])
    source.trees = {(gone.sha, "src/config.py"): "# like Bamba\n"}
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    shown = markdown((await ask("was support for Bamba dropped", ctx)).document)
    assert "Yes.\n\n`Bamba` now occurs only in `src/config.py`." in shown
    shown = markdown((await ask("is Bamba still supported", ctx)).document)
    assert "No.\n\n`Bamba` now occurs only in `src/config.py`." in shown


async def test_word_stays_where_a_part_of_it_is_removed():
    part = change("eeeeeee5", "[Model] Remove Bamba 9B from CI (#15)", {"src/bamba.py": 9}, NOW)
    source = FakeSource([part])
    source.trees = {(part.sha, "src/bamba.py"): "class Bamba: ...\n"}
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    assert "No.\n" in markdown((await ask("was Bamba removed", ctx)).document)


@pytest.mark.parametrize(("folder", "said"), [("src/core", "Yes."), ("src/worker", "No.")])
async def test_folder_is_there_while_it_has_files(folder, said):
    last = change("eeeeeee5", f"Tidy {folder} (#15)", {"src/core/a.py": 9}, NOW)
    source = FakeSource([last])
    source.trees = {(last.sha, "src/core/a.py"): "x = 1\n"}
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    assert f"{said}\n" in markdown((await ask(f"is {folder} still there", ctx)).document)


async def test_change_after_now_is_not_told_of():
    times = {"eeeeeee5": NOW + timedelta(days=2), "ddddddd4": NOW - timedelta(days=2)}
    source = FakeSource([change(sha, "Use APP_FAST (#15)", at=at) for sha, at in times.items()])
    assert (await told("APP_FAST", context(source)))[0] == ["ddddddd4"]


async def test_title_about_another_thing_does_not_say_how_a_name_stands():
    titles = ("Remove the prefill stall of chunks (#1)", "Set the default of chunk_size (#2)")
    source = FakeSource(
        [
            change(f"{n:0>8}", title, {"src/app.py": 5}, NOW - timedelta(days=n))
            for n, title in enumerate(titles, 1)
        ]
    )
    source.trees = {("00000001", "src/app.py"): "chunk_prefill = 1\n"}
    ctx = context(source)
    shown = (await told("--chunk-prefill", ctx))[1]
    assert "describes its status" not in shown
    assert "[Set the default" in (await told("chunk_size", ctx))[1]


async def test_name_that_only_hidden_files_have_is_left_there():
    path, old, new = "src/app.py", 'import os\n\nFAST = os.getenv("APP_FAST", "0")\n', "import os\n"
    gone = change("eeeeeee5", "Remove APP_FAST (#15)", at=NOW)
    gone = replace(gone, files=(changes.file(path, old, new),))
    source = FakeSource([gone])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(gone.sha, ".ci/run.sh"): "APP_FAST=1\n", (gone.sha, path): new}
    shown = (await told("APP_FAST", context(source)))[1]
    assert "`APP_FAST` now occurs only in `.ci/run.sh`." in shown


@pytest.mark.parametrize(
    ("titles", "name", "said"),
    [
        (["Add `app audit` (#1)", "Fix app audit (#2)"], "audit", "by [Add app audit (#1)]"),
        (["Add initial support for GGUF (#1)"], "gguf", "by [Add initial support for GGUF"),
        (["Add support for conflicts in workspaces (#1)"], "workspaces", ""),
        (["Add Qwen support for EAGLE (#1)"], "eagle", ""),
    ],
)
async def test_thing_without_facts_came_with_the_oldest_title_that_adds_it(titles, name, said):
    source = FakeSource(
        [
            change(f"{n:0>8}", title, {"src/app.py": 5}, NOW - timedelta(days=9 - n))
            for n, title in reversed(list(enumerate(titles, 1)))
        ]
    )
    shown = (await told(name, context(source)))[1]
    assert (f"was added {said}" in shown) if said else ("was added" not in shown)


async def test_risks_of_a_change_begin_with_what_it_changes():
    path, old, new = "src/app.py", 'import os\n\nFAST = os.getenv("APP_FAST", "0")\n', "import os\n"
    gone = replace(CHANGES[3], files=(changes.file(path, old, new),))
    source = FakeSource([gone])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(gone.sha, path): new}
    shown = markdown((await ask("is #16 risky", context(source))).document)
    assert shown.partition("\n\n")[2].find("`APP_FAST` is no longer read.") > 0
    assert "👉" not in shown


async def test_a_remedy_is_stated_once_among_the_risks():
    head = "import argparse\n\nparser = argparse.ArgumentParser()\n"
    path, old = "src/cli.py", f'{head}parser.add_argument("--fast", action="store_true")\n'
    gone = replace(CHANGES[3], files=(changes.file(path, old, head),))
    source = FakeSource([gone])
    source.blobs = {changes.blob(text): text for text in (old, head)}
    source.trees = {(gone.sha, path): head}
    shown = markdown((await ask("is #16 risky", context(source))).document)
    assert shown.count("Replace or drop `--fast`") == 1


async def test_words_find_the_variable_whose_name_they_are_the_end_of(ctx):
    ctx.watched.source.trees[TIP, "src/env.py"] = (
        'import os\n\nAPP_HTTP_TIMEOUT = float(os.environ.get("APP_HTTP_TIMEOUT", "30"))\n'
    )
    answer = await ask("http timeout default?", ctx)
    assert answer.topic == "APP_HTTP_TIMEOUT"
    assert '`APP_HTTP_TIMEOUT` is `"30"` by default' in markdown(answer.document)


async def test_what_removes_a_part_of_a_thing_does_not_say_that_the_thing_is_gone():
    at = NOW - timedelta(days=2)
    titles = {
        "Remove broken raw URL pool loading (#1)": "No change that I have read answers this",
        "Remove pool loading support (#2)": "No: ",
        "Drop support for pool loading (#3)": "No: ",
    }
    for title, said in titles.items():
        answer = await ask(
            "do we still have pool loading", context(FakeSource([change("a" * 8, title, at=at)]))
        )
        assert said in markdown(answer.document)


async def test_chinese_nouns_of_a_name_are_looked_up_in_english_where_they_have_a_synonym():
    changes = [
        change(
            "aaaaaaa1", "Enable prefix caching for pools by default (#1)", at=NOW - timedelta(1)
        ),
        change("bbbbbbb2", "Enable pools by default (#2)", at=NOW - timedelta(days=2)),
    ]
    answer = await ask("pools 的前缀缓存默认开了吗", context(FakeSource(changes)))
    assert [row.graded.number for row in answer.rows] == [1]


@pytest.mark.parametrize(
    ("name", "gone"), [("example.org/acme/lamp", True), ("acme", False), ("lamp", False)]
)
async def test_only_a_whole_package_is_said_to_be_required_no_longer(name, gone):
    line = "require example.org/acme/lamp v1.{}.0\n"
    old, new = (f"module m\n\n{line.format(n)}" for n in (1, 2))
    bump = change("aaaaaaa1", "Bump acme lamp to v1.2.0 (#1)", at=NOW - timedelta(days=2))
    bump = replace(bump, files=(changes.file("go.mod", old, new),))
    source = FakeSource([bump])
    source.trees = {(bump.sha, "go.mod"): "module m\n\nrequire example.org/other v1.0.0\n"}
    answer = await name_history(Touched(name=name, claim="value"), context(source))
    assert answer.total == 1
    assert ("is no longer required" in markdown(answer.document)) is gone


async def test_what_replaced_a_name_is_told_from_the_changelog():
    path, entry = "CHANGELOG.md", "- `APP_RATE` is gone; set `APP_SAMPLER` (#3).\n"
    one = change("aaaaaaa1", "Remove APP_RATE (#3)", at=NOW)
    one = replace(one, files=(changes.file(path, "# Changes\n\n", f"# Changes\n\n{entry}"),))
    answer = await name_history(
        Touched(name="APP_RATE", claim="instead"), context(FakeSource([one]))
    )
    assert "`APP_RATE` was replaced with `APP_SAMPLER` by" in markdown(answer.document)


async def test_method_of_a_class_is_not_said_to_be_gone_because_no_text_has_its_whole_name():
    path, head = "src/client.py", "class Client:\n    def subscribe(self, topic{}):\n        pass\n"
    old, new = head.format(""), head.format(", offset=None")
    one = change("aaaaaaa1", "Let Client.subscribe take an offset (#3)", at=NOW)
    one = replace(one, files=(changes.file(path, old, new),))
    source = FakeSource([one])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(one.sha, path): new}
    shown = (await told("Client.subscribe", context(source)))[1]
    assert "`Client.subscribe`: `(topic)` → `(topic, offset=None)`" in shown
    assert "no longer exists" not in shown


async def test_a_variable_in_lower_case_is_not_said_to_be_gone():
    path, old, new = "src/app.py", "import os\n", 'import os\n\nN = os.getenv("APP_POOL", "4")\n'
    came = replace(CHANGES[4], commit=replace(CHANGES[4].commit, message="Add APP_POOL (#15)"))
    source = FakeSource([replace(came, files=(changes.file(path, old, new),))])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(came.sha, path): new}
    shown = (await told("app_pool", context(source)))[1]
    assert "`APP_POOL` still exists: in `src/app.py`" in shown
    assert "app_pool" not in shown


async def test_deprecation_is_told_as_one_and_a_change_once():
    path, line = "cmd/main.go", '\tcmd.Flags().IntVar(&n, "{}", 4, "number")\n'
    head = 'package main\n\nimport "github.com/spf13/cobra"\n\nfunc f(cmd *cobra.Command) {\n'
    old = head + line.format("workers") + "}\n"
    mark = '\tcmd.Flags().MarkDeprecated("workers", "use --jobs instead")\n'
    new = head + line.format("jobs") + line.format("workers") + mark + "}\n"
    one = change("aaaaaaa1", "Rename --workers to --jobs (#3)", at=NOW)
    one = replace(one, files=(changes.file(path, old, new),))
    source = FakeSource([one])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(one.sha, path): new}
    answer = await name_history(Touched(name="--workers", claim="there"), context(source))
    shown = markdown(answer.document)
    assert "# --workers: 1 change" in shown
    assert "`--workers` deprecated at `cmd/main.go:8`" in shown


async def test_the_change_that_set_the_required_version_is_the_one_that_follow_ups_are_about():
    def toml(version):
        return f'[toolchain]\nchannel = "{version}"\n'

    def cargo(version):
        return f'[package]\nname = "lamp"\nrust-version = "{version}"\n'

    raised = change("bbbbbbb2", "Raise the minimum (#1)", at=NOW - timedelta(days=2))
    raised = replace(raised, files=(changes.file("Cargo.toml", cargo("1.95"), cargo("1.96")),))
    tool = change("aaaaaaa1", "Update the toolchain (#2)", at=NOW - timedelta(days=1))
    tool_file = changes.file("tools/rust-toolchain.toml", toml("1.97"), toml("1.98"))
    source = FakeSource([replace(tool, files=(tool_file,)), raised])
    source.trees = {(tool.sha, "Cargo.toml"): cargo("1.96")}
    answer = await name_history(Touched(name="rust"), context(source))
    assert answer.total == 2
    assert answer.subject == raised.sha
    bumped = "rust was last bumped from `1.97` to `1.98` in `tools/rust-toolchain.toml` by"
    assert bumped in markdown(answer.document).replace("`rust`", "rust")
    newer = replace(raised.commit, committed_at=NOW - timedelta(hours=1))
    source = FakeSource([replace(raised, commit=newer), replace(tool, files=(tool_file,))])
    source.trees = {(raised.sha, "Cargo.toml"): cargo("1.96")}
    answer = await name_history(Touched(name="rust"), context(source))
    assert "was last bumped" not in markdown(answer.document)


async def test_a_value_of_a_flag_has_the_history_of_the_flag_with_it():
    new = 'def args(parser):\n    parser.add_argument("--mode", choices=["plain"], help="How.")\n'
    file = ("app/cli.py", new.replace('"plain"', '"plain", "lamp-post"'), new)
    one = change("aaaaaaa1", "Drop the light (#3)\n\nNo lamp-post.", at=NOW - timedelta(days=2))
    asked = context(FakeSource([one]))
    await name_history(Touched(name="lamp-post"), asked)
    kept = asked.archive.kept[asked.watched.repository.name]
    kept[one.sha] = replace(kept[one.sha], facts=changes.facts_of("Drop the light", file))
    answer = await name_history(Touched(name="lamp-post"), asked)
    assert "`--mode=lamp-post` was removed by" in markdown(answer.document)


NEAR_NAMES = [
    change(f"aaaaaa{n}", f"{title} (#{n})", at=NOW - timedelta(days=1))
    for n, title in [
        (21, "Fix --swap-space"),
        (22, "Swap the pool for more space"),
        (23, "Swap space"),
        (24, "Re-plamo the pool"),
        (25, "Stop plamo"),
        (26, "Raise the default of the cellar"),
        (27, "Tune the scheduler"),
        (28, "Plug a pump of the attic"),
    ]
] + [
    change(f"dddd{n}", f"Hang lamp {n} (#{n})", at=NOW - timedelta(days=5)) for n in range(100, 160)
]


@pytest.mark.parametrize(
    ("name", "numbers", "topic"),
    [
        # The parts of a name of code stand apart only in titles about something else.
        ("--swap-space", [21, 23], "--swap-space"),
        ("swap_space", [21, 23], "swap_space"),
        ("swap space", [21, 22, 23], "swap space"),
        ("plamo", [25], "plamo"),
        # Chinese nouns are read in English, or left out if they have no English name.
        ("调度器", [27], "scheduler"),
        ("plamo 某某", [25], "plamo"),
        ("plamo 的 选项", [24, 25], "plamo"),
    ],
)
async def test_titles_about_a_name_have_its_words_together(name, numbers, topic):
    ctx = context(FakeSource(NEAR_NAMES))
    await ask("what changed this month", ctx)
    answer = await name_history(Touched(name=name), ctx)
    assert sorted(row.graded.number for row in answer.rows) == numbers
    assert answer.topic == topic


@pytest.mark.parametrize(
    ("claim", "name", "answered", "dated"),
    [
        ("", "attic pump valve", "`attic` and `pump`", False),
        ("value", "attic pump valve", "`attic` and `pump`", False),
        ("added", "attic pump valve", "`attic` and `pump`", True),
        ("release", "attic pump valve", "`attic` and `pump`", True),
        ("value", "cellar valve", "`cellar` and `default`", False),
        ("", "cellar valve", "Nothing here is called `valve`", False),
    ],
)
async def test_a_name_that_nothing_has_is_answered_with_titles_that_have_most_of_its_words(
    claim, name, answered, dated
):
    source = FakeSource(NEAR_NAMES)
    source.tags = {"v1.0.0": NEAR_NAMES[20].sha}
    ctx = context(source)
    await ask("what changed this month", ctx)
    shown = markdown((await name_history(Touched(name=name, claim=claim), ctx)).document)
    assert answered in shown
    assert ("is not in a release yet" in shown) == dated


async def test_programs_alone_decide_where_files_of_settings_cannot_be_read():
    told_of = change("eeeeeee6", "Sort the pool, check it (#16)", {"src/a.py": 5}, NOW)
    source = FakeSource([told_of])
    source.trees = {(told_of.sha, "src/a.py"): "def run(): ...\n"}
    whole = source.mentions

    async def mentions(commit, words, *, settings=False):
        return None if settings else await whole(commit, words)

    source.mentions = mentions
    answer = await name_history(Touched(name="pool_check", claim="deprecated"), context(source))
    shown = markdown(answer.document)
    assert shown.startswith("`pool_check` does not occur in the code of the branch.")
    assert "I do not understand" not in shown


HISTORY = [
    "Beam search in chunks (#9)",
    "Document published images (#8)",
    "Core: remove beam search (#7)",
    "Remove a wrong marker and sort the tests of slow hosts before beam search (#6)",
    "fix: Retry `engine publish` (#5)",
    "Scaffolding for `engine publish` (#4)",
    "feat: Beam Search with two heads (#3)",
    "Experimental multi-lora (#2)",
    "Publish wheels (#1)",
]


@pytest.mark.parametrize(
    ("claim", "name", "said"),
    [
        # The archive has only changes of the last months, and titles begin in capitals.
        ("added", "beam search", "mentions beam search: [feat: Beam Search with two heads (#3)]"),
        ("removed", "beam search", "describes its status: [Core: remove beam search (#7)]"),
        ("release", "publish", "engine publish was added by [Scaffolding for engine publish (#4)]"),
        ("removed", "multi-lora", "No change that I have read removes multi-lora"),
        ("value", "publish", "# publish: 2 changes"),  # not a command of the engine
    ],
)
async def test_first_and_last_change_of_a_thing_are_found_in_the_whole_history(claim, name, said):
    source = FakeSource(
        [
            change(f"{9 - n:0>8}", title, {"src/app.py": 5}, NOW - timedelta(days=30 * n))
            for n, title in enumerate(HISTORY)
        ]
    )
    source.trees = {(source.branch_changes[0].sha, "src/app.py"): "run()\n"}
    answer = await name_history(Touched(name=name, claim=claim), context(source))
    shown = markdown(answer.document).replace("`", "").replace("\\", "")
    assert said in shown
    assert "no longer exists" not in shown


async def test_value_of_a_longer_flag_is_not_that_of_a_flag(ctx):
    path, old = "src/app.py", "parser = ArgumentParser()\n"
    new = old + 'parser.add_argument("--storage.agent.chunks", default=3)\n'
    one = replace(CHANGES[3], files=(changes.file(path, old, new),))
    source = FakeSource([one])
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(one.sha, path): new}
    assert "--storage.agent.chunks" not in (await told("--agent", context(source)))[1]
    assert "`--storage.agent.chunks`" in (await told("--storage.agent.chunks", context(source)))[1]


async def test_two_words_of_the_index_that_look_alike_are_not_taken_for_one_another():
    source = FakeSource(
        [
            change("aaaaaaa1", "Sign wheels (#1)", {"attestation/app.py": 5}, NOW),
            change("bbbbbbb2", "Ship wheels (#2)", {"attestaction/app.py": 5}, NOW),
        ]
    )
    async with asyncio.timeout(60):
        answer = await name_history(Touched(name="attestation", claim="there"), context(source))
    assert "attestaction" not in markdown(answer.document)


async def test_names_that_stand_for_one_another_end_the_search(monkeypatch):
    async def other_case(found, name, ctx, tip):
        return {"pool": "POOL", "POOL": "pool"}[name]

    monkeypatch.setattr(symbol_history, "_in_other_case", other_case)
    async with asyncio.timeout(60):
        answer = await name_history(Touched(name="pool"), context(FakeSource(CHANGES)))
    assert "No change that I have read changed `POOL` directly" in markdown(answer.document)
