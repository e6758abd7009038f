"""One digest into one channel, each part once."""
