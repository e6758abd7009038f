"""What must not change how a question is read, and how long reading may take."""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.core.enums import ChangeKind, Language
from digest.core.facts import Action, FactKind
from digest.core.grade import Level
from digest.core.reference import Reference
from digest.core.release import LATEST
from digest.errors import UserError
from digest.question.intent import (
    SUBJECT,
    Affected,
    Again,
    Author,
    Changed,
    DigestOf,
    Explain,
    More,
    Nth,
    Released,
    Releases,
    Retell,
    Risky,
    Search,
    ShowDiff,
    Top,
    Touched,
    Unknown,
    Why,
)
from digest.question.parser import clauses, parse, read, split
from digest.question.questions import format_intent
from digest.question.slot_values import Background
from tests.support.speed import within

NOW, ZONE = datetime(2026, 8, 17, 20, tzinfo=UTC), ZoneInfo("UTC")

QUESTIONS = st.sampled_from(
    [
        "what changed in the scheduler last week",
        "security fixes since July 1",
        "which flags were removed in August",
        "is VLLM_PORT still there",
        "what happened yesterday",
        "who worked on quantization this month",
        "bug fixes in spec decode since v0.9.2",
        "compare v0.9.2 and v0.10.0",
        "why is #52216 rated high",
        "what does #52216 do",
        "top contributors this month",
        "which files changed most in July",
        "important changes over the weekend",
        "search memory leak last month",
        "上周调度器有什么变化",
        "本月有哪些安全修复",
        "8月新增了哪些环境变量",
        "昨天合并了哪些 PR",
        "#52216 是谁写的",
    ]
)

BEFORE = st.lists(
    st.sampled_from(["hey", "hi,", "please", "pls", "could you tell me", "ok so", "@digestbot"]),
    max_size=2,
)

AFTER = st.lists(
    st.sampled_from(["please", "thanks", "pls", "thanks a lot", "thx!", ":)"]), max_size=2
)

MARKS = st.sampled_from(["", "?", "??", "!", "。", "？", " ...", "?!"])


@given(BEFORE, QUESTIONS, AFTER, MARKS)
def test_manners_and_marks_change_no_reading(before, question, after, marks):
    asked = " ".join([*before, question, *after]) + marks
    assert parse(asked, NOW, ZONE) == parse(question, NOW, ZONE)


@given(QUESTIONS, st.sampled_from([str.lower, str.capitalize, str.title]))
def test_case_changes_no_reading_of_cues(question, cased):
    if any(sign in question for sign in "#_") or "v0" in question:
        return
    read_as, expected = parse(cased(question), NOW, ZONE), parse(question, NOW, ZONE)
    assert type(read_as) is type(expected)
    for name in ("window", "kinds", "things", "actions", "level", "people", "files"):
        assert getattr(read_as, name, None) == getattr(expected, name, None)


SLOTS = st.permutations(["security fixes", "in quantization", "last week", "by Ada"])

SLOTS_ZH = st.permutations(["上周", "量化", "安全修复"])


@given(SLOTS)
def test_the_order_of_slots_changes_no_reading(slots):
    expected = parse("security fixes in quantization last week by Ada", NOW, ZONE)
    assert parse(" ".join(slots), NOW, ZONE) == expected


@given(SLOTS_ZH)
def test_the_order_of_slots_changes_no_reading_in_chinese(slots):
    assert parse("".join(slots), NOW, ZONE) == parse("上周量化的安全修复", NOW, ZONE)


@given(st.text(max_size=400))
def test_any_text_is_read(text):
    with contextlib.suppress(UserError):
        assert read(text, NOW, ZONE, Background(own=frozenset({"engine"}))).intent is not None


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("anything new in engine this week", ""),
        ("what's new in Engine's scheduler", "scheduler"),
        ("acme/engine 昨天有哪些改动", ""),
    ],
)
def test_the_name_of_the_repository_is_no_topic(question, topic):
    background = Background(own=frozenset({"engine", "acme/engine"}))
    intent = read(question, NOW, ZONE, background).intent
    assert isinstance(intent, Changed)
    assert intent.topic == topic


def test_a_word_that_the_index_knows_is_not_mended():
    asked = "what changed in the schange this week"
    told = read(asked, NOW, ZONE, Background(known=frozenset({"schange"}))).intent
    assert isinstance(told, Changed)
    assert told.topic == "schange"


@pytest.mark.parametrize(
    "question",
    [
        "what was the most important change this week",
        "the most dangerous commit since monday",
        "which change was most dangerous this week",
        "the biggest thing that landed in August",
        "本周最重要的改动是哪个",
    ],
)
def test_the_one_change_that_matters_most_is_one(question):
    told = read(question, NOW, ZONE).intent
    assert isinstance(told, Changed)
    assert (told.top, told.level) == (Top(1, "top"), Level.HIGH)


def test_the_last_change_of_a_file_or_an_author_is_one():
    for question in ("last change to src/app.py", "last commit by Ada", "last commit?"):
        told = read(question, NOW, ZONE).intent
        assert isinstance(told, Changed)
        assert told.top == Top(1, "latest")


def test_the_reason_for_a_change_is_in_its_explanation_not_in_its_grade():
    for question in ("why was #12 needed", "why was #12 made", "为什么要改 #12"):
        assert isinstance(read(question, NOW, ZONE).intent, Explain)
    assert isinstance(read("why is #12 high", NOW, ZONE).intent, Why)


def test_a_flag_that_is_named_without_its_dashes_is_a_flag():
    told = read("does the agent flag still exist", NOW, ZONE).intent
    assert told == Touched(name="--agent", claim="there")


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("which rust do i need to build uv", Touched(name="rust", claim="value")),
        ("what python do we need", Touched(name="python", claim="value")),
        ("which version has #18300", Released(reference=Reference(number=18300))),
    ],
)
def test_a_version_is_asked_for_in_other_words(question, intent):
    assert read(question, NOW, ZONE).intent == intent


@pytest.mark.parametrize(
    ("question", "topic", "author"),
    [
        ("anything about memory usage", "memory usage", ""),
        ("what's the story with start timestamps", "start timestamps", ""),
        ("rust frontend + grpc, last week, 3 bullets max thx", "rust frontend + grpc", ""),
        ("why was the dual stream decode thing reverted", "dual stream decode", ""),
        ("who is Ada Lovelace", "", "Ada Lovelace"),
        ("what's ada been doing", "", "ada"),
        ("did they remove something I might rely on this month", "", ""),
        ("what did they revert in July", "", ""),
        ("which of last months merges touched the scheduler", "scheduler", ""),
        ("who keeps editing the scheduler this month", "scheduler", ""),
        ("heyy quick q, cud u list teh scheduler fixes from last week? thx!!", "scheduler", ""),
        ("which server args did they drop in July", "", ""),
    ],
)
def test_changes_are_asked_for_in_other_words(question, topic, author):
    told = read(question, NOW, ZONE).intent
    assert isinstance(told, Changed)
    assert (told.topic, told.author) == (topic, author)


def test_one_of_a_list_that_matters_most_is_one():
    for question in ("which one is the riskiest?", "哪个最危险"):
        assert read(question, NOW, ZONE, Background(follows="list")).intent == Again(
            top=Top(1, "top")
        )


@pytest.mark.parametrize(
    "story",
    [
        "?? our box started ooming after we pulled main",
        ", we still serve two of them",
        " or do i have to calibrate beforehand now",
        ", do i need to rush this",
        ", is it urgent",
    ],
)
def test_the_story_behind_a_question_is_no_part_of_it(story):
    plain = "which flags were removed this week"
    assert read(plain + story, NOW, ZONE).intent == read(plain, NOW, ZONE).intent


def test_clauses_are_tried_from_the_longest_beginning_to_the_last_end():
    assert [part for part, _ in clauses("one, two? three")] == [
        "one, two",
        "one",
        "two? three",
        "three",
    ]


def test_whether_a_release_has_a_change_is_a_question_for_its_release():
    told = read("is #12 in 3.14", NOW, ZONE).intent
    assert told == Released(reference=Reference(number=12), release="3.14")


@pytest.mark.parametrize(
    ("question", "author"),
    [
        ("what did ada and bob each merge last week", "ada and bob"),
        ("what did ada, bob and carol merge this month", "ada and bob and carol"),
        ("ada 和 bob 上周各合了什么", "ada 和 bob"),
        ("ada和bob这个月分别提交了哪些改动", "ada 和 bob"),
        ("ada、bob 和 carol 上周分别做了什么", "ada 和 bob 和 carol"),
    ],
)
def test_names_of_several_people_who_did_something_are_no_topic(question, author):
    told = read(question, NOW, ZONE).intent
    assert isinstance(told, Changed)
    assert (told.author, told.topic) == (author, "")


def test_several_people_are_counted_apart():
    told = read("Ada Byron 和 Bob Lee 本月各提交了几个", NOW, ZONE).intent
    assert isinstance(told, Changed)
    assert (told.people, told.counted, told.author) == (True, True, "Ada Byron 和 Bob Lee")


def test_the_release_before_a_named_one_is_told_with_that_one():
    told = read("3.14.0 的上一个版本是什么，什么时候发的", NOW, ZONE).intent
    assert isinstance(told, Changed)
    assert told.topic == "3.14.0"


@pytest.mark.parametrize(
    "question",
    [
        "newest version of kite and what came before it",
        "what's the most recent tag and the one before",
        "最新的版本是哪个，之前是哪个",
        "最新发布是哪个版本，上一个呢",
        "what's the newest kite and the one before it",
        "which version came right before the most recent one",
    ],
)
def test_the_latest_release_and_the_one_before_are_a_list_of_releases(question):
    own = Background(own=frozenset({"kite"}))
    assert read(question, NOW, ZONE, own).intent == Releases()


@pytest.mark.parametrize(
    ("question", "name", "unknown"),
    [
        ("is kite pack compile --fast still there", "--fast", ()),
        ("is kite pack --fast still there", "--fast", ()),
        ("is the pack flag --fast still there", "--fast", ("pack",)),
    ],
)
def test_command_of_the_program_before_a_flag_only_says_whose_flag_it_is(question, name, unknown):
    told = read(question, NOW, ZONE, Background(own=frozenset({"kite"})))
    assert (told.intent, told.unknown) == (Touched(name=name, claim="there"), unknown)


@pytest.mark.parametrize(
    "question", ["help", "why", "what does it do", "history of --fast", "digest"]
)
def test_wish_for_a_language_is_no_part_of_a_question(question):
    plain = read(question, NOW, ZONE)
    for wish in (" in Chinese please", ", answer in English", "，用中文回答", "请用英文说明"):
        assert read(f"{question}{wish}", NOW, ZONE) == plain


@pytest.mark.parametrize(
    "question", ["which version is the latest", "newest version of kite", "哪个版本是最新的"]
)
def test_the_version_itself_is_the_latest_release(question):
    told = read(question, NOW, ZONE, Background(own=frozenset({"kite"}))).intent
    assert isinstance(told, Changed)
    assert told.topic == LATEST


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("new flags, env vars and the like in January", ""),
        ("cache changes or similar this week", "cache"),
        ("本周有没有 cache 之类的改动", "cache"),
        ("which cmdline flags were removed this month", ""),
        ("新增了哪些 KITE_ 环境变量", ""),
        ("new KITE_ env variables this month", ""),
    ],
)
def test_words_for_more_of_the_kind_and_for_where_a_flag_stands_are_no_topic(question, topic):
    told = read(question, NOW, ZONE).intent
    assert isinstance(told, Changed)
    assert told.topic == topic


@pytest.mark.parametrize(
    ("question", "platform"),
    [
        ("what torch version do we need for cuda", "cuda"),
        ("which torch version for rocm is required", "rocm"),
        ("cuda 版的 torch 现在是哪个版本", "cuda"),
        ("rocm 用哪个版本的 torch", "rocm"),
        ("what torch version do we need", ""),
    ],
)
def test_the_required_version_may_be_that_of_one_build(question, platform):
    told = read(question, NOW, ZONE).intent
    assert isinstance(told, Touched)
    assert (told.name, told.claim, told.platform) == ("torch", "value", platform)


def test_bots_and_people_are_counted_side_by_side():
    told = read("how much of this week is bots vs humans", NOW, ZONE).intent
    assert isinstance(told, Changed)
    assert (told.people, told.topic) == (True, "")


@pytest.mark.parametrize("question", ["昇腾相关的改动", "本周昇腾方面有什么变化"])
def test_an_unknown_name_that_changes_are_related_to_is_the_topic(question):
    told = read(question, NOW, ZONE, Background(known=frozenset({"scheduler"}))).intent
    assert isinstance(told, Changed)
    assert told.topic == "昇腾"


@pytest.mark.parametrize("question", ["thanks!", "thank you very much", "谢谢", "多谢！"])
def test_thanks_are_told_from_what_is_not_understood(question):
    told = parse(question, NOW, ZONE)
    assert isinstance(told, Unknown)
    assert told.thanks


def test_a_name_of_code_in_a_sentence_is_asked_about():
    assert parse("since when do we have --return-mask?", NOW, ZONE) == Touched(name="--return-mask")


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("when did FooSeek V4 support come", "FooSeek V4"),
        ("when was FlashFoo 3 added", "FlashFoo 3"),
        ("when did mask replay land", "mask replay"),
        ("when did native buckets get merged?", "native buckets"),
    ],
)
def test_when_a_thing_came_is_asked_of_its_whole_name(question, name):
    assert parse(question, NOW, ZONE) == Touched(name=name, claim="added")


HARD = [
    "what changed in the scheduler and the attention kernels by Ada last week " * 7,
    "上周调度器和注意力内核有什么变化以及哪些环境变量被删除了" * 20,
    "--flag_a.b::c/d#1@e " * 25,
    "1.2.3 4567 2026-01-02 v1..v2 " * 17,
    "fix " * 125,
    "a-b_c.d/e" * 60,
]


@pytest.mark.parametrize("text", HARD)
def test_reading_500_characters_is_quick(text):
    asked = text[:500]
    with contextlib.suppress(UserError):
        parse(asked, NOW, ZONE)

    def read() -> None:
        with contextlib.suppress(UserError):
            parse(asked, NOW, ZONE)

    assert within(0.025, read)  # 5 ms are meant


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("who removed it", Author()),
        ("什么时候删的", Released()),
        ("which release got it", Released()),
        ("patch?", ShowDiff()),
        ("代码呢", ShowDiff()),
        ("in which PR", Nth(place=0)),
        ("any tests?", ShowDiff(part="tests")),
        ("改了几行", Nth(place=0)),
        ("and the author?", Author()),
        ("is it stable now", Nth(place=0)),
        ("have you got that in Chinese", Retell(language=Language.ZH)),
    ],
)
def test_a_short_question_after_an_answer_is_about_its_change(text, intent):
    assert read(text, NOW, ZONE, Background(follows="change")).intent == intent


@pytest.mark.parametrize(
    ("follows", "text", "intent"),
    [
        ("name", "what was it before?", ShowDiff(part=SUBJECT)),
        ("name", "is it on by default?", Touched(name="")),
        ("name", "哪个版本开始有的？", Touched(name="")),
        ("name", "which release has it?", Released()),
        ("list", "which of these are on by default", Again(switched="on")),
        ("list", "其中哪些默认是关闭的", Again(switched="off")),
        ("list", "OTLP 默认开启了吗", Touched(name="OTLP", claim="default")),
        ("list", "有哪些是关于 rocm 的", Again(topic="rocm", only=True)),
        ("release", "哪些是 rocm 的", Again(topic="rocm", only=True)),
        ("release", "which ones are about rocm", Again(topic="rocm", only=True)),
        ("list", "what about native histograms", Again(topic="native histograms")),
        ("list", "who wrote it", Author()),
        ("list", "谁改的", Again(people=True)),
        ("change", "会影响我们吗", Affected(its=True)),
        ("change", "我们用的是 APP_PORT，它会影响我们吗", ShowDiff(part="APP_PORT")),
        ("", "会影响我们吗", Affected()),
        ("list", "which has the biggest gain", Again(level=Level.HIGH)),
        ("list", "any of those risky?", Again(level=Level.HIGH)),
        ("change", "is that in 0.12.5", Released()),
        ("change", "进 3.14 了吗", Released()),
        ("change", "did it ever come back?", Nth(place=0)),
        ("change", "link?", Nth(place=0)),
        ("change", "who should I ask about it", Author()),
        ("change", "who knows about this", Author()),
        ("change", "what's the commit hash", Nth(place=0)),
        ("list", "just the flags", Again(topic="flags", things=(FactKind.FLAG,), only=True)),
        ("list", "what else did the author change", Again(same="author")),
        ("list", "and the month?", read("and this month", NOW, ZONE).intent),
        ("name", "is there a replacement", Touched(name="", claim="instead")),
        ("release", "哪个是最重要的", Again(level=Level.HIGH)),
        ("list", "它们是谁做的", Again(people=True)),
        ("release", "how many commits is that", Retell()),
        ("release", "那 0.12.4 呢", Again(topic="0.12.4")),
        ("release", "what's in it", Again(back=True)),
        ("list", "the 3rd", Nth(place=3)),
        ("list", "who removed the first one", Nth(place=1, aspect="author")),
        ("list", "第一个改了哪些文件", Nth(place=1)),
        ("release", "how many changes", Retell()),
        ("change", "那上一个版本呢", Again(earlier="release")),
        ("release", "who contributed", Again(people=True)),
        ("release", "any security fixes?", Again(kinds=(ChangeKind.SECURITY,))),
        ("release", "and the fixes", Again(kinds=(ChangeKind.FIX,))),
        ("list", "any security ones?", Again(kinds=(ChangeKind.SECURITY,))),
        ("list", "第一个是哪天合的", Nth(place=1, aspect="released")),
        ("change", "any docs changes in it?", ShowDiff(part="docs")),
        ("change", "which file has the fix", Nth(place=0)),
        ("change", "what do i have to do?", Risky()),
        ("change", "by whom?", Author()),
        ("change", "why was it needed", Nth(place=0)),
        ("change", "walk me through that", Nth(place=0)),
        ("list", "第三个升到什么版本", Nth(place=3)),
        ("list", "谁升的", Again(people=True)),
        ("list", "what about flags", Again(topic="flags", things=(FactKind.FLAG,))),
        ("row", "who wrote it", Author()),
        ("row", "what about tests", Again(topic="tests")),
        ("row", "show me the diff", ShowDiff()),
        ("row", "which are off by default", Again(switched="off")),
        ("change", "next one", Nth(place=0, step=1)),
        ("change", "上一条呢", Nth(place=0, step=-1)),
        ("change", "has it been backported?", Released()),
        ("change", "改之前是怎样的", Nth(place=0)),
        ("list", "is APP_RUN off by default", Touched(name="APP_RUN", claim="off")),
        ("change", "which defaults changed", parse("which defaults changed", NOW, ZONE)),
        ("change", "哪些默认值变了", parse("哪些默认值变了", NOW, ZONE)),
        ("name", "which release added app check", Touched(name="app", claim="release")),
        ("list", "were any of them reverted", Again(kinds=(ChangeKind.REVERTS,), undone=True)),
        ("list", "其中有被回滚的吗", Again(kinds=(ChangeKind.REVERTS,), undone=True)),
        ("list", "only reverts", Again(kinds=(ChangeKind.REVERTS,))),
        ("list", "only the risky ones", Again(level=Level.HIGH)),
        ("list", "only fixes or perf", Again(kinds=(ChangeKind.FIX, ChangeKind.PERFORMANCE))),
        ("list", "只看性能或修复", Again(kinds=(ChangeKind.PERFORMANCE, ChangeKind.FIX))),
        ("list", "any fixes?", Again(kinds=(ChangeKind.FIX,))),
        ("list", "有没有性能方面的", Again(kinds=(ChangeKind.PERFORMANCE,))),
        ("list", "what did Ada change", Again(author="Ada")),
        ("list", "by whom", Again(people=True)),
        ("list", "who broke it", Again(people=True)),
        ("row", "who broke it", Author()),
        ("list", "谁修的", Again(people=True)),
        ("list", "the biggest one", Again(top=Top(1, "largest"))),
        ("list", "the most important", Again(top=Top(1))),
        ("list", "only Ada's", Again(author="Ada")),
        ("list", "when will it ship", Released()),
        ("list", "and the others?", More()),
        ("list", "list them", More()),
        ("list", "show me 2", Nth(place=2)),
        ("list", "security?", Again(kinds=(ChangeKind.SECURITY,))),
        ("list", "what should i use instead", Nth(place=0)),
        ("change", "when will it be removed", Nth(place=0)),
        ("change", "does it change anything for users", Risky()),
        ("change", "was it reverted later", Nth(place=0)),
        ("change", "影响哪些版本", Released()),
        ("list", "last week then", parse("and last week", NOW, ZONE)),
        ("change", "any follow-up fixes to it?", Again(same="file", kinds=(ChangeKind.FIX,))),
        ("list", "is that released yet", Released()),
        ("change", "is it in the release?", Released()),
        ("change", "will that be part of the next version?", Released()),
        ("change", "下个版本会有吗", Released()),
        ("change", "has somebody reverted that", Nth(place=0)),
        ("change", "为什么评这么低", Why()),
        ("change", "贴个链接", Nth(place=0)),
        ("change", "give me the url", Nth(place=0)),
        ("list", "只看 scheduler, 不要 CI", Again(topic="scheduler", without=("CI",), only=True)),
        (
            "list",
            "only the router, no unit tests",
            Again(topic="router", without=("unit tests",), only=True),
        ),
        (
            "list",
            "how does it compare to last week",
            replace(read("and last week", NOW, ZONE).intent, compared=True),
        ),
        ("list", "和上周比呢", replace(read("and last week", NOW, ZONE).intent, compared=True)),
        ("list", "more than the month before?", Again(earlier="month", compared=True)),
        ("name", "what else changed on the same day", Again(same="day")),
        ("row", "第三个谁改的", Nth(place=3, aspect="author")),
        ("list", "那天还合了什么", Again(same="day")),
    ],
)
def test_a_short_question_is_read_by_what_the_answer_was_about(follows, text, intent):
    assert read(text, NOW, ZONE, Background(follows=follows)).intent == intent


@pytest.mark.parametrize(
    ("question", "author", "topic"),
    [
        ("lovelace 上周合了啥", "lovelace", ""),
        ("scheduler 上周合了啥", "", "scheduler"),
        ("lovelace 最近改了什么", "lovelace", ""),
    ],
)
def test_a_word_that_the_repository_does_not_know_is_a_name_before_a_deed(question, author, topic):
    read_as = read(question, NOW, ZONE, Background(words=frozenset({"scheduler"}))).intent
    assert isinstance(read_as, Changed)
    assert (read_as.author, read_as.topic) == (author, topic)


def test_a_word_that_a_list_is_limited_to_is_its_topic_even_if_nothing_has_it():
    known = Background(words=frozenset({"scheduler"}), follows="list")
    told = read("only the zorp ones, no scheduler", NOW, ZONE, known)
    assert told.intent == Again(topic="zorp", without=("scheduler",), only=True)


def test_one_chinese_character_is_an_author_if_the_repository_knows_it():
    read_as = read("翠上周改了什么", NOW, ZONE, Background(words=frozenset({"翠"}))).intent
    assert isinstance(read_as, Changed)
    assert (read_as.author, read_as.topic) == ("翠", "")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("what does #12 do? is it risky?", ("what does #12 do", "is it risky")),
        ("who wrote #12 and who reviewed it", ("who wrote #12", "who reviewed it")),
        ("#12 是干嘛的，谁写的", ("#12 是干嘛的",)),
        ("is VLLM_PORT gone? who removed it?", ("is VLLM_PORT gone",)),
        ("what changed in MoE? any breaking?", ("what changed in MoE", "any breaking")),
        ("which release has #12 and what does it do", ("which release has #12", "what does it do")),
        ("what changed this week and who did most", ()),
        ("which flags were added in July and which removed", ()),
        ("what changed this week? thanks!", ()),
        (
            "how many bugs were fixed in June, and which are about the lexer?",
            ("how many bugs were fixed in June", "which are about the lexer"),
        ),
        ("numpy 支持了吗 什么时候", ()),
        ("6月合了多少个,哪些是高的", ("6月合了多少个", "哪些是高的")),
        ("numpy 升到哪个版本了 为什么升级", ("numpy 升到哪个版本了", "为什么升级")),
        ("上个版本修了哪些 Windows 的 bug", ()),
        ("which files changed most this week? top 5", ()),
        (
            "which files changed most this week? and last week?",
            ("which files changed most this week", "and last week"),
        ),
    ],
)
def test_two_questions_of_a_message_are_told_apart(text, parts):
    assert split(text, NOW, ZONE, Background()) == parts


def test_a_number_after_a_list_is_a_place_in_it():
    assert read("3", NOW, ZONE, Background(follows="list")).intent == Nth(place=3)
    assert read("3", NOW, ZONE, Background()).intent == Explain(reference=Reference(number=3))


def test_who_did_most_of_a_list_is_counted_by_author():
    assert read("谁写得最多", NOW, ZONE, Background(follows="list")).intent == Again(people=True)


def test_what_is_asked_for_as_new_is_a_topic_also_where_nothing_is_called_so():
    told = read("new models this week", NOW, ZONE, Background(words=frozenset()))
    assert (told.intent.topic, told.unknown) == ("models", ())


@pytest.mark.parametrize(
    "question",
    [
        "write me a quicksort",
        "帮我写一段快速排序",
        "帮我修一下这个 bug",
        "把仓库删了",
        "what is 2+2",
        "can you write a unit test for the scheduler",
    ],
)
def test_what_is_not_a_question_about_changes_is_refused(question):
    assert isinstance(parse(question, NOW, ZONE), Unknown)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("1 to 7 March 2025", "digest 2025-03-01T00:00:00Z..2025-03-08T00:00:00Z"),
        (
            "Juan Pérez de Algaba 8月提交了哪些安全修复",
            (
                'changed author:"Juan Pérez de Algaba" kind:security'
                " 2026-08-01T00:00:00Z..2026-08-17T20:00:00Z"
            ),
        ),
        (
            "any new discovery mechanism in july",
            "changed discovery action:added 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z",
        ),
        (
            "changes between tuesday and thursday last week",
            "changed 2026-08-11T00:00:00Z..2026-08-14T00:00:00Z",
        ),
        (
            "anything breaking in july that i should care about before rolling it out to prod?",
            "changed kind:breaking 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z",
        ),
        ("从3.13升级到3.14有什么需要注意的", "changed kind:breaking 3.13..3.14"),
        (
            "who merged the most PRs in july",
            "who merged 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z",
        ),
        ("那13号呢", "and 2026-08-13T00:00:00Z..2026-08-14T00:00:00Z"),
        (
            "7月 tsdb 有没有数据丢失相关的修复",
            "changed tsdb 数据丢失 kind:fix 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z",
        ),
        (
            "7月和6月比，提交数是多了还是少了",
            (
                "changed 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z"
                " compared to 2026-06-01T00:00:00Z..2026-07-01T00:00:00Z"
            ),
        ),
        ("what version of react-router-dom are we on", 'explain symbol "react-router-dom"'),
        ("我们用的是 MY_VARIABLE，它会影响我们吗", 'explain symbol "MY_VARIABLE"'),
        ("why did they replace old-tar with tar-codec", 'explain symbol "old-tar tar-codec"'),
        ("friday last week", "digest 2026-08-14T00:00:00Z..2026-08-15T00:00:00Z"),
        (
            "what has been deprecated but not yet removed in july",
            "changed kind:deprecations 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z",
        ),
        ("longest PR of july", "changed largest 1 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z"),
        ("busiest day in july", "changed per day 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z"),
        (
            "only code changes, no tests or ci, in july",
            'changed without:"tests" without:"ci" 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z',
        ),
        (
            "上周最重要的三个变更",
            "changed top 3 2026-08-10T00:00:00Z..2026-08-17T00:00:00Z",
        ),
        (
            "which env vars changed their default in july",
            (
                "changed thing:environment with changed defaults"
                " 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z"
            ),
        ),
        (
            "fixes in July that are not about tests",
            'changed kind:fix without:"tests" 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z',
        ),
        (
            "what do I need to act on in July",
            "changed kind:action 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z",
        ),
        (
            "七月有哪些变更需要处理",
            "changed kind:action 2026-07-01T00:00:00Z..2026-08-01T00:00:00Z",
        ),
    ],
)
def test_slots_are_read_whole(question, meant):
    assert format_intent(parse(question, NOW, ZONE)) == meant


def test_a_follow_up_in_two_parts_is_two_questions():
    background = Background(follows="change")
    asked = "and what was it before, who wrote that change?"
    assert split(asked, NOW, ZONE, background) == (
        "and what was it before",
        "who wrote that change",
    )


def test_the_first_release_of_what_was_listed_is_asked_for_without_naming_it():
    reading = read("哪个版本开始有的？", NOW, ZONE, Background(follows="list"))
    assert reading.intent == Released()


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("what share of august commits came from bots", 'author:"[bot]" 8-1..8-17 what share'),
        ("how much of july was CI work, in percent", "CI 7-1..8-1 what share"),
        ("7月有百分之几的提交是机器人做的", 'author:"[bot]" 7-1..8-1 what share'),
        ("7月有百分之多少的提交是修复", "kind:fix 7-1..8-1 what share"),
        ("compare xpu commits in july and june", "xpu 7-1..8-1 compared to 6-1..7-1"),
        ("did we do more commits in july or in june", "7-1..8-1 compared to 6-1..7-1"),
        ("7月第二周和第一周比，提交变多了吗", "7-8..7-15 compared to 7-1..7-8"),
    ],
)
def test_numbers_are_asked_for_of_a_whole_or_of_two_periods(question, meant):
    asked = format_intent(parse(question, NOW, ZONE))
    days = re.sub(r"2026-0?(\d+)-0?(\d+)T[0-9:]+Z", r"\1-\2", asked)
    assert days == f"changed {meant}"


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("when was the msrv last raised, and to what", "value"),
        ("transformers 现在用的是哪个版本", "value"),
        ("when did we move to torch 2.13", "value"),
        ("which PR removed override_attention_dtype", "removed"),
        ("override_attention_dtype 是哪个PR删掉的", "removed"),
        ("which release has --fast-path", "release"),
        ("when was VLLM_USE_RUNNER added", "added"),
        ("is VLLM_USE_RUNNER still there", "there"),
        ("when was VLLM_USE_RUNNER introduced, and by whom? thanks", "added"),
        ("is VLLM_USE_RUNNER on by default", "default"),
        ("is VLLM_USE_RUNNER still off by default??", "off"),
        ("did the default of VLLM_USE_RUNNER change", "revalued"),
        ("VLLM_USE_RUNNER 默认值是不是改了", "revalued"),
    ],
)
def test_what_is_asked_of_a_name_is_told_first(question, claim):
    intent = parse(question, NOW, ZONE)
    assert isinstance(intent, Touched)
    assert intent.claim == claim


def test_question_that_is_not_understood_as_a_whole_is_read_by_its_parts():
    parts = split(
        "torch bumped? what rust version do I need to build it now", NOW, ZONE, Background()
    )
    assert parts == ("torch bumped", "what rust version do I need to build it now")


def test_support_of_one_thing_for_another_is_asked_of_both():
    known = Background(words=frozenset({"eagle3", "qwen3.5"}))
    intent = read("is eagle3 supported for qwen3.5", NOW, ZONE, known).intent
    assert isinstance(intent, Changed)
    assert intent.topic == "eagle3 qwen3.5"


def test_who_wrote_a_thing_is_who_added_it():
    intent = parse("who wrote the oci service discovery", NOW, ZONE)
    assert isinstance(intent, Changed)
    assert (intent.people, intent.actions) == (True, (Action.ADDED,))
    shares = parse("who wrote most of the oci service discovery", NOW, ZONE)
    assert isinstance(shares, Changed)
    assert not shares.actions


@pytest.mark.parametrize(
    ("question", "closed"),
    [
        ("was the cache fix reverted", True),
        ("ionos 崩溃修了吗", True),
        ("which fixes landed", False),
    ],
)
def test_yes_or_no_is_asked_for(question, closed):
    assert read(question, NOW, ZONE).closed is closed


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("6月和7月的提交数哪个多", "changed 6-1..7-1 compared to 7-1..8-1"),
        ("上个月发布了多少个版本，和6月比呢", "releases 7-1..8-1 compared to 6-1..7-1"),
        ("最近3个版本有什么变化", "changed latest-releases-3 8-11..8-17"),
        ("what changed in the last three releases", "changed latest-releases-3 8-11..8-17"),
        (
            "which version of flashinfer do we pin and when was it bumped",
            'explain symbol "flashinfer"',
        ),
        ("谁写的 oci 服务发现", "who touched oci 服务发现 action:added 8-11..8-17"),
        ("who is working on LoRA these days", "who touched LoRA 8-11..8-17"),
        ("which commands were added in july", "changed commands action:added 7-1..8-1"),
        ("any examples changed in july", "changed examples 7-1..8-1"),
        ("did metric names change in july", "changed thing:metric 7-1..8-1"),
        ("what commands do you know", "help"),
        ("what did ada lovelace change in july", 'changed author:"ada lovelace" 7-1..8-1'),
        ("is it safe to upgrade to yesterday's main", "changed kind:action 8-11..8-17"),
        (
            "what do the release notes say about native histograms",
            "changed native histograms 8-11..8-17",
        ),
        (
            "did the query engine get faster in july",
            "changed query engine kind:performance 7-1..8-1",
        ),
        ("anything breaking in july if I run docker", "changed docker kind:breaking 7-1..8-1"),
        (
            "which flags were removed in july? need to clean up our scripts",
            "changed thing:flag action:removed 7-1..8-1",
        ),
        ("fixes in july, with numbers if u have them", "changed kind:fix with numbers 7-1..8-1"),
        ("7月有没有和安全相关的修复，比如路径穿越之类的", "changed kind:security 7-1..8-1"),
        ("any DoS / security fixes in july", "changed kind:security 7-1..8-1"),
        ("any license changes in july", "changed license 7-1..8-1"),
        ("biggest refactor in july", "changed refactor level:high 7-1..8-1"),
        ("how active was july compared to the last", "changed 7-1..8-1 compared to 6-1..7-1"),
        ("what should I test after upgrading", "changed kind:action 8-11..8-17"),
        ("how big was july", "changed 7-1..8-1 what share"),
        ("有什么要我改配置的吗", "changed kind:action 8-11..8-17"),
        ("torch 升级到多少了", 'explain symbol "torch"'),
        ("how do I turn off async scheduling", 'explain symbol "async scheduling"'),
        ("list the new feature flags", "changed thing:flag action:added 8-11..8-17"),
        ("should I patch anything", "changed kind:security 8-11..8-17"),
        ("anything I'd regret missing in july", "changed level:high 7-1..8-1"),
        (
            "any perf regressions reported in july",
            "changed regressions kind:performance 7-1..8-1",
        ),
        ("we run docker on arm, anything merged in july", "changed docker arm 7-1..8-1"),
        ("what's risky in july", "changed kind:action 7-1..8-1"),
        ("back from pto, gone since july 2. catch me up", "digest 7-2..8-17"),
    ],
)
def test_words_beside_a_name_or_a_period_are_no_other_question(question, meant):
    asked = format_intent(parse(question, NOW, ZONE))
    assert re.sub(r"2026-0?(\d+)-0?(\d+)T[0-9:]+Z", r"\1-\2", asked) == meant


def test_whether_a_change_was_reverted_is_asked_in_the_past():
    assert read("was #12 reverted", NOW, ZONE).undone
    assert read("#12 被回滚了吗", NOW, ZONE).undone
    assert not read("is #12 a revert", NOW, ZONE).undone


def test_a_question_about_it_is_not_proven_by_whatever_was_reverted():
    told = read("was it reverted", NOW, ZONE, Background(follows="list"))
    assert not told.closed


@pytest.mark.parametrize(
    "question",
    [
        *("when was 3.14 released", "which release came before 3.14?", "when did 3.14 come out"),
        *("is 3.14 out yet", "3.14是什么时候发布的", "the release before 3.14"),
    ],
)
def test_a_version_is_that_of_a_release(question):
    told = read(question, NOW, ZONE).intent
    assert isinstance(told, Changed)
    assert (told.topic, told.anytime) == ("3.14", True)


@pytest.mark.parametrize("follows", ["change", "row", "list"])
@pytest.mark.parametrize("question", ["which defaults changed", "哪些默认值变了"])
def test_several_defaults_are_not_the_one_under_discussion(question, follows):
    told = read(question, NOW, ZONE, Background(follows=follows)).intent
    assert isinstance(told, Changed)
    assert told.defaults


@pytest.mark.parametrize(
    "question",
    [
        *("who last touched src/pool.py", "who changed src/pool.py last?"),
        *("when was src/pool.py last changed", "last person to touch src/pool.py"),
        *("谁最后改了 src/pool.py", "src/pool.py 最后一次修改是什么时候"),
    ],
)
@pytest.mark.parametrize("follows", ["", "list"])
def test_the_last_change_of_a_file_is_one(question, follows):
    told = read(question, NOW, ZONE, Background(follows=follows)).intent
    assert isinstance(told, Changed)
    assert (told.path, told.topic, told.people) == ("src/pool.py", "", False)
    assert told.top == Top(1, "latest")


@pytest.mark.parametrize(
    "question",
    ["is there anything I should stop using?", "what should we migrate off", "有什么不该再用的"],
)
def test_what_should_no_longer_be_used_is_what_is_deprecated(question):
    told = read(question, NOW, ZONE).intent
    assert isinstance(told, Changed)
    assert told.kinds == (ChangeKind.DEPRECATIONS,)


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        ("pool_size默认多少 不同gpu是不是不一样", ("pool_size默认多少",)),
        ("foolib现在用的哪个版本，上次升级是啥时候", ("foolib现在用的哪个版本",)),
        (
            "go版本要求升到多少了 foo_client现在啥版本",
            ("go版本要求升到多少了", "foo_client现在啥版本"),
        ),
        ("3.14啥时候发的 升级有没有坑", ("3.14啥时候发的",)),
        ("old_log 这个flag删了吗 用啥替代", ("old_log 这个flag删了吗",)),
        ("本周谁改了 MoE", ()),
        ("本周谁改了 调度器", ()),
        ("最近改了什么，重点说说 kv cache", ()),
        ("你好，这周有什么重要变更", ()),
    ],
)
def test_a_second_clause_in_chinese_is_a_question_of_its_own(question, parts):
    assert split(question, NOW, ZONE, Background()) == parts


@pytest.mark.parametrize(
    ("question", "same"),
    [
        ("八月有没有安全修复，我们要给领导报备", "八月有没有安全修复"),
        ("3.14.0 修了哪些bug 值不值得升", "3.14.0 修了哪些bug"),
    ],
)
def test_what_the_asker_does_with_the_answer_changes_nothing_of_the_question(question, same):
    assert read(question, NOW, ZONE).intent == read(same, NOW, ZONE).intent


def test_the_name_of_the_repository_is_no_topic_however_it_is_written():
    told = read(
        "what mattered in fooBar last week?", NOW, ZONE, Background(own=frozenset({"foobar"}))
    )
    assert told.sure
    assert told.intent == read("what mattered last week?", NOW, ZONE).intent


def test_a_flag_in_a_question_that_is_not_understood_is_still_told():
    told = read("--fast-pool 怎么老是抽风报一堆乱七八糟", NOW, ZONE)
    assert told.intent == Touched(name="--fast-pool")
    assert not told.sure


def test_a_share_is_no_topic_of_a_gain():
    told = read("最近一个月有没有吞吐提升超过10%的优化", NOW, ZONE).intent
    assert isinstance(told, Changed)
    assert (told.topic, told.figures) == ("吞吐", True)


@pytest.mark.parametrize(
    ("question", "claim"),
    [
        ("when was my --fast flag added", "added"),
        ("tell me the history of --fast", ""),
        ("tell me about my --fast flag", ""),
    ],
)
def test_a_flag_of_the_asker_is_a_name_of_the_code(question, claim):
    assert parse(question, NOW, ZONE) == Touched(name="--fast", claim=claim)


def test_things_that_are_related_to_a_name_are_no_history_of_it():
    assert isinstance(parse("new variables related to UV_PUBLISH", NOW, ZONE), Changed)


@pytest.mark.parametrize(
    ("question", "claim"),
    [("when did it come", "added"), ("啥时候加的", "added"), ("and its default?", "")],
)
def test_a_name_under_discussion_is_asked_about_without_naming_it(question, claim):
    told = read(question, NOW, ZONE, Background(follows="name")).intent
    assert told == Touched(name="", claim=claim)


def test_what_a_name_was_before_is_in_its_diff():
    told = read("之前是多少", NOW, ZONE, Background(follows="name")).intent
    assert told == ShowDiff(part=SUBJECT)


def test_a_plan_of_the_asker_behind_a_question_is_no_second_question():
    asked = "any new metrics in july? need to update the dashboard"
    assert split(asked, NOW, ZONE, Background()) == ("any new metrics in july",)


def test_a_future_time_of_something_else_is_not_an_invalid_period():
    assert isinstance(parse("remind me to water the plants tmrw at 9", NOW, ZONE), Unknown)


def test_the_minimum_version_of_a_dependency_is_asked_for_without_a_question_word():
    told = parse("min transformers version required?", NOW, ZONE)
    assert told == Touched(name="transformers", claim="value")


def test_a_release_may_be_asked_whether_it_has_a_change():
    assert isinstance(parse("does v1.2.0 have #12 already", NOW, ZONE), Released)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("http timeout default?", Touched(name="http timeout", claim="value")),
        ("why did the diskcache dependency get dropped", Touched(name="diskcache")),
    ],
)
def test_a_setting_is_described_by_words_and_a_package_by_a_noun(question, meant):
    assert parse(question, NOW, ZONE) == meant


def test_fixes_of_something_called_a_dependency_are_fixes():
    told = parse("git dependency fixes this week", NOW, ZONE)
    assert told.kinds == (ChangeKind.FIX,)


def test_a_description_beside_the_number_of_a_change_does_not_hide_it():
    told = parse("did the datacenter cleanup (#12) make it to 3.14.0", NOW, ZONE)
    assert isinstance(told, Released)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("fixes in july, no docs no ci", 'changed kind:fix without:"docs" without:"ci" 7-1..8-1'),
        ("fixes in july (not docs or ci)", 'changed kind:fix without:"docs" without:"ci" 7-1..8-1'),
        ("fixes in july, but not docs", 'changed kind:fix without:"docs" 7-1..8-1'),
        ("july without bots, only humans", 'changed without:"bots" 7-1..8-1'),
    ],
)
def test_what_is_not_wanted_is_left_out_however_it_is_said(question, meant):
    asked = format_intent(parse(question, NOW, ZONE))
    assert re.sub(r"2026-0?(\d+)-0?(\d+)T[0-9:]+Z", r"\1-\2", asked) == meant


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        (
            "our CI still pins 1.2.0. what breaks for us if we move to 1.3.0?",
            "changed kind:breaking 1.2.0..1.3.0",
        ),
        (
            "going from 1.2.0 to 1.3.0 this weekend -- any breaking changes i should prepare for?",
            "changed kind:breaking 1.2.0..1.3.0",
        ),
        (
            'after the upgrade: "error: unrecognized arguments: --pool-size 8". when was it removed',
            'explain symbol "--pool-size"',
        ),
        (
            "从 1.2.0 升到 1.3.0 之后 POOL_SIZE 没反应，被删了吗",
            'explain symbol "POOL_SIZE" 1.2.0..1.3.0',
        ),
        ("who wrote #12 (not who pressed merge)", "author #12"),
        ("and Ada? did she push anything in july", 'changed author:"Ada" 7-1..8-1'),
        ("what changed in the paged block table (PBT) in july", "changed PBT 7-1..8-1"),
        (
            "our client reads message.reply_text and since the upgrade it is gone. when was it cut?",
            'explain symbol "message.reply_text"',
        ),
        ("升级到 1.3.0 之后 POOL_SIZE 没了", 'explain symbol "POOL_SIZE"'),
        ("perf work in july on GPU<->CPU syncs", "changed GPU CPU syncs kind:performance 7-1..8-1"),
        ("what breaks, we pulled main on July 1", "changed kind:breaking 7-1..8-17"),
        ("our image is from July 1. which fixes came", "changed kind:fix 7-1..8-17"),
        ("fixes to know before upgrading to main from July 1", "changed kind:fix 7-1..8-17"),
        ("we set POOL_SIZE=0, is that still there?", 'explain symbol "POOL_SIZE"'),
        ("everything merged on 5 July, doing a bisect", "changed 7-5..7-6"),
        ("what went in on July 14, the day 1.3.0 was cut?", "changed 7-14..7-15"),
        ("last pulled July 10. anything incompatible merged?", "changed kind:breaking 7-10..8-17"),
        ("which flags did we get that we didn't have before July 10", "changed 7-10..8-17"),
        ("do I still need --fast-path", 'explain symbol "--fast-path"'),
        ("what was actually broken in #12", "explain #12"),
        (
            "since which version can I use `pool size --format`?",
            'explain symbol "pool size --format"',
        ),
        ("辛苦啦～顺手帮我列一下7月5号合的东西呀，万分感谢", "changed 7-5..7-6"),
        ("50801 对我们的 CPU 部署有没有风险", "risks #50801"),
        ("which torch are we on now", 'explain symbol "torch"'),
        (
            "changes by ada lovelace, grace and zoe miller since july 1",
            'changed author:"ada lovelace and grace and zoe miller" 7-1..8-17',
        ),
        ("PRs by Bob or Ada in july", 'changed author:"Bob or Ada" 7-1..8-1'),
        ("list reverts since july 1 with reasons", "changed kind:reverts 7-1..8-17"),
        (
            "my startup got slower after pulling main on july 10, any suspects?",
            "changed startup kind:performance 7-10..8-17",
        ),
        ("since july 1, anything in the pool i need to know?", "changed pool level:high 7-1..8-17"),
        (
            "anything on the pool in july that users should be careful with",
            "changed pool level:high 7-1..8-1",
        ),
        ("security fixes in july i should know about", "changed kind:security 7-1..8-1"),
        (
            "what should we watch out for when upgrading to 1.3.0",
            "changed 1.3.0 kind:breaking 8-11..8-17",
        ),
        ("is the panic on the pool still happening?", "changed panic pool kind:fix 8-11..8-17"),
        ("do we still have the leak in the pool", "changed leak pool kind:fix 8-11..8-17"),
        ("pool 的死锁现在还在吗", "changed pool 死锁 kind:fix 8-11..8-17"),
        ("7月前十天的修复", "changed kind:fix 7-1..7-11"),
        ("fixes in the last two days of july", "changed kind:fix 7-30..8-1"),
    ],
)
def test_a_story_gives_the_slots_and_the_question_its_subject(question, meant):
    asked = format_intent(parse(question, NOW, ZONE))
    assert re.sub(r"2026-0?(\d+)-0?(\d+)T[0-9:]+Z", r"\1-\2", asked) == meant


def test_two_changes_that_are_set_beside_each_other_are_both_explained():
    assert split("how do #12 and #13 relate?", NOW, ZONE, Background()) == (
        "explain #12",
        "explain #13",
    )
    assert split("how do #12 and #12 relate?", NOW, ZONE, Background()) == ()


def test_list_and_a_name_after_it_are_two_questions():
    both = "what changed in the loader in july?", "is --pool still there"
    assert split(" ".join(both), NOW, ZONE, Background()) == (both[0].rstrip("?"), both[1])


def test_two_days_in_a_row_are_one_period():
    asked = parse("前天和昨天合了什么", NOW, ZONE)
    assert isinstance(asked, DigestOf | Changed)
    assert asked.window.until - asked.window.since == timedelta(days=2)


def test_a_fix_is_no_yes_to_whether_a_fault_is_still_there():
    assert read("was the panic on the pool fixed?", NOW, ZONE).closed
    assert not read("is the panic on the pool still happening?", NOW, ZONE).closed


def test_release_is_asked_for_in_spite_of_typos():
    assert read("wich relase first had the loader fix", NOW, ZONE).dated


def test_how_soon_something_was_undone_is_no_period():
    told = parse("why was the decode thing backed out after one day", NOW, ZONE)
    assert told.kinds == (ChangeKind.REVERTS,)
    assert told.anytime


def test_whether_one_thing_supports_another_is_not_answered_for_the_first_alone():
    told = parse("K3 支持 DCP 了吗", NOW, ZONE)
    assert isinstance(told, Unknown)
    assert {"K3", "DCP"} <= {*told.terms}


def test_everything_but_small_words_of_an_unknown_question_is_looked_up():
    told = read("hey which one claims about 60% better latency of K3 then", NOW, ZONE).intent
    assert isinstance(told, Unknown | Changed)
    assert "latency" in (told.terms if isinstance(told, Unknown) else told.topic)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        (
            "compare june and july: in which month did more commits land",
            "6-1..7-1 compared to 7-1..8-1",
        ),
        ("六月和七月哪个月提交多", "6-1..7-1 compared to 7-1..8-1"),
    ],
)
def test_which_of_two_months_had_more_compares_them(question, meant):
    asked = format_intent(parse(question, NOW, ZONE))
    assert re.sub(r"2026-0?(\d+)-0?(\d+)T[0-9:]+Z", r"\1-\2", asked) == f"changed {meant}"


def test_going_from_one_release_to_another_is_not_about_go():
    told = parse("I want to go from 3.13.0 to 3.13.1 - what changes", NOW, ZONE)
    assert getattr(told, "topic", "") == ""


def test_who_bumped_it_belongs_to_the_question_for_the_version():
    told = parse("whats the minimum rust version now and who bumped it", NOW, ZONE)
    assert told == Touched(name="rust", claim="value")


@pytest.mark.parametrize(
    ("question", "refs"),
    [
        ("we're on 0.19, is there anything that'll bite us going to 0.20", "0.19..0.20"),
        ("我们在用 0.19，升级到 0.20 有什么坑", "0.19..0.20"),
        ("which flags went away in 3.x since 3.10", "since 3.10"),
    ],
)
def test_the_release_in_use_begins_the_range_of_an_upgrade(question, refs):
    assert str(parse(question, NOW, ZONE).window) == refs


def test_since_when_there_is_something_is_asked_of_words_too():
    told = parse("什么时候开始支持 python 3.15", NOW, ZONE)
    assert told == Touched(name="python 3.15", claim="added")


def test_a_topic_in_bullet_points_is_a_question():
    known = Background(words=frozenset({"speculative", "decoding"}))
    told = read("give me three bullet points on speculative decoding for my boss", NOW, ZONE, known)
    assert told.intent.topic == "speculative decoding"


def test_what_needs_a_dependency_asks_for_its_version():
    assert parse("what flashinfer does main need right now", NOW, ZONE) == Touched(
        name="flashinfer", claim="value"
    )
    assert not isinstance(parse("which flags does vllm need", NOW, ZONE), Touched)


def test_the_day_asked_for_beside_the_author_is_no_chart():
    told = parse("who bumped transformers to 5.14.1, and on which day", NOW, ZONE)
    assert (told.people, told.per) == (True, "")


def test_a_story_about_a_name_ends_with_the_question_about_it():
    told = parse(
        "我们的构建脚本里一直传 MORI_GPU_ARCHS，昨天发现好像没用了，这个参数是被删了吗", NOW, ZONE
    )
    assert told == Touched(name="MORI_GPU_ARCHS", claim="gone")


def test_two_weeks_are_compared_by_how_busy_they_were():
    told = parse("was the week of aug 10 busier than the week before? numbers please", NOW, ZONE)
    assert (told.topic, told.against is None) == ("", False)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("and in v1.2.0?", 'and in "v1.2.0"'),
        ("what about v1.2.0", 'and in "v1.2.0"'),
        ("那 v1.2.0 呢", 'and in "v1.2.0"'),
        ("and in v1.2.0 last week?", "changed v1.2.0 8-10..8-17"),
        ("and fixes in v1.2.0?", "changed v1.2.0 kind:fix 8-11..8-17"),
        ("and MoE in v1.2.0?", "changed MoE in v1.2.0 8-11..8-17"),
        ("and in v1.2.0 and v1.3.0?", "changed v1.2.0..v1.3.0"),
    ],
)
def test_release_alone_repeats_the_last_question_and_with_more_it_is_one_of_its_own(
    question, meant
):
    intent = read(question, NOW, ZONE, Background(follows="list")).intent
    shown = re.sub(r"2026-0?(\d+)-0?(\d+)T[\d:]+Z", r"\1-\2", format_intent(intent))
    assert shown == meant


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("what changes when upgrading from v1.2.0 to v1.3.0", "kind:breaking v1.2.0..v1.3.0"),
        ("upgrade v1.2.0..v1.3.0 changes", "kind:breaking v1.2.0..v1.3.0"),
        ("what changed in the upgrade from v1.2.0", "kind:breaking since v1.2.0"),
        ("should I upgrade to v1.3.0", "v1.3.0 kind:breaking 8-11..8-17"),
        ("升级到 v1.3.0 有哪些变更", "v1.3.0 kind:breaking 8-11..8-17"),
        ("changes of the upgrade last month", "7-1..8-1"),
    ],
)
def test_upgrade_to_a_release_is_about_what_breaks(question, meant):
    shown = format_intent(read(question, NOW, ZONE).intent)
    assert re.sub(r"2026-0?(\d+)-0?(\d+)T[\d:]+Z", r"\1-\2", shown) == f"changed {meant}"


@pytest.mark.parametrize(
    ("question", "same"),
    [
        ("my team lead wants to know what changed in July", "what changed in July"),
        ("We run a proxy on top: which routes were added in July?", "routes added in July"),
        ("fixes in July (CI, docs, whatever)", "fixes in July"),
        ("the last time I checked the log was June 3. catch me up", "digest since June 3"),
        ("Commits per day from July 3 to July 7, plain numbers are enough",
         "commits per day from July 3 to July 7"),
        ("changes of sunday the 5th", "changes of the 5th"),
        ("7月2到7月5之间的改动", "7月2日到7月5日之间的改动"),
        ("what made you grade #12 like that", "why was #12 graded like that"),
        ("#12 - is it part of any tagged version yet?", "in which release is #12"),
        ("the src/a.json hunk of #12", "diff of src/a.json in #12"),
        ("Ada Lovelace - what of hers got in during July?", "what got in by Ada Lovelace in July"),
        ("wots bin don on the scheduler in july", "what's been done on the scheduler in July"),
        ("lamp discovery -- summarize what happened since July",
         "summarize what happened in lamp discovery since July"),
        ("summarize what happened from July on", "summarize what happened since July"),
        ("fixes in July for my team's newsletter", "fixes in July"),
        ("8月3号到5号三天的改动", "8月3号到5号的改动"),
        ("8月3、4这两天的改动", "8月3日到8月4日的改动"),
        ("if i leave out lamp.max-size, what do i get?", "default of lamp.max-size"),
        ("heyyy any newz in July plss", "any news in July"),
        ("does LAMP_PORT do anything these days", "what about LAMP_PORT"),
        ("the lamp label (#12): can I use it with 3.14.0 or do I wait?", "is #12 in 3.14.0"),
        ("the two people with most work in July", "top 2 authors in July"),
        ("7月 lamp 那块 Harry 他们做了什么", "7月 Harry 做了什么 lamp"),
        ("what made it into main on Saturday Aug 8? just a plain list", "digest of Aug 8"),
        ("I'm presenting the lamp on wednesday. all commits about it from July 1 up to July 5",
         "commits about the lamp from July 1 to July 5"),
        ("My boss wants the biggest changes since August 10", "biggest changes since August 10"),
        ("what is new in the lamp compared to mid July", "what is new in the lamp since mid July"),
        ("commits by Ada Lovelace, August to date", "commits by Ada Lovelace in August"),
        ("Ada Lovelace 七月16号到月底提交了哪些", "Ada Lovelace 七月16号到31号提交了哪些"),
        ("changes below docs/ from july 3 till july 9", "changes in docs/ from july 3 to july 9"),
        ("fixes of the lamp since the first of July", "fixes of the lamp since July 1"),
        ("解析器（resolver）七月有哪些优化", "resolver 七月有哪些优化"),
        ("we build lamps... did anybody repair them in July?", "any fixes of lamps in July"),
        ("#12 - how did you come to that level?", "why is #12 graded like that"),
        ("names of LAMP_* variables introduced in July", "new env variables in July"),
    ],
)  # fmt: skip
def test_what_people_say_around_a_question_changes_nothing_of_it(question, same):
    def meant(text: str) -> object:
        intent = parse(text, NOW, ZONE)
        if isinstance(intent, Changed):
            # A full name is recognised as an author's by the archive, which is asked later.
            return intent.window, intent.kinds, intent.topic + intent.author, intent.things
        return intent

    assert meant(question) == meant(same)


@pytest.mark.parametrize(
    ("question", "loose"),
    [
        ("Need a gala summary covering July", True),
        ("gala overview for last week", True),
        ("what changed in gala last week", False),
        ("gala changes last week", False),
        ("did anyone touch gala last week", False),
        ("summary of Gala for last week", False),
        ("gala summary", False),  # without a period the topic is all that is said
        ("summary of v1.2 and of July", False),
    ],
)
def test_topic_that_only_its_words_suggest_is_known_as_such(question, loose):
    intent = parse(question, NOW, ZONE)
    assert getattr(intent, "loose", False) is loose


@pytest.mark.parametrize("text", ["square root of 1764?", "turn off the staging nodes tonight"])
def test_sums_and_orders_are_no_questions_about_changes(text):
    assert isinstance(parse(text, NOW, ZONE), Unknown)


def test_words_alone_that_the_index_knows_name_no_period():
    known = Background(words=frozenset({"relay", "cache"}))
    intent = read("relay cache?", NOW, ZONE, known).intent
    assert isinstance(intent, Changed)
    assert intent.anytime


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("what changed in the search API this week", "search API"),
        ("what broke in the search page", "search page"),
        ("fixes of search in July", "search"),
    ],
)
def test_search_is_a_topic_where_a_question_asks_about_one(question, topic):
    intent = parse(question, NOW, ZONE)
    assert isinstance(intent, Changed)
    assert intent.topic == topic


@pytest.mark.parametrize("question", ["search the loader", "do a search for the loader"])
def test_search_is_a_search_where_it_is_asked_for(question):
    assert isinstance(parse(question, NOW, ZONE), Search)


@pytest.mark.parametrize(
    ("question", "topic"),
    [
        ("what's happening with engine check this month", "check"),
        ("anything new in engine list since June", "list"),
        ("engine check the changes of this week", ""),
    ],
)
def test_command_behind_the_name_of_the_repository_is_a_topic(question, topic):
    told = read(question, NOW, ZONE, Background(own=frozenset({"engine"}))).intent
    assert told.topic.removeprefix("engine ") == topic


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("2 in Chinese", Nth(place=2)),
        ("第2个，用英文", Nth(place=2)),
        ("no, I meant the router, in Chinese", Again(topic="router")),
    ],
)
def test_the_language_of_an_answer_is_no_part_of_what_is_asked(question, meant):
    assert read(question, NOW, ZONE, Background(follows="list")).intent == meant
