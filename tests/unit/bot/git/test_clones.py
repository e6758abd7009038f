"""What git and ssh say of a remote that refuses: the line that tells why, and the way out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.git.clones import cause_of, way_out

_BELOW = """\
fatal: Could not read from remote repository.

Please make sure you have the correct access rights
and the repository exists.
"""


@pytest.mark.parametrize(
    ("said", "cause", "out"),
    [
        (
            f"git@host: Permission denied (publickey).\n{_BELOW}",
            "git@host: Permission denied (publickey)",
            "ssh-add",
        ),
        (
            f"No ED25519 host key is known for host.\nHost key verification failed.\n{_BELOW}",
            "No ED25519 host key is known for host",
            "known_hosts",
        ),
        (
            f"ssh: Could not resolve hostname nohost: Name or service not known\n{_BELOW}",
            "Could not resolve hostname nohost: Name or service not known",
            "check the host name",
        ),
        (
            f"ssh: connect to host h port 1: Connection refused\r\n{_BELOW}",
            "connect to host h port 1: Connection refused",
            "host and port",
        ),
        (f"ERROR: Repository not found.\n{_BELOW}", "Repository not found", "its owner and name"),
        (
            "remote: Repository not found.\nfatal: repository 'https://h/a/b/' not found\n",
            "Repository not found",
            "its owner and name",
        ),
        (
            "error: cannot run ssh: No such file or directory\nfatal: unable to fork\n",
            "cannot run ssh: No such file or directory",
            "install an ssh client",
        ),
        (
            "fatal: could not read Username for 'https://h': terminal prompts disabled\n",
            "could not read Username for 'https://h': terminal prompts disabled",
            "credentials",
        ),
        ("fatal: early EOF\nfatal: index-pack failed\n", "index-pack failed", "check the address"),
        ("fatal: early EOF\n", "early EOF", "check the address"),
        (_BELOW, "", "check the address"),
        ("", "", "check the address"),
    ],
)
def test_refusal_tells_its_cause_and_a_way_out(said: str, cause: str, out: str) -> None:
    assert cause_of(said) == cause
    assert out in way_out(cause)


@given(st.text(max_size=300))
def test_cause_of_any_text_is_one_line_of_it(said: str) -> None:
    cause = cause_of(said)
    assert cause in said
    assert len(cause.splitlines()) <= 1
