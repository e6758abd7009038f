"""When something is due: the clock, schedules, and the rest times of channels."""
