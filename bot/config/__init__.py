"""The configuration: reading, validation, and the models of its sections."""
