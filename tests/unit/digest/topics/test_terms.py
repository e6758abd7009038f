import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.topics.terms import is_misspelt, joins, pieces, singular, stem, term


@pytest.mark.parametrize(
    "names",
    [
        ("MoE", "moe", "MOE", "MoEs"),
        ("FusedMoE", "fused_moe", "fused-moe", "fused moe", "FUSED_MOE", "fusedmoe", "FusedMoEs"),
        ("kv-cache", "kv cache", "kv_cache", "KVCache", "kvcache", "KV caches", "KV_CACHE"),
        ("LoRA", "lora", "LoRAs", "LORA"),
        ("API", "api", "APIs", "apis"),
        ("torch.compile", "torch_compile", "TorchCompile"),
        ("DeepSeek-V3", "deepseek v3", "DeepSeekV3"),
        ("query", "queries", "Queries"),
        ("index", "indices", "indexes"),
        ("batch", "batches"),
        ("HTTPServer", "http_server", "http servers"),
    ],
)
def test_term_is_the_same_for_every_spelling(names):
    assert len({term(name) for name in names}) == 1


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("FusedMoEConfig", ("fused", "moe", "config")),
        ("LoRARequest", ("lora", "request")),
        ("DeepSpeedFp8", ("deepspeed", "fp8")),
        ("decode_speed", ("decode", "speed")),
        ("MyAPI", ("my", "api")),
        ("CUDAGraphs", ("cuda", "graph")),
        ("W4A16", ("w4", "a16")),
        ("gpt-oss-20b", ("gpt", "oss", "20b")),
        ("--max-num-seqs", ("max", "num", "seq")),
        ("量化MoE", ("量化", "moe")),
        ("", ()),
        ("...", ()),
    ],
)
def test_pieces_are_cut_at_capitals_and_signs(name, expected):
    assert pieces(name) == expected


@pytest.mark.parametrize(
    "word", ["class", "status", "analysis", "bias", "pandas", "gas", "bus", "macos", "kubernetes"]
)
def test_singular_leaves_alone_what_is_no_plural(word):
    assert singular(word) == word


@given(st.text(max_size=60))
def test_term_of_a_term_is_itself_in_letters_and_digits(text):
    assert all(c.isalnum() for c in term(text))
    assert term(text.upper()) == term(text.upper().lower().upper())


def test_joins_are_neighbours_only():
    assert list(joins(("a", "b", "c"), 3)) == ["ab", "bc", "abc"]


@pytest.mark.parametrize(
    ("piece", "bare"), [("qwen3", "qwen"), ("fp8", ""), ("llama", ""), ("2024", ""), ("v1", "")]
)
def test_stem_is_a_name_without_its_version(piece, bare):
    assert stem(piece) == bare


WORDS = st.text("abc", min_size=5, max_size=7)


def distance(left: str, right: str) -> int:
    """The optimal string alignment distance by its definition."""
    if not left or not right:
        return len(left) + len(right)
    found = [
        distance(left[1:], right) + 1,
        distance(left, right[1:]) + 1,
        distance(left[1:], right[1:]) + (left[0] != right[0]),
    ]
    if len(left) > 1 and left[:2] == right[1::-1]:
        found.append(distance(left[2:], right[2:]) + 1)
    return min(found)


@given(WORDS, WORDS)
def test_a_misspelling_has_the_first_letter_and_one_mistake(left: str, right: str) -> None:
    near = left[0] == right[0] and distance(left, right) <= 1
    assert is_misspelt(left, right) == near


def test_a_long_misspelling_may_have_two_mistakes_and_a_short_word_none() -> None:
    assert is_misspelt("dependncis", "dependencies")
    assert is_misspelt("shedular", "scheduler")
    assert not is_misspelt("schdulr", "scheduler")
    assert not is_misspelt("defau", "defaults")
    assert not is_misspelt("head", "heap")


def test_a_number_is_no_misspelling_of_another() -> None:
    assert not is_misspelt("mi355", "mi325")
    assert is_misspelt("schedular2", "scheduler2")
