"""Security: advisories, words in the message, sensitive constructs and credentials.

Four details: ``advisory`` (identifiers such as CVE, GHSA and YWH, Renovate's mark), ``words`` (the
message mentions a weakness), ``code`` (a construct that reviewers check, in core code only) and
``credential`` (the name is the kind, never the secret). A construct is not a verdict; it says where
to look.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from digest.core.authors import without_presented
from digest.core.facts import Action, Area, Fact, FactKind, Subject
from digest.core.patterns import lazy
from digest.facts.message import message_evidence, message_lines
from digest.facts.side_text import FileContext, SideLines

_ADVISORY = lazy(
    r"\b(?:CVE[- ](\d{4})[- ](\d{4,7})|(GHSA(?:-[0-9a-z]{4}){3})|("
    r"(?:RUSTSEC|PYSEC|GO)-\d{4}-\d{1,5}|YWH-[A-Z]{2,8}-?\d{2,6}-\d{1,5}))\b"
)
_WORDS = lazy(
    r"\bvulnerabilit(?:y|ies)\b|\bvulnerable\b|\bexploit(?:able|ed)\b"
    r"|\b(?:an?|the|known) exploits?\b|\bremote code execution\b"
    r"|\barbitrary (?:code|file|command)\b|\b(?:sql|command|code|template"
    r"|header|shell|crlf|log) injection\b"
    r"|\b(?:path|directory) traversal\b|\b(?:buffer|heap|integer) (?:buffer )?overflow\b"
    r"|\bout[- ]of[- ]bounds (?:read|write|access)\b|\buse[- ]after[- ]free\b|\bdouble[- ]free\b"
    r"|\bdenial[- ]of[- ]service\b|\bprivilege escalation\b|\bsandbox escape\b"
    r"|\b(?:auth(?:entication|orization)?|access control|permission|provenance|signature|validation"
    r"|verification) bypass\b"
    r"|\btiming (?:attack|side[- ]channel)\b"
    r"|\b(?:unsafe|insecure) deserialization\b|\b(?:zip|decompression) bomb\b"
    r"|\bzip slip\b|\bmalicious\b"
    r"|\bsecurity (?:fix|fixes|issue|issues|hole|patch|patches|advisory"
    r"|vulnerability|hardening|bug|update|risk)\b"
    r"|\bcross[- ]site (?:scripting|request forgery)\b|\b(?:credential"
    r"|secret|password) leak(?:age|s)?\b",
    re.IGNORECASE,
)
_NOUN = lazy(r"vulnerabilit", re.IGNORECASE)
_MENDED = lazy(
    r"(?<![\w-])(?:fix|address|patch|mitigat|prevent|avoid|resolv|remov|clos|report|found"
    r"|exposed? to)\w*+(?!-)",
    re.IGNORECASE,
)
"""What is done about a weakness: tools that look for vulnerabilities have messages full of them."""
_MARK = lazy(r"(?<=\s)\[security\]$", re.IGNORECASE)
"""The suffix that Renovate adds to the title of an update required by an advisory."""
PRIVATE_FORK = "Merge commit from fork"
"""The subject of a commit from the private fork in which GitHub lets an advisory be fixed."""
_ACRONYMS = lazy(r"\b(?:XSS|SSRF|CSRF|RCE|XXE|ReDoS|IDOR|MITM)\b|\bDoS\b")

# As for code below: few messages contain one of these.
_WORD_HINTS = (
    *("cve", "ghsa", "rustsec", "pysec", "go-20", "ywh-", "vulnerab", "exploit", "code exec"),
    *("arbitrary",),
    *("injection", "traversal", "overflow", "bounds", "use-after", "use after", "double"),
    *("denial", "escalation", "escape", "bypass", "timing", "deserial", "bomb", "zip slip"),
    *("malicious", "security", "cross-site", "cross site", "leak", "xss", "ssrf", "csrf", "rce"),
    *("xxe", "redos", "idor", "mitm", "dos"),
)

_CODE: dict[str, re.Pattern[str]] = {
    "python": re.compile(
        r"(?P<name>\b(?:pickle|cPickle|dill|cloudpickle|marshal|joblib)\.(?:loads?|Unpickler)(?=\()"
        r"|\byaml\.(?:load|load_all|unsafe_load)(?=\()|(?<![\w.`\"'])(?:eval|exec)(?=\()"
        r"|\bos\.(?:system|popen)(?=\()|\bshell=True\b|\bverify=False\b|\btrust_remote_code=True\b"
        r"|\ballow_pickle=True\b|\bweights_only=False\b|\bautoescape=False\b|\bmktemp(?=\()"
        r"|\b_create_unverified_context\b|\bCERT_NONE\b|\bcheck_hostname ?= ?False\b)"
    ),
    "javascript": re.compile(
        r"(?P<name>(?<![\w.`\"'])eval(?=\()|\bnew Function(?=\()|\bdangerouslySetInnerHTML\b"
        r"|\.innerHTML(?= ?=[^=])|\brejectUnauthorized: ?false\b|\bNODE_TLS_REJECT_UNAUTHORIZED\b"
        r"|\bchild_process\.exec(?:Sync)?(?=\())"
    ),
    "go": re.compile(
        r"(?P<name>\bInsecureSkipVerify: *true\b|\bunsafe\.Pointer\b|\btemplate\.HTML(?=\()"
        r"|\bexec\.Command\(\"(?:sh|bash)\", \"-c\")"
    ),
    "rust": re.compile(
        r"(?P<name>\bunsafe (?=\{)|\bunsafe (?:fn|impl)\b|\bdanger_accept_invalid_certs\(true\)"
        r"|\bdanger_accept_invalid_hostnames\(true\))"
    ),
    "java": re.compile(
        r"(?P<name>\bObjectInputStream\b|\bgetRuntime\(\)\.exec(?=\()|\bALLOW_ALL_HOSTNAME_VERIFIER\b)"
    ),
    "c": re.compile(
        r"(?P<name>(?<![\w.>:])(?:strcpy|strcat|sprintf|vsprintf|gets|system"
        r"|popen)(?= ?\())"
    ),
}

_CODE["typescript"] = _CODE["javascript"]
_CODE["cpp"] = _CODE["cuda"] = _CODE["c"]

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
_HINTS: dict[str, tuple[str, ...]] = {
    "python": (
        *("pickle", "dill.", "marshal.", "joblib.", "yaml.", "eval(", "exec(", "os.system"),
        *("os.popen", "shell=True", "verify=False", "trust_remote_code=True", "mktemp("),
        *("weights_only=False", "autoescape=False", "_create_unverified_context", "CERT_NONE"),
        *("check_hostname", "passw"),
    ),
    "javascript": (
        *("eval(", "new Function", "dangerouslySetInnerHTML", ".innerHTML", "rejectUnauthorized"),
        *("NODE_TLS_REJECT", "child_process", "passw"),
    ),
    "go": ("InsecureSkipVerify", "unsafe.Pointer", "template.HTML(", "exec.Command(", "passw"),
    "rust": ("unsafe ", "danger_accept_", "passw"),
    "java": ("ObjectInputStream", ".exec(", "ALLOW_ALL_HOSTNAME", "passw"),
    "c": ("strcpy", "strcat", "sprintf", "gets", "system", "popen", "passw"),
}

_HINTS["typescript"] = _HINTS["javascript"]
_HINTS["cpp"] = _HINTS["cuda"] = _HINTS["c"]
_COMMENT = lazy(r"\s*(?:#|//|\*|/\*|\"\"\"|'''|--|>>>)")
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
            found.append(
                Fact(
                    kind=FactKind.SECURITY,
                    action=Action.ADDED if added else Action.REMOVED,
                    name=name,
                    detail=detail,
                    evidence=new.evidence(won[0]) if added else old.evidence(lost[0]),
                )
            )
    return found


def _stays(name: str, sheet: SideLines, pattern: re.Pattern[str] | None) -> bool:
    """Whether a file still has a construct of which the change removes a use."""
    return pattern is not None and any(
        match["name"].strip() == name
        for line in sheet.whole
        if name in line and not _COMMENT.match(line)
        for match in pattern.finditer(line)
    )


_SETS_ASIDE = lazy(r"(?:allow|exempt|ignor|silenc|suppress)\w{1,3}\b", re.IGNORECASE)
"""How titles begin of changes that leave a weakness where it is."""


def find_in_message(message: str, subject: Subject) -> Iterator[Fact]:
    """Advisories and words for weaknesses, each once, where the message names them first."""
    seen: Counter[str] = Counter()
    low = "" if _SETS_ASIDE.match(subject.words) else message.lower()
    told = any(hint in low for hint in _WORD_HINTS)
    left = without_presented(subject.words)
    for number, line in message_lines(message) if told else ():
        for found in _ADVISORY.finditer(line):
            name = f"CVE-{found[1]}-{found[2]}" if found[1] else found[3] or found[4]
            if not seen[name]:
                yield _said(name, "advisory", number)
            seen[name] += 1
        whole = left == subject.words and subject.title in line  # in a merge the title is below
        said = left and line if number > 1 or whole else left
        for found in (*_WORDS.finditer(said), *_ACRONYMS.finditer(said)):
            name = found[0].lower() if found[0].lower() != found[0].upper() else found[0]
            noun = number > 1 or name.endswith("ies")
            if noun and _NOUN.match(name) and not _MENDED.search(said):
                continue
            if not seen[name]:
                yield _said(found[0], "words", number)
            seen[name] += 1
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
    return Fact(
        kind=FactKind.SECURITY,
        action=Action.CHANGED,
        name=name,
        detail=detail,
        evidence=message_evidence(line),
    )


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
            name = match["name"].strip()
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
