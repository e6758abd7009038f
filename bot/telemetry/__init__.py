"""Logs, metrics and crash reports."""
