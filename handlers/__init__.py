"""Use cases: the asynchronous flow over ports. Imports ``digest`` only, and no I/O library."""
