"""Finding by window, topic, term, path, author and level: as a plain filter would, and in order."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from bot.store import query_plan
from bot.store.archive import SqlArchive
from bot.store.query_plan import plan
from bot.store.rows import fold
from bot.store.statements import Driver
from digest.core.change import printable
from digest.core.enums import Language
from digest.core.grade import Graded, Level
from digest.core.reference import Query
from digest.topics.index_terms import topics_of
from digest.window import Window
from tests.integration.bot.store.samples import REPOSITORY, START, made

UTC_ZONE = ZoneInfo("UTC")


async def titles(archive: SqlArchive, **query: object) -> list[str]:
    return [g.title for g in await archive.select(REPOSITORY, Query(**query))]


CHINESE = (
    made(1, "修复内存泄漏", body="在高并发下，缓存没有释放。"),
    made(2, "优化调度器", body="减少内 存拷贝", paths=("文档/调度.md",)),
    made(3, "Add KV cache 量化 support", names=("量化器",)),
    made(4, "Nothing of the sort"),
)


@pytest.mark.parametrize(
    ("term", "expected"),
    [
        ("存", [1, 2]),
        ("器", [2, 3]),
        ("内存", [1]),
        ("量化", [3]),
        ("调度", [2]),
        ("缓存", [1]),
        ("内存泄", [1]),
        ("内存泄漏", [1]),
        ("调度器", [2]),
        ("释放。", [1]),
        ("KV", [3]),
        ("kv cache 量化", [3]),
        ("释放了", []),
        ("泄内", []),
        ("猫", []),
    ],
)
async def test_chinese_terms_of_any_length_are_found(
    archive: SqlArchive, term: str, expected: list[int]
) -> None:
    await archive.save(REPOSITORY, CHINESE)
    found = await archive.select(REPOSITORY, Query(terms=(term,)))
    assert [g.sha for g in found] == [CHINESE[n - 1].sha for n in reversed(expected)]


async def test_terms_are_compared_without_case_in_any_script(archive: SqlArchive) -> None:
    await archive.save(
        REPOSITORY, [made(1, "STRASSE und Übergröße"), made(2, "ΑΘΗΝΑ Ёлка"), made(3, "Plain")]
    )
    for term in ("straße", "ÜBERGRÖSSE", "über", "ß", "Ü"):
        assert await titles(archive, terms=(term,)) == ["STRASSE und Übergröße"], term
    for term in ("αθηνα", "ёлка", "ё", "ΝΑ"):
        assert await titles(archive, terms=(term,)) == ["ΑΘΗΝΑ Ёлка"], term


async def test_all_terms_must_stand_in_the_text_wherever(archive: SqlArchive) -> None:
    await archive.save(
        REPOSITORY,
        [
            made(1, "Speed up", body="the router", paths=("src/queue.py",), names=("--fast-path",)),
            made(2, "Speed up", body="the brakes"),
        ],
    )
    assert len(await titles(archive, terms=("speed", "THE"))) == 2
    assert len(await titles(archive, terms=("speed", "router", "queue", "--fast", "up"))) == 1
    assert await titles(archive, terms=("router", "brakes")) == []
    assert len(await titles(archive, terms=("", "  ", "speed"))) == 2


async def test_phrase_is_found_across_lines_but_not_across_texts(archive: SqlArchive) -> None:
    await archive.save(
        REPOSITORY, [made(1, "Title ends", body="so it\n  wraps  here", paths=("a",))]
    )
    assert len(await titles(archive, terms=("it wraps",))) == 1
    assert len(await titles(archive, terms=("it\twraps\n here",))) == 1
    assert await titles(archive, terms=("ends so",)) == []
    assert await titles(archive, terms=("herea",)) == []


@pytest.mark.parametrize(
    "term",
    ['"', '""', "'", "a-b", "NOT", "OR x", "*", "^a", "a:b", "subject:x", "(", ")", "{a}", "a AND",
     "NEAR(", "%", "_", "\\", ";", "--", "x'y", "\0", "a\0b", "\ud800", "\U0010ffff", "a+b", ",",
     "?", "?1", ":a", "$1", "[x]", "<b>", "#1", "@x"],
)  # fmt: skip
async def test_punctuation_means_itself(archive: SqlArchive, term: str) -> None:
    text = term.replace("\0", " ").replace("\ud800", "?")
    await archive.save(REPOSITORY, [made(1, f"before{text}after"), made(2, "elsewhere")])
    for terms in ((term,), (f"before{term}after",), (f"{term}aft",)):
        if fold(terms[0]):
            assert await titles(archive, terms=terms) == [f"before{text}after"], terms


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50
)
@given(terms=st.lists(st.text(max_size=12), max_size=3).map(tuple), ranked=st.booleans())
@example(terms=("\0", "\ud800"), ranked=False)
async def test_no_text_throws(archive: SqlArchive, terms: tuple[str, ...], ranked: bool) -> None:
    if not await archive.select(REPOSITORY, Query()):
        await archive.save(REPOSITORY, CHINESE)
    query = Query(terms=terms, author="".join(terms), paths=terms, ranked=ranked, limit=3)
    for asked in (query, Query(terms=terms, ranked=ranked), Query(topics=terms)):
        assert len(await archive.select(REPOSITORY, asked)) <= len(CHINESE)


async def test_terms_without_end_and_number_are_borne(archive: SqlArchive) -> None:
    await archive.save(REPOSITORY, CHINESE)
    assert await titles(archive, terms=("x" * 100_000,)) == []
    assert await titles(archive, terms=tuple(f"term{n}" for n in range(400))) == []
    many = tuple(f"topic{n}" for n in range(400))
    assert await titles(archive, topics=many, paths=many) == []


async def test_paths_are_prefixes_as_shown_at_both_ends_of_a_move(archive: SqlArchive) -> None:
    from dataclasses import replace

    moved = made(1, "Moved", paths=("new/a.py",))
    file = replace(moved.facts.files[0], old_path="old/a.py")
    moved = replace(moved, facts=replace(moved.facts, files=(file,)))
    await archive.save(
        REPOSITORY,
        [moved, made(2, "Odd", paths=("d\udcff/100%_\n.py",)), made(3, "Case", paths=("New/a",))],
    )
    assert await titles(archive, paths=("new/",)) == ["Moved"]
    assert await titles(archive, paths=("old/a.py",)) == ["Moved"]
    assert await titles(archive, paths=("ew/",)) == []
    assert await titles(archive, paths=("d\udcff/",)) == ["Odd"]
    assert await titles(archive, paths=("d\\xff/100%_",)) == ["Odd"]
    assert await titles(archive, paths=("d\\xff/100__",)) == []
    assert await titles(archive, paths=("old/", "New/")) == ["Case", "Moved"]


async def test_author_is_part_of_the_name_without_case(archive: SqlArchive) -> None:
    await archive.save(
        REPOSITORY, [made(1, "A", author="Ada Lovelace"), made(2, "B", author="Åsa Öberg")]
    )
    assert await titles(archive, author="love") == ["A"]
    assert await titles(archive, author="åSA ö") == ["B"]
    assert await titles(archive, author="example.org") == []
    assert await titles(archive, author="%") == []


async def test_window_is_half_open_to_the_fraction(archive: SqlArchive) -> None:
    await archive.save(
        REPOSITORY, [made(n, f"{n}", at=START + timedelta(seconds=n)) for n in range(4)]
    )

    async def within(since: float, until: float) -> list[str]:
        window = Window(
            since=START + timedelta(seconds=since),
            until=START + timedelta(seconds=until),
            zone=UTC_ZONE,
        )
        return await titles(archive, window=window)

    assert await within(1, 3) == ["2", "1"]
    assert await within(1.5, 3) == ["2"]
    assert await within(1, 2.5) == ["2", "1"]
    assert await within(1, 1) == []


async def test_moments_before_1970_and_far_ahead_are_kept_in_order(archive: SqlArchive) -> None:
    moments = [datetime(1969, 1, 1, tzinfo=UTC), START, datetime(2100, 1, 1, tzinfo=UTC)]
    await archive.save(REPOSITORY, [made(n, f"{n}", at=at) for n, at in enumerate(moments)])
    found = await archive.select(REPOSITORY, Query())
    assert [g.commit.committed_at for g in found] == moments[::-1]


@pytest.mark.parametrize("terms", [("scheduler", "pool"), ("sc", "po"), ("scheduler", "po")])
async def test_ranked_lists_first_what_has_more_words_in_its_title(
    archive: SqlArchive, terms: tuple[str, ...]
) -> None:
    await archive.save(
        REPOSITORY,
        [
            made(1, "Rewrite scheduler of the pool"),
            made(2, "Pool of engines", body="for the scheduler"),
            *(made(n, f"Number {n}", body="scheduler and pool, in passing") for n in range(3, 16)),
        ],
    )
    ranked = await _listed(archive, Query(terms=terms, ranked=True))
    assert ranked[:3] == ["Rewrite scheduler of the pool", "Pool of engines", "Number 15"]
    assert await _listed(archive, Query(terms=terms, ranked=True), page=2) == [
        f"Number {n}" for n in range(7, 2, -1)
    ]
    assert (await _listed(archive, Query(terms=terms)))[:2] == ["Number 15", "Number 14"]
    window = Window(since=START, until=START + timedelta(minutes=4), zone=UTC_ZONE)
    within = await _listed(archive, Query(terms=terms, ranked=True, window=window))
    assert within == ["Rewrite scheduler of the pool", "Pool of engines", "Number 3"]


async def _listed(archive: SqlArchive, query: Query, page: int = 1) -> list[str]:
    survey = await archive.survey(REPOSITORY, query, page, Language.EN)
    return [one.graded.title for one in survey.page]


VOCABULARY = ["router", "Cache", "内存", "缓存", "kv", "a", "fix", "Straße", "x-y", "50%", "tile_k"]

words = st.sampled_from(VOCABULARY)

phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)

folders = st.sampled_from(["src/", "src/a", "docs/", "tests/x/", "文档/"])

authors = st.sampled_from(["Ada Lovelace", "grace hopper", "王 芳"])


@st.composite
def samples(draw: st.DrawFn) -> list[Graded]:
    count = draw(st.integers(1, 12))
    return [
        made(
            n,
            draw(phrases),
            body=draw(st.just("") | phrases),
            paths=tuple(
                draw(st.lists(st.builds("{}{}".format, folders, words), min_size=1, max_size=3))
            ),
            names=tuple(draw(st.lists(words, max_size=2))),
            author=draw(authors),
            at=START + timedelta(hours=n),
            level=draw(st.sampled_from(list(Level))),
        )
        for n in range(count)
    ]


@st.composite
def queries(draw: st.DrawFn) -> Query:
    some = st.none() | st.integers(0, 12)
    since, until = sorted([draw(some) or 0, draw(some) or 12])
    window = Window(
        since=START + timedelta(hours=since), until=START + timedelta(hours=until), zone=UTC_ZONE
    )
    parts = words.flatmap(lambda w: st.sampled_from([w, w[:1], w[:2], w.upper(), w[1:] or w]))
    return Query(
        window=draw(st.none() | st.just(window)),
        topics=tuple(draw(st.lists(st.sampled_from(["router", "cache", "kv", "fix"]), max_size=2))),
        terms=tuple(draw(st.lists(parts | phrases, max_size=2))),
        paths=tuple(draw(st.lists(folders, max_size=2))),
        author=draw(st.sampled_from(["", "ada", "HOP", "芳"])),
        level=draw(st.none() | st.sampled_from(list(Level))),
        limit=draw(st.sampled_from([0, 1, 3])),
    )


def meets(graded: Graded, query: Query) -> bool:
    facts = graded.facts
    lines = [facts.subject.title, graded.commit.subject, graded.commit.body]
    lines += [printable(f.path) for f in facts.files] + [i.name for i in facts.items]
    text = "\n".join(" ".join(line.casefold().split()) for line in lines)
    return (
        (query.window is None or graded.commit.committed_at in query.window)
        and (not query.topics or not topics_of(graded).isdisjoint(query.topics))
        and all(" ".join(t.casefold().split()) in text for t in query.terms)
        and (not query.paths or any(f.path.startswith(query.paths) for f in facts.files))
        and (query.level is None or graded.grade.level.rank <= query.level.rank)
        and query.author.casefold() in graded.commit.author.casefold()
    )


def plainly(kept: Sequence[Graded], query: Query) -> list[Graded]:
    return [g for g in reversed(kept) if meets(g, query)]


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=50
)
@given(
    kept=samples(),
    asked=st.lists(queries(), min_size=3, max_size=5),
    common=st.sampled_from([1, 3, 1000]),
)
async def test_select_finds_what_a_plain_filter_finds(
    archive: SqlArchive,
    monkeypatch: pytest.MonkeyPatch,
    kept: list[Graded],
    asked: list[Query],
    common: int,
) -> None:
    from tests.support.channels import forget

    # Patched: so that with a dozen changes every way to a result is taken, not only that to a rare one.
    monkeypatch.setattr(query_plan, "COMMON", common)
    await forget(archive._database, REPOSITORY)
    await archive.save(REPOSITORY, kept)
    for query in asked:
        found = await archive.select(REPOSITORY, query)
        expected = plainly(kept, query)
        assert list(found) == expected[: query.limit or None], query


ALL = tuple(made(n, "").sha for n in range(21))


@pytest.mark.parametrize(
    ("query", "driver"),
    [
        (Query(), Driver.WALK),
        (Query(limit=5, level=Level.HIGH, author="ada"), Driver.WALK),
        (Query(topics=("rare",)), Driver.TOPICS),
        (Query(topics=("rare",), limit=5), Driver.TOPICS),
        (Query(topics=("common",), limit=5), Driver.WALK),
        (Query(paths=("src/rare",), limit=5), Driver.PATHS),
        (Query(paths=("src/",), limit=5), Driver.WALK),
        (Query(terms=("rare",), limit=5), Driver.TERMS),
        (Query(terms=("ra",), limit=5), Driver.TERMS),
        (Query(terms=("ra",)), Driver.TERMS),
        (Query(terms=("co",)), Driver.WEIGHT),
        (Query(terms=("common",)), Driver.TERMS),
        (Query(terms=("common",), limit=5), Driver.WALK),
        (Query(terms=("common", "rare"), limit=5), Driver.TERMS),
        (Query(terms=("common",), topics=("rare",), limit=5), Driver.TOPICS),
        (Query(topics=("rare",), among=ALL[20:]), Driver.AMONG),
        (Query(topics=("rare",), among=ALL), Driver.TOPICS),
        (Query(among=ALL), Driver.AMONG),
    ],
)
async def test_rarest_condition_drives(
    archive: SqlArchive, monkeypatch: pytest.MonkeyPatch, query: Query, driver: Driver
) -> None:
    monkeypatch.setattr(query_plan, "COMMON", 5)
    batch = [made(n, "A common thing", paths=(f"src/{n}",)) for n in range(20)]
    batch.append(made(20, "A common rare thing", paths=("src/rare",)))
    await archive.save(REPOSITORY, batch)
    async with archive._database.reading() as connection:
        how = await plan(connection, 1, query)
    assert how is not None
    assert how.shape.driver is driver
    assert (
        list(await archive.select(REPOSITORY, query))
        == plainly(batch, query)[: query.limit or None]
    )
