"""Facts that a diff and a message state, found by reading and never by guessing."""
