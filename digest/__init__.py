"""The domain: what a change is, and how it is read, graded, described and queried.

Pure and synchronous: no I/O, no clock, no environment, no logging. Same input, same output.
"""
