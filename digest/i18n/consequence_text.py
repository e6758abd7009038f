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
WHERE_NOW = Phrase(
    "{name} now defaults to {after} where {now} (before: {then})",
    "{name} 在 {now} 时默认为 {after}（此前：{then}）",
)
DEFAULT_NEW = Phrase("{name} now defaults to {after}", "{name}的默认值现为{after}")

DEFAULT_GONE = Phrase("{name} no longer defaults to {before}", "{name}的默认值不再是{before}")

CHOICES = Phrase("{name} now takes {after} (was {before})", "{name}的可选值由{before}改为{after}")

VALUE = Phrase("{name} is now {after} (was {before})", "{name}由{before}改为{after}")

DEPRECATED_ONE = Phrase("{names} is deprecated", "{names}已弃用")

DEPRECATED_MANY = Phrase("{names} are deprecated", "{names}已弃用")

GOES_LATER = Phrase("; removal is planned", "，以后将移除")
GOES = Phrase("; removal is planned for {version}", "，计划在 {version} 移除")

MINIMUM = Phrase("Minimum {name} version raised {versions}", "{name} 最低版本{versions}")
FROM_TO = Phrase("from {before} to {after}", "由 {before} 提高到 {after}")

# What is new, with its description.
NEW_FLAG = Phrase("New flag {name}", "新增参数{name}")

NEW_ENVIRONMENT = Phrase("New environment variable {name}", "新增环境变量{name}")

NEW_CONFIG = Phrase("New setting {name}", "新增配置项{name}")

NEW_ROUTE = Phrase("New route {name}", "新增路由{name}")

NEW_METRIC = Phrase("New metric {name}", "新增指标{name}")

NEW_FIELD = Phrase("New field {name}", "新增字段{name}")

NEW_SCHEMA = Phrase("The protocol gains {name}", "协议新增{name}")

EXPLAINED = Phrase("{what}: {words}", "{what}：{words}")

WITH_DEFAULT = Phrase("{what} (default {value})", "{what}（默认 {value}）")

DOCUMENTED = Phrase("The documentation adds: “{words}”", "文档新增：“{words}”")

REMARKED = Phrase("A new comment in the code: “{words}”", "代码新增注释：“{words}”")

REFUSED = Phrase("New error: “{words}”.", "新增报错：“{words}”。")

ALLOWED = Phrase("No longer refused: “{words}”.", "不再报错：“{words}”。")

WAS = Phrase("{what} ({name} was {before})", "{what}（{name}原为{before}）")

# Before a title: the sort of change, that it does not concern outside readers, whom it concerns.
LABELLED = Phrase("{label}: {what}", "{label}：{what}")
LABELLED_WHERE = Phrase("{label} ({where}): {what}", "{label}（{where}）：{what}")

TESTS_ONLY = Phrase("Tests only", "仅测试")
CI_ONLY = Phrase("CI only", "仅持续集成")
DOCS_ONLY = Phrase("Documentation only", "仅文档")
BENCHMARKS_ONLY = Phrase("Benchmarks only", "仅基准测试")
EXAMPLES_ONLY = Phrase("Examples only", "仅示例")

SECURITY = Phrase("Security", "安全")
BREAKING = Phrase("Breaking", "不兼容变更")
FIX = Phrase("Fix", "修复")
PERFORMANCE = Phrase("Performance", "性能")
NEW = Phrase("New", "新增")
REFACTORING = Phrase("Refactoring", "重构")
