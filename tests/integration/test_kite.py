"""The made-up project as a whole: one test that notices what any of the others would."""

from tests.support.kite import GOLDEN, Kite, blocks


def test_repository_has_the_same_hashes_everywhere(kite: Kite) -> None:
    tip = kite.runner.run(_tip(kite))
    assert tip == "54ecc4172986ca7fdb2276cbc76f4198c055b212"


async def _tip(kite: Kite) -> str | None:
    ctx = await kite.context()
    return (await ctx.watched.source.tip("main")).sha


def test_everything_that_is_told_of_it_is_as_in_the_golden_files(kite: Kite) -> None:
    assert kite.facts == blocks("facts.txt")
    assert kite.analyses == blocks("analysis.txt")
    for name, text in kite.pages.items():
        assert text == (GOLDEN / name).read_text(encoding="utf-8"), name
