"""What code can count in a change, by the noun that a sentence counts. Imports ``ground``, facts.

A number beside one of these nouns is right where it is one of the noun's counts. Other nouns
("64 experts") are not counted here; their numbers have to stand in the change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache

from digest.evidence.ground import Ground
from digest.facts.model import Action, FactKind

_FILES = "files"
_LINES = "lines"
_TESTS = "tests"

_NOUNS: dict[str, str] = {
    _FILES: r"files?|modules?|个?文件|个?模块",
    _LINES: r"lines?|loc|行",
    _TESTS: r"tests?(?: cases?| functions?)?|(?:个|项)?(?:单元|新)?测试(?:用例)?|个?用例",
    FactKind.FLAG: r"(?:command-line |cli )?"
    r"(?:flags?|options?|switch(?:es)?|arguments?|param(?:eter)?s?)|个?(?:命令行)?(?:参数|选项|开关)",
    FactKind.ENVIRONMENT: r"(?:environment |env )?var(?:iable)?s?|个?环境变量",
    FactKind.CONFIG: r"(?:config(?:uration)? )?(?:fields?|settings?|keys?)|个?(?:配置项|字段|配置)",
    FactKind.METRIC: r"metrics?|个?指标",
    FactKind.ROUTE: r"(?:http )?(?:routes?|endpoints?)|个?(?:路由|接口|端点)",
    FactKind.DEPENDENCY: r"(?:dependenc(?:y|ies)|packages?|librar(?:y|ies))|个?(?:依赖项?|包)",
    FactKind.SYMBOL: r"(?:public )?(?:functions?|methods?|class(?:es)?|symbols?|mixins?)"
    r"|个?(?:公开)?(?:函数|方法|类|符号)",
}
_FILLER = (
    r"(?:(?:new|added|removed|changed|modified|deleted|renamed|different|other|more|further"
    r"|public|core|source|python|test|related|of|the|新增的?|新|修改的?)\s*){0,3}"
)
_BEHIND = {
    noun: re.compile(rf"\s*{_FILLER}(?:{words})(?![a-z])", re.IGNORECASE)
    for noun, words in _NOUNS.items()
}
_TEST = re.compile(
    r"^\s*(?:async )?(?:def test_|func Test|it\(|test\(|fn test_|#\[(?:tokio::)?test\]|@Test\b)",
    re.MULTILINE,
)


def noun_behind(text: str) -> str:
    """The noun that a sentence counts, where one stands at the start of ``text``; else empty."""
    return next((noun for noun, rule in _BEHIND.items() if rule.match(text)), "")


def counts(noun: str, ground: Ground) -> frozenset[int]:
    """The numbers that are right beside a noun."""
    return _COUNTERS.get(noun, _of_facts)(noun, ground)


def _files(_: str, ground: Ground) -> frozenset[int]:
    files = ground.facts.files
    groups: dict[str, int] = {}
    for file in files:
        for key in (file.area, file.status, f".{file.language}", f"{file.area} {file.status}"):
            groups[key] = groups.get(key, 0) + 1
    return frozenset((len(files), *groups.values()))


def _lines(_: str, ground: Ground) -> frozenset[int]:
    files = ground.facts.files
    found: set[int] = set()
    areas = {file.area for file in files}
    for group in (files, *([f for f in files if f.area is area] for area in areas)):
        found |= _sums((f.added, f.deleted) for f in group)
    for file in files:
        found |= _sums([(file.added, file.deleted)])
    for stretch in ground.stretches:
        found |= {len(stretch.hunk.added), len(stretch.hunk.removed)}
    return frozenset(found)


def _sums(pairs: Iterable[tuple[int, int]]) -> set[int]:
    added = deleted = 0
    for more, less in pairs:
        added, deleted = added + more, deleted + less
    return {added, deleted, added + deleted}


def _tests(_: str, ground: Ground) -> frozenset[int]:
    added = len(_TEST.findall(ground.added))
    removed = len(_TEST.findall(ground.removed))
    return frozenset((added, removed, abs(added - removed)))


def _of_facts(noun: str, ground: Ground) -> frozenset[int]:
    found: set[int] = set()
    items = ground.facts.of(FactKind(noun))
    for action in Action:
        mine = [item for item in items if item.action is action]
        found.add(len({item.name for item in mine}))
        for detail in {item.detail for item in mine}:
            found.add(len({item.name for item in mine if item.detail == detail}))
    found.add(len({item.name for item in items}))
    return frozenset(found - {0})


_COUNTERS: dict[str, Callable[[str, Ground], frozenset[int]]] = {
    _FILES: _files,
    _LINES: _lines,
    _TESTS: _tests,
}

_SPELLED = {
    word: number
    for number, words in enumerate(
        ("", "one", "two 两 二", "three 三", "four 四", "five 五", "six 六", "seven 七", "eight 八",
         "nine 九", "ten 十")
    )
    for word in words.split()
}  # fmt: skip
_SPELLED_FILES = re.compile(
    rf"(?<![\w-])({'|'.join(w for w in _SPELLED if w.isascii())})\s+{_FILLER}files?(?![\w-])"
    rf"|([{''.join(w for w in _SPELLED if not w.isascii())}])个(?:{_FILLER})文件",
    re.IGNORECASE,
)


@lru_cache(maxsize=256)
def spelled_files(text: str) -> tuple[int, ...]:
    """The numbers of files that a sentence gives in words: "two files"."""
    found = (match[1] or match[2] for match in _SPELLED_FILES.finditer(text))
    return tuple(_SPELLED[word.lower()] for word in found)
