"""How a question was read, in words."""

from __future__ import annotations

from digest.i18n.phrase import Phrase

READ_AS = Phrase("Read as: {reading}", "理解为：{reading}")

OR_ELSE = Phrase("It could also mean: {reading}", "也可能是指：{reading}")

UNKNOWN_WORDS = Phrase("I left out what I do not know: {words}.", "未理解、已忽略：{words}。")

MENDED = Phrase("Read {word} as {topic}.", "把 {word} 理解为 {topic}。")

WITHOUT = Phrase(
    "Nothing here is called {words}; the rest of the question was looked up.",
    "这里没有名为 {words} 的主题，已按其余部分查找。",
)

ALL_BUT = Phrase(
    "Nothing is about all of it; these match without {words}.",
    "没有同时符合的变更，以下不含 {words}。",
)

WIDER = Phrase(
    "Nothing in the last 7 days; these are from the last {n} days.",
    "最近 7 天没有，以下是最近 {n} 天的。",
)

EXCEPT = Phrase("without {what}", "不含{what}")

NONE_BREAKING = Phrase(
    "None is marked as breaking; these fix, revert or deprecate something there.",
    "没有标为不兼容的变更，以下是相关的修复、回退和弃用。",
)

LOWER = Phrase(
    "Nothing is of high importance; these are of medium importance.",
    "没有高重要度的变更，以下是中重要度的。",
)

THANKS = Phrase("You are welcome. You can go on with, for example:", "不客气。还可以这样问：")

TO_TODAY = Phrase("{since} to today", "{since} 至今")

DAYS = Phrase("{since} to {until}", "{since} 至 {until}")

PER_DAY = Phrase("per day", "按天")

PER_FILE = Phrase("per file", "按文件")

PER_AUTHOR = Phrase("per author", "按作者")

DEFAULTS = Phrase("changed defaults", "默认值变化")
