"""What narrows a question, in either language: ``author:Ada``, ``kind:fix``, "breaking changes".

Filters may stand anywhere; words in quotation marks that follow no key are let be. Imports
``grade``, ``kind`` and nothing that reads questions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from digest.core.enums import ChangeKind
from digest.core.grade import Level

_KEYS = {
    "author": "author", "by": "author", "作者": "author",
    "path": "path", "file": "path", "路径": "path", "文件": "path",
    "level": "level", "级别": "level",
    "kind": "kind", "type": "kind", "类型": "kind",
    "label": "label", "tag": "label", "标签": "label",
}  # fmt: skip

_FILTER = re.compile(
    r"(?<![\w\"])(author|by|path|file|level|kind|type|label|tag): ?"
    r"(?:\"([^\"]{1,200})\"|([^\s\",]{1,200}))"
    r"|(作者|路径|文件|级别|类型|标签)[是为]?: ?(?:\"([^\"]{1,200})\"|([^\s\",，的]{1,80}))的?"
    r"|\"[^\"]*\"",
    re.IGNORECASE,
)

_LABELLED = re.compile(
    r"\b(?:labell?ed|tagged)(?: as| with)? (?:\"([^\"]{1,80})\"|([^\s\"]{1,80}))"
    r"|\bwith (?:the )?(?:label|tag) (?:\"([^\"]{1,80})\"|([^\s\"]{1,80}))"
    r"|(?:带有?|标有) ?(?:\"([^\"]{1,80})\"|([^\s\"，的]{1,40})) ?标签的",
    re.IGNORECASE,
)

_SPOKEN_LEVELS = {"高": Level.HIGH, "中": Level.MEDIUM, "低": Level.LOW}

_SPOKEN = {
    ChangeKind.BREAKING: "breaking|backwards?[- ]incompatible|incompatible"
    "|不兼容|破坏性|不向后兼容",
    ChangeKind.SECURITY: "security|安全漏洞|安全性?|安全相关",
    ChangeKind.DEPRECATIONS: "deprecations?|deprecated|弃用|废弃",
    ChangeKind.REVERTS: "reverts?|reverted|rollbacks?|rolled back|回滚|回退|撤销|被撤销",
    ChangeKind.FEATURE: "new features?|features?|新功能|新特性",
    ChangeKind.PERFORMANCE: (
        "performance|perf|optimi[sz]ations?|optimized|speed-?ups?|性能优化|性能|优化|提速"
    ),
    ChangeKind.FIX: "bug ?fix(?:es)?|fix(?:es)?|fixed|修复|bug ?修复|错误修复|缺陷修复",
    ChangeKind.DEPENDENCIES: "dependency|dependencies|deps|依赖更新|依赖升级|依赖",
}

_NOUNS = r"(?:changes?|updates?|commits?|prs?|pull requests?|ones|work|improvements?|fixes)"

_NOUNS_ZH = r"(?:变更|改动|更新|变化|修改|提交|改变|改进|变动|PR)"

_BEGINS = {
    kind: re.compile(
        rf"((?:(?:the|any|all|show|list|recent|latest|new) )*)(?:{words})"
        r"(?= (?:in|to|for|of|on|about|around) \S)",
        re.IGNORECASE,
    )
    for kind, words in _SPOKEN.items()
}

_ENDS = re.compile(
    r"(.+?) (?:(?P<fix>bug ?fixes|fixes)|(?P<reverts>reverts)|(?P<deprecations>deprecations)"
    r"|(?P<performance>optimi[sz]ations|performance improvements|speed-?ups))",
    re.IGNORECASE,
)

_MADE = re.compile(r"^( )(?:improvements?|fixes|work|ones)\b", re.IGNORECASE)

_WHOLE = {kind: re.compile(f"(?:{words})", re.IGNORECASE) for kind, words in _SPOKEN.items()}

_BEFORE = {
    kind: re.compile(
        rf"\b(?:{words})(?= {_NOUNS}\b)|(?:{words})(?:性|相关)?的?(?={_NOUNS_ZH})", re.IGNORECASE
    )
    for kind, words in _SPOKEN.items()
}

_WHICH = {
    kind: re.compile(rf"(有?(?:哪些|什么|啥)) ?(?:{words})$", re.IGNORECASE)
    for kind, words in _SPOKEN.items()
}

_OF = {
    kind: re.compile(
        rf"(?:the )?(?:{words})(?: {_NOUNS})? (?:in|to|of|for|about|on) (.+)"
        rf"|(.+?) ?(?:里|中|方面)?的 ?(?:{words})",
        re.IGNORECASE,
    )
    for kind, words in _SPOKEN.items()
}

_COUNTED = r"(?:changes|commits|prs|pull requests|updates|merges)"

_DAILY = re.compile(
    rf"\bhow many {_COUNTED}(?: (?:were|are)(?: there| merged| made| landed)?)?"
    r" (?:a|per|each|every|by) day\b"
    rf"|\b{_COUNTED} (?:a|per|each|every|by) day\b|\bdaily (?:counts?|numbers?)(?: of changes)?\b",
    re.IGNORECASE,
)

_FILES = re.compile(
    r"\b(?:which|what) files? (?:(?:have|has|had|were|are|was|is) (?:been )?)?"
    r"(?:changed?|changes|touched|modified|edited)(?: the)? (?:most|often)(?: often)?\b"
    r"|\b(?:the )?most (?:often |frequently )?(?:changed|touched|modified|edited) files?\b"
    r"|\bfiles? (?:with (?:the )?most changes|(?:that )?changed(?: the)? most)\b"
    r"|\bhot ?(?:files|spots)\b"
    rf"|\b(?:{_COUNTED} )?(?:per|by|each|every) file\b"
    rf"|(?:哪些|什么|哪个)文件(?:{_NOUNS_ZH})得?(?:的|了)?最(?:多|频繁)"
    rf"|{_NOUNS_ZH}最(?:多|频繁)的?文件(?:有哪些|是(?:哪些|哪个|什么))?|按文件(?:统计|看)?",
    re.IGNORECASE,
)

_DEFAULT = r"(?:defaults|default (?:values?|settings?))"

_ASKING = (
    r"^(?:(?:which|what|any|all|list|show|the|did|do|have|has|are|were|is|was|there) )*"
    r"(?:(?:new|other|different) )?"
)

_BECAME = (
    r"(?: (?:have|has|had|were|was|got|are|is|been))*"
    r" (?:chang(?:ed?|es)|differ(?:ent)?|updated|modified)\b(?: now)?"
)

_DEFAULTS = re.compile(
    rf"{_ASKING}(?:{_DEFAULT}|default)(?P<of> (?:of|in|for) (?!\S*\d\.).{{1,60}}?)?{_BECAME}"
    rf"|{_ASKING}(?:changed|new) {_DEFAULT}\b"
    rf"|{_ASKING}(?:changes (?:in|of|to) (?:the )?{_DEFAULT}|defaults? changes?)(?![\w.])"
    rf"|\bwith (?:changed|other|new|different) {_DEFAULT}\b"
    r"|(?:有)?(?:(?:哪些|什么|所有|几个)?(?:参数|选项|配置项?|设置|标志|变量)?的?)?"
    r"默认(?:值|设置|配置|参数|选项)(?:都|被|又|有|的|发生)*"
    r"(?:(?:改动|变更|变化|修改|更新|调整|改变|改|变)(?:过|动)?了?|了|有)?"
    r"(?:(?:哪些|什么|没有)(?:变化|改动|变更|修改|调整)?)?(?:吗|有哪些)?$"
    r"|(?:改|变|修改|调整|更新)了?(?:哪些|什么)?默认(?:值|设置|配置|参数)$",
    re.IGNORECASE,
)

_EACH_DAY = re.compile(r"\b(?:per|by|each|every) day\b", re.IGNORECASE)

_DAILY_ZH = re.compile(r"(?:每[天日]|按[天日](?:统计|看)?)(?:都|的)?")

_LONGEST = 300
"""Characters of a question about defaults: its form has two open ends."""

_MANY = re.compile(rf"\bhow many (?={_COUNTED}\b)", re.IGNORECASE)

_MANY_ZH = re.compile(rf"(?:有|合并了?|共有)?多少个? ?(?={_NOUNS_ZH})", re.IGNORECASE)

_NUMBER_ZH = re.compile(rf"(?<=[^ ])(?:的)?{_NOUNS_ZH}(?:数量?|次数|个数)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """The filters of a question, and ``rest``, the question without them."""

    rest: str
    author: str = ""
    path: str = ""
    level: Level | None = None
    kinds: tuple[ChangeKind, ...] = ()
    label: str = ""
    daily: bool = False
    files: bool = False
    defaults: bool = False

    @property
    def any(self) -> bool:
        """Whether there is anything beside the rest."""
        narrows = self.author or self.path or self.level or self.kinds or self.label
        return bool(narrows or self.daily or self.files or self.defaults)


def narrowing(question: str) -> Narrowing | None:
    """Take the filters out of a question; ``None`` where one has a value that it cannot have."""
    taken: dict[str, list[str]] = {}

    def take(found: re.Match[str]) -> str:
        key = found[1] or found[4]
        if not key:
            return found[0]
        value = next(g for g in (found[2], found[3], found[5], found[6]) if g)
        taken.setdefault(_KEYS[key.lower()], []).append(value)
        return " "

    rest = _FILTER.sub(take, question)
    if found := _LABELLED.search(rest):
        taken.setdefault("label", []).append(next(g for g in found.groups() if g))
        rest = f"{rest[: found.start()]} {rest[found.end() :]}"
    levels = [_level(v) for v in taken.get("level", ())]
    kinds = [_kind(v) for v in taken.get("kind", ())]
    if None in levels or None in kinds or any(len(taken[k]) > 1 for k in taken if k != "kind"):
        return None
    rest, daily = _daily(" ".join(rest.split()))
    rest, files = _files(rest)
    rest, defaults = _defaults(rest)
    return Narrowing(
        rest=rest,
        author=_one(taken, "author"),
        path=_one(taken, "path"),
        level=next(iter(levels), None),
        kinds=tuple(dict.fromkeys(k for k in kinds if k)),
        label=_one(taken, "label"),
        daily=daily,
        files=files,
        defaults=defaults,
    )


def kind_of_noun(question: str) -> tuple[str, ChangeKind | None]:
    """A question without the kind that stands before a noun: "breaking changes in X"."""
    if '"' in question:
        return question, None
    for kind, pattern in _BEFORE.items():
        if found := pattern.search(question):
            # "Security fixes" are changes of that kind: fixes of everything else are not asked for.
            rest = _MADE.sub(r"\1changes", question[found.end() :], count=1)
            return " ".join(f"{question[: found.start()]}{rest}".split()), kind
        if found := _BEGINS[kind].match(question):
            return f"{found[1]}changes{question[found.end() :]}", kind
        if found := _WHICH[kind].search(question):
            return f"{question[: found.start()]}{found[1]}变更", kind
    return question, None


def kind_of_topic(topic: str) -> tuple[str, ChangeKind | None]:
    """A topic without the kind that it is, or that it begins or ends with: "fixes in MoE"."""
    for kind, pattern in _WHOLE.items():
        if pattern.fullmatch(topic):
            return "", kind
    for kind, pattern in _OF.items():
        if found := pattern.fullmatch(topic):
            return (found[1] or found[2]).removeprefix("the "), kind
    if (found := _ENDS.fullmatch(topic)) and found.lastgroup:
        return found[1], ChangeKind(found.lastgroup)
    return topic, None


def _daily(rest: str) -> tuple[str, bool]:
    """A question without what asks for numbers, and whether it asks for them by day."""
    plain = re.sub(r'"[^"]*"', lambda m: "\0" * len(m[0]), rest)
    if found := _DAILY.search(plain):
        return " ".join(f"{rest[: found.start()]} changes {rest[found.end() :]}".split()), True
    if found := _EACH_DAY.search(plain):
        return _MANY.sub(
            "", " ".join(f"{rest[: found.start()]} {rest[found.end() :]}".split())
        ), True
    if found := _DAILY_ZH.search(plain):
        cut = " ".join(f"{rest[: found.start()]}{rest[found.end() :]}".split())
        return _MANY_ZH.sub("有哪些", _NUMBER_ZH.sub("变更", cut)) or "变更", True
    return _MANY_ZH.sub("有哪些", _MANY.sub("", rest)), False


def _files(rest: str) -> tuple[str, bool]:
    """A question without what asks for numbers by file, and whether it does."""
    plain = re.sub(r'"[^"]*"', lambda m: "\0" * len(m[0]), rest)
    if not (found := _FILES.search(plain)):
        return rest, False
    before, after = rest[: found.start()].rstrip(), rest[found.end() :]
    # What is asked about has its noun already: "changes in MoE per file".
    noun = "" if before and before.isascii() else "changes" if found[0].isascii() else "变更"
    return " ".join(f"{before} {noun}{after}".split()), True


def _defaults(rest: str) -> tuple[str, bool]:
    """A question without what asks for defaults that changed, and whether it does."""
    plain = re.sub(r'"[^"]*"', lambda m: "\0" * len(m[0]), rest)
    found = _DEFAULTS.search(plain) if len(rest) <= _LONGEST else None
    if found is None:
        return rest, False
    inside = rest[found.start("of") : found.end("of")] if found["of"] else ""
    before, after = rest[: found.start()].rstrip(), f"{inside}{rest[found.end() :]}"
    noun = "" if before and before.isascii() else "changes" if found[0].isascii() else "变更"
    return " ".join(f"{before} {noun}{after}".split()), True


def _one(taken: dict[str, list[str]], key: str) -> str:
    return next(iter(taken.get(key, ())), "")


def _level(value: str) -> Level | None:
    if value in _SPOKEN_LEVELS:
        return _SPOKEN_LEVELS[value]
    return Level(value.lower()) if value.lower() in set(Level) else None


def _kind(value: str) -> ChangeKind | None:
    if value.lower() in set(ChangeKind):
        return ChangeKind(value.lower())
    return next((k for k, pattern in _WHOLE.items() if pattern.fullmatch(value)), None)
