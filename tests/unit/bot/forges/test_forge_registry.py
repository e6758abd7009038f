"""The sections of forges, and which forge a repository gets."""

from __future__ import annotations

import pytest

from bot.config.forge_section import ForgeConfig
from bot.config.reader import read
from bot.config.repository_section import RepositoryConfig
from bot.forges.forge_registry import Forges
from bot.forges.gitea import Gitea
from bot.forges.github import GitHub
from bot.forges.gitlab import GitLab
from bot.publishing.forge_sync import home_of
from bot.util.machine import SystemClock
from digest.core.grade import Repository
from digest.errors import InvalidConfig

SECRET = "a-secret-of-the-tests"


@pytest.fixture
def load(tmp_path):
    def load(text: str):
        file = tmp_path / "digestbot.toml"
        file.write_text(text, encoding="utf-8")
        file.chmod(0o600)
        return read(file)

    return load


@pytest.mark.parametrize(
    ("section", "kind", "host", "api"),
    [
        ("[forges.github]", "github", "github.com", "https://api.github.com"),
        (
            '[forges.x]\nkind = "github"\nhost = "GHE.example.org"',
            "github",
            "ghe.example.org",
            "https://ghe.example.org/api/v3",
        ),
        ("[forges.gitlab]", "gitlab", "gitlab.com", "https://gitlab.com/api/v4"),
        (
            '[forges.x]\nkind = "gitea"\nhost = "codeberg.org"',
            "gitea",
            "codeberg.org",
            "https://codeberg.org/api/v1",
        ),
        (
            '[forges.github]\napi = "http://127.0.0.1:8000/api/"',
            "github",
            "github.com",
            "http://127.0.0.1:8000/api",
        ),
    ],
)
def test_forge_has_the_address_of_its_software(load, section, kind, host, api):
    (forge,) = load(section).forges.values()
    assert (forge.kind, forge.host, forge.api) == (kind, host, api)


def test_secrets_come_from_files_and_the_environment_and_are_blotted_out(
    load, tmp_path, monkeypatch
):
    (tmp_path / "hook").write_text(SECRET)
    (tmp_path / "hook").chmod(0o600)
    monkeypatch.setenv("DIGESTBOT_GITHUB_TOKEN", "ghp_from-the-environment")
    config = load('[forges.github]\nwebhook_secret_file = "hook"')
    assert set(config.secrets()) == {SECRET, "ghp_from-the-environment"}
    assert SECRET not in repr(config)


def test_file_that_holds_a_token_and_can_be_read_by_others_is_warned_of(tmp_path):
    file = tmp_path / "digestbot.toml"
    file.write_text(f'[forges.github]\ntoken = "{SECRET}"')
    file.chmod(0o644)
    (warning,) = read(file).warnings
    assert "contains secrets" in warning


@pytest.mark.parametrize(
    ("section", "named"),
    [
        ("[forges.mine]", "forges.mine"),
        ('[forges.github]\nkind = "svn"', "kind"),
        ('[forges.github]\napi = "http://git.example.org/api"', "api"),
        ('[forges.github]\napi = "https://user:pass@git.example.org"', "api"),
        ('[forges.github]\napi = "file:///etc/passwd"', "api"),
        ('[forges.github]\nhost = "a/b"', "host"),
        ('[forges.github]\napp_id = "4711"', "app_key"),
        ('[forges.github]\napp_key = "x"', "app_id"),
        ('[forges.gitlab]\napp_id = "4711"\napp_key = "x"', "GitHub"),
        ('[forges.github]\napp_id = "1"\napp_key = "x"\ntoken = "y"', "keep one"),
        ("[forges.github]\ninstallation = 7", "installation"),
        ('[forges.github]\nwebhook_secret = "short"', "webhook_secret"),
        ('[forges.github]\ntokne = "x"', "tokne"),
    ],
)
def test_mistake_is_named_and_no_secret_told(load, section, named):
    with pytest.raises(InvalidConfig, match=named) as caught:
        load(section)
    assert "pass@" not in str(caught.value)


def repository(web: str, forge: str = "github") -> Repository:
    return Repository(name="octo/engine", web=web, forge=forge)


@pytest.mark.parametrize(
    ("web", "forge", "kind", "api"),
    [
        ("https://github.com/octo/engine", "github", GitHub, "https://api.github.com"),
        ("https://codeberg.org/octo/engine", "gitea", Gitea, "https://codeberg.org/api/v1"),
        ("https://gitlab.com/g/s/engine", "gitlab", GitLab, "https://gitlab.com/api/v4"),
        ("https://git.example.org:8443/octo/engine", "", GitHub, "https://own.example.org/api/v3"),
    ],
)
def test_forge_is_the_one_of_the_repositorys_host(web, forge, kind, api):
    own = ForgeConfig(
        kind="github",
        host="git.example.org:8443",
        api="https://own.example.org/api/v3",
        token=SECRET,
    )
    found = Forges({"own": own}, SystemClock()).of(repository(web, forge))
    assert isinstance(found, kind)
    assert found.wire.base == api
    assert found.eager == (forge == "")


@pytest.mark.parametrize(
    "web",
    [
        "",
        "https://github.com",
        "https://unknown.example.org/octo/engine",
        "http://github.com/octo/engine",
    ],
)
def test_repository_without_a_known_forge_has_none_to_ask(web):
    assert Forges({}, SystemClock()).of(repository(web)) is None


@pytest.mark.parametrize(
    ("settings", "home"),
    [
        ({"place": "https://github.com/Octo/Engine.git"}, ("github.com", "octo/engine")),
        ({"place": "git@gitlab.com:g/s/engine.git"}, ("gitlab.com", "g/s/engine")),
        (
            {"place": "/srv/engine", "web": "https://ghe.example.org/octo/engine"},
            ("ghe.example.org", "octo/engine"),
        ),
        ({"place": "/srv/engine"}, ("", "")),
    ],
)
def test_home_of_a_repository_is_its_host_and_path(settings, home):
    assert home_of(RepositoryConfig.model_validate(settings)) == home
