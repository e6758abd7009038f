"""Two hundred made-up secrets of forty kinds, valid and not, and the words that stay."""

from __future__ import annotations

import random
import re
import string
from base64 import b64encode
from pathlib import Path

import pytest

from bot.llm.redaction import MASK, Secrets
from digest.core.enums import Privacy
from digest.core.facts import FactKind
from digest.facts import security
from digest.llm.model_input import material
from tests.support import materials

LETTERS = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def secrets(rules: Path) -> Secrets:
    return Secrets(rules)


def corpus(seed: int) -> dict[str, tuple[str, tuple[str, ...]]]:
    """A line for each kind, with what must not leave. None has a checksum that holds."""
    chance = random.Random(seed)

    def some(count: int, of: str = LETTERS) -> str:
        return "".join(chance.choice(of) for _ in range(count))

    def number(count: int) -> str:
        return some(count, "123456789")

    user, host = some(8, string.ascii_lowercase), f"db-{some(6, HEX)}.internal.corp"
    word = f"{some(5)}7{some(6)}q"
    kinds: dict[str, tuple[str, str]] = {
        "GitHub token": ("token: {}", "gh" + "p_" + some(36)),
        "GitHub app token": ("x = '{}'", "gh" + "s_" + some(36)),
        "GitHub refresh token": ("{}", "gh" + "r_" + some(36)),
        "GitHub fine token": ("GH={}", "github" + f"_pat_{some(22)}_{some(59)}"),
        "GitLab token": ("t = '{}'", "gl" + "pat-" + some(20)),
        "Slack bot": ("SLACK = '{}'", f"xo{'xb'}-{number(12)}-{number(12)}-{some(24)}"),
        "Slack user": ("{}", f"xo{'xp'}-{number(12)}-{number(12)}-{some(32, HEX)}"),
        "Slack hook": (
            "post to {}",
            f"https://hooks.slack.com/services/T{number(8)}/B{number(8)}/{some(24)}",
        ),
        "AWS id": ("id = {}", "AKIA" + some(16, string.ascii_uppercase + "234567")),
        "AWS secret": ("aws_secret_access_key={}", some(40)),
        "Google key": ("maps('{}')", "AI" + "za" + some(35)),
        "OpenAI key": ("OPENAI_API_KEY={}", "sk-" + "proj-" + some(48) + "4"),
        "Anthropic key": ("{}", "sk-" + f"ant-api03-{some(93)}4AA"),
        "Hugging Face": ("login('{}')", "hf" + "_" + some(34)),
        "Stripe": ("stripe = '{}'", "sk" + "_live_" + some(24)),
        "npm": ("//registry/:_authToken={}", "np" + "m_" + some(36)),
        "Telegram": ("bot('{}')", f"{number(9)}:AA{some(33)}"),
        "JWT": ("{}", f"eyJ{some(33)}.eyJ{some(40)}.{some(43)}"),
        "hex of 64 in a token": ("DEPLOY_TOKEN = '{}'", some(64, HEX)),
        "hex of 64 unquoted": ("DEPLOY_TOKEN={}", some(64, HEX)),
        "hex of 32 in a key": ('signing_key: "{}"', some(32, HEX)),
        "hex of 40 in a secret": ("  webhook-secret: {}", some(40, HEX)),
        "base64 in a key": ("ENCRYPTION_KEY = '{}'", b64encode(some(32).encode()).decode()),
        "token in JSON": ('  "token": "{}",', some(40)),
        "session token": ("session_token => '{}'", some(48)),
        "token of a default": ('add_argument("--x", default="1", token="{}")', some(36)),
        "password": ('password = "{}"', word),
        "password of words": ("DB_PASSWORD = '{}'", "correct-horse-" + some(6, HEX)),
        "password of several words": ('{{"password": "{}"}}', f"correct horse {some(6)} staple"),
        "passphrase": ("passphrase: '{}'", f"wet {some(5)} lamp under ice"),
        "password in YAML": ("  db_password: {}", word),
        "password of a command": ("mysql --password={} -u root", word),
        "client secret": ('  "client_secret": "{}",', some(24)),
        "bearer": ("Authorization: Bearer {}", some(40)),
        "basic": ("Authorization: Basic {}", b64encode(f"{user}:{word}".encode()).decode()),
        "Azure": ("AccountKey={};Endpoint", some(86) + "=="),
        "PostgreSQL": ("DATABASE_URL = 'postgresql://" + user + ":{}@" + host + "/x'", word),
        "Redis": ("redis://:{}@" + host + ":6379/0", word),
        "AMQP": ("broker: amqp://" + user + ":{}@" + host, word),
        "web address": ("url = 'https://ada:{}@example.org/x'", word),
        "Discord": ("run('{}')", f"M{some(22)}4.{some(6)}.{some(38)}"),
        "SendGrid": ("{}", f"SG.{some(22)}.{some(43)}"),
    }  # fmt: skip
    hosts = {"PostgreSQL", "Redis", "AMQP"}
    return {
        kind: (line.format(secret), (secret, host) if kind in hosts else (secret,))
        for kind, (line, secret) in kinds.items()
    }


@pytest.mark.parametrize("seed", range(5))
def test_secrets_do_not_leave(secrets, seed):
    leaked, lost = {}, {}
    for kind, (line, parts) in corpus(seed).items():
        added = f"x = 1\n{line}\ny = 2\n"
        change = materials.material(f"Add it\n\nAs in: {line}", ("a.py", "", added))
        shown = secrets(change.change, change.facts)
        lines = shown.change.files[0].hunks[0].added
        told = "\n".join([*lines, shown.change.commit.message])
        if seen := [part for part in parts if part in told]:
            leaked[kind] = seen
        if (lines[0], lines[2]) != ("x = 1", "y = 2"):
            lost[kind] = lines
    assert (leaked, lost) == ({}, {})


@pytest.mark.parametrize("kind", ["PostgreSQL", "Redis", "AMQP", "web address"])
def test_redacted_mode_hides_the_host_behind_a_password(secrets, kind):
    line, parts = corpus(1)[kind]
    host = re.search(r"@([\w.-]+)", line)[1]
    change = materials.material(f"Add it\n\nAs in: {line}", ("a.py", "", f"{line}\n"))
    shown = material(change.change, change.graded, Privacy.REDACTED, secrets)
    told = "\n".join([shown.change.commit.message, *shown.change.files[0].hunks[0].added])
    assert not [part for part in (*parts, host) if part in told]


def test_corpus_has_forty_kinds():
    assert len(corpus(0)) >= 40


@pytest.mark.parametrize("kind", corpus(0))
def test_what_facts_call_a_credential_is_masked(secrets, kind):
    line, _ = corpus(9)[kind]
    change = materials.material("Add it", ("core/a.py", "", f"{line}\n"))
    named = [f for f in change.facts.of(FactKind.SECURITY) if f.detail == "credential"]
    if named:
        assert secrets(change.change, change.facts).secrets
        assert set(security.credentials(line)) <= set(secrets.find(line))


def test_hardly_a_harmless_word_is_lost(secrets):
    sources = sorted((ROOT / "bot").rglob("*.py")) + sorted((ROOT / "docs").rglob("*.md"))
    words = lost = 0
    for file in sources:
        text = file.read_text()
        change = materials.material("Change it", ("a.py", "", text))
        shown = secrets(change.change, change.facts)
        words += len(text.split())
        lost += "\n".join(shown.change.files[0].hunks[0].added).count(MASK)
    assert words > 100_000
    assert lost <= words // 100


@pytest.mark.parametrize(
    "line",
    [
        "cache_key = 'model-weights-v2-shard-00001'",
        "tokenizer = 'meta-llama/Llama-3.1-8B-Instruct'",
        "primary_key: customer_id_2024_partition_a",
        'sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"',
        "DATABASE_URL = 'postgresql://localhost:5432/x'",
        "next_token = tokens[position + 1]",
        "key = 'engine.scheduler.max_num_batched_tokens'",
        'password: "Enter the new password"',
        "secret = 'Keep this to yourself.'",
        'PASSWORD = "of {user} on {host}"',
    ],
)
def test_harmless_line_stays(secrets, line):
    assert secrets.find(f"first\n{line}\nlast") == frozenset()
