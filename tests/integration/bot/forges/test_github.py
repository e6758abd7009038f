"""GitHub over HTTP: what is read, how it is paged, and every way in which it can fail."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from bot.forges import forge_transport
from bot.forges.forge_client import ForgeClient, Token, next_page
from bot.forges.github import HEADERS, GitHub, GitHubApp, standing
from digest.core.change import FileStatus
from digest.core.request import RequestState, Reviewer, ReviewVerdict
from digest.errors import ForgeDown, ForgeLimited, ForgeUnauthorized, NotOnForge
from tests.integration.bot.forges.conftest import ServerClock
from tests.servers.github import TOKEN, GitHubServer, merged, moment, pull
from tests.servers.loopback import Breaks, Fails, Hangs

PATCH = "@@ -1,3 +1,3 @@ def run():\n a\n-b\n+c\n d"


def a_file(name: str, **more):
    return {
        "filename": name,
        "status": "modified",
        "additions": 1,
        "deletions": 1,
        "sha": "a" * 40,
        "patch": PATCH,
        **more,
    }


async def test_request_is_read_with_labels_issues_and_reviews(server, forge):
    server.pulls[12] = pull(
        12,
        "Fuse the experts",
        body="Fixes #3, closes octo/engine#4 and resolves other/project#5.",
        labels=[{"name": "moe"}, {"name": "perf"}],
        requested_reviewers=[{"login": "cyd"}],
    )
    server.reviews[12] = [
        {"user": {"login": "bob"}, "state": "APPROVED"},
        {"user": {"login": "bob"}, "state": "COMMENTED"},
        {"user": {"login": "ada"}, "state": "COMMENTED"},
        {"user": None, "state": "CHANGES_REQUESTED"},
        {"user": {"login": "eve"}, "state": "PENDING"},
    ]
    request = await forge.request(12)
    assert (request.state, request.title, request.author) == (
        RequestState.OPEN,
        "Fuse the experts",
        "ada",
    )
    assert request.labels == ("moe", "perf")
    assert request.issues == (3, 4)
    assert request.reviewers == (
        Reviewer(name="cyd", verdict=ReviewVerdict.ASKED),
        Reviewer(name="bob", verdict=ReviewVerdict.APPROVED),
        Reviewer(name="ghost", verdict=ReviewVerdict.CHANGES_REQUESTED),
    )
    assert request.merge_commit == ""
    assert request.head == f"{12:040x}"


async def test_request_knows_merged_from_closed(server, forge):
    server.pulls[1] = merged(1)
    server.pulls[2] = pull(2, state="closed")
    assert (await forge.request(1)).state is RequestState.MERGED
    assert (await forge.request(1)).merge_commit == "f" * 40
    assert (await forge.request(2)).state is RequestState.CLOSED


async def test_patch_has_all_files_of_all_pages_with_their_lines(server, forge):
    server.pulls[12] = pull(12, changed_files=250)
    server.files[12] = [a_file(f"src/{n}.py") for n in range(250)]
    patch = await forge.patch(await forge.request(12))
    assert [file.path for file in patch.files] == [f"src/{n}.py" for n in range(250)]
    assert not patch.truncated
    (hunk,) = patch.files[0].hunks
    assert (hunk.old_start, hunk.new_start, hunk.removed, hunk.added) == (2, 2, ("b",), ("c",))
    assert hunk.section == "def run():"


async def test_patch_knows_that_more_than_3000_files_are_not_listed(server, forge):
    server.pulls[12] = pull(12, changed_files=3001)
    server.files[12] = [a_file(f"src/{n}.py") for n in range(3001)]
    patch = await forge.patch(await forge.request(12))
    assert (len(patch.files), patch.total, patch.truncated) == (3000, 3001, True)


async def test_patch_takes_a_file_without_lines_for_one_that_could_not_be_read(server, forge):
    server.pulls[12] = pull(12)
    server.files[12] = [
        a_file("big.json", patch=None, additions=9000),
        a_file("new.py", status="renamed", previous_filename="old.py"),
        a_file("gone.py", status="removed"),
    ]
    big, moved, gone = (await forge.patch(await forge.request(12))).files
    assert (big.omitted, big.added) == (True, 9000)
    assert (moved.status, moved.old_path) == (FileStatus.RENAMED, "old.py")
    assert (gone.status, gone.new_id) == (FileStatus.DELETED, "")


async def test_issue_tells_what_names_it_and_what_closed_it(server, forge):
    server.issues[7] = {
        **pull(7, "It crashes", state="closed", closed_at=moment(22)),
        "labels": [{"name": "bug"}],
    }
    here = {"full_name": "octo/engine"}
    server.timelines[7] = [
        {
            "event": "cross-referenced",
            "source": {"issue": {"number": 9, "repository": here, "pull_request": {"url": "x"}}},
        },
        {"event": "cross-referenced", "source": {"issue": {"number": 8, "repository": here}}},
        {
            "event": "cross-referenced",
            "source": {
                "issue": {"number": 5, "repository": {"full_name": "a/b"}, "pull_request": {}}
            },
        },
        {"event": "closed", "commit_id": "c" * 40},
        {"event": "closed", "commit_id": None},
    ]
    issue = await forge.issue(7)
    assert (issue.mentions, issue.closed_by, issue.labels) == ((9,), ("c" * 40,), ("bug",))


async def test_change_is_a_commit_that_no_clone_has(server, forge):
    server.commits["c" * 40] = {
        "sha": "c" * 40,
        "parents": [{"sha": "b" * 40}],
        "commit": {
            "message": "Fix it\n\nWith care.",
            "author": {"name": "Ada", "email": "ada@example.org", "date": moment(2)},
            "committer": {"date": moment(3)},
        },
        "files": [a_file(f"{n}.py") for n in range(120)],
    }
    change = await forge.change("c" * 40)
    assert (change.commit.subject, len(change.files)) == ("Fix it", 120)
    assert change.commit.committed_at == datetime(2026, 1, 3, tzinfo=UTC)
    with pytest.raises(NotOnForge):
        await forge.change("d" * 40)


async def test_recent_gives_merged_ones_page_by_page_until_it_reaches_what_was_read(server, forge):
    for number in range(1, 301):
        day = 1 + number // 12
        server.pulls[number] = (merged if number % 2 else pull)(
            number,
            **({"day": day} if number % 2 else {"state": "closed", "updated_at": moment(day)}),
        )
    found = [one async for page in forge.recent(None) for one in page]
    assert len(found) == 150
    assert [one.updated_at for one in found] == sorted(
        (one.updated_at for one in found), reverse=True
    )
    server.sent.clear()
    since = datetime(2026, 1, 25, tzinfo=UTC)
    fresh = [one async for page in forge.recent(since) for one in page]
    assert {one.number for one in fresh} == {one.number for one in found if one.updated_at >= since}
    assert len(server.sent) == 1


async def test_releases_leave_out_drafts(server, forge):
    out = {"tag_name": "v1", "name": "One", "published_at": moment(4), "body": "Notes"}
    server.releases = [{**out, "tag_name": "v2", "draft": True}, out]
    (release,) = await forge.releases()
    assert (release.tag, release.name, release.body) == ("v1", "One", "Notes")


async def test_what_did_not_change_is_asked_by_its_etag_and_costs_nothing(server, forge):
    server.pulls[12] = pull(12)
    first = await forge.request(12)
    used = server.used
    assert await forge.request(12) == first
    assert server.used == used
    assert all("if-none-match" in sent.headers for sent in server.sent[2:])
    server.pulls[12]["title"] = "Another title"
    assert (await forge.request(12)).title == "Another title"


async def test_etags_of_one_account_are_not_used_for_another(server, forge, database):
    server.pulls[12] = pull(12)
    await forge.request(12)
    server.tokens.add("ghp_another")
    clock = ServerClock(server)
    other = ForgeClient(
        server.url,
        Token("ghp_another", scheme="Bearer"),
        clock,
        pages=forge.wire._pages,
        headers=HEADERS,
    )
    await GitHub(other, "octo/engine").request(12)
    assert "if-none-match" not in server.sent[-1].headers
    await other.aclose()


async def test_primary_limit_stops_all_requests_until_it_is_over(server, forge):
    server.pulls[12] = pull(12)
    server.limit = 1
    with pytest.raises(ForgeLimited) as caught:
        await forge.request(12)
    asked = len(server.sent)
    with pytest.raises(ForgeLimited):
        await forge.request(12)
    assert len(server.sent) == asked
    assert caught.value.until > ServerClock(server).now() + timedelta(minutes=25)
    server.limit, server.skew = 5000, 2000
    assert (await forge.request(12)).number == 12


async def test_retry_after_is_waited_for(server, forge):
    server.pulls[12] = pull(12)
    server.script.append(Fails(429, {"message": "slow down"}, {"retry-after": "90"}))
    with pytest.raises(ForgeLimited) as caught:
        await forge.request(12)
    left = caught.value.until - ServerClock(server).now()
    assert timedelta(seconds=80) < left <= timedelta(seconds=90)
    server.skew = 91
    assert (await forge.request(12)).number == 12


async def test_secondary_limit_without_a_time_is_waited_for_longer_each_time(server, forge):
    server.pulls[12] = pull(12)
    refusal = {"message": "You have exceeded a secondary rate limit."}
    waits = []
    for _ in range(3):
        server.script.append(Fails(403, refusal))
        with pytest.raises(ForgeLimited) as caught:
            await forge.request(12)
        wait = (caught.value.until - ServerClock(server).now()).total_seconds()
        waits.append(round(wait / 60))
        server.skew += wait + 1
    assert waits == [1, 2, 4]
    await forge.request(12)


@pytest.mark.parametrize("number", [99, 2**40])
async def test_what_is_not_there_and_what_is_private_are_not_found(server, forge, number):
    with pytest.raises(NotOnForge, match=r"127\.0\.0\.1"):
        await forge.request(number)


async def test_private_repository_is_not_found_by_nobody(server):
    nobody = ForgeClient(server.url, Token(), ServerClock(server), headers=HEADERS)
    forge = GitHub(nobody, "octo/engine")
    server.pulls[12] = pull(12)
    with pytest.raises(NotOnForge):
        await forge.request(12)
    assert not forge.eager
    await nobody.aclose()


async def test_token_that_is_not_taken_is_unauthorized_and_not_told(server):
    wrong = ForgeClient(
        server.url, Token("ghp_wrong-secret", scheme="Bearer"), ServerClock(server), headers=HEADERS
    )
    with pytest.raises(ForgeUnauthorized) as caught:
        await GitHub(wrong, "octo/engine").request(12)
    assert "ghp_wrong-secret" not in str(caught.value)
    assert len(server.sent) == 1
    await wrong.aclose()


async def test_token_that_may_not_is_unauthorized(server, forge):
    server.script.append(
        Fails(403, {"message": "Resource not accessible by personal access token"})
    )
    with pytest.raises(ForgeUnauthorized, match="#12"):
        await forge.request(12)


@pytest.mark.parametrize("act", [Breaks(), Fails(502, "bad gateway"), Fails(500)])
@pytest.mark.usefixtures("quick")
async def test_one_failure_is_made_up_for_and_two_are_down(server, forge, act):
    server.pulls[12] = pull(12)
    server.script.append(act)
    assert (await forge.request(12)).number == 12
    # A connection that was cut off while it was idle is tried once more by the library.
    server.script.extend([act] * 4)
    with pytest.raises(ForgeDown):
        await forge.request(12)


@pytest.mark.usefixtures("quick")
async def test_silence_is_down(server, forge, monkeypatch):
    monkeypatch.setattr(forge_transport, "_WHOLE", 0.2)
    server.script.extend([Hangs(), Hangs()])
    with pytest.raises(ForgeDown, match="no answer in time"):
        await forge.request(12)


@pytest.mark.usefixtures("quick")
async def test_nobody_listens_is_down(server, database):
    closed = ForgeClient("http://127.0.0.1:9", Token(TOKEN), ServerClock(server), headers=HEADERS)
    with pytest.raises(ForgeDown):
        await GitHub(closed, "octo/engine").request(1)
    await closed.aclose()


@pytest.mark.parametrize(
    "body",
    ["<html>", "[]", {"number": "12"}, {"number": -1}, "[" * 100_000, {"number": 12, "title": 5}],
)
async def test_answer_without_sense_is_down(server, forge, body):
    server.script.append(Fails(200, body))
    server.script.append(Fails(200, []))
    with pytest.raises(ForgeDown, match="invalid response"):
        await forge.request(12)


async def test_huge_answer_is_cut_off(server, forge, monkeypatch):
    monkeypatch.setattr(forge.wire._transport._http, "_largest", 100_000)
    server.pulls[12] = pull(12, body="x" * 200_000)
    with pytest.raises(ForgeDown, match="more than 100000 bytes"):
        await forge.request(12)


async def test_redirect_on_the_same_host_is_followed(server, forge):
    server.pulls[12] = pull(12)
    where = {"location": f"{server.url}/repos/octo/engine/pulls/12"}
    server.script.append(Fails(301, "", where))
    assert (await forge.request(12)).number == 12


async def test_redirect_to_another_host_gets_no_token(server, forge):
    with GitHubServer() as other:
        server.script.append(
            Fails(302, "", {"location": f"{other.url}/repos/octo/engine/pulls/12"})
        )
        with pytest.raises(ForgeDown, match="another host"):
            await forge.request(12)
        assert other.sent == []


async def test_link_to_another_host_gets_no_token(server, forge):
    with GitHubServer() as other:
        link = {"link": f'<{other.url}/x?page=2>; rel="next"'}
        server.script.append(Fails(200, [], link))
        with pytest.raises(ForgeDown, match="another host"):
            _ = [page async for page in forge.recent(None)]
        assert other.sent == []


async def test_redirects_without_end_are_down(server, forge):
    for _ in range(8):
        server.script.append(Fails(302, "", {"location": "/repos/octo/engine/pulls/12"}))
    with pytest.raises(ForgeDown, match="too many redirects"):
        await forge.request(12)


async def test_enterprise_has_its_api_below_a_path(database):
    with GitHubServer(prefix="/api/v3") as server:
        server.pulls[12] = pull(12)
        own = ForgeClient(
            f"{server.url}/api/v3",
            Token(TOKEN, scheme="Bearer"),
            ServerClock(server),
            headers=HEADERS,
        )
        assert (await GitHub(own, "octo/engine").request(12)).number == 12
        await own.aclose()


async def test_standing_costs_nothing(server, connection):
    server.used = 10
    told = await standing(connection)
    assert told["resources"]["core"]["remaining"] == 4990
    assert server.used == 10


@pytest.fixture(scope="module")
def key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def pem(key: rsa.RSAPrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


@pytest.fixture
async def app_forge(server, key):
    server.public_key = key.public_key()
    clock = ServerClock(server)
    asking = ForgeClient(server.url, Token(), clock, headers=HEADERS)
    account = GitHubApp("4711", pem(key), asking, clock, installation=0, home="octo/engine")
    own = ForgeClient(server.url, account, clock, headers=HEADERS)
    yield GitHub(own, "octo/engine")
    await own.aclose()
    await asking.aclose()


async def test_app_buys_a_token_and_uses_it_until_it_is_about_to_end(server, app_forge):
    server.pulls[12] = pull(12)
    await app_forge.request(12)
    await app_forge.request(12)
    assert server.made_tokens == 1
    server.skew = 3600 - 299
    await app_forge.request(12)
    assert server.made_tokens == 2


async def test_app_whose_token_was_taken_back_buys_another(server, app_forge):
    server.pulls[12] = pull(12)
    await app_forge.request(12)
    server.tokens.clear()
    await app_forge.request(12)
    assert server.made_tokens == 2


async def test_app_with_a_key_that_is_none_is_unauthorized(server):
    clock = ServerClock(server)
    asking = ForgeClient(server.url, Token(), clock, headers=HEADERS)
    account = GitHubApp("4711", "not a key", asking, clock, installation=77, home="octo/engine")
    with pytest.raises(ForgeUnauthorized, match="app_key"):
        await account.headers()
    await asking.aclose()


@pytest.mark.parametrize(
    ("link", "following"),
    [
        (
            '<https://a/x?page=2>; rel="next", <https://a/x?page=9>; rel="last"',
            "https://a/x?page=2",
        ),
        ('<https://a/x?page=1>; rel="prev"', ""),
        ("", ""),
        ("nonsense, more; rel=next", ""),
        ('<https://a/2>; title="x"; rel="next"', "https://a/2"),
    ],
)
def test_next_page_is_what_the_link_header_says(link, following):
    assert next_page(link) == following
