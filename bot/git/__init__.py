"""Git repositories as sources of changes."""
