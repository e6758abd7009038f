"""Names that changes added or removed, and whether a name still stands."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from digest.core.change import Change, Hunk
from digest.markdown import markdown
from handlers.router import ask
from tests.support.fakes import FakeSource, change, context
from tests.unit.digest.facts import changes

NOW = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)
EMPTY = "empty"
HEAD = "import os\n"
LINE = 'PORT = os.environ.get("APP_PORT", "80")'

TEXT = f"{HEAD}\n{LINE}\n"


def touching(sha: str, subject: str, *, days: float, added: str = "", removed: str = "") -> Change:
    made = change(sha, subject, {"src/app.py": 1}, NOW - timedelta(days=days))
    hunk = Hunk(
        old_start=3,
        new_start=3,
        removed=(removed,) if removed else (),
        added=(added,) if added else (),
    )
    old, new = (f"{sha}-old" if removed else EMPTY), (f"{sha}-new" if added else EMPTY)
    file = replace(made.files[0], hunks=(hunk,), old_id=old, new_id=new)
    return replace(made, files=(file,))


@pytest.fixture
def ctx():
    source = FakeSource(
        [
            touching("aaaaaaa1", "Drop the port (#12)", days=1, removed=LINE),
            change("ccccccc3", "Fix a crash (#10)", {"src/app.py": 4}, NOW - timedelta(days=2)),
            touching("bbbbbbb2", "Let the port be chosen (#11)", days=3, added=LINE),
        ]
    )
    source.blobs = {EMPTY: f"{HEAD}\n", "aaaaaaa1-old": TEXT, "bbbbbbb2-new": TEXT}
    return context(source)


def shas(answer) -> list[str]:
    return [row.graded.sha[:8] for row in answer.rows]


@pytest.mark.parametrize(
    ("question", "sha", "said"),
    [
        ("which environment variables were removed this week", "aaaaaaa1", "`APP_PORT` removed"),
        ("new env vars this week", "bbbbbbb2", "`APP_PORT` added"),
        ("本周新增了哪些环境变量", "bbbbbbb2", "新增 `APP_PORT`"),
    ],
)
async def test_names_are_listed_with_the_change_that_did_it(ctx, question, sha, said):
    answer = await ask(question, ctx)
    assert shas(answer) == [sha]
    assert said in markdown(answer.document)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("which pr made the fast pool the default", ["ddddddd4"]),
        ("which pr made the fast pool the default this month", []),  # as of a named period
    ],
)
async def test_change_of_a_default_is_looked_for_before_the_usual_period_too(question, told):
    old = change("ddddddd4", "Make the fast pool the default (#9)", {"src/pool.py": 4})
    old = replace(old, commit=replace(old.commit, committed_at=NOW - timedelta(days=99)))
    now = change("aaaaaaa1", "Tidy the fast pool (#12)", {"src/pool.py": 1}, NOW)
    ctx = context(FakeSource([now, old]))
    await ask("what changed in the last 200 days", ctx)
    answer = await ask(question, ctx)
    assert [sha for sha in shas(answer) if sha == "ddddddd4"] == told
    assert ("No default" in markdown(answer.document)) is not bool(told)


@pytest.mark.parametrize(
    ("question", "told"),
    [("which environment variables were removed", True), ("env vars removed this month", False)],
)
async def test_older_names_are_listed_where_no_period_is_named(question, told):
    old = touching("aaaaaaa1", "Drop the port (#12)", days=99, removed=LINE)
    source = FakeSource([change("ccccccc3", "Fix (#10)", {"src/app.py": 4}, NOW), old])
    source.blobs = {EMPTY: f"{HEAD}\n", "aaaaaaa1-old": TEXT}
    ctx = context(source)
    await ask("what changed in the last 200 days", ctx)
    shown = markdown((await ask(question, ctx)).document)
    assert ("`APP_PORT` removed" in shown) is told
    assert ("these are older, as far back as the archive goes" in shown) is told


@pytest.mark.parametrize(("folder", "told"), [("src", True), ("docs", False)])
async def test_changed_defaults_are_those_of_the_folder(ctx, folder, told):
    moved = touching("ddddddd4", "Move it", days=1, removed=LINE, added=LINE.replace("80", "81"))
    guide = change("ddddddd4", "Move it", {"docs/guide.md": 1}).files
    source = FakeSource([replace(moved, files=(*moved.files, *guide))])
    after = TEXT.replace("80", "81")
    source.blobs = {"ddddddd4-old": TEXT, "ddddddd4-new": after}
    answer = await ask(f"which defaults changed in {folder}/ this week", context(source))
    shown = markdown(answer.document)
    assert ("APP_PORT" in shown) is told
    assert ("/commit/ddddddd4" in shown) is told


async def test_that_no_name_was_removed_is_said_with_what_was_looked_for(ctx):
    shown = markdown((await ask("which flags were removed this week", ctx)).document)
    assert "Flags removed: none in this period" in shown


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("which flags were deprecated this week", True),
        ("any deprecated command-line flags this week?", True),
        ("本周弃用了哪些参数", True),
        ("which environment variables were deprecated this week", False),
        ("which flags were removed this week", False),
    ],
)
async def test_deprecated_names_are_those_of_the_kind(question, told):
    shown = markdown((await ask(question, deprecating())).document)
    assert ("`--eager` deprecated" in shown or "弃用 `--eager`" in shown) is told
    assert told or "deprecated: none" in shown or "removed: none" in shown


def deprecating():
    flag = 'p.add_argument("--eager", help="Run eagerly.")'
    old = flag.replace("Run", "Deprecated: use --mode. Run")
    made = touching("bbbbbbb2", "Say it (#11)", days=3, removed=flag, added=old)
    source = FakeSource([made])
    source.blobs = {
        f"bbbbbbb2-{side}": f"{HEAD}\n{line}\n" for side, line in (("old", flag), ("new", old))
    }
    return context(source)


async def test_a_name_is_said_to_be_deprecated_with_the_change_that_says_so():
    shown = markdown((await ask("is --eager deprecated?", deprecating())).document)
    assert "`--eager` has been deprecated since [Say it (#11)]" in shown


async def test_a_name_is_told_with_when_it_came_and_went(ctx):
    shown = markdown((await ask("is APP_PORT still there?", ctx)).document)
    assert "`APP_PORT` was removed by" in shown
    assert "`APP_PORT` was added by" in shown
    assert "2026-01-22" in shown


async def test_a_file_name_is_read_as_a_path(ctx):
    answer = await ask("what changed in app.py this week", ctx)
    assert sorted(shas(answer)) == ["aaaaaaa1", "bbbbbbb2", "ccccccc3"]


async def test_names_of_a_period_that_nobody_gave_are_looked_up_in_a_month(ctx):
    later = replace(ctx, clock=type(ctx.clock)(ctx.clock.now() + timedelta(days=20)))
    answer = await ask("new env vars lately", later)
    assert shas(answer) == ["bbbbbbb2"]


async def test_the_value_of_a_name_is_told_before_its_places():
    source = FakeSource([touching("bbbbbbb2", "Let the port be chosen (#11)", days=3, added=LINE)])
    source.blobs = {EMPTY: f"{HEAD}\n", "bbbbbbb2-new": TEXT}
    source.trees = {(source.branch_changes[0].sha, "src/app.py"): TEXT}
    shown = markdown((await ask("what is the default of APP_PORT", context(source))).document)
    assert shown.index('`APP_PORT` has been `"80"` since') < shown.index("still exists")


def raised(sha: str, subject: str, days: int, before: str, after: str) -> Change:
    made = change(sha, subject, {"requirements.txt": 1}, NOW - timedelta(days=days))
    hunk = Hunk(old_start=1, new_start=1, removed=(f"flask=={before}",), added=(f"flask=={after}",))
    file = replace(made.files[0], hunks=(hunk,), old_id=f"flask-{before}", new_id=f"flask-{after}")
    return replace(made, files=(file,))


@pytest.fixture
def raises():
    source = FakeSource(
        [
            raised("aaaaaaa1", "Bump flask again (#12)", 1, "3.0.1", "3.1.0"),
            raised("bbbbbbb2", "Bump flask (#11)", 2, "3.0.0", "3.0.1"),
        ]
    )
    source.blobs = {f"flask-{v}": f"flask=={v}\n" for v in ("3.0.0", "3.0.1", "3.1.0")}
    return context(source)


async def test_dependencies_are_told_from_their_first_version_to_their_last(raises):
    answer = await ask("dependency updates this week", raises)
    assert shas(answer) == ["aaaaaaa1", "bbbbbbb2"]
    assert "`flask`: `3.0.0` → `3.1.0` · " in markdown(answer.document)


async def test_versions_that_are_commits_are_told_by_their_beginning():
    before, after = "0123456789abcdef" + "0" * 24, "fedcba9876543210" + "0" * 24
    lines = [f"jobs:\n  a:\n    steps:\n      - uses: octo/check@{v}\n" for v in (before, after)]
    made = change("aaaaaaa1", "Bump octo/check (#12)", at=NOW - timedelta(days=1))
    source = FakeSource([replace(made, files=(changes.file(".github/workflows/ci.yml", *lines),))])
    source.blobs = {changes.blob(text): text for text in lines}
    answer = await ask("dependency updates this week", context(source))
    assert "`octo/check`: `0123456789` → `fedcba9876`" in markdown(answer.document)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("was Flask bumped this week, to what", "`flask`: `3.0.1` → `3.1.0`"),
        ("what was bumped this week", "`flask`: `3.0.0` → `3.1.0`"),
        ("was zorkmid bumped this week", "I know of no topic `zorkmid`"),
        ("was flask-cors bumped this week", "I know of no topic `flask-cors`"),
    ],
)
async def test_a_question_about_one_package_is_not_answered_by_others(raises, question, said):
    await ask("what changed this week", raises)
    answer = await ask(question, raises)
    assert said in markdown(answer.document)
    assert len(answer.rows) == (2 if "`flask`:" in said else 0)


async def test_a_required_package_that_no_change_bumps_is_not_taken_for_a_misspelt_word():
    changes = [
        change(
            f"{n:08x}", f"Check a request, part {n} (#{n})", {"a.py": 1}, NOW - timedelta(hours=n)
        )
        for n in range(1, 5)
    ]
    source = FakeSource(changes)
    source.trees = {(changes[0].sha, "requirements.txt"): "reqwest==2.1\n"}
    ctx = context(source)
    await ask("what changed this week", ctx)
    shown = markdown((await ask("was reqwest bumped this month", ctx)).document)
    assert "Required version of `reqwest`: `2.1`" in shown
    assert "Read `reqwest` as" not in shown


async def test_a_required_toolchain_is_bumped_like_a_package_and_found_by_its_own_name():
    old, new = '[package]\nrust-version = "1.95"\n', '[package]\nrust-version = "1.96"\n'
    made = change("aaaaaaa1", "Raise the MSRV (#12)", {"Cargo.toml": 1}, NOW - timedelta(days=1))
    hunk = Hunk(
        old_start=2, new_start=2, removed=(old.split("\n")[1],), added=(new.split("\n")[1],)
    )
    files = (replace(made.files[0], hunks=(hunk,), old_id="old", new_id="new"),)
    source = FakeSource([replace(made, files=files)])
    source.blobs = {"old": old, "new": new}
    answer = await ask("was rust bumped this week", context(source))
    assert "`rust`: `1.95` → `1.96`" in markdown(answer.document)


async def test_removed_dependencies_are_no_removed_flags(ctx):
    shown = markdown((await ask("which dependencies were removed this week", ctx)).document)
    assert "Dependencies, Toolchains removed: none in this period" in shown
    assert "APP_PORT" not in shown


async def test_a_change_names_the_one_that_brings_it_back_by_its_bare_number():
    at = NOW - timedelta(days=1)
    source = FakeSource(
        [
            change("aaaaaaa1", "Reapply 50869 (#52223)", {"src/app.py": 1}, at),
            change("bbbbbbb2", "Remove an assertion (#50869)", {"src/app.py": 1}, at),
        ]
    )
    ctx = context(source)
    await ask("what changed this week", ctx)
    shown = markdown((await ask("explain #50869", ctx)).document)
    assert "Applied again by" in shown


@pytest.mark.parametrize(
    "asked", ["new env vars this week", "which env vars were removed this week"]
)
async def test_a_renamed_variable_has_a_new_name_and_lost_its_old_one(asked: str) -> None:
    line = LINE.replace("APP_PORT", "APP_LISTEN_PORT")
    source = FakeSource([touching("aaaaaaa1", "Say it better", days=1, removed=LINE, added=line)])
    source.blobs = {"aaaaaaa1-old": TEXT, "aaaaaaa1-new": TEXT.replace(LINE, line)}
    shown = markdown((await ask(asked, context(source))).document)
    assert "`APP_PORT` renamed to `APP_LISTEN_PORT`" in shown


async def test_what_came_and_what_went_with_it_is_renamed_only_if_they_share_their_words():
    lines = {
        "aaaaaaa1": (
            'A = os.environ.get("APP_RELAY_PORT")',
            'A = os.environ.get("APP_RELAY_HOST_PORT")',
        ),
        "bbbbbbb2": ('S = int(os.environ["APP_SPEED"])', 'print(os.getenv("APP_COLOUR_SCHEME"))'),
    }
    changes = [
        touching(sha, f"Tidy (#{n})", days=n, added=new, removed=old)
        for n, (sha, (old, new)) in enumerate(lines.items(), 1)
    ]
    source = FakeSource(changes)
    for sha, (old, new) in lines.items():
        source.blobs |= {f"{sha}-old": f"{HEAD}\n{old}\n", f"{sha}-new": f"{HEAD}\n{new}\n"}
    shown = markdown((await ask("renamed env vars this week", context(source))).document)
    assert "APP_RELAY_HOST_PORT" in shown
    assert "APP_SPEED" not in shown
    assert "APP_COLOUR_SCHEME" not in shown


async def test_titles_are_listed_where_no_fact_shows_a_new_name():
    changes = [
        change("aaaaaaa1", "Add tiering metrics (#12)", {"src/app.py": 4}, NOW - timedelta(days=1)),
        change("bbbbbbb2", "Fix metrics (#11)", {"src/app.py": 4}, NOW - timedelta(days=1)),
        change(
            "ccccccc3", "Add tests of metrics (#10)", {"tests/a.py": 4}, NOW - timedelta(days=1)
        ),
    ]
    answer = await ask("any new metrics this week?", context(FakeSource(changes)))
    assert shas(answer) == ["aaaaaaa1"]
    assert "none in this period, as far as the code shows" in markdown(answer.document)
    assert "By their titles" in markdown(answer.document)


async def test_name_that_was_removed_and_is_back_was_neither_removed_nor_added(ctx):
    back = touching("eeeeeee5", "Bring the port back (#13)", days=0.5, added=LINE)
    source = ctx.watched.source
    source.branch_changes = [back, *source.branch_changes]
    source.blobs = {**source.blobs, "eeeeeee5-new": TEXT}
    answer = await ask("which environment variables were removed in the last 2 days", ctx)
    assert shas(answer) == []
