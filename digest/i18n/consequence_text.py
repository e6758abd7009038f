"""Sentences on what a change means for a reader.

A sentence says what is different now and, if the change shows it, what was before and what to use
instead. Users see names of flags, variables, settings, routes and metrics, but not names of
functions and classes.
"""

from __future__ import annotations

from digest.i18n.phrase import Phrase

# Interfaces that are removed, renamed or have another value.
REMOVED_MANY = Phrase("{names} were removed", "移除了{names}")

REMOVED_ONE = Phrase("{names} was removed", "移除了{names}")

ANNOUNCED = Phrase(", as announced for {version}", "（此前预告在 {version} 移除）")

UNREAD_ONE = Phrase("{names} is no longer read", "不再读取{names}")
UNREAD_MANY = Phrase("{names} are no longer read", "不再读取{names}")
IN_FILE = Phrase(" from {path}", "（位于{path}）")
USE_INSTEAD = Phrase("; use {replacement}", "，请改用{replacement}")
RENAMED = Phrase("{before} is now {after}", "{before}更名为{after}")
DEFAULT = Phrase(
    "{name} now defaults to {after} (was {before})", "{name}的默认值由{before}改为{after}"
)

WHERE = Phrase("{what} where {condition}", "{what}（条件：{condition}）")
DEFAULT_NEW = Phrase("{name} now defaults to {after}", "{name}的默认值现为{after}")

DEFAULT_GONE = Phrase("{name} no longer defaults to {before}", "{name}的默认值不再是{before}")

CHOICES = Phrase("{name} now takes {after} (was {before})", "{name}的可选值由{before}改为{after}")

VALUE = Phrase("{name} is now {after} (was {before})", "{name}由{before}改为{after}")

DEPRECATED_ONE = Phrase("{names} is deprecated", "{names}已弃用")

DEPRECATED_MANY = Phrase("{names} are deprecated", "{names}已弃用")

GOES = Phrase("; removal is planned for {version}", "，计划在 {version} 移除")

MINIMUM = Phrase(
    "Minimum {name} version raised from {before} to {after}",
    "{name} 最低版本由 {before} 提高到 {after}",
)

UPDATED = Phrase("Updates {name} from {before} to {after}", "将 {name} 由 {before} 更新到 {after}")

UPDATED_MANY = Phrase(
    "Updates {n:dependency|dependencies}, among them {names}", "更新 {n} 个依赖，其中包括 {names}"
)

DROPS_ONE = Phrase("{names} is no longer a dependency", "不再依赖{names}")

DROPS_MANY = Phrase("{names} are no longer dependencies", "不再依赖{names}")

SECURITY = Phrase("Security: {what}", "安全：{what}")

BREAKING = Phrase("Breaking: {what}", "不兼容变更：{what}")

# What is new, with its description.
NEW_FLAG = Phrase("New flag {name}", "新增参数{name}")

NEW_ENVIRONMENT = Phrase("New environment variable {name}", "新增环境变量{name}")

READS = Phrase("Reads the environment variable {name}", "读取环境变量{name}")
NEW_CONFIG = Phrase("New setting {name}", "新增配置项{name}")

NEW_ROUTE = Phrase("New route {name}", "新增路由{name}")

NEW_METRIC = Phrase("New metric {name}", "新增指标{name}")

NEW_SCHEMA = Phrase("The protocol gains {name}", "协议新增{name}")

EXPLAINED = Phrase("{what}: {words}", "{what}：{words}")

WITH_DEFAULT = Phrase("{what} (default {value})", "{what}（默认 {value}）")

DOCUMENTED = Phrase("The documentation adds: “{words}”", "文档新增：“{words}”")

REFUSED = Phrase("A new error says “{words}”.", "新增报错：“{words}”。")

ALLOWED = Phrase("No longer refused: “{words}”.", "不再报错：“{words}”。")

ENTERS_ONE = Phrase("{names} joins the {table}", "{table}新增{names}")

ENTERS_MANY = Phrase("{names} join the {table}", "{table}新增{names}")

LEAVES_ONE = Phrase("{names} leaves the {table}", "{table}移除{names}")

LEAVES_MANY = Phrase("{names} leave the {table}", "{table}移除{names}")

TESTED = Phrase("A new test covers: {words}", "新增测试覆盖：{words}")

INSIDE = Phrase("Changes {names} in {path}", "改动{path}中的{names}")

WAS = Phrase("{what} ({name} was {before})", "{what}（{name}原为{before}）")

# Before a title: that it does not concern outside readers, and whom it does concern.
TESTS_ONLY = Phrase("Tests only: ", "仅测试：")

CI_ONLY = Phrase("CI only: ", "仅持续集成：")

DOCS_ONLY = Phrase("Documentation only: ", "仅文档：")

BUILD_ONLY = Phrase("Build only: ", "仅构建：")

BENCHMARKS_ONLY = Phrase("Benchmarks only: ", "仅基准测试：")

EXAMPLES_ONLY = Phrase("Examples only: ", "仅示例：")

INTERNAL = Phrase("Internal: ", "内部改动：")

FIX = Phrase("Fix: ", "修复：")

PERFORMANCE = Phrase("Performance: ", "性能：")

NEW = Phrase("New: ", "新增：")

CONCERNED = Phrase("{where}: ", "{where}：")

VERBS_ZH = {
    verb: chinese
    for chinese, verbs in {
        "修复": "fix correct resolve repair",
        "恢复": "restore",
        "避免": "prevent avoid",
        "处理": "handle",
        "防止": "guard",
        "加固": "harden",
        "新增": "add introduce implement create include register",
        "提供": "expose provide export",
        "支持": "support",
        "允许": "allow accept permit",
        "扩展": "extend expand",
        "启用": "enable activate",
        "停用": "disable deactivate",
        "跳过": "skip bypass",
        "拒绝": "reject block forbid deny",
        "移除": "remove drop delete discard",
        "弃用": "deprecate",
        "改进": "improve enhance",
        "明确": "clarify",
        "校验": "validate check",
        "记录": "log record",
        "显示": "show display print render",
        "确保": "ensure",
        "保留": "keep preserve",
        "限制": "limit constrain cap",
        "要求": "require enforce",
        "检测": "detect",
        "改用": "use adopt",
        "加速": "speed accelerate",
        "优化": "optimize optimise",
        "减少": "reduce",
        "缓存": "cache",
        "融合": "fuse",
        "更新": "update",
        "升级": "bump upgrade",
        "固定": "pin",
        "重命名": "rename",
        "替换": "replace",
        "切换": "switch",
        "更改": "change",
        "迁移": "migrate",
        "移动": "move relocate",
        "重构": "refactor rework restructure",
        "简化": "simplify",
        "合并": "consolidate unify merge",
        "拆分": "split",
        "清理": "clean cleanup tidy",
        "复用": "reuse",
        "回退到": "fall|back",
        "应用": "apply",
        "对齐": "align",
        "忽略": "ignore",
        "暴露": "surface",
    }.items()
    for verb in (one.replace("|", " ") for one in verbs.split())
}
"""The verbs of titles in Chinese; the words after them stay as the author wrote them."""
