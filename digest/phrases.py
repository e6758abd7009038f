"""What answers say around the changes, in every language. Imports ``words.phrase`` and values."""

from __future__ import annotations

from digest.grade import Level
from digest.topics import Place
from digest.words.phrase import Phrase

CHANGES = Phrase("{n:change|changes}", "{n} 个变更")
CHANGES_SAID = Phrase("changes", "变更")
"""How a heading ends that says by itself that it counts changes."""

IN_TOPIC = Phrase("{topic}: {counted}", "{topic}：{counted}")
EVERYTHING = Phrase("All changes", "全部变更")
BY_AUTHOR = Phrase("by {author}", "作者 {author}")
UNDER_PATH = Phrase("in {path}", "路径 {path}")
FROM_LEVEL = {
    Level.HIGH: Phrase("high importance only", "仅高重要度"),
    Level.MEDIUM: Phrase("medium importance and above", "中重要度及以上"),
    Level.LOW: Phrase("every importance", "全部重要度"),
}
GROUP = Phrase("{name} ({n:change|changes})", "{name}（{n} 个变更）")
SHOWN = Phrase("{shown} of {total} shown", "显示 {shown} / {total}")
SHOWN_SO_FAR = Phrase(
    "{shown} of {total} shown, “more” for the next", "显示 {shown} / {total}，说“更多”看下一页"
)
AS_OF = Phrase("as of {sha}, {moment}", "截至 {sha}，{moment}")
EMPTY_BRANCH = Phrase("the branch has no commit yet", "该分支还没有提交")
WINDOW = Phrase("{since} – {until} ({zone})", "{since} – {until}（{zone}）")
ARCHIVED = Phrase("everything archived so far", "目前已归档的全部变更")

WHY = {
    Place.TAG: Phrase("tag {shown}", "标签 {shown}"),
    Place.SCOPE: Phrase("scope {shown}", "范围 {shown}"),
    Place.TITLE: Phrase("title: {shown}", "标题：{shown}"),
    Place.FACT: Phrase("changes {shown}", "涉及 {shown}"),
    Place.AREA: Phrase("mostly {shown}", "主要为 {shown}"),
    Place.PATH: Phrase("path {shown}", "路径 {shown}"),
    Place.IDENTIFIER: Phrase("identifier {shown}", "标识符 {shown}"),
    Place.KIND: Phrase("kind: {shown}", "类型：{shown}"),
    Place.LABEL: Phrase("label {shown}", "标签 {shown}"),
}
IN_SUBJECT = Phrase("subject: {shown}", "标题：{shown}")
IN_BODY = Phrase("message: {shown}", "提交说明：{shown}")
IN_PATH = Phrase("path {shown}", "路径 {shown}")
IN_NAME = Phrase("identifier {shown}", "标识符 {shown}")

NOTHING = Phrase("No change of this period is about {topic}.", "这段时间没有关于 {topic} 的变更。")
NO_TOPIC = Phrase(
    "I know no topic {topic} in {repository}.", "{repository} 中没有名为 {topic} 的主题。"
)
NEWEST = Phrase(
    "The newest commit here, {sha}, is of {day}. Of its week: {question}",
    "此处最新的提交 {sha} 是 {day} 的。可以看那一周：{question}",
)
NO_CHANGE = Phrase("No change of this period fits.", "这段时间没有符合条件的变更。")
KNOWN_ELSEWHERE = Phrase(
    "The archive has {n:change|changes} about it outside this period.",
    "归档中在这段时间之外有 {n} 个相关变更。",
)
NEAR = Phrase("Near topics: {topics}.", "相近的主题：{topics}。")
MENTIONED = Phrase(
    "The word alone is in {n:change|changes} of this period; to see them: {question}",
    "这段时间有 {n} 个变更仅提到该词，查看方式：{question}",
)
SEARCH_FOR = Phrase("search {terms}", "搜索 {terms}")
NOT_FOUND = Phrase("No change holds {terms}.", "没有包含 {terms} 的变更。")

UNDONE_BY = Phrase("Undone by {change}", "已被 {change} 撤销")
ANNOUNCED = Phrase("Announced in the digest of {day}", "已在 {day} 的摘要中公布")
UNDOES_ANNOUNCED = Phrase(
    "It undoes {change}, announced in the digest of {day}",
    "它撤销了已在 {day} 的摘要中公布的 {change}",
)
RELANDED_BY = Phrase("Brought back by {change}", "由 {change} 重新合入")
ALSO = Phrase("The same request is also {change}", "同一请求还有 {change}")

HELP = Phrase("What can be asked", "可以这样问")
HELP_EXPLAIN = Phrase(
    "One change, in full: what it does, whom it reaches, what to watch.",
    "完整说明一个变更：做了什么，影响谁，需要注意什么。",
)
HELP_CHANGED = Phrase(
    "Changes by topic, author, path, importance and period, each cited.",
    "按主题、作者、路径、重要度和时间查看变更，逐条给出处。",
)
HELP_DIGEST = Phrase("The digest of any day or period.", "任意一天或一段时间的摘要。")
HELP_SEARCH = Phrase("Full-text search in everything archived.", "在全部归档中全文搜索。")
HELP_TOUCHED = Phrase(
    "What happened to a class, function, flag or variable, and by whom.",
    "一个类、函数、参数或变量发生过什么，是谁改的。",
)
HELP_COMPARE = Phrase("Two releases compared, as release notes.", "对比两个版本，生成发布说明。")
HELP_CATCH_UP = Phrase(
    "One digest of everything since you last looked.", "你上次查看以来的全部变更，一份摘要。"
)
HELP_WHY = Phrase(
    "Why a change has its importance, and how it was covered.",
    "一个变更为什么是这个重要度，是否已被摘要涵盖。",
)
HELP_RISKY = Phrase(
    "What could go wrong with it; after an answer no name is needed: is it risky?",
    "它可能带来什么风险；在回答之后不必再写编号：有风险吗？",
)
HELP_DIFF = Phrase(
    "Its changed lines, or those of a part: show the diff of the config part.",
    "它改动的行，或其中一部分：看看配置部分的 diff。",
)
HELP_REVIEWERS = Phrase("Who reviewed it.", "谁评审了它。")
HELP_AUTHOR = Phrase("Who wrote it.", "它是谁写的。")
HELP_AGAIN = Phrase(
    "The last question of another time, topic or change, or of what matters alone.",
    "把上一个问题换一个时间、主题或变更，或只看重要的。",
)
HELP_NTH = Phrase("A change of the last list, by its place.", "按序号解释上一个列表中的变更。")
HELLO = Phrase(
    "Hello! I tell what changed in {repository}. You can ask, for example:",
    "你好！我可以告诉你 {repository} 有什么变更。可以这样问：",
)
HELLO_MORE = Phrase("{question} shows all that can be asked.", "发送 {question} 查看全部问法。")
HELP_MORE = Phrase("The next page.", "下一页。")
HELP_RETELL = Phrase(
    "The last answer shorter, longer, or in the other language.",
    "把上一个回答缩短、加长，或换一种语言。",
)
HELP_STATUS = Phrase(
    "Last and next runs, what waits, what was spent.", "上次和下次运行、待投递数量和花费。"
)
HELP_PRIVACY = Phrase("What is kept, and what leaves the machine.", "保存什么，发送什么。")
NOT_READ_TOO_LONG = Phrase(
    "This question is too long for me: I read up to {n} characters. I can answer, for example:",
    "这个问题太长，最多 {n} 个字符。可以这样问：",
)
TWO_LANGUAGES = Phrase(
    "I read English and Chinese. 我能看懂英文和中文。 I can answer, for example:",
    "我能看懂英文和中文。 I read English and Chinese. 可以这样问：",
)
HELP_HELP = Phrase("This page.", "本页。")
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
