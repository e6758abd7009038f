"""Whether changed lines may touch a header or a field: a guess from the hunk alone.

Whole texts are expensive to read, so this limits the number of files that need them. A hunk names
the line at the left margin above it (git's ``section``). Together with the indentation, that
distinguishes parameters and fields from the arguments of calls in bodies.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from digest.core.change import Hunk
from digest.facts.languages import patterns, words
from digest.facts.side_text import indent_of

_DEFINITION = re.compile(r"[ \t]*(?:async[ \t]+)?(?:def|class)[ \t]+\w")
_END_OF_HEADER = re.compile(r"[ \t]*(?:\)|[^#]*[^#\s]\))[ \t]*(?:->[^#]*)?:[ \t]*(?:#.*)?$")
_STATEMENT = re.compile(
    r"[ \t]*(?:if|elif|else|for|while|with|try|except|return|async|match|case|assert)\b|.*lambda"
)
_TYPED = re.compile(r"[ \t]*\*{0,2}\w+[ \t]*:[ \t]*[^\s#=]")
_VALUED = re.compile(r"[ \t]*\w+[ \t]*=[ \t]*[^\s=]")
_EXPORTED = re.compile(r"  (?:type )?\w+(?: as \w+)?,")
_BARE = re.compile(r"[ \t]*\*{0,2}\w+[ \t]*,?[ \t]*$")


def may_declare(hunks: Iterable[Hunk], language: str) -> bool:
    """Whether some changed line could be, or be part of, a header or a field."""
    if language == "python":
        return any(_may(line, hunk.section) for hunk in hunks for line in hunk.lines)
    pattern, deeper = _DECLARES[language], _DEEPER.get(language)
    for hunk in hunks:
        if language == "rust" and _RUST_TESTS.match(hunk.section):
            continue
        inside = _INSIDE.get(language)
        shallow = not hunk.section or inside is None or not inside.match(hunk.section)
        if language == "typescript" and _lists_exports(hunk):
            return True
        for line in hunk.lines:
            if pattern.match(line) or (deeper and shallow and deeper.match(line)):
                return True
    return False


def _lists_exports(hunk: Hunk) -> bool:
    """Whether some line is a name in a list of exports that began above."""
    return (not hunk.section or hunk.section.startswith(("export {", "export type {"))) and any(
        map(_EXPORTED.fullmatch, hunk.lines)
    )


def _may(line: str, section: str) -> bool:
    if "def " in line or "class " in line:
        return _DEFINITION.match(line) is not None
    if ":" not in line and "=" not in line and "," not in line:
        return False
    if ":" in line and _END_OF_HEADER.match(line):
        return not _STATEMENT.match(line)
    indent = indent_of(line)
    if not indent:
        return False
    line = line.rstrip()
    in_class = section.startswith("class")
    # Arguments of calls in bodies are indented more than parameters and fields.
    shallow = indent <= (8 if in_class or not section else 4)
    if _TYPED.match(line):
        return line.endswith(",") or (shallow and (in_class or not section))
    if indent % 4 and indent > 8:  # aligned with an opening bracket
        return _VALUED.match(line) is not None
    return shallow and line.endswith(",") and bool(_VALUED.match(line) or _BARE.match(line))


# In languages with braces, header lines begin with certain words or list names with types. The
# patterns accept more than necessary; the tree decides.
_DECLARES = patterns("headers")

# Lines that may also belong to a header, unless the hunk is inside something that ``_INSIDE``
# begins.
_DEEPER = patterns("deeper")
_INSIDE = patterns("bodies")
_RUST_TESTS = re.compile(r"mod tests?\b")
_SETTINGS = words("setting_words")
_CALLS = frozenset({"go", "python"})

# A name as flags and metrics have it, among the arguments of a call that began on another line, or
# at the end of a line with a namespace.
NAMED_ALONE = re.compile(
    r"\"[a-z][a-z0-9]*[._:-][\w.:-]+\",|\"[a-z]\w{1,30}:[a-z]\w{2,90}\"$", re.MULTILINE
)


def may_set(hunks: Iterable[Hunk], language: str) -> bool:
    """Whether some changed line could belong to a flag, variable, route or metric."""
    words = _SETTINGS.get(language)
    if not words:
        return False
    text = "\n".join(line for hunk in hunks for line in hunk.lines)
    if any(map(text.__contains__, words)):
        return True
    return language in _CALLS and NAMED_ALONE.search(text) is not None
