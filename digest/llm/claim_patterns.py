"""Finds claims about before and after in a sentence's skeleton.

English and Chinese have patterns of their own. They match eagerly: a false match costs at worst a
true sentence, while a missed claim lets a false one through.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from digest.frozen import frozen
from digest.llm.tokens import ATOM, Atom, Sort, Wording


@frozen(kw_only=False)
class Shift:
    """``old`` became ``new``."""

    old: Atom
    new: Atom


_A = f"({ATOM})"

# What may be between a keyword and its value: "from a default of X", "from the old X".
_GAP = r"\s*(?:[a-zA-Z-]+\s+){0,4}"
_UNIT = r"(?:\s?(?:%|[a-zA-Zµ/]{1,7}\b|倍|个|字节|秒|毫秒|分钟))?"
_ZH = r"\s*(?:[\u4e00-\u9fff]{1,6}\s*)?"
_IS = r"(?:is|was|are|were|has been|have been|gets)\s+(?:now\s+)?"
_BECOMES = (
    "改为|改成|变为|变成|调整[为到至]|提升[到至]|提高[到至]|增加到|增至|增大到|上调[到至]|降低[到至]|降[到至]"
    "|下调[到至]|减少到|减至|缩短[到至]|升级[到至]|更新[为到至]|迁移[到至]|切换[到为]|重命名为|改名为|移动到|移至"
    "|替换为|扩展到|扩大到"
)
_RENAMED_TO = "重命名为|改名为|更名为|替换为|替换成|换成|换为"


def _rules(*patterns: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)


# "From 1 to 512" is a range unless something in the sentence changes.
_CHANGING = re.compile(
    r"rais|increas|lower|reduc|decreas|chang|bump|upgrad|downgrad|updat|mov|switch|renam|replac"
    r"|migrat|convert|\bgoes\b|\bgrow|shrink|default|\bwas\b|becom|\bset\b|turn|shift|adjust|relax"
    r"|tighten|\bdrop|shorten|\bwiden|\bcut\b|\bpin|doubl|halv|port|[改变升降增减移迁调换]",
    re.IGNORECASE,
)
_FROM_TO = _rules(
    rf"\bfrom{_GAP}{_A}{_UNIT}{_GAP}(?:to|into){_GAP}{_A}",
    rf"(?:从|由|自){_ZH}{_A}{_UNIT}{_ZH}[到至]{_ZH}{_A}",
)
_OLD_NEW = _rules(
    rf"\brenam\w+{_GAP}{_A}{_GAP}\b(?:to|as|into){_GAP}{_A}",
    rf"{_A}\s+(?:{_IS})?renamed{_GAP}(?:to|as){_GAP}{_A}",
    rf"\breplac\w+{_GAP}{_A}{_GAP}\b(?:with|by){_GAP}{_A}",
    rf"{_A}\s+{_IS}replaced{_GAP}(?:with|by){_GAP}{_A}",
    rf"{_A}{_UNIT}\s*(?:→|->|=>|-->|⇒)\s*{_A}",
    rf"(?:从|由|自){_ZH}{_A}{_UNIT}{_ZH}(?:{_BECOMES}){_ZH}{_A}",
    rf"(?:将|把){_ZH}{_A}{_ZH}(?:{_RENAMED_TO}){_ZH}{_A}",
    rf"{_A}\s*(?:被|已被)?(?:{_RENAMED_TO}){_ZH}{_A}",
    rf"{_A}\s*(?:已)?被{_ZH}{_A}\s*(?:替换|取代|代替)",
)
_NEW_OLD = _rules(
    rf"{_A}{_UNIT}{_GAP}\b(?:instead of|in place of|in lieu of){_GAP}{_A}",
    rf"{_A}{_UNIT}\s*[(,]\s*(?:was|previously|formerly|before){_GAP}{_A}",
    rf"(?:改用|使用|用){_ZH}{_A}{_ZH}(?:替换|取代|代替|替代){_ZH}{_A}",
    rf"{_A}{_ZH}，?\s*而(?:非|不是){_ZH}{_A}",
)
_MOVES = _rules(
    rf"\b(?:moves?|moved|moving|relocat\w+){_GAP}{_A}{_GAP}\b(?:to|into|under){_GAP}{_A}",
    rf"(?:将|把){_ZH}{_A}{_ZH}(?:移动到|移到|移至|迁移到|迁移至|迁至|搬到){_ZH}{_A}",
)

# A name with its value: "X defaults to 8", "X is now `auto`", "X with a limit of 8".
_LINKS = (
    "is|are|was|now|set|sets|defaults?|to|at|of|with|a|an|the|default|value|limit|size|equals?"
    "|uses|stays|remains|becomes|works|takes|capped|limited|by"
)
_BONDS = _rules(
    rf"{_A}(?:\s*[=:]\s*|(?:\s+(?:{_LINKS})){{1,7}}\s+){_A}",
    rf"{_A}\s*(?:的)?(?:默认值|默认|值|上限|大小|阈值|数值)?\s*"
    rf"(?:使用的(?:数值|值)是|设置?为|默认为|为|是|等于|取){_ZH}{_A}",
)
_LITERAL = re.compile(r"-?[\d.]+\w*|True|False|None|true|false|null|nil|[\"'].*[\"']")
_KINDS = r"""(?:(?:
    the|a|an|new|old|its|two|three|four|optional|required|public|private|unused|legacy|deprecated
    |following|and|or|command-line|cli|flags?|options?|arguments?|parameters?|functions?|methods?
    |class|classes|fields?|helpers?|environment|variables?|env|config|settings?|constants?|property
    |attributes?|metrics?|module|imports?|symbols?)\s+){0,6}"""
_ZH_KINDS = r"""\s*(?:
    了|一个|新的?|的|可选|必需|公开|命令行|环境变量|参数|选项|开关|配置项|字段|函数|方法|类|常量|属性|指标|模块
    |未使用的?|废弃的?|旧的?|\s){0,5}\s*"""
_MORE = rf"(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|、\s*|\s*和\s*|\s*及\s*|\s*以及\s*){ATOM})*"


def _sides(verbs: str, behind: str, chinese: str, chinese_behind: str) -> re.Pattern[str]:
    return re.compile(
        rf"""\b(?:{verbs})\s+{_KINDS}(?P<a>{ATOM}{_MORE})
        |(?P<b>{ATOM})\s+(?:is|are|was|were|has\ been|have\ been)\s+(?:now\s+)?(?:{behind})\b
        |(?:{chinese}){_ZH_KINDS}(?P<c>{ATOM}{_MORE})
        |(?P<d>{ATOM})\s*(?:已|已经)?被?(?:{chinese_behind})(?!的)""",
        re.IGNORECASE | re.VERBOSE,
    )


ADDED = _sides(
    "adds?|added|adding|introduc(?:es?|ed|ing)|creates?|created",
    "added|introduced",
    "新增|添加|引入|加入|新建",
    "已新增|已添加",
)
REMOVED = _sides(
    "removes?|removed|removing|deletes?|deleted|drops?|dropped",
    "removed|deleted|dropped",
    "移除|删除|去除|删去|去掉|剔除",
    "移除|删除",
)


def moves(wording: Wording) -> Iterator[Shift]:
    """The claimed moves: ``old`` to the place ``new``."""
    for rule in _MOVES:
        for match in rule.finditer(wording.skeleton):
            yield Shift(wording.atom(match[1]), wording.atom(match[2]))


@frozen(kw_only=False)
class Bond:
    """``name`` is said to have ``value``."""

    name: Atom
    value: Atom


def bonds(wording: Wording) -> Iterator[Bond]:
    """The names that the sentence gives a value."""
    for rule in _BONDS:
        for match in rule.finditer(wording.skeleton):
            name, value = wording.atom(match[1]), wording.atom(match[2])
            literal = value.sort is Sort.CODE and _LITERAL.fullmatch(value.text) is not None
            named = name.sort in {Sort.CODE, Sort.NAME} and not _LITERAL.fullmatch(name.text)
            if named and (value.sort is Sort.NUMBER or literal):
                yield Bond(name, value)


def shifts(wording: Wording) -> Iterator[Shift]:
    """The claimed changes from one value or name to another."""
    skeleton = wording.skeleton
    rules = [*_OLD_NEW, *(_FROM_TO if _CHANGING.search(skeleton) else ())]
    for rule in rules:
        for match in rule.finditer(skeleton):
            yield Shift(wording.atom(match[1]), wording.atom(match[2]))
    for rule in _NEW_OLD:
        for match in rule.finditer(skeleton):
            yield Shift(wording.atom(match[2]), wording.atom(match[1]))


def names_claimed(wording: Wording, rule: re.Pattern[str]) -> list[Atom]:
    """The names of what the sentence says is added or removed, by the rule."""
    marks = "".join(
        group for match in rule.finditer(wording.skeleton) for group in match.groups() if group
    )
    names = [wording.atom(mark) for mark in re.findall(ATOM, marks)]
    return [atom for atom in names if atom.sort in {Sort.CODE, Sort.NAME}]
