"""Forges: GitHub, GitLab and Gitea behind ``handlers.ports.forge_port.Forge``.

:mod:`bot.forges.forge_client` asks over :mod:`bot.forges.forge_transport`,
:mod:`bot.forges.forge_transport` says when not to, :mod:`bot.forges.github`,
:mod:`bot.forges.gitlab` and :mod:`bot.forges.gitea` know one forge each,
:mod:`bot.forges.forge_registry` finds the one of a repository, and :mod:`bot.forges.hooks` is what
forges call.
"""
