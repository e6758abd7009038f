"""One change in full, and what stands beside it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from digest.core.change import FileChange, FileStatus, Hunk
from digest.core.enums import Language
from digest.core.grade import Level
from digest.core.reference import Reference
from digest.grading.policy import GradingPolicy, GradingRule
from digest.i18n.statement_text import LEVELS
from digest.markdown import markdown
from digest.question.intent import Author, Explain, ShowDiff
from handlers.context import Context
from handlers.questions.about_change import PAGE_LINES, author, show_diff
from handlers.questions.explain import explain
from handlers.router import ask
from tests.support.fakes import FakeClock, FakeSource, change, context

NOW = FakeClock().now()
CHANGES = [
    change("aaaaaaa1", "Add owners (#2)", {"docs/a.md": 3}, NOW),
    change("bbbbbbb2", "Speed up (#1)", {"src/app.py": 5, "src/web/a.py": 1}, NOW),
]
OWNERS = "src/ @octo/core\nsrc/web/ @a @b @c @d @e @f @g\n"


@pytest.mark.parametrize(
    ("language", "line"),
    [
        (Language.EN, "Owners: `@octo/core`, `@a`, `@b`, `@c`, `@d`, `@e` and 2 more"),
        (Language.ZH, "负责人：`@octo/core`、`@a`、`@b`、`@c`、`@d`、`@e` 等 8 项"),
    ],
)
async def test_owners_of_the_files_are_named(language, line):
    source = FakeSource(CHANGES, trees={(CHANGES[0].sha, "docs/CODEOWNERS"): OWNERS})
    ctx = context(source, language=language)
    said = markdown((await explain(Explain(reference=Reference(number=1)), ctx)).document)
    assert line in said.splitlines()
    said = markdown((await explain(Explain(reference=Reference(number=2)), ctx)).document)
    assert line[:3] not in said


async def test_size_of_a_change_of_several_files_is_told():
    one = change("aaaaaaa1", "Tidy (#1)", {"src/a.py": 1200, "src/b.py": 34})
    two = change("bbbbbbb2", "Tidy again (#2)", {"src/a.py": 3})
    ctx = context(FakeSource([one, two]))
    said = markdown((await explain(Explain(reference=Reference(number=1)), ctx)).document)
    assert "Size: 2 files, +1,234 −0 lines." in said.splitlines()
    said = markdown((await explain(Explain(reference=Reference(number=2)), ctx)).document)
    assert "Size:" not in said


@pytest.mark.parametrize(
    ("message", "line"),
    [
        ("(cherry picked from commit {sha})", "Cherry-pick of [Speed up"),
        ("Backport.\n\n(cherry picked from commit {sha})\nSigned-off-by: Ada", "Cherry-pick of"),
        ("Like (cherry picked from commit {sha}), in part", ""),
        ("(cherry picked from commit {none})", ""),
    ],
)
async def test_cherry_pick_names_what_it_copies(message, line):
    said = message.format(sha=CHANGES[1].sha, none="f" * 40)
    copy = change("ccccccc3", f"Speed up (#9)\n\n{said}", {"src/app.py": 5}, NOW)
    ctx = context(FakeSource([copy, *CHANGES]))
    await explain(Explain(reference=Reference(number=1)), ctx)
    shown = markdown((await explain(Explain(reference=Reference(number=9)), ctx)).document)
    assert (line in shown) if line else "Cherry-pick" not in shown


REMOVALS = [
    replace(
        change(f"{n:07x}9", f"Remove --flag{n} (#{n})", at=NOW + timedelta(minutes=n - 60)),
        files=(
            FileChange(
                path="src/cli.py",
                status=FileStatus.MODIFIED,
                old_id=f"cli{n}",
                new_id=f"cli{n + 1}",
                deleted=1,
                hunks=(
                    Hunk(
                        old_start=2,
                        new_start=1,
                        removed=(f'parser.add_argument("--flag{n}")',),
                        added=(),
                    ),
                ),
            ),
        ),
    )
    for n in range(8, 0, -1)
]
CLI = {
    f"cli{n}": "parser = argparse.ArgumentParser()\n"
    + "".join(f'parser.add_argument("--flag{k}")\n' for k in range(n, 9))
    for n in range(1, 10)
}


async def levels_of(ctx: Context) -> tuple[dict[int | None, Level], dict[int | None, Level]]:
    """The levels of the digest of the day, and those that questions about each change give."""
    digest = {row.graded.number: row.graded.grade.level for row in (await ask("digest", ctx)).rows}
    asked: dict[int | None, Level] = {}
    for number in digest:
        why, explained = await ask(f"why #{number}", ctx), await ask(f"explain #{number}", ctx)
        [one], [other] = why.rows, explained.rows
        assert one.graded.grade == other.graded.grade
        level = LEVELS[one.graded.grade.level].text(Language.EN).lower()
        assert f"Why #{number} is {level}" in markdown(why.document)
        asked[number] = one.graded.grade.level
    return digest, asked


async def test_one_change_has_the_grade_that_its_digest_gives_it():
    digest, asked = await levels_of(context(FakeSource(REMOVALS, blobs=CLI)))
    assert Level.MEDIUM in digest.values(), "not all of so many are high beside each other"
    assert asked == digest
    ctx = context(FakeSource(REMOVALS, blobs=CLI))
    await ask("digest", ctx)
    lowered = next(number for number, level in digest.items() if level is Level.MEDIUM)
    shown = markdown((await ask(f"why #{lowered}", ctx)).document)
    assert "By itself it is high. Beside the other changes of its digest it is medium" in shown
    shown = markdown((await ask("why #8", context(FakeSource(REMOVALS, blobs=CLI)))).document)
    assert "Why #8 is high" in shown, "the other changes of the day are not read for it"


async def test_grades_follow_the_rules_in_force_in_digests_and_questions_alike():
    ctx = context(FakeSource(REMOVALS[-2:], blobs=CLI))
    digest, asked = await levels_of(ctx)
    rule = GradingRule(level=Level.LOW, path="src/**")
    ruled = replace(ctx, watched=replace(ctx.watched, grading=GradingPolicy(rules=(rule,))))
    assert [row.graded.grade.level for row in (await ask("why #1", ruled)).rows] == [Level.LOW]
    assert digest == asked == {1: Level.HIGH, 2: Level.HIGH}
    assert await levels_of(ruled) == ({1: Level.LOW, 2: Level.LOW},) * 2


async def test_the_digest_that_covered_a_change_decides_beside_which_others_it_is():
    class Posted:
        async def announced(self, repository, change, language):
            return None

        async def beside(self, repository, change):
            return [change.sha]

    ctx = context(FakeSource(REMOVALS, blobs=CLI))
    digest, _ = await levels_of(ctx)
    lowered = next(number for number, level in digest.items() if level is Level.MEDIUM)
    alone = await ask(f"why #{lowered}", replace(ctx, announcements=Posted()))
    assert alone.rows[0].graded.grade.level is Level.HIGH


@pytest.mark.parametrize(
    ("title", "named"),
    [
        ('Revert "Tune the lamp" (#2)', "It reverts [Tune the lamp (#1)]("),
        ("Revert #1 (#2)", "Undoes #1"),
    ],
)
async def test_a_reverted_change_is_named_once_even_if_only_its_title_is_known(title, named):
    changes = [
        change("0000002b", title, {"src/app.py": 2}, NOW),
        change("0000001a", "Tune the lamp (#1)", {"src/app.py": 2}, NOW - timedelta(days=1)),
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed this month", ctx)
    shown = markdown((await ask("explain #2", ctx)).document)
    assert named in shown
    assert shown.count("It reverts") == named.count("It reverts")


async def test_what_other_branches_have_is_neither_found_nor_an_undoing():
    there = change("ccccccc3", "Add --pool to the queue (#3)", {"src/app.py": 5}, NOW)
    revert = change(
        "ddddddd4",
        f'Revert "Speed up (#1)"\n\nThis reverts commit {CHANGES[1].sha}.',
        {"src/app.py": 5},
        NOW,
    )
    elsewhere = FakeSource([revert, there, *CHANGES], branch="release")
    other = context(elsewhere)
    for question in ("explain #1", "explain #3", "explain ddddddd4"):
        await ask(question, other)
    assert "Reverted" in markdown((await ask("explain #1", other)).document)
    here = replace(other, watched=replace(other.watched, source=FakeSource(CHANGES)))
    assert "Reverted" not in markdown((await ask("explain #1", here)).document)
    assert [row.graded.number for row in (await ask("search pool", other)).rows] == [3]
    assert not (await ask("search pool", here)).rows
    assert not (await ask("when was --pool added", here)).rows


@pytest.mark.parametrize(
    ("total", "page", "first", "last"),
    [
        (2 * PAGE_LINES, 1, 1, PAGE_LINES),
        (2 * PAGE_LINES, 2, PAGE_LINES + 1, 2 * PAGE_LINES),
        (2 * PAGE_LINES, 3, PAGE_LINES + 1, 2 * PAGE_LINES),
        (2 * PAGE_LINES + 1, 3, 2 * PAGE_LINES + 1, 2 * PAGE_LINES + 1),
    ],
)
async def test_lines_of_a_change_are_shown_by_pages_of_which_the_last_may_be_full(
    total, page, first, last
):
    added = tuple(f"line {n}" for n in range(4, total + 1))  # below three of headers
    made = change("ccccccc3", "Add lines (#9)", {"src/app.py": 5}, NOW)
    hunk = Hunk(old_start=0, new_start=1, removed=(), added=added)
    made = replace(made, files=(replace(made.files[0], hunks=(hunk,)),))
    ctx = replace(context(FakeSource([made])), page=page)
    told = markdown((await show_diff(ShowDiff(reference=Reference(number=9)), ctx)).document)
    shown = [line for line in told.splitlines() if "+line" in line]
    assert shown == [f"+line {n}" for n in range(max(first, 4), last + 1)]
    assert f"lines {first}–{last} of {total};" in told


@pytest.mark.parametrize(
    ("parents", "line"), [(("d" * 40,), None), (("d" * 40, "e" * 40), "merged by Grace Hopper")]
)
async def test_who_merged_a_change_is_told_where_git_knows_it(parents, line):
    newer = change("ccccccc3", "Tidy (#10)", {"src/app.py": 5}, NOW)
    made = change("ddddddd4", "Merge pull request #9 from x/y", {}, NOW, "Grace Hopper")
    made = replace(made, commit=replace(made.commit, parents=parents))
    ctx = context(FakeSource([newer, made]))
    told = markdown((await author(Author(reference=Reference(number=9)), ctx)).document)
    assert line in told if line else "merged by" not in told


class Lined(FakeSource):
    """A repository of which a release of another line has a request that the branch lacks."""

    async def find(self, branch, number=None, sha="", text="", issue=None):
        found = await super().find(branch, number, sha, text, issue)
        return found if branch.branch == "v1.9.1" or number != 12 else ()

    async def is_ancestor(self, base, tip):
        return False


async def test_a_request_of_another_line_of_releases_is_found_there():
    changes = [change("aaaaaaa1", "Add a pool (#11)"), change("bbbbbbb2", "Fix a leak (#12)")]
    source = Lined(changes, tags={"v1.9.1": changes[1].sha})
    shown = markdown((await ask("explain #12", context(source))).document)
    assert "Fix a leak" in shown
    assert "`main` does not have this change; `v1.9.1` has it." in shown
