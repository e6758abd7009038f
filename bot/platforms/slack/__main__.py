"""Prints the manifest: ``python -m bot.platforms.slack [address of the web server]``."""

from __future__ import annotations

import sys

from bot.platforms.slack.oauth import as_yaml, manifest

sys.stdout.write(as_yaml(manifest(*sys.argv[1:2])))
