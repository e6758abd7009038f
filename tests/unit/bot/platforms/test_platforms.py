"""A platform that another package brings: the one that the documentation shows, as it stands there."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from bot import platforms
from bot.config.reader import read
from bot.subscriptions.channel_registry import open_senders
from digest.document import Document, Paragraph, Text

PAGE = Path(__file__).parents[4] / "docs" / "platforms.md"
CONFIG = """
[[repositories]]
place = "https://forge.example/acme/engine"
[platforms.spool]
folder = "{folder}"

[[channels]]
name = "team"
platform = "spool"
chat = "team"
"""


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """The page's package, as an installer leaves it."""
    module, _ = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    point = re.search(
        r"^(\[project.entry-points.*?)```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
    )[1]
    (tmp_path / "digestbot_spool.py").write_text(module, encoding="utf-8")
    told = tmp_path / "digestbot_spool-1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: digestbot-spool\nVersion: 1\n")
    name, target = re.search(r"^(\w+) = \"(\w+)\"", point, re.MULTILINE).groups()
    (told / "entry_points.txt").write_text(f"[{platforms.GROUP}]\n{name} = {target}\nslack = x\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("digestbot_spool", None)


def test_without_a_package_there_is_no_such_kind():
    assert not platforms.known("spool")
    with pytest.raises(KeyError):
        platforms.load("spool")


@pytest.mark.usefixtures("installed")
async def test_a_package_brings_a_platform_that_the_configuration_can_name(tmp_path):
    assert platforms.known("spool")
    assert "spool" in platforms.kinds()
    file = tmp_path / "digestbot.toml"
    file.write_text(CONFIG.format(folder=tmp_path / "spooled"))
    (sender,) = open_senders(read(file)).values()
    (part,) = sender.render(Document(title="x", blocks=(Paragraph((Text("good morning"),)),)))
    await sender.send("team", part)
    (written,) = (tmp_path / "spooled" / "team").iterdir()
    assert written.read_text("utf-8") == "good morning\n"


@pytest.mark.usefixtures("installed")
def test_a_package_does_not_take_the_place_of_a_platform_of_ours():
    assert platforms.load("slack").__name__ == "bot.platforms.slack"
    assert platforms.kinds().count("slack") == 1
