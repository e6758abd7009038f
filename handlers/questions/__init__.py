"""Use cases of questions, one module a question."""
