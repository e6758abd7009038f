"""The opened program: its archive, repositories and model, and the context of each question."""
