"""What a chat is told about itself: subscriptions, settings, filters. Imports ``phrase``."""

from __future__ import annotations

from digest.language import Language
from digest.managing import Setting
from digest.words.phrase import Phrase

SUBSCRIBED = Phrase("Subscribed to {names}: {when}.", "已订阅 {names}：{when}。")
UNSUBSCRIBED = Phrase("{n:subscription|subscriptions} dropped.", "已取消 {n} 个订阅。")
NOT_SUBSCRIBED = Phrase("There was nothing to unsubscribe from.", "没有可以取消的订阅。")
STILL_FIXED = Phrase(
    "What the configuration posts here goes on; an admin can change it there, or pause this chat.",
    "配置文件设定的推送仍会继续；管理员可修改配置，或暂停此聊天。",
)
LIST = Phrase("Subscriptions of this chat", "此聊天的订阅")
NONE = Phrase(
    "This chat has no subscription. To get one: {command}",
    "此聊天没有订阅。订阅方法：{command}",
)
DAILY = Phrase("daily {days} at {time} ({zone})", "每天 {days} {time}（{zone}）")
WEEKLY = Phrase("weekly {days} at {time} ({zone})", "每周 {days} {time}（{zone}）")
FROM_LEVEL = Phrase("level {level}", "级别 {level}")
ON_BRANCH = Phrase("branch {branch}", "分支 {branch}")
NEXT = Phrase("next {moment}", "下次 {moment}")
HELD = Phrase("paused", "已暂停")
BY_CONFIG = Phrase("by the configuration", "来自配置文件")
EVERY_DAY = Phrase("every day", "每天")

PAUSED = Phrase(
    'Paused: nothing is posted here by itself. "resume" ends it; what came meanwhile comes with '
    "the next digest.",
    "已暂停自动推送。发送“恢复”可继续；期间的变更会在下一次摘要中补上。",
)
RESUMED = Phrase("Digests come again.", "已恢复推送。")
MUTED = Phrase(
    "Muted: {topic}. Its changes stay counted, and are left out of the posts.",
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
"""Values that people have words for."""
AS_USUAL = Phrase("{value} (default)", "{value}（默认）")
NAMES = {
    Setting.LANGUAGE: Phrase("language", "语言"),
    Setting.ZONE: Phrase("zone", "时区"),
    Setting.TIME: Phrase("time", "时间"),
    Setting.WEEKDAYS: Phrase("weekdays", "星期"),
    Setting.LEVEL: Phrase("level", "级别"),
    Setting.BRANCH: Phrase("branch", "分支"),
    Setting.BOTS: Phrase("changes of bots", "机器人的变更"),
    Setting.PRIVATE: Phrase("private repositories for outsiders", "向外部成员介绍私有仓库"),
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
CLEARED = Phrase("All filters are removed.", "已清除全部过滤规则。")
NO_RULE = Phrase("There is no filter {rule}.", "没有过滤规则 {rule}。")

ONLY_ADMINS = Phrase("Only an admin of this chat can change that.", "只有此聊天的管理员可以修改。")
APPOINTED_ONLY = Phrase(
    "Only an admin whom the configuration names can allow that; see admins in [access].",
    "只有配置文件 [access] 中列出的管理员才能允许。",
)
NO_ROOM = Phrase("That is a command for chats.", "这是聊天中使用的命令。")
UNKNOWN_REPOSITORY = Phrase(
    "This chat knows no repository {name}; it can subscribe to {known}.",
    "此聊天没有名为 {name} 的仓库；可订阅：{known}。",
)
ONE_DAY = Phrase("A weekly digest comes on one weekday.", "每周摘要只能选一个星期几。")
TOO_MANY = Phrase("That is enough: {n} at most.", "数量已达上限（{n}）。")

HELP_SUBSCRIBE = Phrase(
    "Digests for this chat: subscribe, subscriptions, unsubscribe, pause, resume.",
    "此聊天的摘要：订阅、订阅列表、取消订阅、暂停、恢复。",
)
HELP_MUTE = Phrase(
    "Leave a topic out of the posts, or show it again with unmute.",
    "让推送不再显示某个主题；用“取消静音”恢复。",
)
HELP_FILTER = Phrase(
    "Include or exclude by path, label, author or keyword; it is shown before it is saved.",
    "按路径、标签、作者或关键词包含或排除；保存前会先预览。",
)
HELP_SETTINGS = Phrase(
    "Settings of this chat: language, zone, time, weekdays, level, branch, bots.",
    "此聊天的设置：语言、时区、时间、星期、级别、分支、机器人。",
)
