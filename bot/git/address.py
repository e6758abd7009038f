"""Repository addresses and names: what is accepted and how it is displayed. No I/O.

An address may come from a chat. Only transports that cannot run a program are accepted, and nothing
that git or ssh could take for an option. Credentials in an address are given to git alone. A
repository's name and the location of its pages are derived from its remote's address.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import field
from pathlib import PurePath, PurePosixPath
from urllib.parse import unquote, urlsplit

from digest.core.grade import Repository
from digest.core.patterns import lazy
from digest.errors import UsageError
from digest.frozen import frozen

_URL = lazy(r"(https?|ssh|git)://", re.IGNORECASE)
_SCP = lazy(r"(?P<user>[A-Za-z0-9_][\w.+-]*)@(?P<host>[^/:\s]+):(?P<path>[^\s:][^\s]*)")
_HOST = lazy(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]")
_CREDENTIALS = lazy(r"(?<=://)[^/@\s]*@")


@frozen
class Address:
    """An address from which a repository can be fetched."""

    url: str  # without credentials, may be displayed
    transport: str  # git's name of the protocol
    host: str
    path: str  # on the host, such as ``owner/name``, without outer slashes and ``.git``
    port: int | None = None  # if the address has one
    secret: str = field(default="", repr=False)  # the address with credentials, or empty

    @property
    def folder(self) -> str:
        """A unique folder name: readable, safe on every file system, made unique by a hash."""
        readable = re.sub(r"[^A-Za-z0-9._-]+", "-", f"{self.host}-{self.path}").strip("-.")
        same = f"{self.transport}://{self.host}:{self.port or ''}/{self.path}"
        return f"{readable[:80]}-{hashlib.sha256(same.encode()).hexdigest()[:12]}"


def read_address(text: str, *, allow_file: bool = False) -> Address | None:
    """The address in ``text``, or ``None`` if it is no address or not an accepted one.

    Accepted are ``https``, ``http``, ``ssh`` and ``git`` URLs and ``user@host:path``; with
    ``allow_file`` also ``file`` URLs, which are only for the local command line.
    """
    if not text.isprintable() or any(c.isspace() for c in text) or text.startswith("-"):
        return None
    if allow_file and text.startswith("file:///"):
        path = unquote(urlsplit(text).path)
        return Address(url=text, transport="file", host="", path=_name(path))
    if _URL.match(text):
        return _read_url(text)
    scp = _SCP.fullmatch(text)
    if scp is None or not _acceptable(scp["host"], scp["path"]):
        return None
    return Address(url=text, transport="ssh", host=scp["host"].lower(), path=_name(scp["path"]))


def looks_like_address(text: str) -> bool:
    """Whether ``text`` looks like an address rather than a folder, accepted or not."""
    return "://" in text or "::" in text or _SCP.fullmatch(text) is not None


def without_credentials(text: str) -> str:
    """The text with user names and passwords removed from the addresses in it."""
    return _CREDENTIALS.sub("", text)


def _read_url(text: str) -> Address | None:
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return None
    place = parts.netloc.rpartition("@")[2]
    host = place if port is None else place.removesuffix(f":{port}")
    if parts.query or parts.fragment or not _acceptable(host, parts.path.lstrip("/")):
        return None
    if (parts.username or "").startswith("-"):
        return None
    transport = parts.scheme.lower()
    # Over ssh the user name is part of the address and not secret; a password has no use there.
    user = f"{parts.username}@" if transport == "ssh" and parts.username else ""
    url = f"{transport}://{user}{place}{parts.path}"
    return Address(
        url=url,
        transport=transport,
        host=host.lower(),
        path=_name(unquote(parts.path)),
        port=port,
        secret=text if "@" in parts.netloc and transport.startswith("http") else "",
    )


def _acceptable(host: str, path: str) -> bool:
    return bool(_HOST.fullmatch(host)) and bool(path) and not path.startswith("-")


def _name(path: str) -> str:
    return str(PurePosixPath(path.strip("/"))).removesuffix(".git")


_FORGES = {
    "github.com": "github",
    "gitlab.com": "gitlab",
    "codeberg.org": "gitea",
    "gitea.com": "gitea",
    "bitbucket.org": "bitbucket",
}
"""Hosts whose software is known; Codeberg runs Forgejo, whose pages have Gitea's layout."""

_TELLING = {"github": "github", "gitlab": "gitlab", "gitea": "gitea", "forgejo": "gitea"}
"""First labels of host names that reveal the software, as in gitlab.example.org."""

_SSH_DOORS = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}
"""Hosts that accept ssh on the https port on behalf of another host."""

_NAME = lazy(r"[\w.-]+(/[\w.~-]+)+")


def identify(remote: Address | None, *, folder: str, name: str | None = None) -> Repository:
    """The repository with that remote, or the one in a folder of that name.

    A ``name`` given by a person wins; unless a remote says otherwise, it is one on GitHub. Raises
    ``UsageError`` for a name that is not of the form ``owner/name``.
    """
    if name is not None and (not _NAME.fullmatch(name) or ".." in name):
        raise UsageError(f"{name!r} is not a repository name; write OWNER/NAME")
    if remote is None or remote.transport == "file":
        if name is None:
            return Repository(name=folder_name(PurePath(remote.path)) if remote else folder)
        return Repository(name=name, web=f"https://github.com/{name}", forge="github")
    host = _SSH_DOORS.get(remote.host, remote.host)
    path = name or remote.path
    forge = forge_of(host)
    if not forge or not _NAME.fullmatch(path) or ".." in path:
        return Repository(name=path)
    if forge == "github" and path.count("/") != 1:
        return Repository(name=path)
    port = f":{remote.port}" if remote.port and remote.transport == "https" else ""
    return Repository(name=path, web=f"https://{host}{port}/{path}", forge=forge)


def forge_of(host: str) -> str:
    """The software of a host, if its name tells it, else empty."""
    return _FORGES.get(host) or _TELLING.get(host.partition(".")[0], "")


_NAMELESS = {"repo", "repository", "checkout", "clone"}


def folder_name(folder: PurePath) -> str:
    """What a folder is called, by the one around it if its own name says nothing."""
    name = folder.name.removesuffix(".git")
    return folder.parent.name or name if name.casefold() in _NAMELESS else name


def is_open(place: str) -> bool:
    """Whether a repository can be assumed to be public, judging by its place; not in doubt."""
    # It is if it is on a well-known public forge, by https without a user: then it can be cloned as
    # it is, unless git has other credentials.
    address = read_address(place)
    return (
        address is not None
        and address.transport == "https"
        and not address.secret
        and address.port is None
        and _FORGES.get(address.host) in _TELLING.values()  # on Bitbucket, most are private
    )
