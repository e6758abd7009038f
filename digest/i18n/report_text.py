"""Texts of reports and digests around the changes, and the reasons of grades."""

from __future__ import annotations

import re

from digest.core.enums import Language
from digest.core.grade import Reason
from digest.i18n.phrase import Phrase

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
REASONS = {
    "bot": Phrase("made by a bot", "由机器人提交"),
    "default_changed": Phrase("default changed: {subject}", "默认值变更：{subject}"),
    "deprecation_added": Phrase("deprecated: {subject}", "已弃用：{subject}"),
    "label_deprecation": Phrase("labelled “{subject}”", "标签“{subject}”"),
    "label_security": Phrase("labelled “{subject}”", "标签“{subject}”"),
    "note": Phrase("has a changelog entry", "附有更新日志条目"),
    "note_added": Phrase("listed in the changelog as added", "更新日志列为新增"),
    "note_breaking": Phrase("listed in the changelog as breaking", "更新日志列为不兼容变更"),
    "minimum_raised": Phrase(
        "raises the minimum version of {subject}", "提高 {subject} 的最低版本"
    ),
    "note_changed": Phrase("listed in the changelog as changed", "更新日志列为变更"),
    "note_deprecated": Phrase("listed in the changelog as deprecated", "更新日志列为弃用"),
    "note_fixed": Phrase("listed in the changelog as fixed", "更新日志列为修复"),
    "note_removed": Phrase("listed in the changelog as removed", "更新日志列为移除"),
    "note_security": Phrase("listed in the changelog as a security fix", "更新日志列为安全修复"),
    "says_contract_removed": Phrase(
        "removes something that users may rely on (“{subject}”)",
        "移除用户可能依赖的内容（“{subject}”）",
    ),
    "says_default": Phrase("changes a default (“{subject}”)", "更改默认值（“{subject}”）"),
    "says_deprecated_removed": Phrase(
        "removes something deprecated (“{subject}”)", "移除已弃用的内容（“{subject}”）"
    ),
    "says_behaviour": Phrase("changes behaviour (“{subject}”)", "更改行为（“{subject}”）"),
    "says_instead": Phrase("replaces old behaviour (“{subject}”)", "替换原有行为（“{subject}”）"),
    "says_deprecation": Phrase("announces a deprecation", "宣布弃用"),
    "says_format": Phrase("changes a format (“{subject}”)", "更改格式（“{subject}”）"),
    "says_refusal": Phrase(
        "rejects what was accepted before (“{subject}”)", "拒绝此前接受的内容（“{subject}”）"
    ),
    "says_rename": Phrase("renames something (“{subject}”)", "重命名（“{subject}”）"),
    "says_requirement": Phrase("raises a requirement (“{subject}”)", "提高环境要求（“{subject}”）"),
    "says_security": Phrase("security fix (“{subject}”)", "安全修复（“{subject}”）"),
    "says_shipped": Phrase(
        "changes what is installed (“{subject}”)", "改动安装内容（“{subject}”）"
    ),
    "says_support_dropped": Phrase("drops support (“{subject}”)", "停止支持（“{subject}”）"),
    "schema_changed": Phrase("changed schema {subject}", "模式变更 {subject}"),
    "security_code": Phrase("security-related code: {subject}", "安全相关代码：{subject}"),
    "tests_added": Phrase(
        "{subject:line|lines} of tests added with the code", "随代码新增 {subject} 行测试"
    ),
    "title_aside": Phrase("filed under “{subject}”", "归类为“{subject}”"),
    "title_code": Phrase("the title names `{subject}`", "标题提到 `{subject}`"),
    "title_experimental": Phrase("called “{subject}”", "标题称“{subject}”"),
    "title_figure": Phrase("the title gives a figure ({subject})", "标题给出数字（{subject}）"),
    "title_name": Phrase("names {subject}", "提到 {subject}"),
    "advisory": Phrase("security advisory: {subject}", "安全公告：{subject}"),
    "area_benchmarks": Phrase("touches benchmarks", "改动基准测试"),
    "area_build": Phrase("touches the build", "改动构建"),
    "area_ci": Phrase("touches CI", "改动持续集成"),
    "area_docs": Phrase("touches docs", "改动文档"),
    "area_examples": Phrase("touches examples", "改动示例"),
    "area_tests": Phrase("touches tests", "改动测试"),
    "breaking": Phrase("declared a breaking change", "声明为不兼容变更"),
    "co_authors": Phrase("with co-authors", "有共同作者"),
    "config_added": Phrase("new config field {subject}", "新增配置项 {subject}"),
    "config_changed": Phrase("changed config field {subject}", "变更配置项 {subject}"),
    "config_removed": Phrase("removed config field {subject}", "移除配置项 {subject}"),
    "config_renamed": Phrase("renamed config field {subject}", "重命名配置项 {subject}"),
    "core": Phrase("changes code", "改动代码"),
    "core_added": Phrase("{subject:line|lines} added to the code", "代码新增 {subject} 行"),
    "core_deleted": Phrase("{subject:line|lines} removed from the code", "代码删除 {subject} 行"),
    "core_files": Phrase("{subject:code file|code files}", "涉及 {subject} 个代码文件"),
    "core_new_files": Phrase("{subject:new code file|new code files}", "新增 {subject} 个代码文件"),
    "dependency": Phrase("dependency {subject}", "依赖 {subject}"),
    "deprecation": Phrase("deprecation {subject}", "弃用 {subject}"),
    "body_behaviour": Phrase(
        "the message mentions behaviour (“{subject}”)", "提交信息提到行为（“{subject}”）"
    ),
    "body_breaking": Phrase("the message says “{subject}”", "提交信息写有“{subject}”"),
    "body_stable": Phrase("the message says “{subject}”", "提交信息写有“{subject}”"),
    "docs_added": Phrase("code with docs", "代码与文档一同改动"),
    "docs_changed": Phrase("changes documented behaviour", "改动已有文档"),
    "header_changed": Phrase("changes public headers", "改动公共头文件"),
    "resembles_marked": Phrase("similar to changes marked as breaking", "与标为不兼容的变更相似"),
    "tests_changed": Phrase(
        "{subject:line|lines} of existing tests changed with the code",
        "同时改动 {subject} 行已有测试",
    ),
    "title_hardening": Phrase("security hardening (“{subject}”)", "安全加固（“{subject}”）"),
    "environment_added": Phrase("new environment variable {subject}", "新增环境变量 {subject}"),
    "environment_changed": Phrase(
        "changed environment variable {subject}", "变更环境变量 {subject}"
    ),
    "environment_removed": Phrase(
        "removed environment variable {subject}", "移除环境变量 {subject}"
    ),
    "environment_renamed": Phrase(
        "renamed environment variable {subject}", "重命名环境变量 {subject}"
    ),
    "explained": Phrase("explained in the message", "提交信息附有说明"),
    "files": Phrase("{subject:file|files}", "涉及 {subject} 个文件"),
    "undoes_in_window": Phrase("reverts {subject} from the same window", "撤销同时段的 {subject}"),
    "undone_feature": Phrase("undoes something new (“{subject}”)", "撤销新功能（“{subject}”）"),
    "undone_removal": Phrase("undoes a removal (“{subject}”)", "撤销移除（“{subject}”）"),
    "undone_in_window": Phrase("reverted by {subject} in the same window", "随即被 {subject} 撤销"),
    "branch_merge": Phrase("merges a branch", "合并分支"),
    "crowded": Phrase("less urgent than other changes in this window", "不如同时段其他变更紧迫"),
    "forced": Phrase("set by your rule ({subject})", "由你的规则设定（{subject}）"),
    "flag_added": Phrase("new command-line flag {subject}", "新增命令行参数 {subject}"),
    "flag_changed": Phrase("changed command-line flag {subject}", "变更命令行参数 {subject}"),
    "flag_removed": Phrase("removed command-line flag {subject}", "移除命令行参数 {subject}"),
    "flag_renamed": Phrase("renamed command-line flag {subject}", "重命名命令行参数 {subject}"),
    "metric_added": Phrase("new metric {subject}", "新增指标 {subject}"),
    "metric_changed": Phrase("changed metric {subject}", "变更指标 {subject}"),
    "metric_removed": Phrase("removed metric {subject}", "移除指标 {subject}"),
    "metric_renamed": Phrase("renamed metric {subject}", "重命名指标 {subject}"),
    "mostly_removed": Phrase("mostly removes lines ({subject})", "以删除为主（{subject} 行）"),
    "model_assumption": Phrase(
        "the model sees a changed assumption ({subject})", "模型判断：隐含假设改变（{subject}）"
    ),
    "model_contract": Phrase(
        "the model sees an interface change ({subject})", "模型判断：接口变更（{subject}）"
    ),
    "model_decision": Phrase(
        "the model sees a lasting decision ({subject})", "模型判断：难以撤回的决定（{subject}）"
    ),
    "model_performance": Phrase(
        "the model sees a performance effect ({subject})", "模型判断：涉及性能（{subject}）"
    ),
    "model_security": Phrase(
        "the model sees a security effect ({subject})", "模型判断：涉及安全（{subject}）"
    ),
    "model_user_visible": Phrase(
        "the model judged what users notice ({subject})", "模型判断：用户是否可见（{subject}）"
    ),
    "route_added": Phrase("new HTTP route {subject}", "新增 HTTP 路由 {subject}"),
    "route_changed": Phrase("changed HTTP route {subject}", "变更 HTTP 路由 {subject}"),
    "route_removed": Phrase("removed HTTP route {subject}", "移除 HTTP 路由 {subject}"),
    "route_renamed": Phrase("renamed HTTP route {subject}", "重命名 HTTP 路由 {subject}"),
    "schema": Phrase("schema {subject}", "模式定义 {subject}"),
    "security_named": Phrase("the message speaks of “{subject}”", "提交说明提到“{subject}”"),
    "security": Phrase("security fix (“{subject}”)", "安全修复（“{subject}”）"),
    "symbol_added": Phrase("new public symbol {subject}", "新增公开符号 {subject}"),
    "symbol_changed": Phrase("changed public symbol {subject}", "变更公开符号 {subject}"),
    "symbol_removed": Phrase("removed public symbol {subject}", "移除公开符号 {subject}"),
    "symbol_renamed": Phrase("renamed public symbol {subject}", "重命名公开符号 {subject}"),
    "tests_with_core": Phrase("changes code and tests", "代码与测试一同改动"),
    "title_benchmark": Phrase("benchmarks (“{subject}”)", "基准测试（“{subject}”）"),
    "title_breaking": Phrase("title says “{subject}”", "标题提到“{subject}”"),
    "title_chore": Phrase("called “{subject}”", "标题标为“{subject}”"),
    "title_ci": Phrase("CI (“{subject}”)", "持续集成（“{subject}”）"),
    "title_default": Phrase("mentions a default", "提到默认值"),
    "title_docs": Phrase("documentation (“{subject}”)", "文档（“{subject}”）"),
    "title_failure": Phrase("failure (“{subject}”)", "故障（“{subject}”）"),
    "title_feature": Phrase("new feature (“{subject}”)", "新功能（“{subject}”）"),
    "title_fix": Phrase("bug fix (“{subject}”)", "修复（“{subject}”）"),
    "title_housekeeping": Phrase("housekeeping (“{subject}”)", "日常整理（“{subject}”）"),
    "title_interface": Phrase("interface change (“{subject}”)", "接口变更（“{subject}”）"),
    "title_length": Phrase("detailed title", "标题较详细"),
    "title_logging": Phrase("logs or messages (“{subject}”)", "日志或提示（“{subject}”）"),
    "title_performance": Phrase("performance (“{subject}”)", "性能（“{subject}”）"),
    "title_refactor": Phrase("refactoring (“{subject}”)", "重构（“{subject}”）"),
    "title_removal": Phrase("removes something (“{subject}”)", "移除（“{subject}”）"),
    "title_revert": Phrase("revert", "回退"),
    "title_tests": Phrase("tests (“{subject}”)", "测试（“{subject}”）"),
    "title_upgrade": Phrase("upgrade (“{subject}”)", "升级（“{subject}”）"),
    "toolchain": Phrase("toolchain {subject}", "工具链 {subject}"),
}
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
