import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.core.facts import Series
from digest.facts.subject import read_subject, unwrap_message, with_sign
from tests.unit.digest.facts.changes import commit


@pytest.mark.parametrize(
    ("title", "tags", "words", "number"),
    [
        ("[Bugfix][CI/Build] Fix the race (#123)", ("Bugfix", "CI/Build"), "Fix the race", 123),
        ("[Core] [Perf]  Speed up (#1) (#22)", ("Core", "Perf"), "Speed up", 22),
        ("[ROCm]: Drop the cache (#7).", ("ROCm",), "Drop the cache", 7),
        ("[Fix #9] Add `--quiet` (#10)", (), "Add `--quiet`", 10),
        ("[Fix #9] Keep the order (#10)", ("Fix #9",), "Keep the order", 10),
        ("【修复】解决崩溃 (#8)", ("修复",), "解决崩溃", 8),
        ("[ROCm][ [Perf] Sparse attention (#46)", ("ROCm", "Perf"), "Sparse attention", 46),
        ("Fix typo", (), "Fix typo", None),
        ("fix: stop it (#1)\\n\\nThe `pool` did (#2)", (), "stop it", 2),
        (
            r'ask -s: always write "\n" at the end (#8)',
            (),
            r'ask -s: always write "\n" at the end',
            8,
        ),
        ("[Pool] - Added a card (#8)", ("Pool",), "Added a card", 8),
        ("(KIP-924 pt. 7) Add ranks (#8)", ("KIP-924 pt. 7",), "Add ranks", 8),
        ("Fix the parser (GH-5120)", (), "Fix the parser", 5120),
        ("Fix it (!31)", (), "Fix it", 31),
        ("Use the kernel (other/repo#39) (#495)", (), "Use the kernel (other/repo#39)", 495),
        ("[docs](https://example.org) moved", (), "[docs](https://example.org) moved", None),
        ("Fix #12 in the parser", (), "Fix #12 in the parser", None),
        ("", (), "", None),
        ("[Bugfix]", ("Bugfix",), "[Bugfix]", None),
        ("[POOL-7096] Close idle pools", (), "Close idle pools", None),
        ("[KIP-1033] Close idle pools", ("KIP-1033",), "Close idle pools", None),
    ],
)
def test_subject_tags_and_number(title, tags, words, number):
    subject = read_subject(title)
    assert (subject.tags, subject.words, subject.number) == (tags, words, number)
    assert subject.title == title


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("Fix it (#12) (cherry picked from commit 0123abc)", 12),
        ("Fix it (cherry picked from #12) (#40)", 40),
        ("Fix it (#12, #13)", 13),
        ("Fix it (see the note) (#12)", 12),
        ("Fix it (fixes #12)", None),
    ],
)
def test_number_is_the_last_that_names_the_request(title, number):
    assert read_subject(title).number == number


def test_number_named_elsewhere_wins():
    assert read_subject("Fix it (#1)", number=99).number == 99


@pytest.mark.parametrize(
    ("title", "kind", "scope", "breaking", "words"),
    [
        ("feat: add a flag", "feat", "", False, "add a flag"),
        ("fix(parser)!: keep quotes", "fix", "parser", True, "keep quotes"),
        ("fix!(parser): keep quotes", "fix", "parser", True, "keep quotes"),
        ("Fix/16633 keep quotes of pools", "fix", "", False, "keep quotes of pools"),
        ("Bugfix: keep quotes", "fix", "", False, "keep quotes"),
        ("chore(deps): bump a from 1 to 2", "chore", "deps", False, "bump a from 1 to 2"),
        ("feat(tsdb/(head|agent)): free pools", "feat", "tsdb/(head|agent)", False, "free pools"),
        ("feat(store)[PART4b]: add a mock", "feat", "store", False, "add a mock"),
        ("ENH: add a ufunc", "feat", "", False, "add a ufunc"),
        ("[Core] feat: add a flag", "feat", "", False, "add a flag"),
        ("(security) fix it", "security", "", False, "fix it"),
        ("✨ feat: shine", "feat", "", False, "shine"),
        ("♻️ feat: shine", "feat", "", False, "shine"),
        (":bug: fix: keep quotes", "fix", "", False, "keep quotes"),
        ("net: fix a leak", "", "net", False, "fix a leak"),
        ("net/http, internal/x: fix", "", "net/http, internal/x", False, "fix"),
        ("gh-1234: fix a leak", "", "", False, "fix a leak"),
        ("acme/relay#473 Fix a leak", "", "", False, "Fix a leak"),
        ("acme/relay#473: fix(core): stop it", "fix", "core", False, "stop it"),
        ("#12 - Fix a leak", "", "", False, "Fix a leak"),
        ("feat(cli) Make `run` wait", "feat", "cli", False, "Make `run` wait"),
        ("pool(of targets) is idle", "", "", False, "pool(of targets) is idle"),
        ("#1 in the list is lost", "", "", False, "#1 in the list is lost"),
        ("POOL-17778: Add a listener", "", "", False, "Add a listener"),
        ("POOL-17778; Add a listener", "", "", False, "Add a listener"),
        ("POOL-1, POOL-23; Add a listener", "", "", False, "Add a listener"),
        ("POOL-14562 [1/2]: Add a listener", "", "", False, "Add a listener"),
        ("POOL-17778 Add a listener", "", "", False, "Add a listener"),
        ("SHA-256 digests", "", "", False, "SHA-256 digests"),
        ("UTF-8 names", "", "", False, "UTF-8 names"),
        ("add: a flag", "", "", False, "add: a flag"),
        ("Note: this is text", "", "", False, "Note: this is text"),
        ("https://example.org is down", "", "", False, "https://example.org is down"),
        ("std::vector is slow", "", "", False, "std::vector is slow"),
    ],
)
def test_prefix_of_conventional_commits(title, kind, scope, breaking, words):
    subject = read_subject(title)
    assert (subject.type, subject.scope, subject.breaking, subject.words) == (
        kind,
        scope,
        breaking,
        words,
    )


def test_breaking_footer_is_seen_at_the_start_of_a_line_only():
    assert read_subject("feat: x", "text\n\nBREAKING CHANGE: gone").breaking
    assert not read_subject("feat: x", "this is no BREAKING CHANGE: at all").breaking


@pytest.mark.parametrize(
    ("title", "series", "words"),
    [
        ("[MoE][3/n] Split it (#9)", Series(part=3), "Split it"),
        ("[2/5] Split it", Series(part=2, total=5), "Split it"),
        ("Split it (1/N) (#9)", Series(part=1), "Split it"),
        ("[Part 2] Split it", Series(part=2), "Split it"),
        ("[PATCH v3 2/5] Split it", Series(part=2, total=5), "Split it"),
        ("Split it, part 2/3", Series(part=2, total=3), "Split it"),
        ("Split it - Part 2", Series(part=2), "Split it"),
        ("[7/5] is no series", None, "is no series"),
        ("Serve 24/7", None, "Serve 24/7"),
    ],
)
def test_series(title, series, words):
    subject = read_subject(title)
    assert (subject.series, subject.words) == (series, words)


@given(st.text(max_size=200), st.integers(min_value=1, max_value=10**8))
def test_number_behind_any_title_is_found(title, number):
    assert read_subject(f"{title} (#{number})").number == number


@given(st.text(max_size=300))
def test_words_are_empty_only_with_the_title(title):
    assert bool(read_subject(title).words) == bool(title.strip())


@pytest.mark.parametrize(
    ("message", "forge", "name"),
    [
        ("Fix it (#12)", "github", "#12"),
        ("Fix it (#12)", "", "#12"),
        ("Fix it (#12)", "gitlab", ""),  # an issue
        ("Fix it (!12)", "gitlab", "!12"),
        ("Fix it (!12)", "", "!12"),
        ("Fix it (#7)\n\nSee merge request g/n!12", "gitlab", "!12"),
        ("Fix it\n\nSee merge request g/n!12", "", "!12"),
        ("Fix it\n\nSee merge request g/n!12", "github", ""),  # of another forge
    ],
)
def test_number_has_the_sign_of_the_forge(message, forge, name):
    made = commit(message)
    told = unwrap_message(made)
    subject = with_sign(read_subject(told.title, told.body, told.number), made, forge)
    assert (f"{subject.sign}{subject.number}" if subject.number else "") == name
