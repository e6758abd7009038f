"""``make demo``: the main job on the embedded default, and what to try next."""

from __future__ import annotations

import shlex
import sys

from bot.app import opened
from bot.commands import digest, finish
from bot.showing.forms import DigestFormat

_NEXT = """
That was the last day of {place} with changes. What is kept is in {data}:
  archive.sqlite3   every change of that day with its facts and grade
  reports/          the full report as Markdown

Try next
  {run} digest {place} --format markdown | less
  {run} digest ~/src/vllm --date 2026-01-23 --tz Asia/Shanghai --lang zh
  {run} explain {sha} --repo {place}
  {run} ask "what changed this week" --repo {place}
  {run} chat --repo {place}
"""


def run(place: str) -> None:
    """Digest the last active day. Raises ``UserError``."""
    digest.run(digest.Options(place=place, form=DigestFormat.CONDENSED))
    finish(_tell(place))


async def _tell(place: str) -> None:
    async with opened() as app:
        tip = await (await app.watch(place)).source.tip()
        sys.stdout.write(
            _NEXT.format(
                place=shlex.quote(place),
                data=app.data,
                run=shlex.quote(sys.argv[0]),
                sha=(tip.sha or "#1")[:10],
            )
        )
