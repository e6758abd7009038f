"""What is said around an answer in a chat. Imports ``phrase``."""

from __future__ import annotations

from digest.words.phrase import Phrase

LOOKING = Phrase("Looking at it…", "正在查看…")
READING = Phrase(
    "Reading {done} of {total:change|changes}…", "正在读取 {total} 个变更中的 {done} 个…"
)
WRITING = Phrase(
    "Checking what the model says: {n:statement|statements} so far…",
    "正在核对模型的说法：已核对 {n} 条…",
)
WITHDRAWN = Phrase("The question was withdrawn.", "问题已撤回。")
INTERRUPTED = Phrase(
    "I was interrupted before I could answer; please ask again.", "回答被中断，请再问一次。"
)
INTERNAL = Phrase("Internal error {number}; the log tells more.", "内部错误 {number}；详情见日志。")

UNREADABLE = Phrase(
    "{repository} cannot be read at the moment; the log of the bot says why.",
    "暂时无法读取 {repository}；原因见机器人日志。",
)
ABOUT = Phrase("In {repository}", "仓库 {repository}")
NAME_ONE = Phrase(
    "This chat is told of {names}. Name the one you mean, as in {example} or "
    "“… in <repository>”; else the first is asked first.",
    "此聊天可询问 {names}。可以指明仓库，如 {example} 或“在 <仓库> 里……”；否则先查第一个。",
)

EXPLAIN = Phrase("Explain {change}", "说明 {change}")
FULL_REPORT = Phrase("Full report", "完整报告")
USEFUL = Phrase("Useful", "有用")
USELESS = Phrase("Not useful", "没用")
MUTE = Phrase("Mute {topic}", "屏蔽 {topic}")
NOTED_USEFUL = Phrase("Noted as useful. Thank you.", "已记为有用，谢谢。")
NOTED_USELESS = Phrase("Noted as not useful. Thank you.", "已记为没用，谢谢。")
NOT_KNOWN = Phrase("I do not know any more what this is about.", "已找不到对应的内容。")

HOME = Phrase("What your chats get", "各聊天的订阅")
HOME_NONE = Phrase("No chat gets a digest yet.", "还没有聊天订阅摘要。")
HOME_RUN = Phrase("{names}, next on {when}", "{names}，下次 {when}")
HOME_ASK = Phrase(
    "Ask me here or in a channel; “help” shows what can be asked.",
    "可在此处或频道中提问；发送“帮助”查看可以问什么。",
)
