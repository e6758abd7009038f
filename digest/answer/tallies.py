"""Numbers of an answer's changes: by author, by file, by day as a chart, and what they gain."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from digest.core.authors import is_bot
from digest.core.change import FileStatus, printable
from digest.core.enums import Language
from digest.core.facts import Action, FileFacts
from digest.core.grade import Graded, Level, Repository
from digest.core.patterns import lazy
from digest.document import Block, Chart, Code, Item, Listing, Paragraph, Span, Spans, Strong, Text
from digest.i18n import answer_text as wording
from digest.i18n.phrase import Phrase, join
from digest.i18n.statement_text import LEVEL_MARKS
from digest.report.blocks import author_link

MOST_PEOPLE = 15  # people that are named, those with most changes first; the others are counted


def people_of(graded: Graded) -> tuple[str, ...]:
    """The authors of a change, the main one first; bots count only if no person is named."""
    author = " ".join(graded.commit.author.split())
    names = (author, *graded.facts.co_authors)
    bots = {name for name in names if is_bot(name)} | (
        {author} if is_bot(author, graded.commit.email) else set()
    )
    return tuple(name for name in names if name not in bots) or names


def reviewers_of(graded: Graded) -> tuple[str, ...]:
    """Who reviewed a change by the trailers of its commit, in their order."""
    named = (value for token, value in graded.facts.trailers if token.lower() in _REVIEWED_BY)
    return tuple(dict.fromkeys(value.partition("<")[0].strip() or value for value in named))


_REVIEWED_BY = frozenset({"reviewed-by", "acked-by", "approved-by", "tested-by"})


def by_author(
    changes: Sequence[Graded], repository: Repository, language: Language, most: int = MOST_PEOPLE
) -> tuple[Block, ...]:
    """The authors with their numbers of changes, and of important ones; bots are separate."""
    levels: dict[str, Counter[Level | None]] = {}
    beside: Counter[str] = Counter()
    for graded in changes:
        author, *others = people_of(graded)
        levels.setdefault(author, Counter())[graded.grade.level] += 1
        beside.update(others)
    counted = {name: levels.get(name, Counter()) for name in (*levels, *beside)}
    return _people(wording.BY_AUTHORS, counted, beside, repository, language, most=most)


def ranked_authors(changes: Sequence[Graded]) -> list[str]:
    """The authors in the order of ``by_author``, without bots."""
    counted = Counter(people_of(graded)[0] for graded in changes)
    beside = Counter(other for graded in changes for other in people_of(graded)[1:])
    ranked = sorted(counted, key=lambda name: (-counted[name], -beside[name], name))
    return [name for name in ranked if not is_bot(name)][:MOST_PEOPLE]


def by_commits(
    authors: Sequence[str],
    repository: Repository,
    language: Language,
    title: Phrase = wording.EVER_BY_AUTHORS,
) -> tuple[Block, ...]:
    """The authors of all commits that a branch ever had of something, with their numbers."""
    levels: dict[str, Counter[Level | None]] = {
        name: Counter({None: n}) for name, n in Counter(authors).items()
    }
    return _people(title, levels, Counter(), repository, language)


def _people(
    title: Phrase,
    levels: Mapping[str, Counter[Level | None]],
    beside: Counter[str],
    repository: Repository,
    language: Language,
    *,
    most: int = MOST_PEOPLE,
) -> tuple[Block, ...]:
    ranked = sorted(
        levels.items(), key=lambda person: (-person[1].total(), -beside[person[0]], person[0])
    )
    people = [person for person in ranked if not is_bot(person[0])]
    bots = {name: n for name, counted in ranked if is_bot(name) and (n := counted.total())}
    items = [
        Item(
            _line(
                author_link(name, repository) if counted else Text(name),
                counted,
                beside[name],
                language,
            )
        )
        for name, counted in people[:most]
    ]
    if len(people) > most:
        items.append(Item((Text(wording.MORE_PEOPLE.text(language, n=len(people) - most)),)))
    if bots:
        named = ", ".join(wording.PERSON.text(language, name=name, n=n) for name, n in bots.items())
        items.append(Item((Text(wording.BOTS.text(language, bots=named)),)))
    wrote = sum(1 for _, counted in people if counted)
    head = title.text(language, n=wrote)
    if beside_only := len(people) - wrote:
        head = wording.BESIDE.text(language, head=head, n=beside_only)
    return Paragraph((Strong(head),)), Listing(tuple(items))


def _line(name: Span, counted: Counter[Level | None], beside: int, language: Language) -> Spans:
    counts = [f"{LEVEL_MARKS[level]} {counted[level]}" for level in Level if counted[level]]
    also = f" · {wording.CO_AUTHORED.text(language, n=beside)}" if beside else ""
    person = wording.PERSON(language, name=name, n=counted.total()) if counted else (name,)
    marks = f" · {' '.join(counts)}" if counts else ""
    return join([*person, f"{marks}{also}"])


MOST_FILES = 15  # the most files to name, those with most changes first; the others are counted

MOST_FOLDERS = 5  # folders that are named below the files


def by_file(
    changes: Sequence[Graded],
    language: Language,
    most: int = MOST_FILES,
    *,
    actions: Collection[Action] = (),
    within: str = "",
) -> tuple[Block, ...]:
    """The files, and then the folders, with their numbers of changes and of changed lines.

    With ``actions``, only the files that the changes added, removed or renamed ``within`` a folder.
    """
    if done := next((action for action in actions if action in _STATUS_OF), None):
        found = (f for g in changes for f in files_with(g, (done,)) if f.path.startswith(within))
        paths = list(
            dict.fromkeys(
                f"{file.old_path} → {file.path}" if done is Action.RENAMED else file.path
                for file in found
            )
        )
        items = [Item((Code(printable(path)),)) for path in paths[:most]]
        if len(paths) > most:
            items.append(Item((Text(wording.MORE_FILES.text(language, n=len(paths) - most)),)))
        title = wording.FILES_DONE[done.value].text(language, n=len(paths))
        return Paragraph((Strong(title),)), Listing(tuple(items))
    files = _touched(changes, lambda path: path)
    folders = _touched(changes, lambda path: path[: path.rfind("/") + 1])
    told = _places(wording.BY_FILES, wording.MORE_FILES, files, most, language)
    if len(folders) < 2:
        return told
    named = Listing(tuple(_of_path(folder, language) for folder in folders[:MOST_FOLDERS]))
    head = wording.BY_FOLDERS.text(language, n=len(folders))
    return (*told, Paragraph((Strong(head),)), named)


_STATUS_OF = {
    Action.ADDED: FileStatus.ADDED,
    Action.REMOVED: FileStatus.DELETED,
    Action.RENAMED: FileStatus.RENAMED,
}


def files_with(graded: Graded, actions: Collection[Action]) -> list[FileFacts]:
    """The files to which a change did one of some actions."""
    statuses = {_STATUS_OF.get(action) for action in actions}
    return [file for file in graded.facts.files if file.status in statuses]


def by_folder(
    changes: Sequence[Graded], language: Language, most: int = MOST_FILES
) -> tuple[Block, ...]:
    """The folders, at most two deep, with their numbers of changes and of changed lines."""
    folders = _touched(changes, lambda path: "".join(f"{f}/" for f in path.split("/")[:-1][:2]))
    return _places(wording.BY_FOLDERS, wording.MORE_FOLDERS, folders, most, language)


def _places(
    title: Phrase, rest: Phrase, touched: Sequence[_Touched], most: int, language: Language
) -> tuple[Block, ...]:
    items = [_of_path(place, language) for place in touched[:most]]
    if len(touched) > most:
        items.append(Item((Text(rest.text(language, n=len(touched) - most)),)))
    return Paragraph((Strong(title.text(language, n=len(touched))),)), Listing(tuple(items))


_Touched = tuple[str, int, int, int]
"""A path with its numbers of changes, of added and of deleted lines."""


def _touched(changes: Sequence[Graded], named: Callable[[str], str]) -> list[_Touched]:
    """The touched files or folders, most changes first; files at the root have no folder."""
    touched: dict[str, set[str]] = {}
    lines: Counter[tuple[str, bool]] = Counter()
    for graded in changes:
        for file in graded.facts.files:
            if name := named(file.path):
                touched.setdefault(name, set()).add(graded.sha)
                lines[name, True] += file.added
                lines[name, False] += file.deleted
    rows = [(name, len(of), lines[name, True], lines[name, False]) for name, of in touched.items()]
    return sorted(rows, key=lambda row: (-row[1], -row[2] - row[3], row[0]))


def _of_path(touched: _Touched, language: Language) -> Item:
    path, n, added, deleted = touched
    name = Code(printable(path))
    return Item(wording.OF_FILE(language, path=name, n=n, added=added, deleted=deleted))


MOST_BARS = 62
"""Days of a chart with one bar each, two months; for longer periods the bars are weeks."""


def by_time(
    changes: Iterable[Graded],
    per: str,
    language: Language,
    *,
    zone: ZoneInfo,
    first: datetime,
    last: datetime,
) -> Chart:
    """The number of changes committed per ``day``, ``week`` or ``month`` of a zone, or 0."""
    # ``first`` and ``last`` are moments within the first and the last bar. With more than
    # ``MOST_BARS`` days the bars are weeks, named by their Monday.
    begin, end = first.astimezone(zone).date(), last.astimezone(zone).date()
    if per == "day" and (end - begin).days >= MOST_BARS:
        per = "week"
    named = _BAR_OF[per]
    counts: dict[str, int] = {}
    for n in range((end - begin).days + 1):
        counts[named(begin + timedelta(days=n))] = 0
    for change in changes:
        bar = named(change.commit.committed_at.astimezone(zone).date())
        counts[bar] = counts.get(bar, 0) + 1
    bars = sorted(counts)
    return Chart(
        title=wording.PER_TIME[per].text(language),
        labels=tuple(bars),
        values=tuple(counts[bar] for bar in bars),
    )


_BAR_OF: Mapping[str, Callable[[date], str]] = {
    "day": date.isoformat,
    "week": lambda day: (day - timedelta(days=day.weekday())).isoformat(),
    "month": lambda day: f"{day:%Y-%m}",
}


_FIGURE = lazy(r"\d[\d.,]{0,8}(?:[-~–]\d[\d.,]{0,8})? ?(?:%|x\b|×|[mµn]s\b|tok(?:ens)?/s|[GM]B/s)")
_GAIN = lazy(r"(?P<n>\d{1,6}(?:\.\d{1,4})?) ?(?P<unit>%|x\b|×)", re.IGNORECASE)
_LESS = lazy(r"reduc|less|lower|fewer|sav(?:e|ing)|drop|decreas|\bcut|shorter", re.IGNORECASE)
_MOST_READ = 2_000  # characters of a paragraph


def figure_of(graded: Graded) -> str:
    """The words around a figure by the author of a change: ``~60% better TTFT``; or empty."""
    for text in (graded.title, *graded.facts.paragraphs):
        if match := _FIGURE.search(text[:_MOST_READ]):
            around = text[max(0, match.start() - 40) : match.end() + 40]
            return " ".join(around.split()[bool(match.start() > 40) :])
    return ""


def gain_of(graded: Graded) -> float:
    """How many times as fast a change makes something by its author's figure, 1.0 if unknown."""
    # *60% better* is 1.6, *50% less* is 2.0. Figures of different things are compared.
    figure = figure_of(graded)
    gains = [1.0]
    for match in _GAIN.finditer(figure):
        n = float(match["n"])
        if match["unit"] != "%":
            gains.append(n)
        elif not _LESS.search(figure):
            gains.append(1 + n / 100)
        elif n < 100:
            gains.append(1 / (1 - n / 100))
    return max(gains)
