"""What people are shown beside documents: text made fit to be looked at, progress, pictures."""
