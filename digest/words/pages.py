"""What reports and digests say around the changes. Imports ``phrase``."""

from __future__ import annotations

from digest.words.phrase import Phrase

DAILY_TITLE = Phrase("Daily report ({day})", "每日更新报告（{day}）")
WINDOW_TITLE = Phrase("Report ({window})", "更新报告（{window}）")
DIGEST_TITLE = Phrase("{name}: {day}", "{name}：{day}")

WEEK_TITLE = Phrase("{name}: the week of {day}", "{name}：{day} 一周回顾")
TOP = Phrase("What mattered most", "最重要的变更")
BY_DAY = Phrase("By day", "按日统计")
DAY = Phrase("Day", "日期")
ALL = Phrase("Commits", "提交")
EARLIER = Phrase("earlier", "更早")
HOT = Phrase("Where most changed", "变更最集中之处")
PLACE_COUNT = Phrase("{place}: {n:change|changes}", "{place}：{n} 个变更")

REVERTED = Phrase("reverted by {by}", "已被 {by} 回退")
REVERT_NOTE = Phrase("{title} was reverted by {by}.", "{title} 已被 {by} 回退。")

COMMITTED = Phrase("Committed", "提交时间")
AUTHOR = Phrase("Author", "作者")
MESSAGE = Phrase("Subject", "提交信息")
STATISTICS = Phrase("Statistics", "统计摘要")
CONTENTS = Phrase("Contents", "目录")

COUNTS = Phrase("{n:commit|commits} in this window", "本时段共 {n} 个提交")
SPAN = Phrase("{since} – {until} ({zone})", "{since} – {until}（{zone}）")
WHOLE_DAY = Phrase("{day}, the whole day ({zone})", "{day} 全天（{zone}）")
WINDOW = Phrase(
    "Window: {since} – {until} ({zone}, end excluded)",
    "时段：{since} – {until}（{zone}，不含结束时刻）",
)
BRANCH = Phrase("branch {branch}", "分支 {branch}")
COVERED = Phrase("Accounted for: {n:commit|commits}: {states}", "提交去向：共 {n} 个，{states}")
STATES = Phrase(", ", "，")
POSTED = Phrase("{count} posted", "发布 {count} 个")
ARCHIVED = Phrase("{count} archived", "归档 {count} 个")
FILTERED = Phrase("{count} filtered ({why})", "过滤 {count} 个（{why}）")
FAILED = Phrase("{count} failed ({why})", "失败 {count} 个（{why}）")

COMMIT = Phrase("commit", "查看提交")
BY = Phrase("by {author}", "作者 {author}")
LATE = Phrase("late", "迟到")
LATE_NOTE = Phrase(
    "Arrived late: committed {moment}, outside this window.",
    "迟到的提交：提交时间为 {moment}，不在本时段内。",
)
MISSED = Phrase("from facts alone", "仅据事实")
MISSED_NOTE = Phrase(
    "Told from facts alone: no model has read this change.", "仅据事实说明：此变更未经模型阅读。"
)
THEMES = Phrase("Themes", "主题")
MORE = Phrase("{n:more|more}", "另外 {n} 项")
CITED = Phrase(" ({places})", "（{places}）")
SCORE = Phrase("{level} ({score})", "{level}（{score}）")

QUIET = Phrase("No commits in this window.", "本时段没有提交。")
LEAD_HIGH = Phrase(
    "{high:change|changes} of high importance among {total:commit|commits}",
    "{total} 个提交中有 {high} 个高重要度变更",
)
LEAD_NONE = Phrase(
    "Nothing of high importance among {total:commit|commits}", "{total} 个提交中没有高重要度变更"
)
LEAD_KINDS = Phrase("{lead}: {kinds}", "{lead}：{kinds}")
LEAD_AREAS = Phrase("{lead}, mainly in {places}", "{lead}，主要涉及 {places}")
LEAD_LATE = Phrase(
    "{n:commit|commits} arrived late, with dates before this window",
    "{n} 个提交迟到，其日期早于本时段",
)
NOTABLE = Phrase("The most notable ones:", "其中较值得关注的：")
LEFT_OUT = Phrase("{n} left out by filters ({rules})", "过滤 {n} 个（{rules}）")
MUTED = Phrase("{n} muted", "静音 {n} 个")
DETAILS = Phrase("In detail", "详细说明")
SHOWN = Phrase("{shown} of {total} shown", "显示 {shown} / {total}")
FULL_REPORT = Phrase("Full report", "完整报告")
"""The name of the link, or what stands before the path."""

LEVEL_COUNT = Phrase("{title} ({count})", "{title}（{count}）")
