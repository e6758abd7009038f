"""What platforms share between a message and the wire; none of them is known here."""
