"""What manifests require, read once for all questions about a tip."""

from __future__ import annotations

from handlers.ports.storage import Tip
from handlers.questions.requirements import find_requirements, pinned_now, raised
from tests.support.fakes import FakeSource, context

TIP = Tip(branch="main", sha="a" * 40)
NEXT = Tip(branch="main", sha="b" * 40)
TREES = {
    (TIP.sha, "requirements.txt"): "torch==2.1\nnumpy\n",
    (TIP.sha, "uv.lock"): '[[package]]\nname = "hf-xet"\nversion = "1.2"\n',
    (NEXT.sha, "requirements.txt"): "torch==2.2\n",
}


def read(source: FakeSource) -> list[tuple[str, ...]]:
    """The paths of the files that were read, by call."""
    calls = [call[1] for call in source.calls if call[0] == "contents"]
    return [tuple(path for _, path in places) for places in calls]


async def versions(name: str, source: FakeSource, tip: Tip) -> list[tuple[str, str]]:
    found = await find_requirements(name, context(source=source), tip)
    return [(one.name, one.version) for one in found]


async def test_manifests_are_read_once_for_a_tip():
    source = FakeSource(trees=TREES)
    assert await versions("torch", source, TIP) == [("torch", "2.1")]
    assert await versions("numpy", source, TIP) == [("numpy", "")]
    assert await versions("jax", source, TIP) == []
    assert read(source) == [("requirements.txt",)]
    assert await versions("torch", source, NEXT) == [("torch", "2.2")]
    assert await versions("torch", FakeSource(trees=TREES), TIP) == [("torch", "2.1")]


async def test_lock_files_are_read_for_names_that_only_packages_have():
    source = FakeSource(trees=TREES)
    assert await versions("hf-xet", source, TIP) == [("hf-xet", "1.2")]
    assert read(source) == [("requirements.txt",), ("uv.lock",)]


async def test_manifests_that_could_not_all_be_fetched_are_read_again():
    source = FakeSource(trees=TREES)
    whole = source.contents
    source.contents = lambda places: whole([])
    assert await versions("torch", source, TIP) == []
    source.contents = whole
    assert await versions("torch", source, TIP) == [("torch", "2.1")]


async def test_the_last_words_of_a_module_name_it():
    trees = {(TIP.sha, "go.mod"): "module m\nrequire (\n\tgithub.com/acme/lamp/api v1.3.7\n)\n"}
    for name in ("acme lamp api", "lamp api", "github.com/acme/lamp/api"):
        found = await versions(name, FakeSource(trees=trees), TIP)
        assert found == [("github.com/acme/lamp/api", "v1.3.7")]
    assert await versions("lamp store", FakeSource(trees=trees), TIP) == []


async def test_of_files_of_the_same_depth_the_version_that_most_of_them_require_comes_first():
    named = {"build.txt": "2.1+cpu", "cuda.txt": "2.1", "xpu.txt": "2.1"}
    trees = {(TIP.sha, f"requirements/{path}"): f"torch=={v}\n" for path, v in named.items()}
    source = FakeSource(trees=trees)
    assert await versions("torch", source, TIP) == [("torch", v) for v in ("2.1", "2.1", "2.1+cpu")]
    source = FakeSource(trees=trees | {(TIP.sha, "requirements.txt"): "torch>=2.0\n"})
    assert (await versions("torch", source, TIP))[0] == ("torch", ">=2.0")


async def test_the_version_in_use_is_told_where_a_requirement_allows_several():
    trees = {
        (TIP.sha, "requirements/common.txt"): "lamp >= 2.1\nshade==1.4\n",
        (TIP.sha, "requirements/tests/gpu.txt"): "lamp==2.6.1\nshade==1.4\nlamp-post==9\n",
        (TIP.sha, "tests/fixture/uv.lock"): '[[package]]\nname = "lamp"\nversion = "8"\n',
        (TIP.sha, "Cargo.toml"): '[dependencies]\nwick = "1.0"\n',
        (TIP.sha, "Cargo.lock"): '[[package]]\nname = "wick"\nversion = "1.0.7"\n',
    }
    source = FakeSource(trees=trees)
    for name, used in (("lamp", ["2.6.1"]), ("shade", []), ("wick", ["1.0.7"])):
        (needed,) = await find_requirements(name, context(source=source), TIP)
        pinned = await pinned_now(needed, context(source=source), TIP)
        assert [one.version for one in pinned] == used


async def test_a_variable_in_capitals_is_a_requirement_only_by_its_own_name():
    trees = {
        (TIP.sha, "docker/Dockerfile"): 'ARG LAMP_BRANCH="v0.1.19"\n',
        (TIP.sha, "requirements.txt"): "lamp-port==2.1\n",
    }
    source = FakeSource(trees=trees)
    assert await versions("LAMP_BRANCH", source, TIP) == [("LAMP_BRANCH", "v0.1.19")]
    assert await versions("LAMP_PORT", source, TIP) == []


async def test_requirement_that_is_no_version_is_soon_passed_over():
    path = "Cargo.toml"
    trees = {(TIP.sha, path): f'[dependencies]\ntorch = "{"=" * 60}x"\n'}
    ctx = context(source=FakeSource(trees=trees))
    (needed,) = await find_requirements("torch", ctx, TIP)
    assert needed.version.startswith("===")
    assert await raised(needed, "2.1", ctx, TIP) == ("", "")
