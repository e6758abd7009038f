"""GitLab and Gitea behind the same protocol as GitHub."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bot.forges import gitea as gitea_client
from bot.forges import gitlab as gitlab_client
from bot.forges.forge_client import ForgeClient, ForgePage, Token
from bot.forges.gitea import Gitea
from bot.forges.gitlab import GitLab
from bot.store.forge_records import SqlPages
from bot.util.machine import SystemClock
from digest.core.change import FileStatus
from digest.core.request import (
    Checks,
    CheckState,
    IssueState,
    RequestState,
    Reviewer,
    ReviewVerdict,
)
from digest.errors import ForgeLimited, ForgeUnauthorized, NotOnForge
from tests.servers import gitea, gitlab

PATCH = "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"

DIFF = (
    f"diff --git a/src/a.py b/src/a.py\nindex 1..2 100644\n--- a/src/a.py\n+++ b/src/a.py\n{PATCH}"
)

PERSON = {"name": "Ada", "email": "ada@example.org", "date": "2026-01-02T03:04:05+01:00"}


@pytest.fixture
def lab():
    with gitlab.GitLabServer() as server:
        yield server


@pytest.fixture
def tea():
    with gitea.GiteaServer() as server:
        yield server


@pytest.fixture
async def at_gitlab(lab, database):
    clock = SystemClock()
    wire = ForgeClient(
        f"{lab.url}/api/v4",
        Token(gitlab.TOKEN, header="private-token"),
        clock,
        pages=SqlPages(database, clock),
    )
    yield GitLab(wire, "group/sub/engine")
    await wire.aclose()


@pytest.fixture
async def at_gitea(tea):
    wire = ForgeClient(f"{tea.url}/api/v1", Token(gitea.TOKEN, scheme="token"), SystemClock())
    yield Gitea(wire, "octo/engine")
    await wire.aclose()


async def test_gitlab_request_has_labels_issues_and_approvals(lab, at_gitlab):
    lab.requests[12] = gitlab.merge_request(
        12,
        "Fuse",
        description="Closes #3 and fixes https://gitlab.com/group/sub/engine/-/issues/4",
        labels=["moe", "perf"],
        reviewers=[{"username": "bob"}, {"username": "cyd"}],
        changes_count="1000+",
    )
    lab.approvals[12] = ["bob"]
    request = await at_gitlab.request(12)
    assert (request.state, request.author, request.labels) == (
        RequestState.OPEN,
        "ada",
        ("moe", "perf"),
    )
    assert request.issues == (3, 4)
    assert request.files == 1001
    assert request.updated_at == datetime(2026, 1, 21, 23, tzinfo=UTC)
    assert request.reviewers == (
        Reviewer(name="bob", verdict=ReviewVerdict.APPROVED),
        Reviewer(name="cyd", verdict=ReviewVerdict.ASKED),
    )


@pytest.mark.parametrize(
    ("status", "checks"),
    [
        ("success", Checks(state=CheckState.PASSED)),
        ("running", Checks(state=CheckState.RUNNING)),
        ("manual", Checks(state=CheckState.RUNNING)),
        ("failed", Checks(state=CheckState.FAILED, failed=("pipeline 9",))),
    ],
)
async def test_gitlab_checks_are_those_of_the_newest_pipeline(lab, at_gitlab, status, checks):
    lab.requests[12] = gitlab.merge_request(12)
    request = await at_gitlab.request(12)
    assert await at_gitlab.checks(request) is None
    lab.pipelines[12] = [{"id": 9, "status": status}, {"id": 8, "status": "failed"}]
    assert await at_gitlab.checks(request) == checks


async def test_gitea_checks_are_the_statuses_of_the_newest_commit(tea, at_gitea):
    tea.pulls[12] = gitea.pull(12)
    request = await at_gitea.request(12)
    assert await at_gitea.checks(request) is None
    tea.statuses[request.head] = [
        {"context": "build", "status": "failure"},
        {"context": "build", "status": "failure"},
        {"context": "lint", "status": "warning"},
    ]
    assert await at_gitea.checks(request) == Checks(state=CheckState.FAILED, failed=("build",))


async def test_gitlab_request_of_a_list_says_nothing_of_its_reviews(lab, at_gitlab):
    lab.requests[12] = gitlab.merge_request(12, state="merged")
    assert (await at_gitlab.request(12)).reviewed
    assert [one.reviewed async for page in at_gitlab.recent(None) for one in page] == [False]


@pytest.mark.parametrize(
    ("more", "merge_commit"),
    [
        ({"merge_commit_sha": "a" * 40}, "a" * 40),
        ({"squash_commit_sha": "b" * 40}, "b" * 40),
        ({}, f"{12:040x}"),
    ],
)
async def test_gitlab_merged_request_knows_its_commit(lab, at_gitlab, more, merge_commit):
    lab.requests[12] = gitlab.merge_request(
        12, state="merged", merged_at="2026-01-22T00:00:00Z", **more
    )
    request = await at_gitlab.request(12)
    assert (request.state, request.merge_commit) == (RequestState.MERGED, merge_commit)


async def test_gitlab_patch_has_all_pages_and_knows_what_is_too_large(lab, at_gitlab):
    lab.requests[12] = gitlab.merge_request(12, changes_count="150")
    lab.diffs[12] = [
        {"old_path": f"{n}.py", "new_path": f"{n}.py", "diff": PATCH, "too_large": n == 1}
        for n in range(149)
    ] + [{"old_path": "old.py", "new_path": "new.py", "diff": "", "renamed_file": True}]
    patch = await at_gitlab.patch(await at_gitlab.request(12))
    assert (len(patch.files), patch.truncated) == (150, False)
    assert (patch.files[0].added, patch.files[0].hunks[0].added) == (1, ("c",))
    assert patch.files[1].omitted
    assert (patch.files[-1].status, patch.files[-1].old_path) == (FileStatus.RENAMED, "old.py")


async def test_gitlab_issue_commit_and_releases(lab, at_gitlab):
    lab.issues[7] = {**gitlab.merge_request(7, "It crashes"), "state": "closed", "closed_at": None}
    lab.related[7] = [{"iid": 12}, {"iid": 13}]
    issue = await at_gitlab.issue(7)
    assert (issue.state, issue.mentions) == (IssueState.CLOSED, (12, 13))
    lab.commits["c" * 40] = {
        "id": "c" * 40,
        "parent_ids": ["b" * 40],
        "author_name": "Ada",
        "author_email": "ada@example.org",
        "authored_date": "2026-01-02T00:00:00Z",
        "committed_date": "2026-01-03T00:00:00Z",
        "message": "Fix it\n",
    }
    lab.diffs[0] = [{"old_path": "a", "new_path": "a", "diff": PATCH}]
    change = await at_gitlab.change("c" * 40)
    assert (change.commit.subject, change.commit.parents, len(change.files)) == (
        "Fix it",
        ("b" * 40,),
        1,
    )
    lab.releases = [
        {"tag_name": "v1", "name": "", "released_at": "2026-01-01T00:00:00Z", "description": None}
    ]
    assert [(r.tag, r.name) for r in await at_gitlab.releases()] == [("v1", "v1")]


async def test_gitlab_list_is_read_to_what_is_known(lab, at_gitlab):
    for n in range(1, 250):
        at = f"2026-01-{1 + n // 12:02}T00:00:00Z"
        lab.requests[n] = gitlab.merge_request(n, state="merged", updated_at=at)
    lab.requests[250] = gitlab.merge_request(250)
    found = [one async for page in at_gitlab.recent(None) for one in page]
    assert len(found) == 249
    lab.sent.clear()
    fresh = [
        one async for page in at_gitlab.recent(datetime(2026, 1, 20, tzinfo=UTC)) for one in page
    ]
    assert 0 < len(fresh) < 30
    assert len(lab.sent) == 1
    assert "if-none-match" in lab.sent[0].headers


async def test_gitlab_says_that_a_limit_is_reached_and_what_is_left(lab, at_gitlab):
    lab.requests[12] = gitlab.merge_request(12)
    await at_gitlab.request(12)
    assert at_gitlab.wire.limits.quota.remaining == 1998
    lab.remaining = 0
    with pytest.raises(ForgeLimited):
        await at_gitlab.request(12)


async def test_gitlab_refuses_strangers_and_hides_what_is_private(lab):
    wrong = ForgeClient(
        f"{lab.url}/api/v4", Token("glpat-wrong", header="private-token"), SystemClock()
    )
    with pytest.raises(ForgeUnauthorized):
        await gitlab_client.standing(wrong)
    await wrong.aclose()
    nobody = ForgeClient(f"{lab.url}/api/v4", Token(), SystemClock())
    with pytest.raises(NotOnForge):
        await GitLab(nobody, "group/sub/engine").request(12)
    await nobody.aclose()


async def test_gitea_request_has_labels_and_reviews_and_lines_from_its_diff(tea, at_gitea):
    tea.pulls[12] = gitea.pull(12, "Fuse", labels=[{"name": "moe"}], body="Fixes #3")
    tea.reviews[12] = [
        {"user": {"login": "bob"}, "state": "REQUEST_CHANGES"},
        {"user": {"login": "bob"}, "state": "APPROVED"},
        {"user": {"login": "cyd"}, "state": "APPROVED", "dismissed": True},
        {"user": None, "state": "REQUEST_REVIEW"},
    ]
    tea.diffs["12.diff"] = DIFF
    request = await at_gitea.request(12)
    assert (request.labels, request.issues) == (("moe",), (3,))
    assert request.reviewers == (
        Reviewer(name="bob", verdict=ReviewVerdict.APPROVED),
        Reviewer(name="cyd", verdict=ReviewVerdict.DISMISSED),
        Reviewer(name="ghost", verdict=ReviewVerdict.ASKED),
    )
    patch = await at_gitea.patch(request)
    assert [(file.path, file.added, file.deleted) for file in patch.files] == [("src/a.py", 1, 1)]
    assert not patch.truncated


async def test_gitea_list_is_read_page_by_page(tea, at_gitea):
    for n in range(1, 130):
        tea.pulls[n] = gitea.pull(n, state="closed", merged=bool(n % 2), merge_commit_sha="a" * 40)
    found = [one async for page in at_gitea.recent(None) for one in page]
    assert len(found) == 65
    assert {one.state for one in found} == {RequestState.MERGED}


async def test_gitea_issue_commit_and_releases(tea, at_gitea):
    tea.issues[7] = {**gitea.pull(7, "It crashes"), "closed_at": None}
    tea.timelines[7] = [{"type": "pull_ref", "ref_issue": {"number": 12}}, {"type": "comment"}]
    assert (await at_gitea.issue(7)).mentions == (12,)
    sha = "c" * 40
    tea.commits[sha] = {
        "sha": sha,
        "parents": [{"sha": "b" * 40}],
        "commit": {"message": "Fix it", "author": PERSON, "committer": PERSON},
    }
    tea.diffs[f"{sha}.diff"] = DIFF
    change = await at_gitea.change(sha)
    assert (change.commit.subject, [file.path for file in change.files]) == ("Fix it", ["src/a.py"])
    tea.releases = [
        {"tag_name": "v2", "draft": True, "published_at": "2026-01-02T00:00:00Z"},
        {"tag_name": "v1", "name": "One", "published_at": "2026-01-01T00:00:00Z"},
    ]
    assert [r.tag for r in await at_gitea.releases()] == ["v1"]


async def test_gitea_refuses_strangers_and_answers_nobody_with_its_version(tea):
    wrong = ForgeClient(f"{tea.url}/api/v1", Token("wrong", scheme="token"), SystemClock())
    with pytest.raises(ForgeUnauthorized):
        await gitea_client.standing(wrong)
    await wrong.aclose()
    # A token that may only read repositories does not see its own account.
    for token in (Token(), Token(gitea.TOKEN, scheme="token")):
        wire = ForgeClient(f"{tea.url}/api/v1", token, SystemClock())
        assert await gitea_client.standing(wire) == {"version": "1.24.0"}
        await wire.aclose()


@pytest.mark.parametrize("most", [1, 3])
async def test_a_list_is_read_up_to_a_number_of_pages(lab, monkeypatch, most):
    wire = ForgeClient(lab.url, Token(gitlab.TOKEN), SystemClock())

    async def page(path, _what, *, query=None):
        return ForgePage(value=[path], link=f'<{lab.url}/next>; rel="next"')

    monkeypatch.setattr(wire, "get", page)
    pages = [one async for one in wire.listed("first", "a list", query={}, most=most)]
    assert len(pages) == most
    await wire.aclose()
