"""A day of 54 changes on a screen: what matters is seen without scrolling."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from urllib.request import urlopen

import pytest
from markupsafe import Markup
from playwright.sync_api import sync_playwright

from tests.servers.pages import MONDAY, PagesServer, fill_archive, write_config
from tests.support.builders import RepositoryBuilder

HIGH = 20
CHANGES = 54
DAY = "/r/owner/open/-/days/2026-03-02"
CUT = """all => all.filter(one => one.scrollWidth > one.clientWidth
    || one.scrollHeight > one.clientHeight + 1).length"""
WEEK = "/r/owner/open/-/weeks/2026-W10"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Pages over a day of changes, of which twenty break something."""
    folder = tmp_path_factory.mktemp("screen")
    before = os.environ.get("DIGESTBOT_DATA")
    os.environ["DIGESTBOT_DATA"] = str(folder / "data")
    file = write_config(folder, build(folder / "project"))
    try:
        asyncio.run(fill_archive(file))
        with PagesServer(file) as server:
            yield server.address
    finally:
        os.environ.pop("DIGESTBOT_DATA")
        if before is not None:
            os.environ["DIGESTBOT_DATA"] = before


def build(folder: Path) -> Path:
    made = RepositoryBuilder(folder)
    flags = {
        f"engine/part{n}.py": "".join(
            f"parser.add_argument('--{name}-{n}', default=1)\n"
            for name in ("old", "older-with-a-name-that-takes-a-whole-line")
        )
        + "".join(f"def call{m}(a):\n    return a\n\n\n" for m in range(40))
        for n in range(HIGH)
    }
    flags["engine/call.py"] = 'def call():\n    """Do it."""\n'
    made.commit("Begin", flags, at=MONDAY - timedelta(days=1))
    before = MONDAY - timedelta(hours=12)
    old = 'def call():\n    """Do it.\n\n    .. deprecated:: 1.2\n        Use `later`.\n    """\n'
    made.commit("Deprecate call for later (#390)", {"engine/call.py": old}, at=before)
    for at, title in enumerate(("Add a cache (#391)", 'Revert "Add a cache (#391)" (#392)')):
        made.commit(
            title, {"engine/cache.py": f"a = {at}\n"}, at=before + timedelta(minutes=at + 1)
        )
    again = {"engine/cache.py": "a = 2\n"}
    made.commit("Add a cache (#391) (#393)", again, at=before + timedelta(minutes=9))
    for n in range(HIGH):
        made.commit(
            f"[Core]! Remove the old options of part {n} of the engine (#{n + 100})",
            {
                f"engine/part{n}.py": "".join(
                    f"def call{m}(a, b):\n    return a, b\n\n\n" for m in range(40)
                )
            },
            at=MONDAY + timedelta(minutes=n),
        )
    for n in range(CHANGES - HIGH):
        made.commit(
            f"[CI] Run the step number {n} of the tests (#{n + 200})",
            {f"ci/{n}.yml": f"step: {n}\n"},
            at=MONDAY + timedelta(minutes=60 + n),
        )
    many = "".join(f"parser.add_argument('--flag-{n}', default={n})\n" for n in range(400))
    made.commit("Add many flags (#400)", {"engine/many.py": many}, at=MONDAY + timedelta(days=1))
    path = "engine/options/a_long_name.py"
    made.commit("Add options (#401)", {path: "a = 1\n"}, at=MONDAY + timedelta(days=2))
    return made.path


def test_day_of_a_change_with_many_names_is_light(site: str):
    with urlopen(f"{site}/r/owner/open/-/days/2026-03-03") as answer:
        page = answer.read().decode()
    assert "--flag-0" in page
    assert "and 388 more" in page
    assert len(page) < 30_000
    with urlopen(f"{site}/r/owner/open/-/changes/400") as answer:
        page = answer.read().decode()
    assert "--flag-399" in page
    assert len(page) < 100_000  # 400 names; their lines are in the patch
    assert "--flag-0</code> <span" in page  # in a table
    assert "--flag-399</code></p>" in page  # behind it
    assert not re.search(r"and \d+ (other|more)", page)


def test_change_that_landed_again_under_its_title_says_so(site: str):
    with urlopen(f"{site}/r/owner/open/-/changes/391") as answer:
        page = Markup(answer.read().decode()).striptags()
    assert 'Reverted by Revert "Add a cache (#391)" #392' in page
    assert "Landed again as Add a cache (#391) #393" in page
    assert "Named by" not in page


def test_what_is_deprecated_stands_in_the_table_with_what_replaces_it(site: str):
    with urlopen(f"{site}/r/owner/open/-/changes/390") as answer:
        table = answer.read().decode().split('<table class="stack names">')[1].split("</table>")[0]
    told = [Markup(row).striptags() for row in table.split("<tr>") if "deprecated" in row]
    assert any(row.startswith("call deprecatedlatercall.py:4") for row in told), told


def test_path_is_broken_where_its_parts_meet(site: str):
    for address in ("/r/owner/open/-/changes/401", "/r/owner/open/-/changes/401/diff"):
        with urlopen(site + address) as answer:
            assert ">engine/<wbr>options/<wbr>a_<wbr>long_<wbr>name.<wbr>py</" in str(answer.read())


def test_every_high_change_is_seen_at_once_and_the_folded_page_is_short(site: str):
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
    if not chromium:
        pytest.skip("no Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        answer = page.goto(site + DAY)
        assert answer is not None
        assert len(answer.body()) <= 100_000
        rows = page.locator(".rows > li")
        assert rows.count() == CHANGES
        high = page.locator(".rows > .high").evaluate_all(
            "all => all.map(one => one.getBoundingClientRect().bottom)"
        )
        assert len(high) == HIGH
        assert max(high) <= 900
        assert page.evaluate("document.documentElement.scrollHeight") <= 4000
        page.goto(site + WEEK)
        assert page.locator(".rows > .high em").count() >= HIGH
        low = page.locator(".group > details")
        assert low.locator("> summary").inner_text() == f"Show {CHANGES - HIGH} changes"
        assert not low.locator(".rows > li").first.is_visible()
        page.keyboard.press("j")
        assert page.evaluate("document.activeElement.closest('.high') !== null")
        page.goto(f"{site}{WEEK}?level=low")
        assert page.locator(".group > details").count() == 0
        for width in (1440, 390):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.locator(".rows em").evaluate_all(CUT) == 0
        browser.close()
