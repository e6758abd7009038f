"""The edges: everything that touches the outside world. May import ``handlers`` and ``digest``."""
