"""When something is due: the clock, schedules, and the hours in which a channel is left alone."""
