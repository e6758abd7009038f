"""Which digest is due where, built once for all channels with the same content."""
