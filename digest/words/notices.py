"""What an admin is told of the program's own troubles. Imports ``phrase``."""

from __future__ import annotations

from digest.words.phrase import Phrase

TITLE = Phrase("For the admin", "致管理员")
PARKED = Phrase(
    "{chat} on {account} takes nothing any more ({error}); nothing is sent there until it does",
    "{account} 的 {chat} 不再接收消息（{error}）；恢复之前不再向其发送",
)
BACK = Phrase("{chat} on {account} takes messages again", "{account} 的 {chat} 已恢复接收")
MISSED = Phrase(
    "{channel}: {n:digest was|digests were} missed, the last due on {slot}; the next one covers it",
    "{channel}：错过 {n} 份摘要，最后一份应于 {slot} 发出；下一份会补上",
)
FAILED = Phrase(
    "{channel}: its digest could not be made ({error}); it is tried again",
    "{channel}：摘要未能生成（{error}）；将重试",
)
SPENT = Phrase("The model's budget is spent: {detail}", "模型额度已用尽：{detail}")
TROUBLE = Phrase("{event}: {detail}", "{event}：{detail}")
MORE = Phrase("{n:more line|more lines} in the log", "日志中还有 {n} 条")
