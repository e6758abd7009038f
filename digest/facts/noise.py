"""Lines of a message that no author wrote for a reader.

They are forms, test reports, logs, trailers in the middle and fix-up commits, all of which
``message`` leaves out.
"""

from __future__ import annotations

import re

_SECTIONS = (
    *("test plan", "test result", "testing", "tests", "test", "how to test", "how was this tested"),
    *("how has this been tested", "how should this be tested", "validation", "verification"),
    *("checklist", "pr checklist", "essential elements", "before submitting", "before you submit"),
    *("screenshot", "type of change", "todo", "benchmark", "results", "logs", "log output"),
    *("environment", "reproduc", "steps to reproduce", "release note", "reviewer", "related issue"),
    *("linked issue", "issues", "documentation update", "ai assistance", "ai disclosure"),
    *("ai usage", "llm disclosure", "contribution guidelines", "accuracy test"),
    *("what kind of change", "does this pr introduce a user-facing change"),
    "special notes for your reviewer",
)

_FORM = (
    *("fill in the pr description", "please fill in", "link existing issues this pr will resolve"),
    *("anything written below this line", "before submitting, please read", "please read https"),
    *("thank you for your contribution", "thanks for contributing", "thanks for your contribution"),
    *("please describe your changes", "replace this text", "delete this line"),
    *("generated with [claude code]", "generated with claude", "co-authored with"),
    *("dependabot will resolve any conflicts", "you can trigger a rebase", "[//]: #"),
    "signed-off-by:",
)

_MACHINE = (
    *(">", "|", "$ ", "% ", "# ", "...", "traceback (most recent call last)"),
    *("this reverts commit", "(cherry picked from", "(cherry-picked from", "see merge request "),
    *("git-svn-id:", "piperorigin-revid:", "differential revision:", "pull request resolved:"),
    *("approved-by:", "reviewed by:", "approved by:", "conflicts:", "bumps the ", "diff --git"),
    *("index ", "@@ ", "release notes:", "[rendered]"),
)

# Lines that say nothing on their own: links of Dependabot and of other bots.
_ALONE = frozenset(
    ["release notes", "changelog", "commits", "see full diff", "*view all comments*"]
)

_CHECKBOX = re.compile(r"\s{0,12}(?:[*+-]|\d{1,3}[.)])?\s{0,4}\[[ xX✓-]?\](?:\s|$)")
_TRAILER = re.compile(
    r"[A-Z][A-Za-z-]{0,40}-(?:[Bb]y|[Ii][Dd]|[Oo]n|[Tt]o|[Ii]ssue):\s|(?:CC|Cc|cc|Link|Bug|BUG|Closes|Pull-[Rr]equest|PR-URL|Refs|Change-Id):\s"
)
_LOG = re.compile(
    r"\[?\d{4}-\d\d-\d\d[ T]\d\d:\d\d|(?:INFO|WARN|WARNING|ERROR|DEBUG|FATAL|TRACE|FAILED|PASSED)\b"
    r"[\s:]\s*[\[\d(\w./]"
    r"|\s{0,8}File \"|\([\w ]{1,40}pid=\d|={3,}\s|\[\d+/\d+\]\s|\d+%\|"
)
_FIRST_OF_FIXUP = frozenset(
    """
    fix fixed fixes fixing address addressed addressing apply applied resolve resolved update
    updated updates updating cleanup clean cleaning nit nits wip lint linting format formatting
    fmt pre-commit precommit ruff mypy isort black yapf clang-format prettier eslint rebase
    rebased merge merged typo typos minor review comment comments more empty trigger retrigger
    re-trigger test tests ci bump revert reverts tmp temp temporary try debug debugging remove
    removed delete move rename simplify refactor tweak tweaks polish small initial init draft
    oops again done changes change add docs doc edit
    """.split()  # noqa: SIM905 - a list of quoted words would not be read
)
_FIXUP = (
    *("code review", "review comment", "review feedback", "merge branch", "merge remote-tracking"),
    *("merge pull request", "merge main", "merge master", "merge upstream", "merge conflict"),
    *("apply suggestion", "apply pre-commit", "pre-commit fix", "[pre-commit.ci]", "signed-off"),
    *("co-authored", "fixup!", "squash!", "trigger ci", "fix lint", "fix dco"),
)
_BLOB = re.compile(r"[A-Za-z0-9+/=_]{48,}")
_WORD = re.compile(r"[^\W\d_]{2,}")
_REFERENCES = re.compile(r"https?://\S+|[\w./-]{0,120}#\d{1,9}|\bGH-\d{1,9}|\b[0-9a-f]{7,40}\b")
_LINKING = frozenset(
    """
    fix fixes fixed close closes closed resolve resolves resolved ref refs reference references
    see also related relates to part of follow followup up on depends and or issue issues pr prs
    pull request link links this the in address addresses addressed implements for partially
    """.split()  # noqa: SIM905 - a list of quoted words would not be read
)


def forms_of(text: str) -> tuple[str, ...]:
    """The form phrases that a text contains; if there are none, as usual, no line is searched."""
    low = text.lower()
    return tuple(form for form in _FORM if form in low)


def is_machine_line(line: str, forms: tuple[str, ...] = _FORM) -> bool:
    """Whether the line is from a form, a machine or a log, or is a tick box or a trailer."""
    line = line.strip()
    low = line[:400].lower()
    return (
        low.startswith(_MACHINE)
        or low.rstrip(".:") in _ALONE
        or low.endswith(" |")
        or any(form in low for form in forms)
        or _CHECKBOX.match(line) is not None
        or _TRAILER.match(line) is not None
        or _LOG.match(line) is not None
    )


def is_fixup(item: str) -> bool:
    """Whether a list item is the title of an intermediate commit, as squashing lists them."""
    low = item.strip().lower()
    if any(words in low[:200] for words in _FIXUP):
        return True
    words = low[:200].split()
    return len(words) <= 4 and bool(words) and words[0].strip(".:,!") in _FIRST_OF_FIXUP


def is_unwanted_section(name: str) -> bool:
    """Whether the section below this heading reports tests, ticks boxes or fills in a form."""
    low = name.strip().strip("*_#:").lower()
    while low and not low[0].isalpha():
        low = low[1:].lstrip()
    return low.startswith(_SECTIONS)


def is_empty(text: str) -> bool:
    """Whether a paragraph has no words: only links, numbers, encoded data or marks."""
    if any(not word.islower() or len(word) > 80 for word in _BLOB.findall(text)):
        text = _BLOB.sub(" ", text)
    if text.strip(" .:").lower() in _ALONE:
        return True
    words = _WORD.findall(_REFERENCES.sub(" ", text))
    return len(words) < 2 or all(word.lower() in _LINKING for word in words)
