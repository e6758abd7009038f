"""The domain: what a change is, how it is read, graded, told and asked about.

Pure and synchronous: no I/O, no clock, no environment, no logging. Same input, same output.
"""
