import pytest

from digest.facts.message import (
    find_deprecations,
    message_lines,
    read_description,
    read_issues,
    read_note,
    read_paragraphs,
)
from digest.facts.subject import read_subject

FORM = """\
<!-- Thanks for contributing!
please read the guide -->
## Purpose

The scheduler held the lock while it
waited, so **every** request stood still. See [the trace](https://example.org/t).

Fixes #12

- it now waits outside
- [ ] I have read the guide
- [x] Tests pass

```console
$ run --all
```

    indented --code

> somebody said so

| a | b |
|---|---|
| 1 | 2 |

## Test Plan

pytest -q says yes.

### deeper

more of it

## Notes

Old clients see an error.

<details>
<summary>Logs</summary>
long and boring words
</details>

INFO 01-02 [engine.py:12] started
deadbeefDEADBEEFdeadbeefDEADBEEFdeadbeefDEADBEEFdeadbeefDEADBEEF

Signed-off-by: Ada <a@x>
"""


def test_paragraphs_of_a_filled_in_form_are_the_authors_words():
    assert read_paragraphs(FORM) == (
        "The scheduler held the lock while it waited, so every request stood still. See the trace.",
        "it now waits outside",
        "Old clients see an error.",
    )


def test_paragraphs_of_a_squash_list_leave_fix_ups_out():
    body = """\
* Add a cache for compiled graphs

It is keyed by shape.

* fix lint

* Merge branch 'main' into cache

* address review comments

* Apply suggestions from code review

---------

Signed-off-by: Ada <a@x>
"""
    assert read_paragraphs(body, ["Add a cache for compiled graphs"]) == ("It is keyed by shape.",)


def test_paragraphs_of_an_update_by_a_bot_name_the_versions_only():
    body = """\
Bumps [left-pad](https://github.com/x/left-pad) from 1.0 to 1.1.
- [Release notes](https://github.com/x/left-pad/releases)
- [Commits](https://github.com/x/left-pad/compare/a...b)

---
updated-dependencies:
- dependency-name: left-pad
  dependency-version: '1.1'
...
"""
    assert read_paragraphs(body) == ("Bumps left-pad from 1.0 to 1.1.",)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "\n\n\n",
        "This reverts commit 0123456789abcdef0123456789abcdef01234567.",
        "Closes #12, fixes #13 and refs https://example.org/a/b/issues/4",
        "<!-- never closed",
        "```\nnever closed",
        "🤖 Generated with [Claude Code](https://example.org)",
        "git-svn-id: https://svn.example.org/trunk@1 0000",
    ],
)
def test_paragraphs_of_a_body_without_words_are_none(body):
    assert read_paragraphs(body) == ()


def test_answer_about_tests_in_a_form_is_no_paragraph():
    body = "# Are these changes tested?\n\nYes, by new tests.\n\n# Rationale\n\nPools wait less."
    assert read_paragraphs(body) == ("Pools wait less.",)


def test_paragraphs_keep_underscores_comparisons_and_windows_line_ends():
    assert read_paragraphs("`__init__` takes a <name> if a < b.\r\nSecond line.\r\n") == (
        "`__init__` takes a <name> if a < b. Second line.",
    )


@pytest.mark.parametrize(
    ("message", "issues"),
    [
        ("Fix it\n\nFixes #12, closes #13.", (12, 13)),
        ("Fix it (#99)\n\nrefs GH-7", (7,)),
        ("Fix it\n\nResolves https://github.com/a/b/issues/31", (31,)),
        ("Fix it\n\nAs in https://github.com/other/b/issues/31", ()),
        ("Fix it\n\nother/repo#5 and x#6 and &#39;", ()),
        ("Fix it\n\nsee #0012 and step #2", ()),
        ("Fix #12\n\nFixes #12", (12,)),
    ],
)
def test_issues(message, issues):
    assert read_issues(message, frozenset({99})) == issues


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("deprecate `app optimize` command", "app optimize"),
        ("Deprecate LLM.reward offline api", "LLM.reward"),
        ("Deprecate torch.compile for old cards", "torch.compile"),
    ],
)
def test_title_names_what_it_deprecates_without_the_words_around(title: str, name: str) -> None:
    assert [f.name for f in find_deprecations(title, read_subject(title))] == [name]


def test_lines_of_a_person_are_numbered_without_code_trailers_and_copied_notes():
    message = "\nStop the loop\n\nIt held a lock.\n```\nrun --all\n```\n  The end.  \n"
    trailers = "\nSigned-off-by: Ada <ada@example.org>\n"
    copied = "\n### Release notes\nAnother project's words\n"
    lines = [(1, "Stop the loop"), (3, "It held a lock."), (7, "The end.")]
    assert [*message_lines(message)] == lines
    assert [*message_lines(message + trailers)] == lines
    assert [*message_lines(message + copied)] == lines


def test_as_much_of_a_long_message_is_read_as_states_its_point():
    message = "\n".join(["x" * 700, *map(str, range(2, 90))])
    read = [*message_lines(message)]
    assert read[0] == (1, "x" * 600)
    assert read[-1] == (80, "80")


def test_words_in_the_line_of_a_revert_and_tags_told_as_code_are_kept():
    sha = "0123456789abcdef0123456789abcdef01234567"
    assert read_paragraphs(f"This reverts commit {sha}. Old agents\nstill pass it.") == (
        "Old agents still pass it.",
    )
    assert read_paragraphs("A topic called `<img src=x>` ran <b>a</b> script.") == (
        "A topic called `<img src=x>` ran a script.",
    )


def test_indented_lines_go_on_with_an_item_and_are_code_elsewhere():
    body = "- The pool is read once\n\n    and then it is kept.\n\nThe end of it.\n\n    pool = read()\n"
    told = " ".join(read_paragraphs(body, []))
    assert "and then it is kept." in told
    assert "pool = read()" not in told


def test_squashed_commits_of_another_branch_are_left_out() -> None:
    own = "* Add the pool command\n\nIt starts a pool."
    others = "\n\n".join(f"* Sort the {n} cards\n\nCards of {n} were out of order." for n in "abcd")
    told = read_paragraphs(f"{others}\n\n{own}", ["Use pools by default"])
    assert told == ("It starts a pool.",)
    lines = f"{others}\n\n{own}".replace("\n", "\r\n")
    assert read_paragraphs(lines, ["Use pools by default"]) == told
    few = read_paragraphs(f"{others[:60]}\n\n{own}", ["Use pools by default"])
    assert "It starts a pool." in few
    assert len(few) > 2


@pytest.mark.parametrize(
    ("section", "text"),
    [
        (
            "### Breaking changes\n\n- `--fast` is gone;\n  use `--quick`.\n- Other\n",
            "`--fast` is gone; use `--quick`.",
        ),
        ("## \N{OCTAGONAL SIGN} Breaking change\nPools are closed.\n", "Pools are closed."),
        (
            "## Breaking changes\nPreviously, it read 2 pages. Now it reads one.\n",
            "Now it reads one.",
        ),
        ("## Breaking changes\nNo longer reads pages.\n", "No longer reads pages."),
        ("## Breaking changes\nThere are no breaking changes\n", ""),
        ("## Breaking changes\n- None.\n", ""),
        ("## Breaking changes\n<!-- Are there any? -->\n", ""),
        ("## Breaking changes\n- [ ] yes\n", ""),
        ("### Release notes\n\n## Breaking changes\n- A pool is gone\n", ""),
        ("## Not a breaking change\nPools are closed.\n", ""),
    ],
)
def test_section_about_breaking_changes_declares_one(section, text):
    body = f"## Purpose\nRead pages in parts.\n\n{section}\n## Tests\nBy hand.\n"
    assert [(n.mark, n.text) for n in read_note(body)] == ([("breaking", text)] if text else [])
    assert read_subject("Read pages", body=body).breaking is bool(text)
    assert read_description("Read pages", body).note == ""
