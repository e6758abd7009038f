"""A chat's own settings: commands, filters, schedules."""
