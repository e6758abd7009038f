"""Use cases that ask a language model: analysing changes, summarising a day."""
