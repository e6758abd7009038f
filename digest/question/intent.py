"""The intents: a closed set of what somebody may want, and the text form of each."""

from __future__ import annotations

from dataclasses import dataclass

from digest.chat.chat_intents import Managing, format_managing
from digest.core.enums import ChangeKind, Language
from digest.core.facts import Action, FactKind
from digest.core.grade import Level
from digest.core.reference import Reference
from digest.question.commit_range import Refs, Span
from digest.question.impact_questions import (
    Affected,
    Alert,
    EditProfile,
    ProfileFrom,
    ProfileIntent,
    ShowProfile,
    format_profiling,
)
from digest.question.periods import written


@dataclass(frozen=True, slots=True, kw_only=True)
class Explain:
    """One change in full."""

    reference: Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What changed in a topic, within a window or between two references.

    ``topic`` is in the asker's own words, or empty for every topic; ``author`` is part of a name;
    ``path`` the beginning of a path; ``level`` the minimum level; one of ``kinds`` is enough;
    ``label`` is a label or bracketed tag. Empty fields do not filter. ``daily`` asks for numbers by
    day, ``people`` for numbers by author, ``files`` by file; ``defaults`` for changed defaults.
    ``things`` asks for names of these kinds by ``actions``, what was done to them: without actions
    for any, and with actions alone for names of every public kind. ``without`` names what is left
    out: kinds, parts of the project, authors, paths or topics in the asker's words.
    """

    window: Span
    topic: str = ""
    author: str = ""
    path: str = ""
    level: Level | None = None
    kinds: tuple[ChangeKind, ...] = ()
    label: str = ""
    daily: bool = False
    people: bool = False
    files: bool = False
    defaults: bool = False
    things: tuple[FactKind, ...] = ()
    actions: tuple[Action, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """What happened to a named thing of the code: a class, a function, a flag, a variable.

    ``window`` is ``None`` for the whole archive.
    """

    name: str
    window: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Changes whose text contains every term; ``window`` is ``None`` for the whole archive.

    The other fields filter as those of :class:`Changed` do.
    """

    terms: tuple[str, ...]
    window: Span | None = None
    author: str = ""
    path: str = ""
    level: Level | None = None
    kinds: tuple[ChangeKind, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DigestOf:
    """The digest of a window or of a range between two references."""

    window: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """The differences between two points of history, as release notes."""

    refs: Refs


@dataclass(frozen=True, slots=True, kw_only=True)
class Releases:
    """The releases of a period, or the latest ones."""

    window: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchUp:
    """Everything since the asker last looked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why a change has its grade, and its outcome; without a reference, the current change."""

    reference: Reference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Risky:
    """What could go wrong with a change; without a reference, the current change."""

    reference: Reference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewers:
    """Who reviewed a change; without a reference, the current change."""

    reference: Reference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who wrote a change; without a reference, the current change."""

    reference: Reference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """Which release has a change first; without a reference, the current change."""

    reference: Reference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowDiff:
    """The lines of a change, all or those of the files that ``part`` names."""

    part: str = ""
    reference: Reference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """The state of the bot: last and next runs, pending work, remaining budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyOf:
    """What is stored, and what leaves the machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class More:
    """The next page of the last answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retell:
    """The last answer again: in another language, or shorter or longer."""

    language: Language | None = None
    longer: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """The last question again: for another time, topic or change, filtered, or as counts.

    ``earlier`` asks for the same length of time before the last period.
    """

    window: Span | None = None
    topic: str = ""
    reference: Reference | None = None
    level: Level | None = None
    kind: ChangeKind | None = None
    author: str = ""
    path: str = ""
    daily: bool = False
    people: bool = False
    files: bool = False
    without: tuple[str, ...] = ()
    earlier: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Nth:
    """One change of the last answer's list: its place from 1, or -1 for the last.

    Place 0 is the current change. ``aspect`` is what is asked about it, if not all.
    """

    place: int
    aspect: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Greet:
    """A greeting from somebody who may not know what can be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """What can be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A question that is not understood; ``near`` are similar ones that are, nearest first.

    ``too_long``: the question is longer than any that is read. ``foreign``: its script belongs to
    neither language. ``thanks``: it is only a word of thanks.
    """

    near: tuple[str, ...] = ()
    too_long: bool = False
    foreign: bool = False
    thanks: bool = False


OfCurrent = Why | Risky | Reviewers | Author | Released | ShowDiff
"""Intents about one change, which may be the current one."""

OfChange = Explain | OfCurrent
"""Intents about one change."""

ASPECTS: dict[str, type[OfCurrent]] = {
    "author": Author,
    "why": Why,
    "risks": Risky,
    "reviewers": Reviewers,
    "diff": ShowDiff,
    "released": Released,
}
"""What may be asked about a change of a list."""

Followup = More | Retell | Again | Nth
"""Intents that make sense only after an answer."""

Intent = (
    Explain
    | Changed
    | Touched
    | Search
    | DigestOf
    | Compare
    | Releases
    | CatchUp
    | Why
    | Risky
    | Reviewers
    | Author
    | Released
    | ShowDiff
    | Status
    | PrivacyOf
    | More
    | Retell
    | Again
    | Nth
    | Greet
    | Help
    | Managing
    | ProfileIntent
    | Unknown
)

_FIXED: dict[type[Intent], str] = {
    CatchUp: "catch up",
    Status: "status",
    PrivacyOf: "privacy",
    More: "more",
    Help: "help",
    Greet: "hello",
    Unknown: "",
}
_NAMES = {Language.EN: "English", Language.ZH: "Chinese"}
_LONGER = {True: "longer", False: "shorter"}


def format_intent(intent: Intent) -> str:
    """An English question that is read back as the same intent; empty for ``Unknown``.

    A ``Retell`` asks for a language or a length, not for both.
    """
    if isinstance(intent, Managing):
        return format_managing(intent)
    match intent:
        case Explain(reference=reference):
            return f"explain {reference}"
        case Search():
            quoted = " ".join(f'"{t}"' for t in intent.terms)
            return f"search {quoted}{_filters(intent)}{_when(intent.window)}"
        case DigestOf(window=window):
            return f"digest{_when(window)}"
        case Changed():
            return _format_changed(intent)
        case Touched(name=name, window=window):
            return f'explain symbol "{name}"{_when(window)}'
        case Releases(window=window):
            return f"releases{_when(window)}"
        case Compare(refs=refs):
            return f"compare {_refs(refs)}"
        case Why(reference=reference):
            return f"why{_of(reference)}"
        case Risky(reference=reference):
            return f"risks{_of(reference)}"
        case Reviewers(reference=reference):
            return f"reviewers{_of(reference)}"
        case Author(reference=reference):
            return f"author{_of(reference)}"
        case Released(reference=reference):
            return f"which release has{_of(reference) or ' it'}"
        case ShowDiff(part=part, reference=reference):
            return f"diff{_of(reference)}" + (f' of "{part}"' if part else "")
        case Retell(language=language, longer=longer):
            return f"in {_NAMES[language]}" if language else _LONGER[bool(longer)]
        case Again():
            return _format_again(intent)
        case Nth(place=place, aspect=aspect):
            one = f"number {place}" if place > 0 else "the last one" if place else "explain it"
            return f"{one} {aspect}" if aspect else one
        case Affected(window=window):
            return f"affected{_when(window)}"
        case ShowProfile() | EditProfile() | ProfileFrom() | Alert():
            return format_profiling(intent)
        case _:
            return _FIXED[type(intent)]


def _format_changed(intent: Changed) -> str:
    parts = ["who touched" if intent.people else "changed"]
    if intent.topic:
        parts.append(intent.topic)
    counted = (" per day" if intent.daily else "") + (" per file" if intent.files else "")
    counted += " with changed defaults" if intent.defaults else ""
    return " ".join(parts) + _filters(intent) + counted + _when(intent.window)


def _format_again(intent: Again) -> str:
    if intent.reference:
        return f"and {intent.reference}"
    if intent.level:
        return f"only {intent.level}"
    if intent.kind:
        return f"only {intent.kind}"
    if intent.earlier:
        return "and before that"
    if intent.without:
        return " ".join(f'without:"{one}"' for one in intent.without)
    parts = [f'in "{intent.topic}"'] if intent.topic else []
    parts += [f'path:"{intent.path}"'] if intent.path else []
    parts += [f'author:"{intent.author}"'] if intent.author else []
    counted = ((intent.daily, "per day"), (intent.people, "per author"), (intent.files, "per file"))
    parts += [words for said, words in counted if said]
    return " ".join(["and", *parts]) + _when(intent.window)


def _filters(intent: Changed | Search) -> str:
    parts = [f'path:"{intent.path}"'] if intent.path else []
    if intent.author:
        parts.append(f'author:"{intent.author}"')
    if intent.level:
        parts.append(f"level:{intent.level}")
    parts += [f"kind:{kind}" for kind in intent.kinds]
    if intent.label:
        parts.append(f'label:"{intent.label}"')
    if isinstance(intent, Changed):
        parts += [f"thing:{thing}" for thing in intent.things]
        parts += [f"action:{action}" for action in intent.actions]
        parts += [f'without:"{one}"' for one in intent.without]
    return "".join(f" {part}" for part in parts)


def _of(reference: Reference | None) -> str:
    return f" {reference}" if reference else ""


def _when(span: Span | None) -> str:
    if span is None:
        return ""
    return f" {_refs(span)}" if isinstance(span, Refs) else f" {written(span)}"


def _refs(refs: Refs) -> str:
    """References in readable form; those from a URL include its repository."""
    if refs.repository and refs.tip:
        return f"https://github.com/{refs.repository}/compare/{refs.base}...{refs.tip}"
    return str(refs)
