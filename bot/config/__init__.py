"""The configuration: read, every mistake named, and the shape of its sections."""
