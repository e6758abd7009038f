"""Reads what git and forges print: logs and unified diffs."""
