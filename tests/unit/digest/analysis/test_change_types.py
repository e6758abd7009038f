import pytest

from digest.core.enums import ChangeKind
from digest.topics.terms import kinds_of
from tests.support.fakes import graded

CODE, TESTS, DOCS, CI = (
    {path: 9} for path in ("src/a.py", "tests/test_a.py", "docs/a.md", ".github/workflows/a.yml")
)


@pytest.mark.parametrize(
    ("kind", "title", "files"),
    [
        (ChangeKind.SECURITY, "Fix DoS via sample-rate forgery (#1)", CODE),
        (ChangeKind.SECURITY, "Bump grpc to v1.82.1 (GHSA-hrxh-6v49-42gf)", CODE),
        (ChangeKind.SECURITY, "Sanitize server file paths from error responses", CODE),
        (ChangeKind.SECURITY, "Reject a request forgery in the proxy", CODE),
        (ChangeKind.FIX, "promtool: Fixed tsdb dump dropping samples", CODE),
        (ChangeKind.FIX, "fix(css): keep the order", CODE),
        (ChangeKind.FIX, "discovery/aws: don't panic on absent fields", CODE),
        (ChangeKind.FIX, "discovery/aws: guard nil fields to avoid panic", CODE),
        (ChangeKind.FIX, "Avoid rejection sampler OOM by chunking", CODE),
        (ChangeKind.DEPENDENCIES, "fix(deps): update module octo/cli to v2", CODE),
        (ChangeKind.PERFORMANCE, "tsdb: Add fast paths to chunk reading", CODE),
        (ChangeKind.PERFORMANCE, "scrape: stop scrape pools in parallel", CODE),
        (ChangeKind.PERFORMANCE, "Avoid metadata lookups during compilation", CODE),
        (ChangeKind.PERFORMANCE, "Enable PGO for Linux releases", CI),
    ],
)
def test_kinds_of_a_change_follow_from_the_words_of_its_title(kind, title, files):
    assert kind in kinds_of(graded("1", title, files))


@pytest.mark.parametrize(
    ("kind", "title", "files"),
    [
        (ChangeKind.SECURITY, "Sanitize logits before the top-k", CODE),
        (ChangeKind.SECURITY, "Skip padding, bypassing the scaled kernel", CODE),
        (ChangeKind.SECURITY, "Honor the security protocol of the listener", CODE),
        (ChangeKind.FEATURE, "POOL-1234: Delete the old pool", CODE),
        (ChangeKind.FIX, "docs: fix grammar", CODE),
        (ChangeKind.FIX, "audit: `--ignore` and `--ignore-until-fixed`", CODE),
        (ChangeKind.FIX, "chore: fix redundantSprint issues from gocritic", CODE),
        (ChangeKind.FIX, "Fix a flaky test", TESTS),
        (ChangeKind.FIX, "fix(deps): update module octo/cli to v2", CODE),
        (ChangeKind.FIX, "Fix a typo", DOCS),
        (ChangeKind.PERFORMANCE, "test: speed up the suite", CODE),
        (ChangeKind.PERFORMANCE, "discovery: run tests in parallel", TESTS),
    ],
)
def test_a_word_that_means_something_else_makes_no_kind(kind, title, files):
    assert kind not in kinds_of(graded("1", title, files))
