"""The Chinese grammar: frames of questions, as ``english`` has them for English."""

from __future__ import annotations

import re
from dataclasses import replace

from digest.core.grade import Level
from digest.core.reference import parse_reference
from digest.errors import InvalidReference
from digest.question.question_parts import QuestionParts, Verb


def _any(words: str) -> str:
    """A pattern of one of the words, which are separated by spaces."""
    return f"(?:{'|'.join(words.split())})"


_KINDS = _any("PR MR 提交 合并请求 拉取请求 变更 改动 补丁 这个 那个")

_NOUNS = _any("变化 变更 改动 更新 进展 动态 修改 提交 改变 改进 变动 PR 合并 新闻 东西")

_WHICH = _any("什么 哪些 啥 哪几个 何")

_CHANGE = _any("改 变 更新 合并 修改 做 新增 增加 发生 动 调整")

_SHOW = _any("列出 查看 显示 看看 看一下 看 查一下 查看一下 总结 汇总 列一下 说说")

_HAS_IT = _any("提到 包含 含有")

_ABOUT = _any("关于 有关 涉及")

_BIG = rf"(?:{_any('重要 重大 主要 关键 高优先级 高级别 显著 大 新 最新 其他')}的?)?"

_POLITE_BEGIN = re.compile(
    "^(?:"
    + _any("请问 请 麻烦 劳驾 帮我 帮忙 给我 告诉我 能不能 能否 可以 可否 你好 您好")
    + r"[，,、 ]?|(?:我想知道|我想看|想知道|你|您|一下)[，,、 ]?)+(?=\S)"
)

_POLITE_END = re.compile(rf"(?:[，, ]?{_any('吗 呢 吧 啊 呀 谢谢 多谢 好吗 可以吗')})+$")

_DOES = _any("""
    是什么 是什么意思 是干什么的? 是干嘛的? 是干啥的? 做了什么 做了啥 改了什么 改了啥 改了哪些
    干了什么 干了啥 讲了?什么 讲了?啥 说了?什么 说了?啥 有什么影响 有什么用 有什么变化 有什么改动
    的内容 的细节 的影响 的详情 什么意思 怎么样 详情 是关于什么的
    """)

_EXPLAIN = re.compile(
    rf"(?:{_any('解释 说明 介绍 分析 讲讲 讲解 说说 看看 总结 解读 详解 讲 查看 说')}"
    r"(?:一下|下)?)? ?"
    rf"(?:{_KINDS}[:：]? ?)*((?:(?:issue|问题|工单) ?)?[!-~]+?) ?(?:(?:这个|那个)? ?{_KINDS})? ?"
    rf"(?:(?:到底|究竟|主要)?{_DOES})?",
    re.IGNORECASE,
)

_HELP = re.compile(
    _any("帮助 救命 使用说明 使用方法 使用帮助 用法 命令 命令列表 功能 功能列表 怎么用 如何使用")
    + r"|说明|(?:你|您)?(?:能|会|可以)(?:做|干|回答)?(?:什么|啥|些什么|做什么|干什么)"
    r"|(?:你|您)?是谁"
    r"|(?:我)?(?:能|可以)(?:问|说)(?:什么|啥)|怎么(?:使用|问)"
)

_DIGEST = re.compile(
    rf"{_any('生成 看看 查看 看 发 来 做 写 给出')}?(?:一份|一个|份|下)?的?{_NOUNS}?"
    r"(?:(日报|每日摘要)|(周报|每周摘要)|(月报|每月摘要)"
    rf"|{_any('摘要 汇总 简报 总结 报告 小结 概览 概要 综述 概述')})(?:一下)?"
    r"|(?:都)?(?:发生了|出了)(?:什么|啥|哪些)(?:事情?)?|总结一下|汇总一下"
)

_DIGEST_DAYS = (1, 7, 30)

_FIND = _any("搜索 搜一下 搜(?!索|一下) 检索 查找 查询 寻找 找一下 找找 找(?!一下|找)")

_SEARCH = re.compile(
    rf"{_FIND}(?:一下)?(?:{_HAS_IT}|关于)?[:：]? ?(.+?)(?:的{_NOUNS})?"
    rf"|(?:哪些|什么|有没有){_NOUNS}{_HAS_IT}了? ?(.+)"
    rf"|{_HAS_IT} ?(.+?) ?的{_NOUNS}(?:有哪些)?"
)

_TERM = re.compile(r"[\"“「『]([^\"”」』]{1,200})[\"”」』]|([^\s\"“”「」『』]+)")

_CHANGED_FRAMES = (
    # 移除了哪些 X
    rf"({_any('移除 删除 弃用 废弃 修复 回滚 撤销 重构 优化')})了(?:些)?{_WHICH} ?(.*)",
    # X 改了什么, 改了哪些 X
    (
        rf"(.*?) ?(?:都|又|到底)?(?:是)?{_CHANGE}了?(?:些)?{_WHICH}"
        rf"(?:东西|内容|功能|地方)?(?:{_NOUNS})?"
    ),
    rf"(?:都)?{_CHANGE}了?(?:些)?{_WHICH}(.*?)(?:相关)?的?(?:东西|内容|代码|功能)?",
    # 有没有关于 X 的更新
    rf"(?:有没有|有无|是否有){_ABOUT}? ?(.*?) ?(?:有关|相关|方面)?的?{_BIG}{_NOUNS}",
    # X 有什么变化, 关于 X 有哪些新的改动, 有哪些 PR 合并了
    (
        rf"(?:关于|对于|在)? ?(.*?) ?(?:都|最新|发生|出现|又)*"
        rf"有?(?:了|过)?(?:{_WHICH}|没有) ?{_BIG}{_NOUNS}(?: ?{_CHANGE}了?)?"
    ),
    # X 有更新
    rf"(?:关于|对于|在)? ?(.*?) ?(?:有|有没有)(?:了|过)?{_BIG}{_NOUNS}(?:没有|没)?",
    # 有哪些与 X 有关的变更
    rf"有?{_WHICH}(?:关于|有关|涉及|和|与) ?(.+?) ?(?:有关|相关)?的?{_BIG}{_NOUNS}",
    rf"{_WHICH}{_NOUNS}(?:涉及|影响|动)了? ?(.+)",
    rf"有?{_WHICH}(.*?)的?(?:{_NOUNS}|新功能)",
    # 看看 X 的变更, X 改动大吗, 变更 X
    (
        rf"{_SHOW}?(?:一下)? ?(?:所有|全部|最新)?的?{_ABOUT}? ?(.+?) ?(?:有关|相关|方面)?的?"
        rf"{_BIG}{_NOUNS}(?:有哪些|情况|列表|如何|怎么样|大|多|大不大|多不多)?"
    ),
    rf"(?:所有|全部|最新)?的?{_BIG}{_NOUNS}(?:有哪些|情况|列表)?[:：]? ?(.*)",
    # 谁改了 X
    rf"谁(?:最近)?{_any('改 动 修改 更新 碰 提交 参与 负责 维护')}(?:了|过)? ?(.+)",
    # X 怎么样了, 关于 X
    r"(.+?) ?(?:怎么样了?|如何了|进展如何|什么情况|啥情况|怎样了)",
    r"(?:关于|有关|看看|聊聊|说说) ?(.+?) ?(?:的(?:情况|事情?|消息))?",
)

_CHANGED = tuple(re.compile(frame, re.IGNORECASE) for frame in _CHANGED_FRAMES)

_BY = re.compile(
    r"(?:由|作者(?:是|为)?[:：]?) ?\"?([^\s\"的，,]{1,40}?(?: [A-Z][\w.'-]*){0,3}?)\"? ?"
    rf"(?:所?{_any('提交 修改 改 做 贡献 写 合并')})?(?:的|$)"
)

_LEVEL = re.compile(
    rf"(?:({_any('重要 重大 关键 主要 高级别 高优先级 高影响 高')[3:-1]})|(中级别?|中等))"
    rf"(?:程度|级别|影响)?(?:以上)?的?(?={_NOUNS})"
)

_LEADING = re.compile(
    rf"(?:{_any('关于 有关 对于 涉及 在 我们的? 咱们的? 这个 那个 的 和 都 有 最新')}|[,，:： ])+"
)

_TRAILING = re.compile(
    rf"(?:{_any('方面 模块 部分 相关 有关 领域 代码 这块 这里 那块 里面? 中 上 的 有 都 最新')}"
    r"|发生|一下|了|组件|子系统|[，, ])+$"
)

_PATH = re.compile(
    r"[\w.@+~-]+(?:/[\w.@+~-]+){2,}/?|[\w.@+~/-]+/|[\w.@+~-]+/[\w.@+~-]*\.[a-z]{1,5}", re.ASCII
)

_EVERYTHING = re.compile(
    _any("仓库 项目 代码 代码库 整个项目 全部 所有 主分支 这个仓库 大家 repo main")
)

_NO_TOPIC = re.compile(
    r"[你我他她您谁请吗呢吧#帮]|哪[里个些]|"
    + _any("什么 怎么 为什么 天气 吃饭 笑话 合并掉 关闭 部署 运行 早上好 晚上好 再见")
)

_LONGEST = 300
"""Characters of a question; frames with two open ends take quadratic time."""

_TOPIC_LENGTH = 40

_BARE_LENGTH = 16


def read(question: str) -> QuestionParts | None:
    """The wish of a Chinese question; ``None`` where the grammar has no place for it."""
    if len(question) > _LONGEST:
        return None
    if _HELP.fullmatch(question):
        return QuestionParts(verb=Verb.HELP)
    text = _POLITE_END.sub("", _POLITE_BEGIN.sub("", question)).strip(" ，,、：:")
    if _HELP.fullmatch(text):
        return QuestionParts(verb=Verb.HELP)
    if found := _EXPLAIN.fullmatch(text):
        try:
            return QuestionParts(
                verb=Verb.EXPLAIN, reference=parse_reference(found[1].strip(",.;:()"))
            )
        except InvalidReference:
            pass
    if re.match(r"解释|解读|详解|讲解", text):
        return None
    if found := _DIGEST.fullmatch(text):
        days = next((d for d, g in zip(_DIGEST_DAYS, found.groups(), strict=True) if g), 0)
        return QuestionParts(verb=Verb.DIGEST, days=days)
    if found := _SEARCH.fullmatch(text):
        terms = tuple(a or b for a, b in _TERM.findall(next(g for g in found.groups() if g)))
        return QuestionParts(verb=Verb.SEARCH, terms=terms) if terms else None
    return _read_changed(text)


def _read_changed(text: str) -> QuestionParts | None:
    level = None
    if found := _LEVEL.search(text):
        level = Level.HIGH if found[1] else Level.MEDIUM
        text = text[: found.start()] + text[found.end() :]
    author = ""
    if found := _BY.search(text):
        author, text = found[1], text[: found.start()] + text[found.end() :]
    for pattern in _CHANGED:
        if found := pattern.fullmatch(text):
            name = _topic("".join(g for g in found.groups() if g))
            if name is not None:
                return _changed(name, author, level)
    bare = _topic(text) if len(text) <= _BARE_LENGTH else None
    return replace(_changed(bare, author, level), bare=True) if bare else None


def _changed(name: str, author: str, level: Level | None) -> QuestionParts:
    if _PATH.fullmatch(name):
        return QuestionParts(verb=Verb.CHANGED, path=name, author=author, level=level)
    return QuestionParts(verb=Verb.CHANGED, topic=name, author=author, level=level)


def _topic(written: str) -> str | None:
    """The name of the topic; empty for everything, ``None`` where the words cannot name one."""
    name = written.strip(" \"'`“”‘’「」『』()（）[]【】《》")
    if found := _LEADING.match(name):
        name = name[found.end() :]
    name = _TRAILING.sub("", name)
    if not name or _EVERYTHING.fullmatch(name):
        return ""
    if len(name) > _TOPIC_LENGTH or _NO_TOPIC.search(name):
        return None
    return name if any(c.isalnum() for c in name) else None
