"""Short-lived state that processes share in Redis, if one is configured.

All of it may be lost: the archive holds what matters. Without Redis, or while it does not answer,
every process counts for itself and queries the database.
"""
