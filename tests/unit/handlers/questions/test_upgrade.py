"""What an upgrade meets: names that went, and the project's own changelog."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from digest.markdown import markdown
from handlers.router import ask
from tests.support.fakes import FakeSource, change, context

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
    assert "Upgrade from v1.0.0 to v1.2.0 (3 changes)" in shown
    assert "Announced in the project's changelog (2 changes)" in shown
    assert "Refuse broken files. #13" in shown
    assert "Drop the old parser" in shown
    assert not any(said in shown for said in ("Not there yet", "Long ago", "Mend it"))
    assert [row.graded.number for row in answer.rows] == [13, 12]


async def test_an_upgrade_that_meets_nothing_says_so(source):
    source.trees = {}
    source.branch_changes = [one for one in CHANGES if "!" not in one.commit.message]
    shown = markdown((await ask("what breaks from v1.0.0 to v1.2.0", context(source))).document)
    assert "nothing that users rely on was removed" in shown


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
