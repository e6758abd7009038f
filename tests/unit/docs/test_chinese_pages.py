"""The Chinese pages say what the English ones do: same headings, code, commands and links."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
PAGES = ("README.md", "questions.md", "slack.md", "telegram.md", "feishu.md")
_BLOCK = re.compile(r"^ *```\w+\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(([^()\s]+)\)")


def page(name: str, *, chinese: bool) -> str:
    home = DOCS / "zh" if chinese else ROOT if name == "README.md" else DOCS
    text = (home / name).read_text(encoding="utf-8")
    # The line that leads to the other language has no counterpart.
    return re.sub(r"^\[中文\]\(.*\n", "", text, flags=re.MULTILINE)


def blocks(text: str) -> list[list[str]]:
    """The code blocks without their comments, which are translated."""
    return [
        [re.sub(r"\s+#\s.*", "", line).strip() for line in block.splitlines()]
        for block in _BLOCK.findall(text)
    ]


def commands(text: str) -> Counter[str]:
    """What stands between backticks, which is never translated."""
    return Counter(re.findall(r"`([^`\n]+)`", _BLOCK.sub("", text)))


def tables(text: str) -> list[int]:
    """The rows of each table."""
    return [len(table.splitlines()) for table in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE)]


def slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def targets(text: str, home: Path) -> Iterator[tuple[Path, str]]:
    """The file and the heading that each link within the documentation leads to."""
    for link in _LINK.findall(text):
        if "://" not in link:
            file, _, anchor = link.partition("#")
            yield ((home / file).resolve() if file else home / "-"), anchor


@pytest.mark.parametrize("name", PAGES)
def test_headings_stand_in_the_same_order_and_depth(name):
    english, chinese = (
        re.findall(r"^(#+) ", _BLOCK.sub("", page(name, chinese=zh)), re.MULTILINE)
        for zh in (False, True)
    )
    assert chinese == english


@pytest.mark.parametrize("name", PAGES)
def test_code_is_the_same(name):
    assert blocks(page(name, chinese=True)) == blocks(page(name, chinese=False))


@pytest.mark.parametrize("name", PAGES)
def test_commands_and_names_are_the_same(name):
    chinese, english = (commands(page(name, chinese=zh)) for zh in (True, False))
    assert set(chinese) == set(english)


@pytest.mark.parametrize("name", PAGES)
def test_tables_have_the_same_rows(name):
    assert tables(page(name, chinese=True)) == tables(page(name, chinese=False))


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_to_what_exists(name):
    text, home = page(name, chinese=True), DOCS / "zh"
    for file, anchor in targets(text, home):
        target = home / name if file.name == "-" else file
        assert target.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {slug(heading) for heading in headings}, anchor


@pytest.mark.parametrize("name", PAGES)
def test_pages_lead_to_each_other(name):
    home = "docs/zh/" if name == "README.md" else "zh/"
    english = ROOT / name if name == "README.md" else DOCS / name
    assert f"[中文]({home}{name})" in english.read_text(encoding="utf-8")
