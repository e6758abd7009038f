"""The commands of the menu, in the languages of the program, and the questions they stand for.

Telegram shows the menu in the language of a person's app, so a command is asked, and therefore
answered, in that language.
"""

from __future__ import annotations

from typing import NamedTuple

from digest.language import Language


class Command(NamedTuple):
    """A command: ``/name``, what the menu says of it, and its question around what follows it.

    Name: 1-32 of ``[a-z0-9_]``; description: 1-256 characters.
    https://core.telegram.org/bots/api#botcommand
    """

    name: str
    description: str
    question: str


COMMANDS: dict[Language, tuple[Command, ...]] = {
    Language.EN: (
        Command("digest", "What matters of a day: /digest yesterday", "digest {}"),
        Command("changed", "What changed: /changed scheduler this week", "changed {}"),
        Command("explain", "One change in full: /explain 123", "explain {}"),
        Command("search", "Changes with these words: /search memory leak", "search {}"),
        Command("help", "What can be asked", "help"),
    ),
    Language.ZH: (
        Command("digest", "某天的要点：/digest 昨天", "{} 摘要"),
        Command("changed", "有什么变化：/changed 本周 调度器", "{} 有什么变化"),
        Command("explain", "详解一个变更：/explain 123", "解释 {}"),
        Command("search", "搜索变更：/search 内存泄漏", "搜索 {}"),
        Command("help", "可以问什么", "帮助"),
    ),
}


def language_of(code: str | None) -> Language:
    """The language of the menu that a person's app shows, by its IETF tag."""
    return Language.ZH if (code or "").lower().startswith("zh") else Language.EN


def question(name: str, rest: str, language: Language) -> str | None:
    """What a command asks, or ``None`` where there is no such command.

    ``start`` is what an app sends when somebody opens the chat for the first time.
    """
    name = name.lower()
    if name == "start":
        name, rest = "help", ""
    for command in COMMANDS[language]:
        if command.name == name:
            return command.question.format(rest.strip()).strip()
    return None
