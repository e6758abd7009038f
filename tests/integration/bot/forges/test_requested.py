"""What only a forge knows, asked for in a chat: the handlers over the real client and archive."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from bot.store.archive import SqlArchive
from bot.store.forge_records import SqlRequests
from bot.util.machine import FixedClock
from digest.chat.chat_settings import Filters, Rule, RuleField
from digest.core.enums import Language
from digest.core.reference import Query
from digest.core.request import RequestState, ReviewVerdict
from digest.errors import ForgeDown, ForgeLimited, UnknownChange
from digest.markdown import markdown
from handlers.chat.filter_preview import last_week
from handlers.context import Context
from handlers.digests.ingest import enrich, ensure, tip_of
from handlers.ports.chat_port import ChatKey, Room
from handlers.questions.pull_request import request_of
from handlers.router import ask
from tests.integration.bot.forges.test_github import a_file
from tests.servers.github import merged, pull
from tests.servers.loopback import Breaks, Fails
from tests.support.fakes import REPOSITORY, FakeSource, change, context

NOW = datetime(2026, 1, 23, 12, tzinfo=UTC)

SOURCE = "class Engine:\n    pass\n"


@pytest.fixture
def source() -> FakeSource:
    return FakeSource(
        [
            change("aaaaaaa1", "Fix the crash (#11)\n\nFixes #7.", {"src/run.py": 5}, NOW),
            change("bbbbbbb2", "Look into #7 (#10)", {"src/look.py": 5}, NOW),
        ]
    )


@pytest.fixture
def ctx(source, database, forge) -> Context:
    made = context(source, SqlArchive(database))
    watched = replace(made.watched, forge=forge)
    return replace(made, watched=watched, requests=SqlRequests(database))


CODE = """import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--host")
parser.add_argument("{}", default=8000)
"""


def flag(name: str, blob: str):
    patch = f'@@ -3,2 +3,3 @@\n parser = argparse.ArgumentParser()\n parser.add_argument("--host")\n+parser.add_argument("{name}", default=8000)'
    return a_file("src/cli.py", patch=patch, deletions=0, sha=blob)


def offer(server, **more) -> None:
    server.pulls[12] = pull(
        12,
        "Add a flag for the port",
        body="The port could not be chosen.\n\nCloses #3.",
        labels=[{"name": "frontend"}],
        **more,
    )
    server.files[12] = [flag("--port", "a" * 40)]
    server.blobs["a" * 40] = CODE.format("--port").encode()
    server.reviews[12] = [{"user": {"login": "bob"}, "state": "APPROVED"}]


async def test_open_request_is_explained_by_its_diff_and_marked_as_one(server, ctx):
    offer(server)
    answer = await ask("explain #12", ctx)
    shown = markdown(answer.document)
    assert "Add a flag for the port" in shown
    assert "Open request, not merged" in shown
    assert "It is not a change of the branch" in shown
    assert "--port" in shown
    assert "Labels: `frontend`" in shown
    assert "bob approved" in shown
    assert "https://github.com/octo/engine/issues/3" in shown
    assert "https://github.com/octo/engine/pull/12" in shown
    assert (answer.intent, answer.total, answer.rows[0].why) == (
        "explain",
        1,
        "Open request, not merged",
    )


async def test_open_request_is_explained_in_chinese(server, ctx):
    offer(server)
    shown = markdown((await ask("解释 #12", ctx)).document)
    assert "尚未合并的请求" in shown
    assert "bob 已批准" in shown


def run(name: str, conclusion: str | None):
    return {
        "name": name,
        "status": "completed" if conclusion else "in_progress",
        "conclusion": conclusion,
    }


@pytest.mark.parametrize(
    ("runs", "statuses", "line"),
    [
        ([run("lint", "success"), run("docs", "skipped")], ["success"], "Checks passed"),
        ([run("lint", "success"), run("test", None)], ["success"], "Checks are running"),
        ([run("lint", "success")], ["pending"], "Checks are running"),
        ([run("`@all` <b>", "timed_out"), run("test", None)], ["error"], "Checks failed: "),
        ([], [], ""),
    ],
)
async def test_checks_of_an_open_request_are_told(server, ctx, runs, statuses, line):
    offer(server)
    head = server.pulls[12]["head"]["sha"]
    server.check_runs[head] = runs
    server.statuses[head] = [{"context": "ci/build", "state": state} for state in statuses]
    shown = markdown((await ask("explain #12", ctx)).document)
    assert (line in shown) if line else "Checks" not in shown
    if line.endswith(": "):
        assert "`ci/build`" in shown
        assert "@all` <b>" in shown
    server.pulls[12] |= {"state": "closed", "merged_at": None}
    assert "Checks" not in markdown((await ask("explain #12", ctx)).document)


@pytest.mark.parametrize(
    "answer", [Fails(403, {"message": "Resource not accessible"}), Fails(404, {})]
)
async def test_request_is_explained_where_checks_may_not_be_read(server, ctx, answer):
    offer(server)
    await ask("explain #12", ctx)
    server.refused_checks = answer
    shown = markdown((await ask("explain #12", ctx)).document)
    assert "Open request, not merged" in shown
    assert "Checks" not in shown


async def test_request_is_kept_and_its_diff_not_asked_for_again(server, ctx):
    offer(server)
    first = await ask("explain #12", ctx)
    kept = (await ctx.requests.load(REPOSITORY, [12]))[12]
    assert kept.request.state is RequestState.OPEN
    assert kept.graded is not None
    server.sent.clear()
    used = server.used
    again = await ask("explain #12", ctx)
    assert markdown(again.document) == markdown(first.document)
    assert not [sent for sent in server.sent if sent.path.endswith("/files")]
    assert server.used == used
    # It is no change of the branch: no question about changes finds it.
    assert not await ctx.archive.select(REPOSITORY, Query(terms=("port",)))


async def test_request_with_a_new_head_is_analysed_anew(server, ctx):
    offer(server)
    await ask("explain #12", ctx)
    server.pulls[12]["head"]["sha"] = "e" * 40
    server.files[12] = [flag("--bind", "b" * 40)]
    server.blobs["b" * 40] = CODE.format("--bind").encode()
    shown = markdown((await ask("explain #12", ctx)).document)
    assert "--bind" in shown
    assert "--port" not in shown


async def test_request_that_was_seen_is_told_of_while_the_forge_is_down(server, ctx):
    offer(server)
    await ask("explain #12", ctx)
    server.script.extend([Fails(502), Fails(502)])
    shown = markdown((await ask("explain #12", ctx)).document)
    assert "the forge is unavailable now" in shown
    assert "--port" in shown


async def test_request_cut_short_says_how_much_is_missing(server, ctx):
    offer(server, changed_files=4000)
    server.files[12] *= 3000
    shown = markdown((await ask("explain #12", ctx)).document)
    assert "lists 3,000 of 4,000 files" in shown
    # All of them have the same content, which is fetched once.
    assert sum("/blobs/" in sent.path for sent in server.sent) == 1


async def test_request_cut_short_is_completed_from_the_clone(server, ctx, source):
    whole = change("ccccccc3", "Rename", {f"src/{n}.py": 1 for n in range(4)}, NOW)
    ctx.watched.source.branch_changes = [*source.branch_changes, whole]
    offer(server, changed_files=4, head={"ref": "t", "sha": whole.sha})
    shown = markdown((await ask("explain #12", ctx)).document)
    assert "lists" not in shown
    kept = (await ctx.requests.load(REPOSITORY, [12]))[12]
    assert len(kept.graded.facts.files) == 4


async def test_what_is_not_there_either_is_unknown(ctx):
    answer = await ask("explain #99", ctx)
    assert isinstance(answer.error, UnknownChange)


async def test_forge_that_is_limited_says_until_when(server, ctx):
    server.script.append(Fails(429, "", {"retry-after": "600"}))
    answer = await ask("解释 #99", ctx)
    assert isinstance(answer.error, ForgeLimited)
    assert "额度" in markdown(answer.document)


async def test_forge_that_is_down_is_told_of_where_it_is_configured(server, ctx, forge):
    server.script.extend([Fails(502)] * 2)
    assert isinstance((await ask("explain #99", ctx)).error, ForgeDown)
    forge.eager = False
    server.script.extend([Fails(502)] * 2)
    assert isinstance((await ask("explain #99", ctx)).error, UnknownChange)


async def test_archived_change_is_explained_without_asking_anybody(server, ctx):
    answer = await ask("explain #11", ctx)
    assert "Fix the crash" in markdown(answer.document)
    assert server.sent == []


async def test_commit_that_no_clone_has_is_explained(server, ctx):
    server.commits["d" * 40] = server.commits["d" * 7] = {
        "sha": "d" * 40,
        "parents": [],
        "commit": {
            "message": "Try something",
            "author": {"name": "Ada", "email": "", "date": "2026-01-02T00:00:00Z"},
            "committer": {"date": "2026-01-02T00:00:00Z"},
        },
        "files": [a_file("src/a.py")],
    }
    shown = markdown((await ask("explain ddddddd", ctx)).document)
    assert "not on the branch" in shown
    assert "Try something" in shown


async def test_issue_tells_its_state_and_the_changes_that_close_and_name_it(server, ctx):
    tip = await tip_of(ctx)
    await ensure(ctx, [one.sha for one in ctx.watched.source.branch_changes], tip)
    server.issues[7] = {**pull(7, "It crashes", state="closed"), "labels": [{"name": "bug"}]}
    server.timelines[7] = []
    shown = markdown((await ask("explain issue #7", ctx)).document)
    assert "Closed issue" in shown
    assert "Labels: `bug`" in shown
    assert "Closed by [Fix the crash" in shown
    assert "Named by [Look into" in shown


async def test_number_of_an_issue_is_explained_as_one(server, ctx):
    server.issues[7] = pull(7, "It crashes", body="Whenever I start it.")
    shown = markdown((await ask("explain #7", ctx)).document)
    assert "Open issue" in shown
    assert "Whenever I start it." in shown


async def test_issue_is_told_of_from_the_archive_alone_without_a_forge(ctx):
    tip = await tip_of(ctx)
    await ensure(ctx, [one.sha for one in ctx.watched.source.branch_changes], tip)
    alone = replace(ctx, watched=replace(ctx.watched, forge=None))
    shown = markdown((await ask("explain issue #7", alone, Language.EN)).document)
    assert "Closed by [Fix the crash" in shown
    assert isinstance((await ask("explain issue #8", alone)).error, UnknownChange)


async def test_labels_of_merged_requests_become_topics_whichever_comes_first(server, ctx):
    server.pulls[11] = merged(11, labels=[{"name": "kv-connector"}])
    server.pulls[10] = merged(10, labels=[{"name": "needs review"}])
    first, second = ctx.watched.source.branch_changes
    tip = await tip_of(ctx)
    await ensure(ctx, [first.sha], tip)
    assert await enrich(ctx) == 2
    await ensure(ctx, [second.sha], tip)
    known = await ctx.archive.vocabulary(REPOSITORY)
    assert {"kvconnector", "connector", "label:kvconnector", "review"} <= known.keys()
    (found,) = await ctx.archive.select(REPOSITORY, Query(topics=("kvconnector",)))
    assert found.sha == first.sha


async def test_grade_does_not_rest_on_what_the_forge_says(server, ctx):
    first, _ = ctx.watched.source.branch_changes
    tip = await tip_of(ctx)
    (before,) = await ensure(ctx, [first.sha], tip)
    server.pulls[11] = merged(11, labels=[{"name": "breaking"}, {"name": "security"}])
    await enrich(ctx)
    (after,) = await ensure(ctx, [first.sha], tip)
    assert (after.grade, after.facts.items) == (before.grade, before.facts.items)
    shown = markdown((await ask("explain #11", ctx)).document)
    assert "`breaking`" in shown


async def test_enriching_again_reads_no_more_than_what_is_new(server, ctx):
    for number in range(1, 250):
        server.pulls[number] = merged(number, day=1 + number // 12)
    assert await enrich(ctx) == 249
    used, asked = server.used, len(server.sent)
    assert await enrich(ctx) <= 12
    assert server.used == used
    assert len(server.sent) == asked + 1


async def test_enriching_does_not_forget_reviewers(server, ctx):
    server.pulls[11] = merged(11)
    server.reviews[11] = [{"user": {"login": "bob"}, "state": "APPROVED"}]
    kept = await request_of(11, ctx)
    assert kept is not None
    await enrich(ctx)
    again = (await ctx.requests.load(REPOSITORY, [11]))[11]
    assert [one.verdict for one in again.request.reviewers] == [ReviewVerdict.APPROVED]


async def test_nobody_is_not_asked_unasked(server, ctx, forge):
    forge.eager = False
    assert await enrich(ctx) == 0
    assert server.sent == []


async def test_who_reviewed_it_is_what_the_forge_says(server, ctx):
    server.pulls[11] = merged(11)
    server.reviews[11] = [{"user": {"login": "bob"}, "state": "APPROVED"}]
    assert "bob approved" in markdown((await ask("who reviewed #11", ctx)).document)
    server.script.extend([Fails(502), Fails(502)])
    assert "bob approved" in markdown((await ask("who reviewed #11", ctx)).document)
    offer(server)
    assert "bob approved" in markdown((await ask("who reviewed #12", ctx)).document)


async def test_hostile_words_stay_words(server, ctx):
    offer(server)
    server.pulls[12]["title"] = "<!channel> [x](http://evil) `a`\u0000"
    server.pulls[12]["labels"] = [{"name": "`@everyone` <script>"}]
    server.reviews[12][0]["user"]["login"] = "*bold*"
    shown = markdown((await ask("explain #12", ctx)).document)
    assert "[x](http://evil)" not in shown
    assert "\0" not in shown


async def test_change_that_only_a_label_makes_one_of_a_topic_says_so(server, ctx):
    server.pulls[11] = merged(11, labels=[{"name": "kv-connector"}])
    first, second = ctx.watched.source.branch_changes
    await ensure(ctx, [first.sha, second.sha], await tip_of(ctx))
    await enrich(ctx)
    ctx = replace(ctx, clock=FixedClock(NOW + timedelta(hours=1)))
    for topic in ("in connector", "label:kv-connector"):
        (row,) = (await ask(f"what changed {topic} in January 2026", ctx)).rows
        assert (row.graded.sha, row.why) == (first.sha, "label kv-connector")
    (row,) = (await ask("what changed in crash in January 2026", ctx)).rows
    assert row.why == "title: crash"


async def test_filters_are_tried_on_what_the_forge_calls_changes(server, ctx):
    server.pulls[11] = merged(11, labels=[{"name": "kv-connector"}])
    await enrich(ctx)
    ctx = replace(ctx, clock=FixedClock(NOW + timedelta(hours=1)))
    tried = await last_week(
        ctx, Room(chat=ChatKey(platform="x", chat="y"), chats=None, repositories=())
    )
    rule = Rule(field=RuleField.LABEL, pattern="KV Connector")
    assert (tried.total, tried.kept(Filters(include=(rule,)))) == (2, (1,))
    assert tried.rules(Filters(exclude=(rule,))) == ["exclude label KV Connector"]


def publish(server) -> None:
    for tag, name, day in (("v2", "The second", "22"), ("v1", "v1", "20"), ("v0", "Old", "01")):
        at = f"2026-01-{day}T00:00:00Z"
        server.releases.append(
            {"tag_name": tag, "name": name, "body": "", "draft": False, "published_at": at}
        )


def tagged(source) -> None:
    source.tags = {"v1": "bbbbbbb2".ljust(40, "0"), "v2": "aaaaaaa1".ljust(40, "0")}


async def test_notes_of_two_releases_tell_when_they_were_published(server, source, ctx):
    tagged(source)
    publish(server)
    shown = markdown((await ask("compare v1 v2", ctx)).document)
    assert "v2 (The second), published on 2026-01-22" in shown
    assert "v1, published on 2026-01-20" in shown
    assert "Old" not in shown
    assert "发布于 2026-01-22" in markdown((await ask("对比 v1 v2", ctx)).document)


@pytest.mark.parametrize("act", [Breaks(), Fails(404), Fails(500)])
async def test_notes_are_whole_without_the_forge(server, source, ctx, act):
    tagged(source)
    server.script.extend([act] * 9)
    answer = await ask("compare v1 v2", ctx)
    assert answer.total == 1
    assert "published on" not in markdown(answer.document)
