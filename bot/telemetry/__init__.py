"""Logs, metrics and the report of a crash."""
