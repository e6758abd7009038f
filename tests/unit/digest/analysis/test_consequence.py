"""What a change means for a reader: sources in their order, names of users' things first."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from digest.analysis.analyse import acts, analyse, gist
from digest.analysis.context import read
from digest.analysis.quotes import restates
from digest.analysis.risks import to_do
from digest.core.change import FileStatus, Side
from digest.core.enums import Language
from digest.core.facts import Action, Area, Clue, ClueKind, Fact, FactKind, Note, Undone
from digest.core.grade import Level, Reason
from digest.core.statement import Aspect, ChangeType
from digest.document import Code, plain
from digest.facts.subject import read_subject
from digest.report.assembly import entry_of
from digest.report.condensed import consequence, why
from tests.support import fakes, samples

CLI = "src/config/cli.py"


def change(words, *items, clues=(), level=Level.HIGH, files=(), **more):
    return samples.change(
        1, words, level, files=files or [samples.file(CLI)], items=items, clues=tuple(clues), **more
    )


def fact(kind, action, name, line=3, **more):
    side = Side.OLD if action is Action.REMOVED else Side.NEW
    return samples.fact(kind, action, name, samples.at(CLI, line, side), **more)


def clue(kind, side=Side.NEW, path=CLI, line=3, **more):
    return Clue(kind=kind, evidence=samples.at(path, line, side), **more)


def lines(graded, language=Language.EN):
    return [s.text for s in gist(graded, language).summary]


CONTRACTS = {
    "removed": (
        fact(FactKind.FLAG, Action.REMOVED, "--fast"),
        "--fast was removed.",
        "移除了 --fast。",
    ),
    "renamed": (
        fact(FactKind.ENVIRONMENT, Action.RENAMED, "APP_SIZE", before="APP_POOL"),
        "APP_POOL is now APP_SIZE.",
        "APP_POOL 更名为 APP_SIZE。",
    ),
    "default": (
        fact(FactKind.FLAG, Action.CHANGED, "--n", before="1", after="2", detail="default"),
        "--n now defaults to 2 (was 1).",
        "--n 的默认值由 1 改为 2。",
    ),
    "default that is computed": (
        fact(FactKind.FLAG, Action.CHANGED, "--n", before="1", after="None", detail="default"),
        "--n no longer defaults to 1.",
        "--n 的默认值不再是 1。",
    ),
    "new default": (
        fact(FactKind.FLAG, Action.CHANGED, "--n", before="None", after="2", detail="default"),
        "--n now defaults to 2.",
        "--n 的默认值现为 2。",
    ),
    "deprecated": (
        fact(FactKind.DEPRECATION, Action.ADDED, "--fast", after="v2.0"),
        "--fast is deprecated; removal is planned for v2.0.",
        "--fast 已弃用，计划在 v2.0 移除。",
    ),
    "gone with a substitute": (
        fact(FactKind.FLAG, Action.REMOVED, "--fast", replacement="--mode fast"),
        "--fast was removed; use --mode fast.",
        "移除了 --fast，请改用 --mode fast。",
    ),
    "gone as far as one file shows": (
        fact(FactKind.FLAG, Action.REMOVED, "--fast", in_file=True),
        f"--fast was removed from {CLI}.",
        f"移除了 --fast（位于 {CLI}）。",
    ),
    "default on a condition": (
        fact(
            FactKind.CONFIG,
            Action.CHANGED,
            "Config.aot",
            before="False",
            after="True",
            detail="default",
            condition="torch >= 2.10",
        ),
        "Config.aot now defaults to True (was False) where torch >= 2.10.",
        "Config.aot 的默认值由 False 改为 True（条件：torch >= 2.10）。",
    ),
    "default on a condition that nobody takes in": (
        fact(
            FactKind.CONFIG,
            Action.CHANGED,
            "Config.aot",
            before="False",
            after="True",
            detail="default",
            condition='hasattr(__import__("torch").version, "hip")',
        ),
        "Config.aot now defaults to True (was False) under a condition.",
        "Config.aot 的默认值由 False 改为 True（仅在特定条件下）。",
    ),
    "default whose condition changed alone": (
        fact(
            FactKind.ENVIRONMENT,
            Action.CHANGED,
            "APP_AOT",
            before='"1" if torch >= 2.11 and cached()',
            after='"1"',
            detail="default",
            condition="torch >= 2.10 and cached()",
        ),
        'APP_AOT now defaults to "1" where torch >= 2.10 (before: torch >= 2.11).',
        'APP_AOT 在 torch >= 2.10 时默认为 "1"（此前：torch >= 2.11）。',
    ),
    "deprecated with a substitute": (
        fact(FactKind.DEPRECATION, Action.ADDED, "--fast", when="v2.0", replacement="--mode"),
        "--fast is deprecated; use --mode; removal is planned for v2.0.",
        "--fast 已弃用，请改用 --mode，计划在 v2.0 移除。",
    ),
    "metric": (
        fact(FactKind.METRIC, Action.REMOVED, "app_busy"),
        "app_busy was removed.",
        "移除了 app_busy。",
    ),
}


def test_a_substitute_of_one_flag_is_not_told_of_the_others():
    def gone(name, **more):
        return fact(FactKind.FLAG, Action.REMOVED, name, **more)

    graded = change("Remove old flags", gone("--slow"), gone("--fast", replacement="--mode fast"))
    assert lines(graded)[0] == "--slow and --fast were removed."
    both = change(
        "Remove old flags",
        gone("--slow", replacement="--mode"),
        gone("--fast", replacement="--mode"),
    )
    assert lines(both)[0] == "--slow and --fast were removed; use --mode."


@pytest.mark.parametrize(("item", "english", "chinese"), CONTRACTS.values(), ids=CONTRACTS)
def test_contracts_come_before_the_title(item, english, chinese):
    graded = change("Tidy up the pool of workers", item)
    assert lines(graded)[0] == english
    assert lines(graded, Language.ZH)[0] == chinese
    assert gist(graded, Language.EN).summary[0].aspect is Aspect.COMPATIBILITY
    assert acts(gist(graded, Language.EN))


def test_title_that_tells_the_new_default_is_told_with_the_old_one():
    item = fact(
        FactKind.FLAG, Action.CHANGED, "--pool-size", before="8", after="None", detail="default"
    )
    graded = change("Default pool_size to the number of cards", item)
    assert lines(graded)[0] == "--pool-size now defaults to the number of cards (was 8)."


def test_default_that_code_works_out_is_told_in_the_words_beside_it():
    item = fact(
        FactKind.FLAG, Action.CHANGED, "--pool-size", before="8", after="None", detail="default"
    )
    told = "How many workers run. Defaults to worker_count if not specified."
    helped = clue(ClueKind.HELP, name="--pool-size", text=told)
    graded = change("Size the pool by workers", item, clues=[helped])
    assert lines(graded)[0] == "--pool-size now defaults to worker_count (was 8)."
    graded = change("Choose pool_size at the start", item)
    assert lines(graded)[0] == "Choose pool_size at the start (--pool-size defaulted to 8)."


@pytest.mark.parametrize(
    ("said", "is_code"), [("worker_count", True), ("--workers", True), ("all workers", False)]
)
def test_name_of_another_setting_is_code_where_it_is_the_default(said, is_code):
    item = fact(
        FactKind.FLAG, Action.CHANGED, "--pool-size", before="8", after="None", detail="default"
    )
    helped = clue(ClueKind.HELP, name="--pool-size", text=f"Workers. Defaults to {said}.")
    told = gist(change("Size the pool", item, clues=[helped]), Language.EN).summary[0]
    assert told.text == f"--pool-size now defaults to {said} (was 8)."
    assert (Code(said) in told.spans) is is_code


def test_default_that_the_title_speaks_of_comes_before_a_vague_title():
    item = fact(
        FactKind.CONFIG, Action.CHANGED, "Pool.kv_buffer_device", before="'a'", after="'b'",
        detail="default", public=True,
    )  # fmt: skip
    vague = change("Set the default kv buffer type for each platform", item)
    assert lines(vague)[0] == "Pool.kv_buffer_device now defaults to 'b' (was 'a')."
    plain_title = "Use 'b' to buffer kv of a device by default"
    assert lines(change(plain_title, item))[0] == f"{plain_title}."


def test_what_a_protocol_loses_is_told_apart_from_flags_and_without_members():
    gone = [
        fact(FactKind.SCHEMA, Action.REMOVED, name, detail=detail)
        for name, detail in [("Engine", "service"), ("Engine.Run", "rpc"), ("Reply", "message")]
    ]
    flag = fact(FactKind.FLAG, Action.REMOVED, "--no-stats")
    assert lines(change("Move the servicer to a package", flag, *gone))[:2] == [
        "--no-stats was removed.",
        "The protocol loses Engine and Reply.",
    ]
    assert lines(change("Move the servicer to a package", *gone))[0] == (
        "Engine and Reply were removed."
    )


def test_comment_that_begins_with_the_name_of_its_thing_is_told_without_it():
    item = fact(FactKind.CONFIG, Action.ADDED, "PoolConfig.dry_run", public=True)
    helped = clue(ClueKind.HELP, name=item.name, text="DryRun skips the swap after a pass.")
    named = replace(helped, text="DryRun is the way to skip the swap after a pass.")
    graded = change("Add a dry run to passes", item, clues=[named])
    assert lines(graded)[1].endswith("PoolConfig.dry_run: the way to skip the swap after a pass.")
    named = replace(helped, text="DryRun is used where the swap is skipped.")
    graded = change("Add a dry run to passes", item, clues=[named])
    assert lines(graded)[1].endswith(
        "PoolConfig.dry_run: DryRun is used where the swap is skipped."
    )
    graded = change("Add a dry run to passes", item, clues=[helped])
    assert lines(graded)[1] == "New setting PoolConfig.dry_run: skips the swap after a pass."


def test_error_with_a_gap_of_go_is_not_told():
    text = "invalid config of the relay, only one is supported: %w"
    graded = change("Read the relay", clues=[clue(ClueKind.REFUSED, text=text)])
    assert not any("%w" in line for line in lines(graded))


def test_minimum_version_is_raised_only_in_a_manifest():
    raised = {"before": "1.95", "after": "1.96"}
    where = samples.at("Cargo.toml", 3)
    item = samples.fact(FactKind.TOOLCHAIN, Action.CHANGED, "rust", where, **raised)
    manifest = [samples.file("Cargo.toml", Area.BUILD)]
    graded = change("Use let chains in the parser", item, files=manifest)
    assert lines(graded)[0] == "Minimum Rust version raised from 1.95 to 1.96."
    assert lines(graded, Language.ZH)[0] == "Rust 最低版本由 1.95 提高到 1.96。"
    member = replace(item, before="1.97", after="1.98")
    assert lines(change("Update msrv", item, member, files=manifest))[0] == (
        "Minimum Rust version raised from 1.95 to 1.96 and from 1.97 to 1.98."
    )
    ranged = replace(item, name="python", before=">=3.9,<3.14", after=">=3.10,<3.14")
    told = change("Drop old versions", ranged, files=manifest)
    assert lines(told)[0] == "Minimum Python version raised from 3.9 to 3.10."
    assert plain(to_do(told, Language.EN)) == "Upgrade Python to 3.10 or later."
    part = replace(item, evidence=samples.at("pool/Cargo.toml", 3))
    told = change("raise MSRV to 1.96", part, files=manifest)
    assert lines(told)[0] == "Minimum Rust version raised from 1.95 to 1.96."
    engines = {"before": "^18.17.1 || >=20.3.0", "after": "18.20.8 || >=20.3.0"}
    place = samples.at("pool/package.json", 3)
    told = change(
        "Raise Node version to 18.20.8", replace(part, name="node", evidence=place, **engines)
    )
    assert lines(told)[0] == "Minimum Node.js version raised from 18.17.1 to 18.20.8."
    image = samples.fact(
        FactKind.TOOLCHAIN, Action.CHANGED, "rust", samples.at("Dockerfile", 3), **raised
    )
    graded = change(
        "Use let chains in the parser", image, files=[samples.file("Dockerfile", Area.BUILD)]
    )
    assert lines(graded)[0] == "Use let chains in the parser."
    assert not acts(gist(graded, Language.EN))


def test_announced_removal_says_so():
    graded = change(
        "Remove it at last",
        fact(FactKind.FLAG, Action.REMOVED, "--fast"),
        fact(FactKind.DEPRECATION, Action.REMOVED, "--fast", before="v0.19"),
    )
    assert lines(graded)[0] == "--fast was removed, as announced for v0.19."


def test_new_flag_is_told_with_its_help_and_its_field_is_not_told_again():
    graded = change(
        "Add choice of the pool for workers",
        fact(FactKind.CONFIG, Action.ADDED, "PoolConfig.kind", 9, detail="field"),
        fact(FactKind.FLAG, Action.ADDED, "--pool-kind", 4),
        clues=[
            clue(
                ClueKind.HELP,
                name="PoolConfig.kind",
                text="Which pool of workers is used here. It is new.",
            )
        ],
    )
    assert lines(graded)[1:] == ["New flag --pool-kind: Which pool of workers is used here."]


@pytest.mark.parametrize(
    ("words", "switched"),
    [
        ("enable prefix cache by default", True),
        ("Change the default backend of decoding", True),
        ("Switch the structures of events from array to map encoding", True),
        ("Describe what happens by default", False),
        ("Fix a crash of the default backend", False),
    ],
)
def test_title_that_tells_of_a_switched_default_is_to_be_acted_on(words, switched):
    assert acts(gist(change(words), Language.EN)) is switched


def test_what_is_known_to_be_internal_is_not_told():
    inner = fact(FactKind.CONFIG, Action.REMOVED, "Config.size", public=False)
    assert not acts(gist(change("Plan the work of pools ahead", inner), Language.EN))


def test_contract_that_moved_to_another_file_is_no_news():
    moved = fact(FactKind.FLAG, Action.CHANGED, "--fast", detail="moved", elsewhere="src/b.py")
    graded = change("Split the command line in two", moved)
    assert lines(graded) == ["Split the command line in two."]
    assert not acts(gist(graded, Language.EN))


def test_new_field_of_a_request_is_told_with_the_words_beside_it():
    where = samples.at("app/api/protocol.py", 7)
    name, text = "ChatRequest.skip", "Leaves out the first tokens."
    told = change(
        "Add an offset",
        samples.fact(FactKind.SYMBOL, Action.ADDED, name, where, detail="field", after="0"),
        clues=[Clue(kind=ClueKind.HELP, name=name, text=text, evidence=where)],
        files=[samples.file("app/api/protocol.py")],
    )
    assert lines(told) == ["Add an offset.", f"New field {name}: {text}"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The fast mode is incompatible with the slow one.", True),
        ("fast and slow are mutually exclusive.", True),
        ("The cache could not be opened for writing.", False),
    ],
)
def test_new_error_is_told_if_it_is_about_use(text, told):
    quoted = [f"Can fail with the error “{text.rstrip('.')}”."] if told else []
    assert lines(change("Add a check", clues=[clue(ClueKind.REFUSED, text=text)])) == [
        "Add a check.",
        *quoted,
    ]


@pytest.mark.parametrize(
    ("text", "flags", "todo"),
    [
        ("--fast is incompatible with --slow.", (), "Check if you use --fast and --slow."),
        ("--fast cannot be used with pools.", (), "Check if you use --fast."),
        ("--enable-pool is not supported here.", (), "Check if you use --enable-pool."),
        ("--fast cannot be used with pools.", ("--fast",), ""),
        ("Pools require --fast.", (), ""),
    ],
)
def test_new_error_about_a_flag_that_was_there_is_to_be_acted_on(text, flags, todo):
    new = [fact(FactKind.FLAG, Action.ADDED, name) for name in flags]
    entry = entry_of(
        change("Add a check", *new, clues=[clue(ClueKind.REFUSED, text=text)]), None, Language.EN
    )
    assert plain(entry.todo) == todo
    assert entry.acts is bool(todo)


@pytest.mark.parametrize(
    ("title", "rule", "todo"),
    [
        ("Reject a task when its time is over", "says_refusal", ""),
        ("Set the pools of a default zone", "says_default", ""),
        ("Fix how default values are written", "says_default", ""),
        ("Remove the outdated --quick suggestion", "says_contract_removed", ""),
        ("Remove all deprecated code from pools", "says_deprecated_removed", ""),
        ("refactor!: suppress `dead_code` in pools", "breaking", ""),
        ("Setup other pools", "note", ""),
        (
            "Fix DoS by long names",
            "says_security",
            "Upgrade to the first release with this security fix.",
        ),
    ],
)
def test_title_alone_says_nothing_to_do_unless_it_is_about_security(title, rule, todo):
    graded = change(title)
    reasons = (Reason(rule=rule, weight=2.0),)
    graded = replace(graded, grade=replace(graded.grade, reasons=reasons))
    assert plain(to_do(graded, Language.EN)) == todo
    assert entry_of(graded, None, Language.EN).acts is (rule != "note")


@pytest.mark.parametrize(
    ("title", "fixed"),
    [
        ("Disable the CSRF check of tokens", False),
        ("Fix CSRF of pools", True),
        ("Prevent XSS by names of pools", True),
    ],
)
def test_title_that_opens_a_weakness_on_purpose_is_no_security_fix(title, fixed):
    said = samples.fact(
        FactKind.SECURITY, Action.CHANGED, "CSRF", samples.at("", 1, Side.MESSAGE), detail="words"
    )
    assert bool(to_do(change(title, said), Language.EN)) is fixed


def test_advisory_that_is_only_ignored_is_no_security_fix():
    said = samples.fact(
        FactKind.SECURITY,
        Action.CHANGED,
        "CVE-2026-4",
        samples.at("", 1, Side.MESSAGE),
        detail="advisory",
    )
    graded = change("Add exemption for CVE-2026-4 of a library", said)
    assert not to_do(graded, Language.EN)
    assert lines(graded)[0] == "Add exemption for CVE-2026-4 of a library."


def test_title_is_told_without_the_number_of_its_issue_and_without_squashed_commits():
    assert lines(change("Issue #15: Friendlier pools of cards"))[0] == "Friendlier pools of cards."
    title = "Introduce pools of cards (#9) * when cards are read * they are kept"
    assert lines(change(title))[0] == "Introduce pools of cards."


def test_words_about_security_in_a_form_for_reports_are_no_security_fix():
    files = [samples.file(".github/ISSUE_TEMPLATE/bug.md", area=Area.CI)]
    graded = change("Add a security warning to the form", files=files)
    reasons = (Reason(rule="says_security", weight=2.0),)
    graded = replace(graded, grade=replace(graded.grade, reasons=reasons))
    assert not to_do(graded, Language.EN)


def test_facts_say_what_to_do():
    old = fact(FactKind.FLAG, Action.RENAMED, "--quick", before="--fast")
    assert plain(to_do(change("Rename it", old), Language.EN)) == "Replace --fast with --quick."


def test_fields_of_internal_classes_are_not_told():
    inner = samples.fact(
        FactKind.CONFIG, Action.REMOVED, "Plan.size", samples.at("src/plan.py", 3, Side.OLD)
    )
    graded = change("Plan the work of pools ahead", inner, files=[samples.file("src/plan.py")])
    assert lines(graded) == ["Plan the work of pools ahead."]
    assert not acts(gist(graded, Language.EN))


def test_variable_of_tests_asks_nothing_of_users():
    item = fact(FactKind.ENVIRONMENT, Action.REMOVED, "APP_TEST_WHEEL")
    graded = change("Remove the path of old cards", item)
    assert lines(graded) == ["Remove the path of old cards."]
    assert not acts(gist(graded, Language.EN))


def test_variable_that_is_no_longer_read_is_told_after_the_title():
    unread = [
        fact(FactKind.ENVIRONMENT, Action.REMOVED, name, detail="read")
        for name in ("TPU_ARGS", "APP_INTERNAL_DEBUG")
    ]
    graded = change("Remove the path of old cards", *unread)
    assert lines(graded) == ["Remove the path of old cards.", "TPU_ARGS is no longer read."]
    assert lines(graded, Language.ZH)[1] == "不再读取 TPU_ARGS。"
    assert not acts(gist(graded, Language.EN))


def test_deprecation_that_neither_a_version_nor_the_author_names_is_not_told():
    item = fact(FactKind.DEPRECATION, Action.ADDED, "regexp.MustCompile")
    assert lines(change("Deduplicate warnings of the API", item)) == [
        "Deduplicate warnings of the API."
    ]
    told = lines(change("Deprecate `MustCompile` for patterns", item))
    assert told[0] == "regexp.MustCompile is deprecated."


def test_title_that_says_the_same_as_a_contract_is_not_repeated():
    item = fact(
        FactKind.CONFIG,
        Action.CHANGED,
        "Config.policy",
        before='"a"',
        after='"b"',
        detail="default",
    )
    graded = change('Change policy default from "a" to "b"', item)
    assert lines(graded) == ['Config.policy now defaults to "b" (was "a").']


def test_only_constants_and_values_that_the_title_names_are_told():
    values = [
        clue(ClueKind.LITERAL, name="Passed", before="15", after="20"),
        clue(ClueKind.LITERAL, name="max_size", before="75", after="80"),
    ]
    assert lines(change("Tune the pool of workers", clues=values)) == ["Tune the pool of workers."]
    assert lines(change("Raise max_size of the pool", clues=values))[1] == (
        "max_size is now 80 (was 75)."
    )
    stored = [clue(ClueKind.LITERAL, name="POOLS_VERSION", before="58", after="59")]
    assert len(lines(change("Tune the pool of workers", clues=stored))) == 1
    assert len(lines(change("Raise the version of stored pools", clues=stored))) == 2


def test_values_that_have_to_be_cut_are_not_told():
    for end, told in (("", 2), ("d" * 40, 1)):
        value = clue(ClueKind.LITERAL, name="LINK_FLAGS", before=f'"a{end}b"', after=f'"a{end}c"')
        assert len(lines(change("Refresh the build of images", clues=[value]))) == told


def test_what_a_new_file_refuses_is_no_news_but_its_limits_are():
    words = [f"Padding must be 'center' or 'same' {n}" for n in range(2)]
    limit = "Only supports 'center' and is not supported on cards"
    made = samples.file(CLI, Area.CORE, status=FileStatus.ADDED)
    for text, told in ((words[0], []), (limit, [f"Can fail with the error “{limit}”."])):
        graded = change("Read the audio", clues=[clue(ClueKind.REFUSED, text=text)], files=[made])
        assert lines(graded)[1:] == told
    graded = change("Read the audio", clues=[clue(ClueKind.REFUSED, text=words[1])])
    assert lines(graded)[1:] == [f"Can fail with the error “{words[1]}”."]


def test_keys_of_tables_tests_and_functions_are_not_told():
    inner = [
        clue(ClueKind.ENTRY, name="keys_open", text="PHRASES"),
        clue(ClueKind.TEST, path="tests/t.py", name="test_gamma_is_loaded_without_a_peer"),
        clue(ClueKind.SCOPE, name="schedule"),
    ]
    assert lines(change("Update it", clues=inner)) == ["Update it."]


@pytest.mark.parametrize(
    "text",
    [
        "After seeing",
        "with approval rights.",
        "This is a follow-up of owner/name#16727 to fix more edge cases.",
        "I figured it would be good to pull this general logic out.",
        "This PR was generated by a bot. View the log.",
        "These are respected in one command, but not in another.",
        "Fixes #16683 by adding the missing call.",
        "This is my proposed solution to the knot that both programs present.",
        "Part of KIP-1033.",
        "This adds other names of pools when they are loaded, e.g.",
        "Continues the lazy loading of pools started in #33876 and #33881.",
        "Partial fix for #16683.",
        "This PR does a few things.",
        "(Note that levels are always inclusive, so this would include both ends.)",
        "This does the same as that PR, but for columns.",
        "The reason for this is that the parser now reads both forms.",
        "Closes #NNN.",
        "Previously it points to a line of the code, which is not friendly.",
        "Reusing it causes errors on every other request.",
        "This will mean that the incoming call is not processed.",
        "This is the equivalent of #16755 for the other consumer.",
        "Obviously, this is incorrect after a restart.",
        "This PR tries to implement what issue #16683 wants.",
        "Tries to reland #16683 that was reverted in #33876.",
        "This change is a continuation of the one of last week.",
        "We generally require an issue for each fix. You can link an issue to this PR using syntax.",
        "There is no need to duplicate the description of the issue here.",
        "Rather, it is if addresses are ever known that workers fail.",
    ],
)
def test_half_sentences_and_references_are_not_quoted(text):
    assert lines(change("Plan the pool of workers", paragraphs=[text])) == [
        "Plan the pool of workers."
    ]


def test_sentence_that_fits_is_quoted_where_the_first_is_too_long():
    long = f"The support routed {'one path and ' * 20}more."
    text = f"{long} Targets are no longer scraped at the wrong endpoint."
    told = change("Mend the pool", paragraphs=[text])
    quoted = "In the author's words: “Targets are no longer scraped at the wrong endpoint.”"
    assert lines(told) == ["Mend the pool.", quoted]


def test_sentence_that_repeats_the_title_is_passed_over():
    text = "Adds a pool of workers. Jobs no longer wait for one another (eg. at the start)."
    told = change("Add a pool of workers", paragraphs=[text])
    quoted = text.partition(". ")[2]
    assert lines(told) == ["Add a pool of workers.", f"In the author's words: “{quoted}”"]


def test_quote_begins_with_what_was_wrong():
    wrong = "Names that are not valid previously caused a panic of the server."
    text = f"Users are decoded before they are sent to the server. {wrong}"
    quoted = f"In the author's words: “{wrong}”"
    assert lines(change("Avoid crashes", paragraphs=[text])) == ["Avoid crashes.", quoted]


def test_quote_does_not_begin_with_the_result_of_what_is_left_out():
    text = "The bridge of pools was formerly entered from modules. This caused counts to fail."
    quoted = f"In the author's words: “{text}”"
    assert lines(change("Skip the pool", paragraphs=[text])) == ["Skip the pool.", quoted]


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("When the style is strict, the return is wrapped in brackets.", ""),
        ("The check right now only reads the first bytes of a file.", ""),
        ("Pools are currently flushed at each commit, which may impact speed.", ""),
        ("If a key has spaces in it, this could lead to a loss of data.", ""),
        ("Introduced in the last week. Removed gates, updated tests.", ""),
        ("In the course of writing it, I realized that pools are needed.", ""),
        ("This code is needed by all of the cards.", ""),
        ("The tests looked good to all of us.", ""),
        ("Failed cards are added to the pool of cards.", ""),
        ("Now, technically, a pool is one of cards.", ""),
        ("The exception is caused by a card that was left alone.", ""),
        (
            "A pool lost its cards when it started late.",
            "A pool lost its cards when it started late.",
        ),
        (
            "Queues are no longer flushed when they stop.",
            "Queues are no longer flushed when they stop.",
        ),
        ("This lets queues wait for the last card.", "This lets queues wait for the last card."),
        ("This will print the state to a file.", "This will print the state to a file."),
        ("Skips queues of which nothing is read.", "Skips queues of which nothing is read."),
        (
            "This PR adds queues of cards. I might add more of them.",
            "This PR adds queues of cards.",
        ),
    ],
)
def test_author_is_quoted_only_on_what_the_change_does_or_on_before_and_after(text, quoted):
    told = lines(change("Mend the pool", paragraphs=[text]))
    assert told[1:] == ([f"In the author's words: “{quoted}”"] if quoted else [])


def test_what_names_a_new_thing_is_quoted_in_the_present():
    text = "A pool with card_limit gets another card when it is full."
    quoted = f"In the author's words: “{text}”"
    new = fact(FactKind.ENVIRONMENT, Action.ADDED, "card_limit")
    assert quoted in lines(change("Add cards to pools", new, paragraphs=[text]))
    assert quoted not in lines(change("Add cards to pools", paragraphs=[text]))
    for text in (
        "Cards are not supported by the pool.",
        "The current code expects cards before pools.",
        "When a card is removed for any reason, its pool will no longer be read.",
    ):
        assert not lines(change("Add cards to pools", paragraphs=[text]))[1:]


def test_sentence_behind_one_that_leans_on_others_is_not_quoted():
    text = "However it stalls. The pool fails when it is empty."
    assert lines(change("Mend it at last", paragraphs=[text])) == ["Mend it at last."]


@pytest.mark.parametrize(("between", "quoted"), [("\n", True), ("\n\n", False)])
def test_commit_that_was_squashed_is_not_quoted_but_an_entry_of_a_list_is(between, quoted):
    entry = "A pool lost its cards when it started late."
    graded = fakes.graded("1", f"Mend the pool\n\n* {entry}{between}* Tidy up.", {"src/a.py": 3})
    told = " ".join(s.text for s in gist(graded, Language.EN, 3).summary)
    assert (entry in told) is quoted


def test_second_paragraph_is_quoted_where_only_it_says_what_is_different():
    first = "Some tools look for a helper in the path of the system, on every platform they know."
    wrong = "Their pages previously failed to load where no helper was installed."
    told = lines(change("Provide a helper", paragraphs=[first, wrong]))
    assert told[1:] == [f"In the author's words: “{wrong}”"]


def test_rejection_of_malformed_input_needs_no_action():
    assert not acts(analyse(change("Reject malformed hashes"), Language.EN))
    assert acts(analyse(change("Reject duplicate hashes"), Language.EN))


def test_error_about_a_new_thing_is_not_told():
    new = fact(FactKind.CONFIG, Action.ADDED, "PoolArgs.side", public=True)
    text = "side must be either 'left' or 'right' of the pool."
    told = lines(change("Place pools", new, clues=[clue(ClueKind.REFUSED, text=text)]))
    assert not any("Can fail with" in line for line in told)
    told = lines(change("Place pools", clues=[clue(ClueKind.REFUSED, text=text)]))
    assert any("Can fail with" in line for line in told)


def test_two_replacements_of_what_is_deprecated_are_told():
    old = [
        fact(FactKind.DEPRECATION, Action.ADDED, f"APP_{n}", replacement=flag, detail="mark")
        for n, flag in enumerate(("--moe", "--linear", "--moe"))
    ]
    graded = change("Deprecate them", *old)
    assert lines(graded)[0] == "APP_0, APP_1 and APP_2 are deprecated; use --moe and --linear."
    assert plain(to_do(graded, Language.EN)) == "Plan the move away from APP_0, APP_1 and APP_2."


def test_what_another_program_has_already_is_left_to_the_full_report():
    again = fact(FactKind.FLAG, Action.ADDED, "--port", elsewhere="server/app.py")
    graded = change("Move code here", again)
    analysis = analyse(graded, Language.EN)
    assert any("already has it" in one.text for one in analysis.summary)
    assert "--port" not in plain(why(graded, analysis, Language.EN))


def test_negated_flag_is_not_explained_by_the_other_one():
    new = fact(FactKind.FLAG, Action.ADDED, "--no-emit-links")
    helped = clue(ClueKind.HELP, name="emit_links", text="Include links in what is written.")
    assert "New flag --no-emit-links." in lines(change("Write links", new, clues=[helped]))


def test_feature_is_not_explained_by_a_function_of_its_name():
    new = fact(FactKind.FLAG, Action.ADDED, "--enable-feature=index-newer")
    helped = clue(ClueKind.HELP, name="newer", text="Returns what is newer for this index.")
    assert "New flag --enable-feature=index-newer." in lines(
        change("Write it", new, clues=[helped])
    )


def test_title_that_names_code_comes_before_a_flag_without_a_text():
    new = [
        fact(FactKind.FLAG, Action.ADDED, "--index-newer"),
        fact(FactKind.SYMBOL, Action.ADDED, "newer", detail="method"),
    ]
    assert lines(change("Add newer to the index", *new))[0] == "Add newer to the index."


def test_setting_is_explained_by_the_sentence_about_it():
    text = "A fast kernel for some of the newer cards. Controls the minimum number of bytes to use it at all."
    new = fact(FactKind.ENVIRONMENT, Action.ADDED, "APP_MIN_NUMBER_BYTES")
    helped = clue(ClueKind.HELP, name=new.name, text=text)
    told = f"New environment variable {new.name}: {text.partition('. ')[2]}"
    assert told in lines(change("Add it all", new, clues=[helped]))


def test_default_of_a_flag_is_told_without_its_quotes():
    new = fact(FactKind.FLAG, Action.ADDED, "--backend", after='"cef"')
    assert "New flag --backend (default cef)." in lines(change("Add pages", new))


def test_commit_of_a_dependency_is_left_to_the_full_report():
    pin = fact(FactKind.DEPENDENCY, Action.CHANGED, "relay", before="a" * 40, after="b" * 40)
    graded = change("Add support of the next relay", pin)
    analysis = analyse(graded, Language.EN)
    assert "relay is now bbbbbbbbbb (was aaaaaaaaaa)." in [one.text for one in analysis.summary]
    assert not why(graded, analysis, Language.EN)


def test_read_beyond_the_bounds_is_not_called_a_security_fix():
    item = samples.fact(
        FactKind.SECURITY, Action.CHANGED, "out-of-bounds read", samples.at("", 1), detail="words"
    )
    graded = change("Fix an out-of-bounds read of the kernel", item)
    reasons = (Reason(rule="security", weight=2.0),)
    graded = replace(graded, grade=replace(graded.grade, reasons=reasons))
    assert not to_do(graded, Language.EN)


def test_documentation_that_leans_on_its_neighbours_is_not_quoted():
    page = samples.file("docs/a.md", area=Area.DOCS)
    text = "However, some pools still require workers that are small and special."
    told = clue(ClueKind.REMARK, path="docs/a.md", text=text)
    graded = change("Plan pools of workers", clues=[told], files=[samples.file(CLI), page])
    assert lines(graded) == ["Plan pools of workers."]


def test_what_lands_again_is_told_by_its_title():
    graded = change("Re-land: Fix the pool", relands=Undone(number=5))
    assert lines(graded) == ["Brings back #5 (“Fix the pool”)."]


def test_deprecated_feature_is_told_under_the_flag_in_the_title():
    old = fact(FactKind.DEPRECATION, Action.ADDED, "node-globals", detail="mark")
    graded = change("deprecate no-op --unstable-node-globals flag", old)
    assert lines(graded)[0] == "--unstable-node-globals is deprecated."


def test_field_behind_a_deprecated_flag_is_not_told():
    both = [
        fact(FactKind.DEPRECATION, Action.ADDED, name, after="v2.0")
        for name in ("CacheConfig.scale_it", "--scale-it")
    ]
    told = lines(change("Deprecate it", *both))[0]
    assert told == "--scale-it is deprecated; removal is planned for v2.0."


def test_new_command_is_told_before_its_flags():
    new = [samples.file(CLI, status=FileStatus.ADDED, added=90)]
    flag = fact(FactKind.FLAG, Action.ADDED, "--backend")
    text = "Backend to use for the desktop app."
    helped = clue(ClueKind.HELP, name="--backend", text=text)
    inner = fact(FactKind.SYMBOL, Action.ADDED, "desktop", detail="function")
    graded = change("`app desktop` subcommand", flag, inner, files=new, clues=[helped])
    assert lines(graded)[0] == "New: app desktop subcommand."


def test_new_things_without_a_description_are_told_as_one():
    new = [fact(FactKind.METRIC, Action.ADDED, f"app:pool_{n}_total", n + 2) for n in range(6)]
    listed = "app:pool_0_total, app:pool_1_total, app:pool_2_total, app:pool_3_total and 2 more"
    assert lines(change("Count the work of pools", *new))[1:] == [f"New metrics: {listed}."]


def test_options_that_are_deprecated_alike_are_told_as_one():
    old = [
        fact(
            FactKind.DEPRECATION, Action.ADDED, f"a.hmr.{n}", replacement=f"a.ws.{n}", detail="mark"
        )
        for n in ("host", "path", "port")
    ]
    graded = change("Deprecate them", *old)
    assert lines(graded)[0] == "a.hmr.* are deprecated; use a.ws.*."
    assert plain(to_do(graded, Language.EN)) == "Replace a.hmr.* with a.ws.*."


def test_default_that_is_now_chosen_by_code_is_told_behind_what_the_title_says():
    given = {"before": '"lazy"', "after": "None", "detail": "default"}
    old = fact(FactKind.CONFIG, Action.CHANGED, "LoadConfig.load_strategy", **given)
    text = "How weights are read; None prefetches them on NFS."
    help_text = clue(ClueKind.HELP, name="LoadConfig.load_strategy", text=text)
    told = lines(change("Prefetch weights on NFS", old, clues=[help_text]))[0]
    assert told == 'Prefetch weights on NFS (LoadConfig.load_strategy defaulted to "lazy").'


def test_long_default_is_told_by_the_title_that_names_it():
    names = ", ".join(f"'.secret{n}'" for n in range(9))
    given = {"before": "['.env']", "after": f"[{names}]", "detail": "default"}
    old = fact(FactKind.CONFIG, Action.CHANGED, "_defaults.deny", **given)
    graded = change("Extend fs.deny by secret files", old)
    assert lines(graded)[0] == "Extend fs.deny by secret files."
    assert plain(to_do(graded, Language.EN)) == "Check if you rely on the old default of deny."


def test_error_about_flags_comes_after_a_new_default_and_is_told_once():
    refused = clue(ClueKind.REFUSED, text="--fast cannot be used with --lib.")
    told = lines(change("Package by default: Add in preview", clues=[refused]))
    assert told[0] == "Package by default: Add in preview."
    assert sum("--fast" in one for one in told) == 1


def test_version_is_not_told_where_the_title_names_several():
    go = fact(FactKind.TOOLCHAIN, Action.CHANGED, "go", before="1.25.10", after="1.25.11")
    graded = change("Upgrade the Go version to 1.26.4, and the toolchain to 1.25.11", go)
    assert not any("Built with" in one for one in lines(graded))


def test_new_code_that_the_title_does_not_name_is_not_told_in_a_digest():
    new = fact(FactKind.SYMBOL, Action.ADDED, "Pool.replace", detail="method", public=True)
    text = "Replaces a dependency of the pool without a change of its source."
    graded = change(
        "Add a pool of dependencies", new, clues=[clue(ClueKind.HELP, name=new.name, text=text)]
    )
    analysis = analyse(graded, Language.EN)
    assert any(text in one.text for one in analysis.summary)
    assert not why(graded, analysis, Language.EN)


def test_branch_that_is_merged_is_told_by_its_title_alone():
    gone = fact(FactKind.FLAG, Action.REMOVED, "--fast")
    graded = change("Merge branch v3.7 into master", gone, merge=True)
    assert lines(graded) == ["Merge branch v3.7 into master."]


def test_branch_that_is_merged_says_which_security_fixes_its_release_has():
    place = samples.at("CHANGELOG.md", 3)
    fix = Note(mark="security", text="[SECURITY] UI: Escape names. CVE-2026-4. #7", evidence=place)
    graded = change("Merge back release 3.7", notes=(fix,), merge=True)
    assert lines(graded) == ["Security: UI: Escape names. CVE-2026-4.", "Merge back release 3.7."]
    assert analyse(graded, Language.EN).change_types[0] is ChangeType.SECURITY
    reasons = (Reason(rule="note_security", weight=2.0),)
    graded = replace(graded, grade=replace(graded.grade, reasons=reasons))
    told = plain(to_do(graded, Language.EN))
    assert told == "Upgrade to the first release with this security fix."


def test_revert_of_a_feature_says_what_it_undoes_and_nothing_new():
    title = "[Feature] Add a deeper search"
    back = fact(FactKind.FLAG, Action.ADDED, "--shallow")
    told = [
        clue(ClueKind.REFUSED, text="--deep is not supported on this card"),
        clue(ClueKind.DOCS, name="--shallow", text="Use --shallow to search less."),
    ]
    graded = change(
        f'Revert "{title}"',
        back,
        clues=told,
        reverts=Undone(title=title),
        subject={"tags": ("Feature",)},
    )
    assert lines(graded) == [f"Undoes an earlier change (“{title}”)."]
    quoted = replace(graded.facts, reverts=Undone(title=f'"{title}"'))
    assert lines(replace(graded, facts=quoted)) == [f"Undoes an earlier change (“{title}”)."]
    assert ChangeType.FEATURE not in analyse(graded, Language.EN).change_types


def test_error_that_is_gone_is_a_limit_lifted_only_where_something_is_supported():
    gone = clue(ClueKind.REFUSED, side=Side.OLD, text="int4 is not supported on this card")
    told = "No longer rejected: “int4 is not supported on this card”."
    assert told in lines(change("Support int4 on all cards", clues=[gone]))
    assert told not in lines(change("Remove the old int4 path", clues=[gone]))
    gaps = clue(ClueKind.REFUSED, text="the size of {pool} must match {other}")
    assert len(lines(change("Support int4 on all cards", clues=[gaps]))) == 1


def test_the_only_changelog_entry_is_told_before_a_title_that_says_less():
    entry = note("[CHANGE] Tokens are counted per request now.", "")
    told = ["Tokens are counted per request now.", "Count anew in the pool."]
    assert lines(change("Count anew in the pool", notes=(entry,))) == told
    alike = note("- [#7](https://example.org/7): Count tokens anew in the pool.", "fixed")
    told = ["Count tokens in the pool anew."]
    assert lines(change("Count tokens in the pool anew", notes=(alike,))) == told
    several = (entry, note("Pools of cards are read once.", "added"))
    assert lines(change("Count anew in the pool", notes=several))[0] == "Count anew in the pool."
    inner = note("Tokens are counted per request now.", "internal")
    assert lines(change("Count anew in the pool", notes=(inner,))) == ["Count anew in the pool."]


def test_part_that_an_entry_is_about_stays_before_it():
    entry = note("**Pool Scaler**: Take `size` from the request ([#9](https://x.org/9))", "added")
    told = lines(change("Add size to the pool", notes=(entry,)))
    assert told[0] == "Pool Scaler: Take size from the request."
    entry = note("**General**: Take `size` from the request of each caller", "added")
    told = lines(change("Add size to the pool", notes=(entry,)))
    assert told[0] == "Take size from the request of each caller."


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("feat: add pools of old cards ([PR #7](https://x.org/7))", "Add pools of old cards."),
        ("fix: pools of old cards when read (#7 and #8)", "Fix: pools of old cards when read."),
        ("[#7](https://x.org/7): Read pools of old cards. ([@me][])", "Read pools of old cards."),
        ("[#7](https://x.org/7): : *: add pools of old cards", "Add pools of old cards."),
        ("[#7](https://x.org/7) Pool: *breaking :warning:* it now waits", "Pool: it now waits."),
        ("feat(pool): implement old pools of cards #7 @me", "Implement old pools of cards."),
        ("Read pools of old cards - [@me](https://x.org/me).", "Read pools of old cards."),
        ("Read pools of old cards https://x.org/pull/7", "Read pools of old cards."),
        ("Read pools of old cards [#7](https://x.org/7/) (@me, @them)", "Read pools of old cards."),
        ("Add support for https://x.org/me/pools", "Add support for https://x.org/me/pools."),
        ("Read pools of cards by @me in [#7](https://x.org/7)", "Read pools of cards."),
        ("Read pools ([#7]). Users close them", "Read pools. Users close them."),
        (
            "*Feature*: Read old pools of cards see #[7](https://x.org/7).",
            "Read old pools of cards.",
        ),
        ("Adds 2 new icons: cards and pools of all", "Adds 2 new icons: cards and pools of all."),
        ("[Action Required] Read old pools of cards", "Read old pools of cards."),
        ("Breaking change: Read old pools once https://x.org/7", "Read old pools once."),
    ],
)
def test_entry_is_told_without_numbers_and_types(text, line):
    assert lines(change("Tidy the reader", notes=(note(text, "fixed"),)))[0] == line


def test_entry_in_chinese_is_told_in_chinese_or_beside_a_chinese_title():
    entries = (note("支持在表格中拖动调整行高", ""),)
    graded = change("Support row heights in all tables", notes=entries)
    assert lines(graded) == ["Support row heights in all tables."]
    assert lines(graded, Language.ZH)[0] == "支持在表格中拖动调整行高。"
    assert "支持在表格中拖动调整行高." in lines(change("表格支持行高", notes=entries))


def test_authors_at_the_end_of_an_entry_are_not_told():
    for given, line in (
        ("Read pools of all cards (Ada Lovelace, Me)", "Read pools of all cards."),
        ("Read pools of all cards (New York)", "Read pools of all cards (New York)."),
    ):
        graded = change("Tidy the reader", notes=(note(given, "fixed"),))
        graded = replace(graded, commit=replace(graded.commit, author="Ada Lovelace"))
        assert lines(graded)[0] == line


def test_first_of_several_entries_is_told_before_a_title_that_says_nothing():
    entries = (note("Close all cards of pools", "fixed"), note("Wait for pools", "changed"))
    for title in ("Work on pools", "Highlight and stream"):
        assert lines(change(title, notes=entries))[0] == "Close all cards of pools."
    assert lines(change("Read all pools of cards", notes=entries))[0] == "Read all pools of cards."


def test_title_with_a_figure_comes_before_an_entry_without_it():
    entry = note("Update the time that readers wait for", "fixed")
    told = lines(change("Readers wait for 10s by default", notes=(entry,)))
    assert told[0] == "Readers wait for 10s by default."


def test_fix_that_adds_something_new_is_not_called_a_fix():
    graded = change("Add new pools of cards", subject={"tags": ("Fix",)})
    assert lines(graded)[0] == "Add new pools of cards."


def test_security_entry_of_the_changelog_comes_before_the_title():
    entry = note("[EXPORT] Exporters read replies of any length", "security")
    told = lines(change("Read less of a reply", notes=(entry,)))
    assert told[0] == "Security: Exporters read replies of any length."


def test_comment_is_told_without_the_name_of_what_it_describes():
    new = fact(FactKind.CONFIG, Action.ADDED, "Config.allow_part")
    text = "AllowPart If true, keeps what some tenants sent."
    told = lines(change("Keep parts", new, clues=[clue(ClueKind.HELP, name=new.name, text=text)]))
    assert "New setting Config.allow_part: If true, keeps what some tenants sent." in told


def test_constant_that_holds_a_default_is_no_value():
    new = fact(FactKind.FLAG, Action.ADDED, "--cache-size", after="defaultCacheSize")
    assert "New flag --cache-size." in lines(change("Cache names", new))


def test_security_fix_is_said_to_be_one():
    graded = change(
        "enforce limits of pixels in frames", subject={"type": "fix", "scope": "security"}
    )
    assert lines(graded)[0] == "Security: enforce limits of pixels in frames."
    assert acts(gist(graded, Language.EN))


@pytest.mark.parametrize(
    ("name", "detail", "security"),
    [
        ("GHSA-1", "advisory", True),
        ("security", "words", True),
        ("overflow", "words", False),
    ],
)
def test_advisory_or_the_word_security_makes_a_security_change(name, detail, security):
    place = samples.at("", 1, Side.MESSAGE)
    said = samples.fact(FactKind.SECURITY, Action.CHANGED, name, place, detail=detail)
    types = analyse(change("Mend the pool", said), Language.EN).change_types
    assert (ChangeType.SECURITY in types) is security


def test_fix_from_a_private_fork_comes_before_what_else_is_said():
    quoted = "Names that are not valid previously caused a panic of the server."
    told = lines(change("Merge commit from fork", paragraphs=[quoted]))
    assert told[0].startswith("Security fix in src/config")
    assert quoted in told[1]


@pytest.mark.parametrize(
    ("name", "detail", "told"),
    [
        ("POOL_SIZE", "", True),
        ("POOL_SIZE", "read", False),
        ("POOL_DEBUG_SIZE", "", False),
        ("_POOL_SIZE", "", False),
    ],
)
def test_variable_that_is_only_read_or_is_for_developers_is_no_new_setting(name, detail, told):
    item = fact(FactKind.ENVIRONMENT, Action.ADDED, name, detail=detail)
    helped = clue(ClueKind.HELP, name=name, text="How many workers run at the start.")
    text = " ".join(lines(change("Size the pool", item, clues=[helped])))
    assert ("New environment variable" in text) is told


@pytest.mark.parametrize(("level", "count"), [(Level.HIGH, 2), (Level.MEDIUM, 1)])
def test_new_code_is_described_twice_only_of_an_important_change(level, count):
    helps = {
        "grow": "Start another of the workers where all of them are busy.",
        "shrink": "Let idle workers go at night.",
        "halve": "Keep every second one of the workers for tests of the pool.",
    }
    items = [fact(FactKind.SYMBOL, Action.ADDED, name, detail="function") for name in helps]
    texts = [clue(ClueKind.HELP, name=name, text=text) for name, text in helps.items()]
    told = analyse(change("Resize the workers", *items, clues=texts, level=level), Language.EN)
    assert sum("New function" in one.text for one in told.summary) == count


@pytest.mark.parametrize("graded", samples.everything(), ids=lambda g: g.title[:20])
@pytest.mark.parametrize("language", Language)
def test_line_is_one_sentence_without_internal_names_first(graded, language):
    analysis = gist(graded, language)
    line = plain(consequence(graded, analysis))
    assert line
    assert not line.endswith(".") or line.endswith("…")
    symbols = {f.name for f in graded.facts.items if f.kind is FactKind.SYMBOL}
    assert not any(line.startswith(name) for name in symbols)
    assert plain(why(graded, analyse(graded, language), language)) != line


def test_facts_hold_each_kind_that_is_told():
    assert isinstance(CONTRACTS["removed"][0], Fact)


def test_what_a_new_document_requires_is_quoted_before_comments():
    docs = "docs/pool.md"
    graded = change(
        "Keep a pool of workers",
        files=[samples.file(CLI), samples.file(docs, area=Area.DOCS)],
        clues=[
            clue(ClueKind.REMARK, text="A worker of the pool may not be asked twice."),
            clue(ClueKind.REMARK, path=docs, text="The pool keeps workers while they are idle."),
            clue(ClueKind.REMARK, path=docs, text="A pool of workers requires two processors."),
        ],
    )
    told = lines(graded)
    first = "The documentation adds: “A pool of workers requires two processors.”"
    assert first in told
    assert not any("asked twice" in one for one in told)
    item = fact(FactKind.SYMBOL, Action.ADDED, "Pool.worker", detail="method")
    helped = clue(ClueKind.HELP, name=item.name, text="Return one that is idle.")
    facts = replace(graded.facts, items=(item,), clues=(helped, *graded.facts.clues))
    told = lines(replace(graded, facts=facts))
    assert told.index(first) < told.index("New method Pool.worker: Return one that is idle.")


@pytest.mark.parametrize(
    ("level", "pages", "quoted"),
    [
        (Level.HIGH, 3, ["Every processor requires two.", "The pool keeps workers."]),
        (Level.MEDIUM, 3, ["Every processor requires two."]),
        (Level.HIGH, 1, ["The pool keeps workers.", "Without a pool the workers would be new."]),
        (Level.MEDIUM, 1, ["The pool keeps workers."]),
        (Level.MEDIUM, 0, ["Because of a pool, workers must wait."]),
    ],
)
def test_documentation_is_quoted_before_comments_and_twice_only_of_an_important_change(
    level, pages, quoted
):
    docs = "docs/pool.md"
    written = ["The pool keeps workers.", "A pool has workers.", "Every processor requires two."]
    why = ["Without a pool the workers would be new.", "Because of a pool, workers must wait."]
    graded = change(
        "Keep a pool of workers",
        files=[samples.file(CLI), samples.file(docs, area=Area.DOCS)],
        clues=[
            *(clue(ClueKind.REMARK, path=docs, text=text) for text in written[:pages]),
            *(clue(ClueKind.REMARK, text=text) for text in why[: 1 if pages else 2]),
        ],
        level=level,
    )
    assert re.findall("“(.+?)”", "\n".join(lines(graded))) == quoted


@pytest.mark.parametrize(
    ("kind", "text", "told"),
    [
        (ClueKind.DOCS, "When the pool is kept,", False),
        (ClueKind.DOCS, "**Drain first.** The pool waits.", False),
        (ClueKind.DOCS, "This pool waits for its workers.", False),
        (ClueKind.DOCS, "The pool waits for its workers 3.", False),
        (ClueKind.DOCS, "The pool waits for its workers.", True),
        (ClueKind.REMARK, "The pool has one worker for each processor.", False),
        (ClueKind.REMARK, "Without [this pool](../a.md) the workers would be made anew.", False),
        (ClueKind.REMARK, "Without a pool the workers would be made anew.", True),
    ],
)
def test_parts_of_sentences_and_comments_without_a_reason_are_not_quoted(kind, text, told):
    graded = change("Keep a pool of workers", clues=[clue(kind, name="pool", text=text)])
    assert bool(lines(graded)[1:]) is told


def test_title_of_another_default_comes_before_the_one_that_changed():
    item = fact(
        FactKind.CONFIG, Action.CHANGED, "Pool.idle", before="None", after="True", detail="default"
    )
    literal = clue(ClueKind.LITERAL, name="default", before="None", after="True")
    graded = change("Enable fusion by default for -O2", item, clues=[literal])
    assert lines(graded) == ["Enable fusion by default for -O2.", "Pool.idle now defaults to True."]
    assert acts(gist(graded, Language.EN))


def test_setting_whose_default_changed_is_described_in_the_words_beside_it():
    item = fact(FactKind.FLAG, Action.CHANGED, "--on-loss", before="a", after="b", detail="default")
    text = "What is done with lost blocks. 'a': they are computed again. 'b': the request fails."
    graded = change(
        "Change the default of on_loss",
        item,
        clues=[clue(ClueKind.HELP, name="--on-loss", text=text)],
    )
    assert lines(graded)[:2] == ["--on-loss now defaults to b (was a).", f"--on-loss: {text}"]


def test_another_version_than_the_title_names_is_not_told_beside_it():
    go = fact(FactKind.TOOLCHAIN, Action.CHANGED, "go", before="1.25.5", after="1.25.0")
    assert lines(change("Update the image to go 1.25.8", go)) == ["Update the image to go 1.25.8."]
    assert lines(change("Update the image", go))[1:] == ["go is now 1.25.0 (was 1.25.5)."]
    assert len(lines(change("Update the image", replace(go, before="1.25")))) == 1


def sections(graded):
    analysis = analyse(graded, Language.EN)
    told = (*analysis.insights, *analysis.risks, *analysis.suggestions)
    return " ".join(s.text for s in told)


def version(detail, kind=FactKind.DEPENDENCY, action=Action.CHANGED, **more):
    more = {"before": "1.2.0", "after": "1.3.0"} | more
    return fact(kind, action, "relay", detail=detail, **more)


@pytest.mark.parametrize(("detail", "advised"), [("pip", True), ("cargo", False), ("go", False)])
def test_only_versions_that_users_install_beside_their_own_are_advised(detail, advised):
    told = sections(change("Bump relay", version(detail)))
    assert ("Test with relay 1.3.0 before upgrading." in told) is advised
    gone = sections(change("Drop relay", version(detail, action=Action.REMOVED)))
    assert ("If your own code imports relay" in gone) is advised


def test_version_of_a_security_update_is_never_advised_against():
    told = sections(change("Bump relay", version("pip"), subject={"scope": "security"}))
    assert "pin" not in told


def test_compiler_that_builds_the_project_asks_nothing_of_users():
    build = version("rustup toolchain", FactKind.TOOLCHAIN)
    needed = version("docker", FactKind.TOOLCHAIN, before=">=1.2", after=">=1.3")
    assert "Test with" not in sections(change("Bump it", build))
    assert "Test with relay >=1.3 before upgrading." in sections(change("Bump it", needed))


def test_steps_of_a_pipeline_are_not_told():
    step = version("github-actions")
    graded = change("Move to go fuzzing", step)
    assert "relay" not in " ".join(lines(graded)) + sections(graded)


def test_older_version_is_not_called_an_update():
    older = version("go", before="1.24.9", after="1.24.0")
    assert "relay is now 1.24.0 (was 1.24.9)." in lines(change("Allow an older relay", older))


@pytest.mark.parametrize(
    ("detail", "told"), [("json schema", False), ("openapi", False), ("field", True)]
)
def test_description_that_changed_somewhere_asks_nothing_of_readers(detail, told):
    schema = fact(FactKind.SCHEMA, Action.CHANGED, "app.schema.json", detail=detail)
    assert ("readers and writers" in sections(change("Bump it", schema))) is told


def test_unsafe_memory_access_is_not_called_security():
    unsafe = fact(FactKind.SECURITY, Action.ADDED, "unsafe impl", detail="code")
    unchecked = fact(FactKind.SECURITY, Action.ADDED, "verify=False", detail="code")
    told = sections(change("Add histograms", unsafe, unchecked))
    assert "verify=False in" in told
    assert "unsafe" not in told


def test_package_called_security_is_no_security_change():
    graded = change("Update Rust crate security-frame to v3", version("cargo"))
    assert ChangeType.SECURITY not in analyse(graded, Language.EN).change_types


def test_default_that_a_function_makes_is_not_told_by_its_call():
    made = {"before": None, "after": "device_default()", "detail": "default"}
    graded = change("Set it better", fact(FactKind.CONFIG, Action.CHANGED, "Pool.device", **made))
    assert "device_default" not in " ".join(lines(graded)) + sections(graded)
    words = "The device of the pool, for example the first card."
    told = lines(replace_clues(graded, clue(ClueKind.HELP, name="Pool.device", text=words)))
    assert told[0] == "Set it better."


def replace_clues(graded, *clues):
    return replace(graded, facts=replace(graded.facts, clues=clues))


def test_default_of_another_setting_is_no_value():
    of = {"before": "ModelConfig.seed", "after": "None", "detail": "default"}
    graded = change("Move the seed", fact(FactKind.CONFIG, Action.CHANGED, "PoolArgs.seed", **of))
    assert "ModelConfig.seed" not in " ".join(lines(graded)) + sections(graded)


def test_default_is_not_told_again_as_a_value():
    seed = fact(FactKind.CONFIG, Action.CHANGED, "PoolArgs.seed", after="0", detail="default")
    again = clue(ClueKind.LITERAL, name="seed", before="None", after="0")
    told = lines(change("Deprecate `seed=None`", seed, clues=[again]))
    assert sum("seed" in one for one in told) == 2


def test_conditional_default_is_no_risk_without_its_condition():
    both = {"before": "1 if torch >= 2.11", "after": "1", "condition": "torch >= 2.10"}
    named = fact(FactKind.ENVIRONMENT, Action.CHANGED, "APP_AOT", detail="default", **both)
    assert "instead of" not in sections(change("Enable it", named))


@pytest.mark.parametrize(
    "text",
    [
        "Expand must return an output value to the caller",
        "logits must be a CUDA tensor on the device",
        "All scale weights must have the same stride",
        "For NVFP4 weights, the input must also be NVFP4,",
    ],
)
def test_error_that_only_a_mistake_in_the_code_causes_is_not_told(text):
    told = lines(change("Add the kernel", clues=[clue(ClueKind.REFUSED, text=text)]))
    assert not any("Can fail with" in line for line in told)


def test_error_that_names_what_users_have_to_set_is_told():
    text = "The fast engine requires pool_size to be set"
    told = lines(change("Add the kernel", clues=[clue(ClueKind.REFUSED, text=text)]))
    assert f"Can fail with the error “{text}”." in told


def test_argument_with_a_common_word_as_its_name_is_not_told():
    bias = clue(ClueKind.LITERAL, name="bias", before="False", after="True")
    told = lines(change("Fix retrieval (bias and more)", clues=[bias]))
    assert not any("is now True" in line for line in told)


def test_heading_above_several_settings_explains_none_of_them():
    new = fact(FactKind.ENVIRONMENT, Action.ADDED, "APP_RELAY_EP_MOST", after="32")
    head = clue(ClueKind.HELP, name="APP_RELAY_EP_MOST", text="Relay EP environment variables")
    assert "New environment variable APP_RELAY_EP_MOST (default 32)." in lines(
        change("Add the relay", new, clues=[head])
    )


def test_default_of_a_variable_is_told_without_its_quotes():
    new = fact(FactKind.ENVIRONMENT, Action.ADDED, "APP_MOST", after='"268435456"')
    assert "New environment variable APP_MOST (default 268435456)." in lines(
        change("Add the bound", new)
    )


def test_revert_of_several_changes_names_them_all():
    graded = change("Revert PRs 34818 and 33600", reverts=Undone(number=34818))
    assert lines(graded)[0] == "Undoes #34818 and #33600."
    assert restates(gist(graded, Language.EN).summary[0], graded)


def test_revert_that_names_no_change_says_its_own_title():
    graded = change("Revert the loader hooks", reverts=Undone())
    assert lines(graded)[0] == "Revert the loader hooks."


def test_flag_and_its_field_are_deprecated_once():
    named = {"when": "2.0", "detail": ""}
    flag, field = (
        fact(FactKind.DEPRECATION, Action.ADDED, n, **named) for n in ("--old-tls", "old_tls")
    )
    assert lines(change("Mark it", field, flag))[0].startswith("--old-tls is deprecated")


@pytest.mark.parametrize(
    ("detail", "title", "sure"),
    [
        ("docstring", "Warm up in another way", True),
        ("notice", "Deprecate `--old-tls`", True),  # the flag of that setting
        ("notice", "Warm up in another way", False),  # a comment alone may speak of anything
    ],
)
def test_deprecation_is_told_and_marked_where_its_docstring_or_the_title_says_so(
    detail, title, sure
):
    graded = change(title, fact(FactKind.DEPRECATION, Action.ADDED, "old_tls", detail=detail))
    told = analyse(graded, Language.EN)
    told_of = [one.replace("_", "-") for one in lines(graded)]
    assert any("old-tls is deprecated" in one for one in told_of) is sure
    assert (ChangeType.DEPRECATION in told.change_types) is sure


def test_renamed_setting_without_a_known_class_keeps_its_short_name():
    moved = fact(FactKind.CONFIG, Action.RENAMED, "FileKeys.openMenu", before="openTool")
    assert lines(change("Add the menu", moved))[0] == "openTool is now openMenu."


def test_documentation_with_markup_is_not_quoted():
    text = '</dd><dt id="x">--force</dt> Force it, and do not wait for the lock at all.'
    page = clue(ClueKind.DOCS, path="docs/cli.md", name="--force", text=text)
    assert not any("</dt>" in line for line in lines(change("Add a flag", clues=[page])))


@pytest.mark.parametrize(
    "text",
    [
        "Currently, the lock warns above the setup below, as we visit the first one.",
        "This is an attempt at fixing the old crash of the relay.",
        "Namely the ranges and the durations, so that it can check files with them.",
        "In this case, the engine does not produce an error of its own.",
        "In the previous iteration, the check was based on the names of modules.",
        "Enables test-relay-with-errors in the suite of another project.",
        "* A method of the manager that returns the configuration of a pool.",
        "This is a one-line fix, the rest of the change is tests of the lock.",
        "The helper computes with wide numbers, so that it is right on every machine.",
        "As a result, an excluded package could still be chosen by the command.",
        "First, find what would be related to the name of the pool.",
        "We could also use the other call instead of the new one for it.",
        "This builds on the name of the pool, which would be another one.",
        "Make Pool::remove consume both keys, so that it would own the names.",
        "This is basically a draft of it, so that some would be missing.",
        "For pools: - This would be the one without an encoder.",
        "Assume A and B are the pools that would be in the way of C.",
        "Hi team, when I was at it, I found that it would be wrong.",
        "Currently it's not there, so that it would be an error.",
        "Follows up on the proposal in #23959, which would be another.",
        "Disappears from the list of all the packages that are locked!",
        "Used in an upcoming change to report when one waits for another.",
        "This was recommended by somebody who would know the old library.",
        "This is entirely written by a tool, but would be what people want.",
        "Extract the repeated calculation into a method, which would be five copies.",
        "Re-enable a test case that was out because it would fail at times.",
        "It would use ~~the registry~~ the manager instead of the old one.",
        "`Lock::parse` slices the name before it looks at the whole of it.",
        "A common point of confusion.",
        "In the same vein as the other one, this would be set for the pool.",
        "The idea to keep the names was a nice one, but it would be wrong.",
        "Root cause: the name of the pool would be read from the first one.",
        "Once the pool lands, this would be pretty confusing to users.",
        "Reported in #23959, where the pool would be another.",
    ],
)
def test_sentence_that_leans_on_its_neighbours_is_not_quoted(text):
    told = lines(change("Do not warn", paragraphs=[text]))
    assert not any("author" in line for line in told)


def test_limit_in_seconds_is_no_measurement():
    text = "The wait is bounded by a 10 s deadline so that a regression fails."
    assert "deadline" not in sections(change("Bridge the console", paragraphs=[text]))


def test_english_title_that_ends_with_code_has_an_english_full_stop():
    graded = change("Move the handler to `app-windows`")
    assert lines(graded, Language.ZH)[0] == "Move the handler to app-windows."


def test_removal_without_a_version_is_not_planned_for_one():
    old = fact(FactKind.DEPRECATION, Action.ADDED, "--old-tls", when="a future release", detail="")
    english, chinese = (lines(change("Mark it", old), one)[0] for one in Language)
    assert english == "--old-tls is deprecated; removal is planned."
    assert chinese == "--old-tls 已弃用，以后将移除。"


def test_route_that_the_title_gives_in_full_is_not_told_by_its_end():
    route = fact(FactKind.ROUTE, Action.ADDED, "GET /features")
    assert not any("New route" in one for one in lines(change("Add /api/v1/features now", route)))
    assert "New route GET /features." in lines(change("Add a list of features", route))


def test_default_that_code_looks_up_is_not_told():
    given = {"after": 'get_field(PoolConfig, "size")', "detail": "field"}
    told = sections(
        change("Add a pool", fact(FactKind.CONFIG, Action.ADDED, "PoolArgs.size", **given))
    )
    assert "PoolArgs.size" in told
    assert "get_field" not in told


def test_place_from_which_a_module_is_taken_is_no_dependency():
    taken = version("go replace", action=Action.ADDED, before=None, after="./ext")
    assert "relay" not in sections(change("Add an extension", taken))


def test_comment_about_the_lines_above_it_is_not_quoted():
    text = "The path is resolved to its parent above, so that this must be another file."
    told = lines(change("Allow a path", clues=[clue(ClueKind.REMARK, text=text)]))
    assert not any("comment" in one for one in told)


def test_page_of_a_change_says_what_to_do_in_the_words_of_its_row():
    old = fact(FactKind.DEPRECATION, Action.ADDED, "--fast", replacement="--quick", detail="mark")
    entry = entry_of(change("Deprecate it", old), None, Language.EN)
    assert plain(entry.todo) == "Replace --fast with --quick."
    assert [s.text for s in entry.analysis.suggestions] == ["Replace --fast with --quick."]


def test_title_is_not_told_again_that_spells_a_removed_flag_as_a_field():
    gone = fact(FactKind.FLAG, Action.REMOVED, "--override-attention-dtype")
    entry = entry_of(change("[Misc] Remove `override_attention_dtype`", gone), None, Language.EN)
    assert [s.text for s in entry.analysis.summary] == ["--override-attention-dtype was removed."]


def test_what_another_program_has_already_is_new_in_its_file_alone():
    route = fact(FactKind.ROUTE, Action.ADDED, "GET /health", elsewhere="server/app.py")
    live = fact(FactKind.ROUTE, Action.ADDED, "GET /live", 5, elsewhere="server/app.py")
    ready = fact(FactKind.ROUTE, Action.ADDED, "GET /ready", 4)
    graded = change("Serve more", route, live, ready)
    told = f"New route GET /health in {CLI} (server/app.py already has it)."
    assert told in lines(graded)
    assert f"{CLI}新增路由 GET /health（server/app.py 中已有）。" in [
        line.replace(f"{CLI} ", CLI) for line in lines(graded, Language.ZH)
    ]
    kept = [s.text for s in analyse(graded, Language.EN).insights]
    where = f"in {CLI} that other parts of the project already have"
    assert kept == [f"New HTTP routes {where}: GET /health and GET /live."]
    assert lines(graded)[1] == "New route GET /ready."


@pytest.mark.parametrize(
    ("word", "line", "rule", "todo"),
    [
        ("malicious", 3, "security", ""),
        ("integer overflow", 1, "security", ""),
        ("use-after-free", 1, "security", ""),
        ("path traversal", 1, "security", "Upgrade to the first release with this security fix."),
        ("malicious", 3, "says_security", "Upgrade to the first release with this security fix."),
    ],
)
def test_word_for_a_weakness_in_a_message_is_no_security_fix(word, line, rule, todo):
    said = samples.fact(
        FactKind.SECURITY, Action.CHANGED, word, samples.at("", line, Side.MESSAGE), detail="words"
    )
    graded = change("Parse it anew", said)
    reasons = (Reason(rule=rule, weight=2.0),)
    graded = replace(graded, grade=replace(graded.grade, reasons=reasons))
    assert plain(to_do(graded, Language.EN)) == todo


def test_document_about_security_is_no_security_fix():
    title = "docs(security): document the trust model"
    graded = samples.change(1, title, Level.LOW, files=[samples.file("docs/a.md", Area.DOCS)])
    graded = replace(graded, facts=replace(graded.facts, subject=read_subject(title)))
    assert not acts(gist(graded, Language.EN))
    assert "Security" not in lines(graded)[0]


def test_another_name_of_a_service_is_told_and_that_of_a_field_is_not():
    service = fact(
        FactKind.SCHEMA, Action.RENAMED, "Inference", before="Generate", detail="service"
    )
    assert lines(change("Name it", service))[0] == "The protocol's Generate is now Inference."
    field = replace(service, name="Request.full_name", before="Request.name", detail="field")
    assert lines(change("Name it", field)) == ["Name it."]


def test_error_that_opens_with_what_the_title_adds_refuses_nobody():
    text = "Big-Reader: --cache-kind disk is not supported, use memory"
    for title, todo in (("Support Big Reader", ""), ("Check it", "Check if you use --cache-kind.")):
        entry = entry_of(
            change(title, clues=[clue(ClueKind.REFUSED, text=text)]), None, Language.EN
        )
        assert plain(entry.todo) == todo


def test_function_that_the_title_names_is_told_with_the_words_beside_it():
    item = fact(FactKind.SYMBOL, Action.ADDED, "Pool.discard", detail="method")
    helped = clue(
        ClueKind.HELP, name="Pool.discard", text="Discard what is mapped, without a copy."
    )
    graded = change("Add Pool.discard() for a release by tag", item, clues=[helped])
    assert lines(graded) == [
        "New method Pool.discard: Discard what is mapped, without a copy.",
        "Add Pool.discard() for a release by tag.",
    ]
    assert lines(change("Release by tag", item))[0] == "Release by tag."


def test_new_field_of_a_response_is_told_without_words_beside_it_after_the_title():
    place = samples.at("app/api/protocol.py", 4)
    item = samples.fact(FactKind.SYMBOL, Action.ADDED, "UsageInfo.details", place, detail="field")
    graded = change("Count the tokens of reasoning", item, files=[samples.file(place.path)])
    assert lines(graded) == ["Count the tokens of reasoning.", "New field UsageInfo.details."]


def test_flag_of_a_feature_that_the_title_only_names_comes_first_and_a_metric_does_not():
    new = [samples.file(CLI, status=FileStatus.ADDED, added=90)]
    for kind, name, first in [
        (FactKind.FLAG, "--mask", "New flag --mask: Whether the mask of each sample is returned."),
        (FactKind.METRIC, "mask_total", "New: Mask replay."),
    ]:
        text = "Whether the mask of each sample is returned."
        helped = clue(ClueKind.HELP, name=name, text=text)
        graded = change("Mask replay", fact(kind, Action.ADDED, name), files=new, clues=[helped])
        assert lines(graded)[0] == first


def test_class_that_the_title_only_uses_more_is_not_called_new():
    item = fact(FactKind.SYMBOL, Action.ADDED, "PoolError", detail="class")
    helped = clue(ClueKind.HELP, name="PoolError", text="The error of the pool for requests.")
    graded = change("Extend PoolError to all parameters", item, clues=[helped])
    assert lines(graded) == ["Extend PoolError to all parameters."]


@pytest.mark.parametrize(
    ("title", "sides", "said"),
    [
        (
            "Deprecate the first models",
            [(Side.OLD, "_TEXT_MODELS"), (Side.NEW, "_PAST_MODELS")],
            ["OldModel is now among the past models.", "Deprecate the first models."],
        ),
        (
            "Remove the first models",
            [(Side.OLD, "_TEXT_MODELS")],
            ["OldModel is no longer among the text models.", "Remove the first models."],
        ),
        (
            "Support the first models",
            [(Side.NEW, "_TEXT_MODELS")],
            ["Support the first models.", "OldModel is now among the text models."],
        ),
        (
            "Support the first models",
            [(Side.NEW, "models")],
            ["Support the first models.", "OldModel is now among the entries of models."],
        ),
    ],
)
def test_what_a_registry_loses_comes_first_where_the_title_takes_it_away(title, sides, said):
    clues = [clue(ClueKind.REGISTERED, side=s, name="OldModel", text=t) for s, t in sides]
    graded = change(title, clues=clues)
    assert lines(graded) == said
    assert acts(gist(graded, Language.EN)) is (sides[0][0] is Side.OLD)
    if sides[0][0] is Side.OLD:
        assert plain(to_do(graded, Language.EN)) == "Check if you use OldModel."
    assert "OldModel" in "".join(lines(graded, Language.ZH))


def test_words_beside_a_setting_that_point_elsewhere_are_passed_over():
    item = fact(FactKind.ENVIRONMENT, Action.ADDED, "APP_STREAM")
    text = "One card only, and unrelated to the flags above. Streams the state of the cards."
    graded = change("Stream it all", item, clues=[clue(ClueKind.HELP, name=item.name, text=text)])
    assert "New environment variable APP_STREAM: Streams the state of the cards." in lines(graded)


def test_exact_version_is_told_without_its_sign():
    facts = [version("cargo", before="=1.2.0", after="=1.3.0")]
    assert "relay is now 1.3.0 (was 1.2.0)." in lines(change("Update the relay", *facts))
    facts = [version("cargo", before="1.2.0", after="=1.3.0")]
    assert "relay is now =1.3.0 (was 1.2.0)." in lines(change("Update the relay", *facts))


def test_new_code_with_words_of_the_title_is_described_after_everything_that_users_see():
    names = ["Pool.grow_workers", "Pool.shrink_workers", "Pool.workers_of_pool"]
    items = [fact(FactKind.SYMBOL, Action.ADDED, name, detail="method") for name in names]
    texts = [
        "Add workers to the pool.",
        "Take some of them away.",
        "Return the idle ones by their age.",
    ]
    pairs = zip(names, texts, strict=True)
    helped = [clue(ClueKind.HELP, name=name, text=text) for name, text in pairs]
    graded = change("Grow the pool of workers", *items, clues=helped)
    assert lines(graded) == [
        "Grow the pool of workers.",
        "New method Pool.grow_workers: Add workers to the pool.",
        "New method Pool.shrink_workers: Take some of them away.",
    ]


@pytest.mark.parametrize(
    ("title", "name", "line"),
    [
        ("Update Go to `1.26.4`", "golang", "Built with Go 1.26.4 instead of 1.26.3."),
        ("update go to 1.26.4", "GO_VERSION", "Built with Go 1.26.4 instead of 1.26.3."),
        ("Go: Bump to v1.26.4.", "golang", "Built with Go 1.26.4 instead of 1.26.3."),
        ("Update Go to 1.27", "golang", "Update Go to 1.27."),
        ("Update Go to 1.26.4", "relay", "Update Go to 1.26.4."),
    ],
)
def test_raised_version_of_a_language_is_told_with_the_one_before(title, name, line):
    values = {"before": "1.26.3-slim", "after": "1.26.4-slim", "detail": "docker"}
    made = samples.fact(
        FactKind.TOOLCHAIN, Action.CHANGED, name, samples.at("Dockerfile", 1), **values
    )
    files = [samples.file("Dockerfile", Area.BUILD)]
    assert lines(change(title, made, files=files))[0] == line
    lowered = replace(made, before="1.26.9")
    assert not lines(change(title, lowered, files=files))[0].startswith("Built")


def test_only_file_of_a_change_is_named_where_the_summary_does_not():
    graded = change("Copy the blocks in one go", files=[samples.file("src/pool.py")])
    assert "src/pool.py" in analyse(graded, Language.EN).impact[0].text
    item = fact(FactKind.FLAG, Action.REMOVED, "--fast")
    assert analyse(change("Drop a flag", item), Language.EN).impact == ()


def test_renamed_key_of_a_file_that_go_reads_is_told():
    item = samples.fact(
        FactKind.CONFIG, Action.RENAMED, "Executor.pool_cache", samples.at("pkg/engine.go", 3),
        before="pools_cache", detail="field",
    )  # fmt: skip
    files = [samples.file("pkg/engine.go")]
    assert lines(change("Rename the cache", item, files=files))[0] == (
        "pools_cache is now pool_cache."
    )


def test_declarations_of_another_program_deprecate_nothing():
    names = [f"Node.part_{n}" for n in range(60)]
    items = [fact(FactKind.DEPRECATION, Action.ADDED, n, detail="docstring") for n in names]
    assert lines(change("Update the compiler", *items)) == ["Update the compiler."]
    assert "deprecated" in lines(change("Update the compiler", *items[:2]))[0]


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Update module relay to v1.3.0", "relay is now v1.3.0 (was v1.2.0)."),
        ("Bump relay from 1.2.0 to 1.3.0", "relay is now v1.3.0 (was v1.2.0)."),
        ("Bump relay from 1.2.0 to 1.3.0 in /api", "relay is now v1.3.0 (was v1.2.0)."),
        ("Update relay Docker tag to v1.3.0", "relay is now v1.3.0 (was v1.2.0)."),
        ("Update relay to 1.4.0", "Update relay to 1.4.0."),
        ("Update other to 1.3.0", "Update other to 1.3.0."),
        ("Update relay to 1.3.0 [SECURITY]", "Security: Update relay to 1.3.0."),
    ],
)
def test_update_of_a_dependency_is_told_with_the_version_before(title, line):
    assert lines(change(title, version("go", before="v1.2.0", after="v1.3.0")))[0] == line


def test_update_of_a_program_is_told_by_its_constant():
    literal = clue(ClueKind.LITERAL, name="TS_VERSION", before='"5.9.2"', after='"6.0.3"')
    graded = change("Update TypeScript to 6.0.3", clues=[literal])
    assert lines(graded)[0] == "TypeScript is now 6.0.3 (was 5.9.2)."


def test_flag_that_is_rejected_where_it_was_taken_is_told_so():
    text = "--fast is incompatible with more than one relay."
    graded = change("Start the relays in order", clues=[clue(ClueKind.REFUSED, text=text)])
    assert lines(graded)[0] == ("Now rejected: “--fast is incompatible with more than one relay”.")
    assert lines(graded, Language.ZH)[0].startswith("现在会报错：“--fast")


def test_names_that_change_alike_are_told_as_one():
    items = [
        fact(FactKind.METRIC, Action.RENAMED, f"new_tee_{n}_total", before=f"old_tee_{n}_total")
        for n in ("requests", "replies", "faults")
    ]
    graded = change("Use native metrics", *items)
    assert lines(graded)[0] == "old_tee_* is now new_tee_* (3 names)."
    assert plain(to_do(graded, Language.EN)) == "Replace old_tee_* with new_tee_*."
    assert lines(change("Use native metrics", *items[:2]))[0] == (
        "old_tee_requests_total is now new_tee_requests_total."
    )


def test_new_code_without_a_word_of_the_title_is_not_described():
    item = fact(FactKind.SYMBOL, Action.ADDED, "Region.Name", detail="method")
    helped = clue(ClueKind.HELP, name=item.name, text="Returns what the region is called.")
    assert lines(change("Expand the metrics", item, clues=[helped])) == ["Expand the metrics."]


def note(text, mark="breaking"):
    return Note(mark=mark, text=text, evidence=samples.at("CHANGELOG.md", 9))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "`pool track` no longer supports `kind:name` patterns. Use both.",
            "pool track no longer supports kind:name patterns.",
        ),
        (
            "The deprecated `pool.glob` option has been removed (#9).",
            "The deprecated pool.glob option has been removed.",
        ),
        (
            "⚠️ **BREAKING CHANGE:** Pools of old cards are read once more.",
            "Pools of old cards are read once more.",
        ),
        (
            "Change `pool::Pool::take` to wait. This allows the next pattern ([#3586]):",
            "Change pool::Pool::take to wait.",
        ),
        (
            "Pools of old cards are read once more ([#3586])",
            "Pools of old cards are read once more.",
        ),
        (
            "Pools of old cards are read once more.",
            "Pools of old cards are read once more.",
        ),
    ],
)
def test_entry_about_what_breaks_comes_before_the_title(text, line):
    graded = change("Add support for tracking pools", notes=(note(text),))
    reasons = (Reason(rule="note_breaking", weight=3.5),)
    graded = replace(graded, grade=replace(graded.grade, reasons=reasons))
    told = lines(graded)
    assert told[:2] == [line, "Add support for tracking pools."]
    assert lines(change("Add pools", notes=(note(text, "internal"),)))[0] == "Add pools."


def choices(before, after):
    given = {"before": before, "after": after, "detail": "choices"}
    return fact(FactKind.FLAG, Action.CHANGED, "--pool", **given)


def test_further_choice_is_nothing_to_act_on_and_a_lost_one_is():
    more = change("Pools of cards", choices('["a", "b"]', '["a", "b", "c"]'))
    assert lines(more)[-1] == "--pool now also takes c."
    assert lines(more, Language.ZH)[-1] == "--pool 现在还接受 c。"
    assert not acts(gist(more, Language.EN))
    fewer = change("Pools of cards", choices('["a", "b"]', '["a", "c"]'))
    assert lines(fewer)[0] == "--pool no longer takes b."
    assert plain(to_do(fewer, Language.EN)) == "Stop setting --pool to b."
    unknown = change("Pools of cards", choices("KINDS", "POOLS"))
    assert lines(unknown)[0] == "--pool now takes POOLS (was KINDS)."
    assert plain(to_do(unknown, Language.EN)) == "Check the values that you set for --pool."
    came = change("Pools of cards", choices(None, '["a", "b"]'))
    assert not any("now takes" in line for line in lines(came))


def test_variable_is_replaced_by_the_new_flag_and_not_by_the_field_behind_it():
    old = fact(
        FactKind.DEPRECATION, Action.ADDED, "APP_POOL", after="v2.0", replacement="pool_kind"
    )
    flag = fact(FactKind.FLAG, Action.ADDED, "--pool-kind")
    graded = change("Choose the pool", old, flag)
    assert lines(graded)[0].startswith("APP_POOL is deprecated; use --pool-kind;")
    assert plain(to_do(graded, Language.EN)) == "Replace APP_POOL with --pool-kind."


def test_renamed_setting_has_an_owner_before_and_after_or_neither():
    old = fact(FactKind.CONFIG, Action.RENAMED, "Config.size", before="count", public=True)
    assert plain(to_do(change("Sizes", old), Language.EN)) == "Replace count with size."


def test_name_that_moves_to_a_table_of_what_was_supported_is_no_longer_supported():
    tables = (("_POOLS", Side.OLD), ("_CARDS", Side.OLD), ("_PREVIOUSLY_SUPPORTED_POOLS", Side.NEW))
    clues = [clue(ClueKind.REGISTERED, side, name="OldPool", text=text) for text, side in tables]
    graded = change("Remove the old one", clues=clues)
    assert lines(graded)[0] == "OldPool is no longer supported."
    assert plain(to_do(graded, Language.EN)) == "Check if you use OldPool."


@pytest.mark.parametrize(
    ("table", "told"),
    [("_TEXT_POOLS", "text pools"), ("POOLS", "entries of POOLS"), ("a_b", "entries of a_b")],
)
def test_table_that_a_name_enters_is_told_in_words_if_its_name_has_several(table, told):
    graded = change("Go on", clues=[clue(ClueKind.REGISTERED, name="NewPool", text=table)])
    assert f"NewPool is now among the {told}." in lines(graded)


def test_description_of_a_setting_is_not_the_pointer_that_has_more_words_of_its_name():
    flag = fact(FactKind.FLAG, Action.ADDED, "--config.auto-reload", after="false")
    text = "Enable reloading of files. See also --config.auto-reload-interval."
    told = lines(change("Reload it", flag, clues=[clue(ClueKind.HELP, name=flag.name, text=text)]))
    assert any("Enable reloading of files." in one for one in told)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("cli/src/commands/gerrit/upload.rs", "gerrit upload --option"),
        ("pkg/cmd/gist/list/list.go", "gist list --option"),
        ("etcdctl/ctlv3/command/put_command.go", "put --option"),
        ("command/operator_autopilot_get.go", "--option"),
        ("cli/src/commands/mod.rs", "--option"),
        ("cmd/app/main.go", "--option"),
        ("pkg/cmd/shared/flags.go", "--option"),
    ],
)
def test_flag_is_told_with_the_command_that_its_file_is_about(path, name):
    place = samples.at(path, 3)
    flag = samples.fact(FactKind.FLAG, Action.ADDED, "--option", place, after="false")
    told = lines(samples.change(1, "Tell it", Level.HIGH, files=[samples.file(path)], items=[flag]))
    assert told[-1] == f"New flag {name}."  # that a switch is off by default says nothing
    lost = samples.fact(FactKind.FLAG, Action.REMOVED, "--option", samples.at(path, 3, Side.OLD))
    graded = samples.change(1, "Tell it", Level.HIGH, files=[samples.file(path)], items=[lost])
    assert lines(graded)[0] == f"{name} was removed."


def test_list_of_long_names_ends_where_a_small_screen_does():
    names = [f"APP_VARIABLE_WITH_A_NAME_OF_MANY_WORDS_{n}" for n in range(4)]
    gone = [fact(FactKind.ENVIRONMENT, Action.REMOVED, name) for name in names]
    graded = change("Remove them", *gone)
    assert lines(graded)[0] == f"{names[0]}, {names[1]} and 2 more were removed."
    assert plain(to_do(graded, Language.EN)).startswith(
        f"Replace or drop {names[0]}, {names[1]} and 2"
    )


def test_table_of_a_database_is_no_protocol_and_has_no_statement_as_its_description():
    table = fact(FactKind.SCHEMA, Action.ADDED, "cache", detail="table")
    text = "CREATE TABLE IF NOT EXISTS cache (key TEXT PRIMARY KEY)"
    told = lines(change("Store it", table, clues=[clue(ClueKind.HELP, name="cache", text=text)]))
    assert told == ["Store it."]
    told = lines(
        change("Store", table, clues=[clue(ClueKind.HELP, name="cache", text="Answers of models")])
    )
    assert "New database table cache: Answers of models." in told


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        ("0", "None", "The size of a pool."),
        ("-1", "None", ""),
        ('"strict"', '"standard"', "The method. 'standard' draws, 'other' does not."),
    ],
)
def test_old_default_that_is_no_value_any_more_is_not_advised(before, after, text):
    item = fact(
        FactKind.CONFIG, Action.CHANGED, "Pool.size", before=before, after=after, detail="default"
    )
    helps = [clue(ClueKind.HELP, name="Pool.size", text=text)] if text else []
    graded = change("Size of pools", item, clues=helps)
    todo = plain(to_do(graded, Language.EN))
    assert todo == "Check if you rely on the old default of Pool.size."


@pytest.mark.parametrize(
    ("title", "before", "after", "line"),
    [
        ("Update flashcards to 0.6.8", "0.6.7", "0.6.8.post1", "flashcards is now 0.6.8.post1"),
        ("Update Rust crate flashcards-py to v2", "1.4.2", "2.0.0", "flashcards-py is now 2.0.0"),
        ("Update to flashcards-py v2", "1.4.2", "2.0.0", "flashcards-py is now 2.0.0"),
        ("Update flashcards-py to v2", "1.4.2", "20.1.0", "Update flashcards-py to v2."),
    ],
)
def test_update_is_told_with_the_whole_version_and_the_one_before(title, before, after, line):
    item = fact(
        FactKind.DEPENDENCY,
        Action.CHANGED,
        "flashcards-py",
        before=before,
        after=after,
        detail="pip",
    )
    assert lines(change(title, item))[0].startswith(line)


def test_values_of_variables_are_told_without_quotes():
    given = {"before": '"0"', "after": '"1"', "detail": "default"}
    item = fact(FactKind.ENVIRONMENT, Action.CHANGED, "APP_POOL", **given)
    graded = change("Pools of cards", item)
    assert lines(graded)[0] == "APP_POOL now defaults to 1 (was 0)."
    assert plain(to_do(graded, Language.EN)) == "To keep the old default, set APP_POOL to 0."


def test_feature_of_a_crate_is_told_with_the_crate():
    for path, name in (("pool-extra/Cargo.toml", "pool-extra/cards"), ("Cargo.toml", "cards")):
        given = {"before": "on", "after": "off", "detail": "default"}
        off = samples.fact(FactKind.CONFIG, Action.CHANGED, "cards", samples.at(path, 3), **given)
        graded = samples.change(1, "Pools", Level.HIGH, files=[samples.file(path)], items=[off])
        assert lines(graded)[0] == f"{name} now defaults to off (was on)."
        told = f"Check if you rely on the old default of {name}."
        assert plain(to_do(graded, Language.EN)) == told


def test_flag_is_told_with_the_program_where_the_title_calls_the_command():
    path = "pkg/cmd/gist/list/list.go"
    flag = samples.fact(FactKind.FLAG, Action.ADDED, "--all", samples.at(path, 3))
    for title, name in (
        ("Tell more in `gh gist list`", "gh gist list --all"),
        ("tool gist list: tell more", "tool gist list --all"),
        ("Tell more in the gist list", "gist list --all"),
    ):
        graded = samples.change(1, title, Level.HIGH, files=[samples.file(path)], items=[flag])
        assert any(one.startswith(f"New flag {name}") for one in lines(graded))


def test_long_second_sentence_of_a_description_is_left_out_and_so_are_pointers():
    item = fact(FactKind.ENVIRONMENT, Action.ADDED, "APP_STOP")
    text = f"Stop the pool. This is called {'again and ' * 9}again."
    told = lines(change("Stop it", item, clues=[clue(ClueKind.HELP, name=item.name, text=text)]))
    assert "New environment variable APP_STOP: Stop the pool." in told
    text = "Names of pools would get lost before. Part of #17110."
    assert "Part of" not in lines(change("Keep them", paragraphs=[text]))[-1]


def test_mark_of_an_entry_is_not_told():
    for text in ("[BREAKING] Pools are gone for good.", "**Breaking**: Pools are gone for good."):
        assert lines(change("Pools", notes=(note(text),)))[0] == "Pools are gone for good."
    entry = note("`BUGFIX` Pools: Defer what is read in them.", "fixed")
    assert "Pools: Defer what is read in them." in lines(change("Later", notes=(entry,)))


def test_member_of_an_enumeration_that_the_title_names_is_told_by_the_title():
    name = "SecretKind.TRANSACTION"
    member = fact(FactKind.SYMBOL, Action.ADDED, name, detail="field", public=True)
    beside = clue(ClueKind.HELP, name=name, text="The lifetime of a secret of the pool.")
    told = lines(change("Add TRANSACTION to the kinds of secrets", member, clues=[beside]))
    assert told[0] == "Add TRANSACTION to the kinds of secrets."


def test_deprecation_that_only_the_project_itself_can_see_is_not_told():
    given = {"replacement": "SearchWithContext"}
    for path, told in (("internal/hub/search.go", False), ("pkg/hub/search.go", True)):
        place = samples.at(path, 3)
        item = samples.fact(FactKind.DEPRECATION, Action.ADDED, "Search", place, **given)
        graded = samples.change(
            1, "Enable linters", Level.HIGH, files=[samples.file(path)], items=[item]
        )
        assert lines(graded)[0].startswith("Search is deprecated") is told


def test_error_about_a_parameter_of_code_is_not_told():
    for text in ("k must be given when skip_k_cache is False", "n must be a multiple of pool_size"):
        told = lines(change("Cache pools", clues=[clue(ClueKind.REFUSED, text=text)]))
        assert told == ["Cache pools."]


def test_examples_in_a_long_description_are_left_out():
    item = fact(FactKind.ENVIRONMENT, Action.ADDED, "APP_PUSH")
    text = (
        "Whether the pool has work that needs the main loop to go on with its steps until it is "
        "done (e.g. a producer has work while the transfer is in progress)."
    )
    told = lines(change("Push it", item, clues=[clue(ClueKind.HELP, name=item.name, text=text)]))
    assert any(one.endswith("go on with its steps until it is done.") for one in told)


def test_what_breaks_is_told_of_a_change_of_the_build_too():
    files = [samples.file("Makefile", Area.BUILD), samples.file("CHANGELOG.md", Area.DOCS)]
    graded = samples.change(
        1,
        "Build with tool",
        Level.HIGH,
        files=files,
        notes=(note("Images of old cards are gone."),),
    )
    assert lines(graded)[0] == "Images of old cards are gone."
    graded = samples.change(
        1, "Build with tool", Level.HIGH, files=files[1:], notes=(note("Images are gone."),)
    )
    assert lines(graded)[0] == "Documentation only: Build with tool."


def test_list_that_a_long_description_begins_is_left_out_and_brackets_inside_stay():
    item = fact(FactKind.CONFIG, Action.ADDED, "Pool.no_sync")
    for text, told in (
        ("Makes pools write much faster by: 1. Leaving out what is slow.", "write much faster."),
        (f"Extend it with (`PoolKind::Unknown`) This new kind of pools {'a' * 99}", "new kind of"),
    ):
        beside = [clue(ClueKind.HELP, name=item.name, text=text)]
        assert any(told in one for one in lines(change("Do it", item, clues=beside)))
    assert any("Unknown" in one for one in lines(change("Do it", item, clues=beside)))


def test_names_that_went_are_told_where_the_title_only_speaks_of_old_code():
    gone = fact(FactKind.SYMBOL, Action.REMOVED, "OldPool", detail="class", public=True)
    member = fact(FactKind.SYMBOL, Action.REMOVED, "Pool.run", detail="method", public=True)
    told = lines(change("Remove deprecated code", gone, member))
    assert told[:2] == ["OldPool was removed.", "Remove deprecated code."]
    assert lines(change("Remove old cards", gone, member))[0] == "Remove old cards."


def test_option_is_not_told_under_the_name_of_what_replaces_it():
    item = fact(
        FactKind.DEPRECATION, Action.ADDED, "pools", detail="mark", replacement="meta.pools"
    )
    told = lines(change("deprecate pools in favor of meta.pools", item))
    assert told[0] == "pools is deprecated; use meta.pools."


def test_entry_about_the_subject_of_the_title_comes_first():
    other, own = note("The least version of the deck is 2."), note("Pools of old cards are gone.")
    told = lines(change("Remove old cards", notes=(other, own)))
    assert told[:2] == ["Pools of old cards are gone.", "The least version of the deck is 2."]


def test_default_of_a_deprecated_setting_is_not_to_be_kept():
    given = {"before": "false", "after": "true", "detail": "default"}
    item = fact(FactKind.FLAG, Action.CHANGED, "--fast", **given)
    gone = fact(FactKind.DEPRECATION, Action.ADDED, "--fast", detail="notice")
    todo = plain(to_do(change("Read pools", item, gone), Language.EN))
    assert todo == "Check if you rely on the old default of --fast."


def test_small_numbers_can_be_set_again():
    given = {"before": "1e-7", "after": "1e-6", "detail": "default"}
    item = fact(FactKind.CONFIG, Action.CHANGED, "Pool.rate", **given)
    todo = plain(to_do(change("Rates of pools", item), Language.EN))
    assert todo == "To keep the old default, set Pool.rate to 1e-7."


def test_name_of_a_file_with_a_schema_is_no_consequence():
    gone = fact(FactKind.SCHEMA, Action.REMOVED, "app-schema.yaml", detail="json schema")
    new = fact(FactKind.SCHEMA, Action.ADDED, "config.schema.json", detail="json schema")
    graded = change("Describe the pool by a schema", gone, new)
    assert lines(graded) == ["Describe the pool by a schema."]
    assert "app-schema" not in plain(to_do(graded, Language.EN))


@pytest.mark.parametrize(
    ("title", "path", "name", "told"),
    [
        ("[ROCm] Drop it", "src/a.py", "CUDA_CARDS", "ROCm: CUDA_CARDS was removed."),
        ("Drop it", "src/rocm/a.py", "CUDA_CARDS", "ROCm: CUDA_CARDS was removed."),
        ("[ROCm] Drop it", "src/a.py", "APP_ROCM_POOL", "APP_ROCM_POOL was removed."),
        ("[Pools] Drop it", "src/a.py", "APP_POOL", "APP_POOL was removed."),
    ],
)
def test_what_holds_for_one_platform_names_it(title, path, name, told):
    gone = samples.fact(FactKind.FLAG, Action.REMOVED, name, samples.at(path, 3, Side.OLD))
    graded = change(title, gone, files=[samples.file(path)])
    graded = replace(graded, facts=replace(graded.facts, subject=read_subject(title)))
    assert lines(graded)[0] == told
    where = "ROCm：" if told.startswith("ROCm: ") else ""
    assert lines(graded, Language.ZH)[0] == f"{where}移除了 {name}。"


@pytest.mark.parametrize(
    ("title", "line"),
    [
        ("Require Rust 1.80", "Minimum Rust version raised from 1.74 to 1.80."),
        ("Drop Rust 1.74", "Minimum Rust version raised from 1.74 to 1.80."),
        ("Use let chains in the parser", "Use let chains in the parser."),
    ],
)
def test_minimum_of_a_part_is_that_of_the_project_if_the_title_says_so(title, line):
    path = "core/Cargo.toml"
    values = {"before": "1.74", "after": "1.80", "detail": "cargo"}
    item = samples.fact(FactKind.TOOLCHAIN, Action.CHANGED, "rust", samples.at(path, 3), **values)
    graded = change(title, item, files=[samples.file(path, Area.BUILD)])
    for language in Language:
        said = lines(graded, language)
        assert len([one for one in said if "1.80" in one and "1.74" in one]) < 2
    assert lines(graded)[0] == line


def test_requirement_of_a_manifest_is_told_before_the_image_that_is_built():
    image, manifest = (
        samples.fact(FactKind.TOOLCHAIN, Action.CHANGED, "python", samples.at(path, 1), **values)
        for path, values in (
            ("deploy/Dockerfile", {"before": "3.10", "after": "3.12", "detail": "docker"}),
            ("pyproject.toml", {"before": ">=3.10", "after": ">=3.11", "detail": "pip"}),
        )
    )
    told = read(change("Require Python 3.11", image, manifest), Language.EN).contracts
    assert [one.after for one in told] == [">=3.11"]


def test_function_that_a_namespace_loses_makes_a_removal():
    gone = fact(FactKind.SYMBOL, Action.REMOVED, "kite::Close", detail="function", public=True)
    analysis = analyse(change("Let pools close themselves", gone), Language.EN)
    assert ChangeType.REMOVAL in analysis.change_types
    assert "kite::Close" in analysis.risks[0].text


def test_description_of_a_setting_with_more_choices_follows_them():
    more = choices('["a", "b"]', '["a", "b", "c"]')
    helps = clue(ClueKind.HELP, name="--pool", text="The kind of the cards.")
    assert lines(change("Pools of cards", more, clues=[helps])) == [
        "Pools of cards.",
        "--pool now also takes c.",
        "--pool: The kind of the cards.",
    ]


def test_note_about_what_breaks_begins_with_its_first_sentence_and_without_its_mark():
    text = "breaking:** Remove `Pool::close`. Users should close it themselves."
    graded = change("Remove `.close()`", notes=(note(text),))
    assert lines(graded)[0] == "Remove Pool::close. Users should close it themselves."
    entry = note("added:** Pools of cards are read once.", "added")
    told = lines(change("Read pools", notes=(entry,)))
    assert "New: Pools of cards are read once." in told


def test_tag_that_there_is_no_ticket_is_no_subject():
    graded, title = change("Read pools"), read_subject("[NO-TICKET] Read pools of cards")
    graded = replace(graded, facts=replace(graded.facts, subject=title))
    assert lines(graded)[0] == "Read pools of cards."


def test_feature_of_a_crate_has_no_text_of_what_has_its_name():
    path = "pool-extra/Cargo.toml"
    new = samples.fact(
        FactKind.CONFIG, Action.ADDED, "scheme", samples.at(path, 3), detail="feature"
    )
    helped = clue(ClueKind.HELP, name="scheme", text="An extractor of the scheme.")
    graded = change("Read schemes of cards", new, clues=[helped], files=[samples.file(path)])
    assert not any("New setting" in line for line in lines(graded))


def test_deprecated_member_is_told_with_the_object_that_the_title_names():
    old = fact(FactKind.DEPRECATION, Action.ADDED, "config", detail="mark")
    told = lines(change("Deprecate pool.config()", old))
    assert told[0].startswith("pool.config is deprecated")


@pytest.mark.parametrize(
    ("title", "told"),
    [
        ("rc: deprecate --rc-web-gui flag", "--rc-web-gui is deprecated"),
        ("DEP: warnings for kwarg value `rc_web_gui=True`", "rc_web_gui=True is deprecated"),
        ("Deprecate the old console", "rc_web_gui is deprecated"),
    ],
)
def test_deprecated_option_is_told_as_the_title_writes_it(title: str, told: str):
    old = fact(FactKind.DEPRECATION, Action.ADDED, "rc_web_gui", detail="mark")
    assert lines(change(title, old))[0].startswith(told)


def test_warnings_about_something_deprecated_are_no_new_thing():
    old = fact(FactKind.DEPRECATION, Action.ADDED, "spool", detail="mark")
    new = samples.fact(FactKind.SYMBOL, Action.ADDED, "warn_of", samples.at("src/a.py", 1))
    more = samples.file("src/a.py", Area.CORE, added=300, deleted=0)
    graded = change("io: deprecation warnings for spool", old, new, files=[more])
    assert not any("New" in line for line in lines(graded))


def test_release_that_is_merged_says_its_fix_where_the_entry_has_links():
    text = (
        "Fix [CVE-2026-4](https://example.com/CVE-2026-4) of pools ([#7](https://example.com/7))."
    )
    fix = Note(mark="security", text=text, evidence=samples.at("CHANGELOG.md", 3))
    graded = change("Merge branch 'main' into next", notes=(fix,), merge=True)
    assert lines(graded)[0].startswith("Security: Fix CVE-2026-4 of pools")
    reasons = (Reason(rule="note_security", weight=2.0),)
    silent = replace(graded, grade=replace(graded.grade, reasons=reasons))
    assert to_do(silent, Language.EN)
    silent = replace(silent, facts=replace(silent.facts, notes=()))
    assert not to_do(silent, Language.EN)


def test_toolchain_of_a_go_module_is_no_minimum():
    at = samples.at("operator/go.mod", 5)
    given = {"before": "1.23.6", "after": "1.24.4"}
    built = samples.fact(
        FactKind.TOOLCHAIN, Action.CHANGED, "go", at, detail="go toolchain", **given
    )
    graded = change("Update to Go 1.24.4", built)
    assert not any("Minimum" in line for line in lines(graded))


def test_old_default_that_its_type_no_longer_has_is_not_advised():
    given = {"before": "'all'", "after": "'new'", "detail": "default"}
    default = fact(FactKind.CONFIG, Action.CHANGED, "defaults.target", public=True, **given)
    kept = change("Targets", default)
    told = "To keep the old default, set defaults.target to all, if that is still accepted."
    assert plain(to_do(kept, Language.EN)).replace("'", "") == told
    given = {"before": "'all' | Own", "after": "'new' | Own", "detail": "type"}
    typed = fact(FactKind.CONFIG, Action.CHANGED, "Options.target", **given)
    told = "Check if you rely on the old default of defaults.target."
    assert plain(to_do(change("Targets", default, typed), Language.EN)) == told
