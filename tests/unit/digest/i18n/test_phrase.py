"""Words in two languages: every phrase has both, with the same slots."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

import pytest

from digest.core.enums import Language
from digest.core.facts import Area, FactKind
from digest.core.grade import Level, Reason
from digest.core.statement import Aspect, ChangeType
from digest.document import Code, Text, plain
from digest.grading.importance import weights
from digest.i18n import answer_text, chat_text, statement_text
from digest.i18n.answer_text import reason_words
from digest.i18n.phrase import Phrase, join, list_in_words, phrase_in

SLOT = re.compile(r"\{(\w+)")


ROOT = Path(__file__).parents[4]
CATALOGUES = ("answer_text", "chat_text", "statement_text")


def read_catalogue(name):
    text = files("digest.i18n").joinpath(f"{name}.json").read_text(encoding="utf-8")
    return json.loads(text, object_pairs_hook=unique)


def unique(pairs):
    assert len({key for key, _ in pairs}) == len(pairs)
    return dict(pairs)


def pairs(catalogue):
    for name, value in read_catalogue(catalogue).items():
        for key, pair in value.items() if isinstance(value, dict) else [("", value)]:
            yield f"{name} {key}".strip(), pair


@pytest.mark.parametrize("catalogue", CATALOGUES)
def test_both_languages_have_the_same_slots(catalogue):
    for name, (english, chinese) in pairs(catalogue):
        assert english, name
        assert chinese, name
        assert set(SLOT.findall(english)) == set(SLOT.findall(chinese)), name


@cache
def used_names():
    """The names that the code takes from each catalogue's module or tables."""
    used = {catalogue: set() for catalogue in CATALOGUES}
    for ring in ("bot", "handlers", "digest", "tests"):
        for path in (ROOT / ring).rglob("*.py"):
            text = path.read_text(encoding="utf-8")
            if "digest.i18n" not in text:
                continue
            modules: dict[str, str] = {}
            nodes = [*ast.walk(ast.parse(text))]
            for node in nodes:
                if isinstance(node, ast.ImportFrom) and node.module == "digest.i18n":
                    modules |= {alias.asname or alias.name: alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module:
                    catalogue = node.module.removeprefix("digest.i18n.")
                    used.get(catalogue, set()).update(alias.name for alias in node.names)
            for node in nodes:
                if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                    used.get(modules.get(node.value.id), set()).add(node.attr)
    return used


@pytest.mark.parametrize("module", [answer_text, chat_text, statement_text])
def test_every_name_taken_from_a_catalogue_is_there(module):
    name = module.__name__.rpartition(".")[2]
    capitals = filter(str.isupper, used_names()[name])
    assert [used for used in capitals if not hasattr(module, used)] == []


@pytest.mark.parametrize("module", [answer_text, chat_text, statement_text])
def test_every_text_of_a_catalogue_is_used(module):
    name = module.__name__.rpartition(".")[2]
    own = Path(module.__file__).read_text(encoding="utf-8")
    unused = {
        key
        for key, value in read_catalogue(name).items()
        if isinstance(value, list) and key not in used_names()[name] and f'"{key}"' not in own
    }
    assert {key for key in unused if not key.startswith(("ALERTS_", "EFFECTS_"))} == set()


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="no phrase NOTHING_LIKE_THIS"):
        phrase_in("answer_text", "NOTHING_LIKE_THIS")
    with pytest.raises(ImportError):
        exec("from digest.i18n.answer_text import NOTHING_LIKE_THIS")


def test_every_kind_has_a_name():
    assert (
        set(statement_text.LEVELS)
        == set(statement_text.LEVEL_MARKS)
        == set(statement_text.LEVEL_TITLES)
        == set(Level)
    )
    assert set(statement_text.CHANGE_TYPES) == set(ChangeType)
    assert set(statement_text.AREAS) == set(Area)
    assert set(statement_text.KINDS) == set(statement_text.KINDS_MANY) == set(FactKind)
    assert set(statement_text.ASPECTS) == set(Aspect) - {Aspect.NONE}


@pytest.mark.parametrize("language", Language)
def test_every_weighted_rule_has_words(language):
    for rule in weights().weights:
        assert rule in answer_text.REASONS
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


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("digest.i18n", "reasons.json"),
        ("bot.web.pages", "phrases.json"),
    ],
)
def test_each_key_of_a_file_of_phrases_is_there_once_with_both_languages(package, name):
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    tables = json.loads(text, object_pairs_hook=unique)
    assert all(en and zh for en, zh in tables.values())
