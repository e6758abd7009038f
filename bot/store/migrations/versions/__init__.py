"""One revision a file, named by its number and what it does."""
