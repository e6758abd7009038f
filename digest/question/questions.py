"""The properties of each question, and the text form of its intent.

The parser, the help, the line *Read as*, prompts and the router read it from here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from digest.chat.chat_intents import Managing, format_managing
from digest.core.enums import Alerts, Language
from digest.core.patterns import read_table
from digest.core.profile import ProfileEntry
from digest.frozen import frozen
from digest.i18n.phrase import Phrase
from digest.question import intent as intents
from digest.question.commit_range import Refs
from digest.question.intent import (
    Again,
    Alert,
    Changed,
    EditProfile,
    Intent,
    Lookup,
    Nth,
    ProfileFrom,
    Released,
    Retell,
    ShowProfile,
    Unknown,
)
from digest.question.periods import format_window
from digest.window import Window


@frozen
class Question:
    """A section of ``questions.toml``, which says what the fields are."""

    name: str
    answer: str
    text: str
    help: Phrase | None = None
    read_as: Phrase | None = None
    examples: Mapping[Language, tuple[str, ...]]
    model: bool = True
    chats: bool = False
    cue: str = ""
    beside: tuple[str, ...] = ()


_MANAGED = "chat.subscribe:manage"


def _declared() -> Iterator[tuple[type[Any], Question]]:
    managing = {kind.__name__: kind for kind in get_args(Managing)}
    sections = read_table("digest.question", "questions.toml")
    for title, row in (sections | {name: {} for name in managing.keys() - sections}).items():
        managed = title in managing
        name = row.get("name", title.lower())
        yield (
            managing[title] if managed else getattr(intents, title),
            Question(
                name=name,
                answer=_MANAGED if managed else row.get("answer", f"questions.{name}:{name}"),
                text=row.get("text", name),
                help=Phrase(*row["help"]) if "help" in row else None,
                read_as=Phrase(*row["read_as"]) if "read_as" in row else None,
                examples={one: tuple(row.get(one, ())) for one in Language},
                model=row.get("model", not managed),
                chats=row.get("chats", False),
                cue=row.get("cue", ""),
                beside=tuple(row.get("beside", "").split()),
            ),
        )


QUESTIONS: Mapping[type[Any], Question] = dict(_declared())
"""All questions by intent, in the order of ``help``."""


def example(intent: type[Intent], language: Language) -> str:
    """The most useful example of a question."""
    return QUESTIONS[intent].examples[language][0]


_FORMS = {
    "reference": "{}", "name": '"{}"', "terms": '"{}"', "topic": "{}", "path": 'path:"{}"',
    "author": 'author:"{}"', "level": "level:{}", "kinds": "kind:{}", "label": 'label:"{}"',
    "things": "thing:{}", "actions": "action:{}", "without": 'without:"{}"', "part": 'of "{}"',
    "per": "per {}", "people": "per author", "files": "per file", "folders": "per folder",
    "top": "{}",
    "compared": "compared to", "newcomers": "first-time contributors", "figures": "with numbers",
    "undone": "which were reverted", "shipped": "with their releases",
    "defaults": "with changed defaults", "switched": "{} by default",
    "earlier": "the {} before that", "later": "the {} after that",
    "same": "of the same {}", "back": "all again", "window": "{}",
    "against": "compared to {}", "refs": "{}", "counted": "what share",
}  # fmt: skip
"""The text forms of the fields of an intent, in order."""

_NAMES = {Language.EN: "English", Language.ZH: "Chinese"}


def format_intent(intent: Intent) -> str:
    """An English question, stored, that is read as the same intent; empty for ``Unknown``."""
    match intent:
        case _ if isinstance(intent, Managing):
            return format_managing(intent)
        case Unknown():
            return ""
        case Changed(people=people, mergers=mergers, reviewers=reviewers):
            who = "who merged" if mergers else "who reviewed" if reviewers else "who touched"
            head = who if people else "changes merged by" if mergers else "changed"
            return _text(head, intent, people="")
        case Lookup(topic=topic, things=things):
            return f"which {' '.join(f'thing:{one}' for one in things)} is for {topic}"
        case Released(reference=None):
            return "which release has it"
        case Released(reference=reference, release=tag) if tag:
            return f"is {reference} in {tag}"
        case Retell(language=language, longer=longer):
            return f"in {_NAMES[language]}" if language else "longer" if longer else "shorter"
        case Again():
            bare = intent.without or intent.back
            narrows = intent.level or intent.kinds or intent.only
            head = "only" if narrows else "" if bare else "and"
            head = f"{head} {' and '.join(intent.kinds)}".rstrip()
            return _text(head, intent, topic='in "{}"', level="{}", only="", kinds="")
        case Nth(about=about) if about:
            return f'{intent.aspect} the one about "{about}"'.lstrip()
        case Nth(place=place, aspect=aspect):
            one = f"number {place}" if place > 0 else "the last one" if place else "explain it"
            return f"{one} {aspect}".rstrip()
        case ShowProfile() | EditProfile() | ProfileFrom() | Alert():
            return f"{'my ' if intent.mine else ''}{_of_profile(intent)}"
        case _:
            return _text(QUESTIONS[type(intent)].text, intent)


_ALERTS = {Alerts.OFF: "off", Alerts.BREAKING: "on", Alerts.ALL: "all"}


def _of_profile(intent: ShowProfile | EditProfile | ProfileFrom | Alert) -> str:
    match intent:
        case Alert(add=add) if add:
            return f"watch {' '.join(map(_entry_text, add))}"
        case Alert(alerts=alerts):
            return f"alerts {_ALERTS[alerts]}"
        case ProfileFrom(place=place):
            return f"profile from {place}"
        case EditProfile(clear=True):
            return "profile clear"
        case EditProfile(add=add, remove=remove):
            return (
                f"profile {'add' if add else 'remove'} {' '.join(map(_entry_text, add or remove))}"
            )
        case _:
            return "profile"


def _entry_text(entry: ProfileEntry) -> str:
    return f'{entry.kind}:"{entry.name}"' if " " in entry.name else str(entry)


def _text(head: str, intent: Intent, **forms: str) -> str:
    """The text of an intent: a head, and each field that has a value in its form."""
    parts = [head]
    for field, form in (_FORMS | forms).items():
        value: Any = getattr(intent, field, None)
        values = value if isinstance(value, tuple) else (value,) if value else ()
        parts += [form.format(_shown(one)) for one in values]
    return " ".join(filter(None, parts))


def _shown(value: object) -> str:
    """A value as text; references from a URL include its repository."""
    if isinstance(value, Window):
        return format_window(value)
    if isinstance(value, Refs) and value.repository and value.tip:
        return f"https://github.com/{value.repository}/compare/{value.base}...{value.tip}"
    return str(value)


def near_examples(question: str, language: Language | None) -> tuple[str, ...]:
    """Examples of questions that are worded like one that was not understood."""
    kinds = [one.examples[language or Language.EN] for one in QUESTIONS.values()]
    lowered = {text.lower(): text for some in kinds for text in some}
    from rapidfuzz.fuzz import ratio
    from rapidfuzz.process import extract

    near = extract(question[:100].lower(), lowered.keys(), scorer=ratio, limit=2, score_cutoff=50)
    usual = (some[0] for some in kinds if some)
    return tuple(dict.fromkeys([*(lowered[text] for text, *_ in near), *usual]))[:3]
