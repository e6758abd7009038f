"""Use cases for a chat's own settings: subscriptions, filters, follow-up questions."""
