"""What somebody wants: a closed set of intents, and how each is written down.

Imports ``grade``, ``kind``, ``language``, ``managing``, ``period``, ``reference``, ``span`` and
``window``.
"""

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
    """One change, told in full."""

    reference: Reference


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed:
    """What changed in a topic within a window or between two references.

    ``topic`` is the asker's own words, or empty for every topic; ``author`` a part of a name;
    ``path`` the begin of a path; ``level`` the least level; of ``kinds`` one is enough; ``label``
    is a label or bracketed tag. Empty ones do not narrow. ``daily`` asks for numbers by day,
    ``people`` for numbers by author, ``files`` by file; ``defaults`` for the defaults that changed.
    ``things`` asks for names of these kinds by what was done to them, ``actions``; without an
    action whatever it was, and with an action alone of every public kind.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Touched:
    """What happened to a named thing of the code: a class, a function, a flag, a variable.

    ``window`` is ``None`` for all that is archived.
    """

    name: str
    window: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """Changes whose text holds every term; ``window`` is ``None`` for all that is archived.

    The other fields narrow as those of :class:`Changed` do.
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
    """The digest of a window, or of what lies between two references."""

    window: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Compare:
    """Two points of history held against one another, as release notes."""

    refs: Refs


@dataclass(frozen=True, slots=True, kw_only=True)
class Releases:
    """The releases of a time, or the latest ones."""

    window: Span | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchUp:
    """Everything since the asker last looked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Why a change has its grade, and how it ended; without a reference, the one spoken of."""

    reference: Reference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Risky:
    """What could go wrong with a change; without a reference, with the one spoken of."""

    reference: Reference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewers:
    """Who looked at a change; without a reference, at the one spoken of."""

    reference: Reference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Author:
    """Who wrote a change; without a reference, the one spoken of."""

    reference: Reference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowDiff:
    """The lines of a change, all or those of the files that ``part`` names."""

    part: str = ""
    reference: Reference | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """How the bot does: the last and the next runs, what waits, what may be spent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivacyOf:
    """What is kept, and what leaves the machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class More:
    """The next page of the last answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retell:
    """The last answer again, in another language, or shorter or longer."""

    language: Language | None = None
    longer: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """The last question again, of another time, topic or change, narrowed, or counted."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Nth:
    """One of the changes that the last answer listed: its place from 1, or -1 for the last.

    Place 0 is the change that is spoken of.
    """

    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Greet:
    """Somebody says hello, and may not know what can be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Help:
    """What can be asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Nothing that is understood; ``near`` are questions that would be, the nearest first.

    ``too_long`` says that the question is longer than any that is read, ``foreign`` that it is in
    a script of neither language, ``thanks`` that it is none but a word of thanks.
    """

    near: tuple[str, ...] = ()
    too_long: bool = False
    foreign: bool = False
    thanks: bool = False


Followup = More | Retell | Again | Nth
"""What makes sense only after an answer."""

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
        case ShowDiff(part=part, reference=reference):
            return f"diff{_of(reference)}" + (f' of "{part}"' if part else "")
        case Retell(language=language, longer=longer):
            return f"in {_NAMES[language]}" if language else _LONGER[bool(longer)]
        case Again():
            return _format_again(intent)
        case Nth(place=place):
            return f"number {place}" if place > 0 else "the last one" if place else "explain it"
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
    return "".join(f" {part}" for part in parts)


def _of(reference: Reference | None) -> str:
    return f" {reference}" if reference else ""


def _when(span: Span | None) -> str:
    if span is None:
        return ""
    return f" {_refs(span)}" if isinstance(span, Refs) else f" {written(span)}"


def _refs(refs: Refs) -> str:
    """References as they are read back; those of an address with the repository it named."""
    if refs.repository and refs.tip:
        return f"https://github.com/{refs.repository}/compare/{refs.base}...{refs.tip}"
    return str(refs)
