"""Searches for input that holds a reader up, in processor time beside that of plain input."""
