"""In-memory fakes of the ports: they fulfil the protocols and record their calls."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import takewhile
from zoneinfo import ZoneInfo

from digest.answer.listing import Listed, area_of, survey_of
from digest.answer.tallies import people_of
from digest.core.change import Change, Commit, FileChange, FileStatus, Hunk
from digest.core.enums import Language
from digest.core.facts import FACTS_VERSION
from digest.core.grade import Graded, Repository
from digest.core.reference import Query
from digest.core.release import TaggedRelease, eligible, spellings
from digest.core.request import closing
from digest.errors import UnknownBranch
from digest.facts.extract import extract
from digest.grading.importance import grade
from digest.topics.index_terms import topics_of
from digest.window import Window, merge_windows
from handlers.context import Context
from handlers.ports.storage import Outcome, Range, Selection, Tip, TitledCommit, Watched

REPOSITORY = Repository(name="octo/engine", web="https://github.com/octo/engine", forge="github")


@dataclass
class FakeClock:
    """A clock that stands still until it is told to advance."""

    at: datetime = datetime(2026, 1, 23, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def advance(self, by: timedelta) -> None:
        self.at += by


@dataclass(eq=False)
class FakeSource:
    """A branch of changes, newest first; ``calls`` holds the methods' names with their arguments."""

    branch_changes: Sequence[Change] = ()
    branch: str = "main"
    blobs: Mapping[str, str] = field(default_factory=dict)
    trees: Mapping[tuple[str, str], str] = field(default_factory=dict)
    batch: int = 50
    calls: list[tuple[object, ...]] = field(default_factory=list)
    failure: Exception | None = None
    tags: Mapping[str, str] = field(default_factory=dict)
    tagged: datetime | None = None

    def _called(self, *what: object) -> None:
        self.calls.append(what)
        if self.failure is not None:
            raise self.failure

    async def sync(self, since: datetime | None = None) -> None:
        self._called("sync")

    async def tip(self, branch: str | None = None) -> Tip:
        self._called("tip", branch)
        if branch not in {None, self.branch}:
            raise UnknownBranch(str(branch), [self.branch])
        newest = self.branch_changes[0].sha if self.branch_changes else None
        return Tip(branch=self.branch, sha=newest)

    async def resolve(self, reference: str) -> str:
        self._called("resolve", reference)
        if reference in self.tags:
            return self.tags[reference]
        for change in self.branch_changes:
            if reference in {change.sha, self.branch} or change.sha.startswith(reference):
                return change.sha
        raise UnknownBranch(reference, list(self.tags))

    async def release(self, name: str) -> TaggedRelease | None:
        self._called("release", name)
        order = [c.sha for c in self.branch_changes]
        for tag in spellings(name):
            if tag in self.tags:
                below = order[order.index(self.tags[tag]) + 1 :]
                older = {t: below.index(s) for t, s in self.tags.items() if s in below}
                before = min(eligible(tag, older), key=older.get, default="")
                return TaggedRelease(tag=tag, before=before, at=self.tagged)
        return None

    async def releases(self) -> dict[str, datetime | None]:
        self._called("releases")
        order = [c.sha for c in self.branch_changes]
        tags = sorted(self.tags, key=lambda tag: order.index(self.tags[tag]))
        return dict.fromkeys(tags, self.tagged)

    async def changes(self, branch: Tip, selection: Selection) -> AsyncIterator[Sequence[Change]]:
        self._called("changes", branch, selection)
        chosen = self._chosen(selection)
        for start in range(0, len(chosen), self.batch):
            yield chosen[start : start + self.batch]

    async def names(self, branch: Tip, selection: Selection) -> Sequence[str]:
        self._called("names", branch, selection)
        return [c.sha for c in self._chosen(selection)]

    async def count(self, branch: Tip, selection: Selection) -> int:
        self._called("count", branch, selection)
        return len(self._chosen(selection))

    async def find(
        self,
        branch: Tip,
        number: int | None = None,
        sha: str = "",
        text: str = "",
        issue: int | None = None,
    ) -> Sequence[str]:
        self._called("find", branch, number, sha)
        if issue is not None:
            return [
                c.sha
                for c in self.branch_changes
                if issue in closing(c.commit.message, REPOSITORY.name)
            ]
        if sha:
            return [c.sha for c in self.branch_changes if c.sha.startswith(sha)]
        if text:
            return [c.sha for c in self.branch_changes if text in c.commit.message]
        named = (f"(#{number})", f"#{number} ", f"!{number}")
        return [
            c.sha for c in self.branch_changes if any(n in f"{c.commit.message} " for n in named)
        ]

    async def is_ancestor(self, base: str, tip: str) -> bool:
        self._called("is_ancestor", base, tip)
        order = [c.sha for c in self.branch_changes]
        return base in order and tip in order and order.index(tip) <= order.index(base)

    async def backported(self, branch: Tip) -> frozenset[str]:
        return frozenset()

    async def released(self, branch: Tip, sha: str, subject: str) -> tuple[str, Sequence[str]]:
        order = [c.sha for c in self.branch_changes]
        places = {tag: order.index(tip) for tag, tip in self.tags.items() if tip in order}
        having = [tag for tag, place in places.items() if sha in order[place:]]
        return max(having, key=places.__getitem__, default=""), ()

    async def texts(self, blobs: Sequence[str]) -> Mapping[str, str]:
        self._called("texts", tuple(blobs))
        return {b: self.blobs[b] for b in blobs if b in self.blobs}

    async def mentions(
        self, commit: str, words: Collection[str], *, settings: bool = False
    ) -> Mapping[str, Collection[str]] | None:
        self._called("mentions", commit, tuple(sorted(words)))
        here = {p: text for (c, p), text in self.trees.items() if c == commit}
        searched = [p for p in here if p.endswith((".yaml", ".toml")) == settings]
        return {w: {p for p in searched if w in here[p]} for w in words}

    async def lines_with(
        self, commit: str, parts: Collection[str]
    ) -> Mapping[str, Sequence[int]] | None:
        self._called("lines_with", commit, tuple(parts))
        found: dict[str, list[int]] = {}
        for (_, path), text in ((at, t) for at, t in self.trees.items() if at[0] == commit):
            for number, line in enumerate(text.lower().split("\n"), 1):
                if all(part in line for part in parts):
                    found.setdefault(path, []).append(number)
        return found

    async def titles(self, branch: Tip, after: str = "") -> Sequence[TitledCommit]:
        self._called("titles", branch)
        later = takewhile(lambda c: c.sha != after, self.branch_changes)
        return [TitledCommit(c.sha, c.commit.subject, c.commit.body) for c in later]

    async def log(
        self, branch: Tip, path: str = "", before: datetime | None = None, *, mainline: bool = False
    ) -> Sequence[tuple[str, str]]:
        self._called("log", path, mainline)
        return [
            (c.sha, c.commit.author)
            for c in self.branch_changes
            if before is None or c.commit.committed_at < before
            if not path or any(f"{f.path}/".startswith(f"{path}/") for f in c.files)
        ]

    async def difference(self, base: str, tip: str, paths: Collection[str]) -> Sequence[FileChange]:
        self._called("difference", base, tip, tuple(paths))
        later = self._chosen(Range(base=base, tip=tip))
        files = {f.path: f for c in reversed(later) for f in c.files if f.path in paths}
        return list(files.values())

    async def files(self, branch: Tip) -> Mapping[str, str]:
        return {path: path for commit, path in self.trees if commit == branch.sha}

    async def contents(self, places: Collection[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
        self._called("contents", tuple(places))
        return {place: self.trees[place] for place in places if place in self.trees}

    def _chosen(self, selection: Selection) -> list[Change]:
        if isinstance(selection, Window):
            return [c for c in self.branch_changes if c.commit.committed_at in selection]
        if isinstance(selection, Range):
            order = [c.sha for c in self.branch_changes]
            first = order.index(selection.tip)
            last = order.index(selection.base) if selection.base in order else len(order)
            return list(self.branch_changes[first:last])
        wanted = set(selection)
        return [c for c in self.branch_changes if c.sha in wanted]


@dataclass(eq=False)
class FakeArchive:
    """Graded changes by repository and sha; ``queries`` holds the queries of selections."""

    kept: dict[str, dict[str, Graded]] = field(default_factory=dict)
    saves: list[tuple[str, ...]] = field(default_factory=list)
    queries: list[Query] = field(default_factory=list)

    @classmethod
    def of(cls, repository: Repository, changes: Iterable[Graded]) -> FakeArchive:
        return cls(kept={repository.name: {c.sha: c for c in changes}})

    def _all(self, repository: Repository) -> list[Graded]:
        kept = self.kept.get(repository.name, {}).values()
        return sorted(kept, key=lambda g: (g.commit.committed_at, g.sha), reverse=True)

    async def save(self, repository: Repository, changes: Sequence[Graded]) -> None:
        self.saves.append(tuple(c.sha for c in changes))
        mine = self.kept.setdefault(repository.name, {})
        for change in changes:
            held = mine.get(change.sha)
            if held is None or held.facts.version <= change.facts.version:
                mine[change.sha] = change

    async def aged(self, repository: Repository, shas: Sequence[str]) -> frozenset[str]:
        mine = self.kept.get(repository.name, {})
        return frozenset(s for s in shas if s in mine and mine[s].facts.version != FACTS_VERSION)

    async def current(
        self, repository: Repository, shas: Sequence[str], graded_by: str
    ) -> frozenset[str]:
        mine = self.kept.get(repository.name, {})
        return frozenset(
            s
            for s in shas
            if s in mine
            and mine[s].facts.version == FACTS_VERSION
            and mine[s].grade.by == graded_by
        )

    async def load(self, repository: Repository, shas: Sequence[str]) -> Mapping[str, Graded]:
        mine = self.kept.get(repository.name, {})
        return {s: mine[s] for s in shas if s in mine}

    async def find(
        self, repository: Repository, number: int | None = None, sha: str = ""
    ) -> Sequence[Graded]:
        if sha:
            return [g for g in self._all(repository) if g.sha.startswith(sha)]
        return [g for g in self._all(repository) if g.number == number]

    async def select(self, repository: Repository, query: Query) -> Sequence[Graded]:
        self.queries.append(query)
        met = [g for g in self._all(repository) if _meets(g, query)]
        return met[: query.limit] if query.limit else met

    async def survey(
        self, repository: Repository, query: Query, page: int, language: Language
    ) -> Listed:
        self.queries.append(query)
        return survey_of([g for g in self._all(repository) if _meets(g, query)], page, language)

    async def vocabulary(
        self, repository: Repository, among: Collection[str] | None = None
    ) -> Mapping[str, int]:
        borne = Counter(t for g in self._all(repository) for t in topics_of(g))
        return borne if among is None else {t: borne[t] for t in among if t in borne}

    async def alike(self, repository: Repository, names: Sequence[str]) -> Mapping[str, int]:
        return await self.vocabulary(repository)


def _meets(graded: Graded, query: Query) -> bool:
    conditions: list[Callable[[], bool]] = [
        lambda: query.among is None or graded.sha in query.among,
        lambda: query.window is None or graded.commit.committed_at in query.window,
        lambda: not query.topics or not topics_of(graded).isdisjoint(query.topics),
        lambda: (
            not query.about
            or any(
                all(not terms.isdisjoint(topics_of(graded)) for terms in sets)
                for sets in query.about
            )
        ),
        lambda: all(t.lower() in _text(graded) for t in query.terms),
        lambda: (
            not query.paths
            or any(f.path.startswith(p) for f in graded.facts.files for p in query.paths)
        ),
        lambda: query.level is None or graded.grade.level.rank <= query.level.rank,
        lambda: (
            query.author.lower() == people_of(graded)[0].lower()
            if query.whole_author
            else query.author.lower() in people_of(graded)[0].lower()
        ),
        lambda: query.area is None or area_of(graded) is query.area,
    ]
    return all(condition() for condition in conditions)


def _text(graded: Graded) -> str:
    parts = [graded.commit.message]
    parts += [f.path for f in graded.facts.files]
    parts += [i.name for i in graded.facts.items]
    return "\n".join(parts).lower()


@dataclass
class FakeCoverage:
    """Tips by channel and outcomes by sha."""

    tips: dict[tuple[str, str, str], str] = field(default_factory=dict)
    outcomes: dict[tuple[str, str], Outcome] = field(default_factory=dict)
    stretches: dict[tuple[str, str], tuple[Window, ...]] = field(default_factory=dict)

    async def seen(self, repository: Repository, branch: str, channel: str) -> str | None:
        return self.tips.get((repository.name, branch, channel))

    async def record(
        self,
        repository: Repository,
        branch: str,
        channel: str,
        tip: str | None,
        outcomes: Sequence[Outcome],
    ) -> None:
        for outcome in outcomes:
            self.outcomes[repository.name, outcome.sha] = outcome
        if tip is not None:
            self.tips[repository.name, branch, channel] = tip

    async def states(self, repository: Repository, shas: Sequence[str]) -> Mapping[str, Outcome]:
        found = {s: self.outcomes.get((repository.name, s)) for s in shas}
        return {s: o for s, o in found.items() if o is not None}

    async def covered(self, repository: Repository, branch: str) -> Sequence[Window]:
        return self.stretches.get((repository.name, branch), ())

    async def cover(self, repository: Repository, branch: str, window: Window) -> None:
        held = self.stretches.get((repository.name, branch), ())
        self.stretches[repository.name, branch] = merge_windows([*held, window])


def commit(
    sha: str, message: str = "a change", at: datetime | None = None, author: str = "Ada"
) -> Commit:
    """A commit whose hash is ``sha``, padded with zeros to 40 digits."""
    moment = at or datetime(2026, 1, 20, 12, 0, tzinfo=UTC)
    return Commit(
        sha=sha.ljust(40, "0"),
        parents=(),
        author=author,
        email=f"{author.lower().replace(' ', '.')}@example.org",
        authored_at=moment,
        committed_at=moment,
        message=message,
    )


def change(
    sha: str,
    message: str,
    files: Mapping[str, int] | None = None,
    at: datetime | None = None,
    author: str = "Ada",
) -> Change:
    """A change that adds the given number of lines to each file."""
    return Change(
        commit=commit(sha, message, at, author),
        files=tuple(
            FileChange(
                path=path,
                status=FileStatus.MODIFIED,
                added=lines,
                hunks=(Hunk(old_start=1, new_start=2, removed=(), added=("x = 1",) * lines),),
            )
            for path, lines in (files or {"src/core.py": 3}).items()
        ),
    )


def graded(
    sha: str,
    message: str,
    files: Mapping[str, int] | None = None,
    at: datetime | None = None,
    author: str = "Ada",
) -> Graded:
    """The change with the facts and the grade that the program gives it."""
    made = change(sha, message, files, at, author)
    facts = extract(made, {})
    return Graded(commit=made.commit, facts=facts, grade=grade(facts))


def context(
    source: FakeSource,
    archive: FakeArchive | None = None,
    *,
    repository: Repository = REPOSITORY,
    at: datetime | None = None,
    zone: str = "UTC",
    language: Language = Language.EN,
    aliases: Mapping[str, tuple[str, ...]] | None = None,
) -> Context:
    """The context of a use case, all of it in memory."""
    return Context(
        watched=Watched(repository=repository, source=source, aliases=dict(aliases or {})),
        archive=archive or FakeArchive(),
        coverage=FakeCoverage(),
        clock=FakeClock(at) if at else FakeClock(),
        zone=ZoneInfo(zone),
        language=language,
    )
