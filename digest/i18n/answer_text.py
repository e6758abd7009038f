"""Texts of answers, about one change, a range, or the bot itself."""

from __future__ import annotations

from digest.core.enums import ChangeKind, Language, TopicPlace
from digest.core.facts import Action
from digest.core.grade import Grade, Level, Thresholds
from digest.document import Spans
from digest.i18n.phrase import Phrase

RANGE = Phrase("{base} to {tip}", "{base} 到 {tip}")
SINCE_REF = Phrase("since {base}", "自 {base} 以来")
UNTIL_REF = Phrase("up to {tip}", "截至 {tip}")
OF_RELEASE = Phrase(
    "Changes in {tag} since the previous release, {before}.",
    "{tag} 是一个发布：以下是它相对其历史中上一个发布 {before} 的变更。",
)
DEFAULTS = Phrase("{n:default|defaults} changed", "{n} 个默认值有变化")
DEFAULTS_OF = Phrase("{topic}: {counted}", "{topic}：{counted}")
NO_DEFAULT = Phrase(
    "No default of a flag, a variable or a setting changed, as far as the code shows.",
    "从代码来看，没有参数、变量或配置的默认值发生变化。",
)
NO_DEFAULT_OF = Phrase(
    "No default of a flag, a variable or a setting changed in {topic}, as far as the code shows.",
    "从代码来看，{topic} 中没有参数、变量或配置的默认值发生变化。",
)
DEFAULTS_SAID = Phrase("Titles that mention a default:", "标题中提到默认值的变更：")
OF_SERIES = Phrase("Releases after {before} up to {tag}.", "{before} 之后到 {tag} 为止的发布。")
OF_LATEST = Phrase(
    "Changes in {tag}, the latest release, since the previous release, {before}.",
    "{tag} 是最新的发布：以下是它相对其历史中上一个发布 {before} 的变更。",
)
LATEST_IS = Phrase("{tag} is the latest release.", "{tag} 是最新的发布。")
TAGGED = Phrase("It was tagged on {day}.", "打标签于 {day}。")
UNTAGGED = Phrase(
    "No release is tagged {tag}; the latest is {latest}.",
    "没有标签为 {tag} 的发布，最新的是 {latest}。",
)
OF_FIRST_RELEASE = Phrase(
    "{tag} has no release before it: everything up to {tag}.",
    "{tag} 是第一个发布：以下是截至它的全部变更。",
)
KINDS = {
    ChangeKind.ACTION: Phrase("To act on", "需要处理"),
    ChangeKind.BREAKING: Phrase("Breaking changes", "不兼容变更"),
    ChangeKind.SECURITY: Phrase("Security", "安全"),
    ChangeKind.DEPRECATIONS: Phrase("Deprecations", "弃用"),
    ChangeKind.REVERTS: Phrase("Reverts", "回退"),
    ChangeKind.FEATURE: Phrase("Features", "新功能"),
    ChangeKind.PERFORMANCE: Phrase("Performance", "性能"),
    ChangeKind.FIX: Phrase("Fixes", "修复"),
    ChangeKind.DEPENDENCIES: Phrase("Dependencies", "依赖"),
}
OTHER_KINDS = Phrase("Other changes", "其他变更")
UPGRADE = Phrase("Upgrade notes", "升级时会遇到的变化")
UPGRADE_TITLE = Phrase(
    "Upgrade from {base} to {tip} ({n:change|changes})", "从 {base} 升级到 {tip}（{n} 个变更）"
)
ANNOUNCED_IN = Phrase("Announced in the project's changelog", "项目更新日志中的说明")
NO_UPGRADE = Phrase(
    "As far as the code and the changelog show, nothing that users rely on was removed, renamed or"
    " given another default.",
    "从代码和更新日志来看，没有用户依赖的内容被移除、改名或更改默认值。",
)
GONE = Phrase("{kind} {name} was removed ({ref})", "{kind}{name}已移除（{ref}）")
RENAMED = Phrase("{kind} {name} is now {after} ({ref})", "{kind}{name}改名为{after}（{ref}）")
DEFAULT = Phrase(
    "{kind} {name} now defaults to {after}, was {before} ({ref})",
    "{kind}{name}的默认值由{before}改为{after}（{ref}）",
)
REQUIRED = Phrase(
    "{kind} {name} is now required as {after}, was {before} ({ref})",
    "{kind}{name}的要求由{before}改为{after}（{ref}）",
)
LABELLED = Phrase("label {label}", "标签 {label}")
RELEASES = Phrase("{n:release|releases}", "{n} 个发布")
RELEASED_ON = Phrase("{tag}, tagged on {day}", "{tag}，打标签于 {day}")
NO_RELEASE_THEN = Phrase(
    "No release was tagged in this period; the latest is {latest}.",
    "这段时间没有发布，最新的是 {latest}。",
)
HAS_NAME = Phrase(
    "Its changed lines contain {part}, in {n:file|files}:", "改动的行里有 {part}，在 {n} 个文件中："
)
RELEASED_IN = Phrase(
    "{change} of {day} was released in {tag}.", "{change}（{day}）已在 {tag} 中发布。"
)
NOT_RELEASED = Phrase(
    "{change} of {day} is not in a release yet; the latest is {tag}.",
    "{change}（{day}）还没有发布，最新的版本是 {tag}。",
)
NOTES = Phrase("{name}: {range}", "{name}：{range}")
NOTES_COUNTS = Phrase(
    "{n:change|changes} by {people:person|people}", "{n} 个变更，{people} 位贡献者"
)
PUBLISHED = Phrase("{name}, published on {day}", "{name}，发布于 {day}")
CONTRIBUTORS = Phrase("Contributors: {people}", "贡献者：{people}")
PERSON = Phrase("{name} ({n})", "{name}（{n}）")
BY_FILES = Phrase("By file ({n:file|files})", "按文件（{n} 个）")
OF_FILE = Phrase(
    "{path}: {n:change|changes} (+{added} −{deleted})", "{path}：{n} 个变更（+{added} −{deleted}）"
)
BY_FOLDERS = Phrase("By folder ({n:folder|folders})", "按目录（{n} 个）")
MORE_FILES = Phrase("and {n:more file|more files}", "另有 {n} 个文件")
MORE_FOLDERS = Phrase("and {n:more folder|more folders}", "另有 {n} 个目录")
WRITTEN_BY = Phrase("{change} was written by {author}, {at}", "{change} 的作者是 {author}，{at}")
MERGED_BY_PEOPLE = Phrase("Merges by person ({n:person|people})", "按合并者（{n} 人）")
NOBODY_MERGED = Phrase("These commits do not say who merged them.", "这些提交没有写明由谁合并。")
REVIEWED_BY_PEOPLE = Phrase("Reviews by person ({n:person|people})", "按评审人（{n} 人）")
NOBODY_REVIEWED = Phrase(
    "These commits name no reviewers; reviews that are only on the forge are not counted.",
    "这些提交没有写明评审人；只在代码平台上进行的评审不计入。",
)
MERGED_BY = Phrase("It was merged by {author}.", "由 {author} 合并。")
BOTS = Phrase("Bots: {bots}", "机器人：{bots}")
CO_AUTHORED = Phrase("co-author of {n}", "参与 {n} 个")
BY_AUTHORS = Phrase("By author ({n:person|people})", "按作者（{n} 人）")
EVER_BY_AUTHORS = Phrase(
    "Commits by author, of all time ({n:person|people})", "全部历史中各作者的提交（{n} 人）"
)
LATELY_BY_AUTHORS = Phrase(
    "Commits by author in the last year ({n:person|people})", "最近一年各作者的提交（{n} 人）"
)
BESIDE = Phrase("{head}, {n} more as co-authors", "{head}，另有 {n} 人仅为共同作者")
MORE_PEOPLE = Phrase("and {n:more person|more people}", "另有 {n} 人")
REST_OF_GROUP = Phrase("and {n} more: {question}", "另有 {n} 个：{question}")
TOUCHED = Phrase("{name}: {n:change|changes}", "{name}：{n} 个变更")
UNTOUCHED = Phrase(
    "No change that I have read changed {name} directly.",
    "在已读的变更中，没有直接改动 {name} 的。",
)
PEOPLE = Phrase("by {people}", "作者：{people}")
ACTIONS = {
    Action.ADDED: Phrase("added {name}", "新增 {name}"),
    Action.REMOVED: Phrase("removed {name}", "移除 {name}"),
    Action.RENAMED: Phrase("renamed {name}", "重命名 {name}"),
    Action.CHANGED: Phrase("changed {name}", "修改 {name}"),
}
AT = Phrase("{what} at {place}", "{what}，见 {place}")
WHY_TITLE = Phrase("Why {change} is {level}", "为什么 {change} 是{level}")
_SCORE = Phrase(
    "Score {score} of 1; high begins at {high}, medium at {medium}.",
    "评分 {score}（满分 1）；高从 {high} 起，中从 {medium} 起。",
)


def score_words(grade: Grade, thresholds: Thresholds | None, language: Language) -> Spans:
    """A score with its scale."""
    least = thresholds or Thresholds()
    high, medium = f"{least.high:.2f}", f"{least.medium:.2f}"
    return _SCORE(language, score=f"{grade.score:.2f}", high=high, medium=medium)


WEIGHED = Phrase("{weight} {reason}", "{weight} {reason}")
WEIGHTS = Phrase("What raised (+) or lowered (−) the score:", "提高（+）或降低（−）评分的因素：")
ENDED = {
    "posted": Phrase("It was shown in a digest.", "它出现在摘要中。"),
    "archived": Phrase(
        "It was archived and counted, but not shown in a digest.",
        "它已归档并计入统计，未在摘要中展示。",
    ),
    "filtered": Phrase("A rule left it out: {why}.", "被规则过滤：{why}。"),
    "failed": Phrase("Only part of it could be read: {why}.", "只能读取一部分：{why}。"),
    "": Phrase("No digest has covered it yet.", "还没有摘要涵盖它。"),
}
RISKS_OF = Phrase("Risks of {change}", "{change} 的风险")
NO_RISK = Phrase(
    "I found no known risk in the diff or message, but that is no guarantee.",
    "在差异和提交说明中没有发现已知的风险，但这不代表没有风险。",
)
LOOK_AT = Phrase("What to check", "建议关注")
REVIEWED = Phrase("{change} was reviewed by {people}", "{change} 的评审人：{people}")
NO_REVIEWER = Phrase(
    "The commit of {change} names no reviewer; the request's page may: {page}",
    "{change} 的提交没有写明评审人，可以看请求页面：{page}",
)
NO_REVIEWER_NO_PAGE = Phrase(
    "The commit of {change} names no reviewer.", "{change} 的提交没有写明评审人。"
)
DIFF_OF = Phrase("Diff of {change}", "{change} 的差异")
PATH_DIFF = Phrase("Diff of {path}: {n:change|changes}", "{path} 的差异：{n} 个变更")
NEWEST_DIFFED = Phrase("Only the newest {n} changes are shown.", "只显示最新的 {n} 个变更。")
NO_PART = Phrase(
    "No file of this change is about {part}; its files: {files}",
    "这个变更没有关于 {part} 的文件，它的文件有：{files}",
)
UNDERSTOOD = Phrase("Understood as: {question}", "理解为：{question}")
UNREAD = Phrase(
    "{path}: not shown (binary, too large or absent)", "{path}：未显示（二进制、过大或缺失）"
)
LINES_SHOWN = Phrase(
    "lines {first}–{last} of {total}; say “more” for the next",
    "第 {first}–{last} 行，共 {total} 行；说“更多”看下一页",
)
NO_LINES = Phrase("This change has no lines to show.", "这个变更没有可显示的行。")
CAUGHT_UP = Phrase("Since you last looked, {at}", "自你上次查看（{at}）以来")
FIRST_LOOK = Phrase(
    "I do not know when you last looked; these are the last {days} days.",
    "不知道你上次查看的时间，以下是最近 {days} 天。",
)
TOO_LONG_AGO = Phrase(
    "You last looked {at}; these are the last {days} days.",
    "你上次查看是在 {at}，以下是最近 {days} 天。",
)
UP_TO_DATE = Phrase(
    "Nothing new: you have seen everything up to {sha}.", "没有新变更：你已看到 {sha} 为止的全部。"
)
STATUS = Phrase("Status", "运行状态")
STATUS_TIP = Phrase("{name}, branch {branch}: {tip}", "{name}，分支 {branch}：{tip}")
STATUS_READ = Phrase(
    "Of the last 7 days, {read} of {total} changes have been read.",
    "最近 7 天的 {total} 个变更已读 {read} 个。",
)
LAST_RUN = Phrase(
    "{channel}: last digest {last}, next {next}", "{channel}：上次 {last}，下次 {next}"
)
NEVER = Phrase("never", "从未")
WAITING = Phrase("{n:digest waits|digests wait} to be delivered.", "有 {n} 份摘要等待投递。")
NO_RUNS = Phrase("No digest is scheduled here.", "这里没有定时摘要。")
BUDGET = Phrase(
    "The model has cost {spent} of {most} {currency} today.",
    "今天模型花费 {spent} {currency}，上限 {most}。",
)
SPENT = Phrase(
    "The model has cost {spent} {currency} today; no limit is set.",
    "今天模型花费 {spent} {currency}，未设上限。",
)
NO_MODEL = Phrase("No model is configured: answers come from facts.", "未配置模型：回答来自事实。")
PRIVACY = Phrase("Privacy", "隐私")
KEPT_HERE = Phrase(
    "Stored in the data folder of this machine: changes with their facts, digests, deliveries, "
    "and for each conversation its last question, page and language for {days} days.",
    "保存在本机数据目录中：变更及从中读出的事实、摘要、投递记录，"
    "以及每个对话的最后一个问题、页码和语言（{days} 天）。",
)
NOT_KEPT = Phrase("Not stored: other messages in chats.", "不保存：聊天中的其他内容。")
LEAVES = Phrase("What is sent to the model ({model}):", "发送给模型（{model}）的内容：")
LEAVES_QUESTIONS = Phrase(
    "Questions to me that the rules cannot read, with secrets masked.",
    "向我提出而规则读不懂的问题；其中的机密会被遮盖。",
)
LEAVES_NOTHING = Phrase(
    "No model is configured: only answers and digests leave the machine.",
    "未配置模型：除回答和摘要外，仓库内容不会离开本机。",
)
OF_PRIVACY = {
    "full": Phrase(
        "{name}: messages, paths and changed lines, with secrets masked.",
        "{name}：提交说明、路径和改动的行；机密会被遮盖。",
    ),
    "redacted": Phrase(
        "{name}: messages, paths and changed lines, with secrets, persons and hosts masked.",
        "{name}：提交说明、路径和改动的行；机密、人员和主机会被遮盖。",
    ),
    "metadata": Phrase(
        "{name}: facts, counts and paths, no changed lines.",
        "{name}：事实、统计和路径，不含改动的行。",
    ),
    "none": Phrase("{name}: nothing.", "{name}：不发送任何内容。"),
}
PER_TIME = {
    "day": Phrase("Changes by day", "每日变更数"),
    "week": Phrase("Changes by week", "每周变更数"),
    "month": Phrase("Changes by month", "每月变更数"),
}
CHANGES = Phrase("{n:change|changes}", "{n} 个变更")
CHANGES_SAID = Phrase("changes", "变更")
"""The end of a heading that already says that it counts changes."""

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
SHOWN_NEXT = Phrase("“more” lists the {total:change|changes}", "说“更多”看这 {total} 个变更")
AS_OF = Phrase("as of {sha}, {moment}", "截至 {sha}，{moment}")
EMPTY_BRANCH = Phrase("the branch has no commit yet", "该分支还没有提交")
WINDOW = Phrase("{since} – {until} ({zone})", "{since} – {until}（{zone}）")
ARCHIVED = Phrase("everything archived so far", "目前已归档的全部变更")
WHY = {
    TopicPlace.TAG: Phrase("tag {shown}", "标签 {shown}"),
    TopicPlace.SCOPE: Phrase("scope {shown}", "范围 {shown}"),
    TopicPlace.TITLE: Phrase("title: {shown}", "标题：{shown}"),
    TopicPlace.FACT: Phrase("changes {shown}", "涉及 {shown}"),
    TopicPlace.AREA: Phrase("mostly {shown}", "主要为 {shown}"),
    TopicPlace.PATH: Phrase("path {shown}", "路径 {shown}"),
    TopicPlace.IDENTIFIER: Phrase("identifier {shown}", "标识符 {shown}"),
    TopicPlace.KIND: Phrase("kind: {shown}", "类型：{shown}"),
    TopicPlace.LABEL: Phrase("label {shown}", "标签 {shown}"),
}
IN_SUBJECT = Phrase("subject: {shown}", "标题：{shown}")
IN_BODY = Phrase("message: {shown}", "提交说明：{shown}")
IN_PATH = Phrase("path {shown}", "路径 {shown}")
IN_NAME = Phrase("identifier {shown}", "标识符 {shown}")
NOTHING = Phrase("No change in this period is about {topic}.", "这段时间没有关于 {topic} 的变更。")
FOR_ALL = Phrase(
    "{n:change of this kind is|changes of this kind are} not about {topic} and may affect you too:",
    "另有 {n} 个此类变更与 {topic} 无直接关系，也可能影响到你：",
)
NO_TOPIC = Phrase(
    "I know of no topic {topic} in {repository}.", "{repository} 中没有名为 {topic} 的主题。"
)
NEWEST = Phrase(
    "The latest commit ({sha}) is from {day}. For that week, ask: {question}",
    "此处最新的提交 {sha} 是 {day} 的。可以看那一周：{question}",
)
NO_CHANGE = Phrase("No change in this period matches.", "这段时间没有符合条件的变更。")
KNOWN_ELSEWHERE = Phrase(
    "The archive has {n:change|changes} about it outside this period.",
    "归档中在这段时间之外有 {n} 个相关变更。",
)
NEAR = Phrase("Near topics: {topics}.", "相近的主题：{topics}。")
MENTIONED = Phrase(
    "The word alone occurs in {n:change|changes} of this period; to see them: {question}",
    "这段时间有 {n} 个变更仅提到该词，查看方式：{question}",
)
SEARCH_FOR = Phrase("search {terms}", "搜索 {terms}")
NOT_FOUND = Phrase("No change contains {terms}.", "没有包含 {terms} 的变更。")
UNDONE_BY = Phrase("Reverted by {change}", "已被 {change} 撤销")
ANNOUNCED = Phrase("Announced in the digest of {day}", "已在 {day} 的摘要中公布")
UNDOES_ANNOUNCED = Phrase(
    "It reverts {change}, announced in the digest of {day}",
    "它撤销了已在 {day} 的摘要中公布的 {change}",
)
PICKED_FROM = Phrase("Cherry-pick of {change}", "挑选自 {change}")
RELANDED_BY = Phrase("Applied again by {change}", "由 {change} 重新合入")
ALSO = Phrase("Also part of this request: {change}", "同一请求还有 {change}")
