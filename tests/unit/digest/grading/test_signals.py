"""What titles and paths say to the grade, and what only seems to."""

from __future__ import annotations

import pytest

from digest.core.change import FileStatus, Side
from digest.core.facts import Action, Area, Evidence, Fact, FactKind, Facts, FileFacts, Subject
from digest.facts.subject import read_subject
from digest.grading.signals import signals


def told(title: str, *items: Fact, path: str = "src/a.py", area: Area = Area.CORE) -> set[str]:
    file = FileFacts(path=path, status=FileStatus.MODIFIED, area=area, added=3, deleted=1)
    facts = Facts(subject=Subject(title=title, words=title), files=(file,), items=items)
    return {signal.name for signal in signals(facts)}


@pytest.mark.parametrize(
    "title",
    [
        "Add a scheduler",
        "[Model] Support three models",
        "[New Model] Tiny",
        "New sampler",
        "Added a sampler",
        "feat(api): new route",
        "[Core] Enabled by default",
    ],
)
def test_announced_feature_is_one(title):
    assert "title_feature" in told(title)


@pytest.mark.parametrize(
    "title",
    [
        "[Bugfix] Fix a list consumed when logging is enabled",
        "[XPU] properly handle a scale that is not supported",
        "Remove a file in the new layout",
    ],
)
def test_condition_in_a_title_announces_nothing(title):
    assert "title_feature" not in told(title)


@pytest.mark.parametrize("title", ["Improve help of an option", "guard a field to avoid panic"])
def test_improving_and_avoiding_are_no_performance(title):
    assert "title_performance" not in told(title)


@pytest.mark.parametrize(
    ("path", "area", "counts"),
    [
        ("src/a.py", Area.CORE, True),
        ("setup.py", Area.BUILD, True),
        ("tests/a.py", Area.TESTS, False),
        ("scripts/fuzz.ts", Area.BUILD, False),
        ("pkg/db/dbtest/setup.go", Area.CORE, False),
        ("pkg/latest/setup.go", Area.CORE, True),
    ],
)
def test_variables_of_tests_and_scripts_weigh_nothing(path, area, counts):
    where = Evidence(path=path, line=1, side=Side.NEW)
    item = Fact(kind=FactKind.ENVIRONMENT, action=Action.ADDED, name="DEPTH", evidence=where)
    assert ("environment_added" in told("Fuzz", item, path=path, area=area)) is counts


@pytest.mark.parametrize(
    ("paragraph", "signal"),
    [
        ("This is a breaking change for clients.", "body_breaking"),
        ("Note that it breaks forward compatibility.", "body_breaking"),
        ("It changes the default behaviour of links.", "body_behaviour"),
        ("This stabilizes the cache.", "body_stable"),
        ("Yes, this is a **breaking change**: `open` returns a result.", "body_declared"),
        ("`open` takes two names, so this is technically a breaking API change.", "body_declared"),
        ("Yes (`api-change`).", "body_declared"),
    ],
)
def test_message_that_speaks_of_a_break_is_heard(paragraph, signal):
    assert signal in body_told(paragraph)
    assert signal not in body_told(paragraph, Area.TESTS)


@pytest.mark.parametrize(
    "paragraph",
    [
        "It is arguable whether this is a breaking change.",
        "Yes, but it is not a breaking change.",
        "The update of the parser has breaking changes.",
        "Reviewers asked if this is a breaking change.",
    ],
)
def test_message_that_only_weighs_a_break_declares_none(paragraph):
    assert "body_declared" not in body_told(paragraph)


@pytest.mark.parametrize("paragraph", ["This is a non-breaking change.", "It breaks a long line."])
def test_message_that_denies_a_break_says_nothing(paragraph):
    assert "body_breaking" not in body_told(paragraph)


def body_told(paragraph: str, area: Area = Area.CORE) -> set[str]:
    file = FileFacts(path="src/a.py", status=FileStatus.MODIFIED, area=area, added=3, deleted=1)
    subject = Subject(title="Resolve paths", words="Resolve paths")
    facts = Facts(subject=subject, files=(file,), paragraphs=(paragraph,))
    return {signal.name for signal in signals(facts)}


def test_demand_on_an_image_that_users_get_counts_without_code():
    title = "Remove bookworm images"
    assert "says_support_dropped" in told(title, path="docker/images.yml", area=Area.CI)
    assert "says_support_dropped" not in told(title, path="tests/a.py", area=Area.TESTS)


def test_quoted_names_are_no_words_of_the_title():
    assert "title_ci" not in told("Fix the section `lint.style` of a file")


def test_existing_tests_and_documents_that_change_with_the_code_are_signals():
    files = [
        FileFacts(path=path, status=FileStatus.MODIFIED, area=area, added=1, deleted=2)
        for path, area in [("a.py", Area.CORE), ("tests/a.py", Area.TESTS), ("d.md", Area.DOCS)]
    ]
    subject = Subject(title="Resolve paths", words="Resolve paths")
    both = {s.name for s in signals(Facts(subject=subject, files=tuple(files)))}
    assert {"tests_changed", "docs_changed"} <= both
    alone = {s.name for s in signals(Facts(subject=subject, files=tuple(files[1:])))}
    assert not {"tests_changed", "docs_changed"} & alone


def test_package_called_security_does_not_speak_of_security():
    assert "says_security" in told("Fix a security problem of the relay")
    assert "says_security" not in told("Update Rust crate security-frame to v3.5.1")
    assert "says_security" not in told("Show security advisories of a package")
    assert "says_security" not in told("Rearrange order of security configurers")
    assert "says_security" not in told("Do not cache the result for pre-auth pages")


def test_title_about_what_is_shown_demands_nothing_unless_it_is_shown_by_default():
    assert "says_default" not in told("Show both ports, and name the default to 80 as old")
    assert "says_default" not in told("Find values of charts, and their changed defaults")
    assert "says_default" in told("Change the defaults of charts")
    assert "says_default" in told("Show hidden files by default")


@pytest.mark.parametrize(
    "title",
    [
        "Improve automated security review comments",
        "Fix the security policy",
        "Run a security scan",
    ],
)
def test_work_on_reviews_and_policies_is_no_security_fix(title):
    assert "says_security" not in told(title)


def test_removal_of_a_special_case_drops_no_support():
    assert "says_support_dropped" in told("Remove SiTU support")
    assert "says_support_dropped" not in told("Remove special-case SiTU support for some models")


def test_what_is_removed_is_no_new_feature():
    assert "title_feature" not in told("Remove the add operation of the pool")
    assert "title_feature" not in told("Pool: remove the add operation")
    assert "title_feature" in told("Pool: add an operation")


def test_removal_of_notes_about_a_runtime_demands_nothing():
    assert "says_requirement" in told("Drop Node 20")
    assert "says_requirement" not in told("Remove stale Node 20 action TODOs")
    assert "says_requirement" not in told("Remove scala-java8-compat")
    image = Fact(
        kind=FactKind.TOOLCHAIN,
        action=Action.ADDED,
        name="alpine",
        evidence=Evidence(path=".github/workflows/a.yml", line=1, side=Side.NEW),
    )
    assert "toolchain" not in told("Test it", image, path=image.evidence.path, area=Area.CI)
    assert "says_security" not in told("Honor the security protocol of the listener")


@pytest.mark.parametrize(
    ("title", "signal"),
    [
        ("Remove schema versions below v9", "says_support_dropped"),
        ("Consider late samples as final", "says_behaviour"),
        ("promtool: redirect notices to stderr", "says_behaviour"),
        ("Answer late samples by returning 400", "says_behaviour"),
        ("Add the unit in API responses", "says_behaviour"),
        ("Mark the pool of workers as stable", "says_behaviour"),
        ("Return an error if a pool is empty", "says_refusal"),
        ("Update the pool to fail for empty sets", "says_refusal"),
        ("Validate `--pool` targets", "says_refusal"),
        ("Add validation of sizes to the pool endpoint", "says_refusal"),
        ("Recode `A302` to `A203`", "says_rename"),
        ("Move the size of pools to the upper level config", "says_rename"),
    ],
)
def test_title_that_changes_what_users_see_demands_something(title, signal):
    assert signal in told(title)


@pytest.mark.parametrize(
    "title",
    [
        "Return early if a pool is empty",
        "Move the config parser into a package",
        "Add validation helpers",
        "Remove the version file",
        "Refresh API docs",
    ],
)
def test_title_about_the_code_alone_demands_nothing(title):
    assert not [name for name in told(title) if name.startswith("says_")]


@pytest.mark.parametrize(
    ("title", "signal", "heard"),
    [
        ("Switch the reporter from `verbose` to `default`", "says_default", False),
        ("Switch the reporter to quiet by default", "says_default", True),
        ("fix: use row.append instead of row[2] in the debug command", "says_behaviour", False),
        ("Use tokens instead of passwords in the login command", "says_behaviour", True),
        ("Bump main branch to 1.28.0-dev", "title_release", True),
        ("Version bump to start work on 6.3", "title_release", True),
        ("Bump main dependency", "title_release", False),
        ("Preparing for next development iteration, 3.2.0", "title_release", True),
        ("Prepare 2026.1.0 release", "title_release", True),
        ("Prepare the pool for release of its cards", "title_release", False),
        ("chore: enforce types of imports", "says_refusal", False),
        ("Enforce types of imports", "says_refusal", True),
    ],
)
def test_titles_about_tools_and_versions_ask_nothing_of_users(title, signal, heard):
    file = FileFacts(
        path="src/a.py", status=FileStatus.MODIFIED, area=Area.CORE, added=3, deleted=1
    )
    found = signals(Facts(subject=read_subject(title), files=(file,)))
    assert (signal in {one.name for one in found}) is heard


def test_form_of_the_forge_about_security_weighs_nothing():
    title = "Add a security warning to the template for bugs"
    form = ".github/ISSUE_TEMPLATE/bug.yml"
    assert "says_security" in told(title)
    assert "says_security" not in told(title, path=form, area=Area.CONFIG)
