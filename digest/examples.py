"""Questions that are understood, by language: help shows them, and a refusal offers the nearest.

Each names the kind of intent that it is read as, the most useful first.
"""

from __future__ import annotations

from digest.intent import Changed, DigestOf, Explain, Help, Intent, Search
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
        (Help, "帮助"),
    ),
}
