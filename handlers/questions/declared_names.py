"""Names in the code of a branch: their files, declarations and defaults, and who changed them."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace

from digest.analysis.context import without_dashes
from digest.core.change import Change, Commit, FileChange, Side, rewritten
from digest.core.facts import Area, Evidence, Fact, FactKind
from digest.core.grade import Graded
from digest.core.patterns import lazy
from digest.core.reference import Query
from digest.facts.paths import area_of
from digest.topics.terms import is_code_name
from handlers.context import Context
from handlers.digests.ingest import ensure
from handlers.ports.storage import Tip

_WORD = lazy(r"(?:--)?[A-Za-z_][\w-]*(?:\.\w[\w-]*)*|(?:/[\w{}-]+)+", re.ASCII)
"""Names that can be searched for as a word in a tree, and the paths of HTTP routes."""

_SEARCHED = 6  # the most files whose history is searched for a name that no archived change touched


async def introduced(name: str, ctx: Context, tip: Tip) -> Sequence[Graded]:
    """The change that added a present name to the first of its files."""
    there = tip.sha and is_code_name(name) and await files_with(name, ctx, tip.sha)

    def has(text: str) -> bool:
        return name in text

    shas = [await came_to(path, has, ctx, tip) for path in list(there or ())[:_SEARCHED]]
    return sorted(
        await ensure(ctx, list(filter(None, shas)), tip), key=lambda g: g.commit.committed_at
    )[:1]


async def introduced_before(
    name: str, gone: Graded, path: str, ctx: Context, tip: Tip
) -> Sequence[Graded]:
    """The change that added a name to a file that another one removed it from."""
    whole = lazy(rf"(?<![\w-]){re.escape(name)}(?![\w-])")

    def has(text: str) -> bool:
        return whole.search(text) is not None

    sha = await came_to(path, has, ctx, tip, before=gone.sha)
    return await ensure(ctx, [sha] if sha else [], tip)


_VALUED = frozenset({FactKind.FLAG, FactKind.ENVIRONMENT, FactKind.CONFIG})
_MOST_FILES = 40  # the most files of the changes about a name that are searched for it


async def taken(name: str, found: Sequence[Graded], ctx: Context, tip: Tip) -> Sequence[Graded]:
    """The change that removed a name from the file that had it in the newest changes about it."""
    name = name.lstrip("-") if "." in name else name  # as Go declares a flag
    whole = lazy(rf"(?<![\w-]){re.escape(name)}(?![\w-])")
    quoted = lazy(rf"[\"']{re.escape(name)}[\"']")  # a comment may keep the name
    files = [(g.sha, f.path) for g in found for f in g.facts.files if f.area is Area.CORE]
    texts = await ctx.watched.source.contents(files[:_MOST_FILES])
    having = (
        (p, one)
        for one in (quoted, whole)
        for sha, p in files
        if one.search(texts.get((sha, p), ""))
    )
    path, had = next(having, ("", whole))
    places = [(tip.sha or "", path)]

    def has_not(text: str) -> bool:
        return text != "" and had.search(text) is None

    if not path or not has_not((await ctx.watched.source.contents(places)).get(places[0], "")):
        return ()
    sha = await came_to(path, has_not, ctx, tip)
    return await ensure(ctx, [sha], tip) if sha else ()


async def revalued(
    found: Sequence[tuple[Graded, Sequence[Fact]]], ctx: Context, tip: Tip, *, name: str = ""
) -> Sequence[Graded] | None:
    """The change that set the present default or removed it, if the fact is outdated.

    Empty if the fact is still correct, or the file at the tip does not show it; ``None`` if the
    fact is outdated but the change is unknown. ``name`` is given if no change mentioned a default.
    """
    facts = ((graded, fact) for graded, some in found for fact in some)
    valued = (one for one in facts if one[1].after is not None and one[1].kind in _VALUED)
    told, fact = next(valued, (None, None))
    held = fact is not None
    if not held and name:
        some = await ctx.archive.select(ctx.watched.repository, Query(limit=1))
        told = next((graded for graded in (*(g for g, _ in found), *some)), None)
        fact = next(iter(await defaults_now(name, ctx, tip)), None)
    if told is None or fact is None or fact.kind not in _VALUED or not tip.sha:
        return ()
    place = (tip.sha, fact.evidence.path)
    text = (await ctx.watched.source.contents([place])).get(place, "")
    now = await asyncio.to_thread(_declared, text, told, fact)
    gone = text != "" and _bare(fact) not in text
    after = (now.after or "") if now is not None else ""
    open_value = after in UNSET or after.rpartition(".")[2].isupper()  # set later, or elsewhere
    if not gone and (now is None or (now.after == fact.after if held else open_value)):
        return ()

    def has(text: str) -> bool:
        if gone:
            return text != "" and _bare(fact) not in text
        then = _declared(text, told, fact)
        return then is not None and now is not None and then.after == now.after

    sha = await came_to(fact.evidence.path, has, ctx, tip)
    known = {graded.sha for graded, _ in found}
    if not sha:
        return None if held else ()
    return await ensure(ctx, [sha] if sha not in known else [], tip)


_DECLARES = lazy(r"config|arg|setting|option|param|env|flag|cli|main", re.IGNORECASE)

_READ = 8  # the most files to read for the default of a name, those that declare settings first


async def defaults_now(name: str, ctx: Context, tip: Tip) -> list[Fact]:
    """The flags, variables and settings with a name, with their defaults.

    A name in plain words may belong to a switch that begins with "enable" or "disable".
    """
    bare = re.sub(r"[\s-]+", "_", name.lstrip("-"))
    for prefix in ("", "enable_", "disable_") if " " in name else ("",):
        if found := await _defaults_of(f"{prefix}{bare}", ctx, tip):
            return [await _resolved_default(fact, ctx, tip) for fact in found]
    return []


async def _resolved_default(fact: Fact, ctx: Context, tip: Tip) -> Fact:
    """The fact, with the value of its default if that is another setting."""
    field = _FIELD.fullmatch(fact.after or "")
    others = await _defaults_of(field[1], ctx, tip) if field else []
    named = (one.after for one in others if one.name == fact.after and one.after is not None)
    return next((replace(fact, after=value) for value in named), fact)


async def behind_flag(fact: Fact, ctx: Context, tip: Tip) -> tuple[str | None, str]:
    """The default of a flag and its description, by the setting that the flag is for.

    Of several with its name, that is the one whose value the flag or another setting takes.
    """
    from digest.facts.help_text import beside

    bare = _bare(fact).replace("-", "_")
    found, texts = await _declarations(bare, {bare}, ctx, tip)
    settings = [one for one in found if one.kind is FactKind.CONFIG and one.public is not False]
    taken = {one.after for one in (fact, *settings)}
    named = [one for one in settings if one.name in taken] or settings
    if len({one.name for one in named}) != 1:
        return fact.after, ""
    setting = named[0]
    lines = texts.get(setting.evidence.path, "").split("\n")
    value = setting.after if fact.after in {None, setting.name} else fact.after
    return value, beside(lines, (setting.evidence.line or 0) - 1)


_FIELD = lazy(r"[A-Z]\w{1,60}\.([a-z]\w{2,60})", re.ASCII)


async def flags_now(name: str, ctx: Context, tip: Tip) -> list[str]:
    """The program files that declare a command-line flag, in whatever form."""
    dashed = name.lstrip("-")
    bare = dashed.replace("-", "_")
    for words in ({name, f'"{dashed}"', f"'{dashed}'"}, {bare, dashed}):
        found, _ = await _declarations(bare, words, ctx, tip)
        flags = (f for f in found if f.kind is FactKind.FLAG and f.name.split()[-1] == name)
        if places := list(dict.fromkeys(fact.evidence.path for fact in flags)):
            return places
    return []


async def described_now(name: str, ctx: Context, tip: Tip) -> tuple[str, Evidence] | None:
    """The help text, docstring or comment beside the declaration of a name."""
    from digest.facts.help_text import beside

    bare = re.sub(r"-", "_", name.lstrip("-"))
    found, texts = await _declarations(bare, {bare, bare.replace("_", "-")}, ctx, tip)
    for at in (fact.evidence for fact in found if fact.kind is not FactKind.DEPRECATION):
        lines = texts.get(at.path, "").split("\n")
        if text := beside(lines, (at.line or 0) - 1):
            return text, at
    return await _described_type(bare, ctx, tip) if name == bare else None


async def deprecated_now(name: str, ctx: Context, tip: Tip) -> Fact | None:
    """What calls a name deprecated beside its declaration, with its replacement if that is told."""
    bare = re.sub(r"-", "_", name.lstrip("-"))
    found, texts = await _declarations(bare, {bare, bare.replace("_", "-")}, ctx, tip)
    marks = [fact for fact in found if fact.kind is FactKind.DEPRECATION]
    own = (m for m in marks if m.name == name or (name.isupper() and m.name.endswith(name)))
    declared = [f.evidence for f in found if f not in marks and f.name.split()[-1] == name]
    beside = (m for m in marks if _first_below(m, bare, texts) in declared)
    return next(own, None) or next(beside, None)


async def said_deprecated(name: str, ctx: Context, tip: Tip) -> Evidence | None:
    """Where a text of the code says that a name is deprecated: an argument of a decorator."""
    source, sha = ctx.watched.source, tip.sha or ""
    found = await source.lines_with(sha, (name, "deprecated")) if sha and is_code_name(name) else {}
    paths = [path for path in found or () if area_of(path) is Area.CORE][:_READ]
    texts = await source.contents([(sha, path) for path in paths])
    says = lazy(rf"(?<!\w){re.escape(name)}\b\W{{0,4}}(?: \w+)? (?:is|has been) deprecated\b")
    for path in paths:
        lines = texts.get((sha, path), "").split("\n")
        for line in (found or {})[path]:
            if line <= len(lines) and says.search(lines[line - 1][:_LONGEST_LINE]):
                return Evidence(path=path, line=line, side=Side.NEW)
    return None


_LONGEST_LINE = 1_000  # characters of a line; longer ones are data


def _first_below(mark: Fact, bare: str, texts: Mapping[str, str]) -> Evidence:
    """Where code first has a name below a mark, else the mark: what follows is another owner's."""
    from digest.facts.help_text import COMMENT

    path, line = mark.evidence.path, mark.evidence.line or 0
    lines, has_name = texts[path].split("\n"), _name_in_text(bare)
    below = range(line, min(len(lines), line + 2 * _NEAR))
    code = (n for n in below if not COMMENT.match(lines[n]))
    first = next((n + 1 for n in code if has_name.search(lines[n])), line)
    return replace(mark.evidence, line=first)


async def _described_type(name: str, ctx: Context, tip: Tip) -> tuple[str, Evidence] | None:
    """The docstring or comment beside the definition of a class, a type or a function."""
    from digest.facts.help_text import beside

    if not tip.sha or not _DOTTED.fullmatch(name):
        return None
    there = await ctx.watched.source.mentions(tip.sha, [f"{word} {name}" for word in _DEFINES])
    paths = {path for some in (there or {}).values() for path in some}
    first = sorted((p for p in paths if area_of(p) is Area.CORE), key=lambda p: (p.count("/"), p))
    texts = await ctx.watched.source.contents([(tip.sha, path) for path in first[:_READ]])
    defines = lazy(rf"\s*(?:[\w()]+ ){{0,4}}(?:{'|'.join(_DEFINES)}) {re.escape(name)}\b")
    for path in first:
        lines = texts.get((tip.sha, path), "").split("\n")
        for row, line in enumerate(lines):
            if defines.match(line) and (text := beside(lines, row)):
                return text, Evidence(path=path, line=row + 1, side=Side.NEW)
    return None


_DEFINES = ("class", "struct", "type", "interface", "trait", "enum", "func", "fn", "def")


async def _defaults_of(bare: str, ctx: Context, tip: Tip) -> list[Fact]:
    found, texts = await _declarations(bare, {bare, bare.replace("_", "-")}, ctx, tip)
    some = await ctx.archive.select(ctx.watched.repository, Query(limit=1))
    tabled = [
        await asyncio.to_thread(_from_table, fact, texts[fact.evidence.path], some[0].commit)
        for fact in found
    ]
    valued = [
        replace(f, after=_constant(f.after, texts.values()))
        for f in tabled
        if f.kind in _VALUED and f.after is not None and not f.after.endswith(f".{bare}")
    ]
    given = [fact for fact in valued if fact.after not in UNSET]
    plain = [fact for fact in given if "(" not in (fact.after or "")]  # others are composed
    return plain or given or valued


async def declaring(
    words: Collection[str], ctx: Context, tip: Tip
) -> Mapping[tuple[str, str], str]:
    """The program files with one of some words, those that declare settings first."""
    there = await ctx.watched.source.mentions(tip.sha, words) if tip.sha else None
    paths = {path for some in (there or {}).values() for path in some if area_of(path) is Area.CORE}
    first = by_settings_first(paths)[:_READ]
    return await ctx.watched.source.contents([(tip.sha or "", path) for path in first])


def by_settings_first(paths: Iterable[str]) -> list[str]:
    """The paths with those first that probably declare flags and settings."""
    return sorted(paths, key=lambda path: (not _DECLARES.search(path), path.count("/"), path))


async def _declarations(
    bare: str, words: Collection[str], ctx: Context, tip: Tip
) -> tuple[list[Fact], Mapping[str, str]]:
    """The declarations of a name in the program, and the texts that were read, by path."""
    some = await ctx.archive.select(ctx.watched.repository, Query(limit=1))
    if not tip.sha or not some or not _DOTTED.fullmatch(bare):
        return [], {}
    texts = await declaring(words, ctx, tip)
    has_name = _name_in_text(bare)
    found: list[Fact] = []
    for (_, path), text in texts.items():
        facts = await asyncio.to_thread(_added_names, path, text, has_name, some[0])
        if bare[:1].isupper():  # programs call a setting so, and only tables give its default
            facts = [
                *facts,
                *await asyncio.to_thread(_given_in_tables, path, text, bare, some[0].commit),
            ]
        named = ((f, without_dashes(f.name).replace("::", ".")) for f in facts)
        found += (f for f, called in named if f".{called}".endswith(f".{bare.lower()}"))
    return found, {path: text for (_, path), text in texts.items()}


_DOTTED = lazy(r"[A-Za-z_][\w.]{2,80}", re.ASCII)
UNSET = frozenset({"None", "null", "nil", "undefined"})
"""Defaults that are computed later."""


def _constant(value: str, texts: Iterable[str]) -> str:
    """The literal of a constant that is defined in one of the texts; otherwise the value itself."""
    last = value.rpartition(".")[2].rpartition("::")[2]
    if not last.isupper():
        return value
    given = lazy(
        rf"^[\w\s]{{0,40}}\b{re.escape(last)}\b[^=\n]{{0,40}}= ?([\w.\"'-]{{1,40}});?$",
        re.MULTILINE,
    )
    return next((match[1] for text in texts if (match := given.search(text))), value)


def _declared(text: str, told: Graded, fact: Fact) -> Fact | None:
    """The fact with the default that a file declares for its name."""
    bare = _bare(fact)
    if bare not in text:
        return None
    found = _added_names(fact.evidence.path, text, _name_in_text(bare), told)
    owner = fact.name.rpartition(".")[0]
    given = _given_in_tables(fact.evidence.path, text, bare, told.commit) if owner else ()
    return next((f for f in (*found, *given) if (f.kind, f.name) == (fact.kind, fact.name)), None)


def _from_table(fact: Fact, text: str, commit: Commit) -> Fact:
    """The fact of a field of Go that files set, with the default that a table in its file gives."""
    owner, path = fact.name.rpartition(".")[0], fact.evidence.path
    lines = text.split("\n")[(fact.evidence.line or 1) - 1 :][:1]
    field = _GO_FIELD.match(lines[0]) if owner and path.endswith(".go") and lines else None
    if field is None or fact.kind is not FactKind.CONFIG or fact.after is not None:
        return fact
    given = _given_in_tables(path, text, field[1], commit)
    own = [one for one in given if one.name == f"{owner}.{field[1]}"]
    return replace(fact, after=own[0].after, evidence=own[0].evidence) if own else fact


_GO_FIELD = lazy(r"\t([A-Z]\w{1,60})[ \t]")


def _given_in_tables(path: str, text: str, name: str, commit: Commit) -> Sequence[Fact]:
    """The defaults that tables of defaults in a file give a member, as if they were others before.

    Such a table has no declarations, so only a change of a member tells of its value.
    """
    member = lazy(rf"(\s+[\"']?{re.escape(name)}[\"']?\s*[:=]\s+)([\w.:]{{1,60}}\()?")
    heads = ((row, member.match(line)) for row, line in enumerate(text.split("\n")))
    called = {row: (head[1], head[2] or "") for row, head in heads if head}
    was = {
        row: f"{head}{call}{_OTHER_VALUE}{')' if call else ''},"
        for row, (head, call) in called.items()
    }
    rows = list(was)[:_MOST_LINES]
    facts = _facts_of(*rewritten(path, text, rows, {row: was[row] for row in rows}), commit)
    return [replace(fact, before=None) for fact in facts if _OTHER_VALUE in (fact.before or "")]


_OTHER_VALUE = "918273645"


def _name_in_text(bare: str) -> re.Pattern[str]:
    """A pattern for a name whose words may be joined by underscores or hyphens."""
    spelled = re.escape(bare).replace("_", "[_-]").replace(r"\-", "[_-]")
    return lazy(rf"(?<![\w-])(?:--)?{spelled}(?![\w-])")


def _added_names(path: str, text: str, words: re.Pattern[str], told: Graded) -> Sequence[Fact]:
    """The facts of a file about a name, as if its lines, and what deprecates it, were new."""
    lines = text.split("\n")
    own = [n for n, line in enumerate(lines) if words.search(line)][:_MOST_LINES]
    near = {n for row in own for n in range(max(0, row - _NEAR), min(len(lines), row + _NEAR + 1))}
    marks = {n for n in near if "deprecated" in lines[n].lower()}
    return names_on(path, text, sorted({*own, *marks}), told)


def names_on(path: str, text: str, rows: Sequence[int], told: Graded) -> Sequence[Fact]:
    """The facts of a file about what stands on some rows, from 0, as if these were new."""
    return _facts_of(*rewritten(path, text, rows), told.commit)


_MOST_LINES = 40
_NEAR = 20  # lines between a name and what deprecates it


def _facts_of(file: FileChange, texts: Mapping[str, str], commit: Commit) -> Sequence[Fact]:
    from digest.facts.extract import extract  # loads every finder

    return extract(Change(commit=commit, files=(file,)), texts).items


def _bare(fact: Fact) -> str:
    return fact.name.lstrip("-").rpartition(".")[2]


async def came_to(
    path: str, has: Callable[[str], bool], ctx: Context, tip: Tip, *, before: str = ""
) -> str:
    """The commit that added something to a file that already existed; empty if unknown.

    ``before`` is the commit that removed it again, if one did.
    """
    past = [sha for sha, _ in await ctx.watched.source.log(tip, path, mainline=True)]
    past = past[past.index(before) + 1 :] if before in past else past
    texts: dict[tuple[str, str], str] = {}
    having, without = -1, len(past)  # positions, newest first
    while without - having > 1:
        middle = (having + without) // 2
        texts |= await ctx.watched.source.contents([(past[middle], path)])
        if has(texts.get((past[middle], path), "")):
            having = middle
        else:
            without = middle
    known = having >= 0 and without < len(past) and (past[without], path) in texts
    return past[having] if known else ""


async def files_with(name: str, ctx: Context, sha: str) -> Sequence[str] | None:
    """The program files that contain a word, tests last; ``None`` if they cannot be read.

    A name that no program has may be a setting of files that are read as they are.
    """
    source, listed = ctx.watched.source, [name]
    there = await source.mentions(sha, listed) if _WORD.fullmatch(name) else None
    if there is not None and not there.get(name) and not name.startswith("-"):
        # Where some of these are absent from a partial clone, programs alone decide.
        others = await source.mentions(sha, listed, settings=True) or {}
        shown = (path for path in others.get(name, ()) if not path.startswith("."))  # not of CI
        there = {name: [path for path in shown if area_of(path) in _SET_IN]}
    if there is None:
        return None
    found = there.get(name, ())
    return sorted(found, key=lambda p: ("test" in p, area_of(p) is not Area.CORE, p))


_SET_IN = {Area.CORE, Area.CONFIG, Area.BUILD}
