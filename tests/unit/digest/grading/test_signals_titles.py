"""What titles say, and what only seems to say it."""

from __future__ import annotations

import pytest

from digest.core.change import FileStatus
from digest.core.facts import Area, Facts, FileFacts, Undone
from digest.facts.subject import read_subject
from digest.grading.signals import Title, read_title


def _title(title: str, undone: Undone | None) -> Title:
    return Title.of(Facts(subject=read_subject(title), files=(), reverts=undone))


def read(title: str, *, core: bool = True, undone: Undone | None = None) -> set[str]:
    return {name for name, _ in read_title(_title(title, undone), core=core)}


@pytest.mark.parametrize(
    ("title", "signal"),
    [
        ("Tune the all-reduce of two nodes", "title_performance"),
        ("Select a backend of fused_moe", "title_performance"),
        ("Translate Anthropic messages", "title_logging"),
        ("Raise E2E throughput", "title_tests"),
        ("Place layers of pipeline parallel stages", "title_ci"),
        ("Copy from pinned memory", "title_upgrade"),
        ("Choose split_k by size", "title_refactor"),
        ("Default consolidateAfter to a minute", "title_refactor"),
        ("[Bugfix] Fix a crash and add a check", "title_feature"),
        ("Remove support of bz2", "title_feature"),
        ("Added check before an event is sent", "title_feature"),
        ("Add an include that was breaking the old builds", "title_breaking"),
        ("ABC-2730: read the pool in parts", "title_name"),
        ("Read the pool in parts (ABC-2376)", "title_name"),
        ("fix: CVE-2025-68121", "title_name"),
    ],
)
def test_words_that_belong_to_something_else_say_nothing(title: str, signal: str) -> None:
    assert signal not in read(title)


@pytest.mark.parametrize(
    ("title", "signal"),
    [
        ("Reduce the latency of a request", "title_performance"),
        ("[CI] Run nightly tests twice", "title_ci"),
        ("Bump serde from 1.0 to 1.1", "title_upgrade"),
        ("30% faster start", "title_figure"),
        ("Bump version to 0.12.4", "title_chore"),
        ("1.143.0rc1", "title_chore"),
        ("Review fixes for the reader", "title_refactor"),
        ("Address code review comments", "title_refactor"),
        ("*: modernize code", "title_refactor"),
        ("Run Turbo-7 models", "title_name"),
        ("ABC-2730: read models of Turbo-7", "title_name"),
    ],
)
def test_words_that_say_it_are_read(title: str, signal: str) -> None:
    assert signal in read(title, core=False)


@pytest.mark.parametrize(
    ("title", "signal"),
    [
        ("[CLI] Rename `--exclude-deltas` to `--skip-deltas`", "says_rename"),
        ("Enable AOT compilation by default", "says_default"),
        ("Make the synchronous reader the default", "says_default"),
        ("Drop support for Node 18", "says_support_dropped"),
        ("Remove deprecated hooks of the loader", "says_deprecated_removed"),
        ("Deprecate the old scheduler", "says_deprecation"),
        ("Bump the MSRV to 1.96", "says_requirement"),
        ("Minimum supported Rust version: 1.96", "says_requirement"),
        ("Remove the agent from distributions", "says_support_dropped"),
        ("Completely remove `file` as storage type", "says_support_dropped"),
        ("Stop building wheels for one system", "says_support_dropped"),
        ("Retract formal Django 6.1 support", "says_support_dropped"),
        ("Reject multi-dot file names", "says_refusal"),
        ("[Bugfix] Reject empty names of pools", "says_refusal"),
        ("Require a name for --pool", "says_refusal"),
        ("config: validate the fields of pools", "says_refusal"),
        ("Remove the `--fast` flag", "says_contract_removed"),
        ("Change the index format to v3", "says_format"),
        ("No longer accept names with dots", "says_support_dropped"),
        ("Stabilize the build cache", "says_behaviour"),
        ("Write `main.py` instead of `hello.py`", "says_instead"),
        ("Treat empty `TOOL_DIR` as unset", "says_behaviour"),
        ("Make `--check` fail on warnings", "says_behaviour"),
        ("Don't set APP_COLOR twice", "says_behaviour"),
        ("Promote alpine to be served as default", "says_default"),
        ("Fix defaults of the reader", "says_default"),
        ("Align the default of the reader with the writer", "says_default"),
        ("seccomp: Block AF_ALG in default socket policy", "says_default"),
        ("chore: Update relay to 1.4 to fix a CVE", "says_security"),
        ("Bound the length of a prompt (security)", "says_security"),
        ("Default the reader to async", "says_default"),
        ("Lift the default timeout from 5 to 10", "says_default"),
        ("Change name of fs_pool tier to fs.", "says_rename"),
        ("Durations: Rename min/max -> min_of, max_of", "says_rename"),
        ("[REMOVED] Callback in monitoring endpoints", "says_contract_removed"),
        ("[FIXED] Leaves bypass the publish permission check", "says_security"),
        ("[FIXED] Subscribe deny not enforced on replay", "says_security"),
        ("[FIXED] Partial packets can exhaust pre-auth memory", "says_security"),
        ("List old options, and remove the `--fast` flag", "says_contract_removed"),
        ("Fix a security hole and show a clear error", "says_security"),
        ("Drop the prune command", "says_contract_removed"),
        ("Error on names of pools with dots", "says_refusal"),
        ("Authorize a request before its upload is accepted", "says_protection"),
        ("fix: check the hostname of uploads", "says_protection"),
        ("fix(pool): apply TLS certificate verification", "says_protection"),
        ("api: redact more secrets of pools", "says_protection"),
        ("Do not log the api-key of a client", "says_protection"),
        ("Create key files with mode 0600", "says_protection"),
        ("Remove Python 3.9", "says_requirement"),
    ],
)
def test_demands_of_a_title_are_read(title: str, signal: str) -> None:
    assert signal in read(title)


@pytest.mark.parametrize(
    "title",
    [
        "Remove unused flags of the parser",
        "Fix CI: patch a crate for the MSRV",
        "Run the MSRV check for all crates",
        "Check minimum versions with each request",
        "Remove the reader from the loop",
        "Remove remnants of a tool from the image",
        "Remove deprecated imports in tests",
        "Remove obsolete `allow(deprecated)` from `is_old`",
        "[Docs] Discuss security risks of an old key",
        "Add security.poolSizeLimit and read it",
        "chore: fix broken link for deprecations",
        "Add pool.with.default to readers",
        "Defer removal of deprecated fields of pools to 2.3",
        "Make it easier to scan for default features",
        "signal: restore MSRV by removing a call",
        "Update deprecate version",
        "Fix a typo in the help of the default flag",
        "[no-deprecated] report accessors",
        "Require-less loading",
        "Document security risks of the tool",
        "Postpone the deprecation of the profiler",
        "Deduplicate deprecation warnings of the API",
        "Load checkpoints with deprecated values",
        "Use the new call of titles instead of deprecated ones",
        "Assert what is no longer valid",
        "Speed up rebuilds: remove -a from build",
        "Mount the archive so it stops shipping in the published image",
        "Set APP_RUN_ID in the environments of tasks",
        "Drop GO111MODULE=on",
        "Drop metrics of stopped targets",
        "Remove requirement to use `--overrides`",
        "Make app_color brighter",
        "Use import.meta.APP_COLOR for assets",
        "[Refactor] Rename `fast_mul` to `mul`",
        "[4/N][Layout Refactor] Promote local specs",
        "docs: update build defaults",
        "Package by default: Update documentation",
        "Review pull requests for security",
        "Use backend-default precision of dots",
        "Propagate default stop words to every request",
        "Correct deprecation hints of the parser",
        "audit: add context for ignored vulnerabilities",
        "Add `security` as a type of commits",
        "Replace assertions by exceptions for security",
        "fix(fetch): report securityDetails of reused sockets",
        "[V0 Deprecation] Refactor the cache from a list to an element",
        "fix(optimizer): close the bundle when write() rejects",
        "Reject malformed hashes",
        "[Bugfix][Runner] Require all requests to be decoding",
        "fix(pool): validate the state of the reader",
        "[Frontend][Bugfix] Use default tool call names",
        "[Bugfix] Default the pool of tensors to None",
        "Remove the restriction that --cluster needs three cards",
        "Lift the limitation of --jobs",
        "Storage: validate the width of a dictionary",
        "Align Config docstrings of parameters with None default",
        "Rename db_test2 -> db_etc2_test",
        "refactor: leave out a setting as it is on by default",
        "fix(plugin): remove preload links for legacy builds",
        "Tell fewer deprecations of flags, and name what a title rejects",
        "Call new what fixes a CVE without a number",
        "Search the routes, and small numbers among the defaults to keep",
        "Fix security settings of the build",
        "drop nth command supports several arguments",
        "chore(cli): remove an unreachable short-flag check",
        "Disallow the clippy::needless_return lint",
        "Enforce PoolReader to resolve paths",
        "fix(query): error in joins when a document was deleted",
        "fix(query): the written syntax is deprecated",
        "Remove setting PoolOptions flags to false",
        "Remove more Python 2.x compat code",
        "PoolReader: require Debug",
        "fix: reject a superset of schemas at PoolBuilder",
        "Adjust the deprecation window of the reader",
    ],
)
def test_housekeeping_demands_nothing(title: str) -> None:
    assert not {name for name in read(title) if name.startswith("says_")}


def test_what_breaks_in_a_fix_is_no_declaration() -> None:
    assert "title_breaking" in read("Breaking change of the pool")
    assert "title_breaking" not in read("fix(pool): view breaking for nested tabs")


def test_names_of_images_in_tests_are_not_what_users_get() -> None:
    title = "Update base and default containers"
    files = [
        FileFacts(
            path=f"{at}/docker/Dockerfile",
            area=area,
            added=1,
            deleted=1,
            status=FileStatus.MODIFIED,
        )
        for at, area in (("test", Area.TESTS), ("build", Area.BUILD))
    ]
    told = [Title.of(Facts(subject=read_subject(title), files=(file,))).shipped for file in files]
    assert told == [False, True]


def test_a_tag_of_the_authors_filing_does_not_outweigh_code() -> None:
    assert "title_ci" in read("[CI] Add a step", core=False)
    assert {"title_aside"} == read("[CI] Add a step", core=True) - {"title_feature"}


def test_a_filing_beside_code_is_told_by_one_of_its_words() -> None:
    found = dict(read_title(_title("chore: fix the docs of the CI", None), core=True))
    assert found["title_aside"] == "chore"
    assert not {"title_chore", "title_docs", "title_ci"} & set(found)


def test_feature_of_a_tool_for_tests_is_no_filing() -> None:
    assert not {"title_aside", "title_tests"} & read("feat(test): split a test run", core=True)
    assert "title_aside" in read("fix(test): split a test run", core=True)


def test_a_revert_is_read_by_the_title_of_what_it_undoes() -> None:
    undone = Undone(title="[Perf] Add a cache by default")
    found = read('Revert "[Perf] Add a cache by default" (#7)', undone=undone)
    assert {"title_feature", "title_performance", "title_revert"} <= found
    assert not {name for name in found if name.startswith("says_")}


@pytest.mark.parametrize(
    "title",
    ["Support combined upgrade and reinstall", "Respect version pins", "Pass pinned sums on"],
)
def test_upgrades_and_pins_that_users_make_are_no_update(title: str) -> None:
    assert "title_upgrade" not in read(title)


def test_feature_gate_that_is_promoted_changes_a_default():
    for title, told in (
        ("Make pool.es.readOnce feature stable", True),
        ("Mark pool.readOnce feature gate as stable", True),
        ("[pool] stabilize readOnce gate", True),
        ("Promote feature gates of pools to Beta", True),
        ("Make the feature stable under load", False),
        ("Make tests of a feature gate stable", False),
    ):
        assert ("says_default" in read(title)) is told, title
