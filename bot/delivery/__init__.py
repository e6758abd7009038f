"""Delivers one digest to one channel, each part once."""
