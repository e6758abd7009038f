"""What is said of profiles and of what reaches them."""

from __future__ import annotations

from digest.affecting import Effect
from digest.profile import Kind
from digest.words.phrase import Phrase

AFFECTED = Phrase(
    "{broken:change|changes} may break what you use, {touched:more touches|more touch} it",
    "{broken} 个变更可能破坏你所使用的内容，另有 {touched} 个与之相关",
)
EFFECTS = {
    Effect.MAY_BREAK: Phrase("May break", "可能破坏"),
    Effect.TOUCHES: Phrase("Touches", "有关"),
}
SHOWN = Phrase("{first}–{last} of {total} shown", "显示 {first}–{last} / {total}")
MORE_HITS = Phrase("and {n:more place|more places}", "另有 {n} 处")
UNAFFECTED = Phrase(
    "No change of this period reaches what your profile names; {n:change was|changes were} "
    "looked at.",
    "这段时间没有变更涉及你的档案，共检查 {n} 个变更。",
)

ADDED = Phrase("{kind} added: {named}", "新增{kind}：{named}")
REMOVED = Phrase("{kind} removed: {named}", "移除{kind}：{named}")
RENAMED = Phrase("{kind} renamed: {named}", "{kind}更名：{named}")
CHANGED = Phrase("{kind} changed: {named}", "{kind}变更：{named}")
DEPRECATED = Phrase("{kind}: {named}", "{kind}：{named}")
FILE_DELETED = Phrase("{path} is deleted", "删除 {path}")
FILE_RENAMED = Phrase("{old} is now {path}", "{old} 更名为 {path}")
FILE_ADDED = Phrase("{path} is new", "新增 {path}")
FILE_CHANGED = Phrase("{path} is changed", "修改 {path}")
SIGNATURE = Phrase("calls of {name}: {told}", "调用 {name}：{told}")
NEEDS = Phrase("now need {names}", "现在必须传入{names}")
LOST = Phrase("can no longer pass {names}", "不能再传入{names}")
TAKES = Phrase("may pass {names}", "可以传入{names}")
ABOUT = Phrase("about {entry} ({why})", "与 {entry} 有关（{why}）")

PROFILE = Phrase(
    "What you use of {repository}: {n:entry|entries}", "你使用的 {repository} 内容：{n} 项"
)
KINDS = {
    Kind.FLAG: Phrase("Flags", "命令行参数"),
    Kind.VARIABLE: Phrase("Variables", "环境变量"),
    Kind.SYMBOL: Phrase("Symbols", "代码符号"),
    Kind.PATH: Phrase("Paths", "路径"),
    Kind.TOPIC: Phrase("Topics", "主题"),
}
EMPTY = Phrase("The profile is empty.", "档案为空。")
ALERTS_ON = Phrase(
    "Alerts are on: what may break is told as soon as it is merged.",
    "提醒已开启：可能造成破坏的变更合并后立即通知。",
)
ALERTS_OFF = Phrase("Alerts are off.", "提醒已关闭。")
HOW = Phrase(
    "profile add --flag APP_VARIABLE package.Symbol src/path/ topic · profile remove … · "
    "profile clear · affected this week · alerts on",
    "档案 添加 --flag APP_VARIABLE package.Symbol src/path/ 主题 · 档案 删除 … · 档案 清空 · "
    "本周影响我吗 · 开启提醒",
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
MORE_CHANGES = Phrase("and {n:more change|more changes}", "另有 {n} 个变更")

HELP_AFFECTED = Phrase(
    "Changes that reach what you use, with their evidence.", "影响你所使用内容的变更及其依据。"
)
HELP_PROFILE = Phrase(
    "What you use: flags, variables, symbols, paths, topics. “my profile” is your own, else it is "
    "the chat's.",
    "你使用的内容：命令行参数、环境变量、代码符号、路径、主题。“我的档案”属于你个人，否则属于聊天。",
)
HELP_PROFILE_FROM = Phrase(
    "Fill it with what the code of a fork or plug-in uses.", "从分支或插件的代码中读取所用内容。"
)
HELP_ALERT = Phrase(
    "Be told at once of what may break you, without waiting for the digest.",
    "可能造成破坏的变更立即通知，不等摘要。",
)
