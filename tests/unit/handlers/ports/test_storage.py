"""The names by which people call a repository."""

from __future__ import annotations

import pytest

from digest.core.grade import Repository
from handlers.ports.storage import Watched, names_of


@pytest.mark.parametrize(
    ("name", "place", "names"),
    [
        ("acme/Engine", "https://forge.example/acme/engine.git", {"acme/engine", "engine", "acme"}),
        ("engine", "/srv/mirror/acme+motor", {"engine", "mirror", "acme", "motor"}),
        ("engine", "/home/repo/", {"engine"}),
        ("engine", "", {"engine"}),
    ],
)
def test_repository_is_called_by_its_name_and_by_folders_that_say_something(name, place, names):
    watched = Watched(repository=Repository(name=name), source=None, place=place)  # type: ignore[arg-type]
    assert names_of(watched) == names
