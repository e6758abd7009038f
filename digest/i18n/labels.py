"""Names of levels, kinds, areas and sections; texts on requests, issues and admin notices."""

from __future__ import annotations

from digest.core.facts import Area, FactKind
from digest.core.grade import Level
from digest.core.request import CheckState, IssueState, RequestState, ReviewVerdict
from digest.core.statement import Aspect, ChangeType
from digest.i18n.phrase import Phrase, table_of

LEVEL_MARKS = {Level.HIGH: "🔴", Level.MEDIUM: "🟡", Level.LOW: "🟢"}
LEVELS = {
    Level.HIGH: Phrase("High", "高"),
    Level.MEDIUM: Phrase("Medium", "中"),
    Level.LOW: Phrase("Low", "低"),
}
LEVEL_TITLES = {
    Level.HIGH: Phrase("High importance", "高重要度变更"),
    Level.MEDIUM: Phrase("Medium importance", "中重要度变更"),
    Level.LOW: Phrase("Low importance", "低重要度变更"),
}
CHANGE_TYPES = table_of(ChangeType, "change_types")
COUNTED_TYPES = table_of(ChangeType, "counted_types")
"""The types with a number of changes."""

AREAS = table_of(Area, "areas")
ASPECTS = {
    Aspect.ARCHITECTURE: Phrase("Architecture", "架构影响"),
    Aspect.PERFORMANCE: Phrase("Performance", "性能影响"),
    Aspect.SECURITY: Phrase("Security", "安全考虑"),
    Aspect.COMPATIBILITY: Phrase("Interfaces and compatibility", "接口与兼容性"),
}
KINDS = table_of(FactKind, "kinds")
"""The kinds of facts, in the singular."""

KINDS_MANY = table_of(FactKind, "kinds_many")
PIN = Phrase("pinned version", "固定版本")
PINS = Phrase("pinned versions", "固定版本")  # dependencies that are used only for the build
SUMMARY = Phrase("Summary", "变更摘要")
IMPACT = Phrase("Impact", "影响范围")
INSIGHTS = Phrase("Technical insights", "技术洞察")
RISKS = Phrase("Risks", "潜在风险")
SUGGESTIONS = Phrase("Suggestions", "关注建议")
TO_DO = Phrase("What to do", "升级须知")
TYPES = Phrase("Change type", "变更类型")
IMPORTANCE = Phrase("Importance", "重要程度")
COLON = Phrase(": ", "：")
SEPARATOR = Phrase("; ", "；")
COMMA = Phrase(", ", "、")
STOP = Phrase(".", "。")
STATES = {
    RequestState.OPEN: Phrase("Open request, not merged", "尚未合并的请求"),
    RequestState.MERGED: Phrase("Merged request", "已合并的请求"),
    RequestState.CLOSED: Phrase("Closed without being merged", "未合并即关闭的请求"),
}
ISSUE_STATES = {
    IssueState.OPEN: Phrase("Open issue", "未关闭的 issue"),
    IssueState.CLOSED: Phrase("Closed issue", "已关闭的 issue"),
}
DRAFT = Phrase("draft", "草稿")
FOR_BRANCH = Phrase("for {branch}", "目标分支 {branch}")
BY = Phrase("by {name}", "作者 {name}")
OWNERS = Phrase("Owners: {owners}", "负责人：{owners}")
CHECKS = {
    CheckState.PASSED: Phrase("Checks passed", "检查已通过"),
    CheckState.RUNNING: Phrase("Checks are running", "检查正在进行"),
    CheckState.FAILED: Phrase("Checks failed: {names}", "检查失败：{names}"),
}
LABELS = Phrase("Labels: {labels}", "标签：{labels}")
CLOSES = Phrase("Closes {issues}", "关闭 {issues}")
REVIEWS = Phrase("Reviews: {reviews}", "评审：{reviews}")
NO_REVIEWS = Phrase("Nobody has reviewed it yet", "尚无人评审")
VERDICTS = {
    ReviewVerdict.APPROVED: Phrase("{name} approved", "{name} 已批准"),
    ReviewVerdict.CHANGES_REQUESTED: Phrase("{name} asked for changes", "{name} 要求修改"),
    ReviewVerdict.COMMENTED: Phrase("{name} commented", "{name} 有评论"),
    ReviewVerdict.DISMISSED: Phrase("{name}'s review was dismissed", "{name} 的评审已撤销"),
    ReviewVerdict.ASKED: Phrase("{name} was asked", "已邀请 {name}"),
}
NOT_A_CHANGE = Phrase(
    "It is not a change of the branch; the following is its diff from the forge.",
    "它不是该分支上的变更，以下内容来自代码托管平台给出的差异。",
)
NOT_ON_BRANCH = Phrase(
    "This commit is not on the branch; the following comes from the forge.",
    "该提交不在此分支上，以下内容来自代码托管平台。",
)
CUT_SHORT = Phrase(
    "The forge lists {shown} of {total} files; the others are not included here.",
    "代码托管平台只列出 {total} 个文件中的 {shown} 个，其余未包含在此。",
)
LAST_SEEN = Phrase(
    "as of {moment}: the forge is unavailable now",
    "{moment} 时的情况：现在无法访问代码托管平台",
)
CLOSED_BY = Phrase("Closed by {change}", "由 {change} 关闭")
NAMED_BY = Phrase("Named by {change}", "{change} 提到了它")
NAMED_BY_REQUESTS = Phrase("Requests that mention it: {requests}", "提到它的请求：{requests}")
NOTHING_NAMES_IT = Phrase("No archived change mentions it.", "已归档的变更中没有提到它的。")
ISSUE_TITLE = Phrase("Issue #{number}", "issue #{number}")
TITLE = Phrase("For the admin", "致管理员")
PARKED = Phrase(
    "{chat} on {account} no longer accepts messages ({error}); nothing is sent there until it does",
    "{account} 的 {chat} 不再接收消息（{error}）；恢复之前不再向其发送",
)
BACK = Phrase("{chat} on {account} accepts messages again", "{account} 的 {chat} 已恢复接收")
MISSED = Phrase(
    "{channel}: {n:digest was|digests were} missed, the last one due on {slot}; the next digest "
    "covers it",
    "{channel}：错过 {n} 份摘要，最后一份应于 {slot} 发出；下一份会补上",
)
FAILED = Phrase(
    "{channel}: its digest could not be built ({error}); it will be tried again",
    "{channel}：摘要未能生成（{error}）；将重试",
)
SPENT = Phrase("The model's budget is spent: {detail}", "模型额度已用尽：{detail}")
TROUBLE = Phrase("{event}: {detail}", "{event}：{detail}")
MORE = Phrase("{n:more line|more lines} in the log", "日志中还有 {n} 条")
