"""What the files of a repository say of it is what git says, wherever they are believed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.git.git_process import Git
from bot.git.repository_layout import asked_layout, layout_of, plain_layout
from digest.errors import NotARepository
from tests.support.builders import RepositoryBuilder, environment


def git(*words: str) -> None:
    subprocess.run(["git", *words], check=True, capture_output=True, env=environment())


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    git("init", "--quiet", "--bare", "--template=", str(tmp_path / "bare.git"))
    return tmp_path / "bare.git"


def configured(folder: Path, text: str) -> None:
    with (folder / "config").open("a", encoding="utf-8") as file:
        file.write(text)


async def test_usual_repositories_are_known_without_git(tmp_path, monkeypatch) -> None:
    builder = RepositoryBuilder(tmp_path / "project")
    builder.commit("Begin", {"a.py": "1\n"})
    builder.git("remote", "add", "origin", "https://github.com/ada/engine.git")
    git("init", "--quiet", "--bare", "--object-format=sha256", str(tmp_path / "new.git"))
    url = f"file://{tmp_path / 'project'}"
    git("clone", "--quiet", "--bare", "--filter=blob:none", url, str(tmp_path / "part.git"))
    folders = [builder.path, tmp_path / "new.git", tmp_path / "part.git"]
    said = [await asked_layout(folder) for folder in folders]

    def no_child(*_: object) -> None:
        raise AssertionError("git was asked")

    monkeypatch.setattr(Git, "_start", no_child)
    assert [await layout_of(folder) for folder in folders] == said
    assert [one.object_format for one in said] == ["sha1", "sha256", "sha1"]
    assert said[0].remote == "https://github.com/ada/engine.git"


async def test_places_that_lead_elsewhere_are_left_to_git(tmp_path) -> None:
    builder = RepositoryBuilder(tmp_path / "project")
    builder.commit("Begin", {"a.py": "1\n"})
    (builder.path / "src").mkdir()
    builder.git("worktree", "add", "--quiet", "-b", "other", str(tmp_path / "beside"))
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / ".git").symlink_to(builder.path / ".git")
    (tmp_path / "filed").mkdir()
    (tmp_path / "filed" / ".git").write_text(f"gitdir: {builder.path}/.git\n")
    for name in ("beside", "linked", "filed", "project/src"):
        assert plain_layout(tmp_path / name) is None
        assert (await layout_of(tmp_path / name)).common_dir == builder.path / ".git"


async def test_a_folder_under_another_name_is_known_by_its_own(tmp_path, bare) -> None:
    (tmp_path / "link").symlink_to(bare)
    assert plain_layout(tmp_path / "link") == await asked_layout(tmp_path / "link")


@pytest.mark.parametrize("name", ["HEAD", "objects", "refs"])
async def test_what_lacks_a_part_is_no_repository(bare, name) -> None:
    (bare / name).rename(bare / f"no-{name}")
    with pytest.raises(NotARepository):
        await layout_of(bare)


@pytest.mark.parametrize(
    "text",
    [
        "[extensions]\n\tobjectFormat = sha256\n",
        "[core]\n\trepositoryFormatVersion = 2\n",
        "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tnobodyKnows = 1\n",
        "[core]\n\tbare = perhaps\n",
        "[core\n",
    ],
)
async def test_what_git_refuses_is_refused(bare, text) -> None:
    configured(bare, text)
    assert plain_layout(bare) is None
    with pytest.raises(NotARepository):
        await layout_of(bare)


NAMES = st.sampled_from(["remote", "Remote", "REMOTE", "branch", "remote.origin", "include"])
SUBSECTIONS = st.sampled_from(["", ' "origin"', ' "Origin"', ' "a.b"', ' "a\\"b"', ' ""', '  "b"'])
KEYS = st.sampled_from(["url", "URL", "pushurl", "fetch", "u-rl", "1url", "path"])
VALUES = st.sampled_from(
    [
        "https://github.com/ada/engine", "git@github.com:ada/engine.git", '"https://a.example/b"',
        "a # b", "a ; b", "a\\\n b", "a\\tb", "a  b ", "a\tb", "", "é", "+refs/*:refs/*", "a\rb",
    ]
)  # fmt: skip
LINES = st.one_of(
    st.builds("[{}{}]".format, NAMES, SUBSECTIONS),
    st.builds("\t{} = {}".format, KEYS, VALUES),
    st.builds("{}={}".format, KEYS, VALUES),
    st.builds("[{}{}] url = {}".format, NAMES, SUBSECTIONS, VALUES),
    st.sampled_from(["# [remote]", "; url = x", "url", "", "  ", "\r", "\ufeff"]),
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(LINES, max_size=6))
async def test_settings_are_read_as_git_reads_them(bare, lines) -> None:
    usual = "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n"
    (bare / "config").write_bytes((usual + "\n".join(lines)).encode())
    plain = plain_layout(bare)
    if plain is not None:
        assert plain == await asked_layout(bare)
