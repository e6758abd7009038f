"""What a change is about: index terms, synonyms and matching."""
