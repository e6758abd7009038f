"""Texts of chats: around answers, on subscriptions, settings, filters and profiles, and errors.

An error's English is its own text; other languages are made from its attributes.
"""

from __future__ import annotations

from digest import errors
from digest.core.enums import Alerts, ChatSetting, Effect, Frequency, Language
from digest.core.profile import EntryKind
from digest.i18n.phrase import Phrase

LOOKING = Phrase("Looking at it…", "正在查看…")
READING = Phrase(
    "Reading {done} of {total:change|changes}…", "正在读取 {total} 个变更中的 {done} 个…"
)
WRITING = Phrase(
    "Checking what the model says: {n:statement|statements} so far…",
    "正在核对模型的说法：已核对 {n} 条…",
)
WITHDRAWN = Phrase("The question was withdrawn.", "问题已撤回。")
INTERRUPTED = Phrase(
    "I was interrupted before I could answer; please ask again.", "回答被中断，请再问一次。"
)
INTERNAL = Phrase("Internal error {number}; see the log.", "内部错误 {number}；详情见日志。")
UNREADABLE = Phrase(
    "{repository} cannot be read at the moment; the log of the bot says why.",
    "暂时无法读取 {repository}；原因见机器人日志。",
)
ABOUT = Phrase("In {repository}", "仓库 {repository}")
NAME_ONE = Phrase(
    "This chat can see {names}. Name the one you mean, as in {example} or "
    "“… in <repository>”; otherwise I start with the first.",
    "此聊天可询问 {names}。可以指明仓库，如 {example} 或“在 <仓库> 里……”；否则先查第一个。",
)
EXPLAIN = Phrase("Explain {change}", "说明 {change}")
FULL_REPORT = Phrase("Full report", "完整报告")
USEFUL = Phrase("Useful", "有用")
USELESS = Phrase("Not useful", "没用")
MUTE = Phrase("Mute {topic}", "屏蔽 {topic}")
NOTED_USEFUL = Phrase("Noted as useful. Thank you.", "已记为有用，谢谢。")
NOTED_USELESS = Phrase("Noted as not useful. Thank you.", "已记为没用，谢谢。")
NOT_KNOWN = Phrase("I no longer know what this is about.", "已找不到对应的内容。")
HOME = Phrase("Subscriptions of your chats", "各聊天的订阅")
HOME_NONE = Phrase("No chat gets a digest yet.", "还没有聊天订阅摘要。")
HOME_RUN = Phrase("{names}, next on {when}", "{names}，下次 {when}")
HOME_ASK = Phrase(
    "Ask me here or in a channel; “help” shows what can be asked.",
    "可在此处或频道中提问；发送“帮助”查看可以问什么。",
)
SUBSCRIBED = Phrase("Subscribed to {names}: {when}.", "已订阅 {names}：{when}。")
ONLY_HERE = Phrase(
    "Nothing is posted to a terminal; `digestbot digest` shows a digest when you want it.",
    "终端不会收到推送，需要时用 `digestbot digest` 查看摘要。",
)
UNSUBSCRIBED = Phrase("{n:subscription|subscriptions} dropped.", "已取消 {n} 个订阅。")
NOT_SUBSCRIBED = Phrase("There was no such subscription.", "没有可以取消的订阅。")
STILL_FIXED = Phrase(
    "Posts set in the configuration continue; an admin can change them there, or pause this chat.",
    "配置文件设定的推送仍会继续；管理员可修改配置，或暂停此聊天。",
)
LIST = Phrase("Subscriptions of this chat", "此聊天的订阅")
NONE = Phrase(
    "This chat has no subscription. To get one: {command}", "此聊天没有订阅。订阅方法：{command}"
)
EVERY_DAY_AT = Phrase("every day at {time} ({zone})", "每天 {time}（{zone}）")
COMES = {
    Frequency.DAILY: Phrase("daily {days} at {time} ({zone})", "每天 {days} {time}（{zone}）"),
    Frequency.WEEKLY: Phrase("weekly {days} at {time} ({zone})", "每周 {days} {time}（{zone}）"),
    Frequency.FORTNIGHTLY: Phrase(
        "every second week, {days} at {time} ({zone})", "每两周 {days} {time}（{zone}）"
    ),
    Frequency.MONTHLY: Phrase(
        "monthly, on the first {days} at {time} ({zone})", "每月第一{days} {time}（{zone}）"
    ),
    Frequency.MONTH_END: Phrase(
        "monthly, on the last {days} at {time} ({zone})", "每月最后一{days} {time}（{zone}）"
    ),
}
EVERY_DAY = Phrase("every day", "每天")
ANY_DAY = Phrase("day", "天")
OF_THESE = Phrase("of {days}", "个{days}")
FROM_LEVEL = Phrase("level {level}", "级别 {level}")
ON_BRANCH = Phrase("branch {branch}", "分支 {branch}")
NEXT = Phrase("next {moment}", "下次 {moment}")
HELD = Phrase("paused", "已暂停")
HELD_UNTIL = Phrase("paused until {moment}", "暂停至 {moment}")
BY_CONFIG = Phrase("by the configuration", "来自配置文件")
PAUSED = Phrase(
    'Paused: no digest and no alert is posted here. "resume" ends it; what came meanwhile comes '
    "afterwards.",
    "已暂停推送摘要和提醒。发送“恢复”可继续；期间的内容会在恢复后补上。",
)
PAUSED_UNTIL = Phrase(
    "Paused until {moment} ({zone}): no digest and no alert is posted here. "
    '"resume" ends it sooner; what is missed is posted afterwards.',
    "已暂停推送摘要和提醒，至 {moment}（{zone}）。发送“恢复”可提前继续；期间的内容会在恢复后补上。",
)
PAUSE_RANGE = Phrase(
    "The end must be in the future and within a year; write, for example, pause until friday, "
    "pause for 3 days or mute docs until friday.",
    "结束时间须晚于现在，且在一年之内；例如：暂停到周五、暂停3天、静音 文档 到周五。",
)
UNTIL = Phrase("Until {moment} ({zone}).", "至 {moment}（{zone}）。")
RESUMED = Phrase("Digests come again.", "已恢复推送。")
MUTED = Phrase(
    "Muted: {topic}. Its changes are still counted, but left out of posts.",
    "已静音：{topic}。相关变更仍会计数，但不再出现在推送中。",
)
UNMUTED = Phrase("Shown again: {topic}.", "已恢复显示：{topic}。")
NOT_MUTED = Phrase("{topic} is not muted.", "{topic} 没有被静音。")
SETTINGS = Phrase("Settings of this chat", "此聊天的设置")
SET = Phrase("{name}: {value}", "{name}：{value}")
VALUES = {
    Language.EN: Phrase("English", "英文"),
    Language.ZH: Phrase("Chinese", "中文"),
    True: Phrase("on", "开"),
    False: Phrase("off", "关"),
}
"""Values that have display names."""

AS_USUAL = Phrase("{value} (default)", "{value}（默认）")
NAMES = {
    ChatSetting.LANGUAGE: Phrase("language", "语言"),
    ChatSetting.ZONE: Phrase("zone", "时区"),
    ChatSetting.TIME: Phrase("time", "时间"),
    ChatSetting.WEEKDAYS: Phrase("weekdays", "星期"),
    ChatSetting.LEVEL: Phrase("level", "级别"),
    ChatSetting.BRANCH: Phrase("branch", "分支"),
    ChatSetting.BOTS: Phrase("changes of bots", "机器人的变更"),
    ChatSetting.PRIVATE: Phrase("private repositories for outsiders", "向外部成员介绍私有仓库"),
}
REPOSITORIES = Phrase("repositories", "仓库")
INCLUDED = Phrase("include", "包含")
EXCLUDED = Phrase("exclude", "排除")
TOPICS = Phrase("muted topics", "静音主题")
DONE = Phrase("Set: {name} {value}.", "已设置：{name} {value}。")
DEFAULT_BRANCH = Phrase("the repository's own", "仓库默认分支")
PREVIEW = Phrase(
    "{rule} would keep {kept} of the {total:change|changes} of the last 7 days in {repository}.",
    "{rule} 会保留 {repository} 最近 7 天 {total} 个变更中的 {kept} 个。",
)
OF_ONE = Phrase("{repository}: {kept} of {total}", "{repository}：{total} 个中的 {kept} 个")
UNREAD = Phrase("{repository} cannot be read now.", "目前无法读取 {repository}。")
BEFORE = Phrase("Without it, {kept} are kept.", "不加此规则时保留 {kept} 个。")
LEFT_OUT = Phrase("Left out: {rules}.", "被过滤：{rules}。")
SAVE_WITH = Phrase("To save it: {command}", "保存请发送：{command}")
SAVE = Phrase("Save filter", "保存过滤规则")
SAVED = Phrase(
    "Saved: {rule}. It keeps {kept} of the {total:change|changes} of the last 7 days in "
    "{repository}.",
    "已保存：{rule}。{repository} 最近 7 天 {total} 个变更中保留 {kept} 个。",
)
REMOVED = Phrase("Removed: {rule}.", "已删除：{rule}。")
CLEARED = Phrase("All filters were removed.", "已清除全部过滤规则。")
NO_RULE = Phrase("There is no such filter: {rule}.", "没有过滤规则 {rule}。")
ONLY_ADMINS = Phrase("Only an admin of this chat can change that.", "只有此聊天的管理员可以修改。")
APPOINTED_ONLY = Phrase(
    "Only an admin whom the configuration names can allow that; see admins in [access].",
    "只有配置文件 [access] 中列出的管理员才能允许。",
)
NO_ROOM = Phrase("That is a command for chats.", "这是聊天中使用的命令。")
UNKNOWN_REPOSITORY = Phrase(
    "This chat has no repository {name}; it can subscribe to {known}.",
    "此聊天没有名为 {name} 的仓库；可订阅：{known}。",
)
ONE_DAY = Phrase(
    "A digest every week or every second week is sent on one weekday.",
    "每周或每两周的摘要只能选一个星期几。",
)
TOO_MANY = Phrase("The maximum is {n}.", "数量已达上限（{n}）。")

AFFECTED = Phrase(
    "{broken:change|changes} may break what you use, {touched:more touches|more touch} it",
    "{broken} 个变更可能破坏你所使用的内容，另有 {touched} 个与之相关",
)
ONLY_BROKEN = Phrase(
    "{broken:change|changes} may break what you use", "{broken} 个变更可能破坏你所使用的内容"
)
ONLY_TOUCHED = Phrase(
    "Nothing found that breaks what you use; {touched:change touches|changes touch} it",
    "未发现会破坏你所使用内容的变更；{touched} 个变更与之相关",
)
EFFECTS = {
    Effect.MAY_BREAK: Phrase("May break", "可能破坏"),
    Effect.TOUCHES: Phrase("Touches", "有关"),
}
SHOWN = Phrase("{first}–{last} of {total} shown", "显示 {first}–{last} / {total}")
MORE_HITS = Phrase("and {n:more place|more places}", "另有 {n} 处")
UNAFFECTED = Phrase(
    "No change in this period affects your profile; {n:change was|changes were} checked.",
    "这段时间没有变更涉及你的档案，共检查 {n} 个变更。",
)
ADDED = Phrase("{kind} added: {named}", "新增{kind}：{named}")
PROFILE_REMOVED = Phrase("{kind} removed: {named}", "移除{kind}：{named}")
RENAMED = Phrase("{kind} renamed: {named}", "{kind}更名：{named}")
CHANGED = Phrase("{kind} changed: {named}", "{kind}变更：{named}")
DEPRECATED = Phrase("{kind}: {named}", "{kind}：{named}")
FILE_DELETED = Phrase("{path} is deleted", "删除 {path}")
FILE_RENAMED = Phrase("{old} is now {path}", "{old} 更名为 {path}")
FILE_ADDED = Phrase("{path} is new", "新增 {path}")
FILE_PATCHED = Phrase(
    "{path} is changed by your fork too: a merge may conflict",
    "你的分叉也修改了 {path}：合并时可能冲突",
)
FILE_BESIDE = Phrase(
    "{path} is changed, but not in the lines that your fork changes",
    "修改 {path}，但不是你的分叉修改的行",
)
FILE_CHANGED = Phrase("{path} is changed", "修改 {path}")
FILE_NOW = Phrase("{path}, now {new}", "{path}（现为 {new}）")
PATCHED_FILES = Phrase(
    "Files that your fork changes too ({n:file|files})", "你的分叉也修改的文件（{n} 个）"
)
PATCHED = Phrase("{file}: {told} ({changes})", "{file}：{told}（{changes}）")
SAME_LINES = Phrase(
    "expect a conflict, lines that your fork changes were changed too: {lines}",
    "预计有冲突，你的分叉修改的行也被改动：{lines}",
)
REMOVED_FILE = Phrase("expect a conflict, the file was removed", "预计有冲突，文件已被删除")
OTHER_LINES = Phrase(
    "no conflict expected, only other lines were changed", "预计没有冲突，只改动了其他行"
)
AS_BEFORE = Phrase(
    "no conflict expected, its contents are as before", "预计没有冲突，内容与之前相同"
)
UNKNOWN_LINES = Phrase(
    "a conflict is possible, the lines that your fork changes are not known",
    "可能有冲突，不清楚你的分叉修改了哪些行",
)
ALL_LINES = Phrase("all", "全部")
MORE_FILES = Phrase("and {n:more file|more files}", "另有 {n} 个文件")
SIGNATURE = Phrase("calls of {name}: {told}", "调用 {name}：{told}")
NEEDS = Phrase("now need {names}", "现在必须传入{names}")
LOST = Phrase("can no longer pass {names}", "不能再传入{names}")
TAKES = Phrase("may pass {names}", "可以传入{names}")
PROFILE_ABOUT = Phrase("about {entry} ({why})", "与 {entry} 有关（{why}）")
PROFILE = Phrase(
    "Profile for {repository}: {n:entry|entries}", "你使用的 {repository} 内容：{n} 项"
)
KINDS = {
    EntryKind.FLAG: Phrase("Flags", "命令行参数"),
    EntryKind.VARIABLE: Phrase("Variables", "环境变量"),
    EntryKind.SYMBOL: Phrase("Symbols", "代码符号"),
    EntryKind.PATH: Phrase("Paths", "路径"),
    EntryKind.TOPIC: Phrase("Topics", "主题"),
    EntryKind.PATCH: Phrase("Files that your fork changes", "你的分叉修改的文件"),
}
EMPTY = Phrase("The profile is empty.", "档案为空。")
ALERTS = {
    Alerts.OFF: Phrase("Alerts are off.", "提醒已关闭。"),
    Alerts.BREAKING: Phrase(
        "Alerts are on: you will be notified of what may break as soon as it is merged.",
        "提醒已开启：可能造成破坏的变更合并后立即通知。",
    ),
    Alerts.ALL: Phrase(
        "Alerts are on: you will be notified of everything that affects the profile as soon as it "
        "is merged.",
        "提醒已开启：影响上述内容的所有变更合并后立即通知。",
    ),
}
HOW = Phrase(
    "profile add --flag APP_VARIABLE package.Symbol src/path/ topic · profile remove … · "
    "profile clear · affected this week · alerts on · alerts all",
    "档案 添加 --flag APP_VARIABLE package.Symbol src/path/ 主题 · 档案 删除 … · 档案 清空 · "
    "本周影响我吗 · 开启提醒 · 全部提醒",
)
NO_PROFILE = Phrase(
    "I do not know what you use of {repository}. Tell me: profile add --flag APP_VARIABLE "
    "package.Symbol src/path/ topic",
    "我还不知道你使用 {repository} 的哪些内容。请告诉我：档案 添加 --flag APP_VARIABLE "
    "package.Symbol src/path/ 主题",
)
ALERT = Phrase(
    "{n:merged change|merged changes} in {repository} may break what you use",
    "{repository} 中有 {n} 个已合并的变更可能破坏你所使用的内容",
)
ALERT_TOUCHED = Phrase(
    "{n:merged change affects|merged changes affect} what you use of {repository}",
    "{repository} 中有 {n} 个已合并的变更影响你所使用的内容",
)
MORE_CHANGES = Phrase("and {n:more change|more changes}", "另有 {n} 个变更")


def complaint(error: errors.UserError, language: Language) -> str:
    """What went wrong and how to fix it, in one line."""
    return _chinese(error) if language is Language.ZH else str(error)


def _chinese(error: errors.UserError) -> str:
    match error:
        case errors.InvalidDate(text=text):
            return f"“{text}”不是有效的日期或时间，请写成 2026-01-23 或 2026-01-23T08:00。"
        case errors.InvalidReference(text=text):
            return f"“{text}”不能表示一个变更，请写 #123、至少 7 位的提交号，或者 PR、提交的网址。"
        case errors.UnknownChange(reference=reference, where=where):
            return f"在 {where} 中没有找到 {reference}，请检查编号，或换一个仓库或分支。"
        case errors.AmbiguousReference(reference=reference, candidates=candidates):
            listed = "、".join(c[:12] for c in candidates[:5])
            return f"{reference} 对应多个提交（{listed}），请多写几位。"
        case errors.AmbiguousRepository(names=names):
            listed, more = "、".join(names[:10]), "等" if len(names) > 10 else ""
            return (
                f"有多个仓库符合：{listed}{more}，请写出其中一个的全名，例如：解释 {names[0]}#123"
            )
        case errors.FutureWindow():
            return "这段时间还没有到，请选择更早的日期。"
        case errors.InvalidWindow():
            return "这段时间不成立：请检查起止日期的先后和长度。"
        case errors.UnknownZone(name=name):
            return f"“{name}”不是 IANA 时区，请写成 Asia/Shanghai 或 UTC。"
        case errors.UnknownBranch(name=name):
            return f"仓库里没有名为“{name}”的分支、标签或提交。"
        case errors.RangeTooLarge(number=number, most=most):
            return f"两者之间有 {number:,} 个提交，最多可比较 {most:,} 个，请选择更近的两个。"
        case errors.NoRelease(repository=repository):
            return f"{repository} 这里没有发布的标签，请写明标签、分支或提交。"
        case errors.NotOnForge(host=host, what=what):
            return f"{host} 上没有 {what}，或者它没有对本机器人公开。"
        case errors.ForgeLimited(host=host, until=until):
            return f"{host} 的请求额度已用完，请在 {until:%Y-%m-%d %H:%M} UTC 之后再问。"
        case errors.ForgeDown(host=host):
            return f"现在无法访问 {host}，请稍后再试。"
        case errors.ForgeUnauthorized(host=host):
            return f"{host} 拒绝了本机器人的凭证，请管理员运行 digestbot check 并检查 [forges]。"
        case errors.NothingBefore(shown=shown) if shown:
            return f"你指的是哪一个？{shown} ——可以说，例如：第一个"
        case errors.NothingBefore():
            return "不清楚你指的是哪个变更或哪次回答，请写明，例如：解释 #123"
        case errors.EmptyRange(base=base, tip=tip, reversed=turned):
            out = f"请写 {tip}..{base}" if turned else "请选择两个不同的引用"
            return f"{tip} 没有 {base} 之外的变更；{out}。"
        case errors.SourceUnavailable():
            return f"现在无法读取仓库：{error}"
        case _:
            return f"无法完成：{error}"
