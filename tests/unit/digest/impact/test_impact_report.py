"""The title of an answer on a profile: what breaks, and what only touches it."""

from __future__ import annotations

import pytest

from digest.core.enums import Language
from digest.impact.impact_report import affected_title


@pytest.mark.parametrize(
    ("broken", "touched", "title"),
    [
        (2, 1, "2 changes may break what you use, 1 more touches it"),
        (1, 0, "1 change may break what you use"),
        (0, 1, "Nothing found that breaks what you use; 1 change touches it"),
        (0, 3, "Nothing found that breaks what you use; 3 changes touch it"),
    ],
)
def test_title_counts_only_what_there_is(broken: int, touched: int, title: str) -> None:
    assert affected_title(broken, touched, Language.EN) == title


def test_title_is_in_the_language_of_the_asker() -> None:
    assert affected_title(0, 2, Language.ZH) == "未发现会破坏你所使用内容的变更；2 个变更与之相关"
