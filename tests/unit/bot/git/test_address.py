"""Addresses of repositories: which are accepted, and the folder of each one's clone."""

from __future__ import annotations

import pytest

from bot.git.address import read_address

SAME = "https://forge.example/acme/engine"


def folder(text: str) -> str:
    address = read_address(text)
    assert address is not None
    return address.folder


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (f"{SAME}.git", True),
        (f"{SAME}/", True),
        ("https://ada:secret@forge.example/acme/engine", True),
        ("https://forge.example:8443/acme/engine", False),
        ("http://forge.example/acme/engine", False),
        ("https://forge.example/acme/motor", False),
        ("https://forge.test/acme/engine", False),
        ("git@forge.example:acme/engine", False),
    ],
)
def test_clones_share_a_folder_where_nothing_but_credentials_differs(other: str, same: bool):
    assert (folder(other) == folder(SAME)) is same
    ports = {folder(f"https://forge.example:{port}/acme/engine") for port in (8443, 9443)}
    assert len(ports) == 2


@pytest.mark.parametrize(
    "text",
    [
        "-oProxyCommand=x@host:path", "https://forge.example/a b", "file:///srv/engine",
        "https://forge.example/acme/engine?x=1", "https://forge.example/acme/engine#x",
        "https://forge.example:port/acme/engine", "ssh://-oProxy@forge.example/acme/engine",
    ],
)  # fmt: skip
def test_address_that_git_might_take_for_something_else_is_none(text: str):
    assert read_address(text) is None


def test_folder_on_this_machine_is_an_address_only_where_that_is_allowed():
    address = read_address("file:///srv/my%20engine.git", allow_file=True)
    assert address is not None
    assert (address.transport, address.host) == ("file", "")
