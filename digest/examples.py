"""Questions that are understood, by language: help shows them, and a refusal offers the nearest.

Each names the kind of intent that it is read as, the most useful first.
"""

from __future__ import annotations

from digest.intent import (
    CatchUp,
    Changed,
    Compare,
    DigestOf,
    Explain,
    Help,
    Intent,
    More,
    PrivacyOf,
    Retell,
    Risky,
    Search,
    ShowDiff,
    Status,
    Touched,
    Why,
)
from digest.language import Language

EXAMPLES: dict[Language, tuple[tuple[type[Intent], str], ...]] = {
    Language.EN: (
        (Explain, "explain #123"),
        (Changed, "what changed in the scheduler this week"),
        (DigestOf, "digest yesterday"),
        (Search, "search memory leak"),
        (Changed, "important changes since Monday"),
        (Changed, "what did Ada change in January"),
        (Changed, "changes in src/server/ last 3 days"),
        (DigestOf, "digest 2026-01-20..2026-01-23"),
        (Changed, "breaking changes since v1.0.0"),
        (Changed, "changes per day this month"),
        (Search, "search deadlock kind:fix author:Ada"),
        (Touched, "explain Engine.step this month"),
        (Compare, "compare v1.0.0 v1.1.0"),
        (CatchUp, "catch up"),
        (Why, "why #123"),
        (Risky, "is #123 risky"),
        (ShowDiff, "diff #123"),
        (More, "more"),
        (Retell, "shorter"),
        (Status, "status"),
        (PrivacyOf, "privacy"),
        (Help, "help"),
    ),
    Language.ZH: (
        (Explain, "解释 #123"),
        (Changed, "本周调度器有什么变化"),
        (DigestOf, "昨天的摘要"),
        (Search, "搜索 内存泄漏"),
        (Changed, "周一以来的重要变更"),
        (Changed, "最近三天文档改了什么"),
        (DigestOf, "1月20日到1月23日的汇总"),
        (Changed, "v1.0.0 以来的不兼容变更"),
        (Changed, "本月每天有多少变更"),
        (Search, "搜索 死锁 类型:修复 作者:张三"),
        (Touched, "解释 Engine.step"),
        (Compare, "对比 v1.0.0 v1.1.0"),
        (CatchUp, "我错过了什么"),
        (Why, "为什么 #123 是高"),
        (Risky, "#123 有什么风险"),
        (ShowDiff, "显示 #123 的差异"),
        (More, "更多"),
        (Retell, "短一点"),
        (Status, "状态"),
        (PrivacyOf, "隐私"),
        (Help, "帮助"),
    ),
}
