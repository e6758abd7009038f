import pytest
from hypothesis import given
from hypothesis import strategies as st

from digest.core.change import FileStatus
from digest.core.facts import Area, FileFacts
from digest.facts.languages import language_of
from digest.facts.paths import area_of, is_script, of_tools, pins_only, removed_programs

AREAS = {
    Area.CORE: [
        "src/pkg/engine.py",
        "pkg/sample/sampler.py",
        "crates/core/src/lib.rs",
        "cmd/server/main.go",
        "src/main/java/org/example/App.java",
        "packages/ui/src/button.tsx",
        "src/kernels/attention.cu",
        "docker/api/client.py",
        "pkg/latest.py",
        "src/contest.py",
        "lib/inspector.rb",
        "proto/service.proto",
    ],
    Area.TESTS: [
        "tests/test_engine.py",
        "pkg/test_engine.py",
        "pkg/engine_test.go",
        "promql/fuzz.go",
        "src/test/java/org/example/AppTest.java",
        "velocity/fuzzer/EncodingFuzzerTest.cpp",
        "src/main/java/org/example/AppTests.java",
        "test-common/src/main/java/org/example/Cluster.java",
        "ui/src/__tests__/button.tsx",
        "ui/src/button.spec.ts",
        "crates/core/tests/it.rs",
        "testing/conftest.py",
        "conftest.py",
        "tests/benchmarks/run.py",
        "spec/models/user_spec.rb",
        "tests/requirements.txt",
        "pytest.ini",
    ],
    Area.DOCS: [
        "README.md",
        "README",
        "LICENSE",
        "CHANGELOG.rst",
        "docs/conf.py",
        "docs/requirements.txt",
        "pkg/worker/README.md",
        "mkdocs.yml",
        "man/tool.1",
        ".github/CONTRIBUTING.md",
        ".readthedocs.yaml",
    ],
    Area.CI: [
        ".github/workflows/test.yml",
        ".github/actions/setup/action.yml",
        ".gitlab-ci.yml",
        ".buildkite/test_areas/models.yaml",
        ".buildkite/README.md",
        "Jenkinsfile",
        "azure-pipelines.yml",
        ".circleci/config.yml",
        "ci/build.sh",
        ".travis.yml",
        ".ci/run",
    ],
    Area.BUILD: [
        "CMakeLists.txt",
        "cmake/deps.cmake",
        "setup.py",
        "pyproject.toml",
        "Makefile",
        "Dockerfile",
        "docker/Dockerfile.rocm",
        "docker/entry.sh",
        "pkg/BUILD.bazel",
        "requirements/cuda.txt",
        "requirements/test/rocm.in",
        "requirements-dev.txt",
        "package.json",
        "crates/core/Cargo.toml",
        "build.rs",
        "go.mod",
        "pom.xml",
        "app/build.gradle.kts",
        "rust-toolchain.toml",
        ".python-version",
        "tools/release.py",
    ],
    Area.CONFIG: [
        "pkg/layers/configs/N=64,device=H100.json",
        ".pre-commit-config.yaml",
        ".gitignore",
        ".editorconfig",
        ".clang-format",
        ".github/CODEOWNERS",
        ".github/dependabot.yml",
        ".github/ISSUE_TEMPLATE/bug.md",
        "mypy.ini",
        "rustfmt.toml",
        ".vscode/settings.json",
        ".eslintrc.json",
    ],
    Area.EXAMPLES: [
        "examples/chat.py",
        "examples/web/package.json",
        "examples/README.md",
        "notebooks/intro.ipynb",
        "intro.ipynb",
        "demo/app.js",
    ],
    Area.BENCHMARKS: [
        "benchmarks/serving.py",
        "benches/spawn.rs",
        "pkg/benchmark_latency.py",
        "src/bench/main.rs",
    ],
    Area.GENERATED: [
        "promql/parser/generated_parser.y.go",
        "pkg/service_pb2.py",
        "pkg/service_pb2_grpc.py",
        "api/service.pb.go",
        "web/app.min.js",
        "web/dist/app.js",
        "ui/src/__snapshots__/button.tsx.snap",
        "src/generated/client.ts",
        "api/zz_generated.deepcopy.go",
    ],
    Area.VENDORED: [
        "vendor/github.com/x/y/z.go",
        "pkg/third_party/flash/__init__.py",
        "node_modules/x/index.js",
        "third_party/CMakeLists.txt",
        "vendor/x/tests/test_a.py",
    ],
    Area.LOCKFILE: [
        "package-lock.json",
        "web/yarn.lock",
        "pnpm-lock.yaml",
        "Cargo.lock",
        "go.sum",
        "poetry.lock",
        "uv.lock",
        "Gemfile.lock",
        "requirements.lock",
        "vendor/go.sum",
    ],
}


@pytest.mark.parametrize(("area", "path"), [(a, p) for a, paths in AREAS.items() for p in paths])
def test_area_of_path(area, path):
    assert area_of(path) is area


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "python"),
        ("a/b.pyi", "python"),
        ("lib.rs", "rust"),
        ("main.go", "go"),
        ("x.mjs", "javascript"),
        ("x.d.ts", "typescript"),
        ("x.tsx", "typescript"),
        ("A.java", "java"),
        ("x.c", "c"),
        ("x.h", "cpp"),
        ("k.cuh", "cuda"),
        ("Dockerfile.cpu", "dockerfile"),
        ("docker/app.dockerfile", "dockerfile"),
        ("CMakeLists.txt", "cmake"),
        ("go.mod", "go-module"),
        ("x.proto", "protobuf"),
        (".gitignore", ""),
        (".py", ""),
        ("README", ""),
        ("", ""),
    ],
)
def test_language_of_path(path, language):
    assert language_of(path) == language


@given(st.text(max_size=60))
def test_area_of_any_text_is_an_area(path):
    assert area_of(path) in Area
    assert language_of(path) == language_of(path).lower()


@given(st.sampled_from([p for paths in AREAS.values() for p in paths]))
def test_area_below_a_vendored_folder_is_vendored_or_a_lockfile(path):
    assert area_of(f"third_party/{path}") in {Area.VENDORED, Area.LOCKFILE}


@pytest.mark.parametrize(
    ("path", "script"),
    [
        ("scripts/build.py", True),
        ("crates/uv-dev/src/main.rs", True),
        ("xtask/src/main.rs", True),
        ("internal/tools/kit/main.go", True),
        ("agents/scripts/review.py", True),
        ("crates/device/src/main.rs", False),
        ("src/agents/scripts.py", False),
        ("convert_weights.py", True),
        ("engine.py", False),
    ],
)
def test_programs_of_developers_are_scripts(path, script):
    assert is_script(path) is script


def test_locks_of_javascript_alone_reach_no_user() -> None:
    assert pins_only(["pnpm-lock.yaml", "pnpm-workspace.yaml"])
    assert pins_only(["ui/yarn.lock"])
    assert not pins_only(["package.json", "package-lock.json"])
    assert not pins_only(["uv.lock"])
    assert not pins_only([])


def test_manifests_of_tools_and_examples_are_told_apart() -> None:
    assert of_tools(["web/promql/tools/go.mod", "web/promql/tools/go.sum"])
    assert of_tools(["examples/pool/package.json"])
    assert not of_tools(["go.mod", "internal/tools/go.mod"])
    assert not of_tools(["web/ui/package.json"])
    assert not of_tools(["tools/build.py"])
    assert not of_tools([])


def test_folder_whose_name_ends_with_example_holds_one() -> None:
    assert area_of("contrib/raftexample/main.go") is Area.EXAMPLES
    assert area_of("packages-private/pool-playground/src/App.vue") is Area.EXAMPLES


def test_parts_that_only_try_out_a_generator_are_tests() -> None:
    assert area_of("cmd/pool/internal/samplereceiver/config.go") is Area.TESTS
    assert area_of("regression-tests.api/pool.py") is Area.TESTS
    assert area_of("pkg/internal/sampler/sampler.go") is Area.CORE
    assert area_of("pkg/internal/samples/first.go") is Area.EXAMPLES


def test_program_is_removed_with_its_main_file_unless_it_is_elsewhere():
    gone, kept = FileStatus.DELETED, FileStatus.RENAMED
    files = [
        FileFacts(path=path, status=status, area=area_of(path))
        for path, status in (
            ("cmd/relay/main.go", gone),
            ("cmd/relay/flags.go", gone),
            ("cmd/pool/main.go", gone),
            ("app/cmd/pool/main.go", kept),
            ("src/bin/sift.rs", gone),
            ("vendor/a/cmd/gen/main.go", gone),
            ("cmd/keep/main.go", FileStatus.MODIFIED),
        )
    ]
    assert removed_programs(files) == ["relay", "sift"]
