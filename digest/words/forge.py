"""What is said of requests and issues, in every language. Imports ``request`` and ``phrase``."""

from __future__ import annotations

from digest.request import IssueState, RequestState, Verdict
from digest.words.phrase import Phrase

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
LABELS = Phrase("Labels: {labels}", "标签：{labels}")
CLOSES = Phrase("Closes {issues}", "关闭 {issues}")
REVIEWS = Phrase("Reviews: {reviews}", "评审：{reviews}")
NO_REVIEWS = Phrase("Nobody has reviewed it yet", "尚无人评审")
VERDICTS = {
    Verdict.APPROVED: Phrase("{name} approved", "{name} 已批准"),
    Verdict.CHANGES_REQUESTED: Phrase("{name} asked for changes", "{name} 要求修改"),
    Verdict.COMMENTED: Phrase("{name} commented", "{name} 有评论"),
    Verdict.DISMISSED: Phrase("{name}'s review was dismissed", "{name} 的评审已撤销"),
    Verdict.ASKED: Phrase("{name} was asked", "已邀请 {name}"),
}
NOT_A_CHANGE = Phrase(
    "It is no change of the branch: what follows is its diff as the forge has it.",
    "它不是该分支上的变更，以下内容来自代码托管平台给出的差异。",
)
NOT_ON_BRANCH = Phrase(
    "This commit is not on the branch: what follows is as the forge has it.",
    "该提交不在此分支上，以下内容来自代码托管平台。",
)
CUT_SHORT = Phrase(
    "The forge lists {shown} of {total} files; the others are not told of here.",
    "代码托管平台只列出 {total} 个文件中的 {shown} 个，其余未包含在此。",
)
LAST_SEEN = Phrase(
    "as last seen {moment}: the forge cannot be asked now",
    "{moment} 时的情况：现在无法访问代码托管平台",
)
CLOSED_BY = Phrase("Closed by {change}", "由 {change} 关闭")
NAMED_BY = Phrase("Named by {change}", "{change} 提到了它")
NAMED_BY_REQUESTS = Phrase("Requests that name it: {requests}", "提到它的请求：{requests}")
NOTHING_NAMES_IT = Phrase("No change that is archived names it.", "已归档的变更中没有提到它的。")
ISSUE_TITLE = Phrase("Issue #{number}", "issue #{number}")
