"""Prompts: a change laid out for a model within a number of tokens, with nothing lost in silence.

``fit`` makes prompts of changes, ``prompt`` holds them, ``sheet`` lays them out, ``pieces`` ranks
hunks, ``fence`` sets apart what strangers wrote, ``templates`` loads the words.
"""

from digest.prompting.fit import (
    BATCH,
    PARTS,
    NoRoom,
    Note,
    lines_prompts,
    merge_prompt,
    prompt_for,
    prompts_for,
)
from digest.prompting.omission import Cause, Omission, said
from digest.prompting.prompt import Kind, Prompt, kind_of, version_of

__all__ = [
    "BATCH",
    "PARTS",
    "Cause",
    "Kind",
    "NoRoom",
    "Note",
    "Omission",
    "Prompt",
    "kind_of",
    "lines_prompts",
    "merge_prompt",
    "prompt_for",
    "prompts_for",
    "said",
    "version_of",
]
