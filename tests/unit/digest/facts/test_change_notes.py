"""Entries in the project's changelog that come with the code."""

from __future__ import annotations

import pytest

from digest.core.change import Change, FileChange, FileStatus, Hunk, Side
from digest.core.facts import Facts
from digest.facts import similarity
from digest.facts.change_notes import entries, without_mark
from digest.facts.extract import extract
from digest.facts.side_text import SideLines
from tests.unit.digest.facts.changes import CountedLines, commit
from tests.unit.digest.facts.changes import facts_of as whole_facts_of

CHANGELOG = """# Changelog

## Unreleased

### Breaking Changes

- Drop the old reader (#7)

### Fixed

- Close the file
- [SECURITY] Bound the size
- **Breaking**: No longer guess
"""


def facts_of(path: str, text: str, *lines: int, status: FileStatus = FileStatus.MODIFIED) -> Facts:
    whole = text.split("\n")
    file = FileChange(
        path=path,
        status=status,
        added=len(lines),
        hunks=tuple(
            Hunk(old_start=n, new_start=n, removed=(), added=(whole[n - 1],)) for n in lines
        ),
        new_id="b" * 40,
    )
    change = Change(commit=commit("Read"), files=(file,))
    return extract(change, {"b" * 40: text})


def test_an_entry_has_the_mark_of_its_heading() -> None:
    found = facts_of("CHANGELOG.md", CHANGELOG, 7, 11).notes
    assert [(note.mark, note.text) for note in found] == [
        ("breaking", "Drop the old reader (#7)"),
        ("fixed", "Close the file"),
    ]
    assert found[0].evidence.line == 7


def test_a_tag_of_the_entry_counts_more_than_the_heading() -> None:
    assert [n.mark for n in facts_of("CHANGELOG.md", CHANGELOG, 12, 13).notes] == [
        "security",
        "breaking",
    ]


def test_a_fragment_is_marked_by_its_name() -> None:
    for path, mark in (
        ("newsfragments/12.removal.rst", "removed"),
        ("unreleased_history/behavior_changes/cache.md", "changed"),
        ("changelog.d/7.md", ""),
        ("changelog/change_speed_of_the_deprecated_reference_check.md", "changed"),
        ("changelog/fix_wrong_order_of_new_members.md", "fixed"),
    ):
        found = facts_of(path, "The cache is gone", 1, status=FileStatus.ADDED).notes
        assert [(n.mark, n.text) for n in found] == [(mark, "The cache is gone")]


def test_a_changeset_tells_its_mark_in_front_of_its_text() -> None:
    text = '---\n"@scope/pkg": major\n---\nStop guessing the folder'
    found = facts_of(".changeset/brave-cats.md", text, 1, 2, 3, 4, status=FileStatus.ADDED).notes
    assert [(n.mark, n.text) for n in found] == [("breaking", "Stop guessing the folder")]


@pytest.mark.parametrize(
    ("section", "mark"),
    [
        ("bugfixes", "fixed"),
        ("minor_changes", "added"),
        ("known_issues", ""),
        ("breaking_changes", "breaking"),
        ("removed_features", "removed"),
        ("Note that it breaks", "breaking"),
    ],
)
def test_the_section_of_an_entry_counts_more_than_the_name_of_its_file(section, mark) -> None:
    text = f"---\n{section}:\n  - pool - replace the calls that went"
    path = "changelogs/fragments/pool-api-breaks.yml"
    found = facts_of(path, text, 1, 2, 3, status=FileStatus.ADDED).notes
    assert [n.mark for n in found] == [mark]


@pytest.mark.parametrize(
    ("note", "told"),
    [
        (
            "note: Remove the `Lookup` function\nissues: [7]",
            "pkg/pool: Remove the `Lookup` function",
        ),
        (
            'note: "Remove the old function: it guesses"',
            "pkg/pool: Remove the old function: it guesses",
        ),
        ("note: |\n  Remove the `Lookup` function", "pkg/pool: Remove the `Lookup` function"),
    ],
)
def test_a_fragment_in_yaml_names_its_text_with_the_part_before_it(note, told) -> None:
    text = f"# One of breaking, bug_fix\nchange_type: 'breaking'\n\ncomponent: pkg/pool\n\n{note}"
    lines = range(1, text.count("\n") + 2)
    found = facts_of(".chloggen/pool.yaml", text, *lines, status=FileStatus.ADDED).notes
    assert [(n.mark, n.text) for n in found] == [("breaking", told)]


def test_a_fragment_in_yaml_about_all_parts_names_none() -> None:
    text = "change_type: breaking\ncomponent: all\nnote: Reject empty pools"
    found = facts_of(".chloggen/x.yaml", text, 1, 2, 3, status=FileStatus.ADDED).notes
    assert [n.text for n in found] == ["Reject empty pools"]


def test_a_fragment_in_yaml_that_mends_a_bug_is_marked_as_a_fix() -> None:
    text = "change_type: bug_fix\ncomponent: pool\nnote: Close the file of a pool"
    found = facts_of(".chloggen/x.yaml", text, 1, 2, 3, status=FileStatus.ADDED).notes
    assert [n.mark for n in found] == ["fixed"]


def test_the_write_up_of_a_release_is_no_entry() -> None:
    text = "## 1.2\n" + "\n".join(f"- Entry {n} (#{n})" for n in range(9))
    assert facts_of("HISTORY.md", text, *range(2, 11)).notes == ()


def test_other_files_have_no_entries() -> None:
    assert facts_of("docs/guide.md", "- Close the file", 1).notes == ()
    assert facts_of("vendor/x/CHANGES.md", CHANGELOG, 7).notes == ()


def test_an_entry_goes_on_in_the_lines_below_it() -> None:
    text = "# Changelog\n\n- Pools no longer read\n  `old` files\n- Close the file\n\n  Later\n"
    found = facts_of("CHANGELOG.md", text, 3, 4, 5, 6, 7).notes
    assert [note.text for note in found] == ["Pools no longer read `old` files", "Close the file"]


def test_an_entry_goes_on_below_its_bullet_unless_something_else_begins() -> None:
    text = "- The pool now supports the\ncards of others, in\n `Pool` alone\nLater\n"
    (note,) = facts_of("CHANGELOG.md", text, 1, 2, 3, 4).notes
    assert note.text == "The pool now supports the cards of others, in `Pool` alone"
    text = "- Updated the signature of all pools:\n  ```rust\n  fn run();\n  ```\n"
    (note,) = facts_of("CHANGELOG.md", text, 1, 2, 3, 4).notes
    assert (note.text, without_mark(note.text)) == ("Updated the signature of all pools:", "")
    (note,) = facts_of("CHANGELOG.md", "- *Breaking*: Pools wait for cards\n", 1).notes
    assert note.mark == "breaking"


def test_entry_that_is_only_worded_better_is_no_news() -> None:
    old = "## 1.0\n\n* The processor now takes a single options object will all properties.\n"
    new = old.replace("options object will", "`options` object with") + "* The pool is gone.\n"
    notes = whole_facts_of("Change it", ("CHANGELOG.md", old, new))
    assert [n.text for n in notes.notes] == ["The pool is gone."]


def test_entry_in_which_one_name_is_corrected_is_no_news() -> None:
    old = "## 1.0\n\n* (users): deprecated `OldPool` has moved to `@app/pools-base`\n"
    new = old.replace("OldPool", "Pool") + "* The pool is gone.\n"
    notes = whole_facts_of("Change it", ("CHANGELOG.md", old, new)).notes
    assert [n.text for n in notes] == ["The pool is gone."]


def test_entries_that_name_another_request_than_the_own_one_came_with_a_merge() -> None:
    log = "## 1.0\n\n- Close the file ([#5](https://x.org/issues/5))\n"
    added = "- Read pools (#7)\n- Bound the size https://x.org/pull/8\n- Stop at once\n"
    added += "- Grow pools https://x.org/commit/abc1234\n"
    for title, told in (
        ("Read (#7)", ["Read pools (#7)", "Stop at once"]),
        ("Read (#9)", [line[2:] for line in added.splitlines()]),
    ):
        notes = whole_facts_of(title, ("CHANGELOG.md", log, log + added)).notes
        assert [n.text for n in notes] == told


def test_an_entry_that_begins_with_its_break_is_marked_so() -> None:
    text = "## 1.0\n\n### Changed\n\n- Potential breaking change: Pools wait for cards.\n"
    assert [n.mark for n in facts_of("CHANGELOG.md", text, 5).notes] == ["breaking"]


def test_the_plan_of_a_change_is_no_entry() -> None:
    text = "## Why\n\nPools can be read, but they cannot be closed yet.\n"
    for path in ("openspec/changes/close-pools/proposal.md", "changes/close-pools/design.md"):
        assert facts_of(path, text, 1, 2, 3, status=FileStatus.ADDED).notes == ()


def test_note_in_the_form_of_a_request_is_an_entry_unless_there_is_nothing_to_note() -> None:
    form = "Close pools (#7)\n\n#### Does it introduce a change?\n\n```release-note\n{}\n```\n"
    file = ("src/pool.py", "a = 1\n", "a = 2\n")
    (note,) = whole_facts_of(form.format("Pools are closed at once."), file).notes
    assert (note.mark, note.text, note.evidence.line) == ("", "Pools are closed at once.", 6)
    for tag in ("[Action Required] ", "ACTION REQUIRED: "):
        (note,) = whole_facts_of(form.format(f"{tag}Pools are closed at once."), file).notes
        assert note.mark == "breaking"
    for nothing in ("NONE", "None.", "n/a"):
        assert whole_facts_of(form.format(nothing), file).notes == ()
    empty = "Close pools\n\n```release-note\n```\n\n```sh\nrun it\n```\n"
    assert whole_facts_of(empty, file).notes == ()


def test_an_entry_for_developers_is_marked_internal() -> None:
    text = "change_type: {}\ncomponent: pool\nnote: Add a helper of pools\nchange_logs: [api]"
    for kind, mark in (("enhancement", "internal"), ("breaking", "breaking")):
        given = text.format(kind)
        found = facts_of(".chloggen/x.yaml", given, 1, 2, 3, 4, status=FileStatus.ADDED).notes
        assert [n.mark for n in found] == [mark]
    log = (
        "## Unreleased\n\n### :house: (Internal)\n\n- Split the pool\n\n### Internal API\n\n- Grow"
    )
    assert [n.mark for n in facts_of("CHANGELOG.md", log, 5, 9).notes] == ["internal", ""]


@pytest.mark.parametrize(
    ("title", "some"),
    [
        ("Release pool 0.8.0-alpha.1 and related crates", False),
        ("[ci] release", False),
        ("Cut 1.85.1", False),
        ("Version Packages", False),
        ("pool 0.8.0-rc.1", False),
        ("Support 1.8.0", True),
        ("Release the lock of a pool", True),
        ("Cut the pools of cards", True),
    ],
)
def test_entries_of_a_change_that_prepares_a_release_are_those_of_others(title, some):
    old = "# Changes\n\n## Unreleased\n\n- Pools of cards.\n"
    new = old + "- **breaking:** Pools of cards are read once.\n"
    assert bool(whole_facts_of(title, ("CHANGELOG.md", old, new)).notes) is some


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            '---\n"pkg": patch\n---\n\nfix: read pools of\nold cards once more\n\nBy hand.',
            "fix: read pools of old cards once more",
        ),
        (
            "### Read pools of old cards once more ([PR #7](https://x.org/7))\n\nMany have them.",
            "Read pools of old cards once more ([PR #7](https://x.org/7))",
        ),
        ("### Fixed\n\nPools of cards are read once.", "Pools of cards are read once."),
        (
            "---\n'x': patch\n---\n\n**BREAKING CHANGE to pools of cards only**\n\nChanges `Pool`\n",
            "BREAKING CHANGE to pools of cards only: Changes `Pool`",
        ),
    ],
)
def test_a_fragment_is_told_by_its_heading_or_first_paragraph(text, told) -> None:
    lines = range(1, text.count("\n") + 2)
    found = facts_of(".changesets/fix_pools.md", text, *lines, status=FileStatus.ADDED).notes
    assert [n.text for n in found] == [told]


def test_a_line_of_words_above_entries_is_a_heading_where_it_marks_them() -> None:
    text = "# Next\n\n* Read\n\nSecurity fix:\n\n* Bound it\n  [#7](https://x.org)\n\n  * Up to 4\n"
    found = facts_of("CHANGELOG.md", text, *range(3, 11)).notes
    assert [(n.mark, n.text) for n in found] == [
        ("", "Read"),
        ("security", "Bound it [#7](https://x.org)"),
    ]


def test_fragment_of_an_earlier_change_is_no_entry_of_this_one() -> None:
    for status, count in ((FileStatus.MODIFIED, 0), (FileStatus.ADDED, 1)):
        found = facts_of("changelog.d/17.bugfix", "The cache is gone", 1, status=status).notes
        assert [n.mark for n in found] == ["fixed"] * count


@pytest.mark.parametrize("whole", [True, False])
def test_a_changelog_is_read_once_for_all_its_entries(whole, monkeypatch) -> None:
    text = "\n".join(f"- Entry {n} tells\n  what goes on" for n in range(300))
    lines = text.split("\n")
    monkeypatch.setattr(CountedLines, "read", 0)
    side = SideLines(
        path="CHANGES.md",
        side=Side.NEW,
        changed=CountedLines(enumerate(lines, 1)),
        text=text if whole else None,
    )
    assert [note.text for note in entries(side)][-1] == "Entry 299 tells what goes on"
    assert CountedLines.read <= 4 * len(lines)


def test_heading_is_looked_for_once_above_all_entries_without_one(monkeypatch) -> None:
    lines = ["### Breaking", *(f"- Entry {n} tells it" for n in range(300))]
    monkeypatch.setattr(CountedLines, "read", 0)
    changed = tuple(enumerate(lines, 1))[1:]
    side = SideLines(path="CHANGES.md", side=Side.NEW, changed=changed, text="\n".join(lines))
    side.whole = CountedLines(lines)
    assert [note.mark for note in entries(side)] == ["breaking"] * 200 + [""] * 100
    assert CountedLines.read <= 2 * len(lines)


def test_reworded_entry_is_found_among_many_without_comparing_it_with_all(monkeypatch) -> None:
    compared = []

    class Words(set):
        def __or__(self, other):
            compared.append(self)
            return set(self) | set(other)

    monkeypatch.setattr(similarity, "set", Words, raising=False)
    old = [f"- The pool reads its limit {n} from a file{n} of the server" for n in range(400)]
    new = [line.replace("from", "out of") for line in old]
    new += [f"- The pool reads its limit {n} out of what{n} the client gave" for n in range(400)]
    changed = tuple(enumerate(new, 1))
    side = SideLines(path="CHANGES.md", side=Side.NEW, changed=changed)
    found = [note.text for note in entries(side, old)]
    assert found == [line[2:] for line in new[400:]]
    assert len(compared) <= len(new)
