"""HTTP routes as web frameworks declare them, named ``GET /v1/models``.

Python: FastAPI, Starlette, Flask, aiohttp, Django. JavaScript and TypeScript: Express and the many
that follow it, Nest. Go: net/http, gin, echo, chi, gorilla. Rust: axum, actix. Java: Spring.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from digest.core.facts import Action, Fact, FactKind
from digest.facts import named_settings
from digest.facts.call_arguments import CodeCall, literal, touched_calls
from digest.facts.languages import patterns
from digest.facts.named_settings import NamedSetting
from digest.facts.side_text import SideText, entire

_VERBS = r"(?:get|post|put|patch|delete|head|options)"
_CALLEES = patterns("routes")
_WORDS = ('"/', "'/", "`/", "path(")  # a call with a path contains one of these
_PREFIX = re.compile(r"^(\w+)\s*=\s*(?:APIRouter|Blueprint)\(([^()]*)\)", re.MULTILINE)
_GIVEN = re.compile(r"\b(?:url_)?prefix\s*=\s*[\"']([^\"']+)[\"']")
_VERB = re.compile(rf"\b({_VERBS})\b", re.IGNORECASE)
_LISTED = re.compile(r"^[ \t]*+[\"']([^\"'\n]++)[\"'],?$", re.MULTILINE)
_METHODS = re.compile(r"[\"'](\w+)[\"']")


def find(before: SideText, after: SideText, language: str) -> Iterator[Fact]:
    """The routes of one file that were added, removed or renamed."""
    if language not in _CALLEES:
        return
    if not any(word in s.changed_text for s in (before, after) for word in _WORDS):
        return
    olds, news = list(_declared(before, language)), list(_declared(after, language))
    # A route is a verb and a path, which are not adjacent in any text, so search all routes that
    # the other side declares.
    everywhere = (
        {
            side: {n for s in _declared(entire(side_of), language) for n in s.names}
            for side, side_of in (("old", before), ("new", after))
        }
        if olds or news
        else {}
    )
    # A path alone on a line belongs to a list of paths that a loop serves.
    listed = frozenset(_LISTED.findall(after.text)) if olds else ()
    if language == "python":  # a pattern that cannot be told may serve what begins alike
        olds, news = _unmatched(olds, after), _unmatched(news, before)
    yield from named_settings.compare(
        FactKind.ROUTE,
        before,
        after,
        [
            s
            for s in olds
            if s.names[0] not in everywhere["new"] and s.names[0].partition(" ")[2] not in listed
        ],
        [s for s in news if s.names[0] not in everywhere["old"]],
    )


def _unmatched(routes: Iterable[NamedSetting], other: SideText) -> list[NamedSetting]:
    """The routes that no pattern of the other side begins like."""
    begun = {m[1].strip("/") for m in _PATTERN.finditer(other.text)}
    return [s for s in routes if s.names[0].partition("<")[0].strip("/") not in begun]


_PATTERN = re.compile(r"\bre_path\(\s{0,40}r?[\"']\^?([\w/-]{2,80})")
_GROUP = re.compile(r"(?<=/)\(\?P(?P<name><\w{1,40}>)(?:[^()/]|\[\^/\]){1,40}\)(?=/|$)")


def _readable(pattern: str) -> str | None:
    """A pattern of Django as the path that it stands for, if it is no more than one."""
    path = _GROUP.sub(lambda group: group["name"], pattern.removeprefix("^").rstrip("$"))
    path = path.removesuffix("/?")
    return path if re.fullmatch(r"[\w./<>-]{2,200}", path) else None


def defined(source: SideText, language: str, name: str) -> bool:
    """Whether a whole file serves a route, be it for a router that is mounted behind a prefix."""
    verb, _, path = name.partition(" ")
    if language not in _CALLEES or not any(one in source.text for one in spellings(name)):
        return False
    if language == "rust" and re.search(rf"\w!\(\s*\"{re.escape(path)}\"", source.text):
        return True  # a macro of the project makes it
    served = (one.partition(" ") for s in _declared(source, language) for one in s.names)
    return any(
        own == path or (len(own) >= _TELLING and path.endswith(own))
        for its, _, own in served
        if its == verb
    )


def spellings(name: str) -> tuple[str, ...]:
    """The ways a text that serves a route may write its path: with a prefix or after a router's."""
    path = name.rpartition(" ")[2]  # a handler of all verbs has no verb in its name
    last = path.rstrip("/").rfind("/")
    return (path, *((path[last:],) if last > 0 else ()))


def mounted(facts: Sequence[Fact], texts: Callable[[], Iterable[str]]) -> list[Fact]:
    """The facts, with whole paths of routes that the changed texts write behind one prefix.

    Routers are often mounted in other files; documentation and tests write what clients ask for.
    """
    ends = {Action.ADDED, Action.REMOVED}
    routes = [f for f in facts if f.kind is FactKind.ROUTE and f.action in ends]
    paths = {f.name for f in routes}
    whole = "\n".join(texts()) if 0 < len(paths) <= _MOST else ""
    names = {}
    for name in sorted(paths) if whole else ():
        verb, gap, path = name.rpartition(" ")
        mount = rf"(?<![\w./:-])((?:/[\w.-]++){{1,6}}){re.escape(path)}(?![\w/-])"
        prefixes = set(re.findall(mount, whole)) if len(path) >= _TELLING else set()
        if len(prefixes) == 1:
            names[name] = f"{verb}{gap}{prefixes.pop()}{path}"
    told = {id(f): replace(f, name=names[f.name]) for f in routes if f.name in names}
    return [told.get(id(f), f) for f in facts]


_TELLING = 6  # characters of a path that another router hardly serves
_MOST = 20  # routes of a change that are looked for; more are data


def _declared(source: SideText, language: str) -> Iterator[NamedSetting]:
    prefixes = _prefixes(source.text) if language == "python" else {}
    for call in touched_calls(source, _CALLEES[language], language, _WORDS):
        path = literal(call.get("path", 0)) or literal(call.get("rule"))
        if path is None and language == "java":
            path = literal(call.get("value", 0))
        if path is not None and call.callee.endswith("re_path"):
            path = _readable(path)
        if path is None or not _is_path(path, call.callee):
            continue
        given, path = path, prefixes.get(call.callee.lstrip("@").partition(".")[0], "") + path
        for verb in _verbs(call, language):
            yield NamedSetting(
                names=(f"{verb} {path}".strip(),),
                line=source.line_at(max(source.text.find(given, call.start, call.end), call.start)),
                text=source.text[call.start : call.end],
            )


def _prefixes(text: str) -> dict[str, str]:
    """The path prefix of each router, by the router's name."""
    if "prefix" not in text:
        return {}
    return {
        m.group(1): match.group(1)
        for m in _PREFIX.finditer(text)
        if (match := _GIVEN.search(m.group(2)))
    }


def _is_path(path: str, callee: str) -> bool:
    if callee.endswith("path"):  # Django writes them without the leading slash
        return "\n" not in path and " " not in path
    return path.startswith("/") and " " not in path and len(path) < 200


def _verbs(call: CodeCall, language: str) -> list[str]:
    last = call.callee.rpartition(".")[2].removeprefix("add_").lstrip("@#[")
    if "websocket" in call.callee.lower():
        return ["WS"]
    if language == "rust" and last == "route":
        handler = call.get("", 1) or ""
        return [v.upper() for v in dict.fromkeys(re.findall(rf"\b({_VERBS})\(", handler))] or [""]
    if last == "Del":  # with one argument it deletes an entry of something else
        return ["DELETE"] if call.get("", 1) else []
    match = _VERB.match(last.removesuffix("Mapping"))
    if match:
        return [match.group(1).upper()]
    given = call.named.get("methods") or call.named.get("method") or ""
    verbs = _METHODS.findall(given) or [v for v in _VERB.findall(given) if v.isupper()]
    return sorted(v.upper() for v in verbs) or [""]
