"""What several processes have in common for a short while, in Redis, where one is configured.

Nothing is here that cannot be lost: what counts is in the archive. Without Redis, or while it does
not answer, every process counts for itself and asks the database.
"""
