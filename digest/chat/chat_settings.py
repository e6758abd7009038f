"""A chat's settings, with its filters: rules on paths, owners, labels, authors and words.

A change is kept if

1. it was not made by a bot, unless bots are wanted or it fixes a vulnerability;
2. no rule of ``exclude`` matches it;
3. for every field that ``include`` has rules for, one matches it.

A filtered change is reported with the rule that rejected it, so that it can be counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import datetime, time
from enum import StrEnum
from zoneinfo import ZoneInfo

from digest.core.authors import CodeOwners, fixes_weakness, is_owner, made_by_bot
from digest.core.enums import Frequency, Language
from digest.core.grade import Graded, Level
from digest.core.patterns import check_expression, expression_of, found_in, matches, within
from digest.frozen import frozen

MOST_RULES = 50  # rules of one chat
BOT = "bot"  # the rule that rejects changes of bots
TOLD = "told on another branch"  # the rule that rejects a commit that was


class RuleField(StrEnum):
    """The part of a change that a rule checks."""

    PATH = "path"
    OWNER = "owner"
    LABEL = "label"
    AUTHOR = "author"
    KEYWORD = "keyword"


NOBODY = CodeOwners()  # owns anything


@frozen
class Rule:
    """One condition: a path pattern, a label, or part of a text; a regex stands between slashes."""

    field: RuleField
    pattern: str

    def __str__(self) -> str:
        return f"{self.field} {self.pattern}"

    def meets(
        self, graded: Graded, labels: Collection[str] = (), owners: CodeOwners = NOBODY
    ) -> bool:
        """Whether the change matches the rule. ``labels`` are those from the forge."""
        from digest.topics.terms import term  # most commands meet no rule of a chat

        texts = _TEXTS[self.field](graded, labels)
        if self.field is RuleField.OWNER:
            texts = owners.of(texts)
        if expression := expression_of(self.pattern):
            return found_in(expression, texts)
        match self.field:
            case RuleField.PATH:
                return any(matches(self.pattern, path) for path in texts)
            case RuleField.OWNER:
                return any(is_owner(self.pattern, owner) for owner in texts)
            case RuleField.LABEL:
                return term(self.pattern) in set(map(term, texts))
            case RuleField.AUTHOR | RuleField.KEYWORD:
                return within(self.pattern, *texts)


def rule_of(field: RuleField, written: str) -> Rule | None:
    """The rule with a pattern as a person writes it; ``None`` for an empty one."""
    # A path between slashes is an expression only with a character that paths seldom have:
    # ``/src/`` is a folder. May raise ``UsageError``.
    pattern = written.strip(" \"'")
    expression = expression_of(pattern)
    if expression and (field is not RuleField.PATH or _NOT_OF_PATHS.search(expression)):
        check_expression(expression)
        return Rule(field=field, pattern=pattern)
    cleaned = pattern.lstrip("/")
    return Rule(field=field, pattern=cleaned) if cleaned else None


_NOT_OF_PATHS = re.compile(r"[\^$|()\[\]{}+\\]|\.\*")


def _paths(graded: Graded, _labels: Collection[str]) -> Sequence[str]:
    files = graded.facts.files
    return [path for file in files for path in (file.path, file.old_path) if path]


def _labels(graded: Graded, labels: Collection[str]) -> Sequence[str]:
    subject = graded.facts.subject
    return [label for label in (*subject.tags, subject.type, *labels) if label]


def _message(graded: Graded, _labels: Collection[str]) -> Sequence[str]:
    return graded.title, graded.commit.message


_TEXTS: Mapping[RuleField, Callable[[Graded, Collection[str]], Sequence[str]]] = {
    RuleField.PATH: _paths,
    RuleField.OWNER: _paths,
    RuleField.LABEL: _labels,
    RuleField.AUTHOR: lambda graded, _: (graded.commit.author, graded.commit.email),
    RuleField.KEYWORD: _message,
}
"""The texts of a change that a rule looks at."""


@frozen
class Filters:
    """The rules of a chat; ``bots`` says that changes of bots are wanted."""

    # The owners come from the repository that the changes are from.

    include: tuple[Rule, ...] = ()
    exclude: tuple[Rule, ...] = ()
    bots: bool = False
    owners: CodeOwners = field(default=NOBODY, compare=False, repr=False)
    told: tuple[str, ...] = ()  # commits of other branches, by full name

    def rejection(self, graded: Graded, labels: Collection[str] = ()) -> str:
        """The rule that rejects a change, in words; empty if it is kept."""
        if graded.sha in self.told:
            return TOLD
        unwanted = not self.bots and made_by_bot(graded.commit, graded.facts)
        if unwanted and not fixes_weakness(graded.facts):
            return BOT
        for rule in self.exclude:
            if rule.meets(graded, labels, self.owners):
                return f"exclude {rule}"
        for rule_field in RuleField:
            wanted = [rule for rule in self.include if rule.field is rule_field]
            if wanted and not any(rule.meets(graded, labels, self.owners) for rule in wanted):
                return f"include {rule_field}"
        return ""

    def given(self, rule: Rule, *, include: bool) -> Filters:
        """These with one more rule; an existing rule is not added again."""
        rules = self.include if include else self.exclude
        more = rules if rule in rules else (*rules, rule)
        return Filters(
            include=more if include else self.include,
            exclude=self.exclude if include else more,
            bots=self.bots,
        )

    def without(self, rule: Rule) -> Filters:
        """These without a rule, on whichever side it is."""
        return Filters(
            include=tuple(other for other in self.include if other != rule),
            exclude=tuple(other for other in self.exclude if other != rule),
            bots=self.bots,
        )

    def by(self, field: RuleField) -> bool:
        """Whether a rule checks the field."""
        return any(rule.field is field for rule in (*self.include, *self.exclude))

    @property
    def size(self) -> int:
        """The number of rules."""
        return len(self.include) + len(self.exclude)


PLAIN = Filters()  # rejects changes of bots


def left_out(
    filters: Filters, changes: Iterable[Graded], labels: Mapping[str, Collection[str]]
) -> tuple[tuple[Graded, ...], dict[str, str]]:
    """The kept changes, in their order, and the rejecting rule of each other by full name."""
    # ``labels`` are those from a forge, by full name of the change.
    passed: list[Graded] = []
    rules: dict[str, str] = {}
    for graded in changes:
        if rule := filters.rejection(graded, labels.get(graded.sha, ())):
            rules[graded.sha] = rule
        else:
            passed.append(graded)
    return tuple(passed), rules


def count_rules(rules: Iterable[str]) -> tuple[tuple[str, int], ...]:
    """How often each rule occurs, the most frequent first."""
    return tuple(sorted(Counter(rules).items(), key=lambda counted: (-counted[1], counted[0])))


MOST_TOPICS = 50  # topics that one chat can mute


@frozen
class DigestTiming:
    """When a digest is posted and what it shows; ``None`` and empty mean the value set above it."""

    at: time | None = None
    weekdays: frozenset[int] | None = None  # numbers from 0 (Monday)
    zone: ZoneInfo | None = None
    least: Level | None = None
    branch: str = ""  # empty for the default one

    def over(self, below: DigestTiming) -> DigestTiming:
        """These values, with those of ``below`` where nothing is set here."""
        return DigestTiming(
            at=self.at if self.at is not None else below.at,
            weekdays=self.weekdays if self.weekdays is not None else below.weekdays,
            zone=self.zone if self.zone is not None else below.zone,
            least=self.least if self.least is not None else below.least,
            branch=self.branch or below.branch,
        )


AS_USUAL = DigestTiming()  # nothing is set here


@frozen
class ChatSettings:
    """The settings of a chat. A paused one gets no scheduled digest."""

    # A pause with an end is kept after it: the next digest covers it.

    timing: DigestTiming = AS_USUAL
    language: Language | None = None
    filters: Filters = PLAIN
    muted: tuple[str, ...] = ()  # topics, in the words of whoever muted them
    muted_until: Mapping[str, datetime] = field(default_factory=dict)  # the ends of some, aware
    paused: bool = False
    paused_since: datetime | None = None  # of a pause with an end, aware
    paused_until: datetime | None = None
    private: bool = False  # allowed by an admin although other organisations read the chat

    @property
    def pause_span(self) -> tuple[datetime, datetime] | None:
        """The last pause with an end."""
        if self.paused_since is None or self.paused_until is None:
            return None
        return self.paused_since, self.paused_until

    def paused_by(self, now: datetime) -> datetime | None:
        """The end of the pause that a moment is in; ``None`` without one, or without an end."""
        span = None if self.paused else self.pause_span
        return span[1] if span and span[0] <= now < span[1] else None


def still_muted(
    topics: Sequence[str], until: Mapping[str, datetime], now: datetime
) -> tuple[str, ...]:
    """The topics whose end, if they have one, is later than now."""
    return tuple(topic for topic in topics if topic not in until or now < until[topic])


@frozen
class Subscribed:
    """A chat's own subscription to one repository, with its own timing."""

    repository: str
    kind: Frequency = Frequency.DAILY
    person: str = ""  # who subscribed, as ``platform:id``
    timing: DigestTiming = AS_USUAL
    known: str = field(default="", compare=False)  # the chat in its digests' names, once assigned
