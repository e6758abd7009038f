"""The pictures of the documentation, all made from one run over a clone.

    python -m benchmarks.pictures CLONE [--name vllm-project/vllm] [--day 2026-08-13]
        [--change 52216] [--data FOLDER] [--folder docs/images]

The digest of the day is made as ``digestbot digest`` makes it. Rich draws its terminal output, with
the folders of this machine shortened; what Slack, Telegram and Feishu would be sent is drawn in the
platforms' colours. The pages are those of ``digestbot serve``. Chromium is the one of the machine,
or the one that ``CHROMIUM`` names; it needs fonts for Chinese and for emoji. The archive is filled
first (minutes; kept in FOLDER where one is named).
"""

from __future__ import annotations

import argparse
import asyncio
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from html import escape
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from markdown_it import MarkdownIt
from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from rich.console import Console
from rich.text import Text

from benchmarks.pages import served
from bot.app import open_workspace
from bot.feishu_card.card import Style
from bot.feishu_card.card import render as feishu_cards
from bot.platforms.slack.blocks import render as slack_blocks
from bot.platforms.telegram.layout import lay_out
from bot.platforms.telegram.message_parts import pack
from digest.document import Document
from digest.report.condensed import digest_document
from digest.window import day_window, parse_date
from handlers.digests.daily import digest_of_window

WIDTH = 1280
"""CSS pixels of a picture of a page."""

_POST = 720
"""CSS pixels of a picture of a post."""

_COLUMNS = 100
_LOOKS_FOR = 60  # seconds in which a server looks for new commits
_COLOURS = 256
_MARKDOWN = MarkdownIt("commonmark", {"breaks": True})
_CLONES = re.compile(r"(?<= )/\S+")
_CARD = Style(size=30_000, interactive=True)

_FRAME = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 0; padding: 24px; background: {ground}; font: 15px/1.5 system-ui, sans-serif; }}
.post {{ background: {paper}; color: {ink}; border-radius: {radius}; padding: 14px 18px; }}
a {{ color: {link}; text-decoration: none; }}
p, ul, ol, h3 {{ margin: 4px 0; }} ul, ol {{ padding-left: 22px; }} h3 {{ font-size: 17px; }}
.head {{ margin: -14px -18px 10px; padding: 10px 18px; border-radius: 10px 10px 0 0;
  background: #e1eaff; color: #1f2329; font-weight: 600; }}
.aside {{ color: #70757a; font-size: 13px; }} .lines {{ white-space: pre-wrap; }}
code {{ font: 13px ui-monospace, monospace; background: rgb(127 127 127 / .14);
  border-radius: 3px; padding: 1px 4px; }}
.buttons {{ display: flex; flex-wrap: wrap; gap: 8px; margin-top: 8px; }}
.buttons span {{ border: 1px solid #bbb; border-radius: 6px; padding: 3px 12px; font-size: 14px; }}
</style><div class="post">{body}</div>"""

_LOOKS = {
    "slack": ("#ffffff", "#ffffff", "#1d1c1d", "#1264a3", "0"),
    "telegram": ("#b9d3a5", "#ffffff", "#000000", "#168acd", "14px"),
    "feishu": ("#f5f6f7", "#ffffff", "#1f2329", "#3370ff", "10px"),
}


async def digest_of(clone: str, name: str, day: str) -> Document:
    """The digest of a day, as posted."""
    async with open_workspace(None) as app:
        watched = await app.watch(clone, name=name)
        ctx = app.context(watched, zone=app.zone("UTC"))
        daily = await digest_of_window(ctx, day_window(parse_date(day), ctx.zone))
        path = f"https://digest.example/r/{name}/-/days/{day}"
        return digest_document(daily.report, daily.report.language, path)


def terminal(command: list[str]) -> str:
    """The coloured output of a command, as a page."""
    environment = {**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(_COLUMNS)}
    environment |= {"TERM": "xterm-256color"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    console = Console(record=True, width=_COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text(_short(f"$ {' '.join(['digestbot', *command[1:]])}\n"), style="dim"))
    console.print(Text.from_ansi(_short(done.stdout)))
    return console.export_html(inline_styles=True).replace(
        "<body>", '<body style="margin: 0; padding: 20px; background: #fff">', 1
    )


def _short(text: str) -> str:
    """A text without this machine's folders."""
    data = os.environ["DIGESTBOT_DATA"].rstrip("/")
    return _CLONES.sub("~/src/project", text.replace(data, "~/.local/share/digestbot"))


def slack(document: Document) -> str:
    """The post in Slack (https://docs.slack.dev/reference/block-kit/blocks)."""
    parts = (json.loads(part.body) for part in slack_blocks(document))
    blocks = (one for part in parts for one in (part if isinstance(part, list) else part["blocks"]))
    return "".join(map(_slack_block, blocks))


def _slack_block(block: dict[str, Any]) -> str:
    inner = "".join(_slack_block(one) for one in block.get("elements", ()))
    text = block.get("text", "")
    match block["type"]:
        case "header":
            return f"<h3>{escape(text['text'])}</h3>"
        case "rich_text_section":
            return f"<p class=lines>{inner}</p>"
        case "rich_text_list":
            items = "".join(f"<li>{_slack_block(one)}</li>" for one in block["elements"])
            return f"<ul>{items}</ul>"
        case "context":
            return f"<p class=aside>{inner}</p>"
        case "actions":
            return f"<p class=buttons>{inner}</p>"
        case "button":
            return f"<span>{escape(text['text'])}</span>"
        case "divider":
            return "<hr>"
        case "text" | "plain_text" | "link":
            return _styled(text or block["url"], block)
        case _:
            return inner


def _styled(text: str, block: dict[str, Any]) -> str:
    said = escape(text)
    for style, tag in (("bold", "b"), ("italic", "i"), ("code", "code")):
        if block.get("style", {}).get(style):
            said = f"<{tag}>{said}</{tag}>"
    return f'<a href="#">{said}</a>' if block["type"] == "link" else said


_TAGS = {"bold": "b", "italic": "i", "code": "code", "text_link": "a", "pre": "pre"}


def telegram(document: Document) -> str:
    """The message in Telegram (https://core.telegram.org/bots/api#messageentity)."""
    parts = (json.loads(part.body) for part in pack(lay_out(document), document.title))
    return "".join(f"<div class=lines>{_entities(part)}</div>{_keys(part)}" for part in parts)


def _entities(part: dict[str, Any]) -> str:
    # Offsets count UTF-16 code units.
    units = part["text"].encode("utf-16-le")
    opens: dict[int, str] = {}
    closes: dict[int, str] = {}
    for one in sorted(part.get("entities", ()), key=lambda one: -one["length"]):
        if tag := _TAGS.get(one["type"]):
            first, last = one["offset"], one["offset"] + one["length"]
            opens[first] = opens.get(first, "") + f'<{tag} href="#">'
            closes[last] = f"</{tag}>" + closes.get(last, "")
    edges = sorted({0, len(units) // 2, *opens, *closes})
    return "".join(
        closes.get(at, "") + opens.get(at, "") + escape(units[2 * at : 2 * to].decode("utf-16-le"))
        for at, to in zip(edges, [*edges[1:], edges[-1]], strict=True)
    )


def _keys(part: dict[str, Any]) -> str:
    rows = (part.get("reply_markup") or {}).get("inline_keyboard", ())
    keys = "".join(f"<span>{escape(key['text'])}</span>" for row in rows for key in row)
    return f"<p class=buttons>{keys}</p>" if keys else ""


def feishu(document: Document) -> str:
    """The card in Feishu (https://open.feishu.cn/document/feishu-cards/card-json-v2-structure)."""
    cards = [json.loads(part.body) for part in feishu_cards(document, _CARD)]
    return "".join("".join(_card(card)) for card in cards)


def _card(card: dict[str, Any]) -> Iterator[str]:
    if header := card.get("header"):
        yield f"<div class=head>{escape(header['title']['content'])}</div>"
    yield from _elements(card["body"]["elements"])


def _elements(elements: Iterable[dict[str, Any]]) -> Iterator[str]:
    for one in elements:
        match one["tag"]:
            case "markdown":
                small = " class=aside" if one.get("text_size") == "notation" else ""
                yield f"<div{small}>{_MARKDOWN.render(one['content'])}</div>"
            case "hr":
                yield "<hr>"
            case "button":
                yield f"<span class=buttons><span>{escape(one['text']['content'])}</span></span>"
            case _:
                inner = "".join(_elements([*one.get("elements", ()), *one.get("columns", ())]))
                yield f"<div class=buttons>{inner}</div>"


def take(browser: Browser, file: Path, *, address: str = "", html: str = "", **of: Any) -> None:
    """A picture of a page, or of HTML in full height; ``of`` are options of the context."""
    context = browser.new_context(locale="en-GB", **of)
    page = context.new_page()
    if address:
        page.goto(address)
        page.wait_for_load_state("networkidle")
    else:
        page.set_content(html)
    shot = Image.open(io.BytesIO(page.screenshot(full_page=not address)))
    shot.convert("RGB").quantize(_COLOURS, Image.Quantize.FASTOCTREE).save(file, optimize=True)
    context.close()


def _wait_for_reading(address: str) -> None:
    """Wait until the server has looked for new commits: until then the page calls itself old."""
    for _ in range(_LOOKS_FOR):
        with urlopen(address) as page:
            if b"last read" not in page.read():
                return
        time.sleep(1)


def main() -> None:
    """Take all pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clone")
    parser.add_argument("--name", default="vllm-project/vllm")
    parser.add_argument("--day", default="2026-08-13")
    parser.add_argument("--change", default="52216", help="number or hash of the change")
    parser.add_argument("--data", default="", help="folder of the archive; default: temporary")
    parser.add_argument("--folder", type=Path, default=Path("docs/images"))
    args = parser.parse_args()
    with nullcontext(args.data) if args.data else tempfile.TemporaryDirectory() as data:
        os.environ["DIGESTBOT_DATA"] = data
        _take_all(args)


def _take_all(args: argparse.Namespace) -> None:
    program = str(Path(sys.executable).parent / "digestbot")
    options = ["--name", args.name, "--date", args.day, "--tz", "UTC"]
    printed = terminal([program, "digest", args.clone, *options])
    document = asyncio.run(digest_of(args.clone, args.name, args.day))
    posts = {"slack": slack, "telegram": telegram, "feishu": feishu}
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chrome")
    size = {"width": _POST, "height": 100}
    args.folder.mkdir(parents=True, exist_ok=True)
    with (
        served(args.clone, os.environ["DIGESTBOT_DATA"], 30, args.name) as (site, _),
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        wide = {"width": 900, "height": 100}
        take(browser, args.folder / "terminal.png", html=printed, viewport=wide)
        for name, drawn in posts.items():
            ground, paper, ink, link, radius = _LOOKS[name]
            html = _FRAME.format(
                ground=ground, paper=paper, ink=ink, link=link, radius=radius, body=drawn(document)
            )
            take(browser, args.folder / f"{name}.png", html=html, viewport=size)
        base, page = f"{site}/r/{args.name}", {"width": WIDTH, "height": 860}
        day = f"{base}/-/days/{args.day}"
        take(browser, args.folder / "web-day.png", address=day, viewport=page)
        change = f"{base}/-/changes/{args.change}"
        dark = args.folder / "web-change.png"
        take(browser, dark, address=change, viewport=page, color_scheme="dark")
        _wait_for_reading(base)
        take(browser, args.folder / "web-repository.png", address=base, viewport=page)
        browser.close()


if __name__ == "__main__":
    main()
