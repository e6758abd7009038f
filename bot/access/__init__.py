"""Access: who is answered, with what rights, and about which repositories.

``policy`` holds the rules of the configuration; ``gate`` applies them to every message, with what
people asked recently and what admins allowed.
"""
