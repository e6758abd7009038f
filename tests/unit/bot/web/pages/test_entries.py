"""What the pages say of a security fix: which release has it, and which code it is about."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from bot.web.pages.entries import fix_of
from bot.web.pages.site import Memo, SiteRepository
from digest.core.enums import Language
from digest.core.grade import Repository
from digest.document import Text, plain
from digest.i18n.statement_text import TAKE_FIX
from tests.support.fakes import graded

SHOWN = SiteRepository(repository=Repository(name="owner/open"))
FILES = {"pool/path.py": 9, "pool/cli.py": 1, "pool/a.py": 1, "tests/test_path.py": 99}
CHANGE = graded("7" * 40, "fix(security): Reject paths outside the folder (#7)", FILES)


class Releases:
    """Releases of a clone; ``found`` are those with the change, and how often they were sought."""

    def __init__(self, found=("", ()), tags=("v2.0", "v1.0")) -> None:
        self.found, self.tags, self.sought = found, tags, 0

    async def releases(self, _shown):
        return self.tags

    async def released(self, _shown, _graded):
        self.sought += 1
        return self.found


def asked(histories, language=Language.EN):
    async def version(_repository):
        return 1

    site = SimpleNamespace(histories=histories, memo=Memo())
    return SimpleNamespace(site=site, language=language, version=version)


@pytest.mark.parametrize(
    ("histories", "told"),
    [
        (Releases(("v2.0", ("v1.1",))), "Upgrade to a release with this security fix: v1.1, v2.0."),
        (Releases(), "No release known here has this security fix yet; the newest is v2.0."),
        (Releases(tags=()), "Upgrade to the first release with this security fix."),
    ],
)
async def test_security_fix_names_its_release_and_the_code_it_is_about(histories, told):
    fix = await fix_of(asked(histories), SHOWN, CHANGE, TAKE_FIX(Language.EN))
    assert fix
    assert plain(fix).startswith(told)
    assert plain(fix).endswith(" Affected: pool/path.py, pool/cli.py and 1 more.")


async def test_releases_of_a_fix_are_sought_again_only_when_there_are_others():
    histories = Releases()
    reader = asked(histories, Language.ZH)
    for _ in range(2):
        fix = await fix_of(reader, SHOWN, CHANGE, TAKE_FIX(Language.ZH))
    assert fix
    assert "尚未包含此安全修复，其中最新的是 v2.0。受影响：" in plain(fix)
    assert histories.sought == 1


async def test_what_else_is_to_be_done_stays():
    assert await fix_of(asked(Releases()), SHOWN, CHANGE, (Text("Replace it."),)) is None
    fix = await fix_of(asked(None), SHOWN, CHANGE, TAKE_FIX(Language.EN), named=False)
    assert fix
    assert plain(fix).startswith("Upgrade to the first release with this security fix. Affected:")
