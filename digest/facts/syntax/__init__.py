"""Declarations by language family; every module returns the values of ``declarations``."""
