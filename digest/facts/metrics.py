"""Metrics that a program exposes: Prometheus and OpenTelemetry instruments, by name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain

from digest.core.facts import Action, Fact, FactKind
from digest.facts import named_settings
from digest.facts.call_arguments import CodeCall, literal, touched_calls
from digest.facts.languages import patterns
from digest.facts.named_settings import NamedSetting
from digest.facts.prefilter import NAMED_ALONE
from digest.facts.side_text import SideText

_CALLEES = patterns("metrics")
_WORDS = ("ounter", "auge", "istogram", "ummary", "Opts", "NewDesc", "prometheus.Register")
_SMALL = {
    # Endings of every match of the language's pattern, ignoring case.
    "python": tuple(
        f"{kind}{ending}("
        for kind in ("counter", "gauge", "histogram", "summary")
        for ending in ("", "_cls", "_class", "_type", "metricfamily")
    )
}
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_:./-]{2,}")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w{0,60}")
_TABLE_ENTRY = re.compile(r"(?:\{\s*\w+\s*,\s*|^\s*)\"([a-z][\w-]*(?:\.[\w-]+){2,8})\"\s*\}")
_ENTRY_BEGINS = re.compile(r"\{\s*\w+\s*,\s*$")
_BUILT = re.compile(r"(?:\w+\.)?BuildFQName\(([^()]*)\)")
_NAMESPACED = re.compile(
    r"^[ \t]*(?:[A-Z][A-Z0-9_]{0,60} = )?\"([a-z]\w{1,30}:[a-z][a-z0-9]*(?:_[a-z0-9]+){2,12})\"$",
    re.MULTILINE,
)
_TELLING_WORDS = 2  # underscores of the end of a name that is hardly another metric's
_TELLING = 12  # minimum characters of a part of a name that is searched without its quotes

_CONSTANT = re.compile(
    r"^[ \t]*+(?:const[ \t]++)?(?P<name>\w++)[ \t]*+(?:string[ \t]*+)?"
    r"=[ \t]*+(?P<value>\"[^\"\n]*+\")",
    re.MULTILINE,
)
_TOLD = ("documentation", "description", "desc", "help", "unit")


def find(before: SideText, after: SideText, language: str) -> Iterator[Fact]:
    """The metrics of one file that were added, removed or renamed."""
    if language in {"c", "cpp"}:
        yield from named_settings.compare(
            FactKind.METRIC, before, after, _listed(before), _listed(after)
        )
    if language not in _CALLEES:
        return
    if not any(
        NAMED_ALONE.search(s.changed_text)
        or any(w in s.changed_text for w in (*_WORDS, "ame", "ubsystem"))
        for s in (before, after)
    ):
        return
    old, new = ([*_made(s, language), *_namespaced(s, language)] for s in (before, after))
    if language == "python":
        # Python clients expose a counter ``x`` as ``x_total``, however it is written.
        both = {_exposed(s) for s in old} & {_exposed(s) for s in new}
        old, new = ([s for s in side if _exposed(s) not in both] for side in (old, new))
    parts = _parts([s.names[0] for s in old], [s.names[0] for s in new])
    if parts and not any(_REGISTRY.search(s.changed_text) for s in (before, after)):
        parts -= _written_anew(old, new)
    old, new = ([s for s in side if s.names[0] not in parts] for side in (old, new))
    facts = list(named_settings.compare(FactKind.METRIC, before, after, old, new))
    lost = any(fact.action is Action.REMOVED for fact in facts)
    doubt = lost and _unnamed(after, language) > _unnamed(before, language)
    for fact in facts:
        # The end of a removed name may be an entry of a table to which a prefix is added.
        if fact.action is not Action.REMOVED or not (
            doubt or written(fact.name, after.changed_text)
        ):
            yield fact


def _parts(old: Sequence[str], new: Sequence[str]) -> set[str]:
    """Names that differ from one other name only in a prefix, which a registry may add."""
    olds, news = set(old), set(new)
    pairs = [(a, b) for a in old for b in _ends(a) if b in news]
    pairs += [(a, b) for b in new for a in _ends(b) if a in olds]
    met = Counter(chain.from_iterable(pairs))
    return {name for pair in pairs if max(met[n] for n in pair) == 1 for name in pair}


_REGISTRY = re.compile(r"prefix|namespace|subsystem|registerer|register(?!\()", re.IGNORECASE)
"""What gives metrics the beginning of their names apart from where they are made."""


def _written_anew(old: Sequence[NamedSetting], new: Sequence[NamedSetting]) -> set[str]:
    """Names that got a prefix in otherwise unchanged calls, so a registry does not add it."""
    olds = {s.text.replace(f'"{s.names[0]}"', ""): s.names[0] for s in old}
    pairs = ((olds.get(s.text.replace(f'"{s.names[0]}"', "")), s.names[0]) for s in new)
    return {name for one, new in pairs if one and new.endswith(f"_{one}") for name in (one, new)}


def _ends(name: str) -> Iterator[str]:
    """Possible rests of a name after a prefix; long names are not split."""
    return (name[at.end() :] for at in re.finditer("_", name[:200]))


def _unnamed(source: SideText, language: str) -> int:
    """The number of touched metrics whose names are constants defined elsewhere."""
    calls = touched_calls(source, _CALLEES[language], language, _WORDS, _SMALL.get(language, ()))
    return sum(_name(call, language, source.text) is None for call in calls)


def _exposed(metric: NamedSetting) -> str:
    name = metric.names[0]
    return name.removesuffix("_total") if "counter" in metric.text[:60].lower() else name


def defined(source: SideText, language: str, name: str) -> bool:
    """Whether a whole file creates a metric, or contains its name as a separate string."""
    if language not in _CALLEES or not any(word in source.text for word in spellings(name)):
        return False
    bare = re.escape(_bare(name))
    return re.search(
        rf"[\"'`](?:\w{{1,60}}:)?{bare}(?:_total)?[\"'`]", source.text
    ) is not None or any(
        # The one that the file makes, or that gets its beginning from a registry.
        _bare(name) == _bare(made)
        or (_bare(made).count("_") >= _TELLING_WORDS and _bare(name).endswith(f"_{_bare(made)}"))
        for setting in _made(source, language)
        for made in setting.names
    )


def written(name: str, lines: str) -> str:
    """The part of a name that program text writes as one string; empty if it writes all of it."""
    parts = name.split("_")
    ends = ("_".join(parts[n:]) for n in range(1, len(parts)))
    return next((end for end in ends if f'"{end}"' in lines), "")


def spellings(name: str) -> tuple[str, ...]:
    """The ways to write a metric: without the suffix that clients add, and in parts."""
    bare = _bare(name)
    parts = bare.split("_")
    shorter = ("_".join(parts[n:]) for n in (1, 2, 3))
    ends = [f"{text}{end}" for text in shorter if text for end in ("", "_total")]
    telling = (text if len(text) >= _TELLING else f'"{text}"' for text in ends)
    return tuple(dict.fromkeys([name, bare, *telling]))


def _bare(name: str) -> str:
    """A name without its namespace before a colon and the suffix that clients add."""
    return name.rpartition(":")[2].removesuffix("_total")


def _listed(source: SideText) -> Iterator[NamedSetting]:
    """Entries of a table that gives the members of an enumeration their dotted names."""
    for row, line in source.changed():
        for match in _TABLE_ENTRY.finditer(line):
            above = "" if "{" in match[0] else next(iter(source.above(row, 1)), "")
            if above and not _ENTRY_BEGINS.search(above):
                continue
            yield NamedSetting(names=(match[1],), line=row + 1, quoted=(f'"{match[1]}"',))


def _namespaced(source: SideText, language: str) -> Iterator[NamedSetting]:
    """Constants of Python that have the form of a metric with a namespace."""
    for row, line in source.changed() if language == "python" and "etric" in source.text else ():
        if match := _NAMESPACED.match(line):
            yield NamedSetting(names=(match[1],), line=row + 1, text=line)


def _made(source: SideText, language: str) -> Iterator[NamedSetting]:
    small = _SMALL.get(language, ())
    for call in touched_calls(source, _CALLEES[language], language, _WORDS, small):
        name = _name(call, language, source.text)
        if name and _NAME.fullmatch(name):
            at = source.text.find(name, call.start, call.end)
            yield NamedSetting(
                names=(name,),
                line=source.line_at(at if at >= 0 else call.start),
                text=source.text[call.start : call.end],
            )


def _name(call: CodeCall, language: str, text: str) -> str | None:
    """The name, if the call has an argument that only metrics have: a description."""
    if language == "python":
        told = any(k in call.named for k in _TOLD)
        described = call.positional[1].lstrip("( \n")[:1] if len(call.positional) > 1 else ""
        if not told and described not in {'"', "'"}:
            return None
        given = call.get("name", 0) or ""
        built = _BUILT_BY.fullmatch(given)
        return built[1] if built else literal(given)
    if call.callee.endswith("NewDesc"):
        given = call.get("", 0) or ""
        built = _BUILT.fullmatch(given)
        return _joined(built[1].split(","), text) if built else literal(given)
    if language in {"go", "javascript", "typescript"}:
        fields = dict(p.split(":", 1) for p in _fields(call) if ":" in p)
        named = fields.get("Name") or fields.get("name")
        if named is None:
            return literal(call.get("", 0)) if len(call.positional) > 1 else None
        return _joined([fields.get("Namespace", ""), fields.get("Subsystem", ""), named], text)
    return literal(call.get("", 0))


_BUILT_BY = re.compile(r"[\w.]{0,60}name\w{0,20}\(\s*[\"'](\w+)[\"']\s*\)")
"""The name of a metric to which a method of the program adds the beginning."""


def _joined(parts: Sequence[str], text: str) -> str | None:
    """A name from its parts; none if the last one is unknown."""
    *first, last = (part.strip() for part in parts)
    if (name := _value(last, text)) is None:
        return None
    return "_".join([value for part in first if (value := _value(part, text))] + [name])


def _value(written: str, text: str) -> str | None:
    """The value of a plain string or of a constant in the same file."""
    if not _IDENTIFIER.fullmatch(written):
        return literal(written)
    return literal(_constants(text).get(written))


@lru_cache(maxsize=4)
def _constants(text: str) -> dict[str, str]:
    return {m["name"]: m["value"] for m in reversed([*_CONSTANT.finditer(text)])}


def _fields(call: CodeCall) -> Iterator[str]:
    """The fields of an object or composite literal, given directly or as the only argument."""
    for part in call.positional:
        inner = part.strip()
        if inner.startswith("{") and inner.endswith("}"):
            yield from (p.strip() for p in re.split(r",\s*\n|,\s(?=\w+:)", inner[1:-1]))
        else:
            yield inner
