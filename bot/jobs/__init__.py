"""The loop of ``digestbot run``, and jobs that processes share through PostgreSQL.

A slot goes through the ledger in three steps, so that no crash loses or doubles it::

    claimed      one process has it; the newest claimed slot of a channel was the last one due
    frozen       its documents are in the ledger, and the delivery completes them
    finished     marked once everything is frozen; until then the slot is built again

A sweep, at the start and then every few minutes, takes up what is left: pending deliveries, the
newest slot that was missed, a slot that was not finished. Exceptions end at this loop.

With several processes, one finds work and another does it, as a job of Procrastinate. A job says
that something is to be checked, never its content; everything else is in the archive, under leases
and keys that apply to all processes. So a job that comes twice does nothing a second time, and a
lost one is deferred again by the next sweep.
"""
