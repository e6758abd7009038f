"""Measurements. ``make bench`` runs them all; each row stands beside something else's."""
