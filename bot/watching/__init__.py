"""How the program is watched: logs, figures, traces, and what a user sees of a crash."""
