"""The wording of the pages around the changes, and of days, weeks and times."""

from __future__ import annotations

from datetime import date, timedelta
from zoneinfo import ZoneInfo

from digest.answer.buttons import Mark
from digest.core.enums import Frequency, Language
from digest.i18n.phrase import Phrase
from digest.window import Window, minute, span_of

MARKS = {
    Mark.BREAKING: Phrase("breaking", "不兼容"),
    Mark.SECURITY: Phrase("security", "安全"),
    Mark.DEFAULT: Phrase("new default", "默认值改变"),
    Mark.DEPRECATION: Phrase("deprecation", "弃用"),
    Mark.REVERT: Phrase("revert", "回退"),
}
"""The wording of the marks of rows."""

FREQUENCIES = {
    Frequency.WEEKLY: Phrase("weekly", "每周"),
    Frequency.FORTNIGHTLY: Phrase("every second week", "每两周"),
    Frequency.MONTHLY: Phrase("monthly", "每月"),
    Frequency.MONTH_END: Phrase("month-end", "月末"),
}
"""The kinds of digests that are not daily."""

STATES = {
    "reverted_by": Phrase("Reverted by", "已被回退："),
    "relanded_as": Phrase("Landed again as", "重新合入："),
    "reverts": Phrase("Reverts", "回退了："),
    "relands": Phrase("Lands again", "重新合入了："),
    "same_request": Phrase("Another commit of the same request:", "同一请求的另一提交："),
    "named_by": Phrase("Named by", "被提及："),
}
"""The later fates of a change, in the order of display."""

PHRASES = {
    "act": Phrase("to do", "需处理"),
    "to_act_on": Phrase("To act on", "需要处理"),
    "others": Phrase("{n:other|others}", "另有 {n} 个"),
    "follows": Phrase("follow-up to {change}", "{change} 的后续"),
    "latest": Phrase("The latest change here: {day}.", "此处最新的变更：{day}。"),
    "stray": Phrase(
        "On another branch: not included in lists and counts.", "属于其他分支：列表和计数不包含它。"
    ),
    "skip": Phrase("Skip to content", "跳到正文"),
    "repositories": Phrase("Repositories", "代码仓库"),
    "no_repositories": Phrase("There is no repository to show.", "没有可显示的代码仓库。"),
    "sign_in_for_more": Phrase("Sign in to see private repositories.", "登录后可查看私有仓库。"),
    "changes": Phrase("{n:change|changes}", "{n} 个变更"),
    "archived": Phrase(
        "{n:change|changes} read, the oldest from {first}, the newest from {last}",
        "已读取 {n} 个变更，最早 {first}，最新 {last}",
    ),
    "nothing_archived": Phrase("Nothing is archived yet.", "尚无归档内容。"),
    "private": Phrase("private", "私有"),
    "pulse": Phrase("Changes per day", "每日变更数"),
    "pulse_told": Phrase(
        "Changes a day by importance, {first} to {last}: {n:change|changes}, {high} of high "
        "importance; the busiest day was {busiest} with {most}.",
        "{first} 至 {last} 每日各重要度的变更数：共 {n} 个变更，其中高重要度 {high} 个；"
        "最多的一天是 {busiest}，有 {most} 个。",
    ),
    "hot": Phrase("Busiest folders", "变更所在"),
    "hot_told": Phrase(
        "Folders touched by most changes: {place} by {n}.",
        "被最多变更涉及的目录：{place}，{n} 个。",
    ),
    "themes": Phrase("Themes", "主题"),
    "more": Phrase("and {n} more", "等 {n} 个"),
    "by_model": Phrase("model", "模型"),
    "by_model_told": Phrase(
        "Written by a model and checked against the changes.", "由模型撰写，并已对照变更核实。"
    ),
    "led_of": Phrase("From the digest of {span}.", "出自 {span} 的摘要。"),
    "as_table": Phrase("As a table", "以表格查看"),
    "folder": Phrase("Folder", "目录"),
    "day": Phrase("Day", "日期"),
    "total": Phrase("Total", "合计"),
    "days": Phrase("Days", "按日"),
    "calendar": Phrase("Calendar", "日历"),
    "calendar_told": Phrase(
        "Each day shows its changes of high importance in bold, then all of its changes.",
        "每天先以粗体显示高重要度变更数，再显示全部变更数。",
    ),
    "all_months": Phrase("All months", "全部月份"),
    "week_column": Phrase("Week", "周"),
    "weekdays": Phrase("Mon Tue Wed Thu Fri Sat Sun", "一 二 三 四 五 六 日"),
    "day_told": Phrase(
        "{n:change|changes}, {high} of high importance", "{n} 个变更，高重要度 {high} 个"
    ),
    "filters": Phrase("Filters", "筛选"),
    "kind": Phrase("Kind", "种类"),
    "area": Phrase("Area", "区域"),
    "author": Phrase("Author", "作者"),
    "since": Phrase("From", "从"),
    "until": Phrase("To", "到"),
    "any": Phrase("any", "不限"),
    "apply": Phrase("Apply", "应用"),
    "questions": Phrase("Questions to ask", "可以这样提问"),
    "released_in": Phrase("Released in {release}.", "发布于 {release}。"),
    "unreleased": Phrase(
        "Not in any release known here; the newest is {release}.",
        "已知的发布都尚未包含它，其中最新的是 {release}。",
    ),
    "fix_released": Phrase(
        "Upgrade to a release with this security fix: {releases}.",
        "请升级到包含此安全修复的版本：{releases}。",
    ),
    "fix_unreleased": Phrase(
        "No release known here has this security fix yet; the newest is {release}.",
        "已知的发布都尚未包含此安全修复，其中最新的是 {release}。",
    ),
    "affected": Phrase(" Affected: {paths}.", "受影响：{paths}。"),
    "copied_to": Phrase("Backported to {releases}.", "已移植到 {releases}。"),
    "since_one": Phrase("1 change since your last visit", "自上次访问以来有 1 个变更"),
    "since_many": Phrase("# changes since your last visit", "自上次访问以来有 # 个变更"),
    "digests": Phrase("Newest digests", "最近的摘要"),
    "posted_as": Phrase("The digest as posted", "发布时的摘要"),
    "posted_details": Phrase("Details, as posted in the thread", "随后发布的详细说明"),
    "digest_changes": Phrase("All {n:change|changes} in this digest", "此摘要的全部 {n} 个变更"),
    "day_page": Phrase("The calendar day", "当天页面"),
    "week_page": Phrase("The calendar week", "当周页面"),
    "no_digests": Phrase("No digests yet.", "尚未生成摘要。"),
    "newest": Phrase("Newest important changes", "最近的高重要度变更"),
    "search": Phrase("Search", "搜索"),
    "search_in": Phrase("Search in {repository}", "在 {repository} 中搜索"),
    "search_hint": Phrase("Words, #number, commit or question", "关键词、#编号、提交或提问"),
    "found": Phrase("{n:change|changes} found", "找到 {n} 个变更"),
    "best_first": Phrase("Best matches first", "按匹配程度排列"),
    "important_first": Phrase("Most important first", "按重要度排列"),
    "nothing_found": Phrase("No changes found.", "没有找到变更。"),
    "searched": Phrase("Read so far: {spans}", "已读取的时段：{spans}"),
    "near": Phrase("Similar topics:", "相近的主题："),
    "topic": Phrase("Topic {topic}", "主题 {topic}"),
    "all_levels": Phrase("All", "全部"),
    "from_medium": Phrase("Medium and above", "中及以上"),
    "new_one": Phrase("1 new change", "1 个新变更"),
    "new_many": Phrase("# new changes", "# 个新变更"),
    "news_act": Phrase("{day}: to act on", "{day}：需要处理"),
    "news_yesterday": Phrase("Yesterday", "昨天"),
    "news_today": Phrase("Today so far", "今天（截至目前）"),
    "news_earlier": Phrase("Earlier", "更早"),
    "news_top": Phrase("Other important changes", "其他重要变更"),
    "news_none": Phrase("No change of high importance.", "没有高重要度变更。"),
    "news_unread": Phrase("Not read in full:", "未完整读取："),
    "not_read": Phrase("not read", "未读取"),
    "pulse_unread": Phrase("{n:day was|days were} not read in full.", "另有 {n} 天未完整读取。"),
    "unread_all": Phrase(
        "This period was not read, so its changes are unknown.",
        "这段时间尚未读取，是否有变更不得而知。",
    ),
    "unread_parts": Phrase(
        "Not read: {spans}. Changes of that time are not shown.",
        "未读取：{spans}。该时段的变更未列出。",
    ),
    "read_now": Phrase("Read it now", "立即读取"),
    "reading": Phrase("Reading…", "正在读取……"),
    "reading_of": Phrase("Reading: {done} of {total}", "正在读取：{done} / {total}"),
    "not_begun": Phrase("This period has not begun.", "这段时间尚未开始。"),
    "quiet_so_far": Phrase("No changes so far.", "目前没有变更。"),
    "as_of": Phrase("As of {at}", "截至 {at}"),
    "folded": Phrase("Show {n:change|changes}", "显示 {n} 个变更"),
    "ago": Phrase("{n:day|days} ago", "{n} 天前"),
    "stale": Phrase(
        "{repository} was last read {n:day|days} ago ({at}). Run digestbot serve to update it.",
        "{repository} 最后一次读取是 {n} 天前（{at}）。运行 digestbot serve 可继续读取。",
    ),
    "never_read": Phrase("Nothing has been read yet.", "尚未读取任何内容。"),
    "cut_off": Phrase(
        "Something went wrong: the rest of this page could not be rendered. The log has the cause "
        "under trace {trace}.",
        "出错了：本页其余部分生成失败，原因见日志，编号 {trace}。",
    ),
    "quiet": Phrase("No changes in this period.", "这段时间没有变更。"),
    "level_filter": Phrase("Importance", "重要度"),
    "pages": Phrase("Pages", "分页"),
    "page": Phrase("Page {page} of {pages}", "第 {page} / {pages} 页"),
    "next": Phrase("Next", "下一页"),
    "previous_change": Phrase("Previous change", "上一变更"),
    "next_change": Phrase("Next change", "下一变更"),
    "previous": Phrase("Previous", "上一页"),
    "diff": Phrase("diff", "差异"),
    "file": Phrase("file", "文件"),
    "whole_diff": Phrase("Whole patch", "完整补丁"),
    "diff_unread": Phrase("The lines of this file cannot be shown.", "无法显示其内容。"),
    "to_do": Phrase("What to do", "如何处理"),
    "what_changed": Phrase("What changed", "变更内容"),
    "also": Phrase("Also:", "另有："),
    "deprecated": Phrase("deprecated", "弃用"),
    "names": Phrase("Names", "名称"),
    "action": Phrase("Action", "操作"),
    "where": Phrase("Where", "位置"),
    "whole_change": Phrase("Open the change", "打开变更"),
    "week": Phrase("Week {week}", "第 {week} 周"),
    "so_far": Phrase("{heading}, so far", "{heading}（截至目前）"),
    "evidence": Phrase("Why this grade", "评级依据"),
    "files": Phrase("{n:file|files}", "{n} 个文件"),
    "message": Phrase("The author's message", "作者的提交说明"),
    "announced": Phrase("Announced in the digest of", "公布于摘要"),
    "keys": Phrase("Keys:", "快捷键："),
    "keys_changes": Phrase("changes", "变更"),
    "keys_open": Phrase("open", "展开"),
    "copy": Phrase("Copy the link to this change", "复制此变更的链接"),
    "copied": Phrase("Link copied", "链接已复制"),
    "counted": Phrase(
        "{n:change|changes}: {high} of high, {medium} of medium, {low} of low importance",
        "{n} 个变更：高重要度 {high} 个，中 {medium} 个，低 {low} 个",
    ),
    "compare": Phrase("Compare releases", "比较版本"),
    "compare_two": Phrase("Compare two points of history", "比较两个版本"),
    "compare_base": Phrase("From", "从"),
    "compare_tip": Phrase("To", "到"),
    "compare_hint": Phrase(
        "Tags, branches, commits, or two days such as 2026-01-31.",
        "标签、分支、提交，或两个日期，如 2026-01-31。",
    ),
    "compare_go": Phrase("Compare", "比较"),
    "compare_turned": Phrase("Compare in the other direction", "交换两端后比较"),
    "unknown_ref": Phrase(
        "There is no tag, branch or commit called {name}.", "没有名为 {name} 的标签、分支或提交。"
    ),
    "nothing_between": Phrase(
        "{tip} contains no change that is not in {base}.", "{tip} 没有 {base} 所没有的变更。"
    ),
    "releases": Phrase("Releases", "版本发布"),
    "all_releases": Phrase("All releases", "全部版本"),
    "no_releases": Phrase("This repository has no release tags.", "这里没有发布标签。"),
    "not_readable": Phrase(
        "The repository cannot be read at the moment.", "目前无法在此读取该仓库。"
    ),
    "compared": Phrase(
        "{n:change|changes} by {people:person|people}", "{n} 个变更，{people} 位贡献者"
    ),
    "missing": Phrase(
        "Not read: {n:commit|commits} of this range. They are not shown.",
        "此范围内有 {n} 个提交尚未读取，未列出。",
    ),
    "upgrade": Phrase("Upgrade notes", "升级须知"),
    "upgrade_told": Phrase(
        "Interfaces that were removed, renamed or given another default between the two points. "
        "What was added and removed again is left out.",
        "与起点相比，终点处已移除、改名或默认值不同的项目接口；期间增加又移除的不列出。",
    ),
    "upgrade_none": Phrase(
        "No flag, variable, setting, route or metric was removed, renamed or given another "
        "default.",
        "未发现被移除、改名或默认值改变的参数、变量、配置项、路由或指标。",
    ),
    "upgrade_unknown": Phrase(
        "No verdict: {n:commit was|commits were} not read and may remove or change something.",
        "无法下结论：有 {n} 个提交尚未读取，其中可能有移除或改变。",
    ),
    "gone": Phrase("Removed", "已移除"),
    "renamed": Phrase("Renamed", "已改名"),
    "default": Phrase("Changed defaults", "默认值改变"),
    "thing": Phrase("Name", "名称"),
    "was": Phrase("Before", "之前"),
    "default_was": Phrase("Default before", "原默认值"),
    "now": Phrase("After", "之后"),
    "by_change": Phrase("Change", "变更"),
    "by_kind": Phrase("By kind", "按类型"),
    "by_area": Phrase("By area", "按区域"),
    "people_most": Phrase("Most changes by", "变更最多的贡献者"),
    "ask_changed": Phrase("what changed from {week} to {last}", "{week} 到 {last} 有哪些变更"),
    "ask_breaking": Phrase(
        "breaking changes from {month} to {last}", "{month} 到 {last} 的破坏性变更"
    ),
    "ask_daily": Phrase("changes by day from {month} to {last}", "{month} 到 {last} 每天的变更"),
    "ask_people": Phrase(
        "who touched tests from {week} to {last}", "{week} 到 {last} 谁改过 tests"
    ),
    "chart_told": Phrase(
        "{n} in total; the maximum is {most}, {label}.", "合计 {n}；最多为 {label} 的 {most}。"
    ),
    "theme": Phrase("Light or dark", "浅色或深色"),
    "other_language": Phrase("中文", "English"),
    "all_repositories": Phrase("All repositories", "全部代码仓库"),
    "subscribe": Phrase("Subscribe", "订阅"),
    "subscribe_changes": Phrase("Changes of this view", "此视图的变更"),
    "subscribe_digests": Phrase("Digests", "摘要"),
    "as": Phrase("This page as", "本页格式"),
    "broken": Phrase("Something went wrong", "出错了"),
    "broken_told": Phrase(
        "This page could not be made. The log has the cause under trace {trace}.",
        "此页生成失败，原因见日志，编号 {trace}。",
    ),
    "not_found": Phrase("There is nothing here", "这里没有内容"),
    "not_found_told": Phrase(
        "The page does not exist, or you may not see it.", "页面不存在，或您无权查看。"
    ),
    "sign_in": Phrase("Sign in", "登录"),
    "sign_out": Phrase("Sign out", "退出"),
    "token": Phrase("Admin token", "管理令牌"),
    "wrong_token": Phrase("Wrong token.", "令牌不正确。"),
    "too_often": Phrase("Too many attempts. Wait a minute.", "尝试次数过多，请稍等一分钟。"),
    "expired": Phrase("This form has expired. Reload the page.", "表单已过期，请重新加载页面。"),
    "admin": Phrase("Admin", "管理"),
    "channels": Phrase("Channels", "频道"),
    "channel": Phrase("Channel", "频道"),
    "platform": Phrase("Platform", "平台"),
    "next_run": Phrase("Next run", "下次运行"),
    "deliveries": Phrase("Newest posts", "最近的发布"),
    "failed_deliveries": Phrase("Failed or unconfirmed posts", "失败或未确认的发布"),
    "no_deliveries": Phrase("None.", "无。"),
    "digest": Phrase("Digest", "摘要"),
    "state": Phrase("State", "状态"),
    "state_waiting": Phrase("waiting", "等待发送"),
    "state_sending": Phrase("being sent", "发送中"),
    "state_sent": Phrase("sent, not confirmed", "已发送，未确认"),
    "state_failed": Phrase("failed", "失败"),
    "sent": Phrase("Messages sent", "已发送消息数"),
    "part": Phrase("message {n}", "第 {n} 条消息"),
    "error": Phrase("Error", "错误"),
    "again": Phrase("Send again", "重新发送"),
    "again_done": Phrase(
        "It will be sent again now, or when the quiet hours of its channel end.",
        "正在重新发送；若频道处于静默时段，则在其结束后发送。",
    ),
    "costs": Phrase("Costs of the last 30 days", "最近 30 天的费用"),
    "no_costs": Phrase("No model was used.", "没有调用过模型。"),
    "calls": Phrase("Calls", "调用次数"),
    "tokens": Phrase("Tokens (input / output)", "输入 / 输出 token"),
    "cost": Phrase("Cost", "费用"),
    "repository": Phrase("Repository", "代码仓库"),
    "config": Phrase("Configuration in effect", "生效的配置"),
    "made_by": Phrase("Generated by digestbot from git.", "由 digestbot 依据 git 生成。"),
}
"""Phrases by the names that templates use."""

_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

_ZH_WEEKDAYS = "一二三四五六日"


def day_words(day: date, language: Language, *, short: bool = False) -> str:
    """A day in full, such as ``Thursday 13 August 2026``, or short, such as ``Thu 13 Aug``."""
    weekday, month = _WEEKDAYS[day.weekday()], _MONTHS[day.month - 1]
    if language is Language.ZH:
        zh = f"{day.month}月{day.day}日 周{_ZH_WEEKDAYS[day.weekday()]}"
        return zh if short else f"{day.year}年{zh}"
    if short:
        return f"{weekday[:3]} {day.day} {month[:3]}"
    return f"{weekday} {day.day} {month} {day.year}"


def month_words(day: date, language: Language) -> str:
    """The month of a day, such as ``August 2026``."""
    if language is Language.ZH:
        return f"{day.year}年{day.month}月"
    return f"{_MONTHS[day.month - 1]} {day.year}"


def week_words(monday: date, language: Language, *, short: bool = False) -> str:
    """An ISO week by its number and its days, such as ``Week 33: 10 – 16 August 2026``."""
    year, week, _ = monday.isocalendar()
    if language is Language.ZH:
        return f"第 {week} 周" if short else f"{year}年第 {week} 周：{seven_days(monday, language)}"
    return f"Week {week}" if short else f"Week {week}: {seven_days(monday, language)}"


def seven_days(first: date, language: Language) -> str:
    """A day and the six days after it, such as ``10 – 16 August 2026``."""
    return days_words(first, first + timedelta(days=6), language)


def days_words(first: date, last: date, language: Language) -> str:
    """The days from one to another, such as ``10 – 16 August 2026``."""
    if first == last:
        return day_words(first, language)
    if language is Language.ZH:
        return f"{first.month}月{first.day}日 – {last.month}月{last.day}日"
    words = str(first.day)
    if first.month != last.month:
        words += f" {_MONTHS[first.month - 1]}"
    if first.year != last.year:
        words += f" {first.year}"
    return f"{words} – {last.day} {_MONTHS[last.month - 1]} {last.year}"


def period_words(window: Window, zone: ZoneInfo) -> str:
    """A period by its days if these are whole, else by its edges to the minute with their zone."""
    words = span_of(window)
    if ":" not in words:
        return words
    return f"{minute(window.since, zone)} – {minute(window.until, zone)}"
