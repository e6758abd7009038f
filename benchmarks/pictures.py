"""The pictures of the documentation: screenshots of pages that are served already.

    python -m benchmarks.pictures ADDRESS [--change 52514] [--folder docs/images]

``ADDRESS`` is that of a repository's page, as ``digestbot serve`` tells it with ``/r/NAME`` behind.
Chromium is the one of the machine, or the one that ``CHROMIUM`` names.
"""

from __future__ import annotations

import argparse
import os
import shutil
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

WIDTH = 1280
"""CSS pixels of every picture."""


def take(browser: Browser, address: str, file: Path, height: int, *, dark: bool = False) -> None:
    """One picture of the top of a page."""
    context = browser.new_context(
        viewport={"width": WIDTH, "height": height},
        color_scheme="dark" if dark else "light",
        locale="en-GB",
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_load_state("networkidle")
    page.screenshot(path=file)
    context.close()


def main() -> None:
    """Take all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--change", default="52514", help="number or name of the change shown")
    parser.add_argument("--folder", type=Path, default=Path("docs/images"))
    args = parser.parse_args()
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        take(browser, args.address, args.folder / "web-repository.png", 900)
        change = f"{args.address}/-/changes/{args.change}"
        take(browser, change, args.folder / "web-change.png", 780, dark=True)
        browser.close()


if __name__ == "__main__":
    main()
