"""Secrets found by the real library and by our rules, and masked wherever they stand."""

from __future__ import annotations

import random
import shutil
import string
from pathlib import Path

import pytest

from bot.llm.redaction import MASK, Secrets, rules_folder
from digest.core.change import printable
from digest.core.enums import Language, Privacy
from digest.llm.model_input import material
from tests.support import materials
from tests.support.materials import prompt_for
from tests.support.speed import within

LETTERS = string.ascii_letters + string.digits

UPPER = string.ascii_uppercase + "234567"


@pytest.fixture(scope="module")
def secrets(rules: Path) -> Secrets:
    return Secrets(rules)


def made(seed: int) -> dict[str, tuple[str, str]]:
    """Lines with a secret each, and the secret. Made anew, so that no file here holds one."""
    r = random.Random(seed)

    def some(n: int, of: str = LETTERS) -> str:
        return "".join(r.choice(of) for _ in range(n - 3)) + "aZ7"[: min(3, n)]

    digits = "".join(r.choice("123456789") for _ in range(12))
    secrets = {
        "aws id": ("key = '{}'", "AKIA" + "".join(r.choice(UPPER) for _ in range(16))),
        "aws secret": ("aws_secret_access_key = '{}'", some(40)),
        "github": ("token: {}", "gh" + "p_" + some(36)),
        "gitlab": ("GITLAB={}", "gl" + "pat-" + some(20)),
        "slack": ("SLACK = '{}'", f"xo{'xb'}-{digits}-{digits}-{some(24)}"),
        "openai": ("client = OpenAI(api_key='{}')", "sk-" + some(20) + "T3Blbk" + "FJ" + some(20)),
        "anthropic": ("{}", "sk-" + f"ant-api03-{some(93)}AA"),
        "hugging face": ("login('{}')", "hf" + "_" + some(34)),
        "stripe": ("stripe = '{}'", "sk" + "_live_" + some(24)),
        "google": ("maps({})", "AI" + "za" + some(35)),
        "npm": ("//registry/:_authToken={}", "np" + "m_" + some(36)),
        "telegram": ("bot = '{}'", f"{digits[:9]}:AA{some(33)}"),
        "jwt": (
            "{}",
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9" + f".eyJzdWIiOiIxMjM0NTY3ODkwIn0.{some(43)}",
        ),
        "url": ("url = 'postgres://app:{}@db.internal/x'", some(14)),
        "web url": ("url = 'https://ada:{}@example.org/x'", some(12)),
        "password": ('password = "{}"', some(14)),
        "human password": ("DB_PASSWORD = '{}'", "correct-horse-battery"),
        "typed": ('session_secret: str = "{}"', "correct-horse-battery"),
        "typed const": ("const apiKey: string | null = '{}';", some(12)),
        "typed let": ('let password: &\'static str = "{}";', some(12)),
        "typed var": ("var dbPassword string = `{}`", some(12)),
        "yaml password": ("  db_password: {}", some(12)),
        "json": ('  "client_secret": "{}",', some(24)),
        "header": ("Authorization: Bearer {}", some(40)),
        "azure": ("AccountKey={};Endpoint", some(86) + "=="),
    }
    return {name: (line.format(secret), secret) for name, (line, secret) in secrets.items()}


SERVICES = [
    "anthropic",
    "github",
    "google",
    "hugging face",
    "jwt",
    "openai",
    "slack",
    "stripe",
    "telegram",
]


@pytest.mark.parametrize("around", ["f({})", "x={}", "'{}'", "[{}]", "<{}>", "a {} b", "?k={}&x"])
@pytest.mark.parametrize("name", SERVICES)
def test_a_key_of_a_service_is_found_wherever_it_stands(secrets, name, around):
    _, secret = made(11)[name]
    assert secret in secrets.find(f"first\n{around.format(secret)}\nlast")


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", sorted(made(0)))
def test_a_secret_is_found(secrets, name, seed):
    line, secret = made(seed)[name]
    found = secrets.find(f"first\n{line}\nlast")
    assert any(secret in one or one in secret for one in found)


@pytest.mark.parametrize(
    "line",
    [
        "password = get_password()",
        "password: str | None = None",
        'api_key = os.environ["OPENAI_API_KEY"]',
        "api_key=self.api_key,",
        "token = tokenizer.encode(text)",
        "max_tokens = 4096",
        'API_KEY = "EMPTY"',
        'api_key="your-api-key"',
        "password: ${DB_PASSWORD}",
        "secret: SecretStr",
        "https://user@example.org/x",
        "https://example.org:8080/a@b",
        "commit 3f3f89529dc3fbaa5bf22c86d9f0833b49dc76ea",
        'digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"',
        "uuid = '123e4567-e89b-12d3-a456-426614174000'",
        "if password == '': raise",
        'password: str = ""',
        'secret: Secret = Secret("DB_SECRET")',
    ],
)
def test_what_is_no_secret_is_left(secrets, line):
    assert secrets.find(f"first\n{line}\nlast") == frozenset()


def test_secrets_are_masked_in_message_lines_facts_and_prompt(secrets):
    lines = made(7)
    old, new = lines["password"], lines["github"]
    change = materials.material(
        f"Rotate the key\n\nIt was {new[1]} before.",
        (
            "engine/settings.py",
            f"{old[0]}\n",
            f'parser.add_argument("--token", default="{new[1]}")\nx = 1\n',
        ),
    )
    found = material(change.change, change.graded, Privacy.FULL, secrets)
    text = prompt_for(found, Language.EN, materials.words, 100_000).user
    assert old[1] not in text
    assert new[1] not in text
    assert text.count(MASK) >= 3
    assert found.secrets == 2
    assert all(new[1] not in (item.after or "") for item in found.facts.items)
    assert new[1] in change.change.commit.message
    hunk, before = found.change.files[0].hunks[0], change.change.files[0].hunks[0]
    assert len(hunk.added) == len(before.added)
    assert "x = 1" in hunk.added


def test_a_key_block_is_masked_line_by_line_even_where_it_is_cut_off(secrets):
    r = random.Random(5)
    rows = ["".join(r.choice(LETTERS) for _ in range(64)) for _ in range(12)]
    head, foot = "-----BEGIN RSA PRIVATE" + " KEY-----", "-----END RSA PRIVATE" + " KEY-----"
    for block in ([head, *rows, foot], [head, *rows]):
        change = materials.material("Add a key", ("id_rsa", "", "\n".join(block) + "\n"))
        shown = secrets(change.change, change.facts)
        added = shown.change.files[0].hunks[0].added
        assert len(added) == len(block)
        assert not any(row in line for row in rows for line in added)
        assert shown.secrets >= 1


def test_a_change_without_secrets_is_the_same_one(secrets):
    pool = materials.pool()
    shown = secrets(pool.change, pool.facts)
    assert shown.change is pool.change
    assert shown.facts is pool.facts
    assert shown.secrets == 0


def test_odd_letters_do_not_shift_what_is_looked_at(secrets):
    text = "İ" * 500 + "\npassword = 'Tr0ub4dor-and-3'\n"
    assert secrets.find(text) == {"Tr0ub4dor-and-3"}


def test_a_long_line_is_looked_through_to_its_end(secrets):
    text = "{" + "'password': None, " * 3000 + "'password': 'Tr0ub4dor-and-3'}" + " " * 9000
    assert secrets.find(text) == {"Tr0ub4dor-and-3"}


@pytest.mark.parametrize(
    "piece",
    [
        "sk-",
        "eyJaaaaaaaaaaaa.",
        "password = ",
        "password='",
        "://a:",
        "M1",
        "-----BEGIN PRIVATE KEY-----\n",
    ],
)
def test_no_text_makes_it_slow(secrets, piece):
    secrets.load()
    assert within(2.0, lambda: secrets.find(piece * (200_000 // len(piece))))


def test_paths_and_odd_bytes_do_no_harm(secrets):
    change = materials.material("x\ud800 \x00", ("a\udcff.py", "", "\x00\ud800 = 1\n"))
    assert secrets(change.change, change.facts).secrets == 0
    assert printable(change.change.files[0].path) == "a\\xff.py"


def test_a_megabyte_is_looked_through_quickly(secrets):
    secrets.load()
    text = "\n".join(
        f"value_{n} = self.tokenizer.get_key({n}, token='t{n}')" for n in range(20_000)
    )
    assert within(0.9, lambda: secrets.find(text))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of compiled rules among a user's caches, not made yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache").mkdir(mode=0o700)
    return tmp_path / "cache" / "digestbot" / "secret-rules"


def test_rules_compiled_for_a_user_serve_a_new_data_folder(
    cache: Path, rules: Path, tmp_path: Path
) -> None:
    cache.parent.mkdir(mode=0o700)
    shutil.copytree(rules, cache)
    stored = sorted(cache.iterdir())
    Secrets(tmp_path / "data" / "secret-rules", shared=True).load()
    assert sorted(cache.iterdir()) == stored
    assert not (tmp_path / "data").exists()


def test_rules_of_a_data_folder_are_used_where_the_user_has_none(
    cache: Path, tmp_path: Path
) -> None:
    own = tmp_path / "secret-rules"
    assert rules_folder(own) == cache
    own.mkdir()
    (own / "rules.vscdb").touch()
    assert rules_folder(own) == own
    (cache / "rules.vscdb").touch()
    assert rules_folder(own) == cache


def test_folder_of_the_caches_of_a_new_user_is_made(cache: Path, tmp_path: Path) -> None:
    cache.parent.parent.rmdir()
    assert rules_folder(tmp_path / "secret-rules") == cache
    assert {path.stat().st_mode & 0o077 for path in (cache, cache.parent)} == {0}


def test_rules_are_not_stored_where_others_can_write(cache: Path, tmp_path: Path) -> None:
    assert rules_folder(tmp_path / "secret-rules") == cache
    cache.parent.chmod(0o770)
    assert rules_folder(tmp_path / "secret-rules") == tmp_path / "secret-rules"
