"""Use cases of questions, one module per question."""
