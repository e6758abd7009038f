"""Texts of analyses.

Every phrase states what the diff or the message shows. A phrase on consequences names who should
check, and leaves open whether anybody is affected.
"""

from __future__ import annotations

from digest.core.facts import FactKind
from digest.i18n.phrase import Phrase

# The author's own words.
AUTHOR_WRITES = Phrase("In the author's words: “{words}”", "作者写道：“{words}”")

# Summary.
EXTENT = Phrase("Changes {n:file|files} ({lines}).", "改动 {n} 个文件（{lines}）。")

EMPTY = Phrase("Changes no file.", "没有改动任何文件。")

UNDOES = Phrase("Undoes {what}.", "回退{what}。")
RELANDS = Phrase("Brings back {what}.", "重新合入{what}。")
TITLED = Phrase("{what} (“{title}”)", "{what}（“{title}”）")
AN_EARLIER_CHANGE = Phrase("an earlier change", "此前的一项变更")

# Impact.
AREA_FILES = Phrase("{area}: {places}", "{area}：{places}")
PLACE_COUNT = Phrase("{place} ({n:file|files}, {lines})", "{place}（{n} 个文件，{lines}）")
PLACE_LINES = Phrase("{place} ({lines})", "{place}（{lines}）")
NEW_FILE = Phrase("new, {lines}", "新文件，{lines}")
GONE_FILE = Phrase("removed, {lines}", "已移除，{lines}")
MOVED_FILE = Phrase("moved, {lines}", "已移动，{lines}")

# Insights: interfaces.
NEW_THING = Phrase("New {kind}: {names}.", "新增{kind}：{names}。")
GONE_THING = Phrase("Removed {kind}: {names}.", "移除{kind}：{names}。")
RENAMED_THING = Phrase("Renamed {kind}: {names}.", "重命名{kind}：{names}。")
CHANGED_THING = Phrase("Changed {kind}: {names}.", "变更{kind}：{names}。")
DEPRECATED = Phrase("Deprecated: {names}.", "标记为弃用：{names}。")
DEFAULT_IS = Phrase("{name} (default {value})", "{name}（默认 {value}）")
DEFAULT_WAS = Phrase("{name} (default was {value})", "{name}（原默认 {value}）")
VALUE_IS = Phrase("{name} ({value})", "{name}（{value}）")
VALUE_CHANGED = Phrase("{name} ({before} → {after})", "{name}（{before} → {after}）")
DEFAULT_CHANGED = Phrase("{name} (default {before} → {after})", "{name}（默认{before} → {after}）")
CONSTRUCTORS = Phrase("the constructors of {n:class|classes}", "{n} 个类的构造函数")
IN_CLASSES = Phrase("{name} ({n:class|classes})", "{name}（{n} 个类）")
NEW_NAME = Phrase("{before} → {after}", "{before} → {after}")
REQUIRED = Phrase("required", "必填")
NONE = Phrase("none", "无")

# Insights: architecture.
NEW_MODULES = Phrase("New: {names}.", "新增文件：{names}。")
GONE_MODULES = Phrase("Removed: {names}.", "移除文件：{names}。")
MOVED_MODULES = Phrase("Moved: {names}.", "移动文件：{names}。")
MODULE_GAINS = Phrase("{path} gains {names}.", "{path}新增{names}。")
MODULE_LOSES = Phrase("{path} loses {names}.", "{path}移除{names}。")
SYMBOLS_MOVED = Phrase("{names} moved from {before} to {after}.", "{names}从{before}移至{after}。")
BASES = Phrase("Changed base classes of {names}.", "{names}的基类变更。")
SIGNATURES = Phrase("Changed signatures: {names}.", "签名变更：{names}。")
PARAMETER_DEFAULTS = Phrase("Changed defaults of parameters: {names}.", "参数默认值变更：{names}。")
SPREAD = Phrase("Cuts across {n:component|components}: {places}.", "横跨 {n} 个组件：{places}。")

# Insights: performance and security.
BENCHMARKS = Phrase("Benchmarks change with it: {names}.", "同时改动了基准测试：{names}。")
SECURITY_ADDED = Phrase("Security-related code added: {names}.", "新增安全相关代码：{names}。")
SECURITY_GONE = Phrase("Security-related code removed: {names}.", "移除安全相关代码：{names}。")
SECURITY_SAID = Phrase(
    "The message speaks of security: {names}.", "提交信息提到安全问题：{names}。"
)
NAME_AT = Phrase("{name} in {path}", "{path}中的{name}")

# Risks.
BREAKING = Phrase("The author declares this change incompatible.", "作者声明这是一项不兼容变更。")
REMOVED_RISKS = {
    FactKind.FLAG: Phrase(
        "Replace or drop {names} in commands, scripts and service files.",
        "在命令、脚本和服务文件中替换或去掉{names}。",
    ),
    FactKind.ENVIRONMENT: Phrase(
        "Replace or drop {names} in deployments.", "在部署环境中替换或去掉{names}。"
    ),
    FactKind.CONFIG: Phrase(
        "Replace or drop {names} in configuration files.", "在配置文件中替换或去掉{names}。"
    ),
    FactKind.ROUTE: Phrase(
        "Move clients off {names} before upgrading.", "升级前将客户端迁离{names}。"
    ),
    FactKind.METRIC: Phrase(
        "Update the dashboards and alerts that read {names}.", "更新读取{names}的看板和告警。"
    ),
    FactKind.SCHEMA: Phrase(
        "Update the readers and writers of {names} together.", "同步更新{names}的读写双方。"
    ),
    FactKind.DEPENDENCY: Phrase(
        "Add {names} to your own requirements if you import it.",
        "若自行导入{names}，请加入自己的依赖清单。",
    ),
    FactKind.SYMBOL: Phrase(
        "Search your code for {names} before upgrading: imports of it break.",
        "升级前在自己的代码中搜索{names}：对其的导入将失效。",
    ),
}
METHOD_GONE = Phrase("No longer defined on the class itself: {names}.", "类本身不再定义{names}。")

RENAMED_RISKS = {
    FactKind.FLAG: Phrase(
        "Commands have to use the new name: {names}.", "命令需要改用新名称：{names}。"
    ),
    FactKind.ENVIRONMENT: Phrase(
        "Deployments have to use the new name: {names}.", "部署需要改用新名称：{names}。"
    ),
    FactKind.CONFIG: Phrase(
        "Configurations have to use the new name: {names}.", "配置需要改用新名称：{names}。"
    ),
    FactKind.ROUTE: Phrase(
        "Clients have to use the new path: {names}.", "客户端需要改用新路径：{names}。"
    ),
    FactKind.METRIC: Phrase(
        "Dashboards and alerts have to use the new name: {names}.",
        "看板和告警需要改用新名称：{names}。",
    ),
    FactKind.SYMBOL: Phrase(
        "Code outside has to use the new name: {names}.", "外部代码需要改用新名称：{names}。"
    ),
}
DEFAULT_RISK = Phrase(
    "Without a value, {name} is now {after} instead of {before}.",
    "未显式设置时，{name}的值由{before}变为{after}。",
)
SIGNATURE_REQUIRED = Phrase(
    "Calls of {name} now have to pass {names}.",
    "调用{name}时现在必须传入{names}。",
)
SIGNATURE_LOST = Phrase(
    "Calls of {name} can no longer pass {names}.",
    "调用{name}时不能再传入{names}。",
)
PARAMETER_RENAMED = Phrase(
    "Callers that pass {before} to {name} by name have to say {after}.",
    "以关键字向{name}传入{before}的调用需要改为{after}。",
)
PARAMETER_DEFAULT = Phrase(
    "Calls of {name} without {parameter} now get {after} instead of {before}.",
    "调用{name}时若不传{parameter}，其值由{before}变为{after}。",
)
IMPORTS_MOVED = Phrase(
    "Imports of {names} from {before} need the new place, {after}.",
    "从{before}导入{names}的代码需要改为{after}。",
)
MODULE_GONE = Phrase(
    "Imports of {names} break: the file is gone from there.",
    "导入{names}的代码将会失效：文件已不在原处。",
)
VERSIONS_MOVE = Phrase(
    "Builds and installations move with the versions: {names}.",
    "构建与安装环境将随版本变动：{names}。",
)
UNDONE_RISK = Phrase("What {what} brought is gone again.", "不再包含{what}带来的改动。")
SCHEMA_RISK = Phrase(
    "Readers and writers of {names} have to agree on the new form.",
    "{names}的读写双方需要对新格式保持一致。",
)
SECURITY_RISK = Phrase("Touches security-related code: {names}.", "触及安全相关代码：{names}。")

# Suggestions.
KEEP_DEFAULT = Phrase(
    "Set {name} to {before} to keep the old behaviour.",
    "如需保持原行为，请将{name}设为{before}。",
)

TEST_WITH = Phrase(
    "Test with {name} {after} before upgrading, or pin {before}.",
    "升级前用{name} {after}测试，或固定在{before}。",
)
TEST_WITH_RANGE = Phrase(
    "Test with {name} {after} before upgrading.", "升级前用{name} {after}测试。"
)

LEAVE_DEPRECATED = Phrase("Plan the move away from {names}.", "规划迁离{names}。")

READ_NOTES = Phrase(
    "Read the message for the migration the author describes.", "阅读提交信息中作者给出的迁移说明。"
)

# What could not be read.
UNPARSED = Phrase(
    "{n:file|files} not parsed (too large or too complex): {names}.",
    "未解析 {n} 个文件（过大或过于复杂）：{names}。",
)

UNREAD = Phrase(
    "The content of {n:file|files} is not in this clone: {names}.",
    "本地克隆缺少 {n} 个文件的内容：{names}。",
)
