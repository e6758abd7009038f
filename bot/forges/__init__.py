"""Forges: GitHub, GitLab and Gitea behind ``handlers.ports.forge_port.Forge``.

:mod:`bot.forges.forge_client` sends requests through :mod:`bot.forges.forge_transport`, which also
tracks rate limits. :mod:`bot.forges.github`, :mod:`bot.forges.gitlab` and :mod:`bot.forges.gitea`
know one forge each, :mod:`bot.forges.forge_registry` finds the forge of a repository, and
:mod:`bot.forges.hooks` receives webhooks.
"""
