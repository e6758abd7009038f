"""Every page in every form, over a real archive: what it holds, and who may see it."""

from __future__ import annotations

import re
import sqlite3
from collections import OrderedDict
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import feedparser
import httpx
import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate
from structlog.testing import capture_logs

from bot.config.reader import read as read_config
from bot.delivery.payload import freeze
from bot.store.digests import DigestHeading, KeptDigest
from bot.store.rows import raise_revision
from bot.web.pages import period_page, rows
from bot.web.pages.page_table import PAGES, schemas
from bot.web.pages.routes import routes
from bot.web.server import application
from digest.core.grade import Level, Repository
from digest.core.request import PullRequest, RequestState
from digest.document import Document, Text
from digest.document import Heading as Title
from digest.window import Window
from handlers.digests.ingest import ensure, tip_of
from handlers.ports.storage import Outcome, State
from tests.servers.pages import MONDAY, TOKEN, UTC_ZONE, answering, shelved
from tests.support.builders import RepositoryBuilder
from tests.support.fakes import graded

OPEN = "/r/owner/open"

CLOSED = "/r/owner/closed"

WITHIN = (
    "/-/days/2026-03-02",
    "/-/weeks/2026-W10",
    "/-/changes/3",
    "/-/topics/pool",
    "/-/search?q=pool",
    "/-/compare/v0.1.0...v0.2.0",
    "/-/compare",
)

ANSWERS = {entry.name: entry.answer for entry in PAGES}

EACH = [
    ("index", "/", "/index"),
    ("repository", OPEN, OPEN),
    ("day", OPEN + "/-/days/2026-03-03", OPEN + "/-/days/2026-03-03"),
    ("week", OPEN + "/-/weeks/2026-W10", OPEN + "/-/weeks/2026-W10"),
    ("change", OPEN + "/-/changes/1", OPEN + "/-/changes/1"),
    ("topic", OPEN + "/-/topics/pool", OPEN + "/-/topics/pool"),
    ("search", OPEN + "/-/search?q=pool", OPEN + "/-/search"),
    ("compare", OPEN + "/-/compare/v0.1.0...v0.2.0", OPEN + "/-/compare"),
    ("releases", OPEN + "/-/compare", OPEN + "/-/compare"),
]


POSTED = freeze(Document(title="t", blocks=(Title(1, (Text("t"),)),), language="en"), ())


def in_form(path: str, form: str) -> str:
    base, question, rest = path.partition("?")
    return f"{'/index' if base == '/' else base}.{form}{question}{rest}"


@pytest.mark.parametrize(("name", "path", "_"), EACH)
@pytest.mark.parametrize("language", ["en", "zh"])
async def test_page_in_every_form(client, name, path, _, language):
    wanted = {"accept-language": language}
    page = await client.get(path, headers=wanted)
    assert page.status_code == 200
    assert page.text.startswith(f'<!doctype html>\n<html lang="{language}">')
    assert page.text.rstrip().endswith("</html>")
    markdown = await client.get(in_form(path, "md"), headers=wanted)
    assert markdown.headers["content-type"] == "text/markdown; charset=utf-8"
    assert re.search(r"^# ", markdown.text, re.MULTILINE)
    told = (await client.get(in_form(path, "json"), headers=wanted)).json()
    schema = {"$ref": f"#/components/schemas/{ANSWERS[name]}", "components": {"schemas": schemas()}}
    Draft202012Validator(schema).validate(told)


async def test_openapi_is_valid_and_names_every_page(client):
    described = (await client.get("/openapi.json")).json()
    validate(described)
    feeds = {"feed", "digest_feed", "all_feed"}
    assert len(described["paths"]) == len(PAGES) + len(feeds)
    assert {one["get"]["operationId"] for one in described["paths"].values()} == feeds | {*ANSWERS}


async def test_day_holds_the_full_report(client):
    page = (await client.get(OPEN + "/-/days/2026-03-02")).text
    for said in ("Add a pool with a limit", "--pool-size", "Tell of pools", "Ada Lovelace"):
        assert said in page
    anchors = set(re.findall(r'id="(c-[0-9a-f]{12})"', page))
    assert len(anchors) == page.count("<details><summary>") == 2
    assert "https://github.com/owner/open/commit/" in page


async def test_long_window_is_paged_and_every_change_is_on_one_page(client):
    seen: list[str] = []
    for number in (1, 2, 3):
        told = (await client.get(f"{OPEN}/-/weeks/2026-W10.json?page={number}")).json()
        seen += [one["sha"] for one in told["commits"]]
        assert len(told["commits"]) <= 20
    assert told["pages"] == 3
    assert len(seen) == len(set(seen)) == told["counts"]["total"]
    beyond = await client.get(f"{OPEN}/-/weeks/2026-W10.json?page=99")
    assert beyond.json()["page"] == 3


@pytest.mark.parametrize(("path", "opens"), [("days/2026-03-03", True), ("weeks/2026-W10", False)])
async def test_page_has_every_change_and_a_day_writes_out_the_first(client, path, opens):
    page = (await client.get(f"{OPEN}/-/{path}")).text
    told = (await client.get(f"{OPEN}/-/{path}.json")).json()
    anchors = re.findall(r'id="c-([0-9a-f]{12})"', page)
    assert len(anchors) == len(set(anchors)) == told["counts"]["total"]
    written = re.findall(r'id="c-([0-9a-f]{12})"><details>', page)
    led = re.findall(r'id="c-[^>]+><b><a href="[^"]+/changes/([0-9a-f]{12})"', page)
    assert written + led == anchors
    assert bool(written) is opens


async def test_steps_lead_to_the_next_days_with_changes_and_keep_the_level(client):
    page = (await client.get(f"{OPEN}/-/days/2026-02-20?level=medium")).text
    steps = re.search(r'(?s)<nav class="steps".*?</nav>', page)
    assert steps
    assert 'rel="prev"' not in steps[0]
    assert f'rel="next" href="{OPEN}/-/days/2026-03-02?level=medium">Mon 2 Mar' in steps[0]


@pytest.mark.parametrize("level", list(Level))
async def test_level_is_the_least(client, level):
    told = (await client.get(f"{OPEN}/-/weeks/2026-W10.json?level={level}")).json()
    assert told["commits"]
    assert {Level(one["level"]).rank <= level.rank for one in told["commits"]} == {True}
    found = (await client.get(f"{OPEN}/-/search.json?q=step&level={level}")).json()
    assert all(Level(one["level"]).rank <= level.rank for one in found["changes"])
    assert found["levels"]["low"] >= 30


@pytest.mark.parametrize(
    "path",
    [
        "/r/nobody",
        "/r/owner",
        OPEN + "/-/days/2026-02-30",
        OPEN + "/-/days/today",
        OPEN + "/-/weeks/2026-W60",
        OPEN + "/-/weeks/0000-W01",
        OPEN + "/-/changes/deadbeefdead",
        OPEN + "/-/changes/999999999999999999",
        OPEN + "/-/changes/..%2f..",
        OPEN + "/-/feed.atom?topic=nosuchtopic",
        "/static/x/nothing.css",
        "/static/x/..%2fstyle.css",
        "/etc/passwd",
    ],
)
async def test_what_is_not_there(client, path):
    for address in (path, in_form(path, "json")):
        answer = await client.get(address)
        assert answer.status_code == 404
        assert "content-security-policy" in answer.headers


@pytest.mark.parametrize("rest", ["", *WITHIN, "/-/feed.atom", "/-/feed.json"])
async def test_private_repository_is_not_there_for_strangers(client, rest):
    path = CLOSED + rest
    answer = await client.get(path)
    assert answer.status_code == 404
    assert (await client.get("/r/owner/nought" + rest)).text.replace("nought", "closed") == (
        answer.text
    )
    assert "owner/closed" not in (await client.get("/")).text
    await client.post("/admin/sign-in", data={"token": TOKEN})
    assert (await client.get(path)).status_code == 200
    assert "owner/closed" in (await client.get("/index.json")).text


async def test_answers_are_kept_until_something_changes(client):
    kept = ("/-/days/2026-03-02", "/-/compare/v0.1.0...v0.2.0", "/-/compare", "/-/feed.atom")
    for path in ("/", OPEN, *(OPEN + within for within in kept), "/openapi.json"):
        first = await client.get(path)
        tag = first.headers["etag"]
        again = await client.get(path, headers={"if-none-match": f'"other", {tag}'})
        assert (again.status_code, again.content) == (304, b"")
        chinese = {"if-none-match": tag, "accept-language": "zh"}
        if path != "/openapi.json":
            assert (await client.get(path, headers=chinese)).status_code == 200
    style = re.search(r"/static/\w+/style\.css", (await client.get("/")).text)
    assert style
    file = await client.get(style[0])
    assert "immutable" in file.headers["cache-control"]
    assert file.headers["content-encoding"] == "gzip"


async def test_chosen_language_stays(client):
    assert 'lang="zh"' in (await client.get("/?lang=zh")).text
    assert 'lang="zh"' in (await client.get(OPEN)).text
    assert 'lang="en"' in (await client.get(OPEN + "?lang=en")).text
    assert 'lang="en"' in (await client.get(OPEN)).text


async def test_pages_weigh_little(client):
    for path in (OPEN + "/-/weeks/2026-W10", OPEN + "/-/days/2026-03-04", OPEN, "/"):
        page = (await client.get(path)).text
        assert len(re.sub(r"(?s)<figure.*?</figure>", "", page).encode()) < 100_000


async def test_atom_feed(client):
    answer = await client.get(OPEN + "/-/feed.atom?level=medium")
    assert answer.headers["content-type"].startswith("application/atom+xml")
    feed = feedparser.parse(answer.content)
    assert not feed.bozo
    assert feed.version == "atom10"
    assert feed.entries
    ids = [entry.id for entry in feed.entries]
    assert len(ids) == len(set(ids))
    address = OPEN + "/-/feed.atom?level=medium"
    elsewhere = await client.get(address, headers={"host": "other"})
    assert set(ids) == {entry.id for entry in feedparser.parse(elsewhere.content).entries}
    assert {entry.tags[0].term for entry in feed.entries} <= {"high", "medium"}


async def test_json_feed(client):
    answer = await client.get(OPEN + "/-/feed.json?topic=pool")
    assert answer.headers["content-type"] == "application/feed+json"
    feed = answer.json()
    schema = {"$ref": "#/components/schemas/Feed", "components": {"schemas": schemas()}}
    Draft202012Validator(schema).validate(feed)
    assert feed["feed_url"] == f"http://pages{OPEN}/-/feed.json?topic=pool"
    assert "Remove the wait" in "".join(item["title"] for item in feed["items"])
    for item in feed["items"]:
        assert (await client.get(item["url"])).status_code == 200


@pytest.mark.parametrize(
    ("written", "shown"),
    [("", r"[0-9a-f]{10}"), ("a\x1b[31mb", "a.\\[31mb"), ("x" * 900, "x{399}…")],
)
async def test_feeds_show_a_title_whatever_was_written(client, tmp_path, written, shown):
    with closing(sqlite3.connect(tmp_path / "copied" / "archive.sqlite3")) as archive, archive:
        archive.execute("UPDATE contents SET subject = json_set(subject, '$.title', ?)", (written,))
    atom = feedparser.parse((await client.get(OPEN + "/-/feed.atom")).content)
    told = (await client.get(OPEN + "/-/feed.json")).json()
    titles = [one.title for one in atom.entries] + [item["title"] for item in told["items"]]
    assert titles
    assert [title for title in titles if not re.fullmatch(shown, title)] == []
    assert "\x1b" not in "".join(titles)


async def test_repository_that_is_called_like_a_form(configuration):
    async with shelved(configuration) as (_, site):
        named = replace(site.repositories[0].repository, name="owner/data.json")
        other = replace(site.repositories[0], repository=named)
        pages = application({"/": routes(replace(site, repositories=[other]))})
        transport = httpx.ASGITransport(app=pages)
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            page = await reader.get("/r/owner/data.json")
            assert page.headers["content-type"].startswith("text/html")
            assert (await reader.get("/r/owner/data.json.json")).json()["changes"] == 0


async def test_change_leads_to_the_digest_that_announced_it(client):
    page = (await client.get(OPEN + "/-/changes/3")).text
    assert "Announced" not in page
    (graded,) = await client.app.archive.find(Repository(name="owner/open"), 3)
    first = datetime(2026, 3, 2, tzinfo=UTC)
    for name, days in (("weekly:owner/open", 7), ("daily:owner/open", 1)):
        until = first + timedelta(days=days)
        heading = DigestHeading(
            name=f"{name}:main:2026-03-02:team",
            repository="owner/open",
            branch="main",
            window=Window(since=first, until=until, zone=ZoneInfo("UTC")),
            created_at=until,
            counts={},
        )
        told = (Outcome(sha=graded.sha, state=State.POSTED),)
        await client.app.digests.keep(
            KeptDigest(heading=heading, document=POSTED, markdown="", outcomes=told)
        )
        page = (await client.get(OPEN + f"/-/changes/3?fresh={days}")).text
        (address,) = re.findall(r'Announced in the digest of <a href="([^"]+)">2026-03-02', page)
        assert address == f"/digests/{heading.mark}"
        assert (await client.get(address)).status_code == 200


async def test_change_that_its_digest_lowered_says_so(client):
    repository = Repository(name="owner/open")
    (undone,) = await client.app.archive.find(repository, 3)
    assert undone.grade.level is not Level.LOW
    at = undone.commit.committed_at + timedelta(minutes=5)
    revert = graded("abcdefa", f'Revert "{undone.title}"', at=at)
    await client.app.archive.save(repository, [revert])
    assert "By itself it is" not in (await client.get(OPEN + "/-/changes/3?fresh=1")).text
    heading = DigestHeading(
        name="daily:owner/open:main:2026-03-02:team",
        repository="owner/open",
        branch="main",
        window=Window(since=at - timedelta(days=1), until=at, zone=ZoneInfo("UTC")),
        created_at=at + timedelta(hours=1),
        counts={},
    )
    told = tuple(Outcome(sha=one.sha, state=State.ARCHIVED) for one in (revert, undone))
    await client.app.digests.keep(
        KeptDigest(heading=heading, document=POSTED, markdown="", outcomes=told)
    )
    page = (await client.get(OPEN + "/-/changes/3?fresh=2")).text
    assert re.search(r"By itself it is \w+\. Beside .* it is low: reverted by ", page)


async def test_topic_that_only_a_label_makes_says_so(client):
    repository = Repository(name="owner/open")
    now = datetime(2026, 3, 5, tzinfo=UTC)
    request = PullRequest(
        number=3,
        title="Any",
        state=RequestState.MERGED,
        author="ada",
        created_at=now,
        updated_at=now,
        labels=("<b>Zebrafish</b>",),
    )
    await client.app.requests.keep(repository, [request], now)
    page = await client.get(OPEN + "/-/topics/zebrafish")
    assert page.status_code == 200
    assert "label &lt;b&gt;Zebrafish&lt;/b&gt;" in page.text


@pytest.mark.parametrize("words", ["3", "#3", "!3", "{sha}", "{short}"])
async def test_search_for_a_number_or_a_commit_leads_to_the_change(client, words):
    told = (await client.get(OPEN + "/-/changes/3.json")).json()["change"]
    asked = words.format(sha=told["sha"], short=told["sha"][:8])
    answer = await client.get(OPEN + "/-/search", params={"q": asked})
    assert answer.status_code == 303
    assert answer.headers["location"] == f"{OPEN}/-/changes/{told['sha'][:12]}"


@pytest.mark.parametrize("words", ["999999", "deadbeef", "engine pool", "2026", "9" * 30])
async def test_search_for_anything_else_is_a_search(client, words):
    answer = await client.get(OPEN + "/-/search", params={"q": words})
    assert answer.status_code == 200
    assert 'id="q"' in answer.text


async def test_question_in_the_search_box_is_answered(configuration):
    async with shelved(configuration) as (app, site):
        pages = application({"/": routes(await answering(app, site))})
        transport = httpx.ASGITransport(app=pages)
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            for asked in ("what changed from 2026-03-02 to 2026-03-04", "2026年3月2日有哪些变更"):
                answer = await reader.get(OPEN + "/-/search", params={"q": asked})
                assert answer.status_code == 303
                assert answer.headers["location"].startswith(f"{OPEN}/-/ask?q=")
                answered = await reader.get(answer.headers["location"])
                assert "Add a pool with a limit" in answered.text
            for asked in ("status", "engine pool", "step"):
                assert (
                    await reader.get(OPEN + "/-/search", params={"q": asked})
                ).status_code == 200


async def test_what_is_not_there_in_a_repository_keeps_its_navigation(client):
    for path in ("/-/changes/999999", "/-/nothing", "/-/days/2026-02-30"):
        page = await client.get(OPEN + path)
        assert page.status_code == 404
        assert f'<a href="{OPEN}">owner/open</a>' in page.text
        assert f'action="{OPEN}/-/search"' in page.text
    assert "owner/closed" not in (await client.get(CLOSED + "/-/nothing")).text.replace(
        CLOSED + "/-/nothing", ""
    )


async def test_times_have_no_seconds_and_a_zone(client):
    for path in (OPEN + "/-/changes/3", OPEN + "/-/changes/1"):
        page = (await client.get(path)).text
        said = re.findall(r"<time[^>]*>([^<]*)</time>", page)
        assert said
        assert all(re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d UTC", one) for one in said)


async def test_row_is_made_again_only_if_its_change_is_another(client, monkeypatch):
    made: list[str] = []
    make = rows._made

    def counted(graded, *given, **named):
        made.append(graded.sha)
        return make(graded, *given, **named)

    monkeypatch.setattr(rows, "_made", counted)
    monkeypatch.setattr(rows, "_MADE", OrderedDict())
    path, repository = f"{OPEN}/-/weeks/2026-W10", Repository(name="owner/open")
    before = (await client.get(path)).text
    assert len(made) == len(set(made)) > 30
    async with client.app.database.writing() as connection:
        await raise_revision(connection, repository.name)
    assert (await client.get(path)).text == before
    assert len(made) == len(set(made))
    (graded,) = await client.app.archive.find(repository, 3)
    lower = replace(graded, grade=replace(graded.grade, level=Level.LOW, score=0.1))
    await client.app.archive.save(repository, [lower])
    after = (await client.get(path)).text
    assert made.count(graded.sha) == 2
    assert f'<li class="low" id="c-{graded.sha[:12]}">' in after


async def test_page_of_a_repository_ranks_as_the_first_page_does(client):
    """Only one repository is public: both begin with its last whole day and its last seven days."""
    first, own = [(await client.get(path)).text for path in ("/", OPEN)]
    ranked = re.findall(r'id="c-(\w+)"', first)
    assert ranked
    assert re.findall(r'id="c-(\w+)"', own) == ranked
    day = f'<a href="{OPEN}/-/days/2026-03-03">{{}}Tuesday 3 March 2026</a>: '
    lead = (await client.get(f"{OPEN}/-/days/2026-03-03")).text
    said = first.split(day.format("owner/open, "))[1].split("</li>")[0]
    assert said.startswith("31 commits, 1 of high importance")  # the rows above tell the rest
    assert f"{day.format('')}{said}" in own
    assert f'<p class="lead">{said}</p>' in lead


async def test_first_page_begins_with_what_matters_of_the_last_days(client):
    page = (await client.get("/")).text
    rows = re.findall(r'class="(\w+)" id="c-', page)
    assert rows
    assert set(rows) <= {"high", "medium"}
    assert "Yesterday: to act on <span" in page
    assert page.index(": to act on <span") < page.index("Remove the wait")
    assert page.index("Remove the wait") < page.index('class="lines leads"')  # said once is enough
    assert page.index("Remove the wait") < page.index('class="cards"')
    assert "closed" not in page
    assert f'role="search" action="{OPEN}/-/search"' in page
    await client.post("/admin/sign-in", data={"token": TOKEN})
    page = (await client.get("/")).text
    assert "<b><i>owner/closed</i>" in page
    assert 'role="search"' not in page  # which of both would it be?


@pytest.mark.parametrize("broken", ["rows_of", "entry_of"])
async def test_page_cut_by_an_error_ends_with_its_trace_and_is_asked_for_again(
    client, monkeypatch, broken
):
    """Whether the changes cannot be read, or one of them cannot be written out."""
    path = f"{OPEN}/-/days/2026-03-03"
    whole = await client.get(path)

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the secret of the matter")

    with monkeypatch.context() as patched, capture_logs() as logs:
        patched.setattr(period_page if broken == "rows_of" else rows, broken, fail)
        cut = await client.get(path)
    assert cut.status_code == 200
    assert re.search(r"under trace [0-9a-f]{12}\.</p></main></body></html>$", cut.text)
    assert "<h1>" in cut.text or broken == "rows_of"
    assert 'role="search"' in cut.text
    assert "secret" not in cut.text
    assert not re.search(r"<[^>]*<", cut.text)
    assert [one["path"] for one in logs if one["event"] == "web.broken"] == [path]
    again = await client.get(path, headers={"if-none-match": cut.headers["etag"]})
    assert (again.status_code, again.text) == (200, whole.text)


async def test_page_that_cannot_be_made_keeps_the_navigation(client, monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("the secret of the matter")

    monkeypatch.setattr(period_page, "select_lines", fail)
    path = f"{OPEN}/-/days/2026-03-03"
    with capture_logs() as logs:
        page = await client.get(f"{path}?lang=en")
        told = await client.get(f"{path}.json")
    assert page.status_code == told.status_code == 500
    assert page.headers["cache-control"] == "no-store"
    assert f'action="{OPEN}/-/search"' in page.text
    trace = told.json()["trace"]
    assert re.fullmatch("[0-9a-f]{12}", trace)
    assert re.search(r"The log has the cause under trace [0-9a-f]{12}\.", page.text)
    assert "secret" not in page.text
    assert "Nothing has been read" not in page.text
    assert len([one for one in logs if one["event"] == "web.broken"]) == 2


@pytest.mark.parametrize("part", ["authors", "topics"])
async def test_links_to_a_page_of_an_odd_name_lead_to_that_name(configuration, part):
    path = f"{OPEN}/-/{part}/50%2541%07%3Fa%23b%22"
    async with shelved(configuration) as (_, site):
        transport = httpx.ASGITransport(app=application({"/": routes(site)}))
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            page = (await reader.get(path)).text
    assert f'href="{path}?lang=zh"' in page
    assert not re.search(r'"[^"\s]*/50(?!%2541%07%3Fa%23b%22)', page)


OF_A_BRANCH = (
    "/index.json",
    f"{OPEN}.json",
    *(
        f"{OPEN}/-/{path}"
        for path in (
            "calendar.json",
            "days/2026-03-02.json",
            "weeks/2026-W10.json",
            "authors/Ada%20Lovelace.json",
            "topics/pool.json",
            "search.json?q=pool",
            "search.json?path=engine/",
            "feed.json",
            "feed.json?topic=pool",
            "changes/1.json",
        )
    ),
)


async def test_commit_of_another_branch_is_in_no_list_and_no_count(archived, configuration):
    """The commit has the number, the author, the words and the day of another one."""
    made = RepositoryBuilder(archived / "project")
    tree, base = made.git("rev-parse", "main^{tree}"), made.sha("v0.1.0")
    at = int((MONDAY + timedelta(hours=5)).timestamp())
    text = f"tree {tree}\nparent {base}\n" + "".join(
        f"{name} Ada Lovelace <ada@example.org> {at} +0000\n" for name in ("author", "committer")
    )
    message = f"{text}\n[Core]! Remove the pool of the side branch (#1)\n".encode()
    stray = made.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=message)
    async with shelved(configuration) as (app, site):
        transport = httpx.ASGITransport(app=application({"/": routes(site)}))
        async with httpx.AsyncClient(transport=transport, base_url="http://pages") as reader:
            before = [(await reader.get(path)).json() for path in OF_A_BRANCH]
            watched = await app.watch_configured(read_config(configuration).repositories[0])
            ctx = app.context(watched, zone=UTC_ZONE)
            (kept,) = await ensure(ctx, [stray], await tip_of(ctx))
            assert kept.title == "[Core]! Remove the pool of the side branch (#1)"
            after = [(await reader.get(path)).json() for path in OF_A_BRANCH]
            page = await reader.get(f"{OPEN}/-/changes/{stray}")
            other = await reader.get(f"{OPEN}/-/changes/1")
    assert after == before
    assert "On another branch" in page.text
    assert "On another branch" not in other.text
