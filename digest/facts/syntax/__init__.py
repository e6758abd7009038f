"""How each language declares things: one module a family, all giving the values of ``entry``."""
