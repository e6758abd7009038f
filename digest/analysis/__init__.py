"""Analyses of changes, made from facts and the author's own words."""
