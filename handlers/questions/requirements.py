"""The versions that a branch requires, by its manifests and lock files."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from weakref import WeakKeyDictionary

from digest.core.change import Side, printable
from digest.core.facts import Fact
from digest.core.grade import Graded
from digest.core.patterns import lazy
from digest.document import Code, Spans
from digest.frozen import frozen
from digest.i18n import answer_text
from digest.i18n.phrase import join, list_in_words
from digest.topics.terms import pieces, term
from handlers.context import Context
from handlers.ports.storage import Source, Tip
from handlers.questions.declared_names import came_to
from handlers.questions.named_history import is_whole

_MOST = 60  # manifests that are read, those nearest to the root first

_ASIDE = lazy(r"(?:^|[/_.-])(?:tests?|testing|examples?|playground|benchmarks?|fixtures?|docs)/")

_OWN = lazy(r"^\.github/|dockerfile", re.IGNORECASE)
"""Files that say how the project itself is built; they come last."""

OTHER_NAMES = {
    "golang": "go",
    "pytorch": "torch",
    "sklearn": "scikit-learn",
    "msrv": "rust",
    "rustc": "rust",
    "nodejs": "node",
    "node.js": "node",
}


@frozen(kw_only=False)
class Requirement:
    """A dependency or toolchain as written in a manifest; ``version`` is empty if any will do."""

    name: str
    version: str
    path: str
    line: int
    toolchain: bool = False


async def find_requirements(name: str, ctx: Context, tip: Tip) -> Sequence[Requirement]:
    """The requirements of a name, those that users need first.

    If no manifest names it, it may be an indirect dependency, whose versions the lock files have.
    """
    pins, locks = await _manifests(ctx, tip)
    if chosen := next((some for some in _chosen(name, pins) if some), ()):
        return chosen
    return await _locked(name, locks, ctx, tip) if _PACKAGE.fullmatch(name) else ()


async def pinned_now(needed: Requirement, ctx: Context, tip: Tip) -> Sequence[Requirement]:
    """The versions that the project itself uses, where its requirement allows several."""
    exact = re.fullmatch(r"[\w.+-]+", needed.version) and "Cargo.toml" not in needed.path
    if needed.toolchain or exact:
        return ()
    _, locks = await _manifests(ctx, tip)
    return await _locked(needed.name, locks, ctx, tip)


async def required_line(needs: Sequence[Requirement], ctx: Context, tip: Tip) -> Spans:
    """The required versions with their manifests; those that users need come first.

    Where they allow several, the one that the project itself uses is before them.
    """
    pinned = await pinned_now(needs[0], ctx, tip)
    name, value = Code(needs[0].name), _versions(needs, ctx)
    if not pinned:
        return answer_text.REQUIRED_NOW(ctx.language, name=name, value=value)
    return answer_text.PINNED_NOW(
        ctx.language, name=name, pinned=_versions(pinned, ctx), value=value
    )


def _versions(needs: Sequence[Requirement], ctx: Context) -> Spans:
    versions: dict[tuple[str, str], Spans] = {}
    for one in needs:
        version = f"{one.name} {one.version}" if one.name != needs[0].name else one.version
        shown = Code(version) if one.version else answer_text.ANY_VERSION(ctx.language)
        place = Code(f"{printable(one.path)}:{one.line}")
        versions.setdefault((one.name, one.version), join([shown, " (", place, ")"]))
    return list_in_words(list(versions.values()), ctx.language, limit=3)


def pins(fact: Fact, needed: Requirement) -> bool:
    """Whether a fact set the version that is now required."""
    named = is_whole(fact.name, needed.name)  # not "go.uber.org/zap" for "go"
    there = named and fact.evidence.path == needed.path
    return there and (fact.after or "").endswith(needed.version)


def is_bump(graded: Graded, facts: Sequence[Fact], needed: Requirement) -> bool:
    """Whether a change set the version that is now required."""
    if facts:
        return any(pins(fact, needed) for fact in facts)
    title = graded.title[:_MOST_TITLE]
    told = _VERSION.findall(title)
    other = told and not any(one.startswith(needed.version.lstrip("v")) for one in told)
    return not other and re.search(r"\b(?:bump|updat|upgrad)", title, re.IGNORECASE) is not None


_MOST_TITLE = 300
_VERSION = re.compile(r"\d+(?:\.\d+)+")
"""A version in a title; for a lock file it may be higher than the required one."""


async def raised(
    needed: Requirement, version: str, ctx: Context, tip: Tip, *, past: bool = False
) -> tuple[str, str]:
    """The commit since which at least a version is required, or one ``past`` it, and which one.

    Both are empty if the branch does not require it, or has done so ever since it had the file.
    """
    wanted, least = _numbers(version), [""]

    def requires(text: str) -> bool:
        pins = _pinned({("", needed.path): text})
        lowest = (_LEAST.match(one.version) for _, one in pins if one.name == needed.name)
        bounds = [match[1] for match in lowest if match]
        met = [one for one in bounds if _meets(_numbers(one), wanted, past=past)]
        least[0] = min(met, key=_numbers, default=least[0])
        return bool(met) and len(met) == len(bounds)

    place = (tip.sha or "", needed.path)
    texts = await ctx.watched.source.contents([place])
    if not wanted or not requires(texts.get(place, "")):
        return "", ""
    sha = await came_to(needed.path, requires, ctx, tip)
    return sha, least[0] if sha else ""


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d{1,6}", version)[:4])


def _meets(least: tuple[int, ...], wanted: tuple[int, ...], *, past: bool) -> bool:
    return least[: len(wanted)] > wanted if past else least >= wanted


_LEAST = lazy(r"[\^~>=]{0,3} ?v?(\d+(?:\.\d+)*)")
"""The least version that a requirement allows, unless it begins with an upper bound."""


Pins = Sequence[tuple[bool, Requirement]]
"""Requirements, each with whether only developers need it."""

_HELD: WeakKeyDictionary[Source, tuple[str | None, Pins, Sequence[str]]] = WeakKeyDictionary()
"""The tip that was read last of each source, its requirements and its lock files."""


async def _manifests(ctx: Context, tip: Tip) -> tuple[Pins, Sequence[str]]:
    """What the manifests at a tip require, and the lock files; read once for many questions."""
    from digest.facts.dependencies import reader_of

    source = ctx.watched.source
    if (known := _HELD.get(source)) and known[0] == tip.sha:
        return known[1:]
    files = await source.files(tip)
    manifests = [path for path in files if reader_of(path) and not _ASIDE.search(path)]
    manifests.sort(key=lambda path: (bool(_OWN.search(path)), path.count("/"), path))
    places = [(tip.sha or "", path) for path in manifests[:_MOST]]
    texts = await source.contents(places)
    pins = await asyncio.to_thread(lambda: tuple(_pinned(texts)))
    locks = [p for p in files if _TESTED.search(p) or (_LOCK.search(p) and not _ASIDE.search(p))]
    locks = sorted(locks, key=lambda path: path.count("/"))[:_LOCKS]
    if len(texts) == len(places):  # otherwise some could not be fetched
        _HELD[source] = tip.sha, pins, locks
    return pins, locks


_LOCK = lazy(
    r"(?:^|/)(?:(?:Cargo|uv|poetry|pdm)\.lock|go\.sum|package-lock\.json|pnpm-lock\.yaml)$"
)
_TESTED = lazy(r"^requirements/tests?/[\w.-]+\.txt$")  # what tests run with
_LOCKS = 6
_PACKAGE = lazy(r"@?[a-z0-9][a-z0-9./-]*[-/.][a-z0-9./-]*[a-z0-9]")
"""Names that only packages have, unlike words and classes."""


async def _locked(name: str, locks: Sequence[str], ctx: Context, tip: Tip) -> Sequence[Requirement]:
    texts = await ctx.watched.source.contents([(tip.sha or "", path) for path in locks])
    return await asyncio.to_thread(lambda: list(_entries(name, texts)))


def _entries(name: str, texts: Mapping[tuple[str, str], str]) -> Iterator[Requirement]:
    """The versions of a package in lock files."""
    bare = re.escape(name)
    entry = lazy(
        rf'^(?:name = "{bare}"\nversion = "|{bare}(?: v|==)'
        rf'| +"node_modules/{bare}": {{\n +"version": "'
        rf"| +'?{bare}@)(?P<version>\d[\w.+-]*)",
        re.MULTILINE,
    )
    for (_, path), text in texts.items():
        for match in entry.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            yield Requirement(name, match["version"], path, line=line)


def _pinned(texts: Mapping[tuple[str, str], str]) -> Iterator[tuple[bool, Requirement]]:
    from digest.facts.dependencies import reader_of
    from digest.facts.side_text import SideLines

    for (_, path), text in texts.items():
        lines = tuple(enumerate(text.split("\n"), 1))
        side = SideLines(path=path, side=Side.NEW, changed=lines, text=text)
        reader = reader_of(path)
        for pin in reader(side) if reader else ():
            version, toolchain = pin.version or "", pin.toolchain
            yield (
                pin.detail.endswith(" dev"),
                Requirement(pin.name, version, path, line=pin.line, toolchain=toolchain),
            )


def _chosen(name: str, found: Pins) -> Iterator[Sequence[Requirement]]:
    """The likeliest requirements: with the name, else with its end, else its beginning."""
    if name.isupper() and "_" in name:  # a variable, even if a package has that name
        yield [one for _, one in found if one.name == name]
        return
    wanted = term(OTHER_NAMES.get(name.lower(), name))
    # Of files of the same depth, those come first whose version most of them require.
    often = Counter((one.name, one.version) for _, one in found)

    def rank(pin: tuple[bool, Requirement]) -> tuple[bool, bool, bool, int, int]:
        aside, one = pin
        own, depth = bool(_OWN.search(one.path)), one.path.count("/")
        return aside, not one.version, own, depth, -often[one.name, one.version]

    ranked = [one for _, one in sorted(found, key=rank)]
    if any(one.version for one in ranked if term(one.name) == wanted):
        ranked = [one for one in ranked if one.version]
    yield [one for one in ranked if term(one.name) == wanted]
    yield [one for one in ranked if term(re.sub(r"/v\d+$", "", one.name).split("/")[-1]) == wanted]
    if len(pieces(name)) > 1:
        yield [one for one in ranked if term(one.name).endswith(wanted)]
    yield [one for one in ranked if re.split(r"[-_/@]", one.name.lower())[0] == name.lower()]
