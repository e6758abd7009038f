"""Make a release file out of a clone that keeps a changelog: which requests it names.

    python -m tests.evals.changelog CLONE SINCE UNTIL PATH [PATH ...] > NAME.json

``PATH`` are changelog files at the clone's HEAD. Choose a window whose releases the files cover.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys

NUMBER = re.compile(r"(?:#|/pull/)(\d{2,6})\b")


def main() -> None:
    """Print the release file."""
    clone, since, until, *paths = sys.argv[1:]
    noted: set[int] = set()
    for path in paths:
        text = subprocess.run(
            ["git", "-C", clone, "show", f"HEAD:{path}"], capture_output=True, check=True
        ).stdout.decode("utf-8", "replace")
        noted.update(int(n) for n in NUMBER.findall(text))
    name = clone.rstrip("/").removesuffix("/repo").rsplit("/", 1)[-1]
    json.dump({"release": name, "since": since, "until": until, "noted": sorted(noted)}, sys.stdout)


if __name__ == "__main__":
    main()
