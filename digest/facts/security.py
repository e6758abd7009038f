"""Security: advisories, words in the message, sensitive constructs and credentials.

Four details: ``advisory`` (identifiers such as CVE, GHSA and YWH, Renovate's mark), ``words`` (the
message mentions a weakness), ``code`` (a construct that reviewers check, in core code only) and
``credential`` (the name is the kind, never the secret). A construct is not a verdict; it says where
to look.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from digest.core.authors import without_presented
from digest.core.facts import Action, Area, Fact, FactKind, Subject
from digest.core.patterns import lazy, read_table
from digest.facts.languages import patterns, words
from digest.facts.message import MESSAGE, message_lines
from digest.facts.side_text import FileContext, SideLines
from digest.facts.subject import PRIVATE_FORK

_ADVISORY = lazy(
    r"\b(?:CVE[- ](\d{4})[- ](\d{4,7})|(GHSA(?:-[0-9a-z]{4}){3})|("
    r"(?:RUSTSEC|PYSEC|GO)-\d{4}-\d{1,5}|YWH-[A-Z]{2,8}-?\d{2,6}-\d{1,5}))\b"
)
_TABLE = read_table("digest.facts", "words.toml")["security"]
_WORDS = lazy("|".join(_TABLE["weaknesses"]), re.IGNORECASE)
_NOUN = lazy(r"vulnerabilit", re.IGNORECASE)
_MENDED = lazy(
    r"(?<![\w-])(?:fix|address|patch|mitigat|prevent|avoid|resolv|remov|clos|report|found"
    r"|exposed? to)\w*+(?!-)",
    re.IGNORECASE,
)
"""What is done about a weakness: tools that look for vulnerabilities have messages full of them."""
_MARK = lazy(r"(?<=\s)\[security\]$", re.IGNORECASE)
"""The suffix that Renovate adds to the title of an update required by an advisory."""
_ACRONYMS = lazy(
    r"\b(?:XSS|SSRF|CSRF|RCE|XXE|ReDoS|IDOR|MITM)\b"
    r"(?! (?:check|cookie|filter|guard|header|middleware|mitigation|protection|token|validation)"
    r"s?\b(?! bypass))|\bDoS\b"
)
"""Weaknesses; what guards against one is a part of many programs."""

_WORD_HINTS = tuple(_TABLE["hints"])
_CODE = patterns("sensitive")
_PASSWORD_HASH = lazy(
    r"\b(?:md5|sha1)\b[^\n]{0,80}passw|passw[^\n]{0,80}\b(?:md5|sha1)\b", re.IGNORECASE
)
_CREDENTIALS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("AWS access key", re.compile(r"\bAKIA[0-9A-Z]{16}\b")),
    ("GitHub token", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{36}\b")),
    ("Slack token", re.compile(r"\bxox[baprs]-\d{8,}-[0-9A-Za-z-]{10,}")),
    ("Google API key", re.compile(r"\bAIza[0-9A-Za-z_-]{35}\b")),
    ("private key", re.compile(r"-----BEGIN (?:[A-Z]{2,8} )?PRIVATE KEY-----")),
)

# A line must contain one of these for any of the patterns above to match. A plain search is some
# twenty times faster than the patterns, and few lines pass it.
_SECRET_HINTS = ("AKIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "xox", "AIza", "PRIVATE KEY-----")
_HINTS = words("sensitive_words")
_COMMENT = lazy(r"\s*(?:#|//|\*|/\*|\"\"\"|'''|--|>>>)")
_MOST_MESSAGE = 20_000  # characters
_NEXT = 3  # lines that are searched for the arguments of a call
_SAFE_YAML = ("SafeLoader", "safe_load")
_SILENT = frozenset([Area.TESTS, Area.DOCS, Area.EXAMPLES, Area.BENCHMARKS])


def credentials(text: str) -> Iterator[str]:
    """Text with the form of a credential, valid or not; the first line of a key block."""
    if any(hint in text for hint in _SECRET_HINTS):
        for _, shape in _CREDENTIALS:
            yield from shape.findall(text)


def find(scene: FileContext) -> Iterable[Fact]:
    """Sensitive constructs added or removed on core lines of a file, one fact per construct."""
    if scene.area in _SILENT:
        return ()
    pattern = _CODE.get(scene.language) if scene.area is Area.CORE else None
    text = scene.changed_text
    hints = [*filter(text.__contains__, _HINTS[scene.language] if pattern else ())]
    hints += filter(text.__contains__, _SECRET_HINTS)
    if not hints:
        return ()
    old, new = scene.lines
    gone, come = _places(old, pattern, hints), _places(new, pattern, hints)
    found: list[Fact] = []
    for name in dict.fromkeys([*gone, *come]):
        lost, won = gone.get(name, []), come.get(name, [])
        if len(lost) != len(won):  # as many were added as removed: the code only moved
            added = len(won) > len(lost)
            if not added and _stays(name, new, pattern):
                continue
            detail = "credential" if any(name == c for c, _ in _CREDENTIALS) else "code"
            side, line = (new, won[0]) if added else (old, lost[0])
            action = Action.ADDED if added else Action.REMOVED
            found.append(side.fact(FactKind.SECURITY, action, name, line, detail=detail))
    return found


def _stays(name: str, sheet: SideLines, pattern: re.Pattern[str] | None) -> bool:
    """Whether a file still has a construct of which the change removes a use."""
    return pattern is not None and any(
        match[0].strip() == name
        for line in sheet.whole
        if name in line and not _COMMENT.match(line)
        for match in pattern.finditer(line)
    )


_SETS_ASIDE = lazy(
    r"(?:allow|exempt|ignor|silenc|suppress)\w{1,3}\b"
    r"|(?:(?!\bcve|\bsecurity\b).){0,120}\b(?:docs|documentation) (?:about|for|of|on)\b"
    r"|(?:新增|添加|增加|支持|更新|忽略).{0,40}漏洞",
    re.IGNORECASE,
)
"""How titles begin of changes that leave a weakness where it is, or teach a scanner about it."""


_DENIED = lazy(
    r"\b(?:no|not an?) (?:\w{1,12} )?(?:vulnerability|security (?:bug|fix|hole|impact|implication"
    r"|issue|problem)s?)\b",
    re.IGNORECASE,
)
"""Words of authors who say that a weakness is none."""


def find_in_message(message: str, subject: Subject) -> Iterator[Fact]:
    """Advisories and words for weaknesses, each once, where the message names them first."""
    seen: set[str] = set()
    aside = _SETS_ASIDE.match(subject.words) or _DENIED.search(message[:_MOST_MESSAGE])
    low = "" if aside else message.lower()
    told = any(hint in low for hint in _WORD_HINTS)
    left = without_presented(subject.words)
    for number, line in message_lines(message) if told else ():
        for found in _ADVISORY.finditer(line):
            name = f"CVE-{found[1]}-{found[2]}" if found[1] else found[3] or found[4]
            if name not in seen:
                yield _said(name, "advisory", number)
            seen.add(name)
        whole = left == subject.words and subject.title in line  # in a merge the title is below
        said = left and line if number > 1 or whole else left
        for found in (*_WORDS.finditer(said), *_ACRONYMS.finditer(said)):
            name = found[0].lower()
            noun = number > 1 or name.endswith("ies")
            if noun and _NOUN.match(name) and not _MENDED.search(said):
                continue
            if name not in seen:
                yield _said(found[0], "words", number)
            seen.add(name)
    if message.startswith(PRIVATE_FORK):
        yield _said("[private fork]", "advisory", 1)
    elif mark := _MARK.search(subject.words):
        yield _said(mark[0], "advisory", 1)
    elif not seen and _is_called(subject):
        yield _said("security", "words", 1)


def _is_called(subject: Subject) -> bool:
    """Whether the title's type or a tag says security, or a fix has that scope.

    In other titles the scope may be the name of a part of the program.
    """
    scope = subject.scope if subject.type == "fix" else ""
    return "security" in {subject.type, scope.lower(), *map(str.lower, subject.tags)}


def _said(name: str, detail: str, line: int) -> Fact:
    return MESSAGE.fact(FactKind.SECURITY, Action.CHANGED, name, line, detail=detail)


def _places(
    sheet: SideLines, pattern: re.Pattern[str] | None, hints: Sequence[str]
) -> dict[str, list[int]]:
    """Line numbers of each construct on the changed lines."""
    places: dict[str, list[int]] = {}
    for index, (number, line) in enumerate(sheet.changed):
        if not any(hint in line for hint in hints):
            continue
        for name, shape in _CREDENTIALS:
            if shape.search(line):
                places.setdefault(name, []).append(number)
        if pattern is None or _COMMENT.match(line):
            continue
        if "passw" in line and _PASSWORD_HASH.search(line):
            places.setdefault("password hashed by md5 or sha1", []).append(number)
        for match in pattern.finditer(line):
            name = match[0].strip()
            if _is_construct(name, line[: match.start()], sheet.changed[index : index + _NEXT]):
                places.setdefault(name, []).append(number)
    return places


def _is_construct(name: str, before: str, lines: Sequence[tuple[int, str]]) -> bool:
    """Whether a match is the construct itself: no definition, no safe variant, not quoted."""
    if before.rstrip().endswith(("def", "fn", "function", "func", "``", "`")):
        return False
    if name.startswith("yaml.") and name != "yaml.unsafe_load":
        return not any(mark in line for _, line in lines for mark in _SAFE_YAML)
    return True
