"""Renames that one file or one declaration does not show."""

from __future__ import annotations

import pytest

from digest.core.facts import Action, Fact, FactKind
from digest.facts.renames import is_opposite
from tests.unit.digest.facts.changes import facts_of

OLD_FIELD = """package config

type OTLPConfig struct {
\tServiceNameInTargetInfo bool `yaml:"service_name_in_target_info,omitempty"`
}
"""
NEW_FIELD = OLD_FIELD.replace("ServiceNameInTargetInfo", "KeepIdentifying").replace(
    "service_name_in_target_info", "keep_identifying"
)


def told(message: str, *files: tuple[str, str | None, str | None]) -> list[Fact]:
    return [f for f in facts_of(message, *files).items if f.action is not Action.CHANGED]


def test_unlike_fields_are_renamed_where_the_title_says_so() -> None:
    file = ("config/config.go", OLD_FIELD, NEW_FIELD)
    (renamed,) = told("Rename to keep_identifying", file)
    assert renamed.action is Action.RENAMED
    assert (renamed.before, renamed.after) == (
        "OTLPConfig.service_name_in_target_info",
        "OTLPConfig.keep_identifying",
    )
    assert {f.action for f in told("Mend OTLP", file)} == {Action.ADDED, Action.REMOVED}


def test_a_field_that_moves_into_a_section_is_renamed_where_the_message_says_so() -> None:
    old = "export interface UserConfig {\n  force?: boolean\n  base?: string\n}\n"
    new = "export interface UserConfig {\n  base?: string\n}\n"
    section = "export interface DepOptions {\n  entries?: string\n}\n"
    facts = told(
        "refactor: rename `force` to `optimizeDeps.force`",
        ("src/config.ts", old, new),
        ("src/deps.ts", section, section.replace("}", "  force?: boolean\n}")),
    )
    assert [(f.action, f.before, f.after) for f in facts] == [
        (Action.RENAMED, "UserConfig.force", "DepOptions.force")
    ]


def test_a_variable_whose_text_names_an_older_one_of_the_file_is_renamed() -> None:
    old = 'pub struct EnvVars;\nimpl EnvVars {\n    pub const A: &\'static str = "UV_WORKING_DIRECTORY";\n}\n'
    new = old.replace(
        "    pub const A",
        "    /// `UV_WORKING_DIRECTORY` is also supported for backwards compatibility.\n"
        '    pub const B: &\'static str = "UV_WORKING_DIR";\n\n    pub const A',
    )
    (fact,) = told("Add UV_WORKING_DIR", ("crates/static/src/env_vars.rs", old, new))
    assert (fact.kind, fact.action, fact.before) == (
        FactKind.ENVIRONMENT,
        Action.RENAMED,
        "UV_WORKING_DIRECTORY",
    )


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("--enable-feature=new-ui", "--enable-feature=old-ui", True),
        ("UseNewUI", "UseOldUI", True),
        ("--allow-list", "--deny-list", True),
        ("max_len", "max_length", False),
    ],
)
def test_words_of_opposite_meaning_are_no_rename(one: str, other: str, *, expected: bool) -> None:
    assert is_opposite(one, other) is expected
