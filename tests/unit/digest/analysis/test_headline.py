"""Titles as sentences for a reader."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digest.analysis.headline import headline
from digest.core.change import FileStatus
from digest.core.enums import Language
from digest.core.facts import Action, Area, FactKind, Facts
from digest.document import plain
from digest.facts.subject import read_subject
from tests.support.samples import at, fact, file


def facts(title, *files):
    return Facts(subject=read_subject(title), files=files or (file("src/a.py", added=20),))


def told(title, language=Language.EN, *files):
    return plain(headline(facts(title, *files), language).spans)


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("[Bugfix] Fix race condition in the pool (#12)", "Fix race condition in the pool"),
        ("[ROCm][Bugfix] handle an empty `f`", "Fix (ROCm): handle an empty f"),
        ("[Model Runner V2] Support Eagle3", "Model Runner V2: Support Eagle3"),
        ("[Refactor][TPU] Use tpu-inference", "Refactoring (TPU): Use tpu-inference"),
        ("tsdb: fix stale cache after truncation", "tsdb: fix stale cache after truncation"),
        ("tsdb:Optimize the pool", "tsdb: Optimize the pool"),
        ("[Pool] Unify the shapes of experts", "Refactoring (Pool): Unify the shapes of experts"),
        ("Refactor the pool", "Refactor the pool"),
        ("*: use the new pool", "Use the new pool"),
        ("feat(stream): impl Pool for cards", "stream: impl Pool for cards"),
        ("feat(stream): drop cards", "stream: drop cards"),
        ("Miscellaneous pool fixes", "Miscellaneous pool fixes"),
        ("Pools return an error when succes…", "Pools return an error when succes…"),
        ("Restart tasks on changes of pools", "Restart tasks on changes of pools"),
        ("pool: should align with its cards", "pool: should align with its cards"),
        ("Miscellaneous fixes for pool support", "Miscellaneous fixes for pool support"),
        ("Tune what pools solve: - Do it later. - Do it once.", "Tune what pools solve"),
        ("cri: unpack pools by layer", "cri: unpack pools by layer"),
        ("fix(relabel): stop on closed channel", "Fix (relabel): stop on closed channel"),
        ("fix(tsdb): overflow on a late query", "Fix (tsdb): overflow on a late query"),
        ("Stop on closed channel [ci skip]", "Stop on closed channel"),
        ("fix(rocm): stop on closed channel", "Fix (ROCm): stop on closed channel"),
        ("fix(`relabel`): stop on closed channel", "Fix (relabel): stop on closed channel"),
        ("fix(deps): update all minor versions", "Update all minor versions"),
        ("fix: find the config for jsr: entries", "Fix: find the config for jsr: entries"),
        ("[Runner] Bug fix: dtype of the probe", "Fix (Runner): dtype of the probe"),
        ("[Bugfix] A + B + C : handle it all", "Fix (A + B + C): handle it all"),
        ("[Bugfix] coerce the old scales to …", "Fix: coerce the old scales"),
        ("Add parts to /generate for raw multim… (#14)", "Add parts to /generate"),
        ("Drop names after an operation using set sema…", "Drop names after an operation"),
        ("Make pool as the card's first user poo…", "Make pool as the card's first user …"),
        ("Keep calls with brackets or newl… (#14)", "Keep calls with brackets"),
        ("Stop the pool as it is not supported due to…", "Stop the pool as it is not supported"),
        ("Coerce the old scales here …", "Coerce the old scales here"),
        ("Drop names after an operation using one big sema…", "Drop names after an operation"),
        ("Read the pool as it po…", "Read the pool"),
        ("Read pools as it po…", "Read pools as it …"),
        ("[Bugfix] Big old card pools: use them", "Fix (Big old card pools): use them"),
        ("[Bugfix] Big old card pools here: use them", "Fix: Big old card pools here: use them"),
        ("fix: card pools: use them", "Fix (card pools): use them"),
        ("fix: old card pools: use them", "Fix: old card pools: use them"),
        ("[Bugfix] cache: use them", "Fix (cache): use them"),
        ("[Bugfix] Cache : use them", "Fix (Cache): use them"),
        ("[Bugfix] cache pools: use them", "Fix: cache pools: use them"),
        ("[docs/pool/test/cards] Use them", "pool/cards: Use them"),
        ("[docs/pool/cards] Use them", "pool/cards: Use them"),
        ("[pool/test] Use them", "pool/test: Use them"),
        ("Show advisories for CVEs of pools", "Show advisories for CVEs of pools"),
        ("Update pools for CVEs of cards", "Security: Update pools for CVEs of cards"),
        ("iOS and more pools", "iOS and more pools"),
        ("-a is no name of a pool", "-a is no name of a pool"),
        ("`[Model][Bugfix] Load the old weights` (#15)", "Fix: Load the old weights"),
        ("fix(app): honour the key of a file (#35815", "Fix (app): honour the key of a file"),
        ("Feature/statistics of the pool manager", "New: statistics of the pool manager"),
        ("Add: support of the next pool", "Add support of the next pool"),
        ("[Cohere] The second parser fix", "Fix (Cohere): The second parser"),
        ("Speed up the tests (fewer cases, (#51877)", "Speed up the tests"),
        ("chore: Update the relay for CVEs", "Security: Update the relay for CVEs"),
        ("Update the relay to 1.4 to fix a CVE", "Security: Update the relay to 1.4 to fix a CVE"),
        ("[copy of #45208] Count the pools", "Count the pools"),
        ("Add the parser fix", "Add the parser fix"),
        ("[Tool] `show` for parsers, and Pool fixes", "Tool: show for parsers, and Pool fixes"),
        ("[Benchmark] Compare the pools (main)", "Compare the pools"),
        (
            "fix(security/UNKNOWN/cmd/show): Update cmd/show relay to v4 [SECURITY] (main) (#22170)",
            "Security: Update cmd/show relay to v4",
        ),
        ("[Core] Don't stop a request early", "Don't stop a request early"),
        ("[Perf] Fuse the two kernels", "Performance: Fuse the two kernels"),
        ("pool-test - Update the images", "pool-test - Update the images"),
        ("[Perf] Speed up token scanning", "Speed up token scanning"),
        ("refactor: drop the old loop", "Refactoring: drop the old loop"),
        ("chore: deduplicate logged warnings", "Deduplicate logged warnings"),
        ("feat(api)!: drop the old route", "Breaking (api): drop the old route"),
        ("Update module x to v2 [SECURITY]", "Security: Update module x to v2"),
        (
            "fix(css): keep the order of rules (fix #1845) (#21)",
            "Fix (css): keep the order of rules",
        ),
        ("feat: log in with tokens [#16634]", "Log in with tokens"),
        ("Log in with tokens. Fixes #16744 (#16748)", "Log in with tokens"),
        ("Log in with tokens - fixes #9788", "Log in with tokens"),
        ("Log in with tokens (relay/26376)", "Log in with tokens"),
        ("Log in with tokens (and/or 2)", "Log in with tokens (and/or 2)"),
        ("[Feature] Add part 3 (#4)", "Add part 3"),
        ("Models are supported when loading", "Models are supported when loading"),
        ("vLLM logo at the start of the server", "vLLM logo at the start of the server"),
        ("keys_open join the phrases", "keys_open join the phrases"),
        ("[Attention] Fuse the two kernels", "Performance (Attention): Fuse the two kernels"),
        ("[Feature] Mask replay", "New: Mask replay"),
        ("[Feature] Supporting filters", "Supporting filters"),
        ("[10b/n] Migrate the filters of cards", "Migrate the filters of cards"),
        ("[Kernel] Porting the filters of cards", "Porting the filters of cards"),
        ("feat(cli): auto-migrate files", "cli: auto-migrate files"),
        ("feat(cli): seed the pool from files", "cli: seed the pool from files"),
        ("[Feature][Docs] Documentation of pools", "Documentation of pools"),
        ("[Bugfix] Fuse the forwarding of cards", "Fix: Fuse the forwarding of cards"),
        ("[Feature] `show` retries on errors", "show retries on errors"),
        ("fix(serveStatic): keep the options", "Fix (serveStatic): keep the options"),
        ("[V1] Mask replay", "V1: Mask replay"),
        ("[MoE Refactor] Split the runner", "Refactoring (MoE): Split the runner"),
        ("[FIXED] Data race on the pool", "Fix: Data race on the pool"),
        ("* fix(pool): a crash of the relay", "Fix (pool): a crash of the relay"),
        ("kv_offload[0/N]: Support preemption", "kv_offload[0/N]: Support preemption"),
        ("[KV][0/N] Support preemption of blocks", "KV: Support preemption of blocks"),
        ("[Feature] error on duplicate routes", "Error on duplicate routes"),
        ("(2.14) [FIXED] Stale pool of leaves", "Fix (2.14): Stale pool of leaves"),
        ("(2.14) Support streams of queues", "2.14: Support streams of queues"),
        ("[Tensors] Relay pool integration", "New (Tensors): Relay pool integration"),
        ("[REMOVED] Callback of the monitor", "Removed: Callback of the monitor"),
        ("[ADDED] Make the pool available", "Make the pool available"),
        ("[ADDED] Pool of workers", "New: Pool of workers"),
        ("[KV] Refactor pools: remove caches", "KV: Refactor pools: remove caches"),
        ("Block the backend of requests withou… (#14)", "Block the backend of requests withou…"),
        ("Block the backend of requests wit… (#14)", "Block the backend of requests wit…"),
        ("[Feature] Tentatively enable a pool", "Tentatively enable a pool"),
        ("feat(uds): paths (#12)", "New (uds): paths"),
        ("feat(`take` and `drop`): sizes are read", "New (take and drop): sizes are read"),
    ],
)
def test_author_s_words_stay_and_tags_become_a_label(title, line):
    assert told(title) == line


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Gemma-4 FA4 kernel", "New: Gemma-4 FA4 kernel"),
        ("[V1] Mask replay", "New (V1): Mask replay"),
        ("Isolate reads on a pool", "Isolate reads on a pool"),
    ],
)
def test_a_thing_in_a_new_file_is_called_new(title, line):
    new = file("src/new.py", added=90, status=FileStatus.ADDED)
    assert told(title, Language.EN, new) == line


def test_a_thing_with_much_new_code_is_called_new_and_an_improvement_is_not():
    much = file("src/a.py", added=90, deleted=9)
    assert told("Token API of the cache", Language.EN, much) == "New: Token API of the cache"
    assert told("Apply wide loads", Language.EN, much) == "Apply wide loads"
    assert told("further restrict the pool", Language.EN, much) == "Further restrict the pool"
    assert told("advance newest clocks", Language.EN, much) == "Advance newest clocks"
    assert told("Router optimization", Language.EN, much) == "Router optimization"
    assert told("seal the pool trait", Language.EN, much) == "Seal the pool trait"
    assert told("key per-run cache by pool", Language.EN, much) == "Key per-run cache by pool"
    assert told("Token API reads any reply", Language.EN, much) == "Token API reads any reply"
    assert told("idempotency fixes", Language.EN, much).startswith("Fix") is True
    for added, deleted, new in ((41, 0, True), (40, 0, False), (51, 10, True), (50, 10, False)):
        code = file("src/a.py", added=added, deleted=deleted)
        assert told("Token API", Language.EN, code).startswith("New: ") is new
    less = file("src/a.py", added=90, deleted=30)
    assert told("Token API of the cache", Language.EN, less) == "Token API of the cache"


def test_a_thing_with_a_new_setting_or_a_new_file_is_called_new():
    flag = fact(FactKind.FLAG, Action.ADDED, "--x", at("src/a.py", 3))
    inner = replace(flag, public=False)
    for items, new in (
        ([flag], True),
        ([replace(flag, public=True)], True),
        ([inner], False),
        ([replace(flag, action=Action.REMOVED)], False),
        ([replace(inner, action=Action.REMOVED), replace(inner, kind=FactKind.SYMBOL)], False),
        ([replace(flag, kind=FactKind.SYMBOL)], False),
    ):
        found = replace(facts("Token API of the cache"), items=tuple(items))
        assert plain(headline(found, Language.EN).spans).startswith("New: ") is new
    files = [file("src/a.py", deleted=0), file("src/b.py", deleted=0, status=FileStatus.ADDED)]
    assert told("Token API of the cache", Language.EN, *files) == "New: Token API of the cache"
    for title, brief in (("Mask replay now", True), ("Mask replay of pools", False), ("Mask command", False)):  # fmt: skip
        new_file = replace(facts(title), files=(files[1],))
        assert headline(new_file, Language.EN).brief is brief


def test_a_feature_is_called_new_only_if_more_code_is_new_than_gone():
    assert told("[Feature] Mask replay", Language.ZH) == "新增：Mask replay"
    assert (
        told("[Feature] Mask replay", Language.EN, file("a.py", added=5, deleted=6))
        == "Mask replay"
    )
    assert told("[Feature] Mask", Language.EN, file("a.py", added=5, deleted=5)) == "Mask"
    assert told("[Feature] Offloading statistics") == "New: Offloading statistics"
    assert told("Kernels for the card + mask support") == "New: Kernels for the card + mask support"


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("[Bugfix] Fix the race in the pool", "Fix the race in the pool"),
        ("[Bugfix][ROCm] Handle the new card", "修复（ROCm）：Handle the new card"),
        ("[ROCm] Support the new card", "ROCm: Support the new card"),
        ("[Security] Check the signature", "安全：Check the signature"),
    ],
)
def test_chinese_labels_the_author_s_own_words(title, line):
    assert told(title, Language.ZH) == line


@pytest.mark.parametrize(
    ("area", "path", "line"),
    [
        (Area.TESTS, "tests/a.py", "Tests only: Add a warmup run"),
        (Area.CI, ".github/a.yml", "CI only: Add a warmup run"),
        (Area.DOCS, "docs/a.md", "Documentation only: Add a warmup run"),
        (Area.CORE, "src/a.py", "Add a warmup run"),
    ],
)
def test_what_concerns_no_user_is_said_first(area, path, line):
    assert told("Add a warmup run", Language.EN, file(path, area)) == line


def test_update_of_dependencies_names_no_platform_of_the_code_it_adapts():
    files = [file("go.mod", Area.BUILD, added=40), file("executor_linux.go", added=5)]
    assert told("Bump the go group", Language.EN, *files) == "Bump the go group"
    assert told("Bump it", Language.EN, *files[1:]).startswith("Linux: ")


def test_folder_that_may_be_any_part_of_a_program_is_no_platform():
    for path in ("web/metal/cards.rb", "core/docker/pool.go"):
        assert told("Add a pool of cards", Language.EN, file(path)) == "Add a pool of cards"


def test_platform_of_all_code_is_named():
    paths = ("csrc/rocm/a.cu", "vllm/rocm/b.py")
    assert told("Fix the launch bounds", Language.EN, *map(file, paths)).startswith("ROCm: ")
    assert told("Fix the launch bounds", Language.EN, file("csrc/rocm/a.cu"), file("b.py")) == (
        "Fix the launch bounds"
    )


@pytest.mark.parametrize("title", ["Update docs", "Merge branch main into x", "Cleanup", "WIP"])
def test_vague_titles_are_known(title):
    assert not headline(facts(title), Language.EN).telling


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.sampled_from(Language))
def test_any_title_is_told_without_losing_its_last_word(title, language):
    words = plain(headline(facts(title), language).spans)
    assert isinstance(words, str)


@pytest.mark.parametrize("seed", ["a ", "and use ", "(1/", "[x] ", "try ", "A-", "ly ", "Fix: "])
def test_long_titles_take_no_longer(seed):
    assert told(seed * 5000) is not None


def test_fix_from_a_private_fork_is_told_by_its_folders():
    files = [file("src/jwt/a.ts"), file("src/jwt/b.ts"), file("src/c.test.ts", area=Area.TESTS)]
    title = "Merge commit from fork"
    end = "merged from a private fork without a description"
    assert told(title, Language.EN, *files) == f"Security fix in src/jwt, {end}"
    line = headline(facts(title, *files), Language.EN)
    assert (line.telling, line.inner, line.brief) == (True, False, False)
    zh = told(title, Language.ZH, *files)
    assert zh == "src/jwt 中的安全修复（自私有 fork 合入，无说明）"


def test_rework_that_users_see_is_no_refactoring():
    docs = file("docs/a.md", Area.DOCS)
    code = file("src/a.py")
    assert told("Simplify the size of pools", Language.EN, code) == (
        "Refactoring: Simplify the size of pools"
    )
    assert told("Simplify the size of pools", Language.EN, code, docs) == (
        "Simplify the size of pools"
    )
    for kind, label in ((FactKind.FLAG, ""), (FactKind.SYMBOL, "Refactoring: ")):
        item = fact(kind, Action.CHANGED, "x", at("src/a.py", 3))
        reworked = replace(facts("Simplify the size of pools"), items=(item,))
        said = plain(headline(reworked, Language.EN).spans)
        assert said == f"{label}Simplify the size of pools"
