"""What a chat can set for itself: commands, filters, schedules."""
