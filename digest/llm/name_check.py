"""Checks whether the names in a sentence are names of the change.

Between backticks a name must occur in the change letter for letter; outside of them an acronym or a
compound may be written in another case ("MoE" for ``fused_moe``).
"""

from __future__ import annotations

import re

from digest.llm.change_index import ChangeIndex, occurs
from digest.llm.format_check import Failed, Rejection
from digest.llm.tokens import Atom, Sort

# General technical terms that look like names but name nothing in particular.
GENERAL = frozenset(
    """
    ai api ascii auth ci cd cli cors cpu crud css csv cve dns dos e2e eof faq gb gpu gui
    html http https i18n id ide io ip ipc json jwt k8s kb l10n lan llm mb ml nan os oom pep
    pr prs ram rest rfc rpc sdk sql ssh ssl tcp tls toml ttl udp ui uri url utc utf utf8
    uuid ux vm xml yaml javascript typescript github gitlab macos pypi readme todo changelog
    docstring nodejs
    """.split()  # noqa: SIM905 - a list a word a line would take a page
)

# What a project is called in prose and in its code.
_ALIASES = {
    "pytorch": ("torch",),
    "javascript": ("js",),
    "typescript": ("ts",),
    "postgresql": ("postgres", "pg"),
    "kubernetes": ("k8s",),
    "huggingface": ("hf", "transformers"),
    "hf": ("huggingface",),
}

_WORD = re.compile(r"[^\W\u2e80-\u9fff]+")
_TOKEN = re.compile(r"\d+(?:\.\d+)+|[^\W\u2e80-\u9fff]+")
_ELLIPSIS = re.compile(r"\.{3}|…")
_CALL = re.compile(r"(.*?)\(\s*(?:\.{3}|…)?\s*\)")
_PATTERN = re.compile(r"(\w{3,})\*")
_FLAG = re.compile(r"--?[A-Za-z][\w.-]*")
_PATH = re.compile(r"(?:[\w@.+~-]*/[\w@.+~/*{},-]*|[\w.-]+\.\w{1,8})(?::\d+)?")
_DOTTED = re.compile(r"[A-Za-z_]\w*(?:(?:\.|::|->|#)~?[A-Za-z_]\w*)+")

# Endings that make a dotted name a file's: all its parts must be from the change.
_FILE = re.compile(
    r"[\w.-]+\.(?:py|pyi|rs|go|js|jsx|ts|tsx|mjs|md|rst|txt|json|ya?ml|toml|cfg|ini|sh|c|cc|cpp|cu|cuh"
    r"|h|hpp|java|kt|rb|html|css|lock|sql|proto|cmake|ipynb|csv|xml|svg|png|in|j2|jinja|conf|env)"
    r"(?::\d+)?",
    re.IGNORECASE,
)

_OWN = re.compile(r"^(?:self|cls|this|super\(\))(?:\.|->)|^[.*@&]+")
_QUOTES = "\"'`"
_SEVERAL = re.compile(r"[、，]")
_COMPARED = re.compile(r"[<>]|[=!]=|[\w\])]:[\w\[(]")
_KEBAB = re.compile(r"\w+(?:-\w+)+")
_BINDING = re.compile(r"[=<>:]|\bis\b|\bin\b|\d")


def check_name(atom: Atom, ground: ChangeIndex) -> Failed | None:
    """What is wrong with a name, if the change does not have it."""
    text = atom.text
    if atom.sort is Sort.WORD:
        return (
            None
            if _general(text) or _hump(text, ground)
            else Failed(fault=Rejection.NAME, about=text)
        )
    if atom.sort in {Sort.QUOTE, Sort.NUMBER}:
        return None
    if _stands(text, ground):
        return None
    return Failed(fault=_fault(text), about=text)


def _fault(text: str) -> Rejection:
    if text.startswith("-"):
        return Rejection.FLAG
    if _FILE.fullmatch(text) or ("/" in text and _PATH.fullmatch(text)):
        return Rejection.PATH
    return Rejection.NUMBER if text[:1].isdigit() else Rejection.NAME


def _general(word: str) -> bool:
    folded = word.casefold()
    return folded in GENERAL or (folded.endswith("s") and folded[:-1] in GENERAL)


def _hump(word: str, ground: ChangeIndex) -> bool:
    """Whether a word, or both of ``a/b``, is in the change or a part of a word, in any case."""
    if "/" in word:
        return _path(word, ground) or all(_hump(part, ground) for part in word.split("/"))
    folded = word.casefold()
    if word in ground.words:
        return True
    if ground.spelled.get(folded):
        return False  # the change spells it with other capitals
    forms = {folded, *_ALIASES.get(folded, ())}
    if (acronym := word.removesuffix("s")).isupper():
        forms.add(acronym.casefold())
    return bool(forms & ground.humps)


def _stands(text: str, ground: ChangeIndex) -> bool:
    """Whether the change contains a piece of code, as it is or composed of its parts."""
    text = text.strip()
    if ground.holds(text):
        return True
    if _SEVERAL.search(text):
        return all(_stands(part, ground) for part in _SEVERAL.split(text) if part.strip())
    inner = text.strip(_QUOTES)
    if inner != text:
        return bool(inner) and _stands(inner, ground)
    if match := _CALL.fullmatch(text):
        return _stands(match[1], ground)
    own = _OWN.sub("", text)
    if own and own != text:
        return _stands(own, ground)
    if text.startswith("-"):
        return _flag(text, ground)
    if match := _PATTERN.fullmatch(text):
        return any(word.startswith(match[1]) for word in ground.words)
    if _WORD.fullmatch(text):
        return text in ground.words
    if _PATH.fullmatch(text) and _path(text, ground):
        return True
    if _FILE.fullmatch(text) or ("/" in text and _PATH.fullmatch(text)) or _KEBAB.fullmatch(text):
        return False
    if _DOTTED.fullmatch(text):
        return _is_dotted_name(text, ground)
    return _together(text, ground)


def _flag(text: str, ground: ChangeIndex) -> bool:
    """``--flag value`` if the flag occurs with its value beside it."""
    match = _FLAG.match(text)
    if match is None or not ground.holds(match[0]):
        return False
    value = text[match.end() :].lstrip(" =").strip(_QUOTES)
    if not value:
        return True
    if value[:1] in "<[{" or value.isupper():  # a placeholder
        return True
    beside = (occurs(value, row) for row in ground.rows(match[0]))
    facts = (
        value in {item.before, item.after} for item in ground.facts.items if item.name == match[0]
    )
    return any(beside) or any(facts)


def _path(text: str, ground: ChangeIndex) -> bool:
    """A path of the change, its end, one of its folders, or a pattern that matches some of them."""
    text = re.sub(r":\d+$", "", text).removeprefix("./").strip("/")
    if "*" in text or "{" in text:
        stem = re.split(r"[*{]", text)[0].rstrip("/")
        return bool(stem) and _path(stem, ground)
    inside = f"/{text}/"
    return any(inside in f"/{path}/" for path in ground.paths)


def _is_dotted_name(text: str, ground: ChangeIndex) -> bool:
    """``Class.method`` or ``package.module``, from parts that occur in one file."""
    parts = [part.lstrip("~") for part in re.split(r"\.|::|->|#", text)]
    for cut in range(len(parts), 1, -1):
        # The first parts may be a path: vllm.core.scheduler.Scheduler.
        path = "/".join(parts[:cut])
        if _path(path, ground) or _module(path, ground):
            return all(part in ground.words for part in parts[cut:])
    if not all(part in ground.words for part in parts):
        return False
    if text.casefold() in ground.folded:
        return False  # the change writes it in another case
    files = [set(ground.files_with(part)) for part in parts]
    return bool(set.intersection(*files)) or ground.holds(text)


def _module(stem: str, ground: ChangeIndex) -> bool:
    """Whether a file of the change is the module of that path, whatever its ending."""
    inside = f"/{stem}."
    return any(inside in f"/{path}" for path in ground.paths)


def _together(text: str, ground: ChangeIndex) -> bool:
    """Whether the words of a piece of code occur together: on a line, or at least in a hunk."""
    # A binding of a value to a name (``limit = 8``) must be on one line, and a comparison must
    # occur as it is, apart from blanks.
    text = _ELLIPSIS.sub(" ", text)
    tokens = list(dict.fromkeys(_TOKEN.findall(text)))
    if not tokens:
        return False
    compared = "".join(text.split()) if _COMPARED.search(text) else ""
    for row in ground.rows(max(tokens, key=len)):
        if all(occurs(token, row) for token in tokens) and compared in "".join(row.split()):
            return True
    if compared or _BINDING.search(text):
        return False
    return any(all(occurs(token, stretch.text) for token in tokens) for stretch in ground.stretches)
