"""How far a question about a topic is looked up before nothing is said."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from digest.core.change import FileStatus
from digest.core.enums import ChangeKind
from digest.core.grade import Level
from digest.markdown import markdown
from digest.question.intent import Changed
from digest.question.periods import default_period
from digest.topics.terms import is_misspelt
from handlers.questions.changed import list_changes
from handlers.router import ask
from tests.support.fakes import FakeSource, change, context, graded

NOW = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)
UTC_ZONE = ZoneInfo("UTC")


def made(sha: str, title: str, days: float, author: str = "Ada"):
    return change(sha, title, {"src/app.py": 5}, NOW - timedelta(days=days), author)


@pytest.fixture
def ctx():
    return context(
        FakeSource(
            [
                made("aaaaaaa1", "Fix the Windows launcher (#11)", 1),
                made("bbbbbbb2", "Add a scheduler queue (#12)", 2),
                made("ccccccc3", "discovery/ionos: guard nil fields (#13)", 9),
                made("ddddddd4", "Move the Windows paths (#14)", 12),
                made("eeeeeee5", "Replace diskcache (#15)", 60),
            ]
        )
    )


def shas(answer) -> list[str]:
    return [row.graded.sha[:8] for row in answer.rows]


async def test_a_topic_with_few_changes_is_looked_up_in_a_month(ctx):
    answer = await ask("what changed in windows", ctx)
    assert shas(answer) == ["aaaaaaa1", "ddddddd4"]
    assert "There is little or nothing in the last 7 days" in markdown(answer.document)


@pytest.mark.parametrize("period", ["in the last 7 days", "最近一周"])
async def test_a_period_that_is_named_is_not_widened(ctx, period):
    assert shas(await ask(f"what changed in windows {period}", ctx)) == ["aaaaaaa1"]
    await ask("what changed in the last 20 days", ctx)
    none = await ask(f"what changed in ionos {period}", ctx)
    assert shas(none) == []
    assert "discovery/ionos: guard nil fields (#13)" in markdown(none.document)


async def test_the_biggest_change_counts_the_lines_that_it_removes():
    drop = made("bbbbbbb2", "Drop the queue (#12)", 2)
    files = tuple(replace(file, added=0, deleted=9) for file in drop.files)
    changes = [made("aaaaaaa1", "Add a queue (#11)", 1), replace(drop, files=files)]
    answer = await ask("biggest change this week", context(FakeSource(changes)))
    assert [(row.graded.number, row.unseen) for row in answer.rows] == [(12, "9 ±")]


async def test_work_in_a_folder_of_the_topic_counts_where_few_changes_name_it():
    """The last word of a phrase may name it, if its files have the whole phrase."""

    day, file = NOW - timedelta(days=1), "src/cache/lru.py"
    named = change("aaaaaaa1", "Add a page cache (#11)", {"src/page.py": 4}, day)
    inside = change("ccccccc3", "Mend the size (#13)", {file: 4, "src/a.py": 30}, day)
    passing = change("ddddddd4", "Tidy (#14)", {file: 4, "src/a.py": 30, "src/b.py": 30}, day)
    source = FakeSource([named, inside, passing])
    assert shas(await ask("cache changes this week", context(source))) == ["ccccccc3", "aaaaaaa1"]
    for text, found in (("# The page cache.", ["ccccccc3", "aaaaaaa1"]), ("", ["aaaaaaa1"])):
        trees = {(named.sha, file): text}
        source = FakeSource([named, inside, passing], trees=trees)
        assert shas(await ask("page cache changes this week", context(source))) == found
    one_of_many = {(named.sha, f"src/cache/kind{n}.py"): "" for n in range(12)}
    one_of_many[named.sha, file] = "# The page cache."
    source = FakeSource([named, inside, passing], trees=one_of_many)
    assert shas(await ask("page cache changes this week", context(source))) == ["aaaaaaa1"]


async def test_a_word_that_only_old_messages_have_is_not_unknown():
    changes = [
        made("aaaaaaa1", "Tune the parser (#11)", 1),
        made("bbbbbbb2", "Run each call in a fiber (#12)", 1200),
    ]
    shown = markdown((await ask("anything about fiber", context(FakeSource(changes)))).document)
    assert "No change in this period is about `fiber`" in shown
    assert "Run each call in a fiber" in shown


async def test_the_reason_for_a_revert_is_that_of_the_revert():
    changes = [
        made("aaaaaaa1", 'Revert "Add a pool (#12)" (#13)\n\nThe pool leaks, because it grows.', 1),
        made("bbbbbbb2", "Add a pool (#12)", 2),
        made("ccccccc3", "Tune the parser (#11)", 3),
    ]
    ctx = context(FakeSource(changes))
    shown = markdown((await ask("why was #12 reverted", ctx)).document)
    assert shown.startswith("Yes: ")
    assert "The pool leaks" in shown
    shown = markdown((await ask("why was #11 reverted", ctx)).document)
    assert shown.startswith("No change that I have read reverts it.")


async def test_a_noun_of_packages_adds_nothing_to_the_name_before_it():
    changes = [
        made("aaaaaaa1", "fix(codec): Mend it (#11)", 1),
        made("bbbbbbb2", "Tune the codec adapter (#12)", 2),
    ]
    for noun in ("adapter", "widget"):
        ctx = context(FakeSource(changes))
        answer = await ask(f"what changed in the codec {noun} this week", ctx)
        assert shas(answer) == ["aaaaaaa1", "bbbbbbb2"]


async def test_the_words_of_a_name_with_a_namespace_do_not_stand_for_it():
    changes = [
        made("aaaaaaa1", "Fix Lint/UselessScope with class-like assignments (#11)", 1),
        made("bbbbbbb2", "Mend Lint/UselessAssignment (#12)", 2),
    ]
    ctx = context(FakeSource(changes))
    answer = await ask("did Lint/UselessAssignment change this week", ctx)
    assert shas(answer) == ["bbbbbbb2"]


async def test_a_plural_abbreviation_stands_for_the_documents_of_its_series():
    changes = [
        made("aaaaaaa1", "RFC1234: queue limits (#11)", 1),
        made("bbbbbbb2", "Tune (#12)", 1),
    ]
    answer = await ask("which RFCs landed this week", context(FakeSource(changes)))
    assert shas(answer) == ["aaaaaaa1"]


async def test_a_file_is_found_by_the_end_of_its_path_among_others():
    files = {"src/pool/size.py": 5, "docs/pool.md": 2}
    changes = [
        change("aaaaaaa1", "Tune it (#11)", files, NOW - timedelta(days=1)),
        made("bbbbbbb2", "Tune another (#12)", 1),
    ]
    answer = await ask("what changed in size.py this week", context(FakeSource(changes)))
    assert shas(answer) == ["aaaaaaa1"]


async def test_a_named_period_is_not_widened(ctx):
    assert shas(await ask("what changed in windows this week", ctx)) == ["aaaaaaa1"]


async def test_an_old_topic_is_found_in_the_archive(ctx):
    await ask("what changed 2025-11-01..2026-01-23", ctx)
    answer = await ask("what changed in diskcache", ctx)
    assert shas(answer) == ["eeeeeee5"]
    assert "these are older, as far back as the archive goes" in markdown(answer.document)


async def test_a_filter_that_leaves_nothing_is_named(ctx):
    answer = await ask("any fixes in the scheduler this week", ctx)
    assert shas(answer) == []
    shown = markdown(answer.document)
    assert "1 change of this period: `scheduler`. None of them matches: Fixes." in shown


async def test_a_tail_on_a_name_is_no_part_of_it(ctx):
    assert shas(await ask("windows-related changes this week", ctx)) == ["aaaaaaa1"]


async def test_new_things_are_the_new_files_of_a_folder_with_their_name():
    files = {"src/models/glimmer.py": 90, "src/tools/knife.py": 5}
    grown = change("aaaaaaa1", "Support Glimmer (#11)", files, NOW)
    added = replace(
        grown, files=tuple(replace(one, status=FileStatus.ADDED) for one in grown.files)
    )
    changes = [
        replace(added, commit=replace(grown.commit, committed_at=NOW - timedelta(days=1))),
        made("bbbbbbb2", "[Model] Add Ling support (#12)", 1),
        made("ccccccc3", "[Model Runner] Add an option (#13)", 1),
        change("ddddddd4", "Add a check (#14)", {"src/models/old.py": 3}, NOW - timedelta(days=1)),
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed this week", ctx)
    answer = await ask("new models this week", ctx)
    assert sorted(shas(answer)) == ["aaaaaaa1", "bbbbbbb2"]
    assert "New files: `glimmer`." in markdown(answer.document)


async def test_removed_things_are_the_removed_files_of_a_folder_with_their_name():
    gone = change("aaaaaaa1", "Drop Plamo (#11)", {"src/models/plamo.py": 90}, NOW)
    dropped = replace(gone, files=(replace(gone.files[0], status=FileStatus.DELETED),))
    changes = [
        replace(dropped, commit=replace(gone.commit, committed_at=NOW - timedelta(days=1))),
        made("ccccccc3", "Remove a copy of the model runner (#13)", 1),
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed this week", ctx)
    answer = await ask("which models were removed this week", ctx)
    assert shas(answer) == ["aaaaaaa1"]
    assert "Removed files: `plamo`." in markdown(answer.document)


async def test_people_of_a_topic_work_in_the_folder_with_its_name():
    changes = [
        made("aaaaaaa1", "Mask the replay (#11)", 1),
        change(
            "bbbbbbb2",
            "Keep a budget (#12)",
            {"src/core/sched/queue.py": 2, "src/app.py": 90},
            NOW - timedelta(days=1),
            "Grace Hopper",
        ),
        change("ccccccc3", "Move it", {"tests/scheduler/test_a.py": 9}, NOW - timedelta(days=1)),
        change("ddddddd4", "Fix the scheduler (#14)", {"src/a.py": 1}, NOW - timedelta(days=1)),
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed this week", ctx)
    answer = await ask("who changed the scheduler most this week", ctx)
    assert "Grace Hopper (1)" in markdown(answer.document)
    assert "bbbbbbb2" in shas(answer)
    assert "aaaaaaa1" not in shas(answer)


async def test_a_period_that_is_the_usual_one_by_name_is_not_widened(ctx):
    assert shas(await ask("what changed in windows in the last 7 days", ctx)) == ["aaaaaaa1"]


async def test_first_time_contributors_are_those_without_an_earlier_commit():
    def by(sha, author, days):
        return change(sha, f"Add {sha}", {"a.py": 1}, NOW - timedelta(days=days), author)

    changes = [by("aaaaaaa1", "Ada", 1), by("bbbbbbb2", "Grace", 1), by("ccccccc3", "Ada", 40)]
    answer = await ask("first time contributors this week", context(FakeSource(changes)))
    assert shas(answer) == ["bbbbbbb2"]
    assert "Grace (1)" in markdown(answer.document)


async def test_figures_of_the_authors_are_asked_for_and_told():
    changes = [
        made("aaaaaaa1", "perf: skip a copy, 1.2~1.4x faster (#11)", 1),
        made("bbbbbbb2", "perf: skip another copy (#12)", 1),
    ]
    ctx = context(FakeSource(changes))
    answer = await ask("which performance changes have actual numbers this week", ctx)
    assert shas(answer) == ["aaaaaaa1"]
    assert markdown(answer.document).count("4x faster") == 1  # the title says it


async def test_the_greatest_gains_come_first_as_their_authors_measured_them():
    changes = [
        made("aaaaaaa1", "perf: skip a copy, 30% better throughput (#11)", 1),
        made("bbbbbbb2", "perf: skip another copy, 60% less latency (#12)", 1),
        made("ccccccc3", "perf: skip a lock, 1.5~2x faster (#13)", 1),
        made("ddddddd4", "perf: skip a call (#14)", 1),
    ]
    ctx = context(FakeSource(changes))
    for question in ("biggest speedups this week", "which commit made things fastest this week"):
        answer = await ask(question, ctx)
        assert shas(answer) == ["bbbbbbb2", "ccccccc3", "aaaaaaa1"]
        assert "Ranked by the figures that authors give" in markdown(answer.document)
    assert shas(await ask("top 2 perf changes this week", ctx)) == ["bbbbbbb2", "ccccccc3"]


async def test_changes_without_figures_are_listed_where_nobody_gives_any():
    ctx = context(FakeSource([made("aaaaaaa1", "perf: skip a copy (#11)", 1)]))
    answer = await ask("perf improvements with numbers this week", ctx)
    assert shas(answer) == ["aaaaaaa1"]
    assert "The authors of these changes give no figures." in markdown(answer.document)


async def test_fixes_of_a_person_and_words_of_both_scripts_are_looked_for_in_a_month(ctx):
    changes = [
        made("aaaaaaa1", "Fix the launcher (#11)", 1),
        made("bbbbbbb2", "Fix the scheduler (#12)", 12),
    ]
    answer = await ask("Ada 修了哪些 bug", context(FakeSource(changes)))
    assert shas(answer) == ["aaaaaaa1", "bbbbbbb2"]
    assert shas(await ask("windows启动那块有改动吗", ctx)) == ["aaaaaaa1", "ddddddd4"]


async def test_figures_are_looked_for_in_a_month_where_the_last_days_have_none():
    changes = [made(f"aaaaaaa{n}", f"perf: skip copy {n} (#1{n})", 1) for n in range(1, 5)]
    changes.append(made("bbbbbbb2", "perf: skip a lock, 30% faster (#20)", 12))
    answer = await ask("by how much did performance improve", context(FakeSource(changes)))
    assert shas(answer) == ["bbbbbbb2"]


async def test_a_dependency_is_told_with_the_version_that_is_required(ctx):
    tip = await ctx.watched.source.tip()
    ctx.watched.source.trees = {
        (tip.sha, "go.mod"): "module a\n\nrequire example.org/windows v1.2.0\n"
    }
    await ask("what changed this week", ctx)
    shown = markdown((await ask("was the windows dependency updated", ctx)).document)
    assert "Required version of `example.org/windows`: `v1.2.0` (`go.mod:3`)." in shown


async def test_what_is_not_found_names_the_period_that_was_searched(ctx):
    """Nobody gave a period: a month was looked up, not a week."""
    for question in ("any reverts?", "any reverts in windows?"):
        shown = markdown((await ask(question, ctx)).document)
        assert "2025-12-24 12:00 – 2026-01-23 12:00" in shown, question
        assert "No" in shown
    shown = markdown((await ask("any reverts this week?", ctx)).document)
    assert "2026-01-19 00:00 – " in shown


async def test_what_a_relaxed_topic_keeps_is_what_the_repository_has_a_folder_or_tag_for():
    changes = [
        change("aaaaaaa1", "Order Python versions (#11)", {"crates/py-python/a.rs": 5}, NOW),
        change("bbbbbbb2", "Sort Python keys (#12)", {"crates/py-python/b.rs": 5}, NOW),
        change("ccccccc3", "Skip items (#13)", {"crates/lock/installable.rs": 5}, NOW),
    ]
    earlier = [
        replace(one, commit=replace(one.commit, committed_at=NOW - timedelta(days=1)))
        for one in changes
    ]
    ctx = context(FakeSource(earlier))
    await ask("what changed this week", ctx)
    answer = await ask("what changed in python installable this week", ctx)
    assert sorted(shas(answer)) == ["aaaaaaa1", "bbbbbbb2"]
    assert "without `installable`" in markdown(answer.document)


async def test_things_of_a_topic_that_has_none_are_said_to_be_none_before_its_changes(ctx):
    answer = await ask("which flags were added in windows this week", ctx)
    shown = markdown(answer.document)
    assert "Flags added, windows: none in this period" in shown
    assert shas(answer) == ["aaaaaaa1"]


async def test_a_package_that_only_a_lock_file_has_is_not_gone():
    changes = [made("aaaaaaa1", "Update aws-lc-rs (#11)", 1)]
    ctx = context(FakeSource(changes))
    tip = await ctx.watched.source.tip()
    ctx.watched.source.trees = {
        (tip.sha, "Cargo.lock"): '[[package]]\nname = "aws-lc-rs"\nversion = "1.18.0"\n'
    }
    shown = markdown((await ask("is aws-lc-rs still there", ctx)).document)
    assert "Required version of `aws-lc-rs`: `1.18.0` (`Cargo.lock:2`)." in shown


def by(sha: str, author: str, email: str, days: float, title: str = "Tidy up"):
    one = change(sha, title, {"discovery/aws/ec2.py": 5}, NOW - timedelta(days=days), author)
    return replace(one, commit=replace(one.commit, email=email))


@pytest.fixture
def of_people():
    return context(
        FakeSource(
            [
                by("aaaaaaa1", "bart", "bart@home.example", 1),
                by("bbbbbbb2", "Bartek Plotka", "bart@work.example", 1),
                by("ccccccc3", "Konsti", "k@home.example", 2),
                by("ddddddd4", "Zoe", "zoe@home.example", 2),
                by("fffffff6", "Somebody", "noreply@forge.example", 2),
                by("eeeeeee5", "Zoe", "zoe@home.example", 400),
            ]
        )
    )


async def test_two_people_are_counted_side_by_side(of_people):
    asked = Changed(window=default_period(NOW, UTC_ZONE), topic="bart konsti", people=True)
    answer = await list_changes(asked, of_people)
    assert set(shas(answer)) == {"aaaaaaa1", "bbbbbbb2", "ccccccc3"}
    assert "By author (3 people)" in markdown(answer.document)


async def test_first_and_last_name_are_one_person(of_people):
    of_people.watched.source.branch_changes.append(by("99999999", "Bartek Other", "b@o.example", 1))
    answer = await ask("who is Bartek Plotka and what has he done this week", of_people)
    assert shas(answer) == ["bbbbbbb2"]


async def test_a_handle_finds_a_person_by_every_name(of_people):
    answer = await ask("what did bart do this week", of_people)
    assert set(shas(answer)) == {"aaaaaaa1", "bbbbbbb2"}


async def test_other_changes_of_a_person_are_told_where_none_is_of_the_kind(of_people):
    shown = markdown((await ask("what did konsti fix this week", of_people)).document)
    assert "1 change of this period: by konsti. None of them matches: Fixes." in shown
    assert "No change in this period" not in shown


async def test_surname_that_looks_like_a_misspelt_month_is_a_name(of_people):
    one = by("99999999", "Charlie Marsh", "c@o.example", 1)
    of_people.watched.source.branch_changes.append(one)
    await ask("what changed this week", of_people)
    answer = await ask("what did charlie marsh change this week", of_people)
    assert shas(answer) == ["99999999"]


async def test_folder_without_changes_of_a_kind_is_no_topic():
    source = FakeSource(
        [
            change("aaaaaaa1", "Tidy (#7)", {"crates/pool/a.rs": 2}, NOW - timedelta(days=1)),
            change("bbbbbbb2", "Tidy the crate (#8)", {"Cargo.toml": 2}, NOW - timedelta(days=1)),
        ]
    )
    shown = markdown((await ask("security fixes in crates/pool", context(source))).document)
    assert "1 change of this period" in shown
    assert "Tidy" in shown


async def test_folder_of_the_branch_is_no_topic_in_a_period_without_changes_of_it():
    changes = [
        change("aaaaaaa1", "Speed up attention (#7)", {"src/attention.py": 2}, NOW),
        change("bbbbbbb2", "Tidy the kernels (#8)", {"csrc/attention/a.cu": 2}, NOW),
    ]
    changes[1] = replace(
        changes[1], commit=replace(changes[1].commit, committed_at=NOW - timedelta(days=9))
    )
    source = FakeSource(changes)
    ctx = context(source)
    await ask("what changed in the last 20 days", ctx)
    source.trees = {(changes[0].sha, "csrc/attention/a.cu"): "x"}
    answer = await ask("changes in csrc/attention today", ctx)
    assert [row.graded.number for row in answer.rows] == []
    assert "No change in this period matches" in markdown(answer.document)


async def test_breaking_changes_that_are_not_about_a_platform_are_told_too():
    titles = ("[ROCm] Remove the old loader (#7)!", "feat!: Remove the option --fast (#8)")
    source = FakeSource(
        [
            made(f"{n:0>8}", f"{title}\n\nBREAKING CHANGE: it is gone.", n + 1)
            for n, title in enumerate(titles)
        ]
    )
    shown = markdown((await ask("breaking changes for ROCm", context(source))).document)
    assert "1 change of this kind is not about `ROCm` and may affect you too:" in shown
    assert "Remove the option" in shown.partition("may affect you too")[2]


async def test_word_that_the_index_nearly_knows_is_mended():
    source = FakeSource([made("aaaaaaa1", "Tune speculative decoding (#7)", 1)])
    ctx = context(source)
    await ask("what changed last 20 days", ctx)
    assert shas(await ask("anything new w/ specualtive decoding", ctx)) == ["aaaaaaa1"]


async def test_period_that_was_searched_is_told():
    source = FakeSource([made("aaaaaaa1", "Tune the relay (#7)", 20)])
    shown = markdown((await ask("relay changes", context(source))).document)
    assert "Read as: relay · 2025-12-24 to today" in shown


@pytest.mark.parametrize("handle", ["bplotka", "bartekp", "bartekplotka"])
async def test_a_handle_that_is_made_of_a_name_finds_the_person(of_people, handle):
    answer = await ask(f"what did {handle} do this week", of_people)
    assert shas(answer) == ["bbbbbbb2"]


async def test_name_of_nobody_in_a_period_is_no_topic(of_people):
    answer = await ask("what did ada lovelace change this week", of_people)
    assert "No change in this period matches." in markdown(answer.document)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("who is on fire, top 5 committers this week", "By author (1 person)"),
        ("any new quux metrics this week", "Metrics added: none in this period"),
    ],
)
async def test_a_question_that_is_whole_without_an_unknown_topic_is_answered(ctx, question, said):
    shown = markdown((await ask(question, ctx)).document)
    assert said in shown
    assert "Nothing matches all of the question; these match without" in shown


async def test_a_part_of_what_is_asked_is_no_proof():
    source = FakeSource([made("aaaaaaa1", "Fix the overflow of the head (#7)", 1)])
    ctx = context(source)
    whole = markdown((await ask("was the overflow fixed this week", ctx)).document)
    assert whole.startswith("Yes: [Fix the overflow")
    part = markdown((await ask("was the memory leak in the head fixed this week", ctx)).document)
    assert "Fix the overflow" in part
    assert "Yes" not in part


async def test_one_word_of_four_is_not_what_a_question_is_about():
    words = ("end", "subquery", "alignment", "rules")
    changes = [made(f"{n:0>8}", f"Tidy the {word} (#{n})", 1) for n, word in enumerate(words, 1)]
    ctx = context(FakeSource(changes))
    await ask("what changed this week", ctx)
    answer = await ask("how does the subquery end alignment change affect my rules", ctx)
    assert answer.rows == ()


async def test_words_without_a_meaning_are_not_said_to_be_missing():
    changes = [made("aaaaaaa1", "Store fp8 buffers of the pool (#1)", 1)]
    question = "anything this week about --eager and fp8 pool buffers of the depot"
    shown = markdown((await ask(question, context(FakeSource(changes)))).document)
    assert "Nothing here is called `--eager` and `depot`;" in shown


async def test_list_without_the_names_asked_for_does_not_prove_them():
    changes = [made("aaaaaaa1", "Add JSON to the proxy of the pool server (#1)", 1)]
    question = "did the pool server get any new endpoints this month"
    shown = markdown((await ask(question, context(FakeSource(changes)))).document)
    assert "Routes added, pool server: none in this period" in shown
    assert "Yes" not in shown


async def test_part_of_a_topic_is_looked_for_in_a_longer_period_too():
    titles = ("Fix the relay on shutdown (#7)", "Say which workers are hanging (#8)")
    days = (12, 20)
    source = FakeSource([made(f"{n:0>8}", title, days[n]) for n, title in enumerate(titles)])
    answer = await ask("any fix for hanging on shutdown", context(source))
    shown = markdown(answer.document)
    assert shas(answer) == ["00000000"]
    assert "these match without `hanging`" in shown
    assert "these are from the last 30 days" in shown


async def test_the_people_of_a_path_are_those_of_its_whole_history(of_people):
    asked = Changed(
        window=default_period(NOW, UTC_ZONE), path="discovery/aws/", people=True, anytime=True
    )
    shown = markdown((await list_changes(asked, of_people)).document)
    assert "Commits by author, of all time (5 people)" in shown
    assert "Zoe (2)" in shown


async def test_a_default_that_only_an_older_title_tells_is_found():
    source = FakeSource([made("aaaaaaa1", "Raise the graph capture default to 1024 (#7)", 12)])
    shown = markdown((await ask("did the capture default change", context(source))).document)
    assert "Raise the graph capture default to 1024" in shown
    assert "No default" not in shown


async def test_changes_of_no_named_period_are_told_with_their_days(ctx):
    shown = markdown((await ask("what changed in windows", ctx)).document)
    assert "Ada · *2026-01-22*" in shown
    assert "Ada · *2026-01-22*" not in markdown(
        (await ask("what changed in windows this week", ctx)).document
    )


async def test_a_relaxed_topic_is_looked_up_in_a_month_as_well():
    changes = [
        made("aaaaaaa1", "Fix the Windows launcher (#11)", 1),
        *(made(f"bbbbbbb{n}", f"Speed up queue {n} (#2{n})", 2) for n in range(4)),
        made("ddddddd4", "Move the Windows paths (#14)", 12),
    ]
    asked = Changed(window=default_period(NOW, UTC_ZONE), topic="windows queue", anytime=True)
    answer = await list_changes(asked, context(FakeSource(changes)))
    assert shas(answer) == ["aaaaaaa1", "ddddddd4"]


async def test_an_address_of_people_who_show_none_joins_nobody():
    changes = [
        by("aaaaaaa1", "ann", "noreply@forge.example", 1),
        by("bbbbbbb2", "Ben", "noreply@forge.example", 1),
    ]
    asked = Changed(window=default_period(NOW, UTC_ZONE), author="ann")
    assert shas(await list_changes(asked, context(FakeSource(changes)))) == ["aaaaaaa1"]


async def test_a_long_name_is_of_one_person(of_people):
    of_people.watched.source.branch_changes.append(
        by("fffffff7", "Juan Pérez de Algaba", "juan@home.example", 3, "Fix a crash")
    )
    asked = Changed(
        window=default_period(NOW, UTC_ZONE), topic="Juan Pérez", author="de Algaba",
        kinds=(ChangeKind.FIX,),
    )  # fmt: skip
    assert shas(await list_changes(asked, of_people)) == ["fffffff7"]


async def test_a_middle_initial_may_be_left_out_of_a_name():
    changes = [
        by("aaaaaaa1", "Grace B. Hopper", "grace@home.example", 1),
        by("bbbbbbb2", "Grace Lee", "lee@home.example", 1),
    ]
    asked = Changed(window=default_period(NOW, UTC_ZONE), author="grace hopper")
    assert shas(await list_changes(asked, context(FakeSource(changes)))) == ["aaaaaaa1"]


@pytest.mark.parametrize(("parents", "found"), [(("d" * 40, "e" * 40), True), ((), False)])
async def test_what_a_person_merged_is_told_by_the_merge_commits(monkeypatch, parents, found):
    merge = made("aaaaaaa1", "Merge pull request #12 from x/y", 1, "Ada")
    merge = replace(merge, commit=replace(merge.commit, parents=parents))
    source = FakeSource([merge, made("bbbbbbb2", "Tidy up (#11)", 2, "Grace Hopper")])

    async def log(*_, **__):
        return [(merge.sha, "Grace Hopper")]

    monkeypatch.setattr(source, "log", log)
    answer = await ask("what did grace hopper merge in the last 7 days", context(source))
    assert shas(answer) == (["aaaaaaa1"] if found else ["bbbbbbb2"])
    shown = markdown(answer.document)
    assert "merged by grace hopper" in shown
    assert ("do not say who merged" in shown) is not found


async def test_a_list_does_not_leave_out_the_code_name_that_it_is_about():
    changes = [
        made("aaaaaaa1", "Promote the loader (#12)", 1),
        made("bbbbbbb2", "Promote max_pool_size to a setting (#11)", 40, "Ben"),
    ]
    ctx = context(FakeSource(changes))
    assert shas(await ask("who did the promote max_pool_size work", ctx)) == ["bbbbbbb2"]
    asked = Changed(window=default_period(NOW, UTC_ZONE), topic="promote max_pool_size")
    assert shas(await list_changes(asked, ctx)) == ["aaaaaaa1"]  # nothing of it in the period


async def test_the_greatest_gains_are_not_those_of_high_importance():
    changes = [
        made("aaaaaaa1", "Speed up the docs index by 30 % (#11)", 1),
        made("bbbbbbb2", "Speed up the queue (#12)", 1),
    ]
    asked = Changed(window=default_period(NOW, UTC_ZONE), level=Level.HIGH, figures=True)
    assert shas(await list_changes(asked, context(FakeSource(changes)))) == ["aaaaaaa1"]


async def test_files_of_all_changes_are_counted_without_naming_three_of_them(ctx):
    shown = markdown((await ask("which files changed most this month", ctx)).document)
    assert "`src/app.py`: 4 changes" in shown
    assert "Windows launcher" not in shown
    assert "“more” lists the 4 changes" in shown
    again = markdown(
        (await ask("which files changed most this month", replace(ctx, page=2))).document
    )
    assert "Fix the Windows launcher" in again


async def test_more_words_of_a_longer_period_come_before_fewer_of_a_shorter():
    changes = [
        made("aaaaaaa1", "fix: reset the data parallel rank (#11)", 1),
        made("bbbbbbb2", "fix: reject pipeline parallel models (#12)", 20),
        made("ccccccc3", "Hang a lamp (#13)", 1),
    ]
    answer = await ask(
        "did someone fix the hang with pipeline parallel", context(FakeSource(changes))
    )
    assert shas(answer) == ["bbbbbbb2"]
    assert "these match without `hang`" in markdown(answer.document)


async def test_nothing_important_of_a_person_is_said_with_what_there_is():
    ctx = context(FakeSource([made("aaaaaaa1", "Tidy up (#11)", 1)]))
    answer = await ask("important changes by Ada this month", ctx)
    assert shas(answer) == ["aaaaaaa1"]
    assert "Nothing is of high or medium importance" in markdown(answer.document)


async def test_who_added_a_thing_is_the_author_of_the_change_that_did():
    changes = [
        made("aaaaaaa1", "Tune the Foo parser (#11)", 1),
        made("bbbbbbb2", "Add foo parser support (#12)", 60),
    ]
    shown = markdown((await ask("who added the foo parser", context(FakeSource(changes)))).document)
    assert "`foo parser` was added by [Add foo parser support" in shown
    assert "(Ada, 2025-11-24)" in shown


@pytest.mark.parametrize(
    ("older", "told"),
    [
        (
            "Fix the foo parser (#13)",
            "The oldest change found that mentions `foo parser`: [Fix the",
        ),
        ("[1/2] Prepare the lexer (#13)", "`foo parser` was added by [Add foo parser support"),
    ],
)
async def test_what_changes_were_about_long_before_was_not_added_later(older, told):
    changes = [
        made("aaaaaaa1", "Support foo parser with pools (#11)", 1),
        made("bbbbbbb2", "Add foo parser support (#12)", 20),
        made("ccccccc3", older, 60),
    ]
    shown = markdown(
        (await ask("when was foo parser added", context(FakeSource(changes)))).document
    )
    assert told in shown


async def test_what_is_added_to_a_thing_is_not_the_thing():
    changes = [made("aaaaaaa1", "Support foo parser with pools (#11)", 1)]
    shown = markdown(
        (await ask("when was foo parser added", context(FakeSource(changes)))).document
    )
    assert "was added by" not in shown
    assert "The oldest change found that mentions `foo parser`: [Support foo parser with" in shown


async def test_a_name_of_people_that_is_no_topic_is_an_author():
    changes = [
        made("aaaaaaa1", "Tune the parser (#11)", 1, author="Nick Hill"),
        made("bbbbbbb2", "Fix Nick (#12)", 1),
    ]
    answer = await ask("问下Nick Hill这周合了多少个commit", context(FakeSource(changes)))
    assert shas(answer) == ["aaaaaaa1"]


async def test_a_topic_without_anything_important_stays_in_the_period():
    changes = [
        made("aaaaaaa1", "feat!: Remove the old pool (#11)", 1),
        made("bbbbbbb2", "Fix a typo in the docs index (#12)", 1),
        made("ccccccc3", "feat!: Remove the old docs index (#13)", 300),
    ]
    ctx = context(FakeSource(changes))
    answer = await ask("important changes in the docs index in the last week", ctx)
    assert shas(answer) == ["bbbbbbb2"]


def test_a_misspelling_has_its_first_letter_right():
    assert is_misspelt("schedular", "scheduler")
    assert not is_misspelt("mattered", "gathered")


async def test_a_revert_of_a_fix_is_no_yes():
    changes = [
        made("aaaaaaa1", 'Revert "fix: stop the pool leak (#11)" (#12)', 1),
        made("bbbbbbb2", "fix: stop the pool leak (#11)", 2),
    ]
    shown = markdown((await ask("is the pool leak fixed", context(FakeSource(changes)))).document)
    assert "Revert" in shown
    assert "Yes" not in shown


async def test_the_last_change_before_an_empty_period_is_told():
    changes = [
        made("aaaaaaa1", 'Revert "Cache it" (#11)', 9),
        made("bbbbbbb2", "Fix the relay (#12)", 8),
        made("ccccccc3", "Tune the engine (#13)", 1),
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed in the last 20 days", ctx)
    for question, last in (
        ("any reverts in the last 3 days?", "#11"),
        ("fixes of the relay in the last 3 days", "#12"),
    ):
        shown = markdown((await ask(question, ctx)).document)
        assert "The latest one before it that I have read:" in shown
        assert last in shown


@pytest.mark.parametrize("others", [1, 12])
async def test_the_last_change_before_an_empty_period_is_of_the_branch(others):
    own = [made("bbbbbbb2", "Fix the relay (#12)", 8), made("ccccccc3", "Tune it (#13)", 1)]
    ctx = context(FakeSource(own))
    await ask("what changed in the last 20 days", ctx)
    elsewhere = [
        graded(
            f"c{n:07}", f"Fix the relay again (#{n})", {"src/app.py": 5}, NOW - timedelta(days=5)
        )
        for n in range(20, 20 + others)
    ]
    await ctx.archive.save(ctx.watched.repository, elsewhere)
    shown = markdown((await ask("fixes of the relay in the last 3 days", ctx)).document)
    assert "The latest one before it that I have read:" in shown
    assert "#12" in shown


async def test_what_avoids_a_trouble_is_told_where_none_of_it_counts_as_a_fix():
    changes = [
        made("aaaaaaa1", "Avoid stalls of the sampler by chunks (#11)", 1),
        made("bbbbbbb2", "Count stalls of workers (#12)", 1),
    ]
    answer = await ask("stall fixes in the last 3 days", context(FakeSource(changes)))
    assert shas(answer) == ["aaaaaaa1"]
    assert "None is marked as a fix" in markdown(answer.document)


async def test_owner_of_a_behaviour_who_is_nobody_is_a_topic():
    ctx = context(FakeSource([made("aaaaaaa1", "Start the relay late (#11)", 1)]))
    answer = await ask("was the relay's behavior changed this week", ctx)
    assert shas(answer) == ["aaaaaaa1"]
    assert answer.topic == "relay"


async def test_a_change_whose_title_is_close_is_told_although_it_lacks_words():
    changes = [
        made("aaaaaaa1", "rules: guard the default group loader (#11)", 1),
        made("bbbbbbb2", "Mend label mismatches in HA group alerts (#12)", 1),
        *(made(f"ccccc{n}", f"Hang lamp {n} (#{n})", 1) for n in range(100, 130)),
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed this week", ctx)
    answer = await ask("alerts of HA rule groups have wrong labels this week", ctx)
    assert shas(answer) == ["bbbbbbb2"]
    assert "Closest to the words of the question:" in markdown(answer.document)


async def test_a_name_that_only_a_message_has_finds_its_change():
    one = made("aaaaaaa1", "discovery: find the region later (#11)", 1)
    said = replace(one.commit, message=f"{one.commit.subject}\n\nThe tool talked to IMDS.")
    others = [made(f"ccccc{n}", f"Hang lamp {n} (#{n})", 1) for n in range(100, 130)]
    ctx = context(FakeSource([replace(one, commit=said), *others]))
    answer = await ask("our lamp wobbles because it talks to IMDS, seriously?!", ctx)
    assert shas(answer) == ["aaaaaaa1"]


async def test_topic_in_passing_that_nothing_is_about_is_left_out_and_named():
    changes = [
        made("aaaaaaa1", "Fix the relay (#11)", 1),
        made("bbbbbbb2", "Tune a lamp (#12)", 30),
    ]
    ctx = context(FakeSource([*changes, made("ccccccc3", "Cover the gala (#13)", 40)]))
    await ask("what changed in the last 60 days", ctx)
    answer = await ask("Need a gala summary of the last 3 days", ctx)
    assert shas(answer) == ["aaaaaaa1"]
    assert "these match without `gala`" in markdown(answer.document)
    answer = await ask("what changed in the gala in the last 3 days", ctx)
    assert shas(answer) == [], "a topic that is asked for stays one"


async def test_close_titles_stand_beside_what_was_found_without_some_of_the_words():
    changes = [
        made("aaaaaaa1", "Serve the new backend (#11)", 1),
        made("bbbbbbb2", "Add VaultLamp by the generic backend (#12)", 40),
        *(made(f"ccccc{n}", f"Hang lamp {n} (#{n})", 1) for n in range(100, 130)),
    ]
    ctx = context(FakeSource(changes))
    await ask("what changed in the last 7 days", ctx)
    answer = await ask("which PR added VaultLamp to the backend", ctx)
    assert "bbbbbbb2" in shas(answer)


async def test_a_file_that_is_named_is_not_another_whose_name_begins_alike():
    at = NOW - timedelta(days=1)
    changes = [
        change("aaaaaaa1", "Raise the base (#11)", {"docker/Dockerfile.rocm_base": 1}, at),
        change("bbbbbbb2", "Cut the image (#12)", {"docker/Dockerfile.rocm": 1}, at),
        change("ccccccc3", "Pin the image (#13)", {"docker/Dockerfile": 1}, at),
    ]
    ctx = context(FakeSource(changes))
    answer = await ask("what changed in docker/Dockerfile.rocm this week", ctx)
    assert shas(answer) == ["bbbbbbb2"]
    answer = await ask("what changed in docker/Dockerfile this week", ctx)
    assert shas(answer) == ["ccccccc3"]
    answer = await ask("what changed in path:docker/Docker this week", ctx)
    assert len(shas(answer)) == 3, "a beginning of paths is given on purpose"


async def test_a_noun_that_only_classifies_a_name_hides_no_change_without_it():
    changes = [
        made("aaaaaaa1", "[Lamp] Dim it (#11)", 1),
        made("bbbbbbb2", "Avoid a backend that waits for the lamp (#12)", 1),
    ]
    answer = await ask("lamp backend changes this week", context(FakeSource(changes)))
    assert sorted(shas(answer)) == ["aaaaaaa1", "bbbbbbb2"]
