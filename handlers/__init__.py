"""Use cases: asynchronous flows over ports. Imports ``digest`` only, and no I/O library."""
