"""Forges: GitHub, GitLab and Gitea behind ``handlers.forge_port.Forge``.

:mod:`bot.forges.wire` asks over :mod:`bot.forges.transport`, :mod:`bot.forges.limits` says when not
to, :mod:`bot.forges.github`, :mod:`bot.forges.gitlab` and :mod:`bot.forges.gitea` know one forge
each,
:mod:`bot.forges.opening` finds the one of a repository, and :mod:`bot.forges.hooks` is what
forges call.
"""
