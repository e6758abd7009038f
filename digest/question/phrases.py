"""Wordings that mean a question which the grammar has, told the grammar's way.

People ask whether a flag is still there, what broke, what to watch when they upgrade. Each form is
a whole question, but for the period or range around it, and says what its answer can say: things
that went away are asked for as breaking changes, a name as what happened to it. A question comes
tidied, in single spaces. Imports ``span``.
"""

from __future__ import annotations

import re

from digest.core.release import LATEST

_NAME = (
    r"\"?(--[A-Za-z0-9][\w-]{0,80}|[A-Za-z_]\w{0,80}(?:(?:\.|::)\w{1,80}){1,8}"
    r"|[A-Za-z0-9]{1,40}_\w{1,80})(?:\(\))?\"?"
)

_SORT = (
    r"(?:(?:the|this|option|flag|argument|parameter|setting|variable|environment variable|env var"
    r"|field|metric|function|class|method|endpoint|symbol) )"
)

_AFTER = (
    r"(?: (?:option|flag|argument|parameter|setting|variable|environment variable|env var|field"
    r"|metric|function|class|method|symbol))?"
)

_THINGS = (
    r"(?:(?:command[- ]line|cli|public|http|config(?:uration)?|env(?:ironment)?) )?"
    r"(?:flags?|options?|arguments?|args|param(?:eter)?s?|env(?:ironment)?(?: variables?| vars?)"
    r"|env|variables?|vars|settings?|fields?|routes?|endpoints?|metrics?|apis?|configs?)"
)

_ASKS = r"(?:which|what|any|(?:list|show)(?: all| the)?|are there any|were there any|did any|all)"

_WERE = r"(?:(?:were|was|are|have been|has been|got|get|been) )?"

_GONE = r"(?:removed?|dropped|deleted|renamed|broken|gone)"

_COUNTED = r"(?:changes|commits|prs|pull requests|merges)"

_REST = (
    r"(?P<rest>(?: (?:in|since|between|from|after|before|until|this|last|past|the (?:last|past)"
    r"|today|yesterday|recently|lately|over|during|on|to|with|by|for|of|v?\d).*)?)"
)

_UPGRADE = r"(?:upgrad|updat|mov|migrat)(?:e|ing)"

_RELEASE = r"(v?\d{1,4}(?:\.\w{1,20}){1,4})"

_WATCH = (
    r"(?:what (?:should|do|must|would|will) (?:i|we|users) (?:have to |need to )?"
    r"(?:know|do|change|check|consider|watch(?: out for)?|look out for|be aware of)"
    r"|what (?:will|would|could|may|might) break|is it safe|can (?:i|we)(?: safely)?"
    r"|should (?:i|we)|is there anything to watch(?: out for)?)"
    r"(?: (?:before|when|to|if|i|we|for|in order|after|by)){0,4}"
)

_CHANGE = r"([#!][1-9]\d{0,8})"

_CHANGE_ZH = r"(?:PR ?)?([#!][1-9]\d{0,8})"

_PATH = r"((?!\S{0,80}\.\./)[\w.@+~-]{1,80}(?:/[\w.@+~-]{1,80}){1,20}/?|[\w.@+~-]{1,80}/)"

_THINGS_ZH = (
    r"(?:的? ?(?:命令行|环境|配置|公开|公共)? ?(?:参数|选项|变量|配置项?|接口|API|路由|指标|字段))"
)

_GONE_ZH = r"(?:删除?|移除|去掉|去除|改名|重命名)"

_OLD_ZH = r"(?:废弃|弃用)"

_SORT_ZH = r"(?: ?(?:这个)? ?(?:命令行|环境)?(?:参数|选项|变量|配置项?|接口|函数|类|字段))?"

_HAVE_TO_ZH = r"(?:需要|需|会|要|应该|应|有|得|可能){0,2}"

_WATCH_ZH = r"(?:注意|改|做|知道|影响|什么|哪些|啥|问题|风险|吗)"

_NOUN_ZH = r"(?:变更|改动|更新|变化|修改|提交|PR)"

_LATEST = re.compile(
    r"\"[^\"]*\"|\b(?:(?:the|our|your) )?(?:(?:very )?(?:latest|last|newest|most recent|current)"
    r"(?: stable| official| final| published)?|latest-) ?(?:release|version|tag)"
    r"(?! (?:notes|candidate))(?:'s)?\b(?![-/.])"
    r"|(?:最新的?|最近(?:一次|一个)?的?|上(?:一)?(?:个|次)的?|当前) ?(?:正式)?(?:发布|发行)?的?"
    r"(?:版本?|发布|发行版|release|tag)(?!说明|周期|计划|日志)",
    re.IGNORECASE,
)

_LONGEST = 200
"""Characters of a question; forms with open ends on both sides take quadratic time."""

_ENGLISH = (
    # is the --x flag still there, was X removed
    (
        (
            rf"(?:is|are|does|do|was|were|has|have|did) {_SORT}{{0,2}}{_NAME}{_AFTER}"
            r" (?:still(?: \w{1,20}){1,2}|(?:been )?(?:removed|renamed|deprecated|dropped|deleted"
            r"|gone|changed)|exist|gone)(?: (?:yet|now|already|any ?more))?(?P<rest> .+)?"
        ),
        r"what happened to \1\g<rest>",
    ),
    (
        (
            rf"(?:when|where|why|how|in (?:which|what) (?:version|release)) "
            rf"(?:was|were|did|has|is) {_SORT}{{0,2}}{_NAME}{_AFTER}"
            r" (?:been )?(?:removed|renamed|deprecated|dropped|deleted|added|introduced|changed?)"
        ),
        r"what happened to \1",
    ),
    (
        (
            rf"(?:which|what) (?:version|release|change|commit|pr) (?:removed|renamed|deprecated"
            rf"|dropped|added|introduced|changed) {_SORT}{{0,2}}{_NAME}{_AFTER}"
        ),
        r"what happened to \1",
    ),
    (
        (
            r"(?:what(?:'s| is| was)|has|did|is) the default(?: value)? (?:of|for) "
            rf"{_SORT}{{0,2}}{_NAME}{_AFTER}(?: (?:been )?(?:changed?|different))?(?P<rest> .+)?"
        ),
        r"what happened to \1\g<rest>",
    ),
    # which flags were removed, removed flags, what broke
    (rf"{_ASKS} {_THINGS} {_WERE}{_GONE}{_REST}", r"breaking changes\g<rest>"),
    (rf"(?:{_ASKS} )?{_GONE} {_THINGS}{_REST}", r"breaking changes\g<rest>"),
    (rf"{_ASKS} {_THINGS} {_WERE}deprecated{_REST}", r"deprecated changes\g<rest>"),
    (rf"(?:{_ASKS} )?deprecated {_THINGS}{_REST}", r"deprecated changes\g<rest>"),
    (
        (
            r"(?:what (?:broke|breaks|has broken)|(?:did|does|will) (?:anything|something) break"
            r"|(?:is|was) (?:anything|something) (?:broken|breaking)|anything (?:that )?"
            rf"(?:broke|breaks|breaking|broken)){_REST}"
        ),
        r"breaking changes\g<rest>",
    ),
    # what to know before upgrading
    (rf"{_WATCH} {_UPGRADE} from {_RELEASE} to {_RELEASE}", r"breaking changes \1..\2"),
    (rf"{_WATCH} {_UPGRADE} (?:to )?{_RELEASE}", r"breaking changes in \1"),
    (rf"{_WATCH} {_UPGRADE} from {_RELEASE}", r"breaking changes since \1"),
    (
        rf"(?:release notes|changelog)(?: (?:of|for|in))? {_RELEASE}",
        r"what changed in \1",
    ),
    # the latest release, when a release was made
    (rf"({LATEST})", r"what changed in \1"),
    (
        (
            rf"(?:(?:what|which)(?:'s| is| was)?|when(?:'s| is| was| did)?|show(?: me)?|how old is"
            rf"|do you know|tell me(?: about)?) (?:the )?({LATEST}|{_RELEASE})"
            r"(?: (?:was |been |come |came )?"
            r"(?:released|release|published|tagged|cut|out|made|about))?"
        ),
        r"what changed in \1",
    ),
    (
        (
            rf"(?:what(?:'s| is)|which is|is there)(?: a)? (?:the )?(?:new|new in|newer) "
            rf"({LATEST})"
        ),
        r"what changed in \1",
    ),
    (
        rf"(?!what |which )(\S.{{0,60}}?) {_COUNTED} in ({LATEST}|{_RELEASE})",
        r"changes in \1 in \2",
    ),
    (
        r"compare (?:the )?(?:last|latest) two (?:releases|versions)",
        rf"what changed in {LATEST}",
    ),
    # what is reverted, came new, is the riskiest; whether a change breaks something
    (
        (
            rf"(?:was|were|is|has|have|got) (?:anything|something|any(?: {_COUNTED})?) (?:been )?"
            rf"reverted{_REST}"
        ),
        r"reverted changes\g<rest>",
    ),
    (
        (
            rf"(?:what(?:'s| is| are| was| were)|which(?: is| are)?) (?:the )?(?:most risky"
            rf"|riskiest|most dangerous|most important|biggest) (?:change|commit|pr)s?{_REST}"
        ),
        r"important changes\g<rest>",
    ),
    (
        (
            rf"(?:does|did|will|could|can|might|would) (?:pr |the change )?{_CHANGE} break"
            r" (?:anything|something|things|stuff|us|me)"
        ),
        r"risks \1",
    ),
    (
        rf"what (?:does|did|was) (?:pr |the change )?{_CHANGE} (?:revert|undo|roll back)(?:ed)?",
        r"explain \1",
    ),
    (
        rf"(?:can|could|may|should) (?:i|we) upgrade(?: safely)? to {_RELEASE}",
        r"breaking changes in \1",
    ),
    (r"(?:even |much |a lot )?(shorter|longer|briefer) (?:plz|plis|still)", r"\1"),
    (r"even (shorter|longer|briefer)", r"\1"),
    # which were reverted, which dependencies were bumped
    (rf"(?:which|what) {_COUNTED} {_WERE}reverted{_REST}", r"reverted changes\g<rest>"),
    (
        (
            rf"(?:{_ASKS} )?(?:dependencies|deps|dependency versions) {_WERE}"
            rf"(?:bumped|updated|upgraded|changed){_REST}"
        ),
        r"dependency updates\g<rest>",
    ),
    (
        (
            r"(?:is|was|has|did|have) (?:the )?([\w.+-]{2,40})(?: version)? (?:been )?"
            rf"(?:upgraded|bumped|updated|pinned|downgraded){_REST}"
        ),
        r"changes in \1\g<rest>",
    ),
    (
        (
            rf"(how many {_COUNTED}) (?:were|are|have been|got|did)(?: there)?"
            rf"(?: (?:made|merged|landed|done))?{_REST}"
        ),
        r"\1\g<rest>",
    ),
    (
        (
            r"who (?:is|are|was|were) (?:the )?(?:most active|top|biggest|main) "
            rf"(?:contributors?|committers?|authors?|developers?){_REST}"
        ),
        r"top contributors\g<rest>",
    ),
    (
        (
            r"who (?:owns|maintains|knows(?: most)?(?: about)?|should i ask about"
            r"|is the expert (?:on|for|in)) (.+)"
        ),
        r"who worked on \1",
    ),
    # the most important ones
    (
        (
            r"(?:is there |are there |was there )?anything (?:important|risky|big|major|notable"
            rf"|significant|critical){_REST}"
        ),
        r"important changes\g<rest>",
    ),
    (
        (
            r"(?:(?:show|give|tell) me )?(?:the )?(?:tl;?dr|highlights?|top \d{1,2} "
            rf"{_COUNTED}|\d{{1,2}} most important {_COUNTED})(?: (?:of|from))?{_REST}"
        ),
        r"important changes\g<rest>",
    ),
    (r"(?:tell me )?about (.+ (?:changes|updates|work)(?: .+)?)", r"\1"),
)

_CHINESE = (
    # --x 还在吗, X 什么时候被移除的
    (
        (
            rf"{_NAME}{_SORT_ZH} ?(?:是否|是不是|有没有)?(?:还|仍然?|依然)(?:在|有|存在|能用|可用"
            r"|支持|有效)(?:吗|么)?"
        ),
        r"解释 \1",
    ),
    (
        (
            rf"{_NAME}{_SORT_ZH} ?(?:(?:是|在)?(?:什么时候|何时|啥时候|哪个版本|为什么) ?|是否"
            rf"|是不是|有没有|已经?){{0,3}}被?(?:{_GONE_ZH}|{_OLD_ZH}|引入|添加|加入)"
            r"(?:掉|了|的|吗|么|没有?){0,4}"
        ),
        r"解释 \1",
    ),
    (
        (
            rf"{_NAME}{_SORT_ZH} ?的? ?默认值(?:是(?:什么|多少)|有?(?:没有)?(?:变化?|改变?)了?)?"
            r"(?:吗|么)?"
        ),
        r"解释 \1",
    ),
    # 本周哪些环境变量被删除了, v1.0 之后删除了哪些参数
    (
        rf"(.{{0,60}}?)有?(?:哪些|什么|没有){_THINGS_ZH} ?被?{_GONE_ZH}(?:掉|了|吗){{0,3}}",
        r"\1的不兼容变更",
    ),
    (rf"(.{{0,60}}?){_GONE_ZH}了(?:哪些|什么) ?{_THINGS_ZH}", r"\1的不兼容变更"),
    (
        rf"(.{{0,60}}?)有?(?:哪些|什么|没有){_THINGS_ZH} ?被?{_OLD_ZH}(?:掉|了|吗){{0,3}}",
        r"\1的弃用变更",
    ),
    (rf"(.{{0,60}}?){_OLD_ZH}了(?:哪些|什么) ?{_THINGS_ZH}", r"\1的弃用变更"),
    # 最新版本是什么, v1.0 什么时候发布的
    (
        (
            rf"({LATEST}|{_RELEASE}) ?(?:是|在)?"
            r"(?:什么|哪个|哪一个|多少|几|啥|什么时候|何时|哪天)"
            r" ?(?:版本?|发布|发行)?(?:的|了|出的)?"
        ),
        r"\1 有什么变化",
    ),
    # 从 v1.0 升级到 v1.1 要注意什么
    (
        (
            rf"(?:从|由) ?{_RELEASE} ?(?:升级?|更新|迁移)到? ?{_RELEASE} ?"
            rf"{_HAVE_TO_ZH}{_WATCH_ZH}{{0,5}}"
        ),
        r"\1 到 \2 的不兼容变更",
    ),
    (
        (
            rf"(?:升级?|更新|迁移)到? ?{_RELEASE} ?(?:之?前|时|后)?"
            rf"{_HAVE_TO_ZH}{_WATCH_ZH}{{1,5}}"
        ),
        r"\1 的不兼容变更",
    ),
    # 解释一下 #12, #12 会不会破坏什么, 谁在做 X, 本月安全修复有哪些
    (
        (
            r"(?:请问|麻烦|请)?(?:你|您)?(?:能不能|能否|能|可以|可否)?(?:帮我)?"
            rf"(?:解释|说明|介绍|讲解?|说说)(?:一下|下)? ?{_CHANGE_ZH} ?(?:吗|好吗|可以吗)?"
        ),
        r"解释 \1",
    ),
    (
        (
            rf"{_CHANGE_ZH} ?(?:会不会|是否会?|会)(?:破坏|影响|搞坏|弄坏)"
            r"(?:什么|啥|兼容性?|别的)?(?:吗)?"
        ),
        r"\1 有什么风险",
    ),
    (rf"{_CHANGE_ZH} ?(?:回滚|回退|撤销|还原)了?(?:什么|啥|哪个)(?:变更|改动|PR)?", r"解释 \1"),
    (
        rf"(?:给我)?(?:看看|显示|展示|看一下) ?{_CHANGE_ZH} ?的? ?(?:diff|差异|改动内容)",
        r"显示 \1 的差异",
    ),
    (
        rf"(?:能不能|能|可以|可否|是否可以)(?:安全地?)?升级?到? ?{_RELEASE} ?(?:吗)?",
        r"\1 的不兼容变更",
    ),
    (rf"{_NAME} ?(?:怎么了|怎么样了|去哪了|去哪里了|还能用吗|没了吗)", r"解释 \1"),
    (r"(.{0,20}?)谁在(?:做|改|开发|维护|负责|搞) ?(.{1,30})", r"\1谁改了\2"),
    (
        r"(.{0,20}?)的?(安全|性能|错误|bug|缺陷)(?:修复|优化)?有(?:哪些|什么|没有)",
        r"\1有哪些\2变更",
    ),
    (
        (
            rf"(.{{0,20}}?)的?(?:最大|最重要|最危险|风险最[大高])的?(?:几个|一个|那个)?{_NOUN_ZH}"
            r"(?:是(?:什么|哪个|哪些)|有哪些)?"
        ),
        r"\1的重要变更",
    ),
    (r"(.{0,20}?)的?(?:贡献者|作者|提交者)(?:都)?(?:有谁|是谁|有哪些人)", r"\1谁提交最多"),
    (rf"(.{{0,20}}?)(?:合并|提交|合入)了?(?:几|多少)(?:个|次)? ?{_NOUN_ZH}", r"\1有多少变更"),
    (
        rf"(.{{0,20}}?)(?:哪些|什么) ?{_NOUN_ZH} ?(?:改|动|碰|修改)(?:了|过)? ?{_PATH}",
        r"\1 \2 有什么变化",
    ),
    (r"谁(最近|近期)(?=[改动修更碰提参])(.+)", r"\1谁\2"),
    (
        rf"(?:解释|说明|介绍|分析|讲讲)(?:一下)? ?{_PATH}(?: ?([^!-~].{{0,40}}))?",
        r"\2 \1 有什么变化",
    ),
    (
        rf"(?:解释|说明|介绍|分析|讲讲)(?:一下)? ?([^!-~][^/]{{1,30}}?) ?的? ?{_PATH}",
        r"\1 \2 有什么变化",
    ),
    (
        r"(.{0,30}?)有(?:没有|什么|哪些){1,2}安全(?:漏洞)?(?:相关)?的?(?:修复|补丁|更新|问题|漏洞)",
        r"\1有哪些安全变更",
    ),
    (
        rf"(.{{0,30}}?)有没有((?:安全|性能|错误|bug|兼容)?\w{{0,6}}(?:修复|优化|{_NOUN_ZH}))",
        r"\1有哪些\2",
    ),
    (rf"(.{{0,20}}?)的? ?\d{{1,3}} ?[个条次项] ?({_NOUN_ZH})", r"\1的\2"),
    (
        (
            r"@?([A-Z][a-z][\w.-]{0,40}(?: [A-Z][\w.-]{0,40}){0,2}) ?([^!-~]{0,12}?)"
            r"(?:都|又)?(?:做|干|提交)了(?:些)?(?:什么|啥|哪些)"
        ),
        r"\2由 \1 提交的变更",
    ),
    (
        r"(.{0,20}?)(?:哪些)?依赖(?:库|包|项)? ?(?:被)?(?:升级|更新)了?(?:哪些|什么)?",
        r"\1依赖更新有哪些",
    ),
)

_FORMS = tuple(
    (re.compile(pattern, re.IGNORECASE), told) for pattern, told in (*_ENGLISH, *_CHINESE)
)


def _latest(found: re.Match[str]) -> str:
    """The latest release by the name that stands for it; what is quoted stays."""
    said = found[0]
    if said.startswith('"'):
        return said
    return LATEST if said.isascii() else f" {LATEST} "


def reworded(question: str) -> str:
    """The question as the grammar has it; as it is where no form is its own."""
    if len(question) > _LONGEST:
        return question
    question = " ".join(_LATEST.sub(_latest, question).split())
    for pattern, told in _FORMS:
        if found := pattern.fullmatch(question):
            return " ".join(found.expand(told).split())
    return question
