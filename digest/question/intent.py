"""The intents: what a question can ask for. ``questions.toml`` says how to ask for each."""

from __future__ import annotations

from dataclasses import field, replace

from digest.chat.chat_intents import Managing
from digest.core.enums import Alerts, ChangeKind, Language
from digest.core.facts import Action, FactKind
from digest.core.grade import Level
from digest.core.profile import ProfileEntry
from digest.core.reference import Reference
from digest.errors import NothingBefore
from digest.frozen import frozen
from digest.question.commit_range import Refs, Span
from digest.window import Window


@frozen(kw_only=False)
class Top:
    """The first ``count`` items of a list by importance, or ``latest``, ``oldest``, ``largest``."""

    count: int
    by: str = "top"

    def __str__(self) -> str:
        """The words that are parsed back into it."""
        return f"{self.by} {self.count}"


class Enquiry:
    """A question, or a statement about what the asker uses; commands about a chat are separate."""

    __slots__ = ()


@frozen
class Explain(Enquiry):
    """One change in full."""

    reference: Reference


@frozen
class Filtered(Enquiry):
    """Conditions on changes; empty ones do not filter.

    ``author`` is part of a name; ``path`` the beginning of a path; ``level`` the minimum level; one
    of ``kinds`` is enough; ``label`` is a label or bracketed tag.
    """

    author: str = ""
    path: str = ""
    level: Level | None = None
    kinds: tuple[ChangeKind, ...] = ()
    label: str = ""


@frozen
class Changed(Filtered):
    """What changed in a topic, within a window or between two references.

    ``topic`` is in the asker's own words, or empty for every topic. ``per`` asks for numbers by
    ``day``, ``week`` or ``month``, ``people`` by author, or with ``mergers`` by who merged and with
    ``reviewers`` by who reviewed, ``files`` by file, ``folders`` by folder; ``defaults`` for
    changed defaults, ``top`` for the first ones alone, ``against`` for the numbers of another
    period beside these, ``newcomers`` for authors without an earlier commit, ``figures`` for
    changes with figures by their authors; ``undone`` for the reverts of what the author wrote, not
    of others' changes by the author; ``shipped`` for the first release of each. ``counted`` asks
    how many they are, and of how many; ``keepers`` with ``people`` for those who look after a
    topic. ``anytime``: the question names no period, or only "recently", so that a longer one may
    be searched. ``loose``: only its words say that the topic is one, so that the question makes
    sense without it.
    ``things`` asks for names of these kinds by ``actions``, what was done to them: without actions
    for any, with actions alone for names of every public kind, with ``switched``
    for those whose default is ``on`` or ``off``. ``without`` names what is left
    out: kinds, parts of the project, authors, paths or topics in the asker's words.
    """

    window: Span
    topic: str = ""
    per: str = ""
    people: bool = False
    files: bool = False
    folders: bool = False
    mergers: bool = False
    reviewers: bool = False
    top: Top | None = None
    against: Window | None = None
    anytime: bool = field(default=False, compare=False)
    counted: bool = field(default=False, compare=False)
    loose: bool = field(default=False, compare=False)
    keepers: bool = field(default=False, compare=False)
    newcomers: bool = False
    figures: bool = False
    undone: bool = False
    shipped: bool = False
    defaults: bool = False
    switched: str = ""
    things: tuple[FactKind, ...] = ()
    actions: tuple[Action, ...] = ()
    without: tuple[str, ...] = ()


@frozen
class Touched(Enquiry):
    """What happened to a named thing of the code: a class, a function, a flag, a variable.

    ``name`` is empty for the name under discussion, or the one of the current change, which is of
    one of the ``things`` if there are any. ``window`` is ``None`` for the whole archive.
    ``claim`` is what the answer begins with: yes or no on whether it is ``there``, ``needed``,
    ``gone``, ``renamed``, ``deprecated``, ``stable``, ``experimental`` or on by ``default``;
    otherwise when it was ``added`` or ``removed``, its ``value``, the first ``release`` with it, or
    what is used ``instead``. ``platform`` is the build whose required version is asked for.
    """

    name: str
    window: Span | None = None
    claim: str = field(default="", compare=False)
    platform: str = field(default="", compare=False)
    things: tuple[FactKind, ...] = field(default=(), compare=False)


@frozen
class Lookup(Enquiry):
    """The flags, variables, settings, metrics or routes that exist for a purpose.

    ``topic`` is the purpose in the words of the question, ``things`` the kinds asked for.
    """

    topic: str
    things: tuple[FactKind, ...]


@frozen
class Search(Filtered):
    """Changes whose text contains every term; ``window`` is ``None`` for the whole archive."""

    terms: tuple[str, ...]
    window: Span | None = None


@frozen
class DigestOf(Enquiry):
    """The digest of a window or of a range between two references."""

    window: Span


@frozen
class Compare(Enquiry):
    """The differences between two points of history, as release notes."""

    refs: Refs


@frozen
class PathDiff(Enquiry):
    """The lines of a file or folder that the changes of a window or a range touched."""

    path: str
    window: Span


@frozen
class Releases(Enquiry):
    """The releases of a period, or the latest ones; ``against`` another period, their number."""

    window: Span | None = None
    against: Window | None = None


@frozen
class CatchUp(Enquiry):
    """Everything since the asker last looked."""


@frozen
class Affected(Enquiry):
    """Which changes affect what the asker's profile names; without a window, the last days.

    ``its``: whether the subject under discussion does.
    """

    window: Span | None = None
    its: bool = False


@frozen
class ShowProfile(Enquiry):
    """The content of the profile: a person's own if ``mine``, else the chat's."""

    mine: bool = False


@frozen
class EditProfile(Enquiry):
    """Add entries to the profile or remove them; ``clear`` removes all."""

    add: tuple[ProfileEntry, ...] = ()
    remove: tuple[ProfileEntry, ...] = ()
    clear: bool = False
    mine: bool = False


@frozen
class ProfileFrom(Enquiry):
    """Fill the profile with what another repository's code uses of the watched one."""

    place: str
    mine: bool = False


@frozen
class Alert(Enquiry):
    """Turn immediate alerts on, about breaking changes or all that affect the profile, or off.

    With entries to ``add``, alerts that are on already stay as wide as they are.
    """

    alerts: Alerts
    mine: bool = False
    add: tuple[ProfileEntry, ...] = ()


@frozen
class OfCurrent(Enquiry):
    """A question about one change; without a reference, about the current change."""

    reference: Reference | None = None


OfChange = Explain | OfCurrent  # intents about one change


@frozen
class Why(OfCurrent):
    """Why a change has its grade, and its outcome."""


@frozen
class Risky(OfCurrent):
    """What could go wrong with a change."""


@frozen
class Reviewers(OfCurrent):
    """Who reviewed a change."""


@frozen
class Author(OfCurrent):
    """Who wrote a change."""


@frozen
class Released(OfCurrent):
    """The first release that contains a change, or whether a named ``release`` does."""

    release: str = ""


OF_NAME = {"default": "value", "instead": "instead"}
"""The aspects of one of a list that are asked of its name, each with the claim."""

SUBJECT = "its name"  # the part of a change with the name under discussion


@frozen
class ShowDiff(OfCurrent):
    """The lines of a change, all or those that ``part`` names: files, or a name in the code."""

    part: str = ""


@frozen
class Status(Enquiry):
    """The state of the bot: last and next runs, pending work, remaining budget."""


@frozen
class PrivacyOf(Enquiry):
    """What is stored, and what leaves the machine."""


@frozen
class More(Enquiry):
    """The next page of the last answer."""


@frozen
class Retell(Enquiry):
    """The last answer again: in another language, or shorter or longer."""

    language: Language | None = None
    longer: bool | None = None


@frozen
class Again(Enquiry):
    """The last question again: for another time, topic or change, filtered, or as counts.

    ``earlier`` and ``later`` ask for the time beside the last period: a ``day``, ``week``,
    ``month`` or ``year``, or a ``period`` as long; ``compared`` sets the time beside the last one;
    ``same`` asks for changes by the ``author`` of the current change, of its ``day``, or in its
    ``file``; ``back`` for the last list, or if that was narrowed, for
    all of it. ``undone``: what of a person's was reverted. ``shipped``: in which releases the last
    list is. ``only``: the last list narrowed, not one of another topic.
    """

    window: Span | None = None
    topic: str = ""
    reference: Reference | None = None
    level: Level | None = None
    kinds: tuple[ChangeKind, ...] = ()
    author: str = ""
    path: str = ""
    per: str = ""
    people: bool = False
    files: bool = False
    folders: bool = False
    top: Top | None = None
    things: tuple[FactKind, ...] = ()
    actions: tuple[Action, ...] = ()
    switched: str = ""
    without: tuple[str, ...] = ()
    earlier: str = ""
    later: str = ""
    compared: bool = False
    only: bool = False
    undone: bool = False
    shipped: bool = False
    same: str = ""
    back: bool = False


@frozen
class Nth(Enquiry):
    """One change of the last answer's list: its place from 1, or -1 for the last.

    Place 0 is the current change, or the one that ``about`` describes. ``aspect`` is what is asked
    about it, if not all. ``step`` is from the current change to the one beside it.
    """

    place: int
    about: str = ""
    aspect: str = ""
    step: int = 0


@frozen
class Greet(Enquiry):
    """A greeting from somebody who may not know the bot yet."""


@frozen
class Help(Enquiry):
    """What can be asked."""


@frozen
class Unknown(Enquiry):
    """A question that is not understood; ``near`` are similar ones that are, nearest first.

    ``too_long``: the question is longer than any that is read. ``foreign``: its script belongs to
    neither language. ``thanks``: it is only a word of thanks. ``terms``: words that changes may
    have; empty if it is certainly not about changes.
    """

    near: tuple[str, ...] = ()
    too_long: bool = False
    foreign: bool = False
    thanks: bool = False
    terms: tuple[str, ...] = ()


Followup = More | Retell | Again | Nth  # intents that make sense only after an answer
Intent = Enquiry | Managing  # all intents


def is_everything(intent: Intent) -> bool:
    """Whether it asks for all changes of its period."""
    return isinstance(intent, Changed) and intent == Changed(window=intent.window)


def is_elliptic(intent: Intent) -> bool:
    """Whether it is a question about what the conversation is about, which it does not name."""
    match intent:
        case Touched(name="") | OfCurrent(reference=None) | Affected(its=True):
            return True
        case Nth(place=place, about=about, step=step):
            return not (place or about or step)
    return False


def span_of(subject: Intent) -> Span | None:
    """The period or range of a question, if it has one."""
    return getattr(subject, "window", None) or getattr(subject, "refs", None)


def in_period(last: Intent | None, window: Span | None) -> Intent:
    """The last question for another period. Raises ``NothingBefore`` without one."""
    if window is None:
        raise NothingBefore
    if isinstance(last, Changed | Search | DigestOf | Touched | Affected | Releases):
        return replace(last, window=window)
    if isinstance(last, Compare) and isinstance(window, Refs):
        return Compare(refs=window)
    return DigestOf(window=window)
