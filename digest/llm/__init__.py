"""Prompts for a language model, and the check of every statement in its reply."""
