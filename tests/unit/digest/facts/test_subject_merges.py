import pytest

from digest.facts.subject import unwrap_message
from tests.unit.digest.facts.changes import commit


@pytest.mark.parametrize(
    ("message", "title", "number", "body"),
    [
        (
            "Merge pull request #12 from ada/fix\n\nFix the parser\n\nIt lost quotes.",
            "Fix the parser",
            12,
            "It lost quotes.",
        ),
        ("Merge pull request #12 from ada/fix", "Merge pull request #12 from ada/fix", 12, ""),
        ("Merge pull request #12 from ada/read-a-pool-once", "Read a pool once", 12, ""),
        ("Merge pull request #12 from ada/Add-log-for-utf8", "Add log for utf8", 12, ""),
        (
            "Merge pull request #12 from ada/update-relay-1-2",
            "Merge pull request #12 from ada/update-relay-1-2",
            12,
            "",
        ),
        (
            f"Merge commit from fork\n\nOnly read {'the names of pools and ' * 7}cards. Test it.",
            f"Only read {'the names of pools and ' * 7}cards.",
            None,
            "",
        ),
        (
            "Merge pull request #12 from ada/fix\n\nSigned-off-by: Ada <ada@example.org>",
            "Merge pull request #12 from ada/fix",
            12,
            "Signed-off-by: Ada <ada@example.org>",
        ),
        (
            (
                "Merge pull request #12 from ada/fix\n\n"
                "Before this change, pools of cards that nobody now has\n(Old, New) led\n"
                "BOM to errors.\n\nWhy."
            ),
            "Before this change, pools of cards that nobody now has (Old, New) led BOM to errors.",
            12,
            "Why.",
        ),
        (
            "Merge branch 'fix' into 'main'\n\nFix it\n\nCloses #3\n\nSee merge request group/proj!77",
            "Fix it",
            77,
            "Closes #3\n\nSee merge request group/proj!77",
        ),
        (
            "Fix the parser\n\nSee merge request group/proj!77",
            "Fix the parser",
            77,
            "See merge request group/proj!77",
        ),
        (
            "Fix it\n\nSee merge request https://gitlab.example.org/g/p/-/merge_requests/8",
            "Fix it",
            8,
            "See merge request https://gitlab.example.org/g/p/-/merge_requests/8",
        ),
        (
            "Merged in ada/fix (pull request #5)\n\nFix the parser\n\nApproved-by: Bob",
            "Fix the parser",
            5,
            "Approved-by: Bob",
        ),
        ("Pull request #5: Fix the parser", "Fix the parser", 5, ""),
        ("Merged PR 31: Fix the parser\n\nWords.", "Fix the parser", 31, "Words."),
        ("Merge pull request 'Fix it' (#4) from ada/x into main", "Fix it", 4, ""),
        ("Auto merge of #9 - ada:x, r=bob\n\nFix it\n\nWhy.", "Fix it", 9, "Why."),
        ("Merge #9\n\n9: Fix it r=bob a=ada\n\nWhy.", "Fix it", 9, "Why."),
        ("Merge pull request from GHSA-aaaa-bbbb-cccc\n\nFix it", "Fix it", None, ""),
        ("Merge branch 'main' into topic", "Merge branch 'main' into topic", None, ""),
        (
            "Merge branch 'main' into topic\n\nConflicts:\n  a.py",
            "Merge branch 'main' into topic",
            None,
            "Conflicts:\n  a.py",
        ),
        ("Merge #12", "Merge #12", 12, ""),
        ("Merge 'pool: keep it' from Ada B\n\nWhy.", "pool: keep it", None, "Why."),
        ("Merge 'topic' from Ada B", "Merge 'topic' from Ada B", None, ""),
        ("Merge pull request #12", "Merge pull request #12", 12, ""),
        ("Merged PR #12 into main", "Merged PR #12 into main", 12, ""),
        ("Merge pull request #12: Fix it\n\nWhy.", "Fix it", 12, "Why."),
        ("Merge MR !12: Fix it", "Fix it", 12, ""),
        ("Merge #12 and #13", "Merge #12 and #13", None, ""),
        ("Fix it (#8)\n\nWhy.", "Fix it (#8)", None, "Why."),
        ("", "", None, ""),
    ],
)
def test_told(message, title, number, body):
    found = unwrap_message(commit(message))
    assert (found.title, found.number, found.body) == (title, number, body)


def test_title_that_a_forge_cut_is_put_together_again():
    cut = "Fix the parser dropping brackets or newl… (#7)\n\n…ines (#7)\n\nWhy."
    told = unwrap_message(commit(cut))
    assert (told.title, told.body) == ("Fix the parser dropping brackets or newlines (#7)", "Why.")
    assert unwrap_message(commit("Loading… (#7)\n\nIt was slow.")).title == "Loading… (#7)"


@pytest.mark.parametrize(
    ("branch", "title"),
    [
        ("add-a-worker-pool", "Add a worker pool"),
        ("ada/add_a_worker_pool", "Add a worker pool"),
        ("Add-Worker-Pool-now", "Add Worker Pool now"),
        ("add-worker-pool", ""),
        ("fix-7-crashes-now", ""),
        ("use-new-API-everywhere", ""),
        ("add--worker-pool", ""),
    ],
)
def test_branch_of_enough_words_is_a_title(branch, title):
    found = unwrap_message(commit(f"Merge pull request #7 from octo/{branch}"))
    assert found.title == (title or f"Merge pull request #7 from octo/{branch}")
