"""The judge of lines: which ones say what a change means for a reader."""

from __future__ import annotations

import pytest

from digest.core.facts import Action, FactKind
from digest.core.grade import Level
from tests.evals.lines import internal_names, lines, says_consequence
from tests.support import samples

SAYS = """\
--fast was removed; use --mode fast
KVConfig.policy now defaults to "fail" (was "recompute")
Minimum Rust version raised from 1.95 to 1.96
APP_POOL is now APP_POOL_SIZE
Fix a deadlock of asynchronous scheduling
tsdb: fix stale cache after truncation
Don't stop a request before its images are encoded
Refactoring (shell): Pull the links into a crate
Tests only: add a warmup run
Fix: the tree command fails on projects without a name
Security: enforce limits of pixels in frames
Speed up token scanning of long prompts
The old loader is no longer used
Undoes #12 (“Fuse the scale”)
Warn when the cache is inside the source folder
Always emit the table of packages
Stabilize the layout of the build folder
Fix RuntimeError: Already borrowed that slows requests down
Now rejected: “--fast is incompatible with more than one relay”
New flag --mask: Whether to return the mask of each sample
Built with Go 1.26.4 instead of 1.26.3
OldModel is now among the past models
Support Relay 4.6
relay is now v1.3.0 (was v1.2.0)
Redact credentials from failed fetches
Build the bundled kernel for each version so the wheel imports on all of them
Fix get_name calls consumed when logging is on
compile: get_name should respect APP_CACHE
Add support of the next model: its frontend
2.14: An invalid time zone returns a specific error
Properly format the extra field of packages
Expression filter handle NOT IN NULL
Tag weights per channel so the fast kernel is selected
In the description, resolve names through the catalog
Before this change, hooks of another kind led to a failed test
""".splitlines()

SAYS_NOT = """\
Changes 14 files (+3 −2)
Adds Pool, Plan and 11 more
Changes src/engine.py (+11 −2)
Update dependencies
Improve benchmarks
Type coverage for the compiler
Add get_name to missing backends
Optimize sample_tokens_kernel
Minor scheduler optimization
Tag of the image
Format of the catalog
Merge release 3.1 to main
Reasoning effort of the new model
New flag --mask: The mask
Cache: Relay of the pool
Add get_name for the release of memory by tag

""".splitlines()


@pytest.mark.parametrize("line", SAYS)
def test_line_with_a_consequence(line):
    assert says_consequence(line, {"get_name"})


@pytest.mark.parametrize("line", SAYS_NOT)
def test_line_without_a_consequence(line):
    assert not says_consequence(line, {"get_name", "sample_tokens_kernel"})


def test_names_of_functions_and_classes_are_internal_and_those_of_flags_are_not():
    graded = samples.change(
        1,
        "Add it",
        Level.HIGH,
        files=[samples.file("a.py")],
        items=[
            samples.fact(FactKind.SYMBOL, Action.ADDED, "Pool.run", samples.at("a.py", 1)),
            samples.fact(FactKind.FLAG, Action.ADDED, "--pool", samples.at("a.py", 2)),
        ],
    )
    assert internal_names(graded) == {"Pool.run", "run"}


def test_every_high_sample_has_a_consequence():
    found = lines([g for g in samples.everything() if g.grade.level is Level.HIGH])
    assert found
    assert all(says for _, _, says, _ in found)
