"""Values that every other package uses: changes, facts, grades, statements, closed sets."""
