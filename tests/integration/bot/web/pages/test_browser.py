"""The pages in Chromium: nothing foreign runs or loads, everything works, everybody can use it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.servers.pages import TOKEN, PagesServer

OPEN = "/r/owner/open"
PAGES = {
    "index": "/",
    "repository": OPEN,
    "day": OPEN + "/-/days/2026-03-02",
    "breaking day": OPEN + "/-/days/2026-03-03",
    "week": OPEN + "/-/weeks/2026-W10",
    "hostile day": OPEN + "/-/days/2026-03-04",
    "calendar": OPEN + "/-/calendar",
    "author": OPEN + "/-/authors/Ada%20Lovelace",
    "change": OPEN + "/-/changes/3",
    "diff": OPEN + "/-/changes/3/diff",
    "topic": OPEN + "/-/topics/pool",
    "search": OPEN + "/-/search?q=engine",
    "hostile search": OPEN + "/-/search?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E&path=%3Cimg%3E",
    "compare": OPEN + "/-/compare/v0.1.0...v0.2.0",
    "compare hostile": OPEN + "/-/compare/v0.2.0...main",
    "compare nothing": OPEN + "/-/compare/v0.2.0...v0.1.0",
    "releases": OPEN + "/-/compare",
    "ask": OPEN + "/-/ask",
    "answer": OPEN + "/-/ask?q=changes+by+day+from+2026-03-02+to+2026-03-04",
    "hostile answer": OPEN + "/-/ask?q=what+changed+on+2026-03-04",
    "missing": "/nothing",
    "sign in": "/admin/sign-in",
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium, closed before other modules run: their loops cannot stand beside Playwright's."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
    if not chromium:
        how = "no Chromium; apt install chromium, or name one: CHROMIUM=/path/to/chromium"
        if os.environ.get("CI"):
            pytest.fail(how)
        pytest.skip(how)
    with sync_playwright() as playwright:
        # Its sandbox needs rights that a container does not give; the pages are our own.
        opened = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture(scope="module")
def site(archived: Path) -> Iterator[str]:
    """The address of the pages; the session's archive, which no browser test changes."""
    before = os.environ.get("DIGESTBOT_DATA")
    os.environ["DIGESTBOT_DATA"] = str(archived / "data")
    try:
        with PagesServer(archived / "digestbot.toml") as server:
            yield server.address
    finally:
        os.environ.pop("DIGESTBOT_DATA")
        if before is not None:
            os.environ["DIGESTBOT_DATA"] = before


class Watch:
    """A tab, and what its pages do that they should not."""

    def __init__(self, context: BrowserContext, site: str) -> None:
        self.page = page = context.new_page()
        self.wrong: list[str] = []
        page.on("dialog", lambda dialog: (self.wrong.append(dialog.message), dialog.dismiss()))
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("request", lambda r: r.url.startswith(site + "/") or self.wrong.append(r.url))
        page.on("console", lambda said: said.type == "error" and self._heard(said.text))

    def _heard(self, text: str) -> None:
        if "404" not in text:
            self.wrong.append(text)

    @contextmanager
    def using(self) -> Iterator[Page]:
        """The tab, as if it were new; a new one would start a process of Chromium."""
        self.page.set_viewport_size({"width": 1280, "height": 900})
        self.page.emulate_media(media="null", color_scheme="light")
        yield self.page
        self.page.unroute_all()
        found, self.wrong = self.wrong, []
        assert found == []


@pytest.fixture(scope="module")
def window(browser: Browser, site: str) -> Iterator[BrowserContext]:
    """What tabs share: cookies, stored values and permissions."""
    opened = browser.new_context(base_url=site)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def first_tab(window: BrowserContext, site: str) -> Watch:
    return Watch(window, site)


@pytest.fixture(scope="module")
def second_tab(window: BrowserContext, site: str) -> Watch:
    return Watch(window, site)


@pytest.fixture
def page(window: BrowserContext, first_tab: Watch, site: str) -> Iterator[Page]:
    """A tab that nobody used before; the test fails if anything foreign happened in it."""
    with first_tab.using() as opened:
        yield opened
        opened.evaluate("window.localStorage?.clear()")
        window.clear_cookies()
        window.clear_permissions()


@pytest.fixture(scope="module", params=PAGES)
def seen(second_tab: Watch, request: pytest.FixtureRequest) -> Iterator[Page]:
    """A tab with one of the pages, loaded once for all that is asked of every page."""
    with second_tab.using() as opened:
        opened.goto(PAGES[request.param])
        yield opened


def test_nothing_of_others_acts(seen):
    page = seen
    page.wait_for_load_state("networkidle")
    # Every element is one that our templates write, with nothing that runs.
    assert page.locator("img, iframe, object, embed, base, meta[http-equiv], style").count() == 0
    assert page.locator("script:not([src^='/static/'])").count() == 0
    handlers = "[...document.querySelectorAll('*')].flatMap(e => [...e.attributes])"
    assert page.evaluate(f"{handlers}.filter(a => /^on|^style$/.test(a.name)).length") == 0
    links = page.evaluate("[...document.links].map(a => a.protocol + '//' + a.hostname)")
    assert {link for link in links if "evil" in link} == set()
    assert {link.partition("//")[0] for link in links} <= {"http:", "https:"}


def test_everybody_can_use_it(seen):
    assert violations(seen) == []
    folded = seen.locator("details:not([open])")
    if folded.count():
        folded.evaluate_all("all => all.forEach(one => { one.open = true; })")
        assert violations(seen) == []
    seen.emulate_media(color_scheme="dark")
    assert violations(seen, {"runOnly": ["color-contrast"]}) == []


def violations(
    page: Page, options: dict[str, list[str]] | None = None
) -> list[tuple[str, list[str]]]:
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(Axe().axe_script)
    # What passes is counted and not listed, which is quicker.
    found = page.evaluate(
        "options => axe.run(options).then(found => found.violations)",
        {"resultTypes": ["violations"]} | (options or {}),
    )
    return [(one["id"], [node["html"][:200] for node in one["nodes"][:3]]) for one in found]


def test_nothing_runs_over_the_edge(seen):
    for width in (320, 390, 800, 1280):
        seen.set_viewport_size({"width": width, "height": 800})
        assert seen.evaluate("document.documentElement.scrollWidth") <= width


def test_row_opens_in_place_and_leads_to_its_change(page):
    page.goto(PAGES["day"])
    row = page.locator(".rows > li").first
    title = row.locator("summary b").inner_text()
    assert not row.locator(".body").is_visible()
    row.locator("summary").click()
    row.locator(".whole").click()
    page.wait_for_url("**/changes/**")
    assert page.locator("h1").inner_text().startswith(title)


def test_open_row_has_the_changed_lines_below_what_it_says(page):
    page.goto(PAGES["breaking day"])
    row = page.locator(".rows > li").first
    row.locator("summary").first.click()
    fold = row.locator(".under > summary").first
    fold.click()
    assert row.locator(".diff .del").first.is_visible()
    assert row.locator(".whole").count() == 1


def test_row_opens_without_scripts(browser, site):
    context = browser.new_context(base_url=site, java_script_enabled=False)
    tab = context.new_page()
    tab.goto(PAGES["day"])
    tab.locator(".rows summary").first.click()
    assert tab.locator(".rows .body").first.is_visible()
    context.close()


def test_link_to_a_change_opens_its_row(page):
    page.goto(PAGES["day"])
    name = page.locator(".rows > li").last.get_attribute("id")
    page.goto(f"{PAGES['day']}#{name}")
    assert page.locator(f"#{name} .body").is_visible()


def test_change_that_is_not_written_out_is_fetched_into_its_place(page):
    page.goto(PAGES["week"])
    folded = page.locator(".rows > li > b > a").first
    name = folded.evaluate("e => e.closest('.rows > li').id")
    folded.click()
    page.locator(f"#{name} .body .meta").wait_for()
    assert "/weeks/" in page.url
    assert page.locator(f"#{name} summary b").is_visible()
    assert page.locator(f"#{name} summary i").inner_text()
    fold = page.locator(f"#{name} .under > summary").first
    assert fold.evaluate("e => getComputedStyle(e).display") == "list-item"
    assert violations(page) == []


def test_page_that_is_kept_open_says_how_many_changes_are_new(page):
    page.goto(PAGES["day"])
    assert page.locator(".rows > .fresh").count() == 0
    more = '<li class="high" id="c-ffffffffffff"></li><li class="low" id="c-eeeeeeeeeeee"></li>'

    def answered(route):
        if route.request.resource_type == "document":
            route.continue_()
        else:
            route.fulfill(
                body=f"<!doctype html><ul class='rows'>{more}</ul>", content_type="text/html"
            )

    page.route("**/days/*", answered)
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    page.locator("#fresh a").wait_for()
    assert page.locator("#fresh").inner_text() == "2 new changes"
    assert page.title().startswith("(2) ")


def test_what_came_since_the_last_visit_is_marked(page):
    page.goto(PAGES["day"])
    page.evaluate(
        "localStorage.setItem(`seen ${location.pathname}`,"
        "JSON.stringify([...document.querySelectorAll('.rows > [id]')].slice(1).map(e => e.id)))"
    )
    page.reload()
    assert page.locator(".rows > .fresh").count() == 1
    page.reload()
    assert page.locator(".rows > .fresh").count() == 0


def test_search_as_you_type_with_the_keyboard(page):
    page.goto(OPEN)
    page.locator("#q").press_sequentially("Remove the wait")
    page.locator("#found a").first.wait_for()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/changes/**")
    assert "Remove the wait" in page.locator("h1").inner_text()


def test_found_titles_are_text(page):
    page.goto(OPEN)
    page.locator("#q").press_sequentially("<script>alert")
    page.locator("#found a, #found p").first.wait_for()
    assert page.locator("#found script, #found img").count() == 0


def test_search_works_without_scripts(browser, site):
    context = browser.new_context(base_url=site, java_script_enabled=False)
    tab = context.new_page()
    tab.goto(OPEN)
    tab.locator("#q").fill("Remove the wait")
    tab.locator(".search button").click()
    tab.locator(".rows > li").first.wait_for()
    assert tab.locator(".rows > li").count() == 1
    assert not tab.locator("#theme").is_visible()
    context.close()


def test_theme_is_chosen_and_kept(page):
    page.goto("/")
    ground = "getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.locator("#theme").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.goto(OPEN)
    assert page.evaluate(ground) == dark


def test_language_is_chosen_and_kept(page):
    page.goto(OPEN)
    page.get_by_role("link", name="中文").click()
    page.locator("html[lang=zh]").wait_for()
    page.goto("/")
    assert page.locator("h1").inner_text() == "代码仓库"


def test_level_filters(page):
    page.goto(PAGES["week"])
    page.locator(".filters a").last.click()
    page.wait_for_url("**level=high")
    assert page.locator(".rows > .high").count() > 0
    assert page.locator(".rows > :not(.high)").count() == 0


def test_chart_has_its_figures_as_a_table(page):
    page.goto(OPEN)
    told = page.locator(".chart desc").text_content()
    assert "changes" in told
    assert "87 days were not read" in told
    page.locator(".chart summary").click()
    rows = page.locator(".chart tbody tr")
    unread = rows.filter(has=page.locator("td[colspan]"))
    assert (rows.count(), unread.count()) == (90, 87)
    assert set(unread.locator("td").all_inner_texts()) == {"not read"}
    rows.first.locator("a").click()
    page.wait_for_url("**/days/2026-03-04")


def test_print_leaves_out_what_is_pressed(page):
    page.goto(PAGES["day"])
    page.emulate_media(media="print")
    for gone in (".top", ".filters", ".foot"):
        assert not page.locator(gone).is_visible()
    assert page.locator(".rows .body").count() > 0
    for body in page.locator(".rows .body .meta").all():
        assert body.is_visible()


def test_print_is_dark_on_light_whatever_the_screen_is(page):
    page.emulate_media(color_scheme="dark")
    page.goto(PAGES["day"])
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(ground) == "rgb(255, 255, 255)" != dark
    page.emulate_media(media="screen", color_scheme="light")
    page.locator("#theme").click()
    page.emulate_media(media="print", color_scheme="light")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"


@pytest.mark.parametrize("name", ["breaking day", "change"])
@pytest.mark.parametrize("width", [390, 1280])
def test_parts_of_a_change_stand_below_each_other(page, name, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(PAGES[name])
    page.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert page.locator(".suggestions, .risks").count() > 0
    bottoms = """[...document.querySelectorAll("article.change, .body")].flatMap(article => {
        const parts = [...article.children].filter(one => one.tagName !== "BUTTON");
        const boxes = [article, ...parts].map(one => one.getBoundingClientRect());
        return boxes.slice(1).filter((box, n) =>
            box.top < (n ? boxes[n].bottom : boxes[0].top) - 1 || box.bottom > boxes[0].bottom + 1);
    })"""
    assert page.evaluate(bottoms) == []
    page.locator(".names .diff").first.wait_for(state="attached")  # loaded when rows open
    # Long lines move below a name; they do not make its table wider.
    wide = "all => all.filter(one => one.scrollWidth > one.clientWidth).length"
    assert page.locator(".scroll:has(> .names)").evaluate_all(wide) == 0


def test_charts_of_a_week(page):
    page.goto(PAGES["week"])
    assert page.locator(".bars tbody tr").count() > 0
    assert page.locator(".chart .month").count() == 7
    page.set_viewport_size({"width": 390, "height": 800})
    boxes = page.locator(".chart > svg > text").evaluate_all("all => all.map(e => e.getBBox())")
    heights = page.locator(".chart > svg > text").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect().height)"
    )
    assert boxes
    assert min(heights) >= 11
    page.locator(".chart a").first.evaluate("e => e.dispatchEvent(new MouseEvent('click'))")
    page.wait_for_url("**/days/2026-03-02")


def test_keys_go_from_change_to_change_and_can_be_turned_off(page):
    page.goto(PAGES["day"])
    focused = "document.activeElement.closest('.rows > li')?.id"
    page.keyboard.press("j")
    first = page.evaluate(focused)
    page.keyboard.press("j")
    assert first
    assert page.evaluate(focused) not in (first, None)
    page.keyboard.press("k")
    assert page.evaluate(focused) == first
    page.keyboard.press("o")
    assert page.locator(f"#{first} .body").is_visible()
    page.keyboard.press("Escape")
    assert not page.locator(f"#{first} .body").is_visible()
    page.keyboard.press("Enter")
    assert page.locator(f"#{first} .body").is_visible()
    page.keyboard.press("/")
    page.keyboard.type("jk/")
    assert page.locator("#q").input_value() == "jk/"
    page.locator("#found").wait_for()
    page.keyboard.press("Escape")
    assert not page.locator("#found").is_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    assert page.evaluate(focused)
    page.locator("#keys").click()
    page.reload()
    assert page.locator("#keys").get_attribute("aria-pressed") == "false"
    page.keyboard.press("j")
    assert page.evaluate(focused) is None


def test_link_of_a_change_is_copied(page, site):
    page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site)
    page.goto(PAGES["change"])
    button = page.locator("button.copy").first
    button.click()
    page.locator("#said:not(:empty)").wait_for(state="attached")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == site + button.get_attribute("data-path")
    page.goto(copied)
    assert page.locator("article.change").count() == 1


def test_question_is_answered_with_a_chart(page):
    page.goto(OPEN)
    page.get_by_label("Search in owner/open").fill("changes by day from 2026-03-02 to 2026-03-04")
    page.keyboard.press("Enter")
    page.wait_for_url("**/ask?q=*")
    bars = page.locator(".answer .chart rect.bar")
    assert bars.count() == 2
    assert page.locator(".answer .chart desc").text_content()
    heights = bars.evaluate_all("all => all.map(e => e.getBoundingClientRect().height)")
    assert max(heights) > 60
    page.locator(".answer .chart summary").click()
    assert page.locator(".answer tbody tr").first.is_visible()


def test_two_points_are_compared_by_hand(page):
    page.goto(OPEN)
    page.get_by_role("link", name="All releases").click()
    page.get_by_role("textbox", name="From").fill("v0.1.0")
    page.get_by_role("textbox", name="To").fill("main")
    page.keyboard.press("Enter")
    page.wait_for_url("**/compare/v0.1.0...main")
    gone = page.locator(".met", has_text="Removed")
    assert gone.locator("code").first.inner_text() == "--pool-size"
    gone.locator("a").first.click()
    assert "Remove the wait" in page.locator("h1").inner_text()


def test_author_leads_to_what_they_wrote(page):
    page.goto(PAGES["change"])
    author = page.locator(".meta a[href*='/authors/']")
    name = author.inner_text()
    author.click()
    page.wait_for_url("**/authors/*")
    assert page.locator("h1").inner_text() == name
    assert set(page.locator(".rows > li > a").all_inner_texts()) == {name}


def test_phone_shows_whole_names_sizes_and_what_to_act_on_first(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(PAGES["breaking day"])
    name = page.locator(".trail a").last
    assert name.inner_text() == "owner/open"
    assert name.evaluate("e => e.scrollWidth <= e.clientWidth")
    acts = page.locator(".acts .rows > li")
    assert acts.count() == 1
    assert acts.first.evaluate("e => e.getBoundingClientRect().bottom") < 844
    assert not acts.first.locator(".act").first.is_visible()
    for part in ("b", "em strong", "i, a", "ins", "del", "u"):
        assert acts.first.locator(part).first.is_visible()
    page.goto(PAGES["search"])
    assert page.locator(".facets").evaluate("e => e.offsetHeight") <= 130


def test_row_leads_to_its_author(page):
    page.goto(PAGES["week"])
    author = page.locator(".rows a[href*='/authors/']").first
    wanted = author.inner_text()
    author.click()
    page.wait_for_url("**/authors/*")
    assert page.locator("h1").inner_text() == wanted


def test_calendar_leads_to_days_and_weeks(page):
    page.goto(PAGES["calendar"])
    monday = page.locator(".month td a[href$='/days/2026-03-02']")
    assert monday.get_attribute("title").startswith("2 changes")
    monday.click()
    page.wait_for_url("**/days/2026-03-02")
    page.goto(PAGES["calendar"])
    page.locator(".month th a[href$='/weeks/2026-W10']").click()
    page.wait_for_url("**/weeks/2026-W10")


def test_search_is_narrowed_by_kind_and_marks_its_words(page):
    page.goto(PAGES["search"])
    assert page.locator(".rows mark").first.inner_text().lower() == "engine"
    before = page.locator(".rows > li").count()
    page.get_by_label("Kind").select_option("breaking")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**kind=breaking**")
    assert 0 < page.locator(".rows > li").count() < before
    assert "Remove the wait" in page.locator(".rows b").first.inner_text()


def test_admin_signs_in_and_out(page):
    page.goto("/admin")
    page.get_by_label("Admin token").fill(TOKEN)
    page.get_by_role("main").get_by_role("button").click()
    page.wait_for_url("**/admin")
    assert violations(page) == []
    page.goto("/r/owner/closed")
    assert page.locator(".tag").first.inner_text() == "private"
    page.goto("/admin")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url("**/")
    assert page.goto("/r/owner/closed").status == 404
