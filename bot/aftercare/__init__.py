"""What follows a post: dead chats, changes that were reverted, alerts, notices, letting go."""
