"""Names for a purpose, as the code of the branch declares them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from digest.core.enums import Language
from digest.core.facts import FactKind
from digest.markdown import markdown
from digest.question.intent import Lookup
from handlers.ports.storage import Tip
from handlers.questions.lookup import lookup, name_meant
from tests.support.fakes import FakeSource, change, context

NOW = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)
CHANGES = [change("aaaaaaa1", "Tidy up (#1)", {"src/app.py": 5}, NOW - timedelta(days=1))]
TREES = {
    "src/cli.py": """\
parser.add_argument("--cache-size", type=int, default=4, help="How many engines are kept.")
parser.add_argument("--port", type=int, default=80, help="Where requests to the cache arrive.")
parser.add_argument("--workers", default=2, help="The largest number of processes that work.")
parser.add_argument("--snapshot-interval", default=9)
URL = os.environ.get("APP_LOGGING_LEVEL", "info")
""",
    "src/config.py": """\
@dataclass
class PoolConfig:
    \"\"\"Engines that are kept warm.\"\"\"

    cache_size: int = 4
    sampler_seed: int = 7
""",
    "src/api.py": """\
WAITING = Gauge("app_queue_time_seconds", "How long requests wait")


@app.get("/v1/models")
def models():
    ...
""",
    "tests/test_cli.py": 'parser.add_argument("--cache-of-tests", default=1)\n',
}


async def told(topic, *things, language=Language.EN, trees=TREES):
    source = FakeSource(CHANGES)
    source.trees = {(CHANGES[0].sha, path): text for path, text in trees.items()}
    answer = await lookup(
        Lookup(topic=topic, things=tuple(map(FactKind, things))), context(source, language=language)
    )
    return markdown(answer.document), answer


@pytest.mark.parametrize(
    ("topic", "kind", "first", "more"),
    [
        ("cache size", "flag", "`--cache-size`", ["default `4`", "How many engines", "cli.py:1"]),
        ("snapshot interval", "flag", "`--snapshot-interval`", ["default `9`"]),
        ("the number of processes", "flag", "`--workers`", ["The largest number of processes"]),
        ("log level", "environment", "`APP_LOGGING_LEVEL`", ['default `"info"`']),
        ("sampling seed", "config", "`PoolConfig.sampler_seed`", ["default `7`"]),
        ("models", "route", "`GET /v1/models`", ["api.py:4"]),
        ("queue length", "metric", "`app_queue_time_seconds`", ["found none in the code"]),
    ],
)
async def test_names_are_found_by_their_words_or_their_descriptions(topic, kind, first, more):
    shown, answer = await told(topic, kind)
    listed = [line for line in shown.split("\n") if line.startswith("- ")]
    assert listed[0].startswith(f"- {first}")
    assert all(part in shown for part in more)
    assert answer.topic == first.strip("`")


@pytest.mark.parametrize(
    ("topic", "kind", "name"),
    [
        ("cache size", FactKind.FLAG, "--cache-size"),
        ("sampler seed", FactKind.FLAG, "sampler_seed"),  # the setting behind a flag
        ("queue time", FactKind.METRIC, "app_queue_time_seconds"),  # the only one with both words
        ("warm start", FactKind.FLAG, ""),
        ("缓存", FactKind.FLAG, ""),
    ],
)
async def test_words_mean_the_one_name_that_is_made_of_them(topic, kind, name):
    source = FakeSource(CHANGES)
    source.trees = {(CHANGES[0].sha, path): text for path, text in TREES.items()}
    tip = Tip(branch="main", sha=CHANGES[0].sha)
    assert await name_meant(topic, [kind], context(source), tip) == name


async def test_words_of_several_names_mean_none_of_them():
    source = FakeSource(CHANGES)
    flags = "".join(f'parser.add_argument("--pool-{one}", default=1)\n' for one in ("ab", "bc"))
    source.trees = {(CHANGES[0].sha, "src/cli.py"): flags}
    tip = Tip(branch="main", sha=CHANGES[0].sha)
    assert await name_meant("pool", [FactKind.FLAG], context(source), tip) == ""


async def test_name_that_has_the_words_stands_without_those_only_described_by_them():
    shown, answer = await told("cache", "flag")
    assert answer.total == 1
    assert "--port" not in shown
    assert "--cache-of-tests" not in shown


async def test_another_kind_of_setting_is_shown_as_such():
    shown, _ = await told("log level", "flag")
    assert shown.startswith("# Environment variables for log level")
    assert "Flags: I found none" in shown


async def test_what_is_not_declared_is_said_to_be_none_and_nothing_else():
    shown, answer = await told("telemetry", "flag")
    assert "Flags: I found none" in shown
    assert not answer.total
    shown, _ = await told("telemetry", "flag", trees={})
    assert "none" in shown


async def test_changes_near_to_a_purpose_are_no_guess_at_the_question():
    shown, answer = await told("tidy up", "flag")
    assert answer.total == 1
    assert "Closest to the words of the question (`tidy` and `up`):\n\n- 🟢 [Tidy up (#1)]" in shown
    assert "do not understand" not in shown


async def test_chinese_purpose_is_looked_up_by_its_english_names():
    shown, answer = await told("缓存大小", "flag", language=Language.ZH)
    assert "`--cache-size`，" not in shown
    assert answer.topic == "--cache-size"
    assert "缓存大小 对应的参数" in shown


@pytest.mark.parametrize(
    ("flag", "setting", "said"),
    [
        ("size", "    size: int = 3\n    # How many rows there are.\n", "default `3`"),
        ("size", "    other: int = 3\n", "`--size` · `src/args.py:1`"),
    ],
)
async def test_flag_without_a_default_has_that_of_its_setting(flag, setting, said):
    trees = {
        "src/args.py": f'parser.add_argument("--{flag}", **kwargs["{flag}"])\n',
        "src/config.py": f"@dataclass\nclass RowsConfig:\n    first: int = 1\n{setting}",
    }
    shown, _ = await told("size", "flag", trees=trees)
    assert said in shown


async def test_flag_takes_the_value_of_the_setting_that_another_one_names():
    trees = {
        "src/args.py": """\
@dataclass
class Args:
    first: int = 1
    size: int = RowsConfig.size


parser.add_argument("--size", **kwargs["size"])
""",
        "src/config.py": "@dataclass\nclass RowsConfig:\n    first: int = 1\n    size: int = 3\n",
        "src/draft_config.py": "@dataclass\nclass DraftConfig:\n    first: int = 1\n    size: int = 9\n",
    }
    shown, _ = await told("size", "flag", trees=trees)
    assert "`--size` · default `3`" in shown


async def test_file_with_the_name_is_read_before_many_that_only_have_the_words():
    others = {f"src/config_{n}.py": "# the cache has a size\n" for n in range(30)}
    shown, _ = await told("cache size", "flag", trees=others | TREES)
    assert "`--cache-size`" in shown
    assert "found none" not in shown


@pytest.mark.parametrize(("above", "below", "found"), [(4, 0, 1), (5, 0, 0), (0, 8, 1), (0, 9, 0)])
async def test_words_are_a_description_near_a_name_only(above, below, found):
    comment = "    # Says how many rabbits there are.\n" + "    # More of that.\n" * (above - 1)
    docs = '    """A field.\n' + "    More of that.\n" * (below - 2) + "    Of rabbits.\n"
    trees = {
        "src/config.py": "@dataclass\nclass RowsConfig:\n    first: int = 1\n"
        + (comment if above else "")
        + "    extent: int = 3\n"
        + (f'{docs}    """\n' if below else "")
    }
    _, answer = await told("rabbits", "config", trees=trees)
    assert answer.total == found
