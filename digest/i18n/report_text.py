"""Texts of reports and digests around the changes, and the reasons of grades."""

from __future__ import annotations

import re

from digest.core.enums import Language
from digest.core.grade import Reason
from digest.i18n.phrase import Phrase, phrases_of

DAILY_TITLE = Phrase("Daily report ({day})", "每日更新报告（{day}）")
WINDOW_TITLE = Phrase("Report ({window})", "更新报告（{window}）")
DIGEST_TITLE = Phrase("{name}: {day}", "{name}：{day}")
WEEK_TITLE = Phrase("{name}: the week of {day}", "{name}：{day} 一周回顾")
TOP = Phrase("What mattered most", "最重要的变更")
BY_DAY = Phrase("By day", "按日统计")
BY_WEEK = Phrase("By week", "按周统计")
DAY = Phrase("Day", "日期")
WEEK_FROM = Phrase("Week from", "周（起始日）")
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
LATE = Phrase("late", "迟到")
LATE_NOTE = Phrase(
    "Arrived late: committed {moment}, outside this window.",
    "迟到的提交：提交时间为 {moment}，不在本时段内。",
)
MISSED = Phrase("from facts alone", "仅据事实")
MISSED_NOTE = Phrase(
    "Based on facts only: no model has read this change.", "仅据事实说明：此变更未经模型阅读。"
)
THEMES = Phrase("Themes", "主题")
FOLLOWED = Phrase("{n:follow-up|follow-ups}: {places}", "{n} 项后续改动：{places}")
FOLLOWS = Phrase("Follow-up to {place}.", "{place} 的后续改动。")
MORE = Phrase("{n:more|more}", "另外 {n} 项")
CITED = Phrase(" ({places})", "（{places}）")
SCORE = Phrase("{level} ({score})", "{level}（{score}）")
QUIET = Phrase("No commits in this window.", "本时段没有提交。")
LEAD_HIGH = Phrase(
    "{total:commit|commits}, {high} of high importance",
    "{total} 个提交，其中 {high} 个高重要度变更",
)
LEAD_NONE = Phrase(
    "{total:commit|commits}, none of high importance", "{total} 个提交，没有高重要度变更"
)
LEAD_CALM = Phrase("{lead}; nothing found to act on", "{lead}；未发现需要处理的变更")
LEAD_ONLY = Phrase("{lead}; nothing else found to act on", "{lead}；未发现其他需要处理的变更")
LEAD_MORE = Phrase(
    "{first}; {n:more change|more changes} to act on", "{first}；另有 {n} 个变更需要处理"
)
LEAD_ALSO = Phrase("{first}; also to act on: {second}", "{first}；还需处理：{second}")
LEAD_KINDS = Phrase("{lead} ({kinds})", "{lead}（{kinds}）")
LEAD_OTHERS = Phrase("{n:other|others}", "{n} 个其他")
LEAD_TOPICS = Phrase("{lead}, most often in {topics}", "{lead}，多与 {topics} 有关")
LEAD_LATE = Phrase(
    "{n:commit|commits} arrived late, with dates before this window",
    "{n} 个提交迟到，其日期早于本时段",
)
NOTABLE = Phrase("The most notable ones:", "其中较值得关注的：")
LEFT_OUT = Phrase("{n} left out by filters ({rules})", "过滤 {n} 个（{rules}）")
MUTED = Phrase("{n} muted", "静音 {n} 个")
DETAILS = Phrase("In detail", "详细说明")
SHOWN = Phrase("{shown} of {total} shown", "显示 {shown} / {total}")
FULL_REPORT = Phrase(
    "Full report", "完整报告"
)  # the label of the link, or the text before the path
LEVEL_COUNT = Phrase("{title} ({count})", "{title}（{count}）")
REASONS = phrases_of("digest.i18n", "reasons.json")
"""By rule name. ``{subject}`` is what the rule matched; a phrase without the slot omits it."""

_OTHER = Phrase("{rule}", "{rule}")
_OTHER_WITH_SUBJECT = Phrase("{rule}: {subject}", "{rule}：{subject}")
_AND_OTHERS = Phrase("{name} and {n:other|others}", "{name} 及另外 {n} 项")
_OTHERS = re.compile(r"(.+) \+([0-9]{1,9})", re.DOTALL)
_COUNT = re.compile(r"[0-9]{1,9}")
_EMPTY = re.compile(r"\s*(?:[(（][“”]*[)）]|“”|[:：])\s*$")

FAINT = frozenset(
    {
        "co_authors",
        "core",
        "core_files",
        "docs_added",
        "explained",
        "files",
        "note",
        "tests_added",
        "tests_with_core",
        "title_length",
    }
)
"""Rules that explain little to a reader, however high they rank."""


def _with_others(subject: str, language: Language) -> str:
    """``name +6`` as a name and the number of others."""
    match = _OTHERS.fullmatch(subject)
    if match is None:
        return subject
    return _AND_OTHERS.text(language, name=match[1], n=int(match[2]))


def reason_words(reason: Reason, language: Language) -> str:
    """A reason as a short phrase without a full stop.

    A rule without a text here is shown by its name, so that a new rule in the weights never hides a
    reason.
    """
    subject = " ".join(reason.subject.split())
    phrase = REASONS.get(reason.rule)
    if phrase is not None:
        seen = int(subject) if _COUNT.fullmatch(subject) else _with_others(subject, language)
        return _EMPTY.sub("", phrase.text(language, subject=seen)).strip()
    rule = re.sub(r"[_.\-]+", " ", reason.rule).strip()
    other = _OTHER_WITH_SUBJECT if subject else _OTHER
    return other.text(language, rule=rule, subject=subject)
