"""Use cases of digests: reading new commits, daily digests, filters."""
