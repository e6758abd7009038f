"""Texts of analyses: statements, and sentences on what a change means for a reader.

Every phrase states what the diff or the message shows. One on consequences says what is different
now, what was before and what to use instead if the change shows it, and who should check; it leaves
open whether anybody is affected. Users see names of flags, variables, settings, routes and metrics,
but not names of functions and classes.
"""

from __future__ import annotations

from digest.core.facts import FactKind
from digest.i18n.phrase import Phrase, table_of

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
NEW_THING_HERE = Phrase(
    "New {kind} in {path} that other parts of the project already have: {names}.",
    "{path}新增{kind}（项目其他部分已有）：{names}。",
)
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

# Insights: performance and security.
BENCHMARKS = Phrase("Benchmarks change with it: {names}.", "同时改动了基准测试：{names}。")
SECURITY_ADDED = Phrase("Security-related code added: {names}.", "新增安全相关代码：{names}。")
SECURITY_GONE = Phrase("Security-related code removed: {names}.", "移除安全相关代码：{names}。")
SECURITY_SAID = Phrase("Security advisories named: {names}.", "提到的安全公告：{names}。")
NAME_AT = Phrase("{name} in {path}", "{path}中的{name}")

# Risks.
REMOVED_RISKS = table_of(FactKind, "removed_risks")
RENAMED_RISKS = table_of(FactKind, "renamed_risks")
DEFAULT_RISK = Phrase(
    "Without a value, {name} is now {after} instead of {before}.",
    "未显式设置时，{name}的值由{before}变为{after}。",
)
SIGNATURE_REQUIRED = Phrase(
    "Calls of {name} now have to pass {names}.", "调用{name}时现在必须传入{names}。"
)
SIGNATURE_LOST = Phrase(
    "Calls of {name} can no longer pass {names}.", "调用{name}时不能再传入{names}。"
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
VERSIONS_MOVE = Phrase("These versions change: {names}.", "以下版本有变化：{names}。")

# Suggestions.
KEEP_DEFAULT = Phrase(
    "To keep the old default, set {name} to {before}.",
    "如需保持原来的默认值，请将{name}设为{before}。",
)
KEEP_CHOICE = Phrase(
    "To keep the old default, set {name} to {before}, if that is still accepted.",
    "如需保持原来的默认值，请将{name}设为{before}（若仍可用）。",
)
TEST_WITH = Phrase(
    "Test with {name} {after} before upgrading, or pin {before}.",
    "升级前用{name} {after}测试，或固定在{before}。",
)
TEST_WITH_RANGE = Phrase(
    "Test with {name} {after} before upgrading.", "升级前用{name} {after}测试。"
)
LEAVE_DEPRECATED = Phrase("Plan the move away from {names}.", "规划迁离{names}。")

# What to do, in one short sentence beside a change to act on.
REPLACE = Phrase("Replace {before} with {after}.", "将{before}替换为{after}。")
RAISE = Phrase("Upgrade {name} to {version} or later.", "将 {name} 升级到 {version} 或更高版本。")
CHECK_USE = Phrase("Check if you use {names}.", "请检查是否使用 {names}。")
CHECK_DEFAULT = Phrase(
    "Check if you rely on the old default of {names}.", "请检查是否依赖 {names} 原来的默认值。"
)
CHECK_OLD = Phrase(
    "Check if you rely on the old default {what}.", "请检查是否依赖原来的默认 {what}。"
)
CHECK_OFF = Phrase(
    "Check if you rely on {what} being off{where}.", "请检查是否依赖 {what} 处于关闭状态{where}。"
)
CHECK_ON = Phrase(
    "Check if you rely on {what} being on{where}.", "请检查是否依赖 {what} 处于开启状态{where}。"
)
CHECK_DOING = Phrase("Check if you rely on {names}.", "请检查是否依赖 {names}。")
CHECK_YOUR = Phrase("Check your {what}.", "请检查 {what}。")
CHECK_CHOICES = Phrase("Check the values that you set for {names}.", "请检查为{names}设置的值。")
CHOOSE_OTHER = Phrase("Stop setting {name} to {values}.", "不要再将{name}设为{values}。")
TAKE_FIX = Phrase(
    "Upgrade to the first release with this security fix.", "升级到首个包含此安全修复的版本。"
)
WEAKNESS_NAMED = Phrase(
    "The message speaks of “{words}”: check if it concerns you.",
    "提交说明提到“{words}”，请确认是否受影响。",
)
CHECK = {
    "breaking": Phrase("Read what breaks before you upgrade.", "升级前请先了解不兼容之处。"),
    "removed": Phrase("Check if you use what was removed.", "请检查是否使用被移除的内容。"),
    "deprecated": Phrase("Plan to replace what is deprecated.", "计划替换已弃用的内容。"),
    "default": Phrase("Check if you rely on the old default.", "请检查是否依赖原来的默认值。"),
    "behaviour": Phrase("Check if you rely on the old behaviour.", "请检查是否依赖原来的行为。"),
    "refusal": Phrase("Check if you use what is now rejected.", "请检查是否用到现在被拒绝的内容。"),
    "rename": Phrase("Check if you use the old name.", "请检查是否使用旧名称。"),
    "format": Phrase("Check what reads or writes the old format.", "请检查读写旧格式的程序。"),
    "requirement": Phrase("Check if you meet the new requirement.", "请检查是否满足新的要求。"),
    "shipped": Phrase("Check how you install it.", "请检查安装方式是否受影响。"),
    "security": TAKE_FIX,
}
"""By the last word of a rule's name, or by its group: see :mod:`digest.analysis.risks`."""

CHECK_ANY = Phrase("Check if this concerns you before you upgrade.", "升级前请检查是否受影响。")

# What could not be read.
UNPARSED = Phrase(
    "{n:file|files} not parsed (too large or too complex): {names}.",
    "未解析 {n} 个文件（过大或过于复杂）：{names}。",
)
UNREAD = Phrase(
    "The content of {n:file|files} is not in this clone: {names}.",
    "本地克隆缺少 {n} 个文件的内容：{names}。",
)

# Interfaces that are removed, renamed or have another value.
REMOVED_MANY = Phrase("{names} were removed", "移除了{names}")
REMOVED_ONE = Phrase("{names} was removed", "移除了{names}")
PROTOCOL_LOSES = Phrase("The protocol loses {names}", "协议移除{names}")
ANNOUNCED = Phrase(", as announced for {version}", "（此前预告在 {version} 移除）")
UNREAD_ONE = Phrase("{names} is no longer read", "不再读取{names}")
UNREAD_MANY = Phrase("{names} are no longer read", "不再读取{names}")
IN_FILE = Phrase(" from {path}", "（位于{path}）")
USE_INSTEAD = Phrase("; use {replacement}", "，请改用{replacement}")
RENAMED = Phrase("{before} is now {after}", "{before}更名为{after}")
RENAMED_IN_PROTOCOL = Phrase(
    "The protocol's {before} is now {after}", "协议中的{before}更名为{after}"
)
RENAMED_ALIKE = Phrase(
    "{before} is now {after} ({n:name|names})", "{before}更名为{after}（{n} 个名称）"
)
DEFAULT = Phrase(
    "{name} now defaults to {after} (was {before})", "{name}的默认值由{before}改为{after}"
)
WHERE = Phrase("{what} where {condition}", "{what}（条件：{condition}）")
SOMETIMES = Phrase("{what} under a condition", "{what}（仅在特定条件下）")
WHERE_NOW = Phrase(
    "{name} now defaults to {after} where {now} (before: {then})",
    "{name} 在 {now} 时默认为 {after}（此前：{then}）",
)
DEFAULT_NEW = Phrase("{name} now defaults to {after}", "{name}的默认值现为{after}")
DEFAULT_GONE = Phrase("{name} no longer defaults to {before}", "{name}的默认值不再是{before}")
CHOICES = Phrase("{name} now takes {after} (was {before})", "{name}的可选值由{before}改为{after}")
CHOICES_LOST = Phrase("{name} no longer takes {values}", "{name}不再接受{values}")
CHOICES_NEW = Phrase("{name} now also takes {values}", "{name}现在还接受{values}")
VALUE = Phrase("{name} is now {after} (was {before})", "{name}由{before}改为{after}")
DEPRECATED_ONE = Phrase("{names} is deprecated", "{names}已弃用")
DEPRECATED_MANY = Phrase("{names} are deprecated", "{names}已弃用")
GOES_LATER = Phrase("; removal is planned", "，以后将移除")
REMOVAL_PLANNED = Phrase("Removal is planned for {version}.", "计划在 {version} 移除。")
GOES = Phrase("; removal is planned for {version}", "，计划在 {version} 移除")
MINIMUM = Phrase("Minimum {name} version raised {versions}", "{name} 最低版本{versions}")
BUILT_WITH = Phrase(
    "Built with {name} {after} instead of {before}.",
    "改用 {name} {after} 构建（此前为 {before}）。",
)
FROM_TO = Phrase("from {before} to {after}", "由 {before} 提高到 {after}")

# What the tables of a registry gain and lose.
LISTED = (
    Phrase("{names} is now among the {table}", "{names}现列入{table}"),
    Phrase("{names} are now among the {table}", "{names}现列入{table}"),
)
UNLISTED = (
    Phrase("{names} is no longer among the {table}", "{names}不再列入{table}"),
    Phrase("{names} are no longer among the {table}", "{names}不再列入{table}"),
)
DROPPED = (
    Phrase("{names} is no longer supported", "不再支持{names}"),
    Phrase("{names} are no longer supported", "不再支持{names}"),
)
"""For one name and for several."""

# What is new, with its description.
NEW_FLAG = Phrase("New flag {name}", "新增参数{name}")
NEW_ENVIRONMENT = Phrase("New environment variable {name}", "新增环境变量{name}")
NEW_CONFIG = Phrase("New setting {name}", "新增配置项{name}")
NEW_ROUTE = Phrase("New route {name}", "新增路由{name}")
NEW_METRIC = Phrase("New metric {name}", "新增指标{name}")
NEW_FIELD = Phrase("New field {name}", "新增字段{name}")
NEW_CLASS = Phrase("New class {name}", "新增类{name}")
NEW_FUNCTION = Phrase("New function {name}", "新增函数{name}")
NEW_METHOD = Phrase("New method {name}", "新增方法{name}")
NEW_SCHEMA = Phrase("The protocol gains {name}", "协议新增{name}")
NEW_TABLE = Phrase("New database table {name}", "新增数据库表{name}")
NEW_HERE = Phrase(
    "{what} in {path} ({elsewhere} already has it)", "{path}{what}（{elsewhere}中已有）"
)
EXPLAINED = Phrase("{what}: {words}", "{what}：{words}")
WITH_DEFAULT = Phrase("{what} (default {value})", "{what}（默认 {value}）")
DOCUMENTED = Phrase("The documentation adds: “{words}”", "文档新增：“{words}”")
REMARKED = Phrase("A new comment in the code: “{words}”", "代码新增注释：“{words}”")
REFUSED = Phrase("New error: “{words}”.", "新增报错：“{words}”。")
NOW_REFUSED = Phrase("Now rejected: “{words}”.", "现在会报错：“{words}”。")
ALLOWED = Phrase("No longer rejected: “{words}”.", "不再报错：“{words}”。")
WAS = Phrase("{what} ({name} defaulted to {before})", "{what}（{name}此前默认为{before}）")

# In front of a title: the kind of change, or that it does not concern users, and its subject.
LABELLED = Phrase("{label}: {what}", "{label}：{what}")
LABELLED_WHERE = Phrase("{label} ({where}): {what}", "{label}（{where}）：{what}")
TESTS_ONLY = Phrase("Tests only", "仅测试")
CI_ONLY = Phrase("CI only", "仅持续集成")
DOCS_ONLY = Phrase("Documentation only", "仅文档")
BENCHMARKS_ONLY = Phrase("Benchmarks only", "仅基准测试")
EXAMPLES_ONLY = Phrase("Examples only", "仅示例")
SECURITY = Phrase("Security", "安全")
PRIVATE_FIX = Phrase(
    "Security fix in {places}, merged from a private fork without a description",
    "{places}中的安全修复（自私有 fork 合入，无说明）",
)
BREAKING = Phrase("Breaking", "不兼容变更")
FIX = Phrase("Fix", "修复")
REMOVED = Phrase("Removed", "移除")
PERFORMANCE = Phrase("Performance", "性能")
NEW = Phrase("New", "新增")
REFACTORING = Phrase("Refactoring", "重构")
