"""The program's web server: webhooks of platforms and forges, pages, health checks and metrics."""
