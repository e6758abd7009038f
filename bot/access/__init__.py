"""Access: who is answered, with what rights, and about which repositories."""
