"""Posting and receiving compared with limits and goals: ``make bench-delivery``.

- a digest of 60 commits, rendered for every platform: 10 ms at most;
- a fan-out to 1000 channels, with refusals, over the least time that the platforms' limits allow:
  1.2;
- from an event to its acknowledgement, while the model is busy: 50 ms at most for 99 of 100;
- the same texts sent by Apprise to the same servers.
"""

from __future__ import annotations

import io
import logging
import os
import statistics
import sys
import time
from collections.abc import Callable, Sequence

import structlog
from uvloop import new_event_loop

from benchmarks.delivery_acks import Acknowledged, acknowledged, middle
from benchmarks.delivery_apprise import sent_by_apprise
from benchmarks.delivery_platform import WAYS
from bot import platforms
from bot.cli.output import finish
from bot.feishu_card.card import Style
from bot.feishu_card.card import render as feishu
from bot.messaging.sender import Part
from bot.platforms.console import Console
from bot.platforms.discord.markup import render as discord
from bot.platforms.slack.blocks import render as slack
from bot.platforms.telegram.sender import Telegram, TelegramAccount
from bot.platforms.webhook import Config as Hook
from bot.platforms.webhook import create as webhook
from bot.telemetry import logs
from digest.document import Code, Document, Heading, Item, Link, Listing, Text
from tests.support.soak import FLEETS, soak

COMMITS, TIMES = 60, 25

CHANNELS, REFUSALS = 1000, 20

AT_ONCE, ROUNDS = (1, 50, 500), 5


def digest() -> Document:
    """A digest with a number of commits, each with a reason, in words that need escaping."""
    why = (
        Text("Removes "),
        Code("Scheduler.pin"),
        Text("; callers of x.py have to follow, see README.md and @core. ") ,
        Text("Changes 5 files (+402 −113). "),
    )  # fmt: skip
    items = tuple(
        Item(
            (
                Text("🔴 "),
                Link(f"[Core] Let the scheduler drop what nobody waits for (#{n})", _url(n)),
                Text(" · Ada"),
            ),
            (Item(why),),
        )
        for n in range(COMMITS)
    )
    return Document(title="a day", blocks=(Heading(1, (Text("A day"),)), Listing(items)))


def _url(number: int) -> str:
    return f"https://github.com/acme/engine/pull/{number}"


def renderers() -> dict[str, Callable[[Document], Sequence[Part]]]:
    """The renderer of each platform."""
    telegram = Telegram(TelegramAccount(token="1:x", api="http://127.0.0.1:9", listens=False))
    hook = webhook(Hook.model_validate({"url": "http://127.0.0.1:9/"}))
    return {
        "console": Console(io.StringIO()).render,
        "discord": discord,
        "feishu": lambda document: feishu(document, Style(size=28_000, interactive=True)),
        "feishu_webhook": lambda document: feishu(document, Style(size=19_000, interactive=False)),
        "slack": slack,
        "telegram": telegram.render,
        "webhook": hook.render,
    }


def rendering() -> None:
    """Milliseconds per digest: the best and the median."""
    document = digest()
    print(f"a digest of {COMMITS} commits, milliseconds (goal 10)")
    made = renderers()
    assert made.keys() == set(platforms.kinds())
    for name, render in made.items():
        spent = []
        for _ in range(TIMES):
            began = time.process_time()
            parts = render(document)
            spent.append((time.process_time() - began) * 1000)
        spent.sort()
        print(
            f"  {name:15} {spent[0]:6.2f} best {spent[TIMES // 2]:6.2f} median {len(parts)} parts"
        )


def fan_out() -> None:
    """The time of a fan-out compared with its minimum, on a virtual clock."""
    print(f"\nfan-out to {CHANNELS} channels, {REFUSALS} calls refused (goal 1.2)")
    for platform in FLEETS:
        done = soak(platform, CHANNELS, REFUSALS, in_file=True)
        once = set(done.posts.values()) == {1} and len(done.posts) == CHANNELS
        print(
            f"  {platform:15} {done.wall:6.1f} s, least {done.least:5.1f} s, "
            f"ratio {done.wall / done.least:.3f}, each once: {once}; "
            f"{done.work / CHANNELS * 1000:.1f} ms of work a channel, server and ledger included"
        )


def acks() -> None:
    """From an event to its acknowledgement while every answer waits for a model.

    The bot has a processor of its own if there are two, and the program's own logging.
    """
    if len(processors := sorted(os.sched_getaffinity(0))) > 1:
        os.sched_setaffinity(0, processors[:1])
    logs.configure("json", stream=io.StringIO())
    print(
        f"\nfrom event to acknowledgement with the model busy, milliseconds (goal p99 50); "
        f"the middle of {ROUNDS} bursts"
    )
    for way in WAYS:
        for done in finish(acknowledged(way, AT_ONCE, ROUNDS), new_event_loop):
            print(f"  {way:15} {done.count:4} at once: {_told(done)}", flush=True)
    os.sched_setaffinity(0, processors)
    _quiet()


def _told(done: Acknowledged) -> str:
    ours = [f"p99 outside {middle(done.ours, 'outside', 99):6.1f}"]
    own = middle(done.ours, "inside", 99)
    ours.append(f"our side median {middle(done.ours, 'inside', 50):6.1f} p99 {own:6.1f}")
    if done.bare:
        least = middle(done.bare, "inside", 99)
        spent = statistics.median(burst.work for burst in done.bare)
        ours.append(f"bare Starlette {least:6.1f} ({spent:.2f} an event), ratio {own / least:.2f}")
    work = statistics.median(burst.work for burst in done.ours)
    ours.append(f"{work:.2f} of our processor time an event")
    return f"{'; '.join(ours)}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"


def beside_apprise() -> None:
    """The same texts to the same servers, one after the other, and the effect of a refusal."""
    print("\nthe same texts to the same servers beside Apprise")
    for line in sent_by_apprise():
        print(f"  {line}")


def _quiet() -> None:
    """Log nothing."""
    quiet = structlog.make_filtering_bound_logger(logging.CRITICAL)
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory(), wrapper_class=quiet)


def main(parts: Sequence[str]) -> None:
    """Run the named parts, or all of them."""
    _quiet()
    for part in (rendering, fan_out, acks, beside_apprise):
        if not parts or part.__name__ in parts:
            part()


if __name__ == "__main__":
    main(sys.argv[1:])
