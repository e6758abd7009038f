"""Benchmarks. ``make bench`` runs the main ones; each row has something to compare with."""
