"""What is said of a change, from facts and the author's own words."""
