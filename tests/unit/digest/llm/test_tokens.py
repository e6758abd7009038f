"""What in a sentence is taken for a name, a word that may be one, a number or a quote."""

from __future__ import annotations

import pytest

from digest.document import Code
from digest.llm.tokens import take_apart


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        ("See pool_size.", ["NAME pool_size"]),
        ("(see pool_size)", ["NAME pool_size"]),
        (
            "[pool_size], <pool_id>; 'pool_max'!",
            ["NAME pool_size", "NAME pool_id", "NAME pool_max"],
        ),
        ("Sets pool_size[0] in ${HOME}.", ["NAME pool_size[0]", "NAME ${HOME}"]),
        ("Calls start_all(a) now.", ["NAME start_all(a)"]),
        ("pool_size's value, pool_id’s too", ["NAME pool_size", "NAME pool_id"]),
        ("a_b, c_d; e_f→g_h", ["NAME a_b", "NAME c_d", "NAME e_f", "NAME g_h"]),
        ("Run Engine.step() and self.x", ["NAME Engine.step()", "NAME self.x"]),
        ("in engine/cli.py:12 and cli.py", ["NAME engine/cli.py:12", "NAME cli.py"]),
        ("--flag=x and -Dx=1 and -x", ["NAME --flag=x", "NAME -Dx=1"]),
        ("size=8 and a==b", ["NAME size=8", "NAME a==b"]),
        ("%(name)s and *args", ["NAME %(name)s", "NAME *args"]),
        ("read/write/seek", ["NAME read/write/seek"]),
        ("in src/API/pool, below engine/", ["NAME src/API/pool", "NAME engine/"]),
        ("core/engine-v2", ["NAME core/engine-v2"]),
        ("Renames app-shell.ts to 3-shell.ts.", ["NAME app-shell.ts", "NUMBER 3"]),
        ("the a_ or _b", []),
        ("foo(s), flag(s) and class(es)", []),
        ("e.g. this, i.e. that", []),
        ("Reads CPU/GPU and on/off.", ["WORD CPU", "WORD GPU"]),
        ("Uses load/unload.", ["WORD load/unload"]),
        ("Uses FP8-quantized weights.", ["WORD FP8"]),
        ("GPU/CPU/TPU", ["WORD GPU", "WORD CPU", "WORD TPU"]),
        ("LoRA and MoE, LLMs", ["WORD LoRA", "WORD MoE", "WORD LLMs"]),
        ("the 1st of 3, 2nd", ["NUMBER 3"]),
        ("1. Do (2) it", []),
        ("See table 12(2).", ["NUMBER 12"]),
        (
            "12ms, 1e5, 4,096 or v2.9.1",
            ["NUMBER 12", "NUMBER 1e5", "NUMBER 4,096", "NUMBER v2.9.1"],
        ),
        ("~30 tokens/s", ["NUMBER 30"]),
        ('The "pool_size" is gone.', ["QUOTE pool_size"]),
        ('The "fast" mode.', ["QUOTE fast"]),
        ('The "very fast" mode.', []),
        ('Sets pool_size"fast" now.', ["NAME pool_size", "QUOTE fast"]),
        ('Sets "fast"pool_size now.', ["QUOTE fast", "NAME pool_size"]),
        ("init(FP8-x or BF16)", ["NAME init", "WORD FP8", "WORD BF16"]),
        ("**bold `x` text**, ``a`b`` and *soft*", ["CODE x", "CODE a`b"]),
    ],
)
def test_atoms_are(text, atoms):
    assert [f"{one.sort.name} {one.text}" for one in take_apart(text).atoms] == atoms


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Sets pool_size (and --pool-id).", "Sets `pool_size` (and `--pool-id`)."),
        ("The **`pool`** is *very* **fast**.", "The `pool` is very fast."),
        ('Sets mode="fast" by default.', 'Sets `mode="fast`" by default.'),
        ("Calls start(a,b) twice.", "Calls `start`(a,b) twice."),
        ('Not "pool_size", 12 of CPU/GPU.', 'Not "pool_size", 12 of CPU/GPU.'),
    ],
)
def test_names_are_shown_as_code_and_nothing_is_lost(text, shown):
    spans = take_apart(text).spans
    assert "".join(f"`{s.text}`" if isinstance(s, Code) else s.text for s in spans) == shown
