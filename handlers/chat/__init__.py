"""Use cases of a chat's own settings: subscriptions, filters, follow-up questions."""
