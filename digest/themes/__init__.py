"""What a stretch of time amounts to: its lead and its themes.

``efforts`` joins changes of one effort by rule, ``theme`` makes themes without a model, ``day``
asks a model and keeps what the listed changes bear out.
"""

from digest.themes.day import Day, day_prompt, day_reader, plain_day, read_day
from digest.themes.efforts import efforts
from digest.themes.theme import Sentence, Theme, Told, themes

__all__ = [
    "Day",
    "Sentence",
    "Theme",
    "Told",
    "day_prompt",
    "day_reader",
    "efforts",
    "plain_day",
    "read_day",
    "themes",
]
