"""What a repository is called and where its pages are, from its remote's address. No I/O."""

from __future__ import annotations

import re

from bot.sources.address import Address, read_address
from digest.errors import UsageError
from digest.graded import Repository

_FORGES = {
    "github.com": "github",
    "gitlab.com": "gitlab",
    "codeberg.org": "gitea",
    "gitea.com": "gitea",
}
"""Hosts whose software is known; Codeberg runs Forgejo, whose pages are Gitea's."""

_TELLING = {"github": "github", "gitlab": "gitlab", "gitea": "gitea", "forgejo": "gitea"}
"""First labels by which people name hosts of their own after the software: gitlab.example.org."""

_SSH_DOORS = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}
"""Hosts that take ssh on the https port for another host."""

_NAME = re.compile(r"[\w.-]+(/[\w.~-]+)+")


def identify(remote: Address | None, *, folder: str, name: str | None = None) -> Repository:
    """The repository with that remote, or the one in a folder of that name.

    A ``name`` that a person gave wins; where no remote says otherwise it is one on GitHub.
    Raises ``UsageError`` for a name that is not of the form ``owner/name``.
    """
    if name is not None and (not _NAME.fullmatch(name) or ".." in name):
        raise UsageError(f"{name!r} is no repository name; write OWNER/NAME")
    if remote is None or remote.transport == "file":
        if name is None:
            return Repository(name=remote.path.rpartition("/")[2] if remote else folder)
        return Repository(name=name, web=f"https://github.com/{name}", forge="github")
    host = _SSH_DOORS.get(remote.host, remote.host)
    path = name or remote.path
    forge = _FORGES.get(host) or _TELLING.get(host.partition(".")[0], "")
    if not forge or not _NAME.fullmatch(path) or ".." in path:
        return Repository(name=path)
    if forge == "github" and path.count("/") != 1:
        return Repository(name=path)
    port = f":{remote.port}" if remote.port and remote.transport == "https" else ""
    return Repository(name=path, web=f"https://{host}{port}/{path}", forge=forge)


def is_open(place: str) -> bool:
    """Whether everybody may be taken to see a repository, by its place alone.

    So is one on a well-known public forge that is named over https and without a user: it can be
    cloned as it stands, unless git is given credentials elsewhere. What is not sure is not open.
    """
    address = read_address(place)
    return (
        address is not None
        and address.transport == "https"
        and not address.secret
        and address.port is None
        and address.host in _FORGES
    )
