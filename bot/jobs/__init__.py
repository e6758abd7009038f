"""The loop of ``digestbot run``: slots that are due, deliveries that are left, questions.

A slot goes through the ledger in three steps, so that no crash loses or doubles it::

    claimed      one process has it; the newest claimed slot of a channel is what was last due
    frozen       its documents are in the ledger, and the delivery brings them to an end
    finished     marked once everything is frozen; until then the slot is built again

A sweep at the start, and then every few minutes, takes up what is left: pending deliveries, the
newest slot that was missed, a slot that was claimed and not finished. A channel that was never
seen begins with its next slot; channels may come, change and go while the loop runs. In a channel's
rest nothing is posted. Exceptions end at this loop: they are logged, the rest goes on.

What the loop is given is in :mod:`~bot.jobs.services`; each of its duties is a module: which
channels are served, one channel's slots, what receivers hear, what is under way at a stop. The
processes that share the work (:mod:`bot.jobs`) are made of the same.

Jobs: what one process finds to be done and another does, through Procrastinate on PostgreSQL.

A job says that something is to be looked at, never what is in it: a channel by its name, a message
by its key. Whoever does it finds the rest in the archive, under the leases and keys that hold for
every process. So a job that comes twice, or late, does nothing a second time, and one that is lost
is put down again by the next sweep.
"""
