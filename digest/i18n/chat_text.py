"""Texts of chats: around answers, on subscriptions, settings, filters and profiles, and errors.

The wording is in ``chat_text.json``. An error's English is its own text; other languages are made
from its attributes.
"""

from __future__ import annotations

from digest import errors
from digest.core.enums import Alerts, ChatSetting, Effect, Frequency, Language
from digest.core.profile import EntryKind
from digest.i18n.phrase import Phrase, phrase_in, table_of

COMES = table_of(Frequency, "chat_text", "comes")
VALUES = {
    Language.EN: Phrase("English", "英文"),
    Language.ZH: Phrase("Chinese", "中文"),
    True: Phrase("on", "开"),
    False: Phrase("off", "关"),
}
"""Values that have display names."""

NAMES = table_of(ChatSetting, "chat_text", "names")

EFFECTS = {effect: phrase_in("chat_text", f"EFFECTS_{effect.name}") for effect in Effect}
KINDS = table_of(EntryKind, "chat_text", "kinds")
ALERTS = {alerts: phrase_in("chat_text", f"ALERTS_{alerts.name}") for alerts in Alerts}


def __getattr__(name: str) -> Phrase:
    """The phrase of this name."""
    return phrase_in("chat_text", name)


def complaint(error: errors.UserError, language: Language) -> str:
    """What went wrong and how to fix it, in one line."""
    return _chinese(error) if language is Language.ZH else str(error)


def _chinese(error: errors.UserError) -> str:
    match error:
        case errors.InvalidDate(text=text):
            return f"“{text}”不是有效的日期或时间，请写成 2026-01-23 或 2026-01-23T08:00。"
        case errors.InvalidReference(text=text):
            return f"“{text}”不能表示一个变更，请写 #123、至少 7 位的提交号，或者 PR、提交的网址。"
        case errors.UnknownChange(reference=reference, where=where):
            return f"在 {where} 中没有找到 {reference}，请检查编号，或换一个仓库或分支。"
        case errors.AmbiguousReference(reference=reference, candidates=candidates):
            listed = "、".join(c[:12] for c in candidates[:5])
            return f"{reference} 对应多个提交（{listed}），请多写几位。"
        case errors.AmbiguousRepository(names=names):
            listed, more = "、".join(names[:10]), "等" if len(names) > 10 else ""
            return (
                f"有多个仓库符合：{listed}{more}，请写出其中一个的全名，例如：解释 {names[0]}#123"
            )
        case errors.FutureWindow():
            return "这段时间还没有到，请选择更早的日期。"
        case errors.InvalidWindow():
            return "这段时间不成立：请检查起止日期的先后和长度。"
        case errors.UnknownZone(name=name):
            return f"“{name}”不是 IANA 时区，请写成 Asia/Shanghai 或 UTC。"
        case errors.UnknownBranch(name=name):
            return f"仓库里没有名为“{name}”的分支、标签或提交。"
        case errors.RangeTooLarge(number=number, most=most):
            return f"两者之间有 {number:,} 个提交，最多可比较 {most:,} 个，请选择更近的两个。"
        case errors.NoRelease(repository=repository):
            return f"{repository} 这里没有发布的标签，请写明标签、分支或提交。"
        case errors.NotOnForge(host=host, what=what):
            return f"{host} 上没有 {what}，或者它没有对本机器人公开。"
        case errors.ForgeLimited(host=host, until=until):
            return f"{host} 的请求额度已用完，请在 {until:%Y-%m-%d %H:%M} UTC 之后再问。"
        case errors.ForgeDown(host=host):
            return f"现在无法访问 {host}，请稍后再试。"
        case errors.ForgeUnauthorized(host=host):
            return f"{host} 拒绝了本机器人的凭证，请管理员运行 digestbot check 并检查 [forges]。"
        case errors.NothingBefore(shown=shown) if shown:
            return f"你指的是哪一个？{shown} ——可以说，例如：第一个"
        case errors.NothingBefore():
            return "不清楚你指的是哪个变更或哪次回答，请写明，例如：解释 #123"
        case errors.EmptyRange(base=base, tip=tip, reversed=turned):
            out = f"请写 {tip}..{base}" if turned else "请选择两个不同的引用"
            return f"{tip} 没有 {base} 之外的变更；{out}。"
        case errors.SourceUnavailable():
            return f"现在无法读取仓库：{error}"
        case _:
            return f"无法完成：{error}"
