import pytest

from digest.core.change import Side
from digest.core.enums import ChangeKind, TopicPlace
from digest.core.facts import Action, Clue, ClueKind, Evidence
from digest.core.grade import Level
from digest.topics.index_terms import topics_of
from digest.topics.matching import (
    Resolved,
    bears,
    candidates,
    near_topics,
    resolve,
    restrict,
    things_named,
    topic_parts,
    topic_words,
)
from digest.topics.terms import term
from tests.support import samples
from tests.support.fakes import graded

CHANGES = [
    graded("1", "[MoE] Fuse the experts (#1)"),
    graded("2", "Quantize the kv cache to fp8 (#2)"),
    graded("3", "Speed up", {"src/scheduler.py": 9}),
    graded("4", "[Quantization] Fix a scale for MoE (#4)"),
    graded("5", "Describe the frontend", {"docs/frontend.md": 20}),
    graded("6", "[Kernel] Attention for Qwen3 (#6)"),
]
VOCABULARY = {t: 1 for c in CHANGES for t in topics_of(c)}


def found(topic, aliases=None):
    resolved = resolve(topic, VOCABULARY, aliases or {})
    return [c.sha[0] for c in CHANGES if bears(c, resolved)]


@pytest.mark.parametrize(
    ("topic", "shas"),
    [
        ("MoE", "14"),
        ("moe", "14"),
        ("mixture of experts", "14"),
        ("混合专家", "14"),
        ("quantization", "24"),
        ("quantized", "24"),
        ("量化", "24"),
        ("kv cache", "2"),
        ("KVCache", "2"),
        ("kv-caches", "2"),
        ("KV缓存", "2"),
        ("scheduler", "3"),
        ("调度器", "3"),
        ("scheduling", "3"),
        ("docs", "5"),
        ("文档", "5"),
        ("frontend docs", "5"),
        ("quantization in MoE", "4"),
        ("MoE 量化", "4"),
        ("MoE的量化", "4"),
        ("MoE quantization", "4"),
        ("scheduler and docs", "35"),
        ("调度器和文档", "35"),
        ("scheduler, attention", "36"),
        ("qwen", "6"),
        ("Qwen3", "6"),
        ("nothing known", ""),
        ("MoE unheard", ""),
        ("", ""),
        ("!!!", ""),
    ],
)
def test_resolve_finds_the_changes_that_are_about_a_topic(topic, shas):
    assert "".join(found(topic)) == shas


def test_resolve_reads_the_repositorys_own_names():
    aliases = {"brain": ("scheduler",), "大脑": ("scheduler", "MoE"), "experts team": ("moe",)}
    assert found("brain", aliases) == ["3"]
    assert found("大脑", aliases) == ["1", "3", "4"]
    assert found("Experts Team", aliases) == ["1", "4"]


@pytest.mark.parametrize(
    ("topic", "near"),
    [("quantizaton", "quantization"), ("schedular", "scheduler"), ("frontent", "frontend")],
)
def test_resolve_offers_near_topics_where_nothing_hits(topic, near):
    resolved = resolve(topic, VOCABULARY, {})
    assert not resolved.topics
    assert resolved.near[0] == near


def test_near_topics_of_something_foreign_are_none():
    assert near_topics("xylophone", VOCABULARY) == ()


@pytest.mark.parametrize(
    ("text", "known", "near"),
    [
        ("abc", "abcdefg", True),
        ("ab", "abcd", False),
        ("abcdefgh", "abcd", True),
        ("abcdefg", "abc", False),
        ("abcd", "abxcyd", True),
        ("abcd", "abxcydz", False),
        ("xytokens", "tokensab", False),
        ("kqbcdefgh", "xyzkbcdefgh", False),
        ("qkbcdefgh", "xykbcdefgh", True),
        ("pqkbcdefgh", "xykbcdefgh", False),
        ("tokenizer", "tokeniser", True),
        ("tokenizer", "tokeniser implementation", False),
    ],
)
def test_term_is_near_another_that_contains_it_or_is_written_alike(text, known, near):
    assert near_topics(text, {known: 1}) == ((known,) if near else ())


@pytest.mark.parametrize(
    "topic", ["MoE", "kv cache", "量化", "scheduler and docs", "frontend docs", "MoE的量化"]
)
def test_candidates_hold_every_term_that_resolve_uses(topic):
    wanted = candidates(topic, {})
    few = {t: n for t, n in VOCABULARY.items() if t in wanted}
    assert resolve(topic, few, {}) == resolve(topic, VOCABULARY, {})


def test_topics_of_a_resolved_one_are_borne_by_whatever_meets_it():
    for topic in ("MoE quantization", "scheduler and docs", "kv cache"):
        resolved = resolve(topic, VOCABULARY, {})
        for change in CHANGES:
            if bears(change, resolved):
                assert not topics_of(change).isdisjoint(resolved.topics)


def test_bears_tells_place_and_words():
    (why,) = bears(CHANGES[0], resolve("MoE", VOCABULARY, {}))
    assert (why.place, why.shown) == (TopicPlace.TAG, "[MoE]")
    (why,) = bears(CHANGES[2], resolve("scheduler", VOCABULARY, {}))
    assert (why.place, why.shown) == (TopicPlace.PATH, "src/scheduler.py")


@pytest.mark.parametrize(
    ("whole", "part"),
    [("hardware", "rocm"), ("硬件", "tpu"), ("multimodal", "vlm"), ("AMD ROCm", "hip")],
)
def test_who_asks_for_a_whole_means_its_parts_and_not_the_other_way_round(whole, part):
    vocabulary = {part: 3, "hardware": 1, "other": 1}
    assert part in resolve(whole, vocabulary, {}).topics
    assert "hardware" not in resolve(part, vocabulary, {}).topics


@pytest.mark.parametrize(("name", "other"), [("OpenGL", "gles"), ("DX12", "d3d12")])
def test_a_thing_is_found_by_another_of_its_names(name: str, other: str) -> None:
    for asked, known in ((name, other), (other, name)):
        assert resolve(asked, {term(known): 3, "other": 1}, {}).topics == (term(known),)


def test_two_words_are_found_apart_as_well_as_together():
    vocabulary = {"blockpool": 2, "block": 5, "pool": 7}
    alternatives = resolve("block pool", vocabulary, {}).alternatives
    assert alternatives == (
        (frozenset({"blockpool"}),),
        (frozenset({"block"}), frozenset({"pool"})),
    )


def test_breaking_changes_are_none_that_speak_of_what_is_incompatible():
    wanted = restrict(Resolved(), (ChangeKind.BREAKING,), "")
    titles = {
        "Drop hits for incompatible layouts": False,
        "Fix a prefix breaking the list": False,
        "feat!: drop the parser": True,
        "[Breaking] Move the parser": True,
        "breaking(parser): move it": True,
    }
    assert {t: bool(bears(graded("1", t), wanted)) for t in titles} == titles


NAMED = [
    graded("1", "[KV Offload] Evict in batches (#1)"),
    graded("2", "Count accepted tokens", {"src/spec_decode/metrics.py": 9}),
    graded("3", "Fix the shapes of EAGLE drafts (#3)"),
    graded("4", "[compile] Fix the time in logs (#4)"),
    graded("5", "Use the cache of weights (#5)"),
    graded("6", "discovery/aws: add a role (#6)"),
]


@pytest.mark.parametrize(
    ("topic", "shas"),
    [
        ("KV cache offloading", "1"),
        ("kv-offload", "1"),
        ("speculative decoding", "23"),
        ("spec decode", "23"),
        ("Eagle", "3"),
        ("torch.compile", "4"),
        ("AWS SD", "6"),
        ("offloading connector or eagle drafts", "3"),
        ("time in logs or eagle", "34"),
        ("weighted", "5"),
        ("service discovery", "6"),
    ],
)
def test_names_are_known_both_ways_and_by_their_parts(topic, shas):
    vocabulary = {t: 1 for c in NAMED for t in topics_of(c)}
    resolved = resolve(topic, vocabulary, {})
    assert [c.sha[0] for c in NAMED if bears(c, resolved)] == list(shas)
    assert set(resolved.topics) <= candidates(topic, {})


def test_a_name_of_three_words_is_known_by_its_initials():
    changes = [
        graded("1", "[Model Runner V2] Share a buffer (#1)"),
        graded("2", "[MRV2] Support audio (#2)"),
        graded("3", "[Model] Run a v2 kernel (#3)"),
    ]
    vocabulary = {t: 1 for c in changes for t in topics_of(c)}
    resolved = resolve("model runner v2", vocabulary, {})
    assert [c.sha[0] for c in changes if bears(c, resolved)] == ["1", "2"]
    assert set(resolved.topics) <= candidates("model runner v2", {})


def test_the_gloss_of_a_name_is_no_further_condition():
    changes = [graded("1", "[XPU] Fix a kernel (#1)"), graded("2", "[GPU] Fix a kernel (#2)")]
    vocabulary = {t: 1 for c in changes for t in topics_of(c)}
    resolved = resolve("Intel GPU XPU", {**vocabulary, "intel": 1}, {})
    assert [c.sha[0] for c in changes if bears(c, resolved)] == ["1"]


@pytest.mark.parametrize(
    ("asked", "known"),
    [("alerting", "notifier"), ("scraping", "scrape"), ("TLS", "cert"), ("超时", "timeout")],
)
def test_general_names_of_one_thing_find_each_other(asked, known):
    assert known in resolve(asked, {known: 3}, {}).topics


@pytest.mark.parametrize(
    ("topic", "parts"),
    [
        ("hang pipeline parallel", ["hang", "pipeline parallel"]),
        ("native histogram buckets", ["native", "histogram", "buckets"]),
        ("the kv cache", ["kv cache"]),
    ],
)
def test_parts_of_a_topic_are_words_and_names_of_several_words(topic, parts):
    assert topic_parts(topic) == parts


def registry(n: int, *keys: tuple[str, str, Side]):
    """A change to the tables of a registry: keys, tables and sides."""
    clues = tuple(
        Clue(
            kind=ClueKind.REGISTERED,
            name=key,
            text=table,
            evidence=Evidence(path="src/engine/registry.py", line=n, side=side),
        )
        for key, table, side in keys
    )
    return samples.change(n, f"Change {n}", Level.LOW, clues=clues)


def test_keys_of_a_registry_come_and_go_with_the_tables_of_the_topic():
    models, past = "_TEXT_MODELS", "_PREVIOUSLY_SUPPORTED_MODELS"
    came = registry(1, ("Glimmer", models, Side.NEW), ("Knife", "_TOOLS", Side.NEW))
    moved = registry(2, ("Ling", models, Side.OLD), ("Ling", "_VISION_MODELS", Side.NEW))
    gone = registry(3, ("Plamo", models, Side.OLD), ("Plamo", past, Side.NEW))
    changes = [came, moved, gone]
    assert things_named(changes, {"model"}, Action.ADDED) == ({came.sha: ["Glimmer"]}, True)
    assert things_named(changes, {"model"}, Action.REMOVED) == ({gone.sha: ["Plamo"]}, True)
    assert things_named(changes, {"tool"}, Action.REMOVED) == ({}, False)


def test_what_stands_between_known_names_in_chinese_is_kept_whole():
    assert topic_words("石头猫调度器的改动") == ["石头猫", "调度器", "改动"]
