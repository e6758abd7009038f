"""The prompts, one text file each: a head with the version, then what the system and user say.

A file's version is raised whenever its words change. See :mod:`digest.llm.prompt`.
"""
