from decimal import Decimal

import pytest
from pydantic import ValidationError

from bot.config.model_section import ModelConfig
from bot.util.section import SectionContext
from handlers.ports.model_port import OVERHEAD, Usage

KEY = "sk-test-3f9a1c77d2e84b06"


def read(tmp_path, environment=None, **table):
    reading = SectionContext(folder=tmp_path, environment=environment or {}, section="model")
    return ModelConfig.model_validate({"name": "m"} | table, context=reading), reading.warnings


def test_key_comes_from_the_environment(tmp_path):
    config, _ = read(tmp_path, {"DIGESTBOT_MODEL_KEY": KEY})
    assert config.key.get_secret_value() == KEY
    assert KEY not in repr(config) + str(config) + config.model_dump_json()


def test_key_comes_from_a_file(tmp_path):
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    file.chmod(0o600)
    config, warnings = read(tmp_path, key_file="key")
    assert config.key.get_secret_value() == KEY
    assert not warnings


def test_profile_says_what_a_question_may_take(tmp_path):
    config, _ = read(tmp_path, context=16_384, max_output=2_048, price={"currency": "CNY"})
    profile = config.profile
    assert (profile.name, profile.context, profile.max_output, profile.currency) == (
        "m",
        16_384,
        2_048,
        "CNY",
    )
    assert profile.room(1_000) == 16_384 - 1_000 - OVERHEAD
    assert profile.room(9_000) == 16_384 - 2_048 - OVERHEAD


def test_price_takes_cached_tokens_apart(tmp_path):
    config, _ = read(tmp_path, price={"input": "2", "cached": "0.5", "output": "8"})
    used = Usage(input_tokens=1_000_000, cached_tokens=400_000, output_tokens=100_000)
    assert config.price.cost(used) == Decimal("2.2")
    config, _ = read(tmp_path, price={"input": "2", "output": "8"})
    assert config.price.cost(used) == Decimal("2.8")
    config, _ = read(tmp_path, price={"output": "8"})
    assert config.price.cost(used) == Decimal("0.8")


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"name": ""}, "at least 1"),
        ({"base_url": "api.example.org/v1"}, "address of the server"),
        ({"base_url": f"https://u:{KEY}@example.org/v1"}, "must not contain a key"),
        ({"base_url": "https://example.org/v1?key=1"}, "without \\?"),
        ({"extra": {"messages": []}}, "messages is set by digestbot itself"),
        ({"context": 4096, "max_output": 4096}, "leaves less than half"),
        ({"concurrency": 0}, "greater than or equal to 1"),
        ({"price": {"input": -1}}, "greater than or equal to 0"),
        ({"price": {"currency": "dollars"}}, "pattern"),
        ({"temprature": 1}, "Extra inputs"),
        ({"instructions": "x" * 2_001}, "at most 2000"),
        ({"fallback": {}}, "Field required"),
        ({"fallback": {"name": "b", "caps": {}}}, "caps applies to both models"),
        ({"fallback": {"name": "b", "instructions": ""}}, "instructions applies to both"),
        ({"fallback": {"name": "b", "fallback": {"name": "c"}}}, "fallback applies to both"),
        ({"fallback": {"name": "b", "price": {"currency": "CNY"}}}, "in the same currency"),
    ],
)
def test_mistakes_are_named_and_show_no_key(tmp_path, table, said):
    with pytest.raises(ValidationError, match=said) as caught:
        read(tmp_path, {"DIGESTBOT_MODEL_KEY": KEY}, **table)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "warned"),
    [
        ("http://10.0.0.7:8000/v1", True),
        ("http://model.example.org/v1", True),
        ("https://model.example.org/v1", False),
        ("http://127.0.0.1:11434/v1", False),
        ("http://[::1]:8080/v1", False),
        ("http://localhost:8000/v1", False),
    ],
)
def test_key_in_the_clear_is_warned_of(tmp_path, url, warned):
    _, warnings = read(tmp_path, {"DIGESTBOT_MODEL_KEY": KEY}, base_url=url)
    assert bool(warnings) is warned
    _, warnings = read(tmp_path, base_url=url)
    assert not warnings


def test_fallback_has_a_key_of_its_own(tmp_path):
    second = {"name": "b", "base_url": "http://second.example.org/v1"}
    given = {"DIGESTBOT_MODEL_KEY": KEY}
    config, warnings = read(tmp_path, given, fallback=second)
    assert (config.fallback.key, warnings) == (None, [])
    given["DIGESTBOT_MODEL_FALLBACK_KEY"] = "sk-second-94c1"
    config, warnings = read(tmp_path, given, fallback=second, instructions="Be brief.")
    assert config.fallback.key.get_secret_value() == "sk-second-94c1"
    assert {KEY, "sk-second-94c1"} <= set(config.secrets())
    (warning,) = warnings
    assert warning.startswith("model.fallback.base_url = 'http://second.example.org/v1' sends")
    assert (config.reserve.name, config.reserve.instructions) == ("b", "Be brief.")


@pytest.mark.parametrize(
    ("key", "allowed", "refused"),
    [
        ("max_output", 64, 63),
        ("concurrency", 1, 0),
        ("concurrency", 256, 257),
        ("requests_per_minute", 1, 0),
        ("tokens_per_minute", 1, 0),
        ("digest_patience", 0.1, 0),
        ("timeout", 0.1, 0),
        ("connect_timeout", 0.1, 0),
        ("patience", 0.1, 0),
        ("temperature", 0, -0.1),
        ("temperature", 2, 2.1),
        ("price", {"input": 0, "cached": 0, "output": 0}, {"input": "-0.1"}),
        ("price", {}, {"cached": "-0.1"}),
        ("price", {}, {"output": "-0.1"}),
        ("caps", {"day": {"tokens": 0, "money": 0}}, {"day": {"tokens": -1}}),
        ("caps", {}, {"day": {"money": "-0.1"}}),
    ],
)
def test_numbers_are_allowed_up_to_their_bounds(tmp_path, key, allowed, refused):
    read(tmp_path, **{key: allowed})
    with pytest.raises(ValidationError, match=key):
        read(tmp_path, **{key: refused})


def test_smallest_context_holds_a_question_and_the_smallest_reply(tmp_path):
    read(tmp_path, context=2_048, max_output=64)
    with pytest.raises(ValidationError, match="context"):
        read(tmp_path, context=2_047, max_output=64)
