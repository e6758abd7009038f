"""The errors of the program, as one tree; a message names the thing and the way out, in one line.

A ``UserError`` is shown to the user word for word (exit status 1, or 2 for a ``UsageError``);
anything else is an internal error: logged with an id, never shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar


def _near(candidates: Sequence[str]) -> str:
    return f"; did you mean {', '.join(repr(c) for c in candidates)}?" if candidates else ""


class DigestbotError(Exception):
    """Base of every error that this program raises on purpose."""


class UserError(DigestbotError):
    """An error that the user can cause and fix; its text is shown as it is."""

    exit_status: ClassVar[int] = 1


class UsageError(UserError):
    """An argument or a configuration that cannot be understood."""

    exit_status: ClassVar[int] = 2


class InvalidDate(UsageError):
    """A text that is neither a date nor a time."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text!r} is not a date or time; write 2026-01-23, 2026-01-23T08:00 or "
            "2026-01-23T08:00Z"
        )
        self.text = text


class UnknownZone(UsageError):
    """A time zone that is not in the IANA database."""

    def __init__(self, name: str, near: Sequence[str] = ()) -> None:
        super().__init__(
            f"{name!r} is not an IANA time "
            f"zone{_near(near) or '; write one like Europe/Berlin or UTC'}"
        )
        self.name = name


class InvalidWindow(UsageError):
    """A window that ends before it begins, or is given in two ways at once."""


class FutureWindow(UsageError):
    """A window that begins in the future."""

    def __init__(self, since: str, now: str) -> None:
        super().__init__(
            f"the window begins at {since}, which is in the future (now is {now}); "
            "choose an earlier date"
        )


class InvalidReference(UsageError):
    """A text that cannot name a change."""

    def __init__(self, text: str) -> None:
        super().__init__(
            f"{text!r} does not name a change; write #123, a commit of at least 7 hex digits, or "
            "the URL of a pull request or commit"
        )
        self.text = text


class NothingBefore(UsageError):
    """A follow-up without an answer or a single change before; ``titles`` are candidates."""

    def __init__(self, titles: Sequence[str] = ()) -> None:
        self.shown = " ".join(f"{n}. {title}" for n, title in enumerate(titles, 1))
        several = f"Which one do you mean? {self.shown} — say, for example: the first one"
        nothing = "I do not know which change or answer you mean; name it, such as explain #123"
        super().__init__(several if titles else nothing)


class InvalidConfig(UsageError):
    """A configuration file that cannot be used; the message names file and key."""


class NotARepository(UserError):
    """A path or address at which git finds no repository."""

    def __init__(self, place: str, why: str = "") -> None:
        super().__init__(
            f"{place!r} is not a git repository{f' ({why})' if why else ''}; "
            "give a folder that contains one, a git bundle, or an https:// or ssh:// URL"
        )
        self.place = place


class UnknownBranch(UserError):
    """A branch, tag or revision that the repository does not have."""

    def __init__(self, name: str, near: Sequence[str] = ()) -> None:
        super().__init__(
            f"the repository has no branch, tag or commit {name!r}"
            f"{_near(near) or '; list them with git branch --all'}"
        )
        self.name = name


class NothingNewer(UserError):
    """A question from the latest release to the latest release."""

    def __init__(self, tag: str) -> None:
        super().__init__(
            f"{tag} is the latest release here; ask “what changed since {tag}” to see what is not "
            "released yet"
        )
        self.tag = tag


class NoRelease(UserError):
    """A repository without a tag of a final release, asked about its latest."""

    def __init__(self, repository: str) -> None:
        super().__init__(
            f"{repository} has no release tags here; use a tag, a branch or a commit instead"
        )
        self.repository = repository


class UnknownChange(UserError):
    """A reference that matches no commit of the branch."""

    def __init__(self, reference: str, where: str) -> None:
        super().__init__(
            f"{reference} is not in {where}; check the number, or choose another repository or "
            "branch"
        )
        self.reference = reference
        self.where = where


class AmbiguousReference(UserError):
    """A shortened commit name that matches more than one commit."""

    def __init__(self, reference: str, candidates: Sequence[str]) -> None:
        listed = ", ".join(c[:12] for c in candidates[:5])
        super().__init__(f"{reference} matches several commits ({listed}); write more digits")
        self.reference = reference
        self.candidates = tuple(candidates)


class AmbiguousRepository(UserError):
    """A question that matches several of the configured repositories; ``names`` are theirs."""

    def __init__(self, names: Sequence[str]) -> None:
        more = f" and {len(names) - 10} more" if len(names) > 10 else ""
        super().__init__(
            f"several repositories match: {', '.join(names[:10])}{more}; "
            f"write the full name, for example: explain {names[0]}#123"
        )
        self.names = tuple(names)


class EmptyRange(UserError):
    """Two references of which the second has no commit that the first lacks."""

    def __init__(self, base: str, tip: str, *, reversed_: bool) -> None:
        out = f"write {tip}..{base}" if reversed_ else "choose two different ones"
        super().__init__(f"{tip} has no change that is not in {base}; {out}")
        self.base, self.tip, self.reversed = base, tip, reversed_


class RangeTooLarge(UserError):
    """Two points of history with too many changes between them for one answer."""

    def __init__(self, number: int, most: int) -> None:
        super().__init__(
            f"{number:,} commits lie between them, but at most {most:,} can be compared; choose "
            "two points that are closer together"
        )
        self.number, self.most = number, most


class SourceUnavailable(UserError):
    """The repository is known, but git could not read or fetch it now."""


class ForgeFailed(UserError):
    """A forge request that failed; ``host`` is the forge's."""

    def __init__(self, host: str, text: str) -> None:
        super().__init__(text)
        self.host = host


class NotOnForge(ForgeFailed):
    """The item does not exist, or is private: a forge does not distinguish these."""

    def __init__(self, host: str, what: str) -> None:
        super().__init__(host, f"{host} has no {what}, or does not show it to this bot")
        self.what = what


class ForgeLimited(ForgeFailed):
    """The forge accepts no more requests until a moment, which is aware and in UTC."""

    def __init__(self, host: str, until: datetime) -> None:
        super().__init__(
            host,
            f"{host} accepts no more requests until {until:%Y-%m-%d %H:%M} UTC; ask again then",
        )
        self.until = until


class ForgeDown(ForgeFailed):
    """The forge cannot be reached, does not answer in time, or its answer is invalid."""

    def __init__(self, host: str, why: str) -> None:
        super().__init__(host, f"{host} is unavailable ({why}); try again later")
        self.why = why


class ForgeUnauthorized(ForgeFailed):
    """The forge refuses the bot's token or key, or it lacks permission."""

    def __init__(self, host: str, why: str) -> None:
        super().__init__(host, f"{host} refuses this bot ({why}); correct it in [forges]")
        self.why = why


class UnwritableFolder(UserError):
    """The data folder, or the place of an output file, cannot be written."""

    def __init__(self, path: str, why: str) -> None:
        # SQLite's message is "database or disk is full", the system's "No space left on device".
        full = any(word in why for word in ("space", "quota", "full"))
        cure = "free some space" if full else "make it writable"
        super().__init__(
            f"cannot write to {path!r} ({why}); {cure} or choose another folder "
            "(the data folder is set by DIGESTBOT_DATA)"
        )
        self.path = path


class NewerArchive(UserError):
    """An archive that a later version of the program wrote."""

    def __init__(self, path: str, revision: str) -> None:
        super().__init__(
            f"the archive {path!r} was written by a newer digestbot (revision {revision}); "
            "upgrade digestbot, or restore a copy from before that version was run"
        )
        self.path = path
        self.revision = revision


class BrokenArchive(UserError):
    """A file at the archive's place that is no archive, or is damaged."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(
            f"the archive {path!r} cannot be read ({why}); "
            "restore a copy, or move it away and run again to rebuild it from the repository"
        )
        self.path = path


class UnreachableDatabase(UserError):
    """A database server that does not answer now; work under way is retried."""

    def __init__(self, place: str, why: str) -> None:
        super().__init__(
            f"the database {place} does not answer ({why}); "
            "start it, or check the address and the server's access rules"
        )
        self.place = place
