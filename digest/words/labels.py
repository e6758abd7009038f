"""Names of levels, kinds of change, areas and sections. Imports values and ``phrase``."""

from __future__ import annotations

from digest.facts.model import Area, FactKind
from digest.grade import Level
from digest.statement import Aspect, ChangeType
from digest.words.phrase import Phrase

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
"""What a fact is about, in the singular."""

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
PINS = Phrase("pinned versions", "固定版本")
"""Dependencies that only a build is given."""

SUMMARY = Phrase("Summary", "变更摘要")
IMPACT = Phrase("Impact", "影响范围")
INSIGHTS = Phrase("Technical insights", "技术洞察")
RISKS = Phrase("Risks", "潜在风险")
SUGGESTIONS = Phrase("Suggestions", "关注建议")
TYPES = Phrase("Change type", "变更类型")
IMPORTANCE = Phrase("Importance", "重要程度")
COLON = Phrase(": ", "：")
SEPARATOR = Phrase("; ", "；")
COMMA = Phrase(", ", "、")
STOP = Phrase(".", "。")
