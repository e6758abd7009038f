import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from digest.core.profile import MOST, EntryKind, InvalidEntry, Profile, ProfileEntry, parse_entry
from digest.errors import UserError


@pytest.mark.parametrize(
    ("written", "kind", "name"),
    [
        ("--max-num-seqs", EntryKind.FLAG, "--max-num-seqs"),
        ("`--max-num-seqs`,", EntryKind.FLAG, "--max-num-seqs"),
        ("APP_PORT", EntryKind.VARIABLE, "APP_PORT"),
        ("src/server/", EntryKind.PATH, "src/server/"),
        ("src/**/*.py", EntryKind.PATH, "src/**/*.py"),
        ("*.toml", EntryKind.PATH, "*.toml"),
        ("setup.py", EntryKind.PATH, "setup.py"),
        ("app.engine.Engine", EntryKind.SYMBOL, "app.engine.Engine"),
        ("tokio::sync::Mutex", EntryKind.SYMBOL, "tokio::sync::Mutex"),
        ("load_model", EntryKind.SYMBOL, "load_model"),
        ("EngineArgs", EntryKind.SYMBOL, "EngineArgs"),
        ("step()", EntryKind.SYMBOL, "step()"),
        ("ROCm", EntryKind.TOPIC, "ROCm"),
        ("Qwen3", EntryKind.TOPIC, "Qwen3"),
        ("调度器", EntryKind.TOPIC, "调度器"),
        ("model:deepseek", EntryKind.TOPIC, "deepseek"),
        ("symbol:LLM", EntryKind.SYMBOL, "LLM"),
        ("env:PORT", EntryKind.VARIABLE, "PORT"),
        ("path:README", EntryKind.PATH, "README"),
        ("patch:src/a b.py", EntryKind.PATCH, "src/a b.py"),
    ],
)
def test_the_form_of_an_entry_tells_its_kind(written: str, kind: EntryKind, name: str) -> None:
    entry = parse_entry(written)
    assert entry == ProfileEntry(kind=kind, name=name)
    assert parse_entry(str(entry)) == entry


@pytest.mark.parametrize("written", ["", "  ", "--", "...", "../etc", "a\0b", "x" * 201, "flag:"])
def test_what_names_nothing_is_refused(written: str) -> None:
    with pytest.raises(InvalidEntry):
        parse_entry(written)


@given(st.text(max_size=30))
@example("0 '")
def test_any_word_is_an_entry_or_is_refused(written: str) -> None:
    try:
        entry = parse_entry(written)
    except InvalidEntry:
        return
    assert parse_entry(str(entry)) == entry


def test_a_profile_holds_each_entry_once_and_lets_go_of_names() -> None:
    flag, topic = parse_entry("--port"), parse_entry("rocm")
    profile = Profile().with_([flag, topic, flag])
    assert profile.entries == (flag, topic)
    assert profile.of(EntryKind.FLAG) == ("--port",)
    assert profile.without([parse_entry("symbol:ROCM")]).entries == (flag,)


def test_a_profile_does_not_grow_for_ever() -> None:
    with pytest.raises(UserError, match=str(MOST)):
        Profile().with_(parse_entry(f"--flag-{n}") for n in range(MOST + 1))
