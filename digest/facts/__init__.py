"""Facts: what a diff and a message say, found by reading and never by guessing."""
