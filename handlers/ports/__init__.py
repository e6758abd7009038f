"""What the use cases need of the outside world, as protocols and their values."""
