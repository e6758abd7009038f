"""Importance of changes: signals, the model that weighs them, and later outcomes."""
