"""Conversations in chats: from a message to the bot to the answer below it."""
