"""Checks whether the numbers in a sentence are numbers of the change.

A number must occur in the change, with its unit if it has one, or be a count that code can make. It
is compared as written: 0.9 is not 0.90, though 30 is 30.0 and 4,096 is 4096; ``2.9`` matches
``2.9.1``. Beside a noun that code can count, a number is right if it is one of the noun's counts;
numbers of other nouns ("64 experts") must occur in the change.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache

from digest.core.facts import Action, FactKind
from digest.llm.change_index import ChangeIndex
from digest.llm.format_check import Failed, Rejection
from digest.llm.tokens import ATOM, Sort, Wording

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
    """The counted noun at the start of ``text``, or empty."""
    return next((noun for noun, rule in _BEHIND.items() if rule.match(text)), "")


def counts(noun: str, ground: ChangeIndex) -> frozenset[int]:
    """The numbers that are right beside a noun."""
    return _COUNTERS.get(noun, _of_facts)(noun, ground)


def _files(_: str, ground: ChangeIndex) -> frozenset[int]:
    files = ground.facts.files
    groups: dict[str, int] = {}
    for file in files:
        for key in (file.area, file.status, f".{file.language}", f"{file.area} {file.status}"):
            groups[key] = groups.get(key, 0) + 1
    return frozenset((len(files), *groups.values()))


def _lines(_: str, ground: ChangeIndex) -> frozenset[int]:
    files = ground.facts.files
    numbers: set[int] = set()
    areas = {file.area for file in files}
    for group in (files, *([f for f in files if f.area is area] for area in areas)):
        numbers |= _sums((f.added, f.deleted) for f in group)
    for file in files:
        numbers |= _sums([(file.added, file.deleted)])
    for stretch in ground.stretches:
        numbers |= {len(stretch.hunk.added), len(stretch.hunk.removed)}
    return frozenset(numbers)


def _sums(pairs: Iterable[tuple[int, int]]) -> set[int]:
    added = deleted = 0
    for more, less in pairs:
        added, deleted = added + more, deleted + less
    return {added, deleted, added + deleted}


def _tests(_: str, ground: ChangeIndex) -> frozenset[int]:
    added = len(_TEST.findall(ground.added))
    removed = len(_TEST.findall(ground.removed))
    return frozenset((added, removed, abs(added - removed)))


def _of_facts(noun: str, ground: ChangeIndex) -> frozenset[int]:
    numbers: set[int] = set()
    items = ground.facts.of(FactKind(noun))
    for action in Action:
        mine = [item for item in items if item.action is action]
        numbers.add(len({item.name for item in mine}))
        for detail in {item.detail for item in mine}:
            numbers.add(len({item.name for item in mine if item.detail == detail}))
    numbers.add(len({item.name for item in items}))
    return frozenset(numbers - {0})


_COUNTERS: dict[str, Callable[[str, ChangeIndex], frozenset[int]]] = {
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


_UNITS = {
    "percent": r"%|％|percent(?:age points?)?\b|per cent\b|pct\b|个?百分点",
    "times": r"[x×](?![a-z])|倍|-?fold\b|times\b",
    "ns": r"ns\b|nanoseconds?\b|纳秒",
    "us": r"[uµμ]s\b|microseconds?\b|微秒",
    "ms": r"ms\b|milliseconds?\b|毫秒",
    "s": r"s\b|secs?\b|seconds?\b|秒",
    "min": r"mins?\b|minutes?\b|分钟",
    "h": r"h\b|hrs?\b|hours?\b|小时",
    "day": r"days?\b|天",
    "K": r"k(?:i?b)?\b|kilobytes?\b|千字节",
    "M": r"m(?:i?b)\b|megabytes?\b|兆字节",
    "G": r"g(?:i?b)\b|gigabytes?\b|吉字节",
    "T": r"t(?:i?b)\b|terabytes?\b",
    "byte": r"bytes?\b|字节",
    "bit": r"bits?\b|位(?!置|于)",
}

_UNIT_RULES = {
    unit: re.compile(rf"[\s-]?(?:{words})", re.IGNORECASE) for unit, words in _UNITS.items()
}

# If a number of the change has no unit, a name beside it may show what it counts.
_TIME = r"time|timeout|interval|delay|duration|ttl|deadline|wait|sleep|poll|period|expir|keepalive"

_NEAR = {
    "percent": re.compile(r"percent|pct|ratio|utili[sz]ation|fraction|%", re.IGNORECASE),
    "s": re.compile(rf"{_TIME}|sec", re.IGNORECASE),
    "ms": re.compile(r"_?(?:ms|milli)", re.IGNORECASE),
    "us": re.compile(r"_us\b|micro", re.IGNORECASE),
    "ns": re.compile(r"_ns\b|nano", re.IGNORECASE),
    "min": re.compile(rf"{_TIME}|min", re.IGNORECASE),
    "h": re.compile(r"hour", re.IGNORECASE),
    "day": re.compile(r"day", re.IGNORECASE),
    "K": re.compile(r"kb|kib|kilo", re.IGNORECASE),
    "M": re.compile(r"mb|mib|mega", re.IGNORECASE),
    "G": re.compile(r"gb|gib|giga", re.IGNORECASE),
    "T": re.compile(r"tb|tib|tera", re.IGNORECASE),
    "byte": re.compile(r"byte|size|len|limit", re.IGNORECASE),
}

_GLUED = re.compile(r"[A-Za-z]+")
_PLAIN = re.compile(r"\d+")
_LITTLE = 2
"""Up to here bare numbers are nearly words ("phase 1", "the 2 cases"), and always accepted."""


def wrong_number(wording: Wording, ground: ChangeIndex) -> Failed | None:
    """The first number of a sentence that is not in the change, if any."""
    skeleton = wording.skeleton
    for match in re.finditer(ATOM, skeleton):
        atom = wording.atom(match[0])
        if atom.sort is not Sort.NUMBER:
            continue
        behind = _behind(wording, match.end())
        if not _right(atom.text, behind, ground):
            return Failed(fault=Rejection.NUMBER, about=f"{atom.text}{_unit_text(behind)}")
    for number in spelled_files(skeleton):
        if number not in counts("files", ground):
            return Failed(fault=Rejection.NUMBER, about=f"{number} files")
    return None


def _behind(wording: Wording, at: int) -> str:
    """The skeleton from a position, with an acronym that comes first in letters: "64 KB"."""
    text = wording.skeleton[at:]
    first = re.match(rf"\s*({ATOM})", text)
    if first is None or wording.atom(first[1]).sort is not Sort.WORD:
        return text
    return text.replace(first[1], wording.atom(first[1]).text, 1)


def has_number(text: str, source: str) -> bool:
    """Whether a text contains a number by itself, however its thousands are separated."""
    return next(_occurrences(text, source), None) is not None


def count_number(text: str, source: str) -> int:
    """How often a text contains a number by itself."""
    return len({at for at, _ in _occurrences(text, source)})


def _right(number: str, behind: str, ground: ChangeIndex) -> bool:
    noun = noun_behind(behind)
    plain = number.replace(",", "").replace("_", "")
    if noun and plain.isdigit():
        if int(plain) in counts(noun, ground):
            return True
        if noun in {"files", "lines"}:
            # These are counts of the change, unless the author means others.
            return has_number(number, ground.message)
    unit = next((u for u, rule in _UNIT_RULES.items() if rule.match(behind)), "")
    if unit:
        return _with_unit(number, unit, ground)
    if glued := _GLUED.match(behind):
        return f"{number}{glued[0]}".casefold() in ground.humps or ground.holds(number + glued[0])
    if has_number(number, ground.text):
        return True
    return plain.isdigit() and int(plain) <= _LITTLE and bool(ground.facts.files)


def _unit_text(behind: str) -> str:
    found = next((m for rule in _UNIT_RULES.values() if (m := rule.match(behind))), None)
    return found[0] if found else ""


def _with_unit(number: str, unit: str, ground: ChangeIndex) -> bool:
    """Whether the number occurs in the change with that unit, or in a context that implies it."""
    source = ground.text
    if unit == "bit":
        digits = re.compile(rf"(?<!\d){re.escape(number)}(?!\d)")
        return any(digits.search(word) for word in ground.words)
    near = _NEAR.get(unit)
    for start, end in _occurrences(number, source):
        after = source[end : end + 24]
        if _UNIT_RULES[unit].match(after):
            return True
        if near is None or any(rule.match(after) for rule in _UNIT_RULES.values()):
            continue  # it has another unit
        line_start = source.rfind("\n", 0, start) + 1
        line_end = source.find("\n", end)
        line = source[line_start : line_end if line_end >= 0 else len(source)]
        if near.search(line):
            return True
    return False


def _occurrences(number: str, source: str) -> Iterator[tuple[int, int]]:
    """Where a number occurs, in any of the ways to write it."""
    for form in _forms(number):
        at = source.find(form)
        while at >= 0:
            end = at + len(form)
            if _whole(source, at, end, form):
                yield at, end
            at = source.find(form, at + 1)


def _forms(number: str) -> list[str]:
    plain = number.replace(",", "").replace("_", "")
    forms = [number, plain]
    if _PLAIN.fullmatch(plain):
        grouped = f"{int(plain):,}"
        forms += [grouped, grouped.replace(",", "_"), f"{plain}.0"]
    elif plain.endswith(".0"):
        forms.append(plain.removesuffix(".0"))
    if plain[:1] in "vV":
        forms.append(plain[1:])
    return list(dict.fromkeys(forms))


def _whole(source: str, at: int, end: int, form: str) -> bool:
    """Whether the digits there are a complete number rather than part of a longer one."""
    before = source[at - 1] if at else ""
    after = source[end : end + 2]
    versioned = before in {"v", "V"} and not source[at - 2 : at - 1].isalnum()
    if not versioned and ((before.isascii() and before.isalnum()) or before == "_"):
        return False
    if before == ".":  # 1.4, or the format .4f
        return False
    if before == "," and len(form) == 3 and at > 1 and source[at - 2].isdigit():
        return False
    if after[:1].isdigit() or (after[:1] == "_" and after[1:2].isdigit()):
        return False
    # 2.9 matches 2.9.1, but 2 does not match 2.9; and a hash is no number.
    if after[:1] == "." and after[1:2].isdigit() and "." not in form:
        return False
    glued = _GLUED.match(source, end)
    return not (glued and source[glued.end() : glued.end() + 1].isdigit())
