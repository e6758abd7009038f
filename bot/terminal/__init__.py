"""A document as lines of text for a terminal: the layout, without any output.

:mod:`~bot.terminal.layout` knows blocks, :mod:`~bot.terminal.columns` tables and
:mod:`~bot.terminal.wrapping` lines.
"""

from __future__ import annotations

from bot.terminal.layout import lay_out, plain_text
from bot.terminal.wrapping import Line, Role, Run, cells, width_of, wrap

__all__ = ["Line", "Role", "Run", "cells", "lay_out", "plain_text", "width_of", "wrap"]
