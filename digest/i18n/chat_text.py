"""Texts of chats: around answers, on subscriptions, settings, filters and profiles, and errors.

The wording is in ``chat_text.json``. An error's English is its own text; other languages are made
from its attributes.
"""

from __future__ import annotations

import json
from functools import cache

from digest import errors
from digest.core.enums import Alerts, ChatSetting, Effect, Frequency, Language
from digest.core.patterns import read_file
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
        case errors.AmbiguousReference(reference=reference, candidates=candidates):
            listed = "、".join(c[:12] for c in candidates[:5])
            return f"{reference} 对应多个提交（{listed}），请多写几位。"
        case errors.AmbiguousRepository(names=names):
            listed, more = "、".join(names[:10]), "等" if len(names) > 10 else ""
            return (
                f"有多个仓库符合：{listed}{more}，请写出其中一个的全名，例如：解释 {names[0]}#123"
            )
        case errors.NothingBefore(shown=shown) if shown:
            return f"你指的是哪一个？{shown} ——可以说，例如：第一个"
        case errors.EmptyRange(base=base, tip=tip, reversed=turned):
            out = f"请写 {tip}..{base}" if turned else "请选择两个不同的引用"
            return f"{tip} 没有 {base} 之外的变更；{out}。"
    templates = errors_in_chinese()
    kind = next(one for one in type(error).__mro__ if one.__name__ in templates)
    return templates[kind.__name__].format(error=error, **vars(error))


@cache
def errors_in_chinese() -> dict[str, str]:
    """Templates over the attributes of errors, by their classes; ``errors_zh.json``."""
    return dict(json.loads(read_file("digest.i18n", "errors_zh.json")))
