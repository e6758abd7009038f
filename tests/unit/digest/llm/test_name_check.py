"""Names of a sentence against a change: as it writes them, or put together from its parts."""

from __future__ import annotations

import pytest

from digest.llm.change_index import ChangeIndex
from digest.llm.format_check import Rejection
from digest.llm.name_check import check_name
from digest.llm.tokens import Atom, Sort
from tests.support import materials

POOL = """\
class WorkerPool(Base):
    def start(self, fused_moe, size=8):
        parser.add_argument("--pool-size", default=4)
        if size >= 16: raise TooMany
        self.limit = size

    def ~never(self): pass
"""

MATERIAL = materials.material(
    "Drain the LoRAConfig pool with torch (Linux, LLMs)",
    ("engine/core/pool.py", "", POOL),
    ("engine/server.py", "", "def serve(port):\n    drain(port)\n"),
    ("web/app-shell.ts", "", "const other = 1;\n"),
    ("docs/depth.txt", "", "Set --depth to 33.\nOmit --depth otherwise.\n"),
    (
        "engine/args.py",
        "",
        'def a(parser):\n    parser.add_argument(\n        "--batch",\n        default=77,\n    )\n',
    ),
)

GROUND = ChangeIndex(MATERIAL.change, MATERIAL.facts)


def of(text, sort=Sort.CODE):
    failed = check_name(Atom(sort, text), GROUND)
    return failed and failed.fault


@pytest.mark.parametrize(
    "text",
    [
        "WorkerPool", "`WorkerPool`", "WorkerPool()", "WorkerPool( ... )", "WorkerPool(…)",
        "WorkerPool.start", "WorkerPool::start", "WorkerPool#start()", "WorkerPool->start", "self.limit",
        "self.start", "*WorkerPool", "@WorkerPool", "start、limit，serve", "'start'", "Worker*",
        "WorkerPool.~never", "engine.core.pool", "engine.core.pool.WorkerPool", "core.pool.WorkerPool.start",
        "engine/core", "engine/core/pool.py", "pool.py", "./engine/server.py", "engine/server.py:2", "/engine/",
        "engine/*.py", "engine/{core,web}", "app-shell.ts", "engine.server.serve",
        "--pool-size", "--pool-size=4", "--pool-size 4", "--batch 77", "--depth 33", "--pool-size N", "--pool-size <n>", "--pool-size [n]",
        '--pool-size "4"', "size=8", "size = 8", "size>=16", "size >= 16", "fused_moe ... size",
        "raise TooMany", "limit size", "start limit",
        "engine.args.serve",  # a module may pass on a name of another one
    ],
)  # fmt: skip
def test_code_of_the_change_is_known(text):
    assert of(text) is None


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("WorkerPools", Rejection.NAME), ("Worker", Rejection.NAME), ("workerpool", Rejection.NAME),
        ("WorkerPool.stop", Rejection.NAME), ("Pool.start", Rejection.NAME),
        ("workerpool.start", Rejection.NAME), ("workerpool()", Rejection.NAME), ("self.limits", Rejection.NAME),
        ("start、limits", Rejection.NAME), ("'limits'", Rejection.NAME), ("web.limit", Rejection.NAME),
        ("server.limit", Rejection.NAME), ("engine.server.serve.limits", Rejection.NAME), ("''", Rejection.NAME), ("Work3r*", Rejection.NAME),
        ("serve.limit", Rejection.NAME), ("engine.core.pool.Other", Rejection.NAME),
        ("engine.server.start_all", Rejection.NAME), ("engine.core.others", Rejection.NAME),
        ("engine/cor", Rejection.PATH), ("ool.py", Rejection.PATH), ("core/server.py", Rejection.PATH),
        ("engine/web/*.py", Rejection.PATH), ("app-shell.js", Rejection.PATH), ("engine/server.pyi", Rejection.PATH),
        ("app-shells", Rejection.NAME), ("core-pool", Rejection.NAME),
        ("--pool", Rejection.FLAG), ("--pool-size=5", Rejection.FLAG), ("--pool-size 16", Rejection.FLAG),
        ("--pool-size other", Rejection.FLAG), ("-p", Rejection.FLAG), ("-pool-size", Rejection.FLAG), ("--pool-size-", Rejection.FLAG),
        ("--batch 4", Rejection.FLAG),
        ("limit=16", Rejection.NAME), ("size < 16", Rejection.NAME), ("size > 16", Rejection.NAME),
        ("limit = 8", Rejection.NAME), ("other is port", Rejection.NAME), ("start serve", Rejection.NAME),
        ("3.x_speed", Rejection.NUMBER), ("...", Rejection.NAME),
    ],
)  # fmt: skip
def test_code_that_the_change_does_not_have_is_named_by_its_kind(text, fault):
    assert of(text) is fault


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("API", True), ("APIs", True), ("URLS", True), ("MoE", True), ("MOE", True), ("moe", True),
        ("LLM", True), ("LLMs", True), ("LoRAConfig", True), ("LORACONFIG", False), ("LoRA", False), ("CONFIG", True), ("CONF", False),
        ("PyTorch", True), ("TensorFlow", False), ("NCCL", False), ("FP8", False), ("MoE/torch", True),
        ("MoE/NCCL", False), ("engine/core", True), ("TORCHs", True), ("Torchs", False),
    ],
)  # fmt: skip
def test_acronym_may_have_another_case_unless_the_change_spells_it(word, known):
    assert of(word, Sort.WORD) is (None if known else Rejection.NAME)


@pytest.mark.parametrize("sort", [Sort.QUOTE, Sort.NUMBER])
def test_quotes_and_numbers_are_no_names(sort):
    assert of("anything", sort) is None
