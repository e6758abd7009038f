"""Descriptions of merged requests, read without an account when a digest is made."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bot.app import open_workspace
from digest.document import plain
from digest.markdown import markdown
from digest.report.condensed import digest_document
from digest.report.full_report import report_document
from digest.window import Window
from handlers.digests.daily import digest_of_window
from tests.servers.github import GitHubServer, merged
from tests.servers.loopback import Fails
from tests.support.builders import RepositoryBuilder

HOST = "ghe.example.org"

BODY = """\
## Purpose

Requests that end while the pool is being resized no longer wait for ever.

## Test Plan

pytest tests/test_pool.py

```release-note
[BUGFIX] Pool: a request that ends during a resize is answered at once.
```
"""


@pytest.fixture
def server():
    with GitHubServer(anonymous=True) as started:
        yield started


@pytest.fixture
def repository(tmp_path):
    made = RepositoryBuilder(tmp_path / "engine")
    now = datetime.now(UTC).replace(microsecond=0)
    made.commit("Start", {"src/a.py": "x = 1\n"}, at=now - timedelta(days=40))
    made.commit("Resize (#11)", {"src/a.py": "x = 2\n"}, at=now - timedelta(minutes=5))
    return made


@pytest.fixture
def configure(tmp_path, server, repository):
    def write(more: str = ""):
        written = tmp_path / "digestbot.toml"
        written.write_text(
            f"""
data = "data"
[forges.work]
kind = "github"
host = "{HOST}"
api = "{server.url}"
[[repositories]]
place = "{repository.path}"
name = "octo/engine"
web = "https://{HOST}/octo/engine"
forge = "github"
{more}
"""
        )
        written.chmod(0o600)
        return written

    return write


def day(back: int) -> Window:
    until = datetime.now(UTC).replace(microsecond=0) - timedelta(days=back) + timedelta(hours=1)
    from zoneinfo import ZoneInfo

    return Window(since=until - timedelta(days=2), until=until, zone=ZoneInfo("UTC"))


async def told(file, back: int = 0):
    async with open_workspace(file) as app:
        watched = await app.watch("octo/engine")
        ctx = app.context(watched, zone=app.zone("UTC"))
        return (await digest_of_window(ctx, day(back))).report


async def test_a_digest_reads_one_page_and_tells_the_note_for_the_release(server, configure):
    server.pulls[11] = merged(11, body=BODY, updated_at=datetime.now(UTC).strftime("%FT%TZ"))
    report = await told(configure())
    page = markdown(report_document(report, report.language))
    assert "Pool: a request that ends during a resize is answered at once." in page
    assert len(server.sent) == 1
    again = await told(configure())
    assert plain(again.lead) == plain(report.lead)
    assert len(server.sent) == 1


async def test_a_description_without_a_note_is_quoted_as_the_authors_words(server, configure):
    body = BODY.partition("```")[0]
    server.pulls[11] = merged(11, body=body, updated_at=datetime.now(UTC).strftime("%FT%TZ"))
    report = await told(configure())
    (entry,) = report.entries
    assert entry.graded.description.paragraphs == (
        "Requests that end while the pool is being resized no longer wait for ever.",
    )


async def test_nothing_is_asked_where_it_is_off_or_long_ago(server, configure):
    server.pulls[11] = merged(11, body=BODY)
    await told(configure("descriptions = false"))
    await told(configure(), back=39)
    assert server.sent == []


@pytest.mark.parametrize("acts", [[Fails(502), Fails(502)], []])
async def test_without_an_answer_the_digest_is_told_all_the_same(server, configure, acts):
    server.script.extend(acts)
    report = await told(configure())
    assert len(report.entries) == 1
    assert "Resize" in markdown(
        digest_document(report, report.language, least=report.entries[0].level)
    )
