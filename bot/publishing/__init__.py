"""Which digest is due where, built once for all channels that get the same."""
