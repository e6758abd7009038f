"""Operating an installation: check, doctor, retention, alerts to admins."""
