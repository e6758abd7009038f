"""Reads questions in English and Chinese as intents."""
