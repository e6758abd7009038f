import pytest

from digest.core.facts import Undone
from digest.facts.reverts import find_undone
from digest.facts.subject import read_subject

SHA = "0123456789abcdef0123456789abcdef01234567"


def find(title, body=""):
    return find_undone(read_subject(title, body), body)


@pytest.mark.parametrize(
    ("title", "body", "undone"),
    [
        (
            'Revert "Add a cache"',
            f"This reverts commit {SHA}.",
            Undone(sha=SHA, title="Add a cache"),
        ),
        ('Revert "Add a cache (#5)" (#9)', "", Undone(number=5, title="Add a cache")),
        ('Revert "Add a cache" (#5) (#9)', "", Undone(number=5, title="Add a cache")),
        ('Revert "Add a cache" (#15 and #17) (#9)', "", Undone(number=15, title="Add a cache")),
        ('[Bugfix] Revert "[Core] Add (#5)" (#9)', "", Undone(number=5, title="[Core] Add")),
        ('Revert "[Core] Add a very lo… (#9)', "", Undone(title="[Core] Add a very lo…")),
        ("Revert [Core] Add a cache (#5) (#9)", "", Undone(number=5, title="[Core] Add a cache")),
        ("Revert #5 (#9)", "", Undone(number=5)),
        ("Revert #5 and #6 (#9)", "", Undone(number=5)),
        ("Revert PR #5: it broke the build (#9)", "", Undone(number=5)),
        ("[CI] Revert #5 to fix the build (#9)", "", Undone(number=5)),
        ("[Revert] Bring the helper back (#9)", "", Undone()),
        (
            "revert: add a cache",
            f"This reverts commit {SHA}.",
            Undone(sha=SHA, title="add a cache"),
        ),
        ("revert(core): add a cache (#5) (#9)", "", Undone(number=5, title="add a cache")),
        ('net: revert "add a cache" (#9)', "", Undone(title="add a cache")),
        (
            'Revert "Add a cache" (#9)',
            "Reverts owner/name#5",
            Undone(number=5, title="Add a cache"),
        ),
        (
            'Revert "Add a cache"',
            "This reverts merge request !5",
            Undone(number=5, title="Add a cache"),
        ),
        (
            'Revert "Add a cache"',
            "This reverts merge request group/sub/name!5",
            Undone(number=5, title="Add a cache"),
        ),
        ("Back out the cache", "", Undone()),
        ("Drop the cache", f"This reverts commit {SHA}.", Undone(sha=SHA)),
        ('Revert "Merge pull request #5 from ada/x"', "", Undone(number=5)),
        ('Revert "Reland "Add a cache""', "", Undone(title="Add a cache")),
        (f"Revert {SHA[:12]}", "", Undone(sha=SHA[:12])),
    ],
)
def test_revert(title, body, undone):
    assert find(title, body) == (undone, None)


@pytest.mark.parametrize(
    ("title", "body", "undone"),
    [
        ('Reland "Add a cache (#5)" (#9)', "", Undone(number=5, title="Add a cache")),
        ('Reapply "Add a cache"', f"This reverts commit {SHA}.", Undone(title="Add a cache")),
        (
            'Revert "Revert "Add a cache""',
            f"This reverts commit {SHA}.",
            Undone(title="Add a cache"),
        ),
        ('Revert "Revert #5 (#7)" (#9)', "", Undone(number=5)),
        ("[Re-land] Add a cache (#9)", "Reland of #5", Undone(number=5)),
        ("[Parser] Re-land: Fix quotes (#5) (#9)", "", Undone(number=5)),
        (
            "Reapply [Core] Add a cache to the pool (#9)",
            "",
            Undone(title="[Core] Add a cache to the pool"),
        ),
    ],
)
def test_reland(title, body, undone):
    assert find(title, body) == (None, undone)


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Add a cache (#5)", ""),
        ("Revert to eager mode (#9)", ""),
        ("Revert the version to 2.1 (#9)", ""),
        ("Partial revert of #5 (#9)", ""),
        ("Revert part of #5 (#9)", ""),
        ("Fix the reverted change (#9)", ""),
        ("Reverting.", ""),
        ("Add a cache", f"Why.\n\nMore.\n\nEven more.\n\nThis reverts commit {SHA}."),
        ("Add a cache", f"* first try\n\nThis reverts commit {SHA}.\n\n* second try"),
        ("Relandscape the garden", ""),
    ],
)
def test_neither(title, body):
    assert find(title, body) == (None, None)
