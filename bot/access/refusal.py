"""What somebody is told who is not answered: one short line."""

from __future__ import annotations

from bot.access.decide import Reason, Verdict
from digest.language import Language
from digest.words.phrase import Phrase

_WORDS = {
    Reason.WORKSPACE: Phrase(
        "I do not answer in this workspace; an admin can add it to [access].",
        "我不在此工作区回答；管理员可将其加入 [access]。",
    ),
    Reason.PERSON: Phrase(
        "I do not answer you; an admin can add {person} to [access].",
        "我不能回答你的问题；管理员可将 {person} 加入 [access]。",
    ),
    Reason.CHAT: Phrase(
        "I do not answer in this chat; an admin can add {chat} to [access].",
        "我不在此聊天中回答；管理员可将 {chat} 加入 [access]。",
    ),
    Reason.MINUTE: Phrase(
        "That is too many questions for one minute; ask again shortly.",
        "一分钟内的问题太多了，请稍后再问。",
    ),
    Reason.HOUR: Phrase(
        "That is too many questions for one hour; ask again later.",
        "一小时内的问题太多了，请过一段时间再问。",
    ),
    Reason.PRIVATE: Phrase(
        "People of other organisations read this chat, so I tell nothing of private repositories "
        'here; an admin can allow it with "settings private on".',
        "此聊天有外部组织的成员，因此我不在这里介绍私有仓库；"
        "管理员可用 “settings private on” 允许。",
    ),
}


def refusal(verdict: Verdict, language: Language) -> str:
    """The line for a verdict that refuses, in a language; it names nothing that is not to be told.

    Raises ``ValueError`` for one that allows.
    """
    if verdict.reason is None:
        raise ValueError("the message is allowed")
    return _WORDS[verdict.reason].text(
        language, chat=f"{verdict.chat!r}", person=f"{verdict.person!r}"
    )
