"""Why a remote could not be read, out of what git and ssh said, and the way out. No I/O.

The wordings are those of OpenSSH, curl and the forges in the C locale, in which git is run.
"""

from __future__ import annotations

import re

_EMPTY = re.compile(
    r"(?:fatal: )?(?:Could not read from remote repository\.|the remote end hung up unexpectedly)?"
    r"|Please make sure you have the correct access rights|and the repository exists\."
    r"|Cloning into .*|Warning: Permanently added .*"
)
"""Lines that git writes below the one that tells the cause."""

_WAYS_OUT = (
    (
        r"host key verification failed|no .{0,40}host key is known",
        "note the host's key in known_hosts first, as ssh does when you log in to it once",
    ),
    (
        r"permission denied|publickey|too many authentication failures",
        "load a key that the host knows (ssh-add -l lists them), or give an https:// address",
    ),
    (
        r"could not resolve|name or service not known|temporary failure in name resolution",
        "check how the host is written, and the network",
    ),
    (
        (
            r"connection (?:refused|timed out|reset)|no route to host|unreachable|failed to connect"
            r"|could not connect|operation timed out"
        ),
        "check host and port, and whether a firewall or proxy is between",
    ),
    (
        (
            r"authentication failed|could not read (?:username|password)"
            r"|invalid (?:username|credentials)|error: 40[13]|terminal prompts disabled"
        ),
        "give git credentials for the host (a credential helper, or a token in the address)",
    ),
    (
        r"not found|does not (?:exist|appear to be a git repository)|error: 404",
        "check the address, its owner and name; a private repository needs access rights, too",
    ),
    (r"cannot run ssh|ssh: not found", "install an ssh client, or give an https:// address"),
    (
        r"\.lock'?: file exists",
        "wait a minute: what a git that died left locked is taken away then",
    ),
    (r"certificate|ssl|tls", "check the host's certificate, and this machine's clock"),
)
_KNOWN = tuple((re.compile(cause, re.IGNORECASE), out) for cause, out in _WAYS_OUT)
_USUAL = "check the address, the network and the access rights"


def cause_of(said: str) -> str:
    """The line of a child's complaints that tells the cause; empty where none does."""
    lines = [line.strip() for line in said.splitlines()]
    telling = [line for line in lines if not _EMPTY.fullmatch(line)]
    known = [line for line in telling if any(cause.search(line) for cause, _ in _KNOWN)]
    found = next(iter(known or telling[-1:]), "")
    return re.sub(r"^(?:(?:fatal|error|remote|ERROR|ssh): )+", "", found).rstrip(". ")


def way_out(cause: str) -> str:
    """What somebody can do about a cause."""
    return next((out for known, out in _KNOWN if known.search(cause)), _USUAL)
