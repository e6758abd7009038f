"""Short questions that stand by themselves: about the bot, about one change, or after an answer.

Each is a whole wording, so that none of them is found inside another question. A question comes
tidied, as for ``english``. Imports ``intent``, ``language``, ``narrowing``
and ``reference``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import count

from digest.core.enums import Language
from digest.core.grade import Level
from digest.core.reference import Reference, parse_reference
from digest.errors import InvalidReference
from digest.question.dates import number
from digest.question.filters import kind_of_topic
from digest.question.intent import (
    Again,
    Author,
    CatchUp,
    Greet,
    Intent,
    More,
    Nth,
    PrivacyOf,
    Retell,
    Reviewers,
    Risky,
    ShowDiff,
    Status,
    Touched,
    Why,
)

_POLITE = r"(?:(?:please|pls|ok|okay|so|and|but|can you|could you|请问?|那么?|麻烦)[,，]? ?){0,5}"

_END = r"(?:[,，]? ?(?:please|pls|thanks|谢谢|吧|呢|吗|一下))*"

# What is spoken of: the change of the last answer, or one that is named. A group's name must be
# its own in a pattern, so ``<ref>`` stands for as many groups as there are.
_IT = r"(?:it|this|that|this one|that one|this change|that change|the change)"

_IT_ZH = r"(?:它|这个|那个|这个变更|这个改动|这个 ?PR|该变更|这个提交)"

_ONE = r"(?:(?:pr|pull request|commit|change|mr) )?(?P<ref>[#!]?[0-9A-Za-z]\S*)"

_REF = rf"(?:{_IT}|{_ONE})"

_REF_ZH = rf"(?:{_IT_ZH}|(?:PR|提交|变更)? ?(?P<ref>[#!]?[0-9A-Za-z][!-~]*))"

_Make = Callable[["re.Match[str]"], Intent]


def _plain(intent: Intent) -> _Make:
    return lambda _found: intent


def _about(kind: type[Why | Risky | Reviewers | Author]) -> _Make:
    return lambda found: kind(reference=_reference(found))


def _reference(found: re.Match[str]) -> Reference | None:
    """The reference of a match, if it has one. Raises ``InvalidReference``."""
    named = (text for name, text in found.groupdict().items() if text and name[:3] == "ref")
    written = next(named, "")
    return parse_reference(written.strip(",.;:()\"'")) if written else None


def _diff(found: re.Match[str]) -> Intent:
    part = (found.groupdict().get("part") or "").strip(" \"'")
    return ShowDiff(part=part, reference=_reference(found))


_PLACES = {
    word: place
    for place, words in enumerate(
        (
            "first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th", "sixth 6th",
            "seventh 7th", "eighth 8th", "ninth 9th", "tenth 10th",
        ),
        1,
    )
    for word in words.split()
}  # fmt: skip


def _nth(found: re.Match[str]) -> Intent:
    """The place that is written as an ordinal or as a number; without one, the last."""
    written = (found.groupdict().get("place") or "").lower()
    if not written:
        return Nth(place=-1)
    return Nth(place=_PLACES.get(written) or number(written))


_LEVELS = {
    "high": Level.HIGH, "important": Level.HIGH, "高": Level.HIGH, "重要": Level.HIGH,
    "medium": Level.MEDIUM, "中": Level.MEDIUM,
}  # fmt: skip


def _only(found: re.Match[str]) -> Intent:
    return Again(level=_LEVELS[found["level"].lower()])


def _only_kind(found: re.Match[str]) -> Intent:
    """The changes of a kind alone; other words are for another form."""
    rest, kind = kind_of_topic(found["kind"])
    if rest or kind is None:
        raise InvalidReference(found["kind"])
    return Again(kind=kind)


def _another(found: re.Match[str]) -> Intent:
    return Again(reference=_reference(found))


_TELL = (
    r"(?:(?:explain|describe|open|show(?: me)?|give me|tell me(?: more)? about|what about|how about"
    r"|what is|what's|and|more (?:on|about)|details (?:of|on)) )?"
)

_ENTRY = r"(?: (?:one|change|item|entry|pr|pull request|commit|result))"

_LANGUAGES = {
    Language.ZH: r"chinese|mandarin|中文|汉语|普通话|简体中文",
    Language.EN: r"english|英文|英语",
}

_FORMS: tuple[tuple[str, _Make], ...] = (
    (
        (
            r"(?:show |give |see |tell )?(?:me )?(?:the )?(?:more|next|next page|rest)(?: of (?:it"
            r"|them))?"
            r"|continue|go on|keep going|(?:看|显示)?(?:更多|下一页|下页|继续|接着)"
            r"|还有(?:哪些|吗|什么)?|再来"
        ),
        _plain(More()),
    ),
    *(
        (
            (
                rf"(?:(?:say|tell|answer|show|repeat|translate)(?: it| this| that| me)? )?"
                rf"(?:in|in to|into|to) (?:{words})|(?:{words})"
                rf"|(?:请?(?:用|以|说|换成|改用|翻译成))(?:{words})(?:说|回答|再说一[次遍]"
                rf"|显示|版)?"
            ),
            _plain(Retell(language=language)),
        )
        for language, words in _LANGUAGES.items()
    ),
    (
        (
            r"(?:make it |be |a bit |much )*(?:shorter|briefer|brief|short|more concise|concise"
            r"|less detail|tl;?dr)|in short|再?(?:太长了?|简短|精简|简单"
            r"|短)(?:一?[点些])?(?:说)?|更[短简]|更简短|长话短说"
        ),
        _plain(Retell(longer=False)),
    ),
    (
        (
            r"(?:make it |be |a bit |much )*(?:longer|more detailed|more details?|in (?:more "
            r"|full )?detail"
            r"|details|in full|elaborate|tell me more)"
            r"|(?:详细|具体|长)(?:一?[点些])?(?:说明?)?|更[长详]|更详细|更具体|展开(?:说说?"
            r"|讲讲?)?|说详细[点些]"
        ),
        _plain(Retell(longer=True)),
    ),
    (
        (
            rf"{_TELL}(?:the )?(?:(?P<place>{'|'.join(_PLACES)}){_ENTRY}?|last{_ENTRY})"
            rf"(?: (?:in|of|on) (?:the|that|this) list)?"
        ),
        _nth,
    ),
    (rf"{_TELL}(?:the )?(?:number|no\.?|item|entry) (?P<place>[1-9][0-9]?)", _nth),
    (
        (
            r"(?:解释|说明|介绍|看看?|展开|讲讲?|打开)?(?:一下)? ?"
            r"(?:第 ?(?P<place>[1-9][0-9]?|[一二三四五六七八九十]{1,3}) ?[个条项]|最后一?[个条项])"
            r"(?:变更|改动|提交| ?PR)?(?:呢|是什么)?"
        ),
        _nth,
    ),
    (
        (
            r"(?:show |list |give )?(?:me )?(?:only|just) (?:show )?(?:me )?(?:the )?"
            r"(?P<level>high|medium|important)(?:[- ](?:level|impact|importance|priority|graded))?"
            r"(?: (?:ones|changes|items|entries|prs|commits|please))?"
        ),
        _only,
    ),
    (
        r"(?:只|仅)(?:看|要|显示|列出?)(?:重要度|级别)?(?:为)?(?P<level>高|中|重要)(?:的|级)?(?:的)?(?:变更|改动)?",
        _only,
    ),
    (
        (
            r"(?:show |list |give )?(?:me )?(?:only|just) (?:show )?(?:me )?(?:the )?"
            r"(?P<kind>[A-Za-z][A-Za-z -]{2,30}?)(?: (?:ones|changes|items|entries|prs|commits))?"
        ),
        _only_kind,
    ),
    (
        r"(?:只|仅)(?:看|要|显示|列出?)(?P<kind>[^\s!-~]{2,8}?)(?:的)?(?:变更|改动)?",
        _only_kind,
    ),
    (r"(?:and|what about|how about) (?P<ref>[#!][0-9]+)", _another),
    (r"(?:那么?)? ?(?P<ref>[#!][0-9]+) ?呢", _another),
    (
        (
            rf"who (?:wrote|made|authored|did|created|is the author of) {_REF}"
            rf"|(?:the )?author(?: (?:of|for) {_REF}| {_ONE})?"
        ),
        _about(Author),
    ),
    (
        (
            rf"(?:{_REF_ZH} ?)?(?:是)?谁 ?(?:写|做|提交|改|开发|干) ?(?:的|了)"
            rf"|(?:{_REF_ZH} ?的? ?)?作者(?:是谁)?"
        ),
        _about(Author),
    ),
    (
        (
            r"(?:hi|hello|hey|hiya|howdy|greetings|good (?:morning|afternoon|evening|day))"
            r"(?: (?:there|bot|digestbot|all|everyone|everybody|team))?"
            r"|(?:你|您|大家)好[呀啊]?|哈[喽啰]|嗨|早上好|下午好|晚上好|早安?|在吗"
        ),
        _plain(Greet()),
    ),
    (
        rf"is {_REF} (?:a )?(?:risky|risk|safe|dangerous)(?: change)?",
        _about(Risky),
    ),
    (rf"how (?:risky|safe|dangerous) is {_REF}", _about(Risky)),
    (
        (
            r"(?:what (?:should|do|must|can) (?:i|we) do(?: about (?:it|this|that))?"
            r"|how (?:do|can|should) (?:i|we) (?:fix|migrate|adapt|handle|mend)"
            r"(?: (?:it|this|that|to (?:it|this|that)|from (?:it|this|that)))?"
            r"|(?:(?:它|这个) ?)?(?:我|我们)?(?:该|要|应该)?怎么"
            r"(?:修|修复|办|改|处理|应对|迁移|适配))"
        ),
        _plain(Risky()),
    ),
    (
        (
            rf"(?:(?:any|the|what(?:'s| is| are) the) )?risks?(?: (?:of|in|with) {_REF}| {_ONE})?"
            r"|what (?:could|can|might) go wrong"
        ),
        _about(Risky),
    ),
    (
        rf"(?:{_REF_ZH} ?)?(?:有(?:什么|哪些|没有)?风险|风险(?:大|高)?(?:不大|不高)?|危险|安全)",
        _about(Risky),
    ),
    (
        (
            rf"who (?:has )?(?:reviewed|approved|signed off|looked at)(?: on)?(?: {_REF})?"
            rf"|(?:the )?reviewers?(?: (?:of|for) {_REF}| {_ONE})?"
        ),
        _about(Reviewers),
    ),
    (
        (
            rf"(?:{_REF_ZH} ?)?(?:是)?谁 ?(?:审查?|评审|review|批准|审批|审核) ?(?:的|了|过)?"
            rf"|评审人|审阅者"
        ),
        _about(Reviewers),
    ),
    (r"(?:but )?why(?: (?:so|that|this|it|is (?:it|this|that)(?: \w+){0,3}))?", _plain(Why())),
    (
        (
            rf"why(?: is| was)? (?:{_ONE})(?: (?:is|was|so|rated|graded|ranked|marked"
            rf"|important|high"
            r"|medium|low|listed|here|a|in|the|digest))*"
        ),
        _about(Why),
    ),
    (
        r"为什么|为啥|为何|凭什么|(?:它|这个)?为什么(?:重要|是[高中低]|这么(?:高|低|重要))",
        _plain(Why()),
    ),
    (
        rf"(?:为什么|为啥|为何) ?{_REF_ZH} ?(?:是|被|评为?|列为|这么|重要|[高中低]|级|重要度)*",
        _about(Why),
    ),
    (
        rf"{_REF_ZH} ?(?:为什么|为啥|为何) ?(?:是|被|评为?|列为|这么|重要|[高中低]|级|重要度)*",
        _about(Why),
    ),
    (
        (
            rf"(?:(?:show|see|view|print|get)(?: me)? )?(?:the )?(?:diff|patch|code changes)"
            rf"(?: (?:of|for|from) {_REF}| {_ONE})?(?: (?:of|in|for) \"(?P<part>[^\"]{{1,80}})\")?"
        ),
        _diff,
    ),
    (
        (
            r"(?:(?:show|see|view|print|get)(?: me)? )?(?:the )?(?:diff|patch) (?:of|for|in|from) "
            r"(?:only )?(?:the )?(?P<part>[\w./+ -]{1,60}?)(?: (?:parts?|files?|folder|only|section"
            r"|changes))?"
        ),
        _diff,
    ),
    (
        (
            r"(?:show|see|view|print"
            r"|get)(?: me)? (?:the )?(?P<part>[\w./+-]{1,60}) (?:part of the )?"
            r"(?:diff|patch)"
        ),
        _diff,
    ),
    (
        (
            rf"(?:显示|看看?|给我看?|查看|展示)?(?:一下)? ?(?:{_REF_ZH} ?的? ?)?(?:diff|差异|补丁"
            rf"|代码差异)"
        ),
        _diff,
    ),
    (
        (
            r"(?:显示|看看?|给我看?|查看|展示)(?:一下)? ?(?P<part>[^\s的]{1,40}?) ?(?:部分"
            r"|文件|目录)?的? ?"
            r"(?:部分的? ?)?(?:diff|差异|补丁|代码差异)"
        ),
        _diff,
    ),
    (
        (
            r"catch (?:me |us )?up|what (?:did|have) i miss(?:ed)?|what(?:'s"
            r"| is) new since i (?:was here|left"
            r"|last looked|last asked)|(?:everything |changes "
            r"|what changed )?(?:since i last (?:looked|asked)"
            r"|while i was (?:away|gone|out|on (?:holiday|vacation|leave)))|i(?:'m| am) back"
            r"|what happened while i was (?:away|gone|out|on (?:holiday|vacation|leave))"
            r"|我(?:都)?错过了(?:什么|啥|哪些)(?:变更|东西)?|(?:帮我)?(?:补一下|补课"
            r"|跟上进度)|我不在(?:的时候|期间)?"
            r"(?:发生了(?:什么|啥)|改了什么|有什么变化)|我回来了|(?:自|从)?我?上次(?:看"
            r"|问)(?:过)?(?:之后|以来|后)"
            r"(?:的变更|改了什么|有什么变化|有什么更新)?"
        ),
        _plain(CatchUp()),
    ),
    (
        (
            r"(?:bot |your |show )?(?:status|health)(?: of (?:the )?bot)?|are you (?:ok|okay|alive"
            r"|there)"
            r"|(?:机器人)?(?:运行)?状态|(?:你)?还?活着|(?:你)?还好"
        ),
        _plain(Status()),
    ),
    (
        (
            r"privacy(?: policy)?|what do you (?:keep|store|save|remember"
            r"|send)(?: about (?:me|us))?"
            r"|what (?:leaves|goes out of) (?:this|the|my) (?:machine|computer|server)"
            r"|where does (?:my|our) (?:data|code) go"
            r"|隐私(?:政策|说明)?|(?:你)?(?:会)?(?:保存|存储|记录|发送)(?:了)?(?:什么"
            r"|哪些)(?:数据|信息)?"
            r"|(?:我们?的)?(?:数据|代码)会?(?:发|传|送)到?哪[里儿]?"
        ),
        _plain(PrivacyOf()),
    ),
)


def _compiled(form: str) -> re.Pattern[str]:
    numbers = count()
    numbered = re.sub("<ref>", lambda _: f"<ref{next(numbers)}>", form)
    return re.compile(f"{_POLITE}(?:{numbered}){_END}", re.IGNORECASE)


_READERS = tuple((_compiled(form), make) for form, make in _FORMS)

_SYMBOL_WORD = re.compile(
    r"(?:explain|describe|what happened to|解释|说明|介绍|讲讲)(?:一下)? ?(?:the )?"
    r"(?:(?:symbol|class|function|method|flag|variable|option|metric|类|函数|方法|参数|变量"
    r"|选项) ?)?"
    r"(?:\"([^\"]{1,120})\"|([^\s\"]{2,120}))",
    re.IGNORECASE,
)

_NAMED = re.compile(
    r"(?:symbol|class|function|method|flag|variable|option|metric|类|函数|方法|参数|变量|选项) ?\"",
    re.IGNORECASE,
)

# What people write for code and not for prose: a capital inside, an underscore, a dot or colons
# between names, a call, a flag.
_IDENTIFIER = re.compile(
    r"(?:--[a-z][a-z0-9]*(?:-[a-z0-9]+)*|(?=\w*[A-Za-z])\w*(?:[a-z0-9][A-Z]|[A-Z][a-z]\w*[A-Z]"
    r"|\w_\w)\w*(?:\(\))?"
    r"|[A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+(?:\(\))?|\w+\(\))",
    re.ASCII,
)

_FILE = re.compile(
    r".*\.(?:py|md|txt|json|toml|ya?ml|c|h|cc|cpp|cu|cuh|js|ts|rs|go|java|sh|cfg|ini)"
)


def read_aside(question: str) -> Intent | None:
    """The intent of a question that is one of the whole wordings; ``None`` where it is none."""
    for pattern, make in _READERS:
        found = pattern.fullmatch(question)
        if found:
            try:
                return make(found)
            except InvalidReference:
                continue
    return None


def read_symbol(question: str) -> Touched | None:
    """The named thing that a question asks about, without its period."""
    found = _SYMBOL_WORD.fullmatch(question)
    if not found:
        return None
    name = found[1] or found[2]
    if not (found[1] and _NAMED.search(question)) and (
        not _IDENTIFIER.fullmatch(name) or _FILE.fullmatch(name)
    ):
        return None
    return Touched(name=name.removesuffix("()"))
