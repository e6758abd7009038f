"""Digests as they are made for channels and posted, each part once."""
