"""Jobs: what one process finds to be done and another does, through Procrastinate on PostgreSQL.

A job says that something is to be looked at, never what is in it: a channel by its name, a message
by its key. Whoever does it finds the rest in the archive, under the leases and keys that hold for
every process. So a job that comes twice, or late, does nothing a second time, and one that is lost
is put down again by the next sweep.
"""
