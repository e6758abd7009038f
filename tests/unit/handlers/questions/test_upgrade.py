"""What an upgrade meets: names that went, and the project's own changelog."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from digest.answer.answers import answer_to_json
from digest.core.change import Change, FileChange, FileStatus, Hunk
from digest.core.enums import Language
from digest.core.profile import Profile, parse_entry, patched_file
from digest.markdown import markdown
from handlers.ports.chat_port import ConversationKey, StoredProfile
from handlers.router import ask
from tests.support.fakes import FakeSource, change, context
from tests.unit.digest.facts import changes

NOW = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)

CHANGES = [
    change("aaaaaaa1", "Prepare 1.2.0 (#14)", at=NOW - timedelta(days=1)),
    change("bbbbbbb2", "Fix a crash (#13)", {"src/app.py": 5}, NOW - timedelta(days=2)),
    change("ccccccc3", "feat!: drop the old parser (#12)", {"src/app.py": 5}, NOW - timedelta(3)),
    change("ddddddd4", "Prepare 1.0.0 (#11)", at=NOW - timedelta(days=30)),
]
CHANGELOG = """# Changelog

## 1.3.0

### Breaking changes

- Not there yet (#15)

## 1.2.0 / 2026-01-22

- [CHANGE] Refuse **broken** files. [#13](https://example.org/13)
- [BUGFIX] Fix a crash.

## 1.1.0

### Breaking changes

- Drop the old parser (#12)

### Bug fixes

- Mend it

## 1.0.0

### Breaking changes

- Long ago
"""


@pytest.fixture
def source():
    tags = {"v1.2.0": CHANGES[0].sha, "v1.0.0": CHANGES[3].sha}
    source = FakeSource(CHANGES, tags=tags)
    source.trees = {(CHANGES[0].sha, "CHANGELOG.md"): CHANGELOG}
    return source


async def test_an_upgrade_is_told_with_the_projects_own_warnings(source):
    answer = await ask("what breaks from v1.0.0 to v1.2.0", context(source))
    shown = markdown(answer.document)
    assert shown.startswith("# Upgrade from v1.0.0 to v1.2.0 (3 changes)\n")
    assert "Announced in the project's changelog (2 changes)" in shown
    assert "Refuse broken files. #13" in shown
    assert "Drop the old parser" in shown
    assert not any(said in shown for said in ("Not there yet", "Long ago", "Mend it"))
    assert [row.graded.number for row in answer.rows] == [13, 12]


async def test_what_an_entry_says_below_its_first_line_is_a_warning_too(source):
    entry = """
- [#14](https://forge.example/14) Thanks Ada! - Adds the new parser

  ⚠ **BREAKING CHANGE:** The old parser is no longer supported.
- [#15](https://forge.example/15) Thanks Bob! - Adds Ruby 4, drops support for Ruby 3.
"""
    text = CHANGELOG.replace("### Bug fixes\n", f"### Minor changes\n{entry}\n### Bug fixes\n", 1)
    source.trees = {(CHANGES[0].sha, "CHANGELOG.md"): text}
    shown = markdown((await ask("what breaks from v1.0.0 to v1.2.0", context(source))).document)
    assert "BREAKING CHANGE: The old parser is no longer supported. · `1.1.0`" in shown
    assert "drops support for Ruby 3" in shown
    assert "Adds the new parser" not in shown


async def test_an_upgrade_that_meets_nothing_says_so(source):
    source.trees = {}
    source.branch_changes = [one for one in CHANGES if "!" not in one.commit.message]
    shown = markdown((await ask("what breaks from v1.0.0 to v1.2.0", context(source))).document)
    assert "nothing that users rely on was removed" in shown


@pytest.mark.parametrize(
    ("files", "before", "gone"), [(2, "--fast", True), (3, "--fast", False), (2, "--other", False)]
)
async def test_a_removed_name_that_the_later_release_has_or_the_earlier_lacks_is_not_gone(
    source, files, before, gone
):
    old = 'import argparse\n\nparser = argparse.ArgumentParser()\nparser.add_argument("--fast")\n'
    new = old.rpartition("parser.add")[0]
    made = change("fffffff6", "Tidy options (#16)", at=NOW - timedelta(days=2))
    made = replace(made, files=(changes.file("src/cli.py", old, new),))
    source.branch_changes = [CHANGES[0], made, CHANGES[3]]
    source.blobs = {changes.blob(text): text for text in (old, new)}
    source.trees = {(CHANGES[0].sha, f"docs/{n}.md"): "Use --fast.\n" for n in range(files)}
    source.trees[CHANGES[3].sha, "src/cli.py"] = old.replace("--fast", before)
    shown = markdown((await ask("what breaks from v1.0.0 to v1.2.0", context(source))).document)
    assert ("`--fast`" in shown) == gone


async def test_an_old_release_of_a_package_with_the_same_number_announces_nothing(source):
    old = "# Changelog\n\n## 1.1.0\n\n### Breaking changes\n\n- Ancient news of the tool\n"
    source.trees |= {(one.sha, "tool/CHANGELOG.md"): old for one in (CHANGES[0], CHANGES[3])}
    pages = {(CHANGES[0].sha, f"docs/changes/{n}.md"): "# Page\n" for n in range(9)}
    theirs = "# Changelog\n\n## 1.1.0\n\n### Breaking changes\n\n- News of a library\n"
    copied = {(CHANGES[0].sha, f"vendor/lib{n}/CHANGELOG.md"): theirs for n in range(9)}
    source.trees = pages | copied | source.trees
    shown = markdown((await ask("what breaks from v1.0.0 to v1.2.0", context(source))).document)
    assert "Announced in the project's changelog (2 changes)" in shown
    assert "Ancient news" not in shown
    assert "News of a library" not in shown


async def test_items_of_a_changelog_may_be_headings_of_those_below_them(source):
    log = (
        "## 2.0.0 / 2026-08-01\n\n* Breaking changes\n  * Raise an error without a block (#13)\n"
        "  * Answer in lower case\n\n### Changed\n\n  * Breaking change: rename it\n"
        "  * Drop support for decks\n  * Mend it (#12)\n\n## 1.0.0\n\n"
        "* Breaking changes\n  * Long ago\n"
    )
    source.tags = {"v2.0.0": CHANGES[0].sha, "v1.0.0": CHANGES[3].sha}
    page = "# Upgrading\n\n## Template rendering\n\n### Why\n"
    source.trees = {
        (CHANGES[0].sha, "History.md"): log,
        (CHANGES[0].sha, "docs/upgrading/1-to-2.md"): page,
    }
    shown = markdown((await ask("upgrading from 1 to 2, what breaks", context(source))).document)
    assert "Announced in the project's changelog (4 changes)" in shown
    assert "Drop support for decks" in shown
    assert "Raise an error without a block (#13)" in shown
    assert "Answer in lower case" in shown
    assert "Breaking change: rename it" in shown
    assert "Template rendering · `2.0` · `docs/upgrading/1-to-2.md:3`" in shown
    assert not any(said in shown for said in ("Mend it", "Long ago", "Why"))


async def test_entries_of_a_changelog_go_on_with_the_next_page(source):
    entries = "".join(f"- Mend card {n}.\n" for n in range(30))
    log = f"## 1.2.0\n\n### Bug fixes\n\n{entries}"
    source.trees = {(CHANGES[0].sha, "CHANGELOG.md"): log}
    first, later = [
        markdown((await ask("bug fixes in v1.2.0", replace(context(source), page=n))).document)
        for n in (1, 2)
    ]
    assert "Mend card 24." in first
    assert "Mend card 25." not in first
    assert "Mend card 25." in later
    assert "Mend card 24." not in later


async def test_points_of_a_guide_on_upgrading_are_told_for_the_releases_between(source):
    guide = (
        "Upgrading\n=========\n\n### Upgrading to >= 1.2\n\n#### At least Go 1.26 is needed\n\n"
        "```\n# no heading\n```\n\n##### Why\n\n#### `errors:` is renamed\n\n"
        "### Upgrading to >= 1.0\n\n#### Long ago\n"
    )
    notes = "# Kite 1.2\n\n## New\n\n### Cards\n\n## Upgrade considerations\n\n### No Go 1.25\n"
    source.trees = {
        (CHANGES[0].sha, "UPGRADING.md"): guide,
        (CHANGES[0].sha, "docs/releases/1.2.md"): notes,
        (CHANGES[0].sha, "docs/releases/1.0.md"): notes.replace("No Go", "Long ago"),
        (CHANGES[0].sha, "docs/upgrading/0-to-1.md"): "# Upgrading\n\n## Long ago\n",
    }
    shown = markdown((await ask("what breaks from v1.0.0 to v1.2.0", context(source))).document)
    assert "In the project's notes on upgrading (3 changes)" in shown
    assert "No Go 1.25 · `1.2` · `docs/releases/1.2.md:9`" in shown
    assert "At least Go 1.26 is needed · `1.2` · `UPGRADING.md:6`" in shown
    assert "`errors:` is renamed" in shown
    assert not any(said in shown for said in ("no heading", "Why", "Cards", "Long ago"))


async def test_the_changelog_of_a_release_decides_which_changes_are_of_a_kind(source):
    source.tags = {**source.tags, "v1.1.0": CHANGES[2].sha}
    source.trees = {
        (CHANGES[0].sha, "CHANGELOG.md"): (
            "# Changelog\n\n## 1.2.0\n\n### Performance\n\n"
            "- Read files at once, 30 % faster ([#13](https://example.org/13))\n\n"
            "## 1.1.0\n\n### Performance\n\n- Long ago (#12)\n"
        )
    }
    answer = await ask("performance improvements in v1.2.0", context(source))
    shown = markdown(answer.document)
    assert "Read files at once, 30 % faster (#13)" in shown
    assert "Long ago" not in shown
    assert [row.graded.number for row in answer.rows] == [13]


@pytest.mark.parametrize(("kind", "listed"), [("security fixes", True), ("bug fixes", False)])
async def test_an_entry_about_secrets_is_of_security(source, kind, listed):
    entry = "- Redact credentials in the addresses that errors show (#13)"
    log = f"# Changelog\n\n## 1.2.0\n\n### Enhancements\n\n{entry}\n"
    source.trees = {(CHANGES[0].sha, "CHANGELOG.md"): log}
    shown = markdown((await ask(f"{kind} in v1.2.0", context(source))).document)
    assert ("Redact credentials" in shown) is listed


class Released(FakeSource):
    """Tags are as old as their commits."""

    async def releases(self):
        days = {one.sha: one.commit.committed_at for one in CHANGES}
        return {tag: days[sha] for tag, sha in self.tags.items()}


@pytest.mark.parametrize(
    ("question", "numbers"),
    [("fixes of lamps this week", [13]), ("fixes of lamps in v1.2.0", [13, 10])],
)
async def test_a_period_lists_no_earlier_change_that_a_release_in_it_announces(question, numbers):
    old = change("eeeeeee5", "Tune lamps (#10)", {"src/app.py": 5}, NOW - timedelta(days=20))
    recent = change("bbbbbbb2", "Fix lamps (#13)", {"src/app.py": 5}, NOW - timedelta(days=2))
    changes = [CHANGES[0], recent, CHANGES[3], old]
    tags = {"v1.2.0": CHANGES[0].sha, "v1.0.0": CHANGES[3].sha}
    source = Released(changes, tags=tags)
    log = "## 1.2.0\n\n### Bug fixes\n\n- Mend broken lamps. #10\n\n## 1.0.0\n"
    source.trees = {(changes[0].sha, "CHANGELOG.md"): log}
    ctx = context(source)
    await ask("what changed this month", ctx)
    answer = await ask(question, ctx)
    assert [row.graded.number for row in answer.rows] == numbers
    assert "Mend broken lamps. #10" in markdown(answer.document)


@pytest.mark.parametrize(("days", "announced"), [(14, True), (60, False)])
async def test_a_period_has_the_warnings_of_the_releases_made_in_it(source, days, announced):
    released = Released(CHANGES, tags=source.tags)
    released.trees = source.trees
    shown = markdown(
        (await ask(f"breaking changes in the last {days} days", context(released))).document
    )
    assert ("Refuse broken files. #13" in shown) is announced, "nobody knows what came before"
    assert "Long ago" not in shown


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("how much faster did the parser get", True),
        ("performance of the parser in the last 60 days", False),
        ("how much faster did the lexer get", False),
    ],
)
async def test_what_a_changelog_says_of_a_topic_is_told_with_its_release(source, question, told):
    released = Released(CHANGES, tags=source.tags)
    log = CHANGELOG.replace("- [BUGFIX]", "- [PERF] Parser: 49% fewer allocations\n- [BUGFIX]")
    released.trees = {(CHANGES[0].sha, "CHANGELOG.md"): log}
    shown = markdown((await ask(question, context(released))).document)
    entry = "Parser: 49% fewer allocations · `1.2.0` · `CHANGELOG.md:12`"
    assert (entry in shown) is told, shown


def hunk(line: int) -> tuple[Hunk, ...]:
    return (Hunk(old_start=line, new_start=line, removed=("x = 1",), added=("x = 2",)),)


def with_files(made: Change, *files: FileChange) -> Change:
    return replace(made, files=files)


BASE = CHANGES[3].sha
MODIFIED, DELETED = FileStatus.MODIFIED, FileStatus.DELETED
PATCHED = [
    CHANGES[0],
    with_files(CHANGES[1], FileChange(path="gone.py", status=DELETED, hunks=hunk(1))),
    with_files(
        CHANGES[2],
        FileChange(path="same.py", status=MODIFIED, hunks=hunk(5)),
        FileChange(path="other.py", status=MODIFIED, hunks=hunk(50)),
        FileChange(path="bare.py", status=MODIFIED, hunks=hunk(5)),
    ),
    CHANGES[3],
]


class Kept:
    """The profile of a fork."""

    async def load(self, owner, repository):
        files = ("gone.py", "same.py", "other.py", "still.py")
        entries = [patched_file(path, BASE, [(4, 6)]) for path in files]
        profile = Profile().with_([*entries, parse_entry("patch:bare.py")])
        return StoredProfile(owner=owner, profile=profile)


def asked(language=Language.EN):
    source = FakeSource(PATCHED, tags={"v1.2.0": CHANGES[0].sha, "v1.0.0": BASE})
    here = ConversationKey(platform="slack", chat="C1", person="U1")
    return replace(context(source, language=language), profiles=Kept(), conversation=here)


@pytest.mark.parametrize(
    "question",
    [
        "what breaks us on upgrade from v1.0.0 to v1.2.0",
        "will our fork conflict if we upgrade to v1.2.0",
        "affected v1.0.0..v1.2.0",
    ],
)
async def test_files_that_the_askers_fork_changes_come_first_with_the_conflict_expected(question):
    answer = await ask(question, asked())
    shown = markdown(answer.document)
    assert "Files that your fork changes too (4 files)" in shown
    assert "`gone.py`: expect a conflict, the file was removed ([#13]" in shown
    assert (
        "`same.py`: expect a conflict, lines that your fork changes were changed too: 4–6" in shown
    )
    assert "`bare.py`: a conflict is possible" in shown
    assert "`other.py`: no conflict expected, only other lines were changed ([#12]" in shown
    assert "still.py" not in shown
    told = {one["path"]: one["conflict"] for one in answer_to_json(answer, "", UTC)["patched"]}
    assert told == {"gone.py": True, "same.py": True, "bare.py": None, "other.py": False}
    assert {13, 12} <= {row.graded.number for row in answer.rows}


async def test_conflicts_of_an_upgrade_are_told_in_chinese():
    shown = markdown((await ask("升级到 v1.2.0 会破坏我们什么", asked(Language.ZH))).document)
    assert "你的分叉也修改的文件（4 个）" in shown
    assert "`gone.py`：预计有冲突，文件已被删除" in shown


async def test_changes_that_the_fork_has_already_are_no_conflict():
    source = FakeSource(PATCHED, tags={"v1.2.0": CHANGES[0].sha, "v1.0.0": BASE})

    class Merged(Kept):
        async def load(self, owner, repository):
            entry = patched_file("same.py", CHANGES[2].sha, [(4, 6)])
            return StoredProfile(owner=owner, profile=Profile().with_([entry]))

    ctx = replace(asked(), profiles=Merged(), watched=replace(asked().watched, source=source))
    assert "same.py" not in markdown((await ask("what breaks from v1.0.0", ctx)).document)


@pytest.mark.parametrize("base", [CHANGES[0].sha, CHANGES[1].sha, "f" * 40])
async def test_releases_that_the_fork_has_conflict_with_nothing_and_a_lost_base_is_unknown(base):
    class Based(Kept):
        async def load(self, owner, repository):
            entry = patched_file("same.py", base, [(4, 6)])
            return StoredProfile(owner=owner, profile=Profile().with_([entry]))

    source = FakeSource(PATCHED, tags={"v1.1.0": CHANGES[1].sha, "v1.0.0": BASE})
    ctx = replace(asked(), profiles=Based(), watched=replace(asked().watched, source=source))
    shown = markdown((await ask("what breaks from v1.0.0 to v1.1.0", ctx)).document)
    assert ("`same.py`: a conflict is possible" in shown) is base.startswith("f")


STATES = """# Changelog

## 1.2.0

### Breaking changes

- **Reject weak digests** (#3)

  Lists with `crc32` alone are not taken any more.

### Preview features

- Add `lamp trim --dry-run` (#4)

## 1.1.0

Zonsh is new, and 3.14.7 of snakes.

### Enhancements

- Add Zonsh activation scripts (#5)
- Add Snake 3.14.7 (#6)
"""


@pytest.mark.parametrize(
    ("question", "entry"),
    [
        ("is crc32 still accepted", "Reject weak digests (#3) · `1.2.0` (Breaking changes)"),
        ("does it support zonsh", "Add Zonsh activation scripts (#5) · `1.1.0` (Enhancements)"),
        ("hey anyone know if zonsh is supported", "Add Zonsh activation scripts (#5) · `1.1.0`"),
        ("did snake 3.14.7 get added", "Add Snake 3.14.7 (#6) · `1.1.0`"),
        ("zonsh 还支持吗", "Add Zonsh activation scripts (#5) · `1.1.0` (Enhancements)"),
        ("弱摘要 crc32 列表还能用吗", "Reject weak digests (#3) · `1.2.0` (Breaking changes)"),
        ("is lamp trim stable yet", "Add `lamp trim --dry-run` (#4) · `1.2.0` (Preview features)"),
    ],
)
async def test_the_changelog_tells_the_state_of_a_thing(question, entry):
    changes = [
        change("aaaaaaa1", "Sync the list (#6)", at=NOW),
        change("bbbbbbb2", "Add support for zonsh activation (#5)", at=NOW),
        change("ccccccc3", "Trim lamps (#4)", at=NOW),
    ]
    source = FakeSource(changes, tags={"v1.2.0": changes[0].sha})
    source.trees = {(changes[0].sha, "CHANGELOG.md"): STATES}
    shown = markdown((await ask(question, context(source))).document)
    assert entry in shown
    assert "no longer exists" not in shown
    assert "No." not in shown


async def test_a_word_of_many_entries_is_left_to_the_changes():
    log = "# 1.0.0\n\n" + "\n".join(f"- Tune lamp {n} (#{n})" for n in range(20))
    source = FakeSource([change("aaaaaaa1", "Add a lamp (#30)", at=NOW)])
    source.trees = {("aaaaaaa1" * 5, "CHANGELOG.md"): log}
    shown = markdown((await ask("is lamp supported", context(source))).document)
    assert "Tune lamp" not in shown


@pytest.mark.parametrize(
    "question", ["which preview features got added in 1.2.0", "1.2.0 新增了哪些预览功能"]
)
async def test_preview_features_of_a_release_are_those_under_its_heading(question):
    changes = [change("aaaaaaa1", "Trim (#4)", at=NOW), change("bbbbbbb2", "Start (#1)", at=NOW)]
    tags = {"v1.2.0": changes[0].sha, "v1.1.0": changes[1].sha}
    source = FakeSource(changes, tags=tags)
    source.trees = {(changes[0].sha, "CHANGELOG.md"): STATES}
    shown = markdown((await ask(question, context(source))).document)
    assert "Add `lamp trim --dry-run` (#4)" in shown
    assert "Reject weak digests" not in shown


@pytest.mark.parametrize(
    ("number", "said"), [(4, True), (9, False)], ids=["the change announced", "another change"]
)
async def test_a_state_by_an_older_change_than_the_announced_one_is_not_told(number, said):
    one = change("aaaaaaa1", f"Add lamp trim in preview (#{number})", at=NOW - timedelta(days=9))
    source = FakeSource([one])
    source.trees = {(one.sha, "CHANGELOG.md"): STATES}
    shown = markdown((await ask("is lamp trim still in preview", context(source))).document)
    assert ("Yes: [Add lamp trim" in shown) is said
    assert "Add `lamp trim --dry-run` (#4)" in shown
