"""Texts on flags, variables, settings and other names that changed."""

from __future__ import annotations

from digest.core.enums import Language
from digest.core.facts import Action, FactKind
from digest.i18n.phrase import Phrase

KINDS = {
    FactKind.FLAG: Phrase("Flags", "参数"),
    FactKind.ENVIRONMENT: Phrase("Environment variables", "环境变量"),
    FactKind.CONFIG: Phrase("Settings", "配置项"),
    FactKind.ROUTE: Phrase("Routes", "路由"),
    FactKind.METRIC: Phrase("Metrics", "指标"),
    FactKind.SYMBOL: Phrase("Functions, classes and methods", "函数、类和方法"),
    FactKind.DEPENDENCY: Phrase("Dependencies", "依赖"),
    FactKind.TOOLCHAIN: Phrase("Toolchains", "工具链"),
    FactKind.SCHEMA: Phrase("Schemas", "数据结构"),
    FactKind.DEPRECATION: Phrase("Deprecations", "弃用"),
    FactKind.SECURITY: Phrase("Security", "安全"),
}
ANY = Phrase("Flags, variables, settings, routes and metrics", "参数、变量、配置、路由和指标")
DONE = {
    Action.ADDED: Phrase("added", "新增"),
    Action.REMOVED: Phrase("removed", "移除"),
    Action.RENAMED: Phrase("renamed", "改名"),
    Action.CHANGED: Phrase("changed", "修改"),
}
OF_KIND = Phrase("{kinds} {done}", "{done}的{kinds}")
SWITCHED = {"on": Phrase("on by default", "默认打开"), "off": Phrase("off by default", "默认关闭")}
TITLE = Phrase("{names}: {n} in {changes:change|changes}", "{names}：{n} 个，来自 {changes} 个变更")
NONE = Phrase(
    "{names}: none in this period, as far as the code shows.", "{names}：从代码来看，这段时间没有。"
)
ACTIONS = {
    Action.ADDED: Phrase("{name} added", "新增 {name}"),
    Action.REMOVED: Phrase("{name} removed", "移除 {name}"),
    Action.RENAMED: Phrase("{name} renamed", "重命名 {name}"),
    Action.CHANGED: Phrase("{name} changed", "修改 {name}"),
}
RENAMED = Phrase("{before} renamed to {name}", "{before} 改名为 {name}")
MOVED = Phrase("{name}: {before} → {after}", "{name}：{before} → {after}")
ADDED_AS = Phrase("{name} added ({after})", "新增 {name}（{after}）")
STANDS = Phrase("{name} is there now: in {files}.", "{name} 目前还在：{files}。")
STANDS_NOT = Phrase(
    "{name} is gone: nothing in the program text of the branch has it.",
    "{name} 已不在：该分支的程序文本中没有它，已被移除。",
)
CAME = Phrase("{name} was added by {change}, {day}.", "{name} 由 {change} 新增，{day}。")
WENT = Phrase("{name} was removed by {change}, {day}.", "{name} 由 {change} 移除，{day}。")
IS_NOW = Phrase(
    "{name} is {value} since {change}, {day}.", "{name} 自 {change}（{day}）起为 {value}。"
)
WAS_BEFORE = Phrase(
    "{name} is {value} since {change}, {day}; before it was {before}.",
    "{name} 自 {change}（{day}）起为 {value}，之前为 {before}。",
)
IS_RENAMED = Phrase(
    "{name} was renamed to {other} by {change}, {day}.",
    "{name} 已由 {change} 改名为 {other}，{day}。",
)
IS_DEPRECATED = Phrase(
    "{name} is deprecated since {change}, {day}.", "{name} 自 {change}（{day}）起已弃用。"
)
REQUIRED_NOW = Phrase("{name} is required now: {value}.", "{name} 目前要求的版本：{value}。")
ANY_VERSION = Phrase("any", "任意")
NOT_REQUIRED = Phrase(
    "{name} is gone: no manifest of the branch requires it.",
    "{name} 已移除：该分支的清单都不再依赖它。",
)
FIRST_IN = Phrase("The first release with it is {tag}.", "首个包含它的版本是 {tag}。")
IN_NO_RELEASE = Phrase("No release tag has it yet.", "目前还没有版本标签包含它。")
LAST_SAID = Phrase(
    "The newest change whose title says how it stands: {change}, {day}.",
    "标题中最近一次说明其状态的变更：{change}，{day}。",
)


YES = Phrase("Yes.", "是。")
NO = Phrase("No.", "否。")
YES_BY = Phrase("Yes: {change}, {day}.", "是：{change}，{day}。")
NO_BY = Phrase("No: {change}, {day}.", "否：{change}，{day}。")
UNDECIDED = Phrase(
    "No change that I have read says yes or no; these are about it.",
    "已读的变更都没有明确说明是或否，以下是与它有关的。",
)


def gap(language: Language) -> str:
    """The separator between the words of a list."""
    return "、" if language is Language.ZH else ", "
