"""Who gets what: chats of the configuration and chats that set themselves up."""
