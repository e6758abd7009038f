import pytest

from bot.llm.exchange import speaks
from digest.core.enums import Language

ENGLISH = "The default of the flag is changed, and callers that relied on the old one must set it."
CHINESE = "该提交修改了调度器的默认参数，并修复了前缀缓存失效的问题，调用方需要显式设置。"
MIXED = "该提交为 `FusedMoE` 增加了 FP8 支持，修改了 Triton kernel 的默认 block size，修复了 MoE 路由错误。"
JAPANESE = "このコミットはスケジューラのデフォルトを変更し、キャッシュのバグを修正します。"
RUSSIAN = "Этот коммит меняет значение по умолчанию и исправляет ошибку в кэше планировщика."


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        (ENGLISH, Language.EN, True),
        (ENGLISH, Language.ZH, False),
        (CHINESE, Language.ZH, True),
        (CHINESE, Language.EN, False),
        (MIXED, Language.ZH, True),
        (MIXED, Language.EN, False),
        (f"{ENGLISH} The commit says “修复缓存”.", Language.EN, True),
        (JAPANESE, Language.ZH, False),
        (JAPANESE, Language.EN, False),
        (RUSSIAN, Language.EN, False),
        (RUSSIAN, Language.ZH, False),
    ],
)
def test_speaks(text, language, expected):
    assert speaks({"summary": [text], "level": "high"}, language) is expected


@pytest.mark.parametrize("language", Language)
@pytest.mark.parametrize(
    "value",
    [
        "",
        {"level": "high", "paths": ["vllm/config.py", "vllm/v1/core/sched/scheduler.py"]},
        {"names": ["VLLM_USE_V1", "max_model_len", "FusedMoE", "enable-prefix-caching"] * 5},
        {"text": "`the default of the flag is changed and callers must set it`"},
        {"text": "see https://example.org/a/b and https://example.org/c/d"},
        {"text": "vllm/a.py vllm/b.py config.get_default model_executor.layers fp8_utils w8a8"},
        None,
        7,
    ],
)
def test_speaks_does_not_judge_names_and_code(value, language):
    assert speaks(value, language)
