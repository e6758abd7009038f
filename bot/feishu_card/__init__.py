"""Documents as Feishu's interactive cards (JSON 2.0), for its app bot and its custom bot.

Pure: no I/O, no clock.
"""

from __future__ import annotations

from bot.feishu_card.card import Style, mark_of, render, with_identity

__all__ = ["Style", "dump", "mark_of", "render", "with_identity"]
