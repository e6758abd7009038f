"""A slot from its beginning to its post, as a collector of OpenTelemetry sees it."""

from __future__ import annotations

from tests.e2e.running import free_port, missed, running
from tests.servers.collector import collecting

_CONFIG = """
[[repositories]]
place = "{place}"
name = "example/project"

[platforms.file]
kind = "console"
output = "posts.txt"

[[channels]]
name = "team"
platform = "file"
time = "00:00"
quiet = "line"
"""


def test_a_slot_is_told_with_all_its_steps(project, tmp_path, environment):
    config = tmp_path / "digestbot.toml"
    config.write_text(_CONFIG.format(place=project.path))
    missed(tmp_path / "data", "team")
    with collecting() as collector:
        environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = collector.url
        with running(config, environment, free_port()) as bot:
            bot.until(lambda: bot.events("slot.finished"))
            assert bot.stop() == 0
    sent = b"".join(body for _, body in collector.received)
    assert [name for name in (b"slot", b"fetch", b"analyse", b"post") if name not in sent] == []
    (finished,) = bot.events("slot.finished")
    assert finished["trace"].encode() in sent
