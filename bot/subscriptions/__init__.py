"""Subscriptions of chats: from the configuration, and those that chats made themselves."""
