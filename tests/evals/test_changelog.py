"""The marks of the entries of a changelog."""

from __future__ import annotations

from tests.evals.changelog import entries

TEXT = """# 2.0
### Added
- A pool of pages ([#12])
- **Breaking:** one name for all pages (#13)
### Removed
- The old pool (#14,
  #15)

[#12]: https://example.org/pull/12
"""


def test_a_number_has_the_mark_of_its_entry_and_links_below_have_none():
    assert list(entries(TEXT)) == [(12, ""), (13, "breaking"), (14, "removed"), (15, "removed")]
