"""Parsers of logs and unified diffs from git and forges."""
