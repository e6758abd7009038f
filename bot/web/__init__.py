"""The program's web server: webhooks of platforms and forges, pages, health checks and metrics.

``server`` serves everything under one address beside the loop, ``guard`` checks every request,
``health`` answers probes, and ``site_factory`` makes the data behind the pages.
"""
