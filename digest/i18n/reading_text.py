"""What can be asked, how a question was read, and names that changed, in words."""

from __future__ import annotations

from digest.core.enums import Language
from digest.core.facts import Action, FactKind
from digest.i18n.phrase import Phrase

READ_AS = Phrase("Read as: {reading}", "理解为：{reading}")
OR_ELSE = Phrase("It could also mean: {reading}", "也可能是指：{reading}")
UNKNOWN_WORDS = Phrase(
    "Words that I do not know were ignored: {words}.", "未理解、已忽略：{words}。"
)
MENDED = Phrase("Read {word} as {topic}.", "把 {word} 理解为 {topic}。")
WITHOUT = Phrase(
    "Nothing here is called {words}; this answers the rest of the question.",
    "这里没有名为 {words} 的主题，已按其余部分查找。",
)
ALL_BUT = Phrase(
    "Nothing matches all of the question; these match without {words}.",
    "没有同时符合的变更，以下不含 {words}。",
)
WIDER = Phrase(
    "There is little or nothing in the last 7 days; these are from the last {n} days.",
    "最近 7 天很少或没有，以下是最近 {n} 天的。",
)
OLDER = Phrase(
    "There is nothing in the last {n} days; these are older, as far back as the archive goes.",
    "最近 {n} 天没有，以下是归档中更早的。",
)
NONE_FITS = Phrase(
    "{n:change|changes} of this period: {topic}. None of them matches: {filters}.",
    "这段时间关于 {topic} 的有 {n} 个变更，其中没有符合“{filters}”的。",
)
EXCEPT = Phrase("without {what}", "不含{what}")
NEW_FILES = Phrase("New files: {files}.", "新增文件：{files}。")
REMOVED_FILES = Phrase("Removed files: {files}.", "移除文件：{files}。")
NONE_TO_ACT = Phrase(
    "None of these changes needs action from you, as far as the code and titles show.",
    "从代码和标题来看，这些变更都不需要你采取行动。",
)
NONE_BREAKING = Phrase(
    "None is marked as breaking; these fix, revert or deprecate something related.",
    "没有标为不兼容的变更，以下是相关的修复、回退和弃用。",
)
SAID_MENDED = Phrase(
    "None is marked as a fix, but these titles say that they avoid or fix it.",
    "没有归类为修复的变更，以下变更的标题说明它们避免或解决了这个问题。",
)
LAST_BEFORE = Phrase(
    "The latest one before it that I have read: {change}, {day}.",
    "在此之前最近的一个（在已读取的变更中）：{change}，{day}。",
)
UNSURE = Phrase(
    "I may have misread this question, so the empty result is not certain.",
    "我可能没有正确理解这个问题，未找到并不说明没有。",
)
SHARE = Phrase(
    "{n} of {total} changes of this period: {percent} %.",
    "这段时间共有 {total} 个变更，其中 {n} 个，占 {percent}%。",
)
MORE_RELEASES = Phrase(
    "More releases: {n}, compared to {other}.", "更多：{n} 个，对比 {other} 个。"
)
FEWER_RELEASES = Phrase(
    "Fewer releases: {n}, compared to {other}.", "更少：{n} 个，对比 {other} 个。"
)
AS_MANY_RELEASES = Phrase("As many releases: {n}.", "一样多：{n} 个。")
OF_ALL = Phrase("{n} changes in this period in total.", "这段时间共有 {n} 个变更。")
BY_FIGURES = Phrase(
    "Ranked by the figures that authors give, which measure different things.",
    "按作者给出的数字排序；各自测量的对象不同。",
)
NO_FIGURES = Phrase("The authors of these changes give no figures.", "这些变更的作者没有给出数字。")
LOWER = Phrase(
    "Nothing is of high importance; these are of medium importance.",
    "没有高重要度的变更，以下是中重要度的。",
)
LOWEST = Phrase(
    "Nothing is of high or medium importance; these are of low importance.",
    "没有高、中重要度的变更，以下是低重要度的。",
)
NEAREST = Phrase(
    "I do not understand all of this question. These changes are nearest to its words ({words}):",
    "我没完全看懂这个问题。与其中的词（{words}）最接近的变更：",
)
ALSO_CLOSE = Phrase("Just as close to the words of the question:", "标题同样接近问题用词的变更：")
CLOSE = Phrase("its title is close to the question", "标题接近问题用词")
CLOSER = Phrase("Closest to the words of the question:", "标题最接近问题用词的变更：")
THANKS = Phrase("You are welcome. You can continue with, for example:", "不客气。还可以这样问：")
TO_TODAY = Phrase("{since} to today", "{since} 至今")
DAYS = Phrase("{since} to {until}", "{since} 至 {until}")
PER_DAY = Phrase("per day", "按天")
PER_WEEK = Phrase("per week", "按周")
PER_MONTH = Phrase("per month", "按月")
PER_FILE = Phrase("per file", "按文件")
PER_FOLDER = Phrase("per folder", "按目录")
PER_AUTHOR = Phrase("per author", "按作者")
TOP = {
    "top": Phrase("top {n}", "最重要的 {n} 个"),
    "latest": Phrase("latest {n}", "最新 {n} 个"),
    "oldest": Phrase("oldest {n}", "最早 {n} 个"),
    "largest": Phrase("largest {n}", "改动最大的 {n} 个"),
    "smallest": Phrase("smallest {n}", "改动最小的 {n} 个"),
}
BUSIER = Phrase("More changes: {n}, compared to {other}.", "更多：{n} 个变更，对比 {other} 个。")
QUIETER = Phrase("Fewer changes: {n}, compared to {other}.", "更少：{n} 个变更，对比 {other} 个。")
AS_BUSY = Phrase("As many changes: {n}.", "一样多：{n} 个变更。")
OF_PERIOD = Phrase(
    ": {n:change|changes} by {people:person|people} · {levels}",
    "：{n} 个变更，{people} 人 · {levels}",
)
DEFAULTS = Phrase("changed defaults", "默认值变化")
HELP = Phrase("What you can ask", "可以这样问")
HELLO = Phrase(
    "Hello! I can tell you what changed in {repository}. You can ask, for example:",
    "你好！我可以告诉你 {repository} 有什么变更。可以这样问：",
)
HELLO_MORE = Phrase("{question} shows everything you can ask.", "发送 {question} 查看全部问法。")
NOT_READ_TOO_LONG = Phrase(
    "This question is too long: I read up to {n} characters. I can answer, for example:",
    "这个问题太长，最多 {n} 个字符。可以这样问：",
)
TWO_LANGUAGES = Phrase(
    "I read English and Chinese. 我能看懂英文和中文。 I can answer, for example:",
    "我能看懂英文和中文。 I read English and Chinese. 可以这样问：",
)
HELP_PERIODS = Phrase(
    "Periods: today, yesterday, this or last week or month, last 3 days, since Monday, "
    "in January, 2026-01-20..2026-01-23. Weeks begin on Monday; days are those of {zone}; "
    "without a period it is the last 7 days.",
    "时间：今天、昨天、本周、上周、本月、上个月、最近三天、周一以来、1月、2026-01-20..2026-01-23。"
    "每周从周一开始，日期按 {zone} 计算；不写时间则为最近 7 天。",
)
NOT_UNDERSTOOD = Phrase(
    "I do not understand this question. I can answer, for example:",
    "我没看懂这个问题。可以这样问：",
)
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
TITLES_SAY = Phrase("By their titles, these may be about it:", "从标题看，以下变更可能与此有关：")
NO_SUCH_TAG = Phrase(
    "There is no tag {tag} here, so this is about the whole history.",
    "这里没有标签 {tag}，以下按整个历史回答。",
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
DESCRIBED = Phrase("“{text}” ({place})", "“{text}”（{place}）")
STANDS = Phrase("{name} still exists: in {files}.", "{name} 目前还在：{files}。")
IS_LEFT_IN = Phrase("{name} now occurs only in {files}.", "{name} 只剩在 {files} 里。")
STANDS_NOT = Phrase(
    "{name} no longer exists in the code of the branch.",
    "{name} 已不在：该分支的程序文本中没有它，已被移除。",
)
NOWHERE = Phrase(
    "{name} does not occur in the code of the branch.", "该分支的程序文本中没有 {name}。"
)
CAME = Phrase(
    "{name} was added by {change} ({author}, {day}).",
    "{name} 由 {change} 新增（{author}，{day}）。",
)
OLDEST = Phrase(
    "The oldest change found that mentions {name}: {change} ({author}, {day}).",
    "找到的最早提到 {name} 的变更：{change}（{author}，{day}）。",
)
WENT = Phrase(
    "{name} was removed by {change} ({author}, {day}).",
    "{name} 由 {change} 移除（{author}，{day}）。",
)
DEFAULT_NOW = Phrase(
    "{name} is {value} by default: {place}.", "{name} 的默认值是 {value}：{place}。"
)
NO_DEFAULT = Phrase(
    "The default of {name} cannot be determined from its declaration.",
    "从声明处读不出 {name} 的默认值。",
)
IS_NOW = Phrase(
    "{name} has been {value} since {change}, {day}.", "{name} 自 {change}（{day}）起为 {value}。"
)
WAS_BEFORE = Phrase(
    "{name} has been {value} since {change}, {day}; before that it was {before}.",
    "{name} 自 {change}（{day}）起为 {value}，之前为 {before}。",
)
IS_RENAMED = Phrase(
    "{name} was renamed to {other} by {change}, {day}.",
    "{name} 已由 {change} 改名为 {other}，{day}。",
)
INSTEAD = Phrase(
    "Use {other} instead of {name}: {change}, {day}.", "请用 {other} 代替 {name}：{change}，{day}。"
)
REPLACED = Phrase(
    "{name} was replaced with {other} by {change}, {day}.",
    "{name} 已由 {change} 替换为 {other}，{day}。",
)
REPLACES = Phrase(
    "{change}, {day}, replaces {name} with {other}, at least in part.",
    "{change}（{day}）用 {other} 替换了 {name}，至少是其中一部分。",
)
NO_REPLACEMENT = Phrase(
    "No change that I have read names a replacement for {name}.",
    "已读的变更都没有说明用什么代替 {name}。",
)
IS_DEPRECATED = Phrase(
    "{name} has been deprecated since {change}, {day}.", "{name} 自 {change}（{day}）起已弃用。"
)
REQUIRED_NOW = Phrase("Required version of {name}: {value}.", "{name} 目前要求的版本：{value}。")
ANY_VERSION = Phrase("any", "任意")
NOT_REQUIRED = Phrase(
    "{name} is no longer required by any manifest of the branch.",
    "{name} 已移除：该分支的清单都不再依赖它。",
)
FIRST_IN = Phrase("The first release with it is {tag}.", "首个包含它的版本是 {tag}。")
IN_NO_RELEASE = Phrase("No release tag has it yet.", "目前还没有版本标签包含它。")
LAST_SAID = Phrase(
    "The newest change whose title describes its status: {change}, {day}.",
    "标题中最近一次说明其状态的变更：{change}，{day}。",
)

YES = Phrase("Yes.", "是。")
NO = Phrase("No.", "否。")
YES_BY = Phrase("Yes: {change}, {day}.", "是：{change}，{day}。")
NOT_REVERTED = Phrase("No change that I have read reverts it.", "已读取的变更中没有回退它的。")
NO_BY = Phrase("No: {change}, {day}.", "否：{change}，{day}。")
UNDECIDED = Phrase(
    "No change that I have read answers this clearly; these are about it.",
    "已读的变更都没有明确说明是或否，以下是与它有关的。",
)


def gap(language: Language) -> str:
    """The separator between the words of a list."""
    return "、" if language is Language.ZH else ", "
