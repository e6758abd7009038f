"""Forges: GitHub, GitLab and Gitea behind ``handlers.ports.forge_port.Forge``."""
