"""Answers as documents: listings, release notes, counts."""
