"""Errors in both languages: a Chinese template for every kind that has one."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from digest import errors
from digest.core.enums import Language
from digest.i18n.chat_text import complaint, errors_in_chinese

RAISED = {
    "InvalidDate": errors.InvalidDate("soon"),
    "InvalidReference": errors.InvalidReference("{x}"),
    "UnknownChange": errors.UnknownChange("#1", "a/b"),
    "FutureWindow": errors.FutureWindow("2030-01-01", "2026-01-01"),
    "InvalidWindow": errors.InvalidWindow("--until needs --since"),
    "UnknownZone": errors.UnknownZone("Berlin"),
    "UnknownBranch": errors.UnknownBranch("main"),
    "RangeTooLarge": errors.RangeTooLarge(12_345, 5_000),
    "NothingNewer": errors.NothingNewer("v1.0"),
    "NoRelease": errors.NoRelease("a/b"),
    "NotOnForge": errors.NotOnForge("github.com", "#1"),
    "ForgeLimited": errors.ForgeLimited("github.com", datetime(2026, 1, 2, 3, 4, tzinfo=UTC)),
    "ForgeDown": errors.ForgeDown("github.com", "status 500"),
    "ForgeUnauthorized": errors.ForgeUnauthorized("github.com", "no"),
    "NothingBefore": errors.NothingBefore(),
    "SourceUnavailable": errors.SourceUnavailable("git failed"),
    "UserError": errors.UserError("something else"),
}


@pytest.mark.parametrize("kind", errors_in_chinese())
def test_a_chinese_template_takes_the_attributes_of_its_error(kind):
    told = complaint(RAISED[kind], Language.ZH)
    assert told.endswith(("。", "123", "failed", "else"))
    assert complaint(RAISED[kind], Language.EN) == str(RAISED[kind])


def test_numbers_and_times_are_written_out():
    assert "12,345" in complaint(RAISED["RangeTooLarge"], Language.ZH)
    assert "2026-01-02 03:04 UTC" in complaint(RAISED["ForgeLimited"], Language.ZH)
    assert complaint(RAISED["InvalidReference"], Language.ZH).startswith("“{x}”")


def test_an_error_without_a_template_takes_that_of_its_base():
    assert complaint(errors.UnwritableFolder("/x", "full"), Language.ZH).startswith("无法完成：")


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (errors.AmbiguousReference("ab", ["abc1", "abd2"]), "abc1、abd2"),
        (errors.AmbiguousRepository(["a/b", "c/d"]), "a/b、c/d，"),
        (errors.NothingBefore(["Fix x"]), "1. Fix x"),
        (errors.EmptyRange("v1", "v2", reversed_=True), "请写 v2..v1"),
    ],
)
def test_candidates_are_listed_in_chinese(error, words):
    assert words in complaint(error, Language.ZH)
