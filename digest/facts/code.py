"""Facts of program text: symbols, flags, environment variables, fields, routes and metrics.

Declarations of a Python file are read as far as a change touches them, those of other languages
through a syntax tree. The closed set of details, by kind:

- symbol, added, removed or renamed: ``class``, ``function``, ``method`` and the like, with the
  signature before or after (the names if it was renamed). A class covers its members.
- symbol, changed: ``default`` (``name`` is ``function.parameter``; no value means that it must be
  given), ``required parameter added``, ``parameter added``, ``parameter removed``, ``parameter
  renamed``, ``signature`` (order, kind, ``async``), ``types`` (annotations alone), ``bases``,
  ``visibility`` (``public`` and ``private``), ``moved`` (before and after are paths).
- symbol, removed: ``overload`` if others of its name stay.
- symbol of TypeScript, added or removed: ``export`` if a module only passes the name on.
- flag: empty, ``default`` or ``choices`` if changed, ``alias`` for a second name, ``command`` if
  only the command that ``name`` begins with has lost or gained it.
- environment: empty if declared (in a table, as a setting), ``read`` if read where it is needed,
  ``default`` if changed.
- config: ``field``, ``default`` or ``type`` if changed; ``name`` is ``Class.field``. A feature of a
  crate is a ``feature`` with its own name, a setting that a text defines a ``key``, of a
  Helm chart a ``value``.
- route and metric: empty.

The public interface is that of the core; flags and variables in build files count too. Tests,
documents, examples and benchmarks do not count, since nobody relies on them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, partial

from tree_sitter import Node, Tree

from digest.core.change import FileChange, FileStatus
from digest.core.facts import Area, Fact
from digest.facts import (
    class_fields,
    env_variables,
    flags,
    metrics,
    named_settings,
    option_tables,
    routes,
    settings_files,
    symbols,
)
from digest.facts.languages import patterns
from digest.facts.paths import is_script
from digest.facts.prefilter import may_declare, may_set
from digest.facts.side_text import FileContext, SideText, constants
from digest.facts.similarity import last_part
from digest.facts.syntax import c_family, go, java, javascript, rust
from digest.facts.syntax.declarations import (
    BasesOf,
    Declaration,
    DeclaredField,
    PublicDeclaration,
    grouped,
    name_row,
)
from digest.facts.syntax.grammar import (
    Known,
    ParseBudget,
    TooComplex,
    bodies,
    parse,
    text_of,
    without,
)
from digest.facts.syntax.python_headers import PythonModule

_READERS: dict[str, Callable[[Node, str], Iterator[Declaration]]] = {
    "rust": rust.declarations,
    "go": go.declarations,
    "javascript": javascript.declarations,
    "typescript": javascript.declarations,
    "java": java.declarations,
    "cpp": c_family.declarations,
    "cuda": c_family.declarations,
}
_DECLARED = re.compile(
    r"\b(?:fn|struct|enum|union|trait|const|static|type|class|interface|function|let|var|record)"
    r"\s++(?=(\w++))"
)
_ALIAS = re.compile(
    r"^[ \t]*(?:export |pub )?(?:type |using )?([\w.]++)(?:<[^>\n]*>)? = ", re.MULTILINE
)
_PASSED_ON = re.compile(r"^(?:import|export) \{([^{}]*)\}", re.MULTILINE)
_MADE = re.compile(
    r"^\w+! ?\{\n(?:[ \t]++(?!pub )[^\n]*+\n|\n){0,40}+[ \t]++pub (?:enum|struct) (\w+)",
    re.MULTILINE,
)
"""A type that a macro of Rust makes, with members that the file does not show."""
_LAST = re.compile(r"\w+$")
_BASE = re.compile(r"(\w+)(?:<[^<>]*>)?\s*(?:,|$)")
_EMBEDDED = patterns("embedded")
_INHERITED = frozenset({"method", "constant"})


def reads(language: str, path: str) -> bool:
    """Whether public declarations can be read from files of this language and name."""
    if language in {"cpp", "cuda"}:
        return c_family.is_header(path)
    return language in _READERS


class TreeCode:
    """One side of a file; its tree is built once and used by the finders of symbols and fields.

    It is built from that of the side ``beside`` it, if there is one by then.
    Methods that need the tree raise ``TooComplex`` if ``budget`` is too small to build it.
    """

    def __init__(
        self,
        source: SideText,
        language: str,
        budget: ParseBudget,
        beside: TreeCode | None = None,
    ) -> None:
        self.source = source
        self.language = language
        self._budget = budget
        self._beside = beside
        self.read: tuple[str, Tree] | None = None
        self.is_whole = False  # whether the tree has the bodies of functions

    @cached_property
    def tree(self) -> Tree:
        """The syntax tree, without the bodies of functions if the rest of the text is plain."""
        text = self.source.text
        if not (self._beside and self._beside.is_whole):
            short = without(text, self._bodies)
            tree = self._parsed(short)
            self.is_whole = tree.root_node.has_error and len(short) < len(text)
            if not self.is_whole:
                return tree
        return self._parsed(text)

    @cached_property
    def _bodies(self) -> list[tuple[int, int]]:
        return bodies(self.source.text, values=self.language in {"javascript", "typescript"})

    def keeps_headers(self) -> bool:
        """Whether the change only touches lines inside the bodies of functions."""
        ends = [end for _, end in self._bodies]
        for first, last in self.source.spans:
            at = bisect_left(ends, last - 1)
            if at == len(ends) or first <= self._bodies[at][0]:
                return False
        return True

    def _parsed(self, text: str) -> Tree:
        """The tree of a text without what the grammar does not support."""
        if self.grammar == "cpp":
            text = c_family.without_attributes(text)
        elif self.language == "typescript":
            text = javascript.without_types_of_all(text)
        known = None
        if self._beside and self._beside.read and self._beside.grammar == self.grammar:
            rows = self._beside.source.rows, self.source.rows
            known = Known(*self._beside.read, [*zip(*rows, strict=False)])
        tree = parse(text, self.grammar, self._budget, known)
        self.read = text, tree
        return tree

    @property
    def grammar(self) -> str:
        """The name of the grammar that reads this file."""
        if self.language == "typescript":
            return "tsx" if self.source.path.endswith("x") else "typescript"
        return {"cuda": "cpp"}.get(self.language, self.language)

    @cached_property
    def _all(self) -> list[Declaration]:
        if not self.source.text:
            return []
        return list(_READERS[self.language](self.tree.root_node, self.source.path))

    @cached_property
    def _by_name(self) -> dict[str, list[Declaration]]:
        return grouped(self._all, lambda one: one.name)

    @cached_property
    def _by_last_part(self) -> dict[str, list[Declaration]]:
        return grouped(self._all, lambda one: last_part(one.name))

    @cached_property
    def _fields(self) -> dict[str, list[Declaration]]:
        return grouped((d for d in self._all if d.kind == "field"), lambda one: one.parent)

    def entries(self) -> Iterator[PublicDeclaration]:
        """The public declarations, except fields, whose header the change touches."""
        for one in self._all:
            if one.kind != "field" and self._touches(one):
                yield self._entry(one)

    def named(self, entry: PublicDeclaration) -> list[PublicDeclaration]:
        """All public declarations of the same name, touched or not."""
        return [self._entry(d) for d in self._by_name.get(entry.name, ()) if d.kind != "field"]

    def may_name(self, name: str) -> bool:
        """Whether a name may be declared in another file or a place that could not be parsed."""
        if "export *" in self.source.changed_text:
            return True
        if self.language == "rust" and (
            not self._made.isdisjoint(re.findall(r"\w+", name))
            or f"macro_rules! {name} " in self.source.text
        ):
            return True
        if not self.source.text or not self.tree.root_node.has_error:
            return False
        last = _LAST.search(name)
        return last is not None and last.group() in self._words

    @cached_property
    def _made(self) -> frozenset[str]:
        return frozenset(_MADE.findall(self.source.text))

    @cached_property
    def _words(self) -> frozenset[str]:
        return frozenset(re.findall(r"\w++", self.source.text))

    def hides(self, entry: PublicDeclaration) -> bool:
        """Whether a changed line declares the same name without making it public."""
        last = _LAST.search(entry.name)
        return self.grammar != "cpp" and last is not None and last.group() in self._changed_names

    @cached_property
    def _changed_names(self) -> frozenset[str]:
        return frozenset(_DECLARED.findall(self.source.changed_text))

    def inherits(self, entry: PublicDeclaration, known: BasesOf) -> bool:
        """Whether a type has a base that the change added, and that may have the member."""
        if entry.kind in {"method", "constructor"} and last_part(entry.parent) in self._aliases:
            return True
        return entry.kind in _INHERITED and any(
            base not in known(entry.parent)
            and (base not in self._by_name or f"{base}.{last_part(entry.name)}" in self._by_name)
            for base in self.bases(entry.parent)
        )

    def owners(self) -> tuple[str, ...]:
        """The types with fields that the change touches."""
        return tuple(
            dict.fromkeys(d.parent for d in self._all if d.kind == "field" and self._touches(d))
        )

    def fields(self, owner: str) -> Mapping[str, DeclaredField] | None:
        """All public fields of a type, or ``None`` if there is no such type."""
        heads = self._heads(owner)
        those = self._fields.get(owner, [])
        if not (heads or those) or owner in self._aliases:
            return None
        if self.language == "rust" and any(d.kind == "enum" for d in heads):
            return None  # its variants have other types, with fields of their own
        bodies = [body for d in heads if (body := d.node.child_by_field_name("body"))]
        doubt = any(n.type == "ERROR" for body in bodies for n in body.children)
        if doubt if self.grammar == "cpp" else self.may_name(owner):
            return None
        return {d.name.rpartition(owner)[2].lstrip(".:"): self._field(d) for d in those}

    def _heads(self, owner: str) -> list[Declaration]:
        """The declarations of a type, which fields of C++ name without its namespaces."""
        whole = self.grammar != "cpp" or "::" in owner
        those = (self._by_name if whole else self._by_last_part).get(owner, ())
        return [d for d in those if d.kind not in {"field", "export"}]

    @cached_property
    def _aliases(self) -> frozenset[str]:
        """Types that are other names for those whose members are declared elsewhere."""
        listed = _PASSED_ON.findall(self.source.text) if self.language in _BUNDLED else ()
        named = {n for names in listed for n in re.findall(r"\w+", names) if not self._heads(n)}
        return frozenset((*_ALIAS.findall(self.source.text), *named))

    def bases(self, owner: str) -> tuple[str, ...]:
        """The types that a type inherits or embeds."""
        those = self._heads(owner)
        if self.language in _EMBEDDED:
            pattern = _EMBEDDED[self.language]
            return tuple(name for d in those for name in pattern.findall(text_of(d.node)))
        return tuple(b for d in those for base in d.read().bases for b in _BASE.findall(base))

    def _field(self, one: Declaration) -> DeclaredField:
        return DeclaredField(
            owner=one.parent,
            name=one.name[len(one.parent) :].lstrip(".:"),
            line=name_row(one.node) + 1,
            touched=self._touches(one),
            read=partial(_parts, one),
            above=one.above,
        )

    def _touches(self, one: Declaration) -> bool:
        return self.source.touches_rows(one.node.start_point.row - one.above, one.head)

    def _entry(self, one: Declaration) -> PublicDeclaration:
        return PublicDeclaration(
            kind=one.kind,
            name=one.name,
            parent=one.parent,
            line=name_row(one.node) + 1,
            head=lambda: one.head + 1,
            read=one.read,
            body=partial(self._body, one.node),
            quiet=one.kind == javascript.FOREIGN,
        )

    def _body(self, node: Node) -> str:
        """The text of a node with its body."""
        first, last = node.start_point.row, node.end_point.row
        lines = self.source.text[self.source.offset(first + 1) : self.source.offset(last + 2) - 1]
        start = text_of(node).partition("\n")[0]
        return lines[max(lines.partition("\n")[0].find(start), 0) :]


def _parts(one: Declaration) -> tuple[str, str | None]:
    read = one.read()
    return " ".join(p for p in (read.prefix, read.returns) if p) or "?", one.value


_LONGEST = 4_000_000  # characters; a longer file is data, whatever its name
_LONGEST_TREE = 400_000  # characters of a file that is parsed
_BUNDLED = frozenset({"javascript", "typescript"})
"""Languages whose build files configure bundlers, which concerns only the developers."""

_SETTING = (Area.CORE, Area.BUILD)


def wants(file: FileChange, area: Area, language: str) -> bool:
    """Whether the whole texts of a file are needed to interpret its change.

    This depends on the changed lines alone. Added and deleted files never need them: their hunks
    are complete.
    """
    if area not in _SETTING or file.status in {FileStatus.ADDED, FileStatus.DELETED}:
        return False
    if may_set(file.hunks, language) or (area is Area.CORE and constants(file.hunks)):
        return True
    if area is Area.CORE and (
        option_tables.may_change(file.hunks, language)
        or (language == "python" and class_fields.may_go(file.hunks))
        or (language == "python" and settings_files.is_module(file.path))
        or (language == "python" and settings_files.may_declare_one(file.hunks))
        or (language in _BUNDLED and settings_files.may_list(file.path, file.hunks))
        or settings_files.may_hold(file.hunks, language)
    ):
        return True
    return (
        area is Area.CORE
        and _has_symbols(file.path, language)
        and may_declare(file.hunks, language)
    )


def find(scene: FileContext) -> Iterable[Fact]:
    """The facts of one file, in no particular order; none if its texts are missing.

    A file that is too large or too complex to parse is noted in the change's budget.
    """
    if scene.area not in _SETTING or scene.file.omitted or scene.file.binary:
        return ()
    if scene.area is Area.BUILD and (scene.language in _BUNDLED or is_script(scene.file.path)):
        return ()  # tools of developers
    both = scene.texts
    if both is None or max(len(s.text) for s in both) > _LONGEST:
        return ()
    facts: list[Fact] = []
    try:
        for fact in _found(scene, *both):
            facts.append(fact)  # noqa: PERF402 - what was found before a file proved too complex
    except TooComplex:
        scene.budget.unparsed.add(scene.file.path)
    return facts


def _found(scene: FileContext, before: SideText, after: SideText) -> Iterator[Fact]:
    language = scene.language
    if language == "cmake":
        yield from named_settings.build_options(before, after)
    hunks, core = scene.file.hunks, scene.area is Area.CORE
    fixed = core and bool(constants(hunks))
    if fixed or may_set(hunks, language):
        yield from flags.find(before, after, language)
        yield from env_variables.find(before, after, language)
        if core:
            yield from routes.find(before, after, language)
            yield from metrics.find(before, after, language)
    if not core:
        return
    yield from option_tables.find(before, after, language)
    told: set[str] = set()
    if language == "python":
        yield from option_tables.find_tables(before, after)
        yield from settings_files.find_classes(before, after)
        if settings_files.is_module(after.path):
            for fact in settings_files.find_constants(before, after):
                told |= {fact.name, fact.before or ""}
                yield replace(fact, public=True)
    elif language in _BUNDLED:
        yield from settings_files.find_options(before, after)
    else:
        yield from settings_files.find_rows(before, after, language)
    if _has_symbols(after.path, language) and (fixed or may_declare(hunks, language)):
        for fact in _declared(scene, before, after):
            told |= {fact.name, f"{fact.name.rpartition('.')[0]}.{fact.before}"}
            yield class_fields.as_flag(fact, after.text) if language == "python" else fact
    if language == "python":
        for find_fields in (class_fields.find_gone, class_fields.find_come):
            yield from (f for f in find_fields(before, after) if f.name not in told)


def _declared(scene: FileContext, before: SideText, after: SideText) -> Iterator[Fact]:
    language = scene.language
    if language == "python":
        module = (one := PythonModule(before)), PythonModule(after, one)
        yield from symbols.compare(*module)
        yield from class_fields.compare(*module)
    else:
        if max(len(side.text) for side in (before, after)) > _LONGEST_TREE:
            raise TooComplex
        old = TreeCode(before, language, scene.budget)
        tree = (old, TreeCode(after, language, scene.budget, old))
        if not all(side.keeps_headers() for side in tree):
            yield from symbols.compare(*tree)
            yield from class_fields.compare(*tree)


def _has_symbols(path: str, language: str) -> bool:
    return language == "python" or reads(language, path)
