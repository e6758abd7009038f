"""Names of levels, kinds, areas and sections; texts on requests, issues and admin notices."""

from __future__ import annotations

from digest.core.facts import Area, FactKind
from digest.core.grade import Level
from digest.core.request import IssueState, RequestState, ReviewVerdict
from digest.core.statement import Aspect, ChangeType
from digest.i18n.phrase import Phrase

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
CHANGE_TYPES = {
    ChangeType.FEATURE: Phrase("feature", "功能增强"),
    ChangeType.FIX: Phrase("bug fix", "Bug 修复"),
    ChangeType.PERFORMANCE: Phrase("performance", "性能优化"),
    ChangeType.REFACTOR: Phrase("refactoring", "代码重构"),
    ChangeType.ARCHITECTURE: Phrase("architecture", "架构变更"),
    ChangeType.REMOVAL: Phrase("removal", "移除"),
    ChangeType.DEPRECATION: Phrase("deprecation", "弃用"),
    ChangeType.BREAKING: Phrase("breaking change", "不兼容变更"),
    ChangeType.SECURITY: Phrase("security", "安全"),
    ChangeType.DEPENDENCY: Phrase("dependencies", "依赖更新"),
    ChangeType.CONFIGURATION: Phrase("configuration", "配置调整"),
    ChangeType.DOCUMENTATION: Phrase("documentation", "文档更新"),
    ChangeType.TESTS: Phrase("tests", "测试"),
    ChangeType.CI: Phrase("CI", "持续集成"),
    ChangeType.BUILD: Phrase("build", "构建"),
    ChangeType.REVERT: Phrase("revert", "回退"),
    ChangeType.OTHER: Phrase("other", "其他"),
}
COUNTED_TYPES = {
    ChangeType.FEATURE: Phrase("{n:feature|features}", "{n} 个功能增强"),
    ChangeType.FIX: Phrase("{n:bug fix|bug fixes}", "{n} 个 Bug 修复"),
    ChangeType.PERFORMANCE: Phrase("{n:performance change|performance changes}", "{n} 个性能优化"),
    ChangeType.REFACTOR: Phrase("{n:refactoring|refactorings}", "{n} 个代码重构"),
    ChangeType.ARCHITECTURE: Phrase(
        "{n:architecture change|architecture changes}", "{n} 个架构变更"
    ),
    ChangeType.REMOVAL: Phrase("{n:removal|removals}", "{n} 个移除"),
    ChangeType.DEPRECATION: Phrase("{n:deprecation|deprecations}", "{n} 个弃用"),
    ChangeType.BREAKING: Phrase("{n:breaking change|breaking changes}", "{n} 个不兼容变更"),
    ChangeType.SECURITY: Phrase("{n:security change|security changes}", "{n} 个安全变更"),
    ChangeType.DEPENDENCY: Phrase("{n:dependency update|dependency updates}", "{n} 个依赖更新"),
    ChangeType.CONFIGURATION: Phrase(
        "{n:configuration change|configuration changes}", "{n} 个配置调整"
    ),
    ChangeType.DOCUMENTATION: Phrase(
        "{n:documentation change|documentation changes}", "{n} 个文档更新"
    ),
    ChangeType.TESTS: Phrase("{n:test change|test changes}", "{n} 个测试变更"),
    ChangeType.CI: Phrase("{n:CI change|CI changes}", "{n} 个持续集成变更"),
    ChangeType.BUILD: Phrase("{n:build change|build changes}", "{n} 个构建变更"),
    ChangeType.REVERT: Phrase("{n:revert|reverts}", "{n} 个回退"),
    ChangeType.OTHER: Phrase("{n:other change|other changes}", "{n} 个其他变更"),
}
"""The types with a number of changes."""

AREAS = {
    Area.CORE: Phrase("Code", "代码"),
    Area.TESTS: Phrase("Tests", "测试"),
    Area.DOCS: Phrase("Docs", "文档"),
    Area.CI: Phrase("CI", "持续集成"),
    Area.BUILD: Phrase("Build", "构建"),
    Area.CONFIG: Phrase("Configuration", "配置文件"),
    Area.EXAMPLES: Phrase("Examples", "示例"),
    Area.BENCHMARKS: Phrase("Benchmarks", "基准测试"),
    Area.GENERATED: Phrase("Generated", "生成的文件"),
    Area.VENDORED: Phrase("Vendored", "第三方代码"),
    Area.LOCKFILE: Phrase("Lock files", "锁文件"),
}
ASPECTS = {
    Aspect.ARCHITECTURE: Phrase("Architecture", "架构影响"),
    Aspect.PERFORMANCE: Phrase("Performance", "性能影响"),
    Aspect.SECURITY: Phrase("Security", "安全考虑"),
    Aspect.COMPATIBILITY: Phrase("Interfaces and compatibility", "接口与兼容性"),
}
KINDS = {
    FactKind.SYMBOL: Phrase("public symbol", "公开符号"),
    FactKind.FLAG: Phrase("command-line flag", "命令行参数"),
    FactKind.ENVIRONMENT: Phrase("environment variable", "环境变量"),
    FactKind.CONFIG: Phrase("config field", "配置项"),
    FactKind.ROUTE: Phrase("HTTP route", "HTTP 路由"),
    FactKind.METRIC: Phrase("metric", "指标"),
    FactKind.DEPENDENCY: Phrase("dependency", "依赖"),
    FactKind.TOOLCHAIN: Phrase("toolchain", "工具链"),
    FactKind.SCHEMA: Phrase("schema or protocol", "模式或协议"),
    FactKind.DEPRECATION: Phrase("deprecation", "弃用"),
    FactKind.SECURITY: Phrase("security-related code", "安全相关代码"),
}
"""The kinds of facts, in the singular."""

KINDS_MANY = {
    FactKind.SYMBOL: Phrase("public symbols", "公开符号"),
    FactKind.FLAG: Phrase("command-line flags", "命令行参数"),
    FactKind.ENVIRONMENT: Phrase("environment variables", "环境变量"),
    FactKind.CONFIG: Phrase("config fields", "配置项"),
    FactKind.ROUTE: Phrase("HTTP routes", "HTTP 路由"),
    FactKind.METRIC: Phrase("metrics", "指标"),
    FactKind.DEPENDENCY: Phrase("dependencies", "依赖"),
    FactKind.TOOLCHAIN: Phrase("toolchains", "工具链"),
    FactKind.SCHEMA: Phrase("schemas or protocols", "模式或协议"),
    FactKind.DEPRECATION: Phrase("deprecations", "弃用"),
    FactKind.SECURITY: Phrase("security-related lines", "安全相关代码"),
}
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
