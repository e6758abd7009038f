"""Calls in program text and their arguments, for every language with brackets and quotes.

A call is read from its opening bracket, so a changed line costs one call and not the whole file.
Texts that do not close within ``LONGEST`` characters do not count as calls.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from digest.core.facts import Action, Fact, FactKind
from digest.core.patterns import lazy
from digest.facts.languages import language_of
from digest.facts.side_text import DEFINED, SideText, block
from digest.frozen import frozen

LONGEST = 20_000  # maximum characters of a call; tables of options are longer than most calls
_BUDGET = 1_000_000
"""Maximum characters of calls read per side of a file, which bounds the time of any input."""

# An unclosed string is a token too, up to the end of its line or of the text, so that nothing is
# scanned twice. The ``open`` group marks a string that its line does not close.
_STRINGS = r'"(?:[^"\\\n]|\\.)*+(?:"|(?P<open>))'
_PLAIN = r"'(?:[^'\\\n]|\\.)*+(?:'|(?P<left>))"
_NOTES = r"|//[^\n]*|/\*[\s\S]*?(?:\*/|\Z)"
_PYTHON = lazy(
    r'[()\[\]{},]|[rRbBfFuU]{0,2}(?:"""[\s\S]*?(?:"""|\Z)|\'\'\'[\s\S]*?(?:\'\'\'|\Z)|'
    rf"{_STRINGS}|{_PLAIN})|\#[^\n]*"
)
_SCRIPT = lazy(rf"[()\[\]{{}},]|{_STRINGS}|{_PLAIN}|`(?:[^`\\]|\\[\s\S])*+(?:`|\Z)?{_NOTES}")
_BRACES = lazy(
    r'[()\[\]{},]|r(\#*)"[\s\S]*?(?:"\1|\Z)|'
    rf"{_STRINGS}|'(?:[^'\\\n]|\\.[^'\n]{{0,8}})'|`[^`]*(?:`|\Z){_NOTES}"
)
_BRACKETS = lazy(r"[()\[\]{},]")
_TOKENS = {"python": _PYTHON, "ruby": _PYTHON, "javascript": _SCRIPT, "typescript": _SCRIPT}
_OPENING = "([{"
_CLOSING = ")]}"
_NAMED = lazy(r"\s*(\w+)\s*=(?![=>])\s*")
_STRING = lazy(r"(?P<p>[rRbBuU]{0,2})(?P<q>\"\"\"|'''|\"|'|`)(?P<body>.*)(?P=q)", re.DOTALL)
_SPACE = lazy(r"\s+")
_LOOSE = lazy(r"(?<=[(\[]) |,? (?=[)\]])")


@frozen
class CodeCall:
    """A call with its position and its arguments as written.

    ``callee`` is the text before the bracket. ``start`` is the offset of the call, ``end`` the
    offset after the closing bracket.
    """

    callee: str

    start: int
    end: int
    positional: tuple[str, ...]
    named: dict[str, str]

    def get(self, name: str, place: int | None = None) -> str | None:
        """An argument by its name, or by its 0-based position; ``None`` if it is missing."""
        if name in self.named:
            return self.named[name]
        if place is not None and place < len(self.positional):
            return self.positional[place]
        return None


def split(text: str, start: int, language: str) -> tuple[int, list[str]] | None:
    """The parts between commas of the bracket at ``text[start]``, and the offset after it.

    Comments are left out. ``None`` if the bracket is not closed in time.
    """
    parts: list[str] = []
    piece: list[str] = []
    depth, last = 0, start + 1
    for match in tokens(text, start, min(len(text), start + LONGEST), language):
        mark = match.group()
        if mark[0] in _OPENING:
            depth += 1
        elif mark[0] in _CLOSING:
            depth -= 1
            if not depth:
                piece.append(text[last : match.start()])
                parts.append("".join(piece).strip())
                return match.end(), [p for p in parts if p]
        elif mark == "," and depth == 1:
            piece.append(text[last : match.start()])
            parts.append("".join(piece).strip())
            piece, last = [], match.end()
        elif mark[0] == "#" or mark.startswith(("//", "/*")):
            piece.append(text[last : match.start()])
            last = match.end()
    return None


def tokens(text: str, start: int, end: int, language: str) -> Iterator[re.Match[str]]:
    """The brackets, commas, strings and comments of a range, in order.

    After a quote that its line does not close, brackets and commas still count: such a quote is not
    always a string, since patterns of JavaScript contain some.
    """
    for match in _TOKENS.get(language, _BRACES).finditer(text, start, end):
        if match.lastgroup is None:
            yield match
        else:
            yield from _BRACKETS.finditer(text, match.start(), match.end())


def call_at(text: str, start: int, bracket: int, language: str) -> CodeCall | None:
    """The call whose name begins at ``start`` and whose bracket opens at ``bracket``.

    Ruby needs no bracket: a space before the arguments stands for it.
    """
    bare = language == "ruby" and not text.startswith("(", bracket)
    given = _BARE.match(text, bracket, bracket + LONGEST) if bare else None
    found = split(f"({given[1]})" if given else text, 0 if given else bracket, language)
    if given and found:
        found = given.end(1), found[1]
    if found is None:
        return None
    end, parts = found
    positional, named = [], {}
    for part in parts:
        match = _NAMED.match(part)
        if match and language in {"python", "rust", "java"}:
            named[match.group(1)] = part[match.end() :].strip()
        else:
            positional.append(part)
    return CodeCall(
        callee=text[start:bracket].strip(),
        start=start,
        end=end,
        positional=tuple(positional),
        named=named,
    )


_BARE = lazy(r"[ \t]++((?:[^\n]*,[ \t]*\n)*+[^\n]*?)(?=[ \t]+do\b|[ \t]*(?:\n|\Z))")
"""The arguments of a call of Ruby without brackets, up to its block."""


def touched_calls(
    source: SideText,
    name: re.Pattern[str],
    language: str,
    words: tuple[str, ...],
    small: tuple[str, ...] = (),
    *,
    sure: re.Pattern[str] | None = None,
    reach: Callable[[str, int], int] | None = None,
) -> Iterator[CodeCall]:
    """The calls that contain changed lines, in ascending order.

    ``name`` matches a callee, with its opening bracket at the end of the match. Every match
    contains one of ``words``, one of ``small`` in lower case if any are given, and what ``sure``
    finds; searching for them first is many times faster. Calls that begin before changed lines are
    included if their brackets may extend into them. ``reach`` gives the end of what else belongs to
    a call that ends at an offset.
    """
    text, budget = source.text, _BUDGET
    for first, last, window in source.windows:
        if not any(map(window.__contains__, words)):
            continue
        if small and not any(map(window.lower().__contains__, small)):
            continue
        if sure and not sure.search(text, first, last):
            continue
        for match in name.finditer(text, first, last):
            if _in_comment(text, match.start(), language):
                continue
            if language == "rust" and in_tests(text, match.start()):
                continue
            call = call_at(text, match.start(), match.end() - 1, language)
            budget -= call.end - call.start if call else LONGEST
            if budget < 0:
                return
            if call is None:
                continue
            end = reach(text, call.end) if reach else call.end
            if source.touches(call.start, end):
                yield call


_TESTS = lazy(
    r"^#\[cfg\([^\n]{0,200}\btests?\b[^\n]{0,200}\]\n(?:#\[[^\n]*\n)*+(?:pub )?mod \w+ \{",
    re.MULTILINE,
)
"""The beginning of a module of Rust that is built for tests alone."""


def in_tests(text: str, offset: int) -> bool:
    """Whether a place in a file of Rust is in a module of tests."""
    return any(first < offset < end for first, end in _tests(text))


@lru_cache(maxsize=4)
def _tests(text: str) -> list[tuple[int, int]]:
    starts = [m.start() for m in _TESTS.finditer(text)] if "#[cfg(" in text else []
    return [(at, end if (end := text.find("\n}", at)) >= 0 else len(text)) for at in starts]


def _in_comment(text: str, offset: int, language: str) -> bool:
    line = text[max(offset - 400, 0) : offset].rpartition("\n")[2].lstrip()
    if language in {"python", "ruby"}:
        return line.startswith("#") or " # " in line
    return line.startswith(("//", "*", "/*"))


def literal(text: str | None) -> str | None:
    """The value of a plain string as written in most languages; ``None`` for anything else."""
    if not text or text[-1] not in "\"'`":
        return None
    match = _STRING.fullmatch(text)
    if match is None:
        return None
    body, quote = match["body"], match["q"]
    if quote not in body and "\\" not in body:
        return body
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return value if isinstance(value, str) else None


def flat(text: str, limit: int = 300) -> str:
    """A piece of program text on one line, cut at ``limit`` characters with an ellipsis."""
    line = _SPACE.sub(" ", text).strip()
    if "\n" in text:
        line = _LOOSE.sub("", line)
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


_CONSTANT = lazy(r"(?:[A-Za-z_]\w*(?:\.|::))*(?P<last>[A-Za-z_]\w*)")
_WORDS = frozenset({"true", "false", "none", "null", "nil", "nullptr", "undefined"})

_MADE = lazy(r"(_\w+)\(\)")
_MADE_IN_RUST = lazy(r"(\w+)\(\)")
_RETURNS = lazy(
    r"^ {4,}+return (?:([\w.\"'-]{1,80}+)(?: if \w+ is None else [^\n]*+)?$|[^\n]*+)", re.MULTILINE
)
"""What a function returns, as far as it is plain."""


def resolve_default(written: str | None, text: str) -> str | None:
    """A default as a value: what the constant or function it names in the same file gives."""
    if written and (made := _MADE.fullmatch(written)):
        head = re.search(rf"^def {made[1]}\(\)[^\n]*:\n", text, re.MULTILINE)
        given = _RETURNS.findall(block(text, head.start())) if head else ()
        return given[0] if len(given) == 1 and given[0] else written
    if written and (made := _MADE_IN_RUST.fullmatch(written)) and f"fn {written}" in text:
        found = re.search(
            rf"\bfn {made[1]}\(\) -> [^{{;]{{1,80}}\{{\s*([^;{{}}\n]{{1,80}})\n?\s*\}}", text
        )
        return resolve_default(found[1].strip(), text) if found else written
    match = _CONSTANT.fullmatch(written or "") if is_constant(written) else None
    return _constants_of(text).get(match["last"], written) if match else written


@lru_cache(maxsize=4)
def _constants_of(text: str) -> dict[str, str]:
    """The names to which a text assigns a plain value on a line of its own."""
    return {match[1]: match[2] for match in DEFINED.finditer(text)}


def is_constant(written: str | None) -> bool:
    """Whether a default is a name rather than a value."""
    match = _CONSTANT.fullmatch(written or "")
    return match is not None and match["last"].lower() not in _WORDS


NOTHING = frozenset({"None", "nil", "null", "nullptr", "undefined"})
"""How languages write that there is no value."""

_ZERO = frozenset({"", "0", "false", "False", "[]", "{}", "()"})
"""Values that mean "nothing", so that writing one as a default changes nothing."""

_SAME = ({"0", "nullptr"}, {"NULL", "nullptr"}, {"0", "False"}, {"1", "True"})
"""Two ways to write one value."""


def _is_duration(written: str | None) -> bool | None:
    """Whether a duration is written as an expression (true) or a text (false)."""
    if written is None:
        return None
    return True if " * time." in written else False if _DURATION.fullmatch(written) else None


_DURATION = lazy(r"\"\d+[a-z]+\"")
_CALLED = lazy(
    r"(?!(?:list|dict|set|tuple)\(\))(?:new +)?(?P<callee>[A-Za-z_][\w.:]*)(?:<[^()]*>)?"
    r"\((?P<given>[^()]*)\)"
)


def is_told_apart(before: str | None, after: str | None) -> bool:
    """Whether two values are of the same kind, so that different texts mean different values.

    A literal that became a constant may be unchanged. Two calls differ only if they call the same
    thing with other literals.
    """
    if any((value or "").startswith("lambda") for value in (before, after)):
        return False
    if all(_OF_FIELD.fullmatch(value or "") for value in (before, after)):
        return False  # a field that moved to another class, or was renamed, has its own default
    bare = [(value or "").strip("\"'") for value in (before, after)]
    numbers = [_NUMBER.fullmatch(text) for text in bare]
    plain = before in bare or after in bare  # two texts of digits may be versions
    if plain and all(numbers) and len({float(m[0].replace("_", "")) for m in numbers if m}) == 1:
        return False
    if {before, after} in _SAME or {_is_duration(before), _is_duration(after)} == {True, False}:
        return False
    if before is None or after is None:
        given = before or after or ""
        if given in NOTHING:
            return False
        return not is_constant(given) and given.strip("\"'") not in _ZERO
    if before in NOTHING or after in NOTHING:
        value = after if before in NOTHING else before
        if is_constant(value) and ("nil" in {before, after} or _OPEN.search(value)):
            return False  # chosen elsewhere, what another field has, or another word for nothing
        return value not in NOTHING and value.strip("\"'") not in _ZERO - {"0"}
    if is_constant(before) and is_constant(after):
        variables = all(_VARIABLE.fullmatch(value) for value in (before, after))
        return _scope(before) == _scope(after) and not variables
    one, other = _CALLED.match(before), _CALLED.match(after)
    if one and other:
        unlike = set(one["given"].split(", ")) ^ set(other["given"].split(", "))
        whole = one.group() == before and other.group() == after
        same = one["callee"] == other["callee"]
        return whole and same and bool(unlike) and not any(map(is_constant, unlike))
    if one or other:  # the results of most calls are unknown
        return before.endswith(_LIMITS) or after.endswith(_LIMITS)
    return is_constant(before) == is_constant(after)


_VARIABLE = lazy(r"(?!k[A-Z])[a-z][a-z0-9]*[A-Z]\w*")  # of scripts, unlike enumerators
_OF_FIELD = lazy(r"\(?[A-Z]\w{0,60}\.[a-z]\w{0,60}\)?")
_NUMBER = lazy(r"-?\d[\d_]{0,30}(?:\.\d{0,30})?(?:[eE][+-]?\d{1,3})?")
_OPEN = lazy(r"[A-Z]\w*\.[a-z]\w*$|(?:[Uu]ndefined|UNDEFINED|[Uu]nset|UNSET|MISSING)$")
_LIMITS = ("::max()", "::min()")
_EITHER = lazy(r"\(?\s*(?P<then>[^\s()]+)\s+if\s+(?P<when>.+?)\s+else\s+(?P<other>[^\s()]+)\s*\)?")
_TERNARY = lazy(r"\(?(?P<when>[^?]+?)\s*\?\s*(?P<then>[^\s:?]+)\s*:\s*(?P<other>[^\s:?]+)\)?")
_VERSION = lazy(r"\bis_(\w+?)_(?:equal_or_newer|at_least)\(\s*[\"']([\d.]*\d)[^\"']*[\"']\s*\)")


def conditional(before: str | None, after: str | None) -> tuple[str | None, str | None, str | None]:
    """Two values with the condition under which the second one holds, as far as it has one."""
    old, new = _choice(before), _choice(after)
    if old is None and new is None:
        return before, after, None
    before, after = (text and text.replace("'", '"') for text in (before, after))
    if new is not None and old is None:
        then, when, other = new
        if before == other:
            return before, then, when
        return (before, other, f"not ({when})") if before == then else (before, after, None)
    if old is not None and new is None:
        then, when, other = old
        if after == then:
            return other, after, f"not ({when})"
        return (then, after, when) if after == other else (before, after, None)
    if old and new and old[0] == new[0] and old[2] == new[2]:
        return f"{old[0]} if {old[1]}", new[0], new[1]
    return before, after, None


def _choice(text: str | None) -> tuple[str, str, str] | None:
    """The value, the condition and the other value of an expression that has all three."""
    if not text or len(text) > _LONGEST_CHOICE:
        return None
    line = flat(text).replace("'", '"')
    match = _EITHER.fullmatch(line) or _TERNARY.fullmatch(line)
    if match is None:
        return None
    return match["then"], _VERSION.sub(r"\1 >= \2", match["when"]), match["other"]


_LONGEST_CHOICE = 300  # characters


def _scope(written: str) -> str:
    """The scope of a constant: ``Level`` of ``Level::HIGH``."""
    return re.split(r"(?:\.|::)\w+$", written)[0] if re.search(r"\.|::", written) else ""


def breaks_code(fact: Fact) -> bool:
    """Whether code that uses what a library offers may not fit it any more.

    In Java, Go and C++ the parts of programs look public too. In Python and TypeScript a package
    also names what only its other parts use, and may drop it.
    """
    if fact.kind is not FactKind.SYMBOL or not fact.public or fact.name == "main":
        return False
    language = language_of(fact.evidence.path)
    if fact.action is Action.CHANGED:
        return fact.detail in _BREAKING and language in {
            "javascript",
            "python",
            "rust",
            "typescript",
        }
    return fact.action is not Action.ADDED and language == "rust"


_BREAKING = frozenset(
    {"required parameter added", "parameter removed", "parameter renamed", "signature"}
)
