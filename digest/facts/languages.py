"""The language of a file, from its name alone. Imports nothing of ours."""

from __future__ import annotations

from functools import lru_cache

_CACHE = 16_384  # paths, as in ``areas``

# ``.h`` is read as C++: the grammar of C++ takes C headers, not the other way round.
_ENDINGS: dict[str, str] = {
    ending: language
    for language, endings in {
        "python": "py pyi pyx pxd",
        "rust": "rs",
        "go": "go",
        "javascript": "js jsx mjs cjs",
        "typescript": "ts tsx mts cts",
        "java": "java",
        "kotlin": "kt kts",
        "scala": "scala sbt",
        "groovy": "groovy gradle",
        "c": "c",
        "cpp": "cc cpp cxx c++ h hh hpp hxx h++ inl ipp tpp",
        "cuda": "cu cuh",
        "hip": "hip",
        "opencl": "cl",
        "metal": "metal",
        "objective-c": "m mm",
        "swift": "swift",
        "csharp": "cs",
        "fsharp": "fs fsi",
        "ruby": "rb rake gemspec",
        "php": "php",
        "perl": "pl pm",
        "lua": "lua",
        "r": "r",
        "julia": "jl",
        "dart": "dart",
        "elixir": "ex exs",
        "erlang": "erl hrl",
        "haskell": "hs",
        "ocaml": "ml mli",
        "clojure": "clj cljs cljc",
        "zig": "zig",
        "nim": "nim",
        "assembly": "s asm",
        "fortran": "f f90 f95",
        "shell": "sh bash zsh fish ksh",
        "powershell": "ps1 psm1",
        "batch": "bat cmd",
        "sql": "sql",
        "protobuf": "proto",
        "thrift": "thrift",
        "avro": "avsc avdl",
        "graphql": "graphql gql graphqls",
        "html": "html htm xhtml jinja jinja2 j2",
        "css": "css scss sass less",
        "vue": "vue",
        "svelte": "svelte",
        "json": "json jsonc json5 jsonl",
        "yaml": "yaml yml",
        "toml": "toml",
        "xml": "xml xsd",
        "ini": "ini cfg properties",
        "cmake": "cmake",
        "make": "mk mak",
        "starlark": "bzl bazel star",
        "nix": "nix",
        "terraform": "tf tfvars hcl",
        "markdown": "md mdx markdown mkd",
        "restructuredtext": "rst",
        "asciidoc": "adoc asciidoc",
        "notebook": "ipynb",
        "text": "txt",
    }.items()
    for ending in endings.split()
}

_NAMES: dict[str, str] = {
    "cmakelists.txt": "cmake",
    "makefile": "make",
    "gnumakefile": "make",
    "dockerfile": "dockerfile",
    "containerfile": "dockerfile",
    "jenkinsfile": "groovy",
    "rakefile": "ruby",
    "gemfile": "ruby",
    "build": "starlark",
    "workspace": "starlark",
    "justfile": "make",
    "go.mod": "go-module",
    "go.work": "go-module",
}


def endings_of(language: str) -> tuple[str, ...]:
    """The endings of file names that mean a language, without the dot."""
    return tuple(ending for ending, of in _ENDINGS.items() if of == language)


@lru_cache(maxsize=_CACHE)
def language_of(path: str) -> str:
    """A lower-case name such as ``python``, or empty where the name says nothing."""
    name = path.rpartition("/")[2].lower()
    if (language := _NAMES.get(name)) is not None:
        return language
    stem, dot, ending = name.rpartition(".")
    if name.startswith(("dockerfile", "containerfile")) or ending == "dockerfile":
        return "dockerfile"
    return _ENDINGS.get(ending, "") if dot and stem else ""
