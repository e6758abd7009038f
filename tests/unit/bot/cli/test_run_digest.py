"""What the terminal says beside a digest."""

from __future__ import annotations

from datetime import timedelta

from bot.cli.run_digest import DigestOptions, page_hint
from digest.core.enums import Language
from digest.report.assembly import assemble
from tests.support import samples


def test_digest_names_its_page_and_says_how_old_the_latest_changes_are():
    report = assemble(samples.REPOSITORY, "main", samples.DAY, [], Language.EN)
    end = samples.DAY.until
    page = "As a page: digestbot serve 'a b', then /r/acme/engine/-/days/2026-03-10\n"
    soon, late = end + timedelta(hours=3), end + timedelta(days=4)
    assert page_hint(report, DigestOptions(place="a b"), soon) == page
    old = "The latest changes here are 5 days old; run git fetch to get newer ones.\n"
    assert page_hint(report, DigestOptions(place="a b"), late) == old + page
    assert page_hint(report, DigestOptions(place="a b", date="2026-03-10"), late) == page
