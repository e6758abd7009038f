"""Which release is compared with which."""

from __future__ import annotations

import pytest

from bot.web.pages.compare_page import families_of


@pytest.mark.parametrize(
    ("tags", "families"),
    [
        (["v1.10.0", "v1.9.0"], [[("v1.10.0", "v1.9.0")]]),
        (["v1.9.1", "v2.0", "v1.9"], [[("v1.9.1", "v1.9"), ("v2.0", "v1.9.1")]]),
        (["v1.0.post1", "v1.0", "v0.9+local"], [[("v1.0.post1", "v1.0")]]),
        (["core-v2.0", "web-v1.1", "web-v1.0"], [[("web-v1.1", "web-v1.0")]]),
        (["v1.1", "1.0"], [[("v1.1", "1.0")]]),
        (
            ["v0.305.0", "v3.5.0", "v3.4.0", "v0.304.0", "v0.303.0", "v2.9.0"],
            [
                [("v3.5.0", "v3.4.0"), ("v3.4.0", "v2.9.0")],
                [("v0.305.0", "v0.304.0"), ("v0.304.0", "v0.303.0")],
            ],
        ),
        (
            ["v1.1", "v0.9.1", "v1.0", "v0.9"],
            [[("v1.1", "v1.0"), ("v0.9.1", "v0.9"), ("v1.0", "v0.9.1")]],
        ),
        ([], []),
    ],
)
def test_release_is_compared_with_the_one_before_it_by_number(tags, families):
    assert families_of(tags) == families
