"""Words in two languages: every phrase has both, with the same slots."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest

from digest.core.enums import Language
from digest.core.facts import Area, FactKind
from digest.core.grade import Level, Reason
from digest.core.statement import Aspect, ChangeType
from digest.document import Code, Text, plain
from digest.grading.importance import weights
from digest.i18n import labels, report_text, statement_text
from digest.i18n.phrase import Phrase, join, list_in_words
from digest.i18n.report_text import reason_words

SLOT = re.compile(r"\{(\w+)")


def phrases():
    for module in (labels, report_text, report_text, statement_text):
        for name, value in vars(module).items():
            if isinstance(value, Phrase):
                yield f"{module.__name__}.{name}", value
            elif isinstance(value, dict) and not name.startswith("__"):
                for key, item in value.items():
                    if isinstance(item, Phrase):
                        yield f"{module.__name__}.{name}[{key}]", item


@pytest.mark.parametrize(
    ("name", "phrase"), list(phrases()), ids=lambda v: v if isinstance(v, str) else ""
)
def test_both_languages_have_the_same_slots(name, phrase):
    assert phrase.en
    assert phrase.zh
    assert set(SLOT.findall(phrase.en)) == set(SLOT.findall(phrase.zh))


def test_every_kind_has_a_name():
    assert set(labels.LEVELS) == set(labels.LEVEL_MARKS) == set(labels.LEVEL_TITLES) == set(Level)
    assert set(labels.CHANGE_TYPES) == set(ChangeType)
    assert set(labels.AREAS) == set(Area)
    assert set(labels.KINDS) == set(labels.KINDS_MANY) == set(FactKind)
    assert set(labels.ASPECTS) == set(Aspect) - {Aspect.NONE}


@pytest.mark.parametrize("language", Language)
def test_every_weighted_rule_has_words(language):
    for rule in weights().weights:
        assert rule in report_text.REASONS
        words = reason_words(Reason(rule=rule, weight=1.0, subject="x"), language)
        assert words == words.strip()
        assert "{" not in words


def test_a_rule_without_words_is_told_by_its_name():
    assert reason_words(Reason(rule="new_rule", weight=1.0), Language.EN) == "new rule"
    reason = Reason(rule="new_rule", weight=1.0, subject="a\nb")
    assert reason_words(reason, Language.ZH) == "new rule：a b"


def test_a_reason_without_its_subject_leaves_no_empty_brackets():
    assert reason_words(Reason(rule="title_fix", weight=1.0), Language.EN) == "bug fix"
    assert reason_words(Reason(rule="title_fix", weight=1.0), Language.ZH) == "修复"


def test_counts_take_the_form_that_fits():
    phrase = Phrase("{n:file|files}", "{n} 个文件")
    assert [phrase.text(Language.EN, n=n) for n in (0, 1, 2, 1200)] == [
        "0 files", "1 file", "2 files", "1,200 files",
    ]  # fmt: skip
    assert phrase.text(Language.ZH, n=1) == "1 个文件"


def test_lists_count_what_they_leave_out():
    parts = [Code(c) for c in "abcde"]
    assert plain(list_in_words(parts, Language.EN, limit=9)) == "a, b, c, d and e"
    assert plain(list_in_words(parts, Language.EN, limit=2)) == "a, b and 3 more"
    assert plain(list_in_words(parts[:2], Language.EN, limit=2, total=7)) == "a, b and 5 more"
    assert plain(list_in_words(parts, Language.ZH, limit=2)) == "a、b 等 5 项"
    assert plain(list_in_words(parts[:2], Language.ZH, limit=2)) == "a 和 b"
    assert list_in_words([], Language.EN, limit=3) == ()


def test_chinese_sets_spaces_around_code():
    assert plain(Phrase("", "移除{names}的值")(Language.ZH, names=Code("x"))) == "移除 x 的值"


def test_joined_merges_neighbouring_words_and_drops_empty_ones():
    assert join(["a", "", Text("b"), Code(""), (Text("c"),), 1]) == (Text("abc1"),)


def test_a_counted_reason_takes_the_form_that_fits():
    words = [
        reason_words(Reason(rule="core_files", weight=1.0, subject=n), Language.EN)
        for n in ("1", "1040", "")
    ]
    assert words == ["1 code file", "1,040 code files", ""]


def unique(pairs):
    assert len({key for key, _ in pairs}) == len(pairs)
    return dict(pairs)


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("digest.i18n", "labels.json"),
        ("digest.i18n", "reasons.json"),
        ("bot.web.pages", "phrases.json"),
    ],
)
def test_each_key_of_a_file_of_phrases_is_there_once_with_both_languages(package, name):
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    tables = json.loads(text, object_pairs_hook=unique)
    for table in tables.values() if name == "labels.json" else [tables]:
        assert all(en and zh for en, zh in table.values())
