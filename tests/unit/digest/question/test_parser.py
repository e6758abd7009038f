import contextlib
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.core.enums import ChangeKind, Language
from digest.core.facts import Action, FactKind
from digest.core.grade import Level
from digest.core.reference import Reference, parse_reference
from digest.errors import FutureWindow, InvalidDate, InvalidWindow, UserError
from digest.question.intent import Changed, DigestOf, Explain, Help, Search, Touched, Unknown
from digest.question.lexicon import LONGEST, language_of
from digest.question.parser import parse
from digest.question.questions import QUESTIONS, format_intent
from digest.window import Window

TABLE = tomllib.loads(
    (Path(__file__).parents[3] / "data" / "questions.toml").read_text(encoding="utf-8")
)

NOW = datetime.fromisoformat(TABLE["now"])

ZONE = ZoneInfo(TABLE["zone"])


def period(name: str) -> Window:
    since, until = (datetime.fromisoformat(t) for t in TABLE["periods"][name])
    return Window(since=since, until=until, zone=ZONE)


def expected_changed(row) -> Changed:
    return Changed(
        window=period(row["period"]),
        topic=row.get("topic", ""),
        author=row.get("author", ""),
        path=row.get("path", ""),
        level=Level(row["level"]) if "level" in row else None,
        kinds=tuple(ChangeKind(kind) for kind in row.get("kinds", ())),
        people=row.get("people", False),
        things=tuple(FactKind(thing) for thing in row.get("things", ())),
        actions=tuple(Action(action) for action in row.get("actions", ())),
    )


def expected_search(row) -> Search:
    window = period(row["period"]) if "period" in row else None
    return Search(terms=tuple(row["terms"]), window=window)


EXPECTED = [
    *((q, Explain(reference=parse_reference(r))) for q, r in TABLE["explain"].items()),
    *((q, expected_changed(row)) for q, row in TABLE["changed"].items()),
    *((q, DigestOf(window=period(p))) for q, p in TABLE["digest"].items()),
    *((q, expected_search(row)) for q, row in TABLE["search"].items()),
    *((q, Help()) for q in TABLE["help"]),
]


@pytest.mark.parametrize(("question", "intent"), EXPECTED)
def test_parse_reads_what_is_asked(question, intent):
    assert parse(question, NOW, ZONE) == intent


@pytest.mark.parametrize("question", TABLE["refused"]["questions"])
def test_parse_refuses_a_near_miss_and_offers_examples(question):
    intent = parse(question, NOW, ZONE)
    assert isinstance(intent, Unknown)
    assert len(intent.near) == 3


def test_table_is_as_large_as_promised():
    assert len(EXPECTED) >= 120
    assert len(TABLE["refused"]["questions"]) >= 30


@pytest.mark.parametrize(
    ("language", "kind", "text"),
    [
        (language, kind, text)
        for kind, question in QUESTIONS.items()
        for language, texts in question.examples.items()
        for text in texts
    ],
)
def test_examples_are_read_as_the_intent_they_stand_for(language, kind, text):
    assert isinstance(parse(text, NOW, ZONE), kind)
    assert language_of(text) is language


@pytest.mark.parametrize(
    ("question", "error"),
    [
        ("what changed tomorrow", FutureWindow),
        ("明天有什么变化", FutureWindow),
        ("changes next week", FutureWindow),
        ("changes since 2026-02-01", FutureWindow),
        ("digest 2027-01-01", FutureWindow),
        ("digest 2026-02-30", InvalidDate),
        ("2月30日的变更", InvalidDate),
        ("changes 2026-01-22..2026-01-20", InvalidWindow),
        ("changes in the last 99999 days", InvalidWindow),
        ("changes in the last 0 days", InvalidWindow),
        ("最近零天的变更", InvalidWindow),
    ],
)
def test_parse_refuses_an_impossible_period_by_name(question, error):
    with pytest.raises(error):
        parse(question, NOW, ZONE)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("what changed", Language.EN),
        ("MoE 本周", Language.ZH),
        ("解释 #1", Language.ZH),
        ("#32905", None),
        ("0a1b2c3d", None),
        ("https://github.com/owner/name/pull/5", None),
        ("", None),
        ("12", None),
        ("what changed in Chinese", Language.ZH),
        ("explain #1 in Chinese", Language.ZH),
        ("本周有什么变化，用英文回答", Language.EN),
    ],
)
def test_language_of_a_question(text, language):
    assert language_of(text) is language


MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2026, 1, 23)).map(
    lambda m: m.replace(microsecond=0, tzinfo=UTC)
)

WINDOWS = st.tuples(MOMENTS, MOMENTS).map(
    lambda pair: Window(since=min(pair), until=max(pair), zone=ZONE)
)

NAMES = st.sampled_from(
    [
        "MoE",
        "kv cache",
        "scheduler",
        "torch.compile",
        "量化",
        "FusedMoE",
        "LoRA adapters",
        "fp8",
        "",
    ]
)

REFERENCES = st.one_of(
    st.builds(Reference, number=st.integers(1, 999_999_999)),
    st.builds(
        Reference, number=st.integers(1, 999_999), repository=st.just("some-owner/some.name")
    ),
    st.builds(Reference, sha=st.text("0123456789abcdef", min_size=7, max_size=40)),
)

INTENTS = st.one_of(
    st.builds(Explain, reference=REFERENCES),
    st.builds(
        Changed,
        window=WINDOWS,
        topic=NAMES,
        author=st.sampled_from(["", "Ada", "Ada Lovelace", "张三"]),
        path=st.sampled_from(["", "src/server/", "src/a/b.py"]),
        level=st.sampled_from([None, *Level]),
    ),
    st.builds(
        Search,
        terms=st.lists(
            st.sampled_from(["out of memory", "fp8", "内存", "since Monday"]),
            min_size=1,
            max_size=4,
        ).map(tuple),
        window=st.none() | WINDOWS,
    ),
    st.builds(DigestOf, window=WINDOWS),
    st.just(Help()),
)


@given(INTENTS)
def test_parse_reads_back_every_formatted_intent(intent):
    assert parse(format_intent(intent), NOW, ZONE) == intent


@given(st.text(max_size=300))
def test_parse_reads_any_text_as_an_intent_or_refuses_it(text):
    with contextlib.suppress(UserError):
        assert parse(text, NOW, ZONE) is not None


@pytest.mark.parametrize(
    "filling", ["a", " a", "都", "有", "什么", "the ", "1", "一", "last ", '"', "在 ", "请", "@a ", "#", "/", "-", "."]
)  # fmt: skip
@pytest.mark.parametrize("frame", ["{}", "what changed in {}", "本周{}有", "search {}"])
def test_parse_comes_back_from_any_long_question(filling, frame):
    # What backtracks without end hangs here; how fast it is, benchmarks say.
    for length in (LONGEST - 20, 10_240):
        text = frame.format((filling * length)[:length])
        with contextlib.suppress(UserError):
            parse(text, NOW, ZONE)


def test_parse_refuses_ten_kilobytes():
    assert isinstance(parse("what changed in " + "MoE " * 2560, NOW, ZONE), Unknown)


def test_default_period_is_seven_days_in_the_zone_of_the_asker():
    intent = parse("what changed in MoE", NOW, ZONE)
    assert isinstance(intent, Changed)
    assert intent.window.until - intent.window.since == timedelta(days=6, hours=17, minutes=30)


@pytest.mark.parametrize(
    "question",
    [
        "who touched scheduler in January",
        "谁改了调度器",
        'who worked on LoRA path:"src/" last month',
    ],
)
def test_who_touched_a_topic_is_written_down_as_it_is_read(question):
    intent = parse(question, NOW, ZONE)
    assert intent.people
    assert parse(format_intent(intent), NOW, ZONE) == intent
    assert not parse("what changed in the scheduler", NOW, ZONE).people


AUGUST = datetime(2026, 8, 17, 14, tzinfo=UTC)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("changes in 2026-03", "changed 2026-03-01T00:00:00Z..2026-04-01T00:00:00Z"),
        ("2026-03以来的变更", "changed 2026-03-01T00:00:00Z..2026-08-17T14:00:00Z"),
        (
            "is there anything about LoRA in the last three days",
            "changed LoRA 2026-08-15T00:00:00Z..2026-08-17T14:00:00Z",
        ),
        (
            "what happened over the weekend",
            "digest 2026-08-15T00:00:00Z..2026-08-17T00:00:00Z",
        ),
        ("周末有什么变化", "changed 2026-08-15T00:00:00Z..2026-08-17T00:00:00Z"),
        ("第一季度的变更", "changed 2026-01-01T00:00:00Z..2026-04-01T00:00:00Z"),
        (
            "security fixes this year",
            "changed kind:security 2026-01-01T00:00:00Z..2026-08-17T14:00:00Z",
        ),
        (
            "performance improvements in MoE last month",
            "changed MoE kind:performance 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z",
        ),
        (
            "bug fixes in MoE last month",
            "changed MoE kind:fix 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z",
        ),
        (
            "MoE bug fixes last month",
            "changed MoE kind:fix 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z",
        ),
        ("latest 5 commits", "changed latest 5 2026-08-11T00:00:00Z..2026-08-17T14:00:00Z"),
        (
            "who changed the most this month",
            "who touched 2026-08-01T00:00:00Z..2026-08-17T14:00:00Z",
        ),
        (
            "top contributors path:src/ in July",
            'who touched path:"src/" 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z',
        ),
    ],
)
def test_words_that_were_once_taken_for_a_topic(question, meant):
    intent = parse(question, AUGUST, ZoneInfo("UTC"))
    assert format_intent(intent) == meant
    assert parse(meant, AUGUST, ZoneInfo("UTC")) == intent


@pytest.mark.parametrize(
    "question",
    ["by whom", "changes by whom", "HEAD~1..HEAD", "v1.0..v1.1~2"],
)
def test_words_that_name_nothing_of_what_is_there(question):
    assert isinstance(parse(question, AUGUST, ZoneInfo("UTC")), Unknown)


@pytest.mark.parametrize(
    ("question", "claim"),
    [("when was my --fast flag added", "added"), ("do I still need --fast", "needed")],
)
def test_flag_of_the_asker_is_that_of_the_project(question, claim):
    assert parse(question, AUGUST, ZoneInfo("UTC")) == Touched(name="--fast", claim=claim)


@pytest.mark.parametrize("question", ["when was my scheduler added", "what happened to my house"])
def test_things_of_the_asker_are_not_those_of_the_project(question):
    assert isinstance(parse(question, AUGUST, ZoneInfo("UTC")), Unknown)
