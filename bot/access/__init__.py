"""Who is answered, with what rights, and about which repositories.

``policy`` holds what the configuration says, ``decide`` is the pure decision, ``gate`` asks it for
every message, with what people did lately and what admins allowed.
"""
