"""The prompts, one text file each: a head with the version, then the system and user texts.

A file's version is increased whenever its words change. See :mod:`digest.llm.prompt`.
"""
